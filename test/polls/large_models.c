/* large_models.c - see large_models.h. A loop over a million items that never polls must show: each model has about as
 * many. */
#include "large_models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostile/lightgbm_builder.h"
#include "large_onnx.h"
#include "large_own.h"
#include "large_texts.h"
#include "large_writer.h"

enum { MILLION = 1000000 };

/* ------------------------------------------------------------------ XGBoost */

static mb_bytes xgboost_of(mb_model *m, mb_encoding encoding)
{
    mb_bytes b = mb_write(m, encoding);

    mb_free(m);
    return b;
}

static mb_bytes xgboost_complete(mb_encoding encoding)
{
    mb_model *m = mb_make(MB_REGRESSION);

    mb_set_complete(m, 16);
    return xgboost_of(m, encoding);
}

static mb_bytes xgboost_stumps(size_t n, mb_encoding encoding)
{
    mb_model *m = mb_make(MB_REGRESSION);

    mb_set_stumps(m, n);
    return xgboost_of(m, encoding);
}

static mb_bytes xgboost_edited(mb_sample sample, const char *before, const char *format, size_t n, const char *after,
                               mb_encoding encoding)
{
    text t;
    FILE *f = text_begin(&t);

    fputs(before, f);
    put_counted(f, format, ",", n);
    fputs(after, f);
    mb_bytes edit = text_end(&t), b = mb_edited(sample, edit.data, encoding);

    free(edit.data);
    return b;
}

static mb_bytes json_complete(void)
{
    return xgboost_complete(MB_JSON);
}

static mb_bytes ubjson_complete(void)
{
    return xgboost_complete(MB_UBJSON);
}

static mb_bytes json_stumps(void)
{
    return xgboost_stumps(30000, MB_JSON);
}

static mb_bytes ubjson_stumps(void)
{
    return xgboost_stumps(10000, MB_UBJSON);
}

/* Weights of gblinear and names for as many features. */
static mb_bytes json_linear(void)
{
    enum { N = 250000 };
    text t;
    FILE *f = text_begin(&t);

    fprintf(f, "P.num_feature = \"%d\"\n-L.feature_names\n-L.feature_types\n!M.weights = [", N);
    put_list(f, "0.5", N + 1);
    fputs("]", f);
    mb_bytes edit = text_end(&t), b = mb_edited(MB_LINEAR, edit.data, MB_JSON);

    free(edit.data);
    return b;
}

static mb_bytes json_names(void)
{
    enum { N = 200000 };
    text t;
    FILE *f = text_begin(&t);

    fprintf(f, "P.num_feature = \"%d\"\n!L.feature_names = [", N);
    put_counted(f, "\"feature %zu\"", ",", N);
    fputs("]\n-L.feature_types", f);
    mb_bytes edit = text_end(&t), b = mb_edited(MB_BINARY, edit.data, MB_JSON);

    free(edit.data);
    return b;
}

static mb_bytes json_space(void)
{
    mb_bytes b = mb_edited(MB_REGRESSION, NULL, MB_JSON);
    const size_t more = 16 * MILLION;
    char *bytes = malloc(b.size + more);

    if (!bytes)
        exit(2);
    bytes[0] = b.data[0];
    memset(bytes + 1, ' ', more);
    memcpy(bytes + 1 + more, b.data + 1, b.size - 1);
    free(b.data);
    return (mb_bytes){bytes, b.size + more};
}

static mb_bytes json_without_effect(void)
{
    return xgboost_edited(MB_REGRESSION, "!O.reg_loss_param = {\"x\":[", "{}", 2 * MILLION, "]}", MB_JSON);
}

static mb_bytes json_long_text(void)
{
    return xgboost_edited(MB_REGRESSION, "!O.reg_loss_param = {\"x\":\"", "aaaaaaa", 2 * MILLION, "\"}", MB_JSON);
}

/* Stored categories of feature 0: texts with an equal beginning. */
static mb_bytes xgboost_categories(size_t n, mb_encoding encoding)
{
    enum { SIZE = 8 };
    char word[SIZE + 16];
    text t;
    FILE *f = text_begin(&t);

    fputs("M.cats.enc[0].offsets = [0", f);
    for (size_t i = 1; i <= n; i++)
        fprintf(f, ",%zu", i * SIZE);
    fputs("]\nM.cats.enc[0].values = [", f);
    for (size_t i = 0; i < n; i++) {
        snprintf(word, sizeof word, "ab%06zu", i * 7919 % n);
        for (size_t k = 0; k < SIZE; k++)
            fprintf(f, "%s%d", i || k ? "," : "", word[k]);
    }
    fputs("]", f);
    mb_bytes edit = text_end(&t), b = mb_edited(MB_CATEGORIES, edit.data, encoding);

    free(edit.data);
    return b;
}

static char *unseen_is_missing(void)
{
    return strdup("{\"on_unseen\":\"missing\"}");
}

static mb_bytes json_categories(void)
{
    return xgboost_categories(300000, MB_JSON);
}

static mb_bytes ubjson_categories(void)
{
    return xgboost_categories(100000, MB_UBJSON);
}

/* Names of 1 MB that differ in their last letters. */
static mb_bytes json_long_names(void)
{
    enum { N = 20 };
    text t;
    FILE *f = text_begin(&t);
    char *same = malloc(MILLION + 1);

    if (!same)
        exit(2);
    memset(same, 'a', MILLION);
    same[MILLION] = '\0';
    fprintf(f, "P.num_feature = \"%d\"\n!L.feature_names = [", N);
    for (size_t i = 0; i < N; i++)
        fprintf(f, "%s\"%s%02zu\"", i ? "," : "", same, i * 7 % N);
    fputs("]\n-L.feature_types", f);
    free(same);
    mb_bytes edit = text_end(&t), b = mb_edited(MB_BINARY, edit.data, MB_JSON);

    free(edit.data);
    return b;
}

/* New names for many features: options of 256 KiB. */
static mb_bytes json_unnamed(void)
{
    return mb_edited(MB_REGRESSION, "P.num_feature = \"20000\"", MB_JSON);
}

static char *many_names(void)
{
    text t;
    FILE *f = text_begin(&t);

    fputs("{\"features\":[", f);
    put_counted(f, "\"name%zu\"", ",", 20000);
    fputs("]}", f);
    return text_end(&t).data;
}

/* ------------------------------------------------------------------ LightGBM */

static mb_bytes lightgbm_balanced(void)
{
    return lb_balanced(200000, true);
}

static mb_bytes lightgbm_chain(void)
{
    return lb_chain(1000, true);
}

static mb_bytes lightgbm_stumps(void)
{
    return lb_stumps(200000);
}

static mb_bytes lightgbm_set(void)
{
    return lb_large_set(MILLION);
}

static mb_bytes lightgbm_leaf(void)
{
    return lb_long_leaf(60000);
}

static mb_bytes lightgbm_names(void)
{
    enum { N = 100000 };
    text t;
    FILE *f = text_begin(&t);

    fprintf(f,
            "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=%d\n"
            "objective=regression\nfeature_names=",
            N - 1);
    put_counted(f, "feature_%zu", " ", N);
    fputs("\nfeature_infos=", f);
    for (size_t i = 0; i < N; i++)
        fputs(i ? " none" : "none", f);
    fputs("\n\nTree=0\nnum_leaves=1\nleaf_value=1\n\n\nend of trees\n\nfeature_importances:\n\nparameters:\n"
          "end of parameters\n\npandas_categorical:null\n",
          f);
    return text_end(&t);
}

/* ------------------------------------------------------------------ CatBoost */

#define CATBOOST_FLOAT                                                                                              \
    "\"float_features\":[{\"borders\":[0.5,1.5],\"feature_id\":\"a\",\"feature_index\":0,\"flat_feature_index\":0," \
    "\"has_nans\":true,\"nan_value_treatment\":\"AsFalse\"}]"
#define CATBOOST_INFO "\"model_info\":{\"params\":{\"loss_function\":{\"params\":{},\"type\":\"RMSE\"}}}"

static mb_bytes catboost_trees(size_t depth, size_t n)
{
    text t;
    FILE *f = text_begin(&t);

    fputs("{\"features_info\":{" CATBOOST_FLOAT "}," CATBOOST_INFO ",\"oblivious_trees\":[", f);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ",{\"leaf_values\":[" : "{\"leaf_values\":[", f);
        put_list(f, "-0.029999999999999999", (size_t)1 << depth);
        fputs("],\"splits\":[", f);
        put_list(f, "{\"split_index\":1}", depth);
        fputs("]}", f);
    }
    fputs("],\"scale_and_bias\":[1,[0]]}", f);
    return text_end(&t);
}

static mb_bytes catboost_deep(void)
{
    return catboost_trees(16, 8);
}

static mb_bytes catboost_many(void)
{
    return catboost_trees(1, 60000);
}

static mb_bytes catboost_borders(void)
{
    enum { N = 600000 };
    text t;
    FILE *f = text_begin(&t);

    fputs("{\"features_info\":{\"float_features\":[{\"borders\":[", f);
    put_counted(f, "%zu.500000000000", ",", N);
    fputs("],\"feature_id\":\"a\",\"feature_index\":0,\"flat_feature_index\":0,\"has_nans\":true,"
          "\"nan_value_treatment\":\"AsFalse\"}]}," CATBOOST_INFO ",\"oblivious_trees\":[{\"leaf_values\":[0,1],"
          "\"splits\":[{\"split_index\":7}]}],\"scale_and_bias\":[1,[0]]}",
          f);
    return text_end(&t);
}

/* One table of many keys, read by one ctr; or many ctrs. */
static mb_bytes catboost_tables(size_t n_keys, size_t n_ctrs)
{
    text t;
    FILE *f = text_begin(&t);

    fputs("{\"ctr_data\":{\"one\":{\"counter_denominator\":0,\"hash_map\":[", f);
    for (size_t i = 0; i < n_keys; i++)
        fprintf(f, "%s\"%llu\",%zu,%zu", i ? "," : "", 0x9e3779b97f4a7c15ull * (i + 1), i % 90, i % 70);
    fputs("],\"hash_stride\":3}},\"features_info\":{\"cat_features_hash\":[],\"categorical_features\":[{\"feature_id\":"
          "\"c\",\"feature_index\":0,\"flat_feature_index\":1,\"values\":[]}],\"ctrs\":[",
          f);
    for (size_t i = 0; i < n_ctrs; i++)
        fprintf(f,
                "%s{\"borders\":[4.5],\"ctr_type\":\"Borders\",\"elements\":[{\"cat_feature_index\":0,"
                "\"combination_element\":\"cat_feature_value\"}],\"identifier\":\"one\",\"prior_denomerator\":1,"
                "\"prior_numerator\":0.5,\"scale\":15,\"shift\":%zu,\"target_border_idx\":0}",
                i ? "," : "", i);
    fputs("]," CATBOOST_FLOAT "}," CATBOOST_INFO ",\"oblivious_trees\":[{\"leaf_values\":[1,2],"
          "\"splits\":[{\"split_index\":2}]}],\"scale_and_bias\":[1,[0]]}",
          f);
    return text_end(&t);
}

static mb_bytes catboost_keys(void)
{
    return catboost_tables(300000, 1);
}

static mb_bytes catboost_ctrs(void)
{
    return catboost_tables(10, 20000);
}

#define MODEL(the_format, the_name, the_make, ...)                              \
    {                                                                           \
        .format = the_format, .name = the_name, .make = the_make, ##__VA_ARGS__ \
    }

#define TEXT(the_name, the_make, the_value) \
    MODEL("own-text", the_name, the_make, .rows = 1, .text = 1, .make_value = the_value)

const large_model LARGE_MODELS[] = {
    MODEL("xgboost-json", "a tree of 65,536 leaves", json_complete, .all = true),
    MODEL("xgboost-ubjson", "a tree of 65,536 leaves", ubjson_complete),
    MODEL("xgboost-json", "30,000 trees", json_stumps, .all = true, .rows = 1024),
    MODEL("xgboost-ubjson", "10,000 trees", ubjson_stumps),
    MODEL("xgboost-json", "250,000 weights", json_linear),
    MODEL("xgboost-json", "200,000 names", json_names, .json_row = true),
    MODEL("xgboost-json", "20 names of 1 MB", json_long_names),
    MODEL("xgboost-json", "300,000 categories", json_categories, .options = unseen_is_missing, .text = 1,
          .value = "ab000007"),
    MODEL("xgboost-ubjson", "100,000 categories", ubjson_categories, .options = unseen_is_missing, .text = 1,
          .value = "ab000007"),
    MODEL("xgboost-json", "16 MB of white space", json_space),
    MODEL("xgboost-json", "2,000,000 members without effect", json_without_effect),
    MODEL("xgboost-json", "a text of 16 MB", json_long_text),
    MODEL("xgboost-json", "options of 256 KiB", json_unnamed, .options = many_names),
    MODEL("lightgbm", "a tree of 200,000 leaves", lightgbm_balanced, .all = true),
    MODEL("lightgbm", "a chain of 1,000 leaves", lightgbm_chain, .all = true),
    MODEL("lightgbm", "200,000 trees", lightgbm_stumps, .all = true, .rows = 256),
    MODEL("lightgbm", "a set of 1,000,000 words", lightgbm_set, .all = true),
    MODEL("lightgbm", "a leaf of 60,000 terms", lightgbm_leaf),
    MODEL("lightgbm", "100,000 names", lightgbm_names),
    MODEL("catboost", "8 trees of 16 levels", catboost_deep, .all = true),
    MODEL("catboost", "60,000 trees", catboost_many, .all = true, .rows = 1024),
    MODEL("catboost", "600,000 borders", catboost_borders),
    MODEL("catboost", "a table of 300,000 keys", catboost_keys, .text = 2, .value = "one"),
    MODEL("catboost", "20,000 ctrs", catboost_ctrs, .rows = 512, .text = 2, .value = "one"),
    MODEL("onnx", "20,000 nodes", onnx_chain),
    MODEL("onnx", "60,000 trees", onnx_trees, .all = true, .rows = 256),
    MODEL("onnx", "300,000 keys", onnx_keys, .text = 1, .value = "key 000007"),
    MODEL("onnx", "1,000,000 weights", onnx_weights, .rows = 256),
    MODEL("onnx", "60,000 words", onnx_words, .rows = 64, .text = 1, .value = "word000007 word059999 other"),
    MODEL("own", "60,000 weights", own_linear_wide, .golden = true),
    MODEL("own", "100,000 weights of a million", own_sparse, .rows = 256),
    MODEL("own", "4,096 classes", own_classes),
    MODEL("own", "1,000,000 trees of a leaf", own_stumps, .all = true, .rows = 16),
    MODEL("own", "300,000 trees", own_small_trees, .all = true, .rows = 64),
    MODEL("own", "a tree of 1,048,576 leaves", own_tree, .all = true),
    MODEL("own", "32,200 tests", own_distinct, .all = true),
    MODEL("own", "tests of 32,200 features", own_distinct_features, .all = true),
    MODEL("own", "20,000 trees that share 4,096 numbers", own_shared, .all = true, .rows = 1),
    MODEL("own", "250,000 features", own_features),
    MODEL("own", "250,000 features, of which 30,000 matter", own_alternating, .rows = 64),
    MODEL("own", "more nodes than the limit", own_limit, .status = HBS_E_LIMIT),
    MODEL("own", "300,000 numbers that are categories", own_numbers),
    MODEL("own", "300,000 texts that are categories", own_texts, .text = 1,
          .value = "a category with a name of more letters 000007"),
    MODEL("own", "sums of 300,000 categories", own_picked),
    MODEL("own", "two times 1,000,000 categories, half of which go", own_dropped_categories),
    MODEL("own", "2,000 sums of 1,000 columns, half of which go", own_dropped_sums, .rows = 64),
    MODEL("own", "65,536 columns", own_wide, .rows = 64),
    MODEL("own", "4,096 steps one behind the other", own_affine_chain),
    MODEL("own", "4,096 selections one behind the other", own_view_chain),
    MODEL("own", "4,096 sums one behind the other", own_linear_chain),
    MODEL("own", "4,094 steps side by side", own_side_by_side),
    MODEL("own", "64,000 columns of 16 concats", own_concats, .rows = 64),
    MODEL("own", "the median of 65,536 numbers", own_median, .rows = 2),
    MODEL("own", "a path through 256 of 512 vectors", own_path, .rows = 2),
    MODEL("own", "2,048 Bessel functions of the order 1,024", own_bessel, .rows = 64),
    TEXT("words of a text of 1 MB", texts_words, value_words),
    TEXT("a word of 1 MB", texts_words, value_letters),
    TEXT("characters of a text of 1 MB", texts_characters, value_one_letter),
    TEXT("characters inside words of a text of 1 MB", texts_in_words, value_words),
    TEXT("terms of long words", texts_long_terms, value_long_words),
    TEXT("an expression in a text of 1 MB", texts_pattern, value_words),
    TEXT("JSON of 60,000 members", json_members, value_members),
    TEXT("JSON with one name", json_members, value_replaced),
    TEXT("JSON with a list of 100,000 texts", json_members, value_list),
    TEXT("JSON of 300,000 texts", json_texts, value_empty_texts),
    TEXT("JSON of pairs of long texts", json_pairs, value_pairs),
};
const size_t N_LARGE_MODELS = sizeof LARGE_MODELS / sizeof LARGE_MODELS[0];
