/* inspect.c - what a model takes, gives and is, in lines for people (hbscore_inspect). */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "ir/labels.h"
#include "ir/pipeline.h"

/* The lines are numbered through all roles; each section answers for its own range. */
typedef struct section {
    size_t (*count)(const hb_pipeline *pipeline);
    bool (*line)(hb_pipeline *pipeline, size_t i, hbs_inspection *line); /* false: no memory */
} section;

/* Any bytes as NUL-terminated text; NULL where there is no memory. */
static const char *shown_text(hb_pipeline *pipeline, hbs_text text)
{
    char buffer[4 * 200 + 3];

    if (text.size == 0) /* also of 262,144 features without names */
        return "";
    hb_escape(text, 200, buffer, sizeof(buffer));
    return hb_arena_text(&pipeline->arena, buffer, strlen(buffer));
}

static size_t count_facts(const hb_pipeline *pipeline)
{
    return 1 + pipeline->n_facts;
}

static bool line_fact(hb_pipeline *pipeline, size_t i, hbs_inspection *line)
{
    line->role = "model";
    line->type = "";
    line->name = i == 0 ? "format" : pipeline->facts[i - 1].name;
    line->note = i == 0 ? pipeline->format : pipeline->facts[i - 1].value;
    return true;
}

static size_t count_features(const hb_pipeline *pipeline)
{
    return pipeline->n_features;
}

/* "3 categories: bronze, gold, silver" */
static const char *category_note(hb_pipeline *pipeline, const hb_categories *c)
{
    char note[480], item[HB_EXCERPT_BUFFER];
    int used = snprintf(note, sizeof(note), "%zu categories:", c->count);

    for (size_t i = 0; i < c->count; i++) {
        if (used > 120) {
            used += snprintf(note + used, sizeof(note) - (size_t)used, " ..");
            break;
        }
        if (c->type == HBS_TEXT)
            hb_escape(c->texts[i], 32, item, sizeof(item));
        else if (c->type == HBS_FLOAT64)
            hb_format_float64(c->reals[i], item);
        else
            snprintf(item, sizeof(item), "%lld", (long long)c->numbers[i]);
        used += snprintf(note + used, sizeof(note) - (size_t)used, "%s %s", i ? "," : "", item);
    }
    return hb_arena_text(&pipeline->arena, note, strlen(note));
}

/* The inspection is about the predictions, or the transform if the model has no predictions. */
static hb_asker asker_of(const hb_pipeline *pipeline)
{
    return pipeline->task == HBS_TRANSFORMER ? HB_FOR_TRANSFORM : HB_FOR_PREDICTIONS;
}

static uint8_t demands_of(const hb_pipeline *pipeline, size_t i)
{
    const uint8_t *demands = pipeline->demands[asker_of(pipeline)];

    return demands ? demands[i] : 0;
}

static bool is_hashed(const hb_pipeline *pipeline, size_t i)
{
    return pipeline->hashed && pipeline->hashed[i];
}

/* A category by its hash is never missing, but one that does not matter is not looked at. */
static bool takes_missing(const hb_pipeline *pipeline, size_t i)
{
    if (is_hashed(pipeline, i))
        return !hb_pipeline_is_live(pipeline, asker_of(pipeline), i);
    return !(demands_of(pipeline, i) & HB_DEMAND_KNOWN);
}

/* True if both databases can hold the bytes as a text. */
static bool is_plain_text(hbs_text text)
{
    return hb_utf8_valid(text.bytes, text.size) && !(text.size && memchr(text.bytes, 0, text.size));
}

static bool line_feature(hb_pipeline *pipeline, size_t i, hbs_inspection *line)
{
    const hb_categories *categories = hb_pipeline_categories(pipeline, i);
    hbs_text name = hb_pipeline_feature_name(pipeline, i);

    line->role = "feature";
    line->on_missing = takes_missing(pipeline, i) ? "scored" : pipeline->missing_is_error ? "error" : "null";
    line->categories = categories ? categories->count : 0;
    line->name = shown_text(pipeline, name);
    line->feature = name;
    if (line->name && !is_plain_text(name))
        line->feature = (hbs_text){line->name, strlen(line->name)};
    line->type = "number";
    line->note = "NULL is missing";
    if (categories) {
        line->type = categories->type == HBS_TEXT ? "text" : categories->type == HBS_INT64 ? "integer" : "number";
        line->note = category_note(pipeline, categories);
    } else if (pipeline->codes && pipeline->codes[i]) {
        line->type = "integer";
        line->note = "a category's code: the file does not hold the categories";
    } else if (pipeline->texts && pipeline->texts[i]) {
        line->type = "text";
        line->note = takes_missing(pipeline, i)   ? "split into words"
                     : pipeline->missing_is_error ? "split into words; NULL is an error"
                                                  : "split into words; NULL gives NULL";
    } else if (demands_of(pipeline, i) & HB_DEMAND_KNOWN) {
        line->note = pipeline->missing_is_error ? "NULL is an error" : "NULL gives NULL";
    } else if (is_hashed(pipeline, i)) {
        line->type = "text";
        line->note = takes_missing(pipeline, i)   ? "a category, also as a whole number; no prediction depends on it"
                     : pipeline->missing_is_error ? "a category, also as a whole number; NULL is an error"
                                                  : "a category, also as a whole number; NULL gives NULL";
    }
    return line->name && line->note;
}

static size_t count_classes(const hb_pipeline *pipeline)
{
    return pipeline->n_classes;
}

static bool line_class(hb_pipeline *pipeline, size_t i, hbs_inspection *line)
{
    const hbs_value *label = &pipeline->classes[i];
    char buffer[32];

    line->role = "class";
    line->type = label->type == HBS_TEXT    ? "text"
                 : label->type == HBS_BOOL  ? "boolean"
                 : label->type == HBS_INT64 ? "integer"
                                            : "number";
    line->note = "";
    line->label = *label;
    line->name = shown_text(pipeline, hb_label_text(label, buffer));
    return line->name != NULL;
}

/* The SQL functions that this model answers. */
static size_t output_value(const hb_pipeline *pipeline, size_t k, const char **name)
{
    const struct {
        const char *name;
        size_t value;
    } outputs[] = {
        {"predict", pipeline->label ? pipeline->label : pipeline->value},
        {"predict_label", pipeline->label},
        {"predict_probability", pipeline->n_classes ? pipeline->probabilities : 0},
        {"predict_proba", pipeline->probabilities},
        {"predict_values", pipeline->targets_are_places ? 0 : pipeline->values}, /* of texts: predict_json */
        {"decision_function", pipeline->raw},
        {"transform", pipeline->transform},
    };

    for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
        if (outputs[i].value == 0 || k-- > 0)
            continue;
        *name = outputs[i].name;
        return outputs[i].value;
    }
    return 0;
}

static size_t count_outputs(const hb_pipeline *pipeline)
{
    const char *name;
    size_t n = 0;

    while (output_value(pipeline, n, &name))
        n++;
    return n;
}

static bool line_output(hb_pipeline *pipeline, size_t i, hbs_inspection *line)
{
    size_t value = output_value(pipeline, i, &line->name);
    size_t width = hb_pipeline_width(pipeline, value);
    char note[64] = "";

    if (value == pipeline->probabilities && width == 1)
        width = 2; /* the first class's is the complement */
    if (strcmp(line->name, "predict_probability") == 0)
        width = 1;
    line->role = "output";
    line->type = value == pipeline->label ? "class" : width == 1 ? "number" : "numbers";
    if (width > 1)
        snprintf(note, sizeof(note), "%zu numbers", width);
    line->note = hb_arena_text(&pipeline->arena, note, strlen(note));
    return line->note != NULL;
}

static size_t count_operators(const hb_pipeline *pipeline)
{
    return pipeline->graph.nodes.count - 1;
}

static bool line_operator(hb_pipeline *pipeline, size_t i, hbs_inspection *line)
{
    const hb_node *node = hb_node_at(&pipeline->graph, i + 1);
    const hb_forest_model *forest = hb_node_forest(node);
    const char *summary = hb_operator_rows[node->kind].summary;
    char note[128];

    line->role = "operator";
    line->name = hb_operator_name(node->kind);
    line->type = "";
    if (forest)
        snprintf(note, sizeof(note), "%s: %zu trees, %zu nodes", summary, forest->n_trees, forest->nodes.count);
    else
        snprintf(note, sizeof(note), "%s", summary);
    line->note = hb_arena_text(&pipeline->arena, note, strlen(note));
    return line->note != NULL;
}

static const section sections[] = {
    {count_facts, line_fact},     {count_features, line_feature},   {count_classes, line_class},
    {count_outputs, line_output}, {count_operators, line_operator},
};

hbs_status hb_pipeline_inspect(hb_pipeline *pipeline, size_t index, hbs_inspection *line, hbs_error *error)
{
    for (size_t s = 0; s < sizeof(sections) / sizeof(sections[0]); s++) {
        size_t n = sections[s].count(pipeline);

        if (index < n) {
            *line = (hbs_inspection){.position = (int)index + 1, .on_missing = ""};
            return sections[s].line(pipeline, index, line) ? HBS_OK : hb_no_memory(pipeline->arena.memory, error);
        }
        index -= n;
    }
    return HBS_E_NOENT;
}
