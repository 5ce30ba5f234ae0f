/* bits_compare.c - every predicate of a forest over a block of rows. */
#include <string.h>

#include "kernel/bits_kernel.h"
#include "kernel/kernels.h"

#include "kernel/bits_search.inc"

/* ---- ranks to bits: rank > cut, 64 rows */

#if HB_ISA_AVX512

typedef __m512i rank_lanes, cut_lanes;

HB_INLINE rank_lanes take_ranks(const uint8_t *rank)
{
    return _mm512_loadu_si512(rank);
}

HB_INLINE cut_lanes take_cut(uint32_t cut)
{
    return _mm512_set1_epi32((int)cut);
}

HB_INLINE uint64_t above(rank_lanes rank, cut_lanes cut)
{
    return _mm512_cmpgt_epu8_mask(rank, cut);
}

#elif HB_ISA_AVX2

typedef struct rank_lanes {
    __m256i half[2]; /* signed: less 128 */
} rank_lanes;
typedef __m256i cut_lanes;

HB_INLINE rank_lanes take_ranks(const uint8_t *rank)
{
    const __m256i sign = _mm256_set1_epi8((char)0x80);
    const __m256i *from = (const __m256i *)(const void *)rank;

    return (rank_lanes){
        {_mm256_xor_si256(_mm256_loadu_si256(from), sign), _mm256_xor_si256(_mm256_loadu_si256(from + 1), sign)}};
}

HB_INLINE cut_lanes take_cut(uint32_t cut)
{
    return _mm256_xor_si256(_mm256_set1_epi32((int)cut), _mm256_set1_epi8((char)0x80));
}

HB_INLINE uint64_t above(rank_lanes rank, cut_lanes c)
{
    uint32_t low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(rank.half[0], c));
    uint32_t high = (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(rank.half[1], c));

    return (uint64_t)high << 32 | low;
}

#elif HB_ISA_SSE2

typedef struct rank_lanes {
    __m128i part[4];
} rank_lanes;
typedef __m128i cut_lanes;

HB_INLINE rank_lanes take_ranks(const uint8_t *rank)
{
    rank_lanes lanes;

    for (int i = 0; i < 4; i++)
        lanes.part[i] =
            _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)rank + i), _mm_set1_epi8((char)0x80));
    return lanes;
}

HB_INLINE cut_lanes take_cut(uint32_t cut)
{
    return _mm_xor_si128(_mm_set1_epi32((int)cut), _mm_set1_epi8((char)0x80));
}

HB_INLINE uint64_t above(rank_lanes rank, cut_lanes c)
{
    uint64_t bits = 0;

    for (int i = 0; i < 4; i++)
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(rank.part[i], c)) << 16 * i;
    return bits;
}

#else

typedef struct rank_lanes {
    uint64_t part[8]; /* eight ranks each, the first row's lowest */
} rank_lanes;
typedef uint64_t cut_lanes; /* four times, in 16 bits each */

HB_INLINE rank_lanes take_ranks(const uint8_t *rank)
{
    rank_lanes lanes = {{0}};

    for (int i = 0; i < 64; i++)
        lanes.part[i / 8] |= (uint64_t)rank[i] << i % 8 * 8;
    return lanes;
}

static const uint64_t ones = 0x0001000100010001;

HB_INLINE cut_lanes take_cut(uint32_t cut)
{
    return ones * (cut & 0xff);
}

/* Bytes in 64 bits: the even ones, then the odd ones, each with room for a borrow. */
HB_INLINE uint64_t above(rank_lanes rank, cut_lanes c)
{
    const uint64_t low = 0x00ff00ff00ff00ff;
    uint64_t bits = 0;

    for (int i = 0; i < 8; i++) {
        uint64_t even = (c + (ones << 8)) - (rank.part[i] & low); /* bit 8 is clear where rank > cut */
        uint64_t odd = (c + (ones << 8)) - (rank.part[i] >> 8 & low);
        uint64_t is = (~even >> 8 & ones) | (~odd & ones << 8);

        bits |= (is * 0x0102040810204080) >> 56 << 8 * i;
    }
    return bits;
}

#endif

/* ---- values that are not compared */

/* Bit r: x[r] is NaN, or is zero; gives whether any is. */
#define MISSING(name, type, is)                                   \
    static bool name(const type *x, size_t words, uint64_t *bits) \
    {                                                             \
        uint64_t all = 0;                                         \
                                                                  \
        for (size_t w = 0; w < words; w++) {                      \
            const type *v = x + 64 * w;                           \
            uint32_t any = 0;                                     \
                                                                  \
            for (size_t r = 0; r < 64; r++)                       \
                any |= (uint32_t)(is);                            \
            bits[w] = 0;                                          \
            for (size_t r = 0; any && r < 64; r++)                \
                bits[w] |= (uint64_t)(is) << r;                   \
            all |= bits[w];                                       \
        }                                                         \
        return all != 0;                                          \
    }

MISSING(find_nan32, float, v[r] != v[r])
MISSING(find_nan64, double, v[r] != v[r])
MISSING(find_zero64, double, v[r] == 0)

/* The rows of a feature that some predicate sends elsewhere than a comparison would. */
typedef struct missing {
    bool some;
    uint64_t nan[HB_BITS_WORDS], zero[HB_BITS_WORDS];
} missing;

/* ---- the searches, each out of line: they take many registers */

HB_NOINLINE void rank_not_above(const float *heap, size_t levels, const float *x, size_t rows, uint8_t *rank)
{
    hb_search(heap, levels, true, false, x, rows, rank, NULL);
}

HB_NOINLINE void rank_below(const float *heap, size_t levels, const float *x, size_t rows, uint8_t *rank)
{
    hb_search(heap, levels, false, false, x, rows, rank, NULL);
}

HB_NOINLINE uint64_t rank_below_or_equals(const float *heap, size_t levels, const float *x, size_t rows, uint8_t *rank,
                                          uint64_t *equals)
{
    return hb_search(heap, levels, false, true, x, rows, rank, equals);
}

/* ---- a chunk */

HB_INLINE void write_bits(const hb_bits_forest *forest, const hb_bits_chunk *chunk, const uint8_t *rank, size_t words,
                          size_t stride, uint64_t *to)
{
    const uint32_t *cuts = forest->cuts + chunk->first;
    rank_lanes lanes[HB_BITS_WORDS];

#pragma GCC unroll 8
    for (size_t w = 0; w < words; w++)
        lanes[w] = take_ranks(rank + 64 * w);
    for (size_t p = 0; p < chunk->n; p++, to += stride) {
        cut_lanes cut = take_cut(cuts[p]);

#pragma GCC unroll 8
        for (size_t w = 0; w < words; w++)
            to[w] = above(lanes[w], cut);
    }
}

/* For each rule the rows whose bits stay, and those whose bits are set. */
typedef struct rule_masks {
    uint64_t stay[HB_BITS_RULES][HB_BITS_WORDS], set[HB_BITS_RULES][HB_BITS_WORDS];
} rule_masks;

static void find_masks(const missing *missing, uint32_t rules, size_t words, rule_masks *masks)
{
    for (uint32_t rule = 0; rule <= rules; rule++)
        for (size_t w = 0; w < words; w++) {
            uint64_t left = rule & HB_BITS_ZERO_LEFT ? missing->zero[w] : 0;
            uint64_t right = rule & HB_BITS_ZERO_RIGHT ? missing->zero[w] : 0;

            masks->stay[rule][w] = ~left;
            masks->set[rule][w] = right | (rule & HB_BITS_NAN_RIGHT ? missing->nan[w] : 0);
        }
}

HB_INLINE void apply_masks(const uint8_t *rules, size_t n, const rule_masks *masks, size_t words, size_t stride,
                           uint64_t *to)
{
    for (size_t p = 0; p < n; p++, to += stride) {
        const uint64_t *stay = masks->stay[rules[p]], *set = masks->set[rules[p]];

        HB_INDEPENDENT
        for (size_t w = 0; w < words; w++)
            to[w] = (to[w] & stay[w]) | set[w];
    }
}

static void apply_rules(const hb_bits_forest *forest, const hb_bits_chunk *chunk, const missing *missing, size_t words,
                        uint64_t *to)
{
    const uint8_t *rules = forest->rules + chunk->first;
    rule_masks masks;

    find_masks(missing, chunk->rules, words, &masks);
    if (words == HB_BITS_WORDS)
        apply_masks(rules, chunk->n, &masks, HB_BITS_WORDS, HB_BITS_WORDS, to);
    else
        apply_masks(rules, chunk->n, &masks, words, hb_bits_stride(words), to);
}

static void finish_chunk(const hb_bits_forest *forest, const hb_bits_chunk *chunk, const uint8_t *rank,
                         const missing *missing, size_t words, void *work)
{
    uint64_t *to = hb_predicate_bits(words, work, chunk->first);

    if (words == HB_BITS_WORDS)
        write_bits(forest, chunk, rank, HB_BITS_WORDS, HB_BITS_WORDS, to);
    else
        for (size_t w = 0; w < words; w++)
            write_bits(forest, chunk, rank + 64 * w, 1, hb_bits_stride(words), to + w);
    if (missing->some)
        apply_rules(forest, chunk, missing, words, to);
}

void HB_KERNEL(hb_bits_compare32)(const hb_bits_forest *forest, const float *x, size_t stride, size_t rows, void *work)
{
    size_t words = hb_bits_words(rows);
    uint8_t rank[HB_BITS_ROWS];
    missing missing;

    for (size_t c = 0; c < forest->n_chunks; c++) {
        const hb_bits_chunk *chunk = &forest->chunks[c];
        const float *column = x + chunk->feature * stride;

        rank_not_above(forest->heaps + chunk->heap, chunk->levels, column, 64 * words, rank);
        missing.some = chunk->rules && find_nan32(column, words, missing.nan);
        finish_chunk(forest, chunk, rank, &missing, words, work);
    }
}

/* ---- in float64: the search is in float32, on numbers and thresholds that are rounded down. Where both are
 * the same afterwards, the search begins again in float64. */

/* Beginning with the nearest. */
static void round_down(const double *x, size_t n, float *to)
{
    HB_INDEPENDENT
    for (size_t i = 0; i < n; i++) {
        float nearest = (float)x[i];
        uint32_t bits, below;

        memcpy(&bits, &nearest, sizeof(bits));
        below = bits + (bits >> 31 ? 1u : UINT32_MAX);
        below = nearest == 0 ? 0x80000001u : below;
        bits = (double)nearest > x[i] ? below : bits;
        memcpy(&to[i], &bits, sizeof(bits));
    }
}

static void search_again(const hb_bits_forest *forest, const hb_bits_chunk *chunk, const double *x, uint64_t rows,
                         uint8_t *rank)
{
    for (size_t r = 0; rows; r++, rows >>= 1)
        if (rows & 1)
            rank[r] = hb_bits_rank(forest->thresholds + chunk->exact, chunk->n_cuts, x[r]);
}

static void find_missing(const hb_bits_chunk *chunk, const double *x, size_t words, missing *missing)
{
    bool zero = chunk->rules & (HB_BITS_ZERO_LEFT | HB_BITS_ZERO_RIGHT);

    missing->some = chunk->rules & HB_BITS_NAN_RIGHT && find_nan64(x, words, missing->nan);
    if (!missing->some)
        memset(missing->nan, 0, sizeof(missing->nan));
    if (zero)
        missing->some |= find_zero64(x, words, missing->zero);
}

void HB_KERNEL(hb_bits_compare64)(const hb_bits_forest *forest, const double *x, size_t stride, size_t rows,
                                  bool is_float32, void *work)
{
    size_t words = hb_bits_words(rows), feature = SIZE_MAX;
    uint8_t rank[HB_BITS_ROWS];
    float down[HB_BITS_ROWS];
    uint64_t equals[HB_BITS_WORDS];
    missing missing;

    for (size_t c = 0; c < forest->n_chunks; c++) {
        const hb_bits_chunk *chunk = &forest->chunks[c];
        const float *heap = forest->heaps + chunk->heap;
        const double *column = x + chunk->feature * stride;

        if (chunk->feature != feature)
            round_down(column, 64 * words, down);
        feature = chunk->feature;
        if (is_float32)
            rank_below(heap, chunk->levels, down, 64 * words, rank);
        else if (rank_below_or_equals(heap, chunk->levels, down, 64 * words, rank, equals))
            for (size_t w = 0; w < words; w++)
                search_again(forest, chunk, column + 64 * w, equals[w], rank + 64 * w);
        find_missing(chunk, column, words, &missing);
        finish_chunk(forest, chunk, rank, &missing, words, work);
    }
}
