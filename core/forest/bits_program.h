/* bits_program.h - a forest compiled for the strategy "bits" (kernel/bits_kernel.h), before it is written.
 *
 * First the shapes of the trees, which the cost model may refuse already (bits_program.c); then, in one pass over the
 * nodes, their distinct tests (bits_tests.c), which become predicates in their order (bits_predicates.c). The trees
 * themselves are written once, into the plan (bits_writer.c). */
#ifndef HB_FOREST_BITS_PROGRAM_H
#define HB_FOREST_BITS_PROGRAM_H

#include "base/flat.h"
#include "kernel/kernels.h"
#include "ir/forest_model.h"

enum {
    HB_BITS_PREDICATES = 1 << 15,        /* at most: their bits of a block are 2 MiB then */
    HB_BITS_LEAVES = 1 << HB_BITS_INDEX, /* of a tree, at most */
    HB_BITS_NODES = 2 * HB_BITS_LEAVES,
    HB_BITS_PLACES = 2 << HB_BITS_MUX_DEPTH, /* of a tree that is padded to a perfect one, its root at 1 */
    HB_BITS_WIDTH = 64                       /* of a leaf's vector, at most */
};

/* What work on one tree needs; its nodes are counted from its root. Inner nodes and leaves stand in an order that no
 * CPU can guess, so that loops go over the inner ones, or do not ask what a node is. */
typedef struct hb_bits_scratch {
    uint16_t inner[HB_BITS_LEAVES];   /* the inner nodes in their order.. */
    uint16_t left[HB_BITS_LEAVES];    /* ..and the left child of each */
    uint16_t number[HB_BITS_NODES];   /* of each node: the first leaf below it, the leaves from left to right */
    uint16_t other[HB_BITS_NODES];    /* what is at hand */
    uint16_t leaf_at[HB_BITS_LEAVES]; /* the node of each leaf number */
} hb_bits_scratch;

/* All arrays are the arena's. */
typedef struct hb_bits_program {
    const hb_kernels *kernels; /* that it is for */
    hb_bits_chunk *chunks;
    float *heaps;
    double *thresholds; /* of forests in float64 */
    uint32_t *cuts;
    uint8_t *rules;
    hb_set_predicate *sets;
    hb_bits_tree *trees;
    uint16_t *tests;        /* of all inner nodes in their order, numbered as they were met */
    uint16_t *predicate_of; /* [n_predicates]: of a test */
    uint16_t *row_codes;    /* [n_predicates]: the low half of the nodes of single rows, of a test */
    hb_row_form row_form;   /* of single rows; the arrays are those of hb_row_forest */
    hb_row_entry *entries;
    uint8_t *row_entry_chunks, *row_entry_rights; /* [n_row_entry_chunks] */
    uint32_t *row_chunk_features;                 /* [n_row_chunk_features] */
    uint32_t *row_groups, *row_first_leaves;      /* [n_row_groups], [trees] */
    hb_row_feature *row_features;                 /* [n_row_features] */
    uint32_t *row_chunks;                         /* [n_row_chunk_features] */
    float *row_cuts;
    hb_bits_scratch *scratch;
    size_t n_chunks, n_heaps, n_thresholds, n_predicates, n_sets, n_nodes, n_operations, n_flips, n_leaves, n_slots,
        n_entries, n_row_cuts, n_row_entry_chunks, n_row_chunk_features, n_row_groups, n_row_tests, n_row_leaves,
        n_row_features, n_row_set_words;
    /* of all trees */
    size_t n_mux;                  /* nodes of multiplexers */
    size_t n_reach, n_reach_large; /* tests of those that reach, whose exits are bytes or not */
    size_t n_more_bits;            /* that number leaves, beyond 6 */
    size_t most_nodes;             /* of a tree */
} hb_bits_program;

/* A predicate, before these have their order. */
typedef struct hb_bits_test {
    uint64_t key;   /* of a number: the threshold as an integer in the same order; of a set: a hash */
    uint32_t where; /* HB_TEST_IS_CATEGORY_SET, the feature, and the rule: HB_BITS_..; of a set: bit 0 is the side of a
                     * missing value */
    uint32_t node;  /* the first that has it */
} hb_bits_test;

#define HB_TEST_IS_CATEGORY_SET 0x80000000u
enum { HB_TEST_RULE_BITS = 3 };

/* The shapes of the trees: their forms, except that a perfect tree is taken for an oblivious one, the cheapest that
 * it can turn out to be. *why is NULL, or says what the forest has that this strategy cannot hold; there is no
 * program then. Polls the host, as all here do by the arena's memory. HBS_E_NOMEM, HBS_E_CANCEL. */
hbs_status hb_bits_shape(const hb_forest_model *forest, const hb_kernels *kernels, hb_arena *arena,
                         hb_bits_program **program, const char **why, hbs_error *error);

/* All the rest, except the trees themselves; *why as above. HBS_E_NOMEM, HBS_E_CANCEL. */
hbs_status hb_bits_compile(const hb_forest_model *forest, hb_arena *arena, hb_bits_program *program, const char **why,
                           hbs_error *error);

/* Sets scratch->inner and left for a tree of n nodes. */
void hb_bits_list_inner(const hb_tree_node *nodes, size_t n, hb_bits_scratch *scratch);
/* Sets scratch->number and other: scratch->other[k] has the bits in which the first leaf on the right of operation k
 * (the k-th inner node) has another number than the first on its left: a row that turns right there flips them. */
void hb_bits_number_leaves(size_t n_nodes, hb_bits_scratch *scratch);

/* The first inner node of the tree among all: of its nodes one more are leaves. */
static inline size_t hb_bits_first_inner(const hb_forest_model *forest, size_t tree)
{
    return (((const uint32_t *)forest->starts.items)[tree] - tree) / 2;
}

/* bits_tests.c: finds the distinct tests of a forest, tree after tree. */
typedef struct hb_bits_tests {
    const hb_forest_model *forest;
    hb_vector tests; /* hb_bits_test */
    hb_vector slots; /* uint32_t: 1 + a test by its hash, of which the upper half has a part; 0: free */
    uint32_t shift;  /* 64 less the bits that number the slots */
    size_t n_sets;
    uint64_t probes, most_probes;
    hb_work *work;
} hb_bits_tests;

/* False where there is no memory. */
bool hb_bits_tests_begin(hb_bits_tests *tests, const hb_forest_model *forest, hb_memory *memory);
void hb_bits_tests_end(hb_bits_tests *tests);
/* Sets numbers[k] for the inner nodes of the tree, which are listed. False where there is no memory, or the host wants
 * to stop. */
bool hb_bits_tests_add(hb_bits_tests *tests, size_t tree, const uint16_t *inner, uint16_t *numbers);
/* Whether the forest has too many, or they collide as if they were made to. */
bool hb_bits_tests_exceed(const hb_bits_tests *tests);
double hb_bits_threshold(uint64_t key);

/* bits_predicates.c: chunks, predicates, sets and predicate_of. */
hbs_status hb_bits_order(const hb_bits_tests *tests, hb_arena *arena, hb_bits_program *program, hbs_error *error);

/* row_program.c: what single rows need but their trees, after all else: in this form if the forest can have it;
 * HB_ROW_NONE: in the one that takes least here. */
hbs_status hb_row_compile(const hb_forest_model *forest, hb_row_form form, hb_arena *arena, hb_bits_program *program,
                          hbs_error *error);
/* row_exits.c: how many tests the groups have (SIZE_MAX: a tree has too many); what the program needs for them. */
hbs_status hb_row_exits_tests(const hb_forest_model *forest, hb_work *work, size_t *tests, hbs_error *error);
hbs_status hb_row_exits_shape(const hb_forest_model *forest, hb_arena *arena, hb_bits_program *program,
                              hbs_error *error);
/* row_perfect.c: whether no tree has too many levels; what the program needs in either form. */
bool hb_row_is_perfect(const hb_forest_model *forest);
void hb_row_perfect_shape(const hb_forest_model *forest, hb_row_form form, hb_bits_program *program);
/* How many tops there are. */
size_t hb_row_tops(const hb_forest_model *forest);
/* row_tests.c: numbers the features of sets and their words; false where a set is not small, or their tables would be
 * large. */
bool hb_row_number_features(hb_bits_program *program);

/* bits_writer.c: where the trees are written. */
typedef struct hb_bits_writer {
    const hb_forest_model *forest;
    const hb_bits_program *program;
    uint32_t *nodes;
    hb_bits_operation *operations;
    hb_bits_exit *exits;
    uint16_t *flips;
    uint8_t *leaves;
    uint32_t *row_nodes;    /* single rows that walk; else.. */
    hb_row_test *row_tests; /* ..what they have */
    hb_row_tree *row_perfect;
    hb_row_top *row_tops;
    hb_row_subtree *row_subtrees;
    void *row_values;
    uint32_t *row_leaves;
    uint64_t *row_set_words;
} hb_bits_writer;

/* The context is a writer. */
bool hb_bits_write_tree(void *writer, size_t tree, hb_work *work);
/* Sets scratch->leaf_at; the leaves are numbered. */
void hb_bits_find_leaves(size_t n_nodes, hb_bits_scratch *scratch);

/* row_exits.c: one of the trees, whose inner nodes are listed; they come in their order. */
void hb_row_exits_write(const hb_bits_writer *w, size_t tree, size_t n_nodes);
/* row_perfect.c: the same. */
void hb_row_perfect_write(const hb_bits_writer *w, size_t tree, size_t n_nodes);
/* row_tests.c: a test by its number, or into a bit of a word of the tables of sets; and a leaf's value, or its node
 * where it is a vector. */
void hb_row_put_test(const hb_bits_writer *w, uint16_t number, size_t word, size_t bit, uint8_t *entry, uint8_t *cut);
void hb_row_put_leaf(const hb_bits_writer *w, size_t tree, size_t node, size_t at);

#endif
