/* hostile_life.c - one life of a model, loaded, compiled, scored and freed, where memory runs out or the host
 * says stop at any point. */
#include "hostile.h"

#include <stdio.h>
#include <string.h>

enum { POINT_STEP = HT_SANITIZED ? 3 : 1 };
enum { MOST_FEATURES = 16, ROWS = 70 };

static hbs_status score_all(hbs_run *run, const hbs_plan *plan, hbs_error *error)
{
    static hbs_text texts[ROWS];
    static double numbers[ROWS];
    hbs_value row[MOST_FEATURES];
    hbs_column columns[MOST_FEATURES];
    hbs_plan_info info;
    hbs_result result;
    hbs_status status;
    uint32_t outputs;

    hbs_plan_get_info(plan, &info);
    if (!ht_check(info.features <= MOST_FEATURES, "%zu features", (size_t)info.features))
        return HBS_E_ARGS;
    outputs = ht_all_outputs(&info);
    for (size_t i = 0; i < ROWS; i++) {
        texts[i] = i % 2 ? (hbs_text){"gold", 4} : (hbs_text){"Z\xc3\xbcrich", 7};
        numbers[i] = (double)i / 8 - 2;
    }
    for (size_t f = 0; f < info.features; f++) {
        hbs_text name;
        hbs_type type;

        hbs_plan_feature(plan, f, &name, &type);
        columns[f] = (hbs_column){.type = type == HBS_TEXT ? HBS_TEXT : HBS_FLOAT64};
        columns[f].values = type == HBS_TEXT ? (const void *)texts : (const void *)numbers;
        row[f] = (hbs_value){.type = columns[f].type};
        if (type == HBS_TEXT)
            row[f].as.text = texts[f % 2];
        else
            row[f].as.f64 = numbers[f];
    }
    status = hbs_score(run, columns, info.features, ROWS, outputs, &result, error);
    if (status == HBS_OK)
        status = hbs_score_row(run, row, info.features, outputs, &result, error);
    if (status != HBS_OK || !info.transform_width)
        return status;
    status = hbs_score(run, columns, info.features, ROWS, HBS_OUT_TRANSFORM, &result, error);
    if (status == HBS_OK)
        status = hbs_score_row(run, row, info.features, HBS_OUT_TRANSFORM, &result, error);
    return status;
}

static hbs_status live(mb_bytes b, const char *options, const hbs_host *host, hbs_error *error)
{
    hbs_source source = {.name = "m", .bytes = b.data, .size = b.size, .options = options};
    hbs_inspection line;
    hbs_model *model = NULL;
    hbs_plan *plan = NULL;
    hbs_run *run = NULL;
    hbs_status status;

    source.options_size = options ? strlen(options) : 0;
    status = hbs_model_load(host, NULL, &source, &model, error);
    for (size_t i = 0; status == HBS_OK; i++)
        status = hbs_model_inspect(model, i, &line, error);
    if (status == HBS_E_NOENT)
        status = hbs_plan_compile(model, NULL, &plan, error);
    hbs_model_free(model);
    if (status == HBS_OK)
        status = hbs_run_create(plan, host, "m", ROWS, &run, error);
    if (status == HBS_OK)
        status = score_all(run, plan, error);
    hbs_run_free(run);
    hbs_plan_free(plan);
    return status;
}

static void check_end(const ht_host *host, hbs_status status, bool allowed, const hbs_error *error, size_t size,
                      size_t n)
{
    ht_check(allowed, "point %zu: %s: %s", n, hbs_status_name(status), error->text);
    if (status != HBS_OK)
        ht_check_error(error, status, size);
    ht_check(host->blocks == 0, "point %zu: %zu bytes were never given back", n, host->held);
}

size_t ht_life_failures(const char *name, mb_bytes b, const char *options, bool on)
{
    size_t n = 0, failed = 0;

    ht_case("R1", "%s, %s", name, on ? "from the n-th on" : "the n-th");
    for (bool reached = true; reached && ht_ok();) {
        ht_host host;
        hbs_error error = {0};
        hbs_status status;

        ht_host_init(&host);
        n += n < 40 ? 1 : POINT_STEP;
        host.fail_at = n;
        host.fail_on = on;
        status = live(b, options, &host.host, &error);
        reached = host.calls >= n;
        check_end(&host, status, status == HBS_OK || (reached && status == HBS_E_NOMEM), &error, b.size, n);
        failed += status == HBS_E_NOMEM;
    }
    ht_check(failed > 10, "only %zu allocations failed", failed);
    return failed;
}

size_t ht_life_cancel(const char *name, mb_bytes b, const char *options, size_t least)
{
    size_t n = 0, stopped = 0;

    ht_case("R2", "%s, cancelled at the n-th poll", name);
    for (bool reached = true; reached && ht_ok();) {
        ht_host host;
        hbs_error error = {0};
        hbs_status status;

        ht_host_init(&host);
        host.cancel_at = ++n;
        status = live(b, options, &host.host, &error);
        reached = host.polls >= n;
        check_end(&host, status, status == (reached ? HBS_E_CANCEL : HBS_OK), &error, b.size, n);
        stopped += status == HBS_E_CANCEL;
    }
    ht_check(stopped >= least, "only %zu polls", stopped);
    return stopped;
}

hbs_status ht_life_gap(const char *name, mb_bytes b)
{
    double best = 1e9;
    size_t n_polls = 0;
    hbs_status status = HBS_OK;

    ht_case("R2", "time between polls: %s", name);
    for (int round = 0; round < 3; round++) {
        ht_host host;
        hbs_error error = {0};

        ht_host_init(&host);
        ht_step_clock(&host);
        status = live(b, NULL, &host.host, &error);
        ht_step_clock(&host);
        best = host.longest_gap < best ? host.longest_gap : best;
        n_polls = host.polls;
    }
    printf("R2: %s, %zu bytes: at most %.2f ms between two polls\n", name, b.size, best);
    ht_check(n_polls > b.size >> 20, "%zu polls", n_polls); /* one a megabyte at least */
    return status;
}
