/* times.c - how long each step of a run took, for those who ask before it runs.
 *
 * Steps go over tiles, so the clock is read twice for some hundred rows of a step. Single rows are not measured. */
#include "plan/run.h"

hbs_status hb_run_measure(hbs_run *run, hbs_error *error)
{
    size_t n = run->plan->n_steps + 1;

    if (run->times || !run->memory.host.nanoseconds)
        return HBS_OK;
    run->times = hb_allocate(&run->memory, n * sizeof(*run->times));
    if (!run->times)
        return hb_no_memory(&run->memory, error);
    for (size_t i = 0; i < n; i++)
        run->times[i] = 0;
    return HBS_OK;
}

bool hb_run_time(const hbs_run *run, size_t index, hbs_operator_time *time)
{
    const hb_step *steps = hb_plan_at(run->plan, run->plan->steps);

    if (!run->times || index > run->plan->n_steps)
        return false;
    time->name = hb_operator_name(index ? (hb_operator_kind)steps[index - 1].kind : HB_OPERATOR_ENCODE);
    time->nanoseconds = run->times[index];
    return true;
}
