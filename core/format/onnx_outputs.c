/* onnx_outputs.c - the outputs of an ONNX file: a label with the scores or probabilities of the same classifier, or
 * numbers. */
#include "format/apply_options.h"
#include "format/onnx.h"

typedef struct outputs {
    const hb_onnx_value *label, *numbers; /* NULL: there is none */
    const hb_onnx_port *first;            /* that is numbers */
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
    if (is_label ? o->label != NULL : o->numbers != NULL)
        return refuse(file, output, HBS_E_UNSUPPORTED,
                      "hbscore reads one output of labels and one of numbers: convert the model without the others");
    *(is_label ? &o->label : &o->numbers) = value;
    if (!is_label)
        o->first = output;
    return HBS_OK;
}

static hbs_status build_classifier(hb_onnx_file *file, const outputs *o)
{
    hb_pipeline *pipeline = file->pipeline;
    const hb_onnx_value *label = o->label, *numbers = o->numbers;

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
    return o.label ? build_classifier(file, &o) : build_numbers(file, &o);
}
