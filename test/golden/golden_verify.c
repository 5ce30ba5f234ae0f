/* golden_verify.c - a golden as the option `golden` of a registration: what hbs_verify says of it. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "golden_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The member of each kind; label and value are one. */
static const char *const MEMBERS[RG_KINDS] = {"decision",   "probabilities", "values",
                                              "prediction", "prediction",    "transform"};

typedef struct writer {
    const rg_golden *golden;
    const hbs_plan *plan;
    FILE *out;
    bool spoil, spoiled; /* one number is written wrong */
} writer;

/* Off by more than the plan takes. */
static double spoiled_number(const writer *w, double number)
{
    hbs_plan_info info;
    double most;

    hbs_plan_get_info(w->plan, &info);
    most =
        fmax(fmax(info.value_tolerance, info.values_tolerance), fmax(info.probabilities_tolerance, info.raw_tolerance));
    most = fmax(most, info.transform_tolerance);
    if (most > 1e-10) /* of sums, relative to 1 where the number is smaller */
        return number + 10 * most * fmax(1, fabs(number));
    return number == 0 ? 1e-6 : number * (1 + 1e-6); /* 0 may be what is left of terms of 1 */
}

static void put_number(writer *w, double number)
{
    char text[32];

    if (w->spoil && !w->spoiled && isfinite(number)) {
        number = spoiled_number(w, number);
        w->spoiled = true;
    }
    hbs_format_double(number, text);
    fputs(text, w->out);
}

static void put_label(writer *w, size_t class)
{
    hbs_value label;

    hbs_plan_class(w->plan, class, &label);
    if (label.type == HBS_TEXT) {
        fputc('"', w->out);
        for (size_t i = 0; i < label.as.text.size; i++)
            fprintf(w->out, strchr("\"\\", label.as.text.bytes[i]) ? "\\%c" : "%c", label.as.text.bytes[i]);
        fputc('"', w->out);
    } else if (label.type == HBS_BOOL) {
        fputs(label.as.boolean ? "true" : "false", w->out);
    } else if (label.type == HBS_INT64) {
        fprintf(w->out, "%lld", (long long)label.as.i64);
    } else {
        fprintf(w->out, "%.17g", label.as.f64);
    }
}

static void put_output(writer *w, rg_kind kind, size_t row)
{
    const rg_output *out = &w->golden->outputs[kind];
    const double *want = out->want + row * out->width;

    if (w->golden->fate[row] == RG_NULL) {
        fputs("null", w->out);
    } else if (kind == RG_LABEL) {
        put_label(w, (size_t)*want);
    } else if (kind == RG_VALUE) {
        put_number(w, *want);
    } else {
        for (size_t i = 0; i < out->width; i++) {
            fputc(i ? ',' : '[', w->out);
            put_number(w, want[i]);
        }
        fputc(']', w->out);
    }
}

/* One member; `kind` RG_KINDS: the rows themselves. Rows that are errors, or no errors here only, are left out. */
static void put_member(writer *w, const char *name, int kind)
{
    const char *between = "";

    fprintf(w->out, "%s\"%s\":[", kind == RG_KINDS ? "{" : ",", name);
    for (size_t row = 0; row < w->golden->rows; row++) {
        if (w->golden->fate[row] == RG_ERROR || w->golden->fate[row] == RG_UNLIKE)
            continue;
        fputs(between, w->out);
        between = ",";
        if (kind == RG_KINDS) {
            size_t size;
            char *json = rg_row_json(w->golden, row, false, &size);

            fwrite(json, 1, size, w->out);
            free(json);
        } else {
            put_output(w, (rg_kind)kind, row);
        }
    }
    fputc(']', w->out);
}

char *rg_golden_option(const rg_golden *golden, const hbs_plan *plan, bool spoil, size_t *size, bool *spoiled)
{
    writer w = {.golden = golden, .plan = plan, .spoil = spoil};
    char *text = NULL;

    w.out = open_memstream(&text, size);
    if (!w.out)
        exit(2);
    put_member(&w, "rows", RG_KINDS);
    for (int kind = 0; kind < RG_KINDS; kind++)
        if (golden->outputs[kind].given)
            put_member(&w, MEMBERS[kind], kind);
    fputc('}', w.out);
    fclose(w.out);
    *spoiled = w.spoiled;
    return text;
}
