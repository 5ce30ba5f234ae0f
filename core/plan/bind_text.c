/* bind_text.c - the caller's texts for operators that read them. The caller's bytes are not copied. */
#include <math.h>
#include <string.h>

#include "plan/run.h"

static size_t n_texts(const hbs_run *run)
{
    return run->plan->n_texts * run->stride;
}

static size_t search_of_terms(const hb_plan_header *plan, const hb_step *step)
{
    hb_fit_term_lists fit;

    hb_fit_view(plan, step->fit, HB_OPERATOR_TERM_LISTS, &fit);
    return fit.rule.expression ? hb_regex_scratch_size((const hb_regex *)(const void *)fit.rule.expression) : 0;
}

/* Most of what the steps need: bytes of a missing text, and of what a search needs. False: no step reads texts. */
static bool find_needs(const hbs_run *run, size_t *missing, size_t *search)
{
    const hb_step *steps = hb_plan_at(run->plan, run->plan->steps);
    bool any = false;

    *missing = *search = 0;
    for (size_t i = 0; i < run->plan->n_steps; i++) {
        hb_fit_text_counts fit;
        size_t size;

        any |= steps[i].kind == HB_OPERATOR_JSON_LISTS;
        if (steps[i].kind == HB_OPERATOR_TERM_LISTS) {
            any = true;
            size = search_of_terms(run->plan, &steps[i]);
            *search = size > *search ? size : *search;
        }
        if (steps[i].kind != HB_OPERATOR_TEXT_COUNTS)
            continue;
        any = true;
        hb_fit_view(run->plan, steps[i].fit, HB_OPERATOR_TEXT_COUNTS, &fit);
        size = hb_tokenizer_scratch(&fit.tokenizer);
        *search = size > *search ? size : *search;
        *missing = fit.missing_size > *missing ? fit.missing_size : *missing;
    }
    return any;
}

bool hb_bind_texts_create(hbs_run *run)
{
    size_t missing;

    if (!find_needs(run, &missing, &run->search_size) && run->plan->n_texts == 0)
        return true;
    run->texts.n = n_texts(run);
    run->changed_size = hb_case_room(missing);
    run->texts.at = hb_allocate(&run->memory, n_texts(run) * sizeof(*run->texts.at));
    run->texts.room.search = hb_allocate(&run->memory, run->search_size);
    run->texts.room.changed = hb_allocate(&run->memory, run->changed_size);
    if (!run->texts.at || !run->texts.room.search || !run->texts.room.changed)
        return false;
    hb_bind_no_texts(run);
    return true;
}

void hb_bind_texts_free(hbs_run *run)
{
    hb_release(&run->memory, run->texts.at, n_texts(run) * sizeof(*run->texts.at));
    hb_release(&run->memory, run->texts.room.search, run->search_size);
    hb_release(&run->memory, run->texts.room.changed, run->changed_size);
}

void hb_bind_no_texts(hbs_run *run)
{
    if (run->texts.at)
        memset(run->texts.at, 0, n_texts(run) * sizeof(*run->texts.at));
}

/* Room for the text in another case. It grows with the longest text only. */
static hbs_status make_room(hbs_run *run, size_t size, hbs_error *error)
{
    size_t needed = hb_case_room(size);
    char *made;

    if (needed <= run->changed_size)
        return HBS_OK;
    needed += needed / 2;
    made = hb_allocate(&run->memory, needed);
    if (!made)
        return hb_no_memory(&run->memory, error);
    hb_release(&run->memory, run->texts.room.changed, run->changed_size);
    run->texts.room.changed = made;
    run->changed_size = needed;
    return HBS_OK;
}

/* Bytes before the first that is no UTF-8, or the size. HBS_E_CANCEL. */
static hbs_status valid_size(hbs_run *run, hbs_text text, size_t *valid, hbs_error *error)
{
    enum { AT_ONCE = 1 << 14 };
    size_t i = 0;

    while (i < text.size) {
        size_t end = text.size - i < AT_ONCE ? text.size : i + AT_ONCE;

        HB_TRY(hb_worked(&run->memory.work, (end - i) / 2, error));
        while (i < end) {
            size_t length = hb_utf8_character(text.bytes + i, text.size - i);

            if (length == 0) {
                *valid = i;
                return HBS_OK;
            }
            i += length;
        }
    }
    *valid = text.size;
    return HBS_OK;
}

static bool is_missing(const hbs_value *value)
{
    return value->type == HBS_NULL || (value->type == HBS_FLOAT64 && value->as.f64 != value->as.f64) ||
           (value->type == HBS_FLOAT32 && value->as.f32 != value->as.f32);
}

/* A text that operators read as JSON is read once before, so that they need not say what is wrong with it. */
static hbs_status check_json(hbs_run *run, size_t f, hbs_text text, hbs_error *error)
{
    uint8_t form = run->plan->json ? ((const uint8_t *)hb_plan_at(run->plan, run->plan->json))[f] : 0;
    char feature[HB_FEATURE_BUFFER];
    hb_json_fault fault;

    if (!form || hb_json_features_read((hb_json_form)(form - 1), text, &run->lists.json, &run->memory.work, &fault))
        return HBS_OK;
    if (!fault.why)
        return run->memory.work.stopped ? hb_work_status(&run->memory.work, error)
                                        : hb_no_memory(run->lists.memory, error);
    return hb_run_fail(run, error, HBS_E_ARGS, "%s: the JSON text, byte %zu: %s",
                       hb_plan_show_feature(run->plan, f, feature), fault.at, fault.why);
}

hbs_status hb_bind_text(hbs_run *run, size_t f, size_t row, const hbs_value *value, double *to, hbs_error *error)
{
    size_t place = (hb_plan_text(run->plan, f) - 1) * run->stride + row, valid;
    char feature[HB_FEATURE_BUFFER];

    *to = NAN;
    if (is_missing(value))
        return HBS_OK;
    if (value->type != HBS_TEXT)
        return hb_wrong_type(run, f, "a text", value, error);
    if (value->as.text.size > HB_MAX_TEXT)
        return hb_run_fail(run, error, HBS_E_LIMIT, "%s: a text of %zu bytes, the limit is %d",
                           hb_plan_show_feature(run->plan, f, feature), value->as.text.size, HB_MAX_TEXT);
    HB_TRY(valid_size(run, value->as.text, &valid, error));
    if (valid < value->as.text.size)
        return hb_run_fail(run, error, HBS_E_ARGS, "%s: the text is no UTF-8 from byte %zu on",
                           hb_plan_show_feature(run->plan, f, feature), valid);
    HB_TRY(check_json(run, f, value->as.text, error));
    HB_TRY(make_room(run, value->as.text.size, error));
    run->texts.at[place] = value->as.text;
    *to = (double)place;
    return HBS_OK;
}

/* ---- tiles of long texts */

/* The bytes of a row's text; 0 if there is none. */
static size_t text_size(const hbs_column *column, size_t row)
{
    const hbs_value *value = (const hbs_value *)column->values + row;

    if (column->type == HBS_NULL || (column->valid && !(column->valid[row / 64] >> row % 64 & 1)))
        return 0;
    if (column->type == HBS_TEXT)
        return ((const hbs_text *)column->values)[row].size;
    return column->type == HBS_MIXED && value->type == HBS_TEXT ? value->as.text.size : 0;
}

static size_t rows_of_column(const hbs_column *column, size_t first, size_t rows, size_t most)
{
    size_t bytes = 0;

    for (size_t r = 0; r < rows; r++) {
        bytes += text_size(column, first + r);
        if (bytes > most && r > 0)
            return r;
    }
    return rows;
}

size_t hb_rows_of_texts(const hbs_run *run, const hbs_column *columns, size_t first, size_t rows)
{
    enum { MOST_BYTES = 1 << 20 };

    for (size_t i = 0; i < run->n_live && run->plan->n_texts > 0; i++)
        for (size_t f = run->live[i].first; f < run->live[i].end; f++)
            if (hb_plan_text(run->plan, f))
                rows = rows_of_column(&columns[f], first, rows, MOST_BYTES / run->plan->n_texts);
    return rows;
}
