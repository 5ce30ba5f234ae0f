/* csr.h - a matrix of weights in compressed sparse row (CSR) form: only the weights that are stored take room. */
#ifndef HB_BASE_CSR_H
#define HB_BASE_CSR_H

#include <stddef.h>
#include <stdint.h>

/* One row of the matrix for each output. Output o has the weights [o ? ends[o - 1] : 0, ends[o]), in the order of their
 * columns. A weight that is not stored is 0. */
typedef struct hb_csr {
    size_t n_weights;
    const uint32_t *ends;    /* [outputs] */
    const uint32_t *columns; /* [n_weights] */
    const double *weights;   /* [n_weights] */
} hb_csr;

static inline size_t hb_csr_begin(const hb_csr *csr, size_t output)
{
    return output ? csr->ends[output - 1] : 0;
}

#endif
