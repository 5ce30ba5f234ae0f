/* golden_plans.c - loads the model and compiles it in several ways. */
#include "golden_scorer.h"

#include <stdlib.h>
#include <string.h>

static const char *const STRATEGIES[] = {"auto", "tt", "bits", "gemm", "ptt"};

_Static_assert(sizeof(STRATEGIES) / sizeof(STRATEGIES[0]) == HBS_N_STRATEGIES, "each strategy has a name");

static size_t info_width(const hbs_plan_info *info, rg_kind kind)
{
    const size_t widths[RG_KINDS] = {
        info->raw_width, info->probabilities_width, info->values_width, info->value_width, 1, info->transform_width};

    return widths[kind];
}

bool rg_check_info(rg_scorer *s)
{
    const rg_golden *g = s->golden;
    size_t before = s->tally->differences;
    hbs_text name;
    hbs_type type;

    if (s->info.features != g->features) {
        rg_differ(s, "takes %zu features, wanted %zu", s->info.features, g->features);
        return false;
    }
    for (size_t c = 0; c < g->features; c++) {
        hbs_plan_feature(s->plans[AS_IT_IS], c, &name, &type);
        if (s->info.named && (name.size != g->names[c].size || memcmp(name.bytes, g->names[c].bytes, name.size) != 0))
            rg_differ(s, "feature %zu is \"%.*s\", wanted \"%.*s\"", c, (int)name.size, name.bytes,
                      (int)g->names[c].size, g->names[c].bytes);
        if ((type == HBS_TEXT) != g->is_text[c])
            rg_differ(s, "feature %zu has type %d", c, (int)type);
    }
    for (int k = 0; k < RG_KINDS; k++)
        if (g->outputs[k].given && info_width(&s->info, (rg_kind)k) != g->outputs[k].width)
            rg_differ(s, "%s has width %zu, wanted %zu", rg_kind_name((rg_kind)k), info_width(&s->info, (rg_kind)k),
                      g->outputs[k].width);
    return s->tally->differences == before;
}

/* Loading takes at most 4 x the file + 1 MiB, a plan at most 2 x the file + 64 KiB; of hbscore's own format, in which
 * forests take few bytes, 16 x and 24 x. */
static void check_memory(rg_scorer *s, size_t load_peak)
{
    bool own = strcmp(hbs_model_format(s->model), "hbscore") == 0;
    size_t peak, held, most = (own ? 16 : 4) * s->model_size + ((size_t)1 << 20);

    hbs_model_memory(s->model, &peak, &held);
    if (peak > most || load_peak > most)
        rg_differ(s, "loading %zu bytes took %zu bytes (by the host's count %zu)", s->model_size, peak, load_peak);
    for (int p = 0; p < BY_STRATEGY; p++) { /* a strategy that was asked for may take more */
        hbs_plan_info info;

        hbs_plan_get_info(s->plans[p], &info);
        if (info.bytes > (own ? 24 : 2) * s->model_size + ((size_t)64 << 10))
            rg_differ(s, "the plan of %zu bytes takes %zu bytes", s->model_size, info.bytes);
    }
}

size_t rg_count_passes(void)
{
    uint32_t bit;
    size_t n = 0;

    while (hbs_pass_name(n, &bit))
        n++;
    return n;
}

/* The place of a pass in the order of all. */
static size_t find_pass(const char *name)
{
    uint32_t bit;
    size_t i = 0;

    for (const char *other; (other = hbs_pass_name(i, &bit)) && strcmp(other, name) != 0;)
        i++;
    return i;
}

void rg_choose_plans(rg_scorer *s)
{
    uint32_t bit;

    s->tally->left_out = rg_hash_of(s->golden->name) % rg_count_passes();
    snprintf(s->ways[NO_PASSES], sizeof(s->ways[0]), ", passes off");
    s->compiled[NO_PASSES].passes_off = ~HBS_KEEP_NODES;
    snprintf(s->ways[ONE_LEFT_OUT], sizeof(s->ways[0]), ", %s off", hbs_pass_name(s->tally->left_out, &bit));
    s->compiled[ONE_LEFT_OUT].passes_off = bit;
    for (size_t i = 1; i < HBS_N_STRATEGIES; i++) {
        snprintf(s->ways[BY_STRATEGY + i - 1], sizeof(s->ways[0]), ", strategy %s", STRATEGIES[i]);
        s->compiled[BY_STRATEGY + i - 1].strategy = (hbs_strategy)i;
    }
}

/* Counts what each pass has rewritten; a pass that is left out has rewritten nothing. */
static void count_rewrites(rg_scorer *s)
{
    hbs_pass_report report;

    for (size_t i = 0; hbs_plan_pass(s->plans[AS_IT_IS], i, &report); i++)
        s->tally->rewrites[find_pass(report.name)] += report.rewrites;
    if (hbs_plan_pass(s->plans[NO_PASSES], 0, &report))
        rg_differ(s, "%s has run without passes", report.name);
    for (size_t i = 0; hbs_plan_pass(s->plans[ONE_LEFT_OUT], i, &report); i++)
        if (find_pass(report.name) == s->tally->left_out)
            rg_differ(s, "%s has run, and was left out", report.name);
}

/* A model that must not load, whatever the reason: what matters is that it is said. */
static bool check_refusal(rg_scorer *s, hbs_status status, const hbs_error *error)
{
    if (status != HBS_E_UNSUPPORTED && status != HBS_E_FORMAT)
        rg_differ(s, "a model to be refused: %s", hbs_status_name(status));
    else if (error->status != status || !error->text[0])
        rg_differ(s, "a refusal without words");
    return false;
}

bool rg_load(rg_scorer *s, const char *folder)
{
    const rg_golden *g = s->golden;
    const char *options = g->options;
    hbs_error error;
    char *bytes = rg_file(folder, g->model, &s->model_size);
    hbs_source source = {.name = g->name, .bytes = bytes, .size = s->model_size};
    hbs_status status;
    size_t load_peak;

    if (!bytes) {
        rg_differ(s, "the model file %s is not there", g->model);
        return false;
    }
    source.options = options;
    source.options_size = options ? strlen(options) : 0;
    status = hbs_model_load(&s->host.host, NULL, &source, &s->model, &error);
    free(bytes);
    if (g->refused)
        return check_refusal(s, status, &error);
    load_peak = s->host.peak;
    for (int p = 0; p < PLANS && status == HBS_OK; p++)
        status = hbs_plan_compile(s->model, &s->compiled[p], &s->plans[p], &error);
    if (status == HBS_OK)
        status = hbs_plan_compile(s->model, &(hbs_compile_options){.passes_off = HBS_KEEP_NODES}, &s->kept, &error);
    if (status != HBS_OK) {
        rg_differ(s, "%s: %s", hbs_status_name(status), error.text);
        return false;
    }
    check_memory(s, load_peak);
    count_rewrites(s);
    hbs_model_free(s->model); /* the plan outlives its model */
    s->model = NULL;
    return true;
}

void rg_check_tolerances(rg_scorer *s)
{
    const double stated[RG_KINDS] = {s->info.raw_tolerance,
                                     s->info.probabilities_tolerance,
                                     s->info.values_tolerance,
                                     s->info.value_tolerance,
                                     0,
                                     s->info.transform_tolerance};

    for (int k = 0; k < RG_KINDS; k++) {
        const rg_output *out = &s->golden->outputs[k];
        double wanted = out->rule == RG_RELATIVE ? out->tolerance : 0;
        bool has_parts = strncmp(s->golden->library, "scikit-learn", 12) == 0 ||
                         (s->golden->covers && strstr(s->golden->covers, "inside="));
        bool wider = stated[k] > 0 && (has_parts || out->rule == RG_ABSOLUTE);

        /* A scikit-learn pipeline's is that of its worst part; goldens know each output's own. */
        if (out->given && stated[k] != wanted && !(wider && stated[k] >= wanted))
            rg_differ(s, "the plan's tolerance of %s is %g, the golden's %g", rg_kind_name((rg_kind)k), stated[k],
                      wanted);
    }
}
