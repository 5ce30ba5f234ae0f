/* ptt_program.c - which forests can be padded to perfect trees. */
#include "forest/ptt_program.h"

#include "forest/forest_parts.h"
#include "kernel/forest_kernel.h"

/* As many bytes as TreeTraversal takes with a number more a node, and this many more. */
static const double room_more = 1 << 20;

static bool is_mostly_padding(const hb_forest_model *forest, size_t n_places)
{
    double size = forest->wide ? sizeof(double) : sizeof(float), leaf = size * (double)forest->leaf_width;
    double node = size + (forest->wide ? sizeof(hb_node64) : sizeof(hb_node32));
    double walked = node * (double)forest->nodes.count + size * (double)hb_leaf_rows_repeated(forest);

    return (double)n_places * (size + sizeof(uint32_t) + leaf) > walked + room_more;
}

static const char *obstacle(const hb_forest_model *forest, hb_ptt_program *program)
{
    if (forest->linear_leaves.count)
        return "linear leaves";
    if (forest->has_categories)
        return "sets of categories";
    if (!hb_leaf_rows_may_repeat(forest))
        return "leaves that share their numbers";
    if (forest->deepest > HB_PTT_DEPTH)
        return "trees of many levels";
    program->n_places = (size_t)forest->perfect_leaves;
    return is_mostly_padding(forest, program->n_places) ? "trees that would be mostly padding" : NULL;
}

hbs_status hb_ptt_compile(const hb_forest_model *forest, hb_arena *arena, hb_ptt_program *program, const char **why,
                          hbs_error *error)
{
    *program = (hb_ptt_program){.n_places = 0};
    *why = obstacle(forest, program);
    if (*why)
        return HBS_OK;
    program->node_at = hb_arena_array(arena, (size_t)2 << forest->deepest, sizeof(*program->node_at));
    return program->node_at ? HBS_OK : hb_no_memory(arena->memory, error);
}
