/* test_pack.c - the image of a forest for devices (gpu/pack.c): which form it takes, and what is refused, in which
 * words. What an image means is seen by fuzz_pack and by the golden models. */
#include "support.h"

#include <math.h>
#include <string.h>

#include "gpu/image.h"

enum { MOST = 5 };

/* A tree: the root tests feature 0, its right child feature 1. */
typedef struct tree_view {
    hbs_forest_view view;
    hbs_forest_node nodes[MOST];
    size_t count;
    uint32_t output;
    hbs_forest_set set;
    uint32_t words[3];
} tree_view;

static tree_view t;
static test_host host;
static hbs_error error;

static size_t count(const hbs_forest_view *view, size_t tree, uint32_t *output)
{
    *output = t.output;
    return t.count;
}

static void give_tree(const hbs_forest_view *view, size_t tree, hbs_forest_node *nodes)
{
    memcpy(nodes, t.nodes, t.count * sizeof(*nodes));
}

static void give_set(const hbs_forest_view *view, uint32_t index, hbs_forest_set *set)
{
    *set = t.set;
}

static void begin(void)
{
    test_host_init(&host);
    memset(&t, 0, sizeof t);
    t.view = (hbs_forest_view){.n_trees = 1,
                               .n_nodes = MOST,
                               .n_features = 2,
                               .n_outputs = 1,
                               .leaf_width = 1,
                               .count = count,
                               .tree = give_tree,
                               .set = give_set};
    t.count = MOST;
    t.nodes[0] = (hbs_forest_node){.threshold = 0.5, .left = 1, .flags = HBS_FOREST_INNER};
    t.nodes[1] = (hbs_forest_node){.threshold = 1};
    t.nodes[2] = (hbs_forest_node){.threshold = -2, .left = 3, .feature = 1, .flags = HBS_FOREST_INNER};
    t.nodes[3] = (hbs_forest_node){.threshold = 2};
    t.nodes[4] = (hbs_forest_node){.threshold = 3};
}

static hbs_status pack_with(size_t shared, hbg_image *image)
{
    const hbg_bounds bounds = {.shared = shared};

    return hbg_pack(&host.host, &t.view, &bounds, image, &error);
}

static hbg_form form(void)
{
    hbg_image image;
    hbg_form found;

    assert_status(pack_with(48 << 10, &image), HBS_OK, &error);
    found = image.form;
    hbg_image_free(&host.host, &image);
    test_host_end(&host);
    return found;
}

static void refused(const char *words)
{
    hbg_image image;

    assert_status(pack_with(48 << 10, &image), HBS_E_UNSUPPORTED, &error);
    assert_string_equal(error.text, words);
    assert_null(image.bytes);
    test_host_end(&host);
}

static void forms_follow_from_the_tests(void **state)
{
    begin();
    assert_int_equal(form(), HBG_SMALL);
    begin();
    t.nodes[2].flags |= HBS_FOREST_SMALL_SET;
    t.nodes[2].index = 5;
    assert_int_equal(form(), HBG_SETS);
}

static void a_tree_must_be_a_tree(void **state)
{
    begin();
    t.nodes[2].left = 2;
    refused("node 2 of tree 0 leads to 2");
    begin();
    t.nodes[2].left = 4;
    refused("node 2 of tree 0 leads to 4");
    begin();
    t.nodes[0].flags = 0;
    refused("node 2 of tree 0 leads to 3");
    begin();
    t.nodes[2].flags = 0;
    refused("tree 0 has 3 nodes of 5");
    begin();
    t.count = 0;
    refused("tree 0 has 0 nodes");
    begin();
    t.view.n_nodes = 4;
    refused("tree 0 has 5 nodes");
    begin();
    t.view.n_nodes = 6;
    refused("trees of 5 nodes");
    begin();
    t.view.n_trees = 0;
    refused("a forest without trees");
}

static void indices_are_in_range(void **state)
{
    begin();
    t.nodes[2].feature = 2;
    refused("a node tests feature 2");
    begin();
    t.output = 1;
    refused("tree 0 adds to output 1");
    begin();
    t.view.leaf_width = t.view.n_outputs = 2;
    t.nodes[3].index = 7;
    t.view.n_vectors = 1;
    refused("a leaf has vector 7");
    begin();
    t.nodes[2].flags |= HBS_FOREST_SET;
    refused("there is no set 0");
    begin();
    t.view.n_features = 1 << 20;
    refused("1048576 features are more than 65536");
    begin();
    t.view.n_outputs = 65536;
    refused("65536 outputs, leaves of 1"); /* a launch has 65,535 rows of blocks at most */
}

static void what_kernels_do_not_know_is_refused(void **state)
{
    begin();
    t.nodes[4].flags = HBS_FOREST_LINEAR;
    refused("leaves that are linear models");
    begin();
    t.nodes[0].threshold = (double)NAN;
    refused("a threshold that is no number");
    begin();
    t.view.n_sets = 1;
    t.set = (hbs_forest_set){.words = t.words, .count = 3, .is_list = true};
    refused("a set that does not rise");
    begin();
    t.view.n_sets = 1;
    t.nodes[2].flags |= HBS_FOREST_SET;
    t.words[2] = UINT32_MAX - 1;
    t.words[1] = 1;
    t.set = (hbs_forest_set){.words = t.words, .count = 3, .is_list = true};
    refused("4294967295 categories beside 2 columns");
}

static void columns_must_fit_in_shared_memory(void **state)
{
    hbg_image image;

    begin();
    assert_status(pack_with(4 * HBG_STAGE_WORDS + 600, &image), HBS_E_UNSUPPORTED, &error);
    assert_string_equal(error.text, "trees test more than 1 columns");
    test_host_end(&host);
}

static hbs_status pack_on(const hbs_host *with, void *context, hbs_error *why)
{
    const hbg_bounds bounds = {.shared = 48 << 10};
    hbg_image image;
    hbs_status status = hbg_pack(with, &t.view, &bounds, &image, why);

    hbg_image_free(with, &image);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    begin();
    assert_true(test_each_allocation_fails(pack_on, NULL) > 8);
    test_host_end(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_follow_from_the_tests),
        cmocka_unit_test(a_tree_must_be_a_tree),
        cmocka_unit_test(indices_are_in_range),
        cmocka_unit_test(what_kernels_do_not_know_is_refused),
        cmocka_unit_test(columns_must_fit_in_shared_memory),
        cmocka_unit_test(each_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
