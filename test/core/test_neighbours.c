/* test_neighbours.c - distances, the nearest, and pairs of classes: by plain loops, the same bits of each instruction
 * set, of rows one by one and in a block. */
#include <float.h>
#include <math.h>

#include "support.h"

#include "kernel/coupling64.h"
#include "kernel/kernels_isas.h"
#include "kernel/top_k64.h"
#include "op/execution.h"

enum { WIDTH = 5, VECTORS = 19, ROWS = 67, STRIDE = 70 };

static double draw(uint64_t *seed)
{
    static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 1e-30, 1e30};
    uint64_t r = test_random(seed);

    return r % 13 == 0 ? odd[r / 13 % 9] : (double)(int64_t)(r >> 20) / (double)(1LL << 42);
}

/* ---- pairwise */

static double next(hb_metric metric, double sum, double x, double v)
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
        return sum + pow(apart, 1.5);
    case HB_METRIC_CANBERRA:
        return sum + (x == 0 && v == 0 ? 0 : apart / (fabs(x) + fabs(v)));
    case HB_METRIC_BRAY_CURTIS:
        return sum + apart;
    case HB_METRIC_COSINE:
        return sum + x * v;
    case HB_METRIC_JACCARD:
        return sum + ((x != 0) != (v != 0));
    case HB_METRIC_CHI2:
        return sum + (x + v == 0 ? 0 : apart * apart / (x + v));
    case HB_METRIC_KNOWN:
        return isnan(apart) ? sum : sum + apart * apart;
    default:
        return sum + (x != v);
    }
}

static double next_below(hb_metric metric, double sum, double x, double v)
{
    return metric == HB_METRIC_BRAY_CURTIS ? sum + (fabs(x) + fabs(v))
           : metric == HB_METRIC_JACCARD   ? sum + (x != 0 || v != 0)
                                           : sum + !isnan(x - v);
}

/* The distance between row r and vector v. */
static double measured(hb_metric metric, const double *x, size_t r, const double *v)
{
    double sum = 0, below = 0;

    for (size_t c = 0; c < WIDTH; c++) {
        sum = next(metric, sum, x[c * STRIDE + r], v[c]);
        below = next_below(metric, below, x[c * STRIDE + r], v[c]);
    }
    if (metric == HB_METRIC_COSINE)
        return 1 - sum < 0 ? 0 : 1 - sum > 2 ? 2 : 1 - sum;
    if (metric == HB_METRIC_KNOWN)
        return sum / below * WIDTH;
    if (metric == HB_METRIC_BRAY_CURTIS || metric == HB_METRIC_JACCARD)
        return below == 0 ? 0 : sum / below;
    return sum;
}

static bool is_near(double a, double b, double relative)
{
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= relative * fabs(b);
}

/* In groups, as the kernel has them. */
static const double *in_groups(const double *vectors)
{
    static double blocks[(VECTORS + HB_VECTOR_GROUP) * WIDTH];

    for (size_t v = 0; v < VECTORS; v++)
        for (size_t c = 0; c < WIDTH; c++)
            blocks[(v / HB_VECTOR_GROUP * WIDTH + c) * HB_VECTOR_GROUP + v % HB_VECTOR_GROUP] = vectors[v * WIDTH + c];
    return blocks;
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
                    hb_kernels_at(isa)->hb_pairwise64(&tile, (hb_metric)metric, 1.5, in_groups(vectors), VECTORS);
                }
                for (size_t v = 0; v < VECTORS; v++)
                    for (size_t r = 0; r < ROWS; r++) {
                        double want = measured((hb_metric)metric, x, r, vectors + v * WIDTH);
                        double y = found[v * STRIDE + r];

                        if (!is_near(y, want, metric == HB_METRIC_MINKOWSKI ? 1e-14 : 0))
                            fail_msg("metric %d, %s: %a, not %a", metric, hb_kernels_at(isa)->name, y, want);
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
        hb_kernels_at(0)->hb_pairwise64(&(hb_tile64){x, first, WIDTH, STRIDE, ROWS}, (hb_metric)metric, 1.5,
                                        in_groups(vectors), VECTORS);
        for (size_t isa = 0; hb_kernels_at(isa); isa++)
            for (size_t r = 0; r < ROWS; r++) {
                hb_kernels_at(isa)->hb_pairwise64(&(hb_tile64){x + r, y + r, WIDTH, STRIDE, 1}, (hb_metric)metric, 1.5,
                                                  in_groups(vectors), VECTORS);
                for (size_t v = 0; v < VECTORS; v++)
                    assert_memory_equal(&first[v * STRIDE + r], &y[v * STRIDE + r], sizeof(double));
            }
    }
}

/* ---- neighbours */

enum { MANY = 83, MOST_K = 90 };

/* Rows with NaN are refused before: lanes leave it out of the largest. */
static double far_from(hb_metric metric, const double *x, size_t r, const double *v)
{
    double largest = 0, far = measured(metric, x, r, v);

    for (size_t c = 0; metric == HB_METRIC_CHEBYSHEV && c < WIDTH; c++)
        far = largest = fabs(x[c * STRIDE + r] - v[c]) > largest ? fabs(x[c * STRIDE + r] - v[c]) : largest;
    return isnan(far) ? INFINITY : far;
}

/* The vectors in groups of HB_VECTOR_GROUP. */
static void group(const double *vectors, size_t n, double *to)
{
    memset(to, 0, hb_in_groups(n) * WIDTH * sizeof(*to));
    for (size_t v = 0; v < n; v++)
        for (size_t c = 0; c < WIDTH; c++)
            to[v / HB_VECTOR_GROUP * HB_VECTOR_GROUP * WIDTH + c * HB_VECTOR_GROUP + v % HB_VECTOR_GROUP] =
                vectors[v * WIDTH + c];
}

/* The same in float32, in groups of HB_NARROW_GROUP. */
static void narrow_down(const double *vectors, size_t n, float *to, double *most)
{
    *most = 0;
    for (size_t v = 0; v < hb_in_narrow_groups(n); v++)
        for (size_t c = 0; c < WIDTH; c++) {
            double x = v < n ? vectors[v * WIDTH + c] : INFINITY;

            to[v / HB_NARROW_GROUP * HB_NARROW_GROUP * WIDTH + c * HB_NARROW_GROUP + v % HB_NARROW_GROUP] = (float)x;
            *most = v < n && fabs(x) > *most ? fabs(x) : *most;
        }
}

/* Evaluates rows first to first + n - 1. */
static void find(const hb_fit_neighbours *fit, size_t isa, const double *x, size_t first, size_t n, double *out)
{
    hb_call call = {.kernels = hb_kernels_at(isa),
                    .fit = fit,
                    .stride = STRIDE,
                    .rows = n,
                    .input_width = WIDTH,
                    .width = 2 * fit->k,
                    .input = x + first,
                    .output = out + first};

    assert_true(hb_evaluate_neighbours(&call));
}

static void check_nearest(const hb_fit_neighbours *fit, const double *vectors, const double *x, const double *out)
{
    for (size_t r = 0; r < ROWS; r++) {
        double far[MANY];

        for (size_t v = 0; v < fit->n_vectors; v++) {
            far[v] = far_from(fit->metric, x, r, vectors + v * WIDTH);
        }
        for (size_t i = 0; i < fit->k; i++) {
            size_t place = (size_t)out[(fit->k + i) * STRIDE + r], better = 0;

            assert_true(place < fit->n_vectors);
            if (!is_near(out[i * STRIDE + r], far[place], fit->metric == HB_METRIC_MINKOWSKI ? 1e-14 : 0))
                fail_msg("metric %d: %a, not %a", fit->metric, out[i * STRIDE + r], far[place]);
            for (size_t v = 0; v < fit->n_vectors; v++)
                better += far[v] < far[place] || (far[v] == far[place] && v < place);
            if (better != i && fit->metric != HB_METRIC_MINKOWSKI)
                fail_msg("metric %d, row %zu: vector %zu is number %zu, not %zu", fit->metric, r, place, better, i);
        }
    }
}

/* Many equal distances, and infinite ones. */
static void fill_numbers(double *numbers, size_t n, bool is_odd, uint64_t *seed)
{
    for (size_t i = 0; i < n; i++)
        numbers[i] = is_odd ? draw(seed) : (double)(test_random(seed) % 5) - 2;
}

static void neighbours_are_those_of_a_loop(void **state)
{
    static double x[WIDTH * STRIDE], vectors[MANY * WIDTH], groups[(MANY + 8) * WIDTH], out[2 * MOST_K * STRIDE];
    static double first[2 * MOST_K * STRIDE];
    static float narrow[(MANY + 32) * WIDTH];
    static const size_t ks[] = {1, 2, 7, 20, MANY}, counts[] = {MANY, 8, 1};
    uint64_t seed = 21;

    for (int metric = HB_METRIC_DOT + 1; metric < HB_N_METRICS; metric++)
        for (size_t turn = 0; turn < 2 * sizeof ks / sizeof *ks * sizeof counts / sizeof *counts; turn++) {
            size_t n = counts[turn / 2 % 3], k = ks[turn / 6] < n ? ks[turn / 6] : n;
            hb_fit_neighbours fit = {(hb_metric)metric, 1.5, k, n, WIDTH, groups, NULL, 0};

            fill_numbers(x, WIDTH * STRIDE, turn % 2, &seed);
            fill_numbers(vectors, n * WIDTH, turn % 2, &seed);
            group(vectors, n, groups);
            find(&fit, 0, x, 0, ROWS, first);
            check_nearest(&fit, vectors, x, first);
            if (metric == HB_METRIC_SQUARED_EUCLIDEAN) {
                narrow_down(vectors, n, narrow, &fit.most);
                fit.narrow = narrow;
            }
            for (size_t isa = 0; hb_kernels_at(isa); isa++)
                for (size_t at = 0, rows; at < ROWS; at += rows) {
                    rows = isa % 2 ? 1 : ROWS - at < 23 ? ROWS - at : 23;
                    find(&fit, isa, x, at, rows, out);
                    for (size_t i = 0; i < 2 * k; i++)
                        assert_memory_equal(out + i * STRIDE + at, first + i * STRIDE + at, rows * sizeof(double));
                }
        }
}

/* ---- impute_nearest */

/* The mean of column c of the k nearest vectors that have it; where none is near, 7. */
static double expected_mean(const hb_fit_impute_nearest *fit, const double *vectors, const double *x, size_t r,
                            size_t c)
{
    double far[MANY], sum = 0, weights = 0;
    size_t taken[MOST_K], n = 0;

    for (size_t v = 0; v < fit->n_vectors; v++) {
        double squares = 0;
        size_t known = 0;

        for (size_t i = 0; i < WIDTH; i++)
            if (!isnan(x[i * STRIDE + r]) && !isnan(vectors[v * WIDTH + i])) {
                squares += (x[i * STRIDE + r] - vectors[v * WIDTH + i]) * (x[i * STRIDE + r] - vectors[v * WIDTH + i]);
                known++;
            }
        far[v] = known && !isnan(vectors[v * WIDTH + c]) ? squares / (double)known * WIDTH : INFINITY;
    }
    while (n < fit->k && n < fit->n_vectors) {
        size_t best = SIZE_MAX;

        for (size_t v = 0; v < fit->n_vectors; v++) {
            bool is_taken = false;

            for (size_t i = 0; i < n; i++)
                is_taken |= taken[i] == v;
            if (!is_taken && far[v] < INFINITY && (best == SIZE_MAX || far[v] < far[best]))
                best = v;
        }
        if (best == SIZE_MAX)
            break;
        taken[n++] = best;
    }
    for (size_t i = 0; i < n; i++) {
        double weight = !fit->by_distance ? 1 : far[taken[0]] == 0 ? far[taken[i]] == 0 : 1 / sqrt(far[taken[i]]);

        sum += weight * vectors[taken[i] * WIDTH + c];
        weights += weight;
    }
    return n ? sum / weights : 7;
}

static void missing_numbers_become_means_of_the_nearest(void **state)
{
    static const double fill[WIDTH] = {7, 7, 7, 7, 7};
    static double x[WIDTH * STRIDE], vectors[MANY * WIDTH], groups[(MANY + 8) * WIDTH], out[WIDTH * STRIDE];
    uint64_t seed = 31;

    for (int turn = 0; turn < 24; turn++) {
        size_t n = turn % 3 ? MANY : 3, k = turn % 4 ? 5 : 1;
        const hb_fit_impute_nearest fit = {k, turn % 2, n, WIDTH, groups, fill};

        for (size_t i = 0; i < WIDTH * STRIDE; i++)
            x[i] = test_random(&seed) % 3 ? (double)(test_random(&seed) % 9) : NAN;
        for (size_t i = 0; i < n * WIDTH; i++)
            vectors[i] = test_random(&seed) % 4 ? (double)(test_random(&seed) % 9) : NAN;
        group(vectors, n, groups);
        for (size_t isa = 0; hb_kernels_at(isa); isa++) {
            hb_call call = {.kernels = hb_kernels_at(isa),
                            .fit = &fit,
                            .stride = STRIDE,
                            .rows = ROWS,
                            .input_width = WIDTH,
                            .width = WIDTH,
                            .input = x,
                            .output = out};

            assert_true(hb_evaluate_impute_nearest(&call));
            for (size_t r = 0; r < ROWS; r++)
                for (size_t c = 0; c < WIDTH; c++) {
                    double own = x[c * STRIDE + r], want = isnan(own) ? expected_mean(&fit, vectors, x, r, c) : own;

                    if (out[c * STRIDE + r] != want)
                        fail_msg("turn %d, row %zu, column %zu: %a, not %a", turn, r, c, out[c * STRIDE + r], want);
                }
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
        cmocka_unit_test(neighbours_are_those_of_a_loop),
        cmocka_unit_test(missing_numbers_become_means_of_the_nearest),
        cmocka_unit_test(the_best_come_first_and_of_equal_ones_the_first),
        cmocka_unit_test(pairs_that_agree_give_their_probabilities),
        cmocka_unit_test(any_pairs_come_to_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
