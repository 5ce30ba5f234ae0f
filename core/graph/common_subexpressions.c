/* common_subexpressions.c - nodes of the same operator, parameters and inputs become one: the first of them, which the
 * readers of the others read. */
#include <string.h>

#include "graph/pass.h"

/* A hostile file can hold thousands of nodes that differ and yet have the same hash, or the same place by their hash.
 * So a node is compared with few others, however many there are. */
enum { MOST_TRIED = 64 };

typedef struct slot {
    uint64_t hash;
    uint32_t node; /* + 1; 0: the slot is free */
} slot;

typedef struct table {
    const hb_graph *graph;
    slot *slots; /* [mask + 1] */
    size_t mask;
    hb_work *work;
} table;

static uint64_t mix_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
}

/* All bytes count: nodes that differ in their last weight only need not be compared. */
static uint64_t mix(const table *t, uint64_t hash, const void *bytes, size_t size)
{
    enum { WORD = sizeof(uint64_t), MANY = 4096 };
    size_t n = size / WORD;
    uint64_t word;

    for (size_t i = 0; i < n && (i % MANY < MANY - 1 || hb_goes_on(t->work, MANY)); i++) {
        memcpy(&word, (const uint8_t *)bytes + i * WORD, WORD);
        hash = mix_word(hash, word);
    }
    hb_goes_on(t->work, n % MANY);
    word = size;
    if (size % WORD)
        memcpy(&word, (const uint8_t *)bytes + n * WORD, size % WORD);
    return mix_word(hash, word);
}

/* The items of an array member; *bytes are so many. */
static const void *items_of(const table *t, const hb_node *node, const hb_member *member, size_t *bytes)
{
    const void *items;

    memcpy(&items, (const char *)node->fit + member->offset, sizeof(items));
    *bytes = items ? member->length(node->fit, hb_input_width(t->graph, node), node->value.width) * member->size : 0;
    return items;
}

/* Room for any value among the parameters. */
typedef union value {
#define HB_OPERATOR(kind, name, ...) hb_fit_##name name;
#include "ir/operators.def"
    char bytes[1];
} value;

/* Copies the bytes of a value. Pointers of a nested struct become 0: equal arrays may lie elsewhere. */
static void copy_value(const hb_node *node, const hb_member *member, value *to)
{
    const hb_operator_row *row = &hb_operator_rows[node->kind];

    memcpy(to, (const char *)node->fit + member->offset, member->size);
    for (size_t i = 0; i < row->n_members; i++)
        if (row->members[i].kind == HB_MEMBER_ARRAY && row->members[i].offset - member->offset < member->size)
            memset(to->bytes + (row->members[i].offset - member->offset), 0, sizeof(void *));
}

static uint64_t hash_of(const table *t, const hb_node *node)
{
    const hb_operator_row *row = &hb_operator_rows[node->kind];
    uint64_t hash = mix(t, node->kind, node->inputs, node->n_inputs * sizeof(*node->inputs));
    size_t bytes = node->value.width * hb_dtype_size(node->value.dtype);

    if (node->kind == HB_OPERATOR_CONSTANT)
        return mix(t, hash, node->value.data, bytes);
    for (size_t i = 0; i < row->n_members; i++)
        if (row->members[i].kind == HB_MEMBER_ARRAY) {
            const void *items = items_of(t, node, &row->members[i], &bytes);

            hash = mix(t, hash, items, bytes);
        } else {
            value copy;

            copy_value(node, &row->members[i], &copy);
            hash = mix(t, hash, &copy, row->members[i].size);
        }
    return hash;
}

static bool same_bytes(const table *t, const void *a, const void *b, size_t n)
{
    hb_goes_on(t->work, n / 64); /* whether the host wants to stop is asked for at the end */
    return a == b || memcmp(a, b, n) == 0;
}

static bool same_value(const hb_node *a, const hb_node *b, const hb_member *member)
{
    value of_a, of_b;

    copy_value(a, member, &of_a);
    copy_value(b, member, &of_b);
    return memcmp(&of_a, &of_b, member->size) == 0;
}

static bool same_fit(const table *t, const hb_node *a, const hb_node *b)
{
    const hb_operator_row *row = &hb_operator_rows[a->kind];

    if (a->kind == HB_OPERATOR_TREE_ENSEMBLE)
        return ((const hb_fit_tree_ensemble *)a->fit)->forest == ((const hb_fit_tree_ensemble *)b->fit)->forest;
    for (size_t i = 0; i < row->n_members; i++) {
        const hb_member *member = &row->members[i];
        size_t n, other;
        const void *items, *others;

        if (member->kind == HB_MEMBER_VALUE) {
            if (!same_value(a, b, member))
                return false;
            continue;
        }
        items = items_of(t, a, member, &n);
        others = items_of(t, b, member, &other);
        if (n != other || (n && !same_bytes(t, items, others, n)))
            return false;
    }
    return true;
}

static bool same_node(const table *t, const hb_node *a, const hb_node *b)
{
    if (a->kind != b->kind || a->n_inputs != b->n_inputs || a->value.dtype != b->value.dtype ||
        a->value.width != b->value.width)
        return false;
    for (size_t k = 0; k < a->n_inputs; k++)
        if (a->inputs[k] != b->inputs[k])
            return false;
    if (a->kind == HB_OPERATOR_CONSTANT)
        return same_bytes(t, a->value.data, b->value.data, a->value.width * hb_dtype_size(a->value.dtype));
    return same_fit(t, a, b);
}

/* The first node that is the same as node i, which is put there if it is the first. Node i itself if those that are
 * tried are others. */
static uint32_t first_like(table *t, uint32_t i)
{
    const hb_node *node = hb_node_at(t->graph, i);
    uint64_t hash = hash_of(t, node);

    for (size_t k = 0; k < MOST_TRIED && hb_goes_on(t->work, 8); k++) {
        slot *s = &t->slots[(size_t)(hash + k) & t->mask];

        if (!s->node) {
            *s = (slot){hash, i + 1};
            break;
        }
        if (s->hash == hash && same_node(t, hb_node_at(t->graph, s->node - 1), node))
            return s->node - 1;
    }
    return i;
}

hbs_status hb_common_subexpressions(hb_graph *graph, hbs_error *error)
{
    size_t n = graph->nodes.count, size = 4;
    table t = {.graph = graph, .work = &graph->arena->memory->work};
    uint32_t *instead = hb_arena_array(graph->arena, n, sizeof(*instead));

    while (size < 2 * n)
        size *= 2;
    t.slots = hb_arena_array(graph->arena, size, sizeof(*t.slots));
    t.mask = size - 1;
    if (!instead || !t.slots)
        return hb_no_memory(graph->arena->memory, error);
    for (uint32_t i = 0; i < n; i++) {
        const hb_node *node = hb_node_at(graph, i);

        for (size_t k = 0; k < node->n_inputs; k++)
            node->inputs[k] = instead[node->inputs[k]];
        instead[i] = first_like(&t, i);
        graph->n_rewrites += instead[i] != i;
        if (instead[i] != i) {
            hb_node_at(graph, instead[i])->refuses |= node->refuses;
            hb_node_at(graph, i)->refuses = 0;
        }
        HB_TRY(hb_worked(t.work, 16, error));
    }
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (graph->outputs[i] != HB_NO_NODE)
            graph->outputs[i] = instead[graph->outputs[i]];
    return HBS_OK;
}
