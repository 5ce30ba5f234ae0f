/* peers_compiled.c - models that lleaves and TL2cgen compiled into shared libraries, each called as its generated code
 * wants it: lleaves takes a matrix of float64, TL2cgen one row, as an array of entries. */
#include "peers.h"

#include "../common/driven.h"

#include <math.h>
#include <stdint.h>

typedef union entry {
    int missing; /* -1 */
    float value;
} entry;

typedef struct compiled {
    peer_input in;
    double *matrix, *scores; /* lleaves */
    void (*forest)(const double *rows, double *scores, int first, int end);
    entry *row; /* TL2cgen */
    void (*predict)(entry *row, int margin, float *scores);
    int32_t outputs;
} compiled;

static void keep(const double *from, size_t count, double *to)
{
    for (size_t i = 0; to && i < count; i++)
        to[i] = from[i];
}

static long long run_lleaves(void *context, size_t first, size_t batch, size_t turns, double *scores)
{
    const compiled *c = context;
    long long begin = driven_now(), ns;

    for (size_t i = 0; i < turns; i++)
        c->forest(c->matrix + (first + i * batch) * c->in.features, c->scores, 0, (int)batch);
    ns = driven_now() - begin;
    keep(c->scores, batch, scores);
    return ns;
}

peer peer_lleaves(const peer_input *in)
{
    compiled *c = driven_room(sizeof(*c));
    size_t count = in->rows * in->features;

    c->in = *in;
    peer_function(peer_open(in->library), "forest_root", &c->forest);
    c->matrix = driven_room(count * sizeof(*c->matrix));
    c->scores = driven_room(in->rows * sizeof(*c->scores));
    for (size_t i = 0; i < count; i++)
        c->matrix[i] = in->matrix[i];
    return (peer){c, 1, run_lleaves};
}

static void score_row(const compiled *c, const float *from, float *scores)
{
    for (size_t j = 0; j < c->in.features; j++)
        if (isnan(from[j]))
            c->row[j].missing = -1;
        else
            c->row[j].value = from[j];
    for (int32_t k = 0; k < c->outputs; k++)
        scores[k] = 0;
    c->predict(c->row, 1, scores);
}

enum { MOST_OUTPUTS = 64 };

static long long run_tl2cgen(void *context, size_t first, size_t batch, size_t turns, double *scores)
{
    const compiled *c = context;
    long long begin = driven_now();
    float made[MOST_OUTPUTS];

    for (size_t i = 0; i < batch * turns; i++) {
        score_row(c, c->in.matrix + (first + i) * c->in.features, made);
        for (int32_t k = 0; scores && k < c->outputs; k++)
            scores[i * (size_t)c->outputs + (size_t)k] = made[k];
    }
    return driven_now() - begin;
}

peer peer_tl2cgen(const peer_input *in)
{
    compiled *c = driven_room(sizeof(*c));
    void *library = peer_open(in->library);
    void (*count_classes)(int32_t * classes);

    c->in = *in;
    peer_function(library, "predict", &c->predict);
    peer_function(library, "get_num_class", &count_classes);
    count_classes(&c->outputs);
    if (c->outputs > MOST_OUTPUTS)
        driven_stop("too many classes", NULL);
    c->row = driven_room(in->features * sizeof(*c->row));
    return (peer){c, (size_t)c->outputs, run_tl2cgen};
}
