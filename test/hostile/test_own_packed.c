/* test_own_packed.c - hbscore's own format: large forests in preorder, whose nodes take few bytes of the file and as
 * much memory as others. Memory, time and the plan's bound are checked by ht_load_bytes. */
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if HT_SANITIZED
enum { LARGE = 20000, DEPTH = 14 };
#else
enum { LARGE = 200000, DEPTH = 18 };
#endif

/* ------------------------------------------------------------------ documents */

typedef struct text {
    char *bytes;
    size_t size, room;
} text;

static char *room_for(text *t, size_t n)
{
    if (t->size + n + 1 > t->room) {
        t->room = 2 * (t->size + n + 1);
        t->bytes = realloc(t->bytes, t->room);
        if (!t->bytes)
            exit(2);
    }
    return t->bytes + t->size;
}

static void put(text *t, const char *words)
{
    memcpy(room_for(t, strlen(words)), words, strlen(words));
    t->size += strlen(words);
}

static void put_base64(text *t, const unsigned char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *to = room_for(t, (n + 2) / 3 * 4);

    for (size_t i = 0; i < n; i += 3) {
        unsigned bits = (unsigned)bytes[i] << 16;

        bits |= i + 1 < n ? (unsigned)bytes[i + 1] << 8 : 0;
        bits |= i + 2 < n ? bytes[i + 2] : 0;
        *to++ = digits[bits >> 18];
        *to++ = digits[bits >> 12 & 63];
        *to++ = i + 1 < n ? digits[bits >> 6 & 63] : '=';
        *to++ = i + 2 < n ? digits[bits & 63] : '=';
    }
    t->size = (size_t)(to - t->bytes);
}

/* A member of `count` items, which are `size` bytes. */
static void put_array(text *t, const char *name, const char *dtype, size_t count, const void *items, size_t size)
{
    char head[128];

    snprintf(head, sizeof(head), ",\"%s\":{\"dtype\":\"%s\",\"shape\":[%zu],\"data\":\"", name, dtype, count);
    put(t, head);
    put_base64(t, items, size);
    put(t, "\"}");
}

/* A forest of the nodes `node`, each a byte; leaves have row 0 of `rows` by `width` zeros. */
typedef struct shape {
    const unsigned char *node;
    size_t n, trees, leaves, width, rows;
} shape;

static mb_bytes document(const shape *s)
{
    size_t tests = s->n - s->leaves, most = 8 * (s->n + s->rows * s->width + s->width);
    unsigned char *zeros = calloc(most, 1), *ones = malloc(4 * s->trees);
    char value[96];
    text t = {0};

    if (!zeros || !ones)
        exit(2);
    memset(ones, s->width > 1 ? 0xff : 0, 4 * s->trees);
    put(&t, "{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"type\":\"f8\"}],\"ops\":["
            "{\"op\":\"forest\",\"in\":[0],\"input\":\"f8\"");
    put_array(&t, "node", "u1", s->n, s->node, s->n);
    put_array(&t, "threshold", "f4", tests, zeros, 4 * tests);
    put_array(&t, "missing_left", "bit", tests, zeros, (tests + 7) / 8);
    put_array(&t, "cover", "u1", s->leaves, zeros, s->leaves);
    put_array(&t, "leaf", "u1", s->leaves, zeros, s->leaves);
    snprintf(value, sizeof(value), ",\"value\":{\"dtype\":\"f8\",\"shape\":[%zu,%zu],\"data\":\"", s->rows, s->width);
    put(&t, value);
    put_base64(&t, zeros, 8 * s->rows * s->width);
    put(&t, "\"}");
    put_array(&t, "group", "i4", s->trees, ones, 4 * s->trees);
    put_array(&t, "init", "f8", s->width, zeros, 8 * s->width);
    put(&t, ",\"divide\":{\"dtype\":\"f8\",\"shape\":[1],\"data\":\"AAAAAAAA8D8=\"},\"missing\":0}]}");
    free(zeros);
    free(ones);
    return (mb_bytes){t.bytes, t.size};
}

/* ------------------------------------------------------------------ shapes */

static mb_bytes leaves(size_t n, size_t width)
{
    unsigned char *node = calloc(n, 1);
    mb_bytes b = document(&(shape){.node = node, .n = n, .trees = n, .leaves = n, .width = width, .rows = 1});

    free(node);
    return b;
}

static mb_bytes stumps(size_t n, size_t width, size_t rows)
{
    unsigned char *node = calloc(3 * n, 1);
    mb_bytes b;

    for (size_t t = 0; t < n; t++)
        node[3 * t] = 1;
    b = document(&(shape){.node = node, .n = 3 * n, .trees = n, .leaves = 2 * n, .width = width, .rows = rows});
    free(node);
    return b;
}

static unsigned char *grow(unsigned char *node, int depth)
{
    *node++ = depth > 0;
    return depth > 0 ? grow(grow(node, depth - 1), depth - 1) : node;
}

/* `trees` perfect trees. */
static mb_bytes perfect(size_t trees, int depth, size_t width)
{
    size_t n = ((size_t)2 << depth) - 1, leaves_of_one = (size_t)1 << depth;
    unsigned char *node = malloc(trees * n), *end = node;
    mb_bytes b;

    for (size_t t = 0; t < trees; t++)
        end = grow(end, depth);
    b = document(&(shape){
        .node = node, .n = trees * n, .trees = trees, .leaves = trees * leaves_of_one, .width = width, .rows = 1});
    free(node);
    return b;
}

/* A path: of each test the left child is the next one, or the right one is. */
static mb_bytes path(size_t depth, bool to_the_left)
{
    unsigned char *node = malloc(2 * depth + 1);
    mb_bytes b;

    for (size_t i = 0; i < 2 * depth; i++)
        node[i] = to_the_left ? i < depth : i % 2 == 0;
    node[2 * depth] = 0;
    b = document(&(shape){.node = node, .n = 2 * depth + 1, .trees = 1, .leaves = depth + 1, .width = 1, .rows = 1});
    free(node);
    return b;
}

static void gap(const char *name, mb_bytes b)
{
    hbs_status status = ht_life_gap(name, b);

    ht_check(status == HBS_OK, "%s", hbs_status_name(status));
    free(b.data);
}

int main(void)
{
    ht_check_large("T11", "trees of one leaf", leaves(LARGE, 1), HBS_OK, NULL);
    ht_check_large("T11", "one tree of all nodes", perfect(1, DEPTH, 1), HBS_OK, NULL);
    ht_check_large("T11", "small trees", perfect(LARGE / 127, 6, 1), HBS_OK, NULL);
    ht_check_large("W12", "leaves that share a row of 4,096 numbers", leaves(LARGE / 200, 4096), HBS_OK, NULL);
    ht_check_large("W12", "trees of one leaf that share a row of 4,096 numbers", leaves(70000, 4096), HBS_E_LIMIT,
                   "more than the limit of 268435456 sums");
    ht_check_large("W12", "stumps that share a row of 64", stumps(LARGE / 10, 64, 1), HBS_OK, NULL);
    ht_check_large("W12", "stumps that share a row of 6", stumps(LARGE, 6, 1), HBS_OK, NULL);
    ht_check_large("W12", "perfect trees that share a row of 6", perfect(LARGE / 127, 6, 6), HBS_OK, NULL);
    ht_check_large("W12", "perfect trees of 10 levels that share a row of 6", perfect(LARGE / 2047, 10, 6), HBS_OK,
                   NULL);
    ht_check_large("T11", "a path of 1,024 tests to the left", path(1024, true), HBS_OK, NULL);
    ht_check_large("T11", "a path of 1,024 tests to the right", path(1024, false), HBS_OK, NULL);
    ht_check_large("T11", "a path of 1,025 tests to the left", path(1025, true), HBS_E_LIMIT,
                   "deeper than the limit of 1024");
    ht_check_large("T11", "a path of a million tests to the right", path(1000000, false), HBS_E_LIMIT,
                   "deeper than the limit");
    for (int k = 0; k < 2; k++) {
        mb_bytes b = k ? perfect(3, 12, 3) : leaves(30000, 1);

        ht_life_cancel(k ? "large trees in preorder" : "many trees in preorder", b, NULL, 10);
        free(b.data);
    }
    gap("one tree of all nodes", perfect(1, DEPTH, 1));
    gap("trees of one leaf in preorder", leaves(LARGE, 1));
    return ht_report();
}
