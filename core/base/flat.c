/* flat.c - see flat.h. */
#include "base/flat.h"

#include <string.h>

void *hb_flat_room(hb_flat *flat, size_t count, size_t size, uint64_t *offset)
{
    uint64_t end = flat->size, at = (end + HB_FLAT_ALIGNMENT - 1) & ~(uint64_t)(HB_FLAT_ALIGNMENT - 1);

    *offset = at;
    flat->size = at + (uint64_t)count * size;
    if (!flat->base)
        return NULL;
    memset(flat->base + end, 0, at - end);
    return flat->base + at;
}

void *hb_flat_reserve(hb_flat *flat, size_t count, size_t size, uint64_t *offset)
{
    void *items = hb_flat_room(flat, count, size, offset);

    return items ? memset(items, 0, count * size) : NULL;
}

uint64_t hb_flat_put(hb_flat *flat, const void *bytes, size_t size)
{
    uint64_t offset;
    void *to = hb_flat_room(flat, size, 1, &offset);

    if (to && size)
        memcpy(to, bytes, size);
    return offset;
}
