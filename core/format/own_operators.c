/* own_operators.c - the list of operators of hbscore's own format, and what their readers share. */
#include <math.h>
#include <string.h>

#include "format/own.h"

enum {
    MAX_COLUMNS = 1 << 19 /* of all values: a short file of concats must not need a run of gigabytes */
};

/* ---- for the readers of operators */

bool hb_own_fail(const hb_own_reading *r, const char *what)
{
    hb_document_fail(r->file->d, HBS_E_FORMAT, "%s", what);
    return false;
}

bool hb_own_check_finite(const hb_own_reading *r, const hb_own_array *array, const char *what)
{
    for (size_t i = 0; i < array->count && hb_document_goes_on(r->file->d, 1); i++)
        if (!isfinite(((const double *)array->items)[i]))
            return hb_own_fail(r, what);
    return hb_document_ok(r->file->d);
}

/* The library's sums are in float32 if one of its steps may have made float32: the tolerance is larger then. */
void hb_own_adds(hb_own_file *file)
{
    double tolerance = file->has_float32 ? 1e-4 : 1e-9;

    file->pipeline->adds_in_own_order = true;
    if (file->pipeline->tolerance < tolerance)
        file->pipeline->tolerance = tolerance;
}

bool hb_own_add(hb_own_reading *r, hb_operator_kind kind, const void *fit, size_t width)
{
    r->made.value = hb_pipeline_add(r->file->pipeline, kind, r->in[0]->value, fit);
    r->made.width = width;
    return true;
}

bool hb_own_add_list(hb_own_reading *r, hb_operator_kind kind, const void *fit, size_t width)
{
    r->made.is_list = true;
    return hb_own_add(r, kind, fit, width);
}

bool hb_own_write_out(hb_own_file *file, hb_own_value *value, size_t most)
{
    hb_fit_list_columns fit = {.n_outputs = value->width};
    uint32_t *columns;

    if (!value->is_list)
        return true;
    if (value->width > most) {
        hb_document_fail(file->d, HBS_E_LIMIT,
                         "a sparse value of %zu columns, whose zeros are needed too: the limit is %zu", value->width,
                         most);
        return false;
    }
    columns = hb_arena_array(&file->pipeline->arena, value->width, sizeof(*columns));
    if (!columns)
        return hb_document_no_memory(file->d);
    for (size_t c = 0; c < value->width; c++)
        columns[c] = (uint32_t)c;
    fit.columns = columns;
    value->value = hb_pipeline_add(file->pipeline, HB_OPERATOR_LIST_COLUMNS, value->value, &fit);
    value->is_list = false;
    return hb_document_goes_on(file->d, value->width);
}

uint32_t hb_own_source(const hb_own_value *value, size_t c)
{
    return value->sources ? value->sources[c] : HB_OWN_DERIVED;
}

bool hb_own_is_text(const hb_own_reading *r, size_t i, size_t c)
{
    uint32_t source = hb_own_source(r->in[i], c);

    return source != HB_OWN_DERIVED && r->file->is_text && r->file->is_text[source];
}

/* True if a column of input i is a text; false also where the host wants to stop. */
static bool has_text(const hb_own_reading *r, size_t i)
{
    enum { UNITS_A_COLUMN = 4 };

    if (!r->file->is_text ||
        r->in[i]->is_list) /* a list may have millions of columns, in each of thousands of operators */
        return false;
    for (size_t c = 0; c < r->in[i]->width && hb_document_goes_on(r->file->d, UNITS_A_COLUMN); c++)
        if (hb_own_is_text(r, i, c))
            return true;
    return false;
}

/* Fails the document if a column of the operator's input is a text. */
bool hb_own_takes_numbers(const hb_own_reading *r)
{
    for (size_t i = 0; i < r->n_in; i++)
        if (has_text(r, i))
            return hb_own_fail(r, "a text where the operator takes numbers");
    return hb_document_ok(r->file->d);
}

/* Room for the sources of `n` columns. */
uint32_t *hb_own_new_sources(const hb_own_reading *r, size_t n)
{
    uint32_t *sources = hb_arena_array(&r->file->pipeline->arena, n, sizeof(*sources));

    if (!sources)
        hb_document_no_memory(r->file->d);
    return sources;
}

bool hb_own_check_columns(const hb_own_reading *r, size_t n)
{
    if (n > HB_MAX_OUTPUTS || r->file->n_columns + n > MAX_COLUMNS)
        hb_document_fail(r->file->d, HBS_E_LIMIT, "too many columns");
    return hb_document_ok(r->file->d);
}

const uint32_t *hb_own_columns_read(hb_own_reading *r, const char *name, size_t least, size_t *n)
{
    hb_pipeline *pipeline = r->file->pipeline;
    hb_document *d = r->file->d;
    hb_vector columns;
    uint32_t *kept = NULL;

    if (!hb_own_member(r->file, name))
        return NULL;
    hb_vector_init(&columns, pipeline->arena.memory, sizeof(int32_t));
    hb_read_int32s(d, &columns);
    *n = columns.count;
    if (hb_own_check_columns(r, columns.count)) {
        kept = hb_arena_array(&pipeline->arena, columns.count, sizeof(*kept));
        if (!kept)
            hb_document_no_memory(d);
    }
    for (size_t i = 0; hb_document_ok(d) && i < columns.count && hb_document_goes_on(d, 2); i++) {
        int32_t column = ((const int32_t *)columns.items)[i];

        if (column < 0 || (size_t)column >= r->in[0]->width)
            hb_own_fail(r, "a column that is not there");
        kept[i] = (uint32_t)column;
    }
    if (hb_document_ok(d) && columns.count < least)
        hb_own_fail(r, "no columns");
    hb_vector_release(&columns);
    return hb_document_ok(d) ? kept : NULL;
}

bool hb_own_missing_read(hb_own_reading *r, double *missing)
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
        return hb_own_fail(r, "missing is no number");
    *missing = *(const double *)number.items;
    return true;
}

bool hb_own_dtype_read(hb_own_reading *r, bool *is_float32)
{
    static const char *const dtypes[] = {"f8", "f4"};
    size_t dtype = hb_own_word(r->file, "dtype", dtypes, 2);

    *is_float32 = dtype == 1;
    r->file->has_float32 |= *is_float32;
    return dtype != SIZE_MAX;
}

/* ---- the list */

static const struct {
    const char *name;
    size_t least, most;              /* inputs */
    unsigned takes;                  /* TAKES_... */
    bool (*read)(hb_own_reading *r); /* NULL: hb_own_read_fit, with the next two */
    hb_operator_kind kind;
    size_t width;
} operators[] = {
#define HB_OWN_OPERATOR(name, least, most, takes) {#name, least, most, takes, hb_own_read_##name, HB_OPERATOR_TABLE, 0},
#define HB_OWN_FIT(name, kind, width)             {#name, 1, 1, 0, NULL, HB_OPERATOR_##kind, width},
#include "format/own_operators.def"
};

enum { TAKES_TEXTS = 1, TAKES_LISTS = 2, TAKES_WIDE = 4 };
enum {
    N_OPERATORS = sizeof(operators) / sizeof(operators[0]),
};

/* The member "step", if it stands before "in", whose value is due then. */
static bool read_step(hb_own_reading *r, hbs_text *step)
{
    enum { MOST_BYTES = 255 };
    hb_own_file *file = r->file;
    char *kept;
    bool found;

    *step = (hbs_text){.size = 0};
    if (!hb_own_either(file, "step", "in", &found) || !found)
        return hb_document_ok(file->d);
    *step = hb_read_string(file->d);
    if (!hb_document_ok(file->d))
        return false;
    if (step->size == 0 || step->size > MOST_BYTES || memchr(step->bytes, 0, step->size) ||
        !hb_utf8_valid(step->bytes, step->size))
        return hb_own_fail(r, "a step's name is UTF-8 of 1 to 255 bytes, none of them 0");
    kept = hb_arena_text(&file->pipeline->arena, step->bytes, step->size);
    if (!kept)
        return hb_document_no_memory(file->d);
    step->bytes = kept;
    return hb_own_member(file, "in");
}

static bool read_inputs(hb_own_reading *r)
{
    hb_own_file *file = r->file;
    const hb_own_value *values = file->values.items;

    file->inputs.count = 0;
    if (!hb_array_begin(file->d))
        return false;
    while (hb_array_next(file->d)) {
        size_t value = (size_t)hb_read_integer(file->d, 0, (int64_t)file->values.count - 1);
        const hb_own_value *input = &values[value];

        if (!hb_document_ok(file->d))
            return false;
        if (file->inputs.count == HB_OWN_MAX_OPERATORS || input->is_label)
            return hb_own_fail(r, "too many inputs, or one that is a label");
        if (!hb_vector_append(&file->inputs, &input, 1))
            return hb_document_no_memory(file->d);
    }
    r->in = file->inputs.items;
    r->n_in = file->inputs.count;
    return hb_document_ok(file->d);
}

bool hb_own_write_out_inputs(hb_own_reading *r, size_t most)
{
    const hb_own_value **inputs = r->file->inputs.items;

    for (size_t i = 0; i < r->n_in; i++) {
        hb_own_value *written;

        if (!inputs[i]->is_list)
            continue;
        written = hb_arena_array(&r->file->pipeline->arena, 1, sizeof(*written));
        if (!written)
            return hb_document_no_memory(r->file->d);
        *written = *inputs[i];
        if (!hb_own_write_out(r->file, written, most))
            return false;
        inputs[i] = written;
    }
    return true;
}

/* An operator's reader goes over its columns some times: false where the host wants to stop. */
static bool count_columns(const hb_own_reading *r)
{
    enum { UNITS_A_COLUMN = 8 };
    size_t n = r->made.is_list ? 1 : r->made.width;

    for (size_t i = 0; i < r->n_in; i++)
        n += r->in[i]->is_list ? 1 : r->in[i]->width;
    return hb_document_goes_on(r->file->d, UNITS_A_COLUMN * n);
}

static bool read_members(hb_own_reading *r, size_t kind)
{
    return operators[kind].read ? operators[kind].read(r)
                                : hb_own_read_fit(r, operators[kind].kind, operators[kind].width);
}

static bool read_operator(hb_own_file *file)
{
    const char *names[N_OPERATORS];
    hb_own_reading r = {.file = file};
    size_t kind, first = file->pipeline->graph.nodes.count;
    hbs_text key, step;

    for (size_t i = 0; i < N_OPERATORS; i++)
        names[i] = operators[i].name;
    if (!hb_object_begin(file->d))
        return false;
    kind = hb_own_word(file, "op", names, N_OPERATORS);
    if (kind == SIZE_MAX || !read_step(&r, &step) || !read_inputs(&r))
        return false;
    if (file->answered)
        return hb_own_fail(&r, "an operator behind the model's answer");
    if (r.n_in < operators[kind].least || r.n_in > operators[kind].most)
        return hb_own_fail(&r, "the operator does not take so many inputs");
    if (!(operators[kind].takes & TAKES_TEXTS) && !hb_own_takes_numbers(&r))
        return false;
    if (!(operators[kind].takes & TAKES_LISTS) &&
        !hb_own_write_out_inputs(&r, operators[kind].takes & TAKES_WIDE ? HB_MAX_FEATURES : HB_MAX_OUTPUTS))
        return false;
    if (!read_members(&r, kind))
        return false;
    for (size_t i = first; i < file->pipeline->graph.nodes.count; i++)
        hb_node_at(&file->pipeline->graph, i)->step = step;
    if (hb_object_next(file->d, &key))
        hb_document_unknown(file->d);
    if (!hb_own_check_columns(&r, r.made.is_list ? 1 : r.made.width))
        return false;
    file->n_columns += r.made.is_list ? 1 : r.made.width;
    if (!count_columns(&r)) /* before the values move */
        return false;
    if (!hb_vector_append(&file->values, &r.made, 1))
        return hb_document_no_memory(file->d);
    return hb_document_ok(file->d);
}

/* The value that `transform` says: numbers, made by some operator or the features themselves. */
static bool name_transform(hb_own_file *file)
{
    const hb_own_value *transform;
    hb_own_reading r = {.file = file, .in = &transform, .n_in = 1};
    hb_own_value written;

    if (file->transform == SIZE_MAX)
        return true;
    if (file->transform >= file->values.count) {
        hb_document_fail(file->d, HBS_E_FORMAT, "transform is value %zu, there are 0 to %zu", file->transform,
                         file->values.count - 1);
        return false;
    }
    transform = (const hb_own_value *)file->values.items + file->transform;
    if (transform->is_label)
        return hb_own_fail(&r, "transform is a label");
    if (has_text(&r, 0))
        return hb_own_fail(&r, "transform has a text, it gives numbers only");
    written = *transform;
    if (!hb_own_write_out(file, &written, HB_MAX_OUTPUTS))
        return false;
    file->pipeline->transform = written.value;
    return true;
}

/* A regressor's last value is its prediction, or its predictions. A transformer has none. */
static bool name_outputs(hb_own_file *file)
{
    hb_own_value *last = (hb_own_value *)file->values.items + file->values.count - 1;
    hb_pipeline *pipeline = file->pipeline;
    bool needs_answer = pipeline->task == HBS_CLASSIFIER || pipeline->task == HBS_RANKER;

    if (file->values.count == 1 || (needs_answer && !file->answered) ||
        (pipeline->task != HBS_CLASSIFIER && pipeline->label)) {
        hb_document_fail(file->d, HBS_E_FORMAT, "the last operator is not the model's answer");
        return false;
    }
    if (!name_transform(file))
        return false;
    if (file->answered || pipeline->task == HBS_TRANSFORMER)
        return true;
    if (!hb_own_write_out(file, last, HB_MAX_OUTPUTS))
        return false;
    *(last->width == 1 ? &pipeline->value : &pipeline->values) = last->value;
    return true;
}

bool hb_own_operators_read(hb_own_file *file)
{
    uint32_t *sources = hb_arena_array(&file->pipeline->arena, file->pipeline->n_features, sizeof(*sources));
    hb_own_value table = {.width = file->pipeline->n_features, .sources = sources};

    file->table = file->codes = hb_pipeline_add(file->pipeline, HB_OPERATOR_ORDINAL, 0, NULL);
    if (file->is_text) /* own_texts.c fills it at the end */
        file->codes =
            hb_pipeline_add(file->pipeline, HB_OPERATOR_CODE_TEXTS, file->table, &(hb_fit_code_texts){.n_columns = 0});
    table.value = file->codes;
    if (!sources || !hb_vector_append(&file->values, &table, 1))
        return hb_document_no_memory(file->d);
    for (size_t f = 0; f < file->pipeline->n_features; f++)
        sources[f] = (uint32_t)f;
    if (!hb_array_begin(file->d))
        return false;
    while (hb_array_next(file->d)) {
        if (file->values.count > HB_OWN_MAX_OPERATORS) {
            hb_document_fail(file->d, HBS_E_LIMIT, "too many operators");
            return false;
        }
        if (!read_operator(file))
            return false;
    }
    return hb_document_ok(file->d) && name_outputs(file);
}
