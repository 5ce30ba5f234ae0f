/* test_wide.c - few bytes that mean many things: features, names, categories, outputs. What they cost must
 * stay in proportion. Class W12 of reliability.md. */
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `head`, then `count` items made by `item` of their number (at most 64 bytes each), then `tail`. */
static char *list(const char *head, size_t count, void (*item)(char *to, size_t i), const char *tail)
{
    char *text = malloc(strlen(head) + strlen(tail) + count * 65 + 1), *to = text;

    if (!text)
        exit(2);
    to += sprintf(to, "%s", head);
    for (size_t i = 0; i < count; i++) {
        if (i)
            *to++ = ',';
        item(to, i);
        to += strlen(to);
    }
    strcpy(to, tail);
    return text;
}

static void name(char *to, size_t i)
{
    sprintf(to, "\"f%zx\"", i);
}

static void type(char *to, size_t i)
{
    strcpy(to, i % 2 ? "\"q\"" : "\"c\"");
}

static void no_categories(char *to, size_t i)
{
    (void)i;
    strcpy(to, "{\"offsets\":[],\"values\":[]}");
}

static void number(char *to, size_t i)
{
    sprintf(to, "%ld", (long)i - 30000);
}

static void offset(char *to, size_t i)
{
    sprintf(to, "%zu", 3 * i);
}

static void letters(char *to, size_t i)
{
    sprintf(to, "%zu,%zu,%zu", i % 100, i / 100 % 100, i / 10000);
}

static void check(const char *what, mb_model *m, mb_encoding encoding, const char *options, hbs_status wanted,
                  size_t most_plan)
{
    mb_bytes b = mb_write(m, encoding);
    ht_host host;
    ht_load load = {.options = options, .most_plan = most_plan};

    ht_case("W12", "%s (%s, %zu bytes)", what, encoding == MB_JSON ? "JSON" : "UBJSON", b.size);
    ht_host_init(&host);
    ht_load_bytes(&host, b.data, b.size, &load);
    ht_check(load.status == wanted, "got %s: %s", hbs_status_name(load.status), load.error.text);
    free(b.data);
    mb_free(m);
}

static mb_model *with(mb_sample sample, const char *edits)
{
    mb_model *m = mb_make(sample);

    mb_edit(m, edits);
    return m;
}

static mb_model *with_list(mb_sample sample, const char *edits, char *text)
{
    mb_model *m = with(sample, edits);

    mb_edit(m, text);
    free(text);
    return m;
}

static void test_features(mb_encoding e)
{
    mb_model *m;

    check("262,144 features without names", with(MB_REGRESSION, "P.num_feature = \"262144\""), e, NULL, HBS_OK, 0);
    check("262,145 features", with(MB_REGRESSION, "P.num_feature = \"262145\""), e, NULL, HBS_E_LIMIT, 0);
    m = with_list(MB_REGRESSION, "P.num_feature = \"100000\"", list("L.feature_names = [", 100000, name, "]"));
    check("100,000 named features", m, e, NULL, HBS_OK, 0);
    m = with_list(MB_REGRESSION, "P.num_feature = \"100000\"", list("L.feature_types = [", 100000, type, "]"));
    check("100,000 typed features", m, e, NULL, HBS_OK, 0);
    m = with_list(MB_REGRESSION, "P.num_feature = \"20000\"", list("M.cats.enc = [", 20000, no_categories, "]"));
    check("20,000 features with empty categories", m, e, NULL, HBS_OK, 0);
}

/* The options' names are in no promise about the file's size. */
static void test_names_of_options(mb_encoding e)
{
    char *options = list("{\"features\":[", 20000, name, "]}");

    check("20,000 names by options", with(MB_REGRESSION, "P.num_feature = \"20000\""), e, options, HBS_OK, 1 << 20);
    free(options);
}

static void test_categories(mb_encoding e)
{
    mb_model *m = with_list(MB_CATEGORIES, "", list("M.cats.enc[2].values = [", 60000, number, "]"));
    char *offsets = list("M.cats.enc[0].offsets = [", 60001, offset, "]");

    if (e == MB_UBJSON)
        mb_edit(m, "$M.cats.enc[2].values = I");
    check("60,000 integer categories", m, e, NULL, HBS_OK, 1 << 20);
    m = with_list(MB_CATEGORIES, offsets, list("M.cats.enc[0].values = [", 60000, letters, "]"));
    check("60,000 text categories", m, e, NULL, HBS_OK, 0);
    free(offsets);
}

static void test_outputs(mb_encoding e)
{
    check("65,536 classes without a tree each", with(MB_MULTI, "P.num_class = \"65536\""), e, NULL, HBS_E_LIMIT, 0);
    check("65,536 targets", with(MB_REGRESSION, "P.num_target = \"65536\""), e, NULL, HBS_OK, 1 << 20);
    check("65,537 targets", with(MB_REGRESSION, "P.num_target = \"65537\""), e, NULL, HBS_E_LIMIT, 0);
}

int main(void)
{
    for (int e = 0; e < MB_ENCODINGS; e++) {
        test_features((mb_encoding)e);
        test_names_of_options((mb_encoding)e);
        test_categories((mb_encoding)e);
        test_outputs((mb_encoding)e);
    }
    return ht_report();
}
