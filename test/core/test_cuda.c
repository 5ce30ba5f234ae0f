/* test_cuda.c - the backend "cuda" beside a fake driver (test/gpu/fake): its bits, and what happens when each call of
 * the driver fails, the device hangs, the process forks or the host wants to stop. No score may be lost or wrong. */
#define _GNU_SOURCE
#include "models.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/fake/libcuda.h"
#include "hbs_backend.h"

enum { FEATURES = 5, ROWS = 200 };

const hbs_backend *hbscore_backend(uint32_t api); /* gpu/cuda.c, which the test is linked with */

static const hbs_backend *backend;
static fake_cuda *fake, fresh;
static test_host host;
static hbs_plan *plan;
static double cells[FEATURES][2 * ROWS];
static hbs_column columns[FEATURES];
static double wanted[2 * ROWS]; /* by the CPU */
static hbs_error error;

/* ------------------------------------------------------------------ the model */

static char *forest_file(bool sets)
{
    const test_shape shape = {.n_features = FEATURES,
                              .n_outputs = 1,
                              .leaf_width = 1,
                              .n_trees = 20,
                              .depth = 5,
                              .sets = sets,
                              .finite = true};
    hb_forest_model forest;
    hb_memory memory;
    uint64_t random = 11;
    char *json;

    hb_memory_init(&memory, &host.host, 0);
    hb_forest_model_init(&forest, &memory);
    test_random_forest(&forest, &shape, &random);
    json = test_write_file(&(test_file){.objective = "binary:logistic", .forest = &forest});
    hb_forest_model_release(&forest);
    return json;
}

static void look_at(size_t first)
{
    for (size_t i = 0; i < FEATURES; i++)
        columns[i] = (hbs_column){HBS_FLOAT64, cells[i] + first, NULL};
}

static void score_by_cpu(void)
{
    hbs_run *run = test_run(&host.host, plan, ROWS);
    hbs_result result;

    for (size_t first = 0; first < 2 * ROWS; first += ROWS) {
        look_at(first);
        assert_status(hbs_score(run, columns, FEATURES, ROWS, HBS_OUT_RAW, &result, &error), HBS_OK, &error);
        memcpy(wanted + first, result.raw, ROWS * sizeof(double));
    }
    hbs_run_free(run);
}

static void begin_with(bool sets)
{
    uint64_t random = 5;
    hbs_model *model;
    char *json;

    *fake = fresh;
    test_host_init(&host);
    for (size_t i = 0; i < FEATURES; i++)
        for (size_t r = 0; r < 2 * ROWS; r++)
            cells[i][r] = (double)test_random_cell(&random);
    json = forest_file(sets);
    model = test_load(&host.host, json, NULL);
    free(json);
    assert_status(hbs_plan_compile(model, &(hbs_compile_options){.passes_off = HBS_KEEP_NODES}, &plan, &error), HBS_OK,
                  &error);
    hbs_model_free(model);
    score_by_cpu();
}

static void begin(void)
{
    begin_with(false);
}

static void end(void)
{
    hbs_plan_free(plan);
    test_host_end(&host);
}

/* ------------------------------------------------------------------ a session with a device */

typedef struct session {
    hbs_device *device;
    hbs_device_program *program;
    hbs_run *run;
    bool used; /* the run was given the device */
} session;

static const hbs_device_limits limits = {.patience = 60};

static hbs_status open_session(session *s, hbs_error *why)
{
    hbs_forest_view view;
    hbs_status status = backend->open(&limits, &s->device, why);

    s->run = test_run(&host.host, plan, ROWS);
    assert_status(hbs_plan_forest(plan, &view, &error), HBS_OK, &error);
    if (status == HBS_OK)
        status = backend->upload(s->device, &host.host, &view, &s->program, why);
    if (status == HBS_OK)
        status = hbs_run_use_device(s->run, backend, s->device, s->program, why);
    s->used = status == HBS_OK;
    return status;
}

static void close_session(session *s)
{
    hbs_run_free(s->run);
    if (s->program)
        backend->forget(s->device, s->program);
    if (s->device)
        backend->close(s->device);
}

static void same_as_cpu(const hbs_result *result, size_t first)
{
    assert_int_equal(result->rows, ROWS);
    assert_memory_equal(result->raw, wanted + first, ROWS * sizeof(double));
}

static bool submit(session *s, size_t first)
{
    hbs_status status;

    look_at(first);
    status = hbs_score_submit(s->run, columns, FEATURES, ROWS, HBS_OUT_RAW, &error);
    if (status != HBS_OK)
        assert_status(status, HBS_E_UNSUPPORTED, &error);
    return status == HBS_OK;
}

/* Two blocks on their way where the device takes them, else by the CPU: all have the CPU's bits. */
static void score_all(session *s)
{
    bool sent[2] = {s->used && submit(s, 0), s->used && submit(s, ROWS)};
    hbs_result result;

    for (size_t b = 0; b < 2; b++)
        if (sent[b]) {
            assert_status(hbs_score_collect(s->run, &result, &error), HBS_OK, &error);
            same_as_cpu(&result, b * ROWS);
        }
    for (size_t b = 0; b < 2; b++)
        if (!sent[b]) {
            look_at(b * ROWS);
            assert_status(hbs_score(s->run, columns, FEATURES, ROWS, HBS_OUT_RAW, &result, &error), HBS_OK, &error);
            same_as_cpu(&result, b * ROWS);
        }
}

static void nothing_is_left(void)
{
    assert_int_equal(fake->live, 0);
}

static hbs_device_use use_of(const session *s)
{
    hbs_device_use use;

    hbs_run_device_use(s->run, &use);
    return use;
}

/* ------------------------------------------------------------------ it scores */

static void scores_have_the_bits_of_the_cpu(void **state)
{
    for (int sets = 0; sets < 2; sets++) {
        session s = {0};
        hbs_device_info info;

        begin_with(sets);
        assert_status(open_session(&s, &error), HBS_OK, &error);
        backend->get_info(s.device, &info);
        assert_string_equal(info.name, "a fake GPU");
        assert_true(info.used > 0 && !info.dead);
        score_all(&s);
        assert_int_equal(use_of(&s).blocks, 2);
        assert_int_equal(use_of(&s).redone, 0);
        assert_int_equal(fake->most_flying, 2);
        assert_int_equal(fake->flying, 0);
        close_session(&s);
        nothing_is_left();
        assert_int_equal(fake->depth, 0);
        end();
    }
}

static void another_api_is_not_served(void **state)
{
    assert_null(hbscore_backend(HBS_BACKEND_API + 1));
    assert_int_equal(backend->api, HBS_BACKEND_API);
    assert_int_equal(backend->size, sizeof(hbs_backend));
}

/* ------------------------------------------------------------------ each call fails */

static unsigned cases; /* of class R7 of the reliability page */

static void fail_each_call(int code, bool sticky)
{
    enum { LEAST_CALLS = 60 };
    long n = 1;

    for (bool failed = true; failed; n++) {
        session s = {0};
        hbs_error why = {.text = ""};

        *fake = fresh;
        fake->fail_at = n;
        fake->fail_code = code;
        fake->sticky = sticky;
        if (open_session(&s, &why) != HBS_OK)
            assert_true(why.text[0] != 0);
        score_all(&s);
        close_session(&s);
        nothing_is_left();
        failed = fake->calls >= n;
        cases++;
    }
    assert_true(n > LEAST_CALLS);
}

/* Faults one behind the other: each statement of some has its own, of any kind. */
static void fail_again_and_again(uint64_t *random)
{
    static const int codes[] = {2, 2, 1, 700, 999};

    for (int sessions = 0; sessions < 3; sessions++) {
        session s = {0};
        hbs_error why;

        fake->fail_code = codes[test_random(random) % 5];
        fake->sticky = test_random(random) % 4 == 0;
        fake->fail_at = fake->calls + 1 + (long)(test_random(random) % 90);
        open_session(&s, &why);
        for (int i = 0; i < 3; i++) {
            score_all(&s);
            fake->fail_at = fake->calls + 1 + (long)(test_random(random) % 30);
        }
        close_session(&s);
        nothing_is_left();
        cases++;
    }
}

static void no_fault_behind_another_loses_a_score(void **state)
{
    enum { TRIES = 100 };
    uint64_t random = 27;

    begin();
    for (int i = 0; i < TRIES; i++) {
        *fake = fresh;
        fail_again_and_again(&random);
    }
    end();
}

static void no_call_that_fails_loses_a_score(void **state)
{
    begin();
    fail_each_call(2, false);   /* out of memory */
    fail_each_call(700, true);  /* an illegal address: CUDA cannot recover */
    fail_each_call(999, false); /* unknown */
    end();
}

/* ------------------------------------------------------------------ no GPU, or none that will do */

static void refused(const char *words)
{
    hbs_device *device;

    assert_status(backend->open(NULL, &device, &error), HBS_E_UNSUPPORTED, &error);
    assert_string_equal(error.text, words);
    nothing_is_left();
    cases++;
    *fake = fresh;
}

static void a_refusal_says_why(void **state)
{
    *fake = fresh;
    fake->version = 12080;
    refused("the driver is for CUDA 12.8, and 13.0 is needed");
    fake->devices = 0;
    refused("there is no GPU");
    fake->major = 7;
    refused("the GPU has compute capability 7.0, below 7.5");
    fake->fail_at = 1;
    fake->fail_code = 100;
    refused("the driver does not start: CUDA error 100 of cuInit");
}

static void memory_has_a_limit(void **state)
{
    hbs_device_limits few = {.bytes = 1000};
    hbs_device_program *program;
    hbs_forest_view view;
    hbs_device *device;

    begin();
    assert_status(backend->open(&few, &device, &error), HBS_OK, &error);
    assert_status(hbs_plan_forest(plan, &view, &error), HBS_OK, &error);
    assert_status(backend->upload(device, &host.host, &view, &program, &error), HBS_E_NOMEM, &error);
    assert_non_null(strstr(error.text, "over the limit of 1000 for the GPU"));
    backend->close(device);
    nothing_is_left();
    end();
}

/* A queue that is over the limit takes no memory of the host before that is known. */
static void memory_of_the_host_has_the_same_limit(void **state)
{
    enum { MANY = 1 << 20 };
    const hbs_device_limits some = {.bytes = 1 << 20};
    hbs_device_program *program;
    hbs_device_queue *queue;
    hbs_forest_view view;
    hbs_device *device;
    long made;

    begin();
    assert_status(backend->open(&some, &device, &error), HBS_OK, &error);
    assert_status(hbs_plan_forest(plan, &view, &error), HBS_OK, &error);
    assert_status(backend->upload(device, &host.host, &view, &program, &error), HBS_OK, &error);
    made = fake->made;
    assert_status(backend->queue_create(device, program, &host.host, MANY, &queue, &error), HBS_E_NOMEM, &error);
    assert_int_equal(fake->made, made);
    backend->forget(device, program);
    backend->close(device);
    nothing_is_left();
    end();
}

/* ------------------------------------------------------------------ hangs, stops, forks, threads */

static void a_device_that_hangs_is_left(void **state)
{
    session s = {0};
    hbs_device_info info;

    begin();
    assert_status(open_session(&s, &error), HBS_OK, &error);
    fake->hangs = true;
    score_all(&s);
    assert_int_equal(use_of(&s).redone, 2);
    assert_string_equal(use_of(&s).error.text, "the GPU has failed: it does not answer");
    backend->get_info(s.device, &info);
    assert_true(info.dead);
    close_session(&s);
    end();
}

static void a_host_that_stops_is_heard(void **state)
{
    session s = {0};
    hbs_result result;

    begin();
    assert_status(open_session(&s, &error), HBS_OK, &error);
    assert_true(submit(&s, 0));
    assert_true(submit(&s, ROWS));
    host.cancel_at = host.polls + 1;
    assert_status(hbs_score_collect(s.run, &result, &error), HBS_E_CANCEL, &error);
    host.cancel_at = 0;
    close_session(&s);
    nothing_is_left();
    end();
}

/* Two blocks, as far as the host lets them; how many results there were. */
static size_t score_until_stopped(session *s)
{
    hbs_status status = HBS_OK;
    hbs_result result;
    size_t sent = 0, collected = 0;

    for (; status == HBS_OK && sent < 2; sent += status == HBS_OK) {
        look_at(sent * ROWS);
        status = hbs_score_submit(s->run, columns, FEATURES, ROWS, HBS_OUT_RAW, &error);
    }
    for (; status == HBS_OK && collected < sent; collected += status == HBS_OK) {
        status = hbs_score_collect(s->run, &result, &error);
        if (status == HBS_OK)
            same_as_cpu(&result, collected * ROWS);
    }
    if (status != HBS_OK)
        assert_status(status, HBS_E_CANCEL, &error);
    return collected;
}

/* Whenever it stops, nothing is lost of what comes later. */
static void a_host_may_stop_at_each_poll(void **state)
{
    enum { LEAST_POLLS = 5 };
    session s = {0};
    size_t polls = 0;

    begin();
    assert_status(open_session(&s, &error), HBS_OK, &error);
    for (size_t got = 0; got < 2; polls++) {
        host.cancel_at = host.polls + polls + 1;
        got = score_until_stopped(&s);
        host.cancel_at = 0;
        hbs_run_rest_device(s.run, false);
        score_all(&s);
        cases++;
    }
    assert_true(polls > LEAST_POLLS);
    assert_int_equal(use_of(&s).redone, 0);
    close_session(&s);
    nothing_is_left();
    end();
}

static void a_child_leaves_the_device_alone(void **state)
{
    session s = {0};
    int status;
    pid_t child;

    begin();
    assert_status(open_session(&s, &error), HBS_OK, &error);
    child = fork();
    if (child == 0) {
        long calls = fake->calls;

        score_all(&s);
        close_session(&s);
        _exit(fake->calls == calls ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    score_all(&s);
    assert_int_equal(use_of(&s).blocks, 2);
    close_session(&s);
    nothing_is_left();
    end();
}

static atomic_bool asks;

static void *keep_asking(void *device)
{
    hbs_device_info info;

    while (asks)
        backend->get_info(device, &info);
    return NULL;
}

/* One that another thread may have held when the process was forked. */
static void a_child_waits_for_no_mutex(void **state)
{
    enum { CHILDREN = 40, SECONDS = 20 };
    session s = {0};
    pthread_t asking;
    int status = 0;

    begin();
    assert_status(open_session(&s, &error), HBS_OK, &error);
    asks = true;
    assert_int_equal(pthread_create(&asking, NULL, keep_asking, s.device), 0);
    for (int i = 0; i < CHILDREN && status == 0; i++) {
        pid_t child = fork();

        if (child == 0) {
            alarm(SECONDS);
            close_session(&s);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    assert_int_equal(status, 0);
    asks = false;
    pthread_join(asking, NULL);
    close_session(&s);
    nothing_is_left();
    end();
}

typedef struct worker {
    session s;
    hbs_column columns[FEATURES];
    bool right;
    pthread_t thread;
} worker;

static void *work(void *context)
{
    worker *w = context;
    hbs_result result;
    hbs_error mine;

    w->right = true;
    for (int i = 0; i < 3 && w->right; i++)
        w->right = hbs_score(w->s.run, w->columns, FEATURES, ROWS, HBS_OUT_RAW, &result, &mine) == HBS_OK &&
                   memcmp(result.raw, wanted, ROWS * sizeof(double)) == 0;
    return NULL;
}

static void threads_have_queues_of_their_own(void **state)
{
    enum { THREADS = 4 };
    static worker workers[THREADS];
    session s = {0};

    begin();
    assert_status(open_session(&s, &error), HBS_OK, &error);
    look_at(0);
    for (int i = 0; i < THREADS; i++) {
        workers[i].s.run = test_run(&host.host, plan, ROWS);
        memcpy(workers[i].columns, columns, sizeof(columns));
        assert_status(hbs_run_use_device(workers[i].s.run, backend, s.device, s.program, &error), HBS_OK, &error);
        assert_status(hbs_score(workers[i].s.run, columns, FEATURES, 1, HBS_OUT_RAW, &(hbs_result){0}, &error), HBS_OK,
                      &error); /* allocates the results, as the host is no thread's */
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_true(workers[i].right);
        assert_int_equal(use_of(&workers[i].s).redone, 0);
        hbs_run_free(workers[i].s.run);
    }
    close_session(&s);
    nothing_is_left();
    end();
}

/* The fake beside this program; from then on "libcuda.so.1" is it. */
static void open_fake(const char *program)
{
    char path[4096];
    const char *slash = strrchr(program, '/');
    void *library;

    snprintf(path, sizeof(path), "%.*s/../gpu/fake/libcuda.so.1", slash ? (int)(slash - program) : 1,
             slash ? program : ".");
    library = dlopen(path, RTLD_NOW);
    if (!library || !(fake = dlsym(library, FAKE_CUDA_STATE))) {
        fprintf(stderr, "test_cuda: %s\n", dlerror());
        exit(1);
    }
    fresh = *fake;
    backend = hbscore_backend(HBS_BACKEND_API);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_have_the_bits_of_the_cpu),
        cmocka_unit_test(another_api_is_not_served),
        cmocka_unit_test(no_call_that_fails_loses_a_score),
        cmocka_unit_test(no_fault_behind_another_loses_a_score),
        cmocka_unit_test(a_refusal_says_why),
        cmocka_unit_test(memory_has_a_limit),
        cmocka_unit_test(memory_of_the_host_has_the_same_limit),
        cmocka_unit_test(a_device_that_hangs_is_left),
        cmocka_unit_test(a_host_that_stops_is_heard),
        cmocka_unit_test(a_host_may_stop_at_each_poll),
        cmocka_unit_test(a_child_leaves_the_device_alone),
        cmocka_unit_test(a_child_waits_for_no_mutex),
        cmocka_unit_test(threads_have_queues_of_their_own),
    };

    int failed;

    (void)argc;
    open_fake(argv[0]);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("class R7: %u cases, %d failures\n", cases, failed);
    return failed != 0;
}
