/* lightgbm_tail.c - reads the sections behind the trees. LightGBM 2.3 to 4.7 write these sections in this order, an
 * empty line before each, and end every line:
 *
 *     feature_importances:       ("feature importances:" in 2.3), the highest first:
 *     NAME=COUNT                 of each feature whose count is not 0
 *
 *     parameters:                not in files of models that were loaded from a file without them
 *     [name: value]
 *     ..
 *     end of parameters
 *
 *     parser:                    where training had one: its settings
 *     ..
 *     end of parser
 *
 *     pandas_categorical:JSON    by Python only
 *
 * Scores depend on the last section alone. All are read strictly, since a file that lost its end lost that section,
 * and would score wrong without a word. */
#include <string.h>

#include "base/sort.h"
#include "format/lightgbm.h"

enum section { NOWHERE, IMPORTANCES, PARAMETERS, PARSER, PANDAS };

typedef struct tail {
    hb_lightgbm_file *file;
    enum section in;   /* its lines are being read; NOWHERE: between sections */
    enum section last; /* the last one that has begun */
    bool after_blank;  /* the line before was empty */
    hbs_text count;    /* the last importance */
    size_t n_names, n_listed;
    uint32_t *names; /* where each feature's name begins in feature_names; [n_names] is the end */
    uint32_t *order; /* the features by name */
    uint8_t *listed; /* by place in `order` */
} tail;

static bool starts_with(hbs_text line, const char *word)
{
    return line.size >= strlen(word) && memcmp(line.bytes, word, strlen(word)) == 0;
}

static hbs_text text_behind(hbs_text line, const char *word)
{
    size_t n = strlen(word);

    return (hbs_text){line.bytes + n, line.size - n};
}

static hbs_status cut_short(const tail *t, const char *where)
{
    return hb_lightgbm_fail(t->file, HBS_E_FORMAT, t->file->end, "the file ends %s, it is cut short", where);
}

static bool ends_in_line(const tail *t)
{
    return t->file->p == t->file->end && t->file->end[-1] != '\n';
}

static hbs_status cut_line(const tail *t)
{
    char shown[HB_EXCERPT_BUFFER];

    return hb_lightgbm_fail(t->file, HBS_E_FORMAT, t->file->end,
                            "the file ends within the line \"%s\", it is cut short", HB_SHOW(t->file->line, shown));
}

static hbs_status unknown_line(const tail *t)
{
    char shown[HB_EXCERPT_BUFFER];

    if (ends_in_line(t))
        return cut_line(t);
    return hb_lightgbm_fail(t->file, HBS_E_FORMAT, t->file->line.bytes, "unknown line behind the trees: \"%s\"",
                            HB_SHOW(t->file->line, shown));
}

/* ---- importances */

static hbs_text name_at(const tail *t, uint32_t feature)
{
    return (hbs_text){t->file->feature_names.bytes + t->names[feature], t->names[feature + 1] - t->names[feature] - 1};
}

static int compare_names(const void *context, uint32_t a, uint32_t b)
{
    const tail *t = context;

    return hb_compare_texts(name_at(t, a), name_at(t, b), &t->file->pipeline->arena.memory->work);
}

/* The names have been counted by now: one for each feature. */
static hbs_status sort_names(tail *t)
{
    hb_memory *memory = t->file->pipeline->arena.memory;
    hbs_text all = t->file->feature_names;
    uint32_t n = 0;

    t->names = hb_allocate(memory, (t->n_names + 1) * sizeof(*t->names));
    t->order = hb_allocate(memory, t->n_names * sizeof(*t->order));
    t->listed = hb_allocate(memory, t->n_names);
    if (!t->names || !t->order || !t->listed)
        return hb_no_memory(memory, t->file->error);
    memset(t->listed, 0, t->n_names);
    t->names[n++] = 0;
    for (size_t i = 0; i < all.size && n < t->n_names; i++) {
        HB_TRY(hb_worked(&memory->work, 1, t->file->error));
        if (all.bytes[i] == ' ')
            t->names[n++] = (uint32_t)i + 1;
    }
    t->names[n] = (uint32_t)(all.size - (all.bytes[all.size - 1] == ' ')) + 1;
    for (uint32_t i = 0; i < t->n_names; i++)
        t->order[i] = i;
    return hb_sort(t->order, t->n_names, compare_names, t, &memory->work)
               ? HBS_OK
               : hb_work_status(&memory->work, t->file->error);
}

/* Binary search for a name's place in `order`; n_names: there is none. */
static size_t find_name(const tail *t, hbs_text name)
{
    size_t low = 0, high = t->n_names;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = hb_compare_texts(name_at(t, t->order[middle]), name, &t->file->pipeline->arena.memory->work);

        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return t->n_names;
}

/* A whole number that is not 0, and not above the one before. */
static bool is_next_count(const tail *t, hbs_text count)
{
    if (count.size == 0 || count.size > 20 || count.bytes[0] == '0')
        return false;
    for (size_t i = 0; i < count.size; i++)
        if (count.bytes[i] < '0' || count.bytes[i] > '9')
            return false;
    if (!t->count.bytes || count.size != t->count.size)
        return !t->count.bytes || count.size < t->count.size;
    return memcmp(count.bytes, t->count.bytes, count.size) <= 0;
}

static hbs_status read_importance(tail *t)
{
    hbs_text line = t->file->line, name = line, count;
    size_t place;

    while (name.size > 0 && name.bytes[name.size - 1] != '=') { /* names may hold it too */
        HB_TRY(hb_worked(&t->file->pipeline->arena.memory->work, 1, t->file->error));
        name.size--;
    }
    if (name.size == 0)
        return unknown_line(t);
    count = (hbs_text){line.bytes + name.size, line.size - name.size};
    name.size--;
    if (!t->names)
        HB_TRY(sort_names(t));
    place = find_name(t, name);
    if (place == t->n_names || t->listed[place] || !is_next_count(t, count))
        return unknown_line(t);
    t->listed[place] = 1;
    t->n_listed++;
    t->count = count;
    return HBS_OK;
}

/* ---- parameters and parser */

/* "[categorical_feature: 1,2]" among the parameters; the rest is without effect. */
static hbs_status read_parameter(tail *t)
{
    static const char word[] = "[categorical_feature: ";
    hb_lightgbm_file *file = t->file;
    hbs_text line = file->line;

    if (hb_text_is(line, "end of parameters")) {
        t->in = NOWHERE;
        return HBS_OK;
    }
    if (line.size == 0)
        return HBS_OK;
    if (line.bytes[0] != '[' || line.bytes[line.size - 1] != ']' || !memchr(line.bytes, ':', line.size))
        return unknown_line(t);
    if (!starts_with(line, word))
        return HBS_OK;
    if (file->categorical_feature.bytes)
        return hb_lightgbm_fail(file, HBS_E_FORMAT, line.bytes, "parameters: categorical_feature: duplicate key");
    file->categorical_feature = text_behind(line, word);
    file->categorical_feature.size--;
    return HBS_OK;
}

/* ---- sections */

static hbs_status begin_section(tail *t)
{
    static const struct {
        enum section section;
        const char *heading;
    } headings[] = {{IMPORTANCES, "feature_importances:"},
                    {IMPORTANCES, "feature importances:"},
                    {PARAMETERS, "parameters:"},
                    {PARSER, "parser:"},
                    {PANDAS, "pandas_categorical:"}};

    for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
        enum section section = headings[i].section;

        if (!starts_with(t->file->line, headings[i].heading))
            continue;
        if (!t->after_blank || section <= t->last || (t->last == NOWHERE && section != IMPORTANCES))
            break;
        if (section == PANDAS)
            t->file->pandas_categorical = text_behind(t->file->line, headings[i].heading);
        else if (!hb_text_is(t->file->line, headings[i].heading))
            break;
        t->last = section;
        t->in = section == PANDAS ? NOWHERE : section;
        return HBS_OK;
    }
    return unknown_line(t);
}

static hbs_status read_line(tail *t)
{
    bool blank = t->file->line.size == 0;
    hbs_status status = HBS_OK;

    if (t->in == PARAMETERS) {
        status = read_parameter(t);
    } else if (t->in == PARSER) {
        t->in = hb_text_is(t->file->line, "end of parser") ? NOWHERE : PARSER;
    } else if (blank) {
        t->in = NOWHERE;
    } else {
        status = t->in == IMPORTANCES ? read_importance(t) : begin_section(t);
    }
    t->after_blank = blank;
    return status;
}

/* ---- the end of the file */

/* How many features trees test. */
static hbs_status count_tested(const tail *t, size_t *n)
{
    const hb_vector *nodes = &t->file->forest->nodes;
    hb_memory *memory = t->file->pipeline->arena.memory;
    uint8_t *tested = hb_allocate(memory, t->n_names);
    hbs_status status = HBS_OK;

    *n = 0;
    if (!tested)
        return hb_no_memory(memory, t->file->error);
    memset(tested, 0, t->n_names);
    for (size_t i = 0; i < nodes->count && status == HBS_OK; i++) {
        const hb_tree_node *node = (const hb_tree_node *)nodes->items + i;

        status = hb_worked(&memory->work, 2, t->file->error);
        if (node->left == HB_NO_CHILD || (size_t)node->feature >= t->n_names)
            continue;
        *n += !tested[node->feature];
        tested[node->feature] = 1;
    }
    hb_release(memory, tested, t->n_names);
    return status;
}

/* Such a file was saved without Python and without parameters, or was cut. It is refused if the difference could change
 * scores (features of categories), or if importances are missing. */
static hbs_status check_importances_end(const tail *t)
{
    size_t n_tested;

    HB_TRY(count_tested(t, &n_tested));
    if (t->n_listed >= n_tested && !hb_lightgbm_takes_codes(t->file))
        return HBS_OK;
    return hb_lightgbm_fail(t->file, HBS_E_FORMAT, t->file->end,
                            "the file ends behind its importances, as if cut short: copy it again; if "
                            "LightGBM wrote it so, load it in Python and save it again, which adds "
                            "pandas_categorical");
}

static hbs_status check_end(const tail *t)
{
    if (t->in == PARAMETERS || t->in == PARSER)
        return cut_short(t, t->in == PARSER ? "inside \"parser:\"" : "inside \"parameters:\"");
    if (t->last == NOWHERE)
        return cut_short(t, "before its feature_importances");
    if (ends_in_line(t))
        return cut_line(t);
    if (t->after_blank)
        return cut_short(t, "with an empty line");
    return t->last == IMPORTANCES ? check_importances_end(t) : HBS_OK;
}

hbs_status hb_lightgbm_tail_read(hb_lightgbm_file *file)
{
    hb_memory *memory = file->pipeline->arena.memory;
    tail t = {.file = file, .n_names = (size_t)file->max_feature + 1};
    hbs_status status = HBS_OK;

    while (status == HBS_OK && hb_lightgbm_next_line(file, &status))
        status = read_line(&t);
    if (status == HBS_OK)
        status = check_end(&t);
    hb_release(memory, t.names, (t.n_names + 1) * sizeof(*t.names));
    hb_release(memory, t.order, t.n_names * sizeof(*t.order));
    hb_release(memory, t.listed, t.n_names);
    return status;
}
