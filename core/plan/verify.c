/* verify.c - see verify.h. */
#include "plan/verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ir/labels.h"

/* A block is more than one tile; of wide models it is smaller, so that its cells stay below a
 * megabyte. */
enum { MOST_ROWS = 100, LEAST_ROWS = 2, MOST_BYTES = 1 << 20 };
enum { WORDS = MOST_ROWS / 64 + 1 };

/* A feature of a block: values of one type, one behind the other. Texts keep offsets until all are
 * there. */
typedef struct cells {
    hbs_type type; /* HBS_NULL: no row has a value yet */
    bool number;   /* the feature takes numbers: whole ones may stand among the others */
    void *values;  /* [max_rows] of the largest type */
    uint64_t valid[WORDS];
} cells;

/* Outputs that are scored together: the predictions; the transform. */
typedef struct part {
    uint32_t given;   /* 1 << hb_golden_output */
    uint32_t outputs; /* HBS_OUT_...; 0: there is nothing to compare */
    size_t stride;    /* numbers of a row, all outputs together */
    double *kept;     /* [max_rows + 1][stride]: what each row gave by itself */
    uint64_t kept_valid[WORDS];
} part;

enum { PREDICTIONS, TRANSFORMED, PARTS };

struct hb_verifier {
    hb_memory memory;
    hb_arena arena;
    const hb_plan_header *plan;
    hbs_verification *found;
    part parts[PARTS];
    hbs_run *one, *many;
    size_t max_rows, rows; /* of the block */
    cells *cells;          /* [n_features] */
    hbs_column *columns;   /* of the same */
    hb_vector text;        /* of all rows of the block */
};

/* ------------------------------------------------------------------ outputs */

/* The output that golden rows have under another name. */
static hb_output output_of(const hb_plan_header *plan, size_t k)
{
    static const hb_output outputs[HB_N_GOLDEN] = {
        [HB_GOLDEN_PREDICTION] = HB_OUT_VALUE,    [HB_GOLDEN_PROBABILITIES] = HB_OUT_PROBABILITIES,
        [HB_GOLDEN_DECISION] = HB_OUT_RAW,        [HB_GOLDEN_VALUES] = HB_OUT_VALUES,
        [HB_GOLDEN_TRANSFORM] = HB_OUT_TRANSFORM,
    };

    return k == HB_GOLDEN_PREDICTION && plan->results[HB_OUT_LABEL].width ? HB_OUT_LABEL : outputs[k];
}

hb_golden_shape hb_plan_golden_shape(const hb_plan_header *header)
{
    hb_golden_shape shape = {.n_features = header->n_features, .label = header->results[HB_OUT_LABEL].width > 0};

    for (size_t k = 0; k < HB_N_GOLDEN; k++)
        shape.widths[k] = header->results[output_of(header, k)].width;
    return shape;
}

static const double *numbers_of(const hbs_result *result, hb_output output)
{
    const double *numbers[HB_N_OUTPUTS] = {
        [HB_OUT_VALUE] = result->value,   [HB_OUT_LABEL] = NULL,      [HB_OUT_PROBABILITIES] = result->probabilities,
        [HB_OUT_VALUES] = result->values, [HB_OUT_RAW] = result->raw, [HB_OUT_TRANSFORM] = result->transform,
    };

    return numbers[output];
}

static bool is_given(const part *p, size_t k)
{
    return p->given >> k & 1;
}

/* ------------------------------------------------------------------ making */

static hbs_status make_block(hb_verifier *v, hbs_error *error)
{
    enum { UNITS_A_COLUMN = 8 };
    size_t n = v->plan->n_features, cell = sizeof(hbs_text);
    size_t row = n * cell + (v->parts[0].stride + v->parts[1].stride) * sizeof(double);

    v->max_rows = MOST_BYTES / row < MOST_ROWS ? MOST_BYTES / row : MOST_ROWS;
    if (v->max_rows < LEAST_ROWS)
        v->max_rows = LEAST_ROWS;
    for (size_t i = 0; i < PARTS; i++) {
        part *p = &v->parts[i];

        if (!p->outputs)
            continue;
        p->kept = hb_arena_array(&v->arena, (v->max_rows + 1) * p->stride, sizeof(*p->kept));
        if (!p->kept)
            return hb_no_memory(&v->memory, error);
    }
    v->cells = hb_arena_array(&v->arena, n, sizeof(*v->cells));
    v->columns = hb_arena_array(&v->arena, n, sizeof(*v->columns));
    if (!v->cells || !v->columns)
        return hb_no_memory(&v->memory, error);
    for (size_t f = 0; f < n; f++) {
        const hb_dictionary *d = hb_plan_dictionary(v->plan, f);

        HB_TRY(hb_worked(&v->memory.work, UNITS_A_COLUMN, error));
        v->cells[f].number = !(d && d->type == HBS_TEXT) && !hb_plan_is_hashed(v->plan, f) && !hb_plan_text(v->plan, f);
        v->cells[f].values = hb_arena_array(&v->arena, v->max_rows, cell);
        if (!v->cells[f].values)
            return hb_no_memory(&v->memory, error);
    }
    return HBS_OK;
}

static void make_part(const hb_verifier *v, part *p, uint32_t given)
{
    p->given = given;
    for (size_t k = 0; k < HB_N_GOLDEN; k++)
        if (is_given(p, k)) {
            p->outputs |= 1u << output_of(v->plan, k);
            p->stride += v->plan->results[output_of(v->plan, k)].width;
        }
}

static hbs_status make_verifier(hb_verifier *v, const hbs_plan *plan, const hbs_host *host, uint32_t given,
                                hbs_error *error)
{
    const uint32_t transform = 1u << HB_GOLDEN_TRANSFORM;

    make_part(v, &v->parts[PREDICTIONS], given & ~transform);
    make_part(v, &v->parts[TRANSFORMED], given & transform);
    HB_TRY(make_block(v, error));
    HB_TRY(hb_run_create(plan, host, NULL, 1, &v->one, error));
    return hb_run_create(plan, host, NULL, v->max_rows, &v->many, error);
}

hbs_status hb_verifier_create(const hbs_plan *plan, const hbs_host *host, uint32_t given, hbs_verification *found,
                              hb_verifier **verifier, hbs_error *error)
{
    hb_verifier *made = host->allocate(host->context, sizeof(*made));
    hbs_status status;

    *verifier = NULL;
    if (!made)
        return hb_fail(error, HBS_E_NOMEM, "out of memory");
    memset(made, 0, sizeof(*made));
    hb_memory_init(&made->memory, host, 0);
    hb_arena_init(&made->arena, &made->memory);
    hb_vector_init(&made->text, &made->memory, 1);
    made->plan = plan->header;
    made->found = found;
    status = make_verifier(made, plan, host, given, error);
    if (status == HBS_OK)
        *verifier = made;
    else
        hb_verifier_free(made);
    return status;
}

void hb_verifier_free(hb_verifier *verifier)
{
    hbs_host host;

    if (!verifier)
        return;
    host = verifier->memory.host;
    hb_run_free(verifier->one);
    hb_run_free(verifier->many);
    hb_vector_release(&verifier->text);
    hb_arena_release(&verifier->arena);
    host.release(host.context, verifier);
}

/* ------------------------------------------------------------------ a row beside the library's answer */

/* The first difference in words. Rows count from 1, and so do the numbers of a list. */
__attribute__((format(printf, 3, 4))) static void differ(hb_verifier *v, const hb_golden_row *row, const char *format,
                                                         ...)
{
    hbs_error words; /* cuts what is too long between characters */
    va_list arguments;

    if (!v->found->ok)
        return;
    va_start(arguments, format);
    (void)hb_fail_list(&words, HBS_E_ARGS, HBS_NO_OFFSET, format, arguments);
    va_end(arguments);
    hb_error_prefix(&words, "row %zu: ", row->number);
    memcpy(v->found->text, words.text, sizeof(words.text));
    v->found->ok = false;
}

static void compare_label(hb_verifier *v, const hb_golden_row *row, size_t class)
{
    hbs_value have = hb_plan_class_label(v->plan, class);
    char buffer[2][32], shown[2][HB_EXCERPT_BUFFER];

    if (!hb_label_equal(&row->label, &have))
        differ(v, row, "prediction is \"%s\", golden has \"%s\"", HB_SHOW(hb_label_text(&have, buffer[0]), shown[0]),
               HB_SHOW(hb_label_text(&row->label, buffer[1]), shown[1]));
}

/* The sign of a zero does not count: some writers of JSON drop it. */
static bool is_close(double got, double want, double tolerance, double magnitude)
{
    if (got == want || (got != got && want != want))
        return true;
    return want - want == 0 && fabs(got - want) <= tolerance * magnitude;
}

/* The number that the tolerance is relative to. It is 1 for two probabilities: one is 1 minus the other, so a last
 * bit of the larger one is a large part of a tiny one. */
static double magnitude_of(const hb_verifier *v, size_t k, double want)
{
    if (v->plan->adds_in_own_order)
        return fabs(want) > 1 ? fabs(want) : 1;
    return k == HB_GOLDEN_PROBABILITIES && v->plan->results[HB_OUT_PROBABILITIES].width == 2 ? 1 : fabs(want);
}

static void note_error(hb_verifier *v, double got, double want)
{
    double error = got == want || (got != got && want != want) ? 0 : fabs(got - want);

    if (error != error)
        error = INFINITY;
    if (error > v->found->max_abs_error)
        v->found->max_abs_error = error;
}

static void compare_numbers(hb_verifier *v, const hb_golden_row *row, size_t k, const double *got)
{
    const hb_result_place *place = &v->plan->results[output_of(v->plan, k)];
    char text[2][32], of[32] = "";

    for (size_t i = 0; i < place->width; i++) {
        const hb_golden_number *number = &row->numbers[k][i];
        double want = place->dtype == HB_DTYPE_FLOAT64 ? number->wide : (double)number->narrow;

        note_error(v, got[i], want);
        if (!v->found->ok || is_close(got[i], want, place->tolerance, magnitude_of(v, k, want)))
            continue;
        hb_format_number(got[i], text[0]);
        hb_format_number(number->wide, text[1]);
        if (k != HB_GOLDEN_PREDICTION)
            snprintf(of, sizeof(of), "number %zu of ", i + 1);
        differ(v, row, "%s%s is %s, golden has %s", of, hb_golden_name((hb_golden_output)k), text[0], text[1]);
    }
}

/* The first feature that the part does not depend on, with a value that the library may refuse: it is no number, or not
 * finite. n_features: there is none. Meaningless where the host wants to stop. */
static size_t find_unused(hb_verifier *v, const part *p, const hb_golden_row *row)
{
    enum { UNITS_A_FEATURE = 4 };
    hb_asker asker = hb_asker_of(p->outputs);
    size_t f = 0;

    for (; f < v->plan->n_features && hb_goes_on(&v->memory.work, UNITS_A_FEATURE); f++) {
        const hbs_value *value = &row->features[f];
        bool is_finite = value->type == HBS_INT64 || value->type == HBS_BOOL ||
                         (value->type == HBS_FLOAT64 && isfinite(value->as.f64));

        if (!is_finite && !hb_plan_is_live(v->plan, asker, f))
            break;
    }
    return f;
}

/* A library that refuses a row looks at all features; hbscore at those that matter. */
static void differ_in_null(hb_verifier *v, const part *p, const hb_golden_row *row, size_t k, bool null)
{
    const char *name = hb_golden_name((hb_golden_output)k);
    size_t unused = null || !v->found->ok ? v->plan->n_features : find_unused(v, p, row);
    char feature[HB_FEATURE_BUFFER];

    if (null)
        differ(v, row, "%s is NULL, golden has an answer", name);
    else if (unused == v->plan->n_features)
        differ(v, row, "%s is not NULL, golden has null", name);
    else
        differ(v, row, "%s is not NULL, golden has null; it does not depend on %s", name,
               hb_plan_show_feature(v->plan, unused, feature));
}

static void compare_row(hb_verifier *v, const part *p, const hb_golden_row *row, const hbs_result *result)
{
    bool null = !(result->valid[0] & 1);

    for (size_t k = 0; k < HB_N_GOLDEN; k++) {
        hb_output output = output_of(v->plan, k);

        if (!is_given(p, k))
            continue;
        if (null != (row->nulls >> k & 1))
            differ_in_null(v, p, row, k, null);
        else if (!null && output == HB_OUT_LABEL)
            compare_label(v, row, (size_t)result->label[0]);
        else if (!null)
            compare_numbers(v, row, k, numbers_of(result, output));
    }
}

/* ------------------------------------------------------------------ the same rows as a block */

/* The type of a value in a column. Whole numbers that a double can hold are doubles if the feature
 * takes numbers, so that 39 and 39.5 may be in one column. */
static hbs_type column_type(const cells *c, const hbs_value *value)
{
    const int64_t most = (int64_t)1 << 53;

    if (c->number && value->type == HBS_INT64 && value->as.i64 >= -most && value->as.i64 <= most)
        return HBS_FLOAT64;
    return value->type == HBS_DECIMAL ? HBS_TEXT : value->type;
}

enum { UNITS_A_CELL = 4 };

/* Meaningless where the host wants to stop. */
static bool has_room(hb_verifier *v, const hb_golden_row *row)
{
    if (v->rows == v->max_rows)
        return false;
    for (size_t f = 0; f < v->plan->n_features && hb_goes_on(&v->memory.work, UNITS_A_CELL); f++) {
        hbs_type type = column_type(&v->cells[f], &row->features[f]);

        if (type != HBS_NULL && v->cells[f].type != HBS_NULL && type != v->cells[f].type)
            return false;
    }
    return true;
}

static bool put_cell(hb_verifier *v, cells *c, const hbs_value *value)
{
    hbs_type type = column_type(c, value);
    hbs_text text = {(const char *)(uintptr_t)v->text.count, value->as.text.size};

    if (type == HBS_NULL)
        return true;
    c->type = type;
    c->valid[v->rows / 64] |= 1ull << (v->rows % 64);
    if (type == HBS_TEXT) {
        ((hbs_text *)c->values)[v->rows] = text;
        /* also for "": the vector then has an address to count from */
        return hb_vector_append(&v->text, value->as.text.bytes, text.size) != NULL;
    }
    if (type == HBS_FLOAT64)
        ((double *)c->values)[v->rows] = value->type == HBS_INT64 ? (double)value->as.i64 : value->as.f64;
    else if (type == HBS_INT64)
        ((int64_t *)c->values)[v->rows] = value->as.i64;
    else
        ((uint8_t *)c->values)[v->rows] = value->as.boolean;
    return true;
}

/* The numbers of row `at` of a result, all outputs together. */
static void take_numbers(const hb_verifier *v, const part *p, const hbs_result *result, size_t at, double *to)
{
    for (size_t k = 0; k < HB_N_GOLDEN; k++) {
        hb_output output = output_of(v->plan, k);
        size_t width = v->plan->results[output].width;

        if (!is_given(p, k))
            continue;
        if (output == HB_OUT_LABEL)
            *to = result->label[at];
        else
            memcpy(to, numbers_of(result, output) + at * width, width * sizeof(*to));
        to += width;
    }
}

static void keep_results(const hb_verifier *v, part *p, const hbs_result *result)
{
    if (!(result->valid[0] & 1))
        return;
    p->kept_valid[v->rows / 64] |= 1ull << (v->rows % 64);
    take_numbers(v, p, result, 0, p->kept + v->rows * p->stride);
}

static hbs_status keep_cells(hb_verifier *v, const hb_golden_row *row, hbs_error *error)
{
    for (size_t f = 0; f < v->plan->n_features; f++) {
        HB_TRY(hb_worked(&v->memory.work, UNITS_A_CELL, error));
        if (!put_cell(v, &v->cells[f], &row->features[f]))
            return hb_no_memory(&v->memory, error);
    }
    v->rows++;
    return HBS_OK;
}

/* The block's cells as columns; its texts no longer move. */
static hbs_status place_columns(hb_verifier *v, hbs_error *error)
{
    for (size_t f = 0; f < v->plan->n_features; f++) {
        cells *c = &v->cells[f];
        hbs_text *texts = c->values;
        bool full = true;

        HB_TRY(hb_worked(&v->memory.work, 2 * v->rows, error));
        for (size_t r = 0; r < v->rows; r++) {
            bool valid = c->valid[r / 64] >> (r % 64) & 1;

            full &= valid;
            if (c->type == HBS_TEXT && valid)
                texts[r].bytes = (const char *)v->text.items + (uintptr_t)texts[r].bytes;
        }
        v->columns[f] = (hbs_column){c->type, c->values, full ? NULL : c->valid};
    }
    return HBS_OK;
}

static void empty_block(hb_verifier *v)
{
    for (size_t f = 0; f < v->plan->n_features; f++) {
        v->cells[f].type = HBS_NULL;
        memset(v->cells[f].valid, 0, sizeof(v->cells[f].valid));
    }
    for (size_t i = 0; i < PARTS; i++)
        memset(v->parts[i].kept_valid, 0, sizeof(v->parts[i].kept_valid));
    v->text.count = 0;
    v->rows = 0;
}

static hbs_status compare_block(const hb_verifier *v, const part *p, const hbs_result *result, hbs_error *error)
{
    double *got = p->kept + v->max_rows * p->stride; /* room for one more */

    for (size_t r = 0; r < v->rows; r++) {
        bool valid = result->valid[r / 64] >> (r % 64) & 1;

        HB_CHECK(valid == (p->kept_valid[r / 64] >> (r % 64) & 1), error);
        if (!valid)
            continue;
        take_numbers(v, p, result, r, got);
        HB_CHECK(memcmp(got, p->kept + r * p->stride, p->stride * sizeof(*got)) == 0, error);
    }
    return HBS_OK;
}

hbs_status hb_verify_end(hb_verifier *v, hbs_error *error)
{
    hbs_result result;

    if (v->rows == 0)
        return HBS_OK;
    HB_TRY(place_columns(v, error));
    for (size_t i = 0; i < PARTS; i++) {
        if (!v->parts[i].outputs)
            continue;
        HB_TRY(hb_run_score(v->many, v->columns, v->plan->n_features, v->rows, v->parts[i].outputs, &result, error));
        HB_TRY(compare_block(v, &v->parts[i], &result, error));
    }
    empty_block(v);
    return HBS_OK;
}

static hbs_status verify_part(hb_verifier *v, part *p, const hb_golden_row *row, hbs_error *error)
{
    hbs_status status;
    hbs_result result;

    if (!p->outputs)
        return HBS_OK;
    status = hb_run_score_row(v->one, row->features, v->plan->n_features, p->outputs, &result, error);
    if (status != HBS_OK) {
        if (status != HBS_E_CANCEL && status != HBS_E_NOMEM)
            hb_error_prefix(error, "row %zu: ", row->number);
        return status;
    }
    compare_row(v, p, row, &result);
    keep_results(v, p, &result);
    return HBS_OK;
}

hbs_status hb_verify_row(hb_verifier *v, const hb_golden_row *row, hbs_error *error)
{
    enum { MANY = 1024 };

    /* Reading a row, scoring it and keeping it have counts of their own: the host is asked between them. */
    HB_TRY(hb_worked(&v->memory.work, HB_WORK_A_POLL, error));
    if (!has_room(v, row))
        HB_TRY(hb_verify_end(v, error));
    HB_TRY(hb_work_status(&v->memory.work, error));
    for (size_t i = 0; i < PARTS; i++)
        HB_TRY(verify_part(v, &v->parts[i], row, error));
    HB_TRY(hb_worked(&v->memory.work, v->plan->n_features > MANY ? HB_WORK_A_POLL : 1, error));
    v->found->rows++;
    HB_TRY(keep_cells(v, row, error));
    return hb_worked(&v->memory.work, v->plan->n_features > MANY ? HB_WORK_A_POLL : 1, error);
}
