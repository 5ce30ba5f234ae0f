/* fuzz_host.h - what fuzz targets give the core: a host that counts its blocks; how they end a run; and what must hold
 * of every error. Included once, by the fuzz_TARGET.c that gives it its name. */
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

static inline void check_error(hbs_status status, const hbs_error *error)
{
    size_t n = strlen(error->text);

    if (status == HBS_OK)
        return;
    if (status != HBS_E_ARGS && status != HBS_E_TYPE && status != HBS_E_LIMIT && status != HBS_E_NOENT)
        give_up(hbs_status_name(status), error);
    if (error->status != status || n == 0 || n >= HBS_ERROR_TEXT)
        give_up("a message that is no text", error);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)error->text[i] < 0x20 || error->text[i] == 0x7f)
            give_up("a control character in a message", error);
}
