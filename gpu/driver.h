/* driver.h - NVIDIA's driver, opened at run time: the functions that hbscore calls, with prototypes of its own, so that
 * it is compiled without any header of CUDA, and linked with nothing. */
#ifndef HBG_DRIVER_H
#define HBG_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef struct hbg_context hbg_context;
typedef struct hbg_module hbg_module;
typedef struct hbg_function hbg_function;
typedef struct hbg_stream hbg_stream;
typedef struct hbg_event hbg_event;
typedef uint64_t hbg_address; /* on the device */

/* Results; all others mean that the device has failed. */
enum { HBG_DONE = 0, HBG_NO_MEMORY = 2, HBG_NOT_READY = 600 };

/* Attributes of a device, and of a function; flags of streams and events. */
enum {
    HBG_PROCESSORS = 16,
    HBG_MAJOR = 75,
    HBG_MINOR = 76,
    HBG_SHARED_BYTES = 97,
    HBG_FUNCTION_SHARED_BYTES = 8,
    HBG_NON_BLOCKING = 1,
    HBG_NO_TIMING = 2
};

/* HBG_DRIVER_LINE(name, arguments) */
#define HBG_DRIVER_FUNCTIONS                                                                                    \
    HBG_DRIVER_LINE(cuInit, (unsigned flags))                                                                   \
    HBG_DRIVER_LINE(cuDriverGetVersion, (int *version))                                                         \
    HBG_DRIVER_LINE(cuDeviceGetCount, (int *count))                                                             \
    HBG_DRIVER_LINE(cuDeviceGet, (int *device, int ordinal))                                                    \
    HBG_DRIVER_LINE(cuDeviceGetName, (char *name, int size, int device))                                        \
    HBG_DRIVER_LINE(cuDeviceTotalMem_v2, (size_t * bytes, int device))                                          \
    HBG_DRIVER_LINE(cuDeviceGetAttribute, (int *value, int attribute, int device))                              \
    HBG_DRIVER_LINE(cuDevicePrimaryCtxRetain, (hbg_context * *context, int device))                             \
    HBG_DRIVER_LINE(cuDevicePrimaryCtxRelease_v2, (int device))                                                 \
    HBG_DRIVER_LINE(cuCtxPushCurrent_v2, (hbg_context * context))                                               \
    HBG_DRIVER_LINE(cuCtxPopCurrent_v2, (hbg_context * *context))                                               \
    HBG_DRIVER_LINE(cuModuleLoadData, (hbg_module * *module, const void *image))                                \
    HBG_DRIVER_LINE(cuModuleUnload, (hbg_module * module))                                                      \
    HBG_DRIVER_LINE(cuModuleGetFunction, (hbg_function * *function, hbg_module * module, const char *name))     \
    HBG_DRIVER_LINE(cuFuncSetAttribute, (hbg_function * function, int attribute, int value))                    \
    HBG_DRIVER_LINE(cuMemAlloc_v2, (hbg_address * address, size_t bytes))                                       \
    HBG_DRIVER_LINE(cuMemFree_v2, (hbg_address address))                                                        \
    HBG_DRIVER_LINE(cuMemHostAlloc, (void **block, size_t bytes, unsigned flags))                               \
    HBG_DRIVER_LINE(cuMemFreeHost, (void *block))                                                               \
    HBG_DRIVER_LINE(cuMemcpyHtoD_v2, (hbg_address to, const void *from, size_t bytes))                          \
    HBG_DRIVER_LINE(cuMemcpyHtoDAsync_v2, (hbg_address to, const void *from, size_t bytes, hbg_stream *stream)) \
    HBG_DRIVER_LINE(cuMemcpyDtoHAsync_v2, (void *to, hbg_address from, size_t bytes, hbg_stream *stream))       \
    HBG_DRIVER_LINE(cuStreamCreate, (hbg_stream * *stream, unsigned flags))                                     \
    HBG_DRIVER_LINE(cuStreamDestroy_v2, (hbg_stream * stream))                                                  \
    HBG_DRIVER_LINE(cuEventCreate, (hbg_event * *event, unsigned flags))                                        \
    HBG_DRIVER_LINE(cuEventDestroy_v2, (hbg_event * event))                                                     \
    HBG_DRIVER_LINE(cuEventRecord, (hbg_event * event, hbg_stream * stream))                                    \
    HBG_DRIVER_LINE(cuEventQuery, (hbg_event * event))                                                          \
    HBG_DRIVER_LINE(cuLaunchKernel,                                                                             \
                    (hbg_function * function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by,     \
                     unsigned bz, unsigned shared, hbg_stream *stream, void **arguments, void **extra))

typedef struct hbg_driver {
    void *library;
#define HBG_DRIVER_LINE(name, arguments) int(*name) arguments;
    HBG_DRIVER_FUNCTIONS
#undef HBG_DRIVER_LINE
} hbg_driver;

/* Opens libcuda.so.1 and finds its functions. NULL: they are there, else why not, in words. */
const char *hbg_driver_open(hbg_driver *driver);

#endif
