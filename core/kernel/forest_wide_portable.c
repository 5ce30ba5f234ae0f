/* forest_wide_portable.c - the sums of a forest in float64 begin, and its sets. */
#include "kernel/forest_wide_step.h"

void hb_wide_forest_begin(const hb_wide_forest *forest, const double *base, size_t stride,
                          size_t rows, double *sums)
{
    for (size_t o = 0; o < forest->n_outputs; o++)
        for (size_t r = 0; r < rows; r++)
            sums[o * stride + r] = base[o];
}

void hb_wide_forest_set(const hb_wide_forest *forest, uint32_t node, const double *x, size_t rows,
                        uint64_t *bits)
{
    uint32_t left = forest->nodes[node].left;

    for (size_t r = 0; r < rows; r++) {
        if (r % 64 == 0)
            bits[r / 64] = 0;
        bits[r / 64] |= (uint64_t)(step_in(forest, &forest->nodes[node], x[r], true) - left) << r % 64;
    }
}
