/* score_fixture.h - a small pipeline and its plan, for the tests of runs. Short names: only those tests include it. */
#ifndef HB_TEST_SCORE_FIXTURE_H
#define HB_TEST_SCORE_FIXTURE_H

#include "models.h"

#include <string.h>

typedef struct fixture {
    test_host host;
    test_pipeline p;
    hbs_plan *plan;
    hbs_error error;
} fixture;

static inline test_pipeline *begin(fixture *f, size_t n_features)
{
    memset(f, 0, sizeof *f);
    test_host_init(&f->host);
    test_pipeline_begin(&f->p, &f->host.host, n_features);
    return &f->p;
}

/* The pipeline is not needed any more. */
static inline void compile(fixture *f)
{
    f->plan = test_pipeline_compile(&f->p, 0);
    test_pipeline_end(&f->p);
}

static inline void end(fixture *f)
{
    hbs_plan_free(f->plan);
    test_host_end(&f->host);
}

/* A linear model: the sum of the features. */
static inline void begin_sum(fixture *f, size_t n_features)
{
    test_pipeline *p = begin(f, n_features);

    p->pipeline.value = p->pipeline.raw = test_pipeline_linear(p, 1, 1, NULL, NULL);
    compile(f);
}

static inline hbs_value number_value(double number)
{
    return (hbs_value){.type = HBS_FLOAT64, .as.f64 = number};
}

static inline hbs_value integer_value(int64_t number)
{
    return (hbs_value){.type = HBS_INT64, .as.i64 = number};
}

static inline hbs_value text_value(const char *text)
{
    return (hbs_value){.type = HBS_TEXT, .as.text = {text, strlen(text)}};
}

static const hbs_value null_value = {.type = HBS_NULL};

/* Feature 0 takes a number, 1 a text category, 2 an integer category; what a cell becomes is looked at
 * in the columns that the model reads. */
static inline void begin_types(fixture *f, hb_unseen on_unseen)
{
    static const hbs_text texts[] = {{"gold", 4}, {"7", 1}, {"", 0}};
    static const int64_t numbers[] = {-7, 9007199254740993, 0, INT64_MIN};
    static const hb_categories categories[3] = {{.type = HBS_NULL},
                                                {.type = HBS_TEXT, .count = 3, .texts = texts},
                                                {.type = HBS_INT64, .count = 4, .numbers = numbers}};
    test_pipeline *p = begin(f, 3);

    p->pipeline.categories = categories;
    p->pipeline.on_unseen = on_unseen;
    test_pipeline_names(p, "num,plan,zone");
    p->pipeline.value = p->pipeline.raw = test_pipeline_linear(p, 1, 1, NULL, NULL);
    compile(f);
}

#endif
