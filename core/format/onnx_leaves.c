/* onnx_leaves.c - see onnx_trees.h: what leaves add. If each tree adds to one output, a leaf has one number; else it
 * has a row of numbers, 0 where the file has none, which changes no sum that begins at 0. */
#include "format/onnx_trees.h"

#include <math.h>
#include <stdio.h>

/* The table of weights, a list for each column. */
typedef struct table {
    hb_onnx_items trees, nodes, outputs, weights;
    size_t n;
} table;

static hbs_status begin_list(hb_onnx_trees *t, const char *prefix, const char *rest, hb_onnx_kind kind, size_t n,
                             hb_onnx_items *items)
{
    const hb_onnx_attribute *list;
    char name[32];

    snprintf(name, sizeof(name), "%s_%s", prefix, rest);
    HB_TRY(hb_onnx_list(t->file, t->node, name, kind, n, &list));
    *items = hb_onnx_items_of(list);
    return HBS_OK;
}

static hbs_status begin_table(hb_onnx_trees *t, const char *prefix, table *all)
{
    char name[32];

    snprintf(name, sizeof(name), "%s_weights", prefix);
    HB_TRY(hb_onnx_tree_numbers(t, name, &all->weights, &all->n));
    if (all->n == 0)
        return hb_onnx_refuse(t->file, t->node, HBS_E_UNSUPPORTED, "it has no attribute %s", name);
    HB_TRY(begin_list(t, prefix, "treeids", HB_ONNX_KIND_INTS, all->n, &all->trees));
    HB_TRY(begin_list(t, prefix, "nodeids", HB_ONNX_KIND_INTS, all->n, &all->nodes));
    return begin_list(t, prefix, "ids", HB_ONNX_KIND_INTS, all->n, &all->outputs);
}

hbs_status hb_onnx_weight_add(hb_onnx_trees *t, hb_onnx_weight weight)
{
    if (t->n_targets && weight.output != t->only)
        return HBS_OK;
    weight.output = t->n_targets ? 0 : weight.output;
    return hb_vector_append(&t->weights, &weight, 1) ? HBS_OK : hb_no_memory(t->weights.memory, t->file->error);
}

/* A weight of an inner node counts nowhere. */
static hbs_status read_weight(hb_onnx_trees *t, table *all)
{
    const hb_tree_node *nodes = t->forest->nodes.items;
    int64_t tree = hb_onnx_next_integer(&all->trees), node = hb_onnx_next_integer(&all->nodes);
    int64_t output = hb_onnx_next_integer(&all->outputs);

    double number = hb_onnx_next_number(&all->weights);
    size_t leaf, place;

    HB_TRY(t->file->bytes.status);
    HB_TRY(hb_onnx_trees_find(t, tree, node, &leaf, &place));
    if (output < 0 || (uint64_t)output >= hb_onnx_targets(t))
        return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "a weight is for output %lld of %zu", (long long)output,
                              hb_onnx_targets(t));
    if (isnan(number))
        return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "a weight of tree %lld is NaN", (long long)tree);
    if (nodes[leaf].left != HB_NO_CHILD)
        return HBS_OK;
    return hb_onnx_weight_add(t, (hb_onnx_weight){(uint32_t)leaf, (uint32_t)place, (uint32_t)output, number});
}

hbs_status hb_onnx_weights_read(hb_onnx_trees *t, const char *prefix)
{
    table all;

    HB_TRY(begin_table(t, prefix, &all));
    for (size_t i = 0; i < all.n; i++)
        HB_TRY(read_weight(t, &all));
    return HBS_OK;
}

/* ---- one number a leaf */

/* Sets the output of each tree, and the number of each leaf; *one false: some tree needs more. NaN: none yet. */
static hbs_status take_numbers(hb_onnx_trees *t, bool *one)
{
    hb_tree_node *nodes = t->forest->nodes.items;
    int32_t *groups = t->forest->groups.items;
    const hb_onnx_weight *w = t->weights.items;

    for (size_t i = 0; i < t->forest->groups.count; i++)
        groups[i] = -1;
    for (size_t i = 0; i < t->n_nodes; i++)
        if (nodes[i].left == HB_NO_CHILD)
            nodes[i].as.leaf = NAN;
    *one = true;
    for (const hb_onnx_weight *end = w + t->weights.count; *one && w < end; w++) {
        *one = (groups[w->tree] == -1 || groups[w->tree] == (int32_t)w->output) && isnan(nodes[w->leaf].as.leaf);
        groups[w->tree] = (int32_t)w->output;
        nodes[w->leaf].as.leaf = w->number;
        HB_TRY(hb_worked(t->file->bytes.work, 4, t->file->error));
    }
    return HBS_OK;
}

/* The trees' numbers say this about all rows. */
static hbs_status look_at_numbers(hb_onnx_trees *t)
{
    hb_tree_node *nodes = t->forest->nodes.items;
    int32_t *groups = t->forest->groups.items;
    const hb_onnx_tree *trees = t->trees.items;

    for (size_t i = 0; i < t->trees.count; i++) {
        bool all = true, positive = true;

        for (uint32_t k = trees[i].first; k < trees[i].first + trees[i].count; k++) {
            if (nodes[k].left != HB_NO_CHILD)
                continue;
            all &= !isnan(nodes[k].as.leaf);
            positive &= nodes[k].as.leaf > 0;
            t->has_negative |= nodes[k].as.leaf < 0;
            if (isnan(nodes[k].as.leaf))
                nodes[k].as.leaf = t->without;
        }
        groups[i] = groups[i] == -1 ? 0 : groups[i];
        t->always[groups[i]] |= all;
        t->all_positive |= positive;
        HB_TRY(hb_worked(t->file->bytes.work, trees[i].count, t->file->error));
    }
    return HBS_OK;
}

/* ---- a row of numbers a leaf */

/* A row of NaN for each leaf. */
static hbs_status make_rows(hb_onnx_trees *t)
{
    hb_forest_model *forest = t->forest;
    hb_tree_node *nodes = forest->nodes.items;
    size_t n_leaves = 0, n;
    float *rows;

    for (size_t i = 0; i < t->n_nodes; i++)
        if (nodes[i].left == HB_NO_CHILD) {
            nodes[i].as.leaf = 0;
            nodes[i].right = (int32_t)n_leaves++;
        }
    for (size_t i = 0; i < forest->groups.count; i++)
        ((int32_t *)forest->groups.items)[i] = 0;
    forest->leaf_width = t->n_outputs;
    rows = hb_multiply(n_leaves, t->n_outputs, &n) ? hb_vector_append(&forest->leaf_vectors, NULL, n) : NULL;
    if (!rows)
        return hb_no_memory(forest->leaf_vectors.memory, t->file->error);
    for (size_t i = 0; i < n; i++) {
        rows[i] = NAN;
        HB_TRY(hb_worked(t->file->bytes.work, 1, t->file->error));
    }
    return HBS_OK;
}

static hbs_status take_rows(hb_onnx_trees *t)
{
    const hb_tree_node *nodes = t->forest->nodes.items;
    float *rows = t->forest->leaf_vectors.items;
    const hb_onnx_weight *w = t->weights.items;

    for (const hb_onnx_weight *end = w + t->weights.count; w < end; w++) {
        float *number = &rows[(size_t)nodes[w->leaf].right * t->n_outputs + w->output];

        if (!isnan(*number))
            return hb_onnx_refuse(t->file, t->node, HBS_E_UNSUPPORTED, "a leaf has two weights for output %u",
                                  (unsigned)w->output);
        *number = (float)w->number;
        HB_TRY(hb_worked(t->file->bytes.work, 4, t->file->error));
    }
    return HBS_OK;
}

static hbs_status look_at_rows(hb_onnx_trees *t)
{
    const hb_tree_node *nodes = t->forest->nodes.items;
    const hb_onnx_tree *trees = t->trees.items;
    const float *rows = t->forest->leaf_vectors.items;
    size_t width = t->n_outputs;

    for (size_t o = 0; o < width; o++)
        for (size_t i = 0; i < t->trees.count; i++) {
            bool all = true;

            for (uint32_t k = trees[i].first; k < trees[i].first + trees[i].count; k++) {
                float number;

                if (nodes[k].left != HB_NO_CHILD)
                    continue;
                number = rows[(size_t)nodes[k].right * width + o];
                all &= !isnan(number);
                t->has_negative |= number < 0;
            }
            t->always[o] |= all;
            HB_TRY(hb_worked(t->file->bytes.work, trees[i].count, t->file->error));
        }
    return HBS_OK;
}

/* NaN stands for no weight, which becomes 0. Whether each leaf of a tree has a weight above 0. */
static hbs_status fill_rows(hb_onnx_trees *t)
{
    const hb_tree_node *nodes = t->forest->nodes.items;
    const hb_onnx_tree *trees = t->trees.items;
    float *rows = t->forest->leaf_vectors.items;

    for (size_t i = 0; i < t->trees.count; i++) {
        bool positive = true;

        for (uint32_t k = trees[i].first; k < trees[i].first + trees[i].count; k++) {
            float *row = rows + (nodes[k].left == HB_NO_CHILD ? (size_t)nodes[k].right * t->n_outputs : 0);
            bool any = nodes[k].left != HB_NO_CHILD;

            for (size_t o = 0; nodes[k].left == HB_NO_CHILD && o < t->n_outputs; o++) {
                row[o] = isnan(row[o]) ? 0 : row[o];
                any |= row[o] > 0;
            }
            positive &= any;
            HB_TRY(hb_worked(t->file->bytes.work, t->n_outputs, t->file->error));
        }
        t->all_positive |= positive;
    }
    return HBS_OK;
}

/* Leaves of a forest in float64 have rows of it, with the weights as the file has them. */
static hbs_status widen_rows(hb_onnx_trees *t)
{
    hb_vector *rows = &t->forest->leaf_vectors, wide;
    const hb_tree_node *nodes = t->forest->nodes.items;
    const hb_onnx_weight *weights = t->weights.items;
    const float *from = rows->items;
    double *to;

    hb_vector_init(&wide, rows->memory, sizeof(double));
    to = hb_vector_append(&wide, NULL, rows->count);
    if (!to)
        return hb_no_memory(rows->memory, t->file->error);
    for (size_t i = 0; i < rows->count; i++)
        to[i] = (double)from[i];
    for (size_t i = 0; i < t->weights.count; i++)
        to[(size_t)nodes[weights[i].leaf].right * t->n_outputs + weights[i].output] = weights[i].number;
    hb_vector_release(rows);
    *rows = wide;
    return hb_worked(t->file->bytes.work, wide.count + 2 * t->weights.count, t->file->error);
}

/* ---- all of them */

static hbs_status look_at_outputs(hb_onnx_trees *t)
{
    const hb_onnx_weight *weights = t->weights.items;

    for (size_t i = 0; i < t->weights.count; i++) {
        t->ever[weights[i].output] = 1;
        HB_TRY(hb_worked(t->file->bytes.work, 1, t->file->error));
    }
    return HBS_OK;
}

hbs_status hb_onnx_leaves_are_of_one(hb_onnx_file *file, const hb_onnx_node *node, bool *one)
{
    const hb_onnx_attribute *list;
    hb_onnx_items items;

    *one = true;
    HB_TRY(hb_onnx_attribute_find(file, node, "class_ids", HB_ONNX_KIND_INTS, &list));
    if (!list)
        return HBS_OK;
    items = hb_onnx_items_of(list);
    for (size_t i = 0; i < list->count; i++)
        *one &= hb_onnx_next_integer(&items) == 0;
    return file->bytes.status;
}

hbs_status hb_onnx_leaves_build(hb_onnx_trees *t)
{
    bool one;

    t->forest->n_outputs = t->n_outputs;
    t->forest->leaf_width = 1;
    t->always = hb_arena_array(&t->file->arena, t->n_outputs, 1);
    t->ever = hb_arena_array(&t->file->arena, t->n_outputs, 1);
    if (!t->always || !t->ever)
        return hb_no_memory(t->file->arena.memory, t->file->error);
    HB_TRY(look_at_outputs(t));
    HB_TRY(take_numbers(t, &one));
    if (one)
        return look_at_numbers(t);
    HB_TRY(make_rows(t));
    HB_TRY(take_rows(t));
    HB_TRY(look_at_rows(t));
    HB_TRY(fill_rows(t));
    return t->forest->wide ? widen_rows(t) : HBS_OK;
}
