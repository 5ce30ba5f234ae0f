/* pool.c - see pool.h: rows are the lanes. */
#include "kernel/pool.h"

#include <math.h>

#include "kernel/kernels.h"

enum { ROWS = 64 /* at once */ };

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
