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

#define X86_SHA        __attribute__((target("sha,sse4.1")))
#define INLINE_X86_SHA static inline __attribute__((always_inline, target("sha,sse4.1")))

/* The instructions keep the state as the halves a b e f and c d g h. */
typedef struct halves {
    __m128i abef, cdgh;
} halves;

INLINE_X86_SHA halves load(const uint32_t state[8])
{
    __m128i dcba = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xB1);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1B);

    return (halves){_mm_alignr_epi8(dcba, efgh, 8), _mm_blend_epi16(efgh, dcba, 0xF0)};
}

INLINE_X86_SHA void store(uint32_t state[8], halves s)
{
    __m128i feba = _mm_shuffle_epi32(s.abef, 0x1B), dchg = _mm_shuffle_epi32(s.cdgh, 0xB1);

    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

/* Rounds 4 x i to 4 x i + 3; w has the words of the 16 rounds before. */
INLINE_X86_SHA void turn(halves *s, __m128i w[4], const uint8_t *block, int i)
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i words;

    if (i < 4) {
        words = _mm_loadu_si128((const __m128i *)(block + 16 * i));
        words = _mm_shuffle_epi8(words, big_endian);
    } else { /* w[i % 4] holds the words of 16 rounds ago */
        __m128i last = w[(i + 3) % 4], before = w[(i + 2) % 4];

        words = _mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]);
        words = _mm_add_epi32(words, _mm_alignr_epi8(last, before, 4));
        words = _mm_sha256msg2_epu32(words, last);
    }
    w[i % 4] = words;
    words = _mm_add_epi32(words, _mm_loadu_si128((const __m128i *)(hb_sha256_rounds + 4 * i)));
    s->cdgh = _mm_sha256rnds2_epu32(s->cdgh, s->abef, words);
    s->abef = _mm_sha256rnds2_epu32(s->abef, s->cdgh, _mm_shuffle_epi32(words, 0x0E));
}

INLINE_X86_SHA halves sum(halves s, halves before)
{
    return (halves){_mm_add_epi32(s.abef, before.abef), _mm_add_epi32(s.cdgh, before.cdgh)};
}

X86_SHA void hb_sha256_blocks_x86(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    halves s = load(state);

    for (; count > 0; count--, blocks += 64) {
        const halves before = s;
        __m128i w[4];

#pragma GCC unroll 16 /* so that w stays in registers */
        for (int i = 0; i < 16; i++)
            turn(&s, w, blocks, i);
        s = sum(s, before);
    }
    store(state, s);
}

#endif
