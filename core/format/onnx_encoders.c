/* onnx_encoders.c - OneHotEncoder and LabelEncoder: each column's values are looked up among the file's keys. Texts are
 * columns of the table, and have the codes of their feature's dictionary. */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "format/onnx.h"

/* Keys of an encoder, each once, in the order of their bytes or numbers. */
typedef struct keys {
    bool are_texts;
    size_t n;
    hbs_text *texts; /* [n], in the pipeline's arena.. */
    double *numbers; /* ..or these; NaN comes last */
    uint32_t *order; /* [n]: places in the file's list */
    hb_work *work;
} keys;

/* ---- keys */

static int compare_keys(const void *context, uint32_t a, uint32_t b)
{
    const keys *k = context;
    double x = k->are_texts ? 0 : k->numbers[a], y = k->are_texts ? 0 : k->numbers[b];

    if (k->are_texts)
        return hb_compare_texts(k->texts[a], k->texts[b], k->work);
    if (x != x || y != y)
        return (x != x) - (y != y);
    return (x > y) - (x < y);
}

/* A copy of the text, which lasts as long as the pipeline. */
static hbs_status keep_text(hb_onnx_file *file, hbs_text text, hbs_text *kept)
{
    char *bytes = hb_arena_array(&file->pipeline->arena, text.size + 1, 1);

    if (!bytes)
        return hb_no_memory(file->arena.memory, file->error);
    memcpy(bytes, text.bytes, text.size);
    *kept = (hbs_text){bytes, text.size};
    return hb_worked(file->bytes.work, 4 + text.size / 8, file->error);
}

static hbs_status read_texts(hb_onnx_file *file, const hb_onnx_attribute *list, keys *k)
{
    enum { STRINGS = 9 };
    hb_repeated texts = hb_repeated_begin(&list->body, STRINGS, HB_WIRE_BYTES);

    k->texts = hb_arena_array(&file->pipeline->arena, list->count, sizeof(*k->texts));
    if (!k->texts)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < list->count; i++) {
        hbs_text text = {"", 0};

        hb_repeated_text(&texts, &text);
        HB_TRY(keep_text(file, text, &k->texts[i]));
    }
    return file->bytes.status;
}

static hbs_status read_numbers(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_attribute *list,
                               double **numbers)
{
    hb_onnx_items items = hb_onnx_items_of(list);

    *numbers = hb_arena_array(&file->pipeline->arena, list->count, sizeof(**numbers));
    if (!*numbers)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < list->count; i++) {
        int64_t whole = 0;

        if (list->kind == HB_ONNX_KIND_FLOATS) {
            (*numbers)[i] = (double)hb_onnx_next_float(&items);
            continue;
        }
        whole = hb_onnx_next_integer(&items);
        (*numbers)[i] = (double)whole;
        if (whole <= -(1LL << 53) || whole >= 1LL << 53)
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "it has an integer beyond 2^53");
    }
    HB_TRY(hb_worked(file->bytes.work, list->count, file->error));
    return file->bytes.status;
}

static hbs_status sort_keys(hb_onnx_file *file, keys *k)
{
    k->work = file->bytes.work;
    k->order = hb_arena_array(&file->arena, k->n, sizeof(*k->order));
    if (!k->order)
        return hb_no_memory(file->arena.memory, file->error);
    for (uint32_t i = 0; i < k->n; i++)
        k->order[i] = i;
    return hb_sort(k->order, k->n, compare_keys, k, k->work) ? HBS_OK : hb_work_status(k->work, file->error);
}

/* The list that the node has of these names; NULL: none. */
static hbs_status find_list(hb_onnx_file *file, const hb_onnx_node *node, const char *texts, const char *integers,
                            const char *floats, const hb_onnx_attribute **list)
{
    const hb_onnx_attribute *found[3] = {NULL, NULL, NULL};

    *list = NULL;
    HB_TRY(hb_onnx_attribute_find(file, node, texts, HB_ONNX_KIND_TEXTS, &found[0]));
    HB_TRY(hb_onnx_attribute_find(file, node, integers, HB_ONNX_KIND_INTS, &found[1]));
    if (floats)
        HB_TRY(hb_onnx_attribute_find(file, node, floats, HB_ONNX_KIND_FLOATS, &found[2]));
    for (size_t i = 0; i < 3; i++) {
        if (!found[i] || found[i]->count == 0)
            continue;
        if (*list)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has lists of two types");
        *list = found[i];
    }
    return HBS_OK;
}

static hbs_status read_keys(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_attribute *list,
                            const hb_onnx_value *in, keys *k)
{
    *k = (keys){.n = list ? list->count : 0, .are_texts = list && list->kind == HB_ONNX_KIND_TEXTS};
    if (!list)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads keys that are texts, integers or floats");
    if (k->are_texts != (in->type == HB_ONNX_STRING))
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its keys are not of the type of its input");
    HB_TRY(k->are_texts ? read_texts(file, list, k) : read_numbers(file, node, list, &k->numbers));
    return sort_keys(file, k);
}

/* ---- the encoder */

typedef struct building {
    hb_encoder_column *columns;
    double *values;
    int32_t *outputs; /* one-hot */
    double *numbers;  /* of each value */
    size_t used;
} building;

static hbs_status begin_building(hb_onnx_file *file, const hb_onnx_node *node, size_t n_columns, size_t n_keys,
                                 building *b)
{
    hb_arena *arena = &file->pipeline->arena;
    size_t n;

    if (!hb_multiply(n_columns, n_keys, &n) || n > 1u << 24)
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "it has %zu keys for each of %zu columns", n_keys, n_columns);
    b->columns = hb_arena_array(arena, n_columns, sizeof(*b->columns));
    b->values = hb_arena_array(arena, n, sizeof(*b->values));
    b->outputs = hb_arena_array(arena, n, sizeof(*b->outputs));
    b->numbers = hb_arena_array(arena, n, sizeof(*b->numbers));
    b->used = 0;
    return b->columns && b->values && b->outputs && b->numbers ? HBS_OK : hb_no_memory(file->arena.memory, file->error);
}

/* The feature that a column of a text value is: such a value is always the table's. */
static uint32_t feature_of(const hb_onnx_value *in, size_t c)
{
    return in->columns ? in->columns[c] : (uint32_t)c;
}

/* True if the option missing_text says that NULL counts as this key. */
static bool is_missing_text(const hb_onnx_file *file, const keys *k, uint32_t key)
{
    hbs_text text = file->options->missing_text;

    return k->are_texts && text.bytes && hb_text_equal(k->texts[key], text);
}

/* The results of keys; `place` is a key's place in the file's list. */
typedef struct meanings {
    const double *numbers; /* recode: by place; NULL: one-hot */
    int32_t unknown;       /* one-hot: HB_OUTPUT_NONE or HB_OUTPUT_REFUSE */
    double unknown_number; /* recode */
} meanings;

static hbs_status add_key(hb_onnx_file *file, const hb_onnx_node *node, const keys *k, const meanings *m, size_t i,
                          building *b, hb_encoder_column *column)
{
    uint32_t place = k->order[i];
    bool again = i > 0 && compare_keys(k, k->order[i - 1], place) == 0;

    if (again && m->numbers && m->numbers[place] != m->numbers[k->order[i - 1]])
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "key %u stands twice, with two values", (unsigned)place);
    if (again && !m->numbers)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "category %u stands twice", (unsigned)place);
    if ((!k->are_texts && isnan(k->numbers[place])) || is_missing_text(file, k, place)) {
        column->missing = m->numbers ? HB_OUTPUT_NONE : (int32_t)place;
        column->missing_number = m->numbers ? m->numbers[place] : 0;
    }
    if (again || (!k->are_texts && isnan(k->numbers[place])))
        return HBS_OK;
    b->values[b->used] = k->are_texts ? 0 : k->numbers[place];
    if (k->are_texts &&
        !hb_dictionaries_note(&file->dictionaries, column->feature, &k->texts[place], 1, &b->values[b->used])) {
        HB_TRY(hb_work_status(file->bytes.work, file->error));
        return hb_no_memory(file->arena.memory, file->error);
    }
    b->outputs[b->used] = (int32_t)place;
    b->numbers[b->used] = m->numbers ? m->numbers[place] : 0;
    b->used++;
    column->count++;
    return hb_worked(file->bytes.work, 4, file->error);
}

/* A missing number is as any other that is no key; a missing text is none, unless the option missing_text says so. */
static hbs_status add_column(hb_onnx_file *file, const hb_onnx_node *node, const keys *k, const meanings *m,
                             const hb_onnx_value *in, size_t c, building *b)
{
    bool refuses = k->are_texts && !file->options->missing_text.bytes;
    hb_encoder_column *column = &b->columns[c];

    *column = (hb_encoder_column){.first = (uint32_t)b->used,
                                  .feature = k->are_texts ? feature_of(in, c) : UINT32_MAX,
                                  .base = (uint32_t)(c * k->n),
                                  .missing = refuses      ? HB_OUTPUT_REFUSE
                                             : m->numbers ? HB_OUTPUT_NONE
                                                          : m->unknown,
                                  .unknown = m->numbers ? HB_OUTPUT_NONE : m->unknown,
                                  .missing_number = m->unknown_number,
                                  .unknown_number = m->unknown_number};
    for (size_t i = 0; i < k->n; i++)
        HB_TRY(add_key(file, node, k, m, i, b, column));
    return HBS_OK;
}

static hbs_status build(hb_onnx_file *file, const hb_onnx_node *node, const keys *k, const meanings *m,
                        const hb_onnx_value *in, hb_encoder *encoder)
{
    building b = {0};

    HB_TRY(begin_building(file, node, in->width, k->n, &b));
    for (size_t c = 0; c < in->width; c++)
        HB_TRY(add_column(file, node, k, m, in, c, &b));
    *encoder = (hb_encoder){.n_columns = in->width,
                            .n_values = b.used,
                            .width = m->numbers ? in->width : in->width * k->n,
                            .columns = b.columns,
                            .values = b.values,
                            .outputs = m->numbers ? NULL : b.outputs,
                            .numbers = b.numbers};
    return HBS_OK;
}

/* ---- the operators */

/* Input 0: texts of the table, or numbers. */
static hbs_status read_input(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *in)
{
    const hb_onnx_value *value = hb_onnx_named(file, node->inputs[0]);

    if (!value || value->form != HB_ONNX_NUMBERS || value->type != HB_ONNX_STRING)
        HB_TRY(hb_onnx_operand(file, node, 0, in));
    else
        *in = *value;
    if (in->form != HB_ONNX_NUMBERS)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it of columns of the row");
    return HBS_OK;
}

/* A new last dimension, with a column for each category. */
hbs_status hb_onnx_one_hot_encoder(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_attribute *list;
    meanings m = {.unknown = HB_OUTPUT_NONE};
    int64_t zeros, dims[HB_ONNX_MAX_RANK];
    hb_onnx_value in, made;
    hb_fit_onehot fit = {0};
    size_t value;
    keys k;

    HB_TRY(read_input(file, node, &in));
    HB_TRY(find_list(file, node, "cats_strings", "cats_int64s", NULL, &list));
    HB_TRY(hb_onnx_integer(file, node, "zeros", 1, &zeros));
    HB_TRY(read_keys(file, node, list, &in, &k));
    m.unknown = zeros ? HB_OUTPUT_NONE : HB_OUTPUT_REFUSE;
    made = in;
    made.type = HB_ONNX_FLOAT;
    if (in.n_dims == HB_ONNX_MAX_RANK)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "its input has too many dimensions");
    memcpy(dims, in.dims, sizeof(dims));
    dims[in.n_dims] = (int64_t)k.n;
    HB_TRY(hb_onnx_reshape_value(file, node, &made, dims, in.n_dims + 1));
    HB_TRY(build(file, node, &k, &m, &in, &fit.model));
    value = hb_onnx_wide(file, &in);
    if (in.type == HB_ONNX_FLOAT || in.type == HB_ONNX_DOUBLE)
        value = hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, value, &(hb_fit_map){.function = HB_MAP_TRUNCATE});
    return hb_onnx_give_numbers(file, node, &made, hb_pipeline_add(file->pipeline, HB_OPERATOR_ONEHOT, value, &fit));
}

static hbs_status read_default(hb_onnx_file *file, const hb_onnx_node *node, bool whole, double *number)
{
    const hb_onnx_attribute *a;

    HB_TRY(hb_onnx_attribute_find(file, node, whole ? "default_int64" : "default_float",
                                  whole ? HB_ONNX_KIND_INT : HB_ONNX_KIND_FLOAT, &a));
    *number = whole ? -1 : -0.0;
    if (a)
        *number = whole ? (double)a->integer : (double)a->number;
    return HBS_OK;
}

hbs_status hb_onnx_label_encoder(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_attribute *list, *values;
    hb_onnx_value in, made;
    hb_fit_recode fit = {0};
    meanings m = {0};
    double *numbers;
    bool whole;
    keys k;

    HB_TRY(read_input(file, node, &in));
    HB_TRY(find_list(file, node, "keys_strings", "keys_int64s", "keys_floats", &list));
    HB_TRY(find_list(file, node, "values_strings", "values_int64s", "values_floats", &values));
    if (!values || values->kind == HB_ONNX_KIND_TEXTS)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads values that are integers or floats so far");
    HB_TRY(read_keys(file, node, list, &in, &k));
    if (values->count != k.n)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu values for %zu keys", values->count, k.n);
    HB_TRY(read_numbers(file, node, values, &numbers));
    whole = values->kind == HB_ONNX_KIND_INTS;
    HB_TRY(read_default(file, node, whole, &m.unknown_number));
    m.numbers = numbers;
    fit.takes_infinite = !k.are_texts;
    HB_TRY(build(file, node, &k, &m, &in, &fit.model));
    made = in;
    made.type = whole ? HB_ONNX_INT64 : HB_ONNX_FLOAT;
    return hb_onnx_give_numbers(file, node, &made,
                                hb_pipeline_add(file->pipeline, HB_OPERATOR_RECODE, hb_onnx_wide(file, &in), &fit));
}
