/* case_change.c - see case_change.h. */
#include "base/case_change.h"

#include "base/case_tables.h"
#include "base/text.h"

typedef struct case_table {
    const case_row *rows;
    size_t n;
} case_table;

static uint32_t changed(case_table table, uint32_t code)
{
    size_t low = 0, high = table.n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const case_row *row = &table.rows[middle];

        if (code > row->last)
            low = middle + 1;
        else if (code < row->first)
            high = middle;
        else
            return (code - row->first) % row->every == 0 ? (uint32_t)((int32_t)code + row->step) : code;
    }
    return code;
}

/* The code point of a character of two bytes or more. */
static uint32_t code_of(const char *bytes, size_t size)
{
    uint32_t code = (uint8_t)bytes[0] & (0x7Fu >> size);

    for (size_t i = 1; i < size; i++)
        code = code << 6 | ((uint8_t)bytes[i] & 0x3F);
    return code;
}

static size_t write_code(uint32_t code, char *to)
{
    size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    if (size == 1) {
        to[0] = (char)code;
        return 1;
    }
    for (size_t i = size; i-- > 1; code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3F));
    to[0] = (char)((0xF00u >> size & 0xF0) | code);
    return size;
}

static char ascii_changed(char c, hb_casing casing)
{
    if (casing == HB_CASING_LOWER)
        return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
    return c >= 'a' && c <= 'z' ? (char)(c - ('a' - 'A')) : c;
}

bool hb_case_change(hbs_text text, hb_casing casing, char *to, size_t *size, hb_work *work)
{
    enum { AT_ONCE = 4096 };
    static const case_table tables[] = {
        [HB_CASING_LOWER] = {lower_rows, sizeof(lower_rows) / sizeof(lower_rows[0])},
        [HB_CASING_UPPER] = {upper_rows, sizeof(upper_rows) / sizeof(upper_rows[0])},
    };
    size_t i = 0, n = 0;

    while (i < text.size) {
        size_t end = text.size - i < AT_ONCE ? text.size : i + AT_ONCE;

        while (i < end) {
            size_t length = hb_utf8_character(text.bytes + i, text.size - i);

            if (length > 1)
                n += write_code(changed(tables[casing], code_of(text.bytes + i, length)), to + n);
            else
                to[n++] = ascii_changed(text.bytes[i], casing);
            i += length ? length : 1;
        }
        if (!hb_goes_on(work, AT_ONCE * 4))
            return false;
    }
    *size = n;
    return true;
}
