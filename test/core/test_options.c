/* test_options.c - each registration option, good and bad; and what a file's own metadata may say. */
#include "models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/options.h"

typedef struct fixture {
    test_host host;
    hb_memory memory;
    hb_arena arena;
    hb_options options;
    hbs_error error;
} fixture;

static void begin(fixture *f)
{
    memset(f, 0, sizeof *f);
    test_host_init(&f->host);
    hb_memory_init(&f->memory, &f->host.host, 0);
    hb_arena_init(&f->arena, &f->memory);
}

static void end(fixture *f)
{
    hb_arena_release(&f->arena);
    assert_int_equal(f->memory.used, 0);
    test_host_end(&f->host);
}

/* Reads from a block of just that size, which is gone afterwards. */
static hbs_status read(fixture *f, const char *text)
{
    char *copy = test_exact_copy(text, strlen(text));
    hbs_status status = hb_options_read(&f->arena, copy, strlen(text), &f->options, &f->error);

    free(copy);
    return status;
}

static void good(fixture *f, const char *text)
{
    begin(f);
    assert_status(read(f, text), HBS_OK, &f->error);
}

static void bad(const char *text, const char *error)
{
    fixture f;

    begin(&f);
    assert_status(read(&f, text), HBS_E_ARGS, &f.error);
    assert_int_equal(f.error.status, HBS_E_ARGS);
    assert_string_equal(f.error.text, error);
    end(&f);
}

static void is_text(hbs_text text, const char *expected)
{
    if (!hb_text_is(text, expected))
        fail_msg("\"%.*s\" is not \"%s\"", (int)text.size, text.bytes, expected);
}

static hbs_text name(const fixture *f, size_t i)
{
    uint32_t begin_at = i ? f->options.name_ends[i - 1] : 0;

    return (hbs_text){f->options.name_bytes + begin_at, f->options.name_ends[i] - begin_at};
}

/* ------------------------------------------------------------------ none */

static void no_text_is_no_option(void **state)
{
    const char *const none[] = {NULL, "", "{}", " { } "};

    for (size_t i = 0; i < 4; i++) {
        fixture f;

        begin(&f);
        assert_status(hb_options_read(&f.arena, none[i], none[i] ? strlen(none[i]) : 0, &f.options, &f.error), HBS_OK,
                      &f.error);
        assert_int_equal(f.options.n_features, 0);
        assert_null(f.options.name_bytes);
        assert_null(f.options.classes);
        assert_int_equal(f.options.rounds, 0);
        assert_false(f.options.has_missing);
        assert_false(f.options.missing_is_error);
        assert_int_equal(f.options.on_unseen, HB_UNSEEN_ERROR);
        assert_false(f.options.unseen_given);
        is_text(f.options.format, "auto");
        assert_null(f.options.description.bytes);
        end(&f);
    }
}

static void an_unknown_option_is_named(void **state)
{
    bad("{\"roundz\":1}", "unknown option \"roundz\"; there are features, classes, rounds, missing, "
                          "on_missing, on_unseen, missing_text, outputs, golden, format, description, deploy");
    bad("{\"Rounds\":1}", "unknown option \"Rounds\"; there are features, classes, rounds, missing, "
                          "on_missing, on_unseen, missing_text, outputs, golden, format, description, deploy");
    bad("{\"rounds\\u0000x\":1}", "unknown option \"rounds\\x00x\"; there are features, classes, rounds, missing, "
                                  "on_missing, on_unseen, missing_text, outputs, golden, format, description, deploy");
}

/* ------------------------------------------------------------------ features */

static void features_are_names_in_their_order(void **state)
{
    fixture f;

    good(&f, "{\"features\":[\"age\",\"pl\\u00e4n\",\"age\"]}");
    assert_int_equal(f.options.n_features, 3); /* equal ones are the pipeline's to refuse */
    is_text(name(&f, 0), "age");
    is_text(name(&f, 1), "pl\xC3\xA4n");
    is_text(name(&f, 2), "age");
    end(&f);
}

static void features_keep_a_nul(void **state)
{
    fixture f;

    good(&f, "{\"features\":[\"a\\u0000b\"]}");
    assert_int_equal(name(&f, 0).size, 3);
    assert_memory_equal(name(&f, 0).bytes, "a\0b", 3);
    end(&f);
}

static void features_are_a_list_of_texts(void **state)
{
    const char *const list = "option features takes a list of names, as [\"age\", \"plan\"]";

    bad("{\"features\":[]}", list);
    bad("{\"features\":\"age\"}", list);
    bad("{\"features\":{\"age\":1}}", list);
    bad("{\"features\":null}", list);
    bad("{\"features\":[\"age\",1]}", list);
    bad("{\"features\":[null]}", list);
    bad("{\"features\":[[\"age\"]]}", list);
    bad("{\"features\":[\"age\",\"\"]}", "option features takes names that are not empty");
}

/* ------------------------------------------------------------------ classes */

static void classes_have_their_own_types(void **state)
{
    fixture f;

    good(&f, "{\"classes\":[\"no\",-9223372036854775808,2.5,true,9223372036854775807]}");
    assert_int_equal(f.options.n_classes, 5);
    assert_int_equal(f.options.classes[0].type, HBS_TEXT);
    is_text(f.options.classes[0].as.text, "no");
    assert_int_equal(f.options.classes[1].type, HBS_INT64);
    assert_true(f.options.classes[1].as.i64 == INT64_MIN);
    assert_int_equal(f.options.classes[2].type, HBS_FLOAT64);
    assert_true(f.options.classes[2].as.f64 == 2.5);
    assert_int_equal(f.options.classes[3].type, HBS_BOOL);
    assert_true(f.options.classes[3].as.boolean);
    assert_true(f.options.classes[4].as.i64 == INT64_MAX);
    end(&f);
}

static const char labels[] = "option classes takes a list of 2 to 4096 different labels (texts, "
                             "numbers or booleans), as [\"no\", \"yes\"]";

static void classes_are_a_list_of_two_or_more(void **state)
{
    bad("{\"classes\":[]}", labels);
    bad("{\"classes\":[1]}", labels);
    bad("{\"classes\":\"no,yes\"}", labels);
    bad("{\"classes\":{\"no\":0,\"yes\":1}}", labels);
    bad("{\"classes\":null}", labels);
}

static void labels_are_scalars(void **state)
{
    bad("{\"classes\":[1,null]}", labels);
    bad("{\"classes\":[[1],2]}", labels);
    bad("{\"classes\":[{},2]}", labels);
}

static void equal_labels_are_refused(void **state)
{
    bad("{\"classes\":[\"a\",\"b\",\"a\"]}", labels);
    bad("{\"classes\":[1,2,1]}", labels);
    bad("{\"classes\":[0.5,0.5]}", labels);
    bad("{\"classes\":[true,false,true]}", labels);
    bad("{\"classes\":[0.0,-0.0]}", labels);
    bad("{\"classes\":[1,1.0]}", labels);
    bad("{\"classes\":[\"1\",1]}", labels);
    bad("{\"classes\":[\"true\",true]}", labels);
}

static void labels_are_at_most_4096(void **state)
{
    static char text[40000];

    for (int n = 4096; n <= 4097; n++) {
        size_t size = (size_t)snprintf(text, sizeof text, "{\"classes\":[0");
        fixture f;

        for (int i = 1; i < n; i++)
            size += (size_t)snprintf(text + size, sizeof text - size, ",%d", i);
        snprintf(text + size, sizeof text - size, "]}");
        if (n == 4097) {
            bad(text, labels);
            continue;
        }
        good(&f, text);
        assert_int_equal(f.options.n_classes, 4096);
        end(&f);
    }
}

/* ------------------------------------------------------------------ the small ones */

static void rounds_is_a_whole_number_from_1_on(void **state)
{
    const char *const whole = "option rounds takes a whole number from 1 on";
    fixture f;

    good(&f, "{\"rounds\":1}");
    assert_int_equal(f.options.rounds, 1);
    end(&f);
    good(&f, "{\"rounds\":9223372036854775807}");
    assert_true(f.options.rounds == INT64_MAX);
    end(&f);
    bad("{\"rounds\":0}", whole);
    bad("{\"rounds\":-3}", whole);
    bad("{\"rounds\":1.0}", whole);
    bad("{\"rounds\":1e2}", whole);
    bad("{\"rounds\":\"3\"}", whole);
    bad("{\"rounds\":true}", whole);
    bad("{\"rounds\":null}", whole);
}

static void missing_is_a_number_or_null(void **state)
{
    fixture f;

    good(&f, "{\"missing\":-999}");
    assert_true(f.options.has_missing && f.options.missing_given && f.options.missing == -999);
    end(&f);
    good(&f, "{\"missing\":0.5}");
    assert_true(f.options.has_missing && f.options.missing == 0.5);
    end(&f);
    good(&f, "{\"missing\":null}");
    assert_true(f.options.missing_given && !f.options.has_missing);
    end(&f);
    good(&f, "{\"rounds\":1}");
    assert_true(!f.options.missing_given && !f.options.has_missing);
    end(&f);
    for (size_t i = 0; i < 4; i++) {
        const char *const wrong[] = {"\"-999\"", "true", "[]", "{}"};
        char text[40];

        snprintf(text, sizeof text, "{\"missing\":%s}", wrong[i]);
        bad(text, "option missing takes the number that stood for a missing value in training, or null");
    }
}

static void on_missing_is_null_or_error(void **state)
{
    const char *const words = "option on_missing takes \"null\" or \"error\"";
    fixture f;

    good(&f, "{\"on_missing\":\"error\"}");
    assert_true(f.options.missing_is_error);
    end(&f);
    good(&f, "{\"on_missing\":\"null\"}");
    assert_false(f.options.missing_is_error);
    end(&f);
    bad("{\"on_missing\":\"Error\"}", words);
    bad("{\"on_missing\":\"\"}", words);
    bad("{\"on_missing\":\"error\\u0000\"}", words);
    bad("{\"on_missing\":null}", "option on_missing takes a text");
}

static void on_unseen_is_one_of_three(void **state)
{
    static const struct {
        const char *text;
        hb_unseen unseen;
    } cases[] = {{"{\"on_unseen\":\"error\"}", HB_UNSEEN_ERROR},
                 {"{\"on_unseen\":\"missing\"}", HB_UNSEEN_MISSING},
                 {"{\"on_unseen\":\"null\"}", HB_UNSEEN_NULL}};

    for (size_t i = 0; i < 3; i++) {
        fixture f;

        good(&f, cases[i].text);
        assert_int_equal(f.options.on_unseen, cases[i].unseen);
        assert_true(f.options.unseen_given); /* else each library has a default of its own */
        end(&f);
    }
    bad("{\"on_unseen\":\"nul\"}", "option on_unseen takes \"error\", \"missing\" or \"null\"");
    bad("{\"on_unseen\":\"errors\"}", "option on_unseen takes \"error\", \"missing\" or \"null\"");
    bad("{\"on_unseen\":false}", "option on_unseen takes a text");
}

static void deploy_takes_false_only(void **state)
{
    static const char takes[] = "option deploy takes false: the version waits until it is deployed";
    fixture f;

    (void)state;
    good(&f, "{\"deploy\":false}");
    assert_true(f.options.waits);
    end(&f);
    good(&f, "{}");
    assert_false(f.options.waits);
    end(&f);
    bad("{\"deploy\":true}", takes);
    bad("{\"deploy\":null}", takes);
    bad("{\"deploy\":0}", takes);
    bad("{\"deploy\":\"false\"}", takes);
}

static void format_and_description_are_texts(void **state)
{
    fixture f;

    good(&f, "{\"format\":\"xgboost-json\",\"description\":\"churn, \\\"May\\\"\"}");
    is_text(f.options.format, "xgboost-json");
    is_text(f.options.description, "churn, \"May\"");
    end(&f);
    good(&f, "{\"description\":\"\"}"); /* given, and empty */
    assert_non_null(f.options.description.bytes);
    assert_int_equal(f.options.description.size, 0);
    end(&f);
    bad("{\"format\":1}", "option format takes a text");
    bad("{\"description\":[\"x\"]}", "option description takes a text");
}

/* ------------------------------------------------------------------ the text */

static void the_text_is_one_strict_object(void **state)
{
    static const char *const texts[] = {
        "[]",
        "1",
        "null",
        "\"rounds\"",
        "{",
        "{\"rounds\":1",
        "{\"rounds\":1,}",
        "{\"rounds\" 1}",
        "{\"rounds\":01}",
        "{\"rounds\":+1}",
        "{\"missing\":NaN}",
        "{\"missing\":Infinity}",
        "{'rounds':1}",
        "{rounds:1}",
        "{\"rounds\":1}x",
        "{\"rounds\":1}{}",
        "{/**/}",
        " ",
        "{\"rounds\":1,\"rounds\":1}",
        "{\"rounds\":1,\"ro\\u0075nds\":1}",
        "{\"description\":\"\xff\"}",
        "{\"description\":\"\\ud800\"}",
        "{\"description\":\"\n\"}",
        "{\"missing\":1e999}",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fixture f;

        begin(&f);
        assert_status(read(&f, texts[i]), HBS_E_ARGS, &f.error);
        assert_int_equal(f.error.status, HBS_E_ARGS);
        assert_memory_equal(f.error.text, "options: ", 9);
        end(&f);
    }
}

static void the_text_is_at_most_256_kib(void **state)
{
    enum { MOST = 256 * 1024 };
    char *text = malloc(MOST + 2);

    assert_non_null(text);
    for (size_t size = MOST; size <= MOST + 1; size++) {
        fixture f;

        memset(text, 'x', size);
        memcpy(text, "{\"description\":\"", 16);
        memcpy(text + size - 2, "\"}", 3);
        begin(&f);
        assert_status(read(&f, text), size == MOST ? HBS_OK : HBS_E_LIMIT, &f.error);
        end(&f);
    }
    free(text);
}

static void deep_options_end_at_the_limit(void **state)
{
    char text[300] = "{\"classes\":[0";
    fixture f;

    text[13] = ',';
    memset(text + 14, '[', 100);
    memset(text + 114, ']', 101);
    memcpy(text + 215, "}", 2);
    begin(&f);
    assert_status(read(&f, text), HBS_E_LIMIT, &f.error);
    end(&f);
}

static void the_public_reader_gives_format_and_description(void **state)
{
    static const char text[] = "{\"format\":\"xgboost\",\"description\":\"d\",\"deploy\":false}";
    hbs_options_info info;
    test_host host;
    hbs_error error;

    test_host_init(&host);
    assert_status(hbs_options_read(&host.host, text, strlen(text), &info, &error), HBS_OK, &error);
    is_text(info.format, "xgboost");
    is_text(info.description, "d");
    assert_true(info.waits);
    hbs_options_free(&host.host, &info);
    hbs_options_free(&host.host, &info); /* once more is nothing */
    assert_status(hbs_options_read(&host.host, NULL, 0, &info, &error), HBS_OK, &error);
    is_text(info.format, "auto");
    assert_null(info.description.bytes);
    assert_false(info.waits);
    hbs_options_free(&host.host, &info);
    assert_status(hbs_options_read(&host.host, "{", 1, &info, &error), HBS_E_ARGS, &error);
    assert_null(info.memory);
    test_host_end(&host);
}

static hbs_status read_with(const hbs_host *host, void *context, hbs_error *error)
{
    static const char text[] = "{\"features\":[\"a\",\"b\"],\"classes\":[\"no\",1],\"rounds\":2,"
                               "\"format\":\"auto\",\"description\":\"x\",\"golden\":{\"rows\":[1]}}";
    hbs_options_info info;
    hbs_status status = hbs_options_read(host, text, strlen(text), &info, error);

    hbs_options_free(host, &info);
    return status;
}

static void each_allocation_of_the_host_may_fail(void **state)
{
    assert_true(test_each_allocation_fails(read_with, NULL) >= 3);
}

/* ------------------------------------------------------------------ golden */

/* The options text as three: golden is cut out with the comma that goes with it. */
static void is_cut(const char *text, const char *plain, const char *golden)
{
    char *copy = test_exact_copy(text, strlen(text));
    hbs_options_info info;
    test_host host;
    hbs_error error;

    test_host_init(&host);
    assert_status(hbs_options_read(&host.host, copy, strlen(text), &info, &error), HBS_OK, &error);
    free(copy); /* the texts are the answer's own */
    is_text(info.plain, plain);
    if (golden)
        is_text(info.golden, golden);
    else
        assert_null(info.golden.bytes);
    hbs_options_free(&host.host, &info);
    test_host_end(&host);
}

static void golden_is_cut_out_of_the_options(void **state)
{
    is_cut("{\"rounds\":1}", "{\"rounds\":1}", NULL);
    is_cut("{}", "{}", NULL);
    is_cut("{\"golden\":{}}", "{}", "{}");
    is_cut(" { \"golden\" : {\"a\":[1, 2]} } ", " { } ", "{\"a\":[1, 2]}");
    is_cut("{\"rounds\":1,\"golden\":[1]}", "{\"rounds\":1}", "[1]");
    is_cut("{\"rounds\" : 1 , \"golden\" : 7 }", "{\"rounds\" : 1 }", "7");
    is_cut("{\"golden\":null,\"rounds\":1}", "{\"rounds\":1}", "null");
    is_cut("{ \"golden\" : \"x\" , \"rounds\":1}", "{ \"rounds\":1}", "\"x\"");
    is_cut("{\"rounds\":1,\"golden\":{\"golden\":1},\"missing\":0}", "{\"rounds\":1,\"missing\":0}", "{\"golden\":1}");
    is_cut("{\"rounds\":1\n,\n\"gold\\u0065n\":true\n,\n\"missing\":0}", "{\"rounds\":1\n,\n\"missing\":0}", "true");
    is_cut("{\"description\":\"golden\",\"golden\":-1e5}", "{\"description\":\"golden\"}", "-1e5");
}

static void golden_must_be_json(void **state)
{
    static const char *const texts[] = {
        "{\"golden\":}",   "{\"golden\":[1,]}",           "{\"golden\":{\"rows\":[NaN]}}",  "{\"golden\":{}",
        "{\"golden\":1,}", "{\"golden\":1,\"golden\":1}", "{\"golden\":{\"a\":1,\"a\":2}}",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fixture f;

        begin(&f);
        assert_status(read(&f, texts[i]), HBS_E_ARGS, &f.error);
        assert_memory_equal(f.error.text, "options: ", 9);
        end(&f);
    }
}

static void cut_of_size(size_t golden_size, size_t plain_size, hbs_status expected, const char *words)
{
    char *text = malloc(golden_size + plain_size + 100), *at = text;
    hbs_options_info info;
    test_host host;
    hbs_error error;

    assert_non_null(text);
    test_host_init(&host);
    at += sprintf(at, "{\"golden\":\"");
    memset(at, 'g', golden_size - 2);
    at += golden_size - 2;
    at += sprintf(at, "\",\"rounds\":1");
    memset(at, ' ', plain_size - 12);
    at += plain_size - 12;
    *at++ = '}';
    assert_status(hbs_options_read(&host.host, text, (size_t)(at - text), &info, &error), expected, &error);
    if (expected == HBS_OK) {
        assert_int_equal(info.golden.size, golden_size);
        assert_int_equal(info.plain.size, plain_size);
    } else {
        assert_string_equal(error.text, words);
    }
    hbs_options_free(&host.host, &info);
    test_host_end(&host);
    free(text);
}

static void golden_has_a_limit_of_its_own(void **state)
{
    const size_t most = 16 << 20, most_plain = 256 * 1024;

    cut_of_size(most, most_plain, HBS_OK, NULL);
    cut_of_size(most + 1, 100, HBS_E_LIMIT, "option golden: 16777217 bytes are more than the limit of 16777216");
    cut_of_size(40 << 20, 100, HBS_E_LIMIT, "option golden: 41943040 bytes are more than the limit of 16777216");
    cut_of_size(100, most_plain + 1, HBS_E_LIMIT, "options: 262145 bytes are more than the limit of 262144");
    cut_of_size(1 << 20, most_plain + 1, HBS_E_LIMIT, "options: 262145 bytes are more than the limit of 262144");
}

/* Loading looks at golden rows no further than at their JSON. */
static void a_model_loads_with_golden_options(void **state)
{
    test_host host;
    test_file file = {.objective = "reg:squarederror", .n_targets = 1, .weights = "1,0", .n_features = 1};
    char *json = test_write_file(&file);

    test_host_init(&host);
    hbs_model_free(test_load(&host.host, json, "{\"golden\":{\"rows\":5,\"x\":1}}"));
    test_host_end(&host);
    free(json);
}

/* ------------------------------------------------------------------ metadata of a file */

static hbs_status read_metadata(fixture *f, const char *text)
{
    begin(f);
    return hb_metadata_read(&f->arena, (hbs_text){text, strlen(text)}, &f->options, &f->error);
}

static void metadata_gives_classes_and_missing(void **state)
{
    fixture f;

    assert_status(read_metadata(&f, "{\"_estimator_type\":\"classifier\",\"classes_\":[3,5],"
                                    "\"missing\":-1,\"n_jobs\":null,\"kwargs\":{\"a\":[1]}}"),
                  HBS_OK, &f.error);
    assert_int_equal(f.options.n_classes, 2);
    assert_int_equal(f.options.classes[1].as.i64, 5);
    assert_true(f.options.has_missing && f.options.missing == -1);
    end(&f);
}

static void nan_in_metadata_is_no_missing_number(void **state)
{
    fixture f;

    assert_status(read_metadata(&f, "{\"missing\":NaN}"), HBS_OK, &f.error);
    assert_false(f.options.has_missing);
    end(&f);
}

static void classes_of_another_shape_are_passed_over(void **state)
{
    static const char *const texts[] = {"{\"classes_\":[[0,1],[0,1]]}", "{\"classes_\":null}", "{\"classes_\":[0]}",
                                        "{}"};

    for (size_t i = 0; i < 4; i++) {
        fixture f;

        assert_status(read_metadata(&f, texts[i]), HBS_OK, &f.error);
        assert_null(f.options.classes);
        end(&f);
    }
}

static void metadata_that_is_no_object_is_a_bad_file(void **state)
{
    static const char *const texts[] = {"", "[]", "x", "{\"a\":1,\"a\":2}", "{\"a\":1}}"};

    for (size_t i = 0; i < 5; i++) {
        fixture f;

        assert_status(read_metadata(&f, texts[i]), HBS_E_FORMAT, &f.error);
        assert_memory_equal(f.error.text, "scikit_learn: ", 14);
        end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_text_is_no_option),
        cmocka_unit_test(an_unknown_option_is_named),
        cmocka_unit_test(features_are_names_in_their_order),
        cmocka_unit_test(features_keep_a_nul),
        cmocka_unit_test(features_are_a_list_of_texts),
        cmocka_unit_test(classes_have_their_own_types),
        cmocka_unit_test(classes_are_a_list_of_two_or_more),
        cmocka_unit_test(labels_are_scalars),
        cmocka_unit_test(equal_labels_are_refused),
        cmocka_unit_test(labels_are_at_most_4096),
        cmocka_unit_test(rounds_is_a_whole_number_from_1_on),
        cmocka_unit_test(missing_is_a_number_or_null),
        cmocka_unit_test(on_missing_is_null_or_error),
        cmocka_unit_test(on_unseen_is_one_of_three),
        cmocka_unit_test(deploy_takes_false_only),
        cmocka_unit_test(format_and_description_are_texts),
        cmocka_unit_test(the_text_is_one_strict_object),
        cmocka_unit_test(the_text_is_at_most_256_kib),
        cmocka_unit_test(deep_options_end_at_the_limit),
        cmocka_unit_test(the_public_reader_gives_format_and_description),
        cmocka_unit_test(each_allocation_of_the_host_may_fail),
        cmocka_unit_test(golden_is_cut_out_of_the_options),
        cmocka_unit_test(golden_must_be_json),
        cmocka_unit_test(golden_has_a_limit_of_its_own),
        cmocka_unit_test(a_model_loads_with_golden_options),
        cmocka_unit_test(metadata_gives_classes_and_missing),
        cmocka_unit_test(nan_in_metadata_is_no_missing_number),
        cmocka_unit_test(classes_of_another_shape_are_passed_over),
        cmocka_unit_test(metadata_that_is_no_object_is_a_bad_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
