/* test_auto.c - what auto picks: trees of ten levels have the bits of walks, whatever they take; and what it knows of
 * instruction sets and makers of CPUs leaves no gap. */
#include "drawn_forest.h"

#include <stdlib.h>
#include <string.h>

#include "forest/forest_cost.h"
#include "kernel/kernels.h"

/* Perfect trees are for those who ask for them. */
static void deep_trees_take_no_perfect_ones(void **state)
{
    static const size_t counts[] = {1, 2, 17, 64, 65, 512, 513, 1100};
    static drawn_forest d;

    for (int wide = 0; wide < 2; wide++) {
        drawn_begin(&d, wide, false);
        for (int t = 0; t < 30; t++)
            drawn_add_perfect(&d, 10, false);
        drawn_seal(&d);
        for (size_t s = 0; hb_kernels_at(s); s++) {
            hb_arena arena;

            setenv("HBSCORE_INSTRUCTION_SET", hb_kernels_at(s)->name, 1);
            assert_int_not_equal(drawn_choose(&d, HBS_STRATEGY_AUTO, &arena).strategy, HBS_STRATEGY_PTT);
            hb_arena_release(&arena);
            for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
                drawn_assert_walks(&d, HBS_STRATEGY_AUTO, i, counts[i]);
        }
        unsetenv("HBSCORE_INSTRUCTION_SET");
        drawn_end(&d);
    }
}

typedef struct constants {
    const char *set, *maker;
    bool wide;
    hb_forest_terms nanoseconds;
} constants;

static const constants known[] = {
#include "forest/forest_constants.def"
};

enum { N_KNOWN = sizeof known / sizeof *known };

static const constants *of_any_maker(const char *set, bool wide)
{
    for (size_t i = 0; i < N_KNOWN; i++)
        if (strcmp(known[i].set, set) == 0 && strcmp(known[i].maker, "any") == 0 && known[i].wide == wide)
            return &known[i];
    return NULL;
}

/* A constant that is not there would be 0: what takes no time is always picked. */
static void constants_of_a_maker_are_those_of_any(void **state)
{
    for (size_t s = 0; hb_kernels_at(s); s++)
        for (int wide = 0; wide < 2; wide++)
            assert_non_null(of_any_maker(hb_kernels_at(s)->name, wide));
    for (size_t i = 0; i < N_KNOWN; i++) {
        const constants *any = of_any_maker(known[i].set, known[i].wide);

        assert_non_null(any);
#define HB_TERM(name, what) assert_int_equal(known[i].nanoseconds.name > 0, any->nanoseconds.name > 0);
#include "forest/forest_terms.def"
#undef HB_TERM
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_of_a_maker_are_those_of_any),
        cmocka_unit_test(deep_trees_take_no_perfect_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
