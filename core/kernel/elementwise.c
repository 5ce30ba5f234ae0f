/* elementwise.c - see elementwise.h. The order of every operation is the library's own. */
#include "kernel/elementwise.h"

#include <float.h>
#include <math.h>

#include "kernel/elementary.h"

#define SMALL 1e-6f /* kRtEps of XGBoost */

/* Visits every item: `x` is the input, `y` the output. */
#define FOR_EACH_FLOAT32(tile, x, y, statement)                \
    for (size_t c_ = 0; c_ < (tile)->width; c_++)              \
        for (size_t r_ = 0; r_ < (tile)->rows; r_++) {         \
            float x = (tile)->in[c_ * (tile)->stride + r_];    \
            float *y = &(tile)->out[c_ * (tile)->stride + r_]; \
            statement;                                         \
        }

void hb_mark_missing(const hb_tile *tile, float number)
{
    FOR_EACH_FLOAT32(tile, x, y, *y = x == number ? NAN : x)
}

static float sigmoid(float x)
{
    float negative = -x < 88.7f ? -x : 88.7f; /* std::min(-x, 88.7f): NaN stays NaN */

    if (x != x)
        negative = -x;
    return 1.0f / (hb_expf(negative) + 1.0f + 1e-16f);
}

void hb_sigmoid(const hb_tile *tile)
{
    FOR_EACH_FLOAT32(tile, x, y, *y = sigmoid(x))
}

/* Some rows side by side, column after column: the columns of a wide value lie far apart, and a row by itself would
 * touch a line of the cache for each of its numbers. */
enum { ROWS = 64 };

static hb_tile rows_from(const hb_tile *tile, size_t first)
{
    hb_tile part = *tile;

    part.in += first;
    part.out += first;
    part.rows = tile->rows - first < ROWS ? tile->rows - first : ROWS;
    return part;
}

/* As fmaxf of each number and the largest before it: NaN counts as nothing. */
static void find_most(const hb_tile *tile, float most[ROWS])
{
    for (size_t r = 0; r < tile->rows; r++)
        most[r] = tile->in[r];
    for (size_t c = 1; c < tile->width; c++) {
        const float *in = tile->in + c * tile->stride;

        for (size_t r = 0; r < tile->rows; r++)
            most[r] = ((in[r] > most[r]) | (most[r] != most[r])) ? in[r] : most[r];
    }
}

static void softmax_rows(const hb_tile *tile)
{
    float most[ROWS], total[ROWS];
    double sum[ROWS] = {0};

    find_most(tile, most);
    for (size_t c = 0; c < tile->width; c++) {
        const float *in = tile->in + c * tile->stride;
        float *out = tile->out + c * tile->stride;

        for (size_t r = 0; r < tile->rows; r++) {
            out[r] = hb_expf(in[r] - most[r]);
            sum[r] += (double)out[r];
        }
    }
    for (size_t r = 0; r < tile->rows; r++)
        total[r] = (float)sum[r];
    for (size_t c = 0; c < tile->width; c++) {
        float *out = tile->out + c * tile->stride;

        for (size_t r = 0; r < tile->rows; r++)
            out[r] /= total[r];
    }
}

void hb_softmax(const hb_tile *tile)
{
    for (size_t first = 0; first < tile->rows; first += ROWS) {
        hb_tile part = rows_from(tile, first);

        softmax_rows(&part);
    }
}

/* The softmax's own numbers, each made twice: for the sum, and for its quotient. No quotient is less than 0, and all
 * are NaN or none. */
bool hb_argmax_of_softmax(const hb_tile *row, hb_work *polls)
{
    enum { UNITS = 8 };
    float most[ROWS], largest = -1;
    double sum = 0;
    size_t best = 0;

    find_most(row, most);
    for (size_t c = 0; c < row->width; c++) {
        sum += (double)hb_expf(row->in[c * row->stride] - most[0]);
        if (polls && !hb_goes_on(polls, UNITS))
            return false;
    }
    for (size_t c = 0; c < row->width; c++) {
        float quotient = hb_expf(row->in[c * row->stride] - most[0]) / (float)sum;

        if (quotient > largest) {
            largest = quotient;
            best = c;
        }
        if (polls && !hb_goes_on(polls, UNITS))
            return false;
    }
    row->out[0] = (float)best;
    return true;
}

/* Which of two NaN an operation keeps depends on the order of its operands, which compilers pick. */
static float same_nan(float x)
{
    return x == x ? x : NAN;
}

/* The search for the largest begins at -FLT_MAX, so NaN and -infinity never are. */
static void softmax32_rows(const hb_tile *tile)
{
    float most[ROWS], sum[ROWS] = {0};

    for (size_t r = 0; r < tile->rows; r++)
        most[r] = -FLT_MAX;
    for (size_t c = 0; c < tile->width; c++)
        for (size_t r = 0; r < tile->rows; r++) {
            float x = tile->in[c * tile->stride + r];

            most[r] = x > most[r] ? x : most[r];
        }
    for (size_t c = 0; c < tile->width; c++)
        for (size_t r = 0; r < tile->rows; r++) {
            float *y = &tile->out[c * tile->stride + r];

            *y = hb_expf(tile->in[c * tile->stride + r] - most[r]);
            sum[r] += *y;
        }
    for (size_t c = 0; c < tile->width; c++)
        for (size_t r = 0; r < tile->rows; r++)
            tile->out[c * tile->stride + r] = same_nan(tile->out[c * tile->stride + r] / sum[r]);
}

static void norm_l1_rows(const hb_tile *tile)
{
    float sum[ROWS] = {0};

    for (size_t c = 0; c < tile->width; c++)
        for (size_t r = 0; r < tile->rows; r++)
            sum[r] += fabsf(tile->in[c * tile->stride + r]);
    for (size_t c = 0; c < tile->width; c++)
        for (size_t r = 0; r < tile->rows; r++) {
            float x = tile->in[c * tile->stride + r];

            tile->out[c * tile->stride + r] = same_nan(sum[r] != 0 ? x / sum[r] : x);
        }
}

void hb_softmax32(const hb_tile *tile)
{
    for (size_t first = 0; first < tile->rows; first += ROWS) {
        hb_tile part = rows_from(tile, first);

        softmax32_rows(&part);
    }
}

void hb_norm_l1_32(const hb_tile *tile)
{
    for (size_t first = 0; first < tile->rows; first += ROWS) {
        hb_tile part = rows_from(tile, first);

        norm_l1_rows(&part);
    }
}

static float logistic(float x)
{
    float y = 1.0f / (1.0f + hb_expf(-fabsf(x)));

    return x < 0 ? 1.0f - y : y;
}

void hb_logistic32(const hb_tile *tile)
{
    FOR_EACH_FLOAT32(tile, x, y, *y = logistic(x))
}

void hb_affine32(const hb_tile *tile, double factor, const double *bias)
{
    FOR_EACH_FLOAT32(tile, x, y, *y = (float)factor * x + (float)bias[c_])
}

void hb_divide32(const hb_tile *tile, float divisor)
{
    FOR_EACH_FLOAT32(tile, x, y, *y = x / divisor)
}

void hb_exp(const hb_tile *tile)
{
    FOR_EACH_FLOAT32(tile, x, y, *y = hb_expf(x))
}

void hb_log(const hb_tile *tile)
{
    FOR_EACH_FLOAT32(tile, x, y, *y = hb_logf(x))
}

static float logit(float x)
{
    float low = x > SMALL ? x : SMALL;
    float clamped = low < 1.0f - SMALL ? low : 1.0f - SMALL;

    return -hb_logf(1.0f / clamped - 1.0f);
}

void hb_logit(const hb_tile *tile)
{
    FOR_EACH_FLOAT32(tile, x, y, *y = logit(x))
}

/* Shell sort: rows have few columns and are nearly sorted, but a hostile model may have 65,536. */
static bool sort_row(float *row, size_t width, size_t stride, hb_work *polls)
{
    for (size_t gap = width / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (size_t c = gap; c < width; c++) {
            float moved = row[c * stride];
            size_t to = c;

            for (; to >= gap && row[(to - gap) * stride] > moved; to -= gap)
                row[to * stride] = row[(to - gap) * stride];
            row[to * stride] = moved;
            if (polls && !hb_goes_on(polls, 2))
                return false;
        }
    return true;
}

bool hb_sort_columns(const hb_tile *tile, hb_work *polls)
{
    for (size_t r = 0; r < tile->rows; r++) {
        for (size_t c = 0; c < tile->width; c++)
            tile->out[c * tile->stride + r] = tile->in[c * tile->stride + r];
        if (!sort_row(tile->out + r, tile->width, tile->stride, polls))
            return false;
    }
    return true;
}

/* common::SoftPlus of XGBoost; the comparison is made in float64 there too. */
static float softplus(float x)
{
    if (x > 0)
        return x + hb_log1pf(hb_expf(-x));
    return hb_log1pf(hb_expf(x));
}

void hb_expectile(const hb_tile *tile)
{
    for (size_t r = 0; r < tile->rows; r++) {
        float sum = tile->in[r];

        tile->out[r] = sum;
        for (size_t c = 1; c < tile->width; c++) {
            sum += SMALL + softplus(tile->in[c * tile->stride + r]);
            tile->out[c * tile->stride + r] = sum;
        }
    }
}

static float softplus_inverse(float x)
{
    x = x > SMALL ? x : SMALL;
    return x + hb_logf(-hb_expm1f(-x));
}

void hb_expectile_base(const hb_tile *tile)
{
    for (size_t r = 0; r < tile->rows; r++) {
        for (size_t c = tile->width; c-- > 1;) {
            float above = tile->in[c * tile->stride + r];
            float below = tile->in[(c - 1) * tile->stride + r];

            tile->out[c * tile->stride + r] = softplus_inverse(above - below - SMALL);
        }
        tile->out[r] = tile->in[r];
    }
}

void hb_complement(const hb_tile *tile)
{
    for (size_t r = 0; r < tile->rows; r++) {
        tile->out[r] = 1.0f - tile->in[r];
        tile->out[tile->stride + r] = tile->in[r];
    }
}

void hb_greater(const hb_tile *tile, float threshold)
{
    FOR_EACH_FLOAT32(tile, x, y, *y = x > threshold ? 1.0f : 0.0f)
}

/* All columns are read before the output, which may be the first. */
static void argmax_rows(const hb_tile *tile)
{
    float most[ROWS], best[ROWS] = {0};

    for (size_t r = 0; r < tile->rows; r++)
        most[r] = tile->in[r];
    for (size_t c = 1; c < tile->width; c++) {
        const float *in = tile->in + c * tile->stride;

        for (size_t r = 0; r < tile->rows; r++) {
            best[r] = in[r] > most[r] ? (float)c : best[r];
            most[r] = in[r] > most[r] ? in[r] : most[r];
        }
    }
    for (size_t r = 0; r < tile->rows; r++)
        tile->out[r] = best[r];
}

void hb_argmax(const hb_tile *tile)
{
    for (size_t first = 0; first < tile->rows; first += ROWS) {
        hb_tile part = rows_from(tile, first);

        argmax_rows(&part);
    }
}

void hb_linear_begin(const hb_tile *tile, size_t o, const float *bias, const float *base)
{
    for (size_t r = 0; r < tile->rows; r++)
        tile->out[o * tile->stride + r] = bias[o] + base[o];
}

void hb_linear_add(const hb_tile *tile, size_t first, size_t end, size_t o, size_t outputs, const float *weights)
{
    float *out = tile->out + o * tile->stride;

    for (size_t f = first; f < end; f++) {
        const float *in = tile->in + f * tile->stride;
        float weight = weights[f * outputs + o];

        for (size_t r = 0; r < tile->rows; r++)
            out[r] = in[r] == in[r] ? out[r] + in[r] * weight : out[r];
    }
}
