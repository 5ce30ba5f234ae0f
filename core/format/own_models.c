/* own_models.c - the operators of hbscore's own format that predict: models, and what their scores become. */
#include <float.h>
#include <math.h>

#include "format/own.h"

/* ---- models */

/* -infinity: a class whose prior probability is 0. */
static bool check_intercept(const hb_own_reading *r, const hb_own_array *intercept)
{
    for (size_t i = 0; i < intercept->count; i++)
        if (isnan(((const double *)intercept->items)[i]))
            return hb_own_fail(r, "linear: an intercept is NaN");
    return true;
}

bool hb_own_read_linear(hb_own_reading *r)
{
    hb_operator op = {.kind = HB_OPERATOR_DENSE, .input = r->in[0]->value};
    hb_dense_model *dense = hb_arena_array(&r->file->pipeline->arena, 1, sizeof(*dense));
    hb_own_array coefficients, intercept;

    if (!dense)
        return hb_document_no_memory(r->file->d);
    if (!hb_own_array_read(r->file, "coef", HB_OWN_F8, 2, &coefficients) ||
        !hb_own_array_read(r->file, "intercept", HB_OWN_F8, 1, &intercept))
        return false;
    if (coefficients.shape[1] != r->in[0]->width || coefficients.shape[0] != intercept.count || intercept.count == 0 ||
        intercept.count > HB_MAX_OUTPUTS)
        return hb_own_fail(r, "linear: coef is not [outputs, features], or intercept not [outputs]");
    if (!hb_own_check_finite(r, &coefficients, "linear: a coefficient is not finite") ||
        !check_intercept(r, &intercept))
        return false;
    *dense = (hb_dense_model){coefficients.shape[1], intercept.count, coefficients.items, intercept.items};
    op.dense = dense;
    hb_own_adds(r->file);
    return hb_own_add(r, &op, intercept.count);
}

/* A second input is what the sums start from, in place of init. */
static bool start_from(const hb_own_reading *r, hb_operator *op)
{
    size_t *start = hb_arena_array(&r->file->pipeline->arena, 1, sizeof(*start));

    if (!start)
        return hb_document_no_memory(r->file->d);
    if (r->in[1]->width != op->forest->n_outputs)
        return hb_own_fail(r, "forest: the second input has not one number for each output");
    for (size_t o = 0; o < op->forest->n_outputs; o++)
        if (op->base[o] != 0)
            return hb_own_fail(r, "forest: init is not 0, though a second input starts the sums");
    *start = r->in[1]->value;
    op->inputs = start;
    op->n_inputs = 1;
    return true;
}

bool hb_own_read_forest(hb_own_reading *r)
{
    hb_operator op;
    double divisor;

    if (!hb_own_forest_read(r->file, r->in[0]->value, r->in[0]->width, &op, &divisor))
        return false;
    if (r->n_in == 2 && !start_from(r, &op)) {
        hb_forest_model_release(op.forest);
        return false;
    }
    hb_own_add(r, &op, op.forest->n_outputs);
    if (divisor != 1)
        hb_own_add(r, &(hb_operator){.kind = HB_OPERATOR_AVERAGE, .input = r->made.value, .number = divisor},
                   r->made.width);
    return true;
}

/* ---- outputs */

bool hb_own_read_link(hb_own_reading *r)
{
    static const char *const kinds[] = {"sigmoid",        "sigmoid2", "softmax", "softmax_pm", "ovr",       "logsumexp",
                                        "modified_huber", "exp",      "relu",    "tanh",       "difference"};
    static const struct {
        hb_link_kind link;
        double number;
    } links[] = {{HB_LINK_SIGMOID, 1},        {HB_LINK_SIGMOID, 2},     {HB_LINK_SOFTMAX, 0},
                 {HB_LINK_SOFTMAX_PAIR, 0},   {HB_LINK_ONE_VS_REST, 0}, {HB_LINK_LOGSUMEXP, 0},
                 {HB_LINK_MODIFIED_HUBER, 0}, {HB_LINK_EXP, 0},         {HB_LINK_RELU, 0},
                 {HB_LINK_TANH, 0},           {HB_LINK_DIFFERENCE, 0}};
    size_t kind = hb_own_word(r->file, "kind", kinds, sizeof(kinds) / sizeof(kinds[0]));
    hb_operator op = {.kind = HB_OPERATOR_LINK, .input = r->in[0]->value};

    if (kind == SIZE_MAX)
        return false;
    op.link = links[kind].link;
    op.number = links[kind].number;
    return hb_own_add(r, &op,
                      op.link == HB_LINK_SOFTMAX_PAIR ? 2
                      : op.link == HB_LINK_DIFFERENCE ? 1
                                                      : r->in[0]->width);
}

typedef enum rule { GT0, GE0, HALF, ARGMAX, ARGMAX_PROBA } rule;

/* One number for two classes, or one for each. */
static bool is_score(const hb_own_reading *r, size_t i)
{
    size_t n = r->file->pipeline->n_classes;

    return r->in[i]->width == n || (r->in[i]->width == 1 && n == 2);
}

/* in: raw scores, and the probabilities where the model has them; the same value twice, or one alone under
 * a rule of probabilities: it has no raw scores. */
bool hb_own_read_head(hb_own_reading *r)
{
    static const char *const rules[] = {"gt0", "ge0", "half", "argmax", "argmax_proba"};
    hb_pipeline *pipeline = r->file->pipeline;
    size_t rule = hb_own_word(r->file, "rule", rules, sizeof(rules) / sizeof(rules[0]));
    bool by_proba = rule == HALF || rule == ARGMAX_PROBA;
    size_t last = r->n_in - 1;
    hb_operator op = {.kind = HB_OPERATOR_HEAD};

    if (rule == SIZE_MAX)
        return false;
    if (pipeline->n_classes == 0 || !is_score(r, 0) || !is_score(r, last))
        return hb_own_fail(r, "head: the scores are not those of the classes");
    if ((rule == GT0 || rule == GE0) && r->in[0]->width != 1)
        return hb_own_fail(r, "head: the rule needs one score");
    if (rule == HALF && r->in[last]->width != 1)
        return hb_own_fail(r, "head: the rule needs one probability");
    if (rule == ARGMAX && r->in[0]->width == 1)
        return hb_own_fail(r, "head: argmax of one score");
    if (r->n_in == 2 || by_proba)
        pipeline->probabilities = r->in[last]->value;
    if (r->in[0]->value != pipeline->probabilities)
        pipeline->raw = r->in[0]->value;
    op.input = by_proba ? r->in[last]->value : r->in[0]->value;
    op.rule = rule == ARGMAX || rule == ARGMAX_PROBA ? HB_HEAD_ARGMAX : HB_HEAD_GREATER;
    op.number = rule == HALF ? 0.5 : rule == GE0 ? -DBL_TRUE_MIN : 0; /* >= 0 is > the number below it */
    hb_own_add(r, &op, 1);
    r->made.is_label = true;
    pipeline->label = r->made.value;
    r->file->answered = true;
    return true;
}
