/* json_lists.c - a row's JSON text to the list of its features. A row with a number that is not finite has no result,
 * as whatever scikit-learn has behind refuses it. */
#include <math.h>

#include "base/murmur_hash.h"
#include "base/sort.h"
#include "op/execution.h"

enum { AT_ONCE = 1 << 12 /* items between two questions to the host */ };

/* The features of one row. */
typedef struct collecting {
    const hb_fit_json_lists *fit;
    hb_lists *lists;
    hb_work *work;
    hb_vector *term; /* a name with a text */
} collecting;

/* The name; or it, the separator and the text. bytes NULL: no memory, or it is longer than each word. */
static hbs_text term_of(const collecting *c, const hb_json_feature *feature)
{
    const char *bytes = c->lists->json.bytes.items;
    size_t size = (size_t)feature->name_size + c->fit->n_separator + feature->text_size;

    if (feature->text_size == HB_JSON_NUMBER)
        return (hbs_text){bytes + feature->name, feature->name_size};
    c->term->count = 0;
    if (!c->fit->hashes && size > c->fit->longest)
        return (hbs_text){NULL, 0};
    if (!hb_vector_append(c->term, bytes + feature->name, feature->name_size) ||
        !hb_vector_append(c->term, c->fit->separator, c->fit->n_separator) ||
        !hb_vector_append(c->term, bytes + feature->text, feature->text_size)) {
        c->lists->failed = true;
        return (hbs_text){NULL, 0};
    }
    return (hbs_text){c->term->items, size};
}

static bool put_column(collecting *c, uint32_t column, double number)
{
    c->lists->failed =
        !hb_vector_append(&c->lists->found, &column, 1) || !hb_vector_append(&c->lists->amounts, &number, 1);
    return !c->lists->failed;
}

/* The least whole number of a type, and how many it has. */
static const struct {
    double least, count;
} integers[] = {[HB_LIST_I8] = {-0x1p63, 0x1p64}, [HB_LIST_I1] = {-0x1p7, 0x1p8}, [HB_LIST_U1] = {0, 0x1p8},
                [HB_LIST_I2] = {-0x1p15, 0x1p16}, [HB_LIST_U2] = {0, 0x1p16},     [HB_LIST_I4] = {-0x1p31, 0x1p32},
                [HB_LIST_U4] = {0, 0x1p32}};

/* numpy refuses a number that its integers do not hold: NaN. */
static double in_dtype(const collecting *c, double number)
{
    uint32_t dtype = c->fit->dtype;

    if (dtype == HB_LIST_FLOAT64)
        return number;
    if (dtype == HB_LIST_FLOAT32)
        return (float)number;
    number = trunc(number) + 0.0; /* there is no -0 */
    return number >= integers[dtype].least && number < integers[dtype].least + integers[dtype].count ? number
                                                                                                     : (double)NAN;
}

/* The sum of two numbers of the type. That of small integers wraps round. */
static double add(const collecting *c, double a, double b)
{
    uint32_t dtype = c->fit->dtype;

    if (dtype <= HB_LIST_I8)
        return in_dtype(c, a + b);
    return a + b - integers[dtype].count * floor((a + b - integers[dtype].least) / integers[dtype].count);
}

/* The magnitude of the hash as a signed number, modulo the columns. */
static bool take_hash(collecting *c, hbs_text term, double number)
{
    uint32_t hash, columns = (uint32_t)c->fit->n_columns;

    if (!hb_murmur_hash(term, 0, &hash, c->work))
        return false;
    return put_column(c, (hash >> 31 ? 0u - hash : hash) % columns,
                      hash >> 31 && c->fit->alternates ? in_dtype(c, -number) : number);
}

static bool take_feature(collecting *c, const hb_json_feature *feature)
{
    double number = feature->text_size == HB_JSON_NUMBER ? in_dtype(c, feature->number) : 1;
    hbs_text term;
    uint32_t word;

    if (number == 0)
        return true;
    term = term_of(c, feature);
    if (!term.bytes)
        return !c->lists->failed;
    if (!hb_goes_on(c->work, 8 + term.size / 4))
        return false;
    if (c->fit->hashes)
        return take_hash(c, term, number);
    word = hb_word_find(&c->fit->words, term);
    return word == HB_NO_WORD || put_column(c, c->fit->columns[word], number);
}

/* ---- in order */

static int compare_columns(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *columns = context;

    return columns[a] != columns[b] ? (columns[a] < columns[b] ? -1 : 1) : a < b ? -1 : a > b;
}

static bool sort_found(collecting *c)
{
    hb_vector *order = &c->lists->sorted;
    size_t n = c->lists->found.count;

    order->count = 0;
    c->lists->failed = !hb_vector_append(order, NULL, n);
    if (c->lists->failed)
        return false;
    for (size_t i = 0; i < n; i++) {
        ((uint32_t *)order->items)[i] = (uint32_t)i;
        if (i % AT_ONCE == AT_ONCE - 1 && !hb_goes_on(c->work, AT_ONCE))
            return false;
    }
    return hb_sort(order->items, n, compare_columns, c->lists->found.items, c->work);
}

/* Numbers of one column are added up. *finite: all sums are. */
static bool put_sums(collecting *c, bool *finite)
{
    const uint32_t *order = c->lists->sorted.items, *columns = c->lists->found.items;
    const double *amounts = c->lists->amounts.items;
    size_t n = c->lists->found.count;

    *finite = true;
    if (!hb_lists_reserve(c->lists, n))
        return false;
    for (size_t i = 0, k; i < n; i = k) {
        double sum = amounts[order[i]];

        for (k = i + 1; k < n && columns[order[k]] == columns[order[i]]; k++) {
            sum = add(c, sum, amounts[order[k]]);
            if (k % AT_ONCE == AT_ONCE - 1 && !hb_goes_on(c->work, AT_ONCE))
                return false;
        }
        if (!hb_goes_on(c->work, 4))
            return false;
        *finite &= isfinite(sum);
        if (sum != 0)
            hb_lists_put(c->lists, columns[order[i]], sum);
    }
    return true;
}

/* ---- rows */

static bool collect(collecting *c, hbs_text json, bool *finite)
{
    hb_json_fault fault;
    const hb_json_feature *features;

    c->lists->found.count = c->lists->amounts.count = 0;
    if (!json.bytes)
        return put_sums(c, finite);
    if (!hb_json_features_read((hb_json_form)c->fit->form, json, &c->lists->json, c->work, &fault)) {
        c->lists->failed = !c->work->stopped; /* whoever has bound the row has read the text already */
        return false;
    }
    features = c->lists->json.features.items;
    for (size_t i = 0; i < c->lists->json.features.count; i++)
        if (!take_feature(c, &features[i]))
            return false;
    return sort_found(c) && put_sums(c, finite);
}

static hbs_text text_at(const hb_call *call, double place)
{
    if (call->texts && place >= 0 && place < (double)call->texts->n)
        return call->texts->at[(size_t)place];
    return (hbs_text){NULL, 0};
}

bool hb_evaluate_json_lists(const hb_call *call)
{
    hb_work nobody = {.cancelled = NULL};
    collecting c = {.fit = call->fit, .lists = call->lists, .work = call->polls ? call->polls : &nobody};
    double *out = call->output;
    bool finite;

    for (size_t r = 0; r < call->rows; r++) {
        out[r] = NAN;
        if (!call->lists)
            continue;
        c.term = &call->lists->room.joined;
        if (!collect(&c, text_at(call, ((const double *)call->input)[r]), &finite) || !hb_lists_end(c.lists, &out[r]))
            return false;
        if (!finite && call->refusal)
            hb_refuse_number(call->refusal, r, &(const hb_failure){.words = NULL}, 0, (double)NAN);
    }
    return true;
}
