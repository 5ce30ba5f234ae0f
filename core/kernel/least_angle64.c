/* least_angle64.c - see least_angle64.h. */
#include "kernel/least_angle64.h"

#include <float.h>
#include <math.h>

static const double almost = FLT_EPSILON,
                    tiny = FLT_MIN; /* two penalties that are equal; added to what is divided by */

static size_t vector_at(const hb_least_angle *a, size_t place)
{
    return (size_t)a->order[place];
}

/* Row i of the factor. */
static double *factor_of(const hb_least_angle *a, size_t i)
{
    return a->factor + i * (i + 3) / 2;
}

static void swap(double *x, size_t i, size_t j)
{
    double swapped = x[i];

    x[i] = x[j];
    x[j] = swapped;
}

static bool without_answer(hb_least_angle *a)
{
    for (size_t i = 0; i < a->n; i++)
        a->weights[i] = (double)NAN;
    return false;
}

bool hb_least_angle_begin(hb_least_angle *a, double *room)
{
    bool has_answer = true;

    a->found = a->rounds = 0;
    a->dropped = false;
    a->alpha = a->before = 0;
    a->order = room;
    a->left = a->order + a->n;
    a->weights = a->left + a->n;
    a->last = a->weights + a->n;
    a->direction = a->last + a->n;
    a->steps = a->direction + a->n;
    a->signs = a->steps + a->k;
    a->factor = a->signs + a->k;
    for (size_t i = 0; i < a->n; i++) {
        a->order[i] = (double)i;
        a->left[i] = a->products[i * a->stride];
        a->weights[i] = a->last[i] = 0;
        has_answer &= isfinite(a->left[i]);
    }
    return has_answer || without_answer(a);
}

/* ---- the next vector */

/* The place of the largest product that is left, the first of equal ones. There is one. */
static size_t largest_left(const hb_least_angle *a)
{
    size_t place = a->found;

    for (size_t i = a->found; i < a->n; i++) {
        double size = a->positive ? a->left[i] : fabs(a->left[i]);

        if (size > (a->positive ? a->left[place] : fabs(a->left[place])))
            place = i;
    }
    return place;
}

/* Between the last two steps, where the penalty is met. */
static void go_back(hb_least_angle *a)
{
    double part = (a->before - a->penalty) / (a->before - a->alpha);

    if (!(fabs(a->alpha - a->penalty) > almost) || a->rounds == 0)
        return;
    for (size_t i = 0; i < a->n; i++)
        a->weights[i] = a->last[i] + part * (a->weights[i] - a->last[i]);
}

/* A new row of the factor, of the vector at place `found`: its last item. */
static double extend(const hb_least_angle *a)
{
    const double *gram = a->gram + vector_at(a, a->found) * a->n;
    double *row = factor_of(a, a->found), squares = 0;

    for (size_t i = 0; i < a->found; i++) {
        const double *earlier = factor_of(a, i);

        row[i] = gram[vector_at(a, i)];
        for (size_t j = 0; j < i; j++)
            row[i] -= earlier[j] * row[j];
        row[i] /= earlier[i];
        squares += row[i] * row[i];
    }
    row[a->found] = fmax(sqrt(fabs(gram[vector_at(a, a->found)] - squares)), DBL_EPSILON);
    return row[a->found];
}

/* False: the vector depends on others. It counts no more, but the one that stood at the first place takes the zero, as
 * there: the library changes their places in the matrix, and not what is left of their products. */
static bool take_in(hb_least_angle *a, size_t place)
{
    const double least = 1e-7;
    double product = a->left[place];

    swap(a->order, a->found, place);
    if (extend(a) < least) {
        a->left[place] = 0;
        return false;
    }
    swap(a->left, a->found, place);
    a->signs[a->found] = a->positive ? 1 : (double)((product > 0) - (product < 0));
    a->found++;
    return true;
}

/* ---- the direction */

/* Steps whose products with the vectors found are the signs; `more` in the factor's diagonal. */
static double solve(const hb_least_angle *a, double more)
{
    double *x = a->steps, sum = 0;

    for (size_t i = 0; i < a->found; i++) {
        const double *row = factor_of(a, i);

        x[i] = a->signs[i];
        for (size_t j = 0; j < i; j++)
            x[i] -= row[j] * x[j];
        x[i] /= row[i] + more;
    }
    for (size_t i = a->found; i-- > 0;) {
        for (size_t j = i + 1; j < a->found; j++)
            x[i] -= factor_of(a, j)[i] * x[j];
        x[i] /= factor_of(a, i)[i] + more;
    }
    for (size_t i = 0; i < a->found; i++)
        sum += x[i] * a->signs[i];
    return sum;
}

/* False: there is none, of a factor with NaN. */
static bool find_direction(hb_least_angle *a)
{
    enum { MOST = 60 };
    double more = 0, sum = solve(a, 0);

    if (a->found == 1 && a->steps[0] == 0) {
        a->steps[0] = a->scale = 1;
        return true;
    }
    a->scale = 1 / sqrt(sum);
    for (int i = 0; !isfinite(a->scale) && i < MOST; i++) {
        more += ldexp(DBL_EPSILON, i);
        a->scale = 1 / sqrt(fmax(solve(a, more), DBL_EPSILON));
    }
    for (size_t i = 0; i < a->found; i++)
        a->steps[i] *= a->scale;
    return isfinite(a->scale);
}

static hb_least_angle_next end(hb_least_angle *a, bool has_answer)
{
    if (!has_answer)
        without_answer(a);
    return HB_LEAST_ANGLE_END;
}

hb_least_angle_next hb_least_angle_choose(hb_least_angle *a)
{
    size_t place = a->found < a->n ? largest_left(a) : 0;

    a->largest = a->found == a->n ? 0 : a->positive ? a->left[place] : fabs(a->left[place]);
    a->alpha = a->largest / a->n_terms;
    if (a->alpha <= a->penalty + almost) {
        go_back(a);
        return end(a, true);
    }
    if (a->rounds >= a->n_rounds || a->found >= a->n)
        return end(a, true);
    if (!a->dropped && !take_in(a, place))
        return HB_LEAST_ANGLE_AGAIN;
    if (a->lasso && a->rounds > 0 && a->before < a->alpha) /* by errors alone */
        return end(a, true);
    if (!find_direction(a))
        return end(a, false);
    return HB_LEAST_ANGLE_STEP;
}

/* ---- a step */

void hb_least_angle_look(const hb_least_angle *a, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const double *gram = a->gram + vector_at(a, i) * a->n;
        double sum = 0, rounded;

        for (size_t j = 0; j < a->found; j++)
            sum += gram[vector_at(a, j)] * a->steps[j];
        rounded = rint(sum * a->power) / a->power;
        a->direction[i] = rounded;
    }
}

static double least_positive(double x, double least)
{
    return x > 0 && x < least ? x : least;
}

/* The step at which another vector is as good as those found. */
static double length_of_step(const hb_least_angle *a)
{
    double least = DBL_MAX;

    for (size_t i = a->found; i < a->n; i++) {
        least = least_positive((a->largest - a->left[i]) / (a->scale - a->direction[i] + tiny), least);
        if (!a->positive)
            least = least_positive((a->largest + a->left[i]) / (a->scale + a->direction[i] + tiny), least);
    }
    return fmin(least, a->largest / a->scale);
}

/* The step at which the first weight is 0; *place: the last of those that are. */
static double length_to_zero(const hb_least_angle *a, size_t *place, size_t *count)
{
    double least = DBL_MAX;

    *count = 0;
    for (size_t i = 0; i < a->found; i++) {
        double length = -a->weights[vector_at(a, i)] / (a->steps[i] + tiny);

        if (length > 0 && length <= least) {
            *count = length == least ? *count + 1 : 1;
            *place = i;
            least = length;
        }
    }
    return least;
}

/* The signs of all weights that become 0 at once. */
static void turn_signs(hb_least_angle *a, double length)
{
    for (size_t i = 0; i < a->found; i++)
        if (-a->weights[vector_at(a, i)] / (a->steps[i] + tiny) == length)
            a->signs[i] = -a->signs[i];
}

static void move(hb_least_angle *a, double length)
{
    for (size_t i = 0; i < a->n; i++) {
        a->last[i] = a->weights[i];
        a->weights[i] = 0;
    }
    for (size_t i = 0; i < a->found; i++)
        a->weights[vector_at(a, i)] = a->last[vector_at(a, i)] + length * a->steps[i];
    for (size_t i = a->found; i < a->n; i++)
        a->left[i] -= length * a->direction[i];
}

/* The factor without the vector at `place`: rows move up, and rotations make a triangle of them again. */
static void shorten_factor(const hb_least_angle *a, size_t place)
{
    for (size_t i = place; i + 1 < a->found; i++)
        for (size_t j = 0; j < i + 2; j++)
            factor_of(a, i)[j] = factor_of(a, i + 1)[j];
    for (size_t i = place; i + 1 < a->found; i++) {
        double *row = factor_of(a, i), length = sqrt(row[i] * row[i] + row[i + 1] * row[i + 1]);
        double c = length > 0 ? row[i] / length : 1, s = length > 0 ? row[i + 1] / length : 0;

        row[i] = length;
        for (size_t r = i + 1; r + 1 < a->found; r++) {
            double *below = factor_of(a, r), x = below[i], y = below[i + 1];

            below[i] = c * x + s * y;
            below[i + 1] = c * y - s * x;
        }
    }
}

/* The vector at `place` is the first of the others. */
static void drop(hb_least_angle *a, size_t place)
{
    size_t vector = vector_at(a, place);
    double left = a->products[vector * a->stride];

    shorten_factor(a, place);
    for (size_t i = place; i + 1 < a->found; i++) {
        a->order[i] = a->order[i + 1];
        a->signs[i] = a->signs[i + 1];
    }
    a->found--;
    a->order[a->found] = (double)vector;
    for (size_t i = 0; i < a->n; i++)
        left -= a->gram[vector * a->n + i] * a->weights[i];
    a->left[a->found] = left;
}

bool hb_least_angle_step(hb_least_angle *a)
{
    size_t place = 0, count;
    double length = length_of_step(a), to_zero = length_to_zero(a, &place, &count);

    a->dropped = to_zero < length;
    if (a->dropped)
        turn_signs(a, to_zero);
    if (a->dropped && a->lasso)
        length = to_zero;
    a->rounds++;
    a->before = a->alpha;
    move(a, length);
    if (!a->dropped || !a->lasso)
        return true;
    if (count > 1)
        return without_answer(a);
    drop(a, place);
    return true;
}
