/* test_quotient.c - numbers divided by one number, by the products of each instruction set: the bits of the division.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/kernels.h"
#include "support.h"

enum { ROWS = 64, TILES = 20000 };

static uint64_t state = 20251;

static uint64_t next(void)
{
    return test_random(&state);
}

static double of_bits(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* Any digits, and an exponent from -`range` to `range`. */
static double any_number(int range)
{
    double digits = of_bits((next() & 0x000fffffffffffff) | 0x3ff0000000000000);

    return (next() & 1 ? -1 : 1) * ldexp(digits, (int)(next() % (2 * (uint64_t)range + 1)) - range);
}

static double next_to(double x, int steps)
{
    for (; steps > 0; steps--)
        x = nextafter(x, INFINITY);
    for (; steps < 0; steps++)
        x = nextafter(x, -INFINITY);
    return x;
}

/* A multiple of the divisor or its neighbour, whose quotient is nearly a number of float64. */
static double near_multiple(double divisor)
{
    return next_to(any_number(30) * divisor, (int)(next() % 7) - 3);
}

/* The quotient lies nearly halfway between two numbers: the divisor times a number of 54 digits. */
static double near_halfway(double divisor)
{
    long double halfway = (long double)any_number(30);

    halfway += (next() & 1 ? 1 : -1) * ldexpl(fabsl(halfway), -54);
    return next_to((double)(halfway * (long double)divisor), (int)(next() % 3) - 1);
}

static const double special[] = {0,        -0.0,      NAN,     INFINITY,   -INFINITY,  5e-324,   -5e-324, 1e-310,
                                 DBL_MAX,  -DBL_MAX,  DBL_MIN, 0x1p-900,   0x1p-901,   0x1p900,  0x1p901, 1,
                                 0x1p-100, 0x1p-1000, 0x1p100, 0x1.fp1000, -0x1p-1022, 0x1p-1022};
enum { N_SPECIAL = sizeof(special) / sizeof(special[0]) };

static void make_numbers(double divisor, double *x)
{
    for (int i = 0; i < ROWS; i++)
        switch (next() % 4) {
        case 0:
            x[i] = any_number(500);
            break;
        case 1:
            x[i] = near_multiple(divisor);
            break;
        case 2:
            x[i] = near_halfway(divisor);
            break;
        default:
            x[i] = any_number(3);
        }
}

/* NaN of whatever payload: which operand's it is differs from division to division. */
static void assert_same_double(double found, double wanted)
{
    if (!isnan(found) || !isnan(wanted))
        assert_memory_equal(&found, &wanted, sizeof(found));
}

static void check_quotients(const double *x, size_t rows, double divisor)
{
    double in[ROWS], out[ROWS], wanted[ROWS];

    for (size_t i = 0; i < rows; i++)
        wanted[i] = x[i] / divisor;
    for (size_t s = 0; hb_kernels_at(s); s++) {
        memcpy(in, x, sizeof(in));
        hb_kernels_at(s)->hb_quotient64(&(hb_tile64){in, out, 1, ROWS, rows}, &divisor);
        for (size_t i = 0; i < rows; i++)
            assert_same_double(out[i], wanted[i]);
        hb_kernels_at(s)->hb_divide64(&(hb_tile64){in, in, 1, ROWS, rows}, divisor);
        for (size_t i = 0; i < rows; i++)
            assert_same_double(in[i], wanted[i]);
    }
}

static void test_digits(void **unused)
{
    double x[ROWS];

    (void)unused;
    for (int t = 0; t < TILES; t++) {
        double divisor = t % 8 == 0 ? next_to(2, -1 - (int)(next() % 8)) : any_number(t % 3 ? 2 : 110);

        make_numbers(divisor, x);
        check_quotients(x, (size_t)(t % 5 ? ROWS : 1 + t % ROWS), divisor);
    }
}

/* Zeros of both signs, missing and infinite numbers, numbers at the ends of the range, alone among others. */
static void test_special(void **unused)
{
    double x[ROWS];

    (void)unused;
    for (int s = 0; s < N_SPECIAL; s++)
        for (int d = 0; d < N_SPECIAL; d++)
            for (int turn = 0; turn < 4; turn++) {
                double divisor = turn < 2 ? special[d] : any_number(10);

                make_numbers(isnormal(divisor) ? divisor : 1, x);
                for (int i = turn % 2 ? 5 : 0; i < ROWS; i += turn % 2 ? ROWS : 3)
                    x[i] = special[(s + i) % N_SPECIAL];
                check_quotients(x, ROWS, divisor);
            }
}

/* A row by itself, and several columns. */
static void test_shapes(void **unused)
{
    double in[4 * ROWS], out[4 * ROWS], divisors[4] = {3, 0x1.8p-40, -7e5, 0};

    (void)unused;
    for (size_t c = 0; c < 4; c++)
        make_numbers(divisors[c] != 0 ? divisors[c] : 1, in + c * ROWS);
    for (size_t s = 0; hb_kernels_at(s); s++)
        for (size_t rows = 1; rows <= ROWS; rows++) {
            hb_kernels_at(s)->hb_quotient64(&(hb_tile64){in, out, 4, ROWS, rows}, divisors);
            for (size_t c = 0; c < 4; c++)
                for (size_t r = 0; r < rows; r++)
                    assert_same_double(out[c * ROWS + r], in[c * ROWS + r] / divisors[c]);
        }
    for (size_t s = 0; hb_kernels_at(s); s++) {
        hb_kernels_at(s)->hb_quotient64(&(hb_tile64){in, out, 4, 1, 1}, divisors);
        for (size_t c = 0; c < 4; c++)
            assert_same_double(out[c], in[c] / divisors[c]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_digits), cmocka_unit_test(test_special),
                                       cmocka_unit_test(test_shapes)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
