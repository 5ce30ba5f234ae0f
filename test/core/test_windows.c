/* test_windows.c - convolutions and pools of random windows: the bits of plain loops, by each instruction set, of one
 * row, of some and of a block. */
#include <math.h>
#include <stdio.h>

#include "support.h"

#include "kernel/kernels_isas.h"

enum { MOST_COLUMNS = 4 * 400, MOST_WEIGHTS = 4 * 40 * 40, MOST_STRIDE = 100, TURNS = 60 };

typedef struct setting {
    hb_windows windows;
    size_t channels, outputs, rows, stride;
    bool odd; /* NaN and infinite numbers are among the others */
    float in[MOST_COLUMNS * MOST_STRIDE], expected[MOST_COLUMNS * MOST_STRIDE], found[MOST_COLUMNS * MOST_STRIDE];
    double wide[MOST_COLUMNS * MOST_STRIDE], found_wide[MOST_COLUMNS * MOST_STRIDE];
    float weights[MOST_WEIGHTS + HB_CONVOLUTION_TAIL], bias[40];
    double divisors[400];
} setting;

static uint32_t below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)(test_random(seed) >> 33) % n;
}

static float draw(uint64_t *seed, bool odd)
{
    static const float some[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-30f, -1e-40f, 1e30f};
    uint32_t r = below(seed, 1u << 20);

    return odd && r % 9 == 0 ? some[r / 9 % 8] : (float)r / (1 << 18) - 2;
}

/* One to three axes; windows that reach beyond both ends, and beyond the image. */
static void draw_windows(setting *s, uint64_t *seed)
{
    hb_windows *w = &s->windows;
    uint32_t axes = 1 + below(seed, 3), most = axes == 1 ? 60 : axes == 2 ? 12 : 5;

    for (size_t a = 0; a < 3; a++) {
        bool there = a + axes >= 3;

        w->in[a] = there ? 1 + below(seed, most) : 1;
        w->kernel[a] = there ? 1 + below(seed, 4) : 1;
        w->dilation[a] = 1 + below(seed, 3);
        w->stride[a] = 1 + below(seed, 3);
        w->before[a] = there ? below(seed, w->kernel[a]) : 0;
        w->out[a] = there ? 1 + (w->in[a] + w->before[a] - 1) / w->stride[a] : 1;
    }
    s->channels = 1 + below(seed, 4);
    s->outputs = 1 + below(seed, 4) * below(seed, 6);
    s->odd = below(seed, 2);
}

static void draw_numbers(setting *s, uint64_t *seed)
{
    size_t weights = s->channels * hb_windows_count(s->windows.kernel) * s->outputs;

    assert_true(weights <= MOST_WEIGHTS);
    for (size_t i = 0; i < s->channels * hb_windows_count(s->windows.in) * s->stride; i++)
        s->wide[i] = (double)(s->in[i] = draw(seed, s->odd));
    for (size_t i = 0; i < weights + HB_CONVOLUTION_TAIL; i++)
        s->weights[i] = i < weights ? draw(seed, false) : NAN;
    for (size_t o = 0; o < s->outputs; o++)
        s->bias[o] = below(seed, 3) ? draw(seed, false) + 0.0f : 0;
    for (size_t p = 0; p < hb_windows_count(s->windows.out); p++)
        s->divisors[p] = 1 + below(seed, 9);
}

/* Calls `item` for each item of the window of place p that lies in the image: its place there, and that in the window.
 */
typedef void each_item(void *context, size_t at, size_t k);

static void visit(const hb_windows *w, size_t p, each_item *item, void *context)
{
    size_t o[3] = {p / w->out[2] / w->out[1], p / w->out[2] % w->out[1], p % w->out[2]};

    for (size_t k = 0; k < hb_windows_count(w->kernel); k++) {
        size_t of[3] = {k / w->kernel[2] / w->kernel[1], k / w->kernel[2] % w->kernel[1], k % w->kernel[2]}, at = 0;
        bool inside = true;

        for (size_t a = 0; a < 3; a++) {
            long place = (long)(o[a] * w->stride[a] + of[a] * w->dilation[a]) - (long)w->before[a];

            inside &= place >= 0 && place < (long)w->in[a];
            at = at * w->in[a] + (size_t)place;
        }
        if (inside)
            item(context, at, k);
    }
}

/* ---- convolutions */

typedef struct summing {
    const setting *s;
    size_t row, output, channel;
    float sum;
} summing;

static void add_product(void *context, size_t at, size_t k)
{
    summing *x = context;
    const setting *s = x->s;
    size_t items = hb_windows_count(s->windows.in), kernel = hb_windows_count(s->windows.kernel);

    x->sum = fmaf(s->in[(x->channel * items + at) * s->stride + x->row],
                  s->weights[(x->channel * kernel + k) * s->outputs + x->output], x->sum);
}

static void expect_convolution(setting *s, const float limits[2])
{
    size_t places = hb_windows_count(s->windows.out);

    for (size_t o = 0; o < s->outputs; o++)
        for (size_t p = 0; p < places; p++)
            for (size_t r = 0; r < s->rows; r++) {
                summing x = {s, r, o, 0, 0};
                float y;

                for (; x.channel < s->channels; x.channel++)
                    visit(&s->windows, p, add_product, &x);
                y = x.sum + s->bias[o];
                y = y < limits[0] ? limits[0] : y > limits[1] ? limits[1] : y;
                s->expected[(o * places + p) * s->stride + r] = y == y ? y : NAN;
            }
}

static void compare(const setting *s, const float *found, size_t columns, const char *what, const char *isa)
{
    for (size_t c = 0; c < columns; c++)
        for (size_t r = 0; r < s->rows; r++)
            if (memcmp(&found[c * s->stride + r], &s->expected[c * s->stride + r], sizeof(float)) != 0)
                fail_msg("%s, %s: row %zu of %zu, stride %zu, column %zu is %a, not %a", what, isa, r, s->rows,
                         s->stride, c, (double)found[c * s->stride + r], (double)s->expected[c * s->stride + r]);
}

/* All at once, and in parts. */
static void check_convolution(setting *s, uint64_t *seed)
{
    static const float limits[3][2] = {{-INFINITY, INFINITY}, {0, INFINITY}, {-0.5f, 1}};
    hb_convolution c = {s->windows, s->channels, s->outputs, s->weights, s->bias, {0}};
    size_t places = hb_windows_count(s->windows.out);
    hb_tile tile = {s->in, s->found, 0, s->stride, s->rows};
    uint32_t kind = below(seed, 3), p = below(seed, (uint32_t)places), o = below(seed, (uint32_t)s->outputs);

    memcpy(c.limits, limits[kind], sizeof(c.limits));
    expect_convolution(s, c.limits);
    for (size_t isa = 0; hb_kernels_at(isa); isa++) {
        const hb_kernels *k = hb_kernels_at(isa);

        memset(s->found, 0xff, sizeof(s->found));
        k->hb_convolution32(&tile, &c, 0, places, 0, s->outputs);
        compare(s, s->found, s->outputs * places, "convolution", k->name);
        memset(s->found, 0xff, sizeof(s->found));
        k->hb_convolution32(&tile, &c, 0, p, 0, s->outputs);
        k->hb_convolution32(&tile, &c, p, places, 0, o);
        k->hb_convolution32(&tile, &c, p, places, o, s->outputs);
        compare(s, s->found, s->outputs * places, "parts of a convolution", k->name);
    }
}

/* ---- pools */

typedef struct pooling {
    const setting *s;
    size_t row, channel, n;
    float most;
    double sum;
} pooling;

static void take(void *context, size_t at, size_t k)
{
    pooling *x = context;
    float y = x->s->in[(x->channel * hb_windows_count(x->s->windows.in) + at) * x->s->stride + x->row];

    (void)k;
    x->n++;
    x->most = y > x->most || y != y ? y : x->most;
    x->sum += (double)y;
}

/* False if a window has no item. */
static bool expect_pool(setting *s, bool largest, const double *divisors)
{
    size_t places = hb_windows_count(s->windows.out);

    for (size_t c = 0; c < s->channels; c++)
        for (size_t p = 0; p < places; p++)
            for (size_t r = 0; r < s->rows; r++) {
                pooling x = {.s = s, .row = r, .channel = c, .most = -INFINITY};
                float y;

                visit(&s->windows, p, take, &x);
                y = largest ? x.most : (float)(x.sum / (divisors ? divisors[p] : 1));
                s->expected[(c * places + p) * s->stride + r] = y == y ? y : NAN;
                if (x.n == 0)
                    return false;
            }
    return true;
}

static void check_pool(setting *s, uint64_t *seed)
{
    const hb_pool pool = {s->windows, below(seed, 2), below(seed, 2) ? s->divisors : NULL};
    size_t places = hb_windows_count(s->windows.out), columns = s->channels * places;
    hb_tile tile = {s->in, s->found, 0, s->stride, s->rows};
    hb_tile64 wide = {s->wide, s->found_wide, 0, s->stride, s->rows};
    uint32_t p = below(seed, (uint32_t)places), c = below(seed, (uint32_t)s->channels);

    if (!expect_pool(s, pool.largest, pool.divisors))
        return;
    for (size_t isa = 0; hb_kernels_at(isa); isa++) {
        const hb_kernels *k = hb_kernels_at(isa);

        memset(s->found, 0xff, sizeof(s->found));
        k->hb_pool32(&tile, &pool, 0, places, 0, c);
        k->hb_pool32(&tile, &pool, 0, p, c, s->channels);
        k->hb_pool32(&tile, &pool, p, places, c, s->channels);
        compare(s, s->found, columns, "pool", k->name);
        k->hb_pool64(&wide, &pool, 0, places, 0, s->channels);
        for (size_t i = 0; i < columns * s->stride; i++)
            s->found[i] = (float)s->found_wide[i];
        compare(s, s->found, columns, "pool of float64", k->name);
    }
}

static void test_kernels(void **state)
{
    static const size_t rows[] = {1, 1, 1, 3, 5, 31, 33, 64, 70, 99},
                        strides[] = {1, 2, 64, 64, 5, 64, 64, 64, 100, 100};
    static setting s;
    uint64_t seed = 28;

    for (size_t turn = 0; turn < TURNS; turn++) {
        s.rows = rows[turn % 10];
        s.stride = strides[turn % 10];
        draw_windows(&s, &seed);
        draw_numbers(&s, &seed);
        if (s.outputs * hb_windows_count(s.windows.out) > MOST_COLUMNS)
            continue;
        check_convolution(&s, &seed);
        check_pool(&s, &seed);
    }
}

/* More terms than kernels gather at once. */
static void test_many_terms(void **state)
{
    static setting s;
    uint64_t seed = 29;

    for (size_t turn = 0; turn < 4; turn++) {
        s.windows = (hb_windows){{1, 4, 5}, {1, 4, 5}, {1, 5, turn == 1 ? 11 : 7}, {1, 1, 1}, {1, 1, 1}, {0, 2, 3}};
        s.channels = 4;
        s.outputs = 9;
        s.odd = turn % 2;
        s.rows = turn < 2 ? 1 : 2;
        s.stride = turn < 2 ? 1 : 64;
        draw_numbers(&s, &seed);
        check_convolution(&s, &seed);
        check_pool(&s, &seed);
    }
}

static void test_validity(void **state)
{
    const hb_windows good = {{1, 4, 5}, {1, 4, 5}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}};
    hb_windows w = good;

    assert_true(hb_windows_are_valid(&w));
    w.stride[2] = 0;
    assert_false(hb_windows_are_valid(&w));
    w = good;
    w.in[0] = 0;
    assert_false(hb_windows_are_valid(&w));
    w = good;
    w.kernel[1] = HB_MAX_WINDOW + 1u;
    assert_false(hb_windows_are_valid(&w));
    w = good;
    w.before[2] = UINT32_MAX;
    assert_false(hb_windows_are_valid(&w));
    w = good;
    w.out[2] = w.stride[2] = HB_MAX_WINDOW;
    assert_false(hb_windows_are_valid(&w));
    w = good;
    w.kernel[2] = w.dilation[2] = HB_MAX_WINDOW;
    assert_false(hb_windows_are_valid(&w));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_many_terms),
        cmocka_unit_test(test_validity),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
