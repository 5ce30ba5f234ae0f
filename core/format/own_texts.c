/* own_texts.c - texts of the file to codes of their feature's dictionary. */
#include "format/own.h"

bool hb_own_texts_note(hb_own_file *file, uint32_t feature, const hbs_text *texts, size_t n, double *codes)
{
    if (!hb_document_goes_on(file->d, 4 * n))
        return false;
    return hb_dictionaries_note(&file->texts, feature, texts, n, codes) || hb_document_no_memory(file->d);
}

hbs_status hb_own_texts_end(hb_own_file *file)
{
    return file->is_text ? hb_dictionaries_end(&file->texts, file->is_text, file->error) : HBS_OK;
}
