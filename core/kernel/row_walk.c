/* row_walk.c - see row_kernel.h. */
#include "kernel/gather.h"
#include "kernel/row_kernel.h"
#include "kernel/row_tables.h"

#include "kernel/row_sums.inc"

/* An isa that looks ranks up in registers has all tests, and perfect trees in one form. */
#if HB_GATHERS
#include "kernel/row_ways.inc"
#if !HB_ISA_AVX512VBMI
#include "kernel/row_short.inc"
#endif
#include "kernel/row_exits.inc"
#if HB_ISA_AVX512VBMI
#include "kernel/row_perfect.inc"
#else
#include "kernel/row_subtrees.inc"
#endif
#endif

/* ---- walks */

#if HB_GATHERS

/* The rank that each node compares. */
#if HB_ISA_AVX512VBMI

typedef struct rank_table {
    __m512i part[2];
    const uint8_t *all;
    bool few;
} rank_table;

HB_INLINE rank_table take_ranks(const uint8_t *ranks, bool few)
{
    return (rank_table){{_mm512_loadu_si512(ranks), _mm512_loadu_si512(ranks + 64)}, ranks, few};
}

HB_INLINE hb_walks rank_of(const rank_table *table, hb_walks node)
{
    if (table->few) /* a constant */
        return _mm512_permutex2var_epi8(table->part[0], node, table->part[1]);
    return _mm512_i32gather_epi32(hb_walks_and(node, hb_walks_all(0xff)), table->all, 1);
}

#else

typedef const uint8_t *rank_table;

HB_INLINE rank_table take_ranks(const uint8_t *ranks, bool few)
{
    (void)few;
    return ranks;
}

HB_INLINE hb_walks rank_of(const rank_table *table, hb_walks node)
{
    hb_walks entry = hb_walks_and(node, hb_walks_all(0xff));

#if HB_ISA_AVX512
    return _mm512_i32gather_epi32(entry, *table, 1);
#else
    return _mm256_i32gather_epi32((const int *)(const void *)*table, entry, 1);
#endif
}

#endif

static inline hb_walks next_node(hb_walks node, hb_walks rank, hb_walks root)
{
    const hb_walks low = hb_walks_all(0xff);

#if HB_ISA_AVX512
    hb_walks left = _mm512_add_epi32(root, _mm512_srli_epi32(node, 16));
    __mmask16 right = _mm512_cmpgt_epu32_mask(hb_walks_and(rank, low), hb_walks_and(_mm512_srli_epi32(node, 8), low));

    return _mm512_mask_add_epi32(left, right, left, _mm512_set1_epi32(1));
#else
    hb_walks left = _mm256_add_epi32(root, _mm256_srli_epi32(node, 16));
    hb_walks right = _mm256_cmpgt_epi32(hb_walks_and(rank, low), hb_walks_and(_mm256_srli_epi32(node, 8), low));

    return _mm256_sub_epi32(left, right);
#endif
}

#else

enum { HB_WALKS = 8, HB_GROUPS = 1, HB_ABREAST = 8 };

typedef struct hb_walks {
    uint32_t lane[HB_WALKS];
} hb_walks;
typedef const uint8_t *rank_table;

HB_INLINE rank_table take_ranks(const uint8_t *ranks, bool few)
{
    (void)few;
    return ranks;
}

static inline hb_walks hb_walks_load(const uint32_t *from)
{
    hb_walks walks;

    memcpy(&walks, from, sizeof(walks));
    return walks;
}

static inline void hb_walks_store(uint32_t *to, hb_walks walks)
{
    memcpy(to, &walks, sizeof(walks));
}

static inline bool hb_walks_differ(hb_walks a, hb_walks b)
{
    return memcmp(&a, &b, sizeof(a)) != 0;
}

#endif

/* The nodes behind the `at` of one group. */
HB_INLINE hb_walks next_of(const hb_row_forest *forest, const rank_table *table, hb_walks root, hb_walks at)
{
#if HB_GATHERS
    hb_walks node = hb_walks_take(forest->nodes, at);

    return next_node(node, rank_of(table, node), root);
#else
    for (size_t k = 0; k < HB_WALKS; k++) {
        uint32_t node = forest->nodes[at.lane[k]];

        at.lane[k] = root.lane[k] + (node >> 16) + ((*table)[node & 0xff] > (uint8_t)(node >> 8));
    }
    return at;
#endif
}

enum { DEEP = 10 }; /* from here on it pays to look whether all have arrived */

/* All levels of some trees. */
HB_INLINE void go_down(const hb_row_forest *forest, const rank_table *table, uint32_t depth, size_t groups,
                       const hb_walks *root, hb_walks *at)
{
    for (uint32_t level = 0; level < depth; level++) {
        bool moved = depth <= DEEP;

#pragma GCC unroll 4
        for (size_t g = 0; g < groups; g++) {
            hb_walks next = next_of(forest, table, root[g], at[g]);

            moved |= depth > DEEP && hb_walks_differ(next, at[g]);
            at[g] = next;
        }
        if (!moved)
            return;
    }
}

/* Up to HB_ABREAST trees; the last one in the lanes behind them. */
HB_INLINE void some_trees(const hb_row_forest *forest, const rank_table *table, size_t first, size_t n, uint32_t *leaf)
{
    uint32_t nodes[HB_ABREAST], depth = 0;
    hb_walks root[HB_GROUPS], at[HB_GROUPS];

    for (size_t k = 0; k < HB_ABREAST; k++) {
        const hb_tree *tree = &forest->trees[first + (k < n ? k : n - 1)];

        nodes[k] = tree->root;
        depth = tree->depth > depth ? tree->depth : depth;
    }
    for (size_t g = 0; g < HB_GROUPS; g++)
        root[g] = at[g] = hb_walks_load(nodes + g * HB_WALKS);
    if (n > HB_ABREAST / 2)
        go_down(forest, table, depth, HB_GROUPS, root, at);
    else if (n > HB_WALKS)
        go_down(forest, table, depth, HB_GROUPS > 1 ? HB_GROUPS / 2 : 1, root, at);
    else
        go_down(forest, table, depth, 1, root, at);
    for (size_t g = 0; g < HB_GROUPS; g++)
        hb_walks_store(nodes + g * HB_WALKS, at[g]);
    memcpy(leaf, nodes, n * sizeof(*leaf));
}

HB_INLINE void walk_by(const hb_row_forest *forest, rank_table table, size_t first, size_t n, uint32_t *leaf)
{
    for (size_t t = 0; t < n; t += HB_ABREAST)
        some_trees(forest, &table, first + t, n - t < HB_ABREAST ? n - t : HB_ABREAST, leaf + t);
}

static void walk(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n, uint32_t *leaf)
{
    if (forest->n_entries <= 2 * HB_ROW_LANES) /* two registers hold them */
        walk_by(forest, take_ranks(row->ranks, true), first, n, leaf);
    else
        walk_by(forest, take_ranks(row->ranks, false), first, n, leaf);
}

static void find_leaves(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n, uint32_t *leaf)
{
#if HB_GATHERS
    if (forest->form == HB_ROW_EXITS) {
        find_in_tests(forest, row, first, n, leaf);
        return;
    }
    if (forest->form != HB_ROW_WALK) {
        find_in_perfect(forest, row, first, n, leaf);
        return;
    }
#endif
    walk(forest, row, first, n, leaf);
}

void HB_KERNEL(hb_row_leaves)(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n,
                              uint32_t leaf[HB_ROW_TREES])
{
    find_leaves(forest, row, first, n, leaf);
}

HB_INLINE void add_row(const hb_row *row, size_t first, size_t n, row_sum sum)
{
    enum { SOME = HB_ROW_LANES }; /* so few that the CPU finds the next leaves while it adds these */
    uint32_t leaf[SOME];
    size_t t = 0;

#if HB_GATHERS && !HB_ISA_AVX512VBMI
    if (sum.forest->form == HB_ROW_SUBTREES) {
        add_in_perfect(row, first, n, &sum);
        t = n;
    }
#endif
    for (; t < n; t += SOME) {
        size_t some = n - t < SOME ? n - t : SOME;

        find_leaves(sum.forest, row, first + t, some, leaf);
        add_leaves(&sum, first + t, some, leaf);
    }
    end_sum(&sum);
}

void HB_KERNEL(hb_row_add32)(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n, size_t stride,
                             float *sums)
{
    if (forest->n_outputs == 1)
        add_row(row, first, n, begin_sum32(forest, true, stride, sums));
    else
        add_row(row, first, n, begin_sum32(forest, false, stride, sums));
}

void HB_KERNEL(hb_row_add64)(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n, size_t stride,
                             double *sums)
{
    if (forest->n_outputs == 1)
        add_row(row, first, n, begin_sum64(forest, true, stride, sums));
    else
        add_row(row, first, n, begin_sum64(forest, false, stride, sums));
}
