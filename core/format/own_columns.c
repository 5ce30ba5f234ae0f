/* own_columns.c - the operators of hbscore's own format that make columns of columns. */
#include "format/own.h"

bool hb_own_read_select(hb_own_reading *r)
{
    hb_operator op = {.kind = HB_OPERATOR_SELECT, .input = r->in[0]->value};
    uint32_t *sources;

    op.columns = hb_own_columns_read(r, "cols", 1, &op.n_columns);
    if (!op.columns)
        return false;
    sources = hb_own_new_sources(r, op.n_columns);
    for (size_t i = 0; sources && i < op.n_columns; i++)
        sources[i] = hb_own_source(r->in[0], op.columns[i]);
    r->made.sources = sources;
    return sources && hb_own_add(r, &op, op.n_columns);
}

bool hb_own_read_concat(hb_own_reading *r)
{
    hb_operator op = {.kind = HB_OPERATOR_CONCAT, .input = r->in[0]->value, .n_inputs = r->n_in};
    size_t *inputs = hb_arena_array(&r->file->pipeline->arena, r->n_in, sizeof(*inputs));
    uint32_t *sources;
    size_t width = 0;

    for (size_t i = 0; i < r->n_in; i++)
        width += r->in[i]->width;
    if (!hb_own_check_columns(r, width))
        return false;
    sources = hb_own_new_sources(r, width);
    if (!inputs || !sources)
        return hb_document_no_memory(r->file->d);
    width = 0;
    for (size_t i = 0; i < r->n_in; i++) {
        inputs[i] = r->in[i]->value;
        for (size_t c = 0; c < r->in[i]->width; c++)
            sources[width++] = hb_own_source(r->in[i], c);
    }
    r->made.sources = sources;
    op.inputs = inputs;
    return hb_own_add(r, &op, width);
}

bool hb_own_read_cast(hb_own_reading *r)
{
    static const char *const types[] = {"f4", "u1"};
    static const hb_operator_kind kinds[] = {HB_OPERATOR_ROUND, HB_OPERATOR_CODE};
    size_t type = hb_own_word(r->file, "to", types, 2);

    if (type == SIZE_MAX)
        return false;
    r->file->has_float32 |= type == 0;
    return hb_own_add(r, &(hb_operator){.kind = kinds[type], .input = r->in[0]->value}, r->in[0]->width);
}

bool hb_own_read_affine(hb_own_reading *r)
{
    static const char *const kinds[] = {[HB_SCALE_SHIFT] = "sub",
                                        [HB_SCALE_DIVIDE] = "div",
                                        [HB_SCALE_SHIFT_DIVIDE] = "sub_div",
                                        [HB_SCALE_MULTIPLY_ADD] = "mul_add"};
    /* In mul_add the file's a is the factor and b what is added. */
    static const struct {
        bool has_a, has_b, a_is_factor;
    } fields[] = {[HB_SCALE_SHIFT] = {true, false, false},
                  [HB_SCALE_DIVIDE] = {false, true, false},
                  [HB_SCALE_SHIFT_DIVIDE] = {true, true, false},
                  [HB_SCALE_MULTIPLY_ADD] = {true, true, true}};
    hb_operator op = {.kind = HB_OPERATOR_SCALE, .input = r->in[0]->value};
    size_t width = r->in[0]->width;
    size_t kind = hb_own_word(r->file, "kind", kinds, 4);
    const double *a = NULL, *b = NULL;

    if (kind == SIZE_MAX || !hb_own_dtype_read(r, &op.rounds))
        return false;
    if (fields[kind].has_a)
        a = hb_own_numbers(r->file, "a", width);
    if (fields[kind].has_b && hb_document_ok(r->file->d))
        b = hb_own_numbers(r->file, "b", width);
    op.scaling = (hb_scaling)kind;
    op.shift = fields[kind].a_is_factor ? b : a;
    op.factor = fields[kind].a_is_factor ? a : b;
    return hb_document_ok(r->file->d) && hb_own_add(r, &op, width);
}

bool hb_own_read_clip(hb_own_reading *r)
{
    hb_operator op = {.kind = HB_OPERATOR_CLIP, .input = r->in[0]->value};
    const double *low = hb_own_numbers(r->file, "lo", 1);
    const double *high = low ? hb_own_numbers(r->file, "hi", 1) : NULL;

    if (!high)
        return false;
    op.limits[0] = *low;
    op.limits[1] = *high;
    return hb_own_add(r, &op, r->in[0]->width);
}

static bool read_looking(hb_own_reading *r, hb_operator_kind kind)
{
    hb_operator op = {.kind = kind, .input = r->in[0]->value};

    if (!hb_own_member(r->file, "missing"))
        return false;
    op.takes_missing = hb_read_integer(r->file->d, 0, 1) == 1;
    r->made.sources = r->in[0]->sources;
    return hb_document_ok(r->file->d) && hb_own_add(r, &op, r->in[0]->width);
}

/* `check`: refuses features that the library's step refuses, if no other operator demands it. */
bool hb_own_read_check(hb_own_reading *r)
{
    return read_looking(r, HB_OPERATOR_CHECK);
}

/* `guard`: refuses results of earlier steps that the library's step refuses. */
bool hb_own_read_guard(hb_own_reading *r)
{
    return read_looking(r, HB_OPERATOR_GUARD);
}

/* The fill of each column: a finite number, or the code of a text; texts get the codes after all others. */
static const double *read_fill(hb_own_reading *r)
{
    size_t width = r->in[0]->width;
    hb_own_array texts;
    double *codes;

    if (width == 0 || !hb_own_is_text(r, 0, 0))
        return hb_own_takes_numbers(r) ? hb_own_numbers(r->file, "fill", width) : NULL;
    if (!hb_own_array_read(r->file, "fill", HB_OWN_STR, 1, &texts))
        return NULL;
    codes = hb_arena_array(&r->file->pipeline->arena, width, sizeof(*codes));
    if (!codes || texts.count != width) {
        (void)(codes ? hb_own_fail(r, "impute: not one text for each column") : hb_document_no_memory(r->file->d));
        return NULL;
    }
    for (size_t c = 0; c < width; c++) {
        if (!hb_own_is_text(r, 0, c)) {
            hb_own_fail(r, "impute: texts for numbers");
            return NULL;
        }
        if (!hb_own_texts_note(r->file, hb_own_source(r->in[0], c), (const hbs_text *)texts.items + c, 1, &codes[c]))
            return NULL;
    }
    return codes;
}

bool hb_own_read_impute(hb_own_reading *r)
{
    hb_operator op = {.kind = HB_OPERATOR_IMPUTE, .input = r->in[0]->value};

    if (!hb_own_missing_read(r, &op.number))
        return false;
    op.fill = read_fill(r);
    r->made.sources = r->in[0]->sources;
    return op.fill && hb_own_add(r, &op, r->in[0]->width);
}

/* ---- encoders */

static bool read_encoder(hb_own_reading *r, hb_operator_kind kind)
{
    hb_operator op = {.kind = kind, .input = r->in[0]->value};

    return hb_own_encoder_read(r->file, r->in[0], kind == HB_OPERATOR_ONEHOT, &op.encoder) &&
           hb_own_add(r, &op, op.encoder->width);
}

bool hb_own_read_onehot(hb_own_reading *r)
{
    return read_encoder(r, HB_OPERATOR_ONEHOT);
}

bool hb_own_read_ordinal(hb_own_reading *r)
{
    return read_encoder(r, HB_OPERATOR_RECODE);
}
