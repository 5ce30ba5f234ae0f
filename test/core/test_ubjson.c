/* test_ubjson.c - what the UBJSON reader takes and what it refuses, by tables. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "document_walk.h"

typedef struct fixture {
    test_host host;
    hb_memory memory;
    hbs_error error;
    char *bytes;
    hb_document *d;
} fixture;

static hb_document *open_ubjson(fixture *f, const char *bytes, size_t size)
{
    test_host_init(&f->host);
    hb_memory_init(&f->memory, &f->host.host, 0);
    memset(&f->error, 0, sizeof f->error);
    f->bytes = test_exact_copy(bytes, size);
    assert_status(hb_document_open(&f->memory, f->bytes, size, HB_UBJSON, &f->error, &f->d), HBS_OK, &f->error);
    return f->d;
}

static void close_ubjson(fixture *f)
{
    hb_document_close(f->d);
    free(f->bytes);
    test_host_end(&f->host);
}

/* Literal bytes with their size; a NUL inside is written \0 and octal digits never follow it. */
#define B(literal) literal, sizeof(literal) - 1
#define LENGTH(n)  "L\0\0\0\0\0\0\0" n /* as XGBoost writes each length and count */

/* ------------------------------------------------------------------ what is taken */

static const struct {
    const char *bytes;
    size_t size;
    const char *json; /* what it means */
} accepted[] = {
    {B("{}"), "{}"},
    {B("[]"), "[]"},
    {B("Z"), "null"},
    {B("T"), "true"},
    {B("F"), "false"},
    {B("i\x85"), "-123"},
    {B("U\x85"), "133"},
    {B("I\xFF\xFE"), "-2"},
    {B("I\x12\x34"), "4660"},
    {B("l\xFF\xFF\xFF\xFE"), "-2"},
    {B("l\x12\x34\x56\x78"), "305419896"},
    {B("L\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE"), "-2"},
    {B("L\0\0\0\x12\x34\x56\x78\x9A"), "78187493530"},
    {B("d\x3F\xC0\0\0"), "1.5"},
    {B("D\xBF\xF8\0\0\0\0\0\0"), "-1.5"},
    {B("Ca"), "\"a\""},
    {B("Si\x03"
       "abc"),
     "\"abc\""},
    {B("SU\x03"
       "abc"),
     "\"abc\""},
    {B("SI\0\x03"
       "abc"),
     "\"abc\""},
    {B("Sl\0\0\0\x03"
       "abc"),
     "\"abc\""},
    {B("S" LENGTH("\x03") "abc"), "\"abc\""},
    {B("Si\0"), "\"\""},
    {B("Si\x02\xC3\xA9"), "\"\xC3\xA9\""},

    /* objects: keys have a length and no S */
    {B("{i\x01"
       "aZ}"),
     "{\"a\":null}"},
    {B("{" LENGTH("\x01") "aTU\x01"
                          "bi\x07}"),
     "{\"a\":true,\"b\":7}"},
    {B("{i\0Z}"), "{\"\":null}"},
    {B("{#i\x02i\x01"
       "aZi\x01"
       "bT"),
     "{\"a\":null,\"b\":true}"},
    {B("{#i\0"), "{}"},
    {B("{$i#i\x02i\x01"
       "a\x05i\x01"
       "b\x06"),
     "{\"a\":5,\"b\":6}"},
    {B("{$S#i\x01i\x01"
       "ai\x02xy"),
     "{\"a\":\"xy\"}"},
    {B("{i\x01"
       "a{i\x01"
       "b{}}}"),
     "{\"a\":{\"b\":{}}}"},

    /* arrays: plain, with a count, with a type */
    {B("[i\x01i\x02]"), "[1,2]"},
    {B("[#i\x02i\x01i\x02"), "[1,2]"},
    {B("[#" LENGTH("\x03") "TZCx"), "[true,null,\"x\"]"},
    {B("[#U\0"), "[]"},
    {B("[$i#i\x02\x01\xFF"), "[1,-1]"},
    {B("[$U#i\x02\x01\xFF"), "[1,255]"},
    {B("[$I#i\x02\0\x01\xFF\xFF"), "[1,-1]"},
    {B("[$l#" LENGTH("\x02") "\0\0\0\x01\xFF\xFF\xFF\xFF"), "[1,-1]"},
    {B("[$L#i\x01\0\0\0\0\0\0\x01\0"), "[256]"},
    {B("[$d#" LENGTH("\x02") "\x3F\x80\0\0\xC0\0\0\0"), "[1.0,-2.0]"},
    {B("[$D#i\x01\x3F\xE0\0\0\0\0\0\0"), "[0.5]"},
    {B("[$C#i\x03xyz"), "[\"x\",\"y\",\"z\"]"},
    {B("[$S#i\x02i\x01"
       "ai\0"),
     "[\"a\",\"\"]"},
    {B("[$[#i\x02i\x01]]"), "[[1],[]]"},
    {B("[$[#i\x02$i#i\x01\x05#i\0"), "[[5],[]]"},
    {B("[${#i\x02i\x01"
       "aZ}}"),
     "[{\"a\":null},{}]"},
    {B("[$d#" LENGTH("\0")), "[]"},
    {B("[[i\x01][$U#i\x01\x02{}]"), "[[1],[2],{}]"},

    /* no-ops: between the values of containers that have neither type nor count */
    {B("[NN]"), "[]"},
    {B("[Ni\x01NNi\x02N]"), "[1,2]"},
    {B("{Ni\x01"
       "ai\x01NNi\x01"
       "bZN}"),
     "{\"a\":1,\"b\":null}"},
    {B("[i\x4E]"), "[78]"},
};

static void ubjson_means_what_json_means(void **state)
{
    char text[200];

    for (size_t row = 0; row < sizeof accepted / sizeof *accepted; row++) {
        fixture f;
        hb_document *d = open_ubjson(&f, accepted[row].bytes, accepted[row].size);
        walk_text out = {text, 0, sizeof text};

        walk_value(d, &out);
        if (hb_document_end(d) != HBS_OK || strcmp(text, accepted[row].json) != 0)
            fail_msg("row %zu: %s %s, expected %s", row, f.error.text, text, accepted[row].json);
        close_ubjson(&f);

        d = open_ubjson(&f, accepted[row].bytes, accepted[row].size);
        hb_skip(d, true);
        if (hb_document_end(d) != HBS_OK)
            fail_msg("row %zu is not skipped: %s", row, f.error.text);
        close_ubjson(&f);
    }
}

static void every_prefix_is_refused(void **state)
{
    for (size_t row = 0; row < sizeof accepted / sizeof *accepted; row++)
        for (size_t size = 0; size < accepted[row].size; size++)
            for (int way = 0; way < 2; way++) {
                fixture f;
                hb_document *d = open_ubjson(&f, accepted[row].bytes, size);
                walk_text none = {NULL, 0, 0};

                if (way)
                    hb_skip(d, true);
                else
                    walk_value(d, &none);
                if (hb_document_end(d) != HBS_E_FORMAT || f.error.offset > size)
                    fail_msg("row %zu cut to %zu: %s", row, size, f.error.text);
                close_ubjson(&f);
            }
}

/* ------------------------------------------------------------------ what is refused */

static const struct {
    const char *bytes;
    size_t size;
    hbs_status status;
    size_t offset;
    const char *words;
} refused[] = {
    {B(""), HBS_E_FORMAT, 0, "ends"},
    {B("x"), HBS_E_FORMAT, 0, "found \"x\""},
    {B("]"), HBS_E_FORMAT, 0, NULL},
    {B("N"), HBS_E_FORMAT, 0, NULL},
    {B("NZ"), HBS_E_FORMAT, 0, NULL},
    {B("ZN"), HBS_E_FORMAT, 1, "follows"},
    {B("Z\n"), HBS_E_FORMAT, 1, "follows"},
    {B("[]]"), HBS_E_FORMAT, 2, "follows"},
    {B("Hi\x01"
       "1"),
     HBS_E_FORMAT, 0, "found \"H\""},
    {B("[Hi\x01"
       "1]"),
     HBS_E_FORMAT, 1, "found \"H\""},

    /* strings and keys */
    {B("S"), HBS_E_FORMAT, 1, "ends too early"},
    {B("Si"), HBS_E_FORMAT, 1, "ends too early"},
    {B("Si\x04"
       "abc"),
     HBS_E_FORMAT, 3, "more bytes than are left"},
    {B("SL\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
       "abc"),
     HBS_E_FORMAT, 10, "more bytes than are left"},
    {B("Si\xFF"
       "abc"),
     HBS_E_FORMAT, 1, "expected a length, found -1"},
    {B("SI\xFF\xFF"
       "abc"),
     HBS_E_FORMAT, 1, "expected a length, found -1"},
    {B("SL\x80\0\0\0\0\0\0\0"
       "abc"),
     HBS_E_FORMAT, 1, "expected a length, found -9223372036854775808"},
    {B("Sd\0\0\0\0"), HBS_E_FORMAT, 1, "expected a length"},
    {B("SSi\x01"
       "a"),
     HBS_E_FORMAT, 1, "expected a length"},
    {B("SZ"), HBS_E_FORMAT, 1, "expected a length"},
    {B("Si\x01\xFF"), HBS_E_FORMAT, 3, "bad UTF-8"},
    {B("Si\x02"
       "a\xC3"),
     HBS_E_FORMAT, 3, "bad UTF-8"},
    {B("C\xC3"), HBS_E_FORMAT, 1, "bad UTF-8"},
    {B("{Si\x01"
       "aZ}"),
     HBS_E_FORMAT, 1, "expected a length"},
    {B("{i\x01"
       "a}"),
     HBS_E_FORMAT, 4, "found \"}\""},
    {B("{i\x01\xFFZ}"), HBS_E_FORMAT, 3, "bad UTF-8"},
    {B("{i\x05"
       "ab}"),
     HBS_E_FORMAT, 3, "more bytes than are left"},
    {B("{i\x01"
       "aZi\x01"
       "aZ}"),
     HBS_E_FORMAT, 5, "a: duplicate key"},
    {B("{i\x01"
       "aZU\x01"
       "aZ}"),
     HBS_E_FORMAT, 5, "a: duplicate key"},

    /* containers */
    {B("["), HBS_E_FORMAT, 1, NULL},
    {B("[}"), HBS_E_FORMAT, 1, NULL},
    {B("{]"), HBS_E_FORMAT, 1, NULL},
    {B("[$"), HBS_E_FORMAT, 1, NULL},
    {B("[$i]"), HBS_E_FORMAT, 1, "no count"},
    {B("[$i\x01\x02]"), HBS_E_FORMAT, 1, "no count"},
    {B("[$Z#i\x05"), HBS_E_FORMAT, 1, "a container of a type that is none"},
    {B("[$T#i\x05"), HBS_E_FORMAT, 1, "type"},
    {B("[$F#i\x05"), HBS_E_FORMAT, 1, "type"},
    {B("[$N#i\x05"), HBS_E_FORMAT, 1, "type"},
    {B("[$H#i\x01i\x01"
       "1"),
     HBS_E_FORMAT, 1, "type"},
    {B("[$\0#i\x01\0"), HBS_E_FORMAT, 1, "type"},
    {B("[$x#i\x01\0"), HBS_E_FORMAT, 1, "type"},
    {B("[$]#i\x01\0"), HBS_E_FORMAT, 1, "type"},
    {B("[#$i\x01\0"), HBS_E_FORMAT, 2, "expected a length"},
    {B("[#"), HBS_E_FORMAT, 2, "ends too early"},
    {B("[#i\xFF"), HBS_E_FORMAT, 2, "found -1"},
    {B("[#d\0\0\0\0"), HBS_E_FORMAT, 2, "expected a length"},
    {B("[#i\x02i\x01]"), HBS_E_FORMAT, 6, "found \"]\""},
    {B("[#i\x01i\x01]"), HBS_E_FORMAT, 6, "follows"},
    {B("[$i#i\x01\x01]"), HBS_E_FORMAT, 7, "follows"},
    {B("[#i\x02Ni\x01"), HBS_E_FORMAT, 4, "found \"N\""},
    {B("{#i\x01Ni\x01"
       "aZ"),
     HBS_E_FORMAT, 4, "expected a length"},
    {B("{i\x01"
       "aNZ}"),
     HBS_E_FORMAT, 4, "found \"N\""},

    /* lying counts */
    {B("[#L\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), HBS_E_FORMAT, 1, "more values than it has bytes"},
    {B("[#i\x02Z"), HBS_E_FORMAT, 1, "more values than it has bytes"},
    {B("[$d#L\x40\0\0\0\0\0\0\0"), HBS_E_FORMAT, 3, "more values than it has bytes"},
    {B("[$d#L\x40\0\0\0\0\0\0\x01\0\0\0\0"), HBS_E_FORMAT, 3, "more values than it has bytes"},
    {B("[$l#i\x02\0\0\0\x01\0\0\0"), HBS_E_FORMAT, 3, "more values than it has bytes"},
    {B("[$D#i\x01\0\0\0\0\0\0\0"), HBS_E_FORMAT, 3, "more values than it has bytes"},
    {B("[$I#i\x01\0"), HBS_E_FORMAT, 3, "more values than it has bytes"},
    {B("[$U#i\x04\0\0\0"), HBS_E_FORMAT, 3, "more values than it has bytes"},
    {B("[$S#i\x02i\0i"), HBS_E_FORMAT, 3, "more values than it has bytes"},
    {B("{#i\x02i\x01"
       "aZ"),
     HBS_E_FORMAT, 1, "more values than it has bytes"},
    {B("{$i#i\x02i\x01"
       "a\x05i"),
     HBS_E_FORMAT, 3, "more values than it has bytes"},

    /* numbers */
    {B("i"), HBS_E_FORMAT, 0, "ends too early"},
    {B("I\0"), HBS_E_FORMAT, 0, "ends too early"},
    {B("l\0\0\0"), HBS_E_FORMAT, 0, "ends too early"},
    {B("L\0\0\0\0\0\0\0"), HBS_E_FORMAT, 0, "ends too early"},
    {B("d\0\0\0"), HBS_E_FORMAT, 0, "ends too early"},
    {B("D\0\0\0\0\0\0\0"), HBS_E_FORMAT, 0, "ends too early"},
    {B("d\x7F\xC0\0\0"), HBS_E_FORMAT, 0, "finite"},
    {B("d\xFF\x80\0\0"), HBS_E_FORMAT, 0, "finite"},
    {B("D\x7F\xF8\0\0\0\0\0\0"), HBS_E_FORMAT, 0, "finite"},
    {B("[$d#i\x02\0\0\0\0\x7F\x80\0\0"), HBS_E_FORMAT, 10, "[1]: expected a finite number"},
    {B("[$D#i\x01\xFF\xF0\0\0\0\0\0\0"), HBS_E_FORMAT, 6, "[0]: expected a finite number"},
};

static void what_is_no_ubjson_is_refused(void **state)
{
    for (size_t row = 0; row < sizeof refused / sizeof *refused; row++)
        for (int way = 0; way < 2; way++) {
            fixture f;
            hb_document *d = open_ubjson(&f, refused[row].bytes, refused[row].size);
            walk_text none = {NULL, 0, 0};

            if (way)
                hb_skip(d, true);
            else
                walk_value(d, &none);
            hbs_status status = hb_document_end(d);

            if (status != refused[row].status || f.error.offset != refused[row].offset ||
                (refused[row].words && !strstr(f.error.text, refused[row].words)))
                fail_msg("row %zu way %d: %s, %s at %zu", row, way, hbs_status_name(status), f.error.text,
                         f.error.offset);
            assert_true(f.memory.peak < 8192);
            close_ubjson(&f);
        }
}

static void infinities_are_skipped_where_they_are_allowed(void **state)
{
    fixture f;
    hb_document *d = open_ubjson(&f, B("[d\x7F\x80\0\0[$d#i\x01\x7F\xC0\0\0D\xFF\xF0\0\0\0\0\0\0]"));

    hb_skip(d, false);
    assert_status(hb_document_end(d), HBS_OK, &f.error);
    close_ubjson(&f);
}

/* ------------------------------------------------------------------ scalars */

static void scalars_are_read_in_their_bounds(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *error;
    } table[] = {
        {B("i\x05"), NULL},
        {B("U\x05"), NULL},
        {B("L\0\0\0\0\0\0\0\x05"), NULL},
        {B("U\xFF"), "expected an integer of -5 to 5, found 255 (byte 0)"},
        {B("i\x80"), "expected an integer of -5 to 5, found -128 (byte 0)"},
        {B("d\x40\0\0\0"), "expected an integer, found a real number (byte 0)"},
        {B("Si\x01"
           "5"),
         "expected an integer, found a string (byte 0)"},
        {B("Z"), "expected an integer, found null (byte 0)"},
        {B("[]"), "expected an integer, found an array (byte 0)"},
        {B("?"), "expected an integer, found \"?\" (byte 0)"},
        {B(""), "expected an integer, but the document ends (byte 0)"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        fixture f;
        hb_document *d = open_ubjson(&f, table[i].bytes, table[i].size);
        int64_t number = hb_read_integer(d, -5, 5);

        assert_int_equal(number, table[i].error ? 0 : 5);
        if (table[i].error)
            assert_string_equal(f.error.text, table[i].error);
        else
            assert_status(hb_document_end(d), HBS_OK, &f.error);
        close_ubjson(&f);
    }
}

static void floats_are_read_from_any_number(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        float number;
        const char *error;
    } table[] = {
        {B("d\x3F\xC0\0\0"), 1.5f, NULL},
        {B("D\x3F\xB9\x99\x99\x99\x99\x99\x9A"), 0.1f, NULL},
        {B("i\xFF"), -1, NULL},
        {B("l\x01\0\0\x01"), 16777216, NULL}, /* 2^24 + 1: ties to even */
        {B("d\0\0\0\x01"), 1e-45f, NULL},
        {B("D\x7F\xEF\xFF\xFF\xFF\xFF\xFF\xFF"), 0, "does not fit a 32-bit float (byte 0)"},
        {B("d\x7F\x80\0\0"), 0, "expected a finite number (byte 0)"},
        {B("T"), 0, "expected a number, found a boolean (byte 0)"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        fixture f;
        hb_document *d = open_ubjson(&f, table[i].bytes, table[i].size);

        assert_true(hb_read_float(d) == table[i].number);
        assert_int_equal(hb_document_ok(d), table[i].error == NULL);
        if (table[i].error)
            assert_string_equal(f.error.text, table[i].error);
        close_ubjson(&f);
    }
}

/* ------------------------------------------------------------------ arrays of numbers */

static void typed_and_plain_arrays_give_the_same_items(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
    } forms[] = {
        {B("[$i#i\x03\x01\x02\x03")},
        {B("[$U#i\x03\x01\x02\x03")},
        {B("[$I#i\x03\0\x01\0\x02\0\x03")},
        {B("[$l#i\x03\0\0\0\x01\0\0\0\x02\0\0\0\x03")},
        {B("[$L#i\x03\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x03")},
        {B("[i\x01i\x02i\x03]")},
        {B("[#i\x03i\x01U\x02I\0\x03")},
        {B("[Ni\x01Nl\0\0\0\x02L\0\0\0\0\0\0\0\x03N]")},
        {B("[$d#i\x03\x3F\x80\0\0\x40\0\0\0\x40\x40\0\0")}, /* from here on for reals only */
        {B("[$D#i\x03\x3F\xF0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0\x40\x08\0\0\0\0\0\0")},
        {B("[d\x3F\x80\0\0D\x40\0\0\0\0\0\0\0i\x03]")},
    };

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        bool integers = i < 8;

        for (int way = 0; way < 5; way++) {
            static const size_t sizes[] = {4, 8, 4, 8, 1};
            fixture f;
            hb_vector out;
            hb_document *d = open_ubjson(&f, forms[i].bytes, forms[i].size);

            hb_vector_init(&out, &f.memory, sizes[way]);
            bool read = way == 0   ? hb_read_floats(d, &out, true)
                        : way == 1 ? hb_read_doubles(d, &out, true)
                        : way == 2 ? hb_read_int32s(d, &out)
                        : way == 3 ? hb_read_int64s(d, &out)
                                   : hb_read_uint8s(d, &out);
            if (read != (integers || way < 2))
                fail_msg("form %zu way %d: %s", i, way, f.error.text);
            if (!read)
                assert_non_null(strstr(f.error.text, "]: expected an integer, found a real number"));
            for (size_t k = 0; read && k < 3; k++) {
                double number = way == 0   ? (double)((float *)out.items)[k]
                                : way == 1 ? ((double *)out.items)[k]
                                : way == 2 ? ((int32_t *)out.items)[k]
                                : way == 3 ? (double)((int64_t *)out.items)[k]
                                           : ((uint8_t *)out.items)[k];
                assert_true(number == (double)k + 1);
            }
            if (read)
                assert_status(hb_document_end(d), HBS_OK, &f.error);
            hb_vector_release(&out);
            close_ubjson(&f);
        }
    }
}

static void a_bad_item_is_named_with_its_index(void **state)
{
    static const struct {
        size_t item_size; /* 4: int32, 8: int64, 1: uint8, 0: float */
        const char *bytes;
        size_t size;
        const char *error;
    } table[] = {
        {4, B("[$L#i\x02\0\0\0\0\0\0\0\x01\0\0\0\0\x80\0\0\0"), "[1]: does not fit a 32-bit integer (byte 14)"},
        {4, B("[i\x01L\0\0\0\0\x80\0\0\0]"), "[1]: does not fit a 32-bit integer (byte 3)"},
        {1, B("[$i#i\x02\x01\xFF"), "[1]: does not fit 0 to 255 (byte 7)"},
        {1, B("[$I#i\x01\x01\0"), "[0]: does not fit 0 to 255 (byte 6)"},
        {4, B("[i\x01T]"), "[1]: expected an integer, found a boolean (byte 3)"},
        {4, B("[i\x01Si\x01x]"), "[1]: expected an integer, found a string (byte 3)"},
        {4, B("[$S#i\x01i\x01x"), "[0]: expected an integer, found a string (byte 6)"},
        {0, B("[$C#i\x01x"), "[0]: expected a number, found a string (byte 6)"},
        {0, B("[$D#i\x01\x7F\xEF\xFF\xFF\xFF\xFF\xFF\xFF"), "[0]: does not fit a 32-bit float (byte 6)"},
        {0, B("[$d#i\x02\0\0\0\0\x7F\xC0\0\0"), "[1]: expected a finite number (byte 10)"},
        {0, B("[d\0\0\0\0d\x7F\xC0\0\0]"), "[1]: expected a finite number (byte 6)"},
        {0, B("[{}]"), "[0]: expected a number, found an object (byte 1)"},
        {0, B("{}"), "expected an array, found an object (byte 0)"},
        {0,
         B("[#i\x02"
           "d\0\0\0\0d\0\0\0"),
         "[1]: ends too early (byte 9)"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        fixture f;
        hb_vector out;
        hb_document *d = open_ubjson(&f, table[i].bytes, table[i].size);
        size_t item_size = table[i].item_size;

        hb_vector_init(&out, &f.memory, item_size ? item_size : 4);
        assert_false(item_size == 4   ? hb_read_int32s(d, &out)
                     : item_size == 8 ? hb_read_int64s(d, &out)
                     : item_size == 1 ? hb_read_uint8s(d, &out)
                                      : hb_read_floats(d, &out, true));
        assert_string_equal(f.error.text, table[i].error);
        hb_vector_release(&out);
        close_ubjson(&f);
    }
}

static void booleans_are_items_of_bytes(void **state)
{
    fixture f;
    hb_vector out;
    hb_document *d = open_ubjson(&f, B("[TFi\x07U\xC8]"));

    hb_vector_init(&out, &f.memory, 1);
    assert_true(hb_read_uint8s(d, &out));
    assert_status(hb_document_end(d), HBS_OK, &f.error);
    assert_int_equal(out.count, 4);
    assert_memory_equal(out.items, "\x01\x00\x07\xC8", 4);
    hb_vector_release(&out);
    close_ubjson(&f);
}

static void bits_of_floats_are_kept(void **state)
{
    fixture f;
    hb_vector out;
    hb_document *d = open_ubjson(&f, B("[$d#i\x05\x80\0\0\0\0\0\0\x01\x7F\x80\0\0\xFF\xC1\x23\x45"
                                       "\x7F\x7F\xFF\xFF"));
    static const uint32_t bits[] = {0x80000000, 1, 0x7F800000, 0xFFC12345, 0x7F7FFFFF};

    hb_vector_init(&out, &f.memory, 4);
    assert_true(hb_read_floats(d, &out, false));
    assert_memory_equal(out.items, bits, sizeof bits);
    hb_vector_release(&out);
    close_ubjson(&f);
}

/* Over several polls, with a bad value at each end. */
static void long_typed_arrays_are_read_to_their_last_item(void **state)
{
    enum { COUNT = 100001 };
    size_t size = 9 + 4 * COUNT;
    char *bytes = malloc(size);

    memcpy(bytes, "[$l#l", 5);
    for (int i = -1; i < COUNT; i++) {
        uint32_t number = i < 0 ? COUNT : (uint32_t)i * 2654435761u;
        char *to = bytes + (i < 0 ? 5 : 9 + 4 * i);

        for (int k = 0; k < 4; k++)
            to[k] = (char)(number >> (24 - 8 * k));
    }
    for (int wide = 0; wide < 2; wide++) {
        fixture f;
        hb_vector out;
        hb_document *d = open_ubjson(&f, bytes, size);

        hb_vector_init(&out, &f.memory, wide ? 8 : 4);
        assert_true(wide ? hb_read_int64s(d, &out) : hb_read_int32s(d, &out));
        assert_status(hb_document_end(d), HBS_OK, &f.error);
        assert_int_equal(out.count, COUNT);
        assert_int_equal(out.capacity, COUNT);
        for (uint32_t i = 0; i < COUNT; i++) {
            int32_t number = (int32_t)(i * 2654435761u);

            assert_true(wide ? ((int64_t *)out.items)[i] == number : ((int32_t *)out.items)[i] == number);
        }
        assert_true(f.host.polls >= size / 65536);
        hb_vector_release(&out);
        close_ubjson(&f);
    }
    free(bytes);
}

/* Keys and counts with L, arrays with a type; the last value is none. */
static void a_tree_as_xgboost_writes_it_is_read(void **state)
{
    fixture f;
    hb_document *d = open_ubjson(&f, B("{" LENGTH("\x0C") "base_weights[$d#" LENGTH(
                                         "\x02") "\x3F\x80\0\0\xBF\0\0\0" LENGTH("\x0A") "categories[$l#" LENGTH("\0")
                                           LENGTH("\x0C") "default_left[$U#" LENGTH("\x02") "\x01\0" LENGTH(
                                               "\x02") "idi\x03" LENGTH("\x05") "namesb}"));
    hbs_text key;
    hb_vector floats, bytes;

    hb_vector_init(&floats, &f.memory, 4);
    hb_vector_init(&bytes, &f.memory, 1);
    assert_true(hb_object_begin(d));
    assert_true(hb_object_next(d, &key) && hb_text_is(key, "base_weights"));
    assert_true(hb_read_floats(d, &floats, true) && floats.count == 2);
    assert_true(((float *)floats.items)[1] == -0.5f);
    assert_true(hb_object_next(d, &key) && hb_text_is(key, "categories"));
    hb_skip(d, true);
    assert_true(hb_object_next(d, &key) && hb_text_is(key, "default_left"));
    assert_true(hb_read_uint8s(d, &bytes) && bytes.count == 2);
    assert_true(hb_object_next(d, &key) && hb_text_is(key, "id"));
    assert_int_equal(hb_read_integer(d, 0, 10), 3);
    assert_true(hb_object_next(d, &key) && hb_text_is(key, "names"));
    hb_skip(d, true);
    assert_string_equal(f.error.text, "names: expected a value, found \"b\" (byte 138)");
    hb_vector_release(&floats);
    hb_vector_release(&bytes);
    close_ubjson(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ubjson_means_what_json_means),
        cmocka_unit_test(every_prefix_is_refused),
        cmocka_unit_test(what_is_no_ubjson_is_refused),
        cmocka_unit_test(infinities_are_skipped_where_they_are_allowed),
        cmocka_unit_test(scalars_are_read_in_their_bounds),
        cmocka_unit_test(floats_are_read_from_any_number),
        cmocka_unit_test(typed_and_plain_arrays_give_the_same_items),
        cmocka_unit_test(a_bad_item_is_named_with_its_index),
        cmocka_unit_test(booleans_are_items_of_bytes),
        cmocka_unit_test(bits_of_floats_are_kept),
        cmocka_unit_test(long_typed_arrays_are_read_to_their_last_item),
        cmocka_unit_test(a_tree_as_xgboost_writes_it_is_read),
    };

    return cmocka_run_group_tests_name("ubjson", tests, NULL, NULL);
}
