/* run_node_tests.c - the node tests of ONNX against the core: run_node_tests FOLDER [--refused FILE] [--only PART].
 *
 * FOLDER has a folder for each test: model.onnx, and test_data_set_K with input_I.pb and output_I.pb. Each test runs
 * with all passes of the optimizer and with none; both must give the same bits, and the outputs of the files: of their
 * types and shapes, within 1e-3 of the number or 1e-7, as ONNX's own backend tests ask. Tests that hbscore refuses go
 * into FILE, with the reason. */
#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "whole_tensors.h"

typedef struct bytes {
    void *begin;
    size_t size;
} bytes;

enum { MOST_PATH = 4096 };

/* A path longer than the buffer ends the program. */
__attribute__((format(printf, 2, 3))) static void write_path(char path[MOST_PATH], const char *format, ...)
{
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(path, MOST_PATH, format, arguments);
    va_end(arguments);
    if (n < 0 || n >= MOST_PATH)
        abort();
}

static bool read_file(const char *path, bytes *b)
{
    FILE *f = fopen(path, "rb");
    long size;

    b->begin = NULL;
    if (!f)
        return false;
    fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);
    b->begin = malloc((size_t)size + 1);
    b->size = b->begin ? fread(b->begin, 1, (size_t)size, f) : 0;
    fclose(f);
    return b->begin && b->size == (size_t)size;
}

/* ---- a data set: files input_0.pb .. */

typedef struct data_set {
    bytes files[2 * MOST_TENSORS];
    size_t n_files;
    whole_tensors inputs, outputs;
} data_set;

static hbs_status read_tensors(const char *folder, const char *name, data_set *d, whole_tensors *t, hbs_error *error)
{
    hbs_status status = HBS_OK;
    char path[MOST_PATH];

    for (t->n = 0; status == HBS_OK && t->n < MOST_TENSORS; t->n++) {
        bytes *b = &d->files[d->n_files];

        write_path(path, "%s/%s_%zu.pb", folder, name, t->n);
        if (!read_file(path, b))
            break;
        d->n_files++;
        status = whole_tensor_parse(b->begin, b->size, &t->items[t->n], error);
    }
    return status;
}

static void free_data(data_set *d)
{
    whole_tensors_free(&d->inputs);
    whole_tensors_free(&d->outputs);
    while (d->n_files > 0)
        free(d->files[--d->n_files].begin);
}

/* ---- comparing */

static bool is_near(double found, double expected)
{
    if (isnan(found) || isnan(expected))
        return isnan(found) && isnan(expected);
    if (isinf(found) || isinf(expected))
        return found == expected;
    return fabs(found - expected) <= 1e-7 + 1e-3 * fabs(expected);
}

static bool same_shape(const whole_tensor *a, const whole_tensor *b)
{
    return a->n_dims == b->n_dims && memcmp(a->dims, b->dims, a->n_dims * sizeof(a->dims[0])) == 0;
}

static bool check_tensor(const whole_tensor *found, const whole_tensor *expected, size_t k, hbs_error *error)
{
    bool whole = expected->type != HB_ONNX_FLOAT && expected->type != HB_ONNX_DOUBLE;

    if (found->type != expected->type || !same_shape(found, expected) || !found->numbers || !expected->numbers) {
        snprintf(error->text, sizeof(error->text), "output %zu: type %lld of %zu items, expected %lld of %zu", k,
                 (long long)found->type, found->count, (long long)expected->type, expected->count);
        return false;
    }
    for (size_t i = 0; i < expected->count; i++) {
        double f = found->numbers[i], e = expected->numbers[i];

        if (whole ? f != e : !is_near(f, e)) {
            snprintf(error->text, sizeof(error->text), "output %zu, item %zu: %.17g, expected %.17g", k, i, f, e);
            return false;
        }
    }
    return true;
}

static bool check_outputs(const whole_tensors *found, const whole_tensors *expected, hbs_error *error)
{
    if (found->n != expected->n) {
        snprintf(error->text, sizeof(error->text), "%zu outputs, expected %zu", found->n, expected->n);
        return false;
    }
    for (size_t k = 0; k < expected->n; k++)
        if (!check_tensor(&found->items[k], &expected->items[k], k, error))
            return false;
    return true;
}

static bool same_bits(const whole_tensors *a, const whole_tensors *b)
{
    bool same = a->n == b->n;

    for (size_t k = 0; same && k < a->n; k++)
        same = a->items[k].count == b->items[k].count &&
               memcmp(a->items[k].numbers, b->items[k].numbers, a->items[k].count * sizeof(double)) == 0;
    return same;
}

/* ---- a test */

typedef enum outcome { PASSED, FAILED, REFUSED } outcome;

static void *allocate(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void *resize(void *context, void *block, size_t size)
{
    (void)context;
    return realloc(block, size);
}

static void release(void *context, void *block)
{
    (void)context;
    free(block);
}

/* Tests of what hbscore does not read, or not as large. */
static bool is_refusal(hbs_status status)
{
    return status == HBS_E_UNSUPPORTED || status == HBS_E_LIMIT;
}

static outcome run_data_set(const bytes *model, const data_set *d, hbs_error *error)
{
    const hbs_host host = {.allocate = allocate, .resize = resize, .release = release};
    whole_tensors plain = {.n = 0}, optimized = {.n = 0};
    hbs_status status = whole_tensors_compute(&host, model->begin, model->size, &d->inputs, ~0u, &plain, error);
    outcome found = is_refusal(status) ? REFUSED : FAILED;

    if (status == HBS_OK && check_outputs(&plain, &d->outputs, error)) {
        status = whole_tensors_compute(&host, model->begin, model->size, &d->inputs, 0, &optimized, error);
        found = status == HBS_OK ? PASSED : FAILED;
    }
    if (found == PASSED && !same_bits(&plain, &optimized)) {
        snprintf(error->text, sizeof(error->text), "with the passes of the optimizer it has other bits");
        found = FAILED;
    }
    whole_tensors_free(&plain);
    whole_tensors_free(&optimized);
    return found;
}

static outcome run_test(const char *folder, hbs_error *error)
{
    outcome found = PASSED;
    char path[MOST_PATH];
    bytes model;

    write_path(path, "%s/model.onnx", folder);
    if (!read_file(path, &model)) {
        snprintf(error->text, sizeof(error->text), "there is no model.onnx");
        return FAILED;
    }
    for (int k = 0; found == PASSED; k++) {
        data_set d = {.n_files = 0};
        hbs_status status;

        write_path(path, "%s/test_data_set_%d", folder, k);
        status = read_tensors(path, "input", &d, &d.inputs, error);
        if (status == HBS_OK)
            status = read_tensors(path, "output", &d, &d.outputs, error);
        if (status == HBS_OK && d.n_files == 0 && k > 0)
            break;
        found = status == HBS_OK ? run_data_set(&model, &d, error) : is_refusal(status) ? REFUSED : FAILED;
        free_data(&d);
    }
    free(model.begin);
    return found;
}

/* ---- all tests of a folder */

static int is_test(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int n, char **arguments)
{
    const char *folder = n > 1 ? arguments[1] : "", *only = "";
    size_t counts[3] = {0};
    FILE *refused = NULL;
    struct dirent **tests = NULL;
    int n_tests;

    for (int i = 2; i + 1 < n; i += 2) {
        if (strcmp(arguments[i], "--refused") == 0)
            refused = fopen(arguments[i + 1], "w");
        else if (strcmp(arguments[i], "--only") == 0)
            only = arguments[i + 1];
    }
    n_tests = scandir(folder, &tests, is_test, alphasort);
    if (n_tests <= 0) {
        fprintf(stderr, "usage: run_node_tests FOLDER [--refused FILE] [--only PART]\n");
        return 2;
    }
    for (int i = 0; i < n_tests; i++) {
        hbs_error error = {.text = ""};
        char path[MOST_PATH];
        outcome found;

        if (strstr(tests[i]->d_name, only)) {
            write_path(path, "%s/%s", folder, tests[i]->d_name);
            found = run_test(path, &error);
            counts[found]++;
            if (found == FAILED)
                printf("FAILED %s: %s\n", tests[i]->d_name, error.text);
            if (found == REFUSED && refused)
                fprintf(refused, "%s\t%s\n", tests[i]->d_name, error.text);
        }
        free(tests[i]);
    }
    free(tests);
    if (refused)
        fclose(refused);
    printf("node tests of ONNX: %zu refused\n%zu passed, %zu failed\n", counts[REFUSED], counts[PASSED],
           counts[FAILED]);
    return counts[FAILED] > 0;
}
