/* scored_model.c - see scored_model.h. */
#include "scored_model.h"

#include <math.h>
#include <string.h>

static void begin_runs(scored_model *m, size_t rows)
{
    m->one = test_run(&m->host.host, m->plan, 1);
    m->block = test_run(&m->host.host, m->plan, rows);
    hbs_plan_get_info(m->plan, &m->info);
}

void scored_model_begin(scored_model *m, const char *json, const char *options, size_t rows)
{
    memset(m, 0, sizeof(*m));
    test_host_init(&m->host);
    m->plan = test_compile(&m->host.host, json, options);
    begin_runs(m, rows);
}

void scored_model_begin_without(scored_model *m, const char *json, uint32_t passes_off, size_t rows)
{
    const hbs_compile_options options = {.passes_off = passes_off};
    hbs_model *model;

    memset(m, 0, sizeof(*m));
    test_host_init(&m->host);
    model = test_load(&m->host.host, json, NULL);
    assert_status(hbs_plan_compile(model, &options, &m->plan, &m->error), HBS_OK, &m->error);
    hbs_model_free(model);
    begin_runs(m, rows);
}

void scored_model_end(scored_model *m)
{
    hbs_run_free(m->one);
    hbs_run_free(m->block);
    hbs_plan_free(m->plan);
    test_host_end(&m->host);
}

bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof(a)) == 0 || (isnan(a) && isnan(b));
}
