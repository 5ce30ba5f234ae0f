/* own_encoders.c - onehot and ordinal: for each column its values, and what each of them becomes. */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "format/own.h"

static bool fail_encoder(hb_own_file *file, const char *what)
{
    hb_document_fail(file->d, HBS_E_FORMAT, "%s", what);
    return false;
}

/* Arrays over all values of the encoder, which are read column by column. */
typedef struct reading {
    hb_own_file *file;
    const hb_own_value *in;
    bool onehot;
    hb_vector columns; /* hb_encoder_column */
    hb_vector values;  /* double: numbers; of texts their place in `texts` */
    hb_vector outputs; /* int32_t */
    hb_vector numbers; /* double */
    hb_vector texts;   /* hbs_text: in the order of values; those of numbers are empty */
    size_t width;
} reading;

static uint32_t source_of(const reading *r, size_t c)
{
    return r->in->sources ? r->in->sources[c] : HB_OWN_DERIVED;
}

static bool is_text(const reading *r, size_t c)
{
    return source_of(r, c) != HB_OWN_DERIVED && r->file->is_text && r->file->is_text[source_of(r, c)];
}

static bool no_memory(const reading *r)
{
    return hb_document_no_memory(r->file->d);
}

static bool read_values(reading *r, size_t c, hb_encoder_column *column)
{
    hb_own_array array;
    bool text = is_text(r, c);
    hbs_text *texts;

    if (!hb_own_array_read(r->file, "values", text ? HB_OWN_STR : HB_OWN_F8, 1, &array))
        return false;
    column->first = (uint32_t)r->values.count;
    column->count = (uint32_t)array.count;
    for (size_t i = 0; !text && i < array.count && hb_document_goes_on(r->file->d, 1); i++)
        if (isnan(((const double *)array.items)[i]))
            return fail_encoder(r->file, "a category is NaN");
    texts = hb_vector_append(&r->texts, text ? array.items : NULL, array.count);
    if ((!texts && array.count) ||
        (!hb_vector_append(&r->values, text ? NULL : array.items, array.count) && array.count))
        return no_memory(r);
    return true;
}

/* "error", for a one-hot encoder "zeros" or an output; for numbers an array of one. */
static bool read_unknown(reading *r, hb_encoder_column *column, size_t width)
{
    static const char *const words[] = {"error", "zeros"};
    hb_own_dtype dtype;
    hb_own_array number;
    size_t word;

    if (!hb_own_member(r->file, "unknown"))
        return false;
    column->unknown = HB_OUTPUT_NONE;
    switch (hb_peek(r->file->d)) {
    case HB_KIND_STRING:
        word = hb_own_word_value(r->file, "unknown", words, r->onehot ? 2 : 1);
        column->unknown = word == 0 ? HB_OUTPUT_REFUSE : HB_OUTPUT_NONE;
        return word != SIZE_MAX;
    case HB_KIND_INTEGER:
        if (!r->onehot || width == 0)
            return fail_encoder(r->file, "unknown: no column for it");
        column->unknown = (int32_t)hb_read_integer(r->file->d, 0, (int64_t)width - 1);
        return hb_document_ok(r->file->d);
    default:
        if (r->onehot || !hb_own_array_value(r->file, 1u << HB_OWN_F8, 0, &dtype, &number))
            return hb_document_ok(r->file->d) && fail_encoder(r->file, "unknown: no such rule");
        column->unknown_number = *(const double *)number.items;
        return true;
    }
}

/* One number for each value, and one more for a missing value where that is a category. */
static bool read_map(reading *r, hb_encoder_column *column, bool missing)
{
    size_t n = column->count;
    hb_own_array map;

    if (!hb_own_array_read(r->file, "map", r->onehot ? HB_OWN_I4 : HB_OWN_F8, 1, &map))
        return false;
    if (map.count != n + missing)
        return fail_encoder(r->file, "map has not one number for each category");
    if (!r->onehot) {
        if (missing)
            column->missing_number = ((const double *)map.items)[n];
        return (hb_vector_append(&r->numbers, map.items, n) || n == 0) || no_memory(r);
    }
    if (missing)
        column->missing = ((const int32_t *)map.items)[n];
    return (hb_vector_append(&r->outputs, map.items, n) || n == 0) || no_memory(r);
}

static bool check_outputs(const reading *r, const hb_encoder_column *column, size_t width)
{
    const int32_t *outputs = (const int32_t *)r->outputs.items + column->first;

    for (size_t i = 0; i < column->count && hb_document_goes_on(r->file->d, 1); i++)
        if (outputs[i] < -1 || outputs[i] >= (int64_t)width)
            return fail_encoder(r->file, "map names a column that is not there");
    if (column->missing < -1 || column->missing >= (int64_t)width)
        return fail_encoder(r->file, "map names a column that is not there");
    return true;
}

enum { REFUSED = 2 }; /* `missing`: such a row has no result */

/* {"values":..,"missing":0,"map":..,["width":3,]"unknown":"error"} */
static bool read_column(reading *r, size_t c)
{
    hb_encoder_column column = {.feature = source_of(r, c), .base = (uint32_t)r->width, .missing = HB_OUTPUT_NONE};
    size_t width = 1;
    hbs_text key;
    int64_t rule;
    bool missing;

    if (!hb_object_begin(r->file->d) || !read_values(r, c, &column) || !hb_own_member(r->file, "missing"))
        return false;
    rule = hb_read_integer(r->file->d, 0, REFUSED);
    missing = rule == 1;
    if (!hb_document_ok(r->file->d) || !read_map(r, &column, missing))
        return false;
    if (r->onehot) {
        if (!hb_own_member(r->file, "width"))
            return false;
        width = (size_t)hb_read_integer(r->file->d, 0, HB_MAX_OUTPUTS);
        if (!hb_document_ok(r->file->d) || !check_outputs(r, &column, width))
            return false;
    }
    if (!read_unknown(r, &column, width))
        return false;
    if (!missing) { /* is a value that training has not seen */
        column.missing = rule == REFUSED ? HB_OUTPUT_REFUSE : column.unknown;
        column.missing_number = column.unknown_number;
    }
    r->width += width;
    if (r->width > HB_MAX_OUTPUTS)
        return fail_encoder(r->file, "the encoder makes too many columns");
    if (hb_object_next(r->file->d, &key))
        hb_document_unknown(r->file->d);
    return hb_document_ok(r->file->d) && (hb_vector_append(&r->columns, &column, 1) || no_memory(r));
}

static bool read_columns(reading *r)
{
    size_t c = 0;

    if (!hb_own_member(r->file, "columns") || !hb_array_begin(r->file->d))
        return false;
    for (; hb_array_next(r->file->d); c++)
        if (c == r->in->width)
            return fail_encoder(r->file, "more columns than the input has");
        else if (!read_column(r, c))
            return false;
    if (!hb_document_ok(r->file->d))
        return false;
    if (c != r->in->width || r->width == 0)
        return fail_encoder(r->file, "not one column for each of the input, or nothing comes out");
    return true;
}

/* ---- keeping it */

static void *keep_vector(const reading *r, const hb_vector *vector)
{
    void *kept = hb_arena_array(&r->file->pipeline->arena, vector->count, vector->item_size);

    if (kept && vector->count)
        memcpy(kept, vector->items, vector->count * vector->item_size);
    return kept;
}

static bool keep_encoder(reading *r, hb_encoder *encoder)
{
    hb_own_encoder kept = {.values = keep_vector(r, &r->values),
                           .outputs = r->onehot ? keep_vector(r, &r->outputs) : NULL,
                           .numbers = r->onehot ? NULL : keep_vector(r, &r->numbers)};
    const hb_encoder_column *columns = keep_vector(r, &r->columns);

    if (!kept.values || !columns || (!kept.outputs && !kept.numbers))
        return no_memory(r);
    *encoder = (hb_encoder){.n_columns = r->columns.count,
                            .n_values = r->values.count,
                            .width = r->width,
                            .columns = columns,
                            .values = kept.values,
                            .outputs = kept.outputs,
                            .numbers = kept.numbers};
    kept.encoder = *encoder;
    for (size_t c = 0; c < r->columns.count; c++)
        if (is_text(r, c) &&
            (!hb_own_texts_look_up(r->file, columns[c].feature) ||
             !hb_own_texts_note(r->file, columns[c].feature, (const hbs_text *)r->texts.items + columns[c].first,
                                columns[c].count, kept.values + columns[c].first)))
            return false;
    return hb_vector_append(&r->file->encoders, &kept, 1) || no_memory(r);
}

bool hb_own_encoder_read(hb_own_file *file, const hb_own_value *in, bool onehot, hb_encoder *encoder)
{
    hb_memory *memory = file->pipeline->arena.memory;
    reading r = {.file = file, .in = in, .onehot = onehot};
    bool ok;

    hb_vector_init(&r.columns, memory, sizeof(hb_encoder_column));
    hb_vector_init(&r.values, memory, sizeof(double));
    hb_vector_init(&r.outputs, memory, sizeof(int32_t));
    hb_vector_init(&r.numbers, memory, sizeof(double));
    hb_vector_init(&r.texts, memory, sizeof(hbs_text));
    ok = read_columns(&r) && keep_encoder(&r, encoder);
    hb_vector_release(&r.columns);
    hb_vector_release(&r.values);
    hb_vector_release(&r.outputs);
    hb_vector_release(&r.numbers);
    hb_vector_release(&r.texts);
    return ok;
}

/* ---- in order, when texts have their codes */

/* The column's values rise, and each takes along what it becomes. `order` and `spare` have room. */
static hbs_status sort_column(const hb_own_file *file, const hb_own_encoder *e, const hb_encoder_column *column,
                              uint32_t *order, double *spare)
{
    double *values = e->values + column->first;
    hb_work *work = &file->pipeline->arena.memory->work;
    uint32_t n = column->count;

    for (uint32_t i = 0; i < n && hb_goes_on(work, 1); i++)
        order[i] = i;
    HB_TRY(hb_work_status(work, file->error));
    if (!hb_sort(order, n, hb_compare_reals, values, work))
        return hb_work_status(work, file->error);
    memcpy(spare, values, n * sizeof(*spare));
    for (uint32_t i = 0; i < n; i++) {
        HB_TRY(hb_worked(work, 4, file->error));
        values[i] = spare[order[i]];
        if (i > 0 && values[i] == values[i - 1])
            return hb_fail(file->error, HBS_E_FORMAT, "an encoder has a category twice");
    }
    for (uint32_t i = 0; i < n && hb_goes_on(work, 2); i++)
        spare[i] = e->outputs ? e->outputs[column->first + i] : e->numbers[column->first + i];
    HB_TRY(hb_work_status(work, file->error));
    for (uint32_t i = 0; i < n && hb_goes_on(work, 2); i++)
        if (e->outputs)
            e->outputs[column->first + i] = (int32_t)spare[order[i]];
        else
            e->numbers[column->first + i] = spare[order[i]];
    return hb_work_status(work, file->error);
}

static hbs_status sort_encoder(const hb_own_file *file, const hb_own_encoder *e)
{
    hb_memory *memory = file->pipeline->arena.memory;
    size_t n = e->encoder.n_values;
    uint32_t *order = hb_allocate(memory, n * sizeof(*order));
    double *spare = hb_allocate(memory, n * sizeof(*spare));
    hbs_status status = order && spare ? HBS_OK : hb_no_memory(memory, file->error);

    for (size_t c = 0; status == HBS_OK && c < e->encoder.n_columns; c++)
        status = sort_column(file, e, &e->encoder.columns[c], order, spare);
    hb_release(memory, order, order ? n * sizeof(*order) : 0);
    hb_release(memory, spare, spare ? n * sizeof(*spare) : 0);
    return status;
}

hbs_status hb_own_encoders_end(hb_own_file *file)
{
    const hb_own_encoder *encoders = file->encoders.items;

    for (size_t i = 0; i < file->encoders.count; i++)
        HB_TRY(sort_encoder(file, &encoders[i]));
    return HBS_OK;
}
