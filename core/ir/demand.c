/* demand.c - which features the outputs depend on through an operator that cannot take every number.
 *
 * scikit-learn checks its input and refuses what it cannot take; a row that it would refuse must not get
 * a score. Each operator says what its input's columns must not be, given what its own must not
 * (hb_demand_NAME, from operators.def); what no output depends on is never asked for. The transform is an
 * output by itself: a feature that only the classifier refuses has one. */
#include <string.h>

#include "base/number.h"
#include "ir/pipeline.h"

/* One operator: its own columns' demands, and where those of its input go. */
typedef struct asking {
    const hb_pipeline *pipeline;
    const hb_node *node;
    const uint8_t *own; /* [width] */
    uint8_t **of;       /* of every value: [width] */
    hb_work *work;
} asking;

static uint8_t *input_of(const asking *a)
{
    return a->of[a->node->inputs[0]];
}

/* Column by column, for an operator that leaves numbers as they are. */
static void pass_on(const asking *a)
{
    for (size_t c = 0; c < a->node->value.width; c++)
        input_of(a)[c] |= a->own[c];
}

/* The demand on the inputs of a computation: a computed number is no category, so its inputs may be rounded. */
static uint8_t of_computed(uint8_t demand)
{
    return (uint8_t)(demand & ~HB_DEMAND_EXACT);
}

/* Column by column, with `more` for each, for an operator that computes with the numbers. */
static void pass_computed(const asking *a, uint8_t more)
{
    for (size_t c = 0; c < a->node->value.width; c++)
        input_of(a)[c] |= (uint8_t)(of_computed(a->own[c]) | more);
}

/* The library looks at all columns that it gets, whatever is asked of those that come out. */
static void ask_each(const asking *a, uint8_t demand)
{
    for (size_t c = 0; c < hb_input_width(&a->pipeline->graph, a->node); c++)
        input_of(a)[c] |= demand;
}

/* Any output column depends on all of the input. */
static void ask_all(const asking *a, uint8_t more)
{
    uint8_t all = more;

    for (size_t c = 0; c < a->node->value.width; c++)
        all |= of_computed(a->own[c]);
    for (size_t c = 0; c < hb_input_width(&a->pipeline->graph, a->node); c++)
        input_of(a)[c] |= all;
}

static void hb_demand_ordinal(const asking *a)
{
    pass_on(a);
}

static void hb_demand_mark_missing(const asking *a)
{
    pass_on(a);
}

static void hb_demand_flush_tiny(const asking *a)
{
    pass_on(a);
}

static void hb_demand_category_statistics(const asking *a)
{
    ask_all(a, 0);
}

static void hb_demand_select(const asking *a)
{
    const hb_fit_select *fit = a->node->fit;

    for (size_t i = 0; i < fit->n_columns; i++)
        input_of(a)[fit->columns[i]] |= a->own[i];
}

static void hb_demand_concat(const asking *a)
{
    size_t at = 0;

    for (size_t i = 0; i < a->node->n_inputs; i++) {
        size_t width = hb_pipeline_width(a->pipeline, a->node->inputs[i]);

        for (size_t c = 0; c < width; c++)
            a->of[a->node->inputs[i]][c] |= a->own[at + c];
        at += width;
    }
}

/* Beyond float32 a number becomes infinite. */
static void pass_rounded(const asking *a, uint8_t more)
{
    for (size_t c = 0; c < a->node->value.width; c++) {
        uint8_t own = of_computed(a->own[c]) | more;

        input_of(a)[c] |= (uint8_t)(own | (own & HB_DEMAND_FINITE ? HB_DEMAND_FLOAT32 : 0));
    }
}

static void hb_demand_round(const asking *a)
{
    pass_rounded(a, 0);
}

static void hb_demand_narrow(const asking *a)
{
    const hb_fit_narrow *fit = a->node->fit;

    pass_rounded(a, fit->needs_finite ? HB_DEMAND_FINITE : 0);
}

static void hb_demand_code(const asking *a)
{
    pass_on(a);
}

static void hb_demand_scale(const asking *a)
{
    pass_computed(a, HB_DEMAND_FINITE);
}

static void hb_demand_clip(const asking *a)
{
    pass_computed(a, HB_DEMAND_FINITE);
}

static void hb_demand_check(const asking *a)
{
    const hb_fit_check *fit = a->node->fit;

    pass_on(a);
    ask_each(a, fit->takes_missing ? HB_DEMAND_FINITE : HB_DEMAND_FINITE | HB_DEMAND_KNOWN);
}

/* Asks no feature; what is computed is looked at where something behind it asks. */
static void hb_demand_guard(const asking *a)
{
    const hb_fit_guard *fit = a->node->fit;
    uint8_t looks_for = fit->takes_missing ? HB_DEMAND_FINITE : HB_DEMAND_FINITE | HB_DEMAND_KNOWN;

    for (size_t c = 0; c < a->node->value.width; c++)
        fit->demands[c] |= a->own[c] & looks_for;
    pass_on(a);
}

/* A number that stands for a missing one leaves no room for NaN. */
static void hb_demand_impute(const asking *a)
{
    const hb_fit_impute *fit = a->node->fit;
    bool takes_nan = fit->missing != fit->missing;

    for (size_t c = 0; c < a->node->value.width; c++)
        input_of(a)[c] |=
            (uint8_t)((a->own[c] & ~HB_DEMAND_KNOWN) | HB_DEMAND_FINITE | (takes_nan ? 0 : HB_DEMAND_KNOWN));
}

static void hb_demand_indicator(const asking *a)
{
    const hb_fit_indicator *fit = a->node->fit;
    bool takes_nan = fit->missing != fit->missing;

    ask_each(a, HB_DEMAND_FINITE);
    for (size_t c = 0; c < hb_input_width(&a->pipeline->graph, a->node); c++)
        if (!takes_nan || fit->known[c])
            input_of(a)[c] |= HB_DEMAND_KNOWN;
}

static void hb_demand_binarize(const asking *a)
{
    ask_each(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
}

static void hb_demand_norm(const asking *a)
{
    ask_each(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
}

static void hb_demand_bins(const asking *a)
{
    ask_each(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
}

/* A column among the products is asked for what comes after it; a product of several says nothing of what it
 * is made of. */
static void hb_demand_products(const asking *a)
{
    const hb_fit_products *fit = a->node->fit;

    ask_each(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
    for (size_t i = 0; i < fit->n_products; i++)
        if (fit->products[i].of == HB_PRODUCT_COLUMN)
            input_of(a)[fit->products[i].column] |= a->own[i];
}

static bool has_large_values(const hb_encoder *encoder, const hb_encoder_column *column)
{
    const double *values = encoder->values + column->first; /* they rise */

    return column->count > 0 && (values[0] <= -HB_LEAST_ROUNDED || values[column->count - 1] >= HB_LEAST_ROUNDED);
}

/* Encoders refuse by themselves what they have not seen, but for texts, whose words only the features have;
 * and what is missing, which is no matter of on_unseen. A whole number that float64
 * rounds can only be a large category, so only encoders with large ones demand exactness. */
static void ask_encoder(const asking *a, const hb_encoder *encoder)
{
    for (size_t c = 0; c < encoder->n_columns; c++) {
        const hb_encoder_column *column = &encoder->columns[c];
        uint8_t demand = HB_DEMAND_FINITE;

        if (has_large_values(encoder, column))
            demand |= HB_DEMAND_EXACT;
        if (column->missing == HB_OUTPUT_REFUSE)
            demand |= HB_DEMAND_KNOWN;
        if (column->unknown == HB_OUTPUT_REFUSE)
            demand |= HB_DEMAND_SEEN;
        input_of(a)[c] |= demand;
    }
}

static void hb_demand_onehot(const asking *a)
{
    ask_encoder(a, &((const hb_fit_onehot *)a->node->fit)->model);
}

static void hb_demand_recode(const asking *a)
{
    ask_encoder(a, &((const hb_fit_recode *)a->node->fit)->model);
}

static void hb_demand_dense(const asking *a)
{
    ask_all(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
}

static void hb_demand_gaussian_nb(const asking *a)
{
    ask_all(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
}

/* Asks for the features that a node tests. The start of the sums goes into the sums, so it has their demands. */
static void hb_demand_forest(const asking *a)
{
    const hb_forest_model *forest = hb_node_forest(a->node);
    const hb_tree_node *nodes = hb_forest_nodes(forest);

    for (size_t c = 0; a->node->n_inputs > 1 && c < a->node->value.width; c++)
        a->of[a->node->inputs[1]][c] |= a->own[c];
    for (size_t i = 0; forest->demand && i < forest->nodes.count && hb_goes_on(a->work, 1); i++)
        if (nodes[i].left != HB_NO_CHILD)
            input_of(a)[nodes[i].feature] |= forest->demand;
}

static void hb_demand_isolation(const asking *a)
{
    pass_computed(a, 0);
}

static void hb_demand_weighted_median(const asking *a)
{
    ask_all(a, 0);
}

static void hb_demand_linear(const asking *a)
{
    ask_all(a, 0);
}

static void hb_demand_average(const asking *a)
{
    pass_computed(a, 0);
}

static void hb_demand_affine(const asking *a)
{
    pass_computed(a, 0);
}

static void hb_demand_link(const asking *a)
{
    ask_all(a, 0);
}

static void hb_demand_head(const asking *a)
{
    ask_all(a, 0);
}

static void (*const demands[HB_N_OPERATORS])(const asking *a) = {
    [HB_OPERATOR_ORDINAL] = hb_demand_ordinal,
    [HB_OPERATOR_MARK_MISSING] = hb_demand_mark_missing,
    [HB_OPERATOR_FLUSH_TINY] = hb_demand_flush_tiny,
    [HB_OPERATOR_CATEGORY_STATISTICS] = hb_demand_category_statistics,
    [HB_OPERATOR_SELECT] = hb_demand_select,
    [HB_OPERATOR_CONCAT] = hb_demand_concat,
    [HB_OPERATOR_ROUND] = hb_demand_round,
    [HB_OPERATOR_NARROW] = hb_demand_narrow,
    [HB_OPERATOR_CODE] = hb_demand_code,
    [HB_OPERATOR_SCALE] = hb_demand_scale,
    [HB_OPERATOR_CLIP] = hb_demand_clip,
    [HB_OPERATOR_CHECK] = hb_demand_check,
    [HB_OPERATOR_GUARD] = hb_demand_guard,
    [HB_OPERATOR_IMPUTE] = hb_demand_impute,
    [HB_OPERATOR_INDICATOR] = hb_demand_indicator,
    [HB_OPERATOR_BINARIZE] = hb_demand_binarize,
    [HB_OPERATOR_NORM] = hb_demand_norm,
    [HB_OPERATOR_BINS] = hb_demand_bins,
    [HB_OPERATOR_PRODUCTS] = hb_demand_products,
    [HB_OPERATOR_ONEHOT] = hb_demand_onehot,
    [HB_OPERATOR_RECODE] = hb_demand_recode,
    [HB_OPERATOR_DENSE] = hb_demand_dense,
    [HB_OPERATOR_GAUSSIAN_NB] = hb_demand_gaussian_nb,
    [HB_OPERATOR_FOREST] = hb_demand_forest,
    [HB_OPERATOR_ISOLATION] = hb_demand_isolation,
    [HB_OPERATOR_WEIGHTED_MEDIAN] = hb_demand_weighted_median,
    [HB_OPERATOR_LINEAR] = hb_demand_linear,
    [HB_OPERATOR_AVERAGE] = hb_demand_average,
    [HB_OPERATOR_AFFINE] = hb_demand_affine,
    [HB_OPERATOR_LINK] = hb_demand_link,
    [HB_OPERATOR_HEAD] = hb_demand_head,
};

/* ---- from the outputs back */

static void mark_inputs(const hb_node *node, bool *needed)
{
    for (size_t i = 0; i < node->n_inputs; i++)
        needed[node->inputs[i]] = true;
}

/* The outputs; value 0 stands for those that the model does not have. */
static void mark_outputs(const hb_pipeline *pipeline, hb_asker asker, bool *needed)
{
    if (asker == HB_FOR_TRANSFORM) {
        needed[pipeline->transform] = true;
        return;
    }
    needed[pipeline->raw] = needed[pipeline->value] = needed[pipeline->values] = true;
    needed[pipeline->probabilities] = needed[pipeline->label] = true;
}

static hbs_status ask_operators(hb_pipeline *pipeline, hb_asker asker, hb_arena *arena, uint8_t *features,
                                hbs_error *error)
{
    enum { UNITS_A_COLUMN = 2 };
    size_t n = pipeline->graph.nodes.count;
    uint8_t **of = hb_arena_array(arena, n, sizeof(*of));
    bool *needed = hb_arena_array(arena, n, sizeof(*needed));
    hb_work *work = &arena->memory->work;

    if (!of || !needed)
        return hb_no_memory(arena->memory, error);
    of[0] = features;
    mark_outputs(pipeline, asker, needed);
    for (size_t v = 1; v < n; v++) {
        of[v] = hb_arena_array(arena, hb_pipeline_width(pipeline, v), 1);
        if (!of[v])
            return hb_no_memory(arena->memory, error);
    }
    for (size_t v = n - 1; v > 0; v--) {
        const hb_node *node = hb_node_at(&pipeline->graph, v);

        if (!needed[v])
            continue;
        mark_inputs(node, needed);
        demands[node->kind](&(asking){pipeline, node, of[v], of, work});
        HB_TRY(hb_work_status(work, error));
        HB_TRY(hb_worked(work, UNITS_A_COLUMN * (node->value.width + hb_input_width(&pipeline->graph, node)), error));
    }
    return HBS_OK;
}

/* Formats whose libraries take every number have no operator that asks. */
static bool has_demands(const hb_pipeline *pipeline)
{
    for (size_t i = 1; i < pipeline->graph.nodes.count; i++) {
        const hb_node *node = hb_node_at(&pipeline->graph, i);
        const hb_forest_model *forest = hb_node_forest(node);

        if (hb_operator_rows[node->kind].asks && (!forest || forest->demand))
            return true;
    }
    return false;
}

static hbs_status find_demands(hb_pipeline *pipeline, hb_asker asker, hbs_error *error)
{
    uint8_t *features = hb_arena_array(&pipeline->arena, pipeline->n_features, 1);
    hb_arena scratch;
    hbs_status status;

    if (!features)
        return hb_no_memory(pipeline->arena.memory, error);
    hb_arena_init(&scratch, pipeline->arena.memory);
    status = ask_operators(pipeline, asker, &scratch, features, error);
    hb_arena_release(&scratch);
    if (status == HBS_OK)
        status = hb_worked(&pipeline->arena.memory->work, 2 * pipeline->n_features, error);
    for (size_t i = 0; i < pipeline->n_features; i++) /* the code of a category is exact */
        if (hb_pipeline_categories(pipeline, i))
            features[i] = of_computed(features[i]);
    pipeline->demands[asker] = features;
    return status;
}

hbs_status hb_pipeline_demand(hb_pipeline *pipeline, hbs_error *error)
{
    if (!has_demands(pipeline))
        return HBS_OK;
    HB_TRY(find_demands(pipeline, HB_FOR_PREDICTIONS, error));
    return pipeline->transform ? find_demands(pipeline, HB_FOR_TRANSFORM, error) : HBS_OK;
}
