/* row_perfect.c - trees of few levels as perfect ones, of which single rows take all tests (kernel/row_kernel.h). */
#include <string.h>

#include "forest/bits_program.h"

enum { TREES = 16 }; /* that kernels look at together */

bool hb_row_is_perfect(const hb_forest_model *forest)
{
    const uint32_t *depths = forest->depths.items;

    for (size_t t = 0; t < forest->n_trees; t++)
        if (depths[t] > HB_ROW_LEVELS)
            return false;
    return true;
}

void hb_row_perfect_shape(const hb_forest_model *forest, hb_bits_program *program)
{
    program->n_row_tests = (forest->n_trees + TREES - 1) / TREES * TREES;
    program->n_row_leaves = forest->n_trees * HB_ROW_PLACES;
}

void hb_row_perfect_begin(const hb_bits_writer *w)
{
    for (size_t t = 0; t < w->program->n_row_tests; t++)
        memset(w->row_perfect[t].cut, 255, HB_ROW_PLACES); /* no rank is above it */
}

/* A leaf of fewer levels is the first one below it, as all tests there send to the left. */
static size_t leaf_below(size_t node)
{
    while (node < HB_ROW_PLACES)
        node *= 2;
    return node - HB_ROW_PLACES;
}

void hb_row_perfect_write(const hb_bits_writer *w, size_t tree, size_t n_nodes)
{
    const hb_bits_program *program = w->program;
    const uint16_t *tests = program->tests + hb_bits_first_inner(w->forest, tree);
    const hb_bits_scratch *scratch = program->scratch;
    uint16_t *perfect = program->scratch->number, *is_inner = program->scratch->other;
    hb_row_tree *to = &w->row_perfect[tree];

    perfect[0] = 1;
    memset(is_inner, 0, n_nodes * sizeof(*is_inner));
    for (size_t k = 0; k < n_nodes / 2; k++) { /* children stand behind their parent */
        uint16_t node = perfect[scratch->inner[k]];

        is_inner[scratch->inner[k]] = 1;
        perfect[scratch->left[k]] = (uint16_t)(2 * node);
        perfect[scratch->left[k] + 1] = (uint16_t)(2 * node + 1);
        hb_row_put_test(w, tests[k], tree, hb_row_place(node), to->entry, to->cut);
    }
    for (size_t i = 0; i < n_nodes; i++)
        if (!is_inner[i])
            hb_row_put_leaf(w, tree, i, tree * HB_ROW_PLACES + leaf_below(perfect[i]));
}
