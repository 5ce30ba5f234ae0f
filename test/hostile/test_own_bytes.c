/* test_own_bytes.c - hbscore's own format: broken documents by hand, one table of them by the classes of
 * reliability.md; real models cut at every byte, with bytes changed, out of memory and cancelled at every
 * point; and large ones. */
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sanitizers make each load some ten times slower. */
#if HT_SANITIZED
enum { CUT_STEP = 17, BYTE_STEP = 97, LARGE = 20000 };
#else
enum { CUT_STEP = 1, BYTE_STEP = 13, LARGE = 200000 };
#endif

#define F HBS_E_FORMAT
#define U HBS_E_UNSUPPORTED
#define L HBS_E_LIMIT

/* ------------------------------------------------------------------ small models */

typedef enum sample {
    TREE,    /* one tree, x0 <= 0.5 ? 1 : 2, in columns */
    PACKED,  /* the same in preorder */
    SMALL,   /* a classifier of two features, with names */
    BAYES,   /* a classifier by normal distributions */
    NEAR,    /* the number of the nearer of two stored rows */
    NEAREST, /* how far it is, and its place */
    FILLED,  /* a missing number becomes that of a stored row */
    TERMS,   /* sums of the weights of a text's words, and a number */
    NAMED,   /* the numbers of a JSON text */
    SOLVED   /* topics, atoms and weights of points, each found for the row */
} sample;

static const char *const NAMES[] = {"tree",    "packed", "small", "bayes", "near",
                                    "nearest", "filled", "terms", "named", "solved"};

static const char *const TEXTS[] = {
    [TREE] =
        "{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"type\":\"f4\"},{\"type\":\"f8\"}],\"ops\":["
        "{\"op\":\"forest\",\"in\":[0],\"input\":\"f4\",\"start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAMAAAA=\"},"
        "\"left\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AQAAAP//////////\"},"
        "\"right\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AgAAAP//////////\"},"
        "\"feature\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AAAAAP//////////\"},"
        "\"threshold\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAA4D8AAAAAAAAAAAAAAAAAAAAA\"},"
        "\"missing_left\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"},"
        "\"cover\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAAFEAAAAAAAAAAQAAAAAAAAAhA\"},"
        "\"value\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==\"},"
        "\"group\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"/////w==\"},"
        "\"init\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAAAAA=\"},"
        "\"divide\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA8D8=\"},"
        "\"missing\":0}]}",
    [PACKED] =
        "{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"type\":\"f4\"},{\"type\":\"f8\"}],\"ops\":["
        "{\"op\":\"forest\",\"in\":[0],\"input\":\"f4\",\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"},"
        "\"threshold\":{\"dtype\":\"f4\",\"shape\":[1],\"data\":\"AAAAPw==\"},"
        "\"missing_left\":{\"dtype\":\"bit\",\"shape\":[1],\"data\":\"AQ==\"},"
        "\"cover\":{\"dtype\":\"u2\",\"shape\":[2],\"data\":\"AgADAA==\"},"
        "\"leaf\":{\"dtype\":\"u1\",\"shape\":[2],\"data\":\"AAE=\"},"
        "\"value\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==\"},"
        "\"group\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"/////w==\"},"
        "\"init\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAAAAA=\"},"
        "\"divide\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA8D8=\"},"
        "\"missing\":0}]}",
    [SMALL] =
        "{\"hbscore\":1,\"writer\":{\"hbscore\":\"0.1.0\"},\"task\":\"classifier\",\"features\":["
        "{\"name\":\"a\",\"type\":\"f8\"},{\"name\":\"b\",\"type\":\"i8\"}],\"classes\":{\"dtype\":\"str\",\"shape\":[2],\"data\":"
        "[\"no\",\"yes\"]},\"ops\":[{\"op\":\"select\",\"in\":[0],\"cols\":[1,0]},"
        "{\"op\":\"linear\",\"in\":[1],\"coef\":{\"dtype\":\"f8\",\"shape\":[1,2],\"data\":\"AAAAAAAA8D8AAAAAAADwvw==\"},"
        "\"intercept\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA0D8=\"}},"
        "{\"op\":\"link\",\"in\":[2],\"kind\":\"sigmoid\"},{\"op\":\"head\",\"in\":[2,3],\"rule\":\"gt0\"}]}",
    [BAYES] = "{\"hbscore\":1,\"writer\":{},\"task\":\"classifier\",\"features\":[{\"type\":\"f8\"}],"
              "\"classes\":{\"dtype\":\"i8\",\"shape\":[2],\"data\":\"AAAAAAAAAAABAAAAAAAAAA==\"},\"ops\":["
              "{\"op\":\"gaussian_nb\",\"in\":[0],"
              "\"mean\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==\"},"
              "\"variance\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==\"},"
              "\"constant\":{\"dtype\":\"f8\",\"shape\":[2],\"data\":\"AAAAAAAA8L8AAAAAAADwvw==\"}},"
              "{\"op\":\"head\",\"in\":[1],\"rule\":\"argmax\"}]}",
    [NEAR] = "{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"type\":\"f8\"}],\"ops\":["
             "{\"op\":\"pairwise\",\"in\":[0],\"metric\":\"sqeuclidean\","
             "\"rows\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==\"}},"
             "{\"op\":\"top_k\",\"in\":[1],\"terms\":2,\"k\":1,\"largest\":0},"
             "{\"op\":\"select\",\"in\":[2],\"cols\":[1]},"
             "{\"op\":\"look_up\",\"in\":[3],\"places\":2,\"stride\":1,"
             "\"first\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"AAAAAA==\"},"
             "\"numbers\":{\"dtype\":\"f8\",\"shape\":[2],\"data\":\"AAAAAAAA8L8AAAAAAADwvw==\"}},"
             "{\"op\":\"map\",\"in\":[4],\"function\":\"exp\",\"dtype\":\"f8\"}]}",
    [NEAREST] = "{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"type\":\"f8\"}],\"ops\":["
                "{\"op\":\"neighbours\",\"in\":[0],\"metric\":\"minkowski\","
                "\"power\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAACEA=\"},\"k\":1,"
                "\"rows\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==\"}}]}",
    [FILLED] = "{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"type\":\"f8\"}],\"ops\":["
               "{\"op\":\"impute_nearest\",\"in\":[0],\"k\":1,\"weights\":\"distance\","
               "\"rows\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==\"},"
               "\"fill\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA+D8=\"}}]}",
    [TERMS] =
        "{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"type\":\"str\"},{\"type\":\"f8\"}],"
        "\"ops\":[{\"op\":\"select\",\"in\":[0],\"cols\":[0]},{\"op\":\"select\",\"in\":[0],\"cols\":[1]},"
        "{\"op\":\"text_counts\",\"in\":[1],\"marks\":{\"dtype\":\"str\",\"shape\":[1],\"data\":[\"-\"]},"
        "\"fills\":{\"dtype\":\"str\",\"shape\":[1],\"data\":[\"cat\"]},\"unicode\":\"15.0\",\"lowercase\":1,\"accents\":\"ascii\","
        "\"analyzer\":\"word\",\"pattern\":\"\\\\w+\",\"stop_words\":{\"dtype\":\"str\",\"shape\":[1],\"data\":[\"no\"]},"
        "\"least\":1,\"most\":2,\"binary\":0,\"vocabulary\":{\"dtype\":\"str\",\"shape\":[2],\"data\":[\"cat\",\"dog\"]}},"
        "{\"op\":\"tf_idf\",\"in\":[3],\"dtype\":\"f4\",\"sublinear\":1,\"idf\":{\"dtype\":\"f8\",\"shape\":[2],"
        "\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==\"},\"norm\":\"l2\"},{\"op\":\"concat\",\"in\":[4,2]},"
        "{\"op\":\"linear\",\"in\":[5],\"dtype\":\"f4\",\"coef\":{\"dtype\":\"f8\",\"shape\":[1,3],"
        "\"data\":\"AAAAAAAA8D8AAAAAAAAAQAAAAAAAAPA/\"},\"intercept\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA0D8=\"}}]}",
    [NAMED] = "{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"type\":\"str\"}],\"ops\":["
              "{\"op\":\"select\",\"in\":[0],\"cols\":[0]},{\"op\":\"json_features\",\"in\":[1],\"dtype\":\"i8\","
              "\"separator\":\"=\",\"vocabulary\":{\"dtype\":\"str\",\"shape\":[2],\"data\":[\"age\",\"a=b\"]}}]}",
    [SOLVED] =
        "{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"type\":\"f8\"}],\"ops\":["
        "{\"op\":\"topics\",\"in\":[0],\"dtype\":\"f8\",\"prior\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA4D8=\"},"
        "\"tolerance\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"/Knx0k1iUD8=\"},\"rounds\":9,"
        "\"weights\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAADgPw==\"}},"
        "{\"op\":\"pursuit\",\"in\":[0],\"k\":1,\"least\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"/Knx0k1iUD8=\"},"
        "\"gram\":{\"dtype\":\"f8\",\"shape\":[1,1],\"data\":\"AAAAAAAA8D8=\"}},"
        "{\"op\":\"descent\",\"in\":[0,2],\"rule\":\"screened\",\"positive\":1,"
        "\"penalty\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA4D8=\"},"
        "\"tolerance\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"/Knx0k1iUD8=\"},\"rounds\":7,"
        "\"gram\":{\"dtype\":\"f8\",\"shape\":[1,1],\"data\":\"AAAAAAAA8D8=\"}},"
        "{\"op\":\"barycentre\",\"in\":[0,3],\"part\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA8D8=\"},"
        "\"rows\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==\"}},"
        "{\"op\":\"factors\",\"in\":[0],\"rule\":\"change\",\"dtype\":\"f8\","
        "\"beta\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA8D8=\"},"
        "\"penalty\":{\"dtype\":\"f8\",\"shape\":[2],\"data\":\"AAAAAAAAAAAAAAAAAAAAAA==\"},"
        "\"least\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"/Knx0k1iUD8=\"},"
        "\"tolerance\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"/Knx0k1iUD8=\"},\"rounds\":5,"
        "\"weights\":{\"dtype\":\"f8\",\"shape\":[1,1],\"data\":\"AAAAAAAA4D8=\"}},"
        "{\"op\":\"concat\",\"in\":[1,2,3,4,5]}]}",
};

static mb_bytes copy_of(const char *bytes, size_t size)
{
    mb_bytes b = {malloc(size ? size : 1), size};

    if (!b.data)
        exit(2);
    memcpy(b.data, bytes, size);
    return b;
}

/* The text with `from` replaced by `to`, in memory of just its size. */
static mb_bytes replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    size_t head = at ? (size_t)(at - text) : 0, n = strlen(to);
    mb_bytes b = {malloc(strlen(text) + n), strlen(text) - strlen(from) + n};

    if (!at || !b.data) {
        fprintf(stderr, "test_own_bytes: no %s\n", from);
        exit(2);
    }
    memcpy(b.data, text, head);
    memcpy(b.data + head, to, n);
    memcpy(b.data + head + n, at + strlen(from), strlen(at + strlen(from)));
    return b;
}

/* ------------------------------------------------------------------ the table */

typedef struct own_case {
    const char *class_name, *name;
    sample sample;
    const char *from, *to;
    int status;
    const char *words; /* "a|b": both */
} own_case;

static const own_case CASES[] = {
    {"W2", "2^28 rows of 16 bytes", NEAR, "\"shape\":[2,1],\"data\"", "\"shape\":[268435456,1],\"data\"", F,
     "too short"},
    {"W4", "rows whose product wraps", NEAR, "\"shape\":[2,1],\"data\"", "\"shape\":[268435456,268435456],\"data\"", F,
     "too many dimensions or items"},
    {"W8", "rows of two numbers", NEAR, "\"shape\":[2,1],\"data\"", "\"shape\":[1,2],\"data\"", F,
     "columns of the input"},
    {"T10", "a row of NaN", NEAR, "AAAAAAAA8D8AAAAAAAAAQA==", "AAAAAAAA+H8AAAAAAAAAQA==", F, "not finite"},
    {"W2", "2^28 rows to be near to", NEAREST, "\"shape\":[2,1],\"data\"", "\"shape\":[268435456,1],\"data\"", F,
     "too short"},
    {"W8", "rows of two numbers, and a row of one", NEAREST, "\"shape\":[2,1],\"data\"", "\"shape\":[1,2],\"data\"", F,
     "columns of the input"},
    {"T10", "a row of NaN to be near to", NEAREST, "AAAAAAAA8D8AAAAAAAAAQA==", "AAAAAAAA+H8AAAAAAAAAQA==", F,
     "not finite"},
    {"T10", "a power of NaN", NEAREST, "\"AAAAAAAACEA=\"", "\"AAAAAAAA+H8=\"", F, "not finite"},
    {"T10", "a negative power", NEAREST, "\"AAAAAAAACEA=\"", "\"AAAAAAAACMA=\"", F, "not above 0"},
    {"W3", "no neighbours", NEAREST, "\"k\":1", "\"k\":0", F, "expected an integer of 1"},
    {"W2", "more neighbours than rows", NEAREST, "\"k\":1", "\"k\":3", F, "k or more"},
    {"N7", "a product as a distance", NEAREST,
     "\"minkowski\",\"power\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAACEA=\"}", "\"dot\"", F, "no distance"},
    {"W2", "2^28 rows to fill from", FILLED, "\"shape\":[2,1],\"data\"", "\"shape\":[268435456,1],\"data\"", F,
     "too short"},
    {"W8", "rows of two numbers to fill one", FILLED, "\"shape\":[2,1],\"data\"", "\"shape\":[1,2],\"data\"", F,
     "columns of the input"},
    {"T10", "an infinite number to fill from", FILLED, "AAAAAAAA8D8AAAAAAAAAQA==", "AAAAAAAA8H8AAAAAAAAAQA==", F,
     "is infinite"},
    {"T10", "a fill of NaN", FILLED, "\"AAAAAAAA+D8=\"", "\"AAAAAAAA+H8=\"", F, "not finite"},
    {"W3", "no rows to take a mean of", FILLED, "\"k\":1", "\"k\":0", F, "expected an integer of 1"},
    {"N7", "weights that are not there", FILLED, "\"weights\":\"distance\"", "\"weights\":\"rank\"", U, "rank"},
    {"W3", "groups of no terms", NEAR, "\"terms\":2", "\"terms\":0", F, "expected an integer of 1"},
    {"W3", "a negative count of the nearest", NEAR, "\"k\":1", "\"k\":-1", F, "expected an integer of 1"},
    {"W2", "more of the nearest than there are", NEAR, "\"k\":1", "\"k\":3", F, "k is more than these"},
    {"N4", "more places than numbers", NEAR, "\"places\":2", "\"places\":3", F,
     "places that are not among the numbers"},
    {"N4", "places that wrap", NEAR, "\"places\":2,\"stride\":1", "\"places\":2147483647,\"stride\":2147483647", F,
     "places that are not among the numbers"},
    {"N4", "a first place behind the last number", NEAR, "\"data\":\"AAAAAA==\"", "\"data\":\"AQAAAA==\"", F,
     "places that are not among the numbers"},
    {"N4", "a negative first place", NEAR, "\"data\":\"AAAAAA==\"", "\"data\":\"/////w==\"", F, "first is negative"},
    {"N7", "a function that is not there", NEAR, "\"function\":\"exp\"", "\"function\":\"eval\"", U, "eval"},
    {"N7", "a metric that is not there", NEAR, "\"metric\":\"sqeuclidean\"", "\"metric\":\"haversine\"", U,
     "haversine"},
    {"W2", "2^28 nodes of three bytes", PACKED, "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"",
     "\"node\":{\"dtype\":\"u1\",\"shape\":[268435456],\"data\":\"AQAA\"", F, "node.data|too short"},
    {"W2", "nodes of two bytes each, half of them there", PACKED,
     "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"",
     "\"node\":{\"dtype\":\"u2\",\"shape\":[3],\"data\":\"AQAA\"", F, "base64 of 3 numbers"},
    {"W2", "2^28 bits of one byte", PACKED, "\"dtype\":\"bit\",\"shape\":[1],\"data\":\"AQ==\"",
     "\"dtype\":\"bit\",\"shape\":[268435456],\"data\":\"AQ==\"", F, "too short"},
    {"W2", "nine bits of one byte", PACKED, "\"dtype\":\"bit\",\"shape\":[1],\"data\":\"AQ==\"",
     "\"dtype\":\"bit\",\"shape\":[9],\"data\":\"AQ==\"", F, "base64 of 9 bits"},
    {"W2", "a bit of two bytes", PACKED, "\"dtype\":\"bit\",\"shape\":[1],\"data\":\"AQ==\"",
     "\"dtype\":\"bit\",\"shape\":[1],\"data\":\"AQA=\"", F, "base64 of 1 bits"},
    {"W2", "no bit of one byte", PACKED, "\"dtype\":\"bit\",\"shape\":[1],\"data\":\"AQ==\"",
     "\"dtype\":\"bit\",\"shape\":[0],\"data\":\"AQ==\"", F, "base64 of 0 bits"},
    {"W2", "floats of three bytes", PACKED, "\"threshold\":{\"dtype\":\"f4\",\"shape\":[1],\"data\":\"AAAAPw==\"",
     "\"threshold\":{\"dtype\":\"f4\",\"shape\":[1],\"data\":\"AAAA\"", F, "base64 of 1 numbers of 4 bytes"},
    {"W2", "counts of odd bytes", PACKED, "\"cover\":{\"dtype\":\"u2\",\"shape\":[2],\"data\":\"AgADAA==\"",
     "\"cover\":{\"dtype\":\"u2\",\"shape\":[2],\"data\":\"AgAD\"", F, "base64 of 2 numbers of 2 bytes"},
    {"W4", "bits of a shape whose size wraps", PACKED, "\"dtype\":\"bit\",\"shape\":[1],\"data\":\"AQ==\"",
     "\"dtype\":\"bit\",\"shape\":[18446744073709551615],\"data\":\"AQ==\"", F, "shape"},
    {"W4", "bits of two dimensions", PACKED, "\"dtype\":\"bit\",\"shape\":[1],\"data\":\"AQ==\"",
     "\"dtype\":\"bit\",\"shape\":[1,1],\"data\":\"AQ==\"", F, "dimensions"},
    {"W6", "node twice", PACKED,
     "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"},\"threshold\":{\"dtype\":\"f4\",\"shape\":[1],\"data\":\"AAAAPw==\"",
     "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"},\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"",
     F, "duplicate"},
    {"W6", "both layouts", PACKED, "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"},",
     "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"},\"start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAMAAAA=\"},",
     F, "start"},
    {"W7", "columns behind preorder", PACKED, "\"node\":{", "\"start\":{", U, "start.dtype"},
    {"W7", "bits where bytes are due", PACKED, "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"",
     "\"node\":{\"dtype\":\"bit\",\"shape\":[3],\"data\":\"AQ==\"", U, "dtype"},
    {"W7", "bytes where bits are due", PACKED, "\"dtype\":\"bit\",\"shape\":[1],\"data\":\"AQ==\"",
     "\"dtype\":\"u1\",\"shape\":[1],\"data\":\"AQ==\"", U, "dtype"},
    {"W7", "reals as nodes", PACKED, "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"",
     "\"node\":{\"dtype\":\"f4\",\"shape\":[3],\"data\":\"AACAPwAAAAAAAAAA\"", U, "dtype"},
    {"W9", "a bit behind the last one", PACKED, "\"dtype\":\"bit\",\"shape\":[1],\"data\":\"AQ==\"",
     "\"dtype\":\"bit\",\"shape\":[1],\"data\":\"gQ==\"", F, "a bit behind the last one"},
    {"W9", "spare bits of base64", PACKED, "\"dtype\":\"bit\",\"shape\":[1],\"data\":\"AQ==\"",
     "\"dtype\":\"bit\",\"shape\":[1],\"data\":\"AR==\"", F, "base64"},
    {"T1", "a root that is a leaf, others behind it", PACKED,
     "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"",
     "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AAEA\"", F, "within a tree"},
    {"T2", "a tree that does not end", PACKED, "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"",
     "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQEA\"", F, "within a tree"},
    {"T2", "nodes without a leaf", PACKED, "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"",
     "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQEB\"", F, "within a tree"},
    {"T6", "feature 2 of 2", PACKED, "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"",
     "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AwAA\"", F, "tests feature 2, the model has 2"},
    {"T6", "feature -2", PACKED, "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"",
     "\"node\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"/////wAAAAAAAAAA\"", F, "negative"},
    {"T6", "feature 2^31 - 2", PACKED, "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"",
     "\"node\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"////fwAAAAAAAAAA\"", F, "tests feature 2147483646"},
    {"T7", "three trees and one group", PACKED, "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA\"",
     "\"node\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AAAA\"", F, "not one number"},
    {"T7", "row 2 of 2", PACKED, "\"leaf\":{\"dtype\":\"u1\",\"shape\":[2],\"data\":\"AAE=\"",
     "\"leaf\":{\"dtype\":\"u1\",\"shape\":[2],\"data\":\"AAI=\"", F, "names no row"},
    {"T7", "row -1", PACKED, "\"leaf\":{\"dtype\":\"u1\",\"shape\":[2],\"data\":\"AAE=\"",
     "\"leaf\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAP////8=\"", F, "names no row"},
    {"T7", "row 65,535", PACKED, "\"leaf\":{\"dtype\":\"u1\",\"shape\":[2],\"data\":\"AAE=\"",
     "\"leaf\":{\"dtype\":\"u2\",\"shape\":[2],\"data\":\"AAD//w==\"", F, "names no row"},
    {"T8", "a row too few and no leaf", PACKED,
     "\"leaf\":{\"dtype\":\"u1\",\"shape\":[2],\"data\":\"AAE=\"},\"value\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==\"",
     "\"value\":{\"dtype\":\"f8\",\"shape\":[1,1],\"data\":\"AAAAAAAA8D8=\"", F, "one row for each leaf"},
    {"T8", "a leaf too many", PACKED, "\"leaf\":{\"dtype\":\"u1\",\"shape\":[2],\"data\":\"AAE=\"",
     "\"leaf\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AAEB\"", F, "leaf is not one number"},
    {"T8", "no thresholds", PACKED, "\"threshold\":{\"dtype\":\"f4\",\"shape\":[1],\"data\":\"AAAAPw==\"",
     "\"threshold\":{\"dtype\":\"f4\",\"shape\":[0],\"data\":\"\"", F, "for each node that tests"},
    {"T8", "two bits", PACKED, "\"dtype\":\"bit\",\"shape\":[1],\"data\":\"AQ==\"",
     "\"dtype\":\"bit\",\"shape\":[2],\"data\":\"AQ==\"", F, "for each node that tests"},
    {"T8", "a cover of each node", PACKED, "\"cover\":{\"dtype\":\"u2\",\"shape\":[2],\"data\":\"AgADAA==\"",
     "\"cover\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AgMB\"", F, "cover is not one number"},
    {"T10", "a threshold NaN", PACKED, "\"threshold\":{\"dtype\":\"f4\",\"shape\":[1],\"data\":\"AAAAPw==\"",
     "\"threshold\":{\"dtype\":\"f4\",\"shape\":[1],\"data\":\"AADAfw==\"", F, "threshold is NaN"},
    {"T10", "a signalling NaN", PACKED, "\"threshold\":{\"dtype\":\"f4\",\"shape\":[1],\"data\":\"AAAAPw==\"",
     "\"threshold\":{\"dtype\":\"f4\",\"shape\":[1],\"data\":\"AQCAfw==\"", F, "threshold is NaN"},
    {"T10", "a threshold infinite", PACKED, "\"threshold\":{\"dtype\":\"f4\",\"shape\":[1],\"data\":\"AAAAPw==\"",
     "\"threshold\":{\"dtype\":\"f4\",\"shape\":[1],\"data\":\"AACAfw==\"", HBS_OK, NULL},
    {"T10", "a threshold that is denormal", PACKED,
     "\"threshold\":{\"dtype\":\"f4\",\"shape\":[1],\"data\":\"AAAAPw==\"",
     "\"threshold\":{\"dtype\":\"f4\",\"shape\":[1],\"data\":\"AQAAAA==\"", HBS_OK, NULL},
    {"T10", "a cover NaN", PACKED, "\"cover\":{\"dtype\":\"u2\",\"shape\":[2],\"data\":\"AgADAA==\"",
     "\"cover\":{\"dtype\":\"f4\",\"shape\":[2],\"data\":\"AADAfwAAgD8=\"", F, "cover"},
    {"T10", "a cover -1", PACKED, "\"cover\":{\"dtype\":\"u2\",\"shape\":[2],\"data\":\"AgADAA==\"",
     "\"cover\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"/////wEAAAA=\"", F, "cover"},
    {"T10", "a value NaN", PACKED, "\"value\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==\"",
     "\"value\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAD4fw==\"", F, "value has a NaN"},
    {"W2", "a shape above the bytes", TREE, "\"shape\":[3],\"data\":\"AQAAAP//////////",
     "\"shape\":[268435456],\"data\":\"AQAAAP//////////", F, "too short for the shape"},
    {"W2", "a shape one above the bytes", TREE, "\"shape\":[3],\"data\":\"AAAAAAAAFEAAAAAAAAAAQAAAAAAAAAhA",
     "\"shape\":[4],\"data\":\"AAAAAAAAFEAAAAAAAAAAQAAAAAAAAAhA", F, "too short for the shape|cover"},
    {"W2", "a shape below the bytes", TREE, "\"shape\":[3],\"data\":\"AAAAAAAAFEAAAAAAAAAAQAAAAAAAAAhA",
     "\"shape\":[2],\"data\":\"AAAAAAAAFEAAAAAAAAAAQAAAAAAAAAhA", F, "base64 of 2 numbers"},
    {"W2", "texts above the list", SMALL, "\"shape\":[2],\"data\":[\"n", "\"shape\":[268435456],\"data\":[\"n", F,
     "2 texts, the shape says 268435456"},
    {"W3", "a negative shape", TREE, "\"shape\":[3]", "\"shape\":[-3]", F, "shape[0]"},
    {"W3", "a negative input", SMALL, "\"in\":[1]", "\"in\":[-1]", F, "in[0]"},
    {"W3", "a negative column", SMALL, "\"cols\":[1,0]", "\"cols\":[-1,0]", F, "a column that is not there"},
    {"W4", "a shape 2^63", TREE, "\"shape\":[3]", "\"shape\":[9223372036854775808]", F, "shape[0]"},
    {"W4", "a shape of 2^32 + 3", TREE, "\"shape\":[3]", "\"shape\":[4294967299]", F, "shape[0]"},
    {"W4", "a shape whose product wraps", TREE, "\"shape\":[2,1]", "\"shape\":[268435456,268435456]", F,
     "too many dimensions or items"},
    {"W4", "a shape of 0 times much", TREE, "\"shape\":[2,1]", "\"shape\":[0,268435456]", F, "base64 of 0 numbers"},
    {"W4", "a shape of three dimensions", TREE, "\"shape\":[2,1]", "\"shape\":[2,1,1]", F,
     "too many dimensions or items"},
    {"W4", "a column of 2^32", SMALL, "\"cols\":[1,0]", "\"cols\":[4294967296,0]", F, "cols"},
    {"W4", "an input of 2^64", SMALL, "\"in\":[1]", "\"in\":[18446744073709551616]", F, "in[0]"},
    {"W6", "op twice", SMALL, "\"op\":\"select\",", "\"op\":\"select\",\"op\":\"select\",", F, "duplicate"},
    {"W6", "step twice", SMALL, "\"op\":\"select\",", "\"op\":\"select\",\"step\":\"a\",\"step\":\"b\",", F,
     "duplicate"},
    {"W6", "in twice", SMALL, "\"in\":[0],", "\"in\":[0],\"in\":[0],", F, "duplicate"},
    {"W6", "ops twice", SMALL, "\"ops\":[", "\"ops\":[],\"ops\":[", F, "not the model"},
    {"W6", "an array of two data", TREE, "\"shape\":[2],\"data\":\"AAAAAAMAAAA=\"",
     "\"shape\":[2],\"data\":\"AAAAAAMAAAA=\",\"data\":\"\"", F, "duplicate"},
    {"W6", "a feature twice", SMALL, "\"name\":\"b\"", "\"name\":\"a\"", F, "two features"},
    {"W6", "a class twice", SMALL, "[\"n", "[\"yes\",\"yes\"],\"x\":[\"n", F, "unknown member|x"},
    {"W7", "features an object", SMALL, "\"features\":[", "\"features\":{\"x\":[", F, "features"},
    {"W7", "ops a text", SMALL, "\"ops\":[", "\"ops\":\"\",[", F, "ops"},
    {"W7", "in a number", SMALL, "\"in\":[0]", "\"in\":0", F, "in"},
    {"W7", "step a number", SMALL, "\"op\":\"select\",", "\"op\":\"select\",\"step\":1,", F, "step"},
    {"W7", "step an object", SMALL, "\"op\":\"select\",", "\"op\":\"select\",\"step\":{\"a\":1},", F, "step"},
    {"W7", "step before op", SMALL, "\"op\":\"select\",", "\"step\":\"a\",\"op\":\"select\",", F, "op"},
    {"W7", "an input in quotes", SMALL, "\"in\":[0]", "\"in\":[\"0\"]", F, "in[0]"},
    {"W7", "cols of reals", SMALL, "\"cols\":[1,0]", "\"cols\":[1.0,0]", F, "cols"},
    {"W7", "cols null", SMALL, "\"cols\":[1,0]", "\"cols\":null", F, "cols"},
    {"W7", "a dtype of doubles where integers are due", TREE, "\"left\":{\"dtype\":\"i4\"",
     "\"left\":{\"dtype\":\"f8\"", U, "dtype"},
    {"W7", "a list of numbers", TREE, "\"data\":\"AAAAAAAAAAA=\"", "\"data\":[0.0]", F, "data"},
    {"W7", "missing true", TREE, "\"missing\":0", "\"missing\":true", F, "missing"},
    {"W7", "missing 3", TREE, "\"missing\":0", "\"missing\":3", F, "missing"},
    {"W9", "a name of control characters", SMALL, "\"name\":\"a\"", "\"name\":\"\\u0000\\u001b[31m\"", HBS_OK, NULL},
    {"W9", "a name that is not UTF-8", SMALL, "\"name\":\"a\"", "\"name\":\"\xff\"", F, "UTF-8"},
    {"W9", "a name of half a pair", SMALL, "\"name\":\"a\"", "\"name\":\"\\ud800\"", F, "name"},
    {"W9", "base64 with a NUL", TREE, "\"data\":\"AAAAAAAAAAA=\"", "\"data\":\"AAAA\\u0000AAAAA=\"", F, "base64"},
    {"W9", "base64 that is escaped", TREE, "\"data\":\"AAAAAAAAAAA=\"", "\"data\":\"\\u0041AAAAAAAAAA=\"", HBS_OK,
     NULL},
    {"W9", "a step of control characters", SMALL, "\"op\":\"select\",",
     "\"op\":\"select\",\"step\":\"\\u0007\\u001b[31m\\n\",", HBS_OK, NULL},
    {"W9", "a step with a NUL", SMALL, "\"op\":\"select\",", "\"op\":\"select\",\"step\":\"a\\u0000b\",", F,
     "a step's name"},
    {"W9", "a step that is not UTF-8", SMALL, "\"op\":\"select\",", "\"op\":\"select\",\"step\":\"\xff\",", F, "UTF-8"},
    {"W9", "a step of half a pair", SMALL, "\"op\":\"select\",", "\"op\":\"select\",\"step\":\"\\ud800\",", F, "step"},
    {"W9", "an empty step", SMALL, "\"op\":\"select\",", "\"op\":\"select\",\"step\":\"\",", F, "a step's name"},
    {"W9", "an operator of control characters", SMALL, "\"op\":\"select\"", "\"op\":\"\\u0007\\n\"", U, "op"},
    {"W9", "a writer of control characters", SMALL, "\"writer\":{", "\"writer\":{\"\\u0007\":\"\\u0000\\n\",", HBS_OK,
     NULL},
    {"W10", "version 1.0", SMALL, "\"hbscore\":1", "\"hbscore\":1.0", F, "hbscore"},
    {"W10", "version 1e0", SMALL, "\"hbscore\":1", "\"hbscore\":1e0", F, "hbscore"},
    {"W10", "version 01", SMALL, "\"hbscore\":1", "\"hbscore\":01", F, NULL},
    {"W10", "version -1", SMALL, "\"hbscore\":1", "\"hbscore\":-1", F, "hbscore"},
    {"W10", "version 2^64", SMALL, "\"hbscore\":1", "\"hbscore\":18446744073709551617", F, "hbscore"},
    {"W10", "an input -0", SMALL, "\"in\":[0]", "\"in\":[-0]", HBS_OK, NULL},
    {"W10", "a column 1e0", SMALL, "\"cols\":[1,0]", "\"cols\":[1e0,0]", F, "cols"},
    {"W13", "white space", SMALL, "\"writer\":", " \n\t\"writer\" : ", HBS_OK, NULL},
    {"W13", "white space in front", SMALL, "{\"hbscore\"", " {\"hbscore\"", F, NULL},
    {"W13", "a BOM", SMALL, "{\"hbscore\"", "\xef\xbb\xbf{\"hbscore\"", F, NULL},
    {"W13", "something behind it", SMALL, "\"rule\":\"gt0\"}]}", "\"rule\":\"gt0\"}]}{}", F, "follows"},
    {"W13", "an array around it", SMALL, "{\"hbscore\"", "[{\"hbscore\"", F, NULL},
    {"W14", "version 2", SMALL, "\"hbscore\":1", "\"hbscore\":2", U, "format version 2|up to 1|newer"},
    {"W14", "version 2^31 - 1", SMALL, "\"hbscore\":1", "\"hbscore\":2147483647", U, "newer"},
    {"W14", "version 0", SMALL, "\"hbscore\":1", "\"hbscore\":0", F, "hbscore"},
    {"W14", "a task", SMALL, "\"classifier\"", "\"cluster\"", U, "cluster"},
    {"W14", "an operator", SMALL, "\"op\":\"select\"", "\"op\":\"mlp\"", U, "mlp"},
    {"W14", "a link", SMALL, "\"sigmoid\"", "\"svm_prob\"", U, "svm_prob"},
    {"W14", "a rule", SMALL, "\"gt0\"", "\"votes\"", U, "votes"},
    {"W14", "a dtype", TREE, "\"divide\":{\"dtype\":\"f8\"", "\"divide\":{\"dtype\":\"f2\"", U, "f2"},
    {"W14", "a type", SMALL, "\"type\":\"f8\"", "\"type\":\"f2\"", U, "f2"},
    {"W14", "a member", SMALL, "\"ops\":", "\"options\":{},\"ops\":", F, "options"},
    {"W14", "a member of an operator", SMALL, "\"cols\":[1,0]", "\"cols\":[1,0],\"names\":[]", F, "names"},
    {"W14", "transform is behind the end", SMALL, "\"ops\"", "\"transform\":5,\"ops\"", F,
     "transform is value 5, there are 0 to 4"},
    {"W14", "transform is 4096", SMALL, "\"ops\"", "\"transform\":4096,\"ops\"", F, "transform is value 4096"},
    {"W14", "transform is 4097", SMALL, "\"ops\"", "\"transform\":4097,\"ops\"", F, "0 to 4096"},
    {"W14", "transform is 2^64", SMALL, "\"ops\"", "\"transform\":18446744073709551616,\"ops\"", F, "transform"},
    {"W14", "transform is a text", SMALL, "\"ops\"", "\"transform\":\"2\",\"ops\"", F, "transform"},
    {"W14", "transform is the label", SMALL, "\"ops\"", "\"transform\":4,\"ops\"", F, "transform is a label"},
    {"W14", "a transformer with classes", SMALL, "\"classifier\"", "\"transformer\"", F,
     "expected the member \"transform\" here"},
    {"W14", "a transformer that transforms nothing", TREE, "\"regressor\"", "\"transformer\"", F,
     "expected the member \"transform\" here"},
    {"W14", "a member that is not there", SMALL, "\"writer\":{\"hbscore\":\"0.1.0\"},", "", F, "writer"},
    {"T1", "child 3 of 3", TREE, "\"left\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AQAAAP//////////",
     "\"left\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AwAAAP//////////", F, "child 3 is out of range"},
    {"T1", "child 2^31 - 1", TREE, "\"right\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AgAAAP//////////",
     "\"right\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"////f///////////", F, "child 2147483647 is out of range"},
    {"T1", "child -2", TREE, "\"left\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AQAAAP//////////",
     "\"left\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"/v//////////////", F, "child -2 is out of range"},
    {"T1", "child -2^31", TREE, "\"left\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AQAAAP//////////",
     "\"left\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AAAAgP//////////", F, "out of range"},
    {"T2", "a child that is its parent", TREE, "\"left\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AQAAAP//////////",
     "\"left\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AAAAAP//////////", F, "is the root or has another parent"},
    {"T2", "a root that is a leaf, others behind it", TREE,
     "\"left\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AQAAAP//////////",
     "\"left\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"////////////////", F, "a leaf has a right child"},
    {"T2", "an operator that reads itself", SMALL, "\"in\":[1]", "\"in\":[2]", F, "in[0]"},
    {"T2", "an operator that reads the label", SMALL, "\"rule\":\"gt0\"}]",
     "\"rule\":\"gt0\"},{\"op\":\"cast\",\"in\":[4],\"to\":\"f4\"}]", F, "label"},
    {"T3", "two parents", TREE, "\"right\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AgAAAP//////////",
     "\"right\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AQAAAP//////////", F, "is the root or has another parent"},
    {"T6", "feature 2 of 2", TREE, "\"feature\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AAAAAP//////////",
     "\"feature\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AgAAAP//////////", F, "tests feature 2, the model has 2"},
    {"T6", "feature -1", TREE, "\"feature\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AAAAAP//////////",
     "\"feature\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"////////////////", F, "tests feature -1"},
    {"T6", "feature 2^31 - 1", TREE, "\"feature\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AAAAAP//////////",
     "\"feature\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"////f///////////", F, "tests feature 2147483647"},
    {"T7", "group 1 of 1", TREE, "\"group\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"/////w==",
     "\"group\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"AQAAAA==", F, "a group is no output"},
    {"T7", "group -2", TREE, "\"group\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"/////w==",
     "\"group\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"/v///w==", F, "a group is no output"},
    {"T7", "two inits, one number a leaf", TREE, "\"init\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAAAAA=",
     "\"init\":{\"dtype\":\"f8\",\"shape\":[2],\"data\":\"AAAAAAAAAAAAAAAAAAAAAA==", F,
     "value is not as wide as the leaves"},
    {"T7", "no init", TREE, "\"init\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAAAAA=",
     "\"init\":{\"dtype\":\"f8\",\"shape\":[0],\"data\":\"", F, "init has no number for each output"},
    {"W2", "a vocabulary of 2^28 terms", TERMS, "\"shape\":[2],\"data\":[\"cat\"",
     "\"shape\":[268435456],\"data\":[\"cat\"", F, "vocabulary"},
    {"W2", "stop words that are not there", TERMS, "\"shape\":[1],\"data\":[\"no\"]", "\"shape\":[9],\"data\":[\"no\"]",
     F, "stop_words"},
    {"W6", "a term twice", TERMS, "\"cat\",\"dog\"", "\"cat\",\"cat\"", F, "a text comes twice"},
    {"W9", "an expression without its end", TERMS, "\\\\w+", "(\\\\w+", F, "the pattern"},
    {"W14", "a version of Unicode that does not exist", TERMS, "15.0", "99.9", U, "unknown to this version"},
    {"T8", "weights of one of two terms", TERMS, "\"shape\":[2],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==",
     "\"shape\":[1],\"data\":\"AAAAAAAA8D8=", F, "idf has not one number for each column"},
    {"T10", "a weight NaN", TERMS, "AAAAAAAA8D8AAAAAAAAAQA==", "AAAAAAAA8D8AAAAAAAD4fw==", F, "a weight is not finite"},
    {"T10", "a weight infinite", TERMS, "AAAAAAAA8D8AAAAAAAAAQA==", "AAAAAAAA8D8AAAAAAADwfw==", F,
     "a weight is not finite"},
    {"T7", "sums of four columns of three", TERMS, "\"shape\":[1,3]", "\"shape\":[3,1]", F, "coef"},
    {"N6", "sequences of any length", TERMS, "\"most\":2", "\"most\":1000000", F, "most"},
    {"N7", "weights of a type that they cannot have", TERMS, "\"dtype\":\"f4\",\"sub", "\"dtype\":\"i8\",\"sub", U,
     "i8"},
    {"N7", "sums of a type that they cannot have", TERMS, "\"dtype\":\"f4\",\"coef", "\"dtype\":\"i8\",\"coef", U,
     "i8"},
    {"N7", "sums of numbers that are no list, of a type", TERMS, "\"in\":[5]", "\"in\":[2]", F, "linear"},
    {"W2", "weights of 2^27 topics", SOLVED, "\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAADgPw==",
     "\"shape\":[134217728,2],\"data\":\"AAAAAAAA8D8AAAAAAADgPw==", F, "weights"},
    {"T10", "a topic's weight of NaN", SOLVED, "AAAAAAAA8D8AAAAAAADgPw==", "AAAAAAAA8D8AAAAAAAD4fw==", F, "a weight"},
    {"T10", "a topic's weight below 0", SOLVED, "AAAAAAAA8D8AAAAAAADgPw==", "AAAAAAAA8D8AAAAAAADgvw==", F, "a weight"},
    {"N6", "rounds below 0", SOLVED, "\"rounds\":9", "\"rounds\":-9", F, "expected an integer of 0"},
    {"N6", "more rounds than an integer holds", SOLVED, "\"rounds\":7", "\"rounds\":4294967303", F, "rounds"},
    {"N6", "no round of updates", SOLVED, "\"rounds\":5", "\"rounds\":0", F, "expected an integer of 1"},
    {"N7", "a rule of updates that is not there", SOLVED, "\"change\"", "\"halley\"", U, "halley"},
    {"T10", "a penalty below 0", SOLVED, "AAAAAAAAAAAAAAAAAAAAAA==", "AAAAAAAA8L8AAAAAAAAAAA==", F, "a penalty"},
    {"W3", "atoms of which none has a weight", SOLVED, "\"k\":1", "\"k\":0", F, "expected an integer of 1"},
    {"W2", "more atoms with a weight than there are", SOLVED, "\"k\":1", "\"k\":2", F, "k is more"},
    {"N7", "a rule that is not there", SOLVED, "\"screened\"", "\"newton\"", U, "newton"},
    {"W8", "a square of a row that has none", SOLVED, "\"screened\"", "\"slope\"", F, "descent"},
    {"W8", "points of two numbers for a row of one", SOLVED, "\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==",
     "\"shape\":[1,2],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==", F, "barycentre"},
    {"N7", "numbers of a type that they cannot have", NAMED, "\"i8\"", "\"u8\"", U, "u8"},
    {"W6", "a name twice", NAMED, "\"a=b\"", "\"age\"", F, "a text comes twice"},
    {"W2", "a name that is not there", NAMED, "\"shape\":[2]", "\"shape\":[3]", F, "vocabulary"},
    {"T7", "head of too many scores", SMALL, "\"in\":[2,3],\"rule\"", "\"in\":[1,3],\"rule\"", F, "one score"},
    {"T7", "three classes of one score", SMALL, "\"shape\":[2],\"data\":[\"no\",\"yes\"]",
     "\"shape\":[3],\"data\":[\"no\",\"yes\",\"x\"]", F, "the scores are not those of the classes"},
    {"T7", "one class", SMALL, "\"shape\":[2],\"data\":[\"no\",\"yes\"]", "\"shape\":[1],\"data\":[\"no\"]", F,
     "two classes"},
    {"T7", "a coefficient for each of 1 of 2 columns", SMALL, "\"shape\":[1,2]", "\"shape\":[2,1]", F, "coef"},
    {"T7", "coefficients NaN", SMALL, "AAAAAAAA8D8AAAAAAADwvw==", "AAAAAAAA8D8AAAAAAAD4fw==", F,
     "a coefficient is not finite"},
    {"T7", "a mean of 2^28 columns", BAYES, "\"shape\":[2,1]", "\"shape\":[2,268435456]", F,
     "too many dimensions or items"},
    {"T7", "means of one class", BAYES,
     "\"mean\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==",
     "\"mean\":{\"dtype\":\"f8\",\"shape\":[1,1],\"data\":\"AAAAAAAA8D8=", F, "gaussian_nb: mean and variance are not"},
    {"T7", "variances of no class", BAYES,
     "\"variance\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==",
     "\"variance\":{\"dtype\":\"f8\",\"shape\":[0,1],\"data\":\"", F, "gaussian_nb: mean and variance are not"},
    {"T7", "means of two columns", BAYES, "\"shape\":[2,1]", "\"shape\":[1,2]", F,
     "gaussian_nb: mean and variance are not"},
    {"T10", "a variance of 0", BAYES,
     "\"variance\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==",
     "\"variance\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAAA==", F,
     "a variance is not above 0"},
    {"T10", "a variance that is denormal", BAYES,
     "\"variance\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==",
     "\"variance\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AQAAAAAAAAAAAAAAAAAAQA==", HBS_OK, NULL},
    {"T10", "a mean NaN", BAYES, "AAAAAAAA8D8AAAAAAAAAQA==", "AAAAAAAA8D8AAAAAAAD4fw==", F, "a mean is not finite"},
    {"T10", "a constant -inf", BAYES, "AAAAAAAA8L8AAAAAAADwvw==", "AAAAAAAA8L8AAAAAAADw/w==", HBS_OK, NULL},
    {"T10", "a constant +inf", BAYES, "AAAAAAAA8L8AAAAAAADwvw==", "AAAAAAAA8L8AAAAAAADwfw==", F,
     "a constant is NaN or infinite"},
    {"T8", "four rights", TREE, "\"right\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AgAAAP//////////",
     "\"right\":{\"dtype\":\"i4\",\"shape\":[4],\"data\":\"AgAAAP///////////////w==", F, "not of one length"},
    {"T8", "two covers", TREE, "\"cover\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAAFEAAAAAAAAAAQAAAAAAAAAhA",
     "\"cover\":{\"dtype\":\"f8\",\"shape\":[2],\"data\":\"AAAAAAAA8D8AAAAAAADwPw==", F, "not of one length"},
    {"T8", "a leaf too many", TREE, "\"value\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==",
     "\"value\":{\"dtype\":\"f8\",\"shape\":[3,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQAAAAAAAAAhA", F,
     "one row for each leaf"},
    {"T8", "a leaf too few", TREE, "\"value\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==",
     "\"value\":{\"dtype\":\"f8\",\"shape\":[1,1],\"data\":\"AAAAAAAA8D8=", F, "one row for each leaf"},
    {"T8", "two groups of one tree", TREE, "\"group\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"/////w==",
     "\"group\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAAAAAA=", F, "group is not one number"},
    {"T8", "start stops early", TREE, "\"start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAMAAAA=",
     "\"start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAIAAAA=", F, "start does not go from 0"},
    {"T8", "start stops late", TREE, "\"start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAMAAAA=",
     "\"start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAQAAAA=", F, "start does not go from 0"},
    {"T8", "start stays", TREE, "\"start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAMAAAA=",
     "\"start\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AAAAAAAAAAADAAAA", F, "start does not rise"},
    {"T8", "start falls", TREE, "\"start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAMAAAA=",
     "\"start\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AAAAAP///38DAAAA", F, "start does not rise"},
    {"T8", "start is negative", TREE, "\"start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAMAAAA=",
     "\"start\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AAAAAAAAAIADAAAA", F, "start does not rise"},
    {"T8", "no start", TREE, "\"start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAMAAAA=",
     "\"start\":{\"dtype\":\"i4\",\"shape\":[0],\"data\":\"", F, "start does not go from 0"},
    {"T9", "a set of the root", TREE, "\"missing_left\":",
     "\"set_node\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"AAAAAA==\"},"
     "\"set_start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAEAAAA=\"},"
     "\"set_bits\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"AgAAAA==\"},\"missing_left\":",
     HBS_OK, NULL},
    {"T9", "a set of node 3 of 3", TREE, "\"missing_left\":",
     "\"set_node\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"AwAAAA==\"},"
     "\"set_start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAEAAAA=\"},"
     "\"set_bits\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"AgAAAA==\"},\"missing_left\":",
     F, "set_node does not rise"},
    {"T9", "a set of node -1", TREE, "\"missing_left\":",
     "\"set_node\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"/////w==\"},"
     "\"set_start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAEAAAA=\"},"
     "\"set_bits\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"AgAAAA==\"},\"missing_left\":",
     F, "set_node does not rise"},
    {"T9", "a set of a leaf", TREE, "\"missing_left\":",
     "\"set_node\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"AgAAAA==\"},"
     "\"set_start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAEAAAA=\"},"
     "\"set_bits\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"AgAAAA==\"},\"missing_left\":",
     F, "a leaf is marked as a test"},
    {"T9", "a set behind the bits", TREE, "\"missing_left\":",
     "\"set_node\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"AAAAAA==\"},"
     "\"set_start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAIAAAA=\"},"
     "\"set_bits\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"AgAAAA==\"},\"missing_left\":",
     F, "set_start does not go"},
    {"T9", "a set to word 2^31 - 1", TREE, "\"missing_left\":",
     "\"set_node\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"AAAAAA==\"},"
     "\"set_start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAP///38=\"},"
     "\"set_bits\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"AgAAAA==\"},\"missing_left\":",
     F, "set_start does not go"},
    {"T9", "a set to word -1", TREE, "\"missing_left\":",
     "\"set_node\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"AAAAAA==\"},"
     "\"set_start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAP////8=\"},"
     "\"set_bits\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"AgAAAA==\"},\"missing_left\":",
     F, "set_start does not go"},
    {"T9", "a set that falls", TREE, "\"missing_left\":",
     "\"set_node\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAEAAAA=\"},"
     "\"set_start\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AAAAAAIAAAABAAAA\"},"
     "\"set_bits\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"AgAAAA==\"},\"missing_left\":",
     F, "set_start does not rise"},
    {"T9", "a set of no words", TREE, "\"missing_left\":",
     "\"set_node\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAEAAAA=\"},"
     "\"set_start\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AAAAAAAAAAABAAAA\"},"
     "\"set_bits\":{\"dtype\":\"i4\",\"shape\":[1],\"data\":\"AgAAAA==\"},\"missing_left\":",
     F, "set_start does not rise"},
    {"T10", "a threshold NaN", TREE,
     "\"threshold\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAA4D8AAAAAAAAAAAAAAAAAAAAA",
     "\"threshold\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAA+H8AAAAAAAAAAAAAAAAAAAAA", F,
     "threshold is NaN"},
    {"T10", "a threshold -inf", TREE,
     "\"threshold\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAA4D8AAAAAAAAAAAAAAAAAAAAA",
     "\"threshold\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAA8P8AAAAAAAAAAAAAAAAAAAAA", HBS_OK, NULL},
    {"T10", "a threshold -0.0", TREE,
     "\"threshold\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAA4D8AAAAAAAAAAAAAAAAAAAAA",
     "\"threshold\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAAAIAAAAAAAAAAAAAAAAAAAAAA", HBS_OK, NULL},
    {"T10", "a threshold that is denormal", TREE,
     "\"threshold\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAA4D8AAAAAAAAAAAAAAAAAAAAA",
     "\"threshold\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", HBS_OK, NULL},
    {"T10", "a NaN threshold of a leaf", TREE,
     "\"threshold\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAA4D8AAAAAAAAAAAAAAAAAAAAA",
     "\"threshold\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAA4D8AAAAAAAD4fwAAAAAAAAAA", HBS_OK, NULL},
    {"T10", "a leaf NaN", TREE, "\"value\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==",
     "\"value\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAD4fw==", F, "leaf value is NaN"},
    {"T10", "leaves inf and -inf", TREE,
     "\"value\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8D8AAAAAAAAAQA==",
     "\"value\":{\"dtype\":\"f8\",\"shape\":[2,1],\"data\":\"AAAAAAAA8H8AAAAAAADw/w==", HBS_OK, NULL},
    {"T10", "a cover NaN", TREE,
     "\"cover\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAAFEAAAAAAAAAAQAAAAAAAAAhA",
     "\"cover\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAA8D8AAAAAAAD4fwAAAAAAAPA/", F, "cover"},
    {"T10", "a cover inf", TREE,
     "\"cover\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAAFEAAAAAAAAAAQAAAAAAAAAhA",
     "\"cover\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAA8H8AAAAAAADwPwAAAAAAAPA/", F, "cover"},
    {"T10", "a cover below 0", TREE,
     "\"cover\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAAFEAAAAAAAAAAQAAAAAAAAAhA",
     "\"cover\":{\"dtype\":\"f8\",\"shape\":[3],\"data\":\"AAAAAAAA8D8AAAAAAADwvwAAAAAAAPA/", F, "cover"},
    {"T10", "an init NaN", TREE, "\"init\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAAAAA=",
     "\"init\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA+H8=", F, "init has a NaN"},
    {"T10", "an init inf", TREE, "\"init\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAAAAA=",
     "\"init\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA8H8=", HBS_OK, NULL},
    {"T10", "divide 0", TREE, "\"divide\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA8D8=",
     "\"divide\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAAAAA=", F, "divide"},
    {"T10", "divide -0.0", TREE, "\"divide\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA8D8=",
     "\"divide\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAAAIA=", F, "divide"},
    {"T10", "divide NaN", TREE, "\"divide\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA8D8=",
     "\"divide\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA+H8=", F, "divide"},
    {"T10", "divide by a denormal", TREE, "\"divide\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA8D8=",
     "\"divide\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AQAAAAAAAAA=", HBS_OK, NULL},
    {"T11", "one leaf", TREE, "\"start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAMAAAA=",
     "\"start\":{\"dtype\":\"i4\",\"shape\":[2],\"data\":\"AAAAAAEAAAA=", F, "start does not go from 0"},
    {"T12", "a leaf with a right child", TREE, "\"right\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AgAAAP//////////",
     "\"right\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AgAAAAIAAAD/////", F, "a leaf has a right child"},
    {"T12", "one child", TREE, "\"right\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"AgAAAP//////////",
     "\"right\":{\"dtype\":\"i4\",\"shape\":[3],\"data\":\"////////////////", F, "child -1 is out of range"},
    {"T12", "missing_left 255", TREE, "\"missing_left\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"AQAA",
     "\"missing_left\":{\"dtype\":\"u1\",\"shape\":[3],\"data\":\"/wAA", F, "missing_left is neither 0 nor 1"},
};

static void check(mb_bytes b, int wanted, const char *words)
{
    mb_bytes exact = copy_of(b.data, b.size);
    hbs_error error = {0};
    hbs_status status = ht_try(exact.data, exact.size, NULL, &error);

    if (ht_check((int)status == wanted, "wanted %s, got %s: %s", hbs_status_name((hbs_status)wanted),
                 hbs_status_name(status), status == HBS_OK ? "" : error.text) &&
        status != HBS_OK)
        ht_check(ht_has_words(error.text, words), "wanted the words %s, got: %s", words, error.text);
    free(exact.data);
    free(b.data);
}

static void test_cases(void)
{
    for (size_t i = 0; i < HT_COUNT(CASES); i++) {
        ht_case(CASES[i].class_name, "%s (%s)", CASES[i].name, NAMES[CASES[i].sample]);
        check(replaced(TEXTS[CASES[i].sample], CASES[i].from, CASES[i].to), CASES[i].status, CASES[i].words);
    }
}

/* ------------------------------------------------------------------ large ones */

/* A text that grows. */
typedef struct growing {
    char *text;
    size_t size, room;
} growing;

static void grow(growing *g, const char *piece, size_t n)
{
    size_t size = strlen(piece);

    while (g->room < g->size + n * size + 1) {
        g->room = 2 * g->room + 4096;
        g->text = realloc(g->text, g->room);
        if (!g->text)
            exit(2);
    }
    for (size_t i = 0; i < n; i++, g->size += size)
        memcpy(g->text + g->size, piece, size);
    g->text[g->size] = '\0';
}

/* {"dtype":..}: the 12 or 24 bytes whose base64 is `period`, again and again, and the text `last`. */
static void grow_array(growing *g, const char *name, const char *dtype, const char *shape, const char *first,
                       const char *period, size_t n, const char *last)
{
    char head[128];

    snprintf(head, sizeof(head), ",\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data\":\"", name, dtype, shape);
    grow(g, head, 1);
    grow(g, first, 1);
    grow(g, period, n);
    grow(g, last, 1);
    grow(g, "\"}", 1);
}

#define DOCUMENT "{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"type\":\"f8\"}],\"ops\":["

static mb_bytes done(growing *g)
{
    mb_bytes b = {g->text, g->size};

    return b;
}

/* The base64 of i x step for i in 0..n, as int32. */
static char *counting(size_t n, int step)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t bytes = 4 * n, at = 0;
    unsigned char *numbers = calloc(bytes + 3, 1);
    char *text = malloc((bytes + 2) / 3 * 4 + 1);

    if (!numbers || !text)
        exit(2);
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 4; k++)
            numbers[4 * i + (size_t)k] = (unsigned char)(i * (size_t)step >> (8 * k));
    for (size_t i = 0; i < bytes; i += 3) {
        unsigned bits = (unsigned)numbers[i] << 16 | (unsigned)numbers[i + 1] << 8 | numbers[i + 2];

        text[at++] = digits[bits >> 18];
        text[at++] = digits[bits >> 12 & 63];
        text[at++] = i + 1 < bytes ? digits[bits >> 6 & 63] : '=';
        text[at++] = i + 2 < bytes ? digits[bits & 63] : '=';
    }
    text[at] = '\0';
    free(numbers);
    return text;
}

/* `n` trees of one leaf each, n a multiple of 3. */
static mb_bytes leaves(size_t n)
{
    growing g = {0};
    char *starts = counting(n + 1, 1), shape[32], rows[32], more[32];

    snprintf(shape, sizeof(shape), "%zu", n);
    snprintf(more, sizeof(more), "%zu", n + 1);
    snprintf(rows, sizeof(rows), "%zu,1", n);
    grow(&g, DOCUMENT "{\"op\":\"forest\",\"in\":[0],\"input\":\"f8\"", 1);
    grow_array(&g, "start", "i4", more, starts, "", 0, "");
    grow_array(&g, "left", "i4", shape, "", "////////////////", n / 3, "");
    grow_array(&g, "right", "i4", shape, "", "////////////////", n / 3, "");
    grow_array(&g, "feature", "i4", shape, "", "////////////////", n / 3, "");
    grow_array(&g, "threshold", "f8", shape, "", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", n / 3, "");
    grow_array(&g, "missing_left", "u1", shape, "", "AAAA", n / 3, "");
    grow_array(&g, "cover", "f8", shape, "", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", n / 3, "");
    grow_array(&g, "value", "f8", rows, "", "AAAAAAAA8D8AAAAAAADwPwAAAAAAAPA/", n / 3, "");
    grow_array(&g, "group", "i4", shape, "", "////////////////", n / 3, "");
    grow_array(&g, "init", "f8", "1", "AAAAAAAAAAA=", "", 0, "");
    grow_array(&g, "divide", "f8", "1", "AAAAAAAA8D8=", "", 0, "");
    grow(&g, ",\"missing\":0}]}", 1);
    free(starts);
    return done(&g);
}

/* A document of operators: `n` times `op`. */
static mb_bytes operators(const char *head, const char *op, size_t n, const char *tail)
{
    growing g = {0};

    grow(&g, DOCUMENT, 1);
    grow(&g, head, 1);
    grow(&g, op, n);
    grow(&g, tail, 1);
    grow(&g, "]}", 1);
    return done(&g);
}

/* One column to 65,536, by three operators of a few hundred bytes; then more of that width. */
static mb_bytes wide(const char *more, size_t n, const char *tail)
{
    growing head = {0};
    mb_bytes b;

    grow(&head, "{\"op\":\"concat\",\"in\":[0", 1);
    grow(&head, ",0", 63);
    grow(&head, "]},{\"op\":\"concat\",\"in\":[1", 1);
    grow(&head, ",1", 63);
    grow(&head, "]},{\"op\":\"concat\",\"in\":[2", 1);
    grow(&head, ",2", 15);
    grow(&head, "]}", 1);
    b = operators(head.text, more, n, tail);
    free(head.text);
    return b;
}

/* 65,535 products of one column, their norms, and the bins of those. */
static mb_bytes products(void)
{
    growing g = {0};
    const size_t n = 65535 / 3;

    grow(&g, DOCUMENT "{\"op\":\"poly\",\"in\":[0],\"dtype\":\"f8\"", 1);
    grow_array(&g, "of", "i4", "65535", "/////wAAAAAAAAAA", "AAAAAAAAAAAAAAAA", n - 1, "");
    grow_array(&g, "column", "i4", "65535", "", "AAAAAAAAAAAAAAAA", n, "");
    grow(&g,
         "},{\"op\":\"normalize\",\"in\":[1],\"norm\":\"l1\",\"dtype\":\"f4\"},"
         "{\"op\":\"normalize\",\"in\":[2],\"norm\":\"l2\",\"dtype\":\"f8\"},"
         "{\"op\":\"bins\",\"in\":[3]",
         1);
    grow_array(&g, "ends", "i4", "65535", "", "AAAAAAAAAAAAAAAA", n, "");
    grow_array(&g, "edges", "f8", "0", "", "", 0, "");
    grow(&g, "},{\"op\":\"select\",\"in\":[4],\"cols\":[65534]}]}", 1);
    return done(&g);
}

static mb_bytes features(size_t n, const char *tail)
{
    growing g = {0};

    grow(&g, "{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"type\":\"f8\"}", 1);
    grow(&g, ",{\"type\":\"f8\"}", n - 1);
    grow(&g, tail, 1);
    return done(&g);
}

static mb_bytes classes(size_t n)
{
    growing g = {0};
    char item[64];

    grow(&g,
         "{\"hbscore\":1,\"writer\":{},\"task\":\"classifier\",\"features\":[{\"type\":\"f8\"}],\"classes\":{"
         "\"dtype\":\"str\",\"shape\":[",
         1);
    snprintf(item, sizeof(item), "%zu],\"data\":[\"a\"", n);
    grow(&g, item, 1);
    for (size_t i = 1; i < n; i++) {
        snprintf(item, sizeof(item), ",\"%zu\"", i);
        grow(&g, item, 1);
    }
    grow(&g, "]},\"ops\":[{\"op\":\"select\",\"in\":[0],\"cols\":[0", 1);
    grow(&g, ",0", n - 1);
    grow(&g, "]},{\"op\":\"head\",\"in\":[1],\"rule\":\"argmax\"}]}", 1);
    return done(&g);
}

#define CAST(in)         ",{\"op\":\"cast\",\"in\":[" in "],\"to\":\"f4\"}"
#define SELECT(in, cols) "{\"op\":\"select\",\"in\":[" in "],\"cols\":[" cols "]}"

static void test_large(void)
{
    ht_check_large("T11", "trees of one leaf", leaves(LARGE / 3 * 3), HBS_OK, NULL);
    ht_check_large("W12", "a column of very many operators", operators(SELECT("0", "0"), CAST("1"), 4095, ""), HBS_OK,
                   NULL);
    ht_check_large("W12", "more operators", operators(SELECT("0", "0"), CAST("1"), 4096, ""), L, "too many operators");
    ht_check_large("W12", "100,000 operators", operators(SELECT("0", "0"), CAST("1"), 100000, ""), L,
                   "too many operators");
    ht_check_large("W12", "65,536 columns from one", wide("", 0, "," SELECT("3", "65535")), HBS_OK, NULL);
    ht_check_large("W12", "all columns side by side, again and again", wide(CAST("3"), 7, "," SELECT("4", "0")), L,
                   "too many columns");
    ht_check_large("W12", "65,537 columns", wide("", 0, ",{\"op\":\"concat\",\"in\":[3,0]}"), L, "too many columns");
    ht_check_large("W12", "a select of a million columns",
                   operators("{\"op\":\"select\",\"in\":[0],\"cols\":[0", ",0", 1000000, "]}"), L, "too many columns");
    ht_check_large("W12", "a concat of a million", operators("{\"op\":\"concat\",\"in\":[0", ",0", 1000000, "]}"), F,
                   "too many inputs");
    ht_check_large("W12", "100,000 arrays' dimensions",
                   operators("{\"op\":\"clip\",\"in\":[0],\"lo\":{\"dtype\":\"f8\",\"shape\":[1", ",1", 100000, "]}}"),
                   F, "too many dimensions");
    ht_check_large("W12", "262,144 features", features(262144, "],\"ops\":[" SELECT("0", "262143") "]}"), HBS_OK, NULL);
    ht_check_large("W12", "262,145 features", features(262145, "],\"ops\":[" SELECT("0", "262144") "]}"), L,
                   "more than 262144 features");
    ht_check_large("W12", "a cast of 262,144 features",
                   features(262144, "],\"ops\":[{\"op\":\"cast\",\"in\":[0],\"to\":\"f4\"}]}"), L, "too many columns");
    ht_check_large("W12", "4,096 classes", classes(4096), HBS_OK, NULL);
    ht_check_large("W12", "4,097 classes", classes(4097), F, "4097 classes");
    ht_check_large("W12", "a long operator", operators("{\"op\":\"", "x", 1000000, "\"}"), U, "unknown");
    ht_check_large("W12", "a long text of base64",
                   operators("{\"op\":\"clip\",\"in\":[0],\"lo\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"", "AAAA",
                             250000, "\"}}"),
                   F, "base64 of 1 numbers");
    ht_check_large("W5", "operators in brackets", operators("", "[", 100000, ""), F, "expected an object");
    ht_check_large("W5", "an array in arrays",
                   operators("{\"op\":\"clip\",\"in\":[0],\"lo\":", "{\"dtype\":", 100000, ""), F, "expected a string");
    ht_check_large("W5", "inputs in brackets", operators("{\"op\":\"clip\",\"in\":", "[", 100000, ""), F,
                   "expected an integer");
}

/* ------------------------------------------------------------------ real models */

/* Trained by scikit-learn 1.2.1, 1.4.2, 1.7.2 and 1.9.1 on random numbers and written by the Python package. */

static const struct {
    const char *name, *options;
} MODELS[] = {{"forest", NULL},
              {"pipeline", "{\"classes\":[\"no\",\"yes\"]}"},
              {"classes", "{\"on_missing\":\"error\"}"},
              {"boosting", NULL},
              {"several", "{\"features\":[\"a\",\"b\",\"c\",\"d\"]}"},
              {"transformer", NULL},
              {"expanded", NULL},
              {"encoders", "{\"on_unseen\":\"null\"}"},
              {"bayes", NULL},
              {"network", "{\"on_missing\":\"error\"}"},
              {"sets", NULL},
              {"packed", NULL},
              {"packed_sets", NULL},
              {"isolation", NULL},
              {"votes", NULL},
              {"median", "{\"on_missing\":\"error\"}"},
              {"steps", "{\"on_unseen\":\"null\"}"},
              {"arithmetic", NULL},
              {"vectors", NULL},
              {"neighbours", NULL}};

static mb_bytes read_model(const char *name)
{
    char path[256];

    snprintf(path, sizeof(path), "test/fuzz/fuzz_own/%s.json", name);
    return ht_read_file(path);
}

static void test_prefixes(const char *name, mb_bytes b)
{
    for (size_t n = 0; n < b.size; n += n < 64 ? 1 : CUT_STEP) {
        mb_bytes prefix = copy_of(b.data, n);
        hbs_error error = {0};
        hbs_status status;

        ht_case("W1", "%s, the first %zu of %zu bytes", name, n, b.size);
        status = ht_try(prefix.data, n, NULL, &error);
        ht_check(status == F && error.offset <= n, "got %s, offset %zu: %s", hbs_status_name(status), error.offset,
                 error.text);
        free(prefix.data);
    }
}

/* Whatever the bytes say now: an error in words, or a model that scores; ht_try checks all that. */
static void test_changes(const char *name, mb_bytes b, const char *options, int change)
{
    size_t loaded = 0;

    ht_case("W7", "%s, every %dth byte, %s %d", name, BYTE_STEP, change < 8 ? "flipped bit" : "set to",
            change < 8    ? change
            : change == 8 ? '"'
                          : '9');
    for (size_t i = (size_t)change % BYTE_STEP; i < b.size && ht_ok(); i += BYTE_STEP) {
        char kept = b.data[i];
        hbs_error error = {0};
        hbs_status status;

        b.data[i] = change < 8 ? (char)(kept ^ (1 << change)) : change == 8 ? '"' : '9';
        status = ht_try(b.data, b.size, options, &error);
        ht_check(status != HBS_E_NOMEM && status != HBS_E_CANCEL, "byte %zu: %s", i, error.text);
        if (!ht_ok())
            printf("  at byte %zu\n", i);
        loaded += status == HBS_OK;
        b.data[i] = kept;
    }
    ht_check(loaded < b.size / BYTE_STEP, "every change loads");
}

/* ------------------------------------------------------------------ R1, R2 */

static void test_gap(const char *name, mb_bytes b)
{
    hbs_status status = ht_life_gap(name, b);

    ht_check(status == HBS_OK, "%s", hbs_status_name(status));
    free(b.data);
}

int main(void)
{
    size_t points = 0, polls = 0;

    test_cases();
    test_large();
    for (size_t i = 0; i < HT_COUNT(MODELS); i++) {
        mb_bytes b = read_model(MODELS[i].name);

        test_prefixes(MODELS[i].name, b);
        for (int change = 0; change < 10; change++)
            test_changes(MODELS[i].name, b, MODELS[i].options, change);
        points += ht_life_failures(MODELS[i].name, b, MODELS[i].options, false);
        points += ht_life_failures(MODELS[i].name, b, MODELS[i].options, true);
        polls += ht_life_cancel(MODELS[i].name, b, MODELS[i].options, 1);
        free(b.data);
    }
    for (int k = 0; k < 2; k++) {
        mb_bytes b = k ? classes(500) : leaves(30000);

        polls += k ? ht_life_cancel("500 classes", b, NULL, 10) : ht_life_cancel("many trees", b, NULL, 10);
        free(b.data);
    }
    printf("R1: %zu points where memory ran out\nR2: %zu points where the host said stop\n", points, polls);
    test_gap("trees of one leaf", leaves(LARGE / 3 * 3));
    test_gap("65,536 columns from one", wide(CAST("3"), 5, "," SELECT("8", "65535")));
    test_gap("4,096 classes", classes(4096));
    test_gap("65,535 products and their norms", products());
    return ht_report();
}
