/* lanes.h - as many doubles as the isa takes at once, for loops in which compilers see a
 * branch. */
#ifndef HB_KERNEL_LANES_H
#define HB_KERNEL_LANES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/kernels.h"

typedef double hb_lanes __attribute__((vector_size(8 * HB_LANES)));
typedef int64_t hb_int_lanes __attribute__((vector_size(8 * HB_LANES)));
typedef int32_t hb_short_lanes __attribute__((vector_size(4 * HB_LANES)));

/* `mask` is -1 or 0 in each lane. */
static inline hb_lanes hb_select(hb_int_lanes mask, hb_lanes yes, hb_lanes no)
{
    return (hb_lanes)((mask & (hb_int_lanes)yes) | (~mask & (hb_int_lanes)no));
}

static inline hb_lanes hb_all(double x)
{
    return x - (hb_lanes){0};
}

/* NaN stays. */
static inline hb_lanes hb_limited(hb_lanes x, hb_lanes low, hb_lanes high)
{
    x = hb_select(x < low, low, x);
    return hb_select(x > high, high, x);
}

/* The first n of the lanes (a constant HB_LANES, but at the end of a run); the others are 0. */
static inline hb_lanes hb_get(const double *from, size_t n)
{
    hb_lanes x = {0};

    memcpy(&x, from, n * sizeof(double));
    return x;
}

static inline void hb_put(double *to, size_t n, hb_lanes x)
{
    memcpy(to, &x, n * sizeof(double));
}

/* `statement` for i = 0, HB_LANES, .. below n, with m lanes each: the last ones are fewer. */
#define FOR_LANES(n, i, m, statement)                          \
    for (size_t i = 0, m = HB_LANES; i < (n); i += HB_LANES) { \
        if (i + HB_LANES <= (n)) {                             \
            m = HB_LANES;                                      \
            statement;                                         \
        } else {                                               \
            m = (n)-i;                                         \
            statement;                                         \
        }                                                      \
    }

#endif
