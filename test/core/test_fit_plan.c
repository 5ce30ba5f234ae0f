/* test_fit_plan.c - the parameters of each operator written into a plan and seen there: each value and each item as it
 * was, NULL where there was none, and zeros in all gaps, whatever these held before.
 *
 * All is made from operators.def, so that a new operator is tested without a line here; but a new nested struct needs a
 * function that fills it. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "op/execution.h"

enum { N = 5, M = 4, MOST_FIT = 512, ROOM = 1 << 16, NO_ARRAYS = 0, ALL_ARRAYS = -1 };

/* ---- parameters with a number of its own in each place */

typedef struct filling {
    uint32_t serial;
    int arrays;       /* bit i: whether array i is there */
    size_t n_arrays;  /* so far */
    char *room, *end; /* of items */
} filling;

static uint32_t next(filling *s)
{
    return ++s->serial;
}

static size_t next_size(filling *s)
{
    return 2 + next(s) % 3;
}

static bool has_next_array(filling *s)
{
    return s->arrays >> s->n_arrays++ & 1;
}

/* Items that are rising where they are uint32_t, as ends must be. */
static const void *take_items(filling *s, size_t bytes)
{
    uint32_t item = next(s);
    char *items = s->room;

    s->room += (bytes + 15) / 16 * 16;
    assert_true(s->room <= s->end);
    for (size_t i = 0; i < bytes; i += sizeof(item)) {
        item += 2;
        memcpy(items + i, &item, bytes - i < sizeof(item) ? bytes - i : sizeof(item));
    }
    return items;
}

static void fill_nested_encoder(filling *s, hb_encoder *model)
{
    model->n_columns = next_size(s);
    model->n_values = next_size(s);
    model->width = next_size(s);
}

static void fill_nested_bins(filling *s, hb_bins *model)
{
    model->n_columns = next_size(s);
}

static void fill_nested_lines(filling *s, hb_lines *model)
{
    model->n_columns = next_size(s);
}

static void fill_nested_csr(filling *s, hb_csr *csr)
{
    csr->n_weights = next_size(s);
}

static void fill_nested_statistics(filling *s, hb_category_statistics *model)
{
    model->n_equals = next_size(s);
    model->n_elements = next_size(s);
    model->n_statistics = next_size(s);
    model->n_tables = next_size(s);
    model->n_keys = next_size(s);
    model->n_counts = next_size(s);
}

static void fill_nested_words(filling *s, hb_words *words)
{
    words->n = next_size(s);
    words->n_bytes = next_size(s);
    words->n_slots = next_size(s);
}

static void fill_nested_tokenizer(filling *s, hb_tokenizer *tokenizer)
{
    tokenizer->casing = next(s);
    tokenizer->splitting = next(s);
    tokenizer->least = next_size(s);
    tokenizer->marks = next_size(s);
    tokenizer->expression_size = next_size(s);
    fill_nested_words(s, &tokenizer->stops);
}

static void fill_nested_rule(filling *s, hb_term_rule *rule)
{
    rule->unicode = next(s);
    rule->accents = next(s);
    rule->analyzer = next(s);
    rule->lowers = next(s);
    rule->least = next_size(s);
    rule->most = next_size(s);
    rule->expression_size = next_size(s);
    fill_nested_words(s, &rule->stops);
}

static void fill_nested_failure(filling *s, hb_failure *failure)
{
    failure->n_words = next_size(s);
}

static void fill_nested_grams(filling *s, hb_grams *grams)
{
    grams->n = next_size(s);
}

static void fill_nested_windows(filling *s, hb_windows *windows)
{
    for (size_t a = 0; a < 3; a++) {
        windows->in[a] = next(s);
        windows->out[a] = next(s);
        windows->kernel[a] = next(s);
        windows->stride[a] = next(s);
        windows->dilation[a] = next(s);
        windows->before[a] = next(s);
    }
}

/* For each operator a function that fills its struct, members only: gaps stay as they are. What plans do not need is a
 * pointer that must not come back. */
#define HB_OPERATOR(kind, name, stage, inputs, reads, demand, accuracy, place, makes, summary) \
    static void fill_##name(void *fit, size_t n, size_t m, filling *s)                         \
    {                                                                                          \
        hb_fit_##name *f = fit;                                                                \
                                                                                               \
        (void)f, (void)n, (void)m, (void)s;
#define HB_SCALAR(name, type, member) \
    f->member = (type) _Generic((type)0, bool : true, size_t : next_size(s), double : 0.5 + next(s), default : 1);
#define HB_FIXED(name, type, member, count) \
    for (size_t i = 0; i < (count); i++)    \
        f->member[i] = (type)(0.25 + next(s));
#define HB_NESTED(name, type, member)                    \
    _Generic((type *)NULL, hb_encoder *                  \
             : fill_nested_encoder, hb_bins *            \
             : fill_nested_bins, hb_lines *              \
             : fill_nested_lines, hb_term_rule *         \
             : fill_nested_rule, hb_csr *                \
             : fill_nested_csr, hb_category_statistics * \
             : fill_nested_statistics, hb_words *        \
             : fill_nested_words, hb_tokenizer *         \
             : fill_nested_tokenizer, hb_grams *         \
             : fill_nested_grams, hb_windows *           \
             : fill_nested_windows, hb_failure *         \
             : fill_nested_failure)(s, (type *)&(f->member));
#define HB_ARRAY(name, type, member, length) \
    f->member = has_next_array(s) ? take_items(s, sizeof(type) * (length)) : NULL;
#define HB_ARRAY_OF                 HB_ARRAY
#define HB_KEPT(name, type, member) f->member = (type)(uintptr_t)s->end;
#define HB_END(name)                }
#include "ir/operators.def"

/* ---- what is seen in the plan */

static void is_array(const char *what, const void *found, const void *expected, size_t bytes)
{
    if ((found == NULL) != (expected == NULL))
        fail_msg("%s is %s NULL", what, found ? "not" : "");
    if (expected && (found == expected || memcmp(found, expected, bytes) != 0))
        fail_msg("%s has other items, or is not a copy", what);
    assert_int_equal((uintptr_t)found % 16, 0);
}

/* For each operator a function that compares the arrays of `seen` and puts the written pointers in their place.. */
#define HB_OPERATOR(kind, name, stage, inputs, reads, demand, accuracy, place, makes, summary) \
    static void check_arrays_of_##name(const void *written, void *seen, size_t n, size_t m)    \
    {                                                                                          \
        const hb_fit_##name *f = written;                                                      \
        hb_fit_##name *g = seen;                                                               \
                                                                                               \
        (void)f, (void)g, (void)n, (void)m;
#define HB_ARRAY(name, type, member, length)                                                    \
    is_array(#name "." #member, g->member, f->member, f->member ? sizeof(type) * (length) : 0); \
    g->member = f->member;
#define HB_ARRAY_OF  HB_ARRAY
#define HB_END(name) }
#include "ir/operators.def"

/* ..and one that compares all else. */
#define HB_OPERATOR(kind, name, stage, inputs, reads, demand, accuracy, place, makes, summary) \
    static void check_values_of_##name(const void *written, const void *seen)                  \
    {                                                                                          \
        const hb_fit_##name *f = written, *g = seen;                                           \
                                                                                               \
        (void)f, (void)g;
#define SAME(name, member)                                      \
    if (memcmp(&f->member, &g->member, sizeof(f->member)) != 0) \
        fail_msg("%s is another one", #name "." #member);
#define HB_SCALAR(name, type, member)       SAME(name, member)
#define HB_FIXED(name, type, member, count) SAME(name, member)
#define HB_NESTED(name, type, member)       SAME(name, member)
#define HB_KEPT(name, type, member)         assert_null(g->member);
#define HB_END(name)                        }
#include "ir/operators.def"

static const struct {
    void (*fill)(void *fit, size_t n, size_t m, filling *s);
    void (*check_arrays)(const void *written, void *seen, size_t n, size_t m);
    void (*check_values)(const void *written, const void *seen);
} operators[HB_N_OPERATORS] = {
#define HB_OPERATOR(kind, name, stage, inputs, reads, demand, accuracy, place, makes, summary) \
    {fill_##name, check_arrays_of_##name, check_values_of_##name},
#include "ir/operators.def"
};

/* ---- a plan that is nothing but parameters */

typedef struct plan {
    union {
        char bytes[MOST_FIT];
        max_align_t aligned;
    } fit; /* as written */
    char *items, *block;
    uint64_t size, offset;
} plan;

/* Counts, then writes; what is never written is `garbage`, in the struct as in the block. */
static void write_plan(plan *p, hb_operator_kind kind, int arrays, int garbage)
{
    hb_flat flat = {NULL, 1}; /* offset 0 means none */
    filling s = {.arrays = arrays};
    uint64_t offset;

    assert_true(hb_operator_rows[kind].fit_size <= MOST_FIT);
    p->items = aligned_alloc(16, ROOM);
    assert_non_null(p->items);
    s.room = p->items;
    s.end = p->items + ROOM;
    memset(&p->fit, garbage, sizeof(p->fit));
    operators[kind].fill(&p->fit, N, M, &s);
    offset = hb_fit_write(&flat, kind, &p->fit, N, M);
    p->size = flat.size;
    p->block = aligned_alloc(64, (size_t)(p->size + 63) / 64 * 64);
    assert_non_null(p->block);
    memset(p->block, garbage, p->size);
    p->block[0] = 0;
    flat = (hb_flat){(uint8_t *)p->block, 1};
    p->offset = hb_fit_write(&flat, kind, &p->fit, N, M);
    assert_int_equal(p->offset, offset);
    assert_int_equal(flat.size, p->size);
}

static void release(plan *p)
{
    free(p->items);
    free(p->block);
}

static void check_plan(const plan *p, hb_operator_kind kind)
{
    plan seen;

    memset(&seen.fit, 0x77, sizeof(seen.fit));
    hb_fit_view(p->block, p->offset, kind, &seen.fit);
    if (hb_operator_rows[kind].fit_size > 0) {
        operators[kind].check_arrays(&p->fit, &seen.fit, N, M);
        operators[kind].check_values(&p->fit, &seen.fit);
    }
    for (size_t i = hb_operator_rows[kind].fit_size; i < sizeof(seen.fit); i++)
        assert_int_equal(seen.fit.bytes[i], 0x77); /* nothing behind the struct */
}

/* Bit i: array i is there. Edges and points lie where the ends say, so they are not there without these. */
static bool may_be(hb_operator_kind kind, int arrays)
{
    if (kind == HB_OPERATOR_INTERPOLATE)
        return arrays & 1 || !(arrays & 6);
    return kind != HB_OPERATOR_BINS || arrays & 1 || !(arrays & 2);
}

static void what_is_written_is_seen(void **state)
{
    for (size_t k = 0; k < HB_N_OPERATORS; k++)
        for (int arrays = NO_ARRAYS; arrays < 1 << 6; arrays++) {
            plan p;

            if (!may_be((hb_operator_kind)k, arrays))
                continue;
            write_plan(&p, (hb_operator_kind)k, arrays, 0xA5);
            check_plan(&p, (hb_operator_kind)k);
            release(&p);
        }
}

/* Equal models make equal plans. */
static void gaps_are_zeros(void **state)
{
    for (size_t k = 0; k < HB_N_OPERATORS; k++) {
        plan a, b;

        write_plan(&a, (hb_operator_kind)k, ALL_ARRAYS, 0xA5);
        write_plan(&b, (hb_operator_kind)k, ALL_ARRAYS, 0x5A);
        assert_int_equal(a.size, b.size);
        if (memcmp(a.block, b.block, a.size) != 0)
            fail_msg("%s: two plans of one model differ", hb_operator_name((hb_operator_kind)k));
        release(&a);
        release(&b);
    }
}

static void what_has_no_parameters_takes_no_room(void **state)
{
    static const hb_operator_kind kinds[] = {HB_OPERATOR_CONCAT, HB_OPERATOR_ROUND, HB_OPERATOR_SOFTMAX};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        hb_flat flat = {NULL, 1};

        assert_int_equal(hb_operator_rows[kinds[i]].fit_size, 0);
        assert_int_equal(hb_fit_write(&flat, kinds[i], NULL, N, M), 0);
        assert_int_equal(flat.size, 1);
    }
}

/* The rows that the code above goes through have what operators.def declares. */
static void the_table_has_all_members(void **state)
{
    static const struct {
        hb_operator_kind kind;
        size_t values, arrays;
    } cases[] = {{HB_OPERATOR_TABLE, 0, 0},     {HB_OPERATOR_CLIP, 1, 0},   {HB_OPERATOR_IMPUTE, 1, 1},
                 {HB_OPERATOR_INDICATOR, 2, 1}, {HB_OPERATOR_SCALE, 2, 2},  {HB_OPERATOR_CATEGORY_STATISTICS, 1, 6},
                 {HB_OPERATOR_DENSE, 3, 2},     {HB_OPERATOR_FOREST, 1, 0}, {HB_OPERATOR_SPARSE, 2, 4}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const hb_operator_row *row = &hb_operator_rows[cases[i].kind];
        size_t n[2] = {0, 0};

        for (size_t k = 0; k < row->n_members; k++)
            n[row->members[k].kind == HB_MEMBER_ARRAY]++;
        assert_int_equal(n[0], cases[i].values);
        assert_int_equal(n[1], cases[i].arrays);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_seen),
        cmocka_unit_test(gaps_are_zeros),
        cmocka_unit_test(what_has_no_parameters_takes_no_room),
        cmocka_unit_test(the_table_has_all_members),
    };

    return cmocka_run_group_tests_name("fit_plan", tests, NULL, NULL);
}
