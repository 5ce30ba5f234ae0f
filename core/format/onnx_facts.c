/* onnx_facts.c - what hbscore_inspect tells of a graph beside its operators: inputs, outputs, and what the file's maker
 * has noted. */
#include <stdio.h>
#include <string.h>

#include "format/onnx.h"

/* A list that ends in ".." where there is no more room. */
typedef struct list {
    char text[256];
    size_t used;
    bool full;
} list;

static void append(list *l, const char *text, size_t n)
{
    enum { TAIL = 4 };

    if (l->full)
        return;
    if (l->used + n + TAIL > sizeof(l->text)) {
        l->full = true;
        text = "..";
        n = 2;
    }
    memcpy(l->text + l->used, text, n);
    l->used += n;
    l->text[l->used] = '\0';
}

static void append_word(list *l, const char *word)
{
    append(l, word, strlen(word));
}

/* "X float32 [N, 4]": N is any number of rows. */
static void append_port(list *l, const hb_onnx_port *port)
{
    char name[HB_EXCERPT_BUFFER], buffer[32], dim[32];

    append_word(l, l->used ? "; " : "");
    append_word(l, HB_SHOW(port->name, name));
    if (!port->is_tensor)
        return;
    append_word(l, " ");
    append_word(l, hb_onnx_type_name(port->type, buffer));
    for (size_t i = 0; port->has_shape && i < port->n_dims; i++) {
        if (port->dims[i] < 0)
            snprintf(dim, sizeof(dim), "%sN", i ? ", " : " [");
        else
            snprintf(dim, sizeof(dim), "%s%lld", i ? ", " : " [", (long long)port->dims[i]);
        append_word(l, dim);
    }
    append_word(l, port->has_shape && port->n_dims ? "]" : "");
}

static hbs_status add_ports(hb_onnx_file *file, const char *name, const hb_onnx_port *ports, size_t n)
{
    list l = {.used = 0};

    for (size_t i = 0; i < n && !l.full; i++)
        append_port(&l, &ports[i]);
    return hb_pipeline_fact(file->pipeline, name, "%s", l.text);
}

/* The first few notes of the file (metadata_props), "key = value" each. */
static hbs_status add_notes(hb_onnx_file *file)
{
    char key[HB_EXCERPT_BUFFER], value[HB_EXCERPT_BUFFER];
    hbs_status status = HBS_OK;

    for (size_t i = 0; status == HBS_OK && i < file->n_notes; i++)
        status = hb_pipeline_fact(file->pipeline, "metadata", "%s = %s", HB_SHOW(file->notes[i].key, key),
                                  HB_SHOW(file->notes[i].value, value));
    return status;
}

hbs_status hb_onnx_facts_add(hb_onnx_file *file)
{
    if (add_ports(file, "inputs", file->inputs, file->n_inputs) != HBS_OK ||
        add_ports(file, "outputs", file->outputs, file->n_outputs) != HBS_OK || add_notes(file) != HBS_OK)
        return hb_no_memory(file->pipeline->arena.memory, file->error);
    return HBS_OK;
}
