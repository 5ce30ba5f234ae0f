/* demand.c - which features can matter to an output, and which numbers these must not be.
 *
 * A column is live if its number can change an output. Each operator says which columns of its input are live, given
 * which of its own are (hb_demand_NAME, from operators.def). scikit-learn checks its input and refuses what it cannot
 * take; a row that it would refuse must not get a score. So an operator also says what the columns of its input must
 * not be, given what its own must not; that a selector drops a column behind it does not matter to the library. But a
 * feature that is not live is asked for nothing: no answer depends on it. The transform is an output by itself: a
 * feature that only the classifier refuses has one. */
#include <string.h>

#include "base/number.h"
#include "ir/pipeline.h"

/* Beside the demands, HB_DEMAND_..., of a column. */
enum { LIVE_BIT = 7, LIVE = 1u << LIVE_BIT };

/* One operator: what is asked of its own columns, and where what it asks goes. */
typedef struct asking {
    const hb_pipeline *pipeline;
    const hb_node *node;
    hb_asker asker;
    uint8_t *own; /* [width] */
    uint8_t **of; /* of every value: [width]; those of its inputs are there */
    hb_work *work;
} asking;

/* What is asked of any of the columns [first, end). Loops over columns have no branch: a table has up to
 * HB_MAX_FEATURES, and one operator is one part of the work. */
static uint8_t of_any(const asking *a, size_t first, size_t end)
{
    uint8_t any = 0;

    for (size_t c = first; c < end; c++)
        any |= a->own[c];
    return any;
}

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
    size_t width = hb_input_width(&a->pipeline->graph, a->node);

    for (size_t c = 0; c < width; c++)
        input_of(a)[c] |= demand;
}

/* Column by column, whatever their numbers are. */
static void pass_live(const asking *a)
{
    for (size_t c = 0; c < a->node->value.width; c++)
        input_of(a)[c] |= a->own[c] & LIVE;
}

/* Any output column depends on all of the input: weights of 0 too, since 0 times infinity is no number. */
static void ask_all(const asking *a, uint8_t more)
{
    ask_each(a, of_computed(of_any(a, 0, a->node->value.width)) | more);
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

/* The columns of the input come first; then those that are computed from some of them. */
static void hb_demand_category_statistics(const asking *a)
{
    const hb_category_statistics *s = &((const hb_fit_category_statistics *)a->node->fit)->model;
    size_t at = hb_input_width(&a->pipeline->graph, a->node);

    for (size_t c = 0; c < at; c++)
        input_of(a)[c] |= a->own[c];
    for (size_t i = 0; i < s->n_equals; i++, at++)
        input_of(a)[s->equals[i].column] |= of_computed(a->own[at]);
    for (size_t i = 0; i < s->n_statistics && hb_goes_on(a->work, 1); i++, at++) {
        const hb_element *elements = s->elements + s->statistics[i].first_element;

        for (size_t e = 0; e < s->statistics[i].n_elements && hb_goes_on(a->work, 1); e++)
            input_of(a)[elements[e].column] |= of_computed(a->own[at]);
    }
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

        input_of(a)[c] |= (uint8_t)(own | (own & HB_DEMAND_FINITE) / HB_DEMAND_FINITE * HB_DEMAND_FLOAT32);
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

/* Asks no feature; what is computed is looked at where it is live and something behind it asks. */
static void hb_demand_guard(const asking *a)
{
    const hb_fit_guard *fit = a->node->fit;
    uint8_t looks_for = fit->takes_missing ? HB_DEMAND_FINITE : HB_DEMAND_FINITE | HB_DEMAND_KNOWN;

    for (size_t c = 0; c < a->node->value.width; c++)
        fit->demands[c] |= hb_asked_by(a->asker, (a->own[c] >> LIVE_BIT) * (a->own[c] & looks_for));
    pass_on(a);
}

/* A number that stands for a missing one leaves no room for NaN. */
static void hb_demand_impute(const asking *a)
{
    const hb_fit_impute *fit = a->node->fit;
    bool takes_nan = fit->missing != fit->missing;
    uint8_t more = takes_nan ? HB_DEMAND_FINITE : HB_DEMAND_FINITE | HB_DEMAND_KNOWN;

    for (size_t c = 0; c < a->node->value.width; c++)
        input_of(a)[c] |= (uint8_t)((a->own[c] & ~HB_DEMAND_KNOWN) | more);
}

/* That a known column is not missing is a part of what the marks say, though it has none. */
static void hb_demand_indicator(const asking *a)
{
    const hb_fit_indicator *fit = a->node->fit;
    bool takes_nan = fit->missing != fit->missing;
    uint8_t live = of_any(a, 0, a->node->value.width) & LIVE;
    size_t width = hb_input_width(&a->pipeline->graph, a->node);

    ask_each(a, takes_nan ? HB_DEMAND_FINITE : HB_DEMAND_FINITE | HB_DEMAND_KNOWN);
    for (size_t c = 0; c < width; c++)
        input_of(a)[c] |= (uint8_t)(fit->known[c] * (HB_DEMAND_KNOWN | live));
    for (size_t i = 0; i < fit->n_columns; i++)
        input_of(a)[fit->columns[i]] |= a->own[i] & LIVE;
}

static void hb_demand_binarize(const asking *a)
{
    ask_each(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
    pass_live(a);
}

/* The norm is of the whole row. */
static void hb_demand_norm(const asking *a)
{
    ask_each(a, (of_any(a, 0, a->node->value.width) & LIVE) | HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
}

static void hb_demand_bins(const asking *a)
{
    ask_each(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
    pass_live(a);
}

/* From the last product back to those that it is made of. A column among the products is asked for what comes after it;
 * a product of several says nothing of what it is made of. */
static void hb_demand_products(const asking *a)
{
    const hb_fit_products *fit = a->node->fit;

    ask_each(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
    for (size_t i = fit->n_products; i-- > 0;) {
        const hb_product *product = &fit->products[i];
        uint8_t live = a->own[i] & LIVE;

        if (product->of == HB_PRODUCT_COLUMN)
            input_of(a)[product->column] |= a->own[i];
        if (product->of >= HB_PRODUCT_ONE)
            continue;
        a->own[product->of] |= live;
        input_of(a)[product->column] |= live;
    }
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

/* Column c, where `own` is what is asked of all that the encoder makes of it. */
static void ask_encoded(const asking *a, const hb_encoder *encoder, uint8_t *asked, size_t c, uint8_t own)
{
    input_of(a)[c] |= (own & LIVE) | of_encoder(encoder, &encoder->columns[c]);
    asked[c] |= hb_asked_by(a->asker, own >> LIVE_BIT);
}

enum { UNITS_A_CODE = 4 };

static void hb_demand_onehot(const asking *a)
{
    const hb_fit_onehot *fit = a->node->fit;
    const hb_encoder_column *columns = fit->model.columns;
    size_t n = fit->model.n_columns;

    for (size_t c = 0; c < n && hb_goes_on(a->work, UNITS_A_CODE); c++)
        ask_encoded(a, &fit->model, fit->looks_at, c,
                    of_any(a, columns[c].base, c + 1 < n ? columns[c + 1].base : a->node->value.width));
}

static void hb_demand_recode(const asking *a)
{
    const hb_fit_recode *fit = a->node->fit;

    for (size_t c = 0; c < a->node->value.width && hb_goes_on(a->work, UNITS_A_CODE); c++)
        ask_encoded(a, &fit->model, fit->looks_at, c, a->own[c]);
}

/* The library looks at all columns. One whose weights are all 0 changes no sum: lowering leaves it out. */
static void hb_demand_dense(const asking *a)
{
    const hb_fit_dense *fit = a->node->fit;
    uint8_t all = of_computed(of_any(a, 0, a->node->value.width)), live = all & LIVE;
    bool none = true;

    ask_each(a, (uint8_t)((all & ~LIVE) | HB_DEMAND_KNOWN | HB_DEMAND_FINITE));
    for (size_t o = 0; live && o < fit->n_outputs && hb_goes_on(a->work, fit->n_features); o++)
        for (size_t c = 0; c < fit->n_features; c++) {
            input_of(a)[c] |= fit->weights[o * fit->n_features + c] != 0 ? live : 0;
            none = none && fit->weights[o * fit->n_features + c] == 0;
        }
    if (none)
        input_of(a)[0] |= live; /* a value has a column at least */
}

static void hb_demand_gaussian_nb(const asking *a)
{
    ask_all(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
}

/* Adds to what is asked of a column; whether it was not all asked before. */
static bool ask_more(uint8_t *of, uint8_t all)
{
    bool is_new = (*of & all) != all;

    *of |= all;
    return is_new;
}

/* The features that its nodes test, and those that its linear leaves take, of which nothing is demanded. Most forests
 * test every feature in their first trees: then there is nothing more to look for. */
static void ask_tested(const asking *a, uint8_t live)
{
    const hb_forest_model *forest = hb_node_forest(a->node);
    const hb_tree_node *nodes = hb_forest_nodes(forest);
    const int32_t *linear = forest->linear_features.items;
    uint8_t *of = input_of(a), all = live | forest->demand;
    size_t left = 0;

    for (size_t c = 0; c < forest->n_features; c++)
        left += (of[c] & all) != all;
    for (size_t i = 0; left > 0 && i < forest->nodes.count && hb_goes_on(a->work, 1); i++)
        if (nodes[i].left != HB_NO_CHILD)
            left -= ask_more(&of[nodes[i].feature], all);
    for (size_t i = 0; left > 0 && i < forest->linear_features.count && hb_goes_on(a->work, 1); i++)
        if ((size_t)linear[i] < forest->n_features) /* sealing looks at those of leaves only */
            of[linear[i]] |= live;
}

/* The start of the sums goes into the sums, so it has their demands. */
static void hb_demand_forest(const asking *a)
{
    for (size_t c = 0; a->node->n_inputs > 1 && c < a->node->value.width; c++)
        a->of[a->node->inputs[1]][c] |= a->own[c];
    ask_tested(a, of_any(a, 0, a->node->value.width) & LIVE);
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

/* What is asked of the columns of each value, from its first reader on until it has passed that on. */
typedef struct walk {
    hb_memory *memory;
    hb_pipeline *pipeline;
    uint8_t **of; /* NULL: nothing yet, or no more */
} walk;

static hbs_status begin_value(walk *w, size_t v, hbs_error *error)
{
    size_t width = hb_pipeline_width(w->pipeline, v);

    if (w->of[v])
        return HBS_OK;
    w->of[v] = hb_allocate(w->memory, width);
    if (!w->of[v])
        return hb_no_memory(w->memory, error);
    memset(w->of[v], 0, width);
    return HBS_OK;
}

static void end_value(walk *w, size_t v)
{
    hb_release(w->memory, w->of[v], w->of[v] ? hb_pipeline_width(w->pipeline, v) : 0);
    w->of[v] = NULL;
}

/* All columns of an output are live. 0: the model has no such output. */
static hbs_status begin_output(walk *w, size_t v, hbs_error *error)
{
    if (v == 0)
        return HBS_OK;
    HB_TRY(begin_value(w, v, error));
    memset(w->of[v], LIVE, hb_pipeline_width(w->pipeline, v));
    return HBS_OK;
}

static hbs_status begin_outputs(walk *w, hb_asker asker, hbs_error *error)
{
    const hb_pipeline *p = w->pipeline;
    const size_t predictions[] = {p->raw, p->value, p->values, p->probabilities, p->label};

    if (asker == HB_FOR_TRANSFORM)
        return begin_output(w, p->transform, error);
    for (size_t i = 0; i < sizeof(predictions) / sizeof(predictions[0]); i++)
        HB_TRY(begin_output(w, predictions[i], error));
    return HBS_OK;
}

static hbs_status ask_operator(walk *w, size_t v, hb_asker asker, hbs_error *error)
{
    enum { UNITS_A_COLUMN = 2 };
    const hb_node *node = hb_node_at(&w->pipeline->graph, v);
    hb_work *work = &w->memory->work;

    HB_CHECK(demands[node->kind], error);
    for (size_t i = 0; i < node->n_inputs; i++)
        HB_TRY(begin_value(w, node->inputs[i], error));
    demands[node->kind](&(asking){w->pipeline, node, asker, w->of[v], w->of, work});
    HB_TRY(hb_work_status(work, error));
    return hb_worked(work, UNITS_A_COLUMN * (node->value.width + hb_input_width(&w->pipeline->graph, node)), error);
}

static hbs_status ask_operators(walk *w, hb_asker asker, hbs_error *error)
{
    HB_TRY(begin_value(w, 0, error)); /* the features */
    HB_TRY(begin_outputs(w, asker, error));
    for (size_t v = w->pipeline->graph.nodes.count - 1; v > 0; v--) {
        if (w->of[v])
            HB_TRY(ask_operator(w, v, asker, error));
        end_value(w, v);
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

/* Those of the features that are live. The code of a category is exact. */
static hbs_status keep_demands(hb_pipeline *pipeline, hb_asker asker, const uint8_t *of, hbs_error *error)
{
    uint8_t *features = hb_arena_array(&pipeline->arena, pipeline->n_features, 1);

    if (!features)
        return hb_no_memory(pipeline->arena.memory, error);
    pipeline->demands[asker] = features;
    for (size_t i = 0; i < pipeline->n_features; i++)
        features[i] = (uint8_t)((of[i] >> LIVE_BIT) * (of[i] & ~LIVE));
    for (size_t i = 0; pipeline->categories && i < pipeline->n_features; i++) {
        if (hb_pipeline_categories(pipeline, i))
            features[i] = of_computed(features[i]);
        HB_TRY(hb_worked(&pipeline->arena.memory->work, 2, error));
    }
    return hb_worked(&pipeline->arena.memory->work, pipeline->n_features, error);
}

/* A bit a feature: a file of few bytes can name very many. */
static hbs_status keep_live(hb_pipeline *pipeline, hb_asker asker, const uint8_t *of, hbs_error *error)
{
    size_t n = pipeline->n_features, n_live = 0;
    uint8_t *live;

    for (size_t i = 0; i < n; i++)
        n_live += of[i] >> LIVE_BIT;
    HB_TRY(hb_worked(&pipeline->arena.memory->work, n, error));
    if (n_live == n)
        return HBS_OK;
    live = hb_arena_array(&pipeline->arena, (n + 7) / 8, 1);
    if (!live)
        return hb_no_memory(pipeline->arena.memory, error);
    for (size_t i = 0; i < n; i++)
        live[i / 8] |= (uint8_t)((of[i] >> LIVE_BIT) << i % 8);
    pipeline->live[asker] = live;
    return hb_worked(&pipeline->arena.memory->work, 2 * n, error);
}

/* The columns of an encoder that the node is, with what it looks at; NULL: it is none. */
static const hb_encoder *encoder_of(const hb_node *node, uint8_t **looks_at)
{
    if (node->kind == HB_OPERATOR_ONEHOT) {
        *looks_at = ((hb_fit_onehot *)node->fit)->looks_at;
        return &((const hb_fit_onehot *)node->fit)->model;
    }
    if (node->kind == HB_OPERATOR_RECODE) {
        *looks_at = ((hb_fit_recode *)node->fit)->looks_at;
        return &((const hb_fit_recode *)node->fit)->model;
    }
    return NULL;
}

/* An encoder looks at a category for the library too, if that is of a live feature and what it becomes is not. */
static hbs_status ask_encoder_for_features(const walk *w, const hb_node *node, hb_asker asker, hbs_error *error)
{
    uint8_t *looks_at = NULL;
    const hb_encoder *encoder = encoder_of(node, &looks_at);

    for (size_t c = 0; encoder && c < encoder->n_columns; c++) {
        uint32_t feature = encoder->columns[c].feature;

        if (feature < w->pipeline->n_features && w->of[0][feature] & LIVE)
            looks_at[c] |= hb_asked_by(asker, 1);
        HB_TRY(hb_worked(&w->memory->work, UNITS_A_CODE, error));
    }
    return HBS_OK;
}

static hbs_status keep_asked(walk *w, hb_asker asker, hbs_error *error)
{
    HB_TRY(ask_operators(w, asker, error));
    if (has_demands(w->pipeline))
        HB_TRY(keep_demands(w->pipeline, asker, w->of[0], error));
    for (size_t i = 1; i < w->pipeline->graph.nodes.count; i++)
        HB_TRY(ask_encoder_for_features(w, hb_node_at(&w->pipeline->graph, i), asker, error));
    return keep_live(w->pipeline, asker, w->of[0], error);
}

static hbs_status find_demands(hb_pipeline *pipeline, hb_asker asker, hbs_error *error)
{
    size_t n = pipeline->graph.nodes.count;
    walk w = {.memory = pipeline->arena.memory, .pipeline = pipeline};
    hbs_status status;

    w.of = hb_allocate(w.memory, n * sizeof(*w.of));
    if (!w.of)
        return hb_no_memory(w.memory, error);
    memset(w.of, 0, n * sizeof(*w.of));
    status = keep_asked(&w, asker, error);
    for (size_t v = 0; v < n; v++)
        end_value(&w, v);
    hb_release(w.memory, w.of, n * sizeof(*w.of));
    return status;
}

hbs_status hb_pipeline_demand(hb_pipeline *pipeline, hbs_error *error)
{
    HB_TRY(find_demands(pipeline, HB_FOR_PREDICTIONS, error));
    return pipeline->transform ? find_demands(pipeline, HB_FOR_TRANSFORM, error) : HBS_OK;
}
