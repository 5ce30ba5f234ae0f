/* lists.c - lists of a row's numbers that are not 0: made, weighed, joined, added up. */
#include "op/lists.h"

#include <math.h>

#include "base/elementary64.h"
#include "op/execution.h"

/* Numbers of a list between two questions to the host. A list may have some million. */
enum { AT_ONCE = 1 << 12 };

/* Counts what was done for the numbers [first, n) of a list, AT_ONCE at most; *end is where they end. */
static bool next_part(const hb_call *call, size_t first, size_t n, size_t *end)
{
    *end = n - first < AT_ONCE ? n : first + AT_ONCE;
    return hb_call_goes_on(call, 4 * (*end - first));
}

/* ---- the store */

void hb_lists_init(hb_lists *lists, hb_memory *memory)
{
    lists->memory = memory;
    hb_vector_init(&lists->ends, memory, sizeof(size_t));
    hb_vector_init(&lists->columns, memory, sizeof(uint32_t));
    hb_vector_init(&lists->numbers, memory, sizeof(double));
    hb_vector_init(&lists->found, memory, sizeof(uint32_t));
    hb_vector_init(&lists->sorted, memory, sizeof(uint32_t));
    hb_vector_init(&lists->amounts, memory, sizeof(double));
    hb_json_room_init(&lists->json, memory);
    hb_vector_init(&lists->room.lowered, memory, 1);
    hb_vector_init(&lists->room.plain, memory, 1);
    hb_vector_init(&lists->room.joined, memory, 1);
}

void hb_lists_release(hb_lists *lists)
{
    hb_vector *const all[] = {&lists->ends,       &lists->columns,     &lists->numbers,
                              &lists->found,      &lists->sorted,      &lists->room.lowered,
                              &lists->room.plain, &lists->room.joined, &lists->amounts};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        hb_vector_release(all[i]);
    hb_json_room_release(&lists->json);
}

bool hb_lists_reserve(hb_lists *lists, size_t n)
{
    lists->failed = !hb_vector_reserve(&lists->columns, n + 1) || !hb_vector_reserve(&lists->numbers, n + 1);
    return !lists->failed;
}

bool hb_lists_end(hb_lists *lists, double *place)
{
    *place = hb_list_place(lists->ends.count);
    lists->failed = !hb_vector_append(&lists->ends, &lists->columns.count, 1);
    return !lists->failed;
}

/* ---- weights */

static double rounded(const hb_fit_list_weights *fit, double x)
{
    return fit->in_float32 ? (float)x : x;
}

/* A whole number modulo `period`, from `least` on. */
static double wrapped(double x, double period, double least)
{
    return x - period * floor((x - least) / period);
}

static double applied(const hb_fit_list_weights *fit, double x)
{
    switch (fit->function) {
    case HB_LIST_ABOVE_0:
        return x > 0;
    case HB_LIST_LOG:
        return rounded(fit, rounded(fit, hb_log64(x)) + 1);
    case HB_LIST_INT8:
        return wrapped(x, 1 << 8, -(1 << 7));
    case HB_LIST_UINT8:
        return wrapped(x, 1 << 8, 0);
    case HB_LIST_INT16:
        return wrapped(x, 1 << 16, -(1 << 15));
    case HB_LIST_UINT16:
        return wrapped(x, 1 << 16, 0);
    default:
        return x;
    }
}

/* Goes on with what a row is divided by, added from the first number on. */
static double added_to_norm(const hb_fit_list_weights *fit, double sum, const double *numbers, size_t n)
{
    switch (fit->norm) {
    case HB_LIST_L1:
        for (size_t i = 0; i < n; i++)
            sum += fabs(numbers[i]);
        break;
    case HB_LIST_L2:
        for (size_t i = 0; i < n; i++)
            sum += rounded(fit, numbers[i] * numbers[i]);
        break;
    case HB_LIST_MAX:
        for (size_t i = 0; i < n; i++)
            sum = fmax(sum, fabs(numbers[i]));
        break;
    default:
        break;
    }
    return sum;
}

/* A norm of 0 divides nothing. */
static double norm_of(const hb_fit_list_weights *fit, double sum)
{
    if (fit->norm == HB_LIST_L2)
        sum = sqrt(sum);
    return sum == 0 ? 1 : sum;
}

static void weigh_part(const hb_fit_list_weights *fit, const uint32_t *columns, double *numbers, size_t n)
{
    for (size_t i = 0; fit->function != HB_LIST_SAME && i < n; i++)
        numbers[i] = applied(fit, numbers[i]);
    for (size_t i = 0; fit->factors && i < n; i++) {
        double factor = columns[i] < fit->n_columns ? fit->factors[columns[i]] : 1;

        numbers[i] = rounded(fit, fit->divides ? numbers[i] / factor : numbers[i] * factor);
    }
}

/* The numbers of the list that was made last. */
static bool weigh(const hb_call *call, const uint32_t *columns, double *numbers, size_t n)
{
    const hb_fit_list_weights *fit = call->fit;
    double sum = 0, norm;

    for (size_t i = 0, end; i < n; i = end) {
        if (!next_part(call, i, n, &end))
            return false;
        weigh_part(fit, columns + i, numbers + i, end - i);
        sum = added_to_norm(fit, sum, numbers + i, end - i);
    }
    norm = norm_of(fit, sum);
    for (size_t i = 0, end; norm != 1 && i < n; i = end) {
        if (!next_part(call, i, n, &end))
            return false;
        for (size_t k = i; k < end; k++)
            numbers[k] = rounded(fit, numbers[k] / norm);
    }
    return true;
}

/* Puts a list's numbers behind `first` other columns. */
static bool put_list(const hb_call *call, hb_list list, uint32_t first)
{
    for (size_t i = 0, end; i < list.n; i = end) {
        if (!next_part(call, i, list.n, &end))
            return false;
        for (size_t k = i; k < end; k++)
            hb_lists_put(call->lists, first + list.columns[k], list.numbers[k]);
    }
    return true;
}

/* Another list with the same columns: the first may have more readers. */
bool hb_evaluate_list_weights(const hb_call *call)
{
    const double *in = call->input;
    double *out = call->output;

    for (size_t r = 0; r < call->rows; r++) {
        size_t n = hb_list_at(call->lists, in[r]).n, begin;
        hb_list list;

        out[r] = NAN;
        if (!call->lists)
            continue;
        if (!hb_lists_reserve(call->lists, n))
            return false;
        list = hb_list_at(call->lists, in[r]); /* where it is now */
        begin = call->lists->columns.count;
        if (!put_list(call, list, 0) || !weigh(call, (const uint32_t *)call->lists->columns.items + begin,
                                               (double *)call->lists->numbers.items + begin, n))
            return false;
        if (!hb_lists_end(call->lists, &out[r]) || !hb_call_goes_on(call, 8))
            return false;
    }
    return true;
}

/* ---- several inputs side by side */

static size_t size_of_part(const hb_call *call, size_t k, size_t r)
{
    const hb_fit_list_join *fit = call->fit;

    return fit->widths[k] ? fit->widths[k] : hb_list_at(call->lists, ((const double *)call->inputs[k])[r]).n;
}

/* Those of a list behind `first` other columns; of columns of numbers those that are not 0. */
static bool put_part(const hb_call *call, size_t k, size_t r, uint32_t first)
{
    const hb_fit_list_join *fit = call->fit;
    const double *in = (const double *)call->inputs[k] + r;

    if (!fit->widths[k])
        return put_list(call, hb_list_at(call->lists, *in), first);
    for (uint32_t c = 0; c < fit->widths[k]; c++) {
        if (in[c * call->stride] != 0)
            hb_lists_put(call->lists, first + c, in[c * call->stride]);
        if (c % AT_ONCE == AT_ONCE - 1 && !hb_call_goes_on(call, 4 * AT_ONCE))
            return false;
    }
    return true;
}

bool hb_evaluate_list_join(const hb_call *call)
{
    const hb_fit_list_join *fit = call->fit;
    double *out = call->output;

    for (size_t r = 0; r < call->rows; r++) {
        size_t n = 0;

        out[r] = NAN;
        if (!call->lists)
            continue;
        for (size_t k = 0; k < fit->n_parts; k++)
            n += size_of_part(call, k, r);
        if (!hb_lists_reserve(call->lists, n))
            return false;
        for (size_t k = 0; k < fit->n_parts; k++)
            if (!put_part(call, k, r, fit->firsts[k]) || !hb_call_goes_on(call, 4))
                return false;
        if (!hb_lists_end(call->lists, &out[r]) || !hb_call_goes_on(call, 8 + 4 * fit->n_parts))
            return false;
    }
    return true;
}

/* ---- to columns */

/* The column's place among the wanted ones, which rise; n: it is not wanted. */
static size_t place_among(const uint32_t *wanted, size_t n, uint32_t column)
{
    size_t low = 0, high = n;

    if (column < n && wanted[column] == column)
        return column; /* all of them are wanted, as mostly */
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (wanted[middle] == column)
            return middle;
        if (wanted[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return n;
}

bool hb_evaluate_list_columns(const hb_call *call)
{
    const hb_fit_list_columns *fit = call->fit;
    double *out = call->output;

    for (size_t c = 0; c < call->width; c++) {
        memset(out + c * call->stride, 0, call->rows * sizeof(*out));
        if (c % 1024 == 1023 && !hb_call_goes_on(call, 1024 * (call->rows / HB_STEPS_A_UNIT + 1)))
            return false;
    }
    for (size_t r = 0; r < call->rows; r++) {
        hb_list list = hb_list_at(call->lists, ((const double *)call->input)[r]);

        for (size_t i = 0, end; i < list.n; i = end) {
            if (!next_part(call, i, list.n, &end) || !hb_call_goes_on(call, 4 * (end - i)))
                return false;
            for (size_t k = i; k < end; k++) {
                size_t place = place_among(fit->columns, fit->n_outputs, list.columns[k]);

                if (place < fit->n_outputs)
                    out[place * call->stride + r] = list.numbers[k];
            }
        }
        if (!hb_call_goes_on(call, 8))
            return false;
    }
    return true;
}

/* ---- weighted sums */

static inline double added(const hb_fit_list_sums *fit, double sum, double number, double weight)
{
    return fit->in_float32 ? (float)sum + (float)number * (float)weight : sum + number * weight;
}

/* All outputs of a row. */
static bool add_up(const hb_call *call, hb_list list, double *out)
{
    const hb_fit_list_sums *fit = call->fit;
    size_t n = fit->n_outputs;

    for (size_t o = 0; o < n; o++)
        out[o * call->stride] = 0;
    for (size_t i = 0; i < list.n; i++) {
        const double *weights = fit->weights + list.columns[i] * n;

        if (list.columns[i] >= fit->n_columns)
            continue;
        for (size_t o = 0; o < n; o++)
            out[o * call->stride] = added(fit, out[o * call->stride], list.numbers[i], weights[o]);
        if (!hb_call_goes_on(call, n + 1))
            return false;
    }
    for (size_t o = 0; o < n; o++)
        out[o * call->stride] = added(fit, out[o * call->stride], 1, fit->bias[o]);
    return hb_call_goes_on(call, 8 + n);
}

/* The only output of a row. */
static bool add_up_one(const hb_call *call, hb_list list, double *out)
{
    const hb_fit_list_sums *fit = call->fit;
    double sum = 0;

    for (size_t i = 0, end; i < list.n; i = end) {
        if (!next_part(call, i, list.n, &end))
            return false;
        for (size_t k = i; k < end; k++)
            if (list.columns[k] < fit->n_columns)
                sum = added(fit, sum, list.numbers[k], fit->weights[list.columns[k]]);
    }
    *out = added(fit, sum, 1, fit->bias[0]);
    return hb_call_goes_on(call, 4);
}

bool hb_evaluate_list_sums(const hb_call *call)
{
    const hb_fit_list_sums *fit = call->fit;

    for (size_t r = 0; r < call->rows; r++) {
        hb_list list = hb_list_at(call->lists, ((const double *)call->input)[r]);
        double *out = (double *)call->output + r;

        if (!(fit->n_outputs == 1 ? add_up_one : add_up)(call, list, out))
            return false;
    }
    return true;
}
