/* row_ranks.c - see row_kernel.h: the ranks and categories of one row. */
#include "kernel/gather.h"
#include "kernel/row_kernel.h"
#include "kernel/row_tables.h"

#include "kernel/row_search.inc"

#if HB_GATHERS
#include "kernel/row_small.inc"
#endif

/* ---- any row: the numbers of ABREAST chunks are taken from where they are, in float32, rounded down */

typedef struct some_numbers {
    float number[ABREAST];
    uint32_t missing; /* a bit of each */
    bool rounded;     /* some were */
} some_numbers;

#if HB_ISA_AVX512

static inline void take32(const uint32_t *features, const float *x, size_t stride, some_numbers *some)
{
    __m256i at =
        _mm256_mullo_epi32(_mm256_loadu_si256((const __m256i *)(const void *)features), _mm256_set1_epi32((int)stride));
    __m256 taken = _mm256_i32gather_ps(x, at, 4);

    _mm256_storeu_ps(some->number, taken);
    some->missing = _mm256_cmp_ps_mask(taken, taken, _CMP_UNORD_Q);
}

static inline void take64(const uint32_t *features, const double *x, size_t stride, some_numbers *some)
{
    __m256i at =
        _mm256_mullo_epi32(_mm256_loadu_si256((const __m256i *)(const void *)features), _mm256_set1_epi32((int)stride));
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

/* ---- a small row */

#if !HB_GATHERS

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

#define APPLY_ZERO_RULES(x)                                                    \
    for (size_t e = 0; e < forest->n_entries && forest->has_zero_rules; e++) { \
        const hb_row_entry *entry = &forest->entries[e];                       \
        bool zero = (x)[forest->chunks[entry->chunk].feature * stride] == 0;   \
                                                                               \
        if (zero && entry->rules & HB_BITS_ZERO_RIGHT)                         \
            row->ranks[e] = 255;                                               \
        if (zero && entry->rules & HB_BITS_ZERO_LEFT)                          \
            row->ranks[e] = 0;                                                 \
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

void HB_KERNEL(hb_row_ranks32)(const hb_row_forest *forest, const float *x, size_t stride, hb_row *row)
{
    if (is_small(forest))
        take_small32(forest, x, stride, row);
    else
        take_any32(forest, x, stride, row);
    APPLY_ZERO_RULES(x)
    CATEGORIES(x, x[at] >= 0)
}

void HB_KERNEL(hb_row_ranks64)(const hb_row_forest *forest, const double *x, size_t stride, hb_row *row)
{
    if (is_small(forest))
        take_small64(forest, x, stride, row);
    else
        take_any64(forest, x, stride, row);
    APPLY_ZERO_RULES(x)
    CATEGORIES(x, x[at] > -1)
}
