/* forest_step.h - where a walk goes from a node, in plain C: forests in float32, private to kernels. */
#ifndef HB_KERNEL_FOREST_STEP_H
#define HB_KERNEL_FOREST_STEP_H

#include "kernel/forest_kernel.h"

#define HB_INLINE static inline __attribute__((always_inline))

/* A member of a node's set of categories goes right. The code is cut to an integer; negative ones and
 * those from 16,777,216 on are in no set (common::Decision, XGBoost src/common/categorical.h). */
static inline uint32_t in_set(const hb_flat_forest *forest, const hb_flat_set *set, float x)
{
    const uint32_t *words = forest->words + set->first;
    uint32_t code, low = 0, high = set->count;

    if (!(x >= 0 && x < 16777216.0f))
        return 0;
    code = (uint32_t)x;
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

/* The same for categories below 32, without a branch: most sets are so small. The compares have the form
 * of the minimum and maximum instructions; NaN becomes 63, which is in no set. */
HB_INLINE uint32_t in_small_set(uint32_t members, float x)
{
    float code = x < 63.0f ? x : 63.0f;

    code = code > 0.0f ? code : 0.0f;
    return (uint32_t)((uint64_t)members >> (uint32_t)(int32_t)code) & (uint32_t)(x >= 0);
}

/* Where a walk goes from `node`, whose feature has the value v. */
HB_INLINE uint32_t step_in(const hb_flat_forest *forest, const hb_flat_node *node, float v, bool sets)
{
    uint32_t missing = v != v;
    uint32_t right = v >= node->as.threshold;

    if (sets) {
        uint32_t member = in_small_set(node->as.members, v);

        right ^= (right ^ member) & (node->test >> 28);
        if (node->test & HB_TEST_SET)
            right = in_set(forest, &forest->sets[node->as.index], v);
    }
    right |= missing & (node->test >> 30);
    right &= node->test >> 31;
    return node->left + right;
}

#endif
