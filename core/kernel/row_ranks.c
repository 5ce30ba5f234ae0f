/* row_ranks.c - see row_kernel.h: the ranks and categories of one row. */
#include "kernel/gather.h"
#include "kernel/row_kernel.h"

enum { ABREAST = 8, SIXTEEN = 16 };

/* A rank is how many thresholds x is above, or not below; ABOVE_OR_EQUAL: above, and whether it is one of them. */
typedef enum search_how { NOT_BELOW, ABOVE, ABOVE_OR_EQUAL } search_how;

/* ---- the ranks of x[at[k]] in chunks first + k; gives a bit of each whose number is a threshold, if that is asked */

#if HB_GATHERS

/* The bits of the numbers, of 16, that x is above or (or_equal) not below; and of those that it equals. */
#if HB_LANES == 8
#define COMPARE(x, numbers, how) \
    ((uint32_t)_mm512_cmp_ps_mask(_mm512_set1_ps(x), _mm512_loadu_ps(numbers), how))
#else
#define COMPARE(x, numbers, how)                                                                     \
    ((uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_set1_ps(x), _mm256_loadu_ps(numbers), how)) | \
     (uint32_t)_mm256_movemask_ps(                                                                   \
         _mm256_cmp_ps(_mm256_set1_ps(x), _mm256_loadu_ps((numbers) + 8), how))                      \
         << 8)
#endif
#define BELOW(x, numbers) \
    (how == NOT_BELOW ? COMPARE(x, numbers, _CMP_GE_OQ) : COMPARE(x, numbers, _CMP_GT_OQ))

/* How many of 16 bits are set; a count of 16 bits takes more instructions than one of 32. */
static inline uint32_t count(uint32_t bits)
{
    __asm__("" : "+r"(bits));
    return (uint32_t)__builtin_popcount(bits);
}

/* They are put together in a register: bytes that were just stored cannot be loaded together for some time. */
static inline __attribute__((always_inline)) uint32_t search(const hb_row_forest *forest, size_t first,
                                                             const float *x, const uint32_t *at, search_how how,
                                                             uint8_t rank[ABREAST])
{
    uint64_t ranks = 0;
    uint32_t equal = 0;

#pragma GCC unroll 4
    for (uint32_t k = 0; k < ABREAST; k++) {
        const float *cuts = forest->cuts + forest->row_chunks[first + k];
        float number = x[at[k]];
        uint64_t from = SIXTEEN * count(BELOW(number, cuts));

        cuts += SIXTEEN + from;
        if (how == ABOVE_OR_EQUAL && COMPARE(number, cuts, _CMP_EQ_OQ))
            equal |= 1u << k;
        ranks = ranks >> 8 | (from + count(BELOW(number, cuts))) << 56; /* the first one comes to the end */
    }
    memcpy(rank, &ranks, sizeof(ranks));
    return equal;
}

#else

/* The rank of x[k] in chunk k; `equal` has the bit of each whose number is a threshold. Heaps that are done look at
 * their unused first number. */
#define SEARCH(x, or_equal)                                                                        \
    for (uint32_t level = 0; level < levels; level++)                                              \
        for (size_t k = 0; k < ABREAST; k++) {                                                     \
            bool deeper = level < chunk[k]->levels;                                                \
            float node = heap[k][deeper ? at[k] : 0];                                              \
            uint32_t right = (or_equal) ? (x)[k] >= node : (x)[k] > node;                          \
                                                                                                   \
            equal |= (uint32_t)(deeper && (x)[k] == node) << k;                                    \
            at[k] = deeper ? 2 * at[k] + right : at[k];                                            \
        }

static uint32_t search(const hb_row_forest *forest, size_t first, const float *numbers, const uint32_t *of,
                       search_how how, uint8_t rank[ABREAST])
{
    const hb_bits_chunk *chunk[ABREAST];
    const float *heap[ABREAST];
    float x[ABREAST];
    uint32_t at[ABREAST], levels = 0, equal = 0;

    for (size_t k = 0; k < ABREAST; k++) {
        chunk[k] = &forest->chunks[first + k < forest->n_chunks ? first + k : forest->n_chunks - 1];
        heap[k] = forest->heaps + chunk[k]->heap;
        x[k] = numbers[of[k]];
        at[k] = 1;
        levels = chunk[k]->levels > levels ? chunk[k]->levels : levels;
    }
    if (how == NOT_BELOW) {
        SEARCH(x, true)
    } else {
        SEARCH(x, false)
    }
    for (size_t k = 0; k < ABREAST; k++)
        rank[k] = (uint8_t)(at[k] - (1u << chunk[k]->levels));
    return equal;
}

#endif

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

/* Of numbers that were rounded down: where one is then a threshold, by what it was before. */
static void search_rounded(const hb_row_forest *forest, size_t first, const double *exact, size_t stride,
                           const float *x, const uint32_t *at, uint8_t rank[ABREAST])
{
    uint32_t equal = search(forest, first, x, at, ABOVE_OR_EQUAL, rank);

    for (size_t k = 0; first + k < forest->n_chunks && equal; k++, equal >>= 1)
        if (equal & 1)
            rank[k] = search_again(forest, &forest->chunks[first + k],
                                   exact[forest->chunk_features[first + k] * stride]);
}

/* ---- any row: the numbers of ABREAST chunks are taken from where they are, in float32, rounded down */

typedef struct some_numbers {
    float number[ABREAST];
    uint32_t missing; /* a bit of each */
    bool rounded;     /* some were */
} some_numbers;

#if HB_LANES == 8

static inline void take32(const uint32_t *features, const float *x, size_t stride, some_numbers *some)
{
    __m256i at = _mm256_mullo_epi32(_mm256_loadu_si256((const __m256i *)(const void *)features),
                                    _mm256_set1_epi32((int)stride));
    __m256 taken = _mm256_i32gather_ps(x, at, 4);

    _mm256_storeu_ps(some->number, taken);
    some->missing = _mm256_cmp_ps_mask(taken, taken, _CMP_UNORD_Q);
}

static inline void take64(const uint32_t *features, const double *x, size_t stride, some_numbers *some)
{
    __m256i at = _mm256_mullo_epi32(_mm256_loadu_si256((const __m256i *)(const void *)features),
                                    _mm256_set1_epi32((int)stride));
    __m512d taken = _mm512_i32gather_pd(at, x, 8);
    __m256 down = _mm512_cvt_roundpd_ps(taken, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);

    _mm256_storeu_ps(some->number, down);
    some->rounded = _mm512_cmp_pd_mask(_mm512_cvtps_pd(down), taken, _CMP_NEQ_OQ) != 0;
    some->missing = _mm512_cmp_pd_mask(taken, taken, _CMP_UNORD_Q);
}

#else

static inline void take32(const uint32_t *features, const float *x, size_t stride, some_numbers *some)
{
    some->missing = 0;
    for (size_t k = 0; k < ABREAST; k++) {
        float v = x[features[k] * stride];

        some->number[k] = v;
        some->missing |= (uint32_t)(v != v) << k;
    }
}

static inline void take64(const uint32_t *features, const double *x, size_t stride, some_numbers *some)
{
    some->missing = 0;
    some->rounded = false;
    for (size_t k = 0; k < ABREAST; k++) {
        double v = x[features[k] * stride];

        some->number[k] = hb_round_down(v);
        some->rounded |= (double)some->number[k] != v;
        some->missing |= (uint32_t)(v != v) << k;
    }
}

#endif

static void spread(const hb_row_forest *forest, const uint8_t *rank, const uint8_t *missing, uint8_t *ranks)
{
    for (size_t e = 0; e < forest->n_entries; e++) {
        uint8_t c = forest->entry_chunks[e];

        ranks[e] = rank[c] | (missing[c] & forest->entry_rights[e]);
    }
}

static const uint32_t each[ABREAST] = {0, 1, 2, 3, 4, 5, 6, 7};

#define TAKE_CHUNKS(take, search_some)                        \
    uint8_t rank[HB_ROW_RANKS], missing[HB_ROW_RANKS];        \
                                                              \
    for (size_t c = 0; c < forest->n_chunks; c += ABREAST) {  \
        some_numbers some;                                    \
                                                              \
        take(forest->chunk_features + c, x, stride, &some);   \
        search_some;                                          \
        for (size_t k = 0; k < ABREAST; k++)                  \
            missing[c + k] = some.missing >> k & 1 ? 255 : 0; \
    }                                                         \
    spread(forest, rank, missing, row->ranks);

static void take_any32(const hb_row_forest *forest, const float *x, size_t stride, hb_row *row)
{
    TAKE_CHUNKS(take32, search(forest, c, some.number, each, NOT_BELOW, rank + c))
}

static void take_any64(const hb_row_forest *forest, const double *x, size_t stride, hb_row *row)
{
    TAKE_CHUNKS(take64, some.rounded ? search_rounded(forest, c, x, stride, some.number, each, rank + c)
                                     : (void)search(forest, c, some.number, each, ABOVE, rank + c))
}

/* ---- a row of up to 64 numbers, and up to 64 chunks: they stay in registers */

#ifdef __AVX512VBMI__

enum { FEW = 64 };

static bool is_small(const hb_row_forest *forest)
{
    return forest->n_chunks <= FEW && forest->n_columns <= FEW;
}

/* The row's numbers side by side, where they are or in `room`. */
#define SIDE_BY_SIDE(room)                                  \
    if (stride == 1)                                        \
        return x;                                           \
    for (size_t c = 0; c < forest->n_columns; c++)          \
        (room)[c] = x[c * stride];                          \
    return room;

static inline const float *side_by_side32(const hb_row_forest *forest, const float *x, size_t stride, float room[FEW])
{
    SIDE_BY_SIDE(room)
}

static inline const double *side_by_side64(const hb_row_forest *forest, const double *x, size_t stride, double room[FEW])
{
    SIDE_BY_SIDE(room)
}

static void spread_small(const hb_row_forest *forest, __m512i rank, uint64_t missing, uint8_t *ranks)
{
    __m512i none = _mm512_movm_epi8(missing);

    for (size_t e = 0; e < forest->n_entries; e += 64) {
        __m512i chunk = _mm512_loadu_si512(forest->entry_chunks + e);
        __m512i is = _mm512_permutexvar_epi8(_mm512_loadu_si512(forest->entry_columns + e), none);
        __m512i right = _mm512_and_si512(is, _mm512_loadu_si512(forest->entry_rights + e));

        _mm512_storeu_si512(ranks + e, _mm512_or_si512(_mm512_permutexvar_epi8(chunk, rank), right));
    }
}

#define TAKE_SMALL(search_some)                                                                 \
    __m512i ranks = _mm512_setzero_si512();                                                     \
                                                                                                \
    for (size_t c = 0; c < forest->n_chunks; c += ABREAST) {                                    \
        const uint32_t *at = forest->chunk_features + c;                                        \
        uint8_t rank[ABREAST];                                                                  \
        uint64_t eight;                                                                         \
                                                                                                \
        search_some;                                                                            \
        memcpy(&eight, rank, sizeof(eight));                                                    \
        ranks = _mm512_mask_set1_epi64(ranks, (__mmask8)(1u << c / ABREAST), (long long)eight); \
    }                                                                                           \
    spread_small(forest, ranks, missing, row->ranks);

/* Bits of `lanes` or, where they are fewer, n. */
static inline uint32_t first_of(size_t lanes, size_t n)
{
    return (1u << (n < lanes ? n : lanes)) - 1;
}

static void take_small32(const hb_row_forest *forest, const float *x, size_t stride, hb_row *row)
{
    float room[FEW];
    uint64_t missing = 0;

    x = side_by_side32(forest, x, stride, room);
    for (size_t c = 0; c < forest->n_columns; c += 16) {
        __mmask16 all = (__mmask16)first_of(16, forest->n_columns - c);
        __m512 some = _mm512_maskz_loadu_ps(all, x + c);

        missing |= (uint64_t)_mm512_cmp_ps_mask(some, some, _CMP_UNORD_Q) << c;
    }
    TAKE_SMALL(search(forest, c, x, at, NOT_BELOW, rank))
}

static void take_small64(const hb_row_forest *forest, const double *x, size_t stride, hb_row *row)
{
    double room[FEW];
    float down[FEW];
    uint64_t missing = 0;
    bool rounded = false;

    x = side_by_side64(forest, x, stride, room);
    for (size_t c = 0; c < forest->n_columns; c += 8) {
        __mmask8 all = (__mmask8)first_of(8, forest->n_columns - c);
        __m512d some = _mm512_maskz_loadu_pd(all, x + c);
        __m256 low = _mm512_cvt_roundpd_ps(some, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);

        _mm256_storeu_ps(down + c, low);
        rounded |= _mm512_cmp_pd_mask(_mm512_cvtps_pd(low), some, _CMP_NEQ_OQ) != 0;
        missing |= (uint64_t)_mm512_cmp_pd_mask(some, some, _CMP_UNORD_Q) << c;
    }
    if (rounded) {
        TAKE_SMALL(search_rounded(forest, c, x, 1, down, at, rank))
    } else { /* x is above a threshold if it is above what that is rounded down to */
        TAKE_SMALL(search(forest, c, down, at, ABOVE, rank))
    }
}

#else

static bool is_small(const hb_row_forest *forest)
{
    (void)forest;
    return false;
}

static void take_small32(const hb_row_forest *forest, const float *x, size_t stride, hb_row *row)
{
    take_any32(forest, x, stride, row);
}

static void take_small64(const hb_row_forest *forest, const double *x, size_t stride, hb_row *row)
{
    take_any64(forest, x, stride, row);
}

#endif

/* ---- where zero is missing */

#define APPLY_ZERO_RULES(x)                                                                     \
    for (size_t e = 0; e < forest->n_entries && forest->has_zero_rules; e++) {                  \
        const hb_row_entry *entry = &forest->entries[e];                                        \
        bool zero = (x)[forest->chunks[entry->chunk].feature * stride] == 0;                    \
                                                                                                \
        if (zero && entry->rules & HB_BITS_ZERO_RIGHT)                                          \
            row->ranks[e] = 255;                                                                \
        if (zero && entry->rules & HB_BITS_ZERO_LEFT)                                           \
            row->ranks[e] = 0;                                                                  \
    }

/* As bits_sets.c takes categories. */
#define CATEGORIES(x, is_one)                                                                       \
    for (size_t s = 0; s < forest->n_features; s++) {                                               \
        const hb_row_feature *feature = &forest->features[s];                                       \
        size_t at = feature->feature * stride;                                                      \
        bool known = (is_one) && (double)x[at] < (double)feature->n;                                \
        size_t category = known ? (uint32_t)(int32_t)x[at] : feature->n + (size_t)(x[at] != x[at]); \
                                                                                                    \
        row->sets[s] = forest->set_words + feature->words + category * forest->n_tests;             \
    }

void HB_KERNEL(hb_row_ranks32)(const hb_row_forest *forest, const float *x, size_t stride,
                               hb_row *row)
{
    if (is_small(forest))
        take_small32(forest, x, stride, row);
    else
        take_any32(forest, x, stride, row);
    APPLY_ZERO_RULES(x)
    CATEGORIES(x, x[at] >= 0)
}

void HB_KERNEL(hb_row_ranks64)(const hb_row_forest *forest, const double *x, size_t stride,
                               hb_row *row)
{
    if (is_small(forest))
        take_small64(forest, x, stride, row);
    else
        take_any64(forest, x, stride, row);
    APPLY_ZERO_RULES(x)
    CATEGORIES(x, x[at] > -1)
}
