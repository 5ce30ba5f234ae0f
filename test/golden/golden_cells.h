/* golden_cells.h - a golden's cells in all forms in which hbscore takes a value. */
#ifndef GOLDEN_CELLS_H
#define GOLDEN_CELLS_H

#include "golden.h"

typedef enum rg_form {
    RG_OWN,     /* as the file has them */
    RG_FLOAT64, /* numbers as doubles */
    RG_TEXT,    /* numbers as shortest round-trip decimal text */
    RG_NARROW   /* the narrowest type that holds the number exactly */
} rg_form;

enum { RG_CELL_TEXT = 40 };

/* One cell in another form; texts of numbers go to `buffer`. A missing value is NULL, or NaN if
 * `nan` and the form can say it. False where the form cannot hold this number exactly. */
bool rg_cell(const hbs_value *cell, rg_form form, bool nan, char *buffer, hbs_value *out);

/* True where every cell of the row can be had in the form. */
bool rg_row_fits(const rg_golden *golden, size_t row, rg_form form);

/* All cells of a row; `buffers` holds RG_CELL_TEXT bytes for each feature. */
void rg_row(const rg_golden *golden, size_t row, rg_form form, bool nan, char *buffers, hbs_value *out);

/* True where two rows can stand in one block in their own types: in each column one type. */
bool rg_same_types(const rg_golden *golden, size_t a, size_t b);

/* Columns for the rows `pick`, in memory that has exactly the size that hbs_column promises. */
typedef struct rg_block {
    size_t features;
    hbs_column *columns;
    char *texts;
} rg_block;

void rg_block_make(rg_block *block, const rg_golden *golden, const size_t *pick, size_t rows, rg_form form, bool nan);
void rg_block_free(rg_block *block);

/* The row as JSON: an array, or an object with its members in reverse order and one more that is no
 * feature. The caller frees it. */
char *rg_row_json(const rg_golden *golden, size_t row, bool object, size_t *size);

#endif
