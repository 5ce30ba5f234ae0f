/* memory.c - the host's allocator, counted and bounded. The core calls the host nowhere else. */
#include "base/memory.h"

#include <string.h>

void hb_memory_init(hb_memory *memory, const hbs_host *host, size_t limit)
{
    *memory = (hb_memory){.host = *host, .limit = limit, .work = hb_work_of(host)};
}

void hb_memory_allow(hb_memory *memory, size_t more)
{
    if (memory->limit != 0 && !hb_add(memory->limit, more, &memory->limit))
        memory->limit = SIZE_MAX;
}

/* Whether `more` bytes may be taken on top of what is held. */
static bool within_limit(hb_memory *memory, size_t more)
{
    size_t sum;

    memory->over_limit = !hb_add(memory->used, more, &sum) || (memory->limit != 0 && sum > memory->limit);
    return !memory->over_limit;
}

static void count_more(hb_memory *memory, size_t more)
{
    memory->used += more;
    if (memory->used > memory->peak)
        memory->peak = memory->used;
}

/* ---- lent memory */

enum { LENT_ALIGNMENT = 64 };

void hb_memory_lend(hb_memory *memory, void *begin, size_t size)
{
    uintptr_t before = -(uintptr_t)begin % LENT_ALIGNMENT;
    size_t usable = size > before ? (size - before) / LENT_ALIGNMENT * LENT_ALIGNMENT : 0;

    memory->lent = usable ? (char *)begin + before : NULL;
    memory->lent_end = memory->lent_last = usable ? memory->lent + usable : NULL;
}

static size_t lent_size(size_t size)
{
    return size ? (size + LENT_ALIGNMENT - 1) / LENT_ALIGNMENT * LENT_ALIGNMENT : LENT_ALIGNMENT;
}

static bool fits_lent(const hb_memory *memory, size_t size)
{
    /* what is left is a multiple of the alignment */
    return memory->lent != memory->lent_end && size <= (size_t)(memory->lent_end - memory->lent);
}

void *hb_take_lent(hb_memory *memory, size_t size)
{
    char *begin = memory->lent;

    if (!fits_lent(memory, size))
        return NULL;
    memory->lent += lent_size(size);
    return begin;
}

static bool is_lent(const hb_memory *memory, const void *block)
{
    return (uintptr_t)block >= (uintptr_t)memory->lent_end && (uintptr_t)block < (uintptr_t)memory->lent_last;
}

static void *allocate_block(hb_memory *memory, size_t size)
{
    if (!fits_lent(memory, size))
        return memory->host.allocate(memory->host.context, size ? size : 1);
    memory->lent_end -= lent_size(size);
    return memory->lent_end;
}

static void release_block(hb_memory *memory, void *block, size_t size)
{
    if (!is_lent(memory, block))
        memory->host.release(memory->host.context, block);
    else if (block == memory->lent_end)
        memory->lent_end += lent_size(size);
}

static void *resize_block(hb_memory *memory, void *block, size_t old_size, size_t new_size)
{
    void *moved;

    if (!is_lent(memory, block))
        return memory->host.resize(memory->host.context, block, new_size ? new_size : 1);
    if (lent_size(new_size) <= lent_size(old_size))
        return block;
    moved = allocate_block(memory, new_size);
    if (!moved)
        return NULL;
    memcpy(moved, block, old_size);
    release_block(memory, block, old_size);
    return moved;
}

/* ---- */

void *hb_allocate(hb_memory *memory, size_t size)
{
    if (!within_limit(memory, size))
        return NULL;
    void *block = allocate_block(memory, size);

    if (block)
        count_more(memory, size);
    return block;
}

void *hb_resize(hb_memory *memory, void *block, size_t old_size, size_t new_size)
{
    if (!block)
        return hb_allocate(memory, new_size);
    if (new_size > old_size && !within_limit(memory, new_size)) /* the host may hold both at once */
        return NULL;
    memory->over_limit = false;
    void *moved = resize_block(memory, block, old_size, new_size);

    if (!moved)
        return NULL;
    count_more(memory, new_size);
    memory->used -= old_size;
    return moved;
}

void hb_release(hb_memory *memory, void *block, size_t size)
{
    if (!block)
        return;
    memory->used -= size;
    release_block(memory, block, size);
}

hbs_status hb_no_memory(const hb_memory *memory, hbs_error *error)
{
    if (memory->over_limit)
        return hb_fail(error, HBS_E_LIMIT, "needs more than its limit of %zu bytes of memory", memory->limit);
    return hb_fail(error, HBS_E_NOMEM, "out of memory");
}

hbs_status hb_poll(const hbs_host *host, hbs_error *error)
{
    if (host->cancelled && host->cancelled(host->context))
        return hb_fail(error, HBS_E_CANCEL, "cancelled");
    return HBS_OK;
}

bool hb_multiply(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

bool hb_add(size_t a, size_t b, size_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}
