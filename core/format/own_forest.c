/* own_forest.c - the forest: arrays over all nodes, tree after tree. */
#include <math.h>

#include "format/own.h"

/* Which numbers it takes: the file's word for it. */
typedef enum takes { NO_MISSING, MISSING, INFINITE } takes;

/* The arrays as they stand; node i of the file, over all trees. */
typedef struct arrays {
    hb_own_array start, left, right, feature, threshold, missing_left, cover, value, group, init;
    hb_own_sets sets;
    size_t n_nodes, n_trees;
    takes takes;
    bool narrow; /* features are rounded to float32 first */
} arrays;

static const int32_t *integers(const hb_own_array *array)
{
    return array->items;
}

static const double *doubles(const hb_own_array *array)
{
    return array->items;
}

static bool fail(hb_own_file *file, const char *what)
{
    hb_document_fail(file->d, HBS_E_FORMAT, "forest: %s", what);
    return false;
}

/* In the file's order. */
static bool read_arrays(hb_own_file *file, arrays *a, double *divisor)
{
    static const char *const inputs[] = {"f4", "f8"};
    size_t input = hb_own_word(file, "input", inputs, 2);
    hb_own_array divide;
    hb_own_dtype dtype;
    bool sets;

    if (input == SIZE_MAX)
        return false;
    a->narrow = input == 0;
    if (!hb_own_array_read(file, "start", HB_OWN_I4, 1, &a->start) ||
        !hb_own_array_read(file, "left", HB_OWN_I4, 1, &a->left) ||
        !hb_own_array_read(file, "right", HB_OWN_I4, 1, &a->right) ||
        !hb_own_array_read(file, "feature", HB_OWN_I4, 1, &a->feature) ||
        !hb_own_array_read(file, "threshold", HB_OWN_F8, 1, &a->threshold) ||
        !hb_own_either(file, "set_node", "missing_left", &sets) ||
        (sets && !(hb_own_sets_read(file, &a->sets) && hb_own_member(file, "missing_left"))) ||
        !hb_own_array_value(file, 1u << HB_OWN_U1, 1, &dtype, &a->missing_left) ||
        !hb_own_array_read(file, "cover", HB_OWN_F8, 1, &a->cover) ||
        !hb_own_array_read(file, "value", HB_OWN_F8, 2, &a->value) ||
        !hb_own_array_read(file, "group", HB_OWN_I4, 1, &a->group) ||
        !hb_own_array_read(file, "init", HB_OWN_F8, 1, &a->init) ||
        !hb_own_array_read(file, "divide", HB_OWN_F8, 1, &divide) ||
        !hb_own_member(file, "missing"))
        return false;
    a->takes = (takes)hb_read_integer(file->d, NO_MISSING, INFINITE);
    if (!hb_document_ok(file->d))
        return false;
    if (divide.count != 1 || !isfinite(doubles(&divide)[0]) || doubles(&divide)[0] <= 0)
        return fail(file, "divide is not one positive number");
    *divisor = doubles(&divide)[0];
    return true;
}

static bool check_sizes(hb_own_file *file, arrays *a)
{
    size_t n = a->left.count;
    const int32_t *start = integers(&a->start);

    if (a->start.count < 1 || start[0] != 0 || (size_t)start[a->start.count - 1] != n)
        return fail(file, "start does not go from 0 to the number of nodes");
    for (size_t t = 1; t < a->start.count; t++)
        if (start[t] <= start[t - 1])
            return fail(file, "start does not rise");
    if (a->right.count != n || a->feature.count != n || a->threshold.count != n ||
        a->missing_left.count != n || a->cover.count != n)
        return fail(file, "the arrays of nodes are not of one length");
    if (n > file->pipeline->limits.max_nodes - file->n_nodes) {
        hb_document_fail(file->d, HBS_E_LIMIT, HB_TOO_MANY_NODES,
                         file->pipeline->limits.max_nodes);
        return false;
    }
    a->n_nodes = n;
    file->n_nodes += n;
    a->n_trees = a->start.count - 1;
    if (a->group.count != a->n_trees)
        return fail(file, "group is not one number for each tree");
    if (a->init.count == 0 || a->init.count > HB_MAX_OUTPUTS)
        return fail(file, "init has no number for each output");
    for (size_t i = 0; i < a->init.count; i++)
        if (isnan(doubles(&a->init)[i]))
            return fail(file, "init has a NaN");
    for (size_t i = 0; i < n; i++)
        if (!(doubles(&a->cover)[i] >= 0))
            return fail(file, "a cover is negative or NaN");
    for (size_t i = 0; i < n; i++) {
        if (integers(&a->left)[i] == HB_NO_CHILD && integers(&a->right)[i] != HB_NO_CHILD)
            return fail(file, "a leaf has a right child");
        if (((const uint8_t *)a->missing_left.items)[i] > 1)
            return fail(file, "missing_left is neither 0 nor 1");
    }
    return hb_own_sets_check(file, &a->sets, n);
}

/* Trees that each add to one output have leaves of one number; else leaves are vectors. */
static bool check_groups(hb_own_file *file, const arrays *a, bool *vectors)
{
    size_t outputs = a->init.count;
    const int32_t *group = integers(&a->group);

    *vectors = a->n_trees > 0 && group[0] < 0 && outputs > 1;
    for (size_t t = 0; t < a->n_trees; t++)
        if (*vectors ? group[t] != -1
                     : group[t] < (outputs == 1 ? -1 : 0) || group[t] >= (int32_t)outputs)
            return fail(file, "a group is no output");
    if (a->n_trees > 0 && a->value.shape[1] != (*vectors ? outputs : 1))
        return fail(file, "value is not as wide as the leaves");
    return true;
}

static void add_node(const arrays *a, size_t i, size_t *leaf, bool vectors, hb_tree_node *node)
{
    int32_t left = integers(&a->left)[i];

    *node = (hb_tree_node){.left = left, .right = integers(&a->right)[i],
                           .cover = doubles(&a->cover)[i]};
    if (left == HB_NO_CHILD) {
        node->right = vectors ? (int32_t)*leaf : -1;
        if (!vectors)
            node->as.leaf = doubles(&a->value)[*leaf];
        ++*leaf;
        return;
    }
    node->feature = integers(&a->feature)[i];
    node->as.threshold = doubles(&a->threshold)[i];
    node->flags = HB_NODE_NAN_MISSING;
    if (((const uint8_t *)a->missing_left.items)[i])
        node->flags |= HB_NODE_DEFAULT_LEFT;
}

enum { NODES_A_POLL = 1 << 15 };

static bool add_trees(hb_own_file *file, const arrays *a, bool vectors, hb_forest_model *forest)
{
    const int32_t *start = integers(&a->start);
    size_t leaf = 0, n_leaves = 0, set = 0;

    for (size_t i = 0; i < a->n_nodes; i++)
        n_leaves += integers(&a->left)[i] == HB_NO_CHILD;
    if (n_leaves != a->value.shape[0])
        return fail(file, "value has not one row for each leaf");
    if (!hb_vector_reserve(&forest->nodes, a->n_nodes))
        return hb_document_no_memory(file->d);
    for (size_t t = 0; t < a->n_trees; t++) {
        uint32_t first = (uint32_t)start[t];
        int32_t group = integers(&a->group)[t];
        hb_tree_node *nodes = hb_vector_append(&forest->nodes, NULL, (size_t)(start[t + 1] - start[t]));

        group = group < 0 ? 0 : group;
        if (!nodes || !hb_vector_append(&forest->starts, &first, 1) ||
            !hb_vector_append(&forest->groups, &group, 1))
            return hb_document_no_memory(file->d);
        for (int32_t i = start[t]; i < start[t + 1]; i++) {
            if (i % NODES_A_POLL == NODES_A_POLL - 1 && !hb_own_go_on(file))
                return false;
            add_node(a, (size_t)i, &leaf, vectors, &nodes[i - start[t]]);
            hb_own_sets_mark(&a->sets, &set, (size_t)i, &nodes[i - start[t]]);
        }
    }
    if (a->sets.bits.count &&
        !hb_vector_append(&forest->categories, a->sets.bits.items, a->sets.bits.count))
        return hb_document_no_memory(file->d);
    if (vectors && !hb_vector_append(&forest->leaf_vectors, a->value.items, a->value.count))
        return hb_document_no_memory(file->d);
    return true;
}

bool hb_own_forest_read(hb_own_file *file, size_t input, size_t width, hb_operator *op,
                        double *divisor)
{
    static const uint8_t demands[] = {HB_DEMAND_FINITE | HB_DEMAND_KNOWN, HB_DEMAND_FINITE, 0};
    hb_memory *memory = file->pipeline->arena.memory;
    hb_forest_model *forest;
    arrays a = {.sets = {.node = {.count = 0}}};
    bool vectors;

    if (!read_arrays(file, &a, divisor) || !check_sizes(file, &a) ||
        !check_groups(file, &a, &vectors))
        return false;
    forest = hb_arena_array(&file->pipeline->arena, 1, sizeof(*forest));
    if (!forest)
        return hb_document_no_memory(file->d);
    hb_forest_model_init(forest, memory);
    hb_vector_init(&forest->leaf_vectors, memory, sizeof(double));
    forest->wide = true;
    forest->n_features = width;
    forest->n_outputs = a.init.count;
    forest->leaf_width = vectors ? a.init.count : 1;
    forest->sets_are_bits = true;
    forest->demand = demands[a.takes];
    if (!add_trees(file, &a, vectors, forest)) {
        hb_forest_model_release(forest);
        return false;
    }
    *op = (hb_operator){.kind = HB_OPERATOR_FOREST, .input = input, .forest = forest,
                        .base = a.init.items};
    if (a.narrow)
        op->input = hb_pipeline_add(file->pipeline,
                                    &(hb_operator){.kind = HB_OPERATOR_ROUND, .input = input});
    return true;
}
