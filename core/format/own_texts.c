/* own_texts.c - texts of the file to codes.
 *
 * Encoders and imputers of one feature may each name texts of their own: a feature's dictionary has all of
 * them. So they are noted while the file is read, and get their codes at its end: 0, 1, .. in the order of
 * their bytes. */
#include <string.h>

#include "base/sort.h"
#include "format/own.h"

bool hb_own_texts_note(hb_own_file *file, uint32_t feature, const hbs_text *texts, size_t n, double *codes)
{
    for (size_t i = 0; i < n; i++) {
        hb_own_text noted = {feature, texts[i], &codes[i]};

        if (!hb_document_goes_on(file->d, 4))
            return false;
        if (!hb_vector_append(&file->texts, &noted, 1))
            return hb_document_no_memory(file->d);
    }
    return true;
}

static int compare_texts(const void *context, uint32_t a, uint32_t b)
{
    const hb_own_file *file = context;
    const hb_own_text *x = (const hb_own_text *)file->texts.items + a, *y = (const hb_own_text *)file->texts.items + b;
    int order = (x->feature > y->feature) - (x->feature < y->feature);

    return order ? order : hb_compare_texts(x->text, y->text, &file->pipeline->arena.memory->work);
}

/* A text feature without a text in the file still takes texts, none of which was seen. */
static const hbs_text no_text = {"", 0};

static hbs_status begin_dictionaries(hb_own_file *file, hb_categories **categories)
{
    hb_pipeline *pipeline = file->pipeline;

    *categories = hb_arena_array(&pipeline->arena, pipeline->n_features, sizeof(**categories));
    if (!*categories)
        return hb_no_memory(pipeline->arena.memory, file->error);
    for (size_t f = 0; f < pipeline->n_features; f++)
        if (file->is_text[f])
            (*categories)[f] = (hb_categories){.type = HBS_TEXT, .count = 1, .texts = &no_text};
    return HBS_OK;
}

/* The texts in order, equal ones once, feature after feature. */
static hbs_status number(hb_own_file *file, const uint32_t *order, hb_categories *categories)
{
    const hb_own_text *noted = file->texts.items;
    size_t n = file->texts.count;
    hbs_text *texts = hb_arena_array(&file->pipeline->arena, n, sizeof(*texts));
    size_t used = 0;

    if (!texts)
        return hb_no_memory(file->pipeline->arena.memory, file->error);
    for (size_t i = 0; i < n; i++) {
        const hb_own_text *text = &noted[order[i]];

        HB_TRY(hb_worked(&file->pipeline->arena.memory->work, 4, file->error));
        hb_categories *c = &categories[text->feature];
        bool first = i == 0 || noted[order[i - 1]].feature != text->feature;

        if (first)
            *c = (hb_categories){.type = HBS_TEXT, .texts = &texts[used]};
        if (first || compare_texts(file, order[i - 1], order[i]) != 0) {
            texts[used++] = text->text;
            c->count++;
        }
        *text->code = (double)(c->count - 1);
    }
    return HBS_OK;
}

hbs_status hb_own_texts_end(hb_own_file *file)
{
    hb_memory *memory = file->pipeline->arena.memory;
    size_t n = file->texts.count;
    hb_categories *categories;
    hbs_status status;
    uint32_t *order;

    if (!file->is_text)
        return HBS_OK;
    HB_TRY(begin_dictionaries(file, &categories));
    order = hb_allocate(memory, n * sizeof(*order));
    if (!order)
        return hb_no_memory(memory, file->error);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    status = hb_sort(order, n, compare_texts, file, &memory->work) ? number(file, order, categories)
                                                                   : hb_work_status(&memory->work, file->error);
    hb_release(memory, order, n * sizeof(*order));
    file->pipeline->categories = categories;
    return status;
}
