/* whole_texts.c - a number of a row's text as a whole: its hash, its code, the number that it stands for, or whether it
 * equals another one. */
#include "ir/meaning.h"

/* A missing text is refused, unless the parameters say what it counts as. */
static void ask_texts(const hb_asking *a, const char *missing)
{
    for (size_t k = 0; k < a->node->n_inputs; k++) {
        uint8_t *texts = a->of[a->node->inputs[k]];

        for (size_t c = 0; c < a->node->value.width && hb_goes_on(a->work, 1); c++)
            if (a->own[c] & HB_LIVE)
                texts[c] |= (uint8_t)(HB_LIVE | (missing ? 0 : HB_DEMAND_KNOWN));
    }
}

/* A number has bytes whatever it is. */
static void text_hash_demands(const hb_asking *a)
{
    const hb_fit_text_hash *fit = a->node->fit;

    if (fit->source == HB_SOURCE_TEXTS)
        ask_texts(a, fit->missing);
    else
        hb_ask_live(a);
}

static hbs_status validate_text_hash(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    (void)pipeline;
    HB_CHECK(((const hb_fit_text_hash *)node->fit)->source < HB_N_TEXT_SOURCES, error);
    return HBS_OK;
}

static void text_equal_demands(const hb_asking *a)
{
    ask_texts(a, ((const hb_fit_text_equal *)a->node->fit)->missing);
}

static hbs_status validate_text_equal(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_graph *graph = &pipeline->graph;

    HB_CHECK(hb_node_at(graph, node->inputs[0])->value.width == hb_node_at(graph, node->inputs[1])->value.width, error);
    return HBS_OK;
}

static hbs_status validate_text_code(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_text_code *fit = node->fit;
    hb_work *work = &pipeline->arena.memory->work;

    HB_CHECK(fit->source < HB_N_TEXT_SOURCES && (hb_words_valid(&fit->words, work) || work->stopped), error);
    return hb_work_status(work, error);
}

/* A missing text stays missing: who reads its code may refuse that, or what is in no list. */
static void text_code_demands(const hb_asking *a)
{
    bool texts = ((const hb_fit_text_code *)a->node->fit)->source == HB_SOURCE_TEXTS;
    uint8_t *asked = hb_asking_input(a), passed = texts ? HB_LIVE | HB_DEMAND_KNOWN : HB_LIVE;

    for (size_t c = 0; c < a->node->value.width && hb_goes_on(a->work, 1); c++)
        asked[c] |= a->own[c] & passed;
}

static hbs_status validate_code_texts(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_code_texts *fit = node->fit;
    hb_work *work = &pipeline->arena.memory->work;

    for (size_t i = 0; i < fit->n_columns; i++) {
        const hb_coded_column *coded = &fit->columns[i];

        HB_CHECK(coded->column < hb_input_width(&pipeline->graph, node), error);
        HB_CHECK(i == 0 || coded->column > coded[-1].column, error);
        HB_CHECK(hb_words_valid(&coded->words, work) || work->stopped, error);
        HB_TRY(hb_work_status(work, error));
    }
    return HBS_OK;
}

/* The codes of the columns, side by side. */
static uint32_t lower_codes(hb_lowering *l, const hb_fit_code_texts *fit)
{
    uint32_t both[2] = {0, 0};

    for (size_t i = 0; i < fit->n_columns; i++) {
        const hb_coded_column *coded = &fit->columns[i];
        const hb_fit_text_code code = {.source = HB_SOURCE_TEXTS, .words = coded->words, .codes = coded->codes};

        both[1] = hb_lower_one(l, HB_OPERATOR_SELECT, l->inputs[0], &(hb_fit_select){1, &coded->column});
        both[1] = hb_lower_one(l, HB_OPERATOR_TEXT_CODE, both[1], &code);
        both[0] = i == 0 ? both[1] : hb_graph_add(l->graph, HB_OPERATOR_CONCAT, both, 2, NULL);
    }
    return both[0];
}

/* Codes stand behind all columns first, and then in the place of their texts. */
static uint32_t lower_code_texts(hb_lowering *l)
{
    const hb_fit_code_texts *fit = l->node->fit;
    size_t width = hb_input_width(&l->pipeline->graph, l->node);
    uint32_t both[2] = {l->inputs[0], 0}, *columns;

    if (fit->n_columns == 0)
        return l->inputs[0];
    columns = hb_graph_array(l->graph, width, sizeof(*columns));
    for (uint32_t c = 0; columns && c < width; c++)
        columns[c] = c;
    for (size_t i = 0; columns && i < fit->n_columns; i++)
        columns[fit->columns[i].column] = (uint32_t)(width + i);
    both[1] = lower_codes(l, fit);
    return hb_lower_one(l, HB_OPERATOR_SELECT, hb_graph_add(l->graph, HB_OPERATOR_CONCAT, both, 2, NULL),
                        &(hb_fit_select){width, columns});
}

static hbs_status validate_text_number(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    (void)pipeline;
    HB_CHECK(((const hb_fit_text_number *)node->fit)->type < HB_N_NUMBER_TYPES, error);
    return HBS_OK;
}

/* Floats have a number for a missing text. */
static void text_number_demands(const hb_asking *a)
{
    const hb_fit_text_number *fit = a->node->fit;

    if (fit->missing || fit->type == HB_NUMBER_FLOAT32 || fit->type == HB_NUMBER_FLOAT64)
        hb_ask_live(a);
    else
        ask_texts(a, NULL);
}

static uint32_t narrow_same(hb_narrowing *n)
{
    return hb_narrow_columns(n, n->node->fit);
}

static uint32_t narrow_text_number(hb_narrowing *n)
{
    hb_fit_text_number fit = *(const hb_fit_text_number *)n->node->fit;

    fit.failure = hb_narrow_failure(n, &fit.failure);
    return hb_narrow_columns(n, &fit);
}

const hb_meaning hb_meaning_text_hash = {
    .validate = validate_text_hash, .needs = hb_needs_columns, .narrow = narrow_same, .demands = text_hash_demands};
const hb_meaning hb_meaning_text_code = {
    .validate = validate_text_code, .needs = hb_needs_columns, .narrow = narrow_same, .demands = text_code_demands};
const hb_meaning hb_meaning_code_texts = {
    .validate = validate_code_texts, .lower = lower_code_texts, .needs = hb_needs_columns, .demands = hb_ask_same};
const hb_meaning hb_meaning_text_number = {.validate = validate_text_number,
                                           .needs = hb_needs_columns,
                                           .narrow = narrow_text_number,
                                           .demands = text_number_demands};
const hb_meaning hb_meaning_text_equal = {.validate = validate_text_equal, .demands = text_equal_demands};
