/* onnx_tests.c - see onnx_trees.h: the tests of nodes. A test of ONNX becomes `x < threshold goes left` of float32: of
 * the numbers that float32 holds, `x <= t` are those below the next one after t. A test of equality becomes one of a
 * set, whose members go right. */
#include <math.h>
#include <string.h>

#include "format/onnx_trees.h"

/* `x < threshold` or `x is no member`, or the contrary: then the branches change places. */
typedef struct comparison {
    float threshold;
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

static comparison comparison_of(const hb_onnx_test *test)
{
    bool or_equal = test->mode == HB_ONNX_LEQ || test->mode == HB_ONNX_GT;
    comparison c = {.threshold = or_equal ? next_above(test->number) : test->number,
                    .contrary = test->mode == HB_ONNX_GT || test->mode == HB_ONNX_GTE || test->mode == HB_ONNX_EQ ||
                                test->mode == HB_ONNX_MEMBER};

    if (or_equal && test->number == INFINITY) { /* each number is: as none is below -infinity */
        c.threshold = -INFINITY;
        c.contrary = !c.contrary;
    }
    return c;
}

bool hb_onnx_mode_is_equality(hb_onnx_mode mode)
{
    return mode == HB_ONNX_EQ || mode == HB_ONNX_NEQ || mode == HB_ONNX_MEMBER;
}

bool hb_onnx_holds_left(const hb_onnx_test *test)
{
    return !comparison_of(test).contrary;
}

/* A missing number is equal to none. It goes where the test holds if that is so, or if it tracks true. */
static bool missing_goes_left(const hb_onnx_test *test)
{
    return test->mode == HB_ONNX_NEQ || test->tracks != comparison_of(test).contrary;
}

hbs_status hb_onnx_test_build(hb_onnx_trees *t, const hb_onnx_test *test, hb_tree_node *node)
{
    node->flags = missing_goes_left(test) ? HB_NODE_DEFAULT_LEFT : 0;
    node->feature = (int32_t)test->feature;
    node->left = 0; /* no leaf */
    if (test->mode == HB_ONNX_MEMBER)
        return HBS_OK;
    if (hb_onnx_mode_is_equality(test->mode))
        return hb_onnx_equality_add(t, node, test->number);
    node->as.threshold = (double)comparison_of(test).threshold;
    return HBS_OK;
}
