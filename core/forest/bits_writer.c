/* bits_writer.c - the trees of a forest as logic on the bits of its predicates, written into the plan. */
#include <string.h>

#include "base/inline.h"
#include "forest/bits_program.h"

/* The tree that is being written. */
typedef struct source {
    const hb_forest_model *forest;
    const hb_bits_program *program;
    const hb_bits_tree *tree;
    const hb_tree_node *nodes; /* numbers in them count from here */
    hb_bits_scratch *scratch;  /* its inner nodes are listed */
    const uint16_t *tests;     /* of these */
    size_t number, n_nodes, n_leaves;
} source;

static source source_of(const hb_bits_writer *w, size_t t)
{
    const uint32_t *starts = w->forest->starts.items;
    size_t n_nodes = starts[t + 1] - starts[t];

    return (source){.forest = w->forest,
                    .program = w->program,
                    .tree = &w->program->trees[t],
                    .nodes = hb_forest_nodes(w->forest) + starts[t],
                    .scratch = w->program->scratch,
                    .tests = w->program->tests + hb_bits_first_inner(w->forest, t),
                    .number = t,
                    .n_nodes = n_nodes,
                    .n_leaves = (n_nodes + 1) / 2};
}

/* Of the k-th inner node. */
static uint32_t predicate_of(const source *s, size_t k)
{
    return s->program->predicate_of[s->tests[k]];
}

/* ---- leaves: the same numbers as those of TreeTraversal */

/* Output o of leaves 0 to n - 1. */
static void take32(const source *s, size_t n, size_t o, float *to)
{
    const float *weights = s->forest->weights.items, *vectors = s->forest->leaf_vectors.items;
    float weight = s->forest->weights.count ? weights[s->number] : 1.0f;
    const uint16_t *at = s->scratch->leaf_at;
    size_t width = s->forest->leaf_width;

    if (width == 1)
        for (size_t i = 0; i < n; i++)
            to[i] = (float)s->nodes[at[i]].as.leaf * weight;
    else
        for (size_t i = 0; i < n; i++)
            to[i] = vectors[(size_t)s->nodes[at[i]].right * width + o] * weight;
}

static void take64(const source *s, size_t n, size_t o, double *to)
{
    const double *vectors = s->forest->leaf_vectors.items;
    const uint16_t *at = s->scratch->leaf_at;
    size_t width = s->forest->leaf_width;

    for (size_t i = 0; i < n; i++)
        to[i] = width > 1 ? vectors[(size_t)s->nodes[at[i]].right * width + o] : s->nodes[at[i]].as.leaf;
}

/* Numbers that have no leaf are 0. */
static void take(const source *s, size_t n, size_t o, void *to)
{
    size_t size = s->forest->wide ? sizeof(double) : sizeof(float);

    if (s->forest->wide)
        take64(s, n, o, to);
    else
        take32(s, n, o, to);
    memset((char *)to + n * size, 0, (((size_t)1 << s->tree->bits) - n) * size);
}

/* All numbers' first bytes, then their second ones ..; n is a multiple of the run, which compilers take together. */
HB_INLINE void split_bytes(const uint8_t *from, size_t n, size_t size, uint8_t *to)
{
    enum { RUN = 64 };

    for (size_t b = 0; b < size; b++)
        for (size_t k = 0; k < n; k += RUN, to += RUN)
            for (size_t i = 0; i < RUN; i++)
                to[i] = from[(k + i) * size + b];
}

/* All numbers' first four bytes, then their next ones. */
HB_INLINE void split_words(const uint8_t *from, size_t n, size_t size, uint8_t *to)
{
    enum { WORD = sizeof(uint32_t) };

    for (size_t b = 0; b < size; b += WORD)
        for (size_t i = 0; i < n; i++, to += WORD)
            memcpy(to, from + i * size + b, WORD);
}

static void split(const double *values, const source *s, size_t size, uint8_t *to)
{
    const uint8_t *from = (const uint8_t *)values;
    size_t n = (size_t)1 << s->tree->bits;

    if (s->tree->bits <= 6)
        split_words(from, n, size, to);
    else if (size == sizeof(float))
        split_bytes(from, n, sizeof(float), to);
    else
        split_bytes(from, n, sizeof(double), to);
}

/* Leaves 0 to n - 1 are at scratch->leaf_at. */
static void put_leaves(const hb_bits_writer *w, const source *s, size_t n)
{
    enum { MOST_SPLIT = 256 };
    size_t size = w->forest->wide ? sizeof(double) : sizeof(float), table = size << s->tree->bits;
    uint8_t *to = w->leaves + s->tree->leaves * size;
    double values[MOST_SPLIT];

    for (size_t o = 0; o < w->forest->leaf_width; o++, to += table) {
        if (!w->program->kernels->leaf_tables || s->tree->bits > 8) {
            take(s, n, o, to);
            continue;
        }
        take(s, n, o, values);
        split(values, s, size, to);
    }
}

/* ---- mux and oblivious: padded to a perfect tree */

/* at[i]: the node at place i of the perfect tree, the root at 1; below a leaf the same leaf. */
static void place_nodes(const source *s, uint16_t *at)
{
    at[1] = 0;
    for (size_t i = 1; i < (size_t)1 << s->tree->bits; i++) {
        int32_t left = s->nodes[at[i]].left;
        bool leaf = left == HB_NO_CHILD;
        uint32_t stays = 0 - (uint32_t)leaf, child = (at[i] & stays) | ((uint32_t)left & ~stays);

        at[2 * i] = (uint16_t)child;
        at[2 * i + 1] = (uint16_t)(child + !leaf);
    }
}

/* Where a leaf is padded, any predicate will do: 0. */
static void put_mux(const hb_bits_writer *w, const source *s)
{
    uint32_t *to = w->nodes + s->tree->first;
    uint16_t *of_node = s->scratch->other;
    size_t size = (size_t)1 << s->tree->bits;
    uint16_t at[HB_BITS_PLACES];

    place_nodes(s, at);
    memset(of_node, 0, s->n_nodes * sizeof(*of_node));
    for (size_t k = 0; k < s->n_nodes / 2; k++)
        of_node[s->scratch->inner[k]] = s->program->predicate_of[s->tests[k]];
    to[0] = 0;
    for (size_t i = 1; i < size; i++)
        to[i] = of_node[at[i]];
    memcpy(s->scratch->leaf_at, at + size, size * sizeof(*at));
    put_leaves(w, s, size);
}

/* Perfect: nodes stand breadth first. */
static void put_oblivious(const hb_bits_writer *w, const source *s)
{
    for (uint32_t level = 0; level < s->tree->bits; level++)
        w->nodes[s->tree->first + level] = predicate_of(s, ((size_t)1 << level) - 1);
    for (size_t i = 0; i < s->n_leaves; i++)
        s->scratch->leaf_at[i] = (uint16_t)(s->n_leaves - 1 + i);
    put_leaves(w, s, s->n_leaves);
}

/* ---- reach */

/* Of nodes that have the same number the last one is the leaf. */
void hb_bits_find_leaves(size_t n_nodes, hb_bits_scratch *scratch)
{
    for (size_t i = 0; i < n_nodes; i++)
        scratch->leaf_at[scratch->number[i]] = (uint16_t)i;
}

/* scratch->number[i] becomes the slot of the rows at node i, as its parent has set it. */
static void put_operations(const source *s, hb_bits_operation *to)
{
    const uint16_t *inner = s->scratch->inner, *left = s->scratch->left;
    uint16_t *slot = s->scratch->number;
    uint32_t n = s->tree->n, more = n + 2;

    slot[0] = (uint16_t)n;
    for (uint32_t k = 0; k < n; k++) {
        bool leaf = s->nodes[left[k]].left == HB_NO_CHILD;

        slot[left[k]] = (uint16_t)(leaf ? n + 1 : more);
        slot[left[k] + 1] = (uint16_t)k;
        more += !leaf;
        to[k] = (hb_bits_operation){predicate_of(s, k), slot[inner[k]], slot[left[k]]};
    }
}

/* Bit after bit, each its operations. A place is written also where it is not taken, and then again, since a branch
 * on such bits is missed half of the time; the loop ends with an operation that is taken. */
static void put_flips(const source *s, uint16_t *to)
{
    const uint16_t *flips = s->scratch->other;

    for (uint32_t b = 0; b < s->tree->bits; b++) {
        size_t end = s->tree->n;
        uint16_t *next = to + 1;

        while (end > 0 && !(flips[end - 1] >> b & 1))
            end--;
        for (size_t k = 0; k < end; k++) {
            *next = (uint16_t)k;
            next += flips[k] >> b & 1;
        }
        *to = (uint16_t)(next - to - 1);
        to = next;
    }
}

static void put_exits(const source *s, hb_bits_exit *to)
{
    const hb_bits_scratch *scratch = s->scratch;
    uint32_t copies = hb_bits_exits_are_bytes(s->tree) ? 0x01010101 : 0x00010001;

    for (size_t k = 0; k < s->tree->n; k++)
        to[scratch->number[scratch->left[k] + 1] - 1] =
            (hb_bits_exit){predicate_of(s, k), scratch->number[scratch->inner[k]] * copies};
}

static void put_reach(const hb_bits_writer *w, const source *s)
{
    hb_bits_number_leaves(s->n_nodes, s->scratch);
    put_flips(s, w->flips + s->tree->flips);
    put_exits(s, w->exits + s->tree->first);
    hb_bits_find_leaves(s->n_nodes, s->scratch);
    put_leaves(w, s, s->n_leaves);
    put_operations(s, w->operations + s->tree->first);
}

/* ---- single rows */

/* A leaf leads to itself: no rank is above 255. */
static void put_row_nodes(const source *s, uint32_t *to)
{
    const uint16_t *codes = s->program->row_codes;

    for (uint32_t i = 0; i < s->n_nodes; i++)
        to[i] = i << 16 | 255u << 8;
    for (size_t k = 0; k < s->n_nodes / 2; k++)
        to[s->scratch->inner[k]] = (uint32_t)s->scratch->left[k] << 16 | codes[s->tests[k]];
}

/* Of a leaf its number, of other nodes 0; without a branch, as no CPU guesses which ones are leaves. */
static double leaf_of(const hb_tree_node *node)
{
    uint64_t bits;
    double number;

    memcpy(&bits, &node->as.leaf, sizeof(bits));
    bits &= 0 - (uint64_t)(node->left == HB_NO_CHILD);
    memcpy(&number, &bits, sizeof(number));
    return number;
}

/* What single rows add that walk: by nodes. */
static void put_row_values(const hb_bits_writer *w, const source *s, size_t start)
{
    const float *weights = s->forest->weights.items;
    float weight = s->forest->weights.count ? weights[s->number] : 1.0f;
    float *to32 = (float *)w->row_values + start;
    double *to64 = (double *)w->row_values + start;

    if (s->forest->wide)
        for (size_t i = 0; i < s->n_nodes; i++)
            to64[i] = leaf_of(&s->nodes[i]);
    else
        for (size_t i = 0; i < s->n_nodes; i++)
            to32[i] = (float)leaf_of(&s->nodes[i]) * weight;
}

static void put_row_walk(const hb_bits_writer *w, const source *s)
{
    size_t start = ((const uint32_t *)w->forest->starts.items)[s->number];

    put_row_nodes(s, w->row_nodes + start);
    if (w->forest->leaf_width == 1)
        put_row_values(w, s, start);
}

/* ---- a tree */

bool hb_bits_write_tree(void *writer, size_t tree, hb_work *work)
{
    enum { UNITS_A_NODE = 4 };
    const hb_bits_writer *w = writer;
    source s = source_of(w, tree);

    hb_bits_list_inner(s.nodes, s.n_nodes, s.scratch);
    switch ((hb_bits_form)s.tree->form) {
    case HB_BITS_CONSTANT:
        s.scratch->leaf_at[0] = 0;
        put_leaves(w, &s, 1);
        break;
    case HB_BITS_OBLIVIOUS:
        put_oblivious(w, &s);
        break;
    case HB_BITS_MUX:
        put_mux(w, &s);
        break;
    case HB_BITS_REACH:
        put_reach(w, &s);
        break;
    }
    if (w->program->row_form == HB_ROW_EXITS)
        hb_row_exits_write(w, tree, s.n_nodes);
    else if (w->program->row_form == HB_ROW_PERFECT || w->program->row_form == HB_ROW_SUBTREES)
        hb_row_perfect_write(w, tree, s.n_nodes);
    else if (w->program->row_form == HB_ROW_WALK)
        put_row_walk(w, &s);
    return hb_goes_on(work, UNITS_A_NODE * s.n_nodes + (w->forest->leaf_width << s.tree->bits));
}
