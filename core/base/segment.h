/* segment.h - the columns of a weighted sum, a run of them at a time. */
#ifndef HB_BASE_SEGMENT_H
#define HB_BASE_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

/* Either `n_columns` columns of an input, with a weight each; or one column of whole numbers, each of which picks one
 * of `n_weights` weights. */
typedef struct hb_segment {
    uint32_t input;     /* of the node's inputs */
    uint32_t first;     /* its column where the segment begins */
    uint32_t n_columns; /* 1 where they pick weights */
    uint32_t n_weights;
    uint32_t picks; /* 0 or 1 */
} hb_segment;

#endif
