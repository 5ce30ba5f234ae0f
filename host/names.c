/* names.c - names that were meant: the one that is found, or those that come nearest. */
#include "host/host.h"

#include <string.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int distance(hbs_text a, hbs_text b)
{
    int row[HOST_MAX_NAME + 1];

    for (size_t j = 0; j <= b.size; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a.size; i++) {
        int diagonal = row[0];

        row[0] = (int)i;
        for (size_t j = 1; j <= b.size; j++) {
            bool same = lower(a.bytes[i - 1]) == lower(b.bytes[j - 1]);
            int best = diagonal + !same;

            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[b.size];
}

void host_nearest_offer(host_nearest *best, hbs_text wanted, hbs_text name)
{
    int at = best->count, far;

    if (wanted.size > HOST_MAX_NAME || name.size > HOST_MAX_NAME)
        return;
    far = distance(wanted, name);
    while (at > 0 && best->distance[at - 1] > far)
        at--;
    if (at == HOST_NEAREST)
        return;
    if (best->count < HOST_NEAREST)
        best->count++;
    for (int i = best->count - 1; i > at; i--) {
        best->distance[i] = best->distance[i - 1];
        best->name[i] = best->name[i - 1];
    }
    best->distance[at] = far;
    host_show(&best->name[at], name.bytes, name.size);
}

static bool equal(hbs_text a, hbs_text b, bool exactly)
{
    if (a.size != b.size)
        return false;
    if (exactly)
        return memcmp(a.bytes, b.bytes, a.size) == 0;
    for (size_t i = 0; i < a.size; i++)
        if (lower(a.bytes[i]) != lower(b.bytes[i]))
            return false;
    return true;
}

static int find(const hbs_text *names, size_t n_names, hbs_text wanted, bool exactly)
{
    int found = HOST_NO_NAME;

    for (size_t i = 0; i < n_names; i++)
        if (equal(names[i], wanted, exactly))
            found = found == HOST_NO_NAME ? (int)i : HOST_SEVERAL_NAMES;
    return found;
}

int host_find_name(const hbs_text *names, size_t n_names, hbs_text wanted)
{
    int found = find(names, n_names, wanted, true);

    return found == HOST_NO_NAME ? find(names, n_names, wanted, false) : found;
}
