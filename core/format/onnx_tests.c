/* onnx_tests.c - see onnx_trees.h: the tests of nodes. A test of ONNX becomes `x < threshold goes left` of float32: of
 * the numbers that float32 holds, `x <= t` are those below the next one after t. Of float64 it becomes `x <=
 * threshold`. A test of equality becomes one of a set, whose members go right. */
#include <math.h>
#include <string.h>

#include "format/onnx_trees.h"

/* A test of the forest's own kind, `x < threshold` of float32 or `x <= threshold` of float64, or the contrary: then the
 * branches change places. */
typedef struct comparison {
    double threshold;
    bool contrary;
} comparison;

/* The next number that float32 holds, of one that is not the largest. NaN stays. */
static float next_above(float x)
{
    int32_t bits;

    if (x == 0)
        x = 0; /* not -0 */
    memcpy(&bits, &x, sizeof(bits));
    bits += isnan(x) ? 0 : bits < 0 ? -1 : 1;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static double next_below64(double x)
{
    int64_t bits;

    if (x == 0)
        x = -0.0;
    memcpy(&bits, &x, sizeof(bits));
    bits += isnan(x) ? 0 : bits < 0 ? 1 : -1;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static bool is_contrary(hb_onnx_mode mode)
{
    return mode == HB_ONNX_GT || mode == HB_ONNX_GTE || mode == HB_ONNX_EQ || mode == HB_ONNX_MEMBER;
}

static bool takes_equal(hb_onnx_mode mode)
{
    return mode == HB_ONNX_LEQ || mode == HB_ONNX_GT;
}

/* `x <= infinity` holds for each number, as `x < -infinity` for none. */
static comparison comparison32(const hb_onnx_test *test)
{
    float number = (float)test->number;
    comparison c = {takes_equal(test->mode) ? (double)next_above(number) : (double)number, is_contrary(test->mode)};

    if (takes_equal(test->mode) && number == INFINITY) {
        c.threshold = -INFINITY;
        c.contrary = !c.contrary;
    }
    return c;
}

static comparison comparison64(const hb_onnx_test *test)
{
    bool below = !takes_equal(test->mode);
    comparison c = {below ? next_below64(test->number) : test->number, is_contrary(test->mode)};

    if (below && test->number == -INFINITY) {
        c.threshold = INFINITY;
        c.contrary = !c.contrary;
    }
    return c;
}

static comparison comparison_of(const hb_onnx_trees *t, const hb_onnx_test *test)
{
    return t->forest->wide ? comparison64(test) : comparison32(test);
}

bool hb_onnx_mode_is_equality(hb_onnx_mode mode)
{
    return mode == HB_ONNX_EQ || mode == HB_ONNX_NEQ || mode == HB_ONNX_MEMBER;
}

bool hb_onnx_holds_left(const hb_onnx_trees *t, const hb_onnx_test *test)
{
    return !comparison_of(t, test).contrary;
}

/* A missing number is equal to none. It goes where the test holds if that is so, or if it tracks true. */
static bool missing_goes_left(const hb_onnx_trees *t, const hb_onnx_test *test)
{
    return test->mode == HB_ONNX_NEQ || test->tracks != comparison_of(t, test).contrary;
}

hbs_status hb_onnx_test_build(hb_onnx_trees *t, const hb_onnx_test *test, hb_tree_node *node)
{
    node->flags =
        (missing_goes_left(t, test) ? HB_NODE_DEFAULT_LEFT : 0u) | (t->forest->wide ? HB_NODE_NAN_MISSING : 0u);
    node->feature = (int32_t)test->feature;
    node->left = 0; /* no leaf */
    if (test->mode == HB_ONNX_MEMBER)
        return HBS_OK;
    if (hb_onnx_mode_is_equality(test->mode))
        return hb_onnx_equality_add(t, node, t->forest->wide ? test->number : (double)(float)test->number);
    node->as.threshold = comparison_of(t, test).threshold;
    return HBS_OK;
}
