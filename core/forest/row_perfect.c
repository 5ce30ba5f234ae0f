/* row_perfect.c - trees of few levels as perfect ones, as single rows take them (kernel/row_kernel.h): all tests of
 * one, or by subtrees. */
#include <string.h>

#include "forest/bits_program.h"

enum { TREES = 16 }; /* that kernels look at together */

bool hb_row_is_perfect(const hb_forest_model *forest)
{
    return forest->deepest <= HB_ROW_LEVELS;
}

size_t hb_row_tops(const hb_forest_model *forest)
{
    return (forest->n_trees + HB_ROW_LANES - 1) / HB_ROW_LANES * HB_ROW_TOPS;
}

void hb_row_perfect_shape(const hb_forest_model *forest, hb_row_form form, hb_bits_program *program)
{
    program->n_row_tests = form == HB_ROW_PERFECT ? (forest->n_trees + TREES - 1) / TREES * TREES
                                                  : hb_row_subtree_trees(forest->n_trees) + hb_row_tops(forest);
    program->n_row_leaves = forest->n_trees * HB_ROW_PLACES;
}

/* Fills the tree, and with the last tree the padding behind it, with cuts of 255: no rank is above them. */
static void begin_tree(const hb_bits_writer *w, size_t tree)
{
    size_t n_trees = w->forest->n_trees, end = tree + 1 < n_trees ? tree + 1 : hb_row_subtree_trees(n_trees);
    size_t top = tree / HB_ROW_LANES * HB_ROW_TOPS;

    if (w->program->row_form == HB_ROW_PERFECT) {
        memset(w->row_perfect[tree].cut, 255, HB_ROW_PLACES);
        return;
    }
    for (size_t i = 0; tree % HB_ROW_LANES == 0 && i < HB_ROW_TOPS; i++)
        memset(w->row_tops[top + i].cut, 255, HB_ROW_LANES);
    for (size_t i = 8 * tree; i < 8 * end; i++)
        memset(w->row_subtrees[i].cut, 255, sizeof(w->row_subtrees[i].cut));
}

/* The test of a perfect tree's node, the root being node 1. */
static void put_test(const hb_bits_writer *w, uint16_t number, size_t tree, uint32_t node)
{
    size_t place = hb_row_place(node), lane = tree % HB_ROW_LANES;
    size_t top = tree / HB_ROW_LANES * HB_ROW_TOPS + place;

    if (w->program->row_form == HB_ROW_PERFECT) {
        hb_row_put_test(w, number, tree, place, &w->row_perfect[tree].entry[place], &w->row_perfect[tree].cut[place]);
    } else if (place < HB_ROW_TOPS) {
        hb_row_put_test(w, number, hb_row_subtree_trees(w->forest->n_trees) + top, lane, &w->row_tops[top].entry[lane],
                        &w->row_tops[top].cut[lane]);
    } else {
        size_t k = place / HB_ROW_TOPS - 1, at = place % HB_ROW_TOPS;
        hb_row_subtree *subtree = &w->row_subtrees[8 * tree + k];

        hb_row_put_test(w, number, tree, 8 * k + at, &subtree->entry[at], &subtree->cut[at]);
    }
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

    begin_tree(w, tree);
    perfect[0] = 1;
    memset(is_inner, 0, n_nodes * sizeof(*is_inner));
    for (size_t k = 0; k < n_nodes / 2; k++) { /* children stand behind their parent */
        uint16_t node = perfect[scratch->inner[k]];

        is_inner[scratch->inner[k]] = 1;
        perfect[scratch->left[k]] = (uint16_t)(2 * node);
        perfect[scratch->left[k] + 1] = (uint16_t)(2 * node + 1);
        put_test(w, tests[k], tree, node);
    }
    for (size_t i = 0; i < n_nodes; i++)
        if (!is_inner[i])
            hb_row_put_leaf(w, tree, i, tree * HB_ROW_PLACES + leaf_below(perfect[i]));
}
