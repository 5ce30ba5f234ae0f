/* peers_lightgbm.c - LightGBM's C API: raw scores by LGBM_BoosterPredictForMat, and of one row by
 * LGBM_BoosterPredictForMatSingleRowFast. */
#include "peers.h"

#include "../common/driven.h"

#include <stdint.h>

enum { FLOAT32 = 0, BY_ROW = 1, RAW_SCORE = 1, ALL_TREES = -1 };

typedef struct lightgbm {
    peer_input in;
    void *booster, *fast;
    int classes;
    double *scores; /* [rows][classes] */
    const char *(*last_error)(void);
    int (*open)(const char *path, int *rounds, void **booster);
    int (*count_classes)(void *booster, int *classes);
    int (*predict)(void *booster, const void *matrix, int type, int32_t rows, int32_t columns, int order, int what,
                   int first_tree, int trees, const char *parameters, int64_t *n, double *scores);
    int (*fast_make)(void *booster, int what, int first_tree, int trees, int type, int32_t columns,
                     const char *parameters, void **fast);
    int (*fast_predict)(void *fast, const void *row, int64_t *n, double *scores);
} lightgbm;

static void check(const lightgbm *l, int status)
{
    if (status != 0)
        driven_stop("LightGBM", l->last_error());
}

static long long predict(void *context, size_t first, size_t batch, size_t turns, double *scores)
{
    const lightgbm *l = context;
    const float *from = l->in.matrix + first * l->in.features;
    double *to = scores ? scores : l->scores;
    long long begin = driven_now();
    int64_t n;

    for (size_t i = 0; i < turns; i++, from += batch * l->in.features)
        if (batch == 1)
            check(l, l->fast_predict(l->fast, from, &n, to));
        else
            check(l, l->predict(l->booster, from, FLOAT32, (int32_t)batch, (int32_t)l->in.features, BY_ROW, RAW_SCORE,
                                0, ALL_TREES, "num_threads=1", &n, to));
    return driven_now() - begin;
}

peer peer_lightgbm(const peer_input *in)
{
    lightgbm *l = driven_room(sizeof(*l));
    void *library = peer_open(in->library);
    int rounds;

    l->in = *in;
    peer_function(library, "LGBM_GetLastError", &l->last_error);
    peer_function(library, "LGBM_BoosterCreateFromModelfile", &l->open);
    peer_function(library, "LGBM_BoosterGetNumClasses", &l->count_classes);
    peer_function(library, "LGBM_BoosterPredictForMat", &l->predict);
    peer_function(library, "LGBM_BoosterPredictForMatSingleRowFastInit", &l->fast_make);
    peer_function(library, "LGBM_BoosterPredictForMatSingleRowFast", &l->fast_predict);
    check(l, l->open(in->model, &rounds, &l->booster));
    check(l, l->count_classes(l->booster, &l->classes));
    check(l,
          l->fast_make(l->booster, RAW_SCORE, 0, ALL_TREES, FLOAT32, (int32_t)in->features, "num_threads=1", &l->fast));
    l->scores = driven_room(in->rows * (size_t)l->classes * sizeof(*l->scores));
    return (peer){l, (size_t)l->classes, predict};
}
