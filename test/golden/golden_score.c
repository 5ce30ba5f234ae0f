/* golden_score.c - asks hbscore for a golden's rows in every way that the interface has.
 *
 * hbs_score_row on the cells as they are in the file is compared with the library's answers; every
 * other way (blocks of all sizes, other types, texts, JSON, the plan without its optimizer passes)
 * must then give the same bits as hbs_score_row. */
#include "golden_scorer.h"

#include <math.h>
#include <stdlib.h>

static void verify(rg_scorer *s, bool spoil)
{
    hbs_verification found;
    hbs_error error;
    bool spoiled;
    size_t size;
    char *text = rg_golden_option(s->golden, s->plans[spoil], spoil, &size, &spoiled);
    hbs_status status = hbs_verify(s->plans[spoil], &s->host.host, s->golden->name, text, size, &found, &error);

    s->tally->rows_scored += found.rows;
    if (status != HBS_OK)
        rg_differ(s, "verify: %s", error.text);
    else if (found.rows != s->n_good)
        rg_differ(s, "verify: %zu rows, wanted %zu", found.rows, s->n_good);
    else if (found.ok == spoiled || !found.text[0] != found.ok)
        rg_differ(s, "verify: ok is %d %s", found.ok, found.text);
    free(text);
}

/* Row by row and in one block, by a plan without passes or without one. */
static void score_without(rg_scorer *s, size_t plan)
{
    hbs_run *row = rg_make_run(s, s->plans[plan], 1), *block = rg_make_run(s, s->plans[plan], RG_MAX_BLOCK);
    char way[96];

    snprintf(way, sizeof(way), "row by row%s", s->ways[plan]);
    if (row)
        rg_score_rows_as(s, row, RG_OWN, false, s->outputs, way);
    snprintf(way, sizeof(way), "one block%s", s->ways[plan]);
    if (block)
        rg_score_whole(s, block, RG_FLOAT64, true, way);
    hbs_run_free(row);
    hbs_run_free(block);
}

static void shuffle(rg_scorer *s)
{
    for (size_t i = s->n_good; i > 1; i--) {
        size_t j = rg_next_random(s) % i, keep = s->good[i - 1];

        s->good[i - 1] = s->good[j];
        s->good[j] = keep;
    }
}

static void score_all(rg_scorer *s, rg_effort effort, size_t turn, const rg_gpu *gpu)
{
    rg_score_reference(s);
    shuffle(s);
    if (!s->n_good || effort == RG_ROWS)
        return;
    rg_score_on_device(s, effort, gpu);
    if (effort == RG_DEVICES)
        return;
    rg_score_whole(s, s->run, RG_FLOAT64, false, "one block, missing as null");
    rg_score_whole(s, s->run, RG_FLOAT64, true, "one block, missing as nan");
    rg_score_whole(s, s->run, RG_TEXT, turn % 2, "one block of texts");
    rg_score_own_types(s);
    rg_score_rows_as(s, s->run, RG_FLOAT64, true, s->outputs, "row by row as float64");
    rg_score_rows_as(s, s->run, RG_NARROW, false, s->outputs, "row by row in narrow types");
    if (s->golden->outputs[RG_LABEL].given)
        rg_score_rows_as(s, s->run, RG_OWN, false, HBS_OUT_LABEL, "row by row, the label alone");
    rg_score_rows_as_numbers(s, "row by row as doubles");
    if (effort != RG_BRIEF)
        rg_score_rows_as(s, s->run, RG_TEXT, turn % 2, s->outputs, "row by row as texts");
    score_without(s, NO_PASSES);
    score_without(s, ONE_LEFT_OUT);
    rg_score_rows_json(s, false, "JSON array");
    if (s->info.named && effort != RG_BRIEF)
        rg_score_rows_json(s, true, "JSON object");
    rg_score_bad_rows(s);
    if (!s->golden->other_functions) {
        rg_check_tolerances(s);
        verify(s, false);
        verify(s, true);
    }
    rg_score_sizes(s, effort, turn);
}

/* All NaN are one: which sign that of inf - inf has is the CPU's choice. */
static uint64_t portable_bits(uint64_t bits)
{
    return isnan(rg_number_of(bits)) ? rg_bits_of((double)NAN) : bits;
}

static void digest(rg_scorer *s)
{
    const rg_golden *g = s->golden;
    size_t n = g->rows * (s->stride + 1);
    uint64_t *all = rg_need(n, sizeof(*all));

    for (size_t row = 0; row < g->rows; row++) {
        for (size_t i = 0; i < s->stride; i++)
            all[row * (s->stride + 1) + i] = portable_bits(s->bits[row * s->stride + i]);
        all[row * (s->stride + 1) + s->stride] = s->null[row];
    }
    hbs_sha256(&s->host.host, all, n * sizeof(*all), s->tally->digest, NULL);
    free(all);
}

static void prepare(rg_scorer *s)
{
    for (int k = 0; k < RG_KINDS; k++)
        if (s->golden->outputs[k].given) {
            s->outputs |= RG_BIT_OF[k];
            s->stride += s->golden->outputs[k].width;
        }
    s->bits = rg_need(s->golden->rows * s->stride, sizeof(*s->bits));
    s->got = rg_need(s->stride, sizeof(*s->got));
    s->null = rg_need(s->golden->rows, sizeof(*s->null));
    s->good = rg_need(s->golden->rows, sizeof(*s->good));
}

void rg_score(const rg_golden *golden, const char *folder, rg_effort effort, size_t turn, const rg_gpu *gpu,
              rg_tally *tally)
{
    rg_scorer s = {.golden = golden, .tally = tally, .random = 20261121 + turn};

    rg_host_init(&s.host);
    prepare(&s);
    rg_choose_plans(&s);
    if (rg_load(&s, folder)) {
        hbs_plan_get_info(s.plans[AS_IT_IS], &s.info);
        s.run = rg_make_run(&s, s.plans[AS_IT_IS], RG_MAX_BLOCK);
        if (s.run && rg_check_info(&s))
            score_all(&s, effort, turn, gpu);
        digest(&s);
    }
    hbs_run_free(s.run);
    for (int p = 0; p < PLANS; p++)
        hbs_plan_free(s.plans[p]);
    hbs_plan_free(s.kept);
    hbs_model_free(s.model);
    if (s.host.held != 0)
        rg_differ(&s, "%zu bytes were never given back", s.host.held);
    free(s.bits);
    free(s.got);
    free(s.null);
    free(s.good);
}
