/*
 * pg_reference.c - the type model_ref: a reference to a model, as text.
 *
 * A type of its own and not text, so that postgres_fdw ships calls to another server, and so that a query's first
 * literal loads this library before the query is planned. Its input looks at the form only, at no table.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#define ENTRY(name) \
	extern PGDLLEXPORT Datum hbscore_##name(PG_FUNCTION_ARGS); \
	PG_FUNCTION_INFO_V1(hbscore_##name)

static text *
checked_reference(text *value)
{
	host_reference reference;
	hbs_error	error;

	hbpg_check(host_reference_read(hbpg_text_to_core(value), &reference, &error), &error);
	return value;
}

/* Since 16 who asks for a value may take an error as an answer (pg_input_is_valid, COPY with ON_ERROR). */
ENTRY(model_ref_in);
Datum
hbscore_model_ref_in(PG_FUNCTION_ARGS)
{
	text	   *value = cstring_to_text(PG_GETARG_CSTRING(0));
	host_reference reference;
	hbs_error	error;

	hbpg_entered(true);
	if (host_reference_read(hbpg_text_to_core(value), &reference, &error) != HBS_OK)
		hbpg_soft_error(fcinfo, hbpg_sqlstate(error.status), hbpg_to_server(error.text, strlen(error.text)));
	PG_RETURN_TEXT_P(value);
}

ENTRY(model_ref_out);
Datum
hbscore_model_ref_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(TextDatumGetCString(PG_GETARG_DATUM(0)));
}

ENTRY(model_ref_receive);
Datum
hbscore_model_ref_receive(PG_FUNCTION_ARGS)
{
	StringInfo	buffer = (StringInfo) PG_GETARG_POINTER(0);
	int			size;
	char	   *bytes = pq_getmsgtext(buffer, buffer->len - buffer->cursor, &size);

	PG_RETURN_TEXT_P(checked_reference(cstring_to_text_with_len(bytes, size)));
}

ENTRY(model_ref_send);
Datum
hbscore_model_ref_send(PG_FUNCTION_ARGS)
{
	text	   *value = PG_GETARG_TEXT_PP(0);
	StringInfoData buffer;

	pq_begintypsend(&buffer);
	pq_sendtext(&buffer, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	PG_RETURN_BYTEA_P(pq_endtypsend(&buffer));
}

/* The blanks at the end of a character(n) are none of its value. */
ENTRY(model_ref_of_character);
Datum
hbscore_model_ref_of_character(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(checked_reference(DatumGetTextPP(DirectFunctionCall1(rtrim1, PG_GETARG_DATUM(0)))));
}

/* 'churn@3#3f524cdc07a11d7c': the version that a reference means now, with the beginning of its digest. */
ENTRY(pin);
Datum
hbscore_pin(PG_FUNCTION_ARGS)
{
	host_reference reference;
	hbpg_found	found;
	hbs_error	error;
	char		pinned[sizeof(found.shown) + 17];
	int			size;

	hbpg_check(host_reference_read(hbpg_text_to_core(PG_GETARG_TEXT_PP(0)), &reference, &error), &error);
	hbpg_find_version(&reference, &found);
	size = snprintf(pinned, sizeof(pinned), "%s#", found.shown);
	for (int i = 0; i < 8; i++)
		size += snprintf(pinned + size, sizeof(pinned) - size, "%02x", found.digest[i]);
	PG_RETURN_TEXT_P(cstring_to_text(hbpg_to_server(pinned, size)));
}
