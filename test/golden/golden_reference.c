/* golden_reference.c - the rows one by one, beside the library's answers: the reference of all other ways. */
#include "golden_scorer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void compare_with_library(rg_scorer *s, size_t row)
{
    const uint64_t *bits = s->bits + row * s->stride;

    for (int k = 0; k < RG_KINDS; k++) {
        const rg_output *out = &s->golden->outputs[k];

        if (!out->given)
            continue;
        for (size_t i = 0; i < out->width; i++) {
            double got = rg_number_of(bits[i]), want = out->want[row * out->width + i];

            if (!rg_agrees(out, got, want))
                rg_differ(s, "row %zu, %s[%zu]: got %a, wanted %a", row, rg_kind_name((rg_kind)k), i, got, want);
        }
        bits += out->width;
    }
}

/* As numpy's stable argsort of the negated probabilities has them; where ours may differ, those close to each other in
 * either order. */
static bool stands_before(const rg_output *out, const double *want, uint32_t a, uint32_t b)
{
    bool a_is_nan = isnan(want[a]), b_is_nan = isnan(want[b]);

    if (a_is_nan != b_is_nan)
        return b_is_nan;
    if (want[a] > want[b])
        return true;
    if (out->rule == RG_EXACT)
        return (a_is_nan || want[a] == want[b]) && a < b;
    return rg_agrees(out, want[a], want[b]);
}

/* predict_top's order of all classes against the library's probabilities. */
static void check_best(rg_scorer *s, const hbs_result *result, size_t row)
{
    const rg_output *out = &s->golden->outputs[RG_PROBABILITIES];
    const double *want = out->want + row * out->width;
    uint32_t *best;
    hbs_error error;

    if (!out->given || s->info.classes != out->width)
        return;
    best = rg_need(out->width, sizeof(*best));
    if (hbs_best_classes(s->run, result, 0, out->width, best, &error) != HBS_OK)
        rg_differ(s, "row %zu, best classes: %s", row, error.text);
    else
        for (size_t i = 1; i < out->width; i++)
            if (!stands_before(out, want, best[i - 1], best[i]))
                rg_differ(s, "row %zu: class %u stands before class %u", row, best[i - 1], best[i]);
    free(best);
}

static bool contains(const char *text, hbs_text part)
{
    size_t length = strlen(text);

    for (size_t i = 0; i + part.size <= length; i++)
        if (memcmp(text + i, part.bytes, part.size) == 0)
            return true;
    return false;
}

/* The text names a feature of the row and that feature's value. */
static bool names_cell(const rg_golden *g, size_t row, const char *text)
{
    char buffer[RG_CELL_TEXT];
    hbs_value value;

    for (size_t c = 0; c < g->features; c++) {
        rg_cell(&g->cells[row * g->features + c], RG_TEXT, true, buffer, &value);
        if (value.type == HBS_TEXT && contains(text, g->names[c]) && contains(text, value.as.text))
            return true;
    }
    return false;
}

void rg_check_error(rg_scorer *s, size_t row, hbs_status status, const hbs_error *error, const char *way)
{
    if (status != HBS_E_ARGS && status != HBS_E_TYPE)
        rg_differ(s, "%s, row %zu: wanted an error for the value, got %s", way, row, hbs_status_name(status));
    else if (error->status != status || !names_cell(s->golden, row, error->text))
        rg_differ(s, "%s, row %zu: the error does not name column and value: %s", way, row, error->text);
}

static bool is_same_cell(const hbs_value *a, const hbs_value *b)
{
    if (a->type != b->type)
        return false;
    if (a->type == HBS_TEXT)
        return a->as.text.size == b->as.text.size && memcmp(a->as.text.bytes, b->as.text.bytes, a->as.text.size) == 0;
    return a->type == HBS_NULL || (a->type == HBS_FLOAT64   ? a->as.f64 == b->as.f64
                                   : a->type == HBS_FLOAT32 ? a->as.f32 == b->as.f32
                                                            : a->as.i64 == b->as.i64);
}

/* True where the library takes the row's cell of feature c in another row. */
static bool is_taken(const rg_golden *g, size_t row, size_t c)
{
    for (size_t r = 0; r < g->rows; r++)
        if (g->fate[r] == RG_SCORED && is_same_cell(&g->cells[r * g->features + c], &g->cells[row * g->features + c]))
            return true;
    return false;
}

/* The row with other cells of the features that no answer depends on: those of a row that the library takes. False: the
 * row has no cell among these that the library takes in no row, or no row is taken. */
static bool mend(const rg_scorer *s, size_t row, hbs_value *mended)
{
    const rg_golden *g = s->golden;
    size_t taken = 0;
    bool differs = false;

    while (taken < g->rows && g->fate[taken] != RG_SCORED)
        taken++;
    for (size_t c = 0; c < g->features && taken < g->rows; c++) {
        bool matters = hbs_plan_uses(s->plans[AS_IT_IS], c, s->outputs);

        mended[c] = g->cells[(matters ? row : taken) * g->features + c];
        differs |= !matters && !is_taken(g, row, c);
    }
    return differs;
}

/* A row that the library refuses may have an answer if it refuses cells of features that do not matter: that of the row
 * without them. */
static bool is_unlike(rg_scorer *s, size_t row, const hbs_result *found)
{
    const rg_golden *g = s->golden;
    hbs_value *mended = rg_need(g->features, sizeof(*mended));
    uint64_t *bits = s->bits + row * s->stride;
    hbs_result result;
    hbs_error error;
    bool unlike = g->fate[row] != RG_SCORED && mend(s, row, mended);

    if (unlike) {
        rg_take_row(s, found, 0, s->outputs, bits);
        memcpy(s->got, bits, s->stride * sizeof(*bits));
        if (hbs_score_row(s->run, mended, g->features, s->outputs, &result, &error) != HBS_OK ||
            !rg_is_valid(&result, 0))
            rg_differ(s, "row %zu has an answer, and none without what does not matter", row);
        else
            rg_take_row(s, &result, 0, s->outputs, bits);
        if (memcmp(s->got, bits, s->stride * sizeof(*bits)) != 0)
            rg_differ(s, "row %zu: another answer without what does not matter", row);
        g->fate[row] = RG_UNLIKE;
    }
    free(mended);
    return unlike;
}

void rg_score_reference(rg_scorer *s)
{
    const rg_golden *g = s->golden;
    hbs_result result;
    hbs_error error;

    for (size_t row = 0; row < g->rows; row++) {
        const hbs_value *cells = g->cells + row * g->features;
        hbs_status status = hbs_score_row(s->run, cells, g->features, s->outputs, &result, &error);

        s->tally->rows_scored++;
        if (status == HBS_OK && rg_is_valid(&result, 0) && is_unlike(s, row, &result)) {
            s->tally->unlike++;
            continue;
        }
        if (g->fate[row] == RG_ERROR) {
            rg_check_error(s, row, status, &error, "row by row");
            if (status != HBS_OK && result.rows != 0)
                rg_differ(s, "row %zu: an error, but result->rows is %zu", row, result.rows);
            continue;
        }
        s->good[s->n_good++] = row;
        if (status != HBS_OK) {
            rg_differ(s, "row %zu: %s: %s", row, hbs_status_name(status), error.text);
            s->n_good--;
            continue;
        }
        s->null[row] = !rg_is_valid(&result, 0);
        if (result.rows != 1 || s->null[row] != (g->fate[row] == RG_NULL)) {
            rg_differ(s, "row %zu: rows %zu, valid %d, wanted 1, %d", row, result.rows, !s->null[row],
                      g->fate[row] != RG_NULL);
        } else if (!s->null[row] && rg_check_arrays(s, &result, s->outputs, "row by row")) {
            rg_take_row(s, &result, 0, s->outputs, s->bits + row * s->stride);
            compare_with_library(s, row);
            check_best(s, &result, row);
        }
    }
}
