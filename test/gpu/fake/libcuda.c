/* libcuda.c - a driver for tests: device memory is malloc's, and launches run the kernels of gpu/ on the host. It
 * counts what is there, and fails when it is told to. Its library has the real one's name, so that dlopen finds it. */
#include "gpu/fake/libcuda.h"

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

/* A dead device's memory is lost to its owner, but no leak of the process. */
static void *kept[1 << 12];

static void keep(void *object)
{
    size_t i = 0;

    while (i < sizeof(kept) / sizeof(kept[0]) - 1 && kept[i])
        i++;
    kept[i] = object;
    fake->live++;
}

static void unkeep(void *object)
{
    for (size_t i = 0; object && i < sizeof(kept) / sizeof(kept[0]); i++)
        if (kept[i] == object)
            kept[i] = NULL;
    fake->live -= object != NULL;
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
    unkeep(object);
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
    return HBG_DONE;
}

FUNCTION(cuDevicePrimaryCtxRelease_v2, (int device))
{
    (void)device;
    fake->live--;
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

/* A function is its name. */
FUNCTION(cuModuleGetFunction, (hbg_function * *function, hbg_module *module, const char *name))
{
    (void)module;
    CALL();
    *function = (hbg_function *)(uintptr_t)name;
    return host_kernel_exists(name) ? HBG_DONE : 500;
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

FUNCTION(cuEventCreate, (hbg_event * *event, unsigned flags))
{
    (void)flags;
    CALL();
    return make(event);
}

FUNCTION(cuEventDestroy_v2, (hbg_event * event))
{
    return unmake(event);
}

/* The byte of the event counts its queries. */
FUNCTION(cuEventRecord, (hbg_event * event, hbg_stream *stream))
{
    (void)stream;
    CALL();
    *(unsigned char *)event = 0;
    return HBG_DONE;
}

FUNCTION(cuEventQuery, (hbg_event * event))
{
    unsigned char *queries = (unsigned char *)event;

    CALL();
    if (fake->hangs || *queries < fake->not_ready) {
        *queries += *queries < 255;
        return HBG_NOT_READY;
    }
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
    return host_kernel_run((const char *)function, &launch) ? HBG_DONE : 700;
}
