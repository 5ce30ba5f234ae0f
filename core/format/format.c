/* format.c - the table of formats. */
#include "format/format.h"

#include <string.h>

#include "format/catboost.h"
#include "format/document.h"
#include "format/foreign.h"
#include "format/lightgbm.h"
#include "format/own.h"
#include "format/xgboost.h"

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* JSON: `{`, then `"` or white space (or an object without members). */
static bool is_json(const uint8_t *bytes, size_t size)
{
    size_t i = 0;

    while (i < size && is_space(bytes[i]))
        i++;
    return size - i >= 2 && bytes[i] == '{' && (bytes[i + 1] == '"' || bytes[i + 1] == '}' || is_space(bytes[i + 1]));
}

/* UBJSON: `{`, then the marker of a key's length, or of a typed or counted object. */
static bool is_ubjson(const uint8_t *bytes, size_t size)
{
    return size >= 2 && bytes[0] == '{' && bytes[1] != 0 && strchr("LiUIl$#", bytes[1]) != NULL;
}

static hbs_status read_xgboost_json(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                                    hbs_error *error)
{
    return hb_xgboost_read(bytes, size, HB_JSON, options, pipeline, error);
}

static hbs_status read_xgboost_ubjson(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                                      hbs_error *error)
{
    return hb_xgboost_read(bytes, size, HB_UBJSON, options, pipeline, error);
}

static bool is_catboost(const uint8_t *bytes, size_t size)
{
    return is_json(bytes, size) && hb_is_catboost(bytes, size);
}

/* LightGBM: the word `tree` on a line of its own. */
static bool is_lightgbm(const uint8_t *bytes, size_t size)
{
    return (size >= 5 && memcmp(bytes, "tree\n", 5) == 0) || (size >= 6 && memcmp(bytes, "tree\r\n", 6) == 0);
}

typedef struct format {
    const char *name;
    bool (*recognize)(const uint8_t *bytes, size_t size);
    hbs_status (*read)(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                       hbs_error *error);
} format;

static const format formats[] = {
    {"hbscore", hb_is_own, hb_own_read},
    {"catboost", is_catboost, hb_catboost_read}, /* before XGBoost's JSON, whose mark is any */
    {"xgboost-json", is_json, read_xgboost_json},
    {"xgboost-ubjson", is_ubjson, read_xgboost_ubjson},
    {"lightgbm", is_lightgbm, hb_lightgbm_read},
};

enum { N_FORMATS = sizeof(formats) / sizeof(formats[0]) };

static hbs_status refuse(size_t size, hbs_error *error)
{
    if (size == 0)
        return hb_fail_at(error, HBS_E_FORMAT, 0, "the model is empty");
    return hb_fail_at(error, HBS_E_FORMAT, 0,
                      "not a model file that hbscore reads: it reads XGBoost's JSON and UBJSON, "
                      "LightGBM's text and CatBoost's JSON (XGBoost's old binary .model file is "
                      "loaded with XGBoost 3.0 or older and saved with save_model(\"model.ubj\"))");
}

/* Whether the option names this row: by its full name, or by what stands before the '-'. */
static bool is_named(const format *row, hbs_text name)
{
    size_t family = strcspn(row->name, "-");

    return hb_text_is(name, row->name) || (name.size == family && memcmp(name.bytes, row->name, family) == 0);
}

static hbs_status unknown(const hb_options *options, hbs_error *error)
{
    char shown[HB_EXCERPT_BUFFER];

    return hb_fail(error, HBS_E_ARGS,
                   "unknown format \"%s\"; there are auto, xgboost, xgboost-json, xgboost-ubjson, "
                   "lightgbm, catboost, hbscore",
                   HB_SHOW(options->format, shown));
}

/* Whether the bytes have the mark of some format. */
static const format *recognize(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i].recognize(bytes, size))
            return &formats[i];
    return NULL;
}

hbs_status hb_format_read(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                          hbs_error *error)
{
    const format *marked = recognize(bytes, size);
    const char *foreign = hb_foreign_file(bytes, size);
    char shown[HB_EXCERPT_BUFFER];
    bool known = hb_text_is(options->format, "auto");

    for (size_t i = 0; i < N_FORMATS; i++)
        known |= is_named(&formats[i], options->format);
    if (!known)
        return unknown(options, error);
    if (foreign)
        return hb_fail_at(error, HBS_E_FORMAT, 0, "this is %s", foreign);
    if (!marked)
        return refuse(size, error);
    if (!hb_text_is(options->format, "auto") && !is_named(marked, options->format))
        return hb_fail_at(error, HBS_E_FORMAT, 0, "the bytes begin as %s, option format says \"%s\"", marked->name,
                          HB_SHOW(options->format, shown));
    pipeline->format = marked->name;
    return marked->read(bytes, size, options, pipeline, error);
}
