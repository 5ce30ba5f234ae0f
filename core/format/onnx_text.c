/* onnx_text.c - texts in another case, and split into words: StringNormalizer and com.microsoft's Tokenizer. Both only
 * say how the operator that counts words reads the table's texts. */
#include <string.h>

#include "format/onnx.h"
#include "format/vocabulary.h"

/* ---- what is split */

bool hb_onnx_is_words(const hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_value *value = hb_onnx_named(file, node->inputs[0]);

    return value && value->form == HB_ONNX_WORDS;
}

hbs_status hb_onnx_texts(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *texts, hb_tokenizer *tokenizer)
{
    const hb_onnx_value *value = hb_onnx_named(file, node->inputs[0]);

    if (!value || (value->form != HB_ONNX_WORDS && (value->form != HB_ONNX_NUMBERS || value->type != HB_ONNX_STRING)))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it of texts of the row only");
    if (value->dictionaries)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore does not read it of texts that the graph computes");
    *texts = *value;
    *tokenizer = value->words ? *value->words : (hb_tokenizer){.least = 0};
    texts->form = HB_ONNX_WORDS;
    return HBS_OK;
}

static hbs_status begin_whole_texts(hb_onnx_file *file)
{
    hb_pipeline *pipeline = file->pipeline;

    if (!file->whole_texts)
        file->whole_texts = hb_arena_array(&pipeline->arena, pipeline->n_features, 1);
    pipeline->texts = file->whole_texts;
    return file->whole_texts ? HBS_OK : hb_no_memory(file->arena.memory, file->error);
}

hbs_status hb_onnx_claim_features(hb_onnx_file *file)
{
    HB_TRY(begin_whole_texts(file));
    for (size_t f = 0; file->is_text && f < file->pipeline->n_features; f++)
        file->whole_texts[f] = file->is_text[f];
    return hb_worked(file->bytes.work, file->pipeline->n_features, file->error);
}

hbs_status hb_onnx_claim_texts(hb_onnx_file *file, const hb_onnx_value *texts)
{
    if (file->all_whole)
        return HBS_OK;
    HB_TRY(begin_whole_texts(file));
    for (size_t i = 0; i < texts->width; i++)
        file->whole_texts[texts->columns ? texts->columns[i] : i] = 1;
    return hb_worked(file->bytes.work, texts->width, file->error);
}

hbs_status hb_onnx_missing(hb_onnx_file *file, const char **missing, size_t *size)
{
    hbs_text text = file->options->missing_text;

    if (!text.bytes)
        return HBS_OK;
    *missing = hb_arena_text(&file->pipeline->arena, text.bytes, text.size);
    *size = text.size;
    return *missing ? HBS_OK : hb_no_memory(file->arena.memory, file->error);
}

static hbs_status give_words(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *texts,
                             const hb_tokenizer *tokenizer)
{
    hb_tokenizer *kept = hb_arena_array(&file->arena, 1, sizeof(*kept));

    if (!kept)
        return hb_no_memory(file->arena.memory, file->error);
    *kept = *tokenizer;
    texts->words = kept;
    return hb_onnx_give(file, node, 0, texts);
}

hbs_status hb_onnx_text_list(hb_onnx_file *file, const hb_onnx_node *node, const char *name, hbs_text **texts,
                             size_t *n)
{
    enum { STRINGS = 9 };
    const hb_onnx_attribute *list;
    hb_repeated items;

    *texts = NULL;
    *n = 0;
    HB_TRY(hb_onnx_attribute_find(file, node, name, HB_ONNX_KIND_TEXTS, &list));
    if (!list)
        return HBS_OK;
    *texts = hb_arena_array(&file->arena, list->count, sizeof(**texts));
    if (!*texts)
        return hb_no_memory(file->arena.memory, file->error);
    items = hb_repeated_begin(&list->body, STRINGS, HB_WIRE_BYTES);
    for (; *n < list->count; ++*n) {
        (*texts)[*n] = (hbs_text){"", 0};
        hb_repeated_text(&items, &(*texts)[*n]);
        HB_TRY(hb_worked(file->bytes.work, 4, file->error));
    }
    return file->bytes.status;
}

/* ---- StringNormalizer */

/* Any locale whose rule is Unicode's: ONNX Runtime asks the C library. */
static hbs_status check_locale(hb_onnx_file *file, const hb_onnx_node *node)
{
    char shown[HB_EXCERPT_BUFFER];
    hbs_text name;

    HB_TRY(hb_onnx_word(file, node, "locale", "", &name));
    if (name.size == 0 || hb_text_is(name, "C.UTF-8") || (name.size >= 2 && memcmp(name.bytes, "en", 2) == 0))
        return HBS_OK;
    return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads the locales en_US and C.UTF-8, not \"%s\"",
                          HB_SHOW(name, shown));
}

static hbs_status read_casing(hb_onnx_file *file, const hb_onnx_node *node, hb_casing *casing)
{
    char shown[HB_EXCERPT_BUFFER];
    hbs_text word;

    HB_TRY(hb_onnx_word(file, node, "case_change_action", "NONE", &word));
    *casing = hb_text_is(word, "LOWER")   ? HB_CASING_LOWER
              : hb_text_is(word, "UPPER") ? HB_CASING_UPPER
                                          : HB_CASING_KEEP;
    if (*casing == HB_CASING_KEEP && !hb_text_is(word, "NONE"))
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its case_change_action is \"%s\"", HB_SHOW(word, shown));
    return HBS_OK;
}

/* Stop words in lower case, as words are compared with them. */
static hbs_status lower_stops(hb_onnx_file *file, hbs_text *stops, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *to = hb_arena_array(&file->arena, hb_case_room(stops[i].size) + 1, 1);
        size_t size;

        if (!to)
            return hb_no_memory(file->arena.memory, file->error);
        if (!hb_case_change(stops[i], HB_CASING_LOWER, to, &size, file->bytes.work))
            return hb_work_status(file->bytes.work, file->error);
        stops[i] = (hbs_text){to, size};
    }
    return HBS_OK;
}

/* They are compared with words as these come in, or without regard to case, which is the same of words in lower case.
 */
static hbs_status add_stops(hb_onnx_file *file, const hb_onnx_node *node, hb_tokenizer *t)
{
    int64_t sensitive;
    hbs_text *stops;
    size_t n;

    HB_TRY(hb_onnx_text_list(file, node, "stopwords", &stops, &n));
    HB_TRY(hb_onnx_integer(file, node, "is_case_sensitive", 0, &sensitive));
    if (n == 0)
        return HBS_OK;
    if (t->splitting == HB_SPLIT_NOT || t->stops.n > 0 || t->marks)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore reads stop words once, behind the Tokenizer that splits a text");
    if (!sensitive && t->casing != HB_CASING_LOWER)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore reads stop words without regard to case of texts in lower case only");
    if (!sensitive)
        HB_TRY(lower_stops(file, stops, n));
    return hb_words_make(file->pipeline, stops, n, &t->stops, NULL, file->error);
}

hbs_status hb_onnx_string_normalizer(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value texts;
    hb_tokenizer t;
    hb_casing casing;

    HB_TRY(hb_onnx_texts(file, node, &texts, &t));
    HB_TRY(check_locale(file, node));
    HB_TRY(read_casing(file, node, &casing));
    if (casing != HB_CASING_KEEP && casing != (hb_casing)t.casing) {
        if (t.splitting != HB_SPLIT_NOT || t.casing != HB_CASING_KEEP)
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                                  "hbscore reads a change of case once, before the text is split");
        t.casing = (uint32_t)casing;
    }
    HB_TRY(add_stops(file, node, &t));
    return give_words(file, node, &texts, &t);
}

/* ---- Tokenizer */

static hbs_status compile(hb_onnx_file *file, const hb_onnx_node *node, hbs_text pattern, hb_tokenizer *t)
{
    const hb_regex *regex;
    hbs_error why;
    hbs_status status =
        hb_regex_compile(&file->pipeline->arena, pattern, HB_REGEX_RE2_LONGEST, file->bytes.work, &regex, &why);

    if (status == HBS_E_CANCEL || status == HBS_E_NOMEM)
        return hb_fail(file->error, status, "%s", why.text);
    if (status != HBS_OK)
        return hb_onnx_refuse(file, node, status, "its expression: %s", why.text);
    t->expression = (const char *)(const void *)regex;
    t->expression_size = hb_regex_size(regex);
    return HBS_OK;
}

/* One character that is no operator of expressions. */
static bool is_plain(hbs_text text)
{
    return text.size > 0 && hb_utf8_character(text.bytes, text.size) == text.size &&
           !(text.size == 1 && strchr("\\^$.|?*+()[]{}-&~", text.bytes[0]));
}

/* Several separators of one character each are one expression: a class of them. */
static hbs_status join(hb_onnx_file *file, const hb_onnx_node *node, const hbs_text *separators, size_t n,
                       hbs_text *pattern)
{
    enum { MOST = 256, BYTES = 4 };
    char *to = n <= MOST ? hb_arena_array(&file->arena, BYTES * n + 3, 1) : NULL;
    size_t at = 0;

    *pattern = separators[0];
    if (n == 1)
        return HBS_OK;
    for (size_t i = 0; i < n; i++)
        if (n > MOST || !is_plain(separators[i]))
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                                  "hbscore reads several separators if each is one character");
    if (!to)
        return hb_no_memory(file->arena.memory, file->error);
    to[at++] = '[';
    for (size_t i = 0; i < n; i++) {
        memcpy(to + at, separators[i].bytes, separators[i].size);
        at += separators[i].size;
    }
    to[at++] = ']';
    *pattern = (hbs_text){to, at};
    return HBS_OK;
}

static hbs_status read_separators(hb_onnx_file *file, const hb_onnx_node *node, const hbs_text *separators, size_t n,
                                  hb_tokenizer *t)
{
    hbs_text pattern;

    if (n == 1 && separators[0].size == 0) {
        t->splitting = HB_SPLIT_CHARACTERS;
        return HBS_OK;
    }
    HB_TRY(join(file, node, separators, n, &pattern));
    t->splitting = HB_SPLIT_BETWEEN;
    HB_TRY(compile(file, node, pattern, t));
    if (!hb_regex_takes_characters((const hb_regex *)(const void *)t->expression))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "its separator is also found where no character is");
    return HBS_OK;
}

static hbs_status read_splitting(hb_onnx_file *file, const hb_onnx_node *node, hb_tokenizer *t)
{
    const hb_onnx_attribute *expression;
    hbs_text *separators;
    size_t n;

    HB_TRY(hb_onnx_attribute_find(file, node, "tokenexp", HB_ONNX_KIND_TEXT, &expression));
    HB_TRY(hb_onnx_text_list(file, node, "separators", &separators, &n));
    if ((expression != NULL) == (n > 0))
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %s tokenexp and separators",
                              expression ? "both" : "neither");
    if (!expression)
        return read_separators(file, node, separators, n, t);
    if (expression->text.size == 0)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its tokenexp is empty");
    if (hb_text_is(expression->text, ".")) { /* line ends too, other than in an expression */
        t->splitting = HB_SPLIT_CHARACTERS;
        return HBS_OK;
    }
    t->splitting = HB_SPLIT_MATCHES;
    return compile(file, node, expression->text, t);
}

/* pad_value fills up rows that have fewer words than others, so no row alone has it. */
hbs_status hb_onnx_tokenizer(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t marks, least;
    hb_onnx_value texts;
    hb_tokenizer t;

    HB_TRY(hb_onnx_texts(file, node, &texts, &t));
    if (t.splitting != HB_SPLIT_NOT || texts.width != 1 || texts.n_dims > 2)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it of one text of each row");
    HB_TRY(hb_onnx_integer(file, node, "mark", 0, &marks));
    HB_TRY(hb_onnx_integer(file, node, "mincharnum", 1, &least));
    if (least < 1 || least > HB_MAX_TEXT)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its mincharnum is %lld", (long long)least);
    t.marks = marks != 0;
    t.least = (size_t)least;
    HB_TRY(read_splitting(file, node, &t));
    if (t.splitting == HB_SPLIT_CHARACTERS && least > 1)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it splits into characters, and its mincharnum is %lld",
                              (long long)least);
    return give_words(file, node, &texts, &t);
}
