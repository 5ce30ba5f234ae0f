/* murmur_hash.h - MurmurHash3 of 32 bits, which scikit-learn's HashingVectorizer and FeatureHasher take for columns. */
#ifndef HB_BASE_MURMUR_HASH_H
#define HB_BASE_MURMUR_HASH_H

#include "base/work.h"

/* MurmurHash3_x86_32. scikit-learn's seed is 0. False where the host wants to stop. */
bool hb_murmur_hash(hbs_text text, uint32_t seed, uint32_t *hash, hb_work *work);

#endif
