/* protobuf.h - a bounded reader of protobuf messages, without copies: a message is a window of the file, and what it
 * gives are views of it. Nothing here allocates, and nothing is recursive.
 *
 * The first error stays in the hb_protobuf: after it every call gives false, 0 or nothing, so a parser reads a whole
 * message and looks at the status once, at its end. Strict: a field that may stand once and stands twice is refused
 * (two parsers would see two models), and so are groups, field 0, varints beyond 64 bits, lengths beyond the message,
 * and messages deeper than HB_PROTOBUF_DEPTH. Fields that a parser does not know are stepped over.
 *
 *     for (hb_field f; hb_message_next(m, &f);)
 *         if (f.number == 1) version = hb_field_integer(m, &f);
 *         else if (f.number == 7) hb_message_open(m, &f, "graph", once, &graph);
 */
#ifndef HB_FORMAT_PROTOBUF_H
#define HB_FORMAT_PROTOBUF_H

#include "base/work.h"

enum { HB_PROTOBUF_DEPTH = 16 };

/* How a field is written. */
typedef enum hb_wire { HB_WIRE_VARINT = 0, HB_WIRE_64 = 1, HB_WIRE_BYTES = 2, HB_WIRE_32 = 5 } hb_wire;

/* The file. */
typedef struct hb_protobuf {
    const uint8_t *begin; /* offsets of errors count from here */
    hb_work *work;
    hbs_error *error;
    hbs_status status; /* the first error's */
} hb_protobuf;

/* A message, and how far it has been read. A copy of one that has just been opened can be read again. */
typedef struct hb_message {
    hb_protobuf *file;
    const char *name; /* for errors: "node" */
    const uint8_t *p, *end;
    uint64_t once; /* bit n: field n may stand once.. */
    uint64_t seen; /* ..and has been read */
    unsigned depth;
} hb_message;

typedef struct hb_field {
    uint32_t number;
    hb_wire wire;
    size_t at;      /* the offset of its tag in the file */
    uint64_t bits;  /* unless it is of bytes */
    hbs_text bytes; /* if it is */
} hb_field;

#define HB_FIELD(n) ((uint64_t)1 << (n))

/* The whole of `size` bytes as a message. */
void hb_protobuf_open(hb_protobuf *file, const void *bytes, size_t size, hb_work *work, hbs_error *error,
                      const char *name, uint64_t once, hb_message *message);

/* Fails with words of the parser's own at this offset. The first failure stays. Returns the status. */
__attribute__((format(printf, 4, 5))) hbs_status hb_protobuf_fail(hb_protobuf *file, hbs_status status, size_t at,
                                                                  const char *format, ...);

static inline bool hb_protobuf_ok(const hb_protobuf *file)
{
    return file->status == HBS_OK;
}

/* The next field; false at the message's end and after an error. */
bool hb_message_next(hb_message *m, hb_field *field);

/* Give what a field holds; an error where it is written in another way. */
int64_t hb_field_integer(hb_message *m, const hb_field *field);
float hb_field_float(hb_message *m, const hb_field *field);
hbs_text hb_field_text(hb_message *m, const hb_field *field);
bool hb_message_open(hb_message *m, const hb_field *field, const char *name, uint64_t once, hb_message *message);

/* ---- repeated numbers: one field each, or many packed in the bytes of one; both may stand in one message */

/* How many numbers a field of `wire` holds; checks them. */
size_t hb_field_count(hb_message *m, const hb_field *field, hb_wire wire);

/* Goes over all numbers of one field of a message. */
typedef struct hb_repeated {
    hb_message message;
    uint32_t number;
    hb_wire wire;
    const uint8_t *p, *end; /* what is left of packed ones */
} hb_repeated;

/* `message` is one that has not been read. */
hb_repeated hb_repeated_begin(const hb_message *message, uint32_t number, hb_wire wire);

/* The bits of the next number (a text: hb_repeated_text); false at the end. */
bool hb_repeated_next(hb_repeated *r, uint64_t *bits);
bool hb_repeated_text(hb_repeated *r, hbs_text *text);

/* The next number; 0 where there is none: who has counted them asks for no more. */
int64_t hb_repeated_integer(hb_repeated *r);
float hb_repeated_float(hb_repeated *r);

#endif
