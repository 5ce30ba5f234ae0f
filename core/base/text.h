/* text.h - UTF-8, escaping for messages, hashing and comparing of names. */
#ifndef HB_BASE_TEXT_H
#define HB_BASE_TEXT_H

#include "base/status.h"

/* Strict UTF-8 (no overlong forms, no surrogates, at most U+10FFFF). NUL is allowed. */
bool hb_utf8_valid(const char *bytes, size_t size);
/* How many of `size` bytes, at most `most` (> 4), end where a character does, if they are UTF-8: to look at long texts
 * in parts. */
size_t hb_utf8_part(const char *bytes, size_t size, size_t most);
/* The length (1 to 4) of the character at the start of `size` (> 0) bytes; 0 for a bad one. */
size_t hb_utf8_character(const char *bytes, size_t size);

/* Writes `text` for a message: invalid bytes, control characters and '"' as \xNN, cut to at most
 * `max` bytes of the source, never inside a character, with ".." behind it. Returns `buffer`,
 * always with its NUL. `size` of the buffer (> 0) >= 4 * max + 3 is enough; in a smaller
 * one the text is cut earlier. */
const char *hb_escape(hbs_text text, size_t max, char *buffer, size_t size);

/* A 64-byte escaped excerpt, as messages show names and values of the caller. */
enum { HB_EXCERPT = 64, HB_EXCERPT_BUFFER = 4 * HB_EXCERPT + 3 };
#define HB_SHOW(text, buffer) hb_escape((text), HB_EXCERPT, (buffer), sizeof(buffer))

bool hb_text_equal(hbs_text a, hbs_text b);
bool hb_text_equal_nocase(hbs_text a, hbs_text b); /* ASCII letters only */
bool hb_text_is(hbs_text a, const char *literal);
uint64_t hb_hash(const void *bytes, size_t size); /* 64 bits, same on every machine */

/* How far apart two names are: the bytes to insert, remove or replace, at most `limit`, which
 * counts as HB_MAX_DISTANCE where it is more (for "did you mean"). Takes O(length x limit). */
enum { HB_MAX_DISTANCE = 16 };
size_t hb_text_distance(hbs_text a, hbs_text b, size_t limit);

#endif
