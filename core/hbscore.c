/* hbscore.c - the public functions, nothing else: the one file that sees both format/ and plan/. */
#include "hbscore.h"

#include <string.h>

#include "base/float_mode.h"
#include "base/number.h"
#include "base/sha256.h"
#include "forest/forest_plan.h"
#include "format/format.h"
#include "graph/passes.h"
#include "format/golden.h"
#include "format/json_row.h"
#include "plan/describe.h"
#include "plan/device.h"
#include "plan/verify.h"

/* ------------------------------------------------------------------ models */

struct hbs_model {
    hb_memory memory;
    hb_pipeline pipeline;
    uint8_t sha256[32]; /* of the bytes */
    uint8_t options_sha256[32];
};

static size_t or_default(size_t given, size_t otherwise)
{
    return given ? given : otherwise;
}

static hbs_limits complete_limits(const hbs_limits *given)
{
    hbs_limits limits = given ? *given : (hbs_limits){0, 0, 0};

    limits.max_model_bytes = or_default(limits.max_model_bytes, HBS_DEFAULT_MAX_MODEL_BYTES);
    if (limits.max_model_bytes > HBS_HARD_MAX_MODEL_BYTES)
        limits.max_model_bytes = HBS_HARD_MAX_MODEL_BYTES;
    limits.max_nodes = or_default(limits.max_nodes, 10000000);
    if (limits.max_nodes > HBS_HARD_MAX_NODES)
        limits.max_nodes = HBS_HARD_MAX_NODES;
    limits.max_depth = or_default(limits.max_depth, 1024);
    return limits;
}

static void digest_text(const char *text, size_t size, uint8_t digest[32])
{
    hb_sha256 hash;

    hb_sha256_init(&hash);
    hb_sha256_add(&hash, text, text ? size : 0);
    hb_sha256_end(&hash, digest);
}

static hbs_status load_model(hbs_model *model, const hbs_source *source, hbs_error *error)
{
    hb_options options;
    hb_arena scratch;
    hbs_status status;

    if (source->size > model->pipeline.limits.max_model_bytes)
        return hb_fail(error, HBS_E_LIMIT, "a file of %zu bytes is over the limit of %zu (setting max_model_size)",
                       source->size, model->pipeline.limits.max_model_bytes);
    if (source->sha256)
        memcpy(model->sha256, source->sha256, sizeof(model->sha256));
    else
        HB_TRY(hbs_sha256(&model->memory.host, source->bytes, source->size, model->sha256, error));
    hb_arena_init(&scratch, &model->memory);
    status = hb_options_read(&scratch, source->options, source->options_size, &options, error);
    if (status == HBS_OK) { /* not before: their size is bounded now */
        digest_text(source->options, source->options_size, model->options_sha256);
        status = hb_format_read(source->bytes, source->size, &options, &model->pipeline, error);
    }
    if (status == HBS_OK)
        status = hb_pipeline_seal(&model->pipeline, error);
    hb_arena_release(&scratch);
    return status;
}

static void prefix_name(const char *name, hbs_error *error)
{
    char shown[HB_EXCERPT_BUFFER];

    if (name)
        hb_error_prefix(error, "model \"%s\": ", HB_SHOW(((hbs_text){name, strlen(name)}), shown));
}

hbs_status hbs_model_load(const hbs_host *host, const hbs_limits *limits, const hbs_source *source, hbs_model **model,
                          hbs_error *error)
{
    hbs_limits complete = complete_limits(limits);
    hbs_model *made = host->allocate(host->context, sizeof(*made));
    hb_float_mode mode;
    hbs_status status;

    *model = NULL;
    if (!made)
        return hb_fail(error, HBS_E_NOMEM, "out of memory");
    memset(made, 0, sizeof(*made));
    hb_memory_init(&made->memory, host, HB_LOAD_FACTOR * source->size + HB_LOAD_SLACK);
    made->memory.used = made->memory.peak = sizeof(*made);
    hb_pipeline_init(&made->pipeline, &made->memory, &complete);
    mode = hb_float_begin();
    status = load_model(made, source, error);
    hb_float_end(mode);
    if (status != HBS_OK) {
        prefix_name(source->name, error);
        hbs_model_free(made);
        return status;
    }
    *model = made;
    return HBS_OK;
}

void hbs_model_free(hbs_model *model)
{
    hbs_host host;

    if (!model)
        return;
    host = model->memory.host;
    hb_pipeline_release(&model->pipeline);
    host.release(host.context, model);
}

hbs_status hbs_model_inspect(hbs_model *model, size_t index, hbs_inspection *line, hbs_error *error)
{
    return hb_pipeline_inspect(&model->pipeline, index, line, error);
}

void hbs_model_memory(const hbs_model *model, size_t *peak, size_t *held)
{
    *peak = model->memory.peak;
    *held = model->memory.used;
}

const char *hbs_model_format(const hbs_model *model)
{
    return model->pipeline.format;
}

/* ------------------------------------------------------------------ options */

/* Keeps the arena alive behind hbs_options_info.memory. */
typedef struct kept_options {
    hb_memory memory;
    hb_arena arena;
} kept_options;

static hbs_status give_options(kept_options *kept, hbs_text text, const hb_options *read, hbs_options_info *info,
                               hbs_error *error)
{
    info->format = read->format;
    info->description = read->description;
    info->golden = read->golden;
    info->waits = read->waits;
    if (read->golden.bytes)
        info->golden.bytes = hb_arena_text(&kept->arena, read->golden.bytes, read->golden.size);
    info->plain = hb_options_without_golden(&kept->arena, text, read);
    if (!info->plain.bytes || (read->golden.bytes && !info->golden.bytes))
        return hb_no_memory(&kept->memory, error);
    return HBS_OK;
}

hbs_status hbs_options_read(const hbs_host *host, const char *options, size_t size, hbs_options_info *info,
                            hbs_error *error)
{
    kept_options *kept = host->allocate(host->context, sizeof(*kept));
    hb_options read;
    hbs_status status;

    *info = (hbs_options_info){.memory = kept};
    if (!kept)
        return hb_fail(error, HBS_E_NOMEM, "out of memory");
    hb_memory_init(&kept->memory, host, 64u << 20);
    hb_arena_init(&kept->arena, &kept->memory);
    status = hb_options_read(&kept->arena, options, size, &read, error);
    if (status == HBS_OK)
        status = give_options(kept, (hbs_text){options, options ? size : 0}, &read, info, error);
    if (status != HBS_OK)
        hbs_options_free(host, info);
    return status;
}

void hbs_options_free(const hbs_host *host, hbs_options_info *info)
{
    kept_options *kept = info->memory;

    if (!kept)
        return;
    hb_arena_release(&kept->arena);
    host->release(host->context, kept);
    *info = (hbs_options_info){.memory = NULL};
}

/* ------------------------------------------------------------------ digests */

enum { DIGEST_A_POLL = 128 * 1024 };

hbs_status hbs_sha256(const hbs_host *host, const void *bytes, size_t size, uint8_t digest[32], hbs_error *error)
{
    const uint8_t *rest = bytes;
    hb_sha256 hash;

    hb_sha256_init(&hash);
    while (size > 0) {
        size_t n = size < DIGEST_A_POLL ? size : DIGEST_A_POLL;

        HB_TRY(hb_poll(host, error));
        hb_sha256_add(&hash, rest, n);
        rest += n;
        size -= n;
    }
    hb_sha256_end(&hash, digest);
    return HBS_OK;
}

/* ------------------------------------------------------------------ plans */

/* Changes with everything that makes another plan of the same model. */
static const char plan_version[] = "hbscore plan 1";

static void make_key(const uint8_t model_sha256[32], const uint8_t options_sha256[32],
                     const hbs_compile_options *compile, uint8_t key[32])
{
    uint32_t passes_off = compile ? compile->passes_off : 0;
    const char *isa = hb_kernels_here()->name;
    const uint8_t bits[5] = {(uint8_t)passes_off, (uint8_t)(passes_off >> 8), (uint8_t)(passes_off >> 16),
                             (uint8_t)(passes_off >> 24), (uint8_t)(compile ? compile->strategy : HBS_STRATEGY_AUTO)};
    hb_sha256 hash;

    hb_sha256_init(&hash);
    hb_sha256_add(&hash, plan_version, sizeof(plan_version));
    hb_sha256_add(&hash, model_sha256, 32);
    hb_sha256_add(&hash, options_sha256, 32);
    hb_sha256_add(&hash, bits, sizeof(bits));
    hb_sha256_add(&hash, isa, strlen(isa));
    hb_sha256_end(&hash, key);
}

void hbs_plan_key(const uint8_t model_sha256[32], const char *options, size_t options_size,
                  const hbs_compile_options *compile, uint8_t key[32])
{
    uint8_t options_sha256[32];

    digest_text(options, options_size, options_sha256);
    make_key(model_sha256, options_sha256, compile, key);
}

const char *hbs_pass_name(size_t index, uint32_t *bit)
{
    return hb_pass_name(index, bit);
}

hbs_status hbs_plan_compile(const hbs_model *model, const hbs_compile_options *options, hbs_plan **plan,
                            hbs_error *error)
{
    return hbs_plan_compile_in(model, options, NULL, plan, error);
}

hbs_status hbs_plan_compile_in(const hbs_model *model, const hbs_compile_options *options, hbs_room *room,
                               hbs_plan **plan, hbs_error *error)
{
    hb_float_mode mode = hb_float_begin();
    hbs_status status;
    uint8_t key[32];

    make_key(model->sha256, model->options_sha256, options, key);
    status = hb_plan_compile_in(&model->pipeline, &model->memory.host, options, key, room, plan, error);
    hb_float_end(mode);
    return status;
}

void hbs_plan_free(hbs_plan *plan)
{
    if (plan)
        plan->host.release(plan->host.context, plan->block);
}

hbs_status hbs_plan_describe(const hbs_model *model, const hbs_compile_options *options, hbs_description **description,
                             hbs_error *error)
{
    hb_float_mode mode = hb_float_begin();
    hbs_status status = hb_describe(&model->pipeline, &model->memory.host, options, description, error);

    hb_float_end(mode);
    return status;
}

hbs_status hbs_description_draw(hbs_description *description, hbs_text title, hbs_text *drawing, hbs_error *error)
{
    return hb_draw(description, title, drawing, error);
}

const hbs_plan_line *hbs_description_line(const hbs_description *description, size_t index)
{
    const hbs_plan_line *lines = description->lines.items;

    return index < description->lines.count ? &lines[index] : NULL;
}

void hbs_description_free(hbs_description *description)
{
    hb_description_free(description);
}

/* A model without trees costs a fixed time per byte of its plan, and the call. */
static double row_nanoseconds(const hb_plan_header *h)
{
    const double call = 100, byte = 0.05;

    return call + (h->forest_nanoseconds > 0 ? h->forest_nanoseconds : byte * (double)h->bytes);
}

/* The same for a row of a block, which has no call of its own, and whose plan is read once for many rows. */
static double block_nanoseconds(const hb_plan_header *h)
{
    const double byte = 0.05;

    return h->forest_nanoseconds > 0 ? (double)h->forest_block_nanoseconds : byte * (double)h->bytes;
}

void hbs_plan_get_info(const hbs_plan *plan, hbs_plan_info *info)
{
    const hb_plan_header *h = plan->header;

    *info = (hbs_plan_info){
        .task = (hbs_task)h->task,
        .named = h->named,
        .features = h->n_features,
        .classes = h->n_classes,
        .value_width = h->results[HB_OUT_VALUE].width,
        .probabilities_width = h->results[HB_OUT_PROBABILITIES].width,
        .values_width = h->results[HB_OUT_VALUES].width,
        .raw_width = h->results[HB_OUT_RAW].width,
        .transform_width = h->results[HB_OUT_TRANSFORM].width,
        .value_tolerance = h->results[HB_OUT_VALUE].tolerance,
        .probabilities_tolerance = h->results[HB_OUT_PROBABILITIES].tolerance,
        .values_tolerance = h->results[HB_OUT_VALUES].tolerance,
        .raw_tolerance = h->results[HB_OUT_RAW].tolerance,
        .transform_tolerance = h->results[HB_OUT_TRANSFORM].tolerance,
        .bytes = h->bytes,
        .features_used = h->n_live,
        .strategy = h->forest_strategy == HBS_STRATEGY_AUTO ? "" : hb_strategy_name((hbs_strategy)h->forest_strategy),
        .row_nanoseconds = row_nanoseconds(h),
        .block_row_nanoseconds = block_nanoseconds(h),
        .block_rows = hb_plan_block_rows(h),
    };
    memcpy(info->key, h->key, sizeof(info->key));
}

bool hbs_plan_pass(const hbs_plan *plan, size_t index, hbs_pass_report *report)
{
    const hb_plan_header *h = plan->header;
    const hb_pass_report *kept = (const hb_pass_report *)hb_plan_at(h, h->passes) + index;
    uint32_t bit;

    if (index >= h->n_passes)
        return false;
    *report = (hbs_pass_report){.name = hb_pass_name(kept->pass, &bit),
                                .rewrites = kept->rewrites,
                                .before = kept->before,
                                .after = kept->after,
                                .unit = hb_pass_unit(kept->pass)};
    return true;
}

bool hbs_plan_uses(const hbs_plan *plan, size_t index, uint32_t outputs)
{
    const hb_plan_header *h = plan->header;

    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if ((outputs == 0 || outputs >> i & 1) && h->results[i].width > 0 &&
            hb_plan_is_live(h, hb_asker_of(1u << i), index))
            return true;
    return false;
}

bool hbs_plan_looks_up(const hbs_plan *plan, size_t index)
{
    const hb_dictionary *d = hb_plan_dictionary(plan->header, index);
    bool asked = false;

    for (size_t asker = 0; asker < HB_N_ASKERS; asker++) {
        const uint8_t *demands = hb_plan_at(plan->header, plan->header->demands[asker]);

        asked |= plan->header->demands[asker] && demands[index] & (HB_DEMAND_EXACT | HB_DEMAND_INT53);
    }
    return asked || (d && d->type != HBS_TEXT);
}

void hbs_plan_feature(const hbs_plan *plan, size_t index, hbs_text *name, hbs_type *type)
{
    const hb_dictionary *d = hb_plan_dictionary(plan->header, index);

    *name = hb_plan_feature_name(plan->header, index);
    *type = (d && d->type == HBS_TEXT) || hb_plan_is_hashed(plan->header, index) || hb_plan_text(plan->header, index)
                ? HBS_TEXT
                : HBS_FLOAT32;
}

void hbs_plan_match_columns(const hbs_plan *plan, const hbs_text *names, int n_names, int *columns)
{
    hb_plan_match_columns(plan->header, names, n_names, columns);
}

void hbs_plan_class(const hbs_plan *plan, size_t index, hbs_value *label)
{
    *label = hb_plan_class_label(plan->header, index);
}

/* ------------------------------------------------------------------ scoring */

hbs_status hbs_run_create(const hbs_plan *plan, const hbs_host *host, const char *model_name, size_t max_rows,
                          hbs_run **run, hbs_error *error)
{
    return hb_run_create(plan, host, model_name, max_rows, run, error);
}

void hbs_run_free(hbs_run *run)
{
    hb_run_free(run);
}

hbs_status hbs_run_use_blas(hbs_run *run, const hbs_blas *blas, hbs_error *error)
{
    return hb_run_use_blas(run, blas, error);
}

hbs_status hbs_plan_forest(const hbs_plan *plan, hbs_forest_view *view, hbs_error *error)
{
    return hb_plan_forest(plan, view, error);
}

hbs_status hbs_plan_device(const hbs_plan *plan, uint32_t outputs, hbs_error *error)
{
    return hb_plan_device(plan, outputs, error);
}

hbs_status hbs_run_use_device(hbs_run *run, const hbs_backend *backend, hbs_device *device, hbs_device_program *program,
                              hbs_error *error)
{
    return hb_run_use_device(run, backend, device, program, error);
}

void hbs_run_rest_device(hbs_run *run, bool rests)
{
    hb_run_rest_device(run, rests);
}

void hbs_run_device_use(const hbs_run *run, hbs_device_use *use)
{
    hb_run_device_use(run, use);
}

hbs_status hbs_score_submit(hbs_run *run, const hbs_column *columns, size_t n_columns, size_t rows, uint32_t outputs,
                            hbs_error *error)
{
    hb_float_mode mode = hb_float_begin();
    hbs_status status = hb_score_submit(run, columns, n_columns, rows, outputs, error);

    hb_float_end(mode);
    return status;
}

hbs_status hbs_score_collect(hbs_run *run, hbs_result *result, hbs_error *error)
{
    hb_float_mode mode = hb_float_begin();
    hbs_status status = hb_score_collect(run, result, error);

    hb_float_end(mode);
    return status;
}

hbs_status hbs_run_measure(hbs_run *run, hbs_error *error)
{
    return hb_run_measure(run, error);
}

bool hbs_run_time(const hbs_run *run, size_t index, hbs_operator_time *time)
{
    return hb_run_time(run, index, time);
}

hbs_status hbs_function_read(hbs_text name, hbs_function *function, hbs_error *error)
{
    return hb_function_read(name, function, error);
}

hbs_status hbs_run_outputs(const hbs_run *run, hbs_function function, uint32_t *outputs, hbs_error *error)
{
    return hb_run_outputs(run, function, outputs, error);
}

hbs_status hbs_run_check_count(const hbs_run *run, size_t count, hbs_error *error)
{
    return hb_run_check_count(run, count, error);
}

hbs_status hbs_run_class(const hbs_run *run, const hbs_value *label, size_t *index, hbs_error *error)
{
    hb_float_mode mode = hb_float_begin();
    hbs_status status = hb_run_class(run, label, index, error);

    hb_float_end(mode);
    return status;
}

hbs_status hbs_run_top(const hbs_run *run, const hbs_value *k, size_t *n, hbs_error *error)
{
    hb_float_mode mode = hb_float_begin();
    hbs_status status = hb_run_top(run, k, n, error);

    hb_float_end(mode);
    return status;
}

hbs_status hbs_best_classes(hbs_run *run, const hbs_result *result, size_t row, size_t n, uint32_t *classes,
                            hbs_error *error)
{
    hb_float_mode mode = hb_float_begin();
    hbs_status status = hb_best_classes(run, result, row, n, classes, error);

    hb_float_end(mode);
    return status;
}

hbs_status hbs_score(hbs_run *run, const hbs_column *columns, size_t n_columns, size_t rows, uint32_t outputs,
                     hbs_result *result, hbs_error *error)
{
    hb_float_mode mode = hb_float_begin();
    hbs_status status = hb_run_score(run, columns, n_columns, rows, outputs, result, error);

    hb_float_end(mode);
    return status;
}

hbs_status hbs_score_numbers(hbs_run *run, const double *numbers, size_t n_numbers, uint32_t outputs,
                             hbs_result *result, hbs_error *error)
{
    hb_float_mode mode = hb_float_begin();
    hbs_status status = hb_run_score_numbers(run, numbers, n_numbers, outputs, result, error);

    hb_float_end(mode);
    return status;
}

hbs_status hbs_score_row(hbs_run *run, const hbs_value *values, size_t n_values, uint32_t outputs, hbs_result *result,
                         hbs_error *error)
{
    hb_float_mode mode = hb_float_begin();
    hbs_status status = hb_run_score_row(run, values, n_values, outputs, result, error);

    hb_float_end(mode);
    return status;
}

static size_t find_feature(const void *context, hbs_text name, bool *ambiguous)
{
    return hb_plan_find_feature(context, name, ambiguous);
}

static hbs_text feature_name(const void *context, size_t feature)
{
    return hb_plan_feature_name(context, feature);
}

static hbs_status score_json(hbs_run *run, const char *json, size_t size, uint32_t outputs, hbs_result *result,
                             hbs_error *error)
{
    const hb_row_taker taker = {run->plan, run->plan->n_features, run->plan->named, find_feature, feature_name};
    hbs_value *values = hb_run_row(run);
    hbs_status status;
    size_t given;

    *result = (hbs_result){.rows = 0};
    if (!values)
        return hb_no_memory(&run->memory, error);
    status = hb_json_row_read(&run->memory, json, size, &taker, &run->text, values, &given, error);
    if (status == HBS_OK)
        return hb_run_score_row(run, values, given, outputs, result, error);
    if (run->name[0])
        hb_error_prefix(error, "model \"%s\": ", run->name);
    return status;
}

hbs_status hbs_score_json(hbs_run *run, const char *json, size_t size, uint32_t outputs, hbs_result *result,
                          hbs_error *error)
{
    hb_float_mode mode = hb_float_begin();
    hbs_status status = score_json(run, json, size, outputs, result, error);

    hb_float_end(mode);
    return status;
}

/* ------------------------------------------------------------------ golden rows */

static hbs_status verify_rows(hb_golden *golden, hb_verifier *verifier, hbs_error *error)
{
    const hb_golden_row *row;

    HB_TRY(hb_golden_next(golden, &row));
    while (row) {
        HB_TRY(hb_verify_row(verifier, row, error));
        HB_TRY(hb_golden_next(golden, &row));
    }
    return hb_verify_end(verifier, error);
}

static hbs_status verify_plan(const hbs_plan *plan, const hbs_host *host, hbs_text text, hbs_verification *found,
                              hbs_error *error)
{
    hb_golden_shape shape = hb_plan_golden_shape(plan->header);
    hb_verifier *verifier = NULL;
    hb_golden *golden;
    hb_memory memory;
    hbs_status status;

    hb_memory_init(&memory, host, 0);
    status = hb_golden_open(&memory, text.bytes, text.size, &shape, &golden, error);
    if (status == HBS_OK)
        status = hb_verifier_create(plan, host, hb_golden_outputs(golden), found, &verifier, error);
    if (status == HBS_OK)
        status = verify_rows(golden, verifier, error);
    hb_verifier_free(verifier);
    hb_golden_close(golden);
    return status;
}

hbs_status hbs_verify(const hbs_plan *plan, const hbs_host *host, const char *model_name, const char *golden,
                      size_t size, hbs_verification *found, hbs_error *error)
{
    hb_float_mode mode = hb_float_begin();
    hbs_status status;

    *found = (hbs_verification){.ok = true};
    status = verify_plan(plan, host, (hbs_text){golden, size}, found, error);
    hb_float_end(mode);
    if (status == HBS_OK)
        return status;
    found->ok = false;
    hb_error_prefix(error, "option golden: ");
    prefix_name(model_name, error);
    return status;
}

/* ------------------------------------------------------------------ text */

size_t hbs_format_double(double number, char *buffer)
{
    hb_float_mode mode = hb_float_begin();
    size_t size = hb_format_number(number, buffer);

    hb_float_end(mode);
    return size;
}

size_t hbs_format_doubles(const double *numbers, size_t n, char *buffer, size_t capacity)
{
    hb_float_mode mode = hb_float_begin();
    size_t size = hb_format_numbers(numbers, n, buffer, capacity);

    hb_float_end(mode);
    return size;
}

size_t hbs_format_row(const double *numbers, size_t n, char *buffer, size_t capacity)
{
    hb_float_mode mode = hb_float_begin();
    size_t size = hb_format_row(numbers, n, buffer, capacity);

    hb_float_end(mode);
    return size;
}

size_t hbs_format_label(const hbs_value *label, char *buffer, size_t capacity)
{
    hb_float_mode mode = hb_float_begin();
    size_t size = hb_format_label(label, buffer, capacity);

    hb_float_end(mode);
    return size;
}

size_t hbs_format_result(const hbs_run *run, const hbs_result *result, size_t row, const char *model, char *buffer,
                         size_t capacity)
{
    hb_float_mode mode = hb_float_begin();
    size_t size = hb_format_result_json(run, result, row, model, buffer, capacity);

    hb_float_end(mode);
    return size;
}

size_t hbs_format_probabilities(const hbs_run *run, const hbs_result *result, size_t row, char *buffer, size_t capacity)
{
    hb_float_mode mode = hb_float_begin();
    size_t size = hb_format_probabilities(run, result, row, buffer, capacity);

    hb_float_end(mode);
    return size;
}

size_t hbs_format_classes(const hbs_run *run, const hbs_result *result, size_t row, const uint32_t *classes, size_t n,
                          char *buffer, size_t capacity)
{
    hb_float_mode mode = hb_float_begin();
    size_t size = hb_format_classes(run, result, row, classes, n, buffer, capacity);

    hb_float_end(mode);
    return size;
}
