/* shortest.h - the shortest decimal digits of a double, by whole numbers that hold it exactly. */
#ifndef HB_BASE_SHORTEST_H
#define HB_BASE_SHORTEST_H

#include <stdbool.h>
#include <stdint.h>

/* The shortest decimal that reads back as `number`, and of several such the nearest: digits x 10^exponent, whose last
 * digit is not 0. False where this file cannot say: outside of 1e-34 to 1e15, and for some powers of two. */
bool hb_shortest_digits(double number, uint64_t *digits, int *exponent);

#endif
