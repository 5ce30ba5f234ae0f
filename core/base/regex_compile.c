/* regex_compile.c - a tree becomes a program.
 *
 * A node is emitted with the instruction that follows it, so the last one comes first, and repeats are written out. A
 * turn of a loop may match nothing (`(a*)*`): Python leaves the loop after such a turn, with the group that it set.
 * Which turns took a character is no part of a place in the program. So turns are marked while it is emitted, and
 * `settle` then makes an instruction of each pair (instruction, open turns without a character). */
#include "base/regex_program.h"

#include <string.h>

enum { MAX_VISITS = 16 * HB_REGEX_MAX_INSTRUCTIONS, MAX_LOOPS = 64 };

typedef struct compiler {
    hb_regex_tree tree;
    hb_vector emitted; /* hb_regex_instruction */
    hb_vector settled; /* the same, without marks of turns */
    hb_vector states;  /* state: one for each settled instruction */
    hb_vector chains;  /* uint32_t: the last state of each emitted instruction, + 1; 0: none */
    uint32_t loops;    /* that are open and marked, where nodes are emitted */
    uint32_t begin;
    size_t visits;
    hb_work *work;
    hbs_error *error;
    hbs_status status; /* the first failure; nothing is emitted after it */
} compiler;

static void note(compiler *c, hbs_status status)
{
    if (c->status == HBS_OK)
        c->status = status;
}

static void too_large(compiler *c)
{
    if (c->status == HBS_OK)
        c->status = hb_fail(c->error, HBS_E_LIMIT, "regular expression: more than %d steps, with repeats written out",
                            HB_REGEX_MAX_INSTRUCTIONS);
}

/* ---- emitting */

static uint32_t add(compiler *c, hb_vector *program, hb_regex_instruction instruction)
{
    size_t index = program->count;

    if (index >= HB_REGEX_MAX_INSTRUCTIONS)
        too_large(c);
    else if (!hb_vector_append(program, &instruction, 1))
        note(c, hb_no_memory(program->memory, c->error));
    return (uint32_t)index;
}

static uint32_t put(compiler *c, hb_regex_operation operation, uint32_t next, uint32_t argument)
{
    hb_regex_instruction instruction = {.operation = (uint16_t)operation, .next = next, .argument = argument};

    return c->status == HBS_OK ? add(c, &c->emitted, instruction) : 0;
}

static uint32_t put_split(compiler *c, uint32_t preferred, uint32_t other, bool swapped)
{
    return put(c, HB_REGEX_SPLIT, swapped ? other : preferred, swapped ? preferred : other);
}

static uint32_t emit(compiler *c, uint32_t index, uint32_t next);

static const hb_regex_node *node_at(const compiler *c, uint32_t index)
{
    return (const hb_regex_node *)c->tree.nodes.items + index;
}

static hb_regex_instruction *emitted_at(const compiler *c, uint32_t index)
{
    return (hb_regex_instruction *)c->emitted.items + index;
}

static uint32_t emit_sequence(compiler *c, const hb_regex_node *node, uint32_t next)
{
    for (uint32_t i = node->child; i != HB_REGEX_NO_NODE && c->status == HBS_OK; i = node_at(c, i)->previous)
        next = emit(c, i, next);
    return next;
}

static uint32_t emit_choice(compiler *c, const hb_regex_node *node, uint32_t next)
{
    uint32_t last = node->child, entry = emit(c, last, next);

    for (uint32_t i = node_at(c, last)->previous; i != HB_REGEX_NO_NODE && c->status == HBS_OK;
         i = node_at(c, i)->previous)
        entry = put(c, HB_REGEX_SPLIT, emit(c, i, next), entry);
    return entry;
}

static void set_loop(compiler *c, uint32_t index)
{
    if (c->status == HBS_OK)
        emitted_at(c, index)->loop = (uint16_t)c->loops;
}

/* A turn of the repeat. After one that took a character the program goes on at `again`, after one that did not at
 * `leave`: this matters for which match comes first, hence not for the longest. */
static uint32_t emit_turn(compiler *c, const hb_regex_node *node, uint32_t again, uint32_t leave)
{
    if (!node_at(c, node->child)->nullable || c->tree.mode == HB_REGEX_RE2_LONGEST)
        return emit(c, node->child, again);
    if (c->loops == MAX_LOOPS) {
        too_large(c);
        return 0;
    }

    uint32_t end = put(c, HB_REGEX_TURNED, again, leave);

    set_loop(c, end);
    c->loops++;
    uint32_t body = emit(c, node->child, end);

    c->loops--;
    uint32_t begin = put(c, HB_REGEX_TURN, body, 0);

    set_loop(c, begin);
    return begin;
}

/* As many turns as there are. */
static uint32_t emit_loop(compiler *c, const hb_regex_node *node, uint32_t next, uint32_t *first_turn)
{
    uint32_t split = put(c, HB_REGEX_SPLIT, next, next);
    uint32_t turn = emit_turn(c, node, split, next);

    *first_turn = turn;
    if (c->status == HBS_OK) {
        emitted_at(c, split)->next = node->lazy ? next : turn;
        emitted_at(c, split)->argument = node->lazy ? turn : next;
    }
    return split;
}

static uint32_t emit_repeat(compiler *c, const hb_regex_node *node, uint32_t next)
{
    uint32_t entry = next, least = node->least, first_turn;

    if (node->most == HB_REGEX_NO_END) {
        entry = emit_loop(c, node, next, &first_turn);
        if (least > 0 && !node_at(c, node->child)->nullable) { /* x+ begins with a turn of x* */
            entry = first_turn;
            least--;
        }
    } else {
        for (uint32_t i = least; i < node->most && c->status == HBS_OK; i++)
            entry = put_split(c, emit_turn(c, node, entry, next), next, node->lazy);
    }
    for (uint32_t i = 0; i < least && c->status == HBS_OK; i++)
        entry = emit(c, node->child, entry);
    return entry;
}

static uint32_t emit_group(compiler *c, const hb_regex_node *node, uint32_t next)
{
    uint32_t close = put(c, HB_REGEX_CLOSE, next, 0);

    return put(c, HB_REGEX_OPEN, emit(c, node->child, close), 0);
}

/* Recurses as deep as groups may lie in groups; where the node begins. */
static uint32_t emit(compiler *c, uint32_t index, uint32_t next)
{
    const hb_regex_node *node = node_at(c, index);

    if (c->visits++ == MAX_VISITS)
        too_large(c);
    note(c, hb_worked(c->work, 8, c->error));
    if (c->status != HBS_OK)
        return 0;
    switch ((hb_regex_kind)node->kind) {
    case HB_REGEX_NODE_EMPTY:
        return next;
    case HB_REGEX_NODE_CHARACTER:
        return put(c, HB_REGEX_CHARACTER, next, node->argument);
    case HB_REGEX_NODE_SET:
        return put(c, HB_REGEX_SET, next, node->argument);
    case HB_REGEX_NODE_PLACE:
        return put(c, HB_REGEX_PLACE, next, node->argument);
    case HB_REGEX_NODE_SEQUENCE:
        return emit_sequence(c, node, next);
    case HB_REGEX_NODE_CHOICE:
        return emit_choice(c, node, next);
    case HB_REGEX_NODE_REPEAT:
        return emit_repeat(c, node, next);
    case HB_REGEX_NODE_GROUP:
        return emit_group(c, node, next);
    }
    return next;
}

/* ---- settling */

typedef struct state {
    uint64_t open;   /* loops, by bits, whose turn took no character yet */
    uint32_t at;     /* the emitted instruction */
    uint32_t before; /* another state of it, + 1; 0: none */
} state;

/* The settled instruction for `at` with these open turns, behind the marks that follow. */
static uint32_t settled_at(compiler *c, uint32_t at, uint64_t open)
{
    uint32_t *chains = c->chains.items;
    const hb_regex_instruction *instruction = emitted_at(c, at);

    for (; instruction->operation >= HB_REGEX_TURN; instruction = emitted_at(c, at)) {
        uint64_t bit = (uint64_t)1 << instruction->loop;
        bool ends = instruction->operation == HB_REGEX_TURNED;

        at = ends && (open & bit) ? instruction->argument : instruction->next;
        open = ends ? open & ~bit : open | bit;
    }
    for (uint32_t i = chains[at]; i > 0; i = ((const state *)c->states.items)[i - 1].before)
        if (((const state *)c->states.items)[i - 1].open == open)
            return i - 1;

    state new = {.open = open, .at = at, .before = chains[at]};

    if (!hb_vector_append(&c->states, &new, 1)) {
        note(c, hb_no_memory(c->states.memory, c->error));
        return 0;
    }
    chains[at] = (uint32_t)c->states.count;
    return (uint32_t)c->states.count - 1;
}

static void settle_state(compiler *c, state state)
{
    hb_regex_instruction instruction = *emitted_at(c, state.at);
    bool takes = instruction.operation == HB_REGEX_CHARACTER || instruction.operation == HB_REGEX_SET;

    if (instruction.operation != HB_REGEX_MATCH)
        instruction.next = settled_at(c, instruction.next, takes ? 0 : state.open);
    if (instruction.operation == HB_REGEX_SPLIT && c->status == HBS_OK)
        instruction.argument = settled_at(c, instruction.argument, state.open);
    if (c->status == HBS_OK)
        add(c, &c->settled, instruction);
}

static bool has_turns(const compiler *c)
{
    for (uint32_t i = 0; i < c->emitted.count; i++)
        if (emitted_at(c, i)->operation >= HB_REGEX_TURN)
            return true;
    return false;
}

static void settle(compiler *c)
{
    if (!hb_vector_append(&c->chains, NULL, c->emitted.count)) {
        note(c, hb_no_memory(c->chains.memory, c->error));
        return;
    }
    settled_at(c, c->begin, 0);
    for (size_t i = 0; c->status == HBS_OK && i < c->states.count; i++) {
        note(c, hb_worked(c->work, 16, c->error));
        settle_state(c, ((const state *)c->states.items)[i]);
    }

    hb_vector emitted = c->emitted;

    c->emitted = c->settled;
    c->settled = emitted;
    c->begin = 0;
}

/* ---- the flat block */

static void start_with(hb_regex *regex, uint32_t first, uint32_t last)
{
    static const uint32_t begins[] = {0, 0x80, 0x800, 0x10000, HB_LAST_CODE + 1};
    static const uint32_t leads[] = {0, 0xC0, 0xE0, 0xF0};

    for (uint32_t size = 1; size <= 4; size++) {
        uint32_t low = first > begins[size - 1] ? first : begins[size - 1];
        uint32_t high = last < begins[size] ? last : begins[size] - 1;
        uint32_t shift = 6 * (size - 1);

        for (uint32_t lead = low >> shift; low <= high && lead <= high >> shift; lead++) {
            uint32_t byte = leads[size - 1] | lead;

            regex->starts[byte / 64] |= (uint64_t)1 << byte % 64;
        }
    }
}

static void start_with_set(const compiler *c, hb_regex *regex, uint32_t index)
{
    const hb_regex_set *set = (const hb_regex_set *)c->tree.sets.items + index;
    const hb_code_range *ranges;

    if (set->ranges == 0) /* nothing is in it, and perhaps there are no ranges at all */
        return;
    ranges = (const hb_code_range *)c->tree.ranges.items + set->first_range;
    for (uint32_t i = 0; i < set->ranges; i++)
        start_with(regex, ranges[i].first, ranges[i].last);
}

/* Finds the first bytes of matches; `chains` has a mark for each instruction that was seen, `states` those to see. */
static bool find_starts(compiler *c, hb_regex *regex)
{
    uint32_t *seen, *waiting;
    size_t count = 1;

    c->chains.count = c->settled.count = 0;
    hb_vector_release(&c->states);
    hb_vector_init(&c->states, c->tree.nodes.memory, sizeof *waiting);
    seen = hb_vector_append(&c->chains, NULL, c->emitted.count);
    waiting = hb_vector_append(&c->states, NULL, c->emitted.count + 1); /* a split is seen once, and adds one */
    if (!seen || !waiting)
        return false;
    memset(seen, 0, c->emitted.count * sizeof *seen);
    waiting[0] = c->begin;
    regex->skips = true;
    while (count > 0) {
        uint32_t at = waiting[--count];
        const hb_regex_instruction *instruction = emitted_at(c, at);

        if (seen[at])
            continue;
        seen[at] = 1;
        switch ((hb_regex_operation)instruction->operation) {
        case HB_REGEX_CHARACTER:
            start_with(regex, instruction->argument, instruction->argument);
            break;
        case HB_REGEX_SET:
            start_with_set(c, regex, instruction->argument);
            break;
        case HB_REGEX_MATCH:
            regex->skips = false;
            break;
        case HB_REGEX_SPLIT:
            waiting[count++] = instruction->argument; /* fall through */
        default:
            waiting[count++] = instruction->next;
            break;
        }
    }
    return true;
}

static uint64_t put_vector(hb_flat *flat, const hb_vector *vector)
{
    return hb_flat_put(flat, vector->items, vector->count * vector->item_size);
}

static void write_flat(const compiler *c, hb_flat *flat, hb_regex *regex)
{
    uint64_t offset;
    hb_regex *header = hb_flat_reserve(flat, 1, sizeof *header, &offset);

    regex->instructions = put_vector(flat, &c->emitted);
    regex->sets = put_vector(flat, &c->tree.sets);
    regex->ranges = put_vector(flat, &c->tree.ranges);
    regex->size = flat->size;
    if (header)
        *header = *regex;
}

static hbs_status make_flat(compiler *c, hb_arena *arena, const hb_regex **made)
{
    hb_regex regex = {.count = (uint32_t)c->emitted.count, .begin = c->begin, .mode = (uint8_t)c->tree.mode};
    hb_flat flat = {0};

    regex.ascii = c->tree.ascii;
    regex.group = c->tree.group;
    if (!find_starts(c, &regex))
        return hb_no_memory(arena->memory, c->error);
    write_flat(c, &flat, &regex);
    flat = (hb_flat){.base = hb_arena_room(arena, regex.size, 1)};
    if (!flat.base)
        return hb_no_memory(arena->memory, c->error);
    *made = (const hb_regex *)flat.base;
    write_flat(c, &flat, &regex);
    return HBS_OK;
}

/* ---- the whole */

static void begin_compiler(compiler *c, hb_memory *memory, hb_regex_mode mode)
{
    c->tree.mode = mode;
    hb_vector_init(&c->tree.nodes, memory, sizeof(hb_regex_node));
    hb_vector_init(&c->tree.sets, memory, sizeof(hb_regex_set));
    hb_vector_init(&c->tree.ranges, memory, sizeof(hb_code_range));
    hb_vector_init(&c->emitted, memory, sizeof(hb_regex_instruction));
    hb_vector_init(&c->settled, memory, sizeof(hb_regex_instruction));
    hb_vector_init(&c->states, memory, sizeof(state));
    hb_vector_init(&c->chains, memory, sizeof(uint32_t));
}

static void end_compiler(compiler *c)
{
    hb_vector *vectors[] = {&c->tree.nodes, &c->tree.sets, &c->tree.ranges, &c->emitted,
                            &c->settled,    &c->states,    &c->chains};

    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        hb_vector_release(vectors[i]);
}

static hbs_status compile(compiler *c, hb_arena *arena, hbs_text pattern, const hb_regex **regex)
{
    HB_TRY(hb_regex_parse(pattern, c->work, &c->tree, c->error));
    c->begin = emit(c, c->tree.root, put(c, HB_REGEX_MATCH, 0, 0));
    if (c->status == HBS_OK && has_turns(c))
        settle(c);
    HB_TRY(c->status);
    return make_flat(c, arena, regex);
}

hbs_status hb_regex_compile(hb_arena *arena, hbs_text pattern, hb_regex_mode mode, hb_work *work,
                            const hb_regex **regex, hbs_error *error)
{
    compiler c = {.work = work, .error = error};

    begin_compiler(&c, arena->memory, mode);

    hbs_status status = compile(&c, arena, pattern, regex);

    end_compiler(&c);
    return status;
}
