/* lightgbm_tree.c - the block of one tree, into the forest's nodes.
 *
 * A tree of n leaves has n - 1 inner nodes; a child below 0 is the leaf ~child. Here the inner nodes come
 * first, then the leaves. decision_type: bit 0 a test of categories, bit 1 missing goes left, bits 2 and 3
 * what is missing: 0 nothing, 1 zero, 2 NaN. leaf_value includes the shrinkage. */
#include <math.h>
#include <string.h>

#include "format/lightgbm.h"

/* ---- the members of a block */

enum member_kind { INTEGER, INTEGERS, DOUBLES, NO_EFFECT };

#define FIELD(name) offsetof(hb_lightgbm_tree, name)

static const struct {
    const char *name;
    enum member_kind kind;
    size_t field;
} members[] = {
    {"num_leaves", INTEGER, FIELD(n_leaves)},
    {"num_cat", INTEGER, FIELD(n_sets)},
    {"split_feature", INTEGERS, FIELD(split_feature)},
    {"split_gain", NO_EFFECT, 0},
    {"threshold", DOUBLES, FIELD(threshold)},
    {"decision_type", INTEGERS, FIELD(decision_type)},
    {"left_child", INTEGERS, FIELD(left)},
    {"right_child", INTEGERS, FIELD(right)},
    {"leaf_value", DOUBLES, FIELD(leaf_value)},
    {"leaf_weight", NO_EFFECT, 0},
    {"leaf_count", INTEGERS, FIELD(leaf_count)},
    {"internal_value", NO_EFFECT, 0},
    {"internal_weight", NO_EFFECT, 0},
    {"internal_count", INTEGERS, FIELD(internal_count)},
    {"cat_boundaries", INTEGERS, FIELD(set_ends)},
    {"cat_threshold", INTEGERS, FIELD(set_words)},
    {"is_linear", INTEGER, FIELD(is_linear)},
    {"leaf_const", DOUBLES, FIELD(leaf_constant)},
    {"num_features", INTEGERS, FIELD(n_leaf_features)},
    {"leaf_features", INTEGERS, FIELD(leaf_features)},
    {"leaf_coeff", DOUBLES, FIELD(leaf_coefficients)},
    {"shrinkage", NO_EFFECT, 0},
};

enum { N_MEMBERS = sizeof(members) / sizeof(members[0]) };

static void *field_of(hb_lightgbm_tree *tree, size_t i)
{
    return (char *)tree + members[i].field;
}

static bool is_vector(size_t i)
{
    return members[i].kind == INTEGERS || members[i].kind == DOUBLES;
}

void hb_lightgbm_tree_init(hb_lightgbm_tree *tree, hb_memory *memory)
{
    for (size_t i = 0; i < N_MEMBERS; i++)
        if (is_vector(i))
            hb_vector_init(field_of(tree, i), memory, 8);
}

void hb_lightgbm_tree_release(hb_lightgbm_tree *tree)
{
    for (size_t i = 0; i < N_MEMBERS; i++)
        if (is_vector(i))
            hb_vector_release(field_of(tree, i));
}

/* ---- reading */

static hbs_status read_member(hb_lightgbm_file *file, size_t i, hbs_text key, hbs_text value)
{
    void *field = field_of(&file->tree, i);

    switch (members[i].kind) {
    case INTEGER:
        return hb_lightgbm_integer(file, key, value, 0, INT32_MAX, field);
    case INTEGERS:
        return hb_lightgbm_integers(file, key, value, field);
    case DOUBLES:
        return hb_lightgbm_doubles(file, key, value, field);
    case NO_EFFECT:
        break;
    }
    return HBS_OK;
}

static hbs_status read_line(hb_lightgbm_file *file)
{
    hbs_text key, value;
    char shown[HB_EXCERPT_BUFFER];
    size_t i = 0;

    if (!hb_lightgbm_split(file->line, &key, &value))
        return hb_lightgbm_fail(file, HBS_E_FORMAT, key.bytes, "expected key=value, found \"%s\"", HB_SHOW(key, shown));
    while (i < N_MEMBERS && !hb_text_is(key, members[i].name))
        i++;
    if (i == N_MEMBERS)
        return hb_lightgbm_fail(file, HBS_E_FORMAT, key.bytes,
                                "unknown key \"%s\": this version of hbscore does not read it", HB_SHOW(key, shown));
    if (file->tree.members >> i & 1)
        return hb_lightgbm_fail(file, HBS_E_FORMAT, key.bytes, "%s: duplicate key", HB_SHOW(key, shown));
    file->tree.members |= 1u << i;
    return read_member(file, i, key, value);
}

/* The lines up to the next tree or `end of trees`, which becomes the current line. */
static hbs_status read_lines(hb_lightgbm_file *file)
{
    hb_lightgbm_tree *tree = &file->tree;
    hbs_status status = HBS_OK;

    for (size_t i = 0; i < N_MEMBERS; i++)
        if (is_vector(i))
            ((hb_vector *)field_of(tree, i))->count = 0;
    tree->members = 0;
    tree->n_leaves = tree->n_sets = tree->is_linear = 0;
    while (hb_lightgbm_next_line(file, &status)) {
        if (file->line.size == 0)
            continue;
        if (hb_text_is(file->line, "end of trees") ||
            (file->line.size > 5 && memcmp(file->line.bytes, "Tree=", 5) == 0))
            return HBS_OK;
        HB_TRY(read_line(file));
    }
    return status != HBS_OK ? status
                            : hb_lightgbm_fail(file, HBS_E_FORMAT, file->end, "the file ends within its trees");
}

/* ---- checking: every array has its number of items */

static hb_work *work_of(const hb_lightgbm_file *file)
{
    return &file->pipeline->arena.memory->work;
}

static hbs_status check_count(const hb_lightgbm_file *file, const char *name, const hb_vector *vector, size_t count,
                              bool optional)
{
    if (vector->count == count || (optional && vector->count == 0))
        return HBS_OK;
    return hb_fail(file->error, HBS_E_FORMAT, "%s has %zu items, expected %zu", name, vector->count, count);
}

static hbs_status check_sets(const hb_lightgbm_file *file)
{
    const hb_lightgbm_tree *tree = &file->tree;
    const int64_t *ends = tree->set_ends.items, *words = tree->set_words.items;
    hb_work *work = work_of(file);
    size_t n = (size_t)tree->n_sets;

    if (n == 0)
        return HBS_OK;
    HB_TRY(check_count(file, "cat_boundaries", &tree->set_ends, n + 1, false));
    for (size_t i = 0; i <= n; i++) {
        HB_TRY(hb_worked(work, 1, file->error));
        if (ends[i] < (i ? ends[i - 1] + 1 : 0) || (i == 0 && ends[0] != 0))
            return hb_fail(file->error, HBS_E_FORMAT, "cat_boundaries does not rise from 0");
    }
    if ((size_t)ends[n] != tree->set_words.count)
        return hb_fail(file->error, HBS_E_FORMAT, "cat_threshold has %zu items, cat_boundaries ends with %lld",
                       tree->set_words.count, (long long)ends[n]);
    for (size_t i = 0; i < tree->set_words.count; i++) {
        HB_TRY(hb_worked(work, 1, file->error));
        if (words[i] < 0 || words[i] > UINT32_MAX)
            return hb_fail(file->error, HBS_E_FORMAT, "cat_threshold %zu is no word of 32 bits", i);
    }
    return HBS_OK;
}

static hbs_status check_linear(const hb_lightgbm_file *file)
{
    const hb_lightgbm_tree *tree = &file->tree;
    const int64_t *counts = tree->n_leaf_features.items;
    size_t n = (size_t)tree->n_leaves, all = 0;

    if (!tree->is_linear)
        return HBS_OK;
    HB_TRY(check_count(file, "leaf_const", &tree->leaf_constant, n, false));
    HB_TRY(check_count(file, "num_features", &tree->n_leaf_features, n, false));
    for (size_t i = 0; i < n; i++) {
        HB_TRY(hb_worked(work_of(file), 1, file->error));
        if (counts[i] < 0 || counts[i] > HB_MAX_FEATURES)
            return hb_fail(file->error, HBS_E_FORMAT, "num_features: %lld is out of range", (long long)counts[i]);
        all += (size_t)counts[i];
    }
    HB_TRY(check_count(file, "leaf_features", &tree->leaf_features, all, false));
    return check_count(file, "leaf_coeff", &tree->leaf_coefficients, all, false);
}

static hbs_status check_tree(const hb_lightgbm_file *file)
{
    const hb_lightgbm_tree *tree = &file->tree;
    size_t n = (size_t)tree->n_leaves, inner = n ? n - 1 : 0;

    if (n == 0)
        return hb_fail(file->error, HBS_E_FORMAT, "num_leaves is missing or 0");
    HB_TRY(check_count(file, "leaf_value", &tree->leaf_value, n, false));
    HB_TRY(check_count(file, "leaf_count", &tree->leaf_count, n, true));
    HB_TRY(check_linear(file));
    if (inner == 0) /* the library reads no more of a tree of one leaf */
        return HBS_OK;
    HB_TRY(check_count(file, "split_feature", &tree->split_feature, inner, false));
    HB_TRY(check_count(file, "threshold", &tree->threshold, inner, false));
    HB_TRY(check_count(file, "decision_type", &tree->decision_type, inner, true));
    HB_TRY(check_count(file, "left_child", &tree->left, inner, false));
    HB_TRY(check_count(file, "right_child", &tree->right, inner, false));
    HB_TRY(check_count(file, "internal_count", &tree->internal_count, inner, true));
    return check_sets(file);
}

/* ---- appending to the forest */

static int64_t item(const hb_vector *vector, size_t i)
{
    return vector->count ? ((const int64_t *)vector->items)[i] : 0;
}

/* A child's number as a node of ours; one that is out of range stays so. */
static int32_t child_of(const hb_lightgbm_tree *tree, int64_t child)
{
    int64_t inner = tree->n_leaves - 1;

    if (child >= inner || ~child >= tree->n_leaves)
        return INT32_MAX;
    return (int32_t)(child >= 0 ? child : inner + ~child);
}

static hbs_status set_set(hb_lightgbm_file *file, hb_tree_node *node, size_t i)
{
    const hb_lightgbm_tree *tree = &file->tree;
    const int64_t *ends = tree->set_ends.items;
    double number = ((const double *)tree->threshold.items)[i];
    size_t k;

    if (!(number >= 0 && number < (double)tree->n_sets))
        return hb_fail(file->error, HBS_E_FORMAT, "node %zu has set %g of categories, there are %lld", i, number,
                       (long long)tree->n_sets);
    k = (size_t)number;
    node->flags = HB_NODE_CATEGORIES; /* what is missing is in no set, and so goes right */
    node->as.set.first = (uint32_t)(file->forest->categories.count + (size_t)ends[k]);
    node->as.set.count = (uint32_t)(ends[k + 1] - ends[k]);
    return HBS_OK;
}

/* LightGBM takes a number of up to kZeroThreshold (1e-35f) for zero. A test x <= threshold decides so by itself where
 * the threshold is not among those numbers, so it is moved behind them, to the side of zero on which it is. */
static double beside_zero(double threshold)
{
    const double most = 1e-35f;

    if (threshold >= 0 && threshold < most)
        return most;
    return threshold < 0 && threshold >= -most ? nextafter(-most, -INFINITY) : threshold;
}

static hbs_status set_inner(hb_lightgbm_file *file, hb_tree_node *node, size_t i)
{
    const hb_lightgbm_tree *tree = &file->tree;
    int64_t decision = item(&tree->decision_type, i), feature = item(&tree->split_feature, i);
    int64_t count = item(&tree->internal_count, i);

    if (decision < 0 || decision > 11)
        return hb_fail(file->error, HBS_E_UNSUPPORTED, "node %zu has decision_type %lld", i, (long long)decision);
    if (feature < 0 || feature > file->max_feature)
        return hb_fail(file->error, HBS_E_FORMAT, "node %zu tests feature %lld, the model has %lld (0 to %lld)", i,
                       (long long)feature, (long long)file->max_feature + 1, (long long)file->max_feature);
    *node = (hb_tree_node){.left = child_of(tree, item(&tree->left, i)),
                           .right = child_of(tree, item(&tree->right, i)),
                           .feature = (int32_t)feature,
                           .cover = (double)count};
    if (decision & 2)
        node->flags |= HB_NODE_DEFAULT_LEFT;
    if (decision >> 2 == 1)
        node->flags |= HB_NODE_ZERO_MISSING;
    if (decision >> 2 == 2)
        node->flags |= HB_NODE_NAN_MISSING;
    if (decision & 1)
        return set_set(file, node, i);
    node->as.threshold = beside_zero(((const double *)tree->threshold.items)[i]);
    file->flushes |= decision >> 2 == 1;
    return HBS_OK;
}

static void set_leaf(hb_lightgbm_file *file, hb_tree_node *node, size_t i)
{
    const hb_lightgbm_tree *tree = &file->tree;

    *node = (hb_tree_node){.left = HB_NO_CHILD, .right = HB_NO_CHILD, .cover = (double)item(&tree->leaf_count, i)};
    node->as.leaf = ((const double *)tree->leaf_value.items)[i];
    if (tree->is_linear)
        node->right = (int32_t)(file->forest->linear_leaves.count + i);
}

static bool append_linear(hb_lightgbm_file *file)
{
    const hb_lightgbm_tree *tree = &file->tree;
    hb_forest_model *forest = file->forest;
    uint32_t first = (uint32_t)forest->linear_features.count;

    for (size_t i = 0; i < tree->leaf_features.count && hb_goes_on(work_of(file), 4); i++) {
        int64_t feature = item(&tree->leaf_features, i);
        int32_t narrow = feature < 0 || feature > INT32_MAX ? -1 : (int32_t)feature; /* refused later */

        if (!hb_vector_append(&forest->linear_features, &narrow, 1))
            return false;
    }
    for (size_t i = 0; i < (size_t)tree->n_leaves && hb_goes_on(work_of(file), 4); i++) {
        hb_linear_leaf leaf = {((const double *)tree->leaf_constant.items)[i], first,
                               (uint32_t)item(&tree->n_leaf_features, i)};

        first += leaf.count;
        if (!hb_vector_append(&forest->linear_leaves, &leaf, 1))
            return false;
    }
    return hb_vector_append(&forest->linear_coefficients, tree->leaf_coefficients.items,
                            tree->leaf_coefficients.count) != NULL;
}

static bool append_words(hb_lightgbm_file *file)
{
    const hb_vector *words = &file->tree.set_words;

    for (size_t i = 0; i < words->count && hb_goes_on(work_of(file), 4); i++) {
        uint32_t word = (uint32_t)item(words, i);

        if (!hb_vector_append(&file->forest->categories, &word, 1))
            return false;
    }
    return true;
}

static hbs_status append_tree(hb_lightgbm_file *file, size_t number)
{
    enum { UNITS_A_NODE = 6 };
    hb_lightgbm_tree *tree = &file->tree;
    hb_forest_model *forest = file->forest;
    size_t inner = (size_t)tree->n_leaves - 1, n = 2 * inner + 1;
    uint32_t start = (uint32_t)forest->nodes.count;
    int32_t group = (int32_t)((int64_t)number % file->n_per_iteration);
    hb_tree_node *nodes;

    if (!hb_forest_model_may_grow(forest, &file->pipeline->limits, n))
        return hb_fail(file->error, HBS_E_LIMIT, HB_TOO_MANY_NODES, file->pipeline->limits.max_nodes);
    nodes = hb_vector_append(&forest->nodes, NULL, n);
    if (!nodes || !hb_vector_append(&forest->starts, &start, 1) || !hb_vector_append(&forest->groups, &group, 1))
        return hb_no_memory(forest->nodes.memory, file->error);
    for (size_t i = 0; i < inner; i++) {
        HB_TRY(hb_worked(work_of(file), UNITS_A_NODE, file->error));
        HB_TRY(set_inner(file, &nodes[i], i));
    }
    for (size_t i = 0; i <= inner; i++) {
        HB_TRY(hb_worked(work_of(file), UNITS_A_NODE, file->error));
        set_leaf(file, &nodes[inner + i], i);
    }
    file->flushes |= tree->is_linear != 0;
    if ((tree->is_linear && !append_linear(file)) || (inner > 0 && !append_words(file)))
        return hb_no_memory(forest->nodes.memory, file->error);
    return hb_work_status(work_of(file), file->error);
}

hbs_status hb_lightgbm_tree_read(hb_lightgbm_file *file, size_t number)
{
    hbs_status status = read_lines(file);

    if (status == HBS_OK)
        status = check_tree(file);
    if (status == HBS_OK)
        status = append_tree(file, number);
    if (status != HBS_OK)
        hb_error_prefix(file->error, "tree %zu: ", number);
    return status;
}
