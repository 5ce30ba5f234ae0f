/* forest_portable.c - interleaved tree traversal in plain C, for every CPU. */
#include "kernel/forest_kernel.h"

/* The variants of the loop (with and without sets, rows and row) are made by inlining constants. */
#define INLINE static inline __attribute__((always_inline))

enum { LANES = 8 }; /* walks in flight: enough to hide the latency of a load from L2 */

/* Depth from which it pays to look whether all lanes have arrived. */
enum { DEEP = 10 };

/* A member of a node's set of categories goes right. The code is cut to an integer; negative ones and
 * those from 16,777,216 on are in no set (common::Decision, XGBoost src/common/categorical.h). */
static uint32_t in_set(const hb_flat_forest *forest, const hb_flat_set *set, float x)
{
    const uint32_t *words = forest->words + set->first;
    uint32_t code, low = 0, high = set->count;

    if (!(x >= 0 && x < 16777216.0f))
        return 0;
    code = (uint32_t)x;
    if (!set->is_list)
        return code / 32 < set->count ? words[code / 32] >> (code % 32) & 1 : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (words[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->count && words[low] == code;
}

/* The same for categories below 32, without a branch: most sets are so small. The compares have the form
 * of the minimum and maximum instructions; NaN becomes 63, which is in no set. */
INLINE uint32_t in_small_set(uint32_t members, float x)
{
    float code = x < 63.0f ? x : 63.0f;

    code = code > 0.0f ? code : 0.0f;
    return (uint32_t)((uint64_t)members >> (uint32_t)(int32_t)code) & (uint32_t)(x >= 0);
}

/* Where a walk goes from `node`, whose feature has the value v. */
INLINE uint32_t step_in(const hb_flat_forest *forest, const hb_flat_node *node, float v, bool sets)
{
    uint32_t missing = v != v;
    uint32_t right = v >= node->as.threshold;

    if (sets) {
        uint32_t member = in_small_set(node->as.members, v);

        right ^= (right ^ member) & (node->test >> 28);
        if (node->test & HB_TEST_SET)
            right = in_set(forest, &forest->sets[node->as.index], v);
    }
    right |= missing & (node->test >> 30);
    right &= node->test >> 31;
    return node->left + right;
}

/* Where a walk that stands on node i goes next. */
INLINE uint32_t step(const hb_flat_forest *forest, uint32_t i, const float *x, size_t stride,
                     bool sets)
{
    const hb_flat_node *node = &forest->nodes[i];

    return step_in(forest, node, x[(size_t)(node->test & HB_TEST_FEATURE) * stride], sets);
}

/* Lets LANES walks go down `depth` levels; walk k stands on at[k] and reads the row that begins at
 * x[offset[k]]. */
INLINE void walk(const hb_flat_forest *forest, uint32_t depth, const float *x,
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

INLINE void add_leaf(const hb_flat_forest *forest, uint32_t output, uint32_t at,
                            size_t stride, float *sums)
{
    const hb_flat_node *leaf = &forest->nodes[at];
    const float *vector;

    if (forest->leaf_width == 1) {
        sums[(size_t)output * stride] += leaf->as.leaf;
        return;
    }
    vector = forest->leaf_vectors + (size_t)leaf->as.index * forest->leaf_width;
    for (size_t o = 0; o < forest->leaf_width; o++)
        sums[o * stride] += vector[o];
}

/* Many rows: tree after tree, LANES rows at a time. A last group that is not full walks its last row
 * several times. */
INLINE void add_rows(const hb_flat_forest *forest, size_t first, size_t end, const float *x,
                            size_t stride, size_t rows, bool sets, float *sums)
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
                add_leaf(forest, tree->output, at[k], stride, sums + r + k);
        }
    }
}

/* One row: LANES trees at a time; their leaves are added in the trees' order. */
INLINE void add_row(const hb_flat_forest *forest, size_t first, size_t end, const float *x,
                           size_t stride, bool sets, float *sums)
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
            add_leaf(forest, forest->trees[t + k].output, at[k], stride, sums);
    }
}

void hb_forest_begin(const hb_flat_forest *forest, const float *base, size_t stride, size_t rows,
                     float *sums)
{
    for (size_t o = 0; o < forest->n_outputs; o++)
        for (size_t r = 0; r < rows; r++)
            sums[o * stride + r] = base[o];
}

void hb_forest_add(const hb_flat_forest *forest, size_t first, size_t end, const float *x,
                   size_t stride, size_t rows, float *sums)
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

void hb_forest_set(const hb_flat_forest *forest, uint32_t node, const float *x, size_t rows,
                   uint64_t *bits)
{
    uint32_t left = forest->nodes[node].left;

    for (size_t r = 0; r < rows; r++) {
        if (r % 64 == 0)
            bits[r / 64] = 0;
        bits[r / 64] |= (uint64_t)(step_in(forest, &forest->nodes[node], x[r], true) - left) << r % 64;
    }
}
