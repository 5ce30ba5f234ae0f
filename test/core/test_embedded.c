/* test_embedded.c - boosting libraries' files inside hbscore's own format: they answer as the same file does
 * by itself of what the pipeline makes, bit by bit; what is missing; what is refused, in words. */
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "own_writer.h"

enum { ROWS = 100, WIDTH = 3 };

typedef struct model {
    hbs_plan *plan;
    hbs_run *run;
    hbs_plan_info info;
} model;

static test_host host;

static model opened(const char *json, const char *options)
{
    model m;

    m.plan = test_compile(&host.host, json, options);
    m.run = test_run(&host.host, m.plan, ROWS);
    hbs_plan_get_info(m.plan, &m.info);
    return m;
}

static void closed(model *m)
{
    hbs_run_free(m->run);
    hbs_plan_free(m->plan);
}

static uint32_t outputs_of(const model *m)
{
    return (m->info.value_width ? HBS_OUT_VALUE : 0u) | (m->info.values_width ? HBS_OUT_VALUES : 0u) |
           (m->info.probabilities_width ? HBS_OUT_PROBABILITIES : 0u) | (m->info.classes ? HBS_OUT_LABEL : 0u) |
           HBS_OUT_RAW;
}

/* Scores n rows [n][WIDTH] in a block. */
static hbs_result scored_for(model *m, const double *rows, size_t n, uint32_t outputs)
{
    static double cells[WIDTH][ROWS];
    hbs_column columns[WIDTH];
    hbs_result result;
    hbs_error error;

    for (size_t f = 0; f < WIDTH; f++) {
        columns[f] = (hbs_column){HBS_FLOAT64, cells[f], NULL};
        for (size_t r = 0; r < n; r++)
            cells[f][r] = rows[r * WIDTH + f];
    }
    assert_status(hbs_score(m->run, columns, WIDTH, n, outputs, &result, &error), HBS_OK, &error);
    return result;
}

static hbs_result scored(model *m, const double *rows, size_t n)
{
    return scored_for(m, rows, n, outputs_of(m));
}

static void same_numbers(const double *a, const double *b, size_t n)
{
    if (n == 0)
        return;
    assert_true(a && b);
    assert_memory_equal(a, b, n * sizeof(*a));
}

/* The outer model of `rows` answers as the plain one of `made`, which is what the pipeline makes of them. */
static void same_answers(const char *outer, const char *plain, const double *rows, const double *made, size_t n)
{
    model a = opened(outer, NULL), b = opened(plain, NULL);
    hbs_result x, y;

    assert_int_equal(outputs_of(&a), outputs_of(&b));
    assert_int_equal(a.info.raw_width, b.info.raw_width);
    x = scored(&a, rows, n);
    y = scored(&b, made, n);
    same_numbers(x.raw, y.raw, n * a.info.raw_width);
    same_numbers(x.value, y.value, n * a.info.value_width);
    same_numbers(x.values, y.values, n * a.info.values_width);
    same_numbers(x.probabilities, y.probabilities, n * a.info.probabilities_width);
    if (x.label)
        assert_memory_equal(x.label, y.label, n * sizeof(*x.label));
    closed(&a);
    closed(&b);
}

/* ------------------------------------------------------------------ files */

/* An XGBoost file of random trees; freed by the caller. */
static char *random_file(const char *objective, size_t n_classes, uint64_t seed)
{
    const test_shape shape = {.n_features = WIDTH,
                              .n_outputs = n_classes ? n_classes : 1,
                              .leaf_width = 1,
                              .n_trees = n_classes ? 3 * n_classes : 9,
                              .depth = 5,
                              .finite = true};
    test_file file = {.objective = objective, .n_classes = n_classes};
    hb_forest_model forest;
    hb_memory memory;
    char *text;

    hb_memory_init(&memory, &host.host, 0);
    hb_forest_model_init(&forest, &memory);
    test_random_forest(&forest, &shape, &seed);
    file.forest = &forest;
    text = test_write_file(&file);
    hb_forest_model_release(&forest);
    return text;
}

/* x0 < 0.5 ? -1 : 1, a missing one right; then x1 < 0 ? -10 : 10, a missing one left. */
static char *two_stumps(const char *objective)
{
    const hb_tree_node first[] = {test_split(0, 0.5f, 1, 2), test_leaf(-1), test_leaf(1)};
    const hb_tree_node second[] = {test_missing_left(test_split(1, 0, 1, 2)), test_leaf(-10), test_leaf(10)};
    test_file file = {.objective = objective, .base_score = "0"};
    hb_forest_model forest;
    hb_memory memory;
    char *text;

    hb_memory_init(&memory, &host.host, 0);
    hb_forest_model_init(&forest, &memory);
    forest.n_features = WIDTH;
    test_add_tree(&forest, first, 3, 0);
    test_add_tree(&forest, second, 3, 0);
    file.forest = &forest;
    text = test_write_file(&file);
    hb_forest_model_release(&forest);
    return text;
}

/* 1 x0 + 2 x1 + 3 x2 + 0.5 */
static char *linear_file(void)
{
    test_file file = {.objective = "reg:squarederror", .base_score = "0", .weights = "1,2,3,0.5", .n_features = WIDTH};

    return test_write_file(&file);
}

/* x0 <= 0.1 ? 1 : 2, in float64; a missing one left. */
static const char lightgbm_file[] =
    "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=2\n"
    "objective=binary sigmoid:1\nfeature_names=a b c\nfeature_infos=[-1:1] [-1:1] [-1:1]\n\n"
    "Tree=0\nnum_leaves=2\nnum_cat=0\nsplit_feature=0\nthreshold=0.1\ndecision_type=10\n"
    "left_child=-1\nright_child=-2\nleaf_value=1 2\n\n\nend of trees\n\nfeature_importances:\n\npandas_categorical:null\n";

/* x0 > 0.1f (a float32) ? 2 : 1; b and c are not used. */
#define FLOAT_FEATURE(name, index, borders)                                                                            \
    "{\"borders\":[" borders "],\"feature_id\":\"" name "\",\"feature_index\":" index ",\"flat_feature_index\":" index \
    ",\"has_nans\":false,\"nan_value_treatment\":\"AsIs\"}"
static const char catboost_file[] =
    "{\"features_info\":{\"float_features\":[" FLOAT_FEATURE("a", "0", "0.1000000015") "," FLOAT_FEATURE(
        "b", "1",
        "") "," FLOAT_FEATURE("c", "2",
                              "") "]},\"model_info\":{\"params\":"
                                  "{\"loss_function\":{\"params\":{},\"type\":\"RMSE\"}}},\"oblivious_trees\":[{\"leaf_values\":"
                                  "[1,2],\"leaf_weights\":[5,6],\"splits\":[{\"border\":0.1000000015,\"split_index\":0,"
                                  "\"split_type\":\"FloatFeature\"}]}],\"scale_and_bias\":[1,[0]]}";

/* x - 0.1, x - 0.2, x - 0.3 */
static const char *shift(void)
{
    return own_text("{\"op\":\"affine\",\"in\":[0],\"kind\":\"sub\",\"dtype\":\"f8\",\"a\":%s}", F8(0.1, 0.2, 0.3));
}

static double made[ROWS][WIDTH], rows[ROWS][WIDTH];

/* Rows on and next to the numbers that trees test, with NaN. */
static void draw_rows(uint64_t seed)
{
    static const double shifts[WIDTH] = {0.1, 0.2, 0.3};

    for (size_t r = 0; r < ROWS; r++)
        for (size_t f = 0; f < WIDTH; f++) {
            double x = (double)test_random_number(&seed, true);

            rows[r][f] = test_random(&seed) % 8 == 0 ? (double)NAN : x + shifts[f];
            made[r][f] = rows[r][f] - shifts[f];
        }
}

/* ------------------------------------------------------------------ answers */

static void trees_of_xgboost_read_what_the_pipeline_makes(void **state)
{
    static const struct {
        const char *objective;
        size_t n_classes;
    } cases[] = {{"reg:squarederror", 0}, {"binary:logistic", 0}, {"binary:hinge", 0}, {"binary:logitraw", 0},
                 {"multi:softprob", 3},   {"multi:softmax", 4},   {"count:poisson", 0}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *file = random_file(cases[i].objective, cases[i].n_classes, i + 1);
        const char *ops = own_text("%s,%s", shift(), own_model_of("1", (own_model){.file = file}));
        bool classes = cases[i].objective[0] == 'b' || cases[i].objective[0] == 'm';

        draw_rows(i + 1);
        same_answers(!classes                  ? own_regressor(WIDTH, ops)
                     : cases[i].n_classes == 3 ? own_classifier(WIDTH, I8(7, 8, 9), ops)
                     : cases[i].n_classes == 4 ? own_classifier(WIDTH, I8(7, 8, 9, 10), ops)
                                               : own_classifier(WIDTH, I8(7, 8), ops),
                     file, rows[0], made[0], ROWS);
        free(file);
    }
}

static double value_of(model *m, double a, double b, double c)
{
    const double row[WIDTH] = {a, b, c};
    hbs_result result = scored(m, row, 1);

    assert_true(result.valid[0] & 1);
    return result.raw[0];
}

/* The same step before it; each library compares in its own type. */
static void each_library_has_its_own_numbers(void **state)
{
    const double third = 0.1 + 0.1; /* becomes 0.1 */
    const double above = nextafter(0.1, 1);
    const char *before = shift();
    model lightgbm =
        opened(own_classifier(WIDTH, I8(0, 1),
                              own_text("%s,%s", SELECT("0", "0,1,2"),
                                       own_model_of("1", (own_model){.format = "lightgbm", .file = lightgbm_file}))),
               NULL);
    model catboost = opened(
        own_regressor(WIDTH, own_text("%s,%s", before,
                                      own_model_of("1", (own_model){.format = "catboost", .file = catboost_file}))),
        NULL);

    assert_true(value_of(&lightgbm, 0.1, 0, 0) == 1);
    assert_true(value_of(&lightgbm, above, 0, 0) == 2);
    assert_true(value_of(&lightgbm, NAN, 0, 0) == 1);
    assert_true(value_of(&catboost, third, 0, 0) == 1);
    assert_true(value_of(&catboost, nextafter(third, 1), 0, 0) == 1); /* the same float32 */
    assert_true(value_of(&catboost, 0.1 + (double)nextafterf(0.1f, 1), 0, 0) == 2);
    assert_true(catboost.info.value_tolerance == 0);             /* no exp: the same bits */
    assert_true(lightgbm.info.probabilities_tolerance == 1e-15); /* its own, not the pipeline's */
    assert_true(lightgbm.info.raw_tolerance == 0);
    closed(&lightgbm);
    closed(&catboost);
}

static void the_rounds_may_be_fewer(void **state)
{
    char *file = two_stumps("reg:squarederror");
    model m = opened(own_regressor(WIDTH, own_model_of("0", (own_model){.file = file, .rounds = "1"})), NULL);

    assert_true(value_of(&m, 0, 0, 0) == -1);
    assert_true(value_of(&m, 1, 0, 0) == 1);
    closed(&m);
    free(file);
}

static void a_ranker_gives_its_score(void **state)
{
    char *file = two_stumps("rank:ndcg");
    const char *json = own_text("{\"hbscore\":1,\"writer\":{},\"task\":\"ranker\",\"features\":["
                                "{\"type\":\"f8\"},{\"type\":\"f8\"},{\"type\":\"f8\"}],\"ops\":[%s]}",
                                own_model_of("0", (own_model){.file = file}));
    model m = opened(json, NULL);

    assert_int_equal(m.info.task, HBS_RANKER);
    assert_int_equal(m.info.value_width, 1);
    assert_true(value_of(&m, 1, 1, 0) == 11);
    closed(&m);
    free(file);
}

/* ------------------------------------------------------------------ missing numbers */

/* Scores of rows with 0, -0, a number that rounds to 0, -7 and NaN as x0, then as x1. */
static void missing_gives(const char *missing, const char *zero_is_missing, const double *expected)
{
    static const double cells[] = {0, -0.0, 1e-60, -7, NAN};
    char *file = two_stumps("reg:squarederror");
    model m = opened(own_regressor(WIDTH, own_model_of("0", (own_model){.file = file,
                                                                        .missing = missing,
                                                                        .zero_is_missing = zero_is_missing})),
                     NULL);

    for (size_t i = 0; i < 5; i++) {
        assert_true(value_of(&m, cells[i], 1, 1) == expected[i]);
        assert_true(value_of(&m, 1, cells[i], 1) == expected[i + 5]);
    }
    closed(&m);
    free(file);
}

static void a_number_may_mean_missing(void **state)
{
    missing_gives("\"nan\"", "0", (double[]){9, 9, 9, 9, 11, 11, 11, 11, -9, -9});
    missing_gives(F8(-7), "0", (double[]){9, 9, 9, 11, 11, 11, 11, 11, -9, -9});
    missing_gives(F8(0), "0", (double[]){11, 11, 11, 9, 11, -9, -9, -9, -9, -9});
    /* of a sparse matrix: what rounds to 0 is there */
    missing_gives("\"nan\"", "1", (double[]){11, 11, 9, 9, 11, -9, -9, 11, -9, -9});
    missing_gives(F8(-7), "1", (double[]){11, 11, 9, 11, 11, -9, -9, 11, -9, -9});
}

static void only_gblinear_refuses_infinities(void **state)
{
    const double bad[][WIDTH] = {{INFINITY, 1, 1}, {1, -INFINITY, 1}, {1, 1, 1e39}, {1, 1, NAN}};
    char *trees = two_stumps("reg:squarederror"), *linear = linear_file();
    model t = opened(own_regressor(WIDTH, own_model_of("0", (own_model){.file = trees})), NULL);
    model l = opened(own_regressor(WIDTH, own_model_of("0", (own_model){.file = linear})), NULL);
    hbs_result result;

    assert_true(value_of(&t, INFINITY, -INFINITY, 0) == -9);
    result = scored(&l, bad[0], 4);
    assert_int_equal(result.valid[0] & 15, 8);
    assert_true(result.raw[3] == 3.5);
    closed(&t);
    closed(&l);
    free(trees);
    free(linear);
}

/* A step before it asks for what it always asks for. */
static void steps_before_it_still_refuse(void **state)
{
    const double cells[][WIDTH] = {{1, INFINITY, 1}, {1, NAN, 1}, {1, 1, 1}};
    char *file = two_stumps("reg:squarederror");
    model m =
        opened(own_regressor(WIDTH, own_text("%s,%s", shift(), own_model_of("1", (own_model){.file = file}))), NULL);
    hbs_result result = scored(&m, cells[0], 3);

    assert_int_equal(result.valid[0] & 7, 6);
    closed(&m);
    free(file);
}

/* ------------------------------------------------------------------ parts of other estimators */

/* A booster of a classifier, its probabilities and its label, and the head that they go to. */
static const char *headed(const char *file, const char *classes, const char *proba, const char *label, const char *rule)
{
    return own_text(
        "%s,%s,{\"op\":\"select\",\"in\":[2],\"cols\":[%s]},{\"op\":\"select\",\"in\":[2],\"cols\":[%s]},%s", shift(),
        own_booster_of("1", classes, "0", (own_model){.file = file}), proba, label,
        own_head(rule, strcmp(rule, "half") == 0 ? "3,3,4" : "3,3"));
}

/* Its answers are those of the same file by itself. */
static void parts_give_what_the_file_gives(void **state)
{
    const struct {
        const char *objective, *classes, *proba, *label, *rule;
        size_t n_classes;
    } cases[] = {{"binary:logistic", "2", "0,1", "2", "half", 0},
                 {"multi:softprob", "3", "0,1,2", "3", "argmax_proba", 3}};
    hbs_result x, y;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *file = random_file(cases[i].objective, cases[i].n_classes, i + 21);
        const char *ops = headed(file, cases[i].classes, cases[i].proba, cases[i].label, cases[i].rule);
        model a = opened(own_classifier(WIDTH, i ? I8(7, 8, 9) : I8(7, 8), ops), NULL), b = opened(file, NULL);
        uint32_t asked = HBS_OUT_PROBABILITIES | HBS_OUT_LABEL;

        draw_rows(i + 21);
        x = scored_for(&a, rows[0], ROWS, asked);
        y = scored_for(&b, made[0], ROWS, asked);
        assert_int_equal(a.info.probabilities_width, b.info.probabilities_width);
        same_numbers(x.probabilities, y.probabilities, ROWS * a.info.probabilities_width);
        assert_memory_equal(x.label, y.label, ROWS * sizeof(*x.label));
        closed(&a);
        closed(&b);
        free(file);
    }
}

/* Two files, one of them twice; the mean of their numbers. */
static void a_document_may_have_several_parts(void **state)
{
    char *trees = two_stumps("reg:squarederror"), *linear = linear_file();
    const char *ops = own_text("%s,%s,{\"op\":\"combine\",\"in\":[1,2],\"function\":\"add\",\"dtype\":\"f8\"}",
                               own_booster_of("0", "0", "0", (own_model){.file = trees}),
                               own_booster_of("0", "0", "0", (own_model){.file = linear}));
    model m = opened(own_regressor(WIDTH, ops), NULL);
    const double row[WIDTH] = {1, 1, 1};
    hbs_result result = scored_for(&m, row, 1, HBS_OUT_VALUE);

    assert_true(result.value[0] == 11 + 6.5);
    closed(&m);
    free(trees);
    free(linear);
}

/* ------------------------------------------------------------------ what people are shown */

static void plans_show_where_float32_begins(void **state)
{
    static const char *const expected[] = {"pipeline ordinal float64", "pipeline scale float64",
                                           "pipeline narrow float32",  "pipeline forest float32",
                                           "pipeline link float32",    "pipeline head float32"};
    char *file = random_file("binary:logistic", 0, 5);
    const char *json =
        own_classifier(WIDTH, I8(0, 1), own_text("%s,%s", shift(), own_model_of("1", (own_model){.file = file})));
    hbs_model *loaded;
    hbs_description *d;
    hbs_error error;
    bool narrows = false;
    const hbs_plan_line *line;

    loaded = test_load(&host.host, json, NULL);
    assert_status(hbs_plan_describe(loaded, NULL, &d, &error), HBS_OK, &error);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        line = hbs_description_line(d, i);
        assert_string_equal(own_text("%s %s %s", line->stage, line->name, line->dtype), expected[i]);
    }
    for (size_t i = 0; (line = hbs_description_line(d, i)) != NULL; i++)
        narrows |= strcmp(line->stage, "plan") == 0 && strcmp(line->name, "narrow") == 0;
    assert_true(narrows);
    hbs_description_free(d);
    hbs_model_free(loaded);
    free(file);
}

static void the_inspection_has_the_facts_of_the_file(void **state)
{
    static const char *const facts[] = {"format | hbscore",
                                        "embedded | xgboost-json, ",
                                        "library | XGBoost 3.1.0",
                                        "objective | reg:squarederror",
                                        "booster | gbtree",
                                        "rounds | 1 of 2",
                                        "missing | -7.0, zeros, as in a sparse matrix"};
    char *file = two_stumps("reg:squarederror");
    hbs_model *loaded = test_load(
        &host.host,
        own_regressor(
            WIDTH,
            own_model_of("0", (own_model){.file = file, .rounds = "1", .missing = F8(-7), .zero_is_missing = "1"})),
        NULL);
    hbs_inspection line;
    hbs_error error;

    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const char *shown;

        assert_status(hbs_model_inspect(loaded, i, &line, &error), HBS_OK, &error);
        shown = own_text("%s | %s", line.name, line.note);
        assert_memory_equal(shown, facts[i], strlen(facts[i]));
    }
    hbs_model_free(loaded);
    free(file);
}

/* ------------------------------------------------------------------ errors */

static void refused(const char *json, const char *options, hbs_status status, const char *text)
{
    hbs_source source = {
        .bytes = json, .size = strlen(json), .options = options, .options_size = options ? strlen(options) : 0};
    hbs_model *loaded = NULL;
    hbs_error error = {.status = HBS_OK};

    assert_status(hbs_model_load(&host.host, NULL, &source, &loaded, &error), status, &error);
    if (strncmp(error.text, text, strlen(text)) != 0)
        fail_msg("found %s, expected %s", error.text, text);
    hbs_model_free(loaded);
}

static const char *with(own_model model)
{
    return own_regressor(WIDTH, own_model_of("0", model));
}

static void the_members_are_strict(void **state)
{
    static const char none[] = "ops[0].zero_is_missing: model: the library has no number that means a "
                               "missing value";
    char *file = two_stumps("reg:squarederror");
    const struct {
        own_model model;
        hbs_status status;
        const char *text;
    } cases[] = {
        {{.format = "hbscore"},
         HBS_E_UNSUPPORTED,
         "ops[0].format: format \"hbscore\" is unknown to this version of hbscore"},
        {{.format = "onnx"}, HBS_E_UNSUPPORTED, "ops[0].format: format \"onnx\" is unknown to this version of hbscore"},
        {{.rounds = "-1"}, HBS_E_FORMAT, "ops[0].rounds: expected an integer of 0 to 2147483647, found -1"},
        {{.rounds = "3"},
         HBS_E_ARGS,
         "ops[0].file: the embedded xgboost-json file: option rounds is 3, the model has 2 rounds"},
        {{.missing = "-1"}, HBS_E_FORMAT, "ops[0].missing: expected an object, found an integer"},
        {{.missing = "\"none\""},
         HBS_E_UNSUPPORTED,
         "ops[0].missing: missing \"none\" is unknown to this version of hbscore"},
        {{.missing = F8(1, 2)}, HBS_E_FORMAT, "ops[0].missing: missing is no number"},
        {{.missing = F8(INFINITY)}, HBS_E_FORMAT, "ops[0].missing: missing is no number"},
        {{.missing = F8(NAN)}, HBS_E_FORMAT, "ops[0].missing: missing is no number"},
        {{.zero_is_missing = "2"}, HBS_E_FORMAT, "ops[0].zero_is_missing: expected an integer of 0 to 1, found 2"},
        {{.format = "lightgbm", .missing = F8(0)}, HBS_E_FORMAT, none},
        {{.format = "catboost", .zero_is_missing = "1"}, HBS_E_FORMAT, none},
        {{.file = ""}, HBS_E_FORMAT, "ops[0].file: model: file is not base64"},
        {{.file = "{"}, HBS_E_FORMAT, "ops[0].file: the embedded xgboost-json file, byte 1: "},
        {{.format = "lightgbm", .file = "tree\nversion=v4\n"},
         HBS_E_FORMAT,
         "ops[0].file: the embedded lightgbm file, byte "},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        own_model model = cases[i].model;

        model.file = model.file ? model.file : file;
        refused(with(model), NULL, cases[i].status, cases[i].text);
    }
    free(file);
}

static void the_file_and_the_document_agree(void **state)
{
    char *trees = two_stumps("reg:squarederror"), *binary = two_stumps("binary:logistic");
    const char *regressor = own_model_of("0", (own_model){.file = trees});
    const char *classifier = own_model_of("0", (own_model){.file = binary});

    refused(own_regressor(2, regressor), NULL, HBS_E_FORMAT,
            "ops[0].file: model: the embedded file takes 3 columns, it gets 2");
    refused(own_classifier(WIDTH, I8(0, 1), regressor), NULL, HBS_E_FORMAT,
            "ops[0].file: model: the embedded file is a regressor's, the document says classifier");
    refused(own_regressor(WIDTH, classifier), NULL, HBS_E_FORMAT,
            "ops[0].file: model: the embedded file is a classifier's, the document says regressor");
    refused(own_classifier(WIDTH, I8(0, 1, 2), classifier), NULL, HBS_E_FORMAT,
            "ops[0].file: model: the embedded file has 2 classes, the document 3");
    refused(own_regressor(WIDTH, own_text("%s," CAST("0"), regressor)), NULL, HBS_E_FORMAT,
            "ops[1].in: an operator behind the model's answer");
    refused(own_regressor(WIDTH, own_text("%s," CAST("1"), regressor)), NULL, HBS_E_FORMAT,
            "ops[1].in[0]: too many inputs, or one that is a label");
    refused(own_regressor(WIDTH, own_model_of("0,0", (own_model){.file = trees})), NULL, HBS_E_FORMAT,
            "ops[0].in: the operator does not take so many inputs");
    refused(own_regressor(WIDTH, own_text("%s,%s", own_repeated(CAST("0"), ",", 4096), regressor)), NULL, HBS_E_LIMIT,
            "ops[4096]: too many operators");
    refused(own_regressor(WIDTH, own_text("%s,%s", own_repeated(CAST("0"), ",", 4095), regressor)), NULL, HBS_OK, "");
    refused("{\"hbscore\":1,\"writer\":{},\"task\":\"ranker\",\"features\":[{\"type\":\"f8\"}],"
            "\"ops\":[" CAST("0") "]}",
            NULL, HBS_E_FORMAT, "ops: the last operator is not the model's answer");
    refused(own_regressor(WIDTH, regressor), "{\"rounds\":1}", HBS_E_ARGS, "option rounds");
    refused(own_classifier(WIDTH, I8(0, 1), classifier), "{\"classes\":[1,2,3]}", HBS_E_ARGS,
            "option classes has 3 labels");
    free(trees);
    free(binary);
}

static void a_part_and_its_file_agree(void **state)
{
    char *trees = two_stumps("reg:squarederror"), *binary = two_stumps("binary:logistic");
    char *hinge = two_stumps("binary:hinge"), *ranker = two_stumps("rank:ndcg");
    const struct {
        const char *file, *classes, *raw;
        hbs_status status;
        const char *text;
    } cases[] = {
        {trees, "2", "0", HBS_E_FORMAT,
         "ops[0].file: model: the embedded file is a regressor's, the operator says classifier"},
        {binary, "0", "0", HBS_E_FORMAT,
         "ops[0].file: model: the embedded file is a classifier's, the operator says regressor"},
        {ranker, "0", "0", HBS_E_FORMAT,
         "ops[0].file: model: the embedded file is a ranker's, the operator says regressor"},
        {binary, "3", "0", HBS_E_FORMAT, "ops[0].file: model: the embedded file has 2 classes, the operator 3"},
        {hinge, "2", "0", HBS_E_UNSUPPORTED, "ops[0].file: model: a classifier without probabilities"},
        {trees, "-1", "0", HBS_E_FORMAT, "ops[0].classes: expected an integer of 0 to "},
        {trees, "0", "1", HBS_E_FORMAT, "ops[0].raw: expected an integer of 0 to 0, found 1"},
        {binary, "2", "2", HBS_E_FORMAT, "ops[0].raw: expected an integer of 0 to 1, found 2"},
        {binary, "2", "1", HBS_E_FORMAT, "ops[1].cols: a column that is not there"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(
            own_regressor(WIDTH, own_text("%s," SELECT("1", "9"), own_booster_of("0", cases[i].classes, cases[i].raw,
                                                                                 (own_model){.file = cases[i].file}))),
            NULL, cases[i].status, cases[i].text);
    free(trees);
    free(binary);
    free(hinge);
    free(ranker);
}

static void several_labels_a_row_are_refused(void **state)
{
    test_file file = {.objective = "binary:logistic", .n_targets = 2};
    hb_forest_model forest;
    hb_memory memory;
    char *text;

    hb_memory_init(&memory, &host.host, 0);
    hb_forest_model_init(&forest, &memory);
    forest.n_features = WIDTH;
    for (int group = 0; group < 2; group++)
        test_add_tree(&forest, (const hb_tree_node[]){test_leaf(1)}, 1, group);
    file.forest = &forest;
    text = test_write_file(&file);
    hb_forest_model_release(&forest);
    refused(own_classifier(WIDTH, I8(0, 1), own_model_of("0", (own_model){.file = text})), NULL, HBS_E_UNSUPPORTED,
            "ops[0].file: model: several yes-or-no labels a row");
    free(text);
}

/* A text feature must be encoded before. */
static void texts_are_refused(void **state)
{
    char *file = two_stumps("reg:squarederror");

    refused(own_text("{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":["
                     "{\"type\":\"f8\"},{\"type\":\"str\"},{\"type\":\"f8\"}],\"ops\":[%s]}",
                     own_model_of("0", (own_model){.file = file})),
            NULL, HBS_E_FORMAT, "ops[0].in: a text where the operator takes numbers");
    free(file);
}

static void the_limit_of_nodes_is_that_of_all(void **state)
{
    char *file = two_stumps("reg:squarederror");
    const char *json = own_regressor(
        WIDTH, own_text("%s,%s", own_forest_of("0", (own_forest){0}), own_model_of("0", (own_model){.file = file})));

    for (size_t most = 8; most < 10; most++) {
        const hbs_limits limits = {.max_nodes = most};
        hbs_source source = {.bytes = json, .size = strlen(json)};
        hbs_model *loaded = NULL;
        hbs_error error;

        assert_status(hbs_model_load(&host.host, &limits, &source, &loaded, &error), most == 9 ? HBS_OK : HBS_E_LIMIT,
                      &error);
        hbs_model_free(loaded);
    }
    free(file);
}

static int fresh(void **state)
{
    own_reset();
    test_host_init(&host);
    return 0;
}

static int finished(void **state)
{
    test_host_end(&host);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, finished)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(trees_of_xgboost_read_what_the_pipeline_makes),
        TEST(each_library_has_its_own_numbers),
        TEST(the_rounds_may_be_fewer),
        TEST(a_ranker_gives_its_score),
        TEST(a_number_may_mean_missing),
        TEST(only_gblinear_refuses_infinities),
        TEST(steps_before_it_still_refuse),
        TEST(plans_show_where_float32_begins),
        TEST(the_inspection_has_the_facts_of_the_file),
        TEST(the_members_are_strict),
        TEST(the_file_and_the_document_agree),
        TEST(several_labels_a_row_are_refused),
        TEST(a_part_and_its_file_agree),
        TEST(parts_give_what_the_file_gives),
        TEST(a_document_may_have_several_parts),
        TEST(texts_are_refused),
        TEST(the_limit_of_nodes_is_that_of_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
