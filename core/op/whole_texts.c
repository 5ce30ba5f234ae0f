/* whole_texts.c - hashes of a row's texts, and whether two of them are equal. */
#include "base/murmur_hash.h"
#include "base/text.h"
#include "op/execution.h"

/* The text at this place of the tile; of NaN the one that stands for a missing text. */
static hbs_text text_at(const hb_call *call, double place, const char *missing, size_t missing_size)
{
    hbs_text text = {"", 0};

    if (place != place && missing)
        text = (hbs_text){missing, missing_size};
    else if (call->texts && place >= 0 && place < (double)call->texts->n && call->texts->at[(size_t)place].bytes)
        text = call->texts->at[(size_t)place];
    return text;
}

bool hb_evaluate_text_hash(const hb_call *call)
{
    const hb_fit_text_hash *fit = call->fit;
    hb_work nobody = {.cancelled = NULL}, *work = call->polls ? call->polls : &nobody;

    for (size_t c = 0; c < call->width; c++)
        for (size_t r = 0; r < call->rows; r++) {
            double place = ((const double *)call->input)[c * call->stride + r];
            uint32_t hash = 0;

            if (!hb_goes_on(work, HB_UNITS_A_CELL) ||
                !hb_murmur_hash(text_at(call, place, fit->missing, fit->missing_size), (uint32_t)fit->seed, &hash,
                                work))
                return false;
            ((double *)call->output)[c * call->stride + r] = (double)(int32_t)hash;
        }
    return true;
}

bool hb_evaluate_text_equal(const hb_call *call)
{
    enum { BYTES_A_UNIT = 16 };
    const hb_fit_text_equal *fit = call->fit;
    hb_work nobody = {.cancelled = NULL}, *work = call->polls ? call->polls : &nobody;

    for (size_t c = 0; c < call->width; c++)
        for (size_t r = 0; r < call->rows; r++) {
            size_t i = c * call->stride + r;
            hbs_text a = text_at(call, ((const double *)call->inputs[0])[i], fit->missing, fit->missing_size);
            hbs_text b = text_at(call, ((const double *)call->inputs[1])[i], fit->missing, fit->missing_size);

            if (!hb_goes_on(work, HB_UNITS_A_CELL + (a.size == b.size ? a.size / BYTES_A_UNIT : 0)))
                return false;
            ((double *)call->output)[i] = hb_text_equal(a, b);
        }
    return true;
}
