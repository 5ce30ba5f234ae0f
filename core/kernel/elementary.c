/* elementary.c - the one file of the core that calls the platform's float32 functions. */
#include "kernel/elementary.h"

#include <math.h>
#include <stddef.h>

/* The two inputs on which glibc 2.36's expf differs between CPUs with and without fused multiply-add,
 * and the answer of those with it, which nearly every machine that trains models gives. */
static const struct {
    float x, exp;
} guard[] = {
    {0x1.04845ep+5f, 0x1.f93e38p+46f},
    {-0x1.f8cbb2p+5f, 0x1.f45326p-92f},
};

float hb_expf(float x)
{
    for (size_t i = 0; i < sizeof(guard) / sizeof(guard[0]); i++)
        if (x == guard[i].x)
            return guard[i].exp;
    return expf(x);
}

float hb_logf(float x)
{
    return logf(x);
}

float hb_log1pf(float x)
{
    return log1pf(x);
}

float hb_expm1f(float x)
{
    return expm1f(x);
}
