/* bits_predicates.c - the distinct tests of a forest, in the order in which a block's bits are made: by feature,
 * threshold and rule; behind them the sets. */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "forest/bits_program.h"

/* A distinct test. */
typedef struct test {
    double threshold; /* of a number */
    uint32_t feature;
    uint32_t rule;    /* HB_BITS_..., or IS_SET and the side of a missing value */
    uint32_t node;    /* the first that has it */
} test;

#define IS_SET 0x100u

typedef struct finding {
    const hb_forest_model *forest;
    const hbs_host *host;
    hb_arena *arena;
    hb_bits_program *program;
    hbs_error *error;
    hb_vector tests;
    uint32_t *slots; /* 1 + a test by its hash; 0: free */
    size_t mask;
    uint64_t probes;
} finding;

/* ---- what a node tests */

static uint32_t rule_of(const hb_forest_model *forest, const hb_tree_node *node)
{
    bool right = !(node->flags & HB_NODE_DEFAULT_LEFT);
    bool zero = node->flags & HB_NODE_ZERO_MISSING;
    uint32_t rule = 0;

    if (node->flags & HB_NODE_CATEGORIES)
        return IS_SET | right;
    if (!forest->wide)
        return right ? HB_BITS_NAN_RIGHT : 0;
    if (zero)
        rule = right ? HB_BITS_ZERO_RIGHT : HB_BITS_ZERO_LEFT;
    if (zero || node->flags & HB_NODE_NAN_MISSING)
        return right ? rule | HB_BITS_NAN_RIGHT : rule;
    return 0 > node->as.threshold ? HB_BITS_NAN_RIGHT : 0; /* NaN counts as 0 */
}

static test test_of(const hb_forest_model *forest, uint32_t i)
{
    const hb_tree_node *node = hb_forest_nodes(forest) + i;
    test made = {.feature = (uint32_t)node->feature, .rule = rule_of(forest, node), .node = i};

    if (made.rule & IS_SET)
        return made;
    made.threshold = (forest->wide ? node->as.threshold : (double)(float)node->as.threshold) + 0.0;
    return made; /* -0.0 is 0.0 now: they compare alike */
}

static const int32_t *set_of(const hb_forest_model *forest, uint32_t node, uint32_t *count)
{
    const hb_tree_node *n = hb_forest_nodes(forest) + node;

    *count = n->as.set.count;
    return (const int32_t *)forest->categories.items + n->as.set.first;
}

/* As a predicate; small if it has no category from 64 on. */
static hb_bits_set set_of_test(const hb_forest_model *forest, const test *t)
{
    hb_bits_set set = {.feature = t->feature, .node = t->node, .is_small = 1};
    bool right = t->rule & 1;
    uint32_t n;
    const int32_t *items = set_of(forest, t->node, &n);

    for (uint32_t i = 0; i < n; i++) {
        bool beyond = forest->sets_are_bits ? i > 1 && items[i] != 0 : items[i] >= 64;

        if (beyond)
            set.is_small = 0;
        else if (!forest->sets_are_bits)
            set.members |= (uint64_t)1 << items[i];
        else if (i < 2)
            set.members |= (uint64_t)(uint32_t)items[i] << 32 * i;
    }
    set.inverted = forest->wide && right ? UINT64_MAX : 0;
    set.rule = !forest->wide && right ? HB_BITS_NAN_RIGHT : 0;
    return set;
}

static uint64_t mix(uint64_t hash, uint64_t more)
{
    hash = (hash ^ more) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const hb_forest_model *forest, const test *t)
{
    uint64_t hash = mix(t->feature, t->rule), bits;

    if (t->rule & IS_SET) {
        uint32_t n;
        const int32_t *items = set_of(forest, t->node, &n);

        for (uint32_t i = 0; i < n; i++)
            hash = mix(hash, (uint32_t)items[i]);
        return mix(hash, n);
    }
    memcpy(&bits, &t->threshold, sizeof(bits));
    return mix(mix(hash, bits), bits >> 32);
}

static bool same_test(const hb_forest_model *forest, const test *a, const test *b)
{
    if (a->feature != b->feature || a->rule != b->rule)
        return false;
    if (a->rule & IS_SET) {
        uint32_t n, m;
        const int32_t *x = set_of(forest, a->node, &n), *y = set_of(forest, b->node, &m);

        return n == m && memcmp(x, y, n * sizeof(*x)) == 0;
    }
    return a->threshold == b->threshold;
}

/* ---- the distinct ones */

enum { NODES_A_POLL = 4096, PROBES_A_TEST = 16 };

/* The number of the node's test among the distinct ones, which it may be added to. SIZE_MAX: no memory. */
static size_t number_of(finding *f, uint32_t node)
{
    test t = test_of(f->forest, node);
    size_t at = (size_t)hash_of(f->forest, &t) & f->mask;

    for (; f->slots[at]; at = (at + 1) & f->mask, f->probes++)
        if (same_test(f->forest, (const test *)f->tests.items + f->slots[at] - 1, &t))
            return f->slots[at] - 1;
    if (!hb_vector_append(&f->tests, &t, 1))
        return SIZE_MAX;
    f->slots[at] = (uint32_t)f->tests.count;
    return f->tests.count - 1;
}

static hbs_status find_tests(finding *f, const char **why)
{
    const hb_tree_node *nodes = hb_forest_nodes(f->forest);
    uint32_t *predicate_of = f->program->predicate_of;

    for (uint32_t i = 0; i < f->forest->nodes.count; i++) {
        size_t number;

        if (i % NODES_A_POLL == 0)
            HB_TRY(hb_poll(f->host, f->error));
        if (nodes[i].left == HB_NO_CHILD)
            continue;
        number = number_of(f, i);
        if (number == SIZE_MAX)
            return hb_no_memory(f->arena->memory, f->error);
        predicate_of[i] = (uint32_t)number;
        f->program->n_tests++;
        /* Files that are made to collide are left to the other strategy. */
        if (f->tests.count > HB_BITS_PREDICATES ||
            f->probes > PROBES_A_TEST * ((uint64_t)i + NODES_A_POLL)) {
            *why = "too many distinct tests";
            return HBS_OK;
        }
    }
    return HBS_OK;
}

static int compare_tests(const void *context, uint32_t a, uint32_t b)
{
    const test *x = (const test *)context + a, *y = (const test *)context + b;

    if ((x->rule ^ y->rule) & IS_SET)
        return x->rule & IS_SET ? 1 : -1;
    if (x->feature != y->feature)
        return x->feature < y->feature ? -1 : 1;
    if (x->rule & IS_SET)
        return x->node < y->node ? -1 : x->node > y->node;
    if (x->threshold != y->threshold)
        return x->threshold < y->threshold ? -1 : 1;
    return x->rule < y->rule ? -1 : x->rule > y->rule;
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
static void add_number(hb_bits_program *program, const test *t, size_t p)
{
    hb_bits_chunk *chunk = program->n_chunks ? &program->chunks[program->n_chunks - 1] : NULL;
    bool known = chunk && chunk->feature == t->feature &&
                 program->thresholds[program->n_thresholds - 1] == t->threshold;

    if (!chunk || chunk->feature != t->feature || (!known && chunk->n_cuts == HB_BITS_CUTS)) {
        if (chunk)
            close_chunk(program);
        open_chunk(program, t->feature, p);
        chunk = &program->chunks[program->n_chunks - 1];
        known = false;
    }
    if (!known) {
        program->thresholds[program->n_thresholds++] = t->threshold;
        chunk->n_cuts++;
    }
    program->cuts[p] = (uint8_t)(chunk->n_cuts - 1);
    program->rules[p] = (uint8_t)t->rule;
    chunk->rules |= t->rule;
    chunk->n++;
}

/* Room for chunks: each has a feature of its own, or the one before it has all thresholds that it can. */
static hbs_status make_room(finding *f)
{
    size_t n = f->tests.count;
    hb_bits_program *program = f->program;

    program->cuts = hb_arena_array(f->arena, n, 1);
    program->rules = hb_arena_array(f->arena, n, 1);
    program->sets = hb_arena_array(f->arena, n, sizeof(*program->sets));
    program->thresholds = hb_arena_array(f->arena, n, sizeof(*program->thresholds));
    program->chunks = hb_arena_array(f->arena, n, sizeof(*program->chunks));
    program->heaps = hb_arena_array(f->arena, 2 * n, sizeof(*program->heaps));
    return program->cuts && program->rules && program->sets && program->thresholds &&
                   program->chunks && program->heaps
               ? HBS_OK
               : hb_no_memory(f->arena->memory, f->error);
}

static hbs_status number_predicates(finding *f)
{
    const test *tests = f->tests.items;
    size_t n = f->tests.count;
    uint32_t *order = hb_arena_array(f->arena, n, sizeof(*order));
    uint32_t *place = hb_arena_array(f->arena, n, sizeof(*place));

    if (!order || !place)
        return hb_no_memory(f->arena->memory, f->error);
    HB_TRY(make_room(f));
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    if (!hb_sort(order, n, compare_tests, tests, f->host))
        return hb_fail(f->error, HBS_E_CANCEL, "cancelled");
    for (uint32_t p = 0; p < n; p++) {
        const test *t = &tests[order[p]];

        place[order[p]] = p;
        if (t->rule & IS_SET)
            f->program->sets[f->program->n_sets++] = set_of_test(f->forest, t);
        else
            add_number(f->program, t, p);
    }
    if (f->program->n_chunks)
        close_chunk(f->program);
    f->program->n_predicates = n;
    for (uint32_t i = 0; i < f->forest->nodes.count; i++)
        if (hb_forest_nodes(f->forest)[i].left != HB_NO_CHILD)
            f->program->predicate_of[i] = place[f->program->predicate_of[i]];
    return HBS_OK;
}

hbs_status hb_bits_find_predicates(const hb_forest_model *forest, hb_arena *arena,
                                   const hbs_host *host, hb_bits_program *program, const char **why,
                                   hbs_error *error)
{
    finding f = {forest, host, arena, program, error, {0}, NULL, 1023, 0};
    hbs_status status;

    while (f.mask < 2 * forest->nodes.count && f.mask < 2 * HB_BITS_PREDICATES)
        f.mask = 2 * f.mask + 1;
    program->predicate_of = hb_arena_array(arena, forest->nodes.count, sizeof(uint32_t));
    f.slots = hb_arena_array(arena, f.mask + 1, sizeof(*f.slots));
    if (!program->predicate_of || !f.slots)
        return hb_no_memory(arena->memory, error);
    hb_vector_init(&f.tests, arena->memory, sizeof(test));
    status = find_tests(&f, why);
    if (status == HBS_OK && !*why)
        status = number_predicates(&f);
    hb_vector_release(&f.tests);
    return status;
}
