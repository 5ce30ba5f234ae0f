/* convolution32.c - see convolution32.h: sums of some outputs stay in registers, and the lanes of a sum are rows of the
 * tile; of few rows they are places of the window, whose numbers are gathered first. */
#include "kernel/convolution32.h"

#include <string.h>

#include "kernel/float_lanes.h"
#include "kernel/places.h"

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

enum {
    PLACES = ROWS,
    TAPS = 384 / PLACES, /* of the channels and items, at once */
    MOST_RUNS = 4        /* of a vector */
};

/* Places whose windows begin at items of the image that follow each other. */
typedef struct run {
    uint32_t lanes; /* a bit each */
    uint32_t from;  /* the item that lane 0 would have */
} run;

typedef struct gathered {
    const float *x; /* the row's number in the first column */
    size_t stride;
    hb_places places;
    run runs[VECTORS][MOST_RUNS];
    size_t n_runs[VECTORS]; /* 0: there are too many, or columns lie apart */
    float taken[TAPS * PLACES];
} gathered;

static void find_runs(gathered *g)
{
    for (size_t v = 0; v < VECTORS; v++) {
        const uint32_t *from = g->places.from + v * LANES;
        size_t n = 0;

        for (uint32_t i = 0; i < LANES; i++) {
            if (i == 0 || from[i] != from[i - 1] + 1) {
                n++;
                if (n <= MOST_RUNS)
                    g->runs[v][n - 1] = (run){0, from[i] - i};
            }
            if (n <= MOST_RUNS)
                g->runs[v][n - 1].lanes |= 1u << i;
        }
        g->n_runs[v] = n <= MOST_RUNS && g->stride == 1 ? n : 0;
    }
}

/* x[i] in the lanes of the bits, what `others` has in the other ones. */
#if HB_ISA_AVX512

HB_INLINE lanes some_of(const float *x, uint32_t bits, lanes others)
{
    return (lanes)_mm512_mask_loadu_ps((__m512)others, (__mmask16)bits, x);
}

#elif HB_ISA_AVX2

HB_INLINE lanes some_of(const float *x, uint32_t bits, lanes others)
{
    const __m256i each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i mask = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int32_t)bits), each), each);

    return (lanes)_mm256_blendv_ps((__m256)others, _mm256_maskload_ps(x, mask), (__m256)mask);
}

#else

HB_INLINE lanes some_of(const float *x, uint32_t bits, lanes others)
{
    for (size_t i = 0; i < LANES; i++)
        if (bits >> i & 1)
            others[i] = x[i];
    return others;
}

#endif

/* The item's numbers of vector v in a channel that begins at x. */
HB_INLINE void take_vector(const gathered *g, const float *x, const hb_item *item, size_t v, float *to)
{
    uint32_t inside = item->inside >> (v * LANES);
    lanes taken = {0};

    if (g->n_runs[v]) {
        for (size_t i = 0; i < g->n_runs[v]; i++) {
            const run *r = &g->runs[v][i];

            if (inside & r->lanes)
                taken = some_of(x + (int32_t)(r->from + item->offset), inside & r->lanes, taken);
        }
        *(lanes *)to = taken;
        return;
    }
    for (size_t i = 0; i < LANES; i++) {
        bool is_in = inside >> i & 1;
        size_t at = is_in ? g->places.from[v * LANES + i] + item->offset : 0;
        float number = x[at * g->stride];

        to[i] = is_in ? number : 0;
    }
}

/* The numbers of terms [first, end) of the sums: term k is item k % items of channel k / items. */
HB_INLINE void take_terms(const hb_convolution *c, size_t first, size_t end, size_t vectors, gathered *g)
{
    size_t items = hb_windows_count(c->windows.kernel), plane = hb_windows_count(c->windows.in) * g->stride;
    size_t t = first % items;
    bool kept = items <= HB_PLACES_ITEMS;
    const float *x = g->x + first / items * plane;

    for (float *to = g->taken; first < end; first++, to += PLACES) {
        hb_item item = hb_item_of(&c->windows, &g->places, t, kept);

        for (size_t v = 0; v < vectors; v++)
            take_vector(g, x, &item, v, to + v * LANES);
        if (++t == items) {
            t = 0;
            x += plane;
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
HB_INLINE void sum_places(const hb_convolution *c, const gathered *g, size_t first, size_t end, size_t o, size_t n,
                          size_t vectors, float *out, size_t out_step)
{
    bool begins = first == 0, ends = end == c->channels * hb_windows_count(c->windows.kernel);
    const float *weight = c->weights + first * c->outputs + o;
    lanes sum[OUTPUTS][VECTORS];

    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; v < vectors; v++)
            sum[i][v] = begins ? (lanes){0}
                               : get(out + i * out_step + v * LANES * g->stride, g->stride, g->places.n - v * LANES);
    for (size_t k = 0; k < end - first; k++, weight += c->outputs)
        for (size_t v = 0; v < vectors; v++) {
            lanes here = *(const lanes *)(g->taken + k * PLACES + v * LANES);

            for (size_t i = 0; i < n; i++)
                sum[i][v] = fused(here, weight[i], sum[i][v]);
        }
    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; v < vectors; v++)
            put(out + i * out_step + v * LANES * g->stride, g->stride, g->places.n - v * LANES,
                ends ? finished(c, o + i, sum[i][v]) : sum[i][v]);
}

HB_INLINE void sum_outputs(const hb_convolution *c, const gathered *g, size_t first, size_t end, size_t from, size_t to,
                           size_t vectors, float *out)
{
    size_t step = hb_windows_count(c->windows.out) * g->stride, o = from;

    for (; o + OUTPUTS <= to; o += OUTPUTS)
        sum_places(c, g, first, end, o, OUTPUTS, vectors, out + o * step, step);
    for (; o < to; o++)
        sum_places(c, g, first, end, o, 1, vectors, out + o * step, step);
}

/* Not inlined: each has a stack frame of its own. */
HB_NOINLINE void sum_few(const hb_convolution *c, gathered *g, size_t first, size_t end, size_t from, size_t to,
                         float *out)
{
    take_terms(c, first, end, 1, g);
    sum_outputs(c, g, first, end, from, to, 1, out);
}

HB_NOINLINE void sum_many(const hb_convolution *c, gathered *g, size_t first, size_t end, size_t from, size_t to,
                          float *out)
{
    take_terms(c, first, end, VECTORS, g);
    sum_outputs(c, g, first, end, from, to, VECTORS, out);
}

static void sum_row(const hb_convolution *c, gathered *g, size_t from, size_t to, float *out)
{
    size_t terms = c->channels * hb_windows_count(c->windows.kernel);

    out += g->places.first * g->stride;
    for (size_t first = 0, end; first < terms; first = end) {
        end = terms - first < TAPS ? terms : first + TAPS;
        if (g->places.n > LANES)
            sum_many(c, g, first, end, from, to, out);
        else
            sum_few(c, g, first, end, from, to, out);
    }
}

HB_NOINLINE void sum_single_rows(const hb_tile *tile, const hb_convolution *c, size_t r, size_t first, size_t end,
                                 size_t from, size_t to)
{
    gathered g;

    g.stride = tile->stride;
    for (size_t p = first; p < end; p += PLACES) {
        hb_places_find(&c->windows, p, end - p < PLACES ? end - p : PLACES, &g.places);
        find_runs(&g);
        for (size_t row = r; row < tile->rows; row++) {
            g.x = tile->in + row;
            sum_row(c, &g, from, to, tile->out + row);
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
