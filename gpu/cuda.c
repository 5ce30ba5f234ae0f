/* cuda.c - the backend "cuda": one GPU of the process, by NVIDIA's driver.
 *
 * Never in this file: an exit, a wait without end, a call of the driver in a child of the process that opened
 * it. A device that has failed is dead for the process, since CUDA cannot recover there: no later call touches it, but
 * to free. Its host memory stays readable, so the CPU can score what was on its way. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpu/driver.h"
#include "gpu/image.h"

#ifndef HBG_CUDA_VERSION
#define HBG_CUDA_VERSION 13000 /* of the toolkit that compiled the kernels; its major is the driver's least */
#endif

#ifdef HBG_FATBIN
__asm__(".section .rodata\n.balign 16\nhbg_fatbin:\n.incbin \"" HBG_FATBIN "\"\n.previous\n");
extern const char hbg_fatbin[] __attribute__((visibility("hidden")));
#else
static const char hbg_fatbin[] = "a fake driver has the kernels in C";
#endif

enum { RANK, SMALL, LARGE, SETS, SUM, N_KERNELS };

static const char *const kernel_names[N_KERNELS][2] = {[RANK] = {"hbg_rank32", "hbg_rank64"},
                                                       [SMALL] = {"hbg_small32", "hbg_small64"},
                                                       [LARGE] = {"hbg_large32", "hbg_large64"},
                                                       [SETS] = {"hbg_sets32", "hbg_sets64"},
                                                       [SUM] = {"hbg_sum32", "hbg_sum64"}};

enum {
    DEFAULT_BYTES = 1 << 30,
    DEFAULT_PATIENCE = 30000,  /* milliseconds that a block may take */
    LEAF_BYTES = 32 << 20,     /* of a slab */
    VISITS_A_LAUNCH = 1 << 30, /* some milliseconds of a slow GPU */
    BLOCKS_A_PROCESSOR = 8,
    LEAST_MAJOR = 7,
    LEAST_MINOR = 5
};

struct hbs_device {
    hbg_driver cu;
    hbs_device_limits limits;
    pid_t opened_by;
    int ordinal, processors;
    size_t shared; /* bytes a block of threads may have */
    hbg_context *context;
    hbg_module *module;
    hbg_function *kernels[N_KERNELS][2];
    pthread_mutex_t mutex; /* of.. */
    hbs_device_info info;  /* ..this.. */
    bool hangs;            /* ..and this: a call that waits for it would have no end */
};

struct hbs_device_program {
    hbg_image image; /* without its bytes, which are at.. */
    hbg_address at;
    hbg_forest forest;
};

/* A block and what it has for itself on the device: one is copied while the other one is scored. */
typedef struct lane {
    hbs_device_block block;
    hbg_event *done;
    hbg_stream *stream;
    hbg_address columns, slots, leaves, sums;
} lane;

struct hbs_device_queue {
    hbs_device *device;
    hbs_device_program *program;
    hbs_host host;
    lane lanes[HBS_DEVICE_BLOCKS];
    size_t oldest, n;
    void *pinned;
    size_t column_bytes, slot_bytes, leaf_bytes, sum_bytes; /* of a lane */
    uint32_t stride, slab;
};

/* ---- what failed */

/* True if the process may use it: a child of the one that opened it may not. */
static bool is_ours(const hbs_device *device)
{
    return device->opened_by == getpid();
}

static bool is_dead(hbs_device *device)
{
    bool dead;

    pthread_mutex_lock(&device->mutex);
    dead = device->info.dead;
    pthread_mutex_unlock(&device->mutex);
    return dead;
}

static void bury(hbs_device *device, const char *why, bool hangs)
{
    pthread_mutex_lock(&device->mutex);
    if (!device->info.dead)
        snprintf(device->info.why, sizeof(device->info.why), "%s", why);
    device->info.dead = true;
    device->hangs |= hangs;
    pthread_mutex_unlock(&device->mutex);
}

static void get_info(hbs_device *device, hbs_device_info *info)
{
    pthread_mutex_lock(&device->mutex);
    *info = device->info;
    pthread_mutex_unlock(&device->mutex);
}

static hbs_status fail_dead(hbs_device *device, hbs_error *error)
{
    hbs_device_info info;

    if (!is_ours(device))
        return hbg_fail(error, HBS_E_INTERNAL, "the GPU was opened before the process was forked");
    get_info(device, &info);
    return hbg_fail(error, HBS_E_INTERNAL, "the GPU has failed: %s", info.why);
}

/* The status of a call of the driver. All but a lack of memory is the end of the device. */
static hbs_status check(hbs_device *device, int result, const char *name, hbs_error *error)
{
    char why[sizeof(device->info.why)];

    if (result == HBG_DONE)
        return HBS_OK;
    if (result == HBG_NO_MEMORY)
        return hbg_fail(error, HBS_E_NOMEM, "the GPU is out of memory");
    snprintf(why, sizeof(why), "CUDA error %d of %s", result, name);
    bury(device, why, false);
    return fail_dead(device, error);
}

#define TRY(call)                 \
    do {                          \
        hbs_status try_ = (call); \
        if (try_ != HBS_OK)       \
            return try_;          \
    } while (0)
#define CU(device, name, ...) TRY(check((device), (device)->cu.name(__VA_ARGS__), #name, error))

/* The context is pushed for a call, and popped behind it: a host with CUDA of its own keeps its state. */
static hbs_status enter(hbs_device *device, hbs_error *error)
{
    if (!is_ours(device) || is_dead(device))
        return fail_dead(device, error);
    CU(device, cuCtxPushCurrent_v2, device->context);
    return HBS_OK;
}

/* The same to free, which a dead device does not mind; false: the driver may not be called. */
static bool enter_to_free(hbs_device *device, bool *entered)
{
    bool hangs;

    if (!is_ours(device)) /* first: a thread that the child has not may have held the mutex */
        return false;
    pthread_mutex_lock(&device->mutex);
    hangs = device->hangs;
    pthread_mutex_unlock(&device->mutex);
    if (hangs || !device->context)
        return false;
    *entered = device->cu.cuCtxPushCurrent_v2(device->context) == HBG_DONE;
    return true;
}

static hbs_status leave(hbs_device *device, hbs_status status)
{
    hbg_context *context;

    device->cu.cuCtxPopCurrent_v2(&context);
    return status;
}

static void leave_freed(hbs_device *device, bool entered)
{
    if (entered)
        leave(device, HBS_OK);
}

/* ---- memory */

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

/* Programs outlive the call, and may be forgotten by another thread: their memory is the library's own. */
static hbs_host own_host(const hbs_host *host)
{
    return (hbs_host){.context = host ? host->context : NULL,
                      .allocate = allocate,
                      .resize = resize,
                      .release = release,
                      .cancelled = host ? host->cancelled : NULL};
}

/* Counts bytes of the device; false: they are over the limit. */
static bool count_bytes(hbs_device *device, size_t bytes)
{
    bool fits;

    pthread_mutex_lock(&device->mutex);
    fits = bytes <= device->limits.bytes - device->info.used;
    device->info.used += fits ? bytes : 0;
    pthread_mutex_unlock(&device->mutex);
    return fits;
}

static void discount_bytes(hbs_device *device, size_t bytes)
{
    pthread_mutex_lock(&device->mutex);
    device->info.used -= bytes;
    pthread_mutex_unlock(&device->mutex);
}

static hbs_status take(hbs_device *device, size_t bytes, hbg_address *at, hbs_error *error)
{
    hbs_status status;

    if (!count_bytes(device, bytes))
        return hbg_fail(error, HBS_E_NOMEM, "%zu bytes more are over the limit of %zu for the GPU", bytes,
                        device->limits.bytes);
    status = check(device, device->cu.cuMemAlloc_v2(at, bytes ? bytes : 1), "cuMemAlloc", error);
    if (status != HBS_OK) {
        *at = 0;
        discount_bytes(device, bytes);
    }
    return status;
}

static void give_back(hbs_device *device, hbg_address at, size_t bytes)
{
    if (!at)
        return;
    device->cu.cuMemFree_v2(at);
    discount_bytes(device, bytes);
}

/* ---- opening */

static hbs_status choose_gpu(hbs_device *device, hbs_error *error)
{
    int count = 0, major = 0, minor = 0, shared = 0;

    if (device->cu.cuDeviceGetCount(&count) != HBG_DONE || count < 1)
        return hbg_fail(error, HBS_E_UNSUPPORTED, "there is no GPU");
    CU(device, cuDeviceGet, &device->ordinal, 0);
    CU(device, cuDeviceGetAttribute, &major, HBG_MAJOR, device->ordinal);
    CU(device, cuDeviceGetAttribute, &minor, HBG_MINOR, device->ordinal);
    if (major < LEAST_MAJOR || (major == LEAST_MAJOR && minor < LEAST_MINOR))
        return hbg_fail(error, HBS_E_UNSUPPORTED, "the GPU has compute capability %d.%d, below %d.%d", major, minor,
                        LEAST_MAJOR, LEAST_MINOR);
    CU(device, cuDeviceGetAttribute, &device->processors, HBG_PROCESSORS, device->ordinal);
    CU(device, cuDeviceGetAttribute, &shared, HBG_SHARED_BYTES, device->ordinal);
    CU(device, cuDeviceGetName, device->info.name, (int)sizeof(device->info.name) - 1, device->ordinal);
    CU(device, cuDeviceTotalMem_v2, &device->info.memory, device->ordinal);
    device->shared = shared > 0 ? (size_t)shared : 0;
    return HBS_OK;
}

static hbs_status find_kernels(hbs_device *device, hbs_error *error)
{
    CU(device, cuModuleLoadData, &device->module, hbg_fatbin);
    for (size_t k = 0; k < N_KERNELS; k++)
        for (size_t wide = 0; wide < 2; wide++) {
            CU(device, cuModuleGetFunction, &device->kernels[k][wide], device->module, kernel_names[k][wide]);
            if (k != RANK && k != SUM)
                CU(device, cuFuncSetAttribute, device->kernels[k][wide], HBG_FUNCTION_SHARED_BYTES,
                   (int)device->shared);
        }
    return HBS_OK;
}

static hbs_status open_gpu(hbs_device *device, hbs_error *error)
{
    const char *wrong = hbg_driver_open(&device->cu);
    int version = 0, result;

    if (wrong)
        return hbg_fail(error, HBS_E_UNSUPPORTED, "%s", wrong);
    result = device->cu.cuInit(0);
    if (result != HBG_DONE)
        return hbg_fail(error, HBS_E_UNSUPPORTED, "the driver does not start: CUDA error %d of cuInit", result);
    if (device->cu.cuDriverGetVersion(&version) != HBG_DONE || version / 1000 < HBG_CUDA_VERSION / 1000)
        return hbg_fail(error, HBS_E_UNSUPPORTED, "the driver is for CUDA %d.%d, and %d.0 is needed", version / 1000,
                        version % 1000 / 10, HBG_CUDA_VERSION / 1000);
    TRY(choose_gpu(device, error));
    CU(device, cuDevicePrimaryCtxRetain, &device->context, device->ordinal);
    TRY(enter(device, error));
    return leave(device, find_kernels(device, error));
}

static void close_device(hbs_device *device)
{
    bool entered;

    if (enter_to_free(device, &entered)) {
        if (device->module)
            device->cu.cuModuleUnload(device->module);
        leave_freed(device, entered);
        device->cu.cuDevicePrimaryCtxRelease_v2(device->ordinal);
    }
    pthread_mutex_destroy(&device->mutex);
    free(device);
}

/* The driver starts threads of its own, which must not take the process's signals. */
static hbs_status open_device(const hbs_device_limits *limits, hbs_device **device, hbs_error *error)
{
    hbs_device *made = calloc(1, sizeof(*made));
    sigset_t all, before;
    hbs_status status;

    *device = NULL;
    if (!made)
        return hbg_fail(error, HBS_E_NOMEM, "out of memory");
    made->limits = limits ? *limits : (hbs_device_limits){.bytes = 0};
    made->limits.bytes = made->limits.bytes ? made->limits.bytes : DEFAULT_BYTES;
    made->limits.patience = made->limits.patience ? made->limits.patience : DEFAULT_PATIENCE;
    made->opened_by = getpid();
    pthread_mutex_init(&made->mutex, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    status = open_gpu(made, error);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status != HBS_OK) {
        close_device(made);
        return status;
    }
    *device = made;
    return HBS_OK;
}

/* ---- programs */

static hbs_status copy_image(hbs_device *device, hbs_device_program *program, hbs_error *error)
{
    TRY(take(device, program->image.size, &program->at, error));
    CU(device, cuMemcpyHtoD_v2, program->at, program->image.bytes, program->image.size);
    program->forest = hbg_image_at(&program->image, program->at);
    return HBS_OK;
}

static void free_program(hbs_device *device, hbs_device_program *program)
{
    const hbs_host host = own_host(NULL);

    give_back(device, program->at, program->image.size);
    hbg_image_free(&host, &program->image);
    free(program);
}

static void forget(hbs_device *device, hbs_device_program *program)
{
    bool entered = false;

    if (!enter_to_free(device, &entered))
        program->at = 0; /* lost with the device */
    free_program(device, program);
    leave_freed(device, entered);
}

static hbs_status upload(hbs_device *device, const hbs_host *host, const hbs_forest_view *view,
                         hbs_device_program **program, hbs_error *error)
{
    const hbg_bounds bounds = {.shared = device->shared};
    const hbs_host own = own_host(host);
    hbs_device_program *made;
    hbs_status status;

    *program = NULL;
    TRY(enter(device, error));
    made = calloc(1, sizeof(*made));
    status = made ? hbg_pack(&own, view, &bounds, &made->image, error) : hbg_fail(error, HBS_E_NOMEM, "out of memory");
    if (status == HBS_OK)
        status = copy_image(device, made, error);
    if (status == HBS_OK) {
        free(made->image.bytes);
        made->image.bytes = NULL;
        *program = made;
    } else if (made) {
        free_program(device, made);
    }
    return leave(device, status);
}

/* ---- queues */

static size_t number_size(const hbs_device_program *program)
{
    return program->image.wide ? sizeof(double) : sizeof(float);
}

/* Leaves that are vectors are their rows. */
static bool has_wide_leaves(const hbs_device_program *program)
{
    return program->image.wide && program->forest.leaf_width == 1;
}

static void size_queue(hbs_device_queue *queue, size_t max_rows)
{
    const hbs_device_program *program = queue->program;
    const hbg_forest *f = &program->forest;
    size_t leaf = has_wide_leaves(program) ? 8 : 4, slab;

    queue->stride = (uint32_t)((max_rows + HBG_BLOCK - 1) / HBG_BLOCK * HBG_BLOCK);
    slab = LEAF_BYTES / (leaf * queue->stride);
    queue->slab = slab < 1 ? 1 : slab < f->n_trees ? (uint32_t)slab : f->n_trees;
    queue->column_bytes = (size_t)program->image.n_features * queue->stride * number_size(program);
    queue->sum_bytes = (size_t)f->n_outputs * queue->stride * number_size(program);
    queue->slot_bytes = (size_t)f->n_columns * queue->stride * sizeof(uint32_t);
    queue->leaf_bytes = queue->slab * leaf * queue->stride;
}

static hbs_status fill_lane(hbs_device_queue *queue, lane *lane, hbs_error *error)
{
    hbs_device *device = queue->device;

    TRY(take(device, queue->column_bytes, &lane->columns, error));
    TRY(take(device, queue->sum_bytes, &lane->sums, error));
    TRY(take(device, queue->slot_bytes, &lane->slots, error));
    TRY(take(device, queue->leaf_bytes, &lane->leaves, error));
    CU(device, cuStreamCreate, &lane->stream, HBG_NON_BLOCKING);
    CU(device, cuEventCreate, &lane->done, HBG_NO_TIMING);
    return HBS_OK;
}

static hbs_device_block block_at(const hbs_device_queue *queue, char *pinned)
{
    return (hbs_device_block){.columns = pinned,
                              .sums = pinned + queue->column_bytes,
                              .stride = queue->stride,
                              .features = queue->program->image.features,
                              .n_features = queue->program->image.n_features};
}

/* The device's memory first: its limit is that of the host's pinned memory too, which is never more. */
static hbs_status fill_queue(hbs_device_queue *queue, hbs_error *error)
{
    hbs_device *device = queue->device;
    size_t block = queue->column_bytes + queue->sum_bytes;

    for (size_t i = 0; i < HBS_DEVICE_BLOCKS; i++)
        TRY(fill_lane(queue, &queue->lanes[i], error));
    CU(device, cuMemHostAlloc, &queue->pinned, HBS_DEVICE_BLOCKS * block, 0);
    for (size_t i = 0; i < HBS_DEVICE_BLOCKS; i++)
        queue->lanes[i].block = block_at(queue, (char *)queue->pinned + i * block);
    return HBS_OK;
}

/* Inside the context, with nothing in flight. */
static void empty_queue(hbs_device_queue *queue)
{
    hbs_device *device = queue->device;

    for (size_t i = 0; i < HBS_DEVICE_BLOCKS; i++) {
        lane *lane = &queue->lanes[i];

        give_back(device, lane->columns, queue->column_bytes);
        give_back(device, lane->sums, queue->sum_bytes);
        give_back(device, lane->slots, queue->slot_bytes);
        give_back(device, lane->leaves, queue->leaf_bytes);
        if (lane->done)
            device->cu.cuEventDestroy_v2(lane->done);
        if (lane->stream)
            device->cu.cuStreamDestroy_v2(lane->stream);
    }
    if (queue->pinned)
        device->cu.cuMemFreeHost(queue->pinned);
}

static hbs_status queue_create(hbs_device *device, hbs_device_program *program, const hbs_host *host, size_t max_rows,
                               hbs_device_queue **queue, hbs_error *error)
{
    hbs_device_queue *made;
    hbs_status status;

    *queue = NULL;
    TRY(enter(device, error));
    made = calloc(1, sizeof(*made));
    if (!made)
        return leave(device, hbg_fail(error, HBS_E_NOMEM, "out of memory"));
    made->device = device;
    made->program = program;
    made->host = *host;
    size_queue(made, max_rows);
    status = fill_queue(made, error);
    if (status == HBS_OK) {
        *queue = made;
    } else {
        empty_queue(made);
        free(made);
    }
    return leave(device, status);
}

static void next(hbs_device_queue *queue, hbs_device_block *block)
{
    *block = queue->lanes[(queue->oldest + queue->n) % HBS_DEVICE_BLOCKS].block;
}

/* ---- a block */

typedef struct block_launch {
    hbs_device_queue *queue;
    const lane *lane;
    hbg_range range;
    hbg_address from, to;
} block_launch;

static hbs_status launch(block_launch *l, int kernel, bool wide, uint32_t x, uint32_t y, size_t shared,
                         hbs_error *error)
{
    hbs_device *device = l->queue->device;
    void *arguments[] = {&l->queue->program->forest, &l->from, &l->range, &l->to};

    CU(device, cuLaunchKernel, device->kernels[kernel][wide], x, y, 1, HBG_BLOCK, 1, 1, (unsigned)shared,
       l->lane->stream, arguments, NULL);
    return HBS_OK;
}

static uint32_t ceiling(uint32_t n, uint32_t of)
{
    return (n + of - 1) / of;
}

/* Trees of a launch, which should take some milliseconds at most. */
static uint32_t slab_end(const hbs_device_queue *queue, uint32_t first, uint32_t rows)
{
    const hbs_device_program *program = queue->program;
    uint64_t visits = 0;
    uint32_t t = first;

    while (t < program->forest.n_trees && t - first < queue->slab && visits < VISITS_A_LAUNCH) {
        visits += ((uint64_t)program->image.depths[t] + 1) * rows;
        t++;
    }
    return t;
}

/* So many trees side by side that the GPU has work everywhere, but each warp a tree. */
static uint32_t group_of(const hbs_device_queue *queue, uint32_t trees, uint32_t tiles)
{
    uint32_t wanted = ceiling((uint32_t)queue->device->processors * BLOCKS_A_PROCESSOR, tiles);
    uint32_t group = ceiling(trees, wanted ? wanted : 1);

    return group < HBG_WARPS ? HBG_WARPS : group;
}

static hbs_status launch_slab(block_launch *l, hbs_error *error)
{
    hbs_device_queue *queue = l->queue;
    const hbg_image *image = &queue->program->image;
    uint32_t trees = l->range.end - l->range.first, tiles = ceiling(l->range.rows, hbg_tile_rows(image->form));
    static const int kernel_of[] = {[HBG_SMALL] = SMALL, [HBG_LARGE] = LARGE, [HBG_SETS] = SETS};

    l->range.group = group_of(queue, trees, tiles);
    l->from = l->lane->slots;
    l->to = l->lane->leaves;
    TRY(launch(l, kernel_of[image->form], has_wide_leaves(queue->program), tiles, ceiling(trees, l->range.group),
               hbg_shared_bytes(&queue->program->forest, image->form), error));
    l->from = l->lane->leaves;
    l->to = l->lane->sums;
    return launch(l, SUM, image->wide, ceiling(l->range.rows, HBG_BLOCK), queue->program->forest.n_outputs, 0, error);
}

/* Few rows go column by column, else all at once. */
static hbs_status copy_columns(const block_launch *l, const char *from, size_t n, hbg_address to, hbs_error *error)
{
    hbs_device *device = l->queue->device;
    size_t size = number_size(l->queue->program), column = l->range.stride * size;

    if (l->range.rows > l->range.stride / 2 && n > 0) {
        CU(device, cuMemcpyHtoDAsync_v2, to, from, n * column, l->lane->stream);
        return HBS_OK;
    }
    for (size_t c = 0; c < n; c++)
        CU(device, cuMemcpyHtoDAsync_v2, to + c * column, from + c * column, l->range.rows * size, l->lane->stream);
    return HBS_OK;
}

static hbs_status fetch_sums(const block_launch *l, char *to, hbs_error *error)
{
    hbs_device *device = l->queue->device;
    size_t size = number_size(l->queue->program), column = l->range.stride * size;

    for (size_t o = 0; o < l->queue->program->forest.n_outputs; o++)
        CU(device, cuMemcpyDtoHAsync_v2, to + o * column, l->lane->sums + o * column, l->range.rows * size,
           l->lane->stream);
    return HBS_OK;
}

static hbs_status send(hbs_device_queue *queue, const lane *lane, uint32_t rows, hbs_error *error)
{
    const hbs_device_block *block = &lane->block;
    const hbg_forest *f = &queue->program->forest;
    block_launch l = {.queue = queue, .lane = lane, .range = {.stride = queue->stride, .rows = rows}};

    TRY(copy_columns(&l, block->columns, block->n_features, lane->columns, error));
    TRY(copy_columns(&l, block->sums, f->n_outputs, lane->sums, error));
    l.from = lane->columns;
    l.to = lane->slots;
    if (f->n_columns > 0)
        TRY(launch(&l, RANK, queue->program->image.wide, ceiling(rows, HBG_BLOCK), f->n_columns, 0, error));
    for (uint32_t t = 0; t < f->n_trees; t = l.range.end) {
        l.range.first = t;
        l.range.end = slab_end(queue, t, rows);
        TRY(launch_slab(&l, error));
    }
    TRY(fetch_sums(&l, block->sums, error));
    CU(queue->device, cuEventRecord, lane->done, lane->stream);
    return HBS_OK;
}

static uint64_t milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* After a failure halfway the rest of the block's work does no harm: nobody reads its sums. */
static hbs_status submit(hbs_device_queue *queue, size_t rows, hbs_error *error)
{
    size_t at = (queue->oldest + queue->n) % HBS_DEVICE_BLOCKS;
    hbs_status status;

    TRY(enter(queue->device, error));
    status = leave(queue->device, send(queue, &queue->lanes[at], (uint32_t)rows, error));
    if (status != HBS_OK)
        return status;
    queue->n++;
    return HBS_OK;
}

/* Until the block is done. A host that wants to stop has its way as soon as the block is: launches are short. */
static hbs_status wait_for(hbs_device_queue *queue, size_t at, bool *stop, hbs_error *error)
{
    enum { LEAST_QUERIES = 100 }; /* a process that was stopped meanwhile has not waited */
    hbs_device *device = queue->device;
    uint64_t start = milliseconds();
    long pause = 20000; /* nanoseconds; longer from time to time, up to a millisecond */
    int result, queries = 0;

    while ((result = device->cu.cuEventQuery(queue->lanes[at].done)) == HBG_NOT_READY) {
        if (milliseconds() - start > device->limits.patience && ++queries > LEAST_QUERIES) {
            bury(device, "it does not answer", true);
            return fail_dead(device, error);
        }
        *stop |= queue->host.cancelled && queue->host.cancelled(queue->host.context);
        nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
        pause = pause < 1000000 ? pause + pause / 4 : pause;
    }
    return check(device, result, "cuEventQuery", error);
}

static hbs_status collect(hbs_device_queue *queue, hbs_device_block *block, hbs_error *error)
{
    size_t at = queue->oldest;
    bool stop = false;
    hbs_status status;

    *block = queue->lanes[at].block;
    queue->oldest = (queue->oldest + 1) % HBS_DEVICE_BLOCKS;
    queue->n--;
    TRY(enter(queue->device, error));
    status = leave(queue->device, wait_for(queue, at, &stop, error));
    return status == HBS_OK && stop ? hbg_fail(error, HBS_E_CANCEL, "cancelled") : status;
}

/* Memory that a device may still write to is not given back. */
static void queue_free(hbs_device_queue *queue)
{
    hbs_error ignored;
    bool stop = false, entered;

    if (!queue)
        return;
    for (; queue->n > 0 && enter(queue->device, &ignored) == HBS_OK; queue->n--) {
        leave(queue->device, wait_for(queue, queue->oldest, &stop, &ignored));
        queue->oldest = (queue->oldest + 1) % HBS_DEVICE_BLOCKS;
    }
    if (enter_to_free(queue->device, &entered)) {
        empty_queue(queue);
        leave_freed(queue->device, entered);
    }
    free(queue);
}

static const hbs_backend backend = {.api = HBS_BACKEND_API,
                                    .size = sizeof(hbs_backend),
                                    .name = "cuda",
                                    .open = open_device,
                                    .get_info = get_info,
                                    .upload = upload,
                                    .forget = forget,
                                    .queue_create = queue_create,
                                    .next = next,
                                    .submit = submit,
                                    .collect = collect,
                                    .queue_free = queue_free,
                                    .close = close_device};

__attribute__((visibility("default"))) const hbs_backend *hbscore_backend(uint32_t api);

const hbs_backend *hbscore_backend(uint32_t api)
{
    return api == HBS_BACKEND_API ? &backend : NULL;
}
