/* pipeline.h - a trained pipeline: a graph of operators with their fitted parameters (the "containers" of
 * Hummingbird, section 3.2), which every format is read into, and all that is said of the model beside.
 *
 * Node 0 is the table of features, one typed column each; the other nodes make values of earlier ones. hb_pipeline_seal
 * validates all that the later stages rely on; graph/ and plan/ accept sealed pipelines only. */
#ifndef HB_IR_PIPELINE_H
#define HB_IR_PIPELINE_H

#include "base/text.h"
#include "ir/graph.h"

/* The result for a category that training has not seen. */
typedef enum hb_unseen { HB_UNSEEN_ERROR, HB_UNSEEN_MISSING, HB_UNSEEN_NULL } hb_unseen;

/* The categories of one feature in their order: the position is the code that trees test. */
typedef struct hb_categories {
    hbs_type type; /* HBS_TEXT: `texts`; HBS_INT64: `numbers`; HBS_FLOAT64: `reals` */
    size_t count;
    const hbs_text *texts; /* bytes: a file may hold invalid UTF-8 */
    const int64_t *numbers;
    const double *reals; /* none is NaN */
} hb_categories;

/* One fact about a model for people: hbscore_inspect's lines of the role "model". */
typedef struct hb_fact {
    const char *name;
    const char *value;
} hb_fact;
enum { HB_MAX_FACTS = 16 };

typedef struct hb_pipeline {
    hb_arena arena;     /* owns all below */
    hbs_limits limits;  /* none of them 0 */
    const char *format; /* "xgboost-json" */
    hbs_task task;
    hb_fact facts[HB_MAX_FACTS];
    size_t n_facts;

    /* The table of features. Arrays that a model does not need are NULL, so that one with very many
     * unnamed numbers costs nothing. */
    size_t n_features;
    const uint32_t *name_ends;       /* names: those of feature i end here in name_bytes */
    const char *name_bytes;          /* NULL: no names; else all different */
    bool names_are_given;            /* by the option features */
    const uint8_t *codes;            /* 1: categorical, by integer codes that the caller gives */
    const hb_categories *categories; /* count 0: a number */
    bool wide;                       /* its numbers are float64, else float32 */
    bool rounded;                    /* wide: of numbers that were rounded to float32 first */
    const uint8_t *hashed;           /* 1: categorical, by the hash of its text (CatBoost) */
    const uint8_t *texts;            /* 1: a text as a whole, which operators read (text_counts) */
    const uint8_t *json; /* of such a text: hb_json_form + 1 where operators read it as JSON; NULL: of none */
    hb_unseen on_unseen;
    bool unseen_is_code;                 /* a text that is no category is HB_UNSEEN_CODE, unless demands say SEEN */
    const uint8_t *demands[HB_N_ASKERS]; /* HB_DEMAND_...: of each feature; made by sealing; NULL: none */
    const uint8_t *live[HB_N_ASKERS];    /* a bit for each feature, 8 in a byte: its value can change one of the outputs
                                          * or be an error; made by sealing; NULL: that of each feature can */
    bool missing_is_error;               /* option on_missing, for operators that cannot take a missing value */
    bool adds_in_own_order;              /* sums: where terms cancel, the tolerance is one of 1, not of the number */
    double tolerance;                    /* of what goes through an exp or a log, relative to the library's number; 0:
                                          * the same bits */
    size_t embedded;                     /* nodes from this one on are those of a file inside the file; 0: none */
    double embedded_tolerance;           /* theirs */

    hb_graph graph; /* its inputs and parameters are the arena's */

    hbs_value *classes; /* of a classifier: [n_classes] labels */
    size_t n_classes;

    /* A classifier of several outputs has labels for each: those of output k end at target_ends[k].
     * `values` are the labels, or where some are texts their places among their output's. */
    const hbs_value *target_labels;
    const uint32_t *target_ends;
    size_t n_targets;
    bool targets_are_places;

    /* Which values the outputs are (0: the model has no such output). */
    size_t raw, value, values, probabilities, label, transform;
    bool sealed;
} hb_pipeline;

/* Starts an empty pipeline. It is released by hb_pipeline_release also after any error. */
void hb_pipeline_init(hb_pipeline *pipeline, hb_memory *memory, const hbs_limits *limits);
void hb_pipeline_release(hb_pipeline *pipeline);

/* Appends an operator that reads the value `input` and gives the number of its value. `fit` (hb_fit_NAME; NULL: it has
 * none) is copied; a forest in it is the pipeline's from then on. If one cannot be appended its number is 0, and
 * sealing says why. */
size_t hb_pipeline_add(hb_pipeline *pipeline, hb_operator_kind kind, size_t input, const void *fit);
/* The same, of several values. */
size_t hb_pipeline_add_of(hb_pipeline *pipeline, hb_operator_kind kind, const uint32_t *inputs, size_t n_inputs,
                          const void *fit);

/* Appends the operators of `inner`, which is not sealed, without its table and its first one, the table's: `input`
 * takes the place of that one's value. Parameters must last as long as the pipeline, which owns the forests from then
 * on. Gives how many nodes were there; hb_pipeline_grafted says what has become of one of inner's values.
 * An operator that could not be appended to `inner` is one that could not be appended here. */
size_t hb_pipeline_graft(hb_pipeline *pipeline, const hb_pipeline *inner, size_t input);

/* 0 (no output) stays, 1 is what the table became, and the others come behind the nodes that were there. */
static inline size_t hb_pipeline_grafted(size_t value, size_t input, size_t before)
{
    return value < 2 ? value * input : before + value - 2;
}

/* Takes operator `value` of one input out, before sealing: its input takes its place, and values behind it are numbered
 * one less. HBS_E_CANCEL. */
hbs_status hb_pipeline_leave_out(hb_pipeline *pipeline, size_t value, hbs_error *error);

/* Appends a fact; `value` is formatted. Facts beyond HB_MAX_FACTS are dropped. */
__attribute__((format(printf, 3, 4))) hbs_status hb_pipeline_fact(hb_pipeline *pipeline, const char *name,
                                                                  const char *format, ...);

/* ir/seal.c: validates everything and seals. HBS_E_FORMAT, HBS_E_LIMIT, HBS_E_NOMEM, HBS_E_CANCEL. */
hbs_status hb_pipeline_seal(hb_pipeline *pipeline, hbs_error *error);

/* ir/demand.c: which features the outputs depend on, and what these must not be, from the last operator back to the
 * features; apart for the predictions and for the transform. */
hbs_status hb_pipeline_demand(hb_pipeline *pipeline, hbs_error *error);

/* Line `index` of the inspection (hbs_inspection); HBS_E_NOENT after the last one. */
hbs_status hb_pipeline_inspect(hb_pipeline *pipeline, size_t index, hbs_inspection *line, hbs_error *error);

/* Which value an output is; 0: the model has no such output. */
static inline size_t hb_pipeline_output(const hb_pipeline *pipeline, hb_output output)
{
    const size_t values[HB_N_OUTPUTS] = {
        [HB_OUT_VALUE] = pipeline->value,
        [HB_OUT_LABEL] = pipeline->label,
        [HB_OUT_PROBABILITIES] = pipeline->probabilities,
        [HB_OUT_VALUES] = pipeline->values,
        [HB_OUT_RAW] = pipeline->raw,
        [HB_OUT_TRANSFORM] = pipeline->transform,
    };

    return values[output];
}

/* Feature `i`'s name (size 0: none) and categories (NULL: a number). */
hbs_text hb_pipeline_feature_name(const hb_pipeline *pipeline, size_t i);
const hb_categories *hb_pipeline_categories(const hb_pipeline *pipeline, size_t i);

/* True if the value of feature `i` can matter to one of the asker's outputs (once it is sealed). */
static inline bool hb_pipeline_is_live(const hb_pipeline *pipeline, hb_asker asker, size_t i)
{
    return !pipeline->live[asker] || (pipeline->live[asker][i / 8] >> i % 8 & 1);
}

/* The forest of a node; NULL: it has none. */
hb_forest_model *hb_node_forest(const hb_node *node);

/* The width of value `v`; true if its numbers are float64. That of an operator is known once the pipeline is sealed. */
static inline size_t hb_pipeline_width(const hb_pipeline *pipeline, size_t v)
{
    return hb_node_at(&pipeline->graph, v)->value.width;
}

static inline bool hb_pipeline_is_wide(const hb_pipeline *pipeline, size_t v)
{
    return hb_node_at(&pipeline->graph, v)->value.dtype == HB_DTYPE_FLOAT64;
}

#endif
