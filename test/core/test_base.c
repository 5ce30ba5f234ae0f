/* test_base.c - status, reader, text. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/reader.h"
#include "base/text.h"
#include "base/text_number.h"

static hbs_text text_of(const char *literal)
{
    return (hbs_text){literal, strlen(literal)};
}

/* ------------------------------------------------------------------ status */

static void status_names_are_words(void **state)
{
    assert_string_equal(hbs_status_name(HBS_OK), "ok");
    assert_string_equal(hbs_status_name(HBS_E_FORMAT), "format");
    assert_string_equal(hbs_status_name(HBS_E_INTERNAL), "internal");
    assert_string_equal(hbs_status_name((hbs_status)99), "unknown");
    assert_string_equal(hbs_status_name((hbs_status)-1), "unknown");
}

static void an_error_holds_status_offset_and_text(void **state)
{
    hbs_error error;

    assert_int_equal(hb_fail(&error, HBS_E_ARGS, "expected %d, not %d", 3, 4), HBS_E_ARGS);
    assert_int_equal(error.status, HBS_E_ARGS);
    assert_true(error.offset == HBS_NO_OFFSET);
    assert_string_equal(error.text, "expected 3, not 4");

    assert_int_equal(hb_fail_at(&error, HBS_E_FORMAT, 1234, "bad %s", "thing"), HBS_E_FORMAT);
    assert_int_equal(error.offset, 1234);
    assert_string_equal(error.text, "bad thing (byte 1234)");
}

static void without_a_buffer_the_status_is_all(void **state)
{
    assert_int_equal(hb_fail(NULL, HBS_E_LIMIT, "x"), HBS_E_LIMIT);
    assert_int_equal(hb_fail_at(NULL, HBS_E_FORMAT, 1, "x"), HBS_E_FORMAT);
    hb_error_prefix(NULL, "x");
}

static void a_long_error_is_cut_but_keeps_its_place(void **state)
{
    char words[2000];
    hbs_error error;

    memset(words, 'w', sizeof words - 1);
    words[sizeof words - 1] = '\0';
    (void)hb_fail_at(&error, HBS_E_FORMAT, 77, "%s", words);
    assert_int_equal(strlen(error.text), HBS_ERROR_TEXT - 1);
    assert_string_equal(error.text + strlen(error.text) - 11, "w (byte 77)");

    hb_error_prefix(&error, "model \"%s\": ", "churn");
    assert_int_equal(strlen(error.text), HBS_ERROR_TEXT - 1);
    assert_memory_equal(error.text, "model \"churn\": www", 18);
    assert_string_equal(error.text + strlen(error.text) - 11, "w (byte 77)");
}

static void an_error_is_cut_between_characters(void **state)
{
    /* One more ASCII byte each time, so that each way to cut characters of 2 to 4 bytes comes. */
    static const char *const characters[] = {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    hbs_error error;

    for (size_t c = 0; c < 3; c++)
        for (size_t shift = 0; shift < 8; shift++) {
            char words[1400] = "";

            memset(words, 'a', shift);
            for (int i = 0; i < 300; i++)
                strcat(words, characters[c]);
            (void)hb_fail(&error, HBS_E_ARGS, "%s", words);
            assert_true(hb_utf8_valid(error.text, strlen(error.text)));
            assert_true(strlen(error.text) >= HBS_ERROR_TEXT - 4);
            hb_error_prefix(&error, "b");
            assert_true(hb_utf8_valid(error.text, strlen(error.text)));
        }
}

static void a_prefix_stands_before_the_text(void **state)
{
    hbs_error error;

    (void)hb_fail(&error, HBS_E_ARGS, "no");
    hb_error_prefix(&error, "model \"%s\": ", "m");
    assert_string_equal(error.text, "model \"m\": no");
    assert_int_equal(error.status, HBS_E_ARGS);
}

/* ------------------------------------------------------------------ reader */

static void reader_keeps_its_first_failure_and_gives_no_more(void **state)
{
    hb_reader r;

    hb_reader_init(&r, "abc", 3);
    assert_int_equal(*hb_reader_take(&r, 1), 'a');
    assert_null(hb_reader_take(&r, 4));
    assert_int_equal(r.status, HBS_E_FORMAT);
    assert_int_equal(r.fail_at, 1);
    assert_string_equal(r.what, "ends too early");
    hb_reader_fail(&r, HBS_E_LIMIT, "other");
    assert_int_equal(r.status, HBS_E_FORMAT);
    assert_int_equal(hb_reader_left(&r), 0);
    assert_null(hb_reader_take(&r, 1));
    assert_int_equal(hb_reader_offset(&r), 1);
}

static void reader_takes_no_more_than_there_is(void **state)
{
    hb_reader r;

    for (size_t n = 0; n <= 4; n++) {
        hb_reader_init(&r, "abc", 3);
        assert_int_equal(hb_reader_take(&r, n) != NULL, n <= 3);
    }
    hb_reader_init(&r, "abc", 3);
    assert_null(hb_reader_take(&r, SIZE_MAX));
    hb_reader_init(&r, NULL, 0);
    assert_non_null(hb_reader_take(&r, 0));
    assert_null(hb_reader_take(&r, 1));
    assert_int_equal(r.fail_at, 0);
}

/* ------------------------------------------------------------------ text */

static void utf8_is_strict(void **state)
{
    static const struct {
        const char *bytes;
        bool valid;
    } table[] = {
        {"", true},
        {"plain", true},
        {"exactly8", true},
        {"eight and more", true},
        {"\x7F", true},
        {"\x80", false},
        {"\xBF", false},
        {"\xC0\x80", false},
        {"\xC1\xBF", false},
        {"\xC2\x80", true},
        {"\xC2", false},
        {"\xC2\x7F", false},
        {"\xC2\xC0", false},
        {"\xDF\xBF", true},
        {"\xE0\x80\x80", false},
        {"\xE0\x9F\xBF", false},
        {"\xE0\xA0\x80", true},
        {"\xE0\xA0", false},
        {"\xE1\x80\x80", true},
        {"\xE2\x82\xAC", true},
        {"\xE2\x28\xA1", false},
        {"\xE2\x82\x28", false},
        {"\xED\x9F\xBF", true},
        {"\xED\xA0\x80", false},
        {"\xED\xBF\xBF", false},
        {"\xEE\x80\x80", true},
        {"\xEF\xBF\xBF", true},
        {"\xF0\x80\x80\x80", false},
        {"\xF0\x8F\xBF\xBF", false},
        {"\xF0\x90\x80\x80", true},
        {"\xF0\x9F\x98", false},
        {"\xF4\x8F\xBF\xBF", true},
        {"\xF4\x90\x80\x80", false},
        {"\xF5\x80\x80\x80", false},
        {"\xFF", false},
        {"\xFE\x80\x80\x80\x80\x80", false},
        {"12345678\xC3", false},
        {"1234567\xC3\xA9", true},
        {"1234567\xC3", false},
        {"12345678\xF0\x9F\x98\x80", true},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t size = strlen(table[i].bytes);
        char *copy = test_exact_copy(table[i].bytes, size);

        if (hb_utf8_valid(copy, size) != table[i].valid)
            fail_msg("row %zu", i);
        free(copy);
    }
    assert_true(hb_utf8_valid("a\0b", 3));
}

static void utf8_agrees_with_the_definition_on_every_code(void **state)
{
    for (uint32_t code = 0; code < 0x120000; code++) {
        unsigned char b[4] = {(unsigned char)(0xF0 | code >> 18), 0x80 | (code >> 12 & 0x3F), 0x80 | (code >> 6 & 0x3F),
                              0x80 | (code & 0x3F)};
        size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

        if (size == 1)
            b[3] = (unsigned char)code;
        else if (size == 2)
            b[2] = (unsigned char)(0xC0 | code >> 6);
        else if (size == 3)
            b[1] = (unsigned char)(0xE0 | code >> 12);
        bool valid = (code < 0xD800 || code > 0xDFFF) && code < 0x110000;
        const char *from = (const char *)b + 4 - size;

        assert_int_equal(hb_utf8_character(from, size), valid ? size : 0);
        assert_int_equal(hb_utf8_character(from, size - 1 ? size - 1 : 1), size == 1);
    }
}

static void escaping_shows_what_a_message_may_hold(void **state)
{
    static const struct {
        const char *text, *shown;
    } table[] = {
        {"", ""},
        {"plain", "plain"},
        {"a\"b", "a\\x22b"},
        {"a\nb\t", "a\\x0ab\\x09"},
        {"\x7F", "\\x7f"},
        {"\xC3\xA9t\xC3\xA9", "\xC3\xA9t\xC3\xA9"},
        {"\xC2\x85", "\\xc2\\x85"},
        {"\xC2\xA0", "\xC2\xA0"},
        {"\xFF\xC3", "\\xff\\xc3"},
        {"back\\slash", "back\\slash"},
    };
    char buffer[HB_EXCERPT_BUFFER];

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_string_equal(HB_SHOW(text_of(table[i].text), buffer), table[i].shown);
}

static void escaping_cuts_between_characters(void **state)
{
    char buffer[64];

    assert_string_equal(hb_escape(text_of("abcdef"), 3, buffer, sizeof buffer), "abc..");
    assert_string_equal(hb_escape(text_of("abc"), 3, buffer, sizeof buffer), "abc");
    assert_string_equal(hb_escape(text_of("ab\xC3\xA9"), 3, buffer, sizeof buffer), "ab..");
    assert_string_equal(hb_escape(text_of("ab\xC3\xA9"), 4, buffer, sizeof buffer), "ab\xC3\xA9");
    assert_string_equal(hb_escape(text_of("abc"), 0, buffer, sizeof buffer), "..");
    /* A text that is cut may still show a bad byte of its own. */
    assert_string_equal(hb_escape((hbs_text){"ab\xC3\xA9", 3}, 3, buffer, sizeof buffer), "ab\\xc3");
}

static void escaping_stays_in_its_buffer(void **state)
{
    static const char *const texts[] = {"abcdefgh", "\x01\x02\x03", "\xE2\x82\xAC\xE2\x82\xAC", "a"};

    for (size_t t = 0; t < 4; t++)
        for (size_t size = 1; size < 24; size++) {
            char *buffer = malloc(size);

            assert_true(strlen(hb_escape(text_of(texts[t]), 64, buffer, size)) < size);
            free(buffer);
        }
}

static void texts_compare_by_bytes(void **state)
{
    assert_true(hb_text_equal(text_of("abc"), text_of("abc")));
    assert_false(hb_text_equal(text_of("abc"), text_of("abd")));
    assert_false(hb_text_equal(text_of("abc"), text_of("ab")));
    assert_true(hb_text_equal((hbs_text){NULL, 0}, text_of("")));
    assert_true(hb_text_equal_nocase(text_of("AbC"), text_of("aBc")));
    assert_false(hb_text_equal_nocase(text_of("\xC3\x89"), text_of("\xC3\xA9")));
    assert_false(hb_text_equal_nocase(text_of("@"), text_of("`")));
    assert_false(hb_text_equal_nocase(text_of("["), text_of("{")));
    assert_true(hb_text_is(text_of("abc"), "abc"));
    assert_false(hb_text_is(text_of("abc"), "abcd"));
    assert_false(hb_text_is((hbs_text){"ab\0", 3}, "ab"));
    assert_true(hb_text_is((hbs_text){NULL, 0}, ""));
}

static void hashes_are_the_same_on_every_machine(void **state)
{
    assert_true(hb_hash("", 0) == hb_hash(NULL, 0));
    assert_true(hb_hash("a", 1) == 0xA70E84D52B813287u);
    assert_true(hb_hash("learner_model_param", 19) == 0x4D74C0008D61C72Cu);
}

static void hashes_differ_by_every_bit_and_by_length(void **state)
{
    char bytes[40] = {0};

    for (size_t size = 0; size < sizeof bytes; size++) {
        uint64_t hash = hb_hash(bytes, size);

        assert_true(size == 0 || hash != hb_hash(bytes, size - 1));
        for (size_t bit = 0; bit < size * 8; bit++) {
            bytes[bit / 8] ^= (char)(1 << bit % 8);
            assert_true(hb_hash(bytes, size) != hash);
            bytes[bit / 8] ^= (char)(1 << bit % 8);
        }
    }
}

/* The classic table, as the judge. */
static size_t plain_distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t table[32][32];

    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            size_t best = i == 0 ? j : i;

            if (i > 0 && j > 0) {
                size_t edit = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
                size_t gap = 1 + (table[i - 1][j] < table[i][j - 1] ? table[i - 1][j] : table[i][j - 1]);
                best = edit < gap ? edit : gap;
            }
            table[i][j] = best;
        }
    return table[n][m];
}

static void distances_agree_with_the_whole_table(void **state)
{
    uint64_t seed = 5;

    for (int round = 0; round < 20000; round++) {
        char a[24], b[24];
        size_t n = test_random(&seed) % 20, m = test_random(&seed) % 20;
        size_t limit = test_random(&seed) % 20;

        for (size_t i = 0; i < 24; i++) {
            a[i] = (char)('a' + test_random(&seed) % 3);
            b[i] = test_random(&seed) % 4 ? a[i] : (char)('a' + test_random(&seed) % 3);
        }
        size_t expected = plain_distance(a, n, b, m), most = limit < HB_MAX_DISTANCE ? limit : HB_MAX_DISTANCE;

        assert_int_equal(hb_text_distance((hbs_text){a, n}, (hbs_text){b, m}, limit),
                         expected < most ? expected : most);
    }
    assert_int_equal(hb_text_distance(text_of("age"), text_of("ages"), 3), 1);
    assert_int_equal(hb_text_distance(text_of("kitten"), text_of("sitting"), 9), 3);
    assert_int_equal(hb_text_distance((hbs_text){NULL, 0}, (hbs_text){NULL, 0}, 3), 0);
}

/* ---- numbers and texts, as ONNX Runtime casts them */

static void numbers_have_the_texts_of_onnx_runtime(void **state)
{
    static const struct {
        double number;
        const char *text;
    } floats[] = {
        {1, "1"},
        {-0.0, "-0"},
        {0.1, "0.1"},
        {100.5, "100.5"},
        {99999999, "99999999"},
        {123456789, "1.2345679e+08"},
        {1e8, "1e+08"},
        {999999999, "1e+09"},
        {0.0001, "0.0001"},
        {(double)0.0001f, "9.9999997e-05"},
        {0.00012345678, "0.00012345678"},
        {5e-324, "4.9406565e-324"},
        {-1.5e300, "-1.5e+300"},
        {1.0 / 3, "0.33333333"},
        {(double)NAN, "NaN"},
        {(double)INFINITY, "INF"},
        {-(double)INFINITY, "-INF"},
    };
    char buffer[HB_NUMBER_TEXT];

    (void)state;
    for (size_t i = 0; i < sizeof(floats) / sizeof(floats[0]); i++)
        if (!hb_text_equal(hb_text_of_float(floats[i].number, buffer), text_of(floats[i].text)))
            fail_msg("%g: %s", floats[i].number, buffer);
    assert_true(hb_text_equal(hb_text_of_integer(-9007199254740991.0, buffer), text_of("-9007199254740991")));
    assert_true(hb_text_equal(hb_text_of_integer(-0.0, buffer), text_of("0")));
}

/* NaN where the text begins with no number. */
static double cast(const char *text, hb_number_type type)
{
    hb_work work = {0};
    double number;

    return hb_number_of_text(text_of(text), type, &number, &work) ? number : (double)NAN;
}

static void texts_begin_with_numbers(void **state)
{
    static const struct {
        const char *text;
        double float64, int64;
    } cases[] = {
        {"1", 1, 1},
        {" \t\n\v\f\r+7x", 7, 7},
        {"-2.5e3", -2500, -2},
        {"1e", 1, 1},
        {"1e+", 1, 1},
        {"1,5", 1, 1},
        {"1_0", 1, 1},
        {".5", 0.5, (double)NAN},
        {"5.", 5, 5},
        {"0x10", 16, 0},
        {"-0X1.8p3", -12, 0},
        {"0x1p-1074", 0x1p-1074, 0},
        {"0x1.8p-1074", (double)NAN, 0},
        {"0xg", 0, 0},
        {"0x.8", 0.5, 0},
        {"0x123456789abcdef123p-8", 0x1.23456789abcdfp60, 0},
        {"0x1p1024", (double)NAN, 0},
        {"00012", 12, 12},
        {"0.0e-999", 0, 0},
        {"infinit", (double)INFINITY, (double)NAN},
        {"-INF", -(double)INFINITY, (double)NAN},
        {"1e400", (double)NAN, 1},
        {"5e-324", (double)NAN, 5},
        {"2.2250738585072014e-308", 2.2250738585072014e-308, 2},
        {"2.2250738585072013e-308", 2.2250738585072014e-308, 2},
        {"2.2250738585072012e-308", (double)NAN, 2}, /* the same double, but below the normal numbers */
        {"-222.50738585072012595e-310", (double)NAN, -222},
        {"0x0.fffffffffffffcp-1022", 0x1p-1022, 0},
        {"0x0.fffffffffffff8p-1022", (double)NAN, 0},
        {"123456789012345678901234567890", 123456789012345678901234567890.0, (double)NAN},
        {"9007199254740993", 9007199254740992.0, (double)NAN},
        {"9007199254740994", 9007199254740994.0, (double)NAN},
        {"-9223372036854775809", -9223372036854775808.0, (double)NAN},
        {"", (double)NAN, (double)NAN},
        {"+-1", (double)NAN, (double)NAN},
        {".", (double)NAN, (double)NAN},
        {"e5", (double)NAN, (double)NAN},
        {"true", (double)NAN, (double)NAN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double got[2] = {cast(cases[i].text, HB_NUMBER_FLOAT64), cast(cases[i].text, HB_NUMBER_INT64)};
        const double expected[2] = {cases[i].float64, cases[i].int64};

        for (size_t k = 0; k < 2; k++)
            if (got[k] != expected[k] && !(isnan(got[k]) && isnan(expected[k])))
                fail_msg("\"%s\": %.17g, expected %.17g", cases[i].text, got[k], expected[k]);
    }
    assert_true(cast("3.4028236e38", HB_NUMBER_FLOAT32) == (double)INFINITY);
    assert_true(cast("0.1", HB_NUMBER_FLOAT32) == (double)0.1f);
    assert_true(cast("2147483648", HB_NUMBER_INT32) == -2147483648.0);
    assert_true(cast("-2147483649", HB_NUMBER_INT32) == 2147483647.0);
    assert_true(cast("-1", HB_NUMBER_BOOL) == 1 && cast("0.9", HB_NUMBER_BOOL) == 0);
    assert_true(cast("18446744073709551615", HB_NUMBER_BOOL) == 1);
    assert_true(isnan(cast("18446744073709551616", HB_NUMBER_BOOL)));
    assert_true(isnan(cast("yes", HB_NUMBER_BOOL)));
}

/* More digits than float64 can tell apart, and an exponent that makes up for them. */
static void long_texts_are_numbers(void **state)
{
    char text[2200] = "0.";

    (void)state;
    memset(text + 2, '0', 1000);
    snprintf(text + 1002, sizeof(text) - 1002, "15e1001");
    assert_true(cast(text, HB_NUMBER_FLOAT64) == 1.5);
    memset(text, '9', 2000);
    snprintf(text + 2000, sizeof(text) - 2000, "e-1999");
    assert_true(cast(text, HB_NUMBER_FLOAT64) == 10);
    snprintf(text + 2000, sizeof(text) - 2000, "e99999999999");
    assert_true(isnan(cast(text, HB_NUMBER_FLOAT64)));
    /* halfway between two doubles, and a digit behind it */
    snprintf(text, sizeof(text), "9007199254740993");
    memset(text + 16, '0', 1000);
    snprintf(text + 1016, sizeof(text) - 1016, "1e-1001");
    assert_true(cast(text, HB_NUMBER_FLOAT64) == 9007199254740994.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_names_are_words),
        cmocka_unit_test(an_error_holds_status_offset_and_text),
        cmocka_unit_test(without_a_buffer_the_status_is_all),
        cmocka_unit_test(a_long_error_is_cut_but_keeps_its_place),
        cmocka_unit_test(an_error_is_cut_between_characters),
        cmocka_unit_test(a_prefix_stands_before_the_text),
        cmocka_unit_test(reader_keeps_its_first_failure_and_gives_no_more),
        cmocka_unit_test(reader_takes_no_more_than_there_is),
        cmocka_unit_test(utf8_is_strict),
        cmocka_unit_test(utf8_agrees_with_the_definition_on_every_code),
        cmocka_unit_test(escaping_shows_what_a_message_may_hold),
        cmocka_unit_test(escaping_cuts_between_characters),
        cmocka_unit_test(escaping_stays_in_its_buffer),
        cmocka_unit_test(texts_compare_by_bytes),
        cmocka_unit_test(hashes_are_the_same_on_every_machine),
        cmocka_unit_test(hashes_differ_by_every_bit_and_by_length),
        cmocka_unit_test(distances_agree_with_the_whole_table),
        cmocka_unit_test(numbers_have_the_texts_of_onnx_runtime),
        cmocka_unit_test(texts_begin_with_numbers),
        cmocka_unit_test(long_texts_are_numbers),
    };

    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
