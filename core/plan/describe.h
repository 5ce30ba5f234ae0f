/* describe.h - a plan for people: the operators of the pipeline, the graph before and after each
 * pass, and the steps that run (hbscore_plan). Behind the public functions of hbscore.h. */
#ifndef HB_PLAN_DESCRIBE_H
#define HB_PLAN_DESCRIBE_H

#include "base/memory.h"
#include "plan/plan.h"

struct hbs_description {
    hb_memory memory;
    hb_arena arena;       /* the lines' texts */
    hb_vector lines;      /* hbs_plan_line */
    const char *features; /* hb_draw_features */
};

/* Lowers and optimizes as hb_plan_compile does, and writes down what there is before and after each
 * pass; then compiles, and writes down the steps. HBS_E_NOMEM, HBS_E_CANCEL, HBS_E_INTERNAL. */
hbs_status hb_describe(const hb_pipeline *pipeline, const hbs_host *host, const hbs_compile_options *options,
                       hbs_description **description, hbs_error *error);
/* plan/draw.c: behind hbs_description_draw. */
hbs_status hb_draw(hbs_description *description, hbs_text title, hbs_text *text, hbs_error *error);
/* How many features there are, and the names of the first ones, as drawings show them; NULL: no memory. */
const char *hb_draw_features(const hb_pipeline *pipeline, hb_arena *arena);
void hb_description_free(hbs_description *description); /* NULL: nothing */

#endif
