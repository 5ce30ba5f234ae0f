/* fuzz_row.c - texts that SQL hands in (libFuzzer): rows as JSON, numbers and categories as text, class
 * labels, registration options. The first byte says which; the rest is the text. */
#define FUZZ_NAME "fuzz_row"
#include "small_model.h"

static const char *const OPTIONS[] = {
    "{\"classes\":[\"no\",\"yes\"]}",
    "{\"features\":[\"Fee\",\"FEE\",\"fee\"],\"on_unseen\":\"null\"}",
};

enum { MODELS = 2, OUTPUTS = HBS_OUT_RAW | HBS_OUT_PROBABILITIES | HBS_OUT_LABEL };

static void make_run(int which, hbs_plan **plan, hbs_run **run)
{
    hbs_source source = {.name = "m", .bytes = MODEL, .size = sizeof(MODEL) - 1};
    hbs_model *model = NULL;
    hbs_error error = {0};

    source.options = OPTIONS[which];
    source.options_size = strlen(OPTIONS[which]);
    if (hbs_model_load(&HOST, NULL, &source, &model, &error) != HBS_OK ||
        hbs_plan_compile(model, NULL, plan, &error) != HBS_OK ||
        hbs_run_create(*plan, &HOST, "m", 3, run, &error) != HBS_OK)
        give_up("the model does not load", &error);
    hbs_model_free(model);
}

static hbs_run *run_of(int which)
{
    static hbs_plan *plans[MODELS];
    static hbs_run *runs[MODELS];

    if (!runs[which])
        make_run(which, &plans[which], &runs[which]);
    return runs[which];
}

/* The number that a result has, or a mark for NULL. */
static double raw_of(const hbs_result *result)
{
    return result->valid && !(result->valid[0] & 1) ? -12345.5 : result->raw[0];
}

/* A row that is taken is taken again with the same answer, also after a bad one. */
static void try_json(hbs_run *run, const char *text, size_t size)
{
    hbs_result result;
    hbs_error error = {0}, other = {0};
    hbs_status status = hbs_score_json(run, text, size, OUTPUTS, &result, &error);
    double first;

    check_error(status, &error);
    if (status != HBS_OK) {
        if (result.rows != 0 || hbs_score_json(run, text, size, OUTPUTS, &result, &other) != status)
            give_up("a bad row is another one the second time", &error);
        return;
    }
    first = raw_of(&result);
    hbs_score_json(run, "[", 1, OUTPUTS, &result, &error);
    if (hbs_score_json(run, text, size, OUTPUTS, &result, &error) != HBS_OK || raw_of(&result) != first)
        give_up("a row scores otherwise the second time", &error);
}

/* The text as the value of each feature, by itself and in a block. */
static void try_values(hbs_run *run, const char *text, size_t size)
{
    hbs_text texts[3] = {{"basic", 5}, {"0.25", 4}, {"20", 2}};

    for (size_t f = 0; f < 3; f++) {
        hbs_value row[3];
        hbs_column columns[3];
        hbs_result result;
        hbs_error error = {0};
        hbs_status status, in_block;
        double raw = 0;

        for (size_t c = 0; c < 3; c++) {
            row[c].type = columns[c].type = HBS_TEXT;
            row[c].as.text = c == f ? (hbs_text){text, size} : texts[c];
            columns[c].values = &row[c].as.text;
            columns[c].valid = NULL;
        }
        status = hbs_score_row(run, row, 3, OUTPUTS, &result, &error);
        check_error(status, &error);
        if (status == HBS_OK)
            raw = raw_of(&result);
        in_block = hbs_score(run, columns, 3, 1, OUTPUTS, &result, &error);
        if (in_block != status || (status == HBS_OK && raw_of(&result) != raw))
            give_up("a block of one row differs from the row", &error);
    }
}

static void try_class(hbs_run *run, const char *text, size_t size)
{
    hbs_value label = {.type = HBS_TEXT};
    hbs_error error = {0};
    hbs_status status;
    size_t index = 99;

    label.as.text = (hbs_text){text, size};
    status = hbs_run_class(run, &label, &index, &error);
    check_error(status, &error);
    if (status == HBS_OK && index > 1)
        give_up("a class that there is not", NULL);
}

static void try_options(const char *text, size_t size)
{
    hbs_options_info info = {0};
    hbs_source source = {.name = "m", .bytes = MODEL, .size = sizeof(MODEL) - 1};
    hbs_model *model = NULL;
    hbs_error error = {0};
    size_t before = blocks;
    hbs_status status = hbs_options_read(&HOST, text, size, &info, &error);

    check_error(status, &error);
    if (status == HBS_OK)
        hbs_options_free(&HOST, &info);
    source.options = text;
    source.options_size = size;
    memset(&error, 0, sizeof(error));
    if (hbs_model_load(&HOST, NULL, &source, &model, &error) != HBS_OK && error.status != HBS_E_FORMAT &&
        error.status != HBS_E_UNSUPPORTED)
        check_error(error.status, &error);
    hbs_model_free(model);
    if (blocks != before)
        give_up("a leak", NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data + 1;

    if (size < 1)
        return 0;
    switch (data[0] % 8) {
    case 0:
        try_options(text, size - 1);
        break;
    case 1:
        try_values(run_of(0), text, size - 1);
        break;
    case 2:
        try_class(run_of(0), text, size - 1);
        break;
    case 3:
        try_json(run_of(1), text, size - 1);
        break;
    default: /* '{' and others: seeds may begin as they are */
        try_json(run_of(0), text, size - 1);
        break;
    }
    return 0;
}
