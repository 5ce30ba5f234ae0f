/* test_polls.c - how long hbscore works without asking the host whether to stop, counted in basic blocks.
 *
 * The core is compiled with -fsanitize-coverage=trace-pc, which calls __sanitizer_cov_trace_pc in each basic block. The
 * host's `cancelled` reads the counter and clears it. So what is tested is the same on every machine: a promise of a
 * millisecond is about a million blocks.
 *
 * The kernels are those of every CPU, whatever this one has.
 *
 *     test_polls [--long] [FORMAT [NAME]]      only these models, and each phase's longest gap
 *
 * Without --long forests are scored as hbscore chooses and by walks; with it by every strategy, golden rows are 16 MiB,
 * not 2, and each model is described, which compiles it once more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hbscore.h"
#include "large_models.h"

/* A block of a wide model has fewer rows. */
enum { MOST_CELLS = 1 << 22 };

enum { MOST_BLOCKS = 1000000, ROWS = 4096, JSON_ROW = 1 << 20, GOLDEN = 16 << 20 /* the limit */ };

static uint64_t blocks, longest; /* since the last poll; the longest gap of the phase.. */
static uint64_t all, most;       /* ..blocks of the phase, and of the model's largest phase */

/* A debugger that stops here sees what goes on for too long. */
__attribute__((noinline)) static void too_long(void)
{
    __asm__ volatile("");
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    if (++blocks == MOST_BLOCKS)
        too_long();
}

static void poll_now(void)
{
    if (blocks > longest)
        longest = blocks;
    all += blocks;
    blocks = 0;
}

/* ------------------------------------------------------------------ the host */

static bool cancelled(void *context)
{
    (void)context;
    poll_now();
    return false;
}

#define MALLOC_HOST_MORE .cancelled = cancelled
#include "bench/common/malloc_host.h"

/* ------------------------------------------------------------------ phases */

static size_t passed, failed;
static bool verbose, is_long; /* --long */
static const large_model *now;
static char *now_value; /* of now->make_value */

/* A call of the library, from its begin to its end. */
static void phase_begin(void)
{
    blocks = longest = all = 0;
}

static void phase_end(const char *phase)
{
    poll_now();
    most = all > most ? all : most;
    if (verbose)
        printf("%-15s %-36s %-20s %9llu of %llu\n", now->format, now->name, phase, (unsigned long long)longest,
               (unsigned long long)all);
    if (longest <= MOST_BLOCKS) {
        passed++;
        return;
    }
    failed++;
    printf("FAILED: %s, %s: %s goes on for %llu basic blocks without a poll\n", now->format, now->name, phase,
           (unsigned long long)longest);
}

/* A model on which no phase could fail, even without a poll, tests nothing. */
static void check_size(void)
{
    if (most > MOST_BLOCKS) {
        passed++;
        return;
    }
    failed++;
    printf("FAILED: %s, %s: is too small: its longest phase has %llu basic blocks\n", now->format, now->name,
           (unsigned long long)most);
}

static void must(hbs_status status, const hbs_error *error, const char *phase)
{
    if (status == HBS_OK)
        return;
    printf("FAILED: %s, %s: %s: %s\n", now->format, now->name, phase, error->text);
    failed++;
}

/* ------------------------------------------------------------------ scoring */

static uint32_t output_of(const hbs_plan_info *info)
{
    return info->value_width       ? HBS_OUT_VALUE
           : info->classes         ? HBS_OUT_LABEL
           : info->values_width    ? HBS_OUT_VALUES
           : info->transform_width ? HBS_OUT_TRANSFORM
                                   : HBS_OUT_RAW;
}

static hbs_text the_text(void)
{
    const char *value = now_value ? now_value : now->value ? now->value : "";

    return (hbs_text){value, strlen(value)};
}

/* Numbers, but where the model takes texts: the same one in all rows. */
static hbs_column *columns_of(const hbs_plan_info *info)
{
    static double numbers[ROWS];
    static hbs_text texts[ROWS];
    hbs_column *columns = calloc(info->features, sizeof(*columns));

    const hbs_text text = the_text();

    for (size_t r = 0; r < ROWS; r++) {
        numbers[r] = (double)r / 1000;
        texts[r] = text;
    }
    for (size_t f = 0; f < info->features; f++)
        columns[f] = f + 1 == now->text ? (hbs_column){.type = HBS_TEXT, .values = texts}
                                        : (hbs_column){.type = HBS_FLOAT64, .values = numbers};
    return columns;
}

static void score_block(hbs_run *run, const hbs_plan_info *info, const char *phase)
{
    hbs_column *columns = columns_of(info);
    size_t cells = info->features * ROWS, rows = now->rows            ? now->rows
                                                 : cells > MOST_CELLS ? MOST_CELLS / info->features + 1
                                                                      : ROWS;
    hbs_result result;
    hbs_error error;

    phase_begin();
    must(hbs_score(run, columns, info->features, rows, output_of(info), &result, &error), &error, phase);
    phase_end(phase);
    free(columns);
}

static void score_row(hbs_run *run, const hbs_plan_info *info, const char *phase)
{
    hbs_value *values = calloc(info->features, sizeof(*values));
    hbs_result result;
    hbs_error error;

    for (size_t f = 0; f < info->features; f++)
        values[f] = f + 1 == now->text ? (hbs_value){.type = HBS_TEXT, .as.text = the_text()}
                                       : (hbs_value){.type = HBS_FLOAT64};
    must(hbs_score_row(run, values, info->features, output_of(info), &result, &error), &error, phase);
    phase_begin();
    must(hbs_score_row(run, values, info->features, output_of(info), &result, &error), &error, phase);
    phase_end(phase);
    free(values);
}

/* An object of as many members as there is room for. */
static void score_json(hbs_run *run, const hbs_plan_info *info)
{
    char *text = malloc(JSON_ROW + 64);
    size_t size = 1;
    hbs_result result;
    hbs_error error;

    text[0] = '{';
    for (size_t f = 0; f < info->features && size < JSON_ROW - 64; f++)
        size += (size_t)sprintf(text + size, "%s\"feature %zu\":0.125", f ? "," : "", f);
    text[size++] = '}';
    phase_begin();
    /* The features behind them are missing. */
    if (hbs_score_json(run, text, size, output_of(info), &result, &error) == HBS_E_LIMIT)
        must(HBS_E_LIMIT, &error, "a row of JSON");
    phase_end("a row of JSON");
    free(text);
}

static void verify(const hbs_plan *plan, const hbs_plan_info *info)
{
    const size_t bytes = is_long ? GOLDEN : GOLDEN / 8, rows = (bytes - 4096) / (2 * info->features + 10);
    char *text = malloc(bytes + 64);
    size_t size = 0;
    hbs_verification found;
    hbs_error error;

    size += (size_t)sprintf(text, "{\"rows\":[");
    for (size_t r = 0; r < rows; r++)
        for (size_t f = 0; f < info->features; f++)
            size += (size_t)sprintf(text + size, "%s1%s", f ? "," : r ? ",[" : "[", f + 1 == info->features ? "]" : "");
    size += (size_t)sprintf(text + size, "],\"prediction\":[");
    for (size_t r = 0; r < rows; r++)
        size += (size_t)sprintf(text + size, r ? ",0" : "0");
    size += (size_t)sprintf(text + size, "]}");
    phase_begin();
    must(hbs_verify(plan, &host, "m", text, size, &found, &error), &error, "verify");
    phase_end("verify");
    free(text);
}

static void score(const hbs_plan *plan, const char *strategy)
{
    char phase[64];
    hbs_plan_info info;
    hbs_run *run;
    hbs_error error;

    hbs_plan_get_info(plan, &info);
    snprintf(phase, sizeof phase, "block, %s", strategy);
    phase_begin();
    must(hbs_run_create(plan, &host, "m", ROWS, &run, &error), &error, phase);
    phase_end("run");
    if (!run)
        return;
    score_block(run, &info, phase);
    snprintf(phase, sizeof phase, "row, %s", strategy);
    score_row(run, &info, phase);
    if (now->json_row)
        score_json(run, &info);
    hbs_run_free(run);
    if (now->golden)
        verify(plan, &info);
}

/* ------------------------------------------------------------------ one model */

static void plan_by(const hbs_model *model, hbs_strategy strategy, const char *name)
{
    hbs_compile_options options = {.strategy = strategy};
    hbs_plan *plan = NULL;
    hbs_error error;
    char phase[64];

    snprintf(phase, sizeof phase, "compile, %s", name);
    phase_begin();
    must(hbs_plan_compile(model, &options, &plan, &error), &error, phase);
    phase_end(phase);
    if (plan)
        score(plan, name);
    phase_begin();
    hbs_plan_free(plan);
    phase_end("free the plan");
}

static void inspect(hbs_model *model)
{
    hbs_inspection line;
    hbs_description *description = NULL;
    hbs_text drawing;
    hbs_error error;

    phase_begin();
    for (size_t i = 0; i < 3; i++)
        must(hbs_model_inspect(model, i, &line, &error), &error, "inspect");
    phase_end("inspect");
    if (!is_long)
        return;
    phase_begin();
    must(hbs_plan_describe(model, NULL, &description, &error), &error, "describe");
    phase_end("describe");
    phase_begin();
    must(hbs_description_draw(description, (hbs_text){"m", 1}, &drawing, &error), &error, "draw");
    phase_end("draw");
    hbs_description_free(description);
}

static void check(const large_model *large)
{
    clock_t begin = clock();
    static const char *const STRATEGIES[] = {"auto", "tt", "bits", "gemm", "ptt"};
    mb_bytes b = large->make();
    char *options = large->options ? large->options() : NULL;
    char *value = large->make_value ? large->make_value() : NULL;
    hbs_source source = {.name = "m",
                         .bytes = b.data,
                         .size = b.size,
                         .options = options,
                         .options_size = options ? strlen(options) : 0};
    hbs_status status;
    int last = !large->all ? HBS_STRATEGY_AUTO : is_long ? HBS_N_STRATEGIES - 1 : HBS_STRATEGY_TT;
    hbs_model *model = NULL;
    hbs_error error;

    now = large;
    now_value = value;
    most = 0;
    phase_begin();
    status = hbs_model_load(&host, NULL, &source, &model, &error);
    if (status != large->status)
        must(status ? status : HBS_E_ARGS, &error, "load");
    phase_end("load");
    if (model) {
        inspect(model);
        for (int s = 0; s <= last; s++)
            plan_by(model, (hbs_strategy)s, STRATEGIES[s]);
    }
    phase_begin();
    hbs_model_free(model);
    phase_end("free the model");
    check_size();
    if (verbose)
        printf("%.2f s of CPU\n", (double)(clock() - begin) / CLOCKS_PER_SEC);
    now_value = NULL;
    free(value);
    free(options);
    free(b.data);
}

/* Bytes without a model: their digest. */
static void digest(void)
{
    enum { SIZE = 64 << 20 };
    static const large_model bytes = {.format = "bytes", .name = "64 MiB"};
    uint8_t *data = calloc(SIZE, 1), of_all[32];
    hbs_error error;

    now = &bytes;
    most = 0;
    phase_begin();
    must(hbs_sha256(&host, data, SIZE, of_all, &error), &error, "sha256");
    phase_end("sha256");
    check_size();
    free(data);
}

int main(int argc, char **argv)
{
    setenv("HBSCORE_INSTRUCTION_SET", "portable", 1);
    is_long = argc > 1 && strcmp(argv[1], "--long") == 0;
    argc -= is_long;
    argv += is_long;
    verbose = argc > 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < N_LARGE_MODELS; i++)
        if ((argc < 2 || strcmp(LARGE_MODELS[i].format, argv[1]) == 0) &&
            (argc < 3 || strstr(LARGE_MODELS[i].name, argv[2])))
            check(&LARGE_MODELS[i]);
    if (argc < 2)
        digest();
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed > 0;
}
