/* forest_wide_step.h - where a walk goes from a node, in plain C: forests in float64, private to kernels. */
#ifndef HB_KERNEL_FOREST_WIDE_STEP_H
#define HB_KERNEL_FOREST_WIDE_STEP_H

#include "kernel/forest_wide_kernel.h"

#define HB_INLINE static inline __attribute__((always_inline))

/* The category is cut to an integer (so -0.5 is 0); NaN, negative ones and those beyond int are in no set. */
static inline uint32_t in_set(const hb_wide_forest *forest, const hb_wide_node *node, double x)
{
    const hb_flat_set *set;
    const uint32_t *words;
    uint32_t code, low = 0, high;

    if (!(x > -1.0 && x < 2147483648.0))
        return 0;
    code = (uint32_t)(int64_t)x;
    if (node->test & HB_TEST_SMALL_SET)
        return code < 32 ? node->as.members >> code & 1 : 0;
    set = &forest->sets[node->as.index];
    words = forest->words + set->first;
    if (!set->is_list)
        return code / 32 < set->count ? words[code / 32] >> (code % 32) & 1 : 0;
    high = set->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (words[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->count && words[low] == code;
}

HB_INLINE uint32_t step_in(const hb_wide_forest *forest, const hb_wide_node *node, double v, bool sets)
{
    uint32_t nan = v != v, missing, right;
    double number = nan ? 0.0 : v;

    missing = (nan & node->test >> 27) | ((uint32_t)(number == 0) & node->test >> 26);
    missing &= 1;
    right = number > node->as.threshold;
    right = (right & ~missing) | (missing & node->test >> 30);
    if (sets && node->test & (HB_TEST_SET | HB_TEST_SMALL_SET))
        right = in_set(forest, node, v) ^ node->test >> 30;
    return node->left + (right & node->test >> 31);
}

#endif
