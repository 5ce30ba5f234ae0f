/* onnx_scatter.c - ScatterElements: items that are put at places of a tensor, of the file or of the row. */
#include <math.h>
#include <string.h>

#include "format/onnx_elements.h"

enum { MOST_ROUNDS = 256 };
#define LARGEST_INTEGER 9007199254740991.0 /* 2^53 - 1 */

/* ---- what is put where */

/* A place may be named more than once: then updates come one after the other, a round each. */
typedef struct scatter {
    hb_onnx_elements e;
    hb_onnx_value updates;
    bool combines;
    hb_combine_function function;
    double neutral;           /* of the function: places without an update in a round */
    uint32_t *items, *rounds; /* [updates]: its item, and how many came to it before */
    uint32_t n_rounds;
} scatter;

static hbs_status read_reduction(hb_onnx_file *file, const hb_onnx_node *node, scatter *s)
{
    static const struct {
        const char *name;
        hb_combine_function function;
        double neutral;
    } reductions[] = {{"add", HB_COMBINE_ADD, -0.0},
                      {"mul", HB_COMBINE_MULTIPLY, 1},
                      {"max", HB_COMBINE_MAXIMUM, -INFINITY},
                      {"min", HB_COMBINE_MINIMUM, INFINITY}};
    char shown[HB_EXCERPT_BUFFER];
    hbs_text word;

    HB_TRY(hb_onnx_word(file, node, "reduction", "none", &word));
    if (hb_text_is(word, "none"))
        return HBS_OK;
    for (size_t i = 0; i < sizeof(reductions) / sizeof(reductions[0]); i++)
        if (hb_text_is(word, reductions[i].name)) {
            s->combines = true;
            s->function = reductions[i].function;
            s->neutral = reductions[i].neutral;
            if (isinf(s->neutral) && s->e.data.type != HB_ONNX_FLOAT && s->e.data.type != HB_ONNX_DOUBLE)
                s->neutral = s->neutral < 0 ? -LARGEST_INTEGER : LARGEST_INTEGER;
            return HBS_OK;
        }
    return hb_onnx_refuse(file, node, HBS_E_FORMAT, "reduction \"%s\" is none that ONNX knows", HB_SHOW(word, shown));
}

/* ---- places of the file */

static hbs_status count_rounds(hb_onnx_file *file, const hb_onnx_node *node, scatter *s)
{
    uint32_t *seen = hb_arena_array(&file->arena, s->e.data.width, sizeof(*seen));
    hbs_status status;

    s->items = hb_onnx_columns(file, s->updates.width, &status);
    HB_TRY(status);
    s->rounds = hb_onnx_columns(file, s->updates.width, &status);
    HB_TRY(status);
    if (!seen)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < s->updates.width; i++) {
        HB_TRY(hb_onnx_element_of(file, node, &s->e, i, &s->items[i]));
        s->rounds[i] = seen[s->items[i]]++;
        s->n_rounds = s->rounds[i] >= s->n_rounds ? s->rounds[i] + 1 : s->n_rounds;
    }
    return HBS_OK;
}

/* Without a reduction the last update of a place wins. */
static hbs_status scatter_over(hb_onnx_file *file, const hb_onnx_node *node, const scatter *s)
{
    const hb_onnx_value parts[2] = {s->e.data, s->updates};
    hb_onnx_value made = s->e.data;
    hbs_status status;
    uint32_t *map = hb_onnx_columns(file, made.width, &status);

    HB_TRY(status);
    for (uint32_t i = 0; i < made.width; i++)
        map[i] = i;
    for (size_t i = 0; i < s->updates.width; i++)
        map[s->items[i]] = (uint32_t)(made.width + i);
    HB_TRY(hb_onnx_pick(file, node, parts, 2, map, &made));
    return hb_onnx_give(file, node, 0, &made);
}

/* Gives each place the update that comes to it in this round. */
static hbs_status updates_of(hb_onnx_file *file, const hb_onnx_node *node, const scatter *s, uint32_t round,
                             hb_onnx_value *made)
{
    const hb_onnx_value neutral = {
        .form = HB_ONNX_CONSTANT, .type = s->updates.type, .width = 1, .numbers = &s->neutral, .row = -1};
    const hb_onnx_value parts[2] = {neutral, s->updates};
    hbs_status status;
    uint32_t *map = hb_onnx_columns(file, s->e.data.width, &status);

    HB_TRY(status);
    for (size_t i = 0; i < s->updates.width; i++)
        if (s->rounds[i] == round)
            map[s->items[i]] = (uint32_t)(i + 1);
    *made = s->e.data;
    made->type = s->updates.type;
    return hb_onnx_pick(file, node, parts, 2, map, made);
}

static hbs_status scatter_combined(hb_onnx_file *file, const hb_onnx_node *node, const scatter *s)
{
    hb_onnx_value now = s->e.data, more;

    if (s->n_rounds > MOST_ROUNDS)
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "more than %d updates have one place", MOST_ROUNDS);
    if (!hb_onnx_named(file, node->outputs[0]))
        return HBS_OK;
    HB_TRY(hb_onnx_give(file, node, 0, &now));
    for (uint32_t round = 0; round < s->n_rounds; round++) {
        HB_TRY(updates_of(file, node, s, round, &more));
        HB_TRY(hb_onnx_combine(file, node, s->function, &now, &more));
        now = *hb_onnx_named(file, node->outputs[0]);
    }
    return HBS_OK;
}

/* ---- places of the row: each item of the result takes the updates of its line one after the other, where they name it
 */

typedef struct line_step {
    uint32_t *update; /* [items] the update that may come to the item in this step.. */
    double *place;    /* [items] ..if its place is this one; -1: there is none */
} line_step;

/* Update `k` on the axis, of the line on which each item lies. */
static hbs_status find_step(hb_onnx_file *file, const scatter *s, size_t k, line_step *step)
{
    const hb_onnx_value *data = &s->e.data, *places = &s->e.places;

    for (size_t o = 0; o < data->width; o++) {
        size_t rest = o, at = 0, stride = 1;
        bool there = true;

        for (size_t axis = data->n_dims; axis-- > 0; rest /= (size_t)data->dims[axis]) {
            size_t index = rest % (size_t)data->dims[axis];

            if (axis == s->e.axis)
                step->place[o] = (double)index;
            there = there && (axis == s->e.axis || index < (size_t)places->dims[axis]);
            at += (axis == s->e.axis ? k : index) * stride;
            stride *= (size_t)places->dims[axis];
        }
        step->update[o] = there ? (uint32_t)at : 0;
        step->place[o] = there ? step->place[o] : -1;
    }
    return hb_worked(file->bytes.work, 4 * data->width, file->error);
}

/* The places from 0 on; a row in which one is none has no result. */
static hbs_status count_from_start(hb_onnx_file *file, const hb_onnx_node *node, const scatter *s, uint32_t *value)
{
    size_t size = (size_t)s->e.data.dims[s->e.axis], places;
    double *numbers = hb_arena_array(&file->pipeline->arena, size, sizeof(*numbers));

    if (s->e.places.type != HB_ONNX_INT64 && s->e.places.type != HB_ONNX_INT32)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its places are no integers");
    if (!numbers)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < size; i++)
        numbers[i] = (double)i;
    places = hb_pipeline_add(
        file->pipeline, HB_OPERATOR_LOOK_UP, hb_onnx_wide(file, &s->e.places),
        &(hb_fit_look_up){
            .n_outputs = s->e.places.width, .n_places = size, .step = 1, .n_numbers = size, .numbers = numbers});
    HB_TRY(hb_onnx_guarded(file, node, "puts an update at a place that is none", s->e.places.width, &places));
    *value = (uint32_t)places;
    return hb_worked(file->bytes.work, size, file->error);
}

static uint32_t columns_of(hb_onnx_file *file, const hb_onnx_value *value, const hb_onnx_value *rows)
{
    return (uint32_t)(value->form == HB_ONNX_CONSTANT ? hb_onnx_lifted(file, value, rows) : hb_onnx_wide(file, value));
}

/* One step of all lines: `now` where no update names the item. */
static hbs_status add_step(hb_onnx_file *file, const scatter *s, size_t k, uint32_t places, uint32_t updates,
                           uint32_t *now)
{
    size_t n = s->e.data.width;
    hbs_status status;
    line_step step = {.update = hb_onnx_columns(file, n, &status)};
    hb_fit_combine equal = {.function = HB_COMBINE_EQUAL, .n_outputs = n}, more = {.n_outputs = n};
    uint32_t inputs[3] = {0}, both[2] = {*now, updates};

    HB_TRY(status);
    step.place = hb_arena_array(&file->pipeline->arena, n, sizeof(*step.place));
    if (!step.place)
        return hb_no_memory(file->arena.memory, file->error);
    HB_TRY(find_step(file, s, k, &step));
    equal.first = step.update;
    equal.numbers = step.place;
    more.function = s->function;
    more.rounding = hb_onnx_rounding(s->updates.type);
    more.second = step.update;
    inputs[0] = (uint32_t)hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, places, &equal);
    inputs[1] = (uint32_t)(s->combines ? hb_pipeline_add_of(file->pipeline, HB_OPERATOR_COMBINE, both, 2, &more)
                                       : hb_pipeline_add(file->pipeline, HB_OPERATOR_SELECT, updates,
                                                         &(hb_fit_select){n, step.update}));
    inputs[2] = *now;
    *now =
        (uint32_t)hb_pipeline_add_of(file->pipeline, HB_OPERATOR_CHOOSE, inputs, 3, &(hb_fit_choose){.n_outputs = n});
    return HBS_OK;
}

static hbs_status scatter_by_row(hb_onnx_file *file, const hb_onnx_node *node, const scatter *s)
{
    const hb_onnx_value *places = &s->e.places;
    size_t n_steps = (size_t)places->dims[s->e.axis], value;
    uint32_t at = 0, updates, now;
    hb_onnx_value made = s->e.data;

    if (made.type == HB_ONNX_STRING)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore does not read it of texts yet");
    if (n_steps > MOST_ROUNDS)
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "it puts %zu updates on an axis, the limit is %d", n_steps,
                              MOST_ROUNDS);
    HB_TRY(count_from_start(file, node, s, &at));
    updates = columns_of(file, &s->updates, places);
    now = columns_of(file, &s->e.data, places);
    for (size_t k = 0; k < n_steps; k++)
        HB_TRY(add_step(file, s, k, at, updates, &now));
    made.row = made.row < 0 ? places->row : made.row;
    value = now;
    if (s->combines && (made.type == HB_ONNX_INT64 || made.type == HB_ONNX_INT32))
        HB_TRY(hb_onnx_guarded(file, node, HB_ONNX_TOO_LARGE, made.width, &value));
    return hb_onnx_give_numbers(file, node, &made, value);
}

/* ---- the operator */

hbs_status hb_onnx_scatter_elements(hb_onnx_file *file, const hb_onnx_node *node)
{
    scatter s = {.n_rounds = 0};

    HB_TRY(hb_onnx_elements_read(file, node, &s.e));
    HB_TRY(hb_onnx_operand(file, node, 2, &s.updates));
    HB_TRY(read_reduction(file, node, &s));
    if (s.updates.type != s.e.data.type || s.updates.width != s.e.places.width)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its updates are not as its places and its data");
    if (s.e.places.width == 0)
        return hb_onnx_give(file, node, 0, &s.e.data);
    if (!s.e.places.numbers)
        return scatter_by_row(file, node, &s);
    HB_TRY(count_rounds(file, node, &s));
    return s.combines ? scatter_combined(file, node, &s) : scatter_over(file, node, &s);
}
