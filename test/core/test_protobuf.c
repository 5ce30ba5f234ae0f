/* test_protobuf.c - what the protobuf reader takes and what it refuses, by tables. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/protobuf.h"

typedef struct fixture {
    test_host host;
    hb_work work;
    hbs_error error;
    char *bytes;
    hb_protobuf file;
    hb_message m;
} fixture;

static hb_message *open_message(fixture *f, const char *bytes, size_t size, uint64_t once)
{
    test_host_init(&f->host);
    f->work = hb_work_of(&f->host.host);
    memset(&f->error, 0, sizeof f->error);
    f->bytes = test_exact_copy(bytes, size);
    hb_protobuf_open(&f->file, f->bytes, size, &f->work, &f->error, "model", once, &f->m);
    return &f->m;
}

static void close_message(fixture *f)
{
    free(f->bytes);
    test_host_end(&f->host);
}

/* Literal bytes with their size; a NUL inside is written \0 and octal digits never follow it. */
#define B(literal) literal, sizeof(literal) - 1

/* ------------------------------------------------------------------ integers */

static const struct {
    const char *bytes;
    size_t size;
    int64_t number;
} integers[] = {
    {B("\x08\0"), 0},
    {B("\x08\x01"), 1},
    {B("\x08\x7f"), 127},
    {B("\x08\x80\x01"), 128},
    {B("\x08\x80\0"), 0}, /* longer than it must be, as some writers have it */
    {B("\x08\xff\xff\xff\xff\x07"), INT32_MAX},
    {B("\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), INT64_MAX},
    {B("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), -1},
    {B("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), INT64_MIN},
    {B("\x88\0\x05"), 5}, /* a tag may be longer too */
};

static void a_varint_has_up_to_ten_bytes(void **state)
{
    for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
        fixture f;
        hb_field field;
        hb_message *m = open_message(&f, integers[i].bytes, integers[i].size, 0);

        assert_true(hb_message_next(m, &field));
        assert_int_equal(field.number, 1);
        assert_int_equal(hb_field_integer(m, &field), integers[i].number);
        assert_false(hb_message_next(m, &field));
        assert_true(hb_protobuf_ok(&f.file));
        close_message(&f);
    }
}

/* ------------------------------------------------------------------ what is refused */

static const struct {
    const char *bytes;
    size_t size;
    size_t offset;
    const char *words;
} refused[] = {
    {B("\x08"), 1, "in the middle of a number"},
    {B("\x08\x80"), 2, "in the middle of a number"},
    {B("\x80"), 1, "in the middle of a number"},
    {B("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), 1, "more than 64 bits"},
    {B("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\0"), 1, "more than 64 bits"},
    {B("\0\x01"), 0, "number of a field"},
    {B("\x80\x80\x80\x80\x80\x01\x01"), 0, "number of a field"},
    {B("\x0d\0\0\0"), 1, "in the middle of a number"},
    {B("\x09\0\0\0\0\0\0\0"), 1, "in the middle of a number"},
    {B("\x0a\x01"), 1, "a length goes beyond the end"},
    {B("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 1, "a length goes beyond the end"},
    {B("\x0b\x0c"), 0, "a group"},
    {B("\x0c"), 0, "a group"},
    {B("\x0e\0"), 0, "no known kind"},
    {B("\x0f\0"), 0, "no known kind"},
    {B("\x10\x01\x08\x02\x08\x03"), 4, "field 1 stands twice"},
};

static void what_is_no_message_is_refused_with_its_place(void **state)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        fixture f;
        hb_field field;
        hb_message *m = open_message(&f, refused[i].bytes, refused[i].size, HB_FIELD(1));

        while (hb_message_next(m, &field))
            ;
        assert_int_equal(f.file.status, HBS_E_FORMAT);
        assert_int_equal(f.error.offset, refused[i].offset);
        if (!strstr(f.error.text, refused[i].words) || !strstr(f.error.text, "model: "))
            fail_msg("case %zu: %s", i, f.error.text);
        assert_false(hb_message_next(m, &field)); /* the first error stays */
        close_message(&f);
    }
}

static void a_field_of_another_type_is_refused(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        int kind; /* that is asked for */
    } cases[] = {{B("\x0a\0"), 0}, {B("\x08\x01"), 1}, {B("\x0d\0\0\0\0"), 2}, {B("\x0d\0\0\0\0"), 3}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture f;
        hb_field field;
        hb_message inner, *m = open_message(&f, cases[i].bytes, cases[i].size, 0);

        assert_true(hb_message_next(m, &field));
        if (cases[i].kind == 0)
            assert_int_equal(hb_field_integer(m, &field), 0);
        else if (cases[i].kind == 1)
            assert_true(hb_field_float(m, &field) == 0);
        else if (cases[i].kind == 2)
            assert_int_equal(hb_field_text(m, &field).size, 0);
        else
            assert_false(hb_message_open(m, &field, "graph", 0, &inner));
        assert_int_equal(f.file.status, HBS_E_FORMAT);
        assert_non_null(strstr(f.error.text, "of another type"));
        close_message(&f);
    }
}

/* ------------------------------------------------------------------ depth */

static void messages_deeper_than_the_limit_are_refused(void **state)
{
    enum { LEVELS = 40 };
    char bytes[2 * LEVELS];
    hb_message levels[LEVELS + 1];
    hb_field field;
    fixture f;
    int depth = 0;

    for (int i = 0; i < LEVELS; i++) {
        bytes[2 * i] = 0x0a;
        bytes[2 * i + 1] = (char)(2 * (LEVELS - 1 - i));
    }
    levels[0] = *open_message(&f, bytes, sizeof(bytes), 0);
    while (hb_message_next(&levels[depth], &field) &&
           hb_message_open(&levels[depth], &field, "graph", 0, &levels[depth + 1]))
        depth++;
    assert_int_equal(depth, HB_PROTOBUF_DEPTH - 1);
    assert_int_equal(f.file.status, HBS_E_LIMIT);
    close_message(&f);
}

/* ------------------------------------------------------------------ repeated numbers */

/* Of field 8: packed, not packed, an empty pack, and another field between them. */
static void packed_and_unpacked_numbers_are_one_list(void **state)
{
    static const char bytes[] = "\x42\x03\x01\xac\x02\x10\x63\x40\x07\x42\0\x42\x01\x09";
    static const int64_t expected[] = {1, 300, 7, 9};
    fixture f;
    hb_message *m = open_message(&f, bytes, sizeof(bytes) - 1, 0), whole = *m;
    hb_repeated r = hb_repeated_begin(m, 8, HB_WIRE_VARINT);
    hb_field field;
    size_t n = 0;
    uint64_t bits;

    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        assert_int_equal(hb_repeated_integer(&r), expected[i]);
    assert_false(hb_repeated_next(&r, &bits));
    while (hb_message_next(&whole, &field))
        if (field.number == 8)
            n += hb_field_count(&whole, &field, HB_WIRE_VARINT);
    assert_int_equal(n, 4);
    assert_true(hb_protobuf_ok(&f.file));
    close_message(&f);
}

static void floats_and_texts_repeat_too(void **state)
{
    static const char bytes[] = "\x3a\x08\0\0\x80\x3f\0\0\xc0\x7f\x3d\0\0\0\xc0\x4a\x02no\x4a\0";
    fixture f;
    hb_message *m = open_message(&f, bytes, sizeof(bytes) - 1, 0);
    hb_repeated floats = hb_repeated_begin(m, 7, HB_WIRE_32), texts = hb_repeated_begin(m, 9, HB_WIRE_BYTES);
    hbs_text text;

    assert_true(hb_repeated_float(&floats) == 1);
    assert_true(isnan(hb_repeated_float(&floats)));
    assert_true(hb_repeated_float(&floats) == -2);
    assert_true(hb_repeated_text(&texts, &text));
    assert_int_equal(text.size, 2);
    assert_memory_equal(text.bytes, "no", 2);
    assert_true(hb_repeated_text(&texts, &text));
    assert_int_equal(text.size, 0);
    assert_false(hb_repeated_text(&texts, &text));
    assert_true(hb_protobuf_ok(&f.file));
    close_message(&f);
}

static void packs_that_hold_no_whole_numbers_are_refused(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        hb_wire wire;
    } cases[] = {{B("\x0a\x05\0\0\0\0\0"), HB_WIRE_32},
                 {B("\x0a\x0c\0\0\0\0\0\0\0\0\0\0\0\0"), HB_WIRE_64},
                 {B("\x0a\x02\x01\x80"), HB_WIRE_VARINT},
                 {B("\x08\x01"), HB_WIRE_32},
                 {B("\x08\x01"), HB_WIRE_BYTES}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture f;
        hb_field field;
        hb_message *m = open_message(&f, cases[i].bytes, cases[i].size, 0);

        assert_true(hb_message_next(m, &field));
        hb_field_count(m, &field, cases[i].wire);
        assert_int_equal(f.file.status, HBS_E_FORMAT);
        close_message(&f);
    }
}

/* ------------------------------------------------------------------ the host */

static void long_messages_ask_the_host(void **state)
{
    enum { SIZE = 1 << 20 };
    char *bytes = calloc(SIZE, 1);
    hb_field field;
    fixture f;
    hb_message *m;

    for (size_t i = 0; i < SIZE; i += 2)
        bytes[i] = 0x10;
    m = open_message(&f, bytes, SIZE, 0);
    while (hb_message_next(m, &field))
        ;
    assert_true(hb_protobuf_ok(&f.file));
    assert_true(f.host.polls > 10);
    close_message(&f);
    m = open_message(&f, bytes, SIZE, 0);
    f.host.cancel_at = 2;
    while (hb_message_next(m, &field))
        ;
    assert_int_equal(f.file.status, HBS_E_CANCEL);
    assert_int_equal(f.error.status, HBS_E_CANCEL);
    close_message(&f);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_varint_has_up_to_ten_bytes),
        cmocka_unit_test(what_is_no_message_is_refused_with_its_place),
        cmocka_unit_test(a_field_of_another_type_is_refused),
        cmocka_unit_test(messages_deeper_than_the_limit_are_refused),
        cmocka_unit_test(packed_and_unpacked_numbers_are_one_list),
        cmocka_unit_test(floats_and_texts_repeat_too),
        cmocka_unit_test(packs_that_hold_no_whole_numbers_are_refused),
        cmocka_unit_test(long_messages_ask_the_host),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
