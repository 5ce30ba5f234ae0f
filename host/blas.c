/* blas.c - the setting dense = blas: large products by OpenBLAS, opened at run time where it can be used.
 *
 * Only its serial build is taken (Debian's libopenblas0-serial), from its own folder, so that no thread starts
 * in the host's process, and no other BLAS that the process has comes in between. What that build needs:
 *
 *  - Memory: opening takes 38 MiB of address space and the first product 128 MiB more; where those cannot be
 *    had, the first product never ends. So that much is mapped and given back before the library is opened,
 *    and one product made at once; those that follow allocate nothing.
 *  - One product at a time in a process: it is not thread-safe. A caller that finds it in use does not wait
 *    but takes hbscore's kernel. A host that uses this very library itself would not ask: then it is refused.
 *  - One process: a child of a fork takes hbscore's kernel.
 *
 * This is the one state that belongs to the process and not to a connection. */
#define _GNU_SOURCE
#include "host/host.h"
#include "host/libdl.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define LIBRARY "/usr/lib/x86_64-linux-gnu/openblas-serial/libopenblas.so.0"
#elif defined(__aarch64__)
#define LIBRARY "/usr/lib/aarch64-linux-gnu/openblas-serial/libopenblas.so.0"
#else
#define LIBRARY ""
#endif

enum { COLUMN_MAJOR = 102, NOT_TRANSPOSED = 111 }; /* of cblas.h */

typedef void (*product)(int order, int transposed_a, int transposed_b, int m, int n, int k, double alpha,
                        const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc);

typedef void (*product32)(int order, int transposed_a, int transposed_b, int m, int n, int k, float alpha,
                          const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

/* The library's functions; set before `opened_by`, and then never changed. */
static product multiply;
static product32 multiply32;
static _Atomic pid_t opened_by; /* 0: it is not open */
static atomic_flag in_use = ATOMIC_FLAG_INIT;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/* ---- products */

static bool enter_blas(void *context)
{
    (void)context;
    return atomic_load_explicit(&opened_by, memory_order_acquire) == getpid() &&
           !atomic_flag_test_and_set_explicit(&in_use, memory_order_acquire);
}

static void add_product(void *context, size_t rows, size_t outputs, size_t inputs, const double *in, size_t in_stride,
                        const double *weights, size_t weights_stride, double *out, size_t out_stride)
{
    (void)context;
    multiply(COLUMN_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, (int)rows, (int)outputs, (int)inputs, 1.0, in,
             (int)in_stride, weights, (int)weights_stride, 1.0, out, (int)out_stride);
}

static void add_product32(void *context, size_t rows, size_t outputs, size_t inputs, const float *in, size_t in_stride,
                          const float *weights, size_t weights_stride, float *out, size_t out_stride)
{
    (void)context;
    multiply32(COLUMN_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, (int)rows, (int)outputs, (int)inputs, 1.0f, in,
               (int)in_stride, weights, (int)weights_stride, 1.0f, out, (int)out_stride);
}

static void leave_blas(void *context)
{
    (void)context;
    atomic_flag_clear_explicit(&in_use, memory_order_release);
}

const hbs_blas host_blas = {
    .enter = enter_blas, .add_product = add_product, .add_product32 = add_product32, .leave = leave_blas};

/* ---- opening */

/* A function of the library; POSIX has its address as that of an object. */
static bool find_library(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);

    memcpy(function, &address, sizeof(address));
    return address != NULL;
}

static bool has_room(void)
{
    const size_t needed = (size_t)192 << 20;
    void *room = mmap(NULL, needed, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (room == MAP_FAILED)
        return false;
    munmap(room, needed);
    return true;
}

/* The product after which no other allocates. On some CPUs small ones take no memory, so this one is of 16
 * million sums. NULL: all is well. */
static const char *warm_up(product warming)
{
    enum { SIDE = 256, ALL = SIDE * SIDE };
    const size_t size = 3 * ALL * sizeof(double);
    double *numbers = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool right;

    if (numbers == MAP_FAILED)
        return "out of memory";
    for (size_t i = 0; i < 3 * ALL; i++)
        numbers[i] = 1;
    warming(COLUMN_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, SIDE, SIDE, SIDE, 1.0, numbers, SIDE, numbers + ALL, SIDE,
            1.0, numbers + 2 * ALL, SIDE);
    right = numbers[2 * ALL] == SIDE + 1 && numbers[3 * ALL - 1] == SIDE + 1;
    munmap(numbers, size);
    return right ? NULL : "OpenBLAS gives wrong products";
}

/* NULL: all is well. */
static const char *prepare_library(void *library)
{
    int (*is_parallel)(void);
    void (*set_threads)(int);
    product found;
    const char *wrong;

    if (!find_library(library, "openblas_get_parallel", &is_parallel) ||
        !find_library(library, "openblas_set_num_threads", &set_threads) ||
        !find_library(library, "cblas_dgemm", &found) || !find_library(library, "cblas_sgemm", &multiply32))
        return LIBRARY " is no OpenBLAS";
    if (is_parallel() != 0)
        return LIBRARY " is not OpenBLAS's serial build";
    set_threads(1);
    wrong = warm_up(found);
    if (!wrong)
        multiply = found;
    return wrong;
}

/* Whether the process has the same file, or another OpenBLAS that all libraries see. */
static bool is_taken(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD);

    if (library)
        dlclose(library);
    return library || dlsym(RTLD_DEFAULT, "openblas_get_parallel");
}

/* Opens the library; NULL: it is open, else why not. A library that cannot be used is closed again. */
static const char *open_library(void)
{
    const char *wrong;
    void *library;

    if (!LIBRARY[0] || !dlopen || !dlsym || !dlclose)
        return "OpenBLAS cannot be opened on this system";
    if (access(LIBRARY, R_OK) != 0)
        return "there is no " LIBRARY " (Debian's package libopenblas0-serial)";
    if (is_taken())
        return "the process has an OpenBLAS of its own";
    if (!has_room())
        return "OpenBLAS needs 192 MiB of memory";
    library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return LIBRARY " cannot be opened";
    wrong = prepare_library(library);
    if (wrong)
        dlclose(library);
    return wrong;
}

const char *host_blas_open(void)
{
    const char *wrong = NULL;
    pid_t self = getpid(), by;

    pthread_mutex_lock(&opening);
    by = atomic_load(&opened_by);
    if (by != 0 && by != self)
        wrong = "OpenBLAS was opened before the process was forked";
    else if (by == 0 && !(wrong = open_library()))
        atomic_store_explicit(&opened_by, self, memory_order_release);
    pthread_mutex_unlock(&opening);
    return wrong;
}
