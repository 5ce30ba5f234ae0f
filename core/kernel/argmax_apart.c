/* argmax_apart.c - see elementwise.h and elementwise64.h: the argmax of a softmax, told from the raw scores.
 *
 * The largest score's term is exp(0) = 1. A score that is less by more than 2^-20 (float64: 2^-48) has a term that is
 * less than 1 by at least eight last bits, whatever exp rounds. Both are divided by the same sum, and the quotients
 * differ too. Equal scores have equal quotients, and the first of them is the answer of either argmax. So only a row in
 * which another score is nearer than that is in doubt and needs its softmax. So is a row with a NaN or without a finite
 * maximum, whose softmax is NaN. */
#include <string.h>

#include "kernel/kernels.h"

enum { VECTORS = 4 }; /* side by side: as many as the registers have room for */

#define TYPED(name) name##32
#define number      float
#define whole       int32_t
#define tile_type   hb_tile
#define APART       0x1p-20f
#define MAGNITUDE   INT32_MAX /* all bits but the sign */
#include "kernel/argmax_apart.inc"
#undef TYPED
#undef number
#undef whole
#undef tile_type
#undef APART
#undef MAGNITUDE

#define TYPED(name) name##64
#define number      double
#define whole       int64_t
#define tile_type   hb_tile64
#define APART       0x1p-48
#define MAGNITUDE   INT64_MAX
#include "kernel/argmax_apart.inc"
