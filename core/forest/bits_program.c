/* bits_program.c - the trees of a forest as logic on the bits of its predicates. */
#include "forest/bits_program.h"

typedef struct compiling {
    const hb_forest_model *forest;
    const hbs_host *host;
    hb_arena *arena;
    hb_bits_program *program;
    hbs_error *error;
    bool counting;     /* sizes only; then the same once more, with room for all */
    uint32_t *work[2]; /* [most nodes of a tree] each, or [2 << HB_BITS_MUX_DEPTH] */
    size_t most_nodes;
} compiling;

/* The tree that is being compiled. */
typedef struct shape {
    const hb_tree_node *nodes; /* numbers in them count from here */
    const uint32_t *predicates;
    size_t tree, first, n_nodes, n_leaves, depth;
    uint32_t bits; /* that number its leaves */
} shape;

static shape shape_of(const compiling *c, size_t tree)
{
    const uint32_t *starts = c->forest->starts.items;
    shape s = {.tree = tree, .first = starts[tree], .n_nodes = starts[tree + 1] - starts[tree]};

    s.nodes = hb_forest_nodes(c->forest) + s.first;
    s.predicates = c->program->predicate_of + s.first;
    s.n_leaves = (s.n_nodes + 1) / 2; /* every inner node has two children */
    s.depth = ((const uint32_t *)c->forest->depths.items)[tree];
    while ((size_t)1 << s.bits < s.n_leaves)
        s.bits++;
    return s;
}

/* ---- leaves: the same numbers as those of TreeTraversal */

static void put_leaf(const compiling *c, const shape *s, size_t node, size_t number,
                     const hb_bits_tree *to)
{
    const hb_forest_model *forest = c->forest;
    const hb_tree_node *leaf = &s->nodes[node];
    const float *weights = forest->weights.items;
    float weight = forest->weights.count ? weights[s->tree] : 1.0f;
    size_t width = forest->leaf_width, size = (size_t)1 << to->bits;

    for (size_t o = 0; o < width; o++) {
        size_t at = to->leaves + o * size + number, from = (size_t)leaf->right * width + o;

        if (forest->wide)
            ((double *)c->program->leaves)[at] =
                width > 1 ? ((const double *)forest->leaf_vectors.items)[from] : leaf->as.leaf;
        else
            ((float *)c->program->leaves)[at] =
                (width > 1 ? ((const float *)forest->leaf_vectors.items)[from]
                           : (float)leaf->as.leaf) *
                weight;
    }
}

/* ---- mux and oblivious: padded to a perfect tree */

/* c->work[0][i]: the node at place i of the perfect tree, the root at 1; below a leaf the same leaf. */
static void place_nodes(const compiling *c, const shape *s)
{
    uint32_t *at = c->work[0];

    at[1] = 0;
    for (size_t i = 1; i < (size_t)1 << s->depth; i++) {
        const hb_tree_node *node = &s->nodes[at[i]];
        bool leaf = node->left == HB_NO_CHILD;

        at[2 * i] = leaf ? at[i] : (uint32_t)node->left;
        at[2 * i + 1] = leaf ? at[i] : (uint32_t)node->left + 1;
    }
}

/* All nodes of each level test the same. */
static bool is_oblivious(const compiling *c, const shape *s)
{
    const uint32_t *at = c->work[0];

    if (s->n_nodes != ((size_t)2 << s->depth) - 1)
        return false;
    for (size_t i = 2; i < (size_t)1 << s->depth; i++)
        if (i & (i - 1) && s->predicates[at[i]] != s->predicates[at[i - 1]])
            return false;
    return true;
}

static void put_perfect(compiling *c, const shape *s, hb_bits_tree *tree)
{
    size_t size = (size_t)1 << s->depth, n;
    const uint32_t *at = c->work[0];
    uint32_t *nodes = c->program->nodes;

    place_nodes(c, s);
    tree->form = is_oblivious(c, s) ? HB_BITS_OBLIVIOUS : HB_BITS_MUX;
    tree->bits = (uint32_t)s->depth;
    tree->first = (uint32_t)c->program->n_nodes;
    n = tree->form == HB_BITS_MUX ? size : s->depth;
    c->program->n_nodes += n;
    if (c->counting)
        return;
    for (size_t i = 0; i < n; i++) {
        size_t place = tree->form == HB_BITS_MUX ? i : (size_t)1 << i;
        bool inner = place > 0 && s->nodes[at[place]].left != HB_NO_CHILD;

        nodes[tree->first + i] = inner ? s->predicates[at[place]] : 0; /* else any will do */
    }
    for (size_t i = 0; i < size; i++)
        put_leaf(c, s, at[size + i], i, tree);
}

/* ---- reach */

/* c->work[0][i]: the number of the first leaf below node i, from left to right; work[1][i]: how many there are. */
static void number_leaves(const compiling *c, const shape *s)
{
    uint32_t *number = c->work[0], *count = c->work[1];

    for (size_t i = s->n_nodes; i-- > 0;) { /* children stand behind their parent */
        int32_t left = s->nodes[i].left;

        count[i] = left == HB_NO_CHILD ? 1 : count[left] + count[left + 1];
    }
    number[0] = 0;
    for (size_t i = 0; i < s->n_nodes; i++) {
        int32_t left = s->nodes[i].left;

        if (left == HB_NO_CHILD)
            continue;
        number[left] = number[i];
        number[left + 1] = number[i] + count[left];
    }
}

/* Which operations flip which bits: where rows turn right, their leaf's number goes from that of the first leaf on
 * the left to that of the first on the right. */
static size_t put_flips(const compiling *c, const shape *s, uint16_t *to)
{
    const uint32_t *number = c->work[0];
    size_t n = 0;

    for (uint32_t b = 0; b < s->bits; b++) {
        size_t count = n++;
        uint16_t k = 0;

        for (size_t i = 0; i < s->n_nodes; i++) {
            int32_t left = s->nodes[i].left;

            if (left == HB_NO_CHILD)
                continue;
            if ((number[left] ^ number[left + 1]) >> b & 1) {
                if (to)
                    to[n] = k;
                n++;
            }
            k++;
        }
        if (to)
            to[count] = (uint16_t)(n - count - 1);
    }
    return n;
}

/* c->work[1][i]: the slot of the rows at node i, as its parent has set it. */
static void put_operations(const compiling *c, const shape *s, hb_bits_operation *to)
{
    uint32_t *slot = c->work[1];
    uint32_t n = (uint32_t)(s->n_leaves - 1), more = n + 2;

    slot[0] = n;
    for (uint32_t i = 0, k = 0; i < s->n_nodes; i++) {
        int32_t left = s->nodes[i].left;

        if (left == HB_NO_CHILD)
            continue;
        slot[left] = s->nodes[left].left == HB_NO_CHILD ? n + 1 : more++;
        slot[left + 1] = k;
        to[k++] = (hb_bits_operation){s->predicates[i], (uint16_t)slot[i], (uint16_t)slot[left]};
    }
}

static void put_reach(compiling *c, const shape *s, hb_bits_tree *tree)
{
    hb_bits_program *program = c->program;
    size_t n = s->n_leaves - 1;

    number_leaves(c, s);
    tree->form = HB_BITS_REACH;
    tree->bits = s->bits;
    tree->first = (uint32_t)program->n_operations;
    tree->n = (uint32_t)n;
    tree->flips = (uint32_t)program->n_flips;
    program->n_operations += n;
    program->n_flips += put_flips(c, s, c->counting ? NULL : program->flips + tree->flips);
    if (2 * n + 2 > program->n_slots)
        program->n_slots = 2 * n + 2;
    if (c->counting)
        return;
    for (size_t i = 0; i < s->n_nodes; i++)
        if (s->nodes[i].left == HB_NO_CHILD)
            put_leaf(c, s, i, c->work[0][i], tree);
    put_operations(c, s, program->operations + tree->first);
}

/* ---- all trees */

/* Picoseconds a row, about: of a node of a mux, of an operation, of a look-up by numbers of so many bits. */
enum { MUX_COST = 2, REACH_COST = 8 };
static const uint32_t look_up_cost[HB_BITS_MUX_DEPTH + 1] = {80, 80, 80, 80, 80, 80, 80, 110, 170};

static bool is_near_perfect(const shape *s)
{
    size_t padded, operations = s->n_leaves - 1;

    if (s->depth > HB_BITS_MUX_DEPTH || s->n_leaves < ((size_t)1 << s->depth) / 8)
        return false;
    padded = ((size_t)MUX_COST << s->depth) + look_up_cost[s->depth];
    return padded <= REACH_COST * operations + look_up_cost[s->bits];
}

static void put_tree(compiling *c, size_t t)
{
    hb_bits_tree *tree = &c->program->trees[t];
    shape s = shape_of(c, t);

    *tree = (hb_bits_tree){.leaves = (uint32_t)c->program->n_leaves,
                           .output = (uint32_t)((const int32_t *)c->forest->groups.items)[t]};
    if (s.n_leaves == 1) {
        tree->form = HB_BITS_CONSTANT;
        if (!c->counting)
            put_leaf(c, &s, 0, 0, tree);
    } else if (is_near_perfect(&s)) {
        put_perfect(c, &s, tree);
    } else {
        put_reach(c, &s, tree);
    }
    c->program->n_leaves += c->forest->leaf_width << tree->bits;
}

static hbs_status put_trees(compiling *c, bool counting)
{
    enum { NODES_A_POLL = 4096 };
    const uint32_t *starts = c->forest->starts.items;
    hb_bits_program *program = c->program;
    uint32_t polled = 0;

    c->counting = counting;
    program->n_nodes = program->n_operations = program->n_flips = program->n_leaves = 0;
    for (size_t t = 0; t < c->forest->n_trees; t++) {
        if (starts[t + 1] - polled > NODES_A_POLL) {
            HB_TRY(hb_poll(c->host, c->error));
            polled = starts[t];
        }
        put_tree(c, t);
    }
    return HBS_OK;
}

static hbs_status make_room(compiling *c)
{
    hb_bits_program *p = c->program;

    p->nodes = hb_arena_array(c->arena, p->n_nodes, sizeof(*p->nodes));
    p->operations = hb_arena_array(c->arena, p->n_operations, sizeof(*p->operations));
    p->flips = hb_arena_array(c->arena, p->n_flips, sizeof(*p->flips));
    p->leaves = hb_arena_array(c->arena, p->n_leaves,
                               c->forest->wide ? sizeof(double) : sizeof(float));
    return p->nodes && p->operations && p->flips && p->leaves
               ? HBS_OK
               : hb_no_memory(c->arena->memory, c->error);
}

static hbs_status compile_trees(compiling *c)
{
    size_t n = c->most_nodes, perfect = (size_t)2 << HB_BITS_MUX_DEPTH;

    n = n > perfect ? n : perfect;
    c->program->trees = hb_arena_array(c->arena, c->forest->n_trees, sizeof(hb_bits_tree));
    c->work[0] = hb_arena_array(c->arena, n, sizeof(uint32_t));
    c->work[1] = hb_arena_array(c->arena, n, sizeof(uint32_t));
    if (!c->program->trees || !c->work[0] || !c->work[1])
        return hb_no_memory(c->arena->memory, c->error);
    HB_TRY(put_trees(c, true));
    HB_TRY(make_room(c));
    return put_trees(c, false);
}

static const char *obstacle(compiling *c)
{
    const uint32_t *starts = c->forest->starts.items;

    if (c->forest->linear_leaves.count)
        return "linear leaves";
    if (c->forest->leaf_width > HB_BITS_WIDTH)
        return "leaves of many outputs";
    for (size_t t = 0; t < c->forest->n_trees; t++) {
        size_t n = starts[t + 1] - starts[t];

        c->most_nodes = n > c->most_nodes ? n : c->most_nodes;
    }
    return (c->most_nodes + 1) / 2 > HB_BITS_LEAVES ? "trees of many leaves" : NULL;
}

hbs_status hb_bits_compile(const hb_forest_model *forest, hb_arena *arena, const hbs_host *host,
                           hb_bits_program **program, const char **why, hbs_error *error)
{
    compiling c = {.forest = forest, .host = host, .arena = arena, .error = error};

    *program = NULL;
    *why = obstacle(&c);
    if (*why)
        return HBS_OK;
    c.program = hb_arena_array(arena, 1, sizeof(*c.program));
    if (!c.program)
        return hb_no_memory(arena->memory, error);
    HB_TRY(hb_bits_find_predicates(forest, arena, host, c.program, why, error));
    if (*why)
        return HBS_OK;
    HB_TRY(compile_trees(&c));
    HB_TRY(hb_row_compile(forest, arena, c.program, error));
    *program = c.program;
    return HBS_OK;
}
