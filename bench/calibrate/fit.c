/* fit.c - non-negative least squares, one coordinate after the other. */
#include "fit.h"

#include <string.h>

#include "../common/driven.h"

#include <stdlib.h>

enum { SWEEPS = 5000 };

/* The normal equations. */
static void add_row(const double *counts, double time, size_t n, double *products, double *right)
{
    for (size_t j = 0; j < n; j++) {
        right[j] += counts[j] / time;
        for (size_t k = 0; k < n; k++)
            products[j * n + k] += counts[j] / time * (counts[k] / time);
    }
}

void fit(const double *counts, const double *times, size_t rows, size_t n, double *x)
{
    double *products = driven_room(n * n * sizeof(*products)), *right = driven_room(n * sizeof(*right));

    memset(products, 0, n * n * sizeof(*products));
    memset(right, 0, n * sizeof(*right));
    memset(x, 0, n * sizeof(*x));
    for (size_t i = 0; i < rows; i++)
        add_row(counts + i * n, times[i], n, products, right);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t j = 0; j < n; j++) {
            double rest = right[j];

            for (size_t k = 0; k < n; k++)
                rest -= k == j ? 0 : products[j * n + k] * x[k];
            x[j] = rest > 0 && products[j * n + j] > 0 ? rest / products[j * n + j] : 0;
        }
    free(products);
    free(right);
}
