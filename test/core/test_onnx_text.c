/* test_onnx_text.c - ONNX files that split texts and count words: what a row gives, and what is refused. */
#include <math.h>
#include <stdio.h>

#include "onnx_fixture.h"

/* A change of a node: what it has beside, or instead of, what is usual. */
typedef void attributes(test_message *node);

/* The nodes Normalizer (if any), Tokenizer and TfIdfVectorizer, from a text "X" to numbers "Y". */
typedef struct text_file {
    attributes *normalizer, *tokenizer, *counts; /* NULL: no node; the usual; the usual */
    int64_t columns;                             /* of X; 0: one */
} text_file;

static void words_of_letters(test_message *node)
{
    test_put_word(node, "tokenexp", "[a-z]+");
}

static void put_lengths(test_message *node, int64_t least, int64_t most, int64_t skipped)
{
    test_put_integer_attribute(node, "min_gram_length", least);
    test_put_integer_attribute(node, "max_gram_length", most);
    test_put_integer_attribute(node, "max_skip_count", skipped);
}

/* cat, dog and a, to columns 0, 1 and 4; cat dog and dog dog, to 2 and 3. */
static void put_pool(test_message *node, size_t n_starts, const int64_t *starts, size_t n_indexes,
                     const int64_t *indexes)
{
    static const char *const pool[] = {"cat", "dog", "a", "cat", "dog", "dog", "dog"};

    test_put_words(node, "pool_strings", 7, pool);
    test_put_integers(node, "ngram_counts", n_starts, starts);
    test_put_integers(node, "ngram_indexes", n_indexes, indexes);
}

static const int64_t usual_starts[2] = {0, 3}, usual_indexes[5] = {0, 1, 4, 2, 3};

static void counts_up_to_two(test_message *node)
{
    test_put_word(node, "mode", "TF");
    put_lengths(node, 1, 2, 0);
    put_pool(node, 2, usual_starts, 5, usual_indexes);
}

static test_message write_file(const text_file *what)
{
    test_message graph = {.size = 0}, model = {.size = 0}, node;
    test_message in = test_port("X", 8, -1, what->columns ? what->columns : 1), out = test_port("Y", 1, -1, 5);

    if (what->normalizer) {
        node = test_node("", "StringNormalizer", "X", "N");
        what->normalizer(&node);
        test_put_message(&graph, 1, &node);
    }
    node = test_node("com.microsoft", "Tokenizer", what->normalizer ? "N" : "X", "T");
    (what->tokenizer ? what->tokenizer : words_of_letters)(&node);
    test_put_message(&graph, 1, &node);
    node = test_node("", "TfIdfVectorizer", "T", "Y");
    (what->counts ? what->counts : counts_up_to_two)(&node);
    test_put_message(&graph, 1, &node);
    test_put_message(&graph, 11, &in);
    test_put_message(&graph, 12, &out);
    test_put_integer(&model, 1, 8);
    test_put_message(&model, 7, &graph);
    return model;
}

/* ---- what a row gives */

static void lower(test_message *node)
{
    test_put_word(node, "case_change_action", "LOWER");
}

static void by_separator(test_message *node)
{
    static const char *const separators[2] = {" ", ";"};

    test_put_words(node, "separators", 2, separators);
}

static void longer_than_one(test_message *node)
{
    words_of_letters(node);
    test_put_integer_attribute(node, "mincharnum", 2);
}

static void all_characters(test_message *node)
{
    test_put_word(node, "tokenexp", ".");
}

/* A line end is one, too. */
static void count_line_ends(test_message *node)
{
    static const char *const pool[] = {"a", "\n"};
    static const int64_t starts[] = {0}, indexes[] = {4, 2};

    test_put_word(node, "mode", "TF");
    put_lengths(node, 1, 1, 0);
    test_put_words(node, "pool_strings", 2, pool);
    test_put_integers(node, "ngram_counts", 1, starts);
    test_put_integers(node, "ngram_indexes", 2, indexes);
}

static void pairs_only(test_message *node)
{
    test_put_word(node, "mode", "TF");
    put_lengths(node, 2, 2, 1);
    put_pool(node, 2, usual_starts, 5, usual_indexes);
}

static void put_weights(test_message *node)
{
    static const float weights[5] = {0.5f, 2, 3, 0.1f, 7};

    put_lengths(node, 1, 2, 0);
    put_pool(node, 2, usual_starts, 5, usual_indexes);
    test_put_floats(node, "weights", 5, weights);
}

static void weigh_presence(test_message *node)
{
    test_put_word(node, "mode", "IDF");
    put_weights(node);
}

static void weigh_counts(test_message *node)
{
    test_put_word(node, "mode", "TFIDF");
    put_weights(node);
}

static void weigh_less(test_message *node)
{
    static const float weights[5] = {-1, 2, -3, 1, 1};

    test_put_word(node, "mode", "TFIDF");
    put_lengths(node, 1, 2, 0);
    put_pool(node, 2, usual_starts, 5, usual_indexes);
    test_put_floats(node, "weights", 5, weights);
}

static void a_row_has_the_counts_of_its_words(void **state)
{
    static const struct {
        text_file file;
        const char *text;
        double counts[5];
    } cases[] = {
        {{.normalizer = NULL}, "cat dog dog, a CAT dog", {1, 3, 1, 1, 1}},
        {{.normalizer = NULL}, "", {0}},
        {{.normalizer = NULL}, "\xC3\xA9 \xF0\x9F\x99\x82", {0}},
        {{.normalizer = lower}, "CAT DOG", {1, 1, 1, 0, 0}},
        {{.tokenizer = by_separator}, "cat;;dog a,cat", {1, 1, 1, 0, 0}},
        {{.tokenizer = longer_than_one}, "cat a dog", {1, 1, 1, 0, 0}},
        {{.counts = pairs_only}, "cat x dog dog x dog", {0, 0, 1, 2, 0}},
        {{.counts = weigh_presence}, "cat dog dog", {0.5, 2, (double)0.1f, 7, 0}},
        {{.tokenizer = all_characters, .counts = count_line_ends}, "a\na\n\n", {0, 0, 3, 0, 2}},
        {{.counts = weigh_less}, "cat cat", {-2, 0, 0, 0, 0}},
        {{.counts = weigh_counts}, "a cat dog dog dog", {0.5, 6, (double)0.1f, 14, 3}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        test_message file = write_file(&cases[i].file);
        hbs_value text = {.type = HBS_TEXT, .as.text = {cases[i].text, strlen(cases[i].text)}};
        fixture f;

        open_file(&f, NULL, &file);
        assert_status(hbs_score_row(f.run, &text, 1, HBS_OUT_VALUES, &f.result, &f.error), HBS_OK, &f.error);
        for (size_t c = 0; c < 5; c++)
            if (f.result.values[c] != cases[i].counts[c] || (f.result.values[c] == 0 && signbit(f.result.values[c])))
                fail_msg("case %zu: column %zu is %g, expected %g", i, c, f.result.values[c], cases[i].counts[c]);
        close_file(&f);
    }
}

/* The words 5, -3 and 2^53 - 1, and the pair 5 -3, of a row of four whole numbers. */
static void whole_numbers_are_words_too(void **state)
{
    static const int64_t pool[5] = {5, -3, ((int64_t)1 << 53) - 1, 5, -3}, starts[2] = {0, 3},
                         indexes[4] = {0, 1, 2, 3};
    static const struct {
        int64_t numbers[4];
        double counts[4];
    } cases[] = {{{5, -3, 5, -3}, {2, 2, 0, 2}},
                 {{((int64_t)1 << 53) - 1, -3, 5, 0}, {1, 1, 1, 0}},
                 {{1, 2, 3, 4}, {0, 0, 0, 0}}};
    test_message graph = {.size = 0}, model = {.size = 0}, node = test_node("", "TfIdfVectorizer", "X", "Y");
    test_message in = test_port("X", 7, -1, 4), out = test_port("Y", 1, -1, 4);
    fixture f;

    (void)state;
    test_put_word(&node, "mode", "TF");
    put_lengths(&node, 1, 2, 0);
    test_put_integers(&node, "pool_int64s", 5, pool);
    test_put_integers(&node, "ngram_counts", 2, starts);
    test_put_integers(&node, "ngram_indexes", 4, indexes);
    test_put_message(&graph, 1, &node);
    test_put_message(&graph, 11, &in);
    test_put_message(&graph, 12, &out);
    test_put_integer(&model, 1, 8);
    test_put_message(&model, 7, &graph);
    open_file(&f, NULL, &model);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        hbs_value row[4];

        for (size_t c = 0; c < 4; c++)
            row[c] = (hbs_value){.type = HBS_INT64, .as.i64 = cases[i].numbers[c]};
        assert_status(hbs_score_row(f.run, row, 4, HBS_OUT_VALUES, &f.result, &f.error), HBS_OK, &f.error);
        assert_int_equal(f.result.valid[0] & 1, 1);
        for (size_t c = 0; c < 4; c++)
            assert_true(f.result.values[c] == cases[i].counts[c]);
    }
    assert_status(
        hbs_score_row(f.run,
                      (hbs_value[4]){{.type = HBS_NULL}, {.type = HBS_NULL}, {.type = HBS_NULL}, {.type = HBS_NULL}}, 4,
                      HBS_OUT_VALUES, &f.result, &f.error),
        HBS_OK, &f.error);
    assert_int_equal(f.result.valid[0] & 1, 0);
    close_file(&f);
}

/* A block of texts of all kinds has what each has alone, and no text is looked at after its row. */
static void a_block_has_the_counts_of_its_rows(void **state)
{
    enum { ROWS = 200 };
    test_message file = write_file(&(text_file){.normalizer = lower});
    static char bytes[ROWS][64];
    hbs_text texts[ROWS];
    uint64_t valid[ROWS / 64 + 1];
    fixture f;

    (void)state;
    memset(valid, 0xFF, sizeof(valid));
    for (size_t r = 0; r < ROWS; r++) {
        size_t n = 0;

        for (size_t k = 0; k < r % 7; k++)
            n += (size_t)snprintf(bytes[r] + n, sizeof(bytes[r]) - n, k % 2 ? "Dog " : "CAT ");
        texts[r] = (hbs_text){bytes[r], n};
        if (r % 11 == 10)
            valid[r / 64] &= ~(1ull << r % 64);
    }
    open_file(&f, NULL, &file);
    assert_status(hbs_score(f.run, &(hbs_column){.type = HBS_TEXT, .values = texts, .valid = valid}, 1, ROWS,
                            HBS_OUT_VALUES, &f.result, &f.error),
                  HBS_OK, &f.error);
    for (size_t r = 0; r < ROWS; r++) {
        assert_int_equal(f.result.valid[r / 64] >> r % 64 & 1, r % 11 != 10);
        if (r % 11 != 10)
            assert_true(f.result.values[r * 5] == (double)((r % 7 + 1) / 2) &&
                        f.result.values[r * 5 + 1] == (double)(r % 7 / 2));
    }
    close_file(&f);
}

/* ---- what a row must not be */

static void a_text_that_is_none_is_an_error_with_its_place(void **state)
{
    static const struct {
        hbs_value value;
        hbs_status status;
        const char *words;
    } cases[] = {
        {{.type = HBS_TEXT, .as.text = {"cat \xFF", 5}}, HBS_E_ARGS, "feature 1: the text is no UTF-8 from byte 4 on"},
        {{.type = HBS_TEXT, .as.text = {"\xC3", 1}}, HBS_E_ARGS, "no UTF-8 from byte 0 on"},
        {{.type = HBS_INT64, .as.i64 = 7}, HBS_E_TYPE, "takes a text, got the number 7"},
        {{.type = HBS_TEXT, .as.text = {"", HB_MAX_TEXT + 1}}, HBS_E_LIMIT, "a text of 16777217 bytes, the limit is"},
    };
    test_message file = write_file(&(text_file){.normalizer = lower});
    fixture f;

    (void)state;
    open_file(&f, NULL, &file);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        hbs_status status = hbs_score_row(f.run, &cases[i].value, 1, HBS_OUT_VALUES, &f.result, &f.error);

        if (status != cases[i].status || !strstr(f.error.text, cases[i].words))
            fail_msg("case %zu: status %d, \"%s\"", i, (int)status, f.error.text);
    }
    assert_status(hbs_score_row(f.run, &(hbs_value){.type = HBS_NULL}, 1, HBS_OUT_VALUES, &f.result, &f.error), HBS_OK,
                  &f.error);
    assert_int_equal(f.result.valid[0] & 1, 0);
    close_file(&f);
}

/* ---- what is refused */

static void stops_before(test_message *node)
{
    static const char *const words[1] = {"a"};

    test_put_words(node, "stopwords", 1, words);
}

static void other_case(test_message *node)
{
    test_put_word(node, "case_change_action", "TITLE");
}

static void turkish(test_message *node)
{
    lower(node);
    test_put_word(node, "locale", "tr_TR");
}

static void no_way_to_split(test_message *node)
{
    test_put_integer_attribute(node, "mark", 1);
}

static void both_ways(test_message *node)
{
    words_of_letters(node);
    by_separator(node);
}

static void bad_expression(test_message *node)
{
    test_put_word(node, "tokenexp", "[a-");
}

static void back_reference(test_message *node)
{
    test_put_word(node, "tokenexp", "(a)\\1");
}

static void no_length(test_message *node)
{
    words_of_letters(node);
    test_put_integer_attribute(node, "mincharnum", 0);
}

static void empty_separator(test_message *node)
{
    static const char *const separators[1] = {" *"};

    test_put_words(node, "separators", 1, separators);
}

/* Nothing of it is in an empty text. */
static void edge_separator(test_message *node)
{
    static const char *const separators[1] = {"\\b"};

    test_put_words(node, "separators", 1, separators);
}

static void empty_expression(test_message *node)
{
    test_put_word(node, "tokenexp", "");
}

static void long_characters(test_message *node)
{
    test_put_word(node, "tokenexp", ".");
    test_put_integer_attribute(node, "mincharnum", 2);
}

static void long_separators(test_message *node)
{
    static const char *const separators[2] = {"ab", "b"};

    test_put_words(node, "separators", 2, separators);
}

static void no_pool(test_message *node)
{
    test_put_word(node, "mode", "TF");
    put_lengths(node, 1, 1, 0);
}

static void lengths_fall(test_message *node)
{
    put_lengths(node, 2, 1, 0);
}

static void long_sequences(test_message *node)
{
    put_lengths(node, 1, 17, 0);
}

static void starts_lie(test_message *node)
{
    static const int64_t starts[2] = {0, 8};

    put_lengths(node, 1, 2, 0);
    put_pool(node, 2, starts, 5, usual_indexes);
}

static void starts_below_0(test_message *node)
{
    static const int64_t starts[2] = {0, -1};

    put_lengths(node, 1, 2, 0);
    put_pool(node, 2, starts, 5, usual_indexes);
}

static void half_a_pair(test_message *node)
{
    static const int64_t starts[2] = {0, 4};

    put_lengths(node, 1, 2, 0);
    put_pool(node, 2, starts, 5, usual_indexes);
}

static void few_indexes(test_message *node)
{
    put_lengths(node, 1, 2, 0);
    put_pool(node, 2, usual_starts, 4, usual_indexes);
}

static void index_below_0(test_message *node)
{
    static const int64_t indexes[5] = {0, 1, 4, -2, 3};

    put_lengths(node, 1, 2, 0);
    put_pool(node, 2, usual_starts, 5, indexes);
}

static void large_index(test_message *node)
{
    static const int64_t indexes[5] = {0, 1, 4, INT64_MAX, 3};

    put_lengths(node, 1, 2, 0);
    put_pool(node, 2, usual_starts, 5, indexes);
}

static void word_twice(test_message *node)
{
    static const int64_t starts[1] = {0}, indexes[7] = {0, 1, 2, 3, 4, 5, 6};

    put_lengths(node, 1, 1, 0);
    put_pool(node, 1, starts, 7, indexes);
}

static void other_mode(test_message *node)
{
    test_put_word(node, "mode", "BM25");
    put_lengths(node, 1, 2, 0);
    put_pool(node, 2, usual_starts, 5, usual_indexes);
}

/* More pools than lengths. */
static void longer_than_its_pools(test_message *node)
{
    put_lengths(node, 1, 3, 0);
    put_pool(node, 2, usual_starts, 5, usual_indexes);
}

static void few_weights(test_message *node)
{
    static const float weights[1] = {1};

    test_put_word(node, "mode", "IDF");
    put_lengths(node, 1, 2, 0);
    put_pool(node, 2, usual_starts, 5, usual_indexes);
    test_put_floats(node, "weights", 1, weights);
}

static void infinite_weight(test_message *node)
{
    static const float weights[5] = {1, 1, INFINITY, 1, 1};

    test_put_word(node, "mode", "TFIDF");
    put_lengths(node, 1, 2, 0);
    put_pool(node, 2, usual_starts, 5, usual_indexes);
    test_put_floats(node, "weights", 5, weights);
}

static const struct {
    const char *class; /* of test/classes.txt; NULL: none */
    text_file file;
    hbs_status status;
    const char *words;
} refused[] = {
    {NULL, {.normalizer = stops_before}, HBS_E_UNSUPPORTED, "hbscore reads stop words once, behind the Tokenizer"},
    {NULL, {.normalizer = other_case}, HBS_E_FORMAT, "its case_change_action is \"TITLE\""},
    {NULL, {.normalizer = turkish}, HBS_E_UNSUPPORTED, "not \"tr_TR\""},
    {NULL, {.tokenizer = no_way_to_split}, HBS_E_FORMAT, "it has neither tokenexp and separators"},
    {"W6", {.tokenizer = both_ways}, HBS_E_FORMAT, "it has both tokenexp and separators"},
    {NULL, {.tokenizer = bad_expression}, HBS_E_FORMAT, "its expression: "},
    {NULL, {.tokenizer = back_reference}, HBS_E_UNSUPPORTED, "its expression: "},
    {NULL, {.tokenizer = no_length}, HBS_E_FORMAT, "its mincharnum is 0"},
    {NULL, {.tokenizer = empty_separator}, HBS_E_UNSUPPORTED, "its separator is also found where no character is"},
    {NULL, {.tokenizer = edge_separator}, HBS_E_UNSUPPORTED, "its separator is also found where no character is"},
    {NULL, {.tokenizer = empty_expression}, HBS_E_FORMAT, "its tokenexp is empty"},
    {NULL, {.tokenizer = long_characters}, HBS_E_FORMAT, "it splits into characters, and its mincharnum is 2"},
    {NULL, {.tokenizer = long_separators}, HBS_E_UNSUPPORTED, "several separators if each is one character"},
    {NULL, {.columns = 2}, HBS_E_UNSUPPORTED, "hbscore reads it of one text of each row"},
    {NULL, {.counts = no_pool}, HBS_E_FORMAT, "it has no pool_strings"},
    {NULL, {.counts = lengths_fall}, HBS_E_FORMAT, "it counts 2 to 1 words"},
    {NULL, {.counts = long_sequences}, HBS_E_LIMIT, "sequences of up to 16 words"},
    {"W2", {.counts = starts_lie}, HBS_E_FORMAT, "its ngram_counts do not rise to its 7 words"},
    {"W3", {.counts = starts_below_0}, HBS_E_FORMAT, "its ngram_counts do not rise to its 7 words"},
    {"N3", {.counts = half_a_pair}, HBS_E_FORMAT, "its pool has 3 words for sequences of 2"},
    {"W2", {.counts = few_indexes}, HBS_E_FORMAT, "it has 4 indexes, and more sequences"},
    {NULL, {.counts = longer_than_its_pools}, HBS_E_FORMAT, "sequences of up to 2 words, its max_gram_length is 3"},
    {"W3", {.counts = index_below_0}, HBS_E_FORMAT, "it has the index -2"},
    {"N6", {.counts = large_index}, HBS_E_LIMIT, "it has the index 9223372036854775807"},
    {"W6", {.counts = word_twice}, HBS_E_FORMAT, "its pool has a sequence of words twice"},
    {NULL, {.counts = other_mode}, HBS_E_FORMAT, "its mode is \"BM25\""},
    {"N3", {.counts = few_weights}, HBS_E_FORMAT, "it has 1 weights for 5 sequences"},
    {NULL, {.counts = infinite_weight}, HBS_E_UNSUPPORTED, "weight 2 is not finite"},
};

static void what_cannot_be_counted_is_refused_by_name(void **state)
{
    const char *classes[sizeof(refused) / sizeof(refused[0])];

    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        test_message file = write_file(&refused[i].file);
        hbs_model *model = NULL;
        hbs_error error = {0};
        hbs_status status;
        test_host host;

        test_host_init(&host);
        status = load_within(&host.host, NULL, &file, &model, &error);
        if (status != refused[i].status || !strstr(error.text, refused[i].words))
            fail_msg("case %zu: status %d, \"%s\", expected \"%s\"", i, (int)status, error.text, refused[i].words);
        test_host_end(&host);
        classes[i] = refused[i].class;
    }
    test_print_classes(classes, sizeof(refused) / sizeof(refused[0]));
}

/* ---- memory */

static hbs_status load_and_free(const hbs_host *host, void *context, hbs_error *error)
{
    hbs_model *model = NULL;
    hbs_status status = load_within(host, NULL, context, &model, error);

    hbs_model_free(model);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    test_message file = write_file(&(text_file){.normalizer = lower, .counts = weigh_presence});

    (void)state;
    assert_true(test_each_allocation_fails(load_and_free, &file) > 10);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_has_the_counts_of_its_words),
        cmocka_unit_test(whole_numbers_are_words_too),
        cmocka_unit_test(a_block_has_the_counts_of_its_rows),
        cmocka_unit_test(a_text_that_is_none_is_an_error_with_its_place),
        cmocka_unit_test(what_cannot_be_counted_is_refused_by_name),
        cmocka_unit_test(each_allocation_may_fail),
    };

    return cmocka_run_group_tests_name("onnx_text", tests, NULL, NULL);
}
