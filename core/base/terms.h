/* terms.h - the terms of a text: what scikit-learn's CountVectorizer, TfidfVectorizer and HashingVectorizer count.
 *
 * A text is made lower case, then its accents are taken off, then it is split: into words, of which those that are stop
 * words are left out; or into characters. A term is a sequence of `least` to `most` of them, words with a space between
 * two. */
#ifndef HB_BASE_TERMS_H
#define HB_BASE_TERMS_H

#include "base/python_text.h"
#include "base/regex.h"
#include "base/words.h"

typedef enum hb_analyzer {
    HB_ANALYZE_WORDS,        /* what an expression finds */
    HB_ANALYZE_CHARACTERS,   /* characters; several that are white space count as one space */
    HB_ANALYZE_INSIDE_WORDS, /* those of each word that stands between white space, with a space on both sides */
    HB_N_ANALYZERS
} hb_analyzer;

enum { HB_MOST_TERM = 256 /* words or characters of a term */ };

typedef struct hb_term_rule {
    uint32_t unicode;  /* hb_unicode */
    uint32_t accents;  /* hb_accents */
    uint32_t analyzer; /* hb_analyzer */
    uint32_t lowers;   /* 1: lower() comes first */
    size_t least, most;
    size_t expression_size;
    const char *expression; /* [expression_size]: an hb_regex; NULL: words are two and more of \w */
    hb_words stops;
} hb_term_rule;

/* Memory that a text needs while it is split. */
typedef struct hb_term_room {
    hb_vector lowered, plain, joined; /* char */
    hb_regex_scratch *search;         /* for an expression, begun */
} hb_term_room;

/* Calls `take` for each term, whose bytes last until this returns. False: `take` has said so; there is no memory; or
 * the host wants to stop (work->stopped). */
typedef bool (*hb_term_taker)(void *context, hbs_text term);
bool hb_terms_each(const hb_term_rule *rule, hb_term_room *room, hbs_text text, hb_work *work, hb_term_taker take,
                   void *context);

/* False if a member has a value that it may not have, or the host wants to stop. */
bool hb_term_rule_valid(const hb_term_rule *rule, hb_work *work);

#endif
