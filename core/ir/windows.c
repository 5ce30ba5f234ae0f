/* windows.c - operators whose window goes over images: convolutions and pools. */
#include <float.h>
#include <math.h>

#include "ir/meaning.h"

/* a b c d is `product`. */
static bool is_product(size_t a, size_t b, size_t c, size_t d, size_t product)
{
    size_t most;

    return hb_multiply(a, b, &most) && hb_multiply(most, c, &most) && hb_multiply(most, d, &most) && most == product;
}

/* As many columns as an operator may make. */
static bool are_columns(size_t a, size_t b, size_t c, size_t d)
{
    size_t most;

    return hb_multiply(a, b, &most) && hb_multiply(most, c, &most) && hb_multiply(most, d, &most) && most > 0 &&
           most <= HB_MAX_OUTPUTS;
}

static hbs_status check_weights(hb_pipeline *pipeline, const hb_fit_convolution *fit, hbs_error *error)
{
    enum { A_TIME = 4096 };
    size_t n_outputs = fit->n_groups * fit->n_outputs;

    for (size_t i = 0; i + HB_CONVOLUTION_TAIL < fit->n_weights; i++) {
        HB_CHECK(isfinite(fit->weights[i]), error);
        if (i % A_TIME == A_TIME - 1)
            HB_TRY(hb_worked(&pipeline->arena.memory->work, A_TIME, error));
    }
    for (size_t o = 0; o < n_outputs; o++)
        HB_CHECK(fit->bias[o] != 0 || !signbit(fit->bias[o]), error);
    return hb_worked(&pipeline->arena.memory->work, n_outputs, error);
}

static hbs_status validate_convolution(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_convolution *fit = node->fit;
    size_t width = hb_input_width(&pipeline->graph, node), channels, terms;

    HB_CHECK(fit->weights && fit->bias && hb_windows_are_valid(&fit->windows), error);
    HB_CHECK(fit->limits[0] <= fit->limits[1], error);
    HB_CHECK(are_columns(fit->n_images, fit->n_groups, fit->n_outputs, hb_windows_count(fit->windows.out)), error);
    HB_CHECK(hb_multiply(fit->n_groups, fit->n_channels, &channels), error);
    HB_CHECK(is_product(fit->n_images, channels, hb_windows_count(fit->windows.in), 1, width), error);
    HB_CHECK(fit->n_weights > HB_CONVOLUTION_TAIL, error);
    HB_CHECK(is_product(channels, fit->n_outputs, hb_windows_count(fit->windows.kernel), 1,
                        fit->n_weights - HB_CONVOLUTION_TAIL),
             error);
    terms = fit->n_channels * hb_windows_count(fit->windows.kernel);
    if (terms > HB_MAX_OUTPUTS) /* a sum's terms are one unit of work */
        return hb_fail(error, HBS_E_LIMIT, "convolution: of %zu terms (1 to %d)", terms, HB_MAX_OUTPUTS);
    return check_weights(pipeline, fit, error);
}

static void convolution_shape(const hb_graph *graph, hb_node *node)
{
    const hb_fit_convolution *fit = node->fit;

    (void)graph;
    node->value.width = fit->n_images * fit->n_groups * fit->n_outputs * hb_windows_count(fit->windows.out);
}

/* The window of place p of an image whose columns these are. */
static void ask_window(const hb_windows *w, size_t p, uint8_t *image)
{
    hb_window_span spans[3];

    hb_windows_spans(w, p, spans);
    for (size_t z = spans[0].first, at_z = spans[0].at; z < spans[0].end; z++, at_z += w->dilation[0])
        for (size_t y = spans[1].first, at_y = spans[1].at; y < spans[1].end; y++, at_y += w->dilation[1]) {
            uint8_t *line = image + (at_z * w->in[1] + at_y) * w->in[2];

            for (size_t x = spans[2].first, at = spans[2].at; x < spans[2].end; x++, at += w->dilation[2])
                line[at] |= HB_LIVE;
        }
}

/* Channels that one or more of `n_outputs` channels are made of. `own` and `of`: what is asked of these, and of those.
 */
static void ask_windows(hb_work *work, const hb_windows *w, size_t n_channels, size_t n_outputs, const uint8_t *own,
                        uint8_t *of)
{
    size_t places = hb_windows_count(w->out), items = hb_windows_count(w->in);

    for (size_t p = 0; p < places && !work->stopped; p++) {
        uint8_t any = 0;

        for (size_t o = 0; o < n_outputs; o++)
            any |= own[o * places + p];
        for (size_t c = 0; any & HB_LIVE && c < n_channels && hb_goes_on(work, 16 + hb_windows_most(w)); c++)
            ask_window(w, p, of + c * items);
        (void)hb_goes_on(work, n_outputs / 4 + 1);
    }
}

static void convolution_demands(const hb_asking *a)
{
    const hb_fit_convolution *fit = a->node->fit;
    size_t own = fit->n_outputs * hb_windows_count(fit->windows.out);
    size_t of = fit->n_channels * hb_windows_count(fit->windows.in);

    for (size_t g = 0; g < fit->n_images * fit->n_groups; g++)
        ask_windows(a->work, &fit->windows, fit->n_channels, fit->n_outputs, a->own + g * own,
                    hb_asking_input(a) + g * of);
}

/* Each window has an item along each axis. */
static bool has_items(const hb_windows *w)
{
    for (size_t a = 0; a < 3; a++)
        for (size_t o = 0; o < w->out[a]; o++) {
            hb_window_span span = hb_windows_span(w, a, o);

            if (span.first == span.end)
                return false;
        }
    return true;
}

static hbs_status validate_pool(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_pool *fit = node->fit;
    size_t width = hb_input_width(&pipeline->graph, node);

    HB_CHECK(hb_windows_are_valid(&fit->windows), error);
    HB_CHECK(are_columns(fit->n_channels, hb_windows_count(fit->windows.out), 1, 1), error);
    HB_CHECK(is_product(fit->n_channels, hb_windows_count(fit->windows.in), 1, 1, width), error);
    HB_CHECK(fit->n_places == hb_windows_count(fit->windows.out) && has_items(&fit->windows), error);
    for (size_t p = 0; fit->divisors && p < fit->n_places; p++)
        HB_CHECK(fit->divisors[p] > 0 && fit->divisors[p] <= DBL_MAX, error);
    return HBS_OK;
}

static void pool_shape(const hb_graph *graph, hb_node *node)
{
    const hb_fit_pool *fit = node->fit;

    (void)graph;
    node->value.width = fit->n_channels * fit->n_places;
}

static void pool_demands(const hb_asking *a)
{
    const hb_fit_pool *fit = a->node->fit;

    for (size_t c = 0; c < fit->n_channels; c++)
        ask_windows(a->work, &fit->windows, 1, 1, a->own + c * fit->n_places,
                    hb_asking_input(a) + c * hb_windows_count(fit->windows.in));
}

const hb_meaning hb_meaning_convolution = {
    .validate = validate_convolution, .shape = convolution_shape, .demands = convolution_demands};
const hb_meaning hb_meaning_pool = {.validate = validate_pool, .shape = pool_shape, .demands = pool_demands};
