/* bits_sets.c - the predicates of a forest that are sets of few categories, over a block of rows. */
#include <string.h>

#include "kernel/bits_kernel.h"
#include "kernel/kernels.h"

/* The categories of a column in two halves: which byte of 64 bits they are in, and which bit of it. What is no
 * category below 64 is in byte 8, which no set has. */
typedef struct codes {
    uint8_t byte[HB_BITS_ROWS], bit[HB_BITS_ROWS];
} codes;

HB_INLINE void put_code(codes *to, size_t r, bool is_one, int32_t code)
{
    to->byte[r] = (uint8_t)(is_one ? code >> 3 : 8);
    to->bit[r] = (uint8_t)(1 << (code & 7));
}

/* The code is cut to an integer (common::Decision, XGBoost src/common/categorical.h). */
static void find_codes32(const float *x, size_t rows, codes *to)
{
    for (size_t r = 0; r < rows; r++) {
        bool is_one = x[r] >= 0 && x[r] < 64;

        put_code(to, r, is_one, is_one ? (int32_t)x[r] : 0);
    }
}

/* So that -0.5 is 0 (Tree::CategoricalDecision, LightGBM include/LightGBM/tree.h). */
static void find_codes64(const double *x, size_t rows, codes *to)
{
    for (size_t r = 0; r < rows; r++) {
        bool is_one = x[r] > -1 && x[r] < 64;

        put_code(to, r, is_one, is_one ? (int32_t)x[r] : 0);
    }
}

/* The members among 64 rows. */
#if HB_ISA_AVX512

HB_INLINE uint64_t members_of(const codes *codes, size_t r, uint64_t set)
{
    __m512i table = _mm512_broadcast_i32x4(_mm_cvtsi64_si128((long long)set));
    __m512i byte = _mm512_shuffle_epi8(table, _mm512_loadu_si512(codes->byte + r));

    return _mm512_test_epi8_mask(byte, _mm512_loadu_si512(codes->bit + r));
}

#elif HB_ISA_AVX2

HB_INLINE uint64_t members_of(const codes *codes, size_t r, uint64_t set)
{
    __m256i table = _mm256_broadcastsi128_si256(_mm_cvtsi64_si128((long long)set));
    uint64_t members = 0;

    for (size_t half = 0; half < 2; half++) {
        const uint8_t *at = codes->byte + r + 32 * half, *bit_at = codes->bit + r + 32 * half;
        __m256i bit = _mm256_loadu_si256((const __m256i *)(const void *)bit_at);
        __m256i byte = _mm256_shuffle_epi8(table, _mm256_loadu_si256((const __m256i *)(const void *)at));
        __m256i is = _mm256_cmpeq_epi8(_mm256_and_si256(byte, bit), bit);

        members |= (uint64_t)(uint32_t)_mm256_movemask_epi8(is) << 32 * half;
    }
    return members;
}

#else

HB_INLINE uint64_t members_of(const codes *codes, size_t r, uint64_t set)
{
    uint64_t members = 0;

    for (size_t k = 0; k < 64; k++) {
        uint32_t byte = codes->byte[r + k] < 8 ? (uint32_t)(set >> 8 * codes->byte[r + k]) : 0;

        members |= (uint64_t)((byte & codes->bit[r + k]) != 0) << k;
    }
    return members;
}

#endif

/* The missing values of a column, which are in no set. */
static void find_missing32(const float *x, size_t words, uint64_t *missing)
{
    memset(missing, 0, words * sizeof(*missing));
    for (size_t w = 0; w < words; w++)
        for (size_t r = 0; r < 64; r++)
            missing[w] |= (uint64_t)(x[64 * w + r] != x[64 * w + r]) << r;
}

/* Sets of a column follow each other: what is of the column is found once. */
#define SETS(find_codes, find_missing)                                                                 \
    size_t words = hb_bits_words(rows), feature = SIZE_MAX;                                            \
    uint64_t missing[HB_BITS_ROWS / 64] = {0};                                                         \
    codes codes;                                                                                       \
                                                                                                       \
    for (size_t s = 0; s < forest->n_sets; s++) {                                                      \
        const hb_set_predicate *set = &forest->sets[s];                                                \
        uint64_t *to = hb_predicate_bits(words, work, forest->n_predicates - forest->n_sets + s);      \
        uint64_t right = set->rule & HB_BITS_NAN_RIGHT ? UINT64_MAX : 0;                               \
                                                                                                       \
        if (!set->is_small)                                                                            \
            continue;                                                                                  \
        if (set->feature != feature) {                                                                 \
            find_codes(x + set->feature * stride, 64 * words, &codes);                                 \
            find_missing(x + set->feature * stride, words, missing);                                   \
        }                                                                                              \
        feature = set->feature;                                                                        \
        for (size_t w = 0; w < words; w++)                                                             \
            to[w] = (members_of(&codes, 64 * w, set->members) ^ set->inverted) | (missing[w] & right); \
    }

void HB_KERNEL(hb_bits_sets32)(const hb_bits_forest *forest, const float *x, size_t stride, size_t rows, void *work)
{
    SETS(find_codes32, find_missing32)
}

#define NO_MISSING(x, words, missing) (void)0 /* float64: it goes with what is no member */

void HB_KERNEL(hb_bits_sets64)(const hb_bits_forest *forest, const double *x, size_t stride, size_t rows, void *work)
{
    SETS(find_codes64, NO_MISSING)
}
