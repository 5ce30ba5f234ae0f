/* columns.h - what operators that go over whole columns share. */
#ifndef HB_OP_COLUMNS_H
#define HB_OP_COLUMNS_H

#include "op/execution.h"

/* After so many columns the host is asked whether to stop: false. */
static inline bool hb_columns_go_on(const hb_call *call, size_t column)
{
    enum { COLUMNS = 4096 };

    return column % COLUMNS != COLUMNS - 1 || hb_call_goes_on(call, COLUMNS * (call->rows / HB_STEPS_A_UNIT + 1));
}

/* op/movement.c: columns [first, first + n) of `from` to column `to` of the output on; the planner of memory has mostly
 * put them there already. */
bool hb_copy_columns(const hb_call *call, const void *from, size_t first, size_t n, size_t to);

#endif
