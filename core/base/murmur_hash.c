/* murmur_hash.c - MurmurHash3_x86_32, by Austin Appleby, who has put it in the public domain. */
#include "base/murmur_hash.h"

static uint32_t rotate(uint32_t x, unsigned bits)
{
    return x << bits | x >> (32 - bits);
}

static uint32_t mixed(uint32_t word)
{
    return rotate(word * 0xCC9E2D51u, 15) * 0x1B873593u;
}

/* Up to four bytes, the first one lowest. */
static uint32_t word_at(const uint8_t *bytes, size_t n)
{
    uint32_t word = 0;

    for (size_t i = 0; i < n; i++)
        word |= (uint32_t)bytes[i] << 8 * i;
    return word;
}

bool hb_murmur_hash(hbs_text text, uint32_t seed, uint32_t *hash, hb_work *work)
{
    enum { AT_ONCE = 1 << 14 };
    const uint8_t *bytes = (const uint8_t *)text.bytes;
    size_t i = 0;
    uint32_t h = seed;

    for (; text.size - i >= 4; i += 4) {
        h = rotate(h ^ mixed(word_at(bytes + i, 4)), 13) * 5 + 0xE6546B64u;
        if (i % AT_ONCE == 0 && i > 0 && !hb_goes_on(work, AT_ONCE / 4))
            return false;
    }
    if (i < text.size)
        h ^= mixed(word_at(bytes + i, text.size - i));
    h ^= (uint32_t)text.size;
    h = (h ^ h >> 16) * 0x85EBCA6Bu;
    h = (h ^ h >> 13) * 0xC2B2AE35u;
    *hash = h ^ h >> 16;
    return hb_goes_on(work, 4);
}
