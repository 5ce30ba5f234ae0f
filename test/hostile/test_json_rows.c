/* test_json_rows.c - rows given as JSON: by name, by position, and hostile ones. Class S7 of
 * reliability.md, for the core. */
#include "hostile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The JSON lies in memory of just its size, without a NUL behind it. */
static hbs_status ask(ht_opened *o, const char *json, size_t size, double *raw, hbs_error *error)
{
    char *copy = malloc(size ? size : 1);
    hbs_result result;
    hbs_status status;

    *raw = (double)NAN;
    if (!copy)
        exit(2);
    memcpy(copy, json, size);
    status = hbs_score_json(o->run, copy, size, HBS_OUT_RAW, &result, error);
    free(copy);
    if (status == HBS_OK && (!result.valid || (result.valid[0] & 1)))
        *raw = result.raw[0];
    if (status != HBS_OK) {
        ht_check_error(error, status, size);
        ht_check(result.rows == 0, "an error, but rows = %zu", result.rows);
    }
    return status;
}

/* ------------------------------------------------------------------ rows that say the same */

/* Rows of the binary sample (a, b, c) that all mean a = 1, b = 2, c missing. */
static const char *const EQUAL[] = {
    "{\"a\":1,\"b\":2,\"c\":null}",
    "[1,2,null]",
    " \t\r\n{ \"c\" : null , \"b\" : 2 , \"a\" : 1 } \n",
    "{\"a\":1.0,\"b\":2e0,\"c\":null}",
    "{\"a\":true,\"b\":\"2\",\"c\":null}",
    "{\"a\":\"1\",\"b\":\" +2.0 \",\"c\":\"nan\"}",
    "{\"\\u0061\":1,\"b\":2,\"c\":null}",
    "{\"A\":1,\"B\":2,\"C\":null}",
    "{\"a\":1,\"b\":2,\"c\":null,\"d\":{\"deep\":[[{\"x\":[1,2,\"]}\"]}]]}}",
    "{\"d\":[],\"a\":1,\"e\":{},\"b\":2,\"f\":\"\",\"c\":null,\"\":0}",
    "{\"a\":0.1e1,\"b\":20E-1,\"c\":\"NaN\"}",
    "{\"a\":1.00000000000000000000000000000000,\"b\":2,\"c\":null}",
};

static void test_equal(void)
{
    hbs_error error = {0};
    double want, raw;
    ht_opened o;

    ht_case("S7", "rows that say the same");
    if (ht_open(&o, MB_BINARY, NULL, NULL)) {
        ht_check(ask(&o, EQUAL[0], strlen(EQUAL[0]), &want, &error) == HBS_OK, "%s", error.text);
        for (size_t i = 1; i < HT_COUNT(EQUAL); i++) {
            hbs_status status;

            ht_case("S7", "%s", EQUAL[i]);
            status = ask(&o, EQUAL[i], strlen(EQUAL[i]), &raw, &error);
            if (ht_check(status == HBS_OK, "%s: %s", hbs_status_name(status), error.text))
                ht_check(memcmp(&raw, &want, sizeof(raw)) == 0, "%a, not %a", raw, want);
        }
    }
    ht_close(&o);
}

/* ------------------------------------------------------------------ rows that are wrong */

typedef struct wrong {
    const char *json;
    int status; /* 0: any error */
    const char *words;
    size_t size;
} wrong;

static const wrong WRONG[] = {
    {"", 0, NULL, 0},
    {"null", 0, NULL, 0},
    {"1", 0, NULL, 0},
    {"\"a\"", 0, NULL, 0},
    {"true", 0, NULL, 0},
    {"{", 0, NULL, 0},
    {"[", 0, NULL, 0},
    {"{}", HBS_E_ARGS, "churn|\"a\"", 0},
    {"[]", HBS_E_ARGS, "churn|3|0", 0},
    {"[1,2]", HBS_E_ARGS, "churn|3|2", 0},
    {"[1,2,3,4]", HBS_E_ARGS, "churn|3|4", 0},
    {"{\"a\":1,\"b\":2}", HBS_E_ARGS, "churn|\"c\"", 0},
    {"{\"a\":1,\"b\":2,\"cc\":3}", HBS_E_ARGS, "\"c\"", 0},
    {"{\"a\":1,\"b\":2,\"c\":3,\"a\":1}", HBS_E_ARGS, "a", 0},
    {"{\"a\":1,\"b\":2,\"c\":3,\"\\u0061\":1}", HBS_E_ARGS, NULL, 0},
    {"{\"d\":1,\"a\":1,\"b\":2,\"c\":3,\"d\":1}", HBS_E_ARGS, "d", 0},
    {"{\"a\":1,\"b\":2,\"c\":3,\"d\":{\"x\":1,\"x\":2}}", HBS_E_ARGS, NULL, 0},
    {"{\"a\":1,\"b\":2,\"C\":3,\"c\":3,\"C\":3}", HBS_E_ARGS, NULL, 0},
    {"{\"A\":7,\"a\":1,\"b\":2,\"c\":null}", HBS_E_ARGS, "\"a\" is given twice", 0},
    {"{\"a\":1,\"A\":\"x\",\"b\":2,\"c\":null}", HBS_E_ARGS, "\"a\" is given twice", 0},
    {"{\"a\":[1],\"b\":2,\"c\":3}", HBS_E_TYPE, "a", 0},
    {"{\"a\":{\"x\":1},\"b\":2,\"c\":3}", HBS_E_TYPE, "a", 0},
    {"[[1],2,3]", HBS_E_TYPE, NULL, 0},
    {"{\"a\":\"x\",\"b\":2,\"c\":3}", HBS_E_TYPE, "churn|\"a\"|number|x", 0},
    {"{\"a\":\"\",\"b\":2,\"c\":3}", HBS_E_TYPE, "churn|\"a\"|number", 0},
    {"{\"a\":1,\"b\":2,\"c\":3} x", HBS_E_ARGS, NULL, 0},
    {"{\"a\":1,\"b\":2,\"c\":3}{}", HBS_E_ARGS, NULL, 0},
    {"{\"a\":1,\"b\":2,\"c\":3,}", HBS_E_ARGS, NULL, 0},
    {"[1,2,3,]", HBS_E_ARGS, NULL, 0},
    {"[1,,3]", HBS_E_ARGS, NULL, 0},
    {"[1 2 3]", HBS_E_ARGS, NULL, 0},
    {"{a:1,\"b\":2,\"c\":3}", HBS_E_ARGS, NULL, 0},
    {"{'a':1,\"b\":2,\"c\":3}", HBS_E_ARGS, NULL, 0},
    {"{\"a\":NaN,\"b\":2,\"c\":3}", HBS_E_ARGS, NULL, 0},
    {"{\"a\":Infinity,\"b\":2,\"c\":3}", HBS_E_ARGS, NULL, 0},
    {"[-Infinity,2,3]", HBS_E_ARGS, NULL, 0},
    {"[1e999,2,3]", 0, NULL, 0},
    {"[0x1,2,3]", HBS_E_ARGS, NULL, 0},
    {"[01,2,3]", HBS_E_ARGS, NULL, 0},
    {"[+1,2,3]", HBS_E_ARGS, NULL, 0},
    {"[.5,2,3]", HBS_E_ARGS, NULL, 0},
    {"[1.,2,3]", HBS_E_ARGS, NULL, 0},
    {"[1,2,3]\0", HBS_E_ARGS, NULL, 8},
    {"[1,\0 2,3]", HBS_E_ARGS, NULL, 9},
    {"/* x */[1,2,3]", HBS_E_ARGS, NULL, 0},
    {"[1,2,3] // x", HBS_E_ARGS, NULL, 0},
    {"[1,2,tru]", HBS_E_ARGS, NULL, 0},
    {"[1,2,TRUE]", HBS_E_ARGS, NULL, 0},
    {"{\"a\xff\":1,\"b\":2,\"c\":3}", HBS_E_ARGS, NULL, 0},
    {"{\"a\":\"\xff\",\"b\":2,\"c\":3}", HBS_E_ARGS, NULL, 0},
    {"{\"a\":\"\\ud800\",\"b\":2,\"c\":3}", HBS_E_ARGS, NULL, 0},
    {"{\"a\t\":1,\"b\":2,\"c\":3}", HBS_E_ARGS, NULL, 0},
    {"{\"a\":1,\"b\":2,\"c\":3,\"d\":NaN}", HBS_E_ARGS, NULL, 0},
    {"{\"a\":1,\"b\":2,\"c\":3,\"d\":\"\xff\"}", HBS_E_ARGS, NULL, 0},
    {"{\"a\":1,\"b\":2,\"c\":3,\"d\":1e}", HBS_E_ARGS, NULL, 0},
    {"{\"a\\u0000\":1,\"b\":2,\"c\":3}", HBS_E_ARGS, "\"a\"", 0},
    {"\xef\xbb\xbf[1,2,3]", HBS_E_ARGS, NULL, 0},
};

static void test_wrong(void)
{
    hbs_error error = {0};
    double raw;
    ht_opened o;

    ht_case("S7", "wrong rows");
    if (ht_open(&o, MB_BINARY, NULL, NULL))
        for (size_t i = 0; i < HT_COUNT(WRONG); i++) {
            const wrong *w = &WRONG[i];
            hbs_status status;

            ht_case("S7", "%s", w->json);
            status = ask(&o, w->json, w->size ? w->size : strlen(w->json), &raw, &error);
            if (w->status)
                ht_check((int)status == w->status, "wanted %s, got %s: %s", hbs_status_name((hbs_status)w->status),
                         hbs_status_name(status), error.text);
            else
                ht_check(status == HBS_E_ARGS || status == HBS_E_TYPE || status == HBS_E_FORMAT, "got %s",
                         hbs_status_name(status));
            if (status != HBS_OK)
                ht_check(ht_has_words(error.text, w->words), "wanted %s, got: %s", w->words, error.text);
        }
    ht_close(&o);
}

/* Every prefix of a good row is a bad one, and the run works on. */
static void test_prefixes(void)
{
    const char *json = EQUAL[10];
    hbs_error error = {0};
    double want, raw;
    ht_opened o;

    ht_case("S7", "prefixes of a row");
    if (ht_open(&o, MB_BINARY, NULL, NULL)) {
        ht_check(ask(&o, json, strlen(json), &want, &error) == HBS_OK, "%s", error.text);
        for (size_t n = 0; n < strlen(json); n++) {
            ht_case("S7", "the first %zu bytes of a row", n);
            ht_check(ask(&o, json, n, &raw, &error) != HBS_OK, "taken");
            ht_check(ask(&o, json, strlen(json), &raw, &error) == HBS_OK && raw == want, "the good row after it: %s",
                     error.text);
        }
    }
    ht_close(&o);
}

/* ------------------------------------------------------------------ sizes and depths */

static char *repeated(const char *head, const char *piece, size_t count, const char *tail, size_t *size)
{
    size_t h = strlen(head), p = strlen(piece), t = strlen(tail);
    char *json = malloc(h + p * count + t + 1);

    if (!json)
        exit(2);
    memcpy(json, head, h);
    for (size_t i = 0; i < count; i++)
        memcpy(json + h + i * p, piece, p);
    memcpy(json + h + p * count, tail, t + 1);
    *size = h + p * count + t;
    return json;
}

static void test_large(void)
{
    enum { MIB = 1 << 20 };
    static const struct {
        const char *name, *head, *piece, *tail;
        size_t count;
        int status; /* -1: any error; 0: taken */
    } CASES[] = {
        {"a row of a mebibyte of blanks", "[1,2,3", " ", "]", MIB - 7, 0},
        {"a row of one byte more than a mebibyte", "[1,2,3", " ", "]", MIB - 6, HBS_E_LIMIT},
        {"ten mebibytes", "[1,2,3", " ", "]", 10 * MIB, HBS_E_LIMIT},
        {"arrays, 60 deep", "{\"a\":1,\"b\":2,\"c\":3,\"d\":", "[", "", 60, -1},
        {"arrays, 100,000 deep", "{\"a\":1,\"b\":2,\"c\":3,\"d\":", "[", "", 100000, HBS_E_LIMIT},
        {"objects, 100,000 deep", "{\"a\":1,\"b\":2,\"c\":3,\"d\":", "{\"x\":", "", 100000, HBS_E_LIMIT},
        {"an array row, 100,000 deep", "", "[", "", 100000, -1},
        {"300,000 values", "[1,2,3", ",4", "]", 300000, -1},
        {"100,000 unknown members of one name", "{\"a\":1,\"b\":2,\"c\":3", ",\"d\":1", "}", 100000, -1},
        {"a text of half a mebibyte", "{\"a\":\"", "z", "\",\"b\":2,\"c\":3}", MIB / 2, -1},
        {"a name of half a mebibyte", "{\"", "z", "\":1,\"a\":1,\"b\":2,\"c\":3}", MIB / 2, 0},
        {"a number of half a mebibyte", "[1.", "0", ",2,3]", MIB / 2, -1},
        {"escapes of half a mebibyte", "{\"", "\\u0041", "\":1,\"a\":1,\"b\":2,\"c\":3}", MIB / 12, 0},
        {"the value of an ignored name is half a mebibyte of numbers", "{\"a\":1,\"b\":2,\"c\":3,\"d\":[0", ",0", "]}",
         MIB / 4, 0},
    };
    hbs_error error = {0};
    double raw;
    ht_opened o;

    ht_case("S7", "large rows");
    if (ht_open(&o, MB_BINARY, NULL, NULL))
        for (size_t i = 0; i < HT_COUNT(CASES); i++) {
            size_t size, before = o.host.held;
            char *json = repeated(CASES[i].head, CASES[i].piece, CASES[i].count, CASES[i].tail, &size);
            hbs_status status;

            ht_case("S7", "%s", CASES[i].name);
            status = ask(&o, json, size, &raw, &error);
            ht_check(CASES[i].status == -1 ? status != HBS_OK : (int)status == CASES[i].status, "got %s: %s",
                     hbs_status_name(status), error.text);
            ht_check(o.host.held <= before + (4 << 20), "holds %zu bytes more", o.host.held - before);
            free(json);
        }
    ht_close(&o);
}

/* Many different names: the check for duplicates must not take quadratic time. */
static void test_many_names(void)
{
    enum { COUNT = 60000 };
    char *json = malloc(COUNT * 16 + 64);
    size_t n = 0;
    hbs_error error = {0};
    hbs_status status;
    double raw;
    ht_opened o;

    ht_case("S7", "%d different names", COUNT);
    if (!json)
        exit(2);
    n += (size_t)sprintf(json, "{\"a\":1,\"b\":2,\"c\":3");
    for (int i = 0; i < COUNT; i++)
        n += (size_t)sprintf(json + n, ",\"k%d\":1", i);
    json[n++] = '}';
    if (ht_open(&o, MB_BINARY, NULL, NULL)) {
        status = ask(&o, json, n, &raw, &error);
        ht_check(status == HBS_OK || status == HBS_E_LIMIT, "got %s: %s", hbs_status_name(status), error.text);
    }
    ht_close(&o);
    free(json);
}

/* ------------------------------------------------------------------ names */

static void expect(ht_opened *o, const char *name, const char *json, int wanted, const char *words)
{
    hbs_error error = {0};
    hbs_status status;
    double raw;

    ht_case("S7", "%s: %s", name, json);
    status = ask(o, json, strlen(json), &raw, &error);
    ht_check((int)status == wanted, "wanted %s, got %s: %s", hbs_status_name((hbs_status)wanted),
             hbs_status_name(status), status == HBS_OK ? "" : error.text);
    if (status != HBS_OK)
        ht_check(ht_has_words(error.text, words), "wanted %s, got: %s", words, error.text);
}

static void test_names(void)
{
    ht_opened o;

    ht_case("S7", "features whose names differ in case only");
    if (ht_open(&o, MB_BINARY, "L.feature_names = [\"Fee\", \"fee\", \"MonthlyCharges\"]", NULL)) {
        expect(&o, "exact", "{\"Fee\":1,\"fee\":2,\"MonthlyCharges\":3}", HBS_OK, NULL);
        expect(&o, "folded", "{\"Fee\":1,\"fee\":2,\"monthlycharges\":3}", HBS_OK, NULL);
        expect(&o, "ambiguous", "{\"FEE\":1,\"fee\":2,\"monthlycharges\":3}", HBS_E_ARGS, "\"FEE\"|several");
        expect(&o, "a typing error", "{\"Fee\":1,\"fee\":2,\"MonthlyCharge\":3}", HBS_E_ARGS,
               "\"MonthlyCharges\"|\"MonthlyCharge\"");
        expect(&o, "two that fold to one", "{\"Fee\":1,\"fee\":2,\"MONTHLYCHARGES\":3,\"monthlycharges\":4}",
               HBS_E_ARGS, "MonthlyCharges");
        expect(&o, "the exact one beside a folded one",
               "{\"Fee\":1,\"fee\":2,\"MONTHLYCHARGES\":\"x\",\"MonthlyCharges\":4}", HBS_E_ARGS,
               "\"MonthlyCharges\" is given twice");
    }
    ht_close(&o);
    ht_case("S7", "names that are not ASCII");
    if (ht_open(&o, MB_BINARY, "L.feature_names = [\"\xc3\x84pfel\", \"b\", \"c\"]", NULL)) {
        expect(&o, "exact", "{\"\xc3\x84pfel\":1,\"b\":2,\"c\":3}", HBS_OK, NULL);
        expect(&o, "escaped", "{\"\\u00c4pfel\":1,\"b\":2,\"c\":3}", HBS_OK, NULL);
        expect(&o, "folded beyond ASCII", "{\"\xc3\xa4pfel\":1,\"b\":2,\"c\":3}", HBS_E_ARGS, "\xc3\x84pfel");
    }
    ht_close(&o);
    ht_case("S7", "a model without names");
    if (ht_open(&o, MB_REGRESSION, NULL, NULL)) {
        expect(&o, "by position", "[1,2,3]", HBS_OK, NULL);
        expect(&o, "by name", "{\"f0\":1,\"f1\":2,\"f2\":3}", HBS_E_ARGS, "features");
        expect(&o, "an empty object", "{}", HBS_E_ARGS, "features");
    }
    ht_close(&o);
    ht_case("S7", "a model with names from the options");
    if (ht_open(&o, MB_REGRESSION, NULL, "{\"features\":[\"x\",\"y\",\"z\"]}")) {
        expect(&o, "by name", "{\"x\":1,\"y\":2,\"z\":3}", HBS_OK, NULL);
        expect(&o, "by an old name", "{\"f0\":1,\"y\":2,\"z\":3}", HBS_E_ARGS, "\"x\"");
    }
    ht_close(&o);
    ht_case("S7", "categories in JSON");
    if (ht_open(&o, MB_CATEGORIES, NULL, NULL)) {
        expect(&o, "known", "{\"plan\":\"gold\",\"fee\":1,\"zone\":10}", HBS_OK, NULL);
        expect(&o, "escaped", "{\"plan\":\"g\\u006fld\",\"fee\":1,\"zone\":10.0}", HBS_OK, NULL);
        expect(&o, "unseen", "{\"plan\":\"tin\",\"fee\":1,\"zone\":10}", HBS_E_ARGS, "\"plan\"|tin");
        expect(&o, "an unseen number", "{\"plan\":\"gold\",\"fee\":1,\"zone\":11}", HBS_E_ARGS, "\"zone\"|11");
        expect(&o, "a real number for a text", "{\"plan\":1.5,\"fee\":1,\"zone\":10}", HBS_E_TYPE, "\"plan\"");
        expect(&o, "a whole number is its digits", "{\"plan\":1,\"fee\":1,\"zone\":10}", HBS_E_ARGS, "\"plan\"|\"1\"");
        expect(&o, "a text with NUL", "{\"plan\":\"gold\\u0000\",\"fee\":1,\"zone\":10}", HBS_E_ARGS, "gold\\x00");
    }
    ht_close(&o);
}

int main(void)
{
    test_equal();
    test_wrong();
    test_prefixes();
    test_large();
    test_many_names();
    test_names();
    return ht_report();
}
