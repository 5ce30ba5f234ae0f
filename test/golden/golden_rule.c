/* golden_rule.c - whether a number is the training library's, by the rule of its output. */
#include "golden.h"

#include <math.h>
#include <string.h>

static int64_t ordered(float number)
{
    int32_t bits;

    memcpy(&bits, &number, sizeof(bits));
    return bits < 0 ? (int64_t)INT32_MIN - bits : bits;
}

bool rg_agrees(const rg_output *out, double got, double want)
{
    int64_t apart;

    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want);
    switch (out->rule) {
    case RG_EXACT:
        return memcmp(&got, &want, sizeof(got)) == 0;
    case RG_ULP1:
        apart = ordered((float)got) - ordered((float)want);
        return got == (double)(float)got && apart >= -1 && apart <= 1;
    case RG_ABSOLUTE:
        return got == want || fabs(got - want) <= out->tolerance;
    default:
        return got == want || fabs(got - want) <= out->tolerance * fabs(want);
    }
}
