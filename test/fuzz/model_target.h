/* model_target.h - any bytes as a model (libFuzzer): the target of every format. Included once, by the
 * fuzz_FORMAT.c that gives it its name, seeds and dictionary.
 *
 * Loads, inspects, compiles with and without the optimizer's passes, and scores rows in a block and one
 * by one. Beside what the sanitizers see, these end the run: HBS_E_INTERNAL, a message that is no text,
 * more memory than promised, a leak, other bits by another way. The size of the input chooses the
 * options, so that a model file is an input as it stands. */
#include "hbscore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5, MOST_FEATURES = 512, MOST_NUMBERS = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const OPTIONS[] = {
    NULL,
    "{\"on_unseen\":\"missing\"}",
    "{\"on_unseen\":\"null\",\"missing\":0}",
    "{\"rounds\":1}",
    "{\"features\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"],\"on_missing\":\"error\"}",
    "{\"classes\":[\"no\",\"yes\"],\"missing\":-1.5}",
    "{\"format\":\"xgboost\",\"on_missing\":\"null\"}",
    NULL,
};

/* How many times its file a model and a plan may take, as hbscore.h says. */
#ifndef LOAD_FACTOR
#define LOAD_FACTOR 4
#define PLAN_FACTOR 8
#define PLAN_SLACK  ((size_t)4 << 20)
#endif

static const hbs_limits LIMITS = {.max_nodes = 20000, .max_depth = 200};

static void give_up(const char *what, const hbs_error *error)
{
    fprintf(stderr, "%s: %s: %s\n", FUZZ_NAME, what, error ? error->text : "");
    abort();
}

/* ------------------------------------------------------------------ counted memory */

typedef struct counts {
    size_t held, peak, blocks;
} counts;

enum { HEAD = 16 };

static void *allocate(void *context, size_t bytes)
{
    counts *c = context;
    char *block = malloc(bytes + HEAD);

    if (!block)
        return NULL;
    memcpy(block, &bytes, sizeof(bytes));
    c->blocks++;
    c->held += bytes;
    c->peak = c->held > c->peak ? c->held : c->peak;
    return block + HEAD;
}

static void release(void *context, void *block)
{
    counts *c = context;
    size_t bytes;

    if (!block)
        return;
    memcpy(&bytes, (char *)block - HEAD, sizeof(bytes));
    c->blocks--;
    c->held -= bytes;
    free((char *)block - HEAD);
}

static void *resize(void *context, void *block, size_t bytes)
{
    void *other = allocate(context, bytes);
    size_t old = 0;

    if (!other || !block)
        return other;
    memcpy(&old, (char *)block - HEAD, sizeof(old));
    memcpy(other, block, old < bytes ? old : bytes);
    release(context, block);
    return other;
}

/* ------------------------------------------------------------------ what must hold */

static bool is_plain(const char *text)
{
    size_t n = strlen(text);

    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return false;
    return n > 0 && n < HBS_ERROR_TEXT;
}

static void check_error(hbs_status status, const hbs_error *error, size_t size)
{
    if (status == HBS_OK)
        return;
    if (status == HBS_E_INTERNAL || status == HBS_E_NOMEM || status == HBS_E_CANCEL)
        give_up(hbs_status_name(status), error);
    if (error->status != status || !is_plain(error->text))
        give_up("a message that is no text", error);
    if (error->offset != HBS_NO_OFFSET && error->offset > size)
        give_up("an offset behind the file", error);
}

static void inspect(hbs_model *model)
{
    hbs_inspection line;
    hbs_error error = {0};
    hbs_status status = HBS_OK;

    for (size_t i = 0; i < 2000 && status == HBS_OK; i++) {
        status = hbs_model_inspect(model, i, &line, &error);
        if (status == HBS_OK && !(line.role && line.name && line.type && line.note))
            give_up("an inspection without text", NULL);
    }
    if (status != HBS_OK && status != HBS_E_NOENT)
        give_up("the inspection fails", &error);
}

/* ------------------------------------------------------------------ scoring */

static void fill(hbs_value *value, size_t row, size_t column, hbs_type type)
{
    static const double NUMBERS[] = {0, 1, -1.5, 1e300, 2.5, -0.0, 33};
    static const char *const TEXTS[] = {"gold",
                                        "basic",
                                        "",
                                        "the cat sat on the mat",
                                        "A dog, a CAT; na\xC3\xAFve \xC3\x9C-cats",
                                        "cat cat\ncat\tcat",
                                        "\xFF\xFE no UTF-8",
                                        "\xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x99\x82 \xC4\xB0",
                                        "42 -1.5e3",
                                        "a"};
    size_t i = row * 3 + column;

    memset(value, 0, sizeof(*value));
    if (i % 6 == 4) {
        value->type = HBS_NULL;
    } else if (type == HBS_TEXT) {
        value->type = HBS_TEXT;
        value->as.text.bytes = TEXTS[i % (sizeof(TEXTS) / sizeof(TEXTS[0]))];
        value->as.text.size = strlen(value->as.text.bytes);
    } else {
        value->type = HBS_FLOAT64;
        value->as.f64 = NUMBERS[i % 7];
    }
}

/* The numbers of one row, one after another; the count of them. */
static size_t collect(const hbs_result *result, size_t row, const hbs_plan_info *info, double *to)
{
    const double *from[] = {result->value, result->values, result->probabilities, result->raw, result->transform};
    const size_t widths[] = {info->value_width, info->values_width, info->probabilities_width, info->raw_width,
                             info->transform_width};
    size_t n = 1;

    to[0] = result->label ? (double)result->label[row] : 0.0;
    if (result->valid && !(result->valid[row / 64] >> (row % 64) & 1))
        return 0;
    for (int k = 0; k < 5; k++) {
        if (!from[k] || !widths[k])
            continue;
        memcpy(to + n, from[k] + row * widths[k], widths[k] * sizeof(*to));
        n += widths[k];
    }
    return n;
}

typedef struct block {
    hbs_value *values;   /* [ROWS][features] */
    hbs_column *columns; /* of the same rows */
    hbs_text *texts;
    double *numbers;
    uint64_t *valid;
} block;

static void block_make(block *b, const hbs_plan *plan, size_t f)
{
    b->values = calloc(ROWS * f + 1, sizeof(*b->values));
    b->columns = calloc(f + 1, sizeof(*b->columns));
    b->texts = calloc(ROWS * f + 1, sizeof(*b->texts));
    b->numbers = calloc(ROWS * f + 1, sizeof(*b->numbers));
    b->valid = calloc(f + 1, sizeof(*b->valid));
    for (size_t c = 0; c < f; c++) {
        hbs_text name;
        hbs_type type;

        hbs_plan_feature(plan, c, &name, &type);
        for (size_t r = 0; r < ROWS; r++) {
            hbs_value *v = &b->values[r * f + c];

            fill(v, r, c, type);
            b->texts[c * ROWS + r] = v->as.text;
            b->numbers[c * ROWS + r] = v->as.f64;
            b->valid[c] |= (uint64_t)(v->type != HBS_NULL) << r;
        }
        b->columns[c].type = type == HBS_TEXT ? HBS_TEXT : HBS_FLOAT64;
        b->columns[c].values =
            type == HBS_TEXT ? (const void *)(b->texts + c * ROWS) : (const void *)(b->numbers + c * ROWS);
        b->columns[c].valid = &b->valid[c];
    }
}

static void block_free(block *b)
{
    free(b->values);
    free(b->columns);
    free(b->texts);
    free(b->numbers);
    free(b->valid);
}

/* A block, then each of its rows by itself and by a second run: the same bits, the same errors. */
static void compare(hbs_run *one, hbs_run *other, const block *b, const hbs_plan_info *info, uint32_t outputs)
{
    double *want = calloc(ROWS * MOST_NUMBERS, sizeof(*want));
    double *got = calloc(MOST_NUMBERS, sizeof(*got));
    size_t counts_of[ROWS], f = info->features, rows;
    hbs_result result;
    hbs_error error = {0};
    hbs_status status = hbs_score(one, b->columns, f, ROWS, outputs, &result, &error);

    check_error(status, &error, SIZE_MAX - 1);
    rows = result.rows;
    if (rows > ROWS || (status == HBS_OK && rows != ROWS))
        give_up("a wrong count of rows", NULL);
    for (size_t r = 0; r < rows; r++)
        counts_of[r] = collect(&result, r, info, want + r * MOST_NUMBERS);
    for (size_t r = 0; r < ROWS && r <= rows; r++) {
        hbs_status by_itself = hbs_score_row(r % 2 ? one : other, b->values + r * f, f, outputs, &result, &error);

        if (by_itself != (r < rows ? HBS_OK : status))
            give_up("another status by itself", &error);
        if (r == rows)
            break;
        if (collect(&result, 0, info, got) != counts_of[r] ||
            memcmp(got, want + r * MOST_NUMBERS, counts_of[r] * sizeof(*got)) != 0)
            give_up("other bits by itself than in a block", NULL);
    }
    free(want);
    free(got);
}

static void score(const hbs_host *host, const hbs_plan *plan, const hbs_plan *plain)
{
    hbs_plan_info info;
    hbs_run *one = NULL, *other = NULL;
    hbs_error error = {0};
    uint32_t outputs;
    block b;

    hbs_plan_get_info(plan, &info);
    if (info.features > MOST_FEATURES ||
        info.raw_width + info.values_width + info.probabilities_width + 2 > MOST_NUMBERS ||
        info.transform_width + 1 > MOST_NUMBERS)
        return;
    if (hbs_run_create(plan, host, "m", ROWS, &one, &error) != HBS_OK ||
        hbs_run_create(plain, host, "m", 1, &other, &error) != HBS_OK)
        give_up("no run", &error);
    outputs = (info.value_width ? HBS_OUT_VALUE : 0u) | (info.values_width ? HBS_OUT_VALUES : 0u) |
              (info.probabilities_width ? HBS_OUT_PROBABILITIES : 0u) | (info.raw_width ? HBS_OUT_RAW : 0u);
    if (hbs_run_outputs(one, HBS_PREDICT_LABEL, &(uint32_t){0}, &error) == HBS_OK)
        outputs |= HBS_OUT_LABEL;
    block_make(&b, plan, info.features);
    compare(one, other, &b, &info, outputs);
    if (info.transform_width)
        compare(one, other, &b, &info, HBS_OUT_TRANSFORM);
    block_free(&b);
    hbs_run_free(one);
    hbs_run_free(other);
}

/* ------------------------------------------------------------------ one input */

static void compile(const hbs_host *host, hbs_model *model, size_t size)
{
    hbs_compile_options off = {.passes_off = UINT32_MAX};
    hbs_plan *plan = NULL, *plain = NULL;
    hbs_plan_info info;
    hbs_error error = {0};
    hbs_status status = hbs_plan_compile(model, NULL, &plan, &error);

    check_error(status, &error, size);
    if (status == HBS_OK) {
        hbs_plan_get_info(plan, &info);
        if (info.bytes > PLAN_FACTOR * size + PLAN_SLACK)
            give_up("a plan larger than promised", NULL);
        if (hbs_plan_compile(model, &off, &plain, &error) == HBS_OK)
            score(host, plan, plain);
        else
            give_up("compiles with the passes only", &error);
    }
    hbs_plan_free(plain);
    hbs_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    counts c = {0};
    hbs_host host = {.context = &c, .allocate = allocate, .resize = resize, .release = release};
    const char *options = OPTIONS[size % 8];
    hbs_source source = {.name = "m", .bytes = data, .size = size, .options = options};
    hbs_model *model = NULL;
    hbs_error error = {0};
    hbs_status status;

    source.options_size = options ? strlen(options) : 0;
    status = hbs_model_load(&host, &LIMITS, &source, &model, &error);
    if (c.peak > LOAD_FACTOR * size + ((size_t)1 << 20))
        give_up("more memory than promised", NULL);
    check_error(status, &error, size);
    if (status == HBS_OK) {
        inspect(model);
        compile(&host, model, size);
    }
    hbs_model_free(model);
    if (c.blocks != 0 || c.held != 0)
        give_up("a leak", NULL);
    return 0;
}
