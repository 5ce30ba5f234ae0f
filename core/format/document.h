/* document.h - one pull reader for JSON (RFC 8259) and UBJSON, so that one schema walker serves
 * both.
 *
 * The walker asks for what the schema has at this place; anything else is an error that names the
 * path ("learner.gradient_booster.model.trees[3].left_children") and the byte. The first error
 * stays in the document: after it every call gives false, 0 or "", so a walker reads a whole object
 * and looks at `error->status` (or hb_document_ok) once, at its end.
 *
 * Strict: duplicate keys, more than HB_MAX_MEMBERS members in one object, depth over HB_MAX_DEPTH,
 * bad UTF-8, trailing bytes, numbers that do not fit are errors. No recursion. Memory: the caller's
 * vectors, and what open objects need to find duplicates.
 *
 *     if (hb_object_begin(d))
 *         while (hb_object_next(d, &key))
 *             if (hb_text_is(key, "num_trees")) n = hb_read_integer(d, 0, INT32_MAX);
 *             else if (...) ...
 *             else hb_document_unknown(d);      // or hb_skip(d) for a member without effect
 */
#ifndef HB_FORMAT_DOCUMENT_H
#define HB_FORMAT_DOCUMENT_H

#include "base/memory.h"
#include "base/reader.h"
#include "base/text.h"

enum { HB_MAX_DEPTH = 64, HB_MAX_MEMBERS = 1024 };

typedef enum hb_encoding { HB_JSON, HB_UBJSON } hb_encoding;

typedef struct hb_document hb_document;

/* The kind of the value at the reading position. */
typedef enum hb_kind {
    HB_KIND_NONE, /* an error, or nothing is left */
    HB_KIND_OBJECT,
    HB_KIND_ARRAY,
    HB_KIND_STRING,
    HB_KIND_INTEGER, /* a number without '.' and exponent (JSON), an integer marker (UBJSON) */
    HB_KIND_REAL,
    HB_KIND_BOOL,
    HB_KIND_NULL
} hb_kind;

/* Makes a reader over `bytes`, which must outlive it. The errors of reading go to `error`, prefixed
 * by nothing; *document is NULL where there is no memory. hb_document_close takes NULL. */
hbs_status hb_document_open(hb_memory *memory, const void *bytes, size_t size, hb_encoding encoding, hbs_error *error,
                            hb_document **document);
void hb_document_close(hb_document *d);

/* Starts at this offset, where a value begins, instead of at 0; before anything was read. That value is
 * then all that is read: hb_document_end is not for it. */
void hb_document_seek(hb_document *d, size_t offset);

/* Objects may have up to `n` members from here on; HB_MAX_MEMBERS if never called. */
void hb_document_allow_members(hb_document *d, size_t n);

/* JSON: takes infinities from here on, in the spellings of SQLite's JSON functions: 9.0e+999 (or any other spelling of
 * 9e999), before version 3.42 Inf, each with or without a minus. */
void hb_document_allow_infinities(hb_document *d);

/* Nothing may follow the one value (but white space, in JSON): call it at the end. Returns the
 * document's status. */
hbs_status hb_document_end(hb_document *d);

bool hb_document_ok(const hb_document *d);
hbs_status hb_document_status(const hb_document *d);
size_t hb_document_offset(const hb_document *d);
size_t hb_document_left(const hb_document *d); /* bytes that are not read yet */
hb_kind hb_peek(hb_document *d);

/* Whether the number at the reading position is none of NaN, Infinity, -Infinity (JSON). */
bool hb_peek_finite(hb_document *d);

/* Counts work on what was read; false where the host wants to stop, which is then the document's failure. */
bool hb_document_goes_on(hb_document *d, size_t units);

/* Fails with words of the walker's own, at this place (path and offset are added). The first
 * failure stays. Returns the status. */
__attribute__((format(printf, 3, 4))) hbs_status hb_document_fail(hb_document *d, hbs_status status, const char *format,
                                                                  ...);
/* Keeps the status of what has filled the document's error already; true for HBS_OK. */
bool hb_document_latch(hb_document *d, hbs_status status);
/* Fails for want of memory: the host's, or more than our own limit. False. The first failure stays. */
bool hb_document_no_memory(hb_document *d);
/* Fails: the member just read (hb_object_next) is not known here. HBS_E_FORMAT. */
void hb_document_unknown(hb_document *d);

bool hb_object_begin(hb_document *d);
/* The next member's key (valid until the next call on d), or false at the object's end. The value
 * must then be read or skipped. */
bool hb_object_next(hb_document *d, hbs_text *key);

bool hb_array_begin(hb_document *d);
/* True where one more element follows, which must then be read or skipped. */
bool hb_array_next(hb_document *d);

/* Scalars. Integers outside [low, high] are errors; a REAL is no integer. hb_read_float and
 * hb_read_double take integers too (UBJSON: float, double, integer markers), rounded once, and
 * neither NaN nor infinities. The string's bytes are valid until the next call. */
int64_t hb_read_integer(hb_document *d, int64_t low, int64_t high);
float hb_read_float(hb_document *d);
double hb_read_double(hb_document *d);
bool hb_read_bool(hb_document *d);
hbs_text hb_read_string(hb_document *d);

/* Whole arrays of numbers, appended to a vector whose item_size fits (4: float or int32_t, 1:
 * uint8_t, 8: double or int64_t); the fast path of big models, polls for cancel. Booleans count as
 * 0 and 1 in the u8 form (XGBoost writes default_left so). Typed and untyped UBJSON arrays are
 * read; a value out of the item's range is an error with its offset. `finite` false lets the tokens
 * NaN, Infinity, -Infinity pass (XGBoost's writer emits them in some float arrays); 1e999 is always
 * an error. */
bool hb_read_floats(hb_document *d, hb_vector *out, bool finite);
bool hb_read_doubles(hb_document *d, hb_vector *out, bool finite);
bool hb_read_int32s(hb_document *d, hb_vector *out);
bool hb_read_int64s(hb_document *d, hb_vector *out);
bool hb_read_uint8s(hb_document *d, hb_vector *out);

/* Steps over any one value, checking it as strictly as if it were read. NaN and infinities pass
 * where `finite` is false. Fast for arrays of numbers. */
void hb_skip(hb_document *d, bool finite);

#endif
