/* golden.h - the option `golden`: rows by position, and the training library's outputs for them.
 *
 *     {"rows": [[39, "gold", null], ..], "prediction": [..], "probabilities": [[..], ..],
 *      "decision": [[..], ..], "values": [[..], ..], "transform": [[..], ..]}
 *
 * "rows" and at least one output; every list is as long as "rows". Nothing else may be there. An
 * output is null where the row's result is NULL; NaN and infinities are "NaN", "Infinity",
 * "-Infinity".
 *
 * The text is never held as a tree: it is read once to find and count the members, and then by one
 * document for each, which go from row to row side by side. */
#ifndef HB_FORMAT_GOLDEN_H
#define HB_FORMAT_GOLDEN_H

#include "base/memory.h"
#include "ir/golden_row.h"

enum { HB_MAX_GOLDEN = 16 << 20, HB_MAX_GOLDEN_ROWS = 10000 };

typedef struct hb_golden hb_golden;

/* Checks all of `text` but the rows themselves, for a model of the given shape. The text, and
 * `error`, which all that is found later goes to, must outlive the reader. HBS_E_ARGS, HBS_E_LIMIT,
 * HBS_E_NOMEM, HBS_E_CANCEL. */
hbs_status hb_golden_open(hb_memory *memory, const char *text, size_t size, const hb_golden_shape *shape,
                          hb_golden **golden, hbs_error *error);
void hb_golden_close(hb_golden *golden); /* NULL: nothing */

/* Which outputs the rows come with, as hb_golden_row.given. */
uint32_t hb_golden_outputs(const hb_golden *golden);

/* The next row, valid until the next call; *row is NULL behind the last one. */
hbs_status hb_golden_next(hb_golden *golden, const hb_golden_row **row);

#endif
