/* host_kernels.c - see host_kernels.h. */
#include "gpu/kernels.inc"

#include "gpu/host_kernels.h"

#include <stdlib.h>
#include <string.h>

_Thread_local hbg_place hbg_here;

typedef enum kind { RANK32, RANK64, WALK32, WALK64, SUM32, SUM64 } kind;

typedef void (*walker32)(const hbg_forest, const uint32_t *, const hbg_range, uint32_t *);
typedef void (*walker64)(const hbg_forest, const uint32_t *, const hbg_range, uint64_t *);

static const struct kernel {
    const char *name;
    kind kind;
    walker32 walk32;
    walker64 walk64;
} kernels[] = {{"hbg_rank32", RANK32, NULL, NULL},         {"hbg_rank64", RANK64, NULL, NULL},
               {"hbg_small32", WALK32, hbg_small32, NULL}, {"hbg_small64", WALK64, NULL, hbg_small64},
               {"hbg_large32", WALK32, hbg_large32, NULL}, {"hbg_large64", WALK64, NULL, hbg_large64},
               {"hbg_sets32", WALK32, hbg_sets32, NULL},   {"hbg_sets64", WALK64, NULL, hbg_sets64},
               {"hbg_sum32", SUM32, NULL, NULL},           {"hbg_sum64", SUM64, NULL, NULL}};

static const struct kernel *find(const char *name)
{
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}

static void run_block(const struct kernel *k, void **arguments)
{
    const hbg_forest *f = arguments[0];
    const hbg_range *range = arguments[2];
    void *from = *(void **)arguments[1], *to = *(void **)arguments[3];

    switch (k->kind) {
    case RANK32:
        hbg_rank32(*f, from, *range, to);
        break;
    case RANK64:
        hbg_rank64(*f, from, *range, to);
        break;
    case WALK32:
        k->walk32(*f, from, *range, to);
        break;
    case WALK64:
        k->walk64(*f, from, *range, to);
        break;
    case SUM32:
        hbg_sum32(*f, from, *range, to);
        break;
    case SUM64:
        hbg_sum64(*f, from, *range, to);
        break;
    }
}

bool host_kernel_exists(const char *name)
{
    return find(name) != NULL;
}

bool host_kernel_run(const char *name, const host_launch *launch)
{
    const struct kernel *k = find(name);
    void *shared = malloc(launch->shared ? launch->shared : 1);

    for (uint32_t y = 0; k && shared && y < launch->y; y++)
        for (uint32_t x = 0; x < launch->x; x++) {
            memset(shared, 0xa5, launch->shared); /* what a block of threads finds there is nobody's */
            hbg_here = (hbg_place){.x = x, .y = y, .backwards = launch->backwards, .shared = shared};
            run_block(k, launch->arguments);
        }
    free(shared);
    return k && shared;
}
