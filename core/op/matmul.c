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

bool hb_evaluate_matmul(const hb_call *call)
{
    const hb_fit_matmul *fit = call->fit;
    size_t size = fit->n_terms * fit->n_columns;
    hb_right_matrix right = {fit->weights, 0, fit->n_columns, 1, true};
    hb_tile64 tile = {call->input, call->output, fit->n_terms, call->stride, call->rows};

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
