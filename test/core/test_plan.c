/* test_plan.c - the flat plan: dictionaries, keys, and that it can be copied. */
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/run.h"

/* ------------------------------------------------------------------ plans as bytes */

typedef struct fixture {
    test_host host;
    hb_memory memory;
    hb_forest_model forest;
    hbs_error error;
} fixture;

static void begin(fixture *f)
{
    memset(f, 0, sizeof *f);
    test_host_init(&f->host);
    hb_memory_init(&f->memory, &f->host.host, 0);
    hb_forest_model_init(&f->forest, &f->memory);
}

static void end(fixture *f)
{
    hb_forest_model_release(&f->forest);
    test_host_end(&f->host);
}

/* A classifier with names, stored categories, sets and class labels; freed by free(). */
static char *rich_file(fixture *f)
{
    static const test_shape shape = {
        .n_features = 3, .n_outputs = 3, .leaf_width = 1, .n_trees = 30, .depth = 6, .sets = true, .finite = true};
    uint64_t random = 21;

    test_random_forest(&f->forest, &shape, &random);
    return test_write_file(&(test_file){.objective = "multi:softprob",
                                        .n_classes = 3,
                                        .forest = &f->forest,
                                        .names = "\"age\",\"plan\",\"zone\"",
                                        .types = "\"float\",\"c\",\"c\"",
                                        .categories = "{\"offsets\":[],\"values\":[]},"
                                                      "{\"offsets\":[0,2,2,5],\"values\":[97,98,120,121,122]},"
                                                      "{\"type\":11,\"values\":[7,-3,40]}"});
}

static const char classes[] = "{\"classes\":[\"no\",\"yes\",\"maybe\"],\"on_unseen\":\"missing\"}";

enum { ROWS = 200 };

static hbs_value number_value(double number)
{
    return (hbs_value){.type = HBS_FLOAT64, .as.f64 = number};
}

static hbs_value text_value(const char *text)
{
    return (hbs_value){.type = HBS_TEXT, .as.text = {text, strlen(text)}};
}

static hbs_value integer_value(int64_t number)
{
    return (hbs_value){.type = HBS_INT64, .as.i64 = number};
}

/* All outputs of many rows, one after another. */
static void score_rows(const hbs_host *host, const hbs_plan *plan, double scores[ROWS][7])
{
    static const char *const plans[] = {"ab", "", "xyz", "new"};
    static const int64_t zones[] = {7, -3, 40, 8};
    hbs_run *run = test_run(host, plan, 1);
    uint64_t random = 5;

    for (size_t r = 0; r < ROWS; r++) {
        const hbs_value row[] = {number_value((double)test_random_cell(&random)),
                                 text_value(plans[test_random(&random) % 4]),
                                 integer_value(zones[test_random(&random) % 4])};
        hbs_result result;
        hbs_error error;

        assert_status(hbs_score_row(run, row, 3, HBS_OUT_LABEL | HBS_OUT_PROBABILITIES | HBS_OUT_RAW, &result, &error),
                      HBS_OK, &error);
        scores[r][0] = result.label[0];
        memcpy(&scores[r][1], result.probabilities, 3 * sizeof(double));
        memcpy(&scores[r][4], result.raw, 3 * sizeof(double));
    }
    hbs_run_free(run);
}

static void a_copied_plan_scores_the_same_bits(void **state)
{
    static double before[ROWS][7], after[ROWS][7];
    fixture f;

    begin(&f);
    char *file = rich_file(&f);
    hbs_plan *plan = test_compile(&f.host.host, file, classes);
    size_t bytes = (size_t)plan->header->bytes;

    for (size_t shift = 8; shift <= 24; shift += 8) { /* 16-byte alignment is not needed */
        char *block = malloc(bytes + shift);

        assert_non_null(block);
        memcpy(block + shift, plan->header, bytes);
        hbs_plan copy = {.host = plan->host, .header = (hb_plan_header *)(void *)(block + shift)};

        score_rows(&f.host.host, plan, before);
        score_rows(&f.host.host, &copy, after);
        assert_memory_equal(before, after, sizeof before);
        free(block);
    }
    hbs_plan_free(plan);
    free(file);
    end(&f);
}

static void a_plan_does_not_change_by_scoring(void **state)
{
    static double scores[ROWS][7];
    fixture f;

    begin(&f);
    char *file = rich_file(&f);
    hbs_plan *plan = test_compile(&f.host.host, file, classes);
    size_t bytes = (size_t)plan->header->bytes;
    char *before = test_exact_copy(plan->header, bytes);

    score_rows(&f.host.host, plan, scores);
    assert_memory_equal(before, plan->header, bytes);
    free(before);
    hbs_plan_free(plan);
    free(file);
    end(&f);
}

/* A host whose new memory never holds the same twice. */
static void *allocate_any(void *context, size_t size)
{
    int *fill = context;
    void *block = malloc(size);

    return block ? memset(block, ++*fill, size) : NULL;
}

static void *resize_any(void *context, void *block, size_t size)
{
    return realloc(block, size);
}

static void release_any(void *context, void *block)
{
    free(block);
}

static void equal_models_give_equal_bytes(void **state)
{
    int fill = 0;
    const hbs_host host = {.context = &fill, .allocate = allocate_any, .resize = resize_any, .release = release_any};
    fixture f;

    begin(&f);
    char *file = rich_file(&f);
    hbs_plan *a = test_compile(&host, file, classes);
    hbs_plan *b = test_compile(&host, file, classes);

    assert_int_equal(a->header->bytes, b->header->bytes);
    assert_memory_equal(a->header, b->header, (size_t)a->header->bytes);
    assert_memory_equal(a->header->magic, "hbsplan1", 8);
    hbs_plan_free(a);
    hbs_plan_free(b);
    free(file);
    end(&f);
}

static void folding_changes_the_key_and_no_bit(void **state)
{
    static double on[ROWS][7], off[ROWS][7];
    hbs_plan_info info[2];
    fixture f;

    begin(&f);
    char *file = rich_file(&f);
    hbs_model *model = test_load(&f.host.host, file, classes);
    hbs_plan *plan[2];

    for (uint32_t i = 0; i < 2; i++) {
        const hbs_compile_options options = {.passes_off = i ? HBS_PASS_FOLD_CONSTANTS : 0};

        assert_status(hbs_plan_compile(model, &options, &plan[i], &f.error), HBS_OK, &f.error);
        score_rows(&f.host.host, plan[i], i ? off : on);
        hbs_plan_get_info(plan[i], &info[i]);
        hbs_plan_free(plan[i]);
    }
    assert_memory_equal(on, off, sizeof on);
    assert_memory_not_equal(info[0].key, info[1].key, 32);
    hbs_model_free(model);
    free(file);
    end(&f);
}

/* A base score that is not its own margin, folded and not, in blocks that share scratch with other tensors. */
static void an_unfolded_base_is_computed_for_each_tile(void **state)
{
    static const hb_base_link links[] = {HB_BASE_LOGIT, HB_BASE_LOG, HB_BASE_EXPECTILE};
    static double numbers[130];
    test_host host;

    test_host_init(&host);
    for (size_t i = 0; i < 3; i++) {
        double raw[2][130 * 3];

        for (uint32_t off = 0; off < 2; off++) {
            test_pipeline p;
            hbs_result result;

            test_pipeline_begin(&p, &host.host, 1);
            p.pipeline.raw = test_pipeline_forest(&p, 1, 3, links[i], 0.25f);
            p.pipeline.values = test_pipeline_link(&p, p.pipeline.raw, HB_LINK_EXPECTILE);
            hbs_plan *plan = test_pipeline_compile(&p, off ? HBS_PASS_FOLD_CONSTANTS : 0);
            hbs_run *run = test_run(&host.host, plan, 130);

            assert_status(hbs_score(run, &(hbs_column){HBS_FLOAT64, numbers, NULL}, 1, 130,
                                    HBS_OUT_RAW | HBS_OUT_VALUES, &result, &p.error),
                          HBS_OK, &p.error);
            memcpy(raw[off], result.raw, sizeof raw[off]);
            hbs_run_free(run);
            hbs_plan_free(plan);
            test_pipeline_end(&p);
        }
        assert_memory_equal(raw[0], raw[1], sizeof raw[0]);
        assert_true(fabs(raw[0][0] - (i == 0 ? 1 - log(3) : i == 1 ? 1 + log(0.25) : 1.25)) < 1e-6);
    }
    test_host_end(&host);
}

static void key_of(const hbs_host *host, const char *file, const char *options, const uint8_t *sha256, uint8_t key[32])
{
    hbs_source source = {.bytes = file,
                         .size = strlen(file),
                         .options = options,
                         .options_size = options ? strlen(options) : 0,
                         .sha256 = sha256};
    hbs_plan_info info;
    hbs_model *model;
    hbs_plan *plan;
    hbs_error error;

    assert_status(hbs_model_load(host, NULL, &source, &model, &error), HBS_OK, &error);
    assert_status(hbs_plan_compile(model, NULL, &plan, &error), HBS_OK, &error);
    hbs_plan_get_info(plan, &info);
    memcpy(key, info.key, 32);
    hbs_plan_free(plan);
    hbs_model_free(model);
}

static void the_key_is_of_bytes_options_and_passes(void **state)
{
    const hbs_compile_options off = {.passes_off = HBS_PASS_FOLD_CONSTANTS};
    uint8_t digest[32], keys[5][32];
    fixture f;

    begin(&f);
    char *file = rich_file(&f);

    assert_status(hbs_sha256(&f.host.host, file, strlen(file), digest, &f.error), HBS_OK, &f.error);
    key_of(&f.host.host, file, classes, NULL, keys[0]);
    key_of(&f.host.host, file, classes, digest, keys[1]);
    hbs_plan_key(digest, classes, strlen(classes), NULL, keys[2]);
    assert_memory_equal(keys[0], keys[1], 32);
    assert_memory_equal(keys[0], keys[2], 32);
    hbs_plan_key(digest, classes, strlen(classes), &(hbs_compile_options){0}, keys[2]);
    assert_memory_equal(keys[0], keys[2], 32);

    hbs_plan_key(digest, classes, strlen(classes), &off, keys[1]);
    hbs_plan_key(digest, classes, strlen(classes) - 1, NULL, keys[2]);
    digest[31] ^= 1;
    hbs_plan_key(digest, classes, strlen(classes), NULL, keys[3]);
    hbs_plan_key(digest, NULL, 0, NULL, keys[4]);
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < i; k++)
            assert_memory_not_equal(keys[i], keys[k], 32);
    hbs_plan_key(digest, "", 0, NULL, keys[0]);
    assert_memory_equal(keys[0], keys[4], 32); /* no options are no options */
    free(file);
    end(&f);
}

static hbs_status run_of(fixture *f, const hbs_plan *plan)
{
    hbs_run *run;
    hbs_status status = hbs_run_create(plan, &f->host.host, "churn", 1, &run, &f->error);

    hbs_run_free(run);
    return status;
}

/* What it holds is laid out for their kernels. */
static void a_plan_runs_only_on_its_own_isa(void **state)
{
    uint8_t digest[32] = {0}, key[32], other[32];
    fixture f;

    begin(&f);
    char *file = rich_file(&f);

    setenv("HBSCORE_INSTRUCTION_SET", "portable", 1);
    hbs_plan_key(digest, NULL, 0, NULL, key);
    hbs_plan *plan = test_compile(&f.host.host, file, classes);

    for (size_t s = 0; hb_kernels_at(s); s++) {
        setenv("HBSCORE_INSTRUCTION_SET", hb_kernels_at(s)->name, 1);
        assert_status(run_of(&f, plan), s == 0 ? HBS_OK : HBS_E_ARGS, &f.error);
        hbs_plan_key(digest, NULL, 0, NULL, other);
        assert_int_equal(memcmp(key, other, 32) == 0, s == 0);
        if (s == 0)
            continue;
        assert_non_null(
            strstr(f.error.text, "model \"churn\": the plan was compiled for the instruction set portable"));
        assert_non_null(strstr(f.error.text, hb_kernels_at(s)->name));
    }
    unsetenv("HBSCORE_INSTRUCTION_SET");
    hbs_plan_free(plan);
    free(file);
    end(&f);
}

static void bytes_that_are_no_plan_are_refused(void **state)
{
    fixture f;

    begin(&f);
    char *file = rich_file(&f);
    hbs_plan *plan = test_compile(&f.host.host, file, classes);

    plan->header->magic[7]++;
    assert_status(run_of(&f, plan), HBS_E_ARGS, &f.error);
    assert_non_null(strstr(f.error.text, "no plan of hbscore"));
    hbs_plan_free(plan);
    free(file);
    end(&f);
}

static void a_plan_says_what_it_takes_and_gives(void **state)
{
    hbs_plan_info info;
    hbs_value label;
    hbs_type type;
    hbs_text name;
    fixture f;

    begin(&f);
    char *file = rich_file(&f);
    hbs_plan *plan = test_compile(&f.host.host, file, classes);

    hbs_plan_get_info(plan, &info);
    assert_int_equal(info.task, HBS_CLASSIFIER);
    assert_true(info.named);
    assert_int_equal(info.features, 3);
    assert_int_equal(info.classes, 3);
    assert_int_equal(info.value_width, 0);
    assert_int_equal(info.values_width, 0);
    assert_int_equal(info.probabilities_width, 3);
    assert_int_equal(info.raw_width, 3);
    assert_true(info.bytes <= 2 * strlen(file) + 65536);
    assert_true(info.block_rows >= 64 && info.block_rows <= 512); /* it is small */
    hbs_plan_feature(plan, 0, &name, &type);
    assert_true(hb_text_is(name, "age") && type == HBS_FLOAT32);
    hbs_plan_feature(plan, 1, &name, &type);
    assert_true(hb_text_is(name, "plan") && type == HBS_TEXT);
    hbs_plan_feature(plan, 2, &name, &type);
    assert_true(hb_text_is(name, "zone") && type == HBS_FLOAT32);
    hbs_plan_class(plan, 2, &label);
    assert_true(label.type == HBS_TEXT && hb_text_is(label.as.text, "maybe"));
    hbs_plan_free(plan);
    free(file);
    end(&f);
}

static void classes_keep_their_types(void **state)
{
    test_host host;
    test_pipeline p;
    hbs_value label;

    test_host_init(&host);
    test_pipeline_begin(&p, &host.host, 1);
    p.pipeline.raw = test_pipeline_forest(&p, 1, 5, HB_BASE_IDENTITY, 0);
    test_pipeline_classes(&p, 5);
    p.pipeline.label = test_pipeline_head(&p, 2, HB_HEAD_ARGMAX, 0);
    p.pipeline.classes[0] = integer_value(INT64_MIN);
    p.pipeline.classes[1] = number_value(-0.5);
    p.pipeline.classes[2] = (hbs_value){.type = HBS_BOOL, .as.boolean = true};
    p.pipeline.classes[3] = text_value("");
    p.pipeline.classes[4] = (hbs_value){.type = HBS_TEXT, .as.text = {"a\0b", 3}};
    hbs_plan *plan = test_pipeline_compile(&p, 0);

    test_pipeline_end(&p); /* the plan outlives it */
    hbs_plan_class(plan, 0, &label);
    assert_true(label.type == HBS_INT64 && label.as.i64 == INT64_MIN);
    hbs_plan_class(plan, 1, &label);
    assert_true(label.type == HBS_FLOAT64 && label.as.f64 == -0.5);
    hbs_plan_class(plan, 2, &label);
    assert_true(label.type == HBS_BOOL && label.as.boolean);
    hbs_plan_class(plan, 3, &label);
    assert_true(label.type == HBS_TEXT && label.as.text.size == 0);
    hbs_plan_class(plan, 4, &label);
    assert_true(label.type == HBS_TEXT && label.as.text.size == 3);
    assert_memory_equal(label.as.text.bytes, "a\0b", 3);
    hbs_plan_free(plan);
    test_host_end(&host);
}

/* ------------------------------------------------------------------ dictionaries */

typedef struct dictionary {
    void *block;
    hb_plan_header *header;
    const hb_dictionary *d;
} dictionary;

static void write_dictionary(dictionary *made, const hb_categories *categories)
{
    hb_work work = {.done = 0}; /* nobody stops it */
    hb_flat flat = {NULL, 16};
    uint64_t offset;

    assert_int_equal(hb_dictionary_write(&flat, categories, &offset, &work, NULL), HBS_OK);
    uint64_t size = flat.size;

    made->block = malloc((size_t)size);
    assert_non_null(made->block);
    flat = (hb_flat){made->block, 16};
    assert_int_equal(hb_dictionary_write(&flat, categories, &offset, &work, NULL), HBS_OK);
    assert_int_equal(flat.size, size);
    made->header = made->block;
    made->d = hb_plan_at(made->header, offset);
}

static void texts_are_found_by_all_their_bytes(void **state)
{
    static const hbs_text texts[] = {{"b", 1}, {"a", 1},    {"", 0},   {"ab", 2},  {"a\0", 2},
                                     {"B", 1}, {"\xff", 1}, {"\0", 1}, {"abc", 3}, {"ba", 2}};
    static const hbs_text others[] = {{"c", 1}, {"A", 1}, {"abcd", 4}, {"\0\0", 2}, {"aa", 2}, {"bb", 2}};
    dictionary made;

    write_dictionary(&made, &(hb_categories){.type = HBS_TEXT, .count = 10, .texts = texts});
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(hb_dictionary_find_text(made.header, made.d, texts[i]), i);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(hb_dictionary_find_text(made.header, made.d, others[i]), -1);
    free(made.block);
}

/* Texts whose size, first and last eight bytes are the same, which is all that the slots look at. */
static void texts_that_collide_are_found(void **state)
{
    enum { N = 200, SIZE = 24 };
    static char bytes[N + 1][SIZE + 1];
    hbs_text texts[N];
    dictionary made;

    for (size_t i = 0; i <= N; i++) {
        snprintf(bytes[i], sizeof(bytes[i]), "begin.. %06zu ..theend", (i * 7919) % 1000003);
        if (i < N)
            texts[i] = (hbs_text){bytes[i], SIZE - 2};
    }
    write_dictionary(&made, &(hb_categories){.type = HBS_TEXT, .count = N, .texts = texts});
    for (size_t i = 0; i < N; i++)
        assert_int_equal(hb_dictionary_find_text(made.header, made.d, texts[i]), i);
    assert_int_equal(hb_dictionary_find_text(made.header, made.d, (hbs_text){bytes[N], SIZE - 2}), -1);
    free(made.block);
}

static void numbers_are_found_by_their_value(void **state)
{
    static const int64_t numbers[] = {5, INT64_MAX, -1, INT64_MIN, 0, 4};
    dictionary made;

    write_dictionary(&made, &(hb_categories){.type = HBS_INT64, .count = 6, .numbers = numbers});
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(hb_dictionary_find_number(made.header, made.d, numbers[i]), i);
    assert_int_equal(hb_dictionary_find_number(made.header, made.d, 1), -1);
    assert_int_equal(hb_dictionary_find_number(made.header, made.d, INT64_MAX - 1), -1);
    assert_int_equal(hb_dictionary_find_number(made.header, made.d, INT64_MIN + 1), -1);
    free(made.block);
}

static void real_numbers_are_found_by_their_value(void **state)
{
    static const double reals[] = {0.5, -1e300, 1e22, -0.0, 0.1, 2, INFINITY, 0x1p-1074, -7.25, 1e-7};
    static const double others[] = {0.25, 1e300, (double)0.1f, 2.0000000000000004, -INFINITY, NAN, 1e-8};
    dictionary made;

    write_dictionary(&made, &(hb_categories){.type = HBS_FLOAT64, .count = 10, .reals = reals});
    assert_int_equal((uintptr_t)hb_plan_at(made.header, made.d->numbers) % 8, 0);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(hb_dictionary_find_real(made.header, made.d, reals[i]), i);
    assert_int_equal(hb_dictionary_find_real(made.header, made.d, 0.0), 3); /* as -0.0 */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(hb_dictionary_find_real(made.header, made.d, others[i]), -1);
    free(made.block);
}

static void every_category_of_many_has_its_place_as_code(void **state)
{
    enum { N = 3000 };
    static char bytes[N][8];
    static hbs_text texts[N];
    static int64_t numbers[N];
    static double reals[N];
    uint64_t random = 3;
    dictionary made;

    for (size_t i = 0; i < N; i++) {
        numbers[i] = (int64_t)test_random(&random);
        reals[i] = (double)(i * 7919 % N) / 8 - 100;
        texts[i] = (hbs_text){bytes[i], (size_t)snprintf(bytes[i], 8, "%zu", i * 7919 % N)};
    }
    for (size_t n = 1; n <= N; n = n * 3 + 1) {
        write_dictionary(&made, &(hb_categories){.type = HBS_TEXT, .count = n, .texts = texts});
        for (size_t i = 0; i < N; i++)
            assert_int_equal(hb_dictionary_find_text(made.header, made.d, texts[i]), i < n ? (int64_t)i : -1);
        free(made.block);
        write_dictionary(&made, &(hb_categories){.type = HBS_INT64, .count = n, .numbers = numbers});
        for (size_t i = 0; i < N; i++)
            assert_int_equal(hb_dictionary_find_number(made.header, made.d, numbers[i]), i < n ? (int64_t)i : -1);
        free(made.block);
        write_dictionary(&made, &(hb_categories){.type = HBS_FLOAT64, .count = n, .reals = reals});
        for (size_t i = 0; i < N; i++)
            assert_int_equal(hb_dictionary_find_real(made.header, made.d, reals[i]), i < n ? (int64_t)i : -1);
        free(made.block);
    }
}

/* ------------------------------------------------------------------ plans in float64 */

/* LightGBM's text: a set of categories, a linear leaf, real-valued categories of a pandas column. */
static const char wide_file[] =
    "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=2\n"
    "objective=binary sigmoid:1\nfeature_names=age plan zone\nfeature_infos=[-1:1] [-1:1] 0:1:2\n\n"
    "Tree=0\nnum_leaves=3\nnum_cat=1\nsplit_feature=2 0\nthreshold=0 0.5\ndecision_type=9 10\n"
    "left_child=-1 -2\nright_child=1 -3\nleaf_value=0.25 -1 2\ncat_boundaries=0 1\ncat_threshold=5\n"
    "is_linear=1\nleaf_const=0.5 1 2\nnum_features=1 0 0\nleaf_features=1\nleaf_coeff=3\n\n\n"
    "end of trees\n\nfeature_importances:\n\npandas_categorical:[[0.5, -3, 1e22]]\n";

static double wide_raw(hbs_run *run, hbs_value age, hbs_value plan, hbs_value zone)
{
    const hbs_value row[] = {age, plan, zone};
    hbs_result result;
    hbs_error error;

    assert_status(hbs_score_row(run, row, 3, HBS_OUT_RAW | HBS_OUT_PROBABILITIES, &result, &error), HBS_OK, &error);
    assert_int_equal((uintptr_t)result.raw % 8, 0);
    return result.raw[0];
}

static void a_plan_in_float64_keeps_what_float32_would_lose(void **state)
{
    const hbs_value none = {.type = HBS_NULL}, in = {.type = HBS_FLOAT64, .as.f64 = 0.5};
    const hbs_value third = {.type = HBS_FLOAT64, .as.f64 = 1e22}, out = integer_value(-3);
    const double precise = 1.0000000000000002; /* 1 in float32 */
    test_host host;

    test_host_init(&host);
    hbs_plan *plan = test_compile(&host.host, wide_file, NULL);
    hbs_run *run = test_run(&host.host, plan, 100);

    assert_true(wide_raw(run, number_value(0), number_value(precise), in) == 0.5 + 3 * precise);
    assert_true(wide_raw(run, number_value(0), none, in) == 0.25);              /* its fallback */
    assert_true(wide_raw(run, number_value(0), number_value(1), third) == 3.5); /* code 2 of {0, 2} */
    assert_true(wide_raw(run, number_value(0.5), none, out) == 1);              /* code 1: no member, <= 0.5 */
    assert_true(wide_raw(run, number_value(0.5000000000000001), none, out) == 2);
    assert_true(wide_raw(run, none, none, none) == 1);                          /* missing goes left */
    assert_true(wide_raw(run, number_value(9), none, number_value(0.25)) == 2); /* unseen: missing */
    hbs_run_free(run);
    hbs_plan_free(plan);
    test_host_end(&host);
}

/* ------------------------------------------------------------------ the host */

static hbs_status load_compile_run(const hbs_host *host, void *context, hbs_error *error)
{
    const char *file = context;
    hbs_source source = {.bytes = file, .size = strlen(file), .options = classes, .options_size = strlen(classes)};
    const hbs_value row[] = {number_value(1), text_value("ab"), integer_value(7)};
    hbs_model *model;
    hbs_plan *plan = NULL;
    hbs_run *run = NULL;
    hbs_result result;
    hbs_status status = hbs_model_load(host, NULL, &source, &model, error);

    if (status == HBS_OK)
        status = hbs_plan_compile(model, NULL, &plan, error);
    hbs_model_free(model);
    if (status == HBS_OK)
        status = hbs_run_create(plan, host, "m", 100, &run, error);
    if (status == HBS_OK)
        status = hbs_score_row(run, row, 3, HBS_OUT_LABEL | HBS_OUT_RAW, &result, error);
    hbs_run_free(run);
    hbs_plan_free(plan);
    return status;
}

static void each_allocation_from_file_to_score_may_fail(void **state)
{
    fixture f;

    begin(&f);
    char *file = rich_file(&f);

    assert_true(test_each_allocation_fails(load_compile_run, file) > 20);
    free(file);
    end(&f);
}

static void compiling_stops_where_the_host_says(void **state)
{
    fixture f;

    begin(&f);
    char *file = rich_file(&f);
    hbs_model *model = test_load(&f.host.host, file, classes);
    hbs_plan *plan;
    size_t polls;

    f.host.polls = 0;
    assert_status(hbs_plan_compile(model, NULL, &plan, &f.error), HBS_OK, &f.error);
    polls = f.host.polls;
    hbs_plan_free(plan);
    assert_true(polls > 0);
    for (size_t i = 1; i <= polls; i++) {
        f.host.polls = 0;
        f.host.cancel_at = i;
        assert_status(hbs_plan_compile(model, NULL, &plan, &f.error), HBS_E_CANCEL, &f.error);
        assert_null(plan);
    }
    hbs_model_free(model);
    free(file);
    end(&f);
}

/* Names and categories are sorted at both stages: many of them must not be one long step. */
static void many_names_and_categories_are_sorted_with_polls(void **state)
{
    enum { N = 20000 };
    static char names[N * 8];
    static int64_t numbers[N];
    static hb_categories categories[N];
    static const uint8_t key[32];
    size_t size = 0;
    fixture f;

    begin(&f);
    for (size_t i = 0; i < N; i++) {
        size += (size_t)snprintf(names + size, sizeof names - size, "%s%zu", i ? "," : "", i);
        numbers[i] = -(int64_t)i;
    }
    categories[5] = (hb_categories){.type = HBS_INT64, .count = N, .numbers = numbers};
    for (int named = 0; named < 2; named++) {
        test_pipeline p;
        hbs_plan *plan;

        test_pipeline_begin(&p, &f.host.host, N);
        p.pipeline.raw = test_pipeline_forest(&p, 1, 1, HB_BASE_IDENTITY, 0);
        if (named)
            test_pipeline_names(&p, names);
        else
            p.pipeline.categories = categories;
        f.host.polls = 0;
        f.host.cancel_at = 30;
        assert_status(hb_pipeline_seal(&p.pipeline, &f.error), HBS_E_CANCEL, &f.error);
        f.host.cancel_at = 0;
        assert_status(hb_pipeline_seal(&p.pipeline, &f.error), HBS_OK, &f.error);
        f.host.polls = 0;
        f.host.cancel_at = 30;
        assert_status(hb_plan_compile(&p.pipeline, &f.host.host, 0, key, &plan, &f.error), HBS_E_CANCEL, &f.error);
        assert_null(plan);
        f.host.cancel_at = 0;
        test_pipeline_end(&p);
    }
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copied_plan_scores_the_same_bits),
        cmocka_unit_test(a_plan_does_not_change_by_scoring),
        cmocka_unit_test(equal_models_give_equal_bytes),
        cmocka_unit_test(folding_changes_the_key_and_no_bit),
        cmocka_unit_test(an_unfolded_base_is_computed_for_each_tile),
        cmocka_unit_test(the_key_is_of_bytes_options_and_passes),
        cmocka_unit_test(a_plan_runs_only_on_its_own_isa),
        cmocka_unit_test(bytes_that_are_no_plan_are_refused),
        cmocka_unit_test(a_plan_says_what_it_takes_and_gives),
        cmocka_unit_test(classes_keep_their_types),
        cmocka_unit_test(texts_are_found_by_all_their_bytes),
        cmocka_unit_test(texts_that_collide_are_found),
        cmocka_unit_test(numbers_are_found_by_their_value),
        cmocka_unit_test(real_numbers_are_found_by_their_value),
        cmocka_unit_test(every_category_of_many_has_its_place_as_code),
        cmocka_unit_test(a_plan_in_float64_keeps_what_float32_would_lose),
        cmocka_unit_test(each_allocation_from_file_to_score_may_fail),
        cmocka_unit_test(compiling_stops_where_the_host_says),
        cmocka_unit_test(many_names_and_categories_are_sorted_with_polls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
