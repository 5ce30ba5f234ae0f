/* forest_wide_portable.c - interleaved tree traversal in float64, in plain C, for every CPU. */
#include "kernel/forest_wide_kernel.h"

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 8 }; /* walks in flight */
enum { DEEP = 10 }; /* from here on it pays to look whether all lanes have arrived */

/* The category is cut to an integer (so -0.5 is 0); NaN, negative ones and those beyond int are in no set. */
static uint32_t in_set(const hb_wide_forest *forest, const hb_wide_node *node, double x)
{
    const hb_flat_set *set;
    const uint32_t *words;
    uint32_t code, low = 0, high;

    if (!(x > -1.0 && x < 2147483648.0))
        return 0;
    code = (uint32_t)(int64_t)x;
    if (node->test & HB_TEST_SMALL_SET)
        return code < 32 ? node->as.members >> code & 1 : 0;
    set = &forest->sets[node->as.index];
    words = forest->words + set->first;
    if (!set->is_list)
        return code / 32 < set->count ? words[code / 32] >> (code % 32) & 1 : 0;
    high = set->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (words[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->count && words[low] == code;
}

INLINE uint32_t step_in(const hb_wide_forest *forest, const hb_wide_node *node, double v, bool sets)
{
    uint32_t nan = v != v, missing, right;
    double number = nan ? 0.0 : v;

    missing = (nan & node->test >> 27) | ((uint32_t)(number == 0) & node->test >> 26);
    missing &= 1;
    right = number > node->as.threshold;
    right = (right & ~missing) | (missing & node->test >> 30);
    if (sets && node->test & (HB_TEST_SET | HB_TEST_SMALL_SET))
        right = in_set(forest, node, v) ^ node->test >> 30;
    return node->left + (right & node->test >> 31);
}

INLINE uint32_t step(const hb_wide_forest *forest, uint32_t i, const double *x, size_t stride,
                     bool sets)
{
    const hb_wide_node *node = &forest->nodes[i];

    return step_in(forest, node, x[(size_t)(node->test & HB_WIDE_FEATURE) * stride], sets);
}

INLINE void walk(const hb_wide_forest *forest, uint32_t depth, const double *x,
                 const size_t offset[LANES], size_t stride, bool sets, uint32_t at[LANES])
{
    for (uint32_t level = 0; level < depth; level++) {
        uint32_t moved = 0;

        for (int k = 0; k < LANES; k++) {
            uint32_t next = step(forest, at[k], x + offset[k], stride, sets);

            moved |= next ^ at[k];
            at[k] = next;
        }
        if (depth > DEEP && !moved)
            return;
    }
}

static double linear_leaf(const hb_wide_forest *forest, const hb_wide_node *node, const double *x,
                          size_t stride)
{
    const hb_wide_linear *leaf = &forest->linear[node->as.index];
    double sum = leaf->constant;

    for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
        double v = x[(size_t)forest->linear_features[i] * stride];

        if (v != v)
            return leaf->fallback;
        sum += forest->linear_coefficients[i] * v;
    }
    return sum;
}

INLINE void add_leaf(const hb_wide_forest *forest, uint32_t output, uint32_t at, const double *x,
                     size_t stride, double *sums)
{
    const hb_wide_node *leaf = &forest->nodes[at];
    const double *vector;

    if (forest->leaf_width > 1) {
        vector = forest->leaf_vectors + (size_t)leaf->as.index * forest->leaf_width;
        for (size_t o = 0; o < forest->leaf_width; o++)
            sums[o * stride] += vector[o];
        return;
    }
    sums[(size_t)output * stride] +=
        leaf->test & HB_WIDE_LINEAR ? linear_leaf(forest, leaf, x, stride) : leaf->as.leaf;
}

INLINE void add_rows(const hb_wide_forest *forest, size_t first, size_t end, const double *x,
                     size_t stride, size_t rows, bool sets, double *sums)
{
    for (size_t t = first; t < end; t++) {
        const hb_flat_tree *tree = &forest->trees[t];

        for (size_t r = 0; r < rows; r += LANES) {
            size_t offset[LANES], n = rows - r < LANES ? rows - r : LANES;
            uint32_t at[LANES];

            for (size_t k = 0; k < LANES; k++) {
                offset[k] = r + (k < n ? k : n - 1);
                at[k] = tree->root;
            }
            walk(forest, tree->depth, x, offset, stride, sets, at);
            for (size_t k = 0; k < n; k++)
                add_leaf(forest, tree->output, at[k], x + r + k, stride, sums + r + k);
        }
    }
}

INLINE void add_row(const hb_wide_forest *forest, size_t first, size_t end, const double *x,
                    size_t stride, bool sets, double *sums)
{
    static const size_t same_row[LANES];

    for (size_t t = first; t < end; t += LANES) {
        size_t n = end - t < LANES ? end - t : LANES;
        uint32_t at[LANES], depth = 0;

        for (size_t k = 0; k < LANES; k++) {
            const hb_flat_tree *tree = &forest->trees[t + (k < n ? k : n - 1)];

            at[k] = tree->root;
            depth = tree->depth > depth ? tree->depth : depth;
        }
        walk(forest, depth, x, same_row, stride, sets, at);
        for (size_t k = 0; k < n; k++)
            add_leaf(forest, forest->trees[t + k].output, at[k], x, stride, sums);
    }
}

void hb_wide_forest_begin(const hb_wide_forest *forest, const double *base, size_t stride,
                          size_t rows, double *sums)
{
    for (size_t o = 0; o < forest->n_outputs; o++)
        for (size_t r = 0; r < rows; r++)
            sums[o * stride + r] = base[o];
}

void hb_wide_forest_add(const hb_wide_forest *forest, size_t first, size_t end, const double *x,
                        size_t stride, size_t rows, double *sums)
{
    if (rows == 1 && forest->has_sets)
        add_row(forest, first, end, x, stride, true, sums);
    else if (rows == 1)
        add_row(forest, first, end, x, stride, false, sums);
    else if (forest->has_sets)
        add_rows(forest, first, end, x, stride, rows, true, sums);
    else
        add_rows(forest, first, end, x, stride, rows, false, sums);
}

void hb_wide_forest_set(const hb_wide_forest *forest, uint32_t node, const double *x, size_t rows,
                        uint64_t *bits)
{
    uint32_t left = forest->nodes[node].left;

    for (size_t r = 0; r < rows; r++) {
        if (r % 64 == 0)
            bits[r / 64] = 0;
        bits[r / 64] |= (uint64_t)(step_in(forest, &forest->nodes[node], x[r], true) - left) << r % 64;
    }
}
