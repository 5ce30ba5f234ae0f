/* weighted_median64.c - see weighted_median64.h. A heap sorts: it needs no memory and no recursion. */
#include "kernel/weighted_median64.h"

#include <stdbool.h>
#include <stdint.h>

/* The row and its columns in their order so far. */
typedef struct sorting {
    const double *x;
    size_t stride;
    uint16_t order[HB_MEDIAN_ROOM];
} sorting;

static bool is_before(const sorting *s, uint16_t a, uint16_t b)
{
    double x = s->x[a * s->stride], y = s->x[b * s->stride];

    if ((x != x) != (y != y))
        return y != y;
    if (x < y || x > y)
        return x < y;
    return a < b;
}

/* Lets the column at `i` sink in the heap of `n`, whose largest is the first. */
static void sink(sorting *s, size_t i, size_t n)
{
    uint16_t column = s->order[i];

    for (size_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && is_before(s, s->order[child], s->order[child + 1]))
            child++;
        if (!is_before(s, column, s->order[child]))
            break;
        s->order[i] = s->order[child];
        i = child;
    }
    s->order[i] = column;
}

static void sort(sorting *s, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sink(s, i, n);
    for (size_t end = n - 1; end > 0; end--) {
        uint16_t largest = s->order[0];

        s->order[0] = s->order[end];
        s->order[end] = largest;
        sink(s, 0, end);
    }
}

double hb_weighted_median64(const double *x, size_t width, size_t stride, const double *weights)
{
    sorting s = {.x = x, .stride = stride};
    double total = 0, sum = 0;
    size_t middle = 0;

    for (size_t c = 0; c < width; c++)
        s.order[c] = (uint16_t)c;
    sort(&s, width);
    for (size_t c = 0; c < width; c++)
        total += weights[s.order[c]];
    for (; middle < width - 1; middle++) {
        sum += weights[s.order[middle]];
        if (sum >= 0.5 * total)
            break;
    }
    return x[s.order[middle] * stride];
}
