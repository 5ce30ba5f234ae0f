/* own_writer.h - documents of hbscore's own format for tests: small functions that give texts, to be put
 * together by own_text. All texts live until own_reset. */
#ifndef HB_TEST_OWN_WRITER_H
#define HB_TEST_OWN_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void own_reset(void);
__attribute__((format(printf, 1, 2))) const char *own_text(const char *format, ...);

const char *own_base64(const uint8_t *bytes, size_t n);
/* {"dtype":..,"shape":[n],"data":base64}; own_matrix: of the shape [rows, columns]. */
const char *own_array(const char *dtype, size_t item_size, size_t n, const void *items);
const char *own_matrix(size_t rows, size_t columns, const double *numbers);
const char *own_bits(size_t n, const uint8_t *flags);

#define OWN_COUNT(type, ...) (sizeof((const type[]){__VA_ARGS__}) / sizeof(type))
#define OWN_ARRAY(dtype, type, ...) \
    own_array(dtype, sizeof(type), OWN_COUNT(type, __VA_ARGS__), (const type[]){__VA_ARGS__})
#define F8(...)                  OWN_ARRAY("f8", double, __VA_ARGS__)
#define I4(...)                  OWN_ARRAY("i4", int32_t, __VA_ARGS__)
#define I8(...)                  OWN_ARRAY("i8", int64_t, __VA_ARGS__)
#define U1(...)                  OWN_ARRAY("u1", uint8_t, __VA_ARGS__)
#define U2(...)                  OWN_ARRAY("u2", uint16_t, __VA_ARGS__)
#define F4(...)                  OWN_ARRAY("f4", float, __VA_ARGS__)
#define BITS(...)                own_bits(OWN_COUNT(uint8_t, __VA_ARGS__), (const uint8_t[]){__VA_ARGS__})
#define B1(...)                  OWN_ARRAY("b1", uint8_t, __VA_ARGS__)
#define ROWS(rows, columns, ...) own_matrix(rows, columns, (const double[]){__VA_ARGS__})

/* Whole documents of `n` features without names. `ops` without the brackets. */
const char *own_regressor(size_t n, const char *ops);
const char *own_classifier(size_t n, const char *classes, const char *ops);

/* The document with the member `transform`; one of a transformer has no other output. */
const char *own_with_transform(const char *document, size_t value);
const char *own_transformer(size_t n, size_t value, const char *ops);

/* The members of a forest; those that are NULL are of one tree: x0 <= 0.5 ? 1 : 2, a missing one right.
 * `sets` are the members of the sets of categories, each behind a comma. */
typedef struct own_forest {
    const char *input, *start, *left, *right, *feature, *threshold, *sets, *missing_left, *cover, *value, *group, *init,
        *divide, *missing;
} own_forest;
const char *own_sets(const char *node, const char *start, const char *bits);
const char *own_forest_of(const char *in, own_forest forest);

/* The same tree in preorder. `leaf` is "" where leaf k has row k of `value`. */
typedef struct own_packed {
    const char *input, *node, *threshold, *sets, *missing_left, *cover, *leaf, *value, *group, *init, *divide, *missing;
} own_packed;
const char *own_packed_of(const char *in, own_packed forest);

/* The members of an embedded model, those that are NULL of an XGBoost file with nothing said. `file` is a
 * text, before base64. */
typedef struct own_model {
    const char *format, *rounds, *missing, *zero_is_missing, *file;
} own_model;
const char *own_model_of(const char *in, own_model model);
/* The same as the operator booster; `classes` and `raw` as there. */
const char *own_booster_of(const char *in, const char *classes, const char *raw, own_model model);

/* Operators; `in` is the list of their inputs: "0,2". The affine one subtracts zeros, `width` of them; the
 * imputer, of two columns, fills zeros for NaN, or for -1; the linear one is the sum of two columns. */
#define SELECT(in, cols) "{\"op\":\"select\",\"in\":[" in "],\"cols\":[" cols "]}"
#define CAST(in)         "{\"op\":\"cast\",\"in\":[" in "],\"to\":\"f4\"}"
const char *own_check(const char *in, bool missing);
const char *own_link(const char *kind, const char *in);
const char *own_head(const char *rule, const char *in);
const char *own_affine(const char *in, size_t width);
const char *own_impute(const char *in, bool number);
const char *own_linear(const char *in);

/* A text `n` times. */
const char *own_repeated(const char *piece, const char *between, size_t n);

#endif
