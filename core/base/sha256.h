/* sha256.h - SHA-256 (FIPS 180-4), by the CPU's SHA instructions where it has them. */
#ifndef HB_BASE_SHA256_H
#define HB_BASE_SHA256_H

#include "base/status.h"

/* Works `count` blocks of 64 bytes into the state. */
typedef void hb_sha256_blocks(uint32_t state[8], const uint8_t *blocks, size_t count);

extern const uint32_t hb_sha256_rounds[64];
hb_sha256_blocks hb_sha256_blocks_plain;
#if defined(__x86_64__)
hb_sha256_blocks hb_sha256_blocks_x86; /* only where hb_sha256_x86_supported() */
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

#endif
