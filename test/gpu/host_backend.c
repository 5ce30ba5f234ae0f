/* host_backend.c - see host_backend.h. */
#include "gpu/host_backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/host_kernels.h"
#include "gpu/image.h"

struct hbs_device_program {
    host_device *device;
    hbs_host host;
    hbg_image image;
};

struct hbs_device_queue {
    hbs_device_program *program;
    hbs_host host;
    hbs_device_block blocks[HBS_DEVICE_BLOCKS];
    size_t rows[HBS_DEVICE_BLOCKS];
    size_t oldest, n, max_rows;
};

static host_device *device_of(hbs_device *device)
{
    return (host_device *)(void *)device;
}

static void get_info(hbs_device *device, hbs_device_info *info)
{
    (void)device;
    *info = (hbs_device_info){.name = "host"};
}

static hbs_status upload(hbs_device *opaque, const hbs_host *host, const hbs_forest_view *view,
                         hbs_device_program **program, hbs_error *error)
{
    host_device *device = device_of(opaque);
    const hbg_bounds bounds = {.shared = device->shared ? device->shared : 100 << 10, .no_small = device->large};
    hbs_device_program *made = host->allocate(host->context, sizeof(*made));
    hbs_status status;

    if (!made)
        return hbg_fail(error, HBS_E_NOMEM, "out of memory");
    *made = (hbs_device_program){.device = device, .host = *host};
    status = hbg_pack(host, view, &bounds, &made->image, error);
    if (status != HBS_OK) {
        host->release(host->context, made);
        return status;
    }
    device->programs++;
    device->forms[made->image.form]++;
    *program = made;
    return HBS_OK;
}

static void forget(hbs_device *opaque, hbs_device_program *program)
{
    hbs_host host = program->host;

    device_of(opaque)->programs--;
    hbg_image_free(&host, &program->image);
    host.release(host.context, program);
}

static size_t number_of(const hbs_device_program *program)
{
    return program->image.wide ? sizeof(double) : sizeof(float);
}

static void queue_free(hbs_device_queue *queue)
{
    hbs_host host;

    if (!queue)
        return;
    host = queue->host;
    queue->program->device->queues--;
    for (size_t i = 0; i < HBS_DEVICE_BLOCKS; i++) {
        free(queue->blocks[i].columns);
        free(queue->blocks[i].sums);
    }
    host.release(host.context, queue);
}

/* Blocks are just as large as their rows, so that a sanitizer sees what is behind them. */
static hbs_status queue_create(hbs_device *opaque, hbs_device_program *program, const hbs_host *host, size_t max_rows,
                               hbs_device_queue **queue, hbs_error *error)
{
    hbs_device_queue *made = host->allocate(host->context, sizeof(*made));

    (void)opaque;
    if (!made)
        return hbg_fail(error, HBS_E_NOMEM, "out of memory");
    *made = (hbs_device_queue){.program = program, .host = *host, .max_rows = max_rows};
    program->device->queues++;
    for (size_t i = 0; i < HBS_DEVICE_BLOCKS; i++)
        made->blocks[i] =
            (hbs_device_block){.columns = malloc(program->image.n_features * max_rows * number_of(program) + 1),
                               .sums = malloc(program->image.forest.n_outputs * max_rows * number_of(program)),
                               .stride = max_rows,
                               .features = program->image.features,
                               .n_features = program->image.n_features};
    *queue = made;
    return HBS_OK;
}

static void next(hbs_device_queue *queue, hbs_device_block *block)
{
    *block = queue->blocks[(queue->oldest + queue->n) % HBS_DEVICE_BLOCKS];
}

static hbs_status submit(hbs_device_queue *queue, size_t rows, hbs_error *error)
{
    host_device *device = queue->program->device;

    device->submits++;
    if (device->fail_submit && device->submits >= (size_t)device->fail_submit)
        return hbg_fail(error, HBS_E_INTERNAL, "the device failed");
    queue->rows[(queue->oldest + queue->n++) % HBS_DEVICE_BLOCKS] = rows;
    return HBS_OK;
}

/* ---- a block */

typedef struct scoring {
    const host_device *device;
    const hbs_device_program *program;
    hbg_forest forest;
    hbg_range range;
    void *slots, *leaves;
} scoring;

static void launch(scoring *s, const char *name, uint32_t x, uint32_t y, void *from, void *to)
{
    const hbg_image *image = &s->program->image;
    void *arguments[] = {&s->forest, &from, &s->range, &to};
    const host_launch what = {x, y, hbg_shared_bytes(&s->forest, image->form), s->device->backwards, arguments};

    if (!host_kernel_run(name, &what))
        fprintf(stderr, "host_backend: %s was not run\n", name);
}

static void score_slab(scoring *s, void *sums)
{
    static const char *const walks[2][3] = {{"hbg_small32", "hbg_large32", "hbg_sets32"},
                                            {"hbg_small64", "hbg_large64", "hbg_sets64"}};
    const hbg_image *image = &s->program->image;
    uint32_t trees = s->range.end - s->range.first, groups = s->device->groups ? (uint32_t)s->device->groups : 1;
    bool wide_leaves = image->wide && s->forest.leaf_width == 1;
    uint32_t rows = s->range.rows;

    s->range.group = (trees + groups - 1) / groups;
    launch(s, walks[wide_leaves][image->form], (rows + hbg_tile_rows(image->form) - 1) / hbg_tile_rows(image->form),
           (trees + s->range.group - 1) / s->range.group, s->slots, s->leaves);
    launch(s, image->wide ? "hbg_sum64" : "hbg_sum32", (rows + HBG_BLOCK - 1) / HBG_BLOCK, s->forest.n_outputs,
           s->leaves, sums);
}

static bool score_block(const hbs_device_program *program, const hbs_device_block *block, size_t rows)
{
    const host_device *device = program->device;
    uint32_t n = program->image.forest.n_trees, slab = device->slab ? (uint32_t)device->slab : n;
    scoring s = {.device = device, .program = program};

    s.forest = hbg_image_at(&program->image, (uint64_t)(uintptr_t)program->image.bytes);
    s.range = (hbg_range){.stride = (uint32_t)block->stride, .rows = (uint32_t)rows};
    s.slots = malloc((size_t)s.forest.n_columns * block->stride * 4 + 4);
    s.leaves = malloc((size_t)(slab < n ? slab : n) * block->stride * 8 + 8);
    if (!s.slots || !s.leaves)
        return false;
    launch(&s, program->image.wide ? "hbg_rank64" : "hbg_rank32", (uint32_t)(rows + HBG_BLOCK - 1) / HBG_BLOCK,
           s.forest.n_columns, block->columns, s.slots);
    for (uint32_t t = 0; t < n; t = s.range.end) {
        s.range.first = t;
        s.range.end = n - t < slab ? n : t + slab;
        score_slab(&s, block->sums);
    }
    free(s.slots);
    free(s.leaves);
    return true;
}

static hbs_status collect(hbs_device_queue *queue, hbs_device_block *block, hbs_error *error)
{
    host_device *device = queue->program->device;
    size_t rows = queue->rows[queue->oldest];

    *block = queue->blocks[queue->oldest];
    queue->oldest = (queue->oldest + 1) % HBS_DEVICE_BLOCKS;
    queue->n--;
    device->collects++;
    if (device->fail_collect && device->collects >= (size_t)device->fail_collect) {
        memset(block->sums, 0xee, number_of(queue->program) * block->stride);
        return hbg_fail(error, HBS_E_INTERNAL, "the device failed");
    }
    if (!score_block(queue->program, block, rows))
        return hbg_fail(error, HBS_E_NOMEM, "out of memory");
    device->rows += rows;
    return HBS_OK;
}

const hbs_backend host_backend = {.api = HBS_BACKEND_API,
                                  .size = sizeof(hbs_backend),
                                  .name = "host",
                                  .get_info = get_info,
                                  .upload = upload,
                                  .forget = forget,
                                  .queue_create = queue_create,
                                  .next = next,
                                  .submit = submit,
                                  .collect = collect,
                                  .queue_free = queue_free};
