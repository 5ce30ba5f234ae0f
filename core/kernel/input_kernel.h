/* input_kernel.h - the caller's columns of numbers as float64, and what was seen among them. */
#ifndef HB_KERNEL_INPUT_KERNEL_H
#define HB_KERNEL_INPUT_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/* What was seen, as a set. */
enum {
    HB_SAW_NAN = 1u << 0,
    HB_SAW_INFINITE = 1u << 1,
    HB_SAW_LARGE = 1u << 2 /* beyond the largest float32, infinite ones too */
};

/* Copies, and says what it saw. */
uint32_t hb_take_float32(const float *from, size_t rows, double *to);
uint32_t hb_take_float64(const double *from, size_t rows, double *to);
/* Only says it. */
uint32_t hb_look_at64(const double *from, size_t n);

#endif
