/* test_onnx_text_values.c - ONNX files whose operators choose, compare and rename texts. */
#include <math.h>
#include <stdio.h>

#include "onnx_fixture.h"

enum { STRING = 8, INT64 = 7, FLOAT = 1 };

static void put_texts(test_message *graph, const char *name, size_t n, const char *const *texts)
{
    test_message tensor = {.size = 0};

    test_put_integer(&tensor, 1, (int64_t)n);
    test_put_integer(&tensor, 2, STRING);
    for (size_t i = 0; i < n; i++)
        test_put_text(&tensor, 6, texts[i]);
    test_put_text(&tensor, 8, name);
    test_put_message(graph, 5, &tensor);
}

/* A node of several inputs, with commas between them. */
static test_message node_of(const char *domain, const char *op, const char *const *inputs, size_t n, const char *output)
{
    test_message node = {.size = 0};

    for (size_t i = 0; i < n; i++)
        test_put_text(&node, 1, inputs[i]);
    test_put_text(&node, 2, output);
    test_put_text(&node, 4, op);
    test_put_text(&node, 7, domain);
    return node;
}

static void add_node(test_message *graph, const char *op, const char *const *inputs, size_t n, const char *output)
{
    test_message node = node_of("", op, inputs, n, output);

    test_put_message(graph, 1, &node);
}

static test_message end_file(test_message *graph, int64_t type, int64_t columns)
{
    test_message model = {.size = 0}, in = test_port("X", type, -1, columns), out = test_port("Y", FLOAT, -1, columns);

    test_put_message(graph, 11, &in);
    test_put_message(graph, 12, &out);
    test_put_integer(&model, 1, 8);
    test_put_message(&model, 7, graph);
    return model;
}

static void put_mapping(test_message *node, size_t n, const char *const *keys, const char *const *values)
{
    test_put_words(node, "keys_strings", n, keys);
    test_put_words(node, "values_strings", n, values);
}

/* Texts to numbers: x 1, y 2, _Unused 3, others -1. */
static void add_numbers(test_message *graph, const char *input)
{
    static const char *const keys[3] = {"x", "y", "_Unused"};
    static const int64_t numbers[3] = {1, 2, 3};
    test_message node = test_node("ai.onnx.ml", "LabelEncoder", input, "Y");

    test_put_words(&node, "keys_strings", 3, keys);
    test_put_integers(&node, "values_int64s", 3, numbers);
    test_put_message(graph, 1, &node);
}

/* ---- files */

static test_message renamed(void)
{
    static const char *const keys[2] = {"a", "b"}, *const values[2] = {"y", "x"};
    test_message graph = {.size = 0}, node = test_node("ai.onnx.ml", "LabelEncoder", "X", "T");

    put_mapping(&node, 2, keys, values);
    test_put_message(&graph, 1, &node);
    add_numbers(&graph, "T");
    return end_file(&graph, STRING, 2);
}

/* "a" becomes "x"; other texts stay. */
static test_message imputed(void)
{
    static const char *const a[1] = {"a"}, *const x[1] = {"x"}, *const equal[2] = {"X", "a"},
                             *const where[3] = {"E", "x", "X"};
    test_message graph = {.size = 0};

    put_texts(&graph, "a", 1, a);
    put_texts(&graph, "x", 1, x);
    add_node(&graph, "Equal", equal, 2, "E");
    add_node(&graph, "Where", where, 3, "T");
    add_numbers(&graph, "T");
    return end_file(&graph, STRING, 2);
}

/* Both texts are constants. */
static test_message chosen(void)
{
    static const char *const a[1] = {"a"}, *const xy[2] = {"x", "y"}, *const y[1] = {"y"}, *const equal[2] = {"a", "X"},
                             *const where[3] = {"E", "y", "xy"};
    test_message graph = {.size = 0};

    put_texts(&graph, "a", 1, a);
    put_texts(&graph, "y", 1, y);
    put_texts(&graph, "xy", 2, xy);
    add_node(&graph, "Equal", equal, 2, "E");
    add_node(&graph, "Where", where, 3, "T");
    add_numbers(&graph, "T");
    return end_file(&graph, STRING, 2);
}

static test_message mapped(const char *op, const char *texts, const char *integers)
{
    static const char *const words[2] = {"a", "x"};
    static const int64_t numbers[2] = {7, 8};
    test_message graph = {.size = 0}, node = test_node("ai.onnx.ml", op, "X", "Y");

    test_put_words(&node, texts, 2, words);
    if (integers)
        test_put_integers(&node, integers, 2, numbers);
    test_put_message(&graph, 1, &node);
    return end_file(&graph, STRING, 2);
}

static void add_cast(test_message *graph, const char *input, const char *output, int64_t to)
{
    test_message node = test_node("", "Cast", input, output);

    test_put_integer_attribute(&node, "to", to);
    test_put_message(graph, 1, &node);
}

/* The columns in the other order. */
static void add_turned(test_message *graph, const char *output)
{
    static const char *const inputs[2] = {"X", "p"};
    test_message tensor = {.size = 0}, node = node_of("", "Gather", inputs, 2, output);

    test_put_integer(&tensor, 1, 2);
    test_put_integer(&tensor, 2, INT64);
    test_put_integer(&tensor, 7, 1);
    test_put_integer(&tensor, 7, 0);
    test_put_text(&tensor, 8, "p");
    test_put_message(graph, 5, &tensor);
    test_put_integer_attribute(&node, "axis", 1);
    test_put_message(graph, 1, &node);
}

/* The other column's text where a text is "a"; texts of both columns are looked up. */
static test_message swapped(void)
{
    static const char *const a[1] = {"a"}, *const equal[2] = {"X", "a"}, *const where[3] = {"E", "T", "X"};
    test_message graph = {.size = 0};

    put_texts(&graph, "a", 1, a);
    add_turned(&graph, "T");
    add_node(&graph, "Equal", equal, 2, "E");
    add_node(&graph, "Where", where, 3, "W");
    add_numbers(&graph, "W");
    return end_file(&graph, STRING, 2);
}

/* The numbers of the imputed texts, and 10 where a text is the other column's: the graph reads both as a whole. */
static test_message read_twice(void)
{
    static const char *const a[1] = {"a"}, *const x[1] = {"x"}, *const equal[2] = {"X", "a"},
                             *const where[3] = {"E", "x", "X"}, *const same[2] = {"X", "T"},
                             *const product[2] = {"F", "ten"}, *const sum[2] = {"N", "P"}, *const keys[2] = {"x", "y"};
    static const float values[2] = {1, 2}, ten[1] = {10};
    test_message graph = {.size = 0}, tensor = {.size = 0}, node = test_node("ai.onnx.ml", "LabelEncoder", "W", "N");

    put_texts(&graph, "a", 1, a);
    put_texts(&graph, "x", 1, x);
    test_put_integer(&tensor, 1, 1);
    test_put_integer(&tensor, 2, FLOAT);
    test_put_float(&tensor, 4, ten[0]);
    test_put_text(&tensor, 8, "ten");
    test_put_message(&graph, 5, &tensor);
    add_turned(&graph, "T");
    add_node(&graph, "Equal", same, 2, "S");
    add_cast(&graph, "S", "F", FLOAT);
    add_node(&graph, "Mul", product, 2, "P");
    add_node(&graph, "Equal", equal, 2, "E");
    add_node(&graph, "Where", where, 3, "W");
    test_put_words(&node, "keys_strings", 2, keys);
    test_put_floats(&node, "values_floats", 2, values);
    test_put_float_attribute(&node, "default_float", -1);
    test_put_message(&graph, 1, &node);
    add_node(&graph, "Add", sum, 2, "Y");
    return end_file(&graph, STRING, 2);
}

static test_message cast_from_texts(int64_t to)
{
    test_message graph = {.size = 0};

    add_cast(&graph, "X", "Y", to);
    return end_file(&graph, STRING, 2);
}

static test_message cast_to_texts(int64_t type)
{
    static const char *const keys[4] = {"1", "0.1", "NaN", "-2147483649"};
    static const int64_t numbers[4] = {1, 2, 3, 4};
    test_message graph = {.size = 0}, node = test_node("ai.onnx.ml", "LabelEncoder", "T", "Y");

    add_cast(&graph, "X", "T", STRING);
    test_put_words(&node, "keys_strings", 4, keys);
    test_put_integers(&node, "values_int64s", 4, numbers);
    test_put_message(&graph, 1, &node);
    return end_file(&graph, type, 2);
}

/* Texts that a LabelEncoder makes: "1.5", "x"; others become "7". */
static test_message cast_known(void)
{
    static const char *const keys[2] = {"a", "b"}, *const values[2] = {"1.5", "x"};
    test_message graph = {.size = 0}, node = test_node("ai.onnx.ml", "LabelEncoder", "X", "T");

    put_mapping(&node, 2, keys, values);
    test_put_word(&node, "default_string", "7");
    test_put_message(&graph, 1, &node);
    add_cast(&graph, "T", "Y", FLOAT);
    return end_file(&graph, STRING, 2);
}

/* The text of the table, or where B is 1 "x". */
static test_message chosen_by_number(void)
{
    static const char *const x[1] = {"x"}, *const where[3] = {"E", "x", "X"};
    test_message graph = {.size = 0}, model = {.size = 0}, out = test_port("Y", FLOAT, -1, 1);
    test_message ports[2] = {test_port("B", FLOAT, -1, 1), test_port("X", STRING, -1, 1)};
    test_message cast = test_node("", "Cast", "B", "E");

    put_texts(&graph, "x", 1, x);
    test_put_integer_attribute(&cast, "to", 9);
    test_put_message(&graph, 1, &cast);
    add_node(&graph, "Where", where, 3, "T");
    add_numbers(&graph, "T");
    for (size_t i = 0; i < 2; i++)
        test_put_message(&graph, 11, &ports[i]);
    test_put_message(&graph, 12, &out);
    test_put_integer(&model, 1, 8);
    test_put_message(&model, 7, &graph);
    return model;
}

/* ---- rows */

static const struct {
    const char *texts[2];
    double renamed[2], imputed[2], chosen[2], mapped[2], counted[2], swapped[2], read_twice[2];
} rows[] = {
    {{"a", "b"}, {2, 1}, {1, -1}, {2, 2}, {7, -1}, {0, -1}, {-1, -1}, {1, -1}},
    {{"b", "x"}, {1, 3}, {-1, 1}, {1, 2}, {-1, 8}, {-1, 1}, {-1, 1}, {-1, 1}},
    {{"y", ""}, {3, 3}, {2, -1}, {1, 2}, {-1, -1}, {-1, -1}, {2, -1}, {2, -1}},
    {{"\xC3\xA9", "a"}, {3, 2}, {-1, 1}, {1, 2}, {-1, 7}, {-1, 0}, {-1, -1}, {-1, 1}},
    {{"a", "y"}, {2, 3}, {1, 2}, {2, 2}, {7, -1}, {0, -1}, {2, 2}, {1, 2}},
    {{"other", "other"}, {3, 3}, {-1, -1}, {1, 2}, {-1, -1}, {-1, -1}, {-1, -1}, {9, 9}},
};

static void check_file(const char *name, const test_message *file, size_t expected_at)
{
    fixture f;

    open_file(&f, NULL, file);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const double *expected = (const double *)(const void *)((const char *)&rows[i] + expected_at);
        hbs_value row[2];

        for (size_t c = 0; c < 2; c++)
            row[c] = (hbs_value){.type = HBS_TEXT, .as.text = {rows[i].texts[c], strlen(rows[i].texts[c])}};
        assert_status(hbs_score_row(f.run, row, 2, HBS_OUT_VALUES, &f.result, &f.error), HBS_OK, &f.error);
        for (size_t c = 0; c < 2; c++)
            if (f.result.values[c] != expected[c])
                fail_msg("%s, row %zu: %g, expected %g", name, i, f.result.values[c], expected[c]);
    }
    close_file(&f);
}

#define CHECK(name, file) check_file(#name, &(const test_message[1]){file}[0], offsetof(__typeof__(rows[0]), name))

static void texts_are_renamed_chosen_and_compared(void **state)
{
    CHECK(renamed, renamed());
    CHECK(imputed, imputed());
    CHECK(chosen, chosen());
    CHECK(mapped, mapped("CategoryMapper", "cats_strings", "cats_int64s"));
    CHECK(counted, mapped("LabelEncoder", "classes_strings", NULL));
    CHECK(swapped, swapped());
    CHECK(read_twice, read_twice());
}

/* ---- casts */

static const struct cast_row {
    const char *texts[2];
    double numbers[2]; /* NaN: the row has no result, but for the missing text NULL */
} floats[] = {{{" 1.5x", "-inf"}, {1.5, -(double)INFINITY}},
              {{"0x10", "0.1"}, {16, (double)0.1f}},
              {{"1e39", "1e-400"}, {0, (double)NAN}},
              {{"abc", "1"}, {(double)NAN, 0}},
              {{NULL, "1"}, {(double)NAN, 1}},
              {{"nan", "2"}, {(double)NAN, 2}}},
  integers[] = {{{" 1.5x", "-7"}, {1, -7}},
                {{"9007199254740993", "1"}, {(double)NAN, 0}},
                {{"1", ""}, {0, (double)NAN}}},
  known[] = {{{"a", "zz"}, {1.5, 7}}, {{"a", "a"}, {1.5, 1.5}}, {{"b", "a"}, {(double)NAN, 0}}};

static void open_with(fixture *f, const test_message *file, const char *options)
{
    hbs_source source = {.bytes = file->bytes, .size = file->size, .options = options, .options_size = strlen(options)};

    memset(f, 0, sizeof(*f));
    test_host_init(&f->host);
    assert_status(hbs_model_load(&f->host.host, NULL, &source, &f->model, &f->error), HBS_OK, &f->error);
    assert_status(hbs_plan_compile(f->model, NULL, &f->plan, &f->error), HBS_OK, &f->error);
    f->run = test_run(&f->host.host, f->plan, 256);
}

static hbs_value text_value(const char *text)
{
    return text ? (hbs_value){.type = HBS_TEXT, .as.text = {text, strlen(text)}} : (hbs_value){.type = HBS_NULL};
}

static void check_casts(const test_message *file, const struct cast_row *cases, size_t n)
{
    fixture f;

    open_file(&f, NULL, file);
    for (size_t i = 0; i < n; i++) {
        bool nan = cases[i].texts[0] == NULL || strcmp(cases[i].texts[0], "nan") == 0;
        bool none = !nan && (isnan(cases[i].numbers[0]) || isnan(cases[i].numbers[1]));
        hbs_value row[2];

        for (size_t c = 0; c < 2; c++)
            row[c] = cases[i].texts[c]
                         ? (hbs_value){.type = HBS_TEXT, .as.text = {cases[i].texts[c], strlen(cases[i].texts[c])}}
                         : (hbs_value){.type = HBS_NULL};
        assert_status(hbs_score_row(f.run, row, 2, HBS_OUT_VALUES, &f.result, &f.error), HBS_OK, &f.error);
        assert_int_equal(f.result.valid[0] & 1, !none);
        for (size_t c = 0; !none && c < 2; c++)
            if (f.result.values[c] != cases[i].numbers[c] && !isnan(cases[i].numbers[c]))
                fail_msg("row %zu: %g, expected %g", i, f.result.values[c], cases[i].numbers[c]);
        assert_true(none || !nan || isnan(f.result.values[0]));
    }
    close_file(&f);
}

static void texts_are_cast_to_numbers(void **state)
{
    const test_message files[3] = {cast_from_texts(FLOAT), cast_from_texts(INT64), cast_known()};

    check_casts(&files[0], floats, sizeof(floats) / sizeof(floats[0]));
    check_casts(&files[1], integers, sizeof(integers) / sizeof(integers[0]));
    check_casts(&files[2], known, sizeof(known) / sizeof(known[0]));
}

/* An error names the feature, the node and the option, of one row and of the third of a block. */
static void what_is_no_number_is_told(void **state)
{
    static const struct {
        int64_t to; /* 0: texts that a LabelEncoder makes */
        const char *text, *words;
    } cases[] = {
        {FLOAT, "abc",
         "feature 2 has the text \"abc\": node 0 (\"the node\", Cast) makes no float32 of a text that begins with no such number, "
         "or with one beyond its range (option on_missing can make the result NULL)"},
        {INT64, "9007199254740993",
         "feature 2 has the text \"9007199254740993\": node 0 (\"the node\", Cast) makes no int64 of a text that begins with no "
         "such number, or with one beyond 2^53 ("},
        {INT64, NULL, "feature 2 is missing"},
        {0, "b",
         "feature 2: node 1 (\"the node\", Cast) makes no float32 of the text \"x\" that the graph makes (option on_missing can"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const test_message file = cases[i].to ? cast_from_texts(cases[i].to) : cast_known();
        const hbs_value good = text_value(cases[i].to ? "1" : "a"), bad = text_value(cases[i].text);
        const hbs_value firsts[3] = {good, good, good}, seconds[3] = {good, good, bad}, row[2] = {good, bad};
        const hbs_column columns[2] = {{.type = HBS_MIXED, .values = firsts}, {.type = HBS_MIXED, .values = seconds}};
        fixture f;

        open_with(&f, &file, "{\"on_missing\": \"error\"}");
        for (int block = 0; block < 2; block++) {
            hbs_status status = block ? hbs_score(f.run, columns, 2, 3, HBS_OUT_VALUES, &f.result, &f.error)
                                      : hbs_score_row(f.run, row, 2, HBS_OUT_VALUES, &f.result, &f.error);

            if (status != HBS_E_ARGS || !strstr(f.error.text, cases[i].words))
                fail_msg("case %zu: status %d, \"%s\"", i, status, f.error.text);
            assert_int_equal(f.result.rows, block ? 2 : 0);
        }
        close_file(&f);
    }
}

/* A missing text that Where chooses is missing, and no unseen category. */
static void a_missing_text_may_be_chosen(void **state)
{
    const test_message file = chosen_by_number();
    const hbs_value one = {.type = HBS_FLOAT64, .as.f64 = 1}, zero = {.type = HBS_FLOAT64, .as.f64 = 0};
    const hbs_value chosen[2] = {zero, {.type = HBS_NULL}}, other[2] = {one, {.type = HBS_NULL}},
                    unseen[2] = {zero, text_value("unseen")};
    fixture f;

    open_file(&f, NULL, &file);
    assert_status(hbs_score_row(f.run, other, 2, HBS_OUT_VALUE, &f.result, &f.error), HBS_OK, &f.error);
    assert_true(f.result.valid[0] & 1 && f.result.value[0] == 1);
    assert_status(hbs_score_row(f.run, unseen, 2, HBS_OUT_VALUE, &f.result, &f.error), HBS_OK, &f.error);
    assert_true(f.result.valid[0] & 1 && f.result.value[0] == -1);
    assert_status(hbs_score_row(f.run, chosen, 2, HBS_OUT_VALUE, &f.result, &f.error), HBS_OK, &f.error);
    assert_false(f.result.valid[0] & 1);
    close_file(&f);
    open_with(&f, &file, "{\"on_missing\": \"error\"}");
    assert_int_equal(hbs_score_row(f.run, chosen, 2, HBS_OUT_VALUE, &f.result, &f.error), HBS_E_ARGS);
    assert_non_null(strstr(f.error.text, "node 2 (\"the node\", LabelEncoder) gets a missing text"));
    close_file(&f);
}

static void numbers_are_cast_to_texts(void **state)
{
    const test_message of_floats = cast_to_texts(FLOAT), of_integers = cast_to_texts(INT64);
    fixture f;

    open_file(&f, NULL, &of_floats);
    score_row(&f, (double)0.1f, 1, HBS_OUT_VALUES);
    assert_true(f.result.values[0] == 2 && f.result.values[1] == 1);
    score_row(&f, (double)NAN, 1.5, HBS_OUT_VALUES);
    assert_true(f.result.values[0] == 3 && f.result.values[1] == -1);
    close_file(&f);
    open_file(&f, NULL, &of_integers);
    score_row(&f, -2147483649.0, 1, HBS_OUT_VALUES);
    assert_true(f.result.values[0] == 4 && f.result.values[1] == 1);
    close_file(&f);
}

/* Without the option missing_text a missing text has no result; with it NULL is that text. */
static void a_missing_text_is_what_the_option_says(void **state)
{
    static const hbs_value nothing[2] = {{.type = HBS_NULL}, {.type = HBS_NULL}};
    const test_message file = imputed();
    fixture f;

    open_file(&f, NULL, &file);
    assert_status(hbs_score_row(f.run, nothing, 2, HBS_OUT_VALUES, &f.result, &f.error), HBS_OK, &f.error);
    assert_false(f.result.valid[0] & 1);
    close_file(&f);
    open_with(&f, &file, "{\"missing_text\": \"a\"}");
    assert_status(hbs_score_row(f.run, nothing, 2, HBS_OUT_VALUES, &f.result, &f.error), HBS_OK, &f.error);
    assert_true(f.result.valid[0] & 1);
    assert_true(f.result.values[0] == 1 && f.result.values[1] == 1);
    close_file(&f);
}

/* ---- texts as a whole */

/* The columns beside each other, in either order. */
static test_message compared(void)
{
    static const char *const equal[2] = {"X", "T"};
    test_message graph = {.size = 0};

    add_turned(&graph, "T");
    add_node(&graph, "Equal", equal, 2, "E");
    add_cast(&graph, "E", "Y", FLOAT);
    return end_file(&graph, STRING, 2);
}

static test_message hashed(int64_t positive)
{
    test_message graph = {.size = 0}, node = test_node("com.microsoft", "MurmurHash3", "X", "H");
    test_message cast = test_node("", "Cast", "H", "Y");

    test_put_integer_attribute(&node, "positive", positive);
    test_put_integer_attribute(&node, "seed", 42);
    test_put_message(&graph, 1, &node);
    test_put_integer_attribute(&cast, "to", FLOAT);
    test_put_message(&graph, 1, &cast);
    return end_file(&graph, STRING, 2);
}

/* Hashes of scikit-learn's murmurhash3_32, rounded to float32. */
static void texts_are_compared_and_hashed_as_a_whole(void **state)
{
    static const struct {
        const char *texts[2];
        double equal;
        int32_t hashes[2];
    } cases[] = {
        {{"", "a"}, 0, {142593372, -1293573533}},
        {{"hello", "hello"}, 1, {-488910111, -488910111}},
        {{"na\xC3\xAFve text", "na\xC3\xAFve texts"}, 0, {806671206, 530523453}},
    };
    const test_message files[3] = {compared(), hashed(0), hashed(1)};

    for (size_t k = 0; k < 3; k++) {
        fixture f;

        open_file(&f, NULL, &files[k]);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            hbs_value row[2];

            for (size_t c = 0; c < 2; c++)
                row[c] = (hbs_value){.type = HBS_TEXT, .as.text = {cases[i].texts[c], strlen(cases[i].texts[c])}};
            assert_status(hbs_score_row(f.run, row, 2, HBS_OUT_VALUES, &f.result, &f.error), HBS_OK, &f.error);
            for (size_t c = 0; c < 2; c++)
                assert_true(f.result.values[c] == (k == 0   ? cases[i].equal
                                                   : k == 1 ? (double)(float)cases[i].hashes[c]
                                                            : (double)(float)(uint32_t)cases[i].hashes[c]));
        }
        assert_status(hbs_score_row(f.run, (hbs_value[2]){{.type = HBS_NULL}, {.type = HBS_NULL}}, 2, HBS_OUT_VALUES,
                                    &f.result, &f.error),
                      HBS_OK, &f.error);
        assert_false(f.result.valid[0] & 1);
        close_file(&f);
    }
}

/* ---- labels */

/* A classifier whose label "label" some nodes make "Y". */
static test_message labelled_by(const int64_t *integers, const char *const *texts, const test_message *nodes, size_t n)
{
    static const float coefficients[2] = {1, 0}, intercepts[1] = {0};
    test_message graph = {.size = 0}, model = {.size = 0}, in = test_port("X", FLOAT, -1, 2);
    test_message out = test_port("Y", STRING, -1, 1);
    test_message classifier = test_node("ai.onnx.ml", "LinearClassifier", "X", "label,scores");

    test_put_floats(&classifier, "coefficients", 2, coefficients);
    test_put_floats(&classifier, "intercepts", 1, intercepts);
    if (integers)
        test_put_integers(&classifier, "classlabels_ints", 2, integers);
    else
        test_put_words(&classifier, "classlabels_strings", 2, texts);
    test_put_message(&graph, 1, &classifier);
    for (size_t i = 0; i < n; i++)
        test_put_message(&graph, 1, &nodes[i]);
    test_put_message(&graph, 11, &in);
    test_put_message(&graph, 12, &out);
    test_put_integer(&model, 1, 8);
    test_put_message(&model, 7, &graph);
    return model;
}

static test_message labelled(const int64_t *integers, const char *const *texts, const test_message *node)
{
    return labelled_by(integers, texts, node, 1);
}

/* The second label, which a row gets: a text, or NULL: this integer. */
static void check_label(const test_message *model, const char *text, int64_t integer)
{
    hbs_value label;
    fixture f;

    open_file(&f, NULL, model);
    score_row(&f, 3, 0, HBS_OUT_LABEL);
    assert_int_equal(f.result.label[0], 1);
    hbs_plan_class(f.plan, 1, &label);
    if (text)
        assert_true(label.type == HBS_TEXT && label.as.text.size == strlen(text) &&
                    memcmp(label.as.text.bytes, text, strlen(text)) == 0);
    else
        assert_true(label.type == HBS_INT64 && label.as.i64 == integer);
    close_file(&f);
}

/* The labels of a classifier get names. */
static void labels_are_renamed(void **state)
{
    static const int64_t keys[2] = {0, 1};
    static const char *const names[2] = {"no", "yes"};
    test_message node = test_node("ai.onnx.ml", "LabelEncoder", "label", "Y"), model;

    test_put_integers(&node, "keys_int64s", 2, keys);
    test_put_words(&node, "values_strings", 2, names);
    model = labelled(keys, NULL, &node);
    check_label(&model, "yes", 0);
}

/* A number that is a label becomes a text, and a text a number. */
static void labels_are_cast(void **state)
{
    static const int64_t numbers[2] = {7, -3}, large[2] = {5, (int64_t)1 << 62}, odd[2] = {0, (1 << 24) + 1},
                         round[2] = {5, 100000000};
    static const char *const names[2] = {"12", "x"}, *const digits[2] = {"12", "13"}, *const zeros[2] = {"5", "-0"};
    test_message to_text = test_node("", "Cast", "label", "Y"), to_integer = to_text, to_float = to_text, model;
    test_message twice[2] = {test_node("", "Cast", "label", "F"), test_node("", "Cast", "F", "Y")};

    test_put_integer_attribute(&to_text, "to", STRING);
    test_put_integer_attribute(&to_integer, "to", INT64);
    model = labelled(numbers, NULL, &to_text);
    check_label(&model, "-3", 0);
    model = labelled(NULL, digits, &to_integer);
    check_label(&model, NULL, 13);
    model = labelled(NULL, names, &to_integer);
    check_refused(0, &model, HBS_E_FORMAT, "the text \"x\" is no int64");
    model = labelled(large, NULL, &to_text);
    check_label(&model, "4611686018427387904", 0);
    test_put_integer_attribute(&to_float, "to", FLOAT);
    model = labelled(odd, NULL, &to_float);
    check_refused(0, &model, HBS_E_UNSUPPORTED, "the label 16777217 is no float");
    test_put_integer_attribute(&twice[0], "to", FLOAT);
    test_put_integer_attribute(&twice[1], "to", STRING);
    model = labelled_by(round, NULL, twice, 2);
    check_label(&model, "1e+08", 0);
    model = labelled(NULL, zeros, &to_float);
    check_refused(0, &model, HBS_E_UNSUPPORTED, "labels that are texts or whole numbers");
}

/* ---- what is refused */

/* Numbers of texts that the graph has chosen. */
static test_message cast_of_chosen(void)
{
    static const char *const a[1] = {"a"}, *const equal[2] = {"X", "a"}, *const where[3] = {"E", "a", "X"};
    test_message graph = {.size = 0};

    put_texts(&graph, "a", 1, a);
    add_node(&graph, "Equal", equal, 2, "E");
    add_node(&graph, "Where", where, 3, "T");
    add_cast(&graph, "T", "Y", FLOAT);
    return end_file(&graph, STRING, 2);
}

static test_message cast_of_constant(void)
{
    static const char *const words[2] = {"1", "one"}, *const sum[2] = {"X", "F"};
    test_message graph = {.size = 0};

    put_texts(&graph, "words", 2, words);
    add_cast(&graph, "words", "F", FLOAT);
    add_node(&graph, "Add", sum, 2, "Y");
    return end_file(&graph, FLOAT, 2);
}

/* A text that a LabelEncoder makes beside one of the table. */
static test_message of_two_kinds(void)
{
    static const char *const keys[2] = {"a", "b"}, *const equal[2] = {"X", "T"};
    test_message graph = {.size = 0}, node = test_node("ai.onnx.ml", "LabelEncoder", "X", "T");

    put_mapping(&node, 2, keys, keys);
    test_put_message(&graph, 1, &node);
    add_node(&graph, "Equal", equal, 2, "Y");
    return end_file(&graph, STRING, 2);
}

static test_message of_two_types(void)
{
    static const char *const a[1] = {"a"}, *const where[3] = {"X", "a", "X"};
    test_message graph = {.size = 0};

    put_texts(&graph, "a", 1, a);
    add_node(&graph, "Where", where, 3, "Y");
    return end_file(&graph, FLOAT, 2);
}

static test_message few_integers(void)
{
    static const char *const words[2] = {"a", "x"};
    static const int64_t numbers[1] = {7};
    test_message graph = {.size = 0}, node = test_node("ai.onnx.ml", "CategoryMapper", "X", "Y");

    test_put_words(&node, "cats_strings", 2, words);
    test_put_integers(&node, "cats_int64s", 1, numbers);
    test_put_message(&graph, 1, &node);
    return end_file(&graph, STRING, 2);
}

static void what_has_no_meaning_is_refused(void **state)
{
    const struct {
        test_message file;
        hbs_status status;
        const char *words;
    } cases[] = {
        {of_two_kinds(), HBS_E_UNSUPPORTED, "two texts of which the graph computes one"},
        {cast_of_chosen(), HBS_E_UNSUPPORTED, "texts that the graph chooses"},
        {cast_of_constant(), HBS_E_FORMAT, "the text \"one\" is no float32"},
        {cast_from_texts(2), HBS_E_UNSUPPORTED, "hbscore reads no casts of string to uint8 yet"},
        {of_two_types(), HBS_E_UNSUPPORTED, "constant texts"},
        {few_integers(), HBS_E_FORMAT, "it has 1 values for 2 keys"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_refused(i, &cases[i].file, cases[i].status, cases[i].words);
}

/* ---- memory */

static hbs_status load_and_free(const hbs_host *host, void *context, hbs_error *error)
{
    hbs_model *model = NULL;
    hbs_status status = load_within(host, NULL, context, &model, error);

    hbs_model_free(model);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    test_message files[9] = {renamed(), imputed(),    chosen(),         compared(),  hashed(0),
                             swapped(), read_twice(), cast_to_texts(1), cast_known()};

    for (size_t i = 0; i < 9; i++)
        assert_true(test_each_allocation_fails(load_and_free, &files[i]) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_renamed_chosen_and_compared),
        cmocka_unit_test(a_missing_text_is_what_the_option_says),
        cmocka_unit_test(texts_are_compared_and_hashed_as_a_whole),
        cmocka_unit_test(a_missing_text_may_be_chosen),
        cmocka_unit_test(texts_are_cast_to_numbers),
        cmocka_unit_test(what_is_no_number_is_told),
        cmocka_unit_test(numbers_are_cast_to_texts),
        cmocka_unit_test(labels_are_renamed),
        cmocka_unit_test(labels_are_cast),
        cmocka_unit_test(what_has_no_meaning_is_refused),
        cmocka_unit_test(each_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
