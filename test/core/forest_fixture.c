/* forest_fixture.c - see forest_fixture.h. */
#include "forest_fixture.h"

#include <string.h>

static columns given; /* large */

columns *columns_of(const hb_tree_node *nodes, size_t n)
{
    columns *c = &given;

    c->of = (hb_tree_columns){.n = (uint32_t)n,
                              .left = c->left,
                              .right = c->right,
                              .parents = c->parents,
                              .features = c->features,
                              .thresholds = c->thresholds,
                              .covers = c->covers,
                              .default_left = c->default_left};
    c->parents[0] = INT32_MAX;
    for (size_t i = 0; i < n; i++) {
        c->left[i] = nodes[i].left;
        c->right[i] = nodes[i].right;
        c->features[i] = nodes[i].feature;
        c->thresholds[i] = (float)nodes[i].as.threshold;
        c->covers[i] = (float)nodes[i].cover;
        c->default_left[i] = (uint8_t)(nodes[i].flags & HB_NODE_DEFAULT_LEFT);
        if (nodes[i].left > 0 && (size_t)nodes[i].left < n)
            c->parents[nodes[i].left] = (int32_t)i;
        if (nodes[i].left > 0 && nodes[i].right > 0 && (size_t)nodes[i].right < n)
            c->parents[nodes[i].right] = (int32_t)i;
    }
    return c;
}

bool add_columns(fixture *f, const columns *c)
{
    static hb_tree_node nodes[MOST_NODES];
    hb_tree_node *to;
    bool made;

    memset(nodes, 0xa5, c->of.n * sizeof(*nodes));
    test_add_tree(&f->forest, nodes, c->of.n, 0);
    to = (hb_tree_node *)f->forest.nodes.items + f->forest.nodes.count - c->of.n;
    assert_status(hb_forest_make_nodes(&f->forest, &c->of, to, &made, &f->error), HBS_OK, &f->error);
    return made;
}

void add_seen(fixture *f, const hb_tree_node *nodes, size_t n)
{
    bool plain = true;
    hb_tree_node *to;

    for (size_t i = 0; i < n; i++)
        plain &= !(nodes[i].flags & ~(unsigned)HB_NODE_DEFAULT_LEFT);
    if (plain && add_columns(f, columns_of(nodes, n)))
        return;
    if (!plain)
        test_add_tree(&f->forest, nodes, n, 0);
    to = (hb_tree_node *)f->forest.nodes.items + f->forest.nodes.count - n;
    memcpy(to, nodes, n * sizeof(*nodes));
    assert_status(hb_forest_model_saw(&f->forest, HB_NOT_SEEN, 0, &f->error), HBS_OK, &f->error);
}
