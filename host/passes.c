/* passes.c - the setting passes_off: names of the optimizer's passes, as one text. The core names the passes, so a new
 * one is known here at once. */
#include "host/host.h"

#include <stdio.h>
#include <string.h>

static const char all[] = "all";

static bool is_word(hbs_text text, const char *word)
{
    return strlen(word) == text.size && memcmp(word, text.bytes, text.size) == 0;
}

static uint32_t bits_of_all(void)
{
    uint32_t bits = 0, bit;

    for (size_t i = 0; hbs_pass_name(i, &bit); i++)
        bits |= bit;
    return bits;
}

/* 0: there is no such pass. */
static uint32_t bits_of_name(hbs_text name)
{
    const char *known;
    uint32_t bit;

    if (is_word(name, all))
        return bits_of_all();
    for (size_t i = 0; (known = hbs_pass_name(i, &bit)) != NULL; i++)
        if (is_word(name, known))
            return bit;
    return 0;
}

static hbs_status fail_unknown(hbs_text name, hbs_error *error)
{
    char known[HOST_PASSES];
    host_shown shown;

    return host_fail(error, HBS_E_ARGS, "no pass \"%s\"; passes_off is empty, \"all\" or names between commas: %s",
                     host_show(&shown, name.bytes, name.size), host_passes_list(UINT32_MAX, known));
}

static hbs_text without_spaces(hbs_text text)
{
    while (text.size > 0 && text.bytes[0] == ' ') {
        text.bytes++;
        text.size--;
    }
    while (text.size > 0 && text.bytes[text.size - 1] == ' ')
        text.size--;
    return text;
}

hbs_status host_passes_read(hbs_text text, uint32_t *off, hbs_error *error)
{
    const char *comma = NULL;

    *off = 0;
    if (without_spaces(text).size == 0)
        return HBS_OK;
    do {
        hbs_text name = text;
        uint32_t bits;

        comma = memchr(text.bytes, ',', text.size);
        if (comma)
            name.size = (size_t)(comma - text.bytes);
        name = without_spaces(name);
        bits = bits_of_name(name);
        if (bits == 0)
            return fail_unknown(name, error);
        *off |= bits;
        text.size -= comma ? (size_t)(comma + 1 - text.bytes) : text.size;
        text.bytes = comma ? comma + 1 : text.bytes;
    } while (comma);
    return HBS_OK;
}

const char *host_passes_list(uint32_t bits, char list[HOST_PASSES])
{
    const char *name;
    size_t used = 0;
    uint32_t bit;

    list[0] = 0;
    for (size_t i = 0; (name = hbs_pass_name(i, &bit)) != NULL; i++)
        if (bits & bit && used < HOST_PASSES)
            used += (size_t)snprintf(list + used, HOST_PASSES - used, "%s%s", used ? ", " : "", name);
    return list;
}

const char *host_passes_write(uint32_t off, char list[HOST_PASSES])
{
    return off && (off & bits_of_all()) == bits_of_all() ? all : host_passes_list(off, list);
}
