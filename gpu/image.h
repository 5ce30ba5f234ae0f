/* image.h - a forest packed for the kernels: one block of bytes that is copied to the device as it is. */
#ifndef HBG_IMAGE_H
#define HBG_IMAGE_H

#include "hbs_backend.h"
#include "gpu/walk.h"

typedef enum hbg_form { HBG_SMALL, HBG_LARGE, HBG_SETS } hbg_form;

/* The sizes that the device can hold. */
typedef struct hbg_bounds {
    size_t shared; /* bytes of shared memory that a block may have */
    bool no_small; /* the small form is not taken, for tests */
} hbg_bounds;

typedef struct hbg_image {
    hbg_forest forest; /* its pointers are offsets from the begin of.. */
    uint8_t *bytes;    /* ..this.. */
    size_t size;       /* ..of so many */
    hbg_form form;
    bool wide;
    uint32_t *features; /* that a block has columns of.. */
    uint32_t n_features;
    uint32_t *depths; /* [n_trees] */
} hbg_image;

/* Packs a forest. Each index of the view is checked: the view may be of any origin. HBS_E_UNSUPPORTED says in words
 * what does not fit; HBS_E_NOMEM, HBS_E_CANCEL. */
hbs_status hbg_pack(const hbs_host *host, const hbs_forest_view *view, const hbg_bounds *bounds, hbg_image *image,
                    hbs_error *error);
void hbg_image_free(const hbs_host *host, hbg_image *image);

/* The forest with its pointers, where the bytes begin at `base`. */
hbg_forest hbg_image_at(const hbg_image *image, uint64_t base);

/* Rows that a block of threads walks with. */
uint32_t hbg_tile_rows(hbg_form form);

/* Bytes of shared memory that a block of threads needs for a walk. */
size_t hbg_shared_bytes(const hbg_forest *forest, hbg_form form);

__attribute__((format(printf, 3, 4))) hbs_status hbg_fail(hbs_error *error, hbs_status status, const char *format, ...);

#endif
