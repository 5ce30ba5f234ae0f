/* vocabulary.h - a file's lists of words and n-grams as the operator text_counts takes them. */
#ifndef HB_FORMAT_VOCABULARY_H
#define HB_FORMAT_VOCABULARY_H

#include "ir/pipeline.h"

/* Sequences of words as a file has them: sequence i is the texts [ends[i - 1], ends[i]) and counts in column
 * outputs[i]. */
typedef struct hb_sequences {
    size_t n;
    const uint32_t *ends;    /* [n] */
    const hbs_text *texts;   /* [ends[n - 1]], which last while this is read */
    const uint32_t *outputs; /* [n] */
} hb_sequences;

/* The texts, each once, in the pipeline's arena; codes[i] (NULL: nobody asks) is the number of texts[i]. HBS_E_NOMEM,
 * HBS_E_LIMIT, HBS_E_CANCEL. */
hbs_status hb_words_make(hb_pipeline *pipeline, const hbs_text *texts, size_t n, hb_words *words, uint32_t *codes,
                         hbs_error *error);

/* The words and the tree of the sequences. *same: of two equal sequences the later one, or sequences->n. */
hbs_status hb_grams_make(hb_pipeline *pipeline, const hb_sequences *sequences, hb_words *words, hb_grams *grams,
                         size_t *same, hbs_error *error);

#endif
