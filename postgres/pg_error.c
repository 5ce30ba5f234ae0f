/*
 * pg_error.c - what goes wrong, as an SQLSTATE and a text; texts between UTF-8 and the server's encoding.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "access/xact.h"
#include "catalog/namespace.h"
#include "mb/pg_wchar.h"

int
hbpg_sqlstate(hbs_status status)
{
	switch (status)
	{
		case HBS_E_FORMAT:
			return ERRCODE_INVALID_BINARY_REPRESENTATION;
		case HBS_E_LIMIT:
			return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
		case HBS_E_UNSUPPORTED:
			return ERRCODE_FEATURE_NOT_SUPPORTED;
		case HBS_E_NOMEM:
			return ERRCODE_OUT_OF_MEMORY;
		case HBS_E_CANCEL:
			return ERRCODE_QUERY_CANCELED;
		case HBS_E_TYPE:
			return ERRCODE_DATATYPE_MISMATCH;
		case HBS_E_ARGS:
			return ERRCODE_INVALID_PARAMETER_VALUE;
		case HBS_E_NOENT:
			return ERRCODE_UNDEFINED_OBJECT;
		case HBS_OK:
		case HBS_E_INTERNAL:
			break;
	}
	return ERRCODE_INTERNAL_ERROR;
}

void
hbpg_raise_hint(const hbs_error *error, const char *hint)
{
	if (error->status == HBS_E_CANCEL)
		CHECK_FOR_INTERRUPTS();
	ereport(ERROR,
			(errcode(hbpg_sqlstate(error->status)),
			 errmsg_internal("%s", hbpg_to_server(error->text, strlen(error->text))),
			 hint ? errhint("%s", hint) : 0));
	pg_unreachable();
}

void
hbpg_raise(const hbs_error *error)
{
	hbpg_raise_hint(error, NULL);
}

/* ---- encodings */

hbs_text
hbpg_to_core(const char *bytes, size_t size)
{
	char	   *converted = pg_server_to_any(bytes, (int) size, PG_UTF8);

	return (hbs_text) {converted, converted == bytes ? size : strlen(converted)};
}

bool
hbpg_try_to_core(const char *bytes, size_t size, hbs_text *converted)
{
	int			encoding = GetDatabaseEncoding();
	Oid			conversion;
	int			room = (int) size * MAX_CONVERSION_GROWTH + 1;
	unsigned char *buffer;

	*converted = (hbs_text) {bytes, size};
	if (encoding == PG_UTF8 || size == 0)
		return true;
	if (encoding == PG_SQL_ASCII)	/* bytes that may be UTF-8 */
		return pg_verify_mbstr(PG_UTF8, bytes, (int) size, true);
	conversion = FindDefaultConversionProc(encoding, PG_UTF8);
	if (!OidIsValid(conversion))
		return false;
	buffer = palloc(room);
	if (pg_do_encoding_conversion_buf(conversion, encoding, PG_UTF8, (unsigned char *) unconstify(char *, bytes), (int) size,
									  buffer, room, true) < (int) size)
		return false;
	*converted = (hbs_text) {(char *) buffer, strlen((char *) buffer)};
	return true;
}

hbs_text
hbpg_text_to_core(text *value)
{
	return hbpg_to_core(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
}

/* The text with '?' in place of each byte that is not ASCII, for characters that the server's encoding lacks. */
static char *
to_plain_ascii(const char *bytes, size_t size)
{
	char	   *text = pnstrdup(bytes, size);

	for (char *at = text; *at; at++)
		if (IS_HIGHBIT_SET(*at))
			*at = '?';
	return text;
}

char *
hbpg_to_server(const char *bytes, size_t size)
{
	int			encoding = GetDatabaseEncoding();
	Oid			conversion;
	int			room = (int) size * MAX_CONVERSION_GROWTH + 1;
	unsigned char *converted;

	if (encoding == PG_UTF8 || encoding == PG_SQL_ASCII)
		return pnstrdup(bytes, size);
	if (!IsTransactionState())
		return to_plain_ascii(bytes, size);
	conversion = FindDefaultConversionProc(PG_UTF8, encoding);
	if (!OidIsValid(conversion))
		return to_plain_ascii(bytes, size);
	converted = palloc(room);
	if (pg_do_encoding_conversion_buf(conversion, PG_UTF8, encoding, (unsigned char *) bytes, (int) size,
									  converted, room, true) < (int) size)
		return to_plain_ascii(bytes, size);
	return (char *) converted;
}

char *
hbpg_result_to_server(const char *bytes, size_t size)
{
	int			encoding = GetDatabaseEncoding();

	if (encoding == PG_UTF8 || encoding == PG_SQL_ASCII)
		return pnstrdup(bytes, size);
	return pg_any_to_server(pnstrdup(bytes, size), (int) size, PG_UTF8);
}
