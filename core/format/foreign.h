/* foreign.h - files that people have for models and hbscore does not read: what they are, and the way out. */
#ifndef HB_FORMAT_FOREIGN_H
#define HB_FORMAT_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the file is, as "this is .." goes on, with the way out; NULL where it is of no kind that is known. A
 * file that has a known format's mark can be foreign too: a dump in JSON. */
const char *hb_foreign_file(const uint8_t *bytes, size_t size);

#endif
