/* test_memory.c - memory that is counted, limited and lent; the arena and the vector above it. */
#include "support.h"

#include <string.h>

#include "base/memory.h"

/* ------------------------------------------------------------------ memory */

static void memory_is_counted(void **state)
{
    test_host host;
    hb_memory memory;

    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 0);
    void *a = hb_allocate(&memory, 100), *b = hb_allocate(&memory, 50);
    assert_int_equal(memory.used, 150);
    a = hb_resize(&memory, a, 100, 300);
    assert_int_equal(memory.used, 350);
    assert_int_equal(memory.peak, 450); /* the old 100, too, until they were moved */
    a = hb_resize(&memory, a, 300, 10);
    assert_int_equal(memory.used, 60);
    hb_release(&memory, a, 10);
    hb_release(&memory, b, 50);
    hb_release(&memory, NULL, 7);
    assert_int_equal(memory.used, 0);
    assert_int_equal(memory.peak, 450); /* while a grew, the host may have held 100, 50 and 300 */
    test_host_end(&host);
}

static void nothing_is_a_valid_block(void **state)
{
    test_host host;
    hb_memory memory;

    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 0);
    void *block = hb_allocate(&memory, 0);
    assert_non_null(block);
    block = hb_resize(&memory, block, 0, 0);
    assert_non_null(block);
    hb_release(&memory, block, 0);
    block = hb_resize(&memory, NULL, 0, 8);
    assert_non_null(block);
    hb_release(&memory, block, 8);
    assert_int_equal(memory.used, 0);
    test_host_end(&host);
}

static void the_limit_says_limit_and_the_host_says_nomem(void **state)
{
    test_host host;
    hb_memory memory;
    hbs_error error;

    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 1000);
    void *block = hb_allocate(&memory, 1000);
    assert_non_null(block);
    assert_null(hb_allocate(&memory, 1));
    assert_int_equal(hb_no_memory(&memory, &error), HBS_E_LIMIT);
    assert_non_null(strstr(error.text, "1000"));
    assert_null(hb_resize(&memory, block, 1000, 1001));
    assert_true(memory.over_limit);
    assert_null(hb_allocate(&memory, SIZE_MAX));
    assert_true(memory.over_limit);
    block = hb_resize(&memory, block, 1000, 900);
    assert_non_null(block);

    test_host_fail_at(&host, 1, false);
    assert_null(hb_allocate(&memory, 1));
    assert_int_equal(hb_no_memory(&memory, &error), HBS_E_NOMEM);
    block = hb_resize(&memory, block, 900, 400);
    test_host_fail_at(&host, 1, false);
    assert_null(hb_resize(&memory, block, 400, 500)); /* 900 at once: within the limit */
    assert_int_equal(hb_no_memory(&memory, &error), HBS_E_NOMEM);
    assert_int_equal(memory.used, 400);
    assert_null(hb_resize(&memory, block, 400, 601)); /* 1,001 at once */
    assert_int_equal(hb_no_memory(&memory, &error), HBS_E_LIMIT);
    hb_release(&memory, block, 400);
    test_host_end(&host);
}

static void lent_memory_is_used_before_the_host_is_asked(void **state)
{
    static _Alignas(64) char room[64 * 8 + 1];
    test_host host;
    hb_memory memory;

    (void)state;
    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 0);
    hb_memory_lend(&memory, room, sizeof(room));
    char *a = hb_allocate(&memory, 1), *b = hb_allocate(&memory, 65);
    assert_ptr_equal(a, room + 64 * 7);
    assert_ptr_equal(b, room + 64 * 5);
    assert_ptr_equal(hb_take_lent(&memory, 64), room);
    assert_null(hb_take_lent(&memory, 64 * 4 + 1));
    assert_null(hb_take_lent(&memory, SIZE_MAX));
    assert_int_equal(memory.used, 66); /* what was taken for good is not counted */
    assert_int_equal(host.asked, 0);

    char *c = hb_allocate(&memory, 64 * 4 + 1); /* 4 times 64 bytes are left */
    assert_int_equal(host.asked, 1);
    assert_null(hb_allocate(&memory, SIZE_MAX));
    char *d = hb_allocate(&memory, 64 * 4);
    assert_ptr_equal(d, room + 64);
    char *e = hb_allocate(&memory, 0);
    assert_non_null(e);
    assert_int_equal(host.asked, 2);
    hb_release(&memory, d, 64 * 4); /* the last one: free again */
    assert_ptr_equal(hb_allocate(&memory, 64), room + 64 * 4);
    hb_release(&memory, a, 1); /* not the last one: lost */
    hb_release(&memory, room + 64 * 4, 64);
    assert_ptr_equal(hb_allocate(&memory, 64), room + 64 * 4);
    hb_release(&memory, room + 64 * 4, 64);
    hb_release(&memory, b, 65);
    hb_release(&memory, c, 64 * 4 + 1);
    hb_release(&memory, e, 0);
    assert_int_equal(memory.used, 0);
    test_host_end(&host);
}

static void a_block_of_lent_memory_moves_where_it_grows(void **state)
{
    static _Alignas(64) char room[64 * 8];
    test_host host;
    hb_memory memory;

    (void)state;
    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 1000);
    hb_memory_lend(&memory, room, sizeof(room));
    char *block = hb_allocate(&memory, 3);
    memcpy(block, "abc", 3);
    assert_ptr_equal(hb_resize(&memory, block, 3, 64), block);
    assert_ptr_equal(hb_resize(&memory, block, 64, 2), block);
    block = hb_resize(&memory, block, 2, 65);
    assert_ptr_equal(block, room + 64 * 5);
    assert_memory_equal(block, "ab", 2);
    assert_int_equal(memory.used, 65);
    assert_null(hb_resize(&memory, block, 65, 936)); /* 1,001 at once: the limit is for lent memory too */
    assert_true(memory.over_limit);
    test_host_fail_at(&host, 1, false);
    assert_null(hb_resize(&memory, block, 65, 64 * 6));
    assert_memory_equal(block, "ab", 2);
    block = hb_resize(&memory, block, 65, 64 * 6); /* to the host; what it leaves is free again */
    assert_memory_equal(block, "ab", 2);
    assert_int_equal(host.blocks, 1);
    assert_ptr_equal(hb_allocate(&memory, 64), room + 64 * 6);
    hb_release(&memory, room + 64 * 6, 64);
    block = hb_resize(&memory, block, 64 * 6, 64 * 7); /* the host's stay the host's */
    assert_int_equal(host.blocks, 1);
    hb_release(&memory, block, 64 * 7);
    test_host_end(&host);
}

static void lent_memory_may_begin_and_end_anywhere(void **state)
{
    static _Alignas(64) char room[64 * 3];

    (void)state;
    for (size_t begin = 0; begin <= 64; begin++)
        for (size_t size = 0; size <= 128; size++) {
            test_host host;
            hb_memory memory;
            char *blocks[3];
            size_t lent = 0;

            test_host_init(&host);
            hb_memory_init(&memory, &host.host, 0);
            hb_memory_lend(&memory, room + begin, size);
            for (size_t i = 0; i < 3; i++) {
                blocks[i] = hb_allocate(&memory, 64);
                if (blocks[i] >= room && blocks[i] < room + sizeof(room)) {
                    assert_true(blocks[i] >= room + begin && blocks[i] + 64 <= room + begin + size);
                    assert_int_equal((uintptr_t)blocks[i] % 64, 0);
                    lent++;
                }
            }
            assert_int_equal(
                lent, (begin + size) / 64 - (begin + 63) / 64 <= 2 ? (begin + size) / 64 - (begin + 63) / 64 : 0);
            for (size_t i = 0; i < 3; i++)
                hb_release(&memory, blocks[i], 64);
            test_host_end(&host);
        }
}

static void a_sum_of_sizes_cannot_wrap_past_the_limit(void **state)
{
    test_host host;
    hb_memory memory;

    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 0);
    void *block = hb_allocate(&memory, 16);
    assert_null(hb_allocate(&memory, SIZE_MAX - 8));
    assert_true(memory.over_limit);
    hb_release(&memory, block, 16);
    test_host_end(&host);
}

static void polling_asks_the_host(void **state)
{
    test_host host;
    hbs_error error;

    test_host_init(&host);
    assert_int_equal(hb_poll(&host.host, &error), HBS_OK);
    host.cancel_at = 2;
    assert_int_equal(hb_poll(&host.host, &error), HBS_E_CANCEL);
    assert_int_equal(error.status, HBS_E_CANCEL);
    host.host.cancelled = NULL;
    assert_int_equal(hb_poll(&host.host, &error), HBS_OK);
}

static void arithmetic_is_checked(void **state)
{
    size_t result = 0;

    assert_true(hb_multiply(3, 5, &result) && result == 15);
    assert_true(hb_multiply(SIZE_MAX, 1, &result) && result == SIZE_MAX);
    assert_false(hb_multiply(SIZE_MAX / 2 + 1, 2, &result));
    assert_true(hb_add(SIZE_MAX - 1, 1, &result) && result == SIZE_MAX);
    assert_false(hb_add(SIZE_MAX, 1, &result));
}

/* ------------------------------------------------------------------ arena */

static void arena_pieces_are_zeroed_aligned_and_apart(void **state)
{
    test_host host;
    hb_memory memory;
    hb_arena arena;
    uint64_t seed = 1;
    unsigned char *pieces[300];
    size_t sizes[300];

    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 0);
    hb_arena_init(&arena, &memory);
    for (size_t i = 0; i < 300; i++) {
        sizes[i] = (size_t)(test_random(&seed) % (i % 10 == 0 ? 100000 : 200));
        pieces[i] = hb_arena_array(&arena, sizes[i], 1);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(pieces[i][k], 0);
        memset(pieces[i], (int)i, sizes[i]);
    }
    for (size_t i = 0; i < 300; i++)
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(pieces[i][k], (unsigned char)i);
    hb_arena_release(&arena);
    assert_int_equal(memory.used, 0);
    test_host_end(&host);
}

static void arena_takes_few_blocks_and_little_more(void **state)
{
    test_host host;
    hb_memory memory;
    hb_arena arena;

    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 0);
    hb_arena_init(&arena, &memory);
    for (int i = 0; i < 100000; i++)
        assert_non_null(hb_arena_array(&arena, 2, 16));
    assert_true(host.blocks < 70);
    assert_true(memory.used < 3200000 + 200000);
    hb_arena_release(&arena);
    test_host_end(&host);
}

static void arena_copies_texts(void **state)
{
    test_host host;
    hb_memory memory;
    hb_arena arena;

    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 0);
    hb_arena_init(&arena, &memory);
    char *text = hb_arena_text(&arena, "abcdef", 3);
    assert_string_equal(text, "abc");
    assert_string_equal(hb_arena_text(&arena, NULL, 0), "");
    assert_null(hb_arena_text(&arena, "x", SIZE_MAX));
    hb_arena_release(&arena);
    test_host_end(&host);
}

static void arena_refuses_sizes_that_wrap(void **state)
{
    test_host host;
    hb_memory memory;
    hb_arena arena;

    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 0);
    hb_arena_init(&arena, &memory);
    assert_null(hb_arena_array(&arena, SIZE_MAX / 8, 16));
    assert_true(memory.over_limit);
    assert_null(hb_arena_array(&arena, SIZE_MAX, 1));
    assert_null(hb_arena_array(&arena, SIZE_MAX - 20, 1));
    assert_non_null(hb_arena_array(&arena, 0, 16));
    assert_non_null(hb_arena_array(&arena, 16, 0));
    assert_int_equal(host.blocks, 1);
    hb_arena_release(&arena);
    hb_arena_release(&arena);
    test_host_end(&host);
}

static hbs_status fill_arena(const hbs_host *host, void *context, hbs_error *error)
{
    hb_memory memory;
    hb_arena arena;
    hbs_status status = HBS_OK;

    hb_memory_init(&memory, host, 0);
    hb_arena_init(&arena, &memory);
    for (size_t i = 0; i < 50 && status == HBS_OK; i++)
        if (!hb_arena_array(&arena, i * i, 8))
            status = hb_no_memory(&memory, error);
    hb_arena_release(&arena);
    return status;
}

static void arena_survives_every_allocation_failure(void **state)
{
    assert_true(test_each_allocation_fails(fill_arena, NULL) > 5);
}

/* ------------------------------------------------------------------ vector */

static void vector_appends_and_grows_by_half(void **state)
{
    test_host host;
    hb_memory memory;
    hb_vector vector;

    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 0);
    hb_vector_init(&vector, &memory, sizeof(int));
    for (int i = 0; i < 100000; i++) {
        int *at = hb_vector_append(&vector, &i, 1);

        assert_non_null(at);
        assert_int_equal(*at, i);
        assert_true(vector.capacity <= (vector.count + 16) * 3 / 2 + 16);
    }
    for (int i = 0; i < 100000; i++)
        assert_int_equal(((int *)vector.items)[i], i);
    assert_true(host.asked < 30);
    hb_vector_release(&vector);
    assert_int_equal(memory.used, 0);
    test_host_end(&host);
}

static void vector_appends_zeros_and_nothing(void **state)
{
    test_host host;
    hb_memory memory;
    hb_vector vector;

    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 0);
    hb_vector_init(&vector, &memory, 8);
    assert_non_null(hb_vector_append(&vector, NULL, 0));
    assert_int_equal(vector.count, 0);
    uint64_t *zeros = hb_vector_append(&vector, NULL, 3);
    assert_int_equal(vector.count, 3);
    assert_true(zeros[0] == 0 && zeros[1] == 0 && zeros[2] == 0);
    assert_true(hb_vector_reserve(&vector, 1000));
    assert_true(vector.capacity >= 1003 && vector.count == 3);
    hb_vector_release(&vector);
    assert_int_equal(memory.used, 0);
    test_host_end(&host);
}

static void vector_refuses_counts_that_wrap(void **state)
{
    test_host host;
    hb_memory memory;
    hb_vector vector;
    uint64_t item = 7;

    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 0);
    hb_vector_init(&vector, &memory, 8);
    assert_non_null(hb_vector_append(&vector, &item, 1));
    assert_false(hb_vector_reserve(&vector, SIZE_MAX));
    assert_true(memory.over_limit);
    assert_false(hb_vector_reserve(&vector, SIZE_MAX / 8));
    assert_true(memory.over_limit);
    assert_int_equal(vector.count, 1);
    assert_int_equal(*(uint64_t *)vector.items, 7);
    hb_vector_release(&vector);
    test_host_end(&host);
}

static void vector_takes_what_is_needed_where_the_reserve_is_over_the_limit(void **state)
{
    test_host host;
    hb_memory memory;
    hb_vector vector;

    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 1000);
    hb_vector_init(&vector, &memory, 1);
    assert_true(hb_vector_reserve(&vector, 450));
    vector.count = 450;
    assert_true(hb_vector_reserve(&vector, 100)); /* 450 + 550, half of it as a reserve more: too much */
    assert_int_equal(vector.capacity, 550);
    vector.count = 550;
    assert_false(hb_vector_reserve(&vector, 1));
    assert_true(memory.over_limit);
    hb_vector_release(&vector);
    test_host_end(&host);
}

static void vector_grows_at_once_for_what_is_expected(void **state)
{
    test_host host;
    hb_memory memory;
    hb_vector vector;

    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 10000);
    hb_vector_init(&vector, &memory, 1);
    assert_true(hb_vector_expect(&vector, 10, 4000));
    assert_int_equal(vector.capacity, 4000);
    assert_true(hb_vector_expect(&vector, 4000, 9000)); /* there is room: nothing grows */
    assert_int_equal(host.asked, 1);
    vector.count = 4000;
    assert_true(hb_vector_expect(&vector, 10, SIZE_MAX)); /* more than there can be, but 10 may be had */
    assert_in_range(vector.capacity, 4010, 6000);
    assert_true(hb_vector_expect(&vector, 10, 0));
    vector.count = vector.capacity;
    assert_false(hb_vector_expect(&vector, 9000, 9000));
    assert_true(memory.over_limit);
    hb_vector_release(&vector);
    test_host_end(&host);
}

/* Its items too take fewer faults to touch then; what it holds beside them is counted, and given up where there is a
 * limit. */
static void vector_that_begins_large_begins_with_a_large_page(void **state)
{
    enum { ITEMS = HB_LARGE_PAGE, MORE = 5 * HB_LARGE_PAGE };
    test_host host;
    hb_memory memory;
    hb_vector vector;

    for (int limited = 0; limited < 2; limited++) {
        test_host_init(&host);
        hb_memory_init(&memory, &host.host, limited ? ITEMS * sizeof(uint32_t) : 0);
        hb_vector_init(&vector, &memory, sizeof(uint32_t));
        assert_true(hb_vector_reserve(&vector, ITEMS));
        assert_int_equal(memory.used, ITEMS * sizeof(uint32_t) + (limited ? 0 : HB_LARGE_PAGE));
        if (!limited) {
            assert_int_equal((uintptr_t)vector.items % HB_LARGE_PAGE, 0);
            for (uint32_t i = 0; i < ITEMS; i++)
                assert_non_null(hb_vector_append(&vector, &i, 1));
            assert_true(hb_vector_reserve(&vector, MORE));
            for (uint32_t i = 0; i < ITEMS; i++)
                assert_int_equal(((const uint32_t *)vector.items)[i], i);
        }
        hb_vector_release(&vector);
        assert_int_equal(memory.used, 0);
        test_host_end(&host);
    }
}

/* Else a hostile array would be moved once for each few items. */
static void vector_grows_in_few_steps_up_to_the_limit(void **state)
{
    test_host host;
    hb_memory memory;
    hb_vector vector;

    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 10000000);
    hb_vector_init(&vector, &memory, 4);
    while (hb_vector_append(&vector, NULL, 1))
        ;
    assert_true(memory.over_limit);
    assert_true(vector.count > 1000000); /* of 2,500,000 that would fit if nothing had to be moved */
    assert_true(host.asked < 80);
    hb_vector_release(&vector);
    test_host_end(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_counted),
        cmocka_unit_test(lent_memory_is_used_before_the_host_is_asked),
        cmocka_unit_test(a_block_of_lent_memory_moves_where_it_grows),
        cmocka_unit_test(lent_memory_may_begin_and_end_anywhere),
        cmocka_unit_test(nothing_is_a_valid_block),
        cmocka_unit_test(the_limit_says_limit_and_the_host_says_nomem),
        cmocka_unit_test(a_sum_of_sizes_cannot_wrap_past_the_limit),
        cmocka_unit_test(polling_asks_the_host),
        cmocka_unit_test(arithmetic_is_checked),
        cmocka_unit_test(arena_pieces_are_zeroed_aligned_and_apart),
        cmocka_unit_test(arena_takes_few_blocks_and_little_more),
        cmocka_unit_test(arena_copies_texts),
        cmocka_unit_test(arena_refuses_sizes_that_wrap),
        cmocka_unit_test(arena_survives_every_allocation_failure),
        cmocka_unit_test(vector_appends_and_grows_by_half),
        cmocka_unit_test(vector_appends_zeros_and_nothing),
        cmocka_unit_test(vector_refuses_counts_that_wrap),
        cmocka_unit_test(vector_takes_what_is_needed_where_the_reserve_is_over_the_limit),
        cmocka_unit_test(vector_grows_at_once_for_what_is_expected),
        cmocka_unit_test(vector_that_begins_large_begins_with_a_large_page),
        cmocka_unit_test(vector_grows_in_few_steps_up_to_the_limit),
    };

    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
