/* foreign.c - recognises files that users take for models, by their first bytes.
 *
 * It reads the first LOOKED_AT bytes and the last one. A row of the table has a mark with which all files of a kind
 * begin, or a function if the bytes before the mark vary. Pickles are never unpacked: they are programs. */
#include "format/foreign.h"

#include <string.h>

#include "format/xgboost.h"

enum { LOOKED_AT = 4096 };

typedef struct bytes_view {
    const uint8_t *bytes;
    size_t size;  /* at most LOOKED_AT */
    size_t whole; /* of the file */
    uint8_t last; /* byte of the file */
} bytes_view;

#define SAVE                                                                                \
    "save the model itself, for XGBoost with save_model(\"model.ubj\"), for LightGBM with " \
    "booster_.save_model(\"model.txt\"), for CatBoost with save_model(\"model.json\", "     \
    "format=\"json\")"
#define REGISTER "register the fitted object with Python's hbscore.register(connection, name, estimator), or " SAVE
#define TO_ONNX  "export a neural network to ONNX (PyTorch: torch.onnx.export, Keras: model.export)"
#define DUMP     "which is not the whole model: save it with save_model(\"model.ubj\")"
#define OLD_BINARY                                                                     \
    "XGBoost's old binary format: load it with XGBoost 3.0 or older and save it with " \
    "save_model(\"model.ubj\")"
#define COMPRESSED(how) "compressed by " how ": store the decompressed file; of a joblib file, " REGISTER

static bool begins(const bytes_view *v, const char *mark, size_t size)
{
    return v->size >= size && memcmp(v->bytes, mark, size) == 0;
}

static bool holds_text(const bytes_view *v, const char *text)
{
    size_t n = strlen(text);

    for (size_t i = 0; i + n <= v->size; i++)
        if (memcmp(v->bytes + i, text, n) == 0)
            return true;
    return false;
}

/* 8 bytes, little-endian. */
static uint64_t length_at(const bytes_view *v, size_t at)
{
    uint64_t length = 0;

    for (size_t i = 8; i-- > 0;)
        length = length << 8 | v->bytes[at + i];
    return length;
}

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_name(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* ---- pickles */

/* The offset behind a name and a line's end at `at`; 0 if there are none. */
static size_t name_line(const bytes_view *v, size_t at)
{
    size_t end = at;

    while (end < v->size && is_name(v->bytes[end]))
        end++;
    return end > at && end < v->size && v->bytes[end] == '\n' ? end + 1 : 0;
}

/* Protocols 0 and 1 have no mark. Such a pickle begins with an object's class (`c`, module, name) or with an empty
 * container that goes into the memo, and ends with `.`. */
static bool is_old_pickle(const bytes_view *v)
{
    static const char *const containers[] = {"(dp", "(lp", "}q", "]q", "(c", "(V", "(X", "(i", "(U"};
    size_t second;

    if (v->last != '.' || v->size < 4)
        return false;
    for (size_t i = 0; i < sizeof(containers) / sizeof(containers[0]); i++)
        if (begins(v, containers[i], strlen(containers[i])))
            return true;
    second = v->bytes[0] == 'c' ? name_line(v, 1) : 0;
    return second && name_line(v, second);
}

/* ---- dumps in JSON */

/* These tokens, with any white space. */
static bool has_tokens(const bytes_view *v, const char *const *tokens, size_t n_tokens)
{
    size_t at = 0;

    for (size_t k = 0; k < n_tokens; k++) {
        size_t n = strlen(tokens[k]);

        while (at < v->size && is_space(v->bytes[at]))
            at++;
        if (v->size - at < n || memcmp(v->bytes + at, tokens[k], n) != 0)
            return false;
        at += n;
    }
    return true;
}

static bool is_xgboost_dump(const bytes_view *v)
{
    static const char *const tokens[] = {"[", "{", "\"nodeid\""};

    return has_tokens(v, tokens, 3) || has_tokens(v, tokens + 1, 2); /* all trees, or one */
}

static bool is_lightgbm_dump(const bytes_view *v)
{
    static const char *const tokens[] = {"{", "\"name\"", ":", "\"tree\""};

    return has_tokens(v, tokens, 4);
}

/* ---- others */

/* XGBoost 1.0 to 1.5 put no mark before the parameters: 136 bytes, then the objective with its length. */
static bool is_old_xgboost(const bytes_view *v)
{
    enum { PARAMETERS = 136, NAME = PARAMETERS + 8 };
    uint64_t length;

    if (v->size < NAME)
        return false;
    length = length_at(v, PARAMETERS);
    return length <= v->size - NAME &&
           hb_xgboost_objective_find((hbs_text){(const char *)v->bytes + NAME, (size_t)length});
}

/* The length of a JSON object in 8 bytes, then the object. */
static bool is_safetensors(const bytes_view *v)
{
    uint64_t length;

    if (v->size < 10)
        return false;
    length = length_at(v, 0);
    return length >= 2 && length <= v->whole - 8 && v->bytes[8] == '{' &&
           (v->bytes[9] == '"' || v->bytes[9] == '}' || is_space(v->bytes[9]));
}

static bool is_keras(const bytes_view *v)
{
    return begins(v, "PK\3\4", 4) && (holds_text(v, "model.weights.h5") || holds_text(v, "metadata.json"));
}

static bool is_pmml(const bytes_view *v)
{
    return begins(v, "<", 1) && holds_text(v, "<PMML");
}

/* Counts a byte in the line at `at`. *next becomes the next line's beginning, or 0 if this line does not end. */
static size_t count_in_line(const bytes_view *v, size_t at, uint8_t byte, size_t *next)
{
    size_t n = 0, i = at;

    for (; i < v->size && v->bytes[i] != '\n'; i++) {
        if (v->bytes[i] < ' ' && v->bytes[i] != '\t' && v->bytes[i] != '\r')
            return 0;
        n += v->bytes[i] == byte;
    }
    *next = i < v->size ? i + 1 : 0;
    return n;
}

/* Two lines of text with equally many separators. A JSON object is never a table. */
static bool is_table(const bytes_view *v)
{
    if (begins(v, "{", 1))
        return false;
    for (const char *byte = ",;\t|"; *byte; byte++) {
        size_t second = 0, end = 0, n = count_in_line(v, 0, (uint8_t)*byte, &second);

        if (n && second && second < v->size && count_in_line(v, second, (uint8_t)*byte, &end) == n)
            return true;
    }
    return false;
}

/* ---- the table */

typedef struct kind {
    const char *mark; /* NULL: told by `is` */
    size_t size;
    bool (*is)(const bytes_view *v);
    const char *what;
} kind;

#define MARK(mark)   mark, sizeof(mark) - 1, NULL
#define IS(function) NULL, 0, function

static const kind kinds[] = {
    {MARK("\x80"), "a Python pickle, which is not safe to load: " REGISTER},
    {IS(is_old_pickle), "a Python pickle, which is not safe to load: " REGISTER},
    {MARK("\x78\x01"), COMPRESSED("zlib")},
    {MARK("\x78\x5e"), COMPRESSED("zlib")},
    {MARK("\x78\x9c"), COMPRESSED("zlib")},
    {MARK("\x78\xda"), COMPRESSED("zlib")},
    {MARK("\x1f\x8b"), COMPRESSED("gzip")},
    {MARK("BZh"), COMPRESSED("bzip2")},
    {MARK("\xfd"
          "7zXZ\0"),
     COMPRESSED("xz")},
    {MARK("]\0\0"), COMPRESSED("lzma")},
    {MARK("\x04\x22\x4d\x18"), COMPRESSED("lz4")},
    {MARK("\x28\xb5\x2f\xfd"), COMPRESSED("zstd")},
    {IS(is_keras), "a Keras model: " TO_ONNX},
    {MARK("PK"), "a zip archive (skops, PyTorch or NumPy): " TO_ONNX "; " REGISTER},
    {MARK("\x89HDF\r\n\x1a\n"), "an HDF5 file (Keras?): " TO_ONNX},
    {IS(is_safetensors), "a safetensors file, which holds tensors and no model: " TO_ONNX},
    {MARK("CBM1"), "CatBoost's binary format: save the model with save_model(\"model.json\", format=\"json\")"},
    {MARK("binf"), OLD_BINARY},
    {IS(is_old_xgboost), OLD_BINARY},
    {MARK("bs64"), "XGBoost's old base64 format: load it with XGBoost 1.x and save it with "
                   "save_model(\"model.json\")"},
    {MARK("______LightGBM_Binary_File_Token______"),
     "LightGBM's binary data set, which is no model: save the model with "
     "booster_.save_model(\"model.txt\")"},
    {IS(is_pmml), "PMML, which hbscore does not read: " REGISTER},
    {MARK("<"), "XML or HTML, which hbscore does not read: " SAVE},
    {IS(is_xgboost_dump), "XGBoost's JSON dump, " DUMP},
    {MARK("booster["), "XGBoost's text dump, " DUMP},
    {MARK("digraph {"), "a drawing of a tree, " DUMP},
    {IS(is_lightgbm_dump), "LightGBM's JSON dump, which is not the whole model: save it with "
                           "booster_.save_model(\"model.txt\")"},
    {MARK("\xef\xbb\xbf"), "a text that begins with a byte-order mark (EF BB BF), which no library "
                           "writes: store the file without it, as bytes"},
    {IS(is_table), "a table of data (CSV?) and no model: " SAVE},
    {MARK("\xff\xfe"), "UTF-16 text: store the bytes of the file as the library wrote it"},
    {MARK("\xfe\xff"), "UTF-16 text: store the bytes of the file as the library wrote it"},
};

const char *hb_foreign_file(const uint8_t *bytes, size_t size)
{
    bytes_view v = {bytes, size < LOOKED_AT ? size : LOOKED_AT, size, size ? bytes[size - 1] : 0};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].mark ? begins(&v, kinds[i].mark, kinds[i].size) : kinds[i].is(&v))
            return kinds[i].what;
    return NULL;
}
