/* large_own.c - see large_own.h. */
#include "large_own.h"

#include <stdint.h>
#include <stdlib.h>

#include "large_writer.h"

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
    FILE *f = text_begin(&t);

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
    return text_end(&t);
}

mb_bytes own_stumps(void)
{
    return own_preorder((preorder){.n_trees = 1000000, .width = 1, .features = 1});
}

mb_bytes own_tree(void)
{
    return own_preorder((preorder){.n_trees = 1, .levels = 20, .width = 1, .features = 1});
}

mb_bytes own_small_trees(void)
{
    return own_preorder((preorder){.n_trees = 300000, .levels = 2, .width = 1, .features = 1});
}

mb_bytes own_limit(void)
{
    return own_preorder((preorder){.n_trees = 700000, .levels = 3, .width = 1, .features = 1});
}

mb_bytes own_distinct(void)
{
    return own_preorder((preorder){.n_trees = 4600, .levels = 3, .distinct = true, .width = 1, .features = 1});
}

mb_bytes own_distinct_features(void)
{
    return own_preorder((preorder){.n_trees = 4600, .levels = 3, .width = 1, .features = 32200});
}

/* A short file whose rows take many sums. */
mb_bytes own_shared(void)
{
    return own_preorder((preorder){.n_trees = 20000, .width = 4096, .features = 1});
}

/* Operators with an input of most of the features that there may be. */
mb_bytes own_features(void)
{
    enum { FEATURES = 250000, OPERATORS = 20 };
    text t;
    FILE *f = text_begin(&t);

    fputs(OWN_HEAD("transformer"), f);
    put_list(f, "{\"type\":\"f8\"}", FEATURES);
    fprintf(f, "],\"transform\":%d,\"ops\":[", OPERATORS);
    put_list(f, "{\"op\":\"select\",\"in\":[0],\"cols\":[7]}", OPERATORS);
    fputs("]}", f);
    return text_end(&t);
}

/* As many, of which 60,000 go through operators that look at each, and then every second of these. */
mb_bytes own_alternating(void)
{
    enum { FEATURES = 250000, N = 60000 };
    text t;
    FILE *f = text_begin(&t);

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
    return text_end(&t);
}

/* A linear model of as many features. */
mb_bytes own_linear_wide(void)
{
    enum { N = 60000 };
    text t;
    FILE *f = text_begin(&t);

    fputs(OWN_HEAD("regressor"), f);
    put_list(f, "{\"type\":\"f8\"}", N);
    fputs("],\"ops\":[{\"op\":\"linear\",\"in\":[0],", f);
    put_array(f, "coef", "f8", "1,60000", NULL, N * sizeof(double)), fputc(',', f);
    put_numbers(f, "intercept", "f8", 8, 1, NULL), fputs("}]}", f);
    return text_end(&t);
}

/* Sums of every tenth of the columns. Those of rows whose numbers are not small overflow, and are summed anew. */
mb_bytes own_sparse(void)
{
    enum { N = 1000, EVERY = 10 };
    double *weights = calloc(N * N, sizeof(*weights));
    text t;
    FILE *f = text_begin(&t);

    for (size_t i = 0; i < N * N; i += EVERY)
        weights[i + i / N % EVERY] = 1e307;
    fputs(OWN_HEAD("regressor"), f);
    put_list(f, "{\"type\":\"f8\"}", N);
    fputs("],\"ops\":[{\"op\":\"linear\",\"in\":[0],", f);
    put_array(f, "coef", "f8", "1000,1000", weights, N * N * sizeof(*weights)), fputc(',', f);
    put_numbers(f, "intercept", "f8", 8, N, NULL), fputs("}]}", f);
    free(weights);
    return text_end(&t);
}

mb_bytes own_classes(void)
{
    enum { N = 4096 }; /* the limit */
    text t;
    FILE *f = text_begin(&t);

    fputs(OWN_HEAD("classifier") "{\"type\":\"f8\"}],\"classes\":{\"dtype\":\"str\",\"shape\":[4096],\"data\":[", f);
    put_counted(f, "\"class %zu\"", ",", N);
    fputs("]},\"ops\":[{\"op\":\"select\",\"in\":[0],\"cols\":[", f);
    put_list(f, "0", N);
    fputs("]},{\"op\":\"head\",\"in\":[1],\"rule\":\"argmax\"}]}", f);
    return text_end(&t);
}

/* One column of many categories, numbers or texts, as one number each. */
static mb_bytes own_encoder(bool texts)
{
    enum { N = 300000 };
    double *numbers = malloc(N * sizeof(*numbers));
    text t;
    FILE *f = text_begin(&t);

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
    return text_end(&t);
}

mb_bytes own_numbers(void)
{
    return own_encoder(false);
}

mb_bytes own_texts(void)
{
    return own_encoder(true);
}

/* As many categories, five of which share a column, and sums of these columns, which pick weights. */
mb_bytes own_picked(void)
{
    enum { N = 300000, COLUMNS = 60000, OUTPUTS = 4 };
    double *numbers = malloc(N * sizeof(*numbers));
    int32_t *columns = malloc(N * sizeof(*columns));
    text t;
    FILE *f = text_begin(&t);

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
    return text_end(&t);
}

/* Two columns of many categories each, of which nearly all become the same one: two outputs a column. A selection drops
 * one of each. */
mb_bytes own_dropped_categories(void)
{
    enum { N = 1000000 };
    double *numbers = malloc(N * sizeof(*numbers));
    int32_t *outputs = calloc(N, sizeof(*outputs));
    text t;
    FILE *f = text_begin(&t);

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
    return text_end(&t);
}

/* Sums of 0 and 1, so that columns without weight go; a selection drops half of the sums. */
mb_bytes own_dropped_sums(void)
{
    enum { OUTPUTS = 2000, N = 1000 };
    double *weights = calloc((size_t)OUTPUTS * N, sizeof(*weights)), *zeros = calloc(OUTPUTS, sizeof(*zeros));
    text t;
    FILE *f = text_begin(&t);

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
    return text_end(&t);
}

/* Steps of 65,536 columns, as many as an operator may make. */
mb_bytes own_wide(void)
{
    enum { N = 65536 };
    text t;
    FILE *f = text_begin(&t);

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
    return text_end(&t);
}

/* As many operators as there may be, each of which reads the one before it. */
static mb_bytes own_chain(void (*put_operator)(FILE *f, size_t input))
{
    enum { N = 4096 }; /* the limit */
    text t;
    FILE *f = text_begin(&t);

    fputs(OWN_HEAD("regressor") "{\"type\":\"f8\"}],\"ops\":[", f);
    for (size_t i = 0; i < N; i++) {
        fputs(i ? "," : "", f);
        put_operator(f, i);
    }
    fputs("]}", f);
    return text_end(&t);
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

mb_bytes own_affine_chain(void)
{
    return own_chain(put_affine);
}

mb_bytes own_view_chain(void)
{
    return own_chain(put_view);
}

mb_bytes own_linear_chain(void)
{
    return own_chain(put_linear);
}

/* All that may be side by side, and a sum of them. */
mb_bytes own_side_by_side(void)
{
    enum { N = 4094 };
    text t;
    FILE *f = text_begin(&t);

    fputs(OWN_HEAD("regressor") "{\"type\":\"f8\"}],\"ops\":[", f);
    for (size_t i = 0; i < N; i++)
        put_affine(f, 0), fputc(',', f);
    fputs("{\"op\":\"concat\",\"in\":[1", f);
    for (size_t i = 2; i <= N; i++)
        fprintf(f, ",%zu", i);
    fprintf(f, "]},{\"op\":\"linear\",\"in\":[%d],", N + 1);
    put_array(f, "coef", "f8", "1,4094", NULL, N * sizeof(double)), fputc(',', f);
    put_numbers(f, "intercept", "f8", 8, 1, NULL), fputs("}]}", f);
    return text_end(&t);
}

/* Each input of a concat becomes an operator of the plan: nearly as many as there may be. */
mb_bytes own_concats(void)
{
    enum { CONCATS = 16, INPUTS = 4000 };
    text t;
    FILE *f = text_begin(&t);

    fprintf(f, OWN_HEAD("transformer") "{\"type\":\"f8\"}],\"transform\":%d,\"ops\":[", CONCATS + 1);
    for (size_t i = 0; i < CONCATS; i++) {
        fputs("{\"op\":\"concat\",\"in\":[", f);
        put_list(f, "0", INPUTS);
        fputs("]},", f);
    }
    fputs("{\"op\":\"concat\",\"in\":[", f);
    put_counted(f, "%zu", ",", CONCATS + 1);
    fputs("]}]}", f);
    return text_end(&t);
}

/* One feature n times, less another number each time. */
static void put_scattered(FILE *f, size_t n)
{
    double *numbers = calloc(n, sizeof(*numbers));

    for (size_t i = 0; i < n; i++)
        numbers[i] = -1 - (double)(i * 7919 % n) / (double)n;
    fputs("{\"op\":\"select\",\"in\":[0],\"cols\":[", f);
    put_list(f, "0", n);
    fputs("]},{\"op\":\"affine\",\"in\":[1],\"kind\":\"sub\",\"dtype\":\"f8\",", f);
    put_numbers(f, "a", "f8", 8, n, numbers), fputs("},", f);
    free(numbers);
}

/* A model of as many numbers as an operator may read. */
mb_bytes own_median(void)
{
    enum { N = 65536 };
    text t;
    FILE *f = text_begin(&t);

    fputs(OWN_HEAD("regressor") "{\"type\":\"f8\"}],\"ops\":[", f);
    put_scattered(f, N);
    fputs("{\"op\":\"weighted_median\",\"in\":[2],", f);
    put_numbers(f, "weights", "f8", 8, N, NULL), fputs("}]}", f);
    return text_end(&t);
}

/* As many vectors get a weight as may, each by a step of its own. */
mb_bytes own_path(void)
{
    enum { N = 512 };
    double *gram = calloc(N * N, sizeof(*gram));
    text t;
    FILE *f = text_begin(&t);

    for (size_t i = 0; i < N; i++)
        gram[i * N + i] = 1;
    fputs(OWN_HEAD("regressor") "{\"type\":\"f8\"}],\"ops\":[", f);
    put_scattered(f, N);
    fputs("{\"op\":\"least_angle\",\"in\":[2],\"path\":\"lasso\",\"dtype\":\"f8\",\"positive\":0,", f);
    put_numbers(f, "penalty", "f8", 8, 1, NULL), fputs(",\"terms\":1,\"rounds\":256,", f);
    put_array(f, "gram", "f8", "512,512", gram, N * N * sizeof(*gram)), fputs("}]}", f);
    free(gram);
    return text_end(&t);
}

/* A model of the largest order. */
mb_bytes own_bessel(void)
{
    enum { N = 2048 };
    const double order = 1024;
    text t;
    FILE *f = text_begin(&t);

    fputs(OWN_HEAD("regressor") "{\"type\":\"f8\"}],\"ops\":[", f);
    put_scattered(f, N);
    fputs("{\"op\":\"combine\",\"in\":[2],\"function\":\"bessel_k\",\"dtype\":\"f8\",", f);
    put_numbers(f, "numbers", "f8", 8, 1, &order), fputs(",\"first\":0}]}", f);
    return text_end(&t);
}
