/* encoder_plan.c - an encoder as a part of the flat plan. */
#include "plan/plan.h"

uint64_t hb_encoder_write(hb_flat *flat, const hb_encoder *e)
{
    uint64_t offset;
    hb_encoder_plan *at = hb_flat_reserve(flat, 1, sizeof(*at), &offset);
    hb_encoder_plan plan = {.n_columns = e->n_columns, .n_values = e->n_values, .width = e->width};

    plan.columns = hb_flat_put(flat, e->columns, e->n_columns * sizeof(*e->columns));
    plan.values = hb_flat_put(flat, e->values, e->n_values * sizeof(*e->values));
    if (e->outputs)
        plan.outputs = hb_flat_put(flat, e->outputs, e->n_values * sizeof(*e->outputs));
    if (e->numbers)
        plan.numbers = hb_flat_put(flat, e->numbers, e->n_values * sizeof(*e->numbers));
    if (at)
        *at = plan;
    return offset;
}

hb_encoder hb_encoder_view(const hb_plan_header *header, uint64_t offset)
{
    const hb_encoder_plan *plan = hb_plan_at(header, offset);

    return (hb_encoder){
        .n_columns = plan->n_columns,
        .n_values = plan->n_values,
        .width = plan->width,
        .columns = hb_plan_at(header, plan->columns),
        .values = hb_plan_at(header, plan->values),
        .outputs = plan->outputs ? hb_plan_at(header, plan->outputs) : NULL,
        .numbers = plan->numbers ? hb_plan_at(header, plan->numbers) : NULL,
    };
}
