/* own_terms.c - operators of hbscore's own format that make lists (op/lists.h) of texts, and those of lists. */
#include <math.h>
#include <string.h>

#include "format/own.h"
#include "format/vocabulary.h"

/* ---- text_counts */

static const char default_pattern[] = "(?u)\\b\\w\\w+\\b"; /* what is found without an expression */

/* A whole number from `least` to `most`, which is due. */
static bool read_number_value(hb_own_reading *r, int64_t least, int64_t most, size_t *number)
{
    *number = (size_t)hb_read_integer(r->file->d, least, most);
    return hb_document_ok(r->file->d);
}

static bool read_number(hb_own_reading *r, const char *name, int64_t least, int64_t most, size_t *number)
{
    return hb_own_member(r->file, name) && read_number_value(r, least, most, number);
}

/* Member `name`, one of the words; a word's place is what it means. */
static bool read_word(hb_own_reading *r, const char *name, const char *const *words, size_t n, uint32_t *place)
{
    size_t found = hb_own_word(r->file, name, words, n);

    *place = (uint32_t)found;
    return found != SIZE_MAX;
}

static bool read_pattern(hb_own_reading *r, hb_term_rule *rule)
{
    const hb_regex *regex;
    hbs_text pattern;
    hbs_error why;
    hbs_status status;

    if (!hb_own_member(r->file, "pattern"))
        return false;
    pattern = hb_read_string(r->file->d);
    if (!hb_document_ok(r->file->d) || hb_text_is(pattern, default_pattern))
        return hb_document_ok(r->file->d);
    status = hb_regex_compile(&r->file->pipeline->arena, pattern, (hb_regex_mode)rule->unicode,
                              &r->file->pipeline->arena.memory->work, &regex, &why);
    if (status != HBS_OK) {
        hb_document_fail(r->file->d, status, "the pattern: %s", why.text);
        return false;
    }
    rule->expression = (const char *)(const void *)regex;
    rule->expression_size = hb_regex_size(regex);
    return true;
}

/* The list of texts that is due, no two equal; codes[i] is the number of text i among the words. */
static bool read_words_value(hb_own_reading *r, const char *name, hb_words *words, uint32_t **codes, size_t *n)
{
    hb_pipeline *pipeline = r->file->pipeline;
    hb_own_dtype dtype;
    hb_own_array array;
    hbs_error why = {.text = ""};
    hbs_status status;

    if (!hb_own_array_value(r->file, 1u << HB_OWN_STR, 1, &dtype, &array))
        return false;
    *n = array.count;
    hb_memory_allow(pipeline->arena.memory, 64 * array.count); /* to sort them, and find them */
    *codes = hb_arena_array(&pipeline->arena, array.count, sizeof(**codes));
    if (!*codes)
        return hb_document_no_memory(r->file->d);
    status = hb_words_make(pipeline, array.items, array.count, words, *codes, &why);
    if (status != HBS_OK) {
        hb_document_fail(r->file->d, status, "%s", why.text);
        return false;
    }
    if (words->n != array.count) {
        hb_document_fail(r->file->d, HBS_E_FORMAT, "%s: a text comes twice", name);
        return false;
    }
    return true;
}

static bool read_words(hb_own_reading *r, const char *name, hb_words *words, uint32_t **codes, size_t *n)
{
    return hb_own_member(r->file, name) && read_words_value(r, name, words, codes, n);
}

static bool read_sequences(hb_own_reading *r, hb_term_rule *rule)
{
    return read_number(r, "least", 1, HB_MOST_TERM, &rule->least) &&
           read_number(r, "most", (int64_t)rule->least, HB_MOST_TERM, &rule->most);
}

/* ---- texts that are read in the place of others */

enum { MOST_FILL = 1 << 16 /* bytes */ };

static bool is_fill(hb_own_reading *r, hbs_text text)
{
    if (text.size > MOST_FILL || !hb_utf8_valid(text.bytes, text.size))
        return hb_own_fail(r, "a text that is read in the place of another one is no UTF-8 of up to 65,536 bytes");
    return hb_document_goes_on(r->file->d, text.size);
}

/* Fill i is read in the place of mark i, whose number among the marks is codes[i]. */
static bool keep_fills(hb_own_reading *r, hb_fit_term_lists *fit, const hbs_text *fills, const uint32_t *codes)
{
    hb_arena *arena = &r->file->pipeline->arena;
    hbs_text *in_order = hb_arena_array(arena, fit->marks.n, sizeof(*in_order));
    uint32_t *ends = hb_arena_array(arena, fit->marks.n, sizeof(*ends));
    char *bytes;

    if (!in_order || !ends)
        return hb_document_no_memory(r->file->d);
    for (size_t i = 0; i < fit->marks.n; i++) {
        if (!is_fill(r, fills[i]))
            return false;
        in_order[codes[i]] = fills[i];
        fit->n_fill_bytes += fills[i].size;
    }
    bytes = hb_arena_array(arena, fit->n_fill_bytes + 1, 1);
    if (!bytes)
        return hb_document_no_memory(r->file->d);
    for (size_t i = 0, at = 0; i < fit->marks.n; i++) {
        memcpy(bytes + at, in_order[i].bytes, in_order[i].size);
        at += in_order[i].size;
        ends[i] = (uint32_t)at;
    }
    fit->fill_ends = ends;
    fit->fill_bytes = bytes;
    return hb_document_goes_on(r->file->d, fit->n_fill_bytes + 4 * fit->marks.n);
}

/* The members `marks`, which is due, and `fills`. */
static bool read_marks(hb_own_reading *r, hb_fit_term_lists *fit)
{
    hb_own_array fills;
    uint32_t *codes;
    size_t n;

    if (!read_words_value(r, "marks", &fit->marks, &codes, &n) ||
        !hb_own_array_read(r->file, "fills", HB_OWN_STR, 1, &fills))
        return false;
    return fills.count == n ? keep_fills(r, fit, fills.items, codes)
                            : hb_own_fail(r, "fills has not one text for each mark");
}

/* Up to the member `unicode`, whose value is due then. */
static bool read_text(hb_own_reading *r, hb_fit_term_lists *fit)
{
    hbs_text missing;
    bool found;

    if (!hb_own_whole_text(r, &missing) || (missing.bytes && !is_fill(r, missing)))
        return false;
    fit->missing = missing.bytes;
    fit->missing_size = missing.size;
    if (!hb_own_either(r->file, "marks", "unicode", &found) || !found)
        return hb_document_ok(r->file->d);
    return read_marks(r, fit) && hb_own_member(r->file, "unicode");
}

/* How texts are split: from the value of `unicode`, which is due, up to the member `most`. */
static bool read_rule(hb_own_reading *r, hb_term_rule *rule)
{
    static const char *const versions[] = {
        [HB_UNICODE_13_0] = "13.0", [HB_UNICODE_14_0] = "14.0", [HB_UNICODE_15_0] = "15.0", [HB_UNICODE_15_1] = "15.1"};
    static const char *const accents[] = {
        [HB_ACCENTS_KEEP] = "keep", [HB_ACCENTS_ASCII] = "ascii", [HB_ACCENTS_UNICODE] = "unicode"};
    static const char *const analyzers[] = {
        [HB_ANALYZE_WORDS] = "word", [HB_ANALYZE_CHARACTERS] = "char", [HB_ANALYZE_INSIDE_WORDS] = "char_wb"};
    size_t unicode = hb_own_word_value(r->file, "unicode", versions, HB_N_UNICODES), lowers, n;
    uint32_t *codes;

    rule->unicode = (uint32_t)unicode;
    if (unicode == SIZE_MAX || !read_number(r, "lowercase", 0, 1, &lowers) ||
        !read_word(r, "accents", accents, HB_N_ACCENTS, &rule->accents) ||
        !read_word(r, "analyzer", analyzers, HB_N_ANALYZERS, &rule->analyzer))
        return false;
    rule->lowers = (uint32_t)lowers;
    if (rule->analyzer == HB_ANALYZE_WORDS &&
        (!read_pattern(r, rule) || !read_words(r, "stop_words", &rule->stops, &codes, &n)))
        return false;
    return read_sequences(r, rule);
}

/* The value of `vocabulary`, which is due: word i of the file counts in column i. */
static bool read_vocabulary(hb_own_reading *r, hb_words *words, size_t *n_columns, const uint32_t **to)
{
    uint32_t *codes, *columns;

    if (!read_words_value(r, "vocabulary", words, &codes, n_columns))
        return false;
    if (*n_columns == 0 || *n_columns > HB_MAX_LIST_COLUMNS)
        return hb_own_fail(r, "text_counts: no vocabulary, or one of too many words");
    columns = hb_arena_array(&r->file->pipeline->arena, *n_columns, sizeof(*columns));
    if (!columns)
        return hb_document_no_memory(r->file->d);
    for (uint32_t i = 0; i < *n_columns; i++)
        columns[codes[i]] = i;
    *to = columns;
    return hb_document_goes_on(r->file->d, 4 * *n_columns);
}

/* The key of member `name`; before it may stand the member `dtype`, a type of integers that wraps counts round. */
static bool read_integers(hb_own_reading *r, const char *name, hb_list_function *wraps)
{
    static const char *const words[] = {"i1", "u1", "i2", "u2"};
    size_t word;
    bool given;

    *wraps = HB_LIST_SAME;
    if (!hb_own_either(r->file, "dtype", name, &given) || !given)
        return hb_document_ok(r->file->d);
    word = hb_own_word_value(r->file, "dtype", words, sizeof(words) / sizeof(words[0]));
    if (word == SIZE_MAX)
        return false;
    *wraps = (hb_list_function)(HB_LIST_INT8 + word);
    return hb_own_member(r->file, name);
}

static bool add_counts(hb_own_reading *r, const hb_fit_term_lists *fit, hb_list_function wraps)
{
    hb_fit_list_weights wrapping = {.n_columns = fit->n_columns, .function = wraps};

    if (!hb_own_add_list(r, HB_OPERATOR_TERM_LISTS, fit, fit->n_columns))
        return false;
    if (wraps != HB_LIST_SAME)
        r->made.value = hb_pipeline_add(r->file->pipeline, HB_OPERATOR_LIST_WEIGHTS, r->made.value, &wrapping);
    return true;
}

bool hb_own_read_text_counts(hb_own_reading *r)
{
    hb_fit_term_lists fit = {.n_columns = 0};
    hb_list_function wraps;
    size_t binary;

    if (!read_text(r, &fit) || !read_rule(r, &fit.rule) || !read_number(r, "binary", 0, 1, &binary) ||
        !read_integers(r, "vocabulary", &wraps) || !read_vocabulary(r, &fit.words, &fit.n_columns, &fit.columns))
        return false;
    fit.binary = binary == 1;
    return add_counts(r, &fit, wraps);
}

bool hb_own_read_text_hashes(hb_own_reading *r)
{
    hb_fit_term_lists fit = {.hashes = true};
    hb_list_function wraps;
    size_t binary, alternates;

    if (!read_text(r, &fit) || !read_rule(r, &fit.rule) || !read_number(r, "binary", 0, 1, &binary) ||
        !read_integers(r, "columns", &wraps) || !read_number_value(r, 1, HB_MAX_LIST_COLUMNS, &fit.n_columns) ||
        !read_number(r, "alternate", 0, 1, &alternates))
        return false;
    fit.binary = binary == 1;
    fit.alternates = alternates == 1;
    return add_counts(r, &fit, wraps);
}

/* ---- features of JSON texts */

static bool read_separator(hb_own_reading *r, hb_fit_json_lists *fit)
{
    hbs_text text;
    char *bytes;

    text = hb_read_string(r->file->d);
    if (!hb_document_ok(r->file->d))
        return false;
    bytes = hb_arena_array(&r->file->pipeline->arena, text.size + 1, 1);
    if (!bytes)
        return hb_document_no_memory(r->file->d);
    memcpy(bytes, text.bytes, text.size);
    fit->separator = bytes;
    fit->n_separator = text.size;
    return true;
}

/* The key of member `name`; before it may stand the member `dtype`, the type of the numbers. */
static bool read_dtype(hb_own_reading *r, const char *name, hb_list_dtype most, hb_list_dtype *dtype)
{
    static const char *const words[] = {
        [HB_LIST_FLOAT64] = "", [HB_LIST_FLOAT32] = "f4", [HB_LIST_I8] = "i8", [HB_LIST_I1] = "i1", [HB_LIST_U1] = "u1",
        [HB_LIST_I2] = "i2",    [HB_LIST_U2] = "u2",      [HB_LIST_I4] = "i4", [HB_LIST_U4] = "u4"};
    size_t word;
    bool given;

    *dtype = HB_LIST_FLOAT64;
    if (!hb_own_either(r->file, "dtype", name, &given) || !given)
        return hb_document_ok(r->file->d);
    word = hb_own_word_value(r->file, "dtype", words, (size_t)most + 1);
    if (word == SIZE_MAX)
        return false;
    *dtype = (hb_list_dtype)word;
    r->file->has_float32 |= *dtype == HB_LIST_FLOAT32;
    return hb_own_member(r->file, name);
}

bool hb_own_list_dtype(hb_own_reading *r, const char *name, bool *is_float32)
{
    hb_list_dtype dtype;

    if (!read_dtype(r, name, HB_LIST_FLOAT32, &dtype))
        return false;
    *is_float32 = dtype == HB_LIST_FLOAT32;
    return true;
}

bool hb_own_read_json_features(hb_own_reading *r)
{
    hb_fit_json_lists fit = {.form = HB_JSON_OBJECT};

    if (!hb_own_json_text(r, HB_JSON_OBJECT) || !read_dtype(r, "separator", HB_LIST_U4, &fit.dtype) ||
        !read_separator(r, &fit) || !hb_own_member(r->file, "vocabulary") ||
        !read_vocabulary(r, &fit.words, &fit.n_columns, &fit.columns))
        return false;
    for (size_t i = 0; i < fit.words.n; i++) {
        size_t size = hb_word_at(&fit.words, i).size;

        fit.longest = size > fit.longest ? size : fit.longest;
    }
    return hb_own_add_list(r, HB_OPERATOR_JSON_LISTS, &fit, fit.n_columns);
}

bool hb_own_read_json_hashes(hb_own_reading *r)
{
    static const char *const forms[] = {[HB_JSON_OBJECT] = "", /* no word is */
                                        [HB_JSON_PLAIN] = "dict",
                                        [HB_JSON_PAIRS] = "pair",
                                        [HB_JSON_TEXTS] = "string"};
    hb_fit_json_lists fit = {.hashes = true, .separator = "=", .n_separator = 1};
    size_t alternates, form;

    if (!read_dtype(r, "input", HB_LIST_U4, &fit.dtype))
        return false;
    form = hb_own_word_value(r->file, "input", forms, HB_N_JSON_FORMS);
    if (form == SIZE_MAX)
        return false;
    fit.form = (uint32_t)form;
    if (!hb_own_json_text(r, (hb_json_form)fit.form) ||
        !read_number(r, "columns", 1, HB_MAX_LIST_COLUMNS, &fit.n_columns) ||
        !read_number(r, "alternate", 0, 1, &alternates))
        return false;
    fit.alternates = alternates == 1;
    return hb_own_add_list(r, HB_OPERATOR_JSON_LISTS, &fit, fit.n_columns);
}

/* ---- tf_idf */

bool hb_own_list_numbers(hb_own_reading *r, uint32_t *value)
{
    hb_arena *arena = &r->file->pipeline->arena;
    uint32_t *parts = hb_arena_array(arena, 2, sizeof(*parts));

    if (!parts)
        return hb_document_no_memory(r->file->d);
    parts[1] = (uint32_t)r->in[0]->width;
    *value = (uint32_t)hb_pipeline_add(r->file->pipeline, HB_OPERATOR_LIST_JOIN, r->in[0]->value,
                                       &(hb_fit_list_join){.n_parts = 1, .firsts = parts, .widths = parts + 1});
    return true;
}

bool hb_own_read_tf_idf(hb_own_reading *r)
{
    static const char *const norms[] = {
        [HB_LIST_NOT] = "none", [HB_LIST_L1] = "l1", [HB_LIST_L2] = "l2", [HB_LIST_MAX] = "max"};
    hb_fit_list_weights fit = {.n_columns = r->in[0]->width};
    uint32_t value = (uint32_t)r->in[0]->value;
    int64_t sublinear;
    size_t norm;
    bool weighs;

    if (!hb_own_list_dtype(r, "sublinear", &fit.in_float32))
        return false;
    sublinear = hb_read_integer(r->file->d, 0, 1);
    if (!hb_document_ok(r->file->d) || !hb_own_either(r->file, "idf", "norm", &weighs))
        return false;
    if (weighs) {
        hb_own_dtype dtype;
        hb_own_array idf;

        if (!hb_own_array_value(r->file, 1u << HB_OWN_F8, 1, &dtype, &idf))
            return false;
        if (idf.count != fit.n_columns)
            return hb_own_fail(r, "tf_idf: idf has not one number for each column");
        if (!hb_own_check_finite(r, &idf, "tf_idf: a weight is not finite") || !hb_own_member(r->file, "norm"))
            return false;
        fit.factors = idf.items;
    }
    norm = hb_own_word_value(r->file, "norm", norms, 4);
    if (norm == SIZE_MAX || (!r->in[0]->is_list && !hb_own_list_numbers(r, &value)))
        return false;
    if (sublinear && fit.in_float32) /* numpy's logarithm of float32 is a few units of the last place off */
        r->file->pipeline->tolerance = fmax(r->file->pipeline->tolerance, 1e-6);
    fit.norm = (hb_list_norm)norm;
    fit.function = sublinear ? HB_LIST_LOG : HB_LIST_SAME;
    r->made.is_list = true;
    r->made.width = fit.n_columns;
    r->made.value = hb_pipeline_add(r->file->pipeline, HB_OPERATOR_LIST_WEIGHTS, value, &fit);
    return true;
}

/* ---- lists in other operators */

bool hb_own_scale_list(hb_own_reading *r, const double *factors, bool divides, bool in_float32)
{
    hb_fit_list_weights fit = {
        .n_columns = r->in[0]->width, .factors = factors, .divides = divides, .in_float32 = in_float32};

    return hb_own_add_list(r, HB_OPERATOR_LIST_WEIGHTS, &fit, fit.n_columns);
}

bool hb_own_above_0_list(hb_own_reading *r)
{
    hb_fit_list_weights fit = {.n_columns = r->in[0]->width, .function = HB_LIST_ABOVE_0};

    return hb_own_add_list(r, HB_OPERATOR_LIST_WEIGHTS, &fit, fit.n_columns);
}

bool hb_own_select_list(hb_own_reading *r)
{
    hb_fit_list_columns fit;

    fit.columns = hb_own_columns_read(r, "cols", 1, &fit.n_outputs);
    if (!fit.columns)
        return false;
    for (size_t i = 1; i < fit.n_outputs; i++)
        if (fit.columns[i] <= fit.columns[i - 1])
            return hb_own_fail(r, "select: of sparse columns they rise");
    return hb_own_add(r, HB_OPERATOR_LIST_COLUMNS, &fit, fit.n_outputs);
}

typedef struct hb_own_join {
    size_t n;
    uint32_t *inputs, *firsts, *widths; /* widths: 0 of a list */
} hb_own_join;

static hb_own_join *new_join(hb_own_reading *r, size_t n)
{
    hb_arena *arena = &r->file->pipeline->arena;
    hb_own_join *join = hb_arena_array(arena, 1, sizeof(*join));

    if (join)
        *join = (hb_own_join){n, hb_arena_array(arena, n, sizeof(uint32_t)), hb_arena_array(arena, n, sizeof(uint32_t)),
                              hb_arena_array(arena, n, sizeof(uint32_t))};
    if (join && join->inputs && join->firsts && join->widths)
        return join;
    hb_document_no_memory(r->file->d);
    return NULL;
}

static bool add_join(hb_own_reading *r, const hb_own_join *join, size_t width)
{
    hb_fit_list_join fit = {.n_parts = join->n, .firsts = join->firsts, .widths = join->widths};

    r->made.is_list = true;
    r->made.join = join;
    r->made.width = width;
    r->made.value = hb_pipeline_add_of(r->file->pipeline, HB_OPERATOR_LIST_JOIN, join->inputs, join->n, &fit);
    return true;
}

bool hb_own_join_lists(hb_own_reading *r)
{
    hb_own_join *join = new_join(r, r->n_in);
    size_t width = 0;

    if (!join || !hb_own_takes_numbers(r))
        return false;
    for (size_t i = 0; i < r->n_in; i++) {
        join->inputs[i] = (uint32_t)r->in[i]->value;
        join->firsts[i] = (uint32_t)width;
        join->widths[i] = r->in[i]->is_list ? 0 : (uint32_t)r->in[i]->width;
        width += r->in[i]->width;
        if (width > HB_MAX_LIST_COLUMNS)
            return hb_own_fail(r, "concat: too many sparse columns");
    }
    return add_join(r, join, width);
}

bool hb_own_check_list(hb_own_reading *r, hb_operator_kind kind, const void *fit)
{
    const hb_own_join *before = r->in[0]->join;
    hb_own_join *join;

    if (!before) {
        r->made = *r->in[0];
        return true;
    }
    join = new_join(r, before->n);
    if (!join)
        return false;
    for (size_t i = 0; i < before->n; i++) {
        join->firsts[i] = before->firsts[i];
        join->widths[i] = before->widths[i];
        join->inputs[i] = before->inputs[i];
        if (before->widths[i])
            join->inputs[i] = (uint32_t)hb_pipeline_add(r->file->pipeline, kind, before->inputs[i], fit);
    }
    return add_join(r, join, r->in[0]->width);
}

/* The weights of one column stand together. */
bool hb_own_sum_list(hb_own_reading *r, const hb_own_array *weights, const hb_own_array *bias, bool in_float32)
{
    size_t n = weights->shape[0], width = weights->shape[1];
    hb_fit_list_sums fit = {.n_outputs = n, .n_columns = width, .bias = bias->items, .in_float32 = in_float32};
    const double *from = weights->items;
    double *to = n == 1 ? NULL : hb_arena_array(&r->file->pipeline->arena, weights->count, sizeof(*to));

    if (n > 1 && !to)
        return hb_document_no_memory(r->file->d);
    for (size_t c = 0; to && c < width; c++) {
        for (size_t o = 0; o < n; o++)
            to[c * n + o] = from[o * width + c];
        if (!hb_document_goes_on(r->file->d, n))
            return false;
    }
    fit.weights = to ? to : from;
    hb_own_adds(r->file);
    return hb_own_add(r, HB_OPERATOR_LIST_SUMS, &fit, n);
}
