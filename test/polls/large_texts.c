/* large_texts.c - see large_texts.h. */
#include "large_texts.h"

#include <stdlib.h>
#include <string.h>

#include "large_writer.h"

enum { SIZE = 1000000, LONG_WORD = 60000 };

/* ---- texts */

/* `piece` n times, between `before` and `after`. */
static char *repeated(const char *before, const char *piece, size_t n, const char *after)
{
    text t;
    FILE *f = text_begin(&t);

    fputs(before, f);
    for (size_t size = strlen(piece); n > 0; n--)
        fwrite(piece, 1, size, f);
    fputs(after, f);
    return text_end(&t).data;
}

char *value_words(void)
{
    return repeated("", "The cat, the d\xC3\xB6g - ", SIZE / 20, "");
}

char *value_letters(void)
{
    return repeated("", "\xC3\x84\xCE\xA3\xCC\x88", SIZE / 6, "");
}

char *value_one_letter(void)
{
    return repeated("", "a", SIZE, "");
}

static void put_long_word(FILE *f, char letter)
{
    for (size_t i = 0; i < LONG_WORD; i++)
        fputc(letter, f);
}

char *value_long_words(void)
{
    text t;
    FILE *f = text_begin(&t);

    for (size_t n = 0; n < SIZE / LONG_WORD; n++) {
        put_long_word(f, (char)('a' + n % 26));
        fputc(' ', f);
    }
    return text_end(&t).data;
}

char *value_members(void)
{
    text t;
    FILE *f = text_begin(&t);

    fputc('{', f);
    put_counted(f, "\"name%zu\":0.5", ",", SIZE / 16);
    fputc('}', f);
    return text_end(&t).data;
}

char *value_replaced(void)
{
    return repeated("{", "\"name1\":\"x\",", SIZE / 12, "\"name1\":1}");
}

char *value_list(void)
{
    return repeated("{\"name1\":[", "\"\",", 100000, "\"\"]}");
}

char *value_empty_texts(void)
{
    return repeated("[", "\"\",", SIZE / 3, "\"\"]");
}

char *value_pairs(void)
{
    text t;
    FILE *f = text_begin(&t);

    fputc('[', f);
    for (size_t n = 0; n < SIZE / LONG_WORD; n++) {
        fputs(n ? ",[\"" : "[\"", f);
        put_long_word(f, 'n');
        fputs("\",\"", f);
        put_long_word(f, 't');
        fputs("\"]", f);
    }
    fputs("]", f);
    return text_end(&t).data;
}

/* ---- models */

static FILE *begin_model(text *t)
{
    FILE *f = text_begin(t);

    fputs(OWN_HEAD("regressor") "{\"type\":\"str\"}],\"ops\":[", f);
    return f;
}

/* A sum of the columns, which follow their `shape`: [1, columns]. */
static mb_bytes end_model(text *t, size_t input, const char *shape, size_t columns)
{
    fprintf(t->file, ",{\"op\":\"linear\",\"in\":[%zu],", input);
    put_array(t->file, "coef", "f8", shape, NULL, columns * sizeof(double)), fputc(',', t->file);
    put_numbers(t->file, "intercept", "f8", 8, 1, NULL), fputs("}]}", t->file);
    return text_end(t);
}

#define DEFAULT_PATTERN \
    "\"pattern\":\"(?u)\\\\b\\\\w\\\\w+\\\\b\",\"stop_words\":{\"dtype\":\"str\",\"shape\":[1],\"data\":[\"and\"]},"

/* `pattern` is "" or members that end with a comma. */
static void put_rule(FILE *f, const char *operator, const char * analyzer, const char *pattern, size_t least,
                     size_t most)
{
    fprintf(
        f,
        "{\"op\":\"%s\",\"in\":[0],\"unicode\":\"14.0\",\"lowercase\":1,\"accents\":\"unicode\",\"analyzer\":\"%s\","
        "%s\"least\":%zu,\"most\":%zu,\"binary\":0,",
        operator, analyzer, pattern, least, most);
}

static mb_bytes small_vocabulary(const char *analyzer, const char *pattern, size_t least, size_t most,
                                 const char *words)
{
    text t;
    FILE *f = begin_model(&t);

    put_rule(f, "text_counts", analyzer, pattern, least, most);
    fprintf(f, "\"vocabulary\":{\"dtype\":\"str\",\"shape\":[2],\"data\":[%s]}},", words);
    fputs("{\"op\":\"tf_idf\",\"in\":[1],\"sublinear\":1,\"idf\":{\"dtype\":\"f8\",\"shape\":[2],\"data\":\"", f);
    fputs("AAAAAAAA8D8AAAAAAADwPw==\"},\"norm\":\"l2\"}", f);
    return end_model(&t, 2, "1,2", 2);
}

mb_bytes texts_words(void)
{
    return small_vocabulary("word", DEFAULT_PATTERN, 1, 2, "\"the cat\",\"the\"");
}

mb_bytes texts_characters(void)
{
    return small_vocabulary("char", "", 1, 2, "\"a\",\"aa\"");
}

mb_bytes texts_in_words(void)
{
    return small_vocabulary("char_wb", "", 1, 4, "\" the\",\"the\"");
}

mb_bytes texts_long_terms(void)
{
    char *longest = value_long_words();
    text t;
    FILE *f = begin_model(&t);

    put_rule(f, "text_counts", "word", DEFAULT_PATTERN, 1, 256);
    fprintf(f, "\"vocabulary\":{\"dtype\":\"str\",\"shape\":[1],\"data\":[\"%s\"]}}", longest);
    free(longest);
    return end_model(&t, 1, "1,1", 1);
}

mb_bytes texts_pattern(void)
{
    text t;
    FILE *f = begin_model(&t);

    put_rule(f, "text_hashes", "word",
             "\"pattern\":\"[a-z]+(?:-[a-z]+)?|\\\\S\",\"stop_words\":{\"dtype\":\"str\",\"shape\":[0],\"data\":[]},",
             1, 4);
    fputs("\"columns\":2,\"alternate\":1}", f);
    return end_model(&t, 1, "1,2", 2);
}

mb_bytes json_members(void)
{
    enum { N = 50000 };
    text t;
    FILE *f = begin_model(&t);

    fprintf(
        f,
        "{\"op\":\"json_features\",\"in\":[0],\"separator\":\"=\",\"vocabulary\":{\"dtype\":\"str\",\"shape\":[%d],\"data\":[\"name1=\",",
        N);
    put_counted(f, "\"name%zu\"", ",", N - 1);
    fputs("]}}", f);
    return end_model(&t, 1, "1,50000", N);
}

static mb_bytes json_hashes(const char *input)
{
    text t;
    FILE *f = begin_model(&t);

    fprintf(f, "{\"op\":\"json_hashes\",\"in\":[0],\"input\":\"%s\",\"columns\":1,\"alternate\":1}", input);
    return end_model(&t, 1, "1,1", 1);
}

mb_bytes json_texts(void)
{
    return json_hashes("string");
}

mb_bytes json_pairs(void)
{
    return json_hashes("pair");
}
