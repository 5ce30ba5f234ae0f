/* test_auto.c - what auto picks: bits, walks for few trees of many leaves, never perfect trees; and from how many rows
 * on. The bits are those of walks on either side of that, on every isa. */
#include "drawn_forest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernels.h"

typedef void drawing(drawn_forest *d);

static void draw_small_trees(drawn_forest *d)
{
    for (int t = 0; t < 100; t++)
        drawn_add_perfect(d, 6, false);
}

static void draw_oblivious_trees(drawn_forest *d)
{
    for (int t = 0; t < 100; t++)
        drawn_add_perfect(d, 6, true);
}

static void draw_large_trees(drawn_forest *d)
{
    for (int t = 0; t < 60; t++)
        drawn_add_irregular(d, 300, 300);
}

static void draw_few_large_trees(drawn_forest *d)
{
    for (int t = 0; t < 10; t++)
        drawn_add_perfect(d, 10, false);
}

/* Strategy `expected` on every isa, from a number of rows in [least, most] on, which the note says. */
static void is_chosen(drawing *draw, hbs_strategy expected, size_t least, size_t most)
{
    static drawn_forest d;

    for (int wide = 0; wide < 2; wide++) {
        drawn_begin(&d, wide, false);
        draw(&d);
        drawn_seal(&d);
        for (size_t s = 0; hb_kernels_at(s); s++) {
            hb_arena arena;
            hb_forest_choice choice;
            char note[200], from[40];

            setenv("HBSCORE_INSTRUCTION_SET", hb_kernels_at(s)->name, 1);
            choice = drawn_choose(&d, HBS_STRATEGY_AUTO, &arena);
            assert_int_equal(choice.strategy, expected);
            hb_forest_note(&choice, note, sizeof note);
            snprintf(from, sizeof from, "from %zu on", choice.min_rows);
            assert_int_equal(strstr(note, from) != NULL, expected == HBS_STRATEGY_BITS);
            assert_in_range(choice.min_rows, least, most);
            for (size_t n = choice.min_rows ? choice.min_rows - 1 : 1; n < choice.min_rows + 2; n++)
                drawn_assert_walks(&d, HBS_STRATEGY_AUTO, s, n);
            drawn_assert_walks(&d, HBS_STRATEGY_AUTO, s, 1);
            drawn_assert_walks(&d, HBS_STRATEGY_AUTO, s, 1000);
            hb_arena_release(&arena);
        }
        unsetenv("HBSCORE_INSTRUCTION_SET");
        drawn_end(&d);
    }
}

static void trees_of_few_levels_are_bits_from_some_rows_on(void **state)
{
    is_chosen(draw_small_trees, HBS_STRATEGY_BITS, 12, 24);
    is_chosen(draw_oblivious_trees, HBS_STRATEGY_BITS, 12, 24);
}

static void large_trees_are_bits_from_more_rows_on(void **state)
{
    is_chosen(draw_large_trees, HBS_STRATEGY_BITS, 65, HB_BITS_ROWS);
}

static void few_large_trees_are_walked(void **state)
{
    is_chosen(draw_few_large_trees, HBS_STRATEGY_TT, 0, 0);
}

/* The cost that a planner asks for must not depend on the machine. */
static void the_cost_of_a_row_is_that_of_every_isa(void **state)
{
    static drawn_forest d;
    double costs[2] = {0};

    for (int more = 0; more < 2; more++) {
        drawn_begin(&d, false, false);
        draw_small_trees(&d);
        if (more)
            draw_small_trees(&d);
        drawn_seal(&d);
        for (size_t s = 0; hb_kernels_at(s); s++) {
            hb_arena arena;
            hb_forest_choice choice;
            double cost;

            setenv("HBSCORE_INSTRUCTION_SET", hb_kernels_at(s)->name, 1);
            choice = drawn_choose(&d, HBS_STRATEGY_AUTO, &arena);
            cost = hb_forest_row_nanoseconds(d.forest, &choice);
            assert_true(s == 0 || cost == costs[more]);
            costs[more] = cost;
            hb_arena_release(&arena);
        }
        unsetenv("HBSCORE_INSTRUCTION_SET");
        drawn_end(&d);
    }
    assert_true(costs[0] > 0 && costs[1] == 2 * costs[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_of_few_levels_are_bits_from_some_rows_on),
        cmocka_unit_test(large_trees_are_bits_from_more_rows_on),
        cmocka_unit_test(few_large_trees_are_walked),
        cmocka_unit_test(the_cost_of_a_row_is_that_of_every_isa),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
