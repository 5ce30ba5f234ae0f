/* row_tables.h - see row_kernel.h: the ranks that 64 tests compare, looked up in registers. Private to row_walk.c and
 * row_ranks.c. */
#ifndef HB_KERNEL_ROW_TABLES_H
#define HB_KERNEL_ROW_TABLES_H

#include "kernel/gather.h"
#include "kernel/row_kernel.h"

/* Up to so many entries are looked up in registers; 0: none are. */
#if HB_ISA_AVX512VBMI
enum { LOOKED_UP = HB_ROW_RANKS };
#elif HB_GATHERS
enum { LOOKED_UP = HB_ROW_SHORT };
#else
enum { LOOKED_UP = 0 };
#endif

#if HB_ISA_AVX512VBMI

enum { ONE_TABLE, TWO_TABLES, FOUR_TABLES };

typedef struct rank_tables {
    __m512i part[4];
} rank_tables;

HB_INLINE rank_tables take_tables(const uint8_t *ranks)
{
    return (rank_tables){{_mm512_loadu_si512(ranks), _mm512_loadu_si512(ranks + 64), _mm512_loadu_si512(ranks + 128),
                          _mm512_loadu_si512(ranks + 192)}};
}

static inline int tables_of(const hb_row_forest *forest)
{
    return forest->n_entries > 128 ? FOUR_TABLES : forest->n_entries > 64 ? TWO_TABLES : ONE_TABLE;
}

HB_INLINE __m512i ranks_of(const rank_tables *table, int tables, __m512i entry)
{
    const __m512i *part = table->part;
    __m512i low;

    if (tables == ONE_TABLE)
        return _mm512_permutexvar_epi8(entry, part[0]);
    low = _mm512_permutex2var_epi8(part[0], entry, part[1]);
    if (tables == TWO_TABLES)
        return low;
    return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(entry), _mm512_permutex2var_epi8(part[2], entry, part[3]));
}

/* Those of the 64 tests that send the row right. */
HB_INLINE __mmask64 right_of(const rank_tables *table, int tables, const uint8_t *entry, const uint8_t *cut)
{
    return _mm512_cmpgt_epu8_mask(ranks_of(table, tables, _mm512_loadu_si512(entry)), _mm512_loadu_si512(cut));
}

#elif HB_GATHERS

/* Bytes are permuted among 16 only, so that LOOKED_UP entries are two to four tables. */
enum { TWO_TABLES = 2, THREE_TABLES, FOUR_TABLES };

typedef struct rank_tables {
    __m256i part[4]; /* twice 16 each */
} rank_tables;

HB_INLINE rank_tables take_tables(const uint8_t *ranks)
{
    rank_tables table;

#pragma GCC unroll 4
    for (size_t p = 0; p < 4; p++)
        table.part[p] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(ranks + 16 * p)));
    return table;
}

static inline int tables_of(const hb_row_forest *forest)
{
    return forest->n_entries > 48 ? FOUR_TABLES : forest->n_entries > 32 ? THREE_TABLES : TWO_TABLES;
}

/* A byte whose highest bit is set takes zero, and only the lowest four count else. So each table is asked for entries
 * from its first one on: what is before that has the highest bit, and what is behind its last one gets it. */
HB_INLINE __m256i ranks_of(const rank_tables *table, int tables, __m256i entry)
{
    const __m256i behind = _mm256_set1_epi8(127 - 15);
    __m256i ranks = _mm256_shuffle_epi8(table->part[0], _mm256_adds_epu8(entry, behind));

#pragma GCC unroll 4
    for (int p = 1; p < tables; p++) {
        __m256i at = _mm256_sub_epi8(entry, _mm256_set1_epi8((char)(16 * p)));

        if (p < tables - 1)
            at = _mm256_adds_epu8(at, behind);
        ranks = _mm256_or_si256(ranks, _mm256_shuffle_epi8(table->part[p], at));
    }
    return ranks;
}

/* -1 where a test sends the row left. */
HB_INLINE __m256i left_of(const rank_tables *table, int tables, __m256i entry, __m256i cut)
{
    return _mm256_cmpeq_epi8(_mm256_max_epu8(ranks_of(table, tables, entry), cut), cut);
}

#endif

#endif
