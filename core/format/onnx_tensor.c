/* onnx_tensor.c - constants of an ONNX file: tensors, and lists of numbers in attributes. Their numbers stay in the
 * file until an operator reads them. */
#include <stdio.h>
#include <string.h>

#include "format/onnx.h"

/* Fields of TensorProto. */
enum {
    DIMS = 1,
    DATA_TYPE = 2,
    SEGMENT = 3,
    FLOAT_DATA = 4,
    INT32_DATA = 5,
    STRING_DATA = 6,
    INT64_DATA = 7,
    NAME = 8,
    RAW_DATA = 9,
    DOUBLE_DATA = 10,
    UINT64_DATA = 11,
    EXTERNAL_DATA = 13,
    DATA_LOCATION = 14
};

/* The types: how an item is written in a field of its own, and its bytes in raw_data (0: it cannot stand there). */
static const struct {
    hb_onnx_type type;
    const char *name;
    uint32_t field;
    hb_wire wire;
    size_t size;
} types[] = {
    {HB_ONNX_FLOAT, "float32", FLOAT_DATA, HB_WIRE_32, 4},
    {HB_ONNX_DOUBLE, "float64", DOUBLE_DATA, HB_WIRE_64, 8},
    {HB_ONNX_INT64, "int64", INT64_DATA, HB_WIRE_VARINT, 8},
    {HB_ONNX_INT32, "int32", INT32_DATA, HB_WIRE_VARINT, 4},
    {HB_ONNX_BOOL, "bool", INT32_DATA, HB_WIRE_VARINT, 1},
    {HB_ONNX_STRING, "string", STRING_DATA, HB_WIRE_BYTES, 0},
    {HB_ONNX_UINT8, "uint8", INT32_DATA, HB_WIRE_VARINT, 1},
    {HB_ONNX_INT16, "int16", INT32_DATA, HB_WIRE_VARINT, 2},
    {HB_ONNX_UINT32, "uint32", UINT64_DATA, HB_WIRE_VARINT, 4},
};

enum { N_TYPES = sizeof(types) / sizeof(types[0]) };

static size_t find_type(int64_t type)
{
    size_t i = 0;

    while (i < N_TYPES && (int64_t)types[i].type != type)
        i++;
    return i;
}

const char *hb_onnx_type_name(int64_t type, char buffer[32])
{
    static const char *const others[] = {[3] = "int8",
                                         [4] = "uint16",
                                         [10] = "float16",
                                         [13] = "uint64",
                                         [14] = "complex64",
                                         [15] = "complex128",
                                         [16] = "bfloat16",
                                         [17] = "float8e4m3fn",
                                         [18] = "float8e4m3fnuz",
                                         [19] = "float8e5m2",
                                         [20] = "float8e5m2fnuz",
                                         [21] = "uint4",
                                         [22] = "int4",
                                         [23] = "float4e2m1",
                                         [24] = "float8e8m0",
                                         [25] = "uint2",
                                         [26] = "int2"};
    size_t i = find_type(type);

    if (i < N_TYPES)
        return types[i].name;
    if (type >= 0 && (size_t)type < sizeof(others) / sizeof(others[0]) && others[type])
        return others[type];
    snprintf(buffer, 32, "type %lld", (long long)type);
    return buffer;
}

/* ---- reading */

static hbs_status fail(const hb_onnx_tensor *t, hbs_status status, const char *what)
{
    char shown[HB_EXCERPT_BUFFER];

    return hb_protobuf_fail(t->body.file, status, t->at, "tensor \"%s\": %s", HB_SHOW(t->name, shown), what);
}

static void read_dims(hb_message *m, const hb_field *field, hb_onnx_tensor *t)
{
    size_t n = hb_field_count(m, field, HB_WIRE_VARINT);
    hb_message one = {.file = m->file, .name = m->name, .depth = m->depth};
    hb_repeated dims = {.message = one, .number = DIMS, .wire = HB_WIRE_VARINT};

    if (n > HB_ONNX_MAX_RANK - t->n_dims) {
        fail(t, HBS_E_UNSUPPORTED, "it has more than 8 dimensions");
        return;
    }
    if (n == 0) /* none, or a field of another type, which has no bytes */
        return;
    if (field->wire == HB_WIRE_VARINT) {
        t->dims[t->n_dims++] = (int64_t)field->bits;
        return;
    }
    dims.p = (const uint8_t *)field->bytes.bytes;
    dims.end = dims.p + field->bytes.size;
    for (size_t i = 0; i < n; i++)
        t->dims[t->n_dims++] = hb_repeated_integer(&dims);
}

/* The items that it says to have. */
static bool count_items(hb_onnx_tensor *t)
{
    t->count = 1;
    for (size_t i = 0; i < t->n_dims; i++) {
        if (t->dims[i] < 0)
            return fail(t, HBS_E_FORMAT, "a dimension is negative") == HBS_OK;
        if (!hb_multiply(t->count, (size_t)t->dims[i], &t->count))
            return fail(t, HBS_E_FORMAT, "its dimensions overflow") == HBS_OK;
    }
    return true;
}

/* Those that are there: in raw_data, or in the field of its type. */
static bool check_items(hb_onnx_tensor *t)
{
    size_t i = find_type(t->type), n = 0, bytes;
    hb_message m = t->body;
    char buffer[32], what[96];

    if (i == N_TYPES) {
        snprintf(what, sizeof(what), "hbscore reads no tensors of %s: convert the model in float32",
                 hb_onnx_type_name(t->type, buffer));
        return fail(t, HBS_E_UNSUPPORTED, what) == HBS_OK;
    }
    for (hb_field f; hb_message_next(&m, &f);)
        if (f.number == types[i].field)
            n += hb_field_count(&m, &f, types[i].wire);
        else if (f.number == FLOAT_DATA || (f.number >= INT32_DATA && f.number <= INT64_DATA) ||
                 f.number == DOUBLE_DATA || f.number == UINT64_DATA)
            return fail(t, HBS_E_FORMAT, "it has data of another type than its own") == HBS_OK;
    if (!hb_protobuf_ok(m.file))
        return false;
    if (!t->raw.bytes)
        return n == t->count || fail(t, HBS_E_FORMAT, "its data are not as long as its dimensions say") == HBS_OK;
    if (n > 0 || types[i].size == 0)
        return fail(t, HBS_E_FORMAT, "its data stand in two fields, or are texts in raw_data") == HBS_OK;
    if (!hb_multiply(t->count, types[i].size, &bytes) || bytes != t->raw.size)
        return fail(t, HBS_E_FORMAT, "its data are not as long as its dimensions say") == HBS_OK;
    return true;
}

bool hb_onnx_tensor_read(hb_message *body, size_t at, hb_onnx_tensor *t)
{
    hb_message m = *body;

    *t = (hb_onnx_tensor){.at = at, .body = *body, .name = {"", 0}};
    m.once = HB_FIELD(DATA_TYPE) | HB_FIELD(SEGMENT) | HB_FIELD(NAME) | HB_FIELD(RAW_DATA) | HB_FIELD(DATA_LOCATION);
    t->body.once = m.once;
    for (hb_field f; hb_message_next(&m, &f);)
        if (f.number == DIMS)
            read_dims(&m, &f, t);
        else if (f.number == DATA_TYPE)
            t->type = hb_field_integer(&m, &f);
        else if (f.number == NAME)
            t->name = hb_field_text(&m, &f);
        else if (f.number == RAW_DATA)
            t->raw = hb_field_text(&m, &f);
        else if (f.number == SEGMENT)
            fail(t, HBS_E_UNSUPPORTED, "it is a segment of a tensor");
        else if (f.number == EXTERNAL_DATA || (f.number == DATA_LOCATION && f.bits != 0))
            fail(t, HBS_E_UNSUPPORTED,
                 "its data lie in another file: save the model in one file (PyTorch: external_data=False; onnx: "
                 "onnx.save(onnx.load(path), path2, save_as_external_data=False))");
    return hb_protobuf_ok(m.file) && count_items(t) && check_items(t);
}

/* ---- items */

hb_onnx_items hb_onnx_items_of_tensor(const hb_onnx_tensor *t)
{
    size_t i = find_type(t->type);

    return (hb_onnx_items){.type = t->type,
                           .fields = hb_repeated_begin(&t->body, types[i].field, types[i].wire),
                           .raw = (const uint8_t *)t->raw.bytes};
}

hb_onnx_items hb_onnx_items_of(const hb_onnx_attribute *list)
{
    enum { FLOATS = 7, INTS = 8 };
    bool floats = list->kind == HB_ONNX_KIND_FLOATS;

    return (hb_onnx_items){
        .type = floats ? HB_ONNX_FLOAT : HB_ONNX_INT64,
        .fields = hb_repeated_begin(&list->body, floats ? FLOATS : INTS, floats ? HB_WIRE_32 : HB_WIRE_VARINT)};
}

/* `size` bytes, little-endian. */
static uint64_t take_raw(hb_onnx_items *items, size_t size)
{
    uint64_t bits = 0;

    for (size_t i = size; i-- > 0;)
        bits = bits << 8 | items->raw[i];
    items->raw += size;
    return bits;
}

int64_t hb_onnx_next_integer(hb_onnx_items *items)
{
    if (!items->raw)
        return hb_repeated_integer(&items->fields);
    switch (items->type) {
    case HB_ONNX_INT32:
        return (int32_t)(uint32_t)take_raw(items, 4);
    case HB_ONNX_INT16:
        return (int16_t)(uint16_t)take_raw(items, 2);
    case HB_ONNX_UINT32:
        return (int64_t)take_raw(items, 4);
    case HB_ONNX_BOOL:
    case HB_ONNX_UINT8:
        return (int64_t)take_raw(items, 1);
    default:
        return (int64_t)take_raw(items, 8);
    }
}

float hb_onnx_next_float(hb_onnx_items *items)
{
    uint32_t bits;
    float number;

    if (!items->raw)
        return hb_repeated_float(&items->fields);
    bits = (uint32_t)take_raw(items, 4);
    memcpy(&number, &bits, sizeof(number));
    return number;
}

double hb_onnx_next_double(hb_onnx_items *items)
{
    uint64_t bits = 0;
    double number;

    if (items->raw)
        bits = take_raw(items, sizeof(bits));
    else
        hb_repeated_next(&items->fields, &bits);
    memcpy(&number, &bits, sizeof(number));
    return number;
}

double hb_onnx_next_number(hb_onnx_items *items)
{
    if (items->type == HB_ONNX_FLOAT)
        return (double)hb_onnx_next_float(items);
    return items->type == HB_ONNX_DOUBLE ? hb_onnx_next_double(items) : (double)hb_onnx_next_integer(items);
}
