/* json_features.h - the features of a row that is one JSON text, as scikit-learn's DictVectorizer and FeatureHasher
 * take what Python's json.loads makes of it.
 *
 * Python's own freedoms are taken: NaN, Infinity and -Infinity are numbers, half of a surrogate pair is a character,
 * and of members with one name the last counts. No recursion: an object or a list has no others, but lists of texts. */
#ifndef HB_BASE_JSON_FEATURES_H
#define HB_BASE_JSON_FEATURES_H

#include "base/memory.h"

typedef enum hb_json_form {
    HB_JSON_OBJECT, /* {"name": a number, a boolean, null, a text or a list of texts}. Null is NaN */
    HB_JSON_PLAIN,  /* the same without null and lists, and without halves of surrogate pairs */
    HB_JSON_PAIRS,  /* [["name", as of HB_JSON_PLAIN]] */
    HB_JSON_TEXTS,  /* ["name"], each a 1 */
    HB_N_JSON_FORMS
} hb_json_form;

#define HB_JSON_NUMBER UINT32_MAX /* in place of a text's size */

/* A feature: a name with a number, or a name and a text, which stand in the room's bytes. */
typedef struct hb_json_feature {
    uint32_t name, name_size;
    uint32_t text, text_size;
    double number;
} hb_json_feature;

/* The features that were read, without the members of an object that a later one of the same name replaces. */
typedef struct hb_json_room {
    hb_vector bytes;    /* char */
    hb_vector features; /* hb_json_feature */
    hb_vector order;    /* uint32_t */
} hb_json_room;

/* Why a text is none, and the byte. */
typedef struct hb_json_fault {
    const char *why; /* NULL: no memory, or the host wants to stop (work->stopped) */
    size_t at;
} hb_json_fault;

void hb_json_room_init(hb_json_room *room, hb_memory *memory);
void hb_json_room_release(hb_json_room *room);

/* Reads `json`, valid UTF-8 of less than 1 GiB. */
bool hb_json_features_read(hb_json_form form, hbs_text json, hb_json_room *room, hb_work *work, hb_json_fault *fault);

#endif
