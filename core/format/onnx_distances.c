/* onnx_distances.c - distances of the row from fixed rows: CDist of com.microsoft, and the Scan over training rows that
 * skl2onnx writes for them. */
#include <math.h>
#include <string.h>

#include "format/onnx.h"

/* ---- distances */

static hbs_status vectors_of(hb_onnx_file *file, const hb_onnx_value *from, const double **vectors)
{
    double *to = hb_arena_array(&file->pipeline->arena, from->width, sizeof(*to));

    if (!to)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < from->width; i++)
        to[i] = hb_onnx_item(from, i);
    *vectors = to;
    return hb_worked(file->bytes.work, from->width, file->error);
}

/* A row of numbers and a matrix of the file, of as many columns. */
static bool can_be_compared(const hb_onnx_value *row, const hb_onnx_value *rows)
{
    return row->form == HB_ONNX_NUMBERS && rows->form == HB_ONNX_CONSTANT && row->n_dims == 2 && rows->n_dims == 2 &&
           row->dims[0] == 1 && row->row <= 0 && row->dims[1] == rows->dims[1] && row->type == rows->type &&
           (row->type == HB_ONNX_FLOAT || row->type == HB_ONNX_DOUBLE) && rows->width > 0;
}

/* In float64; the result rounds once. */
static hbs_status add_distances(hb_onnx_file *file, const hb_onnx_value *row, const hb_onnx_value *rows,
                                hb_metric metric, double power, bool is_root, size_t *value)
{
    hb_fit_pairwise fit = {
        .metric = metric, .power = power, .n_vectors = (size_t)rows->dims[0], .n_features = row->width};

    HB_TRY(vectors_of(file, rows, &fit.vectors));
    *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_PAIRWISE, hb_onnx_wide(file, row), &fit);
    *value = hb_pipeline_add(
        file->pipeline, HB_OPERATOR_MAP, *value,
        &(hb_fit_map){.function = is_root ? HB_MAP_SQUARE_ROOT : HB_MAP_SAME, .rounding = hb_onnx_rounding(row->type)});
    return HBS_OK;
}

hbs_status hb_onnx_cdist(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value row, rows;
    char shown[HB_EXCERPT_BUFFER];
    size_t value = 0;
    hbs_text metric;
    bool is_root;

    HB_TRY(hb_onnx_operand(file, node, 0, &row));
    HB_TRY(hb_onnx_operand(file, node, 1, &rows));
    HB_TRY(hb_onnx_word(file, node, "metric", "sqeuclidean", &metric));
    is_root = hb_text_is(metric, "euclidean");
    if (!is_root && !hb_text_is(metric, "sqeuclidean"))
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its metric is \"%s\"", HB_SHOW(metric, shown));
    if (!can_be_compared(&row, &rows))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore reads distances of each row from rows of the file, of float32 or float64");
    HB_TRY(add_distances(file, &row, &rows, HB_METRIC_SQUARED_EUCLIDEAN, 0, is_root, &value));
    HB_TRY(hb_onnx_reshape_value(file, node, &row, (const int64_t[2]){1, rows.dims[0]}, 2));
    return hb_onnx_give_numbers(file, node, &row, value);
}

/* ---- the Scan of distances */

typedef struct body {
    hb_onnx_file *file; /* with the graph of the Scan in it */
    hbs_text row, other, distance;
} body;

static const hb_onnx_node *maker_of(const body *b, hbs_text name)
{
    for (size_t i = 0; i < b->file->n_nodes; i++)
        if (b->file->nodes[i].n_outputs == 1 && hb_text_equal(b->file->nodes[i].outputs[0], name))
            return &b->file->nodes[i];
    return NULL;
}

/* The node of this operator that makes the value, behind nodes that do nothing; NULL: another one does. */
static const hb_onnx_node *made_by(const body *b, hbs_text name, const char *op)
{
    const hb_onnx_node *node = maker_of(b, name);

    for (size_t i = 0; node && i < b->file->n_nodes && hb_text_is(node->op, "Identity") && node->n_inputs == 1; i++)
        node = maker_of(b, node->inputs[0]);
    return node && hb_text_is(node->op, op) && node->n_inputs > 0 ? node : NULL;
}

/* Over the columns, which go. */
static hbs_status is_over_columns(hb_onnx_file *file, const hb_onnx_node *node, bool *is)
{
    const int64_t *axes;
    int64_t keep;
    size_t n;

    HB_TRY(hb_onnx_integers(file, node, 1, "axes", &axes, &n));
    HB_TRY(hb_onnx_integer(file, node, "keepdims", 1, &keep));
    *is = n == 1 && (axes[0] == 1 || axes[0] == -1) && keep == 0;
    return HBS_OK;
}

static bool is_difference(const body *b, hbs_text name)
{
    const hb_onnx_node *sub = made_by(b, name, "Sub");

    return sub && sub->n_inputs == 2 &&
           ((hb_text_equal(sub->inputs[0], b->row) && hb_text_equal(sub->inputs[1], b->other)) ||
            (hb_text_equal(sub->inputs[0], b->other) && hb_text_equal(sub->inputs[1], b->row)));
}

/* The power of the sum's terms, |x - y| each; 0: it is none. */
static hbs_status read_power(const body *b, hbs_text terms, double *power)
{
    const hb_onnx_node *raised = made_by(b, terms, "Pow"), *size;
    hb_onnx_value exponent;

    *power = 1;
    if (raised && raised->n_inputs == 2) {
        HB_TRY(hb_onnx_operand(b->file, raised, 1, &exponent));
        *power = exponent.form == HB_ONNX_CONSTANT && exponent.width == 1 ? hb_onnx_item(&exponent, 0) : 0;
        terms = raised->inputs[0];
    }
    size = made_by(b, terms, "Abs");
    if (!size || !is_difference(b, size->inputs[0]) || !(*power > 0) || isinf(*power))
        *power = 0;
    return HBS_OK;
}

/* Finds the distance of its state from the slice that the graph is, if it is one. */
static hbs_status recognize(const body *b, bool *is, hb_metric *metric, double *power)
{
    const hb_onnx_node *squares = made_by(b, b->distance, "ReduceSumSquare"),
                       *sum = made_by(b, b->distance, "ReduceSum");

    *is = false;
    *metric = HB_METRIC_SQUARED_EUCLIDEAN;
    *power = 0;
    if (squares && is_difference(b, squares->inputs[0]))
        return is_over_columns(b->file, squares, is);
    if (!sum)
        return HBS_OK;
    HB_TRY(read_power(b, sum->inputs[0], power));
    if (*power == 0)
        return HBS_OK;
    *metric = *power == 1 ? HB_METRIC_MANHATTAN : *power == 2 ? HB_METRIC_SQUARED_EUCLIDEAN : HB_METRIC_MINKOWSKI;
    return is_over_columns(b->file, sum, is);
}

hbs_status hb_onnx_scan_distances(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *row,
                                  const hb_onnx_value *rows, bool *is, hb_onnx_value *made)
{
    body b = {file, {"", 0}, {"", 0}, {"", 0}};
    hb_metric metric = HB_METRIC_DOT;
    const hb_onnx_node *kept;
    double power = 0;

    *is = false;
    if (file->n_inputs != 2 || file->n_outputs != 2 || !can_be_compared(row, rows))
        return HBS_OK;
    b.row = file->inputs[0].name;
    b.other = file->inputs[1].name;
    b.distance = file->outputs[1].name;
    kept = maker_of(&b, file->outputs[0].name);
    if (!kept || !hb_text_is(kept->op, "Identity") || !hb_text_equal(kept->inputs[0], b.row))
        return HBS_OK;
    HB_TRY(recognize(&b, is, &metric, &power));
    if (!*is)
        return HBS_OK;
    *made = *row;
    HB_TRY(add_distances(file, row, rows, metric, power, false, &made->value));
    HB_TRY(hb_onnx_reshape_value(file, node, made, (const int64_t[2]){rows->dims[0], 1}, 2));
    made->row = row->row < 0 ? -1 : 1;
    made->columns = NULL;
    made->is_float32 = false;
    made->place_of = NULL;
    made->model = NULL;
    hb_onnx_sums(file, row->type);
    return HBS_OK;
}
