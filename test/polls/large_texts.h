/* large_texts.h - models that read a text of about 1 MB in each row, and such texts: words, characters and JSON. The
 * caller frees what is made. */
#ifndef LARGE_TEXTS_H
#define LARGE_TEXTS_H

#include "hostile/model_builder.h"

mb_bytes texts_words(void);      /* TfidfVectorizer: words and pairs of words.. */
char *value_words(void);         /* ..of few letters */
char *value_letters(void);       /* one long word of capital letters with accents, of two bytes each */
mb_bytes texts_characters(void); /* one and two characters.. */
char *value_one_letter(void);    /* ..which are the same */
mb_bytes texts_in_words(void);   /* up to four characters inside a word */
mb_bytes texts_long_terms(void); /* up to 256 words, of which one term is as long as the text.. */
char *value_long_words(void);    /* ..whose words are long */
mb_bytes texts_pattern(void);    /* words by an expression, hashed */
mb_bytes json_members(void);     /* DictVectorizer.. */
char *value_members(void);       /* ..of many members */
char *value_replaced(void);      /* many members of one name */
char *value_list(void);          /* one member with a list of many texts */
mb_bytes json_texts(void);       /* FeatureHasher of texts.. */
char *value_empty_texts(void);   /* ..that are empty */
mb_bytes json_pairs(void);       /* FeatureHasher of pairs.. */
char *value_pairs(void);         /* ..of which many have long texts */

#endif
