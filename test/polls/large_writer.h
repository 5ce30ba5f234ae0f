/* large_writer.h - writes the bytes of large models into memory. */
#ifndef LARGE_WRITER_H
#define LARGE_WRITER_H

#include <stdio.h>

#include "hostile/model_builder.h"

typedef struct text {
    FILE *file;
    char *bytes;
    size_t size;
} text;

FILE *text_begin(text *t);
mb_bytes text_end(text *t); /* the caller frees the bytes, behind which there is a 0 */

/* `piece` n times, with commas between. */
void put_list(FILE *f, const char *piece, size_t n);

/* `format` of 0, 1, .. with `between` between. */
void put_counted(FILE *f, const char *format, const char *between, size_t n);

/* {"dtype":..,"shape":[..],"data":..} of `size` bytes; NULL: zeros. */
void put_array(FILE *f, const char *name, const char *dtype, const char *shape, const void *bytes, size_t size);
void put_numbers(FILE *f, const char *name, const char *dtype, size_t item_size, size_t n, const void *items);

/* How a document of hbscore's own format begins. */
#define OWN_HEAD(task) "{\"hbscore\":1,\"writer\":{},\"task\":\"" task "\",\"features\":["

#endif
