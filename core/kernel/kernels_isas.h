/* kernels_isas.h - the kernels of all isas by their names; kernels.h is what others use. */
#ifndef HB_KERNEL_KERNELS_ISAS_H
#define HB_KERNEL_KERNELS_ISAS_H

#include "kernel/kernels.h"

#define HB_KERNEL_LINE(type, kernel, arguments) \
    type kernel arguments;                      \
    type kernel##_avx2 arguments;               \
    type kernel##_avx512 arguments;             \
    type kernel##_avx512vbmi arguments;
#include "kernel/kernels.def"
#undef HB_KERNEL_LINE

extern const hb_kernels hb_kernels_table, hb_kernels_table_avx2, hb_kernels_table_avx512, hb_kernels_table_avx512vbmi;

#endif
