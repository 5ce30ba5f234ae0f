/* fuzz_onnx.c - see model_target.h. The seeds are the golden models, which are messages of protobuf. */
#define FUZZ_NAME "fuzz_onnx"
#include "model_target.h"
#include "protobuf_mutator.h"
