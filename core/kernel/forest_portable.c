/* forest_portable.c - what each dtype's forest has in plain C only: see forest_portable.inc. */
#include "kernel/forest_next.h"

#define number      float
#define forest_type hb_forest32
#define TYPED(name) name##32
#include "kernel/forest_portable.inc"
#undef number
#undef forest_type
#undef TYPED

#define number      double
#define forest_type hb_forest64
#define TYPED(name) name##64
#include "kernel/forest_portable.inc"
