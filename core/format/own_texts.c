/* own_texts.c - texts of the file to codes of their feature's dictionary; and features whose texts are read whole. */
#include "format/own.h"

bool hb_own_texts_note(hb_own_file *file, uint32_t feature, const hbs_text *texts, size_t n, double *codes)
{
    enum { NOTED_ROOM = 96 };

    if (!hb_document_goes_on(file->d, 4 * n))
        return false;
    hb_memory_allow(file->pipeline->arena.memory, NOTED_ROOM * n);
    return hb_dictionaries_note(&file->texts, feature, texts, n, codes) || hb_document_no_memory(file->d);
}

bool hb_own_whole_text(hb_own_reading *r)
{
    hb_own_file *file = r->file;

    if (r->in[0]->width != 1 || !hb_own_is_text(r, 0, 0) || r->in[0]->is_filled)
        return hb_own_fail(r, "the operator reads one column: a feature of texts, as it is");
    if (!file->whole_texts)
        file->whole_texts = hb_arena_array(&file->pipeline->arena, file->pipeline->n_features, 1);
    if (!file->whole_texts)
        return hb_document_no_memory(file->d);
    file->whole_texts[hb_own_source(r->in[0], 0)] = 1;
    return true;
}

bool hb_own_json_text(hb_own_reading *r, hb_json_form form)
{
    hb_own_file *file = r->file;
    uint8_t *known;

    if (!hb_own_whole_text(r))
        return false;
    if (!file->json)
        file->json = hb_arena_array(&file->pipeline->arena, file->pipeline->n_features, 1);
    if (!file->json)
        return hb_document_no_memory(file->d);
    known = &file->json[hb_own_source(r->in[0], 0)];
    if (*known && *known != form + 1)
        return hb_own_fail(r, "two operators read one feature as JSON of two forms");
    *known = (uint8_t)(form + 1);
    return true;
}

/* A text is looked up in a dictionary, or operators read it: of one feature one is done. */
static hbs_status end_whole_texts(hb_own_file *file)
{
    const hb_noted_text *noted = file->texts.texts.items;

    for (size_t i = 0; i < file->texts.texts.count; i++) {
        if (file->whole_texts[noted[i].feature])
            return hb_fail(file->error, HBS_E_UNSUPPORTED,
                           "feature %u is split into terms, and looked up as a category: hbscore does one of both",
                           (unsigned)noted[i].feature + 1);
        HB_TRY(hb_worked(&file->pipeline->arena.memory->work, 1, file->error));
    }
    for (size_t f = 0; f < file->pipeline->n_features; f++)
        file->is_text[f] &= !file->whole_texts[f];
    file->pipeline->texts = file->whole_texts;
    file->pipeline->json = file->json;
    return HBS_OK;
}

hbs_status hb_own_texts_end(hb_own_file *file)
{
    if (file->whole_texts)
        HB_TRY(end_whole_texts(file));
    return file->is_text ? hb_dictionaries_end(&file->texts, file->is_text, file->error) : HBS_OK;
}
