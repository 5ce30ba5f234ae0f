/* test_lightgbm_bytes.c - LightGBM's text models cut at every byte, with every byte changed, out of memory and
 * cancelled at every point, and large ones. Classes W1, W7, W12, T11, R1 and R2 of reliability.md.
 *
 * A cut file is always an error with its place, unless the part that is left is a file that LightGBM itself
 * writes without Python: up to the end of the parameters, and for a model that was loaded without parameters up to
 * the end of the importances. The latter loads only if it scores as the whole file, since it has no categories. */
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lightgbm_builder.h"

/* The sanitizers make each load some ten times slower: then every 11th byte is changed, by each change from another
 * first one. */
#if HT_SANITIZED
enum { BYTE_STEP = 11, LARGE = 20000 };
#else
enum { BYTE_STEP = 1, LARGE = 200000 };
#endif

static char *copy_of(const char *bytes, size_t size)
{
    char *copy = malloc(size ? size : 1);

    if (copy && size)
        memcpy(copy, bytes, size);
    return copy;
}

/* ------------------------------------------------------------------ W1 */

static size_t offset_of(const mb_bytes *b, const char *words)
{
    size_t n = strlen(words);

    for (size_t i = 0; i + n <= b->size; i++)
        if (memcmp(b->data + i, words, n) == 0)
            return i;
    return b->size;
}

/* Behind the first `words` in the file; 0: they are not there. */
static size_t behind(const mb_bytes *b, const char *words)
{
    size_t at = offset_of(b, words);

    return at < b->size ? at + strlen(words) : 0;
}

/* Where a file without Python's line ends, or one without parameters that has all that scores need. */
static bool is_whole(const mb_bytes *b, size_t n, bool needs_rest)
{
    size_t parameters = offset_of(b, "\nparameters:\n"), pandas = offset_of(b, "\npandas_categorical:");

    if (parameters < b->size && n == behind(b, "\nend of parameters\n"))
        return true;
    return !needs_rest && n == (parameters < b->size ? parameters : pandas);
}

/* What the prefix gives. */
static hbs_status try_prefix(const char *name, const mb_bytes *b, size_t n, mb_bytes *prefix)
{
    hbs_error error = {0};
    hbs_status status;

    *prefix = (mb_bytes){copy_of(b->data, n), n};
    ht_case("W1", "%s, the first %zu of %zu bytes", name, n, b->size);
    status = ht_try(prefix->data, n, NULL, &error);
    if (status != HBS_OK) {
        ht_check(status == HBS_E_FORMAT, "got %s: %s", hbs_status_name(status), error.text);
        ht_check(error.offset <= n, "offset %zu of %zu bytes: %s", error.offset, n, error.text);
    }
    return status;
}

/* Every prefix from byte `from` on. */
static void test_prefixes(const char *name, mb_bytes b, size_t from, bool needs_rest, uint64_t without_pandas)
{
    uint64_t whole = ht_fingerprint_of(b, NULL);

    for (size_t n = from; n < b.size; n++) {
        mb_bytes prefix;
        hbs_status status = try_prefix(name, &b, n, &prefix);

        if (is_whole(&b, n, needs_rest))
            ht_check(ht_fingerprint_of(prefix, NULL) == (needs_rest ? without_pandas : whole), "scores otherwise");
        else
            ht_check(status == HBS_E_FORMAT, "got %s", hbs_status_name(status));
        free(prefix.data);
    }
}

static void test_sample_prefixes(lb_sample sample)
{
    mb_bytes b = lb_edited(sample, NULL);
    mb_bytes cut = lb_edited(sample, sample < LB_TEXTS ? NULL
                                                       : "tail = ||feature_importances:||parameters:|"
                                                         "[categorical_feature: 1,2]|end of parameters|");
    bool codes = sample == LB_SETS || sample >= LB_TEXTS;
    bool no_importances = sample == LB_BINARY || sample == LB_AVERAGE;

    ht_case("W1", "%s, whole", lb_name(sample));
    test_prefixes(lb_name(sample), b, 0, codes || no_importances, ht_fingerprint_of(cut, NULL));
    free(b.data);
    free(cut.data);
}

/* Of each version and each form of the end. */
static const struct {
    const char *name;
    bool codes;
} GOLDENS[] = {
    {"regression_23", false},    {"pandas_text_23", true},    {"rf_23", false},          {"regression_33", false},
    {"pandas_text_33", true},    {"resaved_33", true},        {"regression_40", false},  {"regression_46", false},
    {"names_47", false},         {"codes_47", true},          {"pandas_mixed_47", true}, {"pandas_numbers_47", true},
    {"no_pandas_line_47", true}, {"no_parameters_47", false},
};

static void test_golden_prefixes(void)
{
    for (size_t i = 0; i < HT_COUNT(GOLDENS); i++) {
        char path[256];
        mb_bytes b, cut;
        uint64_t without_pandas;

        snprintf(path, sizeof(path), "test/golden/lightgbm/%s.txt", GOLDENS[i].name);
        b = ht_read_file(path);
        cut = (mb_bytes){b.data, behind(&b, "\nend of parameters\n")};
        ht_case("W1", "%s, whole", GOLDENS[i].name);
        without_pandas = cut.size ? ht_fingerprint_of(cut, NULL) : 0;
        test_prefixes(GOLDENS[i].name, b, offset_of(&b, "end of trees"), GOLDENS[i].codes, without_pandas);
        free(b.data);
    }
}

/* An error inside the categories is told with its place in the file, not in the categories. */
static void test_offsets(void)
{
    mb_bytes b = lb_edited(LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[[\"a\"],[?]]|");
    hbs_error error = {0};

    ht_case("W1", "the offset of an error in the categories");
    ht_try(b.data, b.size, NULL, &error);
    ht_check(error.offset == offset_of(&b, "?"), "it is %zu, should be %zu: %s", error.offset, offset_of(&b, "?"),
             error.text);
    free(b.data);
}

/* ------------------------------------------------------------------ every byte changed */

/* Whatever the bytes say now: an error in words, or a model that scores; ht_try checks all that. */
static void test_changes(lb_sample sample, int change)
{
    mb_bytes b = lb_edited(sample, NULL);
    size_t loaded = 0, step = BYTE_STEP;

    ht_case("W7", "%s, every byte, %s %d", lb_name(sample), change < 8 ? "flipped bit" : "set to",
            change < 8    ? change
            : change == 8 ? 0
                          : 255);
    for (size_t i = (size_t)change % step; i < b.size && ht_ok(); i += step) {
        char kept = b.data[i];
        hbs_error error = {0};
        hbs_status status;

        b.data[i] = change < 8 ? (char)(kept ^ (1 << change)) : change == 8 ? '\0' : (char)0xff;
        status = ht_try(b.data, b.size, NULL, &error);
        if (!ht_ok())
            printf("  at byte %zu\n", i);
        ht_check(status != HBS_E_NOMEM && status != HBS_E_CANCEL, "byte %zu: %s", i, error.text);
        loaded += status == HBS_OK;
        b.data[i] = kept;
    }
    ht_check(loaded < b.size, "every change loads");
    free(b.data);
}

/* A line that stands twice, is left out, or changes places with the next. */
static void test_lines(lb_sample sample)
{
    mb_bytes b = lb_edited(sample, NULL);

    for (size_t i = 0; i < b.size;) {
        const char *newline = memchr(b.data + i, '\n', b.size - i);
        size_t n = newline ? (size_t)(newline - b.data) + 1 - i : b.size - i;
        char *other = malloc(b.size + n);

        ht_case("W6", "%s, the line at byte %zu twice", lb_name(sample), i);
        memcpy(other, b.data, i + n);
        memcpy(other + i + n, b.data + i, b.size - i);
        ht_try(other, b.size + n, NULL, NULL);
        ht_case("W6", "%s, no line at byte %zu", lb_name(sample), i);
        memcpy(other + i, b.data + i + n, b.size - i - n);
        ht_try(other, b.size - n, NULL, NULL);
        free(other);
        i += n;
    }
    free(b.data);
}

/* ------------------------------------------------------------------ W12, T11: large ones */

/* Any status of `loads` or LIMIT; memory, time and the plan's bound are checked by ht_load_bytes. */
static void check_large(const char *class_name, const char *name, mb_bytes b, int wanted, const char *words)
{
    ht_host host;
    ht_load load = {.most_plan = 8 * b.size + ((size_t)4 << 20)};

    ht_case(class_name, "%s (%zu bytes)", name, b.size);
    ht_host_init(&host);
    ht_load_bytes(&host, b.data, b.size, &load);
    ht_check(wanted == HT_ANY ? load.status == HBS_OK || load.status == HBS_E_LIMIT : (int)load.status == wanted,
             "got %s: %s", hbs_status_name(load.status), load.error.text);
    if (load.status != HBS_OK)
        ht_check(ht_has_words(load.error.text, words), "%s", load.error.text);
    free(b.data);
}

static void test_large(void)
{
    check_large("T11", "a chain of 1,024 to the left", lb_chain(1025, true), HBS_OK, NULL);
    check_large("T11", "a chain of 1,024 to the right", lb_chain(1025, false), HBS_OK, NULL);
    check_large("T11", "a chain of 1,025", lb_chain(1026, true), HBS_E_LIMIT, "deeper|1024");
    check_large("T11", "a chain of 100,000", lb_chain(100000, false), HBS_E_LIMIT, NULL);
    check_large("T11", "trees of one leaf", lb_stumps(LARGE), HBS_OK, NULL);
    check_large("T11", "one leaf", lb_stumps(1), HBS_OK, NULL);
    check_large("W12", "a large tree as LightGBM writes it", lb_balanced(LARGE / 4, true), HBS_OK, NULL);
    check_large("W12", "a large tree as short as can be", lb_balanced(LARGE, false), HT_ANY, NULL);
    check_large("W12", "a set of many words", lb_large_set(LARGE / 2), HBS_OK, NULL);
    check_large("W12", "a linear leaf of many terms", lb_long_leaf(LARGE), HT_ANY, NULL);
}

/* A list of `n` times the same short item behind a line's beginning. */
static void test_repetition(void)
{
    static const struct {
        lb_sample sample;
        const char *before, *item;
    } BOMBS[] = {
        {LB_BINARY, "T0.leaf_value = ", "0 "},
        {LB_BINARY, "T0.left_child = ", "1 "},
        {LB_SETS, "T0.cat_threshold = ", "0 "},
        {LB_SETS, "T0.cat_boundaries = ", "0 "},
        {LB_LINEAR, "T0.leaf_features = ", "0 "},
        {LB_BINARY, "H.tree_sizes = ", "1 "},
        {LB_BINARY, "H.feature_names = ", "a "},
        {LB_BINARY, "T0.split_gain = ", "0 "},
        {LB_BINARY, "H.feature_infos = ", "1 "},
        {LB_BINARY, "tail = |", "|"},
        {LB_BINARY, "T0.leaf_value = ", " "},
        {LB_CLASSES, "T0.cat_threshold = ", "7 "},
        {LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[[0],[", "1,"},
        {LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[", "[],"},
        {LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[[\"\"],[", "\"\","},
        {LB_TEXTS, "tail = ||feature_importances:||parameters:|[categorical_feature: ", "1,"},
    };
    size_t n = LARGE * 2;
    char *edit = malloc(3 * n + 256);

    for (size_t i = 0; i < HT_COUNT(BOMBS); i++) {
        size_t at = (size_t)sprintf(edit, "%s%s", BOMBS[i].sample == LB_CLASSES ? "+T0 = x=\n" : "", BOMBS[i].before);
        size_t size = strlen(BOMBS[i].item);
        mb_bytes b;
        hbs_error error = {0};
        hbs_status status;

        if (BOMBS[i].sample == LB_CLASSES)
            at = (size_t)sprintf(edit, "+T0 = cat_threshold=");
        for (size_t k = 0; k < n; k++, at += size)
            memcpy(edit + at, BOMBS[i].item, size);
        edit[at] = '\0';
        ht_case("W12", "%zu times \"%s\" behind %s", n, BOMBS[i].item, BOMBS[i].before);
        b = lb_edited(BOMBS[i].sample, edit);
        status = ht_try(b.data, b.size, NULL, &error);
        ht_check(status == HBS_OK || status == HBS_E_FORMAT || status == HBS_E_LIMIT, "got %s: %s",
                 hbs_status_name(status), error.text);
        free(b.data);
    }
    free(edit);
}

/* ------------------------------------------------------------------ R1, R2: one life of a model */

static const char OPTIONS[] = "{\"features\":[\"x\",\"y\",\"z\"],\"missing\":-9,\"rounds\":1,\"on_unseen\":\"null\"}";

static uint32_t outputs_of(const hbs_plan *plan)
{
    hbs_plan_info info;

    hbs_plan_get_info(plan, &info);
    return (info.value_width ? HBS_OUT_VALUE : 0u) | (info.values_width ? HBS_OUT_VALUES : 0u) |
           (info.probabilities_width ? HBS_OUT_PROBABILITIES : 0u) | HBS_OUT_RAW | (info.classes ? HBS_OUT_LABEL : 0u);
}

static hbs_status score_all(hbs_run *run, const hbs_plan *plan, hbs_error *error)
{
    static const char json[] = "{\"x\":null,\"y\":null,\"z\":null}";
    hbs_value row[3] = {{.type = HBS_NULL}, {.type = HBS_NULL}, {.type = HBS_NULL}};
    hbs_column columns[3] = {{.type = HBS_NULL}, {.type = HBS_NULL}, {.type = HBS_NULL}};
    uint32_t outputs = outputs_of(plan);
    hbs_result result;
    hbs_status status = hbs_score(run, columns, 3, 200, outputs, &result, error);

    if (status == HBS_OK)
        status = hbs_score_row(run, row, 3, outputs, &result, error);
    if (status == HBS_OK)
        status = hbs_score_json(run, json, strlen(json), outputs, &result, error);
    return status;
}

static hbs_status live(mb_bytes b, const char *options, const hbs_host *host, hbs_error *error)
{
    hbs_source source = {.name = "m", .bytes = b.data, .size = b.size, .options = options};
    hbs_inspection line;
    hbs_model *model = NULL;
    hbs_plan *plan = NULL;
    hbs_run *run = NULL;
    hbs_status status;

    source.options_size = strlen(options);
    status = hbs_model_load(host, NULL, &source, &model, error);
    for (size_t i = 0; status == HBS_OK; i++)
        status = hbs_model_inspect(model, i, &line, error);
    if (status == HBS_E_NOENT)
        status = hbs_plan_compile(model, NULL, &plan, error);
    hbs_model_free(model);
    if (status == HBS_OK)
        status = hbs_run_create(plan, host, "m", 256, &run, error);
    if (status == HBS_OK)
        status = score_all(run, plan, error);
    hbs_run_free(run);
    hbs_plan_free(plan);
    return status;
}

static void check_end(const ht_host *host, hbs_status status, bool allowed, const hbs_error *error, size_t size,
                      size_t n)
{
    ht_check(allowed, "point %zu: %s: %s", n, hbs_status_name(status), error->text);
    if (status != HBS_OK)
        ht_check_error(error, status, size);
    ht_check(host->blocks == 0, "point %zu: %zu bytes were never given back", n, host->held);
}

/* The n-th allocation fails, for every n; `wanted` is what loading says where all are given. */
static size_t test_failures(mb_bytes b, const char *options, bool on, hbs_status wanted)
{
    size_t n = 0, failed = 0;

    for (bool reached = true; reached && ht_ok();) {
        ht_host host;
        hbs_error error = {0};
        hbs_status status;

        ht_host_init(&host);
        host.fail_at = ++n;
        host.fail_on = on;
        status = live(b, options, &host.host, &error);
        reached = host.calls >= n;
        check_end(&host, status, status == wanted || (reached && status == HBS_E_NOMEM), &error, b.size, n);
        failed += status == HBS_E_NOMEM;
    }
    ht_check(failed > 0, "no allocation ever failed");
    return n - 1;
}

static size_t test_all_failures(void)
{
    static const struct {
        lb_sample sample;
        const char *edits;
        hbs_status status;
    } BROKEN[] = {
        {LB_BINARY, "T1.left_child = 1 1", HBS_E_FORMAT},
        {LB_SETS, "T1.cat_threshold = 1", HBS_E_FORMAT},
        {LB_LINEAR, "T1.leaf_coeff = nan", HBS_E_FORMAT},
        {LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[[\"a\",\"b\"],[\"c\",1]]|", HBS_E_UNSUPPORTED},
        {LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[[\"a\",\"b\"],[\"c\"|", HBS_E_FORMAT},
        {LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[[\"a\"],[\"c\"]]|x|", HBS_E_FORMAT},
    };
    size_t points = 0;

    for (int on = 0; on < 2; on++) {
        for (int s = 0; s < LB_SAMPLES; s++) {
            mb_bytes b = lb_edited((lb_sample)s, NULL);

            ht_case("R1", "%s, an allocation fails %s", lb_name((lb_sample)s), on ? "and all behind it" : "once");
            points += test_failures(b, OPTIONS, on, HBS_OK);
            free(b.data);
        }
        for (size_t i = 0; i < HT_COUNT(BROKEN); i++) {
            mb_bytes b = lb_edited(BROKEN[i].sample, BROKEN[i].edits);

            ht_case("R1", "a broken model, an allocation fails: %s", BROKEN[i].edits);
            points += test_failures(b, "{}", on, BROKEN[i].status);
            free(b.data);
        }
    }
    return points;
}

static size_t test_cancel(const char *name, mb_bytes b)
{
    size_t n = 0, stopped = 0;

    ht_case("R2", "cancelled at every poll: %s", name);
    for (bool reached = true; reached && ht_ok();) {
        ht_host host;
        hbs_error error = {0};
        hbs_status status;

        ht_host_init(&host);
        host.cancel_at = ++n;
        status = live(b, "{\"features\":[\"x\",\"y\",\"z\"]}", &host.host, &error);
        reached = host.polls >= n;
        check_end(&host, status, status == (reached ? HBS_E_CANCEL : HBS_OK), &error, b.size, n);
        stopped += status == HBS_E_CANCEL;
    }
    ht_check(stopped > 2, "only %zu polls", stopped);
    free(b.data);
    return n - 1;
}

/* ---- how long it works without asking */

/* The time is printed, the best of three; what is tested is counted. */
static void test_gap(const char *name, mb_bytes b)
{
    double best = 1e9;
    size_t n_polls = 0;

    ht_case("R2", "time between polls: %s", name);
    for (int round = 0; round < 3; round++) {
        ht_host host;
        hbs_error error = {0};
        hbs_status status;

        ht_host_init(&host);
        ht_step_clock(&host);
        status = live(b, "{\"features\":[\"x\",\"y\",\"z\"]}", &host.host, &error);
        ht_check(status == HBS_OK || status == HBS_E_LIMIT, "%s", error.text);
        ht_step_clock(&host);
        best = host.longest_gap < best ? host.longest_gap : best;
        n_polls = host.polls;
    }
    printf("R2: %s, %zu bytes: at most %.2f ms between two polls\n", name, b.size, best);
    ht_check(n_polls > b.size >> 20, "%zu polls", n_polls); /* one a megabyte at least */
    free(b.data);
}

int main(void)
{
    size_t points, polls = 0;

    for (int s = 0; s < LB_SAMPLES; s++) {
        test_sample_prefixes((lb_sample)s);
        for (int change = 0; change < 10; change++)
            test_changes((lb_sample)s, change);
        test_lines((lb_sample)s);
    }
    test_golden_prefixes();
    test_offsets();
    test_large();
    test_repetition();
    points = test_all_failures();
    polls += test_cancel("a chain", lb_chain(1000, true));
    polls += test_cancel("trees of one leaf", lb_stumps(3000));
    polls += test_cancel("a large tree", lb_balanced(5000, true));
    polls += test_cancel("a large set", lb_large_set(20000));
    printf("R1: %zu points where memory ran out\nR2: %zu points where the host said stop\n", points, polls);
    test_gap("one large tree", lb_balanced(LARGE, true));
    test_gap("trees of one leaf", lb_stumps(LARGE));
    test_gap("a set of many words", lb_large_set(LARGE));
    return ht_report();
}
