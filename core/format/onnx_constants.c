/* onnx_constants.c - operators that give constants: of the file, or of a shape. */
#include <string.h>

#include "format/onnx.h"

static hbs_status give_constant(hb_onnx_file *file, const hb_onnx_node *node, int64_t type, const int64_t *dims,
                                size_t n_dims, const double *numbers, const double *of_many)
{
    hb_onnx_value made = {.form = HB_ONNX_CONSTANT, .type = type, .row = -1, .numbers = numbers, .of_many = of_many};

    HB_TRY(hb_onnx_reshape_value(file, node, &made, dims, n_dims));
    return hb_onnx_give(file, node, 0, &made);
}

/* Gives the dimensions for one row: the axis of the rows counts 1, or what stands there of one row. */
hbs_status hb_onnx_shape(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t start, end;
    hb_onnx_value value;
    double *numbers, *of_many;

    HB_TRY(hb_onnx_in_blocks(file, node, 0, &value));
    HB_TRY(hb_onnx_integer(file, node, "start", 0, &start));
    HB_TRY(hb_onnx_integer(file, node, "end", (int64_t)value.n_dims, &end));
    start = hb_onnx_limited(start, (int64_t)value.n_dims, 0, (int64_t)value.n_dims);
    end = hb_onnx_limited(end, (int64_t)value.n_dims, 0, (int64_t)value.n_dims);
    end = end < start ? start : end;
    numbers = hb_arena_array(&file->pipeline->arena, value.n_dims + 1, sizeof(*numbers));
    of_many = hb_arena_array(&file->pipeline->arena, value.n_dims + 1, sizeof(*of_many));
    if (!numbers || !of_many)
        return hb_no_memory(file->arena.memory, file->error);
    for (int64_t i = start; i < end; i++) {
        numbers[i - start] = (double)value.dims[i];
        of_many[i - start] = numbers[i - start] * ((int)i == value.row ? HB_ONNX_MANY_ROWS : 1);
    }
    return give_constant(file, node, HB_ONNX_INT64, &(int64_t){end - start}, 1, numbers, of_many);
}

/* A number, or a list of numbers, in an attribute. */
static hbs_status constant_of_list(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_attribute *a)
{
    bool is_list = a->kind == HB_ONNX_KIND_FLOATS || a->kind == HB_ONNX_KIND_INTS;
    bool is_float = a->kind == HB_ONNX_KIND_FLOATS || a->kind == HB_ONNX_KIND_FLOAT;
    size_t n = is_list ? a->count : 1;
    double *numbers = hb_arena_array(&file->pipeline->arena, n, sizeof(*numbers));
    hb_onnx_items items;

    if (!numbers)
        return hb_no_memory(file->arena.memory, file->error);
    if (is_list)
        items = hb_onnx_items_of(a);
    else
        numbers[0] = is_float ? (double)a->number : (double)a->integer;
    for (size_t i = 0; is_list && i < n; i++)
        numbers[i] = is_float ? (double)hb_onnx_next_float(&items) : (double)hb_onnx_next_integer(&items);
    HB_TRY(hb_worked(file->bytes.work, 2 * n, file->error));
    return give_constant(file, node, is_float ? HB_ONNX_FLOAT : HB_ONNX_INT64, &(int64_t){(int64_t)n}, is_list, numbers,
                         NULL);
}

hbs_status hb_onnx_constant_node(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value made = {.form = HB_ONNX_CONSTANT, .row = -1};
    const hb_onnx_attribute *a = node->n_attributes == 1 ? &node->attributes[0] : NULL;

    if (a && (a->kind == HB_ONNX_KIND_FLOAT || a->kind == HB_ONNX_KIND_INT || a->kind == HB_ONNX_KIND_FLOATS ||
              a->kind == HB_ONNX_KIND_INTS))
        return constant_of_list(file, node, a);
    if (!a || !a->tensor)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads constants that are numbers or one tensor");
    made.constant = a->tensor;
    return hb_onnx_give(file, node, 0, &made);
}

hbs_status hb_onnx_constant_of_shape(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value made = {.form = HB_ONNX_CONSTANT, .type = HB_ONNX_FLOAT, .row = -1};
    const hb_onnx_attribute *a;
    const int64_t *shape;
    hb_onnx_items items;
    double *numbers, number = 0;
    size_t n;

    HB_TRY(hb_onnx_integers(file, node, 0, NULL, &shape, &n));
    HB_TRY(hb_onnx_attribute_find(file, node, "value", HB_ONNX_KIND_TENSOR, &a));
    if (!shape || (a && (a->tensor->count != 1 || a->tensor->type == HB_ONNX_STRING)))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it of one number and a stated shape");
    HB_TRY(hb_onnx_reshape_value(file, node, &made, shape, n));
    if (a) {
        items = hb_onnx_items_of_tensor(a->tensor);
        made.type = a->tensor->type;
        number = hb_onnx_next_number(&items);
    }
    numbers = hb_arena_array(&file->pipeline->arena, made.width, sizeof(*numbers));
    if (!numbers)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < made.width; i++)
        numbers[i] = number;
    made.numbers = numbers;
    HB_TRY(hb_worked(file->bytes.work, made.width, file->error));
    return hb_onnx_give(file, node, 0, &made);
}
