/* malloc_host.h - the C library's memory as a host of the core. Included once by a program. */
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

static const hbs_host host = {.allocate = allocate, .resize = resize, .release = release};

#endif
