/* row_tests.c - what both ways in which single rows take all tests have (kernel/row_kernel.h): tests, with sets of
 * categories among them, and leaves. */
#include "forest/bits_program.h"
#include "forest/forest_parts.h"

enum { MOST_SET_BYTES = 1 << 20 };

/* ---- tables of sets */

static uint32_t categories_of(const hb_set_predicate *set)
{
    return set->members ? 64 - (uint32_t)__builtin_clzll(set->members) : 0;
}

bool hb_row_number_features(hb_bits_program *program)
{
    program->n_row_features = program->n_row_set_words = 0;
    for (size_t s = 0; s < program->n_sets; s++) {
        const hb_set_predicate *set = &program->sets[s];
        bool next = s == 0 || set->feature != set[-1].feature;
        hb_row_feature *feature;

        if (!set->is_small || (next && program->n_row_features == HB_ROW_FEATURES))
            return false;
        if (next)
            program->row_features[program->n_row_features++] = (hb_row_feature){.feature = set->feature};
        feature = &program->row_features[program->n_row_features - 1];
        feature->n = categories_of(set) > feature->n ? categories_of(set) : feature->n;
    }
    for (size_t f = 0; f < program->n_row_features; f++) {
        program->row_features[f].words = program->n_row_set_words;
        program->n_row_set_words += (program->row_features[f].n + 2) * program->n_row_tests;
    }
    return program->n_row_set_words * sizeof(uint64_t) <= MOST_SET_BYTES;
}

/* Row `at` of its feature's table: whether the set sends that to the right. */
static bool goes_right(const hb_set_predicate *set, const hb_row_feature *feature, uint32_t at)
{
    if (at < feature->n)
        return (set->members ^ set->inverted) >> at & 1;
    return set->inverted || (at > feature->n && set->rule & HB_BITS_NAN_RIGHT);
}

static void put_set(const hb_bits_writer *w, const hb_set_predicate *set, size_t word, size_t bit)
{
    const hb_bits_program *program = w->program;
    const hb_row_feature *feature = program->row_features;

    while (feature->feature != set->feature)
        feature++;
    for (uint32_t at = 0; at < feature->n + 2; at++)
        if (goes_right(set, feature, at))
            w->row_set_words[feature->words + at * program->n_row_tests + word] |= (uint64_t)1 << bit;
}

void hb_row_put_test(const hb_bits_writer *w, uint16_t number, size_t word, size_t bit, uint8_t *entry, uint8_t *cut)
{
    const hb_bits_program *program = w->program;
    size_t predicate = program->predicate_of[number], first_set = program->n_predicates - program->n_sets;

    if (predicate >= first_set) {
        put_set(w, &program->sets[predicate - first_set], word, bit);
        return;
    }
    *entry = (uint8_t)program->row_codes[number];
    *cut = (uint8_t)(program->row_codes[number] >> 8);
}

/* ---- leaves */

void hb_row_put_leaf(const hb_bits_writer *w, size_t tree, size_t node, size_t at)
{
    const hb_forest_model *forest = w->forest;
    size_t start = ((const uint32_t *)forest->starts.items)[tree];
    const hb_tree_node *leaf = hb_forest_nodes(forest) + start + node;

    if (forest->leaf_width > 1)
        w->row_leaves[at] = (uint32_t)(start + node);
    else if (forest->wide)
        ((double *)w->row_values)[at] = leaf->as.leaf;
    else
        ((float *)w->row_values)[at] = (float)hb_forest_leaf(forest, tree, leaf, 0);
}
