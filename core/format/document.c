/* document.c - what JSON and UBJSON have in common: the latch, the stack of open containers, the
 * path in messages, duplicate keys, skipping. The tokens are in json.c and ubjson.c.
 *
 * Nothing here recurses: open containers are frames in the document itself. */
#include "format/document_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"

enum { PATH_SIZE = 256 };

static void set_poll(hb_document *d)
{
    size_t left = hb_reader_left(&d->in);

    d->poll_at = d->in.p + (left < HB_POLL_BYTES ? left : HB_POLL_BYTES);
}

hbs_status hb_document_open(hb_memory *memory, const void *bytes, size_t size, hb_encoding encoding, hbs_error *error,
                            hb_document **document)
{
    hb_document *d = hb_allocate(memory, sizeof *d);

    *document = d;
    if (!d)
        return hb_no_memory(memory, error);
    memset(d, 0, sizeof *d);
    d->memory = memory;
    d->error = error;
    d->encoding = encoding == HB_JSON ? &hb_json_table : &hb_ubjson_table;
    hb_reader_init(&d->in, bytes, size);
    set_poll(d);
    d->due = true;
    d->max_members = HB_MAX_MEMBERS;
    hb_vector_init(&d->hashes, memory, sizeof(uint64_t));
    hb_vector_init(&d->text, memory, 1);
    return HBS_OK;
}

void hb_document_close(hb_document *d)
{
    if (!d)
        return;
    hb_vector_release(&d->hashes);
    hb_vector_release(&d->text);
    hb_release(d->memory, d, sizeof *d);
}

bool hb_document_ok(const hb_document *d)
{
    return d->in.status == HBS_OK;
}

hbs_status hb_document_status(const hb_document *d)
{
    return d->in.status;
}

size_t hb_document_offset(const hb_document *d)
{
    return hb_reader_offset(&d->in);
}

size_t hb_document_left(const hb_document *d)
{
    return hb_reader_left(&d->in);
}

/* ------------------------------------------------------------------ errors */

/* Puts a piece before the path at the end of buffer[0..*begin). False where it has no room. */
static bool prepend_place(char *buffer, size_t *begin, const char *piece)
{
    size_t size = strlen(piece);

    if (size + 2 > *begin) /* ".." must still fit */
        return false;
    *begin -= size;
    memcpy(buffer + *begin, piece, size);
    return true;
}

/* The frame's step of the path: ".key", "key" at the root, "[3]"; "" before its first value. */
static void frame_step(const hb_document *d, const hb_frame *frame, char *step, size_t size)
{
    char shown[HB_EXCERPT_BUFFER];

    *step = '\0';
    if (frame->index == 0)
        return;
    if (frame->object) {
        hbs_text key = {(const char *)d->in.begin + frame->key_at, frame->key_size};

        (void)snprintf(step, size, "%s%s", frame == d->frames ? "" : ".", HB_SHOW(key, shown));
    } else {
        (void)snprintf(step, size, "[%zu]", frame->index - 1);
    }
}

/* "learner.trees[3].left_children" of the open containers; its head is cut where it is too long. */
static const char *path_of(const hb_document *d, char buffer[PATH_SIZE])
{
    size_t begin = PATH_SIZE - 1;

    buffer[begin] = '\0';
    for (size_t i = d->depth; i > 0; i--) {
        char step[HB_EXCERPT_BUFFER + 24];

        frame_step(d, &d->frames[i - 1], step, sizeof step);
        if (!prepend_place(buffer, &begin, step)) {
            begin -= 2;
            memcpy(buffer + begin, "..", 2);
            break;
        }
    }
    return buffer + begin;
}

static void stop_reading(hb_document *d, hbs_status status, size_t offset, const char *format, va_list arguments)
{
    char path[PATH_SIZE];
    const char *where = path_of(d, path);

    (void)hb_fail_list(d->error, status, offset, format, arguments);
    if (*where)
        hb_error_prefix(d->error, "%s: ", where);
    hb_reader_fail(&d->in, status, "");
}

bool hb_document_stop(hb_document *d, hbs_status status, size_t offset, const char *format, ...)
{
    va_list arguments;

    if (!hb_document_ok(d))
        return false;
    va_start(arguments, format);
    stop_reading(d, status, offset, format, arguments);
    va_end(arguments);
    return false;
}

hbs_status hb_document_fail(hb_document *d, hbs_status status, const char *format, ...)
{
    va_list arguments;

    if (!hb_document_ok(d))
        return d->in.status;
    va_start(arguments, format);
    stop_reading(d, status, d->token_at, format, arguments);
    va_end(arguments);
    return status;
}

void hb_document_unknown(hb_document *d)
{
    (void)hb_document_fail(d, HBS_E_FORMAT, "unknown member: this version of hbscore does not read it");
}

bool hb_document_latch(hb_document *d, hbs_status status)
{
    if (status != HBS_OK)
        hb_reader_fail(&d->in, status, "");
    return status == HBS_OK;
}

bool hb_document_no_memory(hb_document *d)
{
    return hb_document_ok(d) && hb_document_latch(d, hb_no_memory(d->memory, d->error));
}

bool hb_document_poll(hb_document *d)
{
    if (d->in.p < d->poll_at)
        return true;
    if (!hb_document_ok(d))
        return false;
    set_poll(d);
    return hb_work_ask(&d->memory->work) || hb_document_latch(d, hb_work_status(&d->memory->work, d->error));
}

bool hb_document_goes_on(hb_document *d, size_t units)
{
    return hb_goes_on(&d->memory->work, units) ||
           (hb_document_ok(d) && hb_document_latch(d, hb_work_status(&d->memory->work, d->error)));
}

static const char *kind_name(hb_kind kind)
{
    static const char *const names[] = {"nothing",    "an object",     "an array",  "a string",
                                        "an integer", "a real number", "a boolean", "null"};

    return names[kind];
}

enum { HB_LONGEST_WORD = 64 };

/* A letter or '_'; behind the first byte also a digit, '-', '.' or a byte beyond ASCII. */
static bool is_of_word(char c, size_t at)
{
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

    return letter || (at > 0 && ((c >= '0' && c <= '9') || c == '-' || c == '.' || (c & 0x80) != 0));
}

/* The word at the reading position, if the document is JSON and the word is not JSON's own; else size 0. */
static hbs_text bare_word(const hb_document *d)
{
    static const char *const own[] = {"true", "false", "null", "NaN", "Infinity"};
    const char *begin = (const char *)d->in.p;
    hbs_text word = {begin, 0};
    size_t left = hb_reader_left(&d->in);

    if (d->encoding != &hb_json_table)
        return word;
    while (word.size < left && word.size < HB_LONGEST_WORD && is_of_word(begin[word.size], word.size))
        word.size++;
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (hb_text_is(word, own[i]))
            word.size = 0;
    return word;
}

bool hb_document_expected(hb_document *d, const char *expected)
{
    char found[HB_EXCERPT_BUFFER];

    if (!hb_document_ok(d))
        return false;
    hb_kind kind = d->encoding->peek(d);
    size_t at = hb_reader_offset(&d->in);
    hbs_text word = bare_word(d);

    if (word.size)
        return hb_document_stop(d, HBS_E_FORMAT, at,
                                "expected %s, found the word %s without quotes: JSON has true, "
                                "false, null, and texts in double quotes",
                                expected, HB_SHOW(word, found));
    if (kind != HB_KIND_NONE)
        return hb_document_stop(d, HBS_E_FORMAT, at, "expected %s, found %s", expected, kind_name(kind));
    if (hb_reader_left(&d->in) == 0)
        return hb_document_stop(d, HBS_E_FORMAT, at, "expected %s, but the document ends", expected);
    hbs_text byte = {(const char *)d->in.p, 1};
    return hb_document_stop(
        d, HBS_E_FORMAT, at, "expected %s, found \"%s\"%s", expected, HB_SHOW(byte, found),
        *d->in.p == '\'' && d->encoding == &hb_json_table ? ": in JSON a text stands in double quotes" : "");
}

/* ------------------------------------------------------------------ protocol */

/* Whether a value may be read now; then it counts as read. Else the walker is wrong. */
static bool take_due(hb_document *d)
{
    if (!hb_document_ok(d))
        return false;
    if (!d->due)
        return hb_document_stop(d, HBS_E_INTERNAL, hb_reader_offset(&d->in),
                                "internal error: no value is due here, please report it");
    d->due = false;
    return true;
}

hb_kind hb_peek(hb_document *d)
{
    return hb_document_ok(d) && d->due ? d->encoding->peek(d) : HB_KIND_NONE;
}

/* As take_due, and the place is noted for the walker's own errors. */
static bool begin_value(hb_document *d)
{
    if (!take_due(d))
        return false;
    (void)d->encoding->peek(d); /* steps over white space */
    d->token_at = hb_reader_offset(&d->in);
    return true;
}

static bool begin_container(hb_document *d, bool object)
{
    if (!begin_value(d))
        return false;
    if (d->encoding->peek(d) != (object ? HB_KIND_OBJECT : HB_KIND_ARRAY))
        return hb_document_expected(d, object ? "an object" : "an array");
    if (d->depth == HB_MAX_DEPTH)
        return hb_document_stop(d, HBS_E_LIMIT, d->token_at, "is nested deeper than %d levels", HB_MAX_DEPTH);
    hb_frame *frame = &d->frames[d->depth];

    *frame = (hb_frame){.object = object, .first_hash = d->hashes.count};
    if (!d->encoding->begin(d, frame))
        return false;
    d->depth++;
    return true;
}

bool hb_peek_finite(hb_document *d)
{
    const uint8_t *p = d->in.p;

    if (p < d->in.end && *p == '-')
        p++;
    return p < d->in.end && *p != 'N' && *p != 'I';
}

bool hb_object_begin(hb_document *d)
{
    return begin_container(d, true);
}

bool hb_array_begin(hb_document *d)
{
    return begin_container(d, false);
}

static int compare_hashes(const void *context, uint32_t a, uint32_t b)
{
    const uint64_t *hashes = context;

    return (hashes[a] > hashes[b]) - (hashes[a] < hashes[b]);
}

/* Duplicates among very many keys, at the object's end: by sorting, which no keys make slow. */
static bool check_many_keys(hb_document *d, const hb_frame *frame)
{
    const uint64_t *hashes = (const uint64_t *)d->hashes.items + frame->first_hash;
    size_t n = d->hashes.count - frame->first_hash;
    hb_vector order;
    bool equal = false;

    hb_vector_init(&order, d->memory, sizeof(uint32_t));
    if (!hb_vector_append(&order, NULL, n))
        return hb_document_no_memory(d);
    uint32_t *items = order.items;

    for (uint32_t i = 0; i < n; i++)
        items[i] = i;
    if (!hb_sort(items, n, compare_hashes, hashes, &d->memory->work))
        (void)hb_document_latch(d, hb_work_status(&d->memory->work, d->error));
    for (size_t i = 1; i < n; i++)
        equal |= hashes[items[i]] == hashes[items[i - 1]];
    hb_vector_release(&order);
    return !equal || hb_document_stop(d, HBS_E_FORMAT, d->token_at, "duplicate key");
}

static bool end_container(hb_document *d)
{
    const hb_frame *frame = &d->frames[d->depth - 1];

    if (d->hashes.count - frame->first_hash > HB_MAX_MEMBERS && !check_many_keys(d, frame))
        return false;
    d->depth--;
    d->hashes.count = frame->first_hash;
    return true;
}

/* Four at a time, without a branch for each: this is most of what an object of many keys costs. */
static bool is_among(uint64_t hash, const uint64_t *hashes, size_t from, size_t to)
{
    bool found = false;
    size_t i = from;

    for (; !found && to - i >= 4; i += 4)
        found = (hashes[i] == hash) | (hashes[i + 1] == hash) | (hashes[i + 2] == hash) | (hashes[i + 3] == hash);
    for (; i < to; i++)
        found |= hashes[i] == hash;
    return found;
}

/* Equal keys have equal hashes; that two others do is not to be expected. Up to HB_MAX_MEMBERS keys
 * are compared with those before them, more at the object's end. */
static bool add_key(hb_document *d, const hb_frame *frame, hbs_text key)
{
    const uint64_t hash = hb_hash(key.bytes, key.size), *hashes = d->hashes.items;

    if (frame->index > d->max_members)
        return hb_document_stop(d, HBS_E_LIMIT, d->token_at, "more than %zu members in one object", d->max_members);
    if (frame->index <= HB_MAX_MEMBERS && is_among(hash, hashes, frame->first_hash, d->hashes.count))
        return hb_document_stop(d, HBS_E_FORMAT, d->token_at, "duplicate key");
    return hb_vector_append(&d->hashes, &hash, 1) || hb_document_no_memory(d);
}

void hb_document_seek(hb_document *d, size_t offset)
{
    (void)hb_reader_take(&d->in, offset);
    set_poll(d);
}

void hb_document_allow_members(hb_document *d, size_t n)
{
    d->max_members = n;
}

void hb_document_allow_infinities(hb_document *d)
{
    d->takes_infinities = true;
}

/* The next value of the innermost container, which is an object or an array as the walker says. */
static bool next_item(hb_document *d, bool object, hbs_text *key)
{
    hb_frame *frame = d->depth ? &d->frames[d->depth - 1] : NULL;

    *key = (hbs_text){"", 0};
    if (!hb_document_ok(d))
        return false;
    if (d->due || !frame || frame->object != object)
        return hb_document_stop(d, HBS_E_INTERNAL, hb_reader_offset(&d->in),
                                "internal error: no next value is due here, please report it");
    if (!hb_document_poll(d))
        return false;
    if (!d->encoding->next(d, frame, key)) {
        if (hb_document_ok(d))
            (void)end_container(d);
        return false;
    }
    frame->index++;
    if (object && !add_key(d, frame, *key)) {
        *key = (hbs_text){"", 0};
        return false;
    }
    d->due = true;
    return true;
}

bool hb_object_next(hb_document *d, hbs_text *key)
{
    return next_item(d, true, key);
}

bool hb_array_next(hb_document *d)
{
    hbs_text none;

    return next_item(d, false, &none);
}

hbs_status hb_document_end(hb_document *d)
{
    if (!hb_document_ok(d))
        return d->in.status;
    if (d->due || d->depth > 0)
        (void)hb_document_stop(d, HBS_E_INTERNAL, hb_reader_offset(&d->in),
                               "internal error: the document was not read, please report it");
    else
        (void)d->encoding->end(d);
    return d->in.status;
}

/* ------------------------------------------------------------------ values */

int64_t hb_read_integer(hb_document *d, int64_t low, int64_t high)
{
    int64_t number = 0;

    if (!begin_value(d) || !d->encoding->read_integer(d, &number))
        return 0;
    if (number >= low && number <= high)
        return number;
    (void)hb_document_stop(d, HBS_E_FORMAT, d->token_at, "expected an integer of %lld to %lld, found %lld",
                           (long long)low, (long long)high, (long long)number);
    return 0;
}

float hb_read_float(hb_document *d)
{
    float number = 0;

    return begin_value(d) && d->encoding->read_float(d, &number) ? number : 0;
}

double hb_read_double(hb_document *d)
{
    double number = 0;

    return begin_value(d) && d->encoding->read_double(d, &number) ? number : 0;
}

bool hb_read_bool(hb_document *d)
{
    bool value = false;

    return begin_value(d) && d->encoding->read_bool(d, &value) && value;
}

hbs_text hb_read_string(hb_document *d)
{
    hbs_text text = {"", 0};

    return begin_value(d) && d->encoding->read_string(d, &text) ? text : (hbs_text){"", 0};
}

static bool read_array(hb_document *d, hb_item item, size_t item_size, hb_vector *out, bool finite)
{
    if (out->item_size != item_size)
        return hb_document_stop(d, HBS_E_INTERNAL, hb_reader_offset(&d->in),
                                "internal error: the vector's items do not fit, please report it");
    if (!begin_container(d, false) || !d->encoding->read_numbers(d, &d->frames[d->depth - 1], item, out, finite))
        return false;
    end_container(d);
    return true;
}

bool hb_read_floats(hb_document *d, hb_vector *out, bool finite)
{
    return read_array(d, HB_ITEM_FLOAT32, sizeof(float), out, finite);
}

bool hb_read_doubles(hb_document *d, hb_vector *out, bool finite)
{
    return read_array(d, HB_ITEM_FLOAT64, sizeof(double), out, finite);
}

bool hb_read_int32s(hb_document *d, hb_vector *out)
{
    return read_array(d, HB_ITEM_INT32, sizeof(int32_t), out, true);
}

bool hb_read_int64s(hb_document *d, hb_vector *out)
{
    return read_array(d, HB_ITEM_INT64, sizeof(int64_t), out, true);
}

bool hb_read_uint8s(hb_document *d, hb_vector *out)
{
    return read_array(d, HB_ITEM_UINT8, sizeof(uint8_t), out, true);
}

/* Steps over the value that is due; of a container only over its begin and leading numbers. */
static void step_in(hb_document *d, bool finite)
{
    switch (hb_peek(d)) {
    case HB_KIND_OBJECT:
        (void)begin_container(d, true);
        break;
    case HB_KIND_ARRAY:
        if (!begin_container(d, false))
            break;
        hb_frame *frame = &d->frames[d->depth - 1];

        if (d->encoding->read_numbers(d, frame, HB_ITEM_NONE, NULL, finite)) {
            end_container(d);
        } else if (hb_document_ok(d)) {
            frame->index++;
            d->due = true;
        }
        break;
    default:
        if (begin_value(d))
            (void)d->encoding->skip_scalar(d, finite);
    }
}

void hb_skip(hb_document *d, bool finite)
{
    const size_t base = d->depth;
    hbs_text key;

    if (hb_document_ok(d) && !d->due)
        (void)take_due(d);
    while (hb_document_ok(d)) {
        step_in(d, finite);
        while (d->depth > base && !d->due && hb_document_ok(d))
            (void)next_item(d, d->frames[d->depth - 1].object, &key);
        if (d->depth == base)
            break;
    }
}
