/* own_solvers.c - operators of hbscore's own format that solve a problem of its own for each row. */
#include <float.h>
#include <math.h>

#include "format/own.h"

/* Member `name`, one number from 0 on. */
static bool read_number(hb_own_reading *r, const char *name, double *number)
{
    const double *numbers = hb_own_numbers(r->file, name, 1);

    if (!numbers)
        return false;
    *number = *numbers;
    return *number >= 0 || hb_own_fail(r, "a number is below 0");
}

/* Member `name`, a whole number from `least` to `most`. */
static bool read_count(hb_own_reading *r, const char *name, int64_t least, int64_t most, size_t *number)
{
    if (!hb_own_member(r->file, name))
        return false;
    *number = (size_t)hb_read_integer(r->file->d, least, most);
    return hb_document_ok(r->file->d);
}

/* ---- topics */

/* Item i of the array, of float32 or float64. */
static double item_of(const hb_own_array *array, hb_own_dtype dtype, size_t i)
{
    return dtype == HB_OWN_F4 ? (double)((const float *)array->items)[i] : ((const double *)array->items)[i];
}

/* Weights that an operator has of each column, and what to say where they are wrong. */
typedef struct weights_reading {
    size_t most, n_columns;
    const char *of_shape, *of_weight;
    size_t n;
    const double *weights; /* [n_columns][n] */
} weights_reading;

/* The weights of one column stand together. */
static bool read_weights(hb_own_reading *r, weights_reading *w)
{
    hb_own_array array;
    hb_own_dtype dtype;
    double *to;

    if (!hb_own_member(r->file, "weights") ||
        !hb_own_array_value(r->file, 1u << HB_OWN_F8 | 1u << HB_OWN_F4, 2, &dtype, &array))
        return false;
    if (array.shape[0] == 0 || array.shape[0] > w->most || array.shape[1] != w->n_columns || array.count == 0)
        return hb_own_fail(r, w->of_shape);
    to = hb_arena_array(&r->file->pipeline->arena, array.count, sizeof(*to));
    if (!to)
        return hb_document_no_memory(r->file->d);
    w->n = array.shape[0];
    w->weights = to;
    for (size_t i = 0; i < array.count && hb_document_goes_on(r->file->d, 2); i++) {
        double weight = item_of(&array, dtype, i);

        if (!(weight >= 0 && weight <= DBL_MAX))
            return hb_own_fail(r, w->of_weight);
        to[i % w->n_columns * w->n + i / w->n_columns] = weight;
    }
    return hb_document_ok(r->file->d);
}

bool hb_own_read_topics(hb_own_reading *r)
{
    hb_fit_topics fit = {.n_columns = r->in[0]->width};
    weights_reading w = {HB_MAX_TOPICS,
                         fit.n_columns,
                         "topics: weights is not [1 to 4096, columns of the input]",
                         "topics: a weight is below 0, or not finite",
                         0,
                         NULL};
    hb_pipeline *pipeline = r->file->pipeline;
    uint32_t value = (uint32_t)r->in[0]->value;

    if (!hb_own_dtype_read(r, &fit.in_float32) || !read_number(r, "prior", &fit.prior) ||
        !read_number(r, "tolerance", &fit.tolerance) || !read_count(r, "rounds", 0, INT32_MAX, &fit.n_rounds) ||
        !read_weights(r, &w) || (!r->in[0]->is_list && !hb_own_list_numbers(r, &value)))
        return false;
    fit.n_topics = w.n;
    fit.weights = w.weights;
    hb_own_adds(r->file);
    if (fit.in_float32) /* which may end a round sooner or later */
        pipeline->tolerance = fmax(pipeline->tolerance, fit.tolerance);
    r->made.value = hb_pipeline_add(pipeline, HB_OPERATOR_TOPICS, value, &fit);
    r->made.width = fit.n_topics;
    return true;
}

/* ---- factors */

/* Member `penalty`: two numbers, from 0 on; `beta`: any one. */
static bool read_divergence(hb_own_reading *r, hb_fit_factors *fit)
{
    const double *beta = hb_own_numbers(r->file, "beta", 1);
    const double *penalty = beta ? hb_own_numbers(r->file, "penalty", 2) : NULL;

    if (!penalty)
        return false;
    fit->beta = *beta;
    fit->penalty[0] = penalty[0];
    fit->penalty[1] = penalty[1];
    return (penalty[0] >= 0 && penalty[1] >= 0) || hb_own_fail(r, "factors: a penalty is below 0");
}

bool hb_own_read_factors(hb_own_reading *r)
{
    static const char *const rules[] = {[HB_FACTORS_ERROR] = "error", [HB_FACTORS_CHANGE] = "change"};
    hb_fit_factors fit = {.n_columns = r->in[0]->width};
    weights_reading w = {HB_MAX_ATOMS,
                         fit.n_columns,
                         "factors: weights is not [1 to 1024, columns of the input]",
                         "factors: a weight is below 0, or not finite",
                         0,
                         NULL};
    hb_pipeline *pipeline = r->file->pipeline;
    uint32_t value = (uint32_t)r->in[0]->value;
    size_t rule = hb_own_word(r->file, "rule", rules, HB_N_FACTORS_RULES);

    if (rule == SIZE_MAX || !hb_own_dtype_read(r, &fit.in_float32) || !read_divergence(r, &fit) ||
        !read_number(r, "least", &fit.least) || !read_number(r, "tolerance", &fit.tolerance) ||
        !read_count(r, "rounds", 1, INT32_MAX, &fit.n_rounds) || !read_weights(r, &w) ||
        (!r->in[0]->is_list && !hb_own_list_numbers(r, &value)))
        return false;
    fit.rule = (hb_factors_rule)rule;
    fit.n_components = w.n;
    fit.weights = w.weights;
    hb_own_adds(r->file);
    if (fit.in_float32) /* which may end ten rounds sooner or later */
        pipeline->tolerance = fmax(pipeline->tolerance, fit.tolerance);
    r->made.value = hb_pipeline_add(pipeline, HB_OPERATOR_FACTORS, value, &fit);
    r->made.width = fit.n_components;
    return true;
}

/* ---- pursuit, descent */

/* Member `gram`: the products of the vectors with each other, whose own are not negative. NULL after an error. */
static const double *read_gram(hb_own_reading *r, size_t n)
{
    hb_own_array gram;

    if (!hb_own_array_read(r->file, "gram", HB_OWN_F8, 2, &gram))
        return NULL;
    if (gram.shape[0] != n || gram.shape[1] != n || n == 0 || n > HB_MAX_ATOMS) {
        hb_own_fail(r, "gram is not [n, n] of n input columns, 1 to 1024");
        return NULL;
    }
    if (!hb_own_check_finite(r, &gram, "a number of gram is not finite"))
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (((const double *)gram.items)[i * n + i] < 0) {
            hb_own_fail(r, "a square of gram is below 0");
            return NULL;
        }
    return gram.items;
}

bool hb_own_read_pursuit(hb_own_reading *r)
{
    hb_fit_pursuit fit = {.n_vectors = r->in[0]->width};

    if (!read_count(r, "k", 1, HB_MAX_PURSUED, &fit.k) || !read_number(r, "least", &fit.least))
        return false;
    fit.gram = read_gram(r, fit.n_vectors);
    if (!fit.gram)
        return false;
    if (fit.k > fit.n_vectors)
        return hb_own_fail(r, "pursuit: k is more than the input's columns");
    hb_own_adds(r->file);
    return hb_own_add(r, HB_OPERATOR_PURSUIT, &fit, fit.n_vectors);
}

bool hb_own_read_descent(hb_own_reading *r)
{
    static const char *const rules[] = {[HB_DESCENT_GAP] = "gap",
                                        [HB_DESCENT_SCREENED] = "screened",
                                        [HB_DESCENT_STILL] = "still",
                                        [HB_DESCENT_SLOPE] = "slope"};
    hb_fit_descent fit = {.n_vectors = r->in[0]->width};
    size_t rule = hb_own_word(r->file, "rule", rules, HB_N_DESCENT_RULES), positive;
    uint32_t inputs[2] = {(uint32_t)r->in[0]->value, r->n_in == 2 ? (uint32_t)r->in[1]->value : 0};

    if (rule == SIZE_MAX || !read_count(r, "positive", 0, 1, &positive) || !read_number(r, "penalty", &fit.penalty) ||
        !read_number(r, "tolerance", &fit.tolerance) || !read_count(r, "rounds", 1, INT32_MAX, &fit.n_rounds))
        return false;
    if (r->n_in != (hb_descent_has_square((hb_descent_rule)rule) ? 2 : 1) || (r->n_in == 2 && r->in[1]->width != 1))
        return hb_own_fail(r, "descent: under gap and screened a second input, the square of the row, and else none");
    fit.gram = read_gram(r, fit.n_vectors);
    if (!fit.gram)
        return false;
    fit.rule = (hb_descent_rule)rule;
    fit.positive = positive == 1;
    hb_own_adds(r->file);
    r->file->pipeline->tolerance = fmax(r->file->pipeline->tolerance, fit.tolerance);
    r->made.value = hb_pipeline_add_of(r->file->pipeline, HB_OPERATOR_DESCENT, inputs, r->n_in, &fit);
    r->made.width = fit.n_vectors;
    return true;
}

bool hb_own_read_least_angle(hb_own_reading *r)
{
    static const char *const paths[] = {"angle", "lasso"};
    hb_fit_least_angle fit = {.n_vectors = r->in[0]->width};
    size_t path = hb_own_word(r->file, "path", paths, 2), positive, n_terms;

    if (path == SIZE_MAX || !hb_own_dtype_read(r, &fit.in_float32) || !read_count(r, "positive", 0, 1, &positive) ||
        !read_number(r, "penalty", &fit.penalty) || !read_count(r, "terms", 1, INT32_MAX, &n_terms) ||
        !read_count(r, "rounds", 1, INT32_MAX, &fit.n_rounds))
        return false;
    fit.gram = read_gram(r, fit.n_vectors);
    if (!fit.gram)
        return false;
    if (fit.n_rounds > HB_MAX_PURSUED && fit.n_vectors > HB_MAX_PURSUED)
        return hb_own_fail(r, "least_angle: more than 256 columns, of which more than 256 may have a weight");
    fit.lasso = path == 1;
    fit.positive = positive == 1;
    fit.n_terms = (double)n_terms;
    hb_own_adds(r->file);
    return hb_own_add(r, HB_OPERATOR_LEAST_ANGLE, &fit, fit.n_vectors);
}

/* ---- barycentre */

bool hb_own_read_barycentre(hb_own_reading *r)
{
    hb_fit_barycentre fit = {.n_features = r->in[0]->width, .k = r->in[1]->width};
    const uint32_t inputs[2] = {(uint32_t)r->in[0]->value, (uint32_t)r->in[1]->value};
    hb_own_array rows;

    if (!read_number(r, "part", &fit.part) || !hb_own_array_read(r->file, "rows", HB_OWN_F8, 2, &rows))
        return false;
    if (rows.shape[1] != fit.n_features || rows.count == 0 || fit.k == 0 || fit.k > HB_MAX_BARYCENTRE)
        return hb_own_fail(r, "barycentre: rows is not [1 or more, columns of the first input], or 1 to 256 places");
    if (!hb_own_check_finite(r, &rows, "barycentre: a number of the rows is not finite"))
        return false;
    fit.n_vectors = rows.shape[0];
    fit.vectors = rows.items;
    hb_own_adds(r->file);
    r->made.value = hb_pipeline_add_of(r->file->pipeline, HB_OPERATOR_BARYCENTRE, inputs, 2, &fit);
    r->made.width = fit.k;
    return true;
}
