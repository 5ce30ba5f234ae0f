/* input_portable.c - see input_kernel.h. */
#include "kernel/input_kernel.h"

#include <float.h>
#include <math.h>

#include "kernel/kernels.h"

/* Comparisons as masks of 64 bits, whose union compilers take over all lanes. */
typedef struct seen {
    int64_t nan, infinite, large;
} seen;

#define LOOK(s, x)                                                                                 \
    do {                                                                                           \
        double size_ = fabs(x);                                                                    \
        (s).nan |= -(int64_t)(size_ != size_);                                                     \
        (s).infinite |= -(int64_t)(size_ > DBL_MAX);                                               \
        (s).large |= -(int64_t)(size_ > FLT_MAX);                                                  \
    } while (0)

static inline uint32_t set_of(const seen *s)
{
    return (s->nan ? HB_SAW_NAN : 0u) | (s->infinite ? HB_SAW_INFINITE : 0u) |
           (s->large ? HB_SAW_LARGE : 0u);
}

uint32_t HB_KERNEL(hb_take_float32)(const float *from, size_t rows, double *to)
{
    seen s = {0, 0, 0};

    HB_INDEPENDENT
    for (size_t r = 0; r < rows; r++) {
        double x = (double)from[r];

        to[r] = x;
        LOOK(s, x);
    }
    return set_of(&s);
}

uint32_t HB_KERNEL(hb_take_float64)(const double *from, size_t rows, double *to)
{
    seen s = {0, 0, 0};

    HB_INDEPENDENT
    for (size_t r = 0; r < rows; r++) {
        double x = from[r];

        to[r] = x;
        LOOK(s, x);
    }
    return set_of(&s);
}

uint32_t HB_KERNEL(hb_look_at64)(const double *from, size_t n)
{
    seen s = {0, 0, 0};

    for (size_t i = 0; i < n; i++)
        LOOK(s, from[i]);
    return set_of(&s);
}
