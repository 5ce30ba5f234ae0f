/* run_golden.c - every golden: hbscore's answers beside the training library's own.
 *
 *     run_golden [--brief | --quick | --full] [--folder test/golden] [--only PART] [--every N]
 *     run_golden --devices  the trees in all ways that a device could walk them, and no more
 *     run_golden --cuda LIBRARY  the trees on a GPU, by hbscore_cuda.so, and no more
 *     run_golden --dump     a digest of all answers' bits for each model, to compare two builds
 *     run_golden --kernels  the instruction set that the kernels are chosen from
 *
 * Each folder of test/golden with a COVERAGE is one library.
 *
 * Prints what each line of COVERAGE is covered by, one line for each class of the library (estimators that
 * pipelines are made of: `covers estimator=NAME`) and for each version that trained models, every
 * difference, one line for each pass of the optimizer, and `N passed, N failed`: one for each golden model, each item
 * of COVERAGE and each pass. A golden that covers what COVERAGE does not list has failed, and so has a pass that
 * rewrites nothing in any model. */
#define _POSIX_C_SOURCE 200809L /* access, strdup */
#include "golden.h"
#include "kernel/kernels.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_VERSIONS = 64, MAX_ITEMS = 1024 };

typedef struct count {
    char *name;
    bool waits; /* a COVERAGE item that says so */
    size_t models, rows, differences;
} count;

typedef struct run {
    const char *folder, *only, *cuda;
    rg_gpu gpu;
    rg_effort effort;
    bool dump, kernels;
    size_t every;      /* one golden of so many is scored, and none is said to be missing */
    char models[1024]; /* the folder of the goldens */
    char **files;
    size_t n_files;
    char *coverage; /* the text that the items' names point into */
    count items[MAX_ITEMS];
    size_t n_items;
    count versions[MAX_VERSIONS];
    size_t n_versions;
    size_t passed, failed, rows_scored, unlike;
} run;

/* What a pass of the optimizer has done in all libraries' models. */
typedef struct pass_count {
    size_t models, rewrites;
    size_t left_out; /* goldens that were scored without it too.. */
    size_t missed;   /* ..of which it rewrites so many */
} pass_count;

static pass_count passes[RG_MAX_PASSES];

/* The forests that went to a device, by the form of their trees. */
static struct device_count {
    size_t forms[3], rows;
} on_device;

/* ------------------------------------------------------------------ the host */

/* Sizes stand before the blocks, so that what is held can be counted. */
enum { HEAD = 16 };

static void *host_allocate(void *context, size_t bytes)
{
    rg_host *host = context;
    char *block = malloc(bytes + HEAD);

    if (!block)
        return NULL;
    memcpy(block, &bytes, sizeof(bytes));
    host->held += bytes;
    if (host->held > host->peak)
        host->peak = host->held;
    return block + HEAD;
}

static void host_release(void *context, void *block)
{
    rg_host *host = context;
    size_t bytes;

    if (!block)
        return;
    memcpy(&bytes, (char *)block - HEAD, sizeof(bytes));
    host->held -= bytes;
    free((char *)block - HEAD);
}

static void *host_resize(void *context, void *block, size_t bytes)
{
    void *other = host_allocate(context, bytes);
    size_t old = 0;

    if (!other || !block)
        return other;
    memcpy(&old, (char *)block - HEAD, sizeof(old));
    memcpy(other, block, old < bytes ? old : bytes);
    host_release(context, block);
    return other;
}

void rg_host_init(rg_host *host)
{
    memset(host, 0, sizeof(*host));
    host->host.context = host;
    host->host.allocate = host_allocate;
    host->host.resize = host_resize;
    host->host.release = host_release;
}

/* ------------------------------------------------------------------ files */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool list_files(run *r)
{
    static const char END[] = ".golden";
    DIR *dir = opendir(r->models);
    struct dirent *entry;

    while (dir && (entry = readdir(dir)) != NULL) {
        size_t n = strlen(entry->d_name);

        if (n < sizeof(END) || strcmp(entry->d_name + n - (sizeof(END) - 1), END) != 0)
            continue;
        if (r->only && !strstr(entry->d_name, r->only))
            continue;
        r->files = realloc(r->files, (r->n_files + 1) * sizeof(*r->files));
        if (!r->files)
            return false;
        r->files[r->n_files++] = strcpy(rg_need(n + 1, 1), entry->d_name);
    }
    if (dir)
        closedir(dir);
    if (r->n_files)
        qsort(r->files, r->n_files, sizeof(*r->files), by_name);
    return r->n_files > 0;
}

/* COVERAGE: one item a line; " waits:" behind it says why it may still lack a golden. */
static void read_coverage(run *r)
{
    size_t size;

    r->coverage = rg_file(r->models, "COVERAGE", &size);
    for (char *line = r->coverage, *next; line && *line; line = next) {
        char *end = strchr(line, '\n'), *waits;

        next = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        if (*line == '#' || *line == '\0' || r->n_items == MAX_ITEMS)
            continue;
        waits = strstr(line, " waits:");
        if (waits)
            *waits = '\0';
        line[strcspn(line, " \t\r")] = '\0';
        r->items[r->n_items].waits = waits != NULL;
        r->items[r->n_items++].name = line;
    }
}

/* ------------------------------------------------------------------ counting */

static bool has_word(const char *words, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = words; at && (at = strstr(at, word)) != NULL; at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

/* A golden of a model's transform beside that of its predictions is of no other model. */
static bool is_first_of_its_model(const rg_golden *golden)
{
    size_t n = strlen(golden->name);

    return strncmp(golden->model, golden->name, n) == 0 && golden->model[n] == '.';
}

static void add(count *c, const rg_golden *golden, size_t differences)
{
    c->models += is_first_of_its_model(golden);
    c->rows += golden->rows;
    c->differences += differences;
}

static count *version_of(run *r, const char *name)
{
    for (size_t i = 0; i < r->n_versions; i++)
        if (strcmp(r->versions[i].name, name) == 0)
            return &r->versions[i];
    if (r->n_versions == MAX_VERSIONS)
        return NULL;
    r->versions[r->n_versions].name = strcpy(rg_need(strlen(name) + 1, 1), name);
    return &r->versions[r->n_versions++];
}

/* The words behind `covers` that COVERAGE does not list. */
static size_t unlisted(const run *r, const rg_golden *golden)
{
    size_t found = 0, length, i;

    for (const char *at = golden->covers; r->coverage && at && *at; at += length) {
        at += strspn(at, " ");
        length = strcspn(at, " ");
        for (i = 0; i < r->n_items; i++)
            if (strlen(r->items[i].name) == length && !strncmp(at, r->items[i].name, length))
                break;
        if (length && i == r->n_items) {
            printf("FAILED %s: COVERAGE does not list %.*s\n", golden->name, (int)length, at);
            found++;
        }
    }
    return found;
}

static void count_golden(run *r, const rg_golden *golden, size_t differences)
{
    count *version = version_of(r, golden->trained);
    size_t strange = unlisted(r, golden);

    for (size_t i = 0; i < r->n_items; i++)
        if (has_word(golden->covers, r->items[i].name))
            add(&r->items[i], golden, differences);
    if (version)
        add(version, golden, differences);
    if (differences || strange)
        r->failed++;
    else
        r->passed++;
}

static void count_passes(const rg_golden *golden, const rg_tally *tally)
{
    for (size_t i = 0; i < rg_count_passes() && !golden->refused; i++) {
        bool fires = tally->rewrites[i] > 0, is_left_out = tally->left_out == i;

        passes[i].models += fires && is_first_of_its_model(golden);
        passes[i].rewrites += is_first_of_its_model(golden) ? tally->rewrites[i] : 0;
        passes[i].left_out += is_left_out;
        passes[i].missed += is_left_out && fires;
    }
}

static void count_devices(const rg_tally *tally)
{
    for (size_t form = 0; form < 3; form++)
        on_device.forms[form] += tally->forms[form];
    on_device.rows += tally->device_rows;
}

static void print_digest(const char *name, const uint8_t digest[32])
{
    printf("%s ", name);
    for (int i = 0; i < 32; i++)
        printf("%02x", digest[i]);
    printf("\n");
}

static void run_one(run *r, size_t turn)
{
    rg_golden golden;
    rg_tally tally = {0};

    if (!rg_read(r->models, r->files[turn], &golden)) {
        r->failed++;
    } else {
        rg_score(&golden, r->models, r->effort, turn, r->cuda ? &r->gpu : NULL, &tally);
        r->rows_scored += tally.rows_scored;
        r->unlike += tally.unlike;
        count_passes(&golden, &tally);
        count_devices(&tally);
        if (r->dump)
            print_digest(golden.name, tally.digest);
        if (tally.differences)
            printf("FAILED %s: %zu differences\n", golden.name, tally.differences);
        count_golden(r, &golden, tally.differences);
    }
    rg_free(&golden);
}

/* ------------------------------------------------------------------ the report */

static int by_version(const void *a, const void *b)
{
    return strcmp(((const count *)a)->name, ((const count *)b)->name);
}

/* 14592 as 14,592. */
static const char *grouped(size_t number, char *buffer)
{
    char digits[32], *to = buffer;
    int n = snprintf(digits, sizeof(digits), "%zu", number);

    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return buffer;
}

/* One line for each class of which there are goldens. */
static void report_operators(const run *r)
{
    static const char WORD[] = "estimator=";
    char rows[48];

    for (size_t i = 0; i < r->n_items; i++) {
        const count *c = &r->items[i];

        if (c->models && strncmp(c->name, WORD, sizeof(WORD) - 1) == 0)
            printf("operator %s: %zu models, %s rows, %zu differences\n", c->name + sizeof(WORD) - 1, c->models,
                   grouped(c->rows, rows), c->differences);
    }
}

static void report(run *r)
{
    char rows[48];

    for (size_t i = 0; i < r->n_items; i++) {
        const count *c = &r->items[i];

        if (!c->models && !c->waits) {
            printf("FAILED coverage of %s: no golden\n", c->name);
            r->failed++;
            continue;
        }
        printf("covers %s: %zu models, %s rows%s\n", c->name, c->models, grouped(c->rows, rows),
               c->waits ? " (waits)" : "");
        r->passed++;
    }
    report_operators(r);
    qsort(r->versions, r->n_versions, sizeof(r->versions[0]), by_version);
    for (size_t i = 0; i < r->n_versions; i++)
        printf("%s: %zu models, %s rows, %zu differences\n", r->versions[i].name, r->versions[i].models,
               grouped(r->versions[i].rows, rows), r->versions[i].differences);
    printf("%s rows scored in all ways together\n", grouped(r->rows_scored, rows));
    printf("%zu rows have an answer that the library refuses for features that do not matter\n", r->unlike);
}

/* A pass that no golden model shows at work has no proof. */
static void report_passes(size_t *passed, size_t *failed)
{
    const char *name;
    uint32_t bit;

    for (size_t i = 0; (name = hbs_pass_name(i, &bit)) != NULL; i++) {
        const pass_count *c = &passes[i];
        char rewrites[48];

        printf("pass %s: %zu models, %s rewrites; %zu goldens without it, of which it rewrites %zu\n", name, c->models,
               grouped(c->rewrites, rewrites), c->left_out, c->missed);
        if (c->models == 0)
            printf("FAILED pass %s: it rewrites no golden model\n", name);
        *passed += c->models > 0;
        *failed += c->models == 0;
    }
}

/* Each form has to be at work in some model; a GPU keeps its forms to itself. */
static void report_devices(bool on_gpu, size_t *passed, size_t *failed)
{
    static const char *const FORMS[] = {"small", "large", "sets"};
    char rows[48];

    for (size_t form = 0; form < 3 && !on_gpu; form++) {
        printf("device form %s: %zu goldens\n", FORMS[form], on_device.forms[form]);
        *passed += on_device.forms[form] > 0;
        *failed += on_device.forms[form] == 0;
    }
    printf("%s rows by the kernels of devices\n", grouped(on_device.rows, rows));
    *failed += on_device.rows == 0;
}

/* The library of a backend, and its device; what is not there is said. */
static bool open_gpu(run *r)
{
    void *library = dlopen(r->cuda, RTLD_NOW | RTLD_LOCAL);
    void *address = library ? dlsym(library, HBS_BACKEND_SYMBOL) : NULL;
    hbs_device_info info;
    hbs_backend_getter get;
    hbs_error error;

    if (!address) {
        fprintf(stderr, "run_golden: %s\n", dlerror());
        return false;
    }
    memcpy(&get, &address, sizeof(get));
    r->gpu.backend = get(HBS_BACKEND_API);
    if (!r->gpu.backend || r->gpu.backend->open(NULL, &r->gpu.device, &error) != HBS_OK) {
        fprintf(stderr, "run_golden: no device: %s\n", r->gpu.backend ? error.text : "another api");
        return false;
    }
    r->gpu.backend->get_info(r->gpu.device, &info);
    printf("on %s\n", info.name);
    return true;
}

static bool read_arguments(run *r, int argc, char **argv)
{
    r->folder = "test/golden";
    r->effort = RG_NORMAL;
    r->every = 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--brief") == 0)
            r->effort = RG_BRIEF;
        else if (strcmp(argv[i], "--quick") == 0)
            r->effort = RG_QUICK;
        else if (strcmp(argv[i], "--full") == 0)
            r->effort = RG_FULL;
        else if (strcmp(argv[i], "--devices") == 0)
            r->effort = RG_DEVICES;
        else if (strcmp(argv[i], "--dump") == 0)
            r->dump = true;
        else if (strcmp(argv[i], "--kernels") == 0)
            r->kernels = true;
        else if (strcmp(argv[i], "--cuda") == 0 && i + 1 < argc)
            r->cuda = argv[++i];
        else if (strcmp(argv[i], "--every") == 0 && i + 1 < argc)
            r->every = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--folder") == 0 && i + 1 < argc)
            r->folder = argv[++i];
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            r->only = argv[++i];
        else
            return false;
    }
    if (r->dump)
        r->effort = RG_ROWS;
    if (r->cuda)
        r->effort = RG_DEVICES;
    return r->every > 0;
}

static bool is_partial(const run *r)
{
    return r->only || r->every > 1;
}

/* One library's goldens: test/golden/LIBRARY with its COVERAGE. False where there is no golden. */
static bool run_library(run *r, const char *library)
{
    snprintf(r->models, sizeof(r->models), "%s/%s", r->folder, library);
    if (!is_partial(r) && !r->dump)
        read_coverage(r);
    if (!list_files(r)) {
        if (!r->only)
            fprintf(stderr, "run_golden: no .golden file in %s\n", r->models);
        return r->only != NULL;
    }
    for (size_t i = 0; i < r->n_files; i++) {
        if (i % r->every == 0)
            run_one(r, i);
        free(r->files[i]);
    }
    if (!r->dump)
        report(r);
    for (size_t i = 0; i < r->n_versions; i++)
        free(r->versions[i].name);
    free(r->files);
    free(r->coverage);
    return true;
}

enum { MAX_LIBRARIES = 16 };

/* The folders that hold a COVERAGE, by name. */
static size_t list_libraries(const char *folder, char *libraries[MAX_LIBRARIES])
{
    DIR *dir = opendir(folder);
    size_t n = 0;

    for (struct dirent *entry; dir && (entry = readdir(dir)) && n < MAX_LIBRARIES;) {
        char path[1024];

        snprintf(path, sizeof(path), "%s/%s/COVERAGE", folder, entry->d_name);
        if (entry->d_name[0] != '.' && access(path, R_OK) == 0)
            libraries[n++] = strdup(entry->d_name);
    }
    if (dir)
        closedir(dir);
    qsort(libraries, n, sizeof(libraries[0]), by_name);
    return n;
}

int main(int argc, char **argv)
{
    char *libraries[MAX_LIBRARIES];
    size_t passed = 0, failed = 0, n;
    run arguments = {0};
    bool complete = true;

    if (!read_arguments(&arguments, argc, argv)) {
        fprintf(
            stderr,
            "usage: run_golden [--brief | --quick | --full | --devices | --cuda LIBRARY | --dump | --kernels] [--folder F]"
            " [--only PART] [--every N]\n");
        return 2;
    }
    if (arguments.kernels) {
        puts(hb_kernels_here()->name);
        return 0;
    }
    if (arguments.cuda && !open_gpu(&arguments))
        return 1;
    n = list_libraries(arguments.folder, libraries);
    for (size_t i = 0; i < n; i++) {
        static run r;

        r = arguments;
        complete &= run_library(&r, libraries[i]);
        passed += r.passed;
        failed += r.failed;
        free(libraries[i]);
    }
    if (n == 0)
        fprintf(stderr, "run_golden: no library in %s\n", arguments.folder);
    if (!arguments.dump && !is_partial(&arguments))
        report_passes(&passed, &failed);
    if (!arguments.dump && !is_partial(&arguments))
        report_devices(arguments.cuda != NULL, &passed, &failed);
    if (arguments.cuda)
        arguments.gpu.backend->close(arguments.gpu.device);
    if (!arguments.dump)
        printf("%zu passed, %zu failed\n", passed, failed);
    return n == 0 || !complete || failed != 0;
}
