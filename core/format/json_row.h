/* json_row.h - a row of features as a JSON object (by name) or a JSON array (by position). */
#ifndef HB_FORMAT_JSON_ROW_H
#define HB_FORMAT_JSON_ROW_H

#include "base/memory.h"
#include "base/text.h"
#include "format/document.h"

enum { HB_MAX_JSON_ROW = 1 << 20 };

/* Who takes the row. `find` gives a feature's number by name (n_features: unknown; *ambiguous: several). */
typedef struct hb_row_taker {
    const void *context;
    size_t n_features;
    bool named;
    size_t (*find)(const void *context, hbs_text name, bool *ambiguous);
    hbs_text (*name)(const void *context, size_t feature);
} hb_row_taker;

/* Reads `json` into values[0..n_features). *given is the number of values of an array, or n_features for
 * an object, which must have every feature. Texts are copied into `text`. HBS_E_ARGS, HBS_E_TYPE,
 * HBS_E_LIMIT, HBS_E_NOMEM. */
hbs_status hb_json_row_read(hb_memory *memory, const char *json, size_t size, const hb_row_taker *taker,
                            hb_vector *text, hbs_value *values, size_t *given, hbs_error *error);

/* The same for an array of features that is due in a document over `json`, which has the errors. Texts are
 * valid until the next call with the same vector. */
void hb_json_row_array(hb_document *d, const char *json, size_t size, size_t n_features, hb_vector *text,
                       hbs_value *values, size_t *given);

#endif
