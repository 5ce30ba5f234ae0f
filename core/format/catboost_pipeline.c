/* catboost_pipeline.c - from what the file says to the operators of a pipeline. */
#include <math.h>

#include "format/apply_options.h"
#include "format/catboost.h"

/* ---- losses (CatBoost 1.2.10: _get_default_prediction_type in core.py, apply.cpp) */

/* TARGETS: values as VALUE, but several targets, as MULTILABEL has. */
typedef enum form { VALUE, TARGETS, BINARY, MULTICLASS, MULTILABEL } form;

typedef struct loss {
    const char *name;
    hbs_task task;
    form form;
    hb_link_kind link;
} loss;

static const loss losses[] = {
    {"Logloss", HBS_CLASSIFIER, BINARY, HB_LINK_SIGMOID},
    {"CrossEntropy", HBS_CLASSIFIER, BINARY, HB_LINK_SIGMOID},
    {"Focal", HBS_CLASSIFIER, BINARY, HB_LINK_SIGMOID},
    {"MultiClass", HBS_CLASSIFIER, MULTICLASS, HB_LINK_SOFTMAX},
    {"MultiClassOneVsAll", HBS_CLASSIFIER, MULTICLASS, HB_LINK_SIGMOID},
    {"MultiLogloss", HBS_CLASSIFIER, MULTILABEL, HB_LINK_SIGMOID},
    {"MultiCrossEntropy", HBS_CLASSIFIER, MULTILABEL, HB_LINK_SIGMOID},
    {"Poisson", HBS_REGRESSOR, VALUE, HB_LINK_EXP},
    {"Tweedie", HBS_REGRESSOR, VALUE, HB_LINK_EXP},
    {"RMSEWithUncertainty", HBS_REGRESSOR, VALUE, HB_LINK_VARIANCE},
    {"RMSE", HBS_REGRESSOR, VALUE, HB_LINK_IDENTITY},
    {"MAE", HBS_REGRESSOR, VALUE, HB_LINK_IDENTITY},
    {"Quantile", HBS_REGRESSOR, VALUE, HB_LINK_IDENTITY},
    {"MultiQuantile", HBS_REGRESSOR, VALUE, HB_LINK_IDENTITY},
    {"LogLinQuantile", HBS_REGRESSOR, VALUE, HB_LINK_IDENTITY},
    {"GroupQuantile", HBS_REGRESSOR, VALUE, HB_LINK_IDENTITY},
    {"Expectile", HBS_REGRESSOR, VALUE, HB_LINK_IDENTITY},
    {"MAPE", HBS_REGRESSOR, VALUE, HB_LINK_IDENTITY},
    {"Lq", HBS_REGRESSOR, VALUE, HB_LINK_IDENTITY},
    {"Huber", HBS_REGRESSOR, VALUE, HB_LINK_IDENTITY},
    {"LogCosh", HBS_REGRESSOR, VALUE, HB_LINK_IDENTITY},
    {"RMSPE", HBS_REGRESSOR, VALUE, HB_LINK_IDENTITY},
    {"SurvivalAft", HBS_REGRESSOR, TARGETS, HB_LINK_IDENTITY},
    {"Cox", HBS_REGRESSOR, VALUE, HB_LINK_IDENTITY},
    {"MultiRMSE", HBS_REGRESSOR, TARGETS, HB_LINK_IDENTITY},
    {"MultiRMSEWithMissingValues", HBS_REGRESSOR, TARGETS, HB_LINK_IDENTITY},
    {"YetiRank", HBS_RANKER, VALUE, HB_LINK_IDENTITY},
    {"YetiRankPairwise", HBS_RANKER, VALUE, HB_LINK_IDENTITY},
    {"PairLogit", HBS_RANKER, VALUE, HB_LINK_IDENTITY},
    {"PairLogitPairwise", HBS_RANKER, VALUE, HB_LINK_IDENTITY},
    {"QueryRMSE", HBS_RANKER, VALUE, HB_LINK_IDENTITY},
    {"QuerySoftMax", HBS_RANKER, VALUE, HB_LINK_IDENTITY},
    {"QueryCrossEntropy", HBS_RANKER, VALUE, HB_LINK_IDENTITY},
    {"StochasticRank", HBS_RANKER, VALUE, HB_LINK_IDENTITY},
    {"StochasticFilter", HBS_RANKER, VALUE, HB_LINK_IDENTITY},
    {"LambdaMart", HBS_RANKER, VALUE, HB_LINK_IDENTITY},
    /* losses of the user's own, and files that do not say: the raw value */
    {"PythonUserDefinedPerObject", HBS_REGRESSOR, VALUE, HB_LINK_IDENTITY},
    {"PythonUserDefinedMultiTarget", HBS_REGRESSOR, TARGETS, HB_LINK_IDENTITY},
    {"", HBS_REGRESSOR, VALUE, HB_LINK_IDENTITY},
};

static hbs_status choose_loss(const hb_catboost_file *file, const loss **chosen)
{
    hbs_text name = file->loss.bytes ? file->loss : (hbs_text){"", 0};
    char shown[HB_EXCERPT_BUFFER];

    for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
        if (hb_text_is(name, losses[i].name)) {
            *chosen = &losses[i];
            return HBS_OK;
        }
    return hb_fail(file->error, HBS_E_UNSUPPORTED, "unknown loss_function \"%s\"", HB_SHOW(name, shown));
}

/* ---- options that ask for what CatBoost does not have */

static hbs_status check_options(const hb_catboost_file *file)
{
    if (file->options->has_missing)
        return hb_fail(file->error, HBS_E_ARGS, "option missing: CatBoost has no number that means a missing value");
    if (file->options->unseen_given)
        return hb_fail(file->error, HBS_E_ARGS,
                       "option on_unseen: CatBoost scores a category that training has not seen");
    return HBS_OK;
}

/* ---- trees */

/* Trees have no leaf values for classes without data (classes_count): those classes get zeros. */
static hbs_status widen_leaves(hb_catboost_file *file, size_t n)
{
    hb_vector *old = &file->forest->leaf_vectors, wide;
    hb_work *work = &old->memory->work;
    const double *places = file->class_numbers.items;
    size_t width = file->leaf_width, rows = old->count / width, all;
    double *to;

    hb_vector_init(&wide, old->memory, sizeof(double));
    to = hb_multiply(rows, n, &all) ? hb_vector_append(&wide, NULL, all) : NULL;
    if (!to && all > 0) {
        hb_vector_release(&wide);
        return hb_no_memory(old->memory, file->error);
    }
    for (size_t r = 0; r < rows && hb_goes_on(work, 1 + width); r++)
        for (size_t c = 0; c < width; c++)
            to[r * n + (size_t)places[c]] = ((const double *)old->items)[r * width + c];
    hb_vector_release(old);
    *old = wide;
    return hb_work_status(work, file->error);
}

/* Biases one for each output; a class without data has minus infinity (MakeExternalApprox in CatBoost). */
static hbs_status build_bias(hb_catboost_file *file, size_t n, const double **biases)
{
    const double *given = file->bias.items, *places = file->class_numbers.items;
    size_t n_given = file->bias.count, inner = file->n_classes ? file->leaf_width : n;
    double *bias = hb_arena_array(&file->pipeline->arena, n, sizeof(*bias));

    if (!bias)
        return hb_catboost_no_memory(file);
    if (n_given > 1 && n_given != inner)
        return hb_fail(file->error, HBS_E_FORMAT, "scale_and_bias has %zu biases for %zu outputs", n_given, inner);
    for (size_t i = 0; file->n_classes && i < n; i++)
        bias[i] = -INFINITY;
    for (size_t i = 0; i < inner; i++)
        bias[file->n_classes ? (size_t)places[i] : i] = n_given == 0 ? 0 : given[n_given == 1 ? 0 : i];
    *biases = bias;
    return HBS_OK;
}

/* classes_count: class_to_label says which of them the model's outputs are. */
static hbs_status check_places(const hb_catboost_file *file)
{
    const double *places = file->class_numbers.items;
    bool good = file->leaf_width > 1 && file->class_numbers.count == file->leaf_width &&
                (size_t)file->n_classes >= file->leaf_width;

    for (size_t i = 0; good && i < file->leaf_width; i++)
        good = places[i] > (i ? places[i - 1] : -1) && places[i] < (double)file->n_classes &&
               places[i] == (double)(int64_t)places[i];
    return good ? HBS_OK
                : hb_fail(file->error, HBS_E_FORMAT, "classes_count is %lld: class_to_label must say which %zu it has",
                          (long long)file->n_classes, file->leaf_width);
}

static hbs_status build_forest(hb_catboost_file *file, const loss *l, size_t *n)
{
    hb_pipeline *pipeline = file->pipeline;
    hb_fit_forest forest = {.forest = file->forest};
    hb_fit_affine affine = {.factor = file->scale};
    size_t input = 0, sums;
    int64_t rounds = (int64_t)file->forest->starts.count;

    if (file->leaf_width == 0)
        file->leaf_width = file->bias.count ? file->bias.count : 1;
    if (file->leaf_width > HB_MAX_OUTPUTS)
        return hb_fail(file->error, HBS_E_LIMIT, "%zu outputs are more than the limit of %d", file->leaf_width,
                       HB_MAX_OUTPUTS);
    if (l->form != MULTICLASS)
        file->n_classes = 0;
    *n = file->leaf_width;
    HB_TRY(hb_apply_rounds(pipeline, file->options, rounds, rounds, &rounds, file->error));
    hb_forest_model_truncate(file->forest, (size_t)rounds);
    HB_TRY(hb_catboost_columns_build(file, hb_pipeline_add(pipeline, HB_OPERATOR_ORDINAL, 0, NULL), &input));
    if (file->n_classes) {
        HB_TRY(check_places(file));
        *n = (size_t)file->n_classes;
        HB_TRY(widen_leaves(file, *n));
    }
    HB_TRY(build_bias(file, *n, &affine.bias));
    file->forest->n_outputs = file->forest->leaf_width = *n;
    sums = hb_pipeline_add(pipeline, HB_OPERATOR_FOREST, input, &forest);
    file->forest = NULL; /* the pipeline's now */
    pipeline->raw = hb_pipeline_add(pipeline, HB_OPERATOR_AFFINE, sums, &affine);
    return HBS_OK;
}

/* ---- classes and outputs */

static hbs_status build_classes(hb_catboost_file *file, size_t n)
{
    hbs_value *names = file->class_names.items;
    size_t n_names = file->class_names.count;

    if (n_names && n_names != n)
        return hb_fail(file->error, HBS_E_FORMAT, "class_names has %zu labels, the model %zu classes", n_names, n);
    for (size_t i = 0; file->real_classes && i < n_names; i++)
        if (names[i].type == HBS_INT64) /* 1.0 is written as 1 */
            names[i] = (hbs_value){.type = HBS_FLOAT64, .as.f64 = (double)names[i].as.i64};
    return hb_apply_classes(file->pipeline, file->options, n_names ? names : NULL, n, file->error);
}

/* Labels come from raw values: the first maximum, or those above the threshold. */
static hbs_status build_classifier(hb_catboost_file *file, const loss *l, size_t linked, size_t n)
{
    hb_pipeline *pipeline = file->pipeline;
    hb_fit_head head = {.rule = HB_HEAD_GREATER, .logit = true, .threshold = file->threshold};

    if ((l->form == BINARY) != (n == 1) && l->form != MULTILABEL)
        return hb_fail(file->error, HBS_E_FORMAT, "%s with %zu outputs", l->name, n);
    pipeline->probabilities = linked;
    if (l->form == MULTILABEL) {
        if (file->options->classes)
            return hb_fail(file->error, HBS_E_ARGS, "option classes: a model of %zu yes-or-no labels has no classes",
                           n);
        head.rule = HB_HEAD_FLAGS;
        pipeline->values = hb_pipeline_add(pipeline, HB_OPERATOR_HEAD, pipeline->raw, &head);
        return HBS_OK;
    }
    HB_TRY(build_classes(file, n == 1 ? 2 : n));
    if (l->form == MULTICLASS)
        head.rule = HB_HEAD_ARGMAX;
    pipeline->label = hb_pipeline_add(pipeline, HB_OPERATOR_HEAD, pipeline->raw, &head);
    return HBS_OK;
}

static hbs_status build_outputs(hb_catboost_file *file, const loss *l, size_t n)
{
    hb_pipeline *pipeline = file->pipeline;
    hb_fit_link link = {.link = l->link, .factor = 1};
    size_t linked = pipeline->raw;

    if (l->link == HB_LINK_VARIANCE && n != 2)
        return hb_fail(file->error, HBS_E_FORMAT, "%s with %zu outputs", l->name, n);
    if (l->link != HB_LINK_IDENTITY)
        linked = hb_pipeline_add(pipeline, HB_OPERATOR_LINK, pipeline->raw, &link);
    pipeline->task = l->task;
    if (l->form != VALUE && l->form != TARGETS)
        return build_classifier(file, l, linked, n);
    if (file->options->classes)
        return hb_fail(file->error, HBS_E_ARGS, "option classes: a model with the loss %s has none",
                       l->name[0] ? l->name : "of no name");
    *(n == 1 ? &pipeline->value : &pipeline->values) = linked;
    return HBS_OK;
}

hbs_status hb_catboost_build(hb_catboost_file *file)
{
    const loss *chosen = NULL;
    size_t n = 1;

    HB_TRY(choose_loss(file, &chosen));
    file->several_targets = chosen->form == TARGETS || chosen->form == MULTILABEL;
    HB_TRY(check_options(file));
    HB_TRY(hb_catboost_features_build(file));
    if (hb_pipeline_fact(file->pipeline, "library", "CatBoost, JSON") != HBS_OK ||
        hb_pipeline_fact(file->pipeline, "objective", "%s", chosen->name[0] ? chosen->name : "none") != HBS_OK)
        return hb_catboost_no_memory(file);
    HB_TRY(build_forest(file, chosen, &n));
    return build_outputs(file, chosen, n);
}
