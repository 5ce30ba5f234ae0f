/* golden.c - see golden.h. */
#include "format/golden.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "format/document.h"
#include "format/json_row.h"

enum { ROWS = HB_N_GOLDEN, MEMBERS }; /* the outputs, then the rows */

typedef struct member {
    bool given;
    size_t at;      /* offset of its list */
    size_t count;   /* items of it */
    hb_document *d; /* stands before the next item */
} member;

struct hb_golden {
    hb_memory *memory;
    hb_arena arena; /* the row's arrays */
    hbs_error *error;
    const char *text;
    size_t size;
    hb_golden_shape shape;
    member members[MEMBERS];
    hb_vector texts; /* of the row's features */
    hb_golden_row row;
};

static const char *name_of(size_t m)
{
    return m == ROWS ? "rows" : hb_golden_name((hb_golden_output)m);
}

/* The caller's option, not a model's bytes. */
static hbs_status as_argument(hbs_status status, hbs_error *error)
{
    if (status != HBS_E_FORMAT)
        return status;
    if (error)
        error->status = HBS_E_ARGS;
    return HBS_E_ARGS;
}

/* ------------------------------------------------------------------ first pass: the members */

/* "prediction, decision": the outputs that the model has. */
static const char *list_outputs(const hb_golden_shape *shape, char list[64])
{
    size_t used = 0;

    list[0] = 0;
    for (size_t k = 0; k < HB_N_GOLDEN; k++)
        if (shape->widths[k])
            used += (size_t)snprintf(list + used, 64 - used, "%s%s", used ? ", " : "", name_of(k));
    return list;
}

/* The member's number; MEMBERS, and the document has failed, where it cannot be there. */
static size_t find_member(const hb_golden *g, hb_document *d, hbs_text key)
{
    char list[64];
    size_t m = 0;

    while (m < MEMBERS && !hb_text_is(key, name_of(m)))
        m++;
    if (m == MEMBERS)
        (void)hb_document_fail(d, HBS_E_ARGS,
                               "unknown member; there are rows, prediction, "
                               "probabilities, decision, values, transform");
    if (m >= ROWS || g->shape.widths[m])
        return m;
    (void)hb_document_fail(d, HBS_E_ARGS, "the model has no such output; it has %s", list_outputs(&g->shape, list));
    return MEMBERS;
}

static void read_member(hb_document *d, member *found)
{
    (void)hb_peek(d); /* steps over white space */
    found->given = true;
    found->at = hb_document_offset(d);
    if (!hb_array_begin(d))
        return;
    while (hb_array_next(d)) {
        if (found->count++ == HB_MAX_GOLDEN_ROWS)
            (void)hb_document_fail(d, HBS_E_LIMIT, "more than %d rows", HB_MAX_GOLDEN_ROWS);
        hb_skip(d, true);
    }
}

static hbs_status read_members(hb_golden *g)
{
    hbs_status status;
    hb_document *d;
    hbs_text key;

    HB_TRY(hb_document_open(g->memory, g->text, g->size, HB_JSON, g->error, &d));
    if (hb_object_begin(d))
        while (hb_object_next(d, &key)) {
            size_t m = find_member(g, d, key);

            if (m < MEMBERS)
                read_member(d, &g->members[m]);
        }
    status = as_argument(hb_document_end(d), g->error);
    hb_document_close(d);
    return status;
}

static hbs_status check_members(hb_golden *g)
{
    size_t rows = g->members[ROWS].count;

    if (rows == 0)
        return hb_fail(g->error, HBS_E_ARGS, "rows: there %s",
                       g->members[ROWS].given ? "is none in the list" : "are none");
    for (size_t k = 0; k < HB_N_GOLDEN; k++) {
        if (g->members[k].given)
            g->row.given |= 1u << k;
        if (g->members[k].given && g->members[k].count != rows)
            return hb_fail(g->error, HBS_E_ARGS, "%s has %zu items, rows has %zu", name_of(k), g->members[k].count,
                           rows);
    }
    return g->row.given ? HBS_OK : hb_fail(g->error, HBS_E_ARGS, "there are rows, but no output of the model for them");
}

/* ------------------------------------------------------------------ second pass: the rows */

static hbs_status open_members(hb_golden *g)
{
    for (size_t m = 0; m < MEMBERS; m++) {
        member *at = &g->members[m];

        if (!at->given)
            continue;
        HB_TRY(hb_document_open(g->memory, g->text, g->size, HB_JSON, g->error, &at->d));
        hb_document_seek(at->d, at->at);
        (void)hb_array_begin(at->d);
    }
    return HBS_OK;
}

static hbs_status make_row(hb_golden *g)
{
    bool made;

    g->row.features = hb_arena_array(&g->arena, g->shape.n_features, sizeof(hbs_value));
    made = g->row.features != NULL;
    for (size_t k = 0; k < HB_N_GOLDEN && made; k++)
        if (g->members[k].given) {
            g->row.numbers[k] = hb_arena_array(&g->arena, g->shape.widths[k], sizeof(hb_golden_number));
            made = g->row.numbers[k] != NULL;
        }
    return made ? HBS_OK : hb_no_memory(g->memory, g->error);
}

static hbs_status open_golden(hb_golden *g)
{
    HB_TRY(read_members(g));
    HB_TRY(check_members(g));
    HB_TRY(make_row(g));
    return open_members(g);
}

hbs_status hb_golden_open(hb_memory *memory, const char *text, size_t size, const hb_golden_shape *shape,
                          hb_golden **golden, hbs_error *error)
{
    hb_golden *made;
    hbs_status status;

    *golden = NULL;
    if (size > HB_MAX_GOLDEN)
        return hb_fail(error, HBS_E_LIMIT, "%zu bytes are more than the limit of %d", size, HB_MAX_GOLDEN);
    made = hb_allocate(memory, sizeof(*made));
    if (!made)
        return hb_no_memory(memory, error);
    *made = (hb_golden){.memory = memory, .error = error, .text = text, .size = size, .shape = *shape};
    hb_arena_init(&made->arena, memory);
    hb_vector_init(&made->texts, memory, 1);
    status = open_golden(made);
    if (status == HBS_OK)
        *golden = made;
    else
        hb_golden_close(made);
    return status;
}

void hb_golden_close(hb_golden *golden)
{
    if (!golden)
        return;
    for (size_t m = 0; m < MEMBERS; m++)
        hb_document_close(golden->members[m].d);
    hb_vector_release(&golden->texts);
    hb_arena_release(&golden->arena);
    hb_release(golden->memory, golden, sizeof(*golden));
}

uint32_t hb_golden_outputs(const hb_golden *golden)
{
    return golden->row.given;
}

static void read_features(hb_golden *g)
{
    hb_document *d = g->members[ROWS].d;
    size_t given = 0;

    hb_json_row_array(d, g->text, g->size, g->shape.n_features, &g->texts, g->row.features, &given);
    if (given != g->shape.n_features)
        (void)hb_document_fail(d, HBS_E_ARGS, "the model takes %zu feature%s, got %zu", g->shape.n_features,
                               g->shape.n_features == 1 ? "" : "s", given);
}

static bool read_special(hbs_text text, hb_golden_number *number)
{
    if (hb_text_is(text, "NaN"))
        number->narrow = NAN;
    else if (hb_text_is(text, "Infinity"))
        number->narrow = INFINITY;
    else if (hb_text_is(text, "-Infinity"))
        number->narrow = -INFINITY;
    else
        return false;
    number->wide = (double)number->narrow;
    return true;
}

/* The float32 is not rounded from the double, which would round twice. */
static void read_number(const hb_golden *g, hb_document *d, hb_golden_number *number)
{
    hb_kind kind = hb_peek(d);
    const char *at = g->text + hb_document_offset(d);

    if (kind == HB_KIND_INTEGER || kind == HB_KIND_REAL) {
        hb_read_float32(at, g->text + g->size, &number->narrow, NULL);
        number->wide = hb_read_double(d);
    } else if (kind != HB_KIND_STRING) {
        hb_skip(d, true);
        (void)hb_document_fail(d, HBS_E_ARGS, "expected a number");
    } else if (!read_special(hb_read_string(d), number)) {
        (void)hb_document_fail(d, HBS_E_ARGS, "expected a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
    }
}

/* A text points into the golden text or into the document, which moves on with the next row only. */
static void read_label(hb_document *d, hbs_value *label)
{
    switch (hb_peek(d)) {
    case HB_KIND_STRING:
        label->type = HBS_TEXT;
        label->as.text = hb_read_string(d);
        break;
    case HB_KIND_INTEGER:
        label->type = HBS_INT64;
        label->as.i64 = hb_read_integer(d, INT64_MIN, INT64_MAX);
        break;
    case HB_KIND_REAL:
        label->type = HBS_FLOAT64;
        label->as.f64 = hb_read_double(d);
        break;
    case HB_KIND_BOOL:
        label->type = HBS_BOOL;
        label->as.boolean = hb_read_bool(d);
        break;
    default:
        hb_skip(d, true);
        (void)hb_document_fail(d, HBS_E_ARGS, "expected the label of a class");
    }
}

static void read_numbers(const hb_golden *g, hb_document *d, size_t width, hb_golden_number *numbers)
{
    size_t n = 0;

    if (!hb_array_begin(d))
        return;
    while (hb_array_next(d)) {
        if (n < width)
            read_number(g, d, &numbers[n]);
        else
            hb_skip(d, true);
        n++;
    }
    if (n != width)
        (void)hb_document_fail(d, HBS_E_ARGS, "the model gives %zu number%s, got %zu", width, width == 1 ? "" : "s", n);
}

static void read_output(hb_golden *g, size_t k)
{
    hb_document *d = g->members[k].d;

    if (hb_peek(d) == HB_KIND_NULL) {
        g->row.nulls |= 1u << k;
        hb_skip(d, true);
    } else if (k != HB_GOLDEN_PREDICTION) {
        read_numbers(g, d, g->shape.widths[k], g->row.numbers[k]);
    } else if (g->shape.label) {
        read_label(d, &g->row.label);
    } else {
        read_number(g, d, g->row.numbers[k]);
    }
}

/* The document's path begins within the list: "[3][1]: expected a number". */
static hbs_status refuse_golden(const hb_golden *g, size_t m)
{
    if (g->error && g->error->text[0] == '[')
        hb_error_prefix(g->error, "%s", name_of(m));
    return as_argument(hb_document_status(g->members[m].d), g->error);
}

hbs_status hb_golden_next(hb_golden *golden, const hb_golden_row **row)
{
    *row = NULL;
    if (golden->row.number == golden->members[ROWS].count)
        return HBS_OK;
    golden->row.number++;
    golden->row.nulls = 0;
    for (size_t m = 0; m < MEMBERS; m++) {
        hb_document *d = golden->members[m].d;

        if (!d)
            continue;
        (void)hb_array_next(d);
        if (m == ROWS)
            read_features(golden);
        else
            read_output(golden, m);
        if (!hb_document_ok(d))
            return refuse_golden(golden, m);
    }
    *row = &golden->row;
    return HBS_OK;
}
