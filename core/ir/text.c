/* text.c - texts to counts of words. */
#include "ir/meaning.h"

static bool tokenizer_is_valid(const hb_tokenizer *t, hb_work *work)
{
    bool searches = t->splitting == HB_SPLIT_MATCHES || t->splitting == HB_SPLIT_BETWEEN;

    return t->casing < HB_N_CASINGS && t->splitting < HB_N_SPLITTINGS && (t->expression != NULL) == searches &&
           hb_words_valid(&t->stops, work);
}

static hbs_status validate_text_counts(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_text_counts *fit = node->fit;
    hb_work *work = &pipeline->arena.memory->work;

    HB_CHECK(fit->n_outputs > 0 && fit->n_outputs <= HB_MAX_OUTPUTS && fit->most_skipped <= HB_MOST_SKIPPED, error);
    HB_CHECK((tokenizer_is_valid(&fit->tokenizer, work) && hb_words_valid(&fit->words, work) &&
              hb_grams_valid(&fit->grams, fit->words.n, fit->n_outputs, work)) ||
                 work->stopped,
             error);
    return hb_work_status(work, error);
}

static void text_counts_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_text_counts *)node->fit)->n_outputs;
}

/* A text has no more words than bytes, which float32 can count. */
static void text_counts_facts(const hb_graph *graph, hb_node *node)
{
    if (hb_input_width(graph, node) == 1 || ((const hb_fit_text_counts *)node->fit)->of_numbers)
        node->value.float32 = HB_FLOAT32_ALWAYS;
}

static void text_counts_demands(const hb_asking *a)
{
    const hb_fit_text_counts *fit = a->node->fit;
    uint8_t any = hb_asked_any(a, 0, a->node->value.width);

    hb_ask_each(a, any & HB_LIVE ? (uint8_t)(HB_LIVE | (fit->missing ? 0 : HB_DEMAND_KNOWN)) : 0);
}

/* The columns of sequences that nobody needs are not made. */
static uint32_t narrow_text_counts(hb_narrowing *n)
{
    hb_fit_text_counts fit = *(const hb_fit_text_counts *)n->node->fit;
    uint32_t *outputs = hb_arena_array(n->graph->arena, fit.grams.n, sizeof(*outputs));
    uint32_t *place = hb_arena_array(n->graph->arena, fit.n_outputs, sizeof(*place));

    if (!outputs || !place) {
        n->graph->status = HBS_E_NOMEM;
        return 0;
    }
    for (size_t c = 0; c < fit.n_outputs; c++) {
        place[c] = n->live[c] ? (uint32_t)n->n_out : HB_NO_COLUMN;
        if (n->live[c])
            n->out[n->n_out++] = (uint32_t)c;
    }
    for (size_t i = 0; i < fit.grams.n && hb_goes_on(&n->graph->arena->memory->work, 1); i++)
        outputs[i] = fit.grams.outputs[i] == HB_NO_COLUMN ? HB_NO_COLUMN : place[fit.grams.outputs[i]];
    fit.grams.outputs = outputs;
    fit.n_outputs = n->n_out;
    return hb_graph_add(n->graph, n->node->kind, n->inputs, 1, &fit);
}

const hb_meaning hb_meaning_text_counts = {.validate = validate_text_counts,
                                           .shape = text_counts_shape,
                                           .facts = text_counts_facts,
                                           .narrow = narrow_text_counts,
                                           .demands = text_counts_demands};
