/* row_tables.h - see row_kernel.h: the ranks that 64 tests compare, looked up in registers. Private to row_walk.c. */
#ifndef HB_KERNEL_ROW_TABLES_H
#define HB_KERNEL_ROW_TABLES_H

#include "kernel/gather.h"
#include "kernel/row_kernel.h"

#define ROW_INLINE static inline __attribute__((always_inline))

#ifdef __AVX512VBMI__

enum { ONE_TABLE, TWO_TABLES, FOUR_TABLES };

typedef struct rank_tables {
    __m512i part[4];
} rank_tables;

ROW_INLINE rank_tables take_tables(const uint8_t *ranks)
{
    return (rank_tables){{_mm512_loadu_si512(ranks), _mm512_loadu_si512(ranks + 64), _mm512_loadu_si512(ranks + 128),
                          _mm512_loadu_si512(ranks + 192)}};
}

static inline int tables_of(const hb_row_forest *forest)
{
    return forest->n_entries > 128 ? FOUR_TABLES : forest->n_entries > 64 ? TWO_TABLES : ONE_TABLE;
}

ROW_INLINE __m512i ranks_of(const rank_tables *table, int tables, __m512i entry)
{
    const __m512i *part = table->part;
    __m512i low;

    if (tables == ONE_TABLE)
        return _mm512_permutexvar_epi8(entry, part[0]);
    low = _mm512_permutex2var_epi8(part[0], entry, part[1]);
    if (tables == TWO_TABLES)
        return low;
    return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(entry),
                                _mm512_permutex2var_epi8(part[2], entry, part[3]));
}

/* Those of the 64 tests that send the row right. */
ROW_INLINE __mmask64 right_of(const rank_tables *table, int tables, const uint8_t *entry, const uint8_t *cut)
{
    return _mm512_cmpgt_epu8_mask(ranks_of(table, tables, _mm512_loadu_si512(entry)), _mm512_loadu_si512(cut));
}

#endif

#endif
