/* test_plan_columns.c - where the plan puts each value's columns in scratch: what a step reads is still there. */
#include "models.h"

#include <stdlib.h>
#include <string.h>

#include "plan/run.h"

enum { MOST_NODES = 64 };

typedef struct planner {
    test_host host;
    hb_memory memory;
    hb_arena arena;
    hb_graph graph;
    hb_place places[MOST_NODES];
    uint64_t row_bytes;
} planner;

static void begin_graph(planner *p)
{
    memset(p, 0, sizeof *p);
    test_host_init(&p->host);
    hb_memory_init(&p->memory, &p->host.host, 0);
    hb_arena_init(&p->arena, &p->memory);
    hb_graph_init(&p->graph, &p->arena);
}

static void end_graph(planner *p)
{
    hb_graph_release(&p->graph);
    hb_arena_release(&p->arena);
    test_host_end(&p->host);
}

static hb_node *node_at(const planner *p, size_t i)
{
    return hb_node_at(&p->graph, i);
}

/* Of float32, and with a width that the operator itself may not give; so the value is set by hand. */
static size_t add(planner *p, hb_operator_kind kind, size_t width, size_t n_inputs, size_t a, size_t b)
{
    const uint32_t inputs[] = {(uint32_t)a, (uint32_t)b};
    size_t added = hb_graph_append(&p->graph, kind, inputs, n_inputs, NULL);
    hb_value *value = &node_at(p, added)->value;

    assert_int_equal(p->graph.status, HBS_OK);
    assert_true(added < MOST_NODES);
    value->width = width;
    value->constant = n_inputs > 0 || kind == HB_OPERATOR_CONSTANT;
    for (size_t k = 0; k < n_inputs; k++)
        value->constant &= node_at(p, inputs[k])->value.constant;
    return added;
}

static void set_columns(planner *p, size_t select, const uint32_t *columns)
{
    hb_fit_select *fit = node_at(p, select)->fit;

    *fit = (hb_fit_select){node_at(p, select)->value.width, columns};
}

static void set_float64(planner *p)
{
    for (size_t i = 1; i < p->graph.nodes.count; i++)
        node_at(p, i)->value.dtype = HB_DTYPE_FLOAT64;
}

static void place(planner *p)
{
    hbs_error error;

    assert_status(hb_graph_mark_needs(&p->graph, &error), HBS_OK, &error);
    assert_status(hb_plan_memory(&p->graph, p->places, &p->row_bytes, &error), HBS_OK, &error);
}

/* Whether it has a place: some output needs it, or the caller's rows are put there. */
static bool is_made(const planner *p, size_t i)
{
    return node_at(p, i)->outputs || node_at(p, i)->kind == HB_OPERATOR_ENCODE;
}

static bool in_scratch(const planner *p, size_t i)
{
    return is_made(p, i) && node_at(p, i)->kind != HB_OPERATOR_CONSTANT && node_at(p, i)->kind != HB_OPERATOR_TABLE;
}

static uint64_t bytes_of(const hb_node *node)
{
    return node->value.width * hb_dtype_size(node->value.dtype);
}

static bool overlap(const planner *p, size_t i, size_t j)
{
    uint64_t a = p->places[i].at, b = p->places[j].at;

    return a < b + bytes_of(node_at(p, j)) && b < a + bytes_of(node_at(p, i));
}

/* ---- what a run finds in scratch, in cells of four bytes */

enum { MOST_WIDTH = 40, MOST_CELLS = 1 << 14 };

typedef struct scratch {
    uint32_t cells[MOST_CELLS];               /* which number is there */
    uint32_t numbers[MOST_NODES][MOST_WIDTH]; /* which each column of each value is */
} scratch;

static size_t column_at(const planner *p, size_t i, size_t c)
{
    return (size_t)(p->places[i].at + c * hb_dtype_size(node_at(p, i)->value.dtype)) / 4;
}

static bool is_move(const hb_node *node)
{
    return node->kind == HB_OPERATOR_SELECT || node->kind == HB_OPERATOR_CONCAT;
}

/* Which column of which node a move puts into column c. */
static size_t source_of(const hb_node *node, const hb_node *left, size_t c, size_t *column)
{
    if (node->kind == HB_OPERATOR_SELECT)
        *column = ((const hb_fit_select *)node->fit)->columns[c];
    else
        *column = c < left->value.width ? c : c - left->value.width;
    return node->inputs[node->kind == HB_OPERATOR_CONCAT && c >= left->value.width];
}

static void name_numbers(const planner *p, scratch *s)
{
    for (size_t i = 0; i < p->graph.nodes.count; i++)
        for (size_t c = 0; c < node_at(p, i)->value.width; c++) {
            const hb_node *node = node_at(p, i);
            size_t column = c, from = i;

            if (is_move(node))
                from = source_of(node, node_at(p, node->inputs[0]), c, &column);
            s->numbers[i][c] = from == i ? (uint32_t)(i * MOST_WIDTH + c + 1) : s->numbers[from][column];
        }
}

/* The numbers of node i are where the plan says. */
static void check_content(const planner *p, const scratch *s, size_t i, size_t reader)
{
    const hb_node *node = node_at(p, i);

    for (size_t c = 0; in_scratch(p, i) && c < node->value.width; c++)
        for (size_t k = 0; k < hb_dtype_size(node->value.dtype) / 4; k++)
            if (s->cells[column_at(p, i, c) + k] != s->numbers[i][c])
                fail_msg("column %zu of node %zu is gone when %zu reads it", c, i, reader);
}

/* A move may find a column in its place already, and else writes over nothing that it reads; another operator
 * may write over its first input, column by column. */
static void check_writing(const planner *p, size_t i)
{
    const hb_node *node = node_at(p, i);
    size_t input = node->inputs[0], column;

    for (size_t k = 0; k < node->n_inputs; k++) {
        bool same = k == 0 && hb_operator_rows[node->kind].in_place && p->places[i].at == p->places[input].at &&
                    node->value.width == node_at(p, input)->value.width &&
                    node->value.dtype == node_at(p, input)->value.dtype;

        if (!in_scratch(p, node->inputs[k]) || same)
            continue;
        for (size_t c = 0; c < node->value.width; c++) {
            size_t to = column_at(p, i, c), size = hb_dtype_size(node->value.dtype) / 4;

            if (is_move(node)) {
                size_t from = source_of(node, node_at(p, input), c, &column);

                if (column_at(p, from, column) == to)
                    continue;
            }
            for (size_t d = 0; d < node_at(p, node->inputs[k])->value.width; d++) {
                size_t read = column_at(p, node->inputs[k], d);

                if (read < to + size && to < read + hb_dtype_size(node_at(p, node->inputs[k])->value.dtype) / 4)
                    fail_msg("node %zu writes over what it reads of %zu", i, (size_t)node->inputs[k]);
            }
        }
    }
}

static void make(const planner *p, scratch *s, size_t i)
{
    const hb_node *node = node_at(p, i);

    for (size_t c = 0; c < node->value.width; c++)
        for (size_t k = 0; k < hb_dtype_size(node->value.dtype) / 4; k++)
            s->cells[column_at(p, i, c) + k] = s->numbers[i][c];
}

/* The steps that some outputs need, one after another: each must find what it reads, and so must the caller. */
static void check_run(const planner *p, scratch *s, uint32_t outputs)
{
    memset(s->cells, 0, sizeof s->cells);
    for (size_t i = 0; i < p->graph.nodes.count; i++) {
        const hb_node *node = node_at(p, i);

        if (!in_scratch(p, i) || (!(node->outputs & outputs) && node->kind != HB_OPERATOR_ENCODE))
            continue;
        for (size_t k = 0; k < node->n_inputs; k++)
            check_content(p, s, node->inputs[k], i);
        check_writing(p, i);
        make(p, s, i);
    }
    for (size_t k = 0; k < HB_N_OUTPUTS; k++)
        if (outputs >> k & 1 && p->graph.outputs[k] != HB_NO_NODE)
            check_content(p, s, p->graph.outputs[k], p->graph.nodes.count);
}

static void check_places(const planner *p)
{
    static scratch s;

    for (size_t i = 0; i < p->graph.nodes.count; i++) {
        assert_int_equal(p->places[i].in_plan, node_at(p, i)->kind == HB_OPERATOR_CONSTANT);
        assert_int_equal(p->places[i].constant, node_at(p, i)->value.constant);
        if (!in_scratch(p, i))
            continue;
        assert_int_equal(p->places[i].at % 8, 0);
        assert_true(p->places[i].at + bytes_of(node_at(p, i)) <= p->row_bytes);
    }
    assert_true(p->row_bytes / 4 <= MOST_CELLS);
    name_numbers(p, &s);
    for (uint32_t outputs = 1; outputs < HBS_OUT_TRANSFORM; outputs++)
        check_run(p, &s, outputs);
    check_run(p, &s, HBS_OUT_TRANSFORM);
}

static size_t any(uint64_t *random, size_t n)
{
    return (size_t)(test_random(random) % n);
}

static void add_select(planner *p, size_t input, size_t width, uint64_t *random)
{
    const hb_node *in = node_at(p, input);
    bool follow = any(random, 3) > 0; /* each other */
    uint32_t *columns = hb_arena_array(&p->arena, width, sizeof *columns);
    size_t first = any(random, in->value.width - width + 1);

    for (size_t c = 0; c < width; c++)
        columns[c] = (uint32_t)(follow ? first + c : any(random, in->value.width));
    set_columns(p, add(p, HB_OPERATOR_SELECT, width, 1, input, 0), columns);
}

static void add_random(planner *p, uint64_t *random)
{
    size_t n = p->graph.nodes.count, input = 1 + any(random, n - 1), other = 1 + any(random, n - 1);
    const hb_node *in = node_at(p, input);

    switch (any(random, 11)) {
    case 6:
    case 7:
        if (!in->value.constant)
            add_select(p, input, 1 + any(random, in->value.width), random);
        break;
    case 8:
    case 9:
    case 10:
        if (!in->value.constant && !node_at(p, other)->value.constant &&
            in->value.width + node_at(p, other)->value.width <= MOST_WIDTH)
            add(p, HB_OPERATOR_CONCAT, in->value.width + node_at(p, other)->value.width, 2, input, other);
        break;
    case 0:
        add(p, HB_OPERATOR_CONSTANT, 1 + any(random, 9), 0, 0, 0);
        break;
    case 1: /* of rows and a base of its width */
        if (!in->value.constant) {
            size_t width = 1 + any(random, 9);
            size_t base = add(p, HB_OPERATOR_CONSTANT, width, 0, 0, 0);

            if (any(random, 2))
                base = add(p, HB_OPERATOR_LOG, width, 1, base, 0);
            add(p, HB_OPERATOR_TREE_ENSEMBLE, width, 2, input, base);
        }
        break;
    case 2:
        add(p, HB_OPERATOR_ARGMAX, 1, 1, input, 0);
        break;
    case 3:
        if (in->value.width == 1)
            add(p, HB_OPERATOR_COMPLEMENT, 2, 1, input, 0);
        break;
    default:
        add(p, HB_OPERATOR_SIGMOID, in->value.width, 1, input, 0);
    }
}

/* Float32 and float64 side by side, as no model of today has them; an operator may change the type. */
static void choose_types(planner *p, uint64_t *random)
{
    for (size_t i = 1; i < p->graph.nodes.count; i++) {
        hb_node *node = node_at(p, i);

        node->value.dtype = node->n_inputs && any(random, 4) ? hb_input(&p->graph, node, 0)->value.dtype
                            : any(random, 2)                 ? HB_DTYPE_FLOAT64
                                                             : HB_DTYPE_FLOAT32;
    }
}

static void what_a_step_reads_is_there(void **state)
{
    uint64_t random = 11;

    for (int round = 0; round < 3000; round++) {
        size_t wanted = 3 + any(&random, 30);
        planner p;

        begin_graph(&p);
        add(&p, HB_OPERATOR_TABLE, 5, 0, 0, 0);
        add(&p, HB_OPERATOR_ENCODE, 5, 1, 0, 0);
        while (p.graph.nodes.count < wanted)
            add_random(&p, &random);
        if (round % 4 >= 2)
            set_float64(&p);
        if (round % 4 == 1)
            choose_types(&p, &random);
        for (size_t i = 0; i < HB_N_OUTPUTS; i++)
            if (any(&random, 2))
                p.graph.outputs[i] = 1 + any(&random, p.graph.nodes.count - 1);
        place(&p);
        check_places(&p);
        end_graph(&p);
    }
}

static void operators_write_over_an_input_that_nobody_else_reads(void **state)
{
    planner p;

    begin_graph(&p);
    add(&p, HB_OPERATOR_TABLE, 5, 0, 0, 0);
    add(&p, HB_OPERATOR_ENCODE, 5, 1, 0, 0);
    add(&p, HB_OPERATOR_MARK_MISSING, 5, 1, 1, 0);
    add(&p, HB_OPERATOR_CONSTANT, 3, 0, 0, 0);
    add(&p, HB_OPERATOR_TREE_ENSEMBLE, 3, 2, 2, 3);
    add(&p, HB_OPERATOR_SOFTMAX, 3, 1, 4, 0);
    p.graph.outputs[4] = 5;
    place(&p);
    assert_int_equal(p.row_bytes, 24 + 16); /* five marked in place, three sums turned in place */
    assert_int_equal(p.places[2].at, p.places[1].at);
    assert_int_equal(p.places[5].at, p.places[4].at);
    p.graph.outputs[3] = 4; /* now the sums are asked for too: the link goes where the input was */
    place(&p);
    assert_int_equal(p.row_bytes, 24 + 16);
    assert_false(overlap(&p, 4, 5));
    end_graph(&p);
}

static void float64_takes_twice_the_place_of_float32(void **state)
{
    planner p;

    begin_graph(&p);
    add(&p, HB_OPERATOR_TABLE, 5, 0, 0, 0);
    add(&p, HB_OPERATOR_ENCODE, 5, 1, 0, 0);
    add(&p, HB_OPERATOR_MARK_MISSING, 5, 1, 1, 0); /* float32 to float64: not in place */
    add(&p, HB_OPERATOR_SIGMOID, 5, 1, 2, 0);
    add(&p, HB_OPERATOR_ARGMAX, 1, 1, 3, 0);
    for (size_t i = 2; i <= 4; i++)
        node_at(&p, i)->value.dtype = HB_DTYPE_FLOAT64;
    p.graph.outputs[1] = 4;
    place(&p);
    assert_false(overlap(&p, 1, 2));
    assert_int_equal(p.places[2].at, 24); /* behind five of 4 bytes, from a multiple of 8 on */
    assert_int_equal(p.places[3].at, p.places[2].at);
    assert_false(overlap(&p, 3, 4));
    assert_int_equal(p.row_bytes, 24 + 40);
    end_graph(&p);
}

static void a_class_of_one_number_is_not_put_over_its_output(void **state)
{
    planner p;

    begin_graph(&p);
    add(&p, HB_OPERATOR_TABLE, 1, 0, 0, 0);
    add(&p, HB_OPERATOR_ENCODE, 1, 1, 0, 0);
    add(&p, HB_OPERATOR_SIGMOID, 1, 1, 1, 0);
    add(&p, HB_OPERATOR_COMPLEMENT, 2, 1, 2, 0);
    p.graph.outputs[2] = 3;
    place(&p);
    assert_false(overlap(&p, 2, 3));
    end_graph(&p);
}

/* Two groups of columns, one of them scaled, side by side: nothing is copied. */
static void columns_are_made_where_they_will_lie(void **state)
{
    static const uint32_t first[] = {0, 1, 2}, second[] = {3, 4};
    planner p;

    begin_graph(&p);
    add(&p, HB_OPERATOR_TABLE, 5, 0, 0, 0);
    add(&p, HB_OPERATOR_ENCODE, 5, 1, 0, 0);
    add(&p, HB_OPERATOR_SELECT, 3, 1, 1, 0);
    add(&p, HB_OPERATOR_CONSTANT, 3, 0, 0, 0);
    add(&p, HB_OPERATOR_SUBTRACT, 3, 2, 2, 3);
    add(&p, HB_OPERATOR_QUOTIENT, 3, 2, 4, 3);
    add(&p, HB_OPERATOR_SELECT, 2, 1, 1, 0);
    add(&p, HB_OPERATOR_ONEHOT, 7, 1, 6, 0);
    add(&p, HB_OPERATOR_CONCAT, 10, 2, 5, 7);
    add(&p, HB_OPERATOR_GUARD, 10, 1, 8, 0);
    add(&p, HB_OPERATOR_DENSE, 1, 1, 9, 0);
    set_columns(&p, 2, first);
    set_columns(&p, 6, second);
    set_float64(&p);
    p.graph.outputs[4] = 10;
    place(&p);
    check_places(&p);
    assert_int_equal(p.places[2].at, p.places[1].at);
    assert_int_equal(p.places[6].at, p.places[1].at + 3 * 8);
    for (size_t i = 4; i <= 9; i++)
        if (i != 6)
            assert_int_equal(p.places[i].at, p.places[8].at + (i == 7 ? 3 * 8 : 0));
    assert_int_equal(p.row_bytes, (5 + 10) * 8);
    p.graph.outputs[3] = 5; /* read behind the end: it is copied */
    place(&p);
    check_places(&p);
    assert_false(overlap(&p, 5, 8));
    end_graph(&p);
}

/* What is written over the first input must not be what the second one looks at. */
static void an_input_that_is_read_twice_is_not_written_over(void **state)
{
    static const uint32_t columns[] = {1, 2, 3};
    planner p;

    for (size_t views = 0; views < 3; views++) { /* the first input itself, a view of it, a view of that */
        size_t input, other;

        begin_graph(&p);
        add(&p, HB_OPERATOR_TABLE, 4, 0, 0, 0);
        add(&p, HB_OPERATOR_ENCODE, 4, 1, 0, 0);
        other = input = add(&p, HB_OPERATOR_ROUND, 4, 1, 1, 0);
        for (size_t v = 0; v < views; v++) {
            other = add(&p, HB_OPERATOR_SELECT, 3 - v, 1, other, 0);
            set_columns(&p, other, columns);
        }
        add(&p, HB_OPERATOR_ADD, 4, 2, input, other);
        set_float64(&p);
        p.graph.outputs[4] = p.graph.nodes.count - 1;
        place(&p);
        check_places(&p);
        assert_false(overlap(&p, p.graph.nodes.count - 1, other));
        end_graph(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_step_reads_is_there),
        cmocka_unit_test(operators_write_over_an_input_that_nobody_else_reads),
        cmocka_unit_test(an_input_that_is_read_twice_is_not_written_over),
        cmocka_unit_test(columns_are_made_where_they_will_lie),
        cmocka_unit_test(float64_takes_twice_the_place_of_float32),
        cmocka_unit_test(a_class_of_one_number_is_not_put_over_its_output),
    };

    return cmocka_run_group_tests_name("plan_columns", tests, NULL, NULL);
}
