/* expansion.c - new columns that are made of numbers and categories */
#include "kernel/statistics_kernel.h"
#include "op/execution.h"

bool hb_evaluate_indicator(const hb_call *call)
{
    enum { COLUMNS = 4096 };
    const hb_fit_indicator *fit = call->fit;
    hb_tile64 tile = hb_call_tile64(call);

    for (size_t c = 0; c < call->width; c += COLUMNS) {
        size_t n = call->width - c < COLUMNS ? call->width - c : COLUMNS;

        tile.out = (double *)call->output + c * call->stride;
        call->kernels->hb_indicator64(&tile, fit->columns + c, n, fit->missing);
        if (!hb_call_goes_on(call, n * (call->rows / HB_STEPS_A_UNIT + 1)))
            return false;
    }
    return true;
}

bool hb_evaluate_products(const hb_call *call)
{
    const hb_fit_products *fit = call->fit;
    size_t at_once = HB_WORK_A_POLL / call->rows;
    hb_tile64 tile = hb_call_tile64(call);

    for (size_t i = 0, end; i < call->width; i = end) {
        end = call->width - i < at_once ? call->width : i + at_once;
        call->kernels->hb_products64(&tile, fit->products, i, end, fit->in_float32);
        if (!hb_call_goes_on(call, (end - i) * call->rows))
            return false;
    }
    return true;
}

/* A few rows at a time: each statistic of each row is a look-up. */
bool hb_evaluate_category_statistics(const hb_call *call)
{
    enum { ROWS = 8 };
    const hb_fit_category_statistics *fit = call->fit;

    for (size_t r = 0; r < call->rows; r += ROWS) {
        size_t n = call->rows - r < ROWS ? call->rows - r : ROWS;

        if (!hb_category_columns(&fit->model, (const double *)call->input + r, call->input_width, call->stride, n,
                                 call->polls, (double *)call->output + r))
            return false;
    }
    return true;
}
