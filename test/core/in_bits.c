/* in_bits.c - see in_bits.h. */
#include "in_bits.h"

#include <stdlib.h>
#include <string.h>

static void make_block(in_bits *b, const hb_forest_model *sealed, const hbs_host *host, int i)
{
    hb_flat flat = {NULL, 1};
    uint64_t offset, counted;
    hbs_error error;

    assert_status(hb_forest_compile(sealed, &b->choice, &flat, host, &offset, &error), HBS_OK, &error);
    counted = flat.size;
    b->block[i] = malloc((size_t)counted);
    assert_non_null(b->block[i]);
    memset(b->block[i], 0xA5, (size_t)counted);
    flat = (hb_flat){b->block[i], 1};
    assert_status(hb_forest_compile(sealed, &b->choice, &flat, host, &offset, &error), HBS_OK, &error);
    assert_int_equal(flat.size, counted);
    b->bits[i] = hb_bits_view(b->block[i], ((const hb_forest_plan *)hb_flat_at(b->block[i], offset))->bits);
    if (b->is_wide)
        b->wide = hb_wide_forest_view(b->block[i], offset);
    else
        b->narrow = hb_forest_view(b->block[i], offset);
    b->has_row = hb_row_view(b->block[i], ((const hb_forest_plan *)hb_flat_at(b->block[i], offset))->bits,
                             b->is_wide ? b->wide.trees : b->narrow.trees, &b->row);
}

void in_bits_begin(in_bits *b, const hb_forest_model *sealed, const hbs_host *host)
{
    hbs_error error;

    *b = (in_bits){.is_wide = sealed->wide};
    hb_memory_init(&b->memory, host, 0);
    hb_arena_init(&b->arena, &b->memory);
    assert_status(hb_forest_choose(sealed, HBS_STRATEGY_BITS, &b->arena, host, &b->choice, &error), HBS_OK,
                  &error);
    assert_null(b->choice.why);
    setenv("HBSCORE_INSTRUCTION_SET", "portable", 1);
    make_block(b, sealed, host, 0);
    unsetenv("HBSCORE_INSTRUCTION_SET");
    make_block(b, sealed, host, 1);
    b->work = aligned_alloc(64, hb_forest_work(&b->choice) + 64);
    assert_non_null(b->work);
}

void in_bits_end(in_bits *b)
{
    free(b->work);
    free(b->block[0]);
    free(b->block[1]);
    hb_arena_release(&b->arena);
}

static hb_call call_of(const in_bits *b, size_t i, const void *base, const void *x, size_t stride,
                       size_t rows, void *sums)
{
    return (hb_call){.kernels = hb_kernels_at(i),
                     .kind = HB_TENSOR_TREE_ENSEMBLE,
                     .dtype = b->is_wide ? HB_DTYPE_FLOAT64 : HB_DTYPE_FLOAT32,
                     .stride = stride,
                     .rows = rows,
                     .width = b->bits[0].n_outputs,
                     .input = x,
                     .base = base,
                     .forest = &b->narrow,
                     .wide = &b->wide,
                     .output = sums};
}

void in_bits_score(const in_bits *b, size_t i, const void *base, const void *x, bool is_float32,
                   size_t stride, size_t rows, void *sums)
{
    hb_call call = call_of(b, i, base, x, stride, rows, sums);

    call.bits = &b->bits[call.kernels->planes];
    call.work = b->work;
    call.is_float32 = is_float32;
    assert_int_equal(call.bits->planes, call.kernels->planes);
    assert_true(hb_evaluate(&call));
}

void in_bits_score_rows(const in_bits *b, size_t i, const void *base, const void *x, size_t stride,
                        size_t rows, void *sums)
{
    hb_call call = call_of(b, i, base, x, stride, rows, sums);

    assert_true(b->has_row);
    call.row = &b->row;
    assert_true(hb_evaluate(&call));
}
