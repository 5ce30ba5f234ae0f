/* chunks.h - the second node of the test's extension. */
#ifndef CHUNKS_H
#define CHUNKS_H

extern void chunks_init(void);

#endif
