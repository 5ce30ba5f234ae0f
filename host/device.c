/* device.c - the GPU of the process: hbscore_cuda.so, opened beside our own library when a statement wants it.
 *
 *  - One device for all connections of the process. Its last user closes it; the library stays.
 *  - A child of a fork leaves it alone: not even the mutex is touched, which another thread may have held.
 *  - Why it cannot be used is kept: nothing of that changes while the process lives. Only a lack of memory does, and
 *    then the next who asks tries again.
 *  - Programs stay on the device for the next statement with the same plan, as long as nobody needs their room. */
#define _GNU_SOURCE
#include "host/host.h"
#include "host/libdl.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "hbscore_cuda.so"

struct host_program {
    uint8_t key[32];
    hbs_device_program *program;
    size_t pins;
    host_program *next; /* used longer ago */
};

static _Atomic pid_t touched_by; /* 0: by nobody so far */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* The mutex guards: */
static char place[PATH_MAX]; /* of LIBRARY; "": not known */
static const hbs_backend *backend;
static hbs_device *device; /* NULL: not open */
static hbs_error off;      /* status HBS_OK: nothing speaks against opening it */
static size_t users;
static host_program *programs;
static bool warned;

/* ---- whose it is */

/* True for the process that was the first to ask. */
static bool is_ours(void)
{
    pid_t by = 0, self = getpid();

    return atomic_compare_exchange_strong(&touched_by, &by, self) || by == self;
}

/* True: the process may use the device, and the caller holds the mutex. */
static bool enter(void)
{
    if (!is_ours())
        return false;
    pthread_mutex_lock(&mutex);
    return true;
}

static hbs_status fail_forked(hbs_error *error)
{
    return host_fail(error, HBS_E_UNSUPPORTED, "the GPU was opened before the process was forked");
}

/* ---- where it lies */

/* "/usr/lib/hbscore_cuda.so"; the caller holds the mutex. */
static void note_place(const char *self)
{
    char *real = realpath(self, NULL), *slash = real ? strrchr(real, '/') : NULL;
    size_t folder = slash ? (size_t)(slash + 1 - real) : 0;

    if (slash && folder + sizeof(LIBRARY) <= sizeof(place)) {
        memcpy(place, real, folder);
        memcpy(place + folder, LIBRARY, sizeof(LIBRARY));
    }
    free(real);
}

void host_device_place(void)
{
    Dl_info self;

    pthread_mutex_lock(&mutex);
    if (!place[0] && dladdr && dladdr((const void *)(uintptr_t)host_device_place, &self) && self.dli_fname)
        note_place(self.dli_fname);
    pthread_mutex_unlock(&mutex);
}

bool host_device_installed(void)
{
    return place[0] && access(place, R_OK) == 0;
}

/* ---- opening */

static hbs_status fail_missing(hbs_error *error)
{
    return host_fail(error, HBS_E_UNSUPPORTED, "there is no " LIBRARY " beside hbscore's own library");
}

static hbs_status find_backend(hbs_error *error)
{
    hbs_backend_getter getter = NULL;
    void *library, *address;

    if (backend)
        return HBS_OK;
    if (!dlopen || !dlsym || !dladdr)
        return host_fail(error, HBS_E_UNSUPPORTED, "libraries cannot be opened on this system");
    if (!host_device_installed())
        return fail_missing(error);
    library = dlopen(place, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return host_fail(error, HBS_E_UNSUPPORTED, LIBRARY " cannot be opened");
    address = dlsym(library, HBS_BACKEND_SYMBOL);
    memcpy(&getter, &address, sizeof(getter));
    backend = getter ? getter(HBS_BACKEND_API) : NULL;
    if (backend && (backend->api != HBS_BACKEND_API || backend->size != sizeof(hbs_backend)))
        backend = NULL;
    if (!backend)
        return host_fail(error, HBS_E_UNSUPPORTED, LIBRARY " is of another version than hbscore, which needs %d",
                         HBS_BACKEND_API);
    return HBS_OK;
}

static hbs_status open_device(size_t bytes, hbs_error *error)
{
    const hbs_device_limits limits = {.bytes = bytes};
    hbs_status status = find_backend(error);

    if (status == HBS_OK)
        status = backend->open(&limits, &device, error);
    if (status != HBS_OK && status != HBS_E_NOMEM)
        off = *error;
    return status;
}

/* A device that has failed is as one that is not there, from then on. */
static void note_death(void)
{
    hbs_device_info info;

    if (!device || off.status != HBS_OK)
        return;
    backend->get_info(device, &info);
    if (info.dead)
        host_fail(&off, HBS_E_UNSUPPORTED, "the GPU has failed: %s", info.why);
}

static hbs_status join(size_t bytes, hbs_error *error)
{
    hbs_status status = HBS_OK;

    note_death();
    if (off.status != HBS_OK) {
        *error = off;
        return off.status;
    }
    if (!device)
        status = open_device(bytes, error);
    users += status == HBS_OK;
    return status;
}

hbs_status host_device_join(size_t bytes, hbs_error *error)
{
    hbs_status status;

    if (!enter())
        return fail_forked(error);
    status = join(bytes, error);
    pthread_mutex_unlock(&mutex);
    return status;
}

bool host_device_works(void)
{
    bool works;

    if (!enter())
        return false;
    note_death();
    works = device && off.status == HBS_OK;
    pthread_mutex_unlock(&mutex);
    return works;
}

bool host_device_refuses(hbs_error *why)
{
    if (!enter())
        return fail_forked(why) != HBS_OK;
    note_death();
    *why = off;
    pthread_mutex_unlock(&mutex);
    if (why->status == HBS_OK && !host_device_installed())
        fail_missing(why);
    return why->status != HBS_OK;
}

hbs_status host_device_info(hbs_device_info *info, hbs_error *error)
{
    hbs_status status;

    if (!enter())
        return fail_forked(error);
    note_death();
    status = off.status;
    if (status != HBS_OK)
        *error = off;
    else if (!device)
        status = host_fail(error, HBS_E_UNSUPPORTED, "the GPU is not open");
    else
        backend->get_info(device, info);
    pthread_mutex_unlock(&mutex);
    return status;
}

bool host_device_warns(void)
{
    bool warns;

    if (!enter())
        return false;
    warns = !warned;
    warned = true;
    pthread_mutex_unlock(&mutex);
    return warns;
}

/* ---- programs */

/* Forgets the program that was not used for the longest time; false: all are in use. */
static bool forget_oldest(void)
{
    host_program **oldest = NULL, *gone;

    for (host_program **at = &programs; *at; at = &(*at)->next)
        if ((*at)->pins == 0)
            oldest = at;
    if (!oldest)
        return false;
    gone = *oldest;
    *oldest = gone->next;
    backend->forget(device, gone->program);
    free(gone);
    return true;
}

void host_device_leave(void)
{
    if (!is_ours())
        return;
    pthread_mutex_lock(&mutex);
    if (--users == 0) {
        note_death();
        while (forget_oldest())
            ;
        backend->close(device);
        device = NULL;
    }
    pthread_mutex_unlock(&mutex);
}

/* The one with this key, which becomes the first of the list. */
static host_program *find_program(const uint8_t key[32])
{
    for (host_program **at = &programs; *at; at = &(*at)->next) {
        host_program *found = *at;

        if (memcmp(found->key, key, sizeof(found->key)) == 0) {
            *at = found->next;
            found->next = programs;
            programs = found;
            return found;
        }
    }
    return NULL;
}

static hbs_status add_program(const hbs_host *host, const host_plan *plan, host_program **program, hbs_error *error)
{
    host_program *made = malloc(sizeof(*made));
    hbs_forest_view view;
    hbs_status status;

    if (!made)
        return host_fail(error, HBS_E_NOMEM, "out of memory");
    *made = (host_program){.next = programs};
    memcpy(made->key, plan->key, sizeof(made->key));
    status = hbs_plan_forest(plan->compiled, &view, error);
    if (status == HBS_OK)
        do
            status = backend->upload(device, host, &view, &made->program, error);
        while (status == HBS_E_NOMEM && forget_oldest());
    if (status != HBS_OK) {
        free(made);
        return status;
    }
    made->next = programs; /* some may have been forgotten */
    programs = made;
    *program = made;
    return HBS_OK;
}

hbs_status host_device_program(const hbs_host *host, const host_plan *plan, host_program **program, hbs_error *error)
{
    hbs_status status = HBS_OK;

    if (!enter())
        return fail_forked(error);
    *program = find_program(plan->key);
    if (!*program)
        status = add_program(host, plan, program, error);
    if (status == HBS_OK)
        (*program)->pins++;
    pthread_mutex_unlock(&mutex);
    return status;
}

void host_device_unpin(host_program *program)
{
    if (!program || !enter())
        return;
    program->pins--;
    pthread_mutex_unlock(&mutex);
}

hbs_status host_device_use(hbs_run *run, host_program *program, hbs_error *error)
{
    hbs_status status;

    if (!enter())
        return fail_forked(error);
    do
        status = hbs_run_use_device(run, backend, device, program->program, error);
    while (status == HBS_E_NOMEM && forget_oldest());
    pthread_mutex_unlock(&mutex);
    return status;
}
