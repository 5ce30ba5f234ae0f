/* weighted_median64.c - see weighted_median64.h. */
#include "kernel/weighted_median64.h"

#include <stdbool.h>

static bool is_before(const hb_median *m, uint16_t a, uint16_t b)
{
    double x = m->x[a * m->stride], y = m->x[b * m->stride];

    if ((x != x) != (y != y))
        return y != y;
    if (x < y || x > y)
        return x < y;
    return a < b;
}

/* Lets the column at `i` sink in the heap of `n`, whose largest is the first. */
static void sink(hb_median *m, size_t i, size_t n)
{
    uint16_t column = m->order[i];

    for (size_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && is_before(m, m->order[child], m->order[child + 1]))
            child++;
        if (!is_before(m, column, m->order[child]))
            break;
        m->order[i] = m->order[child];
        i = child;
    }
    m->order[i] = column;
}

void hb_median_begin(hb_median *m)
{
    for (size_t c = 0; c < m->width; c++)
        m->order[c] = (uint16_t)c;
}

/* A heap is made, then emptied from the end. */
size_t hb_median_steps(const hb_median *m)
{
    return m->width / 2 + m->width - 1;
}

void hb_median_step(hb_median *m, size_t i)
{
    size_t half = m->width / 2, end = m->width - 1 - (i - half);
    uint16_t largest = m->order[0];

    if (i < half) {
        sink(m, half - 1 - i, m->width);
        return;
    }
    m->order[0] = m->order[end];
    m->order[end] = largest;
    sink(m, 0, end);
}

double hb_median_end(const hb_median *m)
{
    double total = 0, sum = 0;
    size_t middle = 0;

    for (size_t c = 0; c < m->width; c++)
        total += m->weights[m->order[c]];
    for (; middle < m->width - 1; middle++) {
        sum += m->weights[m->order[middle]];
        if (sum >= 0.5 * total)
            break;
    }
    return m->x[m->order[middle] * m->stride];
}
