/* rows.h - the file of rows that driven.py's write_rows makes: the number of rows and of columns (uint64), then each
 * column: 'd' or 'f' and its numbers (NaN: missing), or 't', the ends of its texts (uint64; the highest bit set:
 * missing) and their bytes. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include "hbscore.h"

typedef struct rows {
    size_t count, n_columns;
    hbs_column *columns;
    bool texts; /* there are: validity bits too */
} rows;

rows rows_read(const char *path);

/* All rows as a matrix, row by row; every column must be of float32. */
float *rows_matrix(const rows *r);

hbs_value rows_cell(const hbs_column *column, size_t row);

/* `column` from row `first` on, which is a multiple of 64 where there are validity bits. */
hbs_column rows_from(const hbs_column *column, size_t first);

#endif
