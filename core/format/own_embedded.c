/* own_embedded.c - a boosting library's own file, inside ours: the operator `model`, as the last step, and `booster`,
 * whose numbers or probabilities other operators read.
 *
 * Its bytes are read by that library's reader, into a pipeline of its own that shares this one's memory and
 * limits; then its operators take their place behind the value that the model reads. Operators that would read
 * the library's table of features read that value, rounded as the library rounds its input. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "format/catboost.h"
#include "format/lightgbm.h"
#include "format/own.h"
#include "format/own_forest.h"
#include "format/xgboost.h"

/* Named as option format names them. Ours is not among them: files do not nest. */
static const struct {
    const char *name;
    bool marks_missing; /* the library may be told of a number that means missing */
    hbs_status (*read)(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                       hbs_error *error);
} formats[] = {
    {"xgboost-json", true, hb_xgboost_read_json},
    {"xgboost-ubjson", true, hb_xgboost_read_ubjson},
    {"lightgbm", false, hb_lightgbm_read},
    {"catboost", false, hb_catboost_read},
};

enum { N_FORMATS = sizeof(formats) / sizeof(formats[0]) };

/* The operator while it is read. */
typedef struct embedded {
    hb_own_reading *r;
    size_t format;
    int64_t rounds;       /* that count; 0: as the file says */
    double missing;       /* the number that means missing; NaN: none */
    bool zero_is_missing; /* training saw a sparse matrix, whose zeros are not there */
    bool is_part;         /* booster: its answers are a value, of a model with a task of its own */
    size_t n_classes;     /* booster: 0: a regressor's number */
    bool has_raw;         /* booster: raw scores of the classes stand behind the others */
    size_t size;          /* of the file */
    hb_pipeline *inner;
} embedded;

static bool fail_embedded(const embedded *e, hbs_status status, const char *what)
{
    hb_document_fail(e->r->file->d, status, "model: %s", what);
    return false;
}

/* ---- the members */

static bool read_settings(embedded *e)
{
    hb_own_file *file = e->r->file;
    const char *names[N_FORMATS];

    for (size_t i = 0; i < N_FORMATS; i++)
        names[i] = formats[i].name;
    e->format = hb_own_word(file, "format", names, N_FORMATS);
    if (e->format == SIZE_MAX || !hb_own_member(file, "rounds"))
        return false;
    e->rounds = hb_read_integer(file->d, 0, INT32_MAX);
    if (!hb_document_ok(file->d) || !hb_own_missing_read(e->r, &e->missing) || !hb_own_member(file, "zero_is_missing"))
        return false;
    e->zero_is_missing = hb_read_integer(file->d, 0, 1) == 1;
    if (!hb_document_ok(file->d))
        return false;
    if (!formats[e->format].marks_missing && (!isnan(e->missing) || e->zero_is_missing))
        return fail_embedded(e, HBS_E_FORMAT, "the library has no number that means a missing value");
    return true;
}

static bool read_classes(embedded *e)
{
    hb_own_file *file = e->r->file;

    if (!hb_own_member(file, "classes"))
        return false;
    e->n_classes = (size_t)hb_read_integer(file->d, 0, HB_MAX_OUTPUTS);
    if (!hb_document_ok(file->d) || !hb_own_member(file, "raw"))
        return false;
    e->has_raw = hb_read_integer(file->d, 0, e->n_classes > 0) == 1;
    return hb_document_ok(file->d);
}

/* Fails this document with the message of the embedded file's reader, which names the place inside that file. */
static bool fail_inside(const embedded *e, hbs_status status, const hbs_error *inside)
{
    size_t size = strlen(inside->text);
    char place[40] = "";
    size_t n;

    if (inside->offset != HBS_NO_OFFSET) {
        n = (size_t)snprintf(place, sizeof(place), " (byte %zu)", inside->offset);
        if (size >= n && memcmp(inside->text + size - n, place, n) == 0)
            size -= n;
        snprintf(place, sizeof(place), ", byte %zu", inside->offset);
    }
    hb_document_fail(e->r->file->d, status, "the embedded %s file%s: %.*s", formats[e->format].name, place, (int)size,
                     inside->text);
    return false;
}

/* The readers add to the pipeline's own arena, so what they make lasts as long as the pipeline. */
static bool read_inner(embedded *e, const uint8_t *bytes)
{
    hb_own_file *file = e->r->file;
    hb_pipeline *pipeline = file->pipeline;
    const hb_options options = {
        .rounds = e->rounds,
        .missing_given = true,
        .has_missing = !isnan(e->missing),
        .missing = e->missing,
        .missing_is_error = file->options->missing_is_error,
        .on_unseen = file->options->on_unseen,
        .format = {"auto", 4},
    };
    hbs_error error = {.status = HBS_OK, .offset = HBS_NO_OFFSET};
    hbs_status status;

    hb_pipeline_init(e->inner, pipeline->arena.memory, &pipeline->limits);
    e->inner->limits.max_nodes -= file->n_nodes;
    e->inner->format = formats[e->format].name;
    e->inner->arena = pipeline->arena;
    status = formats[e->format].read(bytes, e->size, &options, e->inner, &error);
    if (status == HBS_OK) /* an output whose operator could not be added looks like none */
        status = hb_graph_check(&e->inner->graph, &error);
    pipeline->arena = e->inner->arena;
    return status == HBS_OK || fail_inside(e, status, &error);
}

/* The base64's bytes; released when the file has been read. */
static bool read_file(embedded *e)
{
    hb_own_file *file = e->r->file;
    hb_memory *memory = file->pipeline->arena.memory;
    hbs_text text;
    uint8_t *bytes;
    bool ok;

    if (!hb_own_member(file, "file"))
        return false;
    text = hb_read_string(file->d);
    if (!hb_document_ok(file->d))
        return false;
    if (text.size < 4 || text.size % 4 != 0)
        return fail_embedded(e, HBS_E_FORMAT, "file is not base64");
    e->size = text.size / 4 * 3 - (text.bytes[text.size - 1] == '=') - (text.bytes[text.size - 2] == '=');
    bytes = hb_allocate(memory, e->size);
    if (!bytes)
        return hb_document_no_memory(file->d);
    ok = hb_own_decode(file, (const uint8_t *)text.bytes, text.size, bytes, e->size) ||
         fail_embedded(e, HBS_E_FORMAT, "file is not base64");
    ok = ok && read_inner(e, bytes);
    hb_release(memory, bytes, e->size);
    return ok;
}

/* ---- whether it fits */

/* Categories have their own texts or numbers, which the file looks up in the table of features: the
 * pipeline's numbers are no such table. Codes that are numbers already are tested as they are. */
static bool has_own_categories(const hb_pipeline *inner)
{
    for (size_t f = 0; f < inner->n_features; f++)
        if (hb_pipeline_categories(inner, f) || (inner->hashed && inner->hashed[f]) ||
            (inner->texts && inner->texts[f]))
            return true;
    return false;
}

/* True if a classifier of two classes has one score, that of the second. */
static bool has_one_score(const hb_pipeline *inner)
{
    for (size_t i = 0; i < inner->graph.nodes.count; i++) {
        const hb_node *node = hb_node_at(&inner->graph, i);

        if (node->kind == HB_OPERATOR_FOREST)
            return ((const hb_fit_forest *)node->fit)->forest->n_outputs == 1;
        if (node->kind == HB_OPERATOR_LINEAR)
            return ((const hb_fit_linear *)node->fit)->n_outputs == 1;
    }
    return false;
}

/* The label and the probabilities of a classifier, or the number of a regressor. */
static bool check_answers(const embedded *e)
{
    const hb_pipeline *inner = e->inner;

    if (inner->task == HBS_CLASSIFIER && !inner->label)
        return fail_embedded(e, HBS_E_UNSUPPORTED, "several yes-or-no labels a row");
    if (e->is_part && inner->task == HBS_CLASSIFIER && !inner->probabilities)
        return fail_embedded(e, HBS_E_UNSUPPORTED, "a classifier without probabilities, which others read");
    if (e->has_raw && (!inner->raw || has_one_score(inner) != (inner->n_classes == 2)))
        return fail_embedded(e, HBS_E_UNSUPPORTED, "raw scores of two classes, one each");
    if (e->is_part && inner->task == HBS_REGRESSOR && !inner->value)
        return fail_embedded(e, HBS_E_UNSUPPORTED, "a regressor of several outputs, which others read");
    return true;
}

static bool check_task(const embedded *e)
{
    static const char *const tasks[] = {[HBS_REGRESSOR] = "regressor",
                                        [HBS_CLASSIFIER] = "classifier",
                                        [HBS_RANKER] = "ranker",
                                        [HBS_TRANSFORMER] = "transformer"};
    hb_own_file *file = e->r->file;
    const hb_pipeline *outer = file->pipeline, *inner = e->inner;
    const char *who = e->is_part ? "operator" : "document";
    hbs_task part = e->n_classes ? HBS_CLASSIFIER : HBS_REGRESSOR, task = e->is_part ? part : outer->task;
    size_t n_classes = e->is_part ? e->n_classes : outer->n_classes;

    if (inner->task != task) {
        hb_document_fail(file->d, HBS_E_FORMAT, "model: the embedded file is a %s's, the %s says %s",
                         tasks[inner->task], who, tasks[task]);
        return false;
    }
    if (!check_answers(e))
        return false;
    if (inner->n_classes != n_classes)
        hb_document_fail(file->d, HBS_E_FORMAT, "model: the embedded file has %zu classes, the %s %zu",
                         inner->n_classes, who, n_classes);
    return hb_document_ok(file->d);
}

static bool check_inner(const embedded *e)
{
    hb_own_file *file = e->r->file;
    const hb_pipeline *inner = e->inner;

    if (inner->n_features != e->r->in[0]->width) {
        hb_document_fail(file->d, HBS_E_FORMAT, "model: the embedded file takes %zu columns, it gets %zu",
                         inner->n_features, e->r->in[0]->width);
        return false;
    }
    if (has_own_categories(inner))
        return fail_embedded(e, HBS_E_UNSUPPORTED,
                             "the embedded file has categories, which inside a "
                             "pipeline are codes: encode them in a step before it");
    return check_task(e);
}

/* ---- its place in the pipeline */

/* XGBoost's gblinear: it sums in float32, and goes through a DMatrix, which refuses infinities; XGBoost's trees,
 * LightGBM and CatBoost compare them. */
static bool is_linear(const hb_pipeline *inner)
{
    for (size_t i = 0; i < inner->graph.nodes.count; i++)
        if (hb_node_at(&inner->graph, i)->kind == HB_OPERATOR_LINEAR)
            return true;
    return false;
}

/* The value as the library takes it: XGBoost computes in float32, CatBoost rounds to it. */
static size_t add_input(const embedded *e)
{
    hb_pipeline *pipeline = e->r->file->pipeline;
    size_t value = e->r->in[0]->value;

    if (e->zero_is_missing) /* before rounding: what rounds to 0 is stored in the matrix */
        value = hb_pipeline_add(pipeline, HB_OPERATOR_MARK_MISSING, value, &(hb_fit_mark_missing){0});
    if (!e->inner->wide)
        return hb_pipeline_add(pipeline, HB_OPERATOR_NARROW, value, &(hb_fit_narrow){is_linear(e->inner)});
    if (e->inner->rounded)
        return hb_pipeline_add(pipeline, HB_OPERATOR_ROUND, value, NULL);
    return value;
}

/* Sums of numbers that a step before it may have made a last bit apart from the library's, in float32. */
static void note_sums(const embedded *e)
{
    if (!is_linear(e->inner))
        return;
    e->r->file->has_float32 = true;
    hb_own_adds(e->r->file);
}

/* The answers of the file are those of the document. */
static bool add_model(embedded *e)
{
    hb_pipeline *outer = e->r->file->pipeline;
    const hb_pipeline *inner = e->inner;
    size_t input = add_input(e), before = hb_pipeline_graft(outer, inner, input);

    outer->raw = hb_pipeline_grafted(inner->raw, input, before);
    outer->value = hb_pipeline_grafted(inner->value, input, before);
    outer->values = hb_pipeline_grafted(inner->values, input, before);
    outer->probabilities = hb_pipeline_grafted(inner->probabilities, input, before);
    outer->label = hb_pipeline_grafted(inner->label, input, before);
    note_sums(e);
    outer->embedded = before;
    outer->embedded_tolerance = inner->tolerance;
    e->r->file->answered = true;
    e->r->made = (hb_own_value){.width = 1, .is_label = true};
    return true;
}

/* One of its values, as the float64 numbers that our operators read. */
static size_t add_wide(const embedded *e, size_t value)
{
    return e->inner->wide ? value : hb_pipeline_add(e->r->file->pipeline, HB_OPERATOR_WIDEN, value, NULL);
}

/* A column for each class. */
static size_t add_probabilities(const embedded *e, size_t value)
{
    if (e->n_classes == 2 && has_one_score(e->inner))
        value = hb_pipeline_add(e->r->file->pipeline, HB_OPERATOR_COMPLEMENT, value, NULL);
    return add_wide(e, value);
}

/* The probability of each class, the label's number, and the raw scores, if they are asked for. */
static void add_columns(embedded *e, size_t input, size_t before)
{
    const hb_pipeline *inner = e->inner;
    size_t n_raw = !e->has_raw ? 0 : e->n_classes == 2 ? 1 : e->n_classes;
    uint32_t parts[3];

    parts[0] = (uint32_t)add_probabilities(e, hb_pipeline_grafted(inner->probabilities, input, before));
    parts[1] = (uint32_t)add_wide(e, hb_pipeline_grafted(inner->label, input, before));
    if (e->has_raw)
        parts[2] = (uint32_t)add_wide(e, hb_pipeline_grafted(inner->raw, input, before));
    e->r->made.value = hb_pipeline_add_of(e->r->file->pipeline, HB_OPERATOR_CONCAT, parts, e->has_raw ? 3 : 2, NULL);
    e->r->made.width = e->n_classes + 1 + n_raw;
}

/* The answers of the file are columns that other operators read. */
static bool add_part(embedded *e)
{
    hb_own_file *file = e->r->file;
    const hb_pipeline *inner = e->inner;
    size_t input = add_input(e), before = hb_pipeline_graft(file->pipeline, inner, input);

    file->has_float32 |= !inner->wide;
    note_sums(e);
    if (file->pipeline->tolerance < inner->tolerance)
        file->pipeline->tolerance = inner->tolerance;
    if (e->n_classes > 0) {
        add_columns(e, input, before);
        return true;
    }
    e->r->made.value = add_wide(e, hb_pipeline_grafted(inner->value, input, before));
    e->r->made.width = 1;
    return true;
}

/* The limit of nodes is that of all forests of the document. */
static bool count_nodes(const embedded *e)
{
    for (size_t i = 0; i < e->inner->graph.nodes.count; i++) {
        const hb_forest_model *forest = hb_node_forest(hb_node_at(&e->inner->graph, i));

        if (forest && !hb_own_forest_count(e->r->file, forest->nodes.count))
            return false;
    }
    return true;
}

/* The embedded file's own facts; what is missing is the operator's. */
static bool add_facts(const embedded *e)
{
    hb_pipeline *outer = e->r->file->pipeline;
    char number[32];

    if (hb_pipeline_fact(outer, "embedded", "%s, %zu bytes", formats[e->format].name, e->size) != HBS_OK)
        return hb_document_no_memory(e->r->file->d);
    if (e->is_part)
        return true;
    for (size_t i = 0; i < e->inner->n_facts && outer->n_facts < HB_MAX_FACTS; i++)
        if (strcmp(e->inner->facts[i].name, "missing") != 0)
            outer->facts[outer->n_facts++] = e->inner->facts[i];
    if (isnan(e->missing) && !e->zero_is_missing)
        return true;
    hb_format_float64(e->missing, number);
    if (hb_pipeline_fact(outer, "missing", "%s%s%s", isnan(e->missing) ? "" : number,
                         isnan(e->missing) || !e->zero_is_missing ? "" : ", ",
                         e->zero_is_missing ? "zeros, as in a sparse matrix" : "") != HBS_OK)
        return hb_document_no_memory(e->r->file->d);
    return true;
}

static bool embed_model(embedded *e)
{
    bool ok;

    hb_graph_init(&e->inner->graph, &e->inner->arena); /* the reader may fail before it is begun */
    ok = read_file(e) && check_inner(e) && count_nodes(e) && add_facts(e) && (e->is_part ? add_part(e) : add_model(e));
    for (size_t i = 0; !ok && i < e->inner->graph.nodes.count; i++) {
        hb_forest_model *forest = hb_node_forest(hb_node_at(&e->inner->graph, i));

        if (forest)
            hb_forest_model_release(forest);
    }
    hb_graph_release(&e->inner->graph);
    return ok;
}

static bool read_embedded(hb_own_reading *r, bool is_part)
{
    hb_memory *memory = r->file->pipeline->arena.memory;
    embedded e = {.r = r, .is_part = is_part};
    bool ok;

    if (!read_settings(&e) || (is_part && !read_classes(&e)))
        return false;
    e.inner = hb_allocate(memory, sizeof(*e.inner));
    if (!e.inner)
        return hb_document_no_memory(r->file->d);
    ok = embed_model(&e);
    hb_release(memory, e.inner, sizeof(*e.inner));
    return ok;
}

bool hb_own_read_model(hb_own_reading *r)
{
    return read_embedded(r, false);
}

bool hb_own_read_booster(hb_own_reading *r)
{
    return read_embedded(r, true);
}
