/* bits_trees.c - the leaf numbers of rows, from the bit planes of predicates, one bit plane at a time; and their
 * values. */
#include <string.h>

#include "kernel/bits_kernel.h"
#include "kernel/kernels.h"

#include "kernel/bits_order.inc"
#include "kernel/bits_tables.inc"
#include "kernel/bits_leaves.inc"
#include "kernel/bits_oblivious.inc"

/* As many words of bits as go through at once. */
typedef uint64_t row_words __attribute__((vector_size(8 * HB_LANES)));

HB_INLINE row_words get(const uint64_t *from)
{
    row_words words;

    memcpy(&words, from, sizeof(words));
    return words;
}

HB_INLINE void put(uint64_t *to, row_words words)
{
    memcpy(to, &words, sizeof(words));
}

HB_INLINE row_words choose(row_words where, row_words yes, row_words no)
{
    return (where & yes) | (~where & no);
}

/* ---- mux: bit d of the leaf number is one of the predicates of level d, chosen by the bits above it */

/* nameN chooses among 2^N nodes by N planes; the widest levels are out of line. */
#define MUX(name, type, n, below)                                                         \
    HB_INLINE type name##n(const uint64_t *bits, const uint32_t *node, const type *plane) \
    {                                                                                     \
        type no = name##below(bits, node, plane + 1);                                     \
        type yes = name##below(bits, node + (1 << below), plane + 1);                     \
                                                                                          \
        return choose_##name(plane[0], yes, no);                                          \
    }

#define LEVEL(name, type, n)                                                                  \
    HB_NOINLINE void name##_level##n(const uint64_t *bits, const uint32_t *node, type *plane) \
    {                                                                                         \
        plane[n] = name##n(bits, node + (1 << n), plane);                                     \
    }

#define MUXES(name, type)                                                                                              \
    MUX(name, type, 1, 0)                                                                                              \
    MUX(name, type, 2, 1)                                                                                              \
    MUX(name, type, 3, 2)                                                                                              \
    MUX(name, type, 4, 3)                                                                                              \
    MUX(name, type, 5, 4)                                                                                              \
    MUX(name, type, 6, 5)                                                                                              \
    MUX(name, type, 7, 6)                                                                                              \
    LEVEL(name, type, 4)                                                                                               \
    LEVEL(name, type, 5)                                                                                               \
    LEVEL(name, type, 6)                                                                                               \
    LEVEL(name, type, 7)                                                                                               \
                                                                                                                       \
    static void name##_planes(const uint64_t *bits, const uint32_t *node, size_t depth, type plane[HB_BITS_MUX_DEPTH]) \
    {                                                                                                                  \
        plane[0] = name##0(bits, node + 1, plane);                                                                     \
        if (depth > 1)                                                                                                 \
            plane[1] = name##1(bits, node + 2, plane);                                                                 \
        if (depth > 2)                                                                                                 \
            plane[2] = name##2(bits, node + 4, plane);                                                                 \
        if (depth > 3)                                                                                                 \
            plane[3] = name##3(bits, node + 8, plane);                                                                 \
        if (depth > 4)                                                                                                 \
            name##_level4(bits, node, plane);                                                                          \
        if (depth > 5)                                                                                                 \
            name##_level5(bits, node, plane);                                                                          \
        if (depth > 6)                                                                                                 \
            name##_level6(bits, node, plane);                                                                          \
        if (depth > 7)                                                                                                 \
            name##_level7(bits, node, plane);                                                                          \
    }

HB_INLINE row_words mux0(const uint64_t *bits, const uint32_t *node, const row_words *plane)
{
    (void)plane;
    return get(bits + (size_t)node[0] * HB_BITS_WORDS);
}

#define choose_mux choose
MUXES(mux, row_words)

static void mux(const uint64_t *bits, const uint32_t *node, size_t depth, size_t words, hb_leaf_bits leaf)
{
    row_words plane[HB_BITS_MUX_DEPTH];

    for (size_t w = 0; w < words; w += HB_LANES) {
        mux_planes(bits + w, node, depth, plane);
        for (size_t d = 0; d < depth; d++)
            put(leaf[depth - 1 - d] + w, plane[d]);
    }
}

/* The same of up to 64 rows, whose predicates are words side by side. */
#if HB_ISA_AVX512

typedef __m128i few_rows; /* its lower half: one instruction chooses, and a general register takes three */

HB_INLINE few_rows few0(const uint64_t *bits, const uint32_t *node, const few_rows *plane)
{
    (void)plane;
    return _mm_loadl_epi64((const __m128i *)(const void *)(bits + node[0]));
}

HB_INLINE few_rows choose_few(few_rows where, few_rows yes, few_rows no)
{
    return _mm_ternarylogic_epi64(where, yes, no, 0xca);
}

HB_INLINE void put_few(uint64_t *to, few_rows words)
{
    _mm_storel_epi64((__m128i *)(void *)to, words);
}

#else

typedef uint64_t few_rows;

HB_INLINE few_rows few0(const uint64_t *bits, const uint32_t *node, const few_rows *plane)
{
    (void)plane;
    return bits[node[0]];
}

HB_INLINE few_rows choose_few(few_rows where, few_rows yes, few_rows no)
{
    return no ^ (where & (yes ^ no));
}

HB_INLINE void put_few(uint64_t *to, few_rows words)
{
    *to = words;
}

#endif

MUXES(few, few_rows)

static void mux_few(const uint64_t *bits, const uint32_t *node, size_t depth, hb_leaf_bits leaf)
{
    few_rows plane[HB_BITS_MUX_DEPTH];

    few_planes(bits, node, depth, plane);
    for (size_t d = 0; d < depth; d++)
        put_few(leaf[depth - 1 - d], plane[d]);
}

/* ---- reach: the rows at each node. The children of a node stand some operations behind it, so that no
 * number is read back as soon as it is stored. */

HB_INLINE row_words flipped(const uint64_t *slots, const uint16_t *flips, size_t n)
{
    row_words even = {0}, odd = {0};
    size_t i = 0;

#define SLOT(k) get(slots + (size_t)(k)*HB_BITS_WORDS)
    for (; i + 4 <= n; i += 4) {
        even ^= SLOT(flips[i]) ^ SLOT(flips[i + 1]);
        odd ^= SLOT(flips[i + 2]) ^ SLOT(flips[i + 3]);
    }
    for (; i < n; i++)
        even ^= SLOT(flips[i]);
    return even ^ odd;
}

static void reach(const uint64_t *bits, size_t stride, const hb_bits_operation *operations, size_t n,
                  const uint16_t *flips, size_t index_bits, uint64_t *slots, size_t words, hb_leaf_bits leaf)
{
    for (size_t w = 0; w < words; w += HB_LANES) {
        uint64_t *at = slots + w;
        const uint16_t *list = flips;

        put(at + n * HB_BITS_WORDS, ~(row_words){0});
        for (size_t k = 0; k < n; k++) {
            row_words right = get(bits + w + (size_t)operations[k].predicate * stride);
            row_words here = get(at + (size_t)operations[k].from * HB_BITS_WORDS);

            put(at + k * HB_BITS_WORDS, here & right);
            put(at + (size_t)operations[k].left * HB_BITS_WORDS, here & ~right);
        }
        for (size_t b = 0; b < index_bits; b++) {
            put(leaf[b] + w, flipped(at, list + 1, list[0]));
            list += 1 + list[0];
        }
    }
}

/* ---- the same for few rows: each keeps the first leaf that is open, tests from left to right */

#if HB_ISA_AVX512

/* A tree of them, and what its rows have open: bytes, or (low, high) shorts. */
typedef struct exit_tree {
    const hb_bits_exit *exits;
    size_t n;
    __m512i low, high;
} exit_tree;

/* Test k moves the rows that it sends right, and whose leaf it has not ruled out yet, to the leaf behind it (`next`).
 */
HB_INLINE void take_byte(const hb_bits_exit *exit, exit_tree *tree, uint64_t right, __m512i next)
{
    right = _mm512_mask_cmple_epu8_mask(right, _mm512_set1_epi32((int)exit->first), tree->low);
    tree->low = _mm512_mask_mov_epi8(tree->low, right, next);
}

HB_INLINE void take_short(const hb_bits_exit *exit, exit_tree *tree, uint64_t right, __m512i next)
{
    __m512i first = _mm512_set1_epi32((int)exit->first);
    __mmask32 low = _mm512_mask_cmple_epu16_mask((__mmask32)right, first, tree->low);
    __mmask32 high = _mm512_mask_cmple_epu16_mask((__mmask32)(right >> 32), first, tree->high);

    tree->low = _mm512_mask_mov_epi16(tree->low, low, next);
    tree->high = _mm512_mask_mov_epi16(tree->high, high, next);
}

/* Trees abreast, as one would wait for its last test; words of rows: more are faster by reach. */
enum { EXIT_TREES = 4, EXIT_WORDS = 2 };

#define TAKE_EXIT(take, tree, k, next) take(&(tree)->exits[k], tree, bits[(tree)->exits[k].predicate * stride], next)

#define TAKE_EXITS(name, take, bits_of_lane)                                                           \
    static void name(const uint64_t *bits, size_t stride, exit_tree tree[EXIT_TREES])                  \
    {                                                                                                  \
        const __m512i one = _mm512_set1_epi##bits_of_lane(1);                                          \
        exit_tree a = tree[0], b = tree[1], c = tree[2], d = tree[3];                                  \
        size_t ab = a.n < b.n ? a.n : b.n, cd = c.n < d.n ? c.n : d.n, all = ab < cd ? ab : cd, k = 0; \
        __m512i next = one;                                                                            \
                                                                                                       \
        for (; k < all; k++, next = _mm512_add_epi##bits_of_lane(next, one)) {                         \
            TAKE_EXIT(take, &a, k, next);                                                              \
            TAKE_EXIT(take, &b, k, next);                                                              \
            TAKE_EXIT(take, &c, k, next);                                                              \
            TAKE_EXIT(take, &d, k, next);                                                              \
        }                                                                                              \
        tree[0] = a, tree[1] = b, tree[2] = c, tree[3] = d;                                            \
        for (size_t i = 0; i < EXIT_TREES; i++) {                                                      \
            __m512i after = next;                                                                      \
                                                                                                       \
            for (k = all; k < tree[i].n; k++, after = _mm512_add_epi##bits_of_lane(after, one))        \
                TAKE_EXIT(take, &tree[i], k, after);                                                   \
        }                                                                                              \
    }

TAKE_EXITS(take_bytes, take_byte, 8)
TAKE_EXITS(take_shorts, take_short, 16)

static void put_byte_leaves(const exit_tree *tree, size_t tile, hb_leaf_numbers *to)
{
    _mm512_store_si512(to->low[tile], tree->low);
}

static void put_short_leaves(const exit_tree *tree, size_t tile, hb_leaf_numbers *to)
{
    __m256i *low = (__m256i *)(void *)to->low[tile], *high = (__m256i *)(void *)to->high[tile];

    _mm256_store_si256(low, _mm512_cvtepi16_epi8(tree->low));
    _mm256_store_si256(low + 1, _mm512_cvtepi16_epi8(tree->high));
    _mm256_store_si256(high, _mm512_cvtepi16_epi8(_mm512_srli_epi16(tree->low, 8)));
    _mm256_store_si256(high + 1, _mm512_cvtepi16_epi8(_mm512_srli_epi16(tree->high, 8)));
}

/* Of the rows of a word, in n trees of one kind. */
static void find_exits(const hb_bits_forest *forest, const hb_bits_tree *tree, size_t n, const uint64_t *bits,
                       size_t words, size_t word, hb_leaf_numbers *numbers)
{
    bool bytes = hb_bits_exits_are_bytes(tree);
    exit_tree some[EXIT_TREES];

    for (size_t i = 0; i < EXIT_TREES; i++) {
        const hb_bits_tree *one = &tree[i < n ? i : 0]; /* four abreast take no longer than two in turn */

        some[i] = (exit_tree){forest->exits + one->first, i < n || n > 1 ? one->n : 0, _mm512_setzero_si512(),
                              _mm512_setzero_si512()};
    }
    if (bytes)
        take_bytes(bits + word, hb_bits_stride(words), some);
    else
        take_shorts(bits + word, hb_bits_stride(words), some);
    for (size_t i = 0; i < n; i++)
        if (bytes)
            put_byte_leaves(&some[i], EXIT_WORDS * i + word, numbers);
        else
            put_short_leaves(&some[i], EXIT_WORDS * i + word, numbers);
}

#else

static void find_exits(const hb_bits_forest *forest, const hb_bits_tree *tree, size_t n, const uint64_t *bits,
                       size_t words, size_t word, hb_leaf_numbers *numbers)
{
    (void)forest, (void)tree, (void)n, (void)bits, (void)words, (void)word, (void)numbers;
}

enum { EXIT_WORDS = 0, EXIT_TREES = 1 };

#endif

/* ---- a tree */

/* The bit planes of the leaf numbers: those of predicates, or others that are put into `leaf`. */
static void find_planes(const hb_bits_forest *forest, const hb_bits_tree *tree, uint64_t *work, size_t words,
                        hb_leaf_bits leaf, const uint64_t *plane[HB_BITS_INDEX])
{
    uint64_t *slots = work + forest->n_predicates * HB_BITS_WORDS;
    const uint32_t *nodes = forest->nodes + tree->first;
    size_t stride = hb_bits_stride(words);

    if (tree->form == HB_BITS_MUX && stride == 1)
        mux_few(work, nodes, tree->bits, leaf);
    else if (tree->form == HB_BITS_MUX)
        mux(work, nodes, tree->bits, words, leaf);
    else if (tree->form == HB_BITS_REACH)
        reach(work, stride, forest->operations + tree->first, tree->n, forest->flips + tree->flips, tree->bits, slots,
              words, leaf);
    for (size_t b = 0; b < tree->bits; b++)
        plane[b] = tree->form == HB_BITS_OBLIVIOUS ? work + (size_t)nodes[tree->bits - 1 - b] * stride : leaf[b];
}

HB_NOINLINE void number_planes(const uint64_t *const *plane, size_t bits, size_t words, hb_leaf_numbers *numbers)
{
    if (bits == 6)
        hb_number_leaves(plane, 6, words, numbers->low);
    else if (bits == 5)
        hb_number_leaves(plane, 5, words, numbers->low);
    else
        hb_number_leaves(plane, bits < 8 ? bits : 8, words, numbers->low);
    if (bits > 8)
        hb_number_leaves(plane + 8, bits - 8, words, numbers->high);
}

static void find_numbers(const hb_bits_forest *forest, const hb_bits_tree *tree, uint64_t *work, size_t words,
                         hb_leaf_numbers *numbers)
{
    hb_leaf_bits leaf;
    const uint64_t *plane[HB_BITS_INDEX];

    find_planes(forest, tree, work, words, leaf, plane);
    number_planes(plane, tree->bits, words, numbers);
}

/* How many trees from this one on, of n, go together. */
static size_t count_together(const hb_bits_tree *tree, size_t n)
{
    size_t same = 1;

    while (same < EXIT_TREES && same < n && tree[same].form == HB_BITS_REACH &&
           hb_bits_exits_are_bytes(&tree[same]) == hb_bits_exits_are_bytes(tree))
        same++;
    return same;
}

/* Finds the leaf numbers of tree t, or of up to EXIT_TREES trees where rows are few: their tiles are EXIT_WORDS apart.
 * Returns how many trees. */
static size_t find_some(const hb_bits_forest *forest, size_t t, size_t end, uint64_t *work, size_t words, size_t size,
                        hb_leaf_numbers *numbers)
{
    const hb_bits_tree *tree = &forest->trees[t];
    size_t n = 1;

    if (words > EXIT_WORDS || tree->form != HB_BITS_REACH) {
        find_numbers(forest, tree, work, words, numbers);
    } else {
        n = count_together(tree, end - t);
        for (size_t w = 0; w < words; w++)
            find_exits(forest, tree, n, work, words, w, numbers);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t s = EXIT_WORDS * i; tree[i].bits > 8 && s < EXIT_WORDS * i + words; s++) {
            hb_order_numbers(numbers->low[s], size);
            hb_order_numbers(numbers->high[s], size);
        }
    return n;
}

_Static_assert(EXIT_TREES *EXIT_WORDS <= HB_BITS_WORDS, "numbers have room for all tiles");

/* add_many: adds the first of some trees where it has a faster way, and gives how many those are. */
#define ADD_TREES(add_leaves, add_many, type)                                                                     \
    hb_leaf_numbers numbers;                                                                                      \
    size_t words = (rows + 63) / 64, width = forest->leaf_width, found;                                           \
                                                                                                                  \
    hb_order_sums(sums, sizeof(type), forest->n_outputs, stride, words, false);                                   \
    for (size_t t = first; t < end; t += found) {                                                                 \
        const hb_bits_tree *tree = &forest->trees[t];                                                             \
                                                                                                                  \
        found = tree->form == HB_BITS_OBLIVIOUS ? add_many(forest, tree, end - t, stride, words, work, sums) : 0; \
        if (found)                                                                                                \
            continue;                                                                                             \
        found = find_some(forest, t, end, work, words, sizeof(type), &numbers);                                   \
        for (size_t i = 0; i < found; i++)                                                                        \
            for (size_t o = 0; o < width; o++)                                                                    \
                add_leaves((const type *)forest->leaves + tree[i].leaves + (o << tree[i].bits), tree[i].bits,     \
                           numbers.low + EXIT_WORDS * i, numbers.high + EXIT_WORDS * i, words,                    \
                           sums + (width > 1 ? o : tree[i].output) * stride);                                     \
    }                                                                                                             \
    hb_order_sums(sums, sizeof(type), forest->n_outputs, stride, words, true);

/* Such forests are rare. */
static size_t add_oblivious32(const hb_bits_forest *forest, const hb_bits_tree *tree, size_t n, size_t stride,
                              size_t words, const uint64_t *bits, float *sums)
{
    (void)forest, (void)tree, (void)n, (void)stride, (void)words, (void)bits, (void)sums;
    return 0;
}

void HB_KERNEL(hb_bits_add32)(const hb_bits_forest *forest, size_t first, size_t end, size_t stride, size_t rows,
                              void *work, float *sums)
{
    ADD_TREES(hb_add_leaves32, add_oblivious32, float)
}

void HB_KERNEL(hb_bits_add64)(const hb_bits_forest *forest, size_t first, size_t end, size_t stride, size_t rows,
                              void *work, double *sums)
{
    ADD_TREES(hb_add_leaves64, hb_add_oblivious64, double)
}
