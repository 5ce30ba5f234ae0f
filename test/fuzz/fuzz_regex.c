/* fuzz_regex.c - a pattern and a text from the same bytes: [mode][size of the pattern][pattern][text].
 *
 * Every match must lie within the text, behind the one before, and its group within it. A second walk must give the
 * same matches, and a search that begins where the walk stood the same as the walk. Texts may be bad UTF-8; then no
 * match may be longer than they are. */
#define FUZZ_NAME "fuzz_regex"
#include "fuzz_host.h"

#include "base/regex.h"

enum { MOST_TEXT = 300, MOST_STEPS = 4000 };

static void must(bool holds, const char *what)
{
    if (!holds)
        give_up(what, NULL);
}

static void check_group(const hb_regex *regex, const hb_match *match)
{
    bool took_part = match->group.begin != HB_NO_PLACE;

    must(took_part == (match->group.end != HB_NO_PLACE), "half a group");
    must(!took_part || hb_regex_has_group(regex), "a group that is none");
    must(!took_part || (match->whole.begin <= match->group.begin && match->group.begin <= match->group.end &&
                        match->group.end <= match->whole.end),
         "a group outside its match");
}

static bool same(const hb_match *a, const hb_match *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void walk(const hb_regex *regex, hb_regex_scratch *scratch, hbs_text text, hb_work *work)
{
    hb_regex_walk one = {0}, two = {0};
    hb_match match, again, found;
    size_t end = 0;
    bool empty = false;

    while (hb_regex_next(regex, scratch, text, &one, &match, work)) {
        must(end <= match.whole.begin && match.whole.begin <= match.whole.end && match.whole.end <= text.size,
             "a match outside the text");
        must(!empty || match.whole.end > end, "an empty match twice");
        check_group(regex, &match);
        must(hb_regex_next(regex, scratch, text, &two, &again, work) && same(&match, &again), "another match");
        must(empty || (hb_regex_search(regex, scratch, text, end, &found, work) && same(&match, &found)),
             "another search");
        end = match.whole.end;
        empty = match.whole.begin == end;
    }
    must(!hb_regex_next(regex, scratch, text, &two, &again, work), "one match more");
}

static void search(const hb_regex *regex, hbs_text text, hb_work *work)
{
    void *memory = malloc(hb_regex_scratch_size(regex));

    walk(regex, hb_regex_scratch_begin(regex, memory), text, work);
    free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hb_memory memory;
    hb_arena arena;
    hb_work work = hb_work_of(&HOST);
    const hb_regex *regex;
    hbs_error error;

    if (size < 2)
        return 0;

    size_t length = data[1] < size - 2 ? data[1] : size - 2, left = size - 2 - length;
    hbs_text pattern = {(const char *)data + 2, length};
    hbs_text text = {pattern.bytes + length, left < MOST_TEXT ? left : MOST_TEXT};

    hb_memory_init(&memory, &HOST, 0);
    hb_arena_init(&arena, &memory);

    hbs_status status =
        hb_regex_compile(&arena, pattern, data[0] & 1 ? HB_REGEX_RE2_LONGEST : HB_REGEX_PYTHON, &work, &regex, &error);

    if (status == HBS_OK && hb_regex_size(regex) < MOST_STEPS * 16) /* others would take the run's time */
        search(regex, text, &work);
    else if (status != HBS_OK && (error.status != status || *error.text == '\0'))
        give_up("an error without words", &error);
    hb_arena_release(&arena);
    if (blocks != 0)
        give_up("memory is left", NULL);
    return 0;
}
