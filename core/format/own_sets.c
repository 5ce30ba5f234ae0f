/* own_sets.c - the sets of categories that nodes of a forest test, in words of bits. */
#include "format/own_forest.h"

static const int32_t *integers_of(const hb_own_array *array)
{
    return array->items;
}

bool hb_own_sets_read(hb_own_file *file, const char *next, hb_own_sets *sets)
{
    hb_own_dtype dtype;
    bool found;

    if (!hb_own_either(file, "set_node", next, &found))
        return false;
    if (!found)
        return true;
    if (!hb_own_array_value(file, 1u << HB_OWN_I4, 1, &dtype, &sets->node) ||
        !hb_own_array_read(file, "set_start", HB_OWN_I4, 1, &sets->start) ||
        !hb_own_array_read(file, "set_bits", HB_OWN_I4, 1, &sets->bits))
        return false;
    if (sets->node.count == 0)
        return hb_own_forest_fail(file, "set_node is empty");
    return hb_own_member(file, next);
}

/* Each set has words of its own, so that bits are no more than the file has. */
bool hb_own_sets_check(hb_own_file *file, const hb_own_sets *sets, size_t n_nodes)
{
    const int32_t *node = integers_of(&sets->node), *start = integers_of(&sets->start);
    size_t n = sets->node.count;

    if (n == 0)
        return true;
    if (sets->start.count != n + 1 || start[0] != 0 || (size_t)start[n] != sets->bits.count)
        return hb_own_forest_fail(file, "set_start does not go from 0 to the number of words in set_bits");
    for (size_t k = 0; k < n && hb_document_goes_on(file->d, 2); k++) {
        if (start[k + 1] <= start[k])
            return hb_own_forest_fail(file, "set_start does not rise");
        if (node[k] < 0 || (size_t)node[k] >= n_nodes || (k > 0 && node[k] <= node[k - 1]))
            return hb_own_forest_fail(file, "set_node does not rise from node to node");
    }
    return hb_document_ok(file->d);
}

void hb_own_sets_mark(const hb_own_sets *sets, size_t *k, size_t i, hb_tree_node *node)
{
    const int32_t *start = integers_of(&sets->start);

    if (*k == sets->node.count || (size_t)integers_of(&sets->node)[*k] != i)
        return;
    node->flags |= HB_NODE_CATEGORIES;
    node->as.set.first = (uint32_t)start[*k];
    node->as.set.count = (uint32_t)(start[*k + 1] - start[*k]);
    ++*k;
}
