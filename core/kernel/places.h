/* places.h - some places of a window side by side, where rows are too few to be the lanes: which items of the image
 * each has. Private to kernels. */
#ifndef HB_KERNEL_PLACES_H
#define HB_KERNEL_PLACES_H

#include "base/inline.h"
#include "base/windows.h"

enum { HB_PLACES = 32 /* at once */, HB_PLACES_ITEMS = 49 /* of the window, that are kept */ };

/* An item of the window. */
typedef struct hb_item {
    uint32_t inside; /* a bit for each place: the item lies in the image */
    uint32_t offset; /* in the image, from where the window begins: modulo 2^32 */
} hb_item;

typedef struct hb_places {
    size_t first, n;
    int32_t begin[3][HB_PLACES]; /* where the window begins, along each axis */
    uint32_t from[HB_PLACES];    /* the same as a place of the image, which may lie beside it: modulo 2^32 */
    hb_item items[HB_PLACES_ITEMS];
} hb_places;

/* A bit for each place whose item k along the axis lies in the image. */
static inline uint32_t hb_places_inside(const hb_windows *w, const hb_places *l, size_t axis, uint32_t k)
{
    uint32_t at = k * w->dilation[axis], size = w->in[axis], bits = 0;

    for (size_t i = 0; i < HB_PLACES; i++)
        bits |= (uint32_t)((uint32_t)l->begin[axis][i] + at < size) << i;
    return bits;
}

/* The distance of item k from the window's first one, along each axis. */
static inline uint32_t hb_item_offset(const hb_windows *w, const uint32_t k[3])
{
    return (k[0] * w->dilation[0] * w->in[1] + k[1] * w->dilation[1]) * w->in[2] + k[2] * w->dilation[2];
}

/* Item t of the window, in its order. */
static inline hb_item hb_item_find(const hb_windows *w, const hb_places *l, size_t t)
{
    const uint32_t k[3] = {(uint32_t)(t / w->kernel[2] / w->kernel[1]), (uint32_t)(t / w->kernel[2] % w->kernel[1]),
                           (uint32_t)(t % w->kernel[2])};
    hb_item item = {UINT32_MAX, hb_item_offset(w, k)};

    for (size_t a = 0; a < 3; a++)
        item.inside &= hb_places_inside(w, l, a, k[a]);
    return item;
}

/* All of at most HB_PLACES_ITEMS. */
static inline void hb_items_keep(const hb_windows *w, hb_places *l)
{
    uint32_t inside[HB_PLACES_ITEMS], k[3]; /* along the last axis */
    hb_item *item = l->items;

    for (k[2] = 0; k[2] < w->kernel[2]; k[2]++)
        inside[k[2]] = hb_places_inside(w, l, 2, k[2]);
    for (k[0] = 0; k[0] < w->kernel[0]; k[0]++)
        for (k[1] = 0; k[1] < w->kernel[1]; k[1]++) {
            uint32_t line = hb_places_inside(w, l, 0, k[0]) & hb_places_inside(w, l, 1, k[1]);

            for (k[2] = 0; k[2] < w->kernel[2]; k[2]++)
                *item++ = (hb_item){line & inside[k[2]], hb_item_offset(w, k)};
        }
}

/* `kept`: hb_places_find has kept them. */
HB_INLINE hb_item hb_item_of(const hb_windows *w, const hb_places *l, size_t t, bool kept)
{
    return kept ? l->items[t] : hb_item_find(w, l, t);
}

/* The place behind this one. */
static inline void hb_places_go(const hb_windows *w, uint32_t place[3])
{
    for (size_t a = 3; a-- > 0;) {
        if (++place[a] < w->out[a])
            return;
        place[a] = 0;
    }
}

/* From place `first` on, n of them. Not inlined, for the stack of the loops that call it. */
HB_NOINLINE void hb_places_find(const hb_windows *w, size_t first, size_t n, hb_places *l)
{
    size_t items = hb_windows_count(w->kernel), p = first;
    uint32_t place[3];

    l->first = first;
    l->n = n;
    for (size_t a = 3; a-- > 0; p /= w->out[a])
        place[a] = (uint32_t)(p % w->out[a]);
    for (size_t i = 0; i < HB_PLACES; i++) {
        for (size_t a = 0; a < 3; a++)
            l->begin[a][i] = (int32_t)(place[a] * w->stride[a]) - (int32_t)w->before[a];
        l->from[i] =
            ((uint32_t)l->begin[0][i] * w->in[1] + (uint32_t)l->begin[1][i]) * w->in[2] + (uint32_t)l->begin[2][i];
        if (i + 1 < n)
            hb_places_go(w, place);
    }
    if (items <= HB_PLACES_ITEMS)
        hb_items_keep(w, l);
}

#endif
