/* hostile_load.c - loads bytes that may be anything, and checks all that must hold of them. */
#include "hostile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "format/onnx.h"

/* An error comes within a second, and so does a model of these sizes: processor time, so that a busy
 * machine does not count. */
#define MOST_SECONDS (HT_SANITIZED ? 20.0 : 1.0)

enum { ROWS = 70, MAX_SCORED_FEATURES = 4096, MAX_SCORED_NUMBERS = 1 << 16 };

static const double NUMBERS[] = {0.0,   1.0,    -1.0,   0.5,  2.0,   -0.0, 3.0,
                                 1e300, -1e300, 1e-310, 33.0, -7.25, 4.0,  16777217.0};
static const char *const WORDS[] = {"gold", "basic", "plus"};

uint32_t ht_all_outputs(const hbs_plan_info *info)
{
    return (info->value_width ? HBS_OUT_VALUE : 0u) | (info->values_width ? HBS_OUT_VALUES : 0u) |
           (info->probabilities_width ? HBS_OUT_PROBABILITIES : 0u) | (info->raw_width ? HBS_OUT_RAW : 0u) |
           (info->classes ? HBS_OUT_LABEL : 0u);
}

/* Row `r`, column `c` of the standard rows. */
static void standard_value(size_t r, size_t c, hbs_type type, hbs_value *value)
{
    size_t i = r * 7 + c * 3;

    if (i % 11 == 5) {
        value->type = HBS_NULL;
    } else if (type == HBS_TEXT) {
        value->type = HBS_TEXT;
        value->as.text.bytes = WORDS[i % 3];
        value->as.text.size = strlen(WORDS[i % 3]);
    } else {
        value->type = HBS_FLOAT64;
        value->as.f64 = i % 13 == 6 ? (double)INFINITY : NUMBERS[i % 14];
    }
}

typedef struct rows {
    hbs_plan_info info;
    hbs_value *values;   /* [ROWS][features] */
    hbs_column *columns; /* of the same */
    double *numbers;
    hbs_text *texts;
    uint64_t *valid; /* [features][2] */
} rows;

static void *need(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size);

    if (!block) {
        fprintf(stderr, "hostile: no memory\n");
        exit(2);
    }
    return block;
}

static void rows_make(rows *r, const hbs_plan *plan)
{
    size_t f;

    hbs_plan_get_info(plan, &r->info);
    f = r->info.features;
    r->values = need(ROWS * f, sizeof(*r->values));
    r->columns = need(f, sizeof(*r->columns));
    r->numbers = need(ROWS * f, sizeof(*r->numbers));
    r->texts = need(ROWS * f, sizeof(*r->texts));
    r->valid = need(2 * f, sizeof(*r->valid));
    for (size_t c = 0; c < f; c++) {
        hbs_text name;
        hbs_type type;

        hbs_plan_feature(plan, c, &name, &type);
        for (size_t i = 0; i < ROWS; i++) {
            hbs_value *v = &r->values[i * f + c];

            standard_value(i, c, type, v);
            if (v->type == HBS_NULL)
                continue;
            r->valid[c * 2 + i / 64] |= (uint64_t)1 << (i % 64);
            if (v->type == HBS_TEXT)
                r->texts[c * ROWS + i] = v->as.text;
            else
                r->numbers[c * ROWS + i] = v->as.f64;
        }
        r->columns[c].type = type == HBS_TEXT ? HBS_TEXT : HBS_FLOAT64;
        r->columns[c].values =
            type == HBS_TEXT ? (const void *)(r->texts + c * ROWS) : (const void *)(r->numbers + c * ROWS);
        r->columns[c].valid = r->valid + c * 2;
    }
}

static void rows_free(rows *r)
{
    free(r->values);
    free(r->columns);
    free(r->numbers);
    free(r->texts);
    free(r->valid);
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ p[i]) * 1099511628211u;
    return hash;
}

static uint64_t mix_numbers(uint64_t hash, const double *numbers, size_t row, size_t width)
{
    return numbers ? mix(hash, numbers + row * width, width * sizeof(*numbers)) : hash;
}

/* The bits of one row of a result. */
static uint64_t row_hash(const hbs_result *result, size_t row, const hbs_plan_info *info)
{
    uint64_t hash = 14695981039346656037u;

    if (result->valid && !(result->valid[row / 64] >> (row % 64) & 1))
        return 0;
    hash = mix_numbers(hash, result->value, row, info->value_width);
    hash = mix_numbers(hash, result->values, row, info->values_width);
    hash = mix_numbers(hash, result->probabilities, row, info->probabilities_width);
    hash = mix_numbers(hash, result->raw, row, info->raw_width);
    hash = mix_numbers(hash, result->transform, row, info->transform_width);
    return result->label ? mix(hash, result->label + row, sizeof(*result->label)) : hash;
}

/* A stored category may be none of ours: then that row is bad, in the block as well as by itself. */
static void compare_ways(hbs_run *run, rows *r, uint32_t outputs, uint64_t *fingerprint)
{
    uint64_t hashes[ROWS];
    size_t f = r->info.features, first_bad = ROWS;
    hbs_result result;
    hbs_error error = {0};
    hbs_status status, one = HBS_OK;

    status = hbs_score(run, r->columns, f, ROWS, outputs, &result, &error);
    if (status != HBS_OK)
        ht_check_error(&error, status, SIZE_MAX);
    if (!ht_check(result.rows <= ROWS && (status != HBS_OK || result.rows == ROWS), "%zu rows of %d were scored",
                  result.rows, ROWS))
        return;
    first_bad = result.rows;
    for (size_t i = 0; i < first_bad; i++)
        hashes[i] = row_hash(&result, i, &r->info);
    for (size_t i = 0; i < ROWS && i <= first_bad; i++) {
        one = hbs_score_row(run, r->values + i * f, f, outputs, &result, &error);
        if (i == first_bad)
            ht_check(one == status, "row %zu: %s in a block, %s by itself", i, hbs_status_name(status),
                     hbs_status_name(one));
        else if (ht_check(one == HBS_OK, "row %zu by itself: %s", i, error.text))
            ht_check(row_hash(&result, 0, &r->info) == hashes[i], "row %zu: other bits by itself than in a block", i);
    }
    *fingerprint = mix(*fingerprint, hashes, first_bad * sizeof(*hashes));
}

static bool worth_scoring(const hbs_plan_info *info)
{
    return info->features <= MAX_SCORED_FEATURES && (info->raw_width + info->probabilities_width + info->values_width +
                                                     info->transform_width) <= MAX_SCORED_NUMBERS;
}

static uint64_t score(ht_host *host, const hbs_plan *plan)
{
    hbs_plan_info info;
    hbs_run *run = NULL;
    hbs_error error = {0};
    hbs_status status;
    uint64_t fingerprint = 14695981039346656037u;
    rows r;

    hbs_plan_get_info(plan, &info);
    if (!worth_scoring(&info))
        return 0;
    status = hbs_run_create(plan, &host->host, "hostile", ROWS, &run, &error);
    if (status != HBS_OK) {
        ht_check_error(&error, status, SIZE_MAX);
        ht_check(status == HBS_E_LIMIT || status == HBS_E_NOMEM, "no run: %s", error.text);
        return 0;
    }
    rows_make(&r, plan);
    compare_ways(run, &r, ht_all_outputs(&info), &fingerprint);
    if (info.transform_width)
        compare_ways(run, &r, HBS_OUT_TRANSFORM, &fingerprint);
    rows_free(&r);
    hbs_run_free(run);
    return fingerprint;
}

uint64_t ht_fingerprint(const hbs_plan *plan)
{
    ht_host host;

    ht_host_init(&host);
    return score(&host, plan);
}

static bool line_is_utf8(const char *text)
{
    return text && ht_is_utf8(text, strlen(text));
}

/* All lines of the inspection can be shown. */
static void inspect(hbs_model *model)
{
    hbs_inspection line;
    hbs_error error = {0};
    hbs_status status;
    size_t i = 0;

    while ((status = hbs_model_inspect(model, i, &line, &error)) == HBS_OK && i < 5000) {
        ht_check(line_is_utf8(line.role) && line_is_utf8(line.name) && line_is_utf8(line.type) &&
                     line_is_utf8(line.note),
                 "line %zu of the inspection is not UTF-8", i);
        i++;
    }
    ht_check(i > 0, "the inspection has no lines");
    if (i < 5000)
        ht_check(status == HBS_E_NOENT, "the inspection ends with %s", hbs_status_name(status));
}

/* Forests of hbscore's own format take few bytes of it, and as much memory as others. */
static bool is_own(const void *bytes, size_t size)
{
    static const char begin[] = "{\"hbscore\":";

    return size >= sizeof(begin) - 1 && memcmp(bytes, begin, sizeof(begin) - 1) == 0;
}

/* An ONNX file has 2 KiB for each node, which has two bytes at least. */
static size_t room_of_nodes(const void *bytes, size_t size)
{
    enum { ROOM = 2048, MOST_NODES = 65536 };

    if (!hb_is_onnx(bytes, size))
        return 0;
    return ROOM * (size / 2 < MOST_NODES ? size / 2 : MOST_NODES);
}

static void check_memory(const ht_host *host, const hbs_model *model, size_t before, const void *bytes, size_t size)
{
    size_t most = (is_own(bytes, size) ? 16 : 4) * size + ((size_t)1 << 20) + room_of_nodes(bytes, size), peak, held;

    ht_check(host->peak <= before + most, "loading %zu bytes took %zu", size, host->peak - before);
    if (!model)
        return;
    hbs_model_memory(model, &peak, &held);
    ht_check(peak <= most && held <= peak, "says it took %zu, holds %zu", peak, held);
}

static void check_time(clock_t start, const char *what)
{
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;

    ht_check(seconds <= MOST_SECONDS, "%s took %.1f seconds", what, seconds);
}

static void compile(ht_host *host, hbs_model *model, const void *bytes, size_t size, ht_load *load)
{
    hbs_plan_info info;
    clock_t start = clock();
    size_t most;

    load->status = hbs_plan_compile(model, NULL, &load->plan, &load->error);
    check_time(start, "compiling");
    if (load->status != HBS_OK) {
        ht_check_error(&load->error, load->status, size);
        return;
    }
    hbs_plan_get_info(load->plan, &info);
    most = load->most_plan ? load->most_plan : (is_own(bytes, size) ? 24 : 2) * size + ((size_t)64 << 10);
    ht_check(info.bytes <= most, "the plan of %zu bytes has %zu", size, info.bytes);
    hbs_model_free(model); /* the plan outlives it */
    score(host, load->plan);
}

void ht_load_bytes(ht_host *host, const void *bytes, size_t size, ht_load *load)
{
    hbs_source source = {.name = "m", .bytes = bytes, .size = size, .options = load->options};
    hbs_model *model = NULL;
    size_t blocks = host->blocks, held = host->held;
    clock_t start = clock();

    source.options_size = load->options ? strlen(load->options) : 0;
    load->plan = NULL;
    memset(&load->error, 0, sizeof(load->error));
    host->peak = host->held;
    load->status = hbs_model_load(&host->host, load->limits, &source, &model, &load->error);
    check_time(start, "loading");
    check_memory(host, load->status == HBS_OK ? model : NULL, held, bytes, size);
    if (load->status == HBS_OK) {
        snprintf(load->format, sizeof(load->format), "%s", hbs_model_format(model));
        inspect(model);
        compile(host, model, bytes, size, load);
        if (load->status != HBS_OK)
            hbs_model_free(model);
    } else {
        ht_check_error(&load->error, load->status, size);
        ht_check(load->status != HBS_E_TYPE && load->status != HBS_E_NOENT, "loading says %s",
                 hbs_status_name(load->status));
    }
    if (load->plan && load->keep)
        return;
    hbs_plan_free(load->plan);
    load->plan = NULL;
    ht_check(host->blocks == blocks && host->held == held, "%zu bytes were never given back", host->held - held);
}

hbs_status ht_try(const void *bytes, size_t size, const char *options, hbs_error *error)
{
    ht_host host;
    ht_load load = {.options = options};

    ht_host_init(&host);
    ht_load_bytes(&host, bytes, size, &load);
    if (error)
        *error = load.error;
    return load.status;
}

uint64_t ht_fingerprint_of(mb_bytes bytes, const char *options)
{
    ht_host host;
    ht_load load = {.options = options, .keep = true};
    uint64_t fingerprint = 0;

    ht_host_init(&host);
    ht_load_bytes(&host, bytes.data, bytes.size, &load);
    if (ht_check(load.status == HBS_OK, "does not load: %s", load.error.text))
        fingerprint = ht_fingerprint(load.plan);
    hbs_plan_free(load.plan);
    return fingerprint;
}

/* ------------------------------------------------------------------ a model to ask */

bool ht_open_bytes(ht_opened *o, mb_bytes bytes, const char *options)
{
    ht_load load = {.options = options, .keep = true};
    hbs_error error = {0};

    memset(o, 0, sizeof(*o));
    ht_host_init(&o->host);
    ht_load_bytes(&o->host, bytes.data, bytes.size, &load);
    if (!ht_check(load.status == HBS_OK, "does not load: %s", load.error.text))
        return false;
    o->plan = load.plan;
    hbs_plan_get_info(o->plan, &o->info);
    return ht_check(hbs_run_create(o->plan, &o->host.host, "churn", 256, &o->run, &error) == HBS_OK, "no run: %s",
                    error.text);
}

bool ht_open(ht_opened *o, mb_sample sample, const char *edits, const char *options)
{
    mb_bytes bytes = mb_edited(sample, edits, MB_UBJSON);
    bool opened = ht_open_bytes(o, bytes, options);

    free(bytes.data);
    return opened;
}

void ht_close(ht_opened *o)
{
    hbs_run_free(o->run);
    hbs_plan_free(o->plan);
    ht_check(o->host.blocks == 0, "%zu bytes were never given back", o->host.held);
}

void ht_check_large(const char *class_name, const char *name, mb_bytes b, hbs_status wanted, const char *words)
{
    ht_host host;
    ht_load load = {.most_plan = 48 * b.size + ((size_t)32 << 20)};

    ht_case(class_name, "%s (%zu bytes)", name, b.size);
    ht_host_init(&host);
    ht_load_bytes(&host, b.data, b.size, &load);
    ht_check(load.status == wanted, "got %s: %s", hbs_status_name(load.status), load.error.text);
    if (load.status != HBS_OK)
        ht_check(ht_has_words(load.error.text, words), "%s", load.error.text);
    free(b.data);
}
