/* onnx_classes.c - what classifiers in ONNX give: a label, which the scores decide, and the scores after a
 * post_transform. */
#include "format/onnx_transforms.h"

#include "ir/labels.h"

/* ---- labels */

static hbs_status read_integers(hb_onnx_file *file, const hb_onnx_attribute *list, hbs_value *labels)
{
    hb_onnx_items items = hb_onnx_items_of(list);

    for (size_t i = 0; i < list->count; i++)
        labels[i] = (hbs_value){.type = HBS_INT64, .as.i64 = hb_onnx_next_integer(&items)};
    return file->bytes.status;
}

/* `field` has the texts, of a tensor or of an attribute. */
static hbs_status read_texts(hb_onnx_file *file, const hb_onnx_node *node, const hb_message *body, uint32_t field,
                             size_t n, hbs_value *labels)
{
    hb_repeated texts = hb_repeated_begin(body, field, HB_WIRE_BYTES);

    for (size_t i = 0; i < n; i++) {
        labels[i].type = HBS_TEXT;
        hb_repeated_text(&texts, &labels[i].as.text);
        if (!hb_utf8_valid(labels[i].as.text.bytes, labels[i].as.text.size))
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "label %zu is no UTF-8", i);
    }
    return file->bytes.status;
}

hbs_status hb_onnx_labels(hb_onnx_file *file, const hb_onnx_node *node, const char *integers, const char *texts,
                          const hbs_value **classes, size_t *n)
{
    enum { STRINGS = 9 };
    const hb_onnx_attribute *of_integers, *of_texts, *list;
    hbs_value *labels;

    *n = 0;
    HB_TRY(hb_onnx_attribute_find(file, node, integers, HB_ONNX_KIND_INTS, &of_integers));
    HB_TRY(hb_onnx_attribute_find(file, node, texts, HB_ONNX_KIND_TEXTS, &of_texts));
    list = of_texts && of_texts->count ? of_texts : of_integers;
    if (of_integers && of_texts && of_integers->count && of_texts->count)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has labels of both kinds, %s and %s", integers, texts);
    if (!list)
        return HBS_OK;
    if (list->count > HB_MAX_OUTPUTS)
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "it has %zu labels, the limit is %d", list->count,
                              HB_MAX_OUTPUTS);
    labels = hb_arena_array(&file->arena, list->count, sizeof(*labels));
    if (!labels)
        return hb_no_memory(file->arena.memory, file->error);
    HB_TRY(list == of_texts ? read_texts(file, node, &list->body, STRINGS, list->count, labels)
                            : read_integers(file, list, labels));
    *classes = labels;
    *n = list->count;
    return HBS_OK;
}

/* ---- the label that a graph looks up */

static hbs_status read_table(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_tensor *table,
                             hbs_value *labels)
{
    enum { STRING_DATA = 6 };
    hb_onnx_items items = hb_onnx_items_of_tensor(table);

    if (table->type == HB_ONNX_STRING)
        return read_texts(file, node, &table->body, STRING_DATA, table->count, labels);
    for (size_t i = 0; i < table->count; i++)
        labels[i] = (hbs_value){.type = HBS_INT64, .as.i64 = hb_onnx_next_integer(&items)};
    return file->bytes.status;
}

hbs_status hb_onnx_label_of_place(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_tensor *table,
                                  const hb_onnx_value *place)
{
    hb_onnx_value label = {.form = HB_ONNX_LABEL, .head = {.rule = HB_HEAD_ARGMAX}, .place_of = place->place_of};
    hbs_value *labels = hb_arena_array(&file->arena, table->count, sizeof(*labels));

    if (!labels)
        return hb_no_memory(file->arena.memory, file->error);
    if (table->type != HB_ONNX_STRING && table->type != HB_ONNX_INT64 && table->type != HB_ONNX_INT32)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads labels that are integers or texts");
    if (table->count != place->place_of->width)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu labels for %zu numbers", table->count,
                              place->place_of->width);
    HB_TRY(read_table(file, node, table, labels));
    label.value = hb_onnx_selected(file, place->place_of);
    label.is_float32 = place->place_of->is_float32 && !place->place_of->columns;
    label.width = label.n_classes = table->count;
    label.classes = labels;
    return hb_onnx_give(file, node, 0, &label);
}

/* ---- classifiers */

/* Names the scores after what post_transform makes of them. Of a pair with one score ONNX Runtime transforms by
 * LOGISTIC alone, and by PROBIT it leaves the second number as it finds it in memory. */
static hbs_status transform(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_classifier *c,
                            hb_onnx_value *numbers)
{
    hb_onnx_transform post;

    HB_TRY(hb_onnx_transform_read(file, node, &post));
    if (c->is_pair && post == HB_ONNX_PROBIT)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "it has one score for two classes and post_transform PROBIT, of which ONNX Runtime gives "
                              "only the first number");
    numbers->meaning = c->are_probabilities ? HB_ONNX_PROBABILITIES : HB_ONNX_SCORES;
    if (post == HB_ONNX_TRANSFORM_NONE || (c->is_pair && post != HB_ONNX_LOGISTIC))
        return HBS_OK;
    if (c->width == 1) /* a number that is no probability of either class */
        return hb_onnx_transform_targets(file, post, 1, &numbers->value);
    numbers->meaning = HB_ONNX_PROBABILITIES;
    return hb_onnx_transform_add(file, post, c->is_pair ? 1 : c->width, &numbers->value);
}

hbs_status hb_onnx_classify(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_classifier *c)
{
    hb_onnx_value label = {.form = HB_ONNX_LABEL,
                           .value = c->scores,
                           .width = c->width,
                           .is_float32 = true,
                           .model = node,
                           .classes = c->classes,
                           .n_classes = c->n_classes,
                           .head = c->head};
    hb_onnx_value numbers = label;

    if (c->decision) {
        label.value = c->decision;
        label.is_float32 = false;
    }
    numbers.form = HB_ONNX_NUMBERS;
    numbers.is_pair = c->is_pair;
    numbers.is_complement = c->is_complement;
    HB_TRY(transform(file, node, c, &numbers));
    HB_TRY(hb_onnx_give(file, node, 0, &label));
    return hb_onnx_give(file, node, 1, &numbers);
}

/* ---- ZipMap */

/* The keys of numbers that no classifier has made are looked at beside the label. */
static hbs_status zip_numbers(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value in, const hbs_value *keys,
                              size_t n)
{
    if (n != in.width)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu labels for %zu numbers", n, in.width);
    in.classes = keys;
    in.n_classes = n;
    return hb_onnx_give(file, node, 0, &in);
}

/* A map for each row, from labels to numbers: hbscore has the labels of the classifier, which must be the same. */
hbs_status hb_onnx_zipmap(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hbs_value *keys = NULL;
    const hb_onnx_value *in;
    size_t n;

    HB_TRY(hb_onnx_numbers(file, node, 0, true, &in));
    HB_TRY(hb_onnx_labels(file, node, "classlabels_int64s", "classlabels_strings", &keys, &n));
    if (!in->model)
        return zip_numbers(file, node, *in, keys, n);
    if (n != in->width || n != in->n_classes)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu labels for %zu numbers", n, in->width);
    for (size_t i = 0; i < n; i++) {
        HB_TRY(hb_worked(file->bytes.work, 4, file->error));
        if (keys[i].type != in->classes[i].type || !hb_label_equal(&keys[i], &in->classes[i]))
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "label %zu is not that of the classifier", i);
    }
    return hb_onnx_give(file, node, 0, in);
}
