/*
 * pg_offload.c - blocks of one call that the GPU of this session scores.
 *
 * The first blocks of a statement are the CPU's, and their time is taken; so a LIMIT never opens a GPU. Then, if it pays
 * (host/gate.c), the scorer gets a second run, of larger blocks, that the GPU works for. The first run stays as it is, and
 * takes over again where the GPU fails or costs more than it brings.
 *
 * No statement fails for a GPU's sake: whatever is wrong with it, the CPU scores, and EXPLAIN says why.
 */
#include "pg_hbscore.h"

struct hbpg_offload
{
	host_gate	gate;
	host_program *program;		/* pinned; NULL while the run has no room there: a GPU that is closed forgets what is not pinned */
	hbs_run    *run;			/* NULL: not made so far */
	bool		ready;			/* the run has room on the GPU.. */
	bool		on;				/* ..which has the next blocks */
	size_t		cpu_rows;		/* of the scorer's run.. */
	size_t		gpu_rows;		/* ..and of this one */
	hbs_device_use noted;		/* of the run, since it has the GPU */
	hbpg_device_counts counts;
	hbs_error	reason;			/* why it is off again; "": it is not */
};

/* ---- for tests */

static void
require(const char *why)
{
	if (hbpg_require_device)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("a block is not scored by a GPU: %s", hbpg_to_server(why, strlen(why)))));
}

/* ---- ending */

static void
turn_off(hbpg_scorer *scorer)
{
	hbpg_offload *o = scorer->offload;
	host_program *program = o->program;

	o->on = o->ready = false;
	o->program = NULL;
	scorer->run_rows = o->cpu_rows;
	hbpg_device_unuse(o->run, program);
}

static void
close_gate(hbpg_offload *o, const char *why)
{
	o->gate.closed = true;
	host_fail(&o->reason, HBS_E_UNSUPPORTED, "%s", why);
}

/* A GPU that has failed is of no more use to this session: others may have its slot. Says so once. */
static void
note_failure(hbpg_offload *o, bool was_open, const hbs_error *why)
{
	bool		died = was_open && !host_device_works();

	close_gate(o, why->text);
	if (died)
		hbpg_device_leave();
	require(why->text);
	if (died && host_device_warns())
		ereport(WARNING, (errcode(ERRCODE_SYSTEM_ERROR),
						  errmsg("hbscore scores on the CPU from now on: %s", hbpg_to_server(why->text, strlen(why->text)))));
}

/* ---- beginning */

static hbpg_offload *
make_offload(hbpg_scorer *scorer, uint64 expected)
{
	hbpg_offload *o = MemoryContextAllocZero(scorer->memory, sizeof(*o));

	o->gate.expected = expected;
	o->gate.closed = hbpg_device_setting == HOST_DEVICE_AUTO && !host_device_installed();
	o->cpu_rows = scorer->run_rows;
	return o;
}

/* Rows that device = cuda leaves to the CPU. */
static uint64
forced_from(void)
{
	return hbpg_device_rows ? (uint64) hbpg_device_rows : HOST_DEVICE_FROM;
}

static bool
wants(const hbpg_scorer *scorer)
{
	const hbpg_offload *o = scorer->offload;

	if (o->on || o->gate.closed)
		return false;
	if (hbpg_device_setting == HOST_DEVICE_CUDA)
		return o->gate.rows >= forced_from();
	return host_gate_opens(&o->gate, scorer->plan->bytes, host_device_works());
}

static hbs_status
make_run(hbpg_scorer *scorer, size_t rows, bool measured, hbs_error *why)
{
	hbpg_offload *o = scorer->offload;
	char	   *name;
	hbs_status	status;

	if (o->run)
		return HBS_OK;
	name = pnstrdup(scorer->shown, scorer->name_size);
	status = hbs_run_create(scorer->plan->compiled, &hbpg_host, name, rows, &o->run, why);
	pfree(name);
	if (status == HBS_OK && hbpg_dense_setting == HBPG_DENSE_BLAS && host_blas_open() == NULL)
		status = hbs_run_use_blas(o->run, &host_blas, why);
	if (status == HBS_OK && measured)
		status = hbs_run_measure(o->run, why);
	return status;
}

/* True: no GPU takes such blocks, whatever it is. */
static bool
is_refused(const host_plan *plan, uint32 outputs, size_t rows, hbs_error *why)
{
	size_t		least = hbpg_device_rows ? 1 : HOST_DEVICE_LEAST_ROWS;

	if (hbs_plan_device(plan->compiled, outputs, why) != HBS_OK)
		return true;
	if (rows < least)
		host_fail(why, HBS_E_UNSUPPORTED, "a block has %zu rows by work_mem and hbscore.batch_rows, less than %zu", rows, least);
	return rows < least;
}

/* Room on the GPU, which is open. */
static hbs_status
take_room(hbpg_scorer *scorer, size_t rows, bool measured, hbs_error *why)
{
	hbpg_offload *o = scorer->offload;
	hbs_status	status = host_device_program(&hbpg_host, scorer->plan, &o->program, why);

	if (status == HBS_OK)
		status = make_run(scorer, rows, measured, why);
	if (status == HBS_OK)
		status = hbpg_device_use(o->run, o->program, why);
	o->ready = status == HBS_OK;
	if (o->ready)
	{
		o->gpu_rows = rows;
		o->noted = (hbs_device_use) {.ready = true};
		return HBS_OK;
	}
	host_device_unpin(o->program);
	o->program = NULL;
	return status;
}

/* Room that was there before the rows began again is still there, unless blocks that were lost then showed that the GPU failed. */
static hbs_status
take_again(hbpg_offload *o, hbs_error *why)
{
	hbs_device_use use;

	hbs_run_rest_device(o->run, false);
	hbs_run_device_use(o->run, &use);
	if (!use.ready)
		*why = use.error;
	return use.ready ? HBS_OK : HBS_E_INTERNAL;
}

/* *was_open: the GPU was there. */
static hbs_status
begin(hbpg_scorer *scorer, size_t rows, bool measured, bool *was_open, hbs_error *why)
{
	hbs_status	status = hbpg_device_open(why);

	*was_open = status == HBS_OK;
	if (status != HBS_OK)
		return status;
	return scorer->offload->ready ? take_again(scorer->offload, why) : take_room(scorer, rows, measured, why);
}

static bool
turn_on(hbpg_scorer *scorer, size_t rows, bool measured)
{
	hbpg_offload *o = scorer->offload;
	bool		was_open = false;
	hbs_error	why;
	hbs_status	status;

	do
		status = begin(scorer, rows, measured, &was_open, &why);
	while (hbpg_again(status));
	o->on = status == HBS_OK;
	if (o->on)
		scorer->run_rows = o->gpu_rows;
	else
		note_failure(o, was_open, &why);
	return o->on;
}

bool
hbpg_offload_settle(hbpg_scorer *scorer, uint32 outputs, size_t rows, uint64 expected, bool measured)
{
	hbpg_offload *o = scorer->offload;
	hbs_error	why;

	if (hbpg_device_setting == HOST_DEVICE_CPU || !hbpg_device_allowed())
		return false;
	if (!o)
		o = scorer->offload = make_offload(scorer, expected);
	if (o->ready && o->gate.closed)
	{
		turn_off(scorer);
		return true;
	}
	if (!wants(scorer))
		return false;
	if (!is_refused(scorer->plan, outputs, o->ready ? o->gpu_rows : rows, &why))
		return turn_on(scorer, rows, measured);
	note_failure(o, false, &why);
	return false;
}

void
hbpg_offload_free(hbpg_scorer *scorer)
{
	hbpg_offload *o = scorer->offload;

	if (!o)
		return;
	if (o->ready)
		turn_off(scorer);
	hbs_run_free(o->run);
	host_device_unpin(o->program);
}

/* ---- scoring */

static void
note_regret(hbpg_offload *o)
{
	host_fail(&o->reason, HBS_E_UNSUPPORTED, "waiting for the GPU took " UINT64_FORMAT " ns a row, the CPU takes " UINT64_FORMAT,
			  o->noted.waited / o->noted.rows, o->gate.nanoseconds / o->gate.rows);
	o->gate.closed = true;
}

/* After each block: counts what the GPU did. */
static void
note_use(hbpg_offload *o)
{
	hbs_device_use before = o->noted;

	hbs_run_device_use(o->run, &o->noted);
	o->counts.rows += o->noted.rows - before.rows;
	o->counts.redone += o->noted.redone - before.redone;
	o->counts.nanoseconds += o->noted.waited - before.waited;
	hbpg_device_count(o->noted.rows - before.rows, o->noted.redone - before.redone);
	if (o->noted.redone > before.redone)
		note_failure(o, true, &o->noted.error);
	else if (hbpg_device_setting == HOST_DEVICE_AUTO && !o->gate.closed && host_gate_regrets(&o->gate, &o->noted))
		note_regret(o);
}

/* So few rows, as of a leaky call that is asked for row by row, are scored sooner here than handed over. */
static bool
is_few(const hbpg_offload *o, size_t rows)
{
	return rows < HOST_DEVICE_FEW && rows <= o->cpu_rows && !hbpg_device_rows;
}

hbs_status
hbpg_offload_score(hbpg_scorer *scorer, const hbs_column *columns, size_t rows, uint32 outputs, hbs_result *result,
				   hbs_error *error)
{
	hbpg_offload *o = scorer->offload;
	bool		on = o && o->on && !is_few(o, rows);
	uint64		start = o && !on ? hbpg_host.nanoseconds(hbpg_host.context) : 0;
	hbs_status	status;

	do
	{
		result->rows = 0;
		status = hbs_score(on ? o->run : scorer->run, columns, scorer->plan->info.features, rows, outputs, result, error);
	} while (hbpg_again(status));
	if (on)
		note_use(o);
	else if (o)
	{
		o->gate.nanoseconds += hbpg_host.nanoseconds(hbpg_host.context) - start;
		o->gate.rows += rows;
	}
	return status;
}

/* ---- in two parts */

bool
hbpg_offload_takes(const hbpg_scorer *scorer)
{
	const hbpg_offload *o = scorer->offload;

	return o && o->on && !o->gate.closed;
}

bool
hbpg_offload_submit(hbpg_scorer *scorer, const hbs_column *columns, size_t rows, uint32 outputs)
{
	hbs_error	why;
	hbs_status	status;

	do
		status = hbs_score_submit(scorer->offload->run, columns, scorer->plan->info.features, rows, outputs, &why);
	while (hbpg_again(status));
	if (status == HBS_OK)
		return true;
	close_gate(scorer->offload, why.text);
	require(why.text);
	return false;
}

hbs_status
hbpg_offload_collect(hbpg_scorer *scorer, hbs_result *result, hbs_error *error)
{
	hbs_status	status;

	hbpg_press_on();
	result->rows = 0;
	status = hbs_score_collect(scorer->offload->run, result, error);
	(void) hbpg_again(status);
	note_use(scorer->offload);
	return status;
}

bool
hbpg_offload_restart(hbpg_scorer *scorer)
{
	hbpg_offload *o = scorer->offload;

	if (!o)
		return false;
	o->gate.rows = o->gate.nanoseconds = 0;
	if (o->ready)
		hbs_run_rest_device(o->run, true);
	if (!o->on)
		return false;
	o->on = false;
	scorer->run_rows = o->cpu_rows;
	return true;
}

/* ---- what it did */

hbs_run *
hbpg_offload_run(const hbpg_scorer *scorer)
{
	return scorer->offload ? scorer->offload->run : NULL;
}

hbpg_device_counts
hbpg_offload_counts(const hbpg_scorer *scorer)
{
	return scorer && scorer->offload ? scorer->offload->counts : (hbpg_device_counts)
	{
		0
	};
}

/* "966 ns a row on the CPU, 30 to hand over" */
static char *
weigh(double nanoseconds, bool pays, const char *about)
{
	return psprintf("%s%.0f ns a row on the CPU, %d to hand over%s", about, nanoseconds, HOST_HANDING_OVER,
					!host_gate_gains(nanoseconds) ? ": too little to gain" : pays ? "" : ": too few rows");
}

static char *
weigh_forced(bool on)
{
	return on ? pstrdup("hbscore.device is cuda") : psprintf("fewer than " UINT64_FORMAT " rows", forced_from());
}

/* By what has run. */
static char *
reason_of(const hbpg_offload *o, bool on)
{
	if (o->reason.text[0])
		return hbpg_to_server(o->reason.text, strlen(o->reason.text));
	if (hbpg_device_setting == HOST_DEVICE_CUDA)
		return weigh_forced(on);
	return weigh((double) o->gate.nanoseconds / (double) o->gate.rows, on, "");
}

static char *
forecast(const hbpg_offer *offer, bool *on)
{
	double		nanoseconds = offer->plan->info.block_row_nanoseconds;
	hbs_error	why;

	*on = false;
	if (host_device_refuses(&why) || is_refused(offer->plan, offer->outputs, offer->rows, &why))
		return hbpg_to_server(why.text, strlen(why.text));
	if (hbpg_device_setting == HOST_DEVICE_CUDA)
	{
		*on = offer->expected >= forced_from();
		return weigh_forced(*on);
	}
	*on = host_gate_may_open(nanoseconds, offer->expected, offer->plan->bytes, host_device_works());
	return weigh(nanoseconds, *on, "about ");
}

bool
hbpg_offload_wanted(void)
{
	return hbpg_device_setting != HOST_DEVICE_CPU && hbpg_device_allowed() &&
		(hbpg_device_setting == HOST_DEVICE_CUDA || host_device_installed());
}

bool
hbpg_offload_expects(const hbpg_offer *offer)
{
	bool		on = false;

	if (hbpg_offload_wanted() && hbpg_device_contexts > 0)
		pfree(forecast(offer, &on));
	return on;
}

char *
hbpg_offload_reason(const hbpg_scorer *scorer, const hbpg_offer *offer, bool *on)
{
	const hbpg_offload *o = scorer ? scorer->offload : NULL;

	*on = o && (o->on || o->counts.rows > 0);
	if (!hbpg_offload_wanted())
		return NULL;
	return o && o->gate.rows > 0 ? reason_of(o, *on) : forecast(offer, on);
}
