/* bits_plan.c - a compiled forest in bits as a part of the flat plan. */
#include <string.h>

#include "forest/forest_parts.h"
#include "kernel/kernels.h"

/* Offsets count from the beginning of the plan. */
typedef struct hb_bits_plan {
    uint64_t chunks, heaps, thresholds, cuts, rules, sets, trees, nodes, operations, flips, leaves,
        entries, row_chunks, row_cuts, row_nodes;
    uint64_t n_chunks, n_entries, n_predicates, n_sets, n_slots, n_outputs, leaf_width, planes;
} hb_bits_plan;

/* The bytes of each table of numbers, first bytes first. */
static void write_planes(const hb_bits_program *program, const hb_forest_model *forest, uint8_t *to)
{
    size_t size = forest->wide ? sizeof(double) : sizeof(float);
    const uint8_t *from = program->leaves;

    for (size_t t = 0; t < forest->n_trees; t++) {
        const hb_bits_tree *tree = &program->trees[t];
        size_t n = (size_t)1 << tree->bits;

        for (size_t o = 0; tree->bits <= 8 && o < forest->leaf_width; o++) {
            size_t at = ((size_t)tree->leaves + o * n) * size;

            for (size_t i = 0; i < n; i++)
                for (size_t b = 0; b < size; b++)
                    to[at + b * n + i] = from[at + i * size + b];
        }
    }
}

uint64_t hb_bits_write(const hb_forest_model *forest, const hb_bits_program *program, hb_flat *flat)
{
    enum { READ_BEHIND = 64 }; /* a plane that is shorter is read as one of 64 bytes */
    size_t size = forest->wide ? sizeof(double) : sizeof(float);
    uint64_t offset;
    hb_bits_plan *plan = hb_flat_reserve(flat, 1, sizeof(*plan), &offset);
    uint8_t *leaves;
    hb_bits_plan made = {.n_chunks = program->n_chunks,
                         .n_entries = program->n_entries,
                         .n_predicates = program->n_predicates,
                         .n_sets = program->n_sets,
                         .n_slots = program->n_slots,
                         .n_outputs = forest->n_outputs,
                         .leaf_width = forest->leaf_width,
                         .planes = hb_kernels_here()->planes};

#define PUT(name, count) \
    made.name = hb_flat_put(flat, program->name, (count) * sizeof(*program->name))
    PUT(chunks, program->n_chunks);
    PUT(heaps, program->n_heaps);
    PUT(thresholds, forest->wide ? program->n_thresholds : 0);
    PUT(cuts, program->n_predicates);
    PUT(rules, program->n_predicates);
    PUT(sets, program->n_sets);
    PUT(trees, forest->n_trees);
    PUT(nodes, program->n_nodes);
    PUT(operations, program->n_operations);
    PUT(flips, program->n_flips);
    PUT(entries, program->n_entries);
    PUT(row_chunks, program->n_entries ? program->n_chunks : 0);
    PUT(row_cuts, program->n_row_cuts);
    PUT(row_nodes, program->n_entries ? forest->nodes.count : 0);
#undef PUT
    leaves = hb_flat_reserve(flat, program->n_leaves * size + READ_BEHIND, 1, &made.leaves);
    if (leaves)
        memcpy(leaves, program->leaves, program->n_leaves * size);
    if (leaves && made.planes)
        write_planes(program, forest, leaves);
    if (plan)
        *plan = made;
    return offset;
}

hb_bits_forest hb_bits_view(const void *base, uint64_t offset)
{
    const hb_bits_plan *plan = hb_flat_at(base, offset);

    return (hb_bits_forest){
        .chunks = hb_flat_at(base, plan->chunks),
        .n_chunks = plan->n_chunks,
        .heaps = hb_flat_at(base, plan->heaps),
        .thresholds = hb_flat_at(base, plan->thresholds),
        .cuts = hb_flat_at(base, plan->cuts),
        .rules = hb_flat_at(base, plan->rules),
        .sets = hb_flat_at(base, plan->sets),
        .n_sets = plan->n_sets,
        .n_predicates = plan->n_predicates,
        .trees = hb_flat_at(base, plan->trees),
        .nodes = hb_flat_at(base, plan->nodes),
        .operations = hb_flat_at(base, plan->operations),
        .flips = hb_flat_at(base, plan->flips),
        .leaves = hb_flat_at(base, plan->leaves),
        .planes = plan->planes,
        .leaf_width = plan->leaf_width,
        .n_outputs = plan->n_outputs,
        .n_slots = plan->n_slots,
    };
}

bool hb_row_view(const void *base, uint64_t offset, const hb_flat_tree *trees, hb_row_forest *row)
{
    const hb_bits_plan *plan = hb_flat_at(base, offset);

    *row = (hb_row_forest){
        .chunks = hb_flat_at(base, plan->chunks),
        .n_chunks = plan->n_chunks,
        .row_chunks = hb_flat_at(base, plan->row_chunks),
        .heaps = hb_flat_at(base, plan->heaps),
        .cuts = hb_flat_at(base, plan->row_cuts),
        .thresholds = hb_flat_at(base, plan->thresholds),
        .entries = hb_flat_at(base, plan->entries),
        .n_entries = plan->n_entries,
        .nodes = hb_flat_at(base, plan->row_nodes),
        .trees = trees,
    };
    return plan->n_entries > 0;
}
