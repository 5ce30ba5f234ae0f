/* peers_onnx.c - ONNX Runtime's C API: the graph's last output, by one thread. The table of functions is laid out as
 * its first version fixed it: functions are added at the end only, so that places count. */
#include "peers.h"

#include "../common/driven.h"

#include <stdint.h>

enum {
    API_VERSION = 1,
    GET_ERROR = 2,
    CREATE_ENV = 3,
    CREATE_SESSION = 7,
    RUN = 9,
    CREATE_OPTIONS = 10,
    SET_THREADS = 24,
    SESSION_OUTPUTS = 31,
    SESSION_INPUT_NAME = 36,
    SESSION_OUTPUT_NAME = 37,
    CREATE_TENSOR = 49,
    TENSOR_DATA = 51,
    TENSOR_SHAPE = 65,
    SHAPE_COUNT = 64,
    CPU_MEMORY = 69,
    DEFAULT_ALLOCATOR = 78,
    RELEASE_VALUE = 96,
    FATAL = 4,
    FLOAT = 1,
    ARENA = 1,
    DEFAULT_MEMORY = 0
};

typedef void (*any_function)(void);

typedef struct api_base {
    const any_function *(*get)(uint32_t version);
    const char *(*version)(void);
} api_base;

typedef struct onnx {
    peer_input in;
    const any_function *api;
    void *session, *memory;
    char *input, *output;
    size_t outputs;
} onnx;

typedef void *(*create_env_t)(int level, const char *name, void **env);
typedef void *(*create_options_t)(void **options);
typedef void *(*set_threads_t)(void *options, int threads);
typedef void *(*create_session_t)(void *env, const char *path, void *options, void **session);
typedef void *(*allocator_t)(void **allocator);
typedef void *(*name_t)(void *session, size_t index, void *allocator, char **name);
typedef void *(*count_t)(void *thing, size_t *count);
typedef void *(*memory_t)(int kind, int type, void **memory);
typedef void *(*tensor_t)(void *memory, void *data, size_t bytes, const int64_t *shape, size_t n, int type,
                          void **tensor);
typedef void *(*run_t)(void *session, void *options, char *const *inputs, void *const *values, size_t n_inputs,
                       char *const *outputs, size_t n_outputs, void **results);
typedef void *(*data_t)(void *tensor, void **data);
typedef void *(*shape_t)(void *tensor, void **shape);
typedef void (*release_t)(void *value);
typedef const char *(*error_t)(void *status);

#define CALL(o, type, place) ((type)(o)->api[place])

static void check(const onnx *o, void *status)
{
    if (status)
        driven_stop("ONNX Runtime", CALL(o, error_t, GET_ERROR)(status));
}

/* The result's tensor; what it holds is laid out as [row][output]. */
static void *score(const onnx *o, size_t first, size_t batch)
{
    const int64_t shape[2] = {(int64_t)batch, (int64_t)o->in.features};
    float *rows = o->in.matrix + first * o->in.features;
    void *input, *result = NULL;

    check(o, CALL(o, tensor_t, CREATE_TENSOR)(o->memory, rows, batch * o->in.features * sizeof(*rows), shape, 2, FLOAT,
                                              &input));
    check(o, CALL(o, run_t, RUN)(o->session, NULL, &o->input, &input, 1, &o->output, 1, &result));
    CALL(o, release_t, RELEASE_VALUE)(input);
    return result;
}

static void widen(const onnx *o, void *result, size_t count, double *scores)
{
    void *data;

    check(o, CALL(o, data_t, TENSOR_DATA)(result, &data));
    for (size_t i = 0; i < count; i++)
        scores[i] = ((const float *)data)[i];
}

static long long predict(void *context, size_t first, size_t batch, size_t turns, double *scores)
{
    const onnx *o = context;
    long long begin = driven_now(), ns;
    void *result = NULL;

    for (size_t i = 0; i < turns; i++) {
        if (result)
            CALL(o, release_t, RELEASE_VALUE)(result);
        result = score(o, first + i * batch, batch);
    }
    ns = driven_now() - begin;
    if (scores)
        widen(o, result, batch * o->outputs, scores);
    CALL(o, release_t, RELEASE_VALUE)(result);
    return ns;
}

static void open_session(onnx *o)
{
    void *env, *options, *allocator;
    size_t outputs;

    check(o, CALL(o, create_env_t, CREATE_ENV)(FATAL, "bench", &env));
    check(o, CALL(o, create_options_t, CREATE_OPTIONS)(&options));
    check(o, CALL(o, set_threads_t, SET_THREADS)(options, 1));
    check(o, CALL(o, create_session_t, CREATE_SESSION)(env, o->in.model, options, &o->session));
    check(o, CALL(o, allocator_t, DEFAULT_ALLOCATOR)(&allocator));
    check(o, CALL(o, count_t, SESSION_OUTPUTS)(o->session, &outputs));
    check(o, CALL(o, name_t, SESSION_INPUT_NAME)(o->session, 0, allocator, &o->input));
    check(o, CALL(o, name_t, SESSION_OUTPUT_NAME)(o->session, outputs - 1, allocator, &o->output));
    check(o, CALL(o, memory_t, CPU_MEMORY)(ARENA, DEFAULT_MEMORY, &o->memory));
}

peer peer_onnx(const peer_input *in)
{
    onnx *o = driven_room(sizeof(*o));
    const api_base *(*get_base)(void);
    void *result, *shape;

    o->in = *in;
    peer_function(peer_open(in->library), "OrtGetApiBase", &get_base);
    o->api = get_base()->get(API_VERSION);
    open_session(o);
    result = score(o, 0, 1);
    check(o, CALL(o, shape_t, TENSOR_SHAPE)(result, &shape));
    check(o, CALL(o, count_t, SHAPE_COUNT)(shape, &o->outputs));
    CALL(o, release_t, RELEASE_VALUE)(result);
    return (peer){o, o->outputs, predict};
}
