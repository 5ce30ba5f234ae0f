/* bench.c - trees on a GPU beside one core of the CPU: bench [--blocks ROWS] HBSCORE_CUDA MODEL..
 *
 * For each model the nanoseconds of a row: of the CPU; of the GPU from columns to scores, two blocks on their way, by
 * rows of a block; and of the device alone, with its transfers. The bits of both are compared. */
#define _POSIX_C_SOURCE 200809L

#include "hbs_backend.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FEATURES = 28, MOST_FEATURES = 256, ROWS = 1 << 18, CPU_ROWS = 1 << 14, TURNS = 20 };

static const size_t BLOCKS[] = {64, 1024, 4096, 16384, 65536};
static size_t only; /* rows of the blocks to measure; 0: all of BLOCKS */

typedef struct bench {
    const hbs_backend *backend;
    hbs_device *device;
    hbs_plan *plan;
    hbs_device_program *program;
    hbs_column columns[MOST_FEATURES];
    size_t features;
    double *wanted; /* [CPU_ROWS] */
} bench;

static bench b;
static float *cells; /* [MOST_FEATURES][ROWS] */

static void *allocate(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes ? bytes : 1);
}

static void *resize(void *context, void *block, size_t bytes)
{
    (void)context;
    return realloc(block, bytes ? bytes : 1);
}

static void release(void *context, void *block)
{
    (void)context;
    free(block);
}

static uint64_t now(void *context)
{
    struct timespec t;

    (void)context;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static const hbs_host HOST = {.allocate = allocate, .resize = resize, .release = release, .nanoseconds = now};

static void need(bool holds, const char *what, const hbs_error *error)
{
    if (holds)
        return;
    fprintf(stderr, "bench: %s: %s\n", what, error ? error->text : "");
    exit(1);
}

static void look_at(size_t first)
{
    for (size_t f = 0; f < b.features; f++)
        b.columns[f] = (hbs_column){HBS_FLOAT32, cells + f * ROWS + first, NULL};
}

static hbs_run *make_run(size_t rows)
{
    hbs_error error;
    hbs_run *run;

    need(hbs_run_create(b.plan, &HOST, NULL, rows, &run, &error) == HBS_OK, "a run", &error);
    return run;
}

/* ------------------------------------------------------------------ the CPU */

static double time_cpu(void)
{
    hbs_plan_info info;
    hbs_result result;
    hbs_error error;
    uint64_t start;
    hbs_run *run;

    hbs_plan_get_info(b.plan, &info);
    run = make_run(info.block_rows);
    start = now(NULL);
    for (size_t first = 0; first < CPU_ROWS; first += info.block_rows) {
        look_at(first);
        need(hbs_score(run, b.columns, b.features, info.block_rows, HBS_OUT_RAW, &result, &error) == HBS_OK, "the CPU",
             &error);
        memcpy(b.wanted + first, result.raw, info.block_rows * sizeof(double));
    }
    start = now(NULL) - start;
    hbs_run_free(run);
    return (double)start / CPU_ROWS;
}

/* ------------------------------------------------------------------ the GPU */

static size_t differing;

static void take(hbs_run *run, size_t first, size_t rows)
{
    hbs_result result;
    hbs_error error;

    need(hbs_score_collect(run, &result, &error) == HBS_OK, "a block", &error);
    for (size_t r = 0; r < rows && first + r < CPU_ROWS; r++)
        differing += memcmp(&result.raw[r], &b.wanted[first + r], sizeof(double)) != 0;
}

static double time_run(size_t rows)
{
    hbs_run *run = make_run(rows);
    size_t all = rows < 4096 ? ROWS / 16 : ROWS;
    hbs_device_use use;
    hbs_error error;
    uint64_t start;

    need(hbs_run_use_device(run, b.backend, b.device, b.program, &error) == HBS_OK, "a queue", &error);
    start = now(NULL);
    for (size_t first = 0; first < all; first += rows) {
        look_at(first);
        need(hbs_score_submit(run, b.columns, b.features, rows, HBS_OUT_RAW, &error) == HBS_OK, "submit", &error);
        if (first > 0)
            take(run, first - rows, rows);
    }
    take(run, all - rows, rows);
    start = now(NULL) - start;
    hbs_run_device_use(run, &use);
    need(use.redone == 0, "the device has failed", &use.error);
    hbs_run_free(run);
    return (double)start / (double)all;
}

/* Blocks that are filled once: transfers and kernels alone. */
static double time_device(size_t rows)
{
    hbs_device_queue *queue;
    hbs_device_block block;
    hbs_error error;
    uint64_t start;

    need(b.backend->queue_create(b.device, b.program, &HOST, rows, &queue, &error) == HBS_OK, "a queue", &error);
    for (size_t i = 0; i < HBS_DEVICE_BLOCKS; i++) {
        b.backend->next(queue, &block);
        for (size_t c = 0; c < block.n_features; c++)
            memcpy((float *)block.columns + c * block.stride, cells + block.features[c] * ROWS, rows * sizeof(float));
        need(b.backend->submit(queue, rows, &error) == HBS_OK, "submit", &error);
    }
    start = now(NULL);
    for (size_t i = 0; i < TURNS; i++) {
        need(b.backend->collect(queue, &block, &error) == HBS_OK, "collect", &error);
        need(b.backend->submit(queue, rows, &error) == HBS_OK, "submit", &error);
    }
    start = now(NULL) - start;
    b.backend->queue_free(queue);
    return (double)start / TURNS / (double)rows;
}

/* ------------------------------------------------------------------ a model */

static hbs_plan *compile(const char *path)
{
    FILE *file = fopen(path, "rb");
    hbs_source source = {.name = path};
    hbs_model *model;
    hbs_error error;
    hbs_plan *plan;
    char *bytes;

    need(file != NULL, path, NULL);
    fseek(file, 0, SEEK_END);
    source.size = (size_t)ftell(file);
    rewind(file);
    source.bytes = bytes = malloc(source.size + 1);
    need(bytes && fread(bytes, 1, source.size, file) == source.size, path, NULL);
    fclose(file);
    need(hbs_model_load(&HOST, NULL, &source, &model, &error) == HBS_OK, path, &error);
    free(bytes);
    need(hbs_plan_compile(model, &(hbs_compile_options){.passes_off = HBS_KEEP_NODES}, &plan, &error) == HBS_OK, path,
         &error);
    hbs_model_free(model);
    return plan;
}

static void measure(const char *path)
{
    const char *slash = strrchr(path, '/');
    hbs_forest_view view;
    hbs_plan_info info;
    hbs_error error;
    uint64_t start;

    b.plan = compile(path);
    hbs_plan_get_info(b.plan, &info);
    b.features = info.features;
    need(b.features <= MOST_FEATURES && info.raw_width == 1, "a model of one number and few features", NULL);
    printf("%s: %.0f ns/row on one core", slash ? slash + 1 : path, time_cpu());
    need(hbs_plan_forest(b.plan, &view, &error) == HBS_OK, "the forest", &error);
    start = now(NULL);
    need(b.backend->upload(b.device, &HOST, &view, &b.program, &error) == HBS_OK, "upload", &error);
    printf(", upload %.0f ms\n", (double)(now(NULL) - start) / 1e6);
    differing = 0;
    for (size_t i = 0; i < sizeof(BLOCKS) / sizeof(BLOCKS[0]); i++) {
        if (only && BLOCKS[i] != only)
            continue;
        printf("  blocks of %zu: %.1f ns/row from columns to scores, %.1f of transfers and kernels\n", BLOCKS[i],
               time_run(BLOCKS[i]), view.wide ? 0 : time_device(BLOCKS[i]));
    }
    printf("  %zu scores differ from the CPU's\n", differing);
    b.backend->forget(b.device, b.program);
    hbs_plan_free(b.plan);
}

int main(int argc, char **argv)
{
    void *library, *address = NULL;
    hbs_backend_getter get;
    hbs_device_info info;
    hbs_error error;

    if (argc > 3 && strcmp(argv[1], "--blocks") == 0) {
        only = strtoul(argv[2], NULL, 10);
        argc -= 2;
        argv += 2;
    }
    library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library)
        address = dlsym(library, HBS_BACKEND_SYMBOL);
    need(address != NULL, "usage: bench [--blocks ROWS] HBSCORE_CUDA MODEL..", NULL);
    memcpy(&get, &address, sizeof(get));
    b.backend = get(HBS_BACKEND_API);
    need(b.backend && b.backend->open(NULL, &b.device, &error) == HBS_OK, "no device", &error);
    b.backend->get_info(b.device, &info);
    printf("%s\n", info.name);
    cells = malloc(MOST_FEATURES * ROWS * sizeof(*cells));
    b.wanted = malloc(CPU_ROWS * sizeof(*b.wanted));
    need(cells && b.wanted, "memory", NULL);
    srand(1);
    for (size_t i = 0; i < FEATURES * ROWS; i++)
        cells[i] = (float)(rand() % 4000 + rand() % 4000) / 1000 - 4;
    for (size_t i = FEATURES * ROWS; i < MOST_FEATURES * ROWS; i++)
        cells[i] = cells[i % (FEATURES * ROWS)];
    for (int i = 2; i < argc; i++)
        measure(argv[i]);
    b.backend->close(b.device);
    return differing != 0;
}
