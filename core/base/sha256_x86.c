/* sha256_x86.c - SHA-256 blocks by the SHA instructions of x86-64: four rounds a step. */
#include "base/sha256.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

/* Neither gcc 12 nor clang 14 knows "sha" in __builtin_cpu_supports. */
bool hb_sha256_x86_supported(void)
{
    const unsigned ssse3 = 1u << 9, sse41 = 1u << 19, sha = 1u << 29;
    unsigned a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & ssse3) || !(c & sse41))
        return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & sha);
}

/* The instructions keep the state as the halves a b e f and c d g h. */
__attribute__((target("sha,sse4.1"))) void hb_sha256_blocks_x86(uint32_t state[8],
                                                                const uint8_t *blocks, size_t count)
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i dcba = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xB1);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1B);
    __m128i abef = _mm_alignr_epi8(dcba, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, dcba, 0xF0);

    for (; count > 0; count--, blocks += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i w[4];

#pragma GCC unroll 16 /* so that w stays in registers */
        for (int i = 0; i < 16; i++) {
            __m128i words;

            if (i < 4) {
                words = _mm_loadu_si128((const __m128i *)(blocks + 16 * i));
                words = _mm_shuffle_epi8(words, big_endian);
            } else { /* w[i % 4] holds the words of 16 rounds ago */
                __m128i last = w[(i + 3) % 4], before = w[(i + 2) % 4];

                words = _mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]);
                words = _mm_add_epi32(words, _mm_alignr_epi8(last, before, 4));
                words = _mm_sha256msg2_epu32(words, last);
            }
            w[i % 4] = words;
            words =
                _mm_add_epi32(words, _mm_loadu_si128((const __m128i *)(hb_sha256_rounds + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, words);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(words, 0x0E));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);

    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#endif
