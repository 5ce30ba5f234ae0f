/* whole_tensors.h - an ONNX graph that is computed once, of whole tensors of any shape, as the node tests of ONNX state
 * their inputs and outputs. The reader, its operators and the plan are those of tables; each item of an input is a
 * feature of the one row. */
#ifndef HB_TEST_WHOLE_TENSORS_H
#define HB_TEST_WHOLE_TENSORS_H

#include "format/onnx.h"

enum { MOST_TENSORS = 32 };

typedef struct whole_tensor {
    int64_t type; /* hb_onnx_type */
    int64_t dims[HB_ONNX_MAX_RANK];
    size_t n_dims, count;
    double *numbers; /* [count], the owner's; NULL: texts */
    hbs_text *texts; /* [count], the owner's, of the tensor's bytes; NULL: numbers */
} whole_tensor;

/* A TensorProto. Its numbers must be freed by whole_tensor_free, also after an error. */
hbs_status whole_tensor_parse(const void *bytes, size_t size, whole_tensor *tensor, hbs_error *error);
void whole_tensor_free(whole_tensor *tensor);

typedef struct whole_tensors {
    whole_tensor items[MOST_TENSORS];
    size_t n;
} whole_tensors;

void whole_tensors_free(whole_tensors *tensors);

/* Computes the model's outputs of these inputs, which are in the order of the graph's, without these passes of the
 * optimizer (HBS_PASS_...). HBS_E_UNSUPPORTED: it has something that hbscore does not read. */
hbs_status whole_tensors_compute(const hbs_host *host, const void *model, size_t size, const whole_tensors *inputs,
                                 uint32_t passes_off, whole_tensors *outputs, hbs_error *error);

#endif
