/* flat.h - writes one flat, position-independent block of memory.
 *
 * The same code runs twice: first with `base` NULL, which only counts, then into a block of just that
 * size. Things are found by their offset from the block's beginning; offset 0 (the header) never names
 * anything else, so it can mean "none". */
#ifndef HB_BASE_FLAT_H
#define HB_BASE_FLAT_H

#include <stddef.h>
#include <stdint.h>

typedef struct hb_flat {
    uint8_t *base; /* NULL: only count */
    uint64_t size; /* written so far */
} hb_flat;

enum { HB_FLAT_ALIGNMENT = 64 };

/* Room for `count` zeroed items of `size` bytes, aligned to 16; *offset says where. Returns their address, or
 * NULL while counting. Counts are bounded by memory that was allocated before: no overflow in 64 bits. */
void *hb_flat_reserve(hb_flat *flat, size_t count, size_t size, uint64_t *offset);

/* The same, not zeroed: every byte must be written, or equal models would make plans that differ. */
void *hb_flat_room(hb_flat *flat, size_t count, size_t size, uint64_t *offset);

/* Copies the bytes; gives their offset. */
uint64_t hb_flat_put(hb_flat *flat, const void *bytes, size_t size);

static inline const void *hb_flat_at(const void *base, uint64_t offset)
{
    return (const uint8_t *)base + offset;
}

#endif
