/* every_texts.c - texts and lists. */
#include "every_parts.h"

#include <math.h>

#include "base/murmur_hash.h"

static void set_text_counts(test_pipeline *p, every_setting *op, size_t width)
{
    static const uint32_t ends[1] = {1}, first[3] = {0, 1, 1}, words[1] = {0}, outputs[1] = {0};

    (void)p, (void)width;
    op->fit.text_counts = (hb_fit_text_counts){.n_outputs = 1,
                                               .tokenizer = {.splitting = HB_SPLIT_CHARACTERS},
                                               .words = {.n = 1, .n_bytes = 1, .ends = ends, .bytes = "a"},
                                               .grams = {1, first, words, outputs},
                                               .missing = "aba",
                                               .missing_size = 3};
}

static void expect_counts(const double *x, size_t width, double *y)
{
    y[0] = 0;
    FOR_COLUMNS y[0] += isnan(x[c]) ? 2 : 0;
}

/* ---- lists: no number is one, so that all are empty. What says which list it is is no number. */

static void set_term_lists(test_pipeline *p, every_setting *op, size_t width)
{
    static const uint32_t ends[1] = {1}, columns[1] = {1};

    (void)p, (void)width;
    op->fit.term_lists = (hb_fit_term_lists){.n_columns = 2,
                                             .rule = {.least = 1, .most = 1},
                                             .words = {.n = 1, .n_bytes = 1, .ends = ends, .bytes = "a"},
                                             .columns = columns};
}

static void set_json_lists(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->fit.json_lists = (hb_fit_json_lists){.n_columns = 2, .form = HB_JSON_PAIRS, .hashes = true};
}

static void set_list_weights(test_pipeline *p, every_setting *op, size_t width)
{
    static const double factors[2] = {2, 3};

    (void)p, (void)width;
    op->fit.list_weights = (hb_fit_list_weights){.norm = HB_LIST_L2, .n_columns = 2, .factors = factors};
}

static void set_list_above(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->fit.list_weights = (hb_fit_list_weights){.n_columns = 2, .function = HB_LIST_ABOVE_0};
}

static void set_list_join(test_pipeline *p, every_setting *op, size_t width)
{
    uint32_t *parts = hb_arena_array(&p->pipeline.arena, 2, sizeof(*parts));

    assert_non_null(parts);

    parts[1] = (uint32_t)width;
    op->fit.list_join = (hb_fit_list_join){.n_parts = 1, .firsts = parts, .widths = parts + 1};
}

static void set_list_columns(test_pipeline *p, every_setting *op, size_t width)
{
    static const uint32_t columns[1] = {1};

    (void)p, (void)width;
    op->fit.list_columns = (hb_fit_list_columns){.n_outputs = 1, .columns = columns};
}

static void set_list_sums(test_pipeline *p, every_setting *op, size_t width)
{
    static const double weights[2] = {2, 3}, bias[1] = {0.5};

    (void)p, (void)width;
    op->fit.list_sums = (hb_fit_list_sums){.n_outputs = 1, .n_columns = 2, .weights = weights, .bias = bias};
}

/* No list has no words: all topics are as likely. */
static void set_topics(test_pipeline *p, every_setting *op, size_t width)
{
    static const double weights[4] = {1, 0.5, 0.25, 0};

    (void)p, (void)width;
    op->fit.topics = (hb_fit_topics){
        .n_topics = 2, .n_columns = 2, .n_rounds = 5, .prior = 0.5, .tolerance = 1e-3, .weights = weights};
}

/* Nor has it any component. */
static void set_factors(test_pipeline *p, every_setting *op, size_t width)
{
    static const double weights[4] = {1, 0.5, 0.25, 0};

    (void)p, (void)width;
    op->fit.factors = (hb_fit_factors){.n_components = 2,
                                       .n_columns = 2,
                                       .n_rounds = 20,
                                       .beta = 1.5,
                                       .least = 1e-7,
                                       .tolerance = 1e-3,
                                       .weights = weights};
}

static void expect_factors(const double *x, size_t width, double *y)
{
    (void)x, (void)width;
    y[0] = y[1] = 0;
}

static void expect_topics(const double *x, size_t width, double *y)
{
    (void)x, (void)width;
    y[0] = y[1] = 0.5;
}

static void expect_list(const double *x, size_t width, double *y)
{
    (void)x, (void)width;
    y[0] = NAN;
}

static void expect_no_count(const double *x, size_t width, double *y)
{
    (void)x, (void)width;
    y[0] = 0;
}

static void expect_bias(const double *x, size_t width, double *y)
{
    (void)x, (void)width;
    y[0] = 0.5;
}
/* Missing texts are "hello", whose hash is known; others, which are nowhere, are empty. */
static void set_text_hash(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->fit.text_hash = (hb_fit_text_hash){.seed = 0, .missing = "hello", .missing_size = 5};
}

EXPECT(hash, isnan(x) ? 613153351 : 0)

static void set_text_equal(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p;
    read_twice(op);
    op->fit.text_equal = (hb_fit_text_equal){.missing = "a", .missing_size = 1};
}

EXPECT(one, ((void)x, 1))

/* A hash is that of the number's bytes in float32, a code that of its text. */
static void set_number_hash(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->fit.text_hash = (hb_fit_text_hash){.source = HB_SOURCE_FLOAT32, .seed = 7, .positive = true};
}

static double expected_hash(double x)
{
    const float number = (float)x;
    hb_work work = {0};
    uint32_t hash = 0;

    assert_true(hb_murmur_hash((hbs_text){(const char *)(const void *)&number, sizeof(number)}, 7, &hash, &work));
    return (double)hash;
}

EXPECT(number_hash, expected_hash(x))

static void set_number_code(test_pipeline *p, every_setting *op, size_t width)
{
    static const uint32_t ends[5] = {1, 2, 4, 7, 10}, codes[5] = {4, 0, 3, 1, 2};

    (void)p, (void)width;
    op->fit.text_code = (hb_fit_text_code){.source = HB_SOURCE_FLOAT64,
                                           .words = {.n = 5, .n_bytes = 10, .ends = ends, .bytes = "02-10.5NaN"},
                                           .codes = codes};
}

EXPECT(number_code, isnan(x) ? 2 : x == 0.5 ? 1 : x == 2 ? 0 : x == -1 ? 3 : x == 0 && !signbit(x) ? 4 : -1)

/* No number is the place of a text. */
static void set_code_texts(test_pipeline *p, every_setting *op, size_t width)
{
    static const uint32_t ends[1] = {1}, codes[1] = {0};
    hb_coded_column *coded = take(p, 1, sizeof(*coded));

    *coded = (hb_coded_column){
        .column = (uint32_t)width - 1, .words = {.n = 1, .n_bytes = 1, .ends = ends, .bytes = "a"}, .codes = codes};
    op->fit.code_texts = (hb_fit_code_texts){.n_columns = 1, .columns = coded};
}

EXPECT(code_texts, c < width - 1 || isnan(x) ? x : -1)

static void set_text_number(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->fit.text_number = (hb_fit_text_number){.type = HB_NUMBER_FLOAT32, .missing = " 0.1x", .missing_size = 5};
}

EXPECT(text_number, isnan(x) ? (double)0.1f : (double)NAN)

/* ---- the list */

/* clang-format off */
const every_operator every_texts_rows[] = {
    ROW(TEXT_COUNTS, set_text_counts, expect_counts, 0, FLOAT64, DECISION)
    ROW(TERM_LISTS, set_term_lists, expect_list, 1, FLOAT64, DECISION)
    ROW(JSON_LISTS, set_json_lists, expect_list, 1, FLOAT64, DECISION)
    ROW(LIST_WEIGHTS, set_list_weights, expect_list, 1, FLOAT64, CLOSE)
    ROW(LIST_WEIGHTS, set_list_above, expect_list, 1, FLOAT64, CLOSE)
    ROW(LIST_JOIN, set_list_join, expect_list, 0, FLOAT64, EXACT)
    ROW(LIST_COLUMNS, set_list_columns, expect_no_count, 1, FLOAT64, EXACT)
    ROW(LIST_SUMS, set_list_sums, expect_bias, 1, FLOAT64, CLOSE)
    ROW(TOPICS, set_topics, expect_topics, 1, FLOAT64, CLOSE)
    ROW(FACTORS, set_factors, expect_factors, 1, FLOAT64, CLOSE)
    ROW(TEXT_HASH, set_text_hash, expect_hash, 0, FLOAT64, EXACT)
    ROW(TEXT_HASH, set_number_hash, expect_number_hash, 0, FLOAT64, EXACT)
    ROW(TEXT_EQUAL, set_text_equal, expect_one, 0, FLOAT64, DECISION)
    ROW(TEXT_CODE, set_number_code, expect_number_code, 0, FLOAT64, EXACT)
    ROW(CODE_TEXTS, set_code_texts, expect_code_texts, 0, FLOAT64, EXACT)
    ROW(TEXT_NUMBER, set_text_number, expect_text_number, 0, FLOAT64, EXACT)
};
/* clang-format on */

const size_t n_every_texts = sizeof(every_texts_rows) / sizeof(every_texts_rows[0]);
