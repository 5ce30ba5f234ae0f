/* city_hash.h - CityHash64, version 1.0: CatBoost's hash of category texts. Constants and order are the
 * function's definition (G. Pike and J. Alakuijala, CityHash 1.0.x); checked against CatBoost's own. */
#ifndef HB_BASE_CITY_HASH_H
#define HB_BASE_CITY_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hb_city_hash64(const void *bytes, size_t size);

#endif
