/* python_text.h - texts as Python's `str` sees them: lower(), words and white space of `re`, and texts without accents
 * as scikit-learn makes them. Each by one version of Unicode, that of the Python that trained the model. */
#ifndef HB_BASE_PYTHON_TEXT_H
#define HB_BASE_PYTHON_TEXT_H

#include "base/memory.h"

/* The versions that Python 3.9 and 3.10, 3.11, 3.12 and 3.13 have. */
typedef enum hb_unicode {
    HB_UNICODE_13_0,
    HB_UNICODE_14_0,
    HB_UNICODE_15_0,
    HB_UNICODE_15_1,
    HB_N_UNICODES
} hb_unicode;

/* \w, \d and \s of `re`. */
typedef enum hb_code_class { HB_CLASS_WORD, HB_CLASS_DIGIT, HB_CLASS_SPACE } hb_code_class;

/* The next range of codes of a class, rising; *i begins with 0. False: there is none. A range may touch the next. */
bool hb_python_next_range(hb_code_class class, hb_unicode unicode, size_t *i, uint32_t *first, uint32_t *last);

/* strip_accents of scikit-learn. */
typedef enum hb_accents { HB_ACCENTS_KEEP, HB_ACCENTS_ASCII, HB_ACCENTS_UNICODE, HB_N_ACCENTS } hb_accents;

/* \w and \s of `re`. Letters of one script stand together: `near` is where the last code beyond ASCII was found, 0 at
 * first. */
bool hb_python_is_word(uint32_t code, hb_unicode unicode, uint32_t *near);
bool hb_python_is_space(uint32_t code, hb_unicode unicode);

/* The code at the start of `left` (> 0) bytes of UTF-8, and how many bytes it has. */
uint32_t hb_python_code(const char *bytes, size_t left, size_t *size);

/* Appends what lower() makes of the text, which is UTF-8. False: no memory, or the host wants to stop. */
bool hb_python_lower(hbs_text text, hb_unicode unicode, hb_vector *to, hb_work *work);
/* The same without accents. */
bool hb_python_strip(hbs_text text, hb_accents accents, hb_unicode unicode, hb_vector *to, hb_work *work);

#endif
