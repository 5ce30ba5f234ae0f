/* test_terms.c - texts as Python and scikit-learn see them: lower case, accents, words, characters and their sequences.
 */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "base/terms.h"

static test_host host;
static hb_memory memory;
static hb_term_room room;
static hb_work work;
static char got[4096];

static int begin(void **state)
{
    (void)state;
    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 0);
    hb_vector_init(&room.lowered, &memory, 1);
    hb_vector_init(&room.plain, &memory, 1);
    hb_vector_init(&room.joined, &memory, 1);
    work = hb_work_of(&host.host);
    return 0;
}

static int end(void **state)
{
    (void)state;
    hb_vector_release(&room.lowered);
    hb_vector_release(&room.plain);
    hb_vector_release(&room.joined);
    test_host_end(&host);
    return 0;
}

static hbs_text text_of(const char *bytes)
{
    return (hbs_text){bytes, strlen(bytes)};
}

static const char *kept(const hb_vector *bytes)
{
    memcpy(got, bytes->count ? bytes->items : "", bytes->count);
    got[bytes->count] = 0;
    return got;
}

static const char *lowered(const char *text, hb_unicode unicode)
{
    room.lowered.count = 0;
    assert_true(hb_python_lower(text_of(text), unicode, &room.lowered, &work));
    return kept(&room.lowered);
}

static const char *plain(const char *text, hb_accents accents)
{
    room.plain.count = 0;
    assert_true(hb_python_strip(text_of(text), accents, HB_UNICODE_15_0, &room.plain, &work));
    return kept(&room.plain);
}

static bool note_term(void *context, hbs_text term)
{
    (void)context;
    strncat(got, term.bytes, term.size);
    strcat(got, "|");
    return true;
}

static const char *terms(hb_term_rule rule, const char *text)
{
    got[0] = 0;
    assert_true(hb_term_rule_valid(&rule, &work));
    assert_true(hb_terms_each(&rule, &room, text_of(text), &work, note_term, NULL));
    return got;
}

#define WORDS(...) ((hb_term_rule){.unicode = HB_UNICODE_15_0, .lowers = 1, __VA_ARGS__})

/* ------------------------------------------------------------------ the tests */

static void lower_case_is_pythons(void **state)
{
    assert_string_equal(lowered("Stra\xC3\x9F"
                                "E \xC3\x89",
                                HB_UNICODE_14_0),
                        "stra\xC3\x9F"
                        "e \xC3\xA9");
    assert_string_equal(lowered("\xC4\xB0", HB_UNICODE_13_0), "i\xCC\x87");        /* two characters */
    assert_string_equal(lowered("\xE2\xB0\xAF", HB_UNICODE_13_0), "\xE2\xB0\xAF"); /* U+2C2F, new in 14.0 */
    assert_string_equal(lowered("\xE2\xB0\xAF", HB_UNICODE_14_0), "\xE2\xB1\x9F");
    assert_string_equal(lowered("", HB_UNICODE_15_1), "");
}

/* Each byte at each place of the eight that are looked at together, and behind them. */
static void ascii_is_the_same_at_every_place(void **state)
{
    for (int byte = 1; byte < 0x80; byte++)
        for (size_t at = 0; at < 19; at++) {
            char text[] = "aB_4567890abcdefgHi", lower[] = "ab_4567890abcdefghi", words[40] = "";
            bool is_word = (byte | 32) >= 'a' && (byte | 32) <= 'z';

            is_word |= (byte >= '0' && byte <= '9') || byte == '_';
            text[at] = (char)byte;
            lower[at] = (char)(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
            assert_string_equal(lowered(text, HB_UNICODE_13_0), lower);
            if (is_word || at >= 2)
                snprintf(words, sizeof(words), "%.*s|", is_word ? 19 : (int)at, lower);
            if (!is_word && at < 17)
                snprintf(words + strlen(words), sizeof(words) - strlen(words), "%s|", lower + at + 1);
            assert_string_equal(terms(WORDS(.least = 1, .most = 1), text), words);
        }
    assert_string_equal(terms(WORDS(.least = 1, .most = 1), "ABCDEFGH\xC3\x89IJKLMNOPQ"), "abcdefgh\xC3\xA9ijklmnopq|");
}

static void a_sigma_that_ends_a_word_is_another_one(void **state)
{
    assert_string_equal(lowered("\xCE\x91\xCE\xA3", HB_UNICODE_15_0), "\xCE\xB1\xCF\x82");
    assert_string_equal(lowered("\xCE\xA3", HB_UNICODE_15_0), "\xCF\x83");
    assert_string_equal(lowered("\xCE\x91\xCE\xA3'\xCE\x91", HB_UNICODE_15_0), "\xCE\xB1\xCF\x83'\xCE\xB1");
    assert_string_equal(lowered("\xCE\x91\xCE\xA3' ", HB_UNICODE_15_0), "\xCE\xB1\xCF\x82' ");
    assert_string_equal(lowered("\xCE\x91'\xCE\xA3", HB_UNICODE_15_0), "\xCE\xB1'\xCF\x82");
}

static void accents_go(void **state)
{
    assert_string_equal(plain("caf\xC3\xA9 e\xCC\x81", HB_ACCENTS_UNICODE), "cafe e");
    assert_string_equal(plain("\xC3\x9F\xE6\x9D\xB1 x", HB_ACCENTS_UNICODE), "\xC3\x9F\xE6\x9D\xB1 x");
    assert_string_equal(plain("\xC3\x9F\xE6\x9D\xB1 x", HB_ACCENTS_ASCII), " x");
    assert_string_equal(plain("\xEF\xAC\x81", HB_ACCENTS_ASCII), "fi"); /* a ligature */
    assert_string_equal(plain("\xEA\xB0\x81", HB_ACCENTS_UNICODE), "\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8"); /* Hangul */
    assert_string_equal(plain("\xEF\xB7\xBA", HB_ACCENTS_ASCII), "   "); /* 33 bytes of 3 */
}

static void words_are_runs_of_two_and_more(void **state)
{
    assert_string_equal(terms(WORDS(.least = 1, .most = 1), "A cat, 42 x_ \xD0\x9F\xD1\x80 !"),
                        "cat|42|x_|\xD0\xBF\xD1\x80|");
    assert_string_equal(terms(WORDS(.least = 1, .most = 2), "a bc de  fg"), "bc|de|bc de|fg|de fg|");
    assert_string_equal(terms(WORDS(.least = 2, .most = 3), "ab cd ef"), "ab cd|cd ef|ab cd ef|");
    assert_string_equal(terms(WORDS(.least = 2, .most = 2), "ab"), "");
    assert_string_equal(terms(WORDS(.least = 1, .most = 1), " ."), "");
}

static void stop_words_go_before_sequences(void **state)
{
    static const uint32_t ends[2] = {2, 5};
    hb_term_rule rule = WORDS(.least = 2, .most = 2, .stops = {.n = 2, .n_bytes = 5, .ends = ends, .bytes = "ofthe"});

    assert_string_equal(terms(rule, "end OF the day"), "end day|");
}

static void characters_and_their_sequences(void **state)
{
    hb_term_rule rule = WORDS(.analyzer = HB_ANALYZE_CHARACTERS, .least = 1, .most = 2);

    assert_string_equal(terms(rule, "A \t\xC3\x89"), "a| |a |\xC3\xA9| \xC3\xA9|"); /* white space is one space */
    assert_string_equal(terms(rule, "a\tb"), "a|\t|a\t|b|\tb|");                    /* but not one by itself */
    rule.least = rule.most = 4;
    assert_string_equal(terms(rule, "abc"), "");
    rule.analyzer = HB_ANALYZE_INSIDE_WORDS;
    assert_string_equal(terms(rule, "abc d\xC2\xA0"
                                    "ef"),
                        " abc|abc | d | ef |"); /* a short word counts as it is */
    rule.least = 2;
    rule.most = 9;
    assert_string_equal(terms(rule, "a"), " a|a | a |");
}

static void an_expression_finds_words(void **state)
{
    hb_arena arena;
    hbs_error error;
    const hb_regex *regex;
    hb_term_rule rule = WORDS(.least = 1, .most = 1);

    hb_arena_init(&arena, &memory);
    assert_int_equal(hb_regex_compile(&arena, text_of("(\\w)\\w*"), HB_REGEX_PYTHON, &work, &regex, &error), HBS_OK);
    rule.expression = (const char *)(const void *)regex;
    rule.expression_size = hb_regex_size(regex);
    room.search = hb_regex_scratch_begin(regex, hb_arena_array(&arena, hb_regex_scratch_size(regex), 1));
    assert_string_equal(terms(rule, "Abc d-ef"), "a|d|e|");
    hb_arena_release(&arena);
}

static bool say_stop(void *context)
{
    (void)context;
    return true;
}

static void a_long_text_is_left_when_the_host_says_so(void **state)
{
    static char letters[1 << 20];
    const hb_term_rule rules[] = {WORDS(.least = 1, .most = 1),
                                  WORDS(.least = 1, .most = 1, .accents = HB_ACCENTS_ASCII),
                                  WORDS(.analyzer = HB_ANALYZE_CHARACTERS, .least = 1, .most = 3),
                                  WORDS(.analyzer = HB_ANALYZE_INSIDE_WORDS, .least = 1, .most = 3)};

    memset(letters, 'a', sizeof letters);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        hb_work stopped = {.cancelled = say_stop};

        assert_false(hb_terms_each(&rules[i], &room, (hbs_text){letters, sizeof letters}, &stopped, note_term, NULL));
        assert_true(stopped.stopped);
    }
}

static bool say_stop_once(void *left)
{
    return *(int *)left > 0 && --*(int *)left == 0;
}

/* Wherever the host says stop, and though it goes on when it is asked again: what is cut short is no answer. */
static void a_stop_is_no_answer_wherever_it_comes(void **state)
{
    const hbs_text text = text_of("A\u03A3, \u03A3A\u03A3 '\u03A3' A'\u03A3");

    for (size_t units = 0; units < 200; units++) {
        int left = 1;
        hb_work stopped = {.cancelled = say_stop_once, .context = &left, .done = HB_WORK_A_POLL - units};

        room.lowered.count = 0;
        if (hb_python_lower(text, HB_UNICODE_15_0, &room.lowered, &stopped)) {
            assert_int_equal(left, 1);
            assert_string_equal(kept(&room.lowered), "a\u03C2, \u03C3a\u03C2 '\u03C3' a'\u03C2");
        }
    }
}

static void rules_with_other_values_are_refused(void **state)
{
    const hb_term_rule wrong[] = {WORDS(.least = 0, .most = 1), WORDS(.least = 2, .most = 1),
                                  WORDS(.least = 1, .most = HB_MOST_TERM + 1),
                                  WORDS(.least = 1, .most = 1, .analyzer = HB_N_ANALYZERS),
                                  WORDS(.least = 1, .most = 1, .accents = HB_N_ACCENTS)};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(hb_term_rule_valid(&wrong[i], &work));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lower_case_is_pythons, begin, end),
        cmocka_unit_test_setup_teardown(ascii_is_the_same_at_every_place, begin, end),
        cmocka_unit_test_setup_teardown(a_sigma_that_ends_a_word_is_another_one, begin, end),
        cmocka_unit_test_setup_teardown(accents_go, begin, end),
        cmocka_unit_test_setup_teardown(words_are_runs_of_two_and_more, begin, end),
        cmocka_unit_test_setup_teardown(stop_words_go_before_sequences, begin, end),
        cmocka_unit_test_setup_teardown(characters_and_their_sequences, begin, end),
        cmocka_unit_test_setup_teardown(an_expression_finds_words, begin, end),
        cmocka_unit_test_setup_teardown(a_long_text_is_left_when_the_host_says_so, begin, end),
        cmocka_unit_test_setup_teardown(a_stop_is_no_answer_wherever_it_comes, begin, end),
        cmocka_unit_test_setup_teardown(rules_with_other_values_are_refused, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
