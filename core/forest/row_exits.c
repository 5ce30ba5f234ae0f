/* row_exits.c - all tests of small trees, as single rows take them (kernel/row_kernel.h). */
#include <string.h>

#include "forest/bits_program.h"
#include "forest/forest_cost.h"
#include "forest/forest_parts.h"
#include "kernel/kernels.h"

enum { MOST_SET_BYTES = 1 << 20 };

/* A test of all trees was measured to take as long as this many steps of walks. */
static const double steps_of_a_test = 2.5;

/* ---- shapes: a group has as many tests as the largest of its trees */

/* False where a tree has too many leaves. */
static bool number_tests(const hb_forest_model *forest, hb_bits_program *program)
{
    const uint32_t *starts = forest->starts.items;
    size_t n_trees = forest->n_trees;

    for (size_t t = 0, most = 0; t < n_trees; t++) {
        size_t leaves = (starts[t + 1] - starts[t] + 1) / 2;

        if (leaves > HB_ROW_LEAVES)
            return false;
        program->row_first_leaves[t] = (uint32_t)program->n_row_leaves;
        program->n_row_leaves += leaves;
        most = t % HB_ROW_LANES == 0 || leaves - 1 > most ? leaves - 1 : most;
        if ((t + 1) % HB_ROW_LANES && t + 1 < n_trees)
            continue;
        program->n_row_tests += most;
        program->row_groups[t / HB_ROW_LANES + 1] = (uint32_t)program->n_row_tests;
    }
    return true;
}

static uint32_t categories_of(const hb_bits_set *set)
{
    return set->members ? 64 - (uint32_t)__builtin_clzll(set->members) : 0;
}

/* False where a set is not small, or their tables would be large. */
static bool number_features(hb_bits_program *program)
{
    for (size_t s = 0; s < program->n_sets; s++) {
        const hb_bits_set *set = &program->sets[s];
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

/* Walks take no sets. */
static bool pays(const hb_forest_model *forest, const hb_bits_program *program)
{
    if (!hb_kernels_here()->planes)
        return false;
    return program->n_sets || steps_of_a_test * (double)program->n_row_tests <= hb_forest_steps(forest);
}

hbs_status hb_row_exits_shape(const hb_forest_model *forest, bool forced, hb_arena *arena, hb_bits_program *program,
                              hbs_error *error)
{
    program->n_row_groups = (forest->n_trees + HB_ROW_LANES - 1) / HB_ROW_LANES + 1;
    program->row_groups = hb_arena_array(arena, program->n_row_groups, sizeof(*program->row_groups));
    program->row_first_leaves = hb_arena_room(arena, forest->n_trees, sizeof(*program->row_first_leaves));
    program->row_features = hb_arena_room(arena, HB_ROW_FEATURES, sizeof(*program->row_features));
    if (!program->row_groups || !program->row_first_leaves || !program->row_features)
        return hb_no_memory(arena->memory, error);
    program->n_row_tests = program->n_row_leaves = program->n_row_features = program->n_row_set_words = 0;
    if (number_tests(forest, program) && number_features(program) && (forced || pays(forest, program)))
        program->row_form = HB_ROW_EXITS;
    return HBS_OK;
}

/* ---- the tree that is written */

void hb_row_exits_begin(const hb_bits_writer *w)
{
    for (size_t i = 0; i < w->program->n_row_tests; i++)
        memset(w->row_tests[i].cut, 255, HB_ROW_LANES); /* no rank is above it */
}

/* Row `at` of its feature's table: whether the set sends that to the right. */
static bool goes_right(const hb_bits_set *set, const hb_row_feature *feature, uint32_t at)
{
    if (at < feature->n)
        return (set->members ^ set->inverted) >> at & 1;
    return set->inverted || (at > feature->n && set->rule & HB_BITS_NAN_RIGHT);
}

static void put_set(const hb_bits_writer *w, const hb_bits_set *set, size_t test, size_t lane)
{
    const hb_bits_program *program = w->program;
    const hb_row_feature *feature = program->row_features;

    while (feature->feature != set->feature)
        feature++;
    for (uint32_t at = 0; at < feature->n + 2; at++)
        if (goes_right(set, feature, at))
            w->row_set_words[feature->words + at * program->n_row_tests + test] |= (uint64_t)1 << lane;
}

/* A leaf's value, or its node where it is a vector. */
static void put_leaf(const hb_bits_writer *w, size_t tree, size_t node, size_t at)
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

static void put_test(const hb_bits_writer *w, uint16_t number, size_t at, size_t lane)
{
    const hb_bits_program *program = w->program;
    size_t predicate = program->predicate_of[number], first_set = program->n_predicates - program->n_sets;

    if (predicate >= first_set) {
        put_set(w, &program->sets[predicate - first_set], at, lane);
        return;
    }
    w->row_tests[at].entry[lane] = (uint8_t)program->row_codes[number];
    w->row_tests[at].cut[lane] = (uint8_t)(program->row_codes[number] >> 8);
}

void hb_row_exits_write(const hb_bits_writer *w, size_t tree, size_t n_nodes)
{
    const hb_bits_program *program = w->program;
    const uint16_t *tests = program->tests + hb_bits_first_inner(w->forest, tree);
    hb_bits_scratch *scratch = program->scratch;
    size_t first_test = program->row_groups[tree / HB_ROW_LANES], lane = tree % HB_ROW_LANES;

    hb_bits_number_leaves(n_nodes, scratch);
    hb_bits_find_leaves(n_nodes, scratch);
    for (size_t i = 0; i < (n_nodes + 1) / 2; i++)
        put_leaf(w, tree, scratch->leaf_at[i], program->row_first_leaves[tree] + i);
    for (size_t k = 0; k < n_nodes / 2; k++) {
        size_t at = first_test + scratch->number[scratch->left[k] + 1] - 1;

        w->row_tests[at].first[lane] = (uint8_t)scratch->number[scratch->inner[k]];
        put_test(w, tests[k], at, lane);
    }
}
