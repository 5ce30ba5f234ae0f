/* onnx_trees.c - see onnx_trees.h: the nodes of versions 1 and 3. */
#include "format/onnx_trees.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"

/* ---- lists */

hbs_status hb_onnx_list(hb_onnx_file *file, const hb_onnx_node *node, const char *name, hb_onnx_kind kind, size_t n,
                        const hb_onnx_attribute **list)
{
    HB_TRY(hb_onnx_attribute_find(file, node, name, kind, list));
    if (!*list)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "it has no attribute %s", name);
    if ((*list)->count != n)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "%s has %zu items, expected %zu", name, (*list)->count, n);
    return HBS_OK;
}

hbs_status hb_onnx_tree_numbers(const hb_onnx_trees *t, const char *name, hb_onnx_items *items, size_t *n)
{
    const hb_onnx_attribute *list, *tensor;
    char as_tensor[40];

    *n = 0;
    snprintf(as_tensor, sizeof(as_tensor), "%s_as_tensor", name);
    HB_TRY(hb_onnx_attribute_find(t->file, t->node, name, HB_ONNX_KIND_FLOATS, &list));
    HB_TRY(hb_onnx_attribute_find(t->file, t->node, as_tensor, HB_ONNX_KIND_TENSOR, &tensor));
    if (list && list->count > 0 && tensor)
        return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "it has both %s and %s", name, as_tensor);
    if (list && !tensor) {
        *n = list->count;
        *items = hb_onnx_items_of(list);
    }
    if (!tensor)
        return HBS_OK;
    if (tensor->tensor->type != HB_ONNX_DOUBLE || t->in->type != HB_ONNX_DOUBLE)
        return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "%s is not float64, as its input", as_tensor);
    *n = tensor->tensor->count;
    *items = hb_onnx_items_of_tensor(tensor->tensor);
    return HBS_OK;
}

/* The table of nodes, a list for each column. */
typedef struct table {
    hb_onnx_items trees, numbers, features, values, yes, no, tracks;
    hb_repeated modes;
    bool has_tracks;
} table;

static hbs_status begin_integers(const hb_onnx_trees *t, const char *name, hb_onnx_items *items)
{
    const hb_onnx_attribute *list;

    HB_TRY(hb_onnx_list(t->file, t->node, name, HB_ONNX_KIND_INTS, t->n_nodes, &list));
    *items = hb_onnx_items_of(list);
    return HBS_OK;
}

static hbs_status begin_table(hb_onnx_trees *t, table *all)
{
    enum { STRINGS = 9 };
    const hb_onnx_attribute *list;
    size_t n;

    HB_TRY(hb_onnx_attribute_find(t->file, t->node, "nodes_treeids", HB_ONNX_KIND_INTS, &list));
    t->n_nodes = list ? list->count : 0;
    if (t->n_nodes == 0)
        return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "it has no nodes");
    if (!hb_forest_model_may_grow(t->forest, &t->file->pipeline->limits, t->n_nodes) || t->n_nodes > INT32_MAX)
        return hb_onnx_refuse(t->file, t->node, HBS_E_LIMIT, HB_TOO_MANY_NODES, t->file->pipeline->limits.max_nodes);
    HB_TRY(begin_integers(t, "nodes_treeids", &all->trees));
    HB_TRY(begin_integers(t, "nodes_nodeids", &all->numbers));
    HB_TRY(begin_integers(t, "nodes_featureids", &all->features));
    HB_TRY(begin_integers(t, "nodes_truenodeids", &all->yes));
    HB_TRY(begin_integers(t, "nodes_falsenodeids", &all->no));
    HB_TRY(hb_onnx_tree_numbers(t, "nodes_values", &all->values, &n));
    if (n != t->n_nodes)
        return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "nodes_values has %zu items, expected %zu", n,
                              t->n_nodes);
    HB_TRY(hb_onnx_list(t->file, t->node, "nodes_modes", HB_ONNX_KIND_TEXTS, t->n_nodes, &list));
    all->modes = hb_repeated_begin(&list->body, STRINGS, HB_WIRE_BYTES);
    HB_TRY(hb_onnx_attribute_find(t->file, t->node, "nodes_missing_value_tracks_true", HB_ONNX_KIND_INTS, &list));
    all->has_tracks = list && list->count > 0;
    return all->has_tracks ? begin_integers(t, "nodes_missing_value_tracks_true", &all->tracks) : HBS_OK;
}

static bool has_equality_words(const hb_onnx_file *file, const hb_onnx_attribute *modes)
{
    enum { STRINGS = 9, UNITS_A_WORD = 4 };
    hb_repeated words = hb_repeated_begin(&modes->body, STRINGS, HB_WIRE_BYTES);
    bool found = false;
    hbs_text mode;

    for (size_t k = 0; k < modes->count && !found && hb_goes_on(file->bytes.work, UNITS_A_WORD); k++) {
        hb_repeated_text(&words, &mode);
        found = hb_text_is(mode, "BRANCH_EQ") || hb_text_is(mode, "BRANCH_NEQ");
    }
    return found;
}

static bool has_equality_numbers(const hb_onnx_file *file, const hb_onnx_tensor *modes)
{
    hb_onnx_items items = hb_onnx_items_of_tensor(modes);
    bool found = false;

    for (size_t k = 0; k < modes->count && !found && hb_goes_on(file->bytes.work, 1); k++)
        found = hb_onnx_mode_is_equality((hb_onnx_mode)hb_onnx_next_integer(&items));
    return found;
}

bool hb_onnx_tests_equality(const hb_onnx_file *file, const hb_onnx_node *node)
{
    for (size_t i = 0; i < node->n_attributes; i++) {
        const hb_onnx_attribute *a = &node->attributes[i];

        if (!hb_text_is(a->name, "nodes_modes"))
            continue;
        if (a->kind == HB_ONNX_KIND_TEXTS)
            return has_equality_words(file, a);
        return a->kind == HB_ONNX_KIND_TENSOR && a->tensor->type == HB_ONNX_UINT8 &&
               has_equality_numbers(file, a->tensor);
    }
    return false;
}

/* ---- nodes */

/* One row. Children are numbers of the file until all nodes of their tree are known. */
typedef struct row {
    int64_t tree, number, yes, no;
    hbs_text mode;
    bool is_leaf, is_test; /* neither: its mode is unknown */
    hb_onnx_test test;
} row;

static void read_mode(row *row)
{
    static const char *const modes[] = {
        [HB_ONNX_LEQ] = "BRANCH_LEQ", [HB_ONNX_LT] = "BRANCH_LT", [HB_ONNX_GTE] = "BRANCH_GTE",
        [HB_ONNX_GT] = "BRANCH_GT",   [HB_ONNX_EQ] = "BRANCH_EQ", [HB_ONNX_NEQ] = "BRANCH_NEQ"};

    row->is_leaf = hb_text_is(row->mode, "LEAF");
    row->is_test = false;
    for (size_t i = 0; !row->is_leaf && !row->is_test && i < sizeof(modes) / sizeof(modes[0]); i++) {
        row->is_test = hb_text_is(row->mode, modes[i]);
        row->test.mode = (hb_onnx_mode)i;
    }
}

static void read_row(table *all, row *row)
{
    row->tree = hb_onnx_next_integer(&all->trees);
    row->number = hb_onnx_next_integer(&all->numbers);
    row->test.feature = hb_onnx_next_integer(&all->features);
    row->yes = hb_onnx_next_integer(&all->yes);
    row->no = hb_onnx_next_integer(&all->no);
    row->test.number = hb_onnx_next_number(&all->values);
    row->test.tracks = all->has_tracks && hb_onnx_next_integer(&all->tracks) != 0;
    hb_repeated_text(&all->modes, &row->mode);
    read_mode(row);
}

__attribute__((format(printf, 4, 5))) static hbs_status bad_node(const hb_onnx_trees *t, const row *row,
                                                                 hbs_status status, const char *format, ...)
{
    char text[HBS_ERROR_TEXT];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return hb_onnx_refuse(t->file, t->node, status, "tree %lld, node %lld: %s", (long long)row->tree,
                          (long long)row->number, text);
}

static hbs_status make_node(hb_onnx_trees *t, const row *row, hb_tree_node *node)
{
    char shown[HB_EXCERPT_BUFFER];

    *node = (hb_tree_node){.left = HB_NO_CHILD, .right = HB_NO_CHILD};
    if (row->is_leaf)
        return HBS_OK;
    if (!row->is_test)
        return bad_node(t, row, HBS_E_UNSUPPORTED,
                        "hbscore reads modes BRANCH_LEQ, BRANCH_LT, BRANCH_GTE, BRANCH_GT, BRANCH_EQ, BRANCH_NEQ and "
                        "LEAF, not \"%s\"",
                        HB_SHOW(row->mode, shown));
    if (row->test.feature < 0 || (uint64_t)row->test.feature >= t->in->width)
        return bad_node(t, row, HBS_E_FORMAT, "it tests feature %lld of %zu", (long long)row->test.feature,
                        t->in->width);
    if (isnan(row->test.number))
        return bad_node(t, row, HBS_E_FORMAT, "its threshold is NaN");
    return hb_onnx_test_build(t, &row->test, node);
}

/* Adds the row to the tree that the row before it is in, or to a new one. */
static hbs_status count_row(hb_onnx_trees *t, const row *row, size_t i)
{
    hb_onnx_tree *tree = t->trees.count ? (hb_onnx_tree *)t->trees.items + t->trees.count - 1 : NULL;

    if (!tree || tree->number != row->tree) {
        const uint32_t first = (uint32_t)i;
        const int32_t group = 0;

        tree = hb_vector_append(&t->trees, &(hb_onnx_tree){row->tree, first, 0, true}, 1);
        if (!tree || !hb_vector_append(&t->forest->starts, &first, 1) ||
            !hb_vector_append(&t->forest->groups, &group, 1))
            return hb_no_memory(t->file->arena.memory, t->file->error);
    }
    t->numbers[i] = row->number;
    tree->in_order &= (uint64_t)row->number == (uint64_t)t->numbers[tree->first] + (i - tree->first);
    tree->count++;
    return HBS_OK;
}

static hbs_status read_rows(hb_onnx_trees *t, table all)
{
    hb_tree_node *nodes = hb_vector_append(&t->forest->nodes, NULL, t->n_nodes);
    row row;

    t->numbers = hb_arena_room(&t->file->arena, t->n_nodes, sizeof(*t->numbers));
    if (!nodes || !t->numbers)
        return hb_no_memory(t->file->arena.memory, t->file->error);
    for (size_t i = 0; i < t->n_nodes; i++) {
        read_row(&all, &row);
        HB_TRY(t->file->bytes.status);
        HB_TRY(make_node(t, &row, &nodes[i]));
        HB_TRY(count_row(t, &row, i));
        HB_TRY(hb_worked(t->file->bytes.work, 16, t->file->error));
    }
    return HBS_OK;
}

/* ---- numbers of trees and nodes */

static int compare_trees(const void *context, uint32_t a, uint32_t b)
{
    const hb_onnx_tree *trees = ((const hb_onnx_trees *)context)->trees.items;

    return trees[a].number < trees[b].number ? -1 : trees[a].number > trees[b].number;
}

static int compare_nodes(const void *context, uint32_t a, uint32_t b)
{
    return hb_compare_integers(((const hb_onnx_trees *)context)->numbers, a, b);
}

/* Each number once. */
static hbs_status sort_trees(hb_onnx_trees *t)
{
    size_t n = t->trees.count;
    const hb_onnx_tree *trees = t->trees.items;

    t->by_number = hb_arena_room(&t->file->arena, n, sizeof(*t->by_number));
    if (!t->by_number)
        return hb_no_memory(t->file->arena.memory, t->file->error);
    for (uint32_t i = 0; i < n; i++)
        t->by_number[i] = i;
    if (!hb_sort(t->by_number, n, compare_trees, t, t->file->bytes.work))
        return hb_work_status(t->file->bytes.work, t->file->error);
    for (size_t i = 1; i < n; i++)
        if (trees[t->by_number[i - 1]].number == trees[t->by_number[i]].number)
            return hb_onnx_refuse(t->file, t->node, HBS_E_UNSUPPORTED, "the nodes of tree %lld do not stand together",
                                  (long long)trees[t->by_number[i]].number);
    return hb_worked(t->file->bytes.work, n, t->file->error);
}

static hbs_status sort_nodes(hb_onnx_trees *t, const hb_onnx_tree *tree)
{
    uint32_t *order;

    if (tree->in_order)
        return HBS_OK;
    if (!t->order)
        t->order = hb_arena_room(&t->file->arena, t->n_nodes, sizeof(*t->order));
    if (!t->order)
        return hb_no_memory(t->file->arena.memory, t->file->error);
    order = t->order + tree->first;
    for (uint32_t i = 0; i < tree->count; i++)
        order[i] = tree->first + i;
    if (!hb_sort(order, tree->count, compare_nodes, t, t->file->bytes.work))
        return hb_work_status(t->file->bytes.work, t->file->error);
    for (uint32_t i = 1; i < tree->count; i++)
        if (t->numbers[order[i - 1]] == t->numbers[order[i]])
            return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "tree %lld has two nodes %lld",
                                  (long long)tree->number, (long long)t->numbers[order[i]]);
    return hb_worked(t->file->bytes.work, tree->count, t->file->error);
}

static hbs_status find_tree(hb_onnx_trees *t, int64_t number)
{
    const hb_onnx_tree *trees = t->trees.items;
    size_t low = 0, high = t->trees.count;

    for (size_t i = t->last; i < t->last + 2 && i < t->trees.count; i++)
        if (trees[i].number == number) {
            t->last = i;
            return HBS_OK;
        }
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (trees[t->by_number[middle]].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == t->trees.count || trees[t->by_number[low]].number != number)
        return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "a weight is of tree %lld, which has no nodes",
                              (long long)number);
    t->last = t->by_number[low];
    return HBS_OK;
}

/* SIZE_MAX: the tree has none of this number. */
static size_t find_node(const hb_onnx_trees *t, const hb_onnx_tree *tree, int64_t number)
{
    uint64_t behind = (uint64_t)number - (uint64_t)t->numbers[tree->first];
    size_t low = 0, high = tree->count;

    if (tree->in_order)
        return behind < tree->count ? tree->first + (size_t)behind : SIZE_MAX;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (t->numbers[t->order[tree->first + middle]] < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == tree->count || t->numbers[t->order[tree->first + low]] != number)
        return SIZE_MAX;
    return t->order[tree->first + low];
}

hbs_status hb_onnx_trees_find(hb_onnx_trees *t, int64_t tree, int64_t number, size_t *place, size_t *tree_place)
{
    HB_TRY(hb_worked(t->file->bytes.work, 16, t->file->error));
    HB_TRY(find_tree(t, tree));
    *tree_place = t->last;
    *place = find_node(t, (const hb_onnx_tree *)t->trees.items + t->last, number);
    if (*place == SIZE_MAX)
        return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "a weight is of tree %lld, node %lld, which is not there",
                              (long long)tree, (long long)number);
    return HBS_OK;
}

/* ---- children */

static hbs_status link_child(const hb_onnx_trees *t, const hb_onnx_tree *tree, const row *row, int64_t number,
                             int32_t *child)
{
    size_t place = find_node(t, tree, number);

    if (place == SIZE_MAX)
        return bad_node(t, row, HBS_E_FORMAT, "its child %lld is not there", (long long)number);
    *child = (int32_t)(place - tree->first);
    return HBS_OK;
}

static hbs_status link_tree(const hb_onnx_trees *t, const hb_onnx_tree *tree, table *all)
{
    hb_tree_node *nodes = (hb_tree_node *)t->forest->nodes.items + tree->first;
    bool left;
    row row;

    for (uint32_t i = 0; i < tree->count; i++) {
        read_row(all, &row);
        HB_TRY(hb_worked(t->file->bytes.work, 32, t->file->error));
        if (nodes[i].left == HB_NO_CHILD)
            continue;
        left = hb_onnx_holds_left(t, &row.test);
        HB_TRY(link_child(t, tree, &row, left ? row.yes : row.no, &nodes[i].left));
        HB_TRY(link_child(t, tree, &row, left ? row.no : row.yes, &nodes[i].right));
    }
    return HBS_OK;
}

static hbs_status link_trees(hb_onnx_trees *t, table all)
{
    const hb_onnx_tree *trees = t->trees.items;

    for (size_t i = 0; i < t->trees.count; i++) {
        HB_TRY(sort_nodes(t, &trees[i]));
        HB_TRY(link_tree(t, &trees[i], &all));
    }
    return t->file->bytes.status;
}

/* ---- the table */

hbs_status hb_onnx_trees_begin(hb_onnx_trees *t)
{
    hb_memory *memory = t->file->arena.memory;

    hb_vector_init(&t->trees, memory, sizeof(hb_onnx_tree));
    hb_vector_init(&t->equals, memory, sizeof(hb_onnx_equal_test));
    hb_vector_init(&t->weights, memory, sizeof(hb_onnx_weight));
    t->forest = hb_arena_array(&t->file->pipeline->arena, 1, sizeof(*t->forest));
    if (!t->forest)
        return hb_no_memory(memory, t->file->error);
    hb_forest_model_init(t->forest, memory);
    t->forest->wide = t->in->type == HB_ONNX_DOUBLE;
    return HBS_OK;
}

hbs_status hb_onnx_trees_read(hb_onnx_trees *t)
{
    table all = {.has_tracks = false};

    HB_TRY(begin_table(t, &all));
    HB_TRY(read_rows(t, all));
    HB_TRY(sort_trees(t));
    return link_trees(t, all);
}

void hb_onnx_trees_release(hb_onnx_trees *t)
{
    hb_vector_release(&t->trees);
    hb_vector_release(&t->equals);
    hb_vector_release(&t->weights);
    if (t->forest) /* not given to the pipeline */
        hb_forest_model_release(t->forest);
}
