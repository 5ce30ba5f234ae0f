/* model_document.h - the document that model_builder writes as JSON or UBJSON: a tree of values. */
#ifndef MODEL_DOCUMENT_H
#define MODEL_DOCUMENT_H

#include "model_builder.h"

typedef enum md_kind {
    MD_OBJECT,
    MD_ARRAY,   /* of any values */
    MD_NUMBERS, /* a typed array: XGBoost writes its node arrays so */
    MD_STRING,
    MD_INTEGER,
    MD_REAL,
    MD_BOOL,
    MD_NULL,
    MD_RAW
} md_kind;

typedef struct md_value md_value;

struct md_value {
    md_kind kind;
    const char *key; /* of a member */
    md_value *first, *last, *next;
    double *numbers;
    size_t count; /* of numbers */
    char marker;  /* UBJSON type of numbers: d D i U I l L */
    bool lies;
    int64_t declared;  /* the count that is written, if it lies */
    const char *bytes; /* string, raw */
    size_t size;
    int64_t integer;
    double real;
    bool truth;
};

typedef struct md_pool {
    struct md_block *blocks;
} md_pool;

void *md_allocate(md_pool *pool, size_t count, size_t size); /* zeroed */
void md_release(md_pool *pool);
char *md_copy(md_pool *pool, const char *bytes, size_t size);

md_value *md_new(md_pool *pool, md_kind kind);
md_value *md_string(md_pool *pool, const char *text);
md_value *md_integer(md_pool *pool, int64_t integer);
md_value *md_object(md_pool *pool);
md_value *md_numbers(md_pool *pool, char marker, const double *numbers, size_t count);
md_value *md_strings(md_pool *pool, const char *const *texts, size_t count);

void md_append(md_value *container, md_value *value);
md_value *md_put(md_pool *pool, md_value *object, const char *key, md_value *value); /* the value */
md_value *md_member(md_value *object, const char *key);                              /* NULL: none */
void md_unlink(md_value *container, md_value *value);
size_t md_children(const md_value *container);

/* NUMBERS as an ARRAY of single values. */
void md_untype(md_pool *pool, md_value *numbers);
/* The UBJSON type widened until it holds every number. */
void md_widen(md_value *numbers);

/* JSON at *text, which moves behind it. NULL where it is none. */
md_value *md_parse(md_pool *pool, const char **text);

mb_bytes md_write(const md_value *root, mb_encoding encoding);

#endif
