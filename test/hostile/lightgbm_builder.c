/* lightgbm_builder.c - see lightgbm_builder.h. */
#include "lightgbm_builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the samples */

#define HEADER(classes, trees, objective, names, infos)                                              \
    "tree\nversion=v4\nnum_class=" classes "\nnum_tree_per_iteration=" trees                         \
    "\nlabel_index=0\nmax_feature_idx=2\n" objective "feature_names=" names "\nfeature_infos=" infos \
    "\ntree_sizes=\n\n"
#define PLAIN "[-5:5] [-5:5] [-5:40]"
#define TAIL(importances, columns, pandas)                                                   \
    "end of trees\n\nfeature_importances:\n" importances "\nparameters:\n[boosting: gbdt]\n" \
    "[categorical_feature: " columns "]\n[max_bin: 255]\n\nend of parameters\n" pandas
#define NO_PANDAS   "\npandas_categorical:null\n"
#define END_OF_TREE "is_linear=0\nshrinkage=1\n\n\n"

#define LEAF(tree, value)                                                               \
    "Tree=" tree "\nnum_leaves=1\nnum_cat=0\nsplit_feature=\nsplit_gain=\nthreshold=\n" \
    "decision_type=\nleft_child=\nright_child=\nleaf_value=" value                      \
    "\nleaf_weight=\nleaf_count=9\ninternal_value=\ninternal_weight=\ninternal_count=\n" END_OF_TREE

#define NUMBERS_0                                                                           \
    "Tree=0\nnum_leaves=4\nnum_cat=0\nsplit_feature=0 1 2\nsplit_gain=3 2 1\n"              \
    "threshold=0.5 -1.5 1.0000000180025095e-35\ndecision_type=2 10 4\nleft_child=1 -1 -3\n" \
    "right_child=2 -2 -4\nleaf_value=0.25 -0.125 1e-3 -2\nleaf_weight=1 2 3 4\n"            \
    "leaf_count=1 2 3 4\ninternal_value=0 0 0\ninternal_weight=10 3 7\ninternal_count=10 3 7\n" END_OF_TREE
#define NUMBERS_1                                                                                \
    "Tree=1\nnum_leaves=3\nnum_cat=0\nsplit_feature=2 0\nthreshold=33 -inf\ndecision_type=8 6\n" \
    "left_child=1 -1\nright_child=-3 -2\nleaf_value=1 2.5 -0.75\nleaf_count=5 3 2\n"             \
    "internal_count=10 8\n" END_OF_TREE

#define SETS_0                                                                           \
    "Tree=0\nnum_leaves=4\nnum_cat=2\nsplit_feature=1 0 2\nthreshold=0 0.5 1\n"          \
    "decision_type=9 2 1\nleft_child=1 -1 -3\nright_child=2 -2 -4\nleaf_value=1 2 3 4\n" \
    "leaf_count=1 2 3 4\ninternal_count=10 3 7\ncat_boundaries=0 1 4\n"                  \
    "cat_threshold=13 3 2 2147483648\n" END_OF_TREE
#define SETS_1                                                                              \
    "Tree=1\nnum_leaves=2\nnum_cat=1\nsplit_feature=2\nthreshold=0\ndecision_type=1\n"      \
    "left_child=-2\nright_child=-1\nleaf_value=-1 0.5\nleaf_count=5 5\ninternal_count=10\n" \
    "cat_boundaries=0 2\ncat_threshold=7 2\n" END_OF_TREE

#define LINEAR_0                                                                                 \
    "Tree=0\nnum_leaves=3\nnum_cat=0\nsplit_feature=0 1\nthreshold=0.5 1.5\ndecision_type=2 8\n" \
    "left_child=1 -1\nright_child=-3 -2\nleaf_value=1 2 3\nleaf_count=1 2 3\n"                   \
    "internal_count=6 3\nis_linear=1\nleaf_const=0.5 1.5 -1\nnum_features=2 0 1\n"               \
    "leaf_features=0 2  1 \nleaf_coeff=0.25 -3  2 \nshrinkage=1\n\n\n"
#define LINEAR_1                                                                   \
    "Tree=1\nnum_leaves=1\nnum_cat=0\nleaf_value=0.5\nleaf_count=6\nis_linear=1\n" \
    "leaf_const=0.75\nnum_features=1\nleaf_features=2\nleaf_coeff=-0.5\nshrinkage=0.1\n\n\n"

#define CLASS(tree, feature)                                                                 \
    "Tree=" tree "\nnum_leaves=2\nnum_cat=0\nsplit_feature=" feature                         \
    "\nthreshold=1\ndecision_type=2\nleft_child=-1\nright_child=-2\nleaf_value=-0.5 0." tree \
    "\nleaf_count=1 2\ninternal_count=3\n" END_OF_TREE

#define PANDAS(lists)                                                                        \
    HEADER("1", "1", "objective=regression\n", "age plan zone", "[-5:5] -1:0:1:2 0:1")       \
    "Tree=0\nnum_leaves=3\nnum_cat=2\nsplit_feature=1 2\nthreshold=0 1\ndecision_type=9 9\n" \
    "left_child=1 -1\nright_child=-3 -2\nleaf_value=1 2 4\nleaf_count=1 2 3\n"               \
    "internal_count=6 3\ncat_boundaries=0 1 2\ncat_threshold=5 2\n" END_OF_TREE TAIL(        \
        "plan=1\nzone=1\n", "1,2", "\npandas_categorical:" lists "\n")

static const struct {
    const char *name, *text;
} samples[LB_SAMPLES] = {
    {"binary",
     HEADER("1", "1", "objective=binary sigmoid:2\n", "a b c", PLAIN) NUMBERS_0 NUMBERS_1 TAIL("", "", NO_PANDAS)},
    {"sets", HEADER("1", "1", "objective=regression\n", "a b c", "[-5:5] 0:2:3 -1:1:33:95")
                 SETS_0 SETS_1 TAIL("c=2\nb=1\na=1\n", "1,2", NO_PANDAS)},
    {"linear",
     HEADER("1", "1", "objective=regression\n", "a b c", PLAIN) LINEAR_0 LINEAR_1 TAIL("b=12\na=3\n", "", NO_PANDAS)},
    {"classes",
     HEADER("3", "3", "objective=multiclass num_class:3\n", "a b c", PLAIN) LEAF("0", "-1") LEAF("1", "-1.5")
         LEAF("2", "-0.5") CLASS("3", "0") CLASS("4", "1") CLASS("5", "2") TAIL("a=1\nb=1\nc=1\n", "", NO_PANDAS)},
    {"average", HEADER("1", "1", "objective=poisson\naverage_output\n", "a b c", PLAIN)
                    NUMBERS_0 NUMBERS_1 TAIL("", "", NO_PANDAS)},
    {"texts", PANDAS("[[\"gold\", \"\\u00e9\\n\", \"plus\"], [\"basic\", \"gold\"]]")},
    {"integers", PANDAS("[[0, 2, 33], [-1, 1]]")},
    {"reals", PANDAS("[[3.0, 0.5, -7.25], [true, false]]")},
};

const char *lb_name(lb_sample sample)
{
    return samples[sample].name;
}

/* ------------------------------------------------------------------ text that grows */

typedef struct text {
    char *bytes;
    size_t size, room;
} text;

static void *must(void *block)
{
    if (!block) {
        fprintf(stderr, "lightgbm_builder: no memory\n");
        exit(2);
    }
    return block;
}

static void add(text *t, const char *bytes, size_t size)
{
    if (size > t->room - t->size) {
        t->room = (t->size + size) * 2 + 256;
        t->bytes = must(realloc(t->bytes, t->room));
    }
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
}

static void addf(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void addf(text *t, const char *format, ...)
{
    char buffer[512];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(buffer, sizeof(buffer), format, args);
    va_end(args);
    add(t, buffer, (size_t)n);
}

/* Exactly its size. */
static mb_bytes bytes_of(text *t)
{
    mb_bytes b = {must(malloc(t->size ? t->size : 1)), t->size};

    memcpy(b.data, t->bytes, t->size);
    free(t->bytes);
    return b;
}

/* ------------------------------------------------------------------ lines and their sections */

enum { MAX_LINES = 512, HEADER_SECTION = -1 };

typedef struct line {
    char *text;
    int section; /* a tree's number, or HEADER_SECTION */
} line;

typedef struct model {
    line lines[MAX_LINES];
    size_t n;
    char *tail;
    bool sizes_given;
} model;

static char *copy(const char *bytes, size_t size)
{
    char *text = must(malloc(size + 1));

    memcpy(text, bytes, size);
    text[size] = '\0';
    return text;
}

static void model_read(model *m, const char *p)
{
    int section = HEADER_SECTION;

    memset(m, 0, sizeof(*m));
    while (strncmp(p, "end of trees", 12) != 0) {
        size_t n = strcspn(p, "\n");

        section += strncmp(p, "Tree=", 5) == 0;
        m->lines[m->n++] = (line){copy(p, n), section};
        p += n + 1;
    }
    m->tail = copy(p + 12, strlen(p + 12));
}

static void model_free(model *m)
{
    for (size_t i = 0; i < m->n; i++)
        free(m->lines[i].text);
    free(m->tail);
}

static void add_section(const model *m, int section, text *t)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->lines[i].section == section) {
            add(t, m->lines[i].text, strlen(m->lines[i].text));
            add(t, "\n", 1);
        }
}

static void add_header(const model *m, int n_trees, text *t)
{
    for (size_t i = 0; i < m->n && m->lines[i].section == HEADER_SECTION; i++) {
        const char *s = m->lines[i].text;

        add(t, s, strlen(s));
        for (int k = 0; k < n_trees && !m->sizes_given && strcmp(s, "tree_sizes=") == 0; k++) {
            text block = {0};

            add_section(m, k, &block);
            addf(t, "%s%zu", k ? " " : "", block.size);
            free(block.bytes);
        }
        add(t, "\n", 1);
    }
}

static mb_bytes model_write(const model *m)
{
    int n_trees = m->n ? m->lines[m->n - 1].section + 1 : 0;
    text t = {0};

    add_header(m, n_trees, &t);
    for (int k = 0; k < n_trees; k++)
        add_section(m, k, &t);
    add(&t, "end of trees", 12);
    add(&t, m->tail, strlen(m->tail));
    return bytes_of(&t);
}

/* ------------------------------------------------------------------ edits */

static void bad_edit(const char *edit)
{
    fprintf(stderr, "lightgbm_builder: bad edit: %.80s\n", edit);
    exit(2);
}

static size_t first_line(const model *m, int section, const char *edit)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->lines[i].section == section)
            return i;
    bad_edit(edit);
    return 0;
}

static void insert(model *m, size_t at, const char *bytes, size_t size, int section)
{
    if (m->n == MAX_LINES)
        bad_edit(bytes);
    memmove(&m->lines[at + 1], &m->lines[at], (m->n - at) * sizeof(line));
    m->lines[at] = (line){copy(bytes, size), section};
    m->n++;
}

static void remove_line(model *m, size_t at)
{
    free(m->lines[at].text);
    m->n--;
    memmove(&m->lines[at], &m->lines[at + 1], (m->n - at) * sizeof(line));
}

/* The tree once more, behind itself. */
static void repeat(model *m, int section, const char *edit)
{
    size_t from = first_line(m, section, edit), to = from;

    while (to < m->n && m->lines[to].section == section)
        to++;
    for (size_t i = to; i < m->n; i++)
        m->lines[i].section++;
    for (size_t i = from; i < to; i++)
        insert(m, to + i - from, m->lines[i].text, strlen(m->lines[i].text), section + 1);
}

static size_t find_line(const model *m, int section, const char *key, size_t key_size, const char *edit)
{
    for (size_t i = 0; i < m->n; i++) {
        const char *s = m->lines[i].text;

        if (m->lines[i].section == section && strncmp(s, key, key_size) == 0 &&
            (s[key_size] == '=' || s[key_size] == '\0'))
            return i;
    }
    bad_edit(edit);
    return 0;
}

static void set_tail(model *m, const char *value, size_t size)
{
    free(m->tail);
    m->tail = copy(value, size);
    for (char *p = m->tail; *p; p++)
        if (*p == '|')
            *p = '\n';
}

static void edit_one(model *m, const char *edit, size_t size)
{
    char op = edit[0] && strchr("-+*", edit[0]) ? edit[0] : '=';
    const char *p = edit + (op != '='), *value = strstr(edit, " = ");
    const char *end = edit + size;
    int section = HEADER_SECTION;
    size_t key_size, at;

    value = value && value < end ? value + 3 : end;
    if (strncmp(p, "tail", 4) == 0) {
        set_tail(m, value, (size_t)(end - value));
        return;
    }
    if (*p == 'T')
        section = (int)strtol(p + 1, (char **)&p, 10);
    else if (*p++ != 'H')
        bad_edit(edit);
    if (op == '+') {
        insert(m, first_line(m, section, edit) + 1, value, (size_t)(end - value), section);
        return;
    }
    if (op == '*') {
        repeat(m, section, edit);
        return;
    }
    if (*p++ != '.')
        bad_edit(edit);
    key_size = op == '-' ? (size_t)(end - p) : strcspn(p, " ");
    at = find_line(m, section, p, key_size, edit);
    if (op == '=') {
        char *text = must(malloc(key_size + 2 + (size_t)(end - value)));

        m->sizes_given |= strncmp(p, "tree_sizes", key_size) == 0;
        sprintf(text, "%.*s=%.*s", (int)key_size, p, (int)(end - value), value);
        free(m->lines[at].text);
        m->lines[at].text = text;
    } else {
        remove_line(m, at);
    }
}

mb_bytes lb_edited(lb_sample sample, const char *edits)
{
    model *m = must(malloc(sizeof(*m)));
    mb_bytes b;

    model_read(m, samples[sample].text);
    while (edits && *edits) {
        size_t n = strcspn(edits, "\n");

        edit_one(m, edits, n);
        edits += n + (edits[n] == '\n');
    }
    b = model_write(m);
    model_free(m);
    free(m);
    return b;
}

/* ------------------------------------------------------------------ large ones */

static const char plain_header[] =
    "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=2\n"
    "objective=regression\nfeature_names=a b c\nfeature_infos=none none none\n\n";
static const char plain_end[] = "end of trees\n\nfeature_importances:\n\npandas_categorical:null\n";

static void begin(text *t)
{
    memset(t, 0, sizeof(*t));
    add(t, plain_header, sizeof(plain_header) - 1);
}

static mb_bytes finish(text *t)
{
    add(t, plain_end, sizeof(plain_end) - 1);
    return bytes_of(t);
}

/* Item i of n of a list; `format` takes a long long. */
static void add_list(text *t, const char *key, size_t n, long long (*item)(size_t i, size_t n))
{
    addf(t, "%s=", key);
    for (size_t i = 0; i < n; i++)
        addf(t, "%s%lld", i ? " " : "", item(i, n));
    add(t, "\n", 1);
}

static void add_same(text *t, const char *key, size_t n, const char *item)
{
    addf(t, "%s=", key);
    for (size_t i = 0; i < n; i++)
        addf(t, "%s%s", i ? " " : "", item);
    add(t, "\n", 1);
}

static long long next_in_chain(size_t i, size_t n)
{
    return i + 1 < n ? (long long)i + 1 : ~(long long)n;
}

static long long leaf_in_chain(size_t i, size_t n)
{
    return ~(long long)i;
}

mb_bytes lb_chain(size_t n, bool to_left)
{
    text t;

    begin(&t);
    addf(&t, "Tree=0\nnum_leaves=%zu\nnum_cat=0\n", n);
    add_same(&t, "split_feature", n - 1, "0");
    add_same(&t, "threshold", n - 1, "0.5");
    add_same(&t, "decision_type", n - 1, "2");
    add_list(&t, to_left ? "left_child" : "right_child", n - 1, next_in_chain);
    add_list(&t, to_left ? "right_child" : "left_child", n - 1, leaf_in_chain);
    add_same(&t, "leaf_value", n, "1.5");
    add(&t, "\n\n", 2);
    return finish(&t);
}

/* Inner nodes and leaves as in a heap. */
static long long in_heap(size_t child, size_t inner)
{
    return child < inner ? (long long)child : ~(long long)(child - inner);
}

static long long left_in_heap(size_t i, size_t n)
{
    return in_heap(2 * i + 1, n);
}

static long long right_in_heap(size_t i, size_t n)
{
    return in_heap(2 * i + 2, n);
}

static long long feature_in_turn(size_t i, size_t n)
{
    return (long long)(i % 3);
}

mb_bytes lb_balanced(size_t n, bool long_numbers)
{
    const char *number = long_numbers ? "-0.17112074256589524" : "0";
    text t;

    begin(&t);
    addf(&t, "Tree=0\nnum_leaves=%zu\nnum_cat=0\n", n);
    add_list(&t, "split_feature", n - 1, feature_in_turn);
    add_same(&t, "threshold", n - 1, number);
    add_list(&t, "left_child", n - 1, left_in_heap);
    add_list(&t, "right_child", n - 1, right_in_heap);
    add_same(&t, "leaf_value", n, number);
    if (long_numbers) {
        add_same(&t, "split_gain", n - 1, "791.002");
        add_same(&t, "decision_type", n - 1, "10");
        add_same(&t, "leaf_weight", n, "87");
        add_same(&t, "leaf_count", n, "87");
        add_same(&t, "internal_value", n - 1, "0.0114699");
        add_same(&t, "internal_weight", n - 1, "400");
        add_same(&t, "internal_count", n - 1, "400");
    }
    add(&t, "\n\n", 2);
    return finish(&t);
}

mb_bytes lb_stumps(size_t n)
{
    text t;

    begin(&t);
    for (size_t i = 0; i < n; i++)
        addf(&t, "Tree=%zu\nnum_leaves=1\nleaf_value=1\n", i);
    return finish(&t);
}

mb_bytes lb_large_set(size_t n)
{
    text t;

    begin(&t);
    addf(&t,
         "Tree=0\nnum_leaves=2\nnum_cat=1\nsplit_feature=1\nthreshold=0\ndecision_type=1\n"
         "left_child=-1\nright_child=-2\nleaf_value=1 2\ncat_boundaries=0 %zu\n",
         n);
    add_same(&t, "cat_threshold", n, "4294967295");
    return finish(&t);
}

mb_bytes lb_long_leaf(size_t n)
{
    text t;

    begin(&t);
    addf(&t,
         "Tree=0\nnum_leaves=1\nnum_cat=0\nleaf_value=1\nis_linear=1\nleaf_const=1\n"
         "num_features=%zu\n",
         n);
    add_same(&t, "leaf_features", n, "0");
    add_same(&t, "leaf_coeff", n, "0.001");
    return finish(&t);
}
