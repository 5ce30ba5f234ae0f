/* large_writer.c - see large_writer.h. */
#include "large_writer.h"

#include <stdlib.h>
#include <string.h>

/* ---- texts */

FILE *text_begin(text *t)
{
    t->file = open_memstream(&t->bytes, &t->size);
    if (!t->file)
        exit(2);
    return t->file;
}

mb_bytes text_end(text *t)
{
    fclose(t->file);
    return (mb_bytes){t->bytes, t->size};
}

void put_list(FILE *f, const char *piece, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i)
            fputc(',', f);
        fputs(piece, f);
    }
}

void put_counted(FILE *f, const char *format, const char *between, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fputs(i ? between : "", f);
        fprintf(f, format, i);
    }
}

/* ---- arrays of hbscore's own format */

static void put_base64(FILE *f, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < n; i += 3) {
        uint32_t bits =
            (uint32_t)bytes[i] << 16 | (i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0) | (i + 2 < n ? bytes[i + 2] : 0);

        putc_unlocked(digits[bits >> 18], f);
        putc_unlocked(digits[bits >> 12 & 63], f);
        putc_unlocked(i + 1 < n ? digits[bits >> 6 & 63] : '=', f);
        putc_unlocked(i + 2 < n ? digits[bits & 63] : '=', f);
    }
}

void put_array(FILE *f, const char *name, const char *dtype, const char *shape, const void *bytes, size_t size)
{
    uint8_t *zeros = bytes ? NULL : calloc(size + 1, 1);

    fprintf(f, "\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data\":\"", name, dtype, shape);
    put_base64(f, bytes ? bytes : zeros, size);
    fputs("\"}", f);
    free(zeros);
}

void put_numbers(FILE *f, const char *name, const char *dtype, size_t item_size, size_t n, const void *items)
{
    char shape[24];

    snprintf(shape, sizeof shape, "%zu", n);
    put_array(f, name, dtype, shape, items, n * item_size);
}
