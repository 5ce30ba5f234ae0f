/* onnx_label_encoder.c - LabelEncoder and CategoryMapper: each text or number becomes what the file lists for it. Texts
 * that it becomes are codes of a dictionary of the node's own (onnx_text_values.c). */
#include <math.h>
#include <string.h>

#include "base/encoder.h"
#include "base/sort.h"
#include "format/onnx_encoders.h"

typedef struct mapping {
    hb_onnx_list list, values;
    hb_onnx_keys keys;
    hb_onnx_meanings means; /* of what is no key */
} mapping;

/* ---- what the node lists */

/* A default in the attributes of these names, or in a tensor of one item. */
static hbs_status read_default(hb_onnx_file *file, const hb_onnx_node *node, mapping *m)
{
    static const hb_onnx_list_names names = {NULL, NULL, NULL, "default_tensor"};
    bool whole = m->values.type == HB_ONNX_INT64 || m->values.type == HB_ONNX_INT32 || m->values.type == HB_ONNX_INT16;
    const hb_onnx_attribute *a = NULL;
    hb_onnx_list list;

    m->means.unknown_number = whole ? -1 : -0.0;
    HB_TRY(hb_onnx_word(file, node, "default_string", "_Unused", &m->means.unknown_text));
    if (m->values.type != HB_ONNX_STRING)
        HB_TRY(hb_onnx_attribute_find(file, node, whole ? "default_int64" : "default_float",
                                      whole ? HB_ONNX_KIND_INT : HB_ONNX_KIND_FLOAT, &a));
    if (a)
        m->means.unknown_number = whole ? (double)a->integer : (double)a->number;
    HB_TRY(hb_onnx_check_integer(file, node, m->values.type, m->means.unknown_number));
    HB_TRY(hb_onnx_list_read(file, node, &names, &list));
    if (list.type == 0)
        return HBS_OK;
    if (list.type != m->values.type || list.n != 1)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "default_tensor is not one item of the type of its values");
    if (list.texts)
        m->means.unknown_text = list.texts[0];
    else
        m->means.unknown_number = list.numbers[0];
    return HBS_OK;
}

/* 0, 1, .. as many as the texts of the first version. */
static hbs_status count_up(hb_onnx_file *file, size_t n, hb_onnx_list *list)
{
    *list = (hb_onnx_list){.type = HB_ONNX_INT64, .n = n};
    list->numbers = hb_arena_array(&file->pipeline->arena, n, sizeof(*list->numbers));
    for (size_t i = 0; list->numbers && i < n; i++)
        list->numbers[i] = (double)i;
    return list->numbers ? hb_worked(file->bytes.work, n, file->error) : hb_no_memory(file->arena.memory, file->error);
}

/* Texts and as many integers, of which the input's type says which are the keys. */
static void turn(const hb_onnx_value *in, mapping *m)
{
    hb_onnx_list texts = m->list;

    if (in->type == HB_ONNX_STRING)
        return;
    m->list = m->values;
    m->values = texts;
}

static hbs_status end_mapping(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *in, mapping *m)
{
    m->means.values = &m->values;
    HB_TRY(hb_onnx_keys_sort(file, node, &m->list, in, &m->keys));
    if (m->values.n != m->list.n)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu values for %zu keys", m->values.n, m->list.n);
    return read_default(file, node, m);
}

static hbs_status read_mapping(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *in, mapping *m)
{
    static const hb_onnx_list_names keys = {"keys_strings", "keys_int64s", "keys_floats", "keys_tensor"},
                                    values = {"values_strings", "values_int64s", "values_floats", "values_tensor"},
                                    of_version_1 = {"classes_strings", NULL, NULL, NULL};

    HB_TRY(hb_onnx_list_read(file, node, &of_version_1, &m->list));
    if (m->list.type != 0) {
        HB_TRY(count_up(file, m->list.n, &m->values));
        turn(in, m);
        return end_mapping(file, node, in, m);
    }
    HB_TRY(hb_onnx_list_read(file, node, &keys, &m->list));
    HB_TRY(hb_onnx_list_read(file, node, &values, &m->values));
    return end_mapping(file, node, in, m);
}

/* ---- one item */

static int compare_key(const mapping *m, uint32_t key, hbs_text text, double number)
{
    double x = m->list.texts ? 0 : m->list.numbers[key];

    if (m->list.texts)
        return hb_compare_texts(m->list.texts[key], text, m->keys.work);
    if (x != x || number != number)
        return (x != x) - (number != number);
    return (x > number) - (x < number);
}

/* The place of what a key is worth; SIZE_MAX: it is no key. */
static size_t find_key(const mapping *m, hbs_text text, double number)
{
    size_t low = 0, high = m->list.n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare_key(m, m->keys.order[middle], text, number) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == m->list.n || compare_key(m, m->keys.order[low], text, number) != 0)
        return SIZE_MAX;
    return m->keys.order[low];
}

/* ---- constants */

static hbs_status map_constant(hb_onnx_file *file, const hb_onnx_node *node, const mapping *m, const hb_onnx_value *in)
{
    hb_onnx_value made = *in;
    double *numbers = hb_arena_array(&file->pipeline->arena, in->width, sizeof(*numbers));
    hbs_text *texts = hb_arena_array(&file->arena, in->width, sizeof(*texts));

    if (!numbers || !texts)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < in->width; i++) {
        size_t place = in->columns ? in->columns[i] : i;
        size_t key = find_key(m, in->texts ? in->texts[place] : (hbs_text){"", 0}, in->texts ? 0 : in->numbers[place]);

        if (m->values.texts)
            texts[i] = key == SIZE_MAX ? m->means.unknown_text : m->values.texts[key];
        else
            numbers[i] = key == SIZE_MAX ? m->means.unknown_number : m->values.numbers[key];
        HB_TRY(hb_worked(file->bytes.work, 16, file->error));
    }
    made.type = m->values.type;
    made.constant = NULL;
    made.columns = NULL;
    made.numbers = m->values.texts ? NULL : numbers;
    made.texts = m->values.texts ? texts : NULL;
    return hb_onnx_give(file, node, 0, &made);
}

/* ---- labels */

/* A classifier's labels get other names. */
static hbs_status map_labels(hb_onnx_file *file, const hb_onnx_node *node, const mapping *m, const hb_onnx_value *in)
{
    hbs_value *classes = hb_arena_array(&file->arena, in->n_classes, sizeof(*classes));
    hb_onnx_value made = *in;

    if (!classes)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < in->n_classes; i++) {
        bool text = in->classes[i].type == HBS_TEXT;
        size_t key =
            find_key(m, text ? in->classes[i].as.text : (hbs_text){"", 0}, text ? 0 : (double)in->classes[i].as.i64);

        if (m->values.texts)
            classes[i] = (hbs_value){.type = HBS_TEXT,
                                     .as.text = key == SIZE_MAX ? m->means.unknown_text : m->values.texts[key]};
        else
            classes[i] =
                (hbs_value){.type = HBS_INT64,
                            .as.i64 = (int64_t)(key == SIZE_MAX ? m->means.unknown_number : m->values.numbers[key])};
        if (m->values.texts && !hb_utf8_valid(classes[i].as.text.bytes, classes[i].as.text.size))
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "label %zu is no UTF-8", i);
        HB_TRY(hb_worked(file->bytes.work, 16, file->error));
    }
    made.classes = classes;
    made.type = m->values.type;
    return hb_onnx_give(file, node, 0, &made);
}

/* A label becomes a label, unless it becomes a number that is none. */
static bool is_label(const hb_onnx_value *in, const mapping *m)
{
    return in->form == HB_ONNX_LABEL && (m->values.type == HB_ONNX_STRING || m->values.type == HB_ONNX_INT64);
}

/* ---- the operators */

static hbs_status map_rows(hb_onnx_file *file, const hb_onnx_node *node, mapping *m, const hb_onnx_value *in)
{
    hb_fit_recode fit = {.takes_infinite = !m->list.texts};
    hb_onnx_value made = *in;
    size_t items = hb_onnx_wide(file, in);
    hbs_status status;
    uint32_t *own;

    made.dictionaries = NULL;
    if (m->values.texts) {
        own = hb_onnx_columns(file, in->width, &status);
        HB_TRY(status);
        m->means.dictionary = hb_dictionaries_add(&file->dictionaries);
        for (size_t i = 0; i < in->width; i++)
            own[i] = m->means.dictionary;
        made.dictionaries = own;
    }
    HB_TRY(hb_onnx_encoder_build(file, node, &m->keys, &m->means, in, &fit.model));
    HB_TRY(hb_onnx_failure(file, node, HB_ONNX_MISSING_TEXT, items, in->width, &fit.failure));
    made.type = m->values.type;
    return hb_onnx_give_numbers(file, node, &made, hb_pipeline_add(file->pipeline, HB_OPERATOR_RECODE, items, &fit));
}

/* Input 0, of any form. */
static hbs_status read_input(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *in)
{
    const hb_onnx_value *value = hb_onnx_named(file, node->inputs[0]);

    if (value && value->form == HB_ONNX_LABEL) {
        *in = *value;
        return HBS_OK;
    }
    if (!hb_onnx_is_text(file, node, 0))
        return hb_onnx_moved(file, node, 0, in);
    HB_TRY(hb_onnx_text_operand(file, node, 0, in));
    return hb_onnx_to_codes(file, in);
}

static hbs_status apply(hb_onnx_file *file, const hb_onnx_node *node, mapping *m, hb_onnx_value *in)
{
    if (is_label(in, m))
        return map_labels(file, node, m, in);
    if (in->form == HB_ONNX_LABEL)
        HB_TRY(hb_onnx_operand(file, node, 0, in));
    return in->form == HB_ONNX_CONSTANT ? map_constant(file, node, m, in) : map_rows(file, node, m, in);
}

hbs_status hb_onnx_label_encoder(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value in;
    mapping m = {.list = {.n = 0}};

    HB_TRY(read_input(file, node, &in));
    HB_TRY(read_mapping(file, node, &in, &m));
    return apply(file, node, &m, &in);
}

/* The first version of LabelEncoder, with integers that the file lists. */
hbs_status hb_onnx_category_mapper(hb_onnx_file *file, const hb_onnx_node *node)
{
    static const hb_onnx_list_names texts = {"cats_strings", NULL, NULL, NULL},
                                    integers = {NULL, "cats_int64s", NULL, NULL};
    hb_onnx_value in;
    mapping m = {.list = {.n = 0}};

    HB_TRY(read_input(file, node, &in));
    HB_TRY(hb_onnx_list_read(file, node, &texts, &m.list));
    HB_TRY(hb_onnx_list_read(file, node, &integers, &m.values));
    turn(&in, &m);
    HB_TRY(end_mapping(file, node, &in, &m));
    return apply(file, node, &m, &in);
}
