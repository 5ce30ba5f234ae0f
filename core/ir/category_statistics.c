/* category_statistics.c - CatBoost's one-hot tests and ctrs ("categorical target statistics"): columns that are
 * computed from categories before the trees see them.
 *
 * A categorical feature is the hash of its text (32 bits, signed, as a number). The operator gives its
 * input's columns, then one 0/1 column for each equality, then one column for each statistic: a look-up of
 * the combination's hash in a table of counts that training has seen, and an affine map in float32. */
#include <math.h>

#include "ir/meaning.h"

static hbs_status check_statistic(const hb_category_statistics *s, size_t i, hbs_error *error)
{
    const hb_statistic *c = &s->statistics[i];
    uint64_t width;

    HB_CHECK(c->table < s->n_tables && c->kind <= HB_STATISTIC_ABOVE, error);
    HB_CHECK((uint64_t)c->first_element + c->n_elements <= s->n_elements, error);
    width = s->tables[c->table].width;
    if (c->kind == HB_STATISTIC_MEAN && width < 2)
        return hb_fail(error, HBS_E_FORMAT, "ctr %zu needs a table of sums and counts", i);
    if ((c->kind == HB_STATISTIC_BUCKET || c->kind == HB_STATISTIC_ABOVE) &&
        (uint64_t)c->target + (c->kind == HB_STATISTIC_ABOVE) >= width)
        return hb_fail(error, HBS_E_FORMAT, "ctr %zu has target_border_idx %u, its table has %llu counts", i,
                       (unsigned)c->target, (unsigned long long)width);
    if (c->kind == HB_STATISTIC_COUNTER && width < 1)
        return hb_fail(error, HBS_E_FORMAT, "ctr %zu needs a table of counts", i);
    if (isnan(c->prior) || isnan(c->prior_total) || isnan(c->shift) || isnan(c->scale))
        return hb_fail(error, HBS_E_FORMAT, "ctr %zu has a number that is NaN", i);
    return HBS_OK;
}

static hbs_status check_table(const hb_category_statistics *s, size_t i, hbs_error *error)
{
    const hb_count_table *table = &s->tables[i];
    const uint64_t *keys = s->keys + table->first_key;

    HB_CHECK(table->first_key <= s->n_keys && table->n <= s->n_keys - table->first_key, error);
    HB_CHECK(table->first_count <= s->n_counts, error);
    HB_CHECK(table->n == 0 || table->width <= (s->n_counts - table->first_count) / table->n, error);
    for (uint64_t k = 1; k < table->n; k++)
        if (keys[k] <= keys[k - 1])
            return hb_fail(error, HBS_E_FORMAT, "table %zu of ctr_data has a key twice", i);
    return HBS_OK;
}

/* Every index, against the operator's input of `width` columns, and the order of the keys: the kernel relies on it. */
static hbs_status check_model(const hb_category_statistics *s, size_t width, hbs_error *error)
{
    for (size_t i = 0; i < s->n_equals; i++)
        HB_CHECK(s->equals[i].column < width, error);
    for (size_t i = 0; i < s->n_elements; i++)
        HB_CHECK(s->elements[i].column < width && s->elements[i].kind <= HB_ELEMENT_EQUAL, error);
    for (size_t i = 0; i < s->n_tables; i++)
        HB_TRY(check_table(s, i, error));
    for (size_t i = 0; i < s->n_statistics; i++)
        HB_TRY(check_statistic(s, i, error));
    return HBS_OK;
}

static hbs_status validate(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_category_statistics *fit = node->fit;

    return check_model(&fit->model, hb_input_width(&pipeline->graph, node), error);
}

static void shape(const hb_graph *graph, hb_node *node)
{
    const hb_fit_category_statistics *fit = node->fit;

    node->value.width = hb_input_width(graph, node) + fit->model.n_equals + fit->model.n_statistics;
}

/* The columns of the input come first; then those that are computed from some of them. */
static void category_statistics_demands(const hb_asking *a)
{
    const hb_category_statistics *s = &((const hb_fit_category_statistics *)a->node->fit)->model;
    size_t at = hb_input_width(&a->pipeline->graph, a->node);

    for (size_t c = 0; c < at; c++)
        hb_asking_input(a)[c] |= a->own[c];
    for (size_t i = 0; i < s->n_equals; i++, at++)
        hb_asking_input(a)[s->equals[i].column] |= hb_asked_of_computed(a->own[at]);
    for (size_t i = 0; i < s->n_statistics && hb_goes_on(a->work, 1); i++, at++) {
        const hb_element *elements = s->elements + s->statistics[i].first_element;

        for (size_t e = 0; e < s->statistics[i].n_elements && hb_goes_on(a->work, 1); e++)
            hb_asking_input(a)[elements[e].column] |= hb_asked_of_computed(a->own[at]);
    }
}

const hb_meaning hb_meaning_category_statistics = {
    .validate = validate, .shape = shape, .demands = category_statistics_demands};
