/* own_operators.c - the operators of hbscore's own format: a function for each, in one table.
 *
 * Members stand in a fixed order: op, in, then those of the operator. */
#include <float.h>
#include <math.h>

#include "format/own.h"

enum {
    MAX_COLUMNS = 1 << 19 /* of all values: a short file of concats must not need a run of gigabytes */
};

/* An operator being read: its inputs as the file numbers them, and what its value becomes. */
typedef struct reading {
    hb_own_file *file;
    const struct hb_own_value *in[HB_MAX_OPERATORS];
    size_t n_in;
    struct hb_own_value made;
} reading;

static bool fail(const reading *r, const char *what)
{
    hb_document_fail(r->file->d, HBS_E_FORMAT, "%s", what);
    return false;
}

static bool add(reading *r, const hb_operator *op, size_t width)
{
    r->made.value = hb_pipeline_add(r->file->pipeline, op);
    r->made.width = width;
    return true;
}

static uint32_t source_of(const struct hb_own_value *value, size_t c)
{
    return value->sources ? value->sources[c] : HB_OWN_DERIVED;
}

static bool is_text(const reading *r, size_t i, size_t c)
{
    uint32_t source = source_of(r->in[i], c);

    return source != HB_OWN_DERIVED && r->file->is_text && r->file->is_text[source];
}

/* What computes with numbers takes no texts. */
static bool takes_numbers(const reading *r)
{
    for (size_t i = 0; i < r->n_in; i++)
        for (size_t c = 0; c < r->in[i]->width; c++)
            if (is_text(r, i, c))
                return fail(r, "a text where the operator takes numbers");
    return true;
}

/* Room for the sources of `n` columns. */
static uint32_t *new_sources(const reading *r, size_t n)
{
    uint32_t *sources = hb_arena_array(&r->file->pipeline->arena, n, sizeof(*sources));

    if (!sources)
        hb_document_no_memory(r->file->d);
    return sources;
}

static bool check_columns(const reading *r, size_t n)
{
    if (n > HB_MAX_OUTPUTS || r->file->n_columns + n > MAX_COLUMNS)
        hb_document_fail(r->file->d, HBS_E_LIMIT, "too many columns");
    return hb_document_ok(r->file->d);
}

/* ---- columns */

static bool read_select(reading *r)
{
    hb_pipeline *pipeline = r->file->pipeline;
    hb_operator op = {.kind = HB_OPERATOR_SELECT, .input = r->in[0]->value};
    hb_document *d = r->file->d;
    hb_vector columns;
    uint32_t *kept = NULL, *sources = NULL;

    if (!hb_own_member(r->file, "cols"))
        return false;
    hb_vector_init(&columns, pipeline->arena.memory, sizeof(int32_t));
    hb_read_int32s(d, &columns);
    op.n_columns = columns.count;
    if (check_columns(r, columns.count)) {
        kept = hb_arena_array(&pipeline->arena, columns.count, sizeof(*kept));
        sources = new_sources(r, columns.count);
        if (!kept)
            hb_document_no_memory(d);
    }
    for (size_t i = 0; hb_document_ok(d) && i < columns.count; i++) {
        int32_t column = ((const int32_t *)columns.items)[i];

        if (column < 0 || (size_t)column >= r->in[0]->width)
            fail(r, "select: a column that is not there");
        else
            sources[i] = source_of(r->in[0], (size_t)column);
        kept[i] = (uint32_t)column;
    }
    if (hb_document_ok(d) && columns.count == 0)
        fail(r, "select: no columns");
    hb_vector_release(&columns);
    op.columns = kept;
    r->made.sources = sources;
    return hb_document_ok(d) && add(r, &op, op.n_columns);
}

static bool read_concat(reading *r)
{
    hb_operator op = {.kind = HB_OPERATOR_CONCAT, .input = r->in[0]->value, .n_inputs = r->n_in};
    size_t *inputs = hb_arena_array(&r->file->pipeline->arena, r->n_in, sizeof(*inputs));
    uint32_t *sources;
    size_t width = 0;

    for (size_t i = 0; i < r->n_in; i++)
        width += r->in[i]->width;
    if (!check_columns(r, width))
        return false;
    sources = new_sources(r, width);
    if (!inputs || !sources)
        return hb_document_no_memory(r->file->d);
    width = 0;
    for (size_t i = 0; i < r->n_in; i++) {
        inputs[i] = r->in[i]->value;
        for (size_t c = 0; c < r->in[i]->width; c++)
            sources[width++] = source_of(r->in[i], c);
    }
    r->made.sources = sources;
    op.inputs = inputs;
    return add(r, &op, width);
}

static bool read_cast(reading *r)
{
    static const char *const types[] = {"f4"};

    r->file->has_float32 = true;
    return hb_own_word(r->file, "to", types, 1) != SIZE_MAX &&
           add(r, &(hb_operator){.kind = HB_OPERATOR_ROUND, .input = r->in[0]->value},
               r->in[0]->width);
}

static bool read_affine(reading *r)
{
    static const char *const kinds[] = {[HB_SCALE_SHIFT] = "sub",
                                        [HB_SCALE_DIVIDE] = "div",
                                        [HB_SCALE_SHIFT_DIVIDE] = "sub_div",
                                        [HB_SCALE_MULTIPLY_ADD] = "mul_add"};
    static const char *const dtypes[] = {"f8", "f4"};
    /* In mul_add the file's a is the factor and b what is added. */
    static const struct {
        bool has_a, has_b, a_is_factor;
    } fields[] = {[HB_SCALE_SHIFT] = {true, false, false},
                  [HB_SCALE_DIVIDE] = {false, true, false},
                  [HB_SCALE_SHIFT_DIVIDE] = {true, true, false},
                  [HB_SCALE_MULTIPLY_ADD] = {true, true, true}};
    hb_operator op = {.kind = HB_OPERATOR_SCALE, .input = r->in[0]->value};
    size_t width = r->in[0]->width;
    size_t kind = hb_own_word(r->file, "kind", kinds, 4), dtype;
    const double *a = NULL, *b = NULL;

    if (kind == SIZE_MAX)
        return false;
    dtype = hb_own_word(r->file, "dtype", dtypes, 2);
    if (dtype == SIZE_MAX)
        return false;
    if (fields[kind].has_a)
        a = hb_own_numbers(r->file, "a", width);
    if (fields[kind].has_b && hb_document_ok(r->file->d))
        b = hb_own_numbers(r->file, "b", width);
    op.scaling = (hb_scaling)kind;
    op.rounds = dtype == 1;
    r->file->has_float32 |= op.rounds;
    op.shift = fields[kind].a_is_factor ? b : a;
    op.factor = fields[kind].a_is_factor ? a : b;
    return hb_document_ok(r->file->d) && add(r, &op, width);
}

static bool read_clip(reading *r)
{
    hb_operator op = {.kind = HB_OPERATOR_CLIP, .input = r->in[0]->value};
    const double *low = hb_own_numbers(r->file, "lo", 1);
    const double *high = low ? hb_own_numbers(r->file, "hi", 1) : NULL;

    if (!high)
        return false;
    op.limits[0] = *low;
    op.limits[1] = *high;
    return add(r, &op, r->in[0]->width);
}

/* `missing` is "nan" or an array of one number. */
static bool read_missing(reading *r, double *missing)
{
    static const char *const words[] = {"nan"};
    hb_own_dtype dtype;
    hb_own_array number;

    *missing = NAN;
    if (!hb_own_member(r->file, "missing"))
        return false;
    if (hb_peek(r->file->d) == HB_KIND_STRING)
        return hb_own_word_value(r->file, "missing", words, 1) != SIZE_MAX;
    if (!hb_own_array_value(r->file, 1u << HB_OWN_F8, 1, &dtype, &number))
        return false;
    if (number.count != 1 || !isfinite(*(const double *)number.items))
        return fail(r, "impute: missing is no number");
    *missing = *(const double *)number.items;
    return true;
}

/* Of numbers finite ones; of texts their codes, which come at the end. */
static const double *read_fill(reading *r)
{
    size_t width = r->in[0]->width;
    hb_own_array texts;
    double *codes;

    if (width == 0 || !is_text(r, 0, 0))
        return takes_numbers(r) ? hb_own_numbers(r->file, "fill", width) : NULL;
    if (!hb_own_array_read(r->file, "fill", HB_OWN_STR, 1, &texts))
        return NULL;
    codes = hb_arena_array(&r->file->pipeline->arena, width, sizeof(*codes));
    if (!codes || texts.count != width) {
        (void)(codes ? fail(r, "impute: not one text for each column")
                     : hb_document_no_memory(r->file->d));
        return NULL;
    }
    for (size_t c = 0; c < width; c++) {
        if (!is_text(r, 0, c)) {
            fail(r, "impute: texts for numbers");
            return NULL;
        }
        if (!hb_own_texts_note(r->file, source_of(r->in[0], c), (const hbs_text *)texts.items + c, 1,
                               &codes[c]))
            return NULL;
    }
    return codes;
}

static bool read_impute(reading *r)
{
    hb_operator op = {.kind = HB_OPERATOR_IMPUTE, .input = r->in[0]->value};

    if (!read_missing(r, &op.number))
        return false;
    op.fill = read_fill(r);
    r->made.sources = r->in[0]->sources;
    return op.fill && add(r, &op, r->in[0]->width);
}

/* ---- encoders */

static bool read_encoder(reading *r, hb_operator_kind kind)
{
    hb_operator op = {.kind = kind, .input = r->in[0]->value};

    return hb_own_encoder_read(r->file, r->in[0], kind == HB_OPERATOR_ONEHOT, &op.encoder) &&
           add(r, &op, op.encoder->width);
}

static bool read_onehot(reading *r)
{
    return read_encoder(r, HB_OPERATOR_ONEHOT);
}

static bool read_ordinal(reading *r)
{
    return read_encoder(r, HB_OPERATOR_RECODE);
}

/* ---- models */

static bool check_finite(const reading *r, const hb_own_array *array, const char *what)
{
    for (size_t i = 0; i < array->count; i++)
        if (!isfinite(((const double *)array->items)[i]))
            return fail(r, what);
    return true;
}

static bool read_linear(reading *r)
{
    hb_operator op = {.kind = HB_OPERATOR_DENSE, .input = r->in[0]->value};
    hb_dense_model *dense =
        hb_arena_array(&r->file->pipeline->arena, 1, sizeof(*dense));
    hb_own_array coefficients, intercept;

    if (!dense)
        return hb_document_no_memory(r->file->d);
    if (!hb_own_array_read(r->file, "coef", HB_OWN_F8, 2, &coefficients) ||
        !hb_own_array_read(r->file, "intercept", HB_OWN_F8, 1, &intercept))
        return false;
    if (coefficients.shape[1] != r->in[0]->width || coefficients.shape[0] != intercept.count ||
        intercept.count == 0 || intercept.count > HB_MAX_OUTPUTS)
        return fail(r, "linear: coef is not [outputs, features], or intercept not [outputs]");
    if (!check_finite(r, &coefficients, "linear: a coefficient is not finite") ||
        !check_finite(r, &intercept, "linear: an intercept is not finite"))
        return false;
    *dense = (hb_dense_model){coefficients.shape[1], intercept.count, coefficients.items,
                              intercept.items};
    op.dense = dense;
    r->file->pipeline->adds_in_own_order = true;
    r->file->pipeline->tolerance = r->file->has_float32 ? 1e-4 : 1e-9; /* its sums are in its own type */
    return add(r, &op, intercept.count);
}

static bool read_forest(reading *r)
{
    hb_operator op;
    double divisor;

    if (!hb_own_forest_read(r->file, r->in[0]->value, r->in[0]->width, &op, &divisor))
        return false;
    add(r, &op, op.forest->n_outputs);
    if (divisor != 1)
        add(r, &(hb_operator){.kind = HB_OPERATOR_AVERAGE, .input = r->made.value,
                              .number = divisor},
            r->made.width);
    return true;
}

/* ---- outputs */

static bool read_link(reading *r)
{
    static const char *const kinds[] = {"sigmoid", "sigmoid2",  "softmax",       "softmax_pm",
                                        "ovr",     "logsumexp", "modified_huber", "exp"};
    static const struct {
        hb_link_kind link;
        double number;
    } links[] = {{HB_LINK_SIGMOID, 1}, {HB_LINK_SIGMOID, 2},      {HB_LINK_SOFTMAX, 0},
                 {HB_LINK_SOFTMAX_PAIR, 0},  {HB_LINK_ONE_VS_REST, 0},
                 {HB_LINK_LOGSUMEXP, 0},    {HB_LINK_MODIFIED_HUBER, 0}, {HB_LINK_EXP, 0}};
    size_t kind = hb_own_word(r->file, "kind", kinds, sizeof(kinds) / sizeof(kinds[0]));
    hb_operator op = {.kind = HB_OPERATOR_LINK, .input = r->in[0]->value};

    if (kind == SIZE_MAX)
        return false;
    op.link = links[kind].link;
    op.number = links[kind].number;
    return add(r, &op, op.link == HB_LINK_SOFTMAX_PAIR ? 2 : r->in[0]->width);
}

typedef enum rule { GT0, GE0, HALF, ARGMAX, ARGMAX_PROBA } rule;

/* One number for two classes, or one for each. */
static bool is_score(const reading *r, size_t i)
{
    size_t n = r->file->pipeline->n_classes;

    return r->in[i]->width == n || (r->in[i]->width == 1 && n == 2);
}

/* in: raw scores, and the probabilities where the model has them; the same value twice, or one alone under
 * a rule of probabilities: it has no raw scores. */
static bool read_head(reading *r)
{
    static const char *const rules[] = {"gt0", "ge0", "half", "argmax", "argmax_proba"};
    hb_pipeline *pipeline = r->file->pipeline;
    size_t rule = hb_own_word(r->file, "rule", rules, sizeof(rules) / sizeof(rules[0]));
    bool by_proba = rule == HALF || rule == ARGMAX_PROBA;
    size_t last = r->n_in - 1;
    hb_operator op = {.kind = HB_OPERATOR_HEAD};

    if (rule == SIZE_MAX)
        return false;
    if (pipeline->n_classes == 0 || !is_score(r, 0) || !is_score(r, last))
        return fail(r, "head: the scores are not those of the classes");
    if ((rule == GT0 || rule == GE0) && r->in[0]->width != 1)
        return fail(r, "head: the rule needs one score");
    if (rule == HALF && r->in[last]->width != 1)
        return fail(r, "head: the rule needs one probability");
    if (rule == ARGMAX && r->in[0]->width == 1)
        return fail(r, "head: argmax of one score");
    if (r->n_in == 2 || by_proba)
        pipeline->probabilities = r->in[last]->value;
    if (r->in[0]->value != pipeline->probabilities)
        pipeline->raw = r->in[0]->value;
    op.input = by_proba ? r->in[last]->value : r->in[0]->value;
    op.rule = rule == ARGMAX || rule == ARGMAX_PROBA ? HB_HEAD_ARGMAX : HB_HEAD_GREATER;
    op.number = rule == HALF ? 0.5 : rule == GE0 ? -DBL_TRUE_MIN : 0; /* >= 0 is > the number below it */
    add(r, &op, 1);
    r->made.is_label = true;
    pipeline->label = r->made.value;
    return true;
}

/* ---- the list */

static const struct {
    const char *name;
    size_t least, most; /* inputs */
    bool takes_texts;
    bool (*read)(reading *r);
} operators[] = {
    {"select", 1, 1, true, read_select},   {"concat", 1, HB_MAX_OPERATORS, true, read_concat},
    {"cast", 1, 1, false, read_cast},      {"affine", 1, 1, false, read_affine},
    {"clip", 1, 1, false, read_clip},      {"impute", 1, 1, true, read_impute},
    {"onehot", 1, 1, true, read_onehot},   {"ordinal", 1, 1, true, read_ordinal},
    {"linear", 1, 1, false, read_linear},  {"forest", 1, 1, false, read_forest},
    {"link", 1, 1, false, read_link},      {"head", 1, 2, false, read_head},
};

enum {
    N_OPERATORS = sizeof(operators) / sizeof(operators[0]),
    MOST_OPERATORS = 3,    /* of the pipeline, that one of the file becomes */
};

static bool read_inputs(reading *r)
{
    hb_own_file *file = r->file;

    if (!hb_own_member(file, "in") || !hb_array_begin(file->d))
        return false;
    while (hb_array_next(file->d)) {
        size_t value = (size_t)hb_read_integer(file->d, 0, (int64_t)file->n_values - 1);

        if (!hb_document_ok(file->d))
            return false;
        if (r->n_in == HB_MAX_OPERATORS || file->values[value].is_label)
            return fail(r, "too many inputs, or one that is a label");
        r->in[r->n_in++] = &file->values[value];
    }
    return hb_document_ok(file->d);
}

static bool read_operator(hb_own_file *file)
{
    const char *names[N_OPERATORS];
    reading r = {.file = file};
    hbs_text key;
    size_t kind;

    for (size_t i = 0; i < N_OPERATORS; i++)
        names[i] = operators[i].name;
    if (!hb_object_begin(file->d))
        return false;
    kind = hb_own_word(file, "op", names, N_OPERATORS);
    if (kind == SIZE_MAX || !read_inputs(&r))
        return false;
    if (file->pipeline->label)
        return fail(&r, "an operator behind the head");
    if (r.n_in < operators[kind].least || r.n_in > operators[kind].most)
        return fail(&r, "the operator does not take so many inputs");
    if (!operators[kind].takes_texts && !takes_numbers(&r))
        return false;
    if (!operators[kind].read(&r))
        return false;
    if (hb_object_next(file->d, &key))
        hb_document_unknown(file->d);
    if (!check_columns(&r, r.made.width))
        return false;
    file->n_columns += r.made.width;
    file->values[file->n_values++] = r.made;
    return hb_document_ok(file->d);
}

/* A regressor's last value is its prediction, or its predictions. */
static bool name_outputs(hb_own_file *file)
{
    const struct hb_own_value *last = &file->values[file->n_values - 1];
    hb_pipeline *pipeline = file->pipeline;

    if (file->n_values == 1 || (pipeline->task == HBS_CLASSIFIER) != last->is_label) {
        hb_document_fail(file->d, HBS_E_FORMAT, "the last operator is not the model's answer");
        return false;
    }
    if (pipeline->task == HBS_CLASSIFIER)
        return true;
    *(last->width == 1 ? &pipeline->value : &pipeline->values) = last->value;
    return true;
}

bool hb_own_operators_read(hb_own_file *file)
{
    hb_operator ordinal = {.kind = HB_OPERATOR_ORDINAL};
    size_t table = hb_pipeline_add(file->pipeline, &ordinal);

    uint32_t *sources =
        hb_arena_array(&file->pipeline->arena, file->pipeline->n_features, sizeof(*sources));

    if (!sources)
        return hb_document_no_memory(file->d);
    for (size_t f = 0; f < file->pipeline->n_features; f++)
        sources[f] = (uint32_t)f;
    file->values[0] = (struct hb_own_value){
        .value = table, .width = file->pipeline->n_features, .sources = sources};
    file->n_values = 1;
    if (!hb_array_begin(file->d))
        return false;
    while (hb_array_next(file->d)) {
        if (file->pipeline->n_operators + MOST_OPERATORS > HB_MAX_OPERATORS) {
            hb_document_fail(file->d, HBS_E_LIMIT, "too many operators");
            return false;
        }
        if (!read_operator(file))
            return false;
    }
    return hb_document_ok(file->d) && name_outputs(file);
}
