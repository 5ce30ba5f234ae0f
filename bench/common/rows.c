/* rows.c - reads the file of rows. */
#include "rows.h"

#include "driven.h"

#include <string.h>

#define MISSING (1ull << 63)

static void *take(FILE *f, size_t bytes)
{
    void *block = driven_room(bytes);

    if (fread(block, 1, bytes, f) != bytes)
        driven_stop("the file of rows is too short", NULL);
    return block;
}

static size_t take_size(FILE *f)
{
    uint64_t number;

    if (fread(&number, 1, sizeof(number), f) != sizeof(number))
        driven_stop("the file of rows is too short", NULL);
    return (size_t)number;
}

static hbs_column take_texts(FILE *f, size_t count)
{
    uint64_t *ends = take(f, count * sizeof(*ends)), *valid = driven_room((count / 64 + 1) * 8);
    size_t all = count ? (size_t)(ends[count - 1] & ~MISSING) : 0, begin = 0;
    char *bytes = take(f, all);
    hbs_text *texts = driven_room(count * sizeof(*texts));

    memset(valid, 0xff, (count / 64 + 1) * 8);
    for (size_t r = 0; r < count; r++) {
        size_t end = (size_t)(ends[r] & ~MISSING);

        texts[r] = (hbs_text){bytes + begin, end - begin};
        if (ends[r] & MISSING)
            valid[r / 64] &= ~(1ull << r % 64);
        begin = end;
    }
    return (hbs_column){HBS_TEXT, texts, valid};
}

rows rows_read(const char *path)
{
    FILE *f = fopen(path, "rb");
    rows r = {0};

    if (!f)
        driven_stop("cannot read", path);
    r.count = take_size(f);
    r.n_columns = take_size(f);
    r.columns = driven_room(r.n_columns * sizeof(*r.columns));
    for (size_t c = 0; c < r.n_columns; c++) {
        int kind = fgetc(f);

        r.texts = r.texts || kind == 't';
        if (kind == 't')
            r.columns[c] = take_texts(f, r.count);
        else if (kind == 'f')
            r.columns[c] = (hbs_column){HBS_FLOAT32, take(f, r.count * sizeof(float)), NULL};
        else
            r.columns[c] = (hbs_column){HBS_FLOAT64, take(f, r.count * sizeof(double)), NULL};
    }
    fclose(f);
    return r;
}

float *rows_matrix(const rows *r)
{
    float *matrix = driven_room(r->count * r->n_columns * sizeof(*matrix));

    for (size_t c = 0; c < r->n_columns; c++) {
        const float *column = r->columns[c].values;

        if (r->columns[c].type != HBS_FLOAT32)
            driven_stop("a column is not of float32", NULL);
        for (size_t row = 0; row < r->count; row++)
            matrix[row * r->n_columns + c] = column[row];
    }
    return matrix;
}

hbs_value rows_cell(const hbs_column *column, size_t row)
{
    switch (column->type) {
    case HBS_TEXT:
        if (column->valid && !(column->valid[row / 64] >> row % 64 & 1))
            return (hbs_value){.type = HBS_NULL};
        return (hbs_value){.type = HBS_TEXT, .as.text = ((const hbs_text *)column->values)[row]};
    case HBS_FLOAT32:
        return (hbs_value){.type = HBS_FLOAT32, .as.f32 = ((const float *)column->values)[row]};
    default:
        return (hbs_value){.type = HBS_FLOAT64, .as.f64 = ((const double *)column->values)[row]};
    }
}

static size_t size_of(hbs_type type)
{
    return type == HBS_TEXT ? sizeof(hbs_text) : type == HBS_FLOAT32 ? sizeof(float) : sizeof(double);
}

hbs_column rows_from(const hbs_column *column, size_t first)
{
    return (hbs_column){column->type, (const char *)column->values + first * size_of(column->type),
                        column->valid ? column->valid + first / 64 : NULL};
}
