/* large_onnx.h - ONNX files that are large in one direction each. The caller frees the bytes. */
#ifndef LARGE_ONNX_H
#define LARGE_ONNX_H

#include "hostile/model_builder.h"

mb_bytes onnx_chain(void);   /* 20,000 nodes one behind the other */
mb_bytes onnx_trees(void);   /* 60,000 trees of three nodes */
mb_bytes onnx_keys(void);    /* a LabelEncoder of 300,000 texts */
mb_bytes onnx_weights(void); /* a product with 1,000,000 weights */
mb_bytes onnx_words(void);   /* a vocabulary of 60,000 words */

#endif
