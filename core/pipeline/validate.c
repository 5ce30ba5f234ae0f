/* validate.c - every invariant that graph/, forest/ and plan/ rely on, checked once; then the seal.
 *
 * An operator's validator (hb_validate_NAME, declared by operators.def) checks its fitted parameters
 * against the value it reads, and sets the width of the value it makes. That value's numbers are of the type
 * of those that are read, which op->wide is before, and which the operator has kernels for; narrow alone changes it. */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "pipeline/pipeline.h"

static hbs_status check_base_score(const hb_operator *op, size_t n_outputs, hbs_error *error)
{
    for (size_t i = 0; op->base_score && i < n_outputs; i++) {
        float base = op->base_score[i];

        if (isnan(base))
            return hb_fail(error, HBS_E_FORMAT, "base_score %zu is NaN", i);
        if (op->base_link == HB_BASE_LOGIT && !(base >= 0 && base <= 1))
            return hb_fail(error, HBS_E_FORMAT, "base_score is %g, the objective needs a probability", (double)base);
    }
    return HBS_OK;
}

/* ---- categories */

/* The texts that a comparison of the sort looks at. */
typedef struct sorted_texts {
    const hbs_text *texts;
    hb_work *work;
} sorted_texts;

static int compare_texts(const void *context, uint32_t a, uint32_t b)
{
    const sorted_texts *s = context;

    return hb_compare_texts(s->texts[a], s->texts[b], s->work);
}

/* Looks for two equal items among n; *same is n if there are none. */
static hbs_status find_equal(hb_memory *memory, size_t n, hb_compare compare, const void *context, uint32_t *same,
                             hbs_error *error)
{
    uint32_t *order = hb_allocate(memory, n * sizeof(*order));
    bool sorted;

    if (!order)
        return hb_no_memory(memory, error);
    *same = (uint32_t)n;
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    sorted = hb_sort(order, n, compare, context, &memory->work);
    for (size_t i = 1; sorted && i < n && *same == n; i++) {
        if (compare(context, order[i - 1], order[i]) == 0)
            *same = order[i];
        sorted = hb_goes_on(&memory->work, 4);
    }
    hb_release(memory, order, n * sizeof(*order));
    return sorted ? HBS_OK : hb_work_status(&memory->work, error);
}

static hbs_status check_categories(const hb_pipeline *pipeline, size_t f, hbs_error *error)
{
    const hb_categories *c = hb_pipeline_categories(pipeline, f);
    hb_compare compare = c->type == HBS_TEXT    ? compare_texts
                         : c->type == HBS_INT64 ? hb_compare_integers
                                                : hb_compare_reals;
    const sorted_texts texts = {c->texts, &pipeline->arena.memory->work};
    const void *items = c->type == HBS_TEXT    ? (const void *)&texts
                        : c->type == HBS_INT64 ? (const void *)c->numbers
                                               : c->reals;
    char name[HB_EXCERPT_BUFFER];
    uint32_t same;

    HB_TRY(find_equal(pipeline->arena.memory, c->count, compare, items, &same, error));
    if (same == c->count)
        return HBS_OK;
    return hb_fail(error, HBS_E_UNSUPPORTED,
                   "feature %zu (\"%s\"): category %zu %s another one, so they cannot be told "
                   "apart",
                   f, HB_SHOW(hb_pipeline_feature_name(pipeline, f), name), (size_t)same,
                   c->type == HBS_TEXT ? "has the same bytes as" : "is the same number as");
}

/* The first operator, and no other, binds the caller's columns. */
static hbs_status hb_validate_ordinal(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    HB_CHECK(op == pipeline->operators, error);
    for (size_t f = 0; f < pipeline->n_features; f++) {
        HB_TRY(hb_worked(&pipeline->arena.memory->work, 2, error));
        if (hb_pipeline_categories(pipeline, f))
            HB_TRY(check_categories(pipeline, f, error));
    }
    op->width = pipeline->n_features;
    return HBS_OK;
}

/* ---- the other operators */

static hbs_status hb_validate_mark_missing(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    HB_CHECK(!isnan(op->number), error);
    op->width = hb_pipeline_width(pipeline, op->input);
    return HBS_OK;
}

static hbs_status same_width(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    (void)error;
    op->width = hb_pipeline_width(pipeline, op->input);
    return HBS_OK;
}

static hbs_status hb_validate_flush_tiny(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    return same_width(pipeline, op, error);
}

static hbs_status hb_validate_category_statistics(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    const hb_category_statistics *s = op->statistics;

    HB_CHECK(s, error);
    HB_TRY(hb_category_statistics_check(s, hb_pipeline_width(pipeline, op->input), error));
    op->width = hb_pipeline_width(pipeline, op->input) + s->n_equals + s->n_statistics;
    return HBS_OK;
}

/* ---- columns of float64 (scikit-learn's transformers) */

static hbs_status hb_validate_select(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    size_t width = hb_pipeline_width(pipeline, op->input);

    if (op->n_columns == 0 || op->n_columns > HB_MAX_OUTPUTS)
        return hb_fail(error, HBS_E_FORMAT, "select: %zu columns", op->n_columns);
    for (size_t i = 0; i < op->n_columns; i++)
        if (op->columns[i] >= width)
            return hb_fail(error, HBS_E_FORMAT, "select: column %u of %zu", (unsigned)op->columns[i], width);
    op->width = op->n_columns;
    return HBS_OK;
}

static hbs_status hb_validate_concat(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    size_t self = (size_t)(op - pipeline->operators) + 1;

    HB_CHECK(op->n_inputs > 0 && op->inputs[0] == op->input, error);
    op->width = 0;
    for (size_t i = 0; i < op->n_inputs; i++) {
        HB_CHECK(op->inputs[i] > 0 && op->inputs[i] < self, error);
        HB_CHECK(hb_pipeline_is_wide(pipeline, op->inputs[i]), error);
        op->width += hb_pipeline_width(pipeline, op->inputs[i]);
        if (op->width > HB_MAX_OUTPUTS)
            return hb_fail(error, HBS_E_LIMIT, "concat: more than %d columns", HB_MAX_OUTPUTS);
    }
    return HBS_OK;
}

static hbs_status hb_validate_round(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    return same_width(pipeline, op, error);
}

static hbs_status hb_validate_code(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    return same_width(pipeline, op, error);
}

static hbs_status hb_validate_narrow(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    HB_TRY(same_width(pipeline, op, error));
    op->wide = false;
    return HBS_OK;
}

static hbs_status hb_validate_scale(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    HB_CHECK(op->shift || op->scaling == HB_SCALE_DIVIDE, error);
    HB_CHECK(op->factor || op->scaling == HB_SCALE_SHIFT, error);
    return same_width(pipeline, op, error);
}

static hbs_status hb_validate_clip(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    if (!(op->limits[0] <= op->limits[1]))
        return hb_fail(error, HBS_E_FORMAT, "clip: from %g to %g", op->limits[0], op->limits[1]);
    return same_width(pipeline, op, error);
}

static hbs_status hb_validate_check(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    return same_width(pipeline, op, error);
}

/* What is asked of each column of its input is found at the end. */
static hbs_status add_asked(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    op->asked = hb_arena_array(&pipeline->arena, hb_pipeline_width(pipeline, op->input), sizeof(*op->asked));
    return op->asked ? HBS_OK : hb_no_memory(pipeline->arena.memory, error);
}

static hbs_status hb_validate_guard(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    HB_TRY(same_width(pipeline, op, error));
    return add_asked(pipeline, op, error);
}

static hbs_status hb_validate_impute(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    HB_CHECK(op->fill, error);
    return same_width(pipeline, op, error);
}

/* ---- new columns of numbers */

static hbs_status hb_validate_indicator(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    size_t width = hb_pipeline_width(pipeline, op->input);

    HB_CHECK(op->known, error);
    HB_CHECK(op->n_columns > 0 && op->n_columns <= HB_MAX_OUTPUTS, error);
    for (size_t i = 0; i < op->n_columns; i++)
        HB_CHECK(op->columns[i] < width, error);
    op->width = op->n_columns;
    return HBS_OK;
}

static hbs_status hb_validate_binarize(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    HB_CHECK(!isnan(op->number), error);
    return same_width(pipeline, op, error);
}

static hbs_status hb_validate_norm(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    HB_CHECK(op->norm <= HB_NORM_MAX, error);
    return same_width(pipeline, op, error);
}

static hbs_status hb_validate_bins(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    const hb_bins *bins = op->bins;
    uint32_t at = 0;

    HB_TRY(same_width(pipeline, op, error));
    HB_CHECK(bins && bins->n_columns == op->width, error);
    for (size_t c = 0; c < bins->n_columns; c++) {
        HB_CHECK(bins->ends[c] >= at, error);
        for (uint32_t i = at; i < bins->ends[c]; i++) {
            if (isnan(bins->edges[i]) || (i > at && bins->edges[i] < bins->edges[i - 1]))
                return hb_fail(error, HBS_E_FORMAT, "bins: the edges of column %zu do not rise", c);
            HB_TRY(hb_worked(&pipeline->arena.memory->work, 1, error));
        }
        at = bins->ends[c];
    }
    return HBS_OK;
}

/* A product is of one that comes before it, so they are made one after the other. */
static hbs_status hb_validate_products(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    size_t width = hb_pipeline_width(pipeline, op->input);

    HB_CHECK(op->products, error);
    HB_CHECK(op->n_columns > 0 && op->n_columns <= HB_MAX_OUTPUTS, error);
    for (size_t i = 0; i < op->n_columns; i++) {
        const hb_product *product = &op->products[i];

        HB_CHECK(product->column < width, error);
        HB_CHECK(product->of < i || product->of >= HB_PRODUCT_ONE, error);
    }
    op->width = op->n_columns;
    return HBS_OK;
}

/* ---- encoders */

static hbs_status check_encoder(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    const hb_encoder *encoder = op->encoder;

    HB_CHECK(encoder, error);
    HB_CHECK(encoder->n_columns == hb_pipeline_width(pipeline, op->input), error);
    HB_CHECK(encoder->width > 0 && encoder->width <= HB_MAX_OUTPUTS, error);
    for (size_t c = 0; c < encoder->n_columns; c++) {
        const hb_encoder_column *column = &encoder->columns[c];

        HB_CHECK((uint64_t)column->first + column->count <= encoder->n_values, error);
        for (uint32_t i = column->first + 1; i < column->first + column->count; i++) {
            HB_TRY(hb_worked(&pipeline->arena.memory->work, 1, error));
            HB_CHECK(encoder->values[i - 1] < encoder->values[i], error);
        }
    }
    op->width = encoder->width;
    return add_asked(pipeline, op, error);
}

/* Every output of a column is among its own columns of the result. */
static hbs_status hb_validate_onehot(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    const hb_encoder *encoder = op->encoder;

    HB_TRY(check_encoder(pipeline, op, error));
    for (size_t c = 0; c < encoder->n_columns; c++) {
        const hb_encoder_column *column = &encoder->columns[c];
        size_t end = c + 1 < encoder->n_columns ? column[1].base : encoder->width;
        int64_t most = (int64_t)end - (int64_t)column->base;

        HB_CHECK(most >= 0 && column->missing < most && column->unknown < most, error);
        for (uint32_t i = column->first; i < column->first + column->count; i++) {
            HB_TRY(hb_worked(&pipeline->arena.memory->work, 1, error));
            HB_CHECK(encoder->outputs[i] < most, error);
        }
    }
    return HBS_OK;
}

static hbs_status hb_validate_recode(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    HB_CHECK(op->encoder && op->encoder->width == op->encoder->n_columns, error);
    return check_encoder(pipeline, op, error);
}

static hbs_status hb_validate_dense(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    HB_CHECK(op->dense, error);
    HB_CHECK(op->dense->n_features == hb_pipeline_width(pipeline, op->input), error);
    HB_CHECK(op->dense->n_outputs > 0 && op->dense->n_outputs <= HB_MAX_OUTPUTS, error);
    op->width = op->dense->n_outputs;
    return HBS_OK;
}

static hbs_status hb_validate_gaussian_nb(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    HB_CHECK(op->gaussian, error);
    HB_CHECK(op->gaussian->n_features == hb_pipeline_width(pipeline, op->input), error);
    HB_CHECK(op->gaussian->n_outputs > 0 && op->gaussian->n_outputs <= HB_MAX_OUTPUTS, error);
    op->width = op->gaussian->n_outputs;
    return HBS_OK;
}

static hbs_status hb_validate_affine(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    HB_CHECK(op->bias, error);
    op->width = hb_pipeline_width(pipeline, op->input);
    return HBS_OK;
}

static hbs_status hb_validate_average(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    HB_CHECK(op->number > 0, error);
    op->width = hb_pipeline_width(pipeline, op->input);
    return HBS_OK;
}

static hbs_status hb_validate_forest(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    HB_CHECK(op->forest && op->forest->wide == op->wide, error);
    HB_CHECK(op->wide ? !op->base_score && op->base_link == HB_BASE_IDENTITY : !op->base, error);
    HB_CHECK(op->forest->n_features == hb_pipeline_width(pipeline, op->input), error);
    HB_CHECK(op->forest->n_outputs > 0 && op->forest->n_outputs <= HB_MAX_OUTPUTS, error);
    HB_TRY(check_base_score(op, op->forest->n_outputs, error));
    if (op->n_inputs > 0) {
        HB_CHECK(op->n_inputs == 1 && op->forest->wide && op->inputs[0] > 0, error);
        HB_CHECK(op->inputs[0] <= (size_t)(op - pipeline->operators), error);
        HB_CHECK(hb_pipeline_is_wide(pipeline, op->inputs[0]), error);
        HB_CHECK(hb_pipeline_width(pipeline, op->inputs[0]) == op->forest->n_outputs, error);
    }
    op->width = op->forest->n_outputs;
    return hb_forest_model_seal(op->forest, &pipeline->limits, error);
}

static hbs_status hb_validate_isolation(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    HB_CHECK(hb_pipeline_width(pipeline, op->input) == 1, error);
    HB_CHECK(!isnan(op->limits[0]) && !isnan(op->limits[1]), error);
    return same_width(pipeline, op, error);
}

static hbs_status hb_validate_weighted_median(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    size_t width = hb_pipeline_width(pipeline, op->input);

    HB_CHECK(op->weights, error);
    HB_CHECK(width > 0 && width <= HB_MAX_MEDIAN, error);
    op->width = 1;
    return HBS_OK;
}

static hbs_status hb_validate_linear(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    const hb_linear_model *linear = op->linear;

    HB_CHECK(linear && op->n_inputs == 0, error);
    HB_CHECK(linear->n_features == hb_pipeline_width(pipeline, op->input), error);
    HB_CHECK(linear->n_outputs > 0 && linear->n_outputs <= HB_MAX_OUTPUTS, error);
    for (size_t i = 0; i < linear->n_features * linear->n_outputs; i++) {
        HB_TRY(hb_worked(&pipeline->arena.memory->work, 1, error));
        if (isnan(linear->weights[i]))
            return hb_fail(error, HBS_E_FORMAT, "weight %zu is NaN", i);
    }
    for (size_t i = 0; i < linear->n_outputs; i++)
        if (isnan(linear->bias[i]))
            return hb_fail(error, HBS_E_FORMAT, "bias %zu is NaN", i);
    op->width = linear->n_outputs;
    return check_base_score(op, linear->n_outputs, error);
}

static hbs_status hb_validate_link(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    bool pair = op->link == HB_LINK_SOFTMAX_PAIR;

    HB_CHECK(!op->wide || op->link != HB_LINK_SIGMOID || op->number > 0, error);
    op->width = hb_pipeline_width(pipeline, op->input);
    if (pair && op->width != 1)
        return hb_fail(error, HBS_E_FORMAT, "link: the softmax of -d, d needs one score, not %zu", op->width);
    HB_CHECK(op->link != HB_LINK_VARIANCE || op->width == 2, error);
    if (op->link == HB_LINK_DIFFERENCE && op->width != 2)
        return hb_fail(error, HBS_E_FORMAT, "link: the difference needs two scores, not %zu", op->width);
    op->width = pair ? 2 : op->link == HB_LINK_DIFFERENCE ? 1 : op->width;
    return HBS_OK;
}

static hbs_status hb_validate_head(hb_pipeline *pipeline, hb_operator *op, hbs_error *error)
{
    size_t width = hb_pipeline_width(pipeline, op->input);

    HB_CHECK(!op->logit || (op->number >= 0 && op->number <= 1), error);
    HB_CHECK(op->rule != HB_HEAD_GREATER || (width == 1 && pipeline->n_classes == 2), error);
    HB_CHECK(op->rule != HB_HEAD_ARGMAX || width == pipeline->n_classes || (width == 1 && pipeline->n_classes == 2),
             error);
    op->width = op->rule == HB_HEAD_FLAGS ? width : 1;
    return HBS_OK;
}

typedef hbs_status (*validator)(hb_pipeline *pipeline, hb_operator *op, hbs_error *error);

static const validator validators[] = {
#define HB_OPERATOR(kind, name, reads, demand, summary) hb_validate_##name,
#include "pipeline/operators.def"
#undef HB_OPERATOR
};

/* ---- the numbers that operators have kernels for */

enum { FLOAT32 = 1, FLOAT64 = 2, EITHER = FLOAT32 | FLOAT64 };

static const uint8_t reads[] = {
#define HB_OPERATOR(kind, name, reads, demand, summary) reads,
#include "pipeline/operators.def"
#undef HB_OPERATOR
};

static const uint8_t link_reads[] = {
    [HB_LINK_IDENTITY] = EITHER,   [HB_LINK_SIGMOID] = EITHER,         [HB_LINK_SOFTMAX] = EITHER,
    [HB_LINK_EXP] = EITHER,        [HB_LINK_HINGE] = EITHER,           [HB_LINK_SORT] = FLOAT32,
    [HB_LINK_EXPECTILE] = FLOAT32, [HB_LINK_SQUARE] = FLOAT64,         [HB_LINK_SOFTPLUS] = FLOAT64,
    [HB_LINK_VARIANCE] = FLOAT64,  [HB_LINK_SOFTMAX_PAIR] = FLOAT64,   [HB_LINK_ONE_VS_REST] = FLOAT64,
    [HB_LINK_LOGSUMEXP] = FLOAT64, [HB_LINK_MODIFIED_HUBER] = FLOAT64, [HB_LINK_RELU] = FLOAT64,
    [HB_LINK_TANH] = FLOAT64,      [HB_LINK_DIFFERENCE] = FLOAT64,
};

/* An operator without a kernel for its input's dtype would read the bytes as the other dtype. */
static hbs_status check_input(const hb_operator *op, hbs_error *error)
{
    uint8_t type = op->wide ? FLOAT64 : FLOAT32;

    HB_CHECK((op->input == 0) == (op->kind == HB_OPERATOR_ORDINAL), error);
    HB_CHECK(reads[op->kind] & type, error);
    HB_CHECK(op->kind != HB_OPERATOR_LINK || op->link < sizeof(link_reads), error);
    HB_CHECK(op->kind != HB_OPERATOR_LINK || link_reads[op->link] & type, error);
    return HBS_OK;
}

/* ---- the whole */

static int compare_names(const void *context, uint32_t a, uint32_t b)
{
    const hb_pipeline *pipeline = context;

    return hb_compare_texts(hb_pipeline_feature_name(pipeline, a), hb_pipeline_feature_name(pipeline, b),
                            &pipeline->arena.memory->work);
}

static hbs_status check_names(const hb_pipeline *pipeline, hbs_error *error)
{
    char name[HB_EXCERPT_BUFFER];
    uint32_t same;

    if (!pipeline->name_bytes)
        return HBS_OK;
    HB_TRY(find_equal(pipeline->arena.memory, pipeline->n_features, compare_names, pipeline, &same, error));
    if (same == pipeline->n_features)
        return HBS_OK;
    return hb_fail(error, pipeline->names_are_given ? HBS_E_ARGS : HBS_E_FORMAT,
                   "two features have the name \"%s\" (option features gives them new names)",
                   HB_SHOW(hb_pipeline_feature_name(pipeline, same), name));
}

/* Labels are class numbers, so that they can be looked up without a check. */
static bool gives_class(const hb_pipeline *pipeline, size_t value)
{
    const hb_operator *op = &pipeline->operators[value - 1];

    return op->kind == HB_OPERATOR_HEAD && op->rule != HB_HEAD_FLAGS;
}

/* One for each class; one alone is that of the second of two. */
static bool gives_probabilities(const hb_pipeline *pipeline, size_t value)
{
    size_t width = hb_pipeline_width(pipeline, value), n = pipeline->n_classes;

    return n == 0 || width == n || (width == 1 && n == 2);
}

static hbs_status check_outputs(const hb_pipeline *pipeline, hbs_error *error)
{
    const size_t outputs[] = {pipeline->raw,           pipeline->value, pipeline->values,
                              pipeline->probabilities, pipeline->label, pipeline->transform};

    for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++)
        HB_CHECK(outputs[i] <= pipeline->n_operators, error);
    HB_CHECK(pipeline->raw || pipeline->value || pipeline->values || pipeline->label || pipeline->transform, error);
    HB_CHECK(!pipeline->value || hb_pipeline_width(pipeline, pipeline->value) == 1, error);
    HB_CHECK(!pipeline->label || gives_class(pipeline, pipeline->label), error);
    HB_CHECK(!pipeline->probabilities || gives_probabilities(pipeline, pipeline->probabilities), error);
    return HBS_OK;
}

hbs_status hb_pipeline_seal(hb_pipeline *pipeline, hbs_error *error)
{
    enum { UNITS_A_COLUMN = 4 };

    HB_CHECK(!pipeline->sealed && !pipeline->too_many, error);
    HB_CHECK(pipeline->n_features > 0 && pipeline->n_features <= HB_MAX_FEATURES, error);
    HB_TRY(check_names(pipeline, error));
    for (size_t k = 0; k < pipeline->n_operators; k++) {
        hb_operator *op = &pipeline->operators[k];

        HB_CHECK(op->input <= k && op->kind < HB_N_OPERATORS, error);
        op->wide = hb_pipeline_is_wide(pipeline, op->input);
        HB_TRY(check_input(op, error));
        HB_TRY(
            hb_worked(&pipeline->arena.memory->work, UNITS_A_COLUMN * hb_pipeline_width(pipeline, op->input), error));
        HB_TRY(validators[op->kind](pipeline, op, error));
        HB_TRY(hb_worked(&pipeline->arena.memory->work, UNITS_A_COLUMN * op->width, error));
    }
    HB_TRY(check_outputs(pipeline, error));
    HB_TRY(hb_pipeline_demand(pipeline, error));
    pipeline->sealed = true;
    return HBS_OK;
}
