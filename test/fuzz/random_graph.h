/* random_graph.h - a random pipeline over all kinds of operators, with parameters that their meanings call valid, drawn
 * from choices. A few get an input of a dtype that sealing refuses. Included behind random_forest.h, once. */
#include "ir/meaning.h"

enum {
    MOST_FEATURES = 12,
    MOST_WIDTH = 48,
    MOST_OPERATORS = 16,
    MOST_NODES = 128,
    MOST_CATEGORIES = 5, /* of a feature.. */
    MOST_ENCODED = 16    /* ..and of a column of numbers */
};

/* What stands for "of no feature" where columns are traced. */
#define NO_FEATURE UINT32_MAX

/* The graph while it is drawn. */
typedef struct drawing {
    choices *c;
    growing *trees;
    hb_pipeline *pipeline;
    const uint32_t *features[MOST_NODES]; /* of each value: the feature that a column is, or NO_FEATURE */
} drawing;

static void *take(const drawing *d, size_t count, size_t size)
{
    return must(hb_arena_array(&d->pipeline->arena, count, size));
}

static const hb_value *value_at(const drawing *d, size_t v)
{
    return &hb_node_at(&d->pipeline->graph, v)->value;
}

static size_t count_values(const drawing *d)
{
    return d->pipeline->graph.nodes.count;
}

static bool is_wide_value(const drawing *d, size_t v)
{
    return value_at(d, v)->dtype == HB_DTYPE_FLOAT64;
}

/* ------------------------------------------------------------------ numbers */

static double quarters(choices *c)
{
    return (double)((int)below(c, 41) - 20) / 4;
}

/* Mostly plain ones, mostly not all the same. */
static double *draw_numbers(const drawing *d, size_t n)
{
    static const double alike[] = {0, -0.0, 1, 0.5, -1, NAN};
    uint32_t how = below(d->c, 8);
    double *numbers = take(d, n, sizeof(*numbers)), one = alike[below(d->c, 6)];

    for (size_t i = 0; i < n; i++)
        numbers[i] = how < 2 ? one : how == 2 ? some_number(d->c) : quarters(d->c);
    return numbers;
}

/* Never NaN. */
static double *draw_good_numbers(const drawing *d, size_t n)
{
    double *numbers = draw_numbers(d, n);

    for (size_t i = 0; i < n; i++)
        numbers[i] = isnan(numbers[i]) ? 0.25 : numbers[i];
    return numbers;
}

static float *draw_floats(const drawing *d, size_t n)
{
    const double *numbers = draw_good_numbers(d, n);
    float *floats = take(d, n, sizeof(*floats));

    for (size_t i = 0; i < n; i++)
        floats[i] = (float)numbers[i];
    return floats;
}

static uint32_t *draw_columns(const drawing *d, size_t n, size_t width)
{
    uint32_t *columns = take(d, n, sizeof(*columns)),
             first = below(d->c, (uint32_t)(width - (n < width ? n : width) + 1));
    bool in_a_row = n <= width && below(d->c, 3) == 0;

    for (size_t i = 0; i < n; i++)
        columns[i] = in_a_row ? first + (uint32_t)i : below(d->c, (uint32_t)width);
    return columns;
}

/* ------------------------------------------------------------------ nodes */

static const uint32_t *trace(const drawing *d, const hb_node *node)
{
    uint32_t *features = take(d, node->value.width, sizeof(*features)), at = 0;

    for (size_t c = 0; c < node->value.width; c++)
        features[c] = node->kind == HB_OPERATOR_ORDINAL ? (uint32_t)c : NO_FEATURE;
    if (node->kind == HB_OPERATOR_SELECT)
        for (size_t c = 0; c < node->value.width; c++)
            features[c] = d->features[node->inputs[0]][((const hb_fit_select *)node->fit)->columns[c]];
    for (size_t k = 0; node->kind == HB_OPERATOR_CONCAT && k < node->n_inputs; k++)
        for (size_t c = 0; c < value_at(d, node->inputs[k])->width; c++)
            features[at++] = d->features[node->inputs[k]][c];
    return node->kind == HB_OPERATOR_CHECK || node->kind == HB_OPERATOR_GUARD ? d->features[node->inputs[0]] : features;
}

static size_t add_of(drawing *d, hb_operator_kind kind, const uint32_t *inputs, size_t n_inputs, const void *fit)
{
    size_t made = hb_pipeline_add_of(d->pipeline, kind, inputs, n_inputs, fit);
    hb_node *node;

    if (made == 0 || made >= MOST_NODES)
        give_up("a node could not be added", NULL);
    node = hb_node_at(&d->pipeline->graph, made);
    hb_node_complete(&d->pipeline->graph, node);
    d->features[made] = trace(d, node);
    return made;
}

static size_t add_node(drawing *d, hb_operator_kind kind, size_t input, const void *fit)
{
    return add_of(d, kind, (const uint32_t[]){(uint32_t)input}, 1, fit);
}

#define ADD(KIND, name, input, ...) add_node(d, HB_OPERATOR_##KIND, input, &(const hb_fit_##name){__VA_ARGS__})

/* A value, mostly one of the last. */
static size_t pick_value(const drawing *d)
{
    uint32_t n = (uint32_t)count_values(d) - 1;

    return below(d->c, 2) ? n : 1 + below(d->c, n);
}

/* A value of float64 of at most so many columns; 0: there is none at hand. */
static size_t pick_other(const drawing *d, size_t most)
{
    for (int i = 0; i < 4 && most > 0; i++) {
        size_t v = pick_value(d);

        if (is_wide_value(d, v) && value_at(d, v)->width <= most)
            return v;
    }
    return 0;
}

/* ---- each kind: its value, or 0 where the input does not suit it */

static size_t add_mark_missing(drawing *d, size_t input)
{
    return ADD(MARK_MISSING, mark_missing, input, .number = below(d->c, 2) ? quarters(d->c) : 0);
}

static size_t add_flush_tiny(drawing *d, size_t input)
{
    return add_node(d, HB_OPERATOR_FLUSH_TINY, input, NULL);
}

static size_t add_round(drawing *d, size_t input)
{
    return add_node(d, HB_OPERATOR_ROUND, input, NULL);
}

static size_t add_code(drawing *d, size_t input)
{
    return add_node(d, HB_OPERATOR_CODE, input, NULL);
}

static size_t add_narrow(drawing *d, size_t input)
{
    return ADD(NARROW, narrow, input, .needs_finite = below(d->c, 2));
}

static size_t add_check(drawing *d, size_t input)
{
    return ADD(CHECK, check, input, .takes_missing = below(d->c, 2));
}

static size_t add_guard(drawing *d, size_t input)
{
    return ADD(GUARD, guard, input, .takes_missing = below(d->c, 2));
}

static size_t add_select(drawing *d, size_t input)
{
    size_t width = value_at(d, input)->width,
           n = 1 + below(d->c, (uint32_t)(width + 1 < MOST_WIDTH ? width + 1 : MOST_WIDTH));

    return ADD(SELECT, select, input, .n_columns = n, .columns = draw_columns(d, n, width));
}

static size_t add_concat(drawing *d, size_t input)
{
    uint32_t inputs[4] = {(uint32_t)input};
    size_t n = 1, more = 1 + below(d->c, 3), width = value_at(d, input)->width;

    while (n <= more && width < MOST_WIDTH) {
        size_t other = pick_other(d, MOST_WIDTH - width);

        if (!other)
            break;
        width += value_at(d, other)->width;
        inputs[n++] = (uint32_t)other;
    }
    return add_of(d, HB_OPERATOR_CONCAT, inputs, n, NULL);
}

/* A column divided by 0 has no finite number. */
static size_t add_scale(drawing *d, size_t input)
{
    size_t width = value_at(d, input)->width;
    hb_scaling scaling = (hb_scaling)below(d->c, HB_SCALE_SHIFT_MULTIPLY + 1);
    double *shift = draw_numbers(d, width), *factor = draw_numbers(d, width);

    if (below(d->c, 4) == 0)
        factor[below(d->c, (uint32_t)width)] = 0;
    return ADD(SCALE, scale, input, .scaling = scaling, .in_float32 = below(d->c, 3) == 0,
               .shift = scaling == HB_SCALE_DIVIDE ? NULL : shift, .factor = scaling == HB_SCALE_SHIFT ? NULL : factor);
}

static size_t add_clip(drawing *d, size_t input)
{
    static const double limits[][2] = {{0, INFINITY}, {-1, 1}, {-INFINITY, INFINITY}, {0.5, 0.5}};
    const double *pair = limits[below(d->c, 4)];

    return ADD(CLIP, clip, input, .limits = {pair[0], pair[1]});
}

static size_t add_impute(drawing *d, size_t input)
{
    return ADD(IMPUTE, impute, input, .missing = below(d->c, 3) ? (double)NAN : quarters(d->c),
               .fill = draw_numbers(d, value_at(d, input)->width));
}

static size_t add_indicator(drawing *d, size_t input)
{
    size_t width = value_at(d, input)->width, n = 1 + below(d->c, (uint32_t)width);
    uint8_t *known = take(d, width, 1);

    for (size_t c = 0; c < width; c++)
        known[c] = below(d->c, 8) == 0;
    return ADD(INDICATOR, indicator, input, .n_columns = n, .columns = draw_columns(d, n, width),
               .missing = below(d->c, 3) ? (double)NAN : quarters(d->c), .known = known);
}

static size_t add_binarize(drawing *d, size_t input)
{
    return ADD(BINARIZE, binarize, input, .threshold = quarters(d->c));
}

static size_t add_norm(drawing *d, size_t input)
{
    return ADD(NORM, norm, input, .norm = (hb_norm_kind)below(d->c, 3), .in_float32 = below(d->c, 3) == 0);
}

static size_t add_bins(drawing *d, size_t input)
{
    size_t width = value_at(d, input)->width;
    uint32_t *ends = take(d, width, sizeof(*ends)), n = 0;
    double *edges = take(d, 4 * width, sizeof(*edges));

    for (size_t c = 0; c < width; c++) {
        double edge = quarters(d->c);

        for (uint32_t left = below(d->c, 4); left > 0; left--, edge += (double)below(d->c, 8) / 4)
            edges[n++] = edge;
        ends[c] = n;
    }
    return ADD(BINS, bins, input, .model = {width, ends, edges});
}

static size_t add_interpolate(drawing *d, size_t input)
{
    size_t width = value_at(d, input)->width;
    uint32_t *ends = take(d, width, sizeof(*ends)), n = 0;
    double *points = take(d, 8 * width, sizeof(*points)), *x = points, *y = points + 4 * width;

    for (size_t c = 0; c < width; c++) {
        double place = quarters(d->c);

        for (uint32_t left = 1 + below(d->c, 4); left > 0; left--, place += (double)below(d->c, 8) / 4) {
            x[n] = place;
            y[n++] = quarters(d->c);
        }
        ends[c] = n;
    }
    return ADD(INTERPOLATE, interpolate, input, .model = {width, ends, x, y}, .misses_outside = below(d->c, 3) == 0,
               .kind = (hb_line_kind)below(d->c, 3));
}

static size_t add_products(drawing *d, size_t input)
{
    uint32_t width = (uint32_t)value_at(d, input)->width, n = 1 + below(d->c, 12);
    hb_product *products = take(d, n, sizeof(*products));

    for (uint32_t i = 0; i < n; i++) {
        uint32_t of = below(d->c, i + 3);

        products[i].of = of < i ? of : of == i ? HB_PRODUCT_ONE : HB_PRODUCT_COLUMN;
        products[i].column = below(d->c, width);
    }
    return ADD(PRODUCTS, products, input, .n_products = n, .products = products, .in_float32 = below(d->c, 3) == 0);
}

/* ---- encoders */

/* Fewer than `most` categories that rise: codes of the feature that the column is, or numbers. */
static uint32_t draw_categories(const drawing *d, uint32_t feature, uint32_t most, double *values)
{
    const hb_categories *known = feature != NO_FEATURE ? hb_pipeline_categories(d->pipeline, feature) : NULL;
    double value = known ? (double)below(d->c, 2) : quarters(d->c);
    uint32_t n = below(d->c, most);

    for (uint32_t i = 0; i < n; i++, value += known ? 1 : 0.25 + (double)below(d->c, 6) / 4)
        values[i] = value;
    return n;
}

static int32_t draw_output(const drawing *d, uint32_t most)
{
    uint32_t which = below(d->c, most + 3);

    return which < most ? (int32_t)which : which == most ? HB_OUTPUT_REFUSE : HB_OUTPUT_NONE;
}

/* The columns of an encoder, with so many outputs in all at most. */
static hb_encoder draw_encoder(const drawing *d, size_t input, bool is_onehot)
{
    size_t width = value_at(d, input)->width;
    hb_encoder_column *columns = take(d, width, sizeof(*columns));
    double *values = take(d, width * MOST_ENCODED, sizeof(*values));
    int32_t *outputs = take(d, width * MOST_ENCODED, sizeof(*outputs));
    uint32_t n = 0, made = 0, categories = below(d->c, 3) ? MOST_CATEGORIES : MOST_ENCODED;

    for (size_t c = 0; c < width; c++) {
        uint32_t count = draw_categories(d, d->features[input][c], categories, values + n), left = MOST_WIDTH - made;
        uint32_t most = !is_onehot ? 0 : below(d->c, 2) ? count + (c == 0) : (c == 0) + below(d->c, count + 2);

        most = most < left ? most : left;
        columns[c] = (hb_encoder_column){.first = n,
                                         .count = count,
                                         .feature = d->features[input][c],
                                         .base = made,
                                         .missing = draw_output(d, most),
                                         .unknown = draw_output(d, most),
                                         .missing_number = below(d->c, 2) ? (double)NAN : quarters(d->c),
                                         .unknown_number = quarters(d->c)};
        for (uint32_t i = n; i < n + count; i++)
            outputs[i] = (int32_t)below(d->c, most + 1) - 1;
        n += count;
        made += most;
    }
    return (hb_encoder){.n_columns = width,
                        .n_values = n,
                        .width = is_onehot ? made : width,
                        .columns = columns,
                        .values = values,
                        .outputs = is_onehot ? outputs : NULL,
                        .numbers = is_onehot ? NULL : draw_numbers(d, n)};
}

static size_t add_onehot(drawing *d, size_t input)
{
    return ADD(ONEHOT, onehot, input, .model = draw_encoder(d, input, true));
}

static size_t add_recode(drawing *d, size_t input)
{
    return ADD(RECODE, recode, input, .model = draw_encoder(d, input, false));
}

static bool is_hashed(const drawing *d, size_t input, uint32_t column)
{
    uint32_t feature = d->features[input][column];

    return feature != NO_FEATURE && d->pipeline->hashed && d->pipeline->hashed[feature];
}

static hb_element draw_element(const drawing *d, size_t input)
{
    hb_element e = {.column = below(d->c, (uint32_t)value_at(d, input)->width), .border = quarters(d->c)};

    e.kind = is_hashed(d, input, e.column) ? HB_ELEMENT_HASH : HB_ELEMENT_ABOVE + below(d->c, 3);
    return e;
}

/* One table of two counts for two combinations; statistics of one element or two. A combination of one element that is
 * not above its border has the key 0. */
static size_t add_category_statistics(drawing *d, size_t input)
{
    static const uint64_t keys[] = {0, 77};
    static const double counts[] = {3, 5, 1, 4};
    size_t width = value_at(d, input)->width;
    hb_category_statistics s = {.n_equals = below(d->c, 3), .n_statistics = below(d->c, 4), .n_elements = 5};
    hb_category_equal *equals = take(d, s.n_equals, sizeof(*equals));
    hb_element *elements = take(d, s.n_elements, sizeof(*elements));
    hb_statistic *statistics = take(d, s.n_statistics, sizeof(*statistics));
    hb_count_table *table = take(d, 1, sizeof(*table));

    if (width + s.n_equals + s.n_statistics > MOST_WIDTH)
        return 0;
    for (size_t i = 0; i < s.n_equals; i++)
        equals[i] = (hb_category_equal){below(d->c, (uint32_t)width), (int32_t)below(d->c, 3)};
    for (size_t i = 0; i < s.n_elements; i++)
        elements[i] = draw_element(d, input);
    for (size_t i = 0; i < s.n_statistics; i++)
        statistics[i] = (hb_statistic){.kind = below(d->c, 4),
                                       .first_element = below(d->c, 4),
                                       .n_elements = 1 + below(d->c, 2),
                                       .prior = (float)quarters(d->c),
                                       .prior_total = 1,
                                       .scale = 0.5f};
    *table = (hb_count_table){.n = 2, .width = 2, .denominator = 9};
    s.n_tables = 1, s.n_keys = 2, s.n_counts = 4;
    s.equals = equals, s.elements = elements, s.statistics = statistics;
    s.tables = table, s.keys = keys, s.counts = counts;
    return ADD(CATEGORY_STATISTICS, category_statistics, input, .model = s);
}

/* ---- models */

/* Columns without weight in any output, and weights of 0 among others, or few others. */
static void draw_zeros(const drawing *d, double *weights, size_t n_outputs, size_t n_features)
{
    uint32_t share = below(d->c, 2) ? 7 : 3;

    for (size_t c = 0; c < n_features; c++) {
        bool none = below(d->c, 4) == 0;

        for (size_t o = 0; o < n_outputs; o++)
            if (none || below(d->c, 8) < share)
                weights[o * n_features + c] = below(d->c, 4) ? 0 : -0.0;
    }
}

/* Many outputs, most weights of which are 0, or few. */
static size_t add_dense(drawing *d, size_t input)
{
    size_t width = value_at(d, input)->width, n = below(d->c, 4) ? 1 + below(d->c, 6) : 8 + below(d->c, 9);
    double *weights = draw_numbers(d, n * width);

    if (n >= 8 || below(d->c, 2))
        draw_zeros(d, weights, n, width);
    return ADD(DENSE, dense, input, .n_outputs = n, .n_features = width, .weights = weights,
               .bias = draw_numbers(d, n));
}

/* Weighted sums of few columns of numbers and the categories of one, as linear models of tables have them. */
static size_t add_categories_sum(drawing *d, size_t input)
{
    uint32_t column = below(d->c, (uint32_t)value_at(d, input)->width);
    size_t made = ADD(SELECT, select, input, .n_columns = 1,
                      .columns = memcpy(take(d, 1, sizeof(column)), &column, sizeof(column)));

    made = add_onehot(d, made);
    if (below(d->c, 2))
        made = add_concat(d, made);
    if (below(d->c, 2))
        made = add_guard(d, made);
    return add_dense(d, made);
}

static size_t add_gaussian_nb(drawing *d, size_t input)
{
    size_t width = value_at(d, input)->width, n = 1 + below(d->c, 3);

    return ADD(GAUSSIAN_NB, gaussian_nb, input, .n_outputs = n, .n_features = width,
               .parameters = draw_numbers(d, 2 * n * width), .constants = draw_numbers(d, n));
}

/* Few small trees, most of which test few of the features. */
static void draw_forest(drawing *d, size_t input, size_t n_outputs)
{
    growing *g = d->trees;
    hb_forest_model *forest = g->forest = take(d, 1, sizeof(*forest));

    hb_forest_model_init(forest, d->pipeline->arena.memory);
    forest->wide = is_wide_value(d, input);
    forest->n_features = value_at(d, input)->width;
    forest->n_outputs = n_outputs;
    forest->sets_are_bits = forest->wide && below(d->c, 2);
    if (below(d->c, 3) == 0)
        forest->leaf_width = n_outputs;
    if (forest->wide)
        forest->leaf_vectors.item_size = sizeof(double);
    if (d->pipeline->wide && !d->pipeline->rounded && below(d->c, 4) == 0)
        forest->demand = (uint8_t)(HB_DEMAND_FINITE | (below(d->c, 2) ? HB_DEMAND_FLOAT32 : HB_DEMAND_KNOWN));
    g->shape = below(d->c, N_SHAPES + 1);
    g->depth = 1 + below(d->c, 4);
    g->set_share = below(d->c, 3) ? 0 : 1 + below(d->c, 4);
    g->wild = below(d->c, 4) == 0;
    g->linear = forest->wide && forest->leaf_width == 1 && below(d->c, 6) == 0;
    g->weights = !forest->wide && below(d->c, 4) == 0;
    for (uint32_t left = 1 + below(d->c, 5); left > 0; left--)
        add_tree(g);
}

static size_t add_forest(drawing *d, size_t input)
{
    bool wide = is_wide_value(d, input);
    size_t start = wide && below(d->c, 4) == 0 ? pick_other(d, 4) : 0;
    size_t n = start ? value_at(d, start)->width : 1 + below(d->c, 4);
    hb_base_link link = wide ? HB_BASE_IDENTITY : (hb_base_link)below(d->c, 4);
    hb_fit_forest fit = {.base_link = link};
    float *scores = take(d, n, sizeof(*scores));

    draw_forest(d, input, n);
    fit.forest = d->trees->forest;
    for (size_t o = 0; o < n; o++)
        scores[o] = (float)below(d->c, 5) / 4;
    if (wide)
        fit.base = below(d->c, 3) ? draw_good_numbers(d, n) : NULL;
    else
        fit.base_score = below(d->c, 3) ? scores : NULL;
    return add_of(d, HB_OPERATOR_FOREST, (const uint32_t[]){(uint32_t)input, (uint32_t)start}, start ? 2 : 1, &fit);
}

static size_t add_product32(drawing *d, size_t input)
{
    size_t width = value_at(d, input)->width, n = 1 + below(d->c, 5);

    return ADD(PRODUCT32, product32, input, .n_outputs = n, .n_features = width, .weights = draw_floats(d, n * width),
               .bias = draw_floats(d, n));
}

static size_t add_logistic32(drawing *d, size_t input)
{
    return add_node(d, HB_OPERATOR_LOGISTIC32, input, NULL);
}

static size_t add_softmax32(drawing *d, size_t input)
{
    return add_node(d, HB_OPERATOR_SOFTMAX32, input, NULL);
}

static size_t add_linear(drawing *d, size_t input)
{
    size_t width = value_at(d, input)->width, n = 1 + below(d->c, 3);

    return ADD(LINEAR, linear, input, .n_outputs = n, .n_features = width, .weights = draw_floats(d, n * width),
               .bias = draw_floats(d, n), .base_score = below(d->c, 2) ? draw_floats(d, n) : NULL);
}

static size_t add_isolation(drawing *d, size_t input)
{
    return value_at(d, input)->width == 1 ? ADD(ISOLATION, isolation, input, .limits = {-0.5, quarters(d->c)}) : 0;
}

static size_t add_weighted_median(drawing *d, size_t input)
{
    size_t width = value_at(d, input)->width;
    double *weights = take(d, width, sizeof(*weights));

    for (size_t c = 0; c < width; c++)
        weights[c] = (double)below(d->c, 5) / 2;
    return ADD(WEIGHTED_MEDIAN, weighted_median, input, .weights = weights);
}

static size_t add_average(drawing *d, size_t input)
{
    return ADD(AVERAGE, average, input, .divisor = 1 + below(d->c, 7));
}

static size_t add_affine(drawing *d, size_t input)
{
    return ADD(AFFINE, affine, input, .factor = quarters(d->c), .bias = draw_numbers(d, value_at(d, input)->width));
}

/* Whether it has a kernel for the input, but for one in 16. */
static bool suits_link(const drawing *d, hb_link_kind link, size_t input)
{
    size_t width = value_at(d, input)->width;

    if (below(d->c, 16) == 0)
        return true;
    if (link == HB_LINK_SOFTMAX_PAIR)
        return is_wide_value(d, input) && width == 1;
    if (link == HB_LINK_DIFFERENCE || link == HB_LINK_VARIANCE)
        return is_wide_value(d, input) && width == 2;
    if (link == HB_LINK_SORT || link == HB_LINK_EXPECTILE)
        return !is_wide_value(d, input);
    return is_wide_value(d, input) || link <= HB_LINK_EXP || link == HB_LINK_HINGE;
}

static size_t add_link(drawing *d, size_t input)
{
    hb_link_kind link = (hb_link_kind)below(d->c, HB_LINK_DIFFERENCE + 1);

    return suits_link(d, link, input) ? ADD(LINK, link, input, .link = link, .factor = 0.5 + below(d->c, 2)) : 0;
}

static size_t add_head(drawing *d, size_t input)
{
    size_t n = d->pipeline->n_classes, width = value_at(d, input)->width;
    hb_head_rule rule = width == 1 && n == 2                ? HB_HEAD_GREATER
                        : width == n && below(d->c, 2) == 0 ? HB_HEAD_ARGMAX
                                                            : HB_HEAD_FLAGS;

    if (below(d->c, 32) == 0)
        rule = (hb_head_rule)below(d->c, 3);
    return ADD(HEAD, head, input, .rule = rule, .threshold = below(d->c, 2) ? 0.5 : 0);
}

/* ------------------------------------------------------------------ a pipeline */

/* How often a kind is drawn, beside the others; selections often, since passes are about them. */
static const struct {
    hb_operator_kind kind;
    uint32_t weight;
    size_t (*add)(drawing *d, size_t input);
} KINDS[] = {
    {HB_OPERATOR_MARK_MISSING, 1, add_mark_missing},
    {HB_OPERATOR_FLUSH_TINY, 1, add_flush_tiny},
    {HB_OPERATOR_ROUND, 3, add_round},
    {HB_OPERATOR_CODE, 1, add_code},
    {HB_OPERATOR_NARROW, 1, add_narrow},
    {HB_OPERATOR_CHECK, 1, add_check},
    {HB_OPERATOR_GUARD, 6, add_guard},
    {HB_OPERATOR_SELECT, 8, add_select},
    {HB_OPERATOR_CONCAT, 5, add_concat},
    {HB_OPERATOR_SCALE, 5, add_scale},
    {HB_OPERATOR_CLIP, 2, add_clip},
    {HB_OPERATOR_IMPUTE, 2, add_impute},
    {HB_OPERATOR_INDICATOR, 2, add_indicator},
    {HB_OPERATOR_BINARIZE, 1, add_binarize},
    {HB_OPERATOR_NORM, 1, add_norm},
    {HB_OPERATOR_BINS, 2, add_bins},
    {HB_OPERATOR_INTERPOLATE, 2, add_interpolate},
    {HB_OPERATOR_PRODUCTS, 2, add_products},
    {HB_OPERATOR_ONEHOT, 4, add_onehot},
    {HB_OPERATOR_RECODE, 2, add_recode},
    {HB_OPERATOR_CATEGORY_STATISTICS, 2, add_category_statistics},
    {HB_OPERATOR_DENSE, 8, add_dense},
    {HB_OPERATOR_DENSE, 8, add_categories_sum},
    {HB_OPERATOR_PRODUCT32, 2, add_product32},
    {HB_OPERATOR_LOGISTIC32, 1, add_logistic32},
    {HB_OPERATOR_SOFTMAX32, 1, add_softmax32},
    {HB_OPERATOR_GAUSSIAN_NB, 1, add_gaussian_nb},
    {HB_OPERATOR_FOREST, 4, add_forest},
    {HB_OPERATOR_ISOLATION, 1, add_isolation},
    {HB_OPERATOR_WEIGHTED_MEDIAN, 1, add_weighted_median},
    {HB_OPERATOR_LINEAR, 2, add_linear},
    {HB_OPERATOR_AVERAGE, 1, add_average},
    {HB_OPERATOR_AFFINE, 1, add_affine},
    {HB_OPERATOR_LINK, 4, add_link},
    {HB_OPERATOR_HEAD, 1, add_head},
};

enum { N_KINDS = sizeof(KINDS) / sizeof(KINDS[0]) };

static size_t pick_kind(choices *c)
{
    uint32_t all = 0, at;
    size_t k = 0;

    for (size_t i = 0; i < N_KINDS; i++)
        all += KINDS[i].weight;
    for (at = below(c, all); at >= KINDS[k].weight; k++)
        at -= KINDS[k].weight;
    return k;
}

/* Whether readers of files may put the kind behind the input: tables of float32, and of numbers that were rounded to
 * it, have no operators that ask anything of numbers. */
static bool suits(const drawing *d, hb_operator_kind kind, size_t input)
{
    const hb_operator_row *row = &hb_operator_rows[kind];
    bool asks = row->asks && kind != HB_OPERATOR_FOREST;

    if (asks && (!d->pipeline->wide || d->pipeline->rounded))
        return false;
    return row->reads & (is_wide_value(d, input) ? HB_READS_FLOAT64 : HB_READS_FLOAT32) || below(d->c, 64) == 0;
}

static void draw_operators(drawing *d)
{
    for (uint32_t left = 1 + below(d->c, MOST_OPERATORS), tries = 100; left > 0 && tries > 0; tries--) {
        size_t input = pick_value(d), kind = pick_kind(d->c);

        if (suits(d, KINDS[kind].kind, input) && KINDS[kind].add(d, input))
            left--;
    }
}

/* ---- features */

static const hbs_text WORDS[] = {{"a", 1}, {"bb", 2}, {"", 0}, {"a longer word than most", 23}, {"7", 1}, {"none", 4}};

/* The last word, and the numbers from MOST_CATEGORIES on, are no category. */
static hb_categories draw_dictionary(const drawing *d)
{
    static const int64_t wholes[] = {0, 1, 2, 3, 7};
    static const double reals[] = {0.5, 1, -2.25, 3, 7};
    static const hbs_type types[] = {HBS_TEXT, HBS_INT64, HBS_FLOAT64};

    return (hb_categories){.type = types[below(d->c, 3)],
                           .count = 1 + below(d->c, MOST_CATEGORIES),
                           .texts = WORDS,
                           .numbers = wholes,
                           .reals = reals};
}

static void draw_features(drawing *d)
{
    hb_pipeline *p = d->pipeline;
    hb_categories *categories = take(d, p->n_features, sizeof(*categories));
    uint8_t *hashed = take(d, p->n_features, 1);
    uint32_t kind = p->wide && !p->rounded ? below(d->c, 4) : 0; /* 2: categories, 3: hashes */

    for (size_t f = 0; f < p->n_features; f++) {
        if (kind == 2 && below(d->c, 2))
            categories[f] = draw_dictionary(d);
        hashed[f] = kind == 3 && below(d->c, 2);
    }
    p->categories = kind == 2 ? categories : NULL;
    p->hashed = kind == 3 ? hashed : NULL;
    p->unseen_is_code = below(d->c, 2);
    p->on_unseen = (hb_unseen)below(d->c, 3);
    p->missing_is_error = below(d->c, 3) == 0;
}

/* ---- outputs */

/* A value with one of two widths (0: any); 0: there is none at hand. */
static size_t pick_output(const drawing *d, size_t width, size_t other)
{
    for (int i = 0; i < 6; i++) {
        size_t v = pick_value(d), w = value_at(d, v)->width;

        if (width == 0 || w == width || w == other)
            return v;
    }
    return 0;
}

static void draw_classes(drawing *d)
{
    hb_pipeline *p = d->pipeline;

    p->n_classes = (const size_t[]){0, 2, 3}[below(d->c, 3)];
    p->classes = take(d, p->n_classes, sizeof(*p->classes));
    for (size_t i = 0; i < p->n_classes; i++)
        p->classes[i] = (hbs_value){.type = HBS_INT64, .as.i64 = (int64_t)i};
}

static void draw_label(drawing *d)
{
    size_t n = d->pipeline->n_classes, input = n ? pick_output(d, n, n == 2 ? 1 : n) : 0;

    if (!input)
        return;
    d->pipeline->label =
        ADD(HEAD, head, input, .threshold = 0.5,
            .rule = value_at(d, input)->width == 1 && below(d->c, 2) ? HB_HEAD_GREATER : HB_HEAD_ARGMAX);
}

static void draw_outputs(drawing *d)
{
    hb_pipeline *p = d->pipeline;

    if (below(d->c, 3) == 0)
        p->value = pick_output(d, 1, 1);
    if (below(d->c, 2))
        p->raw = pick_output(d, 0, 0);
    if (below(d->c, 2))
        p->transform = pick_output(d, 0, 0);
    if (below(d->c, 2))
        p->probabilities = pick_output(d, p->n_classes, p->n_classes == 2 ? 1 : p->n_classes);
    if (below(d->c, 2))
        draw_label(d);
    if (below(d->c, 2) || !(p->raw || p->value || p->label || p->transform))
        p->values = pick_output(d, 0, 0);
}

/* Values are known while the graph is drawn; sealing finds them again. */
static void forget_values(hb_pipeline *p)
{
    for (size_t v = 0; v < p->graph.nodes.count; v++)
        hb_node_at(&p->graph, v)->value = (hb_value){.width = 0};
}

/* Into a new pipeline. */
static void draw_graph(drawing *d)
{
    hb_pipeline *p = d->pipeline;
    hb_value *table = &hb_node_at(&p->graph, 0)->value;

    p->format = "fuzz";
    p->n_features = 1 + below(d->c, MOST_FEATURES);
    p->wide = below(d->c, 10) > 0;
    p->rounded = p->wide && below(d->c, 10) == 0;
    *table = (hb_value){.width = p->n_features, .dtype = p->wide ? HB_DTYPE_FLOAT64 : HB_DTYPE_FLOAT32};
    draw_features(d);
    draw_classes(d);
    add_node(d, HB_OPERATOR_ORDINAL, 0, NULL);
    draw_operators(d);
    draw_outputs(d);
    forget_values(p);
}
