/* large_onnx.c - see large_onnx.h. Messages are written into streams of memory, inner ones first. */
#include "large_onnx.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARINT, BYTES = 2, FLOAT = 1, INT64 = 7, STRING = 8 };
enum { KIND_FLOATS = 6, KIND_INTS = 7, KIND_TEXTS = 8, KIND_TEXT = 3, KIND_INT = 2 };

typedef struct message {
    FILE *file;
    char *bytes;
    size_t size;
} message;

static void open_message(message *m)
{
    m->file = open_memstream(&m->bytes, &m->size);
    if (!m->file)
        exit(2);
}

/* ---- fields */

static void put_varint(FILE *f, uint64_t n)
{
    for (; n > 127; n >>= 7)
        fputc((int)(n & 127) | 128, f);
    fputc((int)n, f);
}

static void put_integer(message *m, unsigned field, int64_t n)
{
    put_varint(m->file, (uint64_t)field << 3 | VARINT);
    put_varint(m->file, (uint64_t)n);
}

static void put_bytes(message *m, unsigned field, const void *bytes, size_t size)
{
    put_varint(m->file, (uint64_t)field << 3 | BYTES);
    put_varint(m->file, size);
    fwrite(bytes, 1, size, m->file);
}

static void put_text(message *m, unsigned field, const char *text)
{
    put_bytes(m, field, text, strlen(text));
}

/* The inner message ends. */
static void put_message(message *m, unsigned field, message *inner)
{
    fclose(inner->file);
    put_bytes(m, field, inner->bytes, inner->size);
    free(inner->bytes);
}

/* ---- nodes */

static void begin_node(message *node, const char *domain, const char *op, const char *input, const char *output)
{
    open_message(node);
    put_text(node, 1, input);
    put_text(node, 2, output);
    put_text(node, 4, op);
    put_text(node, 7, domain);
}

static void begin_attribute(message *a, const char *name, int kind)
{
    open_message(a);
    put_text(a, 1, name);
    put_integer(a, 20, kind);
}

/* A list of as many integers as `count`, each what `of` says. */
static void put_integers(message *node, const char *name, size_t count, int64_t (*of)(size_t i))
{
    message a;

    begin_attribute(&a, name, KIND_INTS);
    for (size_t i = 0; i < count; i++)
        put_integer(&a, 8, of(i));
    put_message(node, 5, &a);
}

static void put_numbers(message *node, const char *name, size_t count)
{
    message a;

    begin_attribute(&a, name, KIND_FLOATS);
    for (size_t i = 0; i < count; i++) {
        float number = (float)(i % 1000) / 8;

        put_varint(a.file, 7u << 3 | 5);
        fwrite(&number, 1, sizeof(number), a.file);
    }
    put_message(node, 5, &a);
}

static void put_words(message *node, const char *name, size_t count, const char *format)
{
    message a;
    char word[64];

    begin_attribute(&a, name, KIND_TEXTS);
    for (size_t i = 0; i < count; i++) {
        snprintf(word, sizeof(word), format, i); /* NOLINT */
        put_text(&a, 9, word);
    }
    put_message(node, 5, &a);
}

static void put_word(message *node, const char *name, const char *word)
{
    message a;

    begin_attribute(&a, name, KIND_TEXT);
    put_text(&a, 4, word);
    put_message(node, 5, &a);
}

static void put_number(message *node, const char *name, int64_t number)
{
    message a;

    begin_attribute(&a, name, KIND_INT);
    put_integer(&a, 3, number);
    put_message(node, 5, &a);
}

/* ---- files */

static void put_port(message *graph, unsigned field, const char *name, int64_t type, int64_t columns)
{
    message port, kind, tensor, shape, dim;

    open_message(&dim);
    open_message(&shape);
    put_text(&dim, 2, "N");
    put_message(&shape, 1, &dim);
    open_message(&dim);
    put_integer(&dim, 1, columns);
    put_message(&shape, 1, &dim);
    open_message(&tensor);
    put_integer(&tensor, 1, type);
    put_message(&tensor, 2, &shape);
    open_message(&kind);
    put_message(&kind, 1, &tensor);
    open_message(&port);
    put_text(&port, 1, name);
    put_message(&port, 2, &kind);
    put_message(graph, field, &port);
}

static mb_bytes end_file(message *graph, int64_t type, int64_t columns)
{
    message model;

    put_port(graph, 11, "X", type, columns);
    put_port(graph, 12, "Y", FLOAT, columns);
    open_message(&model);
    put_integer(&model, 1, 8);
    put_message(&model, 7, graph);
    fclose(model.file);
    return (mb_bytes){model.bytes, model.size};
}

mb_bytes onnx_chain(void)
{
    enum { N = 20000 };
    message graph;
    char from[16] = "X", to[16];

    open_message(&graph);
    for (size_t i = 0; i < N; i++) {
        message node;

        snprintf(to, sizeof(to), i + 1 == N ? "Y" : "v%zu", i);
        begin_node(&node, "", "Neg", from, to);
        put_message(&graph, 1, &node);
        memcpy(from, to, sizeof(to));
    }
    return end_file(&graph, FLOAT, 3);
}

/* ---- trees of a root and two leaves */

static int64_t tree_of_node(size_t i)
{
    return (int64_t)i / 3;
}

static int64_t node_of_node(size_t i)
{
    return (int64_t)i % 3;
}

static int64_t first_child(size_t i)
{
    return i % 3 == 0 ? 1 : 0;
}

static int64_t second_child(size_t i)
{
    return i % 3 == 0 ? 2 : 0;
}

static int64_t zero(size_t i)
{
    (void)i;
    return 0;
}

static int64_t tree_of_leaf(size_t i)
{
    return (int64_t)i / 2;
}

static int64_t node_of_leaf(size_t i)
{
    return (int64_t)i % 2 + 1;
}

mb_bytes onnx_trees(void)
{
    enum { TREES = 60000, NODES = 3 * TREES, LEAVES = 2 * TREES };
    message graph, node, modes;

    begin_node(&node, "ai.onnx.ml", "TreeEnsembleRegressor", "X", "Y");
    put_integers(&node, "nodes_treeids", NODES, tree_of_node);
    put_integers(&node, "nodes_nodeids", NODES, node_of_node);
    put_integers(&node, "nodes_featureids", NODES, zero);
    put_integers(&node, "nodes_truenodeids", NODES, first_child);
    put_integers(&node, "nodes_falsenodeids", NODES, second_child);
    put_numbers(&node, "nodes_values", NODES);
    begin_attribute(&modes, "nodes_modes", KIND_TEXTS);
    for (size_t i = 0; i < NODES; i++)
        put_text(&modes, 9, i % 3 == 0 ? "BRANCH_LEQ" : "LEAF");
    put_message(&node, 5, &modes);
    put_integers(&node, "target_treeids", LEAVES, tree_of_leaf);
    put_integers(&node, "target_nodeids", LEAVES, node_of_leaf);
    put_integers(&node, "target_ids", LEAVES, zero);
    put_numbers(&node, "target_weights", LEAVES);
    put_number(&node, "n_targets", 1);
    open_message(&graph);
    put_message(&graph, 1, &node);
    return end_file(&graph, FLOAT, 3);
}

/* ---- lists */

static int64_t itself(size_t i)
{
    return (int64_t)i;
}

mb_bytes onnx_keys(void)
{
    enum { N = 300000 };
    message graph, node;

    begin_node(&node, "ai.onnx.ml", "LabelEncoder", "X", "Y");
    put_words(&node, "keys_strings", N, "key %06zu");
    put_integers(&node, "values_int64s", N, itself);
    open_message(&graph);
    put_message(&graph, 1, &node);
    return end_file(&graph, STRING, 1);
}

mb_bytes onnx_weights(void)
{
    enum { SIDE = 1000 };
    message graph, node, tensor;
    float *weights = calloc((size_t)SIDE * SIDE, sizeof(*weights));

    if (!weights)
        exit(2);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
        weights[i] = (float)(i % 7) - 3;
    begin_node(&node, "", "MatMul", "X", "Y");
    put_text(&node, 1, "W");
    open_message(&tensor);
    put_integer(&tensor, 1, SIDE);
    put_integer(&tensor, 1, SIDE);
    put_integer(&tensor, 2, FLOAT);
    put_text(&tensor, 8, "W");
    put_bytes(&tensor, 9, weights, (size_t)SIDE * SIDE * sizeof(*weights));
    free(weights);
    open_message(&graph);
    put_message(&graph, 1, &node);
    put_message(&graph, 5, &tensor);
    return end_file(&graph, FLOAT, SIDE);
}

mb_bytes onnx_words(void)
{
    enum { N = 60000 };
    message graph, node;

    open_message(&graph);
    begin_node(&node, "com.microsoft", "Tokenizer", "X", "T");
    put_word(&node, "tokenexp", "[a-z0-9]+");
    put_message(&graph, 1, &node);
    begin_node(&node, "", "TfIdfVectorizer", "T", "Y");
    put_words(&node, "pool_strings", N, "word%06zu");
    put_integers(&node, "ngram_counts", 1, zero);
    put_integers(&node, "ngram_indexes", N, itself);
    put_word(&node, "mode", "TF");
    put_number(&node, "min_gram_length", 1);
    put_number(&node, "max_gram_length", 1);
    put_number(&node, "max_skip_count", 0);
    put_message(&graph, 1, &node);
    return end_file(&graph, STRING, 1);
}
