/* status.c - error texts: formatted, cut at a character, never longer than their buffer. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *hbs_status_name(hbs_status status)
{
    static const char *const names[] = {"ok",     "format", "limit", "unsupported", "nomem",
                                        "cancel", "type",   "args",  "noent",       "internal"};

    return (size_t)status < sizeof names / sizeof *names ? names[status] : "unknown";
}

/* The length of `text` without the bytes of a character that was cut off at its end. */
static size_t whole_characters(const char *text, size_t size)
{
    size_t back = 0;

    while (back < 3 && back < size && ((unsigned char)text[size - 1 - back] & 0xC0) == 0x80)
        back++;
    if (back == size)
        return size;

    unsigned char lead = (unsigned char)text[size - 1 - back];
    size_t needs = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;

    return needs > back + 1 ? size - 1 - back : size;
}

/* Writes what fits into text[0..capacity) with its NUL; returns the length written. */
static size_t write_text(char *text, size_t capacity, const char *format, va_list arguments)
{
    int n = vsnprintf(text, capacity, format, arguments);

    if (n < 0)
        n = 0;
    size_t size = (size_t)n;
    if (size >= capacity)
        size = whole_characters(text, capacity - 1);
    text[size] = '\0';
    return size;
}

/* " (byte 1234)", or nothing. */
static size_t write_place(char place[40], size_t offset)
{
    *place = '\0';
    return offset == HBS_NO_OFFSET ? 0 : (size_t)snprintf(place, 40, " (byte %zu)", offset);
}

hbs_status hb_fail_list(hbs_error *error, hbs_status status, size_t offset, const char *format, va_list arguments)
{
    char place[40];

    if (!error)
        return status;
    size_t place_size = write_place(place, offset);
    size_t n = write_text(error->text, sizeof error->text - place_size, format, arguments);

    memcpy(error->text + n, place, place_size + 1);
    error->status = status;
    error->offset = offset;
    return status;
}

hbs_status hb_fail(hbs_error *error, hbs_status status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)hb_fail_list(error, status, HBS_NO_OFFSET, format, arguments);
    va_end(arguments);
    return status;
}

hbs_status hb_fail_at(hbs_error *error, hbs_status status, size_t offset, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)hb_fail_list(error, status, offset, format, arguments);
    va_end(arguments);
    return status;
}

void hb_error_prefix(hbs_error *error, const char *format, ...)
{
    char old[HBS_ERROR_TEXT], place[40];
    va_list arguments;

    if (!error)
        return;
    memcpy(old, error->text, sizeof old);
    old[sizeof old - 1] = '\0';

    size_t place_size = write_place(place, error->offset), size = strlen(old);
    if (size >= place_size && memcmp(old + size - place_size, place, place_size) == 0)
        size -= place_size;
    else
        place_size = 0;

    va_start(arguments, format);
    size_t n = write_text(error->text, sizeof error->text - place_size, format, arguments);
    va_end(arguments);
    size_t room = sizeof error->text - 1 - place_size - n;

    if (size > room)
        size = whole_characters(old, room);
    memcpy(error->text + n, old, size);
    memcpy(error->text + n + size, place, place_size);
    error->text[n + size + place_size] = '\0';
}
