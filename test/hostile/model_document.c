/* model_document.c - the tree of values behind model_builder: making, reading and writing it. */
#include "model_document.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ memory */

struct md_block {
    struct md_block *next;
    size_t used, size;
    _Alignas(16) char data[];
};

void *md_allocate(md_pool *pool, size_t count, size_t size)
{
    size_t need = (count * size + 15) & ~(size_t)15, chunk = 65536;
    struct md_block *block = pool->blocks;

    if (!block || block->size - block->used < need) {
        size_t room = need > chunk ? need : chunk;

        block = calloc(1, sizeof(*block) + room);
        if (!block) {
            fprintf(stderr, "model_builder: no memory\n");
            exit(2);
        }
        block->size = room;
        block->next = pool->blocks;
        pool->blocks = block;
    }
    block->used += need;
    return block->data + block->used - need;
}

void md_release(md_pool *pool)
{
    while (pool->blocks) {
        struct md_block *next = pool->blocks->next;

        free(pool->blocks);
        pool->blocks = next;
    }
}

char *md_copy(md_pool *pool, const char *bytes, size_t size)
{
    char *copy = md_allocate(pool, size + 1, 1);

    memcpy(copy, bytes, size);
    return copy;
}

/* ------------------------------------------------------------------ making */

md_value *md_new(md_pool *pool, md_kind kind)
{
    md_value *value = md_allocate(pool, 1, sizeof(*value));

    value->kind = kind;
    return value;
}

md_value *md_string(md_pool *pool, const char *text)
{
    md_value *value = md_new(pool, MD_STRING);

    value->size = strlen(text);
    value->bytes = md_copy(pool, text, value->size);
    return value;
}

md_value *md_integer(md_pool *pool, int64_t integer)
{
    md_value *value = md_new(pool, MD_INTEGER);

    value->integer = integer;
    return value;
}

md_value *md_object(md_pool *pool)
{
    return md_new(pool, MD_OBJECT);
}

md_value *md_numbers(md_pool *pool, char marker, const double *numbers, size_t count)
{
    md_value *value = md_new(pool, MD_NUMBERS);

    value->marker = marker;
    value->count = count;
    value->numbers = md_allocate(pool, count, sizeof(double));
    if (count && numbers)
        memcpy(value->numbers, numbers, count * sizeof(double));
    return value;
}

md_value *md_strings(md_pool *pool, const char *const *texts, size_t count)
{
    md_value *value = md_new(pool, MD_ARRAY);

    for (size_t i = 0; i < count; i++)
        md_append(value, md_string(pool, texts[i]));
    return value;
}

void md_append(md_value *container, md_value *value)
{
    if (container->last)
        container->last->next = value;
    else
        container->first = value;
    container->last = value;
    value->next = NULL;
}

md_value *md_put(md_pool *pool, md_value *object, const char *key, md_value *value)
{
    value->key = md_copy(pool, key, strlen(key));
    md_append(object, value);
    return value;
}

md_value *md_member(md_value *object, const char *key)
{
    for (md_value *v = object->first; v; v = v->next)
        if (v->key && strcmp(v->key, key) == 0)
            return v;
    return NULL;
}

void md_unlink(md_value *container, md_value *value)
{
    md_value **at = &container->first, *before = NULL;

    while (*at && *at != value) {
        before = *at;
        at = &(*at)->next;
    }
    if (!*at)
        return;
    *at = value->next;
    if (container->last == value)
        container->last = before;
}

size_t md_children(const md_value *container)
{
    size_t n = 0;

    for (const md_value *v = container->first; v; v = v->next)
        n++;
    return n;
}

static bool is_integer(double number)
{
    return fabs(number) <= 9.3e18 && number == floor(number);
}

static int64_t clamped(double number)
{
    if (number >= 9223372036854775807.0)
        return INT64_MAX;
    return number <= -9223372036854775808.0 ? INT64_MIN : (int64_t)number;
}

void md_untype(md_pool *pool, md_value *numbers)
{
    for (size_t i = 0; i < numbers->count; i++) {
        bool real = numbers->marker == 'd' || numbers->marker == 'D';
        md_value *one = md_new(pool, real ? MD_REAL : MD_INTEGER);

        one->real = numbers->numbers[i];
        one->integer = real ? 0 : clamped(numbers->numbers[i]);
        md_append(numbers, one);
    }
    numbers->kind = MD_ARRAY;
}

static bool holds(char marker, double number)
{
    switch (marker) {
    case 'i':
        return is_integer(number) && number >= -128 && number <= 127;
    case 'U':
        return is_integer(number) && number >= 0 && number <= 255;
    case 'I':
        return is_integer(number) && number >= -32768 && number <= 32767;
    case 'l':
        return is_integer(number) && number >= INT32_MIN && number <= INT32_MAX;
    case 'L':
        return is_integer(number);
    default:
        return true;
    }
}

void md_widen(md_value *numbers)
{
    for (size_t i = 0; i < numbers->count; i++)
        while (!holds(numbers->marker, numbers->numbers[i]))
            numbers->marker = numbers->marker == 'L' ? 'd' : numbers->marker == 'l' ? 'L' : 'l';
}

/* ------------------------------------------------------------------ reading JSON */

static const char *skip_space(const char *p)
{
    return p + strspn(p, " \t");
}

static md_value *parse_string(md_pool *pool, const char **text)
{
    const char *p = *text + 1;
    md_value *value = md_new(pool, MD_STRING);
    size_t n = 0;
    char *to;

    while (p[n] && p[n] != '"')
        n += p[n] == '\\' && p[n + 1] ? 2 : 1;
    value->bytes = to = md_allocate(pool, n + 1, 1);
    for (; *p && *p != '"'; p++) {
        if (*p == '\\' && p[1])
            p++;
        *to++ = *p;
    }
    if (*p != '"')
        return NULL;
    value->size = (size_t)(to - value->bytes);
    *text = p + 1;
    return value;
}

static md_value *parse_number(md_pool *pool, const char **text)
{
    char *end;
    const char *start = *text;
    size_t n = strspn(start, "+-0123456789.eEinfna");
    double real = strtod(start, &end);
    md_value *value;

    if (end == start || (size_t)(end - start) > n)
        return NULL;
    n = strspn(start, "+-0123456789"); /* all of an integer */
    value = md_new(pool, n < (size_t)(end - start) ? MD_REAL : MD_INTEGER);
    value->real = real;
    if (value->kind == MD_INTEGER)
        value->integer = strtoll(start, NULL, 10);
    *text = end;
    return value;
}

static md_value *parse_container(md_pool *pool, const char **text)
{
    bool object = **text == '{';
    char close = object ? '}' : ']';
    md_value *value = md_new(pool, object ? MD_OBJECT : MD_ARRAY);

    *text = skip_space(*text + 1);
    while (**text != close) {
        md_value *one, *key = NULL;

        if (object) {
            key = **text == '"' ? parse_string(pool, text) : NULL;
            *text = skip_space(*text);
            if (!key || **text != ':')
                return NULL;
            *text = skip_space(*text + 1);
        }
        one = md_parse(pool, text);
        if (!one)
            return NULL;
        if (key)
            one->key = key->bytes;
        md_append(value, one);
        *text = skip_space(*text);
        if (**text == ',')
            *text = skip_space(*text + 1);
        else if (**text != close)
            return NULL;
    }
    (*text)++;
    return value;
}

static md_value *parse_word(md_pool *pool, const char **text)
{
    static const char *const WORDS[] = {"true", "false", "null"};

    for (int i = 0; i < 3; i++)
        if (strncmp(*text, WORDS[i], strlen(WORDS[i])) == 0) {
            md_value *value = md_new(pool, i == 2 ? MD_NULL : MD_BOOL);

            value->truth = i == 0;
            *text += strlen(WORDS[i]);
            return value;
        }
    return NULL;
}

md_value *md_parse(md_pool *pool, const char **text)
{
    md_value *value;

    *text = skip_space(*text);
    if (**text == '"')
        return parse_string(pool, text);
    if (**text == '{' || **text == '[')
        return parse_container(pool, text);
    value = parse_word(pool, text);
    return value ? value : parse_number(pool, text);
}

/* ------------------------------------------------------------------ writing */

typedef struct sink {
    char *data;
    size_t size, capacity;
} sink;

static void write_bytes(sink *s, const void *bytes, size_t size)
{
    if (s->size + size > s->capacity) {
        s->capacity = (s->size + size) * 2 + 256;
        s->data = realloc(s->data, s->capacity);
        if (!s->data) {
            fprintf(stderr, "model_builder: no memory\n");
            exit(2);
        }
    }
    if (size)
        memcpy(s->data + s->size, bytes, size);
    s->size += size;
}

static void write_text(sink *s, const char *text)
{
    write_bytes(s, text, strlen(text));
}

static void json_integer(sink *s, int64_t number)
{
    char buffer[32];

    snprintf(buffer, sizeof(buffer), "%" PRId64, number);
    write_text(s, buffer);
}

/* The digits of a float32, an exponent as XGBoost writes it; the locale's comma never. */
static void json_real(sink *s, double number)
{
    char buffer[48], *comma;

    if (isnan(number)) {
        write_text(s, "NaN");
    } else if (isinf(number)) {
        write_text(s, number < 0 ? "-Infinity" : "Infinity");
    } else {
        snprintf(buffer, sizeof(buffer), "%.9gE0", number);
        if (strpbrk(buffer, "e"))
            buffer[strlen(buffer) - 2] = '\0';
        comma = strchr(buffer, ',');
        if (comma)
            *comma = '.';
        write_text(s, buffer);
    }
}

static void json_string(sink *s, const char *bytes, size_t size)
{
    char buffer[8];

    write_text(s, "\"");
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)bytes[i];

        if (c == '"' || c == '\\' || c < 0x20) {
            snprintf(buffer, sizeof(buffer), "\\u%04x", c);
            write_text(s, buffer);
        } else {
            write_bytes(s, &bytes[i], 1);
        }
    }
    write_text(s, "\"");
}

static void json_numbers(sink *s, const md_value *v)
{
    write_text(s, "[");
    for (size_t i = 0; i < v->count; i++) {
        if (i)
            write_text(s, ",");
        if (v->marker == 'd' || v->marker == 'D')
            json_real(s, v->numbers[i]);
        else
            json_integer(s, clamped(v->numbers[i]));
    }
    write_text(s, "]");
}

static void write_json(sink *s, const md_value *v)
{
    switch (v->kind) {
    case MD_OBJECT:
    case MD_ARRAY:
        write_text(s, v->kind == MD_OBJECT ? "{" : "[");
        for (const md_value *c = v->first; c; c = c->next) {
            if (c != v->first)
                write_text(s, ",");
            if (v->kind == MD_OBJECT) {
                json_string(s, c->key, strlen(c->key));
                write_text(s, ":");
            }
            write_json(s, c);
        }
        write_text(s, v->kind == MD_OBJECT ? "}" : "]");
        break;
    case MD_NUMBERS:
        json_numbers(s, v);
        break;
    case MD_STRING:
        json_string(s, v->bytes, v->size);
        break;
    case MD_INTEGER:
        json_integer(s, v->integer);
        break;
    case MD_REAL:
        json_real(s, v->real);
        break;
    case MD_BOOL:
        write_text(s, v->truth ? "true" : "false");
        break;
    case MD_NULL:
        write_text(s, "null");
        break;
    case MD_RAW:
        write_bytes(s, v->bytes, v->size);
        break;
    }
}

static void big_endian(sink *s, uint64_t number, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--) {
        char byte = (char)(number >> (8 * i));

        write_bytes(s, &byte, 1);
    }
}

static void ubjson_size(sink *s, uint64_t size)
{
    write_text(s, "L");
    big_endian(s, size, 8);
}

static void ubjson_number(sink *s, char marker, double number)
{
    float f = (float)number;
    uint32_t bits;
    uint64_t bits64;

    switch (marker) {
    case 'd':
        memcpy(&bits, &f, sizeof(bits));
        big_endian(s, bits, 4);
        break;
    case 'D':
        memcpy(&bits64, &number, sizeof(bits64));
        big_endian(s, bits64, 8);
        break;
    case 'L':
        big_endian(s, (uint64_t)clamped(number), 8);
        break;
    case 'l':
        big_endian(s, (uint64_t)clamped(number), 4);
        break;
    case 'I':
        big_endian(s, (uint64_t)clamped(number), 2);
        break;
    default:
        big_endian(s, (uint64_t)clamped(number), 1);
        break;
    }
}

static void ubjson_integer(sink *s, int64_t number)
{
    static const char MARKERS[] = "iIlL";
    const char *marker = MARKERS;

    if (number > INT32_MAX || number < INT32_MIN)
        marker = MARKERS + 3;
    else
        while (!holds(*marker, (double)number))
            marker++;
    write_bytes(s, marker, 1);
    big_endian(s, (uint64_t)number, *marker == 'i' ? 1 : *marker == 'I' ? 2 : *marker == 'l' ? 4 : 8);
}

static void write_ubjson(sink *s, const md_value *v)
{
    switch (v->kind) {
    case MD_OBJECT:
        write_text(s, "{");
        for (const md_value *c = v->first; c; c = c->next) {
            ubjson_size(s, strlen(c->key));
            write_text(s, c->key);
            write_ubjson(s, c);
        }
        write_text(s, "}");
        break;
    case MD_ARRAY:
        write_text(s, "[#");
        ubjson_size(s, v->lies ? (uint64_t)v->declared : md_children(v));
        for (const md_value *c = v->first; c; c = c->next)
            write_ubjson(s, c);
        break;
    case MD_NUMBERS:
        write_text(s, "[$");
        write_bytes(s, &v->marker, 1);
        write_text(s, "#");
        ubjson_size(s, v->lies ? (uint64_t)v->declared : v->count);
        for (size_t i = 0; i < v->count; i++)
            ubjson_number(s, v->marker, v->numbers[i]);
        break;
    case MD_STRING:
        write_text(s, "S");
        ubjson_size(s, v->size);
        write_bytes(s, v->bytes, v->size);
        break;
    case MD_INTEGER:
        ubjson_integer(s, v->integer);
        break;
    case MD_REAL:
        write_text(s, "d");
        ubjson_number(s, 'd', v->real);
        break;
    case MD_BOOL:
        write_text(s, v->truth ? "T" : "F");
        break;
    case MD_NULL:
        write_text(s, "Z");
        break;
    case MD_RAW:
        write_bytes(s, v->bytes, v->size);
        break;
    }
}

mb_bytes md_write(const md_value *root, mb_encoding encoding)
{
    sink s = {0};
    mb_bytes bytes = {0};

    if (encoding == MB_JSON)
        write_json(&s, root);
    else
        write_ubjson(&s, root);
    bytes.data = malloc(s.size ? s.size : 1);
    bytes.size = s.size;
    if (bytes.data && s.size)
        memcpy(bytes.data, s.data, s.size);
    free(s.data);
    return bytes;
}
