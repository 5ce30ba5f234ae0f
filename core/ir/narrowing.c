/* narrowing.c - what operators share that make fewer columns (hb_meaning.needs and narrow). */
#include <string.h>

#include "ir/meaning.h"

void hb_needs_columns(const hb_needing *n)
{
    for (size_t k = 0; k < n->node->n_inputs; k++)
        for (size_t c = 0; c < n->node->value.width; c++)
            n->of[k][c] |= n->live[c]; /* another node may need others */
}

/* Room of the new graph; NULL after an error. */
static void *take(hb_narrowing *n, size_t count, size_t size)
{
    void *items = hb_arena_array(n->graph->arena, count, size);

    if (!items)
        n->graph->status = HBS_E_NOMEM;
    return items;
}

void *hb_narrow_items(hb_narrowing *n, const void *from, size_t size)
{
    char *to = from ? take(n, n->n_in[0], size) : NULL;

    for (size_t i = 0; to && i < n->n_in[0]; i++)
        memcpy(to + i * size, (const char *)from + n->in[0][i] * size, size);
    return to;
}

hb_failure hb_narrow_failure(hb_narrowing *n, const hb_failure *of_all)
{
    return (hb_failure){of_all->n_words, of_all->words,
                        hb_narrow_items(n, of_all->features, sizeof(*of_all->features))};
}

uint32_t hb_narrow_place(const hb_narrowing *n, uint32_t column)
{
    size_t low = 0, high = n->n_in[0];

    if (column < high && n->in[0][column] == column)
        return column;
    hb_goes_on(&n->graph->arena->memory->work, 64); /* whether the host wants to stop is asked for after the node */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (n->in[0][middle] <= column)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

/* The second input of an operator of columns and constants, which has a number for each column. */
static uint32_t narrow_constant(hb_narrowing *n, uint32_t constant)
{
    const hb_value *value = &hb_node_at(n->graph, constant)->value;
    hb_dtype dtype = value->dtype;

    if (value->width == n->n_in[0])
        return constant;
    return hb_graph_add_constant(n->graph, dtype, n->n_in[0], hb_narrow_items(n, value->data, hb_dtype_size(dtype)));
}

uint32_t hb_narrow_columns(hb_narrowing *n, const void *fit)
{
    uint32_t inputs[2] = {n->inputs[0], 0};

    memcpy(n->out, n->in[0], n->n_in[0] * sizeof(*n->out));
    n->n_out = n->n_in[0];
    if (n->node->n_inputs > 1)
        inputs[1] = narrow_constant(n, n->inputs[1]);
    return hb_graph_add(n->graph, n->node->kind, inputs, n->node->n_inputs, fit);
}
