/* ascii.h - eight bytes of a text at once, as one number: the first byte is its lowest. What is asked of each byte is
 * answered in the byte's highest bit. */
#ifndef HB_BASE_ASCII_H
#define HB_BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HB_EACH(byte) (0x0101010101010101u * (uint64_t)(byte))

static inline uint64_t hb_eight_at(const char *bytes)
{
    uint64_t eight;

    memcpy(&eight, bytes, sizeof(eight));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    eight = __builtin_bswap64(eight);
#endif
    return eight;
}

static inline void hb_put_eight(char *bytes, uint64_t eight)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    eight = __builtin_bswap64(eight);
#endif
    memcpy(bytes, &eight, sizeof(eight));
}

static inline bool hb_eight_are_ascii(uint64_t eight)
{
    return (eight & HB_EACH(0x80)) == 0;
}

/* All ASCII: those from `first` to `last`. No sum is carried to the next byte. */
static inline uint64_t hb_eight_between(uint64_t eight, uint8_t first, uint8_t last)
{
    return (eight + HB_EACH(0x80 - first)) & ~(eight + HB_EACH(0x7F - last)) & HB_EACH(0x80);
}

/* All ASCII: in lower case, which is 0x20 above upper case. */
static inline uint64_t hb_eight_lower(uint64_t eight)
{
    return eight | hb_eight_between(eight, 'A', 'Z') >> 2;
}

/* How many of the first bytes are letters, digits and _ of ASCII. */
static inline size_t hb_eight_words(uint64_t eight)
{
    uint64_t ascii = eight & HB_EACH(0x7F);
    uint64_t words = hb_eight_between(ascii | HB_EACH(0x20), 'a', 'z') | hb_eight_between(ascii, '0', '9') |
                     hb_eight_between(ascii, '_', '_');
    uint64_t others = (~words | eight) & HB_EACH(0x80);

    return others ? (size_t)__builtin_ctzll(others) / 8 : sizeof(eight);
}

#endif
