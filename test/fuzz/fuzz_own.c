/* fuzz_own.c - see model_target.h. */
#define FUZZ_NAME "fuzz_own"
#include "model_target.h"
