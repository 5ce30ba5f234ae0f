/* lightgbm_categories.c - pandas' categories: the last line of the file has one list of values for each
 * column of the category type, in the order of the columns but without their numbers. These are the ones
 * of the parameter [categorical_feature: 1,2,3], which 2.3 leaves empty; there, and where feature_infos
 * shows as many columns of categories (`3:0:1` in place of `[-1.5:2]`), these. With a categorical_feature
 * of the user's own, lists and columns may be as many and yet others: then the codes that training has
 * seen, which feature_infos has too, mostly do not fit the lists, and no list is used. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "format/document.h"
#include "format/lightgbm.h"

typedef struct category_reading {
    hb_lightgbm_file *file;
    hb_document *d;
    hb_vector columns; /* int64_t: the categorical columns */
    hb_vector texts;   /* hbs_text: of the list that is being read */
    hb_vector numbers; /* hbs_value: INT64 or FLOAT64 */
    bool all_whole;    /* within int64 */
    bool is_rounded;   /* a double would round one of the whole numbers */
} category_reading;

/* The next feature's item of feature_infos. */
static hbs_text next_info(hbs_text *infos)
{
    const char *space = infos->size ? memchr(infos->bytes, ' ', infos->size) : NULL;
    hbs_text info = {infos->bytes, space ? (size_t)(space - infos->bytes) : infos->size};
    size_t used = info.size + (space != NULL);

    *infos = (hbs_text){infos->bytes + used, infos->size - used};
    return info;
}

/* Whether `info` lists codes: neither the range of a number nor "none", which is a constant feature of either kind. */
static bool has_codes(hbs_text info)
{
    return info.size && info.bytes[0] != '[' && !hb_text_is(info, "none");
}

bool hb_lightgbm_takes_codes(const hb_lightgbm_file *file)
{
    hbs_text infos = file->feature_infos;

    while (infos.size)
        if (has_codes(next_info(&infos)))
            return true;
    return false;
}

static hbs_status columns_from_infos(category_reading *r)
{
    hbs_text infos = r->file->feature_infos;

    for (int64_t column = 0; infos.size && column <= r->file->max_feature; column++) {
        HB_TRY(hb_worked(&r->columns.memory->work, 4, r->file->error));
        if (has_codes(next_info(&infos)) && !hb_vector_append(&r->columns, &column, 1))
            return hb_no_memory(r->columns.memory, r->file->error);
    }
    return HBS_OK;
}

/* Whether training has seen only codes of a list with `count` categories: "-1:3:0", "none". */
static hbs_status check_codes(category_reading *r, hbs_text info, size_t count, bool *fit)
{
    const char *p = info.bytes, *end = p + info.size;
    int64_t code;

    *fit = info.size > 0;
    if (hb_text_is(info, "none"))
        return HBS_OK;
    for (size_t n = 0; *fit && p < end; n++) {
        size_t size = hb_read_int64(p, end, &code);

        HB_TRY(hb_worked(&r->columns.memory->work, 8, r->file->error));
        *fit = size && code < (int64_t)count && (p + size == end || p[size] == ':');
        p += size + 1;
    }
    return HBS_OK;
}

/* Whether each list can be that of its column. Both rise, so one walk is enough. */
static hbs_status check_lists(category_reading *r, const hb_categories *all, bool *fit)
{
    const int64_t *columns = r->columns.items;
    hbs_text infos = r->file->feature_infos;
    size_t k = 0;

    *fit = true;
    for (int64_t i = 0; *fit && k < r->columns.count; i++) {
        hbs_text info = next_info(&infos);

        HB_TRY(hb_worked(&r->columns.memory->work, 4, r->file->error));
        if (i == columns[k]) {
            HB_TRY(check_codes(r, info, all[i].count, fit));
            k++;
        }
    }
    return HBS_OK;
}

/* "1,2,3", rising; anything else (names) leaves the columns unknown. */
static hbs_status read_columns(category_reading *r)
{
    hbs_text list = r->file->categorical_feature;
    const char *p = list.bytes, *end = list.size ? p + list.size : p;
    int64_t column, last = -1;

    while (p < end) {
        size_t size = hb_read_int64(p, end, &column);

        if (size == 0 || column <= last || column > r->file->max_feature || (p + size < end && p[size] != ','))
            break;
        if (!hb_vector_append(&r->columns, &column, 1))
            return hb_no_memory(r->columns.memory, r->file->error);
        last = column;
        p += size + 1;
    }
    if (p < end)
        r->columns.count = 0;
    return r->columns.count ? HBS_OK : columns_from_infos(r);
}

static hbs_value read_integer(category_reading *r)
{
    return (hbs_value){.type = HBS_INT64, .as.i64 = hb_read_integer(r->d, INT64_MIN, INT64_MAX)};
}

/* A float below 2^53 is a whole number for sure. */
static hbs_value read_real(category_reading *r)
{
    hbs_value number = {.type = HBS_FLOAT64, .as.f64 = hb_read_double(r->d)};
    int64_t whole;

    if (fabs(number.as.f64) < 0x1p53 && hb_is_whole(number.as.f64, &whole))
        number = (hbs_value){.type = HBS_INT64, .as.i64 = whole};
    return number;
}

static void read_text(category_reading *r)
{
    hb_memory *memory = r->texts.memory;
    hbs_text text = hb_read_string(r->d);

    if (!hb_document_ok(r->d))
        return;
    text.bytes = hb_arena_text(&r->file->pipeline->arena, text.bytes, text.size);
    if (!text.bytes || !hb_vector_append(&r->texts, &text, 1))
        hb_document_fail(r->d, hb_no_memory(memory, NULL), "out of memory");
}

static void read_value(category_reading *r)
{
    hbs_value number = {.type = HBS_INT64};

    switch (hb_peek(r->d)) {
    case HB_KIND_STRING:
        read_text(r);
        return;
    case HB_KIND_BOOL:
        number.as.i64 = hb_read_bool(r->d);
        break;
    case HB_KIND_INTEGER:
        number = read_integer(r);
        break;
    default:
        number = read_real(r);
    }
    if (number.type == HBS_INT64)
        r->is_rounded |= !hb_is_same_number((double)number.as.i64, number.as.i64);
    else
        r->all_whole = false;
    if (hb_document_ok(r->d) && !hb_vector_append(&r->numbers, &number, 1))
        hb_document_fail(r->d, hb_no_memory(r->numbers.memory, NULL), "out of memory");
}

static void *keep_vector(category_reading *r, const hb_vector *vector)
{
    void *items = hb_arena_array(&r->file->pipeline->arena, vector->count, vector->item_size);

    if (items)
        memcpy(items, vector->items, vector->count * vector->item_size);
    return items;
}

static bool take_texts(category_reading *r, hb_categories *categories)
{
    hbs_text *texts = keep_vector(r, &r->texts);

    *categories = (hb_categories){.type = HBS_TEXT, .count = r->texts.count, .texts = texts};
    return texts != NULL;
}

static bool take_whole_numbers(category_reading *r, hb_categories *categories)
{
    const hbs_value *from = r->numbers.items;
    int64_t *numbers = hb_arena_array(&r->file->pipeline->arena, r->numbers.count, sizeof(*numbers));

    *categories = (hb_categories){.type = HBS_INT64, .count = r->numbers.count, .numbers = numbers};
    for (size_t i = 0; numbers && i < r->numbers.count; i++)
        numbers[i] = from[i].as.i64;
    return numbers != NULL;
}

static bool take_reals(category_reading *r, hb_categories *categories)
{
    const hbs_value *from = r->numbers.items;
    double *reals = hb_arena_array(&r->file->pipeline->arena, r->numbers.count, sizeof(*reals));

    *categories = (hb_categories){.type = HBS_FLOAT64, .count = r->numbers.count, .reals = reals};
    for (size_t i = 0; reals && i < r->numbers.count; i++)
        reals[i] = from[i].type == HBS_INT64 ? (double)from[i].as.i64 : from[i].as.f64;
    return reals != NULL;
}

/* The list that was read as categories; numbers that are all whole become integers. */
static bool take_list(category_reading *r, hb_categories *categories)
{
    if (r->texts.count)
        return take_texts(r, categories);
    if (r->numbers.count == 0)
        return true;
    return r->all_whole ? take_whole_numbers(r, categories) : take_reals(r, categories);
}

static void read_list(category_reading *r, hb_categories *categories)
{
    r->texts.count = r->numbers.count = 0;
    r->all_whole = true;
    r->is_rounded = false;
    if (hb_array_begin(r->d))
        while (hb_array_next(r->d))
            read_value(r);
    if (!hb_document_ok(r->d))
        return;
    if (r->texts.count && r->numbers.count)
        hb_document_fail(r->d, HBS_E_UNSUPPORTED, "texts and numbers in one list of categories");
    else if (!r->all_whole && r->is_rounded)
        hb_document_fail(r->d, HBS_E_UNSUPPORTED,
                         "a whole number that no double holds, and fractions in one list of categories");
    else if (categories && !take_list(r, categories))
        hb_document_fail(r->d, hb_no_memory(r->texts.memory, NULL), "out of memory");
}

/* The lists, given to the columns in turn; where they do not fit, the columns cannot be told. */
static hbs_status read_lists(category_reading *r, hb_categories *all)
{
    const int64_t *columns = r->columns.items;
    bool fit = false;
    size_t n = 0;

    if (hb_peek(r->d) == HB_KIND_NULL) {
        hb_skip(r->d, true);
        return HBS_OK;
    }
    if (hb_array_begin(r->d))
        while (hb_array_next(r->d)) {
            read_list(r, n < r->columns.count ? &all[columns[n]] : NULL);
            n++;
        }
    if (!hb_document_ok(r->d) || n != r->columns.count || n == 0)
        return HBS_OK;
    HB_TRY(check_lists(r, all, &fit));
    if (fit)
        r->file->pipeline->categories = all;
    return HBS_OK;
}

/* The document counts its bytes from its own first: the file's are said. */
static hbs_status fail_in_file(const hb_lightgbm_file *file, hbs_status status)
{
    hbs_error *error = file->error;
    char text[HBS_ERROR_TEXT];
    char *byte;

    if (!error || error->offset == HBS_NO_OFFSET)
        return status;
    memcpy(text, error->text, sizeof(text));
    byte = strrchr(text, '(');
    if (byte && byte > text && strncmp(byte, "(byte ", 6) == 0)
        byte[-1] = '\0';
    return hb_lightgbm_fail(file, status, file->pandas_categorical.bytes + error->offset, "%s", text);
}

static hbs_status read_all(category_reading *r)
{
    hb_lightgbm_file *file = r->file;
    hb_arena *arena = &file->pipeline->arena;
    hb_categories *all = hb_arena_array(arena, (size_t)file->max_feature + 1, sizeof(*all));
    hbs_status checked, status;

    if (!all)
        return hb_no_memory(arena->memory, file->error);
    HB_TRY(read_columns(r));
    HB_TRY(hb_document_open(arena->memory, file->pandas_categorical.bytes, file->pandas_categorical.size, HB_JSON,
                            file->error, &r->d));
    checked = read_lists(r, all);
    status = hb_document_end(r->d);
    hb_document_close(r->d);
    if (status == HBS_OK)
        return checked;
    (void)fail_in_file(file, status);
    hb_error_prefix(file->error, "pandas_categorical: ");
    return status;
}

/* The features that trees test by code, and the file has no list for. */
static hbs_status mark_codes(hb_lightgbm_file *file)
{
    hb_pipeline *pipeline = file->pipeline;
    hbs_text infos = file->feature_infos;
    uint8_t *codes = NULL;

    for (size_t i = 0; infos.size && i < pipeline->n_features; i++) {
        HB_TRY(hb_worked(&pipeline->arena.memory->work, 6, file->error));
        if (!has_codes(next_info(&infos)) || hb_pipeline_categories(pipeline, i))
            continue;
        if (!codes)
            codes = hb_arena_array(&pipeline->arena, pipeline->n_features, 1);
        if (!codes)
            return hb_no_memory(pipeline->arena.memory, file->error);
        codes[i] = 1;
    }
    pipeline->codes = codes;
    return HBS_OK;
}

hbs_status hb_lightgbm_categories(hb_lightgbm_file *file)
{
    hb_memory *memory = file->pipeline->arena.memory;
    category_reading r = {.file = file};
    hbs_status status;

    if (!file->pandas_categorical.bytes)
        return mark_codes(file);
    hb_vector_init(&r.columns, memory, sizeof(int64_t));
    hb_vector_init(&r.texts, memory, sizeof(hbs_text));
    hb_vector_init(&r.numbers, memory, sizeof(hbs_value));
    status = read_all(&r);
    hb_vector_release(&r.columns);
    hb_vector_release(&r.texts);
    hb_vector_release(&r.numbers);
    return status == HBS_OK ? mark_codes(file) : status;
}
