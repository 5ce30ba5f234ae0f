/* rows_portable.c - see rows_kernel.h: blocks of four by four are turned in registers. */
#include "kernel/rows_kernel.h"

#include <string.h>

#include "kernel/kernels.h"

typedef double four __attribute__((vector_size(32)));

/* Macros, since what functions do with such a vector depends on the instruction set. */
#define LOAD(x, from) memcpy(&(x), from, sizeof(x))
#define STORE(to, low, high, a, b, c, d)                                                           \
    do {                                                                                           \
        four x_ = __builtin_shufflevector(low, high, a, b, c, d);                                  \
        memcpy(to, &x_, sizeof(x_));                                                               \
    } while (0)

static inline void turn(const double *in, size_t stride, double *out, size_t width)
{
    four a, b, c, d, ab_even, ab_odd, cd_even, cd_odd;

    LOAD(a, in);
    LOAD(b, in + stride);
    LOAD(c, in + 2 * stride);
    LOAD(d, in + 3 * stride);
    ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    STORE(out, ab_even, cd_even, 0, 1, 4, 5);
    STORE(out + width, ab_odd, cd_odd, 0, 1, 4, 5);
    STORE(out + 2 * width, ab_even, cd_even, 2, 3, 6, 7);
    STORE(out + 3 * width, ab_odd, cd_odd, 2, 3, 6, 7);
}

void HB_KERNEL(hb_rows64)(const double *in, size_t width, size_t stride, size_t rows, double *out)
{
    size_t r = 0;

    for (; r + 4 <= rows; r += 4) {
        size_t c = 0;

        for (; c + 4 <= width; c += 4)
            turn(in + c * stride + r, stride, out + r * width + c, width);
        for (; c < width; c++)
            for (size_t k = r; k < r + 4; k++)
                out[k * width + c] = in[c * stride + k];
    }
    for (; r < rows; r++)
        for (size_t c = 0; c < width; c++)
            out[r * width + c] = in[c * stride + r];
}
