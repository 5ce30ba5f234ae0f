/* xgboost_booster.c - the object `gradient_booster`: trees, dart's weights of trees, or linear weights.
 *
 * dart has its weight_drop in three places: up to 3.2 the booster's name is "dart", the trees lie in
 * `gbtree` and weight_drop beside it; 3.3 has name "gbtree" and weight_drop beside `model`; from 3.4 on
 * it is a member of `model`. */
#include "format/xgboost.h"

static void read_model_param(hb_xgboost_file *file)
{
    hb_document *d = file->d;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "num_trees"))
            file->n_trees = hb_xgboost_integer(d, 0, INT32_MAX);
        else if (hb_text_is(key, "num_parallel_tree"))
            file->n_parallel = hb_xgboost_integer(d, 1, INT32_MAX);
        else if (hb_text_is(key, "size_leaf_vector"))
            hb_xgboost_integer(d, 0, HB_MAX_OUTPUTS); /* the trees have their own */
        else
            hb_document_unknown(d);
    }
}

static void read_trees(hb_xgboost_file *file)
{
    if (!hb_array_begin(file->d))
        return;
    file->trees_at = hb_document_offset(file->d);
    for (size_t i = 0; hb_array_next(file->d); i++)
        hb_xgboost_tree_read(file, i);
}

/* dart's weights may stand in three places, but in one file in one of them only. */
static void read_drop(hb_xgboost_file *file)
{
    if (file->has_drop)
        hb_document_fail(file->d, HBS_E_FORMAT, "a second weight_drop");
    else
        file->has_drop = hb_read_floats(file->d, &file->tree_drop, false);
}

/* The members of `model`: of trees, or of gblinear. */
static void read_model(hb_xgboost_file *file)
{
    hb_document *d = file->d;
    hbs_text key;

    if (file->has_model) {
        hb_document_fail(d, HBS_E_FORMAT, "a second model");
        return;
    }
    file->has_model = true;
    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "trees")) {
            read_trees(file);
            file->has_trees = true;
        } else if (hb_text_is(key, "tree_info")) {
            hb_read_int32s(d, &file->forest->groups);
        } else if (hb_text_is(key, "gbtree_model_param")) {
            read_model_param(file);
        } else if (hb_text_is(key, "iteration_indptr")) {
            hb_read_int64s(d, &file->rounds);
        } else if (hb_text_is(key, "weight_drop")) {
            read_drop(file);
        } else if (hb_text_is(key, "cats")) {
            hb_xgboost_categories_read(file);
        } else if (hb_text_is(key, "weights")) {
            file->has_linear = hb_read_floats(d, &file->linear_weights, false);
        } else if (hb_text_is(key, "boosted_rounds")) {
            file->linear_rounds = hb_read_integer(d, 0, INT32_MAX);
        } else {
            hb_document_unknown(d);
        }
    }
}

/* dart up to 3.2 keeps a whole gbtree object inside. */
static void read_inner_gbtree(hb_xgboost_file *file)
{
    hb_document *d = file->d;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "model"))
            read_model(file);
        else if (hb_text_is(key, "name"))
            hb_read_string(d);
        else
            hb_document_unknown(d);
    }
}

static hb_xgboost_booster booster_of(hb_document *d, hbs_text name)
{
    char shown[HB_EXCERPT_BUFFER];

    if (hb_text_is(name, "gbtree"))
        return HB_BOOSTER_GBTREE;
    if (hb_text_is(name, "dart"))
        return HB_BOOSTER_DART;
    if (hb_text_is(name, "gblinear"))
        return HB_BOOSTER_GBLINEAR;
    hb_document_fail(d, HBS_E_UNSUPPORTED, "unknown booster \"%s\"", HB_SHOW(name, shown));
    return HB_BOOSTER_NONE;
}

void hb_xgboost_booster_read(hb_xgboost_file *file)
{
    hb_document *d = file->d;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "name")) {
            hbs_text name = hb_read_string(d);

            if (hb_document_ok(d))
                file->booster = booster_of(d, name);
        } else if (hb_text_is(key, "model")) {
            read_model(file);
        } else if (hb_text_is(key, "gbtree")) {
            read_inner_gbtree(file);
        } else if (hb_text_is(key, "weight_drop")) {
            read_drop(file);
        } else {
            hb_document_unknown(d);
        }
    }
}
