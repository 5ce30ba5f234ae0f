/* golden_device.c - blocks whose trees a device walks. */
#include "golden_scorer.h"
#include "gpu/host_backend.h"

/* Blocks by a run whose trees go to this device; *use: what came of them. */
static void score_with_device(rg_scorer *s, const rg_gpu *gpu, hbs_device_program *program, const char *way,
                              hbs_device_use *use)
{
    static const size_t SIZES[] = {1, 33, 129, 700};
    hbs_run *run = rg_make_run(s, s->kept, RG_MAX_BLOCK);
    size_t pick[RG_MAX_BLOCK];
    hbs_error error;

    if (!run)
        return;
    if (hbs_run_use_device(run, gpu->backend, gpu->device, program, &error) != HBS_OK)
        rg_differ(s, "%s: %s", way, error.text);
    rg_score_whole(s, run, RG_FLOAT64, true, way);
    for (size_t i = 0; i < sizeof(SIZES) / sizeof(SIZES[0]); i++)
        if (rg_pick_rows(s, RG_FLOAT64, SIZES[i], pick))
            rg_score_block(s, run, pick, SIZES[i], RG_FLOAT64, i % 2, way);
    hbs_run_device_use(run, use);
    hbs_run_free(run);
}

/* A plan whose trees no device takes is not scored this way. */
static hbs_device_use score_on(rg_scorer *s, const rg_gpu *gpu, const char *way)
{
    hbs_device_use use = {.ready = false};
    hbs_device_program *program;
    hbs_forest_view view;
    hbs_error error;

    if (hbs_plan_forest(s->kept, &view, &error) != HBS_OK ||
        gpu->backend->upload(gpu->device, &s->host.host, &view, &program, &error) != HBS_OK)
        return use;
    score_with_device(s, gpu, program, way, &use);
    gpu->backend->forget(gpu->device, program);
    s->tally->device_rows += use.rows;
    return use;
}

static void score_on_host(rg_scorer *s, host_device *device)
{
    const rg_gpu gpu = {&host_backend, host_device_of(device)};
    char way[128];

    snprintf(way, sizeof(way), "on a device:%s%s %zu groups, %zu trees at once%s", device->large ? " large" : "",
             device->backwards ? " backwards" : "", device->groups, device->slab,
             device->fail_collect ? ", which failed" : "");
    score_on(s, &gpu, way);
    for (size_t form = 0; form < 3; form++)
        s->tally->forms[form] |= device->rows > 0 && device->forms[form];
    if (device->programs || device->queues)
        rg_differ(s, "the device has %zu programs and %zu queues", device->programs, device->queues);
}

void rg_score_on_device(rg_scorer *s, rg_effort effort, const rg_gpu *gpu)
{
    static const size_t GROUPS[] = {1, 2, 3, 7}, SLABS[] = {0, 1, 5, 64};
    enum { WAYS = 64 };
    hbs_device_use use;

    if (gpu) {
        use = score_on(s, gpu, "on the GPU");
        if (use.redone)
            rg_differ(s, "the GPU has failed: %s", use.error.text);
        return;
    }
    for (size_t way = 0; way < WAYS; way++) {
        host_device device = {
            .large = way & 1, .backwards = way >> 1 & 1, .groups = GROUPS[way >> 2 & 3], .slab = SLABS[way >> 4 & 3]};

        if (effort == RG_DEVICES || way == rg_hash_of(s->golden->name) % WAYS)
            score_on_host(s, &device);
    }
    score_on_host(s, &(host_device){.fail_collect = 1});
}
