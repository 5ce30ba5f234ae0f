/* own_forest.c - the forest: what both of its layouts share. */
#include "format/own_forest.h"

#include <math.h>

/* Which numbers it takes: the file's word for it. */
typedef enum takes { NO_MISSING, MISSING, INFINITE } takes;

bool hb_own_forest_fail(hb_own_file *file, const char *what)
{
    hb_document_fail(file->d, HBS_E_FORMAT, "forest: %s", what);
    return false;
}

bool hb_own_forest_count(hb_own_file *file, size_t n)
{
    if (n > file->pipeline->limits.max_nodes - file->n_nodes) {
        hb_document_fail(file->d, HBS_E_LIMIT, HB_TOO_MANY_NODES, file->pipeline->limits.max_nodes);
        return false;
    }
    file->n_nodes += n;
    return true;
}

bool hb_own_forest_begin_tree(const hb_own_trees *trees, hb_forest_model *forest, size_t t, size_t first)
{
    int32_t group = ((const int32_t *)trees->group.items)[t];
    uint32_t start = (uint32_t)first;

    group = group < 0 ? 0 : group;
    return (hb_vector_append(&forest->starts, &start, 1) && hb_vector_append(&forest->groups, &group, 1)) ||
           hb_document_no_memory(trees->file->d);
}

bool hb_own_column_read(hb_own_file *file, const char *name, uint32_t allowed, size_t rank, hb_own_column *column)
{
    return hb_own_member(file, name) && hb_own_array_value(file, allowed, rank, &column->dtype, &column->array);
}

static bool read_divisor(hb_own_file *file, double *divisor)
{
    hb_own_array divide;

    if (!hb_own_array_read(file, "divide", HB_OWN_F8, 1, &divide))
        return false;
    *divisor = divide.count == 1 ? *(const double *)divide.items : 0;
    return true;
}

/* The members behind the layout's own. */
static bool read_sums(hb_own_trees *trees, double *divisor, takes *takes)
{
    hb_own_file *file = trees->file;

    if (!hb_own_array_read(file, "group", HB_OWN_I4, 1, &trees->group) ||
        !hb_own_array_read(file, "init", HB_OWN_F8, 1, &trees->init) || !read_divisor(file, divisor) ||
        !hb_own_member(file, "missing"))
        return false;
    *takes = (enum takes)hb_read_integer(file->d, NO_MISSING, INFINITE);
    if (!hb_document_ok(file->d))
        return false;
    if (!isfinite(*divisor) || *divisor <= 0)
        return hb_own_forest_fail(file, "divide is not one positive number");
    return true;
}

static bool check_init(const hb_own_trees *trees)
{
    if (trees->init.count == 0 || trees->init.count > HB_MAX_OUTPUTS)
        return hb_own_forest_fail(trees->file, "init has no number for each output");
    for (size_t i = 0; i < trees->init.count; i++)
        if (isnan(((const double *)trees->init.items)[i]))
            return hb_own_forest_fail(trees->file, "init has a NaN");
    return true;
}

/* Most sums of one row: a small file whose leaves share their numbers must not need seconds for a row. */
enum { MOST_SUMS = 1 << 28 };

/* Trees that each add to one output have leaves of one number; else leaves are vectors. */
static bool check_groups(hb_own_trees *trees)
{
    size_t outputs = trees->init.count;
    const int32_t *group = trees->group.items;

    if (trees->group.count != trees->n_trees)
        return hb_own_forest_fail(trees->file, "group is not one number for each tree");
    trees->vectors = trees->n_trees > 0 && group[0] < 0 && outputs > 1;
    for (size_t t = 0; t < trees->n_trees && hb_document_goes_on(trees->file->d, 2); t++)
        if (trees->vectors ? group[t] != -1 : group[t] < (outputs == 1 ? -1 : 0) || group[t] >= (int32_t)outputs)
            return hb_own_forest_fail(trees->file, "a group is no output");
    if (trees->n_trees > 0 && trees->value.shape[1] != (trees->vectors ? outputs : 1))
        return hb_own_forest_fail(trees->file, "value is not as wide as the leaves");
    if (trees->vectors && trees->n_trees > MOST_SUMS / outputs)
        hb_document_fail(
            trees->file->d, HBS_E_LIMIT,
            "forest: %zu trees with leaves of %zu numbers: a row would take more than the limit of %d sums",
            trees->n_trees, outputs, MOST_SUMS);
    return hb_document_ok(trees->file->d);
}

static hb_forest_model *new_forest(const hb_own_trees *trees, size_t width, takes takes)
{
    static const uint8_t demands[] = {HB_DEMAND_FINITE | HB_DEMAND_KNOWN, HB_DEMAND_FINITE, 0};
    hb_memory *memory = trees->file->pipeline->arena.memory;
    hb_forest_model *forest = hb_arena_array(&trees->file->pipeline->arena, 1, sizeof(*forest));

    if (!forest)
        return NULL;
    hb_forest_model_init(forest, memory);
    hb_vector_init(&forest->leaf_vectors, memory, sizeof(double));
    forest->wide = true;
    forest->n_features = width;
    forest->n_outputs = trees->init.count;
    forest->leaf_width = trees->vectors ? trees->init.count : 1;
    forest->sets_are_bits = true;
    forest->demand = demands[takes];
    return forest;
}

static bool add_shared(const hb_own_trees *trees, hb_forest_model *forest)
{
    const hb_own_array *bits = &trees->sets.bits, *value = &trees->value;

    if ((bits->count && !hb_vector_append(&forest->categories, bits->items, bits->count)) ||
        (trees->vectors && !hb_vector_append(&forest->leaf_vectors, value->items, value->count)))
        return hb_document_no_memory(trees->file->d);
    return true;
}

bool hb_own_forest_read(hb_own_file *file, size_t width, hb_fit_forest *fit, bool *is_rounded, double *divisor)
{
    static const char *const inputs[] = {"f4", "f8"};
    size_t rounded = hb_own_word(file, "input", inputs, 2);
    hb_own_trees trees = {.file = file};
    hb_forest_model *forest;
    takes takes;
    bool packed;

    trees.is_rounded = rounded == 0;
    if (rounded == SIZE_MAX || !hb_own_either(file, "node", "start", &packed) ||
        !(packed ? hb_own_packed_members(&trees) : hb_own_columns_members(&trees)) ||
        !read_sums(&trees, divisor, &takes) || !check_init(&trees) ||
        !(packed ? hb_own_packed_check(&trees) : hb_own_columns_check(&trees)) ||
        !hb_own_sets_check(file, &trees.sets, trees.n_nodes) || !check_groups(&trees))
        return false;
    forest = new_forest(&trees, width, takes);
    if (!forest)
        return hb_document_no_memory(file->d);
    if (!(packed ? hb_own_packed_add(&trees, forest) : hb_own_columns_add(&trees, forest)) ||
        !add_shared(&trees, forest)) {
        hb_forest_model_release(forest);
        return false;
    }
    *fit = (hb_fit_forest){.forest = forest, .base = trees.init.items};
    *is_rounded = trees.is_rounded;
    return true;
}
