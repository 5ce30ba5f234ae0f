/* vector.c - one growing array. Grows by half, so that appending n items costs O(n) and at most
 * half as much again in memory. */
#include "base/memory.h"

#include <string.h>

enum { FIRST_BYTES = 64 };

void hb_vector_init(hb_vector *vector, hb_memory *memory, size_t item_size)
{
    *vector = (hb_vector){.memory = memory, .item_size = item_size};
}

/* Its block; NULL where it has none. */
static char *block_of(const hb_vector *vector)
{
    return vector->items ? (char *)vector->items - vector->lead : NULL;
}

/* With the room in which the items begin with a large page. */
static bool block_bytes(const hb_vector *vector, size_t capacity, size_t *bytes)
{
    return hb_multiply(capacity, vector->item_size, bytes) && hb_add(*bytes, vector->lead ? HB_LARGE_PAGE : 0, bytes);
}

void hb_vector_release(hb_vector *vector)
{
    size_t bytes = 0;

    (void)block_bytes(vector, vector->capacity, &bytes);
    hb_release(vector->memory, block_of(vector), bytes);
    hb_vector_init(vector, vector->memory, vector->item_size);
}

/* A vector that begins large begins with a large page, if there is memory for that. Later its items stay where they are
 * in the block: to move them would cost more. */
static bool begin_large(hb_vector *vector, size_t capacity, size_t bytes)
{
    char *block = NULL;

    if (bytes >= 2 * HB_LARGE_PAGE && hb_add(bytes, HB_LARGE_PAGE, &bytes))
        block = hb_allocate(vector->memory, bytes);
    if (!block)
        return false;
    vector->lead = HB_LARGE_PAGE - (uintptr_t)block % HB_LARGE_PAGE;
    vector->items = block + vector->lead;
    vector->capacity = capacity;
    return true;
}

static bool set_capacity(hb_vector *vector, size_t capacity)
{
    size_t before = 0, bytes;

    if (!block_bytes(vector, capacity, &bytes)) {
        vector->memory->over_limit = true;
        return false;
    }
    if (!vector->items && begin_large(vector, capacity, bytes))
        return true;
    (void)block_bytes(vector, vector->capacity, &before);
    char *block = hb_resize(vector->memory, block_of(vector), before, bytes);

    if (!block)
        return false;
    vector->items = block + vector->lead;
    vector->capacity = capacity;
    return true;
}

/* A capacity between `needed` and `grown`. Near the memory's limit what is needed may still fit
 * where half as much again does not: then half of what is left is taken, so that each growth still
 * costs as much as many items and not as the few that are asked for. */
static size_t choose_capacity(const hb_vector *vector, size_t needed, size_t grown)
{
    const hb_memory *memory = vector->memory;

    if (memory->limit == 0)
        return grown;
    size_t left = memory->used < memory->limit ? memory->limit - memory->used : 0;
    size_t fits = left / vector->item_size; /* beside the old items, until they are moved */

    if (grown <= fits)
        return grown;
    return fits > needed ? needed + (fits - needed) / 2 : needed;
}

bool hb_vector_reserve(hb_vector *vector, size_t more)
{
    return hb_vector_expect(vector, more, more);
}

bool hb_vector_expect(hb_vector *vector, size_t more, size_t expected)
{
    size_t needed, wanted, grown;

    if (more <= vector->capacity - vector->count)
        return true;
    if (!hb_add(vector->count, more, &needed)) {
        vector->memory->over_limit = true;
        return false;
    }
    if (!hb_add(vector->count, expected, &wanted) || wanted < needed)
        wanted = needed;
    if (!hb_add(vector->capacity, vector->capacity / 2 + FIRST_BYTES / vector->item_size, &grown) || grown < wanted)
        grown = wanted;
    return set_capacity(vector, choose_capacity(vector, needed, grown));
}

void *hb_vector_append(hb_vector *vector, const void *items, size_t n)
{
    if (!hb_vector_reserve(vector, n) || (!vector->items && !set_capacity(vector, 1)))
        return NULL;
    char *first = (char *)vector->items + vector->count * vector->item_size;

    if (n && items)
        memcpy(first, items, n * vector->item_size);
    else if (n)
        memset(first, 0, n * vector->item_size);
    vector->count += n;
    return first;
}
