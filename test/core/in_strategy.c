/* in_strategy.c - see in_strategy.h. */
#include "in_strategy.h"

#include <stdlib.h>
#include <string.h>

/* Perfect trees: each isa has one of the last two. */
static hb_row_form form_of(const hb_kernels *kernels, int k)
{
    return k == 0 ? HB_ROW_WALK : k == 1 ? HB_ROW_EXITS : kernels->leaf_tables ? HB_ROW_PERFECT : HB_ROW_SUBTREES;
}

/* Of bits with single rows in form k; others have but the first block. */
static void make_block(in_strategy *s, const hb_forest_model *sealed, const hb_kernels *kernels, int k, in_isa *isa)
{
    hb_flat flat = {NULL, 1};
    hb_forest_choice choice = isa->choice;
    hb_row_form form = form_of(kernels, k);
    hb_bits_program program;
    const hb_forest_plan *plan;
    uint64_t offset, counted;
    hbs_error error;

    if (choice.bits) {
        program = *choice.bits;
        choice.bits = &program;
        assert_status(hb_row_compile(sealed, form, &s->arena, &program, &error), HBS_OK, &error);
    }
    if (k > 0 && (!choice.bits || program.row_form != form))
        return;
    assert_status(hb_forest_compile(sealed, &choice, &flat, &s->memory.work, &offset, &error), HBS_OK, &error);
    counted = flat.size;
    isa->block[k] = malloc((size_t)counted);
    assert_non_null(isa->block[k]);
    memset(isa->block[k], 0xA5, (size_t)counted);
    flat = (hb_flat){isa->block[k], 1};
    assert_status(hb_forest_compile(sealed, &choice, &flat, &s->memory.work, &offset, &error), HBS_OK, &error);
    assert_int_equal(flat.size, counted);
    plan = hb_flat_at(isa->block[k], offset);
    assert_int_equal(plan->strategy, s->strategy);
    if (!sealed->has_categories) /* no row of such bits looks at a node */
        assert_int_equal(plan->nodes == 0, choice.bits && sealed->leaf_width == 1);
    isa->program[k] = plan->program;
    isa->plan[k] = offset;
    if (s->is_wide)
        isa->wide = hb_forest_view64(isa->block[k], offset);
    else
        isa->narrow = hb_forest_view32(isa->block[k], offset);
    isa->has_row[k] = choice.bits && hb_row_view(isa->block[k], plan->program,
                                                 s->is_wide ? isa->wide.trees : isa->narrow.trees, &isa->row[k]);
}

/* False where the strategy cannot hold the forest, which is so in every isa or in none. */
static bool compile_for(in_strategy *s, const hb_forest_model *sealed, const hb_kernels *kernels, in_isa *isa)
{
    hbs_error error;

    assert_status(hb_forest_choose(sealed, s->strategy, kernels, &s->arena, &isa->choice, &error), HBS_OK, &error);
    if (isa->choice.why || (s->strategy == HBS_STRATEGY_TT && !isa->choice.compact.fits)) {
        assert_int_equal(isa->choice.strategy, HBS_STRATEGY_TT);
        assert_ptr_equal(isa, s->isas);
        return false;
    }
    assert_int_equal(isa->choice.strategy, s->strategy);
    for (int k = 0; k < IN_ROW_FORMS; k++)
        make_block(s, sealed, kernels, k, isa);
    return true;
}

bool in_strategy_begin(in_strategy *s, hbs_strategy strategy, const hb_forest_model *sealed, const hbs_host *host)
{
    hb_forest_room room;
    size_t bytes;

    *s = (in_strategy){.is_wide = sealed->wide, .strategy = strategy};
    hb_memory_init(&s->memory, host, 0);
    hb_arena_init(&s->arena, &s->memory);
    for (size_t i = 0; hb_kernels_at(i); i++)
        if (!compile_for(s, sealed, hb_kernels_at(i), &s->isas[i])) {
            hb_arena_release(&s->arena);
            return false;
        }
    room = hb_forest_work(sealed, &s->isas[0].choice);
    bytes = room.tile + room.run + room.row * HB_BITS_ROWS;
    s->work = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_true(s->work || !bytes);
    return true;
}

void in_strategy_end(in_strategy *s)
{
    free(s->work);
    for (int i = 0; i < IN_ISAS; i++)
        for (int k = 0; k < IN_ROW_FORMS; k++)
            free(s->isas[i].block[k]);
    hb_arena_release(&s->arena);
}

/* The whole call; `trees` says how they are evaluated. */
static void score(const in_strategy *s, size_t i, const hb_trees *trees, const void *base, const void *x, size_t stride,
                  size_t rows, void *sums)
{
    const void *const inputs[] = {x, base};

    assert_true(hb_evaluate(&(hb_call){.evaluate = hb_evaluators[HB_OPERATOR_TREE_ENSEMBLE],
                                       .kernels = hb_kernels_at(i),
                                       .dtype = s->is_wide ? HB_DTYPE_FLOAT64 : HB_DTYPE_FLOAT32,
                                       .stride = stride,
                                       .rows = rows,
                                       .width = s->is_wide ? s->isas[i].wide.n_outputs : s->isas[i].narrow.n_outputs,
                                       .input = x,
                                       .inputs = inputs,
                                       .trees = trees,
                                       .output = sums}));
}

void in_strategy_score(const in_strategy *s, size_t i, const void *base, const void *x, bool is_float32, size_t stride,
                       size_t rows, void *sums)
{
    hb_trees trees = {.narrow = &s->isas[i].narrow,
                      .wide = &s->isas[i].wide,
                      .work = s->work,
                      .is_float32 = is_float32,
                      .blas = s->blas};
    const void *block = s->isas[i].block[0];
    uint64_t program = s->isas[i].program[0];
    hb_bits_forest bits;
    hb_gemm_forest gemm;
    hb_ptt_forest ptt;
    hb_compact_forest compact;

    if (s->strategy == HBS_STRATEGY_BITS) {
        bits = hb_bits_view(block, program);
        trees.bits = &bits;
    } else if (s->strategy == HBS_STRATEGY_GEMM) {
        gemm = hb_gemm_view(block, program);
        trees.gemm = &gemm;
    } else if (s->strategy == HBS_STRATEGY_PTT) {
        ptt = hb_ptt_view(block, program);
        trees.ptt = &ptt;
    } else if (is_float32 || !s->is_wide) {
        compact = hb_compact_view(block, s->isas[i].plan[0]);
        trees.compact = &compact;
    }
    score(s, i, &trees, base, x, stride, rows, sums);
}

void in_strategy_score_rows(const in_strategy *s, size_t k, size_t i, const void *base, const void *x, size_t stride,
                            size_t rows, void *sums)
{
    const hb_trees trees = {.narrow = &s->isas[i].narrow, .wide = &s->isas[i].wide, .row = &s->isas[i].row[k]};

    assert_true(s->isas[i].has_row[k]);
    score(s, i, &trees, base, x, stride, rows, sums);
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
