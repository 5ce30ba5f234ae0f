/* test_lightgbm.c - LightGBM's text models that are broken: one table for each class of reliability.md that a
 * text format can meet. (test_lightgbm_bytes.c: cut files, changed bytes, memory, cancel.) */
#include "hostile.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lightgbm_builder.h"

typedef struct lb_case {
    const char *name;
    lb_sample sample;
    const char *edits;
    int status;        /* HT_ANY: loads, or FORMAT, LIMIT, UNSUPPORTED */
    const char *words; /* "a|b": both */
} lb_case;

static void check_case(mb_bytes b, const char *options, int wanted, const char *words)
{
    hbs_error error = {0};
    hbs_status status = ht_try(b.data, b.size, options, &error);

    if (wanted == HT_ANY)
        ht_check(status == HBS_OK || status == HBS_E_FORMAT || status == HBS_E_LIMIT || status == HBS_E_UNSUPPORTED,
                 "got %s: %s", hbs_status_name(status), error.text);
    else if (ht_check((int)status == wanted, "wanted %s, got %s: %s", hbs_status_name((hbs_status)wanted),
                      hbs_status_name(status), status == HBS_OK ? "" : error.text) &&
             status != HBS_OK)
        ht_check(ht_has_words(error.text, words), "wanted the words %s, got: %s", words, error.text);
    free(b.data);
}

static void run(const char *class_name, const lb_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ht_case(class_name, "%s (%s)", cases[i].name, lb_name(cases[i].sample));
        check_case(lb_edited(cases[i].sample, cases[i].edits), NULL, cases[i].status, cases[i].words);
    }
}

#define RUN(class_name, cases) run(class_name, cases, HT_COUNT(cases))
#define F                      HBS_E_FORMAT
#define U                      HBS_E_UNSUPPORTED

/* ------------------------------------------------------------------ W2 to W4: counts */

static const lb_case W2[] = {
    {"num_leaves above", LB_BINARY, "T0.num_leaves = 5", F, "tree 0|leaf_value has 4|expected 5"},
    {"num_leaves below", LB_BINARY, "T0.num_leaves = 3", F, "tree 0|leaf_value"},
    {"num_leaves huge", LB_BINARY, "T1.num_leaves = 2147483647", F, "tree 1|leaf_value"},
    {"num_leaves 0", LB_BINARY, "T0.num_leaves = 0", F, "num_leaves"},
    {"no num_leaves", LB_BINARY, "-T0.num_leaves", F, "num_leaves"},
    {"one leaf of four", LB_BINARY, "T0.num_leaves = 1", F, "leaf_value"},
    {"num_cat above", LB_SETS, "T0.num_cat = 3", F, "cat_boundaries has 3|expected 4"},
    {"num_cat below", LB_SETS, "T0.num_cat = 1", F, "cat_boundaries has 3|expected 2"},
    {"num_cat 0", LB_SETS, "T0.num_cat = 0", F, "node 0 has set 0|there are 0"},
    {"no num_cat", LB_SETS, "-T0.num_cat", F, "there are 0"},
    {"num_cat huge", LB_SETS, "T0.num_cat = 2147483647", F, "cat_boundaries"},
    {"num_cat of a tree without sets", LB_BINARY, "T0.num_cat = 1", F, "cat_boundaries"},
    {"more words than there are", LB_SETS, "T0.cat_boundaries = 0 1 5", F, "cat_threshold has 4"},
    {"fewer words than there are", LB_SETS, "T0.cat_boundaries = 0 1 3", F, "cat_threshold has 4"},
    {"no words", LB_SETS, "T0.cat_threshold = ", F, "cat_threshold has 0"},
    {"num_features above", LB_LINEAR, "T0.num_features = 3 0 1", F, "leaf_features has 3|expected 4"},
    {"num_features below", LB_LINEAR, "T0.num_features = 2 0 0", F, "leaf_features has 3|expected 2"},
    {"num_features huge", LB_LINEAR, "T0.num_features = 2147483647 0 1", F, "num_features"},
    {"num_features missing", LB_LINEAR, "-T0.num_features", F, "num_features has 0"},
    {"leaf_const missing", LB_LINEAR, "-T0.leaf_const", F, "leaf_const"},
    {"leaf_coeff short", LB_LINEAR, "T0.leaf_coeff = 1 2", F, "leaf_coeff has 2|expected 3"},
    {"leaf_coeff long", LB_LINEAR, "T0.leaf_coeff = 1 2 3 4", F, "leaf_coeff"},
    {"linear without a model", LB_BINARY, "T0.is_linear = 1", F, "leaf_const"},
    {"tree_sizes one byte off", LB_BINARY, "H.tree_sizes = 1 1", F, "tree 0|tree_sizes says 1"},
    {"tree_sizes short", LB_BINARY, "H.tree_sizes = ", F, "tree_sizes has 0"},
    {"tree_sizes of no number", LB_BINARY, "H.tree_sizes = many", F, "tree_sizes|number"},
    {"tree_sizes huge", LB_BINARY, "H.tree_sizes = 9223372036854775807 1", F, "tree_sizes"},
    {"max_feature_idx above", LB_BINARY, "H.max_feature_idx = 3", F, "feature_names"},
    {"max_feature_idx below", LB_BINARY, "H.max_feature_idx = 1", F, "feature_names has 3 items"},
    {"as many features as the limit", LB_BINARY, "H.max_feature_idx = 262143", F, "feature_names"},
    {"features over the limit", LB_BINARY, "H.max_feature_idx = 2147483646", HBS_E_LIMIT, "limit"},
    {"num_class above", LB_CLASSES, "H.num_class = 4", F, "3 classes, num_class says 4"},
    {"num_class of one number", LB_BINARY, "H.num_tree_per_iteration = 2", F, "num_tree_per_iteration 2"},
    {"num_class huge", LB_CLASSES, "H.num_class = 2147483647", F, "num_class|range"},
    {"multiclass of one class", LB_CLASSES, "H.num_class = 1\nH.num_tree_per_iteration = 1", F,
     "3 classes, num_class says 1"},
    {"multiclass of one class, twice", LB_CLASSES,
     "H.num_class = 1\nH.num_tree_per_iteration = 1\nH.objective = multiclass num_class:1", F, "2 or more"},
    {"a class fewer in the objective", LB_CLASSES, "H.objective = multiclass num_class:2", F,
     "2 classes, num_class says 3"},
    {"classes in words", LB_CLASSES, "H.objective = multiclass num_class:two", F, "num_class|two"},
    {"classes that are not said again", LB_CLASSES, "H.objective = multiclass", HBS_OK, NULL},
};

static const lb_case W3[] = {
    {"num_leaves", LB_BINARY, "T0.num_leaves = -4", F, "num_leaves"},
    {"num_cat", LB_SETS, "T0.num_cat = -1", F, "num_cat"},
    {"is_linear", LB_BINARY, "T0.is_linear = -1", F, "is_linear"},
    {"num_class", LB_BINARY, "H.num_class = -1", F, "num_class"},
    {"num_class 0", LB_BINARY, "H.num_class = 0", F, "num_class"},
    {"num_tree_per_iteration 0", LB_BINARY, "H.num_tree_per_iteration = 0", F, "iteration"},
    {"max_feature_idx", LB_BINARY, "H.max_feature_idx = -1", F, "max_feature_idx"},
    {"num_features", LB_LINEAR, "T0.num_features = 2 -1 2", F, "num_features"},
    {"leaf_count", LB_BINARY, "T0.leaf_count = 1 -2 3 4", F, "cover"},
    {"internal_count", LB_BINARY, "T0.internal_count = -10 3 7", F, "cover"},
    {"cat_boundaries", LB_SETS, "T0.cat_boundaries = -1 1 4", F, "cat_boundaries"},
    {"a word", LB_SETS, "T0.cat_threshold = 13 3 -2 1", F, "cat_threshold 2"},
    {"tree_sizes", LB_BINARY, "H.tree_sizes = -1 -1", F, "tree_sizes"},
    {"a tree's number", LB_BINARY, "T0.Tree = -1", F, "Tree"},
};

static const lb_case W4[] = {
    {"num_leaves 2^63 - 1", LB_BINARY, "T0.num_leaves = 9223372036854775807", F, "num_leaves"},
    {"num_leaves 2^63", LB_BINARY, "T0.num_leaves = 9223372036854775808", F, "num_leaves"},
    {"num_leaves 2^32 + 4", LB_BINARY, "T0.num_leaves = 4294967300", F, "num_leaves"},
    {"num_features 2^62", LB_LINEAR, "T0.num_features = 4611686018427387904 0 1", F, "num_features"},
    {"num_features 2^32 + 2", LB_LINEAR, "T0.num_features = 4294967298 0 1", F, "num_features"},
    {"num_features 2^64 + 2", LB_LINEAR, "T0.num_features = 18446744073709551618 0 1", F, "num_features"},
    {"cat_boundaries 2^63 - 1", LB_SETS, "T0.cat_boundaries = 0 1 9223372036854775807", F, "cat_boundaries"},
    {"cat_boundaries 2^32 + 4", LB_SETS, "T0.cat_boundaries = 0 1 4294967300", F, "cat_boundaries"},
    {"num_class 2^32 + 1", LB_BINARY, "H.num_class = 4294967297", F, "num_class"},
    {"max_feature_idx 2^32 + 2", LB_BINARY, "H.max_feature_idx = 4294967298", F, "max_feature_idx"},
    {"leaf_count 2^63", LB_BINARY, "T0.leaf_count = 1 2 3 9223372036854775808", F, "leaf_count"},
};

/* ------------------------------------------------------------------ W6: twice */

static void test_duplicates(void)
{
    static const char *const HEADER[] = {"version=v4",
                                         "num_class=1",
                                         "num_tree_per_iteration=1",
                                         "label_index=0",
                                         "max_feature_idx=2",
                                         "objective=poisson",
                                         "feature_names=a b c",
                                         "feature_infos=none",
                                         "tree_sizes=1",
                                         "monotone_constraints=0\nmonotone_constraints=0",
                                         "average_output"};
    static const char *const TREE[] = {
        "num_leaves=3",       "num_cat=0",           "split_feature=0 1", "threshold=0 1",
        "decision_type=2 8",  "left_child=1 -1",     "right_child=-3 -2", "leaf_value=1 2 3",
        "leaf_count=1 2 3",   "internal_count=6 3",  "is_linear=1",       "leaf_const=1 1 1",
        "num_features=2 0 1", "leaf_features=0 2 1", "leaf_coeff=1 2 3",  "shrinkage=1"};
    char edit[128];

    for (size_t i = 0; i < HT_COUNT(HEADER); i++) {
        const char *second = strchr(HEADER[i], '\n');

        ht_case("W6", "the header's %.24s twice", HEADER[i]);
        snprintf(edit, sizeof(edit), "+H = %.*s%s%s", (int)strcspn(HEADER[i], "\n"), HEADER[i], second ? "\n+H = " : "",
                 second ? second + 1 : "");
        check_case(lb_edited(LB_AVERAGE, edit), NULL, F,
                   strcmp(HEADER[i], "average_output") == 0 ? "average_output" : "duplicate");
    }
    for (size_t i = 0; i < HT_COUNT(TREE); i++) {
        ht_case("W6", "a tree's %s twice", TREE[i]);
        snprintf(edit, sizeof(edit), "+T0 = %s", TREE[i]);
        check_case(lb_edited(LB_LINEAR, edit), NULL, F, "tree 0|duplicate");
    }
}

static const lb_case W6[] = {
    {"a tree twice", LB_BINARY, "*T0", F, "expected \"Tree=1\""},
    {"cat_boundaries twice", LB_SETS, "+T0 = cat_boundaries=0 1 4", F, "duplicate"},
    {"cat_threshold twice", LB_SETS, "+T0 = cat_threshold=13 3 2 1", F, "duplicate"},
    {"pandas_categorical twice", LB_TEXTS,
     "tail = ||feature_importances:||pandas_categorical:[[\"a\"],[\"b\"]]|pandas_"
     "categorical:[[\"b\"],[\"a\"]]|",
     F, "unknown line"},
    {"categorical_feature twice", LB_TEXTS,
     "tail = ||feature_importances:||parameters:|[categorical_feature: 1,2]|"
     "[categorical_feature: 0,2]|end of parameters||pandas_categorical:[[\"a\"],[\"b\"]]|",
     F, "categorical_feature"},
    {"one column twice", LB_TEXTS,
     "tail = ||feature_importances:||parameters:|[categorical_feature: 1,1]|end of parameters"
     "||pandas_categorical:[[\"a\"],[\"b\"]]|",
     HBS_OK, NULL}, /* feature_infos say them */
    {"a category twice", LB_TEXTS,
     "tail = ||feature_importances:||pandas_categorical:[[\"a\",\"a\",\"b\"],[\"b\",\"c\"]]|", U,
     "has the same bytes as another one, so they cannot be told apart"},
    {"a number twice", LB_INTEGERS, "tail = ||feature_importances:||pandas_categorical:[[1,2,1.0],[7,8]]|", U,
     "category 2 is the same number as another one"},
    {"a real number twice", LB_REALS, "tail = ||feature_importances:||pandas_categorical:[[0.5,1,5e-1],[7,8]]|", U,
     "category 2"},
    {"0 and -0", LB_REALS, "tail = ||feature_importances:||pandas_categorical:[[0,0.5,-0.0],[7,8]]|", U, "category 2"},
    {"a feature's name twice", LB_BINARY, "H.feature_names = a b a", F, "two features"},
};

/* ------------------------------------------------------------------ W7: other types */

static const lb_case W7[] = {
    {"a word for a threshold", LB_BINARY, "T0.threshold = a -1.5 0", F, "threshold|\"a\""},
    {"a real number for a feature", LB_BINARY, "T0.split_feature = 0.5 1 2", F, "split_feature"},
    {"1.0 for a child", LB_BINARY, "T0.left_child = 1.0 -1 -3", F, "left_child"},
    {"a list for num_leaves", LB_BINARY, "T0.num_leaves = 4 4", F, "num_leaves"},
    {"a space behind num_leaves", LB_BINARY, "T0.num_leaves = 4 ", F, "num_leaves"},
    {"nothing for num_leaves", LB_BINARY, "T0.num_leaves = ", F, "num_leaves"},
    {"a word for num_class", LB_BINARY, "H.num_class = one", F, "num_class|\"one\""},
    {"nothing for num_class", LB_BINARY, "H.num_class = ", F, "num_class"},
    {"JSON for a list", LB_BINARY, "T0.leaf_value = [1, 2, 3, 4]", F, "leaf_value|\"[1,\""},
    {"commas", LB_BINARY, "T0.leaf_value = 1,2,3,4", F, "leaf_value"},
    {"tabs", LB_BINARY, "T0.leaf_value = 1\t2\t3\t4", F, "leaf_value"},
    {"is_linear in words", LB_LINEAR, "T0.is_linear = true", F, "is_linear"},
    {"decision_type above", LB_BINARY, "T0.decision_type = 12 10 4", U, "node 0|decision_type 12"},
    {"decision_type of another bit", LB_BINARY, "T0.decision_type = 2 66 4", U, "node 1|66"},
    {"decision_type negative", LB_BINARY, "T0.decision_type = 2 10 -1", U, "node 2|-1"},
    {"decision_type 2^32 + 2", LB_BINARY, "T0.decision_type = 4294967298 10 4", U, "node 0"},
    {"no '=' in the header", LB_BINARY, "+H = num_class", F, "key=value|\"num_class\""},
    {"no '=' in a tree", LB_BINARY, "+T0 = leaf_value", F, "tree 0|key=value"},
    {"an empty key", LB_BINARY, "+T0 = =1", F, "unknown key \"\""},
    {"categories: no array", LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:{}|", F,
     "pandas_categorical"},
    {"categories: a text", LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:\"x\"|", F,
     "pandas_categorical"},
    {"categories: no list", LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[1,2]|", F,
     "pandas_categorical"},
    {"categories: null in a list", LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[[null],[1]]|", F,
     "pandas_categorical"},
    {"categories: a list in a list", LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[[[1]],[1]]|", F,
     "pandas_categorical"},
    {"categories: an object in a list", LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[[{}],[1]]|", F,
     "pandas_categorical"},
    {"categories: texts and numbers", LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[[\"a\",1],[1]]|", U,
     "texts and numbers"},
    {"categories: nothing", LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:|", F, "pandas_categorical"},
    {"categories: half", LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[[\"a\"],|", F,
     "pandas_categorical"},
    {"categories: something behind", LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[[\"a\"],[\"b\"]]]|",
     F, "pandas_categorical"},
};

/* W5: nesting where the format has any. */
static void test_nesting(void)
{
    size_t depth = 100000;
    char *edit = malloc(depth + 64);
    size_t n = (size_t)sprintf(edit, "tail = ||feature_importances:||pandas_categorical:");

    memset(edit + n, '[', depth);
    edit[n + depth] = '\0';
    ht_case("W5", "%zu arrays in the categories", depth);
    check_case(lb_edited(LB_TEXTS, edit), NULL, HT_ANY, NULL);
    strcpy(edit + n + 60, "|");
    ht_case("W5", "60 arrays in the categories");
    check_case(lb_edited(LB_TEXTS, edit), NULL, F, "pandas_categorical");
    free(edit);
}

/* ------------------------------------------------------------------ W9: texts */

static const lb_case W9[] = {
    {"bad UTF-8 in a name", LB_BINARY, "H.feature_names = a \xff c", F, "UTF-8"},
    {"an overlong NUL in a name", LB_BINARY, "H.feature_names = a \xc0\x80 c", F, "UTF-8"},
    {"a surrogate in a name", LB_BINARY, "H.feature_names = a \xed\xa0\x80 c", F, "UTF-8"},
    {"half a character at the end", LB_BINARY, "H.feature_names = a b \xe2\x82", F, "UTF-8"},
    {"a control character in a name", LB_BINARY, "H.feature_names = a \x01\x1b[2J c", HT_ANY, NULL},
    {"an accent in a name", LB_BINARY, "H.feature_names = \xc3\xa9 b c", HBS_OK, NULL},
    {"quotes and backslashes in names", LB_BINARY, "H.feature_names = \" \\ '", HBS_OK, NULL},
    {"no names", LB_BINARY, "H.feature_names = ", F, "feature_names"},
    {"an empty name", LB_BINARY, "H.feature_names = a  b c", F, "feature_names has 4"},
    {"a space behind the names", LB_BINARY, "H.feature_names = a b c ", HBS_OK, NULL},
    {"bad UTF-8 in the version", LB_BINARY, "H.version = \xff\xfe\x01", U, "\\xff\\xfe\\x01"},
    {"bad UTF-8 in the objective", LB_BINARY, "H.objective = \xc3\x28", U, "\\xc3("},
    {"bad UTF-8 in a key", LB_BINARY, "+T0 = \xffkey=1", F, "unknown key|\\xff"},
    {"a format string in a key", LB_BINARY, "+T0 = %s%n%s=1", F, "%s%n%s"},
    {"bad UTF-8 in a number", LB_BINARY, "T0.leaf_value = 1 \xff 3 4", F, "leaf_value|\\xff"},
    {"other digits", LB_BINARY, "T0.leaf_value = \xd9\xa1 2 3 4", F, "leaf_value"},
    {"a no-break space", LB_BINARY,
     "T0.leaf_value = 1\xc2\xa0"
     "2 3 4",
     F, "leaf_value"},
    {"bad UTF-8 in a category", LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[[\"\xff\"],[\"b\"]]|", F,
     "pandas_categorical"},
    {"a lone surrogate in a category", LB_TEXTS,
     "tail = ||feature_importances:||pandas_categorical:[[\"\\ud800\"],[1]]|", F, "pandas_categorical"},
    {"a control character in a category", LB_TEXTS,
     "tail = ||feature_importances:||pandas_categorical:[[\"\x01\"],[1]]|", F, "pandas_categorical"},
    {"NUL as an escape in a category", LB_TEXTS,
     "tail = ||feature_importances:||pandas_categorical:[[\"a\\u0000b\"],[\"b\"]]|", HT_ANY, NULL},
    {"an empty category", LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[[\"\"],[\"b\"]]|", HBS_OK,
     NULL},
    {"bad bytes behind the trees", LB_BINARY, "tail = |\xff\x01|", F, "\\xff\\x01"},
    {"bad bytes in the importances", LB_BINARY,
     "tail = ||feature_importances:|\xff\x01=1||parameters:|[a: b]|end of parameters|", F, "\\xff\\x01"},
    {"bad bytes in a parameter", LB_BINARY, "tail = ||feature_importances:||parameters:|[a: \xff]|end of parameters|",
     HBS_OK, NULL},
};

/* `what` at the first place of `mark`, instead of as many bytes. */
static mb_bytes replaced(lb_sample sample, const char *mark, const char *what, size_t size)
{
    mb_bytes b = lb_edited(sample, NULL);

    for (size_t i = 0; i + size <= b.size; i++)
        if (memcmp(b.data + i, mark, strlen(mark)) == 0) {
            memcpy(b.data + i, what, size);
            return b;
        }
    ht_fail("no %s in the sample", mark);
    return b;
}

/* A line that is very long: its words are cut in messages. */
static void test_long_lines(void)
{
    static const struct {
        const char *before;
        int status;
    } LINES[] = {{"H.feature_names = a b ", HBS_OK},
                 {"H.version = ", U},
                 {"H.objective = ", U},
                 {"H.num_class = ", F},
                 {"+H = ", F},
                 {"+T0 = ", F},
                 {"T0.num_leaves = ", F},
                 {"T0.leaf_value = 1 2 3 ", F},
                 {"T0.left_child = 1 -1 ", F},
                 {"tail = ||", F},
                 {"T0.split_gain = ", HBS_OK},
                 {"H.feature_infos = none none ", HBS_OK},
                 {"tail = ||feature_importances:||parameters:|[categorical_feature: ", F},
                 {"H.objective = binary sigmoid:", F}};
    size_t long_size = (size_t)1 << 20;
    char *edit = malloc(long_size + 128);

    for (size_t i = 0; i < HT_COUNT(LINES); i++)
        for (int digits = 0; digits < 2; digits++) {
            size_t n = (size_t)sprintf(edit, "%s", LINES[i].before);
            bool number = strstr("T0.leaf_value = 1 2 3 |H.num_class = ", LINES[i].before) != NULL;

            ht_case("W9", "1 MB of %s behind %s", digits ? "digits" : "letters", LINES[i].before);
            memset(edit + n, digits ? '7' : 'w', long_size);
            edit[n + long_size] = '\0';
            check_case(lb_edited(LB_BINARY, edit), NULL, number ? F : LINES[i].status, NULL);
        }
    free(edit);
}

static void test_nul(void)
{
    ht_case("W9", "NUL in a name");
    check_case(replaced(LB_BINARY, "a b c", "a \0 c", 5), NULL, HT_ANY, NULL);
    ht_case("W9", "NUL in a key");
    check_case(replaced(LB_BINARY, "num_cat", "num\0cat", 7), NULL, F, "unknown key \"num\\x00cat\"");
    ht_case("W9", "NUL in a number");
    check_case(replaced(LB_BINARY, "0.5 -1.5",
                        "0\0"
                        "5 -1.5",
                        8),
               NULL, F, "threshold");
    ht_case("W9", "NUL behind a number");
    check_case(replaced(LB_BINARY, "num_class=1", "num_class=\0", 11), NULL, F, "num_class");
    ht_case("W9", "NUL behind the version");
    check_case(replaced(LB_BINARY, "version=v4\n", "version=v4\0", 11), NULL, F, "num_class");
    ht_case("W9", "NUL for a line's end");
    check_case(replaced(LB_BINARY, "tree\n", "tree\0", 5), NULL, F, "not a model file");
    ht_case("W9", "NUL in a category");
    check_case(replaced(LB_TEXTS, "\"gold\"", "\"go\0d\"", 6), NULL, F, "pandas_categorical");
}

/* ------------------------------------------------------------------ W10: numbers */

static void test_numbers(void)
{
    static const struct {
        const char *number;
        int leaf, threshold, coefficient, integer;
    } NUMBERS[] = {
        {"0", HBS_OK, HBS_OK, HBS_OK, HBS_OK},
        {"-0.0", HBS_OK, HBS_OK, HBS_OK, F},
        {"1e999", F, F, F, F},
        {"-1e999", F, F, F, F},
        {"1e308", HBS_OK, HBS_OK, HBS_OK, F},
        {"1.8e308", F, F, F, F},
        {"5e-324", HBS_OK, HBS_OK, HBS_OK, F},
        {"1e-400", HBS_OK, HBS_OK, HBS_OK, F},
        {"inf", HBS_OK, HBS_OK, HBS_OK, F},
        {"-inf", HBS_OK, HBS_OK, HBS_OK, F},
        {"nan", F, F, F, F},
        {"-nan", F, F, F, F},
        {"NaN", F, F, F, F},
        {"Infinity", F, F, F, F},
        {"INF", F, F, F, F},
        {"infinity", F, F, F, F},
        {"nan(0x1)", F, F, F, F},
        {"1.#INF", F, F, F, F},
        {"0x10", F, F, F, F},
        {"0x1p3", F, F, F, F},
        {"+1", F, F, F, F},
        {"0,5", F, F, F, F},
        {"1.", F, F, F, F},
        {".5", F, F, F, F},
        {"1e", F, F, F, F},
        {"1e+", F, F, F, F},
        {"--1", F, F, F, F},
        {"-", F, F, F, F},
        {"1_000", F, F, F, F},
        {"1f", F, F, F, F},
        {"1d3", F, F, F, F},
        {"1;", F, F, F, F},
        {"01", F, F, F, F},
        {"1e0000000000000000005", HT_ANY, HT_ANY, HT_ANY, F},
        {"1e-99999999999999999999", HT_ANY, HT_ANY, HT_ANY, F},
        {"1e99999999999999999999", F, F, F, F},
        {"9223372036854775808", HBS_OK, HBS_OK, HBS_OK, F},
        {"0.1000000000000000055511151231257827021181583404541015625", HBS_OK, HBS_OK, HBS_OK, F},
    };
    char edit[256];

    for (size_t i = 0; i < HT_COUNT(NUMBERS); i++) {
        const char *n = NUMBERS[i].number;

        ht_case("W10", "a leaf of %s", n);
        snprintf(edit, sizeof(edit), "T0.leaf_value = 1 2 3 %s", n);
        check_case(lb_edited(LB_BINARY, edit), NULL, NUMBERS[i].leaf, NULL);
        ht_case("W10", "a threshold of %s", n);
        snprintf(edit, sizeof(edit), "T0.threshold = %s 0 1", n);
        check_case(lb_edited(LB_BINARY, edit), NULL, NUMBERS[i].threshold, NULL);
        ht_case("W10", "a coefficient of %s", n);
        snprintf(edit, sizeof(edit), "T0.leaf_coeff = 1 %s 2", n);
        check_case(lb_edited(LB_LINEAR, edit), NULL, NUMBERS[i].coefficient, NULL);
        ht_case("W10", "a constant of %s", n);
        snprintf(edit, sizeof(edit), "T0.leaf_const = 1 %s 2", n);
        check_case(lb_edited(LB_LINEAR, edit), NULL, NUMBERS[i].coefficient, NULL);
        ht_case("W10", "a feature of %s", n);
        snprintf(edit, sizeof(edit), "T0.split_feature = 1 2 %s", n);
        check_case(lb_edited(LB_BINARY, edit), NULL, NUMBERS[i].integer, NULL);
    }
}

static const lb_case W10[] = {
    {"sigmoid 0", LB_BINARY, "H.objective = binary sigmoid:0", F, "sigmoid"},
    {"sigmoid negative", LB_BINARY, "H.objective = binary sigmoid:-1", F, "sigmoid"},
    {"sigmoid NaN", LB_BINARY, "H.objective = binary sigmoid:nan", F, "sigmoid"},
    {"sigmoid infinite", LB_BINARY, "H.objective = binary sigmoid:inf", F, "sigmoid"},
    {"sigmoid 1e999", LB_BINARY, "H.objective = binary sigmoid:1e999", F, "sigmoid"},
    {"sigmoid with a comma", LB_BINARY, "H.objective = binary sigmoid:0,5", F, "sigmoid"},
    {"sigmoid without a number", LB_BINARY, "H.objective = binary sigmoid:", F, "sigmoid"},
    {"sigmoid twice", LB_BINARY, "H.objective = binary sigmoid:1 sigmoid:2", F, "sigmoid"},
    {"sigmoid denormal", LB_BINARY, "H.objective = binary sigmoid:5e-324", HBS_OK, NULL},
    {"NaN as a category", LB_REALS, "tail = ||feature_importances:||pandas_categorical:[[NaN],[1]]|", F,
     "pandas_categorical"},
    {"infinity as a category", LB_REALS, "tail = ||feature_importances:||pandas_categorical:[[Infinity],[1]]|", HT_ANY,
     NULL},
    {"1e999 as a category", LB_REALS, "tail = ||feature_importances:||pandas_categorical:[[1e999],[1]]|", F,
     "pandas_categorical"},
    {"2^53 + 1 as a category", LB_INTEGERS,
     "tail = ||feature_importances:||pandas_categorical:[[9007199254740993],[1]]|", HT_ANY, NULL},
    {"10^400 as a category", LB_INTEGERS, "tail = ||feature_importances:||pandas_categorical:[[1e400],[1]]|", F,
     "pandas_categorical"},
};

/* In a locale with a decimal comma, where the machine has one. */
static void test_locale(void)
{
    static const char *const NAMES[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
    uint64_t want[LB_SAMPLES];
    bool found = false;

    for (int s = 0; s < LB_SAMPLES; s++) {
        mb_bytes b = lb_edited((lb_sample)s, NULL);

        ht_case("W10", "%s in the C locale", lb_name((lb_sample)s));
        want[s] = ht_fingerprint_of(b, NULL);
        free(b.data);
    }
    for (size_t i = 0; i < HT_COUNT(NAMES) && !found; i++)
        found = setlocale(LC_ALL, NAMES[i]) && localeconv()->decimal_point[0] == ',';
    for (int s = 0; s < LB_SAMPLES && found; s++) {
        mb_bytes b = lb_edited((lb_sample)s, NULL);

        ht_case("W10", "%s in a locale with a decimal comma", lb_name((lb_sample)s));
        ht_check(ht_fingerprint_of(b, NULL) == want[s], "scores otherwise");
        free(b.data);
    }
    setlocale(LC_ALL, "C");
}

/* ------------------------------------------------------------------ W13, W14 */

/* The first section behind the trees, and the second one. */
#define IMPORTANCES "tail = ||feature_importances:|"
#define PARAMETERS  "|parameters:|[a: 1]||end of parameters|"

static const lb_case W13[] = {
    {"a word behind", LB_BINARY, "tail = |x|", F, "unknown line|\"x\""},
    {"a line of the header behind", LB_BINARY, "tail = |num_class=3|", F, "unknown line"},
    {"a tree behind", LB_BINARY, "tail = |Tree=2|num_leaves=1|leaf_value=1|", F, "unknown line"},
    {"a model behind", LB_BINARY, "tail = |tree|version=v4|", F, "unknown line"},
    {"JSON behind", LB_BINARY, "tail = |{\"learner\":{}}", F, "ends within the line|it is cut short"},
    {"end of trees twice", LB_BINARY, "tail = |end of trees|", F, "unknown line"},
    {"something on the same line", LB_BINARY, "tail = x|", F, "end of trees"},
    {"a space behind the end", LB_BINARY, "tail =  |", F, NULL},
    {"nothing behind", LB_BINARY, "tail = ", F, "before its feature_importances"},
    {"an empty line behind", LB_BINARY, "tail = ||", F, "before its feature_importances"},
    {"parameters without end", LB_BINARY, "tail = ||feature_importances:||parameters:|[a: 1]|", F,
     "the file ends inside \"parameters:\", it is cut short"},
    {"parameters cut in the last word", LB_BINARY, IMPORTANCES "|parameters:|end of paramete", F,
     "ends within the line|it is cut short"},
    {"parser without end", LB_BINARY, "tail = ||feature_importances:||parser:|{}|", F,
     "the file ends inside \"parser:\", it is cut short"},
    {"no parameters", LB_BINARY, IMPORTANCES "a=3|b=2|c=1|", HBS_OK, NULL},
    {"no parameters, importances cut", LB_BINARY, IMPORTANCES "a=3|b=2|", F, "as if cut short"},
    {"no parameters, codes", LB_SETS, IMPORTANCES "a=3|b=2|c=1|", F, "as if cut short|in Python"},
    {"no parameters, codes, by Python", LB_SETS, IMPORTANCES "a=3|b=2|c=1||pandas_categorical:null|", HBS_OK, NULL},
    {"no parameters, by Python", LB_BINARY, IMPORTANCES "|pandas_categorical:null|", HBS_OK, NULL},
    {"parameters, without Python", LB_SETS, IMPORTANCES PARAMETERS, HBS_OK, NULL},
    {"a parser", LB_BINARY, IMPORTANCES PARAMETERS "|parser:|{}||x=|end of parser|", HBS_OK, NULL},
    {"all sections", LB_BINARY, IMPORTANCES PARAMETERS "|parser:|{}|end of parser||pandas_categorical:[]|", HBS_OK,
     NULL},
    {"importances as 2.3 writes them", LB_BINARY, "tail = ||feature importances:|a=1|" PARAMETERS, HBS_OK, NULL},
    {"importances without a line before", LB_BINARY, "tail = |feature_importances:|" PARAMETERS, F, "unknown line"},
    {"importances twice", LB_BINARY, IMPORTANCES "|feature_importances:|" PARAMETERS, F, "unknown line"},
    {"a heading with more behind", LB_BINARY, "tail = ||feature_importances: 3|" PARAMETERS, F, "unknown line"},
    {"an unknown feature", LB_BINARY, IMPORTANCES "d=1|" PARAMETERS, F, "\"d=1\""},
    {"a feature twice", LB_BINARY, IMPORTANCES "a=1|a=1|" PARAMETERS, F, "\"a=1\""},
    {"a feature without a name", LB_BINARY, IMPORTANCES "=1|" PARAMETERS, F, "\"=1\""},
    {"a count that rises", LB_BINARY, IMPORTANCES "a=9|b=10|" PARAMETERS, F, "\"b=10\""},
    {"a count of 0", LB_BINARY, IMPORTANCES "a=0|" PARAMETERS, F, "\"a=0\""},
    {"a count below 0", LB_BINARY, IMPORTANCES "a=-1|" PARAMETERS, F, "\"a=-1\""},
    {"a count in words", LB_BINARY, IMPORTANCES "a=x|" PARAMETERS, F, "\"a=x\""},
    {"no count", LB_BINARY, IMPORTANCES "a=|" PARAMETERS, F, "\"a=\""},
    {"a count of 2^64 - 1", LB_BINARY, IMPORTANCES "a=18446744073709551615|b=1|" PARAMETERS, HBS_OK, NULL},
    {"a count of 21 digits", LB_BINARY, IMPORTANCES "a=184467440737095516150|" PARAMETERS, F, "unknown line"},
    {"an importance in no section", LB_BINARY, IMPORTANCES "|a=1|" PARAMETERS, F, "\"a=1\""},
    {"parameters twice", LB_BINARY, IMPORTANCES PARAMETERS PARAMETERS, F, "\"parameters:\""},
    {"parameters without importances", LB_BINARY, "tail = |" PARAMETERS, F, "\"parameters:\""},
    {"a parameter without brackets", LB_BINARY, IMPORTANCES "|parameters:|a: 1|end of parameters|", F, "\"a: 1\""},
    {"a parameter without a name", LB_BINARY, IMPORTANCES "|parameters:|[1]|end of parameters|", F, "\"[1]\""},
    {"a parser before the parameters", LB_BINARY, IMPORTANCES "|parser:|x|end of parser|" PARAMETERS, F,
     "\"parameters:\""},
    {"a line behind the parameters", LB_BINARY, IMPORTANCES PARAMETERS "x|", F, "\"x\""},
    {"categories without a line before", LB_BINARY, IMPORTANCES PARAMETERS "pandas_categorical:null|", F,
     "unknown line"},
    {"categories without an end", LB_BINARY, IMPORTANCES PARAMETERS "|pandas_categorical:null", F, "within the line"},
    {"an empty line at the end", LB_BINARY, IMPORTANCES PARAMETERS "|", F, "with an empty line"},
    {"an empty line behind the categories", LB_BINARY, IMPORTANCES PARAMETERS "|pandas_categorical:null||", F,
     "with an empty line"},
    {"a section behind the categories", LB_BINARY, IMPORTANCES "|pandas_categorical:null|" PARAMETERS, F,
     "\"parameters:\""},
    {"an info too many", LB_BINARY, "H.feature_infos = [0:1] [0:1] [0:1] [0:1]", F,
     "feature_infos has 4 items, max_feature_idx says 3"},
    {"an info too few", LB_BINARY, "H.feature_infos = [0:1] [0:1]", F, "feature_infos has 2 items"},
    {"a constraint too few", LB_BINARY, "+H = monotone_constraints=1 0", F, "monotone_constraints has 2 items"},
    {"a constraint for each", LB_BINARY, "+H = monotone_constraints=1 0 -1", HBS_OK, NULL},
    {"categories in the parameters", LB_BINARY,
     IMPORTANCES "|parameters:|pandas_categorical:[[1]]|"
                 "end of parameters|",
     F, "unknown line"},
    {"a parameter without its end", LB_TEXTS,
     IMPORTANCES "|parameters:|[categorical_feature: |end of "
                 "parameters||pandas_categorical:[[1],[2]]|",
     F, "categorical_feature"},
    {"`[categorical_feature: ` alone, a byte less", LB_TEXTS,
     "tail = ||feature_importances:||parameters:|[categorical_feature:]|end of parameters||pandas_categorical:[[1],[2]]|",
     HBS_OK, NULL},
    {"columns out of range", LB_TEXTS,
     "tail = ||feature_importances:||parameters:|[categorical_feature: 1,3]|end of "
     "parameters||pandas_categorical:[[1],[2]]|",
     HT_ANY, NULL},
    {"columns by name", LB_TEXTS,
     "tail = ||feature_importances:||parameters:|[categorical_feature: name:a,b]|end of "
     "parameters||pandas_categorical:[[1],[2]]|",
     HBS_OK, NULL},
    {"columns of 2^64", LB_TEXTS,
     "tail = ||feature_importances:||parameters:|[categorical_feature: "
     "18446744073709551617,2]|end of parameters||pandas_categorical:[[1],[2]]|",
     HT_ANY, NULL},
    {"more lists than columns", LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[[1],[2],[3],[4],[5]]|",
     HT_ANY, NULL},
    {"fewer lists than columns", LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[[1]]|", HT_ANY, NULL},
    {"empty lists", LB_TEXTS, "tail = ||feature_importances:||pandas_categorical:[[],[]]|", HT_ANY, NULL},
    {"no infos", LB_TEXTS, "-H.feature_infos", F, "feature_infos"},
    {"infos of too many", LB_TEXTS, "H.feature_infos = 1 1 1 1 1 1 1", F, "7 items"},
};

static const ht_file FILES[] = {
    {"the first line alone", "tree\n", 0, F, "ends before its trees"},
    {"the word alone", "tree", 0, F, "not a model file"},
    {"a space before", " tree\nversion=v4\n", 0, F, "not a model file"},
    {"an empty line before", "\ntree\nversion=v4\n", 0, F, "not a model file"},
    {"a byte order mark", "\xef\xbb\xbftree\nversion=v4\n", 0, F, "byte-order mark"},
    {"UTF-16", "t\0r\0e\0e\0\n\0", 10, F, "not a model file"},
    {"capitals", "TREE\nversion=v4\n", 0, F, "not a model file"},
    {"dump_model's JSON", "{\"name\":\"tree\",\n\"version\":\"v4\"}", 0, F,
     "LightGBM's JSON dump|booster_.save_model(\"model.txt\")"},
    {"dump_model's JSON, indented", "{\r\n  \"name\" : \"tree\",", 0, F, "LightGBM's JSON dump"},
    {"JSON of another name", "{\"name\":\"trees\"}", 0, F, "unknown member"},
    {"a pickle of an estimator", "\x80\x04", 2, F, "pickle|booster_.save_model(\"model.txt\")"},
    {"a line end of old", "tree\rversion=v4\r", 0, F, "not a model file"},
    {"no header", "tree\nend of trees\n", 0, F, "version"},
    {"a tree without header", "tree\nTree=0\nnum_leaves=1\nleaf_value=1\nend of trees\n", 0, F, "version"},
    {"no classes", "tree\nversion=v4\nend of trees\n", 0, F, "num_class"},
    {"zero trees",
     "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=0\n"
     "feature_names=a\nfeature_infos=none\nend of trees\n\nfeature_importances:\n",
     0, HBS_OK, NULL},
    {"zero trees of many classes",
     "tree\nversion=v4\nnum_class=500\nnum_tree_per_iteration=500\n"
     "max_feature_idx=0\nobjective=multiclass num_class:500\nfeature_names=a\nfeature_infos=none\n"
     "tree_sizes=\nend of trees\n\nfeature_importances:\n",
     0, HBS_OK, NULL},
    {"averaging zero trees",
     "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\n"
     "max_feature_idx=0\nobjective=regression\naverage_output\nfeature_names=a\n"
     "feature_infos=none\nend of trees\n\nfeature_importances:\n",
     0, HBS_OK, NULL},
    {"a tree that is not there",
     "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\n"
     "max_feature_idx=0\nfeature_names=a\nfeature_infos=none\ntree_sizes=100\nend of trees\n",
     0, F, "tree_sizes has 1"},
};

static const lb_case W14[] = {
    {"version v2", LB_BINARY, "H.version = v2", U, "version v2|v3 and v4|with a newer LightGBM"},
    {"version v5", LB_BINARY, "H.version = v5", U, "version v5"},
    {"version v40", LB_BINARY, "H.version = v40", U, "version v40"},
    {"version 4", LB_BINARY, "H.version = 4", U, "version 4"},
    {"no version", LB_BINARY, "-H.version", F, "version"},
    {"an empty version", LB_BINARY, "H.version = ", U, "version"},
    {"version v3", LB_BINARY, "H.version = v3", HBS_OK, NULL},
    {"no num_class", LB_BINARY, "-H.num_class", F, "num_class"},
    {"no num_tree_per_iteration", LB_BINARY, "-H.num_tree_per_iteration", F, "iteration"},
    {"no max_feature_idx", LB_BINARY, "-H.max_feature_idx", F, "max_feature_idx"},
    {"no feature_names", LB_BINARY, "-H.feature_names", F, "feature_names"},
    {"no tree_sizes", LB_BINARY, "-H.tree_sizes", HBS_OK, NULL},
    {"no objective", LB_BINARY, "-H.objective", HBS_OK, NULL},
    {"an unknown objective", LB_BINARY, "H.objective = survival", U, "unknown objective \"survival\""},
    {"an empty objective", LB_BINARY, "H.objective = ", U, "unknown objective"},
    {"an objective in capitals", LB_BINARY, "H.objective = Binary", U, "Binary"},
    {"half an objective", LB_BINARY, "H.objective = regressio", U, "regressio"},
    {"an unknown word behind", LB_BINARY, "H.objective = binary cubed", U, "cubed"},
    {"sqrt of another kind", LB_BINARY, "H.objective = poisson sqrt", U, "sqrt"},
    {"an unknown key", LB_BINARY, "+H = linear_link=1", F, "unknown key \"linear_link\""},
    {"an unknown key of a tree", LB_BINARY, "+T1 = leaf_vector=1", F, "tree 1|\"leaf_vector\""},
    {"a key of a tree in the header", LB_BINARY, "+H = num_leaves=1", F, "num_leaves"},
    {"a key of the header in a tree", LB_BINARY, "+T0 = num_class=1", F, "num_class"},
    {"a key in capitals", LB_BINARY, "+T0 = Num_leaves=1", F, "Num_leaves"},
    {"a space before a key", LB_BINARY, "+T0 =  num_cat=0", F, "unknown key"},
};

static mb_bytes with_ends(mb_bytes b)
{
    mb_bytes longer = {malloc(2 * b.size), 0};

    for (size_t i = 0; i < b.size; i++) {
        if (b.data[i] == '\n')
            longer.data[longer.size++] = '\r';
        longer.data[longer.size++] = b.data[i];
    }
    free(b.data);
    return longer;
}

static void test_line_ends(void)
{
    for (int s = 0; s < LB_SAMPLES; s++) {
        mb_bytes plain = lb_edited((lb_sample)s, "-H.tree_sizes");
        mb_bytes other = with_ends(lb_edited((lb_sample)s, "-H.tree_sizes"));
        uint64_t want;

        ht_case("W13", "%s with line ends of Windows, with tree_sizes", lb_name((lb_sample)s));
        check_case(with_ends(lb_edited((lb_sample)s, NULL)), NULL, F, "tree_sizes says|CRLF|binary");
        ht_case("W13", "%s with line ends of Windows", lb_name((lb_sample)s));
        want = ht_fingerprint_of(plain, NULL);
        ht_check(ht_fingerprint_of(other, NULL) == want, "scores otherwise");
        free(plain.data);
        free(other.data);
    }
}

static void test_stated_format(void)
{
    ht_case("W13", "format lightgbm, said and true");
    check_case(lb_edited(LB_BINARY, NULL), "{\"format\":\"lightgbm\"}", HBS_OK, NULL);
    ht_case("W13", "format xgboost, said and not true");
    check_case(lb_edited(LB_BINARY, NULL), "{\"format\":\"xgboost\"}", F, "begin as lightgbm|says \"xgboost\"");
}

/* A newer LightGBM does not help with a file that is too new. */
static void test_new_version(void)
{
    mb_bytes b = lb_edited(LB_BINARY, "H.version = v5");
    hbs_error error = {0};

    ht_case("W14", "version v5, without advice to take a newer LightGBM");
    ht_check(ht_try(b.data, b.size, NULL, &error) == HBS_E_UNSUPPORTED &&
                 ht_has_words(error.text, "this hbscore reads LightGBM's v3 and v4") &&
                 strstr(error.text, "save the model again") == NULL,
             "got %s", error.text);
    free(b.data);
}

/* ------------------------------------------------------------------ lists of other columns */

/* Feature 2's type as hbs_inspect says it: "text" with a list, "integer" for codes, else "number". */
static void check_type(const char *name, lb_sample sample, const char *edits, const char *wanted)
{
    mb_bytes b = lb_edited(sample, edits);
    hbs_source source = {.bytes = b.data, .size = b.size};
    hbs_inspection line = {.type = "nothing"};
    hbs_model *model = NULL;
    hbs_error error = {0};
    ht_host host;
    size_t n = 0;

    ht_host_init(&host);
    ht_case("W7", "%s", name);
    if (ht_check(hbs_model_load(&host.host, NULL, &source, &model, &error) == HBS_OK, "%s", error.text)) {
        for (size_t i = 0; n < 2 && hbs_model_inspect(model, i, &line, NULL) == HBS_OK; i++)
            n += strcmp(line.role, "feature") == 0;
        ht_check(strcmp(line.type, wanted) == 0, "wanted %s, got %s", wanted, line.type);
    }
    hbs_model_free(model);
    free(b.data);
}

static void test_lists_of_other_columns(void)
{
    check_type("codes within the lists", LB_TEXTS, NULL, "text");
    check_type("a list for a number", LB_TEXTS, "H.feature_infos = [-5:5] [0:2] 0:1", "number");
    check_type("a code beyond the list", LB_TEXTS, "H.feature_infos = [-5:5] -1:3:0 0:1", "integer");
    check_type("a code beyond another list", LB_TEXTS, "H.feature_infos = [-5:5] -1:2 0:2", "integer");
    check_type("no code, only -1", LB_TEXTS, "H.feature_infos = [-5:5] -1 0:1", "text");
    check_type("a constant column", LB_TEXTS, "H.feature_infos = [-5:5] none 0:1", "text");
    check_type("codes that are none", LB_TEXTS, "H.feature_infos = [-5:5] 0:x 0:1", "integer");
    check_type("codes without lists", LB_SETS, NULL, "integer");
}

/* ------------------------------------------------------------------ T: trees */

static const lb_case T1[] = {
    {"a node too far", LB_BINARY, "T0.left_child = 3 -1 -3", F, "tree 0|out of range"},
    {"the node's number", LB_BINARY, "T0.left_child = 7 -1 -3", F, "out of range"},
    {"a leaf too far", LB_BINARY, "T0.right_child = 2 -2 -5", F, "out of range"},
    {"a leaf far too far", LB_BINARY, "T0.right_child = 2 -2 -1000", F, "out of range"},
    {"2^31 - 1", LB_BINARY, "T0.right_child = 2147483647 -2 -4", F, "out of range"},
    {"-2^31", LB_BINARY, "T0.right_child = -2147483648 -2 -4", F, "out of range"},
    {"2^32 + 2", LB_BINARY, "T0.right_child = 4294967298 -2 -4", F, "out of range"},
    {"-2^32 - 4", LB_BINARY, "T0.right_child = 2 -2 -4294967300", F, "out of range"},
    {"2^63 - 1", LB_BINARY, "T0.right_child = 9223372036854775807 -2 -4", F, "out of range"},
    {"-2^63", LB_BINARY, "T0.right_child = -9223372036854775808 -2 -4", F, "out of range"},
    {"-2^63 - 1", LB_BINARY, "T0.right_child = -9223372036854775809 -2 -4", F, "right_child"},
    {"in a linear tree", LB_LINEAR, "T0.right_child = -4 -2", F, "out of range"},
};

static const lb_case T2[] = {
    {"the root as its own child", LB_BINARY, "T0.left_child = 0 -1 -3", F, "root"},
    {"the root as a grandchild", LB_BINARY, "T0.left_child = 1 0 -3", F, "root"},
    {"a node as its own child", LB_BINARY, "T0.left_child = 1 1 -3", F, "parent already"},
    {"two nodes in a ring", LB_BINARY, "T0.left_child = -1 2 1", F, "tree 0"},
    {"a leaf that nothing leads to", LB_BINARY, "T0.left_child = 1 -2 -3", F, "tree 0"},
    {"a tree beside the root's", LB_BINARY, "T0.left_child = -1 -1 -3\nT0.right_child = -2 -2 -4", F, "no path"},
};

static const lb_case T3[] = {
    {"a leaf of two nodes", LB_BINARY, "T0.left_child = 1 -1 -1", F, "parent already"},
    {"a node of two nodes", LB_BINARY, "T0.left_child = 2 -1 -3", F, "parent already"},
    {"one leaf on both sides", LB_BINARY, "T0.left_child = 1 -2 -3", F, "parent already"},
};

static const lb_case T5[] = {
    {"a number left out", LB_BINARY, "T1.Tree = 2", F, "expected \"Tree=1\""},
    {"a number twice", LB_BINARY, "T1.Tree = 0", F, "expected \"Tree=1\""},
    {"the first is 1", LB_BINARY, "T0.Tree = 1", F, "expected \"Tree=0\""},
    {"no number", LB_BINARY, "T1.Tree = x", F, "Tree"},
    {"an empty number", LB_BINARY, "T1.Tree = ", F, "Tree"},
    {"01", LB_BINARY, "T1.Tree = 01", F, "Tree"},
    {"2^32 + 1", LB_BINARY, "T1.Tree = 4294967297", F, "Tree"},
    {"a tree less than rounds need", LB_CLASSES, "*T5", F, "Tree"},
    {"trees that make no whole rounds", LB_CLASSES,
     "H.num_class = 4\nH.num_tree_per_iteration = 4\nH.objective = multiclass num_class:4", F, "no whole rounds of 4"},
};

static const lb_case T6[] = {
    {"the first beyond", LB_BINARY, "T0.split_feature = 3 1 2", F, "feature 3|0 to 2"},
    {"-1", LB_BINARY, "T0.split_feature = 0 1 -1", F, "feature -1"},
    {"2^31", LB_BINARY, "T0.split_feature = 0 2147483648 2", F, "feature 2147483648"},
    {"2^32", LB_BINARY, "T0.split_feature = 0 4294967296 2", F, "feature 4294967296"},
    {"2^63", LB_BINARY, "T0.split_feature = 0 9223372036854775808 2", F, "split_feature"},
    {"of a linear leaf", LB_LINEAR, "T0.leaf_features = 0 3 1", F, "tree 0|linear model|range"},
    {"of a linear leaf, -1", LB_LINEAR, "T0.leaf_features = -1 2 1", F, "linear model|range"},
    {"of a linear leaf, 2^32", LB_LINEAR, "T0.leaf_features = 4294967296 2 1", F, "linear model"},
    {"of a linear leaf, -2^63", LB_LINEAR, "T0.leaf_features = -9223372036854775808 2 1", F, "linear model"},
    {"of a leaf alone", LB_LINEAR, "T1.leaf_features = 3", F, "tree 1|linear model"},
};

static const lb_case T9[] = {
    {"boundaries that fall", LB_SETS, "T0.cat_boundaries = 0 4 1", F, "cat_boundaries does not rise"},
    {"boundaries that stay", LB_SETS, "T0.cat_boundaries = 0 0 4", F, "cat_boundaries does not rise"},
    {"boundaries not from 0", LB_SETS, "T0.cat_boundaries = 1 2 4", F, "cat_boundaries"},
    {"boundaries beyond the words", LB_SETS, "T0.cat_boundaries = 0 1 400", F, "cat_threshold"},
    {"boundaries missing", LB_SETS, "-T0.cat_boundaries", F, "cat_boundaries has 0"},
    {"words missing", LB_SETS, "-T0.cat_threshold", F, "cat_threshold has 0"},
    {"a word of 33 bits", LB_SETS, "T0.cat_threshold = 13 3 4294967296 1", F, "cat_threshold 2"},
    {"a set too far", LB_SETS, "T0.threshold = 0 0.5 2", F, "node 2 has set 2"},
    {"a negative set", LB_SETS, "T0.threshold = -1 0.5 1", F, "node 0 has set -1"},
    {"a set of 1e300", LB_SETS, "T0.threshold = 1e300 0.5 1", F, "node 0 has set"},
    {"an infinite set", LB_SETS, "T0.threshold = inf 0.5 1", F, "node 0 has set"},
    {"a set of NaN", LB_SETS, "T0.threshold = nan 0.5 1", F, "node 0 has set"},
    {"a set of two nodes", LB_SETS, "T0.threshold = 1 0.5 1", F, "shares"},
    {"a set that is cut to another's", LB_SETS, "T0.threshold = 0 0.5 0.5", HBS_OK, NULL},
    {"a set that is cut to its own", LB_SETS, "T1.threshold = 0.5", HBS_OK, NULL}, /* as the library */
    {"set -0.0", LB_SETS, "T0.threshold = -0.0 0.5 1", HBS_OK, NULL},
    {"a set that is not used", LB_SETS, "T0.decision_type = 9 2 2", HBS_OK, NULL},
    {"a set without members", LB_SETS, "T1.cat_threshold = 0 0", HBS_OK, NULL},
    {"a word that is 0 at the end", LB_SETS, "T1.cat_threshold = 7 0", HBS_OK, NULL},
    {"a set test on a number", LB_SETS, "T0.decision_type = 9 3 1", F, NULL},
    {"sets in a tree of one leaf", LB_CLASSES, "+T0 = cat_threshold=-5 99999999999", HBS_OK, NULL},
};

static const lb_case T10[] = {
    {"threshold NaN", LB_BINARY, "T0.threshold = 0 nan 0", F, "tree 0, node 1|threshold is NaN"},
    {"leaf NaN", LB_BINARY, "T1.leaf_value = 1 -nan 2", F, "tree 1|leaf value is NaN"},
    {"coefficient NaN", LB_LINEAR, "T0.leaf_coeff = 1 nan 2", F, "tree 0|linear model|NaN"},
    {"constant NaN", LB_LINEAR, "T0.leaf_const = nan 1 1", F, "tree 0|linear model|NaN"},
    {"fallback NaN", LB_LINEAR, "T0.leaf_value = nan 1 1", F, "leaf value is NaN"},
    {"of a leaf alone", LB_LINEAR, "T1.leaf_coeff = nan", F, "tree 1|NaN"},
    {"infinite leaves", LB_BINARY, "T0.leaf_value = inf -inf inf -inf\nT1.leaf_value = -inf inf 0", HBS_OK, NULL},
    {"infinite coefficients", LB_LINEAR, "T0.leaf_coeff = inf -inf inf", HBS_OK, NULL},
    {"infinite classes", LB_CLASSES, "T0.leaf_value = inf\nT1.leaf_value = inf", HBS_OK, NULL},
    {"classes of minus infinity", LB_CLASSES, "T0.leaf_value = -inf\nT1.leaf_value = -inf\nT2.leaf_value = -inf",
     HBS_OK, NULL},
    {"infinite averages", LB_AVERAGE, "T0.leaf_value = inf 1e308 1e308 -inf", HBS_OK, NULL},
    {"NaN where nothing counts", LB_BINARY, "T0.split_gain = nan x -", HBS_OK, NULL},
};

/* T8: every list, an item less and an item more. */
static void test_lengths(lb_sample sample, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int more = 0; more < 2; more++) {
            mb_bytes b = lb_edited(sample, NULL);
            char *line = strstr(b.data, keys[i]), *end, values[256], edit[384];

            ht_case("T8", "%s: %s has an item %s", lb_name(sample), keys[i], more ? "more" : "less");
            end = strchr(line, '\n');
            line += strlen(keys[i]);
            while (!more && end > line && end[-1] == ' ')
                end--;
            while (!more && end > line && end[-1] != ' ')
                end--;
            snprintf(values, sizeof(values), "%.*s%s", (int)(end - line), line, more ? " 1" : "");
            snprintf(edit, sizeof(edit), "T0.%.*s = %s", (int)strlen(keys[i]) - 1, keys[i], values);
            free(b.data);
            check_case(lb_edited(sample, edit), NULL, F, "tree 0|items");
        }
}

static void test_all_lengths(void)
{
    static const char *const PLAIN[] = {"split_feature=", "threshold=",  "decision_type=", "left_child=",
                                        "right_child=",   "leaf_value=", "leaf_count=",    "internal_count="};
    static const char *const SETS[] = {"cat_boundaries=", "cat_threshold="};
    static const char *const LINEAR[] = {"leaf_const=", "num_features=", "leaf_features=", "leaf_coeff="};

    test_lengths(LB_BINARY, PLAIN, HT_COUNT(PLAIN));
    test_lengths(LB_SETS, SETS, HT_COUNT(SETS));
    test_lengths(LB_LINEAR, LINEAR, HT_COUNT(LINEAR));
}

int main(void)
{
    RUN("W2", W2);
    RUN("W3", W3);
    RUN("W4", W4);
    test_nesting();
    test_duplicates();
    RUN("W6", W6);
    RUN("W7", W7);
    RUN("W9", W9);
    test_long_lines();
    test_nul();
    test_numbers();
    RUN("W10", W10);
    test_locale();
    RUN("W13", W13);
    ht_run_files("W13", FILES, HT_COUNT(FILES));
    test_line_ends();
    test_stated_format();
    test_new_version();
    test_lists_of_other_columns();
    RUN("W14", W14);
    RUN("T1", T1);
    RUN("T2", T2);
    RUN("T3", T3);
    RUN("T5", T5);
    RUN("T6", T6);
    test_all_lengths();
    RUN("T9", T9);
    RUN("T10", T10);
    return ht_report();
}
