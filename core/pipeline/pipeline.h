/* pipeline.h - a trained pipeline: a DAG of operators with their fitted parameters (the "containers" of
 * Hummingbird, section 3.2), which every format is read into.
 *
 * Value 0 is the table of features, one typed column each; operator k (from 1) makes value k from
 * smaller values, so the graph has no cycle by construction. hb_pipeline_seal validates all that the
 * later stages rely on; graph/ and plan/ accept sealed pipelines only. */
#ifndef HB_PIPELINE_PIPELINE_H
#define HB_PIPELINE_PIPELINE_H

#include "base/encoder.h"
#include "base/expansion.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/category_statistics.h"
#include "pipeline/forest_model.h"

typedef enum hb_operator_kind {
#define HB_OPERATOR(kind, name, reads, demand, summary) HB_OPERATOR_##kind,
#include "pipeline/operators.def"
#undef HB_OPERATOR
    HB_N_OPERATORS
} hb_operator_kind;

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

/* link: what turns raw scores into the output's scale. The comment names XGBoost's function. */
typedef enum hb_link_kind {
    HB_LINK_IDENTITY,
    HB_LINK_SIGMOID, /* float32: common::Sigmoid; float64: 1 / (1 + exp(-number * x)) */
    HB_LINK_SOFTMAX, /* float32: common::Softmax (float32 terms, float64 sum); float64: plain */
    HB_LINK_EXP,
    HB_LINK_SQUARE,    /* sign(x) * x * x */
    HB_LINK_SOFTPLUS,  /* log1p(exp(x)) */
    HB_LINK_VARIANCE,  /* a mean, which stays, and x, which becomes exp(2 x) */
    HB_LINK_HINGE,     /* 1 where raw > 0, else 0 */
    HB_LINK_SORT,      /* ascending per row: quantiles that do not cross */
    HB_LINK_EXPECTILE, /* p_0, then p_j = p_(j-1) + 1e-6 + softplus(raw_j) */
    /* scikit-learn's, in float64 only */
    HB_LINK_SOFTMAX_PAIR,   /* of one score d: the softmax of -d, d */
    HB_LINK_ONE_VS_REST,    /* the sigmoid of each score, divided by their sum (of 0: all the same) */
    HB_LINK_LOGSUMEXP,      /* exp(x - log(sum of exp)): a softmax whose rounding is another */
    HB_LINK_MODIFIED_HUBER, /* (x limited to [-1, 1], + 1) / 2; of several scores divided by their sum */
    HB_LINK_RELU,           /* x, but 0 where it is below */
    HB_LINK_TANH,
    HB_LINK_DIFFERENCE /* of two scores the second less the first */
} hb_link_kind;

/* scale: what happens to a column x with its shift a and its factor b, step by step. */
typedef enum hb_scaling {
    HB_SCALE_SHIFT,        /* x - a */
    HB_SCALE_DIVIDE,       /* x / b */
    HB_SCALE_SHIFT_DIVIDE, /* (x - a) / b */
    HB_SCALE_MULTIPLY_ADD  /* x * b + a */
} hb_scaling;

/* norm: the divisor of each row. The sum of magnitudes, the root of the sum of squares, the largest
 * magnitude. */
typedef enum hb_norm_kind { HB_NORM_L1, HB_NORM_L2, HB_NORM_MAX } hb_norm_kind;

/* Demands on a feature: the training library refuses values that break them. The row's result is then NULL
 * or an error (option on_missing). */
enum {
    HB_DEMAND_KNOWN = 1u << 0,   /* not missing */
    HB_DEMAND_FINITE = 1u << 1,  /* not infinite */
    HB_DEMAND_FLOAT32 = 1u << 2, /* not beyond float32 */
    HB_DEMAND_SEEN = 1u << 3,    /* a category that training has seen (option on_unseen) */
    HB_DEMAND_EXACT = 1u << 4    /* no whole number that float64 rounds: it would be another category */
};

/* Which outputs ask: a row may have a transform and no prediction, or the other way round. */
typedef enum hb_asker { HB_FOR_PREDICTIONS, HB_FOR_TRANSFORM, HB_N_ASKERS } hb_asker;

/* What each asker asks of a column, in one byte. `asked` is below 16: HB_DEMAND_KNOWN and HB_DEMAND_FINITE, or 1. */
static inline uint8_t hb_asked_by(hb_asker asker, unsigned asked)
{
    return (uint8_t)(asked << 4 * asker);
}

static inline unsigned hb_asked(uint8_t by_all, hb_asker asker)
{
    return by_all >> 4 * asker & 15u;
}

/* How XGBoost's base_score, which is in output space, becomes the margin that sums start from. */
typedef enum hb_base_link {
    HB_BASE_IDENTITY,
    HB_BASE_LOGIT,    /* clamped to [1e-6, 1 - 1e-6], then -logf(1 / b - 1) */
    HB_BASE_LOG,      /* logf */
    HB_BASE_EXPECTILE /* inverse of HB_LINK_EXPECTILE */
} hb_base_link;

typedef enum hb_head_rule {
    HB_HEAD_GREATER, /* of one score: class 1 where input > threshold */
    HB_HEAD_ARGMAX,  /* first maximum; of one probability p: of 1 - p, p */
    HB_HEAD_FLAGS    /* one 0/1 for each score: input > threshold (multi-label) */
} hb_head_rule;

typedef struct hb_linear_model {
    size_t n_features, n_outputs;
    const float *weights; /* [n_features][n_outputs] */
    const float *bias;    /* [n_outputs]; psum = bias + base, then += x * w in feature order */
} hb_linear_model;

/* Sums in float64: in the order of the features from 0 on, then + bias. */
typedef struct hb_dense_model {
    size_t n_features, n_outputs;
    const double *weights; /* [n_outputs][n_features] */
    const double *bias;    /* [n_outputs] */
} hb_dense_model;

/* Normal distributions, one for each class and feature: constant - 0.5 * the sum, in float64 and in the
 * order of the features from 0 on, of (x - mean) * (x - mean) / variance. */
typedef struct hb_gaussian_model {
    size_t n_features, n_outputs;
    const double *parameters; /* [n_outputs][n_features][2]: mean, variance */
    const double *constants;  /* [n_outputs]; may be -infinity: a class that cannot be */
} hb_gaussian_model;

typedef struct hb_operator {
    hb_operator_kind kind;
    size_t input;         /* the value it reads; concat: the first one */
    const size_t *inputs; /* concat: [n_inputs] values; forest: none, or one that its sums start from */
    size_t n_inputs;
    const uint32_t *columns; /* select, indicator: [n_columns] of its input */
    size_t n_columns;
    hb_scaling scaling;                /* scale */
    const double *shift;               /* scale: [width] a; NULL where it has none */
    const double *factor;              /* scale: [width] b */
    bool rounds;                       /* scale, norm, products: to float32, after each step */
    const double *fill;                /* impute: [width]; `number` is what counts as missing, or NaN */
    const uint8_t *known;              /* indicator: [width of its input] 1: refuses missing ones */
    hb_norm_kind norm;                 /* norm */
    const hb_bins *bins;               /* bins */
    const hb_product *products;        /* products: [n_columns] */
    double limits[2];                  /* clip: the lowest and the highest; isolation: the offset of the score, and
                                        * from which depth on the score is not negative */
    const double *weights;             /* weighted_median: [width of its input], 0 or more */
    bool needs_finite;                 /* narrow: what reads it refuses infinities */
    const hb_dense_model *dense;       /* dense */
    const hb_gaussian_model *gaussian; /* gaussian_nb */
    const hb_encoder *encoder;         /* onehot, recode */
    const double *base;                /* forest in float64: [outputs] that sums start from; NULL: zeros */
    const float *base_score;           /* forest, linear: [outputs], in output space; NULL: zeros */
    hb_base_link base_link;            /* forest, linear */
    hb_forest_model *forest;           /* forest */
    const hb_linear_model *linear;     /* linear */
    const hb_category_statistics *statistics; /* category_statistics */
    const double *bias;                       /* affine: [outputs]; its factor is `number` */
    hb_link_kind link;                        /* link */
    hb_head_rule rule;                        /* head */
    bool takes_missing;                       /* check, guard */
    uint8_t *asked;                           /* guard, onehot, recode: [width of its input], by hb_asked_by: guard:
                                               * HB_DEMAND_...; the encoders: 1: looked at; made by sealing */
    bool logit;                               /* head: the threshold is a probability, the input its logit */
    double number;                            /* head: threshold; mark_missing: the number; sigmoid: its factor;
                                               * average: the divisor; impute, indicator: what counts as missing
                                               * beside NaN; binarize: threshold */
    size_t width;                             /* numbers a row of its value; set by sealing */
    bool wide;                                /* these are float64, else float32; set by sealing */
} hb_operator;

enum {
    HB_MAX_OPERATORS = 64,
    HB_MAX_FEATURES = 1 << 18,
    HB_MAX_OUTPUTS = 1 << 16,
    HB_MAX_MEDIAN = 1024 /* numbers of which weighted_median takes one */
};

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
    hb_unseen on_unseen;
    bool unseen_is_code;                 /* a text that is no category is HB_UNSEEN_CODE, unless demands say SEEN */
    const uint8_t *demands[HB_N_ASKERS]; /* HB_DEMAND_...: of each feature; made by sealing; NULL: none */
    const uint8_t *live[HB_N_ASKERS]; /* a bit for each feature, 8 in a byte: its value can change one of the outputs or
                                       * be an error; made by sealing; NULL: that of each feature can */
    bool missing_is_error;            /* option on_missing, for operators that cannot take a missing value */
    bool adds_in_own_order;           /* sums: where terms cancel, the tolerance is one of 1, not of the number */
    double tolerance;                 /* of what goes through an exp or a log, relative to the library's number; 0:
                                       * the same bits */
    size_t embedded;                  /* operators from this one on are those of a file inside the file; 0: none */
    double embedded_tolerance;        /* theirs */

    hb_operator operators[HB_MAX_OPERATORS];
    size_t n_operators;
    bool too_many; /* operators, more than HB_MAX_OPERATORS */

    hbs_value *classes; /* of a classifier: [n_classes] labels */
    size_t n_classes;

    /* Which values the outputs are (0: the model has no such output). */
    size_t raw, value, values, probabilities, label, transform;
    bool sealed;
} hb_pipeline;

/* Starts an empty pipeline. It is released by hb_pipeline_release also after any error. */
void hb_pipeline_init(hb_pipeline *pipeline, hb_memory *memory, const hbs_limits *limits);
void hb_pipeline_release(hb_pipeline *pipeline);

/* Appends an operator that reads `input` and gives the number of its value. */
size_t hb_pipeline_add(hb_pipeline *pipeline, const hb_operator *op);

/* Appends the operators of `inner`, which is not sealed, without its first one, the table's: `input` takes the place of
 * that one's value. Parameters that they refer to must last as long as the pipeline, which owns the forests from then
 * on. *before becomes how many operators were there; hb_pipeline_grafted says what has become of one of inner's values.
 * HBS_E_NOMEM: nothing is appended. */
hbs_status hb_pipeline_graft(hb_pipeline *pipeline, const hb_pipeline *inner, size_t input, size_t *before,
                             hbs_error *error);

/* 0 (no output) stays, 1 is what the table became, and the others come behind the operators that were there. */
static inline size_t hb_pipeline_grafted(size_t value, size_t input, size_t before)
{
    return value < 2 ? value * input : before + value - 1;
}

/* Appends a fact; `value` is formatted. Facts beyond HB_MAX_FACTS are dropped. */
__attribute__((format(printf, 3, 4))) hbs_status hb_pipeline_fact(hb_pipeline *pipeline, const char *name,
                                                                  const char *format, ...);

/* Validates everything and seals. HBS_E_FORMAT, HBS_E_LIMIT, HBS_E_NOMEM, HBS_E_CANCEL. */
hbs_status hb_pipeline_seal(hb_pipeline *pipeline, hbs_error *error);

/* pipeline/demand.c: which features the outputs depend on, and what these must not be, from the last operator back to
 * the features; apart for the predictions and for the transform. */
hbs_status hb_pipeline_demand(hb_pipeline *pipeline, hbs_error *error);

/* Line `index` of the inspection (hbs_inspection); HBS_E_NOENT after the last one. */
hbs_status hb_pipeline_inspect(hb_pipeline *pipeline, size_t index, hbs_inspection *line, hbs_error *error);

/* The operator's name and what it does, from operators.def. */
const char *hb_operator_name(hb_operator_kind kind);
const char *hb_operator_summary(hb_operator_kind kind);

/* Whether the value of feature `i` can matter to one of the asker's outputs (once it is sealed). */
static inline bool hb_pipeline_is_live(const hb_pipeline *pipeline, hb_asker asker, size_t i)
{
    return !pipeline->live[asker] || (pipeline->live[asker][i / 8] >> i % 8 & 1);
}

/* Feature `i`'s name (size 0: none) and categories (NULL: a number). */
hbs_text hb_pipeline_feature_name(const hb_pipeline *pipeline, size_t i);
const hb_categories *hb_pipeline_categories(const hb_pipeline *pipeline, size_t i);

/* The width of value `v`; whether its numbers are float64 (of an operator's: once it is sealed). */
size_t hb_pipeline_width(const hb_pipeline *pipeline, size_t v);
bool hb_pipeline_is_wide(const hb_pipeline *pipeline, size_t v);

#endif
