/* asking.c - see asking.h. */
#include "ir/asking.h"

void hb_ask_same(const hb_asking *a)
{
    for (size_t c = 0; c < a->node->value.width; c++)
        hb_asking_input(a)[c] |= a->own[c];
}

void hb_ask_computed(const hb_asking *a, uint8_t more)
{
    for (size_t c = 0; c < a->node->value.width; c++)
        hb_asking_input(a)[c] |= (uint8_t)(hb_asked_of_computed(a->own[c]) | more);
}

void hb_ask_live(const hb_asking *a)
{
    for (size_t c = 0; c < a->node->value.width; c++)
        hb_asking_input(a)[c] |= a->own[c] & HB_LIVE;
}

static void ask_input(const hb_asking *a, size_t k, uint8_t demand)
{
    size_t width = hb_input(&a->pipeline->graph, a->node, k)->value.width;

    for (size_t c = 0; c < width; c++)
        a->of[a->node->inputs[k]][c] |= demand;
}

void hb_ask_each(const hb_asking *a, uint8_t demand)
{
    ask_input(a, 0, demand);
}

void hb_ask_all(const hb_asking *a, uint8_t more)
{
    hb_ask_each(a, hb_asked_of_computed(hb_asked_any(a, 0, a->node->value.width)) | more);
}

void hb_ask_all_inputs(const hb_asking *a)
{
    uint8_t any = hb_asked_of_computed(hb_asked_any(a, 0, a->node->value.width));

    for (size_t k = 0; k < a->node->n_inputs; k++)
        ask_input(a, k, any);
}
