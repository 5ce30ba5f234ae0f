/* driven.c - the loop over the lines of standard input, and what such programs share. */
#define _POSIX_C_SOURCE 199309L

#include "driven.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_TURNS = 512 }; /* of one call of run: a look at the clock takes almost a microsecond */

void driven_stop(const char *what, const char *why)
{
    fprintf(stderr, "bench: %s%s%s\n", what, why ? ": " : "", why ? why : "");
    exit(1);
}

void *driven_room(size_t bytes)
{
    void *block = malloc(bytes ? bytes : 1);

    if (!block)
        driven_stop("out of memory", NULL);
    return block;
}

void *driven_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    long length;
    void *bytes;

    if (!f || fseek(f, 0, SEEK_END) != 0 || (length = ftell(f)) < 0)
        driven_stop("cannot read", path);
    rewind(f);
    *size = (size_t)length;
    bytes = driven_room(*size);
    if (fread(bytes, 1, *size, f) != *size)
        driven_stop("cannot read", path);
    fclose(f);
    return bytes;
}

void driven_double(FILE *f, double number)
{
    fwrite(&number, sizeof(number), 1, f);
}

long long driven_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t driven_stride(const driven *way, size_t batch)
{
    return batch == 1 ? 1 : (batch + way->step - 1) / way->step * way->step;
}

static long long time_rows(const driven *way, size_t batch, size_t count, size_t *next)
{
    size_t stride = driven_stride(way, batch);
    long long ns = 0;

    for (size_t done = 0, turns; done < count; done += turns * batch) {
        if (*next + batch > way->rows)
            *next = 0;
        turns = smaller((way->rows - *next - batch) / stride + 1, (count - done + batch - 1) / batch);
        turns = smaller(turns, MOST_TURNS);
        ns += way->run(way->context, *next, batch, turns);
        *next += turns * stride;
    }
    return ns;
}

static void write_rows(const driven *way, const char *path, size_t count)
{
    FILE *f = fopen(path, "wb");

    if (!f)
        driven_stop("cannot write", path);
    for (size_t first = 0; first < count; first += way->most)
        way->write(way->context, f, first, smaller(count - first, way->most));
    fclose(f);
    printf("ok\n");
}

int driven_serve(const driven *way)
{
    char line[1024], path[1000];
    size_t batch, count, next = 0;

    while (fgets(line, sizeof(line), stdin)) {
        if (strcmp(line, "facts\n") == 0 && way->facts)
            way->facts(way->context);
        else if (sscanf(line, "write %999s %zu", path, &count) == 2 && count <= way->rows)
            write_rows(way, path, count);
        else if (sscanf(line, "%zu %zu", &batch, &count) == 2 && batch > 0 && batch <= smaller(way->rows, way->most))
            printf("%lld\n", time_rows(way, batch, count, &next));
        else
            driven_stop("not a line for this program", line);
        fflush(stdout);
    }
    return 0;
}
