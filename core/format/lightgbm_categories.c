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
    hb_vector reals;   /* double */
    bool all_whole;
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

/* Not the range of a number, and not "none", which stands for a constant feature of either kind. */
static bool has_codes(hbs_text info)
{
    return info.size && info.bytes[0] != '[' && !hb_text_is(info, "none");
}

static hbs_status columns_from_infos(category_reading *r)
{
    hbs_text infos = r->file->feature_infos;

    for (int64_t column = 0; infos.size && column <= r->file->max_feature; column++)
        if (has_codes(next_info(&infos)) && !hb_vector_append(&r->columns, &column, 1))
            return hb_no_memory(r->columns.memory, r->file->error);
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

        if (n % 4096 == 0)
            HB_TRY(hb_poll(&r->columns.memory->host, r->file->error));
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

        if (size == 0 || column <= last || column > r->file->max_feature ||
            (p + size < end && p[size] != ','))
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

static void read_value(category_reading *r)
{
    hb_memory *memory = r->texts.memory;
    hbs_text text;
    double real;

    switch (hb_peek(r->d)) {
    case HB_KIND_STRING:
        text = hb_read_string(r->d);
        if (!hb_document_ok(r->d))
            return;
        text.bytes = hb_arena_text(&r->file->pipeline->arena, text.bytes, text.size);
        if (!text.bytes || !hb_vector_append(&r->texts, &text, 1))
            hb_document_fail(r->d, hb_no_memory(memory, NULL), "out of memory");
        return;
    case HB_KIND_BOOL:
        real = hb_read_bool(r->d);
        break;
    default:
        real = hb_read_double(r->d);
    }
    r->all_whole &= real == floor(real) && fabs(real) < 9007199254740992.0;
    if (hb_document_ok(r->d) && !hb_vector_append(&r->reals, &real, 1))
        hb_document_fail(r->d, hb_no_memory(memory, NULL), "out of memory");
}

static void *keep(category_reading *r, const hb_vector *vector)
{
    void *items = hb_arena_array(&r->file->pipeline->arena, vector->count, vector->item_size);

    if (items)
        memcpy(items, vector->items, vector->count * vector->item_size);
    return items;
}

/* The list that was read as categories; numbers that are all whole become integers. */
static bool take_list(category_reading *r, hb_categories *categories)
{
    size_t n = r->reals.count;
    double *reals;
    int64_t *numbers;

    if (r->texts.count) {
        *categories = (hb_categories){.type = HBS_TEXT, .count = r->texts.count,
                                      .texts = keep(r, &r->texts)};
        return categories->texts != NULL;
    }
    if (n == 0)
        return true;
    reals = keep(r, &r->reals);
    *categories = (hb_categories){.type = HBS_FLOAT64, .count = n, .reals = reals};
    if (!reals || !r->all_whole)
        return reals != NULL;
    numbers = hb_arena_array(&r->file->pipeline->arena, n, sizeof(*numbers));
    *categories = (hb_categories){.type = HBS_INT64, .count = n, .numbers = numbers};
    for (size_t i = 0; numbers && i < n; i++)
        numbers[i] = (int64_t)reals[i];
    return numbers != NULL;
}

static void read_list(category_reading *r, hb_categories *categories)
{
    r->texts.count = r->reals.count = 0;
    r->all_whole = true;
    if (hb_array_begin(r->d))
        while (hb_array_next(r->d))
            read_value(r);
    if (!hb_document_ok(r->d))
        return;
    if (r->texts.count && r->reals.count)
        hb_document_fail(r->d, HBS_E_UNSUPPORTED, "texts and numbers in one list of categories");
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
    return hb_lightgbm_fail(file, status, file->pandas_categorical.bytes + error->offset, "%s",
                            text);
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
    HB_TRY(hb_document_open(arena->memory, file->pandas_categorical.bytes,
                            file->pandas_categorical.size, HB_JSON, file->error, &r->d));
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
    hb_vector_init(&r.reals, memory, sizeof(double));
    status = read_all(&r);
    hb_vector_release(&r.columns);
    hb_vector_release(&r.texts);
    hb_vector_release(&r.reals);
    return status == HBS_OK ? mark_codes(file) : status;
}
