/* graph_fixture.c - see graph_fixture.h. */
#include "graph_fixture.h"

#include <stdio.h>
#include <string.h>

test_pipeline *graph_begin(graph_fixture *f, size_t n_features)
{
    memset(f, 0, sizeof(*f));
    test_host_init(&f->host);
    test_pipeline_begin(&f->p, &f->host.host, n_features);
    hb_arena_init(&f->arena, &f->p.memory);
    hb_graph_init(&f->graph, &f->arena);
    return &f->p;
}

void graph_end(graph_fixture *f)
{
    hb_graph_release(&f->graph);
    hb_arena_release(&f->arena);
    test_pipeline_end(&f->p);
    test_host_end(&f->host);
}

void graph_lower(graph_fixture *f)
{
    assert_status(hb_pipeline_seal(&f->p.pipeline, &f->error), HBS_OK, &f->error);
    assert_status(hb_graph_lower(&f->graph, &f->p.pipeline, &f->arena, &f->error), HBS_OK, &f->error);
}

void graph_optimize(graph_fixture *f, uint32_t passes_off)
{
    assert_status(hb_graph_optimize(&f->graph, passes_off, &f->error), HBS_OK, &f->error);
}

void graph_run(graph_fixture *f, uint32_t passes)
{
    graph_optimize(f, ~passes);
}

/* ---- adding */

uint32_t graph_add(graph_fixture *f, hb_operator_kind kind, uint32_t input, uint32_t other, const void *fit)
{
    return hb_graph_add(&f->graph, kind, (const uint32_t[]){input, other}, other ? 2 : 1, fit);
}

uint32_t graph_constant(graph_fixture *f, const double *numbers, size_t n)
{
    return hb_graph_add_constant(&f->graph, HB_DTYPE_FLOAT64, n, numbers);
}

/* ---- looking */

const hb_node *graph_node(const graph_fixture *f, size_t i)
{
    assert_true(i < f->graph.nodes.count);
    return hb_node_at(&f->graph, i);
}

size_t graph_output(const graph_fixture *f, uint32_t bit)
{
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (1u << i == bit)
            return f->graph.outputs[i];
    return HB_NO_NODE;
}

void graph_is(const graph_fixture *f, size_t i, hb_operator_kind kind, size_t width, bool constant)
{
    const hb_node *n = graph_node(f, i);

    if (n->kind != kind || n->value.width != width || n->value.constant != constant)
        fail_msg("node %zu is %s of width %zu%s", i, hb_operator_name(n->kind), n->value.width,
                 n->value.constant ? ", constant" : "");
}

void graph_chain_is(const graph_fixture *f, uint32_t bit, const char *chain)
{
    size_t used = 0, i = graph_output(f, bit);
    char text[1024];

    for (;; i = graph_node(f, i)->inputs[0]) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s:%zu", used ? " " : "",
                                 hb_operator_name(graph_node(f, i)->kind), graph_node(f, i)->value.width);
        assert_true(used < sizeof(text));
        if (graph_node(f, i)->n_inputs == 0)
            break;
    }
    assert_string_equal(text, chain);
}

void graph_report_is(const graph_fixture *f, size_t i, const char *name, uint32_t rewrites, uint32_t before,
                     uint32_t after)
{
    const hb_pass_report *report = &f->graph.reports[i];
    uint32_t bit;

    assert_true(i < f->graph.n_reports);
    assert_string_equal(hb_pass_name(report->pass, &bit), name);
    assert_int_equal(report->rewrites, rewrites);
    assert_int_equal(report->before, before);
    assert_int_equal(report->after, after);
}

size_t graph_find(const graph_fixture *f, hb_operator_kind kind)
{
    for (size_t i = 0; i < f->graph.nodes.count; i++)
        if (graph_node(f, i)->outputs && graph_node(f, i)->kind == kind)
            return i;
    fail_msg("no node is %s", hb_operator_name(kind));
    return 0;
}

size_t graph_count(const graph_fixture *f)
{
    size_t n = 0;

    for (size_t i = 0; i < f->graph.nodes.count; i++)
        n += graph_node(f, i)->outputs != 0;
    return n;
}

size_t graph_count_kind(const graph_fixture *f, hb_operator_kind kind)
{
    size_t n = 0;

    for (size_t i = 0; i < f->graph.nodes.count; i++)
        n += graph_node(f, i)->outputs != 0 && graph_node(f, i)->kind == kind;
    return n;
}
