/* onnx_text_codes.c - texts of the row that operators read as a whole, and look up too. A feature's column has the code
 * that a text has in the feature's dictionary, or the place of the text itself (op/texts.h). Where a graph needs both
 * of one input, each column of texts has places, and an operator looks their codes up in a dictionary of its own. Texts
 * that are made of numbers get codes so as well. */
#include "format/onnx.h"
#include "format/vocabulary.h"

/* ---- which of both the nodes behind an input need */

enum { NEEDS_CODES = 1, NEEDS_WHOLE = 2, NEEDS_BOTH = NEEDS_CODES | NEEDS_WHOLE };

typedef struct needs {
    hb_onnx_file *file;
    uint8_t *of; /* [file->n_names] */
} needs;

static uint8_t *need_of(const needs *n, hbs_text name)
{
    const hb_onnx_value *value = name.size > 0 ? hb_onnx_named(n->file, name) : NULL;

    return value ? &n->of[value - n->file->values] : NULL;
}

static bool is_one_of(hbs_text op, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (hb_text_is(op, list[i]))
            return true;
    return false;
}

static bool moves_texts(const hb_onnx_node *node)
{
    static const char *const list[] = {"Identity",
                                       "Reshape",
                                       "Flatten",
                                       "Squeeze",
                                       "Unsqueeze",
                                       "Transpose",
                                       "Slice",
                                       "Split",
                                       "Gather",
                                       "Concat",
                                       "GatherElements",
                                       "Expand",
                                       "ArrayFeatureExtractor",
                                       "Tile"};

    return is_one_of(node->op, list, sizeof(list) / sizeof(list[0]));
}

static bool reads_whole_texts(const hb_onnx_node *node)
{
    static const char *const list[] = {"StringNormalizer", "Tokenizer", "TfIdfVectorizer", "MurmurHash3"};

    return is_one_of(node->op, list, sizeof(list) / sizeof(list[0]));
}

/* Texts are compared with constants by their codes, and else by their bytes. */
static uint8_t need_of_equal(const needs *n, const hb_onnx_node *node)
{
    for (size_t k = 0; k < node->n_inputs; k++) {
        const hb_onnx_value *value = hb_onnx_named(n->file, node->inputs[k]);

        if (value && value->form == HB_ONNX_CONSTANT)
            return NEEDS_CODES;
    }
    return NEEDS_BOTH;
}

/* To texts it moves them. */
static hbs_status need_of_cast(const needs *n, const hb_onnx_node *node, uint8_t moved, uint8_t *need)
{
    const hb_onnx_attribute *to;

    HB_TRY(hb_onnx_attribute_find(n->file, node, "to", HB_ONNX_KIND_INT, &to));
    *need = to && to->integer == HB_ONNX_STRING ? moved : NEEDS_WHOLE;
    return HBS_OK;
}

static uint8_t need_of_outputs(const needs *n, const hb_onnx_node *node)
{
    uint8_t all = 0;

    for (size_t k = 0; k < node->n_outputs; k++) {
        const uint8_t *of = need_of(n, node->outputs[k]);

        all |= of ? *of : 0;
    }
    return all;
}

static hbs_status add_needs(const needs *n, const hb_onnx_node *node)
{
    uint8_t need = NEEDS_CODES;

    if (moves_texts(node))
        need = need_of_outputs(n, node);
    else if (reads_whole_texts(node))
        need = NEEDS_WHOLE;
    else if (hb_text_is(node->op, "Equal"))
        need = need_of_equal(n, node);
    else if (hb_text_is(node->op, "Shape"))
        need = 0;
    else if (hb_text_is(node->op, "Cast"))
        HB_TRY(need_of_cast(n, node, need_of_outputs(n, node), &need));
    for (size_t k = 0; k < node->n_inputs; k++) {
        uint8_t *of = need_of(n, node->inputs[k]);

        if (of)
            *of |= need;
        HB_TRY(hb_worked(n->file->bytes.work, 32, n->file->error));
    }
    return HBS_OK;
}

hbs_status hb_onnx_choose_texts_form(hb_onnx_file *file)
{
    needs n = {file, hb_arena_array(&file->arena, file->n_names, 1)};
    bool both = false;

    if (!n.of)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = file->n_nodes; i-- > 0;)
        HB_TRY(add_needs(&n, &file->nodes[i]));
    for (size_t i = 0; i < file->n_inputs; i++) {
        const uint8_t *of = need_of(&n, file->inputs[i].name);

        both |= file->inputs[i].type == HB_ONNX_STRING && of && *of == NEEDS_BOTH;
    }
    if (!both)
        return HBS_OK;
    file->all_whole = true;
    return hb_onnx_claim_features(file);
}

/* ---- codes that an operator looks up */

size_t hb_onnx_add_codes(hb_onnx_file *file, size_t value, hb_text_source source, uint32_t dictionary)
{
    hb_onnx_codes *codes = hb_arena_array(&file->arena, 1, sizeof(*codes));

    if (!codes) {
        file->pipeline->graph.status = HBS_E_NOMEM;
        return 0;
    }
    codes->value = hb_pipeline_add(file->pipeline, HB_OPERATOR_TEXT_CODE, value, &(hb_fit_text_code){.source = source});
    codes->dictionary = dictionary;
    codes->next = file->codes;
    file->codes = codes;
    return codes->value;
}

hbs_status hb_onnx_give_dictionary(hb_onnx_file *file, hb_onnx_value *texts, uint32_t dictionary)
{
    hbs_status status;
    uint32_t *of = hb_onnx_columns(file, texts->width, &status);

    HB_TRY(status);
    for (size_t i = 0; i < texts->width; i++)
        of[i] = dictionary;
    texts->dictionaries = of;
    return HBS_OK;
}

hbs_status hb_onnx_to_codes(hb_onnx_file *file, hb_onnx_value *texts)
{
    uint32_t dictionary;

    if (!file->all_whole || texts->form != HB_ONNX_NUMBERS || texts->type != HB_ONNX_STRING || texts->dictionaries)
        return HBS_OK;
    dictionary = hb_dictionaries_add(&file->dictionaries);
    texts->value = hb_onnx_add_codes(file, hb_onnx_wide(file, texts), HB_SOURCE_TEXTS, dictionary);
    texts->columns = NULL;
    return hb_onnx_give_dictionary(file, texts, dictionary);
}

/* The words of an operator, once all are known. */
static hbs_status end_codes(hb_onnx_file *file, const hb_onnx_codes *codes)
{
    const hb_categories *c = hb_dictionaries_texts(&file->dictionaries, codes->dictionary);
    hb_pipeline *pipeline = file->pipeline;
    uint32_t *words = hb_arena_array(&file->arena, c->count, sizeof(*words));
    uint32_t *of = hb_arena_array(&pipeline->arena, c->count, sizeof(*of));
    hb_fit_text_code *fit;

    HB_TRY(hb_graph_check(&pipeline->graph, file->error));
    fit = hb_node_at(&pipeline->graph, codes->value)->fit;
    if (!words || !of)
        return hb_no_memory(file->arena.memory, file->error);
    HB_TRY(hb_words_make(pipeline, c->texts, c->count, &fit->words, words, file->error));
    for (uint32_t i = 0; i < c->count; i++)
        of[words[i]] = i;
    fit->codes = of;
    return hb_worked(file->bytes.work, c->count, file->error);
}

hbs_status hb_onnx_codes_end(hb_onnx_file *file)
{
    for (const hb_onnx_codes *codes = file->codes; codes; codes = codes->next)
        HB_TRY(end_codes(file, codes));
    return HBS_OK;
}
