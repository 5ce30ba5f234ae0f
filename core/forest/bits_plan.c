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

static hb_bits_plan plan_of(const hb_forest_model *forest, const hb_bits_program *program)
{
    return (hb_bits_plan){.n_chunks = program->n_chunks,
                          .n_entries = program->n_entries,
                          .n_predicates = program->n_predicates,
                          .n_sets = program->n_sets,
                          .n_slots = program->n_slots,
                          .n_outputs = forest->n_outputs,
                          .leaf_width = forest->leaf_width,
                          .planes = hb_kernels_here()->planes};
}

hb_bits_writer hb_bits_reserve(const hb_forest_model *forest, const hb_bits_program *program, hb_flat *flat,
                               uint64_t *offset)
{
    enum { READ_BEHIND = 64 }; /* a plane that is shorter is read as one of 64 bytes */
    size_t bytes = program->n_leaves * (forest->wide ? sizeof(double) : sizeof(float));
    hb_bits_plan *plan = hb_flat_reserve(flat, 1, sizeof(*plan), offset), made = plan_of(forest, program);
    hb_bits_writer writer = {.forest = forest, .program = program, .planes = made.planes};

#define PUT(name, count) \
    made.name = hb_flat_put(flat, program->name, (count) * sizeof(*program->name))
#define ROOM(name, count) \
    writer.name = hb_flat_room(flat, count, sizeof(*writer.name), &made.name)
    PUT(chunks, program->n_chunks);
    PUT(heaps, program->n_heaps);
    PUT(thresholds, forest->wide ? program->n_thresholds : 0);
    PUT(cuts, program->n_predicates);
    PUT(rules, program->n_predicates);
    PUT(sets, program->n_sets);
    PUT(trees, forest->n_trees);
    ROOM(nodes, program->n_nodes);
    ROOM(operations, program->n_operations);
    ROOM(flips, program->n_flips);
    PUT(entries, program->n_entries);
    PUT(row_chunks, program->n_entries ? program->n_chunks : 0);
    PUT(row_cuts, program->n_row_cuts);
    ROOM(row_nodes, program->n_entries ? forest->nodes.count : 0);
    ROOM(leaves, bytes + READ_BEHIND);
#undef PUT
#undef ROOM
    if (plan) {
        memset(writer.leaves + bytes, 0, READ_BEHIND);
        *plan = made;
    }
    return writer;
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
