/* arena.c - many small pieces in few blocks of the host, freed together.
 *
 * Hosts promise alignment for any C type only (SQLite's and PostgreSQL's allocators: 8 bytes), so
 * that the 16 bytes are made here. */
#include "base/memory.h"

#include <string.h>

enum { ALIGNMENT = 16, FIRST_BLOCK = 4096, LARGEST_BLOCK = 64 * 1024 };

struct hb_arena_block {
    hb_arena_block *previous;
    size_t size;  /* of the whole block, as allocated */
    size_t place; /* of the next piece, from the block's begin */
};

void hb_arena_init(hb_arena *arena, hb_memory *memory)
{
    *arena = (hb_arena){.memory = memory};
}

void hb_arena_release(hb_arena *arena)
{
    while (arena->last) {
        hb_arena_block *block = arena->last;

        arena->last = block->previous;
        hb_release(arena->memory, block, block->size);
    }
}

/* The offset in the block at which an aligned piece can start; at most size + ALIGNMENT - 1. */
static size_t aligned_place(const hb_arena_block *block)
{
    uintptr_t address = (uintptr_t)block + block->place;

    return block->place + (size_t)(-address & (ALIGNMENT - 1));
}

static void *take_from_chunk(hb_arena_block *block, size_t size)
{
    size_t place = aligned_place(block);

    if (place > block->size || size > block->size - place)
        return NULL;
    block->place = place + size;
    return (char *)block + place;
}

/* A new block for a piece of `size` bytes. Pieces too big to share a block get their own, which is
 * linked behind the last one, so that the room left there stays in use. */
static hb_arena_block *add_block(hb_arena *arena, size_t size)
{
    hb_arena_block *last = arena->last;
    size_t shared = last ? last->size * 2 : FIRST_BLOCK;
    size_t needed;

    if (shared < FIRST_BLOCK)
        shared = FIRST_BLOCK;
    if (shared > LARGEST_BLOCK)
        shared = LARGEST_BLOCK;
    if (!hb_add(size, sizeof(hb_arena_block) + ALIGNMENT, &needed)) {
        arena->memory->over_limit = true;
        return NULL;
    }
    bool alone = needed > shared / 4;
    size_t block_size = alone ? needed : shared;
    hb_arena_block *block = hb_allocate(arena->memory, block_size);

    if (!block)
        return NULL;
    *block = (hb_arena_block){.size = block_size, .place = sizeof *block};
    if (alone && last) {
        block->previous = last->previous;
        last->previous = block;
    } else {
        block->previous = last;
        arena->last = block;
    }
    return block;
}

static void *allocate_chunk(hb_arena *arena, size_t size)
{
    void *piece = arena->last ? take_from_chunk(arena->last, size) : NULL;

    if (!piece) {
        hb_arena_block *block = add_block(arena, size);

        piece = block ? take_from_chunk(block, size) : NULL;
    }
    return piece;
}

void *hb_arena_room(hb_arena *arena, size_t count, size_t size)
{
    size_t bytes;

    if (!hb_multiply(count, size, &bytes)) {
        arena->memory->over_limit = true;
        return NULL;
    }
    return allocate_chunk(arena, bytes ? bytes : 1);
}

void *hb_arena_array(hb_arena *arena, size_t count, size_t size)
{
    void *items = hb_arena_room(arena, count, size);

    return items ? memset(items, 0, count * size) : NULL;
}

char *hb_arena_text(hb_arena *arena, const char *bytes, size_t size)
{
    char *text = size < SIZE_MAX ? allocate_chunk(arena, size + 1) : NULL;

    if (text) {
        if (size)
            memcpy(text, bytes, size);
        text[size] = '\0';
    }
    return text;
}
