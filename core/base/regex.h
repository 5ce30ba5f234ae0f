/* regex.h - regular expressions in linear time: two dialects, one engine.
 *
 * HB_REGEX_PYTHON is Python's `re` on str: of the matches that begin first, the one that a backtracking search finds
 * first; \w, \d, \s and \b by Unicode. HB_REGEX_RE2_LONGEST is RE2 with longest_match: of the matches that begin first,
 * the longest; \w, \d, \s and \b in ASCII. What is not supported is refused by name: see regex_parse.c.
 *
 * A compiled expression is one flat block, which may be copied. A search takes O(text x instructions), never goes back
 * in the text, and allocates nothing.
 *
 * A match begins and ends where characters do. (RE2's \B also matches between two bytes of one character; such a match
 * is empty.) The caller passes texts of valid UTF-8. In any other text each bad byte is a character that nothing
 * matches. */
#ifndef HB_BASE_REGEX_H
#define HB_BASE_REGEX_H

#include "base/memory.h"

/* Python's by the versions of Unicode, in the order of hb_unicode. */
typedef enum hb_regex_mode {
    HB_REGEX_PYTHON_13_0,
    HB_REGEX_PYTHON_14_0,
    HB_REGEX_PYTHON_15_0,
    HB_REGEX_PYTHON_15_1,
    HB_REGEX_RE2_LONGEST,
    HB_REGEX_PYTHON = HB_REGEX_PYTHON_14_0
} hb_regex_mode;

enum {
    HB_REGEX_MAX_PATTERN = 32 * 1024,  /* bytes */
    HB_REGEX_MAX_INSTRUCTIONS = 10000, /* after repeats are written out */
    HB_REGEX_MAX_REPEAT = 1000,
    HB_REGEX_MAX_DEPTH = 100, /* of groups in groups */
};

typedef struct hb_regex hb_regex;

/* Compiles into the arena. HBS_E_FORMAT: it is no regular expression of this dialect. HBS_E_UNSUPPORTED: it has
 * something that hbscore does not support. HBS_E_LIMIT: one of the limits above. The texts name the byte. */
hbs_status hb_regex_compile(hb_arena *arena, hbs_text pattern, hb_regex_mode mode, hb_work *work,
                            const hb_regex **regex, hbs_error *error);

/* Bytes of the block, for who copies it. */
size_t hb_regex_size(const hb_regex *regex);
/* True if it has a group that captures. RE2's groups do not: a leftmost-longest match has no use for them. */
bool hb_regex_has_group(const hb_regex *regex);
/* True if each match has a character at least. */
bool hb_regex_takes_characters(const hb_regex *regex);

/* Memory that searches need: `hb_regex_scratch_size` bytes, aligned to 8, begun once by `hb_regex_scratch_begin`.
 * It may be used for one search at a time. */
typedef struct hb_regex_scratch hb_regex_scratch;
size_t hb_regex_scratch_size(const hb_regex *regex);
hb_regex_scratch *hb_regex_scratch_begin(const hb_regex *regex, void *memory);

/* Bytes [begin, end) of the text; both HB_NO_PLACE where the group took no part. */
#define HB_NO_PLACE SIZE_MAX
typedef struct hb_span {
    size_t begin, end;
} hb_span;

typedef struct hb_match {
    hb_span whole, group;
} hb_match;

/* The first match that begins at byte `from` or later; ^ and \b look at what is before. False: there is none, or the
 * host wants to stop (work->stopped). */
bool hb_regex_search(const hb_regex *regex, hb_regex_scratch *scratch, hbs_text text, size_t from, hb_match *match,
                     hb_work *work);

/* All matches in turn, as Python's finditer: none overlaps, empty ones count, and an empty one may follow directly
 * behind another one, but no empty one twice at one place. Begin with {0}. */
typedef struct hb_regex_walk {
    size_t from;
    bool empty; /* the last match was empty: the next one may not be empty at `from` */
} hb_regex_walk;
bool hb_regex_next(const hb_regex *regex, hb_regex_scratch *scratch, hbs_text text, hb_regex_walk *walk,
                   hb_match *match, hb_work *work);

#endif
