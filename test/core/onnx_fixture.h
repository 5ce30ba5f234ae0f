/* onnx_fixture.h - a model of an ONNX file of trees, and a run of it. Short names: only those tests include it. */
#ifndef HB_TEST_ONNX_FIXTURE_H
#define HB_TEST_ONNX_FIXTURE_H

#include "models.h"

#include <stdlib.h>
#include <string.h>

#include "onnx_writer.h"

typedef struct fixture {
    test_host host;
    hbs_error error;
    hbs_model *model;
    hbs_plan *plan;
    hbs_run *run;
    hbs_result result;
} fixture;

/* limits NULL: the usual ones. */
static inline hbs_status load_within(const hbs_host *host, const hbs_limits *limits, const test_message *file,
                                     hbs_model **model, hbs_error *error)
{
    char *bytes = test_exact_copy(file->bytes, file->size);
    hbs_source source = {.bytes = bytes, .size = file->size};
    hbs_status status = hbs_model_load(host, limits, &source, model, error);

    free(bytes);
    return status;
}

static inline void open_file(fixture *f, const hbs_limits *limits, const test_message *file)
{
    memset(f, 0, sizeof(*f));
    test_host_init(&f->host);
    assert_status(load_within(&f->host.host, limits, file, &f->model, &f->error), HBS_OK, &f->error);
    assert_status(hbs_plan_compile(f->model, NULL, &f->plan, &f->error), HBS_OK, &f->error);
    f->run = test_run(&f->host.host, f->plan, 256);
}

static inline void close_file(fixture *f)
{
    hbs_run_free(f->run);
    hbs_plan_free(f->plan);
    hbs_model_free(f->model);
    test_host_end(&f->host);
}

static inline void score_row(fixture *f, double x, double y, uint32_t outputs)
{
    const double row[2] = {x, y};

    assert_status(hbs_score_numbers(f->run, row, 2, outputs, &f->result, &f->error), HBS_OK, &f->error);
}

/* Pairs of the first number, beside which the second is 0, and the value. */
static inline void check_rows(fixture *f, size_t n, const double (*rows)[2])
{
    for (size_t r = 0; r < n; r++) {
        score_row(f, rows[r][0], 0, HBS_OUT_VALUE);
        if (f->result.value[0] != rows[r][1])
            fail_msg("%g gives %g", rows[r][0], f->result.value[0]);
    }
}

/* The file is refused with this status and these words. */
static inline void check_refused(size_t number, const test_message *file, hbs_status status, const char *words)
{
    hbs_model *model = NULL;
    hbs_error error = {0};
    test_host host;
    hbs_status got;

    test_host_init(&host);
    got = load_within(&host.host, NULL, file, &model, &error);
    if (got != status || !strstr(error.text, words))
        fail_msg("case %zu: status %d, \"%s\", expected \"%s\"", number, got, error.text, words);
    assert_null(model);
    test_host_end(&host);
}

#endif
