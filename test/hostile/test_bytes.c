/* test_bytes.c - files that are broken as files: cut short, changed byte by byte, with counts that lie,
 * nested without end, with duplicate keys and wrong types. Classes W1 to W7 and W12 of reliability.md. */
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sanitizers make each load some ten times slower: then files end at every third byte and each 11th is changed, in
 * turn from another first one. */
#if HT_SANITIZED
enum { CUT_STEP = 3, BYTE_STEP = 11 };
#else
enum { CUT_STEP = 1, BYTE_STEP = 1 };
#endif

static const char *const ENCODING[] = {"JSON", "UBJSON"};

/* A copy of exactly `size` bytes, so that a sanitizer sees a read behind them. */
static char *copy_of(const char *bytes, size_t size)
{
    char *copy = malloc(size ? size : 1);

    if (copy && size)
        memcpy(copy, bytes, size);
    return copy;
}

/* ------------------------------------------------------------------ W1 */

static void test_prefixes(mb_sample sample, mb_encoding encoding)
{
    mb_bytes b = mb_edited(sample, NULL, encoding);

    for (size_t n = (size_t)sample % CUT_STEP; n < b.size; n += CUT_STEP) {
        char *prefix = copy_of(b.data, n);
        hbs_error error = {0};
        hbs_status status;

        ht_case("W1", "%s (%s), the first %zu of %zu bytes", mb_sample_name(sample), ENCODING[encoding], n, b.size);
        status = ht_try(prefix, n, NULL, &error);
        if (ht_check(status == HBS_E_FORMAT, "got %s: %s", hbs_status_name(status), error.text))
            ht_check(error.offset <= n, "offset %zu of %zu bytes: %s", error.offset, n, error.text);
        free(prefix);
    }
    free(b.data);
}

/* ------------------------------------------------------------------ every byte changed */

/* Whatever the bytes say now: an error in words, or a model that scores; ht_try checks all that. */
static void test_changes(mb_sample sample, mb_encoding encoding, int change)
{
    mb_bytes b = mb_edited(sample, NULL, encoding);
    size_t loaded = 0, step = BYTE_STEP;

    ht_case("W7", "%s (%s), every byte, %s %d", mb_sample_name(sample), ENCODING[encoding],
            change < 8 ? "flipped bit" : "set to",
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

/* ------------------------------------------------------------------ W2, W3: counts that lie */

static void write_count(char *at, uint64_t count)
{
    for (int i = 7; i >= 0; i--, count >>= 8)
        at[i] = (char)(count & 0xff);
}

static uint64_t read_count(const char *at)
{
    uint64_t count = 0;

    for (int i = 0; i < 8; i++)
        count = count << 8 | (unsigned char)at[i];
    return count;
}

/* Lengths of keys and strings and counts of arrays: L and eight bytes, the number small. */
static bool is_count(const mb_bytes *b, size_t i)
{
    return i + 9 <= b->size && b->data[i] == 'L' && read_count(b->data + i + 1) < 256 && i > 0 &&
           strchr("#S{}0123456789:", b->data[i - 1]) != NULL;
}

static void test_counts(mb_sample sample)
{
    static const int64_t LIES[] = {
        1, -1, 1000, INT32_MAX, (int64_t)1 << 32, (int64_t)1 << 40, INT64_MAX / 4, INT64_MAX, INT64_MIN, -1000000};
    mb_bytes b = mb_edited(sample, NULL, MB_UBJSON);

    for (size_t i = 0; i < b.size; i++) {
        uint64_t count;

        if (!is_count(&b, i))
            continue;
        count = read_count(b.data + i + 1);
        for (size_t k = 0; k < HT_COUNT(LIES); k++) {
            bool step = k < 2; /* one more or one less than there are */
            int64_t lie = step ? (int64_t)count + LIES[k] : LIES[k];
            hbs_error error = {0};
            hbs_status status;

            ht_case(lie < 0 ? "W3" : "W2", "%s, the count at byte %zu is %lld for %lld", mb_sample_name(sample), i,
                    (long long)lie, (long long)count);
            write_count(b.data + i + 1, (uint64_t)lie);
            status = ht_try(b.data, b.size, NULL, &error);
            ht_check(status == HBS_E_FORMAT || (step && status == HBS_E_UNSUPPORTED), "got %s: %s",
                     hbs_status_name(status), error.text);
            write_count(b.data + i + 1, count);
        }
    }
    free(b.data);
}

static const ht_edit COUNTS_IN_WORDS[] = {
    {"num_trees above", MB_REGRESSION, "M.gbtree_model_param.num_trees = \"4\"", HBS_E_FORMAT, "num_trees", 0},
    {"num_trees below", MB_REGRESSION, "M.gbtree_model_param.num_trees = \"2\"", HBS_E_FORMAT, "num_trees", 0},
    {"num_trees huge", MB_REGRESSION, "M.gbtree_model_param.num_trees = \"2000000000\"", HBS_E_FORMAT, "num_trees", 0},
    {"num_nodes above", MB_REGRESSION, "T0.tree_param.num_nodes = \"10\"", HBS_E_FORMAT, "num_nodes", 0},
    {"num_nodes below", MB_REGRESSION, "T0.tree_param.num_nodes = \"8\"", HBS_E_FORMAT, "num_nodes", 0},
    {"num_nodes huge", MB_REGRESSION, "T0.tree_param.num_nodes = \"2147483647\"", HBS_E_FORMAT, "num_nodes", 0},
    {"num_deleted without deleted nodes", MB_REGRESSION, "T0.tree_param.num_deleted = \"1\"", HBS_E_FORMAT, "deleted",
     0},
    {"iteration_indptr beyond the trees", MB_REGRESSION, "M.iteration_indptr = [0,1,2,4]", HBS_E_FORMAT,
     "iteration_indptr", 0},
    {"iteration_indptr short of the trees", MB_REGRESSION, "M.iteration_indptr = [0,1,2]", HBS_E_FORMAT,
     "iteration_indptr", 0},
    {"iteration_indptr falls", MB_REGRESSION, "M.iteration_indptr = [0,2,1,3]", HBS_E_FORMAT, "iteration_indptr", 0},
    {"iteration_indptr does not start at 0", MB_REGRESSION, "M.iteration_indptr = [1,2,3]", HBS_E_FORMAT,
     "iteration_indptr", 0},
    {"iteration_indptr huge", MB_REGRESSION, "M.iteration_indptr = [0,1,2,9223372036854775807]", HBS_E_FORMAT,
     "iteration_indptr", 0},
    {"weight_drop too short", MB_DART, "B.weight_drop = [1.0, 0.5]", HBS_E_FORMAT, "weight_drop", 0},
    {"weight_drop too long", MB_DART, "B.weight_drop = [1.0, 0.5, 0.5, 0.5]", HBS_E_FORMAT, "weight_drop", 0},
    {"weight_drop empty", MB_DART, "B.weight_drop = []", HBS_E_FORMAT, "weight_drop", 0},
    {"feature_names too many", MB_BINARY, "&L.feature_names = \"d\"", HBS_E_FORMAT, "feature_names", 0},
    {"feature_names too few", MB_BINARY, "-L.feature_names[2]", HBS_E_FORMAT, "feature_names", 0},
    {"num_feature above the names", MB_BINARY, "P.num_feature = \"4\"", HBS_E_FORMAT, NULL, 0},
    {"num_feature huge", MB_REGRESSION, "P.num_feature = \"4294967295\"", HBS_E_LIMIT, "4294967295", 0},
    {"num_class huge", MB_MULTI, "P.num_class = \"2147483647\"", HBS_E_LIMIT, NULL, 0},
    {"num_target huge", MB_VECTOR, "P.num_target = \"2147483647\"", HBS_E_LIMIT, NULL, 0},
    {"size_leaf_vector huge", MB_VECTOR, "T0.tree_param.size_leaf_vector = \"2147483647\"", HBS_E_FORMAT, NULL, 0},
    {"gblinear: a weight short", MB_LINEAR, "-M.weights[3]", HBS_E_FORMAT, "weights", 0},
    {"gblinear: no weights after three rounds", MB_LINEAR, "M.weights = []", HBS_E_FORMAT, "weights", 0},
    {"gblinear: no rounds, no weights", MB_LINEAR, "M.weights = []\nM.boosted_rounds = 0", HBS_OK, NULL, 0},
    {"gblinear: no weights for 17 billion of them", MB_LINEAR,
     "M.weights = []\nM.boosted_rounds = 0\nP.num_feature = \"262144\"\nP.num_target = \"65536\"\n"
     "-L.feature_names\n-L.feature_types",
     HBS_E_LIMIT, NULL, 0},
    {"gblinear: a weight more", MB_LINEAR, "M.weights = [1.0,2.0,3.0,4.0,5.0]", HBS_E_FORMAT, "weights", 0},
    {"num_parallel_tree huge, no iteration_indptr", MB_REGRESSION,
     "-M.iteration_indptr\nM.gbtree_model_param.num_parallel_tree = \"2147483647\"", HBS_E_FORMAT, "num_parallel_tree",
     0},
};

static const ht_edit NEGATIVE_COUNTS[] = {
    {"num_trees", MB_REGRESSION, "M.gbtree_model_param.num_trees = \"-3\"", HBS_E_FORMAT, "num_trees", 0},
    {"num_nodes", MB_REGRESSION, "T0.tree_param.num_nodes = \"-9\"", HBS_E_FORMAT, "num_nodes", 0},
    {"num_nodes zero", MB_REGRESSION, "T0.tree_param.num_nodes = \"0\"", HBS_E_FORMAT, "num_nodes", 0},
    {"num_deleted", MB_REGRESSION, "T0.tree_param.num_deleted = \"-1\"", HBS_E_FORMAT, "num_deleted", 0},
    {"num_feature", MB_REGRESSION, "P.num_feature = \"-3\"", HBS_E_FORMAT, "num_feature", 0},
    {"num_class", MB_MULTI, "P.num_class = \"-3\"", HBS_E_FORMAT, "num_class", 0},
    {"num_target", MB_VECTOR, "P.num_target = \"-2\"", HBS_E_FORMAT, "num_target", 0},
    {"size_leaf_vector", MB_VECTOR, "T0.tree_param.size_leaf_vector = \"-2\"", HBS_E_FORMAT, "size_leaf_vector", 0},
    {"num_parallel_tree", MB_REGRESSION, "M.gbtree_model_param.num_parallel_tree = \"-1\"", HBS_E_FORMAT,
     "num_parallel_tree", 0},
    {"iteration_indptr", MB_REGRESSION, "M.iteration_indptr = [0,-1,2,3]", HBS_E_FORMAT, "iteration_indptr", 0},
    {"categories_sizes", MB_CODES, "T0.categories_sizes = [-1]", HBS_E_FORMAT, "categories", 0},
    {"categories_segments", MB_CODES, "T0.categories_segments = [-1]", HBS_E_FORMAT, "categories", 0},
    {"an array's count", MB_REGRESSION, "#T0.left_children = -1", HBS_E_FORMAT, "left_children", HT_UBJSON},
    {"the trees' count", MB_REGRESSION, "#M.trees = -1", HBS_E_FORMAT, "trees", HT_UBJSON},
    {"version", MB_REGRESSION, "version[0] = -1", HBS_E_FORMAT, "version", 0},
};

/* ------------------------------------------------------------------ W4 */

static const ht_edit PRODUCTS[] = {
    {"nodes x leaf vector", MB_VECTOR,
     "T0.tree_param.num_nodes = \"2147483647\"\nT0.tree_param.size_leaf_vector = \"65536\"", HBS_E_FORMAT, NULL, 0},
    {"linear: features x groups", MB_LINEAR,
     "P.num_feature = \"4294967295\"\nP.num_class = \"2147483647\"\nO.name = \"multi:softprob\"", HBS_E_LIMIT, NULL, 0},
    {"linear: (features + 1) wraps", MB_LINEAR, "P.num_feature = \"18446744073709551615\"", HBS_E_FORMAT, NULL, 0},
    {"features 2^64", MB_REGRESSION, "P.num_feature = \"18446744073709551616\"", HBS_E_FORMAT, NULL, 0},
    {"classes x targets", MB_MULTI, "P.num_target = \"2147483647\"\nP.num_class = \"2147483647\"", HBS_E_UNSUPPORTED,
     NULL, 0},
    {"segment + size wraps", MB_CODES, "T0.categories_segments = [9223372036854775807]\nT0.categories_sizes = [3]",
     HBS_E_FORMAT, "categories", 0},
    {"segment + size wraps 32 bits", MB_CODES, "T0.categories_segments = [4294967295]\nT0.categories_sizes = [2]",
     HBS_E_FORMAT, "categories", 0},
    {"typed array: count x width wraps", MB_REGRESSION, "#T0.categories_segments = 2305843009213693952", HBS_E_FORMAT,
     "categories_segments", HT_UBJSON},
    {"typed array: 4 x count wraps", MB_REGRESSION, "#T0.split_conditions = 4611686018427387905", HBS_E_FORMAT,
     "split_conditions", HT_UBJSON},
    {"iteration x parallel", MB_REGRESSION,
     "M.gbtree_model_param.num_parallel_tree = \"2147483647\"\nP.num_class = \"2147483647\"", HBS_E_LIMIT, NULL, 0},
};

/* ------------------------------------------------------------------ W5 */

static void nested(const char *place, const char *open, size_t depth, mb_encoding encoding, hbs_status wanted)
{
    static const char NEEDLE[] = "NEST";
    mb_bytes b;
    char *bytes, *at;
    size_t n = strlen(open), head;
    hbs_error error = {0};
    hbs_status status;
    char edits[128];

    snprintf(edits, sizeof(edits), "%s = \"NEST\"", place);
    b = mb_edited(MB_REGRESSION, edits, encoding);
    ht_case("W5", "%s of %s, %zu deep (%s)", place, open, depth, ENCODING[encoding]);
    bytes = malloc(b.size + depth * n);
    at = NULL;
    for (size_t i = 0; i + 4 <= b.size && !at; i++)
        if (memcmp(b.data + i, NEEDLE, 4) == 0)
            at = b.data + i - (encoding == MB_JSON ? 1 : 10);
    if (bytes && at) {
        head = (size_t)(at - b.data);
        memcpy(bytes, b.data, head);
        for (size_t i = 0; i < depth; i++)
            memcpy(bytes + head + i * n, open, n);
        status = ht_try(bytes, head + depth * n, NULL, &error);
        ht_check(status == wanted, "got %s: %s", hbs_status_name(status), error.text);
    }
    free(bytes);
    free(b.data);
}

static void test_nesting(void)
{
    static const size_t DEPTHS[] = {64, 65, 1000, 1000000};

    for (size_t i = 0; i < HT_COUNT(DEPTHS); i++) {
        nested("O.reg_loss_param", "[", DEPTHS[i], MB_JSON, HBS_E_LIMIT);
        nested("O.reg_loss_param", "{\"a\":", DEPTHS[i], MB_JSON, HBS_E_LIMIT);
        nested("O.reg_loss_param", "[{\"a\":", DEPTHS[i], MB_JSON, HBS_E_LIMIT);
        nested("O.reg_loss_param", "[", DEPTHS[i], MB_UBJSON, HBS_E_LIMIT);
        nested("O.reg_loss_param", "{i\001a", DEPTHS[i], MB_UBJSON, HBS_E_LIMIT);
        nested("O.reg_loss_param", "[#i\001", DEPTHS[i], MB_UBJSON, HBS_E_LIMIT);
        nested("T0.loss_changes", "[", DEPTHS[i], MB_JSON, HBS_E_LIMIT);
        nested("T0.loss_changes", "[", DEPTHS[i], MB_UBJSON, HBS_E_LIMIT);
        nested("T0.left_children", "[", DEPTHS[i], MB_JSON, HBS_E_FORMAT);
        nested("learner", "{\"attributes\":", DEPTHS[i], MB_JSON, HBS_E_FORMAT);
    }
    nested("O.reg_loss_param", "[", 60, MB_JSON, HBS_E_FORMAT); /* deep enough, but not closed */
}

/* ------------------------------------------------------------------ W6 */

static const ht_edit DUPLICATES[] = {
    {"learner", MB_REGRESSION, "+learner = {}", HBS_E_FORMAT, "duplicate key", 0},
    {"version", MB_REGRESSION, "+version = [3,2,0]", HBS_E_FORMAT, "duplicate key|version", 0},
    {"objective", MB_REGRESSION, "+L.objective = {}", HBS_E_FORMAT, "duplicate key|objective", 0},
    {"objective name", MB_REGRESSION, "+O.name = \"binary:logistic\"", HBS_E_FORMAT, "duplicate key|name", 0},
    {"num_class", MB_MULTI, "+P.num_class = \"4\"", HBS_E_FORMAT, "duplicate key|num_class", 0},
    {"num_feature, the same", MB_MULTI, "+P.num_feature = \"3\"", HBS_E_FORMAT, "duplicate key|num_feature", 0},
    {"base_score", MB_BINARY, "+P.base_score = \"[5E-1]\"", HBS_E_FORMAT, "duplicate key|base_score", 0},
    {"trees", MB_REGRESSION, "+M.trees = []", HBS_E_FORMAT, "duplicate key|trees", 0},
    {"gradient_booster", MB_REGRESSION, "+L.gradient_booster = {}", HBS_E_FORMAT, "duplicate key", 0},
    {"left_children", MB_REGRESSION, "+T0.left_children = [1]", HBS_E_FORMAT, "duplicate key|left_children", 0},
    {"tree_param", MB_REGRESSION, "+T0.tree_param = {}", HBS_E_FORMAT, "duplicate key|tree_param", 0},
    {"a member without effect", MB_REGRESSION, "+T0.loss_changes = []", HBS_E_FORMAT, "duplicate key|loss_changes", 0},
    {"attributes", MB_REGRESSION, "L.attributes = {\"a\": \"1\", \"a\": \"1\"}", HBS_E_FORMAT, "duplicate key", 0},
    {"inside a skipped value", MB_REGRESSION, "O.reg_loss_param = {\"a\": \"1\", \"b\": 2, \"a\": 3}", HBS_E_FORMAT,
     "duplicate key", 0},
    {"escaped spelling of the same key", MB_REGRESSION, "!O.name = \"reg:squarederror\",\"n\\u0061me\":\"x\"",
     HBS_E_FORMAT, "duplicate key", HT_JSON},
    {"trees here and in gbtree", MB_DART, "B.model = {\"trees\": [], \"tree_info\": []}", HBS_E_FORMAT, NULL, 0},
    {"weight_drop in two places", MB_DART, "M.weight_drop = [1.0, 0.5, 0.25]", HBS_E_FORMAT, "weight_drop", 0},
    {"trees and linear weights", MB_REGRESSION, "M.weights = [1.0, 2.0, 3.0, 4.0]", HBS_E_FORMAT, NULL, 0},
    {"linear weights and trees", MB_LINEAR, "M.trees = []\nM.tree_info = []", HBS_E_FORMAT, NULL, 0},
    {"gblinear with weight_drop", MB_LINEAR, "B.weight_drop = [1.0]", HBS_E_FORMAT, NULL, 0},
    {"cats: offsets and type", MB_CATEGORIES, "M.cats.enc[0].type = 15", HBS_E_FORMAT, NULL, 0},
};

/* ------------------------------------------------------------------ W7 */

typedef struct field {
    mb_sample sample;
    const char *path;
    char kind; /* what it is: o object, a array, n array of numbers, s string, i integer */
} field;

static const field FIELDS[] = {
    {MB_REGRESSION, "learner", 'o'},
    {MB_REGRESSION, "L.attributes", 'o'},
    {MB_BINARY, "L.feature_names", 'a'},
    {MB_BINARY, "L.feature_types", 'a'},
    {MB_BINARY, "L.feature_names[1]", 's'},
    {MB_REGRESSION, "L.gradient_booster", 'o'},
    {MB_REGRESSION, "B.model", 'o'},
    {MB_REGRESSION, "B.name", 's'},
    {MB_REGRESSION, "M.gbtree_model_param", 'o'},
    {MB_REGRESSION, "M.gbtree_model_param.num_trees", 's'},
    {MB_REGRESSION, "M.iteration_indptr", 'n'},
    {MB_REGRESSION, "M.tree_info", 'n'},
    {MB_REGRESSION, "M.trees", 'a'},
    {MB_REGRESSION, "M.trees[1]", 'o'},
    {MB_REGRESSION, "T0.default_left", 'n'},
    {MB_REGRESSION, "T0.left_children", 'n'},
    {MB_REGRESSION, "T0.right_children", 'n'},
    {MB_REGRESSION, "T0.parents", 'n'},
    {MB_REGRESSION, "T0.split_conditions", 'n'},
    {MB_REGRESSION, "T0.split_indices", 'n'},
    {MB_REGRESSION, "T0.split_type", 'n'},
    {MB_REGRESSION, "T0.sum_hessian", 'n'},
    {MB_REGRESSION, "T0.id", 'i'},
    {MB_REGRESSION, "T0.tree_param", 'o'},
    {MB_REGRESSION, "T0.tree_param.num_nodes", 's'},
    {MB_CODES, "T0.categories", 'n'},
    {MB_CODES, "T0.categories_nodes", 'n'},
    {MB_CODES, "T0.categories_segments", 'n'},
    {MB_CODES, "T0.categories_sizes", 'n'},
    {MB_CATEGORIES, "M.cats", 'o'},
    {MB_CATEGORIES, "M.cats.enc", 'a'},
    {MB_CATEGORIES, "M.cats.enc[0]", 'o'},
    {MB_CATEGORIES, "M.cats.enc[0].offsets", 'n'},
    {MB_CATEGORIES, "M.cats.enc[0].values", 'n'},
    {MB_CATEGORIES, "M.cats.enc[2].type", 'i'},
    {MB_VECTOR, "T0.leaf_weights", 'n'},
    {MB_DART, "B.gbtree", 'o'},
    {MB_DART, "B.weight_drop", 'n'},
    {MB_LINEAR, "M.weights", 'n'},
    {MB_REGRESSION, "L.learner_model_param", 'o'},
    {MB_REGRESSION, "P.base_score", 's'},
    {MB_REGRESSION, "P.num_class", 's'},
    {MB_REGRESSION, "P.num_feature", 's'},
    {MB_REGRESSION, "P.num_target", 's'},
    {MB_REGRESSION, "L.objective", 'o'},
    {MB_REGRESSION, "O.name", 's'},
    {MB_REGRESSION, "version", 'a'},
    {MB_REGRESSION, "version[1]", 'i'},
};

static void test_wrong_kinds(void)
{
    static const struct {
        const char *value;
        char kind;
    } OTHERS[] = {{"null", 'z'},    {"true", 'b'},   {"\"x\"", 's'}, {"7", 'i'},    {"1.5", 'r'},        {"{}", 'o'},
                  {"[\"x\"]", 'a'}, {"[null]", 'z'}, {"[[1]]", 'z'}, {"[{}]", 'z'}, {"[1.5, true]", 'z'}};

    for (size_t f = 0; f < HT_COUNT(FIELDS); f++)
        for (size_t o = 0; o < HT_COUNT(OTHERS); o++)
            for (int e = 0; e < MB_ENCODINGS; e++) {
                char edits[128];
                hbs_error error = {0};
                hbs_status status;
                mb_bytes b;

                if (OTHERS[o].kind == FIELDS[f].kind)
                    continue;
                snprintf(edits, sizeof(edits), "%s = %s", FIELDS[f].path, OTHERS[o].value);
                ht_case("W7", "%s (%s)", edits, ENCODING[e]);
                b = mb_edited(FIELDS[f].sample, edits, (mb_encoding)e);
                status = ht_try(b.data, b.size, NULL, &error);
                ht_check(status == HBS_E_FORMAT, "got %s: %s", hbs_status_name(status), error.text);
                free(b.data);
            }
}

static const ht_edit WRONG_TYPES[] = {
    {"integers as float32", MB_REGRESSION, "$T0.left_children = d", HBS_E_FORMAT, "left_children", HT_UBJSON},
    {"integers as float64", MB_REGRESSION, "$T0.split_indices = D", HBS_E_FORMAT, "split_indices", HT_UBJSON},
    {"flags as float32", MB_REGRESSION, "$T0.default_left = d", HBS_E_FORMAT, "default_left", HT_UBJSON},
    {"an integer too wide", MB_REGRESSION, "T0.left_children[0] = 2147483648", HBS_E_FORMAT, "left_children", 0},
    {"a flag above 255", MB_REGRESSION, "T0.default_left[0] = 256", HBS_E_FORMAT, "default_left", 0},
    {"a flag below 0", MB_REGRESSION, "T0.default_left[0] = -1", HBS_E_FORMAT, "default_left", 0},
    {"a default direction of 2", MB_REGRESSION, "T0.default_left[0] = 2", HBS_E_FORMAT, "default_left 2", 0},
    {"a flag of 2", MB_REGRESSION, "T0.split_type[0] = 2", HBS_E_UNSUPPORTED, "split_type 2", 0},
    {"a real child", MB_REGRESSION, "T0.left_children[0] = 1.5", HBS_E_FORMAT, "left_children", 0},
    {"a child in quotes", MB_REGRESSION, "T0.left_children[0] = \"1\"", HBS_E_FORMAT, "left_children", 0},
    {"num_class as a number", MB_MULTI, "P.num_class = 3", HBS_E_FORMAT, "num_class", 0},
    {"an unknown member of a tree", MB_REGRESSION, "T0.weight = 1", HBS_E_FORMAT, "weight", 0},
    {"an unknown member of the model", MB_REGRESSION, "M.extra = {}", HBS_E_FORMAT, "extra", 0},
    {"an unknown member of the learner", MB_REGRESSION, "L.extra = 1", HBS_E_FORMAT, "extra", 0},
    {"an unknown member of the root", MB_REGRESSION, "extra = 1", HBS_E_FORMAT, "extra", 0},
    {"an unknown member of cats", MB_CATEGORIES, "M.cats.extra = 1", HBS_E_FORMAT, "extra", 0},
    {"no objective", MB_REGRESSION, "-L.objective", HBS_E_FORMAT, "objective", 0},
    {"no learner_model_param", MB_REGRESSION, "-L.learner_model_param", HBS_E_FORMAT, "learner_model_param", 0},
    {"no gradient_booster", MB_REGRESSION, "-L.gradient_booster", HBS_E_FORMAT, "gradient_booster", 0},
    {"no booster name", MB_REGRESSION, "-B.name", HBS_E_FORMAT, "name", 0},
    {"no model", MB_REGRESSION, "-B.model", HBS_E_FORMAT, "model", 0},
    {"no trees", MB_REGRESSION, "-M.trees", HBS_E_FORMAT, "trees", 0},
    {"no tree_info", MB_REGRESSION, "-M.tree_info", HBS_E_FORMAT, "tree_info", 0},
    {"no base_score", MB_REGRESSION, "-P.base_score", HBS_E_FORMAT, "base_score", 0},
    {"no num_feature", MB_REGRESSION, "-P.num_feature", HBS_E_FORMAT, "num_feature", 0},
    {"no weights", MB_LINEAR, "-M.weights", HBS_E_FORMAT, "weights", 0},
    {"no weight_drop", MB_DART, "-B.weight_drop", HBS_E_FORMAT, "weight_drop", 0},
    {"no version", MB_REGRESSION, "-version", HBS_E_FORMAT, "version", 0},
    {"two parts of a version", MB_REGRESSION, "-version[2]", HBS_E_FORMAT, "version", 0},
    {"four parts of a version", MB_REGRESSION, "&version = 1", HBS_E_FORMAT, "version", 0},
};

/* The types that an array may have in UBJSON make no difference. */
static void test_equal_types(void)
{
    static const char *const SAME[] = {
        "$T0.left_children = -", "$T0.split_conditions = -", "$T0.split_conditions = D", "$T0.split_indices = U",
        "$T0.split_indices = i", "$T0.split_indices = I",    "$T0.split_indices = L",    "$T0.left_children = L",
        "$T0.left_children = i", "$T0.default_left = l",     "$T0.default_left = L",     "$T0.default_left = -",
        "$T0.sum_hessian = U",   "$T0.sum_hessian = D",      "$T0.parents = L",          "$T0.right_children = -",
    };
    mb_bytes plain = mb_edited(MB_REGRESSION, NULL, MB_UBJSON);
    uint64_t want;

    ht_case("W7", "the sample itself");
    want = ht_fingerprint_of(plain, NULL);
    for (size_t i = 0; i < HT_COUNT(SAME); i++) {
        mb_bytes b = mb_edited(MB_REGRESSION, SAME[i], MB_UBJSON);
        uint64_t got;

        ht_case("W7", "the same in another type: %s", SAME[i]);
        got = ht_fingerprint_of(b, NULL);
        ht_check(got == want, "scores otherwise");
        free(b.data);
    }
    free(plain.data);
}

/* ------------------------------------------------------------------ W12 */

static const char BOMB_HEAD[] = "{L\0\0\0\0\0\0\0\7learner{L\0\0\0\0\0\0\0\11objectiveX";

/* A typed array of a marker without payload costs no bytes: its count is bounded by nothing else. */
static void test_bombs(void)
{
    static const struct {
        const char *name, *bytes;
        size_t size;
    } BOMBS[] = {
        {"10^18 times null", "[$Z#L\x0d\xe0\xb6\xb3\xa7\x64\0\0", 13},
        {"10^18 times true", "[$T#L\x0d\xe0\xb6\xb3\xa7\x64\0\0", 13},
        {"10^18 times no-op", "[$N#L\x0d\xe0\xb6\xb3\xa7\x64\0\0", 13},
        {"10^9 times false", "[$F#l\x3b\x9a\xca\0", 9},
        {"an object of 10^18 nulls", "{$Z#L\x0d\xe0\xb6\xb3\xa7\x64\0\0", 13},
        {"10^18 arrays of arrays", "[$[#L\x0d\xe0\xb6\xb3\xa7\x64\0\0", 13},
        {"10^18 arrays of objects", "[${#L\x0d\xe0\xb6\xb3\xa7\x64\0\0", 13},
        {"10^9 empty strings", "[$S#l\x3b\x9a\xca\0i\0i\0", 13},
    };
    size_t head = sizeof(BOMB_HEAD) - 2;
    char *bytes = malloc(head + 64);

    for (size_t i = 0; i < HT_COUNT(BOMBS) && bytes; i++) {
        hbs_error error = {0};
        hbs_status status;

        ht_case("W12", "%s", BOMBS[i].name);
        memcpy(bytes, BOMB_HEAD, head);
        memcpy(bytes + head, BOMBS[i].bytes, BOMBS[i].size);
        status = ht_try(bytes, head + BOMBS[i].size, NULL, &error);
        ht_check(status == HBS_E_FORMAT || status == HBS_E_LIMIT, "got %s: %s", hbs_status_name(status), error.text);
    }
    free(bytes);
}

/* Small pieces that a reader might keep at many times their size: each is bounded by memory. */
static void test_expansion(const char *name, const char *piece, size_t count, const char *place)
{
    mb_model *m = mb_make(MB_REGRESSION);
    size_t n = strlen(piece), prefix;
    char *edit = malloc(n * count + 256);
    mb_bytes b;
    hbs_error error = {0};
    hbs_status status;

    ht_case("W12", "%s", name);
    if (!edit)
        return;
    prefix = (size_t)snprintf(edit, 128, "!%s = [", place);
    for (size_t i = 0; i < count; i++)
        memcpy(edit + prefix + i * n, piece, n);
    strcpy(edit + prefix + n * count - 1, "]");
    mb_edit(m, edit);
    b = mb_write(m, MB_JSON);
    status = ht_try(b.data, b.size, NULL, &error);
    ht_check(status == HBS_E_FORMAT || status == HBS_E_LIMIT || status == HBS_OK, "got %s: %s", hbs_status_name(status),
             error.text);
    free(b.data);
    free(edit);
    mb_free(m);
}

/* A tree of `splits` set tests in a chain that all name the same `categories`, or a chain of splits whose
 * leaves all have the same wide row: what the file says once must not be held or walked once a node. */
static void test_shared(const char *name, mb_sample sample, const char *arrays, hbs_status wanted, size_t nodes,
                        size_t wide)
{
    mb_model *m = mb_make(sample);
    mb_bytes b;
    hbs_error error = {0};
    hbs_status status;

    ht_case("W12", "%s: %zu nodes, %zu numbers", name, nodes, wide);
    mb_set_chain(m, nodes / 2, false);
    mb_share(m, arrays, wide);
    b = mb_write(m, MB_UBJSON);
    status = ht_try(b.data, b.size, NULL, &error);
    ht_check(status == wanted || status == HBS_E_LIMIT, "got %s: %s", hbs_status_name(status), error.text);
    free(b.data);
    mb_free(m);
}

int main(void)
{
    for (int s = 0; s < MB_SAMPLES; s++)
        for (int e = 0; e < MB_ENCODINGS; e++) {
            test_prefixes((mb_sample)s, (mb_encoding)e);
            for (int change = 0; change < 10; change++)
                test_changes((mb_sample)s, (mb_encoding)e, change);
        }
    for (int s = 0; s < MB_SAMPLES; s++)
        test_counts((mb_sample)s);
    ht_run_edits("W2", COUNTS_IN_WORDS, HT_COUNT(COUNTS_IN_WORDS));
    ht_run_edits("W3", NEGATIVE_COUNTS, HT_COUNT(NEGATIVE_COUNTS));
    ht_run_edits("W4", PRODUCTS, HT_COUNT(PRODUCTS));
    test_nesting();
    ht_run_edits("W6", DUPLICATES, HT_COUNT(DUPLICATES));
    ht_run_edits("W7", WRONG_TYPES, HT_COUNT(WRONG_TYPES));
    test_wrong_kinds();
    test_equal_types();
    test_bombs();
    test_shared("one set of categories in all nodes", MB_CODES, "sets", HBS_E_FORMAT, 2000, 20000);
    test_shared("one row of leaf_weights in all leaves", MB_VECTOR, "leaves", HBS_E_FORMAT, 2000, 60000);
    test_expansion("200,000 empty objects", "{},", 200000, "O.reg_loss_param");
    test_expansion("200,000 empty names", "\"\",", 200000, "L.feature_names");
    test_expansion("200,000 short names", "\"a\",", 200000, "L.feature_names");
    test_expansion("200,000 digits", "1,", 200000, "T0.split_conditions");
    test_expansion("200,000 flags", "1,", 200000, "T0.default_left");
    test_expansion("200,000 rounds", "1,", 200000, "M.iteration_indptr");
    test_expansion("200,000 empty trees", "{},", 200000, "M.trees");
    return ht_report();
}
