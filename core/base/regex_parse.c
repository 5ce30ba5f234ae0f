/* regex_parse.c - reads a regular expression of Python's `re` or of RE2 into a tree.
 *
 * Supported in both: characters, escapes of them, `.`, classes in brackets, \w \d \s \b and their opposites, ^ $ \A, \Z
 * (Python) or \z (RE2), choices, groups, (?: ), (?P<name> ), greedy and lazy repeats, and the flags i, s, m (Python:
 * u, a) at the begin. All else is refused by name. Where the dialects read the same bytes differently, the code asks
 * is_re2.
 *
 * Open groups are on a list of frames, not on the stack. Children are linked from the last one to the first, as the
 * compiler needs them. */
#include "base/regex_tree.h"

#include <string.h>

#include "base/text.h"

enum { MAX_SETS = 1000, UNITS_OF_A_SET = 4096 };

/* The kind of the last item, for the repeat behind it. */
typedef enum last_item { NO_ITEM, ITEM, REPEATED, A_PLACE } last_item;

typedef struct frame {
    uint32_t choices, items; /* the last one of each; HB_REGEX_NO_NODE: none */
    bool captures;
    const char *begin; /* its bracket */
} frame;

typedef struct parser {
    hbs_text pattern;
    const char *p, *end;
    hb_regex_tree *tree;
    hb_vector set; /* hb_code_range: the class that is being read */
    hb_work *work;
    hbs_error *error;
    hb_case same_case;
    hb_class_rule classes;
    bool dot_all, lines; /* (?s), (?m) */
    last_item last;
    size_t depth;
    frame frames[HB_REGEX_MAX_DEPTH + 1];
} parser;

/* For Python's modes only. */
static hb_unicode unicode_of(const parser *p)
{
    return (hb_unicode)p->tree->mode;
}

static bool is_re2(const parser *p)
{
    return p->tree->mode == HB_REGEX_RE2_LONGEST;
}

/* ---- errors */

static hbs_status fail(parser *p, hbs_status status, const char *at, const char *what)
{
    char shown[HB_EXCERPT_BUFFER];

    return hb_fail(p->error, status, "regular expression \"%s\": byte %zu: %s", HB_SHOW(p->pattern, shown),
                   (size_t)(at - p->pattern.bytes), what);
}

static hbs_status malformed(parser *p, const char *at, const char *what)
{
    return fail(p, HBS_E_FORMAT, at, what);
}

/* `what` and "is not supported". */
static hbs_status unsupported(parser *p, const char *at, const char *what)
{
    char shown[HB_EXCERPT_BUFFER];

    return hb_fail(p->error, HBS_E_UNSUPPORTED, "regular expression \"%s\": byte %zu: %s is not supported",
                   HB_SHOW(p->pattern, shown), (size_t)(at - p->pattern.bytes), what);
}

static hbs_status no_memory(parser *p)
{
    return hb_no_memory(p->set.memory, p->error);
}

/* ---- bytes */

static bool at_text(const parser *p, const char *text)
{
    size_t size = strlen(text);

    return (size_t)(p->end - p->p) >= size && memcmp(p->p, text, size) == 0;
}

static bool take(parser *p, const char *text)
{
    bool there = at_text(p, text);

    if (there)
        p->p += strlen(text);
    return there;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The next character of the pattern, which is valid UTF-8. */
static uint32_t take_character(parser *p)
{
    size_t size = hb_utf8_character(p->p, (size_t)(p->end - p->p));
    uint32_t code = (uint8_t)p->p[0];

    if (size > 1)
        code &= 0x7Fu >> size;
    for (size_t i = 1; i < size; i++)
        code = code << 6 | ((uint8_t)p->p[i] & 0x3F);
    p->p += size;
    return code;
}

/* ---- nodes */

static hb_regex_node *node_at(const parser *p, uint32_t index)
{
    return (hb_regex_node *)p->tree->nodes.items + index;
}

static hbs_status add_node(parser *p, hb_regex_node node, uint32_t *index)
{
    *index = (uint32_t)p->tree->nodes.count;
    return hb_vector_append(&p->tree->nodes, &node, 1) ? HBS_OK : no_memory(p);
}

static hbs_status add_item(parser *p, hb_regex_node node, last_item last)
{
    frame *frame = &p->frames[p->depth];

    node.previous = frame->items;
    p->last = last;
    return add_node(p, node, &frame->items);
}

/* ---- sets */

static void fill_ascii(hb_regex_set *set, const hb_code_range *ranges)
{
    for (uint32_t code = 0; code < 128; code++)
        if (hb_code_in(ranges, set->ranges, code))
            set->ascii[code / 64] |= (uint64_t)1 << code % 64;
}

static uint32_t find_set(const parser *p)
{
    const hb_regex_set *sets = p->tree->sets.items;
    const hb_code_range *ranges = p->tree->ranges.items;

    for (uint32_t i = 0; i < p->tree->sets.count; i++)
        if (sets[i].ranges == p->set.count && (p->set.count == 0 || memcmp(ranges + sets[i].first_range, p->set.items,
                                                                           p->set.count * sizeof *ranges) == 0))
            return i;
    return UINT32_MAX;
}

/* Keeps the set that was read, once however often the pattern has it, and adds its node. */
static hbs_status add_set(parser *p, const char *at)
{
    uint32_t index = find_set(p);

    HB_TRY(hb_worked(p->work, UNITS_OF_A_SET, p->error));
    if (index == UINT32_MAX) {
        hb_regex_set set = {.first_range = (uint32_t)p->tree->ranges.count, .ranges = (uint32_t)p->set.count};

        if (p->tree->sets.count == MAX_SETS)
            return fail(p, HBS_E_LIMIT, at, "more than 1000 different classes of characters");
        fill_ascii(&set, p->set.items);
        index = (uint32_t)p->tree->sets.count;
        if (!hb_vector_append(&p->tree->sets, &set, 1) ||
            (set.ranges > 0 && !hb_vector_append(&p->tree->ranges, p->set.items, p->set.count)))
            return no_memory(p);
    }
    return add_item(p, (hb_regex_node){.kind = HB_REGEX_NODE_SET, .argument = index}, ITEM);
}

static hbs_status add_class(parser *p, const char *at, hb_code_class class, bool negated)
{
    p->set.count = 0;
    if (!hb_code_set_add_class(&p->set, class, p->classes, unicode_of(p), negated))
        return no_memory(p);
    return add_set(p, at);
}

static hbs_status add_dot(parser *p, const char *at)
{
    p->set.count = 0;
    if (!p->dot_all && !hb_code_set_add(&p->set, '\n', '\n'))
        return no_memory(p);
    return hb_code_set_negate(&p->set) ? add_set(p, at) : no_memory(p);
}

static hbs_status add_character(parser *p, const char *at, uint32_t code)
{
    if (hb_case_next(code, p->same_case) == code)
        return add_item(p, (hb_regex_node){.kind = HB_REGEX_NODE_CHARACTER, .argument = code}, ITEM);
    p->set.count = 0;
    return hb_code_set_add_case(&p->set, code, code, p->same_case) ? add_set(p, at) : no_memory(p);
}

static hbs_status add_place(parser *p, hb_regex_place place)
{
    hb_regex_node node = {.kind = HB_REGEX_NODE_PLACE, .argument = place, .nullable = true};

    return add_item(p, node, A_PLACE);
}

/* ---- escapes */

static bool hex_digit(char c, uint32_t *digit)
{
    char lower = (char)(c | 0x20);

    *digit = (uint32_t)(is_digit(c) ? c - '0' : lower - 'a' + 10);
    return is_digit(c) || (lower >= 'a' && lower <= 'f');
}

/* Just so many digits. */
static bool take_hex(parser *p, size_t digits, uint32_t *code)
{
    uint32_t digit;

    *code = 0;
    if ((size_t)(p->end - p->p) < digits)
        return false;
    for (; digits > 0; digits--) {
        if (!hex_digit(*p->p, &digit))
            return false;
        *code = *code << 4 | digit;
        p->p++;
    }
    return true;
}

/* Behind \x{. */
static bool take_braced_hex(parser *p, uint32_t *code)
{
    uint32_t digit;
    const char *begin = p->p;

    for (*code = 0; p->p < p->end && hex_digit(*p->p, &digit) && *code <= HB_LAST_CODE; p->p++)
        *code = *code << 4 | digit;
    return p->p > begin && take(p, "}");
}

static hbs_status read_hex(parser *p, const char *at, char letter, uint32_t *code)
{
    bool whole;

    if (letter == 'x' && is_re2(p) && take(p, "{"))
        whole = take_braced_hex(p, code);
    else
        whole = take_hex(p, letter == 'x' ? 2 : letter == 'u' ? 4 : 8, code);
    if (!whole || *code > HB_LAST_CODE || (*code >= 0xD800 && *code < 0xE000))
        return malformed(p, at, "an escape that is no character");
    return HBS_OK;
}

static hbs_status refuse_escape(parser *p, const char *at, char letter)
{
    if (is_digit(letter))
        return unsupported(p, at, "a backreference or an octal escape");
    if (letter == 'p' || letter == 'P')
        return unsupported(p, at, "a Unicode property (\\p)");
    if (letter == 'N')
        return unsupported(p, at, "a character by its name (\\N)");
    if (letter == 'C')
        return unsupported(p, at, "a single byte (\\C)");
    if (letter == 'Q' || letter == 'E')
        return unsupported(p, at, "quoted text (\\Q)");
    return malformed(p, at, "an unknown escape");
}

/* An escape of one character, behind its backslash at `at`. */
static hbs_status read_escape(parser *p, const char *at, uint32_t *code)
{
    static const char names[] = "ntrfva", codes[] = "\n\t\r\f\v\a";
    const char *name;

    *code = take_character(p);
    if (*code >= 0x80)
        return is_re2(p) ? malformed(p, at, "an unknown escape") : HBS_OK;
    if (!is_letter((char)*code) && !is_digit((char)*code))
        return HBS_OK;
    name = memchr(names, (int)*code, sizeof names - 1);
    if (name) {
        *code = (uint32_t)codes[name - names];
        return HBS_OK;
    }
    if (*code == 'x' || (!is_re2(p) && (*code == 'u' || *code == 'U')))
        return read_hex(p, at, (char)*code, code);
    return refuse_escape(p, at, (char)*code);
}

/* True if `letter` is one of wWdDsS. */
static bool is_class(char letter, hb_code_class *class, bool *negated)
{
    static const char letters[] = "wdsWDS";
    const char *found = memchr(letters, letter, sizeof letters - 1);

    if (!found)
        return false;
    *class = (hb_code_class)((found - letters) % 3);
    *negated = found - letters >= 3;
    return true;
}

static bool is_place(const parser *p, char letter, hb_regex_place *place)
{
    switch (letter) {
    case 'A':
        *place = HB_PLACE_BEGIN;
        return true;
    case 'b':
        *place = HB_PLACE_WORD_EDGE;
        return true;
    case 'B':
        *place = HB_PLACE_INSIDE;
        return true;
    case 'Z':
        *place = HB_PLACE_END;
        return !is_re2(p);
    case 'z':
        *place = HB_PLACE_END;
        return is_re2(p);
    default:
        return false;
    }
}

static hbs_status parse_escape(parser *p)
{
    const char *at = p->p++;
    hb_regex_place place;
    hb_code_class class;
    bool negated;
    uint32_t code;

    if (p->p == p->end)
        return malformed(p, at, "a backslash at the end");
    if (is_class(*p->p, &class, &negated)) {
        p->p++;
        return add_class(p, at, class, negated);
    }
    if (is_place(p, *p->p, &place)) {
        p->p++;
        return add_place(p, place);
    }
    HB_TRY(read_escape(p, at, &code));
    return add_character(p, at, code);
}

/* ---- classes in brackets */

/* One end of a range, or a class such as \w, which is added at once (*is_code is then false). */
static hbs_status read_class_item(parser *p, const char *open, uint32_t *code, bool *is_code)
{
    const char *at = p->p;
    hb_code_class class;
    bool negated;

    *is_code = true;
    if (p->p == p->end)
        return malformed(p, open, "a class without its ]");
    if (is_re2(p) && at_text(p, "[:"))
        return unsupported(p, at, "a class of POSIX ([:)");
    if (*p->p != '\\') {
        *code = take_character(p);
        return HBS_OK;
    }
    if (++p->p == p->end)
        return malformed(p, at, "a backslash at the end");
    if (is_class(*p->p, &class, &negated)) {
        p->p++;
        *is_code = false;
        return hb_code_set_add_class(&p->set, class, p->classes, unicode_of(p), negated) ? HBS_OK : no_memory(p);
    }
    if (*p->p == 'b' && !is_re2(p)) { /* a backspace */
        p->p++;
        *code = '\b';
        return HBS_OK;
    }
    return read_escape(p, at, code);
}

/* A minus before ] is itself. */
static bool at_range(const parser *p)
{
    return p->end - p->p >= 2 && p->p[0] == '-' && p->p[1] != ']';
}

/* Python's re loses the other case of some of these: (?i)[x\U00010400] does not match U+10400. A later Python may not.
 */
static bool is_unsure(const parser *p, uint32_t first, uint32_t last)
{
    bool ignores = p->same_case == HB_CASE_PYTHON || p->same_case == HB_CASE_ASCII;

    return ignores && last > 0xFFFF && (first < last || hb_case_next(last, p->same_case) != last);
}

static hbs_status parse_class_item(parser *p, const char *open)
{
    const char *at = p->p;
    uint32_t first, last;
    bool is_code, is_last;

    HB_TRY(hb_worked(p->work, 64 + p->set.count / 16, p->error));
    HB_TRY(read_class_item(p, open, &first, &is_code));
    if (!is_code && (is_re2(p) || !at_range(p)))
        return HBS_OK;
    last = first;
    if (at_range(p)) {
        p->p++;
        HB_TRY(read_class_item(p, open, &last, &is_last));
        if (!is_code || !is_last || last < first)
            return malformed(p, at, "a range that is none");
    }
    if (is_unsure(p, first, last))
        return unsupported(p, at, "a class with letters or ranges above U+FFFF and the flag i");
    return hb_code_set_add_case(&p->set, first, last, p->same_case) ? HBS_OK : no_memory(p);
}

static hbs_status parse_class(parser *p)
{
    const char *open = p->p++;
    bool negated = take(p, "^");

    p->set.count = 0;
    do { /* a ] that is the first item is itself */
        HB_TRY(parse_class_item(p, open));
    } while (!take(p, "]"));
    if (negated && !hb_code_set_negate(&p->set))
        return no_memory(p);
    return add_set(p, open);
}

/* ---- repeats */

/* Above every limit, and never wrapping. */
static uint32_t take_number(parser *p)
{
    uint32_t number = 0;

    for (; p->p < p->end && is_digit(*p->p); p->p++)
        if (number <= HB_REGEX_MAX_REPEAT)
            number = number * 10 + (uint32_t)(*p->p - '0');
    return number;
}

/* {m}, {m,}, {m,n}, and Python's {,n}. Other braces are characters: false, and nothing is taken. */
static bool take_counts(parser *p, uint32_t *least, uint32_t *most)
{
    const char *begin = p->p++, *digits = p->p;

    *least = take_number(p);
    *most = *least;

    bool counts = p->p > digits, comma = take(p, ",");

    if (comma) {
        digits = p->p;
        *most = take_number(p);
        if (p->p == digits)
            *most = HB_REGEX_NO_END;
    }
    if (!(counts || (comma && !is_re2(p))) || !take(p, "}")) {
        p->p = begin;
        return false;
    }
    return true;
}

static bool take_repeat(parser *p, uint32_t *least, uint32_t *most)
{
    char c = *p->p;

    if (c == '{')
        return take_counts(p, least, most);
    if (c != '*' && c != '+' && c != '?')
        return false;
    p->p++;
    *least = c == '+';
    *most = c == '?' ? 1 : HB_REGEX_NO_END;
    return true;
}

static hbs_status check_repeat(parser *p, const char *at, uint32_t least, uint32_t most)
{
    if (p->last == REPEATED && *at == '+' && !is_re2(p))
        return unsupported(p, at, "a possessive repeat");
    if (p->last == REPEATED)
        return malformed(p, at, "a repeat of a repeat, which needs a group around the first");
    if (p->last == NO_ITEM || (p->last == A_PLACE && !is_re2(p)))
        return malformed(p, at, "nothing to repeat");
    if (least > HB_REGEX_MAX_REPEAT || (most > HB_REGEX_MAX_REPEAT && most != HB_REGEX_NO_END))
        return fail(p, HBS_E_LIMIT, at, "a repeat of more than 1000 times");
    if (least > most)
        return malformed(p, at, "a repeat whose least count is above its most");
    return HBS_OK;
}

/* The last item becomes the child of a repeat in its place. */
static hbs_status add_repeat(parser *p, uint32_t least, uint32_t most, bool lazy)
{
    frame *frame = &p->frames[p->depth];
    uint32_t child = frame->items;
    hb_regex_node node = {.kind = HB_REGEX_NODE_REPEAT, .least = least, .most = most, .lazy = lazy, .child = child};

    node.nullable = least == 0 || node_at(p, child)->nullable;
    frame->items = node_at(p, child)->previous;
    return add_item(p, node, REPEATED);
}

/* *found: there was one. */
static hbs_status parse_repeat(parser *p, bool *found)
{
    const char *at = p->p;
    uint32_t least, most;

    *found = take_repeat(p, &least, &most);
    if (!*found)
        return HBS_OK;
    HB_TRY(check_repeat(p, at, least, most));
    return add_repeat(p, least, most, take(p, "?"));
}

/* ---- groups and choices */

static void open_frame(parser *p, const char *begin, bool captures)
{
    p->frames[p->depth] = (frame){HB_REGEX_NO_NODE, HB_REGEX_NO_NODE, captures, begin};
    p->last = NO_ITEM;
}

/* A parent of the children that end with `last`: the only child itself, or of none an empty node. */
static hbs_status join(parser *p, hb_regex_kind kind, uint32_t last, uint32_t *joined)
{
    hb_regex_node node = {.kind = (uint8_t)kind, .child = last};
    bool all = true, any = false;

    *joined = last;
    if (last == HB_REGEX_NO_NODE)
        return add_node(p, (hb_regex_node){.kind = HB_REGEX_NODE_EMPTY, .nullable = true}, joined);
    if (node_at(p, last)->previous == HB_REGEX_NO_NODE)
        return HBS_OK;
    for (uint32_t i = last; i != HB_REGEX_NO_NODE; i = node_at(p, i)->previous) {
        all = all && node_at(p, i)->nullable;
        any = any || node_at(p, i)->nullable;
    }
    node.nullable = kind == HB_REGEX_NODE_SEQUENCE ? all : any;
    return add_node(p, node, joined);
}

/* The items since the last | or the begin of the group are a choice of it. */
static hbs_status end_choice(parser *p)
{
    frame *frame = &p->frames[p->depth];
    uint32_t choice;

    HB_TRY(join(p, HB_REGEX_NODE_SEQUENCE, frame->items, &choice));
    node_at(p, choice)->previous = frame->choices;
    frame->choices = choice;
    frame->items = HB_REGEX_NO_NODE;
    p->last = NO_ITEM;
    return HBS_OK;
}

static hbs_status end_frame(parser *p, uint32_t *node)
{
    HB_TRY(end_choice(p));
    return join(p, HB_REGEX_NODE_CHOICE, p->frames[p->depth].choices, node);
}

static hbs_status close_group(parser *p)
{
    bool captures = p->frames[p->depth].captures;
    uint32_t node;

    if (p->depth == 0)
        return malformed(p, p->p, "a ) without its (");
    HB_TRY(end_frame(p, &node));
    p->depth--;
    p->p++;

    frame *outer = &p->frames[p->depth];

    if (captures) {
        hb_regex_node group = {.kind = HB_REGEX_NODE_GROUP, .child = node, .nullable = node_at(p, node)->nullable};

        return add_item(p, group, ITEM);
    }
    node_at(p, node)->previous = outer->items;
    outer->items = node;
    p->last = ITEM;
    return HBS_OK;
}

/* Behind (?P<. */
static hbs_status skip_name(parser *p)
{
    const char *begin = p->p;

    while (p->p < p->end && (is_letter(*p->p) || *p->p == '_' || (p->p > begin && is_digit(*p->p))))
        p->p++;
    return p->p > begin && take(p, ">") ? HBS_OK : malformed(p, begin, "a name of a group that is none");
}

static hbs_status refuse_group(parser *p)
{
    static const struct {
        const char *begin, *what;
    } kinds[] = {
        {"(?P=", "a backreference"},
        {"(?P>", "a recursion"},
        {"(?=", "a lookahead"},
        {"(?!", "a lookahead"},
        {"(?<=", "a lookbehind"},
        {"(?<!", "a lookbehind"},
        {"(?<", "a named group without P"},
        {"(?>", "an atomic group"},
        {"(?(", "a condition"},
        {"(?#", "a comment"},
        {"(?|", "a branch reset"},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (at_text(p, kinds[i].begin))
            return unsupported(p, p->p, kinds[i].what);
    if (p->end - p->p > 2 && (is_letter(p->p[2]) || p->p[2] == '-'))
        return unsupported(p, p->p, "a flag other than i, s and m (Python: u, a), or not at the begin");
    return malformed(p, p->p, "an unknown kind of group");
}

static hbs_status open_group(parser *p)
{
    const char *at = p->p;
    bool captures = !at_text(p, "(?");

    if (take(p, "(?P<")) {
        captures = true;
        HB_TRY(skip_name(p));
    } else if (captures) {
        p->p++;
    } else if (!take(p, "(?:")) {
        return refuse_group(p);
    }
    captures = captures && !is_re2(p);
    if (captures && p->tree->group)
        return unsupported(p, at, "a second group that captures");
    if (p->depth == HB_REGEX_MAX_DEPTH)
        return fail(p, HBS_E_LIMIT, at, "more than 100 groups in groups");
    p->tree->group = p->tree->group || captures;
    p->depth++;
    open_frame(p, at, captures);
    return HBS_OK;
}

/* ---- the whole */

static hbs_status parse_item(parser *p)
{
    const char *at = p->p;
    hb_regex_place dollar = is_re2(p) ? HB_PLACE_END : HB_PLACE_LAST_LINE_END;
    bool repeat;

    switch (*p->p) {
    case '\\':
        return parse_escape(p);
    case '[':
        return parse_class(p);
    case '(':
        return open_group(p);
    case ')':
        return close_group(p);
    case '|':
        p->p++;
        return end_choice(p);
    case '.':
        p->p++;
        return add_dot(p, at);
    case '^':
        p->p++;
        return add_place(p, p->lines ? HB_PLACE_LINE_BEGIN : HB_PLACE_BEGIN);
    case '$':
        p->p++;
        return add_place(p, p->lines ? HB_PLACE_LINE_END : dollar);
    default:
        break;
    }
    HB_TRY(parse_repeat(p, &repeat));
    return repeat ? HBS_OK : add_character(p, at, take_character(p));
}

typedef struct flags {
    bool ignore_case, dot_all, lines, ascii, unicode;
} flags;

static bool set_flag(const parser *p, char letter, flags *flags)
{
    switch (letter) {
    case 'i':
        return flags->ignore_case = true;
    case 's':
        return flags->dot_all = true;
    case 'm':
        return flags->lines = true;
    case 'a':
        return flags->ascii = !is_re2(p);
    case 'u':
        return flags->unicode = !is_re2(p);
    default:
        return false;
    }
}

/* (?is) and alike. Anything else is left for open_group, which says what it is. */
static void take_flags(parser *p, flags *flags)
{
    while (at_text(p, "(?")) {
        const char *q = p->p + 2;

        while (q < p->end && set_flag(p, *q, flags))
            q++;
        if (q == p->p + 2 || q == p->end || *q != ')')
            return;
        p->p = q + 1;
    }
}

/* Letters of ASCII only, and no escape that stands for another. unicode_tables.h has the cases of 14.0 and newer. */
static bool is_plain(hbs_text pattern)
{
    for (size_t i = 0; i < pattern.size; i++)
        if ((uint8_t)pattern.bytes[i] >= 0x80 ||
            (pattern.bytes[i] == '\\' && i + 1 < pattern.size && strchr("xuUN01234567", pattern.bytes[i + 1])))
            return false;
    return true;
}

static hbs_status parse_flags(parser *p)
{
    flags flags = {0};
    const char *at = p->p;

    take_flags(p, &flags);
    if (flags.ascii && flags.unicode)
        return malformed(p, at, "the flags a and u at once");
    p->dot_all = flags.dot_all;
    p->lines = flags.lines;
    p->tree->ascii = flags.ascii || is_re2(p);
    if (is_re2(p)) {
        p->classes = flags.ignore_case ? HB_CLASS_RE2_CASE : HB_CLASS_RE2;
        p->same_case = flags.ignore_case ? HB_CASE_RE2 : HB_CASE_EXACT;
    } else {
        if (flags.ignore_case && !flags.ascii && unicode_of(p) == HB_UNICODE_13_0 && !is_plain(p->pattern))
            return fail(p, HBS_E_UNSUPPORTED, at, "letters beyond ASCII without regard to case, by Unicode 13.0,");
        p->classes = flags.ascii ? HB_CLASS_ASCII : HB_CLASS_UNICODE;
        p->same_case = !flags.ignore_case ? HB_CASE_EXACT : flags.ascii ? HB_CASE_ASCII : HB_CASE_PYTHON;
    }
    return HBS_OK;
}

static hbs_status parse_pattern(parser *p)
{
    if (p->pattern.size > HB_REGEX_MAX_PATTERN)
        return fail(p, HBS_E_LIMIT, p->p, "longer than 32 KiB");
    if (!hb_utf8_valid(p->pattern.bytes, p->pattern.size))
        return malformed(p, p->p, "it is not UTF-8");
    HB_TRY(parse_flags(p));
    open_frame(p, p->p, false);
    while (p->p < p->end) {
        HB_TRY(hb_worked(p->work, 16, p->error));
        HB_TRY(parse_item(p));
    }
    if (p->depth > 0)
        return malformed(p, p->frames[p->depth].begin, "a ( without its )");
    return end_frame(p, &p->tree->root);
}

hbs_status hb_regex_parse(hbs_text pattern, hb_work *work, hb_regex_tree *tree, hbs_error *error)
{
    parser p = {.pattern = pattern, .p = pattern.bytes, .tree = tree, .work = work, .error = error};

    if (pattern.size == 0)
        p.p = p.pattern.bytes = "";
    p.end = p.p + pattern.size;
    hb_vector_init(&p.set, tree->nodes.memory, sizeof(hb_code_range));

    hbs_status status = parse_pattern(&p);

    hb_vector_release(&p.set);
    return status;
}
