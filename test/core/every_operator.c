/* every_operator.c - see every_operator.h. */
#include "every_parts.h"

#include <string.h>

typedef struct group {
    const every_operator *rows;
    const size_t *n;
} group;

#define ROWS_OF(name)                        \
    {                                        \
        every_##name##_rows, &n_every_##name \
    }

static const group groups[] = {ROWS_OF(columns),    ROWS_OF(numbers),    ROWS_OF(encoders), ROWS_OF(models),
                               ROWS_OF(arithmetic), ROWS_OF(neighbours), ROWS_OF(links),    ROWS_OF(texts)};

enum { GROUPS = sizeof(groups) / sizeof(groups[0]) };

size_t every_operator_count(void)
{
    size_t n = 0;

    for (size_t g = 0; g < GROUPS; g++)
        n += *groups[g].n;
    return n;
}

const every_operator *every_operator_at(size_t i)
{
    size_t g = 0;

    for (; i >= *groups[g].n; g++)
        i -= *groups[g].n;
    return &groups[g].rows[i];
}

size_t every_operator_add(test_pipeline *p, size_t i, size_t input, size_t width, bool wide)
{
    const every_operator *other = every_operator_at(i);
    every_setting op;

    memset(&op, 0, sizeof(op));
    op.inputs[0] = (uint32_t)input;
    op.n_inputs = 1;
    op.wide = wide;
    if (other->set)
        other->set(p, &op, width);
    return hb_pipeline_add_of(&p->pipeline, other->kind, op.inputs, op.n_inputs, &op.fit);
}

static bool is(const every_operator *other, const char *name)
{
    return strcmp(other->name, name) == 0;
}

size_t every_operator_width(size_t i, size_t width)
{
    const every_operator *other = every_operator_at(i);

    switch (other->kind) {
    case HB_OPERATOR_CATEGORY_STATISTICS:
        return width + 1;
    case HB_OPERATOR_CONCAT:
    case HB_OPERATOR_ONEHOT:
        return 2 * width;
    case HB_OPERATOR_CONVOLUTION:
        return is(other, "CONVOLUTION set_groups") ? 2 * width : width;
    case HB_OPERATOR_PRODUCTS:
        return 3;
    case HB_OPERATOR_GAUSSIAN_NB:
    case HB_OPERATOR_LIST_JOIN:
    case HB_OPERATOR_TEXT_COUNTS:
    case HB_OPERATOR_LINEAR:
    case HB_OPERATOR_PAIRWISE:
    case HB_OPERATOR_WEIGHTED_MEDIAN:
    case HB_OPERATOR_REDUCE:
        return 1;
    case HB_OPERATOR_LINK:
        return is(other, "LINK set_softmax_pair") ? 2 : is(other, "LINK set_difference") ? 1 : width;
    case HB_OPERATOR_HEAD:
        return is(other, "HEAD set_head_flags") ? width : 1;
    case HB_OPERATOR_NEIGHBOURS:
    case HB_OPERATOR_TOP_K:
    case HB_OPERATOR_TOPICS:
    case HB_OPERATOR_FACTORS:
    case HB_OPERATOR_COUPLING:
        return 2;
    default:
        return width;
    }
}
