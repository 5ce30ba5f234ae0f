/* libcuda.c - a driver for tests: device memory is malloc's, and launches run the kernels of gpu/ on the host. It
 * counts what is there, and fails when it is told to. Its library has the real one's name, so that dlopen finds it.
 *
 * As on a GPU, memory ends with its context: who uses it behind that reads what it never wrote. And as there, work
 * begins late: when its stream is seen done, or memory is freed. So who reads sums before, or writes to a block that is
 * on its way, has wrong scores. */
#define _GNU_SOURCE
#include "gpu/fake/libcuda.h"

#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/driver.h"
#include "gpu/host_kernels.h"
#include "gpu/walk.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT extern fake_cuda fake_cuda_state;
fake_cuda fake_cuda_state = {.version = 13000, .devices = 1, .major = 9, .shared = 227 << 10, .not_ready = 2};

enum { MOST_Y = 65535 }; /* of a grid */

static fake_cuda *const fake = &fake_cuda_state;
static bool broken;
static long retained; /* the context, so many times */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of.. */
static struct work *first;                                /* ..the oldest work, and.. */
static void *kept[1 << 12]; /* ..these: a dead device's memory is lost to its owner, but no leak of the process */

static void keep(void *object)
{
    size_t i = 0;

    pthread_mutex_lock(&mutex);
    while (i < sizeof(kept) / sizeof(kept[0]) - 1 && kept[i])
        i++;
    kept[i] = object;
    fake->live++;
    fake->made++;
    pthread_mutex_unlock(&mutex);
}

/* False: it ended with its context. */
static bool unkeep(const void *object)
{
    bool found = false;

    pthread_mutex_lock(&mutex);
    for (size_t i = 0; object && i < sizeof(kept) / sizeof(kept[0]); i++)
        if (kept[i] == object) {
            kept[i] = NULL;
            found = true;
        }
    fake->live -= object != NULL;
    pthread_mutex_unlock(&mutex);
    return found;
}

/* True if all of these bytes are the driver's own; a copy between a GPU and other memory waits for all before it. */
static bool is_kept(const void *bytes, size_t n)
{
    const char *at = bytes;
    bool found = false;

    pthread_mutex_lock(&mutex);
    for (size_t i = 0; !found && i < sizeof(kept) / sizeof(kept[0]); i++) {
        const char *begin = kept[i];

        found = begin && at >= begin && at + n <= begin + malloc_usable_size(kept[i]);
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

/* ---- work that was given to streams */

typedef struct work {
    struct work *next;
    struct hbg_stream *stream;
    const char *kernel; /* NULL: a copy */
    void *to;
    const void *from;
    size_t bytes;
    host_launch launch;
    hbg_forest forest; /* arguments are copied when a kernel is launched */
    hbg_range range;
    void *source, *target;
} work;

struct hbg_stream {
    long flying;   /* events that were recorded, and not seen done */
    bool has_wait; /* a copy that was no copy of pinned memory */
};

static void add_work(const work *what)
{
    work *made = malloc(sizeof(*made)), **last = &first;

    *made = *what;
    pthread_mutex_lock(&mutex);
    while (*last)
        last = &(*last)->next;
    *last = made;
    pthread_mutex_unlock(&mutex);
}

static void do_work(work *w)
{
    void *arguments[] = {&w->forest, &w->source, &w->range, &w->target};

    if (!w->kernel) {
        memcpy(w->to, w->from, w->bytes);
        return;
    }
    w->launch.arguments = arguments;
    host_kernel_run(w->kernel, &w->launch);
}

/* Ends the work of one stream; NULL: of all. `lost`: it is not done. */
static void finish_work(const hbg_stream *stream, bool lost)
{
    work **at = &first;

    pthread_mutex_lock(&mutex);
    while (*at) {
        work *w = *at;

        if (stream && w->stream != stream) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        if (!lost)
            do_work(w);
        free(w);
    }
    pthread_mutex_unlock(&mutex);
}

/* Whoever should have freed what is left has not: it stays among the living. */
static void end_context(void)
{
    finish_work(NULL, true);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        if (kept[i])
            memset(kept[i], 0xa5, malloc_usable_size(kept[i]));
        free(kept[i]);
        kept[i] = NULL;
    }
}

/* The result of the next call. */
static int count_call(void)
{
    if (broken)
        return fake->fail_code;
    fake->calls++;
    if (fake->calls != fake->fail_at)
        return HBG_DONE;
    broken = fake->sticky;
    return fake->fail_code;
}

#define CALL()                      \
    do {                            \
        int result_ = count_call(); \
        if (result_)                \
            return result_;         \
    } while (0)

/* An object that has nothing but its being there. */
static int make(void *to)
{
    void *object = malloc(1);

    memcpy(to, &object, sizeof(object));
    keep(object);
    return HBG_DONE;
}

static int unmake(void *object)
{
    finish_work(NULL, broken);
    if (unkeep(object))
        free(object);
    return HBG_DONE;
}

EXPORT int cuInit(unsigned flags);
EXPORT int cuInit(unsigned flags)
{
    (void)flags;
    broken = false;
    CALL();
    usleep((useconds_t)fake->slow * 1000);
    return HBG_DONE;
}

#define FUNCTION(name, arguments) \
    EXPORT int name arguments;    \
    EXPORT int name arguments

FUNCTION(cuDriverGetVersion, (int *version))
{
    CALL();
    *version = fake->version;
    return HBG_DONE;
}

FUNCTION(cuDeviceGetCount, (int *count))
{
    CALL();
    *count = fake->devices;
    return HBG_DONE;
}

FUNCTION(cuDeviceGet, (int *device, int ordinal))
{
    CALL();
    *device = ordinal;
    return HBG_DONE;
}

FUNCTION(cuDeviceGetName, (char *name, int size, int device))
{
    (void)device;
    CALL();
    strncpy(name, "a fake GPU", (size_t)size - 1);
    return HBG_DONE;
}

FUNCTION(cuDeviceTotalMem_v2, (size_t * bytes, int device))
{
    (void)device;
    CALL();
    *bytes = (size_t)1 << 34;
    return HBG_DONE;
}

FUNCTION(cuDeviceGetAttribute, (int *value, int attribute, int device))
{
    (void)device;
    CALL();
    *value = attribute == HBG_PROCESSORS ? 4
             : attribute == HBG_MAJOR    ? fake->major
             : attribute == HBG_MINOR    ? fake->minor
                                         : fake->shared;
    return HBG_DONE;
}

FUNCTION(cuDevicePrimaryCtxRetain, (hbg_context * *context, int device))
{
    (void)device;
    CALL();
    *context = (hbg_context *)(void *)fake;
    fake->live++;
    retained++;
    return HBG_DONE;
}

FUNCTION(cuDevicePrimaryCtxRelease_v2, (int device))
{
    (void)device;
    fake->live--;
    if (--retained == 0)
        end_context();
    return HBG_DONE;
}

FUNCTION(cuCtxPushCurrent_v2, (hbg_context * context))
{
    (void)context;
    CALL();
    fake->depth++;
    return HBG_DONE;
}

FUNCTION(cuCtxPopCurrent_v2, (hbg_context * *context))
{
    *context = NULL;
    fake->depth--;
    return HBG_DONE;
}

FUNCTION(cuModuleLoadData, (hbg_module * *module, const void *image))
{
    (void)image;
    CALL();
    return make(module);
}

FUNCTION(cuModuleUnload, (hbg_module * module))
{
    return unmake(module);
}

/* Ends the context of whoever launches it: test/sqlite/test_gpu.py. */
static bool is_trap(const char *kernel)
{
    return strcmp(kernel, "hbt_trap") == 0;
}

/* A function is its name. */
FUNCTION(cuModuleGetFunction, (hbg_function * *function, hbg_module *module, const char *name))
{
    (void)module;
    CALL();
    *function = (hbg_function *)(uintptr_t)name;
    return host_kernel_exists(name) || is_trap(name) ? HBG_DONE : 500;
}

FUNCTION(cuFuncSetAttribute, (hbg_function * function, int attribute, int value))
{
    (void)function;
    (void)attribute;
    CALL();
    return value > fake->shared;
}

FUNCTION(cuMemAlloc_v2, (hbg_address * address, size_t bytes))
{
    void *block;

    CALL();
    block = malloc(bytes); /* just as large, for the sanitizer */
    memset(block, 0xa5, bytes);
    *address = (hbg_address)(uintptr_t)block;
    keep(block);
    return HBG_DONE;
}

FUNCTION(cuMemFree_v2, (hbg_address address))
{
    return unmake((void *)(uintptr_t)address);
}

FUNCTION(cuMemHostAlloc, (void **block, size_t bytes, unsigned flags))
{
    (void)flags;
    CALL();
    *block = malloc(bytes);
    memset(*block, 0xa5, bytes);
    keep(*block);
    return HBG_DONE;
}

FUNCTION(cuMemFreeHost, (void *block))
{
    return unmake(block);
}

FUNCTION(cuMemcpyHtoD_v2, (hbg_address to, const void *from, size_t bytes))
{
    CALL();
    memcpy((void *)(uintptr_t)to, from, bytes);
    return HBG_DONE;
}

static int copy_later(void *to, const void *from, size_t bytes, const void *of_host, hbg_stream *stream)
{
    if (!is_kept(of_host, bytes)) {
        stream->has_wait = true;
        finish_work(stream, false);
        memcpy(to, from, bytes);
        return HBG_DONE;
    }
    add_work(&(work){.stream = stream, .to = to, .from = from, .bytes = bytes});
    return HBG_DONE;
}

FUNCTION(cuMemcpyHtoDAsync_v2, (hbg_address to, const void *from, size_t bytes, hbg_stream *stream))
{
    CALL();
    return copy_later((void *)(uintptr_t)to, from, bytes, from, stream);
}

FUNCTION(cuMemcpyDtoHAsync_v2, (void *to, hbg_address from, size_t bytes, hbg_stream *stream))
{
    CALL();
    return copy_later(to, (const void *)(uintptr_t)from, bytes, to, stream);
}

FUNCTION(cuStreamCreate, (hbg_stream * *stream, unsigned flags))
{
    CALL();
    *stream = calloc(1, sizeof(**stream));
    (*stream)->has_wait = flags != HBG_NON_BLOCKING;
    keep(*stream);
    return HBG_DONE;
}

FUNCTION(cuStreamDestroy_v2, (hbg_stream * stream))
{
    return unmake(stream);
}

typedef struct fake_event {
    int queries;
    hbg_stream *flying; /* where it was recorded, while nobody knows that it is done */
} fake_event;

static void fly(fake_event *event, hbg_stream *stream)
{
    event->flying = stream;
    if (stream->flying++ > 0 || stream->has_wait)
        return;
    if (++fake->flying > fake->most_flying)
        fake->most_flying = fake->flying;
}

static void land(fake_event *event)
{
    hbg_stream *stream = event->flying;

    if (stream && --stream->flying == 0 && !stream->has_wait)
        fake->flying--;
    event->flying = NULL;
}

FUNCTION(cuEventCreate, (hbg_event * *event, unsigned flags))
{
    fake_event *made;

    (void)flags;
    CALL();
    made = calloc(1, sizeof(*made));
    keep(made);
    *event = (hbg_event *)(void *)made;
    return HBG_DONE;
}

FUNCTION(cuEventDestroy_v2, (hbg_event * event))
{
    land((fake_event *)(void *)event);
    return unmake(event);
}

FUNCTION(cuEventRecord, (hbg_event * event, hbg_stream *stream))
{
    fake_event *recorded = (fake_event *)(void *)event;

    CALL();
    land(recorded);
    recorded->queries = 0;
    fly(recorded, stream);
    return HBG_DONE;
}

FUNCTION(cuEventQuery, (hbg_event * event))
{
    fake_event *asked = (fake_event *)(void *)event;

    CALL();
    if (fake->hangs || asked->queries < fake->not_ready) {
        asked->queries++;
        return HBG_NOT_READY;
    }
    if (asked->flying)
        finish_work(asked->flying, false);
    land(asked);
    return HBG_DONE;
}

FUNCTION(cuLaunchKernel, (hbg_function * function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by,
                          unsigned bz, unsigned shared, hbg_stream *stream, void **arguments, void **extra))
{
    (void)extra;
    CALL();
    if (x == 0 || y == 0 || y > MOST_Y || z != 1 || bx != 256 || by != 1 || bz != 1 || shared > (unsigned)fake->shared)
        return 1; /* as CUDA says of such a launch */
    if (is_trap((const char *)function)) {
        broken = true;
        fake->fail_code = 719;
        return HBG_DONE; /* the next call says it */
    }
    add_work(&(work){.stream = stream,
                     .kernel = (const char *)function,
                     .launch = {.x = x, .y = y, .shared = shared},
                     .forest = *(hbg_forest *)arguments[0],
                     .source = *(void **)arguments[1],
                     .range = *(hbg_range *)arguments[2],
                     .target = *(void **)arguments[3]});
    return HBG_DONE;
}
