/* kernels.cu - the kernels for nvcc, to be compiled with -fmad=false: products and sums as on the CPU. */
#include "gpu/kernels.inc"
