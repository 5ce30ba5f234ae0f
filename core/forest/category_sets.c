/* category_sets.c - see category_sets.h. */
#include "forest/category_sets.h"

#include <string.h>

/* Bits are taken where they are no larger than about the list. */
static bool as_bits(const int32_t *categories, uint32_t n, uint32_t *words)
{
    *words = (uint32_t)categories[n - 1] / 32 + 1;
    return *words <= n + 2;
}

static uint32_t count_words(const int32_t *categories, uint32_t n)
{
    uint32_t words;

    return as_bits(categories, n, &words) ? words : n;
}

static void write_words(const int32_t *categories, uint32_t n, uint32_t *words, hb_flat_set *set)
{
    uint32_t n_words;
    bool bits = as_bits(categories, n, &n_words);

    set->count = bits ? n_words : n;
    set->is_list = !bits;
    memset(words, 0, set->count * sizeof(*words));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t code = (uint32_t)categories[i];

        if (bits)
            words[code / 32] |= 1u << (code % 32);
        else
            words[i] = code;
    }
}

/* Categories below 32 fit into the node itself. */
static bool is_small(const int32_t *categories, uint32_t n)
{
    return categories[n - 1] < 32;
}

static const int32_t *set_of(const hb_forest_model *forest, const hb_tree_node *node)
{
    return (const int32_t *)forest->categories.items + node->as.set.first;
}

void hb_sets_reserve(const hb_forest_model *forest, hb_flat *flat, hb_set_writer *writer,
                     uint64_t *sets, uint64_t *words)
{
    const hb_tree_node *nodes = hb_forest_nodes(forest);
    size_t n_sets = 0, n_words = 0;

    for (size_t i = 0; forest->has_categories && i < forest->nodes.count; i++) {
        bool tests = nodes[i].left != HB_NO_CHILD && nodes[i].flags & HB_NODE_CATEGORIES;

        if (tests && !is_small(set_of(forest, &nodes[i]), nodes[i].as.set.count)) {
            n_words += count_words(set_of(forest, &nodes[i]), nodes[i].as.set.count);
            n_sets++;
        }
    }
    *writer = (hb_set_writer){NULL, NULL, 0, 0};
    writer->sets = hb_flat_reserve(flat, n_sets, sizeof(*writer->sets), sets);
    writer->words = hb_flat_reserve(flat, n_words, sizeof(*writer->words), words);
}

uint32_t hb_set_write(const hb_forest_model *forest, const hb_tree_node *node,
                      hb_set_writer *writer, uint32_t *members_or_index)
{
    const int32_t *categories = set_of(forest, node);
    uint32_t n = node->as.set.count;
    hb_flat_set *set = &writer->sets[writer->n_sets];

    *members_or_index = 0;
    if (is_small(categories, n)) {
        for (uint32_t i = 0; i < n; i++)
            *members_or_index |= 1u << categories[i];
        return HB_TEST_SMALL_SET;
    }
    set->first = writer->n_words;
    write_words(categories, n, writer->words + writer->n_words, set);
    writer->n_words += set->count;
    *members_or_index = writer->n_sets++;
    return HB_TEST_SET;
}
