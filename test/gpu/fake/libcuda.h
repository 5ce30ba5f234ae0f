/* libcuda.h - what tests tell the fake driver, and ask it. */
#ifndef FAKE_LIBCUDA_H
#define FAKE_LIBCUDA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fake_cuda {
    int version, devices, major, minor; /* at first: 13000, 1, 9, 0 */
    int shared;                         /* bytes of a block of threads: 227 KiB */
    long fail_at;                       /* the call that fails, counted from 1; 0: none.. */
    int fail_code;                      /* ..with this result.. */
    bool sticky;                        /* ..and all that follow, but for those that free */
    bool hangs;                         /* no event is ever done */
    int not_ready;                      /* queries of an event before it is done */
    long calls;                         /* so far */
    long live;                          /* contexts, modules, streams, events and blocks of memory that are there */
    long depth;                         /* contexts that are pushed */
    long made;                          /* all that were there */
    long flying, most_flying;           /* blocks on their way side by side: streams with an event that was recorded and
                                           not seen done, and no copy that has to wait; at most */
    int slow;                           /* milliseconds that cuInit takes */
} fake_cuda;

#define FAKE_CUDA_STATE "fake_cuda_state" /* its only one, to be found by dlsym */

#endif
