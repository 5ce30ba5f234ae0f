/* onnx_encoders.h - what OneHotEncoder and LabelEncoder share: lists of texts or numbers, and columns that are looked
 * up among them. */
#ifndef HB_FORMAT_ONNX_ENCODERS_H
#define HB_FORMAT_ONNX_ENCODERS_H

#include "format/onnx.h"

/* A list of a node, in an attribute of one of these names; NULL: there is none of the kind. */
typedef struct hb_onnx_list_names {
    const char *texts, *integers, *floats, *tensor;
} hb_onnx_list_names;

typedef struct hb_onnx_list {
    int64_t type; /* hb_onnx_type of its items; 0: the node has no list */
    size_t n;
    hbs_text *texts; /* [n], in the pipeline's arena.. */
    double *numbers; /* ..or these */
} hb_onnx_list;

hbs_status hb_onnx_list_read(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_list_names *names,
                             hb_onnx_list *list);

/* Keys in the order of their bytes or numbers. */
typedef struct hb_onnx_keys {
    hb_onnx_list list;
    uint32_t *order; /* [list.n]: places in the list; NaN comes last */
    hb_work *work;
} hb_onnx_keys;

/* Keys of the type of `in`. */
hbs_status hb_onnx_keys_sort(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_list *list,
                             const hb_onnx_value *in, hb_onnx_keys *keys);
/* As of qsort, of two places in the list. */
int hb_onnx_keys_compare(const void *keys, uint32_t a, uint32_t b);

/* The results of keys, by their place in the list. */
typedef struct hb_onnx_meanings {
    const hb_onnx_list *values; /* NULL: a column for each */
    int32_t unknown;            /* ..of a column: HB_OUTPUT_NONE or HB_OUTPUT_REFUSE */
    double unknown_number;      /* of values */
    hbs_text unknown_text;
    uint32_t dictionary; /* of texts (hb_onnx_note_text) */
} hb_onnx_meanings;

/* An encoder of the columns of `in`, numbers or texts of the row. */
hbs_status hb_onnx_encoder_build(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_keys *keys,
                                 const hb_onnx_meanings *meanings, const hb_onnx_value *in, hb_encoder *encoder);

#endif
