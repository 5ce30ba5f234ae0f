/* fit_plan.c - the parameters of any operator as a part of the flat plan, member by member as operators.def declares
 * them.
 *
 * Members are copied one by one, so that gaps in a struct are zeros: equal models make equal plans. A pointer is kept
 * as the offset of its items; 0 stands for NULL. */
#include <string.h>

#include "op/execution.h"

static void write_value(const hb_member *member, const void *fit, char *at)
{
    if (at)
        memcpy(at + member->offset, (const char *)fit + member->offset, member->size);
}

static void write_array(hb_flat *flat, const hb_member *member, const void *fit, size_t n, size_t m, char *at)
{
    const void *items;
    uintptr_t offset = 0;

    memcpy(&items, (const char *)fit + member->offset, sizeof(items));
    if (items)
        offset = (uintptr_t)hb_flat_put(flat, items, member->length(fit, n, m) * member->size);
    if (at)
        memcpy(at + member->offset, &offset, sizeof(offset));
}

/* Values come first, as a nested struct holds pointers that its arrays then replace. */
uint64_t hb_fit_write(hb_flat *flat, hb_operator_kind kind, const void *fit, size_t n, size_t m)
{
    const hb_operator_row *row = &hb_operator_rows[kind];
    uint64_t offset = 0;
    char *at;

    if (row->fit_size == 0)
        return 0;
    at = hb_flat_reserve(flat, 1, row->fit_size, &offset);
    for (size_t i = 0; i < row->n_members; i++)
        if (row->members[i].kind == HB_MEMBER_VALUE)
            write_value(&row->members[i], fit, at);
    for (size_t i = 0; i < row->n_members; i++)
        if (row->members[i].kind == HB_MEMBER_ARRAY)
            write_array(flat, &row->members[i], fit, n, m, at);
    return offset;
}

void hb_fit_view(const void *base, uint64_t offset, hb_operator_kind kind, void *fit)
{
    const hb_operator_row *row = &hb_operator_rows[kind];

    if (offset == 0)
        return;
    memcpy(fit, hb_flat_at(base, offset), row->fit_size);
    for (size_t i = 0; i < row->n_members; i++) {
        char *at = (char *)fit + row->members[i].offset;
        uintptr_t items;
        const void *pointer;

        if (row->members[i].kind != HB_MEMBER_ARRAY)
            continue;
        memcpy(&items, at, sizeof(items));
        pointer = items ? hb_flat_at(base, items) : NULL;
        memcpy(at, &pointer, sizeof(pointer));
    }
}
