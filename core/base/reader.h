/* reader.h - the only code that touches the bytes of a model.
 *
 * A reader is the window [p, end) plus the first error. After an error the window is empty and
 * hb_reader_take gives NULL; a parser that reads a whole record looks at `status` once, at its end.
 * Nothing here allocates. */
#ifndef HB_BASE_READER_H
#define HB_BASE_READER_H

#include "base/status.h"

typedef struct hb_reader {
    const uint8_t *begin; /* of the whole input: offsets count from here */
    const uint8_t *p;
    const uint8_t *end;
    hbs_status status;
    const char *what; /* why, in words that follow "at byte N: " */
    size_t fail_at;
} hb_reader;

void hb_reader_init(hb_reader *r, const void *bytes, size_t size);

/* Keeps the first reason: those that follow are its consequences. Empties the window. */
void hb_reader_fail(hb_reader *r, hbs_status status, const char *what);

size_t hb_reader_offset(const hb_reader *r);
size_t hb_reader_left(const hb_reader *r);
const uint8_t *hb_reader_take(hb_reader *r, size_t n); /* NULL (and failed) where n bytes are not left */

#endif
