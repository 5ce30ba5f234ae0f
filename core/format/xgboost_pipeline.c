/* xgboost_pipeline.c - from what the file says to the operators of a pipeline. */
#include <string.h>

#include "base/number.h"
#include "format/apply_options.h"
#include "format/xgboost.h"

/* ---- features */

static hbs_status check_count(hb_xgboost_file *file, const char *what, size_t count)
{
    if (count == (size_t)file->n_features)
        return HBS_OK;
    return hb_fail(file->error, HBS_E_FORMAT, "learner.%s has %zu items, the model has %lld features", what, count,
                   (long long)file->n_features);
}

/* A copy of `count` items that lasts; NULL where there is no memory. */
static void *copy_array(hb_xgboost_file *file, const void *from, size_t count, size_t size)
{
    void *items = hb_arena_array(&file->pipeline->arena, count, size);

    if (items && count)
        memcpy(items, from, count * size);
    return items;
}

static hbs_status name_features(hb_xgboost_file *file)
{
    hb_pipeline *pipeline = file->pipeline;

    if (file->name_ends.count)
        HB_TRY(check_count(file, "feature_names", file->name_ends.count));
    if (file->options->name_bytes || file->name_ends.count == 0)
        return hb_apply_names(pipeline, file->options, file->error);
    pipeline->name_ends = copy_array(file, file->name_ends.items, file->name_ends.count, sizeof(uint32_t));
    pipeline->name_bytes = copy_array(file, file->name_bytes.items, file->name_bytes.count, 1);
    return pipeline->name_ends && pipeline->name_bytes ? HBS_OK : hb_no_memory(pipeline->arena.memory, file->error);
}

static hbs_status type_features(hb_xgboost_file *file)
{
    hb_pipeline *pipeline = file->pipeline;

    if (file->codes.count) {
        HB_TRY(check_count(file, "feature_types", file->codes.count));
        pipeline->codes = copy_array(file, file->codes.items, file->codes.count, 1);
        if (!pipeline->codes)
            return hb_no_memory(pipeline->arena.memory, file->error);
    }
    if (file->categories.count) {
        HB_TRY(check_count(file, "gradient_booster.model.cats.enc", file->categories.count));
        pipeline->categories = copy_array(file, file->categories.items, file->categories.count, sizeof(hb_categories));
        if (!pipeline->categories)
            return hb_no_memory(pipeline->arena.memory, file->error);
    }
    return hb_xgboost_check_category_names(file);
}

static hbs_status build_features(hb_xgboost_file *file)
{
    if (file->n_features > HB_MAX_FEATURES)
        return hb_fail(file->error, HBS_E_LIMIT, "%lld features are more than the limit of %d",
                       (long long)file->n_features, HB_MAX_FEATURES);
    if (file->n_features < 1)
        return hb_fail(file->error, HBS_E_FORMAT, "the model has no features (num_feature)");
    file->pipeline->n_features = (size_t)file->n_features;
    file->pipeline->on_unseen = file->options->on_unseen;
    file->pipeline->missing_is_error = file->options->missing_is_error;
    HB_TRY(name_features(file));
    return type_features(file);
}

/* ---- the numbers of outputs and what sums start from */

static hbs_status count_outputs(hb_xgboost_file *file, size_t *n)
{
    int64_t outputs = file->n_classes > file->n_targets ? file->n_classes : file->n_targets;

    if (!file->has_model_param)
        return hb_fail(file->error, HBS_E_FORMAT, "no member \"learner_model_param\"");
    if (file->n_classes > 1 && file->n_targets > 1)
        return hb_fail(file->error, HBS_E_UNSUPPORTED, "%lld classes and %lld targets in one model",
                       (long long)file->n_classes, (long long)file->n_targets);
    if (outputs > HB_MAX_OUTPUTS)
        return hb_fail(file->error, HBS_E_LIMIT, "%lld outputs are more than the limit of %d", (long long)outputs,
                       HB_MAX_OUTPUTS);
    *n = outputs < 1 ? 1 : (size_t)outputs;
    return HBS_OK;
}

/* One base_score serves all outputs; from 3.1 on there may be one for each. gblinear adds the first one
 * to all outputs (GBLinear::PredictBatchInternal: base_score(0)). */
static hbs_status build_base_score(hb_xgboost_file *file, size_t n, const float **base)
{
    const float *given = file->base_scores.items;
    size_t n_given = file->base_scores.count;
    float *scores;

    if (n_given != 1 && n_given != n)
        return hb_fail(file->error, HBS_E_FORMAT, "base_score has %zu numbers, the model %zu outputs", n_given, n);
    scores = hb_arena_array(&file->pipeline->arena, n, sizeof(*scores));
    if (!scores)
        return hb_no_memory(file->pipeline->arena.memory, file->error);
    for (size_t i = 0; i < n; i++)
        scores[i] = given[n_given == 1 || file->booster == HB_BOOSTER_GBLINEAR ? 0 : i];
    *base = scores;
    return HBS_OK;
}

/* Whether base_score is a margin already. XGBoost from 3.1 on estimates it in the first round, and a
 * model without rounds predicts 0.5 as it stands, without the objective's link (NeedFit in learner.cc).
 * The XGBoost up to 3.0.5 that wrote such a file took it through the link. */
static bool is_never_fitted(const hb_xgboost_file *file)
{
    bool linear = file->booster == HB_BOOSTER_GBLINEAR;
    bool fitted = linear ? file->linear_rounds > 0 : file->n_trees > 0;

    return hb_xgboost_since(file, 3, 1) && file->boost_from_average && !fitted;
}

static hb_base_link base_link_of(const hb_xgboost_file *file, const hb_xgboost_objective *objective)
{
    return is_never_fitted(file) ? HB_BASE_IDENTITY : objective->base_link;
}

/* ---- trees */

static hbs_status check_trees(hb_xgboost_file *file)
{
    hb_forest_model *forest = file->forest;
    size_t n = forest->starts.count;

    if (!file->has_trees)
        return hb_fail(file->error, HBS_E_FORMAT, "the booster has no trees");
    if (file->has_linear)
        return hb_fail(file->error, HBS_E_FORMAT, "a booster of trees with linear weights");
    if (file->n_trees != (int64_t)n)
        return hb_fail(file->error, HBS_E_FORMAT, "num_trees is %lld, there are %zu trees", (long long)file->n_trees,
                       n);
    if (forest->groups.count != n)
        return hb_fail(file->error, HBS_E_FORMAT, "tree_info has %zu items, there are %zu trees", forest->groups.count,
                       n);
    if (file->tree_drop.count != 0 && file->tree_drop.count != n)
        return hb_fail(file->error, HBS_E_FORMAT, "weight_drop has %zu items, there are %zu trees",
                       file->tree_drop.count, n);
    if (file->booster == HB_BOOSTER_DART && file->tree_drop.count != n)
        return hb_fail(file->error, HBS_E_FORMAT, "a dart booster without weight_drop");
    if (forest->leaf_width > 1 && forest->leaf_width != forest->n_outputs)
        return hb_fail(file->error, HBS_E_FORMAT, "leaves have %zu values, the model %zu outputs", forest->leaf_width,
                       forest->n_outputs);
    return HBS_OK;
}

/* How many trees one boosting round makes, in files that do not say (before 2.0). */
static int64_t trees_a_round(const hb_xgboost_file *file)
{
    int64_t groups = file->forest->leaf_width > 1 ? 1 : (int64_t)file->forest->n_outputs;

    return file->n_parallel * groups;
}

static hbs_status check_rounds(hb_xgboost_file *file)
{
    const int64_t *rounds = file->rounds.items;
    size_t n = file->rounds.count;

    if (n == 0 && file->n_trees % trees_a_round(file) != 0)
        return hb_fail(file->error, HBS_E_FORMAT,
                       "%lld trees are no whole rounds of %lld (num_parallel_tree x outputs)", (long long)file->n_trees,
                       (long long)trees_a_round(file));
    if (n == 0)
        return HBS_OK;
    for (size_t i = 0; i < n; i++) {
        HB_TRY(hb_worked(&file->pipeline->arena.memory->work, 1, file->error));
        if (rounds[i] < (i ? rounds[i - 1] : 0) || (i == 0 && rounds[i] != 0))
            return hb_fail(file->error, HBS_E_FORMAT, "iteration_indptr does not rise from 0");
    }
    if (rounds[n - 1] != file->n_trees)
        return hb_fail(file->error, HBS_E_FORMAT, "iteration_indptr ends with %lld, there are %lld trees",
                       (long long)rounds[n - 1], (long long)file->n_trees);
    return HBS_OK;
}

static int64_t count_rounds(const hb_xgboost_file *file)
{
    return file->rounds.count ? (int64_t)file->rounds.count - 1 : file->n_trees / trees_a_round(file);
}

static int64_t trees_of_rounds(const hb_xgboost_file *file, int64_t n)
{
    return file->rounds.count ? ((const int64_t *)file->rounds.items)[n] : n * trees_a_round(file);
}

/* The rounds that count: the option's, else those that the scikit-learn wrapper would use after early
 * stopping, else all. */
static hbs_status choose_rounds(hb_xgboost_file *file, int64_t *trees)
{
    int64_t all = count_rounds(file), usual = all, used;

    if (file->scikit_learn.bytes && file->best_iteration >= 0 && file->best_iteration < all)
        usual = file->best_iteration + 1;
    HB_TRY(hb_apply_rounds(file->pipeline, file->options, all, usual, &used, file->error));
    *trees = used == all ? file->n_trees : trees_of_rounds(file, used);
    return HBS_OK;
}

static hbs_status build_forest(hb_xgboost_file *file, const hb_xgboost_objective *objective, size_t input)
{
    hb_forest_model *forest = file->forest;
    hb_fit_forest fit = {.forest = forest, .base_link = base_link_of(file, objective)};
    int64_t trees = 0;

    forest->n_features = (size_t)file->n_features;
    HB_TRY(check_trees(file));
    HB_TRY(check_rounds(file));
    HB_TRY(choose_rounds(file, &trees));
    HB_TRY(build_base_score(file, forest->n_outputs, &fit.base_score));
    hb_vector_release(&forest->weights);
    forest->weights = file->tree_drop;
    hb_vector_init(&file->tree_drop, file->pipeline->arena.memory, sizeof(float));
    hb_forest_model_truncate(forest, (size_t)trees);
    file->pipeline->raw = hb_pipeline_add(file->pipeline, HB_OPERATOR_FOREST, input, &fit);
    file->forest = NULL; /* the pipeline's now */
    return HBS_OK;
}

/* ---- gblinear */

static hbs_status build_linear(hb_xgboost_file *file, const hb_xgboost_objective *objective, size_t input,
                               size_t n_outputs)
{
    hb_fit_linear fit = {.base_link = base_link_of(file, objective)};
    size_t n_features = (size_t)file->n_features, n_given = file->linear_weights.count;
    size_t n = (n_features + 1) * n_outputs;
    bool none = n_given == 0 && file->linear_rounds == 0; /* no round was trained: all are 0 */
    float *weights;

    if (!file->has_linear || file->has_trees || file->has_drop)
        return hb_fail(file->error, HBS_E_FORMAT, "a gblinear booster has weights, and no trees");
    if (file->options->rounds > 0)
        return hb_fail(file->error, HBS_E_ARGS, "option rounds: a gblinear model has no rounds");
    if (n_given != n && !none)
        return hb_fail(file->error, HBS_E_FORMAT,
                       "weights has %zu numbers, %zu features and a bias for %zu outputs need %zu", n_given, n_features,
                       n_outputs, n);
    weights = hb_arena_array(&file->pipeline->arena, n, sizeof(*weights));
    if (!weights)
        return hb_no_memory(file->pipeline->arena.memory, file->error);
    for (size_t i = 0; i < n_given; i++) {
        HB_TRY(hb_worked(&file->pipeline->arena.memory->work, 1, file->error));
        weights[i] = ((const float *)file->linear_weights.items)[i];
    }
    fit.n_features = n_features;
    fit.n_outputs = n_outputs;
    fit.weights = weights;
    fit.bias = weights + n_features * n_outputs;
    HB_TRY(build_base_score(file, n_outputs, &fit.base_score));
    file->pipeline->raw = hb_pipeline_add(file->pipeline, HB_OPERATOR_LINEAR, input, &fit);
    return HBS_OK;
}

/* ---- classes and outputs */

static size_t add_head(hb_xgboost_file *file, size_t input, hb_head_rule rule)
{
    return hb_pipeline_add(file->pipeline, HB_OPERATOR_HEAD, input, &(hb_fit_head){.rule = rule, .threshold = 0.5f});
}

/* The label's rule is the scikit-learn wrapper's (XGBClassifier.predict): above 0.5 of what the link
 * gives, also for logitraw; the first maximum of softprob's probabilities, of softmax's margins. */
static hbs_status build_classifier(hb_xgboost_file *file, const hb_xgboost_objective *objective, size_t linked,
                                   size_t n_outputs, const hb_options *metadata)
{
    hb_pipeline *pipeline = file->pipeline;
    bool multi = objective->link == HB_LINK_SOFTMAX;
    bool by_margin = hb_text_is(file->objective, "multi:softmax");
    size_t n_classes = multi ? n_outputs : 2;

    if (multi && n_outputs < 2)
        return hb_fail(file->error, HBS_E_FORMAT, "%s needs num_class of 2 or more, it is %lld", objective->name,
                       (long long)file->n_classes);
    if (!multi && file->n_classes > 2)
        return hb_fail(file->error, HBS_E_FORMAT, "%s with num_class %lld", objective->name,
                       (long long)file->n_classes);
    if (objective->probabilities)
        pipeline->probabilities = linked;
    if (!multi && n_outputs > 1) {
        if (file->options->classes)
            return hb_fail(file->error, HBS_E_ARGS, "option classes: a model of %zu yes-or-no labels has no classes",
                           n_outputs);
        pipeline->values = add_head(file, linked, HB_HEAD_FLAGS);
        return HBS_OK;
    }
    HB_TRY(hb_apply_classes(pipeline, file->options, metadata->n_classes == n_classes ? metadata->classes : NULL,
                            n_classes, file->error));
    pipeline->label = add_head(file, by_margin ? pipeline->raw : linked, multi ? HB_HEAD_ARGMAX : HB_HEAD_GREATER);
    return HBS_OK;
}

static hbs_status build_outputs(hb_xgboost_file *file, const hb_xgboost_objective *objective, size_t n_outputs,
                                const hb_options *metadata)
{
    hb_pipeline *pipeline = file->pipeline;
    hb_fit_link link = {.link = objective->link};
    size_t linked = pipeline->raw;

    if (objective->link != HB_LINK_IDENTITY)
        linked = hb_pipeline_add(pipeline, HB_OPERATOR_LINK, linked, &link);
    pipeline->task = objective->task;
    if (objective->task == HBS_CLASSIFIER)
        return build_classifier(file, objective, linked, n_outputs, metadata);
    if (file->options->classes)
        return hb_fail(file->error, HBS_E_ARGS, "option classes: a model with the objective %s has none",
                       objective->name);
    if (n_outputs == 1)
        pipeline->value = linked;
    else
        pipeline->values = linked;
    return HBS_OK;
}

/* ---- the whole */

static hbs_status add_facts(hb_xgboost_file *file, const hb_xgboost_objective *objective)
{
    static const char *const boosters[] = {"", "gbtree", "dart", "gblinear"};
    hb_pipeline *pipeline = file->pipeline;
    bool dart = file->booster == HB_BOOSTER_GBTREE && file->tree_drop.count > 0;

    if (hb_pipeline_fact(pipeline, "library", "XGBoost %lld.%lld.%lld", (long long)file->version[0],
                         (long long)file->version[1], (long long)file->version[2]) != HBS_OK ||
        hb_pipeline_fact(pipeline, "objective", "%s", objective->name) != HBS_OK ||
        hb_pipeline_fact(pipeline, "booster", "%s", dart ? "dart" : boosters[file->booster]) != HBS_OK)
        return hb_no_memory(pipeline->arena.memory, file->error);
    return HBS_OK;
}

/* From the table of features to numbers: categories to codes, then the number that means missing. */
static hbs_status add_inputs(hb_xgboost_file *file, const hb_options *metadata, size_t *input)
{
    hb_fit_mark_missing mark;
    const hb_options *options = file->options->missing_given ? file->options : metadata;
    char number[32];

    *input = hb_pipeline_add(file->pipeline, HB_OPERATOR_ORDINAL, 0, NULL);
    if (!options->has_missing)
        return HBS_OK;
    mark.number = (float)options->missing;
    *input = hb_pipeline_add(file->pipeline, HB_OPERATOR_MARK_MISSING, *input, &mark);
    hb_format_float64(mark.number, number);
    if (hb_pipeline_fact(file->pipeline, "missing", "%s (%s)", number,
                         options == metadata ? "from the file" : "option missing") != HBS_OK)
        return hb_no_memory(file->pipeline->arena.memory, file->error);
    return HBS_OK;
}

static hbs_status find_objective(hb_xgboost_file *file, const hb_xgboost_objective **objective)
{
    char shown[HB_EXCERPT_BUFFER];

    if (!file->objective.bytes)
        return hb_fail(file->error, HBS_E_FORMAT, "no objective");
    *objective = hb_xgboost_objective_find(file->objective);
    if (*objective)
        return HBS_OK;
    return hb_fail(file->error, HBS_E_UNSUPPORTED, "unknown objective \"%s\"", HB_SHOW(file->objective, shown));
}

hbs_status hb_xgboost_build(hb_xgboost_file *file)
{
    const hb_xgboost_objective *objective;
    hb_options metadata = {.has_missing = false};
    size_t input = 0, n_outputs = 1;

    HB_TRY(find_objective(file, &objective));
    HB_TRY(count_outputs(file, &n_outputs));
    if (file->scikit_learn.bytes)
        HB_TRY(hb_metadata_read(&file->pipeline->arena, file->scikit_learn, &metadata, file->error));
    HB_TRY(build_features(file));
    HB_TRY(add_facts(file, objective));
    HB_TRY(add_inputs(file, &metadata, &input));
    file->forest->n_outputs = n_outputs;
    if (file->booster == HB_BOOSTER_NONE)
        return hb_fail(file->error, HBS_E_FORMAT, "gradient_booster has no name");
    if (file->booster == HB_BOOSTER_GBLINEAR)
        HB_TRY(build_linear(file, objective, input, n_outputs));
    else
        HB_TRY(build_forest(file, objective, input));
    return build_outputs(file, objective, n_outputs, &metadata);
}
