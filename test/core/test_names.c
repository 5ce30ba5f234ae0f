/* test_names.c - features by name: of a JSON key, and of the columns of a table. */
#include "models.h"

#include <string.h>

#include "plan/plan.h"

static hbs_plan *named_plan(const hbs_host *host, size_t n, const char *names)
{
    test_pipeline p;
    hbs_plan *plan;

    test_pipeline_begin(&p, host, n);
    p.pipeline.raw = test_pipeline_forest(&p, 1, 1, HB_BASE_IDENTITY, 0);
    if (names)
        test_pipeline_names(&p, names);
    plan = test_pipeline_compile(&p, 0);
    test_pipeline_end(&p);
    return plan;
}

/* The feature's number; -1: none; -2: could be several. */
static int found(const hbs_plan *plan, const char *name)
{
    bool ambiguous = true;
    size_t i = hb_plan_find_feature(plan->header, (hbs_text){name, strlen(name)}, &ambiguous);

    if (i < plan->header->n_features) {
        assert_false(ambiguous);
        return (int)i;
    }
    return ambiguous ? -2 : -1;
}

static void a_name_is_found_exactly_or_else_without_case(void **state)
{
    test_host host;

    test_host_init(&host);
    hbs_plan *plan = named_plan(&host.host, 7, "Age,age,Plan,plan_type,\xC3\x84,,zONE");

    assert_int_equal(found(plan, "age"), 1);
    assert_int_equal(found(plan, "Age"), 0);
    assert_int_equal(found(plan, "AGE"), -2);
    assert_int_equal(found(plan, "aGe"), -2);
    assert_int_equal(found(plan, "plan"), 2);
    assert_int_equal(found(plan, "PLAN_TYPE"), 3);
    assert_int_equal(found(plan, "zone"), 6);
    assert_int_equal(found(plan, ""), 5);
    assert_int_equal(found(plan, "\xC3\x84"), 4);
    assert_int_equal(found(plan, "\xC3\xA4"), -1); /* letters of ASCII only */
    assert_int_equal(found(plan, "pla"), -1);
    assert_int_equal(found(plan, "plan "), -1);
    assert_int_equal(found(plan, "zz"), -1);
    hbs_plan_free(plan);
    test_host_end(&host);
}

static void a_model_without_names_finds_none(void **state)
{
    test_host host;
    hbs_type type;
    hbs_text name;

    test_host_init(&host);
    hbs_plan *plan = named_plan(&host.host, 2, NULL);

    assert_int_equal(found(plan, ""), -1);
    assert_int_equal(found(plan, "1"), -1);
    hbs_plan_feature(plan, 1, &name, &type);
    assert_int_equal(name.size, 0);
    assert_int_equal(type, HBS_FLOAT32);
    hbs_plan_free(plan);
    test_host_end(&host);
}

/* Every name of up to 4 letters of "aAbB" that chance takes, against a look at all of them. */
static void names_are_found_as_by_looking_at_all(void **state)
{
    enum { N = 150 };
    static const char letters[] = "aAbB";
    char taken[N][5], names[N * 5] = "";
    uint64_t random = 31;
    test_host host;

    for (size_t i = 0; i < N;) {
        size_t size = 1 + test_random(&random) % 4, k;

        memset(taken[i], 0, 5);
        for (k = 0; k < size; k++)
            taken[i][k] = letters[test_random(&random) % 4];
        for (k = 0; k < i && strcmp(taken[k], taken[i]) != 0; k++)
            ;
        if (k < i)
            continue;
        strcat(strcat(names, i ? "," : ""), taken[i]);
        i++;
    }
    test_host_init(&host);
    hbs_plan *plan = named_plan(&host.host, N, names);

    for (int round = 0; round < 3000; round++) {
        char name[5] = "";
        int exact = -1, nocase = -1, count = 0;

        for (size_t k = 0, size = 1 + test_random(&random) % 4; k < size; k++)
            name[k] = letters[test_random(&random) % 4];
        for (int i = 0; i < N; i++) {
            hbs_text a = {name, strlen(name)}, b = {taken[i], strlen(taken[i])};

            if (hb_text_equal(a, b))
                exact = i;
            if (hb_text_equal_nocase(a, b)) {
                nocase = i;
                count++;
            }
        }
        assert_int_equal(found(plan, name), exact >= 0 ? exact : count > 1 ? -2 : nocase);
    }
    hbs_plan_free(plan);
    test_host_end(&host);
}

/* ------------------------------------------------------------------ columns */

enum { MOST_COLUMNS = 16 };

/* Columns by names with commas between them; "-": a column without a name. */
static int read_names(const char *list, hbs_text names[MOST_COLUMNS])
{
    int n = 0;

    for (const char *at = list; at; n++) {
        const char *comma = strchr(at, ',');
        size_t size = comma ? (size_t)(comma - at) : strlen(at);

        assert_true(n < MOST_COLUMNS);
        names[n] = size == 1 && *at == '-' ? (hbs_text){NULL, 0} : (hbs_text){at, size};
        at = comma ? comma + 1 : NULL;
    }
    return n;
}

static void assert_columns(const char *features, size_t n_features, const char *columns, const int *expected)
{
    hbs_text names[MOST_COLUMNS];
    int matched[MOST_COLUMNS], n = read_names(columns, names);
    test_host host;

    test_host_init(&host);
    hbs_plan *plan = named_plan(&host.host, n_features, features);

    hbs_plan_match_columns(plan, names, n, matched);
    for (size_t f = 0; f < n_features; f++)
        if (matched[f] != expected[f])
            fail_msg("features %s, columns %s: feature %zu has column %d, expected %d", features, columns, f,
                     matched[f], expected[f]);
    hbs_plan_free(plan);
    test_host_end(&host);
}

#define COLUMNS(features, columns, ...)                                                      \
    {                                                                                        \
        const int expected[] = {__VA_ARGS__};                                                \
        assert_columns(features, sizeof(expected) / sizeof(expected[0]), columns, expected); \
    }

enum { NONE = HBS_NO_COLUMN, SEVERAL = HBS_SEVERAL_COLUMNS, AMBIGUOUS = HBS_AMBIGUOUS_COLUMN };

static void columns_are_found_exactly_or_else_without_case(void **state)
{
    (void)state;
    COLUMNS("age,plan", "plan,age", 1, 0)
    COLUMNS("age,plan", "PLAN,x,Age", 2, 0)
    COLUMNS("age,plan", "AGE,age,Age,plan", 1, 3) /* an exact one, whatever else there is */
    COLUMNS("age,plan", "age,AGE,plan", 0, 2)
    COLUMNS("age,plan", "plan", NONE, 0)
    COLUMNS("\xC3\x84,b", "\xC3\xA4,b", NONE, 1) /* letters of ASCII only */
    COLUMNS(",b", "-,b", NONE, 1)
    COLUMNS(",b", "-,,b", 1, 2)
}

static void one_feature_has_no_two_columns(void **state)
{
    (void)state;
    COLUMNS("age,plan", "AGE,Age,plan", SEVERAL, 2)
    COLUMNS("age,plan", "AGE,AGE,plan", SEVERAL, 2)
    COLUMNS("age,plan", "age,age,plan", SEVERAL, 2)
    COLUMNS("age,plan", "age,age,age,AGE,plan", SEVERAL, 4)
    COLUMNS("age,plan", "AGE,age,age,plan", SEVERAL, 3)
    COLUMNS("age,plan", "AGE,Age,age,plan", 2, 3)
}

static void one_column_serves_no_two_features(void **state)
{
    (void)state;
    COLUMNS("A,a", "A,x", 0, NONE)
    COLUMNS("A,a", "a", NONE, 0)
    COLUMNS("A,a", "a,A", 1, 0)
    COLUMNS("Ab,aB", "ab", AMBIGUOUS, AMBIGUOUS)
    COLUMNS("Ab,aB", "ab,AB", AMBIGUOUS, AMBIGUOUS)
    COLUMNS("Ab,aB", "ab,Ab", 1, AMBIGUOUS)
    COLUMNS("Ab,aB", "aB,ab,Ab", 2, 0)
    COLUMNS("Ab,x,aB,AB", "AB,X,ab,aB,ab", AMBIGUOUS, 1, 3, 0)
}

static void a_model_without_names_has_no_columns(void **state)
{
    (void)state;
    COLUMNS(NULL, "a,,1", NONE, NONE)
}

static bool same_letters(hbs_text a, hbs_text b)
{
    return a.bytes && hb_text_equal_nocase(a, b);
}

/* The rule said once more, by looking at every pair. */
static int column_of(const hbs_text *features, int n_features, int f, const hbs_text *columns, int n)
{
    int exact = 0, exact_at = 0, alike = 0, alike_at = 0, rivals = 0;

    for (int i = 0; i < n; i++) {
        if (columns[i].bytes && hb_text_equal(columns[i], features[f])) {
            exact++;
            exact_at = i;
        } else if (same_letters(columns[i], features[f])) {
            bool is_anothers = false;

            for (int other = 0; other < n_features; other++)
                is_anothers |= hb_text_equal(columns[i], features[other]);
            alike += !is_anothers;
            alike_at = is_anothers ? alike_at : i;
        }
    }
    for (int other = 0; other < n_features; other++)
        rivals += other != f && same_letters(features[other], features[f]);
    if (exact)
        return exact == 1 ? exact_at : SEVERAL;
    if (alike == 0)
        return NONE;
    return rivals ? AMBIGUOUS : alike == 1 ? alike_at : SEVERAL;
}

static void columns_are_found_as_by_looking_at_every_pair(void **state)
{
    static const char *const pool[] = {"a", "A", "ab", "Ab", "aB", "AB", "b", "B", "", "c"};
    enum { POOL = sizeof(pool) / sizeof(pool[0]) };
    uint64_t random = 77;

    (void)state;
    for (int round = 0; round < 3000; round++) {
        char features[64] = "", columns[64] = "";
        hbs_text feature_names[MOST_COLUMNS], column_names[MOST_COLUMNS];
        int n_features = 0, n, expected[MOST_COLUMNS];

        for (size_t i = 0; i < POOL; i++)
            if (test_random(&random) % 2) {
                strcat(strcat(features, n_features++ ? "," : ""), pool[i]);
            }
        if (n_features == 0)
            continue;
        for (size_t i = 0, count = 1 + test_random(&random) % 6; i < count; i++)
            strcat(strcat(columns, i ? "," : ""), pool[test_random(&random) % POOL]);
        read_names(features, feature_names);
        n = read_names(columns, column_names);
        for (int f = 0; f < n_features; f++)
            expected[f] = column_of(feature_names, n_features, f, column_names, n);
        assert_columns(features, (size_t)n_features, columns, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_found_exactly_or_else_without_case),
        cmocka_unit_test(a_model_without_names_finds_none),
        cmocka_unit_test(names_are_found_as_by_looking_at_all),
        cmocka_unit_test(columns_are_found_exactly_or_else_without_case),
        cmocka_unit_test(one_feature_has_no_two_columns),
        cmocka_unit_test(one_column_serves_no_two_features),
        cmocka_unit_test(a_model_without_names_has_no_columns),
        cmocka_unit_test(columns_are_found_as_by_looking_at_every_pair),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
