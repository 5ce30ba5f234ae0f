/* onnx_encoders.c - see onnx_encoders.h; and OneHotEncoder. Texts are looked up as the codes of their dictionary. */
#include "format/onnx_encoders.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"

/* ---- lists */

static hbs_status keep_text(hb_onnx_file *file, hbs_text text, hbs_text *kept)
{
    char *bytes = hb_arena_array(&file->pipeline->arena, text.size + 1, 1);

    if (!bytes)
        return hb_no_memory(file->arena.memory, file->error);
    memcpy(bytes, text.bytes, text.size);
    *kept = (hbs_text){bytes, text.size};
    return hb_worked(file->bytes.work, 4 + text.size / 8, file->error);
}

static hbs_status read_texts(hb_onnx_file *file, hb_repeated *texts, hb_onnx_list *list)
{
    list->texts = hb_arena_array(&file->pipeline->arena, list->n, sizeof(*list->texts));
    if (!list->texts)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < list->n; i++) {
        hbs_text text = {"", 0};

        hb_repeated_text(texts, &text);
        HB_TRY(keep_text(file, text, &list->texts[i]));
    }
    return file->bytes.status;
}

static hbs_status read_numbers(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_items *items, hb_onnx_list *list)
{
    list->numbers = hb_arena_array(&file->pipeline->arena, list->n, sizeof(*list->numbers));
    if (!list->numbers)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < list->n; i++) {
        list->numbers[i] = hb_onnx_next_number(items);
        if (list->type == HB_ONNX_INT64 && fabs(list->numbers[i]) >= 9007199254740992.0)
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "it has an integer beyond 2^53");
    }
    HB_TRY(hb_worked(file->bytes.work, list->n, file->error));
    return file->bytes.status;
}

static hbs_status read_tensor(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_tensor *t, hb_onnx_list *list)
{
    hb_onnx_items items;

    if (t->n_dims > 1)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "a list of it has %zu dimensions", t->n_dims);
    if (t->type == HB_ONNX_BOOL || t->type == HB_ONNX_UINT8 || t->type == HB_ONNX_UINT32)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads lists of texts, integers or floats");
    list->type = t->type;
    list->n = t->count;
    items = hb_onnx_items_of_tensor(t);
    return t->type == HB_ONNX_STRING ? read_texts(file, &items.fields, list) : read_numbers(file, node, &items, list);
}

static hbs_status read_attribute(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_attribute *a,
                                 hb_onnx_list *list)
{
    enum { STRINGS = 9 };
    hb_repeated texts;
    hb_onnx_items items;

    list->n = a->count;
    if (a->kind == HB_ONNX_KIND_TEXTS) {
        list->type = HB_ONNX_STRING;
        texts = hb_repeated_begin(&a->body, STRINGS, HB_WIRE_BYTES);
        return read_texts(file, &texts, list);
    }
    list->type = a->kind == HB_ONNX_KIND_FLOATS ? HB_ONNX_FLOAT : HB_ONNX_INT64;
    items = hb_onnx_items_of(a);
    return read_numbers(file, node, &items, list);
}

hbs_status hb_onnx_list_read(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_list_names *names,
                             hb_onnx_list *list)
{
    const struct {
        const char *name;
        hb_onnx_kind kind;
    } each[4] = {{names->texts, HB_ONNX_KIND_TEXTS},
                 {names->integers, HB_ONNX_KIND_INTS},
                 {names->floats, HB_ONNX_KIND_FLOATS},
                 {names->tensor, HB_ONNX_KIND_TENSOR}};
    const hb_onnx_attribute *found = NULL, *a;

    *list = (hb_onnx_list){.n = 0};
    for (size_t i = 0; i < 4; i++) {
        if (!each[i].name)
            continue;
        HB_TRY(hb_onnx_attribute_find(file, node, each[i].name, each[i].kind, &a));
        if (!a || (a->kind == HB_ONNX_KIND_TENSOR ? !a->tensor : a->count == 0))
            continue;
        if (found)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has lists of two types");
        found = a;
    }
    if (!found)
        return HBS_OK;
    return found->kind == HB_ONNX_KIND_TENSOR ? read_tensor(file, node, found->tensor, list)
                                              : read_attribute(file, node, found, list);
}

/* ---- keys */

int hb_onnx_keys_compare(const void *context, uint32_t a, uint32_t b)
{
    const hb_onnx_keys *k = context;
    double x = k->list.texts ? 0 : k->list.numbers[a], y = k->list.texts ? 0 : k->list.numbers[b];

    if (k->list.texts)
        return hb_compare_texts(k->list.texts[a], k->list.texts[b], k->work);
    if (x != x || y != y)
        return (x != x) - (y != y);
    return (x > y) - (x < y);
}

hbs_status hb_onnx_keys_sort(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_list *list,
                             const hb_onnx_value *in, hb_onnx_keys *k)
{
    enum { KEY_ROOM = 64 }; /* bytes of a key in the encoder, beyond HB_LOAD_FACTOR times its bytes in the file */

    *k = (hb_onnx_keys){.list = *list, .work = file->bytes.work};
    hb_memory_allow(file->arena.memory, KEY_ROOM * list->n);
    if (list->type == 0 || list->type == HB_ONNX_INT16)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads keys that are texts, integers or floats");
    if ((list->type == HB_ONNX_STRING) != (in->type == HB_ONNX_STRING))
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its keys are not of the type of its input");
    k->order = hb_arena_array(&file->arena, list->n, sizeof(*k->order));
    if (!k->order)
        return hb_no_memory(file->arena.memory, file->error);
    for (uint32_t i = 0; i < list->n; i++)
        k->order[i] = i;
    return hb_sort(k->order, list->n, hb_onnx_keys_compare, k, k->work) ? HBS_OK : hb_work_status(k->work, file->error);
}

/* ---- the encoder */

typedef struct building {
    const hb_onnx_keys *keys;
    const hb_onnx_meanings *means;
    hb_encoder_column *columns;
    double *values;
    int32_t *outputs; /* one-hot */
    double *numbers;  /* of each value */
    size_t used;
} building;

static hbs_status begin_building(hb_onnx_file *file, const hb_onnx_node *node, size_t n_columns, building *b)
{
    hb_arena *arena = &file->pipeline->arena;
    size_t n_keys = b->keys->list.n, n;

    if (!hb_multiply(n_columns, n_keys, &n) || n > 1u << 24)
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "it has %zu keys for each of %zu columns", n_keys, n_columns);
    b->columns = hb_arena_array(arena, n_columns, sizeof(*b->columns));
    b->values = hb_arena_array(arena, n, sizeof(*b->values));
    b->outputs = hb_arena_array(arena, n, sizeof(*b->outputs));
    b->numbers = hb_arena_array(arena, n, sizeof(*b->numbers));
    return b->columns && b->values && b->outputs && b->numbers ? HBS_OK : hb_no_memory(file->arena.memory, file->error);
}

/* Sets a number, or notes the text that it is the code of. */
static hbs_status set_value(hb_onnx_file *file, const hb_onnx_meanings *m, uint32_t place, double *number)
{
    if (m->values->texts)
        return hb_onnx_note_text(file, m->dictionary, m->values->texts[place], number);
    *number = m->values->numbers[place];
    return HBS_OK;
}

static bool same_value(const hb_onnx_list *values, uint32_t a, uint32_t b)
{
    return values->texts ? hb_text_equal(values->texts[a], values->texts[b]) : values->numbers[a] == values->numbers[b];
}

/* True if the option missing_text says that NULL counts as this key, or if the key is NaN. */
static bool is_missing(const hb_onnx_file *file, const hb_onnx_keys *k, uint32_t key)
{
    hbs_text text = file->options->missing_text;

    return k->list.texts ? text.bytes && hb_text_equal(k->list.texts[key], text) : isnan(k->list.numbers[key]);
}

/* Key i of the order; `in` are the columns that it is looked up in. */
static hbs_status add_key(hb_onnx_file *file, const hb_onnx_node *node, building *b, size_t i, uint32_t dictionary,
                          hb_encoder_column *column)
{
    const hb_onnx_keys *k = b->keys;
    const hb_onnx_meanings *m = b->means;
    uint32_t place = k->order[i];
    bool again = i > 0 && hb_onnx_keys_compare(k, k->order[i - 1], place) == 0;

    if (again && m->values && !same_value(m->values, place, k->order[i - 1]))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "key %u stands twice, with two values", (unsigned)place);
    if (again && !m->values)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "category %u stands twice", (unsigned)place);
    if (again)
        return HBS_OK;
    if (is_missing(file, k, place)) {
        column->missing = m->values ? HB_OUTPUT_NONE : (int32_t)place;
        if (m->values)
            HB_TRY(set_value(file, m, place, &column->missing_number));
    }
    if (!k->list.texts && isnan(k->list.numbers[place]))
        return HBS_OK;
    b->values[b->used] = k->list.texts ? 0 : k->list.numbers[place];
    if (k->list.texts &&
        !hb_dictionaries_note(&file->dictionaries, dictionary, &k->list.texts[place], 1, &b->values[b->used])) {
        HB_TRY(hb_work_status(file->bytes.work, file->error));
        return hb_no_memory(file->arena.memory, file->error);
    }
    b->outputs[b->used] = (int32_t)place;
    if (m->values)
        HB_TRY(set_value(file, m, place, &b->numbers[b->used]));
    b->used++;
    column->count++;
    return hb_worked(file->bytes.work, 4, file->error);
}

/* A missing number is as any other that is no key; a missing text is none, unless the option missing_text says so. */
static hbs_status add_column(hb_onnx_file *file, const hb_onnx_node *node, building *b, const hb_onnx_value *in,
                             size_t c)
{
    const hb_onnx_meanings *m = b->means;
    bool are_texts = b->keys->list.texts != NULL, refuses = are_texts && !file->options->missing_text.bytes;
    uint32_t dictionary = are_texts ? hb_onnx_dictionary(in, c) : 0;
    hb_encoder_column *column = &b->columns[c];

    *column = (hb_encoder_column){.first = (uint32_t)b->used,
                                  .feature = are_texts && !in->dictionaries ? dictionary : UINT32_MAX,
                                  .base = (uint32_t)(c * b->keys->list.n),
                                  .missing = refuses     ? HB_OUTPUT_REFUSE
                                             : m->values ? HB_OUTPUT_NONE
                                                         : m->unknown,
                                  .unknown = m->values ? HB_OUTPUT_NONE : m->unknown,
                                  .missing_number = m->unknown_number,
                                  .unknown_number = m->unknown_number};
    if (m->values && m->values->texts) {
        HB_TRY(hb_onnx_note_text(file, m->dictionary, m->unknown_text, &column->missing_number));
        HB_TRY(hb_onnx_note_text(file, m->dictionary, m->unknown_text, &column->unknown_number));
    }
    for (size_t i = 0; i < b->keys->list.n; i++)
        HB_TRY(add_key(file, node, b, i, dictionary, column));
    return HBS_OK;
}

hbs_status hb_onnx_encoder_build(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_keys *keys,
                                 const hb_onnx_meanings *meanings, const hb_onnx_value *in, hb_encoder *encoder)
{
    building b = {.keys = keys, .means = meanings};

    HB_TRY(begin_building(file, node, in->width, &b));
    for (size_t c = 0; c < in->width; c++)
        HB_TRY(add_column(file, node, &b, in, c));
    *encoder = (hb_encoder){.n_columns = in->width,
                            .n_values = b.used,
                            .width = meanings->values ? in->width : in->width * keys->list.n,
                            .columns = b.columns,
                            .values = b.values,
                            .outputs = meanings->values ? NULL : b.outputs,
                            .numbers = b.numbers};
    return HBS_OK;
}

/* ---- OneHotEncoder */

/* A new last dimension, with a column for each category. */
hbs_status hb_onnx_one_hot_encoder(hb_onnx_file *file, const hb_onnx_node *node)
{
    static const hb_onnx_list_names names = {"cats_strings", "cats_int64s", NULL, NULL};
    hb_onnx_meanings m = {.values = NULL};
    int64_t zeros, dims[HB_ONNX_MAX_RANK];
    hb_onnx_value in, made;
    hb_fit_onehot fit = {0};
    hb_onnx_list list;
    hb_onnx_keys k;
    size_t value;

    HB_TRY(hb_onnx_moved(file, node, 0, &in));
    if (in.form != HB_ONNX_NUMBERS)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it of columns of the row");
    HB_TRY(hb_onnx_to_codes(file, &in));
    HB_TRY(hb_onnx_list_read(file, node, &names, &list));
    HB_TRY(hb_onnx_integer(file, node, "zeros", 1, &zeros));
    HB_TRY(hb_onnx_keys_sort(file, node, &list, &in, &k));
    m.unknown = zeros ? HB_OUTPUT_NONE : HB_OUTPUT_REFUSE;
    made = in;
    made.type = HB_ONNX_FLOAT;
    if (in.n_dims == HB_ONNX_MAX_RANK)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "its input has too many dimensions");
    memcpy(dims, in.dims, sizeof(dims));
    dims[in.n_dims] = (int64_t)list.n;
    HB_TRY(hb_onnx_reshape_value(file, node, &made, dims, in.n_dims + 1));
    HB_TRY(hb_onnx_encoder_build(file, node, &k, &m, &in, &fit.model));
    value = hb_onnx_wide(file, &in);
    HB_TRY(hb_onnx_failure(file, node, HB_ONNX_MISSING_TEXT, value, in.width, &fit.failure));
    if (in.type == HB_ONNX_FLOAT || in.type == HB_ONNX_DOUBLE)
        value = hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, value, &(hb_fit_map){.function = HB_MAP_TRUNCATE});
    return hb_onnx_give_numbers(file, node, &made, hb_pipeline_add(file->pipeline, HB_OPERATOR_ONEHOT, value, &fit));
}
