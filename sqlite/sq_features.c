/* sq_features.c - which column of a query or a table is which feature of a model.
 *
 * By name where every feature finds its column: exactly, else without regard to ASCII case if just
 * one column does. Otherwise by position, where there are as many columns as features and no column
 * has the name of a feature that stands elsewhere: that would be a mistake, and a wrong score. */
#include "sq_hbscore.h"

static hbs_text feature_name(const sq_found *model, size_t feature)
{
    hbs_text name;
    hbs_type type;

    hbs_plan_feature(model->plan->compiled, feature, &name, &type);
    return name;
}

/* Why neither way works. */
static int refuse(const sq_found *model, size_t n_names, hbs_text feature, const char *what,
                  sq_error *error)
{
    sqlite3_int64 features = (sqlite3_int64)model->plan->info.features;
    host_shown name, shown;

    host_show(&name, model->shown, model->name_size);
    if (!model->plan->info.named)
        return sq_fail(error, SQLITE_ERROR,
                       "model \"%s\" has no feature names and takes %lld columns by position, got "
                       "%lld (option features gives it names)",
                       name.text, features, (sqlite3_int64)n_names);
    return sq_fail(error, SQLITE_ERROR, "model \"%s\": feature \"%s\" %s", name.text,
                   host_show(&shown, feature.bytes, feature.size), what);
}

/* False (and *missing) where a feature has no column, or several. */
static bool match_names(const sq_found *model, const hbs_text *names, size_t n_names, int *columns,
                        size_t *missing)
{
    bool all = true;

    for (size_t f = model->plan->info.features; f-- > 0;) {
        hbs_text wanted = feature_name(model, f);

        columns[f] = host_find_name(names, n_names, wanted);
        if (columns[f] < 0) {
            all = false;
            *missing = f;
        }
    }
    return all;
}

int sq_features_match(const sq_found *model, const hbs_text *names, size_t n_names, int *columns,
                      sq_error *error)
{
    size_t features = model->plan->info.features;
    hbs_text feature = {NULL, 0};
    size_t missing = 0;

    if (model->plan->info.named) {
        if (match_names(model, names, n_names, columns, &missing))
            return SQLITE_OK;
        feature = feature_name(model, missing);
        /* By position, but not against the names that there are. */
        for (size_t f = 0; f < features && n_names == features; f++)
            if (columns[f] == HOST_SEVERAL_NAMES || (columns[f] >= 0 && columns[f] != (int)f))
                return refuse(model, n_names,
                              columns[f] == HOST_SEVERAL_NAMES ? feature_name(model, f) : feature,
                              columns[f] == HOST_SEVERAL_NAMES
                                  ? "is the name of several columns"
                                  : "is not among the columns, which are not in the model's order",
                              error);
    }
    if (n_names != features)
        return refuse(model, n_names, feature,
                      columns[missing] == HOST_SEVERAL_NAMES ? "is the name of several columns"
                                                  : "is not among the columns",
                      error);
    for (size_t f = 0; f < features; f++)
        columns[f] = (int)f;
    return SQLITE_OK;
}
