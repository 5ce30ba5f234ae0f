/* golden_blocks.c - blocks of rows of all sizes and types, and with bad rows. */
#include "golden_scorer.h"

#include <stdlib.h>

/* The outputs asked of a block: all, the label alone, which may then be told another way, or a changing choice. */
static uint32_t choose_outputs(rg_scorer *s)
{
    uint32_t some = 0, random = rg_next_random(s);

    if (random % 4 == 0)
        return s->outputs;
    if (random % 4 == 1 && s->golden->outputs[RG_LABEL].given)
        return HBS_OUT_LABEL;
    for (int k = 0; k < RG_KINDS; k++)
        if (s->golden->outputs[k].given && (random >> (4 + k) & 1))
            some |= RG_BIT_OF[k];
    return some ? some : s->outputs;
}

void rg_score_block(rg_scorer *s, hbs_run *run, const size_t *pick, size_t rows, rg_form form, bool nan,
                    const char *way)
{
    uint32_t asked = choose_outputs(s);
    rg_block block;
    hbs_result result;
    hbs_error error;
    hbs_status status;

    rg_block_make(&block, s->golden, pick, rows, form, nan);
    status = hbs_score(run, block.columns, block.features, rows, asked, &result, &error);
    if (status != HBS_OK)
        rg_differ(s, "%s, %zu rows: %s: %s", way, rows, hbs_status_name(status), error.text);
    else if (result.rows != rows)
        rg_differ(s, "%s: %zu rows of %zu", way, result.rows, rows);
    else if (rg_check_arrays(s, &result, asked, way))
        for (size_t r = 0; r < rows; r++)
            rg_compare_bits(s, &result, r, pick[r], asked, way);
    rg_block_free(&block);
}

bool rg_pick_rows(rg_scorer *s, rg_form form, size_t rows, size_t *pick)
{
    size_t at = rg_next_random(s) % s->n_good, n = 0, tried = 0;

    while (n < rows && tried < 4 * rows + s->n_good) {
        size_t row = s->good[at++ % s->n_good];

        if (rg_row_fits(s->golden, row, form))
            pick[n++] = row;
        tried++;
    }
    return n == rows;
}

/* A block of one size, in a run made for just that size by turns with the common one. */
static void score_size(rg_scorer *s, size_t rows, rg_form form, bool own_run)
{
    size_t pick[RG_MAX_BLOCK];
    hbs_run *run = s->run;
    bool nan = rg_next_random(s) % 2;
    static const char *const FORMS[] = {"own types", "float64", "text", "narrow types"};
    char way[160];

    if (!rg_pick_rows(s, form, rows, pick))
        return;
    if (own_run)
        run = rg_make_run(s, s->plans[rows % PLANS], rows);
    snprintf(way, sizeof(way), "block of %zu as %s, missing as %s%s", rows, FORMS[form], nan ? "nan" : "null",
             s->ways[own_run ? rows % PLANS : AS_IT_IS]);
    if (run)
        rg_score_block(s, run, pick, rows, form, nan, way);
    if (run != s->run)
        hbs_run_free(run);
}

void rg_score_own_types(rg_scorer *s)
{
    bool *done = rg_need(s->n_good, sizeof(*done));
    size_t pick[RG_MAX_BLOCK];

    for (size_t first = 0; first < s->n_good; first++) {
        size_t rows = 0;

        for (size_t i = first; i < s->n_good && rows < RG_MAX_BLOCK && !done[first]; i++) {
            bool same = !done[i];

            for (size_t k = 0; same && k < rows; k++)
                same = rg_same_types(s->golden, pick[k], s->good[i]);
            if (same) {
                pick[rows++] = s->good[i];
                done[i] = i != first;
            }
        }
        if (rows)
            rg_score_block(s, s->run, pick, rows, RG_OWN, false, "block in own types");
        done[first] = true;
    }
    free(done);
}

void rg_score_bad_rows(rg_scorer *s)
{
    static const size_t PLACES[] = {0, 1, 63, 64, 100};
    const rg_golden *g = s->golden;
    size_t pick[RG_MAX_BLOCK], n_bad = 0;

    for (size_t row = 0; row < g->rows && s->n_good; row++) {
        size_t place = PLACES[n_bad % 5], rows = place + 1 + (n_bad % 3) * 20;
        rg_block block;
        hbs_result result;
        hbs_error error;
        hbs_status status;

        if (g->fate[row] != RG_ERROR || !rg_row_fits(g, row, RG_FLOAT64))
            continue;
        n_bad++;
        if (!rg_pick_rows(s, RG_FLOAT64, rows, pick))
            continue;
        pick[place] = row;
        rg_block_make(&block, g, pick, rows, RG_FLOAT64, false);
        status = hbs_score(s->run, block.columns, g->features, rows, s->outputs, &result, &error);
        rg_check_error(s, row, status, &error, "bad row in a block");
        if (result.rows != place)
            rg_differ(s, "bad row %zu at %zu of a block: result->rows is %zu", row, place, result.rows);
        else
            for (size_t r = 0; r < place; r++)
                rg_compare_bits(s, &result, r, pick[r], s->outputs, "before a bad row");
        rg_block_free(&block);
    }
}

void rg_score_sizes(rg_scorer *s, rg_effort effort, size_t turn)
{
    static const size_t FIXED[] = {1,  2,  3,   7,   8,   9,   15,  16,  17,  31,  32,  33,   63,
                                   64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1024, 1025};
    size_t skip = s->golden->features > 200 ? 4 : 1;

    for (size_t rows = 128; effort == RG_BRIEF && rows < 128 + PLANS; rows++)
        score_size(s, rows, RG_FLOAT64, true); /* one of each plan */
    if (effort == RG_BRIEF)
        return;
    for (size_t i = 0; i < sizeof(FIXED) / sizeof(FIXED[0]); i += skip) {
        if (effort == RG_QUICK && FIXED[i] % 64 > 1)
            continue;
        score_size(s, FIXED[i], RG_FLOAT64, true);
        if (i % 5 == turn % 5)
            score_size(s, FIXED[i], RG_TEXT, false);
    }
    if (effort == RG_QUICK)
        return;
    for (size_t rows = 1; rows <= RG_MAX_BLOCK; rows++)
        if (effort == RG_FULL || rows % (8 * skip) == turn % (8 * skip))
            score_size(s, rows, RG_FLOAT64, rows % 2);
}

void rg_score_whole(rg_scorer *s, hbs_run *run, rg_form form, bool nan, const char *way)
{
    size_t *pick = rg_need(s->n_good, sizeof(*pick)), n = 0;

    for (size_t i = 0; i < s->n_good; i++)
        if (rg_row_fits(s->golden, s->good[i], form))
            pick[n++] = s->good[i];
    for (size_t at = 0; at < n; at += RG_MAX_BLOCK)
        rg_score_block(s, run, pick + at, n - at < RG_MAX_BLOCK ? n - at : RG_MAX_BLOCK, form, nan, way);
    free(pick);
}
