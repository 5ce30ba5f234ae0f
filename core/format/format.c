/* format.c - the table of formats, and the words for files of other kinds. */
#include "format/format.h"

#include <string.h>

#include "format/catboost.h"
#include "format/document.h"
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
    return size - i >= 2 && bytes[i] == '{' &&
           (bytes[i + 1] == '"' || bytes[i + 1] == '}' || is_space(bytes[i + 1]));
}

/* UBJSON: `{`, then the marker of a key's length, or of a typed or counted object. */
static bool is_ubjson(const uint8_t *bytes, size_t size)
{
    return size >= 2 && bytes[0] == '{' && bytes[1] != 0 && strchr("LiUIl$#", bytes[1]) != NULL;
}

static hbs_status read_xgboost_json(const void *bytes, size_t size, const hb_options *options,
                                    hb_pipeline *pipeline, hbs_error *error)
{
    return hb_xgboost_read(bytes, size, HB_JSON, options, pipeline, error);
}

static hbs_status read_xgboost_ubjson(const void *bytes, size_t size, const hb_options *options,
                                      hb_pipeline *pipeline, hbs_error *error)
{
    return hb_xgboost_read(bytes, size, HB_UBJSON, options, pipeline, error);
}

/* LightGBM's dump_model: `{"name":"tree"`, with any white space. */
static bool is_lightgbm_dump(const uint8_t *bytes, size_t size)
{
    static const char *const tokens[] = {"{", "\"name\"", ":", "\"tree\""};
    size_t at = 0;

    for (size_t k = 0; k < sizeof(tokens) / sizeof(tokens[0]); k++) {
        size_t n = strlen(tokens[k]);

        while (at < size && is_space(bytes[at]))
            at++;
        if (size - at < n || memcmp(bytes + at, tokens[k], n) != 0)
            return false;
        at += n;
    }
    return true;
}

static bool is_catboost(const uint8_t *bytes, size_t size)
{
    return is_json(bytes, size) && hb_is_catboost(bytes, size);
}

/* LightGBM: the word `tree` on a line of its own. */
static bool is_lightgbm(const uint8_t *bytes, size_t size)
{
    return (size >= 5 && memcmp(bytes, "tree\n", 5) == 0) ||
           (size >= 6 && memcmp(bytes, "tree\r\n", 6) == 0);
}

typedef struct format {
    const char *name;
    bool (*recognize)(const uint8_t *bytes, size_t size);
    hbs_status (*read)(const void *bytes, size_t size, const hb_options *options,
                       hb_pipeline *pipeline, hbs_error *error);
} format;

static const format formats[] = {
    {"hbscore", hb_is_own, hb_own_read},
    {"catboost", is_catboost, hb_catboost_read}, /* before XGBoost's JSON, whose mark is any */
    {"xgboost-json", is_json, read_xgboost_json},
    {"xgboost-ubjson", is_ubjson, read_xgboost_ubjson},
    {"lightgbm", is_lightgbm, hb_lightgbm_read},
};

enum { N_FORMATS = sizeof(formats) / sizeof(formats[0]) };

#define SAVE                                                                                       \
    "save the model itself, for XGBoost with save_model(\"model.ubj\"), for LightGBM with "        \
    "booster_.save_model(\"model.txt\"), for CatBoost with save_model(\"model.json\", "             \
    "format=\"json\")"
#define ZLIB "compressed by zlib (joblib?): " SAVE

/* Files that people have, and how to save the model so that it can be read. */
static const struct {
    const char *mark;
    size_t size;
    const char *what;
} others[] = {
    {"\x80", 1, "a Python pickle, which is not safe to load: " SAVE},
    {"PK", 2, "a zip archive (skops, PyTorch or NumPy): " SAVE},
    {"CBM1", 4, "CatBoost's binary format: save the model with "
                "save_model(\"model.json\", format=\"json\")"},
    {"binf", 4, "XGBoost's old binary format: load it with XGBoost 3.0 or older and save it with "
                "save_model(\"model.ubj\")"},
    {"bs64", 4, "XGBoost's old base64 format: load it with XGBoost 1.x and save it with "
                "save_model(\"model.json\")"},
    {"<", 1, "XML (PMML?), which hbscore does not read: " SAVE},
    {"\x08", 1, "an ONNX file, which this version does not read"},
    {"[{\"nodeid\"", 10, "XGBoost's JSON dump, which is not the whole model: save it with "
                       "save_model(\"model.ubj\")"},
    {"booster[", 8, "XGBoost's text dump, which is not the whole model: save it with "
                    "save_model(\"model.ubj\")"},
    {"\x78\x9c", 2, ZLIB},
    {"\x78\xda", 2, ZLIB},
    {"\x78\x01", 2, ZLIB},
    {"\x1f\x8b", 2, "compressed by gzip: store the decompressed file"},
};

static hbs_status refuse(const uint8_t *bytes, size_t size, hbs_error *error)
{
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (size >= others[i].size && memcmp(bytes, others[i].mark, others[i].size) == 0)
            return hb_fail_at(error, HBS_E_FORMAT, 0, "this is %s", others[i].what);
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

    return hb_text_is(name, row->name) ||
           (name.size == family && memcmp(name.bytes, row->name, family) == 0);
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

hbs_status hb_format_read(const void *bytes, size_t size, const hb_options *options,
                          hb_pipeline *pipeline, hbs_error *error)
{
    const format *marked = recognize(bytes, size);
    char shown[HB_EXCERPT_BUFFER];
    bool known = hb_text_is(options->format, "auto");

    for (size_t i = 0; i < N_FORMATS; i++)
        known |= is_named(&formats[i], options->format);
    if (!known)
        return unknown(options, error);
    if (!marked)
        return refuse(bytes, size, error);
    if (is_lightgbm_dump(bytes, size))
        return hb_fail_at(error, HBS_E_FORMAT, 0,
                          "this is LightGBM's JSON dump, which is not the whole model: save it "
                          "with booster_.save_model(\"model.txt\")");
    if (!hb_text_is(options->format, "auto") && !is_named(marked, options->format))
        return hb_fail_at(error, HBS_E_FORMAT, 0,
                          "the bytes begin as %s, option format says \"%s\"", marked->name,
                          HB_SHOW(options->format, shown));
    pipeline->format = marked->name;
    return marked->read(bytes, size, options, pipeline, error);
}
