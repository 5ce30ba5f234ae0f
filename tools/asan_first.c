/* asan_first.c - preloaded behind libasan into PostgreSQL's server, so that the sanitizer starts before all else.
 *
 * It starts at the first allocation, and looks up a function that is not there, which asks gettext for the text of the
 * error. libgpg-error, which the server is linked to, allocates while it holds gettext's lock: the server would wait
 * for itself. This library is linked with -z initfirst. */
#include <stdlib.h>

__attribute__((constructor)) static void start_the_sanitizer(void)
{
    void *volatile block = malloc(1);

    free(block);
}
