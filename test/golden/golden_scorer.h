/* golden_scorer.h - what the ways to score a golden share: its model, its plans, and the bits of hbs_score_row. */
#ifndef GOLDEN_SCORER_H
#define GOLDEN_SCORER_H

#include "golden_cells.h"

/* The plans of a model: as it is, without passes, without one of them, and by each strategy in turn. */
enum { AS_IT_IS, NO_PASSES, ONE_LEFT_OUT, BY_STRATEGY, PLANS = BY_STRATEGY + HBS_N_STRATEGIES - 1 };

extern const uint32_t RG_BIT_OF[RG_KINDS]; /* of hbs_score */

typedef struct rg_scorer {
    const rg_golden *golden;
    rg_tally *tally;
    rg_host host;
    hbs_model *model;
    hbs_compile_options compiled[PLANS];
    char ways[PLANS][64]; /* how each is compiled, in words */
    hbs_plan *plans[PLANS];
    hbs_plan *kept; /* as it is, with the nodes for devices */
    hbs_run *run;   /* of plans[AS_IT_IS], for RG_MAX_BLOCK rows */
    hbs_plan_info info;
    size_t model_size;
    uint32_t outputs; /* of the golden */
    size_t stride;    /* numbers of a row, all outputs together */
    uint64_t *bits;   /* [rows][stride]: what hbs_score_row gave */
    uint64_t *got;    /* [stride]: of another way */
    bool *null;       /* [rows]: it gave NULL */
    size_t *good;     /* rows that are no error, shuffled */
    size_t n_good;
    size_t printed;
    uint64_t random;
} rg_scorer;

/* ---- golden_scorer.c */

__attribute__((format(printf, 2, 3))) void rg_differ(rg_scorer *s, const char *format, ...);
uint32_t rg_next_random(rg_scorer *s);
size_t rg_hash_of(const char *text);
hbs_run *rg_make_run(rg_scorer *s, const hbs_plan *plan, size_t max_rows);
uint64_t rg_bits_of(double number);
double rg_number_of(uint64_t bits);
bool rg_is_valid(const hbs_result *result, size_t row);

/* The array of an output is there just where it was asked for. */
bool rg_check_arrays(rg_scorer *s, const hbs_result *result, uint32_t asked, const char *way);

/* The bits of one row; outputs that were not asked for keep what `bits` has. */
void rg_take_row(const rg_scorer *s, const hbs_result *result, size_t row, uint32_t asked, uint64_t *bits);

/* Row `at` of a result against the reference for the golden's row `row`. */
void rg_compare_bits(rg_scorer *s, const hbs_result *result, size_t at, size_t row, uint32_t asked, const char *way);

/* ---- golden_plans.c */

bool rg_check_info(rg_scorer *s);

/* The hash of the golden's name picks the pass that is left out, so all passes have their turns. */
void rg_choose_plans(rg_scorer *s);
bool rg_load(rg_scorer *s, const char *folder);

/* The plan states the tolerance that the golden has. */
void rg_check_tolerances(rg_scorer *s);

/* ---- golden_reference.c */

void rg_check_error(rg_scorer *s, size_t row, hbs_status status, const hbs_error *error, const char *way);

/* The reference of all other ways, and the comparison that the golden is for. */
void rg_score_reference(rg_scorer *s);

/* ---- golden_rows.c */

void rg_score_rows_as(rg_scorer *s, hbs_run *run, rg_form form, bool nan, uint32_t asked, const char *way);

/* Where all cells are numbers that doubles hold. */
void rg_score_rows_as_numbers(rg_scorer *s, const char *way);
void rg_score_rows_json(rg_scorer *s, bool object, const char *way);

/* ---- golden_blocks.c */

void rg_score_block(rg_scorer *s, hbs_run *run, const size_t *pick, size_t rows, rg_form form, bool nan,
                    const char *way);

/* `rows` rows that have the form, by walking the shuffled ones round and round. */
bool rg_pick_rows(rg_scorer *s, rg_form form, size_t rows, size_t *pick);

/* Rows in their own types: blocks of rows whose columns agree in type. */
void rg_score_own_types(rg_scorer *s);

/* Each bad row at the start, inside and at the end of a block: those before it must be scored. */
void rg_score_bad_rows(rg_scorer *s);
void rg_score_sizes(rg_scorer *s, rg_effort effort, size_t turn);
void rg_score_whole(rg_scorer *s, hbs_run *run, rg_form form, bool nan, const char *way);

/* ---- golden_device.c */

/* Without a GPU the host's kernels: the hash of the golden's name picks one way in which a device walks the trees, by
 * form, groups and order. */
void rg_score_on_device(rg_scorer *s, rg_effort effort, const rg_gpu *gpu);

#endif
