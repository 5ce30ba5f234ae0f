/* malloc_host.h - the C library's memory as a host of the core, of benchmarks and tests. Included once by a program,
 * which may define MALLOC_HOST_MORE before: further members, as `.cancelled = mine`. */
#ifndef MALLOC_HOST_H
#define MALLOC_HOST_H

#include "hbscore.h"

#include <stdlib.h>

static void *allocate(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes);
}

static void *resize(void *context, void *block, size_t bytes)
{
    (void)context;
    return realloc(block, bytes);
}

static void release(void *context, void *block)
{
    (void)context;
    free(block);
}

#ifndef MALLOC_HOST_MORE
#define MALLOC_HOST_MORE .context = NULL
#endif

static const hbs_host host = {.allocate = allocate, .resize = resize, .release = release, MALLOC_HOST_MORE};

#endif
