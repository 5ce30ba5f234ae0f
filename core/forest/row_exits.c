/* row_exits.c - all tests of small trees, as single rows take them (kernel/row_kernel.h). */
#include <string.h>

#include "forest/bits_program.h"

/* ---- shapes: a group has as many tests as the largest of its trees, and an even number, as two are passed at once */

static size_t even(size_t n)
{
    return n + n % 2;
}

hbs_status hb_row_exits_tests(const hb_forest_model *forest, hb_work *work, size_t *tests, hbs_error *error)
{
    const uint32_t *starts = forest->starts.items;

    *tests = SIZE_MAX;
    if (forest->largest_tree / 2 >= HB_ROW_LEAVES)
        return HBS_OK;
    *tests = 0;
    for (size_t t = 0, most = 0; t < forest->n_trees; t++) {
        size_t n = (starts[t + 1] - starts[t]) / 2;

        HB_TRY(hb_worked(work, 2, error));
        most = t % HB_ROW_LANES == 0 || n > most ? n : most;
        if ((t + 1) % HB_ROW_LANES == 0 || t + 1 == forest->n_trees)
            *tests += even(most);
    }
    return HBS_OK;
}

static hbs_status number_tests(const hb_forest_model *forest, hb_bits_program *program, hb_work *work, hbs_error *error)
{
    const uint32_t *starts = forest->starts.items;
    size_t n_trees = forest->n_trees;

    program->n_row_tests = program->n_row_leaves = 0;
    for (size_t t = 0, most = 0; t < n_trees; t++) {
        size_t leaves = (starts[t + 1] - starts[t] + 1) / 2;

        HB_TRY(hb_worked(work, 2, error));
        program->row_first_leaves[t] = (uint32_t)program->n_row_leaves;
        program->n_row_leaves += leaves;
        most = t % HB_ROW_LANES == 0 || leaves - 1 > most ? leaves - 1 : most;
        if ((t + 1) % HB_ROW_LANES && t + 1 < n_trees)
            continue;
        program->n_row_tests += even(most);
        program->row_groups[t / HB_ROW_LANES + 1] = (uint32_t)program->n_row_tests;
    }
    return HBS_OK;
}

hbs_status hb_row_exits_shape(const hb_forest_model *forest, hb_arena *arena, hb_bits_program *program,
                              hbs_error *error)
{
    program->n_row_groups = (forest->n_trees + HB_ROW_LANES - 1) / HB_ROW_LANES + 1;
    program->row_groups = hb_arena_array(arena, program->n_row_groups, sizeof(*program->row_groups));
    program->row_first_leaves = hb_arena_room(arena, forest->n_trees, sizeof(*program->row_first_leaves));
    if (!program->row_groups || !program->row_first_leaves)
        return hb_no_memory(arena->memory, error);
    return number_tests(forest, program, &arena->memory->work, error);
}

/* ---- the tree that is written */

/* Fills the group with cuts of 255, which no rank is above, before its first tree is written. */
static void begin_group(const hb_bits_writer *w, size_t group)
{
    for (size_t i = w->program->row_groups[group]; i < w->program->row_groups[group + 1]; i++)
        memset(w->row_tests[i].cut, 255, HB_ROW_LANES);
}

void hb_row_exits_write(const hb_bits_writer *w, size_t tree, size_t n_nodes)
{
    const hb_bits_program *program = w->program;
    const uint16_t *tests = program->tests + hb_bits_first_inner(w->forest, tree);
    hb_bits_scratch *scratch = program->scratch;
    size_t first_test = program->row_groups[tree / HB_ROW_LANES], lane = tree % HB_ROW_LANES;

    if (lane == 0)
        begin_group(w, tree / HB_ROW_LANES);
    hb_bits_number_leaves(n_nodes, scratch);
    hb_bits_find_leaves(n_nodes, scratch);
    for (size_t i = 0; i < (n_nodes + 1) / 2; i++)
        hb_row_put_leaf(w, tree, scratch->leaf_at[i], program->row_first_leaves[tree] + i);
    for (size_t k = 0; k < n_nodes / 2; k++) {
        size_t at = first_test + scratch->number[scratch->left[k] + 1] - 1;

        w->row_tests[at].first[lane] = (uint8_t)scratch->number[scratch->inner[k]];
        hb_row_put_test(w, tests[k], at, lane, &w->row_tests[at].entry[lane], &w->row_tests[at].cut[lane]);
    }
}
