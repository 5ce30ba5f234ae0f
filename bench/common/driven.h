/* driven.h - a program that scores rows of a file when a line of standard input asks for it, so that the caller can
 * take turns with other programs and libraries:
 *
 *     BATCH COUNT        scores COUNT rows, BATCH at a time, from where the last line ended and round again
 *     ns
 *     write FILE COUNT   the first COUNT rows' results, as doubles
 *     ok
 *     facts              what there is to say of the model, in words
 *     facts
 */
#ifndef BENCH_DRIVEN_H
#define BENCH_DRIVEN_H

#include <stddef.h>
#include <stdio.h>

typedef struct driven {
    void *context;
    size_t rows; /* of the file */
    size_t most; /* that may be asked at once */
    size_t step; /* batches of several rows begin at multiples of it */
    /* Scores `turns` batches of `batch` rows, of which the first begins at row `first`; gives the time that the
     * scoring took, without what the caller of a library would have anyway (rows in the library's form). */
    long long (*run)(void *context, size_t first, size_t batch, size_t turns);
    void (*write)(void *context, FILE *f, size_t first, size_t rows);
    void (*facts)(void *context); /* prints a line; may be NULL */
} driven;

int driven_serve(const driven *way);

/* How far the next batch begins behind this one. */
size_t driven_stride(const driven *way, size_t batch);

/* Nanoseconds of the process's CPU time: what else the machine does counts little, and threads that a library starts
 * count too. */
long long driven_now(void);

void driven_stop(const char *what, const char *why); /* says it and exits; `why` may be NULL */
void *driven_room(size_t bytes);
void *driven_file(const char *path, size_t *size);
void driven_double(FILE *f, double number);

#endif
