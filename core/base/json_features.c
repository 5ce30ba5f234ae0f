/* json_features.c - see json_features.h. */
#include "base/json_features.h"

#include <math.h>
#include <string.h>

#include "base/digits.h"
#include "base/number.h"
#include "base/sort.h"

#define NOTHING (UINT32_MAX - 1) /* in place of a text's size: a list without texts */

enum { AT_ONCE = 1 << 12 /* items between two questions to the host */ };

typedef struct reading {
    hb_json_form form;
    hbs_text json;
    size_t at;
    hb_json_room *room;
    hb_work *work;
    hb_json_fault *fault;
} reading;

void hb_json_room_init(hb_json_room *room, hb_memory *memory)
{
    hb_vector_init(&room->bytes, memory, 1);
    hb_vector_init(&room->features, memory, sizeof(hb_json_feature));
    hb_vector_init(&room->order, memory, sizeof(uint32_t));
}

void hb_json_room_release(hb_json_room *room)
{
    hb_vector_release(&room->bytes);
    hb_vector_release(&room->features);
    hb_vector_release(&room->order);
}

static bool fail_at(reading *r, size_t at, const char *why)
{
    *r->fault = (hb_json_fault){why, at};
    return false;
}

static bool fail(reading *r, const char *why)
{
    return fail_at(r, r->at, why);
}

/* The next byte that is no white space; 0 at the end, which is no byte of JSON either. */
static char peek(reading *r)
{
    static const char spaces[] = " \n\r\t";
    size_t from = r->at;

    while (r->at < r->json.size && r->json.bytes[r->at] && strchr(spaces, r->json.bytes[r->at])) {
        r->at++;
        if (r->at - from == HB_WORK_A_POLL / 4) {
            if (!hb_goes_on(r->work, r->at - from))
                return 0;
            from = r->at;
        }
    }
    return r->at < r->json.size ? r->json.bytes[r->at] : 0;
}

static bool expect(reading *r, char byte, const char *why)
{
    if (peek(r) != byte)
        return fail(r, why);
    r->at++;
    return true;
}

/* ---- texts */

static bool hex4(const reading *r, size_t at, uint32_t *code)
{
    *code = 0;
    if (r->json.size - at < 4)
        return false;
    for (size_t i = at; i < at + 4; i++) {
        char c = r->json.bytes[i], letter = (char)(c | 0x20);

        if (hb_is_digit(c))
            *code = *code << 4 | (uint32_t)(c - '0');
        else if (letter >= 'a' && letter <= 'f')
            *code = *code << 4 | (uint32_t)(letter - 'a' + 10);
        else
            return false;
    }
    return true;
}

static bool put(reading *r, const char *bytes, size_t size)
{
    return hb_vector_append(&r->room->bytes, bytes, size) || fail(r, NULL);
}

/* Half of a pair takes three bytes too, which no valid text has. */
static bool put_code(reading *r, uint32_t code)
{
    char bytes[4];
    size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint32_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};

    for (size_t i = size - 1; i > 0; i--, code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3F));
    bytes[0] = (char)(leads[size] | code);
    return put(r, bytes, size);
}

static bool read_code(reading *r)
{
    size_t at = r->at;
    uint32_t code, low;

    if (!hex4(r, at + 2, &code))
        return fail(r, "bad escape in a text");
    r->at += 6;
    if (code >= 0xD800 && code <= 0xDBFF && r->json.size - r->at >= 6 && r->json.bytes[r->at] == '\\' &&
        r->json.bytes[r->at + 1] == 'u' && hex4(r, r->at + 2, &low) && low >= 0xDC00 && low <= 0xDFFF) {
        r->at += 6;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (r->form != HB_JSON_OBJECT && code >= 0xD800 && code <= 0xDFFF)
        return fail_at(r, at, "half of a surrogate pair, which UTF-8 cannot hold");
    return put_code(r, code);
}

static bool read_escape(reading *r)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *name;

    if (r->json.size - r->at < 2)
        return fail(r, "ends inside a text");
    if (r->json.bytes[r->at + 1] == 'u')
        return read_code(r);
    name = r->json.bytes[r->at + 1] ? strchr(names, r->json.bytes[r->at + 1]) : NULL;
    if (!name)
        return fail(r, "bad escape in a text");
    r->at += 2;
    return put(r, &meanings[name - names], 1);
}

/* At the opening quote. */
static bool read_text(reading *r, uint32_t *text, uint32_t *size)
{
    *text = (uint32_t)r->room->bytes.count;
    for (r->at++;;) {
        size_t from = r->at, end = r->json.size - from < AT_ONCE ? r->json.size : from + AT_ONCE;

        while (r->at < end && r->json.bytes[r->at] != '"' && r->json.bytes[r->at] != '\\' &&
               (unsigned char)r->json.bytes[r->at] >= 0x20)
            r->at++;
        if (!put(r, r->json.bytes + from, r->at - from) || !hb_goes_on(r->work, r->at - from + 4))
            return fail(r, NULL);
        if (r->at == end && end < r->json.size)
            continue;
        if (r->at == r->json.size)
            return fail(r, "ends inside a text");
        if (r->json.bytes[r->at] == '"')
            break;
        if (r->json.bytes[r->at] != '\\')
            return fail(r, "control character in a text");
        if (!read_escape(r))
            return false;
    }
    r->at++;
    *size = (uint32_t)r->room->bytes.count - *text;
    return true;
}

/* ---- values */

/* True if the word comes next; then it is read. */
static bool take_word(reading *r, const char *word)
{
    size_t size = strlen(word);

    if (r->json.size - r->at < size || memcmp(r->json.bytes + r->at, word, size) != 0)
        return false;
    r->at += size;
    return true;
}

/* Whole numbers are Python's, which have no -0. One that no double is near counts as infinite. */
static bool read_digits(reading *r, double *number)
{
    const char *p = r->json.bytes + r->at, *end = r->json.bytes + r->json.size;
    size_t size = hb_read_float64(p, end, number, NULL);
    bool whole = true;

    if (size == 0)
        return fail(r, "bad number, or one of more than 1,024 bytes");
    for (size_t i = 0; i < size; i++)
        whole &= p[i] == '-' || hb_is_digit(p[i]);
    if (whole && *number == 0)
        *number = 0;
    r->at += size;
    return hb_goes_on(r->work, size) || fail(r, NULL);
}

static bool read_number(reading *r, double *number)
{
    static const struct {
        const char *word;
        double number;
    } words[] = {{"true", 1}, {"false", 0}, {"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (take_word(r, words[i].word)) {
            *number = words[i].number;
            return true;
        }
    return read_digits(r, number);
}

static bool add(reading *r, const hb_json_feature *feature)
{
    return (hb_vector_append(&r->room->features, feature, 1) && hb_goes_on(r->work, 8)) || fail(r, NULL);
}

static bool is_number(char byte)
{
    return hb_is_digit(byte) || (byte && strchr("-tfNI", byte));
}

/* Each text of a list is a feature. An empty list stands there until it has replaced another member. */
static bool read_list(reading *r, hb_json_feature *feature)
{
    r->at++;
    if (peek(r) == ']') {
        feature->text_size = NOTHING;
        return expect(r, ']', "") && add(r, feature);
    }
    for (;;) {
        if (peek(r) != '"')
            return fail(r, "expected a text of a list");
        if (!read_text(r, &feature->text, &feature->text_size) || !add(r, feature))
            return false;
        if (peek(r) == ']')
            return expect(r, ']', "");
        if (!expect(r, ',', "expected ',' or ']'"))
            return false;
    }
}

/* A feature's value; a list adds none or several, all else one. */
static bool read_value(reading *r, hb_json_feature *feature)
{
    char next = peek(r);

    feature->text_size = HB_JSON_NUMBER;
    if (next == '"')
        return read_text(r, &feature->text, &feature->text_size) && add(r, feature);
    if (is_number(next))
        return read_number(r, &feature->number) && add(r, feature);
    if (r->form == HB_JSON_OBJECT && next == '[')
        return read_list(r, feature);
    if (r->form == HB_JSON_OBJECT && take_word(r, "null")) {
        feature->number = NAN;
        return add(r, feature);
    }
    return fail(r, r->form == HB_JSON_OBJECT ? "a feature is a number, a text, a list of texts, a boolean or null"
                                             : "a feature is a number, a text or a boolean");
}

/* A byte behind it, so that no two names stand at one place. */
static bool read_name(reading *r, hb_json_feature *feature)
{
    if (peek(r) != '"')
        return fail(r, "expected a name in quotes");
    return read_text(r, &feature->name, &feature->name_size) && put(r, "", 1);
}

static bool read_member(reading *r, hb_json_feature *feature)
{
    if (r->form == HB_JSON_TEXTS) {
        *feature = (hb_json_feature){.text_size = HB_JSON_NUMBER, .number = 1};
        return read_name(r, feature) && add(r, feature);
    }
    if (r->form != HB_JSON_PAIRS)
        return read_name(r, feature) && expect(r, ':', "expected ':' behind a name") && read_value(r, feature);
    return expect(r, '[', "expected a pair [name, value]") && read_name(r, feature) &&
           expect(r, ',', "expected ',' behind a name") && read_value(r, feature) &&
           expect(r, ']', "expected ']' behind a pair");
}

/* ---- members of one name */

static hbs_text name_of(const hb_json_room *room, uint32_t i)
{
    const hb_json_feature *feature = (const hb_json_feature *)room->features.items + i;

    return (hbs_text){(const char *)room->bytes.items + feature->name, feature->name_size};
}

typedef struct by_name {
    const hb_json_room *room;
    hb_work *work;
} by_name;

/* Those of one member have their name at one place. */
static int compare_names(const void *context, uint32_t a, uint32_t b)
{
    const by_name *by = context;
    const hb_json_feature *features = by->room->features.items;
    int order = 0;

    if (features[a].name != features[b].name)
        order = hb_compare_texts(name_of(by->room, a), name_of(by->room, b), by->work);
    return order ? order : a < b ? -1 : a > b;
}

/* From the last of each name on: of another member with this name there is nothing. */
static bool forget_replaced(hb_json_room *room, hb_work *work)
{
    const uint32_t *order = room->order.items;
    hb_json_feature *features = room->features.items;
    size_t last = room->order.count - 1;

    for (size_t i = last; i-- > 0;) {
        if (!hb_goes_on(work, 1))
            return false;
        if (features[order[i]].name == features[order[last]].name)
            continue;
        if (hb_compare_texts(name_of(room, order[i]), name_of(room, order[last]), work) == 0)
            features[order[i]].text_size = NOTHING;
        else
            last = i;
    }
    return true;
}

static bool keep_last(reading *r)
{
    hb_json_room *room = r->room;
    size_t n = room->features.count;
    const by_name by = {room, r->work};

    room->order.count = 0;
    if (!hb_vector_append(&room->order, NULL, n))
        return fail(r, NULL);
    for (size_t i = 0; i < n; i++) {
        ((uint32_t *)room->order.items)[i] = (uint32_t)i;
        if (i % AT_ONCE == AT_ONCE - 1 && !hb_goes_on(r->work, AT_ONCE))
            return fail(r, NULL);
    }
    if (!hb_sort(room->order.items, n, compare_names, &by, r->work))
        return fail(r, NULL);
    return n < 2 || forget_replaced(room, r->work) || fail(r, NULL);
}

static bool close_up(reading *r)
{
    hb_json_feature *features = r->room->features.items;
    size_t n = r->room->features.count, kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (features[i].text_size != NOTHING)
            features[kept++] = features[i];
        if (i % AT_ONCE == AT_ONCE - 1 && !hb_goes_on(r->work, AT_ONCE))
            return fail(r, NULL);
    }
    r->room->features.count = kept;
    return true;
}

static bool read_members(reading *r, bool object)
{
    hb_json_feature feature = {.name = 0};
    char end = object ? '}' : ']';

    if (!expect(r, object ? '{' : '[', object ? "expected an object" : "expected a list"))
        return false;
    if (peek(r) == end)
        return expect(r, end, "");
    for (;;) {
        if (!read_member(r, &feature))
            return false;
        if (peek(r) == end)
            return expect(r, end, "");
        if (!expect(r, ',', object ? "expected ',' or '}'" : "expected ',' or ']'"))
            return false;
    }
}

bool hb_json_features_read(hb_json_form form, hbs_text json, hb_json_room *room, hb_work *work, hb_json_fault *fault)
{
    reading r = {form, json, 0, room, work, fault};
    bool object = form == HB_JSON_OBJECT || form == HB_JSON_PLAIN;

    room->bytes.count = room->features.count = 0;
    *fault = (hb_json_fault){NULL, 0};
    if (!read_members(&r, object))
        return work->stopped ? fail(&r, NULL) : false;
    if (peek(&r) || r.at < json.size)
        return fail(&r, work->stopped ? NULL : "something follows the JSON");
    return !object || (keep_last(&r) && close_up(&r));
}
