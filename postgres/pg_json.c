/*
 * pg_json.c - a jsonb as the text that the core reads. The text is that of jsonb's own output; but PostgreSQL's function for
 * it looks at no interrupt, and golden rows of the largest size take it a quarter of a second.
 */
#include "pg_hbscore.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

static void
append_string(StringInfo out, const JsonbValue *value)
{
	char	   *string = pnstrdup(value->val.string.val, value->val.string.len);

	escape_json(out, string);
	pfree(string);
}

static void
append_scalar(StringInfo out, const JsonbValue *value)
{
	char	   *number;

	switch (value->type)
	{
		case jbvString:
			append_string(out, value);
			break;
		case jbvNumeric:
			number = DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
			appendStringInfoString(out, number);
			pfree(number);
			break;
		case jbvBool:
			appendStringInfoString(out, value->val.boolean ? "true" : "false");
			break;
		default:
			appendStringInfoString(out, "null");
			break;
	}
}

/* `first`: nothing stands before it, where a comma would part it from that. */
static void
append_token(StringInfo out, JsonbIteratorToken token, const JsonbValue *value, bool first)
{
	if (!first && (token == WJB_BEGIN_ARRAY || token == WJB_BEGIN_OBJECT || token == WJB_KEY || token == WJB_ELEM))
		appendStringInfoString(out, ", ");
	switch (token)
	{
		case WJB_BEGIN_ARRAY:
			appendStringInfoChar(out, '[');
			break;
		case WJB_END_ARRAY:
			appendStringInfoChar(out, ']');
			break;
		case WJB_BEGIN_OBJECT:
			appendStringInfoChar(out, '{');
			break;
		case WJB_END_OBJECT:
			appendStringInfoChar(out, '}');
			break;
		case WJB_KEY:
			append_string(out, value);
			appendStringInfoString(out, ": ");
			break;
		default:
			append_scalar(out, value);
			break;
	}
}

hbs_text
hbpg_json_to_core(Datum datum)
{
	Jsonb	   *json = DatumGetJsonbP(datum);
	JsonbIterator *iterator = JsonbIteratorInit(&json->root);
	bool		scalar = JB_ROOT_IS_SCALAR(json);	/* it stands in an array of one */
	bool		first = true;
	StringInfoData out;
	JsonbIteratorToken token;
	JsonbValue	value;

	initStringInfo(&out);
	while ((token = JsonbIteratorNext(&iterator, &value, false)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (!scalar || token == WJB_ELEM)
			append_token(&out, token, &value, first);
		first = token == WJB_BEGIN_ARRAY || token == WJB_BEGIN_OBJECT || token == WJB_KEY;
	}
	return hbpg_to_core(out.data, out.len);
}
