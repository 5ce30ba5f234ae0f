/* format.h - from the bytes of a model file to an unsealed pipeline.
 *
 * A format is one row of the table in format.c: its name, the mark that its bytes begin with, and its
 * reader. `format = auto` decides by the marks, never by trying readers in turn. */
#ifndef HB_FORMAT_FORMAT_H
#define HB_FORMAT_FORMAT_H

#include "format/options.h"
#include "ir/pipeline.h"

/* Reads `size` bytes by the format that options->format names, or by their mark. The caller seals and
 * releases the pipeline, also after an error. */
hbs_status hb_format_read(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                          hbs_error *error);

#endif
