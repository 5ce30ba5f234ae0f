/* texts.h - the texts of a tile's rows, for operators that read texts themselves.
 *
 * The column of such a feature has the place of each row's text in this list, so that columns of texts are moved and
 * chosen as numbers are. NaN: the text is missing. */
#ifndef HB_OP_TEXTS_H
#define HB_OP_TEXTS_H

#include "base/tokens.h"

typedef struct hb_texts {
    hbs_text *at; /* [n], valid UTF-8; bytes NULL: none is bound there */
    size_t n;
    hb_token_room room; /* for the longest of them */
} hb_texts;

#endif
