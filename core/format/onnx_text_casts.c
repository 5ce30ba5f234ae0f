/* onnx_text_casts.c - Cast of texts to numbers and of numbers to texts, as ONNX Runtime's (base/text_number.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "format/onnx.h"

/* ---- types */

static bool is_float(int64_t type)
{
    return type == HB_ONNX_FLOAT || type == HB_ONNX_DOUBLE;
}

static hb_number_type number_type(int64_t to)
{
    return to == HB_ONNX_FLOAT    ? HB_NUMBER_FLOAT32
           : to == HB_ONNX_DOUBLE ? HB_NUMBER_FLOAT64
           : to == HB_ONNX_INT32  ? HB_NUMBER_INT32
           : to == HB_ONNX_INT64  ? HB_NUMBER_INT64
                                  : HB_NUMBER_BOOL;
}

static hbs_status check_types(hb_onnx_file *file, const hb_onnx_node *node, int64_t from, int64_t to)
{
    int64_t number = to == HB_ONNX_STRING ? from : to;
    char buffer[32], other[32];

    if (is_float(number) || number == HB_ONNX_INT64 || number == HB_ONNX_INT32 || number == HB_ONNX_BOOL ||
        (to == HB_ONNX_STRING && (number == HB_ONNX_INT16 || number == HB_ONNX_UINT32)))
        return HBS_OK;
    return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads no casts of %s to %s yet",
                          hb_onnx_type_name(from, buffer), hb_onnx_type_name(to, other));
}

static hbs_text text_of_number(int64_t type, double number, char buffer[HB_NUMBER_TEXT])
{
    return is_float(type) ? hb_text_of_float(number, buffer) : hb_text_of_integer(number, buffer);
}

/* A text that lasts as long as the pipeline. */
static hbs_status keep_text(hb_onnx_file *file, hbs_text text, hbs_text *kept)
{
    char *bytes = hb_arena_text(&file->pipeline->arena, text.bytes, text.size);

    if (!bytes)
        return hb_no_memory(file->arena.memory, file->error);
    *kept = (hbs_text){bytes, text.size};
    return hb_worked(file->bytes.work, 4 + text.size / 8, file->error);
}

/* ONNX Runtime fails where a text of the file is no number. */
static hbs_status parse(hb_onnx_file *file, const hb_onnx_node *node, hbs_text text, int64_t to, double *number)
{
    char shown[HB_EXCERPT_BUFFER], buffer[32];

    if (hb_number_of_text(text, number_type(to), number, file->bytes.work))
        return HBS_OK;
    HB_TRY(hb_work_status(file->bytes.work, file->error));
    return hb_onnx_refuse(file, node, HBS_E_FORMAT, "the text \"%s\" is no %s", HB_SHOW(text, shown),
                          hb_onnx_type_name(to, buffer));
}

/* ---- constants */

static hbs_status constant_to_texts(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value made)
{
    hbs_text *texts = hb_arena_array(&file->arena, made.width, sizeof(*texts));
    char buffer[HB_NUMBER_TEXT];

    if (!texts)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < made.width; i++) {
        double number = hb_onnx_item(&made, i);

        HB_TRY(hb_onnx_check_integer(file, node, made.type, number));
        HB_TRY(keep_text(file, text_of_number(made.type, number, buffer), &texts[i]));
    }
    made.texts = texts;
    made.type = HB_ONNX_STRING;
    made.constant = NULL;
    made.numbers = NULL;
    made.columns = NULL;
    return hb_onnx_give(file, node, 0, &made);
}

static hbs_status constant_to_numbers(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value made, int64_t to)
{
    double *numbers = hb_arena_array(&file->pipeline->arena, made.width, sizeof(*numbers));

    if (!numbers)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < made.width; i++)
        HB_TRY(parse(file, node, made.texts[made.columns ? made.columns[i] : i], to, &numbers[i]));
    made.texts = NULL;
    made.type = to;
    made.constant = NULL;
    made.numbers = numbers;
    made.columns = NULL;
    return hb_onnx_give(file, node, 0, &made);
}

/* ---- labels */

/* An int64 label keeps all digits; `type`: the type of the labels so far. */
static hbs_status label_to_text(hb_onnx_file *file, const hbs_value *from, int64_t type, hbs_value *to)
{
    char buffer[HB_NUMBER_TEXT];
    hbs_text text = {buffer, 0};

    if (is_float(type))
        text = hb_text_of_float((double)from->as.i64, buffer);
    else
        text.size = (size_t)snprintf(buffer, sizeof(buffer), "%" PRId64, from->as.i64);
    *to = (hbs_value){.type = HBS_TEXT};
    return keep_text(file, text, &to->as.text);
}

static hbs_status label_to_number(hb_onnx_file *file, const hb_onnx_node *node, const hbs_value *from, int64_t type,
                                  hbs_value *to)
{
    double number;

    HB_TRY(parse(file, node, from->as.text, type, &number));
    if (!(fabs(number) <= 0x1p53) || number != floor(number) || (number == 0 && signbit(number)))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads labels that are texts or whole numbers");
    *to = (hbs_value){.type = HBS_INT64, .as.i64 = (int64_t)number};
    return HBS_OK;
}

/* The labels of a classifier get other names. */
static hbs_status cast_labels(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value label, int64_t to)
{
    hbs_value *classes = hb_arena_array(&file->arena, label.n_classes, sizeof(*classes));

    if (!classes)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < label.n_classes; i++) {
        bool is_text = label.classes[i].type == HBS_TEXT;

        classes[i] = label.classes[i];
        if (is_text && to != HB_ONNX_STRING)
            HB_TRY(label_to_number(file, node, &label.classes[i], to, &classes[i]));
        else if (!is_text && to == HB_ONNX_STRING)
            HB_TRY(label_to_text(file, &label.classes[i], label.type, &classes[i]));
    }
    label.classes = classes;
    label.type = to;
    return hb_onnx_give(file, node, 0, &label);
}

/* ---- numbers of the row */

static hb_text_source source_of(int64_t type)
{
    return type == HB_ONNX_FLOAT    ? HB_SOURCE_FLOAT32
           : type == HB_ONNX_DOUBLE ? HB_SOURCE_FLOAT64
           : type == HB_ONNX_INT32  ? HB_SOURCE_INT32
                                    : HB_SOURCE_INT64;
}

/* They get the codes of the texts that the graph names. */
static hbs_status rows_to_texts(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value made)
{
    uint32_t dictionary = hb_dictionaries_add(&file->dictionaries);
    size_t codes = hb_onnx_add_codes(file, hb_onnx_wide(file, &made), source_of(made.type), dictionary);

    hb_onnx_become(&made, codes);
    made.type = HB_ONNX_STRING;
    HB_TRY(hb_onnx_give_dictionary(file, &made, dictionary));
    return hb_onnx_give(file, node, 0, &made);
}

/* ---- texts of the row */

static hbs_status whole_to_numbers(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value made, int64_t to)
{
    hb_fit_text_number fit = {.type = number_type(to)};
    char buffer[32], words[128];
    size_t texts;

    HB_TRY(hb_onnx_claim_texts(file, &made));
    HB_TRY(hb_onnx_missing(file, &fit.missing, &fit.missing_size));
    texts = hb_onnx_wide(file, &made);
    (void)snprintf(words, sizeof(words), "makes no %s of a text that begins with no such number, or with one beyond %s",
                   hb_onnx_type_name(to, buffer), to == HB_ONNX_INT64 ? "2^53" : "its range");
    HB_TRY(hb_onnx_failure(file, node, words, texts, made.width, &fit.failure));
    hb_onnx_become(&made, hb_pipeline_add(file->pipeline, HB_OPERATOR_TEXT_NUMBER, texts, &fit));
    made.type = to;
    return hb_onnx_give(file, node, 0, &made);
}

/* The texts that a LabelEncoder makes, and what each is as a number. */
typedef struct known_texts {
    hb_onnx_file *file;
    uint32_t *order; /* places in the list of noted texts, without those that are no number */
    double *numbers; /* [n] */
    size_t n;
    size_t n_bad; /* how many those are.. */
    hbs_text bad; /* ..and the first */
} known_texts;

static int compare_noted(const void *context, uint32_t a, uint32_t b)
{
    const hb_onnx_file *file = context;
    const hb_noted_text *noted = file->dictionaries.texts.items;

    return hb_compare_texts(noted[a].text, noted[b].text, file->bytes.work);
}

/* False of a dictionary that may lack a text of the row. */
static bool has_all_texts(const hb_onnx_file *file, uint32_t dictionary)
{
    const uint32_t *joins = file->dictionaries.joins.items;

    for (size_t i = 0; i < file->dictionaries.joins.count; i++)
        if (joins[i] == dictionary)
            return false;
    for (const hb_onnx_codes *codes = file->codes; codes; codes = codes->next)
        if (codes->dictionary == dictionary)
            return false;
    return dictionary >= file->pipeline->n_features;
}

static hbs_status find_known(hb_onnx_file *file, const hb_onnx_node *node, uint32_t dictionary, int64_t to,
                             known_texts *k)
{
    size_t n = file->dictionaries.texts.count, kept = 0;
    const hb_noted_text *noted = file->dictionaries.texts.items;

    if (!has_all_texts(file, dictionary))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore does not read it of texts that the graph chooses");
    k->n = 0;
    k->order = hb_arena_array(&file->arena, n, sizeof(*k->order));
    k->numbers = hb_arena_array(&file->pipeline->arena, n, sizeof(*k->numbers));
    if (!k->order || !k->numbers)
        return hb_no_memory(file->arena.memory, file->error);
    for (uint32_t i = 0; i < n; i++)
        if (noted[i].feature == dictionary)
            k->order[kept++] = i;
    if (!hb_sort(k->order, kept, compare_noted, file, file->bytes.work))
        return hb_work_status(file->bytes.work, file->error);
    for (size_t i = 0; i < kept; i++) {
        hbs_text text = noted[k->order[i]].text;
        bool again = i > 0 && hb_text_equal(text, noted[k->order[i - 1]].text); /* still there: k->n <= i */

        if (again)
            continue;
        if (hb_number_of_text(text, number_type(to), &k->numbers[k->n], file->bytes.work))
            k->order[k->n++] = k->order[i];
        else if (k->n_bad++ == 0)
            k->bad = text;
        HB_TRY(hb_work_status(file->bytes.work, file->error));
    }
    return hb_worked(file->bytes.work, n, file->error);
}

/* A row with a text that is no number has no result, as where a text of the table is none. */
static hbs_status fill_recode(hb_onnx_file *file, const hb_onnx_value *in, const known_texts *k, uint32_t dictionary,
                              hb_fit_recode *fit)
{
    hb_encoder_column *columns = hb_arena_array(&file->pipeline->arena, in->width, sizeof(*columns));
    double *values = hb_arena_array(&file->pipeline->arena, k->n, sizeof(*values));

    if (!columns || !values)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < k->n; i++) {
        hbs_text text = ((const hb_noted_text *)file->dictionaries.texts.items)[k->order[i]].text;

        HB_TRY(hb_onnx_note_text(file, dictionary, text, &values[i]));
    }
    for (size_t c = 0; c < in->width; c++)
        columns[c] = (hb_encoder_column){
            .count = (uint32_t)k->n, .feature = UINT32_MAX, .missing = HB_OUTPUT_FAIL, .unknown = HB_OUTPUT_FAIL};
    fit->model = (hb_encoder){.n_columns = in->width,
                              .n_values = k->n,
                              .width = in->width,
                              .columns = columns,
                              .values = values,
                              .numbers = k->numbers};
    return hb_worked(file->bytes.work, in->width, file->error);
}

/* The words of a row whose text is no number. */
static hbs_status name_bad(hb_onnx_file *file, const hb_onnx_node *node, const known_texts *k, int64_t to, size_t texts,
                           size_t width, hb_failure *failure)
{
    char shown[HB_EXCERPT_BUFFER], buffer[32], words[HB_EXCERPT_BUFFER + 128];

    if (k->n_bad == 0)
        return HBS_OK;
    (void)snprintf(words, sizeof(words), "makes no %s of the text \"%s\"%s that the graph makes",
                   hb_onnx_type_name(to, buffer), HB_SHOW(k->bad, shown), k->n_bad > 1 ? ", or of others," : "");
    return hb_onnx_failure(file, node, words, texts, width, failure);
}

static hbs_status known_to_numbers(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value made, int64_t to)
{
    uint32_t dictionary = made.width ? hb_onnx_dictionary(&made, 0) : 0;
    hb_fit_recode fit = {.takes_infinite = true};
    known_texts k = {.n = 0};
    size_t texts;

    for (size_t i = 1; i < made.width; i++)
        if (hb_onnx_dictionary(&made, i) != dictionary)
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                                  "hbscore does not read it of texts that the graph chooses");
    HB_TRY(find_known(file, node, dictionary, to, &k));
    HB_TRY(fill_recode(file, &made, &k, dictionary, &fit));
    texts = hb_onnx_wide(file, &made);
    HB_TRY(name_bad(file, node, &k, to, texts, made.width, &fit.failure));
    hb_onnx_become(&made, hb_pipeline_add(file->pipeline, HB_OPERATOR_RECODE, texts, &fit));
    made.type = to;
    made.dictionaries = NULL;
    return hb_onnx_give(file, node, 0, &made);
}

/* ---- the operator */

static hbs_status cast_numbers(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value in;

    HB_TRY(hb_onnx_moved(file, node, 0, &in));
    HB_TRY(check_types(file, node, in.type, HB_ONNX_STRING));
    return in.form == HB_ONNX_CONSTANT ? constant_to_texts(file, node, in) : rows_to_texts(file, node, in);
}

static hbs_status cast_texts(hb_onnx_file *file, const hb_onnx_node *node, int64_t to)
{
    hb_onnx_value in;

    HB_TRY(hb_onnx_text_operand(file, node, 0, &in));
    if (to == HB_ONNX_STRING)
        return hb_onnx_give(file, node, 0, &in);
    HB_TRY(check_types(file, node, HB_ONNX_STRING, to));
    if (in.form == HB_ONNX_CONSTANT)
        return constant_to_numbers(file, node, in, to);
    return in.dictionaries ? known_to_numbers(file, node, in, to) : whole_to_numbers(file, node, in, to);
}

hbs_status hb_onnx_cast_text(hb_onnx_file *file, const hb_onnx_node *node, int64_t to)
{
    const hb_onnx_value *value = hb_onnx_named(file, node->inputs[0]);

    if (value && value->form == HB_ONNX_LABEL) {
        HB_TRY(check_types(file, node, value->type, to == HB_ONNX_STRING ? HB_ONNX_INT64 : to));
        return cast_labels(file, node, *value, to);
    }
    return hb_onnx_is_text(file, node, 0) ? cast_texts(file, node, to) : cast_numbers(file, node);
}
