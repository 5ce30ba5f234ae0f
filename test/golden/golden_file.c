/* golden_file.c - reads a .golden file: numbers by their bits, names and texts percent-encoded.
 *
 * These files are ours: the reader is strict so that a typing error is seen, but it need not survive
 * hostile bytes. */
#include "golden.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const KIND_NAMES[RG_KINDS] = {"raw", "probabilities", "values", "value", "label", "transform"};

const char *rg_kind_name(rg_kind kind)
{
    return KIND_NAMES[kind];
}

void *rg_need(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size);

    if (!block) {
        fprintf(stderr, "run_golden: no memory\n");
        exit(2);
    }
    return block;
}

char *rg_file(const char *folder, const char *file, size_t *size)
{
    char path[1024];
    FILE *f;
    char *bytes = NULL;
    long length;

    snprintf(path, sizeof(path), "%s/%s", folder, file);
    f = fopen(path, "rb");
    if (f && fseek(f, 0, SEEK_END) == 0 && (length = ftell(f)) >= 0) {
        bytes = rg_need((size_t)length + 1, 1);
        rewind(f);
        *size = fread(bytes, 1, (size_t)length, f);
    }
    if (f)
        fclose(f);
    if (!bytes)
        fprintf(stderr, "run_golden: cannot read %s\n", path);
    return bytes;
}

/* ------------------------------------------------------------------ words */

typedef struct line_reader {
    rg_golden *golden;
    const char *file;
    char *next; /* the rest of the text */
    size_t line;
    rg_kind order[RG_KINDS]; /* of the output lines */
    size_t n_outputs;
    size_t rows_read;
    bool failed;
} line_reader;

static bool wrong(line_reader *r, const char *what)
{
    if (!r->failed)
        fprintf(stderr, "run_golden: %s, line %zu: %s\n", r->file, r->line, what);
    r->failed = true;
    return false;
}

/* The next word of a line, cut off at its blank; NULL at the line's end. */
static char *word(char **rest)
{
    char *start = *rest + strspn(*rest, " ");
    char *end = start + strcspn(start, " ");

    if (*start == '\0')
        return NULL;
    *rest = *end ? end + 1 : end;
    *end = '\0';
    return start;
}

static size_t unpercent(char *text)
{
    char *to = text;
    unsigned byte;

    for (const char *from = text; *from; from++) {
        if (*from == '%' && sscanf(from + 1, "%2x", &byte) == 1) {
            *to++ = (char)byte;
            from += 2;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return (size_t)(to - text);
}

/* The first of `digits` hex digits; zeros at the end are left off. */
static bool bits_of(const char *hex, size_t digits, uint64_t *bits)
{
    size_t n = strspn(hex, "0123456789abcdef");

    if (n < 1 || n > digits || hex[n])
        return false;
    *bits = (uint64_t)strtoull(hex, NULL, 16) << (4 * (digits - n));
    return true;
}

static bool bits64(const char *hex, double *number)
{
    uint64_t bits;

    if (!bits_of(hex, 16, &bits))
        return false;
    memcpy(number, &bits, sizeof(bits));
    return true;
}

static bool bits32(const char *hex, float *number)
{
    uint64_t wide;
    uint32_t bits;

    if (!bits_of(hex, 8, &wide))
        return false;
    bits = (uint32_t)wide;
    memcpy(number, &bits, sizeof(bits));
    return true;
}

static bool integer(const char *text, int64_t *number)
{
    char *end;

    *number = strtoll(text, &end, 10);
    return end != text && *end == '\0';
}

static bool read_cell(char *text, hbs_value *cell)
{
    float narrow;

    switch (*text) {
    case 'd':
        cell->type = HBS_FLOAT64;
        return bits64(text + 1, &cell->as.f64);
    case 'D':
        cell->type = HBS_FLOAT64;
        if (!bits32(text + 1, &narrow))
            return false;
        cell->as.f64 = (double)narrow;
        return true;
    case 's':
        cell->type = HBS_FLOAT32;
        return bits32(text + 1, &cell->as.f32);
    case 'i':
        cell->type = HBS_INT64;
        return integer(text + 1, &cell->as.i64);
    case 'b':
        cell->type = HBS_BOOL;
        cell->as.boolean = text[1] == '1';
        return (text[1] == '0' || text[1] == '1') && !text[2];
    case 't':
        cell->type = HBS_TEXT;
        cell->as.text.bytes = text + 1;
        cell->as.text.size = unpercent(text + 1);
        return true;
    default:
        return false;
    }
}

/* `-` is a NULL, `-3` are three of them, of at most `left`. */
static bool read_nulls(const char *text, hbs_value *cells, size_t left, size_t *n)
{
    int64_t count = 1;

    if (text[1] && (!integer(text + 1, &count) || count < 1))
        return false;
    if ((uint64_t)count > left)
        return false;
    for (*n = 0; *n < (size_t)count; ++*n)
        cells[*n].type = HBS_NULL;
    return true;
}

/* An output: its bits, or a plain integer. */
static bool read_number(const char *text, double *number)
{
    float f;
    int64_t i;

    if (*text == 'd')
        return bits64(text + 1, number);
    if (*text == 's') {
        if (!bits32(text + 1, &f))
            return false;
        *number = (double)f;
        return true;
    }
    if (!integer(text, &i))
        return false;
    *number = (double)i;
    return true;
}

/* ------------------------------------------------------------------ lines */

static bool read_feature(line_reader *r, char *rest)
{
    rg_golden *g = r->golden;
    char *name = word(&rest), *type = word(&rest);

    if (!name || !type)
        return wrong(r, "a feature needs a name and a type");
    g->names = realloc(g->names, (g->features + 1) * sizeof(*g->names));
    g->is_text = realloc(g->is_text, (g->features + 1) * sizeof(*g->is_text));
    if (!g->names || !g->is_text)
        return wrong(r, "no memory");
    g->names[g->features].size = unpercent(name);
    g->names[g->features].bytes = name;
    g->is_text[g->features] = strcmp(type, "text") == 0;
    if (!g->is_text[g->features] && strcmp(type, "number") != 0)
        return wrong(r, "a feature is a number or a text");
    g->features++;
    return true;
}

/* The number behind `rel:` or `abs:`. */
static bool read_tolerance(const char *text, double *tolerance)
{
    char *end;

    *tolerance = strtod(text, &end);
    return end != text && *end == '\0' && *tolerance >= 0.0 && *tolerance <= 1e300;
}

static bool read_rule(line_reader *r, rg_output *out, const char *rule)
{
    if (!rule || strcmp(rule, "exact") == 0) {
        out->rule = RG_EXACT;
    } else if (strcmp(rule, "ulp1") == 0) {
        out->rule = RG_ULP1;
    } else if (strncmp(rule, "rel:", 4) == 0 && read_tolerance(rule + 4, &out->tolerance)) {
        out->rule = RG_RELATIVE;
    } else if (strncmp(rule, "abs:", 4) == 0 && read_tolerance(rule + 4, &out->tolerance)) {
        out->rule = RG_ABSOLUTE;
    } else {
        return wrong(r, "the rule of an output is exact, ulp1, rel:x or abs:x");
    }
    return true;
}

static bool read_output(line_reader *r, char *rest)
{
    char *kind = word(&rest), *width;
    rg_output *out = NULL;
    int64_t n = 1;

    for (int k = 0; kind && k < RG_KINDS; k++)
        if (strcmp(kind, KIND_NAMES[k]) == 0 && !r->golden->outputs[k].given) {
            out = &r->golden->outputs[k];
            r->order[r->n_outputs++] = (rg_kind)k;
        }
    if (!out)
        return wrong(r, "an unknown output, or one given twice");
    out->given = true;
    if (out != &r->golden->outputs[RG_LABEL]) {
        width = word(&rest);
        if (!width || !integer(width, &n) || n < 1 || n > 1000000)
            return wrong(r, "an output needs a width");
    }
    out->width = (size_t)n;
    return read_rule(r, out, word(&rest));
}

static bool read_rows(line_reader *r, char *rest)
{
    rg_golden *g = r->golden;
    int64_t n;

    if (g->rows || !integer(rest, &n) || n < 0 || n > 10000000 || !g->features || (n > 0) != (r->n_outputs > 0))
        return wrong(r, "rows needs a number, once, behind the features and outputs");
    g->rows = (size_t)n;
    g->refused = n == 0;
    g->cells = rg_need(g->rows * g->features, sizeof(*g->cells));
    g->fate = rg_need(g->rows, sizeof(*g->fate));
    for (int k = 0; k < RG_KINDS; k++)
        if (g->outputs[k].given)
            g->outputs[k].want = rg_need(g->rows * g->outputs[k].width, sizeof(double));
    return true;
}

/* One group behind a '|': numbers, = for those of the first group, or a word for the row's fate. */
static bool read_group(line_reader *r, char **rest, rg_output *out, size_t row)
{
    const rg_output *first = &r->golden->outputs[r->order[0]];
    char *text = word(rest);
    rg_fate *fate = &r->golden->fate[row];

    if (!text || strcmp(text, "|") != 0)
        return wrong(r, "a row needs one group for each output");
    for (size_t i = 0; i < out->width; i++) {
        text = word(rest);
        if (text && i == 0 && (strcmp(text, "error") == 0 || strcmp(text, "null") == 0)) {
            *fate = *text == 'e' ? RG_ERROR : RG_NULL;
            return true;
        }
        if (text && strcmp(text, "=") == 0 && i == 0 && out != first && out->width == first->width) {
            memcpy(&out->want[row * out->width], &first->want[row * out->width], out->width * sizeof(double));
            return true;
        }
        if (!text || !read_number(text, &out->want[row * out->width + i]))
            return wrong(r, "a number of an output is wrong");
    }
    return true;
}

static bool read_row(line_reader *r, char *rest)
{
    rg_golden *g = r->golden;
    size_t row = r->rows_read++;
    hbs_value *cells = g->cells + row * g->features;
    char *text;

    if (row >= g->rows)
        return wrong(r, "more rows than were announced");
    for (size_t c = 0, n; c < g->features; c += n) {
        n = 1;
        text = word(&rest);
        if (!text || !(*text == '-' ? read_nulls(text, cells + c, g->features - c, &n) : read_cell(text, &cells[c])))
            return wrong(r, "a cell is wrong");
    }
    for (size_t k = 0; k < r->n_outputs; k++)
        if (!read_group(r, &rest, &g->outputs[r->order[k]], row))
            return false;
    return word(&rest) ? wrong(r, "too many cells or numbers") : true;
}

static bool read_line(line_reader *r, char *line)
{
    static const struct {
        const char *key;
        size_t offset;
    } TEXTS[] = {
        {"library", offsetof(rg_golden, library)}, {"trained", offsetof(rg_golden, trained)},
        {"model", offsetof(rg_golden, model)},     {"options", offsetof(rg_golden, options)},
        {"covers", offsetof(rg_golden, covers)},
    };
    char *rest = line, *key = word(&rest);

    if (!key || *key == '#')
        return true;
    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
        if (strcmp(key, TEXTS[i].key) == 0) {
            memcpy((char *)r->golden + TEXTS[i].offset, &rest, sizeof(rest));
            return true;
        }
    if (strcmp(key, "golden") == 0)
        return strcmp(rest, "1") == 0 ? true : wrong(r, "this reader knows golden 1");
    if (strcmp(key, "feature") == 0)
        return read_feature(r, rest);
    if (strcmp(key, "output") == 0)
        return read_output(r, rest);
    if (strcmp(key, "rows") == 0)
        return read_rows(r, rest);
    if (strcmp(key, "row") == 0)
        return read_row(r, rest);
    return wrong(r, "an unknown line");
}

/* The records' log1pf is that of glibc up to 2.40. From 2.41 on it and expm1f are rounded correctly, in hbscore as in
 * the library that runs beside it, and what is behind them has other last bits than the record. */
static bool has_functions_of_the_record(void)
{
    volatile float x = 0x1.000002p-6f;

    return log1pf(x) == 0x1.fc0a9p-7f;
}

static void choose_rule_of_expectiles(rg_golden *golden)
{
    if (!golden->covers || !strstr(golden->covers, "feature=several-expectiles") || has_functions_of_the_record())
        return;
    golden->other_functions = true;
    for (int k = 0; k < RG_KINDS; k++)
        if (k != RG_RAW) {
            golden->outputs[k].rule = RG_RELATIVE;
            golden->outputs[k].tolerance = 1e-5;
        }
}

bool rg_read(const char *folder, const char *file, rg_golden *golden)
{
    line_reader r = {.golden = golden, .file = file};
    size_t size, length = strlen(file);

    memset(golden, 0, sizeof(*golden));
    snprintf(golden->name, sizeof(golden->name), "%.*s", (int)(length - strlen(".golden")), file);
    golden->text = rg_file(folder, file, &size);
    for (r.next = golden->text; r.next && *r.next && !r.failed;) {
        char *line = r.next, *end = strchr(line, '\n');

        r.line++;
        r.next = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        read_line(&r, line);
    }
    if (!golden->text || r.failed)
        return false;
    if ((!golden->rows && !golden->refused) || r.rows_read != golden->rows || !golden->model || !golden->library)
        return wrong(&r, "library, model or rows are missing");
    if (!golden->trained)
        golden->trained = golden->library;
    choose_rule_of_expectiles(golden);
    return true;
}

void rg_free(rg_golden *golden)
{
    for (int k = 0; k < RG_KINDS; k++)
        free(golden->outputs[k].want);
    free(golden->names);
    free(golden->is_text);
    free(golden->cells);
    free(golden->fate);
    free(golden->text);
}
