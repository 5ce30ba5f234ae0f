/* test_statistics.c - the columns that CatBoost's one-hot tests and ctrs compute, against values worked out by
 * hand: all numbers here are exact in float32 unless a test says otherwise. */
#include "models.h"

#include <math.h>
#include <string.h>

#include "kernel/statistics_kernel.h"

/* Hashes of texts, as CatBoost's files say them, and the keys of combinations of them. */
enum { GOLD = 593169227, PLUS = -1597567110, X = -784473192, UNSEEN = 12345 };
#define KEY_GOLD   12983173081141311891u /* so in ctr_default_12.json */
#define KEY_PLUS   12037452601837068394u /* a negative hash is extended by its sign */
#define KEY_GOLD_0 13470014881980123135u
#define KEY_GOLD_1 18201111916389588440u
#define KEY_GOLD_X 15724689409259727831u

/* Columns: a number, a category, another one. */
enum { NUMBER, FIRST, SECOND, WIDTH };

/* What sealing says of them, behind WIDTH columns. */
static hbs_status check_model(const hb_category_statistics *statistics)
{
    test_host host;
    test_pipeline p;
    hbs_status status;

    test_host_init(&host);
    test_pipeline_begin(&p, &host.host, WIDTH);
    p.pipeline.wide = true;
    p.pipeline.values = test_add(&p, CATEGORY_STATISTICS, category_statistics, 1, .model = *statistics);
    status = hb_pipeline_seal(&p.pipeline, &p.error);
    test_pipeline_end(&p);
    test_host_end(&host);
    return status;
}

/* ((good + 2) / (total + 8) + 1/8) * 4 of one table, for rows of (number, first, second). */
static double score(uint32_t kind, uint32_t target, const hb_element *elements, size_t n_elements,
                    const hb_count_table *table, const uint64_t *keys, const double *counts, double number,
                    double first, double second)
{
    hb_statistic statistic = {.kind = kind,
                              .n_elements = (uint32_t)n_elements,
                              .target = target,
                              .prior = 2,
                              .prior_total = 8,
                              .shift = 0.125f,
                              .scale = 4};
    hb_category_statistics s = {.n_elements = n_elements,
                                .n_statistics = 1,
                                .n_tables = 1,
                                .n_keys = table->n,
                                .n_counts = table->n * table->width,
                                .elements = elements,
                                .statistics = &statistic,
                                .tables = table,
                                .keys = keys,
                                .counts = counts};
    double in[WIDTH] = {number, first, second}, out[WIDTH + 1];

    assert_int_equal(check_model(&s), HBS_OK);
    hb_category_columns(&s, in, WIDTH, 1, 1, NULL, out);
    assert_memory_equal(in, out, sizeof(in));
    return out[WIDTH];
}

static const hb_element CATEGORY[] = {{HB_ELEMENT_HASH, FIRST, 0}};
static const uint64_t KEYS[] = {KEY_PLUS, KEY_GOLD};

static void three_counts_are_above_or_in_a_bucket(void **state)
{
    static const double counts[] = {1, 2, 5, 4, 4, 16};
    static const hb_count_table table = {.n = 2, .width = 3};
    static const struct {
        uint32_t kind, target;
        double category, expected;
    } cases[] = {
        {HB_STATISTIC_ABOVE, 0, GOLD, 3.25},  /* 22 / 32 */
        {HB_STATISTIC_ABOVE, 0, PLUS, 2.75},  /* 9 / 16 */
        {HB_STATISTIC_ABOVE, 0, UNSEEN, 1.5}, /* 2 / 8 */
        {HB_STATISTIC_ABOVE, 1, GOLD, 2.75},  /* 18 / 32 */
        {HB_STATISTIC_ABOVE, 1, PLUS, 2.25},  /* 7 / 16 */
        {HB_STATISTIC_BUCKET, 0, GOLD, 1.25}, /* 6 / 32 */
        {HB_STATISTIC_BUCKET, 1, PLUS, 1.5},  /* 4 / 16 */
        {HB_STATISTIC_BUCKET, 2, GOLD, 2.75}, /* 18 / 32 */
        {HB_STATISTIC_BUCKET, 2, UNSEEN, 1.5},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_true(score(cases[i].kind, cases[i].target, CATEGORY, 1, &table, KEYS, counts, 0, cases[i].category, 0) ==
                    cases[i].expected);
}

static void a_mean_is_of_a_sum_and_a_count(void **state)
{
    static const double counts[] = {1.5, 24, 2.5, 8};
    static const hb_count_table table = {.n = 2, .width = 2};

    assert_true(score(HB_STATISTIC_MEAN, 0, CATEGORY, 1, &table, KEYS, counts, 0, GOLD, 0) == 1.625);
    assert_true(score(HB_STATISTIC_MEAN, 0, CATEGORY, 1, &table, KEYS, counts, 0, PLUS, 0) == 0.9375);
    assert_true(score(HB_STATISTIC_MEAN, 0, CATEGORY, 1, &table, KEYS, counts, 0, UNSEEN, 0) == 1.5);
}

static const double COUNTS[] = {6, 14};
static const hb_count_table COUNTER = {.n = 2, .width = 1, .denominator = 24};

static void a_counter_divides_by_the_tables_denominator(void **state)
{
    assert_true(score(HB_STATISTIC_COUNTER, 0, CATEGORY, 1, &COUNTER, KEYS, COUNTS, 0, PLUS, 0) == 1.5);
    assert_true(score(HB_STATISTIC_COUNTER, 0, CATEGORY, 1, &COUNTER, KEYS, COUNTS, 0, GOLD, 0) == 2.5);
    assert_true(score(HB_STATISTIC_COUNTER, 0, CATEGORY, 1, &COUNTER, KEYS, COUNTS, 0, UNSEEN, 0) == 0.75);
}

/* What "1" gives is 2.5, "0" 1.5. */
static double combined(hb_element second, double number, double other)
{
    static const uint64_t keys[] = {KEY_GOLD_0, KEY_GOLD_1};
    hb_element elements[] = {{HB_ELEMENT_HASH, FIRST, 0}, second};

    return score(HB_STATISTIC_COUNTER, 0, elements, 2, &COUNTER, keys, COUNTS, number, GOLD, other);
}

static void a_number_is_above_its_border_or_not(void **state)
{
    const hb_element above = {HB_ELEMENT_ABOVE, NUMBER, 0.25};
    const hb_element above_or_nan = {HB_ELEMENT_ABOVE_OR_NAN, NUMBER, 0.25};

    assert_true(combined(above, 0.5, 0) == 2.5);
    assert_true(combined(above, 0.25, 0) == 1.5);
    assert_true(combined(above, -INFINITY, 0) == 1.5);
    assert_true(combined(above, INFINITY, 0) == 2.5);
    assert_true(combined(above, NAN, 0) == 1.5);
    assert_true(combined(above_or_nan, 0.5, 0) == 2.5);
    assert_true(combined(above_or_nan, 0.25, 0) == 1.5);
    assert_true(combined(above_or_nan, NAN, 0) == 2.5);
}

static void a_category_is_the_one_or_not(void **state)
{
    const hb_element equal = {HB_ELEMENT_EQUAL, SECOND, X};

    assert_true(combined(equal, 0, X) == 2.5);
    assert_true(combined(equal, 0, GOLD) == 1.5);
    assert_true(combined(equal, 0, 0) == 1.5);
}

static void elements_are_hashed_in_their_order(void **state)
{
    static const hb_element both[] = {{HB_ELEMENT_HASH, FIRST, 0}, {HB_ELEMENT_HASH, SECOND, 0}};
    static const uint64_t keys[] = {KEY_GOLD_X, UINT64_MAX};

    assert_true(score(HB_STATISTIC_COUNTER, 0, both, 2, &COUNTER, keys, COUNTS, 0, GOLD, X) == 1.5);
    assert_true(score(HB_STATISTIC_COUNTER, 0, both, 2, &COUNTER, keys, COUNTS, 0, X, GOLD) == 0.75);
}

/* One third, and 2^24 + 1, which float32 does not have. */
static void each_step_rounds_to_float32(void **state)
{
    static const uint64_t keys[] = {KEY_GOLD};
    static const double counts[] = {16777217};
    const hb_statistic statistics[] = {
        {.kind = HB_STATISTIC_COUNTER, .n_elements = 1, .prior_total = 0, .scale = 1},
        {.kind = HB_STATISTIC_COUNTER, .n_elements = 1, .table = 1, .prior = 1, .scale = 15},
    };
    const hb_count_table tables[] = {{.n = 1, .width = 1, .denominator = 1}, {.width = 1, .denominator = 3}};
    hb_category_statistics s = {.n_elements = 1,
                                .n_statistics = 2,
                                .n_tables = 2,
                                .n_keys = 1,
                                .n_counts = 1,
                                .elements = CATEGORY,
                                .statistics = statistics,
                                .tables = tables,
                                .keys = keys,
                                .counts = counts};
    double in[WIDTH] = {0, GOLD, 0}, out[WIDTH + 2];

    hb_category_columns(&s, in, WIDTH, 1, 1, NULL, out);
    assert_true(out[WIDTH] == 16777216);
    assert_true(out[WIDTH + 1] == (double)(1.0f / 3.0f * 15.0f));
}

/* Hash v alone has the key magic * magic * v. */
static void any_number_of_keys_is_searched(void **state)
{
    enum { MOST = 9 };
    const uint64_t magic = 0x4906ba494954cb65;

    for (size_t n = 0; n <= MOST; n++) {
        uint64_t keys[MOST];
        double counts[MOST];
        hb_count_table table = {.n = n, .width = 1, .denominator = 24};

        for (size_t i = 0; i < n; i++) {
            uint64_t key = magic * (magic * i);
            size_t at = i;

            for (; at > 0 && keys[at - 1] > key; at--) {
                keys[at] = keys[at - 1];
                counts[at] = counts[at - 1];
            }
            keys[at] = key;
            counts[at] = (double)(8 * i); /* gives (8 i + 2) / 32 */
        }
        for (size_t i = 0; i < 2 * MOST; i++)
            assert_true(score(HB_STATISTIC_COUNTER, 0, CATEGORY, 1, &table, keys, counts, 0, (double)i, 0) ==
                        ((i < n ? (double)(8 * i) : 0) + 2) / 8 + 0.5);
    }
}

/* Columns of `stride` places of which only the rows are written. */
static void columns_have_rows_and_a_stride(void **state)
{
    enum { STRIDE = 5, ROWS = 3 };
    static const hb_category_equal equals[] = {{FIRST, GOLD}, {SECOND, X}};
    static const hb_statistic statistic = {
        .kind = HB_STATISTIC_COUNTER, .n_elements = 1, .prior = 2, .prior_total = 8, .shift = 0.125f, .scale = 4};
    const hb_category_statistics s = {.n_equals = 2,
                                      .n_elements = 1,
                                      .n_statistics = 1,
                                      .n_tables = 1,
                                      .n_keys = 2,
                                      .n_counts = 2,
                                      .equals = equals,
                                      .elements = CATEGORY,
                                      .statistics = &statistic,
                                      .tables = &COUNTER,
                                      .keys = KEYS,
                                      .counts = COUNTS};
    static const double in[WIDTH][STRIDE] = {{1, -2, 0.5}, {GOLD, PLUS, X}, {X, GOLD, X}};
    static const double expected[][ROWS] = {{1, -2, 0.5}, {GOLD, PLUS, X}, {X, GOLD, X},
                                            {1, 0, 0},    {1, 0, 1},       {2.5, 1.5, 0.75}};
    double out[WIDTH + 3][STRIDE];

    memset(out, 0xA5, sizeof(out));
    hb_category_columns(&s, in[0], WIDTH, STRIDE, ROWS, NULL, out[0]);
    for (size_t c = 0; c < WIDTH + 3; c++) {
        for (size_t r = 0; r < ROWS; r++)
            assert_true(out[c][r] == expected[c][r]);
        for (size_t i = ROWS * sizeof(double); i < sizeof(out[c]); i++)
            assert_int_equal(((const uint8_t *)out[c])[i], 0xA5);
    }
}

static hbs_status check(hb_statistic statistic, uint64_t width, uint64_t second_key)
{
    const uint64_t keys[] = {7, second_key};
    const double counts[] = {1, 2, 3, 4, 5, 6};
    const hb_count_table table = {.n = 2, .width = width};
    const hb_category_statistics s = {.n_elements = 1,
                                      .n_statistics = 1,
                                      .n_tables = 1,
                                      .n_keys = 2,
                                      .n_counts = 6,
                                      .elements = CATEGORY,
                                      .statistics = &statistic,
                                      .tables = &table,
                                      .keys = keys,
                                      .counts = counts};

    return check_model(&s);
}

static void what_the_kernel_relies_on_is_checked(void **state)
{
    const hb_statistic above = {.kind = HB_STATISTIC_ABOVE, .n_elements = 1};
    hb_statistic s = above;

    assert_int_equal(check(s, 2, 8), HBS_OK);
    assert_int_equal(check(s, 1, 8), HBS_E_FORMAT); /* nothing is above the only count */
    assert_int_equal(check(s, 0, 8), HBS_E_FORMAT);
    assert_int_equal(check(s, 2, 7), HBS_E_FORMAT); /* a key twice */
    s.target = 1;
    assert_int_equal(check(s, 2, 8), HBS_E_FORMAT);
    assert_int_equal(check(s, 3, 8), HBS_OK);
    s.kind = HB_STATISTIC_BUCKET;
    assert_int_equal(check(s, 2, 8), HBS_OK);
    s.target = UINT32_MAX;
    assert_int_equal(check(s, 2, 8), HBS_E_FORMAT);
    s = above;
    s.kind = HB_STATISTIC_MEAN;
    assert_int_equal(check(s, 1, 8), HBS_E_FORMAT);
    assert_int_equal(check(s, 2, 8), HBS_OK);
    s.kind = HB_STATISTIC_COUNTER;
    assert_int_equal(check(s, 0, 8), HBS_E_FORMAT);
    assert_int_equal(check(s, 1, 8), HBS_OK);
    s.scale = NAN;
    assert_int_equal(check(s, 1, 8), HBS_E_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_counts_are_above_or_in_a_bucket),
        cmocka_unit_test(a_mean_is_of_a_sum_and_a_count),
        cmocka_unit_test(a_counter_divides_by_the_tables_denominator),
        cmocka_unit_test(a_number_is_above_its_border_or_not),
        cmocka_unit_test(a_category_is_the_one_or_not),
        cmocka_unit_test(elements_are_hashed_in_their_order),
        cmocka_unit_test(each_step_rounds_to_float32),
        cmocka_unit_test(any_number_of_keys_is_searched),
        cmocka_unit_test(columns_have_rows_and_a_stride),
        cmocka_unit_test(what_the_kernel_relies_on_is_checked),
    };

    return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
