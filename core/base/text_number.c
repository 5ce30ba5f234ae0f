/* text_number.c - see text_number.h. */
#include "base/text_number.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "base/number.h"
#include "base/text.h"

/* ---- numbers to texts */

enum { FLOAT_DIGITS = 8 };

/* The first digits, and the power of ten of the first one. The C library's decimal point is the locale's: it is
 * skipped. */
static int first_digits(double number, char digits[FLOAT_DIGITS])
{
    char text[64];
    const char *p = text;
    int n = 0, exponent = 0, sign;

    (void)snprintf(text, sizeof(text), "%.*e", FLOAT_DIGITS - 1, number);
    for (; *p && *p != 'e'; p++)
        if (hb_is_digit(*p) && n < FLOAT_DIGITS)
            digits[n++] = *p;
    sign = p[0] && p[1] == '-' ? -1 : 1;
    for (p += p[0] ? 2 : 0; hb_is_digit(*p); p++)
        exponent = exponent * 10 + (*p - '0');
    return sign * exponent;
}

/* A decimal without an exponent: digits[0] stands for 10^exponent. */
static char *put_plain(char *to, const char *digits, int n, int exponent)
{
    int i = 0;

    if (exponent < 0) {
        memcpy(to, "0.", 2);
        to += 2;
        for (int k = exponent + 1; k < 0; k++)
            *to++ = '0';
    }
    for (; i < n || i <= exponent; i++) {
        if (i == exponent + 1 && i > 0)
            *to++ = '.';
        *to++ = (char)(i < n ? digits[i] : '0');
    }
    return to;
}

static char *put_scientific(char *to, const char *digits, int n, int exponent)
{
    int size = exponent < 0 ? -exponent : exponent;

    *to++ = digits[0];
    if (n > 1) {
        *to++ = '.';
        memcpy(to, digits + 1, (size_t)n - 1);
        to += n - 1;
    }
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    if (size >= 100)
        *to++ = (char)('0' + size / 100);
    *to++ = (char)('0' + size / 10 % 10);
    *to++ = (char)('0' + size % 10);
    return to;
}

hbs_text hb_text_of_float(double number, char buffer[HB_NUMBER_TEXT])
{
    char digits[FLOAT_DIGITS] = "00000000", *to = buffer;
    int n = FLOAT_DIGITS, exponent;

    if (number != number)
        return (hbs_text){"NaN", 3};
    if (signbit(number))
        *to++ = '-';
    if (isinf(number)) {
        memcpy(to, "INF", 3);
        return (hbs_text){buffer, (size_t)(to + 3 - buffer)};
    }
    exponent = first_digits(fabs(number), digits);
    while (n > 1 && digits[n - 1] == '0')
        n--;
    to = exponent < -4 || exponent >= FLOAT_DIGITS ? put_scientific(to, digits, n, exponent)
                                                   : put_plain(to, digits, n, exponent);
    return (hbs_text){buffer, (size_t)(to - buffer)};
}

hbs_text hb_text_of_integer(double number, char buffer[HB_NUMBER_TEXT])
{
    int64_t whole = fabs(number) <= 0x1p53 ? (int64_t)number : 0;

    return (hbs_text){buffer, (size_t)snprintf(buffer, HB_NUMBER_TEXT, "%" PRId64, whole)};
}

/* ---- texts to floats */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool begins_with(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);

    return (size_t)(end - p) >= n && hb_text_equal_nocase((hbs_text){p, n}, (hbs_text){word, n});
}

/* Digits of base 10 or 16, of which a point may be among. */
typedef struct significand {
    char digits[800]; /* from the first one on that is not 0; float64 needs 767.. */
    size_t n;
    bool more;        /* ..and is one of the others not 0? */
    int64_t exponent; /* of the last one kept */
    const char *end;  /* p: there is no digit */
} significand;

static int digit_of(char c, int base)
{
    if (hb_is_digit(c))
        return c - '0';
    c = (char)(c | 0x20);
    return base == 16 && c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void take_digit(significand *s, int digit, bool behind_point)
{
    if (s->n == 0 && digit == 0) {
        s->exponent -= behind_point;
        return;
    }
    if (s->n < sizeof(s->digits)) {
        s->digits[s->n++] = (char)digit;
        s->exponent -= behind_point;
        return;
    }
    s->more |= digit != 0;
    s->exponent += !behind_point;
}

static void read_significand(const char *p, const char *end, int base, significand *s)
{
    bool point = false, any = false;
    const char *at = p;

    s->n = 0;
    s->more = false;
    s->exponent = 0;
    for (; at < end && (digit_of(*at, base) >= 0 || (*at == '.' && !point)); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        any = true;
        take_digit(s, digit_of(*at, base), point);
    }
    s->end = any ? at : p;
}

/* The exponent at p, behind its letter; 0 where there is none. It saturates. */
static int64_t read_exponent(const char *p, const char *end, char letter)
{
    enum { LARGEST = 1 << 30 };
    int64_t exponent = 0;
    bool negative;

    if (p == end || (*p | 0x20) != letter)
        return 0;
    p++;
    negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    for (; p < end && hb_is_digit(*p); p++)
        exponent = exponent < LARGEST ? exponent * 10 + (*p - '0') : exponent;
    return negative ? -exponent : exponent;
}

/* Digits, one that becomes two, and an exponent. */
enum { EXPONENT_ROOM = 16, DECIMAL_TOKEN = sizeof(((significand *)0)->digits) + 2 + EXPONENT_ROOM };

/* The number of n digits times 10^exponent; false: it is beyond float64, even as the nearest one. */
static bool nearest(char *token, size_t n, int exponent, double *number)
{
    n += (size_t)snprintf(token + n, EXPONENT_ROOM, "e%d", exponent);
    return hb_read_float64(token, token + n, number, NULL) == n;
}

/* Twice the number of n digits, which become one more; the first may be 0. */
static void double_digits(char *digits, size_t n)
{
    int carry = 0;

    for (size_t i = n; i-- > 0;) {
        int twice = 2 * (digits[i] - '0') + carry;

        digits[i + 1] = (char)('0' + twice % 10);
        carry = twice / 10;
    }
    digits[0] = (char)('0' + carry);
}

/* strtod fails below the normal numbers, which it judges as if there were smaller ones with all digits: such a number
 * may still be nearest to the least normal one. Its double tells, as that is rounded to all digits. */
static bool is_normal(char token[DECIMAL_TOKEN], size_t n, int exponent, double number)
{
    double twice = 0;
    size_t skipped;

    if (number != DBL_MIN)
        return number > DBL_MIN && number <= DBL_MAX;
    double_digits(token, n);
    skipped = token[0] == '0';
    return nearest(token + skipped, n + 1 - skipped, exponent, &twice) && twice >= 2 * DBL_MIN;
}

static bool decimal_number(const char *p, const char *end, double *number)
{
    enum { FAR = 99999 };
    char token[DECIMAL_TOKEN];
    significand s;
    int64_t exponent;
    size_t n;

    read_significand(p, end, 10, &s);
    *number = 0;
    if (s.end == p || s.n == 0)
        return s.end != p;
    exponent = s.exponent + read_exponent(s.end, end, 'e') - s.more;
    exponent = exponent > FAR ? FAR : exponent < -FAR ? -FAR : exponent;
    for (n = 0; n < s.n; n++)
        token[n] = (char)('0' + s.digits[n]);
    if (s.more)
        token[n++] = '1';
    return nearest(token, n, (int)exponent, number) && is_normal(token, n, (int)exponent, *number);
}

static bool hexadecimal_number(const char *p, const char *end, double *number)
{
    enum { FAR = 4096 };
    uint64_t bits = 0;
    int64_t exponent;
    double rounded;
    bool inexact;
    significand s;
    int top;

    read_significand(p, end, 16, &s);
    *number = 0;
    if (s.end == p || s.n == 0)
        return s.end != p;
    inexact = s.more;
    exponent = 4 * s.exponent + read_exponent(s.end, end, 'p');
    for (size_t i = 0; i < s.n; i++) {
        if (bits >> 60 == 0) {
            bits = bits << 4 | (uint64_t)s.digits[i];
        } else {
            inexact |= s.digits[i] != 0;
            exponent += 4;
        }
    }
    exponent = exponent > FAR ? FAR : exponent < -FAR ? -FAR : exponent;
    rounded = (double)(bits | inexact);
    *number = ldexp(rounded, (int)exponent);
    (void)frexp(rounded, &top);
    if (top + exponent >= DBL_MIN_EXP) /* as is_normal */
        return *number <= DBL_MAX;
    return !inexact && rounded < 0x1p64 && (uint64_t)rounded == bits && ldexp(*number, -(int)exponent) == rounded;
}

static bool is_hexadecimal(const char *p, const char *end)
{
    return end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x' &&
           (digit_of(p[2], 16) >= 0 || (p[2] == '.' && end - p > 3 && digit_of(p[3], 16) >= 0));
}

static bool float_of(const char *p, const char *end, double *number)
{
    bool negative = p < end && *p == '-', found = true;

    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (begins_with(p, end, "inf"))
        *number = (double)INFINITY;
    else if (begins_with(p, end, "nan"))
        *number = (double)NAN;
    else
        found = is_hexadecimal(p, end) ? hexadecimal_number(p + 2, end, number) : decimal_number(p, end, number);
    *number = negative ? -*number : *number;
    return found;
}

/* ---- texts to integers */

/* Up to `most`, or of a negative one `least` as a magnitude. */
static bool magnitude_of(const char *p, const char *end, uint64_t most, uint64_t least, bool *negative,
                         uint64_t *magnitude)
{
    uint64_t value = 0, limit;
    const char *digits;

    *negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    limit = *negative ? least : most;
    for (digits = p; p < end && hb_is_digit(*p); p++) {
        unsigned digit = (unsigned)(*p - '0');

        if (value > limit / 10 || (value == limit / 10 && digit > limit % 10))
            return false;
        value = value * 10 + digit;
    }
    *magnitude = value;
    return p > digits;
}

static bool integer_of(const char *p, const char *end, bool is_int32, double *number)
{
    uint64_t magnitude;
    bool negative;
    int64_t whole;

    if (!magnitude_of(p, end, INT64_MAX, (uint64_t)INT64_MAX + 1, &negative, &magnitude))
        return false;
    whole = (int64_t)(negative ? 0 - magnitude : magnitude);
    *number = is_int32 ? (double)(int32_t)(uint32_t)(uint64_t)whole : (double)whole;
    return is_int32 || magnitude <= (uint64_t)1 << 53;
}

static bool truth_of(const char *p, const char *end, double *number)
{
    uint64_t magnitude;
    bool negative;

    if (!magnitude_of(p, end, UINT64_MAX, UINT64_MAX, &negative, &magnitude))
        return false;
    *number = magnitude != 0;
    return true;
}

bool hb_number_of_text(hbs_text text, hb_number_type type, double *number, hb_work *work)
{
    enum { BYTES_A_UNIT = 8 };
    const char *p = text.bytes, *end = text.size ? text.bytes + text.size : p;
    bool found;

    *number = 0;
    if (!hb_goes_on(work, 4 + text.size / BYTES_A_UNIT))
        return false;
    while (p < end && is_space(*p))
        p++;
    switch (type) {
    case HB_NUMBER_INT32:
    case HB_NUMBER_INT64:
        return integer_of(p, end, type == HB_NUMBER_INT32, number);
    case HB_NUMBER_BOOL:
        return truth_of(p, end, number);
    default:
        found = float_of(p, end, number);
        *number = type == HB_NUMBER_FLOAT32 ? (double)(float)*number : *number;
        return found;
    }
}
