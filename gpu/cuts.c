/* cuts.c - see cuts.h. Forests have millions of thresholds, so they are sorted by their bytes. */
#include "gpu/cuts.h"

#include <stdbool.h>
#include <string.h>

/* Bits that rise with the number. */
static uint64_t key_of(double number)
{
    uint64_t bits;

    number += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &number, sizeof(bits));
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

static void insert(double *cuts, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        double cut = cuts[i];
        size_t at = i;

        for (; at > 0 && cuts[at - 1] > cut; at--)
            cuts[at] = cuts[at - 1];
        cuts[at] = cut;
    }
}

/* By byte `b` of the keys; false: all have the same. */
static bool sort_byte(const double *from, size_t n, unsigned b, double *to)
{
    size_t count[256] = {0}, at = 0;

    for (size_t i = 0; i < n; i++)
        count[key_of(from[i]) >> 8 * b & 255]++;
    if (count[key_of(from[0]) >> 8 * b & 255] == n)
        return false;
    for (size_t d = 0; d < 256; d++) {
        size_t here = count[d];

        count[d] = at;
        at += here;
    }
    for (size_t i = 0; i < n; i++)
        to[count[key_of(from[i]) >> 8 * b & 255]++] = from[i];
    return true;
}

void hbg_sort_cuts(double *cuts, size_t n, double *scratch)
{
    enum { FEW = 48 };
    double *from = cuts, *to = scratch;

    if (n < FEW) {
        insert(cuts, n);
        return;
    }
    for (unsigned b = 0; b < 8; b++)
        if (sort_byte(from, n, b, to)) {
            double *other = from;

            from = to;
            to = other;
        }
    if (from != cuts)
        memcpy(cuts, from, n * sizeof(*cuts));
}

uint32_t hbg_distinct_cuts(double *cuts, uint32_t n)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || cuts[i] != cuts[left - 1])
            cuts[left++] = cuts[i];
    return left;
}

uint32_t hbg_find_cut(const double *cuts, uint32_t n, double cut)
{
    uint32_t low = 0, high = n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (cuts[middle] < cut)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
