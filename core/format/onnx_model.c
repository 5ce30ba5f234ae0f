/* onnx_model.c - the messages of an ONNX file as arrays. What they hold are views of the file; each list is counted
 * before there is room for it. */
#include "format/onnx.h"

/* ---- errors and lists */

static bool is_ok(const hb_onnx_file *file)
{
    return hb_protobuf_ok(&file->bytes);
}

__attribute__((format(printf, 4, 5))) static void fail(hb_onnx_file *file, hbs_status status, size_t at,
                                                       const char *format, ...)
{
    va_list arguments;

    if (!is_ok(file))
        return;
    va_start(arguments, format);
    file->bytes.status = hb_fail_list(file->error, status, at, format, arguments);
    va_end(arguments);
}

/* Room for the `n` items of a list; NULL after an error. */
static void *make_room(hb_onnx_file *file, size_t n, size_t size)
{
    void *room = is_ok(file) ? hb_arena_array(&file->arena, n, size) : NULL;

    if (is_ok(file) && !room)
        file->bytes.status = hb_no_memory(file->arena.memory, file->error);
    return room;
}

/* How often fields 0 to 31 stand in a message. */
typedef struct counts {
    size_t of[32];
} counts;

static counts count_fields(const hb_message *message)
{
    hb_message m = *message;
    counts n = {{0}};

    for (hb_field f; hb_message_next(&m, &f);)
        if (f.number < 32)
            n.of[f.number]++;
    return n;
}

/* ---- attributes */

/* Fields of AttributeProto. */
enum { A_NAME = 1, A_F, A_I, A_S, A_T, A_G, A_FLOATS, A_INTS, A_STRINGS, A_TENSORS, A_GRAPHS, A_TYPE = 20, A_REF = 21 };

static void read_tensor(hb_onnx_file *file, hb_message *m, const hb_field *field, hb_onnx_attribute *a)
{
    hb_onnx_tensor *tensor = make_room(file, 1, sizeof(*tensor));
    hb_message body;

    if (tensor && hb_message_open(m, field, "tensor", 0, &body) && hb_onnx_tensor_read(&body, field->at, tensor))
        a->tensor = tensor;
}

/* A graph inside a node is read when the node is. */
static void keep_graph(hb_onnx_file *file, hb_message *m, const hb_field *field, hb_onnx_attribute *a)
{
    hb_message *graph = make_room(file, 1, sizeof(*graph));

    if (graph && hb_message_open(m, field, "graph", HB_FIELD(2), graph))
        a->graph = graph;
}

static void read_attribute_field(hb_onnx_file *file, hb_message *m, const hb_field *f, hb_onnx_attribute *a)
{
    switch (f->number) {
    case A_NAME:
        a->name = hb_field_text(m, f);
        break;
    case A_F:
        a->number = hb_field_float(m, f);
        break;
    case A_I:
        a->integer = hb_field_integer(m, f);
        break;
    case A_S:
        a->text = hb_field_text(m, f);
        break;
    case A_T:
        read_tensor(file, m, f, a);
        break;
    case A_G:
        keep_graph(file, m, f, a);
        break;
    case A_FLOATS:
        a->count += hb_field_count(m, f, HB_WIRE_32);
        break;
    case A_INTS:
        a->count += hb_field_count(m, f, HB_WIRE_VARINT);
        break;
    case A_STRINGS:
        a->count += hb_field_count(m, f, HB_WIRE_BYTES);
        break;
    case A_TYPE:
        a->kind = (hb_onnx_kind)hb_field_integer(m, f);
        break;
    default:
        break;
    }
}

/* The fields that hold something agree with the kind. */
static void check_kind(hb_onnx_file *file, hb_onnx_attribute *a, uint64_t seen)
{
    static const struct {
        uint32_t field;
        hb_onnx_kind kind;
    } fields[] = {{A_F, HB_ONNX_KIND_FLOAT},   {A_I, HB_ONNX_KIND_INT},        {A_S, HB_ONNX_KIND_TEXT},
                  {A_T, HB_ONNX_KIND_TENSOR},  {A_G, HB_ONNX_KIND_GRAPH},      {A_FLOATS, HB_ONNX_KIND_FLOATS},
                  {A_INTS, HB_ONNX_KIND_INTS}, {A_STRINGS, HB_ONNX_KIND_TEXTS}};
    char shown[HB_EXCERPT_BUFFER];

    if (seen & HB_FIELD(A_REF))
        fail(file, HBS_E_UNSUPPORTED, a->at,
             "attribute \"%s\" is that of a local function, which hbscore does not read", HB_SHOW(a->name, shown));
    if (seen & (HB_FIELD(A_TENSORS) | HB_FIELD(A_GRAPHS)))
        fail(file, HBS_E_UNSUPPORTED, a->at,
             "attribute \"%s\" is a list of tensors or graphs, which hbscore does not read", HB_SHOW(a->name, shown));
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (!(seen & HB_FIELD(fields[i].field)))
            continue;
        if (a->kind == 0)
            a->kind = fields[i].kind; /* files of before IR version 2 do not say it */
        if (a->kind != fields[i].kind)
            fail(file, HBS_E_FORMAT, a->at, "attribute \"%s\" has a value of another type than its own",
                 HB_SHOW(a->name, shown));
    }
    if (a->kind == HB_ONNX_KIND_TENSOR && !a->tensor)
        fail(file, HBS_E_FORMAT, a->at, "attribute \"%s\" has no tensor", HB_SHOW(a->name, shown));
}

static void read_attribute(hb_onnx_file *file, hb_message *node, const hb_field *field, hb_onnx_attribute *a)
{
    const uint64_t once = HB_FIELD(A_NAME) | HB_FIELD(A_F) | HB_FIELD(A_I) | HB_FIELD(A_S) | HB_FIELD(A_T) |
                          HB_FIELD(A_G) | HB_FIELD(A_TYPE) | HB_FIELD(A_REF);
    hb_message m;

    *a = (hb_onnx_attribute){.at = field->at, .name = {"", 0}, .text = {"", 0}};
    if (!hb_message_open(node, field, "attribute", once, &m))
        return;
    a->body = m;
    for (hb_field f; hb_message_next(&m, &f);)
        read_attribute_field(file, &m, &f, a);
    if (is_ok(file))
        check_kind(file, a, m.seen);
}

/* ---- nodes */

enum { N_INPUT = 1, N_OUTPUT, N_NAME, N_OP, N_ATTRIBUTE, N_DOMAIN = 7, N_OVERLOAD = 8 };

static void read_node(hb_onnx_file *file, hb_message *graph, const hb_field *field, hb_onnx_node *node)
{
    const uint64_t once = HB_FIELD(N_NAME) | HB_FIELD(N_OP) | HB_FIELD(N_DOMAIN) | HB_FIELD(N_OVERLOAD);
    hb_message m;
    counts n;
    hbs_text *inputs, *outputs;
    hb_onnx_attribute *attributes;

    *node = (hb_onnx_node){.at = field->at, .name = {"", 0}, .op = {"", 0}, .domain = {"", 0}};
    if (!hb_message_open(graph, field, "node", once, &m))
        return;
    n = count_fields(&m);
    node->inputs = inputs = make_room(file, n.of[N_INPUT], sizeof(*inputs));
    node->outputs = outputs = make_room(file, n.of[N_OUTPUT], sizeof(*outputs));
    node->attributes = attributes = make_room(file, n.of[N_ATTRIBUTE], sizeof(*attributes));
    for (hb_field f; is_ok(file) && hb_message_next(&m, &f);)
        if (f.number == N_INPUT)
            inputs[node->n_inputs++] = hb_field_text(&m, &f);
        else if (f.number == N_OUTPUT)
            outputs[node->n_outputs++] = hb_field_text(&m, &f);
        else if (f.number == N_NAME)
            node->name = hb_field_text(&m, &f);
        else if (f.number == N_OP)
            node->op = hb_field_text(&m, &f);
        else if (f.number == N_DOMAIN)
            node->domain = hb_field_text(&m, &f);
        else if (f.number == N_ATTRIBUTE)
            read_attribute(file, &m, &f, &attributes[node->n_attributes++]);
}

/* ---- inputs and outputs */

static void read_dims(hb_onnx_file *file, hb_message *m, hb_onnx_port *port)
{
    port->has_shape = true;
    for (hb_field f; hb_message_next(m, &f);) {
        hb_message dim;

        if (f.number != 1)
            continue;
        if (port->n_dims == HB_ONNX_MAX_RANK) {
            fail(file, HBS_E_UNSUPPORTED, f.at, "an input or output has more than %d dimensions", HB_ONNX_MAX_RANK);
            return;
        }
        port->dims[port->n_dims] = -1;
        if (!hb_message_open(m, &f, "dimension", HB_FIELD(1) | HB_FIELD(2), &dim))
            return;
        for (hb_field d; hb_message_next(&dim, &d);)
            if (d.number == 1)
                port->dims[port->n_dims] = hb_field_integer(&dim, &d);
        port->n_dims++;
    }
}

static void read_tensor_type(hb_onnx_file *file, hb_message *m, hb_onnx_port *port)
{
    for (hb_field f; hb_message_next(m, &f);) {
        hb_message shape;

        if (f.number == 1)
            port->type = hb_field_integer(m, &f);
        else if (f.number == 2 && hb_message_open(m, &f, "shape", 0, &shape))
            read_dims(file, &shape, port);
    }
}

/* The type of what is no tensor (a sequence, a map) is not looked at: the nodes say what it is. */
static void read_port(hb_onnx_file *file, hb_message *graph, const hb_field *field, hb_onnx_port *port)
{
    hb_message m, type, tensor;

    *port = (hb_onnx_port){.at = field->at, .name = {"", 0}};
    if (!hb_message_open(graph, field, "value", HB_FIELD(1) | HB_FIELD(2), &m))
        return;
    for (hb_field f; hb_message_next(&m, &f);) {
        if (f.number == 1)
            port->name = hb_field_text(&m, &f);
        if (f.number != 2 || !hb_message_open(&m, &f, "type", HB_FIELD(1), &type))
            continue;
        for (hb_field t; hb_message_next(&type, &t);)
            if (t.number == 1 && hb_message_open(&type, &t, "tensor type", HB_FIELD(1) | HB_FIELD(2), &tensor)) {
                port->is_tensor = true;
                read_tensor_type(file, &tensor, port);
            }
    }
}

/* ---- the graph */

enum { G_NODE = 1, G_NAME = 2, G_INITIALIZER = 5, G_INPUT = 11, G_OUTPUT = 12, G_SPARSE = 15 };

static void read_initializer(hb_onnx_file *file, hb_message *graph, const hb_field *field)
{
    hb_message body;

    if (hb_message_open(graph, field, "tensor", 0, &body))
        hb_onnx_tensor_read(&body, field->at, &file->initializers[file->n_initializers++]);
}

static void read_graph_field(hb_onnx_file *file, hb_message *m, const hb_field *f)
{
    switch (f->number) {
    case G_NODE:
        file->nodes[file->n_nodes].place = file->n_nodes;
        read_node(file, m, f, &file->nodes[file->n_nodes]);
        file->nodes[file->n_nodes].place = file->n_nodes;
        file->n_nodes++;
        break;
    case G_INITIALIZER:
        read_initializer(file, m, f);
        break;
    case G_INPUT:
        read_port(file, m, f, &file->inputs[file->n_inputs++]);
        break;
    case G_OUTPUT:
        read_port(file, m, f, &file->outputs[file->n_outputs++]);
        break;
    case G_SPARSE:
        fail(file, HBS_E_UNSUPPORTED, f->at, "the graph has a sparse initializer: save the model with dense ones");
        break;
    default:
        break;
    }
}

static void read_graph(hb_onnx_file *file, hb_message *m)
{
    /* Bytes that a node takes while it is read, beyond HB_LOAD_FACTOR times its bytes in the file, of which a small one
     * has 20. */
    enum { NODE_ROOM = 2048 };
    counts n = count_fields(m);

    if (n.of[G_NODE] > HB_MAX_NODES)
        fail(file, HBS_E_LIMIT, HBS_NO_OFFSET, "the graph has %zu nodes, the limit is %d", n.of[G_NODE], HB_MAX_NODES);
    else
        hb_memory_allow(file->arena.memory, NODE_ROOM * n.of[G_NODE]);
    file->nodes = make_room(file, n.of[G_NODE], sizeof(*file->nodes));
    file->initializers = make_room(file, n.of[G_INITIALIZER], sizeof(*file->initializers));
    file->inputs = make_room(file, n.of[G_INPUT], sizeof(*file->inputs));
    file->outputs = make_room(file, n.of[G_OUTPUT], sizeof(*file->outputs));
    for (hb_field f; is_ok(file) && hb_message_next(m, &f);)
        read_graph_field(file, m, &f);
}

/* ---- the model */

enum { M_IR = 1, M_PRODUCER, M_PRODUCER_VERSION, M_GRAPH = 7, M_OPSET = 8, M_METADATA = 14, M_FUNCTIONS = 25 };

/* Files of skl2onnx with a target_opset have a domain twice: the highest version counts. */
static void read_opset(hb_onnx_file *file, hb_message *model, const hb_field *field)
{
    hbs_text domain = {"", 0};
    int64_t version = 0;
    hb_message m;

    if (!hb_message_open(model, field, "opset", HB_FIELD(1) | HB_FIELD(2), &m))
        return;
    for (hb_field f; hb_message_next(&m, &f);)
        if (f.number == 1)
            domain = hb_field_text(&m, &f);
        else if (f.number == 2)
            version = hb_field_integer(&m, &f);
    if ((hb_text_is(domain, "") || hb_text_is(domain, "ai.onnx")) && version > file->opset)
        file->opset = version;
    if (hb_text_is(domain, "ai.onnx.ml") && version > file->ml_opset)
        file->ml_opset = version;
}

/* Keeps the first few notes. */
static void read_note(hb_onnx_file *file, hb_message *m, const hb_field *f)
{
    hb_onnx_note note = {{"", 0}, {"", 0}};
    hb_message entry;

    if (!hb_message_open(m, f, "metadata", HB_FIELD(1) | HB_FIELD(2), &entry))
        return;
    for (hb_field part; hb_message_next(&entry, &part);)
        if (part.number == 1)
            note.key = hb_field_text(&entry, &part);
        else if (part.number == 2)
            note.value = hb_field_text(&entry, &part);
    if (file->n_notes < HB_ONNX_MAX_NOTES)
        file->notes[file->n_notes++] = note;
}

static void read_model_field(hb_onnx_file *file, hb_message *m, const hb_field *f)
{
    hb_message graph;

    switch (f->number) {
    case M_IR:
        file->ir_version = hb_field_integer(m, f);
        break;
    case M_PRODUCER:
        file->producer = hb_field_text(m, f);
        break;
    case M_PRODUCER_VERSION:
        file->producer_version = hb_field_text(m, f);
        break;
    case M_OPSET:
        read_opset(file, m, f);
        break;
    case M_GRAPH:
        if (hb_message_open(m, f, "graph", HB_FIELD(G_NAME), &graph))
            read_graph(file, &graph);
        break;
    case M_METADATA:
        read_note(file, m, f);
        break;
    case M_FUNCTIONS:
        fail(file, HBS_E_UNSUPPORTED, f->at,
             "the model has local functions, which hbscore does not read: inline them with onnx.inliner."
             "inline_local_functions");
        break;
    default:
        break;
    }
}

static void check_versions(hb_onnx_file *file)
{
    enum { LEAST_IR = 3, MOST_IR = 13, MOST_OPSET = 27, MOST_ML = 5 };

    if (file->ir_version < LEAST_IR || file->ir_version > MOST_IR)
        fail(file, HBS_E_UNSUPPORTED, 0, "the ONNX file is of IR version %lld, hbscore reads %d to %d",
             (long long)file->ir_version, LEAST_IR, MOST_IR);
    if (file->opset > MOST_OPSET)
        fail(file, HBS_E_UNSUPPORTED, 0,
             "the ONNX file uses operators of ai.onnx %lld, hbscore reads up to %d: convert the model with an older "
             "target_opset",
             (long long)file->opset, MOST_OPSET);
    if (file->ml_opset > MOST_ML)
        fail(file, HBS_E_UNSUPPORTED, 0,
             "the ONNX file uses operators of ai.onnx.ml %lld, hbscore reads up to %d: convert the model with an older "
             "target_opset",
             (long long)file->ml_opset, MOST_ML);
    if (!file->nodes)
        fail(file, HBS_E_FORMAT, 0, "the ONNX file has no graph");
}

hbs_status hb_onnx_inner_read(hb_onnx_file *file, const hb_message *graph)
{
    hb_message m = *graph;

    file->nodes = NULL;
    file->initializers = NULL;
    file->inputs = file->outputs = NULL;
    file->n_nodes = file->n_initializers = file->n_inputs = file->n_outputs = 0;
    read_graph(file, &m);
    return file->bytes.status;
}

hbs_status hb_onnx_model_read(hb_onnx_file *file, const void *bytes, size_t size)
{
    const uint64_t once = HB_FIELD(M_IR) | HB_FIELD(M_PRODUCER) | HB_FIELD(M_PRODUCER_VERSION) | HB_FIELD(M_GRAPH);
    hb_message m;

    file->producer = file->producer_version = (hbs_text){"", 0};
    hb_protobuf_open(&file->bytes, bytes, size, &file->arena.memory->work, file->error, "model", once, &m);
    for (hb_field f; hb_message_next(&m, &f);)
        read_model_field(file, &m, &f);
    if (is_ok(file))
        check_versions(file);
    return file->bytes.status;
}
