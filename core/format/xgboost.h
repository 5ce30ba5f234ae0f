/* xgboost.h - XGBoost's JSON and UBJSON model files, written by versions 1.x to 3.x.
 *
 * Members come in alphabetical order: the trees before the objective that says what they mean. So the
 * walk over the document fills an hb_xgboost_file, and hb_xgboost_build makes the pipeline from it.
 * Facts about the format were read in XGBoost's sources, versions 1.2 to 3.5-dev. */
#ifndef HB_FORMAT_XGBOOST_H
#define HB_FORMAT_XGBOOST_H

#include "format/document.h"
#include "format/options.h"

/* The readers of formats "xgboost-json" and "xgboost-ubjson". */
hbs_status hb_xgboost_read_json(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                                hbs_error *error);
hbs_status hb_xgboost_read_ubjson(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                                  hbs_error *error);

/* ---- private to xgboost*.c from here */

typedef enum hb_xgboost_booster {
    HB_BOOSTER_NONE,
    HB_BOOSTER_GBTREE,
    HB_BOOSTER_DART,
    HB_BOOSTER_GBLINEAR
} hb_xgboost_booster;

/* One tree's arrays as the file has them; reused from tree to tree. */
typedef struct hb_xgboost_tree {
    hb_vector left, right, parents;              /* int32_t */
    hb_vector feature;                           /* int64_t */
    hb_vector condition, cover;                  /* float */
    hb_vector default_left, split_type;          /* uint8_t */
    hb_vector base_weights, leaf_weights;        /* float: vector leaves */
    hb_vector categories, category_nodes;        /* int32_t */
    hb_vector category_segments, category_sizes; /* int64_t */
    int64_t id, n_nodes, n_deleted, n_features, leaf_vector;
    uint32_t members; /* which members the tree had */
} hb_xgboost_tree;

typedef struct hb_xgboost_file {
    hb_document *d;
    hb_pipeline *pipeline; /* its arena takes what lasts */
    const hb_options *options;
    hbs_error *error;
    hb_xgboost_tree tree;

    int64_t version[3];
    int64_t best_iteration; /* -1: none */
    hbs_text scikit_learn;  /* the wrapper's attribute; bytes NULL: not written by it */
    hbs_text objective;
    hb_vector name_bytes;  /* char: the feature names, one after another */
    hb_vector name_ends;   /* uint32_t: where each ends */
    hb_vector codes;       /* uint8_t: 1 where feature_types says "c" */
    hb_vector base_scores; /* float */
    int64_t n_classes, n_targets, n_features;
    bool has_model_param;
    bool boost_from_average; /* base_score was to be estimated: nobody gave one */

    hb_xgboost_booster booster;
    hb_forest_model *forest; /* in the arena */
    size_t trees_at;         /* where in the file they begin */
    int64_t n_trees, n_parallel;
    bool has_model, has_trees, has_drop;
    hb_vector rounds;         /* int64_t: iteration_indptr, or empty */
    hb_vector tree_drop;      /* float: weight_drop */
    hb_vector linear_weights; /* float */
    int64_t linear_rounds;    /* boosted_rounds of gblinear */
    bool has_linear;
    hb_vector categories; /* hb_categories, one for each feature; or empty */
    size_t odd_names;     /* 1 + the first feature with categories that are not ASCII; 0: none */
    size_t broken_names;  /* 1 + the first feature with categories that are no UTF-8; 0: none */
    bool names_repaired;  /* the Python package has put the true names in */
} hb_xgboost_file;

/* Appends `member` to what must be asked of the document: reads a number that XGBoost writes as a
 * string, within [low, high]. */
int64_t hb_xgboost_integer(hb_document *d, int64_t low, int64_t high);

/* xgboost_tree.c: reads one tree object and appends it to file->forest. */
void hb_xgboost_tree_init(hb_xgboost_tree *tree, hb_memory *memory);
void hb_xgboost_tree_release(hb_xgboost_tree *tree);
void hb_xgboost_tree_read(hb_xgboost_file *file, size_t number);

/* xgboost_categories.c: reads the object `cats` into file->categories. */
void hb_xgboost_categories_read(hb_xgboost_file *file);
/* Refuses names that XGBoost has damaged, once features have names. */
hbs_status hb_xgboost_check_category_names(const hb_xgboost_file *file);

/* Whether XGBoost `major`.`minor` or a newer one wrote the file. */
bool hb_xgboost_since(const hb_xgboost_file *file, int64_t major, int64_t minor);

/* xgboost_booster.c: reads the object `gradient_booster`. */
void hb_xgboost_booster_read(hb_xgboost_file *file);

/* xgboost_pipeline.c: the operators, once the file has been read. */
hbs_status hb_xgboost_build(hb_xgboost_file *file);

/* xgboost_objective.c */
typedef struct hb_xgboost_objective {
    const char *name;
    hbs_task task;
    hb_link_kind link;
    hb_base_link base_link;
    bool probabilities; /* the link's values are probabilities of classes */
} hb_xgboost_objective;

/* NULL where the objective is not known. */
const hb_xgboost_objective *hb_xgboost_objective_find(hbs_text name);

#endif
