/* model_edit.c - edits on the models of model_builder: model_builder.h shows them. */
#include "model_builder_private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A place in the document: a member or element of `container`, which may not be there yet. */
typedef struct place {
    md_value *container, *value;
    size_t index; /* into NUMBERS */
    char key[64]; /* empty: an element */
} place;

static md_value *start_of(mb_model *m, const char **path)
{
    const char *p = *path;

    if (*p == 'T' && isdigit((unsigned char)p[1])) {
        md_value *model = mb_inner_model(m), *trees = model ? md_member(model, "trees") : NULL;
        md_value *at = trees ? trees->first : NULL;

        for (long i = strtol(p + 1, (char **)(uintptr_t)path, 10); i > 0 && at; i--)
            at = at->next;
        return at;
    }
    if (!strchr("MBPOL", *p) || (p[1] != '.' && p[1] != ' ' && p[1] != '\0'))
        return m->root;
    *path = p + 1;
    switch (*p) {
    case 'M':
        return mb_inner_model(m);
    case 'B':
        return mb_at_path(m, "learner", "gradient_booster", NULL);
    case 'P':
        return mb_at_path(m, "learner", "learner_model_param", NULL);
    case 'O':
        return mb_at_path(m, "learner", "objective", NULL);
    default:
        return mb_at_path(m, "learner", NULL, NULL);
    }
}

static void step_into(place *at, const char *edit)
{
    if (at->container && !at->value)
        mb_mistake("no such path", edit);
    at->container = at->value;
    at->key[0] = '\0';
}

static void step_member(place *at, const char **path, const char *edit)
{
    size_t n = strcspn(*path, ".[ =");

    step_into(at, edit);
    if (n == 0 || n >= sizeof(at->key) || !at->container || at->container->kind != MD_OBJECT)
        mb_mistake("no such member", edit);
    memcpy(at->key, *path, n);
    at->key[n] = '\0';
    at->value = md_member(at->container, at->key);
    *path += n;
}

static void step_element(place *at, const char **path, const char *edit)
{
    char *end;
    size_t index = strtoul(*path + 1, &end, 10);

    if (*end != ']')
        mb_mistake("no such element", edit);
    *path = end + 1;
    step_into(at, edit);
    at->index = index;
    if (at->container->kind == MD_NUMBERS) {
        if (index >= at->container->count)
            mb_mistake("no such element", edit);
        at->value = NULL;
        return;
    }
    for (at->value = at->container->first; at->value && index; index--)
        at->value = at->value->next;
    if (!at->value)
        mb_mistake("no such element", edit);
}

static place find(mb_model *m, const char **path, const char *edit)
{
    place at = {0};

    at.value = start_of(m, path);
    if (!at.value)
        mb_mistake("no such start of a path", edit);
    if (at.value == m->root && **path != ' ' && **path != '.')
        step_member(&at, path, edit);
    while (**path == '.' || **path == '[') {
        if (**path == '.') {
            (*path)++;
            step_member(&at, path, edit);
        } else {
            step_element(&at, path, edit);
        }
    }
    while (**path == ' ' || **path == '=')
        (*path)++;
    return at;
}

/* New content under the old key and at the old place. */
static void overwrite(md_value *old, const md_value *fresh)
{
    md_value kept = *old;

    *old = *fresh;
    old->key = kept.key;
    old->next = kept.next;
}

static bool numbers_from(md_value *old, const md_value *fresh, md_pool *pool)
{
    size_t n = 0;

    if (old->kind != MD_NUMBERS || fresh->kind != MD_ARRAY)
        return false;
    for (const md_value *v = fresh->first; v; v = v->next, n++)
        if (v->kind != MD_INTEGER && v->kind != MD_REAL)
            return false;
    old->numbers = md_allocate(pool, n, sizeof(double));
    old->count = n;
    n = 0;
    for (const md_value *v = fresh->first; v; v = v->next)
        old->numbers[n++] = v->kind == MD_INTEGER ? (double)v->integer : v->real;
    md_widen(old);
    return true;
}

static md_value *element_of(mb_model *m, place *at)
{
    md_untype(&m->pool, at->container);
    at->value = at->container->first;
    for (size_t i = 0; i < at->index; i++)
        at->value = at->value->next;
    return at->value;
}

static void assign(mb_model *m, place *at, md_value *fresh)
{
    if (at->value) {
        if (!numbers_from(at->value, fresh, &m->pool))
            overwrite(at->value, fresh);
    } else if (at->key[0]) {
        md_put(&m->pool, at->container, at->key, fresh);
    } else if (fresh->kind == MD_INTEGER || fresh->kind == MD_REAL) {
        at->container->numbers[at->index] = fresh->kind == MD_INTEGER ? (double)fresh->integer : fresh->real;
        md_widen(at->container);
    } else {
        overwrite(element_of(m, at), fresh);
    }
}

static void add_member(mb_model *m, place *at, md_value *fresh, const char *edit)
{
    if (!at->key[0] || at->container->kind != MD_OBJECT)
        mb_mistake("nothing can be added here", edit);
    md_put(&m->pool, at->container, at->key, fresh);
}

static void add_element(place *at, md_value *fresh, const char *edit)
{
    if (!at->value || at->value->kind != MD_ARRAY)
        mb_mistake("no array", edit);
    md_append(at->value, fresh);
}

static void drop(place *at, const char *edit)
{
    md_value *c = at->container;

    if (at->value && c) {
        md_unlink(c, at->value);
    } else if (c && c->kind == MD_NUMBERS) {
        memmove(c->numbers + at->index, c->numbers + at->index + 1, (c->count - at->index - 1) * sizeof(double));
        c->count--;
    } else {
        mb_mistake("nothing to remove", edit);
    }
}

static md_value *raw_value(mb_model *m, const char *text)
{
    md_value *raw = md_new(&m->pool, MD_RAW);

    raw->bytes = text;
    raw->size = strlen(text);
    return raw;
}

static void set_marker(mb_model *m, place *at, char marker, const char *edit)
{
    if (!at->value || at->value->kind != MD_NUMBERS)
        mb_mistake("no array of numbers", edit);
    if (marker == '-')
        md_untype(&m->pool, at->value);
    else
        at->value->marker = marker;
}

static void edit_one(mb_model *m, const char *edit)
{
    const char *path = edit + (strchr("+&-!$#", *edit) ? 1 : 0);
    place at = find(m, &path, edit);
    md_value *fresh = NULL;

    if (*edit == '-') {
        drop(&at, edit);
    } else if (*edit == '$') {
        set_marker(m, &at, *path, edit);
    } else if (*edit == '#') {
        if (!at.value)
            mb_mistake("no array", edit);
        at.value->lies = true;
        at.value->declared = strtoll(path, NULL, 10);
    } else if (*edit == '!') {
        assign(m, &at, raw_value(m, path));
    } else {
        fresh = md_parse(&m->pool, &path);
        if (!fresh)
            mb_mistake("no value", edit);
        if (*edit == '+')
            add_member(m, &at, fresh, edit);
        else if (*edit == '&')
            add_element(&at, fresh, edit);
        else
            assign(m, &at, fresh);
    }
}

void mb_edit(mb_model *m, const char *edits)
{
    while (edits && *edits) {
        size_t n = strcspn(edits, "\n");

        if (n)
            edit_one(m, md_copy(&m->pool, edits, n));
        edits += n + (edits[n] == '\n');
    }
}

mb_bytes mb_edited(mb_sample kind, const char *edits, mb_encoding encoding)
{
    mb_model *m = mb_make(kind);
    mb_bytes bytes;

    mb_edit(m, edits);
    bytes = mb_write(m, encoding);
    mb_free(m);
    return bytes;
}
