/* walk.h - a forest as the kernels of a GPU read it, and what makes these kernels C for the host as well.
 *
 * Kernels (kernels.inc) are written as phases between barriers, and nothing stays in a register across a barrier. On a
 * GPU a phase is what each thread does; on the host HBG_THREADS makes it a loop over the threads of a block. So tests
 * run the same text, and a thread that reads what another one writes in the same phase shows when the loop goes
 * backwards.
 *
 * Three kernels score a block of rows:
 *  - rank (a thread a row and column): how many thresholds of its feature a number is beyond. A node is then an integer
 *    test, `rank > k`, in float32 and float64 alike.
 *  - walk (a block a tile of rows and a group of trees): the leaf of each tree.
 *  - sum (a thread a row and output): the leaves in the order of the trees, from the base on. No partial sums: bits. */
#ifndef HBG_WALK_H
#define HBG_WALK_H

#include <stdint.h>

#ifdef __CUDACC__
#define HBG_FUNCTION         static __device__ __forceinline__
#define HBG_KERNEL           extern "C" __global__ void __launch_bounds__(HBG_BLOCK)
#define HBG_FOREST           const __grid_constant__ hbg_forest
#define HBG_THREADS(tid)     for (uint32_t tid = threadIdx.x, hbg_once = 1; hbg_once; hbg_once = 0)
#define HBG_BARRIER()        __syncthreads()
#define HBG_BLOCK_X          blockIdx.x
#define HBG_BLOCK_Y          blockIdx.y
#define HBG_SHARED           hbg_shared
#define HBG_READ(pointer)    __ldg(pointer)
#define HBG_ADD_float(a, b)  __fadd_rn(a, b)
#define HBG_ADD_double(a, b) __dadd_rn(a, b)
#define HBG_UNROLL           _Pragma("unroll")
#define HBG_UNROLL_BY_4      _Pragma("unroll 4")
#define HBG_COPY(to, from)   (*(uint4 *)(to) = __ldg((const uint4 *)(from)))
extern __shared__ __align__(16) uint32_t hbg_shared[];
#else
/* Which block of the grid runs, and its shared memory. */
typedef struct hbg_place {
    uint32_t x, y;
    uint32_t backwards; /* 1: threads in falling order */
    uint32_t *shared;
} hbg_place;
extern _Thread_local hbg_place hbg_here;
#define HBG_FUNCTION static inline
#define HBG_KERNEL   void
#define HBG_FOREST   const hbg_forest
#define HBG_THREADS(tid)                                                                                              \
    for (uint32_t hbg_i = 0, tid; hbg_i < HBG_BLOCK && (tid = hbg_here.backwards ? HBG_BLOCK - 1 - hbg_i : hbg_i, 1); \
         hbg_i++)
#define HBG_BARRIER()        ((void)0)
#define HBG_BLOCK_X          hbg_here.x
#define HBG_BLOCK_Y          hbg_here.y
#define HBG_SHARED           hbg_here.shared
#define HBG_READ(pointer)    (*(pointer))
#define HBG_ADD_float(a, b)  ((a) + (b))
#define HBG_ADD_double(a, b) ((a) + (b))
#define HBG_UNROLL
#define HBG_UNROLL_BY_4
#define HBG_COPY(to, from) ((to)[0] = (from)[0], (to)[1] = (from)[1], (to)[2] = (from)[2], (to)[3] = (from)[3])
#endif

enum {
    HBG_BLOCK = 256, /* threads of a block */
    HBG_LANES = 32,  /* that walk in one tree.. */
    HBG_WARPS = HBG_BLOCK / HBG_LANES,
    HBG_ROWS = 128, /* ..with the rows of a tile between them */
    HBG_EACH = HBG_ROWS / HBG_LANES,
    HBG_SMALL_ROWS = 256, /* a tile of the small form: its slots have 16 bits */
    HBG_SMALL_EACH = HBG_SMALL_ROWS / HBG_LANES,
    HBG_TILE_BYTES = 512,   /* of a column in either */
    HBG_STAGE_WORDS = 8192, /* of shared memory for nodes of the small form */
    HBG_AHEAD = 16,         /* trees whose leaves a sum reads at once */
    HBG_COPY_WORDS = 4      /* that a thread copies there at once: trees begin at multiples */
};

/* Flags of a column. */
enum {
    HBG_MISSING_RIGHT = 1u << 0, /* a missing number is beyond all thresholds, else before them */
    HBG_NAN_MISSING = 1u << 1,   /* else NaN is 0 */
    HBG_ZERO_MISSING = 1u << 2,
    HBG_CATEGORY = 1u << 3 /* its slots are codes, not ranks */
};

/* A feature as some nodes see it, whose slots are [row]. */
typedef struct hbg_column {
    uint32_t source; /* among the columns of a block */
    uint32_t flags;
    uint32_t first_cut, n_cuts; /* thresholds, rising and different */
} hbg_column;

typedef struct hbg_tree {
    uint32_t nodes; /* the first of.. */
    uint32_t count; /* ..so many */
    uint32_t depth;
    uint32_t output; /* that it adds to */
    uint32_t stop;   /* the first tree behind it whose nodes do not fit in the stage beside its own */
} hbg_tree;

/* Nodes of the small form are words: rank, column, and left child in bytes of the tree; a leaf leads to itself, with a
 * rank that nothing is above. Those of the large form are two words: test (rank and column), and left. Where a node
 * tests a set, left is a place in `sets` and the flags below. */
enum {
    HBG_SET = 1u << 31,
    HBG_SET_INVERTED = 1u << 30, /* members go left */
    HBG_SET_MISSING_RIGHT = 1u << 29,
    HBG_SET_LIST = 1u << 28, /* its words are a rising list */
    HBG_SET_PLACE = (1u << 28) - 1,
    HBG_SET_COUNT = 0, /* at its place: how many words,.. */
    HBG_SET_LEFT = 1,  /* ..the left child,.. */
    HBG_SET_WORDS = 2, /* ..where in `sets` the words are */
    HBG_SET_ENTRY = 3
};

typedef struct hbg_forest {
    const uint32_t *nodes;
    const void *values;  /* of leaves, by node: numbers, or the rows of their vectors */
    const void *vectors; /* [..][leaf_width] */
    const hbg_tree *trees;
    const hbg_column *columns;
    const void *cuts;
    const uint32_t *sets;
    uint32_t n_trees, n_columns, n_outputs, leaf_width;
    uint32_t n_codes; /* categories from here on are in no set: this one stands for all, the next one is missing */
    uint32_t column_shift, column_mask, rank_shift, left_mask;
} hbg_forest;

/* The arguments of a launch. */
typedef struct hbg_range {
    uint32_t stride, rows; /* of the block */
    uint32_t first, end;   /* trees */
    uint32_t group;        /* walk: trees of a block of threads */
} hbg_range;

/* ---- sets */

HBG_FUNCTION uint32_t hbg_in_bits(const uint32_t *words, uint32_t count, uint32_t code)
{
    return code / 32 < count ? HBG_READ(words + code / 32) >> (code % 32) & 1 : 0;
}

HBG_FUNCTION uint32_t hbg_in_list(const uint32_t *words, uint32_t count, uint32_t code)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (HBG_READ(words + middle) < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count ? HBG_READ(words + low) == code : 0;
}

/* Where a set node leads to. */
HBG_FUNCTION uint32_t hbg_set_next(const hbg_forest *f, uint32_t left, uint32_t code)
{
    const uint32_t *entry = f->sets + (left & HBG_SET_PLACE);
    const uint32_t *words = f->sets + HBG_READ(entry + HBG_SET_WORDS);
    uint32_t count = HBG_READ(entry + HBG_SET_COUNT), right;

    right = left & HBG_SET_LIST ? hbg_in_list(words, count, code) : hbg_in_bits(words, count, code);
    right ^= left & HBG_SET_INVERTED ? 1 : 0;
    if (code == f->n_codes + 1)
        right = left & HBG_SET_MISSING_RIGHT ? 1 : 0;
    return HBG_READ(entry + HBG_SET_LEFT) + right;
}

/* ---- what all walks do */

/* The slots of a tile, as [column][row of the tile]; rows behind the block's last one are as that. */
HBG_FUNCTION void hbg_stage_slots(const hbg_forest *f, const uint32_t *slots, const hbg_range *range, uint32_t tid,
                                  uint32_t *staged)
{
    uint32_t first = HBG_BLOCK_X * HBG_ROWS;

    for (uint32_t i = tid; i < f->n_columns * HBG_ROWS; i += HBG_BLOCK) {
        uint32_t row = first + i % HBG_ROWS;

        row = row < range->rows ? row : range->rows - 1;
        staged[i] = HBG_READ(slots + (uint64_t)(i / HBG_ROWS) * range->stride + row);
    }
}

/* The same in 16 bits for the small form. Rows e * 32 + lane and (e + 1) * 32 + lane share a word, e even: so lanes
 * read different banks. */
HBG_FUNCTION uint32_t hbg_small_place(uint32_t e, uint32_t lane)
{
    return e / 2 * 2 * HBG_LANES + lane * 2 + e % 2;
}

HBG_FUNCTION void hbg_stage_small_slots(const hbg_forest *f, const uint32_t *slots, const hbg_range *range,
                                        uint32_t tid, uint16_t *staged)
{
    uint32_t first = HBG_BLOCK_X * HBG_SMALL_ROWS;

    for (uint32_t i = tid; i < f->n_columns * HBG_SMALL_ROWS; i += HBG_BLOCK) {
        uint32_t in_tile = i % HBG_SMALL_ROWS, column = i / HBG_SMALL_ROWS, row = first + in_tile;

        row = row < range->rows ? row : range->rows - 1;
        staged[column * HBG_SMALL_ROWS + hbg_small_place(in_tile / HBG_LANES, in_tile % HBG_LANES)] =
            (uint16_t)HBG_READ(slots + (uint64_t)column * range->stride + row);
    }
}

/* The first tree of the block's group, and its end. */
HBG_FUNCTION uint32_t hbg_group_first(const hbg_range *range)
{
    return range->first + HBG_BLOCK_Y * range->group;
}

HBG_FUNCTION uint32_t hbg_group_end(const hbg_range *range)
{
    uint32_t first = hbg_group_first(range);

    return range->end - first < range->group ? range->end : first + range->group;
}

/* The words of the nodes of trees [t, stop), which are side by side. */
HBG_FUNCTION void hbg_stage_nodes(const hbg_forest *f, uint32_t t, uint32_t stop, uint32_t tid, uint32_t *nodes)
{
    const uint32_t *from = f->nodes + f->trees[t].nodes;
    uint32_t words = f->trees[stop - 1].nodes + f->trees[stop - 1].count - f->trees[t].nodes;

    HBG_UNROLL_BY_4
    for (uint32_t i = tid * HBG_COPY_WORDS; i < words; i += HBG_BLOCK * HBG_COPY_WORDS)
        HBG_COPY(nodes + i, from + i);
}

/* ---- from node to node: some rows side by side, until all are at leaves */

HBG_FUNCTION void hbg_walk_small(const hbg_forest *f, const uint16_t *slots, const uint32_t *nodes, uint32_t depth,
                                 uint32_t lane, uint32_t at[HBG_SMALL_EACH])
{
    for (uint32_t level = 0, moved = 1; level < depth && moved; level++) {
        moved = 0;
        HBG_UNROLL
        for (uint32_t e = 0; e < HBG_SMALL_EACH; e++) {
            uint32_t node = *(const uint32_t *)((const char *)nodes + at[e]);
            uint32_t place = (node >> f->column_shift & f->column_mask) + 2 * hbg_small_place(e, lane);
            uint32_t rank = *(const uint16_t *)((const char *)slots + place);
            uint32_t next = (node & f->left_mask) + (rank > node >> f->rank_shift ? 4 : 0);

            moved |= next ^ at[e];
            at[e] = next;
        }
    }
}

HBG_FUNCTION void hbg_walk_large(const hbg_forest *f, const uint32_t *slots, const uint64_t *nodes, uint32_t depth,
                                 uint32_t lane, int sets, uint32_t at[HBG_EACH])
{
    for (uint32_t level = 0, moved = 1; level < depth && moved; level++) {
        moved = 0;
        HBG_UNROLL
        for (uint32_t e = 0; e < HBG_EACH; e++) {
            uint64_t node = HBG_READ(nodes + at[e]);
            uint32_t test = (uint32_t)node, left = (uint32_t)(node >> 32);
            uint32_t slot = slots[(test & f->column_mask) * HBG_ROWS + e * HBG_LANES + lane];
            uint32_t next = left + (slot > test >> f->rank_shift ? 1 : 0);

            if (sets && left & HBG_SET)
                next = hbg_set_next(f, left, slot);
            moved |= next ^ at[e];
            at[e] = next;
        }
    }
}

#endif
