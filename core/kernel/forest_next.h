/* forest_next.h - where a walk goes from a node, in plain C. Private to kernels. */
#ifndef HB_KERNEL_FOREST_NEXT_H
#define HB_KERNEL_FOREST_NEXT_H

#include "kernel/forest_kernel.h"
#include "kernel/isa.h"

/* Whether the category set has the code. */
static inline uint32_t hb_category_set_has(const uint32_t *words, const hb_category_set *set, uint32_t code)
{
    uint32_t low = 0, high = set->count;

    words += set->first;
    if (!set->is_list)
        return code / 32 < set->count ? words[code / 32] >> (code % 32) & 1 : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (words[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->count && words[low] == code;
}

/* ---- float32 */

/* A member of a node's category set goes right. The code is cut to an integer; negative ones and
 * those from 16,777,216 on are in no set (common::Decision, XGBoost src/common/categorical.h). */
static inline uint32_t hb_in_set32(const hb_forest32 *forest, const hb_node32 *node, float x)
{
    if (!(x >= 0 && x < 16777216.0f))
        return 0;
    return hb_category_set_has(forest->words, &forest->sets[node->as.index], (uint32_t)x);
}

/* The same for categories below 32, without a branch: most sets are so small. The compares have the form
 * of the minimum and maximum instructions; NaN becomes 63, which is in no set. */
HB_INLINE uint32_t hb_in_small_set32(uint32_t members, float x)
{
    float code = x < 63.0f ? x : 63.0f;

    code = code > 0.0f ? code : 0.0f;
    return (uint32_t)((uint64_t)members >> (uint32_t)(int32_t)code) & (uint32_t)(x >= 0);
}

/* The next node of a walk at `node`, whose feature has the value v. */
HB_INLINE uint32_t hb_next_node32(const hb_forest32 *forest, const hb_node32 *node, float v, bool sets)
{
    uint32_t missing = v != v;
    uint32_t right = v >= node->as.threshold;

    if (sets) {
        uint32_t member = hb_in_small_set32(node->as.members, v);

        right ^= (right ^ member) & (node->test >> 28);
        if (node->test & HB_TEST_SET)
            right = hb_in_set32(forest, node, v);
    }
    right |= missing & (node->test >> 30);
    right &= node->test >> 31;
    return node->left + right;
}

/* ---- float64 */

/* The category is cut to an integer (so -0.5 is 0); NaN, negative ones and those beyond int are in no set. */
static inline uint32_t hb_in_set64(const hb_forest64 *forest, const hb_node64 *node, double x)
{
    uint32_t code;

    if (!(x > -1.0 && x < 2147483648.0))
        return 0;
    code = (uint32_t)(int64_t)x;
    if (node->test & HB_TEST_SMALL_SET)
        return code < 32 ? node->as.members >> code & 1 : 0;
    return hb_category_set_has(forest->words, &forest->sets[node->as.index], code);
}

HB_INLINE uint32_t hb_next_node64(const hb_forest64 *forest, const hb_node64 *node, double v, bool sets)
{
    uint32_t nan = v != v, missing, right;
    double number = nan ? 0.0 : v;

    missing = (nan & node->test >> 27) | ((uint32_t)(number == 0) & node->test >> 26);
    missing &= 1;
    right = number > node->as.threshold;
    right = (right & ~missing) | (missing & node->test >> 30);
    if (sets && node->test & (HB_TEST_SET | HB_TEST_SMALL_SET))
        right = hb_in_set64(forest, node, v) ^ node->test >> 30;
    return node->left + (right & node->test >> 31);
}

#endif
