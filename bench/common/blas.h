/* blas.h - lets a run use OpenBLAS, as under the setting dense = blas. */
#ifndef BENCH_BLAS_H
#define BENCH_BLAS_H

#include "hbscore.h"

/* `path`: OpenBLAS's serial build. Stops the program where there is none. */
void blas_use(hbs_run *run, const char *path);

#endif
