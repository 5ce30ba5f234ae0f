/* every_encoders.c - encoders of the categories -1 and 2. */
#include "every_parts.h"

static hb_encoder make_encoder(test_pipeline *p, size_t width, size_t outputs_each)
{
    hb_encoder_column *columns = take(p, width, sizeof(*columns));

    FOR_COLUMNS columns[c] = (hb_encoder_column){.count = 2,
                                                 .feature = (uint32_t)c,
                                                 .base = (uint32_t)(outputs_each * c),
                                                 .missing = HB_OUTPUT_NONE,
                                                 .unknown = HB_OUTPUT_NONE,
                                                 .unknown_number = 7};
    return (hb_encoder){.n_columns = width,
                        .n_values = 2,
                        .width = outputs_each * width,
                        .columns = columns,
                        .values = take_numbers(p, 2, -1, 3)};
}

static void set_onehot(test_pipeline *p, every_setting *op, size_t width)
{
    int32_t *outputs = take(p, 2, sizeof(*outputs));

    outputs[1] = 1;
    op->fit.onehot.model = make_encoder(p, width, 2);
    op->fit.onehot.model.outputs = outputs;
}

static void expect_onehot(const double *x, size_t width, double *y)
{
    FOR_COLUMNS
    {
        y[2 * c] = x[c] == -1;
        y[2 * c + 1] = x[c] == 2;
    }
}

static void set_recode(test_pipeline *p, every_setting *op, size_t width)
{
    op->fit.recode.model = make_encoder(p, width, 1);
    op->fit.recode.model.numbers = take_numbers(p, 2, 10, 10);
}

EXPECT(recoded, x == -1 ? 10 : x == 2 ? 20 : 7)

/* ---- the list */

/* clang-format off */
const every_operator every_encoders_rows[] = {
    ROW(ONEHOT, set_onehot, expect_onehot, 0, FLOAT64, DECISION)
    ROW(RECODE, set_recode, expect_recoded, 0, FLOAT64, EXACT)
};
/* clang-format on */

const size_t n_every_encoders = sizeof(every_encoders_rows) / sizeof(every_encoders_rows[0]);
