/* test_onnx_windows.c - Conv and the pools of ONNX: what a node makes of a row, what is taken into a convolution's
 * weights, and which windows are refused. */
#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "onnx_writer.h"
#include "plan/plan.h"

enum { COLUMNS = 12, FLOAT32 = 1, INT64 = 7, FLOAT64 = 11, MOST = 16 };

/* ---- files */

/* The node under test, of an image [1, channels, dims..] of the row's numbers. */
typedef struct file_setting {
    const char *op;
    int64_t shape[5]; /* -1, channels, ..; 0: no more */
    int64_t weights[5];
    int64_t bias; /* so many numbers; 0: none */
    float first;  /* of the weights 1, 2, .. this is added to the first */
    void (*set)(test_message *node);
    const char *behind; /* an operator that reads what it makes; NULL: none */
    int64_t type;       /* of X; 0: float32 */
    size_t columns;     /* of X; 0: 12 */
} file_setting;

static void put_constant(test_message *graph, const char *name, const int64_t *dims, int64_t type, const void *numbers,
                         size_t n)
{
    test_message tensor = {.size = 0};

    for (size_t i = 0; dims[i]; i++)
        test_put_integer(&tensor, 1, dims[i]);
    test_put_integer(&tensor, 2, type);
    for (size_t i = 0; i < n; i++)
        if (type == INT64)
            test_put_integer(&tensor, 7, ((const int64_t *)numbers)[i]);
        else
            test_put_float(&tensor, 4, ((const float *)numbers)[i]);
    test_put_text(&tensor, 8, name);
    test_put_message(graph, 5, &tensor);
}

static test_message reader_of(const char *op, const char *const *inputs, const char *output)
{
    test_message node = {.size = 0};

    for (; *inputs; inputs++)
        test_put_text(&node, 1, *inputs);
    test_put_text(&node, 2, output);
    test_put_text(&node, 4, op);
    return node;
}

static void put_weights(test_message *graph, const file_setting *s)
{
    float numbers[64];
    size_t n = 1;

    for (size_t i = 0; s->weights[i]; i++)
        n *= (size_t)s->weights[i];
    assert_true(n <= 64);
    for (size_t i = 0; i < 64; i++)
        numbers[i] = (float)(i + 1) + (i == 0 ? s->first : 0);
    if (s->weights[0])
        put_constant(graph, "W", s->weights, FLOAT32, numbers, n);
    if (s->bias)
        put_constant(graph, "B", (const int64_t[]){s->bias, 0}, FLOAT32, numbers, (size_t)s->bias);
}

static void put_behind(test_message *graph, const file_setting *s)
{
    static const float of_two[4][2] = {{2, 3}, {10, 20}, {1, 0}, {4, 1}};
    static const char *const names[4] = {"scale", "shift", "mean", "variance"};
    test_message node;

    if (!s->behind)
        return;
    if (strcmp(s->behind, "BatchNormalization") == 0) {
        for (size_t i = 0; i < 4; i++)
            put_constant(graph, names[i], (const int64_t[]){2, 0}, FLOAT32, of_two[i], 2);
        node = reader_of(s->behind, (const char *const[]){"made", "scale", "shift", "mean", "variance", NULL}, "Y");
        test_put_float_attribute(&node, "epsilon", 0);
    } else {
        node = reader_of(s->behind, (const char *const[]){"made", NULL}, "Y");
    }
    test_put_message(graph, 1, &node);
}

static test_message write_file(const file_setting *s)
{
    test_message graph = {.size = 0}, model = {.size = 0}, opset = {.size = 0}, node;
    int64_t type = s->type ? s->type : FLOAT32, n = 0;
    int64_t columns = s->columns ? (int64_t)s->columns : COLUMNS;
    test_message in = test_port("X", type, -1, columns), out = test_port("Y", type, -1, columns);

    while (n < 5 && s->shape[n])
        n++;
    put_constant(&graph, "shape", (const int64_t[]){n, 0}, INT64, s->shape, (size_t)n);
    put_weights(&graph, s);
    node = reader_of("Reshape", (const char *const[]){"X", "shape", NULL}, "image");
    test_put_message(&graph, 1, &node);
    node = reader_of(s->op, (const char *const[]){"image", s->weights[0] ? "W" : NULL, s->bias ? "B" : NULL, NULL},
                     s->behind ? "made" : "Y");
    if (s->set)
        s->set(&node);
    test_put_message(&graph, 1, &node);
    put_behind(&graph, s);
    test_put_message(&graph, 11, &in);
    test_put_message(&graph, 12, &out);
    test_put_integer(&opset, 2, 22);
    test_put_integer(&model, 1, 8);
    test_put_message(&model, 7, &graph);
    test_put_message(&model, 8, &opset);
    return model;
}

static hbs_status load(const hbs_host *host, const file_setting *s, hbs_model **model, hbs_error *error)
{
    test_message file = write_file(s);
    char *bytes = test_exact_copy(file.bytes, file.size);
    hbs_source source = {.bytes = bytes, .size = file.size};
    hbs_status status = hbs_model_load(host, NULL, &source, model, error);

    free(bytes);
    return status;
}

/* ---- attributes */

#define LIST(function, name, ...)                                            \
    static void function(test_message *node)                                 \
    {                                                                        \
        static const int64_t list[] = {__VA_ARGS__};                         \
                                                                             \
        test_put_integers(node, name, sizeof(list) / sizeof(list[0]), list); \
    }

LIST(kernel_2, "kernel_shape", 2)
LIST(kernel_2_2, "kernel_shape", 2, 2)
LIST(kernel_13, "kernel_shape", 13)
LIST(kernel_0, "kernel_shape", 0)
LIST(kernel_huge, "kernel_shape", INT64_MAX)
LIST(kernel_half, "kernel_shape", 8192)
LIST(strides_0, "strides", 0)
LIST(strides_2_2, "strides", 2, 2)
LIST(strides_5, "strides", 5)
LIST(strides_million, "strides", 1 << 20)
LIST(strides_less, "strides", -1)
LIST(strides_huge, "strides", INT64_MAX)
LIST(pads_less, "pads", -1, 0)
LIST(pads_one, "pads", 1)
LIST(pads_1_1, "pads", 1, 1)
LIST(pads_huge, "pads", INT64_MAX, INT64_MAX)
LIST(pads_many, "pads", 1 << 20, 1 << 20)
LIST(dilations_0, "dilations", 0)
LIST(dilations_2, "dilations", 2)
LIST(dilations_huge, "dilations", 1 << 20)

static void of_groups(test_message *node, int64_t groups)
{
    test_put_integer_attribute(node, "group", groups);
}

static void groups_0(test_message *node)
{
    of_groups(node, 0);
}

static void groups_2(test_message *node)
{
    of_groups(node, 2);
}

static void groups_huge(test_message *node)
{
    of_groups(node, INT64_MIN);
}

static void same_upper(test_message *node)
{
    test_put_word(node, "auto_pad", "SAME_UPPER");
}

static void same_else(test_message *node)
{
    test_put_word(node, "auto_pad", "SAME");
}

static void halves(test_message *node)
{
    kernel_2_2(node);
    strides_2_2(node);
}

static void ceiling(test_message *node)
{
    static const int64_t two[1] = {2}, four[1] = {4};

    test_put_integers(node, "kernel_shape", 1, two);
    test_put_integers(node, "strides", 1, four);
    test_put_integer_attribute(node, "ceil_mode", 1);
}

static void padded_means(test_message *node)
{
    static const int64_t two[1] = {2}, six[1] = {6};

    test_put_integers(node, "kernel_shape", 1, two);
    test_put_integers(node, "strides", 1, six);
    pads_1_1(node);
    test_put_integer_attribute(node, "count_include_pad", 1);
}

static void padded_behind(test_message *node)
{
    static const int64_t pads[2] = {0, 3};

    test_put_integers(node, "pads", 2, pads);
}

static void same_dilated(test_message *node)
{
    kernel_2(node);
    dilations_2(node);
    same_upper(node);
}

static void same_apart(test_message *node)
{
    static const int64_t four[1] = {4};

    test_put_integers(node, "strides", 1, four);
    same_upper(node);
}

static void beside(test_message *node)
{
    static const int64_t two[1] = {2}, twelve[1] = {12}, pads[2] = {2, 0};

    test_put_integers(node, "kernel_shape", 1, two);
    test_put_integers(node, "strides", 1, twelve);
    test_put_integers(node, "pads", 2, pads);
}

LIST(pads_of_all, "pads", 0, 0, 1, 0, 0, 2)
LIST(pads_less_and_more, "pads", 0, 0, 3, 0, 0, -1)
LIST(pads_of_rows, "pads", 1, 0, 0, 0, 0, 0)
LIST(pads_away, "pads", 0, 0, -7, 0, 0, -6)
LIST(pads_too_many, "pads", 0, 0, 0, 0, 0, INT64_MAX)
LIST(sizes_0, "output_shape", 0)
LIST(more_less, "output_padding", -1)
LIST(pads_2_2, "pads", 2, 2)

static void wrapped(test_message *node)
{
    pads_less_and_more(node);
    test_put_word(node, "mode", "wrap");
}

static void reflected(test_message *node)
{
    pads_of_all(node);
    test_put_word(node, "mode", "reflect");
}

static void mode_else(test_message *node)
{
    pads_of_all(node);
    test_put_word(node, "mode", "mirror");
}

static void sums_of_magnitudes(test_message *node)
{
    halves(node);
    test_put_integer_attribute(node, "p", 1);
}

static void power_0(test_message *node)
{
    halves(node);
    test_put_integer_attribute(node, "p", 0);
}

static void kernel_unlike_weights(test_message *node)
{
    kernel_2_2(node);
}

/* ---- what a node makes: of the row 1, 2, .. 12 */

static const struct {
    file_setting file;
    size_t n;
    double expected[MOST];
} made[] = {
    {{.op = "Conv", .shape = {-1, 1, 12}, .weights = {1, 1, 2}}, 11, {5, 8, 11, 14, 17, 20, 23, 26, 29, 32, 35}},
    {{.op = "Conv", .shape = {-1, 1, 12}, .weights = {1, 1, 2}, .set = dilations_2},
     10,
     {7, 10, 13, 16, 19, 22, 25, 28, 31, 34}},
    {{.op = "Conv", .shape = {-1, 1, 12}, .weights = {1, 1, 12}, .set = same_upper},
     12,
     {280, 348, 420, 495, 572, 650, 572, 495, 420, 348, 280, 217}},
    {{.op = "Conv", .shape = {-1, 4, 3}, .weights = {1, 4, 2}, .set = padded_behind},
     5,
     {278, 314, 3 + 18 + 45 + 84, 0, 0}},
    {{.op = "Conv", .shape = {-1, 1, 3, 4}, .weights = {1, 1, 2, 2}, .bias = 1, .set = strides_2_2},
     2,
     {1 + 1 + 4 + 15 + 24, 1 + 3 + 8 + 21 + 32}},
    {{.op = "Conv", .shape = {-1, 4, 3}, .weights = {2, 2, 3}, .bias = 2, .set = groups_2},
     2,
     {1 + 1 + 4 + 9 + 16 + 25 + 36, 2 + 7 * 7 + 64 + 81 + 100 + 121 + 144}},
    {{.op = "Conv", .shape = {-1, 2, 6}, .weights = {2, 1, 6}, .set = groups_2, .behind = "BatchNormalization"},
     2,
     {91 - 1 + 10, 3 * (49 + 64 + 81 + 100 + 121 + 144) + 20}},
    {{.op = "Conv", .shape = {-1, 1, 12}, .weights = {1, 1, 11}, .first = -600, .behind = "Relu"}, 2, {0, 0}},
    {{.op = "Conv", .shape = {-1, 1, 12}, .weights = {1, 1, 1}, .set = pads_1_1},
     14,
     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0}},
    {{.op = "MaxPool", .shape = {-1, 3, 2, 2}, .set = halves}, 3, {4, 8, 12}},
    {{.op = "MaxPool", .shape = {-1, 1, 12}, .set = ceiling}, 3, {2, 6, 10}},
    {{.op = "MaxPool", .shape = {-1, 3, 2, 2}, .set = halves, .type = FLOAT64}, 3, {4, 8, 12}},
    {{.op = "AveragePool", .shape = {-1, 3, 2, 2}, .set = halves}, 3, {2.5, 6.5, 10.5}},
    {{.op = "AveragePool", .shape = {-1, 1, 12}, .set = padded_means}, 3, {0.5, 6.5, 6}},
    {{.op = "LpPool", .shape = {-1, 3, 2, 2}, .set = sums_of_magnitudes}, 3, {10, 26, 42}},
    {{.op = "ConvTranspose", .shape = {-1, 1, 12}, .weights = {1, 1, 2}},
     13,
     {1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 34, 24}},
    {{.op = "ConvTranspose", .shape = {-1, 1, 12}, .weights = {1, 1, 3}, .set = strides_5}, 4, {1, 2, 3, 0}},
    {{.op = "Pad", .shape = {-1, 1, 12}, .set = reflected}, 15, {2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 11, 10}},
    {{.op = "Pad", .shape = {-1, 1, 12}, .set = pads_of_all}, 15, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0}},
    {{.op = "GlobalAveragePool", .shape = {-1, 2, 6}}, 2, {3.5, 9.5}},
    {{.op = "GlobalMaxPool", .shape = {-1, 2, 3, 1, 2}}, 2, {6, 12}},
};

static void score(const hbs_host *host, hbs_model *model, size_t n, const double *expected, const char *op)
{
    double row[COLUMNS];
    hbs_error error = {0};
    hbs_result result;
    hbs_plan *plan;
    hbs_run *run;

    for (size_t i = 0; i < COLUMNS; i++)
        row[i] = (double)(i + 1);
    assert_status(hbs_plan_compile(model, NULL, &plan, &error), HBS_OK, &error);
    run = test_run(host, plan, 64);
    assert_status(hbs_score_numbers(run, row, COLUMNS, n == 1 ? HBS_OUT_VALUE : HBS_OUT_VALUES, &result, &error),
                  HBS_OK, &error);
    for (size_t k = 0; k < n; k++)
        if ((n == 1 ? result.value[0] : result.values[k]) != expected[k])
            fail_msg("%s: number %zu is %.17g, expected %.17g", op, k, n == 1 ? result.value[0] : result.values[k],
                     expected[k]);
    hbs_run_free(run);
    hbs_plan_free(plan);
}

static void a_window_makes_what_onnx_says(void **state)
{
    for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
        hbs_error error = {0};
        hbs_model *model;
        test_host host;

        test_host_init(&host);
        assert_status(load(&host.host, &made[i].file, &model, &error), HBS_OK, &error);
        score(&host.host, model, made[i].n, made[i].expected, made[i].file.op);
        hbs_model_free(model);
        test_host_end(&host);
    }
}

/* ---- what is refused */

#define CONV1      .op = "Conv", .shape = {-1, 1, 12}, .weights = {1, 1, 2}
#define TRANSPOSE1 .op = "ConvTranspose", .shape = {-1, 1, 12}, .weights = {1, 1, 2}
#define POOL1      .op = "MaxPool", .shape = {-1, 1, 12}

static const struct {
    const char *class; /* of test/classes.txt; NULL: none */
    file_setting file;
    hbs_status status;
    const char *words;
} refused[] = {
    {"N5", {CONV1, .set = strides_0}, HBS_E_FORMAT, "strides has the number 0"},
    {"W3", {CONV1, .set = strides_less}, HBS_E_FORMAT, "strides has the number -1"},
    {"W4", {CONV1, .set = strides_huge}, HBS_E_FORMAT, "strides has the number 9223372036854775807"},
    {"N5", {CONV1, .set = dilations_0}, HBS_E_FORMAT, "dilations has the number 0"},
    {"N6", {CONV1, .set = dilations_huge}, HBS_E_FORMAT, "its window is larger than the image"},
    {"W3", {CONV1, .set = pads_less}, HBS_E_UNSUPPORTED, "pads has the number -1"},
    {"N3", {CONV1, .set = pads_one}, HBS_E_FORMAT, "pads has 1 numbers for 1 axes"},
    {"W4", {CONV1, .set = pads_huge}, HBS_E_UNSUPPORTED, "pads has the number 9223372036854775807"},
    {"N6", {CONV1, .set = pads_many}, HBS_E_LIMIT, "its window has 2097163 places"},
    {"N5", {CONV1, .set = groups_0}, HBS_E_FORMAT, "it has 0 groups for 1 channels and 1 outputs"},
    {"N3", {CONV1, .set = groups_2}, HBS_E_FORMAT, "it has 2 groups for 1 channels and 1 outputs"},
    {"W3", {CONV1, .set = groups_huge}, HBS_E_FORMAT, "groups for 1 channels"},
    {"N3", {CONV1, .set = kernel_unlike_weights}, HBS_E_FORMAT, "kernel_shape has 2 numbers for 1 axes"},
    {"N3", {CONV1, .set = kernel_13}, HBS_E_FORMAT, "kernel_shape has the number 13, its weights 2"},
    {NULL, {CONV1, .set = same_else}, HBS_E_FORMAT, "its auto_pad is \"SAME\""},
    {"N3", {CONV1, .bias = 2}, HBS_E_FORMAT, "it has a bias of 2 numbers for 1 outputs"},
    {"T10", {CONV1, .first = INFINITY}, HBS_E_UNSUPPORTED, "a weight is infinite or missing"},
    {"T10", {CONV1, .first = NAN}, HBS_E_UNSUPPORTED, "a weight is infinite or missing"},
    {NULL, {CONV1, .type = FLOAT64}, HBS_E_UNSUPPORTED, "hbscore reads convolutions of float32"},
    {NULL, {CONV1, .type = INT64}, HBS_E_UNSUPPORTED, "float32 or float64 numbers"},
    {"N3", {.op = "Conv", .shape = {-1, 12}, .weights = {1, 1, 2}}, HBS_E_UNSUPPORTED, "a tensor of 2 dimensions"},
    {"N3", {.op = "Conv", .shape = {-1, 1, 12}, .weights = {1, 2}}, HBS_E_FORMAT, "its weights have 2 dimensions"},
    {"N3",
     {.op = "Conv", .shape = {-1, 1, 12}, .weights = {1, 1, 2, 2}},
     HBS_E_FORMAT,
     "its weights have 4 dimensions, its input 3"},
    {"N3",
     {.op = "Conv", .shape = {-1, 1, 12}, .weights = {1, 2, 2}},
     HBS_E_FORMAT,
     "its weights are for 2 channels of 1, in 1 groups"},
    {"N3", {.op = "Conv", .shape = {-1, 1, 12}, .weights = {1, 1, 13}}, HBS_E_FORMAT, "its window is larger"},
    {"N3", {POOL1, .set = kernel_13}, HBS_E_FORMAT, "its window is larger than the image: 13 items, 1 apart, of 12"},
    {"N5", {POOL1, .set = kernel_0}, HBS_E_FORMAT, "kernel_shape has the number 0"},
    {"W4", {POOL1, .set = kernel_huge}, HBS_E_FORMAT, "kernel_shape has the number 9223372036854775807"},
    {"N3", {POOL1, .set = kernel_2_2}, HBS_E_FORMAT, "kernel_shape has 2 numbers for 1 axes"},
    {"N3", {POOL1}, HBS_E_FORMAT, "it has no kernel_shape"},
    {NULL, {POOL1, .set = same_dilated}, HBS_E_UNSUPPORTED, "hbscore reads its auto_pad without dilations"},
    {NULL, {.op = "Pad", .shape = {-1, 1, 12}, .set = wrapped}, HBS_E_UNSUPPORTED, "it takes items away"},
    {NULL, {CONV1, .set = same_apart}, HBS_E_UNSUPPORTED, "its auto_pad would leave out 2 items of 12"},
    {"N6",
     {.op = "MaxPool", .shape = {-1, 1, 16384}, .columns = 16384, .set = kernel_half},
     HBS_E_LIMIT,
     "its windows have 67117056 items in a channel, the limit is 67108864"},
    {NULL, {POOL1, .set = beside}, HBS_E_UNSUPPORTED, "a window has no item of the image"},
    {"N5", {.op = "LpPool", .shape = {-1, 3, 2, 2}, .set = power_0}, HBS_E_FORMAT, "its p is 0"},
    {NULL, {.op = "Pad", .shape = {-1, 1, 12}, .set = mode_else}, HBS_E_FORMAT, "its mode is \"mirror\""},
    {NULL, {.op = "Pad", .shape = {-1, 1, 12}, .set = pads_of_rows}, HBS_E_UNSUPPORTED, "it computes over the rows"},
    {"N4",
     {.op = "Pad", .shape = {-1, 1, 12}, .set = pads_away},
     HBS_E_FORMAT,
     "it takes more items away than axis 2 has"},
    {"W4",
     {.op = "Pad", .shape = {-1, 1, 12}, .set = pads_too_many},
     HBS_E_LIMIT,
     "it pads an axis by 0 and 9223372036854775807"},
    {"N3", {.op = "Pad", .shape = {-1, 1, 12}, .set = pads_1_1}, HBS_E_FORMAT, "it has 2 pads for 3 axes"},
    {"N5", {TRANSPOSE1, .set = strides_0}, HBS_E_FORMAT, "strides has the number 0"},
    {"W4", {TRANSPOSE1, .set = strides_million}, HBS_E_LIMIT, "it makes 11534338 items along an axis"},
    {"W3", {TRANSPOSE1, .set = more_less}, HBS_E_FORMAT, "output_padding has the number -1"},
    {"N5", {TRANSPOSE1, .set = sizes_0}, HBS_E_FORMAT, "output_shape has the number 0"},
    {NULL, {TRANSPOSE1, .set = pads_2_2}, HBS_E_UNSUPPORTED, "its pads are larger than its window"},
    {"N3", {TRANSPOSE1, .set = groups_2}, HBS_E_FORMAT, "it has 2 groups and weights for 1 channels of 1"},
    {"N3", {TRANSPOSE1, .bias = 2}, HBS_E_FORMAT, "it has a bias of 2 numbers for 1 outputs"},
    {"T10", {TRANSPOSE1, .first = NAN}, HBS_E_UNSUPPORTED, "a weight is infinite or missing"},
    {NULL, {POOL1, .type = INT64, .set = kernel_2}, HBS_E_UNSUPPORTED, "float32 or float64 numbers"},
};

static void windows_that_lie_are_refused(void **state)
{
    const char *classes[sizeof(refused) / sizeof(refused[0])];

    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        hbs_model *model = NULL;
        hbs_error error = {0};
        test_host host;
        hbs_status status;

        test_host_init(&host);
        status = load(&host.host, &refused[i].file, &model, &error);
        if (status != refused[i].status || !strstr(error.text, refused[i].words))
            fail_msg("case %zu: status %d, \"%s\", expected \"%s\"", i, status, error.text, refused[i].words);
        assert_null(model);
        test_host_end(&host);
        classes[i] = refused[i].class;
    }
    test_print_classes(classes, sizeof(refused) / sizeof(refused[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_makes_what_onnx_says),
        cmocka_unit_test(windows_that_lie_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
