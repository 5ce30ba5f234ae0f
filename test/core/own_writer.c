/* own_writer.c - see own_writer.h. */
#include "own_writer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char pool[16 << 20];
static size_t used;

void own_reset(void)
{
    used = 0;
}

const char *own_text(const char *format, ...)
{
    char *text = pool + used;
    va_list arguments;
    int size;

    va_start(arguments, format);
    size = vsnprintf(text, sizeof pool - used, format, arguments);
    va_end(arguments);
    assert(size >= 0 && (size_t)size < sizeof pool - used);
    used += (size_t)size + 1;
    return text;
}

const char *own_base64(const uint8_t *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = pool + used, *to = text;

    assert(used + (n + 2) / 3 * 4 + 1 < sizeof pool);
    for (size_t i = 0; i < n; i += 3) {
        uint32_t bits = (uint32_t)bytes[i] << 16;

        bits |= i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0;
        bits |= i + 2 < n ? bytes[i + 2] : 0;
        *to++ = digits[bits >> 18];
        *to++ = digits[bits >> 12 & 63];
        *to++ = i + 1 < n ? digits[bits >> 6 & 63] : '=';
        *to++ = i + 2 < n ? digits[bits & 63] : '=';
    }
    *to++ = '\0';
    used += (size_t)(to - text);
    return text;
}

const char *own_array(const char *dtype, size_t item_size, size_t n, const void *items)
{
    return own_text("{\"dtype\":\"%s\",\"shape\":[%zu],\"data\":\"%s\"}", dtype, n, own_base64(items, n * item_size));
}

const char *own_matrix(size_t rows, size_t columns, const double *numbers)
{
    return own_text("{\"dtype\":\"f8\",\"shape\":[%zu,%zu],\"data\":\"%s\"}", rows, columns,
                    own_base64((const uint8_t *)numbers, rows * columns * sizeof *numbers));
}

const char *own_bits(size_t n, const uint8_t *flags)
{
    size_t bytes = (n + 7) / 8;
    uint8_t *packed = (uint8_t *)pool + used;

    assert(used + bytes < sizeof pool);
    memset(packed, 0, bytes);
    for (size_t i = 0; i < n; i++)
        packed[i / 8] |= (uint8_t)(flags[i] << i % 8);
    used += bytes;
    return own_text("{\"dtype\":\"bit\",\"shape\":[%zu],\"data\":\"%s\"}", n, own_base64(packed, bytes));
}

/* ------------------------------------------------------------------ documents */

static const char *features(size_t n)
{
    const char *text = "";

    for (size_t i = 0; i < n; i++)
        text = own_text("%s%s{\"type\":\"f8\"}", text, i ? "," : "");
    return text;
}

const char *own_regressor(size_t n, const char *ops)
{
    return own_text("{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[%s],"
                    "\"ops\":[%s]}",
                    features(n), ops);
}

const char *own_classifier(size_t n, const char *classes, const char *ops)
{
    return own_text("{\"hbscore\":1,\"writer\":{},\"task\":\"classifier\",\"features\":[%s],"
                    "\"classes\":%s,\"ops\":[%s]}",
                    features(n), classes, ops);
}

const char *own_with_transform(const char *document, size_t value)
{
    const char *ops = strstr(document, "\"ops\":");

    return own_text("%.*s\"transform\":%zu,%s", (int)(ops - document), document, value, ops);
}

const char *own_transformer(size_t n, size_t value, const char *ops)
{
    return own_text("{\"hbscore\":1,\"writer\":{},\"task\":\"transformer\",\"features\":[%s],"
                    "\"transform\":%zu,\"ops\":[%s]}",
                    features(n), value, ops);
}

const char *own_sets(const char *node, const char *start, const char *bits)
{
    return own_text(",\"set_node\":%s,\"set_start\":%s,\"set_bits\":%s", node, start, bits);
}

#define OR(given, other) ((given) ? (given) : (other))

const char *own_forest_of(const char *in, own_forest f)
{
    return own_text("{\"op\":\"forest\",\"in\":[%s],\"input\":%s,\"start\":%s,\"left\":%s,"
                    "\"right\":%s,\"feature\":%s,\"threshold\":%s%s,\"missing_left\":%s,\"cover\":%s,"
                    "\"value\":%s,\"group\":%s,\"init\":%s,\"divide\":%s,\"missing\":%s}",
                    in, OR(f.input, "\"f8\""), OR(f.start, I4(0, 3)), OR(f.left, I4(1, -1, -1)),
                    OR(f.right, I4(2, -1, -1)), OR(f.feature, I4(0, -1, -1)), OR(f.threshold, F8(0.5, 0, 0)),
                    OR(f.sets, ""), OR(f.missing_left, U1(0, 0, 0)), OR(f.cover, F8(5, 2, 3)),
                    OR(f.value, ROWS(2, 1, 1, 2)), OR(f.group, I4(-1)), OR(f.init, F8(0)), OR(f.divide, F8(1)),
                    OR(f.missing, "0"));
}

const char *own_packed_of(const char *in, own_packed f)
{
    return own_text("{\"op\":\"forest\",\"in\":[%s],\"input\":%s,\"node\":%s,\"threshold\":%s%s,\"missing_left\":%s,"
                    "\"cover\":%s%s%s,\"value\":%s,\"group\":%s,\"init\":%s,\"divide\":%s,\"missing\":%s}",
                    in, OR(f.input, "\"f8\""), OR(f.node, U1(1, 0, 0)), OR(f.threshold, F8(0.5)), OR(f.sets, ""),
                    OR(f.missing_left, BITS(0)), OR(f.cover, U1(2, 3)),
                    f.leaf && !f.leaf[0] ? "" : ",\"leaf\":", OR(f.leaf, U1(0, 1)), OR(f.value, ROWS(2, 1, 1, 2)),
                    OR(f.group, I4(-1)), OR(f.init, F8(0)), OR(f.divide, F8(1)), OR(f.missing, "0"));
}

const char *own_check(const char *in, bool missing)
{
    return own_text("{\"op\":\"check\",\"in\":[%s],\"missing\":%d}", in, missing);
}

/* more: members before the file. */
static const char *embedded(const char *op, const char *in, const char *more, own_model model)
{
    return own_text("{\"op\":\"%s\",\"in\":[%s],\"format\":\"%s\",\"rounds\":%s,\"missing\":%s,"
                    "\"zero_is_missing\":%s,%s\"file\":\"%s\"}",
                    op, in, OR(model.format, "xgboost-json"), OR(model.rounds, "0"), OR(model.missing, "\"nan\""),
                    OR(model.zero_is_missing, "0"), more, own_base64((const uint8_t *)model.file, strlen(model.file)));
}

const char *own_model_of(const char *in, own_model model)
{
    return embedded("model", in, "", model);
}

const char *own_booster_of(const char *in, const char *classes, const char *raw, own_model model)
{
    return embedded("booster", in, own_text("\"classes\":%s,\"raw\":%s,", classes, raw), model);
}

const char *own_link(const char *kind, const char *in)
{
    return own_text("{\"op\":\"link\",\"in\":[%s],\"kind\":\"%s\"}", in, kind);
}

const char *own_head(const char *rule, const char *in)
{
    return own_text("{\"op\":\"head\",\"in\":[%s],\"rule\":\"%s\"}", in, rule);
}

const char *own_affine(const char *in, size_t width)
{
    return own_text("{\"op\":\"affine\",\"in\":[%s],\"kind\":\"sub\",\"dtype\":\"f8\",\"a\":%s}", in,
                    width == 2 ? F8(0, 0) : F8(0));
}

const char *own_impute(const char *in, bool number)
{
    return own_text("{\"op\":\"impute\",\"in\":[%s],\"missing\":%s,\"fill\":%s}", in, number ? F8(-1) : "\"nan\"",
                    F8(0, 0));
}

const char *own_linear(const char *in)
{
    return own_text("{\"op\":\"linear\",\"in\":[%s],\"coef\":%s,\"intercept\":%s}", in, ROWS(1, 2, 1, 1), F8(0));
}

const char *own_repeated(const char *piece, const char *between, size_t n)
{
    const char *text = own_text("%s", n ? piece : "");

    for (size_t i = 1; i < n; i++) {
        used--; /* goes on where the text ends */
        own_text("%s%s", between, piece);
    }
    return text;
}
