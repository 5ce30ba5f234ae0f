/* large_models.c - see large_models.h. A loop over a million items that never polls must show: each model has about as
 * many. */
#include "large_models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostile/lightgbm_builder.h"
#include "large_onnx.h"

enum { MILLION = 1000000 };

/* ------------------------------------------------------------------ texts */

typedef struct text {
    FILE *file;
    char *bytes;
    size_t size;
} text;

static FILE *begin(text *t)
{
    t->file = open_memstream(&t->bytes, &t->size);
    if (!t->file)
        exit(2);
    return t->file;
}

static mb_bytes end(text *t)
{
    fclose(t->file);
    return (mb_bytes){t->bytes, t->size};
}

/* `piece` n times, with commas between. */
static void put_list(FILE *f, const char *piece, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i)
            fputc(',', f);
        fputs(piece, f);
    }
}

/* `format` of 0, 1, .. with `between` between. */
static void put_counted(FILE *f, const char *format, const char *between, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fputs(i ? between : "", f);
        fprintf(f, format, i);
    }
}

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
    FILE *f = begin(&t);

    fputs(before, f);
    put_counted(f, format, ",", n);
    fputs(after, f);
    mb_bytes edit = end(&t), b = mb_edited(sample, edit.data, encoding);

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
    FILE *f = begin(&t);

    fprintf(f, "P.num_feature = \"%d\"\n-L.feature_names\n-L.feature_types\n!M.weights = [", N);
    put_list(f, "0.5", N + 1);
    fputs("]", f);
    mb_bytes edit = end(&t), b = mb_edited(MB_LINEAR, edit.data, MB_JSON);

    free(edit.data);
    return b;
}

static mb_bytes json_names(void)
{
    enum { N = 200000 };
    text t;
    FILE *f = begin(&t);

    fprintf(f, "P.num_feature = \"%d\"\n!L.feature_names = [", N);
    put_counted(f, "\"feature %zu\"", ",", N);
    fputs("]\n-L.feature_types", f);
    mb_bytes edit = end(&t), b = mb_edited(MB_BINARY, edit.data, MB_JSON);

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
    FILE *f = begin(&t);

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
    mb_bytes edit = end(&t), b = mb_edited(MB_CATEGORIES, edit.data, encoding);

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
    FILE *f = begin(&t);
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
    mb_bytes edit = end(&t), b = mb_edited(MB_BINARY, edit.data, MB_JSON);

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
    FILE *f = begin(&t);

    fputs("{\"features\":[", f);
    put_counted(f, "\"name%zu\"", ",", 20000);
    fputs("]}", f);
    return end(&t).data;
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
    FILE *f = begin(&t);

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
    return end(&t);
}

/* ------------------------------------------------------------------ CatBoost */

#define CATBOOST_FLOAT                                                                                              \
    "\"float_features\":[{\"borders\":[0.5,1.5],\"feature_id\":\"a\",\"feature_index\":0,\"flat_feature_index\":0," \
    "\"has_nans\":true,\"nan_value_treatment\":\"AsFalse\"}]"
#define CATBOOST_INFO "\"model_info\":{\"params\":{\"loss_function\":{\"params\":{},\"type\":\"RMSE\"}}}"

static mb_bytes catboost_trees(size_t depth, size_t n)
{
    text t;
    FILE *f = begin(&t);

    fputs("{\"features_info\":{" CATBOOST_FLOAT "}," CATBOOST_INFO ",\"oblivious_trees\":[", f);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ",{\"leaf_values\":[" : "{\"leaf_values\":[", f);
        put_list(f, "-0.029999999999999999", (size_t)1 << depth);
        fputs("],\"splits\":[", f);
        put_list(f, "{\"split_index\":1}", depth);
        fputs("]}", f);
    }
    fputs("],\"scale_and_bias\":[1,[0]]}", f);
    return end(&t);
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
    FILE *f = begin(&t);

    fputs("{\"features_info\":{\"float_features\":[{\"borders\":[", f);
    put_counted(f, "%zu.500000000000", ",", N);
    fputs("],\"feature_id\":\"a\",\"feature_index\":0,\"flat_feature_index\":0,\"has_nans\":true,"
          "\"nan_value_treatment\":\"AsFalse\"}]}," CATBOOST_INFO ",\"oblivious_trees\":[{\"leaf_values\":[0,1],"
          "\"splits\":[{\"split_index\":7}]}],\"scale_and_bias\":[1,[0]]}",
          f);
    return end(&t);
}

/* One table of many keys, read by one ctr; or many ctrs. */
static mb_bytes catboost_tables(size_t n_keys, size_t n_ctrs)
{
    text t;
    FILE *f = begin(&t);

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
    return end(&t);
}

static mb_bytes catboost_keys(void)
{
    return catboost_tables(300000, 1);
}

static mb_bytes catboost_ctrs(void)
{
    return catboost_tables(10, 20000);
}

/* ------------------------------------------------------------------ hbscore's own format */

static void put_base64(FILE *f, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < n; i += 3) {
        uint32_t bits =
            (uint32_t)bytes[i] << 16 | (i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0) | (i + 2 < n ? bytes[i + 2] : 0);

        putc_unlocked(digits[bits >> 18], f);
        putc_unlocked(digits[bits >> 12 & 63], f);
        putc_unlocked(i + 1 < n ? digits[bits >> 6 & 63] : '=', f);
        putc_unlocked(i + 2 < n ? digits[bits & 63] : '=', f);
    }
}

/* {"dtype":..,"shape":[..],"data":..} of `size` bytes; NULL: zeros. */
static void put_array(FILE *f, const char *name, const char *dtype, const char *shape, const void *bytes, size_t size)
{
    uint8_t *zeros = bytes ? NULL : calloc(size + 1, 1);

    fprintf(f, "\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data\":\"", name, dtype, shape);
    put_base64(f, bytes ? bytes : zeros, size);
    fputs("\"}", f);
    free(zeros);
}

static void put_numbers(FILE *f, const char *name, const char *dtype, size_t item_size, size_t n, const void *items)
{
    char shape[24];

    snprintf(shape, sizeof shape, "%zu", n);
    put_array(f, name, dtype, shape, items, n * item_size);
}

#define OWN_HEAD(task) "{\"hbscore\":1,\"writer\":{},\"task\":\"" task "\",\"features\":["

/* How the trees of own_preorder differ. */
typedef struct preorder {
    size_t n_trees;
    uint32_t levels;
    bool distinct;   /* no two tests are equal */
    size_t width;    /* numbers of a leaf, which all leaves share; 1: each adds to the one output */
    size_t features; /* one after the other is tested */
} preorder;

static void put_thresholds(FILE *f, size_t n, bool distinct)
{
    float *thresholds = calloc(n + 1, sizeof(*thresholds));

    for (size_t i = 0; distinct && i < n; i++)
        thresholds[i] = (float)i;
    put_numbers(f, "threshold", "f4", sizeof(*thresholds), n, thresholds);
    free(thresholds);
}

/* A node's test is of the feature before the number; 0: a leaf. */
static void put_nodes(FILE *f, size_t n, const uint16_t *node, size_t features)
{
    uint8_t *small = malloc(n);

    for (size_t i = 0; i < n; i++)
        small[i] = (uint8_t)node[i];
    if (features < 256)
        put_numbers(f, "node", "u1", 1, n, small);
    else
        put_numbers(f, "node", "u2", sizeof(*node), n, node);
    free(small);
}

static void put_leaves(FILE *f, const preorder *p)
{
    char shape[24];
    double *row = calloc(p->width, sizeof(*row));
    int32_t *group = malloc((p->n_trees + 1) * sizeof(*group));

    snprintf(shape, sizeof shape, "1,%zu", p->width);
    for (size_t o = 0; o < p->width; o++)
        row[o] = 1;
    for (size_t t = 0; t < p->n_trees; t++)
        group[t] = p->width > 1 ? -1 : 0;
    put_array(f, "value", "f8", shape, row, p->width * sizeof(*row)), fputc(',', f);
    put_numbers(f, "group", "i4", sizeof(*group), p->n_trees, group), fputc(',', f);
    put_numbers(f, "init", "f8", sizeof(*row), p->width, NULL), fputc(',', f);
    put_numbers(f, "divide", "f8", sizeof(*row), 1, row), fputs(",\"missing\":2}]}", f);
    free(row), free(group);
}

/* A forest in preorder: few bytes a node. Trees of one leaf have one 0 each; other trees are of full levels. */
static mb_bytes own_preorder(preorder p)
{
    const size_t n_trees = p.n_trees;
    const uint32_t levels = p.levels;
    size_t a_tree = ((size_t)2 << levels) - 1, n = n_trees * a_tree, n_leaves = n_trees << levels,
           n_tests = n - n_leaves;
    uint16_t *node = malloc(n * sizeof(*node));
    uint8_t *depth = malloc(n);
    char bits[24];
    text t;
    FILE *f = begin(&t);

    if (!node || !depth)
        exit(2);
    for (size_t i = 0, test = 0; i < n; i++) { /* a right child is as deep as the left one that waits */
        static uint8_t waiting[64];
        static size_t n_waiting;

        depth[i] = i % a_tree == 0 ? 0 : node[i - 1] ? depth[i - 1] + 1 : waiting[--n_waiting];
        node[i] = depth[i] < levels ? 1 + test++ % p.features : 0;
        if (node[i])
            waiting[n_waiting++] = depth[i] + 1;
    }
    snprintf(bits, sizeof bits, "%zu", n_tests);
    fputs(OWN_HEAD("regressor"), f);
    put_list(f, "{\"type\":\"f8\"}", p.features);
    fputs("],\"ops\":[{\"op\":\"forest\",\"in\":[0],\"input\":\"f8\",", f);
    put_nodes(f, n, node, p.features), fputc(',', f);
    put_thresholds(f, n_tests, p.distinct), fputc(',', f);
    put_array(f, "missing_left", "bit", bits, NULL, (n_tests + 7) / 8), fputc(',', f);
    put_numbers(f, "cover", "u1", 1, n_leaves, NULL), fputc(',', f);
    put_numbers(f, "leaf", "u1", 1, n_leaves, NULL), fputc(',', f);
    put_leaves(f, &p);
    free(node), free(depth);
    return end(&t);
}

static mb_bytes own_stumps(void)
{
    return own_preorder((preorder){.n_trees = MILLION, .width = 1, .features = 1});
}

static mb_bytes own_tree(void)
{
    return own_preorder((preorder){.n_trees = 1, .levels = 20, .width = 1, .features = 1});
}

static mb_bytes own_small_trees(void)
{
    return own_preorder((preorder){.n_trees = 300000, .levels = 2, .width = 1, .features = 1});
}

static mb_bytes own_limit(void)
{
    return own_preorder((preorder){.n_trees = 700000, .levels = 3, .width = 1, .features = 1});
}

static mb_bytes own_distinct(void)
{
    return own_preorder((preorder){.n_trees = 4600, .levels = 3, .distinct = true, .width = 1, .features = 1});
}

static mb_bytes own_distinct_features(void)
{
    return own_preorder((preorder){.n_trees = 4600, .levels = 3, .width = 1, .features = 32200});
}

/* A short file whose rows take many sums. */
static mb_bytes own_shared(void)
{
    return own_preorder((preorder){.n_trees = 20000, .width = 4096, .features = 1});
}

/* Operators with an input of most of the features that there may be. */
static mb_bytes own_features(void)
{
    enum { FEATURES = 250000, OPERATORS = 20 };
    text t;
    FILE *f = begin(&t);

    fputs(OWN_HEAD("transformer"), f);
    put_list(f, "{\"type\":\"f8\"}", FEATURES);
    fprintf(f, "],\"transform\":%d,\"ops\":[", OPERATORS);
    put_list(f, "{\"op\":\"select\",\"in\":[0],\"cols\":[7]}", OPERATORS);
    fputs("]}", f);
    return end(&t);
}

/* As many, of which 60,000 go through operators that look at each, and then every second of these. */
static mb_bytes own_alternating(void)
{
    enum { FEATURES = 250000, N = 60000 };
    text t;
    FILE *f = begin(&t);

    fputs(OWN_HEAD("transformer"), f);
    put_list(f, "{\"type\":\"f8\"}", FEATURES);
    fputs("],\"transform\":7,\"ops\":[{\"op\":\"select\",\"in\":[0],\"cols\":[", f);
    for (size_t i = 0; i < N; i++)
        fprintf(f, "%s%zu", i ? "," : "", 4 * i);
    fputs("]},{\"op\":\"affine\",\"in\":[1],\"kind\":\"sub\",\"dtype\":\"f8\",", f);
    put_numbers(f, "a", "f8", 8, N, NULL);
    fputs("},{\"op\":\"cast\",\"in\":[2],\"to\":\"f4\"},{\"op\":\"impute\",\"in\":[3],\"missing\":\"nan\",", f);
    put_numbers(f, "fill", "f8", 8, N, NULL);
    fputs("},{\"op\":\"guard\",\"in\":[4],\"missing\":1},{\"op\":\"check\",\"in\":[5],\"missing\":0},"
          "{\"op\":\"select\",\"in\":[6],\"cols\":[",
          f);
    for (size_t i = 0; i < N; i += 2)
        fprintf(f, "%s%zu", i ? "," : "", i);
    fputs("]}]}", f);
    return end(&t);
}

/* A linear model of as many features. */
static mb_bytes own_linear_wide(void)
{
    enum { N = 60000 };
    text t;
    FILE *f = begin(&t);

    fputs(OWN_HEAD("regressor"), f);
    put_list(f, "{\"type\":\"f8\"}", N);
    fputs("],\"ops\":[{\"op\":\"linear\",\"in\":[0],", f);
    put_array(f, "coef", "f8", "1,60000", NULL, N * sizeof(double)), fputc(',', f);
    put_numbers(f, "intercept", "f8", 8, 1, NULL), fputs("}]}", f);
    return end(&t);
}

/* Sums of every tenth of the columns. Those of rows whose numbers are not small overflow, and are summed anew. */
static mb_bytes own_sparse(void)
{
    enum { N = 1000, EVERY = 10 };
    double *weights = calloc(N * N, sizeof(*weights));
    text t;
    FILE *f = begin(&t);

    for (size_t i = 0; i < N * N; i += EVERY)
        weights[i + i / N % EVERY] = 1e307;
    fputs(OWN_HEAD("regressor"), f);
    put_list(f, "{\"type\":\"f8\"}", N);
    fputs("],\"ops\":[{\"op\":\"linear\",\"in\":[0],", f);
    put_array(f, "coef", "f8", "1000,1000", weights, N * N * sizeof(*weights)), fputc(',', f);
    put_numbers(f, "intercept", "f8", 8, N, NULL), fputs("}]}", f);
    free(weights);
    return end(&t);
}

static mb_bytes own_classes(void)
{
    enum { N = 4096 }; /* the limit */
    text t;
    FILE *f = begin(&t);

    fputs(OWN_HEAD("classifier") "{\"type\":\"f8\"}],\"classes\":{\"dtype\":\"str\",\"shape\":[4096],\"data\":[", f);
    put_counted(f, "\"class %zu\"", ",", N);
    fputs("]},\"ops\":[{\"op\":\"select\",\"in\":[0],\"cols\":[", f);
    put_list(f, "0", N);
    fputs("]},{\"op\":\"head\",\"in\":[1],\"rule\":\"argmax\"}]}", f);
    return end(&t);
}

/* One column of many categories, numbers or texts, as one number each. */
static mb_bytes own_encoder(bool texts)
{
    enum { N = 300000 };
    double *numbers = malloc(N * sizeof(*numbers));
    text t;
    FILE *f = begin(&t);

    for (size_t i = 0; numbers && i < N; i++)
        numbers[i] = (double)(i * 7919 % N) / 1000;
    fprintf(
        f,
        OWN_HEAD(
            "transformer") "{\"type\":\"%s\"}],\"transform\":1,\"ops\":[{\"op\":\"ordinal\",\"in\":[0],\"columns\":[{",
        texts ? "str" : "f8");
    if (texts) {
        fprintf(f, "\"values\":{\"dtype\":\"str\",\"shape\":[%d],\"data\":[", N);
        put_counted(f, "\"a category with a name of more letters %06zu\"", ",", N);
        fputs("]}", f);
    } else {
        put_numbers(f, "values", "f8", 8, N, numbers);
    }
    fputs(",\"missing\":0,", f);
    put_numbers(f, "map", "f8", 8, N, numbers);
    fputs(",\"unknown\":\"error\"}]}]}", f);
    free(numbers);
    return end(&t);
}

static mb_bytes own_numbers(void)
{
    return own_encoder(false);
}

static mb_bytes own_texts(void)
{
    return own_encoder(true);
}

/* As many categories, five of which share a column, and sums of these columns, which pick weights. */
static mb_bytes own_picked(void)
{
    enum { N = 300000, COLUMNS = 60000, OUTPUTS = 4 };
    double *numbers = malloc(N * sizeof(*numbers));
    int32_t *columns = malloc(N * sizeof(*columns));
    text t;
    FILE *f = begin(&t);

    for (int32_t i = 0; numbers && columns && i < N; i++) {
        numbers[i] = 1 + i;
        columns[i] = i % COLUMNS;
    }
    fprintf(f, OWN_HEAD("regressor") "{\"type\":\"f8\"}],\"ops\":[{\"op\":\"onehot\",\"in\":[0],\"columns\":[{");
    put_numbers(f, "values", "f8", 8, N, numbers);
    fputs(",\"missing\":0,", f);
    put_numbers(f, "map", "i4", 4, N, columns);
    fprintf(f, ",\"width\":%d,\"unknown\":\"zeros\"}]},{\"op\":\"linear\",\"in\":[1],", COLUMNS);
    put_array(f, "coef", "f8", "4,60000", numbers, OUTPUTS * COLUMNS * sizeof(double)), fputc(',', f);
    put_numbers(f, "intercept", "f8", 8, OUTPUTS, NULL), fputs("}]}", f);
    free(numbers);
    free(columns);
    return end(&t);
}

/* Two columns of many categories each, of which nearly all become the same one: two outputs a column. A selection drops
 * one of each. */
static mb_bytes own_dropped_categories(void)
{
    enum { N = 1000000 };
    double *numbers = malloc(N * sizeof(*numbers));
    int32_t *outputs = calloc(N, sizeof(*outputs));
    text t;
    FILE *f = begin(&t);

    for (size_t i = 0; numbers && outputs && i < N; i++) {
        numbers[i] = (double)i;
        outputs[i] = i > 0;
    }
    fputs(
        OWN_HEAD(
            "transformer") "{\"type\":\"f8\"},{\"type\":\"f8\"}],\"transform\":2,\"ops\":[{\"op\":\"onehot\",\"in\":[0],"
                           "\"columns\":[",
        f);
    for (size_t c = 0; c < 2; c++) {
        fputs(c ? ",{" : "{", f);
        put_numbers(f, "values", "f8", 8, N, numbers);
        fputs(",\"missing\":2,", f);
        put_numbers(f, "map", "i4", 4, N, outputs);
        fputs(",\"width\":2,\"unknown\":\"zeros\"}", f);
    }
    fputs("]},{\"op\":\"select\",\"in\":[1],\"cols\":[0,3]}]}", f);
    free(numbers);
    free(outputs);
    return end(&t);
}

/* Sums of 0 and 1, so that columns without weight go; a selection drops half of the sums. */
static mb_bytes own_dropped_sums(void)
{
    enum { OUTPUTS = 2000, N = 1000 };
    double *weights = calloc((size_t)OUTPUTS * N, sizeof(*weights)), *zeros = calloc(OUTPUTS, sizeof(*zeros));
    text t;
    FILE *f = begin(&t);

    for (size_t o = 0; weights && o < OUTPUTS; o++)
        for (size_t c = o % 2; c < N; c += 2) /* even sums are of even columns */
            weights[o * N + c] = (double)(o + c);
    fputs(OWN_HEAD("regressor"), f);
    put_list(f, "{\"type\":\"f8\"}", N);
    fputs("],\"ops\":[{\"op\":\"binarize\",\"in\":[0],", f);
    put_numbers(f, "threshold", "f8", 8, 1, zeros), fputs("},{\"op\":\"linear\",\"in\":[1],", f);
    put_array(f, "coef", "f8", "2000,1000", weights, (size_t)OUTPUTS * N * sizeof(*weights)), fputc(',', f);
    put_numbers(f, "intercept", "f8", 8, OUTPUTS, zeros);
    fputs("},{\"op\":\"select\",\"in\":[2],\"cols\":[", f);
    for (size_t o = 0; o < OUTPUTS; o += 2)
        fprintf(f, "%s%zu", o ? "," : "", o);
    fputs("]}]}", f);
    free(weights);
    free(zeros);
    return end(&t);
}

/* Steps of 65,536 columns, as many as an operator may make. */
static mb_bytes own_wide(void)
{
    enum { N = 65536 };
    text t;
    FILE *f = begin(&t);

    fputs(
        OWN_HEAD("transformer") "{\"type\":\"f8\"}],\"transform\":7,\"ops\":[{\"op\":\"select\",\"in\":[0],\"cols\":[",
        f);
    put_list(f, "0", N);
    fputs(
        "]},{\"op\":\"check\",\"in\":[1],\"missing\":1},{\"op\":\"affine\",\"in\":[2],\"kind\":\"sub\",\"dtype\":\"f8\",",
        f);
    put_numbers(f, "a", "f8", 8, N, NULL);
    fputs(
        "},{\"op\":\"cast\",\"in\":[3],\"to\":\"f4\"},{\"op\":\"guard\",\"in\":[4],\"missing\":1},{\"op\":\"check\",\"in\":[5],\"missing\":1},{\"op\":\"select\",\"in\":[6],"
        "\"cols\":[",
        f);
    put_counted(f, "%zu", ",", N);
    fputs("]}]}", f);
    return end(&t);
}

/* As many operators as there may be, each of which reads the one before it. */
static mb_bytes own_chain(void (*put_operator)(FILE *f, size_t input))
{
    enum { N = 4096 }; /* the limit */
    text t;
    FILE *f = begin(&t);

    fputs(OWN_HEAD("regressor") "{\"type\":\"f8\"}],\"ops\":[", f);
    for (size_t i = 0; i < N; i++) {
        fputs(i ? "," : "", f);
        put_operator(f, i);
    }
    fputs("]}", f);
    return end(&t);
}

static void put_affine(FILE *f, size_t input)
{
    fprintf(f, "{\"op\":\"affine\",\"in\":[%zu],\"kind\":\"sub\",\"dtype\":\"f8\",", input);
    put_numbers(f, "a", "f8", 8, 1, NULL), fputc('}', f);
}

static void put_view(FILE *f, size_t input)
{
    fprintf(f, "{\"op\":\"select\",\"in\":[%zu],\"cols\":[0]}", input);
}

static void put_linear(FILE *f, size_t input)
{
    fprintf(f, "{\"op\":\"linear\",\"in\":[%zu],", input);
    put_array(f, "coef", "f8", "1,1", NULL, sizeof(double)), fputc(',', f);
    put_numbers(f, "intercept", "f8", 8, 1, NULL), fputc('}', f);
}

static mb_bytes own_affine_chain(void)
{
    return own_chain(put_affine);
}

static mb_bytes own_view_chain(void)
{
    return own_chain(put_view);
}

static mb_bytes own_linear_chain(void)
{
    return own_chain(put_linear);
}

/* All that may be side by side, and a sum of them. */
static mb_bytes own_side_by_side(void)
{
    enum { N = 4094 };
    text t;
    FILE *f = begin(&t);

    fputs(OWN_HEAD("regressor") "{\"type\":\"f8\"}],\"ops\":[", f);
    for (size_t i = 0; i < N; i++)
        put_affine(f, 0), fputc(',', f);
    fputs("{\"op\":\"concat\",\"in\":[1", f);
    for (size_t i = 2; i <= N; i++)
        fprintf(f, ",%zu", i);
    fprintf(f, "]},{\"op\":\"linear\",\"in\":[%d],", N + 1);
    put_array(f, "coef", "f8", "1,4094", NULL, N * sizeof(double)), fputc(',', f);
    put_numbers(f, "intercept", "f8", 8, 1, NULL), fputs("}]}", f);
    return end(&t);
}

/* Each input of a concat becomes an operator of the plan: nearly as many as there may be. */
static mb_bytes own_concats(void)
{
    enum { CONCATS = 16, INPUTS = 4000 };
    text t;
    FILE *f = begin(&t);

    fprintf(f, OWN_HEAD("transformer") "{\"type\":\"f8\"}],\"transform\":%d,\"ops\":[", CONCATS + 1);
    for (size_t i = 0; i < CONCATS; i++) {
        fputs("{\"op\":\"concat\",\"in\":[", f);
        put_list(f, "0", INPUTS);
        fputs("]},", f);
    }
    fputs("{\"op\":\"concat\",\"in\":[", f);
    put_counted(f, "%zu", ",", CONCATS + 1);
    fputs("]}]}", f);
    return end(&t);
}

#define MODEL(the_format, the_name, the_make, ...)                              \
    {                                                                           \
        .format = the_format, .name = the_name, .make = the_make, ##__VA_ARGS__ \
    }

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
};
const size_t N_LARGE_MODELS = sizeof LARGE_MODELS / sizeof LARGE_MODELS[0];
