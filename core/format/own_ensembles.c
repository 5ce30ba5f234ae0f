/* own_ensembles.c - the operators of hbscore's own format that make one answer of what many trees say. */
#include <math.h>

#include "base/solver.h"
#include "format/own.h"

/* How deep trees isolate a row, to a score. Its power may be a last bit off the library's, but the score is
 * on the same side of 0. */
bool hb_own_read_isolation(hb_own_reading *r)
{
    const double *offset = hb_own_numbers(r->file, "offset", 1);
    hb_own_array border;

    if (!offset || !hb_own_array_read(r->file, "border", HB_OWN_F8, 1, &border))
        return false;
    if (r->in[0]->width != 1)
        return hb_own_fail(r, "isolation: the input is not one number");
    if (border.count != 1 || isnan(*(const double *)border.items))
        return hb_own_fail(r, "isolation: border is not one number");
    r->file->pipeline->adds_in_own_order = true; /* near 0 the power and the offset cancel */
    return hb_own_add(r, HB_OPERATOR_ISOLATION, &(hb_fit_isolation){{*offset, *(const double *)border.items}}, 1);
}

/* The median of many numbers has room behind it, which no other operator may see. */
bool hb_own_read_weighted_median(hb_own_reading *r)
{
    static const uint32_t answer[] = {0};

    if (!hb_own_read_fit(r, HB_OPERATOR_WEIGHTED_MEDIAN, 1))
        return false;
    if (hb_median_room(r->in[0]->width, HB_FEW_MEDIAN) > 0)
        r->made.value =
            hb_pipeline_add(r->file->pipeline, HB_OPERATOR_SELECT, r->made.value, &(hb_fit_select){1, answer});
    return true;
}
