/* movement.c - columns that are moved */
#include <string.h>

#include "op/columns.h"

static void copy_column(const hb_call *call, const void *from, size_t column, size_t to)
{
    memcpy((double *)call->output + to * call->stride, (const double *)from + column * call->stride,
           call->rows * sizeof(double));
}

bool hb_copy_columns(const hb_call *call, const void *from, size_t first, size_t n, size_t to)
{
    if ((const double *)from + first * call->stride == (double *)call->output + to * call->stride)
        return true;
    for (size_t c = 0; c < n; c++) {
        copy_column(call, from, first + c, to + c);
        if (!hb_columns_go_on(call, to + c))
            return false;
    }
    return true;
}

/* By runs of columns that follow each other. */
bool hb_evaluate_select(const hb_call *call)
{
    const uint32_t *columns = ((const hb_fit_select *)call->fit)->columns;

    for (size_t c = 0, n; c < call->width; c += n) {
        for (n = 1; c + n < call->width && columns[c + n] == columns[c] + n;)
            n++;
        if (!hb_copy_columns(call, call->input, columns[c], n, c))
            return false;
    }
    return true;
}

bool hb_evaluate_concat(const hb_call *call)
{
    size_t left = call->input_width;

    return hb_copy_columns(call, call->input, 0, left, 0) &&
           hb_copy_columns(call, call->inputs[1], 0, call->width - left, left);
}
