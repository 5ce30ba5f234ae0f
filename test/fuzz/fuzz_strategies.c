/* fuzz_strategies.c - a forest by every strategy (libFuzzer). The bytes say how a valid forest is built, and then
 * its rows; where they end, numbers drawn from a hash of them go on, so that a few bytes are a whole input.
 *
 * Each strategy on each instruction set that this CPU has must give the bits of a plain walk over the forest as
 * the formats would hand it in: for all rows in one call, in slices, and for a row by itself; and its plan may not
 * depend on what the memory held before. */
#define FUZZ_NAME "fuzz_strategies"
#include "fuzz_host.h"

#include "choices.h"
#include "plain_forest.h"
#include "random_forest.h"

#include "kernel/kernels.h"
#include "plan/plan.h"

enum { FOREST_NODES = 2048, MOST_OUTPUTS = 5, MOST_FEATURES = 12 };

/* ------------------------------------------------------------------ a forest */

static void make_forest(growing *g)
{
    static const uint32_t depths[] = {1, 2, 3, 4, 6, 8, 9, 5};
    hb_forest_model *forest = g->forest;
    uint32_t n_trees;

    forest->sets_are_bits = forest->wide && below(g->c, 2);
    forest->n_outputs = below(g->c, 3) ? 1 : 1 + below(g->c, MOST_OUTPUTS);
    if (below(g->c, 3) == 0)
        forest->leaf_width = forest->n_outputs;
    if (forest->wide)
        forest->leaf_vectors.item_size = sizeof(double);
    g->shape = below(g->c, N_SHAPES + 1);
    g->depth = depths[below(g->c, 8)];
    g->set_share = below(g->c, 3) ? 0 : 1 + below(g->c, 4);
    g->wild = below(g->c, 4) == 0;
    g->linear = forest->wide && forest->leaf_width == 1 && below(g->c, 6) == 0;
    g->weights = !forest->wide && below(g->c, 4) == 0;
    n_trees = 1 + below(g->c, 24);
    for (uint32_t t = 0; t < n_trees && forest->nodes.count < FOREST_NODES; t++)
        add_tree(g);
}

/* ------------------------------------------------------------------ rows */

typedef struct table {
    size_t rows, features;
    double cells[MOST_FEATURES][1025];
    void *numbers[MOST_FEATURES]; /* no larger than they must be: a sanitizer sees a read behind them */
    uint64_t *valid[MOST_FEATURES];
    hbs_column columns[MOST_FEATURES];
} table;

static double some_cell(growing *g)
{
    double number;

    switch (below(g->c, 8)) {
    case 0:
        return NAN;
    case 1: /* categories, also cut, negative, out of range */
        number = (double)below(g->c, 1000) - 2;
        return below(g->c, 4) ? number : number + 0.5;
    case 2:
        return some_number(g->c);
    default:
        number = g->pooled ? g->pool[below(g->c, g->pooled)] : 0.25;
        return below(g->c, 2) ? neighbour(g->c, number) : number;
    }
}

/* A column of float32 or float64; some have missing values by their bits. */
static void make_column(growing *g, table *t, size_t f, bool is32)
{
    size_t words = t->rows / 64 + 1;
    bool has_valid = below(g->c, 3) == 0;
    float *narrow = must(malloc(t->rows * sizeof(*narrow)));
    double *wide = must(malloc(t->rows * sizeof(*wide)));

    t->valid[f] = must(calloc(words, sizeof(*t->valid[f])));
    for (size_t r = 0; r < t->rows; r++) {
        double cell = some_cell(g);

        t->cells[f][r] = is32 ? (double)(float)cell : cell;
        wide[r] = has_valid && isnan(cell) ? 0.5 : cell;
        narrow[r] = (float)wide[r];
        t->valid[f][r / 64] |= (uint64_t)!isnan(cell) << r % 64;
    }
    t->numbers[f] = is32 ? (void *)narrow : (void *)wide;
    free(is32 ? (void *)wide : (void *)narrow);
    t->columns[f] = (hbs_column){
        .type = is32 ? HBS_FLOAT32 : HBS_FLOAT64, .values = t->numbers[f], .valid = has_valid ? t->valid[f] : NULL};
}

static void make_rows(growing *g, table *t)
{
    static const size_t counts[] = {1,  2,  5,  8,  11, 12,  15,  16,  17,  31,  32,  33,  63,  64,  65,  66,
                                    70, 80, 90, 96, 99, 127, 128, 129, 200, 256, 257, 300, 511, 512, 513, 1025};
    uint32_t types = below(g->c, 3);

    t->rows = counts[below(g->c, sizeof(counts) / sizeof(counts[0]))];
    t->features = g->forest->n_features;
    for (size_t f = 0; f < t->features; f++)
        make_column(g, t, f, types == 2 ? below(g->c, 2) : types);
}

static void free_rows(table *t)
{
    for (size_t f = 0; f < t->features; f++) {
        free(t->numbers[f]);
        free(t->valid[f]);
    }
}

/* ------------------------------------------------------------------ scoring */

static double *walk_all(const hb_pipeline *pipeline, const hb_fit_forest *fit, const table *t)
{
    const hb_forest_model *forest = fit->forest;
    size_t width = forest->n_outputs;
    double *sums = must(malloc(t->rows * width * sizeof(*sums)));
    double row[MOST_FEATURES];

    for (size_t r = 0; r < t->rows; r++) {
        for (size_t f = 0; f < t->features; f++)
            row[f] = !forest->wide || pipeline->rounded ? (double)(float)t->cells[f][r] : t->cells[f][r];
        for (size_t o = 0; o < width; o++)
            sums[r * width + o] = forest->wide ? fit->base[o] : (double)fit->base_score[o];
        for (size_t k = 0; k < forest->starts.count; k++)
            walk(forest, k, row, sums + r * width);
    }
    return sums;
}

typedef struct way {
    const hbs_plan *plan;
    const table *rows;
    const double *expected;
    size_t width;
    const char *strategy, *isa;
} way;

static void check_result(const way *w, const hbs_result *result, size_t first, size_t rows, const char *how)
{
    if (result->rows != rows)
        give_up("a wrong count of rows", NULL);
    for (size_t i = 0; i < rows * w->width; i++) {
        double want = w->expected[first * w->width + i], found = result->raw[i];

        if (memcmp(&want, &found, sizeof(want)) == 0 || (isnan(want) && isnan(found)))
            continue;
        fprintf(stderr, "%s, %s, %s: output %zu of row %zu of %zu is %a, not %a\n", w->strategy, w->isa, how,
                i % w->width, first + i / w->width, w->rows->rows, found, want);
        give_up("other bits than those of a plain walk", NULL);
    }
}

static void score_slices(const way *w, size_t most)
{
    size_t n = w->rows->rows;
    hbs_run *run;
    hbs_error error = {0};
    hbs_result result;

    if (hbs_run_create(w->plan, &HOST, "m", most, &run, &error) != HBS_OK)
        give_up("no run", &error);
    for (size_t first = 0; first < n; first += most) {
        size_t rows = n - first < most ? n - first : most;
        hbs_column columns[MOST_FEATURES];
        uint64_t valid[MOST_FEATURES][1025 / 64 + 1] = {{0}};

        for (size_t f = 0; f < w->rows->features; f++) {
            columns[f] = w->rows->columns[f];
            columns[f].values = (const char *)columns[f].values + first * (columns[f].type == HBS_FLOAT32 ? 4 : 8);
            for (size_t r = first; r < first + rows; r++)
                valid[f][(r - first) / 64] |= (w->rows->valid[f][r / 64] >> r % 64 & 1) << (r - first) % 64;
            columns[f].valid = columns[f].valid ? valid[f] : NULL;
        }
        if (hbs_score(run, columns, w->rows->features, rows, HBS_OUT_RAW, &result, &error) != HBS_OK)
            give_up("rows do not score", &error);
        check_result(w, &result, first, rows, most == n ? "all rows" : "in slices");
    }
    hbs_run_free(run);
}

static void score_one(const way *w, size_t r)
{
    hbs_value row[MOST_FEATURES];
    hbs_run *run;
    hbs_error error = {0};
    hbs_result result;

    for (size_t f = 0; f < w->rows->features; f++)
        row[f] = (hbs_value){.type = HBS_FLOAT64, .as.f64 = w->rows->cells[f][r]};
    if (hbs_run_create(w->plan, &HOST, "m", 1, &run, &error) != HBS_OK ||
        hbs_score_row(run, row, w->rows->features, HBS_OUT_RAW, &result, &error) != HBS_OK)
        give_up("a row does not score", &error);
    check_result(w, &result, r, 1, "by itself");
    hbs_run_free(run);
}

static void use_set(const hb_kernels *set)
{
    setenv("HBSCORE_INSTRUCTION_SET", set->name, 1);
}

static void *allocate_filled(void *context, size_t bytes)
{
    void *block = allocate(context, bytes);

    return block ? memset(block, 0x5a, bytes) : NULL;
}

/* Where memory is not zero before, the plan has the same bytes. */
static void compile_again(const hb_pipeline *pipeline, const hbs_compile_options *options, const uint8_t key[32],
                          const hbs_plan *plan)
{
    const hbs_host filled = {.allocate = allocate_filled, .resize = resize, .release = release};
    hbs_plan *other = NULL;
    hbs_error error = {0};

    if (hb_plan_compile(pipeline, &filled, options, key, &other, &error) != HBS_OK)
        give_up("does not compile again", &error);
    if (other->header->bytes != plan->header->bytes || memcmp(other->header, plan->header, plan->header->bytes) != 0)
        give_up("a plan has bytes that were never written", NULL);
    hbs_plan_free(other);
}

/* One strategy compiled for instruction set `i`. */
static void try_plan(const hb_pipeline *pipeline, hbs_strategy strategy, size_t i, size_t slice, way *w)
{
    static const uint8_t key[32];
    hbs_compile_options options = {.strategy = strategy};
    char name[16];
    hbs_plan *plan = NULL;
    hbs_error error = {0};

    snprintf(name, sizeof(name), "strategy %d", (int)strategy);
    w->strategy = name;
    w->isa = hb_kernels_at(i)->name;
    use_set(hb_kernels_at(i));
    if (hb_plan_compile(pipeline, &HOST, &options, key, &plan, &error) != HBS_OK)
        give_up("does not compile", &error);
    compile_again(pipeline, &options, key, plan);
    w->plan = plan;
    score_slices(w, w->rows->rows);
    score_slices(w, slice);
    score_one(w, slice % w->rows->rows);
    hbs_plan_free(plan);
}

/* ------------------------------------------------------------------ one input */

/* Features, and a forest that has no tree yet; gives the pipeline's parameters of it. */
static hb_fit_forest *begin(growing *g, hb_pipeline *pipeline, hb_memory *memory)
{
    const hbs_limits limits = {.max_nodes = 1 << 20, .max_depth = 1024, .max_model_bytes = 1 << 20};
    hb_fit_forest fit = {.forest = NULL};
    size_t rows;

    hb_memory_init(memory, &HOST, 0);
    hb_pipeline_init(pipeline, memory, &limits);
    pipeline->format = "fuzz";
    pipeline->wide = below(g->c, 2);
    pipeline->rounded = pipeline->wide && below(g->c, 4) == 0;
    pipeline->n_features = 1 + below(g->c, MOST_FEATURES);
    rows = hb_pipeline_add(pipeline, HB_OPERATOR_ORDINAL, 0, NULL);
    fit.forest = g->forest = must(hb_arena_array(&pipeline->arena, 1, sizeof(*fit.forest)));
    hb_forest_model_init(fit.forest, memory);
    fit.forest->wide = pipeline->wide;
    fit.forest->n_features = pipeline->n_features;
    pipeline->raw = hb_pipeline_add(pipeline, HB_OPERATOR_FOREST, rows, &fit);
    return must(hb_node_at(&pipeline->graph, pipeline->raw)->fit);
}

/* What sums start from. */
static void make_base(growing *g, hb_pipeline *pipeline, hb_fit_forest *fit)
{
    size_t n = fit->forest->n_outputs;
    double *base = must(hb_arena_array(&pipeline->arena, n, sizeof(*base)));
    float *narrow = must(hb_arena_array(&pipeline->arena, n, sizeof(*narrow)));

    for (size_t o = 0; o < n; o++)
        narrow[o] = (float)(base[o] = leaf_number(g));
    if (fit->forest->wide)
        fit->base = base;
    else
        fit->base_score = narrow;
}

static void try_forest(growing *g)
{
    static const size_t slices[] = {1, 3, 63, 64, 65, 130, 511, 512};
    static table rows;
    hb_memory memory;
    hb_pipeline pipeline;
    hb_fit_forest *fit = begin(g, &pipeline, &memory);
    size_t slice = slices[below(g->c, 8)];
    double *expected;
    hbs_error error = {0};
    way w;

    make_forest(g);
    make_base(g, &pipeline, fit);
    memset(&rows, 0, sizeof(rows));
    make_rows(g, &rows);
    expected = walk_all(&pipeline, fit, &rows);
    if (hb_pipeline_seal(&pipeline, &error) != HBS_OK)
        give_up("the forest is refused", &error);
    w = (way){.rows = &rows, .expected = expected, .width = fit->forest->n_outputs};
    for (int strategy = 0; strategy < HBS_N_STRATEGIES; strategy++)
        for (size_t i = 0; hb_kernels_at(i); i++)
            try_plan(&pipeline, (hbs_strategy)strategy, i, slice, &w);
    free(expected);
    free_rows(&rows);
    hb_pipeline_release(&pipeline);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    choices c;
    growing *g = must(calloc(1, sizeof(*g)));

    choices_begin(&c, data, size);
    g->c = &c;
    try_forest(g);
    free(g);
    if (blocks != 0)
        give_up("a leak", NULL);
    return 0;
}
