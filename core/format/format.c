/* format.c - the table of formats. */
#include "format/format.h"

#include <string.h>

#include "format/catboost.h"
#include "format/document.h"
#include "format/foreign.h"
#include "format/lightgbm.h"
#include "format/onnx.h"
#include "format/own.h"
#include "format/xgboost.h"

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* How a file begins. */
typedef struct start {
    const uint8_t *bytes;
    size_t size;
    size_t brace, key; /* behind white space, and behind a first byte and white space again */
} start;

static bool skip_space(start *s, size_t *at, hb_work *work)
{
    while (*at < s->size && is_space(s->bytes[*at]))
        if (!hb_goes_on(work, 2))
            return false;
        else
            ++*at;
    return true;
}

static hbs_status find_start(start *s, hb_work *work, hbs_error *error)
{
    if (!skip_space(s, &s->brace, work))
        return hb_work_status(work, error);
    s->key = s->brace < s->size ? s->brace + 1 : s->size;
    return skip_space(s, &s->key, work) ? HBS_OK : hb_work_status(work, error);
}

static bool is_own(const start *s)
{
    return hb_is_own(s->bytes, s->size);
}

/* JSON: `{`, then `"` or white space (or an object without members). */
static bool is_json(const start *s)
{
    const uint8_t *at = s->bytes + s->brace;

    return s->size - s->brace >= 2 && at[0] == '{' && (at[1] == '"' || at[1] == '}' || is_space(at[1]));
}

/* UBJSON: `{`, then the marker of a key's length, or of a typed or counted object. */
static bool is_ubjson(const start *s)
{
    return s->size >= 2 && s->bytes[0] == '{' && s->bytes[1] != 0 && strchr("LiUIl$#", s->bytes[1]) != NULL;
}

static bool is_catboost(const start *s)
{
    return is_json(s) && hb_is_catboost(s->bytes + s->key, s->size - s->key);
}

/* LightGBM: the word `tree` on a line of its own. */
static bool is_lightgbm(const start *s)
{
    return (s->size >= 5 && memcmp(s->bytes, "tree\n", 5) == 0) ||
           (s->size >= 6 && memcmp(s->bytes, "tree\r\n", 6) == 0);
}

static bool is_onnx(const start *s)
{
    return hb_is_onnx(s->bytes, s->size);
}

typedef struct format {
    const char *name;
    bool (*recognize)(const start *s);
    hbs_status (*read)(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                       hbs_error *error);
    bool is_graph; /* it takes the options missing_text and outputs */
} format;

static const format formats[] = {
    {"hbscore", is_own, hb_own_read, false},
    {"catboost", is_catboost, hb_catboost_read, false}, /* before XGBoost's JSON, whose mark is any */
    {"xgboost-json", is_json, hb_xgboost_read_json, false},
    {"xgboost-ubjson", is_ubjson, hb_xgboost_read_ubjson, false},
    {"lightgbm", is_lightgbm, hb_lightgbm_read, false},
    {"onnx", is_onnx, hb_onnx_read, true},
};

enum { N_FORMATS = sizeof(formats) / sizeof(formats[0]) };

static hbs_status refuse_bytes(size_t size, hbs_error *error)
{
    if (size == 0)
        return hb_fail_at(error, HBS_E_FORMAT, 0, "the model is empty");
    return hb_fail_at(error, HBS_E_FORMAT, 0,
                      "not a model file that hbscore reads: it reads XGBoost's JSON and UBJSON, "
                      "LightGBM's text, CatBoost's JSON and ONNX (XGBoost's old binary .model file is "
                      "loaded with XGBoost 3.0 or older and saved with save_model(\"model.ubj\"))");
}

/* Whether the option names this row: by its full name, or by what stands before the '-'. */
static bool is_named(const format *row, hbs_text name)
{
    size_t family = strcspn(row->name, "-");

    return hb_text_is(name, row->name) || (name.size == family && memcmp(name.bytes, row->name, family) == 0);
}

static hbs_status unknown_format(const hb_options *options, hbs_error *error)
{
    char shown[HB_EXCERPT_BUFFER];

    return hb_fail(error, HBS_E_ARGS,
                   "unknown format \"%s\"; there are auto, xgboost, xgboost-json, xgboost-ubjson, "
                   "lightgbm, catboost, onnx, hbscore",
                   HB_SHOW(options->format, shown));
}

/* Whether the bytes have the mark of some format. */
static const format *recognize_format(const start *s)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i].recognize(s))
            return &formats[i];
    return NULL;
}

hbs_status hb_format_read(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                          hbs_error *error)
{
    start begins = {.bytes = bytes, .size = size};
    const format *marked;
    const char *foreign = hb_foreign_file(bytes, size);
    char shown[HB_EXCERPT_BUFFER];
    bool known = hb_text_is(options->format, "auto");

    HB_TRY(find_start(&begins, &pipeline->arena.memory->work, error));
    marked = recognize_format(&begins);
    for (size_t i = 0; i < N_FORMATS; i++)
        known |= is_named(&formats[i], options->format);
    if (!known)
        return unknown_format(options, error);
    if (foreign)
        return hb_fail_at(error, HBS_E_FORMAT, 0, "this is %s", foreign);
    if (!marked)
        return refuse_bytes(size, error);
    if (!hb_text_is(options->format, "auto") && !is_named(marked, options->format))
        return hb_fail_at(error, HBS_E_FORMAT, 0, "the bytes begin as %s, option format says \"%s\"", marked->name,
                          HB_SHOW(options->format, shown));
    if (options->outputs_given && !marked->is_graph)
        return hb_fail(error, HBS_E_ARGS, "option outputs: it is for ONNX files");
    if (options->missing_text.bytes && !marked->is_graph)
        return hb_fail(error, HBS_E_ARGS, "option missing_text: it is for ONNX files with inputs of text");
    pipeline->format = marked->name;
    return marked->read(bytes, size, options, pipeline, error);
}
