/* table.c - the table of features, and constants: where a graph begins. */
#include "ir/distinct.h"
#include "ir/meaning.h"

/* The texts that a comparison of the sort looks at. */
typedef struct sorted_texts {
    const hbs_text *texts;
    hb_work *work;
} sorted_texts;

static int compare_texts(const void *context, uint32_t a, uint32_t b)
{
    const sorted_texts *s = context;

    return hb_compare_texts(s->texts[a], s->texts[b], s->work);
}

static hbs_status check_categories(const hb_pipeline *pipeline, size_t f, hbs_error *error)
{
    const hb_categories *c = hb_pipeline_categories(pipeline, f);
    hb_compare compare = c->type == HBS_TEXT    ? compare_texts
                         : c->type == HBS_INT64 ? hb_compare_integers
                                                : hb_compare_reals;
    const sorted_texts texts = {c->texts, &pipeline->arena.memory->work};
    const void *items = c->type == HBS_TEXT    ? (const void *)&texts
                        : c->type == HBS_INT64 ? (const void *)c->numbers
                                               : c->reals;
    char name[HB_EXCERPT_BUFFER];
    uint32_t same;

    HB_TRY(hb_find_equal(pipeline->arena.memory, c->count, compare, items, &same, error));
    if (same == c->count)
        return HBS_OK;
    return hb_fail(error, HBS_E_UNSUPPORTED,
                   "feature %zu (\"%s\"): category %zu %s another one, so they cannot be told "
                   "apart",
                   f, HB_SHOW(hb_pipeline_feature_name(pipeline, f), name), (size_t)same,
                   c->type == HBS_TEXT ? "has the same bytes as" : "is the same number as");
}

/* The first operator, and no other, binds the caller's columns. */
static hbs_status validate_ordinal(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    HB_CHECK(node == hb_node_at(&pipeline->graph, 1), error);
    for (size_t f = 0; f < pipeline->n_features; f++) {
        HB_TRY(hb_worked(&pipeline->arena.memory->work, 2, error));
        if (hb_pipeline_categories(pipeline, f))
            HB_TRY(check_categories(pipeline, f, error));
    }
    return HBS_OK;
}

static uint32_t lower_ordinal(hb_lowering *l)
{
    return hb_lower_one(l, HB_OPERATOR_ENCODE, l->inputs[0], NULL);
}

static void encode_facts(const hb_graph *graph, hb_node *node)
{
    bool always = graph->pipeline->rounded || !graph->pipeline->wide;

    node->value.float32 = always ? HB_FLOAT32_ALWAYS : HB_FLOAT32_IF_TABLE;
}

/* A pipeline is made by readers of files, none of which has another table, or a constant. */
static hbs_status refuse(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    HB_CHECK(node == hb_node_at(&pipeline->graph, 0), error);
    return HBS_OK;
}

const hb_meaning hb_meaning_table = {.validate = refuse};
const hb_meaning hb_meaning_constant = {.validate = refuse};
const hb_meaning hb_meaning_ordinal = {
    .validate = validate_ordinal, .lower = lower_ordinal, .needs = hb_needs_columns, .demands = hb_ask_same};
const hb_meaning hb_meaning_encode = {.validate = refuse, .facts = encode_facts};
