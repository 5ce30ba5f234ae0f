/* own_array.c - arrays: {"dtype":"f8","shape":[2,3],"data":"<base64>"}, or a list of texts. */
#include <math.h>
#include <string.h>

#include "format/own.h"

static const struct {
    const char *name;
    size_t size; /* of an item; 0: eight are a byte */
} dtypes[] = {
    [HB_OWN_F8] = {"f8", 8}, [HB_OWN_I4] = {"i4", 4}, [HB_OWN_I8] = {"i8", 8},
    [HB_OWN_U1] = {"u1", 1}, [HB_OWN_B1] = {"b1", 1}, [HB_OWN_STR] = {"str", sizeof(hbs_text)},
    [HB_OWN_F4] = {"f4", 4}, [HB_OWN_U2] = {"u2", 2}, [HB_OWN_BIT] = {"bit", 0},
};

enum { N_DTYPES = sizeof(dtypes) / sizeof(dtypes[0]), MAX_ITEMS = 1 << 28 };

/* ---- base64 */

/* 0 to 63; 64: none. */
static uint8_t digit_of(uint8_t c)
{
    if (c >= 'A' && c <= 'Z')
        return (uint8_t)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (uint8_t)(c - 'a' + 26);
    if (c >= '0' && c <= '9')
        return (uint8_t)(c - '0' + 52);
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

enum { AT_ONCE = 1 << 12 };

bool hb_own_decode(hb_own_file *file, const uint8_t *text, size_t size, uint8_t *to, size_t n)
{
    size_t groups = (n + 2) / 3;

    if (size != 4 * groups)
        return false;
    for (size_t g = 0; g < groups; g++, text += 4) {
        size_t bytes = n - 3 * g < 3 ? n - 3 * g : 3;
        uint32_t bits = 0;

        if (g % AT_ONCE == AT_ONCE - 1 && !hb_document_goes_on(file->d, 4 * AT_ONCE))
            return false;
        for (size_t i = 0; i < 4; i++) {
            uint8_t digit = i <= bytes ? digit_of(text[i]) : 0;

            if (digit == 64 || (i > bytes && text[i] != '='))
                return false;
            bits = bits << 6 | digit;
        }
        if (bytes < 3 && bits & ((1u << (8 * (3 - bytes))) - 1))
            return false;
        for (size_t i = 0; i < bytes; i++)
            to[3 * g + i] = (uint8_t)(bits >> (16 - 8 * i));
    }
    return true;
}

/* Little-endian bytes to this machine's numbers, in place. */
static void to_native(void *items, size_t count, size_t size)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    uint8_t *item = items;

    for (size_t k = 0; k < count; k++, item += size)
        for (size_t i = 0; i < size / 2; i++) {
            uint8_t kept = item[i];

            item[i] = item[size - 1 - i];
            item[size - 1 - i] = kept;
        }
#else
    (void)items;
    (void)count;
    (void)size;
#endif
}

static bool are_booleans(hb_document *d, const uint8_t *items, size_t count)
{
    for (size_t i = 0; i < count && hb_document_goes_on(d, 1); i++)
        if (items[i] > 1)
            return false;
    return true;
}

/* ---- the members */

static bool read_shape(hb_own_file *file, hb_own_array *array)
{
    hb_document *d = file->d;

    array->count = 1;
    if (!hb_own_member(file, "shape") || !hb_array_begin(d))
        return false;
    while (hb_array_next(d)) {
        size_t n = (size_t)hb_read_integer(d, 0, MAX_ITEMS);

        if (!hb_document_ok(d))
            return false;
        if (array->rank == HB_OWN_MAX_RANK || !hb_multiply(array->count, n, &array->count) || array->count > MAX_ITEMS)
            return hb_document_fail(d, HBS_E_FORMAT, "the array has too many dimensions or items"), false;
        array->shape[array->rank++] = n;
    }
    return hb_document_ok(d);
}

/* A text of few bytes takes several times as many: here, and where it is sorted with others. */
enum { TEXT_ROOM = 48 };

static bool read_texts(hb_own_file *file, hb_own_array *array)
{
    hb_document *d = file->d;
    hb_vector texts;
    hbs_text *items;

    hb_vector_init(&texts, file->pipeline->arena.memory, sizeof(hbs_text));
    if (hb_array_begin(d))
        while (hb_array_next(d)) {
            hbs_text text = hb_read_string(d);
            hbs_text kept = {NULL, text.size};

            hb_memory_allow(file->pipeline->arena.memory, TEXT_ROOM);
            kept.bytes = hb_arena_text(&file->pipeline->arena, text.bytes, text.size);
            if (!kept.bytes || !hb_vector_append(&texts, &kept, 1)) {
                hb_document_no_memory(d);
                break;
            }
        }
    if (hb_document_ok(d) && texts.count != array->count)
        hb_document_fail(d, HBS_E_FORMAT, "%zu texts, the shape says %zu", texts.count, array->count);
    items = hb_arena_array(&file->pipeline->arena, texts.count, sizeof(*items));
    if (!items)
        hb_document_no_memory(d);
    else if (texts.count)
        memcpy(items, texts.items, texts.count * sizeof(*items));
    array->items = items;
    hb_vector_release(&texts);
    return hb_document_ok(d);
}

static bool read_numbers(hb_own_file *file, hb_own_dtype dtype, hb_own_array *array)
{
    hb_document *d = file->d;
    hbs_text text = hb_read_string(d);
    size_t item_size = dtypes[dtype].size, n = item_size ? array->count * item_size : (array->count + 7) / 8;
    void *items;

    if (!hb_document_ok(d))
        return false;
    /* Before memory is taken: the text must be as long as the items need. */
    if (text.size / 4 * 3 + 3 < n)
        return hb_document_fail(d, HBS_E_FORMAT, "the data is too short for the shape"), false;
    items = hb_arena_room(&file->pipeline->arena, n, 1);
    if (!items)
        return hb_document_no_memory(d);
    if (!hb_own_decode(file, (const uint8_t *)text.bytes, text.size, items, n))
        return item_size ? hb_document_fail(d, HBS_E_FORMAT, "the data is not the base64 of %zu numbers of %zu bytes",
                                            array->count, item_size)
                         : hb_document_fail(d, HBS_E_FORMAT, "the data is not the base64 of %zu bits", array->count),
               false;
    to_native(items, array->count, item_size);
    array->items = items;
    return true;
}

/* The bits behind the last one are zero, so that the same bits are one text. */
static bool has_spare_bits(const hb_own_array *array)
{
    const uint8_t *bytes = array->items;

    return array->count % 8 != 0 && bytes[array->count / 8] >> array->count % 8 != 0;
}

static bool read_data(hb_own_file *file, hb_own_dtype dtype, hb_own_array *array)
{
    if (!hb_own_member(file, "data"))
        return false;
    if (dtype == HB_OWN_STR)
        return read_texts(file, array);
    if (!read_numbers(file, dtype, array))
        return false;
    if (dtype == HB_OWN_B1 && !are_booleans(file->d, array->items, array->count))
        return hb_document_fail(file->d, HBS_E_FORMAT, "a boolean is neither 0 nor 1"), false;
    if (dtype == HB_OWN_BIT && has_spare_bits(array))
        return hb_document_fail(file->d, HBS_E_FORMAT, "a bit behind the last one is not 0"), false;
    return hb_document_ok(file->d);
}

bool hb_own_array_value(hb_own_file *file, uint32_t allowed, size_t rank, hb_own_dtype *dtype, hb_own_array *array)
{
    hb_document *d = file->d;
    const char *names[N_DTYPES];
    size_t found;
    hbs_text key;

    *array = (hb_own_array){.rank = 0};
    for (size_t i = 0; i < N_DTYPES; i++)
        names[i] = allowed >> i & 1 ? dtypes[i].name : "";
    if (!hb_object_begin(d))
        return false;
    found = hb_own_word(file, "dtype", names, N_DTYPES);
    if (found >= N_DTYPES || !read_shape(file, array))
        return false;
    if (array->rank != rank)
        return hb_document_fail(d, HBS_E_FORMAT, "an array of %zu dimensions, expected %zu", array->rank, rank), false;
    *dtype = (hb_own_dtype)found;
    if (!read_data(file, *dtype, array))
        return false;
    if (hb_object_next(d, &key))
        hb_document_unknown(d);
    return hb_document_ok(d);
}

bool hb_own_array_read(hb_own_file *file, const char *name, hb_own_dtype dtype, size_t rank, hb_own_array *array)
{
    hb_own_dtype found;

    return hb_own_member(file, name) && hb_own_array_value(file, 1u << dtype, rank, &found, array);
}

static const double *read_float64s(hb_own_file *file, const char *name, size_t count, bool finite)
{
    hb_own_array array;

    if (!hb_own_array_read(file, name, HB_OWN_F8, 1, &array))
        return NULL;
    if (array.count != count) {
        hb_document_fail(file->d, HBS_E_FORMAT, "%s has %zu numbers, expected %zu", name, array.count, count);
        return NULL;
    }
    for (size_t i = 0; i < count && hb_document_goes_on(file->d, 1); i++) {
        double number = ((const double *)array.items)[i];

        if (finite ? !isfinite(number) : isnan(number)) {
            hb_document_fail(file->d, HBS_E_FORMAT, "%s: number %zu is %s", name, i, finite ? "not finite" : "NaN");
            return NULL;
        }
    }
    return hb_document_ok(file->d) ? array.items : NULL;
}

const double *hb_own_numbers(hb_own_file *file, const char *name, size_t count)
{
    return read_float64s(file, name, count, true);
}

const double *hb_own_all_numbers(hb_own_file *file, const char *name, size_t count)
{
    return read_float64s(file, name, count, false);
}
