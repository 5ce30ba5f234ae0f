/* dictionaries.c - see dictionaries.h. */
#include "format/dictionaries.h"

#include "base/sort.h"

void hb_dictionaries_init(hb_dictionaries *d, hb_pipeline *pipeline)
{
    d->pipeline = pipeline;
    d->n_more = 0;
    hb_vector_init(&d->texts, pipeline->arena.memory, sizeof(hb_noted_text));
}

void hb_dictionaries_release(hb_dictionaries *d)
{
    hb_vector_release(&d->texts);
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

static int compare_texts(const void *context, uint32_t a, uint32_t b)
{
    const hb_dictionaries *d = context;
    const hb_noted_text *x = (const hb_noted_text *)d->texts.items + a, *y = (const hb_noted_text *)d->texts.items + b;
    int order = (x->feature > y->feature) - (x->feature < y->feature);

    return order ? order : hb_compare_texts(x->text, y->text, &d->pipeline->arena.memory->work);
}

/* A text feature without a text in the file still takes texts, none of which was seen. */
static const hbs_text no_text = {"", 0};

static hbs_status begin(const hb_dictionaries *d, const uint8_t *is_text, hb_categories **categories, hbs_error *error)
{
    hb_pipeline *pipeline = d->pipeline;

    *categories = hb_arena_array(&pipeline->arena, pipeline->n_features + d->n_more, sizeof(**categories));
    if (!*categories)
        return hb_no_memory(pipeline->arena.memory, error);
    for (size_t f = 0; is_text && f < pipeline->n_features; f++)
        if (is_text[f])
            (*categories)[f] = (hb_categories){.type = HBS_TEXT, .count = 1, .texts = &no_text};
    return HBS_OK;
}

/* The texts in order, equal ones once, feature after feature. */
static hbs_status number(const hb_dictionaries *d, const uint32_t *order, hb_categories *categories, hbs_error *error)
{
    const hb_noted_text *noted = d->texts.items;
    size_t n = d->texts.count;
    hbs_text *texts = hb_arena_array(&d->pipeline->arena, n, sizeof(*texts));
    size_t used = 0;

    if (!texts)
        return hb_no_memory(d->pipeline->arena.memory, error);
    for (size_t i = 0; i < n; i++) {
        const hb_noted_text *text = &noted[order[i]];
        hb_categories *c = &categories[text->feature];
        bool first = i == 0 || noted[order[i - 1]].feature != text->feature;

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
    hb_categories *categories;
    hbs_status status;
    uint32_t *order;

    HB_TRY(begin(d, is_text, &categories, error));
    order = hb_allocate(memory, n * sizeof(*order));
    if (!order)
        return hb_no_memory(memory, error);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    status = hb_sort(order, n, compare_texts, d, &memory->work) ? number(d, order, categories, error)
                                                                : hb_work_status(&memory->work, error);
    hb_release(memory, order, n * sizeof(*order));
    if (is_text)
        d->pipeline->categories = categories;
    return status;
}
