/* onnx_linear.c - LinearClassifier and LinearRegressor: weighted sums in float32, each of one accumulator that takes
 * the columns in their order by fused products, and the intercept last. ONNX Runtime adds in an order of its matrix
 * library's own, so its last bits differ. */
#include "format/onnx_transforms.h"

/* ---- weights */

typedef struct weights {
    float *coefficients, *intercepts;
    size_t n_outputs, width;
} weights;

/* Surplus numbers are not read, as in ONNX Runtime. */
static hbs_status read_weights(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *in, size_t n_outputs,
                               weights *w)
{
    size_t n, n_intercepts, needed;

    w->width = in->width;
    HB_TRY(hb_onnx_floats(file, node, "coefficients", &w->coefficients, &n));
    HB_TRY(hb_onnx_floats(file, node, "intercepts", &w->intercepts, &n_intercepts));
    w->n_outputs = n_outputs ? n_outputs : n_intercepts;
    if (w->n_outputs == 0 || w->n_outputs > HB_MAX_OUTPUTS)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu intercepts", w->n_outputs);
    if (!hb_multiply(w->n_outputs, in->width, &needed) || n < needed)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu coefficients for %zu outputs of %zu columns", n,
                              w->n_outputs, in->width);
    if (!w->intercepts || n_intercepts == 0)
        w->intercepts = hb_arena_array(&file->pipeline->arena, w->n_outputs, sizeof(*w->intercepts));
    else if (n_intercepts < w->n_outputs)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu intercepts for %zu outputs", n_intercepts,
                              w->n_outputs);
    return w->intercepts ? HBS_OK : hb_no_memory(file->arena.memory, file->error);
}

static size_t add_product(hb_onnx_file *file, const hb_onnx_value *in, const weights *w)
{
    hb_onnx_sums(file, HB_ONNX_FLOAT);
    return hb_pipeline_add(file->pipeline, HB_OPERATOR_PRODUCT32, hb_onnx_narrowed(file, in),
                           &(hb_fit_product32){w->n_outputs, w->width, w->coefficients, w->intercepts});
}

/* ---- the operators */

hbs_status hb_onnx_linear_regressor(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value made = {.form = HB_ONNX_NUMBERS, .is_float32 = true};
    const hb_onnx_attribute *targets;
    const hb_onnx_value *in;
    hb_onnx_transform post;
    weights w;

    HB_TRY(hb_onnx_features(file, node, true, &in));
    HB_TRY(hb_onnx_attribute_find(file, node, "targets", HB_ONNX_KIND_INT, &targets));
    HB_TRY(hb_onnx_transform_read(file, node, &post));
    if (targets && (targets->integer < 1 || targets->integer > HB_MAX_OUTPUTS))
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %lld targets", (long long)targets->integer);
    HB_TRY(read_weights(file, node, in, targets ? (size_t)targets->integer : 1, &w));
    made.value = add_product(file, in, &w);
    made.width = w.n_outputs;
    HB_TRY(hb_onnx_transform_targets(file, post, made.width, &made.value));
    return hb_onnx_give(file, node, 0, &made);
}

/* Two scores of which each is the other with a minus, as scikit-learn's score of two classes is written. */
static bool is_opposite(const weights *w)
{
    if (w->n_outputs != 2 || w->intercepts[0] != -w->intercepts[1])
        return false;
    for (size_t c = 0; c < w->width; c++)
        if (w->coefficients[c] != -w->coefficients[w->width + c])
            return false;
    return true;
}

/* The score of the second class alone decides. */
static void take_second(weights *w)
{
    w->coefficients += w->width * (w->n_outputs - 1);
    w->intercepts += w->n_outputs - 1;
    w->n_outputs = 1;
}

/* No labels: 0 and 1 of one score. */
static hbs_status check_classes(hb_onnx_file *file, const hb_onnx_node *node, size_t n_scores, hb_onnx_classifier *c)
{
    static const hbs_value numbers[2] = {{.type = HBS_INT64, .as.i64 = 0}, {.type = HBS_INT64, .as.i64 = 1}};

    HB_TRY(hb_onnx_labels(file, node, "classlabels_ints", "classlabels_strings", &c->classes, &c->n_classes));
    if (n_scores == 1 && c->n_classes == 0) {
        c->classes = numbers;
        c->n_classes = 2;
        return HBS_OK;
    }
    if (c->n_classes != (n_scores == 1 ? 2 : n_scores))
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu labels for %zu scores", c->n_classes, n_scores);
    c->width = c->n_classes;
    return HBS_OK;
}

hbs_status hb_onnx_linear_classifier(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_classifier c = {.width = 1, .head = {.rule = HB_HEAD_ARGMAX}};
    const hb_onnx_value *in;
    hb_onnx_transform post;
    weights w;

    HB_TRY(hb_onnx_features(file, node, true, &in));
    HB_TRY(hb_onnx_transform_read(file, node, &post));
    HB_TRY(read_weights(file, node, in, 0, &w));
    HB_TRY(check_classes(file, node, w.n_outputs, &c));
    c.is_complement = c.width == 2 && w.n_outputs == 1;
    c.is_pair = c.is_complement || (is_opposite(&w) && (post == HB_ONNX_TRANSFORM_NONE || post == HB_ONNX_LOGISTIC));
    if (c.is_pair)
        take_second(&w);
    if (w.n_outputs == 1)
        c.head = (hb_fit_head){.rule = HB_HEAD_GREATER};
    c.scores = add_product(file, in, &w);
    return hb_onnx_classify(file, node, &c);
}
