/* lower.c - each operator of the pipeline as tensor operators (hb_lower_NAME, from operators.def). */
#include <math.h>
#include <string.h>

#include "graph/graph.h"
#include "kernel/elementary64.h"

typedef struct lowering {
    hb_graph *graph;
    const hb_pipeline *pipeline;
    bool no_memory;
    size_t embedded;                        /* tensors from this one on are those of a file inside the file */
    size_t tensor_of[HB_MAX_OPERATORS + 1]; /* of each value of the pipeline */
} lowering;

/* The dtype of an operator's value, or of the table. */
static hb_dtype dtype_if(bool wide)
{
    return wide ? HB_DTYPE_FLOAT64 : HB_DTYPE_FLOAT32;
}

/* In the type of its input. */
static size_t add_unary(lowering *l, hb_tensor_kind kind, size_t input, size_t width, double number)
{
    hb_tensor tensor = {.kind = kind,
                        .dtype = l->graph->tensors[input].dtype,
                        .width = width,
                        .inputs = {input},
                        .n_inputs = 1,
                        .number = number};

    return hb_graph_add(l->graph, &tensor);
}

/* Adds the start of the sums: a value of the row, or base_score. The file has base_score in output space, so its link
 * turns it into a margin. Folding makes one constant of it. */
static size_t add_base(lowering *l, const hb_operator *op)
{
    hb_tensor constant = {
        .kind = HB_TENSOR_CONSTANT, .width = op->width, .data = op->base_score, .dtype = dtype_if(op->wide)};
    size_t base;

    if (op->n_inputs > 0)
        return l->tensor_of[op->inputs[0]];
    if (op->wide)
        constant.data = op->base;
    if (!constant.data) /* zeros of either type */
        constant.data = hb_arena_array(l->graph->arena, op->width, sizeof(double));
    l->no_memory |= !constant.data;
    base = hb_graph_add(l->graph, &constant);

    switch (op->base_link) {
    case HB_BASE_LOGIT:
        return add_unary(l, HB_TENSOR_LOGIT, base, op->width, 0);
    case HB_BASE_LOG:
        return add_unary(l, HB_TENSOR_LOG, base, op->width, 0);
    case HB_BASE_EXPECTILE:
        return add_unary(l, HB_TENSOR_EXPECTILE_BASE, base, op->width, 0);
    case HB_BASE_IDENTITY:
        break;
    }
    return base;
}

static size_t hb_lower_ordinal(lowering *l, const hb_operator *op, size_t input)
{
    return add_unary(l, HB_TENSOR_ENCODE, input, op->width, 0);
}

static size_t hb_lower_mark_missing(lowering *l, const hb_operator *op, size_t input)
{
    return add_unary(l, HB_TENSOR_MARK_MISSING, input, op->width, op->number);
}

static size_t hb_lower_flush_tiny(lowering *l, const hb_operator *op, size_t input)
{
    return add_unary(l, HB_TENSOR_FLUSH_TINY, input, op->width, 0);
}

static size_t hb_lower_category_statistics(lowering *l, const hb_operator *op, size_t input)
{
    hb_tensor tensor = {.kind = HB_TENSOR_CATEGORY_COLUMNS,
                        .dtype = dtype_if(op->wide),
                        .width = op->width,
                        .inputs = {input},
                        .n_inputs = 1,
                        .statistics = op->statistics};

    return hb_graph_add(l->graph, &tensor);
}

/* ---- columns of float64 */

/* An operator whose second input is one number for each column (clip: two numbers). */
static size_t add_with(lowering *l, hb_tensor_kind kind, size_t input, size_t width, const double *numbers,
                       size_t n_numbers, double number)
{
    hb_tensor constant = {.kind = HB_TENSOR_CONSTANT, .dtype = HB_DTYPE_FLOAT64, .width = n_numbers, .data = numbers};
    hb_tensor tensor = {.kind = kind,
                        .dtype = HB_DTYPE_FLOAT64,
                        .width = width,
                        .inputs = {input, hb_graph_add(l->graph, &constant)},
                        .n_inputs = 2,
                        .number = number};

    return hb_graph_add(l->graph, &tensor);
}

static size_t hb_lower_select(lowering *l, const hb_operator *op, size_t input)
{
    hb_tensor tensor = {.kind = HB_TENSOR_SELECT,
                        .dtype = HB_DTYPE_FLOAT64,
                        .width = op->width,
                        .inputs = {input},
                        .n_inputs = 1,
                        .columns = op->columns};

    return hb_graph_add(l->graph, &tensor);
}

static size_t hb_lower_concat(lowering *l, const hb_operator *op, size_t input)
{
    for (size_t i = 1; i < op->n_inputs; i++) {
        size_t next = l->tensor_of[op->inputs[i]];
        const hb_tensor *tensors = l->graph->tensors;
        hb_tensor tensor = {.kind = HB_TENSOR_CONCAT,
                            .dtype = HB_DTYPE_FLOAT64,
                            .width = tensors[input].width + tensors[next].width,
                            .inputs = {input, next},
                            .n_inputs = 2};

        input = hb_graph_add(l->graph, &tensor);
    }
    return input;
}

static size_t hb_lower_round(lowering *l, const hb_operator *op, size_t input)
{
    return add_unary(l, HB_TENSOR_ROUND, input, op->width, 0);
}

static size_t hb_lower_code(lowering *l, const hb_operator *op, size_t input)
{
    return add_unary(l, HB_TENSOR_CODE, input, op->width, 0);
}

static size_t hb_lower_narrow(lowering *l, const hb_operator *op, size_t input)
{
    hb_tensor tensor = {
        .kind = HB_TENSOR_NARROW, .dtype = HB_DTYPE_FLOAT32, .width = op->width, .inputs = {input}, .n_inputs = 1};

    return hb_graph_add(l->graph, &tensor);
}

/* One step of a scaler; where it computes in float32 it does so in float64 and rounds. */
static size_t add_step(lowering *l, const hb_operator *op, hb_tensor_kind kind, size_t input, const double *numbers)
{
    size_t made = add_with(l, kind, input, op->width, numbers, op->width, 0);

    return op->rounds ? add_unary(l, HB_TENSOR_ROUND, made, op->width, 0) : made;
}

static size_t hb_lower_scale(lowering *l, const hb_operator *op, size_t input)
{
    switch (op->scaling) {
    case HB_SCALE_SHIFT:
        return add_step(l, op, HB_TENSOR_SUBTRACT, input, op->shift);
    case HB_SCALE_DIVIDE:
        return add_step(l, op, HB_TENSOR_QUOTIENT, input, op->factor);
    case HB_SCALE_SHIFT_DIVIDE:
        input = add_step(l, op, HB_TENSOR_SUBTRACT, input, op->shift);
        return add_step(l, op, HB_TENSOR_QUOTIENT, input, op->factor);
    case HB_SCALE_MULTIPLY_ADD:
        break;
    }
    input = add_step(l, op, HB_TENSOR_MULTIPLY, input, op->factor);
    return add_step(l, op, HB_TENSOR_ADD, input, op->shift);
}

static size_t hb_lower_clip(lowering *l, const hb_operator *op, size_t input)
{
    return add_with(l, HB_TENSOR_CLIP, input, op->width, op->limits, 2, 0);
}

/* Rows that it refuses have no result by the features' demands already. */
static size_t hb_lower_check(lowering *l, const hb_operator *op, size_t input)
{
    (void)l;
    (void)op;
    return input;
}

static bool is_always_finite(const hb_tensor *tensor)
{
    return tensor->kind == HB_TENSOR_ONEHOT || tensor->kind == HB_TENSOR_INDICATOR || tensor->kind == HB_TENSOR_BINS;
}

/* Nobody need look at the columns of encoders that the tensor has been put together from. */
static void forget_finite(const hb_graph *graph, size_t i, uint8_t *asked)
{
    const hb_tensor *tensor = &graph->tensors[i];

    for (; tensor->kind == HB_TENSOR_CONCAT; tensor = &graph->tensors[tensor->inputs[0]]) {
        const hb_tensor *right = &graph->tensors[tensor->inputs[1]];

        if (is_always_finite(right))
            memset(asked + tensor->width - right->width, 0, right->width);
    }
    if (is_always_finite(tensor))
        memset(asked, 0, tensor->width);
}

/* Nothing where nothing behind it asks. */
static size_t hb_lower_guard(lowering *l, const hb_operator *op, size_t input)
{
    uint8_t *asked = hb_arena_array(l->graph->arena, op->width, 1);
    hb_tensor tensor = {.kind = HB_TENSOR_GUARD,
                        .dtype = HB_DTYPE_FLOAT64,
                        .width = op->width,
                        .inputs = {input},
                        .n_inputs = 1,
                        .asked = asked};
    bool any = false;

    l->no_memory |= !asked;
    if (!asked)
        return input;
    memcpy(asked, op->asked, op->width);
    forget_finite(l->graph, input, asked);
    for (size_t c = 0; c < op->width; c++)
        any |= asked[c] != 0;
    return any ? hb_graph_add(l->graph, &tensor) : input;
}

static size_t hb_lower_impute(lowering *l, const hb_operator *op, size_t input)
{
    return add_with(l, HB_TENSOR_IMPUTE, input, op->width, op->fill, op->width, op->number);
}

static size_t hb_lower_indicator(lowering *l, const hb_operator *op, size_t input)
{
    hb_tensor tensor = {.kind = HB_TENSOR_INDICATOR,
                        .dtype = HB_DTYPE_FLOAT64,
                        .width = op->width,
                        .inputs = {input},
                        .n_inputs = 1,
                        .columns = op->columns,
                        .number = op->number};

    return hb_graph_add(l->graph, &tensor);
}

static size_t hb_lower_binarize(lowering *l, const hb_operator *op, size_t input)
{
    return add_unary(l, HB_TENSOR_GREATER, input, op->width, op->number);
}

static double bits_of(const hb_operator *op)
{
    return op->rounds ? HB_FLOAT32_BITS : HB_FLOAT64_BITS;
}

static size_t hb_lower_norm(lowering *l, const hb_operator *op, size_t input)
{
    static const hb_tensor_kind kinds[] = {
        [HB_NORM_L1] = HB_TENSOR_NORM_L1, [HB_NORM_L2] = HB_TENSOR_NORM_L2, [HB_NORM_MAX] = HB_TENSOR_NORM_MAX};

    return add_unary(l, kinds[op->norm], input, op->width, bits_of(op));
}

static size_t hb_lower_bins(lowering *l, const hb_operator *op, size_t input)
{
    hb_tensor tensor = {.kind = HB_TENSOR_BINS,
                        .dtype = HB_DTYPE_FLOAT64,
                        .width = op->width,
                        .inputs = {input},
                        .n_inputs = 1,
                        .bins = op->bins};

    return hb_graph_add(l->graph, &tensor);
}

static size_t hb_lower_products(lowering *l, const hb_operator *op, size_t input)
{
    hb_tensor tensor = {.kind = HB_TENSOR_PRODUCTS,
                        .dtype = HB_DTYPE_FLOAT64,
                        .width = op->width,
                        .inputs = {input},
                        .n_inputs = 1,
                        .products = op->products,
                        .number = bits_of(op)};

    return hb_graph_add(l->graph, &tensor);
}

/* NULL: each asker that the model has outputs for looks at each column. */
static const uint8_t *asked_of_encoder(const lowering *l, const hb_operator *op)
{
    const hb_pipeline *p = l->pipeline;
    bool predicts = p->raw || p->value || p->values || p->probabilities || p->label;
    uint8_t all = hb_asked_by(HB_FOR_PREDICTIONS, predicts) | hb_asked_by(HB_FOR_TRANSFORM, p->transform != 0);

    for (size_t c = 0; c < op->encoder->n_columns; c++)
        if (op->asked[c] != all)
            return op->asked;
    return NULL;
}

static size_t add_encoder(lowering *l, const hb_operator *op, hb_tensor_kind kind, size_t input)
{
    hb_tensor tensor = {.kind = kind,
                        .dtype = HB_DTYPE_FLOAT64,
                        .width = op->width,
                        .inputs = {input},
                        .n_inputs = 1,
                        .encoder = op->encoder,
                        .asked = asked_of_encoder(l, op)};

    return hb_graph_add(l->graph, &tensor);
}

static size_t hb_lower_onehot(lowering *l, const hb_operator *op, size_t input)
{
    return add_encoder(l, op, HB_TENSOR_ONEHOT, input);
}

static size_t hb_lower_recode(lowering *l, const hb_operator *op, size_t input)
{
    return add_encoder(l, op, HB_TENSOR_RECODE, input);
}

/* Whether the library has this tensor in float32: it was rounded, or is a perceptron's layer of such numbers. */
static bool library_is_narrow(const hb_graph *graph, size_t i)
{
    const hb_tensor *t = &graph->tensors[i];

    while (t->kind == HB_TENSOR_CLIP || t->kind == HB_TENSOR_TANH || t->kind == HB_TENSOR_SIGMOID ||
           t->kind == HB_TENSOR_GUARD)
        t = &graph->tensors[t->inputs[0]];
    return t->kind == HB_TENSOR_ROUND || (t->kind == HB_TENSOR_DENSE && t->number == HB_FLOAT32_BITS);
}

static size_t hb_lower_dense(lowering *l, const hb_operator *op, size_t input)
{
    const hb_dense_model *dense = op->dense;
    hb_tensor tensor = {.kind = HB_TENSOR_DENSE,
                        .dtype = HB_DTYPE_FLOAT64,
                        .width = op->width,
                        .inputs = {input},
                        .n_inputs = 1,
                        .dense = dense};

    if (library_is_narrow(l->graph, input) && hb_all_float32(dense->weights, dense->n_features * dense->n_outputs) &&
        hb_all_float32(dense->bias, dense->n_outputs))
        tensor.number = HB_FLOAT32_BITS;
    return hb_graph_add(l->graph, &tensor);
}

static size_t hb_lower_gaussian_nb(lowering *l, const hb_operator *op, size_t input)
{
    hb_tensor tensor = {.kind = HB_TENSOR_GAUSSIAN_NB,
                        .dtype = HB_DTYPE_FLOAT64,
                        .width = op->width,
                        .inputs = {input},
                        .n_inputs = 1,
                        .gaussian = op->gaussian};

    return hb_graph_add(l->graph, &tensor);
}

static size_t hb_lower_affine(lowering *l, const hb_operator *op, size_t input)
{
    hb_tensor bias = {.kind = HB_TENSOR_CONSTANT, .dtype = dtype_if(op->wide), .width = op->width, .data = op->bias};
    hb_tensor tensor = {.kind = HB_TENSOR_AFFINE,
                        .dtype = dtype_if(op->wide),
                        .width = op->width,
                        .inputs = {input, hb_graph_add(l->graph, &bias)},
                        .n_inputs = 2,
                        .number = op->number};

    return hb_graph_add(l->graph, &tensor);
}

static size_t hb_lower_average(lowering *l, const hb_operator *op, size_t input)
{
    return add_unary(l, HB_TENSOR_DIVIDE, input, op->width, op->number);
}

static size_t hb_lower_forest(lowering *l, const hb_operator *op, size_t input)
{
    hb_tensor tensor = {.kind = HB_TENSOR_TREE_ENSEMBLE,
                        .dtype = dtype_if(op->wide),
                        .width = op->width,
                        .forest = op->forest,
                        .inputs = {input, add_base(l, op)},
                        .n_inputs = 2};

    return hb_graph_add(l->graph, &tensor);
}

static size_t hb_lower_isolation(lowering *l, const hb_operator *op, size_t input)
{
    return add_with(l, HB_TENSOR_ISOLATION, input, op->width, op->limits, 2, 0);
}

static size_t hb_lower_weighted_median(lowering *l, const hb_operator *op, size_t input)
{
    size_t n = l->graph->tensors[input].width;

    return add_with(l, HB_TENSOR_WEIGHTED_MEDIAN, input, op->width, op->weights, n, 0);
}

static size_t hb_lower_linear(lowering *l, const hb_operator *op, size_t input)
{
    hb_tensor tensor = {.kind = HB_TENSOR_LINEAR,
                        .width = op->width,
                        .linear = op->linear,
                        .inputs = {input, add_base(l, op)},
                        .n_inputs = 2};

    return hb_graph_add(l->graph, &tensor);
}

/* Probabilities of a loss that has none of its own: (clip(x, -1, 1) + 1) / 2. */
static size_t lower_modified_huber(lowering *l, const hb_operator *op, size_t input)
{
    static const double limits[2] = {-1, 1};
    double *ones = hb_arena_array(l->graph->arena, op->width, sizeof(*ones));

    l->no_memory |= !ones;
    for (size_t c = 0; ones && c < op->width; c++)
        ones[c] = 1;
    input = add_with(l, HB_TENSOR_CLIP, input, op->width, limits, 2, 0);
    input = add_with(l, HB_TENSOR_ADD, input, op->width, ones, op->width, 0);
    input = add_unary(l, HB_TENSOR_DIVIDE, input, op->width, 2);
    return op->width > 1 ? add_unary(l, HB_TENSOR_NORMALIZE, input, op->width, 0) : input;
}

static size_t hb_lower_link(lowering *l, const hb_operator *op, size_t input)
{
    static const double above_zero[2] = {0, INFINITY};

    switch (op->link) {
    case HB_LINK_SIGMOID:
        return add_unary(l, HB_TENSOR_SIGMOID, input, op->width, op->number);
    case HB_LINK_SOFTMAX:
        return add_unary(l, HB_TENSOR_SOFTMAX, input, op->width, 0);
    case HB_LINK_EXP:
        return add_unary(l, HB_TENSOR_EXP, input, op->width, 0);
    case HB_LINK_SQUARE:
        return add_unary(l, HB_TENSOR_SQUARE, input, op->width, 0);
    case HB_LINK_SOFTPLUS:
        return add_unary(l, HB_TENSOR_SOFTPLUS, input, op->width, 0);
    case HB_LINK_VARIANCE:
        return add_unary(l, HB_TENSOR_VARIANCE, input, op->width, 0);
    case HB_LINK_HINGE:
        return add_unary(l, HB_TENSOR_GREATER, input, op->width, 0);
    case HB_LINK_SORT:
        return add_unary(l, HB_TENSOR_SORT, input, op->width, 0);
    case HB_LINK_EXPECTILE:
        return add_unary(l, HB_TENSOR_EXPECTILE, input, op->width, 0);
    case HB_LINK_SOFTMAX_PAIR:
        input = add_unary(l, HB_TENSOR_PLUS_MINUS, input, 2, 0);
        return add_unary(l, HB_TENSOR_SOFTMAX, input, 2, 0);
    case HB_LINK_ONE_VS_REST:
        input = add_unary(l, HB_TENSOR_SIGMOID, input, op->width, 1);
        return add_unary(l, HB_TENSOR_NORMALIZE, input, op->width, 0);
    case HB_LINK_LOGSUMEXP:
        return add_unary(l, HB_TENSOR_LOGSUMEXP, input, op->width, 0);
    case HB_LINK_MODIFIED_HUBER:
        return lower_modified_huber(l, op, input);
    case HB_LINK_RELU:
        return add_with(l, HB_TENSOR_CLIP, input, op->width, above_zero, 2, 0);
    case HB_LINK_TANH:
        return add_unary(l, HB_TENSOR_TANH, input, op->width, 0);
    case HB_LINK_DIFFERENCE:
        return add_unary(l, HB_TENSOR_DIFFERENCE, input, 1, 0);
    case HB_LINK_IDENTITY:
        break;
    }
    return input;
}

/* CatBoost's GetBinClassLogitThreshold: the raw value of a probability. */
static double raw_threshold(const hb_operator *op)
{
    if (!op->logit)
        return op->number;
    return op->number >= 1 ? INFINITY : -hb_log64(1 / op->number - 1); /* 0: -infinity */
}

static size_t hb_lower_head(lowering *l, const hb_operator *op, size_t input)
{
    if (op->rule == HB_HEAD_ARGMAX && l->graph->tensors[input].width == 1)
        input = add_unary(l, HB_TENSOR_COMPLEMENT, input, 2, 0);
    if (op->rule == HB_HEAD_ARGMAX)
        return add_unary(l, HB_TENSOR_ARGMAX, input, op->width, 0);
    return add_unary(l, HB_TENSOR_GREATER, input, op->width, raw_threshold(op));
}

typedef size_t (*lower_function)(lowering *l, const hb_operator *op, size_t input);

static const lower_function lower_functions[] = {
#define HB_OPERATOR(kind, name, reads, demand, summary) hb_lower_##name,
#include "pipeline/operators.def"
#undef HB_OPERATOR
};

enum { MOST_TENSORS = 8 }; /* of an operator, beside its inputs; and of the outputs */

static void name_outputs(lowering *l)
{
    const hb_pipeline *p = l->pipeline;
    const size_t values[HB_N_OUTPUTS] = {p->value, p->label, p->probabilities, p->values, p->raw, p->transform};

    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        l->graph->outputs[i] = values[i] ? l->tensor_of[values[i]] : HB_NO_TENSOR;
    /* one probability stands for two classes */
    if (p->probabilities && p->n_classes == 2 && hb_pipeline_width(p, p->probabilities) == 1)
        l->graph->outputs[2] = add_unary(l, HB_TENSOR_COMPLEMENT, l->tensor_of[p->probabilities], 2, 0);
}

/* A number one last bit of float64 beside the library's can round to the float32 beside the library's. After exact
 * operators they are at most four last bits of float32 apart. */
#define ROUNDED_TOLERANCE 5e-7

/* Why a tensor's numbers need not have the library's bits. */
enum { CLOSE = 1, CLOSE_EMBEDDED = 2, CLOSE_AND_ROUNDED = 4 };

static uint8_t close_because(const hb_graph *graph, size_t i, const uint8_t *close, uint8_t own)
{
    const hb_tensor *tensor = &graph->tensors[i];
    hb_accuracy accuracy = hb_tensor_accuracy(tensor->kind);
    uint8_t why = accuracy == HB_ACCURACY_CLOSE ? own : 0;

    if (accuracy == HB_ACCURACY_DECISION)
        return 0;
    for (size_t k = 0; k < tensor->n_inputs; k++)
        why |= close[tensor->inputs[k]];
    if (why && (tensor->kind == HB_TENSOR_ROUND || tensor->kind == HB_TENSOR_NARROW))
        why |= CLOSE_AND_ROUNDED;
    return why;
}

static double larger_of(double a, double b)
{
    return a > b ? a : b;
}

/* How far each output may be from the library's: passes change no bit, so it is said once, here. A file
 * inside the file has its own tolerance; what is close by both is within the wider one. */
static void state_tolerances(const lowering *l)
{
    uint8_t close[HB_MAX_TENSORS];
    hb_graph *graph = l->graph;

    for (size_t i = 0; i < graph->n_tensors; i++)
        close[i] = close_because(graph, i, close, i < l->embedded ? CLOSE : CLOSE_EMBEDDED);
    for (size_t i = 0; i < HB_N_OUTPUTS; i++) {
        uint8_t why = graph->outputs[i] != HB_NO_TENSOR ? close[graph->outputs[i]] : 0;
        double tolerance = larger_of(why & CLOSE ? l->pipeline->tolerance : 0,
                                     why & CLOSE_EMBEDDED ? l->pipeline->embedded_tolerance : 0);

        if (tolerance > 0 && why & CLOSE_AND_ROUNDED)
            tolerance = larger_of(tolerance, ROUNDED_TOLERANCE);
        graph->tolerances[i] = tolerance;
    }
}

hbs_status hb_graph_lower(hb_graph *graph, const hb_pipeline *pipeline, hb_arena *arena, hbs_error *error)
{
    enum { UNITS_A_COLUMN = 4 };
    lowering l = {.graph = graph, .pipeline = pipeline, .embedded = SIZE_MAX};
    hb_tensor table = {.kind = HB_TENSOR_TABLE, .width = pipeline->n_features, .dtype = dtype_if(pipeline->wide)};

    HB_CHECK(pipeline->sealed, error);
    graph->arena = arena;
    graph->pipeline = pipeline;
    graph->n_tensors = graph->n_rewrites = 0;
    l.tensor_of[0] = hb_graph_add(graph, &table);
    for (size_t k = 0; k < pipeline->n_operators; k++) {
        const hb_operator *op = &pipeline->operators[k];

        if (graph->n_tensors + MOST_TENSORS + op->n_inputs > HB_MAX_TENSORS)
            return hb_fail(error, HBS_E_LIMIT, "the pipeline has too many operators");
        if (pipeline->embedded && k == pipeline->embedded)
            l.embedded = graph->n_tensors;
        HB_TRY(hb_worked(&arena->memory->work, UNITS_A_COLUMN * op->width, error));
        l.tensor_of[k + 1] = lower_functions[op->kind](&l, op, l.tensor_of[op->input]);
    }
    name_outputs(&l);
    state_tolerances(&l);
    return l.no_memory ? hb_no_memory(arena->memory, error) : HBS_OK;
}
