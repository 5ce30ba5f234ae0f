/* onnx_ensembles.c - TreeEnsembleClassifier, TreeEnsembleRegressor and TreeEnsemble: sums from 0 in the order of the
 * trees, then the base values, as ONNX Runtime adds on one thread: in the type of the input, float32 or float64. */
#include <float.h>
#include <math.h>

#include "format/onnx_transforms.h"
#include "format/onnx_trees.h"

/* ---- what both share */

/* Words of versions 1 and 3 in the order of the numbers that version 5 has for them. */
typedef struct words {
    const char *name;
    size_t n, usual;
    const char *words[4];
} words;

enum { AVERAGE, SUM, MIN, MAX };
static const words aggregates = {"aggregate_function", 4, SUM, {"AVERAGE", "SUM", "MIN", "MAX"}};

static hbs_status find_word(const hb_onnx_trees *t, const words *of, size_t *place)
{
    char shown[HB_EXCERPT_BUFFER];
    hbs_text word;

    HB_TRY(hb_onnx_word(t->file, t->node, of->name, of->words[of->usual], &word));
    for (*place = 0; *place < of->n; ++*place)
        if (hb_text_is(word, of->words[*place]))
            return HBS_OK;
    return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "%s is \"%s\"", of->name, HB_SHOW(word, shown));
}

/* An attribute from 0 to n - 1. */
static hbs_status find_number(const hb_onnx_trees *t, const char *name, size_t n, size_t usual, size_t *number)
{
    const hb_onnx_attribute *a;

    HB_TRY(hb_onnx_attribute_find(t->file, t->node, name, HB_ONNX_KIND_INT, &a));
    *number = a ? (size_t)a->integer : usual;
    if (a && (a->integer < 0 || (uint64_t)a->integer >= n))
        return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "%s is %lld (0 to %zu)", name, (long long)a->integer,
                              n - 1);
    return HBS_OK;
}

/* base_values: none (*base NULL), or one for each output. */
static hbs_status read_base(hb_onnx_trees *t, double **base)
{
    hb_onnx_items numbers;
    size_t n;

    *base = NULL;
    HB_TRY(hb_onnx_tree_numbers(t, "base_values", &numbers, &n));
    if (n == 0)
        return HBS_OK;
    if (n != t->n_outputs)
        return hb_onnx_refuse(t->file, t->node, HBS_E_UNSUPPORTED, "it has %zu base_values for %zu outputs", n,
                              t->n_outputs);
    *base = hb_arena_array(&t->file->pipeline->arena, n, sizeof(**base));
    if (!*base)
        return hb_no_memory(t->file->arena.memory, t->file->error);
    for (size_t i = 0; i < n; i++)
        (*base)[i] = hb_onnx_next_number(&numbers);
    HB_TRY(hb_worked(t->file->bytes.work, n, t->file->error));
    return t->file->bytes.status;
}

/* They are added last. */
static void add_base(hb_onnx_trees *t, const double *base, size_t *sums)
{
    if (base)
        *sums = hb_pipeline_add(t->file->pipeline, HB_OPERATOR_AFFINE, *sums, &(hb_fit_affine){1, base});
}

/* Nodes and weights of versions 1 and 3. */
static hbs_status read_trees(hb_onnx_trees *t, const char *prefix)
{
    HB_TRY(hb_onnx_trees_begin(t));
    HB_TRY(hb_onnx_trees_read(t));
    HB_TRY(hb_onnx_weights_read(t, prefix));
    return hb_onnx_leaves_build(t);
}

/* Trees that are read become the pipeline's; *sums is their value. */
static hbs_status give_forest(hb_onnx_trees *t, size_t *sums)
{
    hb_fit_forest fit = {.forest = t->forest};
    size_t input;

    HB_TRY(hb_onnx_equality_build(t, &input, &t->forest->n_features));
    t->forest = NULL;
    *sums = hb_pipeline_add(t->file->pipeline, HB_OPERATOR_FOREST, input, &fit);
    return HBS_OK;
}

/* ---- TreeEnsembleRegressor */

static hbs_status count_targets(hb_onnx_file *file, const hb_onnx_node *node, size_t *n)
{
    const hb_onnx_attribute *targets;

    HB_TRY(hb_onnx_attribute_find(file, node, "n_targets", HB_ONNX_KIND_INT, &targets));
    if (targets && (targets->integer < 1 || targets->integer > HB_MAX_OUTPUTS))
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %lld targets", (long long)targets->integer);
    *n = targets ? (size_t)targets->integer : 1;
    return HBS_OK;
}

/* ONNX Runtime leaves out the base of a target, one of several, that no leaf of the row gives a weight. */
static hbs_status forget_base(const hb_onnx_trees *t, double *base)
{
    for (size_t o = 0; base && t->n_outputs > 1 && o < t->n_outputs; o++) {
        if (t->ever[o] && !t->always[o] && base[o] != 0)
            return hb_onnx_refuse(t->file, t->node, HBS_E_UNSUPPORTED,
                                  "some leaves give target %zu no weight: whether its base value counts depends on the "
                                  "row, which hbscore does not read",
                                  o);
        base[o] = t->ever[o] ? base[o] : 0;
        HB_TRY(hb_worked(t->file->bytes.work, 1, t->file->error));
    }
    return HBS_OK;
}

/* A regressor may take more of the leaves' weights than their sum. */
typedef struct arithmetic {
    size_t aggregate;
    hb_onnx_transform transform;
} arithmetic;

static bool is_extreme(const arithmetic *a)
{
    return a->aggregate == MIN || a->aggregate == MAX;
}

/* The least or the largest of the trees' numbers, in float64: each tree has an output of its own. */
static hbs_status give_extreme(hb_onnx_trees *t, const arithmetic *a, size_t *value)
{
    hb_pipeline *pipeline = t->file->pipeline;
    hb_forest_model *forest = t->forest;
    const bool wide = forest->wide;
    hb_fit_reduce fit = {a->aggregate == MIN ? HB_REDUCE_MINIMUM : HB_REDUCE_MAXIMUM, HB_ROUND_NONE, t->trees.count};

    if (t->trees.count > HB_MAX_OUTPUTS)
        return hb_onnx_refuse(t->file, t->node, HBS_E_LIMIT, "it compares %zu trees, the limit is %d", t->trees.count,
                              HB_MAX_OUTPUTS);
    for (size_t i = 0; i < forest->groups.count; i++)
        ((int32_t *)forest->groups.items)[i] = (int32_t)i;
    forest->n_outputs = t->trees.count;
    HB_TRY(give_forest(t, value));
    if (!wide)
        *value = hb_pipeline_add(pipeline, HB_OPERATOR_WIDEN, *value, NULL);
    *value = hb_pipeline_add(pipeline, HB_OPERATOR_REDUCE, *value, &fit);
    return hb_worked(t->file->bytes.work, fit.n_terms, t->file->error);
}

/* ---- the extremes of several targets: each has a forest of its own, with its weights. A tree whose leaf has none for
 * the target does not count there. */

static hbs_status read_tables(hb_onnx_trees *t)
{
    if (!hb_text_is(t->node->op, "TreeEnsemble"))
        return read_trees(t, "target");
    HB_TRY(hb_onnx_trees_begin(t));
    HB_TRY(hb_onnx_rooted_trees_read(t));
    return hb_onnx_leaves_build(t);
}

/* A leaf without a weight decides only where all trees have such leaves: weights must be beyond it. */
static hbs_status check_weights(const hb_onnx_trees *t)
{
    const hb_onnx_weight *weights = t->weights.items;

    for (size_t i = 0; i < t->weights.count; i++)
        if (!(fabs(weights[i].number) < fabs(t->without)))
            return hb_onnx_refuse(t->file, t->node, HBS_E_UNSUPPORTED,
                                  "some leaves give target %zu no weight, and one of the others is infinite or the "
                                  "largest number, which hbscore does not read of an extreme",
                                  t->only);
    return hb_worked(t->file->bytes.work, t->weights.count, t->file->error);
}

/* 0 where no tree counts. */
static hbs_status without_weights(hb_onnx_trees *t, size_t *value)
{
    hb_pipeline *pipeline = t->file->pipeline;
    double *limit = hb_arena_array(&pipeline->arena, 1, sizeof(*limit));
    double *zero = hb_arena_array(&pipeline->arena, 1, sizeof(*zero));
    hb_fit_combine counts = {
        .function = t->without > 0 ? HB_COMBINE_LESS : HB_COMBINE_GREATER, .n_outputs = 1, .numbers = limit};
    uint32_t inputs[2];

    if (!limit || !zero)
        return hb_no_memory(t->file->arena.memory, t->file->error);
    *limit = t->without;
    inputs[0] = (uint32_t)hb_pipeline_add(pipeline, HB_OPERATOR_COMBINE, *value, &counts);
    inputs[1] = (uint32_t)*value;
    *value = hb_pipeline_add_of(pipeline, HB_OPERATOR_CHOOSE, inputs, 2, &(hb_fit_choose){.n_outputs = 1, .no = zero});
    return HBS_OK;
}

static hbs_status extreme_of_target(hb_onnx_trees *t, const arithmetic *a, size_t *value)
{
    const double most = t->in->type == HB_ONNX_DOUBLE ? DBL_MAX : (double)FLT_MAX;

    t->n_outputs = 1;
    t->without = a->aggregate == MIN ? most : -most;
    HB_TRY(read_tables(t));
    if (!t->always[0])
        HB_TRY(check_weights(t));
    HB_TRY(give_extreme(t, a, value));
    return t->always[0] ? HBS_OK : without_weights(t, value);
}

/* t->ever: which targets have weights; *n: how many. */
static hbs_status find_targets(hb_onnx_trees *t, size_t *n)
{
    bool rooted = hb_text_is(t->node->op, "TreeEnsemble");
    const hb_onnx_attribute *list;
    hb_onnx_items items;

    t->always = hb_arena_array(&t->file->arena, t->n_outputs, 1);
    t->ever = hb_arena_array(&t->file->arena, t->n_outputs, 1);
    *n = 0;
    if (!t->always || !t->ever)
        return hb_no_memory(t->file->arena.memory, t->file->error);
    HB_TRY(
        hb_onnx_attribute_find(t->file, t->node, rooted ? "leaf_targetids" : "target_ids", HB_ONNX_KIND_INTS, &list));
    if (!list || list->count == 0)
        return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "its leaves have no targets");
    items = hb_onnx_items_of(list);
    for (size_t i = 0; i < list->count; i++) {
        int64_t target = hb_onnx_next_integer(&items);

        if (target >= 0 && (uint64_t)target < t->n_outputs && !t->ever[target]) {
            t->ever[target] = 1;
            ++*n;
        }
    }
    HB_TRY(hb_worked(t->file->bytes.work, list->count + t->n_outputs, t->file->error));
    return t->file->bytes.status;
}

/* The tables are read once for each of n targets, and each has a forest. */
static hbs_status make_room(const hb_onnx_trees *t, size_t n)
{
    enum { MOST = 1 << 20, BYTES_A_NODE = 64, BYTES_A_TARGET = 2048 };
    const hb_onnx_attribute *features;
    size_t nodes, all;

    HB_TRY(hb_onnx_attribute_find(t->file, t->node, "nodes_featureids", HB_ONNX_KIND_INTS, &features));
    nodes = features ? features->count : 0;
    if (!hb_multiply(nodes, n, &all) || all > MOST)
        return hb_onnx_refuse(
            t->file, t->node, HBS_E_LIMIT,
            "it has %zu nodes for each of %zu targets, of which it takes extremes: the limit is %d in "
            "all",
            nodes, n, MOST);
    hb_memory_allow(t->file->arena.memory, BYTES_A_NODE * all + BYTES_A_TARGET * n);
    return HBS_OK;
}

static hbs_status add_target(hb_onnx_trees *t, const arithmetic *a, size_t target, uint32_t *value)
{
    hb_onnx_trees one = {.file = t->file, .node = t->node, .in = t->in, .n_targets = t->n_outputs, .only = target};
    size_t made = 0;
    hbs_status status = extreme_of_target(&one, a, &made);

    *value = (uint32_t)made;
    if (status == HBS_OK) {
        t->ever[target] = one.ever[0];
        t->always[target] = one.always[0];
    }
    hb_onnx_trees_release(&one);
    return status;
}

/* A column of 0, for targets without weights. */
static size_t add_zero(hb_onnx_trees *t, const double *zero)
{
    static const uint32_t first[1] = {0};
    hb_pipeline *pipeline = t->file->pipeline;
    size_t some = hb_pipeline_add(pipeline, HB_OPERATOR_SELECT, hb_onnx_wide_source(t->file, t->in),
                                  &(hb_fit_select){.n_columns = 1, .columns = first});

    return hb_pipeline_add(pipeline, HB_OPERATOR_CHOOSE, some, &(hb_fit_choose){1, zero, zero});
}

static hbs_status give_extremes(hb_onnx_trees *t, const arithmetic *a, size_t *value)
{
    hb_pipeline *pipeline = t->file->pipeline;
    double *zero = hb_arena_array(&pipeline->arena, 1, sizeof(*zero));
    size_t n, n_parts = 0;
    hbs_status status;
    uint32_t *parts, *columns = hb_onnx_columns(t->file, t->n_outputs, &status);

    HB_TRY(status);
    HB_TRY(find_targets(t, &n));
    HB_TRY(make_room(t, n));
    parts = hb_arena_array(&t->file->arena, n + 1, sizeof(*parts));
    if (!zero || !parts)
        return hb_no_memory(t->file->arena.memory, t->file->error);
    for (size_t o = 0; o < t->n_outputs; o++) {
        columns[o] = (uint32_t)(t->ever[o] ? n_parts : n);
        if (t->ever[o])
            HB_TRY(add_target(t, a, o, &parts[n_parts++]));
    }
    parts[n_parts] = (uint32_t)add_zero(t, zero);
    *value = hb_pipeline_add_of(pipeline, HB_OPERATOR_CONCAT, parts, n_parts + 1, NULL);
    *value = hb_pipeline_add(pipeline, HB_OPERATOR_SELECT, *value,
                             &(hb_fit_select){.n_columns = t->n_outputs, .columns = columns});
    return HBS_OK;
}

/* ---- what comes behind the trees */

/* Sums of float64: TreeEnsemble gives them, the older operators round them to float32. A transform is of float32
 * numbers for both. */
static hbs_status give_wide(const hb_onnx_trees *t, const arithmetic *a, hb_onnx_value *made)
{
    hb_pipeline *pipeline = t->file->pipeline;
    bool is_wide = hb_text_is(t->node->op, "TreeEnsemble");
    bool transforms = hb_onnx_transforms_targets(a->transform, t->n_outputs);

    if (!is_wide || transforms)
        made->value = hb_pipeline_add(pipeline, HB_OPERATOR_NARROW, made->value, &(hb_fit_narrow){false});
    HB_TRY(hb_onnx_transform_targets(t->file, a->transform, t->n_outputs, &made->value));
    if (!is_wide)
        return hb_onnx_give(t->file, t->node, 0, made);
    if (transforms)
        made->value = hb_pipeline_add(pipeline, HB_OPERATOR_WIDEN, made->value, NULL);
    made->is_float32 = false;
    made->type = HB_ONNX_DOUBLE;
    made->n_dims = 2;
    made->dims[0] = 1;
    made->dims[1] = (int64_t)made->width;
    made->row = t->in->row < 0 ? -1 : 0;
    return hb_onnx_give(t->file, t->node, 0, made);
}

/* The division comes before the base. `value`: what the trees give; of extremes in float64. */
static hbs_status give_targets(hb_onnx_trees *t, const arithmetic *a, const double *base, size_t value)
{
    hb_onnx_value made = {.form = HB_ONNX_NUMBERS, .value = value, .is_float32 = true, .width = t->n_outputs};
    const bool wide = t->in->type == HB_ONNX_DOUBLE;
    hb_pipeline *pipeline = t->file->pipeline;

    if (is_extreme(a) && !wide)
        made.value = hb_pipeline_add(pipeline, HB_OPERATOR_NARROW, made.value, &(hb_fit_narrow){false});
    if (a->aggregate == AVERAGE)
        made.value =
            hb_pipeline_add(pipeline, HB_OPERATOR_AVERAGE, made.value, &(hb_fit_average){(double)t->trees.count});
    add_base(t, base, &made.value);
    if (wide)
        return give_wide(t, a, &made);
    HB_TRY(hb_onnx_transform_targets(t->file, a->transform, t->n_outputs, &made.value));
    return hb_onnx_give(t->file, t->node, 0, &made);
}

/* The trees' numbers for each target. */
static hbs_status give_numbers(hb_onnx_trees *t, const arithmetic *a, size_t *value)
{
    if (is_extreme(a) && t->n_outputs > 1)
        return give_extremes(t, a, value);
    HB_TRY(read_tables(t));
    return is_extreme(a) ? give_extreme(t, a, value) : give_forest(t, value);
}

static hbs_status build_regressor(hb_onnx_trees *t)
{
    size_t value = 0;
    arithmetic a;
    double *base;

    HB_TRY(count_targets(t->file, t->node, &t->n_outputs));
    HB_TRY(find_word(t, &aggregates, &a.aggregate));
    HB_TRY(hb_onnx_transform_read(t->file, t->node, &a.transform));
    HB_TRY(give_numbers(t, &a, &value));
    HB_TRY(read_base(t, &base));
    HB_TRY(forget_base(t, base));
    return give_targets(t, &a, base, value);
}

hbs_status hb_onnx_tree_ensemble_regressor(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_trees t = {.file = file, .node = node};
    hbs_status status;

    HB_TRY(hb_onnx_features(file, node, true, &t.in));
    status = build_regressor(&t);
    hb_onnx_trees_release(&t);
    return status;
}

/* ---- TreeEnsemble */

static hbs_status build_ensemble(hb_onnx_trees *t)
{
    size_t transform, value = 0;
    arithmetic a;

    HB_TRY(count_targets(t->file, t->node, &t->n_outputs));
    HB_TRY(find_number(t, aggregates.name, aggregates.n, SUM, &a.aggregate));
    HB_TRY(find_number(t, "post_transform", HB_ONNX_TRANSFORMS, HB_ONNX_TRANSFORM_NONE, &transform));
    a.transform = (hb_onnx_transform)transform;
    HB_TRY(give_numbers(t, &a, &value));
    return give_targets(t, &a, NULL, value);
}

static hbs_status read_ensemble(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_trees t = {.file = file, .node = node};
    hbs_status status;

    HB_TRY(hb_onnx_features(file, node, true, &t.in));
    status = build_ensemble(&t);
    hb_onnx_trees_release(&t);
    return status;
}

/* Row i of a matrix that each row of the table has. */
static hbs_status row_of(hb_onnx_file *file, const hb_onnx_value *matrix, size_t i, hb_onnx_value *row)
{
    size_t width = (size_t)matrix->dims[1];
    hbs_status status;
    uint32_t *map = hb_onnx_columns(file, width, &status);

    HB_TRY(status);
    for (size_t c = 0; c < width; c++)
        map[c] = (uint32_t)(i * width + c);
    *row = *matrix;
    row->dims[0] = 1;
    row->width = width;
    hb_onnx_take(row, map);
    return HBS_OK;
}

/* Such a matrix has the trees once for each of its rows. */
static hbs_status read_for_rows(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *matrix)
{
    size_t n = (size_t)matrix->dims[0];
    hb_onnx_value *in = hb_onnx_named(file, node->inputs[0]), *parts, made;
    hbs_status status = HBS_OK;
    uint32_t *map;

    parts = hb_arena_array(&file->arena, n, sizeof(*parts));
    if (!parts)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; status == HBS_OK && i < n; i++) {
        status = row_of(file, matrix, i, in);
        if (status == HBS_OK)
            status = read_ensemble(file, node);
        if (status == HBS_OK)
            parts[i] = *hb_onnx_named(file, node->outputs[0]);
    }
    *in = *matrix;
    HB_TRY(status);
    made = parts[0];
    HB_TRY(hb_onnx_reshape_value(file, node, &made, (const int64_t[2]){(int64_t)n, (int64_t)parts[0].width}, 2));
    map = hb_onnx_columns(file, made.width, &status);
    HB_TRY(status);
    for (uint32_t i = 0; i < made.width; i++)
        map[i] = i;
    HB_TRY(hb_onnx_pick(file, node, parts, n, map, &made));
    made.row = -1;
    return hb_onnx_give(file, node, 0, &made);
}

hbs_status hb_onnx_tree_ensemble(hb_onnx_file *file, const hb_onnx_node *node)
{
    enum { MOST_ROWS = 64 };
    hb_onnx_value in;

    HB_TRY(hb_onnx_operand(file, node, 0, &in));
    if (in.form != HB_ONNX_NUMBERS || in.n_dims != 2 || in.row >= 0 || in.dims[0] < 2 || in.dims[0] > MOST_ROWS ||
        !hb_onnx_named(file, node->outputs[0]))
        return read_ensemble(file, node);
    return read_for_rows(file, node, &in);
}

/* ---- TreeEnsembleClassifier */

/* ONNX has no aggregate_function of a classifier. */
static hbs_status check_is_sum(const hb_onnx_trees *t)
{
    size_t aggregate;

    HB_TRY(find_word(t, &aggregates, &aggregate));
    return aggregate == SUM ? HBS_OK
                            : hb_onnx_refuse(t->file, t->node, HBS_E_UNSUPPORTED,
                                             "hbscore reads aggregate_function SUM of a classifier, not %s",
                                             aggregates.words[aggregate]);
}

/* Two labels and weights for the first alone: one score decides. */
static hbs_status count_scores(hb_onnx_trees *t, hb_onnx_classifier *c)
{
    bool one;

    HB_TRY(check_is_sum(t));
    HB_TRY(hb_onnx_labels(t->file, t->node, "classlabels_int64s", "classlabels_strings", &c->classes, &c->n_classes));
    HB_TRY(hb_onnx_leaves_are_of_one(t->file, t->node, &one));
    if (c->n_classes < 2)
        return hb_onnx_refuse(t->file, t->node, HBS_E_UNSUPPORTED, "it has %zu labels, hbscore reads two or more",
                              c->n_classes);
    if (c->n_classes == 2 && !one)
        return hb_onnx_refuse(t->file, t->node, HBS_E_UNSUPPORTED,
                              "it has two labels and weights for the second: versions of ONNX Runtime give such a file "
                              "different labels");
    c->is_pair = c->n_classes == 2;
    c->width = c->n_classes;
    t->n_outputs = c->is_pair ? 1 : c->n_classes;
    return HBS_OK;
}

/* ONNX gives no class that no leaf has scored. It is not the largest if others surely are above 0. */
static hbs_status check_scored(const hb_onnx_trees *t, bool has_base)
{
    bool all = true;

    for (size_t o = 0; o < t->n_outputs; o++)
        all &= t->always[o] != 0;
    if (all || has_base || (t->all_positive && !t->has_negative))
        return HBS_OK;
    return hb_onnx_refuse(t->file, t->node, HBS_E_UNSUPPORTED,
                          "some leaves give a class no weight, which hbscore reads only of weights above 0");
}

static hbs_status build_classifier(hb_onnx_trees *t)
{
    hb_onnx_classifier c = {.head = {.rule = HB_HEAD_ARGMAX}};
    double *base;
    bool wide;

    HB_TRY(count_scores(t, &c));
    HB_TRY(read_trees(t, "class"));
    wide = t->forest->wide;
    HB_TRY(give_forest(t, &c.scores));
    HB_TRY(read_base(t, &base));
    add_base(t, base, &c.scores);
    if (wide) {
        c.decision = c.scores;
        c.scores = hb_pipeline_add(t->file->pipeline, HB_OPERATOR_NARROW, c.scores, &(hb_fit_narrow){false});
    }
    if (c.is_pair)
        c.head = (hb_fit_head){.rule = HB_HEAD_GREATER, .threshold = t->has_negative ? 0 : 0.5};
    else
        HB_TRY(check_scored(t, base != NULL));
    c.are_probabilities = !t->has_negative;
    return hb_onnx_classify(t->file, t->node, &c);
}

hbs_status hb_onnx_tree_ensemble_classifier(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_trees t = {.file = file, .node = node};
    hbs_status status;

    HB_TRY(hb_onnx_features(file, node, true, &t.in));
    status = build_classifier(&t);
    hb_onnx_trees_release(&t);
    return status;
}
