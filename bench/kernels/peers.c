/* peers.c - another library, driven over standard input:
 *
 *     peers WAY LIBRARY MODEL ROWS
 *
 * WAY is a row of the table below, LIBRARY the shared library, MODEL a file of its own, ROWS a file of rows of float32.
 * Results are raw scores. The libraries use one thread: those that ask OMP_NUM_THREADS are told so by the caller. */
#define _POSIX_C_SOURCE 199309L

#include "peers.h"

#include "../common/driven.h"
#include "../common/rows.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    peer (*make)(const peer_input *in);
} ways[] = {{"xgboost", peer_xgboost},   {"xgboost_matrix", peer_xgboost_matrix},
            {"lightgbm", peer_lightgbm}, {"onnx", peer_onnx},
            {"lleaves", peer_lleaves},   {"tl2cgen", peer_tl2cgen}};

void *peer_open(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        driven_stop(path, dlerror());
    return library;
}

void peer_function(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);

    if (!address)
        driven_stop("no such function", name);
    memcpy(function, &address, sizeof(address));
}

static long long run(void *context, size_t first, size_t batch, size_t turns)
{
    const peer *p = context;

    return p->predict(p->context, first, batch, turns, NULL);
}

static void write(void *context, FILE *f, size_t first, size_t rows)
{
    const peer *p = context;
    double *scores = driven_room(rows * p->outputs * sizeof(*scores));

    p->predict(p->context, first, rows, 1, scores);
    fwrite(scores, sizeof(*scores), rows * p->outputs, f);
    free(scores);
}

int main(int argc, char **argv)
{
    peer_input in;
    peer p;
    rows t;

    if (argc != 5) {
        fprintf(stderr, "usage: peers WAY LIBRARY MODEL ROWS\n");
        return 2;
    }
    t = rows_read(argv[4]);
    in = (peer_input){argv[2], argv[3], rows_matrix(&t), t.count, t.n_columns};
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        if (strcmp(ways[i].name, argv[1]) == 0) {
            p = ways[i].make(&in);
            return driven_serve(
                &(driven){.context = &p, .rows = t.count, .most = t.count, .step = 1, .run = run, .write = write});
        }
    driven_stop("no such way", argv[1]);
    return 1;
}
