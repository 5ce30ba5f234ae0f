/* sha256.h - SHA-256 (FIPS 180-4), by the CPU's SHA instructions where it has them. */
#ifndef HB_BASE_SHA256_H
#define HB_BASE_SHA256_H

#include "base/status.h"

/* Works `count` blocks of 64 bytes into the state. */
typedef void hb_sha256_blocks(uint32_t state[8], const uint8_t *blocks, size_t count);

/* The same for two states at once, which takes little longer than for one: a round waits for the one before. */
typedef void hb_sha256_pairs(uint32_t a[8], const uint8_t *of_a, uint32_t b[8], const uint8_t *of_b, size_t count);

extern const uint32_t hb_sha256_rounds[64];
hb_sha256_blocks hb_sha256_blocks_plain;
#if defined(__x86_64__)
hb_sha256_blocks hb_sha256_blocks_x86; /* only where hb_sha256_x86_supported() */
hb_sha256_pairs hb_sha256_pairs_x86;   /* so too */
bool hb_sha256_x86_supported(void);
#endif

typedef struct hb_sha256 {
    hb_sha256_blocks *blocks;
    bool chosen; /* the blocks, for good: by hb_sha256_add, or by tests */
    uint32_t state[8];
    uint64_t size;
    uint8_t block[64];
} hb_sha256;

void hb_sha256_init(hb_sha256 *hash);
void hb_sha256_add(hb_sha256 *hash, const void *bytes, size_t size);
void hb_sha256_end(hb_sha256 *hash, uint8_t digest[32]);

/* The state after whole blocks, as bytes; and to go on from there. */
void hb_sha256_state(const hb_sha256 *hash, uint8_t state[32]);
void hb_sha256_resume(hb_sha256 *hash, const uint8_t state[32], uint64_t size);

/* Adds `count` blocks to each of two hashes that have whole blocks. */
void hb_sha256_add_both(hb_sha256 *a, const uint8_t *of_a, hb_sha256 *b, const uint8_t *of_b, size_t count);

#endif
