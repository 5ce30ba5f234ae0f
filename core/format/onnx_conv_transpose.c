/* onnx_conv_transpose.c - ConvTranspose: a convolution of the image with zeros between its items, by the weights turned
 * around. Zeros add nothing, since weights are finite. */
#include <string.h>

#include "format/onnx_windows.h"

typedef struct transposed {
    hb_onnx_convolution c;
    hb_onnx_value given; /* the weights, [channels][outputs of a group][items] */
    size_t n_axes, skipped;
    int64_t in[3], kernel[3], strides[3], dilations[3], more[3], begin[3], end[3], out[3];
} transposed;

static hbs_status read_tensors(hb_onnx_file *file, const hb_onnx_node *node, transposed *t)
{
    hb_onnx_value *x = &t->c.w.x, *weights = &t->given, *bias = &t->c.bias;
    int64_t groups;

    HB_TRY(hb_onnx_operand(file, node, 0, x));
    HB_TRY(hb_onnx_operand(file, node, 1, weights));
    HB_TRY(hb_onnx_operand(file, node, 2, bias));
    HB_TRY(hb_onnx_integer(file, node, "group", 1, &groups));
    if (x->form != HB_ONNX_NUMBERS || x->type != HB_ONNX_FLOAT || weights->type != HB_ONNX_FLOAT || !weights->numbers ||
        (bias->form != HB_ONNX_NOTHING && (bias->type != HB_ONNX_FLOAT || !bias->numbers)))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore reads it of the row's float32 numbers with weights of the file");
    if (x->n_dims < 3 || x->n_dims > 5 || weights->n_dims != x->n_dims)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its weights have %zu dimensions, its input %zu",
                              weights->n_dims, x->n_dims);
    if (x->row > 0)
        return hb_onnx_mixes_rows(file, node);
    t->c.w.n_images = (size_t)x->dims[0];
    t->c.w.n_channels = (size_t)x->dims[1];
    if (groups < 1 || groups > x->dims[1] || x->dims[1] % groups || weights->dims[0] != x->dims[1] ||
        weights->dims[1] < 1 || weights->dims[1] > HB_MAX_OUTPUTS)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %lld groups and weights for %lld channels of %lld",
                              (long long)groups, (long long)weights->dims[0], (long long)x->dims[1]);
    t->c.n_groups = (size_t)groups;
    if (!hb_multiply(t->c.n_groups, (size_t)weights->dims[1], &t->c.n_outputs) ||
        (bias->form != HB_ONNX_NOTHING && bias->width != t->c.n_outputs))
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has a bias of %zu numbers for %zu outputs", bias->width,
                              t->c.n_outputs);
    return HBS_OK;
}

/* A list of numbers from `least` on, `n` for each axis: first[], then second[]; *there: the node has it. */
static hbs_status read_list(hb_onnx_file *file, const hb_onnx_node *node, const transposed *t, const char *name,
                            int64_t least, int64_t first[3], int64_t second[3], bool *there)
{
    const int64_t *list;
    size_t n, wanted = second ? 2 * t->n_axes : t->n_axes;

    HB_TRY(hb_onnx_integers(file, node, SIZE_MAX, name, &list, &n));
    *there = list != NULL;
    if (!list)
        return HBS_OK;
    if (n != wanted)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "%s has %zu numbers for %zu axes", name, n, t->n_axes);
    for (size_t i = 0; i < n; i++) {
        if (list[i] < least || list[i] > HB_MAX_WINDOW)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "%s has the number %lld", name, (long long)list[i]);
        (i < t->n_axes ? first : second)[t->skipped + i % t->n_axes] = list[i];
    }
    return HBS_OK;
}

static int64_t reach_of(const transposed *t, size_t a)
{
    return t->dilations[a] * (t->kernel[a] - 1) + 1;
}

/* The pads of a size that is stated: where they are not even, SAME_UPPER has the odd one behind. */
static void set_size(transposed *t, size_t a, int64_t size, bool upper)
{
    int64_t pads = t->strides[a] * (t->in[a] - 1) + t->more[a] + reach_of(t, a) - size;

    t->begin[a] = upper ? pads - pads / 2 : pads / 2;
    t->begin[a] = pads < 0 ? 0 : t->begin[a];
    t->out[a] = size;
}

static hbs_status find_sizes(hb_onnx_file *file, const hb_onnx_node *node, transposed *t)
{
    int64_t stated[3] = {1, 1, 1};
    bool has_pads, has_shape, same, upper;
    hbs_text word;

    HB_TRY(hb_onnx_word(file, node, "auto_pad", "NOTSET", &word));
    HB_TRY(read_list(file, node, t, "pads", 0, t->begin, t->end, &has_pads));
    HB_TRY(read_list(file, node, t, "output_shape", 1, stated, NULL, &has_shape));
    upper = hb_text_is(word, "SAME_UPPER");
    same = upper || hb_text_is(word, "SAME_LOWER");
    for (size_t a = 0; a < 3; a++) {
        if (has_shape && a >= t->skipped)
            set_size(t, a, stated[a], !upper);
        else if (same)
            set_size(t, a, t->in[a] * t->strides[a], !upper);
        else
            t->out[a] = t->strides[a] * (t->in[a] - 1) + t->more[a] + reach_of(t, a) - t->begin[a] - t->end[a];
        if (t->out[a] < 1 || t->out[a] > HB_MAX_OUTPUTS)
            return hb_onnx_refuse(file, node, HBS_E_LIMIT, "it makes %lld items along an axis", (long long)t->out[a]);
        if (t->begin[a] > reach_of(t, a) - 1)
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "its pads are larger than its window");
    }
    return HBS_OK;
}

static hbs_status read_windows(hb_onnx_file *file, const hb_onnx_node *node, transposed *t)
{
    const hb_onnx_value *x = &t->c.w.x;
    int64_t stated[3] = {0};
    bool there;

    t->n_axes = x->n_dims - 2;
    t->skipped = 3 - t->n_axes;
    for (size_t a = 0; a < 3; a++) {
        bool is_axis = a >= t->skipped;

        t->in[a] = is_axis ? x->dims[a - t->skipped + 2] : 1;
        t->kernel[a] = is_axis ? t->given.dims[a - t->skipped + 2] : 1;
        t->strides[a] = t->dilations[a] = 1;
        t->more[a] = t->begin[a] = t->end[a] = 0;
        if (t->in[a] < 1 || t->kernel[a] < 1)
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "its images or its weights have no items");
    }
    HB_TRY(read_list(file, node, t, "kernel_shape", 1, stated, NULL, &there));
    for (size_t a = t->skipped; there && a < 3; a++)
        if (stated[a] != t->kernel[a])
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "kernel_shape has the number %lld, its weights %lld",
                                  (long long)stated[a], (long long)t->kernel[a]);
    HB_TRY(read_list(file, node, t, "strides", 1, t->strides, NULL, &there));
    HB_TRY(read_list(file, node, t, "dilations", 1, t->dilations, NULL, &there));
    HB_TRY(read_list(file, node, t, "output_padding", 0, t->more, NULL, &there));
    return find_sizes(file, node, t);
}

static hbs_status set_windows(hb_onnx_file *file, const hb_onnx_node *node, transposed *t)
{
    for (size_t a = 0; a < 3; a++) {
        int64_t in = (t->in[a] - 1) * t->strides[a] + 1;

        if (in > HB_MAX_OUTPUTS || reach_of(t, a) > HB_MAX_WINDOW)
            return hb_onnx_refuse(file, node, HBS_E_LIMIT, "its strides are too large");
        t->c.w.windows.in[a] = (uint32_t)in;
        t->c.w.windows.out[a] = (uint32_t)t->out[a];
        t->c.w.windows.kernel[a] = (uint32_t)t->kernel[a];
        t->c.w.windows.stride[a] = 1;
        t->c.w.windows.dilation[a] = (uint32_t)t->dilations[a];
        t->c.w.windows.before[a] = (uint32_t)(reach_of(t, a) - 1 - t->begin[a]);
    }
    if (!hb_windows_are_valid(&t->c.w.windows))
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "its window is too large");
    return HBS_OK;
}

/* The image with zeros between its items. */
static hbs_status spread_image(hb_onnx_file *file, const hb_onnx_node *node, transposed *t)
{
    static const double zero = 0;
    const hb_onnx_value between = {
        .form = HB_ONNX_CONSTANT, .type = HB_ONNX_FLOAT, .row = -1, .width = 1, .numbers = &zero};
    hb_onnx_value *x = &t->c.w.x, made = *x;
    const uint32_t *in = t->c.w.windows.in;
    size_t plane = hb_windows_count(in), items = (size_t)(t->in[0] * t->in[1] * t->in[2]);
    int64_t dims[5] = {x->dims[0], x->dims[1]};
    hbs_status status;
    uint32_t *map;

    for (size_t i = 2; i < x->n_dims; i++)
        dims[i] = in[i + 3 - x->n_dims];
    HB_TRY(hb_onnx_reshape_value(file, node, &made, dims, x->n_dims));
    map = hb_onnx_columns(file, made.width, &status);
    HB_TRY(status);
    for (size_t i = 0; i < made.width; i++) {
        size_t at = i % plane, z = at / in[2] / in[1], y = at / in[2] % in[1], k = at % in[2];
        size_t dz = (size_t)t->strides[0], dy = (size_t)t->strides[1], dx = (size_t)t->strides[2];
        bool is_item = z % dz == 0 && y % dy == 0 && k % dx == 0;
        size_t place = (z / dz * (size_t)t->in[1] + y / dy) * (size_t)t->in[2] + k / dx;

        map[i] = (uint32_t)(is_item ? i / plane * items + place : x->width);
    }
    HB_TRY(hb_onnx_pick(file, node, (hb_onnx_value[]){*x, between}, 2, map, &made));
    *x = made;
    return HBS_OK;
}

/* To [outputs][channels of a group][items], the last one first. */
static hbs_status turn_weights(hb_onnx_file *file, transposed *t)
{
    const hb_onnx_value *given = &t->given;
    size_t outputs = (size_t)given->dims[1], channels = t->c.w.n_channels / t->c.n_groups, items;
    double *numbers = hb_arena_array(&file->arena, given->width, sizeof(*numbers));

    if (!numbers)
        return hb_no_memory(file->arena.memory, file->error);
    items = given->width / t->c.w.n_channels / outputs;
    for (size_t i = 0; i < given->width; i++) {
        size_t k = i % items, o = i / items % outputs, channel = i / items / outputs;
        size_t output = channel / channels * outputs + o;

        numbers[(output * channels + channel % channels) * items + items - 1 - k] = hb_onnx_item(given, i);
    }
    t->c.weights = (hb_onnx_value){
        .form = HB_ONNX_CONSTANT, .type = HB_ONNX_FLOAT, .row = -1, .width = given->width, .numbers = numbers};
    return hb_worked(file->bytes.work, 4 * given->width, file->error);
}

hbs_status hb_onnx_conv_transpose(hb_onnx_file *file, const hb_onnx_node *node)
{
    transposed t = {.n_axes = 0};

    HB_TRY(read_tensors(file, node, &t));
    HB_TRY(read_windows(file, node, &t));
    HB_TRY(set_windows(file, node, &t));
    HB_TRY(spread_image(file, node, &t));
    HB_TRY(turn_weights(file, &t));
    return hb_onnx_convolve(file, node, &t.c);
}
