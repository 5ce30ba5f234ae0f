/* row_program.c - the ranks by which single rows go down a forest (kernel/row_kernel.h). */
#include "forest/bits_program.h"

#include <math.h>

enum { RULES = 8, NO_ENTRY = HB_ROW_RANKS, UNITS_A_PREDICATE = 4 };

/* One entry for each chunk and each rule in it; entry_of[p] is predicate p's. False where they are too many. */
static bool number_entries(hb_bits_program *program, uint16_t *entry_of)
{
    for (size_t c = 0; c < program->n_chunks; c++) {
        const hb_bits_chunk *chunk = &program->chunks[c];
        uint16_t known[RULES];

        for (size_t i = 0; i < RULES; i++)
            known[i] = NO_ENTRY;
        for (size_t p = chunk->first; p < (size_t)chunk->first + chunk->n; p++) {
            uint16_t *entry = &known[program->rules[p]];

            if (*entry == NO_ENTRY && program->n_entries == HB_ROW_RANKS)
                return false;
            if (*entry == NO_ENTRY) {
                *entry = (uint16_t)program->n_entries++;
                program->entries[*entry] = (hb_row_entry){(uint16_t)c, program->rules[p]};
            }
            entry_of[p] = *entry;
        }
    }
    return true;
}

enum { SIXTEEN = 16 };

/* Numbers that a chunk takes among row_cuts. */
static size_t cuts_of(const hb_bits_chunk *chunk)
{
    return SIXTEEN + (chunk->n_cuts + SIXTEEN - 1) / SIXTEEN * SIXTEEN + SIXTEEN;
}

static void write_cuts(hb_bits_program *program, const hb_bits_chunk *chunk, float *to)
{
    const double *from = program->thresholds + chunk->exact;

    for (size_t i = 0, n = cuts_of(chunk); i < n; i++)
        to[i] = NAN;
    for (size_t i = SIXTEEN - 1; i < chunk->n_cuts; i += SIXTEEN)
        to[i / SIXTEEN] = hb_round_down(from[i]);
    for (size_t i = 0; i < chunk->n_cuts; i++)
        to[SIXTEEN + i] = hb_round_down(from[i]);
}

static hbs_status make_cuts(hb_arena *arena, hb_bits_program *program, hbs_error *error)
{
    for (size_t c = 0; c < program->n_chunks; c++)
        program->n_row_cuts += cuts_of(&program->chunks[c]);
    /* padding repeats chunk 0 */
    program->n_row_chunk_features = (program->n_chunks + HB_ROW_ABREAST - 1) / HB_ROW_ABREAST * HB_ROW_ABREAST;
    program->row_chunks = hb_arena_array(arena, program->n_row_chunk_features, sizeof(*program->row_chunks));
    program->row_cuts = hb_arena_room(arena, program->n_row_cuts, sizeof(*program->row_cuts));
    program->row_chunk_features = hb_arena_array(arena, program->n_row_chunk_features, sizeof(uint32_t));
    if (!program->row_chunks || !program->row_cuts || !program->row_chunk_features)
        return hb_no_memory(arena->memory, error);
    for (size_t c = 0, at = 0; c < program->n_chunks; c++) {
        const hb_bits_chunk *chunk = &program->chunks[c];

        program->row_chunks[c] = (uint32_t)at;
        program->row_chunk_features[c] = chunk->feature;
        write_cuts(program, chunk, program->row_cuts + at);
        at += cuts_of(chunk);
    }
    return HBS_OK;
}

static hbs_status make_entry_chunks(hb_arena *arena, hb_bits_program *program, hbs_error *error)
{
    program->n_row_entry_chunks = (program->n_entries + 63) / 64 * 64;
    program->row_entry_chunks = hb_arena_array(arena, program->n_row_entry_chunks, 1);
    program->row_entry_rights = hb_arena_array(arena, program->n_row_entry_chunks, 1);
    if (!program->row_entry_chunks || !program->row_entry_rights)
        return hb_no_memory(arena->memory, error);
    for (size_t e = 0; e < program->n_entries; e++) {
        program->row_entry_chunks[e] = (uint8_t)program->entries[e].chunk;
        program->row_entry_rights[e] = program->entries[e].rules & HB_BITS_NAN_RIGHT ? 255 : 0;
    }
    return HBS_OK;
}

/* Of tests of numbers. */
static void make_codes(hb_bits_program *program, const uint16_t *entry_of)
{
    for (size_t test = 0; test < program->n_predicates; test++) {
        size_t p = program->predicate_of[test];

        if (p < program->n_predicates - program->n_sets)
            program->row_codes[test] = (uint16_t)((program->cuts[p] & 0xff) << 8 | entry_of[p]);
    }
}

/* How many levels of walks were measured to take as long as a test of many trees, and as a perfect tree. Without
 * permutes of all bytes a test takes longer, but walks gather, which takes longer still. */
typedef struct form_levels {
    double test, tree;
} form_levels;

static const form_levels with_tables = {2.2, 2.0}, without_tables = {1.5, 0.9};

/* Perfect trees in this isa. */
static hb_row_form perfect_form(const hb_kernels *kernels)
{
    return kernels->leaf_tables ? HB_ROW_PERFECT : HB_ROW_SUBTREES;
}

/* Whether the kernels of this isa and the forest can have it; walks take no sets. */
static bool has_form(const hb_forest_model *forest, const hb_bits_program *program, hb_row_form form, size_t exit_tests)
{
    if (form == HB_ROW_WALK)
        return program->n_sets == 0;
    if (program->kernels->row_entries == 0 || program->n_entries > program->kernels->row_entries)
        return false;
    return form == HB_ROW_EXITS ? exit_tests != SIZE_MAX
                                : form == perfect_form(program->kernels) && hb_row_is_perfect(forest);
}

/* The one that takes least. */
static hb_row_form choose_form(const hb_forest_model *forest, const hb_bits_program *program, size_t exit_tests)
{
    const form_levels *levels = program->kernels->leaf_tables ? &with_tables : &without_tables;
    hb_row_form perfect = perfect_form(program->kernels), best = HB_ROW_WALK;
    double least = has_form(forest, program, HB_ROW_WALK, exit_tests) ? forest->expected_levels : INFINITY;

    if (has_form(forest, program, perfect, exit_tests) && levels->tree * (double)forest->n_trees < least) {
        least = levels->tree * (double)forest->n_trees;
        best = perfect;
    }
    return has_form(forest, program, HB_ROW_EXITS, exit_tests) && levels->test * (double)exit_tests < least
               ? HB_ROW_EXITS
               : best;
}

/* In the form, if it can be had; else by walks. */
static hbs_status take_form(const hb_forest_model *forest, hb_row_form form, size_t exit_tests, hb_arena *arena,
                            hb_bits_program *program, hbs_error *error)
{
    program->row_form = program->n_sets ? HB_ROW_NONE : HB_ROW_WALK;
    program->row_features = hb_arena_room(arena, HB_ROW_FEATURES, sizeof(*program->row_features));
    if (!program->row_features)
        return hb_no_memory(arena->memory, error);
    program->n_row_tests = program->n_row_leaves = program->n_row_features = program->n_row_set_words = 0;
    if (form == HB_ROW_WALK || !has_form(forest, program, form, exit_tests))
        return HBS_OK;
    if (form == HB_ROW_EXITS)
        HB_TRY(hb_row_exits_shape(forest, arena, program, error));
    else
        hb_row_perfect_shape(forest, form, program);
    if (hb_row_number_features(program))
        program->row_form = form;
    return HBS_OK;
}

hbs_status hb_row_compile(const hb_forest_model *forest, hb_row_form form, hb_arena *arena, hb_bits_program *program,
                          hbs_error *error)
{
    hb_work *work = &arena->memory->work;
    uint16_t *entry_of;
    size_t exit_tests;

    program->row_form = HB_ROW_NONE;
    program->n_entries = program->n_row_cuts = 0;
    if (program->n_chunks > HB_ROW_RANKS)
        return HBS_OK;
    entry_of = hb_arena_room(arena, program->n_predicates, sizeof(*entry_of));
    program->row_codes = hb_arena_room(arena, program->n_predicates, sizeof(*program->row_codes));
    program->entries = hb_arena_array(arena, HB_ROW_RANKS, sizeof(*program->entries));
    if (!entry_of || !program->row_codes || !program->entries)
        return hb_no_memory(arena->memory, error);
    if (!number_entries(program, entry_of))
        return HBS_OK;
    HB_TRY(hb_worked(work, UNITS_A_PREDICATE * program->n_predicates, error));
    HB_TRY(hb_row_exits_tests(forest, work, &exit_tests, error));
    if (form == HB_ROW_NONE)
        form = choose_form(forest, program, exit_tests);
    HB_TRY(take_form(forest, form, exit_tests, arena, program, error));
    if (program->row_form == HB_ROW_NONE)
        return HBS_OK;
    make_codes(program, entry_of);
    HB_TRY(make_entry_chunks(arena, program, error));
    return make_cuts(arena, program, error);
}
