/* number.h - decimal text to numbers and back, independent of the locale.
 *
 * Decimals are rounded once, directly to the wanted type (decimal -> float never goes through an
 * already rounded double), to nearest, ties to even, as the training libraries' own parsers do. */
#ifndef HB_BASE_NUMBER_H
#define HB_BASE_NUMBER_H

#include "base/status.h"

/* Reads one JSON number (RFC 8259: -?int frac? exp?) at the start of [p, end) and gives its length;
 * 0 where there is none, and for "01", "1." and "1e", too, whose beginning is one. No leading +, no
 * hex, no NaN. Underflow gives a denormal or 0, overflow an infinity and *overflow = true (may be
 * NULL). Fast for up to 19 digits; any number of digits up to HB_MAX_NUMBER_SIZE bytes is right
 * (longer ones: 0). */
enum { HB_MAX_NUMBER_SIZE = 1024 };
size_t hb_read_float32(const char *p, const char *end, float *number, bool *overflow);
size_t hb_read_float64(const char *p, const char *end, double *number, bool *overflow);
/* The length alone; *overflow (not NULL) as hb_read_float64 says. */
size_t hb_number_size(const char *p, const char *end, bool *overflow);
/* The length of a number equal to 9e999 or -9e999, SQLite's infinity, in any spelling; 0 for other numbers. */
size_t hb_infinity_size(const char *p, const char *end);
/* -?[0-9]+ without leading zeros; 0 where there is none, where it does not fit, and where a
 * '.', 'e' or 'E' follows. */
size_t hb_read_int64(const char *p, const char *end, int64_t *number);

/* The same for the whole text with SQL's freedoms: white space around it, a leading '+', leading
 * zeros, "1." and ".5". An integer that fits becomes HBS_INT64, all else HBS_FLOAT64; also nan,
 * inf, infinity in any case, with a sign. False where the text is no number; 1e999 is none. */
bool hb_text_number(hbs_text text, hbs_value *number);

/* hb_text_number for a number that is looked up by its value. From 2^52 on doubles have no fractions. There a whole
 * number within int64 becomes HBS_INT64 in any spelling ("9007199254740993.0", "9.007199254740993e15"); for a number
 * with a fraction *exact is false, since the double is another number. "1.152921504606847e+18" becomes the double 2^60,
 * which writers of doubles write so. Beyond int64 a number becomes the nearest double, as categories there are doubles
 * only. */
bool hb_text_exact_number(hbs_text text, hbs_value *number, bool *exact);

/* Whether a double is a whole number within int64. */
bool hb_is_whole(double real, int64_t *whole);
/* Whether the double is exactly this whole number. */
bool hb_is_same_number(double real, int64_t whole);

/* From here on doubles have no fractions: a decimal fraction is rounded, and from 2^53 on a whole number may be. */
#define HB_LEAST_ROUNDED 0x1p52

/* Shortest round-trip text of a double, as hbs_format_double documents, but without quotes round
 * nan and infinities ("NaN", "Infinity", "-Infinity"). */
size_t hb_format_float64(double number, char buffer[32]);

#endif
