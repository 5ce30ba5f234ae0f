/* test_nearest.c - which names an unknown model may have been meant to be (host/names.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../host/host.h"

static hbs_text text(const char *bytes)
{
    return (hbs_text){bytes, strlen(bytes)};
}

static bool is_near(const char *wanted, const char *name)
{
    int far;

    return host_is_near(text(wanted), text(name), &far);
}

static void a_slip_is_near(void **state)
{
    (void)state;
    assert_true(is_near("titanci", "titanic"));
    assert_true(is_near("titnic", "titanic"));
    assert_true(is_near("vine", "wine"));
    assert_true(is_near("win", "wine"));
    assert_true(is_near("chrun", "churn"));
    assert_true(is_near("CHURN", "churn"));
    assert_true(is_near("customer_valeu_2", "customer_value_2"));
    assert_true(is_near("churn_v2", "churn_v1"));
    assert_true(is_near("ab", "a"));
}

static void another_word_is_not(void **state)
{
    (void)state;
    assert_false(is_near("nope", "titanic"));
    assert_false(is_near("ghost", "wine"));
    assert_false(is_near("wine", "cancer"));
    assert_false(is_near("bad", "good"));
    assert_false(is_near("c", "a")); /* nothing of it is left */
    assert_false(is_near("ab", "xy"));
    assert_false(is_near("", "a"));
    assert_false(is_near("number", "cancer"));
    assert_false(is_near("titanic", "wine_titanic"));
}

static void the_beginning_of_a_name_is_near(void **state)
{
    (void)state;
    assert_true(is_near("churn", "churn_2024_q4_final"));
    assert_true(is_near("Chu", "churn_2024_q4_final"));
    assert_false(is_near("ch", "churn_2024_q4_final"));
    assert_false(is_near("churn_2024_q4_final", "churn"));
}

static void names_beyond_the_limit_are_near_nothing(void **state)
{
    char name[HOST_MAX_NAME + 2];
    int far;

    (void)state;
    memset(name, 'x', sizeof name);
    assert_true(host_is_near((hbs_text){name, HOST_MAX_NAME}, (hbs_text){name, HOST_MAX_NAME - 1}, &far));
    assert_int_equal(far, 1);
    assert_false(host_is_near((hbs_text){name, HOST_MAX_NAME + 1}, (hbs_text){name, HOST_MAX_NAME}, &far));
    assert_false(host_is_near((hbs_text){name, HOST_MAX_NAME}, (hbs_text){name, HOST_MAX_NAME + 1}, &far));
}

static void the_nearest_come_first(void **state)
{
    static const char *const names[] = {"church", "wine", "churn_2024", "churn", "chur", "chuns"};
    host_nearest best = {.count = 0};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        host_nearest_offer(&best, text("churn"), text(names[i]));
    assert_int_equal(best.offered, 6);
    assert_int_equal(best.count, HOST_NEAREST);
    assert_string_equal(best.name[0].text, "churn");
    assert_string_equal(best.name[1].text, "chur");
    assert_string_equal(best.name[2].text, "church");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slip_is_near),
        cmocka_unit_test(another_word_is_not),
        cmocka_unit_test(the_beginning_of_a_name_is_near),
        cmocka_unit_test(names_beyond_the_limit_are_near_nothing),
        cmocka_unit_test(the_nearest_come_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
