/* options.h - the registration options: what a model file cannot say about itself.
 *
 * A JSON object of at most HB_MAX_OPTIONS bytes beside the option `golden`, read by the same strict reader
 * as models. (json-c was tried and left: 0.16 crashes where a strdup in it fails, and its memory is not the
 * host's.) */
#ifndef HB_FORMAT_OPTIONS_H
#define HB_FORMAT_OPTIONS_H

#include "ir/pipeline.h"

/* Without the option `golden`, whose text may be as long as golden.h says. */
enum { HB_MAX_OPTIONS = 256 * 1024 };

typedef struct hb_options {
    const char *name_bytes;    /* the features' names in the model's order, one after another; or NULL */
    const uint32_t *name_ends; /* where each ends */
    size_t n_features;
    const hbs_value *classes; /* labels in the model's order, or NULL */
    size_t n_classes;
    int64_t rounds;     /* boosting rounds that count; 0: as the file says */
    bool missing_given; /* the option was there: what the file says does not count */
    bool has_missing;
    double missing;        /* the number that training treated as missing */
    bool missing_is_error; /* on_missing */
    bool unseen_given;
    hb_unseen on_unseen;
    hbs_text missing_text; /* what NULL counts as where texts are looked up; bytes NULL if not given */
    bool outputs_given;    /* outputs: of a graph with several.. */
    hbs_text label_output, probabilities_output, values_output; /* ..these; bytes NULL if not given */
    hbs_text format;                                            /* "auto" if not given */
    hbs_text description;                                       /* bytes NULL if not given */
    bool waits;                                                 /* deploy is false */
    hbs_text golden;        /* the value's text, in the text that was read; bytes NULL if not given */
    hbs_text golden_member; /* the same with its name and the comma that goes with it */
} hb_options;

/* Reads `text` (NULL or size 0: no options); what the options hold is copied into `arena`, but for golden,
 * which is any JSON here and looked at by nobody (golden.h reads it). HBS_E_ARGS,
 * HBS_E_LIMIT, HBS_E_NOMEM. */
hbs_status hb_options_read(hb_arena *arena, const char *text, size_t size, hb_options *options, hbs_error *error);

/* Copies `text` into the arena without the member golden, which may not be there; bytes NULL where there
 * is no memory. */
hbs_text hb_options_without_golden(hb_arena *arena, hbs_text text, const hb_options *options);

/* A JSON text that stands inside a model file as a string (XGBoost's scikit_learn attribute), checked as
 * the options are. Gives the labels under "classes_" and the number under "missing", where it has them. */
hbs_status hb_metadata_read(hb_arena *arena, hbs_text text, hb_options *found, hbs_error *error);

#endif
