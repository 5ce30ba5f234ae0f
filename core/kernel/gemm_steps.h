/* gemm_steps.h - algorithm 1 of gemm_kernel.h for one type of numbers. Private to gemm_tensors.c, which says before
 * what `number`, `forest_type` and TYPED(name) are, what leaf_number and goes_left do, and which product is the BLAS's.
 */

/* As many numbers as the instruction set takes at once, anywhere in memory. */
typedef number TYPED(lanes) __attribute__((vector_size(8 * HB_LANES), aligned(4), may_alias));

enum { TYPED(WIDTH) = 8 * HB_LANES / sizeof(number), TYPED(ROWS) = VECTORS * 8 * HB_LANES / sizeof(number) };

/* ---- products: out = in * weights, for all HB_GEMM_ROWS rows */

/* `n` outputs (a constant of the caller) of TYPED(ROWS) rows. */
HB_INLINE void TYPED(multiply_block)(const number *in, size_t inputs, const number *weights, size_t n, number *out)
{
    TYPED(lanes) sum[OUTPUTS][VECTORS];

    for (size_t o = 0; o < n; o++)
        for (size_t v = 0; v < VECTORS; v++)
            sum[o][v] = (TYPED(lanes)){0};
    for (size_t i = 0; i < inputs; i++)
        for (size_t v = 0; v < VECTORS; v++) {
            TYPED(lanes) x = *(const TYPED(lanes) *)(in + i * HB_GEMM_ROWS + v * TYPED(WIDTH));

            for (size_t o = 0; o < n; o++)
                sum[o][v] += x * weights[o * inputs + i];
        }
    for (size_t o = 0; o < n; o++)
        for (size_t v = 0; v < VECTORS; v++)
            *(TYPED(lanes) *)(out + o * HB_GEMM_ROWS + v * TYPED(WIDTH)) = sum[o][v];
}

static void TYPED(multiply_plainly)(const number *in, size_t inputs, const number *weights, size_t outputs, number *out)
{
    size_t o = 0;

    for (; o + OUTPUTS <= outputs; o += OUTPUTS)
        for (size_t r = 0; r < HB_GEMM_ROWS; r += TYPED(ROWS))
            TYPED(multiply_block)(in + r, inputs, weights + o * inputs, OUTPUTS, out + o * HB_GEMM_ROWS + r);
    for (; o < outputs; o++)
        for (size_t r = 0; r < HB_GEMM_ROWS; r += TYPED(ROWS))
            TYPED(multiply_block)(in + r, inputs, weights + o * inputs, 1, out + o * HB_GEMM_ROWS + r);
}

static void TYPED(multiply)(const hbs_blas *blas, size_t rows, const number *in, size_t inputs, const number *weights,
                            size_t outputs, number *out)
{
    if (!blas || inputs == 0 || outputs == 0) {
        TYPED(multiply_plainly)(in, inputs, weights, outputs, out);
        return;
    }
    memset(out, 0, outputs * HB_GEMM_ROWS * sizeof(*out));
    blas->TYPED(add_product)(blas->context, rows, outputs, inputs, in, HB_GEMM_ROWS, weights, inputs, out,
                             HB_GEMM_ROWS);
}

/* ---- a block */

static uint32_t TYPED(take_column)(const number *x, size_t rows, number *to, number *missing)
{
    int nans = 0, infinities = 0;

    for (size_t r = 0; r < rows; r++) {
        int nan = x[r] != x[r];

        nans |= nan;
        infinities |= x[r] - x[r] != 0 && !nan;
        to[r] = nan ? 0 : x[r];
        missing[r] = (number)nan;
    }
    return (nans ? HB_GEMM_MISSING : 0u) | (infinities ? HB_GEMM_INFINITE : 0u);
}

static uint32_t TYPED(take)(const hb_gemm_forest *gemm, const number *x, size_t stride, size_t rows, number *work)
{
    const hb_gemm_room room = hb_gemm_room_of(gemm);
    uint32_t seen = 0;

    if (rows < HB_GEMM_ROWS)
        memset(work, 0, room.a * sizeof(*work));
    for (size_t f = 0; f < gemm->n_features; f++)
        seen |= TYPED(take_column)(x + f * stride, rows, work + room.x + f * HB_GEMM_ROWS,
                                   work + room.missing + f * HB_GEMM_ROWS);
    return seen;
}

/* ---- a tree */

static void TYPED(make_paths)(const hb_gemm_tree *tree, const hb_gemm_node *nodes, number *c, number *d)
{
    memset(c, 0, (size_t)tree->n_leaves * tree->n_tests * sizeof(*c));
    for (size_t l = 0; l < tree->n_leaves; l++, c += tree->n_tests) {
        uint32_t up = nodes[tree->leaves + l].up;

        for (d[l] = 0; up != HB_GEMM_ROOT; up = nodes[tree->tests + up / 2].up) {
            c[up / 2] = up & 1 ? -1 : 1;
            d[l] += (number)(up & 1 ? 0 : 1);
        }
    }
}

static void TYPED(make_tensors)(const hb_gemm_forest *gemm, const forest_type *forest, const hb_gemm_tree *tree,
                                number *work)
{
    const hb_gemm_room room = hb_gemm_room_of(gemm);
    const hb_gemm_node *nodes = gemm->nodes;

    memset(work + room.a, 0, tree->n_tests * gemm->n_features * sizeof(*work));
    for (size_t k = 0; k < tree->n_tests; k++) {
        uint32_t test = forest->nodes[nodes[tree->tests + k].node].test;

        work[room.a + k * gemm->n_features + (test & FEATURE)] = 1;
    }
    TYPED(make_paths)(tree, nodes, work + room.c, work + room.d);
    for (size_t l = 0; l < tree->n_leaves; l++)
        for (size_t o = 0; o < gemm->leaf_width; o++)
            work[room.e + o * tree->n_leaves + l] = leaf_number(forest, nodes[tree->leaves + l].node, o);
}

/* T < B, with defaults: 1 where the row goes left. */
static void TYPED(decide)(const forest_type *forest, const hb_gemm_node *tests, size_t n_tests, bool missing, number *t,
                          const number *defaulted)
{
    for (size_t k = 0; k < n_tests; k++, t += HB_GEMM_ROWS, defaulted += HB_GEMM_ROWS)
        for (size_t r = 0; r < HB_GEMM_ROWS; r++)
            t[r] = goes_left(&forest->nodes[tests[k].node], t[r], missing ? defaulted[r] : 0);
}

static void TYPED(arrive)(size_t n_leaves, const number *d, number *here)
{
    for (size_t l = 0; l < n_leaves; l++, here += HB_GEMM_ROWS)
        for (size_t r = 0; r < HB_GEMM_ROWS; r++)
            here[r] = here[r] == d[l] ? 1 : 0;
}

static void TYPED(find_leaves)(const hb_gemm_forest *gemm, const forest_type *forest, const hb_gemm_tree *tree,
                               size_t rows, bool missing, const hbs_blas *blas, number *work)
{
    const hb_gemm_room room = hb_gemm_room_of(gemm);

    TYPED(make_tensors)(gemm, forest, tree, work);
    TYPED(multiply)(blas, rows, work + room.x, gemm->n_features, work + room.a, tree->n_tests, work + room.t);
    if (missing)
        TYPED(multiply)
    (blas, rows, work + room.missing, gemm->n_features, work + room.a, tree->n_tests, work + room.defaulted);
    TYPED(decide)(forest, gemm->nodes + tree->tests, tree->n_tests, missing, work + room.t, work + room.defaulted);
    TYPED(multiply)(blas, rows, work + room.t, tree->n_tests, work + room.c, tree->n_leaves, work + room.here);
    TYPED(arrive)(tree->n_leaves, work + room.d, work + room.here);
    TYPED(multiply)(blas, rows, work + room.here, tree->n_leaves, work + room.e, gemm->leaf_width, work + room.r);
}

static void TYPED(add)(const hb_gemm_forest *gemm, const forest_type *forest, size_t first, size_t end, size_t stride,
                       size_t rows, bool missing, const hbs_blas *blas, number *work, number *sums)
{
    const hb_gemm_room room = hb_gemm_room_of(gemm);

    for (size_t t = first; t < end; t++) {
        const hb_gemm_tree *tree = &gemm->trees[t];
        number *to = sums + (gemm->leaf_width > 1 ? 0 : tree->output * stride);

        TYPED(find_leaves)(gemm, forest, tree, rows, missing, blas, work);
        for (size_t o = 0; o < gemm->leaf_width; o++)
            for (size_t r = 0; r < rows; r++)
                to[o * stride + r] += work[room.r + o * HB_GEMM_ROWS + r];
    }
}
