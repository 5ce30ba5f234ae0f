/* lists.h - the numbers of a row that are not 0, with their columns: rows of many thousand columns, most of which are
 * 0, are never written out.
 *
 * An operator that makes lists has one column: it says which list each row's is (a NaN that carries the list's number,
 * so that no computed number is a list by accident). */
#ifndef HB_OP_LISTS_H
#define HB_OP_LISTS_H

#include <string.h>

#include "base/json_features.h"
#include "base/terms.h"

/* Bytes that the lists of a tile may take, with all that is needed to make them. A small file can have operators that
 * make thousands of lists of a row, each as long as it has words. */
enum { HB_LIST_BYTES = 1 << 30 };

/* Those of a tile, and what is needed to make them. */
typedef struct hb_lists {
    hb_memory *memory;       /* theirs alone, within HB_LIST_BYTES */
    hb_vector ends;          /* size_t: where each list ends in.. */
    hb_vector columns;       /* uint32_t: ..these, rising in each list, and.. */
    hb_vector numbers;       /* double: ..these */
    hb_vector found, sorted; /* uint32_t: of the row that is counted */
    hb_vector amounts;       /* double: what each of `found` counts */
    hb_term_room room;
    hb_json_room json;
    bool failed; /* there was no memory for one */
} hb_lists;

typedef struct hb_list {
    size_t n;
    const uint32_t *columns;
    const double *numbers;
} hb_list;

#define HB_LIST_BITS 0x7FF8000000000000u

static inline double hb_list_place(size_t i)
{
    uint64_t bits = HB_LIST_BITS | (i + 1);
    double place;

    memcpy(&place, &bits, sizeof(place));
    return place;
}

/* The list of that place; an empty one where it is none. */
static inline hb_list hb_list_at(const hb_lists *lists, double place)
{
    const size_t *ends = lists ? lists->ends.items : NULL;
    size_t begin, i;
    uint64_t bits;

    memcpy(&bits, &place, sizeof(bits));
    i = (size_t)(bits - HB_LIST_BITS - 1);
    if (!lists || i >= lists->ends.count)
        return (hb_list){0, NULL, NULL};
    begin = i ? ends[i - 1] : 0;
    return (hb_list){ends[i] - begin, (const uint32_t *)lists->columns.items + begin,
                     (const double *)lists->numbers.items + begin};
}

/* Room for `n` more numbers of the list that is being made; false: no memory. A list that was looked up before has
 * moved then. */
bool hb_lists_reserve(hb_lists *lists, size_t n);
static inline void hb_lists_put(hb_lists *lists, uint32_t column, double number)
{
    ((uint32_t *)lists->columns.items)[lists->columns.count++] = column;
    ((double *)lists->numbers.items)[lists->numbers.count++] = number;
}
/* Ends the list that is being made; *place says which it is. False: no memory. */
bool hb_lists_end(hb_lists *lists, double *place);

void hb_lists_init(hb_lists *lists, hb_memory *memory);
void hb_lists_release(hb_lists *lists);
/* Forgets all lists, of the tile before. */
static inline void hb_lists_begin(hb_lists *lists)
{
    lists->ends.count = lists->columns.count = lists->numbers.count = 0;
    lists->failed = false;
}

#endif
