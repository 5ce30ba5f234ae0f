/* compact_slots.c - where the nodes of trees of many levels stand (kernel/compact_kernel.h).
 *
 * A pair is the two children of a node. Four pairs are a line. A line begins with a pair, and takes the pairs below it,
 * those first to which most of the training rows came; what is left over begins lines of its own. Where less than a
 * line is below a pair, several such share one. The root takes the first pair alone. */
#include "forest/forest_parts.h"

enum { PAIRS = HB_COMPACT_LINE / 2, UNITS_A_LINE = 16 };

/* One tree; nodes are counted from its root. */
typedef struct placing {
    const hb_tree_node *nodes;
    uint32_t *slot;   /* [n]: of each node */
    uint32_t *below;  /* [n]: pairs in the tree under a node, up to PAIRS */
    uint32_t *begins; /* [n]: nodes whose pairs begin lines */
    uint32_t n_begins;
    uint32_t end;          /* pairs so far, in whole lines */
    uint32_t shared, room; /* of a line of small trees: the next pair, and how many are left */
    uint32_t flags;        /* of all nodes so far */
    hb_work *work;
} placing;

static bool is_inner(const hb_tree_node *node)
{
    return node->left != HB_NO_CHILD;
}

static bool count_below(placing *p, uint32_t n)
{
    for (uint32_t i = n; i-- > 0;) { /* children stand behind their parent */
        const hb_tree_node *node = &p->nodes[i];
        uint32_t pairs = is_inner(node) ? 1 + p->below[node->left] + p->below[node->left + 1] : 0;

        p->below[i] = pairs < PAIRS ? pairs : PAIRS;
        p->flags |= pairs ? node->flags : 0;
        if (!hb_goes_on(p->work, 2))
            return false;
    }
    return true;
}

/* Of some nodes whose pairs have no place yet, the one that most rows came to. */
static uint32_t most_covered(const placing *p, const uint32_t *open, uint32_t n)
{
    uint32_t most = 0;

    for (uint32_t i = 1; i < n; i++)
        if (p->nodes[open[i]].cover > p->nodes[open[most]].cover)
            most = i;
    return most;
}

/* Places the pair below `node` and some of those under it, `room` in all, from the pair `at` on. */
static void place_pairs(placing *p, uint32_t node, uint32_t at, uint32_t room)
{
    uint32_t open[PAIRS + 1], n = 1;

    open[0] = node;
    for (; n > 0 && room > 0; room--, at++) {
        uint32_t most = most_covered(p, open, n), left = (uint32_t)p->nodes[open[most]].left;

        open[most] = open[--n];
        for (uint32_t child = left; child <= left + 1; child++) {
            p->slot[child] = 2 * at + child - left;
            if (is_inner(&p->nodes[child]))
                open[n++] = child;
        }
    }
    while (n > 0)
        p->begins[p->n_begins++] = open[--n];
}

static uint32_t next_line(placing *p)
{
    p->end += PAIRS;
    return p->end - PAIRS;
}

static void place_line(placing *p, uint32_t node)
{
    uint32_t pairs = p->below[node];

    if (pairs == PAIRS) {
        place_pairs(p, node, next_line(p), PAIRS);
        return;
    }
    if (pairs > p->room) {
        p->shared = next_line(p);
        p->room = PAIRS;
    }
    place_pairs(p, node, p->shared, pairs);
    p->shared += pairs;
    p->room -= pairs;
}

/* Gives how many slots the tree has; without a meaning where the work was stopped. */
static uint32_t place_tree(placing *p, uint32_t n)
{
    if (!count_below(p, n))
        return 0;
    p->slot[0] = 0;
    p->n_begins = 0;
    p->end = PAIRS;
    p->shared = p->room = 0;
    if (is_inner(&p->nodes[0]))
        place_pairs(p, 0, 1, PAIRS - 1);
    for (uint32_t i = 0; i < p->n_begins && hb_goes_on(p->work, UNITS_A_LINE); i++)
        place_line(p, p->begins[i]);
    return 2 * p->end;
}

static bool fits(const placing *p, uint32_t n_slots, uint64_t all)
{
    return n_slots <= HB_COMPACT_SLOTS && all < HB_COMPACT_ALL_SLOTS && !(p->flags & HB_NODE_ZERO_MISSING);
}

static hbs_status place_trees(const hb_forest_model *forest, placing *p, hb_compact_program *program, hbs_error *error)
{
    const uint32_t *starts = forest->starts.items;
    uint64_t slots = 0;

    for (size_t t = 0; t < forest->n_trees && program->fits; t++) {
        uint32_t n;

        p->nodes = hb_forest_nodes(forest) + starts[t];
        p->slot = program->slots + starts[t];
        program->roots[t] = (uint32_t)slots;
        n = place_tree(p, starts[t + 1] - starts[t]);
        HB_TRY(hb_work_status(p->work, error));
        slots += n;
        program->fits = fits(p, n, slots);
    }
    program->roots[forest->n_trees] = (uint32_t)slots;
    return HBS_OK;
}

hbs_status hb_compact_compile(const hb_forest_model *forest, hb_arena *arena, hb_compact_program *program,
                              hbs_error *error)
{
    uint32_t most = forest->largest_tree;
    placing p = {.work = &arena->memory->work};

    *program = (hb_compact_program){.fits = hb_compact_pays(forest) && hb_compact_fits(forest)};
    if (!program->fits)
        return HBS_OK;
    p.below = hb_arena_room(arena, most, sizeof(*p.below));
    p.begins = hb_arena_room(arena, most, sizeof(*p.begins));
    program->slots = hb_arena_room(arena, forest->nodes.count, sizeof(*program->slots));
    program->roots = hb_arena_room(arena, forest->n_trees + 1, sizeof(*program->roots));
    if (!p.below || !p.begins || !program->slots || !program->roots)
        return hb_no_memory(arena->memory, error);
    return place_trees(forest, &p, program, error);
}
