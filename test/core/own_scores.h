/* own_scores.h - a model of hbscore's own format and the answers to some rows, scored in a block and one by one. Short
 * names: only the tests of that format's arithmetic include it. */
#ifndef HB_TEST_OWN_SCORES_H
#define HB_TEST_OWN_SCORES_H

#include "models.h"

#include <math.h>

#include "own_writer.h"
#include "scored_model.h"

enum { MOST_ROWS = 200, MOST_FEATURES = 8, MOST_WIDTH = 16 };

static scored_model m;
static struct {
    double numbers[MOST_ROWS][MOST_WIDTH]; /* of the output that was asked for; a class by its number */
    bool valid[MOST_ROWS];
} got;

static inline void begin(const char *json, const char *options)
{
    scored_model_begin(&m, json, options, MOST_ROWS);
}

static inline void end(void)
{
    scored_model_end(&m);
}

static inline size_t width_of(uint32_t output)
{
    return output == HBS_OUT_PROBABILITIES ? m.info.probabilities_width
           : output == HBS_OUT_VALUES      ? m.info.values_width
           : output == HBS_OUT_RAW         ? m.info.raw_width
                                           : 1;
}

static inline double number_of(const hbs_result *result, uint32_t output, size_t i)
{
    return output == HBS_OUT_PROBABILITIES ? result->probabilities[i]
           : output == HBS_OUT_VALUES      ? result->values[i]
           : output == HBS_OUT_RAW         ? result->raw[i]
           : output == HBS_OUT_VALUE       ? result->value[i]
                                           : (double)result->label[i];
}

/* One row by itself, where NaN is given as NULL, must have the bits of the block. */
static inline void check_row(uint32_t output, size_t r, const double *row)
{
    hbs_value values[MOST_FEATURES];
    hbs_result result;
    size_t width = width_of(output);

    for (size_t f = 0; f < m.info.features; f++) {
        values[f] = (hbs_value){.type = HBS_FLOAT64, .as.f64 = row[f]};
        if (isnan(row[f]))
            values[f].type = HBS_NULL;
    }
    assert_status(hbs_score_row(m.one, values, m.info.features, output, &result, &m.error), HBS_OK, &m.error);
    assert_int_equal(result.valid[0] & 1, got.valid[r]);
    for (size_t c = 0; got.valid[r] && c < width; c++)
        assert_true(same_bits(number_of(&result, output, c), got.numbers[r][c]));
}

/* Scores n rows of doubles in a block and one by one; the answers are in `got`. */
static inline void score(uint32_t output, size_t n, const double *rows)
{
    static double cells[MOST_FEATURES][MOST_ROWS];
    hbs_column columns[MOST_FEATURES];
    hbs_result result;
    size_t width = width_of(output), features = m.info.features;

    assert_true(n <= MOST_ROWS && features <= MOST_FEATURES && width > 0 && width <= MOST_WIDTH);
    for (size_t f = 0; f < features; f++) {
        columns[f] = (hbs_column){HBS_FLOAT64, cells[f], NULL};
        for (size_t r = 0; r < n; r++)
            cells[f][r] = rows[r * features + f];
    }
    assert_status(hbs_score(m.block, columns, features, n, output, &result, &m.error), HBS_OK, &m.error);
    assert_int_equal(result.rows, n);
    for (size_t r = 0; r < n; r++) {
        got.valid[r] = result.valid[r / 64] >> (r % 64) & 1;
        for (size_t c = 0; c < width; c++)
            got.numbers[r][c] = number_of(&result, output, r * width + c);
    }
    for (size_t r = 0; r < n; r++)
        check_row(output, r, rows + r * features);
}

static inline void is(size_t row, size_t column, double expected)
{
    if (got.valid[row] && same_bits(got.numbers[row][column], expected))
        return;
    fail_msg("row %zu, number %zu: %.17g%s, expected %.17g", row, column, got.numbers[row][column],
             got.valid[row] ? "" : " (NULL)", expected);
}

/* ---- tests: each begins with an empty file */

static inline int fresh(void **state)
{
    own_reset();
    return 0;
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)

#endif
