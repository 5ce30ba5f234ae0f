/* row_ranks.c - see row_kernel.h: the ranks and categories of one row. */
#include "kernel/gather.h"
#include "kernel/row_kernel.h"

enum { ABREAST = 8, SIXTEEN = 16 };

/* A rank is how many thresholds x is above, or not below; ABOVE_OR_EQUAL: above, and whether it is one of them. */
typedef enum search_how { NOT_BELOW, ABOVE, ABOVE_OR_EQUAL } search_how;

/* Ranks of chunks, before their entries' rules. */
typedef struct chunk_ranks {
    uint8_t rank[HB_ROW_RANKS + ABREAST];
} chunk_ranks;

/* The first ones are taken together. */
static inline void begin(chunk_ranks *chunks)
{
    memset(chunks->rank, 0, 64);
}

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

/* The ranks of x[k] in chunks first + k; *equal has the bit of each whose number is a threshold, if that is asked. */
static inline __attribute__((always_inline)) void search(const hb_row_forest *forest, size_t first,
                                                         const float x[ABREAST], search_how how,
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
        if (how == ABOVE_OR_EQUAL && COMPARE(x[k], cuts, _CMP_EQ_OQ))
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

static void search(const hb_row_forest *forest, size_t first, const float x[ABREAST], search_how how,
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
    if (how == NOT_BELOW) {
        SEARCH(x, true)
    } else {
        SEARCH(x, false)
    }
    for (size_t k = 0; k < ABREAST; k++)
        rank[first + k] = (uint8_t)(at[k] - (1u << chunk[k]->levels));
}

#endif

/* ---- numbers: of ABREAST chunks, in float32 (rounded down; *rounded: some were); whether one of them is missing */

#if HB_LANES == 8

static inline bool take32(const uint32_t *features, const float *x, size_t stride, float v[ABREAST])
{
    __m256i at = _mm256_mullo_epi32(_mm256_loadu_si256((const __m256i *)(const void *)features),
                                    _mm256_set1_epi32((int)stride));
    __m256 taken = _mm256_i32gather_ps(x, at, 4);

    _mm256_storeu_ps(v, taken);
    return _mm256_cmp_ps_mask(taken, taken, _CMP_UNORD_Q) != 0;
}

static inline bool take64(const uint32_t *features, const double *x, size_t stride, float v[ABREAST], bool *rounded)
{
    __m256i at = _mm256_mullo_epi32(_mm256_loadu_si256((const __m256i *)(const void *)features),
                                    _mm256_set1_epi32((int)stride));
    __m512d taken = _mm512_i32gather_pd(at, x, 8);
    __m256 down = _mm512_cvt_roundpd_ps(taken, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);

    _mm256_storeu_ps(v, down);
    *rounded = _mm512_cmp_pd_mask(_mm512_cvtps_pd(down), taken, _CMP_NEQ_OQ) != 0;
    return _mm512_cmp_pd_mask(taken, taken, _CMP_UNORD_Q) != 0;
}

#else

static inline bool take32(const uint32_t *features, const float *x, size_t stride, float v[ABREAST])
{
    bool missing = false;

    for (size_t k = 0; k < ABREAST; k++) {
        v[k] = x[features[k] * stride];
        missing |= v[k] != v[k];
    }
    return missing;
}

static inline bool take64(const uint32_t *features, const double *x, size_t stride, float v[ABREAST], bool *rounded)
{
    bool missing = false;

    for (size_t k = 0; k < ABREAST; k++) {
        double exact = x[features[k] * stride];

        v[k] = hb_round_down(exact);
        *rounded |= (double)v[k] != exact;
        missing |= exact != exact;
    }
    return missing;
}

#endif

/* ---- entries */

/* Where no rule acts. */
#ifdef __AVX512VBMI__

static void spread(const hb_row_forest *forest, const chunk_ranks *chunks, uint8_t *ranks)
{
    __m512i all = _mm512_loadu_si512(chunks->rank);

    if (forest->n_chunks > 64) {
        for (size_t e = 0; e < forest->n_entries; e++)
            ranks[e] = chunks->rank[forest->entry_chunks[e]];
        return;
    }
    for (size_t e = 0; e < forest->n_entries; e += 64)
        _mm512_storeu_si512(ranks + e, _mm512_permutexvar_epi8(_mm512_loadu_si512(forest->entry_chunks + e), all));
}

#else

static void spread(const hb_row_forest *forest, const chunk_ranks *chunks, uint8_t *ranks)
{
    for (size_t e = 0; e < forest->n_entries; e++)
        ranks[e] = chunks->rank[forest->entry_chunks[e]];
}

#endif

/* What the rules make of each entry's rank. */
#define APPLY_RULES(x)                                                             \
    for (size_t e = 0; e < forest->n_entries; e++) {                               \
        const hb_row_entry *entry = &forest->entries[e];                           \
        uint8_t r = chunks.rank[entry->chunk];                                     \
        double v = (double)(x)[forest->chunks[entry->chunk].feature * stride];     \
        uint32_t nan = v != v, zero = v == 0;                                      \
                                                                                   \
        r = nan && entry->rules & HB_BITS_NAN_RIGHT ? 255 : r;                     \
        r = zero && entry->rules & HB_BITS_ZERO_RIGHT ? 255 : r;                   \
        r = zero && entry->rules & HB_BITS_ZERO_LEFT ? 0 : r;                      \
        row->ranks[e] = r;                                                         \
    }

/* As bits_sets.c takes categories. */
#define CATEGORIES(x, is_one)                                                                \
    for (size_t s = 0; s < forest->n_features; s++) {                                        \
        const hb_row_feature *feature = &forest->features[s];                                \
        size_t at = feature->feature * stride;                                               \
        bool known = (is_one) && (double)x[at] < (double)feature->n;                         \
                                                                                             \
        row->category[s] = known ? (uint32_t)(int32_t)x[at] : feature->n + (x[at] != x[at]); \
    }

void HB_KERNEL(hb_row_ranks32)(const hb_row_forest *forest, const float *x, size_t stride,
                               hb_row *row)
{
    chunk_ranks chunks;
    uint32_t equal, missing = forest->has_zero_rules;

    begin(&chunks);
    for (size_t c = 0; c < forest->n_chunks; c += ABREAST) {
        float v[ABREAST];

        missing |= take32(forest->chunk_features + c, x, stride, v);
        search(forest, c, v, NOT_BELOW, chunks.rank, &equal);
    }
    if (!missing)
        spread(forest, &chunks, row->ranks);
    else
        APPLY_RULES(x)
    CATEGORIES(x, x[at] >= 0)
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
                               hb_row *row)
{
    chunk_ranks chunks;
    uint32_t equal, missing = forest->has_zero_rules;

    begin(&chunks);
    for (size_t c = 0; c < forest->n_chunks; c += ABREAST) {
        float v[ABREAST];
        bool rounded = false;

        missing |= take64(forest->chunk_features + c, x, stride, v, &rounded);
        if (!rounded) { /* x is above a threshold if it is above what that is rounded down to */
            search(forest, c, v, ABOVE, chunks.rank, &equal);
            continue;
        }
        search(forest, c, v, ABOVE_OR_EQUAL, chunks.rank, &equal);
        for (size_t k = 0; c + k < forest->n_chunks && equal; k++, equal >>= 1)
            if (equal & 1)
                chunks.rank[c + k] =
                    search_again(forest, &forest->chunks[c + k], x[forest->chunk_features[c + k] * stride]);
    }
    if (!missing)
        spread(forest, &chunks, row->ranks);
    else
        APPLY_RULES(x)
    CATEGORIES(x, x[at] > -1)
}
