/* bits_plan.c - a compiled forest in bits as a part of the flat plan. */
#include <string.h>

#include "forest/forest_parts.h"

/* Offsets count from the beginning of the plan. */
typedef struct hb_bits_plan {
    uint64_t chunks, heaps, thresholds, cuts, rules, sets, trees, nodes, operations, exits, flips, leaves, entries,
        row_chunks, row_cuts, row_entry_chunks, row_entry_rights, row_chunk_features, row_nodes, row_groups,
        row_first_leaves, row_tests, row_perfect, row_tops, row_subtrees, row_values, row_leaves, row_features,
        row_set_words;
    uint64_t row_form, has_zero_rules, n_row_tests, n_row_features, n_row_columns;
    uint64_t n_chunks, n_entries, n_predicates, n_sets, n_slots, n_trees, most_nodes, n_outputs, leaf_width;
} hb_bits_plan;

static bool has_zero_rules(const hb_bits_program *program)
{
    uint32_t rules = 0;

    for (size_t e = 0; e < program->n_entries; e++)
        rules |= program->entries[e].rules;
    return rules & (HB_BITS_ZERO_LEFT | HB_BITS_ZERO_RIGHT);
}

static hb_bits_plan plan_of(const hb_forest_model *forest, const hb_bits_program *program)
{
    return (hb_bits_plan){.n_chunks = program->n_chunks,
                          .n_entries = program->n_entries,
                          .row_form = program->row_form,
                          .has_zero_rules = has_zero_rules(program),
                          .n_row_columns = program->n_chunks ? program->chunks[program->n_chunks - 1].feature + 1 : 0,
                          .n_row_tests = program->n_row_tests,
                          .n_row_features = program->n_row_features,
                          .n_predicates = program->n_predicates,
                          .n_sets = program->n_sets,
                          .n_slots = program->n_slots,
                          .n_trees = forest->n_trees,
                          .most_nodes = program->most_nodes ? program->most_nodes : 1,
                          .n_outputs = forest->n_outputs,
                          .leaf_width = forest->leaf_width};
}

/* Leaves of one value, of single rows; those that walk find them at their nodes. */
static size_t count_row_values(const hb_forest_model *forest, const hb_bits_program *program)
{
    if (forest->leaf_width > 1 || program->row_form == HB_ROW_NONE)
        return 0;
    return program->row_form == HB_ROW_WALK ? forest->nodes.count : program->n_row_leaves;
}

hb_bits_writer hb_bits_reserve(const hb_forest_model *forest, const hb_bits_program *program, hb_flat *flat,
                               uint64_t *offset)
{
    enum { READ_BEHIND = 64 }; /* a part of the values that is shorter is read as one of 64 bytes */
    size_t size = forest->wide ? sizeof(double) : sizeof(float), bytes = program->n_leaves * size;
    bool exits = program->row_form == HB_ROW_EXITS, perfect = program->row_form == HB_ROW_PERFECT;
    bool subtrees = program->row_form == HB_ROW_SUBTREES, tests = exits || perfect || subtrees;
    bool single = program->row_form != HB_ROW_NONE;
    hb_bits_plan *plan = hb_flat_reserve(flat, 1, sizeof(*plan), offset), made = plan_of(forest, program);
    hb_bits_writer writer = {.forest = forest, .program = program};

#define PUT(name, count)  made.name = hb_flat_put(flat, program->name, (count) * sizeof(*program->name))
#define ROOM(name, count) writer.name = hb_flat_room(flat, count, sizeof(*writer.name), &made.name)
    PUT(chunks, program->n_chunks);
    PUT(heaps, program->n_heaps);
    PUT(thresholds, forest->wide ? program->n_thresholds : 0);
    PUT(cuts, program->n_predicates);
    PUT(rules, program->n_predicates);
    PUT(sets, program->n_sets);
    PUT(trees, forest->n_trees);
    ROOM(nodes, program->n_nodes);
    ROOM(operations, program->n_operations);
    ROOM(exits, program->n_operations);
    ROOM(flips, program->n_flips);
    PUT(entries, single ? program->n_entries : 0);
    PUT(row_chunks, single ? program->n_row_chunk_features : 0);
    PUT(row_cuts, single ? program->n_row_cuts : 0);
    PUT(row_entry_chunks, single ? program->n_row_entry_chunks : 0);
    PUT(row_entry_rights, single ? program->n_row_entry_chunks : 0);
    PUT(row_chunk_features, single ? program->n_row_chunk_features : 0);
    ROOM(row_nodes, program->row_form == HB_ROW_WALK ? forest->nodes.count : 0);
    PUT(row_groups, exits ? program->n_row_groups : 0);
    PUT(row_first_leaves, exits ? forest->n_trees : 0);
    PUT(row_features, tests ? program->n_row_features : 0);
    writer.row_tests = hb_flat_reserve(flat, exits ? program->n_row_tests : 0, sizeof(hb_row_test), &made.row_tests);
    writer.row_perfect = hb_flat_reserve(flat, perfect ? forest->n_trees : 0, sizeof(hb_row_tree), &made.row_perfect);
    writer.row_tops = hb_flat_reserve(flat, subtrees ? hb_row_tops(forest) : 0, sizeof(hb_row_top), &made.row_tops);
    writer.row_subtrees = hb_flat_reserve(flat, subtrees ? 8 * hb_row_subtree_trees(forest->n_trees) : 0,
                                          sizeof(hb_row_subtree), &made.row_subtrees);
    writer.row_set_words = hb_flat_reserve(flat, tests ? program->n_row_set_words + HB_ROW_PAD_WORDS : 0,
                                           sizeof(uint64_t), &made.row_set_words);
    writer.row_leaves = hb_flat_reserve(flat, tests && forest->leaf_width > 1 ? program->n_row_leaves : 0,
                                        sizeof(uint32_t), &made.row_leaves);
    writer.row_values = hb_flat_reserve(flat, count_row_values(forest, program), size, &made.row_values);
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
        .n_trees = plan->n_trees,
        .most_nodes = plan->most_nodes,
        .nodes = hb_flat_at(base, plan->nodes),
        .operations = hb_flat_at(base, plan->operations),
        .exits = hb_flat_at(base, plan->exits),
        .flips = hb_flat_at(base, plan->flips),
        .leaves = hb_flat_at(base, plan->leaves),
        .leaf_width = plan->leaf_width,
        .n_outputs = plan->n_outputs,
        .n_slots = plan->n_slots,
    };
}

bool hb_row_view(const void *base, uint64_t offset, const hb_tree *trees, hb_row_forest *row)
{
    const hb_bits_plan *plan = hb_flat_at(base, offset);
    bool tests = plan->row_form != HB_ROW_NONE && plan->row_form != HB_ROW_WALK;

    *row = (hb_row_forest){
        .chunks = hb_flat_at(base, plan->chunks),
        .n_chunks = plan->n_chunks,
        .row_chunks = hb_flat_at(base, plan->row_chunks),
        .heaps = hb_flat_at(base, plan->heaps),
        .cuts = hb_flat_at(base, plan->row_cuts),
        .thresholds = hb_flat_at(base, plan->thresholds),
        .chunk_features = hb_flat_at(base, plan->row_chunk_features),
        .entries = hb_flat_at(base, plan->entries),
        .entry_chunks = hb_flat_at(base, plan->row_entry_chunks),
        .entry_rights = hb_flat_at(base, plan->row_entry_rights),
        .n_columns = plan->n_row_columns,
        .n_entries = plan->n_entries,
        .has_zero_rules = plan->has_zero_rules,
        .trees = trees,
        .n_trees = plan->n_trees,
        .n_outputs = plan->n_outputs,
        .form = (hb_row_form)plan->row_form,
        .nodes = hb_flat_at(base, plan->row_nodes),
        .perfect = hb_flat_at(base, plan->row_perfect),
        .tops = hb_flat_at(base, plan->row_tops),
        .subtrees = hb_flat_at(base, plan->row_subtrees),
        .tests = hb_flat_at(base, plan->row_tests),
        .groups = hb_flat_at(base, plan->row_groups),
        .n_tests = plan->n_row_tests,
        .first_leaves = hb_flat_at(base, plan->row_first_leaves),
        .values = plan->leaf_width == 1 ? hb_flat_at(base, plan->row_values) : NULL,
        .leaves = tests && plan->leaf_width > 1 ? hb_flat_at(base, plan->row_leaves) : NULL,
        .features = hb_flat_at(base, plan->row_features),
        .n_features = plan->n_row_features,
        .set_words = hb_flat_at(base, plan->row_set_words),
    };
    return row->form != HB_ROW_NONE;
}
