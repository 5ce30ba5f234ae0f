/* test_document.c - what holds for documents of both encodings: paths in errors, the latch, limits,
 * duplicates, truncation, cancel, memory. The tables of each encoding are in test_json.c,
 * test_ubjson.c. */
#include "support.h"

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

static hb_document *open_document(fixture *f, hb_encoding encoding, const void *bytes, size_t size, size_t limit)
{
    test_host_init(&f->host);
    hb_memory_init(&f->memory, &f->host.host, limit);
    memset(&f->error, 0, sizeof f->error);
    f->bytes = test_exact_copy(bytes, size);
    assert_status(hb_document_open(&f->memory, f->bytes, size, encoding, &f->error, &f->d), HBS_OK, &f->error);
    return f->d;
}

static hb_document *open_json(fixture *f, const char *text)
{
    return open_document(f, HB_JSON, text, strlen(text), 0);
}

static void close_document(fixture *f)
{
    hb_document_close(f->d);
    free(f->bytes);
    assert_int_equal(f->memory.used, 0);
    test_host_end(&f->host);
}

/* A text that grows. */
typedef struct builder {
    char *bytes;
    size_t size, capacity;
} builder;

static void put(builder *b, const void *bytes, size_t size)
{
    if (b->size + size > b->capacity) {
        b->capacity = (b->size + size) * 2;
        b->bytes = realloc(b->bytes, b->capacity);
        assert_non_null(b->bytes);
    }
    if (size)
        memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
}

static void put_text(builder *b, const char *text)
{
    put(b, text, strlen(text));
}

static void put_times(builder *b, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++)
        put_text(b, text);
}

/* A document with one of everything, in both encodings. */
static const char sample_json[] =
    "{\"learner\":{\"name\":\"gb\\u0074ree\\n\",\"trees\":[{\"id\":0,\"left\":[1,-1,-1],"
    "\"w\":[5E-1,-1.25E0,3.5E-2],\"cat\":[]},"
    "{\"id\":1,\"left\":[-1],\"w\":[0E0],\"cat\":[[1,\"x\"]]}],"
    "\"flags\":[true,false,null]},\"version\":[1,7,6],\"score\":\"5E-1\",\"\xC3\xA9\":1.5 }";
#define L "L\0\0\0\0\0\0\0"
static const char sample_ubjson[] = "{" L "\x07"
                                    "learner{" L "\x04"
                                    "nameS" L "\x07"
                                    "gbtree\n" L "\x05"
                                    "trees[#" L "\x02"
                                    "{" L "\x02"
                                    "idi\0" L "\x04"
                                    "left[$l#" L "\x03"
                                    "\0\0\0\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF" L "\x01"
                                    "w[$d#" L "\x03"
                                    "\x3F\0\0\0\xBF\xA0\0\0\x3D\x0F\x5C\x29" L "\x03"
                                    "cat[]}"
                                    "{" L "\x02"
                                    "idi\x01" L "\x04"
                                    "left[$L#U\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF" L "\x01"
                                    "w[d\0\0\0\0]" L "\x03"
                                    "cat[[i\x01Si\x01x]]}" L "\x05"
                                    "flags[NTFNZ]}" L "\x07"
                                    "version[i\x01i\x07i\x06]" L "\x05"
                                    "scoreSi\x04"
                                    "5E-1" L "\x02"
                                    "\xC3\xA9"
                                    "D\x3F\xF8\0\0\0\0\0\0}";

static const void *sample(hb_encoding encoding, size_t *size)
{
    *size = encoding == HB_JSON ? sizeof sample_json - 1 : sizeof sample_ubjson - 1;
    return encoding == HB_JSON ? sample_json : sample_ubjson;
}

/* ------------------------------------------------------------------ reading */

static void both_encodings_give_the_same_document(void **state)
{
    static const char expected[] =
        "{\"learner\":{\"name\":\"gbtree\\x0a\",\"trees\":[{\"id\":0,\"left\":[1,-1,-1],"
        "\"w\":[0.5,-1.25,0.035],\"cat\":[]},"
        "{\"id\":1,\"left\":[-1],\"w\":[0.0],\"cat\":[[1,\"x\"]]}],"
        "\"flags\":[true,false,null]},\"version\":[1,7,6],\"score\":\"5E-1\",\"\xC3\xA9\":1.5}";

    for (hb_encoding encoding = HB_JSON; encoding <= HB_UBJSON; encoding++) {
        char text[1000];
        fixture f;
        size_t size;
        const void *bytes = sample(encoding, &size);
        hb_document *d = open_document(&f, encoding, bytes, size, 0);
        walk_text out = {text, 0, sizeof text};

        walk_value(d, &out);
        assert_status(hb_document_end(d), HBS_OK, &f.error);
        if (encoding == HB_UBJSON) { /* the nearest float of 0.035, as a double */
            char *odd = strstr(text, "0.03500000014901161");

            assert_non_null(odd);
            memmove(odd + 5, odd + 19, strlen(odd + 19) + 1);
        }
        assert_string_equal(text, expected);
        close_document(&f);
    }
}

/* The walker of the header's example. */
static void a_walker_reads_by_key_and_looks_once(void **state)
{
    fixture f;
    hb_document *d = open_json(&f, "{\"x\":[1,{\"y\":2}],\"num_trees\":7,\"name\":\"n\"}");
    hbs_text key;
    int64_t trees = 0;

    if (hb_object_begin(d))
        while (hb_object_next(d, &key)) {
            if (hb_text_is(key, "num_trees"))
                trees = hb_read_integer(d, 0, INT32_MAX);
            else if (hb_text_is(key, "name"))
                assert_true(hb_text_is(hb_read_string(d), "n"));
            else
                hb_skip(d, true);
        }
    assert_status(hb_document_end(d), HBS_OK, &f.error);
    assert_int_equal(trees, 7);
    close_document(&f);
}

static void nothing_is_a_document_that_ends(void **state)
{
    for (hb_encoding encoding = HB_JSON; encoding <= HB_UBJSON; encoding++) {
        test_host host;
        hb_memory memory;
        hbs_error error;
        hb_document *d;

        test_host_init(&host);
        hb_memory_init(&memory, &host.host, 0);
        assert_int_equal(hb_document_open(&memory, NULL, 0, encoding, &error, &d), HBS_OK);
        assert_int_equal(hb_peek(d), HB_KIND_NONE);
        assert_false(hb_object_begin(d));
        assert_int_equal(hb_document_end(d), HBS_E_FORMAT);
        assert_string_equal(error.text, "expected an object, but the document ends (byte 0)");
        hb_document_close(d);
        test_host_end(&host);
    }
    hb_document_close(NULL);
}

/* ------------------------------------------------------------------ errors */

static void read_tree(hb_document *d, hb_vector *left)
{
    hbs_text key;

    if (hb_object_begin(d))
        while (hb_object_next(d, &key)) {
            if (hb_text_is(key, "left"))
                (void)hb_read_int32s(d, left);
            else if (hb_text_is(key, "id"))
                (void)hb_read_integer(d, 0, 9);
            else if (hb_text_is(key, "own"))
                (void)hb_document_fail(d, HBS_E_UNSUPPORTED, "own %d", 7);
            else if (hb_text_is(key, "odd"))
                hb_document_unknown(d);
            else
                hb_skip(d, true);
        }
}

static void read_learner(hb_document *d, hb_vector *left)
{
    hbs_text key;

    if (hb_object_begin(d))
        while (hb_object_next(d, &key)) {
            if (!hb_text_is(key, "trees"))
                hb_skip(d, true);
            else if (hb_array_begin(d))
                while (hb_array_next(d))
                    read_tree(d, left);
        }
}

/* Reads learner.trees[..].left as integers and skips what it does not know. */
static void read_model(hb_document *d, hb_vector *left)
{
    hbs_text key;

    if (hb_object_begin(d))
        while (hb_object_next(d, &key)) {
            if (hb_text_is(key, "learner"))
                read_learner(d, left);
            else
                hb_skip(d, true);
        }
}

static void errors_name_the_path_and_the_byte(void **state)
{
    static const struct {
        const char *json, *error;
        hbs_status status;
    } table[] = {
        {"[]", "expected an object, found an array (byte 0)", HBS_E_FORMAT},
        {"{\"learner\":7}", "learner: expected an object, found an integer (byte 11)", HBS_E_FORMAT},
        {"{\"learner\":{\"trees\":[{},{\"left\":\"x\"}]}}",
         "learner.trees[1].left: expected an array, found a string (byte 32)", HBS_E_FORMAT},
        {"{\"learner\":{\"trees\":[{},{\"left\":[1,2,\"x\"]}]}}",
         "learner.trees[1].left[2]: expected an integer, found a string (byte 37)", HBS_E_FORMAT},
        {"{\"learner\":{\"trees\":[{\"id\":10}]}}",
         "learner.trees[0].id: expected an integer of 0 to 9, found 10 (byte 27)", HBS_E_FORMAT},
        {"{\"learner\":{\"trees\":[{\"id\":1}{}]}}", "learner.trees[0]: expected ',' or ']', found an object (byte 29)",
         HBS_E_FORMAT},
        {"{\"learner\":{\"trees\":[{\"own\":10}]}}", "learner.trees[0].own: own 7 (byte 22)", HBS_E_UNSUPPORTED},
        {"{\"learner\":{\"trees\":[{\"id\":1,\"odd\":10}]}}",
         "learner.trees[0].odd: unknown member: this version of hbscore does not read it (byte "
         "29)",
         HBS_E_FORMAT},
        {"{\"learner\":{\"trees\":[{\"id\":1,\"a\":[[1,[2,{\"b\":[3,4x]}]]]}]}}",
         "learner.trees[0].a[0][1][1].b[1]: expected ',' or ']', found the word x without quotes: JSON has true, "
         "false, null, and texts in double quotes (byte 49)",
         HBS_E_FORMAT},
        {"{\"learner\":{\"trees\":[{\"id\":1,\"id\":1}]}}", "learner.trees[0].id: duplicate key (byte 29)",
         HBS_E_FORMAT},
        {"{\"learner\":{\"trees\":[{}],\"q\\n\":x}}",
         "learner.q\\n: expected a value, found the word x without quotes: JSON has true, "
         "false, null, and texts in double quotes (byte 31)",
         HBS_E_FORMAT},
        {"{\"a\":1,\"a b.c\":?}", "a b.c: expected a value, found \"?\" (byte 15)", HBS_E_FORMAT},
        {"{\"a\":1,5}", "a: expected a key, found an integer (byte 7)", HBS_E_FORMAT},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        fixture f;
        hb_vector left;
        hb_document *d = open_json(&f, table[i].json);

        hb_vector_init(&left, &f.memory, 4);
        read_model(d, &left);
        assert_int_equal(hb_document_end(d), table[i].status);
        assert_int_equal(f.error.status, table[i].status);
        assert_string_equal(f.error.text, table[i].error);
        hb_vector_release(&left);
        close_document(&f);
    }
}

static void a_walkers_own_error_names_the_value_read_last(void **state)
{
    fixture f;
    hb_document *d = open_json(&f, "{\"a\":1, \"b\":  22, \"c\":3}");
    hbs_text key;

    assert_true(hb_object_begin(d) && hb_object_next(d, &key));
    (void)hb_read_integer(d, 0, 9);
    assert_true(hb_object_next(d, &key));
    (void)hb_read_integer(d, 0, 99);
    assert_int_equal(hb_document_fail(d, HBS_E_LIMIT, "%d is too many", 22), HBS_E_LIMIT);
    assert_string_equal(f.error.text, "b: 22 is too many (byte 14)");
    assert_int_equal(f.error.offset, 14);
    assert_int_equal(hb_document_fail(d, HBS_E_FORMAT, "later"), HBS_E_LIMIT);
    assert_int_equal(hb_document_status(d), HBS_E_LIMIT);
    close_document(&f);
}

static void a_long_path_keeps_its_end(void **state)
{
    builder b = {NULL, 0, 0};
    fixture f;

    for (int i = 0; i < 10; i++) {
        put_text(&b, "{\"");
        put_times(&b, "k", i == 5 ? 500 : 40);
        put_text(&b, "\":");
    }
    put_text(&b, "{\"last\":x");
    hb_document *d = open_document(&f, HB_JSON, b.bytes, b.size, 0);
    hb_skip(d, true);
    assert_int_equal(hb_document_status(d), HBS_E_FORMAT);
    assert_memory_equal(f.error.text, "...", 3); /* ".." and the point of the step behind it */
    assert_non_null(strstr(f.error.text, "kkk.last: expected a value, found the word x"));
    assert_true(strlen(f.error.text) < 400);
    close_document(&f);
    free(b.bytes);
}

static void control_characters_of_keys_are_shown_escaped(void **state)
{
    static const char bytes[] = "{i\x04"
                                "a\n\"\x01?";
    fixture f;
    hb_document *d = open_document(&f, HB_UBJSON, bytes, sizeof bytes - 1, 0);

    hb_skip(d, true);
    assert_string_equal(f.error.text, "a\\x0a\\x22\\x01: expected a value, found \"?\" (byte 7)");
    close_document(&f);
}

static void after_an_error_all_is_zero(void **state)
{
    for (hb_encoding encoding = HB_JSON; encoding <= HB_UBJSON; encoding++) {
        fixture f;
        hb_vector out;
        hbs_text key = {"x", 1};
        hb_document *d = open_document(&f, encoding, "[?]", 3, 0);
        char before[HBS_ERROR_TEXT];

        hb_vector_init(&out, &f.memory, 4);
        assert_true(hb_array_begin(d));
        assert_true(hb_array_next(d));
        hb_skip(d, true);
        assert_int_equal(hb_document_status(d), HBS_E_FORMAT);
        strcpy(before, f.error.text);

        assert_false(hb_document_ok(d));
        assert_int_equal(hb_peek(d), HB_KIND_NONE);
        assert_false(hb_object_begin(d) || hb_array_begin(d) || hb_array_next(d));
        assert_false(hb_object_next(d, &key));
        assert_int_equal(key.size, 0);
        assert_non_null(key.bytes);
        assert_int_equal(hb_read_integer(d, 5, 9), 0);
        assert_true(hb_read_float(d) == 0 && hb_read_double(d) == 0 && !hb_read_bool(d));
        assert_int_equal(hb_read_string(d).size, 0);
        assert_non_null(hb_read_string(d).bytes);
        assert_false(hb_read_floats(d, &out, false) || hb_read_int32s(d, &out));
        hb_skip(d, false);
        hb_document_unknown(d);
        assert_int_equal(hb_document_end(d), HBS_E_FORMAT);
        assert_string_equal(f.error.text, before);
        assert_int_equal(out.count, 0);
        close_document(&f);
    }
}

static void a_walker_that_asks_out_of_turn_is_told(void **state)
{
    fixture f;
    hb_vector out;
    hbs_text key;
    hb_document *d = open_json(&f, "{\"a\":[1]}");

    assert_true(hb_object_begin(d));
    assert_int_equal(hb_read_integer(d, 0, 9), 0); /* before hb_object_next */
    assert_int_equal(hb_document_status(d), HBS_E_INTERNAL);
    close_document(&f);

    d = open_json(&f, "{\"a\":[1]}");
    assert_true(hb_object_begin(d) && hb_object_next(d, &key));
    assert_false(hb_object_next(d, &key)); /* the value was not read */
    assert_int_equal(hb_document_status(d), HBS_E_INTERNAL);
    close_document(&f);

    d = open_json(&f, "{\"a\":[1]}");
    assert_true(hb_object_begin(d));
    assert_false(hb_array_next(d)); /* not in an array */
    assert_int_equal(hb_document_status(d), HBS_E_INTERNAL);
    close_document(&f);

    d = open_json(&f, "[1]");
    hb_vector_init(&out, &f.memory, 2);
    assert_false(hb_read_floats(d, &out, true)); /* a vector of something else */
    assert_int_equal(hb_document_status(d), HBS_E_INTERNAL);
    close_document(&f);

    d = open_json(&f, "[1]");
    assert_int_equal(hb_document_end(d), HBS_E_INTERNAL); /* nothing was read */
    close_document(&f);

    d = open_json(&f, "[1]");
    hb_skip(d, true);
    hb_skip(d, true);
    assert_int_equal(hb_document_status(d), HBS_E_INTERNAL);
    close_document(&f);
}

/* ------------------------------------------------------------------ limits */

static hbs_status skip_or_walk(hb_document *d, bool walk)
{
    walk_text none = {NULL, 0, 0};

    if (walk)
        walk_value(d, &none);
    else
        hb_skip(d, true);
    return hb_document_end(d);
}

/* `open` x depth, then the closing ones. */
static void check_depth(hb_encoding encoding, const char *open, size_t open_size, const char *inner, const char *close,
                        size_t depth, hbs_status expected)
{
    for (int walk = 0; walk < 2; walk++) {
        builder b = {NULL, 0, 0};
        fixture f;

        for (size_t i = 0; i < depth; i++)
            put(&b, open, open_size);
        put_text(&b, inner);
        put_times(&b, close, depth);
        hb_document *d = open_document(&f, encoding, b.bytes, b.size, 0);
        assert_status(skip_or_walk(d, walk), expected, &f.error);
        if (expected == HBS_E_LIMIT)
            assert_non_null(strstr(f.error.text, "nested deeper than 64 levels"));
        assert_true(f.memory.peak < 16384);
        close_document(&f);
        free(b.bytes);
    }
}

static void documents_are_64_deep_and_no_deeper(void **state)
{
    static const struct {
        hb_encoding encoding;
        const char *open;
        size_t open_size;
        const char *inner, *close;
    } table[] = {
        {HB_JSON, "[", 1, "", "]"},
        {HB_JSON, "[", 1, "1", "]"},
        {HB_JSON, "{\"a\":", 5, "1", "}"},
        {HB_JSON, "[{\"a\":", 6, "1", "}]"},
        {HB_UBJSON, "[", 1, "", "]"},
        {HB_UBJSON,
         "{i\x01"
         "a",
         4, "Z", "}"},
        {HB_UBJSON, "[#i\x01", 4, "Z", ""},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t levels = i == 3 ? 2 : 1;
        static const size_t depths[] = {64, 66, 200000};

        for (size_t k = 0; k < 3; k++)
            check_depth(table[i].encoding, table[i].open, table[i].open_size, table[i].inner, table[i].close,
                        depths[k] / levels, k == 0 ? HBS_OK : HBS_E_LIMIT);
    }
    /* An array that is read whole is a level, too. */
    for (size_t depth = 63; depth <= 64; depth++) {
        builder b = {NULL, 0, 0};
        fixture f;
        hb_vector out;

        put_times(&b, "[", depth);
        put_text(&b, "[1]");
        put_times(&b, "]", depth);
        hb_document *d = open_document(&f, HB_JSON, b.bytes, b.size, 0);
        hb_vector_init(&out, &f.memory, 4);
        for (size_t i = 0; i < depth; i++)
            assert_true(hb_array_begin(d) && hb_array_next(d));
        assert_int_equal(hb_read_floats(d, &out, true), depth == 63);
        assert_int_equal(hb_document_status(d), depth == 63 ? HBS_OK : HBS_E_LIMIT);
        hb_vector_release(&out);
        close_document(&f);
        free(b.bytes);
    }
}

static void objects_have_1024_members_and_no_more(void **state)
{
    for (hb_encoding encoding = HB_JSON; encoding <= HB_UBJSON; encoding++)
        for (int members = HB_MAX_MEMBERS; members <= HB_MAX_MEMBERS + 1; members++)
            for (int walk = 0; walk < 2; walk++) {
                builder b = {NULL, 0, 0};
                fixture f;

                put_text(&b, "{");
                for (int i = 0; i < members; i++) {
                    char member[40];

                    sprintf(member,
                            encoding == HB_JSON ? "%s\"%04d\":{\"a\":1}"
                                                : "%si\x04%04d{i\x01"
                                                  "aZ}",
                            i && encoding == HB_JSON ? "," : "", i);
                    put_text(&b, member);
                }
                put_text(&b, "}");
                hb_document *d = open_document(&f, encoding, b.bytes, b.size, 0);
                assert_status(skip_or_walk(d, walk), members == HB_MAX_MEMBERS ? HBS_OK : HBS_E_LIMIT, &f.error);
                close_document(&f);
                free(b.bytes);
            }
}

static void more_members_may_be_allowed_and_are_still_told_apart(void **state)
{
    enum { MEMBERS = 5000 };

    for (int way = 0; way < 3; way++) { /* as many as allowed, one more, the first one twice */
        builder b = {NULL, 0, 0};
        fixture f;

        put_text(&b, "[{");
        for (int i = 0; i < MEMBERS + (way == 1); i++) {
            char member[40];

            sprintf(member, "%s\"%d\":{}", i ? "," : "", way == 2 && i == MEMBERS - 1 ? 0 : i);
            put_text(&b, member);
        }
        put_text(&b, "}]");
        hb_document *d = open_document(&f, HB_JSON, b.bytes, b.size, 0);
        hb_document_allow_members(d, MEMBERS);
        hb_skip(d, true);
        assert_status(hb_document_end(d), way == 0 ? HBS_OK : way == 1 ? HBS_E_LIMIT : HBS_E_FORMAT, &f.error);
        close_document(&f);
        free(b.bytes);
    }
}

static void the_last_of_many_keys_is_found_to_be_there_twice(void **state)
{
    builder b = {NULL, 0, 0};
    fixture f;

    put_text(&b, "{");
    for (int i = 0; i < 1000; i++) {
        char member[40];

        sprintf(member, "\"k%d\":[{\"k0\":%d}],", i, i);
        put_text(&b, member);
    }
    size_t at = b.size;
    put_text(&b, "\"k0\":1}");
    hb_document *d = open_document(&f, HB_JSON, b.bytes, b.size, 0);
    hb_skip(d, true);
    assert_int_equal(hb_document_end(d), HBS_E_FORMAT);
    assert_int_equal(f.error.offset, at);
    close_document(&f);
    free(b.bytes);
}

/* ------------------------------------------------------------------ truncation and damage */

static void every_prefix_of_a_document_is_refused(void **state)
{
    for (hb_encoding encoding = HB_JSON; encoding <= HB_UBJSON; encoding++) {
        size_t whole;
        const void *bytes = sample(encoding, &whole);

        for (size_t size = 0; size <= whole; size++)
            for (int way = 0; way < 3; way++) {
                fixture f;
                hb_vector left;
                hb_document *d = open_document(&f, encoding, bytes, size, 0);

                hb_vector_init(&left, &f.memory, 4);
                if (way == 2)
                    read_model(d, &left);
                hbs_status status = way == 2 ? hb_document_end(d) : skip_or_walk(d, way == 1);

                assert_status(status, size == whole ? HBS_OK : HBS_E_FORMAT, &f.error);
                assert_true(size == whole || f.error.offset <= size);
                hb_vector_release(&left);
                close_document(&f);
            }
    }
}

/* Each byte replaced by each other one (or every EVERY-th): reading and skipping agree, and nothing worse happens. */
static void every_damaged_byte_is_survived(void **state)
{
    for (hb_encoding encoding = HB_JSON; encoding <= HB_UBJSON; encoding++) {
        size_t size;
        const char *bytes = sample(encoding, &size);
        char *damaged = test_exact_copy(bytes, size);

        for (size_t at = 0; at < size; at++) {
            for (int value = (int)at % EVERY; value < 256; value += EVERY) {
                hbs_status status[2];

                damaged[at] = (char)value;
                for (int way = 0; way < 2; way++) {
                    fixture f;
                    hb_document *d = open_document(&f, encoding, damaged, size, 0);

                    status[way] = skip_or_walk(d, way == 1);
                    assert_true(status[way] == HBS_OK || status[way] == HBS_E_FORMAT || status[way] == HBS_E_LIMIT);
                    assert_true(status[way] == HBS_OK || f.error.offset <= size);
                    assert_true(f.memory.peak < 4 * size + 8192);
                    close_document(&f);
                }
                assert_int_equal(status[0], status[1]);
            }
            damaged[at] = bytes[at];
        }
        free(damaged);
    }
}

/* ------------------------------------------------------------------ cancel */

typedef struct big {
    const char *name;
    hb_encoding encoding;
    const char *before;
    size_t before_size;
    const char *unit;
    size_t unit_size;
    const char *after;
} big;

#define U(literal) literal, sizeof(literal) - 1

/* Documents of one long thing each, 2 MB of it. */
static const big bigs[] = {
    {"floats", HB_JSON, U("["), U("1.2345678E-1,"), "1]"},
    {"integers", HB_JSON, U("["), U("12,"), "1]"},
    {"spaced integers", HB_JSON, U("["), U("12 , "), "1]"},
    {"slow numbers", HB_JSON, U("["), U("1.23456789012345678901234567890e-200,"), "1]"},
    {"strings", HB_JSON, U("["), U("\"abcdef\","), "1]"},
    {"a string", HB_JSON, U("\""), U("abcdefgh"), "\""},
    {"a string of escapes", HB_JSON, U("\""), U("\\u00e9"), "\""},
    {"a string of UTF-8", HB_JSON, U("\""), U("\xE2\x82\xAC"), "\""},
    {"white space before", HB_JSON, U(""), U(" "), "1"},
    {"white space behind", HB_JSON, U("1"), U("\n"), ""},
    {"white space in numbers", HB_JSON, U("[1"), U("\t"), ",2]"},
    {"white space in objects", HB_JSON, U("{"), U("\r\n"), "\"a\":1}"},
    {"objects", HB_JSON, U("["), U("{\"a\":{}},"), "1]"},
    {"empty arrays", HB_JSON, U("["), U("[],"), "1]"},
    {"no-ops", HB_UBJSON, U("["), U("N"), "]"},
    {"no-ops in an object", HB_UBJSON, U("{"), U("N"), "}"},
    {"bytes", HB_UBJSON, U("["), U("i\x01"), "]"},
    {"nulls", HB_UBJSON, U("["), U("Z"), "]"},
    {"empty arrays", HB_UBJSON, U("["), U("[]"), "]"},
    {"typed bytes", HB_UBJSON, U("[$U#l\0\x20\0\0"), U("\x01"), ""},
    {"a string", HB_UBJSON, U("Sl\0\x20\0\0"), U("a"), ""},
};

static void build_big(builder *b, const big *big)
{
    put(b, big->before, big->before_size);
    for (size_t i = 0; i < (2 << 20) / big->unit_size; i++)
        put(b, big->unit, big->unit_size);
    put_text(b, big->after);
}

static void the_host_is_asked_all_along_and_may_stop_anywhere(void **state)
{
    for (size_t i = 0; i < sizeof bigs / sizeof *bigs; i++) {
        builder b = {NULL, 0, 0};

        build_big(&b, &bigs[i]);
        for (int walk = 0; walk < 2; walk++)
            for (size_t cancel_at = 0; cancel_at < 20; cancel_at += cancel_at ? 18 : 1) {
                fixture f;
                hb_document *d = open_document(&f, bigs[i].encoding, b.bytes, b.size, 0);

                f.host.cancel_at = cancel_at;
                hbs_status status = skip_or_walk(d, walk);
                if (status != (cancel_at ? HBS_E_CANCEL : HBS_OK) || (!cancel_at && f.host.polls < (2 << 20) / 65536) ||
                    (cancel_at && f.host.polls != cancel_at))
                    fail_msg("%s, way %d, cancel at %zu: %s after %zu polls: %s", bigs[i].name, walk, cancel_at,
                             hbs_status_name(status), f.host.polls, f.error.text);
                if (cancel_at)
                    assert_int_equal(f.error.status, HBS_E_CANCEL);
                close_document(&f);
            }
        free(b.bytes);
    }
}

static void whole_arrays_are_cancelled_too(void **state)
{
    for (size_t i = 0; i < 3; i++) {
        builder b = {NULL, 0, 0};
        fixture f;
        hb_vector out;

        build_big(&b, &bigs[i]);
        hb_document *d = open_document(&f, HB_JSON, b.bytes, b.size, 0);
        f.host.cancel_at = 5;
        hb_vector_init(&out, &f.memory, 4);
        assert_false(hb_read_floats(d, &out, true));
        assert_int_equal(hb_document_status(d), HBS_E_CANCEL);
        assert_int_equal(f.host.polls, 5);
        hb_vector_release(&out);
        close_document(&f);
        free(b.bytes);
    }
}

/* ------------------------------------------------------------------ memory */

static hbs_status read_sample(const hbs_host *host, void *context, hbs_error *error)
{
    hb_encoding encoding = *(hb_encoding *)context;
    hb_memory memory;
    hb_document *d;
    hb_vector left;
    size_t size;
    const void *bytes = sample(encoding, &size);

    hb_memory_init(&memory, host, 0);
    HB_TRY(hb_document_open(&memory, bytes, size, encoding, error, &d));
    hb_vector_init(&left, &memory, 4);
    read_model(d, &left);
    hbs_status status = hb_document_end(d);

    hb_vector_release(&left);
    hb_document_close(d);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    hb_encoding encoding = HB_JSON;

    assert_true(test_each_allocation_fails(read_sample, &encoding) >= 4);
    encoding = HB_UBJSON;
    assert_true(test_each_allocation_fails(read_sample, &encoding) >= 3);
}

static void a_failed_open_gives_null(void **state)
{
    test_host host;
    hb_memory memory;
    hbs_error error;
    hb_document *d = (hb_document *)&host;

    test_host_init(&host);
    test_host_fail_at(&host, 1, false);
    hb_memory_init(&memory, &host.host, 0);
    assert_int_equal(hb_document_open(&memory, "1", 1, HB_JSON, &error, &d), HBS_E_NOMEM);
    assert_null(d);
    test_host_end(&host);
}

static void skipping_takes_no_more_memory_than_the_document(void **state)
{
    for (size_t i = 0; i < sizeof bigs / sizeof *bigs; i++)
        for (int walk = 0; walk < 2; walk++) {
            builder b = {NULL, 0, 0};
            fixture f;

            build_big(&b, &bigs[i]);
            hb_document *d = open_document(&f, bigs[i].encoding, b.bytes, b.size, b.size + (1 << 20));
            assert_status(skip_or_walk(d, walk), HBS_OK, &f.error);
            close_document(&f);
            free(b.bytes);
        }
}

static void a_limit_on_memory_is_told_as_a_limit(void **state)
{
    builder b = {NULL, 0, 0};
    fixture f;
    hb_vector out;

    build_big(&b, &bigs[1]);
    hb_document *d = open_document(&f, HB_JSON, b.bytes, b.size, 100000);
    hb_vector_init(&out, &f.memory, 4);
    assert_false(hb_read_int32s(d, &out));
    assert_int_equal(hb_document_status(d), HBS_E_LIMIT);
    assert_non_null(strstr(f.error.text, "100000 bytes"));
    hb_vector_release(&out);
    close_document(&f);
    free(b.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_encodings_give_the_same_document),
        cmocka_unit_test(a_walker_reads_by_key_and_looks_once),
        cmocka_unit_test(nothing_is_a_document_that_ends),
        cmocka_unit_test(errors_name_the_path_and_the_byte),
        cmocka_unit_test(a_walkers_own_error_names_the_value_read_last),
        cmocka_unit_test(a_long_path_keeps_its_end),
        cmocka_unit_test(control_characters_of_keys_are_shown_escaped),
        cmocka_unit_test(after_an_error_all_is_zero),
        cmocka_unit_test(a_walker_that_asks_out_of_turn_is_told),
        cmocka_unit_test(documents_are_64_deep_and_no_deeper),
        cmocka_unit_test(objects_have_1024_members_and_no_more),
        cmocka_unit_test(more_members_may_be_allowed_and_are_still_told_apart),
        cmocka_unit_test(the_last_of_many_keys_is_found_to_be_there_twice),
        cmocka_unit_test(every_prefix_of_a_document_is_refused),
        cmocka_unit_test(every_damaged_byte_is_survived),
        cmocka_unit_test(the_host_is_asked_all_along_and_may_stop_anywhere),
        cmocka_unit_test(whole_arrays_are_cancelled_too),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_failed_open_gives_null),
        cmocka_unit_test(skipping_takes_no_more_memory_than_the_document),
        cmocka_unit_test(a_limit_on_memory_is_told_as_a_limit),
    };

    return cmocka_run_group_tests_name("document", tests, NULL, NULL);
}
