/* onnx_ensemble.h - a tree ensemble of ONNX as two small tables that a test fills, and the model file of it. */
#ifndef ONNX_ENSEMBLE_H
#define ONNX_ENSEMBLE_H

#include "onnx_fixture.h"

#include <stdio.h>

enum { MOST = 16, FLOAT32 = 1, INT64 = 7, FLOAT64 = 11 };

/* The two tables of an ensemble. */
typedef struct ensemble {
    size_t n_nodes, n_weights;
    int64_t trees[MOST], numbers[MOST], features[MOST], yes[MOST], no[MOST], tracks[MOST];
    const char *modes[MOST];
    float values[MOST];
    int64_t weight_trees[MOST], weight_nodes[MOST], weight_outputs[MOST];
    float weights[MOST];
    int64_t n_outputs;
    size_t n_base, n_labels; /* n_labels: a classifier */
    float base[4];
    const char *post;    /* NULL: NONE */
    bool are_tensors;    /* its numbers are tensors of float64.. */
    double at_threshold; /* ..and this is added to them */
} ensemble;

static void add_node(ensemble *e, int64_t tree, int64_t number, const char *mode, int64_t feature, float value,
                     int64_t yes, int64_t no)
{
    size_t i = e->n_nodes++;

    e->trees[i] = tree;
    e->numbers[i] = number;
    e->modes[i] = mode;
    e->features[i] = feature;
    e->values[i] = value;
    e->yes[i] = yes;
    e->no[i] = no;
}

static void add_weight(ensemble *e, int64_t tree, int64_t node, int64_t output, float weight)
{
    size_t i = e->n_weights++;

    e->weight_trees[i] = tree;
    e->weight_nodes[i] = node;
    e->weight_outputs[i] = output;
    e->weights[i] = weight;
}

static void add_leaf(ensemble *e, int64_t tree, int64_t number, int64_t output, float weight)
{
    add_node(e, tree, number, "LEAF", 0, 0, -1, -1);
    add_weight(e, tree, number, output, weight);
}

/* x[feature] compared with value: 1 or 2. */
static ensemble stump(const char *mode, float value, int64_t tracks)
{
    ensemble e = {.n_outputs = 1};

    add_node(&e, 0, 0, mode, 0, value, 1, 2);
    e.tracks[0] = tracks;
    add_leaf(&e, 0, 1, 0, 1);
    add_leaf(&e, 0, 2, 0, 2);
    return e;
}

static void put_list(test_message *node, const char *prefix, const char *name, size_t n, const int64_t *numbers)
{
    char whole[48];

    snprintf(whole, sizeof(whole), "%s_%s", prefix, name);
    test_put_integers(node, whole, n, numbers);
}

/* The floats as a list, or as a tensor of float64. */
static void put_numbers(test_message *node, const char *name, size_t n, const float *numbers, const ensemble *e)
{
    double wide[MOST];
    char as_tensor[48];

    if (!e->are_tensors) {
        test_put_floats(node, name, n, numbers);
        return;
    }
    for (size_t i = 0; i < n; i++)
        wide[i] = (double)numbers[i] + e->at_threshold;
    snprintf(as_tensor, sizeof(as_tensor), "%s_as_tensor", name);
    test_put_tensor(node, as_tensor, FLOAT64, n, wide, n * sizeof(*wide));
}

static test_message write_typed(const ensemble *e, int64_t type, void (*edit)(test_message *node))
{
    static const int64_t labels[] = {10, 20, 30, 40};
    bool classes = e->n_labels > 0;
    const char *prefix = classes ? "class" : "target";
    test_message node = test_node("ai.onnx.ml", classes ? "TreeEnsembleClassifier" : "TreeEnsembleRegressor", "X",
                                  classes ? "label,scores" : "scores");

    put_list(&node, "nodes", "treeids", e->n_nodes, e->trees);
    put_list(&node, "nodes", "nodeids", e->n_nodes, e->numbers);
    put_list(&node, "nodes", "featureids", e->n_nodes, e->features);
    put_list(&node, "nodes", "truenodeids", e->n_nodes, e->yes);
    put_list(&node, "nodes", "falsenodeids", e->n_nodes, e->no);
    put_list(&node, "nodes", "missing_value_tracks_true", e->n_nodes, e->tracks);
    test_put_words(&node, "nodes_modes", e->n_nodes, e->modes);
    put_numbers(&node, "nodes_values", e->n_nodes, e->values, e);
    put_list(&node, prefix, "treeids", e->n_weights, e->weight_trees);
    put_list(&node, prefix, "nodeids", e->n_weights, e->weight_nodes);
    put_list(&node, prefix, "ids", e->n_weights, e->weight_outputs);
    put_numbers(&node, classes ? "class_weights" : "target_weights", e->n_weights, e->weights, e);
    if (e->n_base)
        put_numbers(&node, "base_values", e->n_base, e->base, e);
    if (classes)
        test_put_integers(&node, "classlabels_int64s", e->n_labels, labels);
    else
        test_put_integer_attribute(&node, "n_targets", e->n_outputs);
    test_put_word(&node, "post_transform", e->post ? e->post : "NONE");
    if (edit)
        edit(&node);
    return test_write_node(&node, type, 2, classes ? "label,scores" : "scores");
}

static test_message write_ensemble(const ensemble *e, void (*edit)(test_message *node))
{
    return write_typed(e, FLOAT32, edit);
}

static void open_within(fixture *f, const hbs_limits *limits, const ensemble *e)
{
    test_message file = write_ensemble(e, NULL);

    open_file(f, limits, &file);
}

static void open_ensemble(fixture *f, const ensemble *e)
{
    open_within(f, NULL, e);
}

static void open_edited(fixture *f, const ensemble *e, void (*edit)(test_message *node))
{
    test_message file = write_ensemble(e, edit);

    open_file(f, NULL, &file);
}

#endif
