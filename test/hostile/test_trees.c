/* test_trees.c - files that are well-formed but whose trees are not trees, or odd ones that must be
 * scored all the same. Classes T1 to T12 of reliability.md.
 *
 * Tree 0 of the regression sample has 9 nodes: 0 -> 1, 2; 1 -> 3, 4; 2 -> 5, 6; 6 -> 7, 8. */
#include "hostile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sanitizers make large models slow. */
#if HT_SANITIZED
enum { MANY_TREES = 2000, DEEP = 20000, COMPLETE = 13 };
#else
enum { MANY_TREES = 50000, DEEP = 500000, COMPLETE = 17 };
#endif

/* ------------------------------------------------------------------ tables */

static const ht_edit T1[] = {
    {"left child = nodes", MB_REGRESSION, "T0.left_children[0] = 9", HBS_E_FORMAT, "9", 0},
    {"right child = nodes", MB_REGRESSION, "T0.right_children[2] = 9", HBS_E_FORMAT, "9", 0},
    {"left child far away", MB_REGRESSION, "T0.left_children[0] = 2147483647", HBS_E_FORMAT, "2147483647", 0},
    {"right child far away", MB_REGRESSION, "T0.right_children[0] = 1000000", HBS_E_FORMAT, "1000000", 0},
    {"left child -2", MB_REGRESSION, "T0.left_children[0] = -2", HBS_E_FORMAT, "-2", 0},
    {"right child -2", MB_REGRESSION, "T0.right_children[0] = -2", HBS_E_FORMAT, "-2", 0},
    {"left child INT_MIN", MB_REGRESSION, "T0.left_children[6] = -2147483648", HBS_E_FORMAT, "-2147483648", 0},
    {"left child 2^31", MB_REGRESSION, "T0.left_children[6] = 2147483648", HBS_E_FORMAT, "left_children", 0},
    {"left child 2^32 + 1", MB_REGRESSION, "T0.left_children[0] = 4294967297", HBS_E_FORMAT, "left_children", 0},
    {"a child in the next tree", MB_REGRESSION, "T0.left_children[6] = 10\nT0.right_children[6] = 11", HBS_E_FORMAT,
     NULL, 0},
    {"vector leaf: row out of range", MB_VECTOR, "T0.right_children[1] = 3", HBS_E_FORMAT, "3", 0},
    {"vector leaf: row far away", MB_VECTOR, "T0.right_children[1] = 2147483647", HBS_E_FORMAT, "2147483647", 0},
    {"vector leaf: negative row", MB_VECTOR, "T0.right_children[1] = -1", HBS_E_FORMAT, "-1", 0},
    {"a parent out of range", MB_REGRESSION, "T0.parents[3] = 77", HBS_E_FORMAT, "77", 0},
    {"a parent that is another node", MB_REGRESSION, "T0.parents[3] = 2", HBS_E_FORMAT, NULL, 0},
};

static const ht_edit T2[] = {
    {"left child is the node", MB_REGRESSION, "T0.left_children[6] = 6\nT0.parents[6] = 6", HBS_E_FORMAT, NULL, 0},
    {"right child is the node", MB_REGRESSION, "T0.right_children[6] = 6", HBS_E_FORMAT, NULL, 0},
    {"both children are the node", MB_REGRESSION, "T0.left_children[6] = 6\nT0.right_children[6] = 6", HBS_E_FORMAT,
     NULL, 0},
    {"a cycle of two", MB_REGRESSION, "T0.left_children[6] = 2\nT0.parents[2] = 6", HBS_E_FORMAT, NULL, 0},
    {"a cycle beside the tree", MB_REGRESSION,
     "T0.left_children = [-1,3,5,7,-1,-1,1,-1,-1]\nT0.right_children = [-1,4,6,8,-1,-1,2,-1,-1]", HBS_E_FORMAT, NULL,
     0},
    {"the root as left child", MB_REGRESSION, "T0.left_children[6] = 0\nT0.parents[0] = 6", HBS_E_FORMAT, NULL, 0},
    {"the root as right child", MB_REGRESSION, "T0.right_children[2] = 0\nT0.parents[0] = 2", HBS_E_FORMAT, NULL, 0},
    {"the root is its own child", MB_REGRESSION, "T0.left_children[0] = 0", HBS_E_FORMAT, NULL, 0},
    {"orphans", MB_REGRESSION, "T0.left_children[6] = -1\nT0.right_children[6] = -1", HBS_E_FORMAT, NULL, 0},
    {"a root that is a leaf, with nodes behind it", MB_REGRESSION,
     "T0.left_children[0] = -1\nT0.right_children[0] = -1", HBS_E_FORMAT, NULL, 0},
    {"no nodes at all", MB_REGRESSION,
     "T1.left_children = []\nT1.right_children = []\nT1.parents = []\nT1.split_conditions = []\nT1.split_indices = []\n"
     "T1.default_left = []\nT1.split_type = []\nT1.sum_hessian = []\nT1.base_weights = []\nT1.loss_changes = []\n"
     "T1.tree_param.num_nodes = \"0\"",
     HBS_E_FORMAT, NULL, 0},
    {"a deleted node that is reached", MB_REGRESSION,
     "T0.split_indices[6] = 2147483647\nT0.tree_param.num_deleted = \"1\"", HBS_E_FORMAT, "deleted", 0},
    {"a deleted root", MB_REGRESSION, "T0.split_indices[0] = 2147483647\nT0.tree_param.num_deleted = \"1\"",
     HBS_E_FORMAT, NULL, 0},
    {"two deleted nodes", MB_REGRESSION,
     "T0.left_children[6] = -1\nT0.right_children[6] = -1\nT0.split_indices[7] = 2147483647\n"
     "T0.split_indices[8] = 2147483647\nT0.tree_param.num_deleted = \"2\"",
     HBS_OK, NULL, 0},
    {"two deleted nodes, one announced", MB_REGRESSION,
     "T0.left_children[6] = -1\nT0.right_children[6] = -1\nT0.split_indices[7] = 2147483647\n"
     "T0.split_indices[8] = 2147483647\nT0.tree_param.num_deleted = \"1\"",
     HBS_E_FORMAT, "deleted", 0},
};

static const ht_edit T3[] = {
    {"two left children the same", MB_REGRESSION, "T0.left_children[2] = 3\nT0.parents[3] = 2", HBS_E_FORMAT, NULL, 0},
    {"left and right the same", MB_REGRESSION, "T0.right_children[1] = 3", HBS_E_FORMAT, NULL, 0},
    {"a shared split", MB_REGRESSION, "T0.right_children[1] = 6", HBS_E_FORMAT, NULL, 0},
};

static const ht_edit T5[] = {
    {"two trees of one id", MB_REGRESSION, "T1.id = 0", HBS_E_FORMAT, "id", 0},
    {"ids in another order", MB_REGRESSION, "T0.id = 1\nT1.id = 0", HBS_E_FORMAT, "id", 0},
    {"an id beyond", MB_REGRESSION, "T2.id = 3", HBS_E_FORMAT, "id", 0},
    {"a negative id", MB_REGRESSION, "T2.id = -1", HBS_E_FORMAT, "id", 0},
    {"categories_nodes twice the same", MB_CODES,
     "T0.categories_nodes = [0,0]\nT0.categories_segments = [0,1]\nT0.categories_sizes = [1,2]", HBS_E_FORMAT,
     "categories_nodes", 0},
};

static const ht_edit T6[] = {
    {"feature -1", MB_REGRESSION, "T0.split_indices[0] = -1", HBS_E_FORMAT, "-1", 0},
    {"feature = features", MB_REGRESSION, "T0.split_indices[0] = 3", HBS_E_FORMAT, "3", 0},
    {"feature INT_MAX - 1", MB_REGRESSION, "T0.split_indices[0] = 2147483646", HBS_E_FORMAT, "2147483646", 0},
    {"feature 2^31", MB_REGRESSION, "T0.split_indices[0] = 2147483648", HBS_E_FORMAT, "2147483648", 0},
    {"feature 2^32", MB_REGRESSION, "T0.split_indices[0] = 4294967296", HBS_E_FORMAT, "4294967296", 0},
    {"feature 2^32 + 1", MB_REGRESSION, "T0.split_indices[0] = 4294967297", HBS_E_FORMAT, "4294967297", 0},
    {"feature 2^62", MB_REGRESSION, "T0.split_indices[0] = 4611686018427387904", HBS_E_FORMAT, "4611686018427387904",
     0},
    {"feature INT_MIN", MB_REGRESSION, "T0.split_indices[0] = -2147483648", HBS_E_FORMAT, "-2147483648", 0},
    {"feature of a set test", MB_CODES, "T0.split_indices[0] = 3", HBS_E_FORMAT, "3", 0},
    {"a tree of more features than the model", MB_REGRESSION,
     "T0.tree_param.num_feature = \"4\"\nT0.split_indices[0] = 3", HBS_E_FORMAT, NULL, 0},
    {"a model of fewer features", MB_REGRESSION, "P.num_feature = \"2\"", HBS_E_FORMAT, NULL, 0},
    {"a model of no features", MB_REGRESSION, "P.num_feature = \"0\"", HBS_E_FORMAT, NULL, 0},
    {"a leaf's feature is not looked at", MB_REGRESSION, "T0.split_indices[3] = 77", HBS_OK, NULL, 0},
    {"a leaf's negative feature", MB_REGRESSION, "T0.split_indices[3] = -1", HBS_E_FORMAT, "-1", 0},
};

static const ht_edit T7[] = {
    {"tree_info 1 of one output", MB_REGRESSION, "M.tree_info = [0,1,0]", HBS_E_FORMAT, NULL, 0},
    {"tree_info -1", MB_REGRESSION, "M.tree_info = [0,-1,0]", HBS_E_FORMAT, NULL, 0},
    {"tree_info = classes", MB_MULTI, "M.tree_info = [0,1,3]", HBS_E_FORMAT, NULL, 0},
    {"tree_info INT_MAX", MB_MULTI, "M.tree_info = [0,1,2147483647]", HBS_E_FORMAT, NULL, 0},
    {"tree_info 2^32", MB_MULTI, "M.tree_info = [0,1,4294967296]", HBS_E_FORMAT, "tree_info", 0},
    {"two classes' trees only", MB_MULTI, "P.num_class = \"2\"", HBS_E_FORMAT, NULL, 0},
    {"base_score of four classes", MB_MULTI, "P.base_score = \"[0.5,0.5,0.5,0.5]\"", HBS_E_FORMAT, "base_score", 0},
    {"base_score of one target too few", MB_VECTOR, "P.base_score = \"[0.5,0.5,0.5]\"", HBS_E_FORMAT, "base_score", 0},
    {"a classifier of one class", MB_MULTI, "P.num_class = \"1\"", HBS_E_FORMAT, NULL, 0},
    {"classes for a regression", MB_REGRESSION, "P.num_class = \"3\"", HT_ANY, NULL, 0},
    {"more targets than a vector leaf has", MB_VECTOR, "P.num_target = \"3\"", HBS_E_FORMAT, NULL, 0},
    {"fewer targets than a vector leaf has", MB_VECTOR, "P.num_target = \"1\"", HBS_E_FORMAT, NULL, 0},
};

static const ht_edit T8[] = {
    {"tree_info short", MB_REGRESSION, "M.tree_info = [0,0]", HBS_E_FORMAT, "tree_info", 0},
    {"tree_info long", MB_REGRESSION, "M.tree_info = [0,0,0,0]", HBS_E_FORMAT, "tree_info", 0},
    {"vector leaves: half a row", MB_VECTOR, "-T0.leaf_weights[5]", HBS_E_FORMAT, "leaf_weights", 0},
    {"vector leaves: none", MB_VECTOR, "T0.leaf_weights = []", HBS_E_FORMAT, NULL, 0},
    {"vector leaves as up to 3.1, too few", MB_VECTOR,
     "-T0.leaf_weights\nT0.right_children = [2,-1,4,-1,-1]\nT0.base_weights = [1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0]",
     HBS_E_FORMAT, "base_weights", 0},
    {"leaves of two and of one value", MB_VECTOR, "T1.tree_param.size_leaf_vector = \"1\"", HT_ANY, NULL, 0},
    {"categories_sizes short", MB_CODES, "T0.categories_sizes = []", HBS_E_FORMAT, "categories", 0},
    {"categories_segments long", MB_CODES, "T0.categories_segments = [0,1]", HBS_E_FORMAT, "categories", 0},
    {"cats of fewer features", MB_CATEGORIES, "-M.cats.enc[2]", HBS_E_FORMAT, NULL, 0},
    {"cats of more features", MB_CATEGORIES, "&M.cats.enc = {\"offsets\": [], \"values\": []}", HBS_E_FORMAT, NULL, 0},
};

static const ht_edit T9[] = {
    {"a set beyond the categories", MB_CODES, "T0.categories_segments = [1]", HBS_E_FORMAT, "categories", 0},
    {"a set far beyond", MB_CODES, "T0.categories_segments = [2147483647]", HBS_E_FORMAT, "categories", 0},
    {"a set of too many", MB_CODES, "T0.categories_sizes = [4]", HBS_E_FORMAT, "categories", 0},
    {"an empty set", MB_CODES, "T0.categories_sizes = [0]", HBS_E_FORMAT, "empty", 0},
    {"a node without its set", MB_CODES,
     "T0.categories_nodes = []\nT0.categories_sizes = []\nT0.categories_segments = []", HBS_E_FORMAT, NULL, 0},
    {"a set for a node that has none", MB_CODES, "T0.categories_nodes = [1]", HBS_E_FORMAT, NULL, 0},
    {"a set for a node out of range", MB_CODES, "T0.categories_nodes = [5]", HBS_E_FORMAT, NULL, 0},
    {"a set for a negative node", MB_CODES, "T0.categories_nodes = [-1]", HBS_E_FORMAT, NULL, 0},
    {"categories that fall", MB_CODES, "T0.categories = [2,0,33]", HBS_E_FORMAT, "rise", 0},
    {"a category twice", MB_CODES, "T0.categories = [0,2,2]", HBS_E_FORMAT, "rise", 0},
    {"a negative category", MB_CODES, "T0.categories = [-1,2,33]", HBS_E_FORMAT, "negative", 0},
    {"a category of 2^24 - 1", MB_CODES, "T0.categories = [0,2,16777215]", HT_ANY, NULL, 0},
    {"a category of 2^24", MB_CODES, "T0.categories = [0,2,16777216]", HT_ANY, NULL, 0},
    {"a category of INT_MAX", MB_CODES, "T0.categories = [0,2,2147483647]", HT_ANY, NULL, 0},
    {"a category of 2^31", MB_CODES, "T0.categories = [0,2,2147483648]", HBS_E_FORMAT, "categories", 0},
    {"a split_type without categories", MB_CODES, "T0.split_type[1] = 1", HBS_E_FORMAT, NULL, 0},
    {"a set test on a number", MB_CODES, "T0.split_indices[0] = 1", HT_ANY, NULL, 0},
    {"stored: offsets fall", MB_CATEGORIES, "M.cats.enc[0].offsets = [0,9,5,13]", HBS_E_FORMAT, "offset", 0},
    {"stored: offsets beyond the bytes", MB_CATEGORIES, "M.cats.enc[0].offsets = [0,5,9,14]", HBS_E_FORMAT,
     "offset|damaged|hbscore.register", 0},
    {"stored: offsets short of the bytes", MB_CATEGORIES, "M.cats.enc[0].offsets = [0,5,9]", HBS_E_FORMAT, "offset", 0},
    {"stored: offsets do not start at 0", MB_CATEGORIES, "M.cats.enc[0].offsets = [1,5,9,13]", HBS_E_FORMAT, "offset",
     0},
    {"stored: negative offset", MB_CATEGORIES, "M.cats.enc[0].offsets = [0,-5,9,13]", HBS_E_FORMAT, "offset", 0},
    {"stored: two texts the same", MB_CATEGORIES,
     "M.cats.enc[0].values = [97,98,97,98]\nM.cats.enc[0].offsets = [0,2,4]", HBS_E_UNSUPPORTED, "same", 0},
    {"stored: two numbers the same", MB_CATEGORIES, "M.cats.enc[2].values = [10,20,10]", HBS_E_UNSUPPORTED, "same", 0},
    {"stored: values before offsets", MB_CATEGORIES, "-M.cats.enc[0].offsets\nM.cats.enc[0].offsets = [0,5,9,13]",
     HBS_OK, NULL, 0},
    {"stored: values before offsets, a byte of 300", MB_CATEGORIES,
     "-M.cats.enc[0].offsets\nM.cats.enc[0].offsets = [0,5,9,13]\nM.cats.enc[0].values[0] = 300", HBS_E_FORMAT, "300",
     0},
    {"stored: values, neither offsets nor type", MB_CATEGORIES, "-M.cats.enc[0].offsets", HBS_E_FORMAT, "offsets|type",
     0},
    {"stored: a byte of 300", MB_CATEGORIES, "M.cats.enc[0].values[0] = 300", HBS_E_FORMAT, "300", 0},
    {"stored: bytes that are no UTF-8", MB_CATEGORIES, "M.cats.enc[0].values[0] = -1", HBS_E_UNSUPPORTED,
     "ASCII|3.2.0|hbscore.register", 0},
    {"stored: bytes that are no UTF-8 in a file of 3.4", MB_CATEGORIES,
     "M.cats.enc[0].values[0] = -1\nversion = [3,4,1]", HBS_E_UNSUPPORTED, "UTF-8|hbscore.register", 0},
    {"stored: names that are not ASCII of 3.1", MB_CATEGORIES,
     "M.cats.enc[0].values[0] = -61\nM.cats.enc[0].values[1] = -87\nversion = [3,1,3]", HBS_E_UNSUPPORTED,
     "ASCII|3.1.3|hbscore.register", 0},
    {"stored: names that are not ASCII of 3.3", MB_CATEGORIES,
     "M.cats.enc[0].values[0] = -61\nM.cats.enc[0].values[1] = -87\nversion = [3,3,0]", HBS_E_UNSUPPORTED,
     "ASCII|3.3.0|hbscore.register", 0},
    {"stored: names that are not ASCII of 3.4", MB_CATEGORIES,
     "M.cats.enc[0].values[0] = -61\nM.cats.enc[0].values[1] = -87\nversion = [3,4,0]", HBS_OK, NULL, 0},
    {"stored: names that are not ASCII, repaired", MB_CATEGORIES,
     "M.cats.enc[0].values[0] = -61\nM.cats.enc[0].values[1] = -87\n"
     "L.attributes = {\"hbscore_category_names\": \"repaired\"}",
     HBS_OK, NULL, 0},
    {"stored: repaired in another way", MB_CATEGORIES,
     "M.cats.enc[0].values[0] = -61\nM.cats.enc[0].values[1] = -87\n"
     "L.attributes = {\"hbscore_category_names\": \"\"}",
     HBS_E_UNSUPPORTED, "ASCII", 0},
    {"stored: a NUL in a text", MB_CATEGORIES, "M.cats.enc[0].values[1] = 0", HBS_OK, NULL, 0},
    {"stored: an empty text", MB_CATEGORIES, "M.cats.enc[0].offsets = [0,0,9,13]", HBS_OK, NULL, 0},
    {"a tree tests a code beyond the stored ones", MB_CATEGORIES, "T0.categories = [7]", HT_ANY, NULL, 0},
    {"a set test on a feature without stored categories", MB_CATEGORIES, "T0.split_indices[0] = 1", HT_ANY, NULL, 0},
    {"a number test on a stored category", MB_CATEGORIES, "T0.split_indices[1] = 0", HT_ANY, NULL, 0},
};

static const ht_edit T10[] = {
    {"NaN threshold", MB_REGRESSION, "T0.split_conditions[0] = nan", HBS_E_FORMAT, "NaN", 0},
    {"NaN leaf", MB_REGRESSION, "T0.split_conditions[3] = nan", HBS_E_FORMAT, "NaN", 0},
    {"NaN vector leaf", MB_VECTOR, "T0.leaf_weights[1] = nan", HBS_E_FORMAT, "NaN", 0},
    {"NaN weight of a tree", MB_DART, "B.weight_drop = [1.0, nan, 1.0]", HBS_E_FORMAT, "NaN", 0},
    {"NaN linear weight", MB_LINEAR, "M.weights[1] = nan", HBS_E_FORMAT, "NaN", 0},
    {"NaN linear bias", MB_LINEAR, "M.weights[3] = nan", HBS_E_FORMAT, "NaN", 0},
    {"NaN cover", MB_REGRESSION, "T0.sum_hessian[0] = nan", HBS_E_FORMAT, "cover", 0},
    {"negative cover", MB_REGRESSION, "T0.sum_hessian[0] = -1.0", HBS_E_FORMAT, "cover", 0},
    {"infinite cover", MB_REGRESSION, "T0.sum_hessian[0] = inf", HBS_E_FORMAT, "cover", 0},
    {"NaN gain is without effect", MB_REGRESSION, "T0.loss_changes[0] = nan", HBS_OK, NULL, 0},
    {"NaN base weight is without effect", MB_REGRESSION, "T0.base_weights[0] = nan", HBS_OK, NULL, 0},
    {"infinite threshold", MB_REGRESSION, "T0.split_conditions[0] = inf", HBS_OK, NULL, 0},
    {"-infinite threshold", MB_REGRESSION, "T0.split_conditions[0] = -inf", HBS_OK, NULL, 0},
    {"denormal threshold", MB_REGRESSION, "T0.split_conditions[0] = 1e-45", HBS_OK, NULL, 0},
    {"-0 threshold", MB_REGRESSION, "T0.split_conditions[0] = -0.0", HBS_OK, NULL, 0},
    {"infinite leaf", MB_REGRESSION, "T0.split_conditions[3] = inf", HBS_OK, NULL, 0},
    {"infinite leaves of both signs", MB_REGRESSION, "T0.split_conditions[3] = inf\nT1.split_conditions[1] = -inf",
     HBS_OK, NULL, 0},
    {"denormal leaf", MB_REGRESSION, "T0.split_conditions[3] = -1e-45", HBS_OK, NULL, 0},
    {"-0 leaf", MB_REGRESSION, "T0.split_conditions[3] = -0.0", HBS_OK, NULL, 0},
    {"largest leaf", MB_REGRESSION, "T0.split_conditions[3] = 3.4028234e38", HBS_OK, NULL, 0},
    {"infinite tree weight", MB_DART, "B.weight_drop = [1.0, inf, 1.0]", HBS_OK, NULL, 0},
    {"infinite linear weight", MB_LINEAR, "M.weights[1] = inf", HBS_OK, NULL, 0},
};

static const ht_edit T12[] = {
    {"a leaf with a right child", MB_REGRESSION, "T0.right_children[3] = 4", HBS_E_FORMAT, NULL, 0},
    {"a split without left child", MB_REGRESSION, "T0.left_children[6] = -1", HBS_E_FORMAT, NULL, 0},
    {"a split without right child", MB_REGRESSION, "T0.right_children[6] = -1", HBS_E_FORMAT, "-1", 0},
    /* What XGBoost's pruning leaves behind: a leaf that once tested a set. */
    {"a leaf marked as a set test", MB_CODES, "T0.split_type[2] = 1", HBS_OK, NULL, 0},
    {"children where a leaf has none", MB_REGRESSION, "T0.left_children[3] = 7\nT0.right_children[3] = 8", HBS_E_FORMAT,
     NULL, 0},
};

/* ------------------------------------------------------------------ arrays that are too short or long */

static void test_lengths(void)
{
    static const char *const ARRAYS[] = {"default_left",     "left_children", "parents",    "right_children",
                                         "split_conditions", "split_indices", "split_type", "sum_hessian"};
    static const char *const EDITS[] = {"-T0.%s[8]", "T0.%s = []", "T0.%s = [0,0,0,0,0,0,0,0,0,0]", "-T0.%s"};

    for (size_t a = 0; a < HT_COUNT(ARRAYS); a++)
        for (size_t i = 0; i < HT_COUNT(EDITS); i++)
            for (int e = 0; e < MB_ENCODINGS; e++) {
                char edit[128];
                hbs_error error = {0};
                hbs_status status, wanted = HBS_E_FORMAT;
                mb_bytes b;

                if (i == 3 && strcmp(ARRAYS[a], "split_type") == 0)
                    wanted = HBS_OK; /* came with categories: 1.2 has none */
                snprintf(edit, sizeof(edit), EDITS[i], ARRAYS[a]);
                ht_case("T8", "%s (%d)", edit, e);
                b = mb_edited(MB_REGRESSION, edit, (mb_encoding)e);
                status = ht_try(b.data, b.size, NULL, &error);
                ht_check(status == wanted, "got %s: %s", hbs_status_name(status), error.text);
                if (status != HBS_OK)
                    ht_check(ht_has_words(error.text, ARRAYS[a]), "%s is not named: %s", ARRAYS[a], error.text);
                free(b.data);
            }
}

/* ------------------------------------------------------------------ T4: any order of nodes */

static const int LEFT[] = {1, 3, 5, -1, -1, -1, 7, -1, -1};
static const int RIGHT[] = {2, 4, 6, -1, -1, -1, 8, -1, -1};
static const int PARENT[] = {2147483647, 0, 0, 1, 1, 2, 2, 6, 6};
static const int FEATURE[] = {0, 1, 2, 0, 0, 0, 0, 0, 0};
static const double CONDITION[] = {0.5, -1.25, 3, 1.5, -0.75, 0.25, 2, -2, 4};
static const int DEFAULT[] = {1, 0, 1, 0, 0, 0, 0, 0, 0};

/* Tree 0 with node i moved to place[i]. */
static void put_order(char *edit, size_t size, const int *place)
{
    static const char *const NAMES[] = {"left_children", "right_children",   "parents",
                                        "split_indices", "split_conditions", "default_left"};
    int from[9];
    size_t n = 0;

    for (int i = 0; i < 9; i++)
        from[place[i]] = i;
    for (int a = 0; a < 6; a++) {
        n += (size_t)snprintf(edit + n, size - n, "T0.%s = [", NAMES[a]);
        for (int k = 0; k < 9; k++) {
            int i = from[k];
            int ids[] = {LEFT[i], RIGHT[i], PARENT[i]};
            double value = a == 3 ? FEATURE[i] : a == 4 ? CONDITION[i] : DEFAULT[i];

            if (a < 3)
                value = ids[a] >= 0 && ids[a] < 9 ? place[ids[a]] : ids[a];
            n += (size_t)snprintf(edit + n, size - n, "%s%.17g", k ? "," : "", value);
        }
        n += (size_t)snprintf(edit + n, size - n, "]\n");
    }
}

static void test_orders(void)
{
    mb_bytes plain = mb_edited(MB_REGRESSION, NULL, MB_JSON);
    uint64_t want, random = 1;

    ht_case("T4", "the sample itself");
    want = ht_fingerprint_of(plain, NULL);
    for (int round = 0; round < 200; round++) {
        int place[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
        char edit[2048];
        mb_bytes b;

        for (int i = 8; i > 1; i--) { /* the root stays the first */
            int j, kept = place[i];

            random = random * 6364136223846793005u + 1442695040888963407u;
            j = 1 + (int)((random >> 33) % (uint64_t)i);
            place[i] = place[j];
            place[j] = kept;
        }
        ht_case("T4", "nodes in order %d %d %d %d %d %d %d %d", place[1], place[2], place[3], place[4], place[5],
                place[6], place[7], place[8]);
        put_order(edit, sizeof(edit), place);
        b = mb_edited(MB_REGRESSION, edit, (mb_encoding)(round % 2));
        ht_check(ht_fingerprint_of(b, NULL) == want, "scores otherwise");
        free(b.data);
    }
    free(plain.data);
}

/* ------------------------------------------------------------------ T11: depth and number */

static void try_model(mb_model *m, mb_encoding encoding, const hbs_limits *limits, hbs_status wanted, const char *words)
{
    mb_bytes b = mb_write(m, encoding);
    ht_host host;
    ht_load load = {.limits = limits};

    ht_host_init(&host);
    ht_load_bytes(&host, b.data, b.size, &load);
    ht_check(load.status == wanted, "got %s: %s", hbs_status_name(load.status), load.error.text);
    if (load.status != HBS_OK)
        ht_check(ht_has_words(load.error.text, words), "wanted %s, got %s", words, load.error.text);
    free(b.data);
}

static void test_chain(size_t depth, bool left, mb_encoding encoding, hbs_status wanted)
{
    mb_model *m = mb_make(MB_REGRESSION);

    ht_case("T11", "a chain of depth %zu to the %s (%d)", depth, left ? "left" : "right", (int)encoding);
    mb_set_chain(m, depth, left);
    try_model(m, encoding, NULL, wanted, "1024");
    mb_free(m);
}

static void test_stumps(size_t count, mb_encoding encoding, hbs_status wanted)
{
    mb_model *m = mb_make(MB_REGRESSION);

    ht_case("T11", "%zu trees of one leaf (%d)", count, (int)encoding);
    mb_set_stumps(m, count);
    try_model(m, encoding, NULL, wanted, "");
    mb_free(m);
}

static void test_complete(size_t depth, mb_encoding encoding)
{
    mb_model *m = mb_make(MB_REGRESSION);

    ht_case("T11", "a complete tree of depth %zu (%d)", depth, (int)encoding);
    mb_set_complete(m, depth);
    try_model(m, encoding, NULL, HBS_OK, "");
    mb_free(m);
}

/* A chain sends a row into the leaf that its value says. */
static void test_chain_scores(size_t depth)
{
    mb_model *m = mb_make(MB_REGRESSION);
    ht_host host;
    ht_load load = {.keep = true};
    hbs_run *run = NULL;
    hbs_error error = {0};
    mb_bytes b;

    ht_case("T11", "each leaf of a chain of depth %zu", depth);
    ht_host_init(&host);
    mb_set_chain(m, depth, false);
    b = mb_write(m, MB_UBJSON);
    ht_load_bytes(&host, b.data, b.size, &load);
    if (ht_check(load.status == HBS_OK, "%s", load.error.text) &&
        ht_check(hbs_run_create(load.plan, &host.host, NULL, 1, &run, &error) == HBS_OK, "%s", error.text)) {
        for (size_t i = 0; i < depth && ht_ok(); i++) {
            /* Split 2i sends x < 2i to leaf 2i + 1, whose value is 0.001 * (2i + 1). */
            hbs_value row[3] = {{.type = HBS_FLOAT64}, {.type = HBS_NULL}, {.type = HBS_NULL}};
            hbs_result result;
            float want = 0.5f + (float)(0.001 * (double)(2 * i + 1));

            row[0].as.f64 = 2 * (double)i - 1;
            if (hbs_score_row(run, row, 3, HBS_OUT_VALUE, &result, &error) != HBS_OK)
                ht_fail("row %zu: %s", i, error.text);
            else
                ht_check(fabs(result.value[0] - (double)want) < 1e-4, "leaf %zu gives %g, not %g", i, result.value[0],
                         (double)want);
        }
    }
    hbs_run_free(run);
    hbs_plan_free(load.plan);
    free(b.data);
    mb_free(m);
}

static void test_limits(void)
{
    static const struct {
        const char *name, *words;
        hbs_limits limits;
        hbs_status wanted;
    } CASES[] = {
        {"12 nodes allowed", "12", {.max_nodes = 12}, HBS_E_LIMIT},
        {"13 nodes allowed", "", {.max_nodes = 13}, HBS_OK},
        {"1 node allowed", "1", {.max_nodes = 1}, HBS_E_LIMIT},
        {"depth 2 allowed", "2", {.max_depth = 2}, HBS_E_LIMIT},
        {"depth 3 allowed", "", {.max_depth = 3}, HBS_OK},
        {"limits of 0 mean the default", "", {0}, HBS_OK},
        {"endless limits", "", {.max_nodes = SIZE_MAX, .max_depth = SIZE_MAX}, HBS_OK},
    };

    for (size_t i = 0; i < HT_COUNT(CASES); i++) {
        mb_model *m = mb_make(MB_REGRESSION);

        ht_case("T11", "%s", CASES[i].name);
        try_model(m, (mb_encoding)(i % 2), &CASES[i].limits, CASES[i].wanted, CASES[i].words);
        mb_free(m);
    }
}

static void test_endless_depth(void)
{
    static const hbs_limits ENDLESS = {.max_nodes = SIZE_MAX, .max_depth = SIZE_MAX};
    mb_model *m = mb_make(MB_REGRESSION);

    ht_case("T11", "a chain of depth %d without a limit of depth", DEEP);
    mb_set_chain(m, DEEP, true);
    try_model(m, MB_UBJSON, &ENDLESS, HBS_OK, "");
    mb_free(m);
}

static const ht_edit T11[] = {
    {"zero trees", MB_REGRESSION,
     "M.trees = []\nM.tree_info = []\nM.iteration_indptr = [0]\nM.gbtree_model_param.num_trees = \"0\"", HBS_OK, NULL,
     0},
    {"zero trees of three classes", MB_MULTI,
     "M.trees = []\nM.tree_info = []\nM.iteration_indptr = [0]\nM.gbtree_model_param.num_trees = \"0\"", HBS_OK, NULL,
     0},
    {"zero trees, dart", MB_DART,
     "M.trees = []\nM.tree_info = []\nM.iteration_indptr = [0]\nM.gbtree_model_param.num_trees = \"0\"\nB.weight_drop = []",
     HBS_OK, NULL, 0},
    {"zero trees, but three announced", MB_REGRESSION, "M.trees = []", HBS_E_FORMAT, NULL, 0},
    {"one tree too many", MB_REGRESSION, "&M.trees = {}", HBS_E_FORMAT, NULL, 0},
};

static void test_depths(void)
{
    for (int e = 0; e < MB_ENCODINGS; e++)
        for (int left = 0; left < 2; left++) {
            test_chain(1, left, (mb_encoding)e, HBS_OK);
            test_chain(1023, left, (mb_encoding)e, HBS_OK);
            test_chain(1024, left, (mb_encoding)e, HBS_OK);
            test_chain(1025, left, (mb_encoding)e, HBS_E_LIMIT);
            test_chain(DEEP, left, (mb_encoding)e, HBS_E_LIMIT);
        }
    test_chain_scores(1000);
    for (int e = 0; e < MB_ENCODINGS; e++) {
        test_stumps(1, (mb_encoding)e, HBS_OK);
        test_stumps(1000, (mb_encoding)e, HBS_OK);
        test_stumps(MANY_TREES, (mb_encoding)e, HBS_OK);
    }
    for (size_t depth = 1; depth <= COMPLETE; depth += 4)
        for (int e = 0; e < MB_ENCODINGS; e++)
            test_complete(depth, (mb_encoding)e);
    test_limits();
    test_endless_depth();
}

/* What odd but valid thresholds mean: x < t, so nothing is below -inf, and -0 is not below 0. */
static void test_odd_thresholds(void)
{
    static const struct {
        const char *edit;
        double x;
        bool left;
    } CASES[] = {
        {"T1.split_conditions[0] = inf", 1e300, false}, /* inf in float32: not below inf */
        {"T1.split_conditions[0] = inf", 3e38, true},
        {"T1.split_conditions[0] = -inf", -1e300, false},
        {"T1.split_conditions[0] = -0.0", 0.0, false},
        {"T1.split_conditions[0] = 0.0", -0.0, false},
        {"T1.split_conditions[0] = -0.0", -1e-45, true},
        {"T1.split_conditions[0] = 1e-45", 0.0, true},
        {"T1.split_conditions[0] = 1e-45", 1e-45, false},
        {"T1.split_conditions[0] = 1e-45", 7e-46, true}, /* rounds to 0 in float32 */
        {"T1.split_conditions[0] = 16777216", 16777216.9, false},
        {"T1.split_conditions[0] = 16777220", 16777219.0, false}, /* a tie, rounds to 16777220 */
    };

    for (size_t i = 0; i < HT_COUNT(CASES); i++) {
        mb_bytes b = mb_edited(MB_REGRESSION, CASES[i].edit, (mb_encoding)(i % 2));
        ht_host host;
        ht_load load = {.keep = true};
        hbs_run *run = NULL;
        hbs_error error = {0};
        hbs_result result;
        /* Tree 1 tests feature 1; trees 0 and 2 give 0.25 + 0.0625 for feature 0 = 1, feature 2 = 0;
         * its leaves are 0.5 and -0.25; base_score is 0.5. */
        hbs_value row[3] = {
            {.type = HBS_FLOAT64, .as.f64 = 1}, {.type = HBS_FLOAT64}, {.type = HBS_FLOAT64, .as.f64 = 0}};
        double want = 0.5 + 0.25 + 0.0625 + (CASES[i].left ? 0.5 : -0.25);

        ht_case("T10", "%s, x = %g", CASES[i].edit, CASES[i].x);
        row[1].as.f64 = CASES[i].x;
        ht_host_init(&host);
        ht_load_bytes(&host, b.data, b.size, &load);
        if (ht_check(load.status == HBS_OK, "%s", load.error.text) &&
            hbs_run_create(load.plan, &host.host, NULL, 1, &run, &error) == HBS_OK &&
            hbs_score_row(run, row, 3, HBS_OUT_VALUE, &result, &error) == HBS_OK)
            ht_check(result.value[0] == want, "gives %g, not %g", result.value[0], want);
        else
            ht_fail("%s", error.text);
        hbs_run_free(run);
        hbs_plan_free(load.plan);
        free(b.data);
    }
}

int main(void)
{
    ht_run_edits("T1", T1, HT_COUNT(T1));
    ht_run_edits("T2", T2, HT_COUNT(T2));
    ht_run_edits("T3", T3, HT_COUNT(T3));
    test_orders();
    ht_run_edits("T5", T5, HT_COUNT(T5));
    ht_run_edits("T6", T6, HT_COUNT(T6));
    ht_run_edits("T7", T7, HT_COUNT(T7));
    ht_run_edits("T8", T8, HT_COUNT(T8));
    test_lengths();
    ht_run_edits("T9", T9, HT_COUNT(T9));
    ht_run_edits("T10", T10, HT_COUNT(T10));
    test_odd_thresholds();
    ht_run_edits("T11", T11, HT_COUNT(T11));
    test_depths();
    ht_run_edits("T12", T12, HT_COUNT(T12));
    return ht_report();
}
