/* windows.h - a window that goes over an image of up to three axes: what convolutions and pools share. */
#ifndef HB_BASE_WINDOWS_H
#define HB_BASE_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Three numbers each, one for an axis; items of the last axis follow each other, and an image of fewer axes has sizes
 * of 1 first. The window of place o begins at o * stride - before, and its items are `dilation` apart. What lies beside
 * the image does not count. */
typedef struct hb_windows {
    uint32_t in[3], out[3]; /* sizes of the image, and places of the window */
    uint32_t kernel[3], stride[3], dilation[3];
    uint32_t before[3]; /* items that are missing in front of the image */
} hb_windows;

enum {
    HB_MAX_WINDOW = 1 << 20, /* any of these numbers */
    HB_MAX_REACH = 1 << 29   /* from where the first window begins to where the last one does; so long is a window */
};

/* Behind the weights of a convolution stand so many numbers more, as kernels read some at once. */
enum { HB_CONVOLUTION_TAIL = 16 };

static inline bool hb_windows_are_valid(const hb_windows *w)
{
    for (size_t a = 0; a < 3; a++)
        if (w->in[a] - 1 >= HB_MAX_WINDOW || w->out[a] - 1 >= HB_MAX_WINDOW || w->kernel[a] - 1 >= HB_MAX_WINDOW ||
            w->stride[a] - 1 >= HB_MAX_WINDOW || w->dilation[a] - 1 >= HB_MAX_WINDOW || w->before[a] > HB_MAX_WINDOW ||
            (uint64_t)(w->out[a] - 1) * w->stride[a] > HB_MAX_REACH ||
            (uint64_t)(w->kernel[a] - 1) * w->dilation[a] > HB_MAX_REACH)
            return false;
    return true;
}

/* sizes[0] * sizes[1] * sizes[2], at most 2^60 of valid ones. */
static inline size_t hb_windows_count(const uint32_t sizes[3])
{
    return (size_t)sizes[0] * sizes[1] * sizes[2];
}

/* Items of the image in a window, at most. */
static inline size_t hb_windows_most(const hb_windows *w)
{
    size_t n = 1;

    for (size_t a = 0; a < 3; a++)
        n *= w->kernel[a] < w->in[a] ? w->kernel[a] : w->in[a];
    return n;
}

/* Along one axis, the items of the window of place o that lie in the image: from `first` to before `end`. */
typedef struct hb_window_span {
    uint32_t first, end;
    uint32_t at; /* in the image, the place of the first */
} hb_window_span;

static inline hb_window_span hb_windows_span(const hb_windows *w, size_t axis, size_t o)
{
    int64_t begin = (int64_t)o * w->stride[axis] - w->before[axis], step = w->dilation[axis], in = w->in[axis];
    int64_t first = begin >= 0 ? 0 : (step - 1 - begin) / step, end = begin >= in ? 0 : (in - begin + step - 1) / step;

    end = end < (int64_t)w->kernel[axis] ? end : (int64_t)w->kernel[axis];
    if (first >= end)
        return (hb_window_span){0, 0, 0};
    return (hb_window_span){(uint32_t)first, (uint32_t)end, (uint32_t)(begin + first * step)};
}

/* The three axes' spans of place p of the window, in the order of the places. */
static inline void hb_windows_spans(const hb_windows *w, size_t p, hb_window_span spans[3])
{
    for (size_t a = 3; a-- > 0; p /= w->out[a])
        spans[a] = hb_windows_span(w, a, p % w->out[a]);
}

#endif
