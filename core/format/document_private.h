/* document_private.h - what document.c shares with the two encodings, json.c (with
 * json_numbers.c) and ubjson.c. Nobody else
 * includes it.
 *
 * document.c keeps the protocol: the latch, the stack of open containers, paths, duplicate keys. An
 * encoding knows tokens only. Its functions are called where their token is due, on a document that
 * has not failed, and leave the reading position behind what they read. */
#ifndef HB_FORMAT_DOCUMENT_PRIVATE_H
#define HB_FORMAT_DOCUMENT_PRIVATE_H

#include <string.h>

#include "format/document.h"

/* The host is asked for cancel once in so many bytes: half a millisecond of the slowest ones (floats
 * that the C library must round, objects of very many keys), at 20 MB/s. */
enum { HB_POLL_BYTES = 8 * 1024 };

/* An open container. */
typedef struct hb_frame {
    bool object;
    bool counted;  /* UBJSON: `left` says how many follow, there is no end marker */
    uint8_t type;  /* UBJSON: the marker of every value; 0: each has its own */
    uint64_t left; /* counted: values not yet begun */
    size_t index;  /* values begun: the current one is index - 1 */
    size_t key_at; /* object: the current member's key in the input, as written there */
    size_t key_size;
    size_t first_hash; /* object: its first one in d->hashes */
} hb_frame;

/* The type of the items that hb_read_floats and the like append to their vector. */
typedef enum hb_item {
    HB_ITEM_NONE,
    HB_ITEM_FLOAT32,
    HB_ITEM_FLOAT64,
    HB_ITEM_INT32,
    HB_ITEM_INT64,
    HB_ITEM_UINT8
} hb_item;

typedef struct hb_encoding_table {
    hb_kind (*peek)(hb_document *d);
    /* Reads the head of a container and sets what the frame needs. */
    bool (*begin)(hb_document *d, hb_frame *frame);
    /* The next value's place: true where one follows (for an object, behind its key), false at the
     * container's end or after an error. */
    bool (*next)(hb_document *d, hb_frame *frame, hbs_text *key);
    bool (*read_integer)(hb_document *d, int64_t *number);
    bool (*read_float)(hb_document *d, float *number);
    bool (*read_double)(hb_document *d, double *number);
    bool (*read_bool)(hb_document *d, bool *value);
    bool (*read_string)(hb_document *d, hbs_text *text);
    /* Steps over a value that is no container. */
    bool (*skip_scalar)(hb_document *d, bool finite);
    /* Reads the open array's numbers to its end. HB_ITEM_NONE: steps over them (`out` is NULL), and
     * over as many as there are: a value that is no number is left to be read next. True where the
     * array's end was reached and read. */
    bool (*read_numbers)(hb_document *d, hb_frame *frame, hb_item item, hb_vector *out, bool finite);
    bool (*end)(hb_document *d);
} hb_encoding_table;

extern const hb_encoding_table hb_json_table, hb_ubjson_table;

struct hb_document {
    hb_memory *memory;
    hbs_error *error;
    const hb_encoding_table *encoding;
    hb_reader in;           /* its status is the document's latch */
    const uint8_t *poll_at; /* ask the host behind this */
    size_t token_at;        /* the offset of the key or value read last: errors of walkers name it */
    size_t depth;
    bool due; /* a value is to be read here */
    size_t max_members;
    bool takes_infinities;
    hb_vector hashes; /* uint64_t: of the keys of all open objects */
    hb_vector text;   /* char: the last string or key, where it had escapes */
    hb_frame frames[HB_MAX_DEPTH];
};

/* The first failure: fills the error with path, words and offset, and empties the window. False. */
__attribute__((format(printf, 4, 5))) bool hb_document_stop(hb_document *d, hbs_status status, size_t offset,
                                                            const char *format, ...);
/* "expected an integer, found a string": at the reading position. */
bool hb_document_expected(hb_document *d, const char *expected);

/* Asks the host for cancel where enough was read since the last time. */
bool hb_document_poll(hb_document *d);

/* How far a loop at p may go before it polls; behind p unless nothing is left. */
static inline const uint8_t *hb_document_part(const hb_document *d, const uint8_t *p)
{
    return p < d->poll_at && d->poll_at < d->in.end ? d->poll_at : d->in.end;
}

/* ---- json.c and json_numbers.c */

/* White space of any length: polls. After a cancel what it returns is the end of the window. */
const uint8_t *hb_json_long_space(hb_document *d, const uint8_t *p);

/* Behind the white space at p; the reading position may stay before it. */
static inline const uint8_t *hb_json_space(hb_document *d, const uint8_t *p)
{
    if (p == d->in.end || *p <= ' ') /* models are written without any */
        return hb_json_long_space(d, p);
    return p;
}

/* Whether the bytes at p begin with the word; its length, or 0. */
static inline size_t hb_json_word(const uint8_t *p, const uint8_t *end, const char *word)
{
    size_t size = strlen(word);

    return (size_t)(end - p) >= size && memcmp(p, word, size) == 0 ? size : 0;
}

/* Steps over `size` bytes that were looked at; false for 0. */
static inline bool hb_json_took(hb_document *d, size_t size)
{
    d->in.p += size;
    return size > 0;
}

/* HB_KIND_INTEGER or HB_KIND_REAL: what the number at p is, which begins like one. */
hb_kind hb_json_number_kind(const uint8_t *p, const uint8_t *end);
bool hb_json_read_integer(hb_document *d, int64_t *number);
bool hb_json_read_float(hb_document *d, float *number);
bool hb_json_read_double(hb_document *d, double *number);
bool hb_json_skip_number(hb_document *d, bool finite);
bool hb_json_read_numbers(hb_document *d, hb_frame *frame, hb_item item, hb_vector *out, bool finite);

#endif
