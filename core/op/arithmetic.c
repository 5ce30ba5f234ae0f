/* arithmetic.c - functions of numbers (base/arithmetic.h), column by column. */
#include "op/columns.h"

/* A tile that is full, or has one row, is one run of numbers. */
static bool is_run(const hb_call *call)
{
    return call->rows == call->stride;
}

bool hb_evaluate_widen(const hb_call *call)
{
    for (size_t c = 0; c < call->width; c++) {
        const float *x = (const float *)call->input + c * call->stride;
        double *y = (double *)call->output + c * call->stride;

        for (size_t r = 0; r < call->rows; r++)
            y[r] = (double)x[r];
        if (!hb_columns_go_on(call, c))
            return false;
    }
    return true;
}

/* A function may take an exponential of each number. */
static bool goes_on(const hb_call *call, size_t numbers)
{
    return numbers <= HB_FEW_CELLS || hb_call_goes_on(call, HB_UNITS_A_CELL * numbers);
}

bool hb_evaluate_map(const hb_call *call)
{
    const hb_fit_map *fit = call->fit;
    size_t at_once = is_run(call) ? HB_CELLS_AT_ONCE / call->rows + 1 : 1;

    for (size_t c = 0, n; c < call->width; c += n) {
        size_t first = c * call->stride, numbers;

        n = call->width - c < at_once ? call->width - c : at_once;
        numbers = n * call->rows;
        call->kernels->hb_map64(fit->function, fit->rounding, fit->numbers, (const double *)call->input + first,
                                numbers, (double *)call->output + first);
        if (!goes_on(call, numbers))
            return false;
    }
    return true;
}

/* ---- two numbers */

/* A constant has one number a column. */
static hb_operands operands_of(const hb_call *call, const hb_fit_combine *fit, size_t c)
{
    size_t first = fit->first ? fit->first[c] : c, second = fit->second ? fit->second[c] : c;
    const double *x = (const double *)call->input + first * call->stride;

    if (!fit->numbers)
        return (hb_operands){x, (const double *)call->inputs[1] + second * call->stride, false, false};
    if (fit->numbers_first)
        return (hb_operands){&fit->numbers[c], x, true, false};
    return (hb_operands){x, &fit->numbers[c], false, true};
}

/* Of one row the numbers of a constant stand beside those of the columns. */
static bool combine_run(const hb_call *call, const hb_fit_combine *fit)
{
    hb_operands operands = operands_of(call, fit, 0);

    operands.left_is_one = operands.right_is_one = false;
    call->kernels->hb_combine64(fit->function, fit->rounding, &operands, call->width * call->rows, call->output);
    return goes_on(call, call->width * call->rows);
}

/* After a column. */
static bool combine_goes_on(const hb_call *call, const hb_fit_combine *fit)
{
    enum { UNITS_OF_BESSEL = 512 };

    return fit->function == HB_COMBINE_BESSEL_K ? hb_call_goes_on(call, UNITS_OF_BESSEL * call->rows)
                                                : goes_on(call, call->rows);
}

bool hb_evaluate_combine(const hb_call *call)
{
    const hb_fit_combine *fit = call->fit;
    bool same = !fit->first && !fit->second && fit->function != HB_COMBINE_BESSEL_K;

    if (same && is_run(call) && (!fit->numbers || call->rows == 1) && call->width * call->rows <= HB_CELLS_AT_ONCE)
        return combine_run(call, fit);
    for (size_t c = 0; c < call->width; c++) {
        hb_operands operands = operands_of(call, fit, c);

        call->kernels->hb_combine64(fit->function, fit->rounding, &operands, call->rows,
                                    (double *)call->output + c * call->stride);
        if (!combine_goes_on(call, fit))
            return false;
    }
    return true;
}

/* ---- one of two */

/* Column c of an operand: numbers of the operator's own are written to `room` for each row. */
static const double *operand(const hb_call *call, const double *numbers, const void *input, size_t c, double *room)
{
    if (!numbers)
        return (const double *)input + c * call->stride;
    for (size_t r = 0; r < call->rows && r < 64; r++)
        room[r] = numbers[c];
    return room;
}

/* The rows [first, first + n) of a column, n <= 64. */
static void choose_rows(const hb_call *call, size_t c, size_t first, size_t n)
{
    const hb_fit_choose *fit = call->fit;
    double yes[64], no[64];
    const double *x = operand(call, fit->yes, fit->yes ? NULL : call->inputs[1], c, yes);
    const double *y = operand(call, fit->no, fit->no ? NULL : call->inputs[fit->yes ? 1 : 2], c, no);

    call->kernels->hb_choose64((const double *)call->input + c * call->stride + first, x == yes ? x : x + first,
                               y == no ? y : y + first, n, (double *)call->output + c * call->stride + first);
}

bool hb_evaluate_choose(const hb_call *call)
{
    for (size_t c = 0; c < call->width; c++) {
        for (size_t first = 0; first < call->rows; first += 64)
            choose_rows(call, c, first, call->rows - first < 64 ? call->rows - first : 64);
        if (!goes_on(call, call->rows))
            return false;
    }
    return true;
}

/* ---- several numbers */

bool hb_evaluate_reduce(const hb_call *call)
{
    const hb_fit_reduce *fit = call->fit;

    for (size_t o = 0; o < call->width; o++) {
        hb_tile64 tile = {(const double *)call->input + o * fit->n_terms * call->stride,
                          (double *)call->output + o * call->stride, fit->n_terms, call->stride, call->rows};

        call->kernels->hb_reduce64(fit->function, fit->rounding, &tile);
        if (!goes_on(call, fit->n_terms * call->rows))
            return false;
    }
    return true;
}
