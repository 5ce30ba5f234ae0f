/* pool.h - the largest number, the sum or the mean of each window of an image. */
#ifndef HB_KERNEL_POOL_H
#define HB_KERNEL_POOL_H

#include "base/windows.h"
#include "kernel/elementwise.h"
#include "kernel/elementwise64.h"

/* Each window has an item in the image. */
typedef struct hb_pool {
    hb_windows windows;
    bool largest;           /* NaN if one of the numbers is; else sums.. */
    const double *divisors; /* ..divided by these, [places]; NULL: by 1 */
} hb_pool;

/* Channels from `from` to before `to`, places of the window from `first` to before `end`; tile->in is
 * [channels][items of the image][stride], tile->out [channels][places][stride]. Sums are in float64, in the order of
 * the items, and round once. NaN is always the same one. */
void hb_pool32(const hb_tile *tile, const hb_pool *pool, size_t first, size_t end, size_t from, size_t to);
void hb_pool64(const hb_tile64 *tile, const hb_pool *pool, size_t first, size_t end, size_t from, size_t to);

#endif
