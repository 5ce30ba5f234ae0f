/* encoders.c - categories to numbers, and to columns of 0 and 1. */
#include "ir/meaning.h"

static hbs_status check_encoder(const hb_pipeline *pipeline, const hb_node *node, const hb_encoder *encoder,
                                hbs_error *error)
{
    HB_CHECK(encoder->n_columns == hb_input_width(&pipeline->graph, node), error);
    HB_CHECK(encoder->width > 0 && encoder->width <= HB_MAX_OUTPUTS, error);
    for (size_t c = 0; c < encoder->n_columns; c++) {
        const hb_encoder_column *column = &encoder->columns[c];

        HB_CHECK((uint64_t)column->first + column->count <= encoder->n_values, error);
        for (uint32_t i = column->first + 1; i < column->first + column->count; i++) {
            HB_TRY(hb_worked(&pipeline->arena.memory->work, 1, error));
            HB_CHECK(encoder->values[i - 1] < encoder->values[i], error);
        }
    }
    return HBS_OK;
}

/* Every output of a column is among its own columns of the result. */
static hbs_status validate_onehot(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_encoder *encoder = &((const hb_fit_onehot *)node->fit)->model;

    HB_TRY(check_encoder(pipeline, node, encoder, error));
    for (size_t c = 0; c < encoder->n_columns; c++) {
        const hb_encoder_column *column = &encoder->columns[c];
        size_t end = c + 1 < encoder->n_columns ? column[1].base : encoder->width;
        int64_t most = (int64_t)end - (int64_t)column->base;

        HB_CHECK(most >= 0 && column->missing < most && column->unknown < most, error);
        for (uint32_t i = column->first; i < column->first + column->count; i++) {
            HB_TRY(hb_worked(&pipeline->arena.memory->work, 1, error));
            HB_CHECK(encoder->outputs[i] < most, error);
        }
    }
    return HBS_OK;
}

static void onehot_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_onehot *)node->fit)->model.width;
}

static hbs_status validate_recode(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_encoder *encoder = &((const hb_fit_recode *)node->fit)->model;

    HB_CHECK(encoder->width == encoder->n_columns, error);
    return check_encoder(pipeline, node, encoder, error);
}

const hb_meaning hb_meaning_onehot = {.validate = validate_onehot, .shape = onehot_shape};
const hb_meaning hb_meaning_recode = {.validate = validate_recode};
