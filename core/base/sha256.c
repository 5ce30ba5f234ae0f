/* sha256.c - SHA-256 (FIPS 180-4): padding, the plain block function, and the choice between it and
 * the CPU's own instructions, made per hash: asking the CPU costs microseconds at most, hashing a
 * model milliseconds, so that no state is kept. */
#include "base/sha256.h"

#include <string.h>

const uint32_t hb_sha256_rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

/* Bytes in the order of big-endian machines. */
static uint32_t word_of(const uint8_t bytes[4])
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void expand_words(uint32_t w[64], const uint8_t *block)
{
    for (int i = 0; i < 16; i++)
        w[i] = word_of(block + 4 * i);
    for (int i = 16; i < 64; i++) {
        uint32_t a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;

        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
}

/* One round, on FIPS 180-4's variables a to h. Of them only d and h change: the next round is
 * called with all moved on by one, instead of moving them. */
static inline void hash_word(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e, uint32_t f, uint32_t g,
                             uint32_t *h, uint32_t word)
{
    uint32_t t = *h + word + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + (g ^ (e & (f ^ g)));

    *d += t;
    *h = t + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) | (c & (a | b)));
}

static void work_in(uint32_t state[8], const uint32_t w[64])
{
    const uint32_t *k = hb_sha256_rounds;
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];

    for (int i = 0; i < 64; i += 8) {
        hash_word(a, b, c, &d, e, f, g, &h, k[i] + w[i]);
        hash_word(h, a, b, &c, d, e, f, &g, k[i + 1] + w[i + 1]);
        hash_word(g, h, a, &b, c, d, e, &f, k[i + 2] + w[i + 2]);
        hash_word(f, g, h, &a, b, c, d, &e, k[i + 3] + w[i + 3]);
        hash_word(e, f, g, &h, a, b, c, &d, k[i + 4] + w[i + 4]);
        hash_word(d, e, f, &g, h, a, b, &c, k[i + 5] + w[i + 5]);
        hash_word(c, d, e, &f, g, h, a, &b, k[i + 6] + w[i + 6]);
        hash_word(b, c, d, &e, f, g, h, &a, k[i + 7] + w[i + 7]);
    }
    const uint32_t result[] = {a, b, c, d, e, f, g, h};

    for (int i = 0; i < 8; i++)
        state[i] += result[i];
}

void hb_sha256_blocks_plain(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    uint32_t w[64];

    for (; count > 0; count--, blocks += 64) {
        expand_words(w, blocks);
        work_in(state, w);
    }
}

static hb_sha256_blocks *best_for_this_cpu(void)
{
#if defined(__x86_64__)
    if (hb_sha256_x86_supported())
        return hb_sha256_blocks_x86;
#endif
    return hb_sha256_blocks_plain;
}

void hb_sha256_init(hb_sha256 *hash)
{
    *hash = (hb_sha256){
        .blocks = hb_sha256_blocks_plain,
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

/* On a virtual machine asking the CPU takes 10 us, as long as some kilobytes by the plain blocks: short texts, such as
 * those of keys, do not ask. */
static void choose_blocks(hb_sha256 *hash, size_t size)
{
    enum { MANY = 2048 };

    if (hash->chosen || size < MANY)
        return;
    hash->blocks = best_for_this_cpu();
    hash->chosen = true;
}

void hb_sha256_add(hb_sha256 *hash, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    size_t held = (size_t)(hash->size % 64);

    if (size == 0)
        return;
    choose_blocks(hash, size);
    hash->size += size;
    if (held > 0) {
        size_t n = size < 64 - held ? size : 64 - held;

        memcpy(hash->block + held, from, n);
        if (held + n < 64)
            return;
        hash->blocks(hash->state, hash->block, 1);
        from += n;
        size -= n;
    }
    hash->blocks(hash->state, from, size / 64);
    memcpy(hash->block, from + size / 64 * 64, size % 64);
}

void hb_sha256_end(hb_sha256 *hash, uint8_t digest[32])
{
    uint64_t bits = hash->size * 8;
    size_t held = (size_t)(hash->size % 64);

    hash->block[held++] = 0x80;
    if (held > 56) {
        memset(hash->block + held, 0, 64 - held);
        hash->blocks(hash->state, hash->block, 1);
        held = 0;
    }
    memset(hash->block + held, 0, 56 - held);
    for (int i = 0; i < 8; i++)
        hash->block[56 + i] = (uint8_t)(bits >> (56 - 8 * i));
    hash->blocks(hash->state, hash->block, 1);
    for (int i = 0; i < 32; i++)
        digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}
