/* test_onnx_rows.c - rows that share an axis with other items, as PyTorch's attention has them: heads beside each row,
 * or the rows behind each place of a sequence. Y must be what each row has alone, and what mixes rows is refused. */
#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "onnx_writer.h"

enum { PLACES = 3, HEADS = 2, COLUMNS = PLACES * HEADS };
#define ROWS_MIX "it computes over the rows, and hbscore scores each row by itself"

/* ---- graphs */

static void put_list(test_message *graph, const char *name, size_t n, const int64_t *numbers, bool as_float)
{
    test_message tensor = {.size = 0};

    test_put_integer(&tensor, 1, (int64_t)n);
    test_put_integer(&tensor, 2, as_float ? 1 : 7);
    for (size_t i = 0; i < n && !as_float; i++)
        test_put_integer(&tensor, 7, numbers[i]);
    for (size_t i = 0; i < n && as_float; i++)
        test_put_float(&tensor, 4, (float)numbers[i]);
    test_put_text(&tensor, 8, name);
    test_put_message(graph, 5, &tensor);
}

#define LIST(graph, name, ...) \
    put_list(graph, name, sizeof((const int64_t[]){__VA_ARGS__}) / 8, (const int64_t[]){__VA_ARGS__}, false)

/* A node of one or two inputs; `attribute` NULL: it has none, else a list of n integers, or one (n 0). */
static void put_node(test_message *graph, const char *op, const char *a, const char *b, const char *output,
                     const char *attribute, size_t n, const int64_t *integers)
{
    test_message node = {.size = 0};

    test_put_text(&node, 1, a);
    if (b)
        test_put_text(&node, 1, b);
    test_put_text(&node, 2, output);
    test_put_text(&node, 4, op);
    if (attribute && n)
        test_put_integers(&node, attribute, n, integers);
    else if (attribute)
        test_put_integer_attribute(&node, attribute, *integers);
    test_put_message(graph, 1, &node);
}

static void put_plain(test_message *graph, const char *op, const char *a, const char *b, const char *output)
{
    put_node(graph, op, a, b, output, NULL, 0, NULL);
}

static void put_turned(test_message *graph, const char *from, const char *to, int64_t a, int64_t b, int64_t c)
{
    put_node(graph, "Transpose", from, NULL, to, "perm", 3, (const int64_t[]){a, b, c});
}

/* A sum over an axis of `from`, which stays. */
static void put_sum(test_message *graph, const char *from, const char *to, int64_t axis)
{
    put_list(graph, "summed", 1, &axis, false);
    put_plain(graph, "ReduceSum", from, "summed", to);
}

static test_message model_of(test_message *graph)
{
    test_message in = test_port("X", 1, -1, COLUMNS), out = test_port("Y", 1, -1, COLUMNS);
    test_message model = {.size = 0}, opset = {.size = 0};

    test_put_message(graph, 11, &in);
    test_put_message(graph, 12, &out);
    test_put_integer(&opset, 2, 18);
    test_put_integer(&model, 1, 8);
    test_put_message(&model, 7, graph);
    test_put_message(&model, 8, &opset);
    return model;
}

/* Shapes that the file states leave the axis of the rows open. */
static void put_shapes(test_message *graph)
{
    LIST(graph, "by heads", PLACES, -1, 1);
    LIST(graph, "all places", -1, HEADS);
    LIST(graph, "by places", PLACES, -1, HEADS);
}

/* Or the graph computes them, from the shape of S [places, rows, heads]. */
static void put_computed_shapes(test_message *graph)
{
    const int64_t axis = 0;

    LIST(graph, "0", 0);
    LIST(graph, "1", 1);
    LIST(graph, "2", HEADS);
    put_plain(graph, "Shape", "S", NULL, "shape");
    put_plain(graph, "Gather", "shape", "0", "places");
    put_plain(graph, "Gather", "shape", "1", "rows");
    put_plain(graph, "Mul", "rows", "2", "rows x heads");
    put_plain(graph, "Mul", "places", "rows", "places x rows");
    put_node(graph, "Concat", "places", "rows x heads", "begin", "axis", 0, &axis);
    put_node(graph, "Concat", "begin", "1", "by heads", "axis", 0, &axis);
    put_node(graph, "Concat", "places x rows", "2", "all places", "axis", 0, &axis);
    put_node(graph, "Concat", "places", "rows", "middle", "axis", 0, &axis);
    put_node(graph, "Concat", "middle", "2", "by places", "axis", 0, &axis);
}

/* S of X: [places, rows, heads]; H: [places, rows x heads, 1]; A: [rows x heads, places, 1]. */
static test_message begin(bool computed)
{
    test_message graph = {.size = 0};

    LIST(&graph, "by rows", -1, PLACES, HEADS);
    put_plain(&graph, "Reshape", "X", "by rows", "R");
    put_turned(&graph, "R", "S", 1, 0, 2);
    (computed ? put_computed_shapes : put_shapes)(&graph);
    put_plain(&graph, "Reshape", "S", "by heads", "H");
    put_turned(&graph, "H", "A", 1, 0, 2);
    return graph;
}

/* The graph of `from` [places, rows x heads, 1] by [places x rows, heads], to Y. */
static void end(test_message *graph, const char *from)
{
    static const int64_t axis = 1;

    LIST(graph, "flat", -1, COLUMNS);
    put_plain(graph, "Reshape", from, "all places", "F");
    put_node(graph, "Softmax", "F", NULL, "Q", "axis", 0, &axis);
    put_plain(graph, "Reshape", "Q", "by places", "P");
    put_turned(graph, "P", "T", 1, 0, 2);
    put_plain(graph, "Reshape", "T", "flat", "Y");
}

static test_message attention(bool computed)
{
    test_message graph = begin(computed);
    static const int64_t axis = -1;

    put_turned(&graph, "H", "B", 1, 2, 0);
    put_plain(&graph, "MatMul", "A", "B", "scores");
    put_node(&graph, "Softmax", "scores", NULL, "shares", "axis", 0, &axis);
    put_plain(&graph, "MatMul", "shares", "A", "mixed");
    put_turned(&graph, "mixed", "O", 1, 0, 2);
    end(&graph, "O");
    return model_of(&graph);
}

/* ---- what a row has */

static void plain_attention(const double *x, double *y)
{
    double mixed[PLACES][HEADS];

    for (size_t h = 0; h < HEADS; h++)
        for (size_t s = 0; s < PLACES; s++) {
            double sum = 0, all = 0;

            for (size_t t = 0; t < PLACES; t++) {
                double share = exp(x[s * HEADS + h] * x[t * HEADS + h]);

                sum += share;
                all += share * x[t * HEADS + h];
            }
            mixed[s][h] = all / sum;
        }
    for (size_t s = 0; s < PLACES; s++)
        for (size_t h = 0; h < HEADS; h++)
            y[s * HEADS + h] = 1 / (1 + exp(mixed[s][1 - h] - mixed[s][h]));
}

static hbs_status load(const hbs_host *host, const test_message *file, hbs_model **model, hbs_error *error)
{
    char *bytes = test_exact_copy(file->bytes, file->size);
    hbs_source source = {.bytes = bytes, .size = file->size};
    hbs_status status = hbs_model_load(host, NULL, &source, model, error);

    free(bytes);
    return status;
}

static void attention_of_a_row_is_its_own(void **state)
{
    static const double rows[][COLUMNS] = {{1, -2, 0.5, 3, -1.25, 0.125}, {0, 0, 0, 0, 0, 0}, {2, 2, -1, 1, 0.5, -3}};

    for (int computed = 0; computed < 2; computed++) {
        const test_message file = attention(computed != 0);
        hbs_model *model = NULL;
        hbs_plan *plan;
        hbs_error error = {0};
        test_host host;
        hbs_run *run;

        test_host_init(&host);
        assert_status(load(&host.host, &file, &model, &error), HBS_OK, &error);
        assert_status(hbs_plan_compile(model, NULL, &plan, &error), HBS_OK, &error);
        run = test_run(&host.host, plan, 64);
        for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
            double expected[COLUMNS];
            hbs_result result;

            plain_attention(rows[r], expected);
            assert_status(hbs_score_numbers(run, rows[r], COLUMNS, HBS_OUT_VALUES, &result, &error), HBS_OK, &error);
            for (size_t c = 0; c < COLUMNS; c++)
                assert_true(fabs(result.values[c] - expected[c]) < 1e-6);
        }
        hbs_run_free(run);
        hbs_plan_free(plan);
        hbs_model_free(model);
        test_host_end(&host);
    }
}

/* ---- what is refused */

static test_message over_heads(bool computed)
{
    test_message graph = begin(computed);

    put_sum(&graph, "H", "Y", 1);
    return model_of(&graph);
}

/* Places are no rows: their sum is read, and the rows stay behind. */
static test_message side_by_side(bool computed)
{
    test_message graph = begin(computed);

    put_sum(&graph, "H", "Y", 0);
    return model_of(&graph);
}

static test_message in_blocks(bool computed)
{
    test_message graph = begin(computed);

    put_turned(&graph, "A", "O", 1, 0, 2);
    put_plain(&graph, "Reshape", "O", "all places", "Y");
    return model_of(&graph);
}

/* A number of the file for each head: beside several rows it would be one for each number of the table. */
static test_message with_numbers(bool computed)
{
    test_message graph = begin(computed);
    static const int64_t two[] = {1, 2};

    put_list(&graph, "two", 2, two, true);
    put_turned(&graph, "H", "L", 0, 2, 1);
    put_plain(&graph, "Add", "L", "two", "Y");
    return model_of(&graph);
}

static void what_mixes_rows_is_refused(void **state)
{
    static const struct {
        test_message (*make)(bool computed);
        const char *words;
    } cases[] = {{over_heads, ROWS_MIX},
                 {side_by_side, "it has all rows side by side"},
                 {in_blocks, "it has all rows side by side"},
                 {with_numbers, ROWS_MIX}};

    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        const test_message file = cases[i / 2].make(i % 2 != 0);
        hbs_model *model = NULL;
        hbs_error error = {0};
        test_host host;

        test_host_init(&host);
        (void)load(&host.host, &file, &model, &error);
        if (!strstr(error.text, cases[i / 2].words))
            fail_msg("case %zu: \"%s\", expected \"%s\"", i, error.text, cases[i / 2].words);
        assert_null(model);
        test_host_end(&host);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attention_of_a_row_is_its_own),
        cmocka_unit_test(what_mixes_rows_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
