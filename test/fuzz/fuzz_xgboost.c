/* fuzz_xgboost.c - see model_target.h. */
#define FUZZ_NAME "fuzz_xgboost"
#include "model_target.h"
