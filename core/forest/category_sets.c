/* category_sets.c - see category_sets.h. */
#include "forest/category_sets.h"

#include <string.h>

/* One node's set, as the model has it. */
typedef struct set_source {
    const int32_t *items; /* a rising list, or words of bits */
    uint32_t n;
    bool bits;
} set_source;

static set_source source_of(const hb_forest_model *forest, const hb_tree_node *node)
{
    return (set_source){(const int32_t *)forest->categories.items + node->as.set.first, node->as.set.count,
                        forest->sets_are_bits};
}

/* The words that the set takes as bits. */
static uint32_t bit_words(const set_source *set)
{
    return set->bits ? set->n : (uint32_t)set->items[set->n - 1] / 32 + 1;
}

/* A list is written as bits where these are no larger than about the list. */
static bool as_bits(const set_source *set)
{
    return set->bits || bit_words(set) <= set->n + 2;
}

/* Categories below 32 fit into the node itself. */
static bool is_small(const set_source *set)
{
    return bit_words(set) == 1;
}

static void write_bits(const set_source *set, uint32_t *words, hb_work *work)
{
    if (set->bits) {
        memcpy(words, set->items, set->n * sizeof(*words));
        return;
    }
    memset(words, 0, bit_words(set) * sizeof(*words));
    for (uint32_t i = 0; i < set->n && hb_goes_on(work, 1); i++)
        words[set->items[i] / 32] |= 1u << (set->items[i] % 32);
}

hbs_status hb_category_sets_reserve(const hb_forest_model *forest, hb_flat *flat, hb_work *work,
                                    hb_category_set_writer *writer, uint64_t *sets, uint64_t *words, hbs_error *error)
{
    const hb_tree_node *nodes = hb_forest_nodes(forest);
    size_t n_sets = 0, n_words = 0;

    for (size_t i = 0; forest->has_categories && i < forest->nodes.count; i++) {
        bool tests = nodes[i].left != HB_NO_CHILD && nodes[i].flags & HB_NODE_CATEGORIES;

        set_source set;

        HB_TRY(hb_worked(work, 2, error));
        if (!tests)
            continue;
        set = source_of(forest, &nodes[i]);
        if (!is_small(&set)) {
            n_words += as_bits(&set) ? bit_words(&set) : set.n;
            n_sets++;
        }
    }
    *writer = (hb_category_set_writer){.all_sets = n_sets};
    writer->sets = hb_flat_reserve(flat, n_sets, sizeof(*writer->sets), sets);
    writer->words = hb_flat_reserve(flat, n_words, sizeof(*writer->words), words);
    return HBS_OK;
}

uint32_t hb_category_set_write(const hb_forest_model *forest, const hb_tree_node *node, hb_category_set_writer *writer,
                               hb_work *work, uint32_t *members_or_index)
{
    set_source source = source_of(forest, node);
    hb_category_set *set = &writer->sets[writer->n_sets];
    uint32_t *words = writer->words + writer->n_words;

    if (is_small(&source)) {
        write_bits(&source, members_or_index, work);
        return HB_TEST_SMALL_SET;
    }
    *set = (hb_category_set){.first = writer->n_words, .is_list = !as_bits(&source)};
    set->count = set->is_list ? source.n : bit_words(&source);
    if (set->is_list)
        memcpy(words, source.items, source.n * sizeof(*words));
    else
        write_bits(&source, words, work);
    writer->n_words += set->count;
    *members_or_index = writer->n_sets++;
    return HB_TEST_SET;
}
