/* test_own_terms.c - hbscore's own format: texts that are split into terms, their weights, and what reads sparse
 * values. */
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "own_writer.h"
#include "plan/run.h"

enum { FEATURES = 2, ROWS = 71, MOST_WIDTH = 8 };

typedef struct model {
    test_host host;
    hbs_plan *plan;
    hbs_run *one, *block;
    size_t width;
    hbs_error error;
} model;

static model m;

#define HEAD                                                                                                  \
    "{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"name\":\"note\",\"type\":\"str\"}," \
    "{\"name\":\"zone\",\"type\":\"f8\"}],\"ops\":["
#define TEXT           SELECT("0", "0")
#define TEXTS(n, list) "{\"dtype\":\"str\",\"shape\":[" #n "],\"data\":[" list "]}"
#define PATTERN        "(?u)\\\\b\\\\w\\\\w+\\\\b"
#define RULE(stops)                                                                                                \
    "\"unicode\":\"15.0\",\"lowercase\":1,\"accents\":\"keep\",\"analyzer\":\"word\",\"pattern\":\"" PATTERN "\"," \
    "\"stop_words\":" stops ","
#define COUNTS_OF(in, rest) "{\"op\":\"text_counts\",\"in\":[" in "]," rest "}"
#define VOCABULARY          "\"vocabulary\":" TEXTS(3, "\"cat\",\"dog\",\"cat dog\"")
#define COUNTS              COUNTS_OF("1", RULE(TEXTS(0, "")) "\"least\":1,\"most\":2,\"binary\":0," VOCABULARY)

/* Letters one by one. */
#define CHARACTERS \
    "\"unicode\":\"15.0\",\"lowercase\":0,\"accents\":\"keep\",\"analyzer\":\"char\",\"least\":1,\"most\":1,"
#define LETTERS "\"vocabulary\":" TEXTS(3, "\"b\",\"x\",\"a\"")

static void begin(const char *ops, const char *options)
{
    hbs_plan_info info;

    memset(&m, 0, sizeof m);
    test_host_init(&m.host);
    m.plan = test_compile(&m.host.host, own_text(HEAD "%s]}", ops), options);
    m.one = test_run(&m.host.host, m.plan, 1);
    m.block = test_run(&m.host.host, m.plan, ROWS);
    hbs_plan_get_info(m.plan, &info);
    m.width = info.values_width ? info.values_width : 1;
}

static void end(void)
{
    hbs_run_free(m.one);
    hbs_run_free(m.block);
    hbs_plan_free(m.plan);
    test_host_end(&m.host);
    own_reset();
}

static hbs_value text(const char *bytes)
{
    return (hbs_value){.type = HBS_TEXT, .as.text = {bytes, strlen(bytes)}};
}

static hbs_value number(double x)
{
    return (hbs_value){.type = HBS_FLOAT64, .as.f64 = x};
}

/* The row's numbers as a text, "NULL", or its error; by itself and as the last row of a block. */
static void gives(hbs_value note, hbs_value zone, const char *expected)
{
    hbs_value row[FEATURES] = {note, zone}, cells[FEATURES][ROWS];
    uint32_t output = m.width == 1 ? HBS_OUT_VALUE : HBS_OUT_VALUES;
    hbs_column columns[FEATURES];
    hbs_result one, block;
    hbs_error error;
    hbs_status status = hbs_score_row(m.one, row, FEATURES, output, &one, &m.error);
    char found[sizeof m.error.text] = "";

    for (size_t f = 0; f < FEATURES; f++) {
        for (size_t r = 0; r < ROWS; r++)
            cells[f][r] = row[f];
        columns[f] = (hbs_column){HBS_MIXED, cells[f], NULL};
    }
    assert_int_equal(hbs_score(m.block, columns, FEATURES, ROWS, output, &block, &error), status);
    if (status != HBS_OK) {
        assert_string_equal(m.error.text, expected);
        return;
    }
    assert_int_equal(block.valid[1] >> (ROWS - 65) & 1, one.valid[0] & 1);
    if (!(one.valid[0] & 1))
        snprintf(found, sizeof found, "NULL");
    for (size_t i = 0; one.valid[0] & 1 && i < m.width; i++) {
        double x = m.width == 1 ? one.value[0] : one.values[i];
        double y = m.width == 1 ? block.value[ROWS - 1] : block.values[(ROWS - 1) * m.width + i];

        assert_memory_equal(&x, &y, sizeof x);
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%.10g", i ? " " : "", x);
    }
    assert_string_equal(found, expected);
}

static const hbs_value null = {.type = HBS_NULL};

/* ------------------------------------------------------------------ scores */

static void terms_are_counted(void **state)
{
    begin(TEXT "," COUNTS "," SELECT("2", "0,1,2"), NULL);
    gives(text("The cat, dog. CAT dog cat"), null, "3 2 2");
    gives(text(""), null, "0 0 0");
    gives(text("fish"), null, "0 0 0");
    gives(null, null, "NULL");
    gives(number(4), null, "model \"m\": feature \"note\" takes a text, got the number 4.0");
    gives(text("cat \xff"), null, "model \"m\": feature \"note\": the text is no UTF-8 from byte 4 on");
    end();
}

static void a_long_text_is_counted_in_order(void **state)
{
    begin(TEXT "," COUNTS "," SELECT("2", "0,1,2"), NULL);
    gives(text(own_repeated("cat dog", " ", 300)), null, "300 300 300");
    end();
}

/* More terms than columns are added up at once. */
static void very_many_terms_are_counted(void **state)
{
    enum { MANY = 70000 };
    char *letters = malloc(MANY + 1);

    for (size_t i = 0; i < MANY; i++)
        letters[i] = "abbc"[i % 4];
    letters[MANY] = 0;
    begin(TEXT "," COUNTS_OF("1", CHARACTERS "\"binary\":0," LETTERS) "," SELECT("2", "0,1,2"), NULL);
    gives(text(letters), null, "35000 0 17500");
    end();
    begin(TEXT "," COUNTS_OF("1", CHARACTERS "\"binary\":1," LETTERS) "," SELECT("2", "0,1,2"), NULL);
    gives(text(letters), null, "1 0 1");
    end();
    free(letters);
}

/* Lists take so much memory and no more, whatever a file and a text make of them. */
static void lists_have_a_limit(void **state)
{
    static char words[40000];
    hbs_value row[FEATURES] = {null, null};
    hbs_result result;

    memset(words, 'b', sizeof words - 1);
    row[0] = text(words);
    begin(TEXT "," COUNTS_OF("1", CHARACTERS "\"binary\":0," LETTERS) "," SELECT("2", "0"), NULL);
    m.one->of_lists.limit = 10000;
    assert_int_equal(hbs_score_row(m.one, row, FEATURES, HBS_OUT_VALUE, &result, &m.error), HBS_E_LIMIT);
    assert_string_equal(m.error.text, "needs more than its limit of 10000 bytes of memory");
    m.one->of_lists.limit = HB_LIST_BYTES;
    gives(row[0], null, "39999");
    end();
}

static void counts_wrap_round(void **state)
{
    static const char *const wrapped[][2] = {
        {"i1", "-112 127 -128"}, {"u1", "144 127 128"}, {"i2", "400 127 128"}, {"u2", "400 127 128"}};
    static char letters[700];

    for (size_t i = 0; i < 400 + 127 + 128; i++)
        letters[i] = i < 400 ? 'b' : i < 527 ? 'x' : 'a';
    for (size_t i = 0; i < sizeof(wrapped) / sizeof(wrapped[0]); i++) {
        begin(own_text(TEXT
                       "," COUNTS_OF("1", CHARACTERS "\"binary\":0,\"dtype\":\"%s\"," LETTERS) "," SELECT("2", "0,1,2"),
                       wrapped[i][0]),
              NULL);
        gives(text(letters), null, wrapped[i][1]);
        end();
    }
}

static void counts_are_weighed(void **state)
{
    begin(own_text(TEXT "," COUNTS ",{\"op\":\"tf_idf\",\"in\":[2],\"sublinear\":0,\"idf\":%s,\"norm\":\"l2\"}",
                   F8(1.5, 2, 1)),
          NULL);
    gives(text("cat cat dog"), null, "0.8017837257 0.5345224838 0.2672612419"); /* 3, 2, 1 by the root of 14 */
    gives(text("fish"), null, "0 0 0");
    end();
    begin(TEXT "," COUNTS ",{\"op\":\"tf_idf\",\"in\":[2],\"sublinear\":1,\"norm\":\"none\"}", NULL);
    gives(text("cat cat cat cat dog"), null, "2.386294361 1 1");
    end();
    begin(TEXT "," COUNTS ",{\"op\":\"tf_idf\",\"in\":[2],\"sublinear\":0,\"norm\":\"l1\"}", NULL);
    gives(text("cat cat dog"), null, "0.5 0.25 0.25");
    end();
    begin(TEXT "," COUNTS ",{\"op\":\"tf_idf\",\"in\":[2],\"sublinear\":0,\"norm\":\"max\"}", NULL);
    gives(text("cat cat dog"), null, "1 0.5 0.5");
    end();
}

static void sums_are_of_terms_and_numbers(void **state)
{
    begin(own_text(TEXT "," COUNTS "," SELECT(
                       "0", "1") ",{\"op\":\"concat\",\"in\":[3,2,3]},{\"op\":\"guard\",\"in\":[4],"
                                 "\"missing\":0},{\"op\":\"linear\",\"in\":[5],\"coef\":%s,\"intercept\":%s}",
                   ROWS(2, 5, 100, 1, 2, 3, 1000, 0, 1, 0, 0, 0), F8(0.5, 0.25)),
          NULL);
    gives(text("cat cat dog"), number(2), "2207.5 2.25"); /* 200 + 2 + 2 + 3 + 2000 + 0.5 */
    gives(text(""), number(0), "0.5 0.25");
    gives(text("cat"), null, "NULL");
    gives(text("cat"), number(INFINITY), "NULL");
    end();
}

static void a_computed_number_is_guarded(void **state)
{
    begin(
        own_text(
            TEXT "," COUNTS "," SELECT(
                "0",
                "1") ",{\"op\":\"affine\",\"in\":[3],\"kind\":\"mul_add\",\"dtype\":\"f8\","
                     "\"a\":%s,\"b\":%s},{\"op\":\"concat\",\"in\":[2,4]},{\"op\":\"guard\",\"in\":[5],\"missing\":0},"
                     "{\"op\":\"linear\",\"in\":[6],\"coef\":%s,\"intercept\":%s}",
            F8(1e300), F8(0), ROWS(1, 4, 1, 1, 1, 0), F8(0)),
        NULL);
    gives(text("cat"), number(3), "1");
    gives(text("cat"), number(1e10), "NULL");
    end();
}

static void trees_get_the_columns_that_they_test(void **state)
{
    begin(own_text(TEXT "," COUNTS ",%s", own_forest_of("2", (own_forest){.feature = I4(2, -1, -1)})), NULL);
    gives(text("cat dog"), null, "2");
    gives(text("dog cat"), null, "1");
    end();
}

/* cat: 1,751,422,759; dog: -1,312,749,093; horse: -2,106,200,120 */
static const char *hashes(int binary, int alternate)
{
    return own_text(TEXT ",{\"op\":\"text_hashes\",\"in\":[1]," RULE(
                        TEXTS(0, "")) "\"least\":1,\"most\":1,\"binary\":%d,\"columns\":5,\"alternate\":%d}",
                    binary, alternate);
}

static void hashes_are_columns(void **state)
{
    begin(hashes(0, 0), NULL);
    gives(text("cat dog cat horse"), null, "1 0 0 1 2");
    end();
    begin(hashes(0, 1), NULL);
    gives(text("cat dog cat horse"), null, "-1 0 0 -1 2");
    end();
    begin(hashes(1, 1), NULL);
    gives(text("cat dog cat horse"), null, "1 0 0 1 1");
    end();
}

static void sparse_columns_are_scaled(void **state)
{
    begin(own_text(TEXT "," COUNTS ",{\"op\":\"affine\",\"in\":[2],\"kind\":\"div\",\"dtype\":\"f8\",\"b\":%s}",
                   F8(2, 4, 1)),
          NULL);
    gives(text("cat cat dog"), null, "1 0.25 1");
    end();
    begin(own_text(TEXT "," COUNTS
                        ",{\"op\":\"affine\",\"in\":[2],\"kind\":\"mul_add\",\"dtype\":\"f8\",\"a\":%s,\"b\":%s}",
                   F8(2, 4, 1), F8(0, -0.0, 0)),
          NULL);
    gives(text("cat cat dog"), null, "4 4 1");
    end();
    begin(own_text(TEXT "," COUNTS ",{\"op\":\"affine\",\"in\":[2],\"kind\":\"sub\",\"dtype\":\"f8\",\"a\":%s}",
                   F8(1, 2, 3)),
          NULL);
    gives(text("cat cat dog"), null, "1 -1 -2"); /* with their zeros */
    end();
}

static void sparse_columns_are_compared(void **state)
{
    begin(own_text("%s,{\"op\":\"binarize\",\"in\":[2],\"threshold\":%s}", hashes(0, 1), F8(0)), NULL);
    gives(text("cat dog cat horse"), null, "0 0 0 0 1"); /* of -1 0 0 -1 2 */
    end();
    begin(own_text(TEXT "," COUNTS ",{\"op\":\"binarize\",\"in\":[2],\"threshold\":%s}", F8(-0.5)), NULL);
    gives(text("cat cat"), null, "1 1 1"); /* with their zeros */
    end();
    begin(own_text(TEXT "," COUNTS "," SELECT("0", "1") ",{\"op\":\"concat\",\"in\":[2,3]},{\"op\":\"binarize\","
                                                        "\"in\":[4],\"threshold\":%s}",
                   F8(0)),
          NULL);
    gives(text("cat cat"), number(-3), "1 0 0 0");
    gives(text("dog"), number(0.25), "0 1 0 1");
    gives(text("dog"), null, "NULL");
    gives(text("dog"), number(INFINITY), "NULL");
    end();
}

static void steps_of_float32_are_rounded(void **state)
{
    static const char *const linear[] = {TEXT "," COUNTS ",{\"op\":\"linear\",\"in\":[2],\"coef\":%s,\"intercept\":%s}",
                                         TEXT "," COUNTS ",{\"op\":\"linear\",\"in\":[2],\"dtype\":\"f4\",\"coef\":%s,"
                                              "\"intercept\":%s}"};

    begin(own_text(TEXT "," COUNTS ",{\"op\":\"tf_idf\",\"in\":[2],\"dtype\":\"f4\",\"sublinear\":0,\"idf\":%s,"
                        "\"norm\":\"none\"}",
                   F8(0.1, 2, 3e38)),
          NULL);
    gives(text("cat cat cat dog"), null, "0.3000000119 2 3.000000005e+38");
    end();
    begin(TEXT "," COUNTS ",{\"op\":\"tf_idf\",\"in\":[2],\"dtype\":\"f4\",\"sublinear\":1,\"norm\":\"l2\"}", NULL);
    gives(text("cat cat dog"), null, "0.7674945593 0.4532946646 0.4532946646");
    end();
    begin(own_text(TEXT "," COUNTS ",{\"op\":\"affine\",\"in\":[2],\"kind\":\"div\",\"dtype\":\"f4\",\"b\":%s}",
                   F8(10, 4, 1)),
          NULL);
    gives(text("cat"), null, "0.1000000015 0 0");
    end();
    begin(own_text(linear[1], ROWS(1, 3, 16777216, 1, 1), F8(0.1)), NULL);
    gives(text("cat dog"), null, "16777216"); /* each 1 is lost, and so is 0.1 */
    gives(text("dog"), null, "1.100000024");
    end();
    begin(own_text(linear[0], ROWS(1, 3, 16777216, 1, 1), F8(0.1)), NULL);
    gives(text("cat dog"), null, "16777218.1");
    end();
}

/* ------------------------------------------------------------------ texts in the place of others */

#define FILL(in, n, list) "{\"op\":\"impute\",\"in\":[" in "],\"missing\":\"nan\",\"fill\":" TEXTS(n, list) "}"
#define WORDS             RULE(TEXTS(0, "")) "\"least\":1,\"most\":2,\"binary\":0," VOCABULARY
#define MARKS             "\"marks\":" TEXTS(3, "\"n/a\",\"\",\"?\"") ",\"fills\":" TEXTS(3, "\"dog cat\",\"cat\",\"\"") ","

static void a_missing_text_is_read_as_its_fill(void **state)
{
    begin(TEXT "," FILL("1", 1, "\"cat dog\"") "," COUNTS_OF("2", WORDS) "," SELECT("3", "0,1,2"), NULL);
    gives(null, null, "1 1 1");
    gives(number(NAN), null, "1 1 1");
    gives(text("dog"), null, "0 1 0");
    gives(text(""), null, "0 0 0");
    end();
    begin(TEXT "," FILL("1", 1, "\"\"") "," FILL("2", 1, "\"cat\"") "," COUNTS_OF("3", WORDS) "," SELECT("4", "0,1,2"),
          NULL);
    gives(null, null, "0 0 0"); /* of the first imputer */
    end();
    begin(TEXT "," FILL("1", 1, "\"a\"") ",{\"op\":\"text_hashes\",\"in\":[2]," CHARACTERS
                                         "\"binary\":0,\"columns\":2,\"alternate\":0}",
          NULL);
    gives(null, null, "1 0");
    gives(text(""), null, "0 0");
    end();
}

/* Two columns of one feature have a fill each. */
static void fills_move_with_their_columns(void **state)
{
    begin(
        SELECT("0", "0,0") "," FILL("1", 2, "\"a\",\"b\"") "," SELECT(
            "0",
            "0") ",{\"op\":\"concat\",\"in\":[3,2]}," SELECT("4",
                                                             "2") "," COUNTS_OF("5", CHARACTERS
                                                                                "\"binary\":0," LETTERS) "," SELECT("6",
                                                                                                                    "0,2"),
        NULL);
    gives(null, null, "1 0");
    gives(text("a"), null, "0 1");
    end();
    begin(
        SELECT("0", "0,0") "," FILL("1", 2, "\"a\",\"b\"") "," SELECT(
            "0",
            "0") ",{\"op\":\"concat\",\"in\":[3,2]}," SELECT("4",
                                                             "0") "," COUNTS_OF("5", CHARACTERS
                                                                                "\"binary\":0," LETTERS) "," SELECT("6",
                                                                                                                    "0,2"),
        NULL);
    gives(null, null, "NULL");
    end();
}

static void marks_are_read_as_their_fills(void **state)
{
    begin(TEXT "," COUNTS_OF("1", MARKS WORDS) "," SELECT("2", "0,1,2"), NULL);
    gives(text("n/a"), null, "1 1 0");
    gives(text(""), null, "1 0 0");
    gives(text("?"), null, "0 0 0");
    gives(text("cat n/a"), null, "1 0 0");
    gives(null, null, "NULL");
    end();
    begin(TEXT "," FILL("1", 1, "\"n/a\"") "," COUNTS_OF("2", MARKS WORDS) "," SELECT("3", "0,1,2"), NULL);
    gives(null, null, "1 1 0"); /* the fill is a mark */
    end();
}

/* ------------------------------------------------------------------ terms and categories of one feature */

#define CATEGORY(list, unknown) \
    "{\"values\":" TEXTS(2, list) ",\"missing\":0,\"map\":%s,\"width\":2,\"unknown\":\"" unknown "\"}"
#define ZONES               "{\"values\":%s,\"missing\":0,\"map\":%s,\"width\":1,\"unknown\":\"zeros\"}"
#define ONEHOT(in, columns) "{\"op\":\"onehot\",\"in\":[" in "],\"columns\":[" columns "]}"
#define UNSEEN                                                                                                 \
    "model \"m\": feature \"note\" has the value \"fish\", which training has not seen (option on_unseen can " \
    "make it missing or the result NULL)"

/* Beside a number, which stays one. */
static void texts_are_split_and_looked_up(void **state)
{
    const char *encoder =
        own_text(ONEHOT("0", CATEGORY("\"dog cat\",\"cat\"", "zeros") "," ZONES), I4(0, 1), F8(0.5), I4(0));

    begin(own_text(TEXT "," COUNTS ",%s," SELECT("2", "0,1,2") ",{\"op\":\"concat\",\"in\":[3,4]}", encoder), NULL);
    gives(text("cat"), number(0.5), "0 1 1 1 0 0");
    gives(text("dog cat"), number(2), "1 0 0 1 1 0");
    gives(text("Cat dog"), number(0), "0 0 0 1 1 1");
    gives(text(""), number(0), "0 0 0 0 0 0");
    gives(null, number(0), "NULL"); /* which terms have not */
    gives(number(4), null, "model \"m\": feature \"note\" takes a text, got the number 4.0");
    end();
    begin(own_text("%s," TEXT "," FILL("2", 1, "\"dog\"") "," COUNTS_OF("3", WORDS) "," SELECT(
                       "4", "0,1,2") ",{\"op\":\"concat\",\"in\":[1,5]}",
                   own_text(ONEHOT("0", CATEGORY("\"dog cat\",\"cat\"", "zeros") "," ZONES), I4(0, 1), F8(0.5), I4(0))),
          NULL);
    gives(null, number(0.5), "0 0 1 0 1 0"); /* filled for its terms alone */
    end();
}

static void a_text_that_is_split_may_be_an_unknown_category(void **state)
{
    static const char *const options[] = {NULL, "{\"on_unseen\":\"null\"}", "{\"on_unseen\":\"missing\"}"};
    static const char *const expected[] = {UNSEEN, "NULL", "NULL"};

    for (size_t i = 0; i < 3; i++) {
        const char *encoder = own_text(ONEHOT("1", CATEGORY("\"dog cat\",\"cat\"", "error")), I4(0, 1));

        begin(own_text(TEXT ",%s," COUNTS_OF("1", WORDS) "," SELECT("3", "0,1,2") ",{\"op\":\"concat\",\"in\":[2,4]}",
                       encoder),
              options[i]);
        gives(text("cat"), null, "0 1 1 0 0");
        gives(text("fish"), null, expected[i]);
        end();
    }
}

/* ------------------------------------------------------------------ JSON */

#define JSON_FEATURES(in) JSON_TYPED(in, "")
#define JSON_TYPED(in, dtype)                                                 \
    "{\"op\":\"json_features\",\"in\":[" in "]," dtype "\"separator\":\"=\"," \
    "\"vocabulary\":" TEXTS(3, "\"age\",\"city=Rome\",\"tag=x\"") "}"
#define BAD "model \"m\": feature \"note\": the JSON text, byte "

static void features_of_json_are_columns(void **state)
{
    begin(TEXT "," JSON_FEATURES("1"), NULL);
    gives(text("{\"age\":2.5,\"city\":\"Rome\",\"tag\":[\"x\",\"y\",\"x\"],\"none\":null}"), null, "2.5 1 2");
    gives(text(" {\"age\" : 1 , \"\\u0061ge\":true , \"city\":\"R\\u006fme\"}\n"), null, "1 1 0");
    gives(text("{\"tag\":[\"x\"],\"tag\":[],\"age=\":3,\"age\":-0,\"city=Rome\":4,\"\\ud800\":1}"), null, "0 4 0");
    gives(text("{\"age\":1e999,\"age\":2}"), null, "2 0 0");
    gives(text("{}"), null, "0 0 0");
    gives(text("{\"age\":null}"), null, "NULL");
    gives(text("{\"age\":-Infinity}"), null, "NULL");
    gives(text("{\"age\":1e999}"), null, "NULL");
    gives(null, null, "NULL");
    end();
}

static void features_of_json_have_a_type(void **state)
{
    begin(TEXT "," JSON_TYPED("1", "\"dtype\":\"f4\","), NULL);
    gives(text("{\"age\":16777217,\"city=Rome\":0.1,\"city\":\"Rome\"}"), null, "16777216 1.100000024 0");
    gives(text("{\"age\":1e-50}"), null, "0 0 0");
    gives(text("{\"age\":1e39}"), null, "NULL");
    end();
    begin(TEXT "," JSON_TYPED("1", "\"dtype\":\"i8\","), NULL);
    gives(text("{\"age\":-2.9,\"city=Rome\":0.9,\"tag\":[\"x\",\"x\"]}"), null, "-2 0 2");
    gives(text("{\"age\":1e19}"), null, "NULL");
    gives(text("{\"age\":null}"), null, "NULL");
    end();
}

/* Numbers that the integers do not hold are refused; sums wrap round. */
static void features_of_json_are_small_integers(void **state)
{
    static const char *const kinds[][3] = {{"i1", "-128", "127"},
                                           {"u1", "0", "255"},
                                           {"i2", "-32768", "32767"},
                                           {"u2", "0", "65535"},
                                           {"i4", "-2147483648", "2147483647"},
                                           {"u4", "0", "4294967295"}};
    static const char *const beyond[][2] = {
        {"-129", "128"},     {"-1", "256"}, {"-32769", "32768"}, {"-1", "65536"}, {"-2147483649", "2147483648"},
        {"-1", "4294967296"}};
    char json[120], expected[60];

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        begin(own_text(TEXT "," JSON_TYPED("1", "\"dtype\":\"%s\","), kinds[i][0]), NULL);
        snprintf(json, sizeof(json), "{\"age\":%s,\"city=Rome\":%s.9,\"city\":\"Rome\",\"tag=x\":-0.9}", kinds[i][1],
                 kinds[i][2]);
        snprintf(expected, sizeof(expected), "%s %s 0", kinds[i][1], kinds[i][1]);
        gives(text(json), null, expected);
        for (size_t k = 0; k < 2; k++) {
            snprintf(json, sizeof(json), "{\"age\":%s}", beyond[i][k]);
            gives(text(json), null, "NULL");
        }
        gives(text("{\"age\":null}"), null, "NULL");
        end();
    }
}

/* Each beginning of a text is none, and says so. */
static void texts_that_are_no_json_are_errors(void **state)
{
    static const char whole[] = "{\"age\":[\"x\",\"\\ud83d\\ude00\"],\"b\":-1.5e3,\"c\":\"y\",\"d\":false}";
    static const struct {
        const char *json, *why;
    } wrong[] = {{"", BAD "0: expected an object"},
                 {"[1]", BAD "0: expected an object"},
                 {"{\"age\":1} x", BAD "10: something follows the JSON"},
                 {"{\"age\":01}", BAD "7: bad number, or one of more than 1,024 bytes"},
                 {"{\"age\":+1}", BAD "7: a feature is a number, a text, a list of texts, a boolean or null"},
                 {"{\"age\":{\"a\":1}}", BAD "7: a feature is a number, a text, a list of texts, a boolean or null"},
                 {"{\"tag\":[1]}", BAD "8: expected a text of a list"},
                 {"{\"tag\":[\"x\" \"y\"]}", BAD "12: expected ',' or ']'"},
                 {"{\"age\" 1}", BAD "7: expected ':' behind a name"},
                 {"{age:1}", BAD "1: expected a name in quotes"},
                 {"{\"age\":1,}", BAD "9: expected a name in quotes"},
                 {"{\"a\\x\":1}", BAD "3: bad escape in a text"},
                 {"{\"a\\u12g4\":1}", BAD "3: bad escape in a text"},
                 {"{\"a\tb\":1}", BAD "3: control character in a text"}};
    char part[sizeof whole];

    begin(TEXT "," JSON_FEATURES("1"), NULL);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        gives(text(wrong[i].json), null, wrong[i].why);
    gives(text(whole), null, "0 0 0");
    for (size_t n = 0; n + 1 < sizeof whole; n++) {
        hbs_value row[FEATURES] = {text(part), null};
        hbs_result one;

        memcpy(part, whole, n);
        part[n] = 0;
        row[0].as.text.size = n;
        assert_int_equal(hbs_score_row(m.one, row, FEATURES, HBS_OUT_VALUES, &one, &m.error), HBS_E_ARGS);
    }
    end();
}

static const char *json_hashes(const char *input, int alternate)
{
    return own_text(TEXT ",{\"op\":\"json_hashes\",\"in\":[1],\"input\":\"%s\",\"columns\":5,\"alternate\":%d}", input,
                    alternate);
}

static void features_of_json_are_hashed(void **state)
{
    begin(json_hashes("string", 1), NULL);
    gives(text("[\"cat\",\"dog\",\"cat\",\"horse\"]"), null, "-1 0 0 -1 2");
    gives(text("[\"\\ud800\"]"), null, BAD "2: half of a surrogate pair, which UTF-8 cannot hold");
    gives(text("{}"), null, BAD "0: expected a list");
    end();
    begin(json_hashes("pair", 0), NULL);
    gives(text("[[\"cat\",0.5],[\"dog\",0],[\"horse\",2]]"), null, "2 0 0 0 0.5");
    gives(text("[\"ab\"]"), null, BAD "1: expected a pair [name, value]");
    gives(text("[[\"cat\",null]]"), null, BAD "8: a feature is a number, a text or a boolean");
    end();
    begin(json_hashes("dict", 0), NULL);
    gives(text("{\"cat\":1,\"cat\":3}"), null, "0 0 0 0 3");
    gives(text("{\"cat\":NaN}"), null, "NULL");
    end();
}

/* ------------------------------------------------------------------ what is refused */

static void refused(const char *ops, const char *expected)
{
    const char *json = own_text(HEAD "%s]}", ops);
    hbs_source source = {.bytes = json, .size = strlen(json)};
    hbs_model *model = NULL;
    hbs_error error = {.status = HBS_OK};
    test_host host;

    test_host_init(&host);
    if (hbs_model_load(&host.host, NULL, &source, &model, &error) == HBS_OK)
        fail_msg("not refused: %s", expected);
    hbs_model_free(model);
    test_host_end(&host);
    if (strncmp(error.text, expected, strlen(expected)) != 0)
        fail_msg("%s, expected %s", error.text, expected);
    own_reset();
}

#define IN_WORDS(rule, rest) TEXT "," COUNTS_OF("1", rule rest)
#define NUMBERS              "\"least\":1,\"most\":1,\"binary\":0,"

static void lies_about_texts_are_refused(void **state)
{
    refused(SELECT("0", "1") "," COUNTS, "ops[1]");
    refused(SELECT("0", "0,1") "," COUNTS, "ops[1]");
    refused(IN_WORDS("\"marks\":" TEXTS(2, "\"a\",\"a\"") ",", ""), "ops[1].marks: marks: a text comes twice");
    refused(IN_WORDS("\"marks\":" TEXTS(2, "\"a\",\"b\"") ",\"fills\":" TEXTS(1, "\"a\"") ",", ""),
            "ops[1].fills: fills has not one text for each mark");
    refused(IN_WORDS("\"marks\":" TEXTS(1, "\"a\"") ",\"unicode\":", ""),
            "ops[1].unicode: expected the member \"fills\" here");
    refused(IN_WORDS("\"marks\":1,", ""), "ops[1].marks");
    refused(own_text(TEXT "," COUNTS_OF("1", "\"marks\":" TEXTS(1, "\"a\"") ",\"fills\":" TEXTS(1, "\"%s\"") ","),
                     own_repeated("ab", "", 40000)),
            "ops[1].fills: a text that is read in the place of another one is no UTF-8 of up to 65,536 bytes");
    refused(own_text(TEXT "," FILL("1", 1, "\"%s\"") "," COUNTS_OF("2", WORDS), own_repeated("ab", "", 40000)),
            "ops[2].in: a text that is read in the place");
    refused(IN_WORDS("\"unicode\":\"16.0\",", ""),
            "ops[1].unicode: unicode \"16.0\" is unknown to this version of hbscore");
    refused(IN_WORDS(RULE(TEXTS(2, "\"a\",\"a\"")), ""), "ops[1].stop_words: stop_words: a text comes twice");
    refused(IN_WORDS(RULE(TEXTS(0, "")), NUMBERS "\"vocabulary\":" TEXTS(2, "\"a\",\"a\"")),
            "ops[1].vocabulary: vocabulary: a text comes twice");
    refused(IN_WORDS(RULE(TEXTS(0, "")), NUMBERS "\"vocabulary\":" TEXTS(0, "")),
            "ops[1].vocabulary: text_counts: no vocabulary");
    refused(IN_WORDS(RULE(TEXTS(0, "")), NUMBERS "\"vocabulary\":" TEXTS(3, "\"a\"")), "ops[1].vocabulary");
    refused(IN_WORDS(RULE(TEXTS(0, "")), NUMBERS "\"dtype\":\"i4\""), "ops[1].dtype: dtype \"i4\" is unknown");
    refused(IN_WORDS(RULE(TEXTS(0, "")), NUMBERS "\"dtype\":\"i1\",\"words\":"),
            "ops[1].words: expected the member \"vocabulary\" here");
    refused(IN_WORDS(RULE(TEXTS(0, "")), "\"least\":0,"), "ops[1].least");
    refused(IN_WORDS(RULE(TEXTS(0, "")), "\"least\":2,\"most\":1,"), "ops[1].most");
    refused(IN_WORDS(RULE(TEXTS(0, "")), "\"least\":2,\"most\":257,"), "ops[1].most");
    refused(
        IN_WORDS("\"unicode\":\"15.0\",\"lowercase\":1,\"accents\":\"keep\",\"analyzer\":\"word\",\"pattern\":\"(\",",
                 ""),
        "ops[1].pattern: the pattern: ");
}

static void lies_about_json_are_refused(void **state)
{
    refused(SELECT("0", "1") "," JSON_FEATURES("1"), "ops[1]");
    refused(TEXT "," FILL("1", 1, "\"{}\"") "," JSON_FEATURES("2"),
            "ops[2].in: an operator of JSON reads texts that were imputed");
    refused(TEXT "," JSON_FEATURES("1") ",{\"op\":\"json_hashes\",\"in\":[1],\"input\":\"dict\"",
            "ops[2].input: two operators read one feature as JSON of two forms");
    refused(TEXT ",{\"op\":\"json_hashes\",\"in\":[1],\"input\":\"\"", "ops[1].input: input \"\" is unknown");
    refused(TEXT ",{\"op\":\"json_hashes\",\"in\":[1],\"input\":\"list\"", "ops[1].input: input \"list\" is unknown");
    refused(TEXT ",{\"op\":\"json_hashes\",\"in\":[1],\"input\":\"dict\",\"columns\":0", "ops[1].columns");
    refused(TEXT ",{\"op\":\"json_features\",\"in\":[1],\"separator\":1", "ops[1].separator");
    refused(TEXT ",{\"op\":\"json_features\",\"in\":[1],\"separator\":\"=\",\"vocabulary\":" TEXTS(0, ""),
            "ops[1].vocabulary");
}

static void lies_about_weights_are_refused(void **state)
{
    refused(own_text(TEXT "," COUNTS ",{\"op\":\"tf_idf\",\"in\":[2],\"sublinear\":0,\"idf\":%s,\"norm\":\"l2\"}",
                     F8(1, 2)),
            "ops[2].idf: tf_idf: idf has not one number for each column");
    refused(own_text(TEXT "," COUNTS ",{\"op\":\"tf_idf\",\"in\":[2],\"sublinear\":0,\"idf\":%s,\"norm\":\"l2\"}",
                     F8(1, NAN, 2)),
            "ops[2].idf: tf_idf: a weight is not finite");
    refused(TEXT "," COUNTS ",{\"op\":\"tf_idf\",\"in\":[2],\"sublinear\":0,\"norm\":\"l3\"}",
            "ops[2].norm: norm \"l3\" is unknown");
    refused(own_text(TEXT "," COUNTS ",{\"op\":\"linear\",\"in\":[2],\"coef\":%s,\"intercept\":%s}", ROWS(1, 2, 1, 2),
                     F8(0)),
            "ops[2].intercept: linear: coef is not [outputs, features]");
    refused(TEXT "," COUNTS "," SELECT("2", "1,0"), "ops[2].cols: select: of sparse columns they rise");
    refused(TEXT "," COUNTS ",{\"op\":\"tf_idf\",\"in\":[2],\"dtype\":\"i8\",\"sublinear\":0",
            "ops[2].dtype: dtype \"i8\" is unknown");
    refused(TEXT "," COUNTS ",{\"op\":\"tf_idf\",\"in\":[2],\"dtype\":\"f4\",\"norm\":0", "ops[2]");
    refused(TEXT "," JSON_TYPED("1", "\"dtype\":\"f8\","), "ops[1].dtype: dtype \"f8\" is unknown");
    refused(own_text(SELECT("0", "1") ",{\"op\":\"linear\",\"in\":[1],\"dtype\":\"f4\",\"coef\":%s,\"intercept\":%s}",
                     ROWS(1, 1, 1), F8(0)),
            "ops[1].intercept: linear: only sums of a sparse value have a dtype");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_are_counted),
        cmocka_unit_test(a_long_text_is_counted_in_order),
        cmocka_unit_test(very_many_terms_are_counted),
        cmocka_unit_test(lists_have_a_limit),
        cmocka_unit_test(counts_wrap_round),
        cmocka_unit_test(counts_are_weighed),
        cmocka_unit_test(sums_are_of_terms_and_numbers),
        cmocka_unit_test(a_computed_number_is_guarded),
        cmocka_unit_test(trees_get_the_columns_that_they_test),
        cmocka_unit_test(hashes_are_columns),
        cmocka_unit_test(sparse_columns_are_scaled),
        cmocka_unit_test(sparse_columns_are_compared),
        cmocka_unit_test(steps_of_float32_are_rounded),
        cmocka_unit_test(a_missing_text_is_read_as_its_fill),
        cmocka_unit_test(fills_move_with_their_columns),
        cmocka_unit_test(marks_are_read_as_their_fills),
        cmocka_unit_test(texts_are_split_and_looked_up),
        cmocka_unit_test(a_text_that_is_split_may_be_an_unknown_category),
        cmocka_unit_test(lies_about_texts_are_refused),
        cmocka_unit_test(features_of_json_are_columns),
        cmocka_unit_test(features_of_json_have_a_type),
        cmocka_unit_test(features_of_json_are_small_integers),
        cmocka_unit_test(texts_that_are_no_json_are_errors),
        cmocka_unit_test(features_of_json_are_hashed),
        cmocka_unit_test(lies_about_json_are_refused),
        cmocka_unit_test(lies_about_weights_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
