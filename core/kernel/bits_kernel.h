/* bits_kernel.h - a forest as logic on bits: the strategy "bits".
 *
 * GEMM (Hummingbird, section 4.1, algorithm 1) after CMLCompiler's rewrites of dtype, sparsity and redundance:
 *
 *  - Each predicate, a distinct (feature, threshold, missing rule) test of the forest, is done once for all rows of a
 *    block. A number's rank
 *    among the thresholds of its feature is searched, and a predicate is a comparison of ranks: one bit a row.
 *    A bit is set where the row goes right.
 *  - Trees are evaluated for all rows at once, as logic on these bits: what comes out is the leaf number of
 *    a row, one bit of it after the other. No row's path is ever followed.
 *  - The leaf's value is looked up and added, the trees in their order.
 *
 * All of it is exact: a rank decides as the comparison of the numbers does. */
#ifndef HB_KERNEL_BITS_KERNEL_H
#define HB_KERNEL_BITS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    HB_BITS_ROWS = 512, /* of a block, at most */
    HB_BITS_WORDS = HB_BITS_ROWS / 64,
    HB_BITS_CUTS = 255, /* of a chunk: a rank is a byte */
    HB_BITS_MUX_DEPTH = 8,
    HB_BITS_INDEX = 12 /* bits of a leaf number, at most */
};

/* A missing rule: where a predicate sends the values that are not compared; without one NaN goes left. */
enum {
    HB_BITS_NAN_RIGHT = 1u << 0,
    HB_BITS_ZERO_LEFT = 1u << 1, /* zero is missing */
    HB_BITS_ZERO_RIGHT = 1u << 2,
    HB_BITS_RULES = 1u << 3 /* combinations */
};

/* Up to HB_BITS_CUTS thresholds of one feature, and the predicates that compare with them. A feature that has
 * more thresholds has several chunks. */
typedef struct hb_bits_chunk {
    uint32_t feature;
    uint32_t levels; /* 1 to 8: of the search tree */
    uint32_t heap;   /* into `heaps`, [2^levels]: the tree, its root at 1, padded with infinity */
    uint32_t n_cuts;
    uint32_t exact;    /* float64: into `thresholds`, [n_cuts] */
    uint32_t first, n; /* predicates */
    uint32_t rules;    /* that any of them has */
} hb_bits_chunk;

typedef enum hb_bits_form {
    HB_BITS_CONSTANT,  /* one leaf */
    HB_BITS_OBLIVIOUS, /* all nodes of a level have one predicate: `nodes` has it, the root's first */
    HB_BITS_MUX,       /* a perfect tree of `bits` levels: its nodes' predicates, the root at 1 of 2^bits */
    HB_BITS_REACH      /* any other: operations, the rows that reach each node */
} hb_bits_form;

/* One node of a reach form, parents before their children. Slot k has the rows that go
 * right at operation k, slot n (the number of operations) every row, and slot n + 1 is never read. */
typedef struct hb_bits_operation {
    uint32_t predicate;
    uint16_t from; /* the slot of the rows that come here */
    uint16_t left; /* and of those that go left */
} hb_bits_operation;

/* The same node for few rows: tests in the order in which they stand between the leaves, from left to right. Test k,
 * where it sends a row to the right, shuts the leaves from `first` to k; the first that stays open is the row's
 * (QuickScorer, SIGIR 2015). */
typedef struct hb_bits_exit {
    uint32_t predicate;
    uint32_t first; /* the first leaf below it, repeated as 4 x u8 (trees of up to 256 leaves) or 2 x u16 for a
                       broadcast load */
} hb_bits_exit;

typedef struct hb_bits_tree {
    uint32_t form;   /* hb_bits_form */
    uint32_t bits;   /* of a leaf number; of a mux the root decides the highest */
    uint32_t first;  /* into `nodes`, or `operations` and `exits` */
    uint32_t n;      /* reach: operations; oblivious: so many trees from it on have as many levels and its output */
    uint32_t flips;  /* reach: into `flips`: for each bit a count, and the operations whose right-goers have
                      * that bit of their number flipped */
    uint32_t leaves; /* into `leaves`, in tables of [leaf_width][2^bits] */
    uint32_t output;
} hb_bits_tree;

static inline bool hb_bits_exits_are_bytes(const hb_bits_tree *tree)
{
    return tree->n < 256;
}

/* A predicate that tests a category set: that of a node of TreeTraversal. A small one has its categories, all below
 * 64, as bits; its members go right, or (inverted, all bits set) all others. */
typedef struct hb_set_predicate {
    uint32_t feature;
    uint32_t node;
    uint64_t members, inverted;
    uint32_t is_small;
    uint32_t rule; /* float32: HB_BITS_NAN_RIGHT or 0 */
} hb_set_predicate;

typedef struct hb_bits_forest {
    const hb_bits_chunk *chunks;
    size_t n_chunks;
    const float *heaps;       /* of a forest in float64: rounded down */
    const double *thresholds; /* rising */
    const uint32_t *cuts;     /* [predicates]: the cut's index in each of the four bytes; the rank must be above it */
    const hb_set_predicate *sets; /* the last predicates, those of a feature together */
    size_t n_sets;
    const uint8_t *rules; /* [predicates] */
    size_t n_predicates;  /* with those of sets, which stand behind those of chunks */
    const hb_bits_tree *trees;
    size_t n_trees;
    size_t most_nodes; /* of a tree; an operation takes as long as four */
    const uint32_t *nodes;
    const hb_bits_operation *operations;
    const hb_bits_exit *exits;
    const uint16_t *flips;
    const void
        *leaves; /* float or double. With hb_kernels.leaf_tables the values of a tree of up to 256 leaves are split:
                  * the first bytes of all values, then the second ones, and so on; of up to 64 leaves the first
                  * four bytes of all, then the others. 64 bytes may be read from the beginning of each part */
    size_t leaf_width;
    size_t n_outputs;
    size_t n_slots; /* of the largest tree */
} hb_bits_forest;

/* Bytes of a block's work, which begins at a multiple of 64. */
static inline size_t hb_bits_work(const hb_bits_forest *forest)
{
    return (forest->n_predicates + forest->n_slots) * HB_BITS_WORDS * sizeof(uint64_t);
}

/* The kernels (kernels.def), for each isa:
 *
 * hb_bits_compare32, hb_bits_compare64: the bits of all predicates on numbers, into `work`. Feature f of row r is
 * x[f * stride + r], for rows <= HB_BITS_ROWS; `stride` is a multiple of 64, as numbers up to the next multiple of
 * 64 rows are read. `is_float32`: float32 holds all of x.
 *
 * hb_bits_sets32, hb_bits_sets64: the same for the predicates that are small sets.
 *
 * hb_bits_add32, hb_bits_add64: adds the leaves of trees [first, end) in their order to sums[output][stride], for
 * the rows whose predicates are in `work`; sums of rows up to the next multiple of 64 are written too. */

static inline size_t hb_bits_words(size_t rows)
{
    return (rows + 63) / 64;
}

/* From a predicate's bits to the next one's, in a block of so many words. A tree takes one word after the other from
 * anywhere: side by side, those of 6,000 predicates are 48 KB, and 384 with the room of a full block. */
static inline size_t hb_bits_stride(size_t words)
{
    return words == 1 ? 1 : HB_BITS_WORDS;
}

/* The bits of predicate p in `work`; bit r % 64 of word r / 64 is row r's. */
static inline uint64_t *hb_predicate_bits(size_t words, void *work, size_t p)
{
    return (uint64_t *)work + p * hb_bits_stride(words);
}

/* How many of n rising thresholds are below x. */
static inline uint8_t hb_bits_rank(const double *thresholds, size_t n, double x)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (thresholds[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint8_t)low;
}

/* The largest float32 that is not above x. */
static inline float hb_round_down(double x)
{
    float nearest = (float)x;
    uint32_t bits;

    memcpy(&bits, &nearest, sizeof(bits));
    if ((double)nearest > x)
        bits = nearest == 0 ? 0x80000001u : nearest > 0 ? bits - 1 : bits + 1;
    memcpy(&nearest, &bits, sizeof(bits));
    return nearest;
}

#endif
