/* text.c - how often each sequence of words comes in a row's texts, or of whole numbers in its columns. */
#include "op/texts.h"

#include <math.h>
#include <string.h>

#include "op/execution.h"

enum { UNITS_A_LIST = 16 /* of open sequences, for each word */ };

static const hbs_text no_text = {"", 0};

/* The text at this place; of NaN the one that stands for a missing text. */
static hbs_text text_at(const hb_call *call, double place)
{
    const hb_fit_text_counts *fit = call->fit;
    hbs_text text = no_text;

    if (place != place)
        text = (hbs_text){fit->missing, fit->missing_size};
    else if (call->texts && place >= 0 && place < (double)call->texts->n)
        text = call->texts->at[(size_t)place];
    return text.bytes ? text : no_text;
}

static bool count_text(const hb_call *call, hbs_text text, hb_gram_walk *grams, double *counts)
{
    const hb_fit_text_counts *fit = call->fit;
    hb_work nobody = {.cancelled = NULL}, *work = call->polls ? call->polls : &nobody;
    hb_token_walk tokens;
    hbs_text word;

    if (!hb_tokens_begin(&tokens, &fit->tokenizer, call->texts ? call->texts->room : (hb_token_room){.changed = NULL},
                         text, work))
        return false;
    while (hb_tokens_next(&tokens, &word)) {
        hb_gram_next(grams, hb_word_find(&fit->words, word), counts, call->stride);
        if (!hb_goes_on(work, UNITS_A_LIST * (fit->most_skipped + 1)))
            return false;
    }
    return !work->stopped;
}

/* Beyond 2^53 float64 has not all whole numbers, and other operators refuse such rows. */
static uint32_t number_word(const hb_words *words, double x)
{
    int64_t number;

    if (!(fabs(x) <= 0x1p53))
        return HB_NO_WORD;
    number = (int64_t)x;
    return hb_word_find(words, hb_number_word(&number));
}

static bool count_cell(const hb_call *call, double x, hb_gram_walk *grams, double *counts)
{
    const hb_fit_text_counts *fit = call->fit;

    if (!fit->of_numbers)
        return count_text(call, text_at(call, x), grams, counts);
    hb_gram_next(grams, number_word(&fit->words, x), counts, call->stride);
    return hb_call_goes_on(call, UNITS_A_LIST * (fit->most_skipped + 1));
}

bool hb_evaluate_text_counts(const hb_call *call)
{
    const hb_fit_text_counts *fit = call->fit;
    double *out = call->output;
    hb_gram_walk grams;

    for (size_t c = 0; c < call->width; c++) {
        memset(out + c * call->stride, 0, call->rows * sizeof(*out));
        if (c % 1024 == 1023 && !hb_call_goes_on(call, 1024 * (call->rows / HB_STEPS_A_UNIT + 1)))
            return false;
    }
    for (size_t r = 0; r < call->rows; r++) {
        hb_gram_begin(&grams, &fit->grams, fit->most_skipped);
        for (size_t k = 0; k < call->input_width; k++)
            if (!count_cell(call, ((const double *)call->input)[k * call->stride + r], &grams, out + r))
                return false;
    }
    return true;
}
