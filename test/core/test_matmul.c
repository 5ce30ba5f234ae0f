/* test_matmul.c - products of matrices of columns: the same bits of each instruction set, of rows one by one and in a
 * block, with columns and with weights on the right, and those of a plain loop. */
#include <math.h>

#include "support.h"

#include "kernel/kernels_isas.h"

enum { TERMS = 5, COLUMNS = 70, ROWS = 67, STRIDE = 68 };

typedef struct matrices {
    double left[TERMS * STRIDE], right[TERMS * COLUMNS * STRIDE], weights[TERMS * COLUMNS];
    double found[COLUMNS * STRIDE], expected[COLUMNS * STRIDE];
} matrices;

static double draw(uint64_t *seed)
{
    static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 16777216, 1e-30, 1e30};
    uint64_t r = test_random(seed);

    return r % 11 == 0 ? (double)(float)odd[r / 11 % 8]
                       : (double)(float)((double)(int64_t)(r >> 20) / (double)(1LL << 40));
}

static void fill(double *to, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        to[i] = draw(&seed);
}

static double plain(const matrices *m, size_t r, size_t j, bool in_float32, bool constant)
{
    double sum = 0;

    for (size_t t = 0; t < TERMS; t++) {
        double x = m->left[t * STRIDE + r];
        double y = constant ? m->weights[t * COLUMNS + j] : m->right[(t * COLUMNS + j) * STRIDE + r];

        sum = in_float32 ? (double)fmaf((float)x, (float)y, (float)sum) : sum + x * y;
    }
    return sum == sum ? sum : NAN;
}

static void check(const matrices *m, size_t first, size_t n, const char *how)
{
    for (size_t j = 0; j < COLUMNS; j++)
        for (size_t r = first; r < first + n; r++)
            if (memcmp(&m->found[j * STRIDE + r], &m->expected[j * STRIDE + r], sizeof(double)) != 0)
                fail_msg("%s: row %zu, column %zu is %a, not %a", how, r, j, m->found[j * STRIDE + r],
                         m->expected[j * STRIDE + r]);
}

static void each_instruction_set_has_the_bits_of_a_loop(void **state)
{
    static matrices m;

    fill(m.left, TERMS * STRIDE, 3);
    fill(m.right, TERMS * COLUMNS * STRIDE, 5);
    fill(m.weights, TERMS * COLUMNS, 7);
    for (int way = 0; way < 4; way++) {
        bool in_float32 = way & 1, constant = way & 2;
        hb_right_matrix right = {constant ? m.weights : m.right, COLUMNS, COLUMNS, constant ? 1 : STRIDE, constant};

        for (size_t j = 0; j < COLUMNS; j++)
            for (size_t r = 0; r < ROWS; r++)
                m.expected[j * STRIDE + r] = plain(&m, r, j, in_float32, constant);
        for (size_t isa = 0; hb_kernels_at(isa); isa++) {
            hb_tile64 tile = {m.left, m.found, TERMS, STRIDE, ROWS};

            hb_kernels_at(isa)->hb_matmul64(&tile, &right, in_float32);
            check(&m, 0, ROWS, hb_kernels_at(isa)->name);
            tile.rows = 3;
            hb_kernels_at(isa)->hb_matmul64(&tile, &right, in_float32);
            check(&m, 0, 3, hb_kernels_at(isa)->name);
        }
    }
}

/* Of one row the columns follow each other. */
static void one_row_has_the_same_bits(void **state)
{
    static matrices m, one;

    fill(m.left, TERMS * STRIDE, 11);
    fill(m.weights, TERMS * COLUMNS, 13);
    for (int way = 0; way < 4; way++) {
        bool in_float32 = way & 1, constant = way & 2;
        hb_right_matrix right = {m.weights, COLUMNS, COLUMNS, 1, constant};

        for (size_t t = 0; t < TERMS; t++)
            one.left[t] = m.left[t * STRIDE];
        for (size_t isa = 0; hb_kernels_at(isa); isa++) {
            hb_tile64 tile = {one.left, one.found, TERMS, 1, 1};

            hb_kernels_at(isa)->hb_matmul64(&tile, &right, in_float32);
            for (size_t j = 0; j < COLUMNS; j++) {
                double expected = plain(&m, 0, j, in_float32, true);

                assert_memory_equal(&one.found[j], &expected, sizeof(expected));
            }
        }
    }
}

enum { LEFT = 14, MANY = 130, WIDE = 45, MOST = 67 };

typedef struct weighted {
    double left[LEFT * MANY * MOST], weights[MANY * WIDE], found[LEFT * WIDE * MOST], expected[LEFT * WIDE * MOST];
} weighted;

/* With many terms nearly each sum would be no number. */
static void fill_with_few_odd(double *to, size_t n, uint64_t seed)
{
    fill(to, n, seed);
    for (size_t i = 0; i < n; i++)
        if (!(fabs(to[i]) < 1e20) && i % 997)
            to[i] = 0.5;
}

/* Several left rows at once have the bits that each has alone. */
static void products_with_weights_in_float32(void **state)
{
    static const size_t rows[] = {1, 2, 9, 33, MOST}, columns[] = {1, 32, WIDE};
    static weighted w;

    fill_with_few_odd(w.left, LEFT * MANY * MOST, 17);
    fill_with_few_odd(w.weights, MANY * WIDE, 19);
    for (size_t k = 0; k < 5 * 3 * 2; k++) {
        size_t n = rows[k % 5], left_rows = k % 2 ? LEFT : 1;
        hb_right_matrix right = {w.weights, columns[k % 3], WIDE, 1, true};

        for (size_t i = 0; i < left_rows; i++)
            hb_kernels_at(0)->hb_matmul64(
                &(hb_tile64){w.left + i * MANY * n, w.expected + i * right.columns * n, MANY, n, n}, &right, true);
        for (size_t isa = 0; hb_kernels_at(isa); isa++) {
            memset(w.found, 0xff, sizeof(w.found));
            hb_kernels_at(isa)->hb_matmul_weights32(&(hb_tile64){w.left, w.found, MANY, n, n}, left_rows, &right,
                                                    right.columns);
            for (size_t i = 0; i < left_rows * right.columns * n; i++)
                if (memcmp(&w.found[i], &w.expected[i], sizeof(double)) != 0)
                    fail_msg("%s, %zu rows, %zu left rows: number %zu is %a, not %a", hb_kernels_at(isa)->name, n,
                             left_rows, i, w.found[i], w.expected[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_instruction_set_has_the_bits_of_a_loop),
        cmocka_unit_test(one_row_has_the_same_bits),
        cmocka_unit_test(products_with_weights_in_float32),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
