/* memory.h - the host's allocator, counted and bounded; the arena and the growing vector on top.
 *
 * All memory of the core goes through one hb_memory per object (model, plan, run), so that "at most
 * 4 x the file + 1 MiB" (HB_LOAD_FACTOR) is enforced and measured at one place. Sizes are multiplied
 * with overflow checks here and nowhere else. */
#ifndef HB_BASE_MEMORY_H
#define HB_BASE_MEMORY_H

#include "base/work.h"

typedef struct hb_memory {
    hbs_host host;
    size_t used;           /* bytes held now */
    size_t peak;           /* most bytes held at once */
    size_t limit;          /* 0: none; above it an allocation fails and over_limit is set */
    bool over_limit;       /* the last failure was ours, not the host's */
    char *lent, *lent_end; /* what is free of lent memory; NULL: there is none */
    char *lent_last;       /* where it ended when it was lent */
    hb_work work;          /* of making the object */
} hb_memory;

/* While a model is read its memory may hold this many times the file, and HB_LOAD_SLACK. */
enum { HB_LOAD_FACTOR = 4, HB_LOAD_SLACK = 1 << 20 };

void hb_memory_init(hb_memory *memory, const hbs_host *host, size_t limit);
/* Raises the limit by `more` bytes: for parts of a file that take more than HB_LOAD_FACTOR times their size. */
void hb_memory_allow(hb_memory *memory, size_t more);

/* NULL where there is no memory. `size` 0 gives a valid pointer. While a block is resized, its old
 * and its new size count: the host may hold both. */
void *hb_allocate(hb_memory *memory, size_t size);
void *hb_resize(hb_memory *memory, void *block, size_t old_size, size_t new_size);
void hb_release(hb_memory *memory, void *block, size_t size); /* NULL: nothing */

/* From here on blocks are taken from the end of `size` bytes from `begin` on, as long as they fit, before the host is
 * asked. The lender keeps them until all is released. Blocks that are not released last come first are lost to it. */
void hb_memory_lend(hb_memory *memory, void *begin, size_t size);
/* Bytes from the begin of what is free of them, for good: not counted, nor released. 64-byte aligned; NULL: no room. */
void *hb_take_lent(hb_memory *memory, size_t size);

/* The error for a NULL of the above: HBS_E_LIMIT where the limit said no, else HBS_E_NOMEM. */
hbs_status hb_no_memory(const hb_memory *memory, hbs_error *error);

/* HBS_E_CANCEL if the host wants to stop. */
hbs_status hb_poll(const hbs_host *host, hbs_error *error);

/* Checked arithmetic: false on overflow. */
bool hb_multiply(size_t a, size_t b, size_t *product);
bool hb_add(size_t a, size_t b, size_t *sum);

/* ---- arena: many small pieces, freed together */

typedef struct hb_arena_block hb_arena_block;
typedef struct hb_arena {
    hb_memory *memory;
    hb_arena_block *last;
} hb_arena;

void hb_arena_init(hb_arena *arena, hb_memory *memory);
void hb_arena_release(hb_arena *arena);

/* `count` zeroed items of `size` bytes, 16-byte aligned; NULL where there is no memory. */
void *hb_arena_array(hb_arena *arena, size_t count, size_t size);
/* The same, not zeroed. */
void *hb_arena_room(hb_arena *arena, size_t count, size_t size);
/* A copy with a NUL behind it. */
char *hb_arena_text(hb_arena *arena, const char *bytes, size_t size);

/* ---- vector: one growing array of items of one size */

/* Pages of 2 MiB, where the host's system has them: blocks that begin with one take fewer faults to touch. */
enum { HB_LARGE_PAGE = 2 << 20 };

typedef struct hb_vector {
    hb_memory *memory;
    void *items;
    size_t count;
    size_t capacity; /* in items */
    size_t item_size;
    size_t lead; /* bytes of its block before the items */
} hb_vector;

void hb_vector_init(hb_vector *vector, hb_memory *memory, size_t item_size);
void hb_vector_release(hb_vector *vector);
/* Room for `more` items behind the last one; grows by half, or less near the memory's limit. False
 * where there is no memory. */
bool hb_vector_reserve(hb_vector *vector, size_t more);
/* The same; where it grows, it does so for at least `expected` items, as far as the memory's limit lets it. */
bool hb_vector_expect(hb_vector *vector, size_t more, size_t expected);
/* Appends `n` items (NULL `items`: zeroed); the address of the first new one, or NULL. */
void *hb_vector_append(hb_vector *vector, const void *items, size_t n);

#endif
