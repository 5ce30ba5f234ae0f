/* neighbours.c - distances from fixed vectors, the nearest of them, numbers at places, and pairs of classes. */
#include <math.h>

#include "kernel/coupling64.h"
#include "kernel/top_k64.h"
#include "op/execution.h"

/* Some vectors at a time. */
bool hb_evaluate_pairwise(const hb_call *call)
{
    enum { STEPS_OF_A_POWER = 32 };
    const hb_fit_pairwise *fit = call->fit;
    size_t steps = call->input_width * call->rows * (fit->metric == HB_METRIC_MINKOWSKI ? STEPS_OF_A_POWER : 1);
    size_t at_once = HB_STEPS_AT_ONCE / (steps ? steps : 1) / 8 * 8 + 8;
    hb_tile64 tile = hb_call_tile64(call);

    for (size_t o = 0; o < call->width; o += at_once) {
        size_t n = call->width - o < at_once ? call->width - o : at_once;

        tile.out = (double *)call->output + o * call->stride;
        call->kernels->hb_pairwise64(&tile, fit->metric, fit->power, fit->vectors + o * call->input_width, n);
        if (!hb_call_goes_on(call, n * steps / HB_STEPS_A_UNIT + 1))
            return false;
    }
    return true;
}

bool hb_evaluate_top_k(const hb_call *call)
{
    const hb_fit_top_k *fit = call->fit;
    size_t n_groups = call->input_width / fit->n_terms;

    for (size_t g = 0; g < n_groups; g++)
        for (size_t r = 0; r < call->rows; r++) {
            double *numbers = (double *)call->output + g * fit->k * call->stride + r;

            hb_top_k64((const double *)call->input + g * fit->n_terms * call->stride + r, fit->n_terms, call->stride,
                       fit->k, fit->largest, numbers, numbers + n_groups * fit->k * call->stride);
            if (!hb_call_goes_on(call, HB_UNITS_A_CELL * fit->n_terms))
                return false;
        }
    return true;
}

/* ---- neighbours */

/* Nothing is near so far: places behind all of the vectors, which are taken out first. */
static void begin(const hb_call *call, const hb_fit_neighbours *fit)
{
    double *numbers = call->output, *places = numbers + fit->k * call->stride;

    for (size_t i = 0; i < fit->k; i++)
        for (size_t r = 0; r < call->rows; r++) {
            numbers[i * call->stride + r] = INFINITY;
            places[i * call->stride + r] = (double)(fit->n_vectors + fit->k - i);
        }
}

static bool is_among(double place, const double *places, size_t stride, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (places[i * stride] == place)
            return true;
    return false;
}

/* A row whose distances from place `n` on are infinite gets the first places that are not among those before it. */
static bool fill_places(const hb_call *call, double *places, size_t n, size_t k)
{
    size_t next = 0;

    for (size_t i = n; i < k; next++) {
        if (!is_among((double)next, places, call->stride, n))
            places[i++ * call->stride] = (double)next;
        if (!hb_call_goes_on(call, n + 1))
            return false;
    }
    return true;
}

/* False where the host wants to stop. */
static bool end(const hb_call *call, const hb_fit_neighbours *fit, size_t r)
{
    double *numbers = (double *)call->output + r, *places = numbers + fit->k * call->stride;
    size_t n = fit->k;

    hb_top_k_sort(numbers, places, call->stride, fit->k);
    while (n > 0 && numbers[(n - 1) * call->stride] == INFINITY)
        n--;
    return fill_places(call, places, n, fit->k) && hb_call_goes_on(call, HB_UNITS_A_CELL * fit->k);
}

/* Some vectors at a time. */
bool hb_evaluate_neighbours(const hb_call *call)
{
    enum { STEPS_OF_A_POWER = 32, STEPS_OF_A_HEAP = 32 };
    const hb_fit_neighbours *fit = call->fit;
    const hb_nearest nearest = {fit->metric, fit->power, fit->n_vectors, fit->k, fit->vectors, fit->narrow, fit->most};
    bool is_filtered =
        fit->narrow && fit->metric == HB_METRIC_SQUARED_EUCLIDEAN && call->input_width <= HB_MOST_FILTERED;
    size_t steps = call->rows *
                   (STEPS_OF_A_HEAP + call->input_width * (fit->metric == HB_METRIC_MINKOWSKI ? STEPS_OF_A_POWER : 1));
    size_t at_once = (HB_STEPS_AT_ONCE / steps / HB_NARROW_GROUP + 1) * HB_NARROW_GROUP;
    hb_tile64 tile = hb_call_tile64(call);

    begin(call, fit);
    for (size_t v = 0; v < fit->n_vectors; v += at_once) {
        size_t n = fit->n_vectors - v < at_once ? fit->n_vectors - v : at_once;

        (is_filtered ? call->kernels->hb_nearest_filtered64 : call->kernels->hb_nearest64)(&tile, &nearest, v, v + n);
        if (!hb_call_goes_on(call, n * steps / HB_STEPS_A_UNIT + 1))
            return false;
    }
    for (size_t r = 0; r < call->rows; r++)
        if (!end(call, fit, r))
            return false;
    return true;
}

/* ---- impute_nearest */

/* The mean of column c of the n vectors at `places`; by distance those at a distance of 0, if there are any, or by its
 * reciprocal. */
static double mean_of(const hb_fit_impute_nearest *fit, size_t c, const double *squares, const double *places, size_t n)
{
    double sum = 0, weights = 0;
    bool is_same = fit->by_distance && squares[0] == 0;

    for (size_t i = 0; i < n; i++) {
        size_t place = (size_t)places[i];
        size_t group = place / HB_VECTOR_GROUP * HB_VECTOR_GROUP * fit->n_features;
        double weight = !fit->by_distance ? 1 : is_same ? squares[i] == 0 : 1 / sqrt(squares[i]);

        sum += weight * fit->vectors[group + c * HB_VECTOR_GROUP + place % HB_VECTOR_GROUP];
        weights += weight;
    }
    return sum / weights;
}

/* False where the host wants to stop. */
static bool impute_cell(const hb_call *call, const hb_fit_impute_nearest *fit, size_t r, size_t c, double *to)
{
    const hb_nearest nearest = {.n_vectors = fit->n_vectors, .k = fit->k, .vectors = fit->vectors};
    const hb_tile64 row = {
        .in = (const double *)call->input + r, .width = call->input_width, .stride = call->stride, .rows = 1};
    size_t at_once = (HB_STEPS_AT_ONCE / (call->input_width + 32) / HB_VECTOR_GROUP + 1) * HB_VECTOR_GROUP, n = 0;
    double squares[HB_MAX_IMPUTING], places[HB_MAX_IMPUTING];

    for (size_t i = 0; i < fit->k; i++) {
        squares[i] = INFINITY;
        places[i] = (double)(fit->n_vectors + fit->k - i);
    }
    for (size_t v = 0; v < fit->n_vectors; v += at_once) {
        size_t some = fit->n_vectors - v < at_once ? fit->n_vectors - v : at_once;

        call->kernels->hb_nearest_known64(&row, &nearest, c, v, v + some, squares, places);
        if (!hb_call_goes_on(call, some * (call->input_width + 32) / HB_STEPS_A_UNIT + 1))
            return false;
    }
    hb_top_k_sort(squares, places, 1, fit->k);
    while (n < fit->k && squares[n] < INFINITY)
        n++;
    *to = n ? mean_of(fit, c, squares, places, n) : fit->fill[c];
    return hb_call_goes_on(call, HB_UNITS_A_CELL * fit->k);
}

bool hb_evaluate_impute_nearest(const hb_call *call)
{
    for (size_t c = 0; c < call->width; c++) {
        const double *from = (const double *)call->input + c * call->stride;
        double *to = (double *)call->output + c * call->stride;

        for (size_t r = 0; r < call->rows; r++) {
            to[r] = from[r];
            if (from[r] != from[r] && !impute_cell(call, call->fit, r, c, &to[r]))
                return false;
        }
        if (!hb_call_goes_on(call, call->rows))
            return false;
    }
    return true;
}

/* ---- look_up */

/* The number at this place of output o; NaN: the place is none. */
static double number_at(const hb_call *call, const hb_fit_look_up *fit, size_t o, size_t r, double place)
{
    double n = (double)fit->n_places;
    size_t i;

    if (!(place >= -n && place < n))
        return NAN;
    i = (size_t)(place < 0 ? place + n : place) * fit->step + (fit->first ? fit->first[o] : 0);
    return fit->numbers ? fit->numbers[i] : ((const double *)call->input)[i * call->stride + r];
}

bool hb_evaluate_look_up(const hb_call *call)
{
    const hb_fit_look_up *fit = call->fit;
    const double *places = fit->numbers ? call->input : call->inputs[1];

    for (size_t o = 0; o < call->width; o++) {
        for (size_t r = 0; r < call->rows; r++)
            ((double *)call->output)[o * call->stride + r] = number_at(call, fit, o, r, places[o * call->stride + r]);
        if (!hb_call_goes_on(call, call->rows))
            return false;
    }
    return true;
}

_Static_assert((size_t)HB_MAX_COUPLED <= (size_t)HB_COUPLING_ROOM, "the kernel has room for all classes of a row");

bool hb_evaluate_coupling(const hb_call *call)
{
    const hb_fit_coupling *fit = call->fit;
    hb_coupling c;

    for (size_t r = 0; r < call->rows; r++) {
        hb_coupling_begin(&c, (const double *)call->input + r, fit->n_classes, call->stride);
        while (hb_coupling_next(&c))
            if (!hb_call_goes_on(call, 4 * fit->n_classes * fit->n_classes))
                return false;
        for (size_t t = 0; t < fit->n_classes; t++)
            ((double *)call->output)[t * call->stride + r] = c.p[t] == c.p[t] ? c.p[t] : NAN;
    }
    return true;
}
