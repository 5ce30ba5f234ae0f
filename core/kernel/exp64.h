/* exp64.h - hb_exp64 (elementary64.h) of many numbers: the same operations, some lanes at a time. */
#ifndef HB_KERNEL_EXP64_H
#define HB_KERNEL_EXP64_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/elementary64_tables.h"
#include "kernel/lanes.h"

/* 2^e for -1022 <= e <= 1023. */
static inline hb_lanes hb_power_lanes(hb_int_lanes e)
{
    return (hb_lanes)((e + 1023) << 52);
}

/* As hb_exp64; 2^e is taken in two factors, of which one is 1 unless the result is denormal (then it is
 * rounded once, at the end) or e is 1024. */
static inline hb_lanes hb_exp_lanes(hb_lanes x)
{
    hb_int_lanes in_range = (x > -746) & (x < 710); /* NaN is not */
    hb_lanes limited = (hb_lanes)((hb_int_lanes)x & in_range);
    hb_lanes n = limited * 184.6649652337873; /* 128 / ln2: only picks the interval */
    hb_lanes half = (hb_lanes)(((hb_int_lanes)n & INT64_MIN) | (hb_int_lanes)hb_all(0.5));
    hb_int_lanes k = __builtin_convertvector(__builtin_convertvector(n + half, hb_short_lanes), hb_int_lanes);
    hb_int_lanes i = k & 127, e = (k - i) >> 7, low, high;
    hb_lanes whole = __builtin_convertvector(__builtin_convertvector(k, hb_short_lanes), hb_lanes);
    hb_lanes r = (limited - whole * ln2_128_high) - whole * ln2_128_low, scale, tail;

    for (size_t l = 0; l < HB_LANES; l++) {
        scale[l] = exp_table[i[l]][0];
        tail[l] = exp_table[i[l]][1];
    }
    tail += r;
    tail += r * r * (0.5 + r * (0.16666666666666666 + r * (0.041666666666666664 + r * 0.008333333333333333)));
    low = (e < -1021) & 64;
    high = (e > 1023) & (e - 1023);
    scale = (scale + scale * tail) * hb_power_lanes(e + low - high) * hb_power_lanes(high - low);
    scale = hb_select(x > 709.782712893384, hb_all(__builtin_inf()), scale);
    scale = hb_select(x < -745.1332191019412, (hb_lanes){0}, scale);
    return hb_select(x != x, x, scale);
}

/* out[i] = exp(in[i]), which may be the same. */
static inline void hb_exp_run(const double *in, double *out, size_t n)
{
    FOR_LANES(n, i, m, hb_put(out + i, m, hb_exp_lanes(hb_get(in + i, m))))
}

#endif
