/* test_allocation.c - memory that runs out and hosts that cancel, at every point. Classes R1 and R2 of
 * reliability.md, for the core.
 *
 * One life of a model (options, load, inspect, compile, run, scores in all forms) is led again and
 * again: the n-th allocation fails, once or from there on; the n-th poll says stop. Each time: the
 * right status, nothing lost, and a plan that was made before scores as before. All of the memory is the
 * host's: a malloc of this program's own counts what goes past it. */
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HAS_OWN_MALLOC (!HT_SANITIZED)

/* Between the points that the sanitizers see; in turn from another first one. */
enum { STEP = HT_SANITIZED ? 5 : 1 };

/* ------------------------------------------------------------------ a malloc that can fail */

typedef struct injection {
    bool armed;
    size_t calls, fail_at;
    bool fail_on;
    long live; /* made less freed, while armed */
} injection;

static injection inject;

#if HAS_OWN_MALLOC
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);
/* Visible, so that strdup and others inside the C library call them too. */
#define VISIBLE __attribute__((visibility("default")))
VISIBLE void *malloc(size_t size);
VISIBLE void *calloc(size_t count, size_t size);
VISIBLE void *realloc(void *block, size_t size);
VISIBLE void free(void *block);

static bool fails_now(void)
{
    if (!inject.armed)
        return false;
    inject.calls++;
    return inject.fail_at && (inject.calls == inject.fail_at || (inject.fail_on && inject.calls > inject.fail_at));
}

static void *counted(void *block)
{
    if (inject.armed && block)
        inject.live++;
    return block;
}

void *malloc(size_t size)
{
    return fails_now() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
    if (fails_now())
        return NULL;
    return block ? __libc_realloc(block, size) : counted(__libc_realloc(NULL, size));
}

void free(void *block)
{
    if (inject.armed && block)
        inject.live--;
    __libc_free(block);
}
#endif

/* The host's own memory is no part of that: its calls go by while nothing is armed. */
typedef struct calm_host {
    hbs_host host;
    ht_host *inner;
} calm_host;

static void *calm_allocate(void *context, size_t bytes)
{
    calm_host *calm = context;
    bool armed = inject.armed;
    void *block;

    inject.armed = false;
    block = calm->inner->host.allocate(calm->inner, bytes);
    inject.armed = armed;
    return block;
}

static void *calm_resize(void *context, void *block, size_t bytes)
{
    calm_host *calm = context;
    bool armed = inject.armed;

    inject.armed = false;
    block = calm->inner->host.resize(calm->inner, block, bytes);
    inject.armed = armed;
    return block;
}

static void calm_release(void *context, void *block)
{
    calm_host *calm = context;
    bool armed = inject.armed;

    inject.armed = false;
    calm->inner->host.release(calm->inner, block);
    inject.armed = armed;
}

static bool calm_cancelled(void *context)
{
    calm_host *calm = context;

    return calm->inner->host.cancelled(calm->inner);
}

static void calm_init(calm_host *calm, ht_host *inner)
{
    ht_host_init(inner);
    calm->inner = inner;
    calm->host = (hbs_host){.context = calm,
                            .allocate = calm_allocate,
                            .resize = calm_resize,
                            .release = calm_release,
                            .cancelled = calm_cancelled};
}

/* ------------------------------------------------------------------ one life of a model */

typedef struct life {
    mb_bytes bytes;
    const char *options;
    const char *json; /* a row */
    hbs_plan *before; /* made while all was well */
    uint64_t fingerprint;
} life;

static uint32_t outputs_of(const hbs_plan *plan)
{
    hbs_plan_info info;

    hbs_plan_get_info(plan, &info);
    return (info.value_width ? HBS_OUT_VALUE : 0u) | (info.values_width ? HBS_OUT_VALUES : 0u) |
           (info.probabilities_width ? HBS_OUT_PROBABILITIES : 0u) | (info.raw_width ? HBS_OUT_RAW : 0u) |
           (info.classes ? HBS_OUT_LABEL : 0u);
}

static hbs_status read_options(const life *l, const hbs_host *host, hbs_error *error)
{
    hbs_options_info info = {0};
    hbs_status status = hbs_options_read(host, l->options, strlen(l->options), &info, error);

    if (status == HBS_OK)
        hbs_options_free(host, &info);
    return status;
}

static hbs_status inspect_all(hbs_model *model, hbs_error *error)
{
    hbs_inspection line;
    hbs_status status = HBS_OK;

    for (size_t i = 0; status == HBS_OK; i++)
        status = hbs_model_inspect(model, i, &line, error);
    return status == HBS_E_NOENT ? HBS_OK : status;
}

static hbs_status score_all(const life *l, hbs_run *run, const hbs_plan *plan, hbs_error *error)
{
    hbs_value row[3] = {{.type = HBS_NULL}, {.type = HBS_NULL}, {.type = HBS_NULL}};
    hbs_column columns[3] = {{.type = HBS_NULL}, {.type = HBS_NULL}, {.type = HBS_NULL}};
    hbs_result result;
    uint32_t outputs = outputs_of(plan);
    char text[256];
    hbs_status status = hbs_score(run, columns, 3, 200, outputs, &result, error);

    if (status == HBS_OK)
        status = hbs_score_row(run, row, 3, outputs, &result, error);
    if (status == HBS_OK)
        status = hbs_score_json(run, l->json, strlen(l->json), outputs, &result, error);
    if (status == HBS_OK)
        status = hbs_run_outputs(run, HBS_PREDICT_JSON, &outputs, error);
    if (status == HBS_OK)
        status = hbs_score_row(run, row, 3, outputs, &result, error);
    if (status == HBS_OK)
        hbs_format_result(run, &result, 0, "m@1", text, sizeof(text));
    return status;
}

static hbs_status live(const life *l, const hbs_host *host, hbs_error *error)
{
    hbs_source source = {.name = "m", .bytes = l->bytes.data, .size = l->bytes.size};
    hbs_model *model = NULL;
    hbs_plan *plan = NULL;
    hbs_run *run = NULL;
    uint8_t digest[32];
    hbs_status status = read_options(l, host, error);

    source.options = l->options;
    source.options_size = strlen(l->options);
    if (status == HBS_OK)
        status = hbs_sha256(host, l->bytes.data, l->bytes.size, digest, error);
    if (status == HBS_OK)
        status = hbs_model_load(host, NULL, &source, &model, error);
    if (status == HBS_OK)
        status = inspect_all(model, error);
    if (status == HBS_OK)
        status = hbs_plan_compile(model, NULL, &plan, error);
    hbs_model_free(model);
    if (status == HBS_OK)
        status = hbs_run_create(plan, host, "m", 256, &run, error);
    if (status == HBS_OK)
        status = score_all(l, run, plan, error);
    hbs_run_free(run);
    hbs_plan_free(plan);
    return status;
}

static bool life_make(life *l, mb_sample sample, mb_encoding encoding)
{
    ht_load load = {.keep = true};
    static ht_host host;

    l->bytes = mb_edited(sample, NULL, encoding);
    l->options = sample == MB_LINEAR ? "{\"features\":[\"x\",\"y\",\"z\"],\"missing\":-9,\"description\":\"d\"}"
                                     : "{\"features\":[\"x\",\"y\",\"z\"],\"rounds\":1,\"on_unseen\":\"null\"}";
    l->json = "{\"x\":null,\"y\":\"1\",\"z\":\"\\u0031\",\"w\":{\"deep\":[1,2,3]}}";
    load.options = l->options;
    ht_host_init(&host);
    ht_load_bytes(&host, l->bytes.data, l->bytes.size, &load);
    l->before = load.plan;
    if (!ht_check(load.status == HBS_OK, "%s", load.error.text))
        return false;
    l->fingerprint = ht_fingerprint(l->before);
    return true;
}

static void life_end(life *l)
{
    hbs_plan_free(l->before);
    free(l->bytes.data);
}

/* ------------------------------------------------------------------ R1 */

static void check_after(const life *l, const ht_host *host, hbs_status status, hbs_status allowed,
                        const hbs_error *error, size_t n)
{
    ht_check(status == HBS_OK || status == allowed, "point %zu: %s: %s", n, hbs_status_name(status), error->text);
    if (status != HBS_OK)
        ht_check_error(error, status, l->bytes.size);
    ht_check(host->blocks == 0, "point %zu: %zu bytes were never given back", n, host->held);
    ht_check(inject.live == 0, "point %zu: %ld blocks of malloc were never freed", n, inject.live);
    if (n % 16 == 1)
        ht_check(ht_fingerprint(l->before) == l->fingerprint, "point %zu: the plan made before scores otherwise", n);
}

/* The host's n-th allocation fails, for every n (sanitizers: every STEP-th, behind the first). Gives the number of
 * points. */
static size_t fail_host(const life *l, size_t first, bool from_there_on)
{
    size_t points = 0, n = first % STEP, failed = 0;

    for (bool reached = true; reached && ht_ok(); n += STEP) {
        ht_host host;
        hbs_error error = {0};
        hbs_status status;

        ht_host_init(&host);
        host.fail_at = n + 1;
        host.fail_on = from_there_on;
        status = live(l, &host.host, &error);
        reached = host.calls > n;
        check_after(l, &host, status, HBS_E_NOMEM, &error, n + 1);
        failed += status == HBS_E_NOMEM;
        points += reached;
    }
    ht_check(failed > 0, "no allocation ever failed");
    return points;
}

/* How often malloc itself is called, past the host: never. */
static size_t fail_malloc(const life *l, bool from_there_on)
{
    size_t n = 0;

    for (bool reached = true; reached && ht_ok();) {
        ht_host host;
        calm_host calm;
        hbs_error error = {0};
        hbs_status status;

        calm_init(&calm, &host);
        inject = (injection){.armed = true, .fail_at = ++n, .fail_on = from_there_on};
        status = live(l, &calm.host, &error);
        inject.armed = false;
        reached = inject.calls >= n;
        check_after(l, &host, status, HBS_E_NOMEM, &error, n);
    }
    return n - 1;
}

static size_t test_failures(void)
{
    size_t points = 0;

    for (int s = 0; s < MB_SAMPLES; s++)
        for (int e = 0; e < MB_ENCODINGS; e++)
            for (int on = 0; on < 2; on++) {
                life l;
                size_t n;

                ht_case("R1", "%s (%d), an allocation fails %s", mb_sample_name((mb_sample)s), e,
                        on ? "and all behind it" : "once");
                if (life_make(&l, (mb_sample)s, (mb_encoding)e)) {
                    n = fail_host(&l, (size_t)(2 * s + on), on);
                    points += n;
                    if (HAS_OWN_MALLOC && e == 0) {
                        ht_case("R1", "%s: all memory is the host's", mb_sample_name((mb_sample)s));
                        n = fail_malloc(&l, on);
                        ht_check(n == 0, "malloc is called %zu times", n);
                    }
                }
                life_end(&l);
            }
    return points;
}

/* Errors on the way out of memory: loading broken bytes leaks nothing either. */
static size_t test_failures_of_broken(void)
{
    static const char *const EDITS[] = {
        "T0.left_children[6] = 2\nT0.parents[2] = 6",
        "T0.split_conditions[0] = nan",
        "O.name = \"x\"",
        "-T0.right_children[8]",
        "L.attributes = {\"scikit_learn\": \"{\"}",
    };
    size_t points = 0;

    for (size_t i = 0; i < HT_COUNT(EDITS); i++) {
        mb_bytes b = mb_edited(MB_REGRESSION, EDITS[i], MB_JSON);
        size_t n = 0;

        ht_case("R1", "a broken model, an allocation fails: %s", EDITS[i]);
        for (bool reached = true; reached && ht_ok();) {
            ht_host host;
            hbs_source source = {.name = "m", .bytes = b.data, .size = b.size};
            hbs_model *model = NULL;
            hbs_error error = {0};
            hbs_status status;

            ht_host_init(&host);
            host.fail_at = ++n;
            status = hbs_model_load(&host.host, NULL, &source, &model, &error);
            reached = host.calls >= n;
            ht_check(status != HBS_OK && status != HBS_E_INTERNAL, "point %zu: %s", n, hbs_status_name(status));
            ht_check_error(&error, status, b.size);
            ht_check(host.blocks == 0, "point %zu: a leak", n);
        }
        points += n;
        free(b.data);
    }
    return points;
}

/* ------------------------------------------------------------------ R2 */

/* A model that takes many polls, in a life that scores many rows. */
static void life_make_large(life *l, int kind, mb_encoding encoding)
{
    mb_model *m = mb_make(kind == 2 ? MB_DART : MB_REGRESSION);

    memset(l, 0, sizeof(*l));
    if (kind == 0)
        mb_set_chain(m, 1000, true);
    else
        mb_set_stumps(m, kind == 1 ? 3000 : 500);
    l->bytes = mb_write(m, encoding);
    l->options = "{\"features\":[\"x\",\"y\",\"z\"]}";
    l->json = "[1,2,3]";
    mb_free(m);
}

static size_t test_cancel(void)
{
    size_t points = 0;

    for (int kind = 0; kind < 3; kind++)
        for (int e = 0; e < MB_ENCODINGS; e++) {
            life l;
            size_t n = (size_t)(kind + e) % STEP, stopped = 0;

            ht_case("R2", "cancelled at every poll, model %d (%d)", kind, e);
            life_make_large(&l, kind, (mb_encoding)e);
            for (bool reached = true; reached && ht_ok(); n += STEP) {
                ht_host host;
                hbs_error error = {0};
                hbs_status status;

                ht_host_init(&host);
                host.cancel_at = n + 1;
                status = live(&l, &host.host, &error);
                reached = host.polls > n;
                ht_check(reached ? status == HBS_E_CANCEL : status == HBS_OK, "poll %zu: got %s: %s", n + 1,
                         hbs_status_name(status), error.text);
                if (status != HBS_OK)
                    ht_check_error(&error, status, l.bytes.size);
                ht_check(host.blocks == 0, "poll %zu: %zu bytes were never given back", n + 1, host.held);
                stopped += status == HBS_E_CANCEL;
            }
            ht_check(stopped * STEP > 2, "only %zu polls, of which every %dth was taken", stopped, STEP);
            points += stopped;
            free(l.bytes.data);
        }
    return points;
}

/* ---- how long it works without asking */

/* P4: cancel takes effect within 100 ms. What it is on this machine is printed, the best of three; what is
 * tested is counted. */
static void test_gaps(const char *name, mb_model *m, mb_encoding encoding)
{
    mb_bytes b = mb_write(m, encoding);
    double best = 1e9;
    size_t n_polls = 0;
    life l = {.bytes = b, .options = "{}", .json = "[1,2,3]"};

    ht_case("R2", "time between polls: %s", name);
    for (int round = 0; round < 3; round++) {
        ht_host host;
        hbs_error error = {0};

        ht_host_init(&host);
        ht_step_clock(&host);
        ht_check(live(&l, &host.host, &error) == HBS_OK, "%s", error.text);
        ht_step_clock(&host);
        best = host.longest_gap < best ? host.longest_gap : best;
        n_polls = host.polls;
    }
    printf("R2: %s, %zu bytes: at most %.2f ms between two polls\n", name, b.size, best);
    ht_check(n_polls > b.size >> 20, "%zu polls", n_polls); /* one a megabyte at least */
    free(b.data);
}

static void test_time(void)
{
    static const char *const NAMES[] = {"30,000 trees of one leaf (UBJSON)", "10,000 trees of one leaf (JSON)",
                                        "300,000 members without effect (JSON)"};
    mb_model *m = mb_make(MB_REGRESSION);

    mb_set_stumps(m, 30000);
    test_gaps(NAMES[0], m, MB_UBJSON);
    mb_free(m);
    m = mb_make(MB_REGRESSION);
    mb_set_stumps(m, 10000);
    test_gaps(NAMES[1], m, MB_JSON);
    mb_free(m);
    m = mb_make(MB_REGRESSION);
    {
        size_t n = 300000;
        char *edit = malloc(n * 3 + 64);

        if (edit) {
            size_t at = (size_t)sprintf(edit, "!O.reg_loss_param = {\"x\":[");

            for (size_t i = 0; i < n; i++, at += 3)
                memcpy(edit + at, "{},", 3);
            strcpy(edit + at - 1, "]}");
            mb_edit(m, edit);
            test_gaps(NAMES[2], m, MB_JSON);
        }
        free(edit);
    }
    mb_free(m);
}

int main(void)
{
    size_t points = test_failures() + test_failures_of_broken();
    size_t polls = test_cancel();

    printf("R1: %zu points where memory ran out\n", points);
    printf("R2: %zu points where the host said stop\n", polls);
    test_time();
    return ht_report();
}
