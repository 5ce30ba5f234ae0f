/* catboost.h - CatBoost's JSON model files (save_model(.., format="json")), versions 0.20 to 1.2.
 *
 * Members come in alphabetical order; the walk over the document fills an hb_catboost_file, and
 * hb_catboost_build makes the pipeline from it. A split is its split_index: float features' borders come
 * first, then the values of one-hot features, then the borders of ctrs, each in the file's order. */
#ifndef HB_FORMAT_CATBOOST_H
#define HB_FORMAT_CATBOOST_H

#include "format/document.h"
#include "format/options.h"

hbs_status hb_catboost_read(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                            hbs_error *error);

/* Whether a JSON text is CatBoost's, from its first member on: the name tells. */
bool hb_is_catboost(const uint8_t *bytes, size_t size);

/* ---- private to catboost*.c from here */

/* A float or categorical feature. */
typedef struct hb_catboost_feature {
    int64_t flat_index;          /* its place among the features that the caller gives */
    int64_t index;               /* its place among those of its kind */
    uint32_t name_at, name_size; /* in name_bytes */
    bool categorical, has_nans;
    uint8_t nan_treatment; /* 0 AsIs, 1 AsFalse, 2 AsTrue */
} hb_catboost_feature;

/* Kinds of splits, in the order in which split_index counts them. */
enum { HB_SPLIT_FLOAT, HB_SPLIT_EQUAL, HB_SPLIT_CTR, HB_N_SPLITS };

typedef struct hb_catboost_split {
    uint32_t feature; /* the number of the float feature, the categorical feature, the ctr */
    double border;    /* HB_SPLIT_EQUAL: the hash */
} hb_catboost_split;

/* A ctr, or a table of ctr_data: they find each other by the identifier's hash. */
typedef struct hb_catboost_ctr {
    hb_statistic statistic;
    uint64_t identifier;
} hb_catboost_ctr;

typedef struct hb_catboost_table {
    hb_count_table table;
    uint64_t identifier;
} hb_catboost_table;

/* The types of ctr (1 << hb_statistic_kind) for which one feature's own list of ctrs cuts the target into classes
 * in several ways. */
typedef struct hb_catboost_cuts {
    uint32_t feature; /* its place among the features that the caller gives */
    uint8_t kinds;
} hb_catboost_cuts;

typedef struct hb_catboost_file {
    hb_document *d;
    hb_pipeline *pipeline;
    const hb_options *options;
    hbs_error *error;

    hb_vector features[2];         /* hb_catboost_feature: float ones; categorical ones */
    hb_vector name_bytes;          /* char */
    hb_vector splits[HB_N_SPLITS]; /* hb_catboost_split, of each kind */
    hb_vector ctrs;                /* hb_catboost_ctr */
    hb_vector elements;            /* hb_element; `column` is the number within its kind until built */
    hb_vector tables;              /* hb_catboost_table */
    hb_vector keys;                /* uint64_t */
    hb_vector counts;              /* double */
    hb_vector numbers;             /* double: scratch */
    hb_vector bias;                /* double */
    double scale;
    size_t size, trees_at;    /* of the file; where its trees begin */
    hb_forest_model *forest;  /* nodes test split indices until built; NULL once the pipeline's */
    hb_vector weights;        /* double: scratch, the leaf weights of one tree */
    hb_vector tests;          /* int32_t: scratch, the split indices of one tree */
    size_t leaf_width;        /* numbers in a leaf; 0: no tree has been read */
    hbs_text loss;            /* "Logloss"; in the arena */
    double threshold;         /* of the probability, for the label */
    hb_vector class_names;    /* hbs_value */
    hb_vector class_numbers;  /* double: class_to_label */
    int64_t n_classes;        /* classes_count: more of them than training saw; else 0 */
    bool real_classes;        /* labels are real numbers, also those that look whole */
    uint8_t simple_cuts;      /* hb_catboost_cuts.kinds of features without a list of their own */
    uint8_t combination_cuts; /* hb_catboost_cuts.kinds of combinations */
    hb_vector feature_cuts;   /* hb_catboost_cuts */
    uint64_t cut;             /* the first way to cut the target into classes, in all lists of ctrs */
    bool has_cut, cuts_differ;
    bool has_params;      /* the file has the parameters of its training: it is one model, not a sum */
    bool several_targets; /* the loss has several targets */
    bool has_trees, has_scale;
} hb_catboost_file;

static inline hbs_status hb_catboost_no_memory(const hb_catboost_file *file)
{
    return hb_no_memory(file->pipeline->arena.memory, file->error);
}

/* catboost_features.c */
void hb_catboost_features_read(hb_catboost_file *file);
/* catboost_ctr.c */
void hb_catboost_ctrs_read(hb_catboost_file *file);       /* features_info.ctrs */
void hb_catboost_ctr_data_read(hb_catboost_file *file);   /* ctr_data */
bool hb_catboost_ctr_kind(hbs_text type, uint32_t *kind); /* hb_statistic_kind; false: unknown */
/* catboost_trees.c */
void hb_catboost_oblivious_read(hb_catboost_file *file);
void hb_catboost_trees_read(hb_catboost_file *file);
/* catboost_model_info.c */
void hb_catboost_model_info_read(hb_catboost_file *file);
/* catboost_columns.c: the features, and the columns that splits test; nodes come to test columns. */
hbs_status hb_catboost_features_build(hb_catboost_file *file);
hbs_status hb_catboost_columns_build(hb_catboost_file *file, size_t input, size_t *columns);
/* catboost_tables.c: each ctr's table; refuses ctrs whose table the file may not hold. Elements' columns are
 * places of features by then. */
hbs_status hb_catboost_tables_join(hb_catboost_file *file);
/* catboost_sums.c: ctrs with the same number read one table if their names are the same; for sums of models.
 * Nodes test columns by then. */
hbs_status hb_catboost_sum_parts(const hb_catboost_file *file, uint32_t **parts);
/* catboost_pipeline.c */
hbs_status hb_catboost_build(hb_catboost_file *file);

/* catboost.c: appends one item, or fails the document where there is no memory. NULL once it failed. */
void *hb_catboost_append(hb_catboost_file *file, hb_vector *vector, const void *item);
/* catboost.c: the numbers below n in the order of their items, in the arena. */
hbs_status hb_catboost_sorted(const hb_catboost_file *file, size_t n, const void *items,
                              int (*compare)(const void *items, uint32_t a, uint32_t b), uint32_t **order);

#endif
