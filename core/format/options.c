/* options.c - see options.h. A new option is a row of the table and its function. */
#include "format/options.h"

#include <string.h>

#include "format/document.h"
#include "format/golden.h"
#include "ir/labels.h"

/* The state while one option is read; the document stands before its value. */
typedef struct reading {
    hb_document *d;
    hb_arena *arena;
    hb_options *options;
    hbs_error *error;
    hbs_text text; /* all that is read */
    size_t before; /* offset of the end of what stands before this option */
} reading;

/* A value that was read is not what the option takes. */
static hbs_status wrong_option(const reading *r, const char *option, const char *takes)
{
    return hb_fail(r->error, HBS_E_ARGS, "option %s takes %s", option, takes);
}

/* The value that is due is of another kind; where it is no JSON at all, the document says that. */
static hbs_status wrong_kind(const reading *r, const char *option, const char *takes)
{
    if (hb_peek(r->d) == HB_KIND_NONE)
        hb_skip(r->d, true);
    HB_TRY(hb_document_status(r->d));
    return wrong_option(r, option, takes);
}

static hbs_status no_memory(const reading *r)
{
    return hb_no_memory(r->arena->memory, r->error);
}

static hbs_status keep_text(const reading *r, hbs_text *text)
{
    hbs_text read = hb_read_string(r->d);

    HB_TRY(hb_document_status(r->d));
    text->size = read.size;
    text->bytes = hb_arena_text(r->arena, read.bytes, read.size);
    return text->bytes ? HBS_OK : no_memory(r);
}

static hbs_status read_text(const reading *r, const char *option, hbs_text *text)
{
    return hb_peek(r->d) == HB_KIND_STRING ? keep_text(r, text) : wrong_kind(r, option, "a text");
}

/* A vector's items, moved into the arena. */
static hbs_status keep_items(const reading *r, hb_vector *vector, const void **items)
{
    void *kept = hb_arena_array(r->arena, vector->count, vector->item_size);

    if (!kept)
        return no_memory(r);
    if (vector->count)
        memcpy(kept, vector->items, vector->count * vector->item_size);
    *items = kept;
    return HBS_OK;
}

/* ---- features */

static hbs_status read_names(const reading *r, hb_vector *bytes, hb_vector *ends)
{
    static const char takes[] = "a list of names, as [\"age\", \"plan\"]";

    if (hb_peek(r->d) != HB_KIND_ARRAY)
        return wrong_kind(r, "features", takes);
    if (hb_array_begin(r->d))
        while (hb_array_next(r->d)) {
            hbs_text name;
            uint32_t end;

            if (hb_peek(r->d) != HB_KIND_STRING)
                return wrong_kind(r, "features", takes);
            name = hb_read_string(r->d);
            HB_TRY(hb_document_status(r->d));
            if (name.size == 0)
                return wrong_option(r, "features", "names that are not empty");
            end = (uint32_t)(bytes->count + name.size);
            if (!hb_vector_append(bytes, name.bytes, name.size) || !hb_vector_append(ends, &end, 1))
                return no_memory(r);
        }
    HB_TRY(hb_document_status(r->d));
    return ends->count ? HBS_OK : wrong_option(r, "features", takes);
}

static hbs_status read_features(const reading *r)
{
    const void *kept_bytes = NULL, *kept_ends = NULL;
    hb_vector bytes, ends;
    hbs_status status;

    hb_vector_init(&bytes, r->arena->memory, 1);
    hb_vector_init(&ends, r->arena->memory, sizeof(uint32_t));
    status = read_names(r, &bytes, &ends);
    if (status == HBS_OK)
        status = keep_items(r, &bytes, &kept_bytes);
    if (status == HBS_OK)
        status = keep_items(r, &ends, &kept_ends);
    r->options->name_bytes = kept_bytes;
    r->options->name_ends = kept_ends;
    r->options->n_features = ends.count;
    hb_vector_release(&bytes);
    hb_vector_release(&ends);
    return status;
}

/* ---- classes */

enum { MAX_CLASSES = 4096 }; /* keeps the check for equal labels small */

/* One label; *is_one false (and the value stepped over) where the value is none. */
static hbs_status read_label(const reading *r, hbs_value *label, bool *is_one)
{
    switch (hb_peek(r->d)) {
    case HB_KIND_STRING:
        label->type = HBS_TEXT;
        return keep_text(r, &label->as.text);
    case HB_KIND_INTEGER:
        label->type = HBS_INT64;
        label->as.i64 = hb_read_integer(r->d, INT64_MIN, INT64_MAX);
        break;
    case HB_KIND_REAL:
        label->type = HBS_FLOAT64;
        label->as.f64 = hb_read_double(r->d);
        break;
    case HB_KIND_BOOL:
        label->type = HBS_BOOL;
        label->as.boolean = hb_read_bool(r->d);
        break;
    default:
        *is_one = false;
        hb_skip(r->d, false);
    }
    return hb_document_status(r->d);
}

/* *are_labels false where it is no list of 2 to MAX_CLASSES different labels. */
static hbs_status read_labels(const reading *r, hb_vector *labels, bool *are_labels)
{
    *are_labels = hb_peek(r->d) == HB_KIND_ARRAY;
    if (!*are_labels)
        hb_skip(r->d, false);
    else if (hb_array_begin(r->d))
        while (hb_array_next(r->d)) {
            hbs_value label = {.type = HBS_NULL};
            const hbs_value *before = labels->items;

            HB_TRY(hb_poll(&r->arena->memory->host, r->error));
            HB_TRY(read_label(r, &label, are_labels));
            if (labels->count >= MAX_CLASSES)
                *are_labels = false;
            for (size_t i = 0; *are_labels && i < labels->count; i++)
                if (hb_label_equal(&before[i], &label))
                    *are_labels = false;
            if (*are_labels && !hb_vector_append(labels, &label, 1))
                return no_memory(r);
        }
    if (labels->count < 2)
        *are_labels = false;
    return hb_document_status(r->d);
}

/* The labels of a list, kept; none (and HBS_OK) where it is no list of labels. */
static hbs_status take_labels(const reading *r, bool *are_labels)
{
    const void *items = NULL;
    hb_vector labels;
    hbs_status status;

    hb_vector_init(&labels, r->arena->memory, sizeof(hbs_value));
    status = read_labels(r, &labels, are_labels);
    if (status == HBS_OK && *are_labels)
        status = keep_items(r, &labels, &items);
    r->options->classes = items;
    r->options->n_classes = items ? labels.count : 0;
    hb_vector_release(&labels);
    return status;
}

static hbs_status read_classes(const reading *r)
{
    bool are_labels = false;

    HB_TRY(take_labels(r, &are_labels));
    if (are_labels)
        return HBS_OK;
    return hb_fail(r->error, HBS_E_ARGS,
                   "option classes takes a list of 2 to %d different labels (texts, numbers or "
                   "booleans), as [\"no\", \"yes\"]",
                   MAX_CLASSES);
}

/* ---- the other options */

static hbs_status read_rounds(const reading *r)
{
    static const char takes[] = "a whole number from 1 on";

    if (hb_peek(r->d) != HB_KIND_INTEGER)
        return wrong_kind(r, "rounds", takes);
    r->options->rounds = hb_read_integer(r->d, INT64_MIN, INT64_MAX);
    HB_TRY(hb_document_status(r->d));
    return r->options->rounds > 0 ? HBS_OK : wrong_option(r, "rounds", takes);
}

static hbs_status read_missing(const reading *r)
{
    hb_kind kind = hb_peek(r->d);

    r->options->missing_given = true;
    if (kind == HB_KIND_NULL) { /* NaN only, whatever the file says */
        hb_skip(r->d, true);
        return hb_document_status(r->d);
    }
    if (kind != HB_KIND_INTEGER && kind != HB_KIND_REAL)
        return wrong_kind(r, "missing", "the number that stood for a missing value in training, or null");
    r->options->has_missing = true;
    r->options->missing = hb_read_double(r->d);
    return hb_document_status(r->d);
}

static hbs_status read_on_missing(const reading *r)
{
    hbs_text text;

    HB_TRY(read_text(r, "on_missing", &text));
    r->options->missing_is_error = hb_text_is(text, "error");
    if (!r->options->missing_is_error && !hb_text_is(text, "null"))
        return wrong_option(r, "on_missing", "\"null\" or \"error\"");
    return HBS_OK;
}

static hbs_status read_on_unseen(const reading *r)
{
    hbs_text text;

    HB_TRY(read_text(r, "on_unseen", &text));
    r->options->unseen_given = true;
    if (hb_text_is(text, "error"))
        r->options->on_unseen = HB_UNSEEN_ERROR;
    else if (hb_text_is(text, "missing"))
        r->options->on_unseen = HB_UNSEEN_MISSING;
    else if (hb_text_is(text, "null"))
        r->options->on_unseen = HB_UNSEEN_NULL;
    else
        return wrong_option(r, "on_unseen", "\"error\", \"missing\" or \"null\"");
    return HBS_OK;
}

static hbs_status read_missing_text(const reading *r)
{
    return read_text(r, "missing_text", &r->options->missing_text);
}

static hbs_status read_output(const reading *r, hbs_text name)
{
    hbs_text *to = hb_text_is(name, "label")           ? &r->options->label_output
                   : hb_text_is(name, "probabilities") ? &r->options->probabilities_output
                   : hb_text_is(name, "values")        ? &r->options->values_output
                                                       : NULL;

    if (!to || hb_peek(r->d) != HB_KIND_STRING)
        return wrong_kind(r, "outputs",
                          "names of a graph's outputs, as {\"label\": \"L\", \"probabilities\": \"P\"} or "
                          "{\"values\": \"Y\"}");
    return keep_text(r, to);
}

static hbs_status read_outputs(const reading *r)
{
    hbs_text name;

    r->options->outputs_given = true;
    if (hb_peek(r->d) != HB_KIND_OBJECT)
        return read_output(r, (hbs_text){"", 0});
    if (hb_object_begin(r->d))
        while (hb_object_next(r->d, &name))
            HB_TRY(read_output(r, name));
    HB_TRY(hb_document_status(r->d));
    if (r->options->values_output.bytes ? r->options->label_output.bytes || r->options->probabilities_output.bytes
                                        : !r->options->label_output.bytes)
        return wrong_option(r, "outputs", "a label, perhaps with probabilities, or values");
    return HBS_OK;
}

static hbs_status read_format(const reading *r)
{
    return read_text(r, "format", &r->options->format);
}

static hbs_status read_description(const reading *r)
{
    return read_text(r, "description", &r->options->description);
}

/* Only false is accepted: a user could take true for "deploy it now, in place of the deployed version". */
static hbs_status read_deploy(const reading *r)
{
    static const char takes[] = "false: the version waits until it is deployed";

    if (hb_peek(r->d) != HB_KIND_BOOL)
        return wrong_kind(r, "deploy", takes);
    r->options->waits = !hb_read_bool(r->d);
    HB_TRY(hb_document_status(r->d));
    return r->options->waits ? HBS_OK : wrong_option(r, "deploy", takes);
}

/* ---- golden: its place only */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The offset behind white space. */
static size_t skip_space(hbs_text text, size_t at)
{
    while (at < text.size && is_space(text.bytes[at]))
        at++;
    return at;
}

/* The text to cut out with the value: its key and one comma, which stands behind the value if it is the first member.
 */
static hbs_text whole_member(const reading *r, size_t end)
{
    size_t first = skip_space(r->text, r->before), behind = skip_space(r->text, end);

    if (r->text.bytes[first] != ',' && behind < r->text.size && r->text.bytes[behind] == ',')
        end = behind + 1;
    return (hbs_text){r->text.bytes + r->before, end - r->before};
}

static hbs_status read_golden(const reading *r)
{
    size_t begin, end;

    (void)hb_peek(r->d); /* steps over white space */
    begin = hb_document_offset(r->d);
    hb_skip(r->d, true);
    HB_TRY(hb_document_status(r->d));
    end = hb_document_offset(r->d);
    if (end - begin > HB_MAX_GOLDEN)
        return hb_fail(r->error, HBS_E_LIMIT, "option golden: %zu bytes are more than the limit of %d", end - begin,
                       HB_MAX_GOLDEN);
    r->options->golden = (hbs_text){r->text.bytes + begin, end - begin};
    r->options->golden_member = whole_member(r, end);
    return HBS_OK;
}

/* For texts that are longer than options may be: is it the golden rows? */
static hbs_status find_golden(const reading *r, hbs_text name)
{
    if (hb_text_is(name, "golden"))
        return read_golden(r);
    hb_skip(r->d, true);
    return hb_document_status(r->d);
}

static const struct {
    const char *name;
    hbs_status (*read)(const reading *r);
} table[] = {
    {"features", read_features},
    {"classes", read_classes},
    {"rounds", read_rounds},
    {"missing", read_missing},
    {"on_missing", read_on_missing},
    {"on_unseen", read_on_unseen},
    {"golden", read_golden},
    {"format", read_format},
    {"description", read_description},
    {"deploy", read_deploy},
    {"missing_text", read_missing_text},
    {"outputs", read_outputs},
};

static hbs_status read_option(const reading *r, hbs_text name)
{
    char shown[HB_EXCERPT_BUFFER];

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (hb_text_is(name, table[i].name))
            return table[i].read(r);
    return hb_fail(r->error, HBS_E_ARGS,
                   "unknown option \"%s\"; there are features, classes, rounds, missing, "
                   "on_missing, on_unseen, missing_text, outputs, golden, format, description, deploy",
                   HB_SHOW(name, shown));
}

/* ---- the two texts */

/* A member of XGBoost's metadata; all but two are without effect here. NaN may stand anywhere. */
static hbs_status read_metadata(const reading *r, hbs_text name)
{
    bool are_labels;
    hb_kind kind;

    if (hb_text_is(name, "classes_"))
        return take_labels(r, &are_labels);
    kind = hb_peek(r->d);
    if (hb_text_is(name, "missing") && (kind == HB_KIND_INTEGER || kind == HB_KIND_REAL) && hb_peek_finite(r->d))
        return read_missing(r);
    hb_skip(r->d, false);
    return hb_document_status(r->d);
}

/* Reads the one object that `text` holds, each member by `member`. Where it is no strict JSON the status
 * is `bad`. */
static hbs_status read_object(hb_arena *arena, const char *what, hbs_text text, hbs_status bad,
                              hbs_status (*member)(const reading *r, hbs_text name), hb_options *options,
                              hbs_error *error)
{
    reading r = {.arena = arena, .options = options, .error = error, .text = text};
    hbs_status status = HBS_OK;
    hbs_text name;

    *options = (hb_options){.format = {"auto", 4}};
    HB_TRY(hb_document_open(arena->memory, text.bytes, text.size, HB_JSON, error, &r.d));
    if (hb_object_begin(r.d))
        for (r.before = hb_document_offset(r.d); status == HBS_OK && hb_object_next(r.d, &name);
             r.before = hb_document_offset(r.d))
            status = member(&r, name);
    if (status == HBS_OK)
        status = hb_document_end(r.d);
    if (status == HBS_E_FORMAT || (status != HBS_OK && !hb_document_ok(r.d)))
        hb_error_prefix(error, "%s: ", what);
    if (status == HBS_E_FORMAT) {
        status = bad;
        if (error)
            error->status = bad;
    }
    hb_document_close(r.d);
    return status;
}

static hbs_status check_size(const char *what, size_t size, hbs_error *error)
{
    if (size <= HB_MAX_OPTIONS)
        return HBS_OK;
    return hb_fail(error, HBS_E_LIMIT, "%s: %zu bytes are more than the limit of %d", what, size, HB_MAX_OPTIONS);
}

/* Options with golden rows may be longer by these, which are found before anything is read. */
static hbs_status check_options_size(hb_arena *arena, hbs_text text, hb_options *options, hbs_error *error)
{
    if (text.size <= HB_MAX_OPTIONS)
        return HBS_OK;
    HB_TRY(read_object(arena, "options", text, HBS_E_ARGS, find_golden, options, error));
    return check_size("options", text.size - options->golden_member.size, error);
}

hbs_status hb_options_read(hb_arena *arena, const char *text, size_t size, hb_options *options, hbs_error *error)
{
    hbs_text source = {text, size};

    if (!text || size == 0) {
        *options = (hb_options){.format = {"auto", 4}};
        return HBS_OK;
    }
    HB_TRY(check_options_size(arena, source, options, error));
    return read_object(arena, "options", source, HBS_E_ARGS, read_option, options, error);
}

hbs_text hb_options_without_golden(hb_arena *arena, hbs_text text, const hb_options *options)
{
    const hbs_text cut = options->golden_member;
    size_t before = cut.bytes ? (size_t)(cut.bytes - text.bytes) : text.size;
    size_t size = text.size - cut.size;
    char *copy = hb_arena_array(arena, size + 1, 1);

    if (copy && before)
        memcpy(copy, text.bytes, before);
    if (copy && size > before)
        memcpy(copy + before, cut.bytes + cut.size, size - before);
    return (hbs_text){copy, copy ? size : 0};
}

hbs_status hb_metadata_read(hb_arena *arena, hbs_text text, hb_options *found, hbs_error *error)
{
    HB_TRY(check_size("scikit_learn", text.size, error));
    return read_object(arena, "scikit_learn", text, HBS_E_FORMAT, read_metadata, found, error);
}
