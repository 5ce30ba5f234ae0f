/* city_hash.c - see city_hash.h. Four ranges of sizes, each with its own mixing. */
#include "base/city_hash.h"

static const uint64_t k0 = 0xc3a5c85c97cb3127, k1 = 0xb492b66fbe98f273, k2 = 0x9ae16a3b2f90404f,
                      k3 = 0xc949d7c7509e6557;

typedef struct pair {
    uint64_t first, second;
} pair;

static uint64_t load_bytes(const uint8_t *p, int bytes)
{
    uint64_t value = 0;

    for (int i = bytes; i-- > 0;)
        value = value << 8 | p[i];
    return value;
}

static uint64_t load64(const uint8_t *p)
{
    return load_bytes(p, 8);
}

static uint64_t rotate(uint64_t x, unsigned by)
{
    return by ? x >> by | x << (64 - by) : x;
}

static uint64_t shift_mix(uint64_t x)
{
    return x ^ x >> 47;
}

static uint64_t hash_pair(uint64_t u, uint64_t v)
{
    const uint64_t multiplier = 0x9ddfea08eb382d69;
    uint64_t a = shift_mix((u ^ v) * multiplier);

    return shift_mix((v ^ a) * multiplier) * multiplier;
}

static uint64_t hash_0_to_16(const uint8_t *s, size_t n)
{
    if (n > 8) {
        uint64_t a = load64(s), b = load64(s + n - 8);

        return hash_pair(a, rotate(b + n, (unsigned)n)) ^ b;
    }
    if (n >= 4)
        return hash_pair(n + (load_bytes(s, 4) << 3), load_bytes(s + n - 4, 4));
    if (n > 0) {
        uint32_t y = s[0] + ((uint32_t)s[n >> 1] << 8);
        uint32_t z = (uint32_t)n + ((uint32_t)s[n - 1] << 2);

        return shift_mix(y * k2 ^ z * k3) * k2;
    }
    return k2;
}

static uint64_t hash_17_to_32(const uint8_t *s, size_t n)
{
    uint64_t a = load64(s) * k1, b = load64(s + 8), c = load64(s + n - 8) * k2;
    uint64_t d = load64(s + n - 16) * k0;

    return hash_pair(rotate(a - b, 43) + rotate(c, 30) + d, a + rotate(b ^ k3, 20) - c + n);
}

static pair half_of_64(uint64_t a, uint64_t z, uint64_t next, uint64_t last)
{
    uint64_t b = rotate(a + z, 52), c = rotate(a, 37);

    a += next;
    c += rotate(a, 7);
    a += last;
    return (pair){a + z, b + rotate(a, 31) + c};
}

static uint64_t hash_33_to_64(const uint8_t *s, size_t n)
{
    pair v = half_of_64(load64(s) + (n + load64(s + n - 16)) * k0, load64(s + 24), load64(s + 8), load64(s + 16));
    pair w = half_of_64(load64(s + 16) + load64(s + n - 32), load64(s + n - 8), load64(s + n - 24), load64(s + n - 16));
    uint64_t r = shift_mix((v.first + w.second) * k2 + (w.first + v.second) * k0);

    return shift_mix(r * k0 + v.second) * k2;
}

static pair weak_hash_32(const uint8_t *s, uint64_t a, uint64_t b)
{
    uint64_t w = load64(s), x = load64(s + 8), y = load64(s + 16), z = load64(s + 24), c;

    a += w;
    b = rotate(b + a + z, 21);
    c = a;
    a += x + y;
    b += rotate(a, 44);
    return (pair){a + z, b + c};
}

static uint64_t hash_long(const uint8_t *s, size_t n)
{
    uint64_t x = load64(s), y = load64(s + n - 16) ^ k1, z = load64(s + n - 56) ^ k0;
    pair v = weak_hash_32(s + n - 64, n, y), w = weak_hash_32(s + n - 32, n * k1, k0);

    z += shift_mix(v.second) * k1;
    x = rotate(z + x, 39) * k1;
    y = rotate(y, 33) * k1;
    for (size_t left = (n - 1) & ~(size_t)63; left > 0; left -= 64, s += 64) {
        uint64_t swapped;

        x = rotate(x + y + v.first + load64(s + 16), 37) * k1;
        y = rotate(y + v.second + load64(s + 48), 42) * k1;
        x ^= w.second;
        y ^= v.first;
        z = rotate(z ^ w.first, 33);
        v = weak_hash_32(s, v.second * k1, x + w.first);
        w = weak_hash_32(s + 32, z + w.second, y);
        swapped = z;
        z = x;
        x = swapped;
    }
    return hash_pair(hash_pair(v.first, w.first) + shift_mix(y) * k1 + z, hash_pair(v.second, w.second) + x);
}

uint64_t hb_city_hash64(const void *bytes, size_t size)
{
    const uint8_t *s = bytes;

    if (size <= 16)
        return hash_0_to_16(s, size);
    if (size <= 32)
        return hash_17_to_32(s, size);
    return size <= 64 ? hash_33_to_64(s, size) : hash_long(s, size);
}
