/* trees.c - what tree_ensemble computes: by walks or in bits, in groups of trees that take less than a millisecond
 * each, between which the host is asked whether to stop. */
#include <string.h>

#include "graph/evaluate.h"

enum { STEPS_A_POLL = 1 << 18 }; /* of walks; in bits a step is some rows' */

static bool is_wide(const hb_call *call)
{
    return call->dtype == HB_DTYPE_FLOAT64;
}

static void begin_trees(const hb_call *call)
{
    const double *base = call->base;
    double *sums = call->output;

    if (call->base_is_rows)
        for (size_t o = 0; o < call->width; o++)
            memcpy(sums + o * call->stride, base + o * call->stride, call->rows * sizeof(*sums));
    else if (is_wide(call))
        hb_wide_forest_begin(call->wide, call->base, call->stride, call->rows, call->output);
    else
        hb_forest_begin(call->forest, call->base, call->stride, call->rows, call->output);
}

/* ---- in bits */

static void compare_sets(const hb_call *call)
{
    const hb_bits_forest *bits = call->bits;

    if (bits->n_sets && is_wide(call))
        call->kernels->hb_bits_sets64(bits, call->input, call->stride, call->rows, call->work);
    else if (bits->n_sets)
        call->kernels->hb_bits_sets32(bits, call->input, call->stride, call->rows, call->work);
    for (size_t s = 0; s < bits->n_sets; s++) {
        const hb_bits_set *set = &bits->sets[s];
        uint64_t *to = hb_predicate_bits(call->work, bits->n_predicates - bits->n_sets + s);
        size_t column = set->feature * call->stride;

        if (set->is_small)
            continue;
        if (is_wide(call))
            hb_wide_forest_set(call->wide, set->node, (const double *)call->input + column,
                               call->rows, to);
        else
            hb_forest_set(call->forest, set->node, (const float *)call->input + column, call->rows,
                          to);
    }
}

static void compare(const hb_call *call)
{
    if (is_wide(call))
        call->kernels->hb_bits_compare64(call->bits, call->input, call->stride, call->rows,
                                         call->is_float32, call->work);
    else
        call->kernels->hb_bits_compare32(call->bits, call->input, call->stride, call->rows,
                                         call->work);
    compare_sets(call);
}

/* ---- one row after the other, by ranks */

static void add_leaves(const hb_call *call, size_t first, size_t n, const uint32_t *leaf, size_t r)
{
    if (is_wide(call))
        hb_wide_forest_add_leaves(call->wide, first, n, leaf, call->stride, (double *)call->output + r);
    else
        hb_forest_add_leaves(call->forest, first, n, leaf, call->stride, (float *)call->output + r);
}

static bool evaluate_row(const hb_call *call, size_t n_trees, size_t r)
{
    const hb_kernels *k = call->kernels;
    uint8_t ranks[HB_ROW_RANKS + HB_ROW_PAD] = {0};
    uint32_t leaf[HB_ROW_TREES];
    size_t all = is_wide(call) ? call->wide->steps : call->forest->steps;

    if (is_wide(call))
        k->hb_row_ranks64(call->row, (const double *)call->input + r, call->stride, ranks);
    else
        k->hb_row_ranks32(call->row, (const float *)call->input + r, call->stride, ranks);
    for (size_t t = 0; t < n_trees; t += HB_ROW_TREES) {
        size_t n = n_trees - t < HB_ROW_TREES ? n_trees - t : HB_ROW_TREES;

        k->hb_row_leaves(call->row, ranks, t, n, leaf);
        add_leaves(call, t, n, leaf, r);
        if (all >= STEPS_A_POLL && call->host && hb_poll(call->host, NULL) != HBS_OK)
            return false;
    }
    return true;
}

/* ---- by walks or in bits */

static void add_trees(const hb_call *call, size_t first, size_t end)
{
    const hb_kernels *k = call->kernels;

    if (call->bits && is_wide(call))
        k->hb_bits_add64(call->bits, first, end, call->stride, call->rows, call->work, call->output);
    else if (call->bits)
        k->hb_bits_add32(call->bits, first, end, call->stride, call->rows, call->work, call->output);
    else if (is_wide(call))
        k->hb_wide_forest_add(call->wide, first, end, call->input, call->stride, call->rows,
                              call->output);
    else
        k->hb_forest_add(call->forest, first, end, call->input, call->stride, call->rows,
                         call->output);
}

/* Steps of a tree for all rows: of walks, or about as long ones. */
static size_t steps_of(const hb_call *call, size_t t)
{
    const hb_flat_tree *trees = is_wide(call) ? call->wide->trees : call->forest->trees;
    const hb_bits_tree *in_bits;

    if (!call->bits)
        return (trees[t].depth + 1) * call->rows;
    in_bits = &call->bits->trees[t];
    return 8 * (in_bits->form == HB_BITS_REACH ? 4 * (size_t)in_bits->n : (size_t)1 << in_bits->bits) +
           call->rows * call->bits->leaf_width;
}

bool hb_evaluate_trees(const hb_call *call)
{
    size_t n = is_wide(call) ? call->wide->n_trees : call->forest->n_trees;
    size_t all = is_wide(call) ? call->wide->steps : call->forest->steps;
    size_t first = 0, steps = 0;

    begin_trees(call);
    for (size_t r = 0; call->row && r < call->rows; r++)
        if (!evaluate_row(call, n, r))
            return false;
    if (call->row)
        return true;
    if (call->bits)
        compare(call);
    for (size_t t = 0; (call->bits || all * call->rows >= STEPS_A_POLL) && t < n; t++) {
        steps += steps_of(call, t);
        if (steps < STEPS_A_POLL)
            continue;
        add_trees(call, first, t + 1);
        first = t + 1;
        steps = 0;
        if (call->host && hb_poll(call->host, NULL) != HBS_OK)
            return false;
    }
    add_trees(call, first, n);
    return true;
}
