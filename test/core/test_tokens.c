/* test_tokens.c - texts split into words, words found by number, and sequences of them counted. */
#include <stdlib.h>
#include <string.h>

#include "base/tokens.h"
#include "support.h"

/* ---- words */

/* "b", "aa", "ab", a umlaut, "zzz": by size, then by bytes. */
static const uint32_t ends[] = {1, 3, 5, 7, 10};
static const char bytes[] = "b"
                            "aa"
                            "ab"
                            "\xC3\xA4"
                            "zzz";

static hb_words five_words(uint32_t *slots)
{
    hb_words words = {.n = 5, .n_bytes = 10, .ends = ends, .bytes = bytes};
    hb_work work = {.cancelled = NULL};

    if (slots) {
        words.n_slots = hb_words_slots(words.n);
        memset(slots, 0, words.n_slots * sizeof(*slots));
        words.slots = slots;
        assert_true(hb_words_fill(&words, slots, &work));
    }
    return words;
}

static uint32_t find(const hb_words *words, const char *text)
{
    return hb_word_find(words, (hbs_text){text, strlen(text)});
}

static void words_are_found_by_search_and_by_hash(void **state)
{
    uint32_t slots[64];

    (void)state;
    for (int hashed = 0; hashed < 2; hashed++) {
        hb_words words = five_words(hashed ? slots : NULL);

        assert_int_equal(find(&words, "b"), 0);
        assert_int_equal(find(&words, "aa"), 1);
        assert_int_equal(find(&words, "ab"), 2);
        assert_int_equal(find(&words, "\xC3\xA4"), 3);
        assert_int_equal(find(&words, "zzz"), 4);
        assert_int_equal(find(&words, ""), HB_NO_WORD);
        assert_int_equal(find(&words, "a"), HB_NO_WORD);
        assert_int_equal(find(&words, "zzzz"), HB_NO_WORD);
    }
}

/* Slots are filled up by words of one hash: those beyond the window are found all the same. */
static void a_word_whose_slots_are_taken_is_found(void **state)
{
    static const uint32_t taken[4] = {1, 1, 1, 1};
    hb_words words = five_words(NULL);

    (void)state;
    words.n_slots = 4;
    words.slots = taken;
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(hb_word_find(&words, hb_word_at(&words, i)), i);
}

static void lists_that_lie_are_no_words(void **state)
{
    static const uint32_t falling[] = {2, 1}, beyond[] = {1, 9}, twice[] = {1, 2}, shorter[] = {1, 2};
    hb_work work = {.cancelled = NULL};
    const hb_words lies[] = {
        {.n = 2, .n_bytes = 2, .ends = falling, .bytes = "ab"},
        {.n = 2, .n_bytes = 2, .ends = beyond, .bytes = "ab"},
        {.n = 2, .n_bytes = 2, .ends = twice, .bytes = "aa"},
        {.n = 2, .n_bytes = 2, .ends = twice, .bytes = "ba"},
        {.n = 2, .n_bytes = 3, .ends = shorter, .bytes = "abc"},
        {.n = 2, .n_bytes = 2, .ends = shorter, .bytes = "ab", .n_slots = 3, .slots = twice},
    };
    hb_words words = five_words(NULL);

    (void)state;
    assert_true(hb_words_valid(&words, &work));
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++)
        assert_false(hb_words_valid(&lies[i], &work));
}

enum { SORTED = 20000, LONGEST = 64 };

/* Word i of `letters`, of any size up to LONGEST, beside whose end stands its number. */
static hbs_text some_word(char *letters, uint32_t i, uint64_t *random)
{
    size_t size = test_random(random) % (LONGEST + 1);

    for (size_t k = 0; k < size; k++)
        letters[k] = (char)('a' + test_random(random) % 3);
    for (size_t k = size; i && k-- > 0; i /= 26)
        letters[k] = (char)('a' + i % 26);
    return (hbs_text){letters, size};
}

static int compare_bytes(const void *a, const void *b)
{
    const hbs_text *x = a, *y = b;
    int order = memcmp(x->bytes, y->bytes, x->size < y->size ? x->size : y->size);

    return order ? order : (x->size > y->size) - (x->size < y->size);
}

static size_t check_sorted(const hbs_text *texts, size_t n, uint32_t *order, test_host *host)
{
    static uint8_t seen[SORTED];
    hb_work work = hb_work_of(&host->host);

    host->polls = 0;
    memset(seen, 0, sizeof(seen));
    assert_true(hb_words_sort(texts, n, order, &work));
    for (size_t i = 0; i < n; i++) {
        assert_true(order[i] < n && !seen[order[i]]++);
        assert_true(i == 0 || hb_compare_words(texts[order[i - 1]], texts[order[i]]) <= 0);
    }
    return host->polls;
}

static void words_are_sorted_by_size_then_by_bytes(void **state)
{
    static char letters[SORTED][LONGEST];
    static hbs_text texts[SORTED];
    static uint32_t order[SORTED];
    uint64_t random = 3;
    test_host host;
    hb_work work;

    (void)state;
    test_host_init(&host);
    for (uint32_t i = 0; i < SORTED; i++)
        texts[i] = some_word(letters[i], i, &random);
    (void)check_sorted(texts, 0, order, &host);
    assert_true(check_sorted(texts, SORTED, order, &host) > 10);
    for (host.cancel_at = 1; host.cancel_at <= 10; host.cancel_at++) {
        host.polls = 0;
        work = hb_work_of(&host.host);
        assert_false(hb_words_sort(texts, SORTED, order, &work));
        assert_int_equal(host.polls, host.cancel_at);
    }
    host.cancel_at = 0;
    qsort(texts, SORTED, sizeof(texts[0]), compare_bytes);
    assert_true(check_sorted(texts, SORTED, order, &host) < 10); /* the work of a few passes */
    test_host_end(&host);
}

/* ---- sequences */

/* 0, 1, 0 1, 0 1 2, 1 1: to columns 0, none, 1, 2, 3. */
static const uint32_t first[] = {0, 2, 3, 4, 5, 5, 5}, words_of[] = {0, 1, 1, 1, 2};
static const uint32_t outputs[] = {0, HB_NO_COLUMN, 1, 3, 2};
static const hb_grams five_grams = {5, first, words_of, outputs};

static void count(size_t most_skipped, size_t n, const uint32_t *text, double counts[4])
{
    hb_gram_walk walk;

    memset(counts, 0, 4 * sizeof(*counts));
    hb_gram_begin(&walk, &five_grams, most_skipped);
    for (size_t i = 0; i < n; i++)
        hb_gram_next(&walk, text[i], counts, 1);
}

static void sequences_are_counted(void **state)
{
    static const uint32_t text[] = {0, 1, 2, 1, 1, 1, 0, HB_NO_WORD, 1};
    static const double plain[4] = {2, 1, 1, 2}, skipping[4] = {2, 2, 1, 4};
    double counts[4];

    (void)state;
    count(0, 9, text, counts);
    assert_memory_equal(counts, plain, sizeof(plain));
    count(1, 9, text, counts); /* distance 2: 0 _ 1 once more at the end; 1 _ 1 at 1 3 and 3 5 */
    assert_memory_equal(counts, skipping, sizeof(skipping));
}

static void trees_that_lie_are_no_sequences(void **state)
{
    static const uint32_t backward[] = {0, 2, 1, 4, 5, 5, 5}, cycle[] = {0, 0, 3, 4, 5, 5, 5};
    static const uint32_t beyond[] = {0, 2, 3, 4, 9, 9, 9}, unsorted[] = {1, 0, 1, 1, 2};
    hb_work work = {.cancelled = NULL};
    const hb_grams lies[] = {
        {5, backward, words_of, outputs},
        {5, cycle, words_of, outputs},
        {5, beyond, words_of, outputs},
        {5, first, unsorted, outputs},
    };

    (void)state;
    assert_true(hb_grams_valid(&five_grams, 3, 4, &work));
    assert_false(hb_grams_valid(&five_grams, 2, 4, &work)); /* a word that is none */
    assert_false(hb_grams_valid(&five_grams, 3, 3, &work)); /* a column that is none */
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++)
        assert_false(hb_grams_valid(&lies[i], 3, 4, &work));
}

/* ---- case */

static void case_changes_as_the_c_library_changes_it(void **state)
{
    static const char *const cases[][3] = {
        {"aZ09 [`{", "az09 [`{", "AZ09 [`{"},
        {"\xC3\x80\xC3\xA9", "\xC3\xA0\xC3\xA9", "\xC3\x80\xC3\x89"},         /* A grave, e acute */
        {"\xC3\x9F\xE1\xBA\x9E", "\xC3\x9F\xC3\x9F", "\xC3\x9F\xE1\xBA\x9E"}, /* sharp s has no capital of its own */
        {"\xCE\xA3\xCF\x82", "\xCF\x83\xCF\x82", "\xCE\xA3\xCE\xA3"},         /* sigma, also a final one */
        {"\xC8\xBA", "\xE2\xB1\xA5", "\xC8\xBA"},                             /* grows by a byte */
        {"\xF0\x90\x90\x80", "\xF0\x90\x90\xA8", "\xF0\x90\x90\x80"},         /* beyond U+FFFF */
        {"\xE6\x97\xA5", "\xE6\x97\xA5", "\xE6\x97\xA5"},
    };
    hb_work work = {.cancelled = NULL};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int casing = HB_CASING_LOWER; casing <= HB_CASING_UPPER; casing++) {
            hbs_text text = {cases[i][0], strlen(cases[i][0])};
            char *to = malloc(hb_case_room(text.size));
            size_t size;

            assert_true(hb_case_change(text, (hb_casing)casing, to, &size, &work));
            assert_int_equal(size, strlen(cases[i][casing]));
            assert_memory_equal(to, cases[i][casing], size);
            free(to);
        }
}

/* ---- tokens */

/* The words of the text, with a bar between them. */
static const char *split(const hb_tokenizer *t, const char *text, char joined[256])
{
    size_t size = strlen(text), n = 0;
    hb_work work = {.cancelled = NULL};
    hb_token_room room = {malloc(hb_case_room(size) + 1), malloc(hb_tokenizer_scratch(t) + 1)};
    hb_token_walk walk;
    hbs_text word;

    assert_true(hb_tokens_begin(&walk, t, room, (hbs_text){text, size}, &work));
    while (hb_tokens_next(&walk, &word)) {
        assert_true(n + word.size + 2 < 256);
        memcpy(joined + n, word.bytes, word.size);
        n += word.size;
        joined[n++] = '|';
    }
    joined[n] = '\0';
    free(room.changed);
    free(room.search);
    return joined;
}

/* What ONNX Runtime 1.31 answers. */
static void texts_are_split_as_by_onnx_runtime(void **state)
{
    static const struct {
        hb_splitting splitting;
        const char *expression;
        size_t least, marks;
        const char *text, *words;
    } cases[] = {
        {HB_SPLIT_MATCHES, "[a-z]*", 1, 0, "ab  c1", "ab|c|"},
        {HB_SPLIT_MATCHES, "[a-z]*", 1, 0, "\xC3\xA9 ab", "ab|"},
        {HB_SPLIT_MATCHES, "[a-z]+", 2, 0, "ab c def", "ab|def|"},
        {HB_SPLIT_MATCHES, ".", 1, 0, "a\xC3\xA9 c", "a|\xC3\xA9| |c|"},
        {HB_SPLIT_MATCHES, ".{2}", 1, 0, "abcde", "ab|cd|"},
        {HB_SPLIT_MATCHES, "[a-z]+", 1, 1, "ab c", "\x02|ab|c|\x03|"},
        {HB_SPLIT_MATCHES, "[a-z]+", 1, 0, "", ""},
        {HB_SPLIT_BETWEEN, "[ ;]", 1, 0, "a b;c;;  d", "a|b|c|d|"},
        {HB_SPLIT_BETWEEN, "ab", 1, 0, "xabc", "x|c|"},
        {HB_SPLIT_BETWEEN, ".", 1, 0, "a.b", ""},
        {HB_SPLIT_CHARACTERS, NULL, 1, 0, "a\xC3\xA9 b", "a|\xC3\xA9| |b|"},
        {HB_SPLIT_CHARACTERS, NULL, 1, 1, "a", "\x02|a|\x03|"},
        {HB_SPLIT_CHARACTERS, NULL, 1, 1, "", ""}, /* by itself: beside rows with words such a row has marks */
        {HB_SPLIT_MATCHES, "[a-z]+", 1, 1, "12", ""},
        {HB_SPLIT_NOT, NULL, 0, 0, "a b", "a b|"},
    };
    test_host host;
    hb_memory memory;

    (void)state;
    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        hb_tokenizer t = {.splitting = (uint32_t)cases[i].splitting, .least = cases[i].least, .marks = cases[i].marks};
        hb_arena arena;
        char joined[256];
        hbs_error error;

        hb_arena_init(&arena, &memory);
        if (cases[i].expression) {
            hbs_text pattern = {cases[i].expression, strlen(cases[i].expression)};
            const hb_regex *regex;

            assert_status(hb_regex_compile(&arena, pattern, HB_REGEX_RE2_LONGEST, &memory.work, &regex, &error), HBS_OK,
                          &error);
            t.expression = (const char *)(const void *)regex;
            t.expression_size = hb_regex_size(regex);
        }
        assert_string_equal(split(&t, cases[i].text, joined), cases[i].words);
        hb_arena_release(&arena);
    }
    test_host_end(&host);
}

static void stop_words_are_left_out_after_case_has_changed(void **state)
{
    static const uint32_t one[] = {2};
    const hb_tokenizer t = {.casing = HB_CASING_LOWER,
                            .splitting = HB_SPLIT_CHARACTERS,
                            .least = 1,
                            .stops = {.n = 1, .n_bytes = 2, .ends = one, .bytes = "\xC3\xA4"}};
    char joined[256];

    (void)state;
    assert_string_equal(split(&t, "A\xC3\x84\xC3\xA4 B", joined), "a| |b|");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_found_by_search_and_by_hash),
        cmocka_unit_test(a_word_whose_slots_are_taken_is_found),
        cmocka_unit_test(words_are_sorted_by_size_then_by_bytes),
        cmocka_unit_test(lists_that_lie_are_no_words),
        cmocka_unit_test(sequences_are_counted),
        cmocka_unit_test(trees_that_lie_are_no_sequences),
        cmocka_unit_test(case_changes_as_the_c_library_changes_it),
        cmocka_unit_test(texts_are_split_as_by_onnx_runtime),
        cmocka_unit_test(stop_words_are_left_out_after_case_has_changed),
    };

    return cmocka_run_group_tests_name("tokens", tests, NULL, NULL);
}
