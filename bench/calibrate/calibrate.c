/* calibrate.c - measures the constants of the cost model (core/forest/forest_cost.c) and prints them as
 * core/forest/forest_constants.def has them:
 *
 *     calibrate [--quick]
 *
 * Forests of shapes that tell one term from another are drawn; each is evaluated by each strategy, on each instruction
 * set that this CPU has, some rows at once; and the constants are those with which the model comes nearest to the
 * times. What a forest of one leaf takes with the same features, which is what binding rows and handing out results
 * take, does not count. How near the model comes goes to stderr. --quick: tiny shapes, whose times mean nothing:
 * whether it works. */
#define _POSIX_C_SOURCE 200112L

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/driven.h"
#include "fit.h"
#include "forest/forest_cost.h"
#include "forest/forest_plan.h"
#include "kernel/kernels.h"
#include "plan/plan.h"
#include "shapes.h"

enum { ROWS = 8192, MOST_FEATURES = 256, MOST_MEASURES = 256, ROUNDS = 7, ROUNDS_OF_LONG = 3 };
static const double LONG = 1e7; /* nanoseconds of a call */

static const char *const names[] = {
#define HB_TERM(name, what) #name,
#include "forest/forest_terms.def"
#undef HB_TERM
};
static const double LEAST = 1e-4;       /* that a term can take */
static const double LEAST_SHARE = 0.25; /* of a forest in what is measured beside it */

enum { N_TERMS = sizeof(names) / sizeof(names[0]) };
_Static_assert(sizeof(hb_forest_terms) == N_TERMS * sizeof(double), "terms are doubles side by side");

static const shape shapes[] = {
    {PERFECT, 100, 3, 28, 250, 0},        {PERFECT, 100, 6, 28, 250, 0},         {PERFECT, 100, 6, 28, 15, 0},
    {PERFECT, 60, 8, 28, 100, 0},         {PERFECT, 300, 8, 28, 60, 0},          {PERFECT, 60, 10, 28, 200, 0},
    {PERFECT, 150, 10, 28, 200, 0},       {OBLIVIOUS, 500, 6, 28, 60, 0},        {OBLIVIOUS, 200, 8, 28, 60, 0},
    {IRREGULAR, 100, 31, 28, 100, 0},     {IRREGULAR, 500, 31, 28, 200, 0},      {IRREGULAR, 1000, 60, 28, 200, 0},
    {IRREGULAR, 200, 255, 28, 200, 0},    {IRREGULAR, 20, 31, 200, 30, 0},       {IRREGULAR, 100, 600, 28, 120, 0},
    {IRREGULAR, 300, 600, 28, 120, 0},    {IRREGULAR, 100, 31, 28, 100, 30},     {IRREGULAR, 100, 31, 28, 100, 400},
    {IRREGULAR, 40, 5000, 28, 100000, 0}, {IRREGULAR, 200, 8000, 28, 100000, 0},
};
static const shape tiny_shapes[] = {
    {PERFECT, 6, 3, 4, 250, 0},
    {OBLIVIOUS, 6, 6, 4, 60, 0},
    {IRREGULAR, 6, 31, 4, 100, 0},
    {IRREGULAR, 6, 31, 4, 100, 30},
};

typedef struct calibration {
    bool quick;
    const hb_kernels *set;
    bool wide;
    double counts[MOST_MEASURES][N_TERMS], times[MOST_MEASURES];
    size_t n;
} calibration;

/* A shape's forest and rows, for both types of numbers. */
typedef struct subject {
    const shape *shape;
    hb_memory memory;
    hb_pipeline pipeline;
    const hb_forest_model *forest;
    hb_pipeline leaf;                                       /* a forest of one leaf that takes the same rows */
    hbs_column columns[MOST_FEATURES], part[MOST_FEATURES]; /* all rows; those of a call */
} subject;

/* ------------------------------------------------------------------ the host */

static void *allocate(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes ? bytes : 1);
}

static void *resize(void *context, void *block, size_t bytes)
{
    (void)context;
    return realloc(block, bytes ? bytes : 1);
}

static void release(void *context, void *block)
{
    (void)context;
    free(block);
}

static const hbs_host host = {.allocate = allocate, .resize = resize, .release = release};

/* ------------------------------------------------------------------ forests and rows */

static void make_subject(const shape *s, bool wide, subject *made)
{
    const shape leaf = {IRREGULAR, 1, 1, s->features, 1, 0};
    uint64_t state = 1;

    made->shape = s;
    hb_memory_init(&made->memory, &host, 0);
    shape_make(s, wide, &made->memory, &made->pipeline);
    shape_make(&leaf, wide, &made->memory, &made->leaf);
    made->forest = made->pipeline.operators[made->pipeline.raw - 1].forest;
    for (uint32_t f = 0; f < s->features; f++) {
        float *column = driven_room(ROWS * sizeof(*column));

        for (size_t r = 0; r < ROWS; r++)
            column[r] = shape_cell(s, f, &state);
        made->columns[f] = (hbs_column){.type = HBS_FLOAT32, .values = column};
    }
}

static void free_subject(subject *s)
{
    hb_pipeline_release(&s->pipeline);
    hb_pipeline_release(&s->leaf);
    for (uint32_t f = 0; f < s->shape->features; f++)
        free((void *)s->columns[f].values);
}

/* ------------------------------------------------------------------ times */

static double score(hbs_run *run, subject *s, size_t batch, size_t first, size_t turns)
{
    long long begin = driven_now();

    for (size_t i = 0; i < turns; i++) {
        size_t at = (first + i * batch) % (ROWS - batch + 1);
        hbs_result result;
        hbs_error error;

        for (uint32_t f = 0; f < s->shape->features; f++)
            s->part[f] = (hbs_column){.type = HBS_FLOAT32, .values = (const float *)s->columns[f].values + at};
        if (hbs_score(run, s->part, s->shape->features, batch, HBS_OUT_RAW, &result, &error) != HBS_OK)
            driven_stop("rows", error.text);
    }
    return (double)(driven_now() - begin) / (double)(turns * batch);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Nanoseconds a row: the median of some rounds over rows that differ. */
static double time_plan(const calibration *c, const hbs_plan *plan, subject *s, size_t batch)
{
    size_t rounds, turns;
    double times[ROUNDS], first;
    hbs_run *run;
    hbs_error error;

    if (hbs_run_create(plan, &host, NULL, batch, &run, &error) != HBS_OK)
        driven_stop("a run", error.text);
    score(run, s, batch, 0, 1);
    first = score(run, s, batch, batch, 1);
    rounds = c->quick ? 1 : first * (double)batch > LONG ? ROUNDS_OF_LONG : ROUNDS;
    turns = c->quick ? 1 : (size_t)(2e6 / (first * (double)batch)) + 1;
    for (size_t i = 0; i < rounds; i++)
        times[i] = score(run, s, batch, i * turns * batch, turns);
    hbs_run_free(run);
    qsort(times, rounds, sizeof(times[0]), compare);
    return times[rounds / 2];
}

static hbs_plan *compile(const hb_pipeline *pipeline, hbs_strategy strategy)
{
    static const uint8_t key[32];
    const hbs_compile_options options = {.strategy = strategy};
    hbs_plan *plan;
    hbs_error error;

    if (hb_plan_compile(pipeline, &host, &options, key, &plan, &error) != HBS_OK)
        driven_stop("a plan", error.text);
    return plan;
}

/* ------------------------------------------------------------------ measuring */

static void take(calibration *c, const hbs_plan *plan, const hbs_plan *leaf, subject *s, size_t batch,
                 const hb_forest_terms *counts)
{
    double other = time_plan(c, leaf, s, batch), ns = time_plan(c, plan, s, batch) - other;

    if (c->n == MOST_MEASURES)
        driven_stop("too many measurements", NULL);
    if (ns < other * LEAST_SHARE) /* the difference of two times says little then */
        return;
    memcpy(c->counts[c->n], counts, sizeof(*counts));
    c->times[c->n++] = ns;
}

/* What a row of a block is, where so many rows share what is done once. */
static hb_forest_terms shared(const hb_forest_terms *row, const hb_forest_terms *block, double rows)
{
    hb_forest_terms sum;
    const double *a = (const double *)row, *b = (const double *)block;
    double *to = (double *)&sum;

    for (size_t i = 0; i < N_TERMS; i++)
        to[i] = a[i] + b[i] / rows;
    return sum;
}

static void take_bits(calibration *c, const hbs_plan *plan, const hbs_plan *leaf, subject *s, const hb_forest_counts *n)
{
    hb_forest_terms few = shared(&n->bits_row, &n->bits_few, 64);
    hb_forest_terms many = shared(&n->bits_row, &n->bits_block, HB_BITS_ROWS);

    take(c, plan, leaf, s, 1, &n->single);
    take(c, plan, leaf, s, 64, &few);
    take(c, plan, leaf, s, 512, &many);
    take(c, plan, leaf, s, 4096, &many);
}

static bool is_measured(const subject *s, hbs_strategy strategy)
{
    return strategy != HBS_STRATEGY_GEMM || s->forest->nodes.count < 1 << 14; /* products take long */
}

static void measure_strategy(calibration *c, subject *s, hbs_strategy strategy, const hbs_plan *leaf)
{
    hb_memory memory;
    hb_arena arena;
    hb_forest_choice choice;
    hb_forest_terms counts;
    size_t most = c->quick ? 64 : 4096;
    hbs_error error;

    hb_memory_init(&memory, &host, 0);
    hb_arena_init(&arena, &memory);
    if (hb_forest_choose(s->forest, strategy, hb_kernels_here(), &arena, &choice, &error) != HBS_OK)
        driven_stop("a strategy", error.text);
    if (!choice.why) {
        hb_forest_counts n = hb_forest_count(s->forest, choice.bits);
        hbs_plan *plan = compile(&s->pipeline, strategy);

        counts = strategy == HBS_STRATEGY_GEMM  ? hb_forest_gemm_count(&choice.gemm)
                 : strategy == HBS_STRATEGY_PTT ? hb_forest_ptt_count(s->forest)
                                                : n.walk;
        if (strategy == HBS_STRATEGY_TT)
            take(c, plan, leaf, s, 1, &n.walk_one);
        if (strategy == HBS_STRATEGY_BITS)
            take_bits(c, plan, leaf, s, &n);
        for (size_t batch = 64; strategy != HBS_STRATEGY_BITS && batch <= most; batch *= 8)
            take(c, plan, leaf, s, batch, &counts);
        hbs_plan_free(plan);
    }
    hb_arena_release(&arena);
}

static void measure_shape(calibration *c, const shape *s)
{
    static subject made;
    hbs_plan *leaf;

    make_subject(s, c->wide, &made);
    leaf = compile(&made.leaf, HBS_STRATEGY_TT);
    for (hbs_strategy strategy = HBS_STRATEGY_TT; strategy < HBS_N_STRATEGIES; strategy++)
        if (is_measured(&made, strategy))
            measure_strategy(c, &made, strategy, leaf);
    hbs_plan_free(leaf);
    free_subject(&made);
}

/* ------------------------------------------------------------------ what comes out */

static bool is_counted(const calibration *c, size_t term)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->counts[i][term] > 0)
            return true;
    return false;
}

/* Terms that are never done here are left out. */
static void print_constants(const calibration *c, const double *x)
{
    enum { LINE = 118 };
    size_t column = LINE;

    printf("{\"%s\", \"%s\", %s, {", c->set->name, hb_cpu_maker(), c->wide ? "true" : "false");
    for (size_t j = 0; j < N_TERMS; j++) {
        char text[64];

        if (!is_counted(c, j))
            continue;
        snprintf(text, sizeof(text), ".%s = %.3g, ", names[j], x[j] > LEAST ? x[j] : LEAST);
        if (column + strlen(text) > LINE)
            column = (size_t)printf("\n    ") - 1;
        column += (size_t)printf("%s", text);
    }
    printf("\n}},\n");
}

static void print_errors(const calibration *c, const double *x)
{
    double errors[MOST_MEASURES];

    for (size_t i = 0; i < c->n; i++) {
        double model = 0;

        for (size_t j = 0; j < N_TERMS; j++)
            model += c->counts[i][j] * x[j];
        errors[i] = fabs(model / c->times[i] - 1);
    }
    qsort(errors, c->n, sizeof(errors[0]), compare);
    fprintf(stderr, "%-10s %s: %zu measurements; the model is off by %.0f %% (median), %.0f %% (9 of 10)\n",
            c->set->name, c->wide ? "float64" : "float32", c->n, 100 * errors[c->n / 2], 100 * errors[c->n * 9 / 10]);
}

static void calibrate(calibration *c)
{
    const shape *all = c->quick ? tiny_shapes : shapes;
    size_t n = c->quick ? sizeof(tiny_shapes) / sizeof(shape) : sizeof(shapes) / sizeof(shape);
    double x[N_TERMS];

    c->n = 0;
    for (size_t i = 0; i < n; i++)
        measure_shape(c, &all[i]);
    fit(&c->counts[0][0], c->times, c->n, N_TERMS, x);
    print_constants(c, x);
    print_errors(c, x);
}

int main(int argc, char **argv)
{
    static calibration c;

    c.quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    for (size_t i = 0; (c.set = hb_kernels_at(i)) != NULL; i++) {
        setenv("HBSCORE_INSTRUCTION_SET", c.set->name, 1);
        c.wide = false;
        calibrate(&c);
        c.wide = true;
        calibrate(&c);
    }
    return 0;
}
