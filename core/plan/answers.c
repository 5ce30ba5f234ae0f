/* answers.c - which SQL function a model answers with which output, and its classes by label. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/sort.h"
#include "ir/labels.h"
#include "plan/run.h"

static bool has_output(const hbs_run *run, uint32_t output)
{
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (1u << i == output)
            return run->plan->results[i].width > 0;
    return false;
}

static const char *kind_of(const hbs_run *run)
{
    switch ((hbs_task)run->plan->task) {
    case HBS_CLASSIFIER:
        return "a classifier";
    case HBS_RANKER:
        return "a ranking model";
    case HBS_TRANSFORMER:
        return "a transformer";
    case HBS_REGRESSOR:
        break;
    }
    return "a regression model";
}

/* Asks for the output `wanted`, if the model has it; else the error names the function `instead`. */
static hbs_status ask_output(const hbs_run *run, uint32_t wanted, const char *what, const char *instead,
                             uint32_t *outputs, hbs_error *error)
{
    *outputs = wanted;
    if (has_output(run, wanted))
        return HBS_OK;
    return hb_run_fail(run, error, HBS_E_TYPE, "%s without %s: use %s", kind_of(run), what, instead);
}

static hbs_status ask_predict(const hbs_run *run, uint32_t *outputs, hbs_error *error)
{
    if (run->plan->targets_are_places)
        return hb_run_fail(run, error, HBS_E_TYPE, "it has several outputs, whose labels are texts: use predict_json");
    if (has_output(run, HBS_OUT_VALUES))
        return hb_run_fail(run, error, HBS_E_TYPE, "it has several outputs: use predict_values (a list)");
    return ask_output(run, has_output(run, HBS_OUT_LABEL) ? HBS_OUT_LABEL : HBS_OUT_VALUE, "a prediction", "transform",
                      outputs, error);
}

/* All but the transform: that is no answer about the row, and may be there where the rest is not. */
static hbs_status ask_json(const hbs_run *run, uint32_t *outputs, hbs_error *error)
{
    *outputs = 0;
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (run->plan->results[i].width > 0 && 1u << i != HBS_OUT_TRANSFORM)
            *outputs |= 1u << i;
    return *outputs ? HBS_OK : ask_predict(run, outputs, error);
}

hbs_status hb_run_outputs(const hbs_run *run, hbs_function function, uint32_t *outputs, hbs_error *error)
{
    const char *plain = run->plan->targets_are_places        ? "predict_json"
                        : has_output(run, HBS_OUT_VALUES)    ? "predict_values"
                        : run->plan->task == HBS_TRANSFORMER ? "transform"
                                                             : "predict";

    switch (function) {
    case HBS_PREDICT:
        return ask_predict(run, outputs, error);
    case HBS_PREDICT_LABEL:
        return ask_output(run, HBS_OUT_LABEL, "one class label", plain, outputs, error);
    case HBS_PREDICT_PROBABILITY:
    case HBS_PREDICT_PROBABILITIES:
    case HBS_PREDICT_TOP:
        if (run->plan->n_classes == 0)
            return ask_output(run, HBS_OUT_LABEL, "classes",
                              has_output(run, HBS_OUT_PROBABILITIES) ? "predict_proba" : plain, outputs, error);
        return ask_output(run, HBS_OUT_PROBABILITIES, "probabilities", "predict_label or decision_function", outputs,
                          error);
    case HBS_PREDICT_PROBA:
        return ask_output(run, HBS_OUT_PROBABILITIES, "probabilities",
                          has_output(run, HBS_OUT_LABEL) ? "predict_label or decision_function" : plain, outputs,
                          error);
    case HBS_PREDICT_VALUES:
        if (run->plan->targets_are_places)
            return ask_predict(run, outputs, error);
        return ask_output(run, HBS_OUT_VALUES, "several outputs", plain, outputs, error);
    case HBS_DECISION_FUNCTION:
        return ask_output(run, HBS_OUT_RAW, "raw scores", plain, outputs, error);
    case HBS_PREDICT_JSON:
        return ask_json(run, outputs, error);
    case HBS_TRANSFORM:
        return ask_output(run, HBS_OUT_TRANSFORM, "steps that transform", plain, outputs, error);
    }
    return hb_run_fail(run, error, HBS_E_ARGS, "unknown function");
}

static const char *const functions[] = {
    [HBS_PREDICT] = "predict",
    [HBS_PREDICT_LABEL] = "predict_label",
    [HBS_PREDICT_PROBABILITY] = "predict_probability",
    [HBS_PREDICT_PROBA] = "predict_proba",
    [HBS_PREDICT_VALUES] = "predict_values",
    [HBS_DECISION_FUNCTION] = "decision_function",
    [HBS_PREDICT_JSON] = "predict_json",
    [HBS_TRANSFORM] = "transform",
    [HBS_PREDICT_PROBABILITIES] = "predict_probabilities",
    [HBS_PREDICT_TOP] = "predict_top",
};

hbs_status hb_function_read(hbs_text name, hbs_function *function, hbs_error *error)
{
    char list[HBS_ERROR_TEXT / 2], shown[HB_EXCERPT_BUFFER];
    size_t n = sizeof(functions) / sizeof(functions[0]), used = 0;

    for (size_t i = 0; i < n; i++) {
        if (hb_text_is(name, functions[i])) {
            *function = (hbs_function)i;
            return HBS_OK;
        }
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", functions[i]);
    }
    return hb_fail(error, HBS_E_ARGS, "no scoring function \"%s\": it is one of %s", HB_SHOW(name, shown), list);
}

/* ---- classes */

static void list_classes(const hbs_run *run, char *list, size_t size)
{
    size_t used = 0;

    list[0] = 0;
    for (size_t i = 0; i < run->plan->n_classes; i++) {
        hbs_value label = hb_plan_class_label(run->plan, i);
        char buffer[32], shown[HB_EXCERPT_BUFFER];

        if (used + 120 > size) {
            snprintf(list + used, size - used, ", ..");
            return;
        }
        hb_escape(hb_label_text(&label, buffer), 24, shown, sizeof(shown));
        used += (size_t)snprintf(list + used, size - used, "%s%s", i ? ", " : "", shown);
    }
}

hbs_status hb_run_class(const hbs_run *run, const hbs_value *label, size_t *index, hbs_error *error)
{
    char list[320], buffer[32], shown[HB_EXCERPT_BUFFER];
    hbs_value wanted = *label;

    if (wanted.type == HBS_FLOAT32)
        wanted = (hbs_value){.type = HBS_FLOAT64, .as.f64 = (double)label->as.f32};
    if (wanted.type == HBS_DECIMAL)
        wanted.type = HBS_TEXT; /* a text is compared with a number digit by digit */
    for (size_t i = 0; wanted.type != HBS_NULL && i < run->plan->n_classes; i++) {
        hbs_value have = hb_plan_class_label(run->plan, i);

        if (hb_label_equal(&wanted, &have)) {
            *index = i;
            return HBS_OK;
        }
    }
    list_classes(run, list, sizeof(list));
    if (wanted.type == HBS_NULL)
        return hb_run_fail(run, error, HBS_E_ARGS, "the class is NULL; its classes are %s", list);
    return hb_run_fail(run, error, HBS_E_NOENT, "no class \"%s\"; its classes are %s",
                       HB_SHOW(hb_label_text(&wanted, buffer), shown), list);
}

/* ---- the most probable classes */

hbs_status hb_run_top(const hbs_run *run, const hbs_value *k, size_t *n, hbs_error *error)
{
    size_t classes = run->plan->n_classes;
    char number[32], shown[HB_EXCERPT_BUFFER] = "no number";
    int64_t whole = 0;

    if (k->type == HBS_INT64)
        whole = k->as.i64;
    else if (k->type == HBS_FLOAT64 && !hb_is_whole(k->as.f64, &whole))
        whole = 0;
    if (whole < 1) {
        if (k->type == HBS_INT64 || k->type == HBS_FLOAT64)
            HB_SHOW(hb_label_text(k, number), shown);
        else if (k->type == HBS_NULL)
            snprintf(shown, sizeof(shown), "NULL");
        return hb_run_fail(
            run, error, HBS_E_ARGS,
            "k, the number of best classes that predict_top gives, is %s: it must be a whole number from "
            "1 on",
            shown);
    }
    *n = whole < (int64_t)classes ? (size_t)whole : classes;
    return HBS_OK;
}

/* The larger probability first, a NaN last, else the class's own place. */
static int compare_probabilities(const void *context, uint32_t a, uint32_t b)
{
    const double *p = context;
    bool a_is_nan = p[a] != p[a], b_is_nan = p[b] != p[b];

    if (a_is_nan != b_is_nan)
        return a_is_nan ? 1 : -1;
    if (p[a] > p[b] || p[a] < p[b])
        return p[a] > p[b] ? -1 : 1;
    return (a > b) - (a < b);
}

hbs_status hb_best_classes(hbs_run *run, const hbs_result *result, size_t row, size_t n, uint32_t *classes,
                           hbs_error *error)
{
    size_t width = run->plan->n_classes; /* and that of the probabilities: hb_run_outputs */
    hb_work *work = &run->memory.work;

    if (hb_sort_first(classes, n, width, compare_probabilities, result->probabilities + row * width, work))
        return HBS_OK;
    return hb_work_status(work, error);
}
