/* convolution32.c - see convolution32.h: sums of some outputs stay in registers, and the lanes of a sum are rows of the
 * tile; of few rows they are places of the window, whose numbers are gathered first. */
#include "kernel/convolution32.h"

#include <string.h>

#include "kernel/float_lanes.h"

enum { VECTORS = 2, ROWS = VECTORS * LANES, OUTPUTS = HB_ISA_AVX512 ? 8 : 4 };

/* The sum's last steps. */
HB_INLINE lanes finished(const hb_convolution *c, size_t o, lanes sum)
{
    typedef int32_t bits __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
    lanes y = sum + c->bias[o];
    const lanes low = (lanes){0} + c->limits[0], high = (lanes){0} + c->limits[1];
    bits below = y < low, above;

    y = (lanes)((below & (bits)low) | (~below & (bits)y));
    above = y > high;
    y = (lanes)((above & (bits)high) | (~above & (bits)y));
    return same_nan(y);
}

/* ---- rows as lanes */

/* `n` outputs (a constant of the caller) from `o` on, at place p, of ROWS rows. */
HB_INLINE void sum_block(const hb_convolution *c, const float *x, size_t stride, const hb_window_span spans[3],
                         size_t o, size_t n, float *out, size_t out_step)
{
    const hb_windows *w = &c->windows;
    const size_t plane = hb_windows_count(w->in), items = hb_windows_count(w->kernel);
    const size_t line = w->in[2], step = (size_t)w->dilation[2] * stride;
    lanes sum[OUTPUTS][VECTORS];

    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; v < VECTORS; v++)
            sum[i][v] = (lanes){0};
    for (size_t channel = 0; channel < c->channels; channel++)
        for (size_t z = spans[0].first; z < spans[0].end; z++)
            for (size_t y = spans[1].first; y < spans[1].end; y++) {
                size_t at_z = spans[0].at + (z - spans[0].first) * w->dilation[0];
                size_t at_y = spans[1].at + (y - spans[1].first) * w->dilation[1];
                const float *in = x + (channel * plane + (at_z * w->in[1] + at_y) * line + spans[2].at) * stride;
                const float *weight =
                    c->weights +
                    (channel * items + (z * w->kernel[1] + y) * w->kernel[2] + spans[2].first) * c->outputs + o;

                for (size_t k = spans[2].first; k < spans[2].end; k++, in += step, weight += c->outputs)
                    for (size_t v = 0; v < VECTORS; v++) {
                        lanes here = *(const lanes *)(in + v * LANES);

                        for (size_t i = 0; i < n; i++)
                            sum[i][v] = fused(here, weight[i], sum[i][v]);
                    }
            }
    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; v < VECTORS; v++)
            *(lanes *)(out + i * out_step + v * LANES) = finished(c, o + i, sum[i][v]);
}

/* All outputs asked for, of ROWS rows from r on. */
HB_INLINE void sum_rows(const hb_tile *tile, const hb_convolution *c, size_t r, size_t p, size_t from, size_t to)
{
    size_t places = hb_windows_count(c->windows.out), step = places * tile->stride, o = from;
    float *out = tile->out + p * tile->stride + r;
    const float *x = tile->in + r;
    hb_window_span spans[3];

    hb_windows_spans(&c->windows, p, spans);
    for (; o + OUTPUTS <= to; o += OUTPUTS)
        sum_block(c, x, tile->stride, spans, o, OUTPUTS, out + o * step, step);
    for (; o + 2 <= to; o += 2)
        sum_block(c, x, tile->stride, spans, o, 2, out + o * step, step);
    for (; o < to; o++)
        sum_block(c, x, tile->stride, spans, o, 1, out + o * step, step);
}

/* ---- places as lanes, of one row */

enum { PLACES = ROWS, TAPS = 512 / PLACES /* of the channels and items, at once */ };

typedef struct places {
    const float *x; /* the row's number in the first column */
    size_t stride;
    size_t first, n;          /* places of the window, at most PLACES */
    int32_t begin[3][PLACES]; /* where the window of each begins, along each axis */
    int32_t at[PLACES];       /* the item of a channel that each takes; -1: none */
    float taken[TAPS * PLACES];
} places;

static void begin_places(const hb_windows *w, size_t first, size_t n, places *l)
{
    l->first = first;
    l->n = n;
    for (size_t i = 0; i < PLACES; i++) {
        size_t p = first + (i < n ? i : 0);

        for (size_t a = 3; a-- > 0; p /= w->out[a])
            l->begin[a][i] = (int32_t)((int64_t)(p % w->out[a]) * w->stride[a] - w->before[a]);
    }
}

/* Item t of the window. */
static void find_items(const hb_windows *w, size_t t, places *l)
{
    const int32_t x = (int32_t)(t % w->kernel[2] * w->dilation[2]),
                  size[3] = {(int32_t)w->in[0], (int32_t)w->in[1], (int32_t)w->in[2]};
    const int32_t y = (int32_t)(t / w->kernel[2] % w->kernel[1] * w->dilation[1]);
    const int32_t z = (int32_t)(t / w->kernel[2] / w->kernel[1] * w->dilation[0]);

    for (size_t i = 0; i < PLACES; i++) {
        int32_t at_z = l->begin[0][i] + z, at_y = l->begin[1][i] + y, at_x = l->begin[2][i] + x;
        int32_t is_in =
            (at_z >= 0) & (at_z < size[0]) & (at_y >= 0) & (at_y < size[1]) & (at_x >= 0) & (at_x < size[2]);

        l->at[i] = is_in ? (at_z * size[1] + at_y) * size[2] + at_x : -1;
    }
}

/* The numbers of terms [first, end) of the sums: term k is item k % items of channel k / items. */
static void take_terms(const hb_convolution *c, size_t first, size_t end, places *l)
{
    const hb_windows *w = &c->windows;
    size_t items = hb_windows_count(w->kernel), plane = hb_windows_count(w->in);

    for (size_t t = first % items, left = end - first < items ? end - first : items; left > 0;
         left--, t = (t + 1) % items) {
        size_t k = first / items * items + t;

        find_items(w, t, l);
        for (k = k < first ? k + items : k; k < end; k += items) {
            const float *x = l->x + k / items * plane * l->stride;
            float *to = l->taken + (k - first) * PLACES;

            for (size_t i = 0; i < l->n; i++)
                to[i] = l->at[i] < 0 ? 0 : x[(size_t)l->at[i] * l->stride];
        }
    }
}

HB_INLINE lanes get(const float *from, size_t stride, size_t n)
{
    float some[LANES] = {0};

    if (stride == 1 && n >= LANES)
        return *(const lanes *)from;
    for (size_t i = 0; i < n && i < LANES; i++)
        some[i] = from[i * stride];
    return *(const lanes *)some;
}

HB_INLINE void put(float *to, size_t stride, size_t n, lanes x)
{
    float some[LANES];

    if (stride == 1 && n >= LANES) {
        *(lanes *)to = x;
        return;
    }
    *(lanes *)some = x;
    for (size_t i = 0; i < n && i < LANES; i++)
        to[i * stride] = some[i];
}

/* `n` outputs from o on (a constant of the caller, as `vectors`) of terms [first, end), whose numbers have been taken.
 * The sums of the terms before stand in the output. */
HB_INLINE void sum_places(const hb_convolution *c, const places *l, size_t first, size_t end, size_t o, size_t n,
                          size_t vectors, float *out, size_t out_step)
{
    bool begins = first == 0, ends = end == c->channels * hb_windows_count(c->windows.kernel);
    const float *weight = c->weights + first * c->outputs + o;
    lanes sum[OUTPUTS][VECTORS];

    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; v < vectors; v++)
            sum[i][v] =
                begins ? (lanes){0} : get(out + i * out_step + v * LANES * l->stride, l->stride, l->n - v * LANES);
    for (size_t k = 0; k < end - first; k++, weight += c->outputs)
        for (size_t v = 0; v < vectors; v++) {
            lanes here = *(const lanes *)(l->taken + k * PLACES + v * LANES);

            for (size_t i = 0; i < n; i++)
                sum[i][v] = fused(here, weight[i], sum[i][v]);
        }
    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; v < vectors; v++)
            put(out + i * out_step + v * LANES * l->stride, l->stride, l->n - v * LANES,
                ends ? finished(c, o + i, sum[i][v]) : sum[i][v]);
}

HB_INLINE void sum_outputs(const hb_convolution *c, const places *l, size_t first, size_t end, size_t from, size_t to,
                           size_t vectors, float *out)
{
    size_t step = hb_windows_count(c->windows.out) * l->stride, o = from;

    for (; o + OUTPUTS <= to; o += OUTPUTS)
        sum_places(c, l, first, end, o, OUTPUTS, vectors, out + o * step, step);
    for (; o < to; o++)
        sum_places(c, l, first, end, o, 1, vectors, out + o * step, step);
}

/* Not inlined: each has a stack frame of its own. */
HB_NOINLINE void sum_few(const hb_convolution *c, const places *l, size_t first, size_t end, size_t from, size_t to,
                         float *out)
{
    sum_outputs(c, l, first, end, from, to, 1, out);
}

HB_NOINLINE void sum_many(const hb_convolution *c, const places *l, size_t first, size_t end, size_t from, size_t to,
                          float *out)
{
    sum_outputs(c, l, first, end, from, to, VECTORS, out);
}

static void sum_row(const hb_convolution *c, places *l, size_t from, size_t to, float *out)
{
    size_t terms = c->channels * hb_windows_count(c->windows.kernel);

    out += l->first * l->stride;
    for (size_t first = 0, end; first < terms; first = end) {
        end = terms - first < TAPS ? terms : first + TAPS;
        take_terms(c, first, end, l);
        if (l->n > LANES)
            sum_many(c, l, first, end, from, to, out);
        else
            sum_few(c, l, first, end, from, to, out);
    }
}

static void sum_single_rows(const hb_tile *tile, const hb_convolution *c, size_t r, size_t first, size_t end,
                            size_t from, size_t to)
{
    places l = {.stride = tile->stride};

    for (size_t p = first; p < end; p += PLACES) {
        begin_places(&c->windows, p, end - p < PLACES ? end - p : PLACES, &l);
        for (size_t row = r; row < tile->rows; row++) {
            l.x = tile->in + row;
            sum_row(c, &l, from, to, tile->out + row);
        }
    }
}

void HB_KERNEL(hb_convolution32)(const hb_tile *tile, const hb_convolution *c, size_t first, size_t end, size_t from,
                                 size_t to)
{
    size_t r = 0;

    /* The last block may have rows that nobody asked for, where the columns have room for them. */
    for (; r + HB_CONVOLUTION_FEW < tile->rows && r + ROWS <= tile->stride; r += ROWS)
        for (size_t p = first; p < end; p++)
            sum_rows(tile, c, r, p, from, to);
    if (r < tile->rows)
        sum_single_rows(tile, c, r, first, end, from, to);
}
