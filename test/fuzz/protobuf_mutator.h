/* protobuf_mutator.h - a mutator for fuzz targets whose inputs are messages of protobuf (libFuzzer). It goes down to a
 * field of some message inside the input, changes, copies, moves or leaves out that field, and makes the lengths of all
 * messages around it right again. So most of what it makes is a message, and the reader's later checks are reached.
 * Included once. Half of the time bytes are changed without regard to what they mean. */
#ifndef HB_PROTOBUF_MUTATOR_H
#define HB_PROTOBUF_MUTATOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

enum { PM_DEPTH = 8, PM_VARINT = 10, PM_ROOM = 1 << 14 };

typedef struct pm_field {
    size_t at, body, end; /* the tag, what is behind the tag and a length, and the end */
    unsigned wire;
} pm_field;

/* The messages around a field: where each one's length stands. */
typedef struct pm_place {
    size_t lengths[PM_DEPTH], depth;
    size_t begin, end; /* of the innermost message */
    pm_field field;
} pm_place;

static uint32_t pm_draw(uint32_t *state, uint32_t n)
{
    *state = *state * 1664525u + 1013904223u;
    return n ? (*state >> 8) % n : 0;
}

/* Bytes of the varint; 0: there is none before `end`. */
static size_t pm_varint(const uint8_t *data, size_t at, size_t end, uint64_t *value)
{
    *value = 0;
    for (size_t n = 0; n < PM_VARINT && at + n < end; n++) {
        *value |= (uint64_t)(data[at + n] & 0x7f) << 7 * n;
        if (!(data[at + n] & 0x80))
            return n + 1;
    }
    return 0;
}

static size_t pm_put_varint(uint8_t *to, uint64_t value)
{
    size_t n = 0;

    for (; value > 127; value >>= 7)
        to[n++] = (uint8_t)(value | 128);
    to[n++] = (uint8_t)value;
    return n;
}

static bool pm_read(const uint8_t *data, size_t at, size_t end, pm_field *field)
{
    uint64_t tag, value;
    size_t n = pm_varint(data, at, end, &tag), size;

    field->at = at;
    field->wire = (unsigned)(tag & 7);
    field->body = at + n;
    if (n == 0 || tag >> 3 == 0)
        return false;
    if (field->wire == 0)
        size = pm_varint(data, field->body, end, &value);
    else if (field->wire == 2) {
        size = pm_varint(data, field->body, end, &value);
        field->body += size;
        if (size == 0 || value > end - field->body)
            return false;
        size = (size_t)value;
    } else
        size = field->wire == 1 ? 8 : field->wire == 5 ? 4 : 0;
    if ((size == 0 && field->wire != 2) || size > end - field->body)
        return false;
    field->end = field->body + size;
    return true;
}

/* Fields of a message; 0: it is none. */
static uint32_t pm_count(const uint8_t *data, size_t begin, size_t end)
{
    uint32_t n = 0;
    pm_field field;

    for (size_t at = begin; at < end; at = field.end, n++)
        if (!pm_read(data, at, end, &field))
            return 0;
    return n;
}

/* Down to a field; false: the input is no message. */
static bool pm_find(const uint8_t *data, size_t size, uint32_t *state, pm_place *p)
{
    p->begin = 0;
    p->end = size;
    for (p->depth = 0;; p->depth++) {
        uint32_t n = pm_count(data, p->begin, p->end), k = pm_draw(state, n);
        size_t at = p->begin;

        if (n == 0)
            return false;
        do
            (void)pm_read(data, at, p->end, &p->field);
        while (at = p->field.end, k-- > 0);
        if (p->depth == PM_DEPTH || p->field.wire != 2 || pm_draw(state, 5) == 0 ||
            pm_count(data, p->field.body, p->field.end) == 0)
            return true;
        p->lengths[p->depth] = p->field.at + pm_varint(data, p->field.at, p->end, &(uint64_t){0});
        p->begin = p->field.body;
        p->end = p->field.end;
    }
}

/* Puts other bytes in the place of [from, to); false: there is no room. */
static bool pm_splice(uint8_t *data, size_t *size, size_t max_size, size_t from, size_t to, const uint8_t *bytes,
                      size_t n)
{
    if (*size - (to - from) + n > max_size)
        return false;
    memmove(data + from + n, data + to, *size - to);
    if (n)
        memcpy(data + from, bytes, n);
    *size = *size - (to - from) + n;
    return true;
}

/* The same inside the messages around it. */
static bool pm_replace(uint8_t *data, size_t *size, size_t max_size, const pm_place *p, size_t from, size_t to,
                       const uint8_t *bytes, size_t n)
{
    int64_t more = (int64_t)n - (int64_t)(to - from);

    if (*size + n + p->depth * PM_VARINT > max_size || !pm_splice(data, size, max_size, from, to, bytes, n))
        return false;
    for (size_t i = p->depth; i-- > 0;) {
        uint8_t length[PM_VARINT];
        uint64_t value;
        size_t was = pm_varint(data, p->lengths[i], *size, &value), is;

        is = pm_put_varint(length, (uint64_t)((int64_t)value + more));
        (void)pm_splice(data, size, max_size, p->lengths[i], p->lengths[i] + was, length, is);
        more += (int64_t)is - (int64_t)was;
    }
    return true;
}

/* A new body: an odd number, or some bytes of it changed. The tag and the length are written anew. */
static bool pm_change(uint8_t *data, size_t *size, size_t max_size, const pm_place *p, uint32_t *state)
{
    static const uint64_t numbers[] = {0,         1,         2, 7, 11, 16, 127, 65536, INT32_MAX, (uint64_t)1 << 53,
                                       INT64_MAX, UINT64_MAX};
    static uint8_t field[PM_ROOM + 4 * PM_VARINT], body[PM_ROOM];
    size_t n = p->field.end - p->field.body, at;
    uint64_t tag;

    (void)pm_varint(data, p->field.at, *size, &tag);
    at = pm_put_varint(field, tag);
    if (p->field.wire == 0) {
        at += pm_put_varint(field + at, numbers[pm_draw(state, sizeof(numbers) / sizeof(numbers[0]))]);
    } else {
        if (n > PM_ROOM / 2)
            return false;
        memcpy(body, data + p->field.body, n);
        n = p->field.wire == 2 ? LLVMFuzzerMutate(body, n, n + 64 < PM_ROOM ? n + 64 : PM_ROOM)
                               : (LLVMFuzzerMutate(body, n, n), n);
        if (p->field.wire == 2)
            at += pm_put_varint(field + at, n);
        memcpy(field + at, body, n);
        at += n;
    }
    return pm_replace(data, size, max_size, p, p->field.at, p->field.end, field, at);
}

/* Behind the field its copy, or one of another field of the same message. */
static bool pm_copy(uint8_t *data, size_t *size, size_t max_size, const pm_place *p, const pm_field *of)
{
    static uint8_t field[PM_ROOM];
    size_t n = of->end - of->at;

    if (n > PM_ROOM)
        return false;
    memcpy(field, data + of->at, n);
    return pm_replace(data, size, max_size, p, p->field.end, p->field.end, field, n);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    uint32_t state = seed, what = pm_draw(&state, 8);
    bool done = false;
    pm_place p;
    pm_field other;

    if (what < 4 || !pm_find(data, size, &state, &p))
        return LLVMFuzzerMutate(data, size, max_size);
    if (what < 6)
        done = pm_change(data, &size, max_size, &p, &state);
    else if (what == 6)
        done = pm_replace(data, &size, max_size, &p, p.field.at, p.field.end, NULL, 0);
    else if (pm_read(data, p.begin, p.end, &other))
        done = pm_copy(data, &size, max_size, &p, pm_draw(&state, 2) ? &p.field : &other);
    return done ? size : LLVMFuzzerMutate(data, size, max_size);
}

#endif
