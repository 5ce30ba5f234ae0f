/* sort.c - see sort.h. */
#include "base/sort.h"

/* Lets items[root] sink until it is not below its children. */
static void sink(uint32_t *items, size_t root, size_t n, hb_compare compare, const void *context)
{
    uint32_t moved = items[root];

    for (;;) {
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
}

enum { SINKS_A_POLL = 512 }; /* each is log n compares, far apart in memory */

static bool go_on(const hbs_host *host, size_t done)
{
    return !host || done % SINKS_A_POLL != 0 || hb_poll(host, NULL) == HBS_OK;
}

bool hb_sort(uint32_t *items, size_t n, hb_compare compare, const void *context, const hbs_host *host)
{
    for (size_t root = n / 2; root-- > 0;) {
        sink(items, root, n, compare, context);
        if (!go_on(host, root))
            return false;
    }
    for (size_t last = n; last-- > 1;) {
        uint32_t largest = items[0];

        items[0] = items[last];
        items[last] = largest;
        sink(items, 0, last, compare, context);
        if (!go_on(host, last))
            return false;
    }
    return true;
}
