/* test_mixed_trees.c - forests in bits whose trees are of all forms at once: near-perfect, oblivious, irregular with
 * few leaves and with many. Blocks of all sizes around 64 and 128 rows, where the bits of predicates are laid out in
 * other ways, give the bits of walks, on every instruction set. */
#include "drawn_forest.h"

#include <stdlib.h>

#include "forest/bits_program.h"
#include "kernel/kernels.h"

static bool has_form(const hb_bits_program *program, size_t n_trees, hb_bits_form form, bool large)
{
    for (size_t t = 0; t < n_trees; t++)
        if (program->trees[t].form == (uint32_t)form &&
            (form != HB_BITS_REACH || hb_bits_exits_are_bytes(&program->trees[t]) != large))
            return true;
    return false;
}

/* That the drawn forest is what it is drawn for. */
static void assert_all_forms(drawn_forest *d)
{
    hb_arena arena;
    hb_forest_choice choice = drawn_choose(d, HBS_STRATEGY_BITS, &arena);

    assert_non_null(choice.bits);
    assert_true(has_form(choice.bits, d->forest->n_trees, HB_BITS_MUX, false));
    assert_true(has_form(choice.bits, d->forest->n_trees, HB_BITS_OBLIVIOUS, false));
    assert_true(has_form(choice.bits, d->forest->n_trees, HB_BITS_REACH, false));
    assert_true(has_form(choice.bits, d->forest->n_trees, HB_BITS_REACH, true));
    hb_arena_release(&arena);
}

/* Few rows are words side by side where multiplexers are most of the work, else bytes where the CPU has them. */
static void draw_and_compare(uint32_t perfect, uint32_t irregular)
{
    static const size_t counts[] = {2, 3, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 300, 511, 512, 513, 600};
    static drawn_forest d;

    for (int wide = 0; wide < 2; wide++) {
        drawn_begin(&d, wide, true);
        for (uint32_t t = 0; t < perfect; t++)
            drawn_add_perfect(&d, 2 + t % 7, false);
        for (uint32_t t = 0; t < 18; t++) /* three alike follow each other */
            drawn_add_perfect(&d, 3 + t / 3, true);
        for (uint32_t t = 0; t < irregular; t++)
            drawn_add_irregular(&d, 20 + 5 * t, 8);
        drawn_add_irregular(&d, 400, 8);
        drawn_add_perfect(&d, 8, false);
        drawn_seal(&d);
        for (size_t s = 0; hb_kernels_at(s); s++) {
            setenv("HBSCORE_INSTRUCTION_SET", hb_kernels_at(s)->name, 1);
            assert_all_forms(&d);
            for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
                drawn_assert_walks(&d, HBS_STRATEGY_BITS, 7 * i, counts[i]);
        }
        unsetenv("HBSCORE_INSTRUCTION_SET");
        drawn_end(&d);
    }
}

static void mostly_near_perfect(void **state)
{
    draw_and_compare(60, 5);
}

static void mostly_irregular(void **state)
{
    draw_and_compare(5, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mostly_near_perfect),
        cmocka_unit_test(mostly_irregular),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
