/* onnx_equality.c - see onnx_trees.h: tests of equality, such as converters write for categories. Trees compare a
 * feature with few numbers. An operator before them gives each of these numbers a code, from 0 on, and any other number
 * the code -1. A test of equality is then one of a set of codes, in a column of its own behind the features; a missing
 * number stays missing there. In float64, whose sets have no branch for a missing number, that has the code 0, and the
 * codes of numbers begin at 1. */
#include <math.h>

#include "base/sort.h"
#include "format/onnx_chains.h"

#define NO_CODE      (-1.0)
#define MISSING_CODE 0 /* in float64 */
enum { MOST_CODES = 1 << 24 /* that float32 tells apart */ };

hbs_status hb_onnx_equality_add(hb_onnx_trees *t, hb_tree_node *node, double number)
{
    const hb_onnx_equal_test equal = {number == 0 ? 0 : number, node->feature, HB_ONNX_LAST, 0}; /* not -0 */
    uint32_t place = (uint32_t)t->equals.count;

    if (!hb_vector_append(&t->equals, &equal, 1))
        return hb_no_memory(t->equals.memory, t->file->error);
    if (node->flags & HB_NODE_CATEGORIES)
        ((hb_onnx_equal_test *)t->equals.items)[node->as.set.count].next = place;
    else
        node->as.set.first = place;
    node->as.set.count = place;
    node->flags |= HB_NODE_CATEGORIES;
    return HBS_OK;
}

/* ---- codes */

/* The columns that get codes; the arrays are NULL while they are counted. */
typedef struct coding {
    uint32_t *order; /* of all t->equals, by feature and number */
    size_t n_columns, n_values;
    uint32_t *features;         /* [n_columns] */
    hb_encoder_column *columns; /* [n_columns] */
    double *values, *numbers;   /* [n_values] */
} coding;

static int compare_equals(const void *context, uint32_t a, uint32_t b)
{
    const hb_onnx_equal_test *equals = context, *x = &equals[a], *y = &equals[b];

    if (x->feature != y->feature)
        return x->feature < y->feature ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static hbs_status sort_equals(hb_onnx_trees *t, coding *c)
{
    size_t n = t->equals.count;

    c->order = hb_arena_room(&t->file->arena, n, sizeof(*c->order));
    if (!c->order)
        return hb_no_memory(t->file->arena.memory, t->file->error);
    for (uint32_t i = 0; i < n; i++) {
        c->order[i] = i;
        HB_TRY(hb_worked(t->file->bytes.work, 1, t->file->error));
    }
    if (!hb_sort(c->order, n, compare_equals, t->equals.items, t->file->bytes.work))
        return hb_work_status(t->file->bytes.work, t->file->error);
    return HBS_OK;
}

static hbs_status count_codes(const hb_onnx_trees *t, coding *c)
{
    const hb_onnx_equal_test *equals = t->equals.items, *before = NULL;

    for (size_t i = 0; i < t->equals.count; i++) {
        const hb_onnx_equal_test *e = &equals[c->order[i]];
        bool is_column = !before || before->feature != e->feature;

        c->n_columns += is_column;
        c->n_values += is_column || before->number != e->number;
        before = e;
        HB_TRY(hb_worked(t->file->bytes.work, 4, t->file->error));
    }
    if (c->n_columns > HB_MAX_OUTPUTS)
        return hb_onnx_refuse(t->file, t->node, HBS_E_LIMIT, "it compares %zu features for equality, the limit is %d",
                              c->n_columns, HB_MAX_OUTPUTS);
    if (c->n_values > MOST_CODES)
        return hb_onnx_refuse(t->file, t->node, HBS_E_LIMIT,
                              "it compares with %zu numbers for equality, the limit is %d", c->n_values, MOST_CODES);
    return HBS_OK;
}

static hbs_status make_room(hb_onnx_trees *t, coding *c)
{
    hb_arena *arena = &t->file->pipeline->arena;

    c->features = hb_arena_array(arena, c->n_columns, sizeof(*c->features));
    c->columns = hb_arena_array(arena, c->n_columns, sizeof(*c->columns));
    c->values = hb_arena_array(arena, c->n_values, sizeof(*c->values));
    c->numbers = hb_arena_array(arena, c->n_values, sizeof(*c->numbers));
    if (!c->features || !c->columns || !c->values || !c->numbers)
        return hb_no_memory(arena->memory, t->file->error);
    c->n_columns = c->n_values = 0;
    return HBS_OK;
}

/* The column of a feature, which may be a new one. */
static hb_encoder_column *column_of(coding *c, int32_t feature, bool wide)
{
    if (c->n_columns == 0 || c->features[c->n_columns - 1] != (uint32_t)feature) {
        c->features[c->n_columns] = (uint32_t)feature;
        c->columns[c->n_columns] = (hb_encoder_column){.first = (uint32_t)c->n_values,
                                                       .feature = UINT32_MAX,
                                                       .missing = HB_OUTPUT_NONE,
                                                       .unknown = HB_OUTPUT_NONE,
                                                       .missing_number = wide ? MISSING_CODE : (double)NAN,
                                                       .unknown_number = NO_CODE};
        c->n_columns++;
    }
    return &c->columns[c->n_columns - 1];
}

/* Features become the columns of their codes. */
static hbs_status number_codes(hb_onnx_trees *t, coding *c)
{
    hb_onnx_equal_test *equals = t->equals.items;
    const bool wide = t->forest->wide;

    for (size_t i = 0; i < t->equals.count; i++) {
        hb_onnx_equal_test *e = &equals[c->order[i]];
        hb_encoder_column *column = column_of(c, e->feature, wide);

        if (column->count == 0 || c->values[c->n_values - 1] != e->number) {
            c->values[c->n_values] = e->number;
            c->numbers[c->n_values++] = (double)(column->count++ + wide);
        }
        e->code = (int32_t)column->count - 1 + wide;
        e->feature = (int32_t)(t->in->width + c->n_columns - 1);
        HB_TRY(hb_worked(t->file->bytes.work, 4, t->file->error));
    }
    return HBS_OK;
}

/* ---- sets */

static int compare_codes(const void *context, uint32_t a, uint32_t b)
{
    const hb_onnx_equal_test *equals = context;

    return equals[a].code < equals[b].code ? -1 : equals[a].code > equals[b].code;
}

/* The list of a node to a rising set, each code once. `places` has room for all equals. */
static hbs_status write_set(hb_onnx_trees *t, hb_tree_node *node, uint32_t *places)
{
    const hb_onnx_equal_test *equals = t->equals.items;
    hb_vector *categories = &t->forest->categories;
    size_t first = categories->count, n = 0;
    const int32_t missing = MISSING_CODE;

    for (uint32_t i = node->as.set.first; i != HB_ONNX_LAST; i = equals[i].next) {
        places[n++] = i;
        HB_TRY(hb_worked(t->file->bytes.work, 1, t->file->error));
    }
    if (!hb_sort(places, n, compare_codes, equals, t->file->bytes.work))
        return hb_work_status(t->file->bytes.work, t->file->error);
    if (t->forest->wide && !(node->flags & HB_NODE_DEFAULT_LEFT) && !hb_vector_append(categories, &missing, 1))
        return hb_no_memory(categories->memory, t->file->error);
    if (t->forest->wide) /* what is no member goes left */
        node->flags |= HB_NODE_DEFAULT_LEFT;
    for (size_t i = 0; i < n; i++) {
        HB_TRY(hb_worked(t->file->bytes.work, 4, t->file->error));
        if ((i == 0 || equals[places[i - 1]].code != equals[places[i]].code) &&
            !hb_vector_append(categories, &equals[places[i]].code, 1))
            return hb_no_memory(categories->memory, t->file->error);
    }
    node->feature = equals[places[0]].feature;
    node->as.set.first = (uint32_t)first;
    node->as.set.count = (uint32_t)(categories->count - first);
    return HBS_OK;
}

static hbs_status write_sets(hb_onnx_trees *t, uint32_t *places)
{
    hb_tree_node *nodes = t->forest->nodes.items;

    for (size_t i = 0; i < t->forest->nodes.count; i++) {
        HB_TRY(hb_worked(t->file->bytes.work, 2, t->file->error));
        if (nodes[i].flags & HB_NODE_CATEGORIES && !(nodes[i].flags & HB_NODE_DELETED))
            HB_TRY(write_set(t, &nodes[i], places));
    }
    return HBS_OK;
}

/* ---- all of them */

/* The numbers, and behind them the codes of some. An integer is compared as the float32 number that it rounds to. */
static size_t add_codes(hb_onnx_trees *t, const coding *c)
{
    hb_pipeline *pipeline = t->file->pipeline;
    size_t numbers = hb_onnx_wide(t->file, t->in);
    hb_fit_select picked = {c->n_columns, c->features};
    hb_fit_recode recode = {.model = {.n_columns = c->n_columns,
                                      .n_values = c->n_values,
                                      .width = c->n_columns,
                                      .columns = c->columns,
                                      .values = c->values,
                                      .numbers = c->numbers},
                            .takes_infinite = true};
    size_t codes;

    if (t->in->type != HB_ONNX_FLOAT && t->in->type != HB_ONNX_DOUBLE)
        numbers = hb_pipeline_add(pipeline, HB_OPERATOR_MAP, numbers,
                                  &(hb_fit_map){.function = HB_MAP_SAME, .rounding = hb_onnx_rounding(HB_ONNX_FLOAT)});
    codes = hb_pipeline_add(pipeline, HB_OPERATOR_SELECT, numbers, &picked);
    codes = hb_pipeline_add(pipeline, HB_OPERATOR_RECODE, codes, &recode);
    codes = hb_pipeline_add_of(pipeline, HB_OPERATOR_CONCAT, (uint32_t[]){(uint32_t)numbers, (uint32_t)codes}, 2, NULL);
    return t->forest->wide ? codes : hb_pipeline_add(pipeline, HB_OPERATOR_NARROW, codes, &(hb_fit_narrow){false});
}

hbs_status hb_onnx_equality_build(hb_onnx_trees *t, size_t *input, size_t *n_features)
{
    coding c = {.n_columns = 0};

    *n_features = t->in->width;
    if (t->equals.count == 0) {
        *input = t->forest->wide ? hb_onnx_wide(t->file, t->in) : hb_onnx_narrowed(t->file, t->in);
        return HBS_OK;
    }
    HB_TRY(sort_equals(t, &c));
    HB_TRY(count_codes(t, &c));
    HB_TRY(make_room(t, &c));
    HB_TRY(number_codes(t, &c));
    HB_TRY(hb_onnx_chains_fold(t));
    HB_TRY(write_sets(t, c.order));
    *input = add_codes(t, &c);
    *n_features += c.n_columns;
    return HBS_OK;
}
