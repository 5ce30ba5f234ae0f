/* dictionaries.c - see dictionaries.h. */
#include "format/dictionaries.h"

#include "base/sort.h"

void hb_dictionaries_init(hb_dictionaries *d, hb_pipeline *pipeline)
{
    d->pipeline = pipeline;
    d->n_more = 0;
    d->roots = NULL;
    d->categories = NULL;
    hb_vector_init(&d->texts, pipeline->arena.memory, sizeof(hb_noted_text));
    hb_vector_init(&d->joins, pipeline->arena.memory, sizeof(uint32_t));
}

void hb_dictionaries_release(hb_dictionaries *d)
{
    hb_vector_release(&d->texts);
    hb_vector_release(&d->joins);
}

uint32_t hb_dictionaries_add(hb_dictionaries *d)
{
    return (uint32_t)(d->pipeline->n_features + d->n_more++);
}

bool hb_dictionaries_note(hb_dictionaries *d, uint32_t feature, const hbs_text *texts, size_t n, double *codes)
{
    for (size_t i = 0; i < n; i++) {
        hb_noted_text noted = {feature, texts[i], &codes[i]};

        if (!hb_goes_on(&d->pipeline->arena.memory->work, 4) || !hb_vector_append(&d->texts, &noted, 1))
            return false;
    }
    return true;
}

/* ---- joined ones */

bool hb_dictionaries_join(hb_dictionaries *d, uint32_t a, uint32_t b)
{
    const uint32_t both[2] = {a, b};

    return a == b || hb_vector_append(&d->joins, both, 2);
}

/* The root of a dictionary, to which the way becomes half as long. */
static uint32_t find_root(uint32_t *roots, uint32_t dictionary)
{
    while (roots[dictionary] != dictionary) {
        roots[dictionary] = roots[roots[dictionary]];
        dictionary = roots[dictionary];
    }
    return dictionary;
}

static hbs_status find_roots(hb_dictionaries *d, hbs_error *error)
{
    size_t n = d->pipeline->n_features + d->n_more;
    const uint32_t *joins = d->joins.items;

    if (d->joins.count == 0)
        return HBS_OK;
    d->roots = hb_arena_array(&d->pipeline->arena, n, sizeof(*d->roots));
    if (!d->roots)
        return hb_no_memory(d->pipeline->arena.memory, error);
    for (uint32_t i = 0; i < n; i++)
        d->roots[i] = i;
    for (size_t i = 0; i < d->joins.count; i += 2) {
        uint32_t a = find_root(d->roots, joins[i]), b = find_root(d->roots, joins[i + 1]);

        d->roots[a < b ? b : a] = a < b ? a : b;
        HB_TRY(hb_worked(&d->pipeline->arena.memory->work, 4, error));
    }
    for (uint32_t i = 0; i < n; i++)
        d->roots[i] = find_root(d->roots, i);
    return hb_worked(&d->pipeline->arena.memory->work, n, error);
}

static uint32_t root_of(const hb_dictionaries *d, uint32_t dictionary)
{
    return d->roots ? d->roots[dictionary] : dictionary;
}

/* ---- the end */

static int compare_texts(const void *context, uint32_t a, uint32_t b)
{
    const hb_dictionaries *d = context;
    const hb_noted_text *x = (const hb_noted_text *)d->texts.items + a, *y = (const hb_noted_text *)d->texts.items + b;
    uint32_t of_x = root_of(d, x->feature), of_y = root_of(d, y->feature);
    int order = (of_x > of_y) - (of_x < of_y);

    return order ? order : hb_compare_texts(x->text, y->text, &d->pipeline->arena.memory->work);
}

/* A text feature without a text in the file still takes texts, none of which was seen. */
static const hbs_text no_text = {"", 0};

static hbs_status begin(hb_dictionaries *d, hbs_error *error)
{
    hb_pipeline *pipeline = d->pipeline;

    d->categories = hb_arena_array(&pipeline->arena, pipeline->n_features + d->n_more, sizeof(*d->categories));
    return d->categories ? HBS_OK : hb_no_memory(pipeline->arena.memory, error);
}

/* Each feature of text has the texts of its root, or no_text. */
static void give_features(const hb_dictionaries *d, const uint8_t *is_text)
{
    for (uint32_t f = (uint32_t)d->pipeline->n_features; is_text && f-- > 0;) {
        const hb_categories *texts = &d->categories[root_of(d, f)];

        if (is_text[f])
            d->categories[f] = texts->count ? *texts : (hb_categories){.type = HBS_TEXT, .count = 1, .texts = &no_text};
    }
}

const hb_categories *hb_dictionaries_texts(const hb_dictionaries *d, uint32_t dictionary)
{
    return &d->categories[root_of(d, dictionary)];
}

/* The texts in order, equal ones once, feature after feature. */
static hbs_status number(const hb_dictionaries *d, const uint32_t *order, hbs_error *error)
{
    const hb_noted_text *noted = d->texts.items;
    size_t n = d->texts.count;
    hbs_text *texts = hb_arena_array(&d->pipeline->arena, n, sizeof(*texts));
    size_t used = 0;

    if (!texts)
        return hb_no_memory(d->pipeline->arena.memory, error);
    for (size_t i = 0; i < n; i++) {
        const hb_noted_text *text = &noted[order[i]];
        hb_categories *c = &d->categories[root_of(d, text->feature)];
        bool first = i == 0 || root_of(d, noted[order[i - 1]].feature) != root_of(d, text->feature);

        HB_TRY(hb_worked(&d->pipeline->arena.memory->work, 4, error));
        if (first)
            *c = (hb_categories){.type = HBS_TEXT, .texts = &texts[used]};
        if (first || compare_texts(d, order[i - 1], order[i]) != 0) {
            texts[used++] = text->text;
            c->count++;
        }
        *text->code = (double)(c->count - 1);
    }
    return HBS_OK;
}

hbs_status hb_dictionaries_end(hb_dictionaries *d, const uint8_t *is_text, hbs_error *error)
{
    hb_memory *memory = d->pipeline->arena.memory;
    size_t n = d->texts.count;
    hbs_status status;
    uint32_t *order;

    HB_TRY(find_roots(d, error));
    HB_TRY(begin(d, error));
    order = hb_allocate(memory, n * sizeof(*order));
    if (!order)
        return hb_no_memory(memory, error);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    status = hb_sort(order, n, compare_texts, d, &memory->work) ? number(d, order, error)
                                                                : hb_work_status(&memory->work, error);
    hb_release(memory, order, n * sizeof(*order));
    give_features(d, is_text);
    if (is_text)
        d->pipeline->categories = d->categories;
    return status;
}
