/* case_change.h - texts in lower or upper case, character by character, as the C library's towlower and towupper. */
#ifndef HB_BASE_CASE_CHANGE_H
#define HB_BASE_CASE_CHANGE_H

#include "base/work.h"

typedef enum hb_casing { HB_CASING_KEEP, HB_CASING_LOWER, HB_CASING_UPPER, HB_N_CASINGS } hb_casing;

/* A text of `size` bytes has at most this many in another case. */
static inline size_t hb_case_room(size_t size)
{
    return 2 * size;
}

/* Writes the text, which is UTF-8, in this case; gives its size. False where the host wants to stop. */
bool hb_case_change(hbs_text text, hb_casing casing, char *to, size_t *size, hb_work *work);

#endif
