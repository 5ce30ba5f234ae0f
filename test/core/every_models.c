/* every_models.c - sums, forests, Gaussian naive Bayes. */
#include "every_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void set_dense(test_pipeline *p, every_setting *op, size_t width)
{
    double *weights = take_numbers(p, width * width, 0, 0);

    for (size_t i = 0; i < width * width; i++)
        weights[i] = weight(i);
    op->fit.dense = (hb_fit_dense){
        .n_outputs = width, .n_features = width, .weights = weights, .bias = take_numbers(p, width, -2, 1)};
}

static void expect_dense(const double *x, size_t width, double *y)
{
    for (size_t o = 0; o < width; o++) {
        y[o] = 0;
        FOR_COLUMNS y[o] += x[c] * weight(o * width + c);
        y[o] += (double)o - 2;
    }
}

/* One weight an output, so that the sums are sparse from 8 columns on. */
static void set_diagonal(test_pipeline *p, every_setting *op, size_t width)
{
    double *weights = take_numbers(p, width * width, 0, 0);

    FOR_COLUMNS weights[c * width + c] = 4 + weight(c);
    op->fit.dense = (hb_fit_dense){
        .n_outputs = width, .n_features = width, .weights = weights, .bias = take_numbers(p, width, -2, 1)};
}

EXPECT(diagonal, x *(4 + weight(c)) + (double)c - 2)

/* One-hot columns, five of each: a pass picks their weights (dense_segments). 0.5 is a category without a column. */
static const double categories[] = {-1, 0, 0.5, 1, 2, 4};
static const int32_t columns_of_categories[] = {4, 0, HB_OUTPUT_NONE, 1, 3, 2};
enum { CATEGORIES = sizeof(categories) / sizeof(categories[0]), CATEGORY_COLUMNS = CATEGORIES - 1 };

static void set_dense_of_categories(test_pipeline *p, every_setting *op, size_t width)
{
    hb_encoder_column *columns = take(p, width, sizeof(*columns));
    hb_encoder encoder = {.n_columns = width,
                          .n_values = CATEGORIES,
                          .width = CATEGORY_COLUMNS * width,
                          .columns = columns,
                          .values = categories,
                          .outputs = columns_of_categories};

    FOR_COLUMNS columns[c] = (hb_encoder_column){.count = CATEGORIES,
                                                 .feature = (uint32_t)c,
                                                 .base = (uint32_t)(CATEGORY_COLUMNS * c),
                                                 .missing = HB_OUTPUT_NONE,
                                                 .unknown = HB_OUTPUT_NONE};
    op->inputs[0] = (uint32_t)test_add(p, ONEHOT, onehot, op->inputs[0], .model = encoder);
    op->fit.dense = (hb_fit_dense){.n_outputs = width,
                                   .n_features = encoder.width,
                                   .weights = take_numbers(p, width * encoder.width, -7, 0.25),
                                   .bias = take_numbers(p, width, -2, 1)};
}

static void expect_dense_of_categories(const double *x, size_t width, double *y)
{
    for (size_t o = 0; o < width; o++) {
        y[o] = (double)o - 2;
        FOR_COLUMNS
        for (int i = 0; i < CATEGORIES; i++)
            if (x[c] == categories[i] && columns_of_categories[i] >= 0)
                y[o] += (double)((o * width + c) * CATEGORY_COLUMNS + (size_t)columns_of_categories[i]) * 0.25 - 7;
    }
}

static void set_product32(test_pipeline *p, every_setting *op, size_t width)
{
    float *weights = take(p, width * width, sizeof(*weights)), *bias = take(p, width, sizeof(*bias));

    for (size_t i = 0; i < width * width; i++)
        weights[i] = (float)weight(i);
    FOR_COLUMNS bias[c] = (float)c - 2;
    op->fit.product32 = (hb_fit_product32){.n_outputs = width, .n_features = width, .weights = weights, .bias = bias};
}

/* Along the one axis of an image: each number and the one before it. */
static void set_convolution(test_pipeline *p, every_setting *op, size_t width)
{
    float *weights = take(p, 2 + HB_CONVOLUTION_TAIL, sizeof(*weights)), *bias = take(p, 1, sizeof(*bias));

    weights[0] = 2;
    weights[1] = -0.5f;
    bias[0] = 1;
    op->fit.convolution = (hb_fit_convolution){
        .n_images = 1,
        .n_groups = 1,
        .n_channels = 1,
        .n_outputs = 1,
        .windows = {{1, 1, (uint32_t)width}, {1, 1, (uint32_t)width}, {1, 1, 2}, {1, 1, 1}, {1, 1, 1}, {0, 0, 1}},
        .limits = {-3, 4},
        .n_weights = 2 + HB_CONVOLUTION_TAIL,
        .weights = weights,
        .bias = bias};
}

static void expect_convolution(const double *x, size_t width, double *y)
{
    FOR_COLUMNS
    {
        double sum = (c ? 2 * x[c - 1] : 0) - 0.5 * x[c] + 1;

        y[c] = sum < -3 ? -3 : sum > 4 ? 4 : sum;
    }
}

/* Images of one item, in groups of one channel with two outputs each. */
static void set_groups(test_pipeline *p, every_setting *op, size_t width)
{
    float *weights = take(p, 2 * width + HB_CONVOLUTION_TAIL, sizeof(*weights)),
          *bias = take(p, 2 * width, sizeof(*bias));

    for (size_t i = 0; i < 2 * width; i++) {
        weights[i] = (float)weight(i);
        bias[i] = (float)i - 2;
    }
    op->fit.convolution =
        (hb_fit_convolution){.n_images = 1,
                             .n_groups = width,
                             .n_channels = 1,
                             .n_outputs = 2,
                             .windows = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}},
                             .limits = {-INFINITY, INFINITY},
                             .n_weights = 2 * width + HB_CONVOLUTION_TAIL,
                             .weights = weights,
                             .bias = bias};
}

static void expect_groups(const double *x, size_t width, double *y)
{
    for (size_t o = 0; o < 2 * width; o++)
        y[o] = x[o / 2] * weight(o) + (double)o - 2;
}

static void set_pool(every_setting *op, size_t width, bool largest, const double *divisors)
{
    op->fit.pool = (hb_fit_pool){
        .n_channels = 1,
        .windows = {{1, 1, (uint32_t)width}, {1, 1, (uint32_t)width}, {1, 1, 2}, {1, 1, 1}, {1, 1, 1}, {0, 0, 1}},
        .largest = largest,
        .n_places = width,
        .divisors = divisors};
}

static void set_largest(test_pipeline *p, every_setting *op, size_t width)
{
    set_pool(op, width, true, NULL);
}

static void expect_largest(const double *x, size_t width, double *y)
{
    FOR_COLUMNS y[c] = c && x[c - 1] > x[c] ? x[c - 1] : x[c];
}

static void set_means(test_pipeline *p, every_setting *op, size_t width)
{
    set_pool(op, width, false, take_numbers(p, width, 1, 1));
}

static void expect_means(const double *x, size_t width, double *y)
{
    FOR_COLUMNS y[c] = (x[c] + (c ? x[c - 1] : 0)) / (double)(c + 1);
}

static void set_gaussian(test_pipeline *p, every_setting *op, size_t width)
{
    double *parameters = take_numbers(p, width * 2, 2, 0);

    FOR_COLUMNS parameters[2 * c] = weight(c);
    op->fit.gaussian_nb = (hb_fit_gaussian_nb){
        .n_outputs = 1, .n_features = width, .parameters = parameters, .constants = take_numbers(p, 1, 3, 0)};
}

static void expect_gaussian(const double *x, size_t width, double *y)
{
    y[0] = 0;
    FOR_COLUMNS y[0] += (x[c] - weight(c)) * (x[c] - weight(c)) / 2;
    y[0] = 3 - 0.5 * y[0];
}

/* Each column becomes 2 above 0.75, else 1. */
static void set_forest(test_pipeline *p, every_setting *op, size_t width)
{
    hb_forest_model *forest = take(p, 1, sizeof(*forest));

    hb_forest_model_init(forest, &p->memory);
    forest->wide = op->wide;
    forest->n_features = forest->n_outputs = width;
    FOR_COLUMNS test_add_tree(
        forest, (const hb_tree_node[]){test_split((int)c, 0.75f, 1, 2), test_leaf(1), test_leaf(2)}, 3, (int)c);
    op->fit.forest.forest = forest;
}

EXPECT(forest, x > 0.75 ? 2 : 1)

static void set_forest_start(test_pipeline *p, every_setting *op, size_t width)
{
    set_forest(p, op, width);
    (void)p;
    read_twice(op);
}

EXPECT(forest_start, x + (x > 0.75 ? 2 : 1))

static const float *take_base_score(test_pipeline *p, size_t width, float base)
{
    float *scores = take(p, width, sizeof(*scores));

    FOR_COLUMNS scores[c] = base;
    return scores;
}

static void set_forest_score(test_pipeline *p, every_setting *op, size_t width)
{
    set_forest(p, op, width);
    op->fit.forest.base_score = take_base_score(p, width, 3);
}

EXPECT(forest_score, 3 + (x > 0.75 ? 2 : 1))

#define FOREST_BASE(name, how, base, margin)                                         \
    static void set_forest_##name(test_pipeline *p, every_setting *op, size_t width) \
    {                                                                                \
        set_forest(p, op, width);                                                    \
        op->fit.forest.base_score = take_base_score(p, width, base);                 \
        op->fit.forest.base_link = how;                                              \
    }                                                                                \
    EXPECT(forest_##name, (x > 0.75 ? 2 : 1) + (margin))

FOREST_BASE(logit, HB_BASE_LOGIT, 0.25f, -log(3))
FOREST_BASE(log, HB_BASE_LOG, 2, log(2))
FOREST_BASE(expectile, HB_BASE_EXPECTILE, 2, c == 0 ? 2 : 1e-6 + log(-expm1(-1e-6)))

static void set_isolation(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->fit.isolation = (hb_fit_isolation){{-0.5, 1}};
}

EXPECT(isolation, 0.5 - exp2(-x))

static void set_median(test_pipeline *p, every_setting *op, size_t width)
{
    op->fit.weighted_median.weights = take_numbers(p, width, 1, 0);
}

static void expect_median(const double *x, size_t width, double *y)
{
    double sorted[1024];

    memcpy(sorted, x, width * sizeof(*x));
    qsort(sorted, width, sizeof(*sorted), compare_doubles);
    y[0] = sorted[(width + 1) / 2 - 1];
}

static void set_linear(test_pipeline *p, every_setting *op, size_t width)
{
    float *weights = take(p, width, sizeof(*weights)), *bias = take(p, 1, sizeof(*bias));

    FOR_COLUMNS weights[c] = (float)weight(c);
    bias[0] = 3;
    op->fit.linear = (hb_fit_linear){.n_outputs = 1,
                                     .n_features = width,
                                     .weights = weights,
                                     .bias = bias,
                                     .base_score = take_base_score(p, 1, 0.5f)};
}

static void expect_linear(const double *x, size_t width, double *y)
{
    y[0] = 3.5;
    FOR_COLUMNS y[0] += x[c] * weight(c);
}

static void set_average(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->fit.average.divisor = 4;
}

EXPECT(average, x / 4)

static void set_affine(test_pipeline *p, every_setting *op, size_t width)
{
    op->fit.affine = (hb_fit_affine){2, take_numbers(p, width, 1, 1)};
}

EXPECT(affine, 2 * x + (double)c + 1)

/* ---- the list */

/* clang-format off */
const every_operator every_models_rows[] = {
    ROW(DENSE, set_dense, expect_dense, 0, FLOAT64, CLOSE)
    ROW(DENSE, set_diagonal, expect_diagonal, 0, FLOAT64, CLOSE)
    ROW(DENSE, set_dense_of_categories, expect_dense_of_categories, 0, FLOAT64, CLOSE)
    ROW(PRODUCT32, set_product32, expect_dense, 0, FLOAT32, CLOSE)
    ROW(CONVOLUTION, set_convolution, expect_convolution, 0, FLOAT32, CLOSE)
    ROW(CONVOLUTION, set_groups, expect_groups, 0, FLOAT32, CLOSE)
    ROW(POOL, set_largest, expect_largest, 0, BOTH, CLOSE)
    ROW(POOL, set_means, expect_means, 0, BOTH, CLOSE)
    ROW(GAUSSIAN_NB, set_gaussian, expect_gaussian, 0, FLOAT64, CLOSE)
    ROW(FOREST, set_forest, expect_forest, 0, BOTH, EXACT)
    ROW(FOREST, set_forest_start, expect_forest_start, 0, FLOAT64, EXACT)
    ROW(FOREST, set_forest_score, expect_forest_score, 0, FLOAT32, EXACT)
    ROW(FOREST, set_forest_logit, expect_forest_logit, 0, FLOAT32, CLOSE)
    ROW(FOREST, set_forest_log, expect_forest_log, 0, FLOAT32, CLOSE)
    ROW(FOREST, set_forest_expectile, expect_forest_expectile, 0, FLOAT32, CLOSE)
    ROW(ISOLATION, set_isolation, expect_isolation, 1, FLOAT64, CLOSE)
    ROW(WEIGHTED_MEDIAN, set_median, expect_median, 0, FLOAT64, EXACT)
    ROW(LINEAR, set_linear, expect_linear, 0, FLOAT32, EXACT)
    ROW(AVERAGE, set_average, expect_average, 0, BOTH, EXACT)
    ROW(AFFINE, set_affine, expect_affine, 0, BOTH, EXACT)
};
/* clang-format on */

const size_t n_every_models = sizeof(every_models_rows) / sizeof(every_models_rows[0]);
