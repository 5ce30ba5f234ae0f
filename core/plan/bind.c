/* bind.c - the caller's typed values as the columns of float32 or float64 that the plan computes on.
 *
 * This is where types are converted, categories are looked up and bad values are found. A row and a
 * block go through the same conversion of one cell, so they mean the same. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/city_hash.h"
#include "base/inline.h"
#include "base/number.h"
#include "plan/run.h"

/* HB_DEMAND_... of a feature; only plans in float64 have any. */
static inline uint8_t demands_of(const hbs_run *run, size_t f)
{
    return run->demands ? run->demands[f] : 0;
}

/* A number of the type that the plan's input has. */
static inline void put_number(const hbs_run *run, void *to, double number)
{
    if (run->plan->rounded)
        *(double *)to = (double)(float)number;
    else if (run->plan->wide)
        *(double *)to = number;
    else
        *(float *)to = (float)number;
}

/* A category that training has not seen: an error, missing, or a row without a result. */
static hbs_status bind_unseen(const hbs_run *run, size_t f, const hbs_value *value, void *to, bool *is_null,
                              hbs_error *error)
{
    if (run->plan->unseen_is_code && !(demands_of(run, f) & HB_DEMAND_SEEN)) {
        put_number(run, to, HB_UNSEEN_CODE); /* the encoder that reads it knows what becomes of it */
        return HBS_OK;
    }
    put_number(run, to, NAN);
    *is_null = run->plan->on_unseen == HB_UNSEEN_NULL;
    if (run->plan->on_unseen != HB_UNSEEN_ERROR)
        return HBS_OK;
    return hb_unseen_value(run, f, value, error);
}

/* ---- one cell */

/* To float32 or float64 as numpy casts: rounded once, from the type that the value has. */
static inline bool number_of(const hbs_run *run, const hbs_value *value, void *to)
{
    switch (value->type) {
    case HBS_NULL:
        put_number(run, to, NAN);
        return true;
    case HBS_FLOAT32:
        put_number(run, to, (double)value->as.f32);
        return true;
    case HBS_FLOAT64:
        put_number(run, to, value->as.f64);
        return true;
    case HBS_INT64:
        if (run->plan->rounded)
            *(double *)to = (double)(float)value->as.i64;
        else if (run->plan->wide)
            *(double *)to = (double)value->as.i64;
        else
            *(float *)to = (float)value->as.i64; /* not through a double, which would round twice */
        return true;
    case HBS_BOOL:
        put_number(run, to, value->as.boolean);
        return true;
    case HBS_TEXT:
    case HBS_MIXED:
    case HBS_DECIMAL:
        break;
    }
    return false;
}

static bool is_text(const hbs_value *value)
{
    return value->type == HBS_TEXT || value->type == HBS_DECIMAL;
}

static bool is_known_type(const hbs_value *value)
{
    return value->type <= HBS_TEXT || value->type == HBS_DECIMAL;
}

static hbs_status unknown_type(const hbs_run *run, const hbs_value *value, hbs_error *error)
{
    return hb_run_fail(run, error, HBS_E_ARGS, "a value of the unknown type %d", (int)value->type);
}

static bool is_code(const hbs_run *run, size_t f)
{
    const uint8_t *codes = hb_plan_at(run->plan, run->plan->codes);

    return run->plan->codes && codes[f];
}

static hbs_status number_from_text(const hbs_run *run, size_t f, const hbs_value *value, void *to, hbs_error *error)
{
    hbs_value number;

    if (!is_text(value))
        return unknown_type(run, value, error);
    if (!hb_text_number(value->as.text, &number))
        return hb_wrong_type(run, f, is_code(run, f) ? "a category's code (a number)" : "a number", value, error);
    if (value->type == HBS_DECIMAL && number.type == HBS_INT64)
        number = (hbs_value){.type = HBS_FLOAT64, .as.f64 = (double)number.as.i64};
    number_of(run, &number, to);
    return HBS_OK;
}

static bool is_missing(const hbs_value *value)
{
    return value->type == HBS_NULL || (value->type == HBS_FLOAT64 && value->as.f64 != value->as.f64) ||
           (value->type == HBS_FLOAT32 && value->as.f32 != value->as.f32);
}

/* A whole number within int64; false where the value is none. */
static bool whole_number(const hbs_value *value, int64_t *number)
{
    if (value->type == HBS_INT64)
        *number = value->as.i64;
    else if (value->type == HBS_BOOL)
        *number = value->as.boolean;
    else
        return hb_is_whole(value->type == HBS_FLOAT32 ? (double)value->as.f32 : value->as.f64, number);
    return true;
}

/* False where no double is that number. */
static bool real_number(const hbs_value *value, double *number)
{
    *number = value->type == HBS_INT64     ? (double)value->as.i64
              : value->type == HBS_BOOL    ? (double)value->as.boolean
              : value->type == HBS_FLOAT32 ? (double)value->as.f32
                                           : value->as.f64;
    return value->type != HBS_INT64 || hb_is_same_number(*number, value->as.i64);
}

/* Categories that are numbers; -1 is unseen. */
static int64_t find_number(const hbs_run *run, const hb_dictionary *d, const hbs_value *value)
{
    int64_t whole;
    double real;

    if (d->type == HBS_FLOAT64)
        return real_number(value, &real) ? hb_dictionary_find_real(run->plan, d, real) : -1;
    return whole_number(value, &whole) ? hb_dictionary_find_number(run->plan, d, whole) : -1;
}

/* Text categories: a whole number stands for its decimal text. -1 is unseen. */
static hbs_status find_text(const hbs_run *run, size_t f, const hb_dictionary *d, const hbs_value *value, int64_t *code,
                            hbs_error *error)
{
    hbs_text text = value->as.text;
    char digits[24];

    if (value->type == HBS_INT64) {
        text.size = (size_t)snprintf(digits, sizeof(digits), "%lld", (long long)value->as.i64);
        text.bytes = digits;
    } else if (value->type != HBS_TEXT) {
        return hb_wrong_type(run, f, "a text", value, error);
    }
    *code = hb_dictionary_find_text(run->plan, d, text);
    return HBS_OK;
}

static hbs_status encode_category(const hbs_run *run, size_t f, const hb_dictionary *d, const hbs_value *value,
                                  void *to, bool *is_null, hbs_error *error)
{
    hbs_value read = *value; /* for categories that are numbers, a number's text is that number */
    int64_t code = -1;
    bool exact = true;

    if (!is_known_type(value))
        return unknown_type(run, value, error);
    if (d->type != HBS_TEXT && is_text(value) && !hb_text_exact_number(value->as.text, &read, &exact))
        return hb_wrong_type(run, f, d->type == HBS_INT64 ? "a whole number" : "a number", value, error);
    if (is_missing(&read)) {
        put_number(run, to, NAN);
        return HBS_OK;
    }
    if (d->type == HBS_TEXT)
        HB_TRY(find_text(run, f, d, value, &code, error));
    else if (exact)
        code = find_number(run, d, &read);
    if (code < 0)
        return bind_unseen(run, f, value, to, is_null, error);
    put_number(run, to, (double)code);
    return HBS_OK;
}

/* A category by the hash of its text; a whole number stands for its decimal text. It cannot be missing: the
 * row's result is NULL then, or an error. */
static hbs_status encode_hash(const hbs_run *run, size_t f, const hbs_value *value, void *to, bool *is_null,
                              hbs_error *error)
{
    hbs_text text = value->as.text;
    char digits[24], feature[HB_FEATURE_BUFFER];

    *(double *)to = 0;
    if (!is_known_type(value))
        return unknown_type(run, value, error);
    if (is_missing(value)) {
        *is_null = true;
        return run->plan->missing_is_error
                   ? hb_run_fail(run, error, HBS_E_ARGS,
                                 "%s is missing, and the model cannot take that (option on_missing)",
                                 hb_plan_show_feature(run->plan, f, feature))
                   : HBS_OK;
    }
    if (value->type == HBS_INT64) {
        text.size = (size_t)snprintf(digits, sizeof(digits), "%lld", (long long)value->as.i64);
        text.bytes = digits;
    } else if (value->type != HBS_TEXT) {
        return hb_wrong_type(run, f, "a text or a whole number", value, error);
    }
    *(double *)to = (double)(int32_t)(uint32_t)hb_city_hash64(text.bytes, text.size);
    return HBS_OK;
}

/* Why the training library refuses the number, in words; NULL: it does not. */
static const char *why_refused(uint8_t demands, double number)
{
    if (number != number)
        return demands & HB_DEMAND_KNOWN ? "is missing" : NULL;
    if (isinf(number))
        return demands & HB_DEMAND_FINITE ? "is infinite" : NULL;
    return demands & HB_DEMAND_FLOAT32 && isinf((float)number) ? "is beyond float32" : NULL;
}

/* An integer that the value is or is cut to. */
static bool is_within_int32(double number)
{
    return number != number || (trunc(number) >= (double)INT32_MIN && trunc(number) <= (double)INT32_MAX);
}

/* True if the double that stands for a value is that value, and no whole number beside it. */
static bool is_exact(const hbs_value *value)
{
    hbs_value read = *value;
    bool exact = true;
    double real;

    if (is_text(value) && !hb_text_exact_number(value->as.text, &read, &exact))
        return true; /* no number: an error by itself */
    return exact && real_number(&read, &real);
}

HB_NOINLINE hbs_status check_exact(const hbs_run *run, size_t f, const hbs_value *value, hbs_error *error)
{
    return is_exact(value) ? HBS_OK : hb_rounded_value(run, f, value, error);
}

/* The row's result is NULL then, or an error. */
HB_NOINLINE hbs_status refuse(const hbs_run *run, size_t f, const char *why, bool *is_null, hbs_error *error)
{
    char feature[HB_FEATURE_BUFFER];

    *is_null = true;
    if (!run->plan->missing_is_error)
        return HBS_OK;
    return hb_run_fail(run, error, HBS_E_ARGS, "%s %s, and the model cannot take that (option on_missing)",
                       hb_plan_show_feature(run->plan, f, feature), why);
}

/* An integer type that the value is not in. Whole numbers beyond 2^53 may have been rounded to it. */
HB_NOINLINE hbs_status check_integer(const hbs_run *run, size_t f, uint8_t demands, const hbs_value *value,
                                     double number, bool *is_null, hbs_error *error)
{
    if (demands & HB_DEMAND_INT32 && !is_within_int32(number))
        return hb_wrong_type(run, f, "an int32 (-2147483648 to 2147483647)", value, error);
    if (demands & HB_DEMAND_INT53 && fabs(number) >= 0x1p53 && (fabs(number) > 0x1p53 || !is_exact(value)))
        return refuse(run, f, "is an integer beyond 2^53", is_null, error);
    return HBS_OK;
}

/* `number` is what the value has become. */
static inline hbs_status check_demands(const hbs_run *run, size_t f, uint8_t demands, const hbs_value *value,
                                       double number, bool *is_null, hbs_error *error)
{
    const char *why = why_refused(demands, number);

    if (why)
        return refuse(run, f, why, is_null, error);
    if (demands & (HB_DEMAND_INT32 | HB_DEMAND_INT53))
        HB_TRY(check_integer(run, f, demands, value, number, is_null, error));
    if (demands & HB_DEMAND_EXACT && fabs(number) >= HB_LEAST_ROUNDED)
        return check_exact(run, f, value, error);
    return HBS_OK;
}

/* A text that operators read. One that is looked up too may be refused as a category. */
HB_NOINLINE hbs_status encode_whole(hbs_run *run, size_t f, size_t row, const hb_dictionary *d, const hbs_value *value,
                                    double *to, bool *is_null, hbs_error *error)
{
    HB_TRY(hb_bind_text(run, f, row, value, to, error));
    if (!d || !(demands_of(run, f) & HB_DEMAND_SEEN) || *to != *to ||
        hb_dictionary_find_text(run->plan, d, value->as.text) >= 0)
        return HBS_OK;
    return bind_unseen(run, f, value, to, is_null, error);
}

/* Row `row` of feature f. */
static inline hbs_status encode_cell(hbs_run *run, size_t f, size_t row, const hb_dictionary *d, const hbs_value *value,
                                     void *to, bool *is_null, hbs_error *error)
{
    if (run->plan->texts && hb_plan_text(run->plan, f))
        return encode_whole(run, f, row, d, value, to, is_null, error);
    if (hb_plan_is_hashed(run->plan, f))
        return encode_hash(run, f, value, to, is_null, error);
    if (d)
        return encode_category(run, f, d, value, to, is_null, error);
    if (number_of(run, value, to))
        return HBS_OK;
    return number_from_text(run, f, value, to, error);
}

static inline size_t size_of_number(const hbs_run *run)
{
    return run->plan->wide ? sizeof(double) : sizeof(float);
}

/* The kinds of numbers (HB_SAW_...) that these demands refuse. */
static uint32_t refused_set(uint8_t demands)
{
    return (demands & HB_DEMAND_KNOWN ? HB_SAW_NAN : 0u) | (demands & HB_DEMAND_FINITE ? HB_SAW_INFINITE : 0u) |
           (demands & HB_DEMAND_FLOAT32 ? HB_SAW_LARGE : 0u);
}

/* ---- the features that matter */

static bool is_live(const hbs_run *run, size_t f)
{
    return hb_plan_is_live(run->plan, run->asker, f);
}

/* True if a span begins at feature f. */
static bool begins(const hbs_run *run, size_t f)
{
    return is_live(run, f) && (f == 0 || !is_live(run, f - 1));
}

enum { UNITS_A_FEATURE = 4 };

static hbs_status count_spans(hbs_run *run, size_t *count, hbs_error *error)
{
    *count = 0;
    for (size_t f = 0; f < run->plan->n_features; f++) {
        *count += begins(run, f);
        HB_TRY(hb_worked(&run->memory.work, UNITS_A_FEATURE, error));
    }
    return HBS_OK;
}

static hbs_status fill_spans(hbs_run *run, hbs_error *error)
{
    hb_feature_span *next = run->spans;

    for (size_t f = 0; f < run->plan->n_features; f++) {
        if (begins(run, f))
            *next++ = (hb_feature_span){(uint32_t)f, (uint32_t)f};
        if (is_live(run, f))
            next[-1].end++;
        HB_TRY(hb_worked(&run->memory.work, UNITS_A_FEATURE, error));
    }
    return HBS_OK;
}

static hbs_status make_spans(hbs_run *run, hbs_error *error)
{
    size_t n;

    hb_bind_free(run);
    HB_TRY(count_spans(run, &n, error));
    run->spans = hb_allocate(&run->memory, (n + 1) * sizeof(*run->spans)); /* there may be none */
    if (!run->spans)
        return hb_no_memory(&run->memory, error);
    run->n_spans = n;
    return fill_spans(run, error);
}

/* Finds what the features refuse (HB_SAW_...), and if all are numbers. */
static hbs_status look_at_features(hbs_run *run, hbs_error *error)
{
    uint8_t asked = 0;
    bool looked_up = false, all = run->live == &run->all;
    size_t n = 0;

    for (size_t i = 0; i < run->n_live; i++)
        for (size_t f = run->live[i].first; f < run->live[i].end; f++) {
            asked |= demands_of(run, f);
            looked_up |= hb_plan_dictionary(run->plan, f) || hb_plan_is_hashed(run->plan, f) ||
                         hb_plan_text(run->plan, f) || demands_of(run, f) & (HB_DEMAND_INT32 | HB_DEMAND_INT53);
            n++;
            HB_TRY(hb_worked(&run->memory.work, UNITS_A_FEATURE, error));
        }
    run->refused = refused_set(asked);
    run->takes_numbers = !looked_up;
    run->takes_all = all || (!run->refused && 2 * n >= run->plan->n_features);
    run->clears |= !all && run->refused; /* a row is looked at as a whole */
    return HBS_OK;
}

/* True if the step takes no column of the features but those that matter: trees, and many selections. */
static bool reads_live_only(const hbs_run *run, const hb_step *step)
{
    hb_fit_select fit;

    if (step->kind != HB_OPERATOR_SELECT)
        return step->kind == HB_OPERATOR_TREE_ENSEMBLE;
    hb_fit_view(run->plan, step->fit, HB_OPERATOR_SELECT, &fit);
    for (size_t i = 0; i < fit.n_columns; i++)
        if (!hb_plan_is_live(run->plan, run->asker, fit.columns[i]))
            return false;
    return true;
}

/* True if some step computes with the features, or makes other numbers of them in their place, which might be anything
 * after many rows. Trees read those that matter only. */
static bool computes_with_all(const hbs_run *run)
{
    const hb_step *steps = hb_plan_at(run->plan, run->plan->steps);
    uint64_t at = run->plan->input.at;

    for (size_t i = 0; i < run->plan->n_steps; i++) {
        const hb_step_input *inputs = hb_plan_at(run->plan, steps[i].inputs);
        bool reads = steps[i].reads_input;

        for (size_t k = 1; k < steps[i].n_inputs; k++)
            reads |= !inputs[k].place.in_plan && inputs[k].place.at == at;
        if (reads && !reads_live_only(run, &steps[i]))
            return true;
    }
    return false;
}

static hbs_status find_live(hbs_run *run, hbs_error *error)
{
    run->all = (hb_feature_span){0, (uint32_t)run->plan->n_features};
    run->live = &run->all;
    run->n_live = 1;
    run->clears = false;
    if (!run->plan->live[run->asker])
        return HBS_OK;
    HB_TRY(make_spans(run, error));
    run->live = run->spans;
    run->n_live = run->n_spans;
    run->clears = computes_with_all(run);
    return HBS_OK;
}

hbs_status hb_bind_prepare(hbs_run *run, hbs_error *error)
{
    hbs_status status = find_live(run, error);

    if (status == HBS_OK)
        status = look_at_features(run, error);
    if (status != HBS_OK)
        run->live = NULL; /* the next call begins again */
    return status;
}

void hb_bind_free(hbs_run *run)
{
    hb_release(&run->memory, run->spans, (run->n_spans + 1) * sizeof(*run->spans));
    run->spans = NULL;
    run->n_spans = 0;
}

/* ---- a row */

/* Zeros for the features that do not matter: steps compute with them too, but nobody reads what they make of them. */
static inline void clear_row(const hbs_run *run, void *to)
{
    if (run->clears)
        memset(to, 0, run->plan->n_features * size_of_number(run));
}

static inline bool four_are(const hbs_value *values, hbs_type type)
{
    return ((values[0].type ^ type) | (values[1].type ^ type) | (values[2].type ^ type) | (values[3].type ^ type)) == 0;
}

/* True if a double holds it for sure. */
static inline bool is_small(int64_t whole)
{
    return (uint64_t)whole + (1ull << 52) <= 1ull << 53;
}

#define TAKE_FOUR(number, member)                                                                           \
    {                                                                                                       \
        _Pragma("GCC unroll 4") for (size_t k = 0; k < 4; k++) to[f + k] = (number)values[f + k].as.member; \
        f += 4;                                                                                             \
    }

/* Features [f, end). Columns that stand beside each other mostly have one type, so that four are looked at together. */
#define TAKE_NUMBERS(number, takes_null, takes_whole)             \
    while (f < end) {                                             \
        const hbs_value *value = &values[f];                      \
        bool four = f + 4 <= end && four_are(value, value->type); \
                                                                  \
        if (four && value->type == HBS_FLOAT64)                   \
            TAKE_FOUR(number, f64)                                \
        else if (four && value->type == HBS_FLOAT32)              \
            TAKE_FOUR(number, f32)                                \
        else if (value->type == HBS_FLOAT64)                      \
            to[f++] = (number)value->as.f64;                      \
        else if (value->type == HBS_FLOAT32)                      \
            to[f++] = (number)value->as.f32;                      \
        else if (value->type == HBS_INT64 && (takes_whole))       \
            to[f++] = (number)value->as.i64;                      \
        else if (value->type == HBS_NULL && (takes_null))         \
            to[f++] = NAN;                                        \
        else                                                      \
            return false;                                         \
    }                                                             \
    return true;

static inline bool take_numbers64(const hbs_value *values, size_t f, size_t end, bool takes_null, double *to)
{
    TAKE_NUMBERS(double, takes_null, is_small(value->as.i64))
}

static inline bool take_numbers32(const hbs_value *values, size_t f, size_t end, float *to)
{
    TAKE_NUMBERS(float, true, true)
}

/* True if a row of plain numbers is taken at once: nothing is looked up, and it is not so long that the host must be
 * asked meanwhile. */
static inline bool takes_plain(const hbs_run *run)
{
    enum { MOST_SPANS = 1 << 14 };

    return run->takes_numbers && run->n_live <= MOST_SPANS;
}

/* A row of numbers for a plan that takes numbers only, in float64; what was seen must be nothing that a feature
 * refuses. False: look at each. */
static bool bind_plain_row(const hbs_run *run, const hbs_value *values, double *to)
{
    bool takes_null = !(run->refused & HB_SAW_NAN);

    if (!run->plan->wide || run->plan->rounded || !takes_plain(run))
        return false;
    clear_row(run, to);
    for (size_t i = 0; i < run->n_live; i++)
        if (!take_numbers64(values, run->live[i].first, run->live[i].end, takes_null, to))
            return false;
    return !run->refused || !(run->kernels->hb_look_at64(to, run->plan->n_features) & run->refused);
}

/* The same for a plan in float32, which refuses no number. */
static bool bind_plain_row32(const hbs_run *run, const hbs_value *values, float *to)
{
    if (run->plan->wide || !takes_plain(run))
        return false;
    clear_row(run, to);
    for (size_t i = 0; i < run->n_live; i++)
        if (!take_numbers32(values, run->live[i].first, run->live[i].end, to))
            return false;
    return true;
}

/* A row without a result computes with 0 instead of the value that it is refused for: `sparse` is slow for a tile that
 * has an infinity or NaN. */
static inline void clear_refused(const hbs_run *run, void *to)
{
    put_number(run, to, 0);
}

/* Feature f of the row, and whether the row has no result by it. */
static hbs_status bind_cell(hbs_run *run, size_t f, const hbs_value *value, bool *is_null, hbs_error *error)
{
    char *to = run->scratch + run->plan->input.at + f * size_of_number(run);
    bool cell_is_null = false;

    HB_TRY(encode_cell(run, f, 0, hb_plan_dictionary(run->plan, f), value, to, &cell_is_null, error));
    if (demands_of(run, f))
        HB_TRY(check_demands(run, f, demands_of(run, f), value, *(const double *)(void *)to, &cell_is_null, error));
    if (cell_is_null)
        clear_refused(run, to);
    *is_null |= cell_is_null;
    return HBS_OK;
}

enum { CELLS_AT_ONCE = 1 << 12, UNITS_A_CELL = 4 };

/* The cells of a row that are looked at one by one. */
typedef struct cells {
    const hbs_value *values; /* NULL: `numbers` */
    const double *numbers;
    bool is_null; /* the row has no result */
} cells;

static hbs_status bind_some(hbs_run *run, size_t f, size_t end, cells *row, hbs_error *error)
{
    for (; f < end; f++) {
        hbs_value number = {.type = HBS_FLOAT64, .as.f64 = row->values ? 0 : row->numbers[f]};

        HB_TRY(bind_cell(run, f, row->values ? &row->values[f] : &number, &row->is_null, error));
    }
    return HBS_OK;
}

/* The features of a span, some before the host is asked again. */
static hbs_status bind_span(hbs_run *run, hb_feature_span span, cells *row, hbs_error *error)
{
    size_t f = span.first;

    for (; span.end - f > CELLS_AT_ONCE; f += CELLS_AT_ONCE) {
        HB_TRY(bind_some(run, f, f + CELLS_AT_ONCE, row, error));
        HB_TRY(hb_worked(&run->memory.work, UNITS_A_CELL * CELLS_AT_ONCE, error));
    }
    return bind_some(run, f, span.end, row, error);
}

static hbs_status bind_cells(hbs_run *run, cells *row, hbs_error *error)
{
    clear_row(run, run->scratch + run->plan->input.at);
    for (size_t i = 0; i < run->n_live; i++) {
        HB_TRY(bind_span(run, run->live[i], row, error));
        if (run->n_live > CELLS_AT_ONCE)
            HB_TRY(hb_worked(&run->memory.work, CELLS_AT_ONCE, error)); /* as much as a span may have */
    }
    run->valid[0] = !row->is_null;
    return HBS_OK;
}

hbs_status hb_bind_row(hbs_run *run, const hbs_value *values, hbs_error *error)
{
    void *to = run->scratch + run->plan->input.at;

    run->valid[0] = 1;
    run->is_float32 = false;
    hb_bind_no_texts(run);
    if (bind_plain_row(run, values, to) || bind_plain_row32(run, values, to))
        return HBS_OK;
    return bind_cells(run, &(cells){.values = values}, error);
}

enum { FEW_NUMBERS = 8 }; /* their loop costs less than the call of a kernel */

static void take_spans(const hbs_run *run, const double *numbers, double *to)
{
    for (size_t i = 0; i < run->n_live; i++) {
        hb_feature_span span = run->live[i];

        if (span.end - span.first > FEW_NUMBERS)
            (void)run->kernels->hb_take_float64(numbers + span.first, span.end - span.first, to + span.first);
        else
            for (size_t f = span.first; f < span.end; f++)
                to[f] = numbers[f];
    }
}

static void narrow_spans(const hbs_run *run, const double *numbers, float *to)
{
    for (size_t i = 0; i < run->n_live; i++) {
        hb_feature_span span = run->live[i];

        if (span.end - span.first > FEW_NUMBERS)
            run->kernels->hb_narrow64(numbers + span.first, span.end - span.first, to + span.first);
        else
            for (size_t f = span.first; f < span.end; f++)
                to[f] = (float)numbers[f];
    }
}

/* A row of doubles for a plan that takes numbers only; false: look at each. Where most features matter, those that do
 * not are taken too: nothing depends on what they are. */
static bool bind_plain_numbers(const hbs_run *run, const double *numbers, void *to)
{
    size_t n = run->plan->n_features;

    if (run->plan->rounded || !takes_plain(run))
        return false;
    if (run->takes_all) {
        if (run->plan->wide)
            return !(run->kernels->hb_take_float64(numbers, n, to) & run->refused);
        run->kernels->hb_narrow64(numbers, n, to);
        return true;
    }
    clear_row(run, to);
    if (run->plan->wide)
        take_spans(run, numbers, to);
    else
        narrow_spans(run, numbers, to);
    return !run->refused || !(run->kernels->hb_look_at64(to, n) & run->refused);
}

hbs_status hb_bind_numbers(hbs_run *run, const double *numbers, hbs_error *error)
{
    run->valid[0] = 1;
    run->is_float32 = false;
    hb_bind_no_texts(run);
    if (bind_plain_numbers(run, numbers, run->scratch + run->plan->input.at))
        return HBS_OK;
    return bind_cells(run, &(cells){.numbers = numbers}, error);
}

/* ---- a column */

static inline bool is_valid(const hbs_column *column, size_t row)
{
    return !column->valid || (column->valid[row / 64] >> (row % 64) & 1);
}

/* Row `row` of a column as a value. */
static hbs_value read_cell(const hbs_column *column, size_t row)
{
    hbs_value value = {.type = column->type};

    if (column->type == HBS_NULL || !is_valid(column, row))
        return (hbs_value){.type = HBS_NULL};
    switch (column->type) {
    case HBS_FLOAT32:
        value.as.f32 = ((const float *)column->values)[row];
        break;
    case HBS_FLOAT64:
        value.as.f64 = ((const double *)column->values)[row];
        break;
    case HBS_INT64:
        value.as.i64 = ((const int64_t *)column->values)[row];
        break;
    case HBS_BOOL:
        value.as.boolean = ((const uint8_t *)column->values)[row] != 0;
        break;
    case HBS_MIXED:
        return ((const hbs_value *)column->values)[row];
    default:
        value.as.text = ((const hbs_text *)column->values)[row];
    }
    return value;
}

static void fill_missing(const hbs_run *run, size_t rows, void *to)
{
    double *wide = to;
    float *narrow = to;

    for (size_t r = 0; run->plan->wide && r < rows; r++)
        wide[r] = NAN;
    for (size_t r = 0; !run->plan->wide && r < rows; r++)
        narrow[r] = NAN;
}

/* Columns of numbers without a missing row, which most are, and columns without any: no look at each cell's type. False
 * where the cells must be looked at one by one, to say which of them is refused too. */
static bool bind_plain(const hbs_run *run, size_t f, const hbs_column *column, size_t first, size_t rows, void *to)
{
    const double *from64 = (const double *)column->values + first;
    const float *from32 = (const float *)column->values + first;
    bool is64 = column->type == HBS_FLOAT64;

    if (column->type == HBS_NULL && !demands_of(run, f)) {
        fill_missing(run, rows, to);
        return true;
    }
    if (column->valid || (!is64 && column->type != HBS_FLOAT32) ||
        demands_of(run, f) & (HB_DEMAND_INT32 | HB_DEMAND_INT53))
        return false;
    if (run->plan->wide && !run->plan->rounded) {
        uint32_t seen =
            is64 ? run->kernels->hb_take_float64(from64, rows, to) : run->kernels->hb_take_float32(from32, rows, to);

        return !(seen & refused_set(demands_of(run, f)));
    }
    if (is64 && run->plan->rounded)
        for (size_t r = 0; r < rows; r++)
            ((double *)to)[r] = (double)(float)from64[r];
    else if (is64)
        run->kernels->hb_narrow64(from64, rows, to);
    else if (run->plan->wide)
        (void)run->kernels->hb_take_float32(from32, rows, to);
    else
        memcpy(to, from32, rows * sizeof(*from32));
    return true;
}

/* How many of some rows are there for sure, from the first one on: as far as one word of bits tells. */
static size_t valid_rows(const hbs_column *column, size_t first, size_t rows)
{
    uint64_t missing = column->valid ? ~(column->valid[first / 64] >> first % 64) : 0;
    size_t n = missing ? (size_t)__builtin_ctzll(missing) : 64;

    return n < rows ? n : rows;
}

/* Texts that are categories, up to one which is missing or no category; how many those are. */
static size_t bind_texts(const hbs_run *run, const hb_dictionary *d, const hbs_column *column, size_t first,
                         size_t rows, char *to)
{
    const hbs_text *texts = (const hbs_text *)column->values + first;
    double codes[64];
    size_t n;

    if (d->type != HBS_TEXT || column->type != HBS_TEXT)
        return 0;
    n = valid_rows(column, first, rows);
    if (run->plan->wide && !run->plan->rounded)
        return hb_dictionary_find_texts(run->plan, d, texts, n, (double *)(void *)to);
    n = hb_dictionary_find_texts(run->plan, d, texts, n, codes);
    for (size_t r = 0; r < n; r++)
        put_number(run, to + r * size_of_number(run), codes[r]);
    return n;
}

/* Feature f of `*good` rows; a bad cell lowers *good to its row and leaves its error. */
static hbs_status bind_column(hbs_run *run, size_t f, const hbs_column *column, size_t first, char *to, size_t *good,
                              hbs_error *error)
{
    const hb_dictionary *d = hb_plan_dictionary(run->plan, f);
    bool is_whole = hb_plan_text(run->plan, f);

    if (!d && !hb_plan_is_hashed(run->plan, f) && !is_whole && bind_plain(run, f, column, first, *good, to))
        return HBS_OK;
    for (size_t r = 0; r < *good; r++) {
        hbs_value value;
        bool is_null = false;
        hbs_status status;

        r += d && !is_whole ? bind_texts(run, d, column, first + r, *good - r, to + r * size_of_number(run)) : 0;
        if (r == *good)
            break;
        value = read_cell(column, first + r);
        status = encode_cell(run, f, r, d, &value, to + r * size_of_number(run), &is_null, error);
        if (status == HBS_OK && demands_of(run, f))
            status =
                check_demands(run, f, demands_of(run, f), &value, ((const double *)(void *)to)[r], &is_null, error);
        if (status != HBS_OK) {
            *good = r;
            return status;
        }
        if (is_null) {
            clear_refused(run, to + r * size_of_number(run));
            run->valid[(first + r) / 64] &= ~(1ull << ((first + r) % 64));
        }
    }
    return HBS_OK;
}

enum { FETCHED_ROWS = 64, COLUMNS_AHEAD = 6 };

/* Numbers of a few rows are some lines of the cache in each column, and would be waited for in each. */
static void fetch_cells(const hbs_column *column, size_t first)
{
    enum { LINES = 4, LINE = 64 };
    size_t size = column->type == HBS_FLOAT32 ? sizeof(float) : sizeof(double);
    const char *from = column->values;

    for (size_t i = 0; from && i < LINES; i++)
        __builtin_prefetch(from + first * size + i * LINE);
}

/* The feature that is bound some columns behind f, which is of span i; f: there is none. */
static size_t far_ahead(const hbs_run *run, size_t i, size_t f)
{
    size_t ahead = COLUMNS_AHEAD, from = f;

    while (run->live[i].end - from <= ahead) {
        ahead -= run->live[i].end - from;
        if (++i == run->n_live)
            return f;
        from = run->live[i].first;
    }
    return from + ahead;
}

/* A block of rows while it is bound. */
typedef struct block {
    const hbs_column *columns;
    size_t first, rows;
    char *to;
    size_t column_size; /* bytes from one column to the next */
    size_t good;        /* rows before the first bad one.. */
    hbs_status bad;     /* ..whose error it has */
} block;

/* Zeros for features [f, end), which do not matter. */
static hbs_status clear_columns(hbs_run *run, size_t f, size_t end, const block *b, hbs_error *error)
{
    for (; run->clears && f < end; f++) {
        memset(b->to + f * b->column_size, 0, b->rows * size_of_number(run));
        HB_TRY(hb_worked(&run->memory.work, UNITS_A_CELL + b->rows / UNITS_A_CELL, error));
    }
    return HBS_OK;
}

static hbs_status bind_span_of_columns(hbs_run *run, size_t i, block *b, hbs_error *error)
{
    for (size_t f = run->live[i].first; f < run->live[i].end && b->good > 0; f++) {
        hbs_status status;

        if (b->rows <= FETCHED_ROWS)
            fetch_cells(&b->columns[far_ahead(run, i, f)], b->first);
        status = bind_column(run, f, &b->columns[f], b->first, b->to + f * b->column_size, &b->good, error);
        run->is_float32 &= b->columns[f].type == HBS_FLOAT32;
        if (!hb_goes_on(&run->memory.work, UNITS_A_CELL + b->rows))
            return hb_work_status(&run->memory.work, error);
        if (status != HBS_OK)
            b->bad = status; /* of an earlier row than before: the loop looked at good rows only */
    }
    return HBS_OK;
}

static hbs_status bind_block(hbs_run *run, block *b, hbs_error *error)
{
    size_t cleared = 0;

    for (size_t i = 0; i < run->n_live && b->good > 0; i++) {
        HB_TRY(clear_columns(run, cleared, run->live[i].first, b, error));
        HB_TRY(bind_span_of_columns(run, i, b, error));
        cleared = run->live[i].end;
    }
    if (b->good > 0)
        HB_TRY(clear_columns(run, cleared, run->plan->n_features, b, error));
    return b->bad;
}

hbs_status hb_bind_columns(hbs_run *run, const hbs_column *columns, size_t first, size_t rows, size_t stride,
                           size_t *good, hbs_error *error)
{
    block b = {.columns = columns,
               .first = first,
               .rows = rows,
               .to = run->scratch + run->plan->input.at * stride,
               .column_size = stride * size_of_number(run),
               .good = rows};
    hbs_status status;

    run->is_float32 = true;
    hb_bind_no_texts(run);
    status = bind_block(run, &b, error);
    *good = b.good;
    return status;
}
