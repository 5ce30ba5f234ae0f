/* compact_walk.c - see compact_kernel.h: in plain C, and by gathers where the CPU has them. */
#include <string.h>

#include "kernel/compact_kernel.h"
#include "kernel/gather.h"

/* ---- rows */

/* Some rows at a time, so that what is written stays in the first cache. */
#define TAKE_ROWS                                             \
    enum { SOME = 32 };                                       \
                                                              \
    for (size_t r = 0; r < rows; r += SOME)                   \
        for (size_t f = 0; f < n_features; f++)               \
            for (size_t k = r; k < rows && k < r + SOME; k++) \
                to[k * n_features + f] = (float)x[f * stride + k];

void HB_KERNEL(hb_compact_rows32)(const float *x, size_t stride, size_t rows, size_t n_features, float *to)
{
    TAKE_ROWS
}

void HB_KERNEL(hb_compact_rows64)(const double *x, size_t stride, size_t rows, size_t n_features, float *to)
{
    TAKE_ROWS
}

/* ---- walks */

/* The lines of the trees that come next, some at a time while these are walked down. */
typedef struct fetching {
    const hb_compact_node *at, *end;
    size_t some; /* nodes */
} fetching;

/* An item goes down more levels than LEAST_LEVELS: so all is there before the last has come to its leaf. */
HB_INLINE fetching begin_fetching(const hb_compact_forest *forest, const hb_compact_items *items, size_t n,
                                  size_t levels)
{
    enum { LEAST_LEVELS = 8 };
    size_t all = items->ahead_end - items->ahead, times = n * LEAST_LEVELS / levels + 1;
    size_t lines = (all + HB_COMPACT_LINE - 1) / HB_COMPACT_LINE;

    return (fetching){forest->nodes + items->ahead, forest->nodes + items->ahead_end,
                      (lines + times - 1) / times * HB_COMPACT_LINE};
}

HB_INLINE void fetch(fetching *f)
{
    const hb_compact_node *end = (size_t)(f->end - f->at) < f->some ? f->end : f->at + f->some;

    for (; f->at < end; f->at += HB_COMPACT_LINE)
        __builtin_prefetch(f->at, 0, 2);
}

#if HB_GATHERS

/* Walks side by side; those that have no item go down as if they had, and hand in nothing. */
typedef struct walks {
    hb_walks at, root, row;
#if HB_ISA_AVX512
    hb_walks item;
#else
    size_t item; /* the first, of items that stand side by side */
#endif
    hb_walks threshold, test; /* of the nodes that the last level went from */
} walks;

enum { LEVELS = 2 }; /* between looks at who has come to a leaf */

HB_INLINE void fetch_each(const hb_compact_forest *forest, hb_walks at)
{
    uint32_t node[HB_WALKS];

    hb_walks_store(node, at);
#pragma GCC unroll 16
    for (size_t k = 0; k < HB_WALKS; k++)
        __builtin_prefetch(forest->nodes + node[k]);
}

HB_INLINE void walk_on(const hb_compact_forest *forest, const float *x, bool each, walks *w)
{
    hb_walks feature, left;

    hb_walks_pairs(forest->nodes, hb_walks_add(w->at, w->at), &w->threshold, &w->test);
    feature = hb_walks_and(hb_walks_shift_right(w->test, HB_COMPACT_SHIFT), hb_walks_all(HB_COMPACT_FEATURES - 1));
    left = hb_walks_add(w->root, hb_walks_and(w->test, hb_walks_all(HB_COMPACT_SLOTS - 1)));
    w->at = hb_walks_next32(hb_walks_floats(x, hb_walks_add(w->row, feature)), w->threshold, left, w->test);
    if (each)
        fetch_each(forest, w->at);
}

#if HB_ISA_AVX512

HB_INLINE void begin(size_t n, walks *w)
{
    w->at = w->root = w->row = w->threshold = w->test = hb_walks_all(0);
    w->item = hb_walks_all((uint32_t)n);
}

/* Of the walks that have come to a leaf each hands it in and takes the next item. */
HB_INLINE void take_items(hb_compact_items *items, size_t n, size_t *next, walks *w)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __mmask16 arrived = _knot_mask16(_mm512_movepi32_mask(w->test));
    __mmask16 has_item = _mm512_cmplt_epu32_mask(w->item, _mm512_set1_epi32((int)n));
    __m512i root = _mm512_maskz_expandloadu_epi32(arrived, items->root + *next);

    _mm512_mask_i32scatter_epi32(items->leaf, arrived & has_item, w->item, w->threshold, 4);
    w->at = _mm512_mask_mov_epi32(w->at, arrived, root);
    w->root = _mm512_mask_mov_epi32(w->root, arrived, root);
    w->row = _mm512_mask_expandloadu_epi32(w->row, arrived, items->row + *next);
    w->item = _mm512_mask_expand_epi32(w->item, arrived, _mm512_add_epi32(lane, _mm512_set1_epi32((int)*next)));
    *next += (size_t)__builtin_popcount(arrived);
    *next = *next < n ? *next : n;
}

HB_INLINE bool has_items(const walks *w, size_t n)
{
    return _mm512_cmplt_epu32_mask(w->item, _mm512_set1_epi32((int)n)) != 0;
}

#else

HB_INLINE void begin(size_t n, walks *w)
{
    w->at = w->root = w->row = w->threshold = w->test = hb_walks_all(0);
    w->item = n;
}

/* Where all walks have come to a leaf they hand them in and take the next items. */
HB_INLINE void take_items(hb_compact_items *items, size_t n, size_t *next, walks *w)
{
    if (_mm256_movemask_ps(_mm256_castsi256_ps(w->test)))
        return;
    hb_walks_store(items->leaf + w->item, w->threshold);
    w->item = *next;
    w->at = w->root = hb_walks_load(items->root + *next);
    w->row = hb_walks_load(items->row + *next);
    *next = *next + HB_WALKS < n ? *next + HB_WALKS : n;
}

HB_INLINE bool has_items(const walks *w, size_t n)
{
    return w->item < n;
}

#endif

HB_INLINE void go_down(const hb_compact_forest *forest, const float *x, size_t n, bool each, hb_compact_items *items)
{
    fetching ahead = begin_fetching(forest, items, n, LEVELS * HB_WALKS * HB_GROUPS);
    walks w[HB_GROUPS];
    size_t next = 0;
    bool more = true;

    for (size_t g = 0; g < HB_GROUPS; g++) {
        begin(n, &w[g]);
        take_items(items, n, &next, &w[g]);
    }
    while (more) {
#pragma GCC unroll 4
        for (int level = 0; level < LEVELS; level++)
#pragma GCC unroll 4
            for (size_t g = 0; g < HB_GROUPS; g++)
                walk_on(forest, x, each, &w[g]);
        fetch(&ahead);
        more = false;
#pragma GCC unroll 4
        for (size_t g = 0; g < HB_GROUPS; g++) {
            take_items(items, n, &next, &w[g]);
            more |= has_items(&w[g], n);
        }
    }
}

/* A gather waits for the slowest of its lanes, and few of them are under way at once; fetching holds up nothing. */
static void find_leaves(const hb_compact_forest *forest, const float *x, size_t n, hb_compact_items *items)
{
    if (items->each)
        go_down(forest, x, n, true, items);
    else
        go_down(forest, x, n, false, items);
}

#else

enum { LANES = 8 }; /* walks in flight */

/* As hb_next_node32. */
static inline uint32_t next_node(const hb_compact_forest *forest, const float *x, uint32_t at, uint32_t root,
                                 uint32_t row)
{
    const hb_compact_node *node = &forest->nodes[at];
    float v = x[row + (node->test >> HB_COMPACT_SHIFT & (HB_COMPACT_FEATURES - 1))];
    uint32_t right = v >= node->as.threshold;

    right |= (uint32_t)(v != v) & node->test >> 30;
    return root + (node->test & (HB_COMPACT_SLOTS - 1)) + (right & node->test >> 31);
}

static void find_leaves(const hb_compact_forest *forest, const float *x, size_t n, hb_compact_items *items)
{
    fetching ahead = begin_fetching(forest, items, n, LANES * 8);

    for (size_t i = 0; i < n; i += LANES) {
        const uint32_t *root = items->root + i, *row = items->row + i;
        uint32_t at[LANES], moved = 1;

        fetch(&ahead);
        memcpy(at, root, sizeof(at));
        while (moved) {
            moved = 0;
            for (size_t k = 0; k < LANES; k++) {
                uint32_t next = next_node(forest, x, at[k], root[k], row[k]);

                moved |= next ^ at[k];
                at[k] = next;
            }
        }
        for (size_t k = 0; k < LANES; k++)
            items->leaf[i + k] = forest->nodes[at[k]].as.leaf;
    }
}

#endif

void HB_KERNEL(hb_compact_leaves)(const hb_compact_forest *forest, const float *x, size_t n, hb_compact_items *items)
{
    for (size_t i = n; i < n + HB_COMPACT_BEHIND; i++) { /* walks that are thrown away */
        items->root[i] = items->root[0];
        items->row[i] = 0;
    }
    find_leaves(forest, x, n, items);
}

/* ---- leaves */

/* The sum of a row stays in a register while trees add to the same output: stored and taken back it would wait. */
#define ADD_LEAVES(number)                                                         \
    const number *leaves = forest->leaves;                                         \
    size_t width = forest->leaf_width;                                             \
                                                                                   \
    for (size_t o = 0; rows == 1 && width > 1 && o < width; o++) {                 \
        number sum = sums[o * stride];                                             \
                                                                                   \
        for (size_t t = 0; t < end - first; t++)                                   \
            sum += leaves[(size_t)items->leaf[t] * width + o];                     \
        sums[o * stride] = sum;                                                    \
    }                                                                              \
    for (size_t t = first; (rows > 1 || width == 1) && t < end; t++) {             \
        const uint32_t *leaf = items->leaf + (t - first) * rows;                   \
        number *to = sums + (width > 1 ? 0 : forest->trees[t].output) * stride;    \
                                                                                   \
        for (size_t o = 0; o < width; o++)                                         \
            HB_INDEPENDENT for (size_t r = 0; r < rows; r++) to[o * stride + r] += \
                leaves[(size_t)leaf[r] * width + o];                               \
    }

void HB_KERNEL(hb_compact_add32)(const hb_compact_forest *forest, size_t first, size_t end,
                                 const hb_compact_items *items, size_t stride, size_t rows, float *sums)
{
    ADD_LEAVES(float)
}

void HB_KERNEL(hb_compact_add64)(const hb_compact_forest *forest, size_t first, size_t end,
                                 const hb_compact_items *items, size_t stride, size_t rows, double *sums)
{
    ADD_LEAVES(double)
}
