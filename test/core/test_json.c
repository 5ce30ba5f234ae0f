/* test_json.c - what the JSON reader takes and what it refuses, by tables. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "document_walk.h"

typedef struct fixture {
    test_host host;
    hb_memory memory;
    hbs_error error;
    char *bytes;
    hb_document *d;
} fixture;

static hb_document *open_bytes(fixture *f, const char *bytes, size_t size)
{
    test_host_init(&f->host);
    hb_memory_init(&f->memory, &f->host.host, 0);
    memset(&f->error, 0, sizeof f->error);
    f->bytes = test_exact_copy(bytes, size);
    assert_status(hb_document_open(&f->memory, f->bytes, size, HB_JSON, &f->error, &f->d), HBS_OK, &f->error);
    return f->d;
}

static hb_document *open_json(fixture *f, const char *text)
{
    return open_bytes(f, text, strlen(text));
}

static void close_json(fixture *f)
{
    hb_document_close(f->d);
    free(f->bytes);
    test_host_end(&f->host);
}

/* ------------------------------------------------------------------ strictness */

static const struct {
    const char *text;
    hbs_status status;
    size_t offset;     /* of the error */
    const char *words; /* part of its text; NULL: any */
} strictness[] = {
    {"{}", HBS_OK, 0, NULL},
    {"[]", HBS_OK, 0, NULL},
    {" \t\r\n[ \t\r\n] \t\r\n", HBS_OK, 0, NULL},
    {"{ \"a\" : 1 , \"b\" : [ 1 , 2.5 ] }", HBS_OK, 0, NULL},
    {"\"\"", HBS_OK, 0, NULL},
    {"0", HBS_OK, 0, NULL},
    {"-1.5E-3", HBS_OK, 0, NULL},
    {"true", HBS_OK, 0, NULL},
    {"false", HBS_OK, 0, NULL},
    {"null", HBS_OK, 0, NULL},
    {"[true,false,null,\"x\",{},[],1,-0,1e5]", HBS_OK, 0, NULL},
    {"[[1,2],[3,[4]],{\"a\":[5]}]", HBS_OK, 0, NULL},
    {"[1,\"x\",2]", HBS_OK, 0, NULL},
    {"[123456789012345678901234567890]", HBS_OK, 0, NULL},
    {"[1E-400]", HBS_OK, 0, NULL},
    {"{\"\":1}", HBS_OK, 0, NULL},
    {"[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\"]", HBS_OK, 0, NULL},
    {"\"\x7F\"", HBS_OK, 0, NULL},
    {"\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"", HBS_OK, 0, NULL},

    {"", HBS_E_FORMAT, 0, "ends"},
    {" ", HBS_E_FORMAT, 1, "ends"},
    {"{", HBS_E_FORMAT, 1, "ends"},
    {"[", HBS_E_FORMAT, 1, "ends"},
    {"[1", HBS_E_FORMAT, 2, "ends"},
    {"[1,", HBS_E_FORMAT, 3, "ends"},
    {"{\"a\"", HBS_E_FORMAT, 4, "ends"},
    {"{\"a\":", HBS_E_FORMAT, 5, "ends"},
    {"{\"a\":1", HBS_E_FORMAT, 6, "ends"},
    {"{\"a\":1,", HBS_E_FORMAT, 7, "ends"},
    {"\"abc", HBS_E_FORMAT, 4, "ends"},
    {"\"abc\\", HBS_E_FORMAT, 4, NULL},
    {"{}x", HBS_E_FORMAT, 2, "follows"},
    {"{} {}", HBS_E_FORMAT, 3, "follows"},
    {"[]]", HBS_E_FORMAT, 2, "follows"},
    {"1 2", HBS_E_FORMAT, 2, "follows"},
    {"01", HBS_E_FORMAT, 0, "number"},
    {"\xEF\xBB\xBF{}", HBS_E_FORMAT, 0, "\\xef"},
    {"]", HBS_E_FORMAT, 0, NULL},
    {"}", HBS_E_FORMAT, 0, NULL},
    {",", HBS_E_FORMAT, 0, NULL},
    {"\0", HBS_E_FORMAT, 0, NULL},

    {"[1,]", HBS_E_FORMAT, 3, "found \"]\""},
    {"[,1]", HBS_E_FORMAT, 1, NULL},
    {"[1,,2]", HBS_E_FORMAT, 3, NULL},
    {"[1 2]", HBS_E_FORMAT, 3, "',' or ']'"},
    {"[1}", HBS_E_FORMAT, 2, "',' or ']'"},
    {"[\"a\" \"b\"]", HBS_E_FORMAT, 5, "',' or ']'"},
    {"{\"a\":1,}", HBS_E_FORMAT, 7, "expected a key"},
    {"{,}", HBS_E_FORMAT, 1, "expected a key"},
    {"{\"a\" 1}", HBS_E_FORMAT, 5, "':'"},
    {"{\"a\",1}", HBS_E_FORMAT, 4, "':'"},
    {"{\"a\":}", HBS_E_FORMAT, 5, NULL},
    {"{\"a\":1]", HBS_E_FORMAT, 6, "',' or '}'"},
    {"{\"a\":1 \"b\":2}", HBS_E_FORMAT, 7, "',' or '}'"},
    {"{a:1}", HBS_E_FORMAT, 1,
     "expected a key, found the word a without quotes: JSON has true, false, "
     "null, and texts in double quotes (byte 1)"},
    {"{'a':1}", HBS_E_FORMAT, 1, "expected a key, found \"'\": in JSON a text stands in double quotes"},
    {"{\"a\":male}", HBS_E_FORMAT, 5, "found the word male without quotes"},
    {"[1,no]", HBS_E_FORMAT, 3, "[1]: expected null, found the word no without quotes"},
    {"[True]", HBS_E_FORMAT, 1, "expected a value, found the word True without quotes"},
    {"[tru]", HBS_E_FORMAT, 1, "expected true or false, found the word tru without quotes"},
    {"[None]", HBS_E_FORMAT, 1, "expected a number, found the word None without quotes"},
    {"[1 x-1.b]", HBS_E_FORMAT, 3, "found the word x-1.b without quotes"},
    {"{1:1}", HBS_E_FORMAT, 1, "expected a key, found an integer"},
    {"{'a':1}", HBS_E_FORMAT, 1, NULL},
    {"{\"a\":1,\"a\":2}", HBS_E_FORMAT, 7, "a: duplicate key"},
    {"{\"a\":1,\"\\u0061\":2}", HBS_E_FORMAT, 7, "duplicate key"},
    {"{\"\":1,\"\":2}", HBS_E_FORMAT, 6, "duplicate key"},
    {"{\"a\":{\"a\":1},\"b\":{\"a\":1}}", HBS_OK, 0, NULL},
    {"{\"a\":{\"b\":1},\"b\":1,\"a\":1}", HBS_E_FORMAT, 19, "a: duplicate key"},

    {"[+1]", HBS_E_FORMAT, 1, NULL},
    {"[.5]", HBS_E_FORMAT, 1, NULL},
    {"[1.]", HBS_E_FORMAT, 1, "[0]: is not a number"},
    {"[1e]", HBS_E_FORMAT, 1, NULL},
    {"[1e+]", HBS_E_FORMAT, 1, NULL},
    {"[01]", HBS_E_FORMAT, 1, NULL},
    {"[-01]", HBS_E_FORMAT, 1, NULL},
    {"[-]", HBS_E_FORMAT, 1, NULL},
    {"[--1]", HBS_E_FORMAT, 1, NULL},
    {"[1-2]", HBS_E_FORMAT, 2, NULL},
    {"[0x10]", HBS_E_FORMAT, 2, NULL},
    {"[1,2,3,1.,5]", HBS_E_FORMAT, 7, "[3]: is not a number"},
    {"[1e999]", HBS_E_FORMAT, 1, "[0]: does not fit a 64-bit float"},
    {"[-1e999]", HBS_E_FORMAT, 1, "does not fit"},
    {"[1,2,1e309]", HBS_E_FORMAT, 5, "[2]: does not fit"},
    {"[NaN]", HBS_E_FORMAT, 1, "finite"},
    {"[Infinity]", HBS_E_FORMAT, 1, "finite"},
    {"[-Infinity]", HBS_E_FORMAT, 1, "finite"},
    {"[nan]", HBS_E_FORMAT, 1, NULL},
    {"[inf]", HBS_E_FORMAT, 1, NULL},
    {"[-NaN]", HBS_E_FORMAT, 1, NULL},

    {"[tru]", HBS_E_FORMAT, 1, "true or false"},
    {"[True]", HBS_E_FORMAT, 1, NULL},
    {"[truex]", HBS_E_FORMAT, 5, NULL},
    {"[fals]", HBS_E_FORMAT, 1, NULL},
    {"[nul]", HBS_E_FORMAT, 1, "null"},
    {"[nulll]", HBS_E_FORMAT, 5, NULL},
    {"[t", HBS_E_FORMAT, 1, NULL},

    {"\"a\nb\"", HBS_E_FORMAT, 2, "control character"},
    {"\"a\tb\"", HBS_E_FORMAT, 2, "control character"},
    {"\"\x1F\"", HBS_E_FORMAT, 1, "control character"},
    {"\"\\x41\"", HBS_E_FORMAT, 1, "bad escape"},
    {"\"\\a\"", HBS_E_FORMAT, 1, "bad escape"},
    {"\"\\'\"", HBS_E_FORMAT, 1, "bad escape"},
    {"\"\\u12\"", HBS_E_FORMAT, 1, "bad escape"},
    {"\"\\u12G4\"", HBS_E_FORMAT, 1, "bad escape"},
    {"\"\\U0041\"", HBS_E_FORMAT, 1, "bad escape"},
    {"\"\\u 041\"", HBS_E_FORMAT, 1, "bad escape"},
    {"\"\\user\"", HBS_E_FORMAT, 1, "bad escape"},
    {"\"ab\\uD800\"", HBS_E_FORMAT, 3, "bad escape"},
    {"\"\\uDC00\"", HBS_E_FORMAT, 1, "bad escape"},
    {"\"\\uD800\\u0041\"", HBS_E_FORMAT, 1, "bad escape"},
    {"\"\\uD800\\uD800\"", HBS_E_FORMAT, 1, "bad escape"},
    {"\"\\uD800x\"", HBS_E_FORMAT, 1, "bad escape"},
    {"\"\\uD83D\\uDE00\"", HBS_OK, 0, NULL},
    {"\"\\ud83d\\ude00\"", HBS_OK, 0, NULL},
    {"\"\\u0000\"", HBS_OK, 0, NULL},
    {"\"\xFF\"", HBS_E_FORMAT, 1, "bad UTF-8"},
    {"\"ab\xC3\"", HBS_E_FORMAT, 3, "bad UTF-8"},
    {"\"\xC0\x80\"", HBS_E_FORMAT, 1, "bad UTF-8"},
    {"\"\xED\xA0\x80\"", HBS_E_FORMAT, 1, "bad UTF-8"},
    {"\"\xF4\x90\x80\x80\"", HBS_E_FORMAT, 1, "bad UTF-8"},
    {"\"\xE2\x82", HBS_E_FORMAT, 1, "bad UTF-8"},
    {"{\"\xFF\":1}", HBS_E_FORMAT, 2, "bad UTF-8"},

    {"// comment\n1", HBS_E_FORMAT, 0, NULL},
    {"[1/**/]", HBS_E_FORMAT, 2, NULL},
    {"[\v1]", HBS_E_FORMAT, 1, NULL},
    {"[\f1]", HBS_E_FORMAT, 1, NULL},
    {"[\xC2\xA0"
     "1]",
     HBS_E_FORMAT, 1, NULL},
};

static void check_row(size_t row, bool by_walking)
{
    fixture f;
    hb_document *d = open_json(&f, strictness[row].text);
    walk_text none = {NULL, 0, 0};

    if (by_walking)
        walk_value(d, &none);
    else
        hb_skip(d, true);
    hbs_status status = hb_document_end(d);

    if (status != strictness[row].status ||
        (status != HBS_OK && (f.error.status != status || f.error.offset != strictness[row].offset)) ||
        (strictness[row].words && !strstr(f.error.text, strictness[row].words)))
        fail_msg("row %zu \"%s\": %s, %s at %zu", row, strictness[row].text, hbs_status_name(status), f.error.text,
                 f.error.offset);
    close_json(&f);
}

static void json_is_strict_where_it_is_skipped(void **state)
{
    for (size_t row = 0; row < sizeof strictness / sizeof *strictness; row++)
        check_row(row, false);
}

static void json_is_as_strict_where_it_is_read(void **state)
{
    for (size_t row = 0; row < sizeof strictness / sizeof *strictness; row++)
        check_row(row, true);
}

static void a_nul_byte_is_no_end(void **state)
{
    fixture f;
    hb_document *d = open_bytes(&f, "{}\0", 3);

    hb_skip(d, true);
    assert_int_equal(hb_document_end(d), HBS_E_FORMAT);
    assert_int_equal(f.error.offset, 2);
    close_json(&f);
    d = open_bytes(&f, "\"a\0b\"", 5);
    hb_skip(d, true);
    assert_int_equal(hb_document_end(d), HBS_E_FORMAT);
    assert_int_equal(f.error.offset, 2);
    close_json(&f);
}

/* ------------------------------------------------------------------ strings */

static void check_string(const char *json, const char *expected, size_t size)
{
    fixture f;
    hb_document *d = open_json(&f, json);
    hbs_text text = hb_read_string(d);

    assert_status(hb_document_end(d), HBS_OK, &f.error);
    assert_int_equal(text.size, size);
    assert_memory_equal(text.bytes, expected, size);
    close_json(&f);
}

static void strings_are_decoded_to_utf8(void **state)
{
    static const struct {
        const char *json, *text;
    } table[] = {
        {"\"\"", ""},
        {"\"abc\"", "abc"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"a\\u00e9b\"", "a\xC3\xA9"
                          "b"},
        {"\"\\u20AC\"", "\xE2\x82\xAC"},
        {"\"\\ud83d\\ude00\"", "\xF0\x9F\x98\x80"},
        {"\"\\uDBFF\\uDFFF\"", "\xF4\x8F\xBF\xBF"},
        {"\"\\uD800\\uDC00\"", "\xF0\x90\x80\x80"},
        {"\"\\uFFFF\\uD7FF\\uE000\"", "\xEF\xBF\xBF\xED\x9F\xBF\xEE\x80\x80"},
        {"\"\\u007f\\u0080\\u07ff\\u0800\"", "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80"},
        {"\"x\xC3\xA9\\n\xE2\x82\xACy\"", "x\xC3\xA9\n\xE2\x82\xACy"},
        {"\"\\\\u0041\"", "\\u0041"},
        {"\"\\\\\\\\\"", "\\\\"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        check_string(table[i].json, table[i].text, strlen(table[i].text));
    check_string("\"a\\u0000b\"", "a\0b", 3);
}

/* XGBoost writes UTF-8 as it is and escapes control characters only. */
static void feature_names_as_xgboost_writes_them_come_out_as_they_were(void **state)
{
    fixture f;
    hb_document *d = open_json(&f, "[\"gr\xC3\xB6\xC3\x9F"
                                   "e\",\"\xE5\xB9\xB4\xE9\xBD\xA2\",\"a\\\"b\","
                                   "\"tab\\there\",\"unit\\u001fsep\"]");
    static const char *const names[] = {("gr\xC3\xB6\xC3\x9F"
                                         "e"),
                                        "\xE5\xB9\xB4\xE9\xBD\xA2", "a\"b", "tab\there", "unit\x1Fsep"};
    size_t i = 0;

    assert_true(hb_array_begin(d));
    while (hb_array_next(d))
        assert_true(hb_text_is(hb_read_string(d), names[i++]));
    assert_status(hb_document_end(d), HBS_OK, &f.error);
    assert_int_equal(i, 5);
    close_json(&f);
}

static void a_string_without_escapes_is_not_copied(void **state)
{
    fixture f;
    hb_document *d = open_json(&f, "\"abc\"");

    assert_ptr_equal(hb_read_string(d).bytes, f.bytes + 1);
    close_json(&f);
}

static void keys_with_escapes_are_decoded(void **state)
{
    fixture f;
    hb_document *d = open_json(&f, "{\"\\u0061\\n\":1}");
    hbs_text key;

    assert_true(hb_object_begin(d));
    assert_true(hb_object_next(d, &key));
    assert_true(hb_text_is(key, "a\n"));
    assert_int_equal(hb_read_integer(d, 0, 5), 1);
    assert_false(hb_object_next(d, &key));
    assert_status(hb_document_end(d), HBS_OK, &f.error);
    close_json(&f);
}

/* ------------------------------------------------------------------ scalars */

static void kinds_are_told_before_reading(void **state)
{
    static const struct {
        const char *text;
        hb_kind kind;
    } table[] = {
        {"{}", HB_KIND_OBJECT},  {"[]", HB_KIND_ARRAY},   {"\"\"", HB_KIND_STRING},   {"1", HB_KIND_INTEGER},
        {"-1", HB_KIND_INTEGER}, {"1.0", HB_KIND_REAL},   {"1e5", HB_KIND_REAL},      {"1E5", HB_KIND_REAL},
        {"-0.5", HB_KIND_REAL},  {"NaN", HB_KIND_REAL},   {"Infinity", HB_KIND_REAL}, {"-Infinity", HB_KIND_REAL},
        {"true", HB_KIND_BOOL},  {"false", HB_KIND_BOOL}, {"null", HB_KIND_NULL},     {"", HB_KIND_NONE},
        {"x", HB_KIND_NONE},     {"]", HB_KIND_NONE},     {"  7", HB_KIND_INTEGER},   {"123456789.5", HB_KIND_REAL},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        fixture f;
        hb_document *d = open_json(&f, table[i].text);

        assert_int_equal(hb_peek(d), table[i].kind);
        assert_int_equal(hb_peek(d), table[i].kind);
        assert_true(hb_document_ok(d));
        close_json(&f);
    }
}

static void integers_keep_to_their_bounds(void **state)
{
    static const struct {
        const char *text;
        int64_t low, high;
        const char *words; /* NULL: is read */
    } table[] = {
        {"0", 0, 0, NULL},
        {"-5", -5, 5, NULL},
        {"9223372036854775807", INT64_MIN, INT64_MAX, NULL},
        {"-9223372036854775808", INT64_MIN, INT64_MAX, NULL},
        {"6", -5, 5, "expected an integer of -5 to 5, found 6 (byte 0)"},
        {"-6", -5, 5, "expected an integer of -5 to 5, found -6"},
        {"9223372036854775808", INT64_MIN, INT64_MAX, "does not fit a 64-bit integer"},
        {"1.0", 0, 5, "expected an integer, found a real number (byte 0)"},
        {"1e0", 0, 5, "expected an integer, found a real number"},
        {"NaN", 0, 5, "expected an integer, found a real number"},
        {"\"1\"", 0, 5, "expected an integer, found a string"},
        {"true", 0, 5, "expected an integer, found a boolean"},
        {"null", 0, 5, "expected an integer, found null"},
        {"[1]", 0, 5, "expected an integer, found an array"},
        {"{}", 0, 5, "expected an integer, found an object"},
        {"", 0, 5, "expected an integer, but the document ends"},
        {"?", 0, 5, "expected an integer, found \"?\""},
        {"01", 0, 5, "is not a number"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        fixture f;
        hb_document *d = open_json(&f, table[i].text);
        int64_t number = hb_read_integer(d, table[i].low, table[i].high);

        if (!table[i].words) {
            assert_status(hb_document_end(d), HBS_OK, &f.error);
            assert_true(number == strtoll(table[i].text, NULL, 10));
        } else {
            assert_int_equal(number, 0);
            assert_int_equal(hb_document_status(d), HBS_E_FORMAT);
            if (!strstr(f.error.text, table[i].words))
                fail_msg("%s: %s", table[i].text, f.error.text);
        }
        close_json(&f);
    }
}

static void reals_are_rounded_once_to_their_type(void **state)
{
    static const char *const tokens[] = {"0.1",  "1",        "-3",    "1.00000017881393432617187501",
                                         "5E-1", "16777217", "1e-45", "3.4028235e38"};

    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        fixture f;
        hb_document *d = open_json(&f, tokens[i]);

        assert_true(hb_read_float(d) == strtof(tokens[i], NULL));
        assert_status(hb_document_end(d), HBS_OK, &f.error);
        close_json(&f);
        d = open_json(&f, tokens[i]);
        assert_true(hb_read_double(d) == strtod(tokens[i], NULL));
        assert_status(hb_document_end(d), HBS_OK, &f.error);
        close_json(&f);
    }
}

static void reals_must_be_finite_and_fit(void **state)
{
    static const struct {
        const char *text, *words;
        bool fits_double;
    } table[] = {
        {"1e39", "does not fit a 32-bit float", true},
        {"1e999", "does not fit", false},
        {"NaN", "finite", false},
        {"-Infinity", "finite", false},
        {"true", "expected a number, found a boolean", false},
        {"\"1\"", "expected a number, found a string", false},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        fixture f;
        hb_document *d = open_json(&f, table[i].text);

        assert_true(hb_read_float(d) == 0);
        assert_int_equal(hb_document_status(d), HBS_E_FORMAT);
        assert_non_null(strstr(f.error.text, table[i].words));
        close_json(&f);
        d = open_json(&f, table[i].text);
        (void)hb_read_double(d);
        assert_int_equal(hb_document_ok(d), table[i].fits_double);
        close_json(&f);
    }
}

static void a_number_of_over_1024_bytes_is_over_the_limit(void **state)
{
    char text[1200] = "[";

    for (size_t size = 1023; size <= 1026; size++) {
        hbs_status expected = size <= 1024 ? HBS_OK : HBS_E_LIMIT;

        memset(text + 1, '1', size);
        text[2] = '.';
        strcpy(text + 1 + size, "]");
        for (int way = 0; way < 3; way++) {
            fixture f;
            hb_document *d = open_json(&f, text);
            hb_vector floats;
            walk_text none = {NULL, 0, 0};

            hb_vector_init(&floats, &f.memory, 4);
            if (way == 0)
                hb_skip(d, true);
            else if (way == 1)
                walk_value(d, &none);
            else
                (void)hb_read_floats(d, &floats, true);
            assert_status(hb_document_end(d), expected, &f.error);
            hb_vector_release(&floats);
            close_json(&f);
        }
    }
}

static void booleans_are_words(void **state)
{
    fixture f;
    hb_document *d = open_json(&f, "[true,false,1]");

    assert_true(hb_array_begin(d));
    assert_true(hb_array_next(d) && hb_read_bool(d));
    assert_true(hb_array_next(d) && !hb_read_bool(d) && hb_document_ok(d));
    assert_true(hb_array_next(d) && !hb_read_bool(d));
    assert_string_equal(f.error.text, "[2]: expected a boolean, found an integer (byte 12)");
    close_json(&f);
}

/* ------------------------------------------------------------------ arrays of numbers */

typedef enum item { FLOATS, LOOSE_FLOATS, DOUBLES, LOOSE_DOUBLES, INT32S, INT64S, UINT8S } item;

static const size_t item_sizes[] = {4, 4, 8, 8, 4, 8, 1};

static bool read_items(hb_document *d, item item, hb_vector *out)
{
    switch (item) {
    case FLOATS:
    case LOOSE_FLOATS:
        return hb_read_floats(d, out, item == FLOATS);
    case DOUBLES:
    case LOOSE_DOUBLES:
        return hb_read_doubles(d, out, item == DOUBLES);
    case INT32S:
        return hb_read_int32s(d, out);
    case INT64S:
        return hb_read_int64s(d, out);
    default:
        return hb_read_uint8s(d, out);
    }
}

static double item_at(const hb_vector *items, item item, size_t i)
{
    switch (item) {
    case FLOATS:
    case LOOSE_FLOATS:
        return (double)((const float *)items->items)[i];
    case DOUBLES:
    case LOOSE_DOUBLES:
        return ((const double *)items->items)[i];
    case INT32S:
        return ((const int32_t *)items->items)[i];
    case INT64S:
        return (double)((const int64_t *)items->items)[i];
    default:
        return ((const uint8_t *)items->items)[i];
    }
}

static void arrays_of_numbers_are_read_whole(void **state)
{
    static const struct {
        item item;
        const char *text;
        size_t count;
        double numbers[6];
    } table[] = {
        {FLOATS, "[]", 0, {0}},
        {FLOATS, "[ ]", 0, {0}},
        {FLOATS, "[1]", 1, {1}},
        {FLOATS, "[1,-2.5,5E-1,1.2345678E-1]", 4, {1, -2.5, 0.5, (double)1.2345678E-1f}},
        {FLOATS, " [ 1 , 2\n,\t3 ] ", 3, {1, 2, 3}},
        {FLOATS, "[1E-45,0E0,-0E0]", 3, {(double)1e-45f, 0, -0.0}},
        {FLOATS, "[16777217,1.00000017881393432617187501]", 2, {16777216, (double)1.00000017881393432617187501f}},
        {LOOSE_FLOATS, "[1,Infinity,-Infinity,2]", 4, {1, INFINITY, -INFINITY, 2}},
        {DOUBLES, "[0.1,1e300]", 2, {0.1, 1e300}},
        {LOOSE_DOUBLES, "[-Infinity]", 1, {-INFINITY}},
        {INT32S, "[-1,0,2147483647,-2147483648]", 4, {-1, 0, 2147483647, -2147483648.0}},
        {INT32S, "[12345678,123456789,-0]", 3, {12345678, 123456789, 0}},
        {INT64S, "[9007199254740992,-9223372036854775808]", 2, {9007199254740992, -9223372036854775808.0}},
        {UINT8S, "[0,1,255,true,false]", 5, {0, 1, 255, 1, 0}},
        {UINT8S, "[true , false]", 2, {1, 0}},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int padded = 0; padded <= 1; padded++) {
            /* White space behind the array lets the shortcut loops see their 32 bytes. */
            char text[200];
            fixture f;
            hb_vector out;

            strcpy(text, table[i].text);
            if (padded)
                strcat(text, "                                                ");
            hb_document *d = open_json(&f, text);
            hb_vector_init(&out, &f.memory, item_sizes[table[i].item]);
            assert_true(read_items(d, table[i].item, &out));
            assert_status(hb_document_end(d), HBS_OK, &f.error);
            assert_int_equal(out.count, table[i].count);
            for (size_t k = 0; k < out.count; k++) {
                double number = item_at(&out, table[i].item, k);

                assert_memory_equal(&number, &table[i].numbers[k], sizeof number);
            }
            hb_vector_release(&out);
            close_json(&f);
        }
}

static void nan_passes_only_where_it_is_allowed(void **state)
{
    fixture f;
    hb_document *d = open_json(&f, "{\"a\":[1,NaN,2],\"b\":NaN,\"c\":[NaN]}");
    hb_vector out;
    hbs_text key;

    hb_vector_init(&out, &f.memory, 4);
    assert_true(hb_object_begin(d));
    assert_true(hb_object_next(d, &key) && hb_read_floats(d, &out, false));
    assert_true(out.count == 3 && isnan(((float *)out.items)[1]));
    assert_true(hb_object_next(d, &key));
    hb_skip(d, false);
    assert_true(hb_object_next(d, &key));
    hb_skip(d, true);
    assert_string_equal(f.error.text, "c[0]: expected a finite number (byte 28)");
    hb_vector_release(&out);
    close_json(&f);
}

static void a_bad_element_is_named_with_its_index(void **state)
{
    static const struct {
        item item;
        const char *text, *error;
        hbs_status status;
    } table[] = {
        {FLOATS, "7", "expected an array, found an integer (byte 0)", HBS_E_FORMAT},
        {FLOATS, "{}", "expected an array, found an object (byte 0)", HBS_E_FORMAT},
        {FLOATS, "[1,\"x\"]", "[1]: expected a number, found a string (byte 3)", HBS_E_FORMAT},
        {FLOATS, "[1,true]", "[1]: expected a number, found a boolean (byte 3)", HBS_E_FORMAT},
        {FLOATS, "[1,[2]]", "[1]: expected a number, found an array (byte 3)", HBS_E_FORMAT},
        {FLOATS, "[1,null]", "[1]: expected a number, found null (byte 3)", HBS_E_FORMAT},
        {FLOATS, "[1,NaN]", "[1]: expected a finite number (byte 3)", HBS_E_FORMAT},
        {FLOATS, "[1,1e39]", "[1]: does not fit a 32-bit float (byte 3)", HBS_E_FORMAT},
        {LOOSE_FLOATS, "[1,1e39]", "[1]: does not fit a 32-bit float (byte 3)", HBS_E_FORMAT},
        {LOOSE_FLOATS, "[1e999]", "[0]: does not fit a 32-bit float (byte 1)", HBS_E_FORMAT},
        {LOOSE_FLOATS, "[nan]",
         "[0]: expected a number, found the word nan without quotes: JSON has true, "
         "false, null, and texts in double quotes (byte 1)",
         HBS_E_FORMAT},
        {LOOSE_FLOATS, "[NaNa]",
         "[0]: expected ',' or ']', found the word a without quotes: JSON has true, "
         "false, null, and texts in double quotes (byte 4)",
         HBS_E_FORMAT},
        {DOUBLES, "[1e309]", "[0]: does not fit a 64-bit float (byte 1)", HBS_E_FORMAT},
        {FLOATS, "[1,]", "[1]: expected a number, found \"]\" (byte 3)", HBS_E_FORMAT},
        {FLOATS, "[1,2", "[1]: expected ',' or ']', but the document ends (byte 4)", HBS_E_FORMAT},
        {FLOATS, "[1,", "[1]: expected a number, but the document ends (byte 3)", HBS_E_FORMAT},
        {FLOATS, "[", "[0]: expected a number, but the document ends (byte 1)", HBS_E_FORMAT},
        {FLOATS, "[1 2]", "[0]: expected ',' or ']', found an integer (byte 3)", HBS_E_FORMAT},
        {FLOATS, "[1,2.]", "[1]: is not a number (byte 3)", HBS_E_FORMAT},
        {INT32S, "[1,2.0]", "[1]: expected an integer, found a real number (byte 3)", HBS_E_FORMAT},
        {INT32S, "[1,2E0]", "[1]: expected an integer, found a real number (byte 3)", HBS_E_FORMAT},
        {INT32S, "[1,true]", "[1]: expected an integer, found a boolean (byte 3)", HBS_E_FORMAT},
        {INT32S, "[2147483648]", "[0]: does not fit a 32-bit integer (byte 1)", HBS_E_FORMAT},
        {INT32S, "[-2147483649]", "[0]: does not fit a 32-bit integer (byte 1)", HBS_E_FORMAT},
        {INT32S, "[99999999999999999999]", "[0]: does not fit a 32-bit integer (byte 1)", HBS_E_FORMAT},
        {INT32S, "[01]", "[0]: is not a number (byte 1)", HBS_E_FORMAT},
        {INT64S, "[9223372036854775808]", "[0]: does not fit a 64-bit integer (byte 1)", HBS_E_FORMAT},
        {UINT8S, "[256]", "[0]: does not fit 0 to 255 (byte 1)", HBS_E_FORMAT},
        {UINT8S, "[-1]", "[0]: does not fit 0 to 255 (byte 1)", HBS_E_FORMAT},
        {UINT8S, "[1,tru]",
         "[1]: expected an integer, found the word tru without quotes: JSON has true, false, null, and texts in double quotes (byte 3)",
         HBS_E_FORMAT},
        {UINT8S, "[1,x]",
         "[1]: expected an integer, found the word x without quotes: JSON has true, false, null, and texts in double quotes (byte 3)",
         HBS_E_FORMAT},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int padded = 0; padded <= 1; padded++) {
            char text[200];
            fixture f;
            hb_vector out;

            strcpy(text, table[i].text);
            if (padded && !strstr(table[i].error, "ends"))
                strcat(text, "                                                ");
            hb_document *d = open_json(&f, text);
            hb_vector_init(&out, &f.memory, item_sizes[table[i].item]);
            assert_false(read_items(d, table[i].item, &out));
            assert_status(hb_document_status(d), table[i].status, &f.error);
            assert_string_equal(f.error.text, table[i].error);
            hb_vector_release(&out);
            close_json(&f);
        }
}

/* Long arrays of numbers of all lengths, against the C library: over many polls and growths. */
static void long_arrays_are_read_like_their_numbers_one_by_one(void **state)
{
    enum { COUNT = 50000 };
    char *text = malloc(COUNT * 32), *to = text;
    uint64_t seed = 21;
    fixture f;
    hb_vector out;

    *to++ = '[';
    for (int i = 0; i < COUNT; i++) {
        int64_t number = (int64_t)test_random(&seed) >> (40 + test_random(&seed) % 24);

        to += sprintf(to, test_random(&seed) % 8 ? "%s%.*E" : "%s %.*f", i ? "," : "", (int)(test_random(&seed) % 9),
                      (double)number / 1000);
    }
    strcpy(to, "]");
    for (int way = 0; way < 2; way++) {
        hb_document *d = open_json(&f, text);
        const char *p = text + 1;

        hb_vector_init(&out, &f.memory, way ? 8 : 4);
        assert_true(way ? hb_read_doubles(d, &out, true) : hb_read_floats(d, &out, true));
        assert_status(hb_document_end(d), HBS_OK, &f.error);
        assert_int_equal(out.count, COUNT);
        for (int i = 0; i < COUNT; i++) {
            char *next;

            if (way)
                assert_true(((double *)out.items)[i] == strtod(p, &next));
            else
                assert_true(((float *)out.items)[i] == strtof(p, &next));
            p = next + 1;
        }
        hb_vector_release(&out);
        close_json(&f);
    }
    free(text);
}

static void arrays_are_appended_to_what_is_there(void **state)
{
    fixture f;
    hb_document *d = open_json(&f, "[[1,2],[],[3]]");
    hb_vector out;

    hb_vector_init(&out, &f.memory, 4);
    assert_true(hb_array_begin(d));
    while (hb_array_next(d))
        assert_true(hb_read_int32s(d, &out));
    assert_status(hb_document_end(d), HBS_OK, &f.error);
    assert_int_equal(out.count, 3);
    assert_int_equal(((int32_t *)out.items)[2], 3);
    hb_vector_release(&out);
    close_json(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_strict_where_it_is_skipped),
        cmocka_unit_test(json_is_as_strict_where_it_is_read),
        cmocka_unit_test(a_nul_byte_is_no_end),
        cmocka_unit_test(strings_are_decoded_to_utf8),
        cmocka_unit_test(feature_names_as_xgboost_writes_them_come_out_as_they_were),
        cmocka_unit_test(a_string_without_escapes_is_not_copied),
        cmocka_unit_test(keys_with_escapes_are_decoded),
        cmocka_unit_test(kinds_are_told_before_reading),
        cmocka_unit_test(integers_keep_to_their_bounds),
        cmocka_unit_test(reals_are_rounded_once_to_their_type),
        cmocka_unit_test(reals_must_be_finite_and_fit),
        cmocka_unit_test(a_number_of_over_1024_bytes_is_over_the_limit),
        cmocka_unit_test(booleans_are_words),
        cmocka_unit_test(arrays_of_numbers_are_read_whole),
        cmocka_unit_test(nan_passes_only_where_it_is_allowed),
        cmocka_unit_test(a_bad_element_is_named_with_its_index),
        cmocka_unit_test(long_arrays_are_read_like_their_numbers_one_by_one),
        cmocka_unit_test(arrays_are_appended_to_what_is_there),
    };

    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
