/* lightgbm.c - the lines of a model file: header and trees. */
#include "format/lightgbm.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

enum { POLL_BYTES = 32 * 1024 };

/* ---- lines and numbers */

hbs_status hb_lightgbm_fail(const hb_lightgbm_file *file, hbs_status status, const char *at, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    hb_fail_list(file->error, status, (size_t)(at - file->begin), format, arguments);
    va_end(arguments);
    return status;
}

bool hb_lightgbm_next_line(hb_lightgbm_file *file, hbs_status *status)
{
    const char *line = file->p, *newline;
    size_t left = (size_t)(file->end - line);

    if (line - file->polled > POLL_BYTES) {
        *status = hb_poll(&file->pipeline->arena.memory->host, file->error);
        file->polled = line;
    }
    if (left == 0 || *status != HBS_OK)
        return false;
    newline = memchr(line, '\n', left);
    file->p = newline ? newline + 1 : file->end;
    file->line = (hbs_text){line, (size_t)((newline ? newline : file->end) - line)};
    if (file->line.size && line[file->line.size - 1] == '\r')
        file->line.size--;
    return true;
}

bool hb_lightgbm_split(hbs_text line, hbs_text *key, hbs_text *value)
{
    const char *equals = line.size ? memchr(line.bytes, '=', line.size) : NULL;

    *key = line;
    *value = (hbs_text){line.bytes + line.size, 0};
    if (!equals)
        return false;
    key->size = (size_t)(equals - line.bytes);
    *value = (hbs_text){equals + 1, line.size - key->size - 1};
    return true;
}

hbs_status hb_lightgbm_integer(const hb_lightgbm_file *file, hbs_text key, hbs_text value, int64_t low, int64_t high,
                               int64_t *number)
{
    char name[HB_EXCERPT_BUFFER], shown[HB_EXCERPT_BUFFER];

    if (value.size == 0 || hb_read_int64(value.bytes, value.bytes + value.size, number) != value.size)
        return hb_lightgbm_fail(file, HBS_E_FORMAT, value.bytes, "%s: expected a whole number, found \"%s\"",
                                HB_SHOW(key, name), HB_SHOW(value, shown));
    if (*number < low || *number > high)
        return hb_lightgbm_fail(file, HBS_E_FORMAT, value.bytes, "%s: %lld is out of range (%lld to %lld)",
                                HB_SHOW(key, name), (long long)*number, (long long)low, (long long)high);
    return HBS_OK;
}

static hbs_status bad_number(const hb_lightgbm_file *file, hbs_text key, const char *p, const char *end)
{
    char name[HB_EXCERPT_BUFFER], shown[HB_EXCERPT_BUFFER];
    hbs_text found = {p, 0};

    while (p + found.size < end && p[found.size] != ' ' && found.size < 32)
        found.size++;
    return hb_lightgbm_fail(file, HBS_E_FORMAT, p, "%s: expected a number, found \"%s\"", HB_SHOW(key, name),
                            HB_SHOW(found, shown));
}

/* One line may be as long as the file: the host is asked within it too. */
static hbs_status poll_at(const hb_lightgbm_file *file, const char *p, const char **polled)
{
    if (p - *polled <= POLL_BYTES)
        return HBS_OK;
    *polled = p;
    return hb_poll(&file->pipeline->arena.memory->host, file->error);
}

/* Both read one number; 0: there is none, else its bytes. */
static size_t read_double(const char *p, const char *end, void *number)
{
    static const struct {
        const char *word;
        double number;
    } words[] = {{"inf", INFINITY}, {"-inf", -INFINITY}, {"nan", NAN}, {"-nan", NAN}};
    bool overflow = false;
    size_t size = hb_read_float64(p, end, number, &overflow);

    for (size_t i = 0; size == 0 && i < sizeof(words) / sizeof(words[0]); i++) {
        size_t n = strlen(words[i].word);

        if ((size_t)(end - p) >= n && memcmp(p, words[i].word, n) == 0) {
            *(double *)number = words[i].number;
            size = n;
        }
    }
    return overflow ? 0 : size;
}

static size_t read_integer(const char *p, const char *end, void *number)
{
    return hb_read_int64(p, end, number);
}

static hbs_status read_numbers(const hb_lightgbm_file *file, hbs_text key, hbs_text value,
                               size_t (*read)(const char *p, const char *end, void *number), hb_vector *numbers)
{
    const char *p = value.bytes, *end = p + value.size, *polled = p;

    while (p < end) {
        union {
            int64_t integer;
            double real;
        } number;
        size_t size = 0;

        HB_TRY(poll_at(file, p, &polled));
        if (*p != ' ') {
            size = read(p, end, &number);
            if (size == 0 || (p + size < end && p[size] != ' '))
                return bad_number(file, key, p, end);
            if (!hb_vector_append(numbers, &number, 1))
                return hb_no_memory(numbers->memory, file->error);
        }
        p += size ? size : 1;
    }
    return HBS_OK;
}

hbs_status hb_lightgbm_integers(const hb_lightgbm_file *file, hbs_text key, hbs_text value, hb_vector *numbers)
{
    return read_numbers(file, key, value, read_integer, numbers);
}

hbs_status hb_lightgbm_doubles(const hb_lightgbm_file *file, hbs_text key, hbs_text value, hb_vector *numbers)
{
    return read_numbers(file, key, value, read_double, numbers);
}

/* ---- the header */

enum header_key { VERSION, N_CLASS, N_TREE, LABEL, MAX_FEATURE, OBJECTIVE, NAMES, MONOTONE, INFOS, SIZES, N_KEYS };

static const char *const header_keys[N_KEYS] = {
    "version",   "num_class",     "num_tree_per_iteration", "label_index",   "max_feature_idx",
    "objective", "feature_names", "monotone_constraints",   "feature_infos", "tree_sizes"};

static hbs_status read_header_value(hb_lightgbm_file *file, enum header_key i, hbs_text key, hbs_text value)
{
    int64_t ignored;

    switch (i) {
    case VERSION:
        file->version = value;
        break;
    case N_CLASS:
        return hb_lightgbm_integer(file, key, value, 1, HB_MAX_OUTPUTS, &file->n_classes);
    case N_TREE:
        return hb_lightgbm_integer(file, key, value, 1, HB_MAX_OUTPUTS, &file->n_per_iteration);
    case LABEL:
        return hb_lightgbm_integer(file, key, value, INT32_MIN, INT32_MAX, &ignored);
    case MAX_FEATURE:
        return hb_lightgbm_integer(file, key, value, 0, INT32_MAX, &file->max_feature);
    case OBJECTIVE:
        file->objective = value;
        break;
    case NAMES:
        file->feature_names = value;
        break;
    case SIZES:
        file->tree_sizes = value;
        break;
    case INFOS:
        file->feature_infos = value;
        break;
    case MONOTONE: /* without effect on scores, but counted */
        file->monotone_constraints = value;
        break;
    case N_KEYS:
        break;
    }
    return HBS_OK;
}

static hbs_status read_header_line(hb_lightgbm_file *file, uint32_t *seen)
{
    hbs_text key, value;
    char shown[HB_EXCERPT_BUFFER];
    size_t i = 0;

    if (hb_text_is(file->line, "average_output") && !file->average) {
        file->average = true;
        return HBS_OK;
    }
    if (!hb_lightgbm_split(file->line, &key, &value))
        return hb_lightgbm_fail(file, HBS_E_FORMAT, key.bytes, "expected key=value, found \"%s\"", HB_SHOW(key, shown));
    while (i < N_KEYS && !hb_text_is(key, header_keys[i]))
        i++;
    if (i == N_KEYS)
        return hb_lightgbm_fail(file, HBS_E_FORMAT, key.bytes,
                                "unknown key \"%s\": this version of hbscore does not read it", HB_SHOW(key, shown));
    if (*seen >> i & 1)
        return hb_lightgbm_fail(file, HBS_E_FORMAT, key.bytes, "%s: duplicate key", HB_SHOW(key, shown));
    *seen |= 1u << i;
    return read_header_value(file, (enum header_key)i, key, value);
}

/* LightGBM reads files older than its own, so a newer one can save them again. */
static hbs_status other_version(const hb_lightgbm_file *file)
{
    hbs_text v = file->version;
    const char *end = v.bytes + v.size;
    char shown[HB_EXCERPT_BUFFER];
    int64_t number = 0;
    bool old = v.size > 1 && v.bytes[0] == 'v' && hb_read_int64(v.bytes + 1, end, &number) == v.size - 1 && number < 3;

    return hb_lightgbm_fail(file, HBS_E_UNSUPPORTED, v.bytes, "version %s: this hbscore reads LightGBM's v3 and v4%s",
                            HB_SHOW(v, shown), old ? " (save the model again with a newer LightGBM)" : "");
}

/* One item for each feature, with a space between them. */
static hbs_status check_items(const hb_lightgbm_file *file, enum header_key key, hbs_text items)
{
    const char *p = items.bytes, *end = p + items.size, *polled = p;
    size_t n = 0, n_features = (size_t)file->max_feature + 1;

    if (items.size && end[-1] != ' ') /* the last item has no space behind it */
        n++;
    while ((p = memchr(p, ' ', (size_t)(end - p))) != NULL) {
        HB_TRY(poll_at(file, p, &polled));
        n++;
        p++;
    }
    return n == n_features ? HBS_OK
                           : hb_lightgbm_fail(file, HBS_E_FORMAT, items.bytes,
                                              "%s has %zu items, max_feature_idx says %zu features", header_keys[key],
                                              n, n_features);
}

static hbs_status check_header(hb_lightgbm_file *file, uint32_t seen)
{
    const enum header_key needed[] = {VERSION, N_CLASS, N_TREE, MAX_FEATURE, NAMES, INFOS};

    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if (!(seen >> needed[i] & 1))
            return hb_lightgbm_fail(file, HBS_E_FORMAT, file->p, "the header has no %s", header_keys[needed[i]]);
    if (!hb_text_is(file->version, "v3") && !hb_text_is(file->version, "v4"))
        return other_version(file);
    if (file->max_feature >= HB_MAX_FEATURES)
        return hb_fail(file->error, HBS_E_LIMIT, "%lld features are more than the limit of %d",
                       (long long)file->max_feature + 1, HB_MAX_FEATURES);
    HB_TRY(check_items(file, NAMES, file->feature_names));
    if (file->monotone_constraints.bytes)
        HB_TRY(check_items(file, MONOTONE, file->monotone_constraints));
    return check_items(file, INFOS, file->feature_infos);
}

/* The lines up to the first tree, which becomes the current line, or to `end of trees`. */
static hbs_status read_header(hb_lightgbm_file *file)
{
    hbs_status status = HBS_OK;
    uint32_t seen = 0;

    if (!hb_lightgbm_next_line(file, &status) || !hb_text_is(file->line, "tree"))
        return status != HBS_OK ? status
                                : hb_lightgbm_fail(file, HBS_E_FORMAT, file->begin, "the first line is not \"tree\"");
    while (hb_lightgbm_next_line(file, &status)) {
        if (file->line.size == 0)
            continue;
        if (hb_text_is(file->line, "end of trees") ||
            (file->line.size > 5 && memcmp(file->line.bytes, "Tree=", 5) == 0))
            return check_header(file, seen);
        HB_TRY(read_header_line(file, &seen));
    }
    return status != HBS_OK ? status
                            : hb_lightgbm_fail(file, HBS_E_FORMAT, file->end, "the file ends before its trees");
}

/* ---- trees */

/* tree_sizes has the bytes of each tree's block; the library jumps by them, so they must be right. */
static hbs_status wrong_size(const hb_lightgbm_file *file, const char *begin, size_t number, int64_t wanted)
{
    size_t size = (size_t)(file->line.bytes - begin);
    bool changed = memchr(begin, '\r', size) != NULL;

    return hb_lightgbm_fail(file, HBS_E_FORMAT, begin, "tree %zu has %zu bytes, tree_sizes says %lld%s", number, size,
                            (long long)wanted,
                            changed ? ": its ends of lines were changed to CRLF; copy the file as "
                                      "binary, byte for byte"
                                    : "");
}

static hbs_status check_sizes(hb_lightgbm_file *file, const hb_vector *sizes, size_t number, const char *begin)
{
    const int64_t *size = sizes->items;

    if (!file->tree_sizes.bytes)
        return HBS_OK;
    if (number >= sizes->count)
        return hb_lightgbm_fail(file, HBS_E_FORMAT, begin,
                                "tree_sizes has %zu items, there are more "
                                "trees",
                                sizes->count);
    if (file->line.bytes - begin != size[number])
        return wrong_size(file, begin, number, size[number]);
    return HBS_OK;
}

/* From the line `Tree=0` (the current one) to `end of trees`. */
static hbs_status read_tree_blocks(hb_lightgbm_file *file, const hb_vector *sizes)
{
    size_t number = 0;

    while (!hb_text_is(file->line, "end of trees")) {
        const char *begin = file->line.bytes;
        hbs_text key, value;
        int64_t found = -1;

        hb_lightgbm_split(file->line, &key, &value);
        if (!hb_text_is(key, "Tree"))
            return hb_lightgbm_fail(file, HBS_E_FORMAT, begin, "expected \"Tree=%zu\" or \"end of trees\"", number);
        HB_TRY(hb_lightgbm_integer(file, key, value, 0, INT32_MAX, &found));
        if (found != (int64_t)number)
            return hb_lightgbm_fail(file, HBS_E_FORMAT, begin, "expected \"Tree=%zu\"", number);
        HB_TRY(hb_lightgbm_tree_read(file, number));
        HB_TRY(check_sizes(file, sizes, number, begin));
        number++;
    }
    if (file->tree_sizes.bytes && number != sizes->count)
        return hb_lightgbm_fail(file, HBS_E_FORMAT, file->line.bytes, "tree_sizes has %zu items, there are %zu trees",
                                sizes->count, number);
    return HBS_OK;
}

static hbs_status read_trees(hb_lightgbm_file *file)
{
    const hbs_text key = {"tree_sizes", 10};
    hb_vector sizes;
    hbs_status status;

    hb_vector_init(&sizes, file->pipeline->arena.memory, sizeof(int64_t));
    status = file->tree_sizes.bytes ? hb_lightgbm_integers(file, key, file->tree_sizes, &sizes) : HBS_OK;
    if (status == HBS_OK)
        status = read_tree_blocks(file, &sizes);
    hb_vector_release(&sizes);
    return status;
}

/* ---- the whole */

static hbs_status open_file(hb_lightgbm_file *file, hb_memory *memory)
{
    hb_lightgbm_tree_init(&file->tree, memory);
    file->forest = hb_arena_array(&file->pipeline->arena, 1, sizeof(*file->forest));
    if (!file->forest)
        return hb_no_memory(memory, file->error);
    hb_forest_model_init(file->forest, memory);
    file->forest->wide = true;
    file->forest->sets_are_bits = true;
    return HBS_OK;
}

hbs_status hb_lightgbm_read(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                            hbs_error *error)
{
    hb_lightgbm_file file = {.pipeline = pipeline, .options = options, .error = error};
    hbs_status status;

    file.begin = file.p = file.polled = bytes;
    file.end = file.begin + size;
    status = open_file(&file, pipeline->arena.memory);
    if (status == HBS_OK)
        status = read_header(&file);
    if (status == HBS_OK)
        status = read_trees(&file);
    hb_lightgbm_tree_release(&file.tree); /* before building: the peak counts */
    if (status == HBS_OK)
        status = hb_lightgbm_tail_read(&file);
    if (status == HBS_OK)
        status = hb_lightgbm_build(&file);
    if (file.forest) /* not given to the pipeline */
        hb_forest_model_release(file.forest);
    return status;
}
