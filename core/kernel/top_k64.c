/* top_k64.c - see top_k64.h. The k so far are a heap in the room of the result, whose first is the worst of them; then
 * they are sorted. */
#include "kernel/top_k64.h"

typedef struct heap {
    double *numbers, *places;
    size_t stride;
    bool largest;
} heap;

/* Whether number x at place p comes before y at q. */
static inline bool is_before(const heap *h, double x, double p, double y, double q)
{
    if (x != x || y != y)
        return (x == x) == (y == y) ? p < q : x == x;
    return x == y ? p < q : h->largest ? x > y : x < y;
}

static inline bool items_are_in_order(const heap *h, size_t a, size_t b)
{
    return is_before(h, h->numbers[a * h->stride], h->places[a * h->stride], h->numbers[b * h->stride],
                     h->places[b * h->stride]);
}

static inline void set(const heap *h, size_t i, double number, double place)
{
    h->numbers[i * h->stride] = number;
    h->places[i * h->stride] = place;
}

/* Lets a number sink from `i` in the heap of n, whose first comes last of all. */
static void sink(const heap *h, size_t i, size_t n, double number, double place)
{
    for (size_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && items_are_in_order(h, child, child + 1))
            child++;
        if (!is_before(h, number, place, h->numbers[child * h->stride], h->places[child * h->stride]))
            break;
        set(h, i, h->numbers[child * h->stride], h->places[child * h->stride]);
        i = child;
    }
    set(h, i, number, place);
}

static void sort(const heap *h, size_t k)
{
    for (size_t i = k; i-- > 1;) {
        double number = h->numbers[i * h->stride], place = h->places[i * h->stride];

        set(h, i, h->numbers[0], h->places[0]);
        sink(h, 0, i, number, place);
    }
}

void hb_top_k64(const double *x, size_t n, size_t stride, size_t k, bool largest, double *numbers, double *places)
{
    const heap h = {numbers, places, stride, largest};

    for (size_t i = 0; i < k; i++)
        set(&h, i, x[i * stride], (double)i);
    for (size_t i = k / 2; i-- > 0;)
        sink(&h, i, k, numbers[i * stride], places[i * stride]);
    for (size_t i = k; i < n; i++)
        if (is_before(&h, x[i * stride], (double)i, numbers[0], places[0]))
            sink(&h, 0, k, x[i * stride], (double)i);
    sort(&h, k);
}

void hb_top_k_replace(double *numbers, double *places, size_t stride, size_t k, double number, double place)
{
    sink(&(heap){numbers, places, stride, false}, 0, k, number, place);
}

void hb_top_k_sort(double *numbers, double *places, size_t stride, size_t k)
{
    sort(&(heap){numbers, places, stride, false}, k);
}
