/* core.c - the core over rows in memory, column by column: consecutive rows in blocks, others one by one. */
#include "hbscore.h"

#include "native.h"
#include "bench/common/malloc_host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_ROWS = 16384, FACT_LOAD_NS = 0, FACT_COMPILE_NS, FACT_PLAN_BYTES, N_FACTS };

typedef struct wanted {
    int kind;
    size_t item;
} wanted;

typedef struct scorer {
    const double *columns; /* [n_features][n_rows] */
    size_t n_rows, n_features, n_outputs;
    wanted *outputs;
    uint32_t bits;
    double *labels;                  /* [classes]: as numbers */
    size_t probabilities, transform; /* widths */
    hbs_column *part;                /* [n_features] */
    double *row;                     /* [n_features] */
    hbs_model *model;
    hbs_plan *plan;
    hbs_run *block, *one;
    hbs_error error;
} scorer;

/* HBSBENCH_STRATEGY forces one: how trees are scored. */
static hbs_strategy strategy(void)
{
    static const char *const names[] = {[HBS_STRATEGY_TT] = "tt",
                                        [HBS_STRATEGY_BITS] = "bits",
                                        [HBS_STRATEGY_GEMM] = "gemm",
                                        [HBS_STRATEGY_PTT] = "ptt"};
    const char *wanted = getenv("HBSBENCH_STRATEGY");

    for (size_t i = 0; wanted && i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i] && strcmp(names[i], wanted) == 0)
            return (hbs_strategy)i;
    return HBS_STRATEGY_AUTO;
}

const char *core_error(void *handle)
{
    return ((scorer *)handle)->error.text;
}

void core_close(void *handle)
{
    scorer *s = handle;

    if (!s)
        return;
    hbs_run_free(s->block);
    hbs_run_free(s->one);
    hbs_plan_free(s->plan);
    hbs_model_free(s->model);
    free(s->outputs);
    free(s->labels);
    free(s->part);
    free(s->row);
    free(s);
}

static void *file_bytes(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    long length = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    void *bytes = length >= 0 ? malloc((size_t)length + 1) : NULL;

    if (bytes) {
        rewind(f);
        *size = fread(bytes, 1, (size_t)length, f);
    }
    if (f)
        fclose(f);
    return bytes;
}

static hbs_status load(scorer *s, const char *path, const char *options, int64_t *facts)
{
    const hbs_limits limits = {.max_model_bytes = HBS_HARD_MAX_MODEL_BYTES};
    hbs_source source = {.name = path, .options = options, .options_size = strlen(options)};
    void *bytes = file_bytes(path, &source.size);
    int64_t begin = native_now();
    hbs_plan_info info;
    hbs_status status;

    if (!bytes) {
        native_fail(s->error.text, "cannot read the file", NULL);
        return HBS_E_NOENT;
    }
    source.bytes = bytes;
    status = hbs_model_load(&host, &limits, &source, &s->model, &s->error);
    facts[FACT_LOAD_NS] = native_now() - begin;
    begin = native_now();
    if (status == HBS_OK)
        status = hbs_plan_compile(s->model, &(hbs_compile_options){.strategy = strategy()}, &s->plan, &s->error);
    facts[FACT_COMPILE_NS] = native_now() - begin;
    free(bytes);
    if (status == HBS_OK) {
        hbs_plan_get_info(s->plan, &info);
        facts[FACT_PLAN_BYTES] = (int64_t)info.bytes;
    }
    return status;
}

/* The label as a number; a text is its place among the classes. */
static double number_of(const hbs_value *label, size_t place)
{
    return label->type == HBS_INT64     ? (double)label->as.i64
           : label->type == HBS_FLOAT64 ? label->as.f64
           : label->type == HBS_BOOL    ? (double)label->as.boolean
                                        : (double)place;
}

static hbs_status want(scorer *s, const int32_t *kinds, const int32_t *items, double *tolerances)
{
    static const hbs_function functions[] = {HBS_PREDICT, HBS_PREDICT_PROBA, HBS_TRANSFORM};
    hbs_plan_info info;
    hbs_status status = hbs_run_check_count(s->one, s->n_features, &s->error);

    hbs_plan_get_info(s->plan, &info);

    const size_t widths[] = {1, info.probabilities_width, info.transform_width};
    const double known[] = {info.value_tolerance, info.probabilities_tolerance, info.transform_tolerance};

    s->probabilities = info.probabilities_width;
    s->transform = info.transform_width;
    s->labels = calloc(info.classes + 1, sizeof(*s->labels));
    for (size_t i = 0; s->labels && i < info.classes; i++) {
        hbs_value label;

        hbs_plan_class(s->plan, i, &label);
        s->labels[i] = number_of(&label, i);
    }
    for (size_t i = 0; status == HBS_OK && i < s->n_outputs; i++) {
        uint32_t bits = 0;

        s->outputs[i] = (wanted){.kind = kinds[i], .item = (size_t)items[i]};
        status = hbs_run_outputs(s->block, functions[kinds[i]], &bits, &s->error);
        if (status == HBS_OK && (size_t)items[i] >= widths[kinds[i]]) {
            native_fail(s->error.text, "the model has no such class or column", NULL);
            status = HBS_E_NOENT;
        }
        s->bits |= bits;
        tolerances[i] = known[kinds[i]];
    }
    return s->labels ? status : HBS_E_NOMEM;
}

void *core_open(const char *path, const char *options, const double *columns, int64_t n_rows, int64_t n_features,
                const int32_t *kinds, const int32_t *items, int64_t n_outputs, int64_t *facts, double *tolerances,
                char *error)
{
    scorer *s = calloc(1, sizeof(*s));
    hbs_status status;

    if (!s)
        return NULL;
    *s = (scorer){.columns = columns,
                  .n_rows = (size_t)n_rows,
                  .n_features = (size_t)n_features,
                  .n_outputs = (size_t)n_outputs,
                  .outputs = calloc((size_t)n_outputs + 1, sizeof(wanted)),
                  .part = calloc((size_t)n_features + 1, sizeof(hbs_column)),
                  .row = calloc((size_t)n_features + 1, sizeof(double))};
    status = s->outputs && s->part && s->row ? load(s, path, options, facts) : HBS_E_NOMEM;
    if (status == HBS_OK)
        status = hbs_run_create(s->plan, &host, NULL, BLOCK_ROWS, &s->block, &s->error);
    if (status == HBS_OK)
        status = hbs_run_create(s->plan, &host, NULL, 1, &s->one, &s->error);
    if (status == HBS_OK)
        status = want(s, kinds, items, tolerances);
    if (status == HBS_OK)
        return s;
    native_fail(error, hbs_status_name(status), s->error.text);
    core_close(s);
    return NULL;
}

static void store(const scorer *s, const hbs_result *result, double *out)
{
    for (size_t r = 0; r < result->rows; r++) {
        bool valid = result->valid[r / 64] >> r % 64 & 1;

        for (size_t i = 0; i < s->n_outputs; i++) {
            const wanted *w = &s->outputs[i];

            *out++ = !valid                        ? NAN
                     : w->kind == CORE_PROBABILITY ? result->probabilities[r * s->probabilities + w->item]
                     : w->kind == CORE_TRANSFORM   ? result->transform[r * s->transform + w->item]
                     : result->label               ? s->labels[result->label[r]]
                                                   : result->value[r];
        }
    }
}

static bool consecutive(const int64_t *keys, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (keys[i] != keys[0] + i)
            return false;
    return n > 1;
}

static hbs_status run_block(scorer *s, size_t first, size_t n, double *out)
{
    hbs_status status = HBS_OK;
    hbs_result result;

    for (size_t done = 0; status == HBS_OK && done < n; done += result.rows) {
        size_t rows = n - done < BLOCK_ROWS ? n - done : BLOCK_ROWS;

        for (size_t c = 0; c < s->n_features; c++)
            s->part[c] = (hbs_column){.type = HBS_FLOAT64, .values = s->columns + c * s->n_rows + first + done};
        status = hbs_score(s->block, s->part, s->n_features, rows, s->bits, &result, &s->error);
        store(s, &result, out + done * s->n_outputs);
    }
    return status;
}

static hbs_status run_row(scorer *s, size_t key, double *out)
{
    hbs_result result;
    hbs_status status;

    for (size_t c = 0; c < s->n_features; c++)
        s->row[c] = s->columns[c * s->n_rows + key];
    status = hbs_score_numbers(s->one, s->row, s->n_features, s->bits, &result, &s->error);
    if (status == HBS_OK)
        store(s, &result, out);
    return status;
}

int64_t core_run(void *handle, const int64_t *keys, int64_t n, double *out, int64_t *inner)
{
    scorer *s = handle;
    int64_t begin = native_now();
    hbs_status status = HBS_OK;

    for (int64_t i = 0; i < n; i++)
        if (keys[i] < 0 || (size_t)keys[i] >= s->n_rows)
            return native_fail(s->error.text, "there is no such row", NULL);
    if (consecutive(keys, n))
        status = run_block(s, (size_t)keys[0], (size_t)n, out);
    else
        for (int64_t i = 0; status == HBS_OK && i < n; i++)
            status = run_row(s, (size_t)keys[i], out + (size_t)i * s->n_outputs);
    *inner = native_now() - begin;
    return status == HBS_OK ? n : -1;
}
