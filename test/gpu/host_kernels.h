/* host_kernels.h - the kernels of gpu/ on the host: one block of threads after the other. */
#ifndef HOST_KERNELS_H
#define HOST_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A launch, as cuLaunchKernel has it: the grid, and pointers to the arguments. Threads of a phase run in falling
 * order if asked for. False: there is no such kernel, or no memory. */
typedef struct host_launch {
    uint32_t x, y;
    size_t shared; /* bytes */
    bool backwards;
    void **arguments;
} host_launch;

bool host_kernel_run(const char *name, const host_launch *launch);
/* True if there is one. */
bool host_kernel_exists(const char *name);

#endif
