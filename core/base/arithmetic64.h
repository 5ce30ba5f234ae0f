/* arithmetic64.h - the functions of base/arithmetic.h of one number, of two and of several, in float64: the one place
 * where each is written down. Kernels make loops of them, and readers compute a file's constants by them. Every NaN
 * that is made becomes the same one when it is rounded. */
#ifndef HB_BASE_ARITHMETIC64_H
#define HB_BASE_ARITHMETIC64_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/bessel64.h"
#include "base/elementary64.h"
#include "base/logarithms64.h"
#include "base/quantile64.h"
#include "base/tanh64.h"
#include "base/trigonometry64.h"

#define HB_LARGEST_INTEGER 9007199254740992.0 /* 2^53 */

/* Modulo 2^32, as a signed number; what no integer of 53 bits is becomes infinite. */
static inline double hb_int32_of(double x)
{
    return fabs(x) < HB_LARGEST_INTEGER ? (double)(int32_t)(uint32_t)(uint64_t)(int64_t)x : INFINITY;
}

/* The whole number whose last bits are those of u, of a type as HB_ROUND_WRAP_.. names it. */
static inline double hb_wrap(hb_rounding type, uint64_t u)
{
    switch (type) {
    case HB_ROUND_WRAP_INT8:
        return (double)(int8_t)(uint8_t)u;
    case HB_ROUND_WRAP_INT16:
        return (double)(int16_t)(uint16_t)u;
    case HB_ROUND_WRAP_INT32:
        return (double)(int32_t)(uint32_t)u;
    case HB_ROUND_WRAP_UINT8:
        return (double)(uint8_t)u;
    case HB_ROUND_WRAP_UINT16:
        return (double)(uint16_t)u;
    case HB_ROUND_WRAP_UINT32:
        return (double)(uint32_t)u;
    case HB_ROUND_WRAP_UINT64:
        return (double)u;
    default:
        return (double)(int64_t)u;
    }
}

static inline bool hb_wraps(hb_rounding rounding)
{
    return rounding >= HB_ROUND_WRAP_INT8 && rounding < HB_N_ROUNDINGS;
}

/* The functions that have such types. */
static inline bool hb_has_wrapped(hb_map_function function)
{
    return function == HB_MAP_SQUARE || function == HB_MAP_NEGATIVE || function == HB_MAP_ABSOLUTE ||
           function == HB_MAP_RECIPROCAL;
}

/* One over 0 is infinite, since processors differ in what they make of it. */
static inline double hb_map_wrapped(hb_map_function function, hb_rounding type, double v)
{
    bool whole = fabs(v) <= HB_LARGEST_INTEGER && v == trunc(v);
    uint64_t u = whole ? (uint64_t)(int64_t)v : 0;

    if (v != v)
        return NAN;
    if (fabs(v) > HB_LARGEST_INTEGER || (whole && hb_wrap(type, u) != v))
        return INFINITY;
    switch (function) {
    case HB_MAP_SQUARE:
        return whole ? hb_wrap(type, u * u) : v * v;
    case HB_MAP_NEGATIVE:
        return whole ? hb_wrap(type, 0 - u) : -v;
    case HB_MAP_ABSOLUTE:
        return whole ? hb_wrap(type, v < 0 ? 0 - u : u) : fabs(v);
    case HB_MAP_RECIPROCAL:
        return !whole ? 1 / v : v == 0 ? INFINITY : fabs(v) == 1 ? v : 0;
    default:
        return v;
    }
}

static inline double hb_logistic_of(double x)
{
    double e = hb_exp64(-fabs(x));

    return x != x ? NAN : x < 0 ? e / (1 + e) : 1 / (1 + e);
}

/* log(1 + exp(x)) without an overflow. */
static inline double hb_softplus_of(double x)
{
    return x != x ? NAN : (x > 0 ? x : 0) + hb_log1p64(hb_exp64(-fabs(x)));
}

static inline double hb_clip_of(double x, double low, double high)
{
    double least = x < low ? low : x;

    return least > high ? high : least;
}

/* By squaring; the exponent is whole and below 2^31. */
static inline double hb_whole_power_of(double x, double exponent)
{
    double result = 1;

    for (uint32_t e = (uint32_t)fabs(exponent); e; e >>= 1) {
        if (e & 1)
            result *= x;
        x *= x;
    }
    return exponent < 0 ? 1 / result : result;
}

/* Takes the logarithm, for any exponent: the C library's pow has other bits on other CPUs. */
static inline double hb_log_power_of(double x, double exponent)
{
    bool whole = exponent == trunc(exponent), odd = fabs(exponent) < HB_LARGEST_INTEGER && fmod(exponent, 2) != 0;
    double result = hb_exp64(exponent * hb_log64(fabs(x)));

    if (x != x || exponent != exponent || (x < 0 && !whole && fabs(x) <= DBL_MAX))
        return NAN;
    return x < 0 && odd ? -result : result;
}

static inline double hb_power_of(double x, double exponent)
{
    enum { MOST = 64 };

    if (exponent == 0 || x == 1)
        return 1;
    if (fabs(exponent) <= MOST && exponent == trunc(exponent))
        return hb_whole_power_of(x, exponent);
    if (exponent == 0.5)
        return x == -INFINITY ? INFINITY : sqrt(x) + 0.0;
    return hb_log_power_of(x, exponent);
}

static inline double hb_modulo_of(double x, double divisor)
{
    double rest = divisor == 0 ? NAN : fmod(x, divisor);

    return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
}

static inline double hb_maximum_of(double l, double r)
{
    return l != l || r != r ? NAN : l > r ? l : r;
}

static inline double hb_minimum_of(double l, double r)
{
    return l != l || r != r ? NAN : l < r ? l : r;
}

/* The nearest number of float16, of two that are as near the even one. */
static inline double hb_half_of(double v)
{
    enum { MORE_BITS = 52 - 10 };
    double size = fabs(v);
    uint64_t bits;

    if (!(size < 65520)) /* also NaN */
        return v == v ? copysign(INFINITY, v) : v;
    if (size < 0x1p-14) /* whose last bits are all 2^-24 */
        return copysign(size + 0x1p28 - 0x1p28, v);
    memcpy(&bits, &v, sizeof(bits));
    bits += ((uint64_t)1 << (MORE_BITS - 1)) - 1 + (bits >> MORE_BITS & 1);
    bits &= ~(((uint64_t)1 << MORE_BITS) - 1);
    memcpy(&v, &bits, sizeof(v));
    return v;
}

/* clang-format off */

/* X(function, its result of v; a and b are numbers[0] and numbers[1]): all but HB_MAP_LINEAR, which rounds twice. */
#define HB_MAPPED(X) \
    X(HB_MAP_ABSOLUTE,    fabs(v)) \
    X(HB_MAP_NEGATIVE,    -v) \
    X(HB_MAP_SQUARE_ROOT, v >= 0 ? sqrt(v) : NAN) \
    X(HB_MAP_EXP,         v == v ? hb_exp64(v) : NAN) \
    X(HB_MAP_LOG,         v == v ? hb_log64(v) : NAN) \
    X(HB_MAP_RECIPROCAL,  1 / v) \
    X(HB_MAP_FLOOR,       floor(v)) \
    X(HB_MAP_CEIL,        ceil(v)) \
    X(HB_MAP_NEAREST,     rint(v)) \
    X(HB_MAP_TRUNCATE,    trunc(v)) \
    X(HB_MAP_SIGN,        v == v ? (double)((v > 0) - (v < 0)) : NAN) \
    X(HB_MAP_LOGISTIC,    hb_logistic_of(v)) \
    X(HB_MAP_TANH,        hb_tanh64(v)) \
    X(HB_MAP_SOFTPLUS,    hb_softplus_of(v)) \
    X(HB_MAP_ERF,         v == v ? hb_erf64(v) : NAN) \
    X(HB_MAP_CLIP,        hb_clip_of(v, numbers[0], numbers[1])) \
    X(HB_MAP_NOT,         (double)(v == 0)) \
    X(HB_MAP_TRUTH,       (double)(v != 0)) \
    X(HB_MAP_IS_NAN,      (double)(v != v)) \
    X(HB_MAP_SAME,        v) \
    X(HB_MAP_LOG1P,       hb_log1p64(v)) \
    X(HB_MAP_EXPM1,       hb_expm1_64(v)) \
    X(HB_MAP_LOG2,        hb_log2_64(v)) \
    X(HB_MAP_LOG10,       hb_log10_64(v)) \
    X(HB_MAP_EXP2,        hb_exp2_64(v)) \
    X(HB_MAP_SQUARE,      v * v) \
    X(HB_MAP_CUBIC_ROOT,  hb_cbrt64(v)) \
    X(HB_MAP_IS_FINITE,   (double)(fabs(v) <= DBL_MAX)) \
    X(HB_MAP_SINE,        hb_sin64(v)) \
    X(HB_MAP_COSINE,      hb_cos64(v)) \
    X(HB_MAP_TANGENT,     hb_tan64(v)) \
    X(HB_MAP_ARCSINE,     hb_arcsin64(v)) \
    X(HB_MAP_ARCCOSINE,   hb_arccos64(v)) \
    X(HB_MAP_ARCTANGENT,  hb_arctan64(v)) \
    X(HB_MAP_SINH,        hb_sinh64(v)) \
    X(HB_MAP_COSH,        hb_cosh64(v)) \
    X(HB_MAP_ARCSINH,     hb_arcsinh64(v)) \
    X(HB_MAP_ARCCOSH,     hb_arccosh64(v)) \
    X(HB_MAP_ARCTANH,     hb_arctanh64(v)) \
    X(HB_MAP_NORMAL_QUANTILE, hb_normal_quantile64(v)) \
    X(HB_MAP_HALF,        hb_half_of(v))

/* X(function, its result of l and r) */
#define HB_COMBINED(X) \
    X(HB_COMBINE_ADD,              l + r) \
    X(HB_COMBINE_SUBTRACT,         l - r) \
    X(HB_COMBINE_MULTIPLY,         l * r) \
    X(HB_COMBINE_DIVIDE,           l / r) \
    X(HB_COMBINE_DIVIDE_WHOLE,     trunc(l / r)) \
    X(HB_COMBINE_POWER,            hb_power_of(l, r)) \
    X(HB_COMBINE_MODULO,           hb_modulo_of(l, r)) \
    X(HB_COMBINE_REMAINDER,        fmod(l, r)) \
    X(HB_COMBINE_MAXIMUM,          hb_maximum_of(l, r)) \
    X(HB_COMBINE_MINIMUM,          hb_minimum_of(l, r)) \
    X(HB_COMBINE_EQUAL,            (double)(l == r)) \
    X(HB_COMBINE_LESS,             (double)(l < r)) \
    X(HB_COMBINE_LESS_OR_EQUAL,    (double)(l <= r)) \
    X(HB_COMBINE_GREATER,          (double)(l > r)) \
    X(HB_COMBINE_GREATER_OR_EQUAL, (double)(l >= r)) \
    X(HB_COMBINE_AND,              (double)(l != 0 && r != 0)) \
    X(HB_COMBINE_OR,               (double)(l != 0 || r != 0)) \
    X(HB_COMBINE_XOR,              (double)((l != 0) != (r != 0))) \
    X(HB_COMBINE_BESSEL_K,         hb_bessel_k64(l, r))

/* clang-format on */

/* One number, rounded (base/arithmetic.c). */
double hb_round_number(hb_rounding rounding, double x);
double hb_map_number(hb_map_function function, hb_rounding rounding, const double numbers[2], double x);
double hb_combine_numbers(hb_combine_function function, hb_rounding rounding, double l, double r);
/* Of x[0], .. x[n - 1]. */
double hb_reduce_numbers(hb_reduce_function function, hb_rounding rounding, const double *x, size_t n);

#endif
