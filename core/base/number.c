/* number.c - decimal text to numbers and back.
 *
 * The fast path is exact by construction: up to 19 digits make an integer; where it is at most 2^53
 * and the power of ten at most 10^22, both are doubles and one multiplication or division rounds
 * once. For a float that double is rounded again, which can go wrong only where it lies exactly in
 * the middle of two floats. All else is left to the C library under a fixed "C" locale. */
#define _GNU_SOURCE /* strtof_l, strtod_l */
#include "base/number.h"

#include "base/digits.h"
#include "base/shortest.h"
#include "base/text.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value is digits x 10^exponent, and more where `cut`. */
typedef struct decimal {
    uint64_t digits;
    int exponent;
    bool negative;
    bool cut; /* there were more than 19 significant digits */
} decimal;

enum { SIGNIFICANT = 19, LARGEST_EXPONENT = 99999 };

/* The same digits again, for numbers of more than 19: leading zeros do not count. */
static void collect_digits(const char *p, const char *end, decimal *number)
{
    int taken = 0;
    bool point = false;

    number->digits = 0;
    number->exponent = 0;
    for (; p < end; p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        if (taken < SIGNIFICANT) {
            number->digits = number->digits * 10 + (uint64_t)(*p - '0');
            taken += number->digits != 0;
            number->exponent -= point;
        } else {
            number->cut |= *p != '0';
            number->exponent += !point;
        }
    }
}

/* 0 where digits are missing; *exponent saturates. */
static size_t scan_exponent(const char *p, const char *end, int *exponent)
{
    const char *at = p + 1;
    bool negative = at < end && *at == '-';
    int value = 0;

    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end || !hb_is_digit(*at))
        return 0;
    for (; at < end && hb_is_digit(*at); at++)
        if (value < LARGEST_EXPONENT)
            value = value * 10 + (*at - '0');
    *exponent = negative ? -value : value;
    return (size_t)(at - p);
}

/* The length of the number at the start of [p, end), 0 where there is none. Not strict: leading
 * zeros and a missing integer part or fraction pass, as SQL has it. */
static size_t scan_number(const char *p, const char *end, bool strict, decimal *number)
{
    const char *at = p;

    if (end - p > HB_MAX_NUMBER_SIZE + 1)
        end = p + HB_MAX_NUMBER_SIZE + 1;
    *number = (decimal){.negative = at < end && *at == '-'};
    at += number->negative;

    const char *digits = at;
    uint64_t value = 0; /* wraps only where collect_digits corrects it */
    at = hb_read_digits(at, end, &value);
    size_t count = (size_t)(at - digits);
    if (strict && (count == 0 || (count > 1 && *digits == '0')))
        return 0;
    if (at < end && *at == '.') {
        const char *fraction = ++at;

        at = hb_read_digits(at, end, &value);
        size_t places = (size_t)(at - fraction);
        if (strict && places == 0)
            return 0;
        count += places;
        number->exponent = -(int)places;
    }
    if (count == 0)
        return 0;
    number->digits = value;
    if (count > SIGNIFICANT)
        collect_digits(digits, at, number);
    if (at < end && (*at == 'e' || *at == 'E')) {
        int exponent;
        size_t length = scan_exponent(at, end, &exponent);

        if (length == 0)
            return 0;
        at += length;
        number->exponent += exponent;
    }
    return at - p > HB_MAX_NUMBER_SIZE ? 0 : (size_t)(at - p);
}

/* Exactly rounded, or false where the fast path does not apply. */
static bool to_float64_fast(const decimal *number, double *result)
{
    double value = (double)number->digits;

    if (number->cut || number->digits > (uint64_t)1 << 53 || FLT_EVAL_METHOD != 0)
        return false;
    if (number->digits != 0) {
        if (number->exponent < -22 || number->exponent > 22)
            return false;
        if (number->exponent < 0)
            value /= hb_exact_powers[-number->exponent];
        else
            value *= hb_exact_powers[number->exponent];
    }
    *result = number->negative ? -value : value;
    return true;
}

static bool to_float32_fast(const decimal *number, float *result)
{
    double value;

    if (!to_float64_fast(number, &value) || !hb_rounds_to_float(value))
        return false;
    *result = (float)value;
    return true;
}

/* strtod's grammar is wider than ours, but the token was scanned already; no locale has a say. */
static double to_float_slow(const char *token, size_t size, bool single)
{
    char text[HB_MAX_NUMBER_SIZE + 1];
    int saved = errno;
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* glibc: a static object */
    double value;

    memcpy(text, token, size);
    text[size] = '\0';
    value = single ? (double)strtof_l(text, NULL, c_locale) : strtod_l(text, NULL, c_locale);
    freelocale(c_locale);
    errno = saved;
    return value;
}

static float to_float32(const decimal *number, const char *token, size_t size)
{
    float value;

    return to_float32_fast(number, &value) ? value : (float)to_float_slow(token, size, true);
}

static double to_float64(const decimal *number, const char *token, size_t size)
{
    double value;

    return to_float64_fast(number, &value) ? value : to_float_slow(token, size, false);
}

size_t hb_read_float32(const char *p, const char *end, float *number, bool *overflow)
{
    decimal parts;
    size_t size = scan_number(p, end, true, &parts);

    if (size == 0)
        return 0;
    *number = to_float32(&parts, p, size);
    if (overflow)
        *overflow = isinf(*number);
    return size;
}

size_t hb_read_float64(const char *p, const char *end, double *number, bool *overflow)
{
    decimal parts;
    size_t size = scan_number(p, end, true, &parts);

    if (size == 0)
        return 0;
    *number = to_float64(&parts, p, size);
    if (overflow)
        *overflow = isinf(*number);
    return size;
}

/* The digits in [p, end) as an integer: false where it does not fit. */
static bool digits_to_int64(const char *p, const char *end, bool negative, int64_t *number)
{
    uint64_t value = 0, most = (uint64_t)INT64_MAX + negative;

    for (; p < end; p++) {
        unsigned digit = (unsigned)(*p - '0');

        if (value > (most - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *number = negative ? (int64_t)(0 - value) : (int64_t)value;
    return true;
}

size_t hb_read_int64(const char *p, const char *end, int64_t *number)
{
    bool negative = p < end && *p == '-';
    const char *digits = p + negative, *at = digits;

    while (at < end && hb_is_digit(*at) && at - p <= HB_MAX_NUMBER_SIZE)
        at++;
    if (at == digits || (*digits == '0' && at - digits > 1))
        return 0;
    if (at < end && (*at == '.' || *at == 'e' || *at == 'E' || hb_is_digit(*at)))
        return 0;
    return digits_to_int64(digits, at, negative, number) ? (size_t)(at - p) : 0;
}

size_t hb_number_size(const char *p, const char *end, bool *overflow)
{
    decimal parts;
    size_t size = scan_number(p, end, true, &parts);

    *overflow = size > 0 && parts.digits != 0 && parts.exponent > DBL_MAX_10_EXP - SIGNIFICANT &&
                isinf(to_float64(&parts, p, size));
    return size;
}

static decimal without_zeros(decimal parts)
{
    for (; parts.digits != 0 && parts.digits % 10 == 0; parts.digits /= 10)
        parts.exponent++;
    return parts;
}

size_t hb_infinity_size(const char *p, const char *end)
{
    decimal parts;
    size_t size = scan_number(p, end, true, &parts);

    parts = without_zeros(parts);
    return size && parts.digits == 9 && parts.exponent == 999 && !parts.cut ? size : 0;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool text_is_word(hbs_text text, const char *word)
{
    return hb_text_equal_nocase(text, (hbs_text){word, strlen(word)});
}

/* nan, inf, infinity; `text` is behind the sign. */
static bool text_is_special(hbs_text text, bool negative, hbs_value *number)
{
    bool nan = text_is_word(text, "nan");

    if (!nan && !text_is_word(text, "inf") && !text_is_word(text, "infinity"))
        return false;
    *number = (hbs_value){.type = HBS_FLOAT64};
    number->as.f64 = nan ? (double)NAN : (negative ? -(double)INFINITY : (double)INFINITY);
    return true;
}

/* digits x 10^exponent, where that is a whole number within int64. */
static bool decimal_to_int64(const decimal *parts, bool negative, int64_t *number)
{
    uint64_t value = parts->digits, most = (uint64_t)INT64_MAX + negative;
    int exponent = parts->exponent;

    if (parts->cut)
        return false; /* it has a fraction, or is beyond int64 */
    for (; exponent < 0 && value != 0; exponent++, value /= 10)
        if (value % 10 != 0)
            return false;
    for (; exponent > 0 && value != 0; exponent--, value *= 10)
        if (value > most / 10)
            return false;
    if (value > most)
        return false;
    *number = negative ? (int64_t)(0 - value) : (int64_t)value;
    return true;
}

/* hb_text_number; *parts has the digits where the number becomes a double. */
static bool read_text(hbs_text text, hbs_value *number, decimal *parts)
{
    const char *p = text.bytes, *end = text.size ? text.bytes + text.size : p;
    int64_t integer;

    while (p < end && is_space(*p))
        p++;
    while (end > p && is_space(end[-1]))
        end--;
    if (p == end)
        return false;
    bool negative = *p == '-';
    const char *digits = p + (negative || *p == '+');
    if (text_is_special((hbs_text){digits, (size_t)(end - digits)}, negative, number))
        return true;
    while (end - digits > 1 && digits[0] == '0' && hb_is_digit(digits[1]))
        digits++;
    size_t size = scan_number(digits, end, false, parts);
    if (size == 0 || size != (size_t)(end - digits) || parts->negative)
        return false;

    const char *at = digits;
    while (at < end && hb_is_digit(*at))
        at++;
    if (at == end && digits_to_int64(digits, end, negative, &integer)) {
        *number = (hbs_value){.type = HBS_INT64, .as.i64 = integer};
        return true;
    }
    double value = to_float64(parts, digits, size);
    *number = (hbs_value){.type = HBS_FLOAT64, .as.f64 = negative ? -value : value};
    return !isinf(value);
}

bool hb_text_number(hbs_text text, hbs_value *number)
{
    decimal parts;

    return read_text(text, number, &parts);
}

/* Whether the text is the shortest one of a double, with an exponent: "1.152921504606847e+18" for 2^60. */
static bool is_written_double(hbs_text text, const decimal *parts, double number)
{
    char buffer[32];
    decimal written, read = without_zeros(*parts);

    if (!memchr(text.bytes, 'e', text.size) && !memchr(text.bytes, 'E', text.size))
        return false;
    scan_number(buffer, buffer + hb_format_float64(fabs(number), buffer), false, &written);
    written = without_zeros(written);
    return written.digits == read.digits && written.exponent == read.exponent && !read.cut;
}

bool hb_text_exact_number(hbs_text text, hbs_value *number, bool *exact)
{
    decimal parts;
    int64_t whole;

    *exact = true;
    if (!read_text(text, number, &parts))
        return false;
    if (number->type == HBS_INT64 || !(fabs(number->as.f64) >= HB_LEAST_ROUNDED && fabs(number->as.f64) <= 0x1p63) ||
        is_written_double(text, &parts, number->as.f64))
        return true;
    if (decimal_to_int64(&parts, number->as.f64 < 0, &whole))
        *number = (hbs_value){.type = HBS_INT64, .as.i64 = whole};
    else
        *exact = number->as.f64 == 0x1p63; /* above int64 */
    return true;
}

bool hb_is_whole(double real, int64_t *whole)
{
    if (!(real >= -0x1p63 && real < 0x1p63) || real != floor(real))
        return false;
    *whole = (int64_t)real;
    return true;
}

bool hb_is_same_number(double real, int64_t whole)
{
    int64_t same;

    return hb_is_whole(real, &same) && same == whole;
}

/* ------------------------------------------------------------------ to text */

__extension__ typedef unsigned __int128 wide;

/* A number's decimal digits, the first one not 0: d.ddd x 10^exponent. */
enum { MOST_DIGITS = 17 };

typedef struct digits {
    char text[MOST_DIGITS];
    int count;
    int exponent;
} digits;

static const char two_digits[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                 "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                 "8081828384858687888990919293949596979899";

/* Eight digits of a number below 10^8 as 0 to 9, the first one lowest: halves, pairs and digits all at once. */
HB_INLINE uint64_t eight_digits(uint32_t number)
{
    uint64_t word = number / 10000 | (uint64_t)(number % 10000) << 32;
    uint64_t tens = (word * 10486 >> 20) & 0x0000007F0000007Fu;

    word = tens | (word - tens * 100) << 16;
    tens = (word * 103 >> 10) & 0x000F000F000F000Fu;
    return tens | (word - tens * 10) << 8;
}

HB_INLINE void store_digits(uint64_t word, char *to)
{
    word |= 0x3030303030303030u;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(to, &word, sizeof(word));
}

/* number x 10^exponent, of at most 17 digits. They are written without a branch on how many there are: of probabilities
 * that is random. Behind them are zeros. */
static digits digits_of(uint64_t number, int exponent)
{
    enum { EIGHT = 100000000 };

    uint64_t high = number / EIGHT, first = high / EIGHT;
    uint64_t middle = eight_digits((uint32_t)(high % EIGHT)), last = eight_digits((uint32_t)(number % EIGHT));
    digits d = {.count = MOST_DIGITS};

    if (!first) {
        wide all = (wide)last << 64 | middle;
        unsigned zeros = middle ? (unsigned)__builtin_ctzll(middle) / 8
                         : last ? (unsigned)__builtin_ctzll(last) / 8 + 8
                                : 16;

        all = zeros < 16 ? all >> 8 * zeros : 0;
        first = (uint64_t)all & 0xff;
        middle = (uint64_t)(all >> 8);
        last = (uint64_t)(all >> 72);
        d.count = 16 - (int)zeros;
    }
    d.exponent = exponent + d.count - 1;
    d.text[0] = (char)('0' + first);
    store_digits(middle, d.text + 1);
    store_digits(last, d.text + 9);
    return d;
}

/* `count` digits by the C library; its decimal point is the locale's and is skipped. */
static digits round_to_digits(double number, int count)
{
    char text[64];
    digits d = {.count = 0};
    const char *p = text;

    (void)snprintf(text, sizeof text, "%.*e", count - 1, number);
    for (; *p && *p != 'e'; p++)
        if (hb_is_digit(*p) && d.count < count)
            d.text[d.count++] = *p;
    d.exponent = *p == 'e' ? atoi(p + 1) : 0;
    return d;
}

/* One more in the last digit. */
static digits round_up(digits d)
{
    int i = d.count - 1;

    while (i >= 0 && d.text[i] == '9')
        d.text[i--] = '0';
    if (i >= 0) {
        d.text[i]++;
    } else {
        d.text[0] = '1';
        d.exponent++;
    }
    return d;
}

/* The digits rounded again, halves up. */
static digits shorten_digits(digits d, int count)
{
    d.count = count;
    return d.text[count] >= '5' ? round_up(d) : d;
}

/* "e-05", "e+123". */
static char *put_exponent(char *to, int exponent)
{
    int size = abs(exponent);

    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    if (size >= 100)
        *to++ = (char)('0' + size / 100);
    memcpy(to, &two_digits[size % 100 * 2], 2);
    return to + 2;
}

/* Python's repr: a plain decimal from 1e-4 up to 1e16, else with an exponent. As many digits are copied as there may
 * be; what is behind the last one is overwritten. */
static size_t lay_out(const digits *d, bool negative, char *buffer)
{
    char *to = buffer;

    if (negative)
        *to++ = '-';
    if (d->exponent < -4 || d->exponent >= 16) {
        *to++ = d->text[0];
        if (d->count > 1) {
            *to++ = '.';
            memcpy(to, d->text + 1, MOST_DIGITS - 1);
            to += d->count - 1;
        }
        to = put_exponent(to, d->exponent);
    } else if (d->exponent < 0) {
        memcpy(to, "0.000", 5);
        to += 1 - d->exponent;
        memcpy(to, d->text, MOST_DIGITS);
        to += d->count;
    } else {
        int whole = d->exponent + 1;

        for (int i = 0; i < whole || i <= d->count - 1 || i == whole; i++) {
            if (i == whole)
                *to++ = '.';
            *to++ = i < d->count ? d->text[i] : '0';
        }
    }
    *to = '\0';
    return (size_t)(to - buffer);
}

/* Writes the digits without zeros at their end: the length, or 0 where they are not this number. */
static size_t try_digits(digits d, double number, char *buffer)
{
    double again = 0;

    while (d.count > 1 && d.text[d.count - 1] == '0')
        d.count--;
    size_t size = lay_out(&d, signbit(number) != 0, buffer);

    return hb_read_float64(buffer, buffer + size, &again, NULL) == size && again == number ? size : 0;
}

/* 15 digits are enough for each number that was written with so many; else 16 often are, and 17
 * always. The C library is slow and asked once, and again only where rounding its 17 digits to 16
 * could be wrong. */
static size_t format_normal(double number, char *buffer)
{
    int exponent;
    digits all = round_to_digits(fabs(number), MOST_DIGITS), d16;
    size_t size = try_digits(shorten_digits(all, 15), number, buffer);

    if (size > 0)
        return size;
    d16 = all.text[16] == '5' ? round_to_digits(fabs(number), 16) : shorten_digits(all, 16);
    size = try_digits(d16, number, buffer);
    /* Doubles are twice as dense below a power of two as above it: the nearest 16 digits can be too
     * far below, and the next ones still near enough above. */
    if (size == 0 && fabs(frexp(number, &exponent)) == 0.5)
        size = try_digits(round_up(d16), number, buffer);
    return size > 0 ? size : try_digits(all, number, buffer);
}

static size_t format_denormal(double number, char *buffer)
{
    size_t size = 0;

    for (int count = 1; size == 0 && count <= MOST_DIGITS; count++)
        size = try_digits(round_to_digits(fabs(number), count), number, buffer);
    return size;
}

/* Writes a whole number of at most 15 digits. */
static size_t format_whole(double number, char *buffer)
{
    digits d = digits_of((uint64_t)fabs(number), 0);

    if (d.count == 0)
        d = (digits){.text = {'0'}, .count = 1};
    return lay_out(&d, signbit(number) != 0, buffer);
}

size_t hb_format_float64(double number, char buffer[32])
{
    uint64_t decimal;
    int exponent;

    if (isnan(number))
        return (size_t)snprintf(buffer, 32, "NaN");
    if (isinf(number))
        return (size_t)snprintf(buffer, 32, "%sInfinity", number < 0 ? "-" : "");
    if (fabs(number) < 1e15 && number == (double)(int64_t)number)
        return format_whole(number, buffer);
    if (hb_shortest_digits(fabs(number), &decimal, &exponent)) {
        digits d = digits_of(decimal, exponent);

        return lay_out(&d, number < 0, buffer);
    }
    return fabs(number) < DBL_MIN ? format_denormal(number, buffer) : format_normal(number, buffer);
}
