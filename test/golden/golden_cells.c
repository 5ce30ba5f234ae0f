/* golden_cells.c - a golden's cells as values, as columns and as JSON. */
#include "golden_cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ one cell */

static void set_float64(hbs_value *out, double number)
{
    out->type = HBS_FLOAT64;
    out->as.f64 = number;
}

static void set_text(hbs_value *out, char *buffer)
{
    out->type = HBS_TEXT;
    out->as.text.bytes = buffer;
    out->as.text.size = strlen(buffer);
}

static bool to_float64(const hbs_value *cell, hbs_value *out)
{
    switch (cell->type) {
    case HBS_FLOAT32:
        set_float64(out, (double)cell->as.f32);
        return true;
    case HBS_INT64:
        set_float64(out, (double)cell->as.i64);
        return (long double)cell->as.i64 == (long double)out->as.f64;
    case HBS_BOOL:
        set_float64(out, cell->as.boolean ? 1.0 : 0.0);
        return true;
    default:
        *out = *cell;
        return true;
    }
}

static void number_text(double number, char *buffer)
{
    if (isnan(number))
        strcpy(buffer, "nan");
    else if (isinf(number))
        strcpy(buffer, number < 0 ? "-Infinity" : "inf");
    else
        hbs_format_double(number, buffer);
}

static bool to_text(const hbs_value *cell, char *buffer, hbs_value *out)
{
    hbs_value wide;

    if (cell->type == HBS_INT64)
        snprintf(buffer, RG_CELL_TEXT, "%" PRId64, cell->as.i64);
    else if (cell->type == HBS_BOOL)
        strcpy(buffer, cell->as.boolean ? "1" : "0");
    else if (to_float64(cell, &wide) && wide.type == HBS_FLOAT64)
        number_text(wide.as.f64, buffer);
    set_text(out, buffer);
    return true;
}

static bool to_narrow(const hbs_value *cell, hbs_value *out)
{
    double number;

    *out = *cell;
    if (cell->type != HBS_FLOAT64)
        return true;
    number = cell->as.f64;
    if ((number == 0.0 && !signbit(number)) || number == 1.0) {
        out->type = HBS_BOOL;
        out->as.boolean = number != 0.0;
    } else if (fabs(number) < 9e15 && number == (double)(int64_t)number && number != 0.0) {
        out->type = HBS_INT64;
        out->as.i64 = (int64_t)number;
    } else if (isnan(number) || isinf(number) || (fabs(number) <= 3.4e38 && number == (double)(float)number)) {
        out->type = HBS_FLOAT32;
        out->as.f32 = (float)number;
    }
    return true;
}

static bool is_missing(const hbs_value *cell)
{
    return cell->type == HBS_NULL || (cell->type == HBS_FLOAT64 && isnan(cell->as.f64)) ||
           (cell->type == HBS_FLOAT32 && isnan(cell->as.f32));
}

bool rg_cell(const hbs_value *cell, rg_form form, bool nan, char *buffer, hbs_value *out)
{
    *out = *cell;
    if (form == RG_OWN || cell->type == HBS_TEXT)
        return true;
    if (is_missing(cell)) {
        if (!nan) {
            out->type = HBS_NULL;
        } else if (form == RG_TEXT) {
            strcpy(buffer, "nan");
            set_text(out, buffer);
        } else {
            set_float64(out, (double)NAN);
        }
        return true;
    }
    if (form == RG_FLOAT64)
        return to_float64(cell, out);
    return form == RG_TEXT ? to_text(cell, buffer, out) : to_narrow(cell, out);
}

/* ------------------------------------------------------------------ rows */

/* A category is a text or a whole number, and no other number. */
static rg_form form_of(const rg_golden *golden, size_t c, rg_form form)
{
    return golden->is_text[c] && form != RG_TEXT ? RG_OWN : form;
}

/* One value of a row in that form. */
static bool row_cell(const rg_golden *golden, size_t row, size_t c, rg_form form, bool nan, char *buffer,
                     hbs_value *out)
{
    return rg_cell(&golden->cells[row * golden->features + c], form_of(golden, c, form), nan && !golden->is_text[c],
                   buffer, out);
}

bool rg_row_fits(const rg_golden *golden, size_t row, rg_form form)
{
    char buffer[RG_CELL_TEXT];
    hbs_value value;

    for (size_t c = 0; c < golden->features; c++)
        if (!row_cell(golden, row, c, form, false, buffer, &value))
            return false;
    return true;
}

void rg_row(const rg_golden *golden, size_t row, rg_form form, bool nan, char *buffers, hbs_value *out)
{
    for (size_t c = 0; c < golden->features; c++)
        row_cell(golden, row, c, form, nan, buffers + c * RG_CELL_TEXT, &out[c]);
}

bool rg_same_types(const rg_golden *golden, size_t a, size_t b)
{
    const hbs_value *x = golden->cells + a * golden->features;
    const hbs_value *y = golden->cells + b * golden->features;

    for (size_t c = 0; c < golden->features; c++)
        if (x[c].type != y[c].type && x[c].type != HBS_NULL && y[c].type != HBS_NULL)
            return false;
    return true;
}

/* ------------------------------------------------------------------ columns */

static size_t width_of(hbs_type type)
{
    switch (type) {
    case HBS_FLOAT32:
        return sizeof(float);
    case HBS_FLOAT64:
    case HBS_INT64:
        return 8;
    case HBS_BOOL:
        return 1;
    case HBS_TEXT:
        return sizeof(hbs_text);
    default:
        return 0;
    }
}

static void store(char *at, const hbs_value *value)
{
    uint8_t truth;

    switch (value->type) {
    case HBS_FLOAT32:
        memcpy(at, &value->as.f32, sizeof(float));
        break;
    case HBS_FLOAT64:
        memcpy(at, &value->as.f64, sizeof(double));
        break;
    case HBS_INT64:
        memcpy(at, &value->as.i64, sizeof(int64_t));
        break;
    case HBS_BOOL:
        truth = value->as.boolean;
        memcpy(at, &truth, 1);
        break;
    case HBS_TEXT:
        memcpy(at, &value->as.text, sizeof(hbs_text));
        break;
    default:
        break;
    }
}

static hbs_type column_type(const hbs_value *values, size_t rows, size_t stride)
{
    for (size_t r = 0; r < rows; r++)
        if (values[r * stride].type != HBS_NULL)
            return values[r * stride].type;
    return HBS_NULL;
}

/* What stands under a clear validity bit is nobody's business: here it is garbage. Without a missing
 * value every other column goes without validity bits; bits behind the last row are set. */
static void make_column(hbs_column *column, const hbs_value *values, size_t rows, size_t stride, bool may_drop_valid)
{
    hbs_type type = column_type(values, rows, stride);
    size_t width = width_of(type), words = (rows + 63) / 64, missing = 0;
    char *data = rg_need(rows, width ? width : 1);
    uint64_t *valid = rg_need(words, sizeof(*valid));

    memset(data, 0xA5, rows * width);
    memset(valid, 0xFF, words * sizeof(*valid));
    for (size_t r = 0; r < rows; r++) {
        if (values[r * stride].type == HBS_NULL) {
            valid[r / 64] &= ~((uint64_t)1 << (r % 64));
            missing++;
        } else {
            store(data + r * width, &values[r * stride]);
        }
    }
    column->type = type;
    column->values = data;
    column->valid = valid;
    if (type == HBS_NULL || (!missing && may_drop_valid)) {
        free(valid);
        column->valid = NULL;
    }
}

/* Where texts and whole numbers stand in one column, they are texts. */
static bool has_text(const rg_golden *golden, const size_t *pick, size_t rows, size_t c)
{
    for (size_t r = 0; r < rows; r++)
        if (golden->cells[pick[r] * golden->features + c].type == HBS_TEXT)
            return true;
    return false;
}

void rg_block_make(rg_block *block, const rg_golden *golden, const size_t *pick, size_t rows, rg_form form, bool nan)
{
    size_t f = golden->features;
    hbs_value *values = rg_need(rows * f, sizeof(*values));

    block->features = f;
    block->columns = rg_need(f, sizeof(*block->columns));
    block->texts = rg_need(rows * f, RG_CELL_TEXT);
    for (size_t c = 0; c < f; c++) {
        rg_form of_column = has_text(golden, pick, rows, c) ? RG_TEXT : form;

        for (size_t r = 0; r < rows; r++)
            row_cell(golden, pick[r], c, of_column, nan, block->texts + (r * f + c) * RG_CELL_TEXT, &values[r * f + c]);
        make_column(&block->columns[c], values + c, rows, f, (c + rows) % 2);
    }
    free(values);
}

void rg_block_free(rg_block *block)
{
    for (size_t c = 0; c < block->features; c++) {
        free((void *)(uintptr_t)block->columns[c].values);
        free((void *)(uintptr_t)block->columns[c].valid);
    }
    free(block->columns);
    free(block->texts);
}

/* ------------------------------------------------------------------ JSON */

static char *put(char *at, const char *text)
{
    size_t n = strlen(text);

    memcpy(at, text, n);
    return at + n;
}

static char *put_string(char *at, hbs_text text)
{
    *at++ = '"';
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.bytes[i];

        if (c == '"' || c == '\\' || c < 0x20)
            at += sprintf(at, "\\u%04x", c);
        else
            *at++ = (char)c;
    }
    *at++ = '"';
    return at;
}

static char *put_cell(char *at, const hbs_value *cell)
{
    hbs_value text;
    char buffer[RG_CELL_TEXT];

    if (cell->type == HBS_NULL)
        return put(at, "null");
    if (cell->type == HBS_BOOL)
        return put(at, cell->as.boolean ? "true" : "false");
    if (cell->type == HBS_TEXT)
        return put_string(at, cell->as.text);
    to_text(cell, buffer, &text);
    if (buffer[0] == 'n' || strpbrk(buffer, "iI"))
        return put_string(at, text.as.text); /* not a JSON number: a text */
    return put(at, buffer);
}

static size_t json_bound(const rg_golden *golden, const hbs_value *cells)
{
    size_t bound = 64;

    for (size_t c = 0; c < golden->features; c++)
        bound +=
            6 * golden->names[c].size + RG_CELL_TEXT + 16 + (cells[c].type == HBS_TEXT ? 6 * cells[c].as.text.size : 0);
    return bound;
}

char *rg_row_json(const rg_golden *golden, size_t row, bool object, size_t *size)
{
    const hbs_value *cells = golden->cells + row * golden->features;
    char *json = rg_need(json_bound(golden, cells), 1), *at = json;

    at = put(at, object ? "{\"no feature of this name\": [1, {\"x\": null}]" : "[");
    for (size_t i = 0; i < golden->features; i++) {
        size_t c = object ? golden->features - 1 - i : i;

        if (i || object)
            at = put(at, ", ");
        if (object) {
            at = put_string(at, golden->names[c]);
            at = put(at, ": ");
        }
        at = put_cell(at, &cells[c]);
    }
    at = put(at, object ? "}" : "]");
    *size = (size_t)(at - json);
    return json;
}
