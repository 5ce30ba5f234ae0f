/* test_sort.c - positions in the order of their items, for every size, in a loop that can be stopped. */
#include "support.h"

#include <stdlib.h>

#include "base/sort.h"

static int compare(const void *context, uint32_t a, uint32_t b)
{
    const int *items = context;

    return (items[a] > items[b]) - (items[a] < items[b]);
}

enum { MOST = 3000 };

/* Sorts positions 0 to n - 1 and checks that each is there once, in order. */
static void check(const int *items, size_t n)
{
    static uint32_t order[MOST];
    static uint8_t seen[MOST];

    for (size_t i = 0; i < n; i++) {
        order[i] = (uint32_t)i;
        seen[i] = 0;
    }
    assert_true(hb_sort(order, n, compare, items, &(hb_work){.done = 0}));
    for (size_t i = 0; i < n; i++) {
        assert_true(order[i] < n && !seen[order[i]]++);
        assert_true(i == 0 || items[order[i - 1]] <= items[order[i]]);
    }
}

static void any_items_come_into_order(void **state)
{
    static int items[MOST];
    uint64_t random = 1;

    for (size_t n = 0; n <= MOST; n = n < 70 ? n + 1 : 2 * n) {
        for (size_t i = 0; i < n; i++)
            items[i] = (int)(test_random(&random) % (n + 1));
        check(items, n);
        for (size_t i = 0; i < n; i++)
            items[i] = (int)(test_random(&random) % 3);
        check(items, n);
    }
}

static void sorted_falling_and_equal_items_too(void **state)
{
    static int items[MOST];

    for (int kind = -1; kind <= 1; kind++) {
        for (int i = 0; i < MOST; i++)
            items[i] = kind * i;
        check(items, MOST);
    }
}

typedef struct counted {
    const int *items;
    size_t compares;
} counted;

static int compare_counted(const void *context, uint32_t a, uint32_t b)
{
    counted *c = (counted *)(uintptr_t)context;

    c->compares++;
    return compare(c->items, a, b);
}

static void items_in_order_are_compared_once(void **state)
{
    static int items[MOST];
    static uint32_t order[MOST];

    for (uint32_t i = 0; i < MOST; i++) {
        items[i] = (int)i / 3;
        order[i] = i;
    }
    for (size_t n = 0; n <= MOST; n = 3 * n + 1) {
        counted c = {.items = items};

        assert_true(hb_sort(order, n, compare_counted, &c, &(hb_work){.done = 0}));
        assert_int_equal(c.compares, n ? n - 1 : 0);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(order[i], i);
    }
}

static void sorting_stops_where_the_host_says(void **state)
{
    enum { N = 20000 };
    static uint32_t order[N];
    static int items[N];
    test_host host;
    hb_work work;

    test_host_init(&host);
    for (size_t cancel = 1; cancel < 60; cancel += 7) {
        host.polls = 0;
        host.cancel_at = cancel;
        for (uint32_t i = 0; i < N; i++) {
            order[i] = i;
            items[i] = (int)(i * 7919 % N);
        }
        work = hb_work_of(&host.host);
        bool whole = hb_sort(order, N, compare, items, &work);

        assert_int_equal(whole, host.polls < cancel);
        assert_true(host.polls <= cancel);
    }
    host.polls = host.cancel_at = 0; /* in both halves: the heap is built, then taken apart */
    for (uint32_t i = 0; i < N; i++)
        order[i] = i;
    work = hb_work_of(&host.host);
    assert_true(hb_sort(order, N, compare, items, &work));
    assert_true(host.polls >= (N / 2 + N) / 1024);
    host.cancel_at = 1;
    assert_false(hb_sort(order, N, compare, items, &work));
    test_host_end(&host);
}

/* Items of equal rank in the order of their positions, so that there is one right answer. */
static int compare_all(const void *context, uint32_t a, uint32_t b)
{
    int order = compare(context, a, b);

    return order ? order : (a > b) - (a < b);
}

static void the_first_of_many_are_those_of_the_whole_order(void **state)
{
    enum { COUNT = 300 };
    static uint32_t all[COUNT], first[COUNT + 1];
    static int items[COUNT];
    uint64_t random = 7;

    for (int kinds = 1; kinds <= COUNT; kinds *= 7) {
        for (uint32_t i = 0; i < COUNT; i++) {
            items[i] = (int)(test_random(&random) % (uint64_t)kinds);
            all[i] = i;
        }
        assert_true(hb_sort(all, COUNT, compare_all, items, &(hb_work){.done = 0}));
        for (size_t n = 0; n <= COUNT; n = n < 9 || n == COUNT ? n + 1 : n == 9 ? COUNT - 1 : COUNT) {
            first[n] = 12345;
            assert_true(hb_sort_first(first, n, COUNT, compare_all, items, &(hb_work){.done = 0}));
            assert_memory_equal(first, all, n * sizeof *first);
            assert_int_equal(first[n], 12345);
        }
    }
}

static void to_find_the_first_stops_where_the_host_says(void **state)
{
    enum { N = 200000 };
    static uint32_t order[N];
    static int items[N];
    test_host host;
    hb_work work;

    test_host_init(&host);
    for (int i = 0; i < N; i++)
        items[i] = N - i; /* each is before all that came */
    for (size_t n = 1; n <= N; n = n < 10 ? 1000 : n < N ? N : N + 1) {
        host.polls = host.cancel_at = 0;
        work = hb_work_of(&host.host);
        assert_true(hb_sort_first(order, n, N, compare, items, &work));
        for (host.cancel_at = 1; host.cancel_at <= 20; host.cancel_at++) {
            host.polls = 0;
            work = hb_work_of(&host.host);
            assert_false(hb_sort_first(order, n, N, compare, items, &work));
            assert_int_equal(host.polls, host.cancel_at);
        }
    }
    test_host_end(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_items_come_into_order),
        cmocka_unit_test(sorted_falling_and_equal_items_too),
        cmocka_unit_test(items_in_order_are_compared_once),
        cmocka_unit_test(sorting_stops_where_the_host_says),
        cmocka_unit_test(the_first_of_many_are_those_of_the_whole_order),
        cmocka_unit_test(to_find_the_first_stops_where_the_host_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
