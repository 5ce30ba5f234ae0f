/* encoder_portable.c - see encoder_kernel.h. */
#include "kernel/pick.h"

/* The place of x among the column's values; n_values: it is none of them. Values are mostly codes without a
 * gap, where one look is enough. */
static inline size_t find(const hb_encoder *encoder, const hb_encoder_column *column, double x)
{
    const double *values = encoder->values + column->first;
    double guess = column->count ? x - values[0] : -1;
    size_t low = 0, high = column->count;

    if (guess >= 0 && guess < (double)column->count && values[(uint32_t)guess] == x)
        return column->first + (uint32_t)guess;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (values[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low < column->count && values[low] == x ? column->first + low : encoder->n_values;
}

/* ---- one-hot */

enum {
    MOST_ROWS = 64,
    FEW_ROWS = 8,                /* which are looked up one by one */
    MOST_COMPARED = 4 * HB_LANES /* values, and columns, of which all rows are compared with each */
};

/* A column of the input and its place in the output. */
typedef struct onehot {
    const hb_encoder_column *column;
    const double *values;   /* [count] */
    const int32_t *outputs; /* [count] */
    size_t count, width, stride;
    double *out;
} onehot;

static void clear(const onehot *o, size_t output, size_t rows)
{
    for (size_t r = 0; r < rows; r++)
        o->out[output * o->stride + r] = 0;
}

/* Whether no output belongs to two values; *with_value has a bit for each that belongs to one. */
static bool are_distinct(const onehot *o, uint64_t *with_value)
{
    *with_value = 0;
    for (size_t k = 0; k < o->count; k++) {
        uint64_t bit = o->outputs[k] >= 0 ? 1ull << o->outputs[k] : 0;

        if (*with_value & bit || o->outputs[k] < HB_OUTPUT_NONE)
            return false;
        *with_value |= bit;
    }
    return true;
}

/* n rows: *none is -1 in the lanes of those that have no value of the column. */
static inline void compare_lanes(const onehot *o, const double *in, size_t r, size_t n, int64_t *none)
{
    hb_lanes x = hb_get(in + r, n);
    hb_int_lanes found = {0};

    for (size_t k = 0; k < o->count; k++) {
        hb_int_lanes same = (hb_int_lanes)(x == hb_all(o->values[k]));

        if (o->outputs[k] >= 0)
            hb_put(o->out + (size_t)o->outputs[k] * o->stride + r, n, hb_select(same, hb_all(1), hb_all(0)));
        found |= same;
    }
    found = ~found;
    memcpy(none + r, &found, n * sizeof(*none));
}

/* A row whose value is missing, or none of the column's. */
static uint64_t put_other(const onehot *o, double x, size_t r)
{
    int32_t output = x != x ? o->column->missing : o->column->unknown;

    if (output >= 0)
        o->out[(size_t)output * o->stride + r] = 1;
    return (uint64_t)(output == HB_OUTPUT_REFUSE) << r;
}

/* All rows with each value of the column. */
static uint64_t compare_all(const onehot *o, uint64_t with_value, const double *in, size_t rows)
{
    int64_t none[MOST_ROWS], any = 0;
    uint64_t refused = 0;

    for (size_t output = 0; output < o->width; output++)
        if (!(with_value >> output & 1))
            clear(o, output, rows);
    FOR_LANES(rows, r, n, compare_lanes(o, in, r, n, none))
    for (size_t r = 0; r < rows; r++)
        any |= none[r];
    for (size_t r = 0; any && r < rows; r++)
        if (none[r])
            refused |= put_other(o, in[r], r);
    return refused;
}

/* Each row's value among those of the column. */
static uint64_t look_up_all(const hb_encoder *encoder, const onehot *o, const double *in, size_t rows)
{
    uint64_t refused = 0;

    for (size_t output = 0; output < o->width; output++)
        clear(o, output, rows);
    for (size_t r = 0; r < rows; r++) {
        size_t at = in[r] == in[r] ? find(encoder, o->column, in[r]) : encoder->n_values;

        if (at == encoder->n_values)
            refused |= put_other(o, in[r], r);
        else if (encoder->outputs[at] >= 0)
            o->out[(size_t)encoder->outputs[at] * o->stride + r] = 1;
        else
            refused |= (uint64_t)(encoder->outputs[at] == HB_OUTPUT_REFUSE) << r;
    }
    return refused;
}

uint64_t HB_KERNEL(hb_onehot64)(const hb_encoder *encoder, size_t c, const double *in, size_t stride, size_t rows,
                                double *out)
{
    const hb_encoder_column *column = &encoder->columns[c];
    size_t end = c + 1 < encoder->n_columns ? encoder->columns[c + 1].base : encoder->width;
    onehot o = {
        column, encoder->values + column->first, encoder->outputs + column->first, column->count, end - column->base,
        stride, out + column->base * stride};
    uint64_t with_value;

    in += c * stride;
    if (rows >= FEW_ROWS && o.count <= MOST_COMPARED && o.width <= MOST_COMPARED && are_distinct(&o, &with_value))
        return compare_all(&o, with_value, in, rows);
    return look_up_all(encoder, &o, in, rows);
}

/* ---- recode */

/* A row by itself; true where it is refused. */
static bool recode_one(const hb_encoder *encoder, const hb_encoder_column *column, double x, double *to)
{
    double number = x != x ? column->missing_number : column->unknown_number;
    int32_t rule = x != x ? column->missing : column->unknown;
    size_t at = x == x ? find(encoder, column, x) : encoder->n_values;

    if (at < encoder->n_values) {
        number = encoder->numbers[at];
        rule = HB_OUTPUT_NONE;
    }
    *to = rule <= HB_OUTPUT_REFUSE ? 0 : number;
    return rule <= HB_OUTPUT_REFUSE;
}

/* n rows, whose values are mostly codes without a gap; bit i: that of row i is not found so, or missing. */
static inline unsigned recode_lanes(const double *values, const double *numbers, size_t count, const double *in,
                                    size_t n, double *out)
{
    hb_lanes x = hb_get(in, n), guess = x - hb_all(values[0]);
    hb_int_lanes found = (hb_int_lanes)((guess >= hb_all(0)) & (guess < hb_all((double)count)));
    hb_places at = hb_places_of(hb_select(found, guess, hb_all(0)));

    found &= (hb_int_lanes)(hb_pick(values, count, at) == x);
    hb_put(out, n, hb_pick(numbers, count, at));
    return ~hb_bits_of(found) & ((1u << n) - 1);
}

uint64_t HB_KERNEL(hb_recode64)(const hb_encoder *encoder, size_t c, const double *in, size_t stride, size_t rows,
                                double *out)
{
    const hb_encoder_column *column = &encoder->columns[c];
    const double *values = encoder->values + column->first, *numbers = encoder->numbers + column->first;
    uint64_t others = rows < 64 ? ((uint64_t)1 << rows) - 1 : UINT64_MAX, refused = 0;

    in += c * stride;
    out += c * stride;
    if (HB_PICKS_ANY && rows >= HB_LANES && column->count > 0) {
        others = 0;
        FOR_LANES(rows, r, n,
                  { others |= (uint64_t)recode_lanes(values, numbers, column->count, in + r, n, out + r) << r; })
    }
    for (; others; others &= others - 1) {
        size_t r = (size_t)__builtin_ctzll(others);

        refused |= (uint64_t)recode_one(encoder, column, in[r], out + r) << r;
    }
    return refused;
}
