/* test_far_trees.c - walks on compact nodes down forests that no near cache holds: nodes are fetched before walks come
 * to them, those of whole trees where there are many rows. The bits are those of plain walks, on every instruction set.
 */
#include "drawn_forest.h"

#include <stdlib.h>

#include "kernel/kernels.h"

enum { FAR_BYTES = 1 << 20 };

static void assert_is_far(drawn_forest *d)
{
    hb_arena arena;
    hb_forest_choice choice = drawn_choose(d, HBS_STRATEGY_TT, &arena);

    assert_true(choice.compact.fits);
    assert_true(choice.compact.roots[d->forest->n_trees] * sizeof(hb_compact_node) > FAR_BYTES);
    hb_arena_release(&arena);
}

static void any_number_of_rows(void **state)
{
    static const size_t counts[] = {1, 2, 15, 64, 200, 600, 1000, 4096, 4097, 4400};
    static drawn_forest d;

    for (int wide = 0; wide < 2; wide++) {
        drawn_begin(&d, wide, true);
        for (uint32_t t = 0; t < 40; t++)
            drawn_add_irregular(&d, 2000 + 100 * t, 400);
        drawn_add_irregular(&d, 1, 1);
        drawn_add_irregular(&d, 60, 2);
        drawn_seal(&d);
        assert_is_far(&d);
        for (size_t s = 0; hb_kernels_at(s); s++) {
            setenv("HBSCORE_INSTRUCTION_SET", hb_kernels_at(s)->name, 1);
            for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
                drawn_assert_walks(&d, HBS_STRATEGY_TT, 5 * i, counts[i]);
        }
        unsetenv("HBSCORE_INSTRUCTION_SET");
        drawn_end(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
