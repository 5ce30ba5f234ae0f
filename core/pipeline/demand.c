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
#include "pipeline/pipeline.h"

/* Beside the demands, HB_DEMAND_..., of a column. */
enum { LIVE_BIT = 7, LIVE = 1u << LIVE_BIT };

/* One operator: what is asked of its own columns, and where what it asks goes. */
typedef struct asking {
    const hb_pipeline *pipeline;
    const hb_operator *op;
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
    return a->of[a->op->input];
}

/* Column by column, for an operator that leaves numbers as they are. */
static void pass_on(const asking *a)
{
    for (size_t c = 0; c < a->op->width; c++)
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
    for (size_t c = 0; c < a->op->width; c++)
        input_of(a)[c] |= (uint8_t)(of_computed(a->own[c]) | more);
}

/* The library looks at all columns that it gets, whatever is asked of those that come out. */
static void ask_each(const asking *a, uint8_t demand)
{
    size_t width = hb_pipeline_width(a->pipeline, a->op->input);

    for (size_t c = 0; c < width; c++)
        input_of(a)[c] |= demand;
}

/* Column by column, whatever their numbers are. */
static void pass_live(const asking *a)
{
    for (size_t c = 0; c < a->op->width; c++)
        input_of(a)[c] |= a->own[c] & LIVE;
}

/* Any output column depends on all of the input: weights of 0 too, since 0 times infinity is no number. */
static void ask_all(const asking *a, uint8_t more)
{
    ask_each(a, of_computed(of_any(a, 0, a->op->width)) | more);
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
    const hb_category_statistics *s = a->op->statistics;
    size_t at = hb_pipeline_width(a->pipeline, a->op->input);

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
    for (size_t i = 0; i < a->op->n_columns; i++)
        input_of(a)[a->op->columns[i]] |= a->own[i];
}

static void hb_demand_concat(const asking *a)
{
    size_t at = 0;

    for (size_t i = 0; i < a->op->n_inputs; i++) {
        size_t width = hb_pipeline_width(a->pipeline, a->op->inputs[i]);

        for (size_t c = 0; c < width; c++)
            a->of[a->op->inputs[i]][c] |= a->own[at + c];
        at += width;
    }
}

/* Beyond float32 a number becomes infinite. */
static void pass_rounded(const asking *a, uint8_t more)
{
    for (size_t c = 0; c < a->op->width; c++) {
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
    pass_rounded(a, a->op->needs_finite ? HB_DEMAND_FINITE : 0);
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
    pass_on(a);
    ask_each(a, a->op->takes_missing ? HB_DEMAND_FINITE : HB_DEMAND_FINITE | HB_DEMAND_KNOWN);
}

/* Asks no feature; what is computed is looked at where it is live and something behind it asks. */
static void hb_demand_guard(const asking *a)
{
    uint8_t looks_for = a->op->takes_missing ? HB_DEMAND_FINITE : HB_DEMAND_FINITE | HB_DEMAND_KNOWN;

    for (size_t c = 0; c < a->op->width; c++)
        a->op->asked[c] |= hb_asked_by(a->asker, (a->own[c] >> LIVE_BIT) * (a->own[c] & looks_for));
    pass_on(a);
}

/* A number that stands for a missing one leaves no room for NaN. */
static void hb_demand_impute(const asking *a)
{
    bool takes_nan = a->op->number != a->op->number;
    uint8_t more = takes_nan ? HB_DEMAND_FINITE : HB_DEMAND_FINITE | HB_DEMAND_KNOWN;

    for (size_t c = 0; c < a->op->width; c++)
        input_of(a)[c] |= (uint8_t)((a->own[c] & ~HB_DEMAND_KNOWN) | more);
}

/* That a known column is not missing is a part of what the marks say, though it has none. */
static void hb_demand_indicator(const asking *a)
{
    bool takes_nan = a->op->number != a->op->number;
    uint8_t live = of_any(a, 0, a->op->width) & LIVE;
    size_t width = hb_pipeline_width(a->pipeline, a->op->input);

    ask_each(a, takes_nan ? HB_DEMAND_FINITE : HB_DEMAND_FINITE | HB_DEMAND_KNOWN);
    for (size_t c = 0; c < width; c++)
        input_of(a)[c] |= (uint8_t)(a->op->known[c] * (HB_DEMAND_KNOWN | live));
    for (size_t i = 0; i < a->op->n_columns; i++)
        input_of(a)[a->op->columns[i]] |= a->own[i] & LIVE;
}

static void hb_demand_binarize(const asking *a)
{
    ask_each(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
    pass_live(a);
}

/* The norm is of the whole row. */
static void hb_demand_norm(const asking *a)
{
    ask_each(a, (of_any(a, 0, a->op->width) & LIVE) | HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
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
    ask_each(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
    for (size_t i = a->op->n_columns; i-- > 0;) {
        const hb_product *product = &a->op->products[i];
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
static void ask_encoded(const asking *a, size_t c, uint8_t own)
{
    const hb_encoder *encoder = a->op->encoder;

    input_of(a)[c] |= (own & LIVE) | of_encoder(encoder, &encoder->columns[c]);
    a->op->asked[c] |= hb_asked_by(a->asker, own >> LIVE_BIT);
}

enum { UNITS_A_CODE = 4 };

static void hb_demand_onehot(const asking *a)
{
    const hb_encoder_column *columns = a->op->encoder->columns;
    size_t n = a->op->encoder->n_columns;

    for (size_t c = 0; c < n && hb_goes_on(a->work, UNITS_A_CODE); c++)
        ask_encoded(a, c, of_any(a, columns[c].base, c + 1 < n ? columns[c + 1].base : a->op->width));
}

static void hb_demand_recode(const asking *a)
{
    for (size_t c = 0; c < a->op->width && hb_goes_on(a->work, UNITS_A_CODE); c++)
        ask_encoded(a, c, a->own[c]);
}

static void hb_demand_dense(const asking *a)
{
    ask_all(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
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
    const hb_forest_model *forest = a->op->forest;
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
    for (size_t c = 0; a->op->n_inputs > 0 && c < a->op->width; c++)
        a->of[a->op->inputs[0]][c] |= a->own[c];
    ask_tested(a, of_any(a, 0, a->op->width) & LIVE);
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

static void (*const demands[])(const asking *a) = {
#define HB_OPERATOR(kind, name, reads, demand, summary) hb_demand_##name,
#include "pipeline/operators.def"
#undef HB_OPERATOR
};

/* ---- from the outputs back */

/* What is asked of the columns of each value, from its first reader on until it has passed that on. */
typedef struct walk {
    hb_memory *memory;
    const hb_pipeline *pipeline;
    uint8_t *of[HB_MAX_OPERATORS + 1]; /* NULL: nothing yet, or no more */
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
    const hb_operator *op = &w->pipeline->operators[v - 1];
    hb_work *work = &w->memory->work;

    HB_TRY(begin_value(w, op->input, error));
    for (size_t i = 0; i < op->n_inputs; i++)
        HB_TRY(begin_value(w, op->inputs[i], error));
    demands[op->kind](&(asking){w->pipeline, op, asker, w->of[v], w->of, work});
    HB_TRY(hb_work_status(work, error));
    return hb_worked(work, UNITS_A_COLUMN * (op->width + hb_pipeline_width(w->pipeline, op->input)), error);
}

static hbs_status ask_operators(walk *w, hb_asker asker, hbs_error *error)
{
    HB_TRY(begin_value(w, 0, error)); /* the features */
    HB_TRY(begin_outputs(w, asker, error));
    for (size_t v = w->pipeline->n_operators; v > 0; v--) {
        if (w->of[v])
            HB_TRY(ask_operator(w, v, asker, error));
        end_value(w, v);
    }
    return HBS_OK;
}

static const bool asks[] = {
#define TAKES_ALL                                       false
#define ASKS                                            true
#define HB_OPERATOR(kind, name, reads, demand, summary) demand,
#include "pipeline/operators.def"
#undef HB_OPERATOR
};

/* Formats whose libraries take every number have no operator that asks. */
static bool has_demands(const hb_pipeline *pipeline)
{
    for (size_t k = 0; k < pipeline->n_operators; k++) {
        const hb_operator *op = &pipeline->operators[k];

        if (asks[op->kind] && (op->kind != HB_OPERATOR_FOREST || op->forest->demand))
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

/* An encoder looks at a category for the library too, if that is of a live feature and what it becomes is not. */
static hbs_status ask_encoder_for_features(const hb_operator *op, hb_asker asker, const uint8_t *of, size_t n_features,
                                           hb_work *work, hbs_error *error)
{
    for (size_t c = 0; c < op->encoder->n_columns; c++) {
        uint32_t feature = op->encoder->columns[c].feature;

        if (feature < n_features && of[feature] & LIVE)
            op->asked[c] |= hb_asked_by(asker, 1);
        HB_TRY(hb_worked(work, UNITS_A_CODE, error));
    }
    return HBS_OK;
}

static hbs_status ask_encoders(const hb_pipeline *pipeline, hb_asker asker, const uint8_t *of, hbs_error *error)
{
    hb_work *work = &pipeline->arena.memory->work;

    for (size_t k = 0; k < pipeline->n_operators; k++)
        if (pipeline->operators[k].encoder)
            HB_TRY(ask_encoder_for_features(&pipeline->operators[k], asker, of, pipeline->n_features, work, error));
    return HBS_OK;
}

static hbs_status find_demands(hb_pipeline *pipeline, hb_asker asker, hbs_error *error)
{
    walk w = {.memory = pipeline->arena.memory, .pipeline = pipeline};
    hbs_status status = ask_operators(&w, asker, error);

    if (status == HBS_OK && has_demands(pipeline))
        status = keep_demands(pipeline, asker, w.of[0], error);
    if (status == HBS_OK)
        status = ask_encoders(pipeline, asker, w.of[0], error);
    if (status == HBS_OK)
        status = keep_live(pipeline, asker, w.of[0], error);
    for (size_t v = 0; v <= pipeline->n_operators; v++)
        end_value(&w, v);
    return status;
}

hbs_status hb_pipeline_demand(hb_pipeline *pipeline, hbs_error *error)
{
    HB_TRY(find_demands(pipeline, HB_FOR_PREDICTIONS, error));
    return pipeline->transform ? find_demands(pipeline, HB_FOR_TRANSFORM, error) : HBS_OK;
}
