/* fuzz_texts.c - texts in rows (libFuzzer): split into words and characters, by an expression, and read as JSON lists.
 * The first byte says by which model; the rest is the text.
 *
 * A row has the same answer in a block as by itself, beside other rows, after a bad row, and after a call that the host
 * has cancelled. */
#define FUZZ_NAME "fuzz_texts"
#include "fuzz_host.h"

#define HEAD "{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"type\":\"str\"}],\"ops\":["
#define RULE(the_operator, the_unicode, the_accents, the_analyzer) \
    RULE_OF("0", the_operator, the_unicode, the_accents, the_analyzer, "")
#define RULE_OF(the_input, the_operator, the_unicode, the_accents, the_analyzer, the_marks)       \
    "{\"op\":\"" the_operator "\",\"in\":[" the_input "]," the_marks "\"unicode\":\"" the_unicode \
    "\",\"lowercase\":1,\"accents\":\"" the_accents "\",\"analyzer\":\"" the_analyzer "\","
#define FILLED \
    "{\"op\":\"impute\",\"in\":[0],\"missing\":\"nan\",\"fill\":{\"dtype\":\"str\",\"shape\":[1],\"data\":[\"ab\"]}}"
#define MARKS                                                                                                        \
    "\"marks\":{\"dtype\":\"str\",\"shape\":[2],\"data\":[\"ab\",\"\"]},\"fills\":{\"dtype\":\"str\",\"shape\":[2]," \
    "\"data\":[\"abc\",\"x\"]},"
#define TERMS(the_pattern, the_stops, the_range)                                                             \
    "\"pattern\":\"" the_pattern "\",\"stop_words\":{\"dtype\":\"str\",\"shape\":[1],\"data\":[\"" the_stops \
    "\"]}," the_range
#define RANGE(the_least, the_most) "\"least\":" the_least ",\"most\":" the_most ",\"binary\":0,"
#define WORDS(the_words)           "\"vocabulary\":{\"dtype\":\"str\",\"shape\":[3],\"data\":[" the_words "]}}"
#define HASHES                     "\"columns\":3,\"alternate\":1}"
#define JSON(the_input)            "{\"op\":\"json_hashes\",\"in\":[0],\"input\":\"" the_input "\"," HASHES
/* 1, 2.5 and -3.75 times the columns, and 0.5. */
#define SUM(the_input)                                                                                \
    ",{\"op\":\"linear\",\"in\":[" the_input "],\"coef\":{\"dtype\":\"f8\",\"shape\":[1,3],\"data\":" \
    "\"AAAAAAAA8D8AAAAAAAAEQAAAAAAAAA7A\"},\"intercept\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":"   \
    "\"AAAAAAAA4D8=\"}}]}"
#define NORM    ",{\"op\":\"tf_idf\",\"in\":[1],\"sublinear\":1,\"norm\":\"l2\"}" SUM("2")
#define DEFAULT "(?u)\\\\b\\\\w\\\\w+\\\\b"

static const char *const MODELS[] = {
    HEAD RULE("text_counts", "14.0", "keep", "word") TERMS(DEFAULT, "the", RANGE("1", "2"))
        WORDS("\"ab\",\"ab cd\",\"\xC3\xA9t\xC3\xA9\"") NORM,
    HEAD RULE("text_counts", "15.1", "unicode", "word") TERMS("[^ ]+(?:-(a|b))?", "", RANGE("1", "3"))
        WORDS("\"a\",\"b\",\"a b a\"") SUM("1"),
    HEAD RULE("text_counts", "13.0", "ascii", "char") RANGE("1", "3") WORDS("\"a\",\" b\",\"abc\"") NORM,
    HEAD RULE("text_counts", "15.0", "keep", "char_wb") RANGE("2", "5") WORDS("\" a\",\"ab\",\"\xCF\x83\xCF\x82 \"")
        SUM("1"),
    HEAD RULE("text_hashes", "14.0", "unicode", "word") TERMS("\\\\S", "a", RANGE("2", "4")) HASHES NORM,
    HEAD RULE("text_hashes", "14.0", "keep", "char_wb") RANGE("1", "256") HASHES SUM("1"),
    HEAD FILLED "," RULE_OF("1", "text_hashes", "14.0", "keep", "char", MARKS) RANGE(
        "1",
        "1") "\"columns\":1,\"alternate\":0},{\"op\":\"onehot\",\"in\":[0],\"columns\":[{\"values\":{\"dtype\":\"str\","
             "\"shape\":[2],\"data\":[\"ab\",\"x\"]},\"missing\":0,\"map\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":"
             "\"AAAAAAEAAAA=\"},\"width\":2,\"unknown\":\"zeros\"}]},{\"op\":\"concat\",\"in\":[2,3]}" SUM("4"),
    HEAD "{\"op\":\"json_features\",\"in\":[0],\"separator\":\"=\"," WORDS("\"a\",\"b=x\",\"\"") SUM("1"),
    HEAD JSON("dict") SUM("1"),
    HEAD JSON("pair") SUM("1"),
    HEAD JSON("string") SUM("1"),
};

enum { N_MODELS = sizeof MODELS / sizeof MODELS[0], FIRST_JSON = 7, ROWS = 3 };

/* ---- a host that stops */

static size_t until_stopped; /* polls; 0: it does not stop */

static bool cancelled(void *context)
{
    (void)context;
    return until_stopped && --until_stopped == 0;
}

static hbs_run *run_of(size_t which)
{
    static hbs_run *runs[N_MODELS];
    static hbs_plan *plans[N_MODELS]; /* as long as the runs */
    hbs_host host = HOST;
    hbs_source source = {.name = "m", .bytes = MODELS[which], .size = strlen(MODELS[which])};
    hbs_model *model = NULL;
    hbs_error error = {0};

    if (runs[which])
        return runs[which];
    host.cancelled = cancelled;
    if (hbs_model_load(&host, NULL, &source, &model, &error) != HBS_OK ||
        hbs_plan_compile(model, NULL, &plans[which], &error) != HBS_OK ||
        hbs_run_create(plans[which], &host, "m", ROWS, &runs[which], &error) != HBS_OK)
        give_up("the model does not load", &error);
    hbs_model_free(model);
    return runs[which];
}

/* ---- answers */

typedef struct answer {
    hbs_status status;
    bool valid;
    double value;
} answer;

static bool same(const answer *a, const answer *b)
{
    return a->status == b->status && a->valid == b->valid && memcmp(&a->value, &b->value, sizeof a->value) == 0;
}

/* Row r of a result; of one that is no row, or NULL, 0. */
static answer answer_of(hbs_status status, const hbs_result *result, size_t r)
{
    answer a = {.status = status};

    if (r >= result->rows)
        return a;
    a.status = HBS_OK;
    a.valid = !result->valid || (result->valid[0] >> r & 1);
    if (a.valid)
        a.value = result->value[r];
    return a;
}

static answer by_itself(hbs_run *run, hbs_text text)
{
    hbs_value row = {.type = HBS_TEXT, .as.text = text};
    hbs_result result;
    hbs_error error = {0};
    hbs_status status = hbs_score_row(run, &row, 1, HBS_OUT_VALUE, &result, &error);

    if (status != HBS_E_CANCEL)
        check_error(status, &error);
    return answer_of(status, &result, 0);
}

static void in_block(hbs_run *run, hbs_text text, hbs_text other, const answer *own, const answer *others)
{
    const hbs_text texts[ROWS] = {other, text, other};
    const hbs_column column = {.type = HBS_TEXT, .values = texts};
    hbs_result result;
    hbs_error error = {0};
    hbs_status status = hbs_score(run, &column, 1, ROWS, HBS_OUT_VALUE, &result, &error);
    answer first = answer_of(status, &result, 0), second = answer_of(status, &result, 1),
           third = answer_of(status, &result, 2);

    check_error(status, &error);
    if (!same(&first, others) || !same(&second, own))
        give_up("a row has another answer in a block", &error);
    if (own->status == HBS_OK ? !same(&third, others) : result.rows != 1)
        give_up("a row behind it has another answer", &error);
}

/* The host stops at its first question, or there is none. */
static void try_stopped(hbs_run *run, hbs_text text, const answer *own)
{
    answer stopped;

    until_stopped = 1;
    stopped = by_itself(run, text);
    until_stopped = 0;
    if (stopped.status != HBS_E_CANCEL && !same(&stopped, own))
        give_up("a host that does not stop has another answer", NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const hbs_text words = {"ab cd a-b", 9}, object = {"{\"a\":2,\"b\":\"x\"}", 15}, pairs = {"[[\"a\",2]]", 9},
                          list = {"[\"a\",\"b\"]", 9};
    size_t which = size ? data[0] % N_MODELS : 0;
    hbs_text other = which < FIRST_JSON ? words : which == N_MODELS - 1 ? list : which == N_MODELS - 2 ? pairs : object;

    if (size < 1)
        return 0;

    hbs_run *run = run_of(which);
    hbs_text text = {(const char *)data + 1, size - 1};
    answer own = by_itself(run, text), others = by_itself(run, other), again;

    if (others.status != HBS_OK || !others.valid)
        give_up("a good row has no answer", NULL);
    try_stopped(run, text, &own);
    in_block(run, text, other, &own, &others);
    again = by_itself(run, text);
    if (!same(&own, &again))
        give_up("a row has another answer the second time", NULL);
    return 0;
}
