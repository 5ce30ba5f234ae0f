/* instruction_set.c - which kernels this CPU can run. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "kernel/kernels_isas.h"

/* HB_WITHOUT_AVX512: kernels of AVX-512 are not compiled, as for sanitizers. */
#if defined(__x86_64__)

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

#ifndef HB_WITHOUT_AVX512
static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}

static bool has_avx512vbmi(void)
{
    return has_avx512() && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("gfni");
}
#endif

#endif

static const struct {
    const hb_kernels *kernels;
    bool (*has)(void);
} isas[] = {
    {&hb_kernels_table, NULL},
#if defined(__x86_64__)
    {&hb_kernels_table_avx2, has_avx2},
#ifndef HB_WITHOUT_AVX512
    {&hb_kernels_table_avx512, has_avx512},
    {&hb_kernels_table_avx512vbmi, has_avx512vbmi},
#endif
#endif
};

enum { N_ISAS = sizeof(isas) / sizeof(isas[0]) };

const hb_kernels *hb_kernels_at(size_t i)
{
    return i < N_ISAS && (!isas[i].has || isas[i].has()) ? isas[i].kernels : NULL;
}

/* NULL: the best. */
static const char *wanted_name(void)
{
    const char *name = getenv("HBSCORE_INSTRUCTION_SET");

    return name && *name ? name : NULL;
}

/* A name that the CPU or the build lacks is a good one: what is measured for it elsewhere is run with the best here. */
hbs_status hb_kernels_check(hbs_error *error)
{
    static const char *const names[] = {"portable", "avx2", "avx512", "avx512vbmi"};
    const char *wanted = wanted_name();
    char shown[HB_EXCERPT_BUFFER];

    for (size_t i = 0; wanted && i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(wanted, names[i]) == 0)
            return HBS_OK;
    if (!wanted)
        return HBS_OK;
    return hb_fail(error, HBS_E_ARGS,
                   "the environment variable HBSCORE_INSTRUCTION_SET is \"%s\": it takes portable, avx2, avx512 or "
                   "avx512vbmi, or is left out",
                   HB_SHOW(((hbs_text){wanted, strlen(wanted)}), shown));
}

const hb_kernels *hb_kernels_here(void)
{
    const char *wanted = wanted_name();
    const hb_kernels *best = isas[0].kernels;

    for (size_t i = 1; i < N_ISAS; i++) {
        const hb_kernels *kernels = hb_kernels_at(i);

        if (!kernels || (wanted && strcmp(best->name, wanted) == 0))
            break;
        best = kernels;
    }
    return best;
}
