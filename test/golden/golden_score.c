/* golden_score.c - asks hbscore for a golden's rows in every way that the interface has.
 *
 * hbs_score_row on the cells as they are in the file is compared with the library's answers; every
 * other way (blocks of all sizes, other types, texts, JSON, the plan without its optimizer passes)
 * must then give the same bits as hbs_score_row. */
#include "golden_cells.h"
#include "gpu/host_backend.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PRINTED = 12 };

/* Of a model: as it is, without passes, without one of them, and by each strategy in turn. */
enum { AS_IT_IS, NO_PASSES, ONE_LEFT_OUT, BY_STRATEGY, PLANS = BY_STRATEGY + HBS_N_STRATEGIES - 1 };

static const char *const STRATEGIES[] = {"auto", "tt", "bits", "gemm", "ptt"};

_Static_assert(sizeof(STRATEGIES) / sizeof(STRATEGIES[0]) == HBS_N_STRATEGIES, "each strategy has a name");

static const uint32_t BIT_OF[RG_KINDS] = {HBS_OUT_RAW,   HBS_OUT_PROBABILITIES, HBS_OUT_VALUES,
                                          HBS_OUT_VALUE, HBS_OUT_LABEL,         HBS_OUT_TRANSFORM};

typedef struct scorer {
    const rg_golden *golden;
    rg_tally *tally;
    rg_host host;
    hbs_model *model;
    hbs_compile_options compiled[PLANS];
    char ways[PLANS][64]; /* how each is compiled, in words */
    hbs_plan *plans[PLANS];
    hbs_plan *kept; /* as it is, with the nodes for devices */
    hbs_run *run;   /* of plans[AS_IT_IS], for RG_MAX_BLOCK rows */
    hbs_plan_info info;
    size_t model_size;
    uint32_t outputs; /* of the golden */
    size_t stride;    /* numbers of a row, all outputs together */
    uint64_t *bits;   /* [rows][stride]: what hbs_score_row gave */
    uint64_t *got;    /* [stride]: of another way */
    bool *null;       /* [rows]: it gave NULL */
    size_t *good;     /* rows that are no error, shuffled */
    size_t n_good;
    size_t printed;
    uint64_t random;
} scorer;

__attribute__((format(printf, 2, 3))) static void differ(scorer *s, const char *format, ...)
{
    va_list args;

    s->tally->differences++;
    if (++s->printed > MAX_PRINTED)
        return;
    printf("  %s: ", s->golden->name);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("%s\n", s->printed == MAX_PRINTED ? " (more are not shown)" : "");
}

static uint32_t next_random(scorer *s)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(s->random >> 33);
}

/* ------------------------------------------------------------------ answers as bits */

static uint64_t bits_of(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

static double number_of(uint64_t bits)
{
    double number;

    memcpy(&number, &bits, sizeof(number));
    return number;
}

static const double *numbers_of(const hbs_result *result, rg_kind kind)
{
    switch (kind) {
    case RG_RAW:
        return result->raw;
    case RG_PROBABILITIES:
        return result->probabilities;
    case RG_VALUES:
        return result->values;
    case RG_VALUE:
        return result->value;
    case RG_TRANSFORM:
        return result->transform;
    default:
        return NULL;
    }
}

static bool is_valid(const hbs_result *result, size_t row)
{
    return !result->valid || (result->valid[row / 64] >> (row % 64) & 1);
}

/* The array of an output is there just where it was asked for. */
static bool check_arrays(scorer *s, const hbs_result *result, uint32_t asked, const char *way)
{
    for (int k = 0; k < RG_KINDS; k++) {
        bool there = k == RG_LABEL ? result->label != NULL : numbers_of(result, (rg_kind)k) != NULL;

        if (!s->golden->outputs[k].given || there == ((asked & BIT_OF[k]) != 0))
            continue;
        differ(s, "%s: output %s was %s", way, rg_kind_name((rg_kind)k),
               there ? "given without being asked for" : "asked for and not given");
        return false;
    }
    return true;
}

/* The bits of one row; outputs that were not asked for keep what `bits` has. */
static void take_row(const scorer *s, const hbs_result *result, size_t row, uint32_t asked, uint64_t *bits)
{
    for (int k = 0; k < RG_KINDS; k++) {
        const rg_output *out = &s->golden->outputs[k];
        const double *numbers = numbers_of(result, (rg_kind)k);

        if (!out->given)
            continue;
        for (size_t i = 0; i < out->width && (asked & BIT_OF[k]); i++)
            bits[i] = k == RG_LABEL ? bits_of((double)result->label[row]) : bits_of(numbers[row * out->width + i]);
        bits += out->width;
    }
}

/* ------------------------------------------------------------------ the library's answer */

static void compare_with_library(scorer *s, size_t row)
{
    const uint64_t *bits = s->bits + row * s->stride;

    for (int k = 0; k < RG_KINDS; k++) {
        const rg_output *out = &s->golden->outputs[k];

        if (!out->given)
            continue;
        for (size_t i = 0; i < out->width; i++) {
            double got = number_of(bits[i]), want = out->want[row * out->width + i];

            if (!rg_agrees(out, got, want))
                differ(s, "row %zu, %s[%zu]: got %a, wanted %a", row, rg_kind_name((rg_kind)k), i, got, want);
        }
        bits += out->width;
    }
}

/* As numpy's stable argsort of the negated probabilities has them; where ours may differ, those close to each other in
 * either order. */
static bool stands_before(const rg_output *out, const double *want, uint32_t a, uint32_t b)
{
    bool a_is_nan = isnan(want[a]), b_is_nan = isnan(want[b]);

    if (a_is_nan != b_is_nan)
        return b_is_nan;
    if (want[a] > want[b])
        return true;
    if (out->rule == RG_EXACT)
        return (a_is_nan || want[a] == want[b]) && a < b;
    return rg_agrees(out, want[a], want[b]);
}

/* predict_top's order of all classes against the library's probabilities. */
static void check_best(scorer *s, const hbs_result *result, size_t row)
{
    const rg_output *out = &s->golden->outputs[RG_PROBABILITIES];
    const double *want = out->want + row * out->width;
    uint32_t *best;
    hbs_error error;

    if (!out->given || s->info.classes != out->width)
        return;
    best = rg_need(out->width, sizeof(*best));
    if (hbs_best_classes(s->run, result, 0, out->width, best, &error) != HBS_OK)
        differ(s, "row %zu, best classes: %s", row, error.text);
    else
        for (size_t i = 1; i < out->width; i++)
            if (!stands_before(out, want, best[i - 1], best[i]))
                differ(s, "row %zu: class %u stands before class %u", row, best[i - 1], best[i]);
    free(best);
}

static bool contains(const char *text, hbs_text part)
{
    size_t length = strlen(text);

    for (size_t i = 0; i + part.size <= length; i++)
        if (memcmp(text + i, part.bytes, part.size) == 0)
            return true;
    return false;
}

/* The text names a feature of the row and that feature's value. */
static bool names_cell(const rg_golden *g, size_t row, const char *text)
{
    char buffer[RG_CELL_TEXT];
    hbs_value value;

    for (size_t c = 0; c < g->features; c++) {
        rg_cell(&g->cells[row * g->features + c], RG_TEXT, true, buffer, &value);
        if (value.type == HBS_TEXT && contains(text, g->names[c]) && contains(text, value.as.text))
            return true;
    }
    return false;
}

static void check_error(scorer *s, size_t row, hbs_status status, const hbs_error *error, const char *way)
{
    if (status != HBS_E_ARGS && status != HBS_E_TYPE)
        differ(s, "%s, row %zu: wanted an error for the value, got %s", way, row, hbs_status_name(status));
    else if (error->status != status || !names_cell(s->golden, row, error->text))
        differ(s, "%s, row %zu: the error does not name column and value: %s", way, row, error->text);
}

/* ------------------------------------------------------------------ features that do not matter */

static bool is_same_cell(const hbs_value *a, const hbs_value *b)
{
    if (a->type != b->type)
        return false;
    if (a->type == HBS_TEXT)
        return a->as.text.size == b->as.text.size && memcmp(a->as.text.bytes, b->as.text.bytes, a->as.text.size) == 0;
    return a->type == HBS_NULL || (a->type == HBS_FLOAT64   ? a->as.f64 == b->as.f64
                                   : a->type == HBS_FLOAT32 ? a->as.f32 == b->as.f32
                                                            : a->as.i64 == b->as.i64);
}

/* Whether the library takes the row's cell of feature c in another row. */
static bool is_taken(const rg_golden *g, size_t row, size_t c)
{
    for (size_t r = 0; r < g->rows; r++)
        if (g->fate[r] == RG_SCORED && is_same_cell(&g->cells[r * g->features + c], &g->cells[row * g->features + c]))
            return true;
    return false;
}

/* The row with other cells of the features that no answer depends on: those of a row that the library takes. False: the
 * row has no cell among these that the library takes in no row, or no row is taken. */
static bool mend(const scorer *s, size_t row, hbs_value *mended)
{
    const rg_golden *g = s->golden;
    size_t taken = 0;
    bool differs = false;

    while (taken < g->rows && g->fate[taken] != RG_SCORED)
        taken++;
    for (size_t c = 0; c < g->features && taken < g->rows; c++) {
        bool matters = hbs_plan_uses(s->plans[AS_IT_IS], c, s->outputs);

        mended[c] = g->cells[(matters ? row : taken) * g->features + c];
        differs |= !matters && !is_taken(g, row, c);
    }
    return differs;
}

/* A row that the library refuses may have an answer if it refuses cells of features that do not matter: that of the row
 * without them. */
static bool is_unlike(scorer *s, size_t row, const hbs_result *found)
{
    const rg_golden *g = s->golden;
    hbs_value *mended = rg_need(g->features, sizeof(*mended));
    uint64_t *bits = s->bits + row * s->stride;
    hbs_result result;
    hbs_error error;
    bool unlike = g->fate[row] != RG_SCORED && mend(s, row, mended);

    if (unlike) {
        take_row(s, found, 0, s->outputs, bits);
        memcpy(s->got, bits, s->stride * sizeof(*bits));
        if (hbs_score_row(s->run, mended, g->features, s->outputs, &result, &error) != HBS_OK || !is_valid(&result, 0))
            differ(s, "row %zu has an answer, and none without what does not matter", row);
        else
            take_row(s, &result, 0, s->outputs, bits);
        if (memcmp(s->got, bits, s->stride * sizeof(*bits)) != 0)
            differ(s, "row %zu: another answer without what does not matter", row);
        g->fate[row] = RG_UNLIKE;
    }
    free(mended);
    return unlike;
}

/* ------------------------------------------------------------------ the rows one by one */

/* The reference of all other ways, and the comparison that the golden is for. */
static void score_reference(scorer *s)
{
    const rg_golden *g = s->golden;
    hbs_result result;
    hbs_error error;

    for (size_t row = 0; row < g->rows; row++) {
        const hbs_value *cells = g->cells + row * g->features;
        hbs_status status = hbs_score_row(s->run, cells, g->features, s->outputs, &result, &error);

        s->tally->rows_scored++;
        if (status == HBS_OK && is_valid(&result, 0) && is_unlike(s, row, &result)) {
            s->tally->unlike++;
            continue;
        }
        if (g->fate[row] == RG_ERROR) {
            check_error(s, row, status, &error, "row by row");
            if (status != HBS_OK && result.rows != 0)
                differ(s, "row %zu: an error, but result->rows is %zu", row, result.rows);
            continue;
        }
        s->good[s->n_good++] = row;
        if (status != HBS_OK) {
            differ(s, "row %zu: %s: %s", row, hbs_status_name(status), error.text);
            s->n_good--;
            continue;
        }
        s->null[row] = !is_valid(&result, 0);
        if (result.rows != 1 || s->null[row] != (g->fate[row] == RG_NULL)) {
            differ(s, "row %zu: rows %zu, valid %d, wanted 1, %d", row, result.rows, !s->null[row],
                   g->fate[row] != RG_NULL);
        } else if (!s->null[row] && check_arrays(s, &result, s->outputs, "row by row")) {
            take_row(s, &result, 0, s->outputs, s->bits + row * s->stride);
            compare_with_library(s, row);
            check_best(s, &result, row);
        }
    }
}

/* ------------------------------------------------------------------ every way, the same bits */

/* Row `at` of a result against the reference for the golden's row `row`. */
static void compare_bits(scorer *s, const hbs_result *result, size_t at, size_t row, uint32_t asked, const char *way)
{
    const uint64_t *want = s->bits + row * s->stride;
    uint64_t *got = s->got;

    s->tally->rows_scored++;
    if (is_valid(result, at) == s->null[row]) {
        differ(s, "%s, row %zu: valid %d, row by row %d", way, row, s->null[row], !s->null[row]);
        return;
    }
    if (s->null[row])
        return;
    memcpy(got, want, sizeof(*want) * s->stride);
    take_row(s, result, at, asked, got);
    for (size_t i = 0; i < s->stride; i++)
        if (got[i] != want[i]) {
            differ(s, "%s, row %zu, number %zu: got %a, row by row %a", way, row, i, number_of(got[i]),
                   number_of(want[i]));
            return;
        }
}

/* The outputs asked of a block: all, the label alone, which may then be told another way, or a changing choice. */
static uint32_t choose_outputs(scorer *s)
{
    uint32_t some = 0, random = next_random(s);

    if (random % 4 == 0)
        return s->outputs;
    if (random % 4 == 1 && s->golden->outputs[RG_LABEL].given)
        return HBS_OUT_LABEL;
    for (int k = 0; k < RG_KINDS; k++)
        if (s->golden->outputs[k].given && (random >> (4 + k) & 1))
            some |= BIT_OF[k];
    return some ? some : s->outputs;
}

static void score_block(scorer *s, hbs_run *run, const size_t *pick, size_t rows, rg_form form, bool nan,
                        const char *way)
{
    uint32_t asked = choose_outputs(s);
    rg_block block;
    hbs_result result;
    hbs_error error;
    hbs_status status;

    rg_block_make(&block, s->golden, pick, rows, form, nan);
    status = hbs_score(run, block.columns, block.features, rows, asked, &result, &error);
    if (status != HBS_OK)
        differ(s, "%s, %zu rows: %s: %s", way, rows, hbs_status_name(status), error.text);
    else if (result.rows != rows)
        differ(s, "%s: %zu rows of %zu", way, result.rows, rows);
    else if (check_arrays(s, &result, asked, way))
        for (size_t r = 0; r < rows; r++)
            compare_bits(s, &result, r, pick[r], asked, way);
    rg_block_free(&block);
}

static void score_rows_as(scorer *s, hbs_run *run, rg_form form, bool nan, uint32_t asked, const char *way)
{
    const rg_golden *g = s->golden;
    hbs_value *values = rg_need(g->features, sizeof(*values));
    char *buffers = rg_need(g->features, RG_CELL_TEXT);
    hbs_result result;
    hbs_error error;

    for (size_t i = 0; i < s->n_good; i++) {
        if (!rg_row_fits(g, s->good[i], form))
            continue;
        rg_row(g, s->good[i], form, nan, buffers, values);
        if (hbs_score_row(run, values, g->features, asked, &result, &error) != HBS_OK)
            differ(s, "%s, row %zu: %s", way, s->good[i], error.text);
        else
            compare_bits(s, &result, 0, s->good[i], asked, way);
    }
    free(values);
    free(buffers);
}

/* Where all cells are numbers that doubles hold. */
static void score_rows_as_numbers(scorer *s, const char *way)
{
    const rg_golden *g = s->golden;
    hbs_value *values = rg_need(g->features, sizeof(*values));
    double *numbers = rg_need(g->features, sizeof(*numbers));
    char *buffers = rg_need(g->features, RG_CELL_TEXT);
    hbs_result result;
    hbs_error error;

    for (size_t i = 0; i < s->n_good; i++) {
        size_t c;

        if (!rg_row_fits(g, s->good[i], RG_FLOAT64))
            continue;
        rg_row(g, s->good[i], RG_FLOAT64, true, buffers, values);
        for (c = 0; c < g->features && (values[c].type == HBS_FLOAT64 || values[c].type == HBS_NULL); c++)
            numbers[c] = values[c].type == HBS_NULL ? (double)NAN : values[c].as.f64;
        if (c < g->features)
            continue;
        if (hbs_score_numbers(s->run, numbers, g->features, s->outputs, &result, &error) != HBS_OK)
            differ(s, "%s, row %zu: %s", way, s->good[i], error.text);
        else
            compare_bits(s, &result, 0, s->good[i], s->outputs, way);
    }
    free(values);
    free(numbers);
    free(buffers);
}

static void score_rows_json(scorer *s, bool object, const char *way)
{
    const rg_golden *g = s->golden;
    hbs_result result;
    hbs_error error;

    for (size_t i = 0; i < s->n_good; i++) {
        size_t size;
        char *json = rg_row_json(g, s->good[i], object, &size);

        if (hbs_score_json(s->run, json, size, s->outputs, &result, &error) != HBS_OK)
            differ(s, "%s, row %zu: %s", way, s->good[i], error.text);
        else
            compare_bits(s, &result, 0, s->good[i], s->outputs, way);
        free(json);
    }
}

/* ------------------------------------------------------------------ blocks */

/* `rows` rows that have the form, by walking the shuffled ones round and round. */
static bool pick_rows(scorer *s, rg_form form, size_t rows, size_t *pick)
{
    size_t at = next_random(s) % s->n_good, n = 0, tried = 0;

    while (n < rows && tried < 4 * rows + s->n_good) {
        size_t row = s->good[at++ % s->n_good];

        if (rg_row_fits(s->golden, row, form))
            pick[n++] = row;
        tried++;
    }
    return n == rows;
}

static hbs_run *make_run(scorer *s, const hbs_plan *plan, size_t max_rows)
{
    hbs_run *run = NULL;
    hbs_error error;

    if (hbs_run_create(plan, &s->host.host, s->golden->name, max_rows, &run, &error) != HBS_OK)
        differ(s, "a run for %zu rows: %s", max_rows, error.text);
    return run;
}

/* A block of one size, in a run made for just that size by turns with the common one. */
static void score_size(scorer *s, size_t rows, rg_form form, bool own_run)
{
    size_t pick[RG_MAX_BLOCK];
    hbs_run *run = s->run;
    bool nan = next_random(s) % 2;
    static const char *const FORMS[] = {"own types", "float64", "text", "narrow types"};
    char way[160];

    if (!pick_rows(s, form, rows, pick))
        return;
    if (own_run)
        run = make_run(s, s->plans[rows % PLANS], rows);
    snprintf(way, sizeof(way), "block of %zu as %s, missing as %s%s", rows, FORMS[form], nan ? "nan" : "null",
             s->ways[own_run ? rows % PLANS : AS_IT_IS]);
    if (run)
        score_block(s, run, pick, rows, form, nan, way);
    if (run != s->run)
        hbs_run_free(run);
}

/* Rows in their own types: blocks of rows whose columns agree in type. */
static void score_own_types(scorer *s)
{
    bool *done = rg_need(s->n_good, sizeof(*done));
    size_t pick[RG_MAX_BLOCK];

    for (size_t first = 0; first < s->n_good; first++) {
        size_t rows = 0;

        for (size_t i = first; i < s->n_good && rows < RG_MAX_BLOCK && !done[first]; i++) {
            bool same = !done[i];

            for (size_t k = 0; same && k < rows; k++)
                same = rg_same_types(s->golden, pick[k], s->good[i]);
            if (same) {
                pick[rows++] = s->good[i];
                done[i] = i != first;
            }
        }
        if (rows)
            score_block(s, s->run, pick, rows, RG_OWN, false, "block in own types");
        done[first] = true;
    }
    free(done);
}

/* Each bad row at the start, inside and at the end of a block: those before it must be scored. */
static void score_bad_rows(scorer *s)
{
    static const size_t PLACES[] = {0, 1, 63, 64, 100};
    const rg_golden *g = s->golden;
    size_t pick[RG_MAX_BLOCK], n_bad = 0;

    for (size_t row = 0; row < g->rows && s->n_good; row++) {
        size_t place = PLACES[n_bad % 5], rows = place + 1 + (n_bad % 3) * 20;
        rg_block block;
        hbs_result result;
        hbs_error error;
        hbs_status status;

        if (g->fate[row] != RG_ERROR || !rg_row_fits(g, row, RG_FLOAT64))
            continue;
        n_bad++;
        if (!pick_rows(s, RG_FLOAT64, rows, pick))
            continue;
        pick[place] = row;
        rg_block_make(&block, g, pick, rows, RG_FLOAT64, false);
        status = hbs_score(s->run, block.columns, g->features, rows, s->outputs, &result, &error);
        check_error(s, row, status, &error, "bad row in a block");
        if (result.rows != place)
            differ(s, "bad row %zu at %zu of a block: result->rows is %zu", row, place, result.rows);
        else
            for (size_t r = 0; r < place; r++)
                compare_bits(s, &result, r, pick[r], s->outputs, "before a bad row");
        rg_block_free(&block);
    }
}

/* ------------------------------------------------------------------ as golden rows of a registration */

/* The plan states the tolerance that the golden has. */
static void check_tolerances(scorer *s)
{
    const double stated[RG_KINDS] = {s->info.raw_tolerance,
                                     s->info.probabilities_tolerance,
                                     s->info.values_tolerance,
                                     s->info.value_tolerance,
                                     0,
                                     s->info.transform_tolerance};

    for (int k = 0; k < RG_KINDS; k++) {
        const rg_output *out = &s->golden->outputs[k];
        double wanted = out->rule == RG_RELATIVE ? out->tolerance : 0;
        bool wider =
            stated[k] > 0 && (strncmp(s->golden->library, "scikit-learn", 12) == 0 || out->rule == RG_ABSOLUTE);

        /* A scikit-learn pipeline's is that of its worst part; goldens know each output's own. */
        if (out->given && stated[k] != wanted && !(wider && stated[k] >= wanted))
            differ(s, "the plan's tolerance of %s is %g, the golden's %g", rg_kind_name((rg_kind)k), stated[k], wanted);
    }
}

static void verify(scorer *s, bool spoil)
{
    hbs_verification found;
    hbs_error error;
    bool spoiled;
    size_t size;
    char *text = rg_golden_option(s->golden, s->plans[spoil], spoil, &size, &spoiled);
    hbs_status status = hbs_verify(s->plans[spoil], &s->host.host, s->golden->name, text, size, &found, &error);

    s->tally->rows_scored += found.rows;
    if (status != HBS_OK)
        differ(s, "verify: %s", error.text);
    else if (found.rows != s->n_good)
        differ(s, "verify: %zu rows, wanted %zu", found.rows, s->n_good);
    else if (found.ok == spoiled || !found.text[0] != found.ok)
        differ(s, "verify: ok is %d %s", found.ok, found.text);
    free(text);
}

static void score_sizes(scorer *s, rg_effort effort, size_t turn)
{
    static const size_t FIXED[] = {1,  2,  3,   7,   8,   9,   15,  16,  17,  31,  32,  33,   63,
                                   64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1024, 1025};
    size_t skip = s->golden->features > 200 ? 4 : 1;

    for (size_t rows = 128; effort == RG_BRIEF && rows < 128 + PLANS; rows++)
        score_size(s, rows, RG_FLOAT64, true); /* one of each plan */
    if (effort == RG_BRIEF)
        return;
    for (size_t i = 0; i < sizeof(FIXED) / sizeof(FIXED[0]); i += skip) {
        if (effort == RG_QUICK && FIXED[i] % 64 > 1)
            continue;
        score_size(s, FIXED[i], RG_FLOAT64, true);
        if (i % 5 == turn % 5)
            score_size(s, FIXED[i], RG_TEXT, false);
    }
    if (effort == RG_QUICK)
        return;
    for (size_t rows = 1; rows <= RG_MAX_BLOCK; rows++)
        if (effort == RG_FULL || rows % (8 * skip) == turn % (8 * skip))
            score_size(s, rows, RG_FLOAT64, rows % 2);
}

static void score_whole(scorer *s, hbs_run *run, rg_form form, bool nan, const char *way)
{
    size_t *pick = rg_need(s->n_good, sizeof(*pick)), n = 0;

    for (size_t i = 0; i < s->n_good; i++)
        if (rg_row_fits(s->golden, s->good[i], form))
            pick[n++] = s->good[i];
    for (size_t at = 0; at < n; at += RG_MAX_BLOCK)
        score_block(s, run, pick + at, n - at < RG_MAX_BLOCK ? n - at : RG_MAX_BLOCK, form, nan, way);
    free(pick);
}

/* Row by row and in one block, by a plan without passes or without one. */
static void score_without(scorer *s, size_t plan)
{
    hbs_run *row = make_run(s, s->plans[plan], 1), *block = make_run(s, s->plans[plan], RG_MAX_BLOCK);
    char way[96];

    snprintf(way, sizeof(way), "row by row%s", s->ways[plan]);
    if (row)
        score_rows_as(s, row, RG_OWN, false, s->outputs, way);
    snprintf(way, sizeof(way), "one block%s", s->ways[plan]);
    if (block)
        score_whole(s, block, RG_FLOAT64, true, way);
    hbs_run_free(row);
    hbs_run_free(block);
}

static size_t hash_of(const char *text)
{
    size_t hash = 2166136261u;

    for (const char *at = text; *at; at++)
        hash = (hash ^ (uint8_t)*at) * 16777619u & UINT32_MAX;
    return hash;
}

/* Blocks by a run whose trees go to this device; *use: what came of them. */
static void score_with_device(scorer *s, const rg_gpu *gpu, hbs_device_program *program, const char *way,
                              hbs_device_use *use)
{
    static const size_t SIZES[] = {1, 33, 129, 700};
    hbs_run *run = make_run(s, s->kept, RG_MAX_BLOCK);
    size_t pick[RG_MAX_BLOCK];
    hbs_error error;

    if (!run)
        return;
    if (hbs_run_use_device(run, gpu->backend, gpu->device, program, &error) != HBS_OK)
        differ(s, "%s: %s", way, error.text);
    score_whole(s, run, RG_FLOAT64, true, way);
    for (size_t i = 0; i < sizeof(SIZES) / sizeof(SIZES[0]); i++)
        if (pick_rows(s, RG_FLOAT64, SIZES[i], pick))
            score_block(s, run, pick, SIZES[i], RG_FLOAT64, i % 2, way);
    hbs_run_device_use(run, use);
    hbs_run_free(run);
}

/* A plan whose trees no device takes is not scored this way. */
static hbs_device_use score_on(scorer *s, const rg_gpu *gpu, const char *way)
{
    hbs_device_use use = {.ready = false};
    hbs_device_program *program;
    hbs_forest_view view;
    hbs_error error;

    if (hbs_plan_forest(s->kept, &view, &error) != HBS_OK ||
        gpu->backend->upload(gpu->device, &s->host.host, &view, &program, &error) != HBS_OK)
        return use;
    score_with_device(s, gpu, program, way, &use);
    gpu->backend->forget(gpu->device, program);
    s->tally->device_rows += use.rows;
    return use;
}

static void score_on_host(scorer *s, host_device *device)
{
    const rg_gpu gpu = {&host_backend, host_device_of(device)};
    char way[128];

    snprintf(way, sizeof(way), "on a device:%s%s %zu groups, %zu trees at once%s", device->large ? " large" : "",
             device->backwards ? " backwards" : "", device->groups, device->slab,
             device->fail_collect ? ", which failed" : "");
    score_on(s, &gpu, way);
    for (size_t form = 0; form < 3; form++)
        s->tally->forms[form] |= device->rows > 0 && device->forms[form];
    if (device->programs || device->queues)
        differ(s, "the device has %zu programs and %zu queues", device->programs, device->queues);
}

/* Without a GPU the host's kernels: the hash of the golden's name picks one way in which a device walks the trees, by
 * form, groups and order. */
static void score_on_device(scorer *s, rg_effort effort, const rg_gpu *gpu)
{
    static const size_t GROUPS[] = {1, 2, 3, 7}, SLABS[] = {0, 1, 5, 64};
    enum { WAYS = 64 };
    hbs_device_use use;

    if (gpu) {
        use = score_on(s, gpu, "on the GPU");
        if (use.redone)
            differ(s, "the GPU has failed: %s", use.error.text);
        return;
    }
    for (size_t way = 0; way < WAYS; way++) {
        host_device device = {
            .large = way & 1, .backwards = way >> 1 & 1, .groups = GROUPS[way >> 2 & 3], .slab = SLABS[way >> 4 & 3]};

        if (effort == RG_DEVICES || way == hash_of(s->golden->name) % WAYS)
            score_on_host(s, &device);
    }
    score_on_host(s, &(host_device){.fail_collect = 1});
}

static void shuffle(scorer *s)
{
    for (size_t i = s->n_good; i > 1; i--) {
        size_t j = next_random(s) % i, keep = s->good[i - 1];

        s->good[i - 1] = s->good[j];
        s->good[j] = keep;
    }
}

static void score_all(scorer *s, rg_effort effort, size_t turn, const rg_gpu *gpu)
{
    score_reference(s);
    shuffle(s);
    if (!s->n_good || effort == RG_ROWS)
        return;
    score_on_device(s, effort, gpu);
    if (effort == RG_DEVICES)
        return;
    score_whole(s, s->run, RG_FLOAT64, false, "one block, missing as null");
    score_whole(s, s->run, RG_FLOAT64, true, "one block, missing as nan");
    score_whole(s, s->run, RG_TEXT, turn % 2, "one block of texts");
    score_own_types(s);
    score_rows_as(s, s->run, RG_FLOAT64, true, s->outputs, "row by row as float64");
    score_rows_as(s, s->run, RG_NARROW, false, s->outputs, "row by row in narrow types");
    if (s->golden->outputs[RG_LABEL].given)
        score_rows_as(s, s->run, RG_OWN, false, HBS_OUT_LABEL, "row by row, the label alone");
    score_rows_as_numbers(s, "row by row as doubles");
    if (effort != RG_BRIEF)
        score_rows_as(s, s->run, RG_TEXT, turn % 2, s->outputs, "row by row as texts");
    score_without(s, NO_PASSES);
    score_without(s, ONE_LEFT_OUT);
    score_rows_json(s, false, "JSON array");
    if (s->info.named && effort != RG_BRIEF)
        score_rows_json(s, true, "JSON object");
    score_bad_rows(s);
    if (!s->golden->other_functions) {
        check_tolerances(s);
        verify(s, false);
        verify(s, true);
    }
    score_sizes(s, effort, turn);
}

/* ------------------------------------------------------------------ the model and its plan */

static size_t info_width(const hbs_plan_info *info, rg_kind kind)
{
    const size_t widths[RG_KINDS] = {
        info->raw_width, info->probabilities_width, info->values_width, info->value_width, 1, info->transform_width};

    return widths[kind];
}

static bool check_info(scorer *s)
{
    const rg_golden *g = s->golden;
    size_t before = s->tally->differences;
    hbs_text name;
    hbs_type type;

    if (s->info.features != g->features) {
        differ(s, "takes %zu features, wanted %zu", s->info.features, g->features);
        return false;
    }
    for (size_t c = 0; c < g->features; c++) {
        hbs_plan_feature(s->plans[AS_IT_IS], c, &name, &type);
        if (s->info.named && (name.size != g->names[c].size || memcmp(name.bytes, g->names[c].bytes, name.size) != 0))
            differ(s, "feature %zu is \"%.*s\", wanted \"%.*s\"", c, (int)name.size, name.bytes, (int)g->names[c].size,
                   g->names[c].bytes);
        if ((type == HBS_TEXT) != g->is_text[c])
            differ(s, "feature %zu has type %d", c, (int)type);
    }
    for (int k = 0; k < RG_KINDS; k++)
        if (g->outputs[k].given && info_width(&s->info, (rg_kind)k) != g->outputs[k].width)
            differ(s, "%s has width %zu, wanted %zu", rg_kind_name((rg_kind)k), info_width(&s->info, (rg_kind)k),
                   g->outputs[k].width);
    return s->tally->differences == before;
}

/* Loading takes at most 4 x the file + 1 MiB, a plan at most 2 x the file + 64 KiB; of hbscore's own format, in which
 * forests take few bytes, 16 x and 24 x. */
static void check_memory(scorer *s, size_t load_peak)
{
    bool own = strcmp(hbs_model_format(s->model), "hbscore") == 0;
    size_t peak, held, most = (own ? 16 : 4) * s->model_size + ((size_t)1 << 20);

    hbs_model_memory(s->model, &peak, &held);
    if (peak > most || load_peak > most)
        differ(s, "loading %zu bytes took %zu bytes (by the host's count %zu)", s->model_size, peak, load_peak);
    for (int p = 0; p < BY_STRATEGY; p++) { /* a strategy that was asked for may take more */
        hbs_plan_info info;

        hbs_plan_get_info(s->plans[p], &info);
        if (info.bytes > (own ? 24 : 2) * s->model_size + ((size_t)64 << 10))
            differ(s, "the plan of %zu bytes takes %zu bytes", s->model_size, info.bytes);
    }
}

size_t rg_count_passes(void)
{
    uint32_t bit;
    size_t n = 0;

    while (hbs_pass_name(n, &bit))
        n++;
    return n;
}

/* The place of a pass in the order of all. */
static size_t find_pass(const char *name)
{
    uint32_t bit;
    size_t i = 0;

    for (const char *other; (other = hbs_pass_name(i, &bit)) && strcmp(other, name) != 0;)
        i++;
    return i;
}

/* The hash of the golden's name picks the pass that is left out, so all passes have their turns. */
static void choose_plans(scorer *s)
{
    uint32_t bit;

    s->tally->left_out = hash_of(s->golden->name) % rg_count_passes();
    snprintf(s->ways[NO_PASSES], sizeof(s->ways[0]), ", passes off");
    s->compiled[NO_PASSES].passes_off = ~HBS_KEEP_NODES;
    snprintf(s->ways[ONE_LEFT_OUT], sizeof(s->ways[0]), ", %s off", hbs_pass_name(s->tally->left_out, &bit));
    s->compiled[ONE_LEFT_OUT].passes_off = bit;
    for (size_t i = 1; i < HBS_N_STRATEGIES; i++) {
        snprintf(s->ways[BY_STRATEGY + i - 1], sizeof(s->ways[0]), ", strategy %s", STRATEGIES[i]);
        s->compiled[BY_STRATEGY + i - 1].strategy = (hbs_strategy)i;
    }
}

/* What each pass has rewritten; one that is left out has rewritten nothing. */
static void count_rewrites(scorer *s)
{
    hbs_pass_report report;

    for (size_t i = 0; hbs_plan_pass(s->plans[AS_IT_IS], i, &report); i++)
        s->tally->rewrites[find_pass(report.name)] += report.rewrites;
    if (hbs_plan_pass(s->plans[NO_PASSES], 0, &report))
        differ(s, "%s has run without passes", report.name);
    for (size_t i = 0; hbs_plan_pass(s->plans[ONE_LEFT_OUT], i, &report); i++)
        if (find_pass(report.name) == s->tally->left_out)
            differ(s, "%s has run, and was left out", report.name);
}

/* A model that must not load, whatever the reason: what matters is that it is said. */
static bool check_refusal(scorer *s, hbs_status status, const hbs_error *error)
{
    if (status != HBS_E_UNSUPPORTED && status != HBS_E_FORMAT)
        differ(s, "a model to be refused: %s", hbs_status_name(status));
    else if (error->status != status || !error->text[0])
        differ(s, "a refusal without words");
    return false;
}

static bool load(scorer *s, const char *folder)
{
    const rg_golden *g = s->golden;
    const char *options = g->options;
    hbs_error error;
    char *bytes = rg_file(folder, g->model, &s->model_size);
    hbs_source source = {.name = g->name, .bytes = bytes, .size = s->model_size};
    hbs_status status;
    size_t load_peak;

    if (!bytes) {
        differ(s, "the model file %s is not there", g->model);
        return false;
    }
    source.options = options;
    source.options_size = options ? strlen(options) : 0;
    status = hbs_model_load(&s->host.host, NULL, &source, &s->model, &error);
    free(bytes);
    if (g->refused)
        return check_refusal(s, status, &error);
    load_peak = s->host.peak;
    for (int p = 0; p < PLANS && status == HBS_OK; p++)
        status = hbs_plan_compile(s->model, &s->compiled[p], &s->plans[p], &error);
    if (status == HBS_OK)
        status = hbs_plan_compile(s->model, &(hbs_compile_options){.passes_off = HBS_KEEP_NODES}, &s->kept, &error);
    if (status != HBS_OK) {
        differ(s, "%s: %s", hbs_status_name(status), error.text);
        return false;
    }
    check_memory(s, load_peak);
    count_rewrites(s);
    hbs_model_free(s->model); /* the plan outlives its model */
    s->model = NULL;
    return true;
}

/* All NaN are one: which sign that of inf - inf has is the CPU's choice. */
static uint64_t portable_bits(uint64_t bits)
{
    return isnan(number_of(bits)) ? bits_of((double)NAN) : bits;
}

static void digest(scorer *s)
{
    const rg_golden *g = s->golden;
    size_t n = g->rows * (s->stride + 1);
    uint64_t *all = rg_need(n, sizeof(*all));

    for (size_t row = 0; row < g->rows; row++) {
        for (size_t i = 0; i < s->stride; i++)
            all[row * (s->stride + 1) + i] = portable_bits(s->bits[row * s->stride + i]);
        all[row * (s->stride + 1) + s->stride] = s->null[row];
    }
    hbs_sha256(&s->host.host, all, n * sizeof(*all), s->tally->digest, NULL);
    free(all);
}

static void prepare(scorer *s)
{
    for (int k = 0; k < RG_KINDS; k++)
        if (s->golden->outputs[k].given) {
            s->outputs |= BIT_OF[k];
            s->stride += s->golden->outputs[k].width;
        }
    s->bits = rg_need(s->golden->rows * s->stride, sizeof(*s->bits));
    s->got = rg_need(s->stride, sizeof(*s->got));
    s->null = rg_need(s->golden->rows, sizeof(*s->null));
    s->good = rg_need(s->golden->rows, sizeof(*s->good));
}

void rg_score(const rg_golden *golden, const char *folder, rg_effort effort, size_t turn, const rg_gpu *gpu,
              rg_tally *tally)
{
    scorer s = {.golden = golden, .tally = tally, .random = 20261121 + turn};

    rg_host_init(&s.host);
    prepare(&s);
    choose_plans(&s);
    if (load(&s, folder)) {
        hbs_plan_get_info(s.plans[AS_IT_IS], &s.info);
        s.run = make_run(&s, s.plans[AS_IT_IS], RG_MAX_BLOCK);
        if (s.run && check_info(&s))
            score_all(&s, effort, turn, gpu);
        digest(&s);
    }
    hbs_run_free(s.run);
    for (int p = 0; p < PLANS; p++)
        hbs_plan_free(s.plans[p]);
    hbs_plan_free(s.kept);
    hbs_model_free(s.model);
    if (s.host.held != 0)
        differ(&s, "%zu bytes were never given back", s.host.held);
    free(s.bits);
    free(s.got);
    free(s.null);
    free(s.good);
}
