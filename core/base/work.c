/* work.c - see work.h. */
#include "base/work.h"

bool hb_work_ask(hb_work *work)
{
    work->stopped = work->cancelled && work->cancelled(work->context);
    work->done = work->stopped ? HB_WORK_A_POLL : 0;
    return !work->stopped;
}

hbs_status hb_work_status(const hb_work *work, hbs_error *error)
{
    return work->stopped ? hb_fail(error, HBS_E_CANCEL, "cancelled") : HBS_OK;
}
