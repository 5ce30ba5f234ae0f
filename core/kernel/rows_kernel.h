/* rows_kernel.h - from columns to rows. */
#ifndef HB_KERNEL_ROWS_KERNEL_H
#define HB_KERNEL_ROWS_KERNEL_H

#include <stddef.h>

/* out[rows][width] of in[width][stride]. */
void hb_rows64(const double *in, size_t width, size_t stride, size_t rows, double *out);

#endif
