/* test_onnx.c - ONNX files: what is scored against plain C, and what is refused with its reason. */
#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "onnx_writer.h"

/* ------------------------------------------------------------------ a model */

typedef struct fixture {
    test_host host;
    hbs_error error;
    hbs_model *model;
    hbs_plan *plan;
    hbs_run *run;
    hbs_result result;
} fixture;

static hbs_status load(const hbs_host *host, const test_message *file, const char *options, hbs_model **model,
                       hbs_error *error)
{
    char *bytes = test_exact_copy(file->bytes, file->size);
    hbs_source source = {
        .bytes = bytes, .size = file->size, .options = options, .options_size = options ? strlen(options) : 0};
    hbs_status status = hbs_model_load(host, NULL, &source, model, error);

    free(bytes);
    return status;
}

static void open_model(fixture *f, const test_message *file, const char *options)
{
    memset(f, 0, sizeof(*f));
    test_host_init(&f->host);
    assert_status(load(&f->host.host, file, options, &f->model, &f->error), HBS_OK, &f->error);
    assert_status(hbs_plan_compile(f->model, NULL, &f->plan, &f->error), HBS_OK, &f->error);
    f->run = test_run(&f->host.host, f->plan, 256);
}

static void close_model(fixture *f)
{
    hbs_run_free(f->run);
    hbs_plan_free(f->plan);
    hbs_model_free(f->model);
    test_host_end(&f->host);
}

static void score_row(fixture *f, const double *numbers, size_t n, uint32_t outputs)
{
    assert_status(hbs_score_numbers(f->run, numbers, n, outputs, &f->result, &f->error), HBS_OK, &f->error);
}

static const double rows[][2] = {{1, 2},       {-0.5, 0.1},     {0, -0.0},     {1e30, -1e30},
                                 {3e38, 3e38}, {NAN, 1},        {INFINITY, 1}, {1, -INFINITY},
                                 {0.1, 0.7},   {1e-40, -1e-45}, {1e300, 0.25}, {16777217, 0.3}};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

/* One accumulator, fused, the intercept last. */
static void plain_scores(const double *row, float *scores)
{
    for (size_t o = 0; o < 3; o++) {
        float sum = 0;

        for (size_t c = 0; c < 2; c++)
            sum = fmaf((float)row[c], test_coefficients[2 * o + c], sum);
        scores[o] = sum + test_intercepts[o];
    }
}

static size_t first_largest(const float *scores)
{
    size_t best = 0;

    for (size_t o = 1; o < 3; o++)
        best = scores[o] > scores[best] ? o : best;
    return best;
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* ------------------------------------------------------------------ what is scored */

static void a_linear_classifier_adds_in_float32_by_fused_products(void **state)
{
    test_message file = test_write_linear(&(test_linear){0});
    fixture f;

    open_model(&f, &file, NULL);
    for (size_t r = 0; r < N_ROWS; r++) {
        float scores[3];

        plain_scores(rows[r], scores);
        score_row(&f, rows[r], 2, HBS_OUT_RAW | HBS_OUT_LABEL);
        for (size_t o = 0; o < 3; o++)
            if (!is_same(f.result.raw[o], (double)scores[o]))
                fail_msg("row %zu: score %zu is %.9g, expected %.9g", r, o, f.result.raw[o], (double)scores[o]);
        assert_int_equal(f.result.label[0], first_largest(scores));
    }
    close_model(&f);
}

static void softmax_is_that_of_onnx_runtime(void **state)
{
    test_message file = test_write_linear(&(test_linear){.post = "SOFTMAX"});
    fixture f;

    open_model(&f, &file, NULL);
    for (size_t r = 0; r < N_ROWS; r++) {
        float scores[3], sum = 0, most = -3.40282347e+38f;

        plain_scores(rows[r], scores);
        for (size_t o = 0; o < 3; o++)
            most = scores[o] > most ? scores[o] : most;
        for (size_t o = 0; o < 3; o++)
            sum += expf(scores[o] - most);
        score_row(&f, rows[r], 2, HBS_OUT_PROBABILITIES);
        for (size_t o = 0; o < 3; o++)
            if (!is_same(f.result.probabilities[o], (double)(expf(scores[o] - most) / sum)))
                fail_msg("row %zu: probability %zu is %.9g", r, o, f.result.probabilities[o]);
    }
    close_model(&f);
}

/* The scores d and -d of two classes are one score, as in scikit-learn. */
static void opposite(test_message *node)
{
    static const float coefficients[4] = {-0.5f, 2, 0.5f, -2}, intercepts[2] = {0.25f, -0.25f};
    static const int64_t labels[2] = {7, -7};

    node->size = 0;
    *node = test_node("ai.onnx.ml", "LinearClassifier", "X", "label,scores");
    test_put_floats(node, "coefficients", 4, coefficients);
    test_put_floats(node, "intercepts", 2, intercepts);
    test_put_integers(node, "classlabels_ints", 2, labels);
    test_put_word(node, "post_transform", "LOGISTIC");
}

static void two_opposite_scores_are_one(void **state)
{
    test_message file = test_write_linear(&(test_linear){.edit_node = opposite});
    hbs_plan_info info;
    hbs_value label;
    fixture f;

    open_model(&f, &file, NULL);
    hbs_plan_get_info(f.plan, &info);
    assert_int_equal(info.raw_width, 1);
    assert_int_equal(info.probabilities_width, 2);
    hbs_plan_class(f.plan, 1, &label);
    assert_int_equal(label.as.i64, -7);
    for (size_t r = 0; r < N_ROWS; r++) {
        float d = fmaf((float)rows[r][1], -2, fmaf((float)rows[r][0], 0.5f, 0)) - 0.25f;
        float y = 1 / (1 + expf(-fabsf(d)));

        y = d < 0 ? 1 - y : y;
        score_row(&f, rows[r], 2, HBS_OUT_RAW | HBS_OUT_LABEL | HBS_OUT_PROBABILITIES);
        assert_true(is_same(f.result.raw[0], (double)d));
        assert_int_equal(f.result.label[0], d > 0);
        assert_true(is_same(f.result.probabilities[1], (double)y));
        assert_true(is_same(f.result.probabilities[0], (double)(1 - y)));
    }
    close_model(&f);
}

static void scale_columns(test_message *graph)
{
    static const float offset[2] = {0.1f, -3}, scale[2] = {0.3f, 7};
    test_message first = test_node("ai.onnx.ml", "Scaler", "X", "scaled"), whole = {.size = 0};
    size_t at = 0;

    test_put_floats(&first, "offset", 2, offset);
    test_put_floats(&first, "scale", 2, scale);
    test_put_message(&whole, 1, &first);
    at = whole.size;
    memcpy(whole.bytes + at, graph->bytes, graph->size); /* before the other nodes */
    whole.size += graph->size;
    *graph = whole;
}

static void one_score(test_message *node, const char *post)
{
    *node = test_node("ai.onnx.ml", "LinearClassifier", "X", "label,scores");
    test_put_floats(node, "coefficients", 2, test_coefficients);
    test_put_floats(node, "intercepts", 1, test_intercepts);
    test_put_word(node, "post_transform", post);
}

static void logistic_of_one(test_message *node)
{
    one_score(node, "LOGISTIC");
}

static void probit_of_one(test_message *node)
{
    one_score(node, "PROBIT");
}

/* As in ONNX Runtime: LOGISTIC leaves the one number as it is, PROBIT transforms it; outside (0, 1) that is NaN. */
static void one_score_without_labels_is_one_number(void **state)
{
    void (*const posts[])(test_message *) = {logistic_of_one, probit_of_one};

    for (size_t i = 0; i < 2; i++) {
        test_message file = test_write_linear(&(test_linear){.edit_node = posts[i]});
        fixture f;

        open_model(&f, &file, NULL);
        for (size_t r = 0; r < N_ROWS; r++) {
            float scores[3];

            plain_scores(rows[r], scores);
            score_row(&f, rows[r], 2, HBS_OUT_RAW | HBS_OUT_LABEL);
            assert_int_equal(f.result.label[0], scores[0] > 0);
            if (i == 0)
                assert_true(is_same(f.result.raw[0], (double)scores[0]));
            else if (!(scores[0] >= 0 && scores[0] <= 1))
                assert_true(isnan(f.result.raw[0]));
        }
        close_model(&f);
    }
}

static void a_scaler_rounds_after_each_step(void **state)
{
    test_message file = test_write_linear(&(test_linear){.reads = "scaled", .edit_graph = scale_columns});
    fixture f;

    open_model(&f, &file, NULL);
    for (size_t r = 0; r < N_ROWS; r++) {
        double row[2] = {((float)rows[r][0] - 0.1f) * 0.3f, ((float)rows[r][1] + 3) * 7};
        float scores[3];

        plain_scores(row, scores);
        score_row(&f, rows[r], 2, HBS_OUT_RAW);
        for (size_t o = 0; o < 3; o++)
            if (!is_same(f.result.raw[o], (double)scores[o]))
                fail_msg("row %zu: score %zu is %.9g, expected %.9g", r, o, f.result.raw[o], (double)scores[o]);
    }
    close_model(&f);
}

/* ------------------------------------------------------------------ names, classes, facts */

static void a_second_opset_of_a_domain_counts_if_it_is_higher(test_message *model)
{
    test_message opset = {.size = 0};

    test_put_text(&opset, 1, "");
    test_put_integer(&opset, 2, 11);
    test_put_message(model, 8, &opset);
}

static void add_opset_and_note(test_message *model)
{
    test_message note = {.size = 0};

    a_second_opset_of_a_domain_counts_if_it_is_higher(model);
    test_put_text(&note, 1, "author");
    test_put_text(&note, 2, "a test");
    test_put_message(model, 14, &note);
}

static void inspection_tells_versions_and_operators(void **state)
{
    static const struct {
        const char *name, *note;
    } facts[] = {{"format", "onnx"},
                 {"library", "a test"},
                 {"versions", "IR 8, ai.onnx 15, ai.onnx.ml 3"},
                 {"operators", "LinearClassifier"},
                 {"inputs", "X float32 [N, 2]"},
                 {"outputs", "label float32 [N, N]; scores float32 [N, N]"},
                 {"metadata", "author = a test"}};
    test_message file = test_write_linear(&(test_linear){.edit_model = add_opset_and_note});
    hbs_inspection line;
    fixture f;

    open_model(&f, &file, NULL);
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        assert_status(hbs_model_inspect(f.model, i, &line, &f.error), HBS_OK, &f.error);
        assert_string_equal(line.name, facts[i].name);
        assert_string_equal(line.note, facts[i].note);
    }
    close_model(&f);
}

static void options_name_features_and_classes(void **state)
{
    test_message file = test_write_linear(&(test_linear){0});
    hbs_text name;
    hbs_type type;
    hbs_value label;
    fixture f;

    open_model(&f, &file,
               "{\"features\":[\"monthly fee\",\"age\"],\"classes\":[\"a\",\"b\",\"c\"],\"format\":\"onnx\"}");
    hbs_plan_feature(f.plan, 0, &name, &type);
    assert_int_equal(name.size, 11);
    hbs_plan_class(f.plan, 2, &label);
    assert_int_equal(label.type, HBS_TEXT);
    assert_memory_equal(label.as.text.bytes, "c", 1);
    close_model(&f);
}

/* ------------------------------------------------------------------ what is refused */

static void add_function(test_message *model)
{
    test_put_text(model, 25, "");
}

static void add_graph(test_message *model)
{
    test_put_text(model, 7, "");
}

static void add_sparse(test_message *graph)
{
    test_put_text(graph, 15, "");
}

static void add_input(test_message *graph)
{
    test_message port = test_port("X", 1, -1, 2);

    test_put_message(graph, 11, &port);
}

static void put_tensor(test_message *graph, int64_t type, int64_t n, bool external)
{
    test_message tensor = {.size = 0};

    test_put_integer(&tensor, 1, n);
    test_put_integer(&tensor, 2, type);
    test_put_text(&tensor, 8, "constant");
    if (external)
        test_put_integer(&tensor, 14, 1);
    test_put_text(&tensor, 9, "8 bytes.");
    test_put_message(graph, 5, &tensor);
}

static void add_external(test_message *graph)
{
    put_tensor(graph, 1, 2, true);
}

static void add_half(test_message *graph)
{
    put_tensor(graph, 10, 4, false);
}

static void add_short(test_message *graph)
{
    put_tensor(graph, 1, 3, false);
}

static void add_huge(test_message *graph)
{
    put_tensor(graph, 1, INT64_MAX, false);
}

static void add_negative(test_message *graph)
{
    put_tensor(graph, 1, -2, false);
}

static void add_same_name(test_message *graph)
{
    test_message node = test_node("", "Identity", "X", "label");

    test_put_message(graph, 1, &node);
}

static void add_word(test_message *node)
{
    test_put_word(node, "post_transform", "NONE");
}

static void add_wrong(test_message *node)
{
    static const int64_t number = 1;

    test_put_integers(node, "multi_class_", 1, &number);
    test_put_word(node, "classlabels_strings", "text");
}

static void probit_of_two(test_message *node)
{
    static const int64_t labels[2] = {0, 1};

    one_score(node, "PROBIT");
    test_put_integers(node, "classlabels_ints", 2, labels);
}

/* A node without outputs, which other nodes do not miss. */
static void no_outputs(test_message *node)
{
    *node = (test_message){.size = 0};
    test_put_text(node, 1, "X");
    test_put_text(node, 3, "the node");
    test_put_text(node, 4, "MatMul");
    test_put_text(node, 1, "X");
}

static const struct {
    const char *class; /* of test/classes.txt; NULL: none */
    test_linear what;
    hbs_status status;
    const char *words;
} refused[] = {
    {"N7",
     {.op = "Gizmo"},
     HBS_E_UNSUPPORTED,
     "node 0 (\"the node\", Gizmo): hbscore does not read this operator yet: register"},
    {"N2",
     {.op = "Loop", .domain = ""},
     HBS_E_UNSUPPORTED,
     "(\"the node\", Loop): hbscore does not read this operator"},
    {"N7", {.domain = "com.example"}, HBS_E_UNSUPPORTED, "not of \"com.example\""},
    {"N2", {.edit_model = add_function}, HBS_E_UNSUPPORTED, "inline_local_functions"},
    {NULL, {.edit_model = add_graph}, HBS_E_FORMAT, "field 7 stands twice"},
    {NULL, {.edit_graph = add_sparse}, HBS_E_UNSUPPORTED, "sparse initializer"},
    {"W11", {.edit_graph = add_external}, HBS_E_UNSUPPORTED, "external_data=False"},
    {NULL, {.edit_graph = add_half}, HBS_E_UNSUPPORTED, "tensor \"constant\": hbscore reads no tensors of float16"},
    {"W8", {.edit_graph = add_short}, HBS_E_FORMAT, "not as long as its dimensions say"},
    {"W8", {.edit_graph = add_huge}, HBS_E_FORMAT, "not as long as its dimensions say"},
    {"W8", {.edit_graph = add_negative}, HBS_E_FORMAT, "a dimension is negative"},
    {"N1", {.edit_graph = add_input}, HBS_E_FORMAT, "two values have the name \"X\""},
    {"N1", {.edit_graph = add_same_name}, HBS_E_FORMAT, "two values have the name \"label\""},
    {NULL, {.ir = 2}, HBS_E_UNSUPPORTED, "IR version 2, hbscore reads 3 to 13"},
    {NULL, {.ir = 14}, HBS_E_UNSUPPORTED, "IR version 14"},
    {NULL, {.opset = 28}, HBS_E_UNSUPPORTED, "ai.onnx 28"},
    {NULL, {.ml_opset = 6}, HBS_E_UNSUPPORTED, "ai.onnx.ml 6"},
    {NULL, {.type = 10}, HBS_E_UNSUPPORTED, "it is of float16"},
    {NULL, {.type = 99}, HBS_E_UNSUPPORTED, "it is of type 99"},
    {NULL, {.rows = 16}, HBS_E_UNSUPPORTED, "it takes 16 rows at once"},
    {NULL, {.columns = -1}, HBS_E_UNSUPPORTED, "dimensions behind the first have a number"},
    {NULL, {.columns = 1 << 20}, HBS_E_LIMIT, "columns, the limit is"},
    {"N1", {.reads = "Z"}, HBS_E_FORMAT, "it reads \"Z\", which nothing in the file makes"},
    {"N1", {.reads = "label"}, HBS_E_FORMAT, "it reads \"label\", which no node before it makes"},
    {"N1", {.reads = ""}, HBS_E_FORMAT, "it reads \"\""},
    {"N3", {.n_coefficients = 5}, HBS_E_FORMAT, "it has 5 coefficients for 3 outputs of 2 columns"},
    {"N3", {.n_labels = 2}, HBS_E_FORMAT, "it has 2 labels for 3 scores"},
    {"N3", {.n_intercepts = 2}, HBS_E_FORMAT, "it has 3 labels for 2 scores"},
    {NULL, {.edit_node = probit_of_two}, HBS_E_UNSUPPORTED, "one score for two classes and post_transform PROBIT"},
    {NULL, {.post = "PROBITS"}, HBS_E_FORMAT, "post_transform is \"PROBITS\""},
    {NULL, {.edit_node = add_word}, HBS_E_FORMAT, "attribute post_transform stands twice"},
    {NULL, {.edit_node = add_wrong}, HBS_E_FORMAT, "attribute classlabels_strings is of another type"},
    {NULL, {.outputs = "label,scores,more"}, HBS_E_FORMAT, "it has 3 outputs"},
    {"N3", {.edit_node = no_outputs}, HBS_E_FORMAT, "it has 0 outputs"},
    {NULL, {.gives = "label,nothing"}, HBS_E_FORMAT, "output \"nothing\": nothing in the file makes it"},
    {NULL,
     {.gives = "label,scores,scores"},
     HBS_E_UNSUPPORTED,
     "the graph has several outputs of numbers beside a label, \"label\", \"scores\", \"scores\": choose by the option"},
    {NULL, {.gives = "label,scores,label"}, HBS_E_UNSUPPORTED, "the graph has several labels, \"label\", \"label\""},
    {NULL, {.gives = "label,X"}, HBS_E_UNSUPPORTED, "output \"X\": it is not what the classifier"},
};

/* For a graph that gives label, scores and scores again. */
static const struct {
    const char *options;
    hbs_status status;
    const char *words;                     /* of the error.. */
    size_t classes, probabilities, values; /* ..or how many the model has */
} chosen[] = {
    {"{\"outputs\": {\"label\": \"label\", \"probabilities\": \"scores\"}}", HBS_OK, "", 3, 3, 0},
    {"{\"outputs\": {\"label\": \"label\"}}", HBS_OK, "", 3, 0, 0},
    {"{\"outputs\": {\"values\": \"scores\"}}", HBS_OK, "", 0, 0, 3},
    {"{\"outputs\": {\"values\": \"score\"}}", HBS_E_ARGS, "no output \"score\"; there are \"label\", \"scores\"", 0, 0,
     0},
    {"{\"outputs\": {\"label\": \"scores\"}}", HBS_E_ARGS, "calls it a label, and it is numbers", 0, 0, 0},
    {"{\"outputs\": {\"values\": \"label\"}}", HBS_E_ARGS, "calls it numbers, and it is a label", 0, 0, 0},
    {"{\"outputs\": {\"probabilities\": \"scores\"}}", HBS_E_ARGS, "outputs takes a label, perhaps", 0, 0, 0},
    {"{\"outputs\": {\"label\": \"label\", \"values\": \"scores\"}}", HBS_E_ARGS, "outputs takes a label", 0, 0, 0},
    {"{\"outputs\": {\"scores\": \"label\"}}", HBS_E_ARGS, "outputs takes names of a graph's outputs", 0, 0, 0},
    {"{\"outputs\": [\"label\"]}", HBS_E_ARGS, "outputs takes names of a graph's outputs", 0, 0, 0},
};

static void an_option_chooses_the_outputs(void **state)
{
    for (size_t i = 0; i < sizeof(chosen) / sizeof(chosen[0]); i++) {
        test_message file = test_write_linear(&(test_linear){.gives = "label,scores,scores", .post = "SOFTMAX"});
        hbs_model *model = NULL;
        hbs_error error = {0};
        hbs_plan *plan = NULL;
        hbs_plan_info info;
        test_host host;
        hbs_status status;

        test_host_init(&host);
        status = load(&host.host, &file, chosen[i].options, &model, &error);
        if (status != chosen[i].status || !strstr(error.text, chosen[i].words))
            fail_msg("case %zu: status %d, \"%s\"", i, status, error.text);
        if (status == HBS_OK) {
            assert_status(hbs_plan_compile(model, NULL, &plan, &error), HBS_OK, &error);
            hbs_plan_get_info(plan, &info);
            assert_int_equal(info.classes, chosen[i].classes);
            assert_int_equal(info.probabilities_width, chosen[i].probabilities);
            assert_int_equal(info.values_width, chosen[i].values);
        }
        hbs_plan_free(plan);
        hbs_model_free(model);
        test_host_end(&host);
    }
}

static void what_cannot_be_scored_is_refused_by_name(void **state)
{
    const char *classes[sizeof(refused) / sizeof(refused[0])];

    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        test_message file = test_write_linear(&refused[i].what);
        hbs_model *model = NULL;
        hbs_error error = {0};
        test_host host;
        hbs_status status;

        test_host_init(&host);
        status = load(&host.host, &file, NULL, &model, &error);
        if (status != refused[i].status || !strstr(error.text, refused[i].words))
            fail_msg("case %zu: status %d, \"%s\", expected \"%s\"", i, status, error.text, refused[i].words);
        assert_null(model);
        test_host_end(&host);
    }
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        classes[i] = refused[i].class;
    test_print_classes(classes, sizeof(refused) / sizeof(refused[0]));
}

static void other_options_are_refused(void **state)
{
    static const char *const options[] = {"{\"rounds\":1}", "{\"classes\":[\"a\",\"b\"]}", "{\"features\":[\"a\"]}"};

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        test_message file = test_write_linear(&(test_linear){0});
        hbs_model *model = NULL;
        hbs_error error = {0};
        test_host host;

        test_host_init(&host);
        assert_status(load(&host.host, &file, options[i], &model, &error), HBS_E_ARGS, &error);
        test_host_end(&host);
    }
}

/* ------------------------------------------------------------------ the host */

static hbs_status load_and_free(const hbs_host *host, void *context, hbs_error *error)
{
    test_message file =
        test_write_linear(&(test_linear){.reads = "scaled", .post = "SOFTMAX", .edit_graph = scale_columns});
    hbs_model *model = NULL;
    hbs_status status = load(host, &file, NULL, &model, error);

    (void)context;
    hbs_model_free(model);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    assert_true(test_each_allocation_fails(load_and_free, NULL) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_classifier_adds_in_float32_by_fused_products),
        cmocka_unit_test(softmax_is_that_of_onnx_runtime),
        cmocka_unit_test(two_opposite_scores_are_one),
        cmocka_unit_test(one_score_without_labels_is_one_number),
        cmocka_unit_test(a_scaler_rounds_after_each_step),
        cmocka_unit_test(inspection_tells_versions_and_operators),
        cmocka_unit_test(options_name_features_and_classes),
        cmocka_unit_test(what_cannot_be_scored_is_refused_by_name),
        cmocka_unit_test(an_option_chooses_the_outputs),
        cmocka_unit_test(other_options_are_refused),
        cmocka_unit_test(each_allocation_may_fail),
    };

    return cmocka_run_group_tests_name("onnx", tests, NULL, NULL);
}
