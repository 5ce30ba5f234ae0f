/* test_movement.c - select and concat refuse what they cannot make. */
#include "models.h"

#include <string.h>

enum { FEATURES = 3 };

typedef struct fixture {
    test_host host;
    test_pipeline p;
    hbs_error error;
} fixture;

static void begin(fixture *f)
{
    memset(f, 0, sizeof(*f));
    test_host_init(&f->host);
    test_pipeline_begin(&f->p, &f->host.host, FEATURES);
    f->p.pipeline.wide = true;
}

/* Seals the pipeline whose transform is `value`, which ends so, with this error if there are words. */
static void seals(fixture *f, size_t value, hbs_status status, const char *words)
{
    f->p.pipeline.transform = value;
    assert_status(hb_pipeline_seal(&f->p.pipeline, &f->error), status, &f->error);
    if (words)
        assert_string_equal(f->error.text, words);
    test_pipeline_end(&f->p);
    test_host_end(&f->host);
}

static size_t select_columns(fixture *f, const uint32_t *columns, size_t n)
{
    return hb_pipeline_add(&f->p.pipeline, HB_OPERATOR_SELECT, 1, &(hb_fit_select){n, columns});
}

/* The first column n times. */
static size_t repeat_first(fixture *f, size_t n)
{
    return select_columns(f, hb_arena_array(&f->p.pipeline.arena, n, sizeof(uint32_t)), n);
}

static void a_selection_has_a_column(void **state)
{
    fixture f;

    (void)state;
    begin(&f);
    seals(&f, select_columns(&f, NULL, 0), HBS_E_FORMAT, "select: 0 columns");
}

static void a_selection_takes_columns_that_are_there(void **state)
{
    static const uint32_t columns[] = {0, FEATURES};
    fixture f;

    (void)state;
    begin(&f);
    seals(&f, select_columns(&f, columns, 2), HBS_E_FORMAT, "select: column 3 of 3");
}

static void a_selection_has_at_most_65536_columns(void **state)
{
    fixture f;

    (void)state;
    begin(&f);
    seals(&f, repeat_first(&f, HB_MAX_OUTPUTS), HBS_OK, NULL);
    begin(&f);
    seals(&f, repeat_first(&f, HB_MAX_OUTPUTS + 1), HBS_E_FORMAT, "select: 65537 columns");
}

static void a_concat_has_at_most_65536_columns(void **state)
{
    fixture f;

    (void)state;
    for (size_t more = 0; more < 2; more++) {
        uint32_t inputs[2];

        begin(&f);
        inputs[0] = (uint32_t)repeat_first(&f, HB_MAX_OUTPUTS - FEATURES + more);
        inputs[1] = 1;
        seals(&f, hb_pipeline_add_of(&f.p.pipeline, HB_OPERATOR_CONCAT, inputs, 2, NULL), more ? HBS_E_LIMIT : HBS_OK,
              more ? "concat: more than 65536 columns" : NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_selection_has_a_column),
        cmocka_unit_test(a_selection_takes_columns_that_are_there),
        cmocka_unit_test(a_selection_has_at_most_65536_columns),
        cmocka_unit_test(a_concat_has_at_most_65536_columns),
    };

    return cmocka_run_group_tests_name("movement", tests, NULL, NULL);
}
