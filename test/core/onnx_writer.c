/* onnx_writer.c - see onnx_writer.h. */
#include "onnx_writer.h"

#include <stdio.h>
#include <string.h>

const float test_coefficients[6] = {1.5f, -2, 0.25f, 3, -1.25f, 0.1f};
const float test_intercepts[3] = {0.5f, -0.75f, 0};

/* ---- fields */

static void put(test_message *m, const void *bytes, size_t n)
{
    assert_true(n <= sizeof(m->bytes) - m->size);
    memcpy(m->bytes + m->size, bytes, n);
    m->size += n;
}

static void put_varint(test_message *m, uint64_t number)
{
    uint8_t byte;

    for (; number > 0x7f; number >>= 7) {
        byte = (uint8_t)(number | 0x80);
        put(m, &byte, 1);
    }
    byte = (uint8_t)number;
    put(m, &byte, 1);
}

static void put_tag(test_message *m, unsigned field, unsigned wire)
{
    put_varint(m, field << 3 | wire);
}

void test_put_integer(test_message *m, unsigned field, int64_t number)
{
    put_tag(m, field, 0);
    put_varint(m, (uint64_t)number);
}

void test_put_float(test_message *m, unsigned field, float number)
{
    put_tag(m, field, 5);
    put(m, &number, sizeof(number));
}

static void put_bytes(test_message *m, unsigned field, const void *bytes, size_t n)
{
    put_tag(m, field, 2);
    put_varint(m, n);
    put(m, bytes, n);
}

void test_put_text(test_message *m, unsigned field, const char *text)
{
    put_bytes(m, field, text, strlen(text));
}

void test_put_message(test_message *m, unsigned field, const test_message *inner)
{
    put_bytes(m, field, inner->bytes, inner->size);
}

/* ---- nodes */

static test_message begin_attribute(const char *name, int64_t type)
{
    test_message a = {.size = 0};

    test_put_text(&a, 1, name);
    test_put_integer(&a, 20, type);
    return a;
}

void test_put_word(test_message *node, const char *name, const char *text)
{
    test_message a = begin_attribute(name, 3);

    test_put_text(&a, 4, text);
    test_put_message(node, 5, &a);
}

void test_put_floats(test_message *node, const char *name, size_t n, const float *numbers)
{
    test_message a = begin_attribute(name, 6);

    for (size_t i = 0; i < n; i++)
        test_put_float(&a, 7, numbers[i]);
    test_put_message(node, 5, &a);
}

void test_put_integers(test_message *node, const char *name, size_t n, const int64_t *numbers)
{
    test_message a = begin_attribute(name, 7);

    for (size_t i = 0; i < n; i++)
        test_put_integer(&a, 8, numbers[i]);
    test_put_message(node, 5, &a);
}

void test_put_tensor(test_message *node, const char *name, int64_t type, size_t n, const void *items, size_t size)
{
    test_message a = begin_attribute(name, 4), tensor = {.size = 0};

    test_put_integer(&tensor, 1, (int64_t)n);
    test_put_integer(&tensor, 2, type);
    put_bytes(&tensor, 9, items, size);
    test_put_message(&a, 5, &tensor);
    test_put_message(node, 5, &a);
}

void test_put_words(test_message *node, const char *name, size_t n, const char *const *words)
{
    test_message a = begin_attribute(name, 8);

    for (size_t i = 0; i < n; i++)
        test_put_text(&a, 9, words[i]);
    test_put_message(node, 5, &a);
}

void test_put_integer_attribute(test_message *node, const char *name, int64_t number)
{
    test_message a = begin_attribute(name, 2);

    test_put_integer(&a, 3, number);
    test_put_message(node, 5, &a);
}

void test_put_float_attribute(test_message *node, const char *name, float number)
{
    test_message a = begin_attribute(name, 1);

    test_put_float(&a, 2, number);
    test_put_message(node, 5, &a);
}

/* Calls `use` with each of the names between commas. */
static void each_name(const char *names, void (*use)(test_message *m, const char *name), test_message *m)
{
    char name[32];

    for (size_t n; *names; names += n + (names[n] == ',')) {
        n = strcspn(names, ",");
        memcpy(name, names, n);
        name[n] = '\0';
        use(m, name);
    }
}

static void put_output(test_message *node, const char *name)
{
    test_put_text(node, 2, name);
}

test_message test_node(const char *domain, const char *op, const char *input, const char *outputs)
{
    test_message node = {.size = 0};

    test_put_text(&node, 1, input);
    each_name(outputs, put_output, &node);
    test_put_text(&node, 3, "the node");
    test_put_text(&node, 4, op);
    test_put_text(&node, 7, domain);
    return node;
}

/* ---- models */

static void put_dimension(test_message *shape, int64_t n)
{
    test_message dim = {.size = 0};

    if (n >= 0)
        test_put_integer(&dim, 1, n);
    test_put_message(shape, 1, &dim);
}

test_message test_port(const char *name, int64_t type, int64_t rows, int64_t columns)
{
    test_message port = {.size = 0}, kind = {.size = 0}, tensor = {.size = 0}, shape = {.size = 0};

    put_dimension(&shape, rows);
    put_dimension(&shape, columns);
    test_put_integer(&tensor, 1, type);
    test_put_message(&tensor, 2, &shape);
    test_put_message(&kind, 1, &tensor);
    test_put_text(&port, 1, name);
    test_put_message(&port, 2, &kind);
    return port;
}

static void put_graph_output(test_message *graph, const char *name)
{
    test_message port = test_port(name, 1, -1, -1);

    test_put_message(graph, 12, &port);
}

static void put_opset(test_message *model, const char *domain, int64_t version)
{
    test_message opset = {.size = 0};

    test_put_text(&opset, 1, domain);
    test_put_integer(&opset, 2, version);
    test_put_message(model, 8, &opset);
}

#define OR(given, usual) ((given) ? (given) : (usual))

static test_message classifier(const test_linear *what)
{
    static const int64_t labels[] = {4, 5, 6, 7};
    test_message node = test_node(OR(what->domain, "ai.onnx.ml"), OR(what->op, "LinearClassifier"),
                                  OR(what->reads, "X"), OR(what->outputs, "label,scores"));

    test_put_floats(&node, "coefficients", OR(what->n_coefficients, 6), test_coefficients);
    test_put_floats(&node, "intercepts", OR(what->n_intercepts, 3), test_intercepts);
    test_put_integers(&node, "classlabels_ints", OR(what->n_labels, 3), labels);
    test_put_word(&node, "post_transform", OR(what->post, "NONE"));
    if (what->edit_node)
        what->edit_node(&node);
    return node;
}

test_message test_write_linear(const test_linear *what)
{
    test_message model = {.size = 0}, graph = {.size = 0}, node = classifier(what);
    test_message port = test_port("X", OR(what->type, 1), OR(what->rows, -1), OR(what->columns, 2));

    test_put_message(&graph, 1, &node);
    test_put_message(&graph, 11, &port);
    if (what->edit_graph)
        what->edit_graph(&graph);
    each_name(OR(what->gives, "label,scores"), put_graph_output, &graph);
    test_put_integer(&model, 1, OR(what->ir, 8));
    test_put_text(&model, 2, "a test");
    test_put_message(&model, 7, &graph);
    put_opset(&model, "", OR(what->opset, 15));
    put_opset(&model, "ai.onnx.ml", OR(what->ml_opset, 3));
    if (what->edit_model)
        what->edit_model(&model);
    return model;
}

test_message test_write_node(const test_message *node, int64_t type, int64_t columns, const char *gives)
{
    test_message model = {.size = 0}, graph = {.size = 0}, port = test_port("X", type, -1, columns);

    test_put_message(&graph, 1, node);
    test_put_message(&graph, 11, &port);
    each_name(gives, put_graph_output, &graph);
    test_put_integer(&model, 1, 8);
    test_put_message(&model, 7, &graph);
    put_opset(&model, "ai.onnx.ml", 3);
    return model;
}

void test_print_classes(const char *const *classes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t cases = 0;
        bool first = classes[i] != NULL;

        for (size_t k = 0; first && k < n; k++) {
            bool same = classes[k] && strcmp(classes[k], classes[i]) == 0;

            cases += same;
            first = first && !(same && k < i);
        }
        if (first)
            printf("class %s: %zu cases, 0 failures\n", classes[i], cases);
    }
}
