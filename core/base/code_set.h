/* code_set.h - a set of Unicode code points while it is built: what a class of a regular expression matches.
 *
 * Ranges ascend and never touch, so that equal sets have equal ranges. Characters by Unicode are those of
 * python_text.h; unicode_tables.h says which are the same without regard to case. */
#ifndef HB_BASE_CODE_SET_H
#define HB_BASE_CODE_SET_H

#include "base/python_text.h"

enum { HB_LAST_CODE = 0x10FFFF };

typedef struct hb_code_range {
    uint32_t first, last;
} hb_code_range;

/* Codes whose class of case has `code + step` next. Step 0: pairs, first with first + 1 and so on. */
typedef struct hb_case_row {
    uint32_t first, last;
    int32_t step;
} hb_case_row;

/* Which characters are the same without regard to case. HB_CASE_PYTHON: as Python's re. HB_CASE_RE2: the same
 * without the dotted capital and the dotless small i, which RE2 keeps apart from i. */
typedef enum hb_case { HB_CASE_EXACT, HB_CASE_ASCII, HB_CASE_PYTHON, HB_CASE_RE2 } hb_case;

/* The characters that \w, \d and \s match: by Unicode; in ASCII as Python's (?a); as RE2, whose \s lacks \v; as RE2's
 * (?i), whose \w has the two characters beyond ASCII that are s and k without regard to case. */
typedef enum hb_class_rule { HB_CLASS_UNICODE, HB_CLASS_ASCII, HB_CLASS_RE2, HB_CLASS_RE2_CASE } hb_class_rule;

/* The next character of the class of `code`, which is a ring; `code` itself where it is alone. */
uint32_t hb_case_next(uint32_t code, hb_case rule);

/* `ranges`: an hb_vector of hb_code_range. False where there is no memory. */
bool hb_code_set_add(hb_vector *ranges, uint32_t first, uint32_t last);
/* The same with all that is the same without regard to case. */
bool hb_code_set_add_case(hb_vector *ranges, uint32_t first, uint32_t last, hb_case rule);
/* `unicode`: of HB_CLASS_UNICODE. */
bool hb_code_set_add_class(hb_vector *ranges, hb_code_class class, hb_class_rule rule, hb_unicode unicode,
                           bool negated);
/* Makes it all code points that it did not have. */
bool hb_code_set_negate(hb_vector *ranges);

/* True if `count` ranges have the code: a binary search. */
static inline bool hb_code_in(const hb_code_range *ranges, size_t count, uint32_t code)
{
    while (count > 0) {
        size_t half = count / 2;

        if (code > ranges[half].last) {
            ranges += half + 1;
            count -= half + 1;
        } else if (code >= ranges[half].first) {
            return true;
        } else {
            count = half;
        }
    }
    return false;
}

#endif
