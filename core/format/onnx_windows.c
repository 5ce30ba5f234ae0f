/* onnx_windows.c - see onnx_windows.h: sizes, strides, dilations and padding, explicit or by auto_pad. */
#include "format/onnx_windows.h"

#include <string.h>

typedef enum padding { PADS, SAME_UPPER, SAME_LOWER, VALID } padding;

/* The node's lists, an item for each axis; in 64 bits until they have been checked. */
typedef struct geometry {
    size_t n_axes, skipped; /* axes that the image does not have: the first ones of three */
    padding padding;
    int64_t in[3], kernel[3], strides[3], dilations[3], before[3], after[3];
    int64_t ceil;
} geometry;

static hbs_status read_image(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_windows *w, geometry *g)
{
    const hb_onnx_value *x = &w->x;

    HB_TRY(hb_onnx_operand(file, node, 0, &w->x));
    if (x->form != HB_ONNX_NUMBERS || (x->type != HB_ONNX_FLOAT && x->type != HB_ONNX_DOUBLE))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore reads it of the row's float32 or float64 numbers");
    if (x->n_dims < 3 || x->n_dims > 5)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "it is of a tensor of %zu dimensions, hbscore reads 3 to 5: images, channels, and one to "
                              "three axes of each image",
                              x->n_dims);
    if (x->row > 0)
        return hb_onnx_mixes_rows(file, node);
    w->n_images = (size_t)x->dims[0];
    w->n_channels = (size_t)x->dims[1];
    g->n_axes = x->n_dims - 2;
    g->skipped = 3 - g->n_axes;
    for (size_t a = 0; a < 3; a++) {
        g->in[a] = a < g->skipped ? 1 : x->dims[a - g->skipped + 2];
        g->kernel[a] = g->strides[a] = g->dilations[a] = 1;
        g->before[a] = g->after[a] = 0;
        if (g->in[a] == 0)
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "its images have no items");
    }
    return HBS_OK;
}

/* A list of numbers from `least` on, one for each axis; none: they stay. */
static hbs_status read_list(hb_onnx_file *file, const hb_onnx_node *node, const geometry *g, const char *name,
                            int64_t least, int64_t to[3])
{
    const int64_t *list;
    size_t n;

    HB_TRY(hb_onnx_integers(file, node, SIZE_MAX, name, &list, &n));
    if (!list)
        return HBS_OK;
    if (n != g->n_axes)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "%s has %zu numbers for %zu axes", name, n, g->n_axes);
    for (size_t a = 0; a < n; a++) {
        if (list[a] < least || list[a] > HB_MAX_WINDOW)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "%s has the number %lld", name, (long long)list[a]);
        to[g->skipped + a] = list[a];
    }
    return HBS_OK;
}

/* The attribute has those in front of all axes, then those behind. */
static hbs_status read_pads(hb_onnx_file *file, const hb_onnx_node *node, geometry *g)
{
    const int64_t *list;
    size_t n;

    HB_TRY(hb_onnx_integers(file, node, SIZE_MAX, "pads", &list, &n));
    if (!list)
        return HBS_OK;
    if (n != 2 * g->n_axes)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "pads has %zu numbers for %zu axes", n, g->n_axes);
    for (size_t i = 0; i < n; i++) {
        if (list[i] < 0 || list[i] > HB_MAX_WINDOW)
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "pads has the number %lld", (long long)list[i]);
        (i < g->n_axes ? g->before : g->after)[g->skipped + i % g->n_axes] = list[i];
    }
    return HBS_OK;
}

static hbs_status read_padding(hb_onnx_file *file, const hb_onnx_node *node, geometry *g)
{
    char shown[HB_EXCERPT_BUFFER];
    hbs_text word;

    HB_TRY(hb_onnx_word(file, node, "auto_pad", "NOTSET", &word));
    g->padding = hb_text_is(word, "SAME_UPPER")   ? SAME_UPPER
                 : hb_text_is(word, "SAME_LOWER") ? SAME_LOWER
                 : hb_text_is(word, "VALID")      ? VALID
                                                  : PADS;
    if (g->padding == PADS && !hb_text_is(word, "NOTSET"))
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its auto_pad is \"%s\"", HB_SHOW(word, shown));
    return g->padding == PADS ? read_pads(file, node, g) : HBS_OK;
}

/* Places of the window along an axis; 0: there are none. SAME sets the pads. A last window that ceil_mode adds, and
 * that begins behind the image, does not count. */
static int64_t places_of(geometry *g, size_t a)
{
    int64_t reach = g->dilations[a] * (g->kernel[a] - 1) + 1, stride = g->strides[a], left, places;

    if (g->padding == SAME_UPPER || g->padding == SAME_LOWER) {
        places = (g->in[a] + stride - 1) / stride;
        left = (places - 1) * stride + reach - g->in[a];
        left = left > 0 ? left : 0;
        g->before[a] = g->padding == SAME_UPPER ? left / 2 : left - left / 2;
        g->after[a] = left - g->before[a];
        return places;
    }
    left = g->in[a] + g->before[a] + g->after[a] - reach;
    if (left < 0)
        return 0;
    places = (g->ceil ? left + stride - 1 : left) / stride + 1;
    return g->ceil && places > 1 && (places - 1) * stride >= g->in[a] + g->before[a] ? places - 1 : places;
}

static hbs_status set_windows(hb_onnx_file *file, const hb_onnx_node *node, geometry *g, hb_onnx_windows *w)
{
    for (size_t a = 0; a < 3; a++) {
        int64_t places = places_of(g, a);

        if (places == 0)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT,
                                  "its window is larger than the image: %lld items, %lld apart, of %lld",
                                  (long long)g->kernel[a], (long long)g->dilations[a], (long long)g->in[a]);
        if (places > HB_MAX_OUTPUTS || g->before[a] > HB_MAX_WINDOW || g->after[a] > HB_MAX_WINDOW)
            return hb_onnx_refuse(file, node, HBS_E_LIMIT, "its window has %lld places along an axis",
                                  (long long)places);
        w->windows.in[a] = (uint32_t)g->in[a];
        w->windows.out[a] = (uint32_t)places;
        w->windows.kernel[a] = (uint32_t)g->kernel[a];
        w->windows.stride[a] = (uint32_t)g->strides[a];
        w->windows.dilation[a] = (uint32_t)g->dilations[a];
        w->windows.before[a] = (uint32_t)g->before[a];
        w->after[a] = (uint32_t)g->after[a];
    }
    if (!hb_windows_are_valid(&w->windows))
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "its window is too large");
    return hb_worked(file->bytes.work, 64, file->error);
}

static hbs_status take_kernel(hb_onnx_file *file, const hb_onnx_node *node, const int64_t *kernel, geometry *g)
{
    int64_t stated[3] = {0};

    HB_TRY(read_list(file, node, g, "kernel_shape", 1, stated));
    for (size_t a = g->skipped; a < 3; a++) {
        if (!kernel && !stated[a])
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has no kernel_shape");
        g->kernel[a] = kernel ? kernel[a - g->skipped] : stated[a];
        if (g->kernel[a] < 1 || g->kernel[a] > HB_MAX_WINDOW || (stated[a] && stated[a] != g->kernel[a]))
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "kernel_shape has the number %lld, its weights %lld",
                                  (long long)stated[a], (long long)g->kernel[a]);
    }
    return HBS_OK;
}

/* ONNX Runtime's operators do not agree on auto_pad here: its pools find the padding without the dilations, so they
 * make fewer places than ONNX says; and where windows are so far apart that pads would be below 0, some leave out the
 * first items of the image. */
static hbs_status check_same(hb_onnx_file *file, const hb_onnx_node *node, const geometry *g, bool is_pool)
{
    for (size_t a = 0; a < 3 && (g->padding == SAME_UPPER || g->padding == SAME_LOWER); a++) {
        int64_t places = (g->in[a] + g->strides[a] - 1) / g->strides[a];
        int64_t end = (places - 1) * g->strides[a] + g->dilations[a] * (g->kernel[a] - 1) + 1;

        if (is_pool && g->kernel[a] > 1 && g->dilations[a] > 1)
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads its auto_pad without dilations");
        if (end < g->in[a] - 1)
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "its auto_pad would leave out %lld items of %lld",
                                  (long long)(g->in[a] - end), (long long)g->in[a]);
    }
    return HBS_OK;
}

hbs_status hb_onnx_windows_read(hb_onnx_file *file, const hb_onnx_node *node, const int64_t *kernel, hb_onnx_windows *w)
{
    geometry g = {0};

    HB_TRY(read_image(file, node, w, &g));
    HB_TRY(take_kernel(file, node, kernel, &g));
    HB_TRY(read_list(file, node, &g, "strides", 1, g.strides));
    HB_TRY(read_list(file, node, &g, "dilations", 1, g.dilations));
    HB_TRY(read_padding(file, node, &g));
    HB_TRY(check_same(file, node, &g, !kernel));
    HB_TRY(hb_onnx_integer(file, node, "ceil_mode", 0, &g.ceil));
    return set_windows(file, node, &g, w);
}

hbs_status hb_onnx_windows_of_all(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_windows *w)
{
    geometry g = {0};

    HB_TRY(read_image(file, node, w, &g));
    memcpy(g.kernel, g.in, sizeof(g.kernel));
    return set_windows(file, node, &g, w);
}

hbs_status hb_onnx_windows_shape(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_windows *w,
                                 size_t channels, hb_onnx_value *made)
{
    int64_t dims[5] = {(int64_t)w->n_images, (int64_t)channels};

    for (size_t i = 2; i < w->x.n_dims; i++)
        dims[i] = w->windows.out[i + 3 - w->x.n_dims];
    *made = w->x;
    HB_TRY(hb_onnx_reshape_value(file, node, made, dims, w->x.n_dims));
    if (made->width == 0)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "it makes a tensor without items");
    return HBS_OK;
}
