/* own_texts.c - texts of the file to codes of their feature's dictionary; and features whose texts operators read
 * themselves. The table has the places of such texts (op/texts.h). Where encoders look them up too, an operator makes
 * codes of the places, for all that read the table's value; operators of texts read the table itself. */
#include "format/own.h"
#include "format/vocabulary.h"

enum { BYTES_A_TEXT = 96 /* to note it, and to sort it among others */ };

bool hb_own_texts_note(hb_own_file *file, uint32_t feature, const hbs_text *texts, size_t n, double *codes)
{
    if (!hb_document_goes_on(file->d, 4 * n))
        return false;
    hb_memory_allow(file->pipeline->arena.memory, BYTES_A_TEXT * n);
    return hb_dictionaries_note(&file->texts, feature, texts, n, codes) || hb_document_no_memory(file->d);
}

/* Sets a byte of the feature in an array of all of them, which is made when first needed. */
static bool mark_feature(hb_own_file *file, uint8_t **marks, uint32_t feature, uint8_t mark)
{
    if (!*marks)
        *marks = hb_arena_array(&file->pipeline->arena, file->pipeline->n_features, 1);
    if (!*marks)
        return hb_document_no_memory(file->d);
    (*marks)[feature] = mark;
    return true;
}

bool hb_own_texts_look_up(hb_own_file *file, uint32_t feature)
{
    return mark_feature(file, &file->looked_up, feature, 1);
}

/* The input becomes the feature's column of the table. */
static bool read_table(hb_own_reading *r, uint32_t feature)
{
    hb_pipeline *pipeline = r->file->pipeline;
    hb_own_value *whole = hb_arena_array(&pipeline->arena, 1, sizeof(*whole));
    uint32_t *column = hb_arena_array(&pipeline->arena, 1, sizeof(*column));

    if (!whole || !column)
        return hb_document_no_memory(r->file->d);
    *column = feature;
    *whole = *r->in[0];
    whole->value = r->file->table;
    if (pipeline->n_features > 1)
        whole->value = hb_pipeline_add(pipeline, HB_OPERATOR_SELECT, r->file->table, &(hb_fit_select){1, column});
    *(const hb_own_value **)r->file->inputs.items = whole;
    return true;
}

bool hb_own_whole_text(hb_own_reading *r, hbs_text *fill)
{
    uint32_t feature;

    if (r->in[0]->width != 1 || !hb_own_is_text(r, 0, 0))
        return hb_own_fail(r, "the operator reads one column: a feature of texts");
    feature = hb_own_source(r->in[0], 0);
    *fill = r->in[0]->fills ? r->in[0]->fills[0] : (hbs_text){NULL, 0};
    return mark_feature(r->file, &r->file->whole_texts, feature, 1) && read_table(r, feature);
}

bool hb_own_json_text(hb_own_reading *r, hb_json_form form)
{
    hb_own_file *file = r->file;
    uint32_t feature;
    hbs_text fill;

    if (!hb_own_whole_text(r, &fill))
        return false;
    if (fill.bytes)
        return hb_own_fail(r, "an operator of JSON reads texts that were imputed");
    feature = hb_own_source(r->in[0], 0);
    if (file->json && file->json[feature] && file->json[feature] != form + 1)
        return hb_own_fail(r, "two operators read one feature as JSON of two forms");
    return mark_feature(file, &file->json, feature, (uint8_t)(form + 1));
}

/* ---- the end, when all texts are known */

/* The codes of the texts of a feature's dictionary. */
static hbs_status code_texts(hb_own_file *file, uint32_t feature, hb_coded_column *coded)
{
    const hb_categories *c = hb_dictionaries_texts(&file->texts, feature);
    hb_pipeline *pipeline = file->pipeline;
    uint32_t *words = hb_arena_array(&pipeline->arena, c->count, sizeof(*words));
    uint32_t *codes = hb_arena_array(&pipeline->arena, c->count, sizeof(*codes));

    hb_memory_allow(pipeline->arena.memory, BYTES_A_TEXT * c->count);
    if (!words || !codes)
        return hb_no_memory(pipeline->arena.memory, file->error);
    HB_TRY(hb_words_make(pipeline, c->texts, c->count, &coded->words, words, file->error));
    for (uint32_t i = 0; i < c->count; i++)
        codes[words[i]] = i;
    coded->column = feature;
    coded->codes = codes;
    return hb_worked(&pipeline->arena.memory->work, c->count, file->error);
}

static bool is_both(const hb_own_file *file, size_t f)
{
    return file->whole_texts[f] && file->looked_up && file->looked_up[f];
}

static size_t count_both(const hb_own_file *file)
{
    size_t n = 0;

    for (size_t f = 0; f < file->pipeline->n_features; f++)
        n += is_both(file, f);
    return n;
}

/* Features whose texts are read and not looked up have no categories. *n_both: how many are both. */
static hbs_status end_whole_texts(hb_own_file *file, size_t *n_both)
{
    hb_pipeline *pipeline = file->pipeline;
    hb_coded_column *columns = hb_arena_array(&pipeline->arena, count_both(file), sizeof(*columns));

    if (!columns)
        return hb_no_memory(pipeline->arena.memory, file->error);
    for (uint32_t f = 0; f < pipeline->n_features; f++) {
        if (is_both(file, f))
            HB_TRY(code_texts(file, f, &columns[(*n_both)++]));
        else if (file->whole_texts[f])
            file->texts.categories[f] = (hb_categories){.count = 0};
        HB_TRY(hb_worked(&pipeline->arena.memory->work, 2, file->error));
    }
    *(hb_fit_code_texts *)hb_node_at(&pipeline->graph, file->codes)->fit = (hb_fit_code_texts){*n_both, columns};
    pipeline->texts = file->whole_texts;
    pipeline->json = file->json;
    return HBS_OK;
}

hbs_status hb_own_texts_end(hb_own_file *file)
{
    size_t n_both = 0;

    if (!file->is_text)
        return HBS_OK;
    HB_TRY(hb_graph_check(&file->pipeline->graph, file->error));
    HB_TRY(hb_dictionaries_end(&file->texts, file->is_text, file->error));
    if (file->whole_texts)
        HB_TRY(end_whole_texts(file, &n_both));
    return n_both ? HBS_OK : hb_pipeline_leave_out(file->pipeline, file->codes, file->error);
}
