/* digits.h - decimal numbers as models are full of them, read without branches on their length; for
 * the loops of json.c, and for number.c, which reads all that is refused here.
 *
 * How many digits a number has is random in a model, so that a loop over them costs a mispredicted
 * branch a number. Here eight bytes are looked at as one word. */
#ifndef HB_BASE_DIGITS_H
#define HB_BASE_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/inline.h"

static const uint32_t hb_small_powers[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* The powers of ten that a double holds exactly. */
static const double hb_exact_powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static inline bool hb_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Eight bytes with '0' to '9' as 0 to 9, the first one lowest. */
HB_INLINE uint64_t hb_load_digits(const char *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word ^ 0x3030303030303030u;
}

/* How many of the first bytes are digits: 0 to 8. Carries go up, behind the first other byte. */
HB_INLINE unsigned hb_count_digits(uint64_t word)
{
    uint64_t others = ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;

    return others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
}

/* The digits at the start of the eight bytes at p: how many, and their value. */
HB_INLINE unsigned hb_eight_digits(const char *p, uint64_t *value)
{
    uint64_t word = hb_load_digits(p);
    unsigned n = hb_count_digits(word);

    word = n ? word << (64 - 8 * n) : 0; /* leading zeros */
    word = word * 10 + (word >> 8);      /* pairs, in every second byte */
    *value = ((word & 0x000000FF000000FFu) * 0x000F424000000064u +
              ((word >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >>
             32;
    return n;
}

/* Reads digits from p on: returns their end. *value becomes *value x 10^n + theirs; it wraps where
 * there are more than 19. */
static inline const char *hb_read_digits(const char *p, const char *end, uint64_t *value)
{
    while (end - p >= 8) {
        uint64_t eight;
        unsigned n = hb_eight_digits(p, &eight);

        *value = *value * hb_small_powers[n] + eight;
        p += n;
        if (n < 8)
            return p;
    }
    for (; p < end && hb_is_digit(*p); p++)
        *value = *value * 10 + (uint64_t)(*p - '0');
    return p;
}

/* ---- plain numbers: a prefix of what number.h takes, for callers that know of HB_PLAIN_SIZE
 * readable bytes. 0 where the number is not plain or goes on behind; the caller then looks at it
 * again by number.h. What follows the number is the caller's to check. */
enum { HB_PLAIN_SIZE = 32 };

/* -?d{1,8} without leading zeros. */
HB_INLINE size_t hb_read_plain_integer(const char *p, int32_t *number)
{
    bool negative = *p == '-';
    uint64_t value;
    unsigned n = hb_eight_digits(p + negative, &value);

    if (n == 0 || (p[negative] == '0' && n > 1))
        return 0;
    *number = ((int32_t)value ^ -(int32_t)negative) + negative; /* no branch on the sign */
    return negative + (size_t)n;
}

/* An exponent of one or two digits, if there is one. 0: it is of another kind. */
HB_INLINE bool hb_read_plain_exponent(const char **p, int *exponent)
{
    const char *at = *p;

    *exponent = 0;
    if ((*at | 0x20) != 'e')
        return true;
    bool negative = at[1] == '-';

    at += 1 + negative;
    if (!hb_is_digit(*at))
        return false;
    *exponent = *at++ - '0';
    if (hb_is_digit(*at))
        *exponent = *exponent * 10 + (*at++ - '0');
    *exponent = (*exponent ^ -(int)negative) + negative;
    *p = at;
    return true;
}

/* -?d(.d{1,8})? with such an exponent: XGBoost's floats. The double is rounded once. */
HB_INLINE size_t hb_read_plain_double(const char *p, double *number)
{
    bool negative = *p == '-';
    const char *at = p + negative;
    uint64_t value = (uint64_t)(unsigned char)*at - '0', places = 0;
    int exponent;

    if (value > 9)
        return 0;
    if (*++at == '.') {
        unsigned n = hb_eight_digits(at + 1, &places);

        if (n == 0)
            return 0;
        value = value * hb_small_powers[n] + places;
        at += 1 + n;
        places = n;
    }
    if (!hb_read_plain_exponent(&at, &exponent))
        return 0;
    exponent -= (int)places;
    if (exponent < -22 || exponent > 22)
        return 0;
    static const double signs[] = {1, -1};
    double digits = (double)(int64_t)value * signs[negative];

    *number = exponent < 0 ? digits / hb_exact_powers[-exponent] : digits * hb_exact_powers[exponent];
    return (size_t)(at - p);
}

/* Whether a double of the fast path (0, or 1e-22 to 1e38, in float's normal range) may be rounded
 * once more: it is not exactly in the middle of two floats, where the 29 bits that a float lacks
 * are 1 and zeros. Elsewhere it is on the same side of each middle as its decimal. */
HB_INLINE bool hb_rounds_to_float(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return (bits & 0x1FFFFFFF) != 0x10000000;
}

/* The length alone of one of the above, which are far from any overflow. */
HB_INLINE size_t hb_plain_size(const char *p)
{
    const char *at = p + (*p == '-');
    int exponent;

    if (hb_is_digit(*at) && !hb_is_digit(at[1])) { /* guessed well: the next load need not wait */
        at++;
    } else {
        unsigned n = hb_count_digits(hb_load_digits(at));

        if (n == 0 || *at == '0')
            return 0;
        at += n;
    }
    if (*at == '.') {
        unsigned n = hb_count_digits(hb_load_digits(at + 1));
        if (n == 0)
            return 0;
        at += 1 + n;
    }
    return hb_read_plain_exponent(&at, &exponent) ? (size_t)(at - p) : 0;
}

#endif
