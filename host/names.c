/* names.c - names that were meant: the one that is found, or those that come nearest. */
#include "host/host.h"

#include <string.h>

static char lower_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int edit_distance(hbs_text a, hbs_text b)
{
    int row[HOST_MAX_NAME + 1];

    for (size_t j = 0; j <= b.size; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a.size; i++) {
        int diagonal = row[0];

        row[0] = (int)i;
        for (size_t j = 1; j <= b.size; j++) {
            bool same = lower_letter(a.bytes[i - 1]) == lower_letter(b.bytes[j - 1]);
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

static bool begins_with(hbs_text name, hbs_text beginning)
{
    if (name.size < beginning.size)
        return false;
    for (size_t i = 0; i < beginning.size; i++)
        if (lower_letter(name.bytes[i]) != lower_letter(beginning.bytes[i]))
            return false;
    return true;
}

bool host_is_near(hbs_text wanted, hbs_text name, int *far)
{
    enum { LEAST_BEGINNING = 3 };
    size_t longer = wanted.size > name.size ? wanted.size : name.size;
    int most = longer < 4 ? 1 : longer < 8 ? 2 : 3;

    if (wanted.size > HOST_MAX_NAME || name.size > HOST_MAX_NAME)
        return false;
    *far = edit_distance(wanted, name);
    return (*far <= most && (size_t)*far < longer) || (wanted.size >= LEAST_BEGINNING && begins_with(name, wanted));
}

void host_nearest_offer(host_nearest *best, hbs_text wanted, hbs_text name)
{
    int at = best->count, far;

    best->offered++;
    if (!host_is_near(wanted, name, &far))
        return;
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
