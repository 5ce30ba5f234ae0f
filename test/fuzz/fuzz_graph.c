/* fuzz_graph.c - a pipeline with and without passes (libFuzzer). The bytes say which operators it has, with which
 * parameters, and then its rows; where they end, numbers drawn from a hash of them go on.
 *
 * With all passes, without any, and without each of them, it must give the bits of its lowered nodes evaluated one
 * after the other, and refuse the same rows: in blocks of several sizes, and row by row, by the kernels of one isa or
 * another. */
#define FUZZ_NAME "fuzz_graph"
#include "fuzz_host.h"

#include "choices.h"
#include "plain_forest.h"
#include "random_forest.h"
#include "random_graph.h"
#include "node_by_node.h"

#include "plan/plan.h"

enum { MOST_ROWS = 200, MOST_ASKED = 3 };

/* ------------------------------------------------------------------ rows */

typedef enum column_type { COLUMN_FLOAT64, COLUMN_FLOAT32, COLUMN_INT64, COLUMN_TEXT, COLUMN_MIXED } column_type;

/* The cells of the features, and the same as columns. */
typedef struct table {
    size_t rows, features;
    column_type types[MOST_FEATURES];
    hbs_value *cells[MOST_FEATURES];
    bool wild[MOST_ROWS]; /* rows of which each cell may be anything */
} table;

static const size_t SIZE_OF[] = {sizeof(double), sizeof(float), sizeof(int64_t), sizeof(hbs_text), sizeof(hbs_value)};
static const hbs_type TYPE_OF[] = {HBS_FLOAT64, HBS_FLOAT32, HBS_INT64, HBS_TEXT, HBS_MIXED};

static double draw_number(drawing *d, bool wild)
{
    double number;

    if (wild)
        return below(d->c, 3) ? some_number(d->c) : (double)NAN;
    if (below(d->c, 40) == 0)
        return below(d->c, 2) ? (double)NAN : some_number(d->c);
    number = d->trees->pooled && below(d->c, 3) == 0 ? d->trees->pool[below(d->c, d->trees->pooled)] : quarters(d->c);
    return fabs(number) < 1e6 ? number : 0.75;
}

static hbs_value draw_word(drawing *d, uint32_t most)
{
    return (hbs_value){.type = HBS_TEXT, .as.text = WORDS[below(d->c, most)]};
}

/* One that is none of the dictionary's, or a NULL, more often in a wild row. */
static hbs_value draw_category(drawing *d, size_t f, bool wild)
{
    const hb_categories *known = hb_pipeline_categories(d->pipeline, f);
    uint32_t n = known ? (uint32_t)known->count + (wild || below(d->c, 10) == 0) : MOST_CATEGORIES, i = below(d->c, n);

    if (below(d->c, wild ? 4 : 40) == 0)
        return (hbs_value){.type = HBS_NULL};
    if (!known)
        return below(d->c, 4) ? draw_word(d, MOST_CATEGORIES)
                              : (hbs_value){.type = HBS_INT64, .as.i64 = (int64_t)below(d->c, 9) - 2};
    if (known->type == HBS_TEXT)
        return (hbs_value){.type = HBS_TEXT, .as.text = WORDS[i]};
    if (known->type == HBS_INT64)
        return (hbs_value){.type = HBS_INT64, .as.i64 = i < known->count ? known->numbers[i] : 99};
    return (hbs_value){.type = HBS_FLOAT64, .as.f64 = i < known->count ? known->reals[i] : 99};
}

static hbs_value draw_cell(drawing *d, size_t f, column_type type, bool wild)
{
    bool looked_up = hb_pipeline_categories(d->pipeline, f) || (d->pipeline->hashed && d->pipeline->hashed[f]);
    double number;

    if (looked_up)
        return draw_category(d, f, wild);
    number = draw_number(d, wild);
    if (below(d->c, 60) == 0)
        return (hbs_value){.type = HBS_NULL};
    if (type == COLUMN_FLOAT32)
        return (hbs_value){.type = HBS_FLOAT32, .as.f32 = (float)number};
    if (type == COLUMN_INT64)
        return (hbs_value){.type = HBS_INT64, .as.i64 = (int64_t)below(d->c, 41) - 20};
    return (hbs_value){.type = HBS_FLOAT64, .as.f64 = number};
}

/* Categories and numbers of several types come as mixed columns. */
static void draw_rows(drawing *d, table *t)
{
    column_type all = (column_type)below(d->c, 4);

    t->rows = (const size_t[]){MOST_ROWS, 70, 65, 64, 7, 1}[below(d->c, 6)];
    t->features = d->pipeline->n_features;
    for (size_t r = 0; r < t->rows; r++)
        t->wild[r] = below(d->c, 6) == 0;
    for (size_t f = 0; f < t->features; f++) {
        bool looked_up = hb_pipeline_categories(d->pipeline, f) || (d->pipeline->hashed && d->pipeline->hashed[f]);

        t->types[f] = looked_up ? COLUMN_MIXED : all == COLUMN_TEXT ? (column_type)below(d->c, 3) : all;
        t->cells[f] = must(calloc(t->rows, sizeof(hbs_value)));
        for (size_t r = 0; r < t->rows; r++)
            t->cells[f][r] = draw_cell(d, f, t->types[f], t->wild[r]);
    }
}

static void free_rows(table *t)
{
    for (size_t f = 0; f < t->features; f++)
        free(t->cells[f]);
}

/* Rows [first, first + rows) as columns, each in a block of its size. */
typedef struct block {
    size_t features;
    hbs_column columns[MOST_FEATURES];
    void *numbers[MOST_FEATURES];
    uint64_t valid[MOST_FEATURES][MOST_ROWS / 64 + 1];
} block;

static void put_cell(void *numbers, size_t r, column_type type, const hbs_value *cell)
{
    if (type == COLUMN_MIXED)
        ((hbs_value *)numbers)[r] = *cell;
    else if (type == COLUMN_FLOAT32)
        ((float *)numbers)[r] = cell->as.f32;
    else if (type == COLUMN_INT64)
        ((int64_t *)numbers)[r] = cell->as.i64;
    else
        ((double *)numbers)[r] = cell->as.f64;
}

static void make_block(const table *t, size_t first, size_t rows, block *b)
{
    memset(b, 0, sizeof(*b));
    b->features = t->features;
    for (size_t f = 0; f < t->features; f++) {
        bool has_null = false;

        b->numbers[f] = must(calloc(rows, SIZE_OF[t->types[f]]));
        for (size_t r = 0; r < rows; r++) {
            const hbs_value *cell = &t->cells[f][first + r];

            has_null |= cell->type == HBS_NULL;
            b->valid[f][r / 64] |= (uint64_t)(cell->type != HBS_NULL) << r % 64;
            put_cell(b->numbers[f], r, t->types[f], cell);
        }
        b->columns[f] = (hbs_column){TYPE_OF[t->types[f]], b->numbers[f], has_null ? b->valid[f] : NULL};
    }
}

static void free_block(block *b)
{
    for (size_t f = 0; f < b->features; f++)
        free(b->numbers[f]);
}

/* ------------------------------------------------------------------ what is expected */

/* Of all rows, for outputs that are asked together. */
typedef struct answers {
    uint32_t asked;
    fate fates[MOST_ROWS];
    size_t widths[HB_N_OUTPUTS];
    double *numbers[HB_N_OUTPUTS]; /* [rows][width] */
} answers;

static void find_answers(by_node *b, const table *t, answers *a)
{
    const hbs_value *cells[MOST_FEATURES];

    for (size_t f = 0; f < t->features; f++)
        cells[f] = t->cells[f];
    for (size_t o = 0; o < HB_N_OUTPUTS; o++)
        if (a->asked >> o & 1) {
            a->widths[o] = hb_node_at(&b->graph, b->graph.outputs[o])->value.width;
            a->numbers[o] = must(calloc(t->rows * a->widths[o], sizeof(double)));
        }
    for (size_t first = 0; first < t->rows; first += TILE) {
        size_t rows = t->rows - first < TILE ? t->rows - first : TILE;

        by_node_evaluate(b, cells, first, rows, a->asked, a->fates + first);
        for (size_t o = 0; o < HB_N_OUTPUTS; o++)
            for (size_t i = 0; i < rows * a->widths[o]; i++)
                a->numbers[o][first * a->widths[o] + i] =
                    number_of(b, b->graph.outputs[o], i % a->widths[o], i / a->widths[o]);
    }
}

static void free_answers(answers *a)
{
    for (size_t o = 0; o < HB_N_OUTPUTS; o++)
        free(a->numbers[o]);
}

/* All predictions, one of them, the transform. */
static size_t choose_asked(choices *c, const hb_graph *graph, answers asked[MOST_ASKED])
{
    uint32_t there = 0, one;
    size_t n = 0;

    for (size_t o = 0; o < HB_N_OUTPUTS; o++)
        there |= (uint32_t)(graph->outputs[o] != HB_NO_NODE) << o;
    one = 1u << below(c, HB_N_OUTPUTS);
    memset(asked, 0, MOST_ASKED * sizeof(*asked));
    if (there & HBS_OUT_TRANSFORM)
        asked[n++].asked = HBS_OUT_TRANSFORM;
    there &= ~(uint32_t)HBS_OUT_TRANSFORM;
    if (there)
        asked[n++].asked = there;
    if (one & there && one != there)
        asked[n++].asked = one;
    return n;
}

/* ------------------------------------------------------------------ what is found */

typedef struct way {
    const hb_pipeline *pipeline;
    const hb_graph *lowered;
    const table *rows;
    const answers *wanted;
    const char *left_out; /* the pass; "no": all run, "each": none */
    uint32_t passes_off;
    const hbs_plan *plan;
    const char *how; /* rows are asked for */
} way;

static void print_graph(const char *name, const hb_graph *graph)
{
    fprintf(stderr, "%s:\n", name);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const hb_node *node = hb_node_at(graph, i);

        fprintf(stderr, "  %zu %s", i, hb_operator_name(node->kind));
        for (size_t k = 0; k < node->n_inputs; k++)
            fprintf(stderr, " %u", (unsigned)node->inputs[k]);
        fprintf(stderr, ": %zu x %s\n", node->value.width,
                node->value.dtype == HB_DTYPE_FLOAT64 ? "float64" : "float32");
    }
    for (size_t o = 0; o < HB_N_OUTPUTS; o++)
        if (graph->outputs[o] != HB_NO_NODE)
            fprintf(stderr, "  output %zu: %zu\n", o, graph->outputs[o]);
}

static void print_optimized(const way *w)
{
    hbs_error error = {0};
    hb_memory memory;
    hb_arena arena;
    hb_graph graph;

    hb_memory_init(&memory, &HOST, 0);
    hb_arena_init(&arena, &memory);
    if (hb_graph_lower(&graph, w->pipeline, &arena, &error) == HBS_OK &&
        hb_graph_optimize(&graph, w->passes_off, &error) == HBS_OK)
        print_graph("optimized", &graph);
    hb_graph_release(&graph);
    hb_arena_release(&arena);
}

static void give_up_way(const way *w, size_t row, const char *what, const hbs_error *error)
{
    fprintf(stderr, "%s pass left out, outputs %#x, %s, row %zu of %zu, %s\n", w->left_out, (unsigned)w->wanted->asked,
            w->how, row, w->rows->rows, getenv("HBSCORE_INSTRUCTION_SET"));
    print_graph("lowered", w->lowered);
    print_optimized(w);
    give_up(what, error);
}

static double found_number(const hbs_result *result, size_t o, size_t at)
{
    const double *const numbers[HB_N_OUTPUTS] = {result->value,  NULL,        result->probabilities,
                                                 result->values, result->raw, result->transform};

    return 1u << o == HBS_OUT_LABEL ? (double)result->label[at] : numbers[o][at];
}

/* Row `at` of a result is the table's row `row`. */
static void check_row(const way *w, const hbs_result *result, size_t at, size_t row)
{
    const answers *a = w->wanted;
    bool valid = result->valid[at / 64] >> at % 64 & 1;

    if (a->fates[row] == AN_ERROR || valid != (a->fates[row] == SCORED))
        give_up_way(w, row, valid ? "a row is scored" : "a row has no result", NULL);
    for (size_t o = 0; valid && o < HB_N_OUTPUTS; o++)
        for (size_t i = 0; i < a->widths[o]; i++) {
            double want = a->numbers[o][row * a->widths[o] + i], found = found_number(result, o, at * a->widths[o] + i);

            if (memcmp(&want, &found, sizeof(want)) == 0 || (isnan(want) && isnan(found)))
                continue;
            fprintf(stderr, "number %zu of output %zu is %a, not %a\n", i, o, found, want);
            give_up_way(w, row, "other bits than node by node", NULL);
        }
}

/* Rows from `first` on; gives the first that is not done: behind them, or behind a row that is an error. */
static size_t score_block(const way *w, hbs_run *run, size_t first, size_t rows)
{
    hbs_error error = {0};
    hbs_result result;
    hbs_status status;
    block b;

    make_block(w->rows, first, rows, &b);
    status = hbs_score(run, b.columns, b.features, rows, w->wanted->asked, &result, &error);
    free_block(&b);
    if (status != HBS_OK && status != HBS_E_ARGS)
        give_up_way(w, first, "a block does not score", &error);
    if (status == HBS_OK ? result.rows != rows : result.rows >= rows)
        give_up_way(w, first, "a wrong count of rows", &error);
    for (size_t r = 0; r < result.rows; r++)
        check_row(w, &result, r, first + r);
    if (status != HBS_OK && w->wanted->fates[first + result.rows] != AN_ERROR)
        give_up_way(w, first + result.rows, "a row is an error", &error);
    return first + result.rows + (status != HBS_OK);
}

static hbs_run *make_run(const way *w, size_t most)
{
    hbs_error error = {0};
    hbs_run *run;

    if (hbs_run_create(w->plan, &HOST, "m", most, &run, &error) != HBS_OK)
        give_up_way(w, 0, "no run", &error);
    return run;
}

/* Not behind many rows that are errors: each begins a block anew. */
static void score_slices(way *w, size_t most, size_t end)
{
    enum { MOST_ERRORS = 8 };
    hbs_run *run = make_run(w, most);
    size_t errors = 0;
    char how[32];

    snprintf(how, sizeof(how), "in blocks of %zu", most);
    w->how = how;
    for (size_t first = 0; first < end && errors < MOST_ERRORS;) {
        size_t rows = end - first < most ? end - first : most, next = score_block(w, run, first, rows);

        errors += w->wanted->fates[next - 1] == AN_ERROR;
        first = next;
    }
    hbs_run_free(run);
}

static void score_rows(way *w, size_t end)
{
    hbs_run *run = make_run(w, 1);

    w->how = "row by row";
    for (size_t r = 0; r < end; r++) {
        hbs_value row[MOST_FEATURES];
        hbs_error error = {0};
        hbs_result result;
        hbs_status status;

        for (size_t f = 0; f < w->rows->features; f++)
            row[f] = w->rows->cells[f][r];
        status = hbs_score_row(run, row, w->rows->features, w->wanted->asked, &result, &error);
        if (status == HBS_OK)
            check_row(w, &result, 0, r);
        else if (status != HBS_E_ARGS || w->wanted->fates[r] != AN_ERROR)
            give_up_way(w, r, "a row does not score", &error);
    }
    hbs_run_free(run);
}

/* ------------------------------------------------------------------ one input */

/* One of those that this CPU has. */
static void choose_isa(choices *c)
{
    uint32_t n = 0;

    while (hb_kernels_at(n))
        n++;
    setenv("HBSCORE_INSTRUCTION_SET", hb_kernels_at(below(c, n))->name, 1);
}

static void try_plan(way *w, choices *c, uint32_t passes_off, const answers *wanted, size_t n_wanted)
{
    static const size_t sizes[] = {1, 7, 64, 65, MOST_ROWS};
    static const uint8_t key[32];
    hbs_compile_options options = {passes_off,
                                   below(c, 2) ? HBS_STRATEGY_AUTO : (hbs_strategy)below(c, HBS_N_STRATEGIES)};
    size_t n = w->rows->rows, some = n < 20 ? n : 20;
    hbs_error error = {0};
    hbs_plan *plan;

    choose_isa(c);
    if (hb_plan_compile(w->pipeline, &HOST, &options, key, &plan, &error) != HBS_OK)
        give_up("does not compile", &error);
    w->plan = plan;
    w->passes_off = passes_off;
    for (size_t a = 0; a < n_wanted; a++) {
        size_t size = sizes[below(c, 5)];

        w->wanted = &wanted[a];
        score_slices(w, MOST_ROWS, n);
        score_slices(w, size, size < 64 ? some : n);
        score_rows(w, some);
    }
    hbs_plan_free(plan);
}

static void try_passes(drawing *d, by_node *b, const table *rows)
{
    answers wanted[MOST_ASKED];
    size_t n_wanted = choose_asked(d->c, &b->graph, wanted);
    way w = {.pipeline = d->pipeline, .lowered = &b->graph, .rows = rows};
    const char *name;
    uint32_t bit;

    for (size_t a = 0; a < n_wanted; a++)
        find_answers(b, rows, &wanted[a]);
    w.left_out = "no";
    try_plan(&w, d->c, 0, wanted, n_wanted);
    w.left_out = "each";
    try_plan(&w, d->c, UINT32_MAX, wanted, n_wanted);
    for (size_t i = 0; (name = hbs_pass_name(i, &bit)) != NULL; i++) {
        w.left_out = name;
        try_plan(&w, d->c, bit, wanted, n_wanted);
    }
    for (size_t a = 0; a < n_wanted; a++)
        free_answers(&wanted[a]);
}

/* What sealing refuses ends here. */
static void try_graph(drawing *d)
{
    static table rows;
    hbs_error error = {0};
    by_node b;

    draw_graph(d);
    if (hb_pipeline_seal(d->pipeline, &error) != HBS_OK)
        return;
    memset(&rows, 0, sizeof(rows));
    draw_rows(d, &rows);
    by_node_begin(&b, d->pipeline);
    try_passes(d, &b, &rows);
    by_node_end(&b);
    free_rows(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const hbs_limits limits = {.max_nodes = 1 << 20, .max_depth = 1024, .max_model_bytes = 1 << 20};
    growing *trees = must(calloc(1, sizeof(*trees)));
    hb_memory memory;
    hb_pipeline pipeline;
    choices c;
    drawing d = {.c = &c, .trees = trees, .pipeline = &pipeline};

    choices_begin(&c, data, size);
    trees->c = &c;
    hb_memory_init(&memory, &HOST, 0);
    hb_pipeline_init(&pipeline, &memory, &limits);
    try_graph(&d);
    hb_pipeline_release(&pipeline);
    free(trees);
    if (blocks != 0)
        give_up("a leak", NULL);
    return 0;
}
