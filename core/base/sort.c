/* sort.c - see sort.h. */
#include "base/sort.h"

#include <string.h>

enum { UNITS_A_LEVEL = 8 }; /* two compares, far apart in memory */

/* Lets items[root] sink until it is not below its children; gives how many levels. */
static size_t sink_item(uint32_t *items, size_t root, size_t n, hb_compare compare, const void *context)
{
    uint32_t moved = items[root];
    size_t levels = 1;

    for (;; levels++) {
        size_t child = 2 * root + 1;

        if (child >= n)
            break;
        if (child + 1 < n && compare(context, items[child], items[child + 1]) < 0)
            child++;
        if (compare(context, moved, items[child]) >= 0)
            break;
        items[root] = items[child];
        root = child;
    }
    items[root] = moved;
    return levels;
}

static bool make_heap(uint32_t *items, size_t n, hb_compare compare, const void *context, hb_work *work)
{
    work->stopped = false; /* a compare may ask too */
    for (size_t root = n / 2; root-- > 0;)
        if (!hb_goes_on(work, UNITS_A_LEVEL * sink_item(items, root, n, compare, context)) || work->stopped)
            return false;
    return true;
}

static bool sort_heap(uint32_t *items, size_t n, hb_compare compare, const void *context, hb_work *work)
{
    for (size_t last = n; last-- > 1;) {
        uint32_t largest = items[0];

        items[0] = items[last];
        items[last] = largest;
        if (!hb_goes_on(work, UNITS_A_LEVEL * sink_item(items, 0, last, compare, context)) || work->stopped)
            return false;
    }
    return true;
}

/* How many items from the first one on are in order; fewer where the host wants to stop. */
static size_t in_order(const uint32_t *items, size_t n, hb_compare compare, const void *context, hb_work *work)
{
    size_t i = 1;

    work->stopped = false; /* a compare may ask too */
    while (i < n && hb_goes_on(work, UNITS_A_LEVEL / 2) && compare(context, items[i - 1], items[i]) <= 0 &&
           !work->stopped)
        i++;
    return i;
}

bool hb_sort(uint32_t *items, size_t n, hb_compare compare, const void *context, hb_work *work)
{
    if (in_order(items, n, compare, context, work) >= n)
        return true;
    return !work->stopped && make_heap(items, n, compare, context, work) && sort_heap(items, n, compare, context, work);
}

/* The last one of the heap's items is at its top: a position that stands before it takes its place. */
bool hb_sort_first(uint32_t *items, size_t n, size_t count, hb_compare compare, const void *context, hb_work *work)
{
    for (size_t i = 0; i < n; i++)
        items[i] = (uint32_t)i;
    if (n == 0 || !make_heap(items, n, compare, context, work))
        return n == 0;
    for (size_t i = n; i < count; i++) {
        size_t levels = 1;

        if (compare(context, (uint32_t)i, items[0]) < 0) {
            items[0] = (uint32_t)i;
            levels = sink_item(items, 0, n, compare, context);
        }
        if (!hb_goes_on(work, UNITS_A_LEVEL * levels) || work->stopped)
            return false;
    }
    return sort_heap(items, n, compare, context, work);
}

int hb_compare_texts(hbs_text a, hbs_text b, hb_work *work)
{
    enum { BYTES_A_UNIT = 32 };
    size_t size = a.size < b.size ? a.size : b.size;
    int order = memcmp(a.bytes, b.bytes, size);

    (void)hb_goes_on(work, size / BYTES_A_UNIT);
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

int hb_compare_integers(const void *integers, uint32_t a, uint32_t b)
{
    const int64_t *numbers = integers;

    return (numbers[a] > numbers[b]) - (numbers[a] < numbers[b]);
}

int hb_compare_reals(const void *reals, uint32_t a, uint32_t b)
{
    const double *numbers = reals;

    return (numbers[a] > numbers[b]) - (numbers[a] < numbers[b]);
}
