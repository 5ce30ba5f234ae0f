/* clock.c - time that passes, for what is measured. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include "host/host.h"

#include <time.h>

uint64_t host_nanoseconds(void *context)
{
    struct timespec now;

    (void)context;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
