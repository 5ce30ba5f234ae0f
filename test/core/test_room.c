/* test_room.c - compiling in memory that is free to be written over: the same plan, and one owner of the block. */
#include "models.h"
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

/* A model whose plan has a few hundred kilobytes. */
static hbs_model *a_model(const hbs_host *host)
{
    static const test_shape shape = {
        .n_features = 9, .n_outputs = 1, .leaf_width = 1, .n_trees = 600, .depth = 8, .finite = true};
    uint64_t random = 7;
    hb_forest_model forest;
    hb_memory memory;
    hbs_model *model;
    char *json;

    hb_memory_init(&memory, host, 0);
    hb_forest_model_init(&forest, &memory);
    test_random_forest(&forest, &shape, &random);
    json = test_write_file(&(test_file){.objective = "reg:squarederror", .n_targets = 1, .forest = &forest});
    hb_forest_model_release(&forest);
    model = test_load(host, json, NULL);
    free(json);
    return model;
}

/* A room whose bytes begin anywhere in its block, and are anything. */
static hbs_room room_of(const hbs_host *host, size_t bytes, size_t before)
{
    hbs_room room = {.block = host->allocate(host->context, before + bytes + 1), .bytes = bytes};

    assert_non_null(room.block);
    room.begin = memset((char *)room.block + before, 0x5a, bytes);
    return room;
}

/* Compiles in a room of this size, and compares with the plan that was made without; whether it is in the room. */
static bool in_room(test_host *host, const hbs_model *model, const hbs_plan *alone, size_t size)
{
    hbs_room room = room_of(&host->host, size, size % 97), given = room;
    size_t bytes = (size_t)alone->header->bytes, held = host->bytes - (size % 97 + size + 1);
    bool inside;
    hbs_plan *plan;
    hbs_error error;

    assert_status(hbs_plan_compile_in(model, NULL, &room, &plan, &error), HBS_OK, &error);
    assert_int_equal(plan->header->bytes, bytes);
    assert_memory_equal(plan->header, alone->header, bytes);
    inside = !room.block;
    if (inside) {
        assert_null(room.begin);
        assert_int_equal(room.bytes, 0);
        assert_int_equal(host->bytes - held, (size_t)((char *)plan->header + bytes - (char *)plan->block));
    } else {
        assert_memory_equal(&room, &given, sizeof(room));
        host->host.release(host->host.context, room.block);
    }
    hbs_plan_free(plan);
    return inside;
}

static void the_same_plan_in_rooms_of_all_sizes(void **state)
{
    test_host host;
    hbs_model *model;
    hbs_plan *alone;
    hbs_error error;
    size_t bytes, inside = 0, least = SIZE_MAX;

    (void)state;
    test_host_init(&host);
    model = a_model(&host.host);
    assert_status(hbs_plan_compile(model, NULL, &alone, &error), HBS_OK, &error);
    bytes = (size_t)alone->header->bytes;
    for (size_t size = 0; size < 16 * bytes; size = size < 4096 ? size + 977 : size + size / 7)
        if (in_room(&host, model, alone, size)) {
            inside++;
            least = size < least ? size : least;
        }
    assert_true(inside > 3 && least > bytes);
    for (size_t step = bytes; step >= 32;
         step = step / 32 * 16) /* down to the least one, which scratch fills as well */
        while (least > step && in_room(&host, model, alone, least - step))
            least -= step;
    hbs_plan_free(alone);
    hbs_model_free(model);
    test_host_end(&host);
}

/* A host that resizes until it is told not to. */
static void *(*resize)(void *context, void *block, size_t bytes);
static bool refuses;

static void *resize_or_not(void *context, void *block, size_t bytes)
{
    return refuses ? NULL : resize(context, block, bytes);
}

static void a_block_that_is_not_cut_stays_with_the_plan(void **state)
{
    test_host host;
    hbs_model *model;
    hbs_plan *alone, *plan;
    hbs_error error;
    size_t bytes, asked;

    (void)state;
    test_host_init(&host);
    resize = host.host.resize;
    host.host.resize = resize_or_not;
    model = a_model(&host.host);
    assert_status(hbs_plan_compile(model, NULL, &alone, &error), HBS_OK, &error);
    bytes = (size_t)alone->header->bytes;
    hbs_room room = room_of(&host.host, 3 * bytes, 0);

    asked = host.asked;
    refuses = true;
    assert_status(hbs_plan_compile_in(model, NULL, &room, &plan, &error), HBS_OK, &error);
    refuses = false;
    assert_null(room.block);
    assert_int_equal(host.asked, asked); /* all was in the room */
    assert_memory_equal(plan->header, alone->header, bytes);
    hbs_plan_free(plan);
    hbs_plan_free(alone);
    hbs_model_free(model);
    test_host_end(&host);
}

/* After an error the room is the caller's as it was, and may be used again. */
static void after_an_error_the_room_is_the_callers(void **state)
{
    test_host host;
    hbs_model *model;
    hbs_plan *plan;
    hbs_error error;
    hbs_status status = HBS_E_NOMEM;

    (void)state;
    test_host_init(&host);
    model = a_model(&host.host);
    for (int cancel = 0; cancel < 2; cancel++) {
        hbs_room room = room_of(&host.host, 20000, 0), given = room;
        size_t n = 0;

        do {
            n++;
            host.polls = 0;
            host.cancel_at = cancel ? n : 0;
            test_host_fail_at(&host, cancel ? 0 : n, false);
            status = hbs_plan_compile_in(model, NULL, &room, &plan, &error);
            if (status != HBS_OK) {
                assert_status(status, cancel ? HBS_E_CANCEL : HBS_E_NOMEM, &error);
                assert_null(plan);
            }
            assert_memory_equal(&room, &given, sizeof(room));
        } while (status != HBS_OK);
        assert_true(n > 2);
        test_host_fail_at(&host, 0, false);
        hbs_plan_free(plan);
        host.host.release(host.host.context, room.block);
    }
    hbs_model_free(model);
    test_host_end(&host);
}

/* An error when the plan is in the room already does not free the room's block. */
static void after_a_late_error_the_room_is_the_callers(void **state)
{
    test_host host;
    hbs_model *model;
    hbs_plan *plan;
    hbs_error error;
    size_t polls, bytes;

    (void)state;
    test_host_init(&host);
    model = a_model(&host.host);
    assert_status(hbs_plan_compile(model, NULL, &plan, &error), HBS_OK, &error);
    bytes = (size_t)plan->header->bytes;
    hbs_plan_free(plan);
    hbs_room room = room_of(&host.host, 3 * bytes, 0), given = room;

    host.polls = 0;
    assert_status(hbs_plan_compile_in(model, NULL, &room, &plan, &error), HBS_OK, &error);
    assert_null(room.block);
    polls = host.polls;
    hbs_plan_free(plan);
    room = room_of(&host.host, 3 * bytes, 0);
    given = room;
    host.polls = 0;
    host.cancel_at = polls; /* the last one: trees are written */
    assert_status(hbs_plan_compile_in(model, NULL, &room, &plan, &error), HBS_E_CANCEL, &error);
    assert_null(plan);
    assert_memory_equal(&room, &given, sizeof(room));
    host.cancel_at = 0;
    assert_status(hbs_plan_compile_in(model, NULL, &room, &plan, &error), HBS_OK, &error);
    assert_null(room.block);
    hbs_plan_free(plan);
    hbs_model_free(model);
    test_host_end(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_plan_in_rooms_of_all_sizes),
        cmocka_unit_test(a_block_that_is_not_cut_stays_with_the_plan),
        cmocka_unit_test(after_an_error_the_room_is_the_callers),
        cmocka_unit_test(after_a_late_error_the_room_is_the_callers),
    };

    return cmocka_run_group_tests_name("room", tests, NULL, NULL);
}
