/* row_walk.c - see row_kernel.h. */
#include "kernel/gather.h"
#include "kernel/row_kernel.h"

/* ---- ranks */

enum { ABREAST = 8, SIXTEEN = 16 };

#if HB_GATHERS

/* The bits of the numbers, of 16, that x is above or (or_equal) not below; and of those that it equals. */
#if HB_LANES == 8
#define COMPARE(x, numbers, how) \
    ((uint32_t)_mm512_cmp_ps_mask(_mm512_set1_ps(x), _mm512_loadu_ps(numbers), how))
#else
#define COMPARE(x, numbers, how)                                                                   \
    ((uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_set1_ps(x), _mm256_loadu_ps(numbers), how)) | \
     (uint32_t)_mm256_movemask_ps(                                                                 \
         _mm256_cmp_ps(_mm256_set1_ps(x), _mm256_loadu_ps((numbers) + 8), how))                    \
         << 8)
#endif
#define BELOW(x, numbers) \
    (or_equal ? COMPARE(x, numbers, _CMP_GE_OQ) : COMPARE(x, numbers, _CMP_GT_OQ))

/* The ranks of x[k] in chunks first + k; *equal has the bit of each whose number is a threshold. */
static inline __attribute__((always_inline)) void search(const hb_row_forest *forest, size_t first,
                                                         const float x[ABREAST], bool or_equal,
                                                         uint8_t *rank, uint32_t *equal)
{
    *equal = 0;
    for (size_t k = 0; k < ABREAST && first + k < forest->n_chunks; k++) {
        const hb_row_chunk *chunk = &forest->row_chunks[first + k];
        const float *cuts = forest->cuts + chunk->cuts;
        uint32_t from = 0;

        if (chunk->n > SIXTEEN) {
            from = SIXTEEN * (uint32_t)__builtin_popcount(BELOW(x[k], cuts));
            cuts += SIXTEEN + from;
        }
        if (!or_equal && COMPARE(x[k], cuts, _CMP_EQ_OQ))
            *equal |= 1u << k;
        rank[first + k] = (uint8_t)(from + (uint32_t)__builtin_popcount(BELOW(x[k], cuts)));
    }
}

#else


/* The rank of x[k] in chunk k; *equal has the bit of each whose number is a threshold. Heaps that are done look at
 * their unused first number. */
#define SEARCH(x, or_equal)                                                                        \
    for (uint32_t level = 0; level < levels; level++)                                              \
        for (size_t k = 0; k < ABREAST; k++) {                                                     \
            bool deeper = level < chunk[k]->levels;                                                \
            float node = heap[k][deeper ? at[k] : 0];                                              \
            uint32_t right = (or_equal) ? (x)[k] >= node : (x)[k] > node;                          \
                                                                                                   \
            *equal |= (uint32_t)(deeper && (x)[k] == node) << k;                                   \
            at[k] = deeper ? 2 * at[k] + right : at[k];                                            \
        }

static void search(const hb_row_forest *forest, size_t first, const float x[ABREAST], bool or_equal,
                   uint8_t *rank, uint32_t *equal)
{
    const hb_bits_chunk *chunk[ABREAST];
    const float *heap[ABREAST];
    uint32_t at[ABREAST], levels = 0;

    *equal = 0;
    for (size_t k = 0; k < ABREAST; k++) {
        chunk[k] = &forest->chunks[first + k < forest->n_chunks ? first + k : forest->n_chunks - 1];
        heap[k] = forest->heaps + chunk[k]->heap;
        at[k] = 1;
        levels = chunk[k]->levels > levels ? chunk[k]->levels : levels;
    }
    if (or_equal) {
        SEARCH(x, true)
    } else {
        SEARCH(x, false)
    }
    for (size_t k = 0; k < ABREAST; k++)
        rank[first + k] = (uint8_t)(at[k] - (1u << chunk[k]->levels));
}

#endif

static const hb_bits_chunk *chunk_at(const hb_row_forest *forest, size_t c)
{
    return &forest->chunks[c < forest->n_chunks ? c : forest->n_chunks - 1];
}

/* What the rules make of each entry's rank. */
#define APPLY_RULES(x)                                                                  \
    for (size_t e = 0; e < forest->n_entries; e++) {                                    \
        const hb_row_entry *entry = &forest->entries[e];                                \
        uint8_t r = rank[entry->chunk];                                                 \
                                                                                        \
        if (entry->rules) {                                                             \
            double v = (double)(x)[forest->chunks[entry->chunk].feature * stride];      \
            uint32_t nan = v != v, zero = v == 0;                                       \
                                                                                        \
            r = nan && entry->rules & HB_BITS_NAN_RIGHT ? 255 : r;                      \
            r = zero && entry->rules & HB_BITS_ZERO_RIGHT ? 255 : r;                    \
            r = zero && entry->rules & HB_BITS_ZERO_LEFT ? 0 : r;                       \
        }                                                                               \
        ranks[e] = r;                                                                   \
    }

void HB_KERNEL(hb_row_ranks32)(const hb_row_forest *forest, const float *x, size_t stride,
                               uint8_t ranks[HB_ROW_RANKS + HB_ROW_PAD])
{
    uint8_t rank[HB_ROW_RANKS + ABREAST];
    uint32_t equal;

    for (size_t c = 0; c < forest->n_chunks; c += ABREAST) {
        float v[ABREAST];

        for (size_t k = 0; k < ABREAST; k++)
            v[k] = x[chunk_at(forest, c + k)->feature * stride];
        search(forest, c, v, true, rank, &equal);
    }
    APPLY_RULES(x)
}

/* How many of the chunk's thresholds are below x. */
static uint8_t search_again(const hb_row_forest *forest, const hb_bits_chunk *chunk, double x)
{
    const double *cuts = forest->thresholds + chunk->exact;
    size_t low = 0, high = chunk->n_cuts;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (cuts[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint8_t)low;
}

void HB_KERNEL(hb_row_ranks64)(const hb_row_forest *forest, const double *x, size_t stride,
                               uint8_t ranks[HB_ROW_RANKS + HB_ROW_PAD])
{
    uint8_t rank[HB_ROW_RANKS + ABREAST];
    uint32_t equal;

    for (size_t c = 0; c < forest->n_chunks; c += ABREAST) {
        double exact[ABREAST];
        float v[ABREAST];

        for (size_t k = 0; k < ABREAST; k++) {
            exact[k] = x[chunk_at(forest, c + k)->feature * stride];
            v[k] = hb_round_down(exact[k]);
        }
        search(forest, c, v, false, rank, &equal);
        for (size_t k = 0; equal; k++, equal >>= 1)
            if (equal & 1)
                rank[c + k] = search_again(forest, chunk_at(forest, c + k), exact[k]);
    }
    APPLY_RULES(x)
}

/* ---- walks */

#if HB_GATHERS

/* The rank that each node compares. */
#ifdef __AVX512VBMI__

typedef struct rank_table {
    __m512i part[2];
    const uint8_t *all;
    bool few;
} rank_table;

static inline rank_table take_ranks(const uint8_t *ranks, size_t n)
{
    return (rank_table){{_mm512_loadu_si512(ranks), _mm512_loadu_si512(ranks + 64)}, ranks, n <= 128};
}

static inline hb_walks rank_of(const rank_table *table, hb_walks node)
{
    if (table->few)
        return _mm512_permutex2var_epi8(table->part[0], node, table->part[1]);
    return _mm512_i32gather_epi32(hb_walks_and(node, hb_walks_all(0xff)), table->all, 1);
}

#else

typedef const uint8_t *rank_table;

static inline rank_table take_ranks(const uint8_t *ranks, size_t n)
{
    (void)n;
    return ranks;
}

static inline hb_walks rank_of(const rank_table *table, hb_walks node)
{
    hb_walks entry = hb_walks_and(node, hb_walks_all(0xff));

#if HB_LANES == 8
    return _mm512_i32gather_epi32(entry, *table, 1);
#else
    return _mm256_i32gather_epi32((const int *)(const void *)*table, entry, 1);
#endif
}

#endif

static inline hb_walks next_node(hb_walks node, hb_walks rank, hb_walks root)
{
    const hb_walks low = hb_walks_all(0xff);

#if HB_LANES == 8
    hb_walks left = _mm512_add_epi32(root, _mm512_srli_epi32(node, 16));
    __mmask16 right = _mm512_cmpgt_epu32_mask(hb_walks_and(rank, low),
                                              hb_walks_and(_mm512_srli_epi32(node, 8), low));

    return _mm512_mask_add_epi32(left, right, left, _mm512_set1_epi32(1));
#else
    hb_walks left = _mm256_add_epi32(root, _mm256_srli_epi32(node, 16));
    hb_walks right = _mm256_cmpgt_epi32(hb_walks_and(rank, low),
                                        hb_walks_and(_mm256_srli_epi32(node, 8), low));

    return _mm256_sub_epi32(left, right);
#endif
}

#else

enum { HB_WALKS = 8, HB_GROUPS = 1, HB_ABREAST = 8 };

typedef struct hb_walks {
    uint32_t lane[HB_WALKS];
} hb_walks;
typedef const uint8_t *rank_table;

static inline rank_table take_ranks(const uint8_t *ranks, size_t n)
{
    (void)n;
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
static inline hb_walks next_of(const hb_row_forest *forest, const rank_table *table, hb_walks root,
                               hb_walks at)
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
static inline __attribute__((always_inline)) void go_down(const hb_row_forest *forest,
                                                          const rank_table *table, uint32_t depth,
                                                          size_t groups, const hb_walks *root,
                                                          hb_walks *at)
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
static void some_trees(const hb_row_forest *forest, const rank_table *table, size_t first, size_t n,
                       uint32_t *leaf)
{
    uint32_t nodes[HB_ABREAST], depth = 0;
    hb_walks root[HB_GROUPS], at[HB_GROUPS];

    for (size_t k = 0; k < HB_ABREAST; k++) {
        const hb_flat_tree *tree = &forest->trees[first + (k < n ? k : n - 1)];

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

void HB_KERNEL(hb_row_leaves)(const hb_row_forest *forest, const uint8_t *ranks, size_t first,
                              size_t n, uint32_t leaf[HB_ROW_TREES])
{
    rank_table table = take_ranks(ranks, forest->n_entries);

    for (size_t t = 0; t < n; t += HB_ABREAST)
        some_trees(forest, &table, first + t, n - t < HB_ABREAST ? n - t : HB_ABREAST, leaf + t);
}
