/* tokens.h - how a text becomes words: the parameters of ONNX's StringNormalizer and Tokenizer. */
#ifndef HB_BASE_TOKENS_H
#define HB_BASE_TOKENS_H

#include "base/case_change.h"
#include "base/regex.h"
#include "base/words.h"

enum { HB_MAX_TEXT = 1 << 24 /* bytes: counts of its words are exact in float32 */ };

typedef enum hb_splitting {
    HB_SPLIT_NOT,        /* the text is one word */
    HB_SPLIT_MATCHES,    /* words are what an expression matches */
    HB_SPLIT_BETWEEN,    /* words lie between what it matches */
    HB_SPLIT_CHARACTERS, /* each character is a word */
    HB_N_SPLITTINGS
} hb_splitting;

/* First the case is changed, then the text is split; words that are too short, or stop words, count as not there. */
typedef struct hb_tokenizer {
    uint32_t casing;    /* hb_casing */
    uint32_t splitting; /* hb_splitting */
    size_t least;       /* characters of a word */
    size_t marks; /* 1: the character 2 stands before the first word, if there is one, and 3 behind the last one */
    size_t expression_size;
    const char *expression; /* [expression_size]: an hb_regex */
    hb_words stops;
} hb_tokenizer;

/* Memory that a text needs while it is split. */
typedef struct hb_token_room {
    char *changed;            /* hb_case_room of the longest text */
    hb_regex_scratch *search; /* NULL: no expression needs it */
} hb_token_room;

/* Goes over the words of one text. */
typedef struct hb_token_walk {
    const hb_tokenizer *tokenizer;
    hb_token_room room;
    hb_work *work;
    hbs_text text;
    size_t from;
    hbs_text held; /* the first word, while the mark before it is given */
    enum { HB_TOKENS_FIRST, HB_TOKENS_HELD, HB_TOKENS_WORDS, HB_TOKENS_LAST, HB_TOKENS_END } stage;
} hb_token_walk;

/* Bytes that a search needs, 8-aligned; 0: there is none. */
size_t hb_tokenizer_scratch(const hb_tokenizer *tokenizer);

/* False where the host wants to stop. The text, UTF-8, and the room must last as long as the walk. */
bool hb_tokens_begin(hb_token_walk *walk, const hb_tokenizer *tokenizer, hb_token_room room, hbs_text text,
                     hb_work *work);
/* False: there is no more, or the host wants to stop (work->stopped). */
bool hb_tokens_next(hb_token_walk *walk, hbs_text *word);

#endif
