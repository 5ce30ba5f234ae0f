/* solvers.c - operators that solve a problem of its own for each row. */
#include <math.h>

#include "kernel/barycentre64.h"
#include "kernel/descent64.h"
#include "kernel/factors64.h"
#include "kernel/least_angle64.h"
#include "kernel/pursuit64.h"
#include "kernel/topics64.h"
#include "op/execution.h"

/* NaN is always the same one. */
static double answer(double x)
{
    return x == x ? x : (double)NAN;
}

/* ---- topics */

/* A list of numbers below 0, which the library refuses, has no topics; nor has one with numbers beyond float32. */
static bool has_topics(const hb_fit_topics *fit, hb_list list)
{
    for (size_t i = 0; i < list.n; i++)
        if (!(list.numbers[i] >= 0) || (fit->in_float32 && isinf((float)list.numbers[i])))
            return false;
    return true;
}

/* False where the host wants to stop. */
static bool do_round(const hb_call *call, hb_topics *t, hb_list list)
{
    const hb_fit_topics *fit = call->fit;

    hb_topics_begin_round(t);
    for (size_t i = 0; i < list.n; i++) {
        double count = fit->in_float32 ? (double)(float)list.numbers[i] : list.numbers[i];

        if (list.columns[i] < fit->n_columns)
            hb_topics_add(t, fit->weights + list.columns[i] * t->n, count);
        if (!hb_call_goes_on(call, t->n + 4))
            return false;
    }
    return true;
}

static bool find_topics(const hb_call *call, hb_topics *t, hb_list list)
{
    enum { UNITS_A_TOPIC = 32 };
    const hb_fit_topics *fit = call->fit;
    double changed = INFINITY;

    hb_topics_begin(t);
    for (size_t round = 0; round < fit->n_rounds && !(changed < fit->tolerance); round++) {
        if (!do_round(call, t, list))
            return false;
        changed = hb_topics_end_round(t);
        if (!hb_call_goes_on(call, UNITS_A_TOPIC * t->n))
            return false;
    }
    hb_topics_end(t);
    for (size_t k = 0; k < t->n; k++)
        t->amounts[k * t->stride] = answer(t->amounts[k * t->stride]);
    return true;
}

bool hb_evaluate_topics(const hb_call *call)
{
    const hb_fit_topics *fit = call->fit;
    size_t n = fit->n_topics;
    double *room = (double *)call->output + n * call->stride;
    hb_topics t = {.n = n,
                   .prior = fit->prior,
                   .in_float32 = fit->in_float32,
                   .shares = room,
                   .sums = room + n,
                   .stride = call->stride};

    for (size_t r = 0; r < call->rows; r++) {
        hb_list list = hb_list_at(call->lists, ((const double *)call->input)[r]);

        t.amounts = (double *)call->output + r;
        if (!hb_call_goes_on(call, list.n + n))
            return false;
        if (!has_topics(fit, list))
            for (size_t k = 0; k < n; k++)
                t.amounts[k * call->stride] = NAN;
        else if (!find_topics(call, &t, list))
            return false;
    }
    return true;
}

/* ---- factors */

/* Adds each column, or of the list alone. False where the host wants to stop. */
static bool add_columns(const hb_call *call, hb_factors *f, hb_list list, bool all, hb_factors_add *add)
{
    enum { UNITS_OF_POWERS = 64 };
    const hb_fit_factors *fit = call->fit;
    size_t i = 0, end = all ? fit->n_columns : list.n;

    for (size_t c = 0; c < end; c++) {
        size_t column = all ? c : list.columns[c];
        bool is_listed = !all || (i < list.n && list.columns[i] == c);

        if (column < fit->n_columns)
            add(f, fit->weights + column * f->n, is_listed ? list.numbers[all ? i : c] : 0);
        i += is_listed;
        if (!hb_call_goes_on(call, f->n + UNITS_OF_POWERS))
            return false;
    }
    return true;
}

static bool find_error(const hb_call *call, hb_factors *f, hb_list list, double *error)
{
    hb_factors_begin_error(f);
    if (!add_columns(call, f, list, f->beta != 1, hb_factors_add_error))
        return false;
    *error = hb_factors_end_error(f, ((const hb_fit_factors *)call->fit)->n_columns);
    return true;
}

static bool find_factors(const hb_call *call, hb_factors *f, hb_list list)
{
    enum { ROUNDS_AN_ERROR = 10, UNITS_A_COMPONENT = 32 };
    const hb_fit_factors *fit = call->fit;
    bool has_error = fit->rule == HB_FACTORS_ERROR && fit->tolerance > 0, is_near = false;
    double first = 0, before, error, changed;

    if (f->beta == 1 && !add_columns(call, f, list, true, hb_factors_add_weights))
        return false;
    if (has_error && !find_error(call, f, list, &first))
        return false;
    before = first;
    for (size_t round = 1; round <= fit->n_rounds && !is_near; round++) {
        hb_factors_begin_round(f);
        if (!add_columns(call, f, list, f->beta != 1, hb_factors_add_column))
            return false;
        changed = hb_factors_end_round(f);
        if (!hb_call_goes_on(call, UNITS_A_COMPONENT * f->n))
            return false;
        if (fit->rule == HB_FACTORS_CHANGE)
            is_near = fit->tolerance > 0 && changed <= fit->tolerance;
        if (!has_error || round % ROUNDS_AN_ERROR != 0)
            continue;
        if (!find_error(call, f, list, &error))
            return false;
        is_near = (before - error) / first < fit->tolerance;
        before = error;
    }
    return true;
}

/* NaN of a list with a number that is not finite. */
static double mean_of(hb_list list, size_t n_columns)
{
    double sum = 0;

    for (size_t i = 0; i < list.n; i++)
        sum += isfinite(list.numbers[i]) ? list.numbers[i] : (double)NAN;
    return sum / (double)n_columns;
}

bool hb_evaluate_factors(const hb_call *call)
{
    const hb_fit_factors *fit = call->fit;
    size_t n = fit->n_components;
    double *room = (double *)call->output + n * call->stride;
    hb_factors f = {.n = n,
                    .beta = fit->beta,
                    .penalty = {fit->penalty[0], fit->penalty[1]},
                    .least = fit->least,
                    .is_kept = fit->rule == HB_FACTORS_ERROR,
                    .in_float32 = fit->in_float32};

    for (size_t r = 0; r < call->rows; r++) {
        hb_list list = hb_list_at(call->lists, ((const double *)call->input)[r]);
        double mean = mean_of(list, fit->n_columns);

        hb_factors_begin(&f, mean, room);
        if (!hb_call_goes_on(call, list.n + 8 * n) || (mean >= 0 && !find_factors(call, &f, list)))
            return false;
        for (size_t k = 0; k < n; k++)
            ((double *)call->output)[k * call->stride + r] = answer(f.amounts[k]);
    }
    return true;
}

/* ---- pursuit */

/* False where the host wants to stop. */
static bool look_at_rest(const hb_call *call, const hb_pursuit *p)
{
    size_t at_once = HB_STEPS_AT_ONCE / 4 / p->found + 1;

    for (size_t i = 0; i < p->n; i += at_once) {
        size_t end = p->n - i < at_once ? p->n : i + at_once;

        hb_pursuit_look(p, i, end);
        if (!hb_call_goes_on(call, (end - i) * p->found / HB_STEPS_A_UNIT + 1))
            return false;
    }
    return true;
}

static bool pursue(const hb_call *call, hb_pursuit *p, double *to)
{
    while (hb_pursuit_next(p))
        if (!hb_call_goes_on(call, p->n + p->found * p->found) || !look_at_rest(call, p))
            return false;
    if (!hb_call_goes_on(call, 2 * p->n))
        return false;
    for (size_t i = 0; i < p->n; i++)
        to[i * call->stride] = 0;
    for (size_t i = 0; i < p->found; i++)
        to[(size_t)p->order[i] * call->stride] = answer(p->weights[i]);
    return true;
}

bool hb_evaluate_pursuit(const hb_call *call)
{
    const hb_fit_pursuit *fit = call->fit;
    double *room = (double *)call->output + fit->n_vectors * call->stride;
    hb_pursuit p = {.n = fit->n_vectors, .k = fit->k, .least = fit->least, .gram = fit->gram, .stride = call->stride};

    for (size_t r = 0; r < call->rows; r++) {
        p.products = (const double *)call->input + r;
        hb_pursuit_begin(&p, room);
        if (!pursue(call, &p, (double *)call->output + r))
            return false;
    }
    return true;
}

/* ---- descent */

/* False where the host wants to stop. */
static bool improve_all(const hb_call *call, hb_descent *d)
{
    hb_descent_begin_round(d);
    for (size_t j = 0; j < d->n; j++) {
        hb_descent_improve(d, j);
        if (!hb_call_goes_on(call, d->n / HB_STEPS_A_UNIT + 4))
            return false;
    }
    return hb_call_goes_on(call, 4 * d->n);
}

static bool descend(const hb_call *call, hb_descent *d, double *room, double *to)
{
    size_t most = ((const hb_fit_descent *)call->fit)->n_rounds, round = 0;
    bool goes_on = hb_descent_begin(d, room);

    for (; goes_on; round++) {
        if (!improve_all(call, d))
            return false;
        goes_on = hb_descent_end_round(d, round == 0, round == most - 1);
    }
    for (size_t j = 0; j < d->n; j++)
        to[j * call->stride] = answer(d->weights[j]);
    return hb_call_goes_on(call, 8 * d->n);
}

bool hb_evaluate_descent(const hb_call *call)
{
    const hb_fit_descent *fit = call->fit;
    double *room = (double *)call->output + fit->n_vectors * call->stride;
    hb_descent d = {.rule = fit->rule,
                    .n = fit->n_vectors,
                    .penalty = fit->penalty,
                    .tolerance = fit->tolerance,
                    .positive = fit->positive,
                    .gram = fit->gram,
                    .stride = call->stride};

    for (size_t r = 0; r < call->rows; r++) {
        d.products = (const double *)call->input + r;
        d.square = hb_descent_has_square(fit->rule) ? ((const double *)call->inputs[1])[r] : 0;
        if (!descend(call, &d, room, (double *)call->output + r))
            return false;
    }
    return true;
}

/* ---- least_angle */

/* False where the host wants to stop. */
static bool look_along(const hb_call *call, const hb_least_angle *a)
{
    size_t at_once = HB_STEPS_AT_ONCE / 4 / (a->found + 1) + 1;

    for (size_t i = a->found; i < a->n; i += at_once) {
        size_t end = a->n - i < at_once ? a->n : i + at_once;

        hb_least_angle_look(a, i, end);
        if (!hb_call_goes_on(call, (end - i) * a->found / HB_STEPS_A_UNIT + 1))
            return false;
    }
    return true;
}

static bool take_steps(const hb_call *call, hb_least_angle *a)
{
    hb_least_angle_next next = HB_LEAST_ANGLE_AGAIN;
    bool goes_on = true;

    while (goes_on && next != HB_LEAST_ANGLE_END) {
        next = hb_least_angle_choose(a);
        if (!hb_call_goes_on(call, a->n + a->found * a->found))
            return false;
        if (next != HB_LEAST_ANGLE_STEP)
            continue;
        if (!look_along(call, a))
            return false;
        goes_on = hb_least_angle_step(a);
        if (!hb_call_goes_on(call, 4 * a->n + a->found * a->found))
            return false;
    }
    return true;
}

bool hb_evaluate_least_angle(const hb_call *call)
{
    const hb_fit_least_angle *fit = call->fit;
    double *room = (double *)call->output + fit->n_vectors * call->stride;
    hb_least_angle a = {.n = fit->n_vectors,
                        .k = fit->n_rounds < fit->n_vectors ? fit->n_rounds : fit->n_vectors,
                        .n_rounds = fit->n_rounds,
                        .lasso = fit->lasso,
                        .positive = fit->positive,
                        .penalty = fit->penalty,
                        .n_terms = fit->n_terms,
                        .power = fit->in_float32 ? 1e6 : 1e15,
                        .gram = fit->gram,
                        .stride = call->stride};

    for (size_t r = 0; r < call->rows; r++) {
        double *to = (double *)call->output + r;

        a.products = (const double *)call->input + r;
        if (hb_least_angle_begin(&a, room) && !take_steps(call, &a))
            return false;
        for (size_t i = 0; i < a.n; i++)
            to[i * call->stride] = answer(a.weights[i]);
        if (!hb_call_goes_on(call, 8 * a.n))
            return false;
    }
    return true;
}

/* ---- barycentre */

/* False where the host wants to stop. */
static bool find_factor(const hb_call *call, hb_barycentre *b)
{
    for (size_t i = 0; i < b->k; i++)
        for (size_t j = 0; j <= i; j++) {
            hb_barycentre_multiply(b, i, j);
            if (!hb_call_goes_on(call, b->width / HB_STEPS_A_UNIT + 4))
                return false;
        }
    for (size_t i = 0; i < b->k; i++) {
        hb_barycentre_factor(b, i);
        if (!hb_call_goes_on(call, i * i / HB_STEPS_A_UNIT + b->k))
            return false;
    }
    return true;
}

static bool has_places(const hb_barycentre *b, size_t n)
{
    for (size_t i = 0; i < b->k; i++)
        if (!(b->places[i * b->stride] >= 0 && b->places[i * b->stride] < (double)n))
            return false;
    return true;
}

bool hb_evaluate_barycentre(const hb_call *call)
{
    const hb_fit_barycentre *fit = call->fit;
    double *room = (double *)call->output + fit->k * call->stride;
    hb_barycentre b = {
        .k = fit->k, .width = fit->n_features, .part = fit->part, .points = fit->vectors, .stride = call->stride};

    hb_barycentre_begin(&b, room);
    for (size_t r = 0; r < call->rows; r++) {
        double *to = (double *)call->output + r;
        bool found;

        b.row = (const double *)call->input + r;
        b.places = (const double *)call->inputs[1] + r;
        found = has_places(&b, fit->n_vectors);
        if (found && !find_factor(call, &b))
            return false;
        if (found)
            hb_barycentre_solve(&b);
        for (size_t i = 0; i < fit->k; i++)
            to[i * call->stride] = answer(found ? b.weights[i] : (double)NAN);
        if (!hb_call_goes_on(call, fit->k * fit->k / 2 + 4))
            return false;
    }
    return true;
}
