/* kernels.h - the loops over rows, each compiled for several instruction sets (isas) from the same lines of C.
 *
 * Files of the Makefile's list ISA_KERNELS are compiled once as they are, for every CPU, and once more for each
 * isa, under names with its suffix. All do the same operations in the same order and none fuses
 * a product with a sum, so the bits are the same; only how many rows go through at once differs.
 * A new kernel is a line of kernels.def and a function HB_KERNEL(name) in one of these files. */
#ifndef HB_KERNEL_KERNELS_H
#define HB_KERNEL_KERNELS_H

#include "hbscore.h"
#include "kernel/arithmetic64.h"
#include "kernel/bits_kernel.h"
#include "kernel/compact_kernel.h"
#include "kernel/convolution32.h"
#include "kernel/dense_kernel.h"
#include "kernel/elementwise.h"
#include "kernel/elementwise64.h"
#include "kernel/encoder_kernel.h"
#include "kernel/expansion64.h"
#include "kernel/forest_kernel.h"
#include "kernel/gemm_kernel.h"
#include "kernel/input_kernel.h"
#include "kernel/isa.h"
#include "kernel/row_kernel.h"
#include "kernel/rows_kernel.h"
#include "kernel/matmul64.h"
#include "kernel/naive_bayes_kernel.h"
#include "kernel/nearest64.h"
#include "kernel/pairwise64.h"
#include "kernel/pool.h"
#include "kernel/product32.h"
#include "kernel/sparse_kernel.h"

/* The name of a kernel in the isa that a file is being compiled for (HB_SUFFIX; none: the portable one). */
#define HB_JOIN_(name, suffix) name##suffix
#define HB_JOIN(name, suffix)  HB_JOIN_(name, suffix)
#ifdef HB_SUFFIX
#define HB_KERNEL(name) HB_JOIN(name, HB_SUFFIX)
#else
#define HB_KERNEL(name) name
#endif

/* Before a loop that reads no number which an earlier turn wrote: an operator that writes over its input
 * reads and writes the same place in one turn. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* not every such loop pays, which is no fault */
#define HB_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define HB_INDEPENDENT _Pragma("GCC ivdep")
#endif

typedef struct hb_kernels {
    const char *name;   /* "portable", "avx2", "avx512", "avx512vbmi" */
    bool leaf_tables;   /* leaf values are looked up in registers, and all bytes of 64 permuted */
    size_t row_entries; /* up to so many all tests of many trees are taken at once (hb_row_forest); 0: never */
#define HB_KERNEL_LINE(type, kernel, arguments) type(*kernel) arguments;
#include "kernel/kernels.def"
#undef HB_KERNEL_LINE
} hb_kernels;

/* Those of this CPU's best isa, or of the one that the environment variable
 * HBSCORE_INSTRUCTION_SET names, if the CPU and the build have it: for tests. */
const hb_kernels *hb_kernels_here(void);

/* HBS_E_ARGS, with the names that there are, where that variable has another one; empty is as if it were not set. */
hbs_status hb_kernels_check(hbs_error *error);

/* Those of isa `i`, from the portable one (0) to the best; NULL: there are no more, or this CPU lacks it. */
const hb_kernels *hb_kernels_at(size_t i);

#endif
