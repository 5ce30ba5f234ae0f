/* message.c - the words of an error, and bytes of the caller in them. */
#include "host/host.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

size_t host_utf8_character(const char *bytes, size_t size)
{
    const unsigned char *p = (const unsigned char *)bytes;
    size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
    unsigned low = 0x80;
    unsigned high = 0xbf;

    if (n == 0 || n > size)
        return 0;
    /* Overlong forms, surrogates and what lies above U+10FFFF show in the second byte. */
    if (p[0] == 0xe0)
        low = 0xa0;
    if (p[0] == 0xed)
        high = 0x9f;
    if (p[0] == 0xf0)
        low = 0x90;
    if (p[0] == 0xf4)
        high = 0x8f;
    for (size_t i = 1; i < n; i++) {
        if (p[i] < low || p[i] > high)
            return 0;
        low = 0x80;
        high = 0xbf;
    }
    return n;
}

const char *host_show(host_shown *shown, const char *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char *out = shown->text;
    size_t at = 0;

    while (at < size) {
        unsigned char byte = (unsigned char)bytes[at];
        size_t n = host_utf8_character(bytes + at, size - at);

        if (at + (n ? n : 1) > HOST_SHOWN) {
            memcpy(out, "..", 2);
            out += 2;
            break;
        }
        if (n == 0 || byte < 0x20 || byte == 0x7f || byte == '"') {
            *out++ = '\\';
            *out++ = 'x';
            *out++ = digits[byte >> 4];
            *out++ = digits[byte & 15];
            at++;
            continue;
        }
        memcpy(out, bytes + at, n);
        out += n;
        at += n;
    }
    *out = 0;
    return shown->text;
}

void host_trim_character(char *text, size_t size)
{
    size_t n = strlen(text);
    size_t start = n;

    if (n + 1 < size)
        return;
    while (start > 0 && n - start < 4 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
        start--;
    if (start > 0 && host_utf8_character(text + start - 1, n - start + 1) != n - start + 1)
        text[start - 1] = 0;
}

hbs_status host_fail(hbs_error *error, hbs_status status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error->text, sizeof(error->text), format, arguments);
    va_end(arguments);
    host_trim_character(error->text, sizeof(error->text));
    error->status = status;
    error->offset = HBS_NO_OFFSET;
    return status;
}
