/* test_pipeline.c - what the validators refuse, what sealing sets, and the lines of the inspection. */
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    test_host host;
    test_pipeline p;
    hbs_error error;
} fixture;

static test_pipeline *begin(fixture *f, size_t n_features)
{
    memset(f, 0, sizeof *f);
    test_host_init(&f->host);
    test_pipeline_begin(&f->p, &f->host.host, n_features);
    return &f->p;
}

/* The same with a forest of one output as the raw score. */
static test_pipeline *begin_forest(fixture *f, size_t n_features)
{
    test_pipeline *p = begin(f, n_features);

    p->pipeline.raw = test_pipeline_forest(p, 1, 1, HB_BASE_IDENTITY, 0.5f);
    return p;
}

static void end(fixture *f)
{
    test_pipeline_end(&f->p);
    test_host_end(&f->host);
}

static void seals(fixture *f)
{
    assert_status(hb_pipeline_seal(&f->p.pipeline, &f->error), HBS_OK, &f->error);
    assert_true(f->p.pipeline.sealed);
}

/* Sealing fails with the status; ends the fixture. The text is that, or NULL: any. */
static void refused(fixture *f, hbs_status status, const char *text)
{
    assert_status(hb_pipeline_seal(&f->p.pipeline, &f->error), status, &f->error);
    assert_false(f->p.pipeline.sealed);
    if (text)
        assert_string_equal(f->error.text, text);
    end(f);
}

/* ------------------------------------------------------------------ operators */

static void sealing_sets_the_widths_of_all_values(void **state)
{
    fixture f;
    test_pipeline *p = begin(&f, 7);
    size_t mark = test_pipeline_mark(p, 1, -1), link, flags, argmax;

    p->pipeline.raw = test_pipeline_forest(p, mark, 3, HB_BASE_IDENTITY, 0.5f);
    link = test_pipeline_link(p, p->pipeline.raw, HB_LINK_SOFTMAX);
    flags = test_pipeline_head(p, link, HB_HEAD_FLAGS, 0.5f);
    test_pipeline_classes(p, 3);
    argmax = test_pipeline_head(p, link, HB_HEAD_ARGMAX, 0);
    seals(&f);
    assert_int_equal(hb_pipeline_width(&p->pipeline, 0), 7);
    assert_int_equal(hb_pipeline_width(&p->pipeline, 1), 7);
    assert_int_equal(hb_pipeline_width(&p->pipeline, mark), 7);
    assert_int_equal(hb_pipeline_width(&p->pipeline, p->pipeline.raw), 3);
    assert_int_equal(hb_pipeline_width(&p->pipeline, link), 3);
    assert_int_equal(hb_pipeline_width(&p->pipeline, flags), 3);
    assert_int_equal(hb_pipeline_width(&p->pipeline, argmax), 1);
    end(&f);
}

static void a_pipeline_is_sealed_once(void **state)
{
    fixture f;

    begin_forest(&f, 1);
    seals(&f);
    assert_status(hb_pipeline_seal(&f.p.pipeline, &f.error), HBS_E_INTERNAL, &f.error);
    end(&f);
}

static void a_base_score_is_a_number(void **state)
{
    fixture f;

    test_pipeline_forest(begin(&f, 1), 1, 1, HB_BASE_IDENTITY, NAN);
    refused(&f, HBS_E_FORMAT, "base_score 0 is NaN");
    test_fit(&f.p, linear, test_pipeline_linear(begin(&f, 1), 1, 1, NULL, NULL))->base_score = (const float[]){NAN};
    refused(&f, HBS_E_FORMAT, "base_score 0 is NaN");
    begin_forest(&f, 1);
    test_fit(&f.p, forest, f.p.pipeline.raw)->base_score = (const float[]){-INFINITY};
    seals(&f);
    end(&f);
}

static void a_base_score_in_output_space_is_a_probability(void **state)
{
    static const float bad[] = {-0.25f, 1.5f, INFINITY}, good[] = {0, 0.5f, 1};
    fixture f;

    for (size_t i = 0; i < 3; i++) {
        char text[80];

        test_pipeline_forest(begin(&f, 1), 1, 1, HB_BASE_LOGIT, bad[i]);
        snprintf(text, sizeof text, "base_score is %g, the objective needs a probability", (double)bad[i]);
        refused(&f, HBS_E_FORMAT, text);
        test_pipeline *p = begin(&f, 1);

        p->pipeline.raw = test_pipeline_forest(p, 1, 1, HB_BASE_LOGIT, good[i]);
        seals(&f);
        end(&f);
    }
}

static void linear_weights_are_numbers(void **state)
{
    const float weights[] = {1, INFINITY, 3, NAN}, bias[] = {0, NAN}, fine[] = {1, 2, 3, -0.0f};
    fixture f;

    test_pipeline_linear(begin(&f, 2), 1, 2, weights, NULL);
    refused(&f, HBS_E_FORMAT, "weight 3 is NaN");
    test_pipeline_linear(begin(&f, 2), 1, 2, fine, bias);
    refused(&f, HBS_E_FORMAT, "bias 1 is NaN");
}

static void a_tree_is_sealed_with_the_pipelines_limits(void **state)
{
    fixture f;

    begin_forest(&f, 1);
    f.p.pipeline.limits.max_depth = 0;
    test_add_tree(test_pipeline_trees(&f.p, 2), (hb_tree_node[]){test_split(0, 1, 1, 2), test_leaf(1), test_leaf(2)}, 3,
                  0);
    refused(&f, HBS_E_LIMIT, "tree 1 is deeper than the limit of 0");
}

static void a_sum_of_a_convolution_has_few_terms(void **state)
{
    enum { TERMS = HB_MAX_OUTPUTS + 1 };
    static const float weights[TERMS + HB_CONVOLUTION_TAIL], bias[1];
    fixture f;

    hb_pipeline_add(&begin_forest(&f, 2)->pipeline, HB_OPERATOR_CONVOLUTION, 1,
                    &(hb_fit_convolution){.n_images = 1,
                                          .n_groups = 1,
                                          .n_channels = 1,
                                          .n_outputs = 1,
                                          .windows = {{1, 1, 2}, {1, 1, 1}, {1, 1, TERMS}, {1, 1, 1}, {1, 1, 1}, {0}},
                                          .limits = {-INFINITY, INFINITY},
                                          .n_weights = TERMS + HB_CONVOLUTION_TAIL,
                                          .weights = weights,
                                          .bias = bias});
    refused(&f, HBS_E_LIMIT, "convolution: of 65537 terms (1 to 65536)");
}

/* Each breaks one thing that formats must not do: a bug of ours, never of a file. */
static void set_input(test_pipeline *p, uint32_t value)
{
    *(uint32_t *)(uintptr_t)hb_node_at(&p->pipeline.graph, 2)->inputs = value;
}

static void break_input(test_pipeline *p)
{
    set_input(p, 2); /* its own value */
}

static void break_table(test_pipeline *p)
{
    set_input(p, 0); /* the table has no columns of numbers */
}

/* The caller's columns are bound to one place. */
static void break_second_table(test_pipeline *p)
{
    test_add_plain(p, ORDINAL, 0);
}

static void break_width(test_pipeline *p)
{
    test_pipeline_trees(p, 2)->n_features++;
}

static void break_outputs(test_pipeline *p)
{
    test_pipeline_trees(p, 2)->n_outputs = 0;
}

static void break_leaf_width(test_pipeline *p)
{
    test_pipeline_trees(p, 2)->leaf_width = 2;
}

static void break_groups(test_pipeline *p)
{
    test_pipeline_trees(p, 2)->groups.count = 0;
}

static void break_mark(test_pipeline *p)
{
    test_pipeline_mark(p, 1, NAN);
}

static void break_greater(test_pipeline *p)
{
    test_pipeline_classes(p, 3);
    p->pipeline.label = test_pipeline_head(p, 2, HB_HEAD_GREATER, 0);
}

static void break_argmax(test_pipeline *p)
{
    test_pipeline_classes(p, 3);
    p->pipeline.label =
        test_pipeline_head(p, 2, HB_HEAD_ARGMAX, 0); /* of one score, which stands for two classes only */
}

static void break_raw(test_pipeline *p)
{
    p->pipeline.raw = 0;
}

static void break_output(test_pipeline *p)
{
    p->pipeline.value = 3; /* there are two */
}

static void break_value(test_pipeline *p)
{
    p->pipeline.value = 1; /* two numbers */
}

static void break_label(test_pipeline *p)
{
    p->pipeline.label = 2; /* no class number */
}

static void break_flags(test_pipeline *p)
{
    p->pipeline.label = test_pipeline_head(p, 2, HB_HEAD_FLAGS, 0);
}

static void break_probabilities(test_pipeline *p)
{
    test_pipeline_classes(p, 3);
    p->pipeline.probabilities = 2;
}

static void break_features(test_pipeline *p)
{
    p->pipeline.n_features = HB_MAX_FEATURES + 1;
}

static void break_no_features(test_pipeline *p)
{
    p->pipeline.n_features = test_pipeline_trees(p, 2)->n_features = 0;
}

static void broken_invariants_are_internal_errors(void **state)
{
    void (*const breaks[])(test_pipeline * p) = {
        break_input, break_table,   break_width,         break_outputs,  break_leaf_width,  break_groups,
        break_mark,  break_greater, break_argmax,        break_raw,      break_output,      break_value,
        break_label, break_flags,   break_probabilities, break_features, break_no_features, break_second_table,
    };

    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        fixture f;

        breaks[i](begin_forest(&f, 2));
        if (hb_pipeline_seal(&f.p.pipeline, &f.error) != HBS_E_INTERNAL)
            fail_msg("break %zu", i);
        end(&f);
    }
}

/* An operator without parameters that reads the columns of numbers `n` times, dead as it is. */
static void seal_with_inputs(fixture *f, hb_operator_kind kind, size_t n)
{
    static const char none[1024];
    const uint32_t inputs[] = {1, 1, 1};

    assert_true(hb_operator_rows[kind].fit_size <= sizeof none);
    assert_true(n <= 3);
    hb_pipeline_add_of(&begin_forest(f, 2)->pipeline, kind, inputs, n, none);
    assert_int_equal(hb_pipeline_seal(&f->p.pipeline, &f->error), HBS_E_INTERNAL);
    end(f);
}

static void an_operator_states_how_many_inputs_it_takes(void **state)
{
    static const struct {
        hb_operator_kind kind;
        size_t n;
        const char *text;
    } cases[] = {{HB_OPERATOR_ROUND, 2, "round has 2 inputs, it takes at most 1"},
                 {HB_OPERATOR_SUBTRACT, 1, "subtract has 1 input, it takes at least 2"},
                 {HB_OPERATOR_SUBTRACT, 3, "subtract has 3 inputs, it takes at most 2"},
                 {HB_OPERATOR_CONCAT, 0, "concat has 0 inputs, it takes at least 1"},
                 {HB_OPERATOR_FOREST, 3, "forest has 3 inputs, it takes at most 2"},
                 {HB_OPERATOR_LINEAR, 0, "linear has 0 inputs, it takes at least 1"},
                 {HB_OPERATOR_TREE_ENSEMBLE, 1, "tree_ensemble has 1 input, it takes at least 2"},
                 {HB_OPERATOR_SCALE, 2, "scale has 2 inputs, it takes at most 1"},
                 {HB_OPERATOR_CONSTANT, 1, "constant has 1 input, it takes at most 0"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        char text[160];

        seal_with_inputs(&f, cases[i].kind, cases[i].n);
        snprintf(text, sizeof text, "internal error: the operator %s, please report it", cases[i].text);
        assert_string_equal(f.error.text, text);
    }
}

/* Each operator of each stage: none reads an input that nobody has checked. */
static void no_operator_takes_other_counts_of_inputs(void **state)
{
    for (size_t kind = 0; kind < HB_N_OPERATORS; kind++)
        for (size_t n = 0; n <= 3; n++) {
            const hb_input_count *takes = &hb_operator_rows[kind].inputs;
            fixture f;

            if (n >= takes->least && n <= takes->most)
                continue;
            seal_with_inputs(&f, (hb_operator_kind)kind, n);
            if (!strstr(f.error.text, hb_operator_name((hb_operator_kind)kind)) || !strstr(f.error.text, "it takes at"))
                fail_msg("%s of %zu: %s", hb_operator_name((hb_operator_kind)kind), n, f.error.text);
        }
}

/* ------------------------------------------------------------------ names */

static void equal_names_are_refused(void **state)
{
    fixture f;

    test_pipeline_names(begin_forest(&f, 4), "age,plan,zone,plan");
    refused(&f, HBS_E_FORMAT, "two features have the name \"plan\" (option features gives them new names)");
}

static void equal_names_of_the_option_are_the_callers_fault(void **state)
{
    fixture f;

    test_pipeline_names(begin_forest(&f, 2), "a\001,a\001");
    f.p.pipeline.names_are_given = true;
    refused(&f, HBS_E_ARGS, "two features have the name \"a\\x01\" (option features gives them new names)");
}

static void names_may_differ_in_case_or_length_only(void **state)
{
    fixture f;

    test_pipeline_names(begin_forest(&f, 5), "age,Age,AGE,ag,");
    seals(&f);
    end(&f);
}

static void names_are_found_by_number(void **state)
{
    fixture f;
    test_pipeline *p = begin_forest(&f, 3);

    assert_int_equal(hb_pipeline_feature_name(&p->pipeline, 2).size, 0);
    test_pipeline_names(p, "age,,zone");
    assert_true(hb_text_is(hb_pipeline_feature_name(&p->pipeline, 0), "age"));
    assert_true(hb_text_is(hb_pipeline_feature_name(&p->pipeline, 1), ""));
    assert_true(hb_text_is(hb_pipeline_feature_name(&p->pipeline, 2), "zone"));
    end(&f);
}

static void one_equal_pair_among_many_names_is_found(void **state)
{
    enum { N = 5000 };
    static char names[N * 8];

    for (size_t same = 0; same < 2; same++) {
        fixture f;
        size_t size = 0;

        for (size_t i = 0; i < N; i++)
            size += (size_t)snprintf(names + size, sizeof names - size, "%sf%zu", i ? "," : "",
                                     same && i == N - 1 ? 17 : i);
        test_pipeline_names(begin_forest(&f, N), names);
        if (same) {
            refused(&f, HBS_E_FORMAT, "two features have the name \"f17\" (option features gives them new names)");
            continue;
        }
        seals(&f);
        end(&f);
    }
}

/* ------------------------------------------------------------------ categories */

#define TEXT(literal)                \
    {                                \
        literal, sizeof(literal) - 1 \
    }

/* Gives feature 1 of 2 these categories. */
static void with_texts(fixture *f, size_t n, const hbs_text *texts)
{
    static hb_categories categories[2];

    categories[1] = (hb_categories){.type = HBS_TEXT, .count = n, .texts = texts};
    begin_forest(f, 2)->pipeline.categories = categories;
}

static void with_numbers(fixture *f, size_t n, const int64_t *numbers)
{
    static hb_categories categories[2];

    categories[1] = (hb_categories){.type = HBS_INT64, .count = n, .numbers = numbers};
    begin_forest(f, 2)->pipeline.categories = categories;
}

static void equal_categories_are_refused(void **state)
{
    static const hbs_text texts[] = {TEXT("b"), TEXT("a"), TEXT(""), TEXT("a")};
    fixture f;

    with_texts(&f, 4, texts);
    test_pipeline_names(&f.p, "fee,plan");
    refused(&f, HBS_E_UNSUPPORTED,
            "feature 1 (\"plan\"): category 3 has the same bytes as another one, so they cannot be "
            "told apart");
    with_numbers(&f, 3, (const int64_t[]){INT64_MIN, 5, INT64_MIN});
    refused(&f, HBS_E_UNSUPPORTED,
            "feature 1 (\"\"): category 2 is the same number as another one, so they cannot be told "
            "apart");
}

static void categories_may_begin_with_each_other_and_hold_any_byte(void **state)
{
    static const hbs_text texts[] = {TEXT("a"), TEXT("ab"), TEXT("a\0"),      TEXT("a\0b"),
                                     TEXT("A"), TEXT(""),   TEXT("\xff\xfe"), TEXT("\xff")};
    fixture f;

    with_texts(&f, 8, texts);
    seals(&f);
    end(&f);
    with_numbers(&f, 4, (const int64_t[]){3, -3, INT64_MAX, INT64_MIN});
    seals(&f);
    end(&f);
}

static void a_feature_of_no_categories_is_a_number(void **state)
{
    fixture f;

    with_numbers(&f, 1, (const int64_t[]){3});
    assert_null(hb_pipeline_categories(&f.p.pipeline, 0));
    assert_int_equal(hb_pipeline_categories(&f.p.pipeline, 1)->count, 1);
    f.p.pipeline.categories = NULL;
    assert_null(hb_pipeline_categories(&f.p.pipeline, 1));
    end(&f);
}

/* ------------------------------------------------------------------ inspection */

/* Line `index` is "role position name | type | note". */
static void line_is(fixture *f, size_t index, const char *expected)
{
    hbs_inspection line;
    char text[1200];

    assert_status(hb_pipeline_inspect(&f->p.pipeline, index, &line, &f->error), HBS_OK, &f->error);
    snprintf(text, sizeof text, "%s %d %s | %s | %s", line.role, line.position, line.name, line.type, line.note);
    assert_string_equal(text, expected);
}

/* What features and classes say beside that. */
static void feature_takes(fixture *f, size_t index, const char *on_missing, size_t categories)
{
    hbs_inspection line;

    assert_status(hb_pipeline_inspect(&f->p.pipeline, index, &line, &f->error), HBS_OK, &f->error);
    assert_string_equal(line.role, "feature");
    assert_string_equal(line.on_missing, on_missing);
    assert_int_equal(line.categories, categories);
    assert_int_equal(line.label.type, HBS_NULL);
}

static void ends_at(fixture *f, size_t index)
{
    hbs_inspection line = {.role = "untouched"};
    hbs_error error = {.text = "untouched"};

    assert_int_equal(hb_pipeline_inspect(&f->p.pipeline, index, &line, &error), HBS_E_NOENT);
    assert_int_equal(hb_pipeline_inspect(&f->p.pipeline, SIZE_MAX, &line, &error), HBS_E_NOENT);
    assert_string_equal(error.text, "untouched");
    assert_string_equal(line.role, "untouched");
}

static void a_regressor_shows_facts_features_and_operators(void **state)
{
    fixture f;
    test_pipeline *p = begin_forest(&f, 2);

    test_pipeline_names(p, "age,a\002ge");
    p->pipeline.value = p->pipeline.raw;
    assert_status(hb_pipeline_fact(&p->pipeline, "rounds", "%d of %d", 3, 5), HBS_OK, &f.error);
    seals(&f);
    line_is(&f, 0, "model 1 format |  | test");
    line_is(&f, 1, "model 2 rounds |  | 3 of 5");
    line_is(&f, 2, "feature 1 age | number | NULL is missing");
    line_is(&f, 3, "feature 2 a\\x02ge | number | NULL is missing");
    line_is(&f, 4, "output 1 predict | number | ");
    line_is(&f, 5, "output 2 decision_function | number | ");
    line_is(&f, 6, "operator 1 ordinal |  | columns to numbers; categories become their position");
    line_is(&f, 7, "operator 2 forest |  | sum of decision trees: 1 trees, 1 nodes");
    ends_at(&f, 8);
    end(&f);
}

static void a_binary_classifier_shows_both_probabilities(void **state)
{
    fixture f;
    test_pipeline *p = begin_forest(&f, 1);

    p->pipeline.probabilities = test_pipeline_link(p, 2, HB_LINK_SIGMOID);
    test_pipeline_classes(p, 2);
    p->pipeline.label = test_pipeline_head(p, 3, HB_HEAD_GREATER, 0.5f);
    p->pipeline.classes[0] = (hbs_value){.type = HBS_TEXT, .as.text = TEXT("no\n")};
    p->pipeline.classes[1] = (hbs_value){.type = HBS_BOOL, .as.boolean = true};
    seals(&f);
    line_is(&f, 1, "feature 1  | number | NULL is missing");
    line_is(&f, 2, "class 1 no\\x0a | text | ");
    line_is(&f, 3, "class 2 true | boolean | ");
    p->pipeline.classes[0] = (hbs_value){.type = HBS_INT64, .as.i64 = INT64_MIN};
    p->pipeline.classes[1] = (hbs_value){.type = HBS_FLOAT64, .as.f64 = 0.1};
    line_is(&f, 2, "class 1 -9223372036854775808 | integer | ");
    line_is(&f, 3, "class 2 0.1 | number | ");
    line_is(&f, 4, "output 1 predict | class | ");
    line_is(&f, 5, "output 2 predict_label | class | ");
    line_is(&f, 6, "output 3 predict_probability | number | ");
    line_is(&f, 7, "output 4 predict_proba | numbers | 2 numbers");
    line_is(&f, 8, "output 5 decision_function | number | ");
    line_is(&f, 11, "operator 3 link |  | raw scores to the output's scale");
    line_is(&f, 12, "operator 4 head |  | class by the library's own rule");
    ends_at(&f, 13);
    end(&f);
}

static void a_class_has_its_label_as_it_is(void **state)
{
    hbs_inspection line;
    fixture f;
    test_pipeline *p = begin_forest(&f, 1);

    test_pipeline_classes(p, 2);
    p->pipeline.label = test_pipeline_head(p, 2, HB_HEAD_GREATER, 0.5f);
    p->pipeline.classes[0] = (hbs_value){.type = HBS_TEXT, .as.text = TEXT("no\n")};
    p->pipeline.classes[1] = (hbs_value){.type = HBS_INT64, .as.i64 = 7};
    seals(&f);
    assert_status(hb_pipeline_inspect(&f.p.pipeline, 2, &line, &f.error), HBS_OK, &f.error);
    assert_int_equal(line.label.type, HBS_TEXT);
    assert_true(hb_text_is(line.label.as.text, "no\n"));
    assert_string_equal(line.on_missing, "");
    assert_status(hb_pipeline_inspect(&f.p.pipeline, 3, &line, &f.error), HBS_OK, &f.error);
    assert_int_equal(line.label.type, HBS_INT64);
    assert_int_equal(line.label.as.i64, 7);
    assert_status(hb_pipeline_inspect(&f.p.pipeline, 4, &line, &f.error), HBS_OK, &f.error);
    assert_int_equal(line.label.type, HBS_NULL);
    end(&f);
}

static void several_outputs_are_values(void **state)
{
    fixture f;
    test_pipeline *p = begin(&f, 1);

    p->pipeline.raw = test_pipeline_linear(p, 1, 3, NULL, NULL);
    p->pipeline.values = p->pipeline.raw;
    seals(&f);
    line_is(&f, 2, "output 1 predict_values | numbers | 3 numbers");
    line_is(&f, 3, "output 2 decision_function | numbers | 3 numbers");
    line_is(&f, 5, "operator 2 linear |  | weighted sum of features");
    ends_at(&f, 6);
    end(&f);
}

static void features_say_what_they_take(void **state)
{
    static const hbs_text plans[] = {TEXT("bronze"), TEXT("g\"old"), TEXT("")};
    static const int64_t zones[] = {-7, INT64_MAX};
    static const hb_categories categories[4] = {{.type = HBS_NULL},
                                                {.type = HBS_TEXT, .count = 3, .texts = plans},
                                                {.type = HBS_INT64, .count = 2, .numbers = zones}};
    static const uint8_t codes[4] = {0, 1, 1, 1};
    fixture f;
    test_pipeline *p = begin_forest(&f, 4);

    p->pipeline.categories = categories;
    p->pipeline.codes = codes;
    seals(&f);
    line_is(&f, 1, "feature 1  | number | NULL is missing");
    line_is(&f, 2, "feature 2  | text | 3 categories: bronze, g\\x22old, ");
    line_is(&f, 3, "feature 3  | integer | 2 categories: -7, 9223372036854775807");
    line_is(&f, 4, "feature 4  | integer | a category's code: the file does not hold the categories");
    feature_takes(&f, 1, "scored", 0);
    feature_takes(&f, 2, "scored", 3);
    feature_takes(&f, 3, "scored", 2);
    feature_takes(&f, 4, "scored", 0);
    end(&f);
}

static void many_categories_are_cut(void **state)
{
    enum { N = 300 };
    static int64_t numbers[N];
    hbs_inspection line;
    fixture f;

    for (int i = 0; i < N; i++)
        numbers[i] = 1000000 + i;
    with_numbers(&f, N, numbers);
    seals(&f);
    assert_status(hb_pipeline_inspect(&f.p.pipeline, 2, &line, &f.error), HBS_OK, &f.error);
    assert_memory_equal(line.note, "300 categories: 1000000, 1000001, ", 34);
    assert_true(strlen(line.note) < 160);
    assert_string_equal(line.note + strlen(line.note) - 3, " ..");
    end(&f);
}

static void long_categories_of_bad_bytes_fit(void **state)
{
    static char bad[40];
    static hbs_text texts[9];
    hbs_inspection line;
    fixture f;

    memset(bad, 0xff, sizeof bad);
    for (size_t i = 0; i < 9; i++)
        texts[i] = (hbs_text){bad, 40 - i};
    with_texts(&f, 9, texts);
    seals(&f);
    assert_status(hb_pipeline_inspect(&f.p.pipeline, 2, &line, &f.error), HBS_OK, &f.error);
    assert_memory_equal(line.note, "9 categories: \\xff\\xff", 22);
    assert_true(strlen(line.note) < 480);
    end(&f);
}

static void facts_beyond_the_last_place_are_dropped(void **state)
{
    fixture f;
    test_pipeline *p = begin_forest(&f, 1);

    for (int i = 0; i < HB_MAX_FACTS + 3; i++)
        assert_status(hb_pipeline_fact(&p->pipeline, "fact", "number %d", i), HBS_OK, &f.error);
    seals(&f);
    line_is(&f, HB_MAX_FACTS, "model 17 fact |  | number 15");
    line_is(&f, HB_MAX_FACTS + 1, "feature 1  | number | NULL is missing");
    end(&f);
}

/* A small file may declare 262,144 features: its inspection must fit into the model's memory. */
static void unnamed_features_take_no_memory_to_inspect(void **state)
{
    hbs_inspection line;
    fixture f;

    begin_forest(&f, HB_MAX_FEATURES);
    seals(&f);
    size_t used = f.p.memory.used;

    for (size_t i = 0; i < HB_MAX_FEATURES; i++)
        assert_status(hb_pipeline_inspect(&f.p.pipeline, 1 + i, &line, &f.error), HBS_OK, &f.error);
    assert_string_equal(line.role, "feature");
    assert_int_equal(line.position, HB_MAX_FEATURES);
    assert_int_equal(f.p.memory.used, used);
    end(&f);
}

static hbs_status inspect_with(const hbs_host *host, void *context, hbs_error *error)
{
    hb_memory memory;
    hb_pipeline pipeline;
    hbs_inspection line;
    hbs_status status = HBS_OK;
    const uint32_t ends[] = {3};

    hb_memory_init(&memory, host, 0);
    hb_pipeline_init(&pipeline, &memory, &(hbs_limits){1, 1, 1});
    pipeline.format = "test";
    pipeline.n_features = 1;
    pipeline.name_bytes = "age";
    pipeline.name_ends = ends;
    hb_pipeline_add(&pipeline, HB_OPERATOR_ORDINAL, 0, NULL);
    pipeline.raw = 1;
    status = hb_pipeline_fact(&pipeline, "a", "b") == HBS_OK ? hb_pipeline_seal(&pipeline, error)
                                                             : hb_no_memory(&memory, error);
    for (size_t i = 0; i < 5 && status == HBS_OK; i++)
        status = hb_pipeline_inspect(&pipeline, i, &line, error);
    hb_pipeline_release(&pipeline);
    return status;
}

static void each_allocation_of_sealing_and_inspecting_may_fail(void **state)
{
    assert_true(test_each_allocation_fails(inspect_with, NULL) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sealing_sets_the_widths_of_all_values),
        cmocka_unit_test(a_pipeline_is_sealed_once),
        cmocka_unit_test(a_base_score_is_a_number),
        cmocka_unit_test(a_base_score_in_output_space_is_a_probability),
        cmocka_unit_test(linear_weights_are_numbers),
        cmocka_unit_test(a_tree_is_sealed_with_the_pipelines_limits),
        cmocka_unit_test(a_sum_of_a_convolution_has_few_terms),
        cmocka_unit_test(broken_invariants_are_internal_errors),
        cmocka_unit_test(an_operator_states_how_many_inputs_it_takes),
        cmocka_unit_test(no_operator_takes_other_counts_of_inputs),
        cmocka_unit_test(equal_names_are_refused),
        cmocka_unit_test(equal_names_of_the_option_are_the_callers_fault),
        cmocka_unit_test(names_may_differ_in_case_or_length_only),
        cmocka_unit_test(names_are_found_by_number),
        cmocka_unit_test(one_equal_pair_among_many_names_is_found),
        cmocka_unit_test(equal_categories_are_refused),
        cmocka_unit_test(categories_may_begin_with_each_other_and_hold_any_byte),
        cmocka_unit_test(a_feature_of_no_categories_is_a_number),
        cmocka_unit_test(a_regressor_shows_facts_features_and_operators),
        cmocka_unit_test(a_binary_classifier_shows_both_probabilities),
        cmocka_unit_test(a_class_has_its_label_as_it_is),
        cmocka_unit_test(several_outputs_are_values),
        cmocka_unit_test(features_say_what_they_take),
        cmocka_unit_test(many_categories_are_cut),
        cmocka_unit_test(long_categories_of_bad_bytes_fit),
        cmocka_unit_test(facts_beyond_the_last_place_are_dropped),
        cmocka_unit_test(unnamed_features_take_no_memory_to_inspect),
        cmocka_unit_test(each_allocation_of_sealing_and_inspecting_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
