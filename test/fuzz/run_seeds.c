/* run_seeds.c - a fuzz target without libFuzzer and sanitizers, so that it can be compiled as hbscore is, with the
 * kernels of all instruction sets:
 *
 *     fuzz_TARGET RUNS [FILE..]
 *
 * runs the files, and then RUNS inputs of a few bytes, the same every time. A target that finds something aborts. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 16, DRAWN = 48 };

static void run_file(const char *path)
{
    static uint8_t bytes[MOST];
    FILE *f = fopen(path, "rb");

    if (!f) {
        perror(path);
        exit(1);
    }
    LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, sizeof bytes, f));
    fclose(f);
}

static void run_drawn(uint64_t run)
{
    uint64_t state = run;
    uint8_t bytes[DRAWN];

    for (size_t i = 0; i < sizeof bytes; i++) {
        state += 0x9e3779b97f4a7c15u;
        bytes[i] = (uint8_t)(((state ^ state >> 29) * 0xbf58476d1ce4e5b9u) >> 56);
    }
    LLVMFuzzerTestOneInput(bytes, run % (sizeof bytes + 1));
}

int main(int argc, char **argv)
{
    long runs = argc > 1 ? strtol(argv[1], NULL, 10) : 0;

    for (int i = 2; i < argc; i++)
        run_file(argv[i]);
    for (long i = 0; i < runs; i++)
        run_drawn((uint64_t)i);
    printf("%ld inputs\n%d passed, 0 failed\n", runs + (argc > 2 ? argc - 2 : 0), argc > 1);
    return argc < 2;
}
