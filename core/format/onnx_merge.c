/* onnx_merge.c - small operators of one kind that stand side by side become one: converters write a ReduceProd for each
 * term of a polynomial, for example. */
#include <string.h>

#include "format/onnx.h"

/* A reduction of some columns of another value. */
typedef struct part {
    const hb_fit_reduce *reduce;
    const hb_fit_select *select;
    uint32_t source;
} part;

static bool is_part(const hb_graph *graph, uint32_t value, part *p)
{
    const hb_node *node = hb_node_at(graph, value), *input;

    if (node->kind != HB_OPERATOR_REDUCE)
        return false;
    input = hb_node_at(graph, node->inputs[0]);
    if (input->kind != HB_OPERATOR_SELECT)
        return false;
    *p = (part){node->fit, input->fit, input->inputs[0]};
    return true;
}

static bool go_together(const part *a, const part *b)
{
    return a->source == b->source && a->reduce->function == b->reduce->function &&
           a->reduce->rounding == b->reduce->rounding && a->reduce->n_terms == b->reduce->n_terms;
}

/* How many of the values, from the first on, are parts that go together; and their columns. */
static size_t count_parts(const hb_graph *graph, const uint32_t *values, size_t n, part *first, size_t *n_columns)
{
    size_t count = 0;
    part next;

    *n_columns = 0;
    if (!is_part(graph, values[0], first))
        return 0;
    for (; count < n && is_part(graph, values[count], &next) && go_together(first, &next); count++)
        *n_columns += next.select->n_columns;
    return count;
}

/* Products of two columns each, which need not be copied. */
static hbs_status multiply(hb_onnx_file *file, uint32_t source, const hb_fit_reduce *reduce, const uint32_t *columns,
                           size_t n, uint32_t *merged)
{
    uint32_t *first = hb_arena_array(&file->pipeline->arena, n, sizeof(*first));
    uint32_t *second = hb_arena_array(&file->pipeline->arena, n, sizeof(*second));
    const uint32_t inputs[2] = {source, source};

    if (!first || !second)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < n; i++) {
        first[i] = columns[2 * i];
        second[i] = columns[2 * i + 1];
    }
    *merged = (uint32_t)hb_pipeline_add_of(file->pipeline, HB_OPERATOR_COMBINE, inputs, 2,
                                           &(hb_fit_combine){.function = HB_COMBINE_MULTIPLY,
                                                             .rounding = reduce->rounding,
                                                             .n_outputs = n,
                                                             .first = first,
                                                             .second = second});
    return HBS_OK;
}

/* One reduction of the columns of all of them; `like` is the first. */
static hbs_status merge(hb_onnx_file *file, const part *like, const uint32_t *values, size_t n, size_t n_columns,
                        uint32_t *merged)
{
    uint32_t *columns = hb_arena_array(&file->pipeline->arena, n_columns, sizeof(*columns));
    const hb_fit_reduce reduce = *like->reduce;
    const uint32_t source = like->source;
    size_t at = 0, select;
    part p;

    if (!columns)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < n && is_part(&file->pipeline->graph, values[i], &p); i++) {
        memcpy(columns + at, p.select->columns, p.select->n_columns * sizeof(*columns));
        at += p.select->n_columns;
    }
    HB_TRY(hb_worked(file->bytes.work, n_columns, file->error));
    if (reduce.function == HB_REDUCE_PRODUCT && reduce.n_terms == 2)
        return multiply(file, source, &reduce, columns, n_columns / 2, merged);
    select = hb_pipeline_add(file->pipeline, HB_OPERATOR_SELECT, source, &(hb_fit_select){n_columns, columns});
    if (reduce.function == HB_REDUCE_PRODUCT && reduce.n_terms == 1) {
        *merged = (uint32_t)select;
        return HBS_OK;
    }
    *merged = (uint32_t)hb_pipeline_add(file->pipeline, HB_OPERATOR_REDUCE, select, &reduce);
    return HBS_OK;
}

hbs_status hb_onnx_merge(hb_onnx_file *file, uint32_t *values, size_t *n)
{
    size_t kept = 0, n_columns;

    HB_TRY(hb_graph_check(&file->pipeline->graph, file->error)); /* nodes are looked at */
    for (size_t i = 0, count; i < *n; i += count) {
        uint32_t made = values[i];
        part first;

        count = count_parts(&file->pipeline->graph, values + i, *n - i, &first, &n_columns);
        if (count > 1 && n_columns <= HB_MAX_OUTPUTS)
            HB_TRY(merge(file, &first, values + i, count, n_columns, &made));
        else
            count = 1;
        values[kept++] = made;
        HB_TRY(hb_worked(file->bytes.work, 4 * count, file->error));
        HB_TRY(hb_graph_check(&file->pipeline->graph, file->error));
    }
    *n = kept;
    return HBS_OK;
}
