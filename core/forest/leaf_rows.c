/* leaf_rows.c - leaves that are vectors, the equal ones once: those of a random forest are mostly of one class. */
#include <string.h>

#include "forest/forest_parts.h"

enum {
    SLOT_BITS = 16,
    MOST_PROBES = 16 /* behind them a vector counts as a new one: nobody can make the search slow */
};

typedef struct finding {
    const char *vectors;
    size_t bytes;    /* of a vector */
    uint32_t *slots; /* [1 << SLOT_BITS]: 1 + one of the distinct ones; 0: free */
    hb_leaf_rows *rows;
} finding;

static const char *vector(const finding *f, size_t row)
{
    return f->vectors + row * f->bytes;
}

static uint32_t hash(const char *vector, size_t bytes)
{
    uint64_t sum = 0;
    uint32_t word;

    for (size_t i = 0; i < bytes; i += sizeof(word)) {
        memcpy(&word, vector + i, sizeof(word));
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    }
    return (uint32_t)(sum >> (64 - SLOT_BITS));
}

static uint32_t find(finding *f, size_t row)
{
    hb_leaf_rows *rows = f->rows;
    uint32_t at = hash(vector(f, row), f->bytes);

    for (uint32_t probe = 0; probe < MOST_PROBES; probe++, at = (at + 1) % (1u << SLOT_BITS)) {
        uint32_t found = f->slots[at];

        if (found && memcmp(vector(f, rows->first[found - 1]), vector(f, row), f->bytes) == 0)
            return found - 1;
        if (found)
            continue;
        f->slots[at] = (uint32_t)rows->n + 1;
        break;
    }
    rows->first[rows->n] = (uint32_t)row;
    return (uint32_t)rows->n++;
}

hbs_status hb_leaf_rows_find(const hb_forest_model *forest, hb_arena *arena, hb_leaf_rows *rows, hbs_error *error)
{
    size_t width = forest->leaf_width, n = forest->leaf_vectors.count / width;
    finding f = {.vectors = forest->leaf_vectors.items,
                 .bytes = width * (forest->wide ? sizeof(double) : sizeof(float)),
                 .rows = rows};

    *rows = (hb_leaf_rows){.n = 0};
    if (width == 1 || forest->weights.count)
        return HBS_OK;
    f.slots = hb_arena_array(arena, (size_t)1 << SLOT_BITS, sizeof(*f.slots));
    rows->row_of = hb_arena_room(arena, n, sizeof(*rows->row_of));
    rows->first = hb_arena_room(arena, n, sizeof(*rows->first));
    if (!f.slots || !rows->row_of || !rows->first)
        return hb_no_memory(arena->memory, error);
    rows->n = 0;
    for (size_t row = 0; row < n; row++) {
        HB_TRY(hb_worked(&arena->memory->work, f.bytes / sizeof(uint32_t) + MOST_PROBES, error));
        rows->row_of[row] = find(&f, row);
    }
    return HBS_OK;
}

/* Numbers that leaves may take beyond those of the vectors: so many a node, and so many in all. */
enum { MORE_A_NODE = 6, MORE = 1 << 20 };

bool hb_leaf_rows_may_repeat(const hb_forest_model *forest)
{
    size_t most = forest->leaf_vectors.count + MORE_A_NODE * forest->nodes.count + MORE;

    return !forest->shares_vectors || forest->n_leaves <= most / forest->leaf_width;
}

size_t hb_leaf_rows_repeated(const hb_forest_model *forest)
{
    return forest->shares_vectors && forest->leaf_width > 1 ? forest->n_leaves * forest->leaf_width
                                                            : forest->leaf_vectors.count;
}
