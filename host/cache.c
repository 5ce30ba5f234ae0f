/* cache.c - compiled plans, kept by one connection or backend.
 *
 * Plans are found by content (digest of the model's bytes and options), never by name, so that no
 * ROLLBACK, no other process and no restored file can make the cache wrong: at worst a plan is here
 * that nobody asks for any more. A plan that is asked for moves to the front. Unused plans leave
 * from the back once all plans together exceed the cache's size. */
#include "host/host.h"

#include <string.h>

/* The memory of a plan and, about, of one scorer: the values of a row, twice, and
 * scratch. */
static size_t cost_of_plan(const hbs_plan_info *info)
{
    return info->bytes + info->features * (2 * sizeof(hbs_value) + 16) + sizeof(host_plan) + 1024;
}

static host_plan **bucket_of(host_cache *cache, const uint8_t key[32])
{
    return &cache->buckets[key[0]]; /* a key is a SHA-256: any byte of it is a hash */
}

static void unlink_use(host_cache *cache, host_plan *plan)
{
    *(plan->newer ? &plan->newer->older : &cache->newest) = plan->older;
    *(plan->older ? &plan->older->newer : &cache->oldest) = plan->newer;
}

static void link_newest(host_cache *cache, host_plan *plan)
{
    plan->newer = NULL;
    plan->older = cache->newest;
    *(plan->older ? &plan->older->newer : &cache->oldest) = plan;
    cache->newest = plan;
}

static void forget_plan(host_cache *cache, host_plan *plan)
{
    host_plan **at = bucket_of(cache, plan->key);

    while (*at != plan)
        at = &(*at)->next;
    *at = plan->next;
    unlink_use(cache, plan);
    cache->bytes -= plan->bytes;
    if (plan->idle)
        cache->free_idle(plan->idle);
    hbs_plan_free(plan->compiled);
    cache->host->release(cache->host->context, plan);
}

void host_cache_trim(host_cache *cache)
{
    host_plan *plan = cache->oldest;

    while (plan && cache->bytes > cache->most) {
        host_plan *newer = plan->newer;

        if (plan->pins == 0)
            forget_plan(cache, plan);
        plan = newer;
    }
}

host_plan *host_cache_find(host_cache *cache, const uint8_t key[32])
{
    host_plan *plan = *bucket_of(cache, key);

    while (plan && memcmp(plan->key, key, sizeof(plan->key)) != 0)
        plan = plan->next;
    if (!plan)
        return NULL;
    plan->pins++;
    plan->hits++;
    unlink_use(cache, plan);
    link_newest(cache, plan);
    return plan;
}

host_plan *host_cache_add(host_cache *cache, const uint8_t key[32], hbs_plan *compiled)
{
    host_plan *plan = host_cache_find(cache, key);
    host_plan **first = bucket_of(cache, key);

    if (plan) {
        hbs_plan_free(compiled);
        return plan;
    }
    plan = cache->host->allocate(cache->host->context, sizeof(*plan));
    if (!plan) {
        hbs_plan_free(compiled);
        return NULL;
    }
    memset(plan, 0, sizeof(*plan));
    memcpy(plan->key, key, sizeof(plan->key));
    plan->compiled = compiled;
    hbs_plan_get_info(compiled, &plan->info);
    plan->bytes = cost_of_plan(&plan->info);
    plan->pins = 1;
    plan->next = *first;
    *first = plan;
    link_newest(cache, plan);
    cache->bytes += plan->bytes;
    host_cache_trim(cache);
    return plan;
}

void host_cache_unpin(host_cache *cache, host_plan *plan)
{
    plan->pins--;
    host_cache_trim(cache);
}

void host_cache_clear(host_cache *cache)
{
    while (cache->oldest)
        forget_plan(cache, cache->oldest);
}
