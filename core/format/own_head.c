/* own_head.c - the head of hbscore's own format: what the answers of a classifier are. */
#include <float.h>
#include <math.h>

#include "format/own.h"

typedef enum rule { GT0, GE0, HALF, ARGMAX, ARGMAX_PROBA, LABEL, FLAGS, FLAGS_PROBA, OUTPUTS } rule;

static const char *const rules[] = {"gt0",   "ge0",   "half",        "argmax", "argmax_proba",
                                    "label", "flags", "flags_proba", "outputs"};

enum { N_RULES = sizeof(rules) / sizeof(rules[0]) };

static bool is_of_probabilities(rule rule)
{
    return rule == HALF || rule == ARGMAX_PROBA || rule == FLAGS_PROBA;
}

/* The input that the rule reads: the last of three, or of raw scores and probabilities its own. */
static const hb_own_value *read_by(const hb_own_reading *r, rule rule)
{
    return r->in[r->n_in == 3 || is_of_probabilities(rule) ? r->n_in - 1 : 0];
}

/* The answers that head names: in[0] and in[1], one value where there are no others. That is of probabilities where a
 * second input or the rule says so, except where a third one decides under a rule of raw scores. */
static void name_answers(hb_own_reading *r, rule rule)
{
    hb_pipeline *pipeline = r->file->pipeline;
    size_t second = r->n_in > 1 ? 1 : 0;
    bool only_raw = r->n_in == 3 && r->in[0]->value == r->in[1]->value;

    if (is_of_probabilities(rule) || (r->n_in > 1 && !only_raw))
        pipeline->probabilities = r->in[second]->value;
    if (r->in[0]->value != pipeline->probabilities)
        pipeline->raw = r->in[0]->value;
}

static size_t add_head(hb_own_reading *r, const hb_own_value *reads, const hb_fit_head *fit)
{
    size_t made = hb_pipeline_add(r->file->pipeline, HB_OPERATOR_HEAD, reads->value, fit);

    r->made = (hb_own_value){.value = made, .width = reads->width, .is_label = true};
    r->file->answered = true;
    return made;
}

/* ---- one output */

/* One number for two classes, or one for each. */
static bool is_score(const hb_own_reading *r, size_t i)
{
    size_t n = r->file->pipeline->n_classes;

    return r->in[i]->width == n || (r->in[i]->width == 1 && n == 2);
}

/* Raw scores may be one for each pair of classes, if a third input decides. */
static bool is_of_pairs(const hb_own_reading *r, size_t i)
{
    size_t n = r->file->pipeline->n_classes;

    return r->n_in == 3 && (i == 0 || (i == 1 && r->in[1]->value == r->in[0]->value)) &&
           r->in[i]->width == n * (n - 1) / 2;
}

/* NULL: the rule suits what it reads. */
static const char *unsuited(const hb_own_reading *r, rule rule)
{
    size_t width = read_by(r, rule)->width;
    bool has_one_class = r->file->pipeline->n_classes == 1;

    if ((rule == GT0 || rule == GE0 || rule == HALF) && has_one_class)
        return "head: the rule needs two classes";
    if ((rule == GT0 || rule == GE0) && width != 1)
        return "head: the rule needs one score";
    if (rule == HALF && width != 1)
        return "head: the rule needs one probability";
    if (rule == ARGMAX && width == 1 && !has_one_class)
        return "head: argmax of one score";
    if (rule == LABEL && ((width == 1 && !has_one_class) || r->n_in != 1))
        return "head: the rule needs one input, a score for each class";
    return NULL;
}

static bool read_one(hb_own_reading *r, rule rule)
{
    hb_pipeline *pipeline = r->file->pipeline;
    const char *wrong = unsuited(r, rule);
    hb_fit_head fit = {.logit = false};

    for (size_t i = 0; i < r->n_in; i++)
        if (pipeline->n_classes == 0 || (!is_score(r, i) && !is_of_pairs(r, i)))
            return hb_own_fail(r, "head: the scores are not those of the classes");
    if (wrong)
        return hb_own_fail(r, wrong);
    if (rule != LABEL)
        name_answers(r, rule);
    fit.rule = rule == ARGMAX || rule == ARGMAX_PROBA || rule == LABEL ? HB_HEAD_ARGMAX : HB_HEAD_GREATER;
    fit.threshold = rule == HALF ? 0.5 : rule == GE0 ? -DBL_TRUE_MIN : 0; /* >= 0 is > the number below it */
    pipeline->label = add_head(r, read_by(r, rule), &fit);
    r->made.width = 1;
    return true;
}

/* ---- several outputs */

/* Each is 0 or 1; there are no classes. */
static bool read_flags(hb_own_reading *r, rule rule)
{
    hb_pipeline *pipeline = r->file->pipeline;
    hb_fit_head fit = {.rule = HB_HEAD_FLAGS, .threshold = rule == FLAGS_PROBA ? 0.5 : 0};

    if (pipeline->n_classes > 0 || pipeline->n_targets > 0)
        return hb_own_fail(r, "head: flags of a model with classes");
    for (size_t i = 1; i < r->n_in; i++)
        if (r->in[i]->width != r->in[0]->width)
            return hb_own_fail(r, "head: the inputs have not one number for each output");
    name_answers(r, rule);
    pipeline->values = add_head(r, read_by(r, rule), &fit);
    return true;
}

static double number_of(const hbs_value *label)
{
    return label->type == HBS_FLOAT64 ? label->as.f64
           : label->type == HBS_BOOL  ? (double)label->as.boolean
                                      : (double)label->as.i64;
}

static uint32_t target_begin(const hb_pipeline *pipeline, size_t k)
{
    return k == 0 ? 0 : pipeline->target_ends[k - 1];
}

/* Labels at the places of an output, one row of `most` numbers each; what is behind the last is NaN. */
static bool look_up_labels(hb_own_reading *r, const hb_own_value *places)
{
    hb_pipeline *pipeline = r->file->pipeline;
    size_t n = pipeline->n_targets, most = 0;
    uint32_t *first = hb_arena_array(&pipeline->arena, n, sizeof(*first));
    double *numbers;

    for (size_t k = 0; k < n; k++)
        if (pipeline->target_ends[k] - target_begin(pipeline, k) > most)
            most = pipeline->target_ends[k] - target_begin(pipeline, k);
    if (!hb_document_goes_on(r->file->d, n * most))
        return false;
    numbers = hb_arena_array(&pipeline->arena, n * most, sizeof(*numbers));
    if (!first || !numbers)
        return hb_document_no_memory(r->file->d);
    for (size_t k = 0; k < n; k++) {
        uint32_t begin = target_begin(pipeline, k), count = pipeline->target_ends[k] - begin;

        first[k] = (uint32_t)(k * most);
        for (size_t i = 0; i < most; i++)
            numbers[k * most + i] = i < count ? number_of(&pipeline->target_labels[begin + i]) : (double)NAN;
    }
    pipeline->values = hb_pipeline_add(
        pipeline, HB_OPERATOR_LOOK_UP, places->value,
        &(hb_fit_look_up){
            .n_outputs = n, .n_places = most, .step = 1, .first = first, .n_numbers = n * most, .numbers = numbers});
    return true;
}

/* in: the places of the labels, behind the probabilities of all outputs' labels where there are any. */
static bool read_outputs(hb_own_reading *r)
{
    hb_pipeline *pipeline = r->file->pipeline;
    size_t n = pipeline->n_targets;
    const hb_own_value *places = r->in[r->n_in - 1];

    if (n == 0 || r->n_in > 2)
        return hb_own_fail(r, "head: the rule needs the member outputs, and one or two inputs");
    if (places->width != n || (r->n_in == 2 && r->in[0]->width != pipeline->target_ends[n - 1]))
        return hb_own_fail(r,
                           "head: the places are not those of the outputs, or the probabilities not of their labels");
    if (r->n_in == 2)
        pipeline->probabilities = r->in[0]->value;
    if (pipeline->targets_are_places)
        pipeline->values = places->value;
    else if (!look_up_labels(r, places))
        return false;
    r->made = (hb_own_value){.value = pipeline->values, .width = n, .is_label = true};
    r->file->answered = true;
    return true;
}

bool hb_own_read_head(hb_own_reading *r)
{
    size_t word = hb_own_word(r->file, "rule", rules, N_RULES);
    rule rule = (enum rule)word;

    if (word == SIZE_MAX)
        return false;
    if (rule == OUTPUTS)
        return read_outputs(r);
    return rule == FLAGS || rule == FLAGS_PROBA ? read_flags(r, rule) : read_one(r, rule);
}
