/* fuzz_row.c - texts that SQL hands in (libFuzzer): rows as JSON, numbers and categories as text, class
 * labels, registration options. The first byte says which; the rest is the text. */
#include "hbscore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Features plan (text categories), fee (a number), zone (integer categories); binary:logistic. */
static const char MODEL[] =
    "{\"learner\":{\"attributes\":{},\"feature_names\":[\"plan\",\"fee\",\"zone\"],"
    "\"feature_types\":[\"c\",\"float\",\"c\"],\"gradient_booster\":{\"model\":{\"cats\":{\"enc\":["
    "{\"offsets\":[0,5,9,13],\"values\":[98,97,115,105,99,103,111,108,100,112,108,117,115]},"
    "{\"offsets\":[],\"values\":[]},{\"type\":15,\"values\":[10,20,30]}],"
    "\"feature_segments\":[0,3,3,6],\"sorted_idx\":[0,1,2,0,1,2]},"
    "\"gbtree_model_param\":{\"num_parallel_tree\":\"1\",\"num_trees\":\"1\"},"
    "\"iteration_indptr\":[0,1],\"tree_info\":[0],\"trees\":[{\"base_weights\":[0,0,0,0,0],"
    "\"categories\":[1],\"categories_nodes\":[0],\"categories_segments\":[0],"
    "\"categories_sizes\":[1],\"default_left\":[1,0,0,0,0],\"id\":0,"
    "\"left_children\":[1,3,-1,-1,-1],\"loss_changes\":[1,1,0,0,0],"
    "\"parents\":[2147483647,0,0,1,1],\"right_children\":[2,4,-1,-1,-1],"
    "\"split_conditions\":[0,0.5,-3,1,2],\"split_indices\":[0,1,0,0,0],"
    "\"split_type\":[1,0,0,0,0],\"sum_hessian\":[10,10,10,10,10],"
    "\"tree_param\":{\"num_deleted\":\"0\",\"num_feature\":\"3\",\"num_nodes\":\"5\","
    "\"size_leaf_vector\":\"1\"}}]},\"name\":\"gbtree\"},\"learner_model_param\":{"
    "\"base_score\":\"[5E-1]\",\"boost_from_average\":\"1\",\"num_class\":\"0\","
    "\"num_feature\":\"3\",\"num_target\":\"1\"},\"objective\":{\"name\":\"binary:logistic\","
    "\"reg_loss_param\":{\"scale_pos_weight\":\"1\"}}},\"version\":[3,2,0]}";

static const char *const OPTIONS[] = {
    "{\"classes\":[\"no\",\"yes\"]}",
    "{\"features\":[\"Fee\",\"FEE\",\"fee\"],\"on_unseen\":\"null\"}",
};

enum { MODELS = 2, OUTPUTS = HBS_OUT_RAW | HBS_OUT_PROBABILITIES | HBS_OUT_LABEL };

static size_t blocks; /* of memory that the core holds */

static void *allocate(void *context, size_t bytes)
{
    void *block = malloc(bytes ? bytes : 1);

    (void)context;
    blocks += block != NULL;
    return block;
}

static void *resize(void *context, void *block, size_t bytes)
{
    void *other = realloc(block, bytes ? bytes : 1);

    (void)context;
    blocks += !block && other;
    return other;
}

static void release(void *context, void *block)
{
    (void)context;
    blocks -= block != NULL;
    free(block);
}

static const hbs_host HOST = {NULL, allocate, resize, release, NULL, NULL};

static void give_up(const char *what, const hbs_error *error)
{
    fprintf(stderr, "fuzz_row: %s: %s\n", what, error ? error->text : "");
    abort();
}

static void check_error(hbs_status status, const hbs_error *error)
{
    size_t n = strlen(error->text);

    if (status == HBS_OK)
        return;
    if (status != HBS_E_ARGS && status != HBS_E_TYPE && status != HBS_E_LIMIT &&
        status != HBS_E_NOENT)
        give_up(hbs_status_name(status), error);
    if (error->status != status || n == 0 || n >= HBS_ERROR_TEXT)
        give_up("a message that is no text", error);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)error->text[i] < 0x20 || error->text[i] == 0x7f)
            give_up("a control character in a message", error);
}

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
    if (hbs_score_json(run, text, size, OUTPUTS, &result, &error) != HBS_OK ||
        raw_of(&result) != first)
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
    if (hbs_model_load(&HOST, NULL, &source, &model, &error) != HBS_OK &&
        error.status != HBS_E_FORMAT && error.status != HBS_E_UNSUPPORTED)
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
