/* bits_trees.c - the leaves that rows reach, from the bits of predicates, one bit of a leaf's number at a time. */
#include "kernel/bits_leaves.h"

#define NOINLINE static __attribute__((noinline))

/* As many words of bits as go through at once. */
typedef uint64_t row_set __attribute__((vector_size(8 * HB_LANES)));

HB_INLINE row_set get(const uint64_t *from)
{
    row_set set;

    memcpy(&set, from, sizeof(set));
    return set;
}

HB_INLINE void put(uint64_t *to, row_set set)
{
    memcpy(to, &set, sizeof(set));
}

HB_INLINE row_set choose(row_set where, row_set yes, row_set no)
{
    return (where & yes) | (~where & no);
}

/* ---- mux: bit d of the leaf's number is one of the predicates of level d, chosen by the bits above it */

/* muxN chooses among 2^N nodes by N planes. */
HB_INLINE row_set mux0(const uint64_t *bits, const uint32_t *node, const row_set *plane)
{
    (void)plane;
    return get(bits + (size_t)node[0] * HB_BITS_WORDS);
}

#define MUX(n, below)                                                                              \
    HB_INLINE row_set mux##n(const uint64_t *bits, const uint32_t *node, const row_set *plane)     \
    {                                                                                              \
        row_set no = mux##below(bits, node, plane + 1);                                            \
        row_set yes = mux##below(bits, node + (1 << below), plane + 1);                            \
                                                                                                   \
        return choose(plane[0], yes, no);                                                          \
    }
MUX(1, 0)
MUX(2, 1)
MUX(3, 2)
MUX(4, 3)
MUX(5, 4)
MUX(6, 5)
MUX(7, 6)

/* The widest levels, out of line. */
#define LEVEL(n)                                                                                   \
    NOINLINE void level##n(const uint64_t *bits, const uint32_t *node, row_set *plane)             \
    {                                                                                              \
        plane[n] = mux##n(bits, node + (1 << n), plane);                                           \
    }
LEVEL(4)
LEVEL(5)
LEVEL(6)
LEVEL(7)

static void mux_part(const uint64_t *bits, const uint32_t *node, size_t depth,
                     row_set plane[HB_BITS_MUX_DEPTH])
{
    plane[0] = mux0(bits, node + 1, plane);
    if (depth > 1)
        plane[1] = mux1(bits, node + 2, plane);
    if (depth > 2)
        plane[2] = mux2(bits, node + 4, plane);
    if (depth > 3)
        plane[3] = mux3(bits, node + 8, plane);
    if (depth > 4)
        level4(bits, node, plane);
    if (depth > 5)
        level5(bits, node, plane);
    if (depth > 6)
        level6(bits, node, plane);
    if (depth > 7)
        level7(bits, node, plane);
}

static void mux(const uint64_t *bits, const uint32_t *node, size_t depth, size_t words,
                hb_leaf_bits leaf)
{
    row_set plane[HB_BITS_MUX_DEPTH];

    for (size_t w = 0; w < words; w += HB_LANES) {
        mux_part(bits + w, node, depth, plane);
        for (size_t d = 0; d < depth; d++)
            put(leaf[depth - 1 - d] + w, plane[d]);
    }
}

static void oblivious(const uint64_t *bits, const uint32_t *node, size_t depth, hb_leaf_bits leaf)
{
    for (size_t d = 0; d < depth; d++)
        memcpy(leaf[depth - 1 - d], bits + (size_t)node[d] * HB_BITS_WORDS, sizeof(leaf[0]));
}

/* ---- reach: the rows at each node. The children of a node stand some operations behind it, so that no
 * number is read back as soon as it is stored. */

HB_INLINE row_set flipped(const uint64_t *slots, const uint16_t *flips, size_t n)
{
    row_set even = {0}, odd = {0};
    size_t i = 0;

#define SLOT(k) get(slots + (size_t)(k) * HB_BITS_WORDS)
    for (; i + 4 <= n; i += 4) {
        even ^= SLOT(flips[i]) ^ SLOT(flips[i + 1]);
        odd ^= SLOT(flips[i + 2]) ^ SLOT(flips[i + 3]);
    }
    for (; i < n; i++)
        even ^= SLOT(flips[i]);
    return even ^ odd;
}

static void reach(const uint64_t *bits, const hb_bits_operation *operations, size_t n,
                  const uint16_t *flips, size_t index_bits, uint64_t *slots, size_t words,
                  hb_leaf_bits leaf)
{
    for (size_t w = 0; w < words; w += HB_LANES) {
        uint64_t *at = slots + w;
        const uint16_t *list = flips;

        put(at + n * HB_BITS_WORDS, ~(row_set){0});
        for (size_t k = 0; k < n; k++) {
            row_set right = get(bits + w + (size_t)operations[k].predicate * HB_BITS_WORDS);
            row_set here = get(at + (size_t)operations[k].from * HB_BITS_WORDS);

            put(at + k * HB_BITS_WORDS, here & right);
            put(at + (size_t)operations[k].left * HB_BITS_WORDS, here & ~right);
        }
        for (size_t b = 0; b < index_bits; b++) {
            put(leaf[b] + w, flipped(at, list + 1, list[0]));
            list += 1 + list[0];
        }
    }
}

/* ---- a tree */

static void find_leaves(const hb_bits_forest *forest, const hb_bits_tree *tree, uint64_t *work,
                        size_t words, hb_leaf_bits leaf)
{
    uint64_t *slots = work + forest->n_predicates * HB_BITS_WORDS;

    if (tree->form == HB_BITS_MUX)
        mux(work, forest->nodes + tree->first, tree->bits, words, leaf);
    else if (tree->form == HB_BITS_OBLIVIOUS)
        oblivious(work, forest->nodes + tree->first, tree->bits, leaf);
    else if (tree->form == HB_BITS_REACH)
        reach(work, forest->operations + tree->first, tree->n, forest->flips + tree->flips,
              tree->bits, slots, words, leaf);
}

#define ADD_TREES(add_leaves, type)                                                                \
    hb_leaf_bits leaf = {{0}};                                                                     \
    size_t words = (rows + 63) / 64, width = forest->leaf_width;                                   \
                                                                                                   \
    hb_reorder(sums, sizeof(type), forest->n_outputs, stride, words);                              \
    for (size_t t = first; t < end; t++) {                                                         \
        const hb_bits_tree *tree = &forest->trees[t];                                              \
        size_t table = (size_t)tree->leaves, size = (size_t)1 << tree->bits;                       \
                                                                                                   \
        find_leaves(forest, tree, work, words, leaf);                                              \
        for (size_t o = 0; o < width; o++)                                                         \
            add_leaves((const type *)forest->leaves + table + o * size, tree->bits, leaf, words,   \
                       sums + (width > 1 ? o : tree->output) * stride);                            \
    }                                                                                              \
    hb_reorder(sums, sizeof(type), forest->n_outputs, stride, words);

void HB_KERNEL(hb_bits_add32)(const hb_bits_forest *forest, size_t first, size_t end, size_t stride,
                              size_t rows, void *work, float *sums)
{
    ADD_TREES(hb_add_leaves32, float)
}

void HB_KERNEL(hb_bits_add64)(const hb_bits_forest *forest, size_t first, size_t end, size_t stride,
                              size_t rows, void *work, double *sums)
{
    ADD_TREES(hb_add_leaves64, double)
}
