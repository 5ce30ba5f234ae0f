/* test_number.c - decimal text to numbers and back, held against the C library's own. */
#define _GNU_SOURCE /* mkdtemp, setenv */
#include "support.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/number.h"

enum { ROUNDS = EVERY == 1 ? 50000 : 10000 };

static bool same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_float(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Holds every way to read the number against the C library, which rounds correctly. */
static void check_token(const char *token)
{
    size_t size = strlen(token);
    const char *end = token + size;
    bool over_single = false, over_double = false, over = false;
    float single = -1, expected_single = strtof(token, NULL);
    double number = -1, expected = strtod(token, NULL);

    if (hb_read_float32(token, end, &single, &over_single) != size || !same_float(single, expected_single) ||
        over_single != (bool)isinf(expected_single))
        fail_msg("float32 of %s: %a, expected %a", token, (double)single, (double)expected_single);
    if (hb_read_float64(token, end, &number, &over_double) != size || !same_double(number, expected) ||
        over_double != (bool)isinf(expected))
        fail_msg("float64 of %s: %a, expected %a", token, number, expected);
    if (hb_number_size(token, end, &over) != size || over != over_double)
        fail_msg("size of %s", token);

    /* The shortcut of the JSON loops: refuses, or is right. */
    char padded[HB_PLAIN_SIZE + 1200];
    double plain = -1;

    memcpy(padded, token, size);
    memset(padded + size, ',', HB_PLAIN_SIZE);
    size_t taken = hb_read_plain_double(padded, &plain);
    if (taken > 0 && padded[taken] == ',') {
        if (taken != size || !same_double(plain, expected))
            fail_msg("plain double of %s: %a, expected %a", token, plain, expected);
        if (hb_rounds_to_float(plain) && !same_float((float)plain, expected_single))
            fail_msg("plain float of %s: %a", token, (double)(float)plain);
    }
    taken = hb_plain_size(padded);
    if (taken > 0 && padded[taken] == ',' && taken != size)
        fail_msg("plain size of %s: %zu", token, taken);
}

/* ------------------------------------------------------------------ reading */

static void numbers_of_json_are_read_and_nothing_else(void **state)
{
    static const struct {
        const char *text;
        size_t real, integer; /* the lengths that hb_read_float64 and hb_read_int64 give */
    } table[] = {
        {"0", 1, 1},         {"-0", 2, 2},           {"7", 1, 1},
        {"-12", 3, 3},       {"10", 2, 2},           {"12,", 2, 2},
        {"12]", 2, 2},       {"12 ", 2, 2},          {"12x", 2, 2},
        {"1.5", 3, 0},       {"0.0", 3, 0},          {"-0.25", 5, 0},
        {"1e5", 3, 0},       {"1E5", 3, 0},          {"1e+5", 4, 0},
        {"1e-05", 5, 0},     {"1.5E-1,", 6, 0},      {"0E0", 3, 0},
        {"1e0", 3, 0},       {"1.5-", 3, 0},         {"1.5.5", 3, 0},
        {"1e5e5", 3, 0},     {"1e5.5", 3, 0},        {"", 0, 0},
        {"-", 0, 0},         {"+1", 0, 0},           {".5", 0, 0},
        {"-.5", 0, 0},       {"1.", 0, 0},           {"1.e5", 0, 0},
        {"1.x", 0, 0},       {"01", 0, 0},           {"00", 0, 0},
        {"-01", 0, 0},       {"01.5", 0, 0},         {"1e", 0, 0},
        {"1e+", 0, 0},       {"1e-x", 0, 0},         {"1.5e", 0, 0},
        {"NaN", 0, 0},       {"nan", 0, 0},          {"Infinity", 0, 0},
        {"-Infinity", 0, 0}, {"inf", 0, 0},          {"0x10", 1, 1},
        {"0x1p3", 1, 1},     {"--1", 0, 0},          {" 1", 0, 0},
        {"1,5", 1, 1},       {"1_000", 1, 1},        {"\xD9\xA1", 0, 0},
        {"1e5x", 3, 0},      {"1234567890", 10, 10}, {"12345678", 8, 8},
        {"123456789", 9, 9}, {"-1234567", 8, 8},     {"-12345678", 9, 9},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t size = strlen(table[i].text);
        char *text = test_exact_copy(table[i].text, size);
        double number;
        float single;
        int64_t integer;
        bool overflow;

        if (hb_read_float64(text, text + size, &number, NULL) != table[i].real ||
            hb_read_float32(text, text + size, &single, NULL) != table[i].real ||
            hb_number_size(text, text + size, &overflow) != table[i].real ||
            hb_read_int64(text, text + size, &integer) != table[i].integer)
            fail_msg("\"%s\"", table[i].text);
        free(text);
    }
}

static void a_failed_read_leaves_the_number_alone(void **state)
{
    double number = 42;
    float single = 42;
    int64_t integer = 42;
    static const char bad[] = "x";

    assert_int_equal(hb_read_float64(bad, bad + 1, &number, NULL), 0);
    assert_int_equal(hb_read_float32(bad, bad + 1, &single, NULL), 0);
    assert_int_equal(hb_read_int64(bad, bad + 1, &integer), 0);
    assert_true(number == 42 && single == 42 && integer == 42);
}

static void every_prefix_is_read_within_its_bytes(void **state)
{
    static const char text[] = "-123456789.123456789e-12";

    for (size_t size = 0; size < sizeof text; size++) {
        char *copy = test_exact_copy(text, size);
        double number;
        int64_t integer;

        size_t taken = hb_read_float64(copy, copy + size, &number, NULL);
        assert_true(taken == 0 || taken == size);
        (void)hb_read_int64(copy, copy + size, &integer);
        free(copy);
    }
}

static void integers_are_read_up_to_both_ends_of_64_bits(void **state)
{
    static const struct {
        const char *text;
        bool fits;
        int64_t number;
    } table[] = {
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {"-9223372036854775808", true, INT64_MIN},
        {"-9223372036854775809", false, 0},
        {"9999999999999999999", false, 0},
        {"18446744073709551616", false, 0},
        {"92233720368547758070", false, 0},
        {"-0", true, 0},
        {"1000000000000000000", true, 1000000000000000000},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int64_t number = 7;
        size_t size = strlen(table[i].text);
        size_t taken = hb_read_int64(table[i].text, table[i].text + size, &number);

        assert_int_equal(taken, table[i].fits ? size : 0);
        assert_true(number == (table[i].fits ? table[i].number : 7));
    }
}

static void boundaries_round_as_the_standard_says(void **state)
{
    static const char *const tokens[] = {
        /* float: largest, half a step above it (infinite), just below that */
        "3.4028234663852886e38",
        "3.4028235677973366e38",
        "340282356779733661637539395458142568448",
        "340282356779733661637539395458142568447.999",
        "3.4028235e38",
        "3.4028236e38",
        /* float: smallest normal, largest denormal, smallest denormal, around its half */
        "1.17549435e-38",
        "1.1754942e-38",
        "1.401298464324817e-45",
        "7.006492321624085e-46",
        "7.0064923216240853546186479164495806564013097093825788587853e-46",
        "7.0064923216240853546186479164495806564013097093825788587854e-46",
        "7e-46",
        "8e-46",
        "1e-45",
        "1e-46",
        "1.17549428e-38",
        /* double: the same */
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1.8e308",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "4.9406564584124654e-324",
        "2e-324",
        "3e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        /* ties: 2^24 + 1, 2^53 + 1, and what a double rounded first would get wrong */
        "16777217",
        "16777219",
        "16777217.000000000000000001",
        "16777216.999999999999999999",
        "9007199254740993",
        "9007199254740993.0000000000000001",
        "9007199254740992.9999999999999",
        "1.00000017881393432617187499",
        "1.00000017881393432617187500",
        "1.00000017881393432617187501",
        "8388609.5",
        "8388608.5",
        "1.000000059604644775390625",
        "1.0000000596046447753906250001",
        "9007199254740993e-30",
        "9007199254740991e22",
        "9007199254740992e22",
        "9007199254740993e22",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "123456789012345678e3",
        "1234567890123456789",
        "12345678901234567890",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999999999999999",
        "0.00000000000000000000000000000000000012345678901234567891",
        "0.1",
        "0.2",
        "0.3",
        "-0.0",
        "-0",
        "0e0",
        "0E0",
        "-0E0",
        "0.0e999",
        "0e99999999999999999999",
        "1e-99999999999999999999",
        "0.000000000000000000000000000000000000000000000",
        "1.2345678E-1",
        "5E-1",
        "-5.280273E-4",
        "1e5",
        "1e+5",
        "100000000000000000000000000000000000000000000e-40",
        "0.0000000000000000000000000000000000000000000001e46",
        "1.000000000000000000000000000000000",
        "1e999",
        "-1e999",
        "1e99999999999999999999",
        "123456789e400",
        "1e-400",
        "1e309",
        "1e39",
        "-1e39",
        "8.98846567431158e307",
        "179769313486231570000e288",
        "17976931348623159e292",
    };

    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        check_token(tokens[i]);
}

static void overflow_is_told_and_may_be_ignored(void **state)
{
    bool overflow = false;
    double number;
    float single;

    static const char text[] = "-1e999", single_only[] = "1e39";
    assert_int_equal(hb_read_float64(text, text + 6, &number, &overflow), 6);
    assert_true(overflow && number == -INFINITY);
    assert_int_equal(hb_read_float64(text, text + 6, &number, NULL), 6);
    assert_int_equal(hb_read_float32(single_only, single_only + 4, &single, &overflow), 4);
    assert_true(overflow && single == INFINITY);
    assert_int_equal(hb_read_float64(single_only, single_only + 4, &number, &overflow), 4);
    assert_false(overflow);
}

static void numbers_may_be_1024_bytes_long_and_no_more(void **state)
{
    char token[HB_MAX_NUMBER_SIZE + 3];
    double number;
    float single;
    int64_t integer;
    bool overflow;

    for (size_t size = HB_MAX_NUMBER_SIZE - 2; size <= HB_MAX_NUMBER_SIZE + 2; size++) {
        size_t expected = size <= HB_MAX_NUMBER_SIZE ? size : 0;

        memset(token, '3', size);
        token[1] = '.';
        token[size] = '\0';
        if (expected)
            check_token(token);
        assert_int_equal(hb_read_float64(token, token + size, &number, NULL), expected);
        assert_int_equal(hb_read_float32(token, token + size, &single, NULL), expected);
        assert_int_equal(hb_number_size(token, token + size, &overflow), expected);
        memset(token, '0', size);
        memcpy(token, "0.", 2);
        token[size - 1] = '1';
        if (expected)
            check_token(token);
        memset(token, '9', size);
        assert_int_equal(hb_read_int64(token, token + size, &integer), 0);
        assert_int_equal(hb_read_float64(token, token + size, &number, &overflow), expected);
        memset(token, '0', size);
        memcpy(token, "1e", 2);
        token[size - 1] = '1';
        assert_int_equal(hb_read_float64(token, token + size, &number, NULL), expected);
        assert_true(expected == 0 || number == 10);
    }
}

/* Digits of any count, a point anywhere, an exponent of any size. */
static void random_token(uint64_t *seed, char *token)
{
    static const int lengths[] = {1, 2, 7, 8, 9, 9, 15, 16, 17, 18, 19, 20, 21, 25, 40};
    int count = lengths[test_random(seed) % 15], point = (int)(test_random(seed) % (uint64_t)(count + 1));
    int range = test_random(seed) % 4 ? 45 : 330;
    char *to = token;

    if (test_random(seed) % 2)
        *to++ = '-';
    for (int i = 0; i < count; i++) {
        if (i == point && i > 0)
            *to++ = '.';
        *to++ = (char)('0' + test_random(seed) % 10);
    }
    if (point != 1 && count > 1 && token[*token == '-'] == '0')
        token[*token == '-'] = '5'; /* no leading zero */
    if (test_random(seed) % 4)
        to += sprintf(to, "%c%d", test_random(seed) % 2 ? 'E' : 'e',
                      (int)(test_random(seed) % (uint64_t)(2 * range)) - range);
    *to = '\0';
}

static void random_decimals_are_read_as_the_c_library_reads_them(void **state)
{
    uint64_t seed = 11;
    char token[128];

    for (int i = 0; i < 10 * ROUNDS; i++) {
        random_token(&seed, token);
        check_token(token);
    }
}

static float random_float(uint64_t *seed)
{
    uint32_t bits;
    float number;

    do {
        bits = (uint32_t)test_random(seed);
        if (test_random(seed) % 2) /* around 1, where models are */
            bits = (bits & 0x87FFFFFF) | 0x38000000;
        memcpy(&number, &bits, sizeof number);
    } while (!isfinite(number));
    return number;
}

static double random_double(uint64_t *seed)
{
    uint64_t bits;
    double number;

    do {
        bits = test_random(seed);
        memcpy(&number, &bits, sizeof number);
    } while (!isfinite(number));
    return number;
}

/* As XGBoost writes: the fewest digits that read back, one before the point. */
static void floats_as_xgboost_writes_them_come_back(void **state)
{
    uint64_t seed = 12;
    char token[64];

    for (int i = 0; i < 5 * ROUNDS; i++) {
        float number = random_float(&seed);

        for (int digits = 5; digits <= 8; digits++) {
            sprintf(token, "%.*E", digits, (double)number);
            if (strtof(token, NULL) == number)
                break;
        }
        check_token(token);
    }
}

/* The middle of two neighbouring floats, exactly, and a little to each side: the one place where a
 * double on the way would round twice. */
static void middles_of_floats_round_to_even_and_their_sides_to_the_nearer(void **state)
{
    uint64_t seed = 13;
    char token[256];

    for (int i = 0; i < ROUNDS; i++) {
        float number = fabsf(random_float(&seed));
        double middle = ((double)number + (double)nextafterf(number, INFINITY)) / 2;

        if (!isfinite(middle) || middle > FLT_MAX)
            continue;
        sprintf(token, "%.*e", (int)(test_random(&seed) % 18) + 7, middle);
        check_token(token);
        sprintf(token, "%.160e", middle); /* exact for all but the smallest */
        check_token(token);
        char *last = strchr(token, 'e') - 1;
        *last = '1';
        check_token(token);
        sprintf(token, "%.16e", nextafter(middle, i % 2 ? 0 : INFINITY));
        check_token(token);
    }
}

static void doubles_of_17_digits_come_back(void **state)
{
    uint64_t seed = 14;
    char token[64];

    for (int i = 0; i < ROUNDS; i++) {
        sprintf(token, "%.*e", 14 + i % 4, random_double(&seed));
        check_token(token);
    }
}

static void plain_integers_are_read_or_refused(void **state)
{
    uint64_t seed = 15;

    for (int i = 0; i < ROUNDS; i++) {
        char text[HB_PLAIN_SIZE + 32];
        int64_t expected = (int64_t)test_random(&seed) >> (test_random(&seed) % 60 + 4);
        int32_t number;
        int size = sprintf(text, "%lld", (long long)expected);

        memset(text + size, i % 2 ? ',' : ']', HB_PLAIN_SIZE);
        size_t taken = hb_read_plain_integer(text, &number);
        bool whole = taken > 0 && !hb_is_digit(text[taken]);
        assert_int_equal(whole, size - (expected < 0) <= 8);
        assert_true(!whole || (taken == (size_t)size && number == expected));
    }
    static const char *const bad[] = {"01,", "-01,", "-,", ",", "x", "--1,", "+1,", " 1,", "\xB1,"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[HB_PLAIN_SIZE + 8] = "";
        int32_t number;

        strcpy(text, bad[i]);
        assert_int_equal(hb_read_plain_integer(text, &number), 0);
        assert_int_equal(hb_plain_size(text), 0);
    }
}

static void eight_digits_are_counted_up_to_any_other_byte(void **state)
{
    for (int byte = 0; byte < 256; byte++)
        for (unsigned at = 0; at <= 8; at++) {
            char text[16] = "98765432";
            uint64_t value = 0, expected = 0;

            if (byte >= '0' && byte <= '9')
                continue;
            if (at < 8)
                memset(text + at, byte, 1);
            for (unsigned i = 0; i < at; i++)
                expected = expected * 10 + (uint64_t)(text[i] - '0');
            assert_int_equal(hb_eight_digits(text, &value), at);
            assert_true(value == expected);
        }
}

static void reading_keeps_errno(void **state)
{
    static const char text[] = "1e999";
    double number;

    errno = 1234;
    (void)hb_read_float64(text, text + 5, &number, NULL);
    assert_int_equal(errno, 1234);
}

/* ------------------------------------------------------------------ SQL's numbers */

static void texts_are_numbers_as_sql_has_them(void **state)
{
    static const struct {
        const char *text;
        hbs_type type; /* HBS_NULL: no number */
        double number;
    } table[] = {
        {"1", HBS_INT64, 1},
        {" 1 ", HBS_INT64, 1},
        {"\t\n\v\f\r 1 \t\n\v\f\r", HBS_INT64, 1},
        {"+1", HBS_INT64, 1},
        {"-1", HBS_INT64, -1},
        {"007", HBS_INT64, 7},
        {"-007", HBS_INT64, -7},
        {"-0", HBS_INT64, 0},
        {"0", HBS_INT64, 0},
        {"000", HBS_INT64, 0},
        {"9223372036854775807", HBS_INT64, 9223372036854775807.0},
        {"-9223372036854775808", HBS_INT64, -9223372036854775808.0},
        {"9223372036854775808", HBS_FLOAT64, 9223372036854775808.0},
        {"1.0", HBS_FLOAT64, 1},
        {"1.", HBS_FLOAT64, 1},
        {".5", HBS_FLOAT64, 0.5},
        {"-.5", HBS_FLOAT64, -0.5},
        {"+.5e1", HBS_FLOAT64, 5},
        {"00.5", HBS_FLOAT64, 0.5},
        {"1e5", HBS_FLOAT64, 1e5},
        {"1.e5", HBS_FLOAT64, 1e5},
        {"0.1", HBS_FLOAT64, 0.1},
        {"-0.0", HBS_FLOAT64, -0.0},
        {"123456789012345678901234567890", HBS_FLOAT64, 123456789012345678901234567890.0},
        {"1e-400", HBS_FLOAT64, 0},
        {"inf", HBS_FLOAT64, INFINITY},
        {"-Inf", HBS_FLOAT64, -INFINITY},
        {"+INFINITY", HBS_FLOAT64, INFINITY},
        {" infinity ", HBS_FLOAT64, INFINITY},
        {"", HBS_NULL, 0},
        {" ", HBS_NULL, 0},
        {".", HBS_NULL, 0},
        {"-", HBS_NULL, 0},
        {"+", HBS_NULL, 0},
        {"-.", HBS_NULL, 0},
        {"e5", HBS_NULL, 0},
        {".e5", HBS_NULL, 0},
        {"1e", HBS_NULL, 0},
        {"1e+", HBS_NULL, 0},
        {"1 2", HBS_NULL, 0},
        {"1x", HBS_NULL, 0},
        {"--1", HBS_NULL, 0},
        {"+-1", HBS_NULL, 0},
        {"-+1", HBS_NULL, 0},
        {"- 1", HBS_NULL, 0},
        {"0x10", HBS_NULL, 0},
        {"1e999", HBS_NULL, 0},
        {"-1e999", HBS_NULL, 0},
        {"1,5", HBS_NULL, 0},
        {"1_000", HBS_NULL, 0},
        {"infinit", HBS_NULL, 0},
        {"infinityx", HBS_NULL, 0},
        {"nan(1)", HBS_NULL, 0},
        {"\xC2\xA0"
         "1",
         HBS_NULL, 0},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t size = strlen(table[i].text);
        char *copy = test_exact_copy(table[i].text, size);
        hbs_value value = {.type = HBS_NULL};

        bool is = hb_text_number((hbs_text){copy, size}, &value);
        double number = value.type == HBS_INT64 ? (double)value.as.i64 : value.as.f64;
        if (is != (table[i].type != HBS_NULL) ||
            (is && (value.type != table[i].type || !same_double(number, table[i].number))))
            fail_msg("\"%s\"", table[i].text);
        free(copy);
    }
    hbs_value value;
    assert_false(hb_text_number((hbs_text){NULL, 0}, &value));
    assert_false(hb_text_number((hbs_text){"1\0", 2}, &value));
}

static void texts_may_be_nan_in_any_case(void **state)
{
    static const char *const texts[] = {"nan", "NaN", "NAN", " nan", "-nan", "+NaN"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hbs_value value;

        assert_true(hb_text_number((hbs_text){texts[i], strlen(texts[i])}, &value));
        assert_int_equal(value.type, HBS_FLOAT64);
        assert_true(isnan(value.as.f64));
    }
}

static void leading_zeros_of_a_text_are_no_digits(void **state)
{
    char text[3000];
    hbs_value value;

    memset(text, '0', sizeof text);
    text[sizeof text - 1] = '7';
    assert_true(hb_text_number((hbs_text){text, sizeof text}, &value));
    assert_true(value.type == HBS_INT64 && value.as.i64 == 7);
    text[sizeof text - 2] = '.';
    assert_true(hb_text_number((hbs_text){text, sizeof text}, &value));
    assert_true(value.type == HBS_FLOAT64 && value.as.f64 == 0.7);
    memset(text, '9', sizeof text);
    assert_false(hb_text_number((hbs_text){text, sizeof text}, &value));
}

/* ------------------------------------------------------------------ writing */

static void doubles_are_written_as_python_writes_them(void **state)
{
    static const struct {
        double number;
        const char *text;
    } table[] = {
        {0, "0.0"},
        {-0.0, "-0.0"},
        {1, "1.0"},
        {-3, "-3.0"},
        {0.1, "0.1"},
        {1.0 / 3, "0.3333333333333333"},
        {2.0 / 3, "0.6666666666666666"},
        {0.30000000000000004, "0.30000000000000004"},
        {123456.789, "123456.789"},
        {1e5, "100000.0"},
        {1e15, "1000000000000000.0"},
        {1e16, "1e+16"},
        {1e22, "1e+22"},
        {1e23, "1e+23"},
        {123456789012345680, "1.2345678901234568e+17"},
        {999999999999999.9, "999999999999999.9"},
        {9007199254740992, "9007199254740992.0"},
        {1234567890123456.7, "1234567890123456.8"},
        {0.0001, "0.0001"},
        {0.00012345, "0.00012345"},
        {0.00001, "1e-05"},
        {-1.5e-7, "-1.5e-07"},
        {1e-100, "1e-100"},
        {5e-324, "5e-324"},
        {1e-323, "1e-323"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {2.225073858507201e-308, "2.225073858507201e-308"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {-1.7976931348623157e308, "-1.7976931348623157e+308"},
        {0x1p-44, "5.684341886080802e-14"},
        {0x1p-1022, "2.2250738585072014e-308"},
        {0x1p60, "1.152921504606847e+18"},
        {9.5e-5, "9.5e-05"},
        {100, "100.0"},
        {12.5, "12.5"},
        {NAN, "NaN"},
        {-NAN, "NaN"},
        {INFINITY, "Infinity"},
        {-INFINITY, "-Infinity"},
        {(double)0.1f, "0.10000000149011612"},
        {1 + 0x1p-17, "1.0000076293945312"},
        {1 + 0x3p-17, "1.0000228881835938"},
        {0.5, "0.5"},
        {1e-34, "1e-34"},
        {0x1.09d8792fb4c47p-113, "9.999999999999995e-35"},
        {999999999999999.8, "999999999999999.8"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *buffer = malloc(32);

        assert_int_equal(hb_format_float64(table[i].number, buffer), strlen(table[i].text));
        assert_string_equal(buffer, table[i].text);
        free(buffer);
    }
}

/* Whether fewer digits would do. */
static bool has_shorter(const char *text, double number)
{
    char shorter[40];
    int digits = 0;
    const char *p = text + strspn(text, "-0.");

    for (; *p && *p != 'e'; p++)
        digits += *p != '.';
    if (!strchr(text, 'e') && strlen(text) > 2 && strcmp(text + strlen(text) - 2, ".0") == 0)
        return false; /* an integer: its zeros are no digits that could be left out */
    if (digits < 2)
        return false;
    sprintf(shorter, "%.*e", digits - 2, number);
    return strtod(shorter, NULL) == number;
}

/* Whether no other text of so many digits is nearer, by the C library. Below a power of two doubles are twice as near:
 * there the nearest text may be another number. */
static bool is_nearest(const char *text, double number)
{
    char digits[40], nearest[40];
    int count = 0, exponent;

    for (const char *p = text + strspn(text, "-0."); *p && *p != 'e'; p++)
        if (*p != '.')
            digits[count++] = *p;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    if (fabs(frexp(number, &exponent)) == 0.5 || count == 0)
        return true;
    sprintf(nearest, "%.*e", count - 1, fabs(number));
    return nearest[0] == digits[0] && (count == 1 || memcmp(nearest + 2, digits + 1, (size_t)count - 1) == 0);
}

static void check_format(double number)
{
    char text[32];
    size_t size = hb_format_float64(number, text);
    double again;

    if (strlen(text) != size || size > 25 || hb_read_float64(text, text + size, &again, NULL) != size ||
        !same_double(again, number) || !strpbrk(text, ".e") || has_shorter(text, number) || !is_nearest(text, number))
        fail_msg("%a is written %s", number, text);
}

static double power_of_ten(int ten)
{
    char text[16];

    sprintf(text, "1e%d", ten);
    return strtod(text, NULL);
}

static void what_is_written_is_short_and_reads_back(void **state)
{
    uint64_t seed = 16;

    for (int i = 0; i < ROUNDS / 4; i++) {
        check_format(random_double(&seed));
        check_format((double)random_float(&seed));
        check_format((double)(int64_t)test_random(&seed) / 1000);
        check_format((double)(test_random(&seed) % 100000) / 100);
        check_format((double)((int64_t)test_random(&seed) >> (test_random(&seed) % 64)));
        check_format(ldexp((double)(test_random(&seed) >> 11), -40 - (int)(test_random(&seed) % 140)));
        check_format((double)(float)ldexp((double)(test_random(&seed) >> 11), -53 - (int)(test_random(&seed) % 60)));
        check_format(1 + ldexp((double)(test_random(&seed) >> 44), -12 - (int)(test_random(&seed) % 40)));
    }
    for (int ten = -36; ten < 18; ten++)
        for (int i = -20; i <= 20; i++) {
            double number = power_of_ten(ten);

            for (int k = 0; k < abs(i); k++)
                number = nextafter(number, i < 0 ? 0 : INFINITY);
            check_format(number);
        }
    for (int exponent = -1074; exponent < 1024; exponent++) {
        check_format(ldexp(1, exponent));
        check_format(nextafter(ldexp(1, exponent), INFINITY));
        check_format(nextafter(ldexp(1, exponent), 0));
    }
}

/* ------------------------------------------------------------------ locale */

/* Makes a locale for this test alone. False where the system has no means for it. */
static bool enter_locale(const char *name, const char *folder)
{
    char command[300], path[200];

    sprintf(path, "%s/%s.UTF-8", folder, name);
    sprintf(command, "mkdir -p %s && localedef -i %s -f UTF-8 %s >/dev/null 2>&1", folder, name, path);
    if (system(command) != 0)
        return false;
    setenv("LOCPATH", folder, 1);
    sprintf(path, "%s.UTF-8", name);
    return setlocale(LC_ALL, path) != NULL;
}

/* de_DE has a comma for the decimal point, ps_AF two bytes, U+066B. */
static void no_locale_has_a_say(void **state)
{
    static const char *const names[] = {"de_DE", "ps_AF"};
    char folder[] = "/tmp/hbscore-locale-XXXXXX", command[100];
    int entered = 0;

    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 2; i++) {
        if (!enter_locale(names[i], folder))
            continue;
        entered++;
        assert_string_not_equal(localeconv()->decimal_point, ".");
        char text[32];
        double number;
        static const char token[] = "0.1234567890123456789012345e-100", comma[] = "1,5";
        hbs_value value;

        assert_int_equal(hb_read_float64(token, token + strlen(token), &number, NULL), strlen(token));
        assert_true(number == 0.1234567890123456789012345e-100);
        assert_int_equal(hb_read_float64(comma, comma + 3, &number, NULL), 1);
        assert_false(hb_text_number((hbs_text){comma, 3}, &value));
        assert_true(hb_text_number((hbs_text){"1.5", 3}, &value) && value.as.f64 == 1.5);
        hb_format_float64(0.1, text);
        assert_string_equal(text, "0.1");
        hb_format_float64(1.234567890123456e-300, text);
        assert_string_equal(text, "1.234567890123456e-300");
        hb_format_float64(1234567, text);
        assert_string_equal(text, "1234567.0");
        setlocale(LC_ALL, "C");
    }
    sprintf(command, "rm -rf %s", folder);
    (void)!system(command);
    if (entered == 0)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_json_are_read_and_nothing_else),
        cmocka_unit_test(a_failed_read_leaves_the_number_alone),
        cmocka_unit_test(every_prefix_is_read_within_its_bytes),
        cmocka_unit_test(integers_are_read_up_to_both_ends_of_64_bits),
        cmocka_unit_test(boundaries_round_as_the_standard_says),
        cmocka_unit_test(overflow_is_told_and_may_be_ignored),
        cmocka_unit_test(numbers_may_be_1024_bytes_long_and_no_more),
        cmocka_unit_test(random_decimals_are_read_as_the_c_library_reads_them),
        cmocka_unit_test(floats_as_xgboost_writes_them_come_back),
        cmocka_unit_test(middles_of_floats_round_to_even_and_their_sides_to_the_nearer),
        cmocka_unit_test(doubles_of_17_digits_come_back),
        cmocka_unit_test(plain_integers_are_read_or_refused),
        cmocka_unit_test(eight_digits_are_counted_up_to_any_other_byte),
        cmocka_unit_test(reading_keeps_errno),
        cmocka_unit_test(texts_are_numbers_as_sql_has_them),
        cmocka_unit_test(texts_may_be_nan_in_any_case),
        cmocka_unit_test(leading_zeros_of_a_text_are_no_digits),
        cmocka_unit_test(doubles_are_written_as_python_writes_them),
        cmocka_unit_test(what_is_written_is_short_and_reads_back),
        cmocka_unit_test(no_locale_has_a_say),
    };

    return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
