/* kernels_table.c - the table of the kernels of one isa. */
#include "kernel/kernels_isas.h"
#include "kernel/row_tables.h"

#define NAME_OF_(suffix) #suffix
#define NAME_OF(suffix)  NAME_OF_(suffix)

/* The suffix begins with an underscore. */
const hb_kernels HB_KERNEL(hb_kernels_table) = {
#ifdef HB_SUFFIX
    &NAME_OF(HB_SUFFIX)[1],
#else
    "portable",
#endif
#if HB_ISA_AVX512VBMI
    true,
#else
    false,
#endif
    LOOKED_UP,
#define HB_KERNEL_LINE(type, kernel, arguments) HB_KERNEL(kernel),
#include "kernel/kernels.def"
#undef HB_KERNEL_LINE
};
