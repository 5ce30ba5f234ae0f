/* distinct.c - see distinct.h. */
#include "ir/distinct.h"

hbs_status hb_find_equal(hb_memory *memory, size_t n, hb_compare compare, const void *context, uint32_t *same,
                         hbs_error *error)
{
    uint32_t *order = hb_allocate(memory, n * sizeof(*order));
    bool sorted;

    if (!order)
        return hb_no_memory(memory, error);
    *same = (uint32_t)n;
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    sorted = hb_sort(order, n, compare, context, &memory->work);
    for (size_t i = 1; sorted && i < n && *same == n; i++) {
        if (compare(context, order[i - 1], order[i]) == 0)
            *same = order[i];
        sorted = hb_goes_on(&memory->work, 4);
    }
    hb_release(memory, order, n * sizeof(*order));
    return sorted ? HBS_OK : hb_work_status(&memory->work, error);
}
