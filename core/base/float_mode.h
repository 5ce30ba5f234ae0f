/* float_mode.h - the floating-point mode that hbscore computes in, whatever the host's is.
 *
 * A host may have switched to another rounding, to flushing denormals to zero (any shared object that was
 * linked with fast-math does that to the whole thread) or to trapping exceptions. Scores must not
 * depend on it, and a NaN must not become a SIGFPE. So every public function that computes begins with
 * hb_float_begin and gives the mode back with hb_float_end. */
#ifndef HB_BASE_FLOAT_MODE_H
#define HB_BASE_FLOAT_MODE_H

#if defined(__x86_64__)

#include <immintrin.h>

typedef unsigned hb_float_mode;

enum { HB_MXCSR_DEFAULT = 0x1f80, HB_MXCSR_FLAGS = 0x3f };

/* To the nearest, denormals kept, nothing trapped. Costs a load where the mode is that already. */
static inline hb_float_mode hb_float_begin(void)
{
    unsigned mode = _mm_getcsr();

    if ((mode & ~(unsigned)HB_MXCSR_FLAGS) != HB_MXCSR_DEFAULT)
        _mm_setcsr(HB_MXCSR_DEFAULT);
    return mode;
}

static inline void hb_float_end(hb_float_mode mode)
{
    if ((mode & ~(unsigned)HB_MXCSR_FLAGS) != HB_MXCSR_DEFAULT)
        _mm_setcsr(mode);
}

#else

#include <fenv.h>

typedef fenv_t hb_float_mode;

static inline hb_float_mode hb_float_begin(void)
{
    fenv_t mode;

    fegetenv(&mode);
    fesetenv(FE_DFL_ENV);
    return mode;
}

static inline void hb_float_end(hb_float_mode mode)
{
    fesetenv(&mode);
}

#endif
#endif
