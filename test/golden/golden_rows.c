/* golden_rows.c - the rows one by one in other types, as numbers and as JSON. */
#include "golden_scorer.h"

#include <math.h>
#include <stdlib.h>

void rg_score_rows_as(rg_scorer *s, hbs_run *run, rg_form form, bool nan, uint32_t asked, const char *way)
{
    const rg_golden *g = s->golden;
    hbs_value *values = rg_need(g->features, sizeof(*values));
    char *buffers = rg_need(g->features, RG_CELL_TEXT);
    hbs_result result;
    hbs_error error;

    for (size_t i = 0; i < s->n_good; i++) {
        if (!rg_row_fits(g, s->good[i], form))
            continue;
        rg_row(g, s->good[i], form, nan, buffers, values);
        if (hbs_score_row(run, values, g->features, asked, &result, &error) != HBS_OK)
            rg_differ(s, "%s, row %zu: %s", way, s->good[i], error.text);
        else
            rg_compare_bits(s, &result, 0, s->good[i], asked, way);
    }
    free(values);
    free(buffers);
}

void rg_score_rows_as_numbers(rg_scorer *s, const char *way)
{
    const rg_golden *g = s->golden;
    hbs_value *values = rg_need(g->features, sizeof(*values));
    double *numbers = rg_need(g->features, sizeof(*numbers));
    char *buffers = rg_need(g->features, RG_CELL_TEXT);
    hbs_result result;
    hbs_error error;

    for (size_t i = 0; i < s->n_good; i++) {
        size_t c;

        if (!rg_row_fits(g, s->good[i], RG_FLOAT64))
            continue;
        rg_row(g, s->good[i], RG_FLOAT64, true, buffers, values);
        for (c = 0; c < g->features && (values[c].type == HBS_FLOAT64 || values[c].type == HBS_NULL); c++)
            numbers[c] = values[c].type == HBS_NULL ? (double)NAN : values[c].as.f64;
        if (c < g->features)
            continue;
        if (hbs_score_numbers(s->run, numbers, g->features, s->outputs, &result, &error) != HBS_OK)
            rg_differ(s, "%s, row %zu: %s", way, s->good[i], error.text);
        else
            rg_compare_bits(s, &result, 0, s->good[i], s->outputs, way);
    }
    free(values);
    free(numbers);
    free(buffers);
}

void rg_score_rows_json(rg_scorer *s, bool object, const char *way)
{
    const rg_golden *g = s->golden;
    hbs_result result;
    hbs_error error;

    for (size_t i = 0; i < s->n_good; i++) {
        size_t size;
        char *json = rg_row_json(g, s->good[i], object, &size);

        if (hbs_score_json(s->run, json, size, s->outputs, &result, &error) != HBS_OK)
            rg_differ(s, "%s, row %zu: %s", way, s->good[i], error.text);
        else
            rg_compare_bits(s, &result, 0, s->good[i], s->outputs, way);
        free(json);
    }
}
