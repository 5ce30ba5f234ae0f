/* onnx_svm.c - SVMClassifier and SVMRegressor, as libsvm has them: the kernel of the row and each support vector,
 * weighted sums of these, for each pair of classes one, and votes. In float64 of float32 parameters; the results round
 * once. */
#include <math.h>

#include "format/onnx_transforms.h"

typedef struct machine {
    const hb_onnx_value *in;
    size_t n_vectors, n_coefficients, n_rho;
    hb_onnx_transform post;
    float *vectors, *coefficients, *rho; /* [n_vectors][columns], .., the intercepts */
} machine;

/* ---- what both share */

static hbs_status read_machine(hb_onnx_file *file, const hb_onnx_node *node, machine *m)
{
    size_t n, columns;

    HB_TRY(hb_onnx_features(file, node, true, &m->in));
    HB_TRY(hb_onnx_transform_read(file, node, &m->post));
    HB_TRY(hb_onnx_floats(file, node, "support_vectors", &m->vectors, &n));
    HB_TRY(hb_onnx_floats(file, node, "coefficients", &m->coefficients, &m->n_coefficients));
    HB_TRY(hb_onnx_floats(file, node, "rho", &m->rho, &m->n_rho));
    columns = m->in->width;
    if (m->n_vectors == 0 || m->n_vectors > HB_MAX_OUTPUTS || n == 0)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "it has %zu support vectors, hbscore reads 1 to %d",
                              n ? m->n_vectors : 0, HB_MAX_OUTPUTS);
    if (n / m->n_vectors != columns || n % m->n_vectors != 0)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu numbers for %zu support vectors of %zu columns", n,
                              m->n_vectors, columns);
    return HBS_OK;
}

static const double *widened(hb_onnx_file *file, const float *numbers, size_t n)
{
    double *to = hb_arena_array(&file->pipeline->arena, n, sizeof(*to));

    for (size_t i = 0; to && i < n && hb_goes_on(file->bytes.work, 1); i++)
        to[i] = (double)numbers[i];
    return to;
}

static size_t map(hb_onnx_file *file, size_t value, hb_map_function function, double a, double b)
{
    return hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, value,
                           &(hb_fit_map){.function = function, .numbers = {a, b}});
}

/* The value to a power that is the same for all its columns. */
static hbs_status raise(hb_onnx_file *file, size_t n, double power, size_t *value)
{
    double *numbers = hb_arena_array(&file->pipeline->arena, n, sizeof(*numbers));

    if (!numbers)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < n; i++)
        numbers[i] = power;
    *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, *value,
                             &(hb_fit_combine){.function = HB_COMBINE_POWER, .n_outputs = n, .numbers = numbers});
    return HBS_OK;
}

/* The kernel of the row and each support vector. kernel_params: gamma, coef0, degree. */
static hbs_status add_kernel(hb_onnx_file *file, const hb_onnx_node *node, const machine *m, size_t *value)
{
    hb_fit_pairwise fit = {.n_vectors = m->n_vectors, .n_features = m->in->width};
    char shown[HB_EXCERPT_BUFFER];
    hbs_text kernel;
    float *p;
    size_t n;

    HB_TRY(hb_onnx_word(file, node, "kernel_type", "LINEAR", &kernel));
    HB_TRY(hb_onnx_floats(file, node, "kernel_params", &p, &n));
    if (n != 0 && n < 3)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu kernel_params, expected 3", n);
    if (n == 0 && !hb_text_is(kernel, "LINEAR"))
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has no kernel_params");
    fit.metric = hb_text_is(kernel, "RBF") ? HB_METRIC_SQUARED_EUCLIDEAN : HB_METRIC_DOT;
    fit.vectors = widened(file, m->vectors, m->n_vectors * m->in->width);
    if (!fit.vectors)
        return hb_no_memory(file->arena.memory, file->error);
    *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_PAIRWISE, hb_onnx_wide(file, m->in), &fit);
    if (hb_text_is(kernel, "LINEAR"))
        return HBS_OK;
    if (hb_text_is(kernel, "RBF")) {
        *value = map(file, map(file, *value, HB_MAP_LINEAR, -(double)p[0], 0), HB_MAP_EXP, 0, 0);
        return HBS_OK;
    }
    *value = map(file, *value, HB_MAP_LINEAR, (double)p[0], (double)p[1]);
    if (hb_text_is(kernel, "POLY"))
        return raise(file, m->n_vectors, (double)p[2], value);
    if (!hb_text_is(kernel, "SIGMOID"))
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its kernel is \"%s\"", HB_SHOW(kernel, shown));
    *value = map(file, *value, HB_MAP_TANH, 0, 0);
    return HBS_OK;
}

static size_t narrowed(hb_onnx_file *file, size_t value)
{
    hb_onnx_sums(file, HB_ONNX_FLOAT);
    return hb_pipeline_add(file->pipeline, HB_OPERATOR_NARROW, value, &(hb_fit_narrow){false});
}

/* ---- SVMRegressor */

hbs_status hb_onnx_svm_regressor(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value made = {.form = HB_ONNX_NUMBERS, .is_float32 = true, .width = 1};
    int64_t n_supports, one_class;
    hb_fit_dense fit;
    machine m = {0};
    size_t kernel = 0;

    HB_TRY(hb_onnx_integer(file, node, "n_supports", 0, &n_supports));
    HB_TRY(hb_onnx_integer(file, node, "one_class", 0, &one_class));
    m.n_vectors = n_supports > 0 ? (size_t)n_supports : 0;
    HB_TRY(read_machine(file, node, &m));
    if (m.n_coefficients != m.n_vectors || m.n_rho != 1)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu coefficients and %zu rho for %zu support vectors",
                              m.n_coefficients, m.n_rho, m.n_vectors);
    HB_TRY(add_kernel(file, node, &m, &kernel));
    fit = (hb_fit_dense){1, m.n_vectors, widened(file, m.coefficients, m.n_vectors), widened(file, m.rho, 1), false};
    if (!fit.weights || !fit.bias)
        return hb_no_memory(file->arena.memory, file->error);
    made.value = hb_pipeline_add(file->pipeline, HB_OPERATOR_DENSE, kernel, &fit);
    if (one_class) /* 1 above 0, else -1 */
        made.value = map(file, map(file, made.value, HB_MAP_SIGN, 0, 0), HB_MAP_LINEAR, 1, 0);
    made.value = narrowed(file, made.value);
    return hb_onnx_give(file, node, 0, &made);
}

/* ---- SVMClassifier */

typedef struct classifier {
    machine m;
    size_t n_classes, n_pairs;
    const int64_t *first; /* [n_classes + 1] support vector of each class */
    const hbs_value *classes;
} classifier;

static hbs_status read_classes(hb_onnx_file *file, const hb_onnx_node *node, classifier *c)
{
    const int64_t *per_class;
    int64_t *first;
    size_t n, n_labels;

    HB_TRY(hb_onnx_integers(file, node, node->n_inputs, "vectors_per_class", &per_class, &n));
    HB_TRY(hb_onnx_labels(file, node, "classlabels_ints", "classlabels_strings", &c->classes, &n_labels));
    if (n < 2 || n > 1024 || n_labels != n)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "it has %zu labels and support vectors of %zu classes, hbscore reads 2 to 1024 of both",
                              n_labels, n);
    first = hb_arena_array(&file->arena, n + 1, sizeof(*first));
    if (!first)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < n; i++) {
        if (per_class[i] < 0 || per_class[i] > HB_MAX_OUTPUTS)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "class %zu has %lld support vectors", i,
                                  (long long)per_class[i]);
        first[i + 1] = first[i] + per_class[i];
    }
    c->first = first;
    c->n_classes = n;
    c->n_pairs = n * (n - 1) / 2;
    c->m.n_vectors = (size_t)first[n];
    return HBS_OK;
}

static hbs_status check_classifier(hb_onnx_file *file, const hb_onnx_node *node, const classifier *c)
{
    if (c->n_pairs > HB_MAX_OUTPUTS)
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "it has %zu pairs of classes", c->n_pairs);
    if (c->m.n_coefficients != (c->n_classes - 1) * c->m.n_vectors || c->m.n_rho != c->n_pairs)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT,
                              "it has %zu coefficients and %zu rho for %zu classes and %zu support vectors",
                              c->m.n_coefficients, c->m.n_rho, c->n_classes, c->m.n_vectors);
    return HBS_OK;
}

/* The weights of a pair i < j: row j - 1 of the coefficients for vectors of i, row i for those of j. */
static size_t add_pair(const classifier *c, size_t i, size_t j, size_t n, uint32_t *columns, double *weights)
{
    const size_t classes[2] = {i, j}, rows[2] = {j - 1, i};

    for (int side = 0; side < 2; side++)
        for (int64_t v = c->first[classes[side]]; v < c->first[classes[side] + 1]; v++, n++) {
            columns[n] = (uint32_t)v;
            weights[n] = (double)c->m.coefficients[rows[side] * c->m.n_vectors + (size_t)v];
        }
    return n;
}

/* A decision for each pair: above 0 for its first class. */
static hbs_status add_decisions(hb_onnx_file *file, const classifier *c, size_t kernel, size_t *value)
{
    hb_arena *arena = &file->pipeline->arena;
    size_t n_weights = (c->n_classes - 1) * c->m.n_vectors, n = 0, pair = 0;
    uint32_t *ends = hb_arena_array(arena, c->n_pairs, sizeof(*ends));
    uint32_t *columns = hb_arena_array(arena, n_weights, sizeof(*columns));
    double *weights = hb_arena_array(arena, n_weights, sizeof(*weights));
    const double *rho = widened(file, c->m.rho, c->n_pairs);

    if (!ends || !columns || !weights || !rho)
        return hb_no_memory(arena->memory, file->error);
    for (size_t i = 0; i < c->n_classes; i++)
        for (size_t j = i + 1; j < c->n_classes; j++) {
            n = add_pair(c, i, j, n, columns, weights);
            ends[pair++] = (uint32_t)n;
        }
    *value = hb_pipeline_add(
        file->pipeline, HB_OPERATOR_SPARSE, kernel,
        &(hb_fit_sparse){.n_outputs = c->n_pairs, .csr = {n_weights, ends, columns, weights}, .bias = rho});
    return hb_worked(file->bytes.work, 4 * n_weights, file->error);
}

/* Each pair has a vote for one of its classes. */
static hbs_status add_votes(hb_onnx_file *file, const classifier *c, size_t decisions, size_t *value)
{
    hb_arena *arena = &file->pipeline->arena;
    size_t n_weights = c->n_classes * (c->n_classes - 1), n = 0;
    uint32_t *ends = hb_arena_array(arena, c->n_classes, sizeof(*ends));
    uint32_t *columns = hb_arena_array(arena, n_weights, sizeof(*columns));
    double *weights = hb_arena_array(arena, n_weights, sizeof(*weights));
    double *bias = hb_arena_array(arena, c->n_classes, sizeof(*bias));
    double *zeros = hb_arena_array(arena, c->n_pairs, sizeof(*zeros));

    if (!ends || !columns || !weights || !bias || !zeros)
        return hb_no_memory(arena->memory, file->error);
    for (size_t k = 0; k < c->n_classes; k++) {
        for (size_t other = 0; other < c->n_classes; other++) {
            size_t i = k < other ? k : other, j = k < other ? other : k;

            if (other == k)
                continue;
            columns[n] = (uint32_t)(i * (2 * c->n_classes - i - 1) / 2 + j - i - 1);
            weights[n++] = k < other ? 1 : -1;
        }
        ends[k] = (uint32_t)n;
        bias[k] = (double)k;
    }
    *value =
        hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, decisions,
                        &(hb_fit_combine){.function = HB_COMBINE_GREATER, .n_outputs = c->n_pairs, .numbers = zeros});
    *value = hb_pipeline_add(
        file->pipeline, HB_OPERATOR_SPARSE, *value,
        &(hb_fit_sparse){.n_outputs = c->n_classes, .csr = {n_weights, ends, columns, weights}, .bias = bias});
    return hb_worked(file->bytes.work, 4 * n_weights, file->error);
}

/* libsvm's: a logistic function of each decision, at least 1e-7 from 0 and 1, and these coupled. */
static hbs_status add_probabilities(hb_onnx_file *file, const hb_onnx_node *node, const classifier *c, size_t *value)
{
    hb_fit_combine multiply = {.function = HB_COMBINE_MULTIPLY, .n_outputs = c->n_pairs};
    hb_fit_combine add = {.function = HB_COMBINE_ADD, .n_outputs = c->n_pairs};
    float *a, *b;
    size_t n_a, n_b;

    HB_TRY(hb_onnx_floats(file, node, "prob_a", &a, &n_a));
    HB_TRY(hb_onnx_floats(file, node, "prob_b", &b, &n_b));
    if (n_a != c->n_pairs || n_b != c->n_pairs)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu prob_a and %zu prob_b for %zu pairs", n_a, n_b,
                              c->n_pairs);
    if (c->n_classes > HB_MAX_COUPLED)
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "it has probabilities of %zu classes, the limit is %d",
                              c->n_classes, HB_MAX_COUPLED);
    multiply.numbers = widened(file, a, n_a);
    add.numbers = widened(file, b, n_b);
    if (!multiply.numbers || !add.numbers)
        return hb_no_memory(file->arena.memory, file->error);
    *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, *value, &multiply);
    *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, *value, &add);
    *value = map(file, map(file, *value, HB_MAP_NEGATIVE, 0, 0), HB_MAP_LOGISTIC, 0, 0);
    *value = map(file, *value, HB_MAP_CLIP, 1e-7, 1 - 1e-7);
    *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_COUPLING, *value, &(hb_fit_coupling){c->n_classes});
    return HBS_OK;
}

/* The two numbers of two classes without probabilities, as ONNX Runtime writes them: -d, d; after LOGISTIC 1 - p, p;
 * after SOFTMAX and SOFTMAX_ZERO, which it leaves out, 1 - d, d. */
static hbs_status add_two(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_transform post, size_t *value)
{
    static const uint32_t same[2] = {0, 0};
    static const double signs[2] = {-1, 1}, ends[2] = {1, 0};
    hb_fit_combine multiply = {.function = HB_COMBINE_MULTIPLY, .n_outputs = 2, .first = same, .numbers = signs};
    hb_fit_combine add = {.function = HB_COMBINE_ADD, .n_outputs = 2, .numbers = ends};

    if (post == HB_ONNX_PROBIT)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "it has one score for two classes and post_transform PROBIT, of which ONNX Runtime gives "
                              "only the first number");
    if (post == HB_ONNX_LOGISTIC)
        *value = map(file, *value, HB_MAP_LOGISTIC, 0, 0);
    *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, *value, &multiply);
    if (post != HB_ONNX_TRANSFORM_NONE)
        *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, *value, &add);
    return HBS_OK;
}

/* Probabilities; or the decisions of all pairs. */
static hbs_status give_scores(hb_onnx_file *file, const hb_onnx_node *node, const classifier *c, size_t decisions,
                              hb_onnx_value *made)
{
    const hb_onnx_attribute *a;
    size_t value = decisions;

    HB_TRY(hb_onnx_attribute_find(file, node, "prob_a", HB_ONNX_KIND_FLOATS, &a));
    made->form = HB_ONNX_NUMBERS;
    made->meaning = a && a->count ? HB_ONNX_PROBABILITIES : HB_ONNX_SCORES;
    made->width = made->meaning == HB_ONNX_PROBABILITIES || c->n_classes == 2 ? c->n_classes : c->n_pairs;
    if (made->meaning == HB_ONNX_PROBABILITIES)
        HB_TRY(add_probabilities(file, node, c, &value));
    else if (c->n_classes == 2)
        HB_TRY(add_two(file, node, c->m.post, &value));
    made->value = narrowed(file, value);
    if (made->meaning == HB_ONNX_PROBABILITIES || c->n_classes > 2)
        HB_TRY(hb_onnx_transform_add(file, c->m.post, made->width, &made->value));
    else if (c->m.post == HB_ONNX_LOGISTIC)
        made->meaning = HB_ONNX_PROBABILITIES;
    return hb_onnx_give(file, node, 1, made);
}

hbs_status hb_onnx_svm_classifier(hb_onnx_file *file, const hb_onnx_node *node)
{
    classifier c = {.n_classes = 0};
    size_t kernel = 0, decisions = 0, votes = 0;
    hb_onnx_value made;

    HB_TRY(read_classes(file, node, &c));
    HB_TRY(read_machine(file, node, &c.m));
    HB_TRY(check_classifier(file, node, &c));
    HB_TRY(add_kernel(file, node, &c.m, &kernel));
    HB_TRY(add_decisions(file, &c, kernel, &decisions));
    HB_TRY(add_votes(file, &c, decisions, &votes));
    made = (hb_onnx_value){.form = HB_ONNX_LABEL,
                           .value = votes,
                           .width = c.n_classes,
                           .model = node,
                           .classes = c.classes,
                           .n_classes = c.n_classes,
                           .head = {.rule = HB_HEAD_ARGMAX}};
    HB_TRY(hb_onnx_give(file, node, 0, &made));
    made.is_float32 = true;
    return give_scores(file, node, &c, decisions, &made);
}
