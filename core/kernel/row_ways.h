/* row_ways.h - see row_kernel.h: three levels down by one look-up. Private to row_walk.c. */
#ifndef HB_KERNEL_ROW_WAYS_H
#define HB_KERNEL_ROW_WAYS_H

#include "kernel/row_tables.h"

/* Which of the 8 ways down three levels is taken by their 7 tests, which are the bits of t; and what is made of that,
 * for each t. */
#define WAY2(t, next)          ((t)&1 ? 2 + ((next) >> 1 & 1) : ((next)&1))
#define WAY3(t)                ((t)&1 ? 4 + WAY2((t) >> 2, (t) >> 5) : WAY2((t) >> 1, (t) >> 3))
#define OF_WAY(t, times, plus) ((times)*WAY3(t) + (plus))
#define OF_4(t, times, plus) \
    OF_WAY(t, times, plus), OF_WAY((t) + 1, times, plus), OF_WAY((t) + 2, times, plus), OF_WAY((t) + 3, times, plus)
#define OF_16(t, times, plus) \
    OF_4(t, times, plus), OF_4((t) + 4, times, plus), OF_4((t) + 8, times, plus), OF_4((t) + 12, times, plus)
#define OF_64(t, times, plus) \
    OF_16(t, times, plus), OF_16((t) + 16, times, plus), OF_16((t) + 32, times, plus), OF_16((t) + 48, times, plus)
#define OF_ALL(times, plus)                           \
    {                                                 \
        OF_64(0, times, plus), OF_64(64, times, plus) \
    }

typedef uint8_t ways_table[128] __attribute__((aligned(64)));

static const ways_table way_taken = OF_ALL(1, 0);

#endif
