/* matmul.c - products of matrices whose items are columns: row by row of the left one. */
#include "op/execution.h"

/* Some columns of the right matrix at a time. */
static bool multiply_row(const hb_call *call, const hb_fit_matmul *fit, hb_tile64 tile, hb_right_matrix right)
{
    size_t steps = fit->n_terms * call->rows, at_once = HB_STEPS_AT_ONCE / steps + 1;

    for (size_t first = 0; first < fit->n_columns; first += at_once) {
        right.columns = fit->n_columns - first < at_once ? fit->n_columns - first : at_once;
        call->kernels->hb_matmul64(&tile, &right, fit->in_float32);
        if (!hb_call_goes_on(call, steps * right.columns / HB_STEPS_A_UNIT + 1))
            return false;
        right.items += right.columns * right.step;
        tile.out += right.columns * call->stride;
    }
    return true;
}

/* Weights in float32: some columns of all left rows at a time, which share what is taken of the weights; or of one. */
static bool multiply_by_weights(const hb_call *call, const hb_fit_matmul *fit)
{
    enum { MANY = 64, FEW = 16 };
    size_t steps = fit->n_terms * call->rows, at_once = HB_STEPS_AT_ONCE / steps / fit->n_rows / MANY * MANY;
    size_t left = at_once > 0 ? fit->n_rows : 1;
    hb_right_matrix right = {fit->weights, 0, fit->n_columns, 1, true};
    hb_tile64 tile = {call->input, call->output, fit->n_terms, call->stride, call->rows};

    at_once = at_once > 0 ? at_once : HB_STEPS_AT_ONCE / steps / FEW * FEW + FEW;
    for (size_t i = 0; i < fit->n_rows; i += left)
        for (size_t first = 0; first < fit->n_columns; first += at_once) {
            right.items = fit->weights + first;
            right.columns = fit->n_columns - first < at_once ? fit->n_columns - first : at_once;
            tile.in = (const double *)call->input + i * fit->n_terms * call->stride;
            tile.out = (double *)call->output + (i * fit->n_columns + first) * call->stride;
            call->kernels->hb_matmul_weights32(&tile, left, &right, fit->n_columns);
            if (!hb_call_goes_on(call, left * steps * right.columns / HB_STEPS_A_UNIT + 1))
                return false;
        }
    return true;
}

bool hb_evaluate_matmul(const hb_call *call)
{
    const hb_fit_matmul *fit = call->fit;
    size_t size = fit->n_terms * fit->n_columns;
    hb_right_matrix right = {fit->weights, 0, fit->n_columns, 1, true};
    hb_tile64 tile = {call->input, call->output, fit->n_terms, call->stride, call->rows};

    if (fit->weights && fit->in_float32 && fit->n_matrices == 1)
        return multiply_by_weights(call, fit);
    for (size_t m = 0; m < fit->n_matrices; m++) {
        if (!fit->weights) {
            right.items = (const double *)call->inputs[1] + m * size * call->stride;
            right.step = call->stride;
            right.is_constant = false;
        }
        for (size_t i = 0; i < fit->n_rows; i++) {
            if (!multiply_row(call, fit, tile, right))
                return false;
            tile.in += fit->n_terms * call->stride;
            tile.out += fit->n_columns * call->stride;
        }
    }
    return true;
}
