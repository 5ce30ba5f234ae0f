/* used.c - the features whose values the asked outputs need. */
#include "host/host.h"

size_t host_used_features(const host_plan *plan, uint32_t outputs, int *used)
{
    size_t n = 0;

    for (size_t f = 0; f < plan->info.features; f++)
        if (hbs_plan_uses(plan->compiled, f, outputs))
            used[n++] = (int)f;
    return n;
}
