/* hbs_backend.h - the second public header: what a device, such as a GPU, does for runs of hbscore.
 *
 * A backend walks the trees of one forest for blocks of rows, with the bits of hbscore's own kernels. It is handed to a
 * run as a BLAS is: libhbscore opens no device and no file. All that a run does beside the trees stays on the CPU.
 *
 * A device never makes an error of a statement. If it refuses a model, has no memory or fails, the CPU scores, and the
 * scores are the same. Only the host's wish to stop, HBS_E_CANCEL, comes through. */
#ifndef HBS_BACKEND_H
#define HBS_BACKEND_H

#include "hbscore.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ the forest that a device gets */

/* Flags of a node. One without INNER is a leaf. */
enum {
    HBS_FOREST_INNER = 1u << 0,
    HBS_FOREST_DEFAULT_RIGHT = 1u << 1, /* where a missing value goes */
    HBS_FOREST_NAN_MISSING = 1u << 2,   /* NaN is missing, else it counts as 0 */
    HBS_FOREST_ZERO_MISSING = 1u << 3,  /* so is 0 */
    HBS_FOREST_SET = 1u << 4,           /* tests a set of categories.. */
    HBS_FOREST_SMALL_SET = 1u << 5,     /* ..or one of categories below 32 */
    HBS_FOREST_LINEAR = 1u << 6         /* a leaf that is a linear model */
};

/* An inner node sends x < threshold left in a forest in float32, x <= threshold in one in float64. Of a set the members
 * go right, and a missing value where the flags say; in float64 members go to the other side than a missing value, and
 * all that is no member goes with that. A category is its number cut to an integer; it is in no set below 0 (float64:
 * at -1 and below), from 16,777,216 on (2^31), and as NaN, which is missing. */
typedef struct hbs_forest_node {
    double threshold; /* leaf: its value */
    uint32_t left;    /* child in its tree; the right one stands behind it */
    uint32_t feature;
    uint32_t flags;
    uint32_t index; /* set test: of the set, or the bits of a small one; leaf: the row of its vector */
} hbs_forest_node;

/* A set of categories. */
typedef struct hbs_forest_set {
    const uint32_t *words; /* bits, or a rising list */
    uint32_t count;        /* of words */
    bool is_list;
} hbs_forest_set;

typedef struct hbs_forest_view hbs_forest_view;
struct hbs_forest_view {
    bool wide; /* tests and sums in float64, else in float32 */
    size_t n_trees, n_nodes, n_features, n_outputs;
    size_t leaf_width;        /* 1: a tree adds to one output; n_outputs: leaves are rows of `vectors` */
    const void *vectors;      /* float or double [n_vectors][leaf_width] */
    size_t n_vectors, n_sets; /* bounds of hbs_forest_node.index */
    /* Nodes of tree t (< n_trees), and the output that it adds to. */
    size_t (*count)(const hbs_forest_view *view, size_t t, uint32_t *output);
    /* Writes them: breadth first, the root is node 0. */
    void (*tree)(const hbs_forest_view *view, size_t t, hbs_forest_node *nodes);
    /* Set `index` (< n_sets). */
    void (*set)(const hbs_forest_view *view, uint32_t index, hbs_forest_set *set);
    const void *plan, *forest; /* the core's own */
};

/* ------------------------------------------------------------------ a backend */

#define HBS_BACKEND_API 1

typedef struct hbs_device hbs_device;
typedef struct hbs_device_program hbs_device_program;
typedef struct hbs_device_queue hbs_device_queue;

/* How much a device may take. Zero in a field means its default. */
typedef struct hbs_device_limits {
    size_t bytes;      /* 1 GiB: of programs and blocks on the device */
    uint32_t patience; /* 30,000: milliseconds after which a block without an answer means a dead device */
} hbs_device_limits;

typedef struct hbs_device_info {
    char name[64];
    size_t memory; /* of the device.. */
    size_t used;   /* ..and of it by programs and blocks */
    bool dead;     /* it failed in a way that no further call in this process can mend */
    char why[128]; /* dead: how, in words */
} hbs_device_info;

/* A block of rows in memory that device and host share. */
typedef struct hbs_device_block {
    void *columns;            /* float (wide: double) [n_features][stride] */
    void *sums;               /* the same [n_outputs][stride]: first the base, then base and trees */
    size_t stride;            /* rows that it has room for */
    const uint32_t *features; /* of the forest, that it wants: columns in this order.. */
    size_t n_features;        /* ..and no other */
} hbs_device_block;

enum { HBS_DEVICE_BLOCKS = 2 }; /* of a queue that may be in flight */

/* A queue is one thread's at a time; all else may be called from any thread. Functions that return a status fill the
 * error: HBS_E_UNSUPPORTED (not this forest, or not this machine), HBS_E_NOMEM, HBS_E_INTERNAL (the device failed) and
 * HBS_E_CANCEL. */
typedef struct hbs_backend {
    uint32_t api, size; /* HBS_BACKEND_API, sizeof(hbs_backend) */
    const char *name;   /* "cuda" */
    hbs_status (*open)(const hbs_device_limits *limits, hbs_device **device, hbs_error *error);
    void (*get_info)(hbs_device *device, hbs_device_info *info);
    /* Checks every index of the view by itself. Of the host only the poll is asked. */
    hbs_status (*upload)(hbs_device *device, const hbs_host *host, const hbs_forest_view *view,
                         hbs_device_program **program, hbs_error *error);
    void (*forget)(hbs_device *device, hbs_device_program *program); /* no queue uses it */
    /* The queue keeps the host, whose poll it asks while it waits. */
    hbs_status (*queue_create)(hbs_device *device, hbs_device_program *program, const hbs_host *host, size_t max_rows,
                               hbs_device_queue **queue, hbs_error *error);
    /* The block to fill. Fewer than HBS_DEVICE_BLOCKS are in flight. */
    void (*next)(hbs_device_queue *queue, hbs_device_block *block);
    /* Sends that block with its first `rows` (> 0) rows, and returns at once. After an error it is not in flight, and
     * the next call of `next` gives it again. */
    hbs_status (*submit)(hbs_device_queue *queue, size_t rows, hbs_error *error);
    /* Waits for the oldest block in flight. It is no longer in flight then, also after an error, when its columns are
     * as they were and its sums are lost. */
    hbs_status (*collect)(hbs_device_queue *queue, hbs_device_block *block, hbs_error *error);
    void (*queue_free)(hbs_device_queue *queue); /* waits for what is in flight; NULL: nothing */
    void (*close)(hbs_device *device);           /* all programs are forgotten */
} hbs_backend;

/* A backend's library has this function under the name HBS_BACKEND_SYMBOL. It gives NULL if it does not serve `api`. */
typedef const hbs_backend *(*hbs_backend_getter)(uint32_t api);
#define HBS_BACKEND_SYMBOL "hbscore_backend"

/* ------------------------------------------------------------------ runs that use one */

/* A bit of hbs_compile_options.passes_off: nodes of trees are kept in the plan also where no strategy reads them. */
#define HBS_KEEP_NODES (1u << 31)

/* The forest of a plan, for `upload`: HBS_E_UNSUPPORTED where the plan has not just one, or was compiled without
 * HBS_KEEP_NODES and is without them. The view points into the plan. */
hbs_status hbs_plan_forest(const hbs_plan *plan, hbs_forest_view *view, hbs_error *error);

/* HBS_OK where a device can score these outputs (HBS_OUT_...) of the plan's rows; else HBS_E_UNSUPPORTED, in words: the
 * plan has not just one forest, or the outputs need more than its sums. A backend may still refuse the forest. */
hbs_status hbs_plan_device(const hbs_plan *plan, uint32_t outputs, hbs_error *error);

/* From now on the run gives blocks of rows to a device that has `program`, the plan's forest. The run has a queue there
 * for as many rows as the run may have, and gives it back when it is freed. backend NULL: to none, as at first.
 * HBS_E_UNSUPPORTED where the plan has no forest for devices; and what queue_create says. Blocks whose outputs need
 * more than the forest's sums (hbs_plan_device) stay on the CPU. */
hbs_status hbs_run_use_device(hbs_run *run, const hbs_backend *backend, hbs_device *device, hbs_device_program *program,
                              hbs_error *error);

/* Blocks on their way are waited for and lost. `rests`: the next ones are the CPU's, and the queue stays for later;
 * else they are the device's again. */
void hbs_run_rest_device(hbs_run *run, bool rests);

/* How many of the run's blocks came to which end. */
typedef struct hbs_device_use {
    bool ready;      /* the next block goes to the device */
    uint64_t blocks; /* that went there.. */
    uint64_t rows;   /* ..and their rows */
    uint64_t redone; /* blocks that the CPU scored in its place */
    uint64_t waited; /* nanoseconds that the host waited for it, where it has a clock */
    hbs_error error; /* redone: why the last one */
} hbs_device_use;

void hbs_run_device_use(const hbs_run *run, hbs_device_use *use);

/* hbs_score in two parts, for a run that uses a device: sends a block of rows, and takes the results of the oldest one
 * that was sent. At most HBS_DEVICE_BLOCKS are on their way. The columns are not needed after submit. The error of a
 * bad row comes with its block's results. Submit says HBS_E_UNSUPPORTED, and has done nothing, where the device is not
 * ready (any more) or these outputs need more than the forest's sums: then collect what is on its way, and go on with
 * hbs_score. For a run with a device and nothing on its way, hbs_score does both. */
hbs_status hbs_score_submit(hbs_run *run, const hbs_column *columns, size_t n_columns, size_t rows, uint32_t outputs,
                            hbs_error *error);
hbs_status hbs_score_collect(hbs_run *run, hbs_result *result, hbs_error *error);

#ifdef __cplusplus
}
#endif

#endif
