/* golden_scorer.c - answers as bits, and the differences that are found. */
#include "golden_scorer.h"

#include <stdarg.h>
#include <string.h>

enum { MAX_PRINTED = 12 };

const uint32_t RG_BIT_OF[RG_KINDS] = {HBS_OUT_RAW,   HBS_OUT_PROBABILITIES, HBS_OUT_VALUES,
                                      HBS_OUT_VALUE, HBS_OUT_LABEL,         HBS_OUT_TRANSFORM};

void rg_differ(rg_scorer *s, const char *format, ...)
{
    va_list args;

    s->tally->differences++;
    if (++s->printed > MAX_PRINTED)
        return;
    printf("  %s: ", s->golden->name);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("%s\n", s->printed == MAX_PRINTED ? " (more are not shown)" : "");
}

uint32_t rg_next_random(rg_scorer *s)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(s->random >> 33);
}

size_t rg_hash_of(const char *text)
{
    size_t hash = 2166136261u;

    for (const char *at = text; *at; at++)
        hash = (hash ^ (uint8_t)*at) * 16777619u & UINT32_MAX;
    return hash;
}

hbs_run *rg_make_run(rg_scorer *s, const hbs_plan *plan, size_t max_rows)
{
    hbs_run *run = NULL;
    hbs_error error;

    if (hbs_run_create(plan, &s->host.host, s->golden->name, max_rows, &run, &error) != HBS_OK)
        rg_differ(s, "a run for %zu rows: %s", max_rows, error.text);
    return run;
}

uint64_t rg_bits_of(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

double rg_number_of(uint64_t bits)
{
    double number;

    memcpy(&number, &bits, sizeof(number));
    return number;
}

static const double *numbers_of(const hbs_result *result, rg_kind kind)
{
    switch (kind) {
    case RG_RAW:
        return result->raw;
    case RG_PROBABILITIES:
        return result->probabilities;
    case RG_VALUES:
        return result->values;
    case RG_VALUE:
        return result->value;
    case RG_TRANSFORM:
        return result->transform;
    default:
        return NULL;
    }
}

bool rg_is_valid(const hbs_result *result, size_t row)
{
    return !result->valid || (result->valid[row / 64] >> (row % 64) & 1);
}

bool rg_check_arrays(rg_scorer *s, const hbs_result *result, uint32_t asked, const char *way)
{
    for (int k = 0; k < RG_KINDS; k++) {
        bool there = k == RG_LABEL ? result->label != NULL : numbers_of(result, (rg_kind)k) != NULL;

        if (!s->golden->outputs[k].given || there == ((asked & RG_BIT_OF[k]) != 0))
            continue;
        rg_differ(s, "%s: output %s was %s", way, rg_kind_name((rg_kind)k),
                  there ? "given without being asked for" : "asked for and not given");
        return false;
    }
    return true;
}

void rg_take_row(const rg_scorer *s, const hbs_result *result, size_t row, uint32_t asked, uint64_t *bits)
{
    for (int k = 0; k < RG_KINDS; k++) {
        const rg_output *out = &s->golden->outputs[k];
        const double *numbers = numbers_of(result, (rg_kind)k);

        if (!out->given)
            continue;
        for (size_t i = 0; i < out->width && (asked & RG_BIT_OF[k]); i++)
            bits[i] =
                k == RG_LABEL ? rg_bits_of((double)result->label[row]) : rg_bits_of(numbers[row * out->width + i]);
        bits += out->width;
    }
}

void rg_compare_bits(rg_scorer *s, const hbs_result *result, size_t at, size_t row, uint32_t asked, const char *way)
{
    const uint64_t *want = s->bits + row * s->stride;
    uint64_t *got = s->got;

    s->tally->rows_scored++;
    if (rg_is_valid(result, at) == s->null[row]) {
        rg_differ(s, "%s, row %zu: valid %d, row by row %d", way, row, s->null[row], !s->null[row]);
        return;
    }
    if (s->null[row])
        return;
    memcpy(got, want, sizeof(*want) * s->stride);
    rg_take_row(s, result, at, asked, got);
    for (size_t i = 0; i < s->stride; i++)
        if (got[i] != want[i]) {
            rg_differ(s, "%s, row %zu, number %zu: got %a, row by row %a", way, row, i, rg_number_of(got[i]),
                      rg_number_of(want[i]));
            return;
        }
}
