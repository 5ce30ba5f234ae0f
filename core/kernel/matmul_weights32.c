/* matmul_weights32.c - see matmul64.h: products with weights in float32. The sums so far wait in the result, where
 * float64 holds them. The lanes of a sum are rows of the tile, or of a few rows columns of the weights; some items of
 * the other side share what is loaded of them. So the order of each sum stays. */
#include "kernel/float_lanes.h"
#include "kernel/lanes.h"
#include "kernel/matmul64.h"

enum {
    TERMS = 64, /* at a time: 3 KB of items */
    ITEMS = HB_ISA_AVX512 ? 12 : 6,
    VECTORS = 2,
    AT_ONCE = VECTORS * LANES /* lanes whose sums stay in registers */
};

/* Numbers [terms][..] of one side: how far they are apart. */
typedef struct side {
    const double *numbers;
    size_t term, next, n;
} side;

/* One left row and the columns of the weights, or one row of the tile and all left rows. Lanes stand side by side. */
typedef struct product {
    side lanes, items;
    double *out;
    size_t lane, item; /* how far results are apart */
    size_t terms;
} product;

/* Some of them; what is behind the items that are there is multiplied too. */
typedef struct block {
    const double *lanes;
    double *out;
    size_t term, lane, item; /* as of the product */
    size_t n_lanes, n_items, terms;
    bool is_first;
    float items[TERMS][ITEMS];
} block;

HB_INLINE size_t rounded_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* The first n of HB_LANES numbers (a constant HB_LANES, or fewer); the others are 0. */
HB_INLINE hb_lanes some_of(const double *from, size_t n)
{
#if HB_ISA_AVX512
    return n < HB_LANES ? (hb_lanes)_mm512_maskz_loadu_pd((__mmask8)((1u << n) - 1), from) : hb_get(from, HB_LANES);
#else
    return hb_get(from, n);
#endif
}

/* Numbers that float32 holds; the lanes behind the n are 0. */
HB_INLINE lanes narrowed(const double *from, size_t n)
{
    hb_lanes low = some_of(from, n < HB_LANES ? n : HB_LANES);
    hb_lanes high = n <= HB_LANES ? (hb_lanes){0} : some_of(from + HB_LANES, n - HB_LANES);

#if HB_ISA_AVX512
    return (lanes)_mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps((__m512d)low)),
                                     _mm512_cvtpd_ps((__m512d)high), 1);
#elif HB_ISA_AVX2
    return (lanes)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps((__m256d)low)),
                                       _mm256_cvtpd_ps((__m256d)high), 1);
#else
    lanes made;

    for (size_t i = 0; i < HB_LANES; i++) {
        made[i] = (float)low[i];
        made[HB_LANES + i] = (float)high[i];
    }
    return made;
#endif
}

/* The items of some terms; those behind the ones that are there are 0. */
HB_INLINE void take_items(block *b, const side *from, size_t first, size_t term)
{
    for (size_t t = 0; t < b->terms; t++) {
        const double *numbers = from->numbers + (term + t) * from->term + first * from->next;

        for (size_t k = 0; k < b->n_items; k++)
            b->items[t][k] = (float)numbers[k * from->next];
        for (size_t k = b->n_items; k < ITEMS; k++)
            b->items[t][k] = 0;
    }
}

/* The first n of the lanes. */
HB_INLINE void widen(lanes x, size_t n, double *to)
{
    hb_lanes low, high;

#if HB_ISA_AVX512
    low = (hb_lanes)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)x));
    high = (hb_lanes)_mm512_cvtps_pd(_mm512_extractf32x8_ps((__m512)x, 1));
#elif HB_ISA_AVX2
    low = (hb_lanes)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)x));
    high = (hb_lanes)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)x, 1));
#else
    for (size_t i = 0; i < HB_LANES; i++) {
        low[i] = (double)x[i];
        high[i] = (double)x[HB_LANES + i];
    }
#endif
    hb_put(to, n < HB_LANES ? n : HB_LANES, low);
    hb_put(to + HB_LANES, n < HB_LANES ? 0 : n - HB_LANES, high);
}

/* Item k of the lanes from `first` on, of which n are there. */
HB_INLINE lanes sums_so_far(const block *b, size_t k, size_t first, size_t n)
{
    const double *out = b->out + k * b->item + first * b->lane;
    double apart[LANES];

    if (b->is_first || k >= b->n_items)
        return (lanes){0};
    if (b->lane == 1)
        return narrowed(out, n);
    for (size_t i = 0; i < n; i++)
        apart[i] = out[i * b->lane];
    return narrowed(apart, n);
}

HB_INLINE void put_sums(const block *b, size_t k, size_t first, size_t n, lanes sums)
{
    double *out = b->out + k * b->item + first * b->lane, apart[LANES];

    if (b->lane == 1) {
        widen(same_nan(sums), n, out);
        return;
    }
    widen(same_nan(sums), LANES, apart);
    for (size_t i = 0; i < n; i++)
        out[i * b->lane] = apart[i];
}

/* The count of n lanes that vector v has. */
HB_INLINE size_t of_vector(size_t n, size_t v)
{
    size_t first = v * LANES;

    return n < first ? 0 : n - first < LANES ? n - first : LANES;
}

/* The next terms of the sums of n lanes (AT_ONCE, a constant of the caller, or fewer) in these vectors (a constant). */
HB_INLINE void add_terms(const block *b, size_t vectors, size_t n)
{
    lanes sums[ITEMS][VECTORS];

    for (size_t k = 0; k < ITEMS; k++)
        for (size_t v = 0; v < vectors; v++)
            sums[k][v] = sums_so_far(b, k, v * LANES, of_vector(n, v));
    for (size_t t = 0; t < b->terms; t++)
        for (size_t v = 0; v < vectors; v++) {
            lanes in = narrowed(b->lanes + t * b->term + v * LANES, of_vector(n, v));

            for (size_t k = 0; k < ITEMS; k++)
                sums[k][v] = fused(in, b->items[t][k], sums[k][v]);
        }
    for (size_t k = 0; k < ITEMS; k++)
        for (size_t v = 0; v < vectors && k < b->n_items; v++)
            put_sums(b, k, v * LANES, of_vector(n, v), sums[k][v]);
}

HB_NOINLINE void add_terms_of_all(const block *b)
{
    add_terms(b, VECTORS, AT_ONCE);
}

HB_NOINLINE void add_terms_of_some(const block *b)
{
    if (b->n_lanes <= LANES)
        add_terms(b, 1, b->n_lanes);
    else
        add_terms(b, 2, b->n_lanes);
}

static void multiply(const product *p)
{
    block b = {.term = p->lanes.term, .lane = p->lane, .item = p->item};

    for (size_t term = 0; term < p->terms; term += TERMS)
        for (size_t first = 0; first < p->items.n; first += ITEMS) {
            b.terms = p->terms - term < TERMS ? p->terms - term : TERMS;
            b.n_items = p->items.n - first < ITEMS ? p->items.n - first : ITEMS;
            b.is_first = term == 0;
            take_items(&b, &p->items, first, term);
            for (size_t lane = 0; lane < p->lanes.n; lane += AT_ONCE) {
                b.n_lanes = p->lanes.n - lane < AT_ONCE ? p->lanes.n - lane : AT_ONCE;
                b.lanes = p->lanes.numbers + term * p->lanes.term + lane;
                b.out = p->out + first * p->item + lane * p->lane;
                if (b.n_lanes == AT_ONCE)
                    add_terms_of_all(&b);
                else
                    add_terms_of_some(&b);
            }
        }
}

/* A left row and all columns; the lanes are rows of the tile. */
static void over_rows(const hb_tile64 *tile, const hb_right_matrix *right, size_t i, size_t out_pitch)
{
    const product p = {
        .lanes = {tile->in + i * tile->width * tile->stride, tile->stride, 1, tile->rows},
        .items = {right->items, right->pitch, 1, right->columns},
        .out = tile->out + i * out_pitch * tile->stride,
        .lane = 1,
        .item = tile->stride,
        .terms = tile->width,
    };

    multiply(&p);
}

/* All left rows of a row of the tile; the lanes are columns. */
static void over_columns(const hb_tile64 *tile, size_t left_rows, const hb_right_matrix *right, size_t r,
                         size_t out_pitch)
{
    const product p = {
        .lanes = {right->items, right->pitch, 1, right->columns},
        .items = {tile->in + r, tile->stride, tile->width * tile->stride, left_rows},
        .out = tile->out + r,
        .lane = tile->stride,
        .item = out_pitch * tile->stride,
        .terms = tile->width,
    };

    multiply(&p);
}

void HB_KERNEL(hb_matmul_weights32)(const hb_tile64 *tile, size_t left_rows, const hb_right_matrix *right,
                                    size_t out_pitch)
{
    size_t by_rows = rounded_up(tile->rows, AT_ONCE) * left_rows * rounded_up(right->columns, ITEMS);
    size_t by_columns = tile->rows * rounded_up(left_rows, ITEMS) * rounded_up(right->columns, AT_ONCE);

    if (by_rows < by_columns)
        for (size_t i = 0; i < left_rows; i++)
            over_rows(tile, right, i, out_pitch);
    else
        for (size_t r = 0; r < tile->rows; r++)
            over_columns(tile, left_rows, right, r, out_pitch);
}
