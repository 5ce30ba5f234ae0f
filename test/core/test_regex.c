/* test_regex.c - regular expressions: the matches of Python's re and of RE2 (regex_cases.inc, made by
 * make_regex_cases.py), what is refused and how, hostile patterns and texts, failing allocations, cancelled work. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/regex.h"
#include "base/text.h"

typedef struct compiled {
    test_host host;
    hb_memory memory;
    hb_arena arena;
    hb_work work;
    const hb_regex *regex;
    void *room;
    hb_regex_scratch *scratch;
    hbs_error error;
} compiled;

static hbs_text text_of(const char *text)
{
    return (hbs_text){text, strlen(text)};
}

static hbs_status compile(compiled *c, hbs_text pattern, hb_regex_mode mode)
{
    test_host_init(&c->host);
    hb_memory_init(&c->memory, &c->host.host, 0);
    hb_arena_init(&c->arena, &c->memory);
    c->work = hb_work_of(&c->host.host);
    c->room = NULL;

    char *copy = test_exact_copy(pattern.bytes, pattern.size);
    hbs_status status =
        hb_regex_compile(&c->arena, (hbs_text){copy, pattern.size}, mode, &c->work, &c->regex, &c->error);

    free(copy);
    if (status == HBS_OK) {
        c->room = malloc(hb_regex_scratch_size(c->regex));
        c->scratch = hb_regex_scratch_begin(c->regex, c->room);
    }
    return status;
}

static void release(compiled *c)
{
    free(c->room);
    hb_arena_release(&c->arena);
    test_host_end(&c->host);
}

static void compile_well(compiled *c, const char *pattern, hb_regex_mode mode)
{
    hbs_status status = compile(c, text_of(pattern), mode);

    if (status != HBS_OK)
        print_error("%s\n", pattern);
    assert_status(status, HBS_OK, &c->error);
}

/* ---- the recorded answers */

static size_t write_match(const compiled *c, const hb_match *match, char *out, size_t room)
{
    int size = snprintf(out, room, "%zu-%zu", match->whole.begin, match->whole.end);

    if (hb_regex_has_group(c->regex) && match->group.begin == HB_NO_PLACE)
        size += snprintf(out + size, room - (size_t)size, "()");
    else if (hb_regex_has_group(c->regex))
        size += snprintf(out + size, room - (size_t)size, "(%zu-%zu)", match->group.begin, match->group.end);
    return (size_t)size;
}

static void all_matches(compiled *c, hbs_text text, char *out, size_t room)
{
    hb_regex_walk walk = {0};
    hb_match match;
    size_t at = 0;

    *out = '\0';
    while (hb_regex_next(c->regex, c->scratch, text, &walk, &match, &c->work)) {
        assert_true(at + 80 < room);
        if (at > 0)
            out[at++] = ' ';
        at += write_match(c, &match, out + at, room - at);
    }
}

static void first_match(compiled *c, hbs_text text, char *out, size_t room)
{
    hb_match match;

    *out = '\0';
    if (hb_regex_search(c->regex, c->scratch, text, 0, &match, &c->work))
        write_match(c, &match, out, room);
}

typedef struct recorded {
    const char *pattern;
    hbs_text text; /* it may have a NUL */
    const char *matches;
} recorded;

static bool answers(const recorded *r, hb_regex_mode mode)
{
    compiled c;
    char found[4096];
    char *copy = test_exact_copy(r->text.bytes, r->text.size);
    hbs_text text = {copy, r->text.size};

    compile_well(&c, r->pattern, mode);
    if (mode == HB_REGEX_PYTHON)
        all_matches(&c, text, found, sizeof found);
    else
        first_match(&c, text, found, sizeof found);
    free(copy);
    release(&c);
    if (strcmp(found, r->matches) == 0)
        return true;

    char shown[200];

    print_error("%s in \"%s\": %s, expected %s\n", r->pattern, hb_escape(r->text, 40, shown, sizeof shown), found,
                r->matches);
    return false;
}

static void all_answer(const recorded *cases, size_t count, hb_regex_mode mode)
{
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++)
        wrong += !answers(&cases[i], mode);
    assert_int_equal(wrong, 0);
    assert_true(count > 600);
}

static void matches_are_those_of_python(void **state)
{
    static const recorded cases[] = {
#define PYTHON(pattern, text, matches) {(pattern), {(text), sizeof(text) - 1}, (matches)},
#define RE2(pattern, text, matches)
#define EVERY(pattern, count, sum)
#include "core/regex_cases.inc"
#undef PYTHON
#undef RE2
#undef EVERY
    };

    all_answer(cases, sizeof cases / sizeof cases[0], HB_REGEX_PYTHON);
}

static void longest_matches_are_those_of_re2(void **state)
{
    static const recorded cases[] = {
#define PYTHON(pattern, text, matches)
#define EVERY(pattern, count, sum)
#define RE2(pattern, text, matches) {(pattern), {(text), sizeof(text) - 1}, (matches)},
#include "core/regex_cases.inc"
#undef PYTHON
#undef RE2
#undef EVERY
    };

    all_answer(cases, sizeof cases / sizeof cases[0], HB_REGEX_RE2_LONGEST);
}

/* ---- every character */

/* All characters of Unicode in turn; *size bytes. */
static char *every_character(size_t *size)
{
    static const uint8_t leads[] = {0, 0xC0, 0xE0, 0xF0};
    char *text = malloc(4 * 0x110000), *p = text;

    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        if (c >= 0xD800 && c < 0xE000)
            continue;
        if (c < 0x80) {
            *p++ = (char)c;
            continue;
        }
        int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;

        *p++ = (char)(leads[more] | c >> (6 * more));
        while (more-- > 0)
            *p++ = (char)(0x80 | ((c >> (6 * more)) & 0x3F));
    }
    *size = (size_t)(p - text);
    return text;
}

static void characters_are_classed_as_by_python(void **state)
{
    static const struct {
        const char *pattern;
        size_t count;
        uint64_t sum;
    } cases[] = {
#define PYTHON(pattern, text, matches)
#define RE2(pattern, text, matches)
#define EVERY(pattern, count, sum) {(pattern), (count), (sum)},
#include "core/regex_cases.inc"
#undef PYTHON
#undef RE2
#undef EVERY
    };
    size_t size;
    char *text = every_character(&size);

    assert_true(hb_utf8_valid(text, size));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        compiled c;
        hb_regex_walk walk = {0};
        hb_match match;
        size_t count = 0;
        uint64_t sum = 0;

        compile_well(&c, cases[i].pattern, HB_REGEX_PYTHON);
        for (; hb_regex_next(c.regex, c.scratch, (hbs_text){text, size}, &walk, &match, &c.work); count++)
            sum += match.whole.begin;
        if (count != cases[i].count || sum != cases[i].sum)
            fail_msg("%s: %zu matches, expected %zu", cases[i].pattern, count, cases[i].count);
        release(&c);
    }
    free(text);
}

/* ---- refusals */

static void refuses(hb_regex_mode mode, const char *pattern, hbs_status status, size_t at, const char *what)
{
    compiled c;
    char place[200];

    snprintf(place, sizeof place, ": byte %zu: %s", at, what);
    assert_status(compile(&c, text_of(pattern), mode), status, &c.error);
    if (!strstr(c.error.text, place))
        fail_msg("%s: \"%s\", expected \"%s\"", pattern, c.error.text, place);
    release(&c);
}

static void what_is_not_supported_is_refused_by_name(void **state)
{
    static const struct {
        const char *pattern;
        size_t at;
        const char *what;
    } cases[] = {
        {"a(b)\\1", 4, "a backreference or an octal escape is not supported"},
        {"(?P<x>a)(?P=x)", 8, "a backreference is not supported"},
        {"(?P>x)", 0, "a recursion is not supported"},
        {"a(?=b)", 1, "a lookahead is not supported"},
        {"a(?!b)", 1, "a lookahead is not supported"},
        {"(?<=a)b", 0, "a lookbehind is not supported"},
        {"(?<!a)b", 0, "a lookbehind is not supported"},
        {"(?<x>a)", 0, "a named group without P is not supported"},
        {"(?>a)", 0, "an atomic group is not supported"},
        {"(?(1)a|b)", 0, "a condition is not supported"},
        {"a(?#b)", 1, "a comment is not supported"},
        {"(?|a|b)", 0, "a branch reset is not supported"},
        {"(?x) a", 0, "a flag other than i, s and m"},
        {"(?L)a", 0, "a flag other than i, s and m"},
        {"(?i:a)", 0, "a flag other than i, s and m"},
        {"(?-i:a)", 0, "a flag other than i, s and m"},
        {"a(?i)", 1, "a flag other than i, s and m (Python: u, a), or not at the begin is not supported"},
        {"\\pL", 0, "a Unicode property (\\p) is not supported"},
        {"[\\P{Lu}]", 1, "a Unicode property (\\p) is not supported"},
        {"\\N{DASH}", 0, "a character by its name (\\N) is not supported"},
        {"\\C", 0, "a single byte (\\C) is not supported"},
        {"\\Qa\\E", 0, "quoted text (\\Q) is not supported"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        refuses(HB_REGEX_PYTHON, cases[i].pattern, HBS_E_UNSUPPORTED, cases[i].at, cases[i].what);
        refuses(HB_REGEX_RE2_LONGEST, cases[i].pattern, HBS_E_UNSUPPORTED, cases[i].at, cases[i].what);
    }
    refuses(HB_REGEX_PYTHON, "a*+", HBS_E_UNSUPPORTED, 2, "a possessive repeat is not supported");
    refuses(HB_REGEX_PYTHON, "(a)(?:b)(c)", HBS_E_UNSUPPORTED, 8, "a second group that captures is not supported");
    refuses(HB_REGEX_PYTHON, "(?i)[a\\U00010400]", HBS_E_UNSUPPORTED, 6,
            "a class with letters or ranges above U+FFFF and the flag i is not supported");
    refuses(HB_REGEX_PYTHON, "(?i)[a-\\U0001F600]", HBS_E_UNSUPPORTED, 5,
            "a class with letters or ranges above U+FFFF");
    refuses(HB_REGEX_RE2_LONGEST, "[[:alpha:]]", HBS_E_UNSUPPORTED, 1, "a class of POSIX ([:) is not supported");
    refuses(HB_REGEX_RE2_LONGEST, "(?u)a", HBS_E_UNSUPPORTED, 0, "a flag other than");
}

static void what_is_no_expression_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *pattern;
        size_t at;
        const char *what;
    } cases[] = {
        {"(a", 0, "a ( without its )"},
        {"a(?:b(c)", 1, "a ( without its )"},
        {"a)", 1, "a ) without its ("},
        {"[a", 0, "a class without its ]"},
        {"[]", 0, "a class without its ]"},
        {"a[^]", 1, "a class without its ]"},
        {"a\\", 1, "a backslash at the end"},
        {"[a\\", 2, "a backslash at the end"},
        {"\\e", 0, "an unknown escape"},
        {"[\\A]", 1, "an unknown escape"},
        {"\\x4", 0, "an escape that is no character"},
        {"\\xg0", 0, "an escape that is no character"},
        {"*a", 0, "nothing to repeat"},
        {"a|+", 2, "nothing to repeat"},
        {"(?:{2})", 3, "nothing to repeat"},
        {"a**", 2, "a repeat of a repeat"},
        {"a{2}{3}", 4, "a repeat of a repeat"},
        {"a{1000}{1000}", 7, "a repeat of a repeat"},
        {"a???", 3, "a repeat of a repeat"},
        {"a{2,1}", 1, "a repeat whose least count is above its most"},
        {"[z-a]", 1, "a range that is none"},
        {"(?P<1>a)", 4, "a name of a group that is none"},
        {"(?P<a", 4, "a name of a group that is none"},
        {"(?)", 0, "an unknown kind of group"},
        {"(?", 0, "an unknown kind of group"},
        {"a\xff", 0, "it is not UTF-8"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        refuses(HB_REGEX_PYTHON, cases[i].pattern, HBS_E_FORMAT, cases[i].at, cases[i].what);
        refuses(HB_REGEX_RE2_LONGEST, cases[i].pattern, HBS_E_FORMAT, cases[i].at, cases[i].what);
    }
    refuses(HB_REGEX_PYTHON, "^*", HBS_E_FORMAT, 1, "nothing to repeat");
    refuses(HB_REGEX_PYTHON, "\\b+", HBS_E_FORMAT, 2, "nothing to repeat");
    refuses(HB_REGEX_PYTHON, "a\\z", HBS_E_FORMAT, 1, "an unknown escape");
    refuses(HB_REGEX_PYTHON, "[\\w-z]", HBS_E_FORMAT, 1, "a range that is none");
    refuses(HB_REGEX_PYTHON, "(?au)a", HBS_E_FORMAT, 0, "the flags a and u at once");
    refuses(HB_REGEX_PYTHON, "\\ud800", HBS_E_FORMAT, 0, "an escape that is no character");
    refuses(HB_REGEX_PYTHON, "\\U00110000", HBS_E_FORMAT, 0, "an escape that is no character");
    refuses(HB_REGEX_RE2_LONGEST, "a\\Z", HBS_E_FORMAT, 1, "an unknown escape");
    refuses(HB_REGEX_RE2_LONGEST, "\\u0041", HBS_E_FORMAT, 0, "an unknown escape");
    refuses(HB_REGEX_RE2_LONGEST, "\\\xc3\xa9", HBS_E_FORMAT, 0, "an unknown escape");
    refuses(HB_REGEX_RE2_LONGEST, "\\x{110000}", HBS_E_FORMAT, 0, "an escape that is no character");
    refuses(HB_REGEX_RE2_LONGEST, "\\x{}", HBS_E_FORMAT, 0, "an escape that is no character");
    refuses(HB_REGEX_RE2_LONGEST, "a*+", HBS_E_FORMAT, 2, "a repeat of a repeat");
}

/* ---- limits */

static char *times(const char *part, size_t count)
{
    size_t size = strlen(part);
    char *text = malloc(size * count + 1);

    for (size_t i = 0; i < count; i++)
        memcpy(text + i * size, part, size);
    text[size * count] = '\0';
    return text;
}

static void is_over_a_limit(const char *pattern, const char *what)
{
    for (int mode = HB_REGEX_PYTHON; mode <= HB_REGEX_RE2_LONGEST; mode++) {
        compiled c;

        assert_status(compile(&c, text_of(pattern), (hb_regex_mode)mode), HBS_E_LIMIT, &c.error);
        if (!strstr(c.error.text, what))
            fail_msg("\"%s\", expected \"%s\"", c.error.text, what);
        release(&c);
    }
}

static void many_times(const char *part, size_t count, const char *what)
{
    char *pattern = times(part, count);

    is_over_a_limit(pattern, what);
    free(pattern);
}

static void large_patterns_are_refused(void **state)
{
    is_over_a_limit("a{1001}", ": byte 1: a repeat of more than 1000 times");
    is_over_a_limit("a{0,99999999999999999999}", ": byte 1: a repeat of more than 1000 times");
    is_over_a_limit("(?:a{1000}){1000}", "more than 10000 steps, with repeats written out");
    is_over_a_limit("(?:(?:(?:(?:){1000}){1000}){1000}){1000}", "more than 10000 steps");
    is_over_a_limit("(?:(?:(?:a{0,100}){0,100}){0,100}){0,100}", "more than 10000 steps");
    many_times("(?:", 10000, ": byte 300: more than 100 groups in groups");
    many_times("a", 10000, "more than 10000 steps");
    many_times("a", HB_REGEX_MAX_PATTERN + 1, ": byte 0: longer than 32 KiB");
    /* Each doubles the one within in Python's dialect: x+ of what matches nothing is xx*. */
    compiled c;
    char pattern[400] = "a*";

    for (int i = 0; i < 60; i++) {
        char inner[400];

        strcpy(inner, pattern);
        snprintf(pattern, sizeof pattern, "(?:%.380s)+", inner);
    }
    assert_status(compile(&c, text_of(pattern), HB_REGEX_PYTHON), HBS_E_LIMIT, &c.error);
    release(&c);
}

static void many_classes_are_refused(void **state)
{
    char *pattern = malloc(32 * 1024), *p = pattern;

    for (int i = 0; i < 1001; i++)
        p += sprintf(p, "[a\\u%04x]", 0x1000 + 2 * i);
    compiled c;

    assert_status(compile(&c, text_of(pattern), HB_REGEX_PYTHON), HBS_E_LIMIT, &c.error);
    assert_non_null(strstr(c.error.text, ": byte 9000: more than 1000 different classes of characters"));
    release(&c);
    free(pattern);
}

static void groups_may_be_deep(void **state)
{
    char *open = times("(?:", 100), *close = times(")*", 100), pattern[512];
    compiled c;
    char found[64];

    snprintf(pattern, sizeof pattern, "%s%s%s", open, "a", close);
    compile_well(&c, pattern, HB_REGEX_RE2_LONGEST);
    first_match(&c, text_of("aaab"), found, sizeof found);
    assert_string_equal(found, "0-3");
    release(&c);
    free(open);
    free(close);
}

/* ---- texts */

/* What takes a backtracking search exponential time. */
static void hostile_patterns_take_linear_time(void **state)
{
    static const char *const patterns[] = {"(a*)*b", "(?:a|aa)+$", "(?:a?){50}a{50}b", "(?:(?:a*)*)*c", "(?:a|a|a)*b"};
    char *text = times("a", 20000);

    text[19999] = 'x';
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        for (int mode = HB_REGEX_PYTHON; mode <= HB_REGEX_RE2_LONGEST; mode++) {
            compiled c;
            hb_match match;

            compile_well(&c, patterns[i], (hb_regex_mode)mode);
            assert_false(hb_regex_search(c.regex, c.scratch, text_of(text), 0, &match, &c.work));
            release(&c);
        }
    free(text);
}

static void bad_bytes_match_nothing(void **state)
{
    static const char text[] = "a\xff\xc3(\xf0\x9f\x98\x62\x80";
    compiled c;
    char found[400], *copy = test_exact_copy(text, sizeof text - 1);

    compile_well(&c, "(?s).", HB_REGEX_PYTHON);
    all_matches(&c, (hbs_text){copy, sizeof text - 1}, found, sizeof found);
    assert_string_equal(found, "0-1 3-4 7-8");
    release(&c);
    free(copy);
}

/* No range of characters is left in the pattern then. */
static void a_class_of_nothing_matches_nothing(void **state)
{
    compiled c;
    char found[100];

    compile_well(&c, "[^\\w\\W]", HB_REGEX_PYTHON);
    all_matches(&c, text_of("a -"), found, sizeof found);
    assert_string_equal(found, "");
    release(&c);
}

static void a_search_sees_what_is_before_it(void **state)
{
    compiled c;
    hb_match match;

    compile_well(&c, "\\b\\w", HB_REGEX_PYTHON);
    assert_true(hb_regex_search(c.regex, c.scratch, text_of("\xc3\xa9t t"), 2, &match, &c.work));
    assert_int_equal(match.whole.begin, 4);
    assert_false(hb_regex_search(c.regex, c.scratch, text_of("\xc3\xa9t t"), 6, &match, &c.work));
    release(&c);
    compile_well(&c, "^a", HB_REGEX_RE2_LONGEST);
    assert_false(hb_regex_search(c.regex, c.scratch, text_of("aa"), 1, &match, &c.work));
    assert_true(hb_regex_search(c.regex, c.scratch, (hbs_text){"aa", 2}, 0, &match, &c.work));
    assert_false(hb_regex_search(c.regex, c.scratch, (hbs_text){NULL, 0}, 0, &match, &c.work));
    release(&c);
}

static void a_copy_of_the_block_searches_too(void **state)
{
    compiled c;
    hb_match match;

    compile_well(&c, "(b+)c", HB_REGEX_PYTHON);
    char *copy = test_exact_copy(c.regex, hb_regex_size(c.regex));

    hb_arena_release(&c.arena);
    assert_true(hb_regex_search((const hb_regex *)copy, c.scratch, text_of("abbc"), 0, &match, &c.work));
    assert_int_equal(match.whole.begin, 1);
    assert_int_equal(match.group.end, 3);
    free(copy);
    release(&c);
}

/* ---- the host */

static hbs_status compile_for(const hbs_host *host, void *context, hbs_error *error)
{
    hb_memory memory;
    hb_arena arena;
    hb_work work = hb_work_of(host);
    const hb_regex *regex;

    hb_memory_init(&memory, host, 0);
    hb_arena_init(&arena, &memory);

    hbs_status status = hb_regex_compile(&arena, text_of(context), HB_REGEX_PYTHON, &work, &regex, error);

    hb_arena_release(&arena);
    return status;
}

static char rich[] = "(?i)^\\b(?P<x>\\w[^\\w\\s]|[a-z\\d]*?|(?:a*)*)+k{2,5}$|.";

static void each_allocation_can_fail(void **state)
{
    assert_true(test_each_allocation_fails(compile_for, rich) > 10);
}

static void compiling_can_be_cancelled(void **state)
{
    test_host host;
    hbs_error error;
    char *pattern = times("(?:[a-z]{2}|\\W)(?:b?)*", 200);

    test_host_init(&host);
    assert_status(compile_for(&host.host, pattern, &error), HBS_OK, &error);
    size_t polls = host.polls;

    assert_true(polls > 20);
    for (size_t i = 1; i <= polls; i++) {
        host.polls = 0;
        host.cancel_at = i;
        assert_status(compile_for(&host.host, pattern, &error), HBS_E_CANCEL, &error);
        test_host_end(&host);
    }
    free(pattern);
}

static void a_search_can_be_cancelled(void **state)
{
    static const char *const patterns[] = {"[ab]*c", "xb"}; /* steps; skipped bytes */
    char *text = times("a", 300000);

    for (size_t k = 0; k < 2; k++) {
        compiled c;
        hb_match match;

        compile_well(&c, patterns[k], HB_REGEX_PYTHON);
        c.host.polls = 0;
        assert_false(hb_regex_search(c.regex, c.scratch, text_of(text), 0, &match, &c.work));
        assert_false(c.work.stopped);
        size_t polls = c.host.polls;

        assert_true(polls >= 4);
        for (size_t i = 1; i <= polls; i++) {
            c.host.polls = 0;
            c.host.cancel_at = i;
            c.work = hb_work_of(&c.host.host);
            assert_false(hb_regex_search(c.regex, c.scratch, text_of(text), 0, &match, &c.work));
            assert_true(c.work.stopped || i == polls); /* the last one may be of units left from before */
        }
        release(&c);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_are_those_of_python),
        cmocka_unit_test(longest_matches_are_those_of_re2),
        cmocka_unit_test(characters_are_classed_as_by_python),
        cmocka_unit_test(what_is_not_supported_is_refused_by_name),
        cmocka_unit_test(what_is_no_expression_is_refused_with_its_place),
        cmocka_unit_test(large_patterns_are_refused),
        cmocka_unit_test(many_classes_are_refused),
        cmocka_unit_test(groups_may_be_deep),
        cmocka_unit_test(hostile_patterns_take_linear_time),
        cmocka_unit_test(bad_bytes_match_nothing),
        cmocka_unit_test(a_class_of_nothing_matches_nothing),
        cmocka_unit_test(a_search_sees_what_is_before_it),
        cmocka_unit_test(a_copy_of_the_block_searches_too),
        cmocka_unit_test(each_allocation_can_fail),
        cmocka_unit_test(compiling_can_be_cancelled),
        cmocka_unit_test(a_search_can_be_cancelled),
    };

    return cmocka_run_group_tests_name("regex", tests, NULL, NULL);
}
