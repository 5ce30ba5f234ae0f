/* shortest.c - see shortest.h.
 *
 * A double is m x 2^e. Times 10^s, with s such that 17 digits stand before the point, it is m x 5^s / 2^t: the
 * whole part and the fraction are exact in 192 bits as long as s is at most 50. Half the distance to the next double is
 * 5^s / 2 of the same units. So whether fewer digits are near enough is one comparison, without reading them back. */
#include "base/shortest.h"

#include <string.h>

#include "base/inline.h"

__extension__ typedef unsigned __int128 wide;

enum { DIGITS = 17, LEAST_SCALE = 1, MOST_SCALE = 50, MOST_FIVES = 27, MANTISSA = 52, BIAS = 1075 };

#define LEAST_WHOLE UINT64_C(10000000000000000) /* of 17 digits */
#define HIDDEN_BIT  (UINT64_C(1) << MANTISSA)

static const uint64_t fives[MOST_FIVES + 1] = {UINT64_C(1),
                                               UINT64_C(5),
                                               UINT64_C(25),
                                               UINT64_C(125),
                                               UINT64_C(625),
                                               UINT64_C(3125),
                                               UINT64_C(15625),
                                               UINT64_C(78125),
                                               UINT64_C(390625),
                                               UINT64_C(1953125),
                                               UINT64_C(9765625),
                                               UINT64_C(48828125),
                                               UINT64_C(244140625),
                                               UINT64_C(1220703125),
                                               UINT64_C(6103515625),
                                               UINT64_C(30517578125),
                                               UINT64_C(152587890625),
                                               UINT64_C(762939453125),
                                               UINT64_C(3814697265625),
                                               UINT64_C(19073486328125),
                                               UINT64_C(95367431640625),
                                               UINT64_C(476837158203125),
                                               UINT64_C(2384185791015625),
                                               UINT64_C(11920928955078125),
                                               UINT64_C(59604644775390625),
                                               UINT64_C(298023223876953125),
                                               UINT64_C(1490116119384765625),
                                               UINT64_C(7450580596923828125)};

/* A double times 10^scale: whole + fraction / 2^bits. */
typedef struct scaled {
    int scale;
    unsigned bits;
    uint64_t whole;
    wide fraction;
    wide spacing;      /* from one double to the next, in 2^-bits: odd */
    bool power_of_two; /* doubles below it are twice as near */
} scaled;

static wide five_to(int power)
{
    return power <= MOST_FIVES ? fives[power] : (wide)fives[MOST_FIVES] * fives[power - MOST_FIVES];
}

/* m x 2^e times 10^scale. */
static scaled scale_number(uint64_t m, int e, int scale)
{
    scaled x = {.scale = scale, .bits = (unsigned)-(e + scale), .spacing = five_to(scale)};
    wide low = (wide)m * (uint64_t)x.spacing;
    wide high = (wide)m * (uint64_t)(x.spacing >> 64) + (low >> 64);
    uint64_t lowest = (uint64_t)low;

    if (x.bits >= 64) {
        x.whole = (uint64_t)(high >> (x.bits - 64));
        x.fraction = (high & (((wide)1 << (x.bits - 64)) - 1)) << 64 | lowest;
    } else {
        x.whole = (uint64_t)(high << (64 - x.bits)) | lowest >> x.bits;
        x.fraction = lowest & ((UINT64_C(1) << x.bits) - 1);
    }
    return x;
}

/* floor(log10(2^power)) for powers of any double. */
static int tens_of(int power)
{
    int tens = (power < 0 ? -power : power) * 315653 / (1 << 20);

    return power < 0 ? -tens - 1 : tens;
}

/* False: more than 50 powers of ten, or none. */
static bool scale_to_digits(double number, scaled *x)
{
    uint64_t bits, m;
    int e, scale;

    memcpy(&bits, &number, sizeof(bits));
    e = (int)(bits >> MANTISSA & 0x7ff) - BIAS;
    m = (bits & (HIDDEN_BIT - 1)) | HIDDEN_BIT;
    scale = DIGITS - 1 - tens_of(e + MANTISSA);
    if (scale <= LEAST_SCALE || scale > MOST_SCALE)
        return false;
    *x = scale_number(m, e, scale);
    if (x->whole >= 10 * LEAST_WHOLE)
        *x = scale_number(m, e, scale - 1);
    x->power_of_two = m == HIDDEN_BIT;
    return x->whole >= LEAST_WHOLE && x->whole < 10 * LEAST_WHOLE;
}

/* Whether whole - rest, or whole - rest + step where `up`, reads back as the number. An odd spacing has no ties. */
HB_INLINE bool is_near(const scaled *x, uint64_t rest, uint64_t step, bool up)
{
    wide away = up ? ((wide)(step - rest) << x->bits) - x->fraction : ((wide)rest << x->bits) + x->fraction;

    return (x->power_of_two && !up ? 4 * away : 2 * away) < x->spacing;
}

/* Whether the nearest multiple of `step` is above the number; halves go to the even one. */
HB_INLINE bool is_above(const scaled *x, uint64_t rest, uint64_t step)
{
    wide twice = ((wide)(2 * rest) << x->bits) + 2 * x->fraction, half = (wide)step << x->bits;

    return twice > half || (twice == half && (x->whole - rest) / step % 2 == 1);
}

/* To a multiple of `step`, a constant by which a division takes no division; false: that is another number. */
HB_INLINE bool round_to(const scaled *x, uint64_t step, uint64_t *digits)
{
    uint64_t rest = x->whole % step;
    bool up = is_above(x, rest, step);

    *digits = x->whole - rest + (up ? step : 0);
    return is_near(x, rest, step, up);
}

bool hb_shortest_digits(double number, uint64_t *digits, int *exponent)
{
    scaled x;

    if (!(number >= 1e-34 && number < 1e15) || !scale_to_digits(number, &x))
        return false;
    /* Each number that was written with 15 digits comes back; else 16 often are enough, and 17 always. The nearest 16
     * digits of a power of two can be too far below, where the next ones above are not. */
    if (!round_to(&x, 100, digits)) {
        if (x.power_of_two)
            return false;
        if (!round_to(&x, 10, digits))
            (void)round_to(&x, 1, digits);
    }
    *exponent = -x.scale;
    for (; *digits % 10 == 0; *digits /= 10)
        ++*exponent;
    return true;
}
