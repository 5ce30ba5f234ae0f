/* golden_answers.c - a golden's model and rows in the core, and the comparison of other answers with it. */
#include "bench/common/malloc_host.h"
#include "golden_postgres.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PRINTED = 12 };

void gp_differ(gp_model *m, const char *format, ...)
{
    va_list args;

    if (++m->differences > MAX_PRINTED)
        return;
    flockfile(stdout);
    printf("  %s: ", m->name);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("%s\n", m->differences == MAX_PRINTED ? " (more are not shown)" : "");
    fflush(stdout);
    funlockfile(stdout);
}

/* ------------------------------------------------------------------ the model */

static bool load(gp_model *m)
{
    const char *options = m->golden.options;
    hbs_source source = {.name = m->name,
                         .bytes = m->bytes,
                         .size = m->size,
                         .options = options,
                         .options_size = options ? strlen(options) : 0};
    hbs_model *model = NULL;
    hbs_error error;
    hbs_status status = hbs_model_load(&host, NULL, &source, &model, &error);

    if (status == HBS_OK)
        status = hbs_plan_compile(model, NULL, &m->plan, &error);
    if (status == HBS_OK)
        status = hbs_run_create(m->plan, &host, m->name, 1, &m->run, &error);
    hbs_model_free(model);
    if (status != HBS_OK)
        m->refusal = error;
    else
        hbs_plan_get_info(m->plan, &m->info);
    return status == HBS_OK;
}

/* ------------------------------------------------------------------ functions */

static const struct {
    hbs_function function;
    const char *name;
    rg_kind needs; /* asked where the golden has this output.. */
    rg_kind kind;  /* ..and compared with that of the library */
} FUNCTIONS[] = {
    {HBS_DECISION_FUNCTION, "decision_function", RG_RAW, RG_RAW},
    {HBS_PREDICT_PROBA, "predict_proba", RG_PROBABILITIES, RG_PROBABILITIES},
    {HBS_PREDICT_PROBABILITY, "predict_probability", RG_PROBABILITIES, RG_KINDS},
    {HBS_PREDICT_VALUES, "predict_values", RG_VALUES, RG_VALUES},
    {HBS_PREDICT_JSON, "predict_json", RG_VALUES, RG_VALUES}, /* labels of which some are texts */
    {HBS_PREDICT, "predict", RG_VALUE, RG_VALUE},
    {HBS_PREDICT, "predict", RG_LABEL, RG_KINDS},
    {HBS_PREDICT_LABEL, "predict_label", RG_LABEL, RG_LABEL},
    {HBS_TRANSFORM, "transform", RG_TRANSFORM, RG_TRANSFORM},
};

static size_t width_of(const gp_model *m, hbs_function function)
{
    switch (function) {
    case HBS_DECISION_FUNCTION:
        return m->info.raw_width;
    case HBS_PREDICT_PROBA:
        return m->info.probabilities_width;
    case HBS_PREDICT_VALUES:
    case HBS_PREDICT_JSON:
        return m->info.values_width;
    case HBS_TRANSFORM:
        return m->info.transform_width;
    default:
        return 1;
    }
}

static void set_class(const gp_model *m, gp_call *call)
{
    char text[256];
    char *quoted;
    hbs_value label;

    call->class_index = m->info.classes - 1;
    hbs_plan_class(m->plan, call->class_index, &label);
    gp_label_text(&label, text, sizeof(text));
    quoted = sqlite3_mprintf(label.type == HBS_TEXT ? "CAST(%Q AS text), " : "%s, ", text);
    snprintf(call->class, sizeof(call->class), "%s", quoted);
    sqlite3_free(quoted);
}

/* Several outputs whose labels are texts give no numbers. */
static bool gives_texts(const gp_model *m, hbs_function function)
{
    uint32_t outputs;
    hbs_error error;

    return hbs_run_outputs(m->run, function, &outputs, &error) != HBS_OK &&
           strstr(error.text, "several outputs, whose labels are texts");
}

/* A label that is a text cannot be what PostgreSQL's predict gives. */
static bool is_asked(const gp_model *m, hbs_function function, rg_kind needs)
{
    hbs_value label;

    if (!m->golden.outputs[needs].given || gives_texts(m, function))
        return false;
    if (function == HBS_PREDICT_JSON)
        return gives_texts(m, HBS_PREDICT_VALUES);
    if (function == HBS_PREDICT_PROBABILITY)
        return m->info.classes > 0;
    if (function != HBS_PREDICT || needs != RG_LABEL)
        return true;
    hbs_plan_class(m->plan, 0, &label);
    return label.type != HBS_TEXT;
}

static void choose_calls(gp_model *m)
{
    for (size_t i = 0; i < sizeof(FUNCTIONS) / sizeof(FUNCTIONS[0]); i++) {
        gp_call *call = &m->calls[m->n_calls];
        hbs_error error;

        if (!is_asked(m, FUNCTIONS[i].function, FUNCTIONS[i].needs))
            continue;
        call->function = FUNCTIONS[i].function;
        call->name = FUNCTIONS[i].name;
        call->kind = FUNCTIONS[i].kind;
        if (hbs_run_outputs(m->run, call->function, &call->outputs, &error) != HBS_OK) {
            gp_differ(m, "%s: %s", call->name, error.text);
            continue;
        }
        if (call->function == HBS_PREDICT_PROBABILITY)
            set_class(m, call);
        call->width = width_of(m, call->function);
        call->at = m->stride;
        m->stride += call->width;
        m->n_calls++;
    }
}

/* ------------------------------------------------------------------ labels */

void gp_label_text(const hbs_value *label, char *text, size_t size)
{
    char number[64];

    switch (label->type) {
    case HBS_TEXT:
        snprintf(text, size, "%.*s", (int)label->as.text.size, label->as.text.bytes);
        return;
    case HBS_INT64:
        snprintf(text, size, "%" PRId64, label->as.i64);
        return;
    case HBS_BOOL:
        snprintf(text, size, "%s", label->as.boolean ? "true" : "false");
        return;
    default:
        hbs_format_double(label->type == HBS_FLOAT32 ? (double)label->as.f32 : label->as.f64, number);
        snprintf(text, size, "%s", number);
    }
}

int gp_class_of(const gp_model *m, const char *text, size_t size)
{
    char other[256];

    for (size_t i = 0; i < m->info.classes; i++) {
        hbs_value label;

        hbs_plan_class(m->plan, i, &label);
        gp_label_text(&label, other, sizeof(other));
        if (strlen(other) == size && memcmp(other, text, size) == 0)
            return (int)i;
    }
    return -1;
}

static double label_number(const gp_model *m, int32_t index)
{
    hbs_value label;

    hbs_plan_class(m->plan, (size_t)index, &label);
    switch (label.type) {
    case HBS_INT64:
        return (double)label.as.i64;
    case HBS_BOOL:
        return label.as.boolean;
    case HBS_FLOAT32:
        return (double)label.as.f32;
    default:
        return label.as.f64;
    }
}

/* ------------------------------------------------------------------ the core's answers */

gp_form gp_form_of(const gp_model *m, size_t row)
{
    if (m->golden.features <= GP_MAX_SCALARS)
        return GP_SCALARS;
    return row % 2 && rg_row_fits(&m->golden, row, RG_FLOAT64) ? GP_ARRAY : GP_JSON;
}

hbs_value *gp_doubles(const gp_model *m, size_t row, bool nan)
{
    const rg_golden *g = &m->golden;
    hbs_value *values = rg_need(g->features, sizeof(*values));
    char buffer[RG_CELL_TEXT];

    for (size_t c = 0; c < g->features; c++)
        rg_cell(&g->cells[row * g->features + c], RG_FLOAT64, nan, buffer, &values[c]);
    return values;
}

static hbs_status score(gp_model *m, size_t row, const gp_call *call, hbs_result *result, hbs_error *error)
{
    const rg_golden *g = &m->golden;
    gp_form form = gp_form_of(m, row);
    hbs_value *values;
    hbs_status status;
    char *json;
    size_t size;

    if (form == GP_JSON) {
        json = rg_row_json(g, row, false, &size);
        status = hbs_score_json(m->run, json, size, call->outputs, result, error);
        free(json);
        return status;
    }
    if (form == GP_SCALARS)
        return hbs_score_row(m->run, g->cells + row * g->features, g->features, call->outputs, result, error);
    values = gp_doubles(m, row, false);
    status = hbs_score_row(m->run, values, g->features, call->outputs, result, error);
    free(values);
    return status;
}

static void keep(gp_model *m, size_t row, const gp_call *call, const hbs_result *result)
{
    uint64_t *bits = m->bits + row * m->stride + call->at;
    const double *numbers;
    double one;

    switch (call->function) {
    case HBS_DECISION_FUNCTION:
        numbers = result->raw;
        break;
    case HBS_PREDICT_PROBA:
        numbers = result->probabilities;
        break;
    case HBS_PREDICT_PROBABILITY:
        numbers = result->probabilities + call->class_index;
        break;
    case HBS_PREDICT_VALUES:
    case HBS_PREDICT_JSON:
        numbers = result->values;
        break;
    case HBS_TRANSFORM:
        numbers = result->transform;
        break;
    case HBS_PREDICT_LABEL:
        one = result->label[0];
        numbers = &one;
        break;
    default:
        one = call->outputs & HBS_OUT_LABEL ? label_number(m, result->label[0]) : result->value[0];
        numbers = &one;
    }
    memcpy(bits, numbers, call->width * sizeof(*bits));
}

static void ask_core(gp_model *m)
{
    const rg_golden *g = &m->golden;
    hbs_result result;

    m->bits = rg_need(g->rows * m->stride, sizeof(*m->bits));
    m->null = rg_need(g->rows * m->n_calls, sizeof(*m->null));
    m->error = rg_need(g->rows, sizeof(*m->error));
    for (size_t row = 0; row < g->rows; row++)
        for (size_t c = 0; c < m->n_calls && m->error[row].status == HBS_OK; c++) {
            if (score(m, row, &m->calls[c], &result, &m->error[row]) != HBS_OK)
                continue;
            m->null[row * m->n_calls + c] = !(result.valid[0] & 1);
            if (result.valid[0] & 1 && m->golden.fate[row] != RG_SCORED)
                m->golden.fate[row] = RG_UNLIKE;
            if (result.valid[0] & 1)
                keep(m, row, &m->calls[c], &result);
        }
}

bool gp_open(gp_model *m, const char *folder, const char *file)
{
    const char *library = strrchr(folder, '/');

    memset(m, 0, sizeof(*m));
    snprintf(m->name, sizeof(m->name), "%s", file);
    if (rg_read(folder, file, &m->golden))
        m->bytes = rg_file(folder, m->golden.model, &m->size);
    snprintf(m->name, sizeof(m->name), "%s/%s", library ? library + 1 : folder, m->golden.name);
    if (!m->bytes) {
        gp_differ(m, "the golden or its model is not there");
        return false;
    }
    if (load(m)) {
        choose_calls(m);
        ask_core(m);
    }
    if (m->golden.refused == (m->refusal.status == HBS_OK))
        gp_differ(m, "the core %s %s", m->golden.refused ? "takes a model to be refused" : "refuses the model:",
                  m->refusal.text);
    return m->golden.refused || m->refusal.status == HBS_OK;
}

void gp_close(gp_model *m)
{
    hbs_run_free(m->run);
    hbs_plan_free(m->plan);
    rg_free(&m->golden);
    free(m->bytes);
    free(m->bits);
    free(m->null);
    free(m->error);
}

/* ------------------------------------------------------------------ comparing */

/* All NaN are one: text has no sign of it. */
static bool same_bits(double got, double want)
{
    return (isnan(got) && isnan(want)) || memcmp(&got, &want, sizeof(got)) == 0;
}

void gp_compare(gp_model *m, size_t row, const gp_call *call, const gp_answer *answer, const char *way)
{
    bool null = m->null[row * m->n_calls + (size_t)(call - m->calls)];
    double want;

    if (answer->null != null) {
        gp_differ(m, "%s, row %zu: %s is %s, the core's is %s", way, row, call->name,
                  answer->null ? "NULL" : "not NULL", null ? "NULL" : "not");
        return;
    }
    if (null)
        return;
    if (answer->width != call->width) {
        gp_differ(m, "%s, row %zu: %s gives %zu numbers, wanted %zu", way, row, call->name, answer->width,
                  call->width);
        return;
    }
    for (size_t i = 0; i < call->width; i++) {
        memcpy(&want, &m->bits[row * m->stride + call->at + i], sizeof(want));
        if (!same_bits(answer->numbers[i], want))
            gp_differ(m, "%s, row %zu: %s[%zu] is %a, the core's is %a", way, row, call->name, i,
                      answer->numbers[i], want);
    }
}

void gp_compare_library(gp_model *m, size_t row, const gp_call *call, const gp_answer *answer)
{
    const rg_golden *g = &m->golden;
    const rg_output *output = call->kind < RG_KINDS ? &g->outputs[call->kind] : NULL;

    if (answer->null != (g->fate[row] == RG_NULL) || g->fate[row] == RG_ERROR)
        gp_differ(m, "row %zu: %s gives %s, which is not the library's", row, call->name,
                  answer->null ? "NULL" : "an answer");
    if (!output || answer->null || g->fate[row] != RG_SCORED)
        return;
    for (size_t i = 0; i < output->width && i < answer->width; i++)
        if (!rg_agrees(output, answer->numbers[i], output->want[row * output->width + i]))
            gp_differ(m, "row %zu: %s[%zu] is %a, the library's is %a", row, call->name, i, answer->numbers[i],
                      output->want[row * output->width + i]);
}
