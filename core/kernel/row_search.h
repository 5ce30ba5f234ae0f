/* row_search.h - see row_kernel.h: the ranks of numbers in some chunks. Private to row_ranks.c. */
#ifndef HB_KERNEL_ROW_SEARCH_H
#define HB_KERNEL_ROW_SEARCH_H

#include "kernel/gather.h"
#include "kernel/row_kernel.h"

enum { ABREAST = HB_ROW_ABREAST, SIXTEEN = 16 };

/* A rank is how many thresholds x is above, or not below; ABOVE_OR_EQUAL: above, and whether it is one of them. */
typedef enum search_how { NOT_BELOW, ABOVE, ABOVE_OR_EQUAL } search_how;

/* ---- the ranks of x[at[k]] in chunks first + k; gives a bit of each whose number is a threshold, if that is asked */

#if HB_GATHERS

/* The bits of the numbers, of 16, that x is above or (or_equal) not below; and of those that it equals. */
#if HB_ISA_AVX512
#define COMPARE(x, numbers, how) ((uint32_t)_mm512_cmp_ps_mask(_mm512_set1_ps(x), _mm512_loadu_ps(numbers), how))
#else
#define COMPARE(x, numbers, how)                                                                     \
    ((uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_set1_ps(x), _mm256_loadu_ps(numbers), how)) | \
     (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_set1_ps(x), _mm256_loadu_ps((numbers) + 8), how)) << 8)
#endif
#define BELOW(x, numbers) (how == NOT_BELOW ? COMPARE(x, numbers, _CMP_GE_OQ) : COMPARE(x, numbers, _CMP_GT_OQ))

/* How many of 16 bits are set; a count of 16 bits takes more instructions than one of 32. */
static inline uint32_t count(uint32_t bits)
{
    __asm__("" : "+r"(bits));
    return (uint32_t)__builtin_popcount(bits);
}

/* They are put together in a register: bytes that were just stored cannot be loaded together for some time. */
HB_INLINE uint32_t search(const hb_row_forest *forest, size_t first, const float *x, const uint32_t *at, search_how how,
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
#define SEARCH(x, or_equal)                                               \
    for (uint32_t level = 0; level < levels; level++)                     \
        for (size_t k = 0; k < ABREAST; k++) {                            \
            bool deeper = level < chunk[k]->levels;                       \
            float node = heap[k][deeper ? at[k] : 0];                     \
            uint32_t right = (or_equal) ? (x)[k] >= node : (x)[k] > node; \
                                                                          \
            equal |= (uint32_t)(deeper && (x)[k] == node) << k;           \
            at[k] = deeper ? 2 * at[k] + right : at[k];                   \
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
            rank[k] =
                search_again(forest, &forest->chunks[first + k], exact[forest->chunk_features[first + k] * stride]);
}

#endif
