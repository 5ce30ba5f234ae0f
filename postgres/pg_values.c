/*
 * pg_values.c - Datums to hbscore's values by their SQL type, and labels back.
 *
 * The core decides by the feature's type what a text means (a number, a category), so that it means the same in
 * SQLite. Dates and times are refused: only the trainer knows which number or category one is.
 */
#include "pg_hbscore.h"

#include <math.h>
#include <string.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/syscache.h"

/* ---- types */

static bool
is_text_category(Oid type)
{
	char		category;
	bool		preferred;

	get_type_category_preferred(type, &category, &preferred);
	return category == TYPCATEGORY_STRING;
}

static hbpg_kind
kind_of(Oid type)
{
	switch (type)
	{
		case FLOAT8OID:
			return HBPG_FLOAT8;
		case FLOAT4OID:
			return HBPG_FLOAT4;
		case INT2OID:
			return HBPG_INT2;
		case INT4OID:
			return HBPG_INT4;
		case INT8OID:
			return HBPG_INT8;
		case BOOLOID:
			return HBPG_BOOL;
		case NUMERICOID:
			return HBPG_NUMERIC;
		case TEXTOID:
		case VARCHAROID:
			return HBPG_TEXT;
		case BPCHAROID:
			return HBPG_BPCHAR;
		case NAMEOID:
			return HBPG_NAME;
		case CHAROID:
			return HBPG_CHAR;
		case UNKNOWNOID:
			return HBPG_CSTRING;
		case JSONOID:
			return HBPG_JSON;
		case JSONBOID:
			return HBPG_JSONB;
		case RECORDOID:
			return HBPG_RECORD;
		default:
			break;
	}
	if (OidIsValid(get_element_type(type)))
		return HBPG_ARRAY;
	if (type_is_rowtype(type))
		return HBPG_RECORD;
	if (get_typtype(type) == TYPTYPE_ENUM)
		return HBPG_ENUM;
	return OidIsValid(type) && is_text_category(type) ? HBPG_OUTPUT : HBPG_REFUSED;
}

void
hbpg_type_init(hbpg_type *type, Oid oid, MemoryContext context)
{
	Oid			function;
	bool		is_varlena;

	type->type = oid;
	type->kind = OidIsValid(oid) ? kind_of(getBaseType(oid)) : HBPG_REFUSED;
	if (type->kind != HBPG_OUTPUT && type->kind != HBPG_ENUM)
		return;
	getTypeOutputInfo(oid, &function, &is_varlena);
	fmgr_info_cxt(function, &type->output, context);
}

/* ---- refusals, in the words of the core's own */

/* "7" or "\"tenure\"". */
static const char *
feature_name(const hbs_plan *plan, size_t feature, hbs_type *takes)
{
	hbs_plan_info info;
	hbs_text	name = {NULL, 0};
	host_shown	shown;

	hbs_plan_get_info(plan, &info);
	*takes = HBS_FLOAT64;
	if (feature < info.features)
		hbs_plan_feature(plan, feature, &name, takes);
	if (name.size == 0)
		return psprintf("%zu", feature + 1);
	return psprintf("\"%s\"", host_show(&shown, name.bytes, name.size));
}

static const char *
refusal_hint(const hbpg_type *type)
{
	switch (getBaseType(type->type))
	{
		case DATEOID:
		case TIMEOID:
		case TIMETZOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case INTERVALOID:
			return "Give what the model was trained on: extract(...) makes a number of it, to_char(...) a text.";
		default:
			break;
	}
	if (hbpg_is_row(type->kind))
		return "An array, a row or a JSON object holds all features: it is given alone.";
	return NULL;
}

static void
refuse_value(const hbpg_type *type, const hbs_plan *plan, const char *model, size_t feature, const char *what)
{
	hbs_type	takes;
	hbs_error	error;
	const char *shown;

	if (!plan)
	{
		host_fail(&error, HBS_E_TYPE, "a class is given by its label, text or a number, not %s", what);
		hbpg_raise(&error);
	}
	shown = feature_name(plan, feature, &takes);
	host_fail(&error, HBS_E_TYPE, "model \"%.*s\": feature %s takes %s, got %s", (int) strcspn(model, "@"), model, shown,
			  takes == HBS_TEXT ? "a text" : "a number", what);
	hbpg_raise_hint(&error, refusal_hint(type));
}

/* ---- values */

/* A number that a double does not reach is no infinity: false. */
bool
hbpg_numeric(Datum datum, double *number)
{
	*number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, datum));
	return !isinf(*number) || numeric_is_inf(DatumGetNumeric(datum));
}

/*
 * The core takes at most DIGITS digits of a number. If any digit behind them is not zero, the last one becomes 1: all that
 * counts is whether the rest is zero.
 */
enum { DIGITS = 1000 };

static void
cut_digits(char *digits)
{
	if (strlen(digits) <= DIGITS)
		return;
	if (digits[DIGITS + strspn(digits + DIGITS, "0")] != '\0')
		digits[DIGITS - 1] = '1';
	digits[DIGITS] = '\0';
}

/* From 2^52 on a double may be another whole number, and so another category: the core gets the digits. */
static bool
numeric_value(Datum datum, hbs_value *value)
{
	char	   *digits;
	double		number;

	if (!hbpg_numeric(datum, &number))
		return false;
	value->type = HBS_FLOAT64;
	value->as.f64 = number;
	if (isinf(number) || !(fabs(number) >= (double) (INT64CONST(1) << 52)))
		return true;
	digits = DatumGetCString(DirectFunctionCall1(numeric_out, datum));
	cut_digits(digits);
	value->type = HBS_DECIMAL;
	value->as.text = (hbs_text) {digits, strlen(digits)};
	return true;
}

/* False: the bytes are no text of the server's encoding. `raises`: then that raises. */
static bool
text_value(const char *bytes, size_t size, hbs_value *value, bool raises)
{
	value->type = HBS_TEXT;
	if (!raises)
		return hbpg_try_to_core(bytes, size, &value->as.text);
	value->as.text = hbpg_to_core(bytes, size);
	return true;
}

/* Blanks at the end of a character(n) are none of its value. */
static size_t
without_blanks(const char *bytes, size_t size)
{
	while (size > 0 && bytes[size - 1] == ' ')
		size--;
	return size;
}

static bool
varlena_value(hbpg_kind kind, Datum datum, hbs_value *value, bool raises)
{
	text	   *packed = DatumGetTextPP(datum);
	const char *bytes = VARDATA_ANY(packed);
	size_t		size = VARSIZE_ANY_EXHDR(packed);

	return text_value(bytes, kind == HBPG_BPCHAR ? without_blanks(bytes, size) : size, value, raises);
}

static bool
cstring_value(const char *bytes, hbs_value *value, bool raises)
{
	return text_value(bytes, strlen(bytes), value, raises);
}

static bool
char_value(char c, hbs_value *value, bool raises)
{
	char	   *bytes = palloc(1);

	*bytes = c;
	return text_value(bytes, c ? 1 : 0, value, raises);
}

bool
hbpg_is_value(hbpg_kind kind)
{
	return kind != HBPG_REFUSED && !hbpg_is_row(kind);
}

static bool
take_value(const hbpg_type *type, Datum datum, bool isnull, hbs_value *value, bool raises)
{
	value->type = HBS_NULL;
	if (isnull)
		return hbpg_is_value(type->kind);
	switch (type->kind)
	{
		case HBPG_FLOAT8:
			value->type = HBS_FLOAT64;
			value->as.f64 = DatumGetFloat8(datum);
			break;
		case HBPG_FLOAT4:
			value->type = HBS_FLOAT32;
			value->as.f32 = DatumGetFloat4(datum);
			break;
		case HBPG_INT2:
			value->type = HBS_INT64;
			value->as.i64 = DatumGetInt16(datum);
			break;
		case HBPG_INT4:
			value->type = HBS_INT64;
			value->as.i64 = DatumGetInt32(datum);
			break;
		case HBPG_INT8:
			value->type = HBS_INT64;
			value->as.i64 = DatumGetInt64(datum);
			break;
		case HBPG_BOOL:
			value->type = HBS_BOOL;
			value->as.boolean = DatumGetBool(datum);
			break;
		case HBPG_NUMERIC:
			return numeric_value(datum, value);
		case HBPG_TEXT:
		case HBPG_BPCHAR:
			return varlena_value(type->kind, datum, value, raises);
		case HBPG_NAME:
			return cstring_value(NameStr(*DatumGetName(datum)), value, raises);
		case HBPG_CHAR:
			return char_value(DatumGetChar(datum), value, raises);
		case HBPG_CSTRING:
			return cstring_value(DatumGetCString(datum), value, raises);
		case HBPG_ENUM:
		case HBPG_OUTPUT:
			return cstring_value(OutputFunctionCall(unconstify(FmgrInfo *, &type->output), datum), value, raises);
		case HBPG_REFUSED:
		case HBPG_ARRAY:
		case HBPG_RECORD:
		case HBPG_JSON:
		case HBPG_JSONB:
			return false;
	}
	return true;
}

bool
hbpg_try_value(const hbpg_type *type, Datum datum, bool isnull, hbs_value *value)
{
	return take_value(type, datum, isnull, value, false);
}

void
hbpg_value(const hbpg_type *type, Datum datum, bool isnull, hbs_value *value, const hbs_plan *plan, const char *model,
		   size_t feature)
{
	if (take_value(type, datum, isnull, value, true))
		return;
	refuse_value(type, plan, model, feature,
		   hbpg_is_value(type->kind) ? "a numeric beyond the range of double precision" :
		   psprintf("a value of type %s", format_type_be(type->type)));
}

/* Whole numbers up to here are doubles without loss. */
#define MOST_EXACT (INT64CONST(1) << 53)

bool
hbpg_number(hbpg_kind kind, Datum datum, bool isnull, double *number)
{
	int64		whole;

	switch (kind)
	{
		case HBPG_FLOAT8:
			*number = isnull ? get_float8_nan() : DatumGetFloat8(datum);
			return true;
		case HBPG_FLOAT4:
			*number = isnull ? get_float8_nan() : (double) DatumGetFloat4(datum);
			return true;
		case HBPG_INT2:
			*number = isnull ? get_float8_nan() : (double) DatumGetInt16(datum);
			return true;
		case HBPG_INT4:
			*number = isnull ? get_float8_nan() : (double) DatumGetInt32(datum);
			return true;
		case HBPG_INT8:
			if (isnull)
			{
				*number = get_float8_nan();
				return true;
			}
			whole = DatumGetInt64(datum);
			*number = (double) whole;
			return whole >= -MOST_EXACT && whole <= MOST_EXACT;
		default:
			return false;
	}
}

/* ---- labels */

/* float8 would round a label that no double holds to another label. */
static double
whole_label(int64 label, const char *model)
{
	double		number = (double) label;

	if (number >= 9223372036854775808.0 || (int64) number != label)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("model \"%s\" predicts the label " INT64_FORMAT ", which double precision would round",
						hbpg_to_server(model, strcspn(model, "@")), label),
				 errhint("Use predict_label.")));
	return number;
}

double
hbpg_label_float8(const hbs_value *label, const char *model)
{
	switch (label->type)
	{
		case HBS_INT64:
			return whole_label(label->as.i64, model);
		case HBS_BOOL:
			return label->as.boolean ? 1 : 0;
		case HBS_FLOAT32:
			return (double) label->as.f32;
		case HBS_FLOAT64:
			return label->as.f64;
		default:
			break;
	}
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("model \"%s\" predicts labels that are texts, and predict gives a number",
					hbpg_to_server(model, strcspn(model, "@"))),
			 errhint("Use predict_label.")));
	return 0;
}

/* As the label's own type writes it: 1, not 1.0; true. */
text *
hbpg_label_text(const hbs_value *label)
{
	char		number[64];

	switch (label->type)
	{
		case HBS_TEXT:
			return cstring_to_text(hbpg_result_to_server(label->as.text.bytes, label->as.text.size));
		case HBS_INT64:
			snprintf(number, sizeof(number), INT64_FORMAT, label->as.i64);
			break;
		case HBS_BOOL:
			strlcpy(number, label->as.boolean ? "true" : "false", sizeof(number));
			break;
		case HBS_FLOAT32:
			hbs_format_double((double) label->as.f32, number);
			break;
		default:
			hbs_format_double(label->as.f64, number);
			break;
	}
	return cstring_to_text(number);
}

/* A text would end before a NUL, and be another label. */
void
hbpg_check_label(const hbs_value *label, const char *model)
{
	host_shown	shown;

	if (label->type != HBS_TEXT || !memchr(label->as.text.bytes, '\0', label->as.text.size))
		return;
	host_show(&shown, label->as.text.bytes, label->as.text.size);
	ereport(ERROR,
			(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
			 errmsg("model \"%s\": class \"%s\" has a NUL character, which a text cannot hold",
					hbpg_to_server(model, strcspn(model, "@")), hbpg_to_server(shown.text, strlen(shown.text)))));
}
