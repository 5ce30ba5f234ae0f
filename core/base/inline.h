/* inline.h - functions of which a call must have the code, so that its constants make a variant; and those that must
 * not, as they are rare or take many registers. */
#ifndef HB_BASE_INLINE_H
#define HB_BASE_INLINE_H

#define HB_INLINE   static inline __attribute__((always_inline))
#define HB_NOINLINE static __attribute__((noinline))

#endif
