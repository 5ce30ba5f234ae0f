/* document_walk.h - reads any document value by value, without a schema and without recursion; for
 * the tests of the document reader and its fuzz target. */
#ifndef HB_TEST_DOCUMENT_WALK_H
#define HB_TEST_DOCUMENT_WALK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "format/document.h"

/* The values that were read, as JSON; NULL `text`: none are wanted. Text beyond the buffer is cut. */
typedef struct walk_text {
    char *text;
    size_t size;
    size_t capacity;
} walk_text;

static inline void walk_put(walk_text *out, const char *bytes, size_t size)
{
    if (!out->text)
        return;
    if (size > out->capacity - out->size - 1)
        size = out->capacity - out->size - 1;
    memcpy(out->text + out->size, bytes, size);
    out->size += size;
    out->text[out->size] = '\0';
}

static inline void walk_put_string(walk_text *out, hbs_text text)
{
    char shown[HB_EXCERPT_BUFFER];

    if (!out->text)
        return;
    HB_SHOW(text, shown);
    walk_put(out, "\"", 1);
    walk_put(out, shown, strlen(shown));
    walk_put(out, "\"", 1);
}

static inline void walk_scalar(hb_document *d, walk_text *out)
{
    hb_kind kind = hb_peek(d);
    char number[32];

    if (kind == HB_KIND_STRING) {
        walk_put_string(out, hb_read_string(d));
    } else if (kind == HB_KIND_INTEGER || kind == HB_KIND_REAL) {
        size_t size = hb_format_float64(hb_read_double(d), number);

        if (kind == HB_KIND_INTEGER && size > 2 && strcmp(number + size - 2, ".0") == 0)
            size -= 2;
        walk_put(out, number, size);
    } else if (kind == HB_KIND_BOOL) {
        bool value = hb_read_bool(d);

        walk_put(out, value ? "true" : "false", value ? 4 : 5);
    } else {
        hb_skip(d, true); /* null, or what is wrong */
        walk_put(out, "null", 4);
    }
}

/* Reads the value that is due; at an error it stops. */
static inline void walk_value(hb_document *d, walk_text *out)
{
    bool objects[HB_MAX_DEPTH + 1], first[HB_MAX_DEPTH + 1];
    size_t depth = 0;

    do {
        hb_kind kind = hb_peek(d);

        if (kind == HB_KIND_OBJECT || kind == HB_KIND_ARRAY) {
            bool object = kind == HB_KIND_OBJECT;

            if (!(object ? hb_object_begin(d) : hb_array_begin(d)))
                return;
            objects[depth] = object;
            first[depth++] = true;
            walk_put(out, object ? "{" : "[", 1);
        } else {
            walk_scalar(d, out);
        }
        while (depth > 0 && hb_document_ok(d)) {
            hbs_text key;
            bool object = objects[depth - 1];

            if (object ? hb_object_next(d, &key) : hb_array_next(d)) {
                walk_put(out, ",", first[depth - 1] ? 0 : 1);
                first[depth - 1] = false;
                if (object) {
                    walk_put_string(out, key);
                    walk_put(out, ":", 1);
                }
                break;
            }
            walk_put(out, object ? "}" : "]", 1);
            depth--;
        }
    } while (depth > 0 && hb_document_ok(d));
}

#endif
