/* whole_texts.c - hashes and codes of a row's texts, the numbers that they stand for, and whether two of them are
 * equal. */
#include <math.h>
#include <string.h>

#include "base/murmur_hash.h"
#include "base/text.h"
#include "op/execution.h"

/* The text at this place of the tile; of NaN the one that stands for a missing text. bytes NULL: there is none. */
static hbs_text text_at(const hb_call *call, double place, const char *missing, size_t missing_size)
{
    hbs_text text = {NULL, 0};

    if (place != place)
        text = (hbs_text){missing, missing_size};
    else if (call->texts && place >= 0 && place < (double)call->texts->n)
        text = call->texts->at[(size_t)place];
    return text;
}

/* The bytes of a number in its type, the lowest first. */
static hbs_text bytes_of(double x, hb_text_source source, uint8_t buffer[8])
{
    const float narrow = (float)x;
    uint64_t bits = fabs(x) <= 0x1p53 ? (uint64_t)(int64_t)x : 0;
    uint32_t low;
    size_t n = source == HB_SOURCE_FLOAT32 || source == HB_SOURCE_INT32 ? 4 : 8;

    if (source == HB_SOURCE_FLOAT64)
        memcpy(&bits, &x, sizeof(bits));
    if (source == HB_SOURCE_FLOAT32) {
        memcpy(&low, &narrow, sizeof(low));
        bits = low;
    }
    for (size_t i = 0; i < n; i++)
        buffer[i] = (uint8_t)(bits >> 8 * i);
    return (hbs_text){(const char *)buffer, n};
}

bool hb_evaluate_text_hash(const hb_call *call)
{
    const hb_fit_text_hash *fit = call->fit;
    hb_work nobody = {.cancelled = NULL}, *work = call->polls ? call->polls : &nobody;
    uint8_t buffer[8];

    for (size_t c = 0; c < call->width; c++)
        for (size_t r = 0; r < call->rows; r++) {
            double place = ((const double *)call->input)[c * call->stride + r];
            hbs_text text = fit->source == HB_SOURCE_TEXTS ? text_at(call, place, fit->missing, fit->missing_size)
                                                           : bytes_of(place, fit->source, buffer);
            uint32_t hash = 0;

            if (!hb_goes_on(work, HB_UNITS_A_CELL) || !hb_murmur_hash(text, (uint32_t)fit->seed, &hash, work))
                return false;
            ((double *)call->output)[c * call->stride + r] = fit->positive ? (double)hash : (double)(int32_t)hash;
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

/* ---- codes */

static double code_of(const hb_fit_text_code *fit, hbs_text text)
{
    uint32_t word = hb_word_find(&fit->words, text);

    return word == HB_NO_WORD ? HB_UNSEEN_CODE : (double)fit->codes[word];
}

/* The text of a number, or the row's; NaN is a missing text, but a number by itself. */
static double code_at(const hb_call *call, const hb_fit_text_code *fit, double x)
{
    char buffer[HB_NUMBER_TEXT];

    if (fit->source == HB_SOURCE_TEXTS) {
        hbs_text text = text_at(call, x, NULL, 0);

        return x != x ? x : text.bytes ? code_of(fit, text) : HB_UNSEEN_CODE;
    }
    return code_of(fit, fit->source == HB_SOURCE_FLOAT32 || fit->source == HB_SOURCE_FLOAT64
                            ? hb_text_of_float(x, buffer)
                            : hb_text_of_integer(x, buffer));
}

bool hb_evaluate_text_code(const hb_call *call)
{
    enum { UNITS_A_TEXT = 64 };

    for (size_t c = 0; c < call->width; c++) {
        const double *x = (const double *)call->input + c * call->stride;
        double *y = (double *)call->output + c * call->stride;

        for (size_t r = 0; r < call->rows; r++) {
            y[r] = code_at(call, call->fit, x[r]);
            if (!hb_call_goes_on(call, UNITS_A_TEXT))
                return false;
        }
    }
    return true;
}

/* ---- numbers */

bool hb_evaluate_text_number(const hb_call *call)
{
    const hb_fit_text_number *fit = call->fit;
    hb_work nobody = {.cancelled = NULL}, *work = call->polls ? call->polls : &nobody;

    for (size_t c = 0; c < call->width; c++)
        for (size_t r = 0; r < call->rows; r++) {
            size_t i = c * call->stride + r;
            double x = ((const double *)call->input)[i], *y = (double *)call->output + i;

            hbs_text text = text_at(call, x, fit->missing, fit->missing_size);

            *y = (double)NAN;
            if (!text.bytes || hb_number_of_text(text, fit->type, y, work))
                continue;
            if (work->stopped)
                return false;
            if (call->refusal)
                hb_refuse_number(call->refusal, r, &fit->failure, c, x);
        }
    return true;
}
