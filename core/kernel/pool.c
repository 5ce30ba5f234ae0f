/* pool.c - see pool.h: rows are the lanes; of few rows places of the window stand side by side. */
#include "kernel/pool.h"

#include <math.h>

#include "kernel/kernels.h"
#include "kernel/places.h"

enum { ROWS = 64 /* at once */, FEW = 4 };

/* NaN if one of the two is. */
#define LARGER(x, most) ((x) > (most) || (x) != (x) ? (x) : (most))

#define TYPED(name) name##32
#define NUMBER      float
#define TILE        hb_tile
#include "kernel/pool.inc"
#undef TYPED
#undef NUMBER
#undef TILE

#define TYPED(name) name##64
#define NUMBER      double
#define TILE        hb_tile64
#include "kernel/pool.inc"
#undef TYPED
#undef NUMBER
#undef TILE
