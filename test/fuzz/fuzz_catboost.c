/* fuzz_catboost.c - see model_target.h. */
#define FUZZ_NAME "fuzz_catboost"
#include "model_target.h"
