/*
 * pg_wrapper.c - create_predict_function: a function of SQL with one argument a feature, by name and with a type.
 *
 * For drivers that send no types with their parameters, which a function of "any" arguments needs, and for callers that
 * write the names: churn(tenure => 3, plan => 'gold'). It is one SELECT, which the planner inlines, and goes with the
 * extension, without which it could only fail.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/varlena.h"

extern PGDLLEXPORT Datum hbscore_create_predict_function(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(hbscore_create_predict_function);

/* The schema of the scoring functions. */
static char *
extension_schema(void)
{
	bool		isnull;
	char	   *schema;

	if (SPI_execute("SELECT n.nspname FROM pg_catalog.pg_extension AS e, pg_catalog.pg_namespace AS n"
					" WHERE e.extname OPERATOR(pg_catalog.=) 'hbscore' AND n.oid OPERATOR(pg_catalog.=) e.extnamespace",
					true, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "hbscore is not installed");
	schema = NameStr(*DatumGetName(hbpg_column(0, 1, &isnull)));
	return pstrdup(schema);
}

/* The schema where CREATE FUNCTION would put it, and the name. */
static char *
qualified_name(text *given, hbs_text model)
{
	List	   *names;
	char	   *name,
			   *schema;

	if (!given)
	{
		char	   *plain = hbpg_to_server(model.bytes, model.size);

		names = list_make1(makeString(psprintf("predict_%s", plain)));
	}
	else
		names = textToQualifiedNameList(given);
	schema = get_namespace_name(QualifiedNameGetCreationNamespace(names, &name));
	if (strlen(name) >= NAMEDATALEN)
		ereport(ERROR,
				(errcode(ERRCODE_NAME_TOO_LONG),
				 errmsg("\"%s\" is too long for a function's name", name),
				 errhint("Give a shorter one as the second argument.")));
	return quote_qualified_identifier(schema, name);
}

/* Which scoring function says what the model predicts, and its type. */
static const char *
scoring_function(const host_plan *plan, const char **type)
{
	hbs_value	label;

	*type = "pg_catalog.float8";
	if (plan->info.task == HBS_TRANSFORMER || plan->info.values_width > 1)
	{
		*type = "pg_catalog.float8[]";
		return plan->info.task == HBS_TRANSFORMER ? "transform" : "predict_values";
	}
	if (plan->info.task != HBS_CLASSIFIER)
		return "predict";
	hbs_plan_class(plan->compiled, 0, &label);
	if (label.type != HBS_TEXT)
		return "predict";
	*type = "pg_catalog.text";
	return "predict_label";
}

/* A feature without a name is f1, f2, .. by its place. */
static const char *
argument_name(const host_plan *plan, size_t feature, bool *is_text)
{
	hbs_text	name;
	hbs_type	type;
	char	   *shown;

	hbs_plan_feature(plan->compiled, feature, &name, &type);
	*is_text = type == HBS_TEXT;
	if (name.size == 0)
		return psprintf("f%zu", feature + 1);
	shown = hbpg_to_server(name.bytes, name.size);
	if (strlen(shown) >= NAMEDATALEN)
		ereport(ERROR,
				(errcode(ERRCODE_NAME_TOO_LONG),
				 errmsg("feature \"%s\" is too long for an argument's name", shown),
				 errhint("The option features of hbscore.register gives features other names.")));
	return quote_identifier(shown);
}

/* "tenure pg_catalog.float8, plan pg_catalog.text", "tenure, plan", and the types alone. */
static void
append_features(const host_plan *plan, StringInfo arguments, StringInfo values, StringInfo types)
{
	for (size_t f = 0; f < plan->info.features; f++)
	{
		bool		is_text;
		const char *name = argument_name(plan, f, &is_text);
		const char *comma = f ? ", " : "";

		appendStringInfo(arguments, "%s%s pg_catalog.%s", comma, name, is_text ? "text" : "float8");
		appendStringInfo(values, "%s%s", comma, name);
		appendStringInfo(types, "%spg_catalog.%s", comma, is_text ? "text" : "float8");
	}
}

/* The statement that makes the function; `signature` becomes what it is called. */
static char *
make_statement(const host_plan *plan, const char *reference, const char *function, StringInfo signature)
{
	StringInfoData arguments,
				values,
				types,
				body,
				statement;
	const char *type;
	const char *scoring = scoring_function(plan, &type);
	char	   *schema = extension_schema();

	initStringInfo(&arguments);
	initStringInfo(&values);
	initStringInfo(&types);
	initStringInfo(&body);
	initStringInfo(&statement);
	append_features(plan, &arguments, &values, &types);
	appendStringInfo(signature, "%s(%s)", function, types.data);
	appendStringInfo(&body, "SELECT %s(%s::%s, %s)", quote_qualified_identifier(schema, scoring),
					 quote_literal_cstr(reference), quote_qualified_identifier(schema, "model_ref"), values.data);
	appendStringInfo(&statement, "CREATE FUNCTION %s(%s) RETURNS %s LANGUAGE sql STABLE PARALLEL SAFE AS %s", function,
					 arguments.data, type, quote_literal_cstr(body.data));
	return statement.data;
}

static void
check_features(const host_plan *plan, const char *shown)
{
	if (plan->info.features <= FUNC_MAX_ARGS - 1)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_TOO_MANY_ARGUMENTS),
			 errmsg("model \"%s\" takes %zu features, and a call has %d arguments at most", shown, plan->info.features,
					FUNC_MAX_ARGS),
			 errhint("Score an array or a whole row: predict('%.*s', t.*).", (int) strcspn(shown, "@"), shown)));
}

static void
create_typed_function(const host_plan *plan, const char *reference, const char *function, StringInfo signature)
{
	if (SPI_execute(make_statement(plan, reference, function, signature), false, 0) != SPI_OK_UTILITY ||
		SPI_execute(psprintf("ALTER FUNCTION %s DEPENDS ON EXTENSION hbscore", signature->data), false, 0) != SPI_OK_UTILITY)
		elog(ERROR, "the function was not made");
}

Datum
hbscore_create_predict_function(PG_FUNCTION_ARGS)
{
	host_reference reference;
	hbpg_found	found;
	hbs_error	error;
	char	   *function;
	StringInfoData signature;
	Datum		made;

	if (PG_ARGISNULL(0))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("a model reference is NULL")));
	hbpg_check(host_reference_read(hbpg_text_to_core(PG_GETARG_TEXT_PP(0)), &reference, &error), &error);
	SPI_connect();
	function = qualified_name(PG_ARGISNULL(1) ? NULL : PG_GETARG_TEXT_PP(1), reference.name);
	initStringInfo(&signature);
	hbpg_find(&reference, &found);
	PG_TRY();
	{
		check_features(found.plan, hbpg_to_server(found.shown, strlen(found.shown)));
		create_typed_function(found.plan, text_to_cstring(PG_GETARG_TEXT_PP(0)), function, &signature);
	}
	PG_FINALLY();
	{
		host_cache_unpin(&hbpg_plans, found.plan);
	}
	PG_END_TRY();
	made = DirectFunctionCall1(regprocedurein, CStringGetDatum(signature.data));
	SPI_finish();
	return made;
}
