/* onnx_tf_idf.c - TfIdfVectorizer: how often each sequence of words (n-gram) comes. */
#include <math.h>
#include <string.h>

#include "format/onnx.h"
#include "format/vocabulary.h"

typedef struct counting {
    int64_t least, most, skipped;
    const hb_onnx_attribute *starts, *indexes;
    bool of_numbers; /* words are whole numbers */
    hbs_text *pool;
    size_t n_pool;
    hb_sequences sequences;
    uint32_t *columns; /* [indexes->count]: of each sequence of the pool, or HB_NO_COLUMN: it counts nothing */
    size_t n_outputs;
} counting;

static hbs_status read_limits(hb_onnx_file *file, const hb_onnx_node *node, counting *c)
{
    HB_TRY(hb_onnx_integer(file, node, "min_gram_length", 0, &c->least));
    HB_TRY(hb_onnx_integer(file, node, "max_gram_length", 0, &c->most));
    HB_TRY(hb_onnx_integer(file, node, "max_skip_count", 0, &c->skipped));
    if (c->least < 1 || c->most < c->least || c->skipped < 0)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it counts %lld to %lld words, and skips up to %lld",
                              (long long)c->least, (long long)c->most, (long long)c->skipped);
    if (c->most > HB_MOST_GRAM || c->skipped > HB_MOST_SKIPPED)
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "hbscore reads sequences of up to %d words, which skip up to %d",
                              HB_MOST_GRAM, HB_MOST_SKIPPED);
    return HBS_OK;
}

static hbs_status read_numbers(hb_onnx_file *file, const hb_onnx_node *node, counting *c)
{
    const hb_onnx_attribute *integers;
    hb_onnx_items items;
    int64_t *numbers;

    HB_TRY(hb_onnx_attribute_find(file, node, "pool_int64s", HB_ONNX_KIND_INTS, &integers));
    c->n_pool = integers ? integers->count : 0;
    if (c->n_pool == 0)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has no pool_int64s");
    numbers = hb_arena_array(&file->arena, c->n_pool, sizeof(*numbers));
    c->pool = hb_arena_array(&file->arena, c->n_pool, sizeof(*c->pool));
    if (!numbers || !c->pool)
        return hb_no_memory(file->arena.memory, file->error);
    items = hb_onnx_items_of(integers);
    for (size_t i = 0; i < c->n_pool; i++) {
        numbers[i] = hb_onnx_next_integer(&items);
        c->pool[i] = hb_number_word(&numbers[i]);
        HB_TRY(hb_worked(file->bytes.work, 4, file->error));
    }
    return file->bytes.status;
}

static hbs_status read_words(hb_onnx_file *file, const hb_onnx_node *node, counting *c)
{
    HB_TRY(hb_onnx_text_list(file, node, "pool_strings", &c->pool, &c->n_pool));
    if (c->n_pool == 0)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has no pool_strings");
    return HBS_OK;
}

static hbs_status read_pool(hb_onnx_file *file, const hb_onnx_node *node, counting *c)
{
    HB_TRY(c->of_numbers ? read_numbers(file, node, c) : read_words(file, node, c));
    HB_TRY(hb_onnx_attribute_find(file, node, "ngram_counts", HB_ONNX_KIND_INTS, &c->starts));
    HB_TRY(hb_onnx_attribute_find(file, node, "ngram_indexes", HB_ONNX_KIND_INTS, &c->indexes));
    if (!c->starts || !c->indexes || c->starts->count == 0 || c->indexes->count == 0)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has no ngram_counts or no ngram_indexes");
    return HBS_OK;
}

/* One column for each index up to the largest. */
static hbs_status read_index(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_items *items, counting *c,
                             uint32_t *index)
{
    int64_t i = hb_onnx_next_integer(items);

    if (i < 0)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has the index %lld", (long long)i);
    if (i >= HB_MAX_OUTPUTS)
        return hb_onnx_refuse(
            file, node, HBS_E_LIMIT,
            "it has the index %lld, the limit is %d columns: register the fitted object with Python's "
            "hbscore.register(connection, name, estimator), whose counts are sparse",
            (long long)i, HB_MAX_OUTPUTS);
    *index = (uint32_t)i;
    c->n_outputs = (size_t)i >= c->n_outputs ? (size_t)i + 1 : c->n_outputs;
    return hb_worked(file->bytes.work, 8, file->error);
}

/* The sequences of `length` words, at [begin, end) of the pool. Those that are too short or too long count nothing. */
static hbs_status add_sequences(hb_onnx_file *file, const hb_onnx_node *node, counting *c, size_t length, size_t begin,
                                size_t end, hb_onnx_items *indexes, size_t *n_indexes)
{
    uint32_t *ends = (uint32_t *)c->sequences.ends, *outputs = (uint32_t *)c->sequences.outputs;
    hbs_text *texts = (hbs_text *)c->sequences.texts;
    bool counts = (int64_t)length >= c->least && (int64_t)length <= c->most;

    if ((end - begin) % length)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its pool has %zu words for sequences of %zu", end - begin,
                              length);
    for (size_t i = begin; i < end; i += length) {
        size_t n = c->sequences.n, at = n ? ends[n - 1] : 0;
        uint32_t index = 0;

        if (++*n_indexes > c->indexes->count)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu indexes, and more sequences",
                                  c->indexes->count);
        HB_TRY(read_index(file, node, indexes, c, &index));
        c->columns[*n_indexes - 1] = counts ? index : HB_NO_COLUMN;
        if (!counts)
            continue;
        memcpy(texts + at, c->pool + i, length * sizeof(*texts));
        ends[n] = (uint32_t)(at + length);
        outputs[n] = index;
        c->sequences.n++;
    }
    return HBS_OK;
}

static hbs_status make_sequences(hb_onnx_file *file, const hb_onnx_node *node, counting *c)
{
    hb_onnx_items starts = hb_onnx_items_of(c->starts), indexes = hb_onnx_items_of(c->indexes);
    size_t begin = (size_t)hb_onnx_next_integer(&starts), n_indexes = 0;

    c->sequences.ends = hb_arena_array(&file->arena, c->n_pool, sizeof(uint32_t));
    c->sequences.outputs = hb_arena_array(&file->arena, c->n_pool, sizeof(uint32_t));
    c->sequences.texts = hb_arena_array(&file->arena, c->n_pool, sizeof(hbs_text));
    c->columns = hb_arena_array(&file->arena, c->indexes->count, sizeof(*c->columns));
    if (!c->sequences.ends || !c->sequences.outputs || !c->sequences.texts || !c->columns)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t length = 1; length <= c->starts->count; length++) {
        size_t end = length < c->starts->count ? (size_t)hb_onnx_next_integer(&starts) : c->n_pool;

        if (begin > end || end > c->n_pool || (length == 1 && begin != 0))
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its ngram_counts do not rise to its %zu words", c->n_pool);
        HB_TRY(add_sequences(file, node, c, length, begin, end, &indexes, &n_indexes));
        begin = end;
    }
    if (n_indexes != c->indexes->count)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu indexes for %zu sequences", c->indexes->count,
                              n_indexes);
    if (c->starts->count < (size_t)c->most)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT,
                              "its ngram_counts are for sequences of up to %zu words, its max_gram_length is %lld",
                              c->starts->count, (long long)c->most);
    return file->bytes.status;
}

/* ---- weights */

/* The weight of each column is that of its sequences. */
static hbs_status read_weights(hb_onnx_file *file, const hb_onnx_node *node, const counting *c, const double **weights)
{
    float *numbers;
    double *made;
    size_t n;

    *weights = NULL;
    HB_TRY(hb_onnx_floats(file, node, "weights", &numbers, &n));
    if (n == 0)
        return HBS_OK;
    if (n != c->indexes->count)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu weights for %zu sequences", n, c->indexes->count);
    made = hb_arena_array(&file->pipeline->arena, c->n_outputs, sizeof(*made));
    if (!made)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < c->n_outputs; i++)
        made[i] = NAN;
    for (size_t i = 0; i < n; i++) {
        uint32_t column = c->columns[i];

        if (!isfinite(numbers[i]))
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "weight %zu is not finite", i);
        if (column == HB_NO_COLUMN)
            continue;
        if (!isnan(made[column]) && made[column] != (double)numbers[i])
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "two sequences count in column %u with two weights",
                                  (unsigned)column);
        made[column] = (double)numbers[i];
    }
    for (size_t i = 0; i < c->n_outputs; i++)
        made[i] = isnan(made[i]) ? 0 : made[i]; /* nothing counts there */
    *weights = made;
    return hb_worked(file->bytes.work, n + c->n_outputs, file->error);
}

static size_t combined(hb_onnx_file *file, size_t value, hb_combine_function function, size_t n, const double *numbers)
{
    return hb_pipeline_add(
        file->pipeline, HB_OPERATOR_COMBINE, value,
        &(hb_fit_combine){.function = function, .rounding = HB_ROUND_FLOAT32, .n_outputs = n, .numbers = numbers});
}

static bool is_any_negative(const double *weights, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (weights[i] < 0)
            return true;
    return false;
}

static double *zeros_of(hb_onnx_file *file, size_t n)
{
    return hb_arena_array(&file->pipeline->arena, n, sizeof(double));
}

/* TF: counts. IDF: the weights of what is there. TFIDF: counts times weights. No word at all is 0, never -0: 0 is added
 * where a weight is negative. */
static hbs_status weigh(hb_onnx_file *file, const hb_onnx_node *node, const counting *c, size_t *value)
{
    char shown[HB_EXCERPT_BUFFER];
    const double *weights;
    double *zeros;
    hbs_text mode;

    HB_TRY(hb_onnx_word(file, node, "mode", "", &mode));
    if (hb_text_is(mode, "TF"))
        return HBS_OK;
    if (!hb_text_is(mode, "IDF") && !hb_text_is(mode, "TFIDF"))
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its mode is \"%s\"", HB_SHOW(mode, shown));
    HB_TRY(read_weights(file, node, c, &weights));
    if (hb_text_is(mode, "IDF")) {
        zeros = zeros_of(file, c->n_outputs);
        if (!zeros)
            return hb_no_memory(file->arena.memory, file->error);
        *value = combined(file, *value, HB_COMBINE_GREATER, c->n_outputs, zeros);
    }
    if (weights)
        *value = combined(file, *value, HB_COMBINE_MULTIPLY, c->n_outputs, weights);
    if (weights && is_any_negative(weights, c->n_outputs)) {
        zeros = zeros_of(file, c->n_outputs);
        if (!zeros)
            return hb_no_memory(file->arena.memory, file->error);
        *value = combined(file, *value, HB_COMBINE_ADD, c->n_outputs, zeros);
    }
    return HBS_OK;
}

/* ---- the operator */

static hbs_status make_counts(hb_onnx_file *file, const hb_onnx_node *node, counting *c, hb_fit_text_counts *fit)
{
    size_t same;

    HB_TRY(read_limits(file, node, c));
    HB_TRY(read_pool(file, node, c));
    HB_TRY(make_sequences(file, node, c));
    hb_memory_allow(file->arena.memory, 64 * c->n_pool);
    HB_TRY(hb_grams_make(file->pipeline, &c->sequences, &fit->words, &fit->grams, &same, file->error));
    if (same < c->sequences.n)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its pool has a sequence of words twice");
    fit->of_numbers = c->of_numbers;
    fit->most_skipped = (size_t)c->skipped;
    fit->n_outputs = c->n_outputs;
    return HBS_OK;
}

/* ---- whole numbers */

/* A table's row has one list, a vector or the row of a matrix. */
static hbs_status add_list(hb_onnx_file *file, const hb_onnx_node *node, size_t source, size_t first, size_t n,
                           const counting *c, const hb_fit_text_counts *fit, size_t *value)
{
    uint32_t *columns = hb_arena_array(&file->pipeline->arena, n, sizeof(*columns));

    if (!columns)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < n; i++)
        columns[i] = (uint32_t)(first + i);
    *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_SELECT, source,
                             &(hb_fit_select){.n_columns = n, .columns = columns});
    *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_TEXT_COUNTS, *value, fit);
    return weigh(file, node, c, value);
}

static hbs_status count_numbers(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *numbers)
{
    size_t n_lists = numbers->n_dims == 2 ? (size_t)numbers->dims[0] : 1, value = 0;
    uint32_t *lists = hb_arena_array(&file->pipeline->arena, n_lists, sizeof(*lists));
    hb_fit_text_counts fit = {.n_outputs = 0};
    counting c = {.of_numbers = true};
    size_t source = hb_onnx_wide(file, numbers);
    int64_t dims[2] = {(int64_t)n_lists, 0};

    if (!lists)
        return hb_no_memory(file->arena.memory, file->error);
    HB_TRY(make_counts(file, node, &c, &fit));
    dims[1] = (int64_t)c.n_outputs;
    numbers->type = HB_ONNX_FLOAT;
    for (size_t i = 0; i < n_lists; i++) {
        HB_TRY(
            add_list(file, node, source, i * (numbers->width / n_lists), numbers->width / n_lists, &c, &fit, &value));
        lists[i] = (uint32_t)value;
    }
    if (n_lists > 1)
        value = hb_pipeline_add_of(file->pipeline, HB_OPERATOR_CONCAT, lists, n_lists, NULL);
    if (numbers->n_dims == 2)
        HB_TRY(hb_onnx_reshape_value(file, node, numbers, dims, 2));
    else
        HB_TRY(hb_onnx_reshape_value(file, node, numbers, dims + 1, 1));
    return hb_onnx_give_numbers(file, node, numbers, value);
}

/* ---- texts */

static hbs_status count_words(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_fit_text_counts fit = {.n_outputs = 0};
    counting c = {.of_numbers = false};
    hb_onnx_value texts, made = {.type = HB_ONNX_FLOAT};
    int64_t dims[2] = {1, 1};
    size_t value;

    HB_TRY(hb_onnx_texts(file, node, &texts, &fit.tokenizer));
    HB_TRY(make_counts(file, node, &c, &fit));
    HB_TRY(hb_onnx_missing(file, &fit.missing, &fit.missing_size));
    HB_TRY(hb_onnx_claim_texts(file, &texts));
    value = hb_pipeline_add(file->pipeline, HB_OPERATOR_TEXT_COUNTS, hb_onnx_wide(file, &texts), &fit);
    HB_TRY(weigh(file, node, &c, &value));
    dims[1] = (int64_t)c.n_outputs;
    HB_TRY(hb_onnx_reshape_value(file, node, &made, dims, 2));
    made.row = 0;
    return hb_onnx_give_numbers(file, node, &made, value);
}

hbs_status hb_onnx_tf_idf_vectorizer(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_value *named = hb_onnx_named(file, node->inputs[0]);
    hb_onnx_value numbers;

    if (!named || named->form != HB_ONNX_NUMBERS || named->type == HB_ONNX_STRING)
        return count_words(file, node);
    HB_TRY(hb_onnx_operand(file, node, 0, &numbers));
    if ((numbers.type != HB_ONNX_INT64 && numbers.type != HB_ONNX_INT32) || numbers.n_dims > 2 || numbers.width == 0)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it of texts, int32 and int64 of the row");
    return count_numbers(file, node, &numbers);
}
