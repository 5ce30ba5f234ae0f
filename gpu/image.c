/* image.c - what is asked of an image; and how errors are made. */
#include "gpu/image.h"

#include <stdarg.h>
#include <stdio.h>

hbs_status hbg_fail(hbs_error *error, hbs_status status, const char *format, ...)
{
    va_list arguments;

    if (!error)
        return status;
    error->status = status;
    error->offset = HBS_NO_OFFSET;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof(error->text), format, arguments);
    va_end(arguments);
    return status;
}

hbg_forest hbg_image_at(const hbg_image *image, uint64_t base)
{
    hbg_forest f = image->forest;

#define AT(member) f.member = (const void *)((uintptr_t)f.member + (uintptr_t)base)
    AT(nodes);
    AT(values);
    AT(vectors);
    AT(trees);
    AT(columns);
    AT(cuts);
    AT(sets);
#undef AT
    return f;
}

uint32_t hbg_tile_rows(hbg_form form)
{
    return form == HBG_SMALL ? HBG_SMALL_ROWS : HBG_ROWS;
}

size_t hbg_shared_bytes(const hbg_forest *forest, hbg_form form)
{
    size_t slots = (size_t)forest->n_columns * HBG_TILE_BYTES;

    return slots + (form == HBG_SMALL ? HBG_STAGE_WORDS * sizeof(uint32_t) : 0);
}
