/* input_portable.c - see input_kernel.h. */
#include "kernel/input_kernel.h"

#include <float.h>
#include <math.h>

#include "kernel/kernels.h"

/* Whether some number is none that float32 holds, NaN too; most columns have none, and then nobody asks which.
 * Comparisons as masks of 64 bits, whose union compilers take over all lanes. */
#define BEYOND(mask, x) ((mask) |= -(int64_t) !(fabs(x) <= FLT_MAX))

uint32_t HB_KERNEL(hb_look_at64)(const double *from, size_t n)
{
    int64_t nan = 0, infinite = 0, large = 0;

    for (size_t i = 0; i < n; i++)
        BEYOND(large, from[i]);
    if (!large)
        return 0;
    large = 0;
    for (size_t i = 0; i < n; i++) {
        double size = fabs(from[i]);

        nan |= -(int64_t)(size != size);
        infinite |= -(int64_t)(size > DBL_MAX);
        large |= -(int64_t)(size > FLT_MAX);
    }
    return (nan ? HB_SAW_NAN : 0u) | (infinite ? HB_SAW_INFINITE : 0u) | (large ? HB_SAW_LARGE : 0u);
}

uint32_t HB_KERNEL(hb_take_float32)(const float *from, size_t rows, double *to)
{
    int64_t beyond = 0;

    HB_INDEPENDENT
    for (size_t r = 0; r < rows; r++) {
        to[r] = (double)from[r];
        BEYOND(beyond, to[r]);
    }
    return beyond ? HB_KERNEL(hb_look_at64)(to, rows) : 0;
}

uint32_t HB_KERNEL(hb_take_float64)(const double *from, size_t rows, double *to)
{
    int64_t beyond = 0;

    HB_INDEPENDENT
    for (size_t r = 0; r < rows; r++) {
        to[r] = from[r];
        BEYOND(beyond, to[r]);
    }
    return beyond ? HB_KERNEL(hb_look_at64)(to, rows) : 0;
}
