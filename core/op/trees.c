/* trees.c - what tree_ensemble computes: by walks, as perfect trees, in bits or as products of matrices, in groups
 * of trees that take less than a millisecond each, between which the host is asked whether to stop. */
#include <string.h>

#include "op/trees.h"

enum {
    STEPS_AT_ONCE = 1 << 16, /* of walks; in bits a step is some rows' */
    PRODUCTS_A_STEP = 16,    /* of numbers */
    UNITS_A_LOOK_UP = 16,    /* of a category in a set */
    LEAST_BLAS_ROWS = 4
};

static bool is_wide(const hb_call *call)
{
    return call->dtype == HB_DTYPE_FLOAT64;
}

static void begin_trees(const hb_call *call)
{
    const double *base = call->inputs[1];
    double *sums = call->output;

    if (call->stride == 1) /* what stands side by side is one row's */
        memcpy(sums, base, call->width * hb_dtype_size(call->dtype));
    else if (call->trees->base_is_rows)
        for (size_t o = 0; o < call->width; o++)
            memcpy(sums + o * call->stride, base + o * call->stride, call->rows * sizeof(*sums));
    else if (is_wide(call))
        hb_forest_begin64(call->trees->wide, call->inputs[1], call->stride, call->rows, call->output);
    else
        hb_forest_begin32(call->trees->narrow, call->inputs[1], call->stride, call->rows, call->output);
}

/* Steps of a row through all trees, and of all rows through one: of walks, of terms of linear leaves, and of sums. */
static size_t steps_of_all(const hb_call *call)
{
    return is_wide(call) ? call->trees->wide->units : call->trees->narrow->units;
}

static size_t steps_of(const hb_call *call, size_t t)
{
    const hb_tree *trees = is_wide(call) ? call->trees->wide->trees : call->trees->narrow->trees;
    size_t leaf = is_wide(call) ? call->trees->wide->leaf_units : call->trees->narrow->leaf_units;

    return (trees[t].depth + leaf) * call->rows;
}

/* ---- in bits */

static bool compare_sets(const hb_call *call)
{
    const hb_bits_forest *bits = call->trees->bits;

    if (bits->n_sets && is_wide(call))
        call->kernels->hb_bits_sets64(bits, call->input, call->stride, call->rows, call->trees->work);
    else if (bits->n_sets)
        call->kernels->hb_bits_sets32(bits, call->input, call->stride, call->rows, call->trees->work);
    for (size_t s = 0; s < bits->n_sets; s++) {
        const hb_set_predicate *set = &bits->sets[s];
        uint64_t *to =
            hb_predicate_bits(hb_bits_words(call->rows), call->trees->work, bits->n_predicates - bits->n_sets + s);
        size_t column = set->feature * call->stride;

        if (set->is_small)
            continue;
        if (is_wide(call))
            hb_forest_set64(call->trees->wide, set->node, (const double *)call->input + column, call->rows, to);
        else
            hb_forest_set32(call->trees->narrow, set->node, (const float *)call->input + column, call->rows, to);
        if (!hb_call_goes_on(call, UNITS_A_LOOK_UP * call->rows))
            return false;
    }
    return true;
}

static void compare_chunks(const hb_call *call, const hb_bits_forest *bits)
{
    if (is_wide(call))
        call->kernels->hb_bits_compare64(bits, call->input, call->stride, call->rows, call->trees->is_float32,
                                         call->trees->work);
    else
        call->kernels->hb_bits_compare32(bits, call->input, call->stride, call->rows, call->trees->work);
}

/* The host is asked between some chunks; few forests have so many. */
static bool compare_predicates(const hb_call *call)
{
    enum { CHUNKS_AT_ONCE = 64, UNITS_A_CHUNK = 256 };
    hb_bits_forest some = *call->trees->bits;

    for (size_t left = call->trees->bits->n_chunks; left > 0; left -= some.n_chunks, some.chunks += some.n_chunks) {
        some.n_chunks = left < CHUNKS_AT_ONCE ? left : CHUNKS_AT_ONCE;
        compare_chunks(call, &some);
        if (!hb_call_goes_on(call, some.n_chunks * (UNITS_A_CHUNK + call->rows / 2)))
            return false;
    }
    return compare_sets(call);
}

/* ---- one row after the other, by ranks */

static void add_row(const hb_call *call, const hb_row *row, size_t first, size_t n, size_t r)
{
    const hb_row_forest *forest = call->trees->row;
    const hb_kernels *k = call->kernels;
    float *sums = (float *)call->output + r;
    double *sums64 = (double *)call->output + r;
    uint32_t leaf[HB_ROW_TREES];

    if (forest->values && is_wide(call)) {
        k->hb_row_add64(forest, row, first, n, call->stride, sums64);
        return;
    }
    if (forest->values) {
        k->hb_row_add32(forest, row, first, n, call->stride, sums);
        return;
    }
    k->hb_row_leaves(forest, row, first, n, leaf);
    for (size_t t = 0; forest->leaves && t < n; t++)
        leaf[t] = forest->leaves[leaf[t]];
    if (is_wide(call))
        hb_forest_add_leaves64(call->trees->wide, first, n, leaf, call->stride, sums64);
    else
        hb_forest_add_leaves32(call->trees->narrow, first, n, leaf, call->stride, sums);
}

static bool evaluate_row(const hb_call *call, size_t n_trees, size_t r)
{
    const hb_kernels *k = call->kernels;
    hb_row row;
    size_t all = steps_of_all(call);
    bool at_once = call->trees->row->values && all < STEPS_AT_ONCE;
    size_t some = at_once ? n_trees : HB_ROW_TREES;
    size_t units = at_once || n_trees == 0 ? all : all / n_trees * HB_ROW_TREES + HB_ROW_TREES;

    if (is_wide(call))
        k->hb_row_ranks64(call->trees->row, (const double *)call->input + r, call->stride, &row);
    else
        k->hb_row_ranks32(call->trees->row, (const float *)call->input + r, call->stride, &row);
    for (size_t t = 0; t < n_trees; t += some) {
        add_row(call, &row, t, n_trees - t < some ? n_trees - t : some, r);
        if (!hb_call_goes_on(call, units))
            return false;
    }
    return true;
}

/* ---- as products of matrices */

static void add_gemm(const hb_call *call, size_t first, size_t end)
{
    const hb_kernels *k = call->kernels;

    if (is_wide(call))
        k->hb_gemm_add64(call->trees->gemm, call->trees->wide, first, end, call->stride, call->rows,
                         call->trees->has_missing, call->trees->blas, call->trees->work, call->output);
    else
        k->hb_gemm_add32(call->trees->gemm, call->trees->narrow, first, end, call->stride, call->rows,
                         call->trees->has_missing, call->trees->blas, call->trees->work, call->output);
}

static size_t gemm_steps(const hb_call *call, size_t t)
{
    const hb_gemm_forest *gemm = call->trees->gemm;
    const hb_gemm_tree *tree = &gemm->trees[t];
    size_t products = tree->n_tests * (2 * gemm->n_features + tree->n_leaves) + tree->n_leaves * gemm->leaf_width;

    return (products / PRODUCTS_A_STEP + 2) * HB_GEMM_ROWS;
}

/* ---- by walks on compact nodes */

static bool take_rows(const hb_call *call, float *to)
{
    enum { ROWS = 64 };
    size_t features = call->trees->compact->n_features;

    for (size_t r = 0, n; r < call->rows; r += n) {
        n = call->rows - r < ROWS ? call->rows - r : ROWS;
        if (is_wide(call))
            call->kernels->hb_compact_rows64((const double *)call->input + r, call->stride, n, features,
                                             to + r * features);
        else
            call->kernels->hb_compact_rows32((const float *)call->input + r, call->stride, n, features,
                                             to + r * features);
        if (!hb_call_goes_on(call, n * features))
            return false;
    }
    return true;
}

/* All rows in trees [first, end). */
static size_t list_items(const hb_call *call, size_t first, size_t end, hb_compact_items *items)
{
    const hb_compact_forest *forest = call->trees->compact;
    size_t n = 0;

    for (size_t t = first; t < end; t++)
        for (size_t r = 0; r < call->rows; r++, n++) {
            items->root[n] = forest->roots[t];
            items->row[n] = (uint32_t)(r * forest->n_features);
        }
    return n;
}

static void add_compact(const hb_call *call, size_t first, size_t end, const hb_compact_items *items)
{
    if (is_wide(call))
        call->kernels->hb_compact_add64(call->trees->compact, first, end, items, call->stride, call->rows,
                                        call->output);
    else
        call->kernels->hb_compact_add32(call->trees->compact, first, end, items, call->stride, call->rows,
                                        call->output);
}

/* The end of the trees from `first` on that walk together: as many as fit, or as are walked between two polls. */
static size_t end_of_some(const hb_call *call, size_t first)
{
    const hb_compact_forest *forest = call->trees->compact;
    size_t most = first + HB_COMPACT_ITEMS / call->rows, t = first, steps = 0;

    for (; t < forest->n_trees && t < most && steps < STEPS_AT_ONCE; t++)
        steps += steps_of(call, t);
    return t;
}

/* Large forests are not in the near caches, and a line from behind them takes longer than a walk. Rows so many that
 * they come to most of a tree's lines have the trees behind `end` fetched meanwhile, fewer what they come to. */
static void fetch_ahead(const hb_call *call, size_t end, hb_compact_items *items)
{
    enum { NEAR_SLOTS = 1 << 17, LINES_OF_A_ROW = 4 };
    const hb_compact_forest *forest = call->trees->compact;
    bool far = forest->n_slots > NEAR_SLOTS;
    size_t behind = far && end < forest->n_trees ? end_of_some(call, end) : end;
    size_t lines = (forest->roots[behind] - forest->roots[end]) / HB_COMPACT_LINE;
    bool whole = lines <= LINES_OF_A_ROW * call->rows * (behind - end);

    items->each = far && LINES_OF_A_ROW * call->rows * forest->n_trees < forest->n_slots / HB_COMPACT_LINE;
    items->ahead = forest->roots[end];
    items->ahead_end = whole ? forest->roots[behind] : items->ahead;
}

static bool walk_compact(const hb_call *call)
{
    hb_compact_items *items = call->trees->work;
    float *rows = (float *)(items + 1);

    if (!take_rows(call, rows))
        return false;
    for (size_t t = 0, end; t < call->trees->compact->n_trees; t = end) {
        end = end_of_some(call, t);
        fetch_ahead(call, end, items);
        call->kernels->hb_compact_leaves(call->trees->compact, rows, list_items(call, t, end, items), items);
        add_compact(call, t, end, items);
        if (!hb_call_goes_on(call, STEPS_AT_ONCE / 2))
            return false;
    }
    return true;
}

/* ---- by any of them */

static void add_trees(const hb_call *call, size_t first, size_t end)
{
    const hb_kernels *k = call->kernels;

    if (call->trees->gemm)
        add_gemm(call, first, end);
    else if (call->trees->ptt)
        hb_ptt_add(call->trees->ptt, first, end, call->input, call->stride, call->rows, call->output);
    else if (call->trees->bits && is_wide(call))
        k->hb_bits_add64(call->trees->bits, first, end, call->stride, call->rows, call->trees->work, call->output);
    else if (call->trees->bits)
        k->hb_bits_add32(call->trees->bits, first, end, call->stride, call->rows, call->trees->work, call->output);
    else if (is_wide(call))
        k->hb_forest_add64(call->trees->wide, first, end, call->input, call->stride, call->rows, call->output);
    else
        k->hb_forest_add32(call->trees->narrow, first, end, call->input, call->stride, call->rows, call->output);
}

/* Looking at each tree would take a sixth of the time that a few rows take: all count as the largest. */
static bool add_in_bits(const hb_call *call)
{
    const hb_bits_forest *bits = call->trees->bits;
    size_t steps = 8 * bits->most_nodes + call->rows * bits->leaf_width, some = 4 * STEPS_AT_ONCE / steps + 1;

    for (size_t t = 0, end; t < bits->n_trees; t = end) {
        end = bits->n_trees - t < some ? bits->n_trees : t + some;
        add_trees(call, t, end);
        if (!hb_call_goes_on(call, (end - t) * steps / 2))
            return false;
    }
    return true;
}

static bool add_all(const hb_call *call)
{
    size_t n = is_wide(call) ? call->trees->wide->n_trees : call->trees->narrow->n_trees, first = 0, steps = 0;
    bool look = call->trees->gemm || steps_of_all(call) * call->rows >= STEPS_AT_ONCE;

    for (size_t t = 0; look && t < n; t++) {
        steps += call->trees->gemm ? gemm_steps(call, t) : steps_of(call, t);
        if (steps < STEPS_AT_ONCE)
            continue;
        add_trees(call, first, t + 1);
        first = t + 1;
        if (!hb_call_goes_on(call, steps))
            return false;
        steps = 0;
    }
    add_trees(call, first, n);
    return hb_call_goes_on(call, look ? steps : steps_of_all(call) * call->rows);
}

/* Adds the trees for one block. It enters the BLAS for this block only, since others may wait for the BLAS. */
static bool add_block(const hb_call *block, hb_trees *trees)
{
    const hb_kernels *k = block->kernels;
    uint32_t seen = is_wide(block)
                        ? k->hb_gemm_take64(trees->gemm, block->input, block->stride, block->rows, trees->work)
                        : k->hb_gemm_take32(trees->gemm, block->input, block->stride, block->rows, trees->work);
    bool done;

    trees->has_missing = seen & HB_GEMM_MISSING;
    if (seen & HB_GEMM_INFINITE)
        trees->gemm = NULL; /* it walks */
    if (!trees->gemm || block->rows < LEAST_BLAS_ROWS || (trees->blas && !trees->blas->enter(trees->blas->context)))
        trees->blas = NULL;
    done = add_all(block);
    if (trees->blas)
        trees->blas->leave(trees->blas->context);
    return done;
}

static bool add_blocks(const hb_call *call)
{
    size_t size = hb_dtype_size(call->dtype);

    for (size_t r = 0; r < call->rows; r += HB_GEMM_ROWS) {
        hb_trees trees = *call->trees;
        hb_call block = *call;

        block.trees = &trees;
        block.input = (const char *)call->input + r * size;
        block.output = (char *)call->output + r * size;
        block.rows = call->rows - r < HB_GEMM_ROWS ? call->rows - r : HB_GEMM_ROWS;
        if (!add_block(&block, &trees))
            return false;
    }
    return true;
}

/* By walks, or as perfect trees. */
static bool add_rows(const hb_call *call)
{
    if (call->trees->compact && call->rows <= HB_COMPACT_ITEMS && !call->trees->ptt)
        return walk_compact(call);
    return add_all(call);
}

static bool add_parts(const hb_call *call, size_t at_once)
{
    size_t size = hb_dtype_size(call->dtype);
    hb_call part = *call;

    for (size_t left = call->rows; left > 0; left -= part.rows) {
        part.rows = left < at_once ? left : at_once;
        if (!add_rows(&part))
            return false;
        part.input = (const char *)part.input + part.rows * size;
        part.output = (char *)part.output + part.rows * size;
    }
    return true;
}

bool hb_evaluate_tree_ensemble(const hb_call *call)
{
    size_t n = is_wide(call) ? call->trees->wide->n_trees : call->trees->narrow->n_trees;
    size_t longest = is_wide(call) ? call->trees->wide->most_units : call->trees->narrow->most_units, at_once;

    begin_trees(call);
    for (size_t r = 0; call->trees->row && r < call->rows; r++)
        if (!evaluate_row(call, n, r))
            return false;
    if (call->trees->row)
        return true;
    if (call->trees->gemm)
        return add_blocks(call);
    if (call->trees->bits)
        return compare_predicates(call) && add_in_bits(call);
    at_once = 4 * STEPS_AT_ONCE / longest + 1;
    return call->rows <= at_once ? add_rows(call) : add_parts(call, at_once);
}

/* ---- which of them */

hbs_strategy hb_trees_strategy(const hb_forest_view *view, const hb_tree_means *means, size_t rows)
{
    if (means->single_rows || rows < view->min_rows || (view->strategy == HBS_STRATEGY_BITS && !means->work))
        return HBS_STRATEGY_AUTO;
    return view->strategy;
}

/* trees->is_float32 and base_is_rows are the caller's. */
void hb_trees_choose(const hb_forest_view *view, const hb_tree_means *means, size_t rows, hb_trees *trees)
{
    hbs_strategy strategy = hb_trees_strategy(view, means, rows);

    trees->narrow = view->is_wide ? NULL : &view->narrow;
    trees->wide = view->is_wide ? &view->wide : NULL;
    trees->compact = view->has_compact && (trees->is_float32 || !view->is_wide) ? &view->compact : NULL;
    trees->row = strategy == HBS_STRATEGY_AUTO && view->has_row ? &view->row : NULL;
    trees->bits = strategy == HBS_STRATEGY_BITS ? &view->bits : NULL;
    trees->gemm = strategy == HBS_STRATEGY_GEMM && means->work ? &view->gemm : NULL;
    trees->ptt = strategy == HBS_STRATEGY_PTT ? &view->ptt : NULL;
    trees->blas = trees->gemm ? means->blas : NULL;
    trees->work = means->work;
}

size_t hb_trees_at_once(const hb_forest_view *view, size_t rows)
{
    return view->strategy == HBS_STRATEGY_BITS ? HB_BITS_ROWS : rows;
}

/* The strategy's program; that of bits has another of single rows. */
static void view_program(const void *base, const hb_forest_plan *plan, hb_forest_view *view)
{
    const hb_tree *trees = view->is_wide ? view->wide.trees : view->narrow.trees;

    view->strategy = (hbs_strategy)plan->strategy;
    view->min_rows = plan->min_rows;
    if (view->strategy == HBS_STRATEGY_BITS) {
        view->bits = hb_bits_view(base, plan->program);
        view->has_row = hb_row_view(base, plan->program, trees, &view->row);
    } else if (view->strategy == HBS_STRATEGY_GEMM) {
        view->gemm = hb_gemm_view(base, plan->program);
    } else if (view->strategy == HBS_STRATEGY_PTT) {
        view->ptt = hb_ptt_view(base, plan->program);
    }
}

void hb_forest_view_make(const void *base, uint64_t offset, bool is_wide, hb_forest_view *view)
{
    const hb_forest_plan *plan = hb_flat_at(base, offset);

    view->is_wide = is_wide;
    if (is_wide)
        view->wide = hb_forest_view64(base, offset);
    else
        view->narrow = hb_forest_view32(base, offset);
    view->has_compact = plan->compact != 0;
    if (view->has_compact)
        view->compact = hb_compact_view(base, offset);
    view_program(base, plan, view);
}
