/* onnx_outputs.c - the outputs of an ONNX file: a label with the scores or probabilities of the same classifier, or
 * numbers. */
#include <stdio.h>

#include "format/apply_options.h"
#include "format/onnx.h"
#include "ir/labels.h"

typedef struct outputs {
    const hb_onnx_value *label, *numbers; /* NULL: there is none; the ones that count */
    const hb_onnx_port *label_port, *numbers_port;
    size_t n_labels, n_numbers, width; /* of the graph; of all numbers */
} outputs;

static hbs_status refuse(hb_onnx_file *file, const hb_onnx_port *output, hbs_status status, const char *why)
{
    char name[HB_EXCERPT_BUFFER];

    return hb_fail_at(file->error, status, output->at, "output \"%s\": %s", HB_SHOW(output->name, name), why);
}

static bool is_label(const hb_onnx_value *value)
{
    return value && value->form == HB_ONNX_LABEL;
}

static hbs_status check_output(hb_onnx_file *file, const hb_onnx_port *output, const hb_onnx_value **value)
{
    *value = hb_onnx_named(file, output->name);
    HB_TRY(hb_worked(file->bytes.work, 16, file->error));
    if (!*value || (*value)->form == HB_ONNX_NOTHING)
        return refuse(file, output, HBS_E_FORMAT, "nothing in the file makes it");
    if ((*value)->form == HB_ONNX_CONSTANT)
        return refuse(file, output, HBS_E_UNSUPPORTED, "it is the same for every row");
    if ((*value)->lanes || (*value)->blocks)
        return refuse(file, output, HBS_E_UNSUPPORTED, "it has all rows side by side");
    if (!is_label(*value) && (*value)->type == HB_ONNX_STRING)
        return refuse(file, output, HBS_E_UNSUPPORTED, "it is texts of the row");
    return HBS_OK;
}

static hbs_status sort_output(hb_onnx_file *file, const hb_onnx_port *output, outputs *o)
{
    const hb_onnx_value *value;

    HB_TRY(check_output(file, output, &value));
    if (is_label(value)) {
        if (o->n_labels++ == 0) {
            o->label = value;
            o->label_port = output;
        }
        return HBS_OK;
    }
    if (o->n_numbers++ == 0) {
        o->numbers = value;
        o->numbers_port = output;
    }
    o->width += value->width;
    return o->width <= HB_MAX_OUTPUTS ? HBS_OK : refuse(file, output, HBS_E_LIMIT, "the outputs have too many columns");
}

/* ---- a label that the graph looks up at the place of the largest of some numbers */

/* True of a node that leaves a linear function linear. */
static bool is_linear(const hb_node *node)
{
    const hb_fit_combine *fit = node->fit;

    if (node->kind == HB_OPERATOR_COMBINE)
        return fit->function == HB_COMBINE_ADD || (fit->function == HB_COMBINE_MULTIPLY && fit->numbers);
    return node->kind == HB_OPERATOR_WIDEN || node->kind == HB_OPERATOR_NARROW || node->kind == HB_OPERATOR_CONCAT ||
           node->kind == HB_OPERATOR_SELECT;
}

/* True if products made the numbers, perhaps with a bias and a factor: they are scores, also under the name
 * "probabilities". The first input of each node is followed. */
static bool is_score(const hb_onnx_file *file, const hb_onnx_value *numbers)
{
    const hb_graph *graph = &file->pipeline->graph;
    const hb_node *node = hb_node_at(graph, numbers->value);

    while (node->n_inputs > 0 && is_linear(node))
        node = hb_node_at(graph, node->inputs[0]);
    return node->kind == HB_OPERATOR_PRODUCT32 || node->kind == HB_OPERATOR_DENSE;
}

static bool same_classes(const hb_onnx_file *file, const hb_onnx_value *label, const hb_onnx_value *numbers)
{
    if (numbers->width != label->n_classes || (numbers->n_classes && numbers->n_classes != label->n_classes))
        return false;
    for (size_t i = 0; i < numbers->n_classes && hb_goes_on(file->bytes.work, 4); i++)
        if (numbers->classes[i].type != label->classes[i].type ||
            !hb_label_equal(&numbers->classes[i], &label->classes[i]))
            return false;
    return true;
}

static hbs_status build_looked_up(hb_onnx_file *file, const outputs *o)
{
    hb_pipeline *pipeline = file->pipeline;
    const hb_onnx_value *label = o->label, *numbers = o->numbers, *scores = label->place_of;
    bool same = numbers && numbers->value == scores->value && numbers->columns == scores->columns;

    if (numbers && !same_classes(file, label, numbers))
        return refuse(file, o->numbers_port, HBS_E_UNSUPPORTED, "it is not what the label is told from");
    pipeline->task = HBS_CLASSIFIER;
    HB_TRY(hb_apply_classes(pipeline, file->options, label->classes, label->n_classes, file->error));
    HB_TRY(hb_graph_check(&pipeline->graph, file->error)); /* nodes are looked at */
    pipeline->label = hb_pipeline_add(pipeline, HB_OPERATOR_HEAD, label->value, &label->head);
    if (numbers && !is_score(file, numbers))
        pipeline->probabilities = hb_onnx_selected(file, numbers);
    if (!same || !pipeline->probabilities)
        pipeline->raw = label->value;
    return HBS_OK;
}

/* ---- a classifier */

/* True of a number for each class that the graph has computed, or of one for two classes, as of the votes of a support
 * vector machine: scores. */
static bool is_for_each_class(const hb_onnx_file *file, const hb_onnx_value *label, const hb_onnx_value *numbers)
{
    return !numbers->model && (same_classes(file, label, numbers) || (numbers->width == 1 && label->n_classes == 2));
}

/* Scores that are not what the label is told from stand for themselves. */
static size_t raw_of(hb_onnx_file *file, const hb_onnx_value *label, const hb_onnx_value *numbers)
{
    bool own = numbers && (!numbers->model || numbers->meaning == HB_ONNX_SCORES);

    return own && !numbers->is_pair ? hb_onnx_selected(file, numbers) : label->value;
}

static hbs_status build_classifier(hb_onnx_file *file, const outputs *o)
{
    hb_pipeline *pipeline = file->pipeline;
    const hb_onnx_value *label = o->label, *numbers = o->numbers;

    if (label->place_of)
        return build_looked_up(file, o);
    if (numbers && (numbers->model != label->model || numbers->columns) && !is_for_each_class(file, label, numbers))
        return refuse(file, o->numbers_port, HBS_E_UNSUPPORTED, "it is not what the classifier of the label gives");
    pipeline->task = HBS_CLASSIFIER;
    HB_TRY(hb_apply_classes(pipeline, file->options, label->classes, label->n_classes, file->error));
    pipeline->raw = raw_of(file, label, numbers);
    pipeline->label = hb_pipeline_add(pipeline, HB_OPERATOR_HEAD, label->value, &label->head);
    if (numbers && numbers->meaning == HB_ONNX_PROBABILITIES)
        pipeline->probabilities = numbers->value;
    return HBS_OK;
}

/* The two numbers that one score of a classifier stands for are written out. */
static hbs_status written_out(hb_onnx_file *file, const hb_onnx_port *output, hb_onnx_value *value)
{
    const hb_onnx_node reader = {.inputs = &output->name, .n_inputs = 1};

    return hb_onnx_moved(file, &reader, 0, value);
}

/* All outputs side by side, in the order of the graph. */
static hbs_status build_joined(hb_onnx_file *file, const outputs *o)
{
    uint32_t *inputs = hb_arena_array(&file->arena, o->n_numbers, sizeof(*inputs));
    hb_onnx_value value;
    size_t n = 0;

    if (!inputs)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < file->n_outputs; i++) {
        HB_TRY(written_out(file, &file->outputs[i], &value));
        inputs[n++] = (uint32_t)hb_onnx_wide(file, &value);
    }
    file->pipeline->values = hb_pipeline_add_of(file->pipeline, HB_OPERATOR_CONCAT, inputs, n, NULL);
    return HBS_OK;
}

/* Scores of a classifier without its label are numbers too. */
static hbs_status build_numbers(hb_onnx_file *file, const outputs *o)
{
    hb_pipeline *pipeline = file->pipeline;
    hb_onnx_value numbers;
    size_t value;

    if (file->options->classes)
        return hb_fail(file->error, HBS_E_ARGS, "option classes: a model that gives no label has none");
    pipeline->task = HBS_REGRESSOR;
    if (o->n_numbers > 1)
        return build_joined(file, o);
    HB_TRY(written_out(file, o->numbers_port, &numbers));
    value = hb_onnx_selected(file, &numbers);
    if (numbers.width == 1)
        pipeline->value = value;
    else
        pipeline->values = value;
    return HBS_OK;
}

/* ---- the outputs that count */

/* The outputs' names, as "A", "B". */
static const char *list_outputs(const hb_onnx_file *file, bool labels, char *text, size_t capacity)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < file->n_outputs && used + HB_EXCERPT_BUFFER + 4 < capacity; i++) {
        char name[HB_EXCERPT_BUFFER];

        if (!labels || is_label(hb_onnx_named(file, file->outputs[i].name)))
            used += (size_t)snprintf(text + used, capacity - used, "%s\"%s\"", used ? ", " : "",
                                     HB_SHOW(file->outputs[i].name, name));
    }
    return text;
}

enum { LIST = 320, MOST_TO_PAIR = 64 };

/* The output of this name; bytes NULL: *value NULL. */
static hbs_status find_output(hb_onnx_file *file, hbs_text name, const hb_onnx_port **port, const hb_onnx_value **value)
{
    char shown[HB_EXCERPT_BUFFER], list[LIST];

    *value = NULL;
    for (size_t i = 0; name.bytes && i < file->n_outputs; i++)
        if (hb_text_equal(file->outputs[i].name, name)) {
            *port = &file->outputs[i];
            return check_output(file, *port, value);
        }
    return !name.bytes
               ? HBS_OK
               : hb_fail(file->error, HBS_E_ARGS, "option outputs: the graph has no output \"%s\"; there are %s",
                         HB_SHOW(name, shown), list_outputs(file, false, list, LIST));
}

/* Those that the option outputs names. */
static hbs_status choose_outputs(hb_onnx_file *file, outputs *o)
{
    const hb_options *options = file->options;
    bool of_values = options->values_output.bytes != NULL;

    HB_TRY(find_output(file, options->label_output, &o->label_port, &o->label));
    HB_TRY(find_output(file, of_values ? options->values_output : options->probabilities_output, &o->numbers_port,
                       &o->numbers));
    if (o->label && !is_label(o->label))
        return refuse(file, o->label_port, HBS_E_ARGS, "option outputs calls it a label, and it is numbers");
    if (is_label(o->numbers))
        return refuse(file, o->numbers_port, HBS_E_ARGS, "option outputs calls it numbers, and it is a label");
    o->n_numbers = o->numbers != NULL;
    return HBS_OK;
}

/* True of numbers that the label's classifier has made, or that the label is told from. */
static bool belongs(const hb_onnx_file *file, const hb_onnx_value *label, const hb_onnx_value *numbers)
{
    if (label->place_of)
        return !numbers->model && same_classes(file, label, numbers);
    return (numbers->model == label->model && !numbers->columns) || is_for_each_class(file, label, numbers);
}

static hbs_status name_classes(hb_onnx_file *file, hb_onnx_value *place)
{
    const hb_onnx_value *numbers = place->place_of;
    hbs_value *classes = hb_arena_array(&file->arena, numbers->width, sizeof(*classes));

    if (!classes)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < numbers->width; i++)
        classes[i] = (hbs_value){.type = HBS_INT64, .as.i64 = (int64_t)i};
    *place = (hb_onnx_value){.form = HB_ONNX_LABEL,
                             .type = HB_ONNX_INT64,
                             .n_dims = 1,
                             .dims = {1},
                             .value = hb_onnx_selected(file, numbers),
                             .is_float32 = numbers->is_float32 && !numbers->columns,
                             .width = numbers->width,
                             .place_of = numbers,
                             .classes = classes,
                             .n_classes = numbers->width,
                             .head = {.rule = HB_HEAD_ARGMAX}};
    return hb_worked(file->bytes.work, numbers->width, file->error);
}

/* The value that another one is in float32 or float64, with the same columns: behind as many casts as files have. */
static size_t behind_widths(const hb_graph *graph, size_t value)
{
    enum { MOST_CASTS = 4 };

    for (int i = 0; i < MOST_CASTS; i++) {
        const hb_node *node = hb_node_at(graph, value);

        if (node->kind != HB_OPERATOR_WIDEN && node->kind != HB_OPERATOR_NARROW)
            break;
        value = node->inputs[0];
    }
    return value;
}

/* True of the softmax of these scores, whose largest is in the same place. */
static bool is_softmax_of(const hb_onnx_file *file, const hb_onnx_value *numbers, const hb_onnx_value *scores)
{
    const hb_graph *graph = &file->pipeline->graph;
    const hb_node *node = hb_node_at(graph, behind_widths(graph, numbers->value));

    return (node->kind == HB_OPERATOR_SOFTMAX32 || node->kind == HB_OPERATOR_SOFTMAX) &&
           behind_widths(graph, node->inputs[0]) == behind_widths(graph, scores->value);
}

static bool is_told_from(const hb_onnx_file *file, const hb_onnx_value *place, const hb_onnx_value *numbers)
{
    const hb_onnx_value *scores = place->place_of;

    return numbers && numbers->form == HB_ONNX_NUMBERS && numbers->width == scores->width &&
           numbers->columns == scores->columns &&
           (numbers->value == scores->value || is_softmax_of(file, numbers, scores));
}

/* A place of the largest of other outputs, or of what an output is the softmax of, is the label of classes that are
 * called 0, 1, .. */
static hbs_status name_places(hb_onnx_file *file)
{
    HB_TRY(hb_graph_check(&file->pipeline->graph, file->error)); /* nodes are looked at */
    for (size_t i = 0; i < file->n_outputs; i++) {
        hb_onnx_value *place = hb_onnx_named(file, file->outputs[i].name);

        if (!place || place->form != HB_ONNX_NUMBERS || !place->place_of || place->width != 1)
            continue;
        for (size_t k = 0; k < file->n_outputs; k++) {
            if (!is_told_from(file, place, hb_onnx_named(file, file->outputs[k].name)))
                continue;
            HB_TRY(name_classes(file, place));
            break;
        }
    }
    return hb_worked(file->bytes.work, file->n_outputs * file->n_outputs, file->error);
}

/* True if the outputs of numbers are one column each of this value of the pipeline, in the graph's order. */
static bool are_columns(const hb_onnx_file *file, const outputs *o, size_t value)
{
    uint32_t column = 0;

    for (size_t i = 0; i < file->n_outputs; i++) {
        const hb_onnx_value *output = hb_onnx_named(file, file->outputs[i].name);

        if (is_label(output))
            continue;
        if (output->width != 1 || output->value != value || !output->columns || output->columns[0] != column++)
            return false;
    }
    return column == o->label->n_classes;
}

/* The numbers of the label's classifier may be an output for each class (skl2onnx: zipmap "columns"). */
static void join_columns(const hb_onnx_file *file, outputs *o)
{
    const hb_onnx_node *model = o->label->model;
    const hb_onnx_value *numbers = model && model->n_outputs > 1 ? hb_onnx_named(file, model->outputs[1]) : NULL;

    if (o->n_labels != 1 || !numbers || !are_columns(file, o, numbers->is_pair ? numbers->written : numbers->value))
        return;
    o->numbers = numbers;
    o->n_numbers = 1;
}

/* A label, and the first numbers that go with it: others beside them are no model's that hbscore could name. */
static hbs_status pair_outputs(hb_onnx_file *file, outputs *o)
{
    char list[LIST];

    for (size_t i = 0; i < file->n_outputs; i++) {
        const hb_onnx_value *value = hb_onnx_named(file, file->outputs[i].name);

        if (is_label(value) || !belongs(file, o->label, value))
            continue;
        o->numbers = value;
        o->numbers_port = &file->outputs[i];
        break;
    }
    join_columns(file, o);
    if (o->n_labels > 1)
        return hb_fail(file->error, HBS_E_UNSUPPORTED,
                       "the graph has several labels, %s: choose one by the option outputs, as {\"label\": ..., "
                       "\"probabilities\": ...}",
                       list_outputs(file, true, list, LIST));
    if (o->n_numbers > 1)
        return hb_fail(file->error, HBS_E_UNSUPPORTED,
                       "the graph has several outputs of numbers beside a label, %s: choose by the option outputs, as "
                       "{\"label\": ..., \"probabilities\": ...} or {\"values\": ...}",
                       list_outputs(file, false, list, LIST));
    return HBS_OK;
}

hbs_status hb_onnx_outputs_build(hb_onnx_file *file)
{
    outputs o = {0};

    if (file->n_outputs <= MOST_TO_PAIR)
        HB_TRY(name_places(file));
    if (file->options->outputs_given) {
        HB_TRY(choose_outputs(file, &o));
    } else {
        for (size_t i = 0; i < file->n_outputs; i++)
            HB_TRY(sort_output(file, &file->outputs[i], &o));
        if (!o.label && !o.numbers)
            return hb_fail(file->error, HBS_E_FORMAT, "the graph has no output");
        if (o.label)
            HB_TRY(pair_outputs(file, &o));
    }
    return o.label ? build_classifier(file, &o) : build_numbers(file, &o);
}
