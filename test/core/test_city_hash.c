/* test_city_hash.c - CityHash64 1.0: the hashes that CatBoost wrote into its own files, and values of every
 * length from a plain transcription in Python that agrees with CatBoost for lengths 0 to 200. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/city_hash.h"

static uint64_t hash_of(const void *bytes, size_t size)
{
    char *copy = test_exact_copy(bytes, size);
    uint64_t hash = hb_city_hash64(copy, size);

    free(copy);
    return hash;
}

/* cat_features_hash in test/golden/catboost: the low 32 bits. */
static void texts_hash_as_catboost_says(void **state)
{
    static const struct {
        const char *text;
        uint32_t hash;
    } cases[] = {
        {"", 797982799},
        {"x", 3510494104},
        {"a", 3489901818},
        {"19", 2537103341},
        {"-9", 2119449733},
        {"\xc3\xa9", 468052468},
        {"\xe6\x97\xa5", 572476468},
        {"plus", 2697400186},
        {"gold", 593169227},
        {"basic", 1310075093},
        {"silver", 57629309},
        {"\xe6\x97\xa5\xe6\x9c\xac", 2454628577},
        {"Z\xc3\xbcrich", 3409199112},
        {"eight888", 2463816696},
        {"two words", 1806471723},
        {"sixteen-bytes-16", 1108808206},
        {"seventeen-bytes-1", 263322623},
        {"thirty-two bytes, all of them: 32", 2593827883},
        {"ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss", 3166534492},
        {"ttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt", 2528244998},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal((uint32_t)hash_of(cases[i].text, strlen(cases[i].text)), cases[i].hash);
}

enum { MOST = 300 };

static void fill(uint8_t bytes[MOST])
{
    for (size_t i = 0; i < MOST; i++)
        bytes[i] = (uint8_t)(i * 37 + 11);
}

/* The ends of the four ranges of lengths, and of the blocks of 64 bytes. */
static void all_64_bits_are_right_at_the_ends_of_the_ranges(void **state)
{
    static const struct {
        size_t size;
        uint64_t hash;
    } cases[] = {
        {0, 0x9ae16a3b2f90404f},   {1, 0x043648e8f1e3d715},   {2, 0xb0fc551ca99c7e3b},   {3, 0xa2c53c985be56a2f},
        {4, 0x4157856f6d3ce3b2},   {5, 0x7aad1a6d83efa3f6},   {7, 0xaa87bbc29eb056f8},   {8, 0x897131b7f17d0588},
        {9, 0x281e9dea0fbe631e},   {12, 0xd83c0c300ed1c939},  {15, 0x20ae8c43c566c708},  {16, 0x3292ee8642e63927},
        {17, 0x3040ae7626e452e2},  {24, 0x2cb938ac4656d500},  {31, 0xb9e7afb4f03ec431},  {32, 0xe1eae5f14516be5b},
        {33, 0xeef23c18cef14a71},  {48, 0x27d060c1e60ac8d0},  {63, 0x876a77ee6ed307e8},  {64, 0x40f9113eba41913b},
        {65, 0xcfd9a46175f104cf},  {96, 0x4e46eb169640c57b},  {127, 0x0d9c850067303140}, {128, 0xe89d932b069b7c56},
        {129, 0xad8856753e699ea1}, {192, 0xfdbc6571ba379590}, {193, 0xf51647218cafbc55}, {255, 0x15f8bcb4b0d950ee},
        {256, 0x97b100160e908046}, {257, 0xbf2e0dfb1fa6f278},
    };
    uint8_t bytes[MOST];

    fill(bytes);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_true(hash_of(bytes, cases[i].size) == cases[i].hash);
}

static void no_length_differs(void **state)
{
    uint8_t bytes[MOST];
    uint64_t all = 0;

    fill(bytes);
    for (size_t n = 0; n <= MOST; n++)
        all = all * 0x9e3779b97f4a7c15 + hash_of(bytes, n);
    assert_true(all == 0xc31a212f666c115f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_hash_as_catboost_says),
        cmocka_unit_test(all_64_bits_are_right_at_the_ends_of_the_ranges),
        cmocka_unit_test(no_length_differs),
    };

    return cmocka_run_group_tests_name("city_hash", tests, NULL, NULL);
}
