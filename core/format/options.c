/* options.c - the one file that uses json-c. */
#include "format/options.h"

#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "format/document.h"
#include "pipeline/labels.h"

/* What one option is read with. */
typedef struct reading {
    hb_arena *arena;
    hb_options *options;
    hbs_error *error;
} reading;

static hbs_status wrong(const reading *r, const char *option, const char *takes)
{
    return hb_fail(r->error, HBS_E_ARGS, "option %s takes %s", option, takes);
}

static hbs_status no_memory(const reading *r)
{
    return hb_no_memory(r->arena->memory, r->error);
}

/* A string's bytes, copied. */
static hbs_status read_text(const reading *r, const char *option, json_object *value,
                            hbs_text *text)
{
    if (!json_object_is_type(value, json_type_string))
        return wrong(r, option, "a text");
    text->size = (size_t)json_object_get_string_len(value);
    text->bytes = hb_arena_text(r->arena, json_object_get_string(value), text->size);
    return text->bytes ? HBS_OK : no_memory(r);
}

static hbs_status read_features(const reading *r, json_object *value)
{
    size_t n = json_object_is_type(value, json_type_array) ? json_object_array_length(value) : 0;
    hbs_text *names;

    if (n == 0)
        return wrong(r, "features", "a list of names, as [\"age\", \"plan\"]");
    names = hb_arena_array(r->arena, n, sizeof(*names));
    if (!names)
        return no_memory(r);
    for (size_t i = 0; i < n; i++) {
        HB_TRY(read_text(r, "features", json_object_array_get_idx(value, i), &names[i]));
        if (names[i].size == 0)
            return wrong(r, "features", "names that are not empty");
    }
    r->options->features = names;
    r->options->n_features = n;
    return HBS_OK;
}

static hbs_status read_label(const reading *r, json_object *value, hbs_value *label)
{
    switch (json_object_get_type(value)) {
    case json_type_string:
        label->type = HBS_TEXT;
        return read_text(r, "classes", value, &label->as.text);
    case json_type_int:
        label->type = HBS_INT64;
        label->as.i64 = json_object_get_int64(value);
        return HBS_OK;
    case json_type_double:
        label->type = HBS_FLOAT64;
        label->as.f64 = json_object_get_double(value);
        return isfinite(label->as.f64) ? HBS_OK : wrong(r, "classes", "finite numbers");
    case json_type_boolean:
        label->type = HBS_BOOL;
        label->as.boolean = json_object_get_boolean(value);
        return HBS_OK;
    default:
        return wrong(r, "classes", "a list of texts, numbers or booleans");
    }
}

enum { MAX_CLASSES = 4096 }; /* of the option: keeps the check for equal labels small */

static hbs_status read_classes(const reading *r, json_object *value)
{
    size_t n = json_object_is_type(value, json_type_array) ? json_object_array_length(value) : 0;
    hbs_value *labels;

    if (n < 2 || n > MAX_CLASSES)
        return wrong(r, "classes", "a list of 2 to 4096 labels, as [\"no\", \"yes\"]");
    labels = hb_arena_array(r->arena, n, sizeof(*labels));
    if (!labels)
        return no_memory(r);
    for (size_t i = 0; i < n; i++) {
        HB_TRY(read_label(r, json_object_array_get_idx(value, i), &labels[i]));
        for (size_t j = 0; j < i; j++)
            if (hb_label_equal(&labels[i], &labels[j]))
                return wrong(r, "classes", "labels that are all different");
    }
    r->options->classes = labels;
    r->options->n_classes = n;
    return HBS_OK;
}

static hbs_status read_rounds(const reading *r, json_object *value)
{
    int64_t rounds = json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : 0;

    if (rounds < 1)
        return wrong(r, "rounds", "a whole number from 1 on");
    r->options->rounds = rounds;
    return HBS_OK;
}

static hbs_status read_missing(const reading *r, json_object *value)
{
    double number = json_object_get_double(value);

    r->options->missing_given = true;
    if (json_object_is_type(value, json_type_null))
        return HBS_OK; /* NaN only, whatever the file says */
    if ((!json_object_is_type(value, json_type_int) &&
         !json_object_is_type(value, json_type_double)) ||
        !isfinite(number))
        return wrong(r, "missing", "the number that stood for a missing value in training, or null");
    r->options->has_missing = true;
    r->options->missing = number;
    return HBS_OK;
}

static hbs_status read_on_missing(const reading *r, json_object *value)
{
    hbs_text text;

    HB_TRY(read_text(r, "on_missing", value, &text));
    r->options->missing_is_error = hb_text_is(text, "error");
    if (!r->options->missing_is_error && !hb_text_is(text, "null"))
        return wrong(r, "on_missing", "\"null\" or \"error\"");
    return HBS_OK;
}

static hbs_status read_on_unseen(const reading *r, json_object *value)
{
    hbs_text text;

    HB_TRY(read_text(r, "on_unseen", value, &text));
    if (hb_text_is(text, "error"))
        r->options->on_unseen = HB_UNSEEN_ERROR;
    else if (hb_text_is(text, "missing"))
        r->options->on_unseen = HB_UNSEEN_MISSING;
    else if (hb_text_is(text, "null"))
        r->options->on_unseen = HB_UNSEEN_NULL;
    else
        return wrong(r, "on_unseen", "\"error\", \"missing\" or \"null\"");
    return HBS_OK;
}

static hbs_status read_format(const reading *r, json_object *value)
{
    return read_text(r, "format", value, &r->options->format);
}

static hbs_status read_description(const reading *r, json_object *value)
{
    return read_text(r, "description", value, &r->options->description);
}

/* The table of options: a new one is a row here and its function above. */
static const struct {
    const char *name;
    hbs_status (*read)(const reading *r, json_object *value);
} table[] = {
    {"features", read_features},     {"classes", read_classes},
    {"rounds", read_rounds},         {"missing", read_missing},
    {"on_missing", read_on_missing}, {"on_unseen", read_on_unseen},
    {"format", read_format},         {"description", read_description},
};

static hbs_status read_option(const reading *r, const char *name, json_object *value)
{
    char shown[HB_EXCERPT_BUFFER];
    hbs_text text = {name, strlen(name)};

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].read(r, value);
    return hb_fail(r->error, HBS_E_ARGS,
                   "unknown option \"%s\"; there are features, classes, rounds, missing, "
                   "on_missing, on_unseen, format, description",
                   HB_SHOW(text, shown));
}

/* Members of the object, each stepped over. json-c's keys end at a NUL: none may hold one. */
static void check_members(hb_document *d, bool finite)
{
    char shown[HB_EXCERPT_BUFFER];
    hbs_text key;

    if (hb_peek(d) != HB_KIND_OBJECT) {
        hb_document_fail(d, HBS_E_FORMAT, "expected a JSON object");
        return;
    }
    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (key.size && memchr(key.bytes, 0, key.size))
            hb_document_fail(d, HBS_E_FORMAT, "unknown key \"%s\"", HB_SHOW(key, shown));
        else
            hb_skip(d, finite);
    }
}

/* RFC 8259, no equal keys, depth and UTF-8: what json-c would let pass. NaN passes where `finite` is
 * false. A text that is wrong fails with the status `bad`. */
static hbs_status check_strictly(hb_arena *arena, const char *what, hbs_text text, bool finite,
                                 hbs_status bad, hbs_error *error)
{
    hb_document *d;
    hbs_status status;

    if (text.size > HB_MAX_OPTIONS)
        return hb_fail(error, HBS_E_LIMIT, "%s: %zu bytes are more than the limit of %d", what,
                       text.size, HB_MAX_OPTIONS);
    status = hb_document_open(arena->memory, text.bytes, text.size, HB_JSON, error, &d);
    if (status == HBS_OK) {
        check_members(d, finite);
        status = hb_document_end(d);
    }
    hb_document_close(d);
    if (status == HBS_E_FORMAT) {
        status = bad;
        if (error)
            error->status = status;
    }
    if (status != HBS_OK)
        hb_error_prefix(error, "%s: ", what);
    return status;
}

/* The tree of a text that was checked; NULL where there is no memory. */
static json_object *parse(hbs_text text)
{
    json_tokener *tokener = json_tokener_new_ex(HB_MAX_DEPTH + 1);
    json_object *tree = NULL;

    if (tokener) {
        tree = json_tokener_parse_ex(tokener, text.bytes, (int)text.size);
        json_tokener_free(tokener);
    }
    return tree;
}

hbs_status hb_options_read(hb_arena *arena, const char *text, size_t size, hb_options *options,
                           hbs_error *error)
{
    hbs_text source = {text, size};
    reading r = {arena, options, error};
    hbs_status status = HBS_OK;
    json_object *tree;

    *options = (hb_options){.format = {"auto", 4}};
    if (!text || size == 0)
        return HBS_OK;
    HB_TRY(check_strictly(arena, "options", source, true, HBS_E_ARGS, error));
    tree = parse(source);
    if (!tree)
        return hb_fail(error, HBS_E_NOMEM, "out of memory");
    json_object_object_foreach(tree, name, value)
    {
        status = read_option(&r, name, value);
        if (status != HBS_OK)
            break;
    }
    json_object_put(tree);
    return status;
}

hbs_status hb_metadata_read(hb_arena *arena, hbs_text text, hb_options *found, hbs_error *error)
{
    reading r = {arena, found, NULL};
    hbs_status status;
    json_object *tree, *value;

    *found = (hb_options){.format = {"auto", 4}};
    HB_TRY(check_strictly(arena, "scikit_learn", text, false, HBS_E_FORMAT, error));
    tree = parse(text);
    if (!tree)
        return hb_fail(error, HBS_E_NOMEM, "out of memory");
    status = HBS_OK;
    if (json_object_object_get_ex(tree, "classes_", &value))
        status = read_classes(&r, value);
    if (status == HBS_E_ARGS) { /* labels of another shape (multi-label): not one list of classes */
        found->classes = NULL;
        status = HBS_OK;
    }
    if (status == HBS_OK && json_object_object_get_ex(tree, "missing", &value) &&
        isfinite(json_object_get_double(value)))
        status = read_missing(&r, value);
    json_object_put(tree);
    return status == HBS_OK ? HBS_OK : hb_no_memory(arena->memory, error);
}
