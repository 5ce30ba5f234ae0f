/* foreign.h - names files that users take for models and hbscore does not read, and says the way out. */
#ifndef HB_FORMAT_FOREIGN_H
#define HB_FORMAT_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The end of a sentence "this is ..": the kind of file and the way out. NULL if the kind is not known. Ask it even if a
 * format of ours claims the file: a dump in JSON begins as a model can. */
const char *hb_foreign_file(const uint8_t *bytes, size_t size);

#endif
