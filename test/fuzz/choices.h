/* choices.h - a fuzzer's bytes as choices and numbers. Where the bytes end, numbers drawn from a hash of them go on, so
 * that a few bytes are a whole input. Included behind fuzz_host.h, once. */
#include <float.h>
#include <math.h>

#include "base/memory.h"

static void *must(void *block)
{
    if (!block)
        give_up("no memory", NULL);
    return block;
}

static void append(hb_vector *vector, const void *items, size_t count)
{
    must(hb_vector_append(vector, items, count));
}
/* ------------------------------------------------------------------ choices */

typedef struct choices {
    const uint8_t *at, *end;
    uint64_t state; /* of the numbers behind the last byte */
} choices;

static void choices_begin(choices *c, const uint8_t *data, size_t size)
{
    *c = (choices){data, data + size, 14695981039346656037u};
    for (size_t i = 0; i < size; i++)
        c->state = (c->state ^ data[i]) * 1099511628211u;
}

static uint64_t bits_of(choices *c, int bytes)
{
    uint64_t bits = 0;

    for (int i = 0; i < bytes; i++)
        if (c->at < c->end) {
            bits = bits << 8 | *c->at++;
        } else {
            c->state += 0x9e3779b97f4a7c15u;
            bits = bits << 8 | ((c->state ^ c->state >> 29) * 0xbf58476d1ce4e5b9u) >> 56;
        }
    return bits;
}

static uint32_t below(choices *c, uint32_t n)
{
    return (uint32_t)(bits_of(c, n > 256 ? 2 : 1) % n);
}

/* ------------------------------------------------------------------ numbers */

static const double SPECIAL[] = {0.0,        -0.0,     0x1p-149, -0x1p-149, 0x1p-1074,
                                 -0x1p-1074, 0x1p-127, FLT_MIN,  -FLT_MIN,  DBL_MIN,
                                 1e-35,      -1e-35,   FLT_MAX,  -FLT_MAX,  3.4028235677973366e38,
                                 DBL_MAX,    -DBL_MAX, INFINITY, -INFINITY};
enum { N_SPECIAL = sizeof(SPECIAL) / sizeof(SPECIAL[0]) };

static double any_bits(choices *c)
{
    uint64_t bits = bits_of(c, 8);
    double number;

    memcpy(&number, &bits, sizeof(number));
    return isnan(number) ? 0.5 : number;
}

/* Never NaN. */
static double some_number(choices *c)
{
    switch (below(c, 8)) {
    case 0:
        return SPECIAL[below(c, N_SPECIAL)];
    case 1:
        return any_bits(c);
    case 2:
    case 3: /* all different */
        return (double)(int32_t)bits_of(c, 4) / 0x1p26;
    default:
        return (double)((int)below(c, 41) - 20) / 4;
    }
}

/* A number next to it: in float64, in float32. */
static double neighbour(choices *c, double number)
{
    double towards = below(c, 2) ? INFINITY : -INFINITY;

    return below(c, 2) ? nextafter(number, towards) : (double)nextafterf((float)number, (float)towards);
}
