/* result_text.c - results as JSON text. Writers behave as snprintf: they write what fits and give the
 * length of the whole. */
#include <string.h>

#include "base/number.h"
#include "plan/run.h"

typedef struct text_out {
    char *buffer;
    size_t capacity, size;
} text_out;

static void put_bytes(text_out *out, const char *bytes, size_t n)
{
    if (out->size < out->capacity) {
        size_t room = out->capacity - out->size;

        memcpy(out->buffer + out->size, bytes, n < room ? n : room);
    }
    out->size += n;
}

static inline void put_byte(text_out *out, char byte)
{
    if (out->size < out->capacity)
        out->buffer[out->size] = byte;
    out->size++;
}

static void put_text(text_out *out, const char *text)
{
    put_bytes(out, text, strlen(text));
}

static size_t finish_text(text_out *out)
{
    if (out->capacity)
        out->buffer[out->size < out->capacity ? out->size : out->capacity - 1] = 0;
    return out->size;
}

static void put_string(text_out *out, hbs_text text)
{
    static const char hex[] = "0123456789abcdef";

    put_text(out, "\"");
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = (uint8_t)text.bytes[i];
        const char escaped[] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};

        if (c == '"' || c == '\\')
            put_text(out, "\\");
        if (c < 0x20)
            put_bytes(out, escaped, sizeof(escaped));
        else
            put_bytes(out, &text.bytes[i], 1);
    }
    put_text(out, "\"");
}

/* In place, if it surely fits: thousands of numbers need no second copy. NaN and infinities in quotes: JSON has no
 * numbers for them. */
static void put_number(text_out *out, double number)
{
    char buffer[32];
    bool quoted = number - number != 0;

    if (!quoted && out->size < out->capacity && out->capacity - out->size >= sizeof(buffer)) {
        out->size += hb_format_float64(number, out->buffer + out->size);
        return;
    }
    if (quoted)
        put_byte(out, '"');
    put_bytes(out, buffer, hb_format_float64(number, buffer));
    if (quoted)
        put_byte(out, '"');
}

static void put_numbers(text_out *out, const double *numbers, size_t n)
{
    put_text(out, "[");
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            put_byte(out, ',');
        put_number(out, numbers[i]);
    }
    put_text(out, "]");
}

/* A number that is missing is null, as a row in JSON has it. */
static void put_row(text_out *out, const double *numbers, size_t n)
{
    put_text(out, "[");
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            put_byte(out, ',');
        if (numbers[i] == numbers[i])
            put_number(out, numbers[i]);
        else
            put_text(out, "null");
    }
    put_text(out, "]");
}

static void put_label(text_out *out, const hbs_value *label)
{
    char buffer[32];

    if (label->type == HBS_TEXT) {
        put_string(out, label->as.text);
    } else if (label->type == HBS_BOOL) {
        put_text(out, label->as.boolean ? "true" : "false");
    } else if (label->type == HBS_FLOAT64) {
        put_number(out, label->as.f64);
    } else { /* int64: not through a double, which would round it */
        uint64_t n = label->as.i64 < 0 ? 0 - (uint64_t)label->as.i64 : (uint64_t)label->as.i64;
        size_t at = sizeof(buffer);

        do
            buffer[--at] = (char)('0' + n % 10);
        while (n /= 10);
        put_bytes(out, "-", label->as.i64 < 0);
        put_bytes(out, buffer + at, sizeof(buffer) - at);
    }
}

static const double *probabilities_of(const hbs_run *run, const hbs_result *result, size_t row)
{
    return result->probabilities + row * run->plan->results[HB_OUT_PROBABILITIES].width;
}

/* A label as the name of a member. */
static void put_name(text_out *out, const hbs_value *label)
{
    bool quoted = label->type != HBS_TEXT;

    put_bytes(out, "\"", quoted);
    put_label(out, label);
    put_bytes(out, "\"", quoted);
}

/* {"no": .., "yes": ..}: the labels from `first` on, up to `end`. */
static void put_named(text_out *out, const hb_plan_header *plan, const double *p, size_t first, size_t end,
                      hbs_value (*label_of)(const hb_plan_header *plan, size_t i))
{
    put_text(out, "{");
    for (size_t i = first; i < end; i++) {
        hbs_value label = label_of(plan, i);

        if (i > first)
            put_byte(out, ',');
        put_name(out, &label);
        put_text(out, ":");
        put_number(out, p[i]);
    }
    put_text(out, "}");
}

/* ---- several outputs with labels of their own */

static size_t target_begin(const hb_plan_header *plan, size_t k)
{
    const uint32_t *ends = hb_plan_at(plan, plan->target_ends);

    return k == 0 ? 0 : ends[k - 1];
}

/* The label that `value` stands for, as its place or as the number that it is. Places come from a file's numbers. */
static bool is_target_label(const hb_plan_header *plan, size_t first, size_t i, double value)
{
    hbs_value label = hb_plan_target_label(plan, i);

    if (plan->targets_are_places)
        return value == (double)(i - first);
    return value == (label.type == HBS_FLOAT64 ? label.as.f64
                     : label.type == HBS_BOOL  ? (double)label.as.boolean
                                               : (double)label.as.i64);
}

static void put_target(text_out *out, const hb_plan_header *plan, size_t k, double value)
{
    size_t first = target_begin(plan, k), end = target_begin(plan, k + 1);

    for (size_t i = first; i < end; i++)
        if (is_target_label(plan, first, i, value)) {
            hbs_value label = hb_plan_target_label(plan, i);

            put_label(out, &label);
            return;
        }
    put_text(out, "null");
}

static void put_targets(text_out *out, const hb_plan_header *plan, const double *values)
{
    for (size_t k = 0; k < plan->n_targets; k++) {
        put_text(out, k == 0 ? "[" : ",");
        put_target(out, plan, k, values[k]);
    }
    put_text(out, "]");
}

static void put_probabilities_of_targets(text_out *out, const hb_plan_header *plan, const double *p)
{
    for (size_t k = 0; k < plan->n_targets; k++) {
        put_text(out, k == 0 ? "[" : ",");
        put_named(out, plan, p, target_begin(plan, k), target_begin(plan, k + 1), hb_plan_target_label);
    }
    put_text(out, "]");
}

/* A multi-label model has no class names: a list. */
static void put_probabilities(text_out *out, const hb_plan_header *plan, const double *p)
{
    size_t n = plan->results[HB_OUT_PROBABILITIES].width;

    if (plan->n_targets > 0)
        put_probabilities_of_targets(out, plan, p);
    else if (plan->n_classes == n)
        put_named(out, plan, p, 0, n, hb_plan_class_label);
    else
        put_numbers(out, p, n);
}

size_t hb_format_number(double number, char buffer[32])
{
    text_out out = {buffer, 32, 0};

    put_number(&out, number);
    return finish_text(&out);
}

size_t hb_format_numbers(const double *numbers, size_t n, char *buffer, size_t capacity)
{
    text_out out = {buffer, capacity, 0};

    put_numbers(&out, numbers, n);
    return finish_text(&out);
}

size_t hb_format_row(const double *numbers, size_t n, char *buffer, size_t capacity)
{
    text_out out = {buffer, capacity, 0};

    put_row(&out, numbers, n);
    return finish_text(&out);
}

size_t hb_format_label(const hbs_value *label, char *buffer, size_t capacity)
{
    text_out out = {buffer, capacity, 0};

    put_label(&out, label);
    return finish_text(&out);
}

size_t hb_format_probabilities(const hbs_run *run, const hbs_result *result, size_t row, char *buffer, size_t capacity)
{
    text_out out = {buffer, capacity, 0};

    put_probabilities(&out, run->plan, probabilities_of(run, result, row));
    return finish_text(&out);
}

size_t hb_format_classes(const hbs_run *run, const hbs_result *result, size_t row, const uint32_t *classes, size_t n,
                         char *buffer, size_t capacity)
{
    const double *p = probabilities_of(run, result, row);
    text_out out = {buffer, capacity, 0};

    put_text(&out, "[");
    for (size_t i = 0; i < n; i++) {
        hbs_value label = hb_plan_class_label(run->plan, classes[i]);

        if (i > 0)
            put_byte(&out, ',');
        put_text(&out, "{\"class\":");
        put_label(&out, &label);
        put_text(&out, ",\"probability\":");
        put_number(&out, p[classes[i]]);
        put_text(&out, "}");
    }
    put_text(&out, "]");
    return finish_text(&out);
}

size_t hb_format_result_json(const hbs_run *run, const hbs_result *result, size_t row, const char *model, char *buffer,
                             size_t capacity)
{
    const hb_plan_header *plan = run->plan;
    text_out out = {buffer, capacity, 0};

    put_text(&out, "{\"model\":");
    put_string(&out, (hbs_text){model, strlen(model)});
    if (result->label) {
        hbs_value label = hb_plan_class_label(plan, (size_t)result->label[row]);

        put_text(&out, ",\"prediction\":");
        put_label(&out, &label);
    } else if (result->value) {
        put_text(&out, ",\"prediction\":");
        put_number(&out, result->value[row]);
    } else if (result->values && plan->n_targets > 0) {
        put_text(&out, ",\"prediction\":");
        put_targets(&out, plan, result->values + row * plan->n_targets);
    }
    if (result->probabilities) {
        put_text(&out, ",\"probabilities\":");
        put_probabilities(&out, plan, probabilities_of(run, result, row));
    }
    if (result->raw) {
        put_text(&out, ",\"decision\":");
        put_numbers(&out, result->raw + row * plan->results[HB_OUT_RAW].width, plan->results[HB_OUT_RAW].width);
    }
    if (result->values && !plan->targets_are_places) {
        put_text(&out, ",\"values\":");
        put_numbers(&out, result->values + row * plan->results[HB_OUT_VALUES].width,
                    plan->results[HB_OUT_VALUES].width);
    }
    put_text(&out, "}");
    return finish_text(&out);
}
