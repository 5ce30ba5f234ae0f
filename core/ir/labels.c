/* labels.c - see labels.h. */
#include "ir/labels.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

hbs_text hb_label_text(const hbs_value *label, char buffer[32])
{
    if (label->type == HBS_TEXT)
        return label->as.text;
    if (label->type == HBS_BOOL)
        snprintf(buffer, 32, "%s", label->as.boolean ? "true" : "false");
    else if (label->type == HBS_INT64)
        snprintf(buffer, 32, "%lld", (long long)label->as.i64);
    else
        hb_format_float64(label->as.f64, buffer);
    return (hbs_text){buffer, strlen(buffer)};
}

static bool real_of(const hbs_value *value, double *real)
{
    if (value->type == HBS_FLOAT64)
        *real = value->as.f64;
    else if (value->type == HBS_INT64)
        *real = (double)value->as.i64;
    else if (value->type == HBS_BOOL)
        *real = value->as.boolean;
    else
        return false;
    return true;
}

/* A text against a number, without formatting the number: labels are compared pair by pair. */
static bool text_is_number(hbs_text text, const hbs_value *number)
{
    hbs_value read;
    bool exact;

    return number->type != HBS_BOOL && hb_text_exact_number(text, &read, &exact) && exact &&
           hb_label_equal(&read, number);
}

bool hb_label_equal(const hbs_value *a, const hbs_value *b)
{
    double real_a, real_b;
    char buffer[2][32];

    if (a->type == HBS_INT64 && b->type == HBS_INT64)
        return a->as.i64 == b->as.i64;
    if (a->type == HBS_INT64 && b->type == HBS_FLOAT64)
        return hb_is_same_number(b->as.f64, a->as.i64);
    if (b->type == HBS_INT64 && a->type == HBS_FLOAT64)
        return hb_is_same_number(a->as.f64, b->as.i64);
    if (real_of(a, &real_a) && real_of(b, &real_b))
        return real_a == real_b;
    if (a->type == HBS_TEXT && b->type != HBS_TEXT && b->type != HBS_BOOL)
        return text_is_number(a->as.text, b);
    if (b->type == HBS_TEXT && a->type != HBS_TEXT && a->type != HBS_BOOL)
        return text_is_number(b->as.text, a);
    return hb_text_equal(hb_label_text(a, buffer[0]), hb_label_text(b, buffer[1]));
}
