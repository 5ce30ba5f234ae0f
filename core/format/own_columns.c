/* own_columns.c - the operators of hbscore's own format that make columns of columns. */
#include "format/own.h"

/* The text that a missing one of the value's column c became; bytes NULL: none. */
static hbs_text fill_of(const hb_own_value *value, size_t c)
{
    return value->fills ? value->fills[c] : (hbs_text){NULL, 0};
}

/* Room for that of `n` columns. NULL: no input has any, or there is no memory, which the document then says. */
static hbs_text *new_fills(const hb_own_reading *r, size_t n)
{
    hbs_text *fills;
    bool any = false;

    for (size_t i = 0; i < r->n_in; i++)
        any |= r->in[i]->fills != NULL;
    if (!any)
        return NULL;
    fills = hb_arena_array(&r->file->pipeline->arena, n, sizeof(*fills));
    if (!fills)
        hb_document_no_memory(r->file->d);
    return fills;
}

bool hb_own_read_select(hb_own_reading *r)
{
    hb_fit_select select;
    uint32_t *sources;
    hbs_text *fills;

    if (r->in[0]->is_list)
        return hb_own_select_list(r);
    select.columns = hb_own_columns_read(r, "cols", 1, &select.n_columns);
    if (!select.columns)
        return false;
    sources = hb_own_new_sources(r, select.n_columns);
    for (size_t i = 0; sources && i < select.n_columns; i++)
        sources[i] = hb_own_source(r->in[0], select.columns[i]);
    r->made.sources = sources;
    r->made.fills = fills = new_fills(r, select.n_columns);
    for (size_t i = 0; fills && i < select.n_columns; i++)
        fills[i] = fill_of(r->in[0], select.columns[i]);
    return hb_document_ok(r->file->d) && hb_own_add(r, HB_OPERATOR_SELECT, &select, select.n_columns);
}

bool hb_own_read_concat(hb_own_reading *r)
{
    uint32_t *inputs = hb_arena_array(&r->file->pipeline->arena, r->n_in, sizeof(*inputs));
    uint32_t *sources;
    hbs_text *fills;
    size_t width = 0;

    for (size_t i = 0; i < r->n_in; i++)
        if (r->in[i]->is_list)
            return hb_own_join_lists(r);
    for (size_t i = 0; i < r->n_in; i++)
        width += r->in[i]->width;
    if (!hb_own_check_columns(r, width))
        return false;
    sources = hb_own_new_sources(r, width);
    fills = new_fills(r, width);
    if (!inputs || !sources || !hb_document_ok(r->file->d))
        return hb_document_no_memory(r->file->d);
    width = 0;
    for (size_t i = 0; i < r->n_in; i++) {
        inputs[i] = (uint32_t)r->in[i]->value;
        for (size_t c = 0; c < r->in[i]->width; c++, width++) {
            sources[width] = hb_own_source(r->in[i], c);
            if (fills)
                fills[width] = fill_of(r->in[i], c);
        }
    }
    r->made.sources = sources;
    r->made.fills = fills;
    r->made.width = width;
    r->made.value = hb_pipeline_add_of(r->file->pipeline, HB_OPERATOR_CONCAT, inputs, r->n_in, NULL);
    return true;
}

bool hb_own_read_cast(hb_own_reading *r)
{
    static const char *const types[] = {"f4", "u1"};
    static const hb_operator_kind kinds[] = {HB_OPERATOR_ROUND, HB_OPERATOR_CODE};
    size_t type = hb_own_word(r->file, "to", types, 2);

    if (type == SIZE_MAX)
        return false;
    r->file->has_float32 |= type == 0;
    return hb_own_add(r, kinds[type], NULL, r->in[0]->width);
}

static bool are_zero(const double *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (numbers[i] != 0)
            return false;
    return true;
}

/* Operators that keep zeros take lists. */
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
    hb_fit_scale scale = {.takes_infinite = false};
    size_t width = r->in[0]->width;
    size_t kind = hb_own_word(r->file, "kind", kinds, 4);
    const double *a = NULL, *b = NULL;

    if (kind == SIZE_MAX || !hb_own_dtype_read(r, &scale.in_float32))
        return false;
    if (fields[kind].has_a)
        a = hb_own_numbers(r->file, "a", width);
    if (fields[kind].has_b && hb_document_ok(r->file->d))
        b = hb_own_numbers(r->file, "b", width);
    if (!hb_document_ok(r->file->d))
        return false;
    if (r->in[0]->is_list && (kind == HB_SCALE_DIVIDE || (kind == HB_SCALE_MULTIPLY_ADD && are_zero(b, width))))
        return hb_own_scale_list(r, kind == HB_SCALE_DIVIDE ? b : a, kind == HB_SCALE_DIVIDE, scale.in_float32);
    if (!hb_own_write_out_inputs(r, HB_MAX_OUTPUTS))
        return false;
    scale.scaling = (hb_scaling)kind;
    scale.shift = fields[kind].a_is_factor ? b : a;
    scale.factor = fields[kind].a_is_factor ? a : b;
    return hb_own_add(r, HB_OPERATOR_SCALE, &scale, width);
}

bool hb_own_read_clip(hb_own_reading *r)
{
    const double *low = hb_own_numbers(r->file, "lo", 1);
    const double *high = low ? hb_own_numbers(r->file, "hi", 1) : NULL;

    if (!high)
        return false;
    return hb_own_add(r, HB_OPERATOR_CLIP, &(hb_fit_clip){{*low, *high}}, r->in[0]->width);
}

bool hb_own_read_binarize(hb_own_reading *r)
{
    const double *threshold = hb_own_numbers(r->file, "threshold", 1);

    if (!threshold)
        return false;
    if (r->in[0]->is_list && *threshold == 0)
        return hb_own_above_0_list(r);
    return hb_own_write_out_inputs(r, HB_MAX_OUTPUTS) &&
           hb_own_add(r, HB_OPERATOR_BINARIZE, &(hb_fit_binarize){.threshold = *threshold}, r->in[0]->width);
}

/* Member "missing" of an operator that looks at numbers and passes them on. */
static bool read_takes_missing(hb_own_reading *r, bool *takes_missing)
{
    if (!hb_own_member(r->file, "missing"))
        return false;
    *takes_missing = hb_read_integer(r->file->d, 0, 1) == 1;
    r->made.sources = r->in[0]->sources;
    return hb_document_ok(r->file->d);
}

/* `check`: refuses features that the library's step refuses, if no other operator demands it. */
bool hb_own_read_check(hb_own_reading *r)
{
    hb_fit_check check = {.also = 0};

    if (!read_takes_missing(r, &check.takes_missing))
        return false;
    return r->in[0]->is_list ? hb_own_check_list(r, HB_OPERATOR_CHECK, &check)
                             : hb_own_add(r, HB_OPERATOR_CHECK, &check, r->in[0]->width);
}

/* `guard`: refuses results of earlier steps that the library's step refuses. */
bool hb_own_read_guard(hb_own_reading *r)
{
    hb_fit_guard guard = {.asked = NULL};

    if (!read_takes_missing(r, &guard.takes_missing))
        return false;
    return r->in[0]->is_list ? hb_own_check_list(r, HB_OPERATOR_GUARD, &guard)
                             : hb_own_add(r, HB_OPERATOR_GUARD, &guard, r->in[0]->width);
}

/* Whoever reads the texts themselves gets those of the first imputer. */
static bool keep_fills(hb_own_reading *r, const hbs_text *texts)
{
    size_t width = r->in[0]->width;
    hbs_text *fills = hb_arena_array(&r->file->pipeline->arena, width, sizeof(*fills));

    if (!fills)
        return hb_document_no_memory(r->file->d);
    for (size_t c = 0; c < width; c++) {
        hbs_text before = fill_of(r->in[0], c);

        fills[c] = before.bytes ? before : texts[c];
    }
    r->made.fills = fills;
    return true;
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
    return keep_fills(r, texts.items) ? codes : NULL;
}

bool hb_own_read_impute(hb_own_reading *r)
{
    hb_fit_impute impute = {.takes_infinite = false};

    if (!hb_own_missing_read(r, &impute.missing))
        return false;
    impute.fill = read_fill(r);
    r->made.sources = r->in[0]->sources;
    return impute.fill && hb_own_add(r, HB_OPERATOR_IMPUTE, &impute, r->in[0]->width);
}

/* ---- encoders */

bool hb_own_read_onehot(hb_own_reading *r)
{
    hb_fit_onehot onehot = {.failure = {.words = NULL}};

    return hb_own_encoder_read(r->file, r->in[0], true, &onehot.model) &&
           hb_own_add(r, HB_OPERATOR_ONEHOT, &onehot, onehot.model.width);
}

bool hb_own_read_ordinal(hb_own_reading *r)
{
    hb_fit_recode recode = {.takes_infinite = false};

    return hb_own_encoder_read(r->file, r->in[0], false, &recode.model) &&
           hb_own_add(r, HB_OPERATOR_RECODE, &recode, recode.model.width);
}
