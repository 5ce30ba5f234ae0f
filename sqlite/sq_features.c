/* sq_features.c - finds a model's features among the columns of a query or a table.
 *
 * By name, if every feature finds its column (hbs_plan_match_columns). Otherwise by position, if there are as many
 * columns as features, and no column has the name of a feature that stands elsewhere: that would be a mistake, and a
 * wrong score. */
#include "sq_hbscore.h"

static hbs_text feature_name(const sq_found *model, size_t feature)
{
    hbs_text name;
    hbs_type type;

    hbs_plan_feature(model->plan->compiled, feature, &name, &type);
    return name;
}

static int refuse_count(const sq_found *model, int n_names, sq_error *error)
{
    host_shown name;

    return sq_fail(error, SQLITE_ERROR,
                   "model \"%s\" has no feature names and takes %lld columns by position, got %d "
                   "(option features gives it names)",
                   host_show(&name, model->shown, model->name_size), (sqlite3_int64)model->plan->info.features,
                   n_names);
}

static int refuse_column(const sq_found *model, size_t feature, const char *what, sq_error *error)
{
    hbs_text wanted = feature_name(model, feature);
    host_shown name, shown;

    return sq_fail(error, SQLITE_ERROR, "model \"%s\": feature \"%s\" %s",
                   host_show(&name, model->shown, model->name_size), host_show(&shown, wanted.bytes, wanted.size),
                   what);
}

/* Why a feature has no column of its name. */
static const char *reason_for_column(int column)
{
    return column == HBS_SEVERAL_COLUMNS ? "is the name of several columns"
           : column == HBS_AMBIGUOUS_COLUMN
               ? "is not among the columns; one that differs only in case could be another feature too"
               : "is not among the columns";
}

/* The first feature without a column; their number: all have one. */
static size_t first_missing(const int *columns, size_t features)
{
    size_t f = 0;

    while (f < features && columns[f] >= 0)
        f++;
    return f;
}

/* Columns count by position, unless the name of one contradicts it. */
static int check_positions(const sq_found *model, const int *columns, size_t missing, sq_error *error)
{
    for (size_t f = 0; f < model->plan->info.features; f++) {
        if (columns[f] < HBS_NO_COLUMN)
            return refuse_column(model, f, reason_for_column(columns[f]), error);
        if (columns[f] >= 0 && columns[f] != (int)f)
            return refuse_column(model, missing, "is not among the columns, which are not in the model's order", error);
    }
    return SQLITE_OK;
}

int sq_features_match(const sq_found *model, const hbs_text *names, int n_names, int *columns, sq_error *error)
{
    size_t features = model->plan->info.features, missing = 0;
    bool named = model->plan->info.named, same_count = (size_t)n_names == features;
    int code = SQLITE_OK;

    if (named) {
        hbs_plan_match_columns(model->plan->compiled, names, n_names, columns);
        missing = first_missing(columns, features);
        if (missing == features)
            return SQLITE_OK;
    }
    if (!same_count)
        return named ? refuse_column(model, missing, reason_for_column(columns[missing]), error)
                     : refuse_count(model, n_names, error);
    if (named)
        code = check_positions(model, columns, missing, error);
    for (int f = 0; f < n_names; f++)
        columns[f] = f;
    return code;
}
