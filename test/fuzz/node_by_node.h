/* node_by_node.h - what a pipeline's lowered nodes give, evaluated one after the other for 64 rows at a time, by the
 * portable kernels: no pass has changed the graph, every value has room of its own and all its columns, and trees are
 * walked from node to node. Included behind plain_forest.h, once. */
#include "base/city_hash.h"
#include "graph/passes.h"
#include "op/execution.h"

enum { TILE = 64 };

/* How a row ends. */
typedef enum fate { SCORED, NO_RESULT, AN_ERROR } fate;

typedef struct by_node {
    const hb_pipeline *pipeline;
    hb_memory memory;
    hb_arena arena;
    hb_graph graph;
    void **values;        /* of each node: [width][TILE], or [width] of a constant */
    hb_refusal *refusals; /* of each node */
} by_node;

static void by_node_begin(by_node *b, const hb_pipeline *pipeline)
{
    hbs_error error = {0};

    memset(b, 0, sizeof(*b));
    b->pipeline = pipeline;
    hb_memory_init(&b->memory, &HOST, 0);
    hb_arena_init(&b->arena, &b->memory);
    if (hb_graph_lower(&b->graph, pipeline, &b->arena, &error) != HBS_OK ||
        hb_graph_mark_needs(&b->graph, &error) != HBS_OK)
        give_up("the pipeline is not lowered", &error);
    b->values = must(calloc(b->graph.nodes.count, sizeof(*b->values)));
    b->refusals = must(calloc(b->graph.nodes.count, sizeof(*b->refusals)));
    for (size_t i = 0; i < b->graph.nodes.count; i++) {
        const hb_value *value = &hb_node_at(&b->graph, i)->value;
        size_t bytes = value->width * hb_dtype_size(value->dtype) * (value->constant ? 1 : TILE);

        b->values[i] = must(malloc(bytes));
        memset(b->values[i], 0x5a, bytes);
        if (value->data)
            memcpy(b->values[i], value->data, bytes);
    }
}

static void by_node_end(by_node *b)
{
    for (size_t i = 0; i < b->graph.nodes.count; i++)
        free(b->values[i]);
    free(b->values);
    free(b->refusals);
    hb_graph_release(&b->graph);
    hb_arena_release(&b->arena);
}

/* ------------------------------------------------------------------ features */

static bool is_category(const hb_categories *known, size_t i, const hbs_value *cell)
{
    if (known->type == HBS_TEXT)
        return cell->type == HBS_TEXT && cell->as.text.size == known->texts[i].size &&
               memcmp(cell->as.text.bytes, known->texts[i].bytes, cell->as.text.size) == 0;
    if (known->type == HBS_INT64)
        return cell->type == HBS_INT64 && cell->as.i64 == known->numbers[i];
    return cell->type == HBS_FLOAT64 && cell->as.f64 == known->reals[i];
}

static void worsen(fate *row, fate to)
{
    *row = to > *row ? to : *row;
}

static bool is_null(const hbs_value *cell)
{
    return cell->type == HBS_NULL || (cell->type == HBS_FLOAT64 && isnan(cell->as.f64));
}

static double encode_category(const hb_pipeline *p, const hb_categories *known, const hbs_value *cell, uint8_t demands,
                              fate *row)
{
    for (size_t i = 0; i < known->count; i++)
        if (!is_null(cell) && is_category(known, i, cell))
            return (double)i;
    if (is_null(cell))
        return NAN;
    if (p->unseen_is_code && !(demands & HB_DEMAND_SEEN))
        return HB_UNSEEN_CODE;
    if (p->on_unseen != HB_UNSEEN_MISSING)
        worsen(row, p->on_unseen == HB_UNSEEN_ERROR ? AN_ERROR : NO_RESULT);
    return NAN;
}

static double encode_number(const hb_pipeline *p, const hbs_value *cell)
{
    double number = cell->type == HBS_NULL      ? (double)NAN
                    : cell->type == HBS_FLOAT32 ? (double)cell->as.f32
                    : cell->type == HBS_INT64   ? (double)cell->as.i64
                                                : cell->as.f64;

    return p->wide && !p->rounded ? number : (double)(float)number;
}

static bool is_refused(uint8_t demands, double number)
{
    if (isnan(number))
        return demands & HB_DEMAND_KNOWN;
    if (isinf(number))
        return demands & HB_DEMAND_FINITE;
    return demands & HB_DEMAND_FLOAT32 && isinf((float)number);
}

/* Feature f of a row. One that cannot matter becomes another number, mostly NaN: nothing may depend on it. */
static double encode_cell(const hb_pipeline *p, hb_asker asker, size_t f, const hbs_value *cell, fate *row)
{
    uint8_t demands = p->demands[asker] ? p->demands[asker][f] : 0;
    const hb_categories *known = hb_pipeline_categories(p, f);
    fate refused = p->missing_is_error ? AN_ERROR : NO_RESULT;
    char digits[24];
    double number;

    if (!hb_pipeline_is_live(p, asker, f))
        return p->hashed && p->hashed[f] ? 7 : (double)NAN; /* a hash is a whole number */
    if (p->hashed && p->hashed[f]) {
        hbs_text text = cell->as.text;

        if (is_null(cell)) {
            worsen(row, refused);
            number = 0;
        } else {
            if (cell->type == HBS_INT64)
                text = (hbs_text){digits, (size_t)snprintf(digits, sizeof(digits), "%d", (int)cell->as.i64)};
            number = (double)(int32_t)(uint32_t)hb_city_hash64(text.bytes, text.size);
        }
    } else {
        number = known ? encode_category(p, known, cell, demands, row) : encode_number(p, cell);
    }
    if (is_refused(demands, number))
        worsen(row, refused);
    return number;
}

/* ------------------------------------------------------------------ nodes */

static double number_of(const by_node *b, size_t i, size_t column, size_t r)
{
    const hb_value *value = &hb_node_at(&b->graph, i)->value;
    size_t at = value->constant ? column : column * TILE + r;

    return value->dtype == HB_DTYPE_FLOAT64 ? ((double *)b->values[i])[at] : (double)((float *)b->values[i])[at];
}

static void set_number(by_node *b, size_t i, size_t column, size_t r, double number)
{
    if (hb_node_at(&b->graph, i)->value.dtype == HB_DTYPE_FLOAT64)
        ((double *)b->values[i])[column * TILE + r] = number;
    else
        ((float *)b->values[i])[column * TILE + r] = (float)number;
}

static void walk_trees(by_node *b, size_t i, size_t rows)
{
    const hb_node *node = hb_node_at(&b->graph, i);
    const hb_forest_model *forest = ((const hb_fit_tree_ensemble *)node->fit)->forest;
    double row[MOST_WIDTH], sums[MOST_WIDTH];

    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < forest->n_features; c++)
            row[c] = number_of(b, node->inputs[0], c, r);
        for (size_t o = 0; o < forest->n_outputs; o++)
            sums[o] = number_of(b, node->inputs[1], o, r);
        for (size_t t = 0; t < forest->n_trees; t++)
            walk(forest, t, row, sums);
        for (size_t o = 0; o < forest->n_outputs; o++)
            set_number(b, i, o, r, sums[o]);
    }
}

static void evaluate_node(by_node *b, size_t i, size_t rows, hb_asker asker)
{
    const hb_node *node = hb_node_at(&b->graph, i);
    bool constant = node->value.constant;
    const void *inputs[2] = {NULL, NULL};
    hb_call call = {.evaluate = hb_evaluators[node->kind],
                    .kernels = hb_kernels_at(0),
                    .fit = node->fit,
                    .asker = asker,
                    .dtype = node->value.dtype,
                    .stride = constant ? 1 : TILE,
                    .rows = constant ? 1 : rows,
                    .input_width = hb_input_width(&b->graph, node),
                    .width = node->value.width,
                    .inputs = inputs,
                    .output = b->values[i],
                    .refusal = &b->refusals[i]};

    for (size_t k = 0; k < node->n_inputs; k++)
        inputs[k] = b->values[node->inputs[k]];
    call.input = inputs[0];
    if (node->kind == HB_OPERATOR_TREE_ENSEMBLE)
        walk_trees(b, i, rows);
    else if (!hb_evaluate(&call))
        give_up("an operator wants to stop", NULL);
}

/* Rows [first, first + rows) of the cells of each feature, for the asker of these outputs; fates[rows] of a row, and
 * its numbers are then those of number_of. */
static void by_node_evaluate(by_node *b, const hbs_value *const *cells, size_t first, size_t rows, uint32_t asked,
                             fate *fates)
{
    hb_asker asker = asked & HBS_OUT_TRANSFORM ? HB_FOR_TRANSFORM : HB_FOR_PREDICTIONS;
    const hb_pipeline *p = b->pipeline;

    for (size_t r = 0; r < rows; r++)
        fates[r] = SCORED;
    for (size_t i = 1; i < b->graph.nodes.count; i++) {
        const hb_node *node = hb_node_at(&b->graph, i);

        b->refusals[i].rows = b->refusals[i].beyond = 0;
        if (node->kind == HB_OPERATOR_ENCODE)
            for (size_t f = 0; f < p->n_features; f++)
                for (size_t r = 0; r < rows; r++)
                    set_number(b, i, f, r, encode_cell(p, asker, f, &cells[f][first + r], &fates[r]));
        else if (node->outputs & asked && node->kind != HB_OPERATOR_CONSTANT)
            evaluate_node(b, i, rows, asker);
    }
    for (size_t r = 0; r < rows; r++) {
        fate bound = fates[r];

        for (size_t i = 1; bound == SCORED && i < b->graph.nodes.count; i++) {
            if (b->refusals[i].rows >> r & 1)
                worsen(&fates[r], p->on_unseen == HB_UNSEEN_ERROR ? AN_ERROR : NO_RESULT);
            if (b->refusals[i].beyond >> r & 1)
                worsen(&fates[r], p->missing_is_error ? AN_ERROR : NO_RESULT);
        }
    }
}
