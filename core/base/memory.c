/* memory.c - the host's allocator, counted and bounded. The core calls the host nowhere else. */
#include "base/memory.h"

void hb_memory_init(hb_memory *memory, const hbs_host *host, size_t limit)
{
    *memory = (hb_memory){.host = *host, .limit = limit};
}

/* Whether `more` bytes may be taken on top of what is held. */
static bool within_limit(hb_memory *memory, size_t more)
{
    size_t sum;

    memory->over_limit =
        !hb_add(memory->used, more, &sum) || (memory->limit != 0 && sum > memory->limit);
    return !memory->over_limit;
}

static void count_more(hb_memory *memory, size_t more)
{
    memory->used += more;
    if (memory->used > memory->peak)
        memory->peak = memory->used;
}

void *hb_allocate(hb_memory *memory, size_t size)
{
    if (!within_limit(memory, size))
        return NULL;
    void *block = memory->host.allocate(memory->host.context, size ? size : 1);

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
    void *moved = memory->host.resize(memory->host.context, block, new_size ? new_size : 1);

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
    memory->host.release(memory->host.context, block);
}

hbs_status hb_no_memory(const hb_memory *memory, hbs_error *error)
{
    if (memory->over_limit)
        return hb_fail(error, HBS_E_LIMIT, "needs more than its limit of %zu bytes of memory",
                       memory->limit);
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

bool hb_align_up(size_t size, size_t alignment, size_t *aligned)
{
    size_t sum;

    if (!hb_add(size, alignment - 1, &sum))
        return false;
    *aligned = sum & ~(alignment - 1);
    return true;
}
