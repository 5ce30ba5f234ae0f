/* bits_tests.c - the distinct tests of a forest, in one pass: each node is looked up once, by a hash of what it
 * tests. */
#include <string.h>

#include "base/inline.h"
#include "forest/bits_program.h"

enum { FIRST_SLOT_BITS = 10, PROBES_A_NODE = 16, NODES_FREE = 4096 };

/* ---- what a node tests */

/* -0.0 is 0.0 now: they compare alike. */
static uint64_t key_of(double threshold)
{
    double number = threshold + 0.0;
    uint64_t bits;

    memcpy(&bits, &number, sizeof(bits));
    return bits ^ ((uint64_t)1 << 63 | (uint64_t) - (bits >> 63));
}

double hb_bits_threshold(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double number;

    memcpy(&number, &bits, sizeof(number));
    return number;
}

static uint32_t rule_of(const hb_tree_node *node, bool wide)
{
    bool right = !(node->flags & HB_NODE_DEFAULT_LEFT);
    bool zero = node->flags & HB_NODE_ZERO_MISSING;
    uint32_t rule = 0;

    if (!wide)
        return right ? HB_BITS_NAN_RIGHT : 0;
    if (zero)
        rule = right ? HB_BITS_ZERO_RIGHT : HB_BITS_ZERO_LEFT;
    if (zero || node->flags & HB_NODE_NAN_MISSING)
        return right ? rule | HB_BITS_NAN_RIGHT : rule;
    return 0 > node->as.threshold ? HB_BITS_NAN_RIGHT : 0; /* NaN counts as 0 */
}

static uint64_t mix(uint64_t hash, uint64_t more)
{
    hash = (hash ^ more) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
}

static const int32_t *set_of(const hb_forest_model *forest, uint32_t node, uint32_t *count)
{
    const hb_tree_node *n = hb_forest_nodes(forest) + node;

    *count = n->as.set.count;
    return (const int32_t *)forest->categories.items + n->as.set.first;
}

static hb_bits_test set_test(const hb_bits_tests *tests, uint32_t node)
{
    const hb_forest_model *forest = tests->forest;
    const hb_tree_node *n = hb_forest_nodes(forest) + node;
    uint32_t count, right = !(n->flags & HB_NODE_DEFAULT_LEFT);
    const int32_t *items = set_of(forest, node, &count);
    uint64_t hash = count;

    for (uint32_t i = 0; i < count && hb_goes_on(tests->work, 1); i++)
        hash = mix(hash, (uint32_t)items[i]);
    return (hb_bits_test){hash, HB_TEST_IS_CATEGORY_SET | (uint32_t)n->feature << HB_TEST_RULE_BITS | right, node};
}

static inline hb_bits_test test_of(const hb_bits_tests *tests, uint32_t node, bool wide)
{
    const hb_tree_node *n = hb_forest_nodes(tests->forest) + node;
    double threshold = wide ? n->as.threshold : (double)(float)n->as.threshold;

    if (n->flags & HB_NODE_CATEGORIES)
        return set_test(tests, node);
    return (hb_bits_test){key_of(threshold), (uint32_t)n->feature << HB_TEST_RULE_BITS | rule_of(n, wide), node};
}

static bool same_set(const hb_forest_model *forest, uint32_t a, uint32_t b)
{
    uint32_t n, m;
    const int32_t *x = set_of(forest, a, &n), *y = set_of(forest, b, &m);

    return n == m && memcmp(x, y, n * sizeof(*x)) == 0;
}

/* ---- the distinct ones */

/* Its upper bits number a slot; a slot's upper half has its lower bits. */
static inline uint64_t hash_of(const hb_bits_test *t)
{
    return mix(t->key, t->where * 0xbf58476d1ce4e5b9) * 0x94d049bb133111eb;
}

static inline uint32_t slot_of(uint64_t hash, size_t number)
{
    return (uint32_t)hash << 16 | (uint32_t)(number + 1);
}

static void put_again(hb_bits_tests *tests)
{
    const hb_bits_test *known = tests->tests.items;
    uint32_t *slots = tests->slots.items;
    size_t mask = tests->slots.count - 1;

    memset(slots, 0, tests->slots.count * sizeof(*slots));
    for (size_t i = 0; i < tests->tests.count; i++) {
        uint64_t hash = hash_of(&known[i]);
        size_t at = (size_t)(hash >> tests->shift);

        for (; slots[at]; at = (at + 1) & mask)
            tests->probes++;
        slots[at] = slot_of(hash, i);
    }
}

/* Four times the slots before a quarter of them is taken: few nodes look at a second one. */
static bool grow(hb_bits_tests *tests)
{
    if (4 * (tests->tests.count + 1) <= tests->slots.count)
        return true;
    if (!hb_vector_append(&tests->slots, NULL, 3 * tests->slots.count))
        return false;
    tests->shift -= 2;
    put_again(tests);
    return true;
}

bool hb_bits_tests_begin(hb_bits_tests *tests, const hb_forest_model *forest, hb_memory *memory)
{
    *tests = (hb_bits_tests){.forest = forest, .shift = 64 - FIRST_SLOT_BITS, .work = &memory->work};
    hb_vector_init(&tests->tests, memory, sizeof(hb_bits_test));
    hb_vector_init(&tests->slots, memory, sizeof(uint32_t));
    return hb_vector_append(&tests->slots, NULL, (size_t)1 << FIRST_SLOT_BITS) != NULL;
}

void hb_bits_tests_end(hb_bits_tests *tests)
{
    hb_vector_release(&tests->tests);
    hb_vector_release(&tests->slots);
}

bool hb_bits_tests_exceed(const hb_bits_tests *tests)
{
    return tests->tests.count > HB_BITS_PREDICATES || tests->probes > tests->most_probes;
}

/* Adds a test that is new; SIZE_MAX: no memory. */
static size_t add_test(hb_bits_tests *tests, const hb_bits_test *t, uint64_t hash, size_t at)
{
    size_t number = tests->tests.count;

    if (!hb_vector_append(&tests->tests, t, 1))
        return SIZE_MAX;
    ((uint32_t *)tests->slots.items)[at] = slot_of(hash, number);
    tests->n_sets += t->where >> 31;
    return grow(tests) ? number : SIZE_MAX;
}

/* The number of a test, which may be new. Where too much collides, any number. */
HB_NOINLINE size_t find(hb_bits_tests *tests, hb_bits_test t, uint64_t hash)
{
    const uint32_t *slots = tests->slots.items;
    size_t at = (size_t)(hash >> tests->shift), mask = tests->slots.count - 1;

    for (; slots[at]; at = (at + 1) & mask) {
        size_t number = (slots[at] & 0xffff) - 1;
        const hb_bits_test *known = (const hb_bits_test *)tests->tests.items + number;

        if (known->key == t.key && known->where == t.where &&
            (!(t.where & HB_TEST_IS_CATEGORY_SET) || same_set(tests->forest, known->node, t.node)))
            return number;
        if (++tests->probes > tests->most_probes)
            return 0;
    }
    return add_test(tests, &t, hash, at);
}

/* Most tests are at the first slot that they look at. */
static inline size_t number_of(hb_bits_tests *tests, hb_bits_test t)
{
    const hb_bits_test *known = tests->tests.items;
    uint64_t hash = hash_of(&t);
    uint32_t slot = ((const uint32_t *)tests->slots.items)[hash >> tests->shift];
    uint32_t number = (slot ^ (uint32_t)hash << 16) - 1; /* too large where the halves differ, or the slot is free */

    if (number < 0xffff && known[number].key == t.key && known[number].where == t.where &&
        !(t.where & HB_TEST_IS_CATEGORY_SET))
        return number;
    return find(tests, t, hash);
}

HB_INLINE bool add_tree(hb_bits_tests *tests, uint32_t first, size_t n, const uint16_t *inner, uint16_t *numbers,
                        bool wide)
{
    for (size_t k = 0; k < n; k++) {
        hb_bits_test t = test_of(tests, first + inner[k], wide);
        size_t number = number_of(tests, t);

        if (number == SIZE_MAX || tests->work->stopped)
            return false;
        numbers[k] = (uint16_t)number;
    }
    return true;
}

/* A tree has fewer tests than HB_BITS_PREDICATES, so that all numbers have 16 bits if one asks after each tree whether
 * they exceed. Files that are made to collide are left to other strategies. */
bool hb_bits_tests_add(hb_bits_tests *tests, size_t tree, const uint16_t *inner, uint16_t *numbers)
{
    const uint32_t *starts = tests->forest->starts.items;
    uint32_t first = starts[tree], n = (starts[tree + 1] - first) / 2;

    tests->most_probes = PROBES_A_NODE * ((uint64_t)first + NODES_FREE);
    return tests->forest->wide ? add_tree(tests, first, n, inner, numbers, true)
                               : add_tree(tests, first, n, inner, numbers, false);
}
