/* test_catboost.c - CatBoost's JSON models: broken ones by hand, one table for each class of reliability.md
 * that this format can meet; golden models cut at every byte, with bytes changed, out of memory and cancelled
 * at every point; and large ones. */
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sanitizers make each load some ten times slower. */
#if HT_SANITIZED
enum { CUT_STEP = 17, BYTE_STEP = 97, LARGE = 20000 };
#else
enum { CUT_STEP = 1, BYTE_STEP = 13, LARGE = 100000 };
#endif

#define F HBS_E_FORMAT
#define U HBS_E_UNSUPPORTED
#define L HBS_E_LIMIT

/* ------------------------------------------------------------------ small models */

#define FLOAT_A                                                                                 \
    "{\"borders\":[0.5,1.5],\"feature_id\":\"a\",\"feature_index\":0,\"flat_feature_index\":0," \
    "\"has_nans\":true,\"nan_value_treatment\":\"AsFalse\"}"
#define FLOAT_B                                                                            \
    "{\"borders\":[-1],\"feature_id\":\"b\",\"feature_index\":1,\"flat_feature_index\":1," \
    "\"has_nans\":false,\"nan_value_treatment\":\"AsIs\"}"
#define FLOATS         "\"float_features\":[" FLOAT_A "," FLOAT_B "]"
#define LOSS(name)     "\"model_info\":{\"params\":{\"loss_function\":{\"params\":{},\"type\":\"" name "\"}}"
#define SPLIT(n, type) "{\"border\":0.5,\"split_index\":" #n ",\"split_type\":\"" type "\"}"
#define LEAF(x)        "{\"value\":" #x ",\"weight\":3}"
#define CTR                                                                                         \
    "{\"borders\":[4.5,7],\"ctr_type\":\"Borders\",\"elements\":[{\"cat_feature_index\":0,"         \
    "\"combination_element\":\"cat_feature_value\"},{\"border\":0.25,"                              \
    "\"combination_element\":\"float_feature\",\"float_feature_index\":1}],\"identifier\":\"one\"," \
    "\"prior_denomerator\":1,\"prior_numerator\":0.5,\"scale\":15,\"shift\":0,"                     \
    "\"target_border_idx\":0}"

typedef enum sample {
    OBLIVIOUS,
    NESTED,
    CATEGORIES, /* a: float; b: float; c: a category with one-hot values and in a ctr */
    BINARY,
    CLASSES, /* 3 of 5 classes have data */
    SAMPLES
} sample;

static const char *const TEXTS[] = {
    [OBLIVIOUS] = "{\"features_info\":{" FLOATS "}," LOSS(
        "RMSE") "},\"oblivious_trees\":["
                "{\"leaf_values\":[1,2,3,4],\"leaf_weights\":[5,6,7,8],\"splits\":[" SPLIT(0, "FloatFeature") "," SPLIT(
                    2, "FloatFeature") "]},"
                                       "{\"leaf_values\":[0.25],\"leaf_weights\":[26],\"splits\":null}],"
                                       "\"scale_and_bias\":[2,[0.5]]}",
    [NESTED] = "{\"features_info\":{" FLOATS "}," LOSS(
        "RMSE") "},\"scale_and_bias\":[1,[0]],"
                "\"trees\":[{\"left\":" LEAF(1) ",\"right\":{\"left\":" LEAF(2) ",\"right\":" LEAF(
                    3) ",\"split\":" SPLIT(1, "FloatFeature") "},\"split\":" SPLIT(2, "FloatFeature") "}," LEAF(9) "]}",
    [CATEGORIES] =
        "{\"ctr_data\":{\"one\":{\"counter_denominator\":0,\"hash_map\":["
        "\"18446744073709551615\",3,4,\"12\",3,4,\"9538516831751056755\",5,6],"
        "\"hash_stride\":3}},\"features_info\":{\"cat_features_hash\":[{\"hash\":1,"
        "\"value\":\"x\"}],\"categorical_features\":[{\"feature_id\":\"c\","
        "\"feature_index\":0,\"flat_feature_index\":2,\"values\":[-3,2147483647]}],"
        "\"ctrs\":[" CTR "]," FLOATS "}," LOSS(
            "RMSE") "},\"oblivious_trees\":["
                    "{\"leaf_values\":[1,2,3,4,5,6,7,8],\"leaf_weights\":[1,1,1,1,1,1,1,1],\"splits\":[" SPLIT(
                        0,
                        "FloatFeature") "," SPLIT(4,
                                                  "OneHotFeature") "," SPLIT(6,
                                                                             "OnlineCtr") "]}],\"scale_and_bias\":[1,[0]]}",
    [BINARY] = "{\"features_info\":{" FLOATS "},\"model_info\":{\"binclass_probability_threshold\":"
               "\"0.25\",\"class_params\":{\"class_label_type\":\"String\",\"class_names\":[\"no\","
               "\"yes\"],\"class_to_label\":[0,1],\"classes_count\":0},\"params\":{\"loss_function\":"
               "{\"type\":\"Logloss\"}}},\"oblivious_trees\":[{\"leaf_values\":[-1,1],"
               "\"leaf_weights\":[1,1],\"splits\":[" SPLIT(0, "FloatFeature") "]}],"
                                                                              "\"scale_and_bias\":[1,[0]]}",
    [CLASSES] = "{\"features_info\":{" FLOATS "},\"model_info\":{\"class_params\":{"
                "\"class_label_type\":\"Integer\",\"class_names\":[],\"class_to_label\":[0,1,3],"
                "\"classes_count\":5},\"params\":{\"loss_function\":{\"type\":\"MultiClass\"}}},"
                "\"oblivious_trees\":[{\"leaf_values\":[1,2,3,4,5,6],\"leaf_weights\":[1,1],"
                "\"splits\":[" SPLIT(0, "FloatFeature") "]}],\"scale_and_bias\":[1,[0,0,0]]}",
};

static const char *const NAMES[] = {"oblivious", "nested", "categories", "binary", "classes"};

/* The sample with `from` replaced once by the `n` times repeated `item` between `before` and `after`. */
static mb_bytes replaced(sample s, const char *from, const char *before, const char *item, size_t n, const char *after)
{
    const char *text = TEXTS[s], *at = strstr(text, from);
    size_t head = at ? (size_t)(at - text) : 0, size = strlen(item);
    mb_bytes b = {0};
    char *p;

    if (!at) {
        fprintf(stderr, "test_catboost: %s has no %s\n", NAMES[s], from);
        exit(2);
    }
    b.size = strlen(text) - strlen(from) + strlen(before) + n * size + strlen(after);
    p = b.data = malloc(b.size + 1);
    if (!p)
        exit(2);
    memcpy(p, text, head);
    p = stpcpy(p + head, before);
    for (size_t i = 0; i < n; i++, p += size)
        memcpy(p, item, size);
    strcpy(stpcpy(p, after), at + strlen(from));
    return b;
}

/* So that a sanitizer sees a step behind the last byte. */
static char *copy_of(const char *bytes, size_t size)
{
    char *copy = malloc(size ? size : 1);

    if (!copy)
        exit(2);
    memcpy(copy, bytes, size);
    return copy;
}

static void check_case(mb_bytes b, const char *options, int wanted, const char *words)
{
    char *copy = copy_of(b.data, b.size);
    hbs_error error = {0};
    hbs_status status = ht_try(copy, b.size, options, &error);

    if (wanted == HT_ANY)
        ht_check(status == HBS_OK || status == F || status == L || status == U, "got %s: %s", hbs_status_name(status),
                 error.text);
    else if (ht_check((int)status == wanted, "wanted %s, got %s: %s", hbs_status_name((hbs_status)wanted),
                      hbs_status_name(status), status == HBS_OK ? "" : error.text) &&
             status != HBS_OK)
        ht_check(ht_has_words(error.text, words), "wanted the words %s, got: %s", words, error.text);
    free(copy);
    free(b.data);
}

/* ------------------------------------------------------------------ tables */

typedef struct cb_case {
    const char *name;
    sample sample;
    const char *from, *to;
    int status;
    const char *words; /* "a|b": both */
} cb_case;

static void run(const char *class_name, const cb_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ht_case(class_name, "%s (%s)", cases[i].name, NAMES[cases[i].sample]);
        check_case(replaced(cases[i].sample, cases[i].from, cases[i].to, "", 0, ""), NULL, cases[i].status,
                   cases[i].words);
    }
}

#define RUN(class_name, cases) run(class_name, cases, HT_COUNT(cases))

static const cb_case WHOLE[] = {
    {"as it is", OBLIVIOUS, "{", "{", HBS_OK, NULL},
    {"as it is", NESTED, "{", "{", HBS_OK, NULL},
    {"as it is", CATEGORIES, "{", "{", HBS_OK, NULL},
    {"as it is", BINARY, "{", "{", HBS_OK, NULL},
    {"as it is", CLASSES, "{", "{", HBS_OK, NULL},
    {"white space", OBLIVIOUS, "{\"features_info\"", " {\n\t\"features_info\" ", HBS_OK, NULL},
    {"something behind it", OBLIVIOUS, ",[0.5]]}", ",[0.5]]} {}", F, NULL},
    {"the bias as one number", OBLIVIOUS, "[2,[0.5]]", "[2,0.5]", HBS_OK, NULL},
    {"no trees", OBLIVIOUS, "\"oblivious_trees\"", "\"cyclic_trees\"", F, "cyclic_trees"},
    {"no scale_and_bias", OBLIVIOUS, ",\"scale_and_bias\":[2,[0.5]]", "", F, "scale_and_bias"},
    {"no features_info", OBLIVIOUS, "\"features_info\":{" FLOATS "},", "", F, NULL},
    {"an unknown member", OBLIVIOUS, "\"oblivious_trees\"", "\"more\":1,\"oblivious_trees\"", F, "more"},
};

static const cb_case W4[] = {
    /* numbers beyond what they are kept in */
    {"split_index 2^31", OBLIVIOUS, "\"split_index\":2", "\"split_index\":2147483648", F, "split_index"},
    {"split_index 2^32 + 2", OBLIVIOUS, "\"split_index\":2", "\"split_index\":4294967298", F, "split_index"},
    {"split_index 2^64 + 2", OBLIVIOUS, "\"split_index\":2", "\"split_index\":18446744073709551618", F, "split_index"},
    {"flat_feature_index 2^32", OBLIVIOUS, "\"flat_feature_index\":0", "\"flat_feature_index\":4294967296", F,
     "flat_feature_index"},
    {"a category 2^31", CATEGORIES, "2147483647]", "2147483648]", F, "values|32 bits"},
    {"a category -2^31 - 1", CATEGORIES, "[-3", "[-2147483649", F, "values|32 bits"},
    {"a category 1e300", CATEGORIES, "[-3", "[1e300", F, "values|32 bits"},
    {"half a category", CATEGORIES, "[-3", "[-3.5", F, "values|32 bits"},
    {"a key of 2^64", CATEGORIES, "\"12\"", "\"18446744073709551616\"", F, "hash"},
    {"a key of 21 digits", CATEGORIES, "\"12\"", "\"000000000000000000012\"", F, "hash"},
    {"a key of 2^128", CATEGORIES, "\"12\"", "\"340282366920938463463374607431768211456\"", F, "hash"},
    {"hash_stride 2^32 + 3", CATEGORIES, "\"hash_stride\":3", "\"hash_stride\":4294967299", F, "hash_stride"},
    {"counter_denominator 2^63", CATEGORIES, "\"counter_denominator\":0", "\"counter_denominator\":9223372036854775808",
     F, "counter_denominator"},
    {"target_border_idx 2^32", CATEGORIES, "\"target_border_idx\":0", "\"target_border_idx\":4294967296", F,
     "target_border_idx"},
    {"target_border_idx 2^32 - 1", CATEGORIES, "\"target_border_idx\":0", "\"target_border_idx\":4294967295", F,
     "target_border_idx"},
    {"target_border_idx 2^31 - 1", CATEGORIES, "\"target_border_idx\":0", "\"target_border_idx\":2147483647", F,
     "target_border_idx"},
    {"a ctr of feature 2^32", CATEGORIES, "\"cat_feature_index\":0", "\"cat_feature_index\":4294967296", F,
     "cat_feature_index"},
    {"an element's value 2^31", CATEGORIES,
     "\"border\":0.25,\"combination_element\":\"float_feature\",\"float_feature_index\":1",
     "\"cat_feature_index\":0,\"combination_element\":\"cat_feature_exact_value\",\"value\":2147483648", F, "value"},
    {"classes_count 2^32", CLASSES, "\"classes_count\":5", "\"classes_count\":4294967296", F, "classes_count"},
    {"classes_count 65537", CLASSES, "\"classes_count\":5", "\"classes_count\":65537", F, "classes_count"},
    {"classes_count -1", CLASSES, "\"classes_count\":5", "\"classes_count\":-1", F, "classes_count"},
    {"class_to_label 1e300", CLASSES, "[0,1,3]", "[0,1,1e300]", F, "class_to_label"},
    {"class_to_label -1e300", CLASSES, "[0,1,3]", "[-1e300,1,3]", F, "class_to_label"},
    {"a class of 2^64", BINARY, "\"no\"", "18446744073709551616", F, "class_names"},
};

static const cb_case W6[] = {
    /* twice */
    {"oblivious_trees", OBLIVIOUS, "\"scale_and_bias\"", "\"oblivious_trees\":[],\"scale_and_bias\"", F,
     "oblivious_trees"},
    {"both kinds of trees", OBLIVIOUS, "\"scale_and_bias\"", "\"trees\":[],\"scale_and_bias\"", F,
     "trees and oblivious_trees"},
    {"leaf_values", OBLIVIOUS, "\"leaf_weights\"", "\"leaf_values\":[1],\"leaf_weights\"", F, "leaf_values"},
    {"left", NESTED, "\"right\"", "\"left\":{\"value\":1},\"right\"", F, "left"},
    {"value", NESTED, "\"weight\"", "\"value\":2,\"weight\"", F, "value"},
    {"split_index", OBLIVIOUS, "\"split_type\"", "\"split_index\":1,\"split_type\"", F, "split_index"},
    {"elements", CATEGORIES, "\"identifier\":\"one\"", "\"elements\":[],\"identifier\":\"one\"", F, "elements"},
    {"hash_map", CATEGORIES, "\"hash_stride\"", "\"hash_map\":[],\"hash_stride\"", F, "hash_map"},
    {"a table", CATEGORIES, "\"one\":{", "\"one\":{},\"one\":{", F, "one"},
    {"a key of a table", CATEGORIES, "\"9538516831751056755\"", "\"12\"", F, "key twice"},
    {"a key of a table, with zeros", CATEGORIES, "\"9538516831751056755\"", "\"0012\"", F, "key twice"},
    {"the empty key", CATEGORIES, "\"12\",3,4", "\"18446744073709551615\",3,4", HBS_OK, NULL},
    {"a ctr", CATEGORIES, CTR, CTR "," CTR, U, "several TargetBorderCounts"},
    {"a feature's name", OBLIVIOUS, "\"feature_id\":\"b\"", "\"feature_id\":\"a\"", F, "feature"},
    {"a class", BINARY, "\"yes\"", "\"no\"", HBS_OK, NULL}, /* the first one is meant */
};

/* Ctrs that share a table, of a category alone and of a combination; the model's info behind them. */
#define CTR_OF(type, name, prior, more)                                                      \
    "{\"borders\":[4.5,7],\"ctr_type\":\"" type "\",\"elements\":[{\"cat_feature_index\":0," \
    "\"combination_element\":\"cat_feature_value\"}" more "],\"identifier\":\"" name "\","   \
    "\"prior_denomerator\":1,\"prior_numerator\":" #prior ",\"scale\":15,\"shift\":0,"       \
    "\"target_border_idx\":0}"
#define WITH_FLOAT       ",{\"border\":0.25,\"combination_element\":\"float_feature\",\"float_feature_index\":1}"
#define TABLE_ONE        "{\"counter_denominator\":0,\"hash_map\":[\"12\",3,4],\"hash_stride\":3}"
#define PAIR(type, more) CTR_OF(type, "one", 0, more) "," CTR_OF(type, "one", 0.5, more)

#define IN_FILE(ctrs, info) "\"ctrs\":[" ctrs "]," FLOATS "},\"model_info\":{" info "},"
#define ORIGINAL            "\"ctrs\":[" CTR "]," FLOATS "}," LOSS("RMSE") "},"
#define PARAMS(loss, more)  "\"params\":{" more "\"loss_function\":{\"type\":\"" loss "\"}}"
#define CUT(type, n)        "{\"ctr_type\":\"" type "\",\"target_binarization\":{\"border_count\":" #n "}}"
#define LISTS(simple, combined, own)                                                               \
    "\"cat_feature_params\":{\"combinations_ctrs\":[" combined "],\"per_feature_ctrs\":{" own "}," \
    "\"simple_ctrs\":[" simple "]},"
#define TWO_CUTS CUT("Borders", 1) "," CUT("Borders", 3)
#define SUM(loss, a, b)                           \
    "\"loss_function\":\"{\\\"type\\\":\\\"" loss \
    "\\\"}\",\"model0:params\":{" LISTS(a, a, "") "\"x\":0},\"model1:params\":{" LISTS(b, b, "") "\"x\":0}"
#define TARGET "for each target|\"c\"|one_hot_max_size|one model for each target"
#define CUTS   "several TargetBorderCounts|\"c\"|the same TargetBorderCount"
#define MODELS "several models|\"c\"|register each model by itself"

static const cb_case SHARED[] = {
    {"one target", CATEGORIES, ORIGINAL, IN_FILE(PAIR("Borders", ""), PARAMS("RMSE", "")), HBS_OK, NULL},
    {"several classes of one target", CATEGORIES, ORIGINAL, IN_FILE(PAIR("Borders", ""), PARAMS("MultiQuantile", "")),
     HBS_OK, NULL},
    {"MultiRMSE", CATEGORIES, ORIGINAL, IN_FILE(PAIR("Borders", ""), PARAMS("MultiRMSE", "")), U, TARGET},
    {"MultiRMSE, a combination", CATEGORIES, ORIGINAL, IN_FILE(PAIR("Buckets", WITH_FLOAT), PARAMS("MultiRMSE", "")), U,
     TARGET},
    {"MultiRMSE, one ctr", CATEGORIES, ORIGINAL, IN_FILE(CTR_OF("Borders", "one", 0, ""), PARAMS("MultiRMSE", "")),
     HBS_OK, NULL},
    {"MultiRMSE, counters", CATEGORIES, ORIGINAL, IN_FILE(PAIR("Counter", ""), PARAMS("MultiRMSE", "")), HBS_OK, NULL},
    {"MultiRMSE, counted on a GPU", CATEGORIES, ORIGINAL, IN_FILE(PAIR("FeatureFreq", ""), PARAMS("MultiRMSE", "")),
     HBS_OK, NULL},
    {"MultiRMSE, means", CATEGORIES, ORIGINAL, IN_FILE(PAIR("BinarizedTargetMeanValue", ""), PARAMS("MultiRMSE", "")),
     U, TARGET},
    {"MultiRMSE, means of a GPU", CATEGORIES, ORIGINAL,
     IN_FILE(PAIR("FloatTargetMeanValue", ""), PARAMS("MultiRMSE", "")), U, TARGET},
    {"MultiRMSEWithMissingValues", CATEGORIES, ORIGINAL,
     IN_FILE(PAIR("Borders", ""), PARAMS("MultiRMSEWithMissingValues", "")), U, TARGET},
    {"MultiLogloss", CATEGORIES, ORIGINAL, IN_FILE(PAIR("Borders", ""), PARAMS("MultiLogloss", "")), U, TARGET},
    {"MultiCrossEntropy", CATEGORIES, ORIGINAL, IN_FILE(PAIR("Borders", ""), PARAMS("MultiCrossEntropy", "")), U,
     TARGET},
    {"SurvivalAft", CATEGORIES, ORIGINAL, IN_FILE(PAIR("Borders", ""), PARAMS("SurvivalAft", "")), U, TARGET},
    {"a loss of the user's own", CATEGORIES, ORIGINAL,
     IN_FILE(PAIR("Borders", ""), PARAMS("PythonUserDefinedMultiTarget", "")), U, TARGET},
    {"two cuts", CATEGORIES, ORIGINAL, IN_FILE(PAIR("Borders", ""), PARAMS("RMSE", LISTS(TWO_CUTS, "", ""))), U, CUTS},
    {"two cuts, one ctr", CATEGORIES, ORIGINAL,
     IN_FILE(CTR_OF("Borders", "one", 0, ""), PARAMS("RMSE", LISTS(TWO_CUTS, "", ""))), HBS_OK, NULL},
    {"two cuts of another type", CATEGORIES, ORIGINAL,
     IN_FILE(PAIR("Buckets", ""), PARAMS("RMSE", LISTS(TWO_CUTS, "", ""))), HBS_OK, NULL},
    {"two cuts of combinations only", CATEGORIES, ORIGINAL,
     IN_FILE(PAIR("Borders", ""), PARAMS("RMSE", LISTS("", TWO_CUTS, ""))), HBS_OK, NULL},
    {"two cuts of combinations", CATEGORIES, ORIGINAL,
     IN_FILE(PAIR("Borders", WITH_FLOAT), PARAMS("RMSE", LISTS("", TWO_CUTS, ""))), U, CUTS},
    {"two cuts of this feature", CATEGORIES, ORIGINAL,
     IN_FILE(PAIR("Borders", ""), PARAMS("RMSE", LISTS("", "", "\"2\":[" TWO_CUTS "]"))), U, CUTS},
    {"two cuts, one for this feature", CATEGORIES, ORIGINAL,
     IN_FILE(PAIR("Borders", ""), PARAMS("RMSE", LISTS(TWO_CUTS, "", "\"2\":[" CUT("Borders", 1) "]"))), HBS_OK, NULL},
    {"a list of no feature", CATEGORIES, ORIGINAL,
     IN_FILE(PAIR("Borders", ""), PARAMS("RMSE", LISTS("", "", "\"3\":[]"))), F, "per_feature_ctrs"},
    {"a list of feature 2^32", CATEGORIES, ORIGINAL,
     IN_FILE(PAIR("Borders", ""), PARAMS("RMSE", LISTS("", "", "\"4294967296\":[]"))), F,
     "per_feature_ctrs|4294967296"},
    {"a list of feature c", CATEGORIES, ORIGINAL,
     IN_FILE(PAIR("Borders", ""), PARAMS("RMSE", LISTS("", "", "\"c\":[]"))), F, "per_feature_ctrs"},
    {"no parameters", CATEGORIES, ORIGINAL, IN_FILE(PAIR("Borders", ""), "\"x\":0"), U, MODELS},
    {"a sum, ctrs in different trees", CATEGORIES, ORIGINAL,
     IN_FILE(PAIR("Borders", ""), SUM("RMSE", CUT("Borders", 1), CUT("Borders", 1))), U, MODELS},
    {"a sum of one ctr", CATEGORIES, ORIGINAL,
     IN_FILE(CTR_OF("Borders", "one", 0, ""), SUM("RMSE", TWO_CUTS, CUT("Borders", 3))), HBS_OK, NULL},
};

/* The trees of a sum: split 5 is of the first ctr, 7 of the second. */
#define TREE(a) "{\"leaf_values\":[1,2],\"leaf_weights\":[1,1],\"splits\":[" a "]}"
#define FIRST   SPLIT(5, "OnlineCtr")
#define SECOND  SPLIT(7, "OnlineCtr")
#define SUM_OF(type, loss, a, b, trees)                                                               \
    "{\"ctr_data\":{\"one\":" TABLE_ONE "},\"features_info\":{\"categorical_features\":[{"            \
    "\"feature_id\":\"c\",\"feature_index\":0,\"flat_feature_index\":2,\"values\":[-3,5]}]," IN_FILE( \
        PAIR(type, ""), SUM(loss, a, b)) "\"oblivious_trees\":[" trees "],"                           \
                                         "\"scale_and_bias\":[1,[0]]}"
#define SAME CUT("Borders", 1)

static const struct {
    const char *name, *text;
    int status;
    const char *words;
} SUMS[] = {
    {"one tree", SUM_OF("Borders", "RMSE", SAME, SAME, TREE(FIRST)), U, MODELS},
    {"a seam", SUM_OF("Borders", "RMSE", SAME, SAME, TREE(FIRST) "," TREE(SECOND)), U, MODELS},
    {"a seam, counters", SUM_OF("Counter", "RMSE", SAME, SAME, TREE(FIRST) "," TREE(SECOND)), U, MODELS},
    {"a seam behind two trees", SUM_OF("Borders", "RMSE", SAME, SAME, TREE(FIRST) "," TREE(FIRST) "," TREE(SECOND)), U,
     MODELS},
    {"no seam", SUM_OF("Borders", "RMSE", SAME, SAME, TREE(FIRST) "," TREE(SECOND) "," TREE(FIRST)), HBS_OK, NULL},
    {"one model's trees", SUM_OF("Counter", "RMSE", TWO_CUTS, SAME, TREE(SECOND) "," TREE(FIRST) "," TREE(SECOND)),
     HBS_OK, NULL},
    {"two cuts", SUM_OF("Borders", "RMSE", TWO_CUTS, SAME, TREE(FIRST) "," TREE(SECOND) "," TREE(FIRST)), U, MODELS},
    {"each model its cut",
     SUM_OF("Borders", "RMSE", CUT("Borders", 3), CUT("Buckets", 1), TREE(FIRST) "," TREE(SECOND) "," TREE(FIRST)), U,
     MODELS},
    {"several targets", SUM_OF("Borders", "MultiRMSE", SAME, SAME, TREE(FIRST) "," TREE(SECOND) "," TREE(FIRST)), U,
     TARGET},
    {"a tree with both",
     SUM_OF("Borders", "RMSE", SAME, SAME,
            TREE(FIRST) ","
                        "{\"leaf_values\":[1,2,3,4],\"leaf_weights\":[1,1,1,1],\"splits\":[" FIRST "," SECOND
                        "]}," TREE(SECOND)),
     HBS_OK, NULL},
};

static void test_sums(void)
{
    for (size_t i = 0; i < HT_COUNT(SUMS); i++) {
        mb_bytes b = {.data = strdup(SUMS[i].text), .size = strlen(SUMS[i].text)};

        ht_case("W6", "a sum of models, %s", SUMS[i].name);
        check_case(b, NULL, SUMS[i].status, SUMS[i].words);
    }
}

static const cb_case W7[] = {
    /* other types */
    {"features_info", OBLIVIOUS, "{" FLOATS "}", "[]", F, "features_info"},
    {"a border in quotes", OBLIVIOUS, "[0.5,1.5]", "[\"0.5\",1.5]", F, "borders"},
    {"a key that is a number", CATEGORIES, "\"12\"", "12", F, "buckets of different sizes"},
    {"a key in words", CATEGORIES, "\"12\"", "\"twelve\"", F, "hash"},
    {"a key with a sign", CATEGORIES, "\"12\"", "\"-12\"", F, "hash"},
    {"a key that is empty", CATEGORIES, "\"12\"", "\"\"", F, "hash"},
    {"a key in UTF-8", CATEGORIES, "\"12\"", "\"\xc3\xa9\"", F, "hash"},
    {"a count in brackets", CATEGORIES, "\"12\",3", "\"12\",[3]", F, "hash_map"},
    {"a count that is null", CATEGORIES, "\"12\",3", "\"12\",null", F, "hash_map"},
    {"a count first", CATEGORIES, "[\"18446744073709551615\",3,4", "[3,4", F, "hash first"},
    {"leaf_values null", OBLIVIOUS, "[1,2,3,4]", "null", F, "leaf_values"},
    {"no tree", OBLIVIOUS, "\"splits\":null}", "\"splits\":null},null", F, "oblivious_trees"},
    {"a leaf in words", NESTED, "\"value\":1", "\"value\":\"1\"", F, "value"},
    {"a node that is a list", NESTED, "\"left\":{\"value\":1,\"weight\":3}", "\"left\":[1]", F, "left"},
    {"has_nans 1", OBLIVIOUS, "true", "1", F, "has_nans"},
    {"a threshold that is a number", BINARY, "\"0.25\"", "0.25", F, "threshold"},
    {"a loss that is a number", BINARY, "\"Logloss\"", "1", F, "type"},
    {"loss_function that is no JSON", OBLIVIOUS, "\"params\":{\"loss",
     "\"loss_function\":\"{\\\"type\\\":\",\"params\":{\"loss", F, "no JSON"},
    {"loss_function that is empty", OBLIVIOUS, "\"params\":{\"loss", "\"loss_function\":\"\",\"params\":{\"loss", F,
     "no JSON"},
    {"loss_function of two values", OBLIVIOUS, "\"params\":{\"loss", "\"loss_function\":\"{} {}\",\"params\":{\"loss",
     F, "no JSON"},
};

static const cb_case W10[] = {
    /* numbers that are none */
    {"NaN", OBLIVIOUS, "[0.5,1.5]", "[NaN,1.5]", F, "borders"},
    {"Infinity", OBLIVIOUS, "[0.5,1.5]", "[0.5,Infinity]", F, "borders"},
    {"1e999", OBLIVIOUS, "[0.5,1.5]", "[0.5,1e999]", F, "borders"},
    {"1e300, which is no float", OBLIVIOUS, "[0.5,1.5]", "[0.5,1e300]", HT_ANY, NULL},
    {"a leaf NaN", OBLIVIOUS, "[1,2,3,4]", "[1,2,NaN,4]", F, "leaf_values"},
    {"a leaf -Infinity", NESTED, "\"value\":1", "\"value\":-Infinity", F, "value"},
    {"a weight NaN", OBLIVIOUS, "[5,6,7,8]", "[5,NaN,7,8]", F, "leaf_weights"},
    {"a weight below 0", OBLIVIOUS, "[5,6,7,8]", "[5,-6,7,8]", HT_ANY, NULL},
    {"the scale NaN", OBLIVIOUS, "[2,[0.5]]", "[NaN,[0.5]]", F, "scale_and_bias"},
    {"a bias NaN", OBLIVIOUS, "[2,[0.5]]", "[2,[NaN]]", F, "scale_and_bias"},
    {"a count NaN", CATEGORIES, "\"12\",3", "\"12\",NaN", F, "hash_map"},
    {"a count 1e308", CATEGORIES, "\"12\",3,4", "\"12\",1e308,1e308", HBS_OK, NULL},
    {"a prior NaN", CATEGORIES, "\"prior_numerator\":0.5", "\"prior_numerator\":NaN", F, "prior"},
    {"no prior", CATEGORIES, "\"prior_denomerator\":1", "\"prior_denomerator\":0", HBS_OK, NULL},
    {"a scale of 1e38", CATEGORIES, "\"scale\":15", "\"scale\":3e38", HBS_OK, NULL},
    {"hexadecimal", OBLIVIOUS, "[0.5,1.5]", "[0x1p3,1.5]", F, "borders"},
    {"a comma", OBLIVIOUS, "[0.5,1.5]", "[0,5,1.5]", HT_ANY, NULL},
    {"threshold 2", BINARY, "\"0.25\"", "\"2\"", F, "probability|\"2\""},
    {"threshold -1", BINARY, "\"0.25\"", "\"-1\"", F, "probability"},
    {"threshold nan", BINARY, "\"0.25\"", "\"nan\"", F, "probability"},
    {"threshold empty", BINARY, "\"0.25\"", "\"\"", F, "probability"},
    {"threshold with a tail", BINARY, "\"0.25\"", "\"0.25 \"", F, "probability"},
    {"threshold 1e-400", BINARY, "\"0.25\"", "\"1e-400\"", HBS_OK, NULL},
    {"threshold 0", BINARY, "\"0.25\"", "\"0\"", HBS_OK, NULL},
    {"threshold 1", BINARY, "\"0.25\"", "\"1\"", HBS_OK, NULL},
};

static const cb_case W14[] = {
    /* what we do not know */
    {"a loss", OBLIVIOUS, "\"RMSE\"", "\"RMSE2\"", U, "RMSE2"},
    {"a loss of control characters", OBLIVIOUS, "\"RMSE\"", "\"\\u0000\\u0007\\n\"", U, "loss_function"},
    {"a split_type", OBLIVIOUS, "\"FloatFeature\"", "\"Oracle\"", U, "split_type|Oracle"},
    {"a split of a text", OBLIVIOUS, "\"FloatFeature\"", "\"EstimatedFeature\"", U, "text and embedding"},
    {"a ctr_type", CATEGORIES, "\"Borders\"", "\"Border\"", U, "ctr_type|Border"},
    {"a combination_element", CATEGORIES, "\"cat_feature_value\"", "\"cat\"", U, "combination_element|cat"},
    {"nan_value_treatment", OBLIVIOUS, "\"AsFalse\"", "\"AsMaybe\"", U, "AsMaybe"},
    {"text_features", OBLIVIOUS, "\"float_features\"", "\"text_features\":[{}],\"float_features\"", U, "text"},
    {"embedding_features", OBLIVIOUS, "\"float_features\"", "\"embedding_features\":[1],\"float_features\"", U,
     "embedding"},
    {"no text_features", OBLIVIOUS, "\"float_features\"", "\"text_features\":[],\"float_features\"", HBS_OK, NULL},
};

static const cb_case T6[] = {
    /* features and splits */
    {"split_index of as many", OBLIVIOUS, "\"split_index\":2", "\"split_index\":3", F, "split_index 3|3 splits"},
    {"split_index of as many", NESTED, "\"split_index\":2", "\"split_index\":3", F, "split_index 3"},
    {"split_index of as many", CATEGORIES, "\"split_index\":6", "\"split_index\":7", F, "split_index 7|7 splits"},
    {"split_index -1", OBLIVIOUS, "\"split_index\":2", "\"split_index\":-1", F, "split_index"},
    {"split_index 1.0", OBLIVIOUS, "\"split_index\":2", "\"split_index\":1.0", F, "split_index"},
    {"no split_index", OBLIVIOUS, "\"split_index\":2,", "", F, "split_index"},
    {"a split that is empty", NESTED, "\"split\":" SPLIT(1, "FloatFeature"), "\"split\":{}", F, "split_index"},
    {"flat_feature_index twice", OBLIVIOUS, "\"flat_feature_index\":1", "\"flat_feature_index\":0", F,
     "flat_feature_index 0"},
    {"flat_feature_index out of range", OBLIVIOUS, "\"flat_feature_index\":1", "\"flat_feature_index\":2", F,
     "flat_feature_index 2 of 2"},
    {"flat_feature_index -1", OBLIVIOUS, "\"flat_feature_index\":1", "\"flat_feature_index\":-1", F,
     "flat_feature_index"},
    {"no flat_feature_index", OBLIVIOUS, "\"flat_feature_index\":1,", "", F, "flat_feature_index"},
    {"one of both kinds", CATEGORIES, "\"flat_feature_index\":2", "\"flat_feature_index\":1", F,
     "flat_feature_index 1"},
    {"feature_index 2", OBLIVIOUS, "\"feature_index\":1", "\"feature_index\":2", F, "feature_index is not 1"},
    {"no feature_index", OBLIVIOUS, "\"feature_index\":1,", "", F, "feature_index"},
    {"no features", OBLIVIOUS, FLOATS, "\"float_features\":[]", F, "no features"},
    {"a category in front", CATEGORIES, "\"feature_index\":0,\"flat_feature_index\":2",
     "\"feature_index\":1,\"flat_feature_index\":2", F, "feature_index is not 0"},
    {"a ctr of category 1 of 1", CATEGORIES, "\"cat_feature_index\":0", "\"cat_feature_index\":1", F,
     "categorical feature 1 of 1"},
    {"a ctr of float 2 of 2", CATEGORIES, "\"float_feature_index\":1", "\"float_feature_index\":2", F,
     "float feature 2 of 2"},
    {"a ctr of a float among no floats", CATEGORIES, FLOATS, "\"float_features\":[]", F, NULL},
};

static const cb_case T7[] = {
    /* outputs and classes */
    {"two biases for one output", OBLIVIOUS, "[2,[0.5]]", "[2,[0.5,1]]", F, "2 biases for 1"},
    {"no biases", OBLIVIOUS, "[2,[0.5]]", "[2,[]]", HBS_OK, NULL},
    {"no scale", OBLIVIOUS, "[2,[0.5]]", "[]", F, "scale"},
    {"a scale alone", OBLIVIOUS, "[2,[0.5]]", "[2]", F, "scale"},
    {"three of scale and bias", OBLIVIOUS, "[2,[0.5]]", "[2,[0.5],1]", F, "scale"},
    {"two biases for three classes", CLASSES, "[0,0,0]", "[0,0]", F, "2 biases for 3"},
    {"five biases for three classes", CLASSES, "[0,0,0]", "[0,0,0,0,0]", F, "5 biases for 3"},
    {"class_to_label short", CLASSES, "[0,1,3]", "[0,1]", F, "class_to_label"},
    {"class_to_label long", CLASSES, "[0,1,3]", "[0,1,3,4]", F, "class_to_label"},
    {"class_to_label empty", CLASSES, "[0,1,3]", "[]", F, "class_to_label"},
    {"class_to_label of as many", CLASSES, "[0,1,3]", "[0,1,5]", F, "class_to_label"},
    {"class_to_label twice", CLASSES, "[0,1,3]", "[0,1,1]", F, "class_to_label"},
    {"class_to_label falls", CLASSES, "[0,1,3]", "[0,3,1]", F, "class_to_label"},
    {"class_to_label -1", CLASSES, "[0,1,3]", "[-1,1,3]", F, "class_to_label"},
    {"class_to_label a half", CLASSES, "[0,1,3]", "[0,0.5,3]", F, "class_to_label"},
    {"classes_count 2 of 3", CLASSES, "\"classes_count\":5", "\"classes_count\":2", F, "classes_count"},
    {"classes_count 3 of 3", CLASSES, "[0,1,3],\"classes_count\":5", "[0,1,2],\"classes_count\":3", HBS_OK, NULL},
    {"classes_count not given", CLASSES, "\"classes_count\":5", "\"classes_count\":0", HBS_OK, NULL},
    {"five class_names", CLASSES, "\"class_names\":[]", "\"class_names\":[1,2,3,4,5]", HBS_OK, NULL},
    {"three class_names", CLASSES, "\"class_names\":[]", "\"class_names\":[1,2,3]", F,
     "class_names has 3 labels|5 classes"},
    {"three class_names of two", BINARY, "\"no\",", "\"no\",\"maybe\",", F, "class_names has 3 labels|2 classes"},
    {"one class_name of two", BINARY, "\"no\",", "", F, "class_names has 1"},
    {"a class that is null", BINARY, "\"no\"", "null", F, "class_names"},
    {"two outputs of Logloss", BINARY, "[-1,1]", "[-1,1,2,3]", F, "Logloss with 2"},
    {"one output of MultiClass", CLASSES, "[1,2,3,4,5,6]", "[1,2]", F, NULL},
    {"one output of RMSEWithUncertainty", OBLIVIOUS, "\"RMSE\"", "\"RMSEWithUncertainty\"", F,
     "RMSEWithUncertainty with"},
    {"MultiLogloss with one output", OBLIVIOUS, "\"RMSE\"", "\"MultiLogloss\"", HBS_OK, NULL},
    {"RMSE with classes_count", CLASSES, "\"MultiClass\"", "\"RMSE\"", HBS_OK, NULL},
};

static const cb_case T8[] = {
    /* lists of other lengths */
    {"leaf_values 3 for 4", OBLIVIOUS, "[1,2,3,4]", "[1,2,3]", F, "2 splits with 3 leaf_values"},
    {"leaf_values 2 for 4", OBLIVIOUS, "[1,2,3,4]", "[1,2]", F, "2 splits with 2 leaf_values"},
    {"leaf_values 8 for 4", OBLIVIOUS, "[1,2,3,4]", "[1,2,3,4,5,6,7,8]", F, "a leaf of 1|others have 2"},
    {"no leaf_values", OBLIVIOUS, "\"leaf_values\":[1,2,3,4],", "", F, "leaf"},
    {"leaf_values []", OBLIVIOUS, "[1,2,3,4]", "[]", F, "leaf"},
    {"leaf_weights short", OBLIVIOUS, "[5,6,7,8]", "[5,6,7]", F, "3 leaf_weights"},
    {"leaf_weights long", OBLIVIOUS, "[26]", "[26,1]", F, "2 leaf_weights"},
    {"no leaf_weights", OBLIVIOUS, "\"leaf_weights\":[5,6,7,8],", "", HBS_OK, NULL},
    {"leaf_weights []", OBLIVIOUS, "[5,6,7,8]", "[]", HBS_OK, NULL},
    {"a split too many", OBLIVIOUS, "\"splits\":[", "\"splits\":[{\"split_index\":0},", F, "3 splits with 4"},
    {"splits []", OBLIVIOUS, "\"splits\":null", "\"splits\":[]", HBS_OK, NULL},
    {"a tree that is empty", OBLIVIOUS, "{\"leaf_values\":[0.25],\"leaf_weights\":[26],\"splits\":null}", "{}", F,
     "leaf"},
    {"a leaf of two", NESTED, "\"value\":2", "\"value\":[2,3]", F, "a leaf of 2"},
    {"a leaf of one in brackets", NESTED, "\"value\":2", "\"value\":[2]", HBS_OK, NULL},
    {"a leaf of none", NESTED, "\"value\":1", "\"value\":[]", F, "a leaf of 0"},
    {"buckets that shrink", CATEGORIES, "\"12\",3,4", "\"12\",3", F, "buckets of different sizes"},
    {"buckets that grow", CATEGORIES, "\"12\",3,4", "\"12\",3,4,5", F, "buckets of different sizes"},
    {"the last bucket short", CATEGORIES, ",5,6]", ",5]", F, "buckets of different sizes"},
    {"the last bucket empty", CATEGORIES, ",5,6]", "]", F, "buckets of different sizes"},
    {"the first buckets empty", CATEGORIES, "\"18446744073709551615\",3,4,\"12\",3,4,",
     "\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",", F, "without counts"},
    {"buckets without counts", CATEGORIES, ",3,4,\"12\",3,4,\"9538516831751056755\",5,6", "", F, "without counts"},
    {"hash_stride 2", CATEGORIES, "\"hash_stride\":3", "\"hash_stride\":2", F, "hash_stride is 2|3"},
    {"hash_stride 0", CATEGORIES, "\"hash_stride\":3", "\"hash_stride\":0", F, "hash_stride is 0|3"},
    {"hash_stride -1", CATEGORIES, "\"hash_stride\":3", "\"hash_stride\":-1", F, "hash_stride"},
    {"no hash_stride", CATEGORIES, ",\"hash_stride\":3", "", F, "hash_stride"},
    {"hash_map empty", CATEGORIES, "\"18446744073709551615\",3,4,\"12\",3,4,\"9538516831751056755\",5,6", "", HBS_OK,
     NULL},
    {"hash_map of the empty key", CATEGORIES, ",\"12\",3,4,\"9538516831751056755\",5,6", "", HBS_OK, NULL},
    {"a table of nothing", CATEGORIES, "\"one\":{", "\"one\":{},\"two\":{", F, "ctr 0"},
};

static const cb_case T9[] = {
    /* ctrs and their tables */
    {"no table", CATEGORIES, "\"one\":{", "\"two\":{", F, "ctr 0 has no table"},
    {"no ctr_data", CATEGORIES, "\"identifier\":\"one\"", "\"identifier\":\"\"", F, "ctr 0 has no table"},
    {"target_border_idx of as many", CATEGORIES, "\"target_border_idx\":0", "\"target_border_idx\":2", F,
     "target_border_idx 2|2 counts"},
    {"target_border_idx of the last", CATEGORIES, "\"target_border_idx\":0", "\"target_border_idx\":1", F,
     "target_border_idx 1|2 counts"},
    {"a mean of one number", CATEGORIES, "3,4,\"12\",3,4,\"9538516831751056755\",5,6],\"hash_stride\":3",
     "3,\"12\",3,\"9538516831751056755\",5],\"hash_stride\":2", F, "1 counts"},
    {"no elements", CATEGORIES, "\"elements\":", "\"element\":", F, "element"},
    {"a ctr that lacks a member", CATEGORIES, "\"scale\":15,", "", F, "ctrs|8 of the 9"},
    {"a ctr that is empty", CATEGORIES, CTR, "{}", F, "0 of the 9"},
    {"no borders", CATEGORIES, "[4.5,7]", "[]", F, "split_index 6"},
    {"an element that is empty", CATEGORIES, "\"elements\":[", "\"elements\":[{},", F, "combination_element"},
    {"an element without index", CATEGORIES, "\"cat_feature_index\":0,", "", F, "combination_element"},
    {"a float with the index of a category", CATEGORIES, "\"float_feature_index\":1", "\"cat_feature_index\":0", F,
     "combination_element"},
    {"a float without border", CATEGORIES, "{\"border\":0.25,", "{", F, "combination_element"},
    {"an element of both indices", CATEGORIES, "\"float_feature_index\":1",
     "\"cat_feature_index\":0,\"float_feature_index\":1", F, "combination_element"},
    {"an exact value", CATEGORIES,
     "\"border\":0.25,\"combination_element\":\"float_feature\",\"float_feature_index\":1",
     "\"cat_feature_index\":0,\"combination_element\":\"cat_feature_exact_value\",\"value\":-3", HBS_OK, NULL},
    {"Buckets", CATEGORIES, "\"Borders\"", "\"Buckets\"", HBS_OK, NULL},
    {"Counter", CATEGORIES, "\"Borders\"", "\"Counter\"", HBS_OK, NULL},
    {"a mean", CATEGORIES, "\"Borders\"", "\"BinarizedTargetMeanValue\"", HBS_OK, NULL},
};

static const cb_case T12[] = {
    /* nodes that are neither */
    {"no left", NESTED, "\"left\":{\"value\":1,\"weight\":3},", "", F, "left"},
    {"no right", NESTED, ",\"right\":{\"value\":3,\"weight\":3}", "", F, "right"},
    {"no split", NESTED, ",\"split\":" SPLIT(1, "FloatFeature"), "", F, "split"},
    {"a split alone", NESTED, "\"left\":{\"value\":2,\"weight\":3},\"right\":{\"value\":3,\"weight\":3},", "", F,
     "left"},
    {"a value and a split", NESTED, "\"split\":" SPLIT(2, "FloatFeature"),
     "\"split\":" SPLIT(2, "FloatFeature") ",\"value\":1", F, "or else a value"},
    {"a leaf with a split", NESTED, "{\"value\":1", "{\"split\":{\"split_index\":0},\"value\":1", F, "or else a value"},
    {"a leaf with children", NESTED, "{\"value\":1", "{\"left\":{\"value\":1},\"right\":{\"value\":1},\"value\":1", F,
     "or else a value"},
    {"a node that is empty", NESTED, "{\"value\":1,\"weight\":3}", "{}", F, "or else a value"},
    {"a weight alone", NESTED, "{\"value\":1,\"weight\":3}", "{\"weight\":3}", F, "or else a value"},
    {"a leaf without weight", NESTED, "{\"value\":1,\"weight\":3}", "{\"value\":1}", HBS_OK, NULL},
    {"a root that is null", NESTED, "\"trees\":[", "\"trees\":[null,", F, "trees"},
    {"no trees", NESTED, "\"trees\":[", "\"trees\":[],\"more\":[", F, "more"},
    {"another member", NESTED, "{\"value\":1", "{\"values\":1", F, "values"},
};

/* ------------------------------------------------------------------ large ones */

/* Memory, time and the plan's bound are checked by ht_load_bytes. */
static void check_large(const char *class_name, const char *name, mb_bytes b, int wanted, const char *words)
{
    ht_host host;
    ht_load load = {.most_plan = 16 * b.size + ((size_t)4 << 20)};

    ht_case(class_name, "%s (%zu bytes)", name, b.size);
    ht_host_init(&host);
    ht_load_bytes(&host, b.data, b.size, &load);
    ht_check(wanted == HT_ANY ? load.status == HBS_OK || load.status == L : (int)load.status == wanted, "got %s: %s",
             hbs_status_name(load.status), load.error.text);
    if (load.status != HBS_OK)
        ht_check(ht_has_words(load.error.text, words), "%s", load.error.text);
    free(b.data);
}

/* One oblivious tree of that depth. */
static mb_bytes deep(size_t depth, const char *value)
{
    char *splits = malloc(depth * 32 + 1), *p = splits;
    mb_bytes b;
    char tail[2048];

    for (size_t i = 0; i < depth; i++)
        p = stpcpy(p, i ? ",{\"split_index\":2}" : "{\"split_index\":2}");
    snprintf(tail, sizeof(tail), "%.*s],\"splits\":[%s]},{\"leaf_values\":[1", (int)strlen(value) - 1, value, splits);
    b = replaced(OBLIVIOUS,
                 "{\"leaf_values\":[1,2,3,4],\"leaf_weights\":[5,6,7,8],\"splits\":[" SPLIT(
                     0, "FloatFeature") "," SPLIT(2, "FloatFeature") "]},{\"leaf_values\":[0.25",
                 "{\"leaf_values\":[", value, ((size_t)1 << depth) - 1, tail);
    free(splits);
    return b;
}

/* A ctr table of `n` keys; tables of one key each. */
static mb_bytes keys(size_t n)
{
    size_t room = n * 40 + 1;
    char *text = malloc(room), *p = text;
    mb_bytes b;

    for (size_t i = 0; i < n; i++)
        p += sprintf(p, ",\"%llu\",%zu,%zu", (unsigned long long)(0x9e3779b97f4a7c15u * (i + 1) | 1u << 31), i % 90,
                     i % 70);
    b = replaced(CATEGORIES, ",5,6]", ",5,6", text, 1, "]");
    free(text);
    return b;
}

static mb_bytes tables(size_t n)
{
    char *text = malloc(n * 64 + 1), *p = text;
    mb_bytes b;

    for (size_t i = 0; i < n; i++)
        p += sprintf(p, "\"t%zu\":{\"hash_map\":[\"7\",1,2],\"hash_stride\":3},", i);
    b = replaced(CATEGORIES, "\"ctr_data\":{", "\"ctr_data\":{", text, 1, "");
    free(text);
    return b;
}

/* `n` ctrs of one table that differ in their shift. */
static mb_bytes ctrs(size_t n)
{
    const char *shift = strstr(CTR, "\"shift\":0") + 8;
    char *text = malloc(n * (sizeof(CTR) + 16) + 1), *p = text;
    mb_bytes b;

    for (size_t i = 0; i < n; i++)
        p += sprintf(p, "%.*s%zu%s,", (int)(shift - CTR), CTR, i + 1, shift + 1);
    b = replaced(CATEGORIES, "\"ctrs\":[", "\"ctrs\":[", text, 1, "");
    free(text);
    return b;
}

/* A nested tree that goes down to one side. */
static mb_bytes chain(size_t depth)
{
    static const char LEVEL[] = "{\"split\":{\"split_index\":2},\"left\":{\"value\":1},\"right\":";
    char *tail = malloc(depth + 32);
    mb_bytes b;

    strcpy(tail, "{\"value\":2}");
    memset(tail + strlen(tail), '}', depth);
    memcpy(tail + 11 + depth, ",", 2);
    b = replaced(NESTED, "\"trees\":[", "\"trees\":[", LEVEL, depth, tail);
    free(tail);
    return b;
}

static mb_bytes oblivious(size_t n)
{
    return replaced(OBLIVIOUS, "\"oblivious_trees\":[", "\"oblivious_trees\":[",
                    "{\"leaf_values\":[-0.029999999999999999,0.29999999999999999],\"leaf_weights\":"
                    "[171,149],\"splits\":[" SPLIT(1, "FloatFeature") "]},",
                    n, "");
}

/* `n` trees of `depth` levels, of which nodes take the most bytes beside their text. */
static mb_bytes forest(size_t depth, size_t n)
{
    size_t leaves = (size_t)1 << depth;
    char *tree = malloc(leaves * 24 + depth * 72 + 64), *p = stpcpy(tree, "{\"leaf_values\":[");
    mb_bytes b;

    for (size_t i = 0; i < leaves; i++)
        p += sprintf(p, "%s%.17g", i ? "," : "", 0.01 * ((double)i - 7.3));
    p = stpcpy(p, "],\"splits\":[");
    for (size_t i = 0; i < depth; i++)
        p = stpcpy(p, i ? "," SPLIT(1, "FloatFeature") : SPLIT(1, "FloatFeature"));
    strcpy(p, "]},");
    b = replaced(OBLIVIOUS, "\"oblivious_trees\":[", "\"oblivious_trees\":[", tree, n, "");
    free(tree);
    return b;
}

static void test_large(void)
{
    check_large("T11", "a chain of 61", chain(61), HBS_OK, NULL);
    check_large("T11", "a chain of 62", chain(62), L, "deep");
    check_large("T11", "a chain of 100,000", chain(100000), L, "deep");
    check_large("T11", "25 splits", replaced(OBLIVIOUS, "\"splits\":[", "\"splits\":[", "{\"split_index\":0},", 23, ""),
                L, "25 splits|limit");
    check_large("T11", "24 splits", replaced(OBLIVIOUS, "\"splits\":[", "\"splits\":[", "{\"split_index\":0},", 22, ""),
                F, "24 splits");
    check_large("T11", "10^6 splits",
                replaced(OBLIVIOUS, "\"splits\":[", "\"splits\":[", "{\"split_index\":0},", 1000000, ""), L, "splits");
    check_large("T11", "12 levels as CatBoost writes them", deep(12, "-0.029999999999999999,"), HBS_OK, NULL);
    check_large("T11", "16 levels as short as can be", deep(16, "0,"), HT_ANY, NULL);
    check_large("T11", "trees of 6 levels as CatBoost writes them", forest(6, LARGE / 50), HBS_OK, NULL);
    check_large("T11", "trees of 10 levels as CatBoost writes them", forest(10, LARGE / 800), HBS_OK, NULL);
    check_large(
        "T11", "trees of one leaf",
        replaced(OBLIVIOUS, "\"oblivious_trees\":[", "\"oblivious_trees\":[", "{\"leaf_values\":[0]},", LARGE, ""),
        HT_ANY, NULL);
    check_large("T11", "nested trees of one leaf",
                replaced(NESTED, "\"trees\":[", "\"trees\":[", "{\"value\":0},", LARGE, ""), HT_ANY, NULL);
    check_large("T11", "trees of one split as CatBoost writes them", oblivious(LARGE / 4), HBS_OK, NULL);
    check_large("T11", "no trees",
                replaced(OBLIVIOUS, "\"oblivious_trees\":[", "\"oblivious_trees\":[],\"model_info\":[", "", 0, ""), F,
                "duplicate");
    check_large("W12", "a table of many keys", keys(LARGE / 2), HBS_OK, NULL);
    check_large("W12", "a table of the empty key",
                replaced(CATEGORIES, ",5,6]", ",5,6", ",\"18446744073709551615\",0,0", LARGE, "]"), HBS_OK, NULL);
    check_large("W12", "60,000 tables", tables(60000), HBS_OK, NULL);
    check_large("W12", "70,000 tables", tables(70000), L, "members");
    check_large("W12", "many ctrs of one table", ctrs(LARGE / 50), HBS_OK, NULL);
    check_large("W12", "many elements of a ctr",
                replaced(CATEGORIES, "\"elements\":[", "\"elements\":[",
                         "{\"cat_feature_index\":0,\"combination_element\":\"cat_feature_value\"},", LARGE, ""),
                L, "elements");
    check_large("W12", "64 elements",
                replaced(CATEGORIES, "\"elements\":[", "\"elements\":[",
                         "{\"cat_feature_index\":0,\"combination_element\":\"cat_feature_value\"},", 62, ""),
                HBS_OK, NULL);
    check_large("W12", "many one-hot values", replaced(CATEGORIES, "[-3", "[", "7,", 300000, "-3"), L, "limit");
    check_large("W12", "many borders", replaced(OBLIVIOUS, "[0.5,", "[", "1,", LARGE, ""), HT_ANY, NULL);
    check_large("W12", "class_names", replaced(BINARY, "\"no\"", "", "0,", 100000, "1"), L, "memory");
    check_large("W12", "a wide leaf", replaced(NESTED, "\"value\":1", "\"value\":[", "1,", 65536, "1]"), F,
                "a leaf of 65537");
}

static const char NO_TREES[] =
    "{\"features_info\":{" FLOATS "}," LOSS("RMSE") "},"
                                                    "\"oblivious_trees\":%s,\"scale_and_bias\":[1,[0";

/* A model without trees is its biases. */
static void check_bias(const char *trees, size_t n, int wanted, const char *words)
{
    mb_bytes b = {malloc(sizeof(NO_TREES) + 2 * n + 16), 0};
    char *p = b.data + sprintf(b.data, NO_TREES, trees), name[64];

    for (size_t i = 1; i < n; i++)
        p = stpcpy(p, ",1");
    b.size = (size_t)(stpcpy(p, "]]}") - b.data);
    snprintf(name, sizeof(name), "no trees (%s), %zu biases", trees, n);
    check_large("T11", name, b, wanted, words);
}

/* `n` trees of one leaf, and 65,536 classes of which three have data. */
static void test_many_classes(size_t n)
{
    mb_bytes b =
        replaced(CLASSES, "\"oblivious_trees\":[", "\"oblivious_trees\":[", "{\"leaf_values\":[1,2,3]},", n, "");
    char *at = strstr(b.data, "\"classes_count\":5");
    mb_bytes wide = {malloc(b.size + 5), b.size + 4};
    size_t head = (size_t)(at - b.data) + 16;

    memcpy(wide.data, b.data, head);
    memcpy(wide.data + head, "65536", 5);
    memcpy(wide.data + head + 5, b.data + head + 1, b.size - head - 1);
    free(b.data);
    ht_case("W12", "65,536 classes, %zu trees", n);
    check_case(wide, NULL, L, "memory");
}

/* ------------------------------------------------------------------ golden models */

static const struct {
    const char *name, *options;
} GOLDENS[] = {
    {"tie_12", NULL},
    {"tie_multiclass_12", NULL},
    {"depthwise_values_12", NULL},
    {"lossguide_one_leaf_12", NULL},
    {"one_hot_integers_12", NULL},
    {"one_hot_multiclass_12", NULL},
    {"ctr_counter_12", NULL},
    {"ctr_mean_12", NULL},
    {"ctr_borders_several_12", NULL},
    {"ctr_depthwise_12", NULL},
    {"classes_count_12", NULL},
    {"multiclass_020", NULL},
    {"summed_12", "{\"rounds\":1}"},
    {"ctr_floats_12", NULL},
};

static mb_bytes read_golden(const char *name)
{
    char path[256];

    snprintf(path, sizeof(path), "test/golden/catboost/%s.json", name);
    return ht_read_file(path);
}

static void test_prefixes(const char *name, mb_bytes b)
{
    for (size_t n = 0; n < b.size; n += n < 64 ? 1 : CUT_STEP) {
        char *prefix = copy_of(b.data, n);
        hbs_error error = {0};
        hbs_status status;

        ht_case("W1", "%s, the first %zu of %zu bytes", name, n, b.size);
        status = ht_try(prefix, n, NULL, &error);
        ht_check(status == F && error.offset <= n, "got %s, offset %zu: %s", hbs_status_name(status), error.offset,
                 error.text);
        free(prefix);
    }
}

/* Whatever the bytes say now: an error in words, or a model that scores; ht_try checks all that. */
static void test_changes(const char *name, mb_bytes b, const char *options, int change)
{
    size_t loaded = 0;

    ht_case("W7", "%s, every %dth byte, %s %d", name, BYTE_STEP, change < 8 ? "flipped bit" : "set to",
            change < 8    ? change
            : change == 8 ? '"'
                          : '9');
    for (size_t i = (size_t)change % BYTE_STEP; i < b.size && ht_ok(); i += BYTE_STEP) {
        char kept = b.data[i];
        hbs_error error = {0};
        hbs_status status;

        b.data[i] = change < 8 ? (char)(kept ^ (1 << change)) : change == 8 ? '"' : '9';
        status = ht_try(b.data, b.size, options, &error);
        ht_check(status != HBS_E_NOMEM && status != HBS_E_CANCEL, "byte %zu: %s", i, error.text);
        if (!ht_ok())
            printf("  at byte %zu\n", i);
        loaded += status == HBS_OK;
        b.data[i] = kept;
    }
    ht_check(loaded < b.size / BYTE_STEP, "every change loads");
}

/* ------------------------------------------------------------------ R1, R2 */

static void test_gap(const char *name, mb_bytes b)
{
    hbs_status status = ht_life_gap(name, b);

    ht_check(status == HBS_OK || status == L, "%s", hbs_status_name(status));
    free(b.data);
}

static size_t cancel_large(const char *name, mb_bytes b)
{
    size_t n = ht_life_cancel(name, b, NULL, 4);

    free(b.data);
    return n;
}

int main(void)
{
    size_t points = 0, polls = 0;

    RUN("W13", WHOLE);
    RUN("W4", W4);
    RUN("W6", W6);
    RUN("W6", SHARED);
    test_sums();
    RUN("W7", W7);
    RUN("W10", W10);
    RUN("W14", W14);
    RUN("T6", T6);
    RUN("T7", T7);
    RUN("T8", T8);
    RUN("T9", T9);
    RUN("T12", T12);
    test_large();
    check_bias("[]", 1, HBS_OK, NULL);
    check_bias("null", 3, HBS_OK, NULL);
    check_bias("[]", 65536, HBS_OK, NULL);
    check_bias("[]", 65537, L, "65537 outputs");
    test_many_classes(4000);
    for (size_t i = 0; i < HT_COUNT(GOLDENS); i++) {
        mb_bytes b = read_golden(GOLDENS[i].name);

        test_prefixes(GOLDENS[i].name, b);
        for (int change = 0; change < 10; change++)
            test_changes(GOLDENS[i].name, b, GOLDENS[i].options, change);
        points += ht_life_failures(GOLDENS[i].name, b, GOLDENS[i].options, false);
        points += ht_life_failures(GOLDENS[i].name, b, GOLDENS[i].options, true);
        polls += ht_life_cancel(GOLDENS[i].name, b, GOLDENS[i].options, 1);
        free(b.data);
    }
    polls += cancel_large("many trees", oblivious(3000));
    polls += cancel_large("a deep tree", deep(12, "0.5,"));
    polls += cancel_large("a table of many keys", keys(20000));
    polls += cancel_large("many tables", tables(3000));
    polls += cancel_large("many ctrs", ctrs(500));
    printf("R1: %zu points where memory ran out\nR2: %zu points where the host said stop\n", points, polls);
    test_gap("many trees", oblivious(LARGE));
    test_gap("deep trees", forest(10, LARGE / 800));
    test_gap("a table of many keys", keys(LARGE));
    test_gap("many tables", tables(60000));
    test_gap("many ctrs", ctrs(LARGE / 100));
    return ht_report();
}
