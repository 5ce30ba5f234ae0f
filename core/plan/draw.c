/* draw.c - a description as a drawing in Graphviz's language: the pipeline and the final graph, side by side.
 *
 * It is made of the description's lines alone. Every text of a model or a caller stands between quotes, escaped: no
 * name can end its quotes, start an escape of Graphviz or make an entity. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "plan/describe.h"

enum { LABEL = 512, NAMES = 4 /* of features that are shown */ };

typedef struct drawing {
    const hbs_plan_line *lines; /* the pipeline's operator k is lines[k - 1] */
    size_t n_lines;
    const char *features;
    size_t step;    /* the first line of the stage "plan" that is not drawn */
    hb_vector text; /* char */
    bool no_memory;
} drawing;

/* ------------------------------------------------------------------ writing */

static void put_bytes(drawing *g, const char *bytes, size_t size)
{
    g->no_memory |= size > 0 && !hb_vector_append(&g->text, bytes, size);
}

static void put(drawing *g, const char *words)
{
    put_bytes(g, words, strlen(words));
}

static void put_number(drawing *g, size_t number)
{
    char digits[24];

    snprintf(digits, sizeof(digits), "%zu", number);
    put(g, digits);
}

/* Between quotes. Control characters and bytes that are no UTF-8 are \xNN already, as in messages. */
static void put_escaped(drawing *g, const char *text)
{
    while (*text) {
        size_t plain = strcspn(text, "\\\"&");

        put_bytes(g, text, plain);
        text += plain;
        if (!*text)
            return;
        put(g, *text == '&' ? "&amp;" : *text == '"' ? "\\\"" : "\\\\");
        text++;
    }
}

/* ------------------------------------------------------------------ nodes */

static void put_id(drawing *g, char graph, size_t position)
{
    put_bytes(g, &graph, 1);
    put_number(g, position);
}

static void put_edge(drawing *g, char graph, size_t from, size_t to)
{
    put(g, "    ");
    put_id(g, graph, from);
    put(g, " -> ");
    put_id(g, graph, to);
    put(g, ";\n");
}

/* "2, 3" */
static void put_edges(drawing *g, char graph, const hbs_plan_line *line)
{
    size_t from = 0;

    for (const char *c = line->inputs; *c; c++) {
        if (*c >= '0' && *c <= '9')
            from = 10 * from + (size_t)(*c - '0');
        if (c[1] == 0 || c[1] == ',') {
            put_edge(g, graph, from, (size_t)line->position);
            from = 0;
        }
    }
}

/* The outputs that it is, as a node of their own. */
static void put_output(drawing *g, char graph, const hbs_plan_line *line)
{
    size_t position = (size_t)line->position;

    if (!*line->output)
        return;
    put(g, "    ");
    put_id(g, graph, position);
    put(g, "_out [shape=plain, fontname=\"Helvetica-Bold\", label=\"");
    put_escaped(g, line->output);
    put(g, "\"];\n    ");
    put_id(g, graph, position);
    put(g, " -> ");
    put_id(g, graph, position);
    put(g, "_out;\n");
}

static void put_label_line(drawing *g, const char *text)
{
    if (!*text)
        return;
    put(g, "\\n");
    put_escaped(g, text);
}

static void put_width(drawing *g, const hbs_plan_line *line)
{
    put(g, "\\n");
    put_number(g, line->width);
    put(g, " ");
    put_escaped(g, line->dtype);
}

/* For which operator of the pipeline, where their names differ. */
static void put_source(drawing *g, const hbs_plan_line *line)
{
    const char *source = line->source > 0 ? g->lines[line->source - 1].name : line->name;

    if (strcmp(source, line->name) == 0)
        return;
    put(g, "\\nof ");
    put_escaped(g, source);
}

/* The step that makes the tensor; NULL: none. Steps and tensors come in the order of their positions. */
static const hbs_plan_line *step_of(drawing *g, const hbs_plan_line *line)
{
    while (g->step < g->n_lines && g->lines[g->step].position < line->position)
        g->step++;
    return g->step < g->n_lines && g->lines[g->step].position == line->position ? &g->lines[g->step] : NULL;
}

static void put_node(drawing *g, char graph, const hbs_plan_line *line)
{
    const hbs_plan_line *step = graph == 'g' ? step_of(g, line) : NULL;
    bool table = *line->inputs == 0 && line->position == 0;

    put(g, "    ");
    put_id(g, graph, (size_t)line->position);
    put(g, *line->inputs ? " [label=\"" : " [style=rounded, label=\"");
    put_escaped(g, line->name);
    if (table)
        put_label_line(g, g->features);
    else
        put_width(g, line);
    if (graph == 'g' && !table)
        put_source(g, line);
    if (step)
        put_label_line(g, step->strategy);
    put(g, "\"];\n");
    put_edges(g, graph, line);
    put_output(g, graph, line);
}

/* ------------------------------------------------------------------ the two graphs */

/* The first line of the stage whose last line is before `to`. */
static size_t last_stage(const drawing *g, size_t to)
{
    size_t first = to;

    while (first > 0 && strcmp(g->lines[first - 1].stage, g->lines[to - 1].stage) == 0)
        first--;
    return first;
}

static hbs_status put_graph(drawing *g, char graph, const char *title, size_t first, size_t end, hbs_error *error)
{
    enum { UNITS_A_NODE = 64 };

    put(g, "  subgraph cluster_");
    put(g, title);
    put(g, " {\n    label=\"");
    put(g, title);
    put(g, "\";\n");
    if (graph == 'p')
        put_node(g, graph, &(hbs_plan_line){.name = "table", .inputs = "", .dtype = "", .output = ""});
    for (size_t i = first; i < end; i++) {
        HB_TRY(hb_worked(&g->text.memory->work, UNITS_A_NODE, error));
        if (strcmp(g->lines[i].name, "pass") != 0)
            put_node(g, graph, &g->lines[i]);
    }
    put(g, "  }\n");
    return HBS_OK;
}

static hbs_status put_all(drawing *g, hbs_text title, hbs_error *error)
{
    char shown[HB_EXCERPT_BUFFER];
    size_t lowered = 0, graph;

    while (strcmp(g->lines[lowered].stage, "pipeline") == 0)
        lowered++;
    g->step = last_stage(g, g->n_lines);
    graph = last_stage(g, g->step);
    put(g, "digraph hbscore {\n  label=\"");
    put_escaped(g, HB_SHOW(title, shown));
    put(g, "\"; labelloc=t; fontname=\"Helvetica\";\n"
           "  node [shape=box, fontname=\"Helvetica\", fontsize=10];\n");
    HB_TRY(put_graph(g, 'p', "pipeline", 0, lowered, error));
    HB_TRY(put_graph(g, 'g', "graph", graph, g->step, error));
    put(g, "}\n");
    return HBS_OK;
}

hbs_status hb_draw(hbs_description *description, hbs_text title, hbs_text *text, hbs_error *error)
{
    drawing g = {
        .lines = description->lines.items, .n_lines = description->lines.count, .features = description->features};
    hbs_status status;

    hb_vector_init(&g.text, &description->memory, 1);
    status = put_all(&g, title, error);
    if (status == HBS_OK && !g.no_memory) {
        text->size = g.text.count;
        text->bytes = hb_arena_text(&description->arena, g.text.items, text->size);
        g.no_memory = !text->bytes;
    }
    hb_vector_release(&g.text);
    return status == HBS_OK && g.no_memory ? hb_no_memory(&description->memory, error) : status;
}

/* "7 features: pclass, sex, age, sibsp, .." */
const char *hb_draw_features(const hb_pipeline *pipeline, hb_arena *arena)
{
    char words[32 + NAMES * (HB_EXCERPT_BUFFER + 2) + 2], name[HB_EXCERPT_BUFFER];
    size_t n = pipeline->n_features, used;

    used = (size_t)snprintf(words, sizeof(words), "%zu feature%s", n, n == 1 ? "" : "s");
    for (size_t i = 0; pipeline->name_bytes && i < n && i <= NAMES; i++)
        used += (size_t)snprintf(words + used, sizeof(words) - used, "%s%s", i == 0 ? ": " : ", ",
                                 i < NAMES ? HB_SHOW(hb_pipeline_feature_name(pipeline, i), name) : "..");
    return hb_arena_text(arena, words, used);
}
