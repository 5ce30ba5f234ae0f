/* own_naive_bayes.c - gaussian_nb of hbscore's own format: a normal distribution for each class and feature.
 * (Naive Bayes of the other kinds is a linear operator.) */
#include <math.h>

#include "format/own.h"

/* A variance of 0 would make NaN of what lies at the mean. */
static bool check_numbers(const hb_own_reading *r, const hb_own_array *mean, const hb_own_array *variance,
                          const hb_own_array *constant)
{
    const double *variances = variance->items, *constants = constant->items;

    if (!hb_own_check_finite(r, mean, "gaussian_nb: a mean is not finite") ||
        !hb_own_check_finite(r, variance, "gaussian_nb: a variance is not finite"))
        return false;
    for (size_t i = 0; i < variance->count && hb_document_goes_on(r->file->d, 1); i++)
        if (!(variances[i] > 0))
            return hb_own_fail(r, "gaussian_nb: a variance is not above 0");
    for (size_t i = 0; i < constant->count; i++)
        if (!(constants[i] < INFINITY))
            return hb_own_fail(r, "gaussian_nb: a constant is NaN or infinite");
    return true;
}

static bool check_shapes(const hb_own_reading *r, const hb_own_array *mean, const hb_own_array *variance,
                         const hb_own_array *constant)
{
    if (mean->shape[0] == constant->count && mean->shape[1] == r->in[0]->width &&
        variance->shape[0] == mean->shape[0] && variance->shape[1] == mean->shape[1] && constant->count > 0 &&
        constant->count <= HB_MAX_OUTPUTS)
        return true;
    return hb_own_fail(r, "gaussian_nb: mean and variance are not [outputs, features], or constant "
                          "not [outputs]");
}

/* The file has two tables, the kernel reads one. */
static const double *pairs_of(const hb_own_reading *r, const hb_own_array *mean, const hb_own_array *variance)
{
    double *pairs = hb_arena_array(&r->file->pipeline->arena, mean->count, 2 * sizeof(*pairs));

    if (!pairs)
        hb_document_no_memory(r->file->d);
    for (size_t i = 0; pairs && i < mean->count && hb_document_goes_on(r->file->d, 1); i++) {
        pairs[2 * i] = ((const double *)mean->items)[i];
        pairs[2 * i + 1] = ((const double *)variance->items)[i];
    }
    return pairs;
}

bool hb_own_read_gaussian_nb(hb_own_reading *r)
{
    hb_fit_gaussian_nb fit;
    hb_own_array mean, variance, constant;

    if (!hb_own_array_read(r->file, "mean", HB_OWN_F8, 2, &mean) ||
        !hb_own_array_read(r->file, "variance", HB_OWN_F8, 2, &variance) ||
        !hb_own_array_read(r->file, "constant", HB_OWN_F8, 1, &constant) ||
        !check_shapes(r, &mean, &variance, &constant) || !check_numbers(r, &mean, &variance, &constant))
        return false;
    fit = (hb_fit_gaussian_nb){.n_features = mean.shape[1],
                               .n_outputs = constant.count,
                               .parameters = pairs_of(r, &mean, &variance),
                               .constants = constant.items};
    hb_own_adds(r->file);
    return fit.parameters && hb_own_add(r, HB_OPERATOR_GAUSSIAN_NB, &fit, constant.count);
}
