/* apply_options.c - see apply_options.h. */
#include "format/apply_options.h"

#include <string.h>

hbs_status hb_apply_names(hb_pipeline *pipeline, const hb_options *options, hbs_error *error)
{
    size_t n = pipeline->n_features;
    uint32_t *ends;
    char *bytes;

    if (!options->name_bytes)
        return HBS_OK;
    if (options->n_features != n)
        return hb_fail(error, HBS_E_ARGS, "option features has %zu names, the model has %zu features",
                       options->n_features, n);
    ends = hb_arena_array(&pipeline->arena, n, sizeof(*ends));
    bytes = hb_arena_array(&pipeline->arena, options->name_ends[n - 1], 1);
    if (!ends || !bytes)
        return hb_no_memory(pipeline->arena.memory, error);
    memcpy(ends, options->name_ends, n * sizeof(*ends));
    memcpy(bytes, options->name_bytes, ends[n - 1]);
    pipeline->name_ends = ends;
    pipeline->name_bytes = bytes;
    pipeline->names_are_given = true;
    return HBS_OK;
}

static bool copy_label(hb_arena *arena, const hbs_value *from, hbs_value *to)
{
    *to = *from;
    if (from->type != HBS_TEXT)
        return true;
    to->as.text.bytes = hb_arena_text(arena, from->as.text.bytes, from->as.text.size);
    return to->as.text.bytes != NULL;
}

hbs_status hb_apply_classes(hb_pipeline *pipeline, const hb_options *options, const hbs_value *labels, size_t n,
                            hbs_error *error)
{
    hbs_value *classes = hb_arena_array(&pipeline->arena, n, sizeof(*classes));

    if (!classes)
        return hb_no_memory(pipeline->arena.memory, error);
    if (options->classes && options->n_classes != n)
        return hb_fail(error, HBS_E_ARGS, "option classes has %zu labels, the model %zu classes", options->n_classes,
                       n);
    if (options->classes)
        labels = options->classes;
    for (size_t i = 0; i < n; i++) {
        hbs_value number = {.type = HBS_INT64, .as.i64 = (int64_t)i};

        if (!copy_label(&pipeline->arena, labels ? &labels[i] : &number, &classes[i]))
            return hb_no_memory(pipeline->arena.memory, error);
    }
    pipeline->classes = classes;
    pipeline->n_classes = n;
    return HBS_OK;
}

hbs_status hb_apply_rounds(hb_pipeline *pipeline, const hb_options *options, int64_t all, int64_t usual, int64_t *used,
                           hbs_error *error)
{
    if (options->rounds > all)
        return hb_fail(error, HBS_E_ARGS, "option rounds is %lld, the model has %lld rounds",
                       (long long)options->rounds, (long long)all);
    *used = options->rounds > 0 ? options->rounds : usual;
    if (hb_pipeline_fact(pipeline, "rounds", "%lld of %lld", (long long)*used, (long long)all) != HBS_OK)
        return hb_no_memory(pipeline->arena.memory, error);
    return HBS_OK;
}
