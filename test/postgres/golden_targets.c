/* golden_targets.c - the labels of several outputs in the JSON of predict_json, as their places among the classes of
 * their output: what the core and a golden have where some labels are texts. */
#include "golden_postgres.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CLASSES = 64, LABEL_TEXT = 256 };

/* Behind a string, a number or a word. */
static const char *skip_label(const char *at)
{
    if (*at != '"')
        return at + strcspn(at, ",] ");
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    return at + (*at == '"');
}

/* Label k of the list "prediction". False: there is none. */
static bool find_label(const char *json, size_t k, const char **label, size_t *size)
{
    const char *at = strstr(json, "\"prediction\":");

    at = at ? strchr(at, '[') : NULL;
    for (; at && (*at == '[' || *at == ','); k--) {
        at += 1 + strspn(at + 1, " ");
        *label = at;
        at = skip_label(at);
        *size = (size_t)(at - *label);
        if (k == 0)
            return true;
    }
    return false;
}

/* The core's list, if each output's label is its one at `place`: null where an output has no such place. */
static const char *core_json(const gp_model *m, size_t place, char *buffer, size_t size)
{
    double *places = rg_need(m->info.values_width, sizeof(*places));
    const hbs_result result = {.rows = 1, .values = places};
    size_t length;

    for (size_t k = 0; k < m->info.values_width; k++)
        places[k] = (double)place;
    length = hbs_format_result(m->run, &result, 0, "m", buffer, size);
    free(places);
    return length < size ? buffer : "";
}

/* MOST_CLASSES: none of them. */
static size_t place_of(const gp_model *m, size_t k, const char *label, size_t size)
{
    char buffer[MOST_CLASSES * LABEL_TEXT];
    const char *known;
    size_t known_size, place = 0;

    for (; place < MOST_CLASSES; place++)
        if (find_label(core_json(m, place, buffer, sizeof(buffer)), k, &known, &known_size) && known_size == size &&
            memcmp(known, label, size) == 0)
            break;
    return place;
}

size_t gp_targets(const gp_model *m, const char *json, double *numbers)
{
    const char *label;
    size_t size, n = 0;

    while (n < m->info.values_width && find_label(json, n, &label, &size)) {
        size_t place = place_of(m, n, label, size);

        if (place == MOST_CLASSES)
            return 0;
        numbers[n++] = (double)place;
    }
    return n;
}
