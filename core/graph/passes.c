/* passes.c - the passes in their order. Each stands in a file of its own, and each has a switch. */
#include "graph/passes.h"

#include "graph/pass.h"

#define PASS(bit, function)                      \
    {                                            \
        HBS_PASS_##bit, #function, hb_##function \
    }

static const struct {
    uint32_t bit;
    const char *name;
    hbs_status (*run)(hb_graph *graph, hbs_error *error);
} passes[] = {
    PASS(FOLD_CONSTANTS, fold_constants),
    PASS(ELIMINATE_REDUNDANT, eliminate_redundant),
    PASS(REWRITE_DTYPES, rewrite_dtypes),
};

enum { N_PASSES = sizeof(passes) / sizeof(passes[0]) };

const char *hb_pass_name(size_t i)
{
    return i < N_PASSES ? passes[i].name : NULL;
}

bool hb_pass_is_off(size_t i, uint32_t passes_off)
{
    return passes_off & passes[i].bit;
}

hbs_status hb_pass_run(hb_graph *graph, size_t i, hbs_error *error)
{
    return passes[i].run(graph, error);
}

hbs_status hb_graph_optimize(hb_graph *graph, uint32_t passes_off, hbs_error *error)
{
    for (size_t i = 0; i < N_PASSES; i++)
        if (!hb_pass_is_off(i, passes_off))
            HB_TRY(hb_pass_run(graph, i, error));
    return hb_graph_mark_needs(graph, error);
}
