/* encoder_portable.c - see encoder_kernel.h. */
#include "kernel/encoder_kernel.h"

/* The place of x among the column's values; n_values: it is none of them. Values are mostly codes without a
 * gap, where one look is enough. */
static inline size_t find(const hb_encoder *encoder, const hb_encoder_column *column, double x)
{
    const double *values = encoder->values + column->first;
    double guess = column->count ? x - values[0] : -1;
    size_t low = 0, high = column->count;

    if (guess >= 0 && guess < (double)column->count && values[(uint32_t)guess] == x)
        return column->first + (uint32_t)guess;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (values[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low < column->count && values[low] == x ? column->first + low : encoder->n_values;
}

uint64_t hb_onehot64(const hb_encoder *encoder, size_t c, const double *in, size_t stride,
                     size_t rows, double *out)
{
    const hb_encoder_column *column = &encoder->columns[c];
    size_t end = c + 1 < encoder->n_columns ? encoder->columns[c + 1].base : encoder->width;
    uint64_t refused = 0;

    for (size_t o = column->base; o < end; o++)
        for (size_t r = 0; r < rows; r++)
            out[o * stride + r] = 0;
    for (size_t r = 0; r < rows; r++) {
        double x = in[c * stride + r];
        int32_t output = x != x ? column->missing : column->unknown;

        if (x == x) {
            size_t at = find(encoder, column, x);

            output = at < encoder->n_values ? encoder->outputs[at] : output;
        }
        if (output >= 0)
            out[(column->base + (size_t)output) * stride + r] = 1;
        refused |= (uint64_t)(output == HB_OUTPUT_REFUSE) << r;
    }
    return refused;
}

uint64_t hb_recode64(const hb_encoder *encoder, size_t c, const double *in, size_t stride,
                     size_t rows, double *out)
{
    const hb_encoder_column *column = &encoder->columns[c];
    uint64_t refused = 0;

    for (size_t r = 0; r < rows; r++) {
        double x = in[c * stride + r], number = x != x ? column->missing_number : column->unknown_number;
        int32_t rule = x != x ? column->missing : column->unknown;
        size_t at = x == x ? find(encoder, column, x) : encoder->n_values;

        if (at < encoder->n_values) {
            number = encoder->numbers[at];
            rule = HB_OUTPUT_NONE;
        }
        refused |= (uint64_t)(rule == HB_OUTPUT_REFUSE) << r;
        out[c * stride + r] = rule == HB_OUTPUT_REFUSE ? 0 : number;
    }
    return refused;
}
