/* test_words.c - names, numbers and kinds of files: bad UTF-8, odd spellings, other formats, unknown
 * versions and objectives. Classes W9, W10, W13 and W14 of reliability.md. */
#define _POSIX_C_SOURCE 200809L /* setenv, getpid */
#include "hostile.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ W9 */

static const ht_edit NAMES[] = {
    {"a name with a lone continuation byte", MB_BINARY, "L.feature_names[0] = \"a\x80\"", HBS_E_FORMAT, "UTF-8", 0},
    {"a name cut inside a character", MB_BINARY, "L.feature_names[0] = \"Z\xc3\"", HBS_E_FORMAT, "UTF-8", 0},
    {"a name with an overlong slash", MB_BINARY, "L.feature_names[0] = \"\xc0\xaf\"", HBS_E_FORMAT, "UTF-8", 0},
    {"a name with a surrogate", MB_BINARY, "L.feature_names[0] = \"\xed\xa0\x80\"", HBS_E_FORMAT, "UTF-8", 0},
    {"a name above U+10FFFF", MB_BINARY, "L.feature_names[0] = \"\xf4\x90\x80\x80\"", HBS_E_FORMAT, "UTF-8", 0},
    {"a name with 0xff", MB_BINARY, "L.feature_names[0] = \"\xff\"", HBS_E_FORMAT, "UTF-8", 0},
    {"an objective with bad UTF-8", MB_BINARY, "O.name = \"binary:\xff\"", HBS_E_FORMAT, "UTF-8", 0},
    {"a booster with bad UTF-8", MB_BINARY, "B.name = \"\xe2\x82\"", HBS_E_FORMAT, "UTF-8", 0},
    {"bad UTF-8 in a value without effect", MB_BINARY, "O.reg_loss_param = {\"a\": \"\xff\"}", HBS_E_FORMAT, "UTF-8",
     0},
    {"bad UTF-8 in a user's note", MB_BINARY, "L.attributes = {\"a\": \"\xff\"}", HBS_E_FORMAT, "UTF-8", 0},
    {"a raw control byte", MB_BINARY, "!L.feature_names[0] = \"a\tb\"", HBS_E_FORMAT, NULL, HT_JSON},
    {"a raw byte 0x1f", MB_BINARY, "!O.name = \"a\x1f\"", HBS_E_FORMAT, NULL, HT_JSON},
    {"a lone high surrogate", MB_BINARY, "!L.feature_names[0] = \"\\ud800\"", HBS_E_FORMAT, NULL, HT_JSON},
    {"a lone low surrogate", MB_BINARY, "!L.feature_names[0] = \"\\udc00x\"", HBS_E_FORMAT, NULL, HT_JSON},
    {"two high surrogates", MB_BINARY, "!L.feature_names[0] = \"\\ud800\\ud800\"", HBS_E_FORMAT, NULL, HT_JSON},
    {"an escape cut short", MB_BINARY, "!L.feature_names[0] = \"\\u12\"", HBS_E_FORMAT, NULL, HT_JSON},
    {"an unknown escape", MB_BINARY, "!L.feature_names[0] = \"\\x41\"", HBS_E_FORMAT, NULL, HT_JSON},
    {"an escape of no hex", MB_BINARY, "!L.feature_names[0] = \"\\u00zz\"", HBS_E_FORMAT, NULL, HT_JSON},
    {"a surrogate pair", MB_BINARY, "!L.feature_names[0] = \"\\ud83d\\ude00\"", HBS_OK, NULL, HT_JSON},
    {"a name in Japanese", MB_BINARY, "L.feature_names[0] = \"\xe5\xb9\xb4\"", HBS_OK, NULL, 0},
    {"a name with a quote and a backslash", MB_BINARY, "L.feature_names[0] = \"\\\"a\\\\b\"", HBS_OK, NULL, 0},
    {"two features of one name", MB_BINARY, "L.feature_names[0] = \"b\"", HBS_E_FORMAT, "\"b\"", 0},
    {"control bytes in an unknown member", MB_BINARY, "!L.objective = {\"\\u0001\\u001b[31m\": 1}", HBS_E_FORMAT, NULL,
     HT_JSON},
    {"control bytes in an objective", MB_BINARY, "!O.name = \"\\u001b]0;\\u0007\"", HBS_E_UNSUPPORTED, NULL, HT_JSON},
    {"NUL in an objective", MB_BINARY, "!O.name = \"binary:logistic\\u0000x\"", HBS_E_UNSUPPORTED, NULL, HT_JSON},
    {"NUL in a booster", MB_BINARY, "!B.name = \"gbtree\\u0000\"", HBS_E_UNSUPPORTED, NULL, HT_JSON},
    {"NUL in a number", MB_BINARY, "!P.num_class = \"0\\u0000\"", HBS_E_FORMAT, NULL, HT_JSON},
    {"NUL in a base_score", MB_BINARY, "!P.base_score = \"5E-1\\u0000\"", HBS_E_FORMAT, NULL, HT_JSON},
    {"NUL in a key", MB_BINARY, "!O.name = \"binary:logistic\", \"name\\u0000\": \"x\"", HBS_E_FORMAT, NULL, HT_JSON},
    {"the scikit_learn attribute: no JSON", MB_BINARY, "L.attributes = {\"scikit_learn\": \"{\"}", HBS_E_FORMAT,
     "scikit_learn", 0},
    {"the scikit_learn attribute: duplicates", MB_BINARY,
     "L.attributes = {\"scikit_learn\": \"{\\\"classes_\\\": [0,1], \\\"classes_\\\": [1,0]}\"}", HBS_E_FORMAT,
     "scikit_learn", 0},
    {"best_iteration: no number", MB_BINARY, "L.attributes = {\"best_iteration\": \"x\"}", HBS_E_FORMAT,
     "best_iteration", 0},
    {"best_iteration: negative", MB_BINARY, "L.attributes = {\"best_iteration\": \"-2\"}", HBS_E_FORMAT,
     "best_iteration", 0},
    {"best_iteration: none, as 1.7 writes it", MB_BINARY, "L.attributes = {\"best_iteration\": \"-1\"}", HBS_OK, NULL,
     0},
};

/* A name of a megabyte: stored, shown cut, the message still below 512 bytes. */
static void test_long_name(const char *place, hbs_status wanted, mb_encoding encoding)
{
    enum { SIZE = 1 << 20 };
    mb_model *m = mb_make(MB_BINARY);
    char *edit = malloc(SIZE + 256);
    size_t n;
    mb_bytes b;
    hbs_error error = {0};
    hbs_status status;

    ht_case("W9", "a megabyte as %s (%d)", place, (int)encoding);
    if (!edit)
        return;
    n = (size_t)snprintf(edit, 128, "%s = \"", place);
    for (size_t i = 0; i < SIZE; i += 2)
        memcpy(edit + n + i, "\xc3\xa4", 2);
    strcpy(edit + n + SIZE, "\"");
    mb_edit(m, edit);
    b = mb_write(m, encoding);
    status = ht_try(b.data, b.size, NULL, &error);
    ht_check(status == wanted, "got %s: %s", hbs_status_name(status), error.text);
    free(b.data);
    free(edit);
    mb_free(m);
}

static void test_long_names(void)
{
    for (int e = 0; e < MB_ENCODINGS; e++) {
        test_long_name("L.feature_names[1]", HBS_OK, (mb_encoding)e);
        test_long_name("O.name", HBS_E_UNSUPPORTED, (mb_encoding)e);
        test_long_name("B.name", HBS_E_UNSUPPORTED, (mb_encoding)e);
        test_long_name("P.num_class", HBS_E_FORMAT, (mb_encoding)e);
        test_long_name("P.base_score", HBS_E_FORMAT, (mb_encoding)e);
        test_long_name("T0.left_children[0]", HBS_E_FORMAT, (mb_encoding)e);
    }
}

/* A key of a megabyte, unknown or deep in a value without effect. */
static void test_long_key(bool deep)
{
    enum { SIZE = 1 << 20 };
    char *edit = malloc(SIZE + 256);
    size_t n;
    mb_bytes b;
    mb_model *m = mb_make(MB_BINARY);
    hbs_error error = {0};
    hbs_status status;

    ht_case("W9", "a key of a megabyte%s", deep ? " in a value without effect" : "");
    if (!edit)
        return;
    n = (size_t)snprintf(edit, 128, "O.%s = {\"", deep ? "reg_loss_param" : "x");
    memset(edit + n, 'k', SIZE);
    strcpy(edit + n + SIZE, "\": 1}");
    mb_edit(m, edit);
    b = mb_write(m, MB_JSON);
    status = ht_try(b.data, b.size, NULL, &error);
    ht_check(status == (deep ? HBS_OK : HBS_E_FORMAT), "got %s: %s", hbs_status_name(status), error.text);
    free(b.data);
    free(edit);
    mb_free(m);
}

/* The model's name stands in messages: it may be anything, too. */
static void test_model_name(const char *what, const char *name, size_t repeat)
{
    ht_host host;
    hbs_model *model = NULL;
    hbs_error error = {0};
    hbs_status status;
    size_t n = strlen(name);
    char *long_name = calloc(n * repeat + 1, 1);
    hbs_source source = {.name = long_name, .bytes = "[]", .size = 2};

    ht_case("W9", "a model name: %s", what);
    if (!long_name)
        return;
    for (size_t i = 0; i < repeat; i++)
        memcpy(long_name + i * n, name, n);
    ht_host_init(&host);
    status = hbs_model_load(&host.host, NULL, &source, &model, &error);
    ht_check(status == HBS_E_FORMAT, "got %s", hbs_status_name(status));
    ht_check_error(&error, status, 2);
    ht_check(host.blocks == 0, "a leak");
    free(long_name);
}

/* ------------------------------------------------------------------ W10 */

static const char *const BAD_NUMBERS[] = {
    "1e999",   "-1e999", "1e99999999999999999999",
    "0x10",    "0x1p-3", "1,5.0",
    "01",      "-01",    "+1",
    ".5",      "1.",     "-.5",
    "1.e5",    "1e",     "1e+",
    "--1",     "-",      "1f",
    "1d",      "NaN(1)", "nan",
    "inf",     "Inf",    "-inf",
    "1_000",   "1 2",    "\xd9\xa1",
    "1.2.3",   "1e5.5",  "1e+-5",
    "Infinit", "-NaN",   "1e5e5",
    "/**/1",   "1//",    "infinity",
    "0b1",     "1'0",
};

static void test_numbers(void)
{
    for (size_t i = 0; i < HT_COUNT(BAD_NUMBERS); i++) {
        char edit[160];
        hbs_error error = {0};
        hbs_status status;
        mb_bytes b;

        snprintf(edit, sizeof(edit), "!T0.split_conditions[0] = %s", BAD_NUMBERS[i]);
        ht_case("W10", "a threshold of %s", BAD_NUMBERS[i]);
        b = mb_edited(MB_REGRESSION, edit, MB_JSON);
        status = ht_try(b.data, b.size, NULL, &error);
        ht_check(status == HBS_E_FORMAT, "got %s: %s", hbs_status_name(status), error.text);
        ht_check(error.offset != HBS_NO_OFFSET && error.offset < b.size, "no offset: %s", error.text);
        free(b.data);
    }
}

static const ht_edit NUMBERS[] = {
    {"an integer with a point", MB_REGRESSION, "!T0.left_children[0] = 1.0", HBS_E_FORMAT, "left_children", HT_JSON},
    {"an integer with an exponent", MB_REGRESSION, "!T0.left_children[0] = 1e0", HBS_E_FORMAT, "left_children",
     HT_JSON},
    {"an integer of 2^63", MB_REGRESSION, "!T0.split_indices[0] = 9223372036854775808", HBS_E_FORMAT, "split_indices",
     HT_JSON},
    {"an integer of 10^30", MB_REGRESSION, "!T0.split_indices[0] = 1000000000000000000000000000000", HBS_E_FORMAT, NULL,
     HT_JSON},
    {"an integer with a leading zero", MB_REGRESSION, "!T0.left_children[0] = 01", HBS_E_FORMAT, NULL, HT_JSON},
    {"a hex integer", MB_REGRESSION, "!T0.left_children[0] = 0x1", HBS_E_FORMAT, NULL, HT_JSON},
    {"num_class 3.0", MB_MULTI, "P.num_class = \"3.0\"", HBS_E_FORMAT, "num_class", 0},
    {"num_class 0x3", MB_MULTI, "P.num_class = \"0x3\"", HBS_E_FORMAT, "num_class", 0},
    {"num_class with a blank", MB_MULTI, "P.num_class = \" 3\"", HBS_E_FORMAT, "num_class", 0},
    {"num_class with a blank behind", MB_MULTI, "P.num_class = \"3 \"", HBS_E_FORMAT, "num_class", 0},
    {"num_class +3", MB_MULTI, "P.num_class = \"+3\"", HBS_E_FORMAT, "num_class", 0},
    {"num_class 03", MB_MULTI, "P.num_class = \"03\"", HBS_E_FORMAT, "num_class", 0},
    {"num_class empty", MB_MULTI, "P.num_class = \"\"", HBS_E_FORMAT, "num_class", 0},
    {"num_class 3e0", MB_MULTI, "P.num_class = \"3e0\"", HBS_E_FORMAT, "num_class", 0},
    {"num_class 10^30", MB_MULTI, "P.num_class = \"1000000000000000000000000000000\"", HBS_E_FORMAT, "num_class", 0},
    {"base_score abc", MB_BINARY, "P.base_score = \"abc\"", HBS_E_FORMAT, "base_score", 0},
    {"base_score empty", MB_BINARY, "P.base_score = \"\"", HBS_E_FORMAT, "base_score", 0},
    {"base_score []", MB_BINARY, "P.base_score = \"[]\"", HBS_E_FORMAT, "base_score", 0},
    {"base_score [", MB_BINARY, "P.base_score = \"[\"", HBS_E_FORMAT, "base_score", 0},
    {"base_score [0.5,]", MB_BINARY, "P.base_score = \"[0.5,]\"", HBS_E_FORMAT, "base_score", 0},
    {"base_score [0.5", MB_BINARY, "P.base_score = \"[0.5\"", HBS_E_FORMAT, "base_score", 0},
    {"base_score 0,5", MB_BINARY, "P.base_score = \"0,5\"", HBS_E_FORMAT, "base_score", 0},
    {"base_score nan", MB_BINARY, "P.base_score = \"nan\"", HBS_E_FORMAT, "base_score", 0},
    {"base_score [NaN]", MB_BINARY, "P.base_score = \"[NaN]\"", HBS_E_FORMAT, "base_score", 0},
    {"base_score 1e999", MB_BINARY, "P.base_score = \"1e999\"", HBS_E_FORMAT, "base_score", 0},
    {"base_score hex", MB_BINARY, "P.base_score = \"0x1p-1\"", HBS_E_FORMAT, "base_score", 0},
    {"base_score with junk", MB_BINARY, "P.base_score = \"[0.5]x\"", HBS_E_FORMAT, "base_score", 0},
    {"base_score above 1", MB_BINARY, "P.base_score = \"[1.5]\"", HBS_E_FORMAT, "base_score", 0},
    {"base_score below 0", MB_BINARY, "P.base_score = \"-0.5\"", HBS_E_FORMAT, "base_score", 0},
    {"base_score of the wrong size", MB_MULTI, "P.base_score = \"[0.5,0.5]\"", HBS_E_FORMAT, "base_score", 0},
    {"base_score, one for all", MB_MULTI, "P.base_score = \"[0.5]\"", HBS_OK, NULL, 0},
    {"base_score, as before 3.1", MB_BINARY, "P.base_score = \"5E-1\"", HBS_OK, NULL, 0},
    {"a float of 20 digits", MB_REGRESSION, "!T0.split_conditions[0] = 0.50000000000000000000", HBS_OK, NULL, HT_JSON},
    {"an integer as a float", MB_REGRESSION, "!T0.split_conditions[0] = 1", HBS_OK, NULL, HT_JSON},
    {"an underflow", MB_REGRESSION, "!T0.split_conditions[0] = 1e-400", HBS_OK, NULL, HT_JSON},
    {"white space everywhere", MB_REGRESSION, "!T0.split_conditions[0] =  \t 0.5 \r ", HBS_OK, NULL, HT_JSON},
};

/* A number of `digits` digits: right as long as a number may be, an error beyond. */
static void test_digits(size_t digits)
{
    mb_model *m = mb_make(MB_REGRESSION);
    char *edit = malloc(digits + 256);
    size_t n;
    mb_bytes b;
    hbs_error error = {0};
    hbs_status status;

    ht_case("W10", "a threshold of %zu digits", digits);
    if (!edit)
        return;
    n = (size_t)snprintf(edit, 128, "!T0.split_conditions[0] = 0.");
    memset(edit + n, '5', digits);
    edit[n + digits] = '\0';
    mb_edit(m, edit);
    b = mb_write(m, MB_JSON);
    status = ht_try(b.data, b.size, NULL, &error);
    ht_check(status == (digits < 1000 ? HBS_OK : HBS_E_LIMIT), "got %s: %s", hbs_status_name(status), error.text);
    free(b.data);
    free(edit);
    mb_free(m);
}

/* The C library keeps what it reads of LOCPATH: no leak of ours. */
#if HT_SANITIZED
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_disable() ((void)0)
#define __lsan_enable()  ((void)0)
#endif

/* A locale whose decimal point is a comma: one of the machine's, else one made for this test. */
static bool comma_locale(char *folder, size_t size)
{
    static const char *const NAMES_OF[] = {"de_DE.UTF-8", "de_DE.utf8",  "de_DE",   "fr_FR.UTF-8",
                                           "es_ES.UTF-8", "it_IT.UTF-8", "hbs_test"};
    char command[512];

    for (int made = 0; made < 2; made++) {
        for (size_t i = 0; i < HT_COUNT(NAMES_OF); i++)
            if (setlocale(LC_ALL, NAMES_OF[i]) && localeconv()->decimal_point[0] == ',')
                return true;
        if (made)
            break;
        snprintf(folder, size, "/tmp/hbs_locale_%ld", (long)getpid());
        snprintf(command, sizeof(command), "mkdir %s && localedef -i de_DE -f UTF-8 %s/hbs_test >/dev/null 2>&1",
                 folder, folder);
        if (system(command) == 0)
            setenv("LOCPATH", folder, 1);
    }
    setlocale(LC_ALL, "C");
    return false;
}

static void remove_folder(const char *folder)
{
    char command[512];

    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    if (*folder && system(command) != 0)
        printf("cannot remove %s\n", folder);
}

static const char *locale_options(int file)
{
    return file / 2 == MB_LINEAR ? "{\"missing\": -7.25}" : "{\"missing\": -7.25, \"rounds\": 1}";
}

static void test_locale(void)
{
    char folder[128] = "", text[32];
    bool found;
    mb_bytes files[2 * MB_SAMPLES];
    uint64_t want[2 * MB_SAMPLES];

    for (int i = 0; i < 2 * MB_SAMPLES; i++) {
        ht_case("W10", "in the C locale");
        files[i] = mb_edited((mb_sample)(i / 2), NULL, (mb_encoding)(i % 2));
        want[i] = ht_fingerprint_of(files[i], locale_options(i));
    }
    __lsan_disable();
    found = comma_locale(folder, sizeof(folder));
    unsetenv("LOCPATH");
    __lsan_enable();
    if (found) {
        for (int i = 0; i < 2 * MB_SAMPLES; i++) {
            ht_case("W10", "%s in a locale with a decimal comma", mb_sample_name((mb_sample)(i / 2)));
            ht_check(ht_fingerprint_of(files[i], locale_options(i)) == want[i], "scores otherwise");
        }
        ht_case("W10", "a number written in a locale with a decimal comma");
        hbs_format_double(-1234.5, text);
        ht_check(strcmp(text, "-1234.5") == 0, "wrote %s", text);
        setlocale(LC_ALL, "C");
    } else {
        printf("W10: no locale with a decimal comma on this machine and none could be made: "
               "skipped\n");
    }
    remove_folder(folder);
    for (int i = 0; i < 2 * MB_SAMPLES; i++)
        free(files[i].data);
}

/* ------------------------------------------------------------------ W13 */

#define PICKLE "pickle|hbscore.register(connection, name, estimator)"
#define JOBLIB "|joblib|hbscore.register(connection, name, estimator)"
#define DUMP   "XGBoost's JSON dump|save_model"

static const ht_file FILES[] = {
    {"a pickle", "\x80\x04\x95\x10\0\0\0\0\0\0\0]\x94.", 14, HBS_E_FORMAT, PICKLE "|save_model"},
    {"a pickle of protocol 0", "ccopy_reg\n_reconstructor\np0\n(c.", 0, HBS_E_FORMAT, PICKLE},
    {"a pickle of protocol 1", "ccopy_reg\n_reconstructor\nq\0(cs.", 31, HBS_E_FORMAT, PICKLE},
    {"a dict in a pickle of protocol 0", "(dp0\nVa\np1\nI1\ns.", 0, HBS_E_FORMAT, PICKLE},
    {"a dict in a pickle of protocol 1", "}q\0X\1\0\0\0aq\1K\1s.", 15, HBS_E_FORMAT, PICKLE},
    {"a list in a pickle of protocol 1", "]q\0K\1a.", 7, HBS_E_FORMAT, PICKLE},
    {"a tuple in a pickle of protocol 0", "(Va\np0\nI1\ntp1\n.", 0, HBS_E_FORMAT, PICKLE},
    {"a pickle of protocol 2", "\x80\x02}q\0.", 6, HBS_E_FORMAT, PICKLE},
    {"a pickle of protocol 3", "\x80\x03csklearn.tree\n.", 0, HBS_E_FORMAT, PICKLE},
    {"a pickle of protocol 5", "\x80\x05\x95\xc5\1\0\0\0\0\0\0.", 12, HBS_E_FORMAT, PICKLE},
    {"one byte 0x80", "\x80", 1, HBS_E_FORMAT, PICKLE},
    {"words that are no pickle", "chapter one\nbegins.", 0, HBS_E_FORMAT, "not a model file"},
    {"joblib by zlib", "\x78\x9c\x63\x60", 4, HBS_E_FORMAT, "zlib" JOBLIB},
    {"joblib by zlib, level 0", "\x78\x01\x63\x60", 4, HBS_E_FORMAT, "zlib" JOBLIB},
    {"joblib by zlib, level 3", "\x78\x5e\x65\x52", 4, HBS_E_FORMAT, "zlib" JOBLIB},
    {"joblib by zlib, level 9", "\x78\xda\x65\x52", 4, HBS_E_FORMAT, "zlib" JOBLIB},
    {"joblib by gzip", "\x1f\x8b\x08\0\0\0\0\0\0\3", 10, HBS_E_FORMAT, "gzip" JOBLIB},
    {"joblib by bzip2", "BZh31AY&SY", 0, HBS_E_FORMAT, "bzip2" JOBLIB},
    {"joblib by xz",
     "\xfd"
     "7zXZ\0\0\4",
     8, HBS_E_FORMAT, "xz" JOBLIB},
    {"joblib by lzma", "]\0\0\x40\0\xff\xff\xff", 8, HBS_E_FORMAT, "lzma" JOBLIB},
    {"joblib by lz4", "\x04\x22\x4d\x18\x64\x40", 6, HBS_E_FORMAT, "lz4" JOBLIB},
    {"zstd", "\x28\xb5\x2f\xfd\x04\0", 6, HBS_E_FORMAT, "zstd" JOBLIB},
    {"HDF5", "\x89HDF\r\n\x1a\n\0", 9, HBS_E_FORMAT, "HDF5|Keras|ONNX"},
    {"Keras", "PK\3\4\x14\0\0\0\0\0\0\0\x21\0\0\0\0\0\0\0\0\0\0\0\0\0\x0d\0\0\0metadata.json", 43, HBS_E_FORMAT,
     "a Keras model|to ONNX"},
    {"safetensors", "\x18\0\0\0\0\0\0\0{\"w\":{\"dtype\":\"F32\"}}   ", 32, HBS_E_FORMAT, "safetensors"},
    {"a length that is no safetensors", "\xff\xff\0\0\0\0\0\0{\"w\":1}", 15, HBS_E_FORMAT, "not a model file"},
    {"CSV", "age,plan,fee\n31,gold,2.5\n", 0, HBS_E_FORMAT, "CSV|save_model"},
    {"CSV with semicolons", "age;plan\r\n31;gold\r\n", 0, HBS_E_FORMAT, "CSV"},
    {"TSV", "age\tplan\n31\tgold\n", 0, HBS_E_FORMAT, "CSV"},
    {"prose with commas", "one, two, three\nfour\n", 0, HBS_E_FORMAT, "not a model file"},
    {"JSON in lines with commas", "{\"learner\":{},\n\"version\":[3,2,0]}\n", 0, HBS_E_FORMAT, "objective"},
    {"XGBoost's JSON dump", "[\n  { \"nodeid\": 0, \"depth\": 0 }\n]", 0, HBS_E_FORMAT, DUMP},
    {"XGBoost's JSON dump of one tree", "  { \"nodeid\": 0, \"leaf\": 0.5 }", 0, HBS_E_FORMAT, DUMP},
    {"XGBoost's text dump", "booster[0]:\n0:leaf=0.5\n", 0, HBS_E_FORMAT, "text dump|save_model"},
    {"a drawing of a tree", "digraph {\n    graph [ rankdir=TB ]\n}", 0, HBS_E_FORMAT, "drawing|save_model"},
    {"LightGBM's data set", "______LightGBM_Binary_File_Token______\n\0", 0, HBS_E_FORMAT, "data set|save_model"},
    {"PMML without a head", "<PMML version=\"4.4\"/>", 0, HBS_E_FORMAT, "PMML|hbscore.register"},
    {"XML", "<?xml version=\"1.0\"?><model/>", 0, HBS_E_FORMAT, "XML|save_model"},
    {"CatBoost's binary", "CBM1\x10\0\0\0\x0c\0\0\0", 12, HBS_E_FORMAT, "CatBoost"},
    {"a zip", "PK\3\4\x14\0\0\0", 8, HBS_E_FORMAT, "zip|torch.onnx.export|save_model"},
    {"PMML", "<?xml version=\"1.0\"?><PMML/>", 0, HBS_E_FORMAT, "PMML|save_model"},
    {"XGBoost's old binary", "binf\0\0\0\0\x3f\0\0\0", 12, HBS_E_FORMAT, "old binary|save_model"},
    {"XGBoost's old binary without a mark", "\0\0\0\x3f\x04\0\0\0\0\0\0\0", 12, HBS_E_FORMAT, "old binary|save_model"},
    {"XGBoost's old base64", "bs64 AAAAPw==", 0, HBS_E_FORMAT, "base64|save_model"},
    {"the head of LightGBM's text", "tree\nversion=v4\nnum_class=1\n", 0, HBS_E_FORMAT, "ends"},
    {"the head of LightGBM's text with CRLF", "tree\r\nversion=v4\r\n", 0, HBS_E_FORMAT, "ends"},
    {"ONNX without a graph", "\x08\x08\x12\x08skl2onnx", 12, HBS_E_FORMAT, "ONNX|no graph"},
    {"gzip", "\x1f\x8b\x08\0\0\0\0\0", 8, HBS_E_FORMAT, "gzip"},
    {"CatBoost's JSON", "{\"features_info\":{},\"oblivious_trees\":[]}", 0, HBS_E_FORMAT, NULL},
    {"a JSON array", "[1,2,3]", 0, HBS_E_FORMAT, "save_model"},
    {"a JSON number", "42", 0, HBS_E_FORMAT, "save_model"},
    {"a JSON string", "\"learner\"", 0, HBS_E_FORMAT, "save_model"},
    {"empty object", "{}", 0, HBS_E_FORMAT, "learner"},
    {"empty object with blanks", "{ \n }", 0, HBS_E_FORMAT, "learner"},
    {"empty UBJSON object", "{L\0\0\0\0\0\0\0\0}", 11, HBS_E_FORMAT, NULL},
    {"an object with a version only", "{\"version\":[3,2,0]}", 0, HBS_E_FORMAT, "learner"},
    {"an empty learner", "{\"learner\":{},\"version\":[3,2,0]}", 0, HBS_E_FORMAT, NULL},
    {"one brace", "{", 0, HBS_E_FORMAT, NULL},
    {"one blank", " ", 0, HBS_E_FORMAT, NULL},
    {"one NUL", "\0", 1, HBS_E_FORMAT, NULL},
    {"a byte order mark", "\xef\xbb\xbf{\"learner\":{}}", 0, HBS_E_FORMAT, "byte-order mark|without it"},
    {"a byte order mark of UTF-16", "\xff\xfe{\0\"\0", 6, HBS_E_FORMAT, "UTF-16"},
    {"a byte order mark of UTF-16, high bytes first", "\xfe\xff\0{\0\"", 6, HBS_E_FORMAT, "UTF-16"},
    {"UTF-16", "{\0\"\0l\0e\0", 8, HBS_E_FORMAT, NULL},
    {"HTML", "<!doctype html>", 0, HBS_E_FORMAT, "XML"},
    {"a shell script", "#!/bin/sh\n", 0, HBS_E_FORMAT, "save_model"},
    {"an ELF",
     "\x7f"
     "ELF\2\1\1\0",
     8, HBS_E_FORMAT, "save_model"},
    {"a path", "/etc/passwd", 0, HBS_E_FORMAT, "save_model"},
    {"a URL", "http://127.0.0.1/model.json", 0, HBS_E_FORMAT, "save_model"},
    {"a configuration instead of a model", "{\"learner\":{\"generic_param\":{}},\"version\":[3,2,0]}", 0, HBS_E_FORMAT,
     NULL},
    {"R's list", "X\n\0\0\0\2\0\4\2\1", 10, HBS_E_FORMAT, "save_model"},
};

/* XGBoost 1.0 to 1.5 wrote no mark: 136 bytes of parameters, then the objective behind its length. */
static void test_old_binary(void)
{
    char bytes[170] = {0, 0, 0, 0x3f, 2};
    ht_file file = {"XGBoost's old binary of 1.0", bytes, sizeof(bytes), HBS_E_FORMAT,
                    "this is XGBoost's old binary|3.0 or older|save_model"};

    bytes[136] = 15;
    strcpy(bytes + 144, "binary:logistic");
    ht_run_files("W13", &file, 1);
    bytes[143] = 1; /* a length beyond the file */
    file.name = "another binary";
    file.words = "not a model file";
    ht_run_files("W13", &file, 1);
}

static void test_behind(const char *name, const char *tail, size_t size, mb_encoding encoding, hbs_status wanted)
{
    mb_bytes b = mb_edited(MB_REGRESSION, NULL, encoding);
    char *bytes = malloc(b.size + size);
    hbs_error error = {0};
    hbs_status status;

    ht_case("W13", "%s behind the model (%s)", name, encoding == MB_JSON ? "JSON" : "UBJSON");
    if (!bytes)
        return;
    memcpy(bytes, b.data, b.size);
    memcpy(bytes + b.size, tail, size);
    status = ht_try(bytes, b.size + size, NULL, &error);
    ht_check(status == wanted, "got %s: %s", hbs_status_name(status), error.text);
    if (status != HBS_OK)
        ht_check(error.offset >= b.size && error.offset <= b.size + size, "offset %zu, not %zu", error.offset, b.size);
    free(bytes);
    free(b.data);
}

static void test_trailing(void)
{
    for (int e = 0; e < MB_ENCODINGS; e++) {
        bool json = e == MB_JSON;

        test_behind("one brace", "}", 1, (mb_encoding)e, HBS_E_FORMAT);
        test_behind("NUL", "\0", 1, (mb_encoding)e, HBS_E_FORMAT);
        test_behind("a second model", "{\"learner\":{}}", 14, (mb_encoding)e, HBS_E_FORMAT);
        test_behind("a zip", "PK\3\4", 4, (mb_encoding)e, HBS_E_FORMAT);
        test_behind("0xff", "\xff", 1, (mb_encoding)e, HBS_E_FORMAT);
        test_behind("a comma", ",", 1, (mb_encoding)e, HBS_E_FORMAT);
        test_behind("a line end", "\n", 1, (mb_encoding)e, json ? HBS_OK : HBS_E_FORMAT);
        test_behind("a no-op", "N", 1, (mb_encoding)e, HBS_E_FORMAT);
    }
    test_behind("a comment", "// x", 4, MB_JSON, HBS_E_FORMAT);
}

static void expect_format(const char *name, mb_encoding encoding, const char *options, hbs_status wanted,
                          const char *words)
{
    mb_bytes b = mb_edited(MB_BINARY, NULL, encoding);
    hbs_error error = {0};
    hbs_status status;

    ht_case("W13", "%s", name);
    status = ht_try(b.data, b.size, options, &error);
    ht_check(status == wanted, "got %s: %s", hbs_status_name(status), error.text);
    if (status != HBS_OK)
        ht_check(ht_has_words(error.text, words), "wanted %s, got %s", words, error.text);
    free(b.data);
}

static void test_stated_formats(void)
{
    expect_format("JSON, stated", MB_JSON, "{\"format\":\"xgboost-json\"}", HBS_OK, NULL);
    expect_format("JSON, family stated", MB_JSON, "{\"format\":\"xgboost\"}", HBS_OK, NULL);
    expect_format("JSON, auto", MB_JSON, "{\"format\":\"auto\"}", HBS_OK, NULL);
    expect_format("UBJSON, stated", MB_UBJSON, "{\"format\":\"xgboost-ubjson\"}", HBS_OK, NULL);
    expect_format("UBJSON said to be JSON", MB_UBJSON, "{\"format\":\"xgboost-json\"}", HBS_E_FORMAT, "xgboost-ubjson");
    expect_format("JSON said to be UBJSON", MB_JSON, "{\"format\":\"xgboost-ubjson\"}", HBS_E_FORMAT, "xgboost-json");
    expect_format("an unknown format", MB_JSON, "{\"format\":\"pickle\"}", HBS_E_ARGS, "pickle");
    expect_format("an empty format", MB_JSON, "{\"format\":\"\"}", HBS_E_ARGS, NULL);
    expect_format("a part of a format's name", MB_JSON, "{\"format\":\"xgb\"}", HBS_E_ARGS, "xgb");
}

static void test_sizes(void)
{
    ht_host host;
    hbs_limits limits = {.max_model_bytes = 1000};
    mb_bytes b = mb_edited(MB_BINARY, NULL, MB_JSON);
    ht_load load = {.limits = &limits};

    ht_host_init(&host);
    ht_case("W13", "a file over the limit of bytes");
    ht_load_bytes(&host, b.data, b.size, &load);
    ht_check(load.status == HBS_E_LIMIT, "got %s", hbs_status_name(load.status));
    ht_check(ht_has_words(load.error.text, "1000"), "no limit in: %s", load.error.text);
    limits.max_model_bytes = b.size;
    ht_case("W13", "a file of just the limit of bytes");
    ht_load_bytes(&host, b.data, b.size, &load);
    ht_check(load.status == HBS_OK, "got %s", load.error.text);
    limits.max_model_bytes = SIZE_MAX;
    ht_case("W13", "a limit of bytes above the hard one");
    ht_load_bytes(&host, b.data, b.size, &load);
    ht_check(load.status == HBS_OK || load.status == HBS_E_ARGS, "got %s", load.error.text);
    ht_case("W13", "no bytes at all");
    ht_check(ht_try("", 0, NULL, NULL) == HBS_E_FORMAT, "loads");
    free(b.data);
}

/* ------------------------------------------------------------------ W14 */

static const ht_edit UNKNOWN[] = {
    {"objective", MB_BINARY, "O.name = \"binary:magic\"", HBS_E_UNSUPPORTED, "binary:magic|objective", 0},
    {"objective, empty", MB_BINARY, "O.name = \"\"", HBS_E_UNSUPPORTED, "objective", 0},
    {"objective in capitals", MB_BINARY, "O.name = \"BINARY:LOGISTIC\"", HBS_E_UNSUPPORTED, "BINARY:LOGISTIC", 0},
    {"objective with a tail", MB_BINARY, "O.name = \"binary:logisticx\"", HBS_E_UNSUPPORTED, "binary:logisticx", 0},
    {"booster", MB_BINARY, "B.name = \"gbforest\"", HBS_E_UNSUPPORTED, "gbforest", 0},
    {"booster, empty", MB_BINARY, "B.name = \"\"", HBS_E_UNSUPPORTED, "booster", 0},
    {"version 4.0.0", MB_BINARY, "version = [4,0,0]", HBS_E_UNSUPPORTED, "4.0.0", 0},
    {"version 0.90.0", MB_BINARY, "version = [0,90,0]", HBS_E_UNSUPPORTED, "0.90.0", 0},
    {"version 2147483647", MB_BINARY, "version[0] = 2147483647", HBS_E_UNSUPPORTED, "2147483647", 0},
    {"version of today's next", MB_BINARY, "version = [3,99,0]", HBS_OK, NULL, 0},
    {"feature type", MB_BINARY, "L.feature_types[0] = \"tensor\"", HBS_E_UNSUPPORTED, "tensor", 0},
    {"categories of a type that is no integer", MB_CATEGORIES, "M.cats.enc[2].type = 7", HBS_E_UNSUPPORTED, "7", 0},
    {"categories of an unknown type", MB_CATEGORIES, "M.cats.enc[2].type = 99", HBS_E_UNSUPPORTED, "99", 0},
    {"split type", MB_REGRESSION, "T0.split_type[0] = 3", HBS_E_UNSUPPORTED, "3", 0},
};

int main(void)
{
    ht_run_edits("W9", NAMES, HT_COUNT(NAMES));
    test_long_names();
    test_long_key(false);
    test_long_key(true);
    test_model_name("bad UTF-8", "\xff\xc3", 1);
    test_model_name("control bytes", "\x1b[31m\x01\x7f", 1);
    test_model_name("quotes", "a\"b'c\\", 1);
    test_model_name("a percent sign", "%s%n%d", 1);
    test_model_name("empty", "", 1);
    test_model_name("300 accents", "\xc3\xa4", 300);
    test_model_name("ten megabytes", "0123456789", 1 << 20);
    test_numbers();
    ht_run_edits("W10", NUMBERS, HT_COUNT(NUMBERS));
    test_digits(100);
    test_digits(900);
    test_digits(2000);
    test_digits(1000000);
    test_locale();
    ht_run_files("W13", FILES, HT_COUNT(FILES));
    test_old_binary();
    test_trailing();
    test_stated_formats();
    test_sizes();
    ht_run_edits("W14", UNKNOWN, HT_COUNT(UNKNOWN));
    return ht_report();
}
