/* own_fit.c - operators of hbscore's own format whose members are the parameters that ir/operators.def declares, in its
 * order and by its names: numbers of float64, one or an array of them, all in their range. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "format/own.h"

static bool is_in_range(const hb_own_reading *r, const hb_member *member, const double *numbers, size_t count)
{
    char shown[32];

    for (size_t i = 0; i < count; i++)
        if (numbers[i] < member->least || numbers[i] > member->most) {
            double limit = numbers[i] < member->least ? member->least : member->most;

            hb_format_float64(numbers[i], shown);
            hb_document_fail(r->file->d, HBS_E_FORMAT, "%s: number %zu is %s, %s %g", member->name, i, shown,
                             numbers[i] < member->least ? "below" : "above", limit);
            return false;
        }
    return true;
}

/* `width`: columns of the operator's value. */
static bool read_member(hb_own_reading *r, const hb_member *member, size_t width, char *fit)
{
    bool is_array = member->kind == HB_MEMBER_ARRAY;
    size_t count = is_array ? member->length(fit, r->in[0]->width, width) : 1;
    bool finite = isfinite(member->least) && isfinite(member->most);
    const double *numbers = (finite ? hb_own_numbers : hb_own_all_numbers)(r->file, member->name, count);

    if (!numbers || !is_in_range(r, member, numbers, count))
        return false;
    if (is_array)
        memcpy(fit + member->offset, &numbers, sizeof(numbers));
    else
        memcpy(fit + member->offset, numbers, sizeof(*numbers));
    return true;
}

bool hb_own_read_fit(hb_own_reading *r, hb_operator_kind kind, size_t width)
{
    const hb_operator_row *row = &hb_operator_rows[kind];
    size_t n = width ? width : r->in[0]->width;
    char *fit = hb_arena_array(&r->file->pipeline->arena, 1, row->fit_size);

    if (!fit)
        return hb_document_no_memory(r->file->d);
    for (size_t i = 0; i < row->n_members; i++) {
        if (!row->members[i].is_float64)
            return hb_own_fail(r, "a parameter that own_fit.c does not read");
        if (!read_member(r, &row->members[i], n, fit))
            return false;
    }
    return hb_own_add(r, kind, fit, n);
}
