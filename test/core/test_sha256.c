/* test_sha256.c - SHA-256: in plain C and by the CPU, and in pieces. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"

static void hex_of(const uint8_t digest[32], char hex[65])
{
    for (int i = 0; i < 32; i++)
        sprintf(hex + 2 * i, "%02x", digest[i]);
}

typedef void start_hash(hb_sha256 *hash);

static void start_plain(hb_sha256 *hash)
{
    hb_sha256_init(hash);
    hash->chosen = true;
}

static void start_by_cpu(hb_sha256 *hash)
{
    hb_sha256_init(hash);
#if defined(__x86_64__)
    if (hb_sha256_x86_supported())
        hash->blocks = hb_sha256_blocks_x86;
#endif
    hash->chosen = true;
}

static void assert_hash(start_hash *start, const void *bytes, size_t size, size_t step, const char *expected)
{
    hb_sha256 hash;
    uint8_t digest[32];
    char hex[65];

    start(&hash);
    for (size_t at = 0; at < size; at += step)
        hb_sha256_add(&hash, (const char *)bytes + at, size - at < step ? size - at : step);
    hb_sha256_end(&hash, digest);
    hex_of(digest, hex);
    assert_string_equal(hex, expected);
}

static void check_vectors(start_hash *start)
{
    static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    static const char four[] = "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                               "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";
    char *million = malloc(1000000);

    memset(million, 'a', 1000000);
    assert_hash(start, NULL, 0, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_hash(start, "abc", 3, 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_hash(start, two, strlen(two), 64, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_hash(start, four, strlen(four), 7, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    assert_hash(start, million, 1000000, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    assert_hash(start, million, 1000000, 4097, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static void sha256_gives_the_fips_vectors_in_plain_c(void **state)
{
    check_vectors(start_plain);
}

static void sha256_gives_the_fips_vectors_as_it_chooses(void **state)
{
    check_vectors(hb_sha256_init);
}

static void sha256_gives_the_fips_vectors_by_the_cpu(void **state)
{
    hb_sha256 hash;

    start_by_cpu(&hash);
    if (hash.blocks == hb_sha256_blocks_plain)
        skip();
    check_vectors(start_by_cpu);
}

static void sha256_is_the_same_in_all_pieces_and_ways(void **state)
{
    uint8_t bytes[300], whole[32], pieces[32];
    uint64_t seed = 3;

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)test_random(&seed);
    for (size_t size = 0; size <= sizeof bytes; size++) {
        size_t cut = size ? test_random(&seed) % size : 0;
        hb_sha256 hash;

        start_plain(&hash);
        hb_sha256_add(&hash, bytes, size);
        hb_sha256_end(&hash, whole);
        start_by_cpu(&hash);
        hb_sha256_add(&hash, bytes, cut);
        hb_sha256_add(&hash, bytes, 0);
        hb_sha256_add(&hash, bytes + cut, size - cut);
        hb_sha256_end(&hash, pieces);
        assert_memory_equal(whole, pieces, 32);
    }
}

static void sha256_can_be_cancelled_anywhere(void **state)
{
    enum { SIZE = 1 << 20, LEAST_STOPS = 4 };
    uint8_t *bytes = calloc(1, SIZE), digest[32];
    hbs_status status = HBS_E_CANCEL;
    size_t stops = 0;

    for (; status == HBS_E_CANCEL; stops++) {
        test_host host;

        test_host_init(&host);
        host.cancel_at = stops + 1;
        status = hbs_sha256(&host.host, bytes, SIZE, digest, NULL);
        test_host_end(&host);
    }
    assert_int_equal(status, HBS_OK);
    assert_true(stops >= LEAST_STOPS);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_gives_the_fips_vectors_in_plain_c),
        cmocka_unit_test(sha256_gives_the_fips_vectors_as_it_chooses),
        cmocka_unit_test(sha256_gives_the_fips_vectors_by_the_cpu),
        cmocka_unit_test(sha256_is_the_same_in_all_pieces_and_ways),
        cmocka_unit_test(sha256_can_be_cancelled_anywhere),
    };

    return cmocka_run_group_tests_name("sha256", tests, NULL, NULL);
}
