/* bind_errors.c - what is wrong with a cell, in words that name the feature and the value. */
#include <stdio.h>

#include "base/number.h"
#include "plan/run.h"

static void show_value(const hbs_value *value, char buffer[HB_EXCERPT_BUFFER])
{
    switch (value->type) {
    case HBS_TEXT:
    case HBS_DECIMAL:
        hb_escape(value->as.text, HB_EXCERPT, buffer, HB_EXCERPT_BUFFER);
        break;
    case HBS_FLOAT32:
        hb_format_float64((double)value->as.f32, buffer);
        break;
    case HBS_FLOAT64:
        hb_format_float64(value->as.f64, buffer);
        break;
    case HBS_INT64:
        snprintf(buffer, HB_EXCERPT_BUFFER, "%lld", (long long)value->as.i64);
        break;
    default:
        snprintf(buffer, HB_EXCERPT_BUFFER, "%s", value->as.boolean ? "true" : "false");
    }
}

/* A category that training has not seen, as the error that option on_unseen can change. */
static hbs_status fail_unseen(const hbs_run *run, size_t f, const char *shown, hbs_error *error)
{
    char feature[HB_FEATURE_BUFFER];

    return hb_run_fail(run, error, HBS_E_ARGS,
                       "%s has the value \"%s\", which training has not seen (option on_unseen can "
                       "make it missing or the result NULL)",
                       hb_plan_show_feature(run->plan, f, feature), shown);
}

hbs_status hb_unseen_value(const hbs_run *run, size_t f, const hbs_value *value, hbs_error *error)
{
    char shown[HB_EXCERPT_BUFFER];

    show_value(value, shown);
    return fail_unseen(run, f, shown, error);
}

hbs_status hb_rounded_value(const hbs_run *run, size_t f, const hbs_value *value, hbs_error *error)
{
    char feature[HB_FEATURE_BUFFER], shown[HB_EXCERPT_BUFFER];

    show_value(value, shown);
    return hb_run_fail(run, error, HBS_E_ARGS,
                       "%s has the value %s, which double precision rounds; the model's categories are "
                       "double precision (texts have no such limit)",
                       hb_plan_show_feature(run->plan, f, feature), shown);
}

hbs_status hb_wrong_type(const hbs_run *run, size_t f, const char *takes, const hbs_value *value, hbs_error *error)
{
    char feature[HB_FEATURE_BUFFER], shown[HB_EXCERPT_BUFFER];

    show_value(value, shown);
    return hb_run_fail(run, error, HBS_E_TYPE, "%s takes %s, got the %s %s%s%s",
                       hb_plan_show_feature(run->plan, f, feature), takes,
                       value->type == HBS_TEXT   ? "text"
                       : value->type == HBS_BOOL ? "boolean"
                                                 : "number",
                       value->type == HBS_TEXT ? "\"" : "", shown, value->type == HBS_TEXT ? "\"" : "");
}

hbs_status hb_unseen_fail(const hbs_run *run, uint32_t feature, double value, hbs_error *error)
{
    char shown[HB_EXCERPT_BUFFER];

    if (feature >= run->plan->n_features)
        return hb_run_fail(run, error, HBS_E_ARGS,
                           "an encoder has a value which training has not seen (option on_unseen "
                           "can make the result NULL)");
    hb_format_float64(value, shown);
    return fail_unseen(run, feature, shown, error);
}
