/* fuzz_host.h - what fuzz targets give the core: a host that counts its blocks; and how they end a run. Included
 * once, by the fuzz_TARGET.c that gives it its name. */
#include "hbscore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t blocks; /* of memory that the core holds */

static void *allocate(void *context, size_t bytes)
{
    void *block = malloc(bytes ? bytes : 1);

    (void)context;
    blocks += block != NULL;
    return block;
}

static void *resize(void *context, void *block, size_t bytes)
{
    void *other = realloc(block, bytes ? bytes : 1);

    (void)context;
    blocks += !block && other;
    return other;
}

static void release(void *context, void *block)
{
    (void)context;
    blocks -= block != NULL;
    free(block);
}

static const hbs_host HOST = {.allocate = allocate, .resize = resize, .release = release};

static void give_up(const char *what, const hbs_error *error)
{
    fprintf(stderr, "%s: %s: %s\n", FUZZ_NAME, what, error ? error->text : "");
    abort();
}
