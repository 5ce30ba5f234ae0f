/* words.h - texts by number, and sequences of them that are counted: the vocabulary of a text model.
 *
 * Both are flat arrays, so that they lie in a plan as they are. */
#ifndef HB_BASE_WORDS_H
#define HB_BASE_WORDS_H

#include "base/work.h"

/* Texts that are all different: by size, then by bytes. The number of a text is its place. */
typedef struct hb_words {
    size_t n;
    size_t n_bytes;
    const uint32_t *ends;  /* [n]: where each ends in.. */
    const char *bytes;     /* ..[n_bytes] */
    size_t n_slots;        /* a power of two, or 0: texts are found by searching.. */
    const uint32_t *slots; /* ..[n_slots]: at its hash the number of a text + 1, and bits of the hash above it; or 0.
                            * Most texts are found there */
} hb_words;

#define HB_NO_WORD UINT32_MAX

static inline hbs_text hb_word_at(const hb_words *words, size_t i)
{
    size_t begin = i ? words->ends[i - 1] : 0;

    return (hbs_text){words->bytes + begin, words->ends[i] - begin};
}

/* A whole number as a word: its 8 bytes, which stay the caller's. */
static inline hbs_text hb_number_word(const int64_t *number)
{
    return (hbs_text){(const char *)(const void *)number, sizeof(*number)};
}

/* Below, at or above 0: by size, then by bytes. */
int hb_compare_words(hbs_text a, hbs_text b);
/* Fills order[n] with the places of n texts, sorted so. Compares n texts where those of each size are in order, as in a
 * list that is sorted by bytes. False where the host wants to stop. */
bool hb_words_sort(const hbs_text *texts, size_t n, uint32_t *order, hb_work *work);
/* The number of a text, or HB_NO_WORD. O(log n). */
uint32_t hb_word_find(const hb_words *words, hbs_text text);
/* Looks up n texts: found[i] is what `to`, [words->n], has for the text, or HB_NO_WORD. Waits once for memory where a
 * single look-up waits some times. At most HB_WORDS_AT_ONCE. */
enum { HB_WORDS_AT_ONCE = 32 };
void hb_words_find(const hb_words *words, const uint32_t *to, const hbs_text *texts, size_t n, uint32_t *found);
/* Slots that suit `n` texts. */
size_t hb_words_slots(size_t n);
/* Fills [n_slots] zeroed slots. False where the host wants to stop. */
bool hb_words_fill(const hb_words *words, uint32_t *slots, hb_work *work);
/* False if a text is not behind the one before it, or ends are not those of `bytes`, or the host wants to stop. */
bool hb_words_valid(const hb_words *words, hb_work *work);

/* Sequences of words (n-grams), as a tree: node 0 has the first words below it. Node k + 1 is `words[k]` behind the
 * sequence of the node above. Nodes stand in the order of the nodes above them, and those below one node in the order
 * of their words. */
typedef struct hb_grams {
    size_t n;
    const uint32_t *first;   /* [n + 2]: below node k are nodes first[k] + 1 to first[k + 1] */
    const uint32_t *words;   /* [n] */
    const uint32_t *outputs; /* [n]: the column that counts the sequence, or HB_NO_COLUMN: it only begins others */
} hb_grams;

#define HB_NO_COLUMN UINT32_MAX

/* The node of a word below another one; 0: there is none. */
uint32_t hb_gram_below(const hb_grams *grams, uint32_t node, uint32_t word);
/* False if nodes do not stand as they must, or a word or a column is out of range, or the host wants to stop. */
bool hb_grams_valid(const hb_grams *grams, size_t n_words, size_t n_columns, hb_work *work);

/* Counting as ONNX's TfIdfVectorizer: the words of a sequence follow each other, or lie 2, 3, .. words apart, up to
 * `most_skipped` + 1. Sequences of one word count once. */
enum { HB_MOST_GRAM = 16, HB_MOST_SKIPPED = 8, HB_OPEN_LISTS = (HB_MOST_SKIPPED + 1) * (HB_MOST_SKIPPED + 2) / 2 };

/* The sequences that the next words may go on. */
typedef struct hb_gram_walk {
    const hb_grams *grams;
    size_t most_skipped;
    size_t n; /* words so far */
    /* The nodes of sequences that end 1 word before the next one, then 2 (of even places, of odd ones), then 3, .. */
    uint32_t open[HB_OPEN_LISTS][HB_MOST_GRAM];
    uint32_t n_open[HB_OPEN_LISTS]; /* ..so many */
} hb_gram_walk;

void hb_gram_begin(hb_gram_walk *walk, const hb_grams *grams, size_t most_skipped);
/* The next word, or HB_NO_WORD: adds 1 to counts[column * stride] of each sequence that it ends. */
void hb_gram_next(hb_gram_walk *walk, uint32_t word, double *counts, size_t stride);

#endif
