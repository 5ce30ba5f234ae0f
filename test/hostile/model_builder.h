/* model_builder.h - small valid XGBoost models, in JSON and UBJSON from one description, of which any
 * field can be changed. For tests of broken models.
 *
 *     mb_model *m = mb_make(MB_BINARY);
 *     mb_edit(m, "T0.left_children[2] = 9\n"      sets a value; a member that is not there is added
 *                "+P.num_class = \"3\"\n"          adds one member more, also a duplicate
 *                "&L.feature_names = \"d\"\n"       adds an element to an array
 *                "-L.objective\n"                  removes
 *                "!T0.split_conditions[0] = 1e999\n"  JSON only: these bytes as they stand
 *                "$T0.left_children = L\n"         the type of a UBJSON array; - for an untyped one
 *                "#T0.left_children = 99");        the count that a UBJSON array declares
 *     mb_bytes b = mb_write(m, MB_UBJSON);
 *
 * Values are JSON, and nan, inf, -inf. A path starts at the root or with T<i> (a tree), M (the model
 * of gbtree), B (gradient_booster), P (learner_model_param), O (objective) or L (learner).
 *
 * A mistake in an edit ends the program: it is the test that is wrong. */
#ifndef MODEL_BUILDER_H
#define MODEL_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum mb_encoding { MB_JSON, MB_UBJSON, MB_ENCODINGS } mb_encoding;

typedef enum mb_sample {
    MB_REGRESSION, /* reg:squarederror, 3 features without names, 3 trees */
    MB_BINARY,     /* binary:logistic, features a, b, c */
    MB_MULTI,      /* multi:softprob, 3 classes, one round */
    MB_CODES,      /* category codes given as numbers in feature 0 */
    MB_CATEGORIES, /* stored categories: plan (text), fee (a number), zone (numbers) */
    MB_VECTOR,     /* vector leaves, two targets */
    MB_DART,
    MB_LINEAR, /* gblinear, 3 features */
    MB_SAMPLES
} mb_sample;

typedef struct mb_model mb_model;

typedef struct mb_bytes {
    char *data; /* freed by free(); exactly `size` bytes, so that a sanitizer sees a step too far */
    size_t size;
} mb_bytes;

const char *mb_sample_name(mb_sample sample);
mb_model *mb_make(mb_sample sample);
void mb_free(mb_model *model);
void mb_edit(mb_model *model, const char *edits);
mb_bytes mb_write(const mb_model *model, mb_encoding encoding);

/* Replaces the trees. A tree: a leaf `1.5`, vector leaf `[1,2]`, split `f0<0.5(yes,no)` or categories
 * `f0{1,3}(no match,match)`; a `!` before the bracket: missing goes left. */
void mb_set_trees(mb_model *model, const char *const *trees, size_t count);
/* One tree that is a chain of `depth` splits on feature 0, to the left or to the right. */
void mb_set_chain(mb_model *model, size_t depth, bool to_left);
/* One complete tree of `depth` levels of splits: all that a file of its size may cost. */
void mb_set_complete(mb_model *model, size_t depth);
/* Makes the nodes of a chain share. `what` "sets": every split tests the same `wide` categories; "leaves": every leaf
 * has the same row of `wide` numbers. Neither is valid. */
void mb_share(mb_model *model, const char *what, size_t wide);
/* `count` trees of one leaf each. */
void mb_set_stumps(mb_model *model, size_t count);

/* The sample after the edits (may be NULL), written. */
mb_bytes mb_edited(mb_sample sample, const char *edits, mb_encoding encoding);

#endif
