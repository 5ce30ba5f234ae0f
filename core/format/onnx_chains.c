/* onnx_chains.c - see onnx_chains.h. ONNX had no test of a set before version 5 of TreeEnsemble. A converter writes
 * `x is 1, 2 or 5` as three nodes, each of which tests the next one where it does not hold. Their true branches are the
 * same child, or copies of it. As one node the tree is as deep as the library's, and a child has one parent again.
 *
 * Copies may stay what they are, so they are compared with a budget: a file can be made to compare without end. */
#include "format/onnx_chains.h"

#include <string.h>

enum { COMPARED_A_NODE = 16 };

/* Two nodes that must be equal, of the tree at hand. */
typedef struct pair {
    int32_t a, b;
} pair;

typedef struct folding {
    hb_onnx_trees *t;
    size_t tree;
    hb_tree_node *nodes; /* of the tree */
    hb_vector stack;     /* pair; of nodes to delete: `a` */
    size_t budget;       /* of steps of comparing, in all trees */
} folding;

static hbs_status push(folding *f, int32_t a, int32_t b)
{
    return hb_vector_append(&f->stack, &(pair){a, b}, 1) ? HBS_OK : hb_no_memory(f->stack.memory, f->t->file->error);
}

static pair pop(folding *f)
{
    return ((const pair *)f->stack.items)[--f->stack.count];
}

/* ---- copies */

/* Takes n steps out of the budget. */
static bool may_compare(folding *f, size_t n)
{
    bool may = f->budget >= n;

    f->budget = may ? f->budget - n : 0;
    return may && hb_goes_on(f->t->file->bytes.work, 4 * n);
}

static bool same_leaf(folding *f, const hb_tree_node *a, const hb_tree_node *b)
{
    size_t width = f->t->forest->leaf_width;
    size_t size = width * (f->t->forest->wide ? sizeof(double) : sizeof(float));
    const char *rows = f->t->forest->leaf_vectors.items;

    if (width == 1)
        return a->as.leaf == b->as.leaf;
    return may_compare(f, width) && memcmp(rows + (size_t)a->right * size, rows + (size_t)b->right * size, size) == 0;
}

static bool same_list(folding *f, const hb_tree_node *a, const hb_tree_node *b)
{
    const hb_onnx_equal_test *equals = f->t->equals.items;
    uint32_t i = a->as.set.first, k = b->as.set.first;

    for (; i != HB_ONNX_LAST && k != HB_ONNX_LAST; i = equals[i].next, k = equals[k].next)
        if (equals[i].code != equals[k].code || !may_compare(f, 1))
            return false;
    return i == k;
}

static bool same_test(folding *f, const hb_tree_node *a, const hb_tree_node *b)
{
    if (a->feature != b->feature || a->flags != b->flags)
        return false;
    return a->flags & HB_NODE_CATEGORIES ? same_list(f, a, b) : a->as.threshold == b->as.threshold;
}

/* True if node b has the same below it as node a. */
static hbs_status compare_copies(folding *f, int32_t a, int32_t b, bool *same)
{
    f->stack.count = 0;
    HB_TRY(push(f, a, b));
    for (*same = true; *same && f->stack.count > 0;) {
        pair next = pop(f);
        const hb_tree_node *x = &f->nodes[next.a], *y = &f->nodes[next.b];
        bool leaf = x->left == HB_NO_CHILD;

        *same =
            may_compare(f, 1) && leaf == (y->left == HB_NO_CHILD) && (leaf ? same_leaf(f, x, y) : same_test(f, x, y));
        if (*same && !leaf) {
            HB_TRY(push(f, x->left, y->left));
            HB_TRY(push(f, x->right, y->right));
        }
    }
    return hb_worked(f->t->file->bytes.work, 1, f->t->file->error);
}

static hbs_status delete_below(folding *f, int32_t node)
{
    f->stack.count = 0;
    HB_TRY(push(f, node, 0));
    while (f->stack.count > 0) {
        hb_tree_node *n = &f->nodes[pop(f).a];

        HB_TRY(hb_worked(f->t->file->bytes.work, 4, f->t->file->error));
        if (n->flags & HB_NODE_DELETED) /* each once, or a cycle would have no end */
            continue;
        n->flags |= HB_NODE_DELETED;
        if (n->left == HB_NO_CHILD)
            continue;
        HB_TRY(push(f, n->left, 0));
        HB_TRY(push(f, n->right, 0));
    }
    return HBS_OK;
}

/* ---- chains */

static bool is_test_of(const hb_tree_node *node, int32_t feature)
{
    return node->left != HB_NO_CHILD && node->feature == feature && node->flags & HB_NODE_CATEGORIES &&
           !(node->flags & HB_NODE_DELETED);
}

/* The members of `next` become those of `node`, whose members' child both have: what is no member goes on behind
 * `next`. */
static void join(folding *f, hb_tree_node *node, hb_tree_node *next)
{
    hb_onnx_equal_test *equals = f->t->equals.items;

    equals[node->as.set.count].next = next->as.set.first;
    node->as.set.count = next->as.set.count;
    node->left = next->left;
    next->flags |= HB_NODE_DELETED;
}

/* ONNX Runtime 1.31 folds many of these chains too, and reads where a missing value goes of one node. */
static hbs_status check_missing(const folding *f, const hb_tree_node *node, const hb_tree_node *next)
{
    if (!((node->flags ^ next->flags) & HB_NODE_DEFAULT_LEFT))
        return HBS_OK;
    return hb_onnx_refuse(f->t->file, f->t->node, HBS_E_UNSUPPORTED,
                          "tree %lld: nodes of one set send a missing value to different branches",
                          (long long)((const hb_onnx_tree *)f->t->trees.items)[f->tree].number);
}

static hbs_status fold_chain(folding *f, int32_t place)
{
    hb_tree_node *node = &f->nodes[place];

    while (node->left != place && is_test_of(&f->nodes[node->left], node->feature)) {
        hb_tree_node *next = &f->nodes[node->left];
        int32_t child = next->right;
        bool same = child == node->right;

        if (!same)
            HB_TRY(compare_copies(f, node->right, child, &same));
        if (!same)
            return HBS_OK;
        HB_TRY(check_missing(f, node, next));
        join(f, node, next);
        if (child != node->right)
            HB_TRY(delete_below(f, child));
        HB_TRY(hb_worked(f->t->file->bytes.work, 16, f->t->file->error));
    }
    return HBS_OK;
}

static hbs_status fold_tree(folding *f, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        HB_TRY(hb_worked(f->t->file->bytes.work, 2, f->t->file->error));
        if (is_test_of(&f->nodes[i], f->nodes[i].feature))
            HB_TRY(fold_chain(f, (int32_t)i));
    }
    return HBS_OK;
}

static hbs_status fold_trees(folding *f)
{
    const uint32_t *starts = f->t->forest->starts.items;
    size_t n_trees = f->t->forest->starts.count;

    for (f->tree = 0; f->tree < n_trees; f->tree++) {
        size_t begin = starts[f->tree];
        size_t end = f->tree + 1 < n_trees ? starts[f->tree + 1] : f->t->forest->nodes.count;

        f->nodes = (hb_tree_node *)f->t->forest->nodes.items + begin;
        HB_TRY(fold_tree(f, end - begin));
    }
    return HBS_OK;
}

hbs_status hb_onnx_chains_fold(hb_onnx_trees *t)
{
    folding f = {.t = t, .budget = COMPARED_A_NODE * t->forest->nodes.count};
    hbs_status status;

    hb_vector_init(&f.stack, t->file->arena.memory, sizeof(pair));
    status = fold_trees(&f);
    hb_vector_release(&f.stack);
    return status;
}
