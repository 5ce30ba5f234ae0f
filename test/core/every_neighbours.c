/* every_neighbours.c - distances from stored rows, the nearest of them, and what is looked up there. */
#include "every_parts.h"

#include <float.h>
#include <math.h>

static void set_pairwise(test_pipeline *p, every_setting *op, size_t width)
{
    double *vectors = take_numbers(p, width, 0, 0);

    FOR_COLUMNS vectors[c] = weight(c);
    op->fit.pairwise = (hb_fit_pairwise){
        .metric = HB_METRIC_SQUARED_EUCLIDEAN, .n_vectors = 1, .n_features = width, .vectors = vectors};
}

static void expect_pairwise(const double *x, size_t width, double *y)
{
    *y = 0;
    FOR_COLUMNS *y += (x[c] - weight(c)) * (x[c] - weight(c));
}

static void set_top_k(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p;
    op->fit.top_k = (hb_fit_top_k){width, 1, true};
}

static void expect_top(const double *x, size_t width, double *y)
{
    y[1] = 0;
    FOR_COLUMNS y[1] = x[c] > x[(size_t)y[1]] ? (double)c : y[1];
    y[0] = x[(size_t)y[1]];
}

/* Two vectors in a group. */
static void set_neighbours(test_pipeline *p, every_setting *op, size_t width)
{
    double *vectors = take_numbers(p, width * HB_VECTOR_GROUP, 0, 0);

    FOR_COLUMNS
    {
        vectors[c * HB_VECTOR_GROUP] = weight(c);
        vectors[c * HB_VECTOR_GROUP + 1] = 1 - weight(c);
    }
    op->fit.neighbours = (hb_fit_neighbours){
        .metric = HB_METRIC_SQUARED_EUCLIDEAN, .k = 1, .n_vectors = 2, .n_features = width, .vectors = vectors};
}

static void expect_neighbours(const double *x, size_t width, double *y)
{
    double first = 0, second = 0;

    FOR_COLUMNS
    {
        double other = x[c] - (1 - weight(c));

        first += (x[c] - weight(c)) * (x[c] - weight(c));
        second += other * other;
    }
    first = first < INFINITY ? first : INFINITY;
    y[1] = second < first;
    y[0] = second < first ? second : first;
}

static void set_impute_nearest(test_pipeline *p, every_setting *op, size_t width)
{
    const double *vectors;

    set_neighbours(p, op, width);
    vectors = op->fit.neighbours.vectors;
    op->fit.impute_nearest = (hb_fit_impute_nearest){
        .k = 1, .n_vectors = 2, .n_features = width, .vectors = vectors, .fill = take_numbers(p, width, 2.5, 0)};
}

static void expect_impute_nearest(const double *x, size_t width, double *y)
{
    double first = 0, second = 0;
    size_t known = 0;

    FOR_COLUMNS
    {
        double apart = x[c] - weight(c), other = x[c] - (1 - weight(c));

        known += !isnan(x[c]);
        first += isnan(x[c]) ? 0 : apart * apart;
        second += isnan(x[c]) ? 0 : other * other;
    }
    FOR_COLUMNS
    {
        double mean = second < first ? 1 - weight(c) : weight(c);

        y[c] = !isnan(x[c]) ? x[c] : known && first < INFINITY ? mean : 2.5;
    }
}

static void set_look_up(test_pipeline *p, every_setting *op, size_t width)
{
    op->fit.look_up = (hb_fit_look_up){
        .n_outputs = width, .n_places = 3, .step = 1, .n_numbers = 3, .numbers = take_numbers(p, 3, 0, 2.5)};
}

EXPECT(looked_up, x >= -3 && x < 3 ? 2.5 * (double)(size_t)(x < 0 ? x + 3 : x) : NAN)

/* Two classes, whose pair is one number. */
static void set_coupling(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p;
    (void)width;
    op->fit.coupling = (hb_fit_coupling){2};
}

/* The paper's steps with the whole matrix. */
static void expect_coupling(const double *x, size_t width, double *y)
{
    double r[2] = {1 - x[0], x[0]}; /* of class 1 beside 0, of 0 beside 1 */
    double q[2][2] = {{r[0] * r[0], -r[0] * r[1]}, {-r[0] * r[1], r[1] * r[1]}}, p[2] = {0.5, 0.5};

    (void)width;
    for (int round = 0; round < 100; round++) {
        double qp[2] = {q[0][0] * p[0] + q[0][1] * p[1], q[1][0] * p[0] + q[1][1] * p[1]};
        double all = p[0] * qp[0] + p[1] * qp[1];

        if (fabs(qp[0] - all) < 0.0025 && fabs(qp[1] - all) < 0.0025)
            break;
        for (int t = 0; t < 2; t++) {
            double step = (all - qp[t]) / q[t][t];

            p[t] += step;
            all = (all + step * (step * q[t][t] + 2 * qp[t])) / (1 + step) / (1 + step);
            for (int j = 0; j < 2; j++) {
                qp[j] = (qp[j] + step * q[t][j]) / (1 + step);
                p[j] /= 1 + step;
            }
        }
    }
    y[0] = p[0];
    y[1] = p[1];
}

/* The vectors are at right angles, so the one with the largest product is found. */
static void set_pursuit(test_pipeline *p, every_setting *op, size_t width)
{
    double *gram = take_numbers(p, width * width, 0, 0);

    FOR_COLUMNS gram[c * width + c] = 1;
    op->fit.pursuit = (hb_fit_pursuit){.n_vectors = width, .k = 1, .gram = gram};
}

static void expect_pursuit(const double *x, size_t width, double *y)
{
    size_t largest = 0;

    FOR_COLUMNS
    {
        if (!isnan(x[largest]) && (isnan(x[c]) || fabs(x[c]) > fabs(x[largest])))
            largest = c;
        y[c] = 0;
    }
    y[largest] = x[largest];
}

/* The vectors are at right angles, so each has its own product, less the penalty. */
static void set_descent(test_pipeline *p, every_setting *op, size_t width)
{
    set_pursuit(p, op, width);
    op->fit.descent = (hb_fit_descent){
        .rule = HB_DESCENT_SLOPE, .n_vectors = width, .n_rounds = 1, .penalty = 0.5, .gram = op->fit.pursuit.gram};
}

static void expect_descent(const double *x, size_t width, double *y)
{
    bool is_finite = true;

    FOR_COLUMNS is_finite &= isfinite(x[c]) != 0;
    FOR_COLUMNS y[c] = is_finite ? fmax(x[c] - 0.5, 0) : NAN;
}

/* One step: the first of the largest products goes on until the next smaller one is as good. */
static void set_least_angle(test_pipeline *p, every_setting *op, size_t width)
{
    set_pursuit(p, op, width);
    op->fit.least_angle = (hb_fit_least_angle){
        .n_vectors = width, .n_rounds = 1, .lasso = true, .positive = true, .n_terms = 1, .gram = op->fit.pursuit.gram};
}

static void expect_least_angle(const double *x, size_t width, double *y)
{
    bool is_finite = true;
    size_t largest = 0;
    double next = 0;

    FOR_COLUMNS largest = x[c] > x[largest] ? c : largest;
    FOR_COLUMNS
    {
        is_finite &= isfinite(x[c]) != 0;
        next = x[c] < x[largest] ? fmax(next, x[c]) : next;
        y[c] = 0;
    }
    y[largest] = x[largest] > FLT_EPSILON ? x[largest] - next : 0;
    FOR_COLUMNS y[c] = is_finite ? y[c] : NAN;
}

/* The columns are places of one vector. */
static void set_barycentre(test_pipeline *p, every_setting *op, size_t width)
{
    double *vectors = take_numbers(p, width, 0, 0);

    read_twice(op);
    FOR_COLUMNS vectors[c] = weight(c);
    op->fit.barycentre =
        (hb_fit_barycentre){.k = width, .part = 1, .n_vectors = 1, .n_features = width, .vectors = vectors};
}

static void expect_barycentre(const double *x, size_t width, double *y)
{
    bool is_there = true;

    FOR_COLUMNS is_there &= x[c] >= 0 && x[c] < 1;
    FOR_COLUMNS y[c] = is_there ? 1 / (double)width : NAN;
}

/* ---- the list */

/* clang-format off */
const every_operator every_neighbours_rows[] = {
    ROW(PAIRWISE, set_pairwise, expect_pairwise, 0, FLOAT64, CLOSE)
    ROW(NEIGHBOURS, set_neighbours, expect_neighbours, 0, FLOAT64, CLOSE)
    ROW(IMPUTE_NEAREST, set_impute_nearest, expect_impute_nearest, 0, FLOAT64, CLOSE)
    ROW(TOP_K, set_top_k, expect_top, 0, FLOAT64, EXACT)
    ROW(LOOK_UP, set_look_up, expect_looked_up, 0, FLOAT64, EXACT)
    ROW(COUPLING, set_coupling, expect_coupling, 1, FLOAT64, CLOSE)
    ROW(PURSUIT, set_pursuit, expect_pursuit, 0, FLOAT64, CLOSE)
    ROW(BARYCENTRE, set_barycentre, expect_barycentre, 0, FLOAT64, CLOSE)
    ROW(DESCENT, set_descent, expect_descent, 0, FLOAT64, CLOSE)
    ROW(LEAST_ANGLE, set_least_angle, expect_least_angle, 0, FLOAT64, CLOSE)
};
/* clang-format on */

const size_t n_every_neighbours = sizeof(every_neighbours_rows) / sizeof(every_neighbours_rows[0]);
