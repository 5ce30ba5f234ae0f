/* fuzz_pack.c - views of forests that may lie, for a device (libFuzzer). The bytes are drawn as nodes and sets, most of
 * them right. A view is refused, or its image is walked by the kernels on the host: each row must have the bits of a
 * plain walk over the view, in each form, grouping and order of the threads. */
#define FUZZ_NAME "fuzz_pack"
#include "fuzz_host.h"

#include <math.h>

#include "gpu/host_backend.h"

enum {
    MOST_TREES = 6,
    MOST_NODES = 63,
    MOST_FEATURES = 9,
    MOST_OUTPUTS = 3,
    MOST_VECTORS = 4,
    MOST_SETS = 4,
    ROWS = 130
};

typedef struct forest {
    hbs_forest_view view;
    hbs_forest_node nodes[MOST_TREES][MOST_NODES];
    size_t counts[MOST_TREES];
    uint32_t outputs[MOST_TREES];
    double vectors[MOST_VECTORS * MOST_OUTPUTS]; /* or floats */
    hbs_forest_set sets[MOST_SETS];
    uint32_t words[MOST_SETS][4];
} forest;

static const forest *forest_of(const hbs_forest_view *view)
{
    return view->forest;
}

static size_t count(const hbs_forest_view *view, size_t t, uint32_t *output)
{
    *output = forest_of(view)->outputs[t];
    return forest_of(view)->counts[t];
}

static void tree(const hbs_forest_view *view, size_t t, hbs_forest_node *nodes)
{
    memcpy(nodes, forest_of(view)->nodes[t], forest_of(view)->counts[t] * sizeof(*nodes));
}

static void give_set(const hbs_forest_view *view, uint32_t index, hbs_forest_set *set)
{
    *set = forest_of(view)->sets[index];
}

/* ------------------------------------------------------------------ choices */

/* Where the bytes end, numbers drawn from a hash of them go on. */
typedef struct choices {
    const uint8_t *at, *end;
    uint64_t state;
} choices;

static void choices_begin(choices *c, const uint8_t *data, size_t size)
{
    *c = (choices){data, data + size, 14695981039346656037u};
    for (size_t i = 0; i < size; i++)
        c->state = (c->state ^ data[i]) * 1099511628211u;
}

static uint64_t bits_of(choices *c, int bytes)
{
    uint64_t bits = 0;

    for (int i = 0; i < bytes; i++) {
        c->state = c->state * 6364136223846793005u + 1442695040888963407u;
        bits = bits << 8 | (c->at < c->end ? *c->at++ : (uint8_t)(c->state >> 40));
    }
    return bits;
}

static uint32_t below(choices *c, uint32_t n)
{
    return (uint32_t)(bits_of(c, n > 256 ? 2 : 1) % n);
}

/* ------------------------------------------------------------------ a forest */

static bool lies(choices *c)
{
    return below(c, 400) == 0;
}

static double draw_number(choices *c, bool wide)
{
    static const double few[] = {0,        -0.0,      1,      -1,       0.5,          2,   3, 40, 1e300,
                                 INFINITY, -INFINITY, 5e-324, 16777216, 2147483648.0, -0.5};
    double number = below(c, 8) ? few[below(c, sizeof(few) / sizeof(few[0]))] : (double)below(c, 70) - 3;

    if (below(c, 300) == 0)
        number = NAN;
    return wide ? number : (double)(float)number;
}

static void make_node(choices *c, forest *f, hbs_forest_node *node, uint32_t i, uint32_t *next, uint32_t count_of_tree)
{
    bool inner = *next + 2 <= count_of_tree && (*next == i + 1 || below(c, 4));
    uint32_t rules = HBS_FOREST_DEFAULT_RIGHT | HBS_FOREST_NAN_MISSING | HBS_FOREST_ZERO_MISSING;

    *node = (hbs_forest_node){.threshold = draw_number(c, f->view.wide), .index = below(c, MOST_VECTORS)};
    if (!inner) {
        node->flags = lies(c) ? HBS_FOREST_LINEAR : 0;
        node->index += lies(c) ? MOST_VECTORS : 0;
        return;
    }
    node->flags = HBS_FOREST_INNER | (below(c, 256) & rules);
    node->feature = lies(c) ? (uint32_t)bits_of(c, 4) : below(c, (uint32_t)f->view.n_features);
    node->left = lies(c) ? below(c, 100) : *next;
    *next += 2;
    if (f->view.n_sets == 0 || below(c, 3))
        return;
    node->flags |= below(c, 2) ? HBS_FOREST_SET : HBS_FOREST_SMALL_SET;
    node->index = node->flags & HBS_FOREST_SET ? below(c, MOST_SETS) : (uint32_t)bits_of(c, 4);
    node->index += lies(c) ? 1000 : 0;
}

static void make_sets(choices *c, forest *f)
{
    f->view.n_sets = below(c, 2) ? MOST_SETS : 0;
    for (size_t s = 0; s < f->view.n_sets; s++) {
        bool list = below(c, 2);
        uint32_t code = below(c, 4);

        f->sets[s] = (hbs_forest_set){f->words[s], 1 + below(c, 4), list};
        for (uint32_t i = 0; i < 4; i++) {
            f->words[s][i] = list ? code : (uint32_t)bits_of(c, 4);
            code += lies(c) ? below(c, 2) << 30 : 1 + below(c, 40);
        }
    }
}

static void make_forest(choices *c, forest *f)
{
    memset(f, 0, sizeof(*f));
    f->view = (hbs_forest_view){.wide = below(c, 2),
                                .n_trees = 1 + below(c, MOST_TREES),
                                .n_features = 1 + below(c, MOST_FEATURES),
                                .n_outputs = 1 + below(c, MOST_OUTPUTS),
                                .vectors = f->vectors,
                                .n_vectors = MOST_VECTORS,
                                .count = count,
                                .tree = tree,
                                .set = give_set,
                                .forest = f};
    f->view.leaf_width = below(c, 2) ? 1 : f->view.n_outputs;
    make_sets(c, f);
    for (size_t i = 0; i < MOST_VECTORS * MOST_OUTPUTS; i++) {
        if (f->view.wide)
            f->vectors[i] = (double)below(c, 100) / 7;
        else
            ((float *)f->vectors)[i] = (float)below(c, 100) / 7;
    }
    for (size_t t = 0; t < f->view.n_trees; t++) {
        uint32_t n = 2 * below(c, (MOST_NODES + 1) / 2) + 1, next = 1;

        f->counts[t] = n;
        f->outputs[t] = below(c, (uint32_t)f->view.n_outputs + lies(c));
        for (uint32_t i = 0; i < n; i++)
            make_node(c, f, &f->nodes[t][i], i, &next, n);
        f->counts[t] = lies(c) ? n : next;
        f->view.n_nodes += f->counts[t];
    }
    f->view.n_nodes += lies(c);
}

/* ------------------------------------------------------------------ what a view means */

static bool in_set(const hbs_forest_set *set, uint32_t code)
{
    for (uint32_t i = 0; set->is_list && i < set->count; i++)
        if (set->words[i] == code)
            return true;
    return !set->is_list && code / 32 < set->count && set->words[code / 32] >> (code % 32) & 1;
}

static bool goes_right_by_set(const forest *f, const hbs_forest_node *node, double x)
{
    const hbs_forest_set small = {&node->index, 1, false};
    const hbs_forest_set *set = node->flags & HBS_FOREST_SMALL_SET ? &small : &f->sets[node->index];
    bool is_code = f->view.wide ? x > -1 && x < 2147483648.0 : x >= 0 && x < 16777216;
    bool right = node->flags & HBS_FOREST_DEFAULT_RIGHT;
    bool member = is_code && in_set(set, (uint32_t)(int64_t)x);

    if (x != x)
        return right;
    return f->view.wide ? member != right : member;
}

static bool goes_right(const forest *f, const hbs_forest_node *node, double x)
{
    bool missing = x != x && (!f->view.wide || node->flags & HBS_FOREST_NAN_MISSING);
    double number = x != x ? 0 : x;

    if (node->flags & (HBS_FOREST_SET | HBS_FOREST_SMALL_SET))
        return goes_right_by_set(f, node, x);
    if (f->view.wide && number == 0 && node->flags & HBS_FOREST_ZERO_MISSING)
        missing = true;
    if (missing)
        return node->flags & HBS_FOREST_DEFAULT_RIGHT;
    return f->view.wide ? number > node->threshold : x >= node->threshold;
}

static const hbs_forest_node *leaf_of(const forest *f, size_t t, const double cells[MOST_FEATURES])
{
    const hbs_forest_node *node = f->nodes[t];

    while (node->flags & HBS_FOREST_INNER)
        node = &f->nodes[t][node->left + goes_right(f, node, cells[node->feature])];
    return node;
}

static double add(const forest *f, double sum, double leaf)
{
    return f->view.wide ? sum + leaf : (double)((float)sum + (float)leaf);
}

static void walk(const forest *f, const double cells[MOST_FEATURES], double *sums)
{
    for (size_t t = 0; t < f->view.n_trees; t++) {
        const hbs_forest_node *leaf = leaf_of(f, t, cells);

        if (f->view.leaf_width == 1)
            sums[f->outputs[t]] = add(f, sums[f->outputs[t]], leaf->threshold);
        for (size_t o = 0; f->view.leaf_width > 1 && o < f->view.n_outputs; o++) {
            size_t at = leaf->index * f->view.leaf_width + o;

            sums[o] = add(f, sums[o], f->view.wide ? f->vectors[at] : (double)((float *)f->vectors)[at]);
        }
    }
}

/* ------------------------------------------------------------------ both */

static double cells[ROWS][MOST_FEATURES];

static void put(const forest *f, void *to, size_t at, double number)
{
    if (f->view.wide)
        ((double *)to)[at] = number;
    else
        ((float *)to)[at] = (float)number;
}

static double get(const forest *f, const void *from, size_t at)
{
    return f->view.wide ? ((const double *)from)[at] : (double)((const float *)from)[at];
}

static void fill(const forest *f, const hbs_device_block *block, size_t rows)
{
    for (size_t c = 0; c < block->n_features; c++)
        for (size_t r = 0; r < rows; r++)
            put(f, block->columns, c * block->stride + r, cells[r][block->features[c]]);
    for (size_t o = 0; o < f->view.n_outputs; o++)
        for (size_t r = 0; r < rows; r++)
            put(f, block->sums, o * block->stride + r, (double)o / 4);
}

static void compare(const forest *f, const hbs_device_block *block, size_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        double sums[MOST_OUTPUTS] = {0, 0.25, 0.5};

        walk(f, cells[r], sums);
        for (size_t o = 0; o < f->view.n_outputs; o++) {
            double got = get(f, block->sums, o * block->stride + r);

            if (memcmp(&got, &sums[o], sizeof(got)) != 0 && !(isnan(got) && isnan(sums[o])))
                give_up("another sum", NULL);
        }
    }
}

static void score(const forest *f, host_device *device, hbs_device_program *program, size_t rows)
{
    hbs_device_queue *queue;
    hbs_device_block block;
    hbs_error error;

    if (host_backend.queue_create(host_device_of(device), program, &HOST, rows, &queue, &error) != HBS_OK)
        give_up("no queue", &error);
    host_backend.next(queue, &block);
    fill(f, &block, rows);
    if (host_backend.submit(queue, rows, &error) != HBS_OK || host_backend.collect(queue, &block, &error) != HBS_OK)
        give_up("a block", &error);
    compare(f, &block, rows);
    host_backend.queue_free(queue);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static forest f;
    host_device device = {.groups = 1};
    hbs_device_program *program;
    hbs_error error;
    choices c;

    choices_begin(&c, data, size);
    make_forest(&c, &f);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = 0; i < MOST_FEATURES; i++)
            cells[r][i] = below(&c, 9) ? draw_number(&c, f.view.wide) : (double)NAN;
    device.large = below(&c, 2);
    device.backwards = below(&c, 2);
    device.groups = 1 + below(&c, 3);
    device.slab = below(&c, 4);
    device.shared = below(&c, 8) ? 0 : (33u << 10) + (below(&c, 16) << 9);
    if (host_backend.upload(host_device_of(&device), &HOST, &f.view, &program, &error) == HBS_OK) {
        score(&f, &device, program, 1 + below(&c, ROWS));
        host_backend.forget(host_device_of(&device), program);
    } else if (error.status != HBS_E_UNSUPPORTED || !error.text[0]) {
        give_up("a refusal", &error);
    }
    if (blocks != 0)
        give_up("memory is left", NULL);
    return 0;
}
