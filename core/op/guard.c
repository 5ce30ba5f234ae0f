/* guard.c - numbers as they are, but none that the library refuses. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "op/columns.h"

static uint64_t rows_beyond(const double *x, size_t rows, unsigned asked)
{
    uint64_t beyond = 0;

    for (size_t r = 0; r < rows; r++) {
        bool nan = x[r] != x[r], infinite = !nan && !(fabs(x[r]) <= DBL_MAX);

        beyond |= (uint64_t)((nan && asked & HB_DEMAND_KNOWN) || (infinite && asked & HB_DEMAND_FINITE)) << r;
    }
    return beyond;
}

/* Columns [first, first + n); all at once, as mostly nothing is found. */
static void look_for_beyond(const hb_call *call, const hb_fit_guard *fit, size_t first, size_t n)
{
    const hb_kernels *k = call->kernels;
    const double *x = (const double *)call->input + first * call->stride;

    if (call->rows == call->stride && !(k->hb_look_at64(x, n * call->rows) & (HB_SAW_NAN | HB_SAW_INFINITE)))
        return;
    for (size_t c = first; c < first + n; c++, x += call->stride) {
        uint64_t beyond = k->hb_look_at64(x, call->rows) & (HB_SAW_NAN | HB_SAW_INFINITE)
                              ? rows_beyond(x, call->rows, hb_asked(fit->asked[c], call->asker))
                              : 0;

        for (; beyond; beyond &= beyond - 1)
            hb_refuse_number(call->refusal, (size_t)__builtin_ctzll(beyond), &fit->failure, c, (double)NAN);
    }
}

enum { AT_ONCE = 4096 };

/* How many columns from c on are asked for something, or are not, as column c; at most AT_ONCE. */
static size_t alike_from(const hb_call *call, const uint8_t *asked, size_t c)
{
    size_t most = call->width - c < AT_ONCE ? call->width - c : AT_ONCE, n = 1;
    bool asks = hb_asked(asked[c], call->asker) != 0;

    if (memcmp(asked + c, asked + c + 1, most - 1) == 0)
        return most; /* mostly all are asked for the same */
    while (n < most && (hb_asked(asked[c + n], call->asker) != 0) == asks)
        n++;
    return n;
}

/* Mostly in place, and then it only looks. */
bool hb_evaluate_guard(const hb_call *call)
{
    const hb_fit_guard *fit = call->fit;
    const uint8_t *asked = fit->asked;
    size_t columns = 0; /* since the host was asked */

    for (size_t c = 0, n; c < call->width; c += n) {
        n = alike_from(call, asked, c);
        if (hb_asked(asked[c], call->asker))
            look_for_beyond(call, fit, c, n);
        columns += n;
        if (columns < AT_ONCE)
            continue;
        if (!hb_call_goes_on(call, columns * (call->rows / HB_STEPS_A_UNIT + 1)))
            return false;
        columns = 0;
    }
    return hb_copy_columns(call, call->input, 0, call->width, 0);
}
