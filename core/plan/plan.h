/* plan.h - a compiled model: one flat, immutable, position-independent block.
 *
 * The block begins with hb_plan_header; everything in it is found by its offset from there, so a plan can
 * be copied or shared as it is. A row's numbers lie in columns (the input's features, then what the
 * steps make of them); in the memory plan, values whose lives do not overlap share a place. */
#ifndef HB_PLAN_PLAN_H
#define HB_PLAN_PLAN_H

#include "base/flat.h"
#include "ir/pipeline.h"
#include "kernel/kernels.h"

enum { HB_TILE = 64 }; /* rows that go through all steps together: columns of 256 bytes stay in L1 */

/* The place of a value: constants lie in the plan or (unfolded) in scratch, all others in scratch columns. */
typedef struct hb_place {
    uint64_t at; /* in_plan: offset from the header; else bytes of scratch before it, a row */
    uint32_t in_plan;
    uint32_t constant; /* [width], not [width][rows] */
} hb_place;

typedef struct hb_step_input {
    hb_place place;
    uint32_t width;
    uint32_t dtype; /* hb_dtype */
} hb_step_input;

typedef struct hb_step {
    uint32_t kind;          /* hb_operator_kind */
    uint32_t outputs;       /* HBS_OUT_... that need it */
    uint32_t dtype;         /* hb_dtype of its output */
    uint32_t reads_input;   /* its first input are the columns of the encoded features */
    uint32_t float32;       /* hb_float32 of its first input */
    uint32_t feeds_product; /* dense: hb_blas_feeds */
    uint32_t n_inputs;
    uint32_t position;     /* the number of its node */
    uint32_t source_value; /* hb_node.source */
    uint32_t unused;       /* no gap: equal models make equal plans */
    uint64_t source;       /* the name of the user's step, else of that operator; NUL-terminated */
    uint64_t input_width, width;
    uint64_t inputs; /* hb_step_input [n_inputs] */
    hb_place output;
    uint64_t fit;   /* its parameters, as hb_fit_write; tree_ensemble: its hb_forest_plan; 0: it has none */
    uint64_t bytes; /* of its parameters in the plan */
} hb_step;

typedef struct hb_result_place {
    uint64_t width;   /* 0: the model has no such output */
    uint64_t dtype;   /* hb_dtype */
    double tolerance; /* of the library's number, relative; 0: the same bits */
    hb_place place;
} hb_result_place;

/* The categories of one feature, for look-up. */
typedef struct hb_dictionary {
    uint32_t type; /* HBS_TEXT, HBS_INT64 or HBS_FLOAT64 */
    uint32_t count;
    uint64_t sorted; /* uint32_t [count]: codes; texts by size, then bytes; numbers rising */
    uint64_t ends;   /* texts: uint32_t [count + 1]: 0, and where the text of each code ends in `bytes` */
    uint64_t bytes;  /* texts */
    uint64_t slots;  /* texts: uint32_t [slot_mask + 1]: a code + 1 by the text's hash, or 0 */
    uint32_t slot_mask, unused;
    uint64_t numbers; /* int64_t or double [count]: by code */
} hb_dictionary;

typedef struct hb_class {
    uint32_t type; /* hbs_type */
    uint32_t size; /* of the text */
    uint64_t text; /* offset */
    int64_t i64;   /* also a boolean */
    double f64;
} hb_class;

enum { HB_ISA_NAME = 16 };

typedef struct hb_plan_header {
    char magic[8];
    char isa[HB_ISA_NAME]; /* hb_kernels.name: whose kernels can run the plan */
    uint64_t bytes;
    uint8_t key[32];
    uint32_t task, on_unseen, named, missing_is_error;
    uint16_t adds_in_own_order; /* tolerances are of max(1, the number) */
    uint16_t unseen_is_code;    /* a text that is no category is HB_UNSEEN_CODE, unless demands say SEEN */
    uint16_t wide;              /* the input is float64, else float32 */
    uint16_t rounded;           /* wide: of numbers that were rounded to float32 */
    uint64_t n_features, n_classes, n_steps;
    uint64_t row_bytes;             /* of scratch */
    uint64_t block_rows;            /* that its forests take at once; 0: tiles do */
    uint64_t work_bytes;            /* that they work with then.. */
    uint64_t work_run_bytes;        /* ..and in any run.. */
    uint64_t work_row_bytes;        /* ..and for each row that a tile has room for */
    double forest_nanoseconds;      /* about how long they take for a row by itself */
    float forest_block_nanoseconds; /* ..and for one of a full block */
    uint32_t forest_strategy;       /* hbs_strategy of the first; HBS_STRATEGY_AUTO: there is none */
    uint64_t name_ends;             /* uint32_t [n_features]; 0: no names */
    uint64_t name_bytes;
    uint64_t name_order;           /* uint32_t [n_features]: by name in lower case, then by name */
    uint64_t dictionaries;         /* uint64_t [n_features]: offsets, 0 for a number; 0: numbers only */
    uint64_t codes;                /* uint8_t [n_features]: 1: a category's code, for messages; 0: none */
    uint64_t live[HB_N_ASKERS];    /* a bit for each feature, 8 in a byte: its value can matter to one of the asker's
                                    * outputs; 0: that of all can */
    uint64_t n_live;               /* features that can matter to some output */
    uint64_t hashed;               /* uint8_t [n_features]: 1 takes a text by its hash; 0: none */
    uint64_t texts;                /* uint32_t [n_features]: the number of a text that operators read, + 1; 0: none.. */
    uint64_t n_texts;              /* ..so many */
    uint64_t json;                 /* uint8_t [n_features]: hb_json_form + 1 of a text that is JSON; 0: none */
    uint64_t demands[HB_N_ASKERS]; /* uint8_t [n_features]: HB_DEMAND_...; 0: none */
    uint64_t classes;              /* hb_class [n_classes] */
    uint64_t target_labels;        /* hb_class: those of output k end at.. */
    uint64_t target_ends;          /* ..uint32_t [n_targets] */
    uint64_t n_targets;            /* outputs with labels of their own */
    uint64_t targets_are_places;   /* `values` are places of labels, not the labels */
    uint64_t steps;                /* hb_step [n_steps] */
    uint64_t passes;               /* hb_pass_report [n_passes]: of those that have changed something */
    uint64_t n_passes;
    hb_place input;                        /* the columns of the encoded features */
    uint32_t input_position;               /* the number of their node, as hb_step.position.. */
    uint32_t n_positions;                  /* ..which is below this */
    hb_result_place results[HB_N_OUTPUTS]; /* that of the transform may be overwritten by later steps,
                                            * which only other outputs need */
} hb_plan_header;

struct hbs_plan {
    hbs_host host;
    hb_plan_header *header; /* behind it */
    void *block;            /* of the host: both are in it */
};

/* plan/compile.c: HBS_E_ARGS unless it is a plan, and one for the kernels of this isa. */
hbs_status hb_plan_check(const hb_plan_header *header, const hb_kernels *kernels, hbs_error *error);

/* Rows that suit it best: HB_TILE, or twice that, and so on: as many as its forests take at once. If rows are wide,
 * only so many that the caller's columns of doubles, the scratch and the results fit in HB_BLOCK_BYTES, which the
 * second-level cache of most CPUs holds. Forests that take most of the time gain more by many rows than these by the
 * cache: for them the scratch is at most HB_FOREST_BYTES. */
enum { HB_BLOCK_BYTES = 1 << 20, HB_FOREST_BYTES = 4 << 20 };
size_t hb_plan_block_rows(const hb_plan_header *header);

static inline const void *hb_plan_at(const hb_plan_header *header, uint64_t offset)
{
    return hb_flat_at(header, offset);
}

/* Whether the feature's value can matter to one of the asker's outputs. */
static inline bool hb_plan_is_live(const hb_plan_header *header, hb_asker asker, size_t feature)
{
    const uint8_t *live = hb_plan_at(header, header->live[asker]);

    return !header->live[asker] || (live[feature / 8] >> feature % 8 & 1);
}

/* True if the feature is a category by the hash of its text. */
static inline bool hb_plan_is_hashed(const hb_plan_header *header, size_t feature)
{
    return header->hashed && ((const uint8_t *)hb_plan_at(header, header->hashed))[feature];
}

/* The number of the feature among those whose texts operators read, + 1; 0: it is none. */
static inline uint32_t hb_plan_text(const hb_plan_header *header, size_t feature)
{
    return header->texts ? ((const uint32_t *)hb_plan_at(header, header->texts))[feature] : 0;
}

/* plan/compile.c: lowers, optimizes, plans memory, writes. `options` may be NULL; `key` as hbs_plan_key. */
hbs_status hb_plan_compile(const hb_pipeline *pipeline, const hbs_host *host, const hbs_compile_options *options,
                           const uint8_t key[32], hbs_plan **plan, hbs_error *error);

/* The same in `room`, as hbs_plan_compile_in; NULL: there is none. */
hbs_status hb_plan_compile_in(const hb_pipeline *pipeline, const hbs_host *host, const hbs_compile_options *options,
                              const uint8_t key[32], hbs_room *room, hbs_plan **plan, hbs_error *error);

/* As hb_plan_compile; if choices is not NULL, what was chosen for each forest is appended (hb_forest_choice), in the
 * order of its steps, for hb_forest_note: the programs are gone. */
hbs_status hb_plan_compile_telling(const hb_pipeline *pipeline, const hbs_host *host,
                                   const hbs_compile_options *options, const uint8_t key[32], hb_vector *choices,
                                   hbs_plan **plan, hbs_error *error);

/* plan/memory_plan.c: gives every node's value its place. Constants that hold data are placed by the writer. */
hbs_status hb_plan_memory(const hb_graph *graph, hb_place *places, uint64_t *row_bytes, hbs_error *error);

/* plan/names.c */
hbs_text hb_plan_feature_name(const hb_plan_header *header, size_t i);
/* How messages name a feature: `feature "plan"`, or `feature 2` in a model without names. */
enum { HB_FEATURE_BUFFER = HB_EXCERPT_BUFFER + 16 };
const char *hb_plan_show_feature(const hb_plan_header *header, size_t i, char buffer[HB_FEATURE_BUFFER]);
/* The feature of that name: exactly, else without regard to ASCII case if only one is so. Gives
 * header->n_features where there is none; *ambiguous where several are. */
size_t hb_plan_find_feature(const hb_plan_header *header, hbs_text name, bool *ambiguous);
/* Behind hbs_plan_match_columns. */
void hb_plan_match_columns(const hb_plan_header *header, const hbs_text *names, int n_names, int *columns);
hbs_status hb_plan_sort_names(const hb_plan_header *header, uint32_t *order, hb_work *work, hbs_error *error);
hbs_value hb_plan_class_label(const hb_plan_header *header, size_t i);
/* The label `i` of all outputs' labels. */
hbs_value hb_plan_target_label(const hb_plan_header *header, size_t i);
const hb_dictionary *hb_plan_dictionary(const hb_plan_header *header, size_t feature);

/* plan/dictionary.c: the code of a category, or -1. */
int64_t hb_dictionary_find_text(const hb_plan_header *header, const hb_dictionary *d, hbs_text text);
/* The codes of texts, up to the first that is no category; how many those are. */
size_t hb_dictionary_find_texts(const hb_plan_header *header, const hb_dictionary *d, const hbs_text *from, size_t n,
                                double *codes);
int64_t hb_dictionary_find_number(const hb_plan_header *header, const hb_dictionary *d, int64_t number);
int64_t hb_dictionary_find_real(const hb_plan_header *header, const hb_dictionary *d, double number);
/* Writes the dictionary of `categories`; gives its offset. HBS_E_CANCEL. */
hbs_status hb_dictionary_write(hb_flat *flat, const hb_categories *categories, uint64_t *offset, hb_work *work,
                               hbs_error *error);

#endif
