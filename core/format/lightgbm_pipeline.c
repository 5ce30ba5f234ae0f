/* lightgbm_pipeline.c - from what the file says to the operators of a pipeline. */
#include <string.h>

#include "base/number.h"
#include "format/apply_options.h"
#include "format/lightgbm.h"

/* ---- objectives (src/objective in LightGBM 4.7-dev: ConvertOutput) */

typedef struct objective {
    const char *name;
    hbs_task task;
    hb_link_kind link;
    bool takes_sigmoid; /* has its own factor, as in "binary sigmoid:1" */
} objective;

static const objective objectives[] = {
    {"regression", HBS_REGRESSOR, HB_LINK_IDENTITY, false},
    {"regression_l1", HBS_REGRESSOR, HB_LINK_IDENTITY, false},
    {"huber", HBS_REGRESSOR, HB_LINK_IDENTITY, false},
    {"fair", HBS_REGRESSOR, HB_LINK_IDENTITY, false},
    {"quantile", HBS_REGRESSOR, HB_LINK_IDENTITY, false},
    {"mape", HBS_REGRESSOR, HB_LINK_IDENTITY, false},
    {"poisson", HBS_REGRESSOR, HB_LINK_EXP, false},
    {"gamma", HBS_REGRESSOR, HB_LINK_EXP, false},
    {"tweedie", HBS_REGRESSOR, HB_LINK_EXP, false},
    {"cross_entropy", HBS_REGRESSOR, HB_LINK_SIGMOID, false},
    {"cross_entropy_lambda", HBS_REGRESSOR, HB_LINK_SOFTPLUS, false},
    {"lambdarank", HBS_RANKER, HB_LINK_IDENTITY, false},
    {"rank_xendcg", HBS_RANKER, HB_LINK_IDENTITY, false},
    {"binary", HBS_CLASSIFIER, HB_LINK_SIGMOID, true},
    {"multiclass", HBS_CLASSIFIER, HB_LINK_SOFTMAX, false},
    {"multiclassova", HBS_CLASSIFIER, HB_LINK_SIGMOID, true},
    /* no objective in the file: trained by a function of the user's own */
    {"", HBS_REGRESSOR, HB_LINK_IDENTITY, false},
};

/* The objective line, read: "binary sigmoid:1", "regression sqrt", "multiclass num_class:3". */
typedef struct chosen {
    const objective *objective;
    hb_link_kind link;
    double sigmoid; /* 0: not said */
} chosen;

static hbs_text next_word(hbs_text *rest)
{
    hbs_text word = *rest;
    const char *space = rest->size ? memchr(rest->bytes, ' ', rest->size) : NULL;

    if (space)
        word.size = (size_t)(space - rest->bytes);
    rest->bytes += word.size + (space != NULL);
    rest->size -= word.size + (space != NULL);
    return word;
}

static hbs_status unknown_objective(const hb_lightgbm_file *file, hbs_text word)
{
    char shown[HB_EXCERPT_BUFFER];

    return hb_lightgbm_fail(file, HBS_E_UNSUPPORTED, word.bytes, "unknown objective \"%s\"", HB_SHOW(word, shown));
}

/* "num_class:3" says it a second time. */
static hbs_status check_classes(const hb_lightgbm_file *file, hbs_text value)
{
    const hbs_text key = {"objective, num_class", 20};
    int64_t n = 0;

    HB_TRY(hb_lightgbm_integer(file, key, value, 1, HB_MAX_OUTPUTS, &n));
    return n == file->n_classes ? HBS_OK
                                : hb_lightgbm_fail(file, HBS_E_FORMAT, value.bytes,
                                                   "the objective has %lld classes, num_class says %lld", (long long)n,
                                                   (long long)file->n_classes);
}

/* The words behind the name; those that only training needs are passed over. */
static hbs_status read_setting(const hb_lightgbm_file *file, hbs_text word, chosen *c)
{
    static const char sigmoid[] = "sigmoid:", num_class[] = "num_class:";
    const size_t n = sizeof(sigmoid) - 1, n_class = sizeof(num_class) - 1;

    if (hb_text_is(word, "sqrt") && c->link == HB_LINK_IDENTITY && c->objective->task == HBS_REGRESSOR) {
        c->link = HB_LINK_SQUARE;
        return HBS_OK;
    }
    if (word.size >= n && memcmp(word.bytes, sigmoid, n) == 0 && c->objective->takes_sigmoid) {
        bool again = c->sigmoid > 0;
        size_t size = hb_read_float64(word.bytes + n, word.bytes + word.size, &c->sigmoid, NULL);

        if (size && size == word.size - n && c->sigmoid > 0 && c->sigmoid < 1e300 && !again)
            return HBS_OK;
        return hb_lightgbm_fail(file, HBS_E_FORMAT, word.bytes, "sigmoid is no positive number, or there twice");
    }
    if (word.size >= n_class && memcmp(word.bytes, num_class, n_class) == 0)
        return check_classes(file, (hbs_text){word.bytes + n_class, word.size - n_class});
    return memchr(word.bytes, ':', word.size) ? HBS_OK : unknown_objective(file, word);
}

static hbs_status choose_objective(const hb_lightgbm_file *file, chosen *c)
{
    hbs_text rest = file->objective.bytes ? file->objective : (hbs_text){"", 0};
    hbs_text name = next_word(&rest);

    *c = (chosen){0};
    for (size_t i = 0; i < sizeof(objectives) / sizeof(objectives[0]); i++)
        if (hb_text_is(name, objectives[i].name))
            c->objective = &objectives[i];
    if (!c->objective || (file->objective.bytes && name.size == 0))
        return unknown_objective(file, name);
    c->link = c->objective->link;
    while (rest.size) {
        hbs_text word = next_word(&rest);

        if (word.size)
            HB_TRY(read_setting(file, word, c));
    }
    c->sigmoid = c->sigmoid > 0 ? c->sigmoid : 1;
    return HBS_OK;
}

/* ---- features */

/* The names stand with spaces between them: ours are packed. */
static hbs_status name_features(hb_lightgbm_file *file)
{
    enum { PART = 1 << 14 };
    hb_pipeline *pipeline = file->pipeline;
    hbs_text rest = file->feature_names;
    size_t n = pipeline->n_features, used = 0;
    uint32_t *ends;
    char *bytes;

    for (size_t at = 0, part; at < rest.size; at += part) {
        part = hb_utf8_part(rest.bytes + at, rest.size - at, PART);
        HB_TRY(hb_worked(&pipeline->arena.memory->work, PART, file->error));
        if (!hb_utf8_valid(rest.bytes + at, part))
            return hb_lightgbm_fail(file, HBS_E_FORMAT, rest.bytes, "feature_names: bad UTF-8");
    }
    ends = hb_arena_array(&pipeline->arena, n, sizeof(*ends));
    bytes = hb_arena_array(&pipeline->arena, rest.size, 1);
    if (!ends || !bytes)
        return hb_no_memory(pipeline->arena.memory, file->error);
    for (size_t i = 0; i < n; i++) {
        hbs_text name = next_word(&rest);

        HB_TRY(hb_worked(&pipeline->arena.memory->work, 4, file->error));
        memcpy(bytes + used, name.bytes, name.size);
        used += name.size;
        ends[i] = (uint32_t)used;
    }
    pipeline->name_ends = ends;
    pipeline->name_bytes = bytes;
    return hb_apply_names(pipeline, file->options, file->error);
}

static hbs_status build_features(hb_lightgbm_file *file)
{
    hb_pipeline *pipeline = file->pipeline;

    pipeline->wide = true;
    pipeline->tolerance = 1e-15; /* exp and log of the C library, a last bit or two */
    pipeline->n_features = (size_t)file->max_feature + 1;
    pipeline->on_unseen =
        file->options->unseen_given ? file->options->on_unseen : HB_UNSEEN_MISSING; /* as the library */
    pipeline->missing_is_error = file->options->missing_is_error;
    HB_TRY(name_features(file));
    return hb_lightgbm_categories(file);
}

/* ---- trees */

static hbs_status choose_rounds(hb_lightgbm_file *file, int64_t *used)
{
    int64_t all = (int64_t)file->forest->starts.count / file->n_per_iteration;

    if (file->forest->starts.count % (size_t)file->n_per_iteration != 0)
        return hb_fail(file->error, HBS_E_FORMAT, "%zu trees are no whole rounds of %lld", file->forest->starts.count,
                       (long long)file->n_per_iteration);
    HB_TRY(hb_apply_rounds(file->pipeline, file->options, all, all, used, file->error));
    hb_forest_model_truncate(file->forest, (size_t)(*used * file->n_per_iteration));
    return HBS_OK;
}

static void build_forest(hb_lightgbm_file *file, size_t input)
{
    hb_pipeline *pipeline = file->pipeline;
    hb_fit_forest forest = {.forest = file->forest};

    file->forest->n_features = pipeline->n_features;
    file->forest->n_outputs = (size_t)file->n_per_iteration;
    if (file->flushes)
        input = hb_pipeline_add(pipeline, HB_OPERATOR_FLUSH_TINY, input, NULL);
    pipeline->raw = hb_pipeline_add(pipeline, HB_OPERATOR_FOREST, input, &forest);
    file->forest = NULL; /* the pipeline's now */
}

/* ---- classes and outputs */

/* LGBMClassifier.predict: the first maximum of the probabilities, for two classes of 1 - p, p. */
static hbs_status build_classifier(hb_lightgbm_file *file, size_t linked, size_t n_outputs)
{
    hb_fit_head head = {.rule = HB_HEAD_ARGMAX};

    HB_TRY(hb_apply_classes(file->pipeline, file->options, NULL, n_outputs == 1 ? 2 : n_outputs, file->error));
    file->pipeline->probabilities = linked;
    file->pipeline->label = hb_pipeline_add(file->pipeline, HB_OPERATOR_HEAD, linked, &head);
    return HBS_OK;
}

static hbs_status build_outputs(hb_lightgbm_file *file, const chosen *c, int64_t rounds)
{
    hb_pipeline *pipeline = file->pipeline;
    hb_fit_average average = {(double)rounds};
    hb_fit_link link = {.link = c->link, .factor = c->sigmoid};
    size_t n_outputs = (size_t)file->n_per_iteration, linked = pipeline->raw;

    if (file->average && rounds > 0)
        linked = hb_pipeline_add(pipeline, HB_OPERATOR_AVERAGE, linked, &average);
    if (c->link != HB_LINK_IDENTITY)
        linked = hb_pipeline_add(pipeline, HB_OPERATOR_LINK, linked, &link);
    pipeline->task = c->objective->task;
    if (c->objective->task == HBS_CLASSIFIER)
        return build_classifier(file, linked, n_outputs);
    if (file->options->classes)
        return hb_fail(file->error, HBS_E_ARGS, "option classes: a model with %s%s has none",
                       c->objective->name[0] ? "the objective " : "an objective of your own", c->objective->name);
    if (n_outputs == 1)
        pipeline->value = linked;
    else
        pipeline->values = linked;
    return HBS_OK;
}

static hbs_status check_outputs(const hb_lightgbm_file *file, const chosen *c)
{
    bool multi = strncmp(c->objective->name, "multiclass", 10) == 0;

    if (file->n_per_iteration != (multi ? file->n_classes : 1) && c->objective->name[0])
        return hb_fail(file->error, HBS_E_FORMAT, "%s with num_class %lld and num_tree_per_iteration %lld",
                       c->objective->name, (long long)file->n_classes, (long long)file->n_per_iteration);
    if (multi && file->n_classes < 2)
        return hb_fail(file->error, HBS_E_FORMAT, "%s needs num_class of 2 or more", c->objective->name);
    return HBS_OK;
}

static hbs_status add_facts(hb_lightgbm_file *file, const chosen *c)
{
    hb_pipeline *pipeline = file->pipeline;
    char version[HB_EXCERPT_BUFFER];

    if (hb_pipeline_fact(pipeline, "library", "LightGBM, text %s", HB_SHOW(file->version, version)) != HBS_OK ||
        hb_pipeline_fact(pipeline, "objective", "%s", c->objective->name[0] ? c->objective->name : "none") != HBS_OK)
        return hb_no_memory(pipeline->arena.memory, file->error);
    return HBS_OK;
}

hbs_status hb_lightgbm_build(hb_lightgbm_file *file)
{
    hb_pipeline *pipeline = file->pipeline;
    hb_fit_mark_missing mark = {file->options->missing};
    int64_t rounds = 0;
    size_t input;
    chosen c;

    HB_TRY(choose_objective(file, &c));
    HB_TRY(check_outputs(file, &c));
    HB_TRY(build_features(file));
    HB_TRY(add_facts(file, &c));
    HB_TRY(choose_rounds(file, &rounds));
    input = hb_pipeline_add(pipeline, HB_OPERATOR_ORDINAL, 0, NULL);
    if (file->options->has_missing)
        input = hb_pipeline_add(pipeline, HB_OPERATOR_MARK_MISSING, input, &mark);
    build_forest(file, input);
    return build_outputs(file, &c, rounds);
}
