/*
 * pg_spi.c - the SQL that the extension runs, all of it.
 *
 * Each object stands with its schema, operators too, so that no search_path makes it mean another. Statements run as
 * the user who called: his privileges and row security decide.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#define EQUALS " OPERATOR(pg_catalog.=) "

/*
 * Each column that C reads is cast to the type that C reads it as: a cursor can outlive the extension, and then meet tables
 * that its own user has put in the place of ours. In our tables the casts do nothing.
 */
#define INT4(expression) "(" expression ")::pg_catalog.int4"
#define TEXT(expression) "(" expression ")::pg_catalog.text"
#define BYTEA(expression) "(" expression ")::pg_catalog.bytea"
#define JSONB(expression) "(" expression ")::pg_catalog.jsonb"

/* The columns of a version that resolving needs; it does not read the model's bytes. */
#define VERSION \
	"SELECT " INT4("m.version") ", " BYTEA("m.sha256") ", " JSONB("m.options") \
	", pg_catalog.octet_length(" BYTEA("m.model") ")" \
	" FROM hbscore.models AS m WHERE m.name" EQUALS "$1"

/* The version was registered with "deploy": false, and its name alone does not mean it. */
#define WAITS "(" JSONB("m.options") " OPERATOR(pg_catalog.@>) '{\"deploy\": false}'::pg_catalog.jsonb)"

/* The two tables that row security can be on. */
#define OUR_TABLES \
	"(SELECT c.oid, c.relname::pg_catalog.text AS relname, c.relrowsecurity, c.relforcerowsecurity" \
	" FROM pg_catalog.pg_class AS c WHERE c.relnamespace" EQUALS "'hbscore'::pg_catalog.regnamespace" \
	" AND c.relname" EQUALS "ANY (ARRAY['models', 'aliases']))"

/* One kind of statement each, of hbscore.security_script(): relation, part, policy, text. */
#define ROLES \
	"pg_catalog.array_to_string(ARRAY(SELECT CASE WHEN o.role" EQUALS "0 THEN 'PUBLIC'" \
	" ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(o.role)) END" \
	" FROM pg_catalog.unnest(p.polroles) AS o (role)), ', ')"
#define JOINED " OPERATOR(pg_catalog.||) "
#define CLAUSE(words, expression) \
	"' " words " ('" JOINED "pg_catalog.pg_get_expr(" expression ", p.polrelid)" JOINED "')'"
#define POLICIES \
	"SELECT c.relname, 1, p.polname, pg_catalog.format(" \
	"'DROP POLICY IF EXISTS %1$I ON hbscore.%2$I;\nCREATE POLICY %1$I ON hbscore.%2$I AS %3$s FOR %4$s TO %5$s%6$s%7$s;%8$s'," \
	" p.polname, c.relname, CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END," \
	" CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE'" \
	" ELSE 'ALL' END, " ROLES ", " CLAUSE("USING", "p.polqual") ", " CLAUSE("WITH CHECK", "p.polwithcheck") "," \
	" pg_catalog.format('\nCOMMENT ON POLICY %I ON hbscore.%I IS ', p.polname, c.relname)" JOINED \
	"pg_catalog.quote_literal(d.description)" JOINED "';')" \
	" FROM " OUR_TABLES " AS c JOIN pg_catalog.pg_policy AS p ON p.polrelid" EQUALS "c.oid" \
	" LEFT JOIN pg_catalog.pg_description AS d ON d.objoid" EQUALS "p.oid" \
	" AND d.classoid" EQUALS "'pg_catalog.pg_policy'::pg_catalog.regclass"
#define ENABLED \
	"SELECT c.relname, 2, NULL, pg_catalog.format('ALTER TABLE hbscore.%I ENABLE ROW LEVEL SECURITY;', c.relname)" \
	" FROM " OUR_TABLES " AS c WHERE c.relrowsecurity"
#define FORCED \
	"SELECT c.relname, 3, NULL, pg_catalog.format('ALTER TABLE hbscore.%I FORCE ROW LEVEL SECURITY;', c.relname)" \
	" FROM " OUR_TABLES " AS c WHERE c.relforcerowsecurity"

typedef struct query
{
	const char *doing;			/* what errors within it say, of the model in $1; NULL: the call itself says it */
	const char *text;
	bool		writes;
	int			n_types;
	Oid			types[3];
} query;

static const query queries[] = {
	[HBPG_ALIAS] = {
		"looking up model \"%s\"",
		"SELECT " INT4("a.version") " FROM hbscore.aliases AS a WHERE a.name" EQUALS "$1 AND a.alias" EQUALS "$2",
		false, 2, {TEXTOID, TEXTOID}
	},
	[HBPG_NEWEST] = {
		"looking up model \"%s\"",
		VERSION " AND m.model IS NOT NULL AND NOT " WAITS " ORDER BY m.version DESC LIMIT 1", false, 1, {TEXTOID}
	},
	[HBPG_VERSION] = {
		"looking up model \"%s\"",
		VERSION " AND m.model IS NOT NULL AND m.version" EQUALS "$2", false, 2, {TEXTOID, INT4OID}
	},
	[HBPG_MODEL] = {
		"looking up model \"%s\"",
		"SELECT " BYTEA("m.model") ", " BYTEA("m.sha256") ", " JSONB("m.options") ", " JSONB("m.golden")
		" FROM hbscore.models AS m WHERE m.name" EQUALS "$1 AND m.version" EQUALS "$2", false, 2, {TEXTOID, INT4OID}
	},
	[HBPG_NEXT_VERSION] = {
		"looking for the last version of model \"%s\"",
		"SELECT " INT4("pg_catalog.max(m.version)") " FROM hbscore.models AS m WHERE m.name" EQUALS "$1",
		false, 1, {TEXTOID}
	},
	[HBPG_NAMES] = {
		"looking up the names of models",
		"SELECT DISTINCT " TEXT("m.name") " AS name FROM hbscore.models AS m WHERE m.model IS NOT NULL ORDER BY name LIMIT 10000",
		false, 0, {0}
	},
	[HBPG_VERSIONS] = {
		"looking up model \"%s\"",
		"SELECT " INT4("m.version") ", m.model IS NULL, " WAITS " FROM hbscore.models AS m WHERE m.name" EQUALS "$1"
		" ORDER BY m.version DESC LIMIT 10000", false, 1, {TEXTOID}
	},
	[HBPG_ALIASES_OF] = {
		"looking up the aliases of model \"%s\"",
		"SELECT " TEXT("a.alias") " FROM hbscore.aliases AS a WHERE a.name" EQUALS "$1 AND a.version" EQUALS "$2"
		" ORDER BY a.alias", false, 2, {TEXTOID, INT4OID}
	},
	[HBPG_DEPLOY] = {
		NULL,
		"INSERT INTO hbscore.aliases AS a (name, alias, version, deployed_at)"
		" VALUES ($1, $2, $3, pg_catalog.now())"
		" ON CONFLICT (name, alias) DO UPDATE SET version = excluded.version, deployed_at = excluded.deployed_at",
		true, 3, {TEXTOID, TEXTOID, INT4OID}
	},
	[HBPG_DROP_ALIASES] = {
		"dropping the aliases of model \"%s\"",
		"DELETE FROM hbscore.aliases AS a WHERE a.name" EQUALS "$1", true, 1, {TEXTOID}
	},
	[HBPG_DROP] = {
		NULL,
		"UPDATE hbscore.models AS m SET model = NULL, golden = NULL"
		" WHERE m.name" EQUALS "$1 AND ($2 IS NULL OR m.version" EQUALS "$2) AND m.model IS NOT NULL",
		true, 2, {TEXTOID, INT4OID}
	},
	[HBPG_REGISTER] = {
		NULL,
		"INSERT INTO hbscore.models (name, model, options)"
		" VALUES ($1, $2, $3) RETURNING " INT4("version"), true, 3, {TEXTOID, BYTEAOID, JSONBOID}
	},
	[HBPG_REQUIRE_SECURITY] = {
		NULL,
		"INSERT INTO hbscore.row_security (relation) SELECT c.relname FROM " OUR_TABLES " AS c WHERE c.relrowsecurity"
		" AND (SELECT pg_catalog.count(*) FROM hbscore.row_security AS r WHERE r.relation" EQUALS "c.relname)"
		" OPERATOR(pg_catalog.<) 2", true, 0, {0}
	},
	[HBPG_REQUIRE_NO_SECURITY] = {
		NULL,
		"DELETE FROM hbscore.row_security AS r WHERE r.ctid OPERATOR(pg_catalog.<>)"
		" (SELECT pg_catalog.min(o.ctid) FROM hbscore.row_security AS o WHERE o.relation" EQUALS "r.relation)",
		true, 0, {0}
	},
	[HBPG_SECURITY_SCRIPT] = {
		NULL,
		"SELECT s.line FROM (" POLICIES " UNION ALL " ENABLED " UNION ALL " FORCED ") AS s (relation, part, name, line)"
		" ORDER BY s.relation DESC, s.part, s.name", false, 0, {0}
	},
};

static SPIPlanPtr plans[HBPG_QUERIES];

static SPIPlanPtr
plan_of(hbpg_query which)
{
	SPIPlanPtr	plan = plans[which];

	if (plan)
		return plan;
	/* One plan for all parameters: to plan anew takes longer than to run. */
	plan = SPI_prepare_cursor(queries[which].text, queries[which].n_types, (Oid *) queries[which].types,
							  CURSOR_OPT_GENERIC_PLAN);
	if (!plan || SPI_keepplan(plan) != 0)
		elog(ERROR, "hbscore could not prepare a statement: %s", SPI_result_code_string(SPI_result));
	plans[which] = plan;
	return plan;
}

/*
 * PostgreSQL asks for the right to use a schema where a statement is parsed, which is once a session: the right may have
 * been revoked since, or the role be another.
 */
static void
check_usage(void)
{
	Oid			schema = get_namespace_oid("hbscore", true);

	if (OidIsValid(schema) && hbpg_schema_aclcheck(schema, GetUserId(), ACL_USAGE) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_SCHEMA, "hbscore");
}

void
hbpg_check_right(const char *table, AclMode right)
{
	Oid			schema = get_namespace_oid("hbscore", true);
	Oid			oid = OidIsValid(schema) ? get_relname_relid(table, schema) : InvalidOid;

	check_usage();
	if (OidIsValid(oid) && pg_class_aclcheck(oid, GetUserId(), right) != ACLCHECK_OK &&
		pg_attribute_aclcheck_all(oid, GetUserId(), right, ACLMASK_ANY) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, table);
}

/* Queries about models, but for two that only run behind others: the look-up of an alias, and reading a found model. */
static bool
needs_row_security(hbpg_query which)
{
	return which < HBPG_REQUIRE_SECURITY && which != HBPG_ALIAS && which != HBPG_MODEL;
}

static void
run_query(hbpg_query which, Datum *values, const char *nulls, bool newest)
{
	SPIPlanPtr	plan = plan_of(which);
	int			code;

	if (newest)
	{
		CommandCounterIncrement();	/* what this statement has written so far counts too */
		code = SPI_execute_snapshot(plan, values, nulls, GetLatestSnapshot(), InvalidSnapshot, true, false, 0);
	}
	else
		code = SPI_execute_plan(plan, values, nulls, !queries[which].writes, 0);
	if (code < 0)
		elog(ERROR, "hbscore could not run a statement: %s", SPI_result_code_string(code));
}

/*
 * The context of an error. PostgreSQL shows the text of the failed statement there, which the user did not write. A line
 * that says what the statement is for replaces it.
 */
static char *
context_in_words(const char *context, const query *failed, Datum *values)
{
	const char *at = strstr(context, failed->text);
	size_t		before,
				line;
	StringInfoData words;

	if (!at)
		return pstrdup(context);
	for (before = at - context; before > 0 && context[before - 1] != '\n';)
		before--;
	line = at - context - before + strlen(failed->text);
	line += strcspn(context + before + line, "\n");
	initStringInfo(&words);
	appendBinaryStringInfo(&words, context, (int) before);
	if (failed->doing)
		appendStringInfo(&words, failed->doing, failed->n_types > 0 ? TextDatumGetCString(values[0]) : "");
	else if (context[before + line] == '\n')
		line++;
	appendStringInfoString(&words, context + before + line);
	while (words.len > 0 && words.data[words.len - 1] == '\n')
		words.data[--words.len] = '\0';
	return words.len > 0 ? words.data : NULL;
}

void
hbpg_run(hbpg_query which, Datum *values, const char *nulls, bool newest)
{
	MemoryContext caller = CurrentMemoryContext;

	check_usage();
	hbpg_check_interface();
	if (needs_row_security(which))
		hbpg_check_row_security();
	PG_TRY();
	{
		run_query(which, values, nulls, newest);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(caller);
		error = CopyErrorData();
		FlushErrorState();
		if (error->context)
			error->context = context_in_words(error->context, &queries[which], values);
		ReThrowError(error);
	}
	PG_END_TRY();
}

Datum
hbpg_column(uint64 row, int column, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, isnull);
}

Datum
hbpg_name_datum(hbs_text name)
{
	return CStringGetTextDatum(hbpg_to_server(name.bytes, name.size));
}
