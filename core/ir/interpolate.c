/* interpolate.c - numbers on the straight lines between points. */
#include <math.h>
#include <string.h>

#include "ir/meaning.h"

static hbs_status check_points(hb_pipeline *pipeline, const hb_lines *lines, uint32_t first, size_t column,
                               hbs_error *error)
{
    for (uint32_t i = first; i < lines->ends[column]; i++) {
        if (isnan(lines->x[i]) || isnan(lines->y[i]) || (i > first && lines->x[i] < lines->x[i - 1]))
            return hb_fail(error, HBS_E_FORMAT, "interpolate: the points of column %zu do not rise", column);
        HB_TRY(hb_worked(&pipeline->arena.memory->work, 1, error));
    }
    return HBS_OK;
}

static hbs_status validate_interpolate(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_lines *lines = &((const hb_fit_interpolate *)node->fit)->model;
    uint32_t first = 0;

    HB_CHECK(lines->n_columns == hb_input_width(&pipeline->graph, node), error);
    for (size_t c = 0; c < lines->n_columns; c++) {
        HB_CHECK(lines->ends[c] > first, error);
        HB_TRY(check_points(pipeline, lines, first, c, error));
        first = lines->ends[c];
    }
    return HBS_OK;
}

static uint32_t narrow_interpolate(hb_narrowing *n)
{
    const hb_fit_interpolate *fit = n->node->fit;
    const hb_lines *lines = &fit->model;
    size_t all = lines->ends[lines->n_columns - 1];
    uint32_t *ends = hb_graph_array(n->graph, n->n_in[0], sizeof(*ends));
    double *x = hb_graph_array(n->graph, all, sizeof(*x)), *y = hb_graph_array(n->graph, all, sizeof(*y));
    uint32_t at = 0;

    for (size_t i = 0; ends && x && y && i < n->n_in[0]; i++) {
        uint32_t c = n->in[0][i], first = c ? lines->ends[c - 1] : 0, count = lines->ends[c] - first;

        memcpy(x + at, lines->x + first, count * sizeof(*x));
        memcpy(y + at, lines->y + first, count * sizeof(*y));
        ends[i] = at += count;
    }
    return hb_narrow_columns(n, &(hb_fit_interpolate){fit->misses_outside, fit->kind, {n->n_in[0], ends, x, y}});
}

/* NaN stays NaN; what is infinite has the number of the last point. */
static void interpolate_demands(const hb_asking *a)
{
    for (size_t c = 0; c < a->node->value.width; c++)
        hb_asking_input(a)[c] |= a->own[c] & (HB_LIVE | HB_DEMAND_KNOWN);
}

const hb_meaning hb_meaning_interpolate = {.validate = validate_interpolate,
                                           .needs = hb_needs_columns,
                                           .narrow = narrow_interpolate,
                                           .demands = interpolate_demands};
