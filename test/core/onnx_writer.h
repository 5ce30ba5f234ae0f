/* onnx_writer.h - protobuf messages written field by field, and a small ONNX model of them, for tests. */
#ifndef HB_TEST_ONNX_WRITER_H
#define HB_TEST_ONNX_WRITER_H

#include "support.h"

/* Prints how many cases of each class of test/classes.txt have passed: classes[i] of case i, NULL of none. */
void test_print_classes(const char *const *classes, size_t n);

/* A message; what does not fit fails the test. */
typedef struct test_message {
    uint8_t bytes[4096];
    size_t size;
} test_message;

void test_put_integer(test_message *m, unsigned field, int64_t number);
void test_put_float(test_message *m, unsigned field, float number);
void test_put_text(test_message *m, unsigned field, const char *text);
void test_put_message(test_message *m, unsigned field, const test_message *inner);

/* Attributes of a node. */
void test_put_word(test_message *node, const char *name, const char *text);
void test_put_floats(test_message *node, const char *name, size_t n, const float *numbers);
void test_put_integers(test_message *node, const char *name, size_t n, const int64_t *numbers);
void test_put_words(test_message *node, const char *name, size_t n, const char *const *words);
void test_put_integer_attribute(test_message *node, const char *name, int64_t number);
void test_put_float_attribute(test_message *node, const char *name, float number);
/* A tensor of one dimension: its items' bytes, little-endian. */
void test_put_tensor(test_message *node, const char *name, int64_t type, size_t n, const void *items, size_t size);
/* A node of ai.onnx.ml, or ai.onnx if the domain is "". `outputs` with commas between them. */
test_message test_node(const char *domain, const char *op, const char *input, const char *outputs);
/* An input or output: a tensor [rows, columns]; rows -1: any. */
test_message test_port(const char *name, int64_t type, int64_t rows, int64_t columns);

/* A LinearClassifier of columns "X" to the labels "label" and numbers "scores". */
typedef struct test_linear {
    int64_t ir, opset, ml_opset, type, rows, columns; /* 8, 15, 3, 1 (float32), -1, 2 */
    const char *domain, *op, *reads, *post;           /* "ai.onnx.ml", "LinearClassifier", "X", "NONE" */
    size_t n_coefficients, n_intercepts, n_labels;    /* 6, 3, 3 */
    const char *outputs, *gives;                      /* of the node; of the graph: both "label,scores" */
    void (*edit_model)(test_message *model);          /* each NULL: nothing more */
    void (*edit_graph)(test_message *graph);
    void (*edit_node)(test_message *node);
} test_linear;

extern const float test_coefficients[6], test_intercepts[3];

/* The file; members of `what` that are 0 or NULL are as above. */
test_message test_write_linear(const test_linear *what);

/* A file of one node that reads "X" of this type and these columns; `gives` are the graph's outputs. */
test_message test_write_node(const test_message *node, int64_t type, int64_t columns, const char *gives);

#endif
