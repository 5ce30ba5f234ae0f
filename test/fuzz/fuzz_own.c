/* fuzz_own.c - see model_target.h. */
#define FUZZ_NAME   "fuzz_own"
#define LOAD_FACTOR 16
#define PLAN_FACTOR 48
#define PLAN_SLACK  ((size_t)32 << 20)
#include "model_target.h"
