/*
 * pg_tables.c - functions that return tables about models: what one takes and gives, what its plan does, whether it
 * still gives its golden rows.
 *
 * Errors in the middle would leave what the core holds: so each row's texts are copied as they come, and what the core
 * holds is freed in PG_FINALLY.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#define ENTRY(name) \
	extern PGDLLEXPORT Datum hbscore_##name(PG_FUNCTION_ARGS); \
	PG_FUNCTION_INFO_V1(hbscore_##name)

static host_reference
reference_of(Datum argument)
{
	host_reference reference;
	hbs_error	error;

	hbpg_check(host_reference_read(hbpg_text_to_core(DatumGetTextPP(argument)), &reference, &error), &error);
	return reference;
}

/* ---- inspect(model, options) of bytes, inspect(model) of a reference */

static hbs_status
load_model(const hbs_source *source, size_t most_bytes, hbs_model **model, hbs_error *error)
{
	const hbs_limits limits = {.max_model_bytes = most_bytes};
	hbs_status	status;

	do
		status = hbs_model_load(&hbpg_host, &limits, source, model, error);
	while (hbpg_again(status));
	return status;
}

/* The lines of one function: what it takes of a line of the inspection. `model` is the version; NULL: bytes. */
typedef void (*line_writer) (hbpg_table *t, const hbs_inspection *line, const char *model);

static void
put_line(hbpg_table *t, const hbs_inspection *line, const char *model)
{
	Datum		values[5];
	bool		nulls[5] = {false};

	hbpg_put_text(line->role, &values[0], &nulls[0]);
	values[1] = Int32GetDatum(line->position);
	hbpg_put_text(line->name, &values[2], &nulls[2]);
	hbpg_put_text(line->type, &values[3], &nulls[3]);
	hbpg_put_text(line->note, &values[4], &nulls[4]);
	hbpg_put_row(t, values, nulls);
}

static void
put_feature(hbpg_table *t, const hbs_inspection *line, const char *model)
{
	Datum		values[6] = {Int32GetDatum(line->position)};
	bool		nulls[6] = {false};

	if (strcmp(line->role, "feature") != 0)
		return;
	nulls[1] = line->feature.size == 0;
	if (!nulls[1])
		values[1] = CStringGetTextDatum(hbpg_to_server(line->feature.bytes, line->feature.size));
	hbpg_put_text(line->type, &values[2], &nulls[2]);
	hbpg_put_text(line->on_missing, &values[3], &nulls[3]);
	nulls[4] = line->categories == 0;
	values[4] = Int32GetDatum((int32) line->categories);
	hbpg_put_text(line->note, &values[5], &nulls[5]);
	hbpg_put_row(t, values, nulls);
}

/* The label is the text that predict_label gives. */
static void
put_class(hbpg_table *t, const hbs_inspection *line, const char *model)
{
	Datum		values[3] = {Int32GetDatum(line->position)};
	bool		nulls[3] = {false};

	if (strcmp(line->role, "class") != 0)
		return;
	hbpg_check_label(&line->label, model);
	values[1] = PointerGetDatum(hbpg_label_text(&line->label));
	hbpg_put_text(line->type, &values[2], &nulls[2]);
	hbpg_put_row(t, values, nulls);
}

static void
put_lines(hbpg_table *t, hbs_model *model, line_writer put, const char *shown)
{
	hbs_inspection line;
	hbs_error	error;
	hbs_status	status;

	for (size_t i = 0; (status = hbs_model_inspect(model, i, &line, &error)) == HBS_OK; i++)
		put(t, &line, shown);
	if (status != HBS_E_NOENT)
		hbpg_raise(&error);
}

static void
inspect_model(const hbs_source *source, size_t most_bytes, line_writer put, const char *shown, hbpg_table *t)
{
	hbs_model  *model = NULL;
	hbs_error	error;

	hbpg_check(load_model(source, most_bytes, &model, &error), &error);
	PG_TRY();
	{
		put_lines(t, model, put, shown);
	}
	PG_FINALLY();
	{
		hbs_model_free(model);
	}
	PG_END_TRY();
}

static void
refuse_null(FunctionCallInfo fcinfo, const char *what)
{
	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s is NULL", what)));
}

ENTRY(inspect);
Datum
hbscore_inspect(PG_FUNCTION_ARGS)
{
	bytea	   *bytes;
	hbs_text	options = {"{}", 2};
	hbs_source	source = {.name = NULL};
	hbpg_table	t = hbpg_table_begin(fcinfo);

	refuse_null(fcinfo, "the model");
	bytes = PG_GETARG_BYTEA_PP(0);
	source.bytes = VARDATA_ANY(bytes);
	source.size = VARSIZE_ANY_EXHDR(bytes);
	if (!PG_ARGISNULL(1))
		options = hbpg_json_to_core(PG_GETARG_DATUM(1));
	source.options = options.bytes;
	source.options_size = options.size;
	inspect_model(&source, (size_t) hbpg_max_model_size * 1024, put_line, NULL, &t);
	return (Datum) 0;
}

/* A literal of bytes without a cast comes here as a text. */
static void
refuse_hex(text *reference)
{
	if (VARSIZE_ANY_EXHDR(reference) > 2 && memcmp(VARDATA_ANY(reference), "\\x", 2) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("a model reference begins with \\x, as bytes do"),
				 errhint("A literal with a model's bytes needs a cast: '\\x..'::bytea.")));
}

/* A stored model, with its options. */
static Datum
inspect_stored(FunctionCallInfo fcinfo, line_writer put)
{
	host_reference reference;
	hbpg_found	found;
	hbpg_stored stored;
	hbs_error	error;
	hbpg_table	t = hbpg_table_begin(fcinfo);

	refuse_null(fcinfo, "a model reference");
	reference = reference_of(PG_GETARG_DATUM(0));
	hbpg_find_version(&reference, &found);
	hbpg_check(hbpg_read(&found, &stored, &error), &error);
	inspect_model(&stored.source, HBS_HARD_MAX_MODEL_BYTES, put, found.shown, &t);
	return (Datum) 0;
}

ENTRY(inspect_stored);
Datum
hbscore_inspect_stored(PG_FUNCTION_ARGS)
{
	if (!PG_ARGISNULL(0))
		refuse_hex(PG_GETARG_TEXT_PP(0));
	return inspect_stored(fcinfo, put_line);
}

/* ---- features(model), classes(model) */

ENTRY(features);
Datum
hbscore_features(PG_FUNCTION_ARGS)
{
	return inspect_stored(fcinfo, put_feature);
}

ENTRY(classes);
Datum
hbscore_classes(PG_FUNCTION_ARGS)
{
	return inspect_stored(fcinfo, put_class);
}

/* ---- plan(model) */

static hbs_status
describe_plan(const hbs_source *source, hbs_description **description, hbs_error *error)
{
	const hbs_compile_options how = hbpg_compile_options();
	hbs_model  *model = NULL;
	hbs_status	status = load_model(source, HBS_HARD_MAX_MODEL_BYTES, &model, error);

	if (status == HBS_OK)
		status = hbs_plan_describe(model, &how, description, error);
	hbs_model_free(model);
	return status;
}

static void
put_number(size_t number, Datum *value, bool *isnull)
{
	*isnull = number == 0;
	*value = Int64GetDatum((int64) number);
}

/* A product that dense = blas hands to OpenBLAS says so, or why it does not go there. */
static void
put_plan_line(hbpg_table *t, const hbs_plan_line *line)
{
	bool		blas = line->blas && hbpg_dense_setting == HBPG_DENSE_BLAS;
	const char *wrong = blas ? host_blas_open() : NULL;
	Datum		values[10];
	bool		nulls[10] = {false};

	hbpg_put_text(line->stage, &values[0], &nulls[0]);
	values[1] = Int32GetDatum(line->position);
	hbpg_put_text(line->name, &values[2], &nulls[2]);
	hbpg_put_text(line->inputs, &values[3], &nulls[3]);
	hbpg_put_text(line->dtype, &values[4], &nulls[4]);
	put_number(line->width, &values[5], &nulls[5]);
	hbpg_put_text(line->outputs, &values[6], &nulls[6]);
	hbpg_put_text(blas && !wrong ? "blas" : line->strategy, &values[7], &nulls[7]);
	put_number(line->bytes, &values[8], &nulls[8]);
	hbpg_put_text(wrong ? wrong : line->note, &values[9], &nulls[9]);
	hbpg_put_row(t, values, nulls);
}

/* Of the model that the first argument names; `found` becomes its version. */
static hbs_description *
describe_named(FunctionCallInfo fcinfo, hbpg_found *found)
{
	hbs_description *description = NULL;
	host_reference reference;
	hbpg_stored stored;
	hbs_error	error;
	hbs_status	status;

	refuse_null(fcinfo, "a model reference");
	reference = reference_of(PG_GETARG_DATUM(0));
	hbpg_find_version(&reference, found);
	hbpg_check(hbpg_read(found, &stored, &error), &error);
	do
		status = describe_plan(&stored.source, &description, &error);
	while (hbpg_again(status));
	hbpg_check(status, &error);
	return description;
}

ENTRY(plan);
Datum
hbscore_plan(PG_FUNCTION_ARGS)
{
	hbpg_found	found;
	hbpg_table	t = hbpg_table_begin(fcinfo);
	hbs_description *description = describe_named(fcinfo, &found);

	PG_TRY();
	{
		const hbs_plan_line *line;

		for (size_t i = 0; (line = hbs_description_line(description, i)) != NULL; i++)
			put_plan_line(&t, line);
	}
	PG_FINALLY();
	{
		hbs_description_free(description);
	}
	PG_END_TRY();
	return (Datum) 0;
}

/* ---- plan(model, format): a drawing */

/* The one format that there is. */
static void
check_format(FunctionCallInfo fcinfo)
{
	hbs_text	format;
	host_shown	shown;
	hbs_error	error;

	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the format of a drawing is NULL")));
	format = hbpg_text_to_core(PG_GETARG_TEXT_PP(1));
	if (format.size != 3 || memcmp(format.bytes, "dot", 3) != 0)
		hbpg_check(host_fail(&error, HBS_E_ARGS, "a plan is drawn as 'dot', not as \"%s\"",
							 host_show(&shown, format.bytes, format.size)), &error);
}

static hbs_status
draw_plan(hbs_description *description, const hbpg_found *found, hbs_text *drawing, hbs_error *error)
{
	hbs_status	status;

	do
		status = hbs_description_draw(description, (hbs_text) {found->shown, strlen(found->shown)}, drawing, error);
	while (hbpg_again(status));
	return status;
}

ENTRY(plan_drawing);
Datum
hbscore_plan_drawing(PG_FUNCTION_ARGS)
{
	hbs_description *description;
	hbpg_found	found;
	hbs_text	drawing;
	hbs_error	error;
	text	   *volatile result = NULL;

	check_format(fcinfo);
	description = describe_named(fcinfo, &found);
	PG_TRY();
	{
		hbpg_check(draw_plan(description, &found, &drawing, &error), &error);
		result = cstring_to_text(hbpg_to_server(drawing.bytes, drawing.size));
	}
	PG_FINALLY();
	{
		hbs_description_free(description);
	}
	PG_END_TRY();
	PG_RETURN_TEXT_P(result);
}

/* ---- verify(model) */

/* Compiled anew from the stored bytes, in memory that is kept by nobody. */
static hbs_status
verify_plan(const hbpg_stored *stored, hbs_verification *found, hbs_error *error)
{
	hbs_plan   *plan = NULL;
	char		format[32];
	hbs_status	status = hbpg_compile(&stored->source, &plan, format, error);

	memset(found, 0, sizeof(*found));
	if (status == HBS_OK && stored->golden.bytes)
		status = hbs_verify(plan, &hbpg_host, stored->source.name, stored->golden.bytes, stored->golden.size, found,
							error);
	hbs_plan_free(plan);
	return status;
}

/* Without golden rows there is no answer; a version that cannot be scored here is not well. */
static void
put_verification(hbpg_table *t, int version, const hbs_verification *found, const hbs_error *error)
{
	Datum		values[5] = {Int32GetDatum(version), Int32GetDatum((int32) found->rows),
		Float8GetDatum(found->max_abs_error), BoolGetDatum(found->ok && !error)
	};
	bool		nulls[5] = {false, false, found->rows == 0 || error, found->rows == 0 && !error, false};

	hbpg_put_text(error ? error->text : found->text, &values[4], &nulls[4]);
	hbpg_put_row(t, values, nulls);
}

static void
verify_version(hbpg_table *t, const host_reference *reference)
{
	hbpg_found	found;
	hbpg_stored stored;
	hbs_verification verification;
	hbs_error	error;
	hbs_status	status;

	hbpg_find_version(reference, &found);
	memset(&verification, 0, sizeof(verification));
	status = hbpg_read(&found, &stored, &error);
	if (status == HBS_OK)
	{
		do
			status = verify_plan(&stored, &verification, &error);
		while (hbpg_again(status));
	}
	if (status == HBS_E_NOMEM || status == HBS_E_CANCEL || status == HBS_E_INTERNAL)
		hbpg_raise(&error);
	put_verification(t, found.version, &verification, status == HBS_OK ? NULL : &error);
}

/* Those that were not dropped, ascending; raises where there are none. */
static int *
versions_of(const host_reference *reference, int *count)
{
	MemoryContext caller = CurrentMemoryContext;
	Datum		name = hbpg_name_datum(reference->name);
	bool		isnull;
	int		   *versions;

	*count = 0;
	SPI_connect();
	hbpg_run(HBPG_VERSIONS, &name, NULL, false);
	versions = MemoryContextAlloc(caller, sizeof(int) * (SPI_processed + 1));
	for (uint64 row = SPI_processed; row-- > 0;)
		if (!DatumGetBool(hbpg_column(row, 2, &isnull)))
			versions[(*count)++] = DatumGetInt32(hbpg_column(row, 1, &isnull));
	if (*count == 0)
		hbpg_missing(reference, false);
	SPI_finish();
	return versions;
}

ENTRY(verify);
Datum
hbscore_verify(PG_FUNCTION_ARGS)
{
	hbpg_table	t = hbpg_table_begin(fcinfo);
	MemoryContext memory;
	host_reference reference;
	int			count;
	int		   *versions;

	refuse_null(fcinfo, "a model reference");
	reference = reference_of(PG_GETARG_DATUM(0));
	if (reference.version || reference.alias.bytes)
	{
		verify_version(&t, &reference);
		return (Datum) 0;
	}
	versions = versions_of(&reference, &count);
	/* The bytes of one version at a time: all of them can be more than there is room for. */
	memory = AllocSetContextCreate(CurrentMemoryContext, "hbscore verification", ALLOCSET_DEFAULT_SIZES);
	for (int i = 0; i < count; i++)
	{
		MemoryContext caller = MemoryContextSwitchTo(memory);

		reference.version = versions[i];
		verify_version(&t, &reference);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(memory);
	}
	return (Datum) 0;
}
