/* work.h - how much is done between two questions to the host whether to stop.
 *
 * A loop over many items counts units of work: a unit is about a turn of a small loop, some nanoseconds. After
 * HB_WORK_A_POLL units, well below a millisecond, the host is asked. One call of the core has one count, so that many
 * small steps ask too. */
#ifndef HB_BASE_WORK_H
#define HB_BASE_WORK_H

#include "base/status.h"

enum { HB_WORK_A_POLL = 1 << 16 };

typedef struct hb_work {
    bool (*cancelled)(void *context); /* NULL: nobody is asked */
    void *context;
    size_t done;  /* units since the last question */
    bool stopped; /* the host's last answer */
} hb_work;

static inline hb_work hb_work_of(const hbs_host *host)
{
    return (hb_work){.cancelled = host->cancelled, .context = host->context};
}

/* Asks now; false: stop. */
bool hb_work_ask(hb_work *work);

/* Counts so many units. False where the host wants to stop; it is then asked again by the next call. */
static inline bool hb_goes_on(hb_work *work, size_t units)
{
    work->done += units;
    return work->done < HB_WORK_A_POLL || hb_work_ask(work);
}

/* HBS_E_CANCEL where the host's last answer was to stop. */
hbs_status hb_work_status(const hb_work *work, hbs_error *error);

/* Both: counts, and gives HBS_E_CANCEL. */
static inline hbs_status hb_worked(hb_work *work, size_t units, hbs_error *error)
{
    return hb_goes_on(work, units) ? HBS_OK : hb_work_status(work, error);
}

#endif
