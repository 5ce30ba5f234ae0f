/* peers.h - other libraries as programs that are driven over standard input (bench/common/driven.h). Each file of
 * ways opens its library by dlopen and declares the few functions of its C API that are called. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stddef.h>
#include <stdio.h>

/* What a way is made of: the path of the library, that of the model (of compiled models there is one file), the rows
 * as a matrix of float32, row by row. */
typedef struct peer_input {
    const char *library, *model;
    float *matrix;
    size_t rows, features;
} peer_input;

/* `predict` scores rows [first, first + rows) and lays their raw scores into `scores`, where that is not NULL, else
 * leaves them where the library gives them; returns the time. `outputs`: scores a row. */
typedef struct peer {
    void *context;
    size_t outputs;
    long long (*predict)(void *context, size_t first, size_t batch, size_t turns, double *scores);
} peer;

peer peer_xgboost(const peer_input *in);        /* in place, from the matrix */
peer peer_xgboost_matrix(const peer_input *in); /* a DMatrix that is there */
peer peer_lightgbm(const peer_input *in);       /* single rows: the fast call */
peer peer_onnx(const peer_input *in);
peer peer_lleaves(const peer_input *in);
peer peer_tl2cgen(const peer_input *in);

/* The function of an opened library; stops the program where there is none. */
void *peer_open(const char *path);
void peer_function(void *library, const char *name, void *function);

#endif
