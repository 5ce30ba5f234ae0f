/* own_arithmetic.c - the operators of hbscore's own format that compute with numbers one by one (base/arithmetic.h):
 * functions of one, of two, of a row's. A value of one column stands for as many equal ones as the others have. */
#include <math.h>

#include "base/arithmetic64.h"
#include "format/own.h"

/* ---- what they share */

/* Member `dtype`: results of "f4" are rounded to float32. */
static bool read_rounding(hb_own_reading *r, hb_rounding *rounding)
{
    bool is_float32;

    if (!hb_own_dtype_read(r, &is_float32))
        return false;
    *rounding = is_float32 ? HB_ROUND_FLOAT32 : HB_ROUND_NONE;
    return true;
}

/* An exp, a log, or a sum in an order of hbscore's own: golden rows may differ, relative to 1 where the number is
 * smaller, since a scaler may take its mean from it. */
static void is_close(hb_own_reading *r)
{
    double tolerance = r->file->has_float32 ? 1e-6 : 1e-12;

    r->file->pipeline->adds_in_own_order = true;
    if (r->file->pipeline->tolerance < tolerance)
        r->file->pipeline->tolerance = tolerance;
}

/* `n` times the first column; NULL where the value has `n` columns itself. False: there is no memory. */
static bool repeat_first(hb_own_reading *r, const hb_own_value *value, size_t n, const uint32_t **columns)
{
    *columns = NULL;
    if (value->width == n)
        return true;
    *columns = hb_arena_array(&r->file->pipeline->arena, n, sizeof(**columns)); /* of zeros */
    return *columns || hb_document_no_memory(r->file->d);
}

static size_t wider(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* ---- one number */

/* Member `dtype` of map, which a few functions have of whole numbers too. */
static bool read_type(hb_own_reading *r, hb_map_function function, hb_rounding *rounding)
{
    static const hb_rounding types[] = {
        HB_ROUND_FLOAT32,    HB_ROUND_NONE,       HB_ROUND_WRAP_INT8,   HB_ROUND_WRAP_INT16,  HB_ROUND_WRAP_INT32,
        HB_ROUND_WRAP_INT64, HB_ROUND_WRAP_UINT8, HB_ROUND_WRAP_UINT16, HB_ROUND_WRAP_UINT32, HB_ROUND_WRAP_UINT64};
    static const char *const words[] = {"f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"};
    size_t word = hb_own_word(r->file, "dtype", words, sizeof(words) / sizeof(words[0]));

    if (word == SIZE_MAX)
        return false;
    *rounding = types[word];
    if (hb_wraps(*rounding) && !hb_has_wrapped(function))
        return hb_own_fail(r, "map: the function is none of whole numbers");
    return true;
}

bool hb_own_read_map(hb_own_reading *r)
{
    static const struct {
        hb_map_function function;
        bool is_exact;
    } functions[] = {{HB_MAP_ABSOLUTE, true},    {HB_MAP_NEGATIVE, true},
                     {HB_MAP_SQUARE_ROOT, true}, {HB_MAP_EXP, false},
                     {HB_MAP_LOG, false},        {HB_MAP_RECIPROCAL, true},
                     {HB_MAP_FLOOR, true},       {HB_MAP_CEIL, true},
                     {HB_MAP_NEAREST, true},     {HB_MAP_TRUNCATE, true},
                     {HB_MAP_SIGN, true},        {HB_MAP_LOGISTIC, false},
                     {HB_MAP_TANH, false},       {HB_MAP_SOFTPLUS, false},
                     {HB_MAP_ERF, false},        {HB_MAP_NOT, true},
                     {HB_MAP_TRUTH, true},       {HB_MAP_IS_NAN, true},
                     {HB_MAP_IS_FINITE, true},   {HB_MAP_LOG1P, false},
                     {HB_MAP_EXPM1, false},      {HB_MAP_LOG2, false},
                     {HB_MAP_LOG10, false},      {HB_MAP_EXP2, false},
                     {HB_MAP_SQUARE, true},      {HB_MAP_CUBIC_ROOT, false},
                     {HB_MAP_SINE, false},       {HB_MAP_COSINE, false},
                     {HB_MAP_TANGENT, false},    {HB_MAP_ARCSINE, false},
                     {HB_MAP_ARCCOSINE, false},  {HB_MAP_ARCTANGENT, false},
                     {HB_MAP_SINH, false},       {HB_MAP_COSH, false},
                     {HB_MAP_ARCSINH, false},    {HB_MAP_ARCCOSH, false},
                     {HB_MAP_ARCTANH, false},    {HB_MAP_NORMAL_QUANTILE, false},
                     {HB_MAP_HALF, true}};
    static const char *const words[] = {
        "abs",    "negative", "sqrt",  "exp",      "log",     "reciprocal", "floor",   "ceil",  "rint",     "trunc",
        "sign",   "sigmoid",  "tanh",  "softplus", "erf",     "not",        "truth",   "isnan", "isfinite", "log1p",
        "expm1",  "log2",     "log10", "exp2",     "square",  "cbrt",       "sin",     "cos",   "tan",      "arcsin",
        "arccos", "arctan",   "sinh",  "cosh",     "arcsinh", "arccosh",    "arctanh", "ndtri", "half"};
    size_t word = hb_own_word(r->file, "function", words, sizeof(words) / sizeof(words[0]));
    hb_fit_map fit = {.rounding = HB_ROUND_NONE};

    if (word == SIZE_MAX || !read_type(r, functions[word].function, &fit.rounding))
        return false;
    fit.function = functions[word].function;
    if (!functions[word].is_exact)
        is_close(r);
    return hb_own_add(r, HB_OPERATOR_MAP, &fit, r->in[0]->width);
}

/* ---- two numbers */

/* The other operands of one input: `numbers`, and whether they stand on the left. */
static bool read_numbers(hb_own_reading *r, hb_fit_combine *fit)
{
    hb_own_array numbers;
    double *repeated;

    if (!hb_own_array_read(r->file, "numbers", HB_OWN_F8, 1, &numbers) || !hb_own_member(r->file, "first"))
        return false;
    fit->numbers_first = hb_read_integer(r->file->d, 0, 1) == 1;
    if (!hb_document_ok(r->file->d))
        return false;
    fit->n_outputs = wider(r->in[0]->width, numbers.count);
    if (numbers.count == 0 || (numbers.count != fit->n_outputs && numbers.count != 1))
        return hb_own_fail(r, "combine: not one number for each column");
    if (!hb_own_check_finite(r, &numbers, "combine: a number is not finite"))
        return false;
    fit->numbers = numbers.items;
    if (numbers.count == fit->n_outputs)
        return true;
    repeated = hb_arena_array(&r->file->pipeline->arena, fit->n_outputs, sizeof(*repeated));
    for (size_t i = 0; repeated && i < fit->n_outputs; i++)
        repeated[i] = *(const double *)numbers.items;
    fit->numbers = repeated;
    return repeated || hb_document_no_memory(r->file->d);
}

bool hb_own_read_combine(hb_own_reading *r)
{
    static const char *const functions[] = {[HB_COMBINE_ADD] = "add",
                                            [HB_COMBINE_SUBTRACT] = "subtract",
                                            [HB_COMBINE_MULTIPLY] = "multiply",
                                            [HB_COMBINE_DIVIDE] = "divide",
                                            [HB_COMBINE_DIVIDE_WHOLE] = "",
                                            [HB_COMBINE_POWER] = "power",
                                            [HB_COMBINE_MODULO] = "mod",
                                            [HB_COMBINE_REMAINDER] = "fmod",
                                            [HB_COMBINE_MAXIMUM] = "maximum",
                                            [HB_COMBINE_MINIMUM] = "minimum",
                                            [HB_COMBINE_EQUAL] = "eq",
                                            [HB_COMBINE_LESS] = "lt",
                                            [HB_COMBINE_LESS_OR_EQUAL] = "le",
                                            [HB_COMBINE_GREATER] = "gt",
                                            [HB_COMBINE_GREATER_OR_EQUAL] = "ge",
                                            [HB_COMBINE_AND] = "and",
                                            [HB_COMBINE_OR] = "or",
                                            [HB_COMBINE_XOR] = "xor",
                                            [HB_COMBINE_BESSEL_K] = "bessel_k"};
    size_t function = hb_own_word(r->file, "function", functions, sizeof(functions) / sizeof(functions[0]));
    hb_fit_combine fit = {.n_outputs = r->n_in == 2 ? wider(r->in[0]->width, r->in[1]->width) : 0};
    uint32_t inputs[2] = {(uint32_t)r->in[0]->value, r->n_in == 2 ? (uint32_t)r->in[1]->value : 0};

    if (function == SIZE_MAX || !read_rounding(r, &fit.rounding) || (r->n_in == 1 && !read_numbers(r, &fit)))
        return false;
    fit.function = (hb_combine_function)function;
    for (size_t i = 0; i < r->n_in; i++)
        if (r->in[i]->width != fit.n_outputs && r->in[i]->width != 1)
            return hb_own_fail(r, "combine: the inputs have not as many columns as each other, nor one");
    if (!hb_own_check_columns(r, fit.n_outputs) || !repeat_first(r, r->in[0], fit.n_outputs, &fit.first) ||
        (r->n_in == 2 && !repeat_first(r, r->in[1], fit.n_outputs, &fit.second)))
        return false;
    if (fit.function == HB_COMBINE_POWER) /* and 1 is often taken from it, as of sums that nearly cancel */
        hb_own_adds(r->file);
    if (fit.function == HB_COMBINE_BESSEL_K)
        is_close(r);
    r->made.width = fit.n_outputs;
    r->made.value = hb_pipeline_add_of(r->file->pipeline, HB_OPERATOR_COMBINE, inputs, r->n_in, &fit);
    return true;
}

/* ---- one of two */

/* The numbers of a branch that is no input: member `name`, any numbers. */
static bool read_branch(hb_own_reading *r, const char *name, bool is_due, hb_own_array *numbers)
{
    hb_own_dtype dtype;

    if (!is_due && !hb_own_member(r->file, name))
        return false;
    return hb_own_array_value(r->file, 1u << HB_OWN_F8, 1, &dtype, numbers);
}

/* The members `yes` and `no`: as many of them as inputs are missing. */
static bool read_branches(hb_own_reading *r, hb_own_array *yes, hb_own_array *no)
{
    bool found = false;

    if (r->n_in == 3)
        return true;
    if (r->n_in == 1)
        return read_branch(r, "yes", false, yes) && read_branch(r, "no", false, no);
    return hb_own_either(r->file, "yes", "no", &found) && read_branch(r, "", true, found ? yes : no);
}

/* The value with its one column `n` times, if it has not `n`; 0 after an error. */
static size_t broadened(hb_own_reading *r, const hb_own_value *value, size_t n)
{
    const uint32_t *columns;

    if (!repeat_first(r, value, n, &columns))
        return 0;
    return columns ? hb_pipeline_add(r->file->pipeline, HB_OPERATOR_SELECT, value->value, &(hb_fit_select){n, columns})
                   : value->value;
}

/* Numbers for each of n columns. */
static const double *broadened_numbers(hb_own_reading *r, const hb_own_array *numbers, size_t n)
{
    double *to;

    if (!numbers->items || numbers->count == n)
        return numbers->items;
    to = hb_arena_array(&r->file->pipeline->arena, n, sizeof(*to));
    for (size_t i = 0; to && i < n; i++)
        to[i] = *(const double *)numbers->items;
    if (!to)
        hb_document_no_memory(r->file->d);
    return to;
}

static bool has_columns(size_t count, size_t n)
{
    return count == n || count == 1;
}

bool hb_own_read_choose(hb_own_reading *r)
{
    hb_own_array yes = {.items = NULL}, no = {.items = NULL};
    hb_fit_choose fit = {.n_outputs = 1};
    uint32_t inputs[3];

    if (!read_branches(r, &yes, &no))
        return false;
    fit.n_outputs = wider(yes.count, no.count);
    for (size_t i = 0; i < r->n_in; i++)
        fit.n_outputs = wider(fit.n_outputs, r->in[i]->width);
    for (size_t i = 0; i < r->n_in; i++)
        if (!has_columns(r->in[i]->width, fit.n_outputs))
            return hb_own_fail(r, "choose: the inputs have not as many columns as each other, nor one");
    if ((yes.items && !has_columns(yes.count, fit.n_outputs)) || (no.items && !has_columns(no.count, fit.n_outputs)))
        return hb_own_fail(r, "choose: not one number for each column");
    if (!hb_own_check_columns(r, fit.n_outputs))
        return false;
    for (size_t i = 0; i < r->n_in && hb_document_ok(r->file->d); i++)
        inputs[i] = (uint32_t)broadened(r, r->in[i], fit.n_outputs);
    fit.yes = broadened_numbers(r, &yes, fit.n_outputs);
    fit.no = broadened_numbers(r, &no, fit.n_outputs);
    if (!hb_document_ok(r->file->d))
        return false;
    r->made.width = fit.n_outputs;
    r->made.value = hb_pipeline_add_of(r->file->pipeline, HB_OPERATOR_CHOOSE, inputs, r->n_in, &fit);
    return true;
}

/* ---- a row's numbers */

bool hb_own_read_reduce(hb_own_reading *r)
{
    static const struct {
        hb_reduce_function function;
        bool is_exact;
    } functions[] = {{HB_REDUCE_SUM, false},
                     {HB_REDUCE_MEAN, false},
                     {HB_REDUCE_PRODUCT, false},
                     {HB_REDUCE_MAXIMUM, true},
                     {HB_REDUCE_MINIMUM, true},
                     {HB_REDUCE_SUM_OF_MAGNITUDES, false},
                     {HB_REDUCE_SUM_OF_SQUARES, false},
                     {HB_REDUCE_LENGTH, false},
                     {HB_REDUCE_LOG_SUM_EXP, false},
                     {HB_REDUCE_ARGMAX, true},
                     {HB_REDUCE_ARGMIN, true},
                     {HB_REDUCE_ARGMAX_LAST, true}};
    static const char *const words[] = {"sum",         "mean",   "product",   "max",    "min",    "sum_abs",
                                        "sum_squares", "length", "logsumexp", "argmax", "argmin", "argmax_last"};
    size_t word = hb_own_word(r->file, "function", words, sizeof(words) / sizeof(words[0]));
    hb_fit_reduce fit = {.rounding = HB_ROUND_NONE};

    if (word == SIZE_MAX || !read_rounding(r, &fit.rounding) || !hb_own_member(r->file, "terms"))
        return false;
    fit.function = functions[word].function;
    fit.n_terms = (size_t)hb_read_integer(r->file->d, 1, HB_MAX_OUTPUTS);
    if (!hb_document_ok(r->file->d))
        return false;
    if (r->in[0]->width == 0 || r->in[0]->width % fit.n_terms != 0)
        return hb_own_fail(r, "reduce: the columns are not groups of so many terms");
    if (!functions[word].is_exact)
        is_close(r);
    return hb_own_add(r, HB_OPERATOR_REDUCE, &fit, r->in[0]->width / fit.n_terms);
}
