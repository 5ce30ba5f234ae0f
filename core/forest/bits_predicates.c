/* bits_predicates.c - the distinct tests of a forest as predicates, in the order in which a block's bits are made: by
 * feature, threshold and rule; behind them the sets. */
#include <math.h>
#include <string.h>

#include "forest/bits_program.h"

/* ---- the order */

/* A test as a number of two words, which rises in the order: word 1 has `where` above the test's number. Of a set
 * word 0 is its node. */
typedef struct item {
    uint64_t word[2];
} item;

static uint32_t where_of(const item *i)
{
    return (uint32_t)(i->word[1] >> 32);
}

static uint32_t feature_of(const item *i)
{
    return (where_of(i) & ~HB_TEST_IS_CATEGORY_SET) >> HB_TEST_RULE_BITS;
}

static uint32_t test_of(const item *i)
{
    return (uint32_t)i->word[1];
}

static void sort_by_byte(const item *from, size_t n, int word, uint32_t shift, item *to)
{
    uint32_t place[257] = {0};

    for (size_t i = 0; i < n; i++)
        place[(from[i].word[word] >> shift & 0xff) + 1]++;
    for (size_t i = 1; i < 256; i++)
        place[i] += place[i - 1];
    for (size_t i = 0; i < n; i++)
        to[place[from[i].word[word] >> shift & 0xff]++] = from[i];
}

/* The bits of the word in which any two differ. */
static uint64_t difference(const item *items, size_t n, int word)
{
    uint64_t bits = 0;

    for (size_t i = 1; i < n; i++)
        bits |= items[i].word[word] ^ items[0].word[word];
    return bits;
}

/* Byte by byte, from the lowest: linear on any input. items[0] are sorted into items[0] or items[1]; gives which. */
static hbs_status sort(item *items[2], size_t n, hb_work *work, int *sorted, hbs_error *error)
{
    enum { RULE = 32, FEATURE = RULE + HB_TEST_RULE_BITS };
    static const uint8_t bytes[][2] = {
        {1, RULE}, {0, 0},  {0, 8},       {0, 16},          {0, 24},           {0, 32},          {0, 40},
        {0, 48},   {0, 56}, {1, FEATURE}, {1, FEATURE + 8}, {1, FEATURE + 16}, {1, FEATURE + 24}};
    const uint64_t differ[2] = {difference(items[0], n, 0), difference(items[0], n, 1)};

    *sorted = 0;
    for (size_t b = 0; b < sizeof(bytes) / sizeof(bytes[0]); b++) {
        if (!(differ[bytes[b][0]] >> bytes[b][1] & 0xff))
            continue;
        HB_TRY(hb_worked(work, 2 * n, error));
        sort_by_byte(items[*sorted], n, bytes[b][0], bytes[b][1], items[!*sorted]);
        *sorted = !*sorted;
    }
    return HBS_OK;
}

/* ---- chunks */

static void open_chunk(hb_bits_program *program, uint32_t feature, size_t first)
{
    program->chunks[program->n_chunks++] = (hb_bits_chunk){
        .feature = feature,
        .heap = (uint32_t)program->n_heaps,
        .exact = (uint32_t)program->n_thresholds,
        .first = (uint32_t)first,
    };
}

/* The chunk's thresholds, which stand at the end of program->thresholds, as a tree in heap order. */
static void close_chunk(hb_bits_program *program)
{
    hb_bits_chunk *chunk = &program->chunks[program->n_chunks - 1];
    const double *cuts = program->thresholds + chunk->exact;
    float *heap = program->heaps + program->n_heaps;

    chunk->levels = 1;
    while ((1u << chunk->levels) - 1 < chunk->n_cuts)
        chunk->levels++;
    heap[0] = 0; /* no node */
    for (uint32_t i = 1, l = 0; i < 1u << chunk->levels; i++) {
        uint32_t in_order;

        l += i >= 2u << l;
        in_order = ((2 * (i - (1u << l)) + 1) << (chunk->levels - l - 1)) - 1;
        heap[i] = in_order < chunk->n_cuts ? hb_round_down(cuts[in_order]) : INFINITY;
    }
    program->n_heaps += (size_t)1 << chunk->levels;
}

/* Adds predicate p of the order: to the chunk of its feature, or to a new one. */
static void add_number(hb_bits_program *program, const item *i, size_t p)
{
    hb_bits_chunk *chunk = program->n_chunks ? &program->chunks[program->n_chunks - 1] : NULL;
    double threshold = hb_bits_threshold(i->word[0]);
    uint32_t rule = where_of(i) & ((1u << HB_TEST_RULE_BITS) - 1);
    bool known =
        chunk && chunk->feature == feature_of(i) && program->thresholds[program->n_thresholds - 1] == threshold;

    if (!chunk || chunk->feature != feature_of(i) || (!known && chunk->n_cuts == HB_BITS_CUTS)) {
        if (chunk)
            close_chunk(program);
        open_chunk(program, feature_of(i), p);
        chunk = &program->chunks[program->n_chunks - 1];
        known = false;
    }
    if (!known) {
        program->thresholds[program->n_thresholds++] = threshold;
        chunk->n_cuts++;
    }
    program->cuts[p] = (chunk->n_cuts - 1) * 0x01010101u;
    program->rules[p] = (uint8_t)rule;
    chunk->rules |= rule;
    chunk->n++;
}

/* ---- sets */

/* As a predicate; small if it has no category from 64 on. */
static hb_set_predicate set_of(const hb_forest_model *forest, const item *i, hb_work *work)
{
    const hb_tree_node *node = hb_forest_nodes(forest) + i->word[0];
    const int32_t *items = (const int32_t *)forest->categories.items + node->as.set.first;
    hb_set_predicate set = {.feature = feature_of(i), .node = (uint32_t)i->word[0], .is_small = 1};
    bool right = where_of(i) & 1;

    for (uint32_t k = 0; k < node->as.set.count && set.is_small && hb_goes_on(work, 1); k++) {
        bool beyond = forest->sets_are_bits ? k > 1 && items[k] != 0 : items[k] >= 64;

        if (beyond)
            set.is_small = 0;
        else if (!forest->sets_are_bits)
            set.members |= (uint64_t)1 << items[k];
        else if (k < 2)
            set.members |= (uint64_t)(uint32_t)items[k] << 32 * k;
    }
    set.inverted = forest->wide && right ? UINT64_MAX : 0;
    set.rule = !forest->wide && right ? HB_BITS_NAN_RIGHT : 0;
    return set;
}

/* ---- all */

/* Each chunk is the first of its feature, or the one before it has all thresholds that it can. */
static size_t most_chunks(const item *items, size_t n)
{
    size_t features = n > 0;

    for (size_t i = 1; i < n; i++)
        features += feature_of(&items[i]) != feature_of(&items[i - 1]);
    return features + n / HB_BITS_CUTS;
}

static hbs_status make_room(hb_arena *arena, const item *sorted, size_t n_numbers, size_t n_sets,
                            hb_bits_program *program, hbs_error *error)
{
    size_t n = n_numbers + n_sets;

    program->cuts = hb_arena_array(arena, n, sizeof(*program->cuts));
    program->rules = hb_arena_array(arena, n, 1);
    program->predicate_of = hb_arena_room(arena, n, sizeof(*program->predicate_of));
    program->sets = hb_arena_room(arena, n_sets, sizeof(*program->sets));
    program->thresholds = hb_arena_room(arena, n_numbers, sizeof(*program->thresholds));
    program->heaps = hb_arena_room(arena, 2 * n_numbers, sizeof(*program->heaps));
    program->chunks = hb_arena_room(arena, most_chunks(sorted, n_numbers), sizeof(*program->chunks));
    return program->cuts && program->rules && program->predicate_of && program->sets && program->thresholds &&
                   program->heaps && program->chunks
               ? HBS_OK
               : hb_no_memory(arena->memory, error);
}

hbs_status hb_bits_order(const hb_bits_tests *tests, hb_arena *arena, hb_bits_program *program, hbs_error *error)
{
    const hb_bits_test *of = tests->tests.items;
    enum { UNITS_A_TEST = 8 };
    size_t n = tests->tests.count, n_numbers = n - tests->n_sets;
    item *items[2] = {hb_arena_room(arena, n, sizeof(item)), hb_arena_room(arena, n, sizeof(item))};
    int sorted;

    if (!items[0] || !items[1])
        return hb_no_memory(arena->memory, error);
    for (size_t i = 0; i < n; i++)
        items[0][i] =
            (item){{of[i].where & HB_TEST_IS_CATEGORY_SET ? of[i].node : of[i].key, (uint64_t)of[i].where << 32 | i}};
    HB_TRY(sort(items, n, tests->work, &sorted, error));
    HB_TRY(make_room(arena, items[sorted], n_numbers, tests->n_sets, program, error));
    for (size_t p = 0; p < n; p++) {
        const item *i = &items[sorted][p];

        HB_TRY(hb_worked(tests->work, UNITS_A_TEST, error));
        program->predicate_of[test_of(i)] = (uint16_t)p;
        if (p < n_numbers)
            add_number(program, i, p);
        else
            program->sets[program->n_sets++] = set_of(tests->forest, i, tests->work);
    }
    HB_TRY(hb_work_status(tests->work, error));
    if (program->n_chunks)
        close_chunk(program);
    program->n_predicates = n;
    return HBS_OK;
}
