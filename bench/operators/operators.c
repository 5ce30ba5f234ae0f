/* operators.c - times the core on rows of a file, in batches of any size. One round for each line of standard
 * input, so that the caller can take turns with another library:
 *
 *     operators MODEL OPTIONS ROWS FUNCTION [BLAS]
 *     BATCH COUNT        scores COUNT rows, from the first on and round again, BATCH at a time
 *     ns
 *     write FILE COUNT   the first COUNT rows' results, as doubles (labels as class numbers; NaN: NULL)
 *     ok
 *
 * A batch of 1 is hbs_score_row. OPTIONS is the JSON text of registration options. FUNCTION is predict,
 * predict_proba, predict_values or transform. ROWS is the file of operators_data.py's write_rows: the number of rows and of
 * columns (uint64), then each column: 'd' or 'f' and its numbers (NaN: missing), or 't', the ends of its texts
 * (uint64; the highest bit set: missing) and their bytes. BLAS is the file of OpenBLAS's serial build, which then takes
 * large products, as under the setting dense = blas. */
#define _POSIX_C_SOURCE 199309L

#include "hbscore.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_ROWS = 1 << 20,
    SINGLE_ROWS =
        1 << 14 /* distinct ones that are scored one by one, as a database has them: as rows */
};

typedef struct table {
    size_t rows, n_columns;
    hbs_column *columns;
} table;

typedef struct scorer {
    table t;
    hbs_run *block, *one;
    hbs_column *part;  /* [n_columns]: of a batch */
    hbs_value *values; /* [single][n_columns]: rows */
    size_t single;
    uint32_t outputs;
    size_t width;
} scorer;

static void stop(const char *what, const hbs_error *error)
{
    fprintf(stderr, "operators: %s: %s\n", what, error ? error->text : "");
    exit(1);
}

static void *room(size_t bytes)
{
    void *block = malloc(bytes ? bytes : 1);

    if (!block)
        stop("out of memory", NULL);
    return block;
}

/* ------------------------------------------------------------------ what is read */

static void *take(FILE *f, size_t bytes)
{
    void *block = room(bytes);

    if (fread(block, 1, bytes, f) != bytes)
        stop("the file of rows is too short", NULL);
    return block;
}

static size_t take_size(FILE *f)
{
    uint64_t *number = take(f, sizeof(*number));
    size_t size = (size_t)*number;

    free(number);
    return size;
}

#define MISSING (1ull << 63)

static hbs_column take_texts(FILE *f, size_t rows)
{
    uint64_t *ends = take(f, rows * sizeof(*ends)), *valid = room((rows / 64 + 1) * 8);
    size_t all = rows ? (size_t)(ends[rows - 1] & ~MISSING) : 0, begin = 0;
    char *bytes = take(f, all);
    hbs_text *texts = room(rows * sizeof(*texts));

    memset(valid, 0xff, (rows / 64 + 1) * 8);
    for (size_t r = 0; r < rows; r++) {
        size_t end = (size_t)(ends[r] & ~MISSING);

        texts[r] = (hbs_text){bytes + begin, end - begin};
        if (ends[r] & MISSING)
            valid[r / 64] &= ~(1ull << r % 64);
        begin = end;
    }
    free(ends);
    return (hbs_column){HBS_TEXT, texts, valid};
}

static table read_table(const char *path)
{
    FILE *f = fopen(path, "rb");
    table t;

    if (!f)
        stop(path, NULL);
    t.rows = take_size(f);
    t.n_columns = take_size(f);
    t.columns = room(t.n_columns * sizeof(*t.columns));
    for (size_t c = 0; c < t.n_columns; c++) {
        int kind = fgetc(f);

        if (kind == 't')
            t.columns[c] = take_texts(f, t.rows);
        else if (kind == 'f')
            t.columns[c] = (hbs_column){HBS_FLOAT32, take(f, t.rows * sizeof(float)), NULL};
        else
            t.columns[c] = (hbs_column){HBS_FLOAT64, take(f, t.rows * sizeof(double)), NULL};
    }
    fclose(f);
    return t;
}

static void *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    long length;
    void *bytes;

    if (!f || fseek(f, 0, SEEK_END) != 0 || (length = ftell(f)) < 0)
        stop(path, NULL);
    rewind(f);
    *size = (size_t)length;
    bytes = take(f, *size);
    fclose(f);
    return bytes;
}

/* ------------------------------------------------------------------ the model */

static void *allocate(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes);
}

static void *resize(void *context, void *block, size_t bytes)
{
    (void)context;
    return realloc(block, bytes);
}

static void release(void *context, void *block)
{
    (void)context;
    free(block);
}

static const hbs_host host = {.allocate = allocate, .resize = resize, .release = release};

/* ------------------------------------------------------------------ BLAS */

static void (*dgemm)(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a,
                     int lda, const double *b, int ldb, double beta, double *c, int ldc);

static void (*sgemm)(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a,
                     int lda, const float *b, int ldb, float beta, float *c, int ldc);

enum { COLUMN_MAJOR = 102, AS_IT_IS = 111 };

/* This program has one thread and is the library's only user. */
static bool enter(void *context)
{
    (void)context;
    return true;
}

static void leave(void *context)
{
    (void)context;
}

static void add_product(void *context, size_t rows, size_t outputs, size_t inputs, const double *in,
                        size_t in_stride, const double *weights, size_t weights_stride, double *out,
                        size_t out_stride)
{
    (void)context;
    dgemm(COLUMN_MAJOR, AS_IT_IS, AS_IT_IS, (int)rows, (int)outputs, (int)inputs, 1.0, in,
          (int)in_stride, weights, (int)weights_stride, 1.0, out, (int)out_stride);
}

static void add_product32(void *context, size_t rows, size_t outputs, size_t inputs, const float *in,
                          size_t in_stride, const float *weights, size_t weights_stride, float *out,
                          size_t out_stride)
{
    (void)context;
    sgemm(COLUMN_MAJOR, AS_IT_IS, AS_IT_IS, (int)rows, (int)outputs, (int)inputs, 1.0f, in,
          (int)in_stride, weights, (int)weights_stride, 1.0f, out, (int)out_stride);
}

static void use_blas(hbs_run *run, const char *path)
{
    const hbs_blas blas = {
        .enter = enter, .add_product = add_product, .add_product32 = add_product32, .leave = leave};
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *address = library ? dlsym(library, "cblas_dgemm") : NULL;
    void *address32 = library ? dlsym(library, "cblas_sgemm") : NULL;
    hbs_error error = {.text = "no BLAS"};

    memcpy(&dgemm, &address, sizeof(dgemm));
    memcpy(&sgemm, &address32, sizeof(sgemm));
    if (!address || !address32 || hbs_run_use_blas(run, &blas, &error) != HBS_OK)
        stop(path, &error);
}

/* ------------------------------------------------------------------ what is scored */

static hbs_value cell(const hbs_column *column, size_t r)
{
    switch (column->type) {
    case HBS_TEXT:
        if (column->valid && !(column->valid[r / 64] >> r % 64 & 1))
            return (hbs_value){.type = HBS_NULL};
        return (hbs_value){.type = HBS_TEXT, .as.text = ((const hbs_text *)column->values)[r]};
    case HBS_FLOAT32:
        return (hbs_value){.type = HBS_FLOAT32, .as.f32 = ((const float *)column->values)[r]};
    default:
        return (hbs_value){.type = HBS_FLOAT64, .as.f64 = ((const double *)column->values)[r]};
    }
}

static hbs_function function_of(const char *name)
{
    static const struct {
        const char *name;
        hbs_function function;
    } functions[] = {{"predict", HBS_PREDICT},
                     {"predict_proba", HBS_PREDICT_PROBA},
                     {"predict_values", HBS_PREDICT_VALUES},
                     {"transform", HBS_TRANSFORM}};

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    stop("no such function", NULL);
    return HBS_PREDICT;
}

static size_t width_of(const hbs_plan *plan, uint32_t outputs)
{
    hbs_plan_info info;

    hbs_plan_get_info(plan, &info);
    return outputs & HBS_OUT_PROBABILITIES ? info.probabilities_width
           : outputs & HBS_OUT_VALUES      ? info.values_width
           : outputs & HBS_OUT_TRANSFORM   ? info.transform_width
                                           : 1;
}

static scorer make_scorer(char **argv)
{
    hbs_source source = {.name = argv[1], .options = argv[2], .options_size = strlen(argv[2])};
    hbs_model *model;
    hbs_plan *plan;
    hbs_error error;
    scorer s;

    source.bytes = read_file(argv[1], &source.size);
    s.t = read_table(argv[3]);
    if (hbs_model_load(&host, NULL, &source, &model, &error) != HBS_OK ||
        hbs_plan_compile(model, NULL, &plan, &error) != HBS_OK ||
        hbs_run_create(plan, &host, NULL, MOST_ROWS, &s.block, &error) != HBS_OK ||
        hbs_run_create(plan, &host, NULL, 1, &s.one, &error) != HBS_OK ||
        hbs_run_check_count(s.one, s.t.n_columns, &error) != HBS_OK ||
        hbs_run_outputs(s.block, function_of(argv[4]), &s.outputs, &error) != HBS_OK)
        stop(argv[1], &error);
    hbs_model_free(model);
    if (argv[5])
        use_blas(s.block, argv[5]);
    s.part = room(s.t.n_columns * sizeof(*s.part));
    s.single = s.t.rows < SINGLE_ROWS ? s.t.rows : SINGLE_ROWS;
    s.values = room(s.single * s.t.n_columns * sizeof(*s.values));
    for (size_t r = 0; r < s.single; r++)
        for (size_t c = 0; c < s.t.n_columns; c++)
            s.values[r * s.t.n_columns + c] = cell(&s.t.columns[c], r);
    s.width = width_of(plan, s.outputs);
    return s;
}

/* ------------------------------------------------------------------ scoring */

static size_t size_of(hbs_type type)
{
    return type == HBS_TEXT      ? sizeof(hbs_text)
           : type == HBS_FLOAT32 ? sizeof(float)
                                 : sizeof(double);
}

/* Batches begin at multiples of 64, as validity bits need it. */
static hbs_result score_block(const scorer *s, size_t first, size_t rows)
{
    hbs_result result;
    hbs_error error;

    for (size_t c = 0; c < s->t.n_columns; c++) {
        const hbs_column *all = &s->t.columns[c];

        s->part[c] = (hbs_column){all->type, (const char *)all->values + first * size_of(all->type),
                                  all->valid ? all->valid + first / 64 : NULL};
    }
    if (hbs_score(s->block, s->part, s->t.n_columns, rows, s->outputs, &result, &error) != HBS_OK)
        stop("a block", &error);
    return result;
}

static hbs_result score_one(const scorer *s, size_t r)
{
    hbs_result result;
    hbs_error error;

    if (hbs_score_row(s->one, s->values + r % s->single * s->t.n_columns, s->t.n_columns,
                      s->outputs, &result, &error) != HBS_OK)
        stop("a row", &error);
    return result;
}

static long long now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void time_rows(const scorer *s, size_t batch, size_t count)
{
    size_t step = batch == 1 ? 1 : (batch + 63) / 64 * 64, first = 0;
    long long begin = now();

    for (size_t done = 0; done < count; done += batch, first += step) {
        if (first + batch > s->t.rows)
            first = 0;
        (void)(batch == 1 ? score_one(s, first) : score_block(s, first, batch));
    }
    printf("%lld\n", now() - begin);
}

/* ------------------------------------------------------------------ results */

static double number_of(const scorer *s, const hbs_result *result, size_t r, size_t c)
{
    const double *numbers = result->value           ? result->value
                            : result->probabilities ? result->probabilities
                            : result->values        ? result->values
                                                    : result->transform;

    if (!(result->valid[r / 64] >> r % 64 & 1))
        return NAN;
    return result->label ? (double)result->label[r] : numbers[r * s->width + c];
}

static void write_results(const scorer *s, const char *path, size_t count)
{
    FILE *f = fopen(path, "wb");

    if (!f)
        stop(path, NULL);
    for (size_t first = 0; first < count; first += MOST_ROWS) {
        size_t rows = count - first < MOST_ROWS ? count - first : MOST_ROWS;
        hbs_result result = score_block(s, first, rows);

        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < s->width; c++) {
                double number = number_of(s, &result, r, c);

                fwrite(&number, sizeof(number), 1, f);
            }
    }
    fclose(f);
    printf("ok\n");
}

int main(int argc, char **argv)
{
    char line[1024], path[1000];
    size_t batch, count;
    scorer s;

    if (argc != 5 && argc != 6) {
        fprintf(stderr, "usage: operators MODEL OPTIONS ROWS FUNCTION [BLAS]\n");
        return 2;
    }
    s = make_scorer(argv);
    while (fgets(line, sizeof(line), stdin)) {
        if (sscanf(line, "write %999s %zu", path, &count) == 2)
            write_results(&s, path, count);
        else if (sscanf(line, "%zu %zu", &batch, &count) == 2 && batch > 0 && batch <= s.t.rows &&
                 batch <= MOST_ROWS)
            time_rows(&s, batch, count);
        else
            stop("a line that is neither of the two", NULL);
        fflush(stdout);
    }
    return 0;
}
