/* pack.c - from the view of a forest to an image: it looks at the trees three times, to find the columns, to collect
 * their thresholds, and to write the nodes. Nothing of a view is believed. */
#include "gpu/image.h"

#include <string.h>

#include "gpu/cuts.h"

enum {
    MOST_FEATURES = 1 << 16,
    MOST_GRID_ROWS = 65535, /* of a launch: outputs and columns */
    MOST_NODES = 1 << 30,
    UNITS_A_POLL = 1 << 16,
    RULES = 16, /* of a feature: the flags of its columns */
    ALIGNMENT = 256
};

typedef struct packing {
    const hbs_host *host;
    const hbs_forest_view *view;
    const hbg_bounds *bounds;
    hbg_image *image;
    hbs_error *error;
    hbs_forest_node *nodes; /* of the largest tree.. */
    uint32_t *levels;       /* ..and how deep each stands */
    size_t largest;
    size_t n_places;     /* of nodes: trees begin at multiples of HBG_COPY_WORDS */
    hbg_tree *trees;     /* [n_trees] */
    uint32_t *column_of; /* [n_features][RULES]: 1 + a column; 0: none */
    hbg_column *columns; /* [n_columns] */
    size_t n_columns, room_columns;
    double *cuts; /* of all columns, one behind the other */
    size_t n_cuts;
    uint32_t most_cuts; /* of a column, those that are different */
    size_t n_tests;     /* nodes that test a set.. */
    size_t n_words;     /* ..and words of large sets */
    uint32_t *place_of; /* [n_sets]: where the words of each are */
    uint32_t n_codes;
    size_t n_entries; /* of set tests that are written */
    size_t used;      /* words of the sets, so far */
    size_t units;
} packing;

/* ---- helpers */

static hbs_status no_memory(packing *p)
{
    return hbg_fail(p->error, HBS_E_NOMEM, "out of memory");
}

static void *take(packing *p, size_t count, size_t size)
{
    size_t bytes = count && size ? count * size : 1;
    void *block = p->host->allocate(p->host->context, bytes);

    if (block)
        memset(block, 0, bytes);
    return block;
}

static void give_back(const hbs_host *host, void *block)
{
    if (block)
        host->release(host->context, block);
}

static hbs_status worked(packing *p, size_t units)
{
    p->units += units;
    if (p->units < UNITS_A_POLL)
        return HBS_OK;
    p->units = 0;
    if (p->host->cancelled && p->host->cancelled(p->host->context))
        return hbg_fail(p->error, HBS_E_CANCEL, "cancelled");
    return HBS_OK;
}

#define TRY(call)                 \
    do {                          \
        hbs_status try_ = (call); \
        if (try_ != HBS_OK)       \
            return try_;          \
    } while (0)

static bool is_inner(const hbs_forest_node *node)
{
    return node->flags & HBS_FOREST_INNER;
}

static bool is_set(const hbs_forest_node *node)
{
    return node->flags & (HBS_FOREST_SET | HBS_FOREST_SMALL_SET);
}

/* The column of a node, by what it does with a missing number; all set tests of a feature share one. */
static uint32_t rule_of(const hbs_forest_view *view, const hbs_forest_node *node)
{
    uint32_t rule = node->flags & HBS_FOREST_DEFAULT_RIGHT ? HBG_MISSING_RIGHT : 0;

    if (is_set(node))
        return HBG_CATEGORY;
    if (!view->wide || node->flags & HBS_FOREST_NAN_MISSING)
        rule |= HBG_NAN_MISSING;
    if (view->wide && node->flags & HBS_FOREST_ZERO_MISSING)
        rule |= HBG_ZERO_MISSING;
    return rule;
}

static uint32_t *column_of(packing *p, const hbs_forest_node *node)
{
    return &p->column_of[(size_t)node->feature * RULES + rule_of(p->view, node)];
}

/* ---- the first look: shape, columns, sets */

static hbs_status check_shape(packing *p)
{
    const hbs_forest_view *v = p->view;

    if (v->n_trees == 0)
        return hbg_fail(p->error, HBS_E_UNSUPPORTED, "a forest without trees");
    if (v->n_features > MOST_FEATURES)
        return hbg_fail(p->error, HBS_E_UNSUPPORTED, "%zu features are more than %d", v->n_features, MOST_FEATURES);
    if (v->n_nodes > MOST_NODES || v->n_trees > v->n_nodes || v->n_sets > v->n_nodes || v->n_vectors > v->n_nodes)
        return hbg_fail(p->error, HBS_E_UNSUPPORTED, "%zu nodes in %zu trees are too many", v->n_nodes, v->n_trees);
    if (v->n_outputs < 1 || v->n_outputs > MOST_GRID_ROWS || (v->leaf_width != 1 && v->leaf_width != v->n_outputs))
        return hbg_fail(p->error, HBS_E_UNSUPPORTED, "%zu outputs, leaves of %zu", v->n_outputs, v->leaf_width);
    return HBS_OK;
}

static hbs_status count_trees(packing *p)
{
    size_t n = 0, place = 0;

    for (size_t t = 0; t < p->view->n_trees; t++) {
        uint32_t output = 0;
        size_t count = p->view->count(p->view, t, &output);

        if (count < 1 || count > p->view->n_nodes - n)
            return hbg_fail(p->error, HBS_E_UNSUPPORTED, "tree %zu has %zu nodes", t, count);
        if (p->view->leaf_width == 1 && output >= p->view->n_outputs)
            return hbg_fail(p->error, HBS_E_UNSUPPORTED, "tree %zu adds to output %u", t, output);
        p->trees[t] = (hbg_tree){.nodes = (uint32_t)place, .count = (uint32_t)count, .output = output};
        p->largest = count > p->largest ? count : p->largest;
        n += count;
        place += (count + HBG_COPY_WORDS - 1) / HBG_COPY_WORDS * HBG_COPY_WORDS;
        TRY(worked(p, 4));
    }
    if (place > MOST_NODES)
        return hbg_fail(p->error, HBS_E_UNSUPPORTED, "%zu nodes", n);
    p->n_places = place;
    return n == p->view->n_nodes ? HBS_OK : hbg_fail(p->error, HBS_E_UNSUPPORTED, "trees of %zu nodes", n);
}

static hbs_status check_leaf(packing *p, const hbs_forest_node *node)
{
    if (node->flags & HBS_FOREST_LINEAR)
        return hbg_fail(p->error, HBS_E_UNSUPPORTED, "leaves that are linear models");
    if (p->view->leaf_width > 1 && node->index >= p->view->n_vectors)
        return hbg_fail(p->error, HBS_E_UNSUPPORTED, "a leaf has vector %u", node->index);
    return HBS_OK;
}

/* Codes from which on nothing is in the set. */
static hbs_status codes_of(packing *p, const hbs_forest_set *set, uint32_t *codes)
{
    uint32_t n = set->count, last;

    if (n > MOST_NODES)
        return hbg_fail(p->error, HBS_E_UNSUPPORTED, "a set of %u words", n);
    for (uint32_t i = 1; set->is_list && i < n; i++) {
        if (set->words[i] <= set->words[i - 1])
            return hbg_fail(p->error, HBS_E_UNSUPPORTED, "a set that does not rise");
        TRY(worked(p, 1));
    }
    while (!set->is_list && n > 0 && set->words[n - 1] == 0)
        n--;
    last = n > 0 ? set->words[n - 1] : 0;
    if (n == 0)
        *codes = 0;
    else if (set->is_list)
        *codes = last < UINT32_MAX ? last + 1 : last;
    else
        *codes = 32 * n - (uint32_t)__builtin_clz(last);
    return HBS_OK;
}

static hbs_status look_at_sets(packing *p)
{
    for (size_t s = 0; s < p->view->n_sets; s++) {
        hbs_forest_set set;
        uint32_t codes;

        p->view->set(p->view, (uint32_t)s, &set);
        TRY(codes_of(p, &set, &codes));
        p->n_codes = codes > p->n_codes ? codes : p->n_codes;
        p->n_words += set.count;
        TRY(worked(p, set.count + 4));
    }
    return p->n_words > HBG_SET_PLACE / 2 ? hbg_fail(p->error, HBS_E_UNSUPPORTED, "sets of %zu words", p->n_words)
                                          : HBS_OK;
}

static hbs_status check_set(packing *p, const hbs_forest_node *node)
{
    const hbs_forest_set small = {.words = &node->index, .count = 1};
    uint32_t codes;

    p->n_tests++;
    if (!(node->flags & HBS_FOREST_SMALL_SET))
        return node->index < p->view->n_sets ? HBS_OK
                                             : hbg_fail(p->error, HBS_E_UNSUPPORTED, "there is no set %u", node->index);
    TRY(codes_of(p, &small, &codes));
    p->n_codes = codes > p->n_codes ? codes : p->n_codes;
    return HBS_OK;
}

static hbs_status new_column(packing *p, const hbs_forest_node *node)
{
    if (p->n_columns == p->room_columns)
        return hbg_fail(p->error, HBS_E_UNSUPPORTED, "trees test more than %zu columns", p->n_columns);
    p->columns[p->n_columns] = (hbg_column){.source = node->feature, .flags = rule_of(p->view, node)};
    *column_of(p, node) = (uint32_t)++p->n_columns;
    return HBS_OK;
}

static hbs_status check_test(packing *p, const hbs_forest_node *node)
{
    if (node->feature >= p->view->n_features)
        return hbg_fail(p->error, HBS_E_UNSUPPORTED, "a node tests feature %u", node->feature);
    if (!is_set(node) && node->threshold != node->threshold)
        return hbg_fail(p->error, HBS_E_UNSUPPORTED, "a threshold that is no number");
    if (is_set(node))
        TRY(check_set(p, node));
    if (*column_of(p, node) == 0)
        TRY(new_column(p, node));
    if (!is_set(node)) {
        p->columns[*column_of(p, node) - 1].n_cuts++;
        p->n_cuts++;
    }
    return HBS_OK;
}

/* Children stand side by side, one pair behind the other, so each node but the root has one parent. */
static hbs_status look_at_tree(packing *p, size_t t)
{
    hbg_tree *tree = &p->trees[t];
    uint32_t next = 1;

    p->view->tree(p->view, t, p->nodes);
    p->levels[0] = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        const hbs_forest_node *node = &p->nodes[i];

        TRY(worked(p, 4));
        if (!is_inner(node)) {
            TRY(check_leaf(p, node));
            continue;
        }
        if (i >= next || node->left != next || tree->count - next < 2)
            return hbg_fail(p->error, HBS_E_UNSUPPORTED, "node %u of tree %zu leads to %u", i, t, node->left);
        TRY(check_test(p, node));
        p->levels[next] = p->levels[next + 1] = p->levels[i] + 1;
        tree->depth = p->levels[i] + 1;
        next += 2;
    }
    return next == tree->count
               ? HBS_OK
               : hbg_fail(p->error, HBS_E_UNSUPPORTED, "tree %zu has %u nodes of %u", t, next, tree->count);
}

static hbs_status look(packing *p)
{
    size_t stage = p->bounds->shared > 4 * HBG_STAGE_WORDS ? p->bounds->shared - 4 * HBG_STAGE_WORDS : 0;

    TRY(check_shape(p));
    p->room_columns = stage / HBG_TILE_BYTES < MOST_GRID_ROWS ? stage / HBG_TILE_BYTES : MOST_GRID_ROWS;
    p->trees = take(p, p->view->n_trees, sizeof(*p->trees));
    p->column_of = take(p, p->view->n_features * RULES, sizeof(*p->column_of));
    p->columns = take(p, p->room_columns, sizeof(*p->columns));
    p->place_of = take(p, p->view->n_sets, sizeof(*p->place_of));
    if (!p->trees || !p->column_of || !p->columns || !p->place_of)
        return no_memory(p);
    TRY(count_trees(p));
    p->nodes = take(p, p->largest, sizeof(*p->nodes));
    p->levels = take(p, p->largest, sizeof(*p->levels));
    if (!p->nodes || !p->levels)
        return no_memory(p);
    TRY(look_at_sets(p));
    for (size_t t = 0; t < p->view->n_trees; t++)
        TRY(look_at_tree(p, t));
    return HBS_OK;
}

/* ---- the second look: thresholds */

static hbs_status collect_cuts(packing *p, uint32_t *filled)
{
    for (size_t t = 0; t < p->view->n_trees; t++) {
        p->view->tree(p->view, t, p->nodes);
        for (uint32_t i = 0; i < p->trees[t].count; i++) {
            const hbs_forest_node *node = &p->nodes[i];
            uint32_t c;

            TRY(worked(p, 2));
            if (!is_inner(node) || is_set(node))
                continue;
            c = *column_of(p, node) - 1;
            p->cuts[p->columns[c].first_cut + filled[c]++] = node->threshold;
        }
    }
    return HBS_OK;
}

/* Thresholds that are different, rising; those of the columns move together. */
static hbs_status sort_cuts(packing *p)
{
    double *scratch = take(p, p->n_cuts, sizeof(*scratch));
    hbs_status status = scratch ? HBS_OK : no_memory(p);
    uint32_t end = 0;

    for (size_t c = 0; c < p->n_columns && status == HBS_OK; c++) {
        hbg_column *column = &p->columns[c];
        double *cuts = p->cuts + column->first_cut;

        status = worked(p, 8 * (size_t)column->n_cuts);
        hbg_sort_cuts(cuts, column->n_cuts, scratch);
        column->n_cuts = hbg_distinct_cuts(cuts, column->n_cuts);
        memmove(p->cuts + end, cuts, column->n_cuts * sizeof(*cuts));
        column->first_cut = end;
        end += column->n_cuts;
        p->most_cuts = column->n_cuts > p->most_cuts ? column->n_cuts : p->most_cuts;
    }
    p->n_cuts = end;
    give_back(p->host, scratch);
    return status;
}

static hbs_status find_cuts(packing *p)
{
    uint32_t *filled = take(p, p->n_columns, sizeof(*filled)), first = 0;
    hbs_status status;

    p->cuts = take(p, p->n_cuts, sizeof(*p->cuts));
    for (size_t c = 0; c < p->n_columns; c++) {
        p->columns[c].first_cut = first;
        first += p->columns[c].n_cuts;
    }
    status = p->cuts && filled ? collect_cuts(p, filled) : no_memory(p);
    give_back(p->host, filled);
    return status == HBS_OK ? sort_cuts(p) : status;
}

/* ---- the form */

static uint32_t bits_of(uint64_t number)
{
    return number ? 64 - (uint32_t)__builtin_clzll(number) : 1;
}

/* Rank, column and left child fit in a word, a rank fits in 16 bits, and a tree fits in the stage. */
static bool fits_small(const packing *p, uint32_t ranks, uint32_t columns)
{
    return !p->bounds->no_small && p->n_tests == 0 && p->largest <= HBG_STAGE_WORDS && ranks <= 16 &&
           ranks + columns <= 23 && ranks + columns + bits_of(p->largest) + 2 <= 32;
}

static hbs_status choose_form(packing *p)
{
    hbg_forest *f = &p->image->forest;
    uint32_t columns = bits_of(p->n_columns ? p->n_columns - 1 : 0), ranks = bits_of(p->most_cuts);
    uint64_t most = p->n_tests && (uint64_t)p->n_codes + 1 > p->most_cuts ? (uint64_t)p->n_codes + 1 : p->most_cuts;

    f->n_codes = p->n_codes;
    if (fits_small(p, ranks, columns)) {
        p->image->form = HBG_SMALL;
        f->rank_shift = 32 - ranks;
        f->column_shift = 23 - ranks - columns;
        f->column_mask = ((1u << columns) - 1) << 9;
        f->left_mask = ((1u << bits_of(p->largest)) - 1) << 2;
        return HBS_OK;
    }
    if (bits_of(most) + columns > 32)
        return hbg_fail(p->error, HBS_E_UNSUPPORTED, "%u categories beside %zu columns", p->n_codes, p->n_columns);
    p->image->form = p->n_tests ? HBG_SETS : HBG_LARGE;
    f->rank_shift = columns;
    f->column_mask = (1u << columns) - 1;
    return HBS_OK;
}

/* ---- the third look: the image */

static size_t reserve(hbg_image *image, size_t count, size_t size)
{
    size_t at = image->size;

    image->size += (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
}

/* How far the trees of a stage go, from each tree on. */
static void find_stops(packing *p)
{
    uint32_t stop = 0, n = (uint32_t)p->view->n_trees;

    for (uint32_t t = 0; t < n; t++) {
        stop = stop > t ? stop : t + 1;
        while (stop < n && p->trees[stop].nodes + p->trees[stop].count - p->trees[t].nodes <= HBG_STAGE_WORDS)
            stop++;
        p->trees[t].stop = stop;
    }
}

/* Where things are, as pointers that count from 0. */
static void place(packing *p)
{
    const hbs_forest_view *v = p->view;
    hbg_image *image = p->image;
    hbg_forest *f = &image->forest;
    size_t number = v->wide ? sizeof(double) : sizeof(float), sets;

#define AT(member, offset) f->member = (const void *)(uintptr_t)(offset)
    AT(nodes, reserve(image, p->n_places, image->form == HBG_SMALL ? 4 : 8));
    AT(values, reserve(image, p->n_places, v->leaf_width > 1 ? sizeof(uint32_t) : number));
    AT(vectors, reserve(image, v->leaf_width > 1 ? v->n_vectors * v->leaf_width : 0, number));
    AT(trees, reserve(image, v->n_trees, sizeof(hbg_tree)));
    AT(columns, reserve(image, p->n_columns, sizeof(hbg_column)));
    AT(cuts, reserve(image, p->n_cuts, number));
    sets = HBG_SET_ENTRY * p->n_tests + p->n_tests + p->n_words;
    AT(sets, reserve(image, p->n_tests ? sets : 0, sizeof(uint32_t)));
#undef AT
    f->n_trees = (uint32_t)v->n_trees;
    f->n_columns = (uint32_t)p->n_columns;
    f->n_outputs = (uint32_t)v->n_outputs;
    f->leaf_width = (uint32_t)v->leaf_width;
}

static void *part(const packing *p, const void *offset)
{
    return p->image->bytes + (uintptr_t)offset;
}

static void write_numbers(const packing *p, const double *from, size_t n, void *to)
{
    for (size_t i = 0; i < n; i++) {
        if (p->view->wide)
            ((double *)to)[i] = from[i];
        else
            ((float *)to)[i] = (float)from[i];
    }
}

/* Each feature that a column is made of has a place in blocks. */
static hbs_status write_columns(packing *p)
{
    hbg_column *to = part(p, p->image->forest.columns);
    hbg_image *image = p->image;

    image->features = take(p, p->n_columns, sizeof(*image->features));
    if (!image->features)
        return no_memory(p);
    for (size_t c = 0; c < p->n_columns; c++) {
        uint32_t source = 0;

        to[c] = p->columns[c];
        while (source < image->n_features && image->features[source] != p->columns[c].source)
            source++;
        if (source == image->n_features)
            image->features[image->n_features++] = p->columns[c].source;
        to[c].source = source;
        TRY(worked(p, image->n_features));
    }
    return HBS_OK;
}

/* The words of the large sets, once each. */
static hbs_status write_sets(packing *p)
{
    uint32_t *words = part(p, p->image->forest.sets);

    p->used = HBG_SET_ENTRY * p->n_tests;
    for (size_t s = 0; s < p->view->n_sets; s++) {
        hbs_forest_set set;

        p->view->set(p->view, (uint32_t)s, &set);
        p->place_of[s] = (uint32_t)p->used;
        if (p->n_tests)
            memcpy(words + p->used, set.words, set.count * sizeof(*words));
        p->used += set.count;
        TRY(worked(p, set.count));
    }
    return HBS_OK;
}

/* The node's left word. */
static uint32_t write_set(packing *p, const hbs_forest_node *node)
{
    uint32_t *sets = part(p, p->image->forest.sets), at = (uint32_t)(HBG_SET_ENTRY * p->n_entries++);
    bool default_right = node->flags & HBS_FOREST_DEFAULT_RIGHT;
    hbs_forest_set set = {.count = 1};

    if (node->flags & HBS_FOREST_SMALL_SET) {
        sets[at + HBG_SET_WORDS] = (uint32_t)p->used;
        sets[p->used++] = node->index;
    } else {
        p->view->set(p->view, node->index, &set);
        sets[at + HBG_SET_WORDS] = p->place_of[node->index];
    }
    sets[at + HBG_SET_COUNT] = set.count;
    sets[at + HBG_SET_LEFT] = node->left;
    return at | HBG_SET | (set.is_list ? HBG_SET_LIST : 0) | (default_right ? HBG_SET_MISSING_RIGHT : 0) |
           (default_right && p->view->wide ? HBG_SET_INVERTED : 0);
}

/* The test of a node: its rank and column; a leaf has a rank that nothing is above. */
static uint32_t test_of(packing *p, const hbs_forest_node *node, uint32_t column_shift)
{
    const hbg_forest *f = &p->image->forest;
    uint32_t c, k;

    if (!is_inner(node))
        return UINT32_MAX << f->rank_shift;
    c = *column_of(p, node) - 1;
    if (is_set(node))
        return c << column_shift;
    k = hbg_find_cut(p->cuts + p->columns[c].first_cut, p->columns[c].n_cuts, node->threshold);
    return c << column_shift | k << f->rank_shift;
}

static void write_node(packing *p, const hbs_forest_node *node, uint32_t i, size_t at)
{
    const hbg_forest *f = &p->image->forest;
    uint32_t *nodes = part(p, f->nodes), left = is_inner(node) ? node->left : i;

    if (p->image->form == HBG_SMALL) {
        nodes[at] = left << 2 | test_of(p, node, f->column_shift + 9);
        return;
    }
    nodes[2 * at] = test_of(p, node, 0);
    nodes[2 * at + 1] = is_inner(node) && is_set(node) ? write_set(p, node) : left;
}

static void write_leaf(packing *p, const hbs_forest_node *node, size_t at)
{
    void *values = part(p, p->image->forest.values);

    if (is_inner(node))
        return;
    if (p->view->leaf_width > 1)
        ((uint32_t *)values)[at] = node->index;
    else if (p->view->wide)
        ((double *)values)[at] = node->threshold;
    else
        ((float *)values)[at] = (float)node->threshold;
}

static hbs_status write_trees(packing *p)
{
    for (size_t t = 0; t < p->view->n_trees; t++) {
        p->view->tree(p->view, t, p->nodes);
        p->image->depths[t] = p->trees[t].depth;
        for (uint32_t i = 0; i < p->trees[t].count; i++) {
            write_node(p, &p->nodes[i], i, p->trees[t].nodes + i);
            write_leaf(p, &p->nodes[i], p->trees[t].nodes + i);
            TRY(worked(p, 8));
        }
    }
    return HBS_OK;
}

static hbs_status write_image(packing *p)
{
    const hbs_forest_view *v = p->view;
    hbg_image *image = p->image;
    size_t number = v->wide ? sizeof(double) : sizeof(float);

    place(p);
    find_stops(p);
    image->wide = v->wide;
    image->bytes = take(p, image->size, 1);
    image->depths = take(p, v->n_trees, sizeof(*image->depths));
    if (!image->bytes || !image->depths)
        return no_memory(p);
    memcpy(part(p, image->forest.trees), p->trees, v->n_trees * sizeof(*p->trees));
    if (v->leaf_width > 1)
        memcpy(part(p, image->forest.vectors), v->vectors, v->n_vectors * v->leaf_width * number);
    write_numbers(p, p->cuts, p->n_cuts, part(p, image->forest.cuts));
    TRY(write_columns(p));
    TRY(write_sets(p));
    return write_trees(p);
}

/* ---- all of it */

static hbs_status pack(packing *p)
{
    TRY(look(p));
    TRY(find_cuts(p));
    TRY(choose_form(p));
    return write_image(p);
}

hbs_status hbg_pack(const hbs_host *host, const hbs_forest_view *view, const hbg_bounds *bounds, hbg_image *image,
                    hbs_error *error)
{
    packing p = {.host = host, .view = view, .bounds = bounds, .image = image, .error = error};
    hbs_status status;

    *image = (hbg_image){.size = 0};
    status = pack(&p);
    give_back(host, p.nodes);
    give_back(host, p.levels);
    give_back(host, p.trees);
    give_back(host, p.column_of);
    give_back(host, p.columns);
    give_back(host, p.cuts);
    give_back(host, p.place_of);
    if (status != HBS_OK)
        hbg_image_free(host, image);
    return status;
}

void hbg_image_free(const hbs_host *host, hbg_image *image)
{
    give_back(host, image->bytes);
    give_back(host, image->features);
    give_back(host, image->depths);
    *image = (hbg_image){.size = 0};
}
