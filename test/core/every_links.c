/* every_links.c - links of raw scores and heads. */
#include "every_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

EXPECT(flag, x > 0.5)

static void expect_argmax(const double *x, size_t width, double *y)
{
    size_t most = 0;

    FOR_COLUMNS most = x[c] > x[most] ? c : most;
    y[0] = (double)most;
}

/* ---- the list */

/* clang-format off */
const every_operator every_links_rows[] = {
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
    ROW(HEAD, set_head_greater, expect_flag, 1, BOTH, DECISION)
    ROW(HEAD, set_head_flags, expect_flag, 0, BOTH, DECISION)
    ROW(HEAD, set_head_argmax, expect_argmax, 0, BOTH, DECISION)
    ROW(HEAD, set_head_argmax_of_one, expect_flag, 1, BOTH, DECISION)
};
/* clang-format on */

const size_t n_every_links = sizeof(every_links_rows) / sizeof(every_links_rows[0]);
