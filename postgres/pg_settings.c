/*
 * pg_settings.c - the settings hbscore.*.
 */
#include "pg_hbscore.h"

#include <limits.h>

#include "utils/guc.h"

int			hbpg_batch = HBPG_BATCH_AUTO;
int			hbpg_batch_rows;
int			hbpg_require_batch = HBPG_REQUIRE_ANY;
int			hbpg_strategy = HBS_STRATEGY_AUTO;
uint32		hbpg_passes_off;
int			hbpg_dense_setting = HBPG_DENSE_EXACT;
int			hbpg_max_model_size = HBS_DEFAULT_MAX_MODEL_BYTES / 1024;
int			hbpg_device_setting = HOST_DEVICE_AUTO;
int			hbpg_device_memory = 1024;
int			hbpg_device_contexts = 4;
bool		hbpg_require_device;
int			hbpg_device_rows;
uint64		hbpg_settings_changed;

static int	plan_cache_size = 64 * 1024;	/* kB */
static char *passes_off;		/* hbpg_passes_off as a text */

static const struct config_enum_entry batches[] = {
	{"auto", HBPG_BATCH_AUTO, false},
	{"on", HBPG_BATCH_ON, false},
	{"off", HBPG_BATCH_OFF, false},
	{"true", HBPG_BATCH_ON, true},
	{"false", HBPG_BATCH_OFF, true},
	{NULL, 0, false}
};

static const struct config_enum_entry requirements[] = {
	{"any", HBPG_REQUIRE_ANY, false},
	{"require", HBPG_REQUIRE_BATCH, false},
	{"forbid", HBPG_FORBID_BATCH, false},
	{NULL, 0, false}
};

static const struct config_enum_entry strategies[] = {
	{"auto", HBS_STRATEGY_AUTO, false},
	{"gemm", HBS_STRATEGY_GEMM, false},
	{"bits", HBS_STRATEGY_BITS, false},
	{"tt", HBS_STRATEGY_TT, false},
	{"ptt", HBS_STRATEGY_PTT, false},
	{NULL, 0, false}
};

static const struct config_enum_entry denses[] = {
	{"exact", HBPG_DENSE_EXACT, false},
	{"blas", HBPG_DENSE_BLAS, false},
	{NULL, 0, false}
};

static const struct config_enum_entry devices[] = {
	{"auto", HOST_DEVICE_AUTO, false},
	{"cpu", HOST_DEVICE_CPU, false},
	{"cuda", HOST_DEVICE_CUDA, false},
	{NULL, 0, false}
};

/* A GPU reads the nodes of trees from the plan. */
static bool
keeps_nodes(void)
{
	return hbpg_device_setting == HOST_DEVICE_CUDA || (hbpg_device_setting == HOST_DEVICE_AUTO && host_device_installed());
}

hbs_compile_options
hbpg_compile_options(void)
{
	return (hbs_compile_options)
	{
		.passes_off = hbpg_passes_off | (keeps_nodes() ? HBS_KEEP_NODES : 0), .strategy = (hbs_strategy) hbpg_strategy
	};
}

static void
count_change(int value, void *extra)
{
	(void) value;
	(void) extra;
	hbpg_settings_changed++;
}

static bool
check_passes(char **value, void **extra, GucSource source)
{
	hbs_error	error;
	uint32		off;
	hbs_text	text = {.bytes = *value,.size = strlen(*value)};

	(void) extra;
	(void) source;
	if (host_passes_read(text, &off, &error) == HBS_OK)
		return true;
	GUC_check_errdetail("%c%s.", pg_toupper((unsigned char) error.text[0]), error.text + 1);
	return false;
}

static void
set_passes(const char *value, void *extra)
{
	hbs_error	error;

	(void) extra;
	if (host_passes_read((hbs_text) {.bytes = value,.size = strlen(value)}, &hbpg_passes_off, &error) == HBS_OK)
		hbpg_settings_changed++;
}

/*
 * A user who asks for it learns at once whether it can be had. A value that comes from a file, maybe before the
 * postmaster has forked, is taken: where OpenBLAS cannot be opened, products are hbscore's own.
 */
static bool
check_dense(int *value, void **extra, GucSource source)
{
	const char *wrong;

	(void) extra;
	if (*value != HBPG_DENSE_BLAS || source < PGC_S_INTERACTIVE || !IsUnderPostmaster)
		return true;
	wrong = host_blas_open();
	if (wrong)
		GUC_check_errdetail("%s.", wrong);
	return wrong == NULL;
}

/* As for dense; and ALTER ROLE is for other sessions. A GPU that other sessions have now may be free later. */
static bool
check_device(int *value, void **extra, GucSource source)
{
	hbs_error	wrong;
	hbs_status	status;

	(void) extra;
	if (*value != HOST_DEVICE_CUDA || source < PGC_S_INTERACTIVE || source == PGC_S_TEST || !hbpg_device_allowed())
		return true;
	status = hbpg_device_open(&wrong);
	if (status == HBS_OK || status == HBS_E_NOMEM)
		return true;
	GUC_check_errdetail("%c%s.", pg_toupper((unsigned char) wrong.text[0]), wrong.text + 1);
	return false;
}

static void
set_cache_size(int value, void *extra)
{
	(void) extra;
	hbpg_plans.most = (size_t) value * 1024;
	if (hbpg_plans.host)
		host_cache_trim(&hbpg_plans);
}

static void
define_batch_settings(void)
{
	DefineCustomEnumVariable("hbscore.batch", "Whether calls of a scan are scored in blocks of rows.",
							 "auto: where it pays. A plan that is kept, as a prepared statement's, was made by the setting of "
							 "its time.",
							 &hbpg_batch, HBPG_BATCH_AUTO, batches, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("hbscore.batch_rows", "How many rows a block of a scan has at most.",
							"0: as many as suit the model.",
							&hbpg_batch_rows, 0, 0, HBPG_MOST_BATCH_ROWS, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("hbscore.debug_require_batch", "Whether a statement with other calls is refused.", NULL,
							 &hbpg_require_batch, HBPG_REQUIRE_ANY, requirements, PGC_USERSET,
							 GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
}

static void
define_device_settings(void)
{
	DefineCustomIntVariable("hbscore.device_memory", "Memory of the GPU that a session takes at most.",
							"It counts when the session opens the GPU.",
							&hbpg_device_memory, 1024, 1, 1024 * 1024, PGC_SUSET, GUC_UNIT_MB, NULL, NULL, NULL);
	DefineCustomIntVariable("hbscore.device_contexts", "How many sessions of the server use the GPU at once.",
							"0: none. The others score on the CPU.",
							&hbpg_device_contexts, 4, 0, 1024, PGC_SUSET, 0, NULL, NULL, NULL);
	/* Behind those that count when it opens the GPU: all may have been set before the library was loaded. */
	DefineCustomEnumVariable("hbscore.device", "Who scores blocks of tree ensembles; the scores are the same.",
							 "auto: a GPU, where it pays. cpu: no GPU. cuda: a GPU, from the 1,000th row on.",
							 &hbpg_device_setting, HOST_DEVICE_AUTO, devices, PGC_SUSET, 0, check_device, count_change, NULL);
	DefineCustomBoolVariable("hbscore.debug_require_device", "Whether a block that a GPU should score, and does not, is an error.", NULL,
							 &hbpg_require_device, false, PGC_SUSET, GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	DefineCustomIntVariable("hbscore.debug_device_rows", "Rows before a GPU that is forced begins; then blocks may be small.",
							NULL, &hbpg_device_rows, 0, 0, INT_MAX, PGC_SUSET, GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE,
							NULL, NULL, NULL);
}

void
hbpg_settings_init(void)
{
	define_batch_settings();
	define_device_settings();
	DefineCustomEnumVariable("hbscore.strategy", "How tree ensembles are evaluated; all ways give the same scores.",
							 NULL, &hbpg_strategy, HBS_STRATEGY_AUTO, strategies, PGC_USERSET, 0,
							 NULL, count_change, NULL);
	DefineCustomStringVariable("hbscore.passes_off", "Which passes of the optimizer are left out; the scores are the same.",
							   "Names of passes between commas, as hbscore.plan shows them, or all.",
							   &passes_off, "", PGC_USERSET, GUC_LIST_INPUT, check_passes, set_passes, NULL);
	DefineCustomEnumVariable("hbscore.dense", "Who computes large products of matrices.",
							 "exact: hbscore, with the same bits everywhere. blas: OpenBLAS, where it can be opened; "
							 "its sums may differ within the tolerance of the model's family.",
							 &hbpg_dense_setting, HBPG_DENSE_EXACT, denses, PGC_USERSET, 0,
							 check_dense, count_change, NULL);
	DefineCustomIntVariable("hbscore.plan_cache_size", "Memory for compiled models that a session keeps.",
							"Models in use are kept whatever their size.",
							&plan_cache_size, 64 * 1024, 0, MAX_KILOBYTES, PGC_USERSET, GUC_UNIT_KB,
							NULL, set_cache_size, NULL);
	DefineCustomIntVariable("hbscore.max_model_size", "The largest model that is registered or inspected.",
							"A model that is stored already is scored whatever its size.",
							&hbpg_max_model_size, HBS_DEFAULT_MAX_MODEL_BYTES / 1024, 1,
							HBS_HARD_MAX_MODEL_BYTES / 1024, PGC_SUSET, GUC_UNIT_KB, NULL, NULL, NULL);
	MarkGUCPrefixReserved("hbscore");
}
