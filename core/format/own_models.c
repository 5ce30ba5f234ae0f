/* own_models.c - the operators of hbscore's own format that predict: models, and what their scores become. */
#include <math.h>

#include "format/own.h"

/* ---- models */

/* -infinity: a class whose prior probability is 0. */
static bool check_intercept(const hb_own_reading *r, const hb_own_array *intercept)
{
    for (size_t i = 0; i < intercept->count; i++)
        if (isnan(((const double *)intercept->items)[i]))
            return hb_own_fail(r, "linear: an intercept is NaN");
    return true;
}

bool hb_own_read_linear(hb_own_reading *r)
{
    hb_fit_dense fit = {.in_float32 = false};
    hb_own_array coefficients, intercept;
    hb_own_dtype dtype;
    bool in_float32;

    if (!hb_own_list_dtype(r, "coef", &in_float32) ||
        !hb_own_array_value(r->file, 1u << HB_OWN_F8, 2, &dtype, &coefficients) ||
        !hb_own_array_read(r->file, "intercept", HB_OWN_F8, 1, &intercept))
        return false;
    if (coefficients.shape[1] != r->in[0]->width || coefficients.shape[0] != intercept.count || intercept.count == 0 ||
        intercept.count > HB_MAX_OUTPUTS)
        return hb_own_fail(r, "linear: coef is not [outputs, features], or intercept not [outputs]");
    if (!hb_own_check_finite(r, &coefficients, "linear: a coefficient is not finite") ||
        !check_intercept(r, &intercept))
        return false;
    if (r->in[0]->is_list)
        return hb_own_sum_list(r, &coefficients, &intercept, in_float32);
    if (in_float32)
        return hb_own_fail(r, "linear: only sums of a sparse value have a dtype");
    fit.n_features = coefficients.shape[1];
    fit.n_outputs = intercept.count;
    fit.weights = coefficients.items;
    fit.bias = intercept.items;
    hb_own_adds(r->file);
    return hb_own_add(r, HB_OPERATOR_DENSE, &fit, intercept.count);
}

/* Members `ends` and `columns`: of each output the stored columns of the input, rising; each column is stored for some
 * output, so that what is not finite shows in a sum. */
static bool check_stored(const hb_own_reading *r, const hb_csr *csr, size_t n_outputs)
{
    size_t width = r->in[0]->width, found = 0;
    uint8_t *stored = hb_arena_array(&r->file->pipeline->arena, width, 1);

    if (!stored)
        return hb_document_no_memory(r->file->d);
    for (size_t o = 0; o < n_outputs && hb_document_goes_on(r->file->d, 1); o++) {
        size_t begin = hb_csr_begin(csr, o);

        if (csr->ends[o] < begin || csr->ends[o] > csr->n_weights)
            return hb_own_fail(r, "sparse_linear: ends does not rise to the number of coefficients");
        for (size_t i = begin; i < csr->ends[o] && hb_document_goes_on(r->file->d, 2); i++) {
            if (csr->columns[i] >= width || (i > begin && csr->columns[i] <= csr->columns[i - 1]))
                return hb_own_fail(r, "sparse_linear: the columns of an output do not rise, or are not there");
            found += !stored[csr->columns[i]];
            stored[csr->columns[i]] = 1;
        }
    }
    if (hb_document_ok(r->file->d) && csr->ends[n_outputs - 1] != csr->n_weights)
        return hb_own_fail(r, "sparse_linear: ends does not rise to the number of coefficients");
    if (hb_document_ok(r->file->d) && found < width)
        return hb_own_fail(r, "sparse_linear: a column without a coefficient");
    return hb_document_ok(r->file->d);
}

bool hb_own_read_sparse_linear(hb_own_reading *r)
{
    hb_own_array ends, columns, coefficients, intercept;
    hb_fit_sparse fit;

    if (!hb_own_array_read(r->file, "ends", HB_OWN_I4, 1, &ends) ||
        !hb_own_array_read(r->file, "columns", HB_OWN_I4, 1, &columns) ||
        !hb_own_array_read(r->file, "coef", HB_OWN_F8, 1, &coefficients) ||
        !hb_own_array_read(r->file, "intercept", HB_OWN_F8, 1, &intercept))
        return false;
    if (ends.count == 0 || ends.count > HB_MAX_OUTPUTS || ends.count != intercept.count ||
        columns.count != coefficients.count || r->in[0]->width == 0)
        return hb_own_fail(r,
                           "sparse_linear: not one end and intercept for each output, or column for each coefficient");
    if (!hb_own_check_finite(r, &coefficients, "sparse_linear: a coefficient is not finite") ||
        !hb_own_check_finite(r, &intercept, "sparse_linear: an intercept is not finite"))
        return false;
    /* Negative numbers are above all others as unsigned ones. */
    fit = (hb_fit_sparse){.n_outputs = ends.count,
                          .csr = {coefficients.count, ends.items, columns.items, coefficients.items},
                          .bias = intercept.items};
    if (!check_stored(r, &fit.csr, ends.count))
        return false;
    hb_own_adds(r->file);
    return hb_own_add(r, HB_OPERATOR_SPARSE, &fit, ends.count);
}

/* A second input is what the sums start from, in place of init. */
static bool check_start(const hb_own_reading *r, const hb_fit_forest *fit)
{
    if (r->in[1]->width != fit->forest->n_outputs)
        return hb_own_fail(r, "forest: the second input has not one number for each output");
    for (size_t o = 0; o < fit->forest->n_outputs; o++)
        if (fit->base[o] != 0)
            return hb_own_fail(r, "forest: init is not 0, though a second input starts the sums");
    return true;
}

static void add_forest(hb_own_reading *r, const hb_fit_forest *fit, bool is_rounded)
{
    hb_pipeline *pipeline = r->file->pipeline;
    size_t input = r->in[0]->value;
    uint32_t inputs[2] = {(uint32_t)input, r->n_in == 2 ? (uint32_t)r->in[1]->value : 0};

    if (is_rounded)
        inputs[0] = (uint32_t)hb_pipeline_add(pipeline, HB_OPERATOR_ROUND, input, NULL);
    r->made.width = fit->forest->n_outputs;
    r->made.value = hb_pipeline_add_of(pipeline, HB_OPERATOR_FOREST, inputs, r->n_in, fit);
}

bool hb_own_read_forest(hb_own_reading *r)
{
    hb_fit_forest fit;
    bool is_rounded;
    double divisor;

    if (!hb_own_forest_read(r->file, r->in[0]->width, &fit, &is_rounded, &divisor))
        return false;
    if (r->n_in == 2 && !check_start(r, &fit)) {
        hb_forest_model_release(fit.forest);
        return false;
    }
    add_forest(r, &fit, is_rounded);
    if (divisor != 1)
        r->made.value =
            hb_pipeline_add(r->file->pipeline, HB_OPERATOR_AVERAGE, r->made.value, &(hb_fit_average){divisor});
    return true;
}

/* ---- outputs */

bool hb_own_read_link(hb_own_reading *r)
{
    static const char *const kinds[] = {"sigmoid",        "sigmoid2", "softmax", "softmax_pm", "ovr",       "logsumexp",
                                        "modified_huber", "exp",      "relu",    "tanh",       "difference"};
    static const struct {
        hb_link_kind link;
        double number;
    } links[] = {{HB_LINK_SIGMOID, 1},        {HB_LINK_SIGMOID, 2},     {HB_LINK_SOFTMAX, 0},
                 {HB_LINK_SOFTMAX_PAIR, 0},   {HB_LINK_ONE_VS_REST, 0}, {HB_LINK_LOGSUMEXP, 0},
                 {HB_LINK_MODIFIED_HUBER, 0}, {HB_LINK_EXP, 0},         {HB_LINK_RELU, 0},
                 {HB_LINK_TANH, 0},           {HB_LINK_DIFFERENCE, 0}};
    size_t kind = hb_own_word(r->file, "kind", kinds, sizeof(kinds) / sizeof(kinds[0]));
    hb_fit_link fit;

    if (kind == SIZE_MAX)
        return false;
    fit.link = links[kind].link;
    fit.factor = links[kind].number;
    return hb_own_add(r, HB_OPERATOR_LINK, &fit,
                      fit.link == HB_LINK_SOFTMAX_PAIR ? 2
                      : fit.link == HB_LINK_DIFFERENCE ? 1
                                                       : r->in[0]->width);
}
