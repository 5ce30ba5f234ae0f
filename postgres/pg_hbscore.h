/*
 * pg_hbscore.h - the private header of the PostgreSQL extension; pg_batch.h adds what only the batch node needs.
 *
 * The extension is a wrapper: it finds the model that a reference names under the snapshot of the statement, keeps
 * its compiled plan in the backend, turns Datums into values of hbscore.h and results back. All machine learning is
 * behind hbscore.h.
 *
 * How a call goes, at the first row (later rows start at the last line, from fn_extra):
 *
 *     'churn' --host/reference--> name, version or alias --pg_models--> key --host/cache--> plan
 *     plan --pg_scorer--> run
 *     Datums --pg_values, pg_row--> hbs_score_row --pg_funcs--> Datum
 *
 * Rules of this folder:
 *  - The core never calls PostgreSQL: its allocator never throws, and its question whether it should stop
 *    (hbpg_host) only looks at flags. An error of the core is raised after the call, when nothing of the core is
 *    held but what a memory context's callback releases.
 *  - SQL that is run names every object with its schema, operators too.
 *  - A name is never a key of anything that is kept, a digest of content is: so no rollback, no other session and no
 *    DROP EXTENSION can make what is kept wrong.
 */
#ifndef PG_HBSCORE_H
#define PG_HBSCORE_H

#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "portability/instr_time.h"
#include "utils/palloc.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "host/host.h"
#include "pg_compat.h"

/* pg_support.c: called from SQL, and known by its address. */
extern PGDLLEXPORT Datum hbscore_support(PG_FUNCTION_ARGS);

#pragma GCC visibility push(hidden)

/* ---- pg_memory.c: the core's host */

extern hbs_host hbpg_host;

extern void hbpg_memory_init(void);

/*
 * Handles the interrupt that stopped a call of the core. Raises if the interrupt ends the statement; else returns true,
 * and the caller makes the call again. False: nothing stopped the call.
 */
extern bool hbpg_again(hbs_status status);

/* The next call of the core cannot be made again: only what ends the statement stops it. hbpg_again comes behind it. */
extern void hbpg_press_on(void);

/* ---- pg_error.c */

/* Raises; `hint` may be NULL. Texts are UTF-8. */
pg_noreturn extern void hbpg_raise(const hbs_error *error);
pg_noreturn extern void hbpg_raise_hint(const hbs_error *error, const char *hint);
extern int	hbpg_sqlstate(hbs_status status);

static inline void
hbpg_check(hbs_status status, const hbs_error *error)
{
	if (status != HBS_OK)
		hbpg_raise(error);
}

/*
 * Converts between the server's encoding and UTF-8. A text that cannot be converted raises on the way to the core; on the
 * way back its bytes become '?'. If there is nothing to convert, the result is the argument itself.
 */
extern hbs_text hbpg_to_core(const char *bytes, size_t size);
/* The same; false where that would raise. */
extern bool hbpg_try_to_core(const char *bytes, size_t size, hbs_text *converted);
extern hbs_text hbpg_text_to_core(text *value);
extern char *hbpg_to_server(const char *bytes, size_t size);
/* For results, not messages: raises if the server's encoding lacks a character. */
extern char *hbpg_result_to_server(const char *bytes, size_t size);

/* ---- pg_json.c */

/* A jsonb as text, of which equal values have one. */
extern hbs_text hbpg_json_to_core(Datum datum);

/* ---- pg_settings.c */

typedef enum hbpg_dense
{
	HBPG_DENSE_EXACT,
	HBPG_DENSE_BLAS
} hbpg_dense;

/* When calls are scored in blocks. */
typedef enum hbpg_batch_setting
{
	HBPG_BATCH_AUTO,			/* where it pays */
	HBPG_BATCH_ON,				/* wherever it can be */
	HBPG_BATCH_OFF
} hbpg_batch_setting;

/* For tests. */
typedef enum hbpg_require_setting
{
	HBPG_REQUIRE_ANY,
	HBPG_REQUIRE_BATCH,
	HBPG_FORBID_BATCH
} hbpg_require_setting;

extern int	hbpg_batch;
extern int	hbpg_batch_rows;	/* 0: as many as suit the model */
extern int	hbpg_require_batch;
extern int	hbpg_strategy;		/* hbs_strategy */
extern uint32 hbpg_passes_off;	/* HBS_PASS_... */
extern int	hbpg_dense_setting;
extern int	hbpg_max_model_size;	/* kB */
extern int	hbpg_device_setting;	/* host_device_choice */
extern int	hbpg_device_memory; /* MB */
extern int	hbpg_device_contexts;
extern bool hbpg_require_device;	/* blocks that the GPU does not score are errors, for tests */
extern int	hbpg_device_rows;	/* for tests: rows before cuda begins, and no least block; 0: the usual */
extern uint64 hbpg_settings_changed;	/* counts; a scorer made before a change is not used after it */

enum { HBPG_MOST_BATCH_ROWS = 65536 };

extern void hbpg_settings_init(void);
extern hbs_compile_options hbpg_compile_options(void);

/* ---- pg_cache.c: this backend's plans */

extern host_cache hbpg_plans;

/* Statistics are kept by role and version. */
typedef struct hbpg_stats_key
{
	Oid			role;
	char		shown[HOST_MAX_NAME + 24];	/* "churn@3", filled up with zeros */
} hbpg_stats_key;

/* Kept until the session ends. */
typedef struct hbpg_stats
{
	hbpg_stats_key key;
	int64		calls;			/* times that a statement found it */
	int64		rows;
	int64		batches;		/* of more rows than one */
	double		score_time;		/* in milliseconds, of single rows by some of them */
	int64		loads;			/* times that it was read and compiled.. */
	double		load_time;		/* ..and how long that took, in milliseconds */
} hbpg_stats;

extern void hbpg_cache_init(void);
/* The statistics of one model, for the current role. */
extern hbpg_stats *hbpg_stats_of(const char *shown);
/* Adds the time since `start`, so many times. */
extern void hbpg_count_time(hbpg_stats *stats, const instr_time *start, int times);
extern struct HTAB *hbpg_all_stats(void);

/* ---- pg_models.c: which version a reference means, and its plan */

typedef struct hbpg_found
{
	host_plan  *plan;			/* pinned: host_cache_unpin */
	int			version;
	int			size;			/* of the model's bytes */
	size_t		name_size;		/* of the name in `shown` */
	char		shown[HOST_MAX_NAME + 24];	/* "churn@3", in UTF-8 */
	uint8		digest[32];
} hbpg_found;

/*
 * Resolves a reference under the active snapshot; reads, checks and compiles the version where its plan is not
 * cached. Raises where it finds nothing.
 */
extern void hbpg_find(const host_reference *reference, hbpg_found *found);

/* The same; false, without an error, if there is no such model or the user may not see it. Damaged bytes raise. */
extern bool hbpg_look(const host_reference *reference, hbpg_found *found);

/* The same without the plan, and `found->plan` NULL. */
extern void hbpg_find_version(const host_reference *reference, hbpg_found *found);

/*
 * About how many nanoseconds a row by itself takes: by the plan, where this session has it, else by the size of the
 * model; `usual` where the reference finds nothing. Raises nothing of its own.
 */
extern double hbpg_estimate(const host_reference *reference, double usual);

/* Bytes and options of a version that was found, in the current memory context. */
typedef struct hbpg_stored
{
	hbs_source	source;
	uint8		digest[32];
	hbs_text	golden;			/* bytes NULL: none */
} hbpg_stored;

/* Checks the digest. HBS_E_FORMAT: the row is damaged. */
extern hbs_status hbpg_read(const hbpg_found *found, hbpg_stored *stored, hbs_error *error);

/* Bytes to a plan and the name of their format; the caller frees the plan, and calls hbpg_again if the core was stopped. */
extern hbs_status hbpg_compile(const hbs_source *source, hbs_plan **plan, char format[32], hbs_error *error);

/* Raises unless a model of `size` bytes, which is to be registered, is within max_model_size. */
extern void hbpg_check_size(const char *shown, int64 size);

/* ---- pg_register.c */

/* Writers of a name wait for each other here, until their transaction ends. */
extern void hbpg_lock_name(hbs_text name);
extern void hbpg_check_version_number(long long version);
/* Whether a drop of this name with force => true is running. */
extern bool hbpg_is_forced(hbs_text name);

/* ---- pg_interface.c: library and SQL objects */

/* The number of the interface between this library and the SQL script. */
extern const int hbpg_interface;

/* Whether the database's extension has the same number; hbpg_check_interface raises if it has another. A database without
 * the extension fits too. */
extern void hbpg_interface_init(void);
extern bool hbpg_fits(void);
extern void hbpg_check_interface(void);

/* Raises if a library of another interface made the plan: parallel workers load the library that is installed now. */
extern void hbpg_check_plan_interface(int made_by);

/* ---- pg_own.c: which tables are the extension's own */

/* Whether this is the extension's table of that name, in PostgreSQL's own storage. */
extern bool hbpg_is_own(Relation table, const char *name);

/* The extension's table of that name, to be closed by the caller; NULL: there is none. */
extern Relation hbpg_open_own(const char *name);

/*
 * The trigger as which a function is called, on the extension's table of that name; else it raises. A trigger function calls
 * this first: everybody who scores can put it on tables of his own, and must not so lock models' names or have tables read.
 */
extern struct TriggerData *hbpg_own_trigger(FunctionCallInfo fcinfo, const char *table);
pg_noreturn extern void hbpg_refuse_trigger(void);

/* ---- pg_dependents.c */

/* Raises with the objects of this database (indexes, columns, views, ..) whose expressions name the version. */
extern void hbpg_check_unused(hbs_text name, int version);

/* ---- pg_security.c: row security that a restored database needs */

/*
 * The table of hbscore ("models", "aliases") that needs row security and has none, if that concerns the current user;
 * NULL: there is none.
 */
extern void hbpg_security_init(void);
extern const char *hbpg_unsecured_table(void);
extern void hbpg_check_row_security(void);

/* ---- pg_missing.c: why there is nothing to score, in words */

/* `newest`: by what is committed now, not by what the snapshot shows. */
pg_noreturn extern void hbpg_missing(const host_reference *reference, bool newest);

/* ---- pg_spi.c: statements that this backend runs again and again */

typedef enum hbpg_query
{
	HBPG_ALIAS,					/* name, alias: the version that it names, be that there or not */
	HBPG_NEWEST,				/* name */
	HBPG_VERSION,				/* name, version: where it is not dropped */
	HBPG_MODEL,					/* name, version: bytes and golden rows */
	HBPG_NEXT_VERSION,			/* name */
	HBPG_NAMES,
	HBPG_VERSIONS,				/* name */
	HBPG_ALIASES_OF,			/* name, version */
	HBPG_DEPLOY,				/* name, alias, version */
	HBPG_DROP_ALIASES,			/* name */
	HBPG_DROP,					/* name, version or NULL */
	HBPG_REGISTER,				/* name, model, format, options, description */
	HBPG_REQUIRE_SECURITY,		/* this query and those behind it read no model */
	HBPG_REQUIRE_NO_SECURITY,
	HBPG_SECURITY_SCRIPT,		/* lines, in order */
	HBPG_QUERIES
} hbpg_query;

/*
 * Runs one query, between SPI_connect and SPI_finish. The rows are in SPI_tuptable. A query that only reads uses the
 * active snapshot, or with `newest` a new one, which sees all that is committed now and this transaction's own changes.
 */
extern void hbpg_run(hbpg_query query, Datum *values, const char *nulls, bool newest);

/*
 * Raises if the user has this right neither on the table of hbscore nor on any column of it. Ask it before a lock is taken or
 * work is done for a statement that would be denied.
 */
extern void hbpg_check_right(const char *table, AclMode right);

/* The column of a row of SPI_tuptable, from 1. */
extern Datum hbpg_column(uint64 row, int column, bool *isnull);

/* A name of the core as an argument of type text. */
extern Datum hbpg_name_datum(hbs_text name);

/* ---- pg_values.c: Datums and hbscore's values */

/* How the values of one SQL type become a feature's. */
typedef enum hbpg_kind
{
	HBPG_REFUSED,
	HBPG_FLOAT8,
	HBPG_FLOAT4,
	HBPG_INT2,
	HBPG_INT4,
	HBPG_INT8,
	HBPG_BOOL,
	HBPG_NUMERIC,
	HBPG_TEXT,					/* and varchar */
	HBPG_BPCHAR,
	HBPG_NAME,
	HBPG_CHAR,					/* "char" */
	HBPG_CSTRING,				/* a literal without a type */
	HBPG_ENUM,
	HBPG_OUTPUT,				/* a text type of an extension: by its output function */
	/* a whole row in one value */
	HBPG_ARRAY,
	HBPG_RECORD,
	HBPG_JSON,
	HBPG_JSONB
} hbpg_kind;

typedef struct hbpg_type
{
	Oid			type;			/* as declared */
	hbpg_kind	kind;
	FmgrInfo	output;			/* of HBPG_OUTPUT */
} hbpg_type;

/* `context` is where the look-up of an output function is kept. */
extern void hbpg_type_init(hbpg_type *type, Oid oid, MemoryContext context);

static inline bool
hbpg_is_row(hbpg_kind kind)
{
	return kind >= HBPG_ARRAY;
}

/*
 * One value; texts point into the Datum or into the current memory context. `feature` (from 0) and `plan` are for the
 * error where the type is none that a feature takes; plan NULL: it is a class's label. `model` may have its version
 * behind '@'.
 */
extern void hbpg_value(const hbpg_type *type, Datum datum, bool isnull, hbs_value *value,
					   const hbs_plan *plan, const char *model, size_t feature);

/* The same; false where that would raise. */
extern bool hbpg_try_value(const hbpg_type *type, Datum datum, bool isnull, hbs_value *value);

/* Whether a feature takes values of such types at all. */
extern bool hbpg_is_value(hbpg_kind kind);

/* A numeric as the nearest double; false: it is beyond them. */
extern bool hbpg_numeric(Datum datum, double *number);

/* A number that a double holds without loss, or NULL as NaN; false: it is none, or the type has no such. */
extern bool hbpg_number(hbpg_kind kind, Datum datum, bool isnull, double *number);

/* A class label as float8: raises where it is a text. As text, which must have been checked. */
extern double hbpg_label_float8(const hbs_value *label, const char *model);
extern text *hbpg_label_text(const hbs_value *label);

/* Raises if no text can hold the label. `model` may have its version behind '@'. */
extern void hbpg_check_label(const hbs_value *label, const char *model);

/* ---- pg_scorer.c: a plan made ready for the rows of one call */

/* Which attribute of a composite type is which feature. */
typedef struct hbpg_row_map
{
	uint64		columns;		/* PostgreSQL's number of these: other ones have another, also of a type that was altered */
	int		   *attributes;		/* [features] from 0 */
	hbpg_type  *types;			/* [features] */
	bool		refused;		/* a feature has a type that no feature can have */
} hbpg_row_map;

/* All that the look-up of a model depends on besides its reference. */
typedef struct hbpg_identity
{
	TransactionId xmin;			/* of the snapshot, and what follows */
	TransactionId xmax;
	uint32		xcnt;
	CommandId	curcid;
	uint64		completed;
	uint64		settings;
	SubTransactionId subtransaction;	/* a snapshot of REPEATABLE READ is the same behind a savepoint's ROLLBACK */
	Oid			user;
} hbpg_identity;

typedef struct hbpg_scorer hbpg_scorer;
struct hbpg_scorer
{
	hbpg_scorer *next;
	uint64		serial;			/* of all that this session has made */
	MemoryContext memory;		/* its own; the reset callback gives back what is below */
	MemoryContextCallback callback;
	host_plan  *plan;
	hbpg_stats *stats;
	hbs_run    *run;
	hbs_run    *single;			/* hbpg_single_run; NULL: none yet */
	size_t		run_rows;		/* of a block: what `run` takes at once, or the GPU's run */
	struct hbpg_offload *offload;	/* NULL: no GPU was thought of */
	uint32		outputs;
	hbpg_identity made;
	Size		reference_size;
	char	   *reference;		/* as written */
	char	   *shown;			/* "churn@3" */
	size_t		name_size;
	int			n_used;			/* features that the outputs need.. */
	int		   *used;			/* ..ascending: the core does not look at the values of others, which stay as they are */
	hbs_value  *values;			/* [features] */
	double	   *numbers;		/* the same; NULL: some feature is a text */
	bool		by_policy;		/* row security decided what was found */
	int			choice;			/* hbpg_find_choice of a constant argument; -1: not looked up */
	hbpg_row_map map;			/* attributes NULL: none yet */
	int			until_timed;	/* single rows to the next one whose time is taken.. */
	int			stands_for;		/* ..which counts for so many */
	int			n_timed;
};

/* The state of one call in an expression: fn_extra. */
typedef struct hbpg_call
{
	MemoryContext memory;
	hbpg_scorer *scorers;		/* the last used comes first */
	hbs_function function;
	bool		pinned;			/* only references with a version */
	bool		of_statement;	/* what runs it, and no expression of PL/pgSQL, COPY, .. */
	bool		blocks;			/* its scorers take as many rows at once as suit the model.. */
	int			most_rows;		/* ..or so many at most; 0: no limit */
	int			leading;		/* arguments before the features */
	int			n_types;
	hbpg_type  *types;			/* of the features */
	bool		refused;		/* one of them is none that a feature can have */
	hbpg_type	choice;			/* of the argument behind the model, where there is one before the features */
	hbpg_type	element;		/* of the last array */
} hbpg_call;

extern hbpg_call *hbpg_call_of(FunctionCallInfo fcinfo, hbs_function function, bool pinned, int leading);
extern hbpg_scorer *hbpg_scorer_of(hbpg_call *call, text *reference);

/* A run of single rows beside that of blocks: it takes less time for them. */
extern hbs_run *hbpg_single_run(hbpg_scorer *scorer);

/* Whether a look-up now would find the same. */
extern bool hbpg_is_current(const hbpg_scorer *scorer);

/* Which outputs the function needs, and how many features; where the model cannot answer it, none and all. Never raises. */
extern hbs_status hbpg_count_used(const host_plan *plan, hbs_function function, uint32_t *outputs, size_t *used,
								  hbs_error *error);

/* ---- pg_device.c: the GPU of this session */

/* True where this process may have a GPU. */
extern bool hbpg_device_allowed(void);

/*
 * HBS_OK: it is open, or is now. HBS_E_NOMEM: not at the moment, since other sessions have it; else why it cannot be had, in
 * words. Raises nothing.
 */
extern hbs_status hbpg_device_open(hbs_error *why);

/* True if this session has a slot for the GPU, or could have one. */
extern bool hbpg_device_is_free(void);

/* Gives the GPU and the slot back, as soon as no run uses it. */
extern void hbpg_device_leave(void);

/* host_device_use, and its end: then blocks on their way are lost. */
extern hbs_status hbpg_device_use(hbs_run *run, host_program *program, hbs_error *why);
extern void hbpg_device_unuse(hbs_run *run, host_program *program);

/* More rows that it has scored for this session, and blocks that the CPU scored in its place. */
extern void hbpg_device_count(uint64 rows, uint64 redone);

/* ---- pg_offload.c: blocks of a scorer that it scores */

typedef struct hbpg_offload hbpg_offload;

/* Rows and blocks that the GPU scored for a scorer. */
typedef struct hbpg_device_counts
{
	uint64		rows;
	uint64		redone;			/* blocks */
	uint64		nanoseconds;	/* of waiting */
} hbpg_device_counts;

/*
 * Between two blocks: whether the next go to the GPU, with `rows` rows each and these outputs, is settled anew. `expected`: rows
 * of the statement; 0: not known. True: run_rows has changed.
 */
extern bool hbpg_offload_settle(hbpg_scorer *scorer, uint32 outputs, size_t rows, uint64 expected, bool measured);

/* hbs_score, by the GPU or the CPU, again and again until nothing stops it. */
extern hbs_status hbpg_offload_score(hbpg_scorer *scorer, const hbs_column *columns, size_t rows, uint32 outputs,
									 hbs_result *result, hbs_error *error);

/* hbs_score in two parts, between which other blocks may be sent. False: the block was not sent, and none should be. */
extern bool hbpg_offload_takes(const hbpg_scorer *scorer);
extern bool hbpg_offload_submit(hbpg_scorer *scorer, const hbs_column *columns, size_t rows, uint32 outputs);
extern hbs_status hbpg_offload_collect(hbpg_scorer *scorer, hbs_result *result, hbs_error *error);

/*
 * The rows begin again: the CPU has the first ones, and blocks on their way are lost; the room on the GPU stays. True: run_rows
 * has changed.
 */
extern bool hbpg_offload_restart(hbpg_scorer *scorer);

/* The run of the GPU's blocks; NULL: none. What the GPU did. */
extern hbs_run *hbpg_offload_run(const hbpg_scorer *scorer);
extern hbpg_device_counts hbpg_offload_counts(const hbpg_scorer *scorer);

/* Blocks of a plan that might go to the GPU. */
typedef struct hbpg_offer
{
	const host_plan *plan;
	uint32		outputs;
	size_t		rows;			/* of a block */
	uint64		expected;		/* rows of the statement */
} hbpg_offer;

/* True where a GPU is wanted and may be there. */
extern bool hbpg_offload_wanted(void);

/* True if the GPU would score them, by an estimate. */
extern bool hbpg_offload_expects(const hbpg_offer *offer);

/* Why it scores them (*on), or why not; NULL: nobody wants it to. Scorer NULL, or without rows: by an estimate. */
extern char *hbpg_offload_reason(const hbpg_scorer *scorer, const hbpg_offer *offer, bool *on);

/* Before the scorer's run is freed and its plan unpinned. */
extern void hbpg_offload_free(hbpg_scorer *scorer);

/* ---- pg_funcs.c: the scoring functions */

/* One of them as SQL calls it. */
typedef struct hbpg_entry
{
	PGFunction	address;
	hbs_function function;
	bool		pinned;			/* takes only references with a version */
	int			leading;		/* arguments before the features */
} hbpg_entry;

/* NULL: the function is none of them. */
extern const hbpg_entry *hbpg_entry_of(Oid function);

/* Whether its results contain class labels, which may be texts. */
static inline bool
hbpg_gives_labels(hbs_function function)
{
	return function == HBS_PREDICT_LABEL || function == HBS_PREDICT_JSON || function == HBS_PREDICT_PROBABILITIES ||
		function == HBS_PREDICT_TOP;
}

/* The argument behind the model: for predict_probability the class's place, for predict_top the number of classes. */
extern size_t hbpg_find_choice(const hbpg_call *call, const hbpg_scorer *scorer, Datum datum, bool isnull);

/*
 * The value that the call returns for a row of the result that is not NULL, in the current memory context. `choice` is the
 * result of hbpg_find_choice; functions without such an argument ignore it.
 */
extern Datum hbpg_answer(hbs_function function, const hbpg_scorer *scorer, const hbs_result *result, size_t row,
						 size_t choice);

/* ---- pg_support.c: what a call costs */

/* Whether this user can look models up, and sees all of them. */
extern bool hbpg_may_look(void);

/* Whether policies decide which models this user sees. */
extern bool hbpg_has_policies(void);

/* The planner's cost of one evaluation of the call, a FuncExpr; how long something of such a cost takes, about. */
extern double hbpg_call_cost(struct Node *call);
extern double hbpg_nanoseconds_of_cost(double cost);

/* About how many nanoseconds a row takes less in a block than by itself; the call is a FuncExpr. */
extern double hbpg_saved_by_block(struct Node *call);

/*
 * Whether a node that scores in blocks pays for `rows` rows, if each row saves so much by it. The node has to be set up, and
 * it carries columns from the node below to the one above; `wide` of them are not passed by value.
 */
extern bool hbpg_block_pays(double rows, double saved, int carried, int wide);

/* ---- pg_plan.c */

/* Notes that a function of the library is called, by reading a reference or not. The first call tells how it was loaded. */
extern void hbpg_entered(bool by_reference);

/* ---- pg_statement.c */

/* Whether the memory is that of a running statement. False also for one that began before the library was loaded. */
extern bool hbpg_is_of_statement(MemoryContext memory);

/* ---- pg_stats.c: the frame of table functions, and what this session keeps */

typedef struct hbpg_table
{
	struct Tuplestorestate *rows;
	struct TupleDescData *columns;
} hbpg_table;

extern hbpg_table hbpg_table_begin(FunctionCallInfo fcinfo);
extern void hbpg_put_row(hbpg_table *table, Datum *values, bool *nulls);
/* "" is NULL. */
extern void hbpg_put_text(const char *utf8, Datum *value, bool *isnull);

/* ---- pg_row.c: the features of one call */

typedef enum hbpg_row_form
{
	HBPG_ROW_NULL,				/* so the result is NULL */
	HBPG_ROW_NUMBERS,			/* in `numbers` */
	HBPG_ROW_VALUES,			/* in the scorer's `values` */
	HBPG_ROW_JSON				/* in `json` */
} hbpg_row_form;

typedef struct hbpg_row
{
	hbpg_row_form form;
	int			n;
	const double *numbers;
	hbs_text	json;
} hbpg_row;

/*
 * Reads the row, with the check of its count. As numbers only if `as_numbers` and all of its values are numbers. The
 * memory that it points to lives until the next row, or is in the current memory context.
 */
extern hbpg_row hbpg_read_row(FunctionCallInfo fcinfo, hbpg_call *call, hbpg_scorer *scorer, bool as_numbers);

/*
 * Finds the features' columns among those of the rows that come; raises where one lacks. `number` is PostgreSQL's of these
 * columns; 0: they are those of all rows.
 */
extern void hbpg_map_row(hbpg_scorer *scorer, struct TupleDescData *columns, uint64 number);

/* Raises unless a row of the model has so many features. */
extern void hbpg_check_count(const hbpg_scorer *scorer, int n);
extern void hbpg_check_scalars(const hbpg_scorer *scorer, const hbpg_call *call);	/* those of a call by position */

/* Whether one of n types is none that a feature can have. It is an error whether the feature is used or not. */
extern bool hbpg_has_refused(const hbpg_type *types, int n);

/* Around the scoring of a single row: its time, if it is among those that are taken. An error needs no second call. */
extern void hbpg_begin_single(hbpg_scorer *scorer, instr_time *start);
extern void hbpg_count_single(hbpg_scorer *scorer, const instr_time *start);

/* Reads and scores; false: the result is NULL. */
extern bool hbpg_score(FunctionCallInfo fcinfo, hbpg_call *call, hbpg_scorer *scorer, hbs_result *result);

#pragma GCC visibility pop

#endif							/* PG_HBSCORE_H */
