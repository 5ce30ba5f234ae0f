/* scored_model.h - a model that is loaded, compiled and ready to score rows one by one and in blocks. */
#ifndef HB_TEST_SCORED_MODEL_H
#define HB_TEST_SCORED_MODEL_H

#include "models.h"

typedef struct scored_model {
    test_host host;
    hbs_plan *plan;
    hbs_run *one, *block; /* block: of `rows` rows */
    hbs_plan_info info;
    hbs_error error;
} scored_model;

/* `options` may be NULL. What is wrong fails the test. */
void scored_model_begin(scored_model *m, const char *json, const char *options, size_t rows);
/* The same without these passes of the optimizer. */
void scored_model_begin_without(scored_model *m, const char *json, uint32_t passes_off, size_t rows);
/* Fails the test where memory is not given back. */
void scored_model_end(scored_model *m);

/* NaN is NaN. */
bool same_bits(double a, double b);

#endif
