/* onnx_text_values.c - texts that a graph chooses or compares. A text of the row is the code that it has in a
 * dictionary: its feature's, or one of the file's own, of texts that operators make (format/dictionaries.h). So a text
 * may be moved and chosen as a number is, and what no operator names is one code, HB_UNSEEN_CODE. */
#include <string.h>

#include "base/encoder.h"
#include "format/onnx.h"

/* ---- operands */

bool hb_onnx_is_text(const hb_onnx_file *file, const hb_onnx_node *node, size_t k)
{
    const hb_onnx_value *value = k < node->n_inputs ? hb_onnx_named(file, node->inputs[k]) : NULL;

    if (!value)
        return false;
    return value->form == HB_ONNX_CONSTANT && value->constant ? value->constant->type == HB_ONNX_STRING
                                                              : value->type == HB_ONNX_STRING;
}

/* The items of a tensor of the file. */
static hbs_status complete(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *value)
{
    const hb_onnx_tensor *t = value->constant;
    hb_onnx_items items;
    hbs_text *texts;

    if (value->texts)
        return HBS_OK;
    if (!t || t->count > HB_MAX_OUTPUTS)
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "it has a constant of %zu texts", t ? t->count : 0);
    texts = hb_arena_array(&file->arena, t->count, sizeof(*texts));
    if (!texts)
        return hb_no_memory(file->arena.memory, file->error);
    items = hb_onnx_items_of_tensor(t);
    for (size_t i = 0; i < t->count; i++) {
        texts[i] = (hbs_text){"", 0};
        hb_repeated_text(&items.fields, &texts[i]);
    }
    value->texts = texts;
    value->type = HB_ONNX_STRING;
    value->row = -1;
    value->n_dims = t->n_dims;
    memcpy(value->dims, t->dims, sizeof(value->dims));
    value->width = t->count;
    HB_TRY(hb_worked(file->bytes.work, 4 * t->count, file->error));
    return file->bytes.status;
}

hbs_status hb_onnx_text_operand(hb_onnx_file *file, const hb_onnx_node *node, size_t k, hb_onnx_value *operand)
{
    hb_onnx_value *value = hb_onnx_named(file, node->inputs[k]);

    if (!value || value->form != HB_ONNX_CONSTANT || !hb_onnx_is_text(file, node, k))
        HB_TRY(hb_onnx_moved(file, node, k, operand));
    else {
        HB_TRY(complete(file, node, value));
        *operand = *value;
    }
    return operand->type == HB_ONNX_STRING ? HBS_OK
                                           : hb_onnx_refuse(file, node, HBS_E_FORMAT, "its inputs are of two types");
}

uint32_t hb_onnx_dictionary(const hb_onnx_value *texts, size_t i)
{
    uint32_t column = texts->columns ? texts->columns[i] : (uint32_t)i;

    return texts->dictionaries ? texts->dictionaries[column] : column;
}

hbs_status hb_onnx_note_text(hb_onnx_file *file, uint32_t dictionary, hbs_text text, double *code)
{
    char *bytes = hb_arena_array(&file->pipeline->arena, text.size + 1, 1);
    hbs_text kept = {bytes, text.size};

    if (!bytes)
        return hb_no_memory(file->arena.memory, file->error);
    memcpy(bytes, text.bytes, text.size);
    HB_TRY(hb_worked(file->bytes.work, 4 + text.size / 8, file->error));
    if (hb_dictionaries_note(&file->dictionaries, dictionary, &kept, 1, code))
        return HBS_OK;
    HB_TRY(hb_work_status(file->bytes.work, file->error));
    return hb_no_memory(file->arena.memory, file->error);
}

static hbs_text constant_text(const hb_onnx_value *constant, const hb_onnx_value *made, size_t i)
{
    size_t place = hb_onnx_broadcast_place(constant, made->dims, made->n_dims, i);

    return constant->texts[constant->columns ? constant->columns[place] : place];
}

hbs_status hb_onnx_lift_texts(hb_onnx_file *file, hb_onnx_value *constant, const hb_onnx_value *rows)
{
    double *codes = hb_arena_array(&file->pipeline->arena, constant->width, sizeof(*codes));
    uint32_t *zeros = hb_arena_array(&file->pipeline->arena, constant->width, sizeof(*zeros));
    uint32_t dictionary = hb_dictionaries_add(&file->dictionaries);
    size_t some;

    if (!codes || !zeros)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < constant->width; i++)
        HB_TRY(hb_onnx_note_text(file, dictionary, constant->texts[constant->columns ? constant->columns[i] : i],
                                 &codes[i]));
    some = hb_pipeline_add(file->pipeline, HB_OPERATOR_SELECT, hb_onnx_wide_source(file, rows),
                           &(hb_fit_select){constant->width, zeros});
    hb_onnx_become(constant, hb_pipeline_add(file->pipeline, HB_OPERATOR_CHOOSE, some,
                                             &(hb_fit_choose){constant->width, codes, codes}));
    constant->constant = NULL;
    constant->texts = NULL;
    return hb_onnx_give_dictionary(file, constant, dictionary);
}

/* ---- Where */

/* For each item of the result its dictionary: that of the texts of the row among both operands, whose dictionaries
 * become one, or a new one. */
static hbs_status find_dictionaries(hb_onnx_file *file, const hb_onnx_value of[2], hb_onnx_value *made)
{
    uint32_t own = UINT32_MAX;
    hbs_status status;
    uint32_t *found = hb_onnx_columns(file, made->width, &status);

    HB_TRY(status);
    for (size_t i = 0; i < made->width; i++) {
        uint32_t each[2] = {UINT32_MAX, UINT32_MAX};

        for (size_t k = 0; k < 2; k++)
            if (of[k].form == HB_ONNX_NUMBERS)
                each[k] = hb_onnx_dictionary(&of[k], hb_onnx_broadcast_place(&of[k], made->dims, made->n_dims, i));
        if (each[0] != UINT32_MAX && each[1] != UINT32_MAX &&
            !hb_dictionaries_join(&file->dictionaries, each[0], each[1]))
            return hb_no_memory(file->arena.memory, file->error);
        if (each[0] == UINT32_MAX && each[1] == UINT32_MAX)
            each[0] = own = own == UINT32_MAX ? hb_dictionaries_add(&file->dictionaries) : own;
        found[i] = each[0] != UINT32_MAX ? each[0] : each[1];
    }
    made->dictionaries = found;
    return HBS_OK;
}

/* An operand: codes of the file's texts, or one more input of just these columns. */
static hbs_status add_operand(hb_onnx_file *file, const hb_onnx_value *value, const hb_onnx_value *made,
                              const double **numbers, uint32_t *inputs, size_t *n)
{
    hb_onnx_value all = *value;
    double *codes;

    if (value->form != HB_ONNX_CONSTANT) {
        HB_TRY(hb_onnx_broadcast_columns(file, value, made, &all.columns));
        all.width = made->width;
        inputs[(*n)++] = (uint32_t)hb_onnx_wide(file, &all);
        return HBS_OK;
    }
    codes = hb_arena_array(&file->pipeline->arena, made->width, sizeof(*codes));
    if (!codes)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < made->width; i++)
        HB_TRY(hb_onnx_note_text(file, made->dictionaries[i], constant_text(value, made, i), &codes[i]));
    *numbers = codes;
    return HBS_OK;
}

/* The condition is known: each item is one of the operands', which are codes of the row then. */
static hbs_status choose_known(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value of[3], hb_onnx_value *made)
{
    const hb_onnx_value *rows = of[1].form == HB_ONNX_NUMBERS ? &of[1] : &of[2];

    if (rows->form != HB_ONNX_NUMBERS)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "all of its inputs are constants");
    for (size_t k = 1; k < 3; k++)
        if (of[k].form == HB_ONNX_CONSTANT)
            HB_TRY(hb_onnx_lift_texts(file, &of[k], rows));
    return hb_onnx_choose_known(file, node, of, made);
}

hbs_status hb_onnx_choose_texts(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value of[3], both = {.type = HB_ONNX_STRING}, made = {.type = HB_ONNX_STRING};
    const double *unused = NULL;
    hb_fit_choose fit = {0};
    uint32_t inputs[3];
    size_t n = 0;

    HB_TRY(hb_onnx_operand(file, node, 0, &of[0]));
    HB_TRY(hb_onnx_text_operand(file, node, 1, &of[1]));
    HB_TRY(hb_onnx_text_operand(file, node, 2, &of[2]));
    for (size_t k = 1; k < 3; k++)
        HB_TRY(hb_onnx_to_codes(file, &of[k]));
    HB_TRY(hb_onnx_broadcast(file, node, &of[1], &of[2], &both));
    HB_TRY(hb_onnx_broadcast(file, node, &of[0], &both, &made));
    if (of[0].form == HB_ONNX_CONSTANT)
        return choose_known(file, node, of, &made);
    HB_TRY(find_dictionaries(file, of + 1, &made));
    HB_TRY(add_operand(file, &of[0], &made, &unused, inputs, &n));
    HB_TRY(add_operand(file, &of[1], &made, &fit.yes, inputs, &n));
    HB_TRY(add_operand(file, &of[2], &made, &fit.no, inputs, &n));
    fit.n_outputs = made.width;
    return hb_onnx_give_numbers(file, node, &made,
                                hb_pipeline_add_of(file->pipeline, HB_OPERATOR_CHOOSE, inputs, n, &fit));
}

/* ---- Equal */

static hbs_status compare_constants(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value of[2],
                                    hb_onnx_value *made)
{
    double *numbers = hb_arena_array(&file->pipeline->arena, made->width, sizeof(*numbers));

    if (!numbers)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < made->width; i++) {
        hbs_text a = constant_text(&of[0], made, i), b = constant_text(&of[1], made, i);

        numbers[i] = hb_text_equal(a, b);
        HB_TRY(hb_worked(file->bytes.work, 4 + a.size / 8, file->error));
    }
    made->form = HB_ONNX_CONSTANT;
    made->numbers = numbers;
    return hb_onnx_give(file, node, 0, made);
}

/* Each text of the row is looked up among one: 1 where it is there. */
static hbs_status compare_with(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *texts,
                               const hb_onnx_value *constant, hb_onnx_value *made)
{
    hb_encoder_column *columns = hb_arena_array(&file->pipeline->arena, made->width, sizeof(*columns));
    double *values = hb_arena_array(&file->pipeline->arena, made->width, sizeof(*values));
    double *ones = hb_arena_array(&file->pipeline->arena, made->width, sizeof(*ones));
    const hbs_text missing = file->options->missing_text;
    hb_onnx_value all = *texts;
    hb_fit_recode fit;
    size_t codes;

    if (!columns || !values || !ones)
        return hb_no_memory(file->arena.memory, file->error);
    for (uint32_t i = 0; i < made->width; i++) {
        hbs_text text = constant_text(constant, made, i);
        size_t place = hb_onnx_broadcast_place(texts, made->dims, made->n_dims, i);

        HB_TRY(hb_onnx_note_text(file, hb_onnx_dictionary(texts, place), text, &values[i]));
        ones[i] = 1;
        columns[i] = (hb_encoder_column){.first = i,
                                         .count = 1,
                                         .feature = texts->dictionaries ? UINT32_MAX : hb_onnx_dictionary(texts, place),
                                         .missing = missing.bytes ? HB_OUTPUT_NONE : HB_OUTPUT_REFUSE,
                                         .unknown = HB_OUTPUT_NONE,
                                         .missing_number = missing.bytes && hb_text_equal(text, missing)};
    }
    fit = (hb_fit_recode){.model = {.n_columns = made->width,
                                    .n_values = made->width,
                                    .width = made->width,
                                    .columns = columns,
                                    .values = values,
                                    .numbers = ones}};
    HB_TRY(hb_onnx_broadcast_columns(file, texts, made, &all.columns));
    all.width = made->width;
    codes = hb_onnx_wide(file, &all);
    HB_TRY(hb_onnx_failure(file, node, HB_ONNX_MISSING_TEXT, codes, made->width, &fit.failure));
    return hb_onnx_give_numbers(file, node, made, hb_pipeline_add(file->pipeline, HB_OPERATOR_RECODE, codes, &fit));
}

/* Both are of the row: their bytes are compared. */
static hbs_status compare_rows(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value of[2],
                               hb_onnx_value *made)
{
    hb_fit_text_equal fit = {0};
    uint32_t inputs[2];

    for (size_t k = 0; k < 2; k++) {
        hb_onnx_value all = of[k];

        if (of[k].dictionaries)
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                                  "hbscore does not compare two texts of which the graph computes one");
        HB_TRY(hb_onnx_claim_texts(file, &of[k]));
        HB_TRY(hb_onnx_broadcast_columns(file, &of[k], made, &all.columns));
        all.width = made->width;
        inputs[k] = (uint32_t)hb_onnx_wide(file, &all);
    }
    HB_TRY(hb_onnx_missing(file, &fit.missing, &fit.missing_size));
    return hb_onnx_give_numbers(file, node, made,
                                hb_pipeline_add_of(file->pipeline, HB_OPERATOR_TEXT_EQUAL, inputs, 2, &fit));
}

hbs_status hb_onnx_equal_texts(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value of[2], made = {.type = HB_ONNX_BOOL};

    HB_TRY(hb_onnx_text_operand(file, node, 0, &of[0]));
    HB_TRY(hb_onnx_text_operand(file, node, 1, &of[1]));
    if (of[0].form == HB_ONNX_CONSTANT || of[1].form == HB_ONNX_CONSTANT)
        for (size_t k = 0; k < 2; k++)
            HB_TRY(hb_onnx_to_codes(file, &of[k]));
    HB_TRY(hb_onnx_broadcast(file, node, &of[0], &of[1], &made));
    if (of[0].form == HB_ONNX_CONSTANT && of[1].form == HB_ONNX_CONSTANT)
        return compare_constants(file, node, of, &made);
    if (of[0].form == HB_ONNX_CONSTANT)
        return compare_with(file, node, &of[1], &of[0], &made);
    if (of[1].form == HB_ONNX_CONSTANT)
        return compare_with(file, node, &of[0], &of[1], &made);
    return compare_rows(file, node, of, &made);
}

/* ---- MurmurHash3 */

static hbs_status hash_source(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *in,
                              hb_text_source *source)
{
    static const hb_text_source sources[] = {[HB_ONNX_FLOAT] = HB_SOURCE_FLOAT32,
                                             [HB_ONNX_DOUBLE] = HB_SOURCE_FLOAT64,
                                             [HB_ONNX_INT32] = HB_SOURCE_INT32,
                                             [HB_ONNX_INT64] = HB_SOURCE_INT64,
                                             [HB_ONNX_UINT32] = HB_SOURCE_INT32};

    if (in->form != HB_ONNX_NUMBERS || in->dictionaries)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it of texts and numbers of the row only");
    *source = HB_SOURCE_TEXTS;
    if (in->type == HB_ONNX_STRING)
        return HBS_OK;
    if (in->type < 0 || in->type > HB_ONNX_UINT32 || sources[in->type] == HB_SOURCE_TEXTS)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its input is of a type that it does not take");
    *source = sources[in->type];
    return HBS_OK;
}

/* A hash of each text, or of each number's bytes. */
hbs_status hb_onnx_murmur_hash(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_fit_text_hash fit = {.positive = false};
    int64_t seed, positive;
    hb_onnx_value in;

    HB_TRY(hb_onnx_moved(file, node, 0, &in));
    HB_TRY(hb_onnx_integer(file, node, "seed", 0, &seed));
    HB_TRY(hb_onnx_integer(file, node, "positive", 1, &positive));
    HB_TRY(hash_source(file, node, &in, &fit.source));
    fit.seed = (uint32_t)seed;
    fit.positive = positive != 0;
    if (fit.source == HB_SOURCE_TEXTS) {
        HB_TRY(hb_onnx_claim_texts(file, &in));
        HB_TRY(hb_onnx_missing(file, &fit.missing, &fit.missing_size));
    }
    in.type = positive ? HB_ONNX_UINT32 : HB_ONNX_INT32;
    return hb_onnx_give_numbers(file, node, &in,
                                hb_pipeline_add(file->pipeline, HB_OPERATOR_TEXT_HASH, hb_onnx_wide(file, &in), &fit));
}
