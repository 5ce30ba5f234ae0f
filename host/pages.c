/* pages.c - large blocks of memory in large pages.
 *
 * The first touch of each page of 4 KiB is a fault. A model of 7.5 MB takes 20 MB while it is compiled: 5,000 faults
 * take longer than parsing. If the system gives large pages on request, a block takes one fault for each
 * 2 MiB. It takes no more memory: the system makes a large page only if all of it was asked for. */
#define _GNU_SOURCE
#include "host/host.h"

#include <sys/mman.h>

void host_use_large_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    enum { SMALL = 4096 };
    /* With the allocator's own words, which are in the first page: half of a mapping could not grow in place later. */
    uintptr_t begin = (uintptr_t)block / SMALL * SMALL;
    uintptr_t end = ((uintptr_t)block + bytes + SMALL - 1) / SMALL * SMALL;

    if (block && bytes >= HOST_LARGE_PAGE)
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE); /* it may say no */
#else
    (void)block;
    (void)bytes;
#endif
}
