/* model_builder_private.h - what model_builder.c and model_edit.c share. */
#ifndef MODEL_BUILDER_PRIVATE_H
#define MODEL_BUILDER_PRIVATE_H

#include "model_document.h"

struct mb_model {
    md_pool pool;
    md_value *root;
    int features;
    int outputs; /* numbers of a leaf */
    bool dart;
};

/* Ends the program: the test is wrong. */
void mb_mistake(const char *what, const char *where);

/* The member of the root at this path of keys; NULL ends it early. NULL where there is none. */
md_value *mb_at_path(mb_model *m, const char *a, const char *b, const char *c);
/* The member `model` that holds the trees, or gblinear's weights. */
md_value *mb_inner_model(mb_model *m);

#endif
