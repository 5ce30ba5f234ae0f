/* own_neighbours.c - the operators of hbscore's own format that nearest neighbours and support vector machines are made
 * of: distances from stored rows, the nearest of them, numbers at places, and pairs of classes. */
#include <float.h>
#include <math.h>

#include "format/own.h"

/* ---- distances */

/* NaN may stand for what is missing. */
static bool check_not_infinite(const hb_own_reading *r, const hb_own_array *rows)
{
    for (size_t i = 0; i < rows->count && hb_document_goes_on(r->file->d, 1); i++)
        if (isinf(((const double *)rows->items)[i]))
            return hb_own_fail(r, "a number of the rows is infinite");
    return hb_document_ok(r->file->d);
}

/* Rows as float32 or float64, which become float64: [rows][columns of the input]. */
static bool read_rows(hb_own_reading *r, const char *name, hb_metric metric, hb_own_array *rows)
{
    const uint32_t allowed = 1u << HB_OWN_F8 | 1u << HB_OWN_F4;
    hb_own_dtype dtype;
    double *wide;

    if (!hb_own_member(r->file, name) || !hb_own_array_value(r->file, allowed, 2, &dtype, rows))
        return false;
    if (dtype == HB_OWN_F4) {
        wide = hb_arena_array(&r->file->pipeline->arena, rows->count, sizeof(*wide));
        if (!wide)
            return hb_document_no_memory(r->file->d);
        for (size_t i = 0; i < rows->count && hb_document_goes_on(r->file->d, 1); i++)
            wide[i] = (double)((const float *)rows->items)[i];
        rows->items = wide;
    }
    if (hb_metric_takes_missing(metric))
        return check_not_infinite(r, rows);
    return hb_own_check_finite(r, rows, "a number of the rows is not finite");
}

/* The member `metric`, and `power` behind it, if it has one. */
static bool read_metric(hb_own_reading *r, hb_metric *metric, double *power)
{
    static const char *const metrics[HB_N_METRICS] = {[HB_METRIC_DOT] = "dot",
                                                      [HB_METRIC_SQUARED_EUCLIDEAN] = "sqeuclidean",
                                                      [HB_METRIC_MANHATTAN] = "cityblock",
                                                      [HB_METRIC_CHEBYSHEV] = "chebyshev",
                                                      [HB_METRIC_MINKOWSKI] = "minkowski",
                                                      [HB_METRIC_CANBERRA] = "canberra",
                                                      [HB_METRIC_HAMMING] = "hamming",
                                                      [HB_METRIC_BRAY_CURTIS] = "braycurtis",
                                                      [HB_METRIC_COSINE] = "cosine",
                                                      [HB_METRIC_JACCARD] = "jaccard",
                                                      [HB_METRIC_CHI2] = "chi2",
                                                      [HB_METRIC_KNOWN] = "nan_euclidean"};
    size_t word = hb_own_word(r->file, "metric", metrics, HB_N_METRICS);
    const double *number;

    if (word == SIZE_MAX)
        return false;
    *metric = (hb_metric)word;
    *power = 0;
    if (*metric != HB_METRIC_MINKOWSKI)
        return true;
    number = hb_own_numbers(r->file, "power", 1);
    if (!number)
        return false;
    if (*number <= 0)
        return hb_own_fail(r, "the power is not above 0");
    *power = *number;
    return true;
}

bool hb_own_read_pairwise(hb_own_reading *r)
{
    hb_fit_pairwise fit = {.n_features = r->in[0]->width};
    hb_own_array rows;

    if (!read_metric(r, &fit.metric, &fit.power) || !read_rows(r, "rows", fit.metric, &rows))
        return false;
    if (rows.shape[1] != fit.n_features || rows.shape[0] == 0 || rows.shape[0] > HB_MAX_OUTPUTS)
        return hb_own_fail(r, "pairwise: rows is not [1 to 65536, columns of the input]");
    fit.n_vectors = rows.shape[0];
    fit.vectors = rows.items;
    hb_own_adds(r->file);
    return hb_own_add(r, HB_OPERATOR_PAIRWISE, &fit, fit.n_vectors);
}

/* ---- the nearest */

/* The file has row after row, the kernel reads groups of rows column by column. NULL: no memory, or the host wants to
 * stop. */
static const double *in_groups(const hb_own_reading *r, const hb_own_array *rows)
{
    size_t n = rows->shape[0], width = rows->shape[1];
    double *groups = hb_arena_array(&r->file->pipeline->arena, hb_in_groups(n) * width, sizeof(*groups)); /* of zeros */

    if (!groups)
        hb_document_no_memory(r->file->d);
    for (size_t i = 0; groups && i < n; i++) {
        double *to = groups + i / HB_VECTOR_GROUP * HB_VECTOR_GROUP * width + i % HB_VECTOR_GROUP;

        for (size_t c = 0; c < width; c++)
            to[c * HB_VECTOR_GROUP] = ((const double *)rows->items)[i * width + c];
        if (!hb_document_goes_on(r->file->d, width))
            return NULL;
    }
    return groups;
}

/* The same in float32, of which a filter needs to know the largest magnitude. */
static const float *narrowed(const hb_own_reading *r, const hb_own_array *rows, double *most)
{
    size_t n = rows->shape[0], width = rows->shape[1], all = hb_in_narrow_groups(n);
    float *groups = hb_arena_array(&r->file->pipeline->arena, all * width, sizeof(*groups));

    *most = 0;
    if (!groups)
        hb_document_no_memory(r->file->d);
    for (size_t i = 0; groups && i < all; i++) {
        float *to = groups + i / HB_NARROW_GROUP * HB_NARROW_GROUP * width + i % HB_NARROW_GROUP;

        for (size_t c = 0; c < width; c++) {
            double x = i < n ? ((const double *)rows->items)[i * width + c] : INFINITY;

            to[c * HB_NARROW_GROUP] = fabs(x) > FLT_MAX ? (float)copysign(INFINITY, x) : (float)x;
            *most = i < n && fabs(x) > *most ? fabs(x) : *most;
        }
        if (!hb_document_goes_on(r->file->d, width))
            return NULL;
    }
    return groups;
}

bool hb_own_read_neighbours(hb_own_reading *r)
{
    hb_fit_neighbours fit = {.n_features = r->in[0]->width};
    hb_own_array rows;

    if (!read_metric(r, &fit.metric, &fit.power))
        return false;
    if (fit.metric == HB_METRIC_DOT)
        return hb_own_fail(r, "neighbours: dot is no distance");
    if (!hb_own_member(r->file, "k"))
        return false;
    fit.k = (size_t)hb_read_integer(r->file->d, 1, HB_MAX_NEIGHBOURS);
    if (!hb_document_ok(r->file->d) || !read_rows(r, "rows", fit.metric, &rows))
        return false;
    if (rows.shape[1] != fit.n_features || fit.n_features == 0 || rows.shape[0] < fit.k)
        return hb_own_fail(r, "neighbours: rows is not [k or more, columns of the input]");
    fit.n_vectors = rows.shape[0];
    fit.vectors = in_groups(r, &rows);
    if (fit.vectors && fit.metric == HB_METRIC_SQUARED_EUCLIDEAN && !(fit.narrow = narrowed(r, &rows, &fit.most)))
        return false;
    hb_own_adds(r->file);
    return fit.vectors && hb_own_add(r, HB_OPERATOR_NEIGHBOURS, &fit, 2 * fit.k);
}

bool hb_own_read_top_k(hb_own_reading *r)
{
    hb_fit_top_k fit = {.k = 0};
    size_t width = r->in[0]->width;

    if (!hb_own_member(r->file, "terms"))
        return false;
    fit.n_terms = (size_t)hb_read_integer(r->file->d, 1, HB_MAX_OUTPUTS);
    if (!hb_document_ok(r->file->d) || !hb_own_member(r->file, "k"))
        return false;
    fit.k = (size_t)hb_read_integer(r->file->d, 1, HB_MAX_OUTPUTS / 2);
    if (!hb_document_ok(r->file->d) || !hb_own_member(r->file, "largest"))
        return false;
    fit.largest = hb_read_integer(r->file->d, 0, 1) == 1;
    if (!hb_document_ok(r->file->d))
        return false;
    if (width == 0 || width % fit.n_terms != 0 || fit.k > fit.n_terms)
        return hb_own_fail(r, "top_k: the columns are not groups of so many terms, or k is more than these");
    width = 2 * (width / fit.n_terms) * fit.k;
    return hb_own_check_columns(r, width) && hb_own_add(r, HB_OPERATOR_TOP_K, &fit, width);
}

/* ---- numbers that are missing */

bool hb_own_read_impute_nearest(hb_own_reading *r)
{
    static const char *const weights[] = {"uniform", "distance"};
    hb_fit_impute_nearest fit = {.n_features = r->in[0]->width};
    hb_own_array rows;
    size_t word;

    if (!hb_own_member(r->file, "k"))
        return false;
    fit.k = (size_t)hb_read_integer(r->file->d, 1, HB_MAX_IMPUTING);
    if (!hb_document_ok(r->file->d))
        return false;
    word = hb_own_word(r->file, "weights", weights, 2);
    if (word == SIZE_MAX || !hb_own_array_read(r->file, "rows", HB_OWN_F8, 2, &rows) || !check_not_infinite(r, &rows))
        return false;
    if (rows.shape[1] != fit.n_features || rows.count == 0)
        return hb_own_fail(r, "impute_nearest: rows is not [1 or more, columns of the input]");
    fit.by_distance = word == 1;
    fit.n_vectors = rows.shape[0];
    fit.vectors = in_groups(r, &rows);
    fit.fill = fit.vectors ? hb_own_numbers(r->file, "fill", fit.n_features) : NULL;
    hb_own_adds(r->file);
    return fit.fill && hb_own_add(r, HB_OPERATOR_IMPUTE_NEAREST, &fit, fit.n_features);
}

/* ---- numbers at places */

static bool read_place_members(hb_own_reading *r, hb_fit_look_up *fit)
{
    hb_own_array first;

    if (!hb_own_member(r->file, "places"))
        return false;
    fit->n_places = (size_t)hb_read_integer(r->file->d, 1, INT32_MAX);
    if (!hb_document_ok(r->file->d) || !hb_own_member(r->file, "stride"))
        return false;
    fit->step = (size_t)hb_read_integer(r->file->d, 0, INT32_MAX);
    if (!hb_document_ok(r->file->d) || !hb_own_array_read(r->file, "first", HB_OWN_I4, 1, &first))
        return false;
    if (first.count != fit->n_outputs)
        return hb_own_fail(r, "look_up: first is not one place for each column");
    for (size_t i = 0; i < first.count && hb_document_goes_on(r->file->d, 1); i++)
        if (((const int32_t *)first.items)[i] < 0)
            return hb_own_fail(r, "look_up: first is negative");
    fit->first = first.items;
    return hb_document_ok(r->file->d);
}

/* All places of each output are among the n numbers. */
static bool has_all_places(const hb_own_reading *r, const hb_fit_look_up *fit, size_t n)
{
    size_t last;

    if (!hb_multiply(fit->n_places - 1, fit->step, &last) || last >= n)
        return false;
    for (size_t o = 0; o < fit->n_outputs && hb_document_goes_on(r->file->d, 1); o++)
        if (fit->first[o] >= n - last)
            return false;
    return true;
}

/* One input: the places, in `numbers`. Two: numbers that the row has, and the places. */
bool hb_own_read_look_up(hb_own_reading *r)
{
    const hb_own_value *places = r->in[r->n_in - 1];
    hb_fit_look_up fit = {.n_outputs = places->width, .n_numbers = r->in[0]->width};
    uint32_t inputs[2] = {(uint32_t)r->in[0]->value, (uint32_t)places->value};
    hb_own_array numbers = {.items = NULL};

    if (places->width == 0)
        return hb_own_fail(r, "look_up: no places");
    if (!read_place_members(r, &fit))
        return false;
    if (r->n_in == 1) {
        if (!hb_own_array_read(r->file, "numbers", HB_OWN_F8, 1, &numbers))
            return false;
        fit.numbers = numbers.items;
        fit.n_numbers = numbers.count;
    }
    if (!has_all_places(r, &fit, fit.n_numbers))
        return hb_document_ok(r->file->d) && hb_own_fail(r, "look_up: places that are not among the numbers");
    r->made.width = fit.n_outputs;
    r->made.value = hb_pipeline_add_of(r->file->pipeline, HB_OPERATOR_LOOK_UP, inputs, r->n_in, &fit);
    return true;
}

/* ---- pairs of classes */

bool hb_own_read_coupling(hb_own_reading *r)
{
    hb_fit_coupling fit;

    if (!hb_own_member(r->file, "classes"))
        return false;
    fit.n_classes = (size_t)hb_read_integer(r->file->d, 2, HB_MAX_COUPLED);
    if (!hb_document_ok(r->file->d))
        return false;
    if (r->in[0]->width != fit.n_classes * (fit.n_classes - 1) / 2)
        return hb_own_fail(r, "coupling: not one number for each pair of classes");
    hb_own_adds(r->file);
    return hb_own_add(r, HB_OPERATOR_COUPLING, &fit, fit.n_classes);
}
