/* isa.h - the instruction set (isa) that a file of core/kernel is compiled for.
 *
 * The Makefile compiles each file of its list ISA_KERNELS once for every CPU, and once more for each isa with
 * -DHB_ISA_AVX2, -DHB_ISA_AVX512 or -DHB_ISA_AVX512VBMI beside the compiler's flags for it. Kernels ask only the
 * HB_ISA_ macros: they are 1 or 0, and an isa includes those before it. They never ask what the compiler could use
 * (such as __AVX2__), since flags like -march=native would then put wide instructions into the code for every CPU. */
#ifndef HB_KERNEL_ISA_H
#define HB_KERNEL_ISA_H

#include "base/inline.h"

/* HB_LANES: how many doubles a vector of this isa has. HB_SUFFIX: what the names of its kernels end with. */
#if defined(HB_ISA_AVX512VBMI) /* with GFNI */
#define HB_SUFFIX     _avx512vbmi
#define HB_LANES      8
#define HB_ISA_AVX512 1
#define HB_ISA_AVX2   1
#elif defined(HB_ISA_AVX512) /* F, DQ, VL and BW */
#define HB_SUFFIX         _avx512
#define HB_LANES          8
#define HB_ISA_AVX512VBMI 0
#define HB_ISA_AVX2       1
#elif defined(HB_ISA_AVX2)
#define HB_SUFFIX         _avx2
#define HB_LANES          4
#define HB_ISA_AVX512VBMI 0
#define HB_ISA_AVX512     0
#else
#define HB_LANES          2
#define HB_ISA_AVX512VBMI 0
#define HB_ISA_AVX512     0
#define HB_ISA_AVX2       0
#endif

#if defined(__x86_64__)
#define HB_ISA_SSE2 1 /* every x86-64 has it */
#include <immintrin.h>
#else
#define HB_ISA_SSE2 0
#endif

/* The one place that asks the compiler: a file with wider instructions than its isa's would crash on the CPUs that it
 * is chosen for. The Makefile takes such flags out of CFLAGS. */
#if (defined(__AVX__) && !HB_ISA_AVX2) || (defined(__AVX512F__) && !HB_ISA_AVX512) || \
    (defined(__AVX512VBMI__) && !HB_ISA_AVX512VBMI)
#error "hbscore picks instruction sets at run time: compile without -march, -mcpu and -mavx"
#endif

#endif
