/* test_onnx_graph.c - ONNX operators on tensors of any shape: what a node makes of a row, and what is refused. */
#include "models.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx_writer.h"

enum { COLUMNS = 3, FLOAT32 = 1, INT64 = 7, FLOAT64 = 11 };

typedef void attributes(test_message *node);

static test_message file_of(const char *domain, const char *op, attributes *set, int64_t type)
{
    test_message node = test_node(domain, op, "X", "Y");

    if (set)
        set(&node);
    return test_write_node(&node, type, COLUMNS, "Y");
}

static hbs_status load(const hbs_host *host, const test_message *file, hbs_model **model, hbs_error *error)
{
    char *bytes = test_exact_copy(file->bytes, file->size);
    hbs_source source = {.bytes = bytes, .size = file->size};
    hbs_status status = hbs_model_load(host, NULL, &source, model, error);

    free(bytes);
    return status;
}

/* ---- what a node makes */

static void axis_1(test_message *node)
{
    test_put_integer_attribute(node, "axis", 1);
}

static void axes_1(test_message *node)
{
    static const int64_t axes[1] = {1};

    test_put_integers(node, "axes", 1, axes);
}

static void axes_last(test_message *node)
{
    static const int64_t axes[1] = {-1};

    test_put_integers(node, "axes", 1, axes);
    test_put_integer_attribute(node, "keepdims", 0);
}

static void slice_back(test_message *node)
{
    static const int64_t axes[1] = {1}, starts[1] = {-2}, ends[1] = {INT64_MAX};

    test_put_integers(node, "axes", 1, axes);
    test_put_integers(node, "starts", 1, starts);
    test_put_integers(node, "ends", 1, ends);
}

static void largest(test_message *node)
{
    test_put_word(node, "norm", "MAX");
}

static void to_integer(test_message *node)
{
    test_put_integer_attribute(node, "to", 7);
}

static void no_axes(test_message *node)
{
    test_put_integer_attribute(node, "noop_with_empty_axes", 1);
}

static void at_most_one(test_message *node)
{
    test_put_float_attribute(node, "max", 1);
}

static void three_columns(test_message *node)
{
    static const int64_t sizes[1] = {COLUMNS};

    test_put_integers(node, "inputdimensions", 1, sizes);
}

static void four_columns(test_message *node)
{
    static const int64_t sizes[1] = {COLUMNS + 1};

    test_put_integers(node, "inputdimensions", 1, sizes);
}

static void shift_and_scale(test_message *node)
{
    static const float offset[1] = {0.1f}, scale[3] = {3, 0.7f, 10};

    test_put_floats(node, "offset", 1, offset);
    test_put_floats(node, "scale", 3, scale);
}

static void two_scales(test_message *node)
{
    static const float numbers[2] = {1, 2};

    test_put_floats(node, "offset", 2, numbers);
    test_put_floats(node, "scale", 2, numbers);
}

static void impute_integers(test_message *node)
{
    static const int64_t numbers[3] = {7, 8, 9};

    test_put_integers(node, "imputed_value_int64s", 3, numbers);
    test_put_integer_attribute(node, "replaced_value_int64", -2);
}

static void impute_floats(test_message *node)
{
    static const float numbers[1] = {0.1f};

    test_put_floats(node, "imputed_value_floats", 1, numbers);
    test_put_float_attribute(node, "replaced_value_float", -2);
}

static const double row[COLUMNS] = {0.5, -2, 1.75};

static const struct {
    int64_t type; /* of the input */
    const char *domain, *op;
    attributes *set;
    size_t n;
    double expected[COLUMNS];
} made[] = {
    {FLOAT32, "", "Abs", NULL, 3, {0.5, 2, 1.75}},
    {FLOAT32, "", "Neg", NULL, 3, {-0.5, 2, -1.75}},
    {FLOAT32, "", "Sign", NULL, 3, {1, -1, 1}},
    {FLOAT32, "", "Round", NULL, 3, {0, -2, 2}},
    {FLOAT32, "", "Reciprocal", NULL, 3, {2, -0.5, (double)(1 / 1.75f)}},
    {FLOAT32, "", "Relu", NULL, 3, {0.5, 0, 1.75}},
    {FLOAT32, "", "Not", NULL, 3, {0, 0, 0}},
    {FLOAT32, "", "IsNaN", NULL, 3, {0, 0, 0}},
    {FLOAT32, "", "Identity", NULL, 3, {0.5, -2, 1.75}},
    {FLOAT32, "", "Cast", to_integer, 3, {0, -2, 1}},
    {FLOAT32, "", "Flatten", NULL, 3, {0.5, -2, 1.75}},
    {FLOAT32, "", "ReduceSum", axes_1, 1, {0.25}},
    {FLOAT32, "", "ReduceProd", axes_last, 1, {-1.75}},
    {FLOAT32, "", "ReduceMin", axes_1, 1, {-2}},
    {FLOAT32, "", "ReduceL1", axes_1, 1, {4.25}},
    {FLOAT32, "", "ArgMax", axis_1, 1, {2}},
    {FLOAT32, "", "ArgMin", axis_1, 1, {1}},
    {FLOAT32, "", "Slice", slice_back, 2, {-2, 1.75}},
    {FLOAT32, "ai.onnx.ml", "Binarizer", NULL, 3, {1, 0, 1}},
    {FLOAT32, "ai.onnx.ml", "Normalizer", largest, 3, {(double)(0.5f / 1.75f), (double)(-2 / 1.75f), 1}},
    {INT64, "ai.onnx.ml", "Normalizer", largest, 3, {0, -2, 1}},
    {FLOAT32, "ai.onnx.ml", "FeatureVectorizer", three_columns, 3, {0.5, -2, 1.75}},
    {INT64, "ai.onnx.ml", "FeatureVectorizer", three_columns, 3, {0, -2, 1}},
    {FLOAT32, "ai.onnx.ml", "Scaler", shift_and_scale, 3, {(0.5f - 0.1f) * 3, (-2 - 0.1f) * 0.7f, (1.75f - 0.1f) * 10}},
    {INT64, "ai.onnx.ml", "Scaler", shift_and_scale, 3, {(0 - 0.1f) * 3, (-2 - 0.1f) * 0.7f, (1 - 0.1f) * 10}},
    {FLOAT64,
     "ai.onnx.ml",
     "Scaler",
     shift_and_scale,
     3,
     {(float)((0.5 - (double)0.1f) * 3), (float)((-2 - (double)0.1f) * (double)0.7f),
      (float)((1.75 - (double)0.1f) * 10)}},
    {INT64, "ai.onnx.ml", "Imputer", impute_integers, 3, {0, 8, 1}},
    {FLOAT64, "ai.onnx.ml", "Imputer", impute_floats, 3, {0.5, (double)0.1f, 1.75}},
    {FLOAT32, "", "Clip", at_most_one, 3, {0.5, -2, 1}},
    {INT64, "", "ReduceMean", axes_1, 1, {0}},
    {INT64, "", "ReduceL1", axes_1, 1, {3}},
    {INT64, "", "ReduceL2", axes_1, 1, {2}},
    {INT64, "", "ReduceLogSumExp", axes_1, 1, {1}},
    {INT64, "", "Flatten", NULL, 3, {0, -2, 1}},
    {FLOAT32, "", "ReduceL1", no_axes, 3, {0.5, 2, 1.75}},
    {FLOAT32, "", "ReduceSumSquare", no_axes, 3, {0.25, 4, 1.75 * 1.75}},
};

static void check_made(size_t i)
{
    test_message file = file_of(made[i].domain, made[i].op, made[i].set, made[i].type);
    uint32_t output = made[i].n == 1 ? HBS_OUT_VALUE : HBS_OUT_VALUES;
    hbs_error error = {0};
    hbs_model *model;
    hbs_plan *plan;
    hbs_result result;
    test_host host;
    hbs_run *run;

    test_host_init(&host);
    assert_status(load(&host.host, &file, &model, &error), HBS_OK, &error);
    assert_status(hbs_plan_compile(model, NULL, &plan, &error), HBS_OK, &error);
    run = test_run(&host.host, plan, 64);
    assert_status(hbs_score_numbers(run, row, COLUMNS, output, &result, &error), HBS_OK, &error);
    for (size_t k = 0; k < made[i].n; k++) {
        double got = made[i].n == 1 ? result.value[0] : result.values[k];

        if (got != made[i].expected[k])
            fail_msg("%s: number %zu is %.17g, expected %.17g", made[i].op, k, got, made[i].expected[k]);
    }
    hbs_run_free(run);
    hbs_plan_free(plan);
    hbs_model_free(model);
    test_host_end(&host);
}

static void a_node_makes_what_onnx_says(void **state)
{
    for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
        check_made(i);
}

/* ---- what is refused */

static void axes_0(test_message *node)
{
    static const int64_t axes[1] = {0};

    test_put_integers(node, "axes", 1, axes);
}

static void axes_9(test_message *node)
{
    static const int64_t axes[1] = {9};

    test_put_integers(node, "axes", 1, axes);
}

static void perm_twice(test_message *node)
{
    static const int64_t perm[2] = {1, 1};

    test_put_integers(node, "perm", 2, perm);
}

static void shape_of(test_message *node, int64_t first, int64_t second)
{
    const int64_t shape[2] = {first, second};

    test_put_integers(node, "shape", 2, shape);
}

static void shape_too_large(test_message *node)
{
    shape_of(node, 1 << 16, 1 << 16);
}

static void shape_other(test_message *node)
{
    shape_of(node, -1, 2);
}

static void shape_mixed(test_message *node)
{
    shape_of(node, 3, -1);
}

static void slice_rows(test_message *node)
{
    static const int64_t axes[1] = {0}, starts[1] = {1}, ends[1] = {2};

    test_put_integers(node, "axes", 1, axes);
    test_put_integers(node, "starts", 1, starts);
    test_put_integers(node, "ends", 1, ends);
}

static void slice_first_row(test_message *node)
{
    static const int64_t axes[1] = {0}, starts[1] = {0}, ends[1] = {1};

    test_put_integers(node, "axes", 1, axes);
    test_put_integers(node, "starts", 1, starts);
    test_put_integers(node, "ends", 1, ends);
}

static void flatten_rows(test_message *node)
{
    test_put_integer_attribute(node, "axis", 2);
}

static void flatten_all(test_message *node)
{
    test_put_integer_attribute(node, "axis", 0);
}

static void slice_none(test_message *node)
{
    static const int64_t axes[1] = {1}, starts[1] = {3}, ends[1] = {2};

    test_put_integers(node, "axes", 1, axes);
    test_put_integers(node, "starts", 1, starts);
    test_put_integers(node, "ends", 1, ends);
}

static void slice_uneven(test_message *node)
{
    static const int64_t starts[2] = {0, 0}, ends[1] = {2};

    test_put_integers(node, "starts", 2, starts);
    test_put_integers(node, "ends", 1, ends);
}

static void to_half(test_message *node)
{
    test_put_integer_attribute(node, "to", 10);
}

static void other_norm(test_message *node)
{
    test_put_word(node, "norm", "L7");
}

static void text_keys(test_message *node)
{
    static const char *const words[1] = {"a"};
    static const int64_t numbers[1] = {1};

    test_put_words(node, "keys_strings", 1, words);
    test_put_integers(node, "values_int64s", 1, numbers);
}

static void keys_twice(test_message *node)
{
    static const float keys[2] = {1, 1};
    static const int64_t numbers[2] = {1, 2};

    test_put_floats(node, "keys_floats", 2, keys);
    test_put_integers(node, "values_int64s", 2, numbers);
}

static void few_values(test_message *node)
{
    static const float keys[2] = {1, 2};
    static const int64_t numbers[1] = {1};

    test_put_floats(node, "keys_floats", 2, keys);
    test_put_integers(node, "values_int64s", 1, numbers);
}

static void large_category(test_message *node)
{
    static const int64_t numbers[1] = {INT64_MAX};

    test_put_integers(node, "cats_int64s", 1, numbers);
}

#define ROWS_MIX "it computes over the rows, and hbscore scores each row by itself"

static const struct {
    const char *class; /* of test/classes.txt; NULL: none */
    const char *domain, *op;
    attributes *set;
    hbs_status status;
    const char *words;
} refused[] = {
    {NULL, "", "ReduceSum", axes_0, HBS_E_UNSUPPORTED, ROWS_MIX},
    {NULL, "", "ReduceSum", NULL, HBS_E_UNSUPPORTED, ROWS_MIX},
    {"N4", "", "ReduceMax", axes_9, HBS_E_FORMAT, "axis 9 of a tensor of 2 dimensions"},
    {NULL, "", "ArgMax", NULL, HBS_E_UNSUPPORTED, ROWS_MIX},
    {NULL, "", "Squeeze", axes_0, HBS_E_UNSUPPORTED, ROWS_MIX},
    {"N3", "", "Squeeze", axes_1, HBS_E_FORMAT, "axis 1 has 3 items"},
    {"N4", "", "Transpose", perm_twice, HBS_E_FORMAT, "axis 1 stands twice"},
    {"N6", "", "Reshape", shape_too_large, HBS_E_UNSUPPORTED, ROWS_MIX},
    {"N3", "", "Reshape", shape_other, HBS_E_FORMAT, "items of 3"},
    {"N3", "", "Reshape", shape_mixed, HBS_E_UNSUPPORTED, ROWS_MIX},
    {NULL, "", "Reshape", NULL, HBS_E_UNSUPPORTED, "hbscore reads shapes of up to 8 dimensions"},
    {NULL, "", "Slice", slice_rows, HBS_E_UNSUPPORTED, ROWS_MIX},
    {NULL, "", "Slice", slice_first_row, HBS_E_UNSUPPORTED, ROWS_MIX},
    {NULL, "", "Flatten", flatten_rows, HBS_E_UNSUPPORTED, "it has all rows side by side"},
    {NULL, "", "Flatten", flatten_all, HBS_E_UNSUPPORTED, "it has all rows side by side"},
    {"N4", "", "Slice", slice_none, HBS_E_UNSUPPORTED, "it is the same for every row"},
    {"N3", "", "Slice", slice_uneven, HBS_E_FORMAT, "not of one length"},
    {NULL, "", "Cast", to_half, HBS_E_UNSUPPORTED, "no casts of numbers to float16"},
    {NULL, "", "Cast", NULL, HBS_E_FORMAT, "it has no attribute to"},
    {NULL, "", "Concat", NULL, HBS_E_FORMAT, "it has no axis"},
    {NULL, "ai.onnx.ml", "Normalizer", other_norm, HBS_E_FORMAT, "its norm is \"L7\""},
    {NULL, "ai.onnx.ml", "LabelEncoder", text_keys, HBS_E_FORMAT, "its keys are not of the type of its input"},
    {NULL, "ai.onnx.ml", "LabelEncoder", keys_twice, HBS_E_UNSUPPORTED, "stands twice, with two values"},
    {"N3", "ai.onnx.ml", "LabelEncoder", few_values, HBS_E_FORMAT, "it has 1 values for 2 keys"},
    {NULL, "ai.onnx.ml", "LabelEncoder", NULL, HBS_E_UNSUPPORTED, "keys that are texts, integers or floats"},
    {NULL, "ai.onnx.ml", "OneHotEncoder", NULL, HBS_E_UNSUPPORTED, "keys that are texts, integers or floats"},
    {"N3", "ai.onnx.ml", "FeatureVectorizer", four_columns, HBS_E_FORMAT, "4 columns of input 0, which has 3"},
    {"N3", "ai.onnx.ml", "FeatureVectorizer", NULL, HBS_E_FORMAT, "0 sizes for 1 inputs"},
    {"N3", "ai.onnx.ml", "Scaler", two_scales, HBS_E_FORMAT, "offset has 2 numbers for 3 columns"},
    {"N3", "ai.onnx.ml", "Imputer", NULL, HBS_E_FORMAT, "imputed_value_floats has 0 numbers"},
    {NULL, "ai.onnx.ml", "OneHotEncoder", large_category, HBS_E_UNSUPPORTED, "an integer beyond 2^53"},
};

static void what_a_row_cannot_have_is_refused_by_name(void **state)
{
    const char *classes[sizeof(refused) / sizeof(refused[0])];

    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        test_message file = file_of(refused[i].domain, refused[i].op, refused[i].set, FLOAT32);
        hbs_model *model = NULL;
        hbs_error error = {0};
        hbs_status status;
        test_host host;

        test_host_init(&host);
        status = load(&host.host, &file, &model, &error);
        if (status != refused[i].status || !strstr(error.text, refused[i].words) ||
            (strncmp(error.text, "output", 6) != 0 && !strstr(error.text, refused[i].op)))
            fail_msg("%s, case %zu: status %d, \"%s\", expected \"%s\"", refused[i].op, i, status, error.text,
                     refused[i].words);
        assert_null(model);
        test_host_end(&host);
    }
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        classes[i] = refused[i].class;
    test_print_classes(classes, sizeof(refused) / sizeof(refused[0]));
}

/* ---- all rows side by side */

static test_message reader_of(const char *op, const char *input, const char *other, const char *output)
{
    test_message node = {.size = 0};

    test_put_text(&node, 1, input);
    if (other)
        test_put_text(&node, 1, other);
    test_put_text(&node, 2, output);
    test_put_text(&node, 4, op);
    return node;
}

static void put_shape(test_message *graph, const char *name, int64_t n, int64_t first, int64_t second)
{
    test_message tensor = {.size = 0};

    test_put_integer(&tensor, 1, n);
    test_put_integer(&tensor, 2, 7);
    test_put_integer(&tensor, 7, first);
    if (n > 1)
        test_put_integer(&tensor, 7, second);
    test_put_text(&tensor, 8, name);
    test_put_message(graph, 5, &tensor);
}

/* A model of opset 18 whose X and Y have COLUMNS numbers a row, of `type`. */
static test_message model_of(test_message graph, int type)
{
    test_message in = test_port("X", type, -1, COLUMNS), out = test_port("Y", type, -1, COLUMNS);
    test_message model = {.size = 0}, opset = {.size = 0};

    test_put_message(&graph, 11, &in);
    test_put_message(&graph, 12, &out);
    test_put_integer(&opset, 2, 18);
    test_put_integer(&model, 1, 8);
    test_put_message(&model, 7, &graph);
    test_put_message(&model, 8, &opset);
    return model;
}

/* Flatten along axis 0, then `op` of the items and `other`, then a Reshape to [first, second]. */
static test_message reshaped(const char *op, const char *other, int64_t first, int64_t second)
{
    test_message graph = {.size = 0}, node;

    put_shape(&graph, "rows", 2, first, second);
    put_shape(&graph, "axis", 1, 1, 0);
    node = reader_of("Flatten", "X", NULL, "F");
    test_put_integer_attribute(&node, "axis", 0);
    test_put_message(&graph, 1, &node);
    node = reader_of(op, "F", other, "O");
    test_put_message(&graph, 1, &node);
    node = reader_of("Reshape", "O", "rows", "Y");
    test_put_message(&graph, 1, &node);
    return model_of(graph, FLOAT32);
}

static test_message side_by_side(const char *op, const char *other)
{
    return reshaped(op, other, -1, COLUMNS);
}

/* The sum of what all rows look up, which ArrayFeatureExtractor puts side by side. */
static test_message summed_extraction(void)
{
    test_message graph = {.size = 0}, model = {.size = 0}, node = reader_of("ArrayFeatureExtractor", "table", "X", "F");
    test_message in = test_port("X", 7, -1, COLUMNS), out = test_port("Y", 7, -1, 1);

    put_shape(&graph, "table", 2, 5, 7);
    test_put_text(&node, 7, "ai.onnx.ml");
    test_put_message(&graph, 1, &node);
    node = reader_of("ReduceSum", "F", NULL, "Y");
    test_put_message(&graph, 1, &node);
    test_put_message(&graph, 11, &in);
    test_put_message(&graph, 12, &out);
    test_put_integer(&model, 1, 8);
    test_put_message(&model, 7, &graph);
    return model;
}

/* Each row's places of each row: a table of all rows by all rows. */
static test_message gathered_by_rows(const char *op)
{
    test_message graph = {.size = 0}, model = {.size = 0}, node = reader_of(op, "X", "X", "Y");
    test_message in = test_port("X", 7, -1, COLUMNS), out = test_port("Y", 7, -1, COLUMNS);

    if (strcmp(op, "Gather") == 0)
        test_put_integer_attribute(&node, "axis", 1);
    else
        test_put_text(&node, 7, "ai.onnx.ml");
    test_put_message(&graph, 1, &node);
    test_put_message(&graph, 11, &in);
    test_put_message(&graph, 12, &out);
    test_put_integer(&model, 1, 8);
    test_put_message(&model, 7, &graph);
    return model;
}

/* Operators on single items do not mix them; a sum would, and so would a row beside each. A shape that leaves them all
 * on one axis makes one row of the whole table. */
static void rows_side_by_side_stay_apart(void **state)
{
    const test_message files[] = {side_by_side("Neg", NULL),
                                  side_by_side("Add", "F"),
                                  side_by_side("ReduceSum", "axis"),
                                  side_by_side("Add", "X"),
                                  summed_extraction(),
                                  gathered_by_rows("Gather"),
                                  reshaped("Neg", NULL, 1, COLUMNS),
                                  gathered_by_rows("ArrayFeatureExtractor"),
                                  reshaped("Neg", NULL, 1, -1),
                                  reshaped("Neg", NULL, 0, -1)};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        const double numbers[COLUMNS] = {1, -2, 3};
        hbs_model *model = NULL;
        hbs_error error = {0};
        hbs_status status;
        hbs_result result;
        hbs_plan *plan;
        test_host host;
        hbs_run *run;

        test_host_init(&host);
        status = load(&host.host, &files[i], &model, &error);
        if (i > 1) {
            assert_int_equal(status, HBS_E_UNSUPPORTED);
            assert_non_null(strstr(error.text, i < 8 ? ROWS_MIX : "it has all rows side by side"));
        } else {
            assert_status(status, HBS_OK, &error);
            assert_status(hbs_plan_compile(model, NULL, &plan, &error), HBS_OK, &error);
            run = test_run(&host.host, plan, 64);
            assert_status(hbs_score_numbers(run, numbers, COLUMNS, HBS_OUT_VALUES, &result, &error), HBS_OK, &error);
            for (size_t c = 0; c < COLUMNS; c++)
                assert_true(result.values[c] == numbers[c] * (i ? 2 : -1));
            hbs_run_free(run);
            hbs_plan_free(plan);
            hbs_model_free(model);
        }
        test_host_end(&host);
    }
}

/* ---- powers */

/* X, of float64, to a power that is an integer. */
static test_message power(int64_t exponent)
{
    enum { FLOAT64 = 11 };
    test_message graph = {.size = 0}, node = reader_of("Pow", "X", "exponent", "Y");

    put_shape(&graph, "exponent", 1, exponent, 0);
    test_put_message(&graph, 1, &node);
    return model_of(graph, FLOAT64);
}

static bool computes_by(const hbs_model *model, const char *name)
{
    hbs_description *description;
    hbs_error error = {0};
    bool found = false;

    assert_status(hbs_plan_describe(model, NULL, &description, &error), HBS_OK, &error);
    for (size_t i = 0; hbs_description_line(description, i); i++)
        found = found || strcmp(hbs_description_line(description, i)->name, name) == 0;
    hbs_description_free(description);
    return found;
}

/* A number to the power of 2 is a product, which takes a tenth of a power's time and has ONNX Runtime's bits. */
static void a_square_is_a_product(void **state)
{
    const double cases[][COLUMNS] = {{1.1, -3.3, 1e-160}, {NAN, -INFINITY, -0.0}, {1e200, 7.123456789, 5e-324}};

    for (int64_t exponent = 2; exponent <= 3; exponent++) {
        const test_message file = power(exponent);
        hbs_error error = {0};
        hbs_model *model;
        hbs_plan *plan;
        test_host host;
        hbs_run *run;

        test_host_init(&host);
        assert_status(load(&host.host, &file, &model, &error), HBS_OK, &error);
        assert_int_equal(computes_by(model, "map"), exponent == 2);
        assert_status(hbs_plan_compile(model, NULL, &plan, &error), HBS_OK, &error);
        run = test_run(&host.host, plan, 64);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) && exponent == 2; i++) {
            hbs_result result;

            assert_status(hbs_score_numbers(run, cases[i], COLUMNS, HBS_OUT_VALUES, &result, &error), HBS_OK, &error);
            for (size_t c = 0; c < COLUMNS; c++)
                assert_true(isnan(cases[i][c]) ? isnan(result.values[c])
                                               : result.values[c] == cases[i][c] * cases[i][c]);
        }
        hbs_run_free(run);
        hbs_plan_free(plan);
        hbs_model_free(model);
        test_host_end(&host);
    }
}

/* ---- integers */

/* A row has no result if a number becomes no integer of 53 bits. */
static void check_out_of_range(const double *bad, size_t n, const test_message *file, uint32_t output)
{
    const char *classes[8];
    hbs_error error = {0};
    hbs_model *model;
    hbs_plan *plan;
    test_host host;
    hbs_run *run;

    test_host_init(&host);
    assert_status(load(&host.host, file, &model, &error), HBS_OK, &error);
    assert_status(hbs_plan_compile(model, NULL, &plan, &error), HBS_OK, &error);
    run = test_run(&host.host, plan, 64);
    for (size_t i = 0; i < n; i++) {
        const double numbers[COLUMNS] = {1, bad[i], 2};
        hbs_result result;

        assert_status(hbs_score_numbers(run, numbers, COLUMNS, output, &result, &error), HBS_OK, &error);
        assert_non_null(result.valid);
        assert_false(result.valid[0]);
        classes[i] = "N5";
    }
    test_print_classes(classes, n);
    hbs_run_free(run);
    hbs_plan_free(plan);
    hbs_model_free(model);
    test_host_end(&host);
}

/* A graph that looks up a number for each place, and says if it is missing. */
static test_message missing_vectors(void)
{
    test_message graph = {.size = 0}, model = {.size = 0}, tensor = {.size = 0}, node;
    test_message in = test_port("X", INT64, -1, COLUMNS), out = test_port("Y", 9, -1, COLUMNS);

    test_put_integer(&tensor, 1, 3);
    test_put_integer(&tensor, 2, FLOAT32);
    for (uint8_t i = 0; i < 3; i++)
        test_put_float(&tensor, 4, (float)i);
    test_put_text(&tensor, 8, "table");
    test_put_message(&graph, 5, &tensor);
    node = reader_of("Gather", "table", "X", "V");
    test_put_message(&graph, 1, &node);
    node = reader_of("IsNaN", "V", NULL, "Y");
    test_put_message(&graph, 1, &node);
    test_put_message(&graph, 11, &in);
    test_put_message(&graph, 12, &out);
    test_put_integer(&model, 1, 8);
    test_put_message(&model, 7, &graph);
    return model;
}

static void a_place_that_is_none_has_no_result(void **state)
{
    static const double bad[] = {3, -4, 0x1p40};
    test_message file = missing_vectors();

    check_out_of_range(bad, 3, &file, HBS_OUT_VALUES);
}

static void an_integer_out_of_range_has_no_result(void **state)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e30, -9.3e18, 0x1p54}, sums[] = {-3, -4};
    test_message cast = file_of("", "Cast", to_integer, FLOAT32), log = file_of("", "ReduceLogSum", axes_1, INT64);

    check_out_of_range(bad, sizeof(bad) / sizeof(bad[0]), &cast, HBS_OUT_VALUES);
    check_out_of_range(sums, 2, &log, HBS_OUT_VALUE);
}

static const char error_if_missing[] = "{\"on_missing\": \"error\"}";

/* A row of integers as the model's answer: its second number, if the status is HBS_OK; NaN: it has none. Else words of
 * the error. */
typedef struct integer_case {
    int64_t type;
    const char *op;
    attributes *set;
    const char *options;
    hbs_value value;
    hbs_status status;
    double expected;
    const char *words;
} integer_case;

static void check_integer(size_t i, const integer_case *c)
{
    const hbs_value values[COLUMNS] = {{.type = HBS_INT64, .as.i64 = 1}, c->value, {.type = HBS_INT64, .as.i64 = 2}};
    hbs_column columns[COLUMNS] = {{.type = HBS_MIXED, .values = &values[0]},
                                   {.type = HBS_MIXED, .values = &values[1]},
                                   {.type = HBS_MIXED, .values = &values[2]}};
    const uint32_t outputs = c->set == axes_1 ? HBS_OUT_VALUE : HBS_OUT_VALUES;
    test_message file = file_of("", c->op, c->set, c->type);
    hbs_source source = {.bytes = file.bytes, .size = file.size, .options = c->options};
    hbs_error error = {0};
    hbs_model *model;
    hbs_plan *plan;
    test_host host;
    hbs_run *run;

    test_host_init(&host);
    source.options_size = c->options ? strlen(c->options) : 0;
    assert_status(hbs_model_load(&host.host, NULL, &source, &model, &error), HBS_OK, &error);
    assert_status(hbs_plan_compile(model, NULL, &plan, &error), HBS_OK, &error);
    run = test_run(&host.host, plan, 64);
    for (int block = 0; block < 3; block++) {
        const double numbers[COLUMNS] = {1, c->value.as.f64, 2};
        hbs_result result;
        hbs_status status;

        if (block == 2 && c->value.type != HBS_FLOAT64)
            break;
        if (block == 1 && c->value.type == HBS_FLOAT64)
            columns[1] = (hbs_column){.type = HBS_FLOAT64, .values = &numbers[1]};
        status = block == 0   ? hbs_score_row(run, values, COLUMNS, outputs, &result, &error)
                 : block == 1 ? hbs_score(run, columns, COLUMNS, 1, outputs, &result, &error)
                              : hbs_score_numbers(run, numbers, COLUMNS, outputs, &result, &error);
        if (status != c->status || (c->words && !strstr(error.text, c->words)))
            fail_msg("case %zu: status %d, \"%s\"", i, status, error.text);
        if (status != HBS_OK)
            continue;
        assert_int_equal(result.valid[0] & 1, !isnan(c->expected));
        if (result.valid[0] & 1 && result.values[1] != c->expected)
            fail_msg("case %zu: %.17g", i, result.values[1]);
    }
    hbs_run_free(run);
    hbs_plan_free(plan);
    hbs_model_free(model);
    test_host_end(&host);
}

#define WHOLE(number)                         \
    {                                         \
        .type = HBS_INT64, .as.i64 = (number) \
    }
#define REAL(number)                            \
    {                                           \
        .type = HBS_FLOAT64, .as.f64 = (number) \
    }

/* Integers are exact up to 2^53; those of int32 do not wrap. An error says which feature, or which node. */
static void integers_are_of_their_type(void **state)
{
    enum { INT32 = 6 };
    const int64_t most = (int64_t)1 << 53;
    const char *const beyond =
        "feature 2 is an integer beyond 2^53, and the model cannot take that (option on_missing)";
    const char *const wraps = "feature 2 takes an int32 (-2147483648 to 2147483647), got the number";
    const integer_case cases[] = {
        {INT64, "Neg", NULL, NULL, WHOLE(most), HBS_OK, -0x1p53, NULL},
        {INT64, "Abs", NULL, NULL, WHOLE(-most), HBS_OK, 0x1p53, NULL},
        {INT64, "Neg", NULL, NULL, REAL(0x1p53), HBS_OK, -0x1p53, NULL},
        {INT64, "Neg", NULL, NULL, WHOLE(most + 1), HBS_OK, (double)NAN, NULL},
        {INT64, "Neg", NULL, NULL, REAL(0x1p53 + 2), HBS_OK, (double)NAN, NULL},
        {INT64, "Neg", NULL, NULL, {.type = HBS_TEXT, .as.text = {"9007199254740993", 16}}, HBS_OK, (double)NAN, NULL},
        {INT64, "Neg", NULL, error_if_missing, WHOLE(-most - 1), HBS_E_ARGS, 0, beyond},
        {INT64, "Neg", NULL, error_if_missing, REAL(1e300), HBS_E_ARGS, 0, beyond},
        {INT64, "Neg", NULL, error_if_missing, {.type = HBS_NULL}, HBS_E_ARGS, 0, "feature 2 is missing"},
        {INT64, "Neg", NULL, "{\"missing\": -7}", WHOLE(-7), HBS_OK, (double)NAN, NULL},
        {INT32, "Neg", NULL, NULL, WHOLE(2147483647), HBS_OK, -2147483647.0, NULL},
        {INT32, "Neg", NULL, NULL, REAL(2147483647.5), HBS_OK, -2147483647.0, NULL},
        {INT32, "Neg", NULL, NULL, WHOLE(2147483648), HBS_E_TYPE, 0, wraps},
        {INT32, "Neg", NULL, NULL, WHOLE(-2147483649), HBS_E_TYPE, 0, wraps},
        {INT32, "Neg", NULL, NULL, REAL(4294967297.0), HBS_E_TYPE, 0, wraps},
        {FLOAT32, "Cast", to_integer, error_if_missing, REAL(1e30), HBS_E_ARGS, 0,
         "feature 2: node 0 (\"the node\", Cast) makes no integer of a number that is missing, infinite or beyond 2^53 (option "
         "on_missing can make the result NULL)"},
        {INT64, "ReduceSum", axes_1, error_if_missing, WHOLE(most - 3), HBS_E_ARGS, 0,
         "node 0 (\"the node\", ReduceSum) makes an integer of 2^53 or beyond"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_integer(i, &cases[i]);
}

/* A side without a bound is bound by the type's largest number. */
static void clip_leaves_no_infinite_number(void **state)
{
    static const double numbers[COLUMNS] = {-INFINITY, INFINITY, NAN};
    test_message file = file_of("", "Clip", NULL, FLOAT32);
    hbs_error error = {0};
    hbs_result result;
    hbs_model *model;
    hbs_plan *plan;
    test_host host;
    hbs_run *run;

    test_host_init(&host);
    assert_status(load(&host.host, &file, &model, &error), HBS_OK, &error);
    assert_status(hbs_plan_compile(model, NULL, &plan, &error), HBS_OK, &error);
    run = test_run(&host.host, plan, 64);
    assert_status(hbs_score_numbers(run, numbers, COLUMNS, HBS_OUT_VALUES, &result, &error), HBS_OK, &error);
    assert_true(result.values[0] == -(double)FLT_MAX && result.values[1] == (double)FLT_MAX);
    assert_true(isnan(result.values[2]));
    hbs_run_free(run);
    hbs_plan_free(plan);
    hbs_model_free(model);
    test_host_end(&host);
}

/* ---- memory */

static size_t put_message(uint8_t *to, uint8_t tag, const void *bytes, size_t size)
{
    size_t n = 0;

    to[n++] = tag;
    for (size_t rest = size;; rest >>= 7) {
        to[n++] = (uint8_t)(rest > 127 ? (rest & 127) | 128 : rest);
        if (rest <= 127)
            break;
    }
    memcpy(to + n, bytes, size);
    return n + size;
}

/* A small node takes more memory than 4 times its bytes in the file. */
static void many_small_nodes_are_read(void **state)
{
    enum { N = 4000, ROOM = 1 << 18 };
    uint8_t *graph = calloc(2, ROOM), *file = graph + ROOM;
    test_message in = test_port("X", FLOAT32, -1, COLUMNS), out = test_port("Y", FLOAT32, -1, COLUMNS);
    hbs_source source = {.bytes = file};
    char from[16] = "X", to[16];
    hbs_model *model = NULL;
    hbs_error error = {0};
    size_t size = 0;
    test_host host;

    assert_non_null(graph);
    for (size_t i = 0; i < N; i++) {
        test_message node;

        snprintf(to, sizeof(to), i + 1 == N ? "Y" : "v%zu", i);
        node = test_node("", "Neg", from, to);
        assert_true(size + node.size + 1024 < ROOM);
        size += put_message(graph + size, 0x0A, node.bytes, node.size);
        memcpy(from, to, sizeof(to));
    }
    size += put_message(graph + size, 0x5A, in.bytes, in.size);
    size += put_message(graph + size, 0x62, out.bytes, out.size);
    memcpy(file, "\x08\x08", 2);
    source.size = 2 + put_message(file + 2, 0x3A, graph, size);
    test_host_init(&host);
    assert_status(hbs_model_load(&host.host, NULL, &source, &model, &error), HBS_OK, &error);
    hbs_model_free(model);
    test_host_end(&host);
    free(graph);
}

static hbs_status load_and_free(const hbs_host *host, void *context, hbs_error *error)
{
    size_t i = *(const size_t *)context;
    test_message file = file_of(made[i].domain, made[i].op, made[i].set, made[i].type);
    hbs_model *model = NULL;
    hbs_status status = load(host, &file, &model, error);

    hbs_model_free(model);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
        assert_true(test_each_allocation_fails(load_and_free, &i) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_makes_what_onnx_says),
        cmocka_unit_test(what_a_row_cannot_have_is_refused_by_name),
        cmocka_unit_test(rows_side_by_side_stay_apart),
        cmocka_unit_test(a_square_is_a_product),
        cmocka_unit_test(an_integer_out_of_range_has_no_result),
        cmocka_unit_test(integers_are_of_their_type),
        cmocka_unit_test(clip_leaves_no_infinite_number),
        cmocka_unit_test(a_place_that_is_none_has_no_result),
        cmocka_unit_test(many_small_nodes_are_read),
        cmocka_unit_test(each_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
