/* regex_tree.h - a regular expression as a tree, between its parser and its compiler. */
#ifndef HB_BASE_REGEX_TREE_H
#define HB_BASE_REGEX_TREE_H

#include "base/code_set.h"
#include "base/regex.h"

/* Where the text must be. WORD_EDGE and INSIDE are \b and \B. */
typedef enum hb_regex_place {
    HB_PLACE_BEGIN,
    HB_PLACE_END,
    HB_PLACE_LINE_BEGIN,
    HB_PLACE_LINE_END,
    HB_PLACE_LAST_LINE_END, /* the end, or before a newline that is the last character */
    HB_PLACE_WORD_EDGE,
    HB_PLACE_INSIDE,
} hb_regex_place;

typedef enum hb_regex_kind {
    HB_REGEX_NODE_EMPTY,
    HB_REGEX_NODE_CHARACTER, /* argument: the code point */
    HB_REGEX_NODE_SET,       /* argument: which set */
    HB_REGEX_NODE_PLACE,     /* argument: hb_regex_place */
    HB_REGEX_NODE_SEQUENCE,  /* children */
    HB_REGEX_NODE_CHOICE,    /* children */
    HB_REGEX_NODE_REPEAT,    /* one child */
    HB_REGEX_NODE_GROUP,     /* one child; it captures */
} hb_regex_kind;

enum { HB_REGEX_NO_NODE = UINT32_MAX, HB_REGEX_NO_END = UINT32_MAX };

typedef struct hb_regex_node {
    uint8_t kind;  /* hb_regex_kind */
    bool lazy;     /* a repeat that prefers fewer turns */
    bool nullable; /* it can match nothing */
    uint32_t argument;
    uint32_t least, most; /* turns of a repeat; most may be HB_REGEX_NO_END */
    uint32_t child;       /* the last one */
    uint32_t previous;    /* the child before this one in its parent */
} hb_regex_node;

/* A set of characters; `ascii` is the same for the first 128, by bits. */
typedef struct hb_regex_set {
    uint64_t ascii[2];
    uint32_t first_range, ranges;
} hb_regex_set;

typedef struct hb_regex_tree {
    hb_regex_mode mode;
    bool ascii; /* \b by ASCII */
    bool group; /* a group captures */
    uint32_t root;
    hb_vector nodes;  /* hb_regex_node */
    hb_vector sets;   /* hb_regex_set, no two equal */
    hb_vector ranges; /* hb_code_range of all sets */
} hb_regex_tree;

/* Fills an empty tree, whose vectors stay the caller's also after an error. */
hbs_status hb_regex_parse(hbs_text pattern, hb_work *work, hb_regex_tree *tree, hbs_error *error);

#endif
