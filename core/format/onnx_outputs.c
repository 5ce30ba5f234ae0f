/* onnx_outputs.c - the outputs of an ONNX file: a label with the scores or probabilities of the same classifier, or
 * numbers. */
#include "format/apply_options.h"
#include "format/onnx.h"
#include "ir/labels.h"

typedef struct outputs {
    const hb_onnx_value *label, *numbers; /* NULL: there is none; the first ones */
    const hb_onnx_port *first, *second;   /* that are numbers */
    size_t n_numbers, width;              /* of all that are */
} outputs;

static hbs_status refuse(hb_onnx_file *file, const hb_onnx_port *output, hbs_status status, const char *why)
{
    char name[HB_EXCERPT_BUFFER];

    return hb_fail_at(file->error, status, output->at, "output \"%s\": %s", HB_SHOW(output->name, name), why);
}

static hbs_status sort_output(hb_onnx_file *file, const hb_onnx_port *output, outputs *o)
{
    const hb_onnx_value *value = hb_onnx_named(file, output->name);
    bool is_label = value && value->form == HB_ONNX_LABEL;

    HB_TRY(hb_worked(file->bytes.work, 16, file->error));
    if (!value || value->form == HB_ONNX_NOTHING)
        return refuse(file, output, HBS_E_FORMAT, "nothing in the file makes it");
    if (value->form == HB_ONNX_CONSTANT)
        return refuse(file, output, HBS_E_UNSUPPORTED, "it is the same for every row");
    if (!is_label && value->type == HB_ONNX_STRING)
        return refuse(file, output, HBS_E_UNSUPPORTED, "it is texts of the row");
    if (is_label && o->label)
        return refuse(file, output, HBS_E_UNSUPPORTED,
                      "hbscore reads one output of labels: convert the model without the others");
    if (is_label) {
        o->label = value;
        return HBS_OK;
    }
    if (o->n_numbers++ == 0) {
        o->numbers = value;
        o->first = output;
    } else if (!o->second) {
        o->second = output;
    }
    o->width += value->width;
    return o->width <= HB_MAX_OUTPUTS ? HBS_OK : refuse(file, output, HBS_E_LIMIT, "the outputs have too many columns");
}

/* ---- a label that the graph looks up at the place of the largest of some numbers */

/* True if a product, perhaps with a bias, made the numbers: they are scores, also under the name "probabilities". */
static bool is_score(const hb_onnx_file *file, const hb_onnx_value *numbers)
{
    const hb_graph *graph = &file->pipeline->graph;
    const hb_node *node = hb_node_at(graph, numbers->value);

    while (node->kind == HB_OPERATOR_COMBINE || node->kind == HB_OPERATOR_WIDEN) {
        if (node->kind == HB_OPERATOR_COMBINE && ((const hb_fit_combine *)node->fit)->function != HB_COMBINE_ADD)
            return false;
        node = hb_node_at(graph, node->inputs[0]);
    }
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
        return refuse(file, o->first, HBS_E_UNSUPPORTED, "it is not what the label is told from");
    pipeline->task = HBS_CLASSIFIER;
    HB_TRY(hb_apply_classes(pipeline, file->options, label->classes, label->n_classes, file->error));
    pipeline->label = hb_pipeline_add(pipeline, HB_OPERATOR_HEAD, label->value, &label->head);
    if (numbers && !is_score(file, numbers))
        pipeline->probabilities = hb_onnx_selected(file, numbers);
    if (!same || !pipeline->probabilities)
        pipeline->raw = label->value;
    return HBS_OK;
}

/* ---- a classifier */

static hbs_status build_classifier(hb_onnx_file *file, const outputs *o)
{
    hb_pipeline *pipeline = file->pipeline;
    const hb_onnx_value *label = o->label, *numbers = o->numbers;

    if (label->place_of)
        return build_looked_up(file, o);
    if (numbers && (numbers->model != label->model || numbers->columns))
        return refuse(file, o->first, HBS_E_UNSUPPORTED, "it is not what the classifier of the label gives");
    pipeline->task = HBS_CLASSIFIER;
    HB_TRY(hb_apply_classes(pipeline, file->options, label->classes, label->n_classes, file->error));
    pipeline->raw = label->value;
    pipeline->label = hb_pipeline_add(pipeline, HB_OPERATOR_HEAD, label->value, &label->head);
    if (numbers && numbers->meaning == HB_ONNX_PROBABILITIES)
        pipeline->probabilities = numbers->value;
    return HBS_OK;
}

/* All outputs side by side, in the order of the graph. */
static hbs_status build_joined(hb_onnx_file *file, const outputs *o)
{
    uint32_t *inputs = hb_arena_array(&file->arena, o->n_numbers, sizeof(*inputs));
    size_t n = 0;

    if (!inputs)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < file->n_outputs; i++) {
        const hb_onnx_value *value = hb_onnx_named(file, file->outputs[i].name);

        if (value->model)
            return refuse(file, &file->outputs[i], HBS_E_UNSUPPORTED, "it is of a classifier, beside other outputs");
        inputs[n++] = (uint32_t)hb_onnx_wide(file, value);
    }
    file->pipeline->values = hb_pipeline_add_of(file->pipeline, HB_OPERATOR_CONCAT, inputs, n, NULL);
    return HBS_OK;
}

static hbs_status build_numbers(hb_onnx_file *file, const outputs *o)
{
    hb_pipeline *pipeline = file->pipeline;
    const hb_onnx_value *numbers = o->numbers;
    size_t value;

    if (numbers->model)
        return refuse(file, o->first, HBS_E_UNSUPPORTED,
                      "it is of a classifier, whose label is not among the outputs: convert the model with its label");
    if (file->options->classes)
        return hb_fail(file->error, HBS_E_ARGS, "option classes: a model that gives no label has none");
    pipeline->task = HBS_REGRESSOR;
    if (o->n_numbers > 1)
        return build_joined(file, o);
    value = hb_onnx_selected(file, numbers);
    if (numbers->width == 1)
        pipeline->value = value;
    else
        pipeline->values = value;
    return HBS_OK;
}

hbs_status hb_onnx_outputs_build(hb_onnx_file *file)
{
    outputs o = {0};

    for (size_t i = 0; i < file->n_outputs; i++)
        HB_TRY(sort_output(file, &file->outputs[i], &o));
    if (!o.label && !o.numbers)
        return hb_fail(file->error, HBS_E_FORMAT, "the graph has no output");
    if (o.label && o.second)
        return refuse(file, o.second, HBS_E_UNSUPPORTED,
                      "hbscore reads one output of numbers beside a label: convert the model without the others");
    return o.label ? build_classifier(file, &o) : build_numbers(file, &o);
}
