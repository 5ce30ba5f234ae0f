/* device.h - blocks of rows whose forest is walked by a device of the host (hbs_backend.h).
 *
 * A block is bound and goes through the steps before the forest tile by tile, into memory that the device shares. When
 * it comes back, the tiles go through the steps behind the forest. Whatever the device does, the block has its results:
 * if it fails, the CPU walks the trees from the same columns. */
#ifndef HB_PLAN_DEVICE_H
#define HB_PLAN_DEVICE_H

#include "hbs_backend.h"
#include "plan/run.h"

/* A block on its way. */
typedef struct hb_flight {
    hbs_device_block block;
    uint64_t *valid;   /* as hbs_run.valid */
    char *base;        /* of the forest's sums, as they were: [width], or [width][max_rows] */
    size_t rows;       /* that have no error.. */
    hbs_status status; /* ..and that of the next one */
    hbs_error error;
    uint32_t outputs;
    bool sent; /* else the device has refused it */
} hb_flight;

typedef struct hb_run_device {
    const hbs_backend *backend;
    hbs_device_queue *queue;
    const hb_step *step; /* the forest.. */
    size_t index;        /* ..among the steps */
    hb_flight flights[HBS_DEVICE_BLOCKS];
    size_t oldest, n;   /* in flight */
    uint32_t looked_at; /* outputs that were asked for last.. */
    bool follows;       /* ..and whether they follow from the forest's sums */
    bool rests;         /* the CPU has the blocks meanwhile */
    hbs_device_use use;
} hb_run_device;

/* plan/forest_view.c: the plan's only forest; NULL: it has none, or several. */
const hb_step *hb_plan_forest_step(const hb_plan_header *plan);
hbs_status hb_plan_forest(const hbs_plan *plan, hbs_forest_view *view, hbs_error *error);
hbs_status hb_plan_device(const hbs_plan *plan, uint32_t outputs, hbs_error *error); /* plan/device.c */

/* plan/device.c: behind the public functions of hbs_backend.h. */
hbs_status hb_run_use_device(hbs_run *run, const hbs_backend *backend, hbs_device *device, hbs_device_program *program,
                             hbs_error *error);
void hb_run_rest_device(hbs_run *run, bool rests);
void hb_run_device_free(hbs_run *run);
void hb_run_device_use(const hbs_run *run, hbs_device_use *use);
/* True if the next block of these outputs can go there. */
bool hb_device_takes(hbs_run *run, uint32_t outputs);
hbs_status hb_score_submit(hbs_run *run, const hbs_column *columns, size_t n_columns, size_t rows, uint32_t outputs,
                           hbs_error *error);
hbs_status hb_score_collect(hbs_run *run, hbs_result *result, hbs_error *error);

#endif
