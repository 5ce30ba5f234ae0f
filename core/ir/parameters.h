/* parameters.h - the words that operators' parameters are written in. operators.def makes a struct of each operator's
 * parameters, which operator.h has. */
#ifndef HB_IR_PARAMETERS_H
#define HB_IR_PARAMETERS_H

#include "base/arithmetic.h"
#include "base/csr.h"
#include "base/encoder.h"
#include "base/expansion.h"
#include "base/json_features.h"
#include "base/metric.h"
#include "base/segment.h"
#include "base/solver.h"
#include "base/statistics.h"
#include "base/terms.h"
#include "base/text_number.h"
#include "base/tokens.h"
#include "base/windows.h"
#include "ir/forest_model.h"

/* link: what turns raw scores into the output's scale. The comment names XGBoost's function. */
typedef enum hb_link_kind {
    HB_LINK_IDENTITY,
    HB_LINK_SIGMOID, /* float32: common::Sigmoid; float64: 1 / (1 + exp(-factor * x)) */
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

/* text_hash, text_code: whose texts, or whose bytes, are looked at. */
typedef enum hb_text_source {
    HB_SOURCE_TEXTS, /* a column has the place of each row's text (op/texts.h) */
    HB_SOURCE_FLOAT32,
    HB_SOURCE_FLOAT64,
    HB_SOURCE_INT32, /* also truth values */
    HB_SOURCE_INT64,
    HB_N_TEXT_SOURCES
} hb_text_source;

/* code_texts: a column of texts, and the code of each word of its list. */
typedef struct hb_coded_column {
    uint32_t column;
    hb_words words;
    const uint32_t *codes; /* [words.n] */
} hb_coded_column;

/* Why an operator refuses rows, for the error that option on_missing makes of it. */
typedef struct hb_failure {
    size_t n_words;           /* bytes, without the NUL behind them */
    const char *words;        /* as `node 3 ("c", Cast) makes no int64 of ...`; NULL: the usual ones */
    const uint32_t *features; /* that each column of the first input is made of alone, or UINT32_MAX; NULL: not known */
} hb_failure;

/* The same of the columns from `first` on. */
static inline hb_failure hb_failure_from(const hb_failure *of_all, size_t first)
{
    return (hb_failure){of_all->n_words, of_all->words, of_all->features ? of_all->features + first : NULL};
}

/* scale: what happens to a column x with its shift a and its factor b, step by step. */
typedef enum hb_scaling {
    HB_SCALE_SHIFT,         /* x - a */
    HB_SCALE_DIVIDE,        /* x / b */
    HB_SCALE_SHIFT_DIVIDE,  /* (x - a) / b */
    HB_SCALE_MULTIPLY_ADD,  /* x * b + a */
    HB_SCALE_SHIFT_MULTIPLY /* (x - a) * b */
} hb_scaling;

/* norm: the divisor of each row. The sum of magnitudes, the root of the sum of squares, the largest
 * magnitude. */
typedef enum hb_norm_kind { HB_NORM_L1, HB_NORM_L2, HB_NORM_MAX } hb_norm_kind;

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

/* Demands on a number: the training library refuses values that break them. The row's result is then NULL
 * or an error (option on_missing). */
enum {
    HB_DEMAND_KNOWN = 1u << 0,   /* not missing */
    HB_DEMAND_FINITE = 1u << 1,  /* not infinite */
    HB_DEMAND_FLOAT32 = 1u << 2, /* not beyond float32 */
    HB_DEMAND_SEEN = 1u << 3,    /* a category that training has seen (option on_unseen) */
    HB_DEMAND_EXACT = 1u << 4,   /* no whole number that float64 rounds: it would be another category */
    HB_DEMAND_INT32 = 1u << 5,   /* not beyond int32: an error, whatever the options say */
    HB_DEMAND_INT53 = 1u << 6    /* no integer beyond 2^53, as the caller gives it */
};

/* Which outputs ask: a row may have a transform and no prediction, or the other way round. */
typedef enum hb_asker { HB_FOR_PREDICTIONS, HB_FOR_TRANSFORM, HB_N_ASKERS } hb_asker;

/* Whose the outputs are, HBS_OUT_... */
static inline hb_asker hb_asker_of(uint32_t outputs)
{
    return outputs & HBS_OUT_TRANSFORM ? HB_FOR_TRANSFORM : HB_FOR_PREDICTIONS;
}

/* HBS_OUT_...: an asker's. */
static inline uint32_t hb_outputs_of(hb_asker asker)
{
    return asker == HB_FOR_TRANSFORM ? (uint32_t)HBS_OUT_TRANSFORM : ~(uint32_t)HBS_OUT_TRANSFORM;
}

/* What each asker asks of a column, in one byte. `asked` is below 16: HB_DEMAND_KNOWN and HB_DEMAND_FINITE, or 1. */
static inline uint8_t hb_asked_by(hb_asker asker, unsigned asked)
{
    return (uint8_t)(asked << 4 * asker);
}

static inline unsigned hb_asked(uint8_t by_all, hb_asker asker)
{
    return (unsigned)by_all >> 4 * asker & 15u;
}

/* list_weights: what becomes of a number before it is weighed, and what the row is divided by. */
typedef enum hb_list_function {
    HB_LIST_SAME,
    HB_LIST_ABOVE_0, /* 1 of a number above 0, else 0 */
    HB_LIST_LOG,     /* log(x) + 1 */
    HB_LIST_INT8,    /* a whole number as an integer of so many bits holds it.. */
    HB_LIST_UINT8,
    HB_LIST_INT16,
    HB_LIST_UINT16 /* ..modulo 2^16 */
} hb_list_function;
/* json_lists: float32 rounds each number and each sum, whole numbers are cut. Sums of those of less than 64 bits wrap
 * round. */
typedef enum hb_list_dtype {
    HB_LIST_FLOAT64,
    HB_LIST_FLOAT32,
    HB_LIST_I8,
    HB_LIST_I1,
    HB_LIST_U1,
    HB_LIST_I2,
    HB_LIST_U2,
    HB_LIST_I4,
    HB_LIST_U4,
    HB_N_LIST_DTYPES
} hb_list_dtype;
typedef enum hb_list_norm { HB_LIST_NOT, HB_LIST_L1, HB_LIST_L2, HB_LIST_MAX } hb_list_norm;

enum { HB_MAX_LIST_COLUMNS = 1 << 22 };
enum {
    HB_MAX_COUPLED = 128,        /* classes of coupling */
    HB_MAX_NEIGHBOURS = 1 << 12, /* that neighbours finds */
    HB_MAX_IMPUTING = 200,       /* neighbours of impute_nearest */
    HB_MAX_TOPICS = 1 << 12,
    HB_MAX_ATOMS = 1 << 10,     /* vectors of pursuit, descent and least_angle.. */
    HB_MAX_BARYCENTRE = 1 << 8, /* vectors of a row by barycentre */
    HB_MAX_PURSUED = 1 << 8     /* ..of which so many get a weight by pursuit and least_angle */
};
enum { HB_FEW_MEDIAN = 1024 /* numbers of which weighted_median takes one without room behind its answer */ };

#endif
