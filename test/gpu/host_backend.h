/* host_backend.h - a backend whose device is the host: the image and the kernels of gpu/, in the ways that a GPU could
 * run them. */
#ifndef HOST_BACKEND_H
#define HOST_BACKEND_H

#include "hbs_backend.h"

typedef struct host_device {
    bool large;       /* the large form, also where the small one fits */
    bool backwards;   /* threads of a phase run in falling order */
    size_t groups;    /* of trees, side by side; 0: one */
    size_t slab;      /* trees whose leaves are summed at once; 0: all */
    size_t shared;    /* bytes of shared memory of a block of threads; 0: 100 KiB */
    int fail_submit;  /* from this call of submit on it says that the device failed; 0: never */
    int fail_collect; /* likewise */
    size_t submits, collects, rows, programs, queues; /* calls, and what there is now */
    size_t forms[3];                                  /* uploads of each hbg_form */
} host_device;

extern const hbs_backend host_backend; /* a host_device is its hbs_device; it cannot be opened or closed */

static inline hbs_device *host_device_of(host_device *device)
{
    return (hbs_device *)(void *)device;
}

#endif
