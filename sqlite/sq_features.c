/* sq_features.c - which column of a query or a table is which feature of a model.
 *
 * By name where every feature finds its column: exactly, else without regard to ASCII case if just
 * one column does. Otherwise by position, where there are as many columns as features and no column
 * has the name of a feature that stands elsewhere: that would be a mistake, and a wrong score. */
#include "sq_hbscore.h"

#include <string.h>

enum { NONE = -1, SEVERAL = -2 };

static bool same(hbs_text a, hbs_text b, bool exactly)
{
    if (a.size != b.size)
        return false;
    return exactly ? memcmp(a.bytes, b.bytes, a.size) == 0
                   : sqlite3_strnicmp(a.bytes, b.bytes, (int)a.size) == 0;
}

static int find(const hbs_text *names, size_t n_names, hbs_text wanted, bool exactly)
{
    int found = NONE;

    for (size_t i = 0; i < n_names; i++)
        if (same(names[i], wanted, exactly))
            found = found == NONE ? (int)i : SEVERAL;
    return found;
}

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
    sq_shown name, shown;

    sq_show(&name, model->shown, model->name_size);
    if (!model->plan->info.named)
        return sq_fail(error, SQLITE_ERROR,
                       "model \"%s\" has no feature names and takes %lld columns by position, got "
                       "%lld (option features gives it names)",
                       name.text, features, (sqlite3_int64)n_names);
    return sq_fail(error, SQLITE_ERROR, "model \"%s\": feature \"%s\" %s", name.text,
                   sq_show(&shown, feature.bytes, feature.size), what);
}

/* False (and *missing) where a feature has no column, or several. */
static bool match_names(const sq_found *model, const hbs_text *names, size_t n_names, int *columns,
                        size_t *missing)
{
    bool all = true;

    for (size_t f = model->plan->info.features; f-- > 0;) {
        hbs_text wanted = feature_name(model, f);

        columns[f] = find(names, n_names, wanted, true);
        if (columns[f] == NONE)
            columns[f] = find(names, n_names, wanted, false);
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
            if (columns[f] == SEVERAL || (columns[f] >= 0 && columns[f] != (int)f))
                return refuse(model, n_names,
                              columns[f] == SEVERAL ? feature_name(model, f) : feature,
                              columns[f] == SEVERAL
                                  ? "is the name of several columns"
                                  : "is not among the columns, which are not in the model's order",
                              error);
    }
    if (n_names != features)
        return refuse(model, n_names, feature,
                      columns[missing] == SEVERAL ? "is the name of several columns"
                                                  : "is not among the columns",
                      error);
    for (size_t f = 0; f < features; f++)
        columns[f] = (int)f;
    return SQLITE_OK;
}
