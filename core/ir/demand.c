/* demand.c - which features can matter to an output, and which numbers these must not be.
 *
 * A column is live if its number can change an output. Each operator says which columns of its input are live, given
 * which of its own are (hb_meaning.demands). scikit-learn checks its input and refuses what it cannot
 * take; a row that it would refuse must not get a score. So an operator also says what the columns of its input must
 * not be, given what its own must not; that a selector drops a column behind it does not matter to the library. But a
 * feature that is not live is asked for nothing: no answer depends on it. The transform is an output by itself: a
 * feature that only the classifier refuses has one. */
#include <string.h>

#include "ir/asking.h"
#include "ir/meaning.h"

/* `of` holds a byte for each column of a value, from the value's first reader on until the value's own operator has
 * been asked. */
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
    memset(w->of[v], HB_LIVE, hb_pipeline_width(w->pipeline, v));
    return HBS_OK;
}

static hbs_status begin_outputs(walk *w, hb_asker asker, hbs_error *error)
{
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if ((i == HB_OUT_TRANSFORM) == (asker == HB_FOR_TRANSFORM))
            HB_TRY(begin_output(w, hb_pipeline_output(w->pipeline, (hb_output)i), error));
    return HBS_OK;
}

static hbs_status ask_operator(walk *w, size_t v, hb_asker asker, hbs_error *error)
{
    enum { UNITS_A_COLUMN = 2 };
    const hb_node *node = hb_node_at(&w->pipeline->graph, v);
    void (*demands)(const hb_asking *a) = hb_meanings[node->kind]->demands;
    hb_work *work = &w->memory->work;

    for (size_t i = 0; i < node->n_inputs; i++)
        HB_TRY(begin_value(w, node->inputs[i], error));
    (demands ? demands : hb_ask_all_inputs)(&(hb_asking){w->pipeline, node, asker, w->of[v], w->of, work});
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
        features[i] = (uint8_t)((of[i] >> HB_LIVE_BIT) * (of[i] & ~HB_LIVE));
    for (size_t i = 0; pipeline->categories && i < pipeline->n_features; i++) {
        if (hb_pipeline_categories(pipeline, i))
            features[i] = hb_asked_of_computed(features[i]);
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
        n_live += of[i] >> HB_LIVE_BIT;
    HB_TRY(hb_worked(&pipeline->arena.memory->work, n, error));
    if (n_live == n)
        return HBS_OK;
    live = hb_arena_array(&pipeline->arena, (n + 7) / 8, 1);
    if (!live)
        return hb_no_memory(pipeline->arena.memory, error);
    for (size_t i = 0; i < n; i++)
        live[i / 8] |= (uint8_t)((of[i] >> HB_LIVE_BIT) << i % 8);
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
enum { UNITS_A_CODE = 4 };

static hbs_status ask_encoder_for_features(const walk *w, const hb_node *node, hb_asker asker, hbs_error *error)
{
    uint8_t *looks_at = NULL;
    const hb_encoder *encoder = encoder_of(node, &looks_at);

    for (size_t c = 0; encoder && c < encoder->n_columns; c++) {
        uint32_t feature = encoder->columns[c].feature;

        if (feature < w->pipeline->n_features && w->of[0][feature] & HB_LIVE)
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
