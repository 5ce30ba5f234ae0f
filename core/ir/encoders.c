/* encoders.c - categories to numbers, and to columns of 0 and 1. */
#include <string.h>

#include "base/number.h"
#include "ir/meaning.h"

static hbs_status check_encoder(const hb_pipeline *pipeline, const hb_node *node, const hb_encoder *encoder,
                                hbs_error *error)
{
    HB_CHECK(encoder->n_columns == hb_input_width(&pipeline->graph, node), error);
    HB_CHECK(encoder->width > 0 && encoder->width <= HB_MAX_OUTPUTS, error);
    for (size_t c = 0; c < encoder->n_columns; c++) {
        const hb_encoder_column *column = &encoder->columns[c];

        HB_CHECK((uint64_t)column->first + column->count <= encoder->n_values, error);
        for (uint32_t i = column->first + 1; i < column->first + column->count; i++) {
            HB_TRY(hb_worked(&pipeline->arena.memory->work, 1, error));
            HB_CHECK(encoder->values[i - 1] < encoder->values[i], error);
        }
    }
    return HBS_OK;
}

/* Which columns are looked at is found at the end. */
static hbs_status add_looks_at(hb_pipeline *pipeline, const hb_node *node, uint8_t **looks_at, hbs_error *error)
{
    *looks_at = hb_arena_array(&pipeline->arena, hb_input_width(&pipeline->graph, node), sizeof(**looks_at));
    return *looks_at ? HBS_OK : hb_no_memory(pipeline->arena.memory, error);
}

/* NULL: each asker that the model has outputs for looks at each column. */
static const uint8_t *asked_of(const hb_lowering *l, const uint8_t *looks_at)
{
    const hb_pipeline *p = l->pipeline;
    bool predicts = p->raw || p->value || p->values || p->probabilities || p->label;
    uint8_t all = hb_asked_by(HB_FOR_PREDICTIONS, predicts) | hb_asked_by(HB_FOR_TRANSFORM, p->transform != 0);

    for (size_t c = 0; c < hb_input_width(&p->graph, l->node); c++)
        if (looks_at[c] != all)
            return looks_at;
    return NULL;
}

/* Every output of a column is among its own columns of the result. */
static hbs_status validate_onehot(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    hb_fit_onehot *fit = node->fit;
    const hb_encoder *encoder = &fit->model;

    HB_TRY(check_encoder(pipeline, node, encoder, error));
    for (size_t c = 0; c < encoder->n_columns; c++) {
        const hb_encoder_column *column = &encoder->columns[c];
        size_t end = c + 1 < encoder->n_columns ? column[1].base : encoder->width;
        int64_t most = (int64_t)end - (int64_t)column->base;

        HB_CHECK(most >= 0 && column->missing < most && column->unknown < most, error);
        for (uint32_t i = column->first; i < column->first + column->count; i++) {
            HB_TRY(hb_worked(&pipeline->arena.memory->work, 1, error));
            HB_CHECK(encoder->outputs[i] < most, error);
        }
    }
    return add_looks_at(pipeline, node, &fit->looks_at, error);
}

static void onehot_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_onehot *)node->fit)->model.width;
}

static bool can_refuse(const hb_encoder_column *column)
{
    return column->missing <= HB_OUTPUT_REFUSE || column->unknown <= HB_OUTPUT_REFUSE;
}

static bool is_looked_at(const uint8_t *asked, size_t c, hb_asker asker)
{
    return !asked || hb_asked(asked[c], asker);
}

static void state_refuses(hb_lowering *l, uint32_t added, const hb_encoder *encoder, const uint8_t *asked)
{
    hb_node *node = l->graph->status == HBS_OK ? hb_node_at(l->graph, added) : NULL;

    for (size_t c = 0; node && c < encoder->n_columns; c++)
        for (int a = 0; a < HB_N_ASKERS; a++)
            if (can_refuse(&encoder->columns[c]) && is_looked_at(asked, c, (hb_asker)a))
                node->refuses |= hb_outputs_of((hb_asker)a);
}

/* A column of each category that may refuse a row, if none of them is live; one without any needs none to do so. */
static void keep_onehot(const hb_node *node, hb_asker asker, uint8_t *live)
{
    const hb_fit_onehot *fit = node->fit;
    const hb_encoder *encoder = &fit->model;

    for (size_t c = 0; c < encoder->n_columns; c++) {
        size_t end = c + 1 < encoder->n_columns ? encoder->columns[c + 1].base : encoder->width;
        size_t first = encoder->columns[c].base;

        if (can_refuse(&encoder->columns[c]) && is_looked_at(fit->asked, c, asker) && first < end &&
            !memchr(live + first, 1, end - first))
            live[first] = 1;
    }
}

static void keep_recode(const hb_node *node, hb_asker asker, uint8_t *live)
{
    const hb_fit_recode *fit = node->fit;

    for (size_t c = 0; c < fit->model.n_columns; c++)
        live[c] |= can_refuse(&fit->model.columns[c]) && is_looked_at(fit->asked, c, asker);
}

static uint32_t lower_onehot(hb_lowering *l)
{
    hb_fit_onehot fit = *(const hb_fit_onehot *)l->node->fit;
    uint32_t added;

    fit.asked = asked_of(l, fit.looks_at);
    added = hb_lower_one(l, HB_OPERATOR_ONEHOT, l->inputs[0], &fit);
    state_refuses(l, added, &fit.model, fit.asked);
    return added;
}

static uint32_t lower_recode(hb_lowering *l)
{
    hb_fit_recode fit = *(const hb_fit_recode *)l->node->fit;
    uint32_t added;

    fit.asked = asked_of(l, fit.looks_at);
    added = hb_lower_one(l, HB_OPERATOR_RECODE, l->inputs[0], &fit);
    state_refuses(l, added, &fit.model, fit.asked);
    return added;
}

/* An encoder's column of the first input is live if one of its outputs is. A column without any may refuse rows all the
 * same: training has seen one category of it, which the encoder drops. */
static void onehot_needs(const hb_needing *n)
{
    const hb_fit_onehot *fit = n->node->fit;
    const hb_encoder *encoder = &fit->model;

    for (size_t c = 0; c < encoder->n_columns; c++) {
        size_t end = c + 1 < encoder->n_columns ? encoder->columns[c + 1].base : encoder->width;
        size_t first = encoder->columns[c].base;

        for (size_t o = first; o < end; o++)
            n->of[0][c] |= n->live[o];
        if (first == end)
            n->of[0][c] |= can_refuse(&encoder->columns[c]) && (!fit->asked || fit->asked[c]);
    }
}

/* What an output of a column becomes, where place[o] is how many live ones of the column stand before o. */
static int32_t place_of(const hb_narrowing *n, const uint32_t *place, uint32_t base, int32_t output)
{
    if (output < 0)
        return output;
    return n->live[base + (uint32_t)output] ? (int32_t)place[base + (uint32_t)output] : HB_OUTPUT_NONE;
}

/* place[o] for all outputs; n->out becomes the live ones. */
static uint32_t *place_outputs(hb_narrowing *n, const hb_encoder *encoder)
{
    uint32_t *place = hb_arena_array(n->graph->arena, encoder->width, sizeof(*place));

    for (size_t c = 0; place && c < encoder->n_columns; c++) {
        size_t end = c + 1 < encoder->n_columns ? encoder->columns[c + 1].base : encoder->width;
        uint32_t before = 0;

        for (size_t o = encoder->columns[c].base; o < end; o++) {
            place[o] = before;
            before += n->live[o];
            if (n->live[o])
                n->out[n->n_out++] = (uint32_t)o;
        }
    }
    return place;
}

/* The values of a column, with what they become, to `values` and `outputs`; of the column what its missing and unknown
 * values become. A category whose output is dead has none. */
static void narrow_column(const hb_narrowing *n, const uint32_t *place, const hb_encoder *encoder,
                          hb_encoder_column *column, double *values, int32_t *outputs)
{
    for (uint32_t i = 0; i < column->count && hb_goes_on(&n->graph->arena->memory->work, 4); i++) {
        values[i] = encoder->values[column->first + i];
        outputs[i] = place_of(n, place, column->base, encoder->outputs[column->first + i]);
    }
    column->missing = place_of(n, place, column->base, column->missing);
    column->unknown = place_of(n, place, column->base, column->unknown);
}

/* The end of the outputs that are kept of column c: those before `at` are of columns before it. */
static uint32_t end_of_outputs(const hb_narrowing *n, const hb_encoder *encoder, size_t c, uint32_t at)
{
    size_t end = c + 1 < encoder->n_columns ? encoder->columns[c + 1].base : encoder->width;

    while (at < n->n_out && n->out[at] < end)
        at++;
    return at;
}

/* Columns may share values, and then make other outputs of them: each gets its own. */
static uint32_t narrow_onehot(hb_narrowing *n)
{
    const hb_fit_onehot *fit = n->node->fit;
    const hb_encoder *encoder = &fit->model;
    hb_encoder_column *columns = hb_narrow_items(n, encoder->columns, sizeof(*columns));
    uint32_t *place = place_outputs(n, encoder), base = 0;
    hb_encoder made = {.n_columns = n->n_in[0], .width = n->n_out, .columns = columns};
    double *values;
    int32_t *outputs;

    for (size_t i = 0; columns && i < made.n_columns; i++)
        made.n_values += columns[i].count;
    made.values = values = hb_arena_array(n->graph->arena, made.n_values, sizeof(*values));
    made.outputs = outputs = hb_arena_array(n->graph->arena, made.n_values, sizeof(*outputs));
    if (!columns || !place || !values || !outputs) {
        n->graph->status = HBS_E_NOMEM;
        return 0;
    }
    for (size_t i = 0, at = 0; i < made.n_columns; i++) {
        narrow_column(n, place, encoder, &columns[i], values + at, outputs + at);
        columns[i].base = base;
        columns[i].first = (uint32_t)at;
        at += columns[i].count;
        base = end_of_outputs(n, encoder, n->in[0][i], base);
    }
    return hb_graph_add(n->graph, n->node->kind, n->inputs, 1,
                        &(hb_fit_onehot){.model = made,
                                         .asked = hb_narrow_items(n, fit->asked, 1),
                                         .failure = hb_narrow_failure(n, &fit->failure)});
}

static uint32_t narrow_recode(hb_narrowing *n)
{
    const hb_fit_recode *fit = n->node->fit;
    hb_encoder made = fit->model;

    made.columns = hb_narrow_items(n, made.columns, sizeof(*made.columns));
    made.n_columns = made.width = n->n_in[0];
    return hb_narrow_columns(n, &(hb_fit_recode){.model = made,
                                                 .asked = hb_narrow_items(n, fit->asked, 1),
                                                 .takes_infinite = fit->takes_infinite,
                                                 .failure = hb_narrow_failure(n, &fit->failure)});
}

static hbs_status validate_recode(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    hb_fit_recode *fit = node->fit;

    HB_CHECK(fit->model.width == fit->model.n_columns, error);
    HB_TRY(check_encoder(pipeline, node, &fit->model, error));
    return add_looks_at(pipeline, node, &fit->looks_at, error);
}

static bool has_large_values(const hb_encoder *encoder, const hb_encoder_column *column)
{
    const double *values = encoder->values + column->first; /* they rise */

    return column->count > 0 && (values[0] <= -HB_LEAST_ROUNDED || values[column->count - 1] >= HB_LEAST_ROUNDED);
}

/* Encoders refuse by themselves what they have not seen, but for texts, whose words only the features have;
 * and what is missing, which is no matter of on_unseen. A whole number that float64
 * rounds can only be a large category, so only encoders with large ones demand exactness. */
static uint8_t of_encoder(const hb_encoder *encoder, const hb_encoder_column *column)
{
    uint8_t demand = HB_DEMAND_FINITE;

    if (has_large_values(encoder, column))
        demand |= HB_DEMAND_EXACT;
    if (column->missing == HB_OUTPUT_REFUSE)
        demand |= HB_DEMAND_KNOWN;
    if (column->unknown == HB_OUTPUT_REFUSE)
        demand |= HB_DEMAND_SEEN;
    return demand;
}

/* Column c, of whose numbers `of_numbers` is asked, and `own` of all that the encoder makes of it. */
static void ask_encoded(const hb_asking *a, uint8_t of_numbers, uint8_t *asked, size_t c, uint8_t own)
{
    hb_asking_input(a)[c] |= (own & HB_LIVE) | of_numbers;
    asked[c] |= hb_asked_by(a->asker, own >> HB_LIVE_BIT);
}

enum { UNITS_A_CODE = 4 };

static void onehot_demands(const hb_asking *a)
{
    const hb_fit_onehot *fit = a->node->fit;
    const hb_encoder_column *columns = fit->model.columns;
    size_t n = fit->model.n_columns;

    for (size_t c = 0; c < n && hb_goes_on(a->work, UNITS_A_CODE); c++)
        ask_encoded(a, of_encoder(&fit->model, &columns[c]), fit->looks_at, c,
                    hb_asked_any(a, columns[c].base, c + 1 < n ? columns[c + 1].base : a->node->value.width));
}

static void recode_demands(const hb_asking *a)
{
    const hb_fit_recode *fit = a->node->fit;

    for (size_t c = 0; c < a->node->value.width && hb_goes_on(a->work, UNITS_A_CODE); c++)
        ask_encoded(a, fit->takes_infinite ? 0 : of_encoder(&fit->model, &fit->model.columns[c]), fit->looks_at, c,
                    a->own[c]);
}

const hb_meaning hb_meaning_onehot = {.validate = validate_onehot,
                                      .shape = onehot_shape,
                                      .lower = lower_onehot,
                                      .needs = onehot_needs,
                                      .keeps = keep_onehot,
                                      .narrow = narrow_onehot,
                                      .demands = onehot_demands};
const hb_meaning hb_meaning_recode = {.validate = validate_recode,
                                      .lower = lower_recode,
                                      .needs = hb_needs_columns,
                                      .keeps = keep_recode,
                                      .narrow = narrow_recode,
                                      .demands = recode_demands};
