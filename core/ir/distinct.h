/* distinct.h - whether items that must differ do: names of features, categories. */
#ifndef HB_IR_DISTINCT_H
#define HB_IR_DISTINCT_H

#include "base/memory.h"
#include "base/sort.h"

/* Looks for two equal items among n; *same is n if there are none, else the number of one. HBS_E_NOMEM, HBS_E_CANCEL.
 */
hbs_status hb_find_equal(hb_memory *memory, size_t n, hb_compare compare, const void *context, uint32_t *same,
                         hbs_error *error);

#endif
