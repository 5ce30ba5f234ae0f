/* statistics_plan.c - category statistics as a part of the flat plan. */
#include "plan/plan.h"

uint64_t hb_statistics_write(hb_flat *flat, const hb_category_statistics *s)
{
    uint64_t offset;
    hb_statistics_plan *at = hb_flat_reserve(flat, 1, sizeof(*at), &offset);
    hb_statistics_plan plan = {
        .equals = hb_flat_put(flat, s->equals, s->n_equals * sizeof(*s->equals)),
        .n_equals = s->n_equals,
        .n_elements = s->n_elements,
        .n_statistics = s->n_statistics,
        .n_tables = s->n_tables,
        .n_keys = s->n_keys,
        .n_counts = s->n_counts,
    };

    plan.elements = hb_flat_put(flat, s->elements, s->n_elements * sizeof(*s->elements));
    plan.statistics = hb_flat_put(flat, s->statistics, s->n_statistics * sizeof(*s->statistics));
    plan.tables = hb_flat_put(flat, s->tables, s->n_tables * sizeof(*s->tables));
    plan.keys = hb_flat_put(flat, s->keys, s->n_keys * sizeof(*s->keys));
    plan.counts = hb_flat_put(flat, s->counts, s->n_counts * sizeof(*s->counts));
    if (at)
        *at = plan;
    return offset;
}

hb_category_statistics hb_statistics_view(const hb_plan_header *header, uint64_t offset)
{
    const hb_statistics_plan *plan = hb_plan_at(header, offset);

    return (hb_category_statistics){
        .n_equals = plan->n_equals,
        .n_elements = plan->n_elements,
        .n_statistics = plan->n_statistics,
        .n_tables = plan->n_tables,
        .n_keys = plan->n_keys,
        .n_counts = plan->n_counts,
        .equals = hb_plan_at(header, plan->equals),
        .elements = hb_plan_at(header, plan->elements),
        .statistics = hb_plan_at(header, plan->statistics),
        .tables = hb_plan_at(header, plan->tables),
        .keys = hb_plan_at(header, plan->keys),
        .counts = hb_plan_at(header, plan->counts),
    };
}
