/* encoders.c - categories to numbers, and to columns of 0 and 1 */
#include <math.h>

#include "op/execution.h"

/* A value that training has not seen is a matter of option on_unseen; a missing one is none. */
static void add_refusal(const hb_call *call, const hb_encoder *encoder, const hb_failure *failure, size_t c,
                        uint64_t rows)
{
    const double *x = (const double *)call->input + c * call->stride;
    const hb_encoder_column *column = &encoder->columns[c];
    hb_refusal *refusal = call->refusal;

    for (; rows; rows &= rows - 1) {
        size_t r = (size_t)__builtin_ctzll(rows);

        if (x[r] != x[r] || column->unknown == HB_OUTPUT_FAIL) {
            hb_refuse_number(refusal, r, failure, c, (double)NAN);
            continue;
        }
        if (!(refusal->rows >> r & 1)) {
            refusal->features[r] = column->feature;
            refusal->values[r] = x[r];
        }
        refusal->rows |= (uint64_t)1 << r;
    }
}

/* No output depends on a dead column: its values refuse no row. */
static bool is_looked_at(const hb_call *call, const uint8_t *asked, size_t c)
{
    return !asked || hb_asked(asked[c], call->asker);
}

static bool encode_columns(const hb_call *call, const hb_encoder *encoder, const hb_failure *failure,
                           const uint8_t *asked,
                           uint64_t (*kernel)(const hb_encoder *encoder, size_t c, const double *in, size_t stride,
                                              size_t rows, double *out))
{
    size_t cells = 0;

    for (size_t c = 0; c < call->input_width; c++) {
        uint64_t refused = kernel(encoder, c, call->input, call->stride, call->rows, call->output);

        if (refused && is_looked_at(call, asked, c))
            add_refusal(call, encoder, failure, c, refused);
        cells += call->rows;
        if (cells < HB_CELLS_AT_ONCE)
            continue;
        if (!hb_call_goes_on(call, HB_UNITS_A_CELL * cells))
            return false;
        cells = 0;
    }
    return cells <= HB_FEW_CELLS || hb_call_goes_on(call, HB_UNITS_A_CELL * cells);
}

bool hb_evaluate_onehot(const hb_call *call)
{
    const hb_fit_onehot *fit = call->fit;

    return encode_columns(call, &fit->model, &fit->failure, fit->asked, call->kernels->hb_onehot64);
}

bool hb_evaluate_recode(const hb_call *call)
{
    const hb_fit_recode *fit = call->fit;

    return encode_columns(call, &fit->model, &fit->failure, fit->asked, call->kernels->hb_recode64);
}
