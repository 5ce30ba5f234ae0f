/* peers_xgboost.c - XGBoost's C API: margins by XGBoosterPredictFromDense, which makes no matrix of its own, and by
 * XGBoosterPredictFromDMatrix. A DMatrix is made anew for each call, outside of the time, as the library remembers
 * what it predicted for one. */
#include "peers.h"

#include "../common/driven.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define MARGINS                                                                         \
    "{\"type\": 1, \"training\": false, \"iteration_begin\": 0, \"iteration_end\": 0, " \
    "\"strict_shape\": true, \"cache_id\": 0, \"missing\": NaN}"

typedef struct xgboost {
    peer_input in;
    void *booster;
    size_t outputs;
    const char *(*last_error)(void);
    int (*create)(void *const *matrices, uint64_t n, void **booster);
    int (*load)(void *booster, const void *bytes, uint64_t size);
    int (*set)(void *booster, const char *name, const char *value);
    int (*from_dense)(void *booster, const char *matrix, const char *how, void *proxy, const uint64_t **shape,
                      uint64_t *n_shape, const float **scores);
    int (*from_matrix)(void *booster, void *matrix, const char *how, const uint64_t **shape, uint64_t *n_shape,
                       const float **scores);
    int (*make_matrix)(const float *values, uint64_t rows, uint64_t columns, float missing, void **matrix);
    int (*free_matrix)(void *matrix);
} xgboost;

static void check(const xgboost *x, int status)
{
    if (status != 0)
        driven_stop("XGBoost", x->last_error());
}

static void widen(const float *from, size_t count, double *to)
{
    for (size_t i = 0; to && i < count; i++)
        to[i] = from[i];
}

static const float *dense(const xgboost *x, size_t first, size_t batch, const uint64_t **shape)
{
    const float *scores;
    uint64_t n;
    char matrix[256];

    snprintf(matrix, sizeof(matrix),
             "{\"data\": [%" PRIuPTR ", true], \"shape\": [%zu, %zu], \"typestr\": \"<f4\", "
             "\"version\": 3}",
             (uintptr_t)(x->in.matrix + first * x->in.features), batch, x->in.features);
    check(x, x->from_dense(x->booster, matrix, MARGINS, NULL, shape, &n, &scores));
    return scores;
}

static long long predict_dense(void *context, size_t first, size_t batch, size_t turns, double *scores)
{
    const xgboost *x = context;
    const float *made = NULL;
    const uint64_t *shape;
    long long begin = driven_now(), ns;

    for (size_t i = 0; i < turns; i++)
        made = dense(x, first + i * batch, batch, &shape);
    ns = driven_now() - begin;
    widen(made, batch * x->outputs, scores);
    return ns;
}

static long long predict_matrix(void *context, size_t first, size_t batch, size_t turns, double *scores)
{
    const xgboost *x = context;
    const float *made = NULL;
    const uint64_t *shape;
    long long ns = 0, begin;
    uint64_t n;
    void *matrix;

    for (size_t i = 0; i < turns; i++) {
        check(x,
              x->make_matrix(x->in.matrix + (first + i * batch) * x->in.features, batch, x->in.features, NAN, &matrix));
        begin = driven_now();
        check(x, x->from_matrix(x->booster, matrix, MARGINS, &shape, &n, &made));
        ns += driven_now() - begin;
        if (i == turns - 1)
            widen(made, batch * x->outputs, scores);
        check(x, x->free_matrix(matrix));
    }
    return ns;
}

static xgboost *open_model(const peer_input *in)
{
    xgboost *x = driven_room(sizeof(*x));
    void *library = peer_open(in->library), *bytes;
    const uint64_t *shape;
    size_t size;

    x->in = *in;
    peer_function(library, "XGBGetLastError", &x->last_error);
    peer_function(library, "XGBoosterCreate", &x->create);
    peer_function(library, "XGBoosterLoadModelFromBuffer", &x->load);
    peer_function(library, "XGBoosterSetParam", &x->set);
    peer_function(library, "XGBoosterPredictFromDense", &x->from_dense);
    peer_function(library, "XGBoosterPredictFromDMatrix", &x->from_matrix);
    peer_function(library, "XGDMatrixCreateFromMat", &x->make_matrix);
    peer_function(library, "XGDMatrixFree", &x->free_matrix);
    bytes = driven_file(in->model, &size);
    check(x, x->create(NULL, 0, &x->booster));
    check(x, x->load(x->booster, bytes, size));
    check(x, x->set(x->booster, "nthread", "1"));
    dense(x, 0, 1, &shape);
    x->outputs = shape[1];
    return x;
}

peer peer_xgboost(const peer_input *in)
{
    xgboost *x = open_model(in);

    return (peer){x, x->outputs, predict_dense};
}

peer peer_xgboost_matrix(const peer_input *in)
{
    xgboost *x = open_model(in);

    return (peer){x, x->outputs, predict_matrix};
}
