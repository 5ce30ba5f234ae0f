/* json_row.c - see json_row.h. */
#include "format/json_row.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "format/document.h"

typedef struct row_reading {
    hb_document *d;
    const char *json;
    size_t size;
    const hb_row_taker *taker;
    hb_vector *text;
    hbs_value *values;
} row_reading;

/* Copies a text behind the others. They may still move, so the value keeps the offset for now. */
static void take_text(row_reading *r, hbs_text text, hbs_value *value)
{
    value->as.text.size = text.size;
    value->as.text.bytes = (const char *)(uintptr_t)r->text->count;
    if (hb_document_ok(r->d) && !hb_vector_append(r->text, text.bytes, text.size))
        hb_document_no_memory(r->d);
}

/* A whole number within int64 stays one. Another becomes the nearest double, or from 2^52 on its digits, which a
 * look-up among categories needs. */
static void take_number(row_reading *r, hbs_value *value)
{
    const char *p = r->json + hb_document_offset(r->d);
    int64_t whole;
    double real;

    if (hb_read_int64(p, r->json + r->size, &whole)) {
        value->type = HBS_INT64;
        value->as.i64 = hb_read_integer(r->d, INT64_MIN, INT64_MAX);
    } else {
        real = hb_read_double(r->d);
        *value = (hbs_value){.type = HBS_FLOAT64, .as.f64 = real};
        if (fabs(real) >= HB_LEAST_ROUNDED && !isinf(real) && hb_document_ok(r->d)) {
            bool overflow;

            value->type = HBS_DECIMAL;
            take_text(r, (hbs_text){p, hb_number_size(p, r->json + r->size, &overflow)}, value);
        }
    }
}

static void take_value(row_reading *r, hbs_value *value)
{
    switch (hb_peek(r->d)) {
    case HB_KIND_NULL:
        hb_skip(r->d, true);
        value->type = HBS_NULL;
        break;
    case HB_KIND_BOOL:
        value->as.boolean = hb_read_bool(r->d);
        value->type = HBS_BOOL;
        break;
    case HB_KIND_STRING:
        value->type = HBS_TEXT;
        take_text(r, hb_read_string(r->d), value);
        break;
    case HB_KIND_INTEGER:
    case HB_KIND_REAL:
        take_number(r, value);
        break;
    case HB_KIND_OBJECT:
    case HB_KIND_ARRAY:
        hb_document_fail(r->d, HBS_E_TYPE, "a feature is a number, a text, a boolean or null");
        break;
    case HB_KIND_NONE:
        hb_skip(r->d, true); /* says what is wrong */
        break;
    }
}

enum { UNITS_A_VALUE = 16 };

/* Values beyond the last feature are counted only: the caller says what count it wants. */
static void take_array(row_reading *r, size_t *given)
{
    *given = 0;
    if (!hb_array_begin(r->d))
        return;
    while (hb_array_next(r->d) && hb_document_goes_on(r->d, UNITS_A_VALUE)) {
        if (*given < r->taker->n_features)
            take_value(r, &r->values[*given]);
        else
            hb_skip(r->d, true);
        ++*given;
    }
}

enum { NOT_GIVEN = HBS_TEXT + 1 }; /* in place of a value's type */

static void take_member(row_reading *r, hbs_text key)
{
    char shown[HB_EXCERPT_BUFFER];
    bool ambiguous;
    size_t f = r->taker->find(r->taker->context, key, &ambiguous);

    if (ambiguous)
        hb_document_fail(r->d, HBS_E_ARGS, "\"%s\" could be several features: they differ in case",
                         HB_SHOW(key, shown));
    else if (f >= r->taker->n_features)
        hb_skip(r->d, true);
    else if ((int)r->values[f].type != NOT_GIVEN)
        hb_document_fail(r->d, HBS_E_ARGS, "feature \"%s\" is given twice, in different case",
                         HB_SHOW(r->taker->name(r->taker->context, f), shown));
    else
        take_value(r, &r->values[f]);
}

/* Units of work for a binary search of a name among the features' names. */
static size_t units_to_find(const row_reading *r)
{
    size_t units = 16;

    for (size_t left = r->taker->n_features; left > 0; left /= 2)
        units += 48;
    return units;
}

static void take_object(row_reading *r)
{
    size_t n = r->taker->n_features, units = units_to_find(r);
    hbs_text key;

    for (size_t f = 0; f < n; f++)
        r->values[f].type = (hbs_type)NOT_GIVEN;
    if (hb_document_goes_on(r->d, n) && hb_object_begin(r->d))
        while (hb_object_next(r->d, &key) && hb_document_goes_on(r->d, units))
            take_member(r, key);
}

enum {
    TYPING_ERRORS = 3, /* edits within which a key is offered in place of a missing one.. */
    LONGEST_NEAR = 512 /* ..whose name is not longer */
};

/* The key of the row that is no feature and nearest to `name`, as a message shows it; "" where none is near. The row is
 * read again: only rows that fail come here. HBS_E_CANCEL. */
static hbs_status find_near_key(const row_reading *r, hb_memory *memory, hbs_text name, char shown[HB_EXCERPT_BUFFER],
                                hbs_error *error)
{
    enum { UNITS_A_BYTE = 32 }; /* of a name, to compare it */
    size_t nearest = TYPING_ERRORS + 1, units = units_to_find(r) + UNITS_A_BYTE * name.size;
    hbs_status status;
    hb_document *d;
    hbs_text key;

    shown[0] = 0;
    if (name.size > LONGEST_NEAR || hb_document_open(memory, r->json, r->size, HB_JSON, NULL, &d) != HBS_OK)
        return HBS_OK;
    hb_document_allow_members(d, r->size);
    hb_document_allow_infinities(d);
    if (hb_object_begin(d))
        while (hb_object_next(d, &key) && hb_document_goes_on(d, units)) {
            size_t distance = hb_text_distance(key, name, TYPING_ERRORS + 1);
            bool ambiguous, taken = r->taker->find(r->taker->context, key, &ambiguous) < r->taker->n_features;

            if (!taken && distance < nearest && distance <= name.size) {
                nearest = distance;
                hb_escape(key, HB_EXCERPT, shown, HB_EXCERPT_BUFFER);
            }
            hb_skip(d, true);
        }
    status = hb_document_status(d) == HBS_E_CANCEL ? hb_work_status(&memory->work, error) : HBS_OK;
    hb_document_close(d);
    return status;
}

static hbs_status check_all_given(const row_reading *r, hb_memory *memory, hbs_error *error)
{
    for (size_t f = 0; f < r->taker->n_features; f++) {
        hbs_text name;
        char shown[HB_EXCERPT_BUFFER], near[HB_EXCERPT_BUFFER];

        HB_TRY(hb_worked(&memory->work, 1, error));
        if ((int)r->values[f].type != NOT_GIVEN)
            continue;
        name = r->taker->name(r->taker->context, f);
        HB_TRY(find_near_key(r, memory, name, near, error));
        if (near[0])
            return hb_fail(error, HBS_E_ARGS, "the row has no feature \"%s\", but \"%s\"", HB_SHOW(name, shown), near);
        return hb_fail(error, HBS_E_ARGS, "the row has no feature \"%s\" (give it as null where it is missing)",
                       HB_SHOW(name, shown));
    }
    return HBS_OK;
}

/* The texts no longer move: from offsets to addresses. */
static void place_texts(row_reading *r, size_t n)
{
    for (size_t f = 0; f < n && f < r->taker->n_features; f++)
        if (r->values[f].type == HBS_TEXT || r->values[f].type == HBS_DECIMAL)
            r->values[f].as.text.bytes = (const char *)r->text->items + (uintptr_t)r->values[f].as.text.bytes;
}

static hbs_status take_row(row_reading *r, hb_memory *memory, size_t *given, hbs_error *error)
{
    hb_kind kind = hb_peek(r->d);

    *given = r->taker->n_features;
    if (kind == HB_KIND_OBJECT && !r->taker->named)
        return hb_fail(error, HBS_E_ARGS,
                       "its features have no names: give them by position, or register it with the "
                       "option features");
    if (kind == HB_KIND_OBJECT)
        take_object(r);
    else if (kind == HB_KIND_ARRAY)
        take_array(r, given);
    else
        hb_document_fail(r->d, HBS_E_ARGS, "expected a JSON object or array of features");
    HB_TRY(hb_document_end(r->d));
    return kind == HB_KIND_OBJECT ? check_all_given(r, memory, error) : HBS_OK;
}

hbs_status hb_json_row_read(hb_memory *memory, const char *json, size_t size, const hb_row_taker *taker,
                            hb_vector *text, hbs_value *values, size_t *given, hbs_error *error)
{
    row_reading r = {.json = json, .size = size, .taker = taker, .text = text, .values = values};
    hbs_status status;

    if (size > HB_MAX_JSON_ROW)
        return hb_fail(error, HBS_E_LIMIT, "a JSON row of %zu bytes is over the limit of %d", size, HB_MAX_JSON_ROW);
    text->count = 0;
    HB_TRY(hb_document_open(memory, json, size, HB_JSON, error, &r.d));
    hb_document_allow_members(r.d, size); /* wide rows: the text's size bounds them */
    hb_document_allow_infinities(r.d);
    status = take_row(&r, memory, given, error);
    hb_document_close(r.d);
    if (status == HBS_OK)
        place_texts(&r, *given);
    if (status == HBS_E_FORMAT) { /* the caller's argument, not a model's bytes */
        status = HBS_E_ARGS;
        if (error)
            error->status = status;
    }
    return status;
}

void hb_json_row_array(hb_document *d, const char *json, size_t size, size_t n_features, hb_vector *text,
                       hbs_value *values, size_t *given)
{
    const hb_row_taker taker = {.n_features = n_features};
    row_reading r = {d, json, size, &taker, text, values};

    text->count = 0;
    take_array(&r, given);
    if (hb_document_ok(d))
        place_texts(&r, *given);
}
