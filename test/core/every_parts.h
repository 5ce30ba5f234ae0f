/* every_parts.h - what the groups of operators of every_operator.h are made with. A group is a file: its operators,
 * with their parameters and what they make of a row, and their rows of the list. */
#ifndef HB_TEST_EVERY_PARTS_H
#define HB_TEST_EVERY_PARTS_H

#include "every_operator.h"

static inline void *take(test_pipeline *p, size_t n, size_t size)
{
    void *items = hb_arena_array(&p->pipeline.arena, n, size);

    assert_non_null(items);
    return items;
}

static inline double *take_numbers(test_pipeline *p, size_t n, double first, double step)
{
    double *numbers = take(p, n, sizeof(*numbers));

    for (size_t i = 0; i < n; i++)
        numbers[i] = first + (double)i * step;
    return numbers;
}

/* Whole numbers from -3 to 3. */
static inline double weight(size_t i)
{
    return (double)(i * 5 % 7) - 3;
}

/* The operator reads its input twice. */
static inline void read_twice(every_setting *op)
{
    op->inputs[1] = op->inputs[0];
    op->n_inputs = 2;
}

#define FOR_COLUMNS for (size_t c = 0; c < width; c++)

#define EXPECT(name, expression)                                          \
    static void expect_##name(const double *row, size_t width, double *y) \
    {                                                                     \
        FOR_COLUMNS                                                       \
        {                                                                 \
            double x = row[c];                                            \
                                                                          \
            y[c] = (expression);                                          \
        }                                                                 \
    }

static inline int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

#define ROW(kind, set, expect, takes, dtypes, closeness) \
    {#kind " " #set, HB_OPERATOR_##kind, takes, EVERY_##dtypes, EVERY_##closeness, set, expect},

#define GROUP(name)                                    \
    extern const every_operator every_##name##_rows[]; \
    extern const size_t n_every_##name;

GROUP(columns)
GROUP(numbers)
GROUP(encoders)
GROUP(models)
GROUP(arithmetic)
GROUP(neighbours)
GROUP(links)
GROUP(texts)

#endif
