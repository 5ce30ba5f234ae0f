/* test_elementary64.c - exp, log, log1p and tanh in float64 against the C library's long double, which has 11
 * bits more: the errors that their headers state, denormal results and limits. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bessel64.h"
#include "base/elementary64.h"
#include "base/logarithms64.h"
#include "base/quantile64.h"
#include "base/trigonometry64.h"
#include "base/tanh64.h"

enum { N_RANDOM = 400000 };

static double from_bits(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t to_bits(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double uniform(uint64_t *random, double low, double high)
{
    return low + (high - low) * ((double)(test_random(random) >> 11) * 0x1p-53);
}

/* How far `found` is from `right`, in units of the last place that a double of that size has. */
static double ulps(double found, long double right)
{
    int e;

    if (right == 0)
        return found == 0 ? 0 : INFINITY;
    (void)frexpl(right, &e);
    e = e - 53 < -1074 ? -1074 : e - 53;
    return (double)(fabsl((long double)found - right) / ldexpl(1, e));
}

typedef struct worst {
    const char *name;
    double most, at;
} worst;

static void within(worst *w, double x, double found, long double right, double limit)
{
    double error = ulps(found, right);

    if (!(error <= limit))
        fail_msg("%s(%a) = %a, should be %La: %.3f ulp", w->name, x, found, right, error);
    if (error > w->most) {
        w->most = error;
        w->at = x;
    }
}

static void show(const worst *w)
{
    printf("%s: at most %.4f ulp, at %a\n", w->name, w->most, w->at);
}

/* ------------------------------------------------------------------ exp */

static void exp_is_within_052_ulp(void **state)
{
    static const double ranges[][2] = {{-708, 709.78}, {-1, 1}, {-0.01, 0.01}, {-40, 40}, {-1e-8, 1e-8}};
    worst w = {.name = "exp"};
    uint64_t random = 1;

    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
        for (int i = 0; i < N_RANDOM; i++) {
            double x = uniform(&random, ranges[k][0], ranges[k][1]);

            within(&w, x, hb_exp64(x), expl((long double)x), 0.52);
        }
    show(&w);
}

/* Where one interval of the table ends and the next begins, and at the powers of two. */
static void exp_is_right_between_intervals(void **state)
{
    worst w = {.name = "exp between intervals"};

    for (int k = -130000; k <= 131000; k++) {
        double middle = ((double)k + 0.5) * (M_LN2 / 128), x = nextafter(middle, -INFINITY);

        if (x < -708.39 || middle > 709.78)
            continue;
        for (int i = 0; i < 3; i++, x = nextafter(x, INFINITY))
            within(&w, x, hb_exp64(x), expl((long double)x), 0.52);
    }
    show(&w);
}

/* Rounded to the table's accuracy and then to few bits: half a unit and half of that at most. */
static void exp_of_denormal_results(void **state)
{
    worst w = {.name = "exp, denormal"};
    uint64_t random = 2;

    for (int i = 0; i < N_RANDOM; i++) {
        double x = uniform(&random, -745.1332191019412, -708.0);

        within(&w, x, hb_exp64(x), expl((long double)x), 0.77);
    }
    assert_true(hb_exp64(nextafter(-745.1332191019412, 0)) == 0x1p-1074); /* just above half of it */
    assert_true(hb_exp64(-744.5) == 0x1p-1074);
    show(&w);
}

static void exp_at_its_limits(void **state)
{
    assert_true(hb_exp64(0.0) == 1 && hb_exp64(-0.0) == 1);
    assert_true(hb_exp64(0x1p-1074) == 1 && hb_exp64(-0x1p-60) == 1);
    assert_true(hb_exp64(INFINITY) == INFINITY);
    assert_true(to_bits(hb_exp64(-INFINITY)) == 0); /* +0 */
    assert_true(isnan(hb_exp64(NAN)) && isnan(hb_exp64(-NAN)));
    assert_true(isfinite(hb_exp64(709.782712893384)));
    assert_true(hb_exp64(nextafter(709.782712893384, INFINITY)) == INFINITY);
    assert_true(hb_exp64(DBL_MAX) == INFINITY && to_bits(hb_exp64(-DBL_MAX)) == 0);
    assert_true(to_bits(hb_exp64(nextafter(-745.1332191019412, -INFINITY))) == 0);
}

/* Powers of two at whole numbers are exact; between them the error is that of exp. */
static void exp2_is_within_052_ulp(void **state)
{
    static const double ranges[][2] = {{-1022, 1023.9}, {-1, 1}, {-20, 0}, {-0.01, 0.01}, {-1e-8, 1e-8}};
    worst w = {.name = "exp2"}, denormal = {.name = "exp2, denormal"};
    uint64_t random = 4;

    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
        for (int i = 0; i < N_RANDOM; i++) {
            double x = uniform(&random, ranges[k][0], ranges[k][1]);

            within(&w, x, hb_exp2_64(x), exp2l((long double)x), 0.52);
        }
    for (int i = 0; i < N_RANDOM; i++) {
        double x = uniform(&random, -1075, -1022);

        within(&denormal, x, hb_exp2_64(x), exp2l((long double)x), 0.77);
    }
    for (int k = -1074; k < 1024; k++)
        assert_true(hb_exp2_64(k) == ldexp(1, k));
    show(&w);
    show(&denormal);
}

static void exp2_at_its_limits(void **state)
{
    assert_true(hb_exp2_64(0.0) == 1 && hb_exp2_64(-0.0) == 1 && hb_exp2_64(-0x1p-60) == 1);
    assert_true(hb_exp2_64(INFINITY) == INFINITY && hb_exp2_64(1024) == INFINITY);
    assert_true(isfinite(hb_exp2_64(nextafter(1024, 0))) && hb_exp2_64(DBL_MAX) == INFINITY);
    assert_true(to_bits(hb_exp2_64(-INFINITY)) == 0 && to_bits(hb_exp2_64(-DBL_MAX)) == 0);
    assert_true(to_bits(hb_exp2_64(-1076)) == 0);
    assert_true(isnan(hb_exp2_64(NAN)) && isnan(hb_exp2_64(-NAN)));
}

static void exp_never_falls(void **state)
{
    uint64_t random = 3;

    for (int i = 0; i < N_RANDOM; i++) {
        double x = uniform(&random, -746, 710);

        assert_true(hb_exp64(x) <= hb_exp64(nextafter(x, INFINITY)) * (1 + 2 * DBL_EPSILON));
    }
}

/* ------------------------------------------------------------------ log */

static void log_is_within_1_ulp(void **state)
{
    worst w = {.name = "log"};
    uint64_t random = 4;

    for (int i = 0; i < 2 * N_RANDOM; i++) {
        uint64_t exponent = 1 + test_random(&random) % 2046;
        double any = from_bits(exponent << 52 | test_random(&random) >> 12);
        double near = uniform(&random, 0.5, 2);

        within(&w, any, hb_log64(any), logl((long double)any), 1.0);
        within(&w, near, hb_log64(near), logl((long double)near), 1.0);
    }
    show(&w);
}

/* Near 1 the answer is small: what cancels must be exact. */
static void log_is_right_near_1(void **state)
{
    worst w = {.name = "log near 1"};
    uint64_t random = 5;

    assert_true(to_bits(hb_log64(1.0)) == 0);
    for (double d = 0x1p-53; d < 0.25; d *= 1.01) {
        double above = 1 + d, below = 1 - d;

        within(&w, above, hb_log64(above), logl((long double)above), 1.0);
        within(&w, below, hb_log64(below), logl((long double)below), 1.0);
    }
    for (int i = 0; i < N_RANDOM; i++) {
        double x = uniform(&random, 0.98, 1.02);

        within(&w, x, hb_log64(x), logl((long double)x), 1.0);
    }
    show(&w);
}

static void log_at_its_limits(void **state)
{
    worst w = {.name = "log of denormals"};
    uint64_t random = 6;

    assert_true(hb_log64(0.0) == -INFINITY && hb_log64(-0.0) == -INFINITY);
    assert_true(isnan(hb_log64(-1.0)) && isnan(hb_log64(-0x1p-1074)) && isnan(hb_log64(-INFINITY)));
    assert_true(hb_log64(INFINITY) == INFINITY);
    assert_true(isnan(hb_log64(NAN)));
    within(&w, DBL_MAX, hb_log64(DBL_MAX), logl(DBL_MAX), 1.0);
    within(&w, DBL_MIN, hb_log64(DBL_MIN), logl(DBL_MIN), 1.0);
    for (int i = 0; i < N_RANDOM / 4; i++) { /* rounded twice */
        double x = from_bits(1 + (test_random(&random) >> 12 >> test_random(&random) % 52));

        within(&w, x, hb_log64(x), logl((long double)x), 1.2);
    }
    show(&w);
}

/* ------------------------------------------------------------------ log1p */

static void log1p_is_within_14_ulp(void **state)
{
    worst w = {.name = "log1p"};
    uint64_t random = 7;

    for (int i = 0; i < 2 * N_RANDOM; i++) {
        double small = exp2(uniform(&random, -60, 0)), large = exp2(uniform(&random, 0, 1023));
        double near = uniform(&random, 0.9e-5, 1.1e-5);

        within(&w, small, hb_log1p64(small), log1pl((long double)small), 1.4);
        within(&w, large, hb_log1p64(large), log1pl((long double)large), 1.4);
        within(&w, near, hb_log1p64(near), log1pl((long double)near), 1.4);
    }
    show(&w);
}

/* Below 0, where the argument of the logarithm nears 0. */
static void log1p_of_negative_numbers(void **state)
{
    worst w = {.name = "log1p below 0"};
    uint64_t random = 11;

    for (int i = 0; i < 2 * N_RANDOM; i++) {
        double small = -exp2(uniform(&random, -60, 0)), low = -1 + exp2(uniform(&random, -52, 0));

        within(&w, small, hb_log1p64(small), log1pl((long double)small), 1.5);
        within(&w, low, hb_log1p64(low), log1pl((long double)low), 1.5);
    }
    assert_true(hb_log1p64(-1) == -INFINITY && isnan(hb_log1p64(-1.5)) && isnan(hb_log1p64(-INFINITY)));
    assert_true(to_bits(hb_log1p64(-0.0)) == to_bits(-0.0));
    show(&w);
}

static void expm1_is_within_2_ulp(void **state)
{
    worst w = {.name = "expm1"};
    uint64_t random = 13;

    for (int i = 0; i < 2 * N_RANDOM; i++) {
        double near = uniform(&random, -0.8, 0.8), far = uniform(&random, -50, 709);
        double small = exp2(uniform(&random, -60, -1)) * (i % 2 ? 1 : -1);

        within(&w, near, hb_expm1_64(near), expm1l((long double)near), 2);
        within(&w, far, hb_expm1_64(far), expm1l((long double)far), 2);
        within(&w, small, hb_expm1_64(small), expm1l((long double)small), 2);
    }
    assert_true(hb_expm1_64(INFINITY) == INFINITY && hb_expm1_64(-INFINITY) == -1 && isnan(hb_expm1_64(NAN)));
    assert_true(to_bits(hb_expm1_64(-0.0)) == to_bits(-0.0) && hb_expm1_64(5e-324) == 5e-324);
    show(&w);
}

static void logarithms_to_other_bases_and_cubic_roots(void **state)
{
    worst log2 = {.name = "log2"}, log10 = {.name = "log10"}, cbrt = {.name = "cbrt"};
    uint64_t random = 17;

    for (int i = 0; i < 2 * N_RANDOM; i++) {
        double wide = exp2(uniform(&random, -1020, 1023)), near = uniform(&random, 0.5, 2);

        within(&log2, wide, hb_log2_64(wide), log2l((long double)wide), 1.7);
        within(&log2, near, hb_log2_64(near), log2l((long double)near), 2.2);
        within(&log10, wide, hb_log10_64(wide), log10l((long double)wide), 1.7);
        within(&log10, near, hb_log10_64(near), log10l((long double)near), 2.2);
        within(&cbrt, wide, hb_cbrt64(wide), cbrtl((long double)wide), 1.7);
        within(&cbrt, -near, hb_cbrt64(-near), cbrtl((long double)-near), 1.7);
    }
    for (int i = -1074; i <= 1023; i++)
        assert_true(hb_log2_64(ldexp(1, i)) == i);
    for (int i = 0; i <= 22; i++)
        assert_true(hb_log10_64(pow(10, i)) == i);
    for (int i = 1; i <= 200000; i++)
        assert_true(hb_cbrt64((double)i * i * i) == i);
    assert_true(hb_log2_64(0) == -INFINITY && isnan(hb_log2_64(-1)) && hb_log10_64(INFINITY) == INFINITY);
    assert_true(hb_cbrt64(INFINITY) == INFINITY && isnan(hb_cbrt64(NAN)) && hb_cbrt64(0x1p-1074) > 0);
    show(&log2);
    show(&log10);
    show(&cbrt);
}

/* Angles near multiples of pi / 2, where bits cancel, and of any size. */
static void angles_of_any_size(void **state)
{
    worst sine = {.name = "sin"}, cosine = {.name = "cos"}, tangent = {.name = "tan"};
    uint64_t random = 19;

    for (int i = 0; i < 2 * N_RANDOM; i++) {
        double size = exp2(uniform(&random, -30, i % 2 ? 62 : 22)), near = (double)(i % 100000) * 1.5707963267948966;
        const double angles[3] = {size, -size, nextafter(near, i % 3 ? 10 : -10)};

        for (int k = 0; k < 3; k++) {
            within(&sine, angles[k], hb_sin64(angles[k]), sinl((long double)angles[k]), 1.2);
            within(&cosine, angles[k], hb_cos64(angles[k]), cosl((long double)angles[k]), 1.2);
            within(&tangent, angles[k], hb_tan64(angles[k]), tanl((long double)angles[k]), 2.5);
        }
    }
    show(&sine);
    show(&cosine);
    show(&tangent);
}

/* The last one is the number that comes nearest to a multiple of pi / 2 (Muller, Elementary Functions). */
static void angles_at_their_limits(void **state)
{
    assert_true(hb_sin64(1e22) == -0.8522008497671888 && hb_cos64(1e22) == 0.523214785395139);
    assert_true(hb_sin64(DBL_MAX) == 0.004961954789184062 && hb_cos64(DBL_MAX) == -0.9999876894265599);
    assert_true(hb_sin64(-DBL_MAX) == -0.004961954789184062);
    assert_true(hb_cos64(6381956970095103.0 * 0x1p797) == -4.6871659242546277e-19); /* nearest to a multiple */
    assert_true(to_bits(hb_sin64(-0.0)) == to_bits(-0.0) && hb_cos64(0) == 1 && hb_sin64(5e-324) == 5e-324);
    assert_true(isnan(hb_sin64(INFINITY)) && isnan(hb_cos64(-INFINITY)) && isnan(hb_tan64(NAN)));
}

static void inverses_and_hyperbolic_functions(void **state)
{
    worst w = {.name = "inverses and hyperbolic functions"};
    uint64_t random = 23;

    for (int i = 0; i < N_RANDOM; i++) {
        double part = uniform(&random, -1, 1), size = exp2(uniform(&random, -40, 9)) * (i % 2 ? 1 : -1);
        double above = 1 + exp2(uniform(&random, -40, 200)), tiny = exp2(uniform(&random, -60, 0));

        within(&w, part, hb_arcsin64(part), asinl((long double)part), 4);
        within(&w, part, hb_arccos64(part), acosl((long double)part), 4);
        within(&w, tiny, hb_arcsin64(tiny), asinl((long double)tiny), 4);
        within(&w, size, hb_arctan64(size), atanl((long double)size), 4);
        within(&w, size, hb_sinh64(size), sinhl((long double)size), 4);
        within(&w, size, hb_cosh64(size), coshl((long double)size), 4);
        within(&w, size, hb_arcsinh64(size), asinhl((long double)size), 4);
        within(&w, part, hb_arctanh64(part), atanhl((long double)part), 4);
        within(&w, tiny, hb_arctanh64(tiny), atanhl((long double)tiny), 4);
        within(&w, above, hb_arccosh64(above), acoshl((long double)above), 4);
    }
    assert_true(hb_arctan64(INFINITY) == 1.5707963267948966 && hb_arcsin64(1) == 1.5707963267948966);
    assert_true(hb_arccos64(-1) == 3.141592653589793 && hb_arccos64(1) == 0 && isnan(hb_arccos64(1.1)));
    assert_true(hb_sinh64(710) > 1e308 && hb_cosh64(-710) > 1e308 && hb_sinh64(-1000) == -INFINITY);
    assert_true(hb_arctanh64(1) == INFINITY && isnan(hb_arctanh64(-2)) && isnan(hb_arccosh64(0.5)));
    assert_true(hb_arcsinh64(-INFINITY) == -INFINITY && hb_arcsinh64(5e-324) == 5e-324);
    show(&w);
}

static void log1p_at_its_limits(void **state)
{
    assert_true(to_bits(hb_log1p64(0.0)) == 0);
    assert_true(hb_log1p64(0x1p-1074) == 0x1p-1074);
    assert_true(hb_log1p64(DBL_MIN) == DBL_MIN);
    assert_true(hb_log1p64(0x1p-70) == 0x1p-70);
    assert_true(hb_log1p64(INFINITY) == INFINITY);
    assert_true(isfinite(hb_log1p64(DBL_MAX)));
    assert_true(isnan(hb_log1p64(NAN)));
    for (double x = 0; x < 5e-5; x = nextafter(x * 1.0001 + 1e-9, 1)) /* over the seam at 1e-5 */
        assert_true(hb_log1p64(x) <= hb_log1p64(x * 1.0001 + 1e-9));
}

/* ------------------------------------------------------------------ tanh */

static void tanh_is_within_26_ulp(void **state)
{
    static const double ranges[][2] = {{-21, 21}, {-3, 3}, {-1, 1}, {0.15, 0.55}, {-0.01, 0.01}};
    worst w = {.name = "tanh"};
    uint64_t random = 8;

    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
        for (int i = 0; i < N_RANDOM; i++) {
            double x = uniform(&random, ranges[k][0], ranges[k][1]);
            double small = exp2(uniform(&random, -1074, 0));

            within(&w, x, hb_tanh64(x), tanhl((long double)x), 2.6);
            within(&w, small, hb_tanh64(small), tanhl((long double)small), 2.6);
            assert_true(hb_tanh64(-x) == -hb_tanh64(x));
        }
    show(&w);
}

/* Where one multiple of ln 2 ends and the next begins, of 2 |x|. */
static void tanh_is_right_between_intervals(void **state)
{
    worst w = {.name = "tanh between intervals"};

    for (int k = 0; k < 60; k++) {
        double x = ((double)k + 0.5) * (M_LN2 / 2);

        for (int i = 0; i < 20; i++)
            x = nextafter(x, 0);
        for (int i = 0; i < 40; i++, x = nextafter(x, INFINITY))
            within(&w, x, hb_tanh64(x), tanhl((long double)x), 2.6);
    }
    show(&w);
}

static void tanh_at_its_limits(void **state)
{
    assert_true(to_bits(hb_tanh64(0.0)) == 0 && to_bits(hb_tanh64(-0.0)) == (uint64_t)1 << 63);
    assert_true(hb_tanh64(0x1p-1074) == 0x1p-1074 && hb_tanh64(-0x1p-1074) == -0x1p-1074);
    assert_true(hb_tanh64(DBL_MIN) == DBL_MIN && hb_tanh64(0x1p-40) == 0x1p-40);
    assert_true(hb_tanh64(19) < 1 && hb_tanh64(19.1) == 1 && hb_tanh64(20) == 1);
    assert_true(hb_tanh64(nextafter(20, INFINITY)) == 1 && hb_tanh64(-21) == -1);
    assert_true(hb_tanh64(DBL_MAX) == 1 && hb_tanh64(INFINITY) == 1 && hb_tanh64(-INFINITY) == -1);
    assert_true(isnan(hb_tanh64(NAN)) && isnan(hb_tanh64(-NAN)));
}

/* ------------------------------------------------------------------ erf */

static void erf_is_within_3_ulp(void **state)
{
    static const double ranges[][2] = {{-6.5, 6.5}, {2.4, 2.6}, {-1, 1}, {5.9, 6.1}, {-1e-6, 1e-6}};
    worst w = {.name = "erf"};
    uint64_t random = 9;

    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
        for (int i = 0; i < N_RANDOM / 10; i++) {
            double x = uniform(&random, ranges[k][0], ranges[k][1]);

            within(&w, x, hb_erf64(x), erfl((long double)x), 3);
            assert_true(hb_erf64(-x) == -hb_erf64(x));
        }
    show(&w);
}

static void erf_at_its_limits(void **state)
{
    assert_true(to_bits(hb_erf64(0.0)) == 0 && to_bits(hb_erf64(-0.0)) == (uint64_t)1 << 63);
    assert_true(hb_erf64(INFINITY) == 1 && hb_erf64(-INFINITY) == -1 && isnan(hb_erf64(NAN)));
    assert_true(hb_erf64(DBL_MIN) > 0 && hb_erf64(-DBL_MAX) == -1);
}

/* The distribution of the quantile is the probability, up to what a last bit of the quantile makes of it. */
static void quantiles_of_the_normal_distribution(void **state)
{
    const long double root2 = sqrtl(2.0L), pi = 3.14159265358979323846L;
    uint64_t random = 7;

    (void)state;
    for (int i = 0; i < N_RANDOM / 4; i++) {
        double p = i % 2 ? uniform(&random, 0, 1) : pow(10, -uniform(&random, 0, 300));
        double x = hb_normal_quantile64(p);
        long double right = 0.5L * erfcl(-(long double)x / root2);
        long double density = expl(-0.5L * (long double)x * (long double)x) / sqrtl(2 * pi);
        long double most = 1e-15L * (fabsl((long double)x) + 0.25L) * density + 1e-16L * (long double)p;

        if (!(fabsl(right - (long double)p) <= most))
            fail_msg("quantile(%a) = %a, whose distribution is %La", p, x, right);
    }
    assert_true(hb_normal_quantile64(0.5) == 0 && hb_normal_quantile64(0.975) == 0x1.f5c0331eeff84p+0);
    assert_true(hb_normal_quantile64(0) == -INFINITY && hb_normal_quantile64(1) == INFINITY);
    assert_true(isnan(hb_normal_quantile64(-1e-300)) && isnan(hb_normal_quantile64(1.5)) &&
                isnan(hb_normal_quantile64(NAN)));
}

/* scipy.special.kv(order, x) of scipy 1.18.1, from the least arguments to those whose function underflows. */
static void bessel_functions_are_those_of_scipy(void **state)
{
    static const struct {
        double x, order, right;
    } scipy[] = {
        {1e-300, 0.3, 1.8415267231637417e+90},
        {1e-300, 0.9, 9.970658347804916e+269},
        {1e-12, 0.0, 27.74695263158696},
        {1e-08, 0.5, 12533.141247823589},
        {1e-08, 3.3, 3.3194066178336226e+27},
        {0.001, 0.7, 132.724281026499},
        {0.1, 1e-09, 2.427069024702017},
        {0.1, 12.25, 3.19173072760964e+23},
        {0.5, 0.5, 1.0750476034999203},
        {1.0, 1.0, 0.6019072301972346},
        {1.0, 2.75, 4.731184839919538},
        {1.5, 100.0, 1.446704422648676e+168},
        {1.999, 0.49999, 0.12008754753332643},
        {2.0, 0.5, 0.11993777196806146},
        {2.0, 0.7, 0.12601327130660878},
        {2.0, 7.0, 305.5380176829622},
        {2.001, 0.7, 0.1258532403900198},
        {2.5, 0.0, 0.062347553200366196},
        {3.0, 99.5, 1.3791394000664157e+137},
        {5.0, 0.25, 0.0037123027320318403},
        {10.0, 3.3, 2.979107686372691e-05},
        {20.0, 50.0, 411711209122.0208},
        {33.3, 1.5, 7.721140600034483e-16},
        {100.0, 0.7, 4.6679943365339995e-45},
        {100.0, 100.0, 7.617129630494012e-25},
        {350.0, 2.2, 6.69577599013075e-154},
        {650.0, 0.1, 2.5125221968401242e-284},
        {690.0, 100.0, 1.4279017381425124e-298},
        {697.0, 0.5, 9.401337914225122e-305},
        {1000.0, 170.0, 0},
        {0.5, 171.0, INFINITY},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(scipy) / sizeof(scipy[0]); i++) {
        double found = hb_bessel_k64(scipy[i].x, scipy[i].order), right = scipy[i].right;

        if (!(found == right || fabs(found - right) <= 1e-13 * right))
            fail_msg("K of order %g at %g is %.17g, not %.17g", scipy[i].order, scipy[i].x, found, right);
        assert_true(hb_bessel_k64(scipy[i].x, -scipy[i].order) == found);
    }
    assert_true(hb_bessel_k64(0, 0.5) == INFINITY && hb_bessel_k64(INFINITY, 3) == 0 &&
                hb_bessel_k64(1, 1024) == INFINITY);
    assert_true(isnan(hb_bessel_k64(-1, 1)) && isnan(hb_bessel_k64(NAN, 1)) && isnan(hb_bessel_k64(1, NAN)));
    assert_true(isnan(hb_bessel_k64(1, 1025)) && isnan(hb_bessel_k64(1, INFINITY)));
}

/* It is elementary for half orders: sqrt(pi / 2x) exp(-x) (1 + 1 / x) of 3/2. */
static void bessel_functions_of_half_orders(void **state)
{
    uint64_t random = 9;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        double x = exp(uniform(&random, -20, 6.5));
        long double root = sqrtl(1.57079632679489661923L / (long double)x) * expl(-(long double)x);

        assert_true(fabsl(hb_bessel_k64(x, 0.5) - root) <= 1e-14L * root);
        assert_true(fabsl(hb_bessel_k64(x, 1.5) - root * (1 + 1 / (long double)x)) <=
                    1e-14L * root * (1 + 1 / (long double)x));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_within_052_ulp),
        cmocka_unit_test(exp_is_right_between_intervals),
        cmocka_unit_test(exp_of_denormal_results),
        cmocka_unit_test(exp_at_its_limits),
        cmocka_unit_test(exp2_is_within_052_ulp),
        cmocka_unit_test(exp2_at_its_limits),
        cmocka_unit_test(exp_never_falls),
        cmocka_unit_test(log_is_within_1_ulp),
        cmocka_unit_test(log_is_right_near_1),
        cmocka_unit_test(log_at_its_limits),
        cmocka_unit_test(log1p_is_within_14_ulp),
        cmocka_unit_test(log1p_at_its_limits),
        cmocka_unit_test(log1p_of_negative_numbers),
        cmocka_unit_test(expm1_is_within_2_ulp),
        cmocka_unit_test(logarithms_to_other_bases_and_cubic_roots),
        cmocka_unit_test(angles_of_any_size),
        cmocka_unit_test(angles_at_their_limits),
        cmocka_unit_test(inverses_and_hyperbolic_functions),
        cmocka_unit_test(tanh_is_within_26_ulp),
        cmocka_unit_test(tanh_is_right_between_intervals),
        cmocka_unit_test(tanh_at_its_limits),
        cmocka_unit_test(erf_is_within_3_ulp),
        cmocka_unit_test(erf_at_its_limits),
        cmocka_unit_test(quantiles_of_the_normal_distribution),
        cmocka_unit_test(bessel_functions_are_those_of_scipy),
        cmocka_unit_test(bessel_functions_of_half_orders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
