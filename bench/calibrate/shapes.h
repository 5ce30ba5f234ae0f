/* shapes.h - forests whose shapes tell one term of the cost model from another. */
#ifndef BENCH_SHAPES_H
#define BENCH_SHAPES_H

#include "pipeline/pipeline.h"

typedef enum growth { IRREGULAR, PERFECT, OBLIVIOUS } growth;

typedef struct shape {
    growth growth;
    uint32_t trees;
    uint32_t size; /* levels of a perfect or oblivious tree; leaves of an irregular one */
    uint32_t features;
    uint32_t cuts;       /* thresholds of a feature */
    uint32_t categories; /* of every other feature; 0: there are none */
} shape;

/* Numbers from a seed. */
uint32_t random_below(uint64_t *state, uint32_t n);

/* A sealed pipeline that is such a forest, in float64 or float32. */
void shape_make(const shape *s, bool wide, hb_memory *memory, hb_pipeline *pipeline);

/* A value of a feature: from 0 to 1, or a category. */
float shape_cell(const shape *s, uint32_t feature, uint64_t *state);

#endif
