/* regex_program.h - what a regular expression is compiled to, and what a search runs. */
#ifndef HB_BASE_REGEX_PROGRAM_H
#define HB_BASE_REGEX_PROGRAM_H

#include "base/flat.h"
#include "base/regex_tree.h"

typedef enum hb_regex_operation {
    HB_REGEX_CHARACTER, /* the next character is `argument` */
    HB_REGEX_SET,       /* the next character is in set `argument` */
    HB_REGEX_PLACE,     /* the text is here at hb_regex_place `argument` */
    HB_REGEX_SPLIT,     /* `next`, and if that leads nowhere, `argument` */
    HB_REGEX_OPEN,      /* the group begins */
    HB_REGEX_CLOSE,     /* the group ends */
    HB_REGEX_MATCH,
    /* While a program is compiled only: a turn of loop `loop` begins; and ends. If the turn took no character, the loop
     * is left for `argument`. */
    HB_REGEX_TURN,
    HB_REGEX_TURNED,
} hb_regex_operation;

typedef struct hb_regex_instruction {
    uint16_t operation; /* hb_regex_operation */
    uint16_t loop;
    uint32_t next, argument;
} hb_regex_instruction;

/* The flat block begins with this; the rest is found by offsets from it. */
struct hb_regex {
    uint64_t size;
    uint64_t instructions, sets, ranges; /* offsets */
    uint32_t count;                      /* of instructions */
    uint32_t begin;                      /* the first instruction */
    uint8_t mode;                        /* hb_regex_mode */
    uint8_t ascii, group;
    uint8_t skips;      /* a match takes a character: `starts` holds */
    uint64_t starts[4]; /* by bits: first bytes of matches */
};

#endif
