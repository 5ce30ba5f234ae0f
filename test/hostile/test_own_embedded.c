/* test_own_embedded.c - files of boosting libraries inside hbscore's own format: the same bits as the file
 * by itself; broken files, cut ones and changed bytes behind the base64; out of memory and cancelled at every
 * point; large ones. */
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lightgbm_builder.h"

/* The sanitizers make each load some ten times slower. */
#if HT_SANITIZED
enum { STEP = 61, LARGE = 20000 };
#else
enum { STEP = 7, LARGE = 200000 };
#endif

#define F HBS_E_FORMAT
#define U HBS_E_UNSUPPORTED
#define L HBS_E_LIMIT

/* ------------------------------------------------------------------ documents */

typedef struct growing {
    char *text;
    size_t size, room;
} growing;

static void grow(growing *g, const char *text, size_t n)
{
    if (g->size + n > g->room) {
        g->room = 2 * (g->size + n);
        g->text = realloc(g->text, g->room);
        if (!g->text)
            exit(2);
    }
    memcpy(g->text + g->size, text, n);
    g->size += n;
}

static void grow_text(growing *g, const char *text)
{
    grow(g, text, strlen(text));
}

static void grow_base64(growing *g, const char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < n; i += 3) {
        uint32_t bits = 0;
        char four[4];

        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (i + k < n ? (uint8_t)bytes[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            four[k] = i + k > n ? '=' : digits[bits >> (18 - 6 * k) & 63];
        grow(g, four, 4);
    }
}

/* What an embedded file is: how ours says it, and what stands around it. */
typedef struct outer {
    const char *format, *task;
    size_t n_features, n_classes; /* 0: none */
    const char *part;             /* of an operator booster: its classes and raw; NULL: an operator model */
    const char *before;           /* operators with a comma behind them; they make a value */
    const char *settings;         /* NULL: none */
} outer;

#define NO_SETTINGS "\"rounds\":0,\"missing\":\"nan\",\"zero_is_missing\":0,"

static mb_bytes embedded(const outer *o, const char *bytes, size_t size)
{
    growing g = {0};

    grow_text(&g, "{\"hbscore\":1,\"writer\":{},\"task\":\"");
    grow_text(&g, o->task);
    grow_text(&g, "\",\"features\":[{\"type\":\"f8\"}");
    for (size_t i = 1; i < o->n_features; i++)
        grow_text(&g, ",{\"type\":\"f8\"}");
    grow_text(&g, "],");
    if (o->n_classes) {
        char text[96], number[32];

        snprintf(text, sizeof(text), "\"classes\":{\"dtype\":\"str\",\"shape\":[%zu],\"data\":[", o->n_classes);
        grow_text(&g, text);
        for (size_t i = 0; i < o->n_classes; i++) {
            snprintf(number, sizeof(number), "%s\"c%zu\"", i ? "," : "", i);
            grow_text(&g, number);
        }
        grow_text(&g, "]},");
    }
    grow_text(&g, "\"ops\":[");
    grow_text(&g, o->before ? o->before : "");
    grow_text(&g, o->part ? "{\"op\":\"booster\",\"in\":[" : "{\"op\":\"model\",\"in\":[");
    grow_text(&g, o->before ? "1],\"format\":\"" : "0],\"format\":\"");
    grow_text(&g, o->format);
    grow_text(&g, "\",");
    grow_text(&g, o->settings ? o->settings : NO_SETTINGS);
    grow_text(&g, o->part ? o->part : "");
    grow_text(&g, "\"file\":\"");
    grow_base64(&g, bytes, size);
    grow_text(&g, o->part ? "\"},{\"op\":\"select\",\"in\":[1],\"cols\":[0]}]}" : "\"}]}");
    g.text = realloc(g.text, g.size); /* so that a sanitizer sees a step behind the last byte */
    return (mb_bytes){g.text, g.size};
}

/* ------------------------------------------------------------------ the samples */

static const outer XGBOOST[MB_SAMPLES] = {
    [MB_REGRESSION] = {.task = "regressor", .n_features = 3},
    [MB_BINARY] = {.task = "classifier", .n_features = 3, .n_classes = 2},
    [MB_MULTI] = {.task = "classifier", .n_features = 3, .n_classes = 3},
    [MB_CODES] = {.task = "regressor", .n_features = 3},
    [MB_CATEGORIES] = {.task = "regressor", .n_features = 3},
    [MB_VECTOR] = {.task = "regressor", .n_features = 3},
    [MB_DART] = {.task = "regressor", .n_features = 3},
    [MB_LINEAR] = {.task = "regressor", .n_features = 3},
};

static const outer LIGHTGBM[LB_SAMPLES] = {
    [LB_BINARY] = {.task = "classifier", .n_features = 3, .n_classes = 2},
    [LB_SETS] = {.task = "regressor", .n_features = 3},
    [LB_LINEAR] = {.task = "regressor", .n_features = 3},
    [LB_CLASSES] = {.task = "classifier", .n_features = 3, .n_classes = 3},
    [LB_AVERAGE] = {.task = "regressor", .n_features = 3},
    [LB_TEXTS] = {.task = "regressor", .n_features = 3},
    [LB_INTEGERS] = {.task = "regressor", .n_features = 3},
    [LB_REALS] = {.task = "regressor", .n_features = 3},
};

#define FLOATS                                                                                \
    "{\"features_info\":{\"float_features\":[{\"borders\":[0.5,1.5],\"feature_id\":\"a\","    \
    "\"feature_index\":0,\"flat_feature_index\":0,\"has_nans\":true,\"nan_value_treatment\":" \
    "\"AsFalse\"},{\"borders\":[-1],\"feature_id\":\"b\",\"feature_index\":1,"                \
    "\"flat_feature_index\":1,\"has_nans\":false,\"nan_value_treatment\":\"AsIs\"}]"
#define TREE(loss, leaves)                                                                       \
    "},\"model_info\":{\"params\":{\"loss_function\":{\"params\":{},\"type\":\"" loss "\"}}},"   \
    "\"oblivious_trees\":[{\"leaf_values\":[" leaves "],\"leaf_weights\":[5,6,7,8],\"splits\":[" \
    "{\"border\":0.5,\"split_index\":0,\"split_type\":\"FloatFeature\"},"                        \
    "{\"border\":-1,\"split_index\":2,\"split_type\":\"FloatFeature\"}]}],\"scale_and_bias\":[2,[0.5]]}"

static const struct {
    outer outer;
    const char *text;
} CATBOOST[] = {
    {{.task = "regressor", .n_features = 2}, FLOATS TREE("RMSE", "1,2,3,4")},
    {{.task = "regressor", .n_features = 2}, FLOATS TREE("Poisson", "0.1,-0.2,0.3,-0.4")},
    {{.task = "classifier", .n_features = 2, .n_classes = 2}, FLOATS TREE("Logloss", "-1,1,2,-2")},
    {{.task = "ranker", .n_features = 2}, FLOATS TREE("YetiRank", "1,2,3,4")},
};

/* One with categories: refused. */
static const char CATEGORIES[] = FLOATS ",\"categorical_features\":[{\"feature_id\":\"c\",\"feature_index\":0,"
                                        "\"flat_feature_index\":2,\"values\":[-3,2147483647]}]" TREE("RMSE", "1,2,3,4");

static mb_bytes inside(const outer *around, const char *format, mb_bytes file)
{
    outer o = *around;
    mb_bytes b;

    o.format = format;
    b = embedded(&o, file.data, file.size);
    free(file.data);
    return b;
}

static mb_bytes copy_of(const char *bytes, size_t size)
{
    mb_bytes b = {malloc(size ? size : 1), size};

    if (!b.data)
        exit(2);
    memcpy(b.data, bytes, size);
    return b;
}

/* ------------------------------------------------------------------ the same bits */

/* Infinities are refused by gblinear inside a pipeline only: its rows are fewer there. */
static void same_as(mb_bytes alone, mb_bytes in_ours)
{
    uint64_t expected = ht_fingerprint_of(alone, NULL);

    if (ht_ok())
        ht_check(ht_fingerprint_of(in_ours, NULL) == expected, "other bits than the file by itself");
    free(alone.data);
    free(in_ours.data);
}

static const char *const XGBOOST_FORMATS[MB_ENCODINGS] = {[MB_JSON] = "xgboost-json", [MB_UBJSON] = "xgboost-ubjson"};

static void test_same_bits(void)
{
    for (mb_encoding e = 0; e < MB_ENCODINGS; e++)
        for (mb_sample s = 0; s < MB_SAMPLES; s++) {
            if (s == MB_CATEGORIES || s == MB_LINEAR)
                continue;
            ht_case("bits", "%s in %s", mb_sample_name(s), XGBOOST_FORMATS[e]);
            same_as(mb_edited(s, NULL, e), inside(&XGBOOST[s], XGBOOST_FORMATS[e], mb_edited(s, NULL, e)));
        }
    for (lb_sample s = 0; s < LB_TEXTS; s++) {
        ht_case("bits", "%s in lightgbm", lb_name(s));
        same_as(lb_edited(s, ""), inside(&LIGHTGBM[s], "lightgbm", lb_edited(s, "")));
    }
    for (size_t i = 0; i < HT_COUNT(CATBOOST); i++) {
        mb_bytes file = copy_of(CATBOOST[i].text, strlen(CATBOOST[i].text));
        outer o = CATBOOST[i].outer;

        o.format = "catboost";
        ht_case("bits", "catboost %zu", i);
        same_as(file, embedded(&o, file.data, file.size));
    }
}

/* ------------------------------------------------------------------ refused ones */

static void check(mb_bytes b, int wanted, const char *words)
{
    hbs_error error = {0};
    hbs_status status = ht_try(b.data, b.size, NULL, &error);

    if (ht_check((int)status == wanted, "wanted %s, got %s: %s", hbs_status_name((hbs_status)wanted),
                 hbs_status_name(status), status == HBS_OK ? "" : error.text) &&
        status != HBS_OK)
        ht_check(ht_has_words(error.text, words), "wanted the words %s, got: %s", words, error.text);
    free(b.data);
}

static void test_categories(void)
{
    static const lb_sample WITH[] = {LB_TEXTS, LB_INTEGERS, LB_REALS};
    static const char WORDS[] = "the embedded file has categories";
    outer o = {.format = "catboost", .task = "regressor", .n_features = 3};

    ht_case("refused", "categories of XGBoost");
    check(inside(&XGBOOST[MB_CATEGORIES], "xgboost-json", mb_edited(MB_CATEGORIES, NULL, MB_JSON)), U, WORDS);
    for (size_t i = 0; i < HT_COUNT(WITH); i++) {
        ht_case("refused", "categories of LightGBM, %s", lb_name(WITH[i]));
        check(inside(&LIGHTGBM[WITH[i]], "lightgbm", lb_edited(WITH[i], "")), U, WORDS);
    }
    ht_case("refused", "categories of CatBoost");
    check(embedded(&o, CATEGORIES, strlen(CATEGORIES)), U, WORDS);
}

/* Ours, any other library's, and bytes that are nothing. */
static void test_other_files(void)
{
    static const char *const FORMATS[] = {"xgboost-json", "xgboost-ubjson", "lightgbm", "catboost"};
    mb_bytes files[] = {inside(&XGBOOST[MB_REGRESSION], "xgboost-json", mb_edited(MB_REGRESSION, NULL, MB_JSON)),
                        mb_edited(MB_REGRESSION, NULL, MB_JSON),
                        mb_edited(MB_REGRESSION, NULL, MB_UBJSON),
                        lb_edited(LB_SETS, ""),
                        copy_of(CATBOOST[0].text, strlen(CATBOOST[0].text)),
                        copy_of("\0\0\0", 3),
                        copy_of("{", 1),
                        copy_of("{}", 2)};

    for (size_t i = 0; i < HT_COUNT(files); i++) {
        for (size_t f = 0; f < HT_COUNT(FORMATS); f++) {
            outer o = {.format = FORMATS[f], .task = "regressor", .n_features = i == 4 ? 2 : 3};

            ht_case("refused", "file %zu as %s", i, FORMATS[f]);
            check(embedded(&o, files[i].data, files[i].size), i == f + 1 ? HBS_OK : F, "the embedded");
        }
        free(files[i].data);
    }
}

/* Operator booster: its members against its file. Answers are its first column. */
static void test_parts(void)
{
    static const struct {
        const char *name, *part, *words;
        int status;
    } CASES[] = {
        {"W7", "\"classes\":3,\"raw\":1,", "", HBS_OK},
        {"W7", "\"classes\":0,\"raw\":0,", "is a classifier's, the operator says regressor", F},
        {"W7", "\"classes\":4,\"raw\":0,", "has 3 classes, the operator 4", F},
        {"W7", "\"classes\":4097,\"raw\":0,", "classes", F},
        {"W7", "\"classes\":-1,\"raw\":0,", "classes", F},
        {"W7", "\"classes\":3,\"raw\":2,", "raw", F},
        {"W7", "\"raw\":1,\"classes\":3,", "classes", F},
        {"W7", "\"classes\":3,", "raw", F},
    };

    for (size_t i = 0; i < HT_COUNT(CASES); i++) {
        outer o = {.task = "regressor", .n_features = 3, .part = CASES[i].part};

        ht_case(CASES[i].name, "booster with %s", CASES[i].part);
        check(inside(&o, "lightgbm", lb_edited(LB_CLASSES, "")), CASES[i].status, CASES[i].words);
    }
}

/* ------------------------------------------------------------------ broken ones */

/* Some of the edits of test_trees.c and test_words.c: their words come through. */
static void test_edits(void)
{
    static const struct {
        const char *edits, *words;
        int status;
    } CASES[] = {
        {"T0.left_children[0] = 9", "tree 0, node 0: child 9 is out of range", F},
        {"T0.left_children[0] = 0", "the embedded xgboost-json file, byte |trees[0]: node 0", F},
        {"T0.split_indices[0] = 99", "tree 0", F},
        {"-L.objective", "the embedded xgboost-json file: no objective", F},
        {"P.num_feature = \"0\"", "the model has no features", F},
        {"P.num_feature = \"4294967295\"", "the embedded", L},
        {"P.base_score = \"nan\"", "base_score", F},
        {"O.name = \"reg:other\"", "unknown objective", U},
        {"+L.other = 1", "learner.other: unknown member", F},
    };

    for (size_t i = 0; i < HT_COUNT(CASES); i++) {
        ht_case("W7", "%s", CASES[i].edits);
        check(inside(&XGBOOST[MB_REGRESSION], "xgboost-json", mb_edited(MB_REGRESSION, CASES[i].edits, MB_JSON)),
              CASES[i].status, CASES[i].words);
    }
    ht_case("W7", "a tree of LightGBM that has a loop");
    check(inside(&LIGHTGBM[LB_SETS], "lightgbm", lb_edited(LB_SETS, "T0.left_child = 0 -2\n")), F, "tree 0");
}

/* The embedded file cut at every byte: its end says nothing good, whatever the base64 around it. */
static void test_cuts(const char *name, const outer *around, mb_bytes file)
{
    for (size_t n = 1; n < file.size; n += n < 64 ? 1 : STEP) {
        mb_bytes b = embedded(around, file.data, n);
        hbs_error error = {0};
        hbs_status status;

        ht_case("W1", "%s, the first %zu of %zu bytes", name, n, file.size);
        status = ht_try(b.data, b.size, NULL, &error);
        ht_check(status == HBS_OK || (status == F && ht_has_words(error.text, "the embedded")), "got %s: %s",
                 hbs_status_name(status), error.text);
        free(b.data);
    }
}

/* Bytes of the embedded file changed: an error in words, or a model that scores; ht_try checks the rest. */
static void test_changes(const char *name, const outer *around, mb_bytes file, int change)
{
    ht_case("W7", "%s, every %dth byte, %s", name, STEP, change < 8 ? "a flipped bit" : "a digit");
    for (size_t i = (size_t)change % STEP; i < file.size && ht_ok(); i += STEP) {
        char kept = file.data[i];
        hbs_error error = {0};
        mb_bytes b;
        hbs_status status;

        file.data[i] = change < 8 ? (char)(kept ^ (1 << change)) : '9';
        b = embedded(around, file.data, file.size);
        status = ht_try(b.data, b.size, NULL, &error);
        ht_check(status != HBS_E_NOMEM && status != HBS_E_CANCEL, "byte %zu: %s", i, error.text);
        free(b.data);
        file.data[i] = kept;
    }
}

/* The document around it, cut and changed as well. */
static void test_document(const char *name, mb_bytes b)
{
    for (size_t n = 1; n < b.size; n += STEP) {
        mb_bytes cut = copy_of(b.data, n);
        hbs_error error = {0};

        ht_case("W1", "%s, the first %zu of %zu bytes of the document", name, n, b.size);
        ht_check(ht_try(cut.data, n, NULL, &error) == F, "%s", error.text);
        free(cut.data);
    }
    ht_case("W7", "%s, every %dth byte of the document", name, STEP);
    for (size_t i = 0; i < b.size && ht_ok(); i += STEP) {
        char kept = b.data[i];

        b.data[i] = (char)(kept ^ 1);
        (void)ht_try(b.data, b.size, NULL, NULL);
        b.data[i] = kept;
    }
}

/* ------------------------------------------------------------------ large ones, and failures */

static void test_large(void)
{
    outer o = {.format = "lightgbm", .task = "regressor", .n_features = 3};
    mb_bytes file = lb_chain(1000, true), large = lb_stumps(LARGE / 40);

    ht_case("W5", "a chain of 1000 leaves");
    check(embedded(&o, file.data, file.size), HBS_OK, "");
    ht_case("W5", "many trees of one leaf");
    check(embedded(&o, large.data, large.size), HBS_OK, "");
    free(file.data);
    free(large.data);
}

static void one_life(const char *name, mb_bytes b, size_t *points, size_t *polls)
{
    *points += ht_life_failures(name, b, NULL, false);
    *points += ht_life_failures(name, b, NULL, true);
    *polls += ht_life_cancel(name, b, NULL, 1);
    free(b.data);
}

int main(void)
{
    size_t points = 0, polls = 0;
    const struct {
        const char *name;
        outer outer;
        mb_bytes file;
    } FILES[] = {
        {"xgboost",
         {.format = "xgboost-ubjson", .task = "classifier", .n_features = 3, .n_classes = 2},
         mb_edited(MB_BINARY, NULL, MB_UBJSON)},
        {"gblinear",
         {.format = "xgboost-json",
          .task = "regressor",
          .n_features = 3,
          .before = "{\"op\":\"select\",\"in\":[0],\"cols\":[2,1,0]},",
          .settings = "\"rounds\":0,\"missing\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":"
                      "\"AAAAAAAACMA=\"},\"zero_is_missing\":1,"},
         mb_edited(MB_LINEAR, NULL, MB_JSON)},
        {"lightgbm",
         {.format = "lightgbm", .task = "classifier", .n_features = 3, .n_classes = 3},
         lb_edited(LB_CLASSES, "")},
        {"booster",
         {.format = "lightgbm", .task = "regressor", .n_features = 3, .part = "\"classes\":3,\"raw\":1,"},
         lb_edited(LB_CLASSES, "")},
        {"catboost",
         {.format = "catboost", .task = "classifier", .n_features = 2, .n_classes = 2},
         copy_of(CATBOOST[2].text, strlen(CATBOOST[2].text))},
    };

    test_same_bits();
    test_categories();
    test_other_files();
    test_parts();
    test_edits();
    test_large();
    for (size_t i = 0; i < HT_COUNT(FILES); i++) {
        mb_bytes b = embedded(&FILES[i].outer, FILES[i].file.data, FILES[i].file.size);

        test_cuts(FILES[i].name, &FILES[i].outer, FILES[i].file);
        for (int change = 0; change < 9; change++)
            test_changes(FILES[i].name, &FILES[i].outer, FILES[i].file, change);
        test_document(FILES[i].name, b);
        one_life(FILES[i].name, b, &points, &polls);
        free(FILES[i].file.data);
    }
    printf("R1: %zu points where memory ran out\nR2: %zu points where the host said stop\n", points, polls);
    return ht_report();
}
