/* regex_match.c - searches a text: all ways through the program side by side, one character at a time.
 *
 * A thread is a place in the program with the places in the text that it has noted. Threads stand in the order in which
 * a backtracking search would try them, and the first one at an instruction keeps it: what a second one could find
 * there, the first one finds, too. So a step takes each instruction once at most. A new thread begins behind all others
 * at each character, until there is a match. Hence threads also stand in the order of their begins. */
#include <string.h>

#include "base/regex_program.h"
#include "base/text.h"

/* A byte that is no character: no instruction has this code. */
enum { NO_CODE = UINT32_MAX >> 1, SKIPPED_A_POLL = 1 << 12 };

typedef struct thread {
    size_t begin;
    hb_span group;
    uint32_t at;
} thread;

/* The scratch begins with this; behind it stand the arrays. */
struct hb_regex_scratch {
    uint32_t step; /* the number of the last one */
    uint32_t count;
    thread *now, *next, *waiting; /* count + 1 each */
    uint32_t *seen;               /* for each instruction the last step that took it */
};

typedef struct search {
    const hb_regex *regex;
    const hb_regex_instruction *program;
    const hb_regex_set *sets;
    const hb_code_range *ranges;
    hb_regex_scratch *scratch;
    hbs_text text;
    size_t at, size;     /* the place, and the bytes of the character there */
    uint32_t code;       /* of that character */
    uint32_t before;     /* of the one before */
    size_t not_empty_at; /* where no match may be empty */
    size_t now, next;    /* threads on the lists */
    size_t taken;        /* instructions of this step */
    bool found;
    hb_match *match;
} search;

size_t hb_regex_size(const hb_regex *regex)
{
    return regex->size;
}

bool hb_regex_has_group(const hb_regex *regex)
{
    return regex->group;
}

bool hb_regex_takes_characters(const hb_regex *regex)
{
    return regex->skips;
}

/* ---- scratch */

size_t hb_regex_scratch_size(const hb_regex *regex)
{
    return sizeof(hb_regex_scratch) + 3 * (regex->count + (size_t)1) * sizeof(thread) + regex->count * sizeof(uint32_t);
}

hb_regex_scratch *hb_regex_scratch_begin(const hb_regex *regex, void *memory)
{
    hb_regex_scratch *scratch = memory;
    size_t threads = regex->count + (size_t)1;

    scratch->step = 0;
    scratch->count = regex->count;
    scratch->now = (thread *)(scratch + 1);
    scratch->next = scratch->now + threads;
    scratch->waiting = scratch->next + threads;
    scratch->seen = (uint32_t *)(scratch->waiting + threads);
    memset(scratch->seen, 0, regex->count * sizeof *scratch->seen);
    return scratch;
}

static void begin_step(search *s)
{
    hb_regex_scratch *scratch = s->scratch;

    if (++scratch->step == 0) { /* the numbers begin anew */
        memset(scratch->seen, 0, scratch->count * sizeof *scratch->seen);
        scratch->step = 1;
    }
    s->next = 0;
    s->taken = 1;
}

/* ---- characters */

static uint32_t read_code(const char *bytes, size_t left, size_t *size)
{
    uint8_t lead = (uint8_t)bytes[0];
    uint32_t code = lead;

    *size = 1;
    if (lead < 0x80)
        return code;

    size_t length = hb_utf8_character(bytes, left);

    if (length == 0)
        return NO_CODE;
    code &= 0x7Fu >> length;
    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((uint8_t)bytes[i] & 0x3F);
    *size = length;
    return code;
}

/* The character that ends where the search is. */
static uint32_t code_before(const search *s)
{
    size_t size;

    for (size_t back = 1; back <= 4 && back <= s->at; back++) {
        uint32_t code = read_code(s->text.bytes + s->at - back, back, &size);

        if (code != NO_CODE && size == back)
            return code;
    }
    return NO_CODE;
}

static void read_here(search *s)
{
    s->code = NO_CODE;
    s->size = 0;
    if (s->at < s->text.size)
        s->code = read_code(s->text.bytes + s->at, s->text.size - s->at, &s->size);
}

static void go_to(search *s, size_t at)
{
    s->at = at;
    s->before = code_before(s);
    read_here(s);
}

static bool in_set(const search *s, uint32_t index)
{
    const hb_regex_set *set = &s->sets[index];

    if (s->code < 128)
        return set->ascii[s->code / 64] >> s->code % 64 & 1;
    return hb_code_in(s->ranges + set->first_range, set->ranges, s->code);
}

static bool is_word(const search *s, uint32_t code)
{
    uint32_t near = 0;

    if (s->regex->ascii && code >= 0x80)
        return false;
    return code <= HB_LAST_CODE && hb_python_is_word(code, (hb_unicode)s->regex->mode, &near);
}

static bool at_word_edge(const search *s)
{
    return is_word(s, s->before) != is_word(s, s->code);
}

static bool is_at(const search *s, hb_regex_place place)
{
    bool end = s->at == s->text.size;

    switch (place) {
    case HB_PLACE_BEGIN:
        return s->at == 0;
    case HB_PLACE_END:
        return end;
    case HB_PLACE_LINE_BEGIN:
        return s->at == 0 || s->before == '\n';
    case HB_PLACE_LINE_END:
        return end || s->code == '\n';
    case HB_PLACE_LAST_LINE_END:
        return end || (s->code == '\n' && s->at + 1 == s->text.size);
    case HB_PLACE_WORD_EDGE:
        return at_word_edge(s);
    case HB_PLACE_INSIDE: /* Python's \B is nowhere in an empty text, until 3.13 */
        return !at_word_edge(s) && (s->text.size > 0 || s->regex->mode == HB_REGEX_RE2_LONGEST);
    }
    return false;
}

/* ---- steps */

static bool is_longest(const search *s)
{
    return s->regex->mode == HB_REGEX_RE2_LONGEST;
}

/* A thread ends in a match. False: all threads behind it are given up. */
static bool note_match(search *s, const thread *t)
{
    if (s->at == s->not_empty_at && t->begin == s->at)
        return true;
    if (!s->found || s->at > s->match->whole.end || !is_longest(s))
        *s->match = (hb_match){.whole = {t->begin, s->at}, .group = t->group};
    s->found = true;
    return is_longest(s);
}

static void move_on(search *s, const thread *t, uint32_t to)
{
    s->scratch->next[s->next] = *t;
    s->scratch->next[s->next++].at = to;
}

/* Takes one instruction. *goes_on: the thread is at another one, where it takes no character either. */
static bool take(search *s, thread *t, size_t *waiting, bool *goes_on)
{
    const hb_regex_instruction *instruction = &s->program[t->at];

    *goes_on = false;
    switch ((hb_regex_operation)instruction->operation) {
    case HB_REGEX_CHARACTER:
        if (s->code == instruction->argument)
            move_on(s, t, instruction->next);
        return true;
    case HB_REGEX_SET:
        if (in_set(s, instruction->argument))
            move_on(s, t, instruction->next);
        return true;
    case HB_REGEX_MATCH:
        return note_match(s, t);
    case HB_REGEX_PLACE:
        *goes_on = is_at(s, (hb_regex_place)instruction->argument);
        break;
    case HB_REGEX_SPLIT:
        s->scratch->waiting[*waiting] = *t;
        s->scratch->waiting[(*waiting)++].at = instruction->argument;
        *goes_on = true;
        break;
    case HB_REGEX_OPEN:
        t->group = (hb_span){s->at, HB_NO_PLACE};
        *goes_on = true;
        break;
    case HB_REGEX_CLOSE:
        t->group.end = s->at;
        *goes_on = true;
        break;
    default:
        break;
    }
    t->at = instruction->next;
    return true;
}

/* All ways of a thread up to the next character. False: all threads behind it are given up. A split is taken once in a
 * step and leaves one thread waiting, so that there is room. */
static bool follow(search *s, const thread *from)
{
    hb_regex_scratch *scratch = s->scratch;
    size_t waiting = 1;
    bool goes_on;

    scratch->waiting[0] = *from;
    while (waiting > 0) {
        thread t = scratch->waiting[--waiting];

        do {
            if (scratch->seen[t.at] == scratch->step)
                break;
            scratch->seen[t.at] = scratch->step;
            s->taken++;
            if (!take(s, &t, &waiting, &goes_on))
                return false;
        } while (goes_on);
    }
    return true;
}

static void step(search *s)
{
    begin_step(s);
    for (size_t i = 0; i < s->now; i++) {
        const thread *t = &s->scratch->now[i];

        if (s->found && t->begin > s->match->whole.begin) /* the longest of those that begin first */
            break;
        if (!follow(s, t))
            break;
    }
}

static void begin_thread(search *s)
{
    s->scratch->now[s->now++] = (thread){.begin = s->at, .group = {HB_NO_PLACE, HB_NO_PLACE}, .at = s->regex->begin};
}

static void advance(search *s)
{
    thread *now = s->scratch->now;

    s->scratch->now = s->scratch->next;
    s->scratch->next = now;
    s->now = s->next;
    s->at += s->size;
    s->before = s->code;
    read_here(s);
}

static bool may_begin(const search *s, size_t at)
{
    uint8_t byte = (uint8_t)s->text.bytes[at];

    return s->regex->starts[byte / 64] >> byte % 64 & 1;
}

/* No thread is there: goes to the next byte with which a match can begin. False: none is left, or the host wants to
 * stop. */
static bool skip(search *s, hb_work *work)
{
    size_t at = s->at;

    if (!s->regex->skips)
        return true;
    for (; at < s->text.size && !may_begin(s, at); at++)
        if (at % SKIPPED_A_POLL == 0 && !hb_goes_on(work, SKIPPED_A_POLL))
            return false;
    if (at > s->at)
        go_to(s, at);
    return at < s->text.size;
}

static bool run(search *s, hb_work *work)
{
    for (;;) {
        if (s->now == 0 && !s->found && !skip(s, work))
            return false;
        if (!s->found)
            begin_thread(s);
        step(s);
        if (!hb_goes_on(work, s->taken))
            return false;
        if (s->at >= s->text.size || (s->found && s->next == 0))
            return s->found;
        advance(s);
    }
}

static bool search_from(const hb_regex *regex, hb_regex_scratch *scratch, hbs_text text, size_t from,
                        size_t not_empty_at, hb_match *match, hb_work *work)
{
    search s = {.regex = regex, .scratch = scratch, .text = text, .match = match, .not_empty_at = not_empty_at};

    if (from > text.size)
        return false;
    s.program = hb_flat_at(regex, regex->instructions);
    s.sets = hb_flat_at(regex, regex->sets);
    s.ranges = hb_flat_at(regex, regex->ranges);
    go_to(&s, from);
    return run(&s, work);
}

bool hb_regex_search(const hb_regex *regex, hb_regex_scratch *scratch, hbs_text text, size_t from, hb_match *match,
                     hb_work *work)
{
    return search_from(regex, scratch, text, from, HB_NO_PLACE, match, work);
}

bool hb_regex_next(const hb_regex *regex, hb_regex_scratch *scratch, hbs_text text, hb_regex_walk *walk,
                   hb_match *match, hb_work *work)
{
    size_t not_empty_at = walk->empty ? walk->from : HB_NO_PLACE;

    if (!search_from(regex, scratch, text, walk->from, not_empty_at, match, work)) {
        walk->from = HB_NO_PLACE;
        return false;
    }
    walk->empty = match->whole.begin == match->whole.end;
    walk->from = match->whole.end;
    return true;
}
