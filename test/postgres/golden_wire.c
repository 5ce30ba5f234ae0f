/* golden_wire.c - values as PostgreSQL sends and takes them in binary: big-endian, arrays with a header. */
#include "golden_postgres.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

Oid gp_type_of(hbs_type type)
{
    switch (type) {
    case HBS_FLOAT32:
        return GP_FLOAT4;
    case HBS_FLOAT64:
        return GP_FLOAT8;
    case HBS_INT64:
        return GP_INT8;
    case HBS_BOOL:
        return GP_BOOL;
    case HBS_TEXT:
        return GP_TEXT;
    default:
        return 0;
    }
}

const char *gp_type_name(Oid type)
{
    switch (type) {
    case GP_FLOAT4:
        return "float4";
    case GP_FLOAT8:
        return "float8";
    case GP_INT8:
        return "int8";
    case GP_BOOL:
        return "bool";
    default:
        return "text";
    }
}

void gp_put(gp_buffer *to, const void *bytes, size_t size)
{
    if (to->size + size > to->room) {
        to->room = 2 * (to->size + size) + 256;
        to->bytes = realloc(to->bytes, to->room);
        if (!to->bytes)
            exit(2);
    }
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

void gp_put_int(gp_buffer *to, int64_t number, size_t bytes)
{
    unsigned char big[8];

    for (size_t i = 0; i < bytes; i++)
        big[i] = (unsigned char)((uint64_t)number >> (8 * (bytes - 1 - i)));
    gp_put(to, big, bytes);
}

void gp_put_value(gp_buffer *to, const hbs_value *value)
{
    int64_t wide;
    int32_t narrow;

    switch (value->type) {
    case HBS_FLOAT32:
        memcpy(&narrow, &value->as.f32, sizeof(narrow));
        gp_put_int(to, narrow, 4);
        break;
    case HBS_FLOAT64:
        memcpy(&wide, &value->as.f64, sizeof(wide));
        gp_put_int(to, wide, 8);
        break;
    case HBS_INT64:
        gp_put_int(to, value->as.i64, 8);
        break;
    case HBS_BOOL:
        gp_put_int(to, value->as.boolean, 1);
        break;
    default:
        gp_put(to, value->as.text.bytes, value->as.text.size);
    }
}

void gp_put_field(gp_buffer *to, const gp_buffer *value)
{
    gp_put_int(to, (int64_t)value->size, 4);
    gp_put(to, value->bytes, value->size);
}

void gp_put_array(gp_buffer *to, const hbs_value *values, size_t n, Oid element)
{
    gp_buffer one = {0};
    bool nulls = false;

    for (size_t i = 0; i < n; i++)
        nulls |= values[i].type == HBS_NULL;
    gp_put_int(to, 1, 4);
    gp_put_int(to, nulls, 4);
    gp_put_int(to, element, 4);
    gp_put_int(to, (int64_t)n, 4);
    gp_put_int(to, 1, 4);
    for (size_t i = 0; i < n; i++) {
        if (values[i].type == HBS_NULL) {
            gp_put_int(to, -1, 4);
            continue;
        }
        one.size = 0;
        gp_put_value(&one, &values[i]);
        gp_put_field(to, &one);
    }
    free(one.bytes);
}

/* ------------------------------------------------------------------ answers */

static int64_t get_int(const char *at, size_t bytes)
{
    uint64_t number = 0;

    for (size_t i = 0; i < bytes; i++)
        number = number << 8 | (unsigned char)at[i];
    return bytes == 4 ? (int32_t)number : (int64_t)number;
}

static double get_double(const char *at)
{
    int64_t bits = get_int(at, 8);
    double number;

    memcpy(&number, &bits, sizeof(number));
    return number;
}

/* One dimension of float8; a NULL among them is the missing number of a transform. */
static size_t get_array(const char *at, size_t size, double *numbers, size_t most)
{
    size_t n;

    if (size < 20 || get_int(at, 4) != 1 || get_int(at + 8, 4) != GP_FLOAT8)
        return 0;
    n = (size_t)get_int(at + 12, 4);
    at += 20;
    for (size_t i = 0; i < n && i < most; i++) {
        bool null = get_int(at, 4) < 0;

        numbers[i] = null ? (double)NAN : get_double(at + 4);
        at += null ? 4 : 12;
    }
    return n;
}

gp_answer gp_read(const gp_model *m, const PGresult *result, int row, int column, const gp_call *call,
                  double *numbers)
{
    const char *at = PQgetvalue(result, row, column);
    size_t size = (size_t)PQgetlength(result, row, column);
    Oid type = PQftype(result, column);
    gp_answer answer = {.numbers = numbers};
    int index;

    if (PQgetisnull(result, row, column)) {
        answer.null = true;
    } else if (type == GP_FLOAT8S) {
        answer.width = get_array(at, size, numbers, call->width);
    } else if (type == GP_FLOAT8 && call->function != HBS_PREDICT_LABEL) {
        numbers[0] = get_double(at);
        answer.width = 1;
    } else if (type == GP_JSONB && call->function == HBS_PREDICT_JSON && size > 0) {
        answer.width = gp_targets(m, at + 1, numbers); /* behind the version */
    } else if (type == GP_TEXT && call->function == HBS_PREDICT_LABEL) {
        index = gp_class_of(m, at, size);
        numbers[0] = index;
        answer.width = index >= 0;
    }
    return answer;
}
