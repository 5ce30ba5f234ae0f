/* forest_fixture.h - a forest before and after sealing, for the tests of what becomes of a file's trees; and trees as
 * columns. Short names: only those tests include it. */
#ifndef HB_TEST_FOREST_FIXTURE_H
#define HB_TEST_FOREST_FIXTURE_H

#include "models.h"
#include "ir/forest_columns.h"

typedef struct fixture {
    test_host host;
    hb_memory memory;
    hb_forest_model forest;
    hbs_limits limits;
    hbs_error error;
} fixture;

static inline fixture *begin(fixture *f)
{
    *f = (fixture){.limits = {.max_nodes = 1000, .max_depth = 100, .max_model_bytes = 1000}};
    test_host_init(&f->host);
    hb_memory_init(&f->memory, &f->host.host, 0);
    hb_forest_model_init(&f->forest, &f->memory);
    f->forest.n_features = 3;
    f->forest.n_outputs = 1;
    return f;
}

static inline void end(fixture *f)
{
    hb_forest_model_release(&f->forest);
    assert_int_equal(f->memory.used, 0);
    test_host_end(&f->host);
}

static inline void seals(fixture *f)
{
    assert_status(hb_forest_model_seal(&f->forest, &f->limits, &f->error), HBS_OK, &f->error);
}

/* Sealing fails with this status and these words; ends the fixture. */
static inline void refused(fixture *f, hbs_status status, const char *text)
{
    assert_status(hb_forest_model_seal(&f->forest, &f->limits, &f->error), status, &f->error);
    assert_int_equal(f->error.status, status);
    assert_string_equal(f->error.text, text);
    end(f);
}

#define ADD(f, ...)                                                             \
    do {                                                                        \
        const hb_tree_node nodes_[] = {__VA_ARGS__};                            \
        test_add_tree(&(f)->forest, nodes_, sizeof nodes_ / sizeof *nodes_, 0); \
    } while (0)

static inline const hb_tree_node *node(const fixture *f, size_t i)
{
    return hb_forest_nodes(&f->forest) + i;
}

static inline uint32_t start(const fixture *f, size_t tree)
{
    return ((const uint32_t *)f->forest.starts.items)[tree];
}

static inline uint32_t depth(const fixture *f, size_t tree)
{
    return ((const uint32_t *)f->forest.depths.items)[tree];
}

enum { MOST_NODES = 100001 };

/* A tree's nodes as a file has them that has columns. */
typedef struct columns {
    hb_tree_columns of;
    int32_t left[MOST_NODES], right[MOST_NODES], parents[MOST_NODES];
    int64_t features[MOST_NODES];
    float thresholds[MOST_NODES], covers[MOST_NODES];
    uint8_t default_left[MOST_NODES];
} columns;

/* In memory that the next call takes. */
columns *columns_of(const hb_tree_node *nodes, size_t n);
/* Appends a tree of these columns; whether they were made nodes. */
bool add_columns(fixture *f, const columns *c);
/* Appends a tree as a format does that has columns: what can't be made of them is made node by node. */
void add_seen(fixture *f, const hb_tree_node *nodes, size_t n);

#endif
