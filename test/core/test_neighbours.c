/* test_neighbours.c - distances, the nearest, and pairs of classes: by plain loops, the same bits of each instruction
 * set, of rows one by one and in a block. */
#include <float.h>
#include <math.h>

#include "support.h"

#include "kernel/coupling64.h"
#include "kernel/kernels_isas.h"
#include "kernel/top_k64.h"

enum { WIDTH = 5, VECTORS = 19, ROWS = 67, STRIDE = 70 };

static double draw(uint64_t *seed)
{
    static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 1e-30, 1e30};
    uint64_t r = test_random(seed);

    return r % 13 == 0 ? odd[r / 13 % 9] : (double)(int64_t)(r >> 20) / (double)(1LL << 42);
}

/* ---- pairwise */

static double next(hb_metric metric, double power, double sum, double x, double v)
{
    double apart = fabs(x - v);

    switch (metric) {
    case HB_METRIC_DOT:
        return sum + x * v;
    case HB_METRIC_SQUARED_EUCLIDEAN:
        return sum + apart * apart;
    case HB_METRIC_MANHATTAN:
        return sum + apart;
    case HB_METRIC_CHEBYSHEV:
        return isnan(sum) || isnan(apart) ? NAN : apart > sum ? apart : sum;
    case HB_METRIC_MINKOWSKI:
        return sum + pow(apart, power);
    case HB_METRIC_CANBERRA:
        return sum + (x == 0 && v == 0 ? 0 : apart / (fabs(x) + fabs(v)));
    default:
        return sum + (x != v);
    }
}

static bool is_near(double a, double b, double relative)
{
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= relative * fabs(b);
}

static void distances_are_those_of_a_loop(void **state)
{
    static double x[WIDTH * STRIDE], vectors[VECTORS * WIDTH], found[VECTORS * STRIDE];
    uint64_t seed = 5;

    for (size_t i = 0; i < WIDTH * STRIDE; i++)
        x[i] = draw(&seed);
    for (size_t i = 0; i < VECTORS * WIDTH; i++)
        vectors[i] = draw(&seed);
    for (int metric = 0; metric < HB_N_METRICS; metric++)
        for (size_t isa = 0; hb_kernels_at(isa); isa++)
            for (int blocks = 0; blocks < 2; blocks++) {
                for (size_t r = 0, n; r < ROWS; r += n) {
                    hb_tile64 tile = {x + r, found + r, WIDTH, STRIDE, blocks ? ROWS : 1};

                    n = tile.rows;
                    hb_kernels_at(isa)->hb_pairwise64(&tile, (hb_metric)metric, 1.5, vectors, VECTORS);
                }
                for (size_t v = 0; v < VECTORS; v++)
                    for (size_t r = 0; r < ROWS; r++) {
                        double sum = 0, y = found[v * STRIDE + r];

                        for (size_t c = 0; c < WIDTH; c++)
                            sum = next((hb_metric)metric, 1.5, sum, x[c * STRIDE + r], vectors[v * WIDTH + c]);
                        if (!is_near(y, sum, metric == HB_METRIC_MINKOWSKI ? 1e-14 : 0))
                            fail_msg("metric %d, %s: %a, not %a", metric, hb_kernels_at(isa)->name, y, sum);
                    }
            }
}

static void distances_have_one_set_of_bits(void **state)
{
    static double x[WIDTH * STRIDE], vectors[VECTORS * WIDTH], first[VECTORS * STRIDE], y[VECTORS * STRIDE];
    uint64_t seed = 7;

    for (size_t i = 0; i < WIDTH * STRIDE; i++)
        x[i] = draw(&seed);
    for (size_t i = 0; i < VECTORS * WIDTH; i++)
        vectors[i] = draw(&seed);
    for (int metric = 0; metric < HB_N_METRICS; metric++) {
        hb_kernels_at(0)->hb_pairwise64(&(hb_tile64){x, first, WIDTH, STRIDE, ROWS}, (hb_metric)metric, 1.5, vectors,
                                        VECTORS);
        for (size_t isa = 0; hb_kernels_at(isa); isa++)
            for (size_t r = 0; r < ROWS; r++) {
                hb_kernels_at(isa)->hb_pairwise64(&(hb_tile64){x + r, y + r, WIDTH, STRIDE, 1}, (hb_metric)metric, 1.5,
                                                  vectors, VECTORS);
                for (size_t v = 0; v < VECTORS; v++)
                    assert_memory_equal(&first[v * STRIDE + r], &y[v * STRIDE + r], sizeof(double));
            }
    }
}

/* ---- top_k */

/* Whether number a of x comes before number b. */
static bool comes_before(const double *x, size_t a, size_t b, bool largest)
{
    if (isnan(x[a]) != isnan(x[b]))
        return isnan(x[b]);
    if (isnan(x[a]) || x[a] == x[b])
        return a < b;
    return largest ? x[a] > x[b] : x[a] < x[b];
}

static void the_best_come_first_and_of_equal_ones_the_first(void **state)
{
    enum { MOST = 40 };
    uint64_t seed = 11;

    for (int turn = 0; turn < 4000; turn++) {
        double x[MOST], numbers[2 * MOST], places[2 * MOST];
        size_t n = 1 + test_random(&seed) % MOST, k = 1 + test_random(&seed) % n, stride = 1 + test_random(&seed) % 2;
        bool largest = turn % 2;
        double spaced[2 * MOST];

        for (size_t i = 0; i < n; i++) {
            uint64_t r = test_random(&seed);

            x[i] = r % 9 == 0 ? NAN : r % 7 == 0 ? INFINITY : (double)(r / 63 % 10);
            spaced[i * stride] = x[i];
        }
        hb_top_k64(spaced, n, stride, k, largest, numbers, places);
        for (size_t i = 0; i < k; i++) {
            size_t place = (size_t)places[i * stride], better = 0;

            assert_true(place < n);
            assert_memory_equal(&numbers[i * stride], &x[place], sizeof(double));
            for (size_t j = 0; j < n; j++)
                better += comes_before(x, j, place, largest);
            assert_int_equal(better, i);
        }
    }
}

/* ---- coupling */

/* Where pairs say p_i / (p_i + p_j) of some probabilities, these are the answer. */
static void pairs_that_agree_give_their_probabilities(void **state)
{
    static const double p[5] = {0.4, 0.1, 0.05, 0.25, 0.2};
    double pairs[10];
    hb_coupling c;
    size_t n = 0;

    for (size_t i = 0; i < 5; i++)
        for (size_t j = i + 1; j < 5; j++)
            pairs[n++] = p[i] / (p[i] + p[j]);
    hb_coupling_begin(&c, pairs, 5, 1);
    while (hb_coupling_next(&c)) {
    }
    for (size_t i = 0; i < 5; i++)
        if (fabs(c.p[i] - p[i]) > 0.01)
            fail_msg("class %zu has %g, not %g", i, c.p[i], p[i]);
}

/* However they contradict each other, it comes to an end, and probabilities add up to 1. */
static void any_pairs_come_to_an_end(void **state)
{
    double pairs[HB_COUPLING_ROOM * (HB_COUPLING_ROOM - 1) / 2];
    static const size_t sizes[] = {2, 3, 17, HB_COUPLING_ROOM};
    uint64_t seed = 3;

    for (size_t k = 0; k < 4; k++) {
        size_t n = sizes[k], rounds = 0;
        double sum = 0;
        hb_coupling c;

        for (size_t i = 0; i < n * (n - 1) / 2; i++)
            pairs[i] = 1e-7 + (double)(test_random(&seed) % 1000) / 1000.1;
        hb_coupling_begin(&c, pairs, n, 1);
        while (hb_coupling_next(&c))
            rounds++;
        assert_true(rounds <= (n > 100 ? n : 100));
        for (size_t i = 0; i < n; i++)
            sum += c.p[i];
        assert_true(fabs(sum - 1) < 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_of_a_loop),
        cmocka_unit_test(distances_have_one_set_of_bits),
        cmocka_unit_test(the_best_come_first_and_of_equal_ones_the_first),
        cmocka_unit_test(pairs_that_agree_give_their_probabilities),
        cmocka_unit_test(any_pairs_come_to_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
