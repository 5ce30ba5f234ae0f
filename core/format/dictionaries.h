/* dictionaries.h - texts of a file to codes.
 *
 * Encoders of one feature may each name texts of their own: a feature's dictionary has all of them. So they are noted
 * while the file is read, and get their codes at its end: 0, 1, .. in the order of their bytes. A dictionary beyond
 * those of the features is the file's own: of texts that its operators make. Dictionaries that are joined have the same
 * texts and codes. */
#ifndef HB_FORMAT_DICTIONARIES_H
#define HB_FORMAT_DICTIONARIES_H

#include "ir/pipeline.h"

/* A text of the file, and where its code goes when all texts are known. */
typedef struct hb_noted_text {
    uint32_t feature;
    hbs_text text;
    double *code;
} hb_noted_text;

typedef struct hb_dictionaries {
    hb_pipeline *pipeline;
    hb_vector texts; /* hb_noted_text */
    hb_vector joins; /* uint32_t: two dictionaries each */
    size_t n_more;   /* dictionaries behind those of the features */
    uint32_t *roots; /* [features + n_more], at the end: the one of those joined that has the texts; NULL: itself.. */
    hb_categories *categories; /* ..[features + n_more], at the end; NULL: no dictionary has any */
} hb_dictionaries;

void hb_dictionaries_init(hb_dictionaries *d, hb_pipeline *pipeline);
void hb_dictionaries_release(hb_dictionaries *d);

/* Notes texts[0 .. n) of the feature, whose bytes must last as long as the pipeline; codes[i] is set by
 * hb_dictionaries_end. False without memory, or where the host wants to stop. */
bool hb_dictionaries_note(hb_dictionaries *d, uint32_t feature, const hbs_text *texts, size_t n, double *codes);
/* One more dictionary, to note texts of. */
uint32_t hb_dictionaries_add(hb_dictionaries *d);
/* From now on both are one. False without memory. */
bool hb_dictionaries_join(hb_dictionaries *d, uint32_t a, uint32_t b);
/* Gives each feature of text (is_text[f]; NULL: there is none) its dictionary, and every text its code. */
hbs_status hb_dictionaries_end(hb_dictionaries *d, const uint8_t *is_text, hbs_error *error);
/* The texts of a dictionary in the order of their codes, behind hb_dictionaries_end. */
const hb_categories *hb_dictionaries_texts(const hb_dictionaries *d, uint32_t dictionary);

#endif
