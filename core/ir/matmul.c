/* matmul.c - products of matrices whose items are columns of a row, or weights. */
#include "ir/meaning.h"

/* The width that [n][rows][columns] takes is `width`. */
static bool has_width(size_t n, size_t rows, size_t columns, size_t width)
{
    size_t product;

    return hb_multiply(n, rows, &product) && hb_multiply(product, columns, &product) && product == width;
}

static hbs_status validate_matmul(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_matmul *fit = node->fit;
    size_t width;

    HB_CHECK(fit->n_matrices > 0 && fit->n_rows > 0 && fit->n_terms > 0 && fit->n_columns > 0, error);
    HB_CHECK((node->n_inputs == 1) == (fit->weights != NULL) && (!fit->weights || fit->n_matrices == 1), error);
    HB_CHECK(has_width(fit->n_matrices, fit->n_rows, fit->n_terms, hb_input_width(&pipeline->graph, node)), error);
    HB_CHECK(hb_multiply(fit->n_matrices, fit->n_rows, &width) && hb_multiply(width, fit->n_columns, &width), error);
    HB_CHECK(width <= HB_MAX_OUTPUTS, error);
    if (node->n_inputs == 1)
        return HBS_OK;
    HB_CHECK(node->inputs[1] > 0 && hb_pipeline_is_wide(pipeline, node->inputs[1]), error);
    HB_CHECK(has_width(fit->n_matrices, fit->n_terms, fit->n_columns, hb_pipeline_width(pipeline, node->inputs[1])),
             error);
    return HBS_OK;
}

static void matmul_shape(const hb_graph *graph, hb_node *node)
{
    const hb_fit_matmul *fit = node->fit;

    (void)graph;
    node->value.width = fit->n_matrices * fit->n_rows * fit->n_columns;
}

/* Each number of the product needs a row of the left matrix and a column of the right one. */
static void ask_matrix(const hb_asking *a, const hb_fit_matmul *fit, size_t m)
{
    const uint8_t *own = a->own + m * fit->n_rows * fit->n_columns;
    uint8_t *left = hb_asking_input(a) + m * fit->n_rows * fit->n_terms;
    uint8_t *right = fit->weights ? NULL : a->of[a->node->inputs[1]] + m * fit->n_terms * fit->n_columns;

    for (size_t i = 0; i < fit->n_rows; i++) {
        uint8_t any = 0;

        for (size_t j = 0; j < fit->n_columns; j++)
            any |= own[i * fit->n_columns + j];
        for (size_t t = 0; t < fit->n_terms; t++)
            left[i * fit->n_terms + t] |= any & HB_LIVE;
    }
    for (size_t j = 0; right && j < fit->n_columns; j++) {
        uint8_t any = 0;

        for (size_t i = 0; i < fit->n_rows; i++)
            any |= own[i * fit->n_columns + j];
        for (size_t t = 0; t < fit->n_terms; t++)
            right[t * fit->n_columns + j] |= any & HB_LIVE;
    }
}

static void matmul_demands(const hb_asking *a)
{
    const hb_fit_matmul *fit = a->node->fit;

    for (size_t m = 0; m < fit->n_matrices && hb_goes_on(a->work, fit->n_rows * fit->n_columns); m++)
        ask_matrix(a, fit, m);
}

const hb_meaning hb_meaning_matmul = {.validate = validate_matmul, .shape = matmul_shape, .demands = matmul_demands};
