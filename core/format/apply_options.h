/* apply_options.h - what the registration options change in a model of any format: its features' names, the
 * labels of its classes, the rounds that count. Each fails with HBS_E_ARGS where the option does not fit
 * the model, or HBS_E_NOMEM, HBS_E_LIMIT. */
#ifndef HB_FORMAT_APPLY_OPTIONS_H
#define HB_FORMAT_APPLY_OPTIONS_H

#include "format/options.h"

/* Option features: its names take the place of those that the pipeline has from the file. */
hbs_status hb_apply_names(hb_pipeline *pipeline, const hb_options *options, hbs_error *error);

/* The pipeline gets n classes with copies of the labels: the option's, else `labels`, else 0 to n - 1 (NULL). */
hbs_status hb_apply_classes(hb_pipeline *pipeline, const hb_options *options, const hbs_value *labels, size_t n,
                            hbs_error *error);

/* How many of the model's rounds count: the option's, else `usual`; the pipeline gets the fact. */
hbs_status hb_apply_rounds(hb_pipeline *pipeline, const hb_options *options, int64_t all, int64_t usual, int64_t *used,
                           hbs_error *error);

#endif
