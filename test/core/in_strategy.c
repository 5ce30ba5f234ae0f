/* in_strategy.c - see in_strategy.h. */
#include "in_strategy.h"

#include <stdlib.h>
#include <string.h>

static const hb_row_form forms[IN_ROW_FORMS] = {HB_ROW_WALK, HB_ROW_EXITS, HB_ROW_PERFECT, HB_ROW_SUBTREES};

static void make_block(in_strategy *s, const hb_forest_model *sealed, const hbs_host *host, int i)
{
    hb_flat flat = {NULL, 1};
    hb_forest_choice choice = s->choice;
    hb_bits_program program;
    const hb_forest_plan *plan;
    uint64_t offset, counted;
    hbs_error error;

    if (choice.bits) {
        program = *choice.bits;
        choice.bits = &program;
        assert_status(hb_row_compile(sealed, forms[i], &s->arena, &program, &error), HBS_OK, &error);
    }
    assert_status(hb_forest_compile(sealed, &choice, &flat, &s->memory.work, &offset, &error), HBS_OK, &error);
    counted = flat.size;
    s->block[i] = malloc((size_t)counted);
    assert_non_null(s->block[i]);
    memset(s->block[i], 0xA5, (size_t)counted);
    flat = (hb_flat){s->block[i], 1};
    assert_status(hb_forest_compile(sealed, &choice, &flat, &s->memory.work, &offset, &error), HBS_OK, &error);
    assert_int_equal(flat.size, counted);
    plan = hb_flat_at(s->block[i], offset);
    assert_int_equal(plan->strategy, s->choice.strategy);
    if (!sealed->has_categories) /* no row of such bits looks at a node */
        assert_int_equal(plan->nodes == 0, choice.bits && sealed->leaf_width == 1);
    s->program[i] = plan->program;
    s->plan[i] = offset;
    if (s->is_wide)
        s->wide = hb_wide_forest_view(s->block[i], offset);
    else
        s->narrow = hb_forest_view(s->block[i], offset);
    s->has_row[i] = s->choice.strategy == HBS_STRATEGY_BITS &&
                    hb_row_view(s->block[i], plan->program, s->is_wide ? s->wide.trees : s->narrow.trees, &s->row[i]);
}

bool in_strategy_begin(in_strategy *s, hbs_strategy strategy, const hb_forest_model *sealed, const hbs_host *host)
{
    hb_forest_room room;
    size_t bytes;
    hbs_error error;

    *s = (in_strategy){.is_wide = sealed->wide};
    hb_memory_init(&s->memory, host, 0);
    hb_arena_init(&s->arena, &s->memory);
    assert_status(hb_forest_choose(sealed, strategy, &s->arena, &s->choice, &error), HBS_OK, &error);
    if (s->choice.why || (strategy == HBS_STRATEGY_TT && !s->choice.compact.fits)) {
        assert_int_equal(s->choice.strategy, HBS_STRATEGY_TT);
        hb_arena_release(&s->arena);
        return false;
    }
    assert_int_equal(s->choice.strategy, strategy);
    setenv("HBSCORE_INSTRUCTION_SET", "portable", 1);
    make_block(s, sealed, host, 0);
    unsetenv("HBSCORE_INSTRUCTION_SET");
    for (int i = 1; i < IN_ROW_FORMS; i++)
        make_block(s, sealed, host, i);
    room = hb_forest_work(sealed, &s->choice);
    bytes = room.tile + room.run + room.row * HB_BITS_ROWS;
    s->work = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_true(s->work || !bytes);
    return true;
}

void in_strategy_end(in_strategy *s)
{
    free(s->work);
    for (int i = 0; i < IN_ROW_FORMS; i++)
        free(s->block[i]);
    hb_arena_release(&s->arena);
}

static hb_call call_of(const in_strategy *s, size_t i, const void *base, const void *x, size_t stride, size_t rows,
                       void *sums)
{
    return (hb_call){.kernels = hb_kernels_at(i),
                     .kind = HB_TENSOR_TREE_ENSEMBLE,
                     .dtype = s->is_wide ? HB_DTYPE_FLOAT64 : HB_DTYPE_FLOAT32,
                     .stride = stride,
                     .rows = rows,
                     .width = s->is_wide ? s->wide.n_outputs : s->narrow.n_outputs,
                     .input = x,
                     .base = base,
                     .forest = &s->narrow,
                     .wide = &s->wide,
                     .output = sums};
}

void in_strategy_score(const in_strategy *s, size_t i, const void *base, const void *x, bool is_float32, size_t stride,
                       size_t rows, void *sums)
{
    hb_call call = call_of(s, i, base, x, stride, rows, sums);
    size_t at = call.kernels->planes ? 1 : 0;
    const void *block = s->block[at];
    uint64_t program = s->program[at];
    hb_bits_forest bits;
    hb_gemm_forest gemm;
    hb_ptt_forest ptt;
    hb_compact_forest compact;

    call.work = s->work;
    call.is_float32 = is_float32;
    call.blas = s->blas;
    if (s->choice.strategy == HBS_STRATEGY_BITS) {
        bits = hb_bits_view(block, program);
        assert_int_equal(bits.planes, call.kernels->planes);
        call.bits = &bits;
    } else if (s->choice.strategy == HBS_STRATEGY_GEMM) {
        gemm = hb_gemm_view(block, program);
        call.gemm = &gemm;
    } else if (s->choice.strategy == HBS_STRATEGY_PTT) {
        ptt = hb_ptt_view(block, program);
        call.ptt = &ptt;
    } else if (is_float32 || !s->is_wide) {
        compact = hb_compact_view(block, s->plan[at]);
        call.compact = &compact;
    }
    assert_true(hb_evaluate(&call));
}

void in_strategy_score_rows(const in_strategy *s, size_t k, size_t i, const void *base, const void *x, size_t stride,
                            size_t rows, void *sums)
{
    hb_call call = call_of(s, i, base, x, stride, rows, sums);

    assert_true(s->has_row[k]);
    call.row = &s->row[k];
    assert_true(hb_evaluate(&call));
}

/* ---- a BLAS */

static bool enter(void *context)
{
    return true;
}

static void leave(void *context)
{
}

static void add_product(void *context, size_t rows, size_t outputs, size_t inputs, const double *in, size_t in_stride,
                        const double *weights, size_t weights_stride, double *out, size_t out_stride)
{
    for (size_t o = 0; o < outputs; o++)
        for (size_t i = inputs; i-- > 0;) /* an order of its own */
            for (size_t r = 0; r < rows; r++)
                out[o * out_stride + r] += in[i * in_stride + r] * weights[o * weights_stride + i];
}

static void add_product32(void *context, size_t rows, size_t outputs, size_t inputs, const float *in, size_t in_stride,
                          const float *weights, size_t weights_stride, float *out, size_t out_stride)
{
    for (size_t o = 0; o < outputs; o++)
        for (size_t i = inputs; i-- > 0;)
            for (size_t r = 0; r < rows; r++)
                out[o * out_stride + r] += in[i * in_stride + r] * weights[o * weights_stride + i];
}

static const hbs_blas in_plain_c = {NULL, enter, add_product, add_product32, leave};

/* ---- by all strategies that hold it */

size_t in_strategies_begin(in_strategy made[HBS_N_STRATEGIES + 1], const hb_forest_model *sealed, const hbs_host *host)
{
    size_t n = 0;

    for (hbs_strategy s = HBS_STRATEGY_TT; s < HBS_N_STRATEGIES; s++) {
        n += in_strategy_begin(&made[n], s, sealed, host);
        if (s != HBS_STRATEGY_GEMM || !in_strategy_begin(&made[n], s, sealed, host))
            continue;
        made[n++].blas = &in_plain_c;
    }
    return n;
}
