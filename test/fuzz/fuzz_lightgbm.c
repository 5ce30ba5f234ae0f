/* fuzz_lightgbm.c - see model_target.h. */
#define FUZZ_NAME "fuzz_lightgbm"
#include "model_target.h"
