/* host.h - what hbscore's extensions share, whichever database they are in: how a model is named, how messages show
 * what the caller wrote, which passes are off, pages of memory, OpenBLAS, and a GPU. Nothing here asks a database or
 * allocates from one. */
#ifndef HOST_H
#define HOST_H

#include "hbs_backend.h"
#include "hbscore.h"

#pragma GCC visibility push(hidden)

/* ---- message.c */

/* Fills `error` as printf does, cut behind a whole character; returns `status`. */
hbs_status host_fail(hbs_error *error, hbs_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Cuts a half character from the end of a text that filled its buffer of `size` bytes. */
void host_trim_character(char *text, size_t size);
/* The length (1 to 4) of the UTF-8 character at the start of `size` (> 0) bytes; 0: it is none. */
size_t host_utf8_character(const char *bytes, size_t size);

/* A name or a value of the caller as messages show it, without quotes: bytes that are no UTF-8,
 * control characters and '"' as \xNN, cut to 64 bytes of source, with ".." behind. */
enum { HOST_SHOWN = 64 };
typedef struct host_shown {
    char text[4 * HOST_SHOWN + 3];
} host_shown;
const char *host_show(host_shown *shown, const char *bytes, size_t size);

/* ---- reference.c: model names and references, as text only */

/* 'churn', 'churn@3', 'churn@champion', 'churn@3#3f524cdc07a11d7c', as written. Points into that text. */
typedef struct host_reference {
    hbs_text name;
    hbs_text alias;    /* bytes NULL: none */
    long long version; /* 0: none, so (without an alias) the deployed one or the newest */
    hbs_text digest;   /* 16 hex digits; bytes NULL: none */
} host_reference;

enum { HOST_MAX_NAME = 255, HOST_MAX_VERSION = 2147483647 /* PostgreSQL's int */ };
#define HOST_DEFAULT_ALIAS "default" /* that a name alone means, where it is deployed */

/* HBS_OK or HBS_E_ARGS, in words. */
hbs_status host_reference_read(hbs_text text, host_reference *reference, hbs_error *error);
/* Whether `name` may name a model, `alias` be an alias. */
hbs_status host_name_check(hbs_text name, hbs_error *error);
hbs_status host_alias_check(hbs_text alias, hbs_error *error);
/* Whether a model with this SHA-256 is the one that the reference means; `shown` is what messages call it. */
hbs_status host_digest_check(const host_reference *reference, const uint8_t digest[32], const char *shown,
                             hbs_error *error);
/* The value of a hex digit in lower case; -1: it is none. */
int host_hex_digit(char c);

/* ---- names.c: names that were meant */

/* Whether one name may be a slip for the other. *far counts the bytes to insert, remove or replace, without regard to
 * ASCII case. Names are near with at most 1 such edit below 4 bytes, 2 below 8, else 3, and fewer than all bytes; or if
 * `wanted` has 3 bytes or more and begins the name: "churn" and "churn_2024". */
bool host_is_near(hbs_text wanted, hbs_text name, int *far);

/* The nearest of the names that are near. */
enum { HOST_NEAREST = 3 };
typedef struct host_nearest {
    int count;   /* 0 at first */
    int offered; /* all names, near or not; 0 at first */
    int distance[HOST_NEAREST];
    host_shown name[HOST_NEAREST];
} host_nearest;
void host_nearest_offer(host_nearest *best, hbs_text wanted, hbs_text name);

/* ---- passes.c: the setting passes_off */

/* Names of passes between commas, with spaces around them or not, "all", or nothing: as HBS_PASS_... bits. HBS_E_ARGS
 * lists the names. */
hbs_status host_passes_read(hbs_text text, uint32_t *off, hbs_error *error);
/* "fold_constants, rewrite_dtypes": the passes of these bits. */
enum { HOST_PASSES = 512 };
const char *host_passes_list(uint32_t bits, char list[HOST_PASSES]);
/* The same, as the setting shows its value: "all" for all of them. */
const char *host_passes_write(uint32_t off, char list[HOST_PASSES]);

/* ---- cache.c: compiled plans by content */

/* A compiled model. It stays in the cache while it is pinned, whatever its size. */
typedef struct host_plan host_plan;
struct host_plan {
    uint8_t key[32]; /* hbs_plan_key: equal keys are equal plans */
    hbs_plan *compiled;
    hbs_plan_info info;
    size_t bytes;
    size_t pins;
    uint64_t hits;    /* times that it was found */
    void *idle;       /* of the extension: what was made ready to score, for the next call; NULL: nothing */
    host_plan *next;  /* in its bucket */
    host_plan *newer; /* in order of use */
    host_plan *older;
};

enum { HOST_BUCKETS = 256 };

typedef struct host_cache {
    const hbs_host *host;
    size_t most; /* bytes of all plans, but for those that are pinned */
    void (*free_idle)(void *idle);
    host_plan *buckets[HOST_BUCKETS];
    host_plan *newest;
    host_plan *oldest;
    size_t bytes; /* of all plans */
} host_cache;

/* The plan of this key, pinned; NULL: not cached. */
host_plan *host_cache_find(host_cache *cache, const uint8_t key[32]);
/* Takes over `compiled`, also where it fails (NULL: no memory). Pinned. */
host_plan *host_cache_add(host_cache *cache, const uint8_t key[32], hbs_plan *compiled);
void host_cache_unpin(host_cache *cache, host_plan *plan);
/* Drops the plans that nobody uses, oldest first, down to `most`. */
void host_cache_trim(host_cache *cache);
void host_cache_clear(host_cache *cache); /* no plan is pinned */

/* ---- used.c: features that matter */

/* Fills used ([features], ascending) with the features whose values can matter to `outputs` (HBS_OUT_...); how many.
 * The values of others need not be read. */
size_t host_used_features(const host_plan *plan, uint32_t outputs, int *used);

/* ---- pages.c: large blocks in large pages */

enum { HOST_LARGE_PAGE = 2 << 20 };

/* Right after a block was allocated or resized: asks the system for large pages in it, if it is large. Takes NULL. */
void host_use_large_pages(void *block, size_t bytes);

/* ---- clock.c */

/* As hbs_host.nanoseconds; `context` may be anything. */
uint64_t host_nanoseconds(void *context);

/* ---- blas.c: OpenBLAS, for dense = blas */

/* Opens it for the process, where it is not open. NULL: it is in use from now on; else why it cannot be, in
 * words. */
const char *host_blas_open(void);
/* Takes no product as long as it is not open. */
extern const hbs_blas host_blas;

/* ---- device.c: the GPU of the process, for device = auto and cuda */

typedef enum host_device_choice { HOST_DEVICE_AUTO, HOST_DEVICE_CPU, HOST_DEVICE_CUDA } host_device_choice;
#define HOST_DEVICE_WORDS                                                                   \
    {                                                                                       \
        [HOST_DEVICE_AUTO] = "auto", [HOST_DEVICE_CPU] = "cpu", [HOST_DEVICE_CUDA] = "cuda" \
    }

enum { HOST_DEVICE_ROWS = 16384, HOST_DEVICE_LEAST_ROWS = 4096 }; /* of a block; least: else it is not worth its way */
enum { HOST_DEVICE_FEW = 256 };  /* below, the way there and back takes longer than the CPU */
enum { HOST_DEVICE_FROM = 992 }; /* 32 + 64 + .. + 512 rows, which device = cuda leaves to the CPU too */

/* Once the library is loaded: notes where it lies, before the process changes its folder. */
void host_device_place(void);
/* True if the backend's library lies beside our own. It may be useless all the same. */
bool host_device_installed(void);
/* Opens it for the process, where it is not open, with so much memory of the device. Each success is one user more.
 * Else HBS_E_UNSUPPORTED or another status says why not, in words; most reasons stay. */
hbs_status host_device_join(size_t bytes, hbs_error *error);
/* One user less; without any it is closed. */
void host_device_leave(void);
/* True if the device is open and has not failed. */
bool host_device_works(void);
/* True if it cannot be used in this process, as far as that is known without opening it; and why. */
bool host_device_refuses(hbs_error *why);
/* HBS_OK: about the device, which a user has joined; else why it is of no use. */
hbs_status host_device_info(hbs_device_info *info, hbs_error *error);

/* Bytes of a row's scores, as a run gives them and as the device shares them for each block on its way. */
size_t host_device_scores(const hbs_plan_info *info);

/* The forest of a plan there, by the plan's key. A user has joined. */
typedef struct host_program host_program;
hbs_status host_device_program(const hbs_host *host, const host_plan *plan, host_program **program, hbs_error *error);
/* The program stays, for the next who wants it, as long as there is room. NULL: nothing. */
void host_device_unpin(host_program *program);
/* hbs_run_use_device. */
hbs_status host_device_use(hbs_run *run, host_program *program, hbs_error *error);
/* True once for a device that has failed. */
bool host_device_warns(void);

/* ---- gate.c: when the setting auto uses the device */

/* The CPU's rows and time in one statement. */
typedef struct host_gate {
    uint64_t rows, nanoseconds; /* that the CPU has scored so far, and took */
    uint64_t expected;          /* rows of the statement, as a planner says; 0: nobody knows */
    bool closed;                /* this statement stays on the CPU */
} host_gate;

/* True if a device is now worth opening, or asking: the expected rows are still to come, or as many may come again as
 * have come. `bytes` of a plan. */
bool host_gate_opens(const host_gate *gate, size_t bytes, bool is_open);
/* The same before the first row, by an estimate of the CPU's nanoseconds a row. */
bool host_gate_may_open(double row_nanoseconds, uint64_t expected, size_t bytes, bool is_open);
/* True if waiting for the device has cost more than the CPU would; false before some blocks are done. */
bool host_gate_regrets(const host_gate *gate, const hbs_device_use *use);
/* Nanoseconds of a row that a device costs the host: 21 to 29 were measured with 28 columns (docs/gpu.md). */
enum { HOST_HANDING_OVER = 30 };
/* Nanoseconds that it takes to begin: to open the device, if it is not open, and to send a plan of so many bytes. */
double host_gate_cost(size_t bytes, bool is_open);
/* True if a row takes so long on the CPU that handing it over can gain something. */
bool host_gate_gains(double row_nanoseconds);

#pragma GCC visibility pop
#endif
