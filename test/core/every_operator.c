/* every_operator.c - see every_operator.h. */
#include "every_operator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *take(test_pipeline *p, size_t n, size_t size)
{
    void *items = hb_arena_array(&p->pipeline.arena, n, size);

    assert_non_null(items);
    return items;
}

static double *take_numbers(test_pipeline *p, size_t n, double first, double step)
{
    double *numbers = take(p, n, sizeof(*numbers));

    for (size_t i = 0; i < n; i++)
        numbers[i] = first + (double)i * step;
    return numbers;
}

/* Whole numbers from -3 to 3. */
static double weight(size_t i)
{
    return (double)(i * 5 % 7) - 3;
}

#define FOR_COLUMNS for (size_t c = 0; c < width; c++)

#define EXPECT(name, expression)                                          \
    static void expect_##name(const double *row, size_t width, double *y) \
    {                                                                     \
        FOR_COLUMNS                                                       \
        {                                                                 \
            double x = row[c];                                            \
                                                                          \
            y[c] = (expression);                                          \
        }                                                                 \
    }

/* ---- columns */

static void set_number(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->fit.mark_missing.number = -1;
}

EXPECT(marked, x == -1 ? NAN : x)
EXPECT(flushed, fabs(x) <= 1e-35 ? 0 : x)

static void set_statistics(test_pipeline *p, every_setting *op, size_t width)
{
    hb_category_equal *equal = take(p, 1, sizeof(*equal));

    *equal = (hb_category_equal){.column = (uint32_t)width - 1, .hash = 2};
    op->fit.category_statistics.model = (hb_category_statistics){.n_equals = 1, .equals = equal};
}

static void expect_statistics(const double *x, size_t width, double *y)
{
    memcpy(y, x, width * sizeof(*y));
    y[width] = x[width - 1] == 2;
}

static const uint32_t *take_reversed(test_pipeline *p, size_t width)
{
    uint32_t *columns = take(p, width, sizeof(*columns));

    FOR_COLUMNS columns[c] = (uint32_t)(width - 1 - c);
    return columns;
}

static void set_columns(test_pipeline *p, every_setting *op, size_t width)
{
    op->fit.select = (hb_fit_select){width, take_reversed(p, width)};
}

static void expect_reversed(const double *x, size_t width, double *y)
{
    FOR_COLUMNS y[c] = x[width - 1 - c];
}

static void set_inputs(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->inputs[1] = op->inputs[0];
    op->n_inputs = 2;
}

static void expect_twice(const double *x, size_t width, double *y)
{
    memcpy(y, x, width * sizeof(*y));
    memcpy(y + width, x, width * sizeof(*y));
}

EXPECT(rounded, (double)(float)x)
EXPECT(code, x < 0 ? NAN : floor(x))

/* ---- numbers */

static void set_scale(test_pipeline *p, every_setting *op, size_t width, hb_scaling how)
{
    op->fit.scale =
        (hb_fit_scale){.scaling = how, .shift = take_numbers(p, width, 1, 1), .factor = take_numbers(p, width, 2, 0)};
}

/* The same parameters, for computing in float32. */
#define IN_FLOAT32(name, of)                                                        \
    static void set_##name##32(test_pipeline * p, every_setting * op, size_t width) \
    {                                                                               \
        set_##name(p, op, width);                                                   \
        op->fit.of.in_float32 = true;                                               \
    }

#define SCALE(name, how, expression, in32)                                    \
    static void set_##name(test_pipeline *p, every_setting *op, size_t width) \
    {                                                                         \
        set_scale(p, op, width, how);                                         \
    }                                                                         \
    IN_FLOAT32(name, scale)                                                   \
    EXPECT(name, expression)                                                  \
    EXPECT(name##32, in32)

#define SHIFT ((double)c + 1)
SCALE(shift, HB_SCALE_SHIFT, x - SHIFT, (float)(x - SHIFT))
SCALE(divide, HB_SCALE_DIVIDE, x / 2, (float)(x / 2))
SCALE(shift_divide, HB_SCALE_SHIFT_DIVIDE, (x - SHIFT) / 2, (float)((float)(x - SHIFT) / 2))
SCALE(shift_multiply, HB_SCALE_SHIFT_MULTIPLY, (x - SHIFT) * 2, (float)((float)(x - SHIFT) * 2))
SCALE(multiply_add, HB_SCALE_MULTIPLY_ADD, x * 2 + SHIFT, (float)((float)(x * 2) + SHIFT))

static void set_limits(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->fit.clip = (hb_fit_clip){{-1, 2}};
}

EXPECT(clipped, x<-1 ? -1 : x> 2 ? 2 : x)

static void set_fill(test_pipeline *p, every_setting *op, size_t width)
{
    op->fit.impute = (hb_fit_impute){.missing = -1, .fill = take_numbers(p, width, 5, 1)};
}

EXPECT(filled, x == -1 ? 5 + (double)c : x)

static void set_indicator(test_pipeline *p, every_setting *op, size_t width)
{
    op->fit.indicator = (hb_fit_indicator){
        .n_columns = width, .columns = take_reversed(p, width), .missing = -1, .known = take(p, width, 1)};
}

static void expect_indicator(const double *x, size_t width, double *y)
{
    FOR_COLUMNS y[c] = x[width - 1 - c] == -1;
}

static void set_threshold(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->fit.binarize.threshold = 0.5;
}

EXPECT(above, x > 0.5)

static double norm_of(const double *x, size_t width, hb_norm_kind kind)
{
    double norm = 0;

    FOR_COLUMNS
    {
        double size = fabs(x[c]);

        norm = kind == HB_NORM_L1 ? norm + size : kind == HB_NORM_L2 ? norm + x[c] * x[c] : fmax(norm, size);
    }
    norm = kind == HB_NORM_L2 ? sqrt(norm) : norm;
    return norm < 1e-14 ? 1 : norm;
}

#define NORM(name, how)                                                       \
    static void set_##name(test_pipeline *p, every_setting *op, size_t width) \
    {                                                                         \
        (void)p, (void)width;                                                 \
        op->fit.norm.norm = how;                                              \
    }                                                                         \
    IN_FLOAT32(name, norm)                                                    \
    EXPECT(name, x / norm_of(row, width, how))                                \
    EXPECT(name##32, (float)x / (float)norm_of(row, width, how))

NORM(norm_l1, HB_NORM_L1)
NORM(norm_l2, HB_NORM_L2)
NORM(norm_max, HB_NORM_MAX)

static void set_bins(test_pipeline *p, every_setting *op, size_t width)
{
    uint32_t *ends = take(p, width, sizeof(*ends));
    double *edges = take_numbers(p, 2 * width, 0.5, 0);

    FOR_COLUMNS ends[c] = 2 * (uint32_t)(c + 1);
    FOR_COLUMNS edges[2 * c + 1] = 1.5;
    op->fit.bins.model = (hb_bins){width, ends, edges};
}

EXPECT(bin, (x >= 0.5) + (x >= 1.5))

/* Two points a column. */
static void set_interpolate(test_pipeline *p, every_setting *op, size_t width)
{
    uint32_t *ends = take(p, width, sizeof(*ends));
    double *x = take_numbers(p, 2 * width, 1, 0), *y = take_numbers(p, 2 * width, 4, 0);

    FOR_COLUMNS ends[c] = 2 * (uint32_t)(c + 1);
    FOR_COLUMNS x[2 * c] = -1, y[2 * c] = 3;
    op->fit.interpolate = (hb_fit_interpolate){.model = {width, ends, x, y}};
}

static void set_slopes32(test_pipeline *p, every_setting *op, size_t width)
{
    set_interpolate(p, op, width);
    op->fit.interpolate.kind = HB_LINE_SLOPE32;
}

static void set_weights32(test_pipeline *p, every_setting *op, size_t width)
{
    set_interpolate(p, op, width);
    op->fit.interpolate.kind = HB_LINE_WEIGHTS32;
}

EXPECT(interpolated, isnan(x) ? NAN : x <= -1 ? 3 : x >= 1 ? 4 : (x + 1) / 2 + 3)

static void set_interpolate_inside(test_pipeline *p, every_setting *op, size_t width)
{
    set_interpolate(p, op, width);
    op->fit.interpolate.misses_outside = true;
}

EXPECT(interpolated_inside, fabs(x) <= 1 ? (x + 1) / 2 + 3 : NAN)

static void set_products(test_pipeline *p, every_setting *op, size_t width)
{
    hb_product *products = take(p, 3, sizeof(*products));

    products[0] = (hb_product){HB_PRODUCT_ONE, 0};
    products[1] = (hb_product){HB_PRODUCT_COLUMN, 0};
    products[2] = (hb_product){1, (uint32_t)width - 1};
    op->fit.products = (hb_fit_products){.n_products = 3, .products = products};
}

IN_FLOAT32(products, products)

static void expect_products(const double *x, size_t width, double *y)
{
    y[0] = 1;
    y[1] = x[0];
    y[2] = x[0] * x[width - 1];
}

/* ---- encoders: of the categories -1 and 2 */

static hb_encoder make_encoder(test_pipeline *p, size_t width, size_t outputs_each)
{
    hb_encoder_column *columns = take(p, width, sizeof(*columns));

    FOR_COLUMNS columns[c] = (hb_encoder_column){.count = 2,
                                                 .feature = (uint32_t)c,
                                                 .base = (uint32_t)(outputs_each * c),
                                                 .missing = HB_OUTPUT_NONE,
                                                 .unknown = HB_OUTPUT_NONE,
                                                 .unknown_number = 7};
    return (hb_encoder){.n_columns = width,
                        .n_values = 2,
                        .width = outputs_each * width,
                        .columns = columns,
                        .values = take_numbers(p, 2, -1, 3)};
}

static void set_onehot(test_pipeline *p, every_setting *op, size_t width)
{
    int32_t *outputs = take(p, 2, sizeof(*outputs));

    outputs[1] = 1;
    op->fit.onehot.model = make_encoder(p, width, 2);
    op->fit.onehot.model.outputs = outputs;
}

static void expect_onehot(const double *x, size_t width, double *y)
{
    FOR_COLUMNS
    {
        y[2 * c] = x[c] == -1;
        y[2 * c + 1] = x[c] == 2;
    }
}

static void set_recode(test_pipeline *p, every_setting *op, size_t width)
{
    op->fit.recode.model = make_encoder(p, width, 1);
    op->fit.recode.model.numbers = take_numbers(p, 2, 10, 10);
}

EXPECT(recoded, x == -1 ? 10 : x == 2 ? 20 : 7)

/* ---- models */

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

/* Of one-hot columns, five of each: a pass picks their weights (dense_segments). 0.5 is a category without a column. */
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

static void set_map(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->fit.map = (hb_fit_map){HB_MAP_LINEAR, HB_ROUND_NONE, {2, 1}};
}

EXPECT(mapped, x * 2 + 1)

static void set_combine(test_pipeline *p, every_setting *op, size_t width)
{
    op->fit.combine = (hb_fit_combine){.function = HB_COMBINE_SUBTRACT,
                                       .n_outputs = width,
                                       .numbers = take_numbers(p, width, 3, 0),
                                       .numbers_first = true};
}

EXPECT(combined, 3 - x)

static void set_combine_both(test_pipeline *p, every_setting *op, size_t width)
{
    set_inputs(p, op, width);
    op->fit.combine = (hb_fit_combine){.function = HB_COMBINE_ADD, .n_outputs = width};
}

EXPECT(doubled, x + x)

static void set_choose(test_pipeline *p, every_setting *op, size_t width)
{
    set_inputs(p, op, width);
    op->fit.choose = (hb_fit_choose){.n_outputs = width, .no = take_numbers(p, width, 7, 0)};
}

EXPECT(chosen, x != 0 ? x : 7)

static void set_reduce(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p;
    op->fit.reduce = (hb_fit_reduce){HB_REDUCE_SUM, HB_ROUND_NONE, width};
}

static void expect_reduced(const double *x, size_t width, double *y)
{
    *y = 0;
    FOR_COLUMNS *y += x[c];
}

/* A column times the other, which is the same. */
static void set_matmul(test_pipeline *p, every_setting *op, size_t width)
{
    set_inputs(p, op, width);
    op->fit.matmul = (hb_fit_matmul){.n_matrices = width, .n_rows = 1, .n_terms = 1, .n_columns = 1};
}

EXPECT(squared, x *x)

static void set_weights(test_pipeline *p, every_setting *op, size_t width)
{
    op->fit.matmul = (hb_fit_matmul){
        .n_matrices = 1, .n_rows = width, .n_terms = 1, .n_columns = 1, .weights = take_numbers(p, 1, 3, 0)};
}

EXPECT(tripled, 3 * x)

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

/* Of two classes whose pair is one number. */
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

/* Of each column whether it is above 0.75: 1 or 2. */
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
    set_inputs(p, op, width);
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

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
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

EXPECT(affine, 2 * x + SHIFT)

/* ---- links */

#define LINK(name, how)                                                       \
    static void set_##name(test_pipeline *p, every_setting *op, size_t width) \
    {                                                                         \
        (void)p, (void)width;                                                 \
        op->fit.link = (hb_fit_link){.link = how, .factor = 1};               \
    }

static double exps_of(const double *x, size_t width)
{
    double sum = 0;

    FOR_COLUMNS sum += exp(x[c]);
    return sum;
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double sigmoids_of(const double *x, size_t width)
{
    double sum = 0;

    FOR_COLUMNS sum += sigmoid(x[c]);
    return sum;
}

static double huber(double x)
{
    return (fmin(fmax(x, -1), 1) + 1) / 2;
}

static double hubers_of(const double *x, size_t width)
{
    double sum = 0;

    FOR_COLUMNS sum += huber(x[c]);
    return width == 1 ? 1 : sum;
}

static double huber_share(const double *x, size_t width, size_t c)
{
    double sum = hubers_of(x, width);

    return sum == 0 ? 1.0 / (double)width : huber(x[c]) / sum;
}

LINK(identity, HB_LINK_IDENTITY)
LINK(sigmoid, HB_LINK_SIGMOID)
EXPECT(sigmoid, sigmoid(x))
LINK(softmax, HB_LINK_SOFTMAX)
EXPECT(softmax, exp(x) / exps_of(row, width))
LINK(exp, HB_LINK_EXP)
EXPECT(exp, exp(x))
LINK(square, HB_LINK_SQUARE)
EXPECT(square, x < 0 ? -x * x : x * x)
LINK(softplus, HB_LINK_SOFTPLUS)
EXPECT(softplus, log1p(exp(x)))
LINK(variance, HB_LINK_VARIANCE)
EXPECT(variance, c == 0 ? x : exp(2 * x))
LINK(hinge, HB_LINK_HINGE)
EXPECT(hinge, x > 0)
LINK(sort, HB_LINK_SORT)
LINK(expectile, HB_LINK_EXPECTILE)
LINK(softmax_pair, HB_LINK_SOFTMAX_PAIR)
LINK(ovr, HB_LINK_ONE_VS_REST)
EXPECT(ovr, sigmoid(x) / sigmoids_of(row, width))
LINK(logsumexp, HB_LINK_LOGSUMEXP)
LINK(huber, HB_LINK_MODIFIED_HUBER)
EXPECT(huber, x - x + huber_share(row, width, c))
LINK(relu, HB_LINK_RELU)
EXPECT(relu, x < 0 ? 0 : x)
LINK(tanh, HB_LINK_TANH)
EXPECT(tanh, tanh(x))
LINK(difference, HB_LINK_DIFFERENCE)

static void expect_sort(const double *x, size_t width, double *y)
{
    memcpy(y, x, width * sizeof(*x));
    qsort(y, width, sizeof(*y), compare_doubles);
}

static void expect_expectile(const double *x, size_t width, double *y)
{
    FOR_COLUMNS y[c] = c == 0 ? x[0] : y[c - 1] + 1e-6 + log1p(exp(x[c]));
}

static void expect_softmax_pair(const double *x, size_t width, double *y)
{
    (void)width;
    y[0] = sigmoid(-2 * x[0]);
    y[1] = sigmoid(2 * x[0]);
}

static void expect_difference(const double *x, size_t width, double *y)
{
    (void)width;
    y[0] = x[1] - x[0];
}

/* ---- heads */

#define HEAD(name, how, n)                                                    \
    static void set_##name(test_pipeline *p, every_setting *op, size_t width) \
    {                                                                         \
        (void)width;                                                          \
        op->fit.head = (hb_fit_head){.rule = how, .threshold = 0.5};          \
        test_pipeline_classes(p, n);                                          \
    }

HEAD(head_greater, HB_HEAD_GREATER, 2)
HEAD(head_flags, HB_HEAD_FLAGS, width)
HEAD(head_argmax, HB_HEAD_ARGMAX, width)
HEAD(head_argmax_of_one, HB_HEAD_ARGMAX, 2)

static void expect_argmax(const double *x, size_t width, double *y)
{
    size_t most = 0;

    FOR_COLUMNS most = x[c] > x[most] ? c : most;
    y[0] = (double)most;
}

/* ---- texts: no number is the place of one, so that only missing texts have words */

static void set_text_counts(test_pipeline *p, every_setting *op, size_t width)
{
    static const uint32_t ends[1] = {1}, first[3] = {0, 1, 1}, words[1] = {0}, outputs[1] = {0};

    (void)p, (void)width;
    op->fit.text_counts = (hb_fit_text_counts){.n_outputs = 1,
                                               .tokenizer = {.splitting = HB_SPLIT_CHARACTERS},
                                               .words = {.n = 1, .n_bytes = 1, .ends = ends, .bytes = "a"},
                                               .grams = {1, first, words, outputs},
                                               .missing = "aba",
                                               .missing_size = 3};
}

static void expect_counts(const double *x, size_t width, double *y)
{
    y[0] = 0;
    FOR_COLUMNS y[0] += isnan(x[c]) ? 2 : 0;
}

/* ---- lists: no number is one, so that all are empty. What says which list it is is no number. */

static void set_term_lists(test_pipeline *p, every_setting *op, size_t width)
{
    static const uint32_t ends[1] = {1}, columns[1] = {1};

    (void)p, (void)width;
    op->fit.term_lists = (hb_fit_term_lists){.n_columns = 2,
                                             .rule = {.least = 1, .most = 1},
                                             .words = {.n = 1, .n_bytes = 1, .ends = ends, .bytes = "a"},
                                             .columns = columns};
}

static void set_json_lists(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->fit.json_lists = (hb_fit_json_lists){.n_columns = 2, .form = HB_JSON_PAIRS, .hashes = true};
}

static void set_list_weights(test_pipeline *p, every_setting *op, size_t width)
{
    static const double factors[2] = {2, 3};

    (void)p, (void)width;
    op->fit.list_weights = (hb_fit_list_weights){.norm = HB_LIST_L2, .n_columns = 2, .factors = factors};
}

static void set_list_join(test_pipeline *p, every_setting *op, size_t width)
{
    uint32_t *parts = hb_arena_array(&p->pipeline.arena, 2, sizeof(*parts));

    assert_non_null(parts);

    parts[1] = (uint32_t)width;
    op->fit.list_join = (hb_fit_list_join){.n_parts = 1, .firsts = parts, .widths = parts + 1};
}

static void set_list_columns(test_pipeline *p, every_setting *op, size_t width)
{
    static const uint32_t columns[1] = {1};

    (void)p, (void)width;
    op->fit.list_columns = (hb_fit_list_columns){.n_outputs = 1, .columns = columns};
}

static void set_list_sums(test_pipeline *p, every_setting *op, size_t width)
{
    static const double weights[2] = {2, 3}, bias[1] = {0.5};

    (void)p, (void)width;
    op->fit.list_sums = (hb_fit_list_sums){.n_outputs = 1, .n_columns = 2, .weights = weights, .bias = bias};
}

static void expect_list(const double *x, size_t width, double *y)
{
    (void)x, (void)width;
    y[0] = NAN;
}

static void expect_no_count(const double *x, size_t width, double *y)
{
    (void)x, (void)width;
    y[0] = 0;
}

static void expect_bias(const double *x, size_t width, double *y)
{
    (void)x, (void)width;
    y[0] = 0.5;
}
/* Missing texts are "hello", whose hash is known; others, which are nowhere, are empty. */
static void set_text_hash(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->fit.text_hash = (hb_fit_text_hash){.seed = 0, .missing = "hello", .missing_size = 5};
}

EXPECT(hash, isnan(x) ? 613153351 : 0)

static void set_text_equal(test_pipeline *p, every_setting *op, size_t width)
{
    set_inputs(p, op, width);
    op->fit.text_equal = (hb_fit_text_equal){.missing = "a", .missing_size = 1};
}

EXPECT(one, ((void)x, 1))

/* ---- the list */

#define ROW(kind, set, expect, takes, dtypes, closeness) \
    {#kind " " #set, HB_OPERATOR_##kind, takes, EVERY_##dtypes, EVERY_##closeness, set, expect},

/* clang-format off */
const every_operator every_operators[] = {
    ROW(MARK_MISSING, set_number, expect_marked, 0, BOTH, EXACT)
    ROW(FLUSH_TINY, NULL, expect_flushed, 0, FLOAT64, EXACT)
    ROW(CATEGORY_STATISTICS, set_statistics, expect_statistics, 0, FLOAT64, EXACT)
    ROW(SELECT, set_columns, expect_reversed, 0, FLOAT64, EXACT)
    ROW(CONCAT, set_inputs, expect_twice, 0, FLOAT64, EXACT)
    ROW(ROUND, NULL, expect_rounded, 0, FLOAT64, EXACT)
    ROW(CODE, NULL, expect_code, 0, FLOAT64, EXACT)
    ROW(NARROW, NULL, expect_rounded, 0, FLOAT64, EXACT)
    ROW(WIDEN, NULL, NULL, 0, FLOAT32, EXACT)
    ROW(MAP, set_map, expect_mapped, 0, FLOAT64, CLOSE)
    ROW(COMBINE, set_combine, expect_combined, 0, FLOAT64, CLOSE)
    ROW(COMBINE, set_combine_both, expect_doubled, 0, FLOAT64, CLOSE)
    ROW(CHOOSE, set_choose, expect_chosen, 0, FLOAT64, EXACT)
    ROW(REDUCE, set_reduce, expect_reduced, 0, FLOAT64, CLOSE)
    ROW(MATMUL, set_matmul, expect_squared, 0, FLOAT64, CLOSE)
    ROW(MATMUL, set_weights, expect_tripled, 0, FLOAT64, CLOSE)
    ROW(SCALE, set_shift, expect_shift, 0, FLOAT64, EXACT)
    ROW(SCALE, set_shift32, expect_shift32, 0, FLOAT64, EXACT)
    ROW(SCALE, set_divide, expect_divide, 0, FLOAT64, EXACT)
    ROW(SCALE, set_divide32, expect_divide32, 0, FLOAT64, EXACT)
    ROW(SCALE, set_shift_divide, expect_shift_divide, 0, FLOAT64, EXACT)
    ROW(SCALE, set_shift_divide32, expect_shift_divide32, 0, FLOAT64, EXACT)
    ROW(SCALE, set_multiply_add, expect_multiply_add, 0, FLOAT64, EXACT)
    ROW(SCALE, set_shift_multiply, expect_shift_multiply, 0, FLOAT64, EXACT)
    ROW(SCALE, set_shift_multiply32, expect_shift_multiply32, 0, FLOAT64, EXACT)
    ROW(SCALE, set_multiply_add32, expect_multiply_add32, 0, FLOAT64, EXACT)
    ROW(CLIP, set_limits, expect_clipped, 0, FLOAT64, EXACT)
    ROW(CHECK, NULL, NULL, 0, FLOAT64, EXACT)
    ROW(GUARD, NULL, NULL, 0, FLOAT64, EXACT)
    ROW(IMPUTE, set_fill, expect_filled, 0, FLOAT64, EXACT)
    ROW(INDICATOR, set_indicator, expect_indicator, 0, FLOAT64, DECISION)
    ROW(BINARIZE, set_threshold, expect_above, 0, FLOAT64, DECISION)
    ROW(NORM, set_norm_l1, expect_norm_l1, 0, FLOAT64, CLOSE)
    ROW(NORM, set_norm_l132, expect_norm_l132, 0, FLOAT64, CLOSE)
    ROW(NORM, set_norm_l2, expect_norm_l2, 0, FLOAT64, CLOSE)
    ROW(NORM, set_norm_l232, expect_norm_l232, 0, FLOAT64, CLOSE)
    ROW(NORM, set_norm_max, expect_norm_max, 0, FLOAT64, EXACT)
    ROW(NORM, set_norm_max32, expect_norm_max32, 0, FLOAT64, EXACT)
    ROW(BINS, set_bins, expect_bin, 0, FLOAT64, DECISION)
    ROW(INTERPOLATE, set_interpolate, expect_interpolated, 0, FLOAT64, EXACT)
    ROW(INTERPOLATE, set_slopes32, expect_interpolated, 0, FLOAT64, EXACT)
    ROW(INTERPOLATE, set_weights32, expect_interpolated, 0, FLOAT64, EXACT)
    ROW(INTERPOLATE, set_interpolate_inside, expect_interpolated_inside, 0, FLOAT64, EXACT)
    ROW(PRODUCTS, set_products, expect_products, 0, FLOAT64, EXACT)
    ROW(PRODUCTS, set_products32, expect_products, 0, FLOAT64, EXACT)
    ROW(ONEHOT, set_onehot, expect_onehot, 0, FLOAT64, DECISION)
    ROW(RECODE, set_recode, expect_recoded, 0, FLOAT64, EXACT)
    ROW(DENSE, set_dense, expect_dense, 0, FLOAT64, CLOSE)
    ROW(DENSE, set_diagonal, expect_diagonal, 0, FLOAT64, CLOSE)
    ROW(DENSE, set_dense_of_categories, expect_dense_of_categories, 0, FLOAT64, CLOSE)
    ROW(PRODUCT32, set_product32, expect_dense, 0, FLOAT32, CLOSE)
    ROW(PAIRWISE, set_pairwise, expect_pairwise, 0, FLOAT64, CLOSE)
    ROW(NEIGHBOURS, set_neighbours, expect_neighbours, 0, FLOAT64, CLOSE)
    ROW(IMPUTE_NEAREST, set_impute_nearest, expect_impute_nearest, 0, FLOAT64, CLOSE)
    ROW(TOP_K, set_top_k, expect_top, 0, FLOAT64, EXACT)
    ROW(LOOK_UP, set_look_up, expect_looked_up, 0, FLOAT64, EXACT)
    ROW(COUPLING, set_coupling, expect_coupling, 1, FLOAT64, CLOSE)
    ROW(TEXT_COUNTS, set_text_counts, expect_counts, 0, FLOAT64, DECISION)
    ROW(TERM_LISTS, set_term_lists, expect_list, 1, FLOAT64, DECISION)
    ROW(JSON_LISTS, set_json_lists, expect_list, 1, FLOAT64, DECISION)
    ROW(LIST_WEIGHTS, set_list_weights, expect_list, 1, FLOAT64, CLOSE)
    ROW(LIST_JOIN, set_list_join, expect_list, 0, FLOAT64, EXACT)
    ROW(LIST_COLUMNS, set_list_columns, expect_no_count, 1, FLOAT64, EXACT)
    ROW(LIST_SUMS, set_list_sums, expect_bias, 1, FLOAT64, CLOSE)
    ROW(TEXT_HASH, set_text_hash, expect_hash, 0, FLOAT64, EXACT)
    ROW(TEXT_EQUAL, set_text_equal, expect_one, 0, FLOAT64, DECISION)
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
    ROW(NORM_L1, NULL, expect_norm_l1, 0, BOTH, CLOSE)
    ROW(LOGISTIC32, NULL, expect_sigmoid, 0, FLOAT32, CLOSE)
    ROW(SOFTMAX32, NULL, expect_softmax, 0, FLOAT32, CLOSE)
    ROW(LINK, set_identity, NULL, 0, BOTH, EXACT)
    ROW(LINK, set_sigmoid, expect_sigmoid, 0, BOTH, CLOSE)
    ROW(LINK, set_softmax, expect_softmax, 0, BOTH, CLOSE)
    ROW(LINK, set_exp, expect_exp, 0, BOTH, CLOSE)
    ROW(LINK, set_square, expect_square, 0, FLOAT64, EXACT)
    ROW(LINK, set_softplus, expect_softplus, 0, FLOAT64, CLOSE)
    ROW(LINK, set_variance, expect_variance, 2, FLOAT64, CLOSE)
    ROW(LINK, set_hinge, expect_hinge, 0, BOTH, DECISION)
    ROW(LINK, set_sort, expect_sort, 0, FLOAT32, EXACT)
    ROW(LINK, set_expectile, expect_expectile, 0, FLOAT32, CLOSE)
    ROW(LINK, set_softmax_pair, expect_softmax_pair, 1, FLOAT64, CLOSE)
    ROW(LINK, set_ovr, expect_ovr, 0, FLOAT64, CLOSE)
    ROW(LINK, set_logsumexp, expect_softmax, 0, FLOAT64, CLOSE)
    ROW(LINK, set_huber, expect_huber, 0, FLOAT64, CLOSE)
    ROW(LINK, set_relu, expect_relu, 0, FLOAT64, EXACT)
    ROW(LINK, set_tanh, expect_tanh, 0, FLOAT64, CLOSE)
    ROW(LINK, set_difference, expect_difference, 2, FLOAT64, EXACT)
    ROW(HEAD, set_head_greater, expect_above, 1, BOTH, DECISION)
    ROW(HEAD, set_head_flags, expect_above, 0, BOTH, DECISION)
    ROW(HEAD, set_head_argmax, expect_argmax, 0, BOTH, DECISION)
    ROW(HEAD, set_head_argmax_of_one, expect_above, 1, BOTH, DECISION)
};
/* clang-format on */

const size_t n_every_operators = sizeof(every_operators) / sizeof(every_operators[0]);

size_t every_operator_add(test_pipeline *p, size_t i, size_t input, size_t width, bool wide)
{
    every_setting op;

    memset(&op, 0, sizeof(op));
    op.inputs[0] = (uint32_t)input;
    op.n_inputs = 1;
    op.wide = wide;
    if (every_operators[i].set)
        every_operators[i].set(p, &op, width);
    return hb_pipeline_add_of(&p->pipeline, every_operators[i].kind, op.inputs, op.n_inputs, &op.fit);
}

size_t every_operator_width(size_t i, size_t width)
{
    const every_operator *other = &every_operators[i];

    switch (other->kind) {
    case HB_OPERATOR_CATEGORY_STATISTICS:
        return width + 1;
    case HB_OPERATOR_CONCAT:
    case HB_OPERATOR_ONEHOT:
        return 2 * width;
    case HB_OPERATOR_PRODUCTS:
        return 3;
    case HB_OPERATOR_GAUSSIAN_NB:
    case HB_OPERATOR_LIST_JOIN:
    case HB_OPERATOR_TEXT_COUNTS:
    case HB_OPERATOR_LINEAR:
    case HB_OPERATOR_PAIRWISE:
    case HB_OPERATOR_WEIGHTED_MEDIAN:
    case HB_OPERATOR_REDUCE:
        return 1;
    case HB_OPERATOR_LINK:
        return other->set == set_softmax_pair ? 2 : other->set == set_difference ? 1 : width;
    case HB_OPERATOR_HEAD:
        return other->set == set_head_flags ? width : 1;
    case HB_OPERATOR_NEIGHBOURS:
    case HB_OPERATOR_TOP_K:
    case HB_OPERATOR_COUPLING:
        return 2;
    default:
        return width;
    }
}
