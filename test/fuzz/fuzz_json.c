/* fuzz_json.c - a second opinion on the JSON reader: it and json-c read the same bytes.
 *
 * If both accept a document, every value is equal: numbers to the bit, texts to the byte. json-c refuses no document
 * that hbscore accepts. If only json-c accepts one, the table of reasons has the reason. json-c takes the last of equal
 * keys, cuts large integers and needs up to 264 times the memory of the input, so hbscore keeps a reader of its own. */
#include <json-c/json.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "format/document.h"

#define FUZZ_NAME "fuzz_json"
#include "fuzz_host.h"

static bool always(const char *at)
{
    (void)at;
    return true;
}

static bool is_control(const char *at)
{
    return (unsigned char)*at < 0x20;
}

/* Half of a surrogate pair: json-c reads U+FFFD. */
static bool is_surrogate(const char *at)
{
    return strncmp(at, "\\u", 2) == 0 && (at[2] == 'd' || at[2] == 'D') && strchr("89abcdefABCDEF", at[3]);
}

static bool is_beyond_ascii(const char *at)
{
    return (unsigned char)*at >= 0x80;
}

static bool is_beyond_float64(const char *at)
{
    return isinf(strtod(at, NULL));
}

/* "01", "1." or "-.5", which RFC 8259 does not allow. */
static bool is_loose_number(const char *at)
{
    size_t digits = strspn(at += *at == '-', "0123456789");

    return (digits > 1 && at[0] == '0') ||
           (at[digits] == '.' && (digits == 0 || !strspn(at + digits + 1, "0123456789")));
}

/* Why hbscore refuses what json-c accepts: what its message says, and what must be there in the document. */
static const struct {
    const char *message;
    bool (*holds)(const char *at);
} reasons[] = {
    {"duplicate key", always}, /* json-c takes the last one */
    {"members in one object", always},
    {"is nested deeper", always},
    {"control character in a string", is_control},
    {"bad escape in a string", is_surrogate},
    {"bad UTF-8 in a string", is_beyond_ascii}, /* json-c takes overlong ones, surrogates and those above U+10FFFF */
    {"does not fit a 64-bit float", is_beyond_float64},
    {"is not a number", is_loose_number},
};

static void must(bool holds, const char *what)
{
    if (!holds)
        give_up(what, NULL);
}

/* ------------------------------------------------------------------ both accept: the same values */

static void compare_value(hb_document *d, json_object *theirs);

/* The member of json-c's object; a key with a zero byte in it ends there for json-c, and false is given. */
static bool find_member(json_object *theirs, hbs_text key, json_object **member)
{
    char *name = malloc(key.size + 1);
    bool whole = !memchr(key.bytes, 0, key.size);

    memcpy(name, key.bytes, key.size);
    name[key.size] = '\0';
    must(!whole || json_object_object_get_ex(theirs, name, member), "json-c lacks a key");
    free(name);
    return whole;
}

static void compare_object(hb_document *d, json_object *theirs)
{
    hbs_text key;
    json_object *member;
    bool comparable = true;
    int n = 0;

    must(json_object_is_type(theirs, json_type_object), "not an object for json-c");
    (void)hb_object_begin(d);
    for (; hb_object_next(d, &key); n++)
        if (find_member(theirs, key, &member)) {
            compare_value(d, member);
        } else {
            hb_skip(d, false);
            comparable = false;
        }
    must(!comparable || n == json_object_object_length(theirs), "another number of members");
}

static void compare_array(hb_document *d, json_object *theirs)
{
    size_t n = 0;

    must(json_object_is_type(theirs, json_type_array), "not an array for json-c");
    (void)hb_array_begin(d);
    for (; hb_array_next(d); n++)
        compare_value(d, json_object_array_get_idx(theirs, n));
    must(n == json_object_array_length(theirs), "another number of elements");
}

/* json-c reads -0 as the integer 0, and a larger integer than 64 bits hold as the nearest one that they do. */
static bool is_cut(json_object *integer)
{
    int64_t number = json_object_get_int64(integer);

    return number == INT64_MIN || (number == INT64_MAX && json_object_get_uint64(integer) == UINT64_MAX);
}

static void compare_number(hb_document *d, json_object *theirs)
{
    bool integer = json_object_is_type(theirs, json_type_int), negative = json_object_get_int64(theirs) < 0;
    double number, expected = !integer   ? json_object_get_double(theirs)
                              : negative ? (double)json_object_get_int64(theirs)
                                         : (double)json_object_get_uint64(theirs);

    must(integer || json_object_is_type(theirs, json_type_double), "not a number for json-c");
    if (!hb_peek_finite(d)) {
        must(!isfinite(expected), "a finite number for json-c");
        hb_skip(d, false);
        return;
    }
    number = hb_read_double(d);
    must(integer ? number == expected || is_cut(theirs) : memcmp(&number, &expected, sizeof number) == 0,
         "another number");
}

static void compare_string(hb_document *d, json_object *theirs)
{
    hbs_text text = hb_read_string(d);

    must(json_object_is_type(theirs, json_type_string), "not a string for json-c");
    must(text.size == (size_t)json_object_get_string_len(theirs) &&
             (text.size == 0 || memcmp(text.bytes, json_object_get_string(theirs), text.size) == 0),
         "another text");
}

/* Recursion ends with the reader's depth. */
static void compare_value(hb_document *d, json_object *theirs)
{
    switch (hb_peek(d)) {
    case HB_KIND_OBJECT:
        compare_object(d, theirs);
        break;
    case HB_KIND_ARRAY:
        compare_array(d, theirs);
        break;
    case HB_KIND_STRING:
        compare_string(d, theirs);
        break;
    case HB_KIND_INTEGER:
    case HB_KIND_REAL:
        compare_number(d, theirs);
        break;
    case HB_KIND_BOOL:
        must(json_object_is_type(theirs, json_type_boolean), "not a boolean for json-c");
        must(hb_read_bool(d) == (bool)json_object_get_boolean(theirs), "another boolean");
        break;
    case HB_KIND_NULL:
        must(theirs == NULL, "not null for json-c");
        hb_skip(d, true);
        break;
    case HB_KIND_NONE:
        must(false, "the reader stops where it went on before");
    }
}

/* ------------------------------------------------------------------ one document */

typedef void reading(hb_document *d, json_object *theirs);

static void skip_all(hb_document *d, json_object *theirs)
{
    (void)theirs;
    hb_skip(d, false);
}

static hbs_status read_ours(const char *bytes, size_t size, reading *read, json_object *theirs, hbs_error *error)
{
    hb_memory memory;
    hb_document *d;

    *error = (hbs_error){.status = HBS_OK, .offset = HBS_NO_OFFSET};
    hb_memory_init(&memory, &HOST, 0);
    must(hb_document_open(&memory, bytes, size, HB_JSON, error, &d) == HBS_OK, "no document");
    read(d, theirs);
    hbs_status status = hb_document_end(d);

    hb_document_close(d);
    return status;
}

/* json-c takes a zero byte for the end: it accepts the document if it read all of it. */
static json_object *read_theirs(const char *text, size_t size, enum json_tokener_error *error)
{
    struct json_tokener *tokener = json_tokener_new_ex(HB_MAX_DEPTH + 2);
    json_object *value;

    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    value = json_tokener_parse_ex(tokener, text, (int)size + 1);
    *error = json_tokener_get_error(tokener);
    if (*error == json_tokener_success && json_tokener_get_parse_end(tokener) != size)
        *error = json_tokener_error_parse_eof;
    json_tokener_free(tokener);
    return value;
}

static bool has_reason(const hbs_error *error, const char *text, size_t size)
{
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (strstr(error->text, reasons[i].message))
            return error->offset <= size && reasons[i].holds(text + error->offset);
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    enum json_tokener_error theirs_error;
    hbs_error error;

    memcpy(text, data, size);
    text[size] = '\0';
    json_object *theirs = read_theirs(text, size, &theirs_error);
    hbs_status status = read_ours(text, size, skip_all, NULL, &error);

    if (status == HBS_OK && theirs_error == json_tokener_success)
        must(read_ours(text, size, compare_value, theirs, &error) == HBS_OK, error.text);
    else
        must(status != HBS_OK, "json-c refuses what hbscore accepts");
    if (status != HBS_OK && theirs_error == json_tokener_success)
        must(has_reason(&error, text, size), error.text);
    json_object_put(theirs);
    free(text);
    must(blocks == 0, "memory was not given back");
    return 0;
}
