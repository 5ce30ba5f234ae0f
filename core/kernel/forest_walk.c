/* forest_walk.c - interleaved tree traversal in float32: in plain C, and by gathers where the CPU has them. The
 * variants of the loop (with and without sets, rows and row) are made by inlining constants. */
#include "kernel/forest_step.h"
#include "kernel/gather.h"

enum { LANES = 8 }; /* walks in flight: enough to hide the latency of a load from L2 */

/* Depth from which it pays to look whether all lanes have arrived. */
enum { DEEP = 10 };

HB_INLINE void add_leaf(const hb_flat_forest *forest, uint32_t output, uint32_t at, const float *x, size_t stride,
                        float *sums)
{
    const hb_flat_node *leaf = &forest->nodes[at];
    const float *vector;

    (void)x;
    if (forest->leaf_width == 1) {
        sums[(size_t)output * stride] += leaf->as.leaf;
        return;
    }
    vector = forest->leaf_vectors + (size_t)leaf->as.index * forest->leaf_width;
    for (size_t o = 0; o < forest->leaf_width; o++)
        sums[o * stride] += vector[o];
}

/* ---- by gathers */

typedef hb_flat_forest forest_type;
typedef float number;

#if HB_GATHERS

enum { NODE_INTS = sizeof(hb_flat_node) / 4 };

HB_INLINE hb_walks walks_step(const hb_flat_forest *forest, const float *x, uint32_t stride_bits, hb_walks row,
                              hb_walks at)
{
    hb_walks threshold, left, test, index = hb_walks_add(at, hb_walks_add(at, at));

    hb_walks_pairs(forest->nodes, index, &threshold, &left);
    test = hb_walks_take((const uint32_t *)(const void *)forest->nodes + 2, index);
    index = hb_walks_shift(hb_walks_and(test, hb_walks_all(HB_TEST_FEATURE)), stride_bits);
    return hb_walks_next(hb_walks_floats(x, hb_walks_add(index, row)), threshold, left, test);
}

#endif

#include "kernel/forest_gather.h"

/* ---- in plain C */

/* Where a walk that stands on node i goes next. */
HB_INLINE uint32_t step(const hb_flat_forest *forest, uint32_t i, const float *x, size_t stride, bool sets)
{
    const hb_flat_node *node = &forest->nodes[i];

    return step_in(forest, node, x[(size_t)(node->test & HB_TEST_FEATURE) * stride], sets);
}

/* Lets LANES walks go down `depth` levels; walk k stands on at[k] and reads the row that begins at
 * x[offset[k]]. */
HB_INLINE void walk(const hb_flat_forest *forest, uint32_t depth, const float *x, const size_t offset[LANES],
                    size_t stride, bool sets, uint32_t at[LANES])
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

/* Many rows: tree after tree, LANES rows at a time. A last group that is not full walks its last row
 * several times. */
HB_INLINE void add_rows(const hb_flat_forest *forest, size_t first, size_t end, const float *x, size_t stride,
                        size_t rows, bool sets, float *sums)
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

/* One row: LANES trees at a time; their leaves are added in the trees' order. */
HB_INLINE void add_row(const hb_flat_forest *forest, size_t first, size_t end, const float *x, size_t stride, bool sets,
                       float *sums)
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

void HB_KERNEL(hb_forest_add)(const hb_flat_forest *forest, size_t first, size_t end, const float *x, size_t stride,
                              size_t rows, float *sums)
{
    if (gather(forest, first, end, x, stride, rows, sums))
        return;
    if (rows == 1 && forest->has_sets)
        add_row(forest, first, end, x, stride, true, sums);
    else if (rows == 1)
        add_row(forest, first, end, x, stride, false, sums);
    else if (forest->has_sets)
        add_rows(forest, first, end, x, stride, rows, true, sums);
    else
        add_rows(forest, first, end, x, stride, rows, false, sums);
}
