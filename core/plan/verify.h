/* verify.h - golden rows against a plan: does it give what the training library gave?
 *
 * Every row is scored by itself and compared, by the tolerance that the plan states for each output.
 * Then rows that follow each other are scored again as blocks, which must give the same bits. */
#ifndef HB_PLAN_VERIFY_H
#define HB_PLAN_VERIFY_H

#include "ir/golden_row.h"
#include "plan/run.h"

/* The columns and outputs that golden rows of this plan have. */
hb_golden_shape hb_plan_golden_shape(const hb_plan_header *header);

typedef struct hb_verifier hb_verifier;

/* `given` says which outputs the rows come with (hb_golden_row). `found` gets what verifying finds. */
hbs_status hb_verifier_create(const hbs_plan *plan, const hbs_host *host, uint32_t given, hbs_verification *found,
                              hb_verifier **verifier, hbs_error *error);
void hb_verifier_free(hb_verifier *verifier); /* NULL: nothing */

/* One row; a difference is no error. HBS_E_ARGS, HBS_E_TYPE where the model refuses the row; HBS_E_CANCEL;
 * HBS_E_INTERNAL where a block gave other bits. */
hbs_status hb_verify_row(hb_verifier *verifier, const hb_golden_row *row, hbs_error *error);
/* Behind the last row: the last block. */
hbs_status hb_verify_end(hb_verifier *verifier, hbs_error *error);

#endif
