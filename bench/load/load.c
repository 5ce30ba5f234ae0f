/* load.c - times what hbscore does at the first use of a model: reads the file, takes its digest, parses and validates
 * it, compiles the plan where the bytes were, as PostgreSQL's wrapper does.
 * One round for each line of standard input, so that the caller can take turns with another library:
 *
 *     load FILE
 *     read_ns digest_ns load_ns compile_ns file_bytes load_peak_bytes peak_bytes plan_bytes
 *
 * load_peak_bytes is hbs_model_memory's, peak_bytes the most that the host's allocator gave out at once over
 * reading, loading and compiling; both without the file's own bytes. */
#define _POSIX_C_SOURCE 199309L

#include "hbscore.h"
#include "host/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------ an allocator that counts */

typedef struct counter {
    size_t held, peak;
} counter;

/* Stands before each block; keeps the alignment of malloc. */
typedef union header {
    size_t bytes;
    max_align_t align;
} header;

static void count(counter *c, size_t added, size_t removed)
{
    c->held = c->held + added - removed;
    if (c->held > c->peak)
        c->peak = c->held;
}

static void *resize(void *context, void *block, size_t bytes)
{
    header *old = block ? (header *)block - 1 : NULL;
    size_t before = old ? old->bytes : 0;
    header *h = realloc(old, sizeof(header) + bytes);

    if (!h)
        return NULL;
    count(context, bytes, before);
    h->bytes = bytes;
    host_use_large_pages(h, bytes);
    return h + 1;
}

static void *allocate(void *context, size_t bytes)
{
    return resize(context, NULL, bytes);
}

static void release(void *context, void *block)
{
    if (!block)
        return;
    count(context, 0, ((header *)block - 1)->bytes);
    free((header *)block - 1);
}

/* ------------------------------------------------------------------ one round */

static long long now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The file's bytes in a block of the host; NULL: it cannot be read. */
static void *read_file(const hbs_host *host, const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    void *bytes = NULL;
    long length;

    if (f && fseek(f, 0, SEEK_END) == 0 && (length = ftell(f)) > 0) {
        *size = (size_t)length;
        bytes = host->allocate(host->context, *size);
        rewind(f);
        if (bytes && fread(bytes, 1, *size, f) != *size) {
            host->release(host->context, bytes);
            bytes = NULL;
        }
    }
    if (f)
        fclose(f);
    return bytes;
}

static int round_of(const char *path)
{
    counter memory = {0, 0};
    const hbs_host host = {.context = &memory, .allocate = allocate, .resize = resize, .release = release};
    const hbs_limits limits = {.max_model_bytes = HBS_HARD_MAX_MODEL_BYTES};
    long long at[5];
    hbs_source source = {.name = path};
    hbs_model *model = NULL;
    hbs_plan *plan = NULL;
    hbs_plan_info info = {0};
    hbs_error error = {0};
    uint8_t digest[32];
    hbs_room room = {.block = NULL};
    size_t peak = 0, held;

    at[0] = now();
    room.block = room.begin = read_file(&host, path, &room.bytes);
    at[1] = now();
    if (!room.block) {
        fprintf(stderr, "load: cannot read %s\n", path);
        return 1;
    }
    source.bytes = room.begin;
    source.size = room.bytes;
    if (hbs_sha256(&host, source.bytes, source.size, digest, &error) == HBS_OK) {
        at[2] = now();
        source.sha256 = digest; /* as a wrapper does, which has checked the stored digest with it */
        if (hbs_model_load(&host, &limits, &source, &model, &error) == HBS_OK) {
            at[3] = now();
            if (hbs_plan_compile_in(model, NULL, &room, &plan, &error) == HBS_OK) {
                at[4] = now();
                hbs_model_memory(model, &peak, &held);
                hbs_plan_get_info(plan, &info);
                printf("%lld %lld %lld %lld %zu %zu %zu %zu\n", at[1] - at[0], at[2] - at[1], at[3] - at[2],
                       at[4] - at[3], source.size, peak, memory.peak - source.size, info.bytes);
            }
        }
    }
    hbs_plan_free(plan);
    hbs_model_free(model);
    release(&memory, room.block);
    if (error.status != HBS_OK)
        fprintf(stderr, "load: %s: %s\n", hbs_status_name(error.status), error.text);
    if (memory.held != 0)
        fprintf(stderr, "load: %zu bytes were not given back\n", memory.held);
    return error.status != HBS_OK || memory.held != 0;
}

int main(int argc, char **argv)
{
    char line[8];

    if (argc != 2) {
        fprintf(stderr, "usage: load FILE, with a line on standard input for each round\n");
        return 2;
    }
    while (fgets(line, sizeof(line), stdin)) {
        if (round_of(argv[1]) != 0)
            return 1;
        fflush(stdout);
    }
    return 0;
}
