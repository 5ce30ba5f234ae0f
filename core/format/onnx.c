/* onnx.c - the graph of an ONNX file: each name stands for one value, and nodes stand in an order in which they can be
 * computed. So the nodes are gone through once, and each makes operators of the pipeline. */
#include "format/onnx.h"

#include <string.h>

#include "base/sort.h"
#include "format/apply_options.h"

/* ---- the beginning of a file */

/* Field 1, a varint of 1 to 2 bytes, is the version; a file that goes on has one of the other fields of a model. */
bool hb_is_onnx(const uint8_t *bytes, size_t size)
{
    enum { VERSION = 0x08, LARGEST = 100, FIELDS = 25 };
    unsigned number;

    if (size < 3 || bytes[0] != VERSION || bytes[1] == 0 || bytes[1] > LARGEST)
        return false;
    number = bytes[2] >> 3;
    if (bytes[2] & 0x80)
        number = size > 3 ? (bytes[2] & 0x7fu) >> 3 | (unsigned)bytes[3] << 4 : 0;
    if (number == 5) /* model_version, the one number */
        return (bytes[2] & 7) == HB_WIRE_VARINT;
    return number >= 2 && number <= FIELDS && (bytes[2] & 7) == HB_WIRE_BYTES;
}

/* ---- errors, attributes and inputs of a node */

hbs_status hb_onnx_refuse(hb_onnx_file *file, const hb_onnx_node *node, hbs_status status, const char *format, ...)
{
    char name[HB_EXCERPT_BUFFER], op[HB_EXCERPT_BUFFER];
    va_list arguments;

    va_start(arguments, format);
    hb_fail_list(file->error, status, node->at, format, arguments);
    va_end(arguments);
    hb_error_prefix(file->error, "node %zu (\"%s\", %s): ", node->place, HB_SHOW(node->name, name),
                    HB_SHOW(node->op, op));
    return status;
}

hbs_status hb_onnx_attribute_find(hb_onnx_file *file, const hb_onnx_node *node, const char *name, hb_onnx_kind kind,
                                  const hb_onnx_attribute **attribute)
{
    *attribute = NULL;
    for (size_t i = 0; i < node->n_attributes; i++) {
        const hb_onnx_attribute *a = &node->attributes[i];

        HB_TRY(hb_worked(file->bytes.work, 2, file->error));
        if (!hb_text_is(a->name, name))
            continue;
        if (*attribute)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "attribute %s stands twice", name);
        if (a->kind != kind)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "attribute %s is of another type", name);
        *attribute = a;
    }
    return HBS_OK;
}

hbs_status hb_onnx_word(hb_onnx_file *file, const hb_onnx_node *node, const char *name, const char *usual,
                        hbs_text *word)
{
    const hb_onnx_attribute *a;

    HB_TRY(hb_onnx_attribute_find(file, node, name, HB_ONNX_KIND_TEXT, &a));
    *word = a ? a->text : (hbs_text){usual, strlen(usual)};
    return HBS_OK;
}

hbs_status hb_onnx_floats(hb_onnx_file *file, const hb_onnx_node *node, const char *name, float **numbers, size_t *n)
{
    const hb_onnx_attribute *a;
    hb_onnx_items items;

    *numbers = NULL;
    *n = 0;
    HB_TRY(hb_onnx_attribute_find(file, node, name, HB_ONNX_KIND_FLOATS, &a));
    if (!a)
        return HBS_OK;
    *numbers = hb_arena_array(&file->pipeline->arena, a->count, sizeof(**numbers));
    if (!*numbers)
        return hb_no_memory(file->arena.memory, file->error);
    items = hb_onnx_items_of(a);
    for (; *n < a->count; ++*n)
        (*numbers)[*n] = hb_onnx_next_float(&items);
    return file->bytes.status;
}

/* Input k, which must be there. */
static hbs_status find_input(hb_onnx_file *file, const hb_onnx_node *node, size_t k, const hb_onnx_value **value)
{
    char shown[HB_EXCERPT_BUFFER];

    *value = hb_onnx_named(file, node->inputs[k]);
    if (!*value)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it reads \"%s\", which nothing in the file makes",
                              HB_SHOW(node->inputs[k], shown));
    if ((*value)->form == HB_ONNX_NOTHING)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it reads \"%s\", which no node before it makes",
                              HB_SHOW(node->inputs[k], shown));
    return HBS_OK;
}

hbs_status hb_onnx_numbers(hb_onnx_file *file, const hb_onnx_node *node, size_t k, bool of_model,
                           const hb_onnx_value **numbers)
{
    HB_TRY(find_input(file, node, k, numbers));
    if ((*numbers)->form != HB_ONNX_NUMBERS)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore reads it only if input %zu is numbers of each row", k);
    if ((*numbers)->type == HB_ONNX_STRING)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore does not read it of texts yet");
    if (!of_model && (*numbers)->is_pair)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "it computes with the two numbers that a model of one score gives, which hbscore does "
                              "not read yet");
    return HBS_OK;
}

hbs_status hb_onnx_features(hb_onnx_file *file, const hb_onnx_node *node, bool takes_float64,
                            const hb_onnx_value **numbers)
{
    HB_TRY(hb_onnx_numbers(file, node, 0, true, numbers));
    if ((*numbers)->type == HB_ONNX_DOUBLE && !takes_float64)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore does not read it of float64 yet");
    if ((*numbers)->n_dims != 2 || (*numbers)->dims[0] != 1 || (*numbers)->row > 0)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it of a matrix with a row for each row");
    return (*numbers)->is_pair ? hb_onnx_numbers(file, node, 0, false, numbers) : HBS_OK;
}

hbs_status hb_onnx_constant(hb_onnx_file *file, const hb_onnx_node *node, size_t k, const hb_onnx_tensor **tensor)
{
    const hb_onnx_value *value;

    HB_TRY(find_input(file, node, k, &value));
    if (value->form != HB_ONNX_CONSTANT || !value->constant || value->columns)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore reads it only if input %zu is a constant as it stands in the file", k);
    *tensor = value->constant;
    return HBS_OK;
}

hbs_status hb_onnx_give(hb_onnx_file *file, const hb_onnx_node *node, size_t k, const hb_onnx_value *made)
{
    hb_onnx_value *value = k < node->n_outputs ? hb_onnx_named(file, node->outputs[k]) : NULL;

    if (!value)
        return HBS_OK;
    *value = *made;
    if (value->width == 0 && value->form == HB_ONNX_NUMBERS) { /* whatever the row: it has no item */
        value->form = HB_ONNX_CONSTANT;
        value->constant = NULL;
        value->numbers = hb_arena_array(&file->arena, 1, sizeof(*value->numbers));
        if (!value->numbers)
            return hb_no_memory(file->arena.memory, file->error);
    }
    if (value->type == 0) { /* a model's: float32 numbers side by side, or a label */
        value->type = value->form != HB_ONNX_LABEL                                 ? HB_ONNX_FLOAT
                      : value->n_classes > 0 && value->classes[0].type == HBS_TEXT ? HB_ONNX_STRING
                                                                                   : HB_ONNX_INT64;
        value->n_dims = value->form == HB_ONNX_LABEL ? 1 : 2;
        value->dims[0] = 1;
        value->dims[1] = (int64_t)value->width;
        value->row = 0;
    }
    return HBS_OK;
}

size_t hb_onnx_selected(hb_onnx_file *file, const hb_onnx_value *numbers)
{
    return numbers->columns ? hb_onnx_wide(file, numbers) : numbers->value;
}

size_t hb_onnx_narrowed(hb_onnx_file *file, const hb_onnx_value *numbers)
{
    if (numbers->is_float32 && !numbers->columns)
        return numbers->value;
    return hb_pipeline_add(file->pipeline, HB_OPERATOR_NARROW, hb_onnx_wide(file, numbers), &(hb_fit_narrow){false});
}

/* ---- names */

/* Equal names in the order of the list: a constant, an input, what nodes make. */
static int compare_names(const void *context, uint32_t a, uint32_t b)
{
    const hb_onnx_file *file = context;
    int order = hb_compare_texts(file->names[a], file->names[b], file->bytes.work);

    return order ? order : a < b ? -1 : a > b;
}

/* Among the values of this graph. */
static hb_onnx_value *find_name(const hb_onnx_file *file, hbs_text name)
{
    size_t low = 0, high = file->n_names;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (hb_compare_texts(file->names[file->order[middle]], name, file->bytes.work) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == file->n_names || !hb_text_equal(file->names[file->order[low]], name))
        return NULL;
    return &file->values[file->order[low]];
}

hb_onnx_value *hb_onnx_named(const hb_onnx_file *file, hbs_text name)
{
    hb_onnx_value *value = NULL;

    for (; !value && file && name.size > 0; file = file->outer)
        value = find_name(file, name);
    return value;
}

/* An input may have the name of a constant, which is then its value if the caller gives none. */
static hbs_status check_names(hb_onnx_file *file)
{
    char shown[HB_EXCERPT_BUFFER];

    for (size_t i = 1; i < file->n_names; i++) {
        uint32_t a = file->order[i - 1], b = file->order[i];

        HB_TRY(hb_worked(file->bytes.work, 2, file->error));
        if (!hb_text_equal(file->names[a], file->names[b]))
            continue;
        if (a < file->n_initializers && b >= file->n_initializers && b < file->n_initializers + file->n_inputs)
            continue;
        return hb_fail(file->error, HBS_E_FORMAT, "two values have the name \"%s\"", HB_SHOW(file->names[a], shown));
    }
    return HBS_OK;
}

static void add_name(hb_onnx_file *file, hbs_text name)
{
    if (name.size == 0)
        return;
    file->names[file->n_names] = name;
    file->order[file->n_names] = (uint32_t)file->n_names;
    file->n_names++;
}

static size_t count_names(const hb_onnx_file *file)
{
    size_t n = file->n_initializers + file->n_inputs;

    for (size_t i = 0; i < file->n_nodes; i++)
        n += file->nodes[i].n_outputs;
    return n;
}

static hbs_status check_ports(hb_onnx_file *file)
{
    for (size_t i = 0; i < file->n_initializers; i++)
        if (file->initializers[i].name.size == 0)
            return hb_fail_at(file->error, HBS_E_FORMAT, file->initializers[i].at, "a constant has no name");
    for (size_t i = 0; i < file->n_inputs; i++)
        if (file->inputs[i].name.size == 0)
            return hb_fail_at(file->error, HBS_E_FORMAT, file->inputs[i].at, "an input has no name");
    return HBS_OK;
}

static hbs_status collect_names(hb_onnx_file *file)
{
    size_t n = count_names(file);

    HB_TRY(check_ports(file));
    if (n > UINT32_MAX)
        return hb_fail(file->error, HBS_E_LIMIT, "the graph has too many values");
    file->names = hb_arena_array(&file->arena, n, sizeof(*file->names));
    file->order = hb_arena_array(&file->arena, n, sizeof(*file->order));
    file->values = hb_arena_array(&file->arena, n, sizeof(*file->values));
    if (!file->names || !file->order || !file->values)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < file->n_initializers; i++) {
        file->values[i] = (hb_onnx_value){.form = HB_ONNX_CONSTANT, .constant = &file->initializers[i]};
        add_name(file, file->initializers[i].name);
    }
    for (size_t i = 0; i < file->n_inputs; i++)
        add_name(file, file->inputs[i].name);
    for (size_t i = 0; i < file->n_nodes; i++)
        for (size_t k = 0; k < file->nodes[i].n_outputs; k++)
            add_name(file, file->nodes[i].outputs[k]);
    if (!hb_sort(file->order, file->n_names, compare_names, file, file->bytes.work))
        return hb_work_status(file->bytes.work, file->error);
    return check_names(file);
}

/* ---- operators */

enum domain { AI, ML, MS, OTHER };
enum { ANY, KEPT };

typedef struct operator_row {
    enum domain domain;
    const char *op;
    hbs_status (*read)(hb_onnx_file *file, const hb_onnx_node *node);
    size_t least, most; /* inputs */
    size_t outputs;     /* at most */
    bool wide;
} operator_row;

static const operator_row operators[] = {
#define HB_ONNX_OPERATOR(domain, op, name, least, most, outputs, wide) \
    {domain, #op, hb_onnx_##name, least, most, outputs, wide},
#include "format/onnx_operators.def"
};

static enum domain domain_of(const hb_onnx_node *node)
{
    if (hb_text_is(node->domain, "") || hb_text_is(node->domain, "ai.onnx"))
        return AI;
    if (hb_text_is(node->domain, "com.microsoft"))
        return MS;
    return hb_text_is(node->domain, "ai.onnx.ml") ? ML : OTHER;
}

/* NULL: none is read. */
static const operator_row *find_operator(const hb_onnx_node *node)
{
    enum domain domain = domain_of(node);

    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
        if (operators[i].domain == domain && hb_text_is(node->op, operators[i].op))
            return &operators[i];
    return NULL;
}

#define WAY_OUT                                                                                                   \
    "register the fitted object with Python's hbscore.register(connection, name, estimator), or the model's own " \
    "file"

static hbs_status unknown_operator(hb_onnx_file *file, const hb_onnx_node *node)
{
    char shown[HB_EXCERPT_BUFFER];

    if (domain_of(node) == OTHER)
        return hb_onnx_refuse(
            file, node, HBS_E_UNSUPPORTED,
            "hbscore reads operators of ai.onnx, ai.onnx.ml and com.microsoft, not of \"%s\": " WAY_OUT,
            HB_SHOW(node->domain, shown));
    return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore does not read this operator yet: " WAY_OUT);
}

static hbs_status read_node(hb_onnx_file *file, const hb_onnx_node *node)
{
    const operator_row *row = find_operator(node);

    HB_TRY(hb_worked(file->bytes.work, 256, file->error));
    if (!row)
        return unknown_operator(file, node);
    if (node->n_inputs < row->least || node->n_inputs > row->most)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu inputs", node->n_inputs);
    if (node->n_outputs > row->outputs || node->n_outputs == 0)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu outputs", node->n_outputs);
    return row->read(file, node);
}

static hbs_status choose_width(hb_onnx_file *file)
{
    file->is_wide = file->n_inputs > 1;
    for (size_t i = 0; i < file->n_nodes; i++) {
        const operator_row *row = find_operator(&file->nodes[i]);

        file->is_wide |= row && (row->wide == KEPT || hb_onnx_tests_equality(file, &file->nodes[i]));
        HB_TRY(hb_worked(file->bytes.work, 256, file->error));
    }
    return HBS_OK;
}

/* ---- a graph inside a node */

hbs_status hb_onnx_inner_begin(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_file *outer)
{
    const hb_onnx_attribute *body;
    hbs_status status;

    HB_TRY(hb_onnx_attribute_find(file, node, "body", HB_ONNX_KIND_GRAPH, &body));
    if (!body || !body->graph)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has no graph");
    if (file->outer)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "it is in a graph that is in a node itself");
    *outer = *file;
    status = hb_onnx_inner_read(file, body->graph);
    file->n_names = 0;
    if (status == HBS_OK)
        status = collect_names(file);
    file->outer = outer;
    if (status != HBS_OK)
        hb_onnx_inner_end(file, outer);
    return status;
}

/* Constants stand before inputs and nodes. */
void hb_onnx_inner_again(hb_onnx_file *file)
{
    for (size_t i = file->n_initializers; i < file->n_names; i++)
        file->values[i] = (hb_onnx_value){.form = HB_ONNX_NOTHING};
}

hbs_status hb_onnx_inner_run(hb_onnx_file *file)
{
    for (size_t i = 0; i < file->n_nodes; i++)
        HB_TRY(read_node(file, &file->nodes[i]));
    return HBS_OK;
}

void hb_onnx_inner_end(hb_onnx_file *file, const hb_onnx_file *outer)
{
    file->nodes = outer->nodes;
    file->initializers = outer->initializers;
    file->inputs = outer->inputs;
    file->outputs = outer->outputs;
    file->n_nodes = outer->n_nodes;
    file->n_initializers = outer->n_initializers;
    file->n_inputs = outer->n_inputs;
    file->n_outputs = outer->n_outputs;
    file->names = outer->names;
    file->order = outer->order;
    file->values = outer->values;
    file->n_names = outer->n_names;
    file->outer = outer->outer;
}

/* ---- facts */

/* Each operator once, in the order of the file. */
static hbs_status add_operators(hb_onnx_file *file)
{
    uint8_t seen[sizeof(operators) / sizeof(operators[0])] = {0};
    char text[256];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < file->n_nodes; i++) {
        const operator_row *row = find_operator(&file->nodes[i]);
        size_t n = row ? strlen(row->op) : 0;

        HB_TRY(hb_worked(file->bytes.work, 256, file->error));
        if (!row || seen[row - operators]++ || used + n + 3 > sizeof(text))
            continue;
        if (used) {
            memcpy(text + used, ", ", 2);
            used += 2;
        }
        memcpy(text + used, row->op, n + 1);
        used += n;
    }
    if (hb_pipeline_fact(file->pipeline, "operators", "%s", text) != HBS_OK)
        return hb_no_memory(file->arena.memory, file->error);
    return HBS_OK;
}

static hbs_status add_facts(hb_onnx_file *file)
{
    hb_pipeline *pipeline = file->pipeline;
    char name[HB_EXCERPT_BUFFER], version[HB_EXCERPT_BUFFER];

    if (hb_pipeline_fact(pipeline, "library", "%s%s%s", HB_SHOW(file->producer, name),
                         file->producer_version.size ? " " : "", HB_SHOW(file->producer_version, version)) != HBS_OK ||
        hb_pipeline_fact(pipeline, "versions", "IR %lld, ai.onnx %lld, ai.onnx.ml %lld", (long long)file->ir_version,
                         (long long)file->opset, (long long)file->ml_opset) != HBS_OK)
        return hb_no_memory(pipeline->arena.memory, file->error);
    HB_TRY(add_operators(file));
    return hb_onnx_facts_add(file);
}

/* ---- the file */

static bool is_whole(const hb_onnx_file *file, uint32_t dictionary)
{
    return file->whole_texts && dictionary < file->pipeline->n_features && file->whole_texts[dictionary];
}

/* A text is looked up in a dictionary, or operators read it. hb_onnx_choose_texts_form has seen to it, but for texts
 * that a graph inside a node reads. */
static hbs_status check_texts(hb_onnx_file *file)
{
    const hb_noted_text *noted = file->dictionaries.texts.items;
    const uint32_t *joins = file->dictionaries.joins.items;
    bool both = false;

    for (size_t i = 0; i < file->dictionaries.texts.count; i++)
        both |= is_whole(file, noted[i].feature);
    for (size_t i = 0; i < file->dictionaries.joins.count; i++)
        both |= is_whole(file, joins[i]);
    if (both)
        return hb_fail(file->error, HBS_E_UNSUPPORTED,
                       "the graph reads texts of an input as a whole and looks them up: hbscore does one of both here");
    return hb_worked(file->bytes.work, file->dictionaries.texts.count + file->dictionaries.joins.count, file->error);
}

static hbs_status end_texts(hb_onnx_file *file)
{
    HB_TRY(check_texts(file));
    for (size_t f = 0; file->whole_texts && f < file->pipeline->n_features; f++)
        file->is_text[f] &= !file->whole_texts[f];
    HB_TRY(hb_dictionaries_end(&file->dictionaries, file->is_text, file->error));
    return hb_onnx_codes_end(file);
}

static hbs_status read_graph(hb_onnx_file *file, const hb_onnx_ends *ends)
{
    if (file->options->rounds > 0)
        return hb_fail(file->error, HBS_E_ARGS, "option rounds: an ONNX file does not tell rounds apart");
    HB_TRY(collect_names(file));
    HB_TRY(choose_width(file));
    HB_TRY(ends->read_inputs(file));
    if (file->is_text)
        HB_TRY(hb_onnx_choose_texts_form(file));
    for (size_t i = 0; i < file->n_nodes; i++)
        HB_TRY(read_node(file, &file->nodes[i]));
    HB_TRY(ends->build_outputs(file));
    if (file->is_text || file->codes || file->dictionaries.texts.count > 0)
        HB_TRY(end_texts(file));
    return add_facts(file);
}

hbs_status hb_onnx_read_between(const void *bytes, size_t size, const hb_onnx_ends *ends, const hb_options *options,
                                hb_pipeline *pipeline, hbs_error *error)
{
    hb_onnx_file file = {.pipeline = pipeline, .options = options, .error = error, .context = ends->context};
    hbs_status status;

    hb_arena_init(&file.arena, pipeline->arena.memory);
    hb_dictionaries_init(&file.dictionaries, pipeline);
    status = hb_onnx_model_read(&file, bytes, size);
    if (status == HBS_OK)
        status = read_graph(&file, ends);
    hb_dictionaries_release(&file.dictionaries);
    hb_arena_release(&file.arena);
    return status;
}

hbs_status hb_onnx_read(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                        hbs_error *error)
{
    static const hb_onnx_ends of_rows = {hb_onnx_inputs_read, hb_onnx_outputs_build, NULL};

    return hb_onnx_read_between(bytes, size, &of_rows, options, pipeline, error);
}
