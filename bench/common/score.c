/* score.c - the core, driven over standard input (driven.h):
 *
 *     score MODEL OPTIONS ROWS OUTPUT [blas=FILE] [strategy=NAME] [passes_off=NAMES]
 *     score passes
 *
 * MODEL is a file, OPTIONS the JSON text of registration options, ROWS a file of rows (rows.h). OUTPUT is what is
 * asked for: predict, predict_label, predict_proba, predict_values, decision_function or transform. Results are
 * doubles (labels as class numbers; NaN: NULL). A batch of 1 is hbs_score_row. blas: the file of OpenBLAS's serial
 * build, which then takes large products, as under the setting dense = blas. strategy: how tree ensembles are
 * evaluated. passes_off: the optimizer's passes to leave out, between commas. "score passes" writes the names of all
 * passes. The facts are
 *
 *     LOAD_NS COMPILE_NS PLAN_BYTES STRATEGY NOTE
 *
 * where STRATEGY is that of the plan's tree ensemble ("-": it has none), NOTE what the plan says of it. */
#define _POSIX_C_SOURCE 199309L

#include "hbscore.h"

#include "blas.h"
#include "driven.h"
#include "malloc_host.h"
#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROWS = 1 << 20,
    VALUES_BYTES = 1 << 19 /* of rows that are made ready to be scored one by one: they stay in the cache */
};

typedef struct scorer {
    rows t;
    hbs_model *model;
    hbs_plan *plan;
    hbs_run *block, *one;
    hbs_column *part;  /* [n_columns]: of a batch */
    hbs_value *values; /* [ready][n_columns] */
    size_t ready;
    uint32_t outputs;
    size_t width;
    hbs_compile_options compiling;
    long long load_ns, compile_ns;
} scorer;

/* ------------------------------------------------------------------ the model */

static hbs_function function_of(const char *name)
{
    static const struct {
        const char *name;
        hbs_function function;
    } functions[] = {{"predict", HBS_PREDICT},
                     {"predict_label", HBS_PREDICT_LABEL},
                     {"predict_proba", HBS_PREDICT_PROBA},
                     {"predict_values", HBS_PREDICT_VALUES},
                     {"decision_function", HBS_DECISION_FUNCTION},
                     {"transform", HBS_TRANSFORM}};

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    driven_stop("no such output", name);
    return HBS_PREDICT;
}

static hbs_strategy strategy_of(const char *name)
{
    static const char *const names[] = {[HBS_STRATEGY_AUTO] = "auto",
                                        [HBS_STRATEGY_TT] = "tt",
                                        [HBS_STRATEGY_BITS] = "bits",
                                        [HBS_STRATEGY_GEMM] = "gemm",
                                        [HBS_STRATEGY_PTT] = "ptt"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0)
            return (hbs_strategy)i;
    driven_stop("no such strategy", name);
    return HBS_STRATEGY_AUTO;
}

static uint32_t pass_of(const char *name, size_t size)
{
    const char *known;
    uint32_t bit;

    for (size_t i = 0; (known = hbs_pass_name(i, &bit)) != NULL; i++)
        if (strlen(known) == size && memcmp(known, name, size) == 0)
            return bit;
    driven_stop("no such pass", name);
    return 0;
}

static uint32_t passes_of(const char *names)
{
    uint32_t bits = 0;

    while (*names) {
        size_t size = strcspn(names, ",");

        bits |= pass_of(names, size);
        names += size + (names[size] == ',');
    }
    return bits;
}

static int write_passes(void)
{
    const char *name;
    uint32_t bit;

    for (size_t i = 0; (name = hbs_pass_name(i, &bit)) != NULL; i++)
        puts(name);
    return 0;
}

static size_t width_of(const hbs_plan *plan, uint32_t outputs)
{
    hbs_plan_info info;

    hbs_plan_get_info(plan, &info);
    return outputs & HBS_OUT_PROBABILITIES ? info.probabilities_width
           : outputs & HBS_OUT_VALUES      ? info.values_width
           : outputs & HBS_OUT_RAW         ? info.raw_width
           : outputs & HBS_OUT_TRANSFORM   ? info.transform_width
                                           : 1;
}

static void load(scorer *s, const char *path, const char *options)
{
    const hbs_limits limits = {.max_model_bytes = HBS_HARD_MAX_MODEL_BYTES};
    hbs_source source = {.name = path, .options = options, .options_size = strlen(options)};
    void *bytes = driven_file(path, &source.size);
    long long begin = driven_now();
    hbs_error error;

    source.bytes = bytes;
    if (hbs_model_load(&host, &limits, &source, &s->model, &error) != HBS_OK)
        driven_stop(path, error.text);
    s->load_ns = driven_now() - begin;
    begin = driven_now();
    if (hbs_plan_compile(s->model, &s->compiling, &s->plan, &error) != HBS_OK)
        driven_stop(path, error.text);
    s->compile_ns = driven_now() - begin;
    free(bytes);
}

static void make_runs(scorer *s, const char *output)
{
    hbs_error error;

    if (hbs_run_create(s->plan, &host, NULL, s->t.count < MOST_ROWS ? s->t.count : MOST_ROWS, &s->block, &error) !=
            HBS_OK ||
        hbs_run_create(s->plan, &host, NULL, 1, &s->one, &error) != HBS_OK ||
        hbs_run_check_count(s->one, s->t.n_columns, &error) != HBS_OK ||
        hbs_run_outputs(s->block, function_of(output), &s->outputs, &error) != HBS_OK)
        driven_stop(output, error.text);
    s->width = width_of(s->plan, s->outputs);
    s->part = driven_room(s->t.n_columns * sizeof(*s->part));
    s->ready = VALUES_BYTES / (s->t.n_columns * sizeof(*s->values)) + 1;
    s->values = driven_room(s->ready * s->t.n_columns * sizeof(*s->values));
}

/* ------------------------------------------------------------------ scoring */

static hbs_result score_block(const scorer *s, size_t first, size_t count)
{
    hbs_result result;
    hbs_error error;

    for (size_t c = 0; c < s->t.n_columns; c++)
        s->part[c] = rows_from(&s->t.columns[c], first);
    if (hbs_score(s->block, s->part, s->t.n_columns, count, s->outputs, &result, &error) != HBS_OK)
        driven_stop("a block", error.text);
    return result;
}

static long long run_blocks(const scorer *s, size_t first, size_t batch, size_t turns, size_t stride)
{
    long long begin = driven_now();

    for (size_t i = 0; i < turns; i++)
        score_block(s, first + i * stride, batch);
    return driven_now() - begin;
}

/* The rows are made ready first, as a database has them. */
static long long run_some(const scorer *s, size_t first, size_t count)
{
    hbs_result result;
    hbs_error error;
    long long begin;

    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < s->t.n_columns; c++)
            s->values[i * s->t.n_columns + c] = rows_cell(&s->t.columns[c], first + i);
    begin = driven_now();
    for (size_t i = 0; i < count; i++)
        if (hbs_score_row(s->one, s->values + i * s->t.n_columns, s->t.n_columns, s->outputs, &result, &error) !=
            HBS_OK)
            driven_stop("a row", error.text);
    return driven_now() - begin;
}

static long long run_rows(const scorer *s, size_t first, size_t count)
{
    long long ns = 0;

    for (size_t done = 0, now; done < count; done += now) {
        now = count - done < s->ready ? count - done : s->ready;
        ns += run_some(s, first + done, now);
    }
    return ns;
}

/* Validity bits are in words of 64 rows. */
static size_t step_of(const scorer *s)
{
    return s->t.texts ? 64 : 1;
}

static long long run(void *context, size_t first, size_t batch, size_t turns)
{
    const scorer *s = context;
    const driven way = {.step = step_of(s)};

    return batch == 1 ? run_rows(s, first, turns) : run_blocks(s, first, batch, turns, driven_stride(&way, batch));
}

/* ------------------------------------------------------------------ results */

static double number_of(const scorer *s, const hbs_result *result, size_t r, size_t c)
{
    const double *numbers = result->value           ? result->value
                            : result->probabilities ? result->probabilities
                            : result->values        ? result->values
                            : result->raw           ? result->raw
                                                    : result->transform;

    if (!(result->valid[r / 64] >> r % 64 & 1))
        return NAN;
    return result->label ? (double)result->label[r] : numbers[r * s->width + c];
}

static void write(void *context, FILE *f, size_t first, size_t count)
{
    const scorer *s = context;
    hbs_result result = score_block(s, first, count);

    for (size_t r = 0; r < count; r++)
        for (size_t c = 0; c < s->width; c++)
            driven_double(f, number_of(s, &result, r, c));
}

/* The facts of the plan's tree ensemble, or of the first of several. */
static void facts(void *context)
{
    const scorer *s = context;
    const hbs_plan_line *line;
    hbs_description *description;
    hbs_plan_info info;
    hbs_error error;

    hbs_plan_get_info(s->plan, &info);
    if (hbs_plan_describe(s->model, &s->compiling, &description, &error) != HBS_OK)
        driven_stop("the plan", error.text);
    for (size_t i = 0; (line = hbs_description_line(description, i)) != NULL; i++)
        if (strcmp(line->stage, "plan") == 0 && strcmp(line->name, "tree_ensemble") == 0)
            break;
    printf("%lld %lld %zu %s %s\n", s->load_ns, s->compile_ns, info.bytes, line ? line->strategy : "-",
           line ? line->note : "");
    hbs_description_free(description);
}

/* The words from `argv[5]` on; false for one that there is not. */
static bool read_more(scorer *s, int argc, char **argv, const char **blas)
{
    for (int i = 5; i < argc; i++)
        if (strncmp(argv[i], "blas=", 5) == 0)
            *blas = argv[i] + 5;
        else if (strncmp(argv[i], "strategy=", 9) == 0)
            s->compiling.strategy = strategy_of(argv[i] + 9);
        else if (strncmp(argv[i], "passes_off=", 11) == 0)
            s->compiling.passes_off = passes_of(argv[i] + 11);
        else
            return false;
    return argc >= 5;
}

int main(int argc, char **argv)
{
    const char *blas = NULL;
    scorer s = {0};

    if (argc == 2 && strcmp(argv[1], "passes") == 0)
        return write_passes();
    if (!read_more(&s, argc, argv, &blas)) {
        fprintf(stderr, "usage: score MODEL OPTIONS ROWS OUTPUT [blas=FILE] [strategy=NAME] [passes_off=NAMES]\n");
        return 2;
    }
    s.t = rows_read(argv[3]);
    load(&s, argv[1], argv[2]);
    make_runs(&s, argv[4]);
    if (blas)
        blas_use(s.block, blas);
    return driven_serve(&(driven){.context = &s,
                                  .rows = s.t.count,
                                  .most = s.t.count < MOST_ROWS ? s.t.count : MOST_ROWS,
                                  .step = step_of(&s),
                                  .run = run,
                                  .write = write,
                                  .facts = facts});
}
