/* large_models.h - models that are as large as their format allows in one direction each: one tree, many trees, sets,
 * names, classes, tables, texts. The test of polls loads, compiles and scores each. */
#ifndef LARGE_MODELS_H
#define LARGE_MODELS_H

#include "hbscore.h"
#include "hostile/model_builder.h"

typedef struct large_model {
    const char *format, *name;
    mb_bytes (*make)(void);    /* the caller frees the bytes */
    char *(*options)(void);    /* of registration, the caller frees them; NULL: none */
    bool all;                  /* forests of note: compiled and scored by every strategy */
    size_t rows;               /* of a block; 0: 4,096 */
    size_t text;               /* the number of the feature that is a text, from 1 on; 0: none.. */
    const char *value;         /* ..and what it has.. */
    char *(*make_value)(void); /* ..or what the caller frees */
    bool json_row, golden;     /* scores a row of JSON of 1 MiB, verifies golden rows of 2 MiB (--long: 16) */
    hbs_status status;         /* of loading */
} large_model;

extern const large_model LARGE_MODELS[];
extern const size_t N_LARGE_MODELS;

#endif
