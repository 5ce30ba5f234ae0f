/* libcuda.c - a driver for tests: device memory is malloc's, and launches run the kernels of gpu/ on the host. It
 * counts what is there, and fails when it is told to. Its library has the real one's name, so that dlopen finds it.
 *
 * Memory ends with its context, as on a GPU: who uses it behind that reads what it never wrote. */
#include "gpu/fake/libcuda.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/driver.h"
#include "gpu/host_kernels.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT extern fake_cuda fake_cuda_state;
fake_cuda fake_cuda_state = {.version = 13000, .devices = 1, .major = 9, .shared = 227 << 10, .not_ready = 2};

static fake_cuda *const fake = &fake_cuda_state;
static bool broken;
static long retained; /* the context, so many times */

/* A dead device's memory is lost to its owner, but no leak of the process. */
static void *kept[1 << 12];

static void keep(void *object)
{
    size_t i = 0;

    while (i < sizeof(kept) / sizeof(kept[0]) - 1 && kept[i])
        i++;
    kept[i] = object;
    fake->live++;
    fake->made++;
}

/* False: it ended with its context. */
static bool unkeep(const void *object)
{
    bool found = false;

    for (size_t i = 0; object && i < sizeof(kept) / sizeof(kept[0]); i++)
        if (kept[i] == object) {
            kept[i] = NULL;
            found = true;
        }
    fake->live -= object != NULL;
    return found;
}

/* Whoever should have freed what is left has not: it stays among the living. */
static void end_context(void)
{
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

FUNCTION(cuMemcpyHtoDAsync_v2, (hbg_address to, const void *from, size_t bytes, hbg_stream *stream))
{
    (void)stream;
    CALL();
    memcpy((void *)(uintptr_t)to, from, bytes);
    return HBG_DONE;
}

FUNCTION(cuMemcpyDtoHAsync_v2, (void *to, hbg_address from, size_t bytes, hbg_stream *stream))
{
    (void)stream;
    CALL();
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return HBG_DONE;
}

FUNCTION(cuStreamCreate, (hbg_stream * *stream, unsigned flags))
{
    (void)flags;
    CALL();
    return make(stream);
}

FUNCTION(cuStreamDestroy_v2, (hbg_stream * stream))
{
    return unmake(stream);
}

typedef struct fake_event {
    int queries;
    bool flying; /* it was recorded, and nobody knows that it is done */
} fake_event;

static void land(fake_event *event)
{
    fake->flying -= event->flying;
    event->flying = false;
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

    (void)stream;
    CALL();
    land(recorded);
    *recorded = (fake_event){.flying = true};
    if (++fake->flying > fake->most_flying)
        fake->most_flying = fake->flying;
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
    land(asked);
    return HBG_DONE;
}

FUNCTION(cuLaunchKernel, (hbg_function * function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by,
                          unsigned bz, unsigned shared, hbg_stream *stream, void **arguments, void **extra))
{
    const host_launch launch = {.x = x, .y = y, .shared = shared, .arguments = arguments};

    (void)stream;
    (void)extra;
    CALL();
    if (x == 0 || y == 0 || z != 1 || bx != 256 || by != 1 || bz != 1 || shared > (unsigned)fake->shared)
        return 1; /* as CUDA says of such a launch */
    if (is_trap((const char *)function)) {
        broken = true;
        fake->fail_code = 719;
        return HBG_DONE; /* the next call says it */
    }
    return host_kernel_run((const char *)function, &launch) ? HBG_DONE : 700;
}
