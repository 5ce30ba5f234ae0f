/* bits_program.c - the shapes of a forest's trees as logic on bits, and what their tests settle of them. */
#include "forest/bits_program.h"

#include "forest/forest_parts.h"

/* ---- shapes */

/* Picoseconds a row, about: of a node of a mux, of an operation, of a look-up by numbers of so many bits. */
enum { MUX_COST = 2, REACH_COST = 8 };
enum { UNITS_A_TREE = 8 };
static const uint32_t look_up_cost[HB_BITS_MUX_DEPTH + 1] = {80, 80, 80, 80, 80, 80, 80, 110, 170};

static uint32_t bits_for(size_t n_leaves)
{
    uint32_t bits = 0;

    while ((size_t)1 << bits < n_leaves)
        bits++;
    return bits;
}

static bool is_near_perfect(size_t n_leaves, uint32_t depth)
{
    size_t padded;

    if (depth > HB_BITS_MUX_DEPTH || n_leaves < ((size_t)1 << depth) / 8)
        return false;
    padded = ((size_t)MUX_COST << depth) + look_up_cost[depth];
    return padded <= REACH_COST * (n_leaves - 1) + look_up_cost[bits_for(n_leaves)];
}

static void count_tree(const hb_bits_tree *tree, hb_bits_program *program)
{
    size_t nodes = tree->form == HB_BITS_REACH ? 4 * (size_t)tree->n : (size_t)1 << tree->bits;

    program->most_nodes = nodes > program->most_nodes ? nodes : program->most_nodes;
    program->n_more_bits += tree->bits > 6 ? tree->bits - 6 : 0;
    if (tree->form == HB_BITS_MUX)
        program->n_mux += nodes;
    else if (tree->form == HB_BITS_REACH)
        *(hb_bits_exits_are_bytes(tree) ? &program->n_reach : &program->n_reach_large) += tree->n;
}

/* The files within the limits have so few leaves that 32 bits number them, also padded. */
static void shape_tree(const hb_forest_model *forest, size_t t, hb_bits_program *program)
{
    const uint32_t *starts = forest->starts.items;
    uint32_t depth = ((const uint32_t *)forest->depths.items)[t];
    size_t n_leaves = (starts[t + 1] - starts[t] + 1) / 2; /* every inner node has two children */
    hb_bits_tree *tree = &program->trees[t];

    *tree = (hb_bits_tree){.leaves = (uint32_t)program->n_leaves,
                           .output = (uint32_t)((const int32_t *)forest->groups.items)[t]};
    if (n_leaves == 1) {
        tree->form = HB_BITS_CONSTANT;
    } else if (is_near_perfect(n_leaves, depth)) {
        tree->form = n_leaves == (size_t)1 << depth ? HB_BITS_OBLIVIOUS : HB_BITS_MUX;
        tree->bits = depth;
    } else {
        tree->form = HB_BITS_REACH;
        tree->bits = bits_for(n_leaves);
        tree->n = (uint32_t)(n_leaves - 1);
        program->n_slots = 2 * n_leaves > program->n_slots ? 2 * n_leaves : program->n_slots;
    }
    program->n_leaves += forest->leaf_width << tree->bits;
    count_tree(tree, program);
}

static const char *obstacle(const hb_forest_model *forest)
{
    if (forest->linear_leaves.count)
        return "linear leaves";
    if (forest->leaf_width > HB_BITS_WIDTH)
        return "leaves of many outputs";
    if (!hb_leaf_rows_may_repeat(forest))
        return "leaves that share their numbers";
    return (forest->largest_tree + 1) / 2 > HB_BITS_LEAVES ? "trees of many leaves" : NULL;
}

hbs_status hb_bits_shape(const hb_forest_model *forest, const hb_kernels *kernels, hb_arena *arena,
                         hb_bits_program **program, const char **why, hbs_error *error)
{
    *program = NULL;
    *why = obstacle(forest);
    if (*why)
        return HBS_OK;
    *program = hb_arena_array(arena, 1, sizeof(**program));
    if (!*program)
        return hb_no_memory(arena->memory, error);
    (*program)->kernels = kernels;
    (*program)->trees = hb_arena_room(arena, forest->n_trees, sizeof(*(*program)->trees));
    if (!(*program)->trees)
        return hb_no_memory(arena->memory, error);
    for (size_t t = 0; t < forest->n_trees; t++) {
        HB_TRY(hb_worked(&arena->memory->work, UNITS_A_TREE, error));
        shape_tree(forest, t, *program);
    }
    return HBS_OK;
}

/* ---- what the tests settle */

/* All nodes of each level test the same. Nodes stand breadth first, so that those of level l of a perfect tree are
 * the 2^l from 2^l - 1 on. */
static bool is_oblivious(const uint16_t *tests, uint32_t depth)
{
    for (uint32_t level = 1; level < depth; level++)
        for (size_t i = (size_t)1 << level; i < ((size_t)2 << level) - 1; i++)
            if (tests[i] != tests[i - 1])
                return false;
    return true;
}

void hb_bits_list_inner(const hb_tree_node *nodes, size_t n, hb_bits_scratch *scratch)
{
    enum { AHEAD = 16 << 10 }; /* bytes: the trees behind this one come while it is worked on */
    size_t k = 0;

    for (size_t i = 0; i < n && k < n / 2; i++) {
        __builtin_prefetch((const void *)((uintptr_t)&nodes[i] + AHEAD));
        scratch->inner[k] = (uint16_t)i;
        scratch->left[k] = (uint16_t)nodes[i].left;
        k += nodes[i].left != HB_NO_CHILD;
    }
}

void hb_bits_number_leaves(size_t n_nodes, hb_bits_scratch *scratch)
{
    const uint16_t *inner = scratch->inner, *left = scratch->left;
    uint16_t *number = scratch->number, *count = scratch->other, *flips = scratch->other;

    for (size_t i = 0; i < n_nodes; i++)
        count[i] = 1;
    for (size_t k = n_nodes / 2; k-- > 0;) /* children stand behind their parent */
        count[inner[k]] = (uint16_t)(count[left[k]] + count[left[k] + 1]);
    number[0] = 0;
    for (size_t k = 0; k < n_nodes / 2; k++) {
        uint16_t first = number[inner[k]], second = (uint16_t)(first + count[left[k]]);

        number[left[k]] = first;
        number[left[k] + 1] = second;
        flips[k] = first ^ second; /* of counts only those behind it are still read */
    }
}

/* The bits that are set in n numbers. */
static size_t count_bits(const uint16_t *numbers, size_t n)
{
    size_t bits = 0;

    for (size_t k = 0; k < n; k++) {
        uint32_t x = numbers[k];

        x -= x >> 1 & 0x5555;
        x = (x & 0x3333) + (x >> 2 & 0x3333);
        x = (x + (x >> 4)) & 0x0f0f;
        bits += (x + (x >> 8)) & 0xff;
    }
    return bits;
}

/* The tree's inner nodes are listed. */
static void settle_tree(const hb_forest_model *forest, size_t t, hb_bits_program *program)
{
    hb_bits_tree *tree = &program->trees[t];

    if (tree->form == HB_BITS_CONSTANT)
        return;
    if (tree->form == HB_BITS_REACH) {
        tree->first = (uint32_t)program->n_operations;
        tree->flips = (uint32_t)program->n_flips;
        hb_bits_number_leaves(2 * (size_t)tree->n + 1, program->scratch);
        program->n_operations += tree->n;
        program->n_flips += tree->bits + count_bits(program->scratch->other, tree->n);
        return;
    }
    if (tree->form == HB_BITS_OBLIVIOUS && !is_oblivious(program->tests + hb_bits_first_inner(forest, t), tree->bits)) {
        tree->form = HB_BITS_MUX;
        program->n_mux += (size_t)1 << tree->bits;
    }
    tree->first = (uint32_t)program->n_nodes;
    program->n_nodes += tree->form == HB_BITS_MUX ? (size_t)1 << tree->bits : tree->bits;
}

/* How many oblivious trees alike there are from each one on. */
static hbs_status count_alike(hb_bits_program *program, size_t n_trees, hb_work *work, hbs_error *error)
{
    for (size_t t = n_trees; t-- > 0;) {
        hb_bits_tree *tree = &program->trees[t], *next = tree + 1;

        HB_TRY(hb_worked(work, 1, error));
        if (tree->form != HB_BITS_OBLIVIOUS)
            continue;
        tree->n = 1;
        if (t + 1 < n_trees && next->form == HB_BITS_OBLIVIOUS && next->bits == tree->bits &&
            next->output == tree->output)
            tree->n += next->n;
    }
    return HBS_OK;
}

/* One tree: false where there is no memory, or the host wants to stop. */
static bool add_tree(hb_bits_tests *tests, size_t t, hb_bits_program *program)
{
    const hb_forest_model *forest = tests->forest;
    const uint32_t *starts = forest->starts.items;

    hb_bits_list_inner(hb_forest_nodes(forest) + starts[t], starts[t + 1] - starts[t], program->scratch);
    if (!hb_bits_tests_add(tests, t, program->scratch->inner, program->tests + hb_bits_first_inner(forest, t)))
        return false;
    settle_tree(forest, t, program);
    return true;
}

static hbs_status find_tests(hb_bits_tests *tests, hb_arena *arena, hb_bits_program *program, const char **why,
                             hbs_error *error)
{
    enum { UNITS_A_NODE = 8 };
    const uint32_t *starts = tests->forest->starts.items;

    for (size_t t = 0; t < tests->forest->n_trees; t++) {
        HB_TRY(hb_worked(tests->work, UNITS_A_NODE * (starts[t + 1] - starts[t]), error));
        if (!add_tree(tests, t, program)) {
            HB_TRY(hb_work_status(tests->work, error));
            return hb_no_memory(arena->memory, error);
        }
        if (hb_bits_tests_exceed(tests)) {
            *why = "too many distinct tests";
            return HBS_OK;
        }
    }
    HB_TRY(count_alike(program, tests->forest->n_trees, tests->work, error));
    HB_TRY(hb_bits_order(tests, arena, program, error));
    return hb_row_compile(tests->forest, HB_ROW_NONE, arena, program, error);
}

hbs_status hb_bits_compile(const hb_forest_model *forest, hb_arena *arena, hb_bits_program *program, const char **why,
                           hbs_error *error)
{
    hb_bits_tests tests;
    hbs_status status;

    *why = NULL;
    program->tests = hb_arena_room(arena, forest->nodes.count - forest->n_leaves, sizeof(*program->tests));
    program->scratch = hb_arena_room(arena, 1, sizeof(*program->scratch));
    if (!program->tests || !program->scratch)
        return hb_no_memory(arena->memory, error);
    status = hb_bits_tests_begin(&tests, forest, arena->memory) ? find_tests(&tests, arena, program, why, error)
                                                                : hb_no_memory(arena->memory, error);
    hb_bits_tests_end(&tests);
    return status;
}
