/* lightgbm.h - LightGBM's text model files, versions v3 and v4.
 *
 * Lines of `key=value`: a header, one block for each tree, `end of trees`, importances, parameters, and at
 * the very end the categories of pandas columns. Facts about the format were read in LightGBM's
 * sources (src/boosting/gbdt_model_text.cpp, src/io/tree.cpp, versions 3.3 to 4.7-dev). */
#ifndef HB_FORMAT_LIGHTGBM_H
#define HB_FORMAT_LIGHTGBM_H

#include "format/options.h"
#include "ir/pipeline.h"

hbs_status hb_lightgbm_read(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                            hbs_error *error);

/* ---- private to lightgbm*.c from here */

/* One tree's arrays as the file has them; reused from tree to tree. */
typedef struct hb_lightgbm_tree {
    int64_t n_leaves, n_sets, is_linear;
    hb_vector split_feature, decision_type, left, right, leaf_count, internal_count; /* int64_t */
    hb_vector threshold, leaf_value;                                                 /* double */
    hb_vector set_ends, set_words;                                                   /* int64_t */
    hb_vector leaf_constant, leaf_coefficients;                                      /* double */
    hb_vector n_leaf_features, leaf_features;                                        /* int64_t */
    uint32_t members;
} hb_lightgbm_tree;

typedef struct hb_lightgbm_file {
    hb_pipeline *pipeline; /* its arena takes what lasts */
    const hb_options *options;
    hbs_error *error;
    const char *begin, *p, *end; /* the bytes, and where the next line starts */
    const char *polled;          /* the host was asked for cancel here */
    hbs_text line;               /* the current one, without its end */
    hb_lightgbm_tree tree;

    hbs_text version, objective;           /* they point into the file */
    hbs_text feature_names, feature_infos; /* one item for each feature, once the header has been read */
    hbs_text monotone_constraints, tree_sizes, categorical_feature, pandas_categorical;
    int64_t n_classes, n_per_iteration, max_feature;
    bool has_header, average;
    bool flushes;            /* a tree looks at numbers otherwise than by tests, or takes zero for missing */
    hb_forest_model *forest; /* in the arena; NULL once it is the pipeline's */
} hb_lightgbm_file;

/* lightgbm.c: the next line; false at the end of the file. HBS_E_CANCEL comes through `status`. */
bool hb_lightgbm_next_line(hb_lightgbm_file *file, hbs_status *status);
/* Splits `key=value`; false where the line has no '='. */
bool hb_lightgbm_split(hbs_text line, hbs_text *key, hbs_text *value);
/* Fails at a place of the file, in words that begin with where it is ("tree 3, threshold"). */
__attribute__((format(printf, 4, 5))) hbs_status hb_lightgbm_fail(const hb_lightgbm_file *file, hbs_status status,
                                                                  const char *at, const char *format, ...);
/* A whole number within [low, high], the whole of `value`. */
hbs_status hb_lightgbm_integer(const hb_lightgbm_file *file, hbs_text key, hbs_text value, int64_t low, int64_t high,
                               int64_t *number);
/* Numbers with spaces between them, appended; "inf" and "-inf" pass as doubles. */
hbs_status hb_lightgbm_integers(const hb_lightgbm_file *file, hbs_text key, hbs_text value, hb_vector *numbers);
hbs_status hb_lightgbm_doubles(const hb_lightgbm_file *file, hbs_text key, hbs_text value, hb_vector *numbers);

/* lightgbm_tree.c: the block behind the line `Tree=number`. */
void hb_lightgbm_tree_init(hb_lightgbm_tree *tree, hb_memory *memory);
void hb_lightgbm_tree_release(hb_lightgbm_tree *tree);
hbs_status hb_lightgbm_tree_read(hb_lightgbm_file *file, size_t number);

/* lightgbm_tail.c: reads the sections behind the line `end of trees`, to the end of the file. */
hbs_status hb_lightgbm_tail_read(hb_lightgbm_file *file);

/* lightgbm_categories.c: whether training had a feature of categories, by feature_infos. */
bool hb_lightgbm_takes_codes(const hb_lightgbm_file *file);
/* lightgbm_categories.c: pandas' categories as the categories of features; which features take codes. */
hbs_status hb_lightgbm_categories(hb_lightgbm_file *file);

/* lightgbm_pipeline.c: the operators, once the file has been read. */
hbs_status hb_lightgbm_build(hb_lightgbm_file *file);

#endif
