/* device.c - the GPU of the process: hbscore_cuda.so, opened beside our own library when a statement wants it.
 *
 *  - One device for all connections of the process. Its last user closes it; the library stays.
 *  - A child of a fork leaves it alone: not even the mutex is touched, which another thread may have held.
 *  - The library becomes code of the process, so nobody else may have put it there: `trust`.
 *  - Why it cannot be used is kept: nothing of that changes while the process lives. Only a lack of memory does, and
 *    then the next who asks tries again.
 *  - Programs stay on the device for the next statement with the same plan, as long as nobody needs their room. */
#define _GNU_SOURCE
#include "host/host.h"
#include "host/libdl.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIBRARY "hbscore_cuda.so"

struct host_program {
    uint8_t key[32];
    hbs_device_program *program;
    size_t pins;
    host_program *next; /* used longer ago */
};

/* Where LIBRARY lies, or would. */
typedef struct placed {
    uid_t owner; /* of our own library */
    char path[];
} placed;

static _Atomic pid_t touched_by;  /* 0: by nobody so far */
static _Atomic(placed *) library; /* NULL: not known; else it stays */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* The mutex guards: */
static const hbs_backend *backend;
static hbs_device *device; /* NULL: not open */
static hbs_error off;      /* status HBS_OK: nothing speaks against opening it */
static size_t users;
static host_program *programs;
static bool warned;

/* ---- whose it is */

/* Nobody has opened it, so a child of a fork still may. */
static bool is_untouched(void)
{
    return touched_by == 0;
}

/* True for the process that was the first to open it. */
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

/* stat(2): the C library's own is of glibc 2.33, and the extension can be loaded by 2.27. */
static bool find_file(const char *path, struct stat *file)
{
    return syscall(SYS_newfstatat, AT_FDCWD, path, file, 0) == 0;
}

/* "/usr/lib/hbscore_cuda.so" for "lib/hbscore.so"; NULL: it cannot be told. */
static placed *place_beside(const char *self)
{
    char *real = realpath(self, NULL), *slash = real ? strrchr(real, '/') : NULL;
    size_t folder = slash ? (size_t)(slash + 1 - real) : 0;
    placed *made = slash ? malloc(sizeof(*made) + folder + sizeof(LIBRARY)) : NULL;
    struct stat own;

    if (made && find_file(real, &own)) {
        made->owner = own.st_uid;
        memcpy(made->path, real, folder);
        memcpy(made->path + folder, LIBRARY, sizeof(LIBRARY));
    } else {
        free(made);
        made = NULL;
    }
    free(real);
    return made;
}

/* Without the mutex: a child of a fork comes here too. */
void host_device_place(void)
{
    placed *made, *none = NULL;
    Dl_info self;

    if (library || !dladdr || !dladdr((const void *)(uintptr_t)host_device_place, &self) || !self.dli_fname)
        return;
    made = place_beside(self.dli_fname);
    if (made && !atomic_compare_exchange_strong(&library, &none, made))
        free(made); /* another thread was here */
}

bool host_device_installed(void)
{
    const placed *at = library;

    return at && access(at->path, R_OK) == 0;
}

/* ---- opening */

static hbs_status fail_missing(hbs_error *error)
{
    return host_fail(error, HBS_E_UNSUPPORTED, "there is no " LIBRARY " beside hbscore's own library");
}

/* It must be a file (to open a pipe would have no end) of root, of this user, or of whoever owns our own library, and
 * nobody else may write to it. */
static hbs_status trust(const placed *at, hbs_error *error)
{
    struct stat file;

    if (!find_file(at->path, &file) || !S_ISREG(file.st_mode))
        return host_fail(error, HBS_E_UNSUPPORTED, LIBRARY " is no file");
    if (file.st_uid != 0 && file.st_uid != geteuid() && file.st_uid != at->owner)
        return host_fail(error, HBS_E_UNSUPPORTED, LIBRARY " belongs to another user than hbscore's own library");
    if (file.st_mode & S_IWOTH)
        return host_fail(error, HBS_E_UNSUPPORTED, LIBRARY " can be written by every user");
    return HBS_OK;
}

static hbs_status find_backend(hbs_error *error)
{
    hbs_backend_getter getter = NULL;
    void *opened, *address;
    hbs_status status;

    if (backend)
        return HBS_OK;
    if (!dlopen || !dlsym || !dladdr)
        return host_fail(error, HBS_E_UNSUPPORTED, "libraries cannot be opened on this system");
    if (!host_device_installed())
        return fail_missing(error);
    status = trust(library, error);
    if (status != HBS_OK)
        return status;
    opened = dlopen(library->path, RTLD_NOW | RTLD_LOCAL);
    if (!opened)
        return host_fail(error, HBS_E_UNSUPPORTED, LIBRARY " cannot be opened");
    address = dlsym(opened, HBS_BACKEND_SYMBOL);
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

    if (is_untouched() || !enter())
        return false;
    note_death();
    works = device && off.status == HBS_OK;
    pthread_mutex_unlock(&mutex);
    return works;
}

bool host_device_refuses(hbs_error *why)
{
    why->status = HBS_OK;
    if (!is_untouched()) {
        if (!enter())
            return fail_forked(why) != HBS_OK;
        note_death();
        *why = off;
        pthread_mutex_unlock(&mutex);
    }
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

size_t host_device_scores(const hbs_plan_info *info)
{
    size_t widths[] = {info->raw_width, info->probabilities_width, info->values_width}, width = 1;

    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
        width = widths[i] > width ? widths[i] : width;
    return width * sizeof(double) * (1 + HBS_DEVICE_BLOCKS);
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
