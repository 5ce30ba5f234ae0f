/* arithmetic.h - what the operators map, combine and reduce compute with float64 numbers that hold a value of another
 * type: a float32, an integer or a truth value (0, 1). Each operation is done in float64 and rounded to the type: of
 * one addition, subtraction, product, quotient or root of float32 numbers that is the float32 result, bit by bit. */
#ifndef HB_BASE_ARITHMETIC_H
#define HB_BASE_ARITHMETIC_H

#include <stdint.h>

/* The type of a result. Integers of 2^53 and beyond, which float64 does not tell apart, become infinite, and so does
 * what is divided by the integer 0: a guard refuses them. */
typedef enum hb_rounding {
    HB_ROUND_NONE,    /* float64, truth values */
    HB_ROUND_FLOAT32, /* once, to even */
    HB_ROUND_INT32,   /* modulo 2^32 */
    HB_ROUND_INT64,
    HB_ROUND_WHOLE, /* int64 of a function that rounds none, so that 2^53 is one */
    /* numpy's integers, which begin again at the other end; only square, negative, absolute and reciprocal of map have
     * them. The result is exact before it becomes a float64. A whole number that the type, or float64 up to 2^53, does
     * not hold becomes infinite; other numbers are computed with in float64. */
    HB_ROUND_WRAP_INT8,
    HB_ROUND_WRAP_INT16,
    HB_ROUND_WRAP_INT32,
    HB_ROUND_WRAP_INT64,
    HB_ROUND_WRAP_UINT8,
    HB_ROUND_WRAP_UINT16,
    HB_ROUND_WRAP_UINT32,
    HB_ROUND_WRAP_UINT64,
    HB_N_ROUNDINGS
} hb_rounding;

/* Functions of one number x; a and b are the operator's own. */
typedef enum hb_map_function {
    HB_MAP_ABSOLUTE,
    HB_MAP_NEGATIVE,
    HB_MAP_SQUARE_ROOT,
    HB_MAP_EXP,
    HB_MAP_LOG,
    HB_MAP_RECIPROCAL,
    HB_MAP_FLOOR,
    HB_MAP_CEIL,
    HB_MAP_NEAREST, /* half to even */
    HB_MAP_TRUNCATE,
    HB_MAP_SIGN,
    HB_MAP_LOGISTIC, /* 1 / (1 + exp(-x)) */
    HB_MAP_TANH,
    HB_MAP_SOFTPLUS, /* log(1 + exp(x)) */
    HB_MAP_ERF,      /* the error function */
    HB_MAP_CLIP,     /* to [a, b]; NaN stays */
    HB_MAP_LINEAR,   /* x * a + b, rounded after the product too */
    HB_MAP_NOT,      /* 1 where x is 0 */
    HB_MAP_TRUTH,    /* 1 where x is not 0: also of NaN */
    HB_MAP_IS_NAN,
    HB_MAP_SAME,
    HB_MAP_LOG1P, /* log(1 + x) */
    HB_MAP_EXPM1, /* exp(x) - 1 */
    HB_MAP_LOG2,
    HB_MAP_LOG10,
    HB_MAP_EXP2, /* 2^x */
    HB_MAP_SQUARE,
    HB_MAP_CUBIC_ROOT,
    HB_MAP_IS_FINITE,
    HB_MAP_SINE,
    HB_MAP_COSINE,
    HB_MAP_TANGENT,
    HB_MAP_ARCSINE,
    HB_MAP_ARCCOSINE,
    HB_MAP_ARCTANGENT,
    HB_MAP_SINH,
    HB_MAP_COSH,
    HB_MAP_ARCSINH,
    HB_MAP_ARCCOSH,
    HB_MAP_ARCTANH,
    HB_MAP_NORMAL_QUANTILE, /* of a probability */
    HB_MAP_HALF,            /* to float16, once and to even */
    HB_N_MAP_FUNCTIONS
} hb_map_function;

/* Functions of two numbers. Comparisons and logic give 0 or 1. */
typedef enum hb_combine_function {
    HB_COMBINE_ADD,
    HB_COMBINE_SUBTRACT,
    HB_COMBINE_MULTIPLY,
    HB_COMBINE_DIVIDE,
    HB_COMBINE_DIVIDE_WHOLE, /* of integers, towards 0 */
    HB_COMBINE_POWER,
    HB_COMBINE_MODULO,    /* with the sign of the second */
    HB_COMBINE_REMAINDER, /* with the sign of the first, as C's fmod */
    HB_COMBINE_MAXIMUM,   /* NaN if one is */
    HB_COMBINE_MINIMUM,
    HB_COMBINE_EQUAL,
    HB_COMBINE_LESS,
    HB_COMBINE_LESS_OR_EQUAL,
    HB_COMBINE_GREATER,
    HB_COMBINE_GREATER_OR_EQUAL,
    HB_COMBINE_AND,
    HB_COMBINE_OR,
    HB_COMBINE_XOR,
    HB_COMBINE_BESSEL_K, /* of the first, by the order of the second (base/bessel64.h) */
    HB_N_COMBINE_FUNCTIONS
} hb_combine_function;

/* Functions of several numbers, which are taken in their order. */
typedef enum hb_reduce_function {
    HB_REDUCE_SUM,
    HB_REDUCE_MEAN,
    HB_REDUCE_PRODUCT,
    HB_REDUCE_MAXIMUM, /* NaN if one is */
    HB_REDUCE_MINIMUM,
    HB_REDUCE_LARGEST_NUMBER, /* NaN does not count */
    HB_REDUCE_SUM_OF_MAGNITUDES,
    HB_REDUCE_SUM_OF_SQUARES,
    HB_REDUCE_LENGTH,      /* the root of the sum of squares */
    HB_REDUCE_LOG_SUM,     /* the logarithm of the sum */
    HB_REDUCE_LOG_SUM_EXP, /* log(sum of exp(x - m)) + m, where m is the largest */
    HB_REDUCE_ARGMAX,      /* the place of the first maximum.. */
    HB_REDUCE_ARGMIN,
    HB_REDUCE_ARGMAX_LAST, /* ..of the last one */
    HB_REDUCE_ARGMIN_LAST,
    HB_N_REDUCE_FUNCTIONS
} hb_reduce_function;

#endif
