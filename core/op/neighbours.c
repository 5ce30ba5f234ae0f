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

/* Of a row whose distances from the one at `n` on are infinite: the first places that are not among those before it. */
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
    const hb_nearest nearest = {fit->metric, fit->power, fit->n_vectors, fit->k, fit->vectors};
    size_t steps = call->rows *
                   (STEPS_OF_A_HEAP + call->input_width * (fit->metric == HB_METRIC_MINKOWSKI ? STEPS_OF_A_POWER : 1));
    size_t at_once = (HB_STEPS_AT_ONCE / steps / HB_VECTOR_GROUP + 1) * HB_VECTOR_GROUP;
    hb_tile64 tile = hb_call_tile64(call);

    begin(call, fit);
    for (size_t v = 0; v < fit->n_vectors; v += at_once) {
        size_t n = fit->n_vectors - v < at_once ? fit->n_vectors - v : at_once;

        call->kernels->hb_nearest64(&tile, &nearest, v, v + n);
        if (!hb_call_goes_on(call, n * steps / HB_STEPS_A_UNIT + 1))
            return false;
    }
    for (size_t r = 0; r < call->rows; r++)
        if (!end(call, fit, r))
            return false;
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
