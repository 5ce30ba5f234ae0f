/* test_own_errors.c - hbscore's own format: the words of every error, the limits, memory that runs out, and
 * the inspection. */
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "own_writer.h"

/* ------------------------------------------------------------------ errors of files */

static hbs_status load(const hbs_host *host, const char *json, const char *options, hbs_error *error)
{
    size_t size = strlen(json);
    char *copy = test_exact_copy(json, size);
    hbs_source source = {
        .bytes = copy, .size = size, .options = options, .options_size = options ? strlen(options) : 0};
    const hbs_limits limits = {.max_nodes = 1000};
    hbs_model *model = NULL;
    hbs_status status = hbs_model_load(host, &limits, &source, &model, error);

    hbs_model_free(model);
    free(copy);
    return status;
}

/* How many of a test's expectations failed: all are shown before the test fails. */
static size_t n_wrong;

/* The words, behind which nothing but the place may stand. */
static bool has_text(const hbs_error *error, const char *text)
{
    size_t n = strlen(text);

    return strncmp(error->text, text, n) == 0 &&
           (error->text[n] == '\0' || strncmp(error->text + n, " (byte ", 7) == 0);
}

static void refused_with(const char *json, const char *options, hbs_status status, const char *text)
{
    test_host host;
    hbs_error error = {.status = HBS_OK};
    hbs_status found;

    test_host_init(&host);
    found = load(&host.host, json, options, &error);
    test_host_end(&host);
    if (found == status && has_text(&error, text))
        return;
    n_wrong++;
    print_error("%s, expected %s\n  found    %s\n  expected %s\n", hbs_status_name(found), hbs_status_name(status),
                found == HBS_OK ? "" : error.text, text);
}

static void refused(const char *json, hbs_status status, const char *text)
{
    refused_with(json, NULL, status, text);
}

static void none_wrong(void)
{
    size_t n = n_wrong;

    n_wrong = 0;
    assert_int_equal(n, 0);
}

#define F           HBS_E_FORMAT
#define U           HBS_E_UNSUPPORTED
#define L           HBS_E_LIMIT
#define HEAD        "{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\","
#define ONE         "\"features\":[{\"type\":\"f8\"}],"
#define OPS         "\"ops\":[" SELECT("0", "0") "]}"
#define TRANSFORMER "{\"hbscore\":1,\"writer\":{},\"task\":\"transformer\","

static void the_head_of_the_document_is_strict(void **state)
{
    static const struct {
        const char *json;
        hbs_status status;
        const char *text;
    } cases[] = {
        {"{\"hbscore\":2}", U,
         "hbscore: format version 2: this version of hbscore reads up to 1, a newer one is needed"},
        {"{\"hbscore\":0}", F, "hbscore: expected an integer of 1 to 2147483647, found 0"},
        {"{\"hbscore\":\"1\"}", F, "hbscore: expected an integer, found a string"},
        {"{\"hbscore\":1.0}", F, "hbscore: expected an integer, found a real number"},
        {"{\"hbscore\":1}", F, "no member \"writer\""},
        {"{\"hbscore\":1,\"task\":\"regressor\"}", F, "task: expected the member \"writer\" here"},
        {"{\"hbscore\":1,\"writer\":{\"x\":1}}", F, "writer.x: expected a string, found an integer"},
        {"{\"hbscore\":1,\"writer\":[]}", F, "writer: expected an object, found an array"},
        {"{\"hbscore\":1,\"hbscore\":1}", F, "hbscore: duplicate key"},
        {"{\"hbscore\":1,\"writer\":{},\"task\":\"cluster\"}", U,
         "task: task \"cluster\" is unknown to this version of hbscore"},
        {"{\"hbscore\":1,\"writer\":{},\"task\":\"\"}", U, "task: task \"\" is unknown to this version of hbscore"},
        {HEAD "\"features\":[]}", F, "features: no features"},
        {HEAD "\"features\":[1]}", F, "features[0]: expected an object, found an integer"},
        {HEAD "\"features\":[{}]}", F, "features[0]: expected the member \"type\" here"},
        {HEAD "\"features\":[{\"type\":\"f2\"}]}", U,
         "features[0].type: type \"f2\" is unknown to this version of hbscore"},
        {HEAD "\"features\":[{\"type\":\"f8\",\"name\":\"a\"}]}", F,
         "features[0].name: unknown member: this version of hbscore does not read it"},
        {HEAD "\"features\":[{\"name\":\"a\"}]}", F, "features[0]: no member \"type\""},
        {HEAD "\"features\":[{\"name\":\"\",\"type\":\"f8\"}]}", F, "features[0].name: an empty name"},
        {HEAD "\"features\":[{\"kind\":\"f8\"}]}", F, "features[0].kind: expected the member \"type\" here"},
        {HEAD "\"features\":[{\"name\":\"a\",\"type\":\"f8\"},{\"type\":\"f8\"}]}", F,
         "features[1].type: either all features have a name or none"},
        {HEAD "\"features\":[{\"type\":\"f8\"},{\"name\":\"a\",\"type\":\"f8\"}]}", F,
         "features[1].name: either all features have a name or none"},
        {HEAD "\"features\":[{\"name\":\"a\",\"type\":\"f8\"},{\"name\":\"a\",\"type\":\"f8\"}]," OPS, F,
         "two features have the name \"a\" (option features gives them new names)"},
        {HEAD "\"ops\":[]}", F, "ops: expected the member \"features\" here"},
        {HEAD ONE "\"classes\":{}}", F, "classes: expected the member \"ops\" here"},
        {HEAD "\"features\":[{\"type\":\"f8\"}]}", F, "no member \"ops\""},
        {HEAD ONE "\"transform\":-1," OPS, F, "transform: expected an integer of 0 to 4096, found -1"},
        {HEAD ONE "\"transform\":0}", F, "no member \"ops\""},
        {HEAD ONE "\"transform\":0,\"more\":1}", F, "more: expected the member \"ops\" here"},
        {HEAD ONE "\"transform\":2," OPS, F, "ops: transform is value 2, there are 0 to 1"},
        {TRANSFORMER ONE OPS, F, "ops: expected the member \"transform\" here"},
        {TRANSFORMER "\"features\":[{\"type\":\"f8\"}]}", F, "no member \"transform\""},
        {TRANSFORMER ONE "\"transform\":1,\"ops\":[]}", F, "ops: the last operator is not the model's answer"},
        {TRANSFORMER "\"features\":[{\"type\":\"str\"}],\"transform\":1," OPS, F,
         "ops: transform has a text, it gives numbers only"},
        {TRANSFORMER "\"features\":[{\"type\":\"str\"}],\"transform\":0," OPS, F,
         "ops: transform has a text, it gives numbers only"},
        {HEAD ONE "\"ops\":[" SELECT("0", "0") "],\"more\":1}", F,
         "more: unknown member: this version of hbscore does not read it"},
        {HEAD ONE "\"ops\":[]}", F, "ops: the last operator is not the model's answer"},
        {HEAD ONE "\"ops\":{}}", F, "ops: expected an array, found an object"},
        {HEAD ONE OPS " x", F, "something follows the document"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(cases[i].json, cases[i].status, cases[i].text);
    none_wrong();
}

static void white_space_is_allowed_but_in_the_mark(void **state)
{
    refused("{\"hbscore\": 1 ,\n\"writer\" : {} , \"task\":\"regressor\", \"features\" :[ {\"type\":\"f8\"} ],"
            "\t\"ops\": [ " SELECT("0", "0") " ] }\n",
            HBS_OK, "");
    refused("{ \"hbscore\":1}", F, "hbscore: unknown member: this version of hbscore does not read it");
    none_wrong();
}

static void classes_are_checked(void **state)
{
    static const struct {
        const char *dtype, *shape, *data;
        hbs_status status;
        const char *text;
    } cases[] = {
        {"f4", "[2]", "\"\"", U, "classes.dtype: dtype \"f4\" is unknown to this version of hbscore"},
        {"i4", "[2]", "\"\"", U, "classes.dtype: dtype \"i4\" is unknown to this version of hbscore"},
        {"i8", "[1]", "\"AAAAAAAAAAA=\"", F, "ops[0].rule: head: the rule needs two classes"},
        {"i8", "[0]", "\"\"", F, "classes: 0 classes (1 to 4096)"},
        {"i8", "[2]", "\"AAAAAAAAAAAAAAAAAAAAAA==\"", F, "classes: classes 0 and 1 are equal"},
        {"f8", "[2]", "\"AAAAAAAAAAAAAAAAAADwfw==\"", HBS_OK, ""},
        {"f8", "[2]", "\"AAAAAAAAAAAAAAAAAAD4fw==\"", F, "classes: class 1 is NaN"},
        {"f8", "[2]", "\"AAAAAAAAAAAAAAAAAAAAgA==\"", F, "classes: classes 0 and 1 are equal"},
        {"str", "[2]", "[\"a\"]", F, "classes.data: 1 texts, the shape says 2"},
        {"str", "[2]", "[\"a\",\"b\",\"c\"]", F, "classes.data: 3 texts, the shape says 2"},
        {"str", "[2]", "[\"a\",1]", F, "classes.data[1]: expected a string, found an integer"},
        {"str", "[2]", "\"ab\"", F, "classes.data: expected an array, found a string"},
        {"str", "[2]", "[\"a\",\"a\"]", F, "classes: classes 0 and 1 are equal"},
        {"b1", "[2]", "\"AAE=\"", HBS_OK, ""},
        {"b1", "[2]", "\"AAI=\"", F, "classes.data: a boolean is neither 0 nor 1"},
        {"b1", "[2]", "\"AQE=\"", F, "classes: classes 0 and 1 are equal"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(own_classifier(1,
                               own_text("{\"dtype\":\"%s\",\"shape\":%s,\"data\":%s}", cases[i].dtype, cases[i].shape,
                                        cases[i].data),
                               own_head("gt0", "0")),
                cases[i].status, cases[i].text);
    none_wrong();
}

static void no_more_classes_than_the_limit(void **state)
{
    static int64_t labels[4097];

    for (int i = 0; i < 4097; i++)
        labels[i] = i;
    refused(own_classifier(1, own_array("i8", 8, 4097, labels), own_head("gt0", "0")), F,
            "classes: 4097 classes (1 to 4096)");
    none_wrong();
}

/* An array of the affine operator's `a`, which should be of one double. */
static void arrays_are_strict(void **state)
{
    static const struct {
        const char *array;
        hbs_status status;
        const char *text;
    } cases[] = {
        {"[1]", F, "ops[0].a: expected an object, found an array"},
        {"{}", F, "ops[0].a: no member \"dtype\""},
        {"{\"shape\":[1]}", F, "ops[0].a.shape: expected the member \"dtype\" here"},
        {"{\"dtype\":\"f4\"}", U, "ops[0].a.dtype: dtype \"f4\" is unknown to this version of hbscore"},
        {"{\"dtype\":\"i8\"}", U, "ops[0].a.dtype: dtype \"i8\" is unknown to this version of hbscore"},
        {"{\"dtype\":\"f8\"}", F, "ops[0].a: no member \"shape\""},
        {"{\"dtype\":\"f8\",\"data\":\"\"}", F, "ops[0].a.data: expected the member \"shape\" here"},
        {"{\"dtype\":\"f8\",\"shape\":1}", F, "ops[0].a.shape: expected an array, found an integer"},
        {"{\"dtype\":\"f8\",\"shape\":[-1]}", F, "ops[0].a.shape[0]: expected an integer of 0 to 268435456, found -1"},
        {"{\"dtype\":\"f8\",\"shape\":[268435457]}", F,
         "ops[0].a.shape[0]: expected an integer of 0 to 268435456, found 268435457"},
        {"{\"dtype\":\"f8\",\"shape\":[268435456,268435456]}", F,
         "ops[0].a.shape[1]: the array has too many dimensions or items"},
        {"{\"dtype\":\"f8\",\"shape\":[1,1,1]}", F, "ops[0].a.shape[2]: the array has too many dimensions or items"},
        {"{\"dtype\":\"f8\",\"shape\":[]}", F, "ops[0].a.shape: an array of 0 dimensions, expected 1"},
        {"{\"dtype\":\"f8\",\"shape\":[1,1]}", F, "ops[0].a.shape: an array of 2 dimensions, expected 1"},
        {"{\"dtype\":\"f8\",\"shape\":[1]}", F, "ops[0].a: no member \"data\""},
        {"{\"dtype\":\"f8\",\"shape\":[1],\"data\":[0]}", F, "ops[0].a.data: expected a string, found an array"},
        {"{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA8D8=\",\"more\":0}", F,
         "ops[0].a.more: unknown member: this version of hbscore does not read it"},
        {"{\"dtype\":\"f8\",\"shape\":[2],\"data\":\"AAAAAAAA8D8AAAAAAADwPw==\"}", F,
         "ops[0].a: a has 2 numbers, expected 1"},
        {"{\"dtype\":\"f8\",\"shape\":[0],\"data\":\"\"}", F, "ops[0].a: a has 0 numbers, expected 1"},
        {"{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA+H8=\"}", F, "ops[0].a: a: number 0 is not finite"},
        {"{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA8P8=\"}", F, "ops[0].a: a: number 0 is not finite"},
        {"{\"dtype\":\"f8\",\"shape\":[268435456],\"data\":\"AAAA\"}", F,
         "ops[0].a.data: the data is too short for the shape"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(own_regressor(1, own_text("{\"op\":\"affine\",\"in\":[0],\"kind\":\"sub\","
                                          "\"dtype\":\"f8\",\"a\":%s}",
                                          cases[i].array)),
                cases[i].status, cases[i].text);
    none_wrong();
}

/* One array is one text: the base64 is padded, of the one right length, and has no bits to spare. */
static void base64_is_canonical(void **state)
{
    static const struct {
        const char *data;
        bool good;
    } ones[] =
        {
            {"AAAAAAAA8D8=", true},        {"AAAAAAAA8D8", false},      {"AAAAAAAA8D8==", false},
            {"AAAAAAAA8D8A", false},       {"AAAAAAAA8D8=AAAA", false}, {"AAAAAAAA8D9=", false},
            {"AAAAAAAA8D+=", false},       {"AAAAAAAA8D==", false},     {"AAAA AAA8D8=", false},
            {"AAAA\\nAA8D8=", false},      {"AAAAAAAA8D-=", false},     {"AAAAAAA_8D8=", false},
            {"=AAAAAAA8D8=", false},       {"AAAA====8D8=", false},     {"AAAAAAA\\u00e9D8=", false},
            {"AAAAAAA\\u00008D8=", false}, {"AAAAAAAA8D8B", false},     {"AAAAAAAA8D8-", false},
        },
      bytes[] = {
          /* of one byte, 1 */
          {"AQ==", true},  {"AR==", false}, {"AQ=A", false}, {"AQA=", false}, {"AQ=B", false},
          {"AQB=", false}, {"AQ!=", false}, {"AQ", false},   {"A===", false},
      };

    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        refused(own_regressor(1, own_text("{\"op\":\"affine\",\"in\":[0],\"kind\":\"sub\","
                                          "\"dtype\":\"f8\",\"a\":{\"dtype\":\"f8\",\"shape\":[1],"
                                          "\"data\":\"%s\"}}",
                                          ones[i].data)),
                ones[i].good ? HBS_OK : F,
                ones[i].good ? "" : "ops[0].a.data: the data is not the base64 of 1 numbers of 8 bytes");
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        refused(
            own_regressor(1, own_forest_of("0", (own_forest){.start = I4(0, 1),
                                                             .left = I4(-1),
                                                             .right = I4(-1),
                                                             .feature = I4(-1),
                                                             .threshold = F8(0),
                                                             .cover = F8(1),
                                                             .value = ROWS(1, 1, 1),
                                                             .missing_left = own_text("{\"dtype\":\"u1\",\"shape\":[1],"
                                                                                      "\"data\":\"%s\"}",
                                                                                      bytes[i].data)})),
            bytes[i].good ? HBS_OK : F,
            bytes[i].good ? ""
                          : "ops[0].missing_left.data: the data is not the base64 of 1 numbers of "
                            "1 bytes");
    none_wrong();
}

typedef struct ops_case {
    const char *ops;
    hbs_status status;
    const char *text;
} ops_case;

#define NO_STEP "ops[0].step: a step's name is UTF-8 of 1 to 255 bytes, none of them 0"

static const char *text_of(size_t size)
{
    static char text[512];

    memset(text, 'a', size);
    text[size] = 0;
    return text;
}

static void operators_are_strict(void **state)
{
    const char *one = F8(1), *number = own_text("\"fill\":%s}", F8(1, 1));
    const ops_case cases[] = {
        {"{}", F, "ops[0]: no member \"op\""},
        {"1", F, "ops[0]: expected an object, found an integer"},
        {"{\"op\":\"impute\",\"in\":[0]}", F, "ops[0]: no member \"missing\""},
        {"{\"in\":[0]}", F, "ops[0].in: expected the member \"op\" here"},
        {"{\"op\":\"magic\"}", U, "ops[0].op: op \"magic\" is unknown to this version of hbscore"},
        {"{\"op\":1}", F, "ops[0].op: expected a string, found an integer"},
        {"{\"op\":\"cast\"}", F, "ops[0]: no member \"in\""},
        {"{\"op\":\"cast\",\"step\":\"a\"}", F, "ops[0]: no member \"in\""},
        {"{\"op\":\"cast\",\"step\":\"a\",\"to\":\"f4\"}", F, "ops[0].to: expected the member \"in\" here"},
        {"{\"op\":\"cast\",\"in\":[0],\"step\":\"a\",\"to\":\"f4\"}", F,
         "ops[0].step: expected the member \"to\" here"},
        {"{\"step\":\"a\",\"op\":\"cast\",\"in\":[0]}", F, "ops[0].step: expected the member \"op\" here"},
        {"{\"op\":\"cast\",\"step\":1}", F, "ops[0].step: expected a string, found an integer"},
        {"{\"op\":\"cast\",\"step\":null}", F, "ops[0].step: expected a string, found null"},
        {"{\"op\":\"cast\",\"step\":\"\",\"in\":[0],\"to\":\"f4\"}", F, NO_STEP},
        {"{\"op\":\"cast\",\"step\":\"a\\u0000b\",\"in\":[0],\"to\":\"f4\"}", F, NO_STEP},
        {own_text("{\"op\":\"cast\",\"step\":\"%s\",\"in\":[0],\"to\":\"f4\"}", text_of(256)), F, NO_STEP},
        {"{\"op\":\"cast\",\"in\":0}", F, "ops[0].in: expected an array, found an integer"},
        {"{\"op\":\"cast\",\"in\":[1]}", F, "ops[0].in[0]: expected an integer of 0 to 0, found 1"},
        {CAST("0") "," CAST("-1"), F, "ops[1].in[0]: expected an integer of 0 to 1, found -1"},
        {"{\"op\":\"cast\",\"in\":[]}", F, "ops[0].in: the operator does not take so many inputs"},
        {"{\"op\":\"cast\",\"in\":[0,0]}", F, "ops[0].in: the operator does not take so many inputs"},
        {"{\"op\":\"concat\",\"in\":[]}", F, "ops[0].in: the operator does not take so many inputs"},
        {"{\"op\":\"cast\",\"in\":[0]}", F, "ops[0]: no member \"to\""},
        {"{\"op\":\"cast\",\"in\":[0],\"to\":\"f8\"}", U, "ops[0].to: to \"f8\" is unknown to this version of hbscore"},
        {"{\"op\":\"cast\",\"in\":[0],\"to\":\"f4\",\"more\":1}", F,
         "ops[0].more: unknown member: this version of hbscore does not read it"},
        {SELECT("0", ""), F, "ops[0].cols: no columns"},
        {SELECT("0", "2"), F, "ops[0].cols: a column that is not there"},
        {SELECT("0", "-1"), F, "ops[0].cols: a column that is not there"},
        {"{\"op\":\"select\",\"in\":[0],\"cols\":[1.0]}", F,
         "ops[0].cols[0]: expected an integer, found a real number"},
        {"{\"op\":\"select\",\"in\":[0]}", F, "ops[0]: no member \"cols\""},
        {"{\"op\":\"affine\",\"in\":[0],\"kind\":\"mul\"}", U,
         "ops[0].kind: kind \"mul\" is unknown to this version of hbscore"},
        {"{\"op\":\"affine\",\"in\":[0],\"kind\":\"sub\",\"dtype\":\"f2\"}", U,
         "ops[0].dtype: dtype \"f2\" is unknown to this version of hbscore"},
        {"{\"op\":\"affine\",\"in\":[0],\"kind\":\"sub\",\"dtype\":\"f8\"}", F, "ops[0]: no member \"a\""},
        {"{\"op\":\"affine\",\"in\":[0],\"kind\":\"div\",\"dtype\":\"f8\",\"a\":0}", F,
         "ops[0].a: expected the member \"b\" here"},
        {own_text("{\"op\":\"affine\",\"in\":[0],\"kind\":\"sub\",\"dtype\":\"f8\",\"a\":%s,\"b\":1}", F8(1, 1)), F,
         "ops[0].b: unknown member: this version of hbscore does not read it"},
        {"{\"op\":\"check\",\"in\":[0]}", F, "ops[0]: no member \"missing\""},
        {"{\"op\":\"check\",\"in\":[0],\"missing\":2}", F, "ops[0].missing: expected an integer of 0 to 1, found 2"},
        {own_text("{\"op\":\"clip\",\"in\":[0],\"lo\":%s}", one), F, "ops[0]: no member \"hi\""},
        {own_text("{\"op\":\"clip\",\"in\":[0],\"lo\":%s}", F8(NAN)), F, "ops[0].lo: lo: number 0 is not finite"},
        {own_text("{\"op\":\"clip\",\"in\":[0],\"lo\":%s,\"hi\":%s}", one, F8(0)), F, "clip: from 1 to 0"},
        {"{\"op\":\"impute\",\"in\":[0],\"missing\":\"none\"}", U,
         "ops[0].missing: missing \"none\" is unknown to this version of hbscore"},
        {own_text("{\"op\":\"impute\",\"in\":[0],\"missing\":%s,%s", F8(1, 2), number), F,
         "ops[0].missing: missing is no number"},
        {own_text("{\"op\":\"impute\",\"in\":[0],\"missing\":%s,%s", F8(NAN), number), F,
         "ops[0].missing: missing is no number"},
        {own_text("{\"op\":\"impute\",\"in\":[0],\"missing\":1,%s", number), F,
         "ops[0].missing: expected an object, found an integer"},
        {own_text("{\"op\":\"impute\",\"in\":[0],\"missing\":\"nan\",\"fill\":%s}", one), F,
         "ops[0].fill: fill has 1 numbers, expected 2"},
        {own_text("{\"op\":\"linear\",\"in\":[0],\"coef\":%s}", F8(1, 1)), F,
         "ops[0].coef.shape: an array of 1 dimensions, expected 2"},
        {own_text("{\"op\":\"linear\",\"in\":[0],\"coef\":%s}", ROWS(1, 2, 1, 1)), F,
         "ops[0]: no member \"intercept\""},
        {own_text("{\"op\":\"linear\",\"in\":[0],\"coef\":%s,\"intercept\":%s}", ROWS(2, 1, 1, 1), F8(1, 1)), F,
         "ops[0].intercept: linear: coef is not [outputs, features], or intercept not [outputs]"},
        {own_text("{\"op\":\"linear\",\"in\":[0],\"coef\":%s,\"intercept\":%s}", ROWS(1, 2, 1, 1), F8(1, 1)), F,
         "ops[0].intercept: linear: coef is not [outputs, features], or intercept not [outputs]"},
        {own_text("{\"op\":\"linear\",\"in\":[0],\"coef\":%s,\"intercept\":%s}", own_matrix(0, 2, NULL),
                  own_array("f8", 8, 0, "")),
         F, "ops[0].intercept: linear: coef is not [outputs, features], or intercept not [outputs]"},
        {own_text("{\"op\":\"linear\",\"in\":[0],\"coef\":%s,\"intercept\":%s}", ROWS(1, 2, 1, NAN), one), F,
         "ops[0].intercept: linear: a coefficient is not finite"},
        {own_text("{\"op\":\"linear\",\"in\":[0],\"coef\":%s,\"intercept\":%s}", ROWS(1, 2, 1, 1), F8(NAN)), F,
         "ops[0].intercept: linear: an intercept is NaN"},
        {own_link("probit", "0"), U, "ops[0].kind: kind \"probit\" is unknown to this version of hbscore"},
        {own_link("softmax_pm", "0"), F, "link: the softmax of -d, d needs one score, not 2"},
        {own_head("gt0", "0"), F, "ops[0].rule: head: the scores are not those of the classes"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(own_regressor(2, cases[i].ops), cases[i].status, cases[i].text);
    none_wrong();
}

static void heads_are_strict(void **state)
{
    static const char not_those[] = "ops[2].rule: head: the scores are not those of the classes";
    /* values 1 and 2 are of width 1 and 2, the table of width 3 */
    const struct {
        const char *head, *text;
    } cases[] = {
        {own_head("votes", "1"), "ops[2].rule: rule \"votes\" is unknown to this version of hbscore"},
        {own_head("gt0", "0"), not_those},
        {own_head("gt0", "1,0"), not_those},
        {own_head("gt0", "2"), "ops[2].rule: head: the rule needs one score"},
        {own_head("ge0", "2,1"), "ops[2].rule: head: the rule needs one score"},
        {own_head("half", "1,2"), "ops[2].rule: head: the rule needs one probability"},
        {own_head("argmax", "1,2"), "ops[2].rule: head: argmax of one score"},
        {own_head("gt0", "1,1,1,1"), "ops[2].in: the operator does not take so many inputs"},
        {own_head("gt0", "1,1,0"), not_those},
        {own_head("gt0", "1,1,2"), "ops[2].rule: head: the rule needs one score"},
        {own_head("half", "1,1,2"), "ops[2].rule: head: the rule needs one probability"},
        {own_head("argmax", "2,2,1"), "ops[2].rule: head: argmax of one score"},
        {own_text("%s," CAST("1"), own_head("gt0", "1")), "ops[3].in: an operator behind the model's answer"},
        {own_text("%s,%s", own_head("gt0", "1"), own_head("gt0", "1")),
         "ops[3].in: an operator behind the model's answer"},
        {own_text("%s," CAST("3"), own_head("gt0", "1")), "ops[3].in[0]: too many inputs, or one that is a label"},
        {CAST("0"), "ops: the last operator is not the model's answer"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(own_classifier(3, I8(0, 1), own_text(SELECT("0", "0") "," SELECT("0", "0,1") ",%s", cases[i].head)),
                i == 0 ? U : F, cases[i].text);
    refused(own_classifier(1, I8(1, 2, 3), own_head("gt0", "0")), F,
            "ops[0].rule: head: the scores are not those of the classes");
    refused(own_classifier(2, I8(1, 2, 3), own_head("argmax", "0")), F,
            "ops[0].rule: head: the scores are not those of the classes");
    none_wrong();
}

static void forests_are_strict(void **state)
{
    const struct {
        own_forest forest;
        const char *text;
    } cases[] = {
        {{.input = "\"f2\""}, "ops[0].input: input \"f2\" is unknown to this version of hbscore"},
        {{.start = F8(0, 3)}, "ops[0].start.dtype: dtype \"f8\" is unknown to this version of hbscore"},
        {{.missing = "3"}, "ops[0].missing: expected an integer of 0 to 2, found 3"},
        {{.missing = "true"}, "ops[0].missing: expected an integer, found a boolean"},
        {{.divide = F8(0)}, "ops[0].missing: forest: divide is not one positive number"},
        {{.divide = F8(-1)}, "ops[0].missing: forest: divide is not one positive number"},
        {{.divide = F8(INFINITY)}, "ops[0].missing: forest: divide is not one positive number"},
        {{.divide = F8(NAN)}, "ops[0].missing: forest: divide is not one positive number"},
        {{.divide = F8(1, 1)}, "ops[0].missing: forest: divide is not one positive number"},
        {{.start = own_array("i4", 4, 0, "")},
         "ops[0].missing: forest: start does not go from 0 to the number of nodes"},
        {{.start = I4(1, 3)}, "ops[0].missing: forest: start does not go from 0 to the number of nodes"},
        {{.start = I4(0, 2)}, "ops[0].missing: forest: start does not go from 0 to the number of nodes"},
        {{.start = I4(0, -1)}, "ops[0].missing: forest: start does not go from 0 to the number of nodes"},
        {{.start = I4(0, 2, 2, 3)}, "ops[0].missing: forest: start does not rise"},
        {{.start = I4(0, 4, 3)}, "ops[0].missing: forest: start does not rise"},
        {{.start = I4(0, -1, 3)}, "ops[0].missing: forest: start does not rise"},
        {{.right = I4(2, -1)}, "ops[0].missing: forest: the arrays of nodes are not of one length"},
        {{.feature = I4(0, -1)}, "ops[0].missing: forest: the arrays of nodes are not of one length"},
        {{.threshold = F8(0)}, "ops[0].missing: forest: the arrays of nodes are not of one length"},
        {{.missing_left = U1(0)}, "ops[0].missing: forest: the arrays of nodes are not of one length"},
        {{.cover = F8(1, 1, 1, 1)}, "ops[0].missing: forest: the arrays of nodes are not of one length"},
        {{.group = I4(0, 0)}, "ops[0].missing: forest: group is not one number for each tree"},
        {{.init = own_array("f8", 8, 0, "")}, "ops[0].missing: forest: init has no number for each output"},
        {{.init = F8(NAN)}, "ops[0].missing: forest: init has a NaN"},
        {{.cover = F8(1, -0.5, 1)}, "ops[0].missing: forest: a cover is negative or NaN"},
        {{.cover = F8(1, NAN, 1)}, "ops[0].missing: forest: a cover is negative or NaN"},
        {{.cover = F8(1, INFINITY, 1)},
         "tree 0, node 1: its cover (the weight of its training rows) is not a finite number from 0 on"},
        {{.right = I4(2, 2, -1)}, "ops[0].missing: forest: a leaf has a right child"},
        {{.missing_left = U1(0, 0, 2)}, "ops[0].missing: forest: missing_left is neither 0 nor 1"},
        {{.group = I4(1)}, "ops[0].missing: forest: a group is no output"},
        {{.group = I4(-2)}, "ops[0].missing: forest: a group is no output"},
        {{.init = F8(0, 0), .group = I4(2)}, "ops[0].missing: forest: a group is no output"},
        {{.init = F8(0, 0), .group = I4(-2)}, "ops[0].missing: forest: a group is no output"},
        {{.init = F8(0, 0)}, "ops[0].missing: forest: value is not as wide as the leaves"},
        {{.value = ROWS(2, 2, 1, 2, 3, 4)}, "ops[0].missing: forest: value is not as wide as the leaves"},
        {{.value = ROWS(3, 1, 1, 2, 3)}, "ops[0].missing: forest: value has not one row for each leaf"},
        {{.value = ROWS(1, 1, 1)}, "ops[0].missing: forest: value has not one row for each leaf"},
        {{.value = ROWS(2, 1, 1, NAN)}, "tree 0, node 2: its leaf value is NaN"},
        {{.threshold = F8(NAN, 0, 0)}, "tree 0, node 0: its threshold is NaN"},
        {{.feature = I4(1, -1, -1)}, "tree 0, node 0 tests feature 1, the model has 1 (0 to 0)"},
        {{.feature = I4(-1, -1, -1)}, "tree 0, node 0 tests feature -1, the model has 1 (0 to 0)"},
        {{.left = I4(0, -1, -1)}, "tree 0, node 0: child 0 is the root or has another parent already"},
        {{.right = I4(1, -1, -1)}, "tree 0, node 0: child 1 is the root or has another parent already"},
        {{.right = I4(3, -1, -1)}, "tree 0, node 0: child 3 is out of range (0 to 2)"},
        {{.right = I4(-1, -1, -1)}, "tree 0, node 0: child -1 is out of range (0 to 2)"},
        {{.left = I4(-2, -1, -1)}, "tree 0, node 0: child -2 is out of range (0 to 2)"},
        {{.start = I4(0, 1, 3), .group = I4(-1, -1)}, "tree 0, node 0: child 1 is out of range (0 to 0)"},
        {{.left = I4(1, 0, -1), .right = I4(2, 2, -1), .value = ROWS(1, 1, 1)},
         "tree 0, node 1 tests feature -1, the model has 1 (0 to 0)"},
        {{.left = I4(1, 0, -1), .right = I4(2, 2, -1), .feature = I4(0, 0, -1), .value = ROWS(1, 1, 1)},
         "tree 0, node 1: child 0 is the root or has another parent already"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(own_regressor(1, own_forest_of("0", cases[i].forest)), i < 2 ? U : F, cases[i].text);
    none_wrong();
}

static void sets_of_categories_are_strict(void **state)
{
    const char *one = I4(0), *zero_one = I4(0, 1);
    const struct {
        const char *sets, *text;
    } cases[] = {
        {own_text(",\"sets\":%s", one), "ops[0].sets: expected the member \"missing_left\" here"},
        {own_text(",\"set_node\":%s,\"set_bits\":%s", one, one),
         "ops[0].set_bits: expected the member \"set_start\" here"},
        {own_text(",\"set_node\":%s", U1(0)),
         "ops[0].set_node.dtype: dtype \"u1\" is unknown to this version of hbscore"},
        {own_sets(own_array("i4", 4, 0, ""), one, own_array("i4", 4, 0, "")),
         "ops[0].set_bits: forest: set_node is empty"},
        {own_sets(I4(3), zero_one, I4(2)), "ops[0].missing: forest: set_node does not rise from node to node"},
        {own_sets(I4(-1), zero_one, I4(2)), "ops[0].missing: forest: set_node does not rise from node to node"},
        {own_sets(I4(0, 0), I4(0, 1, 2), I4(2, 2)), "ops[0].missing: forest: set_node does not rise from node to node"},
        {own_sets(one, one, I4(2)),
         "ops[0].missing: forest: set_start does not go from 0 to the number of words in set_bits"},
        {own_sets(one, I4(1, 1), I4(2)),
         "ops[0].missing: forest: set_start does not go from 0 to the number of words in set_bits"},
        {own_sets(one, I4(0, 2), I4(2)),
         "ops[0].missing: forest: set_start does not go from 0 to the number of words in set_bits"},
        {own_sets(one, I4(0, -1), I4(2)),
         "ops[0].missing: forest: set_start does not go from 0 to the number of words in set_bits"},
        {own_sets(I4(0, 1), I4(0, 0, 1), I4(2)), "ops[0].missing: forest: set_start does not rise"},
        {own_sets(I4(0, 1), I4(0, 2, 1), I4(2)), "ops[0].missing: forest: set_start does not rise"},
        {own_sets(I4(2), zero_one, I4(2)), "tree 0, node 2: a leaf is marked as a test of categories"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(own_regressor(1, own_forest_of("0", (own_forest){.sets = cases[i].sets})), i == 2 ? U : F,
                cases[i].text);
    none_wrong();
}

static void what_sums_start_from_is_strict(void **state)
{
    const own_forest one = {.init = NULL}, other = {.init = F8(1)};

    refused(own_regressor(1, own_forest_of("0,0", one)), HBS_OK, "");
    refused(own_regressor(1, own_forest_of("0,0", other)), F,
            "ops[0].missing: forest: init is not 0, though a second input starts the sums");
    refused(own_regressor(2, own_forest_of("0,0", one)), F,
            "ops[0].missing: forest: the second input has not one number for each output");
    refused(own_regressor(1, own_forest_of("0,0,0", one)), F, "ops[0].in: the operator does not take so many inputs");
    refused(own_regressor(1, own_forest_of("0,1", one)), F, "ops[0].in[1]: expected an integer of 0 to 0, found 1");
    none_wrong();
}

static const char *isolation(const char *in, const char *offset, const char *border)
{
    return own_text("{\"op\":\"isolation\",\"in\":[%s],\"offset\":%s,\"border\":%s}", in, offset, border);
}

static const char *median(const char *in, const char *weights)
{
    return own_text("{\"op\":\"weighted_median\",\"in\":[%s],\"weights\":%s}", in, weights);
}

/* Two columns are what they get. */
static void answers_of_many_trees_are_strict(void **state)
{
    static double ones[1 << 16];
    const char *one = SELECT("0", "0");
    const struct {
        const char *ops;
        hbs_status status;
        const char *text;
    } cases[] = {
        {own_text("{\"op\":\"cast\",\"in\":[0],\"to\":\"u2\"}"), U,
         "ops[0].to: to \"u2\" is unknown to this version of hbscore"},
        {own_text("%s,%s", one, own_link("difference", "1")), F, "link: the difference needs two scores, not 1"},
        {isolation("0", F8(-0.5), F8(1)), F, "ops[0].border: isolation: the input is not one number"},
        {own_text("%s,%s", one, isolation("1", F8(NAN), F8(1))), F, "ops[1].offset: offset: number 0 is not finite"},
        {own_text("%s,%s", one, isolation("1", F8(0, 0), F8(1))), F, "ops[1].offset: offset has 2 numbers, expected 1"},
        {own_text("%s,%s", one, isolation("1", F8(0), F8(NAN))), F,
         "ops[1].border: isolation: border is not one number"},
        {own_text("%s,%s", one, isolation("1", F8(0), F8(1, 1))), F,
         "ops[1].border: isolation: border is not one number"},
        {median("0", F8(1)), F, "ops[0].weights: weights has 1 numbers, expected 2"},
        {median("0", F8(1, -1e-300)), F, "ops[0].weights: weights: number 1 is -1e-300, below 0"},
        {median("0", F8(1, INFINITY)), HBS_OK, ""},
        {median("0", F8(1, NAN)), F, "ops[0].weights: weights: number 1 is NaN"},
        {own_text("{\"op\":\"select\",\"in\":[0],\"cols\":[%s]},%s", own_repeated("1", ",", 1 << 16),
                  median("1", own_array("f8", 8, 1 << 16, ones))),
         HBS_OK, ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(own_regressor(2, cases[i].ops), cases[i].status, cases[i].text);
    none_wrong();
}

static void limits_hold(void **state)
{
    static int32_t leaves[1001], starts[1002];
    static double numbers[1001];
    static uint8_t flags[1001];

    refused(own_regressor(1, own_repeated(CAST("0"), ",", 4096)), HBS_OK, "");
    refused(own_regressor(1, own_repeated(CAST("0"), ",", 4097)), L, "ops[4096]: too many operators");
    refused(own_regressor(1, own_text("{\"op\":\"concat\",\"in\":[%s]}", own_repeated("0", ",", 4097))), F,
            "ops[0].in[4096]: too many inputs, or one that is a label");
    /* 64 columns, 4,096, 65,536, and the last one too wide */
    refused(
        own_regressor(1, own_text("{\"op\":\"concat\",\"in\":[%s]},{\"op\":\"concat\",\"in\":[%s]},"
                                  "{\"op\":\"concat\",\"in\":[%s]},{\"op\":\"concat\",\"in\":[3,0]}",
                                  own_repeated("0", ",", 64), own_repeated("1", ",", 64), own_repeated("2", ",", 16))),
        L, "ops[3].in: too many columns");
    /* each within the limit, all together are not */
    refused(own_regressor(1, own_text("{\"op\":\"concat\",\"in\":[%s]},{\"op\":\"concat\",\"in\":[%s]},"
                                      "{\"op\":\"concat\",\"in\":[%s]},%s",
                                      own_repeated("0", ",", 64), own_repeated("1", ",", 64),
                                      own_repeated("2", ",", 16), own_repeated(CAST("3"), ",", 9))),
            L, "ops[9]: too many columns");
    for (int32_t i = 0; i < 1001; i++) {
        leaves[i] = -1;
        starts[i + 1] = i + 1;
    }
    for (size_t n = 1000; n <= 1001; n++)
        refused(own_regressor(1, own_forest_of("0", (own_forest){.start = own_array("i4", 4, n + 1, starts),
                                                                 .left = own_array("i4", 4, n, leaves),
                                                                 .right = own_array("i4", 4, n, leaves),
                                                                 .feature = own_array("i4", 4, n, leaves),
                                                                 .threshold = own_array("f8", 8, n, numbers),
                                                                 .missing_left = own_array("u1", 1, n, flags),
                                                                 .cover = own_array("f8", 8, n, numbers),
                                                                 .value = own_matrix(n, 1, numbers),
                                                                 .group = own_array("i4", 4, n, leaves)})),
                n == 1000 ? HBS_OK : L, n == 1000 ? "" : "ops[0].missing: more nodes than the limit of 1000");
    none_wrong();
}

static void options_that_mean_nothing_are_refused(void **state)
{
    const char *json = own_regressor(1, SELECT("0", "0"));

    refused_with(json, "{\"rounds\":1}", HBS_E_ARGS, "option rounds: a scikit-learn model has no rounds");
    refused_with(json, "{\"missing\":-1}", HBS_E_ARGS,
                 "option missing: an imputer of the pipeline says what is missing");
    refused_with(json, "{\"missing\":null}", HBS_E_ARGS,
                 "option missing: an imputer of the pipeline says what is missing");
    refused_with(json, "{\"classes\":[0,1]}", HBS_E_ARGS, "option classes: only a classifier has them");
    refused_with(own_transformer(1, 0, SELECT("0", "0")), "{\"classes\":[0,1]}", HBS_E_ARGS,
                 "option classes: only a classifier has them");
    refused_with(json, "{\"features\":[\"a\",\"b\"]}", HBS_E_ARGS,
                 "option features has 2 names, the model has 1 features");
    refused_with(json, "{\"format\":\"xgboost\"}", F, "the bytes begin as hbscore, option format says \"xgboost\"");
    refused_with(own_classifier(1, I8(0, 1), own_head("gt0", "0")), "{\"classes\":[0,1,2]}", HBS_E_ARGS,
                 "option classes has 3 labels, the model 2 classes");
    refused_with(json, "{\"format\":\"hbscore\",\"on_unseen\":\"null\"}", HBS_OK, "");
    none_wrong();
}

/* ------------------------------------------------------------------ memory, the inspection */

static const char *everything(void)
{
    return own_text(
        "{\"hbscore\":1,\"writer\":{\"hbscore\":\"0.1.0\",\"numpy\":\"1\"},\"task\":\"classifier\","
        "\"features\":[{\"name\":\"a\",\"type\":\"f4\"},{\"name\":\"b\",\"type\":\"f8\"}],"
        "\"classes\":{\"dtype\":\"str\",\"shape\":[2],\"data\":[\"no\",\"yes\"]},\"transform\":4,\"ops\":[" SELECT(
            "0", "1,0") ",%s,%s,{\"op\":\"concat\",\"in\":[2,3]}," SELECT("4", "0,3") "," CAST("5") ",%s,%s,%s,%s,%s]}",
        own_impute("1", false), own_affine("1", 2), own_linear("6"),
        own_forest_of(
            "4", (own_forest){.init = F8(0, 1), .input = "\"f4\"", .divide = F8(2), .value = ROWS(2, 2, 1, 2, 3, 4)}),
        own_link("sigmoid", "7"), own_link("softmax", "8"), own_head("gt0", "7,9"));
}

static hbs_status load_and_compile(const hbs_host *host, void *context, hbs_error *error)
{
    hbs_source source = {
        .bytes = context, .size = strlen(context), .options = "{\"classes\":[1,2],\"features\":[\"x\",\"y\"]}"};
    hbs_model *model = NULL;
    hbs_plan *plan = NULL;
    hbs_status status;

    source.options_size = strlen(source.options);
    status = hbs_model_load(host, NULL, &source, &model, error);
    if (status == HBS_OK)
        status = hbs_plan_compile(model, NULL, &plan, error);
    hbs_plan_free(plan);
    hbs_model_free(model);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    char *json = test_exact_copy(everything(), strlen(everything()) + 1);

    assert_true(test_each_allocation_fails(load_and_compile, json) > 20);
    free(json);
}

/* A sum of the first feature; nobody asks for the second one. */
static const char *sum_of_one(void)
{
    return own_text("{\"hbscore\":1,\"writer\":{\"hbscore\":\"0.1.0\",\"numpy\":\"1\"},"
                    "\"task\":\"classifier\",\"features\":[{\"name\":\"a\",\"type\":\"f8\"},"
                    "{\"name\":\"b\",\"type\":\"f8\"}],\"classes\":{\"dtype\":\"str\","
                    "\"shape\":[2],\"data\":[\"no\",\"yes\"]},\"ops\":[" SELECT("0", "0,0") ",%s,%s]}",
                    own_linear("1"), own_head("gt0", "2"));
}

static void the_inspection_says_what_null_does(void **state)
{
    static const char *const lines[] = {"model format  | hbscore",
                                        "model hbscore  | 0.1.0",
                                        "model numpy  | 1",
                                        NULL,
                                        "feature b number | NULL is missing",
                                        "class no text | ",
                                        "class yes text | ",
                                        "output predict class | "};
    static const char *const options[] = {NULL, "{\"on_missing\":\"error\"}"};

    for (size_t k = 0; k < 2; k++) {
        hbs_inspection line;
        test_host host;
        hbs_error error;
        hbs_model *model;

        test_host_init(&host);
        model = test_load(&host.host, sum_of_one(), options[k]);
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            const char *expected = lines[i] ? lines[i]
                                   : k == 0 ? "feature a number | NULL gives NULL"
                                            : "feature a number | NULL is an error";

            assert_status(hbs_model_inspect(model, i, &line, &error), HBS_OK, &error);
            assert_string_equal(own_text("%s %s %s | %s", line.role, line.name, line.type, line.note), expected);
            assert_string_equal(line.on_missing, strcmp(line.role, "feature") != 0 ? ""
                                                 : i == 4                          ? "scored"
                                                 : k == 0                          ? "null"
                                                                                   : "error");
        }
        hbs_model_free(model);
        test_host_end(&host);
    }
}

static int fresh(void **state)
{
    own_reset();
    n_wrong = 0;
    return 0;
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(the_head_of_the_document_is_strict),
        TEST(white_space_is_allowed_but_in_the_mark),
        TEST(classes_are_checked),
        TEST(no_more_classes_than_the_limit),
        TEST(arrays_are_strict),
        TEST(base64_is_canonical),
        TEST(operators_are_strict),
        TEST(heads_are_strict),
        TEST(forests_are_strict),
        TEST(sets_of_categories_are_strict),
        TEST(what_sums_start_from_is_strict),
        TEST(answers_of_many_trees_are_strict),
        TEST(limits_hold),
        TEST(options_that_mean_nothing_are_refused),
        TEST(every_allocation_may_fail),
        TEST(the_inspection_says_what_null_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
