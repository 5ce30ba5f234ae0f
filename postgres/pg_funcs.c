/*
 * pg_funcs.c - predict and its family.
 *
 * One row a call. The first call of an expression finds the model; later ones find the scorer in fn_extra.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#define ENTRY(name) \
	extern PGDLLEXPORT Datum hbscore_##name(PG_FUNCTION_ARGS); \
	PG_FUNCTION_INFO_V1(hbscore_##name)

/* NULL: the result is NULL. */
static hbpg_scorer *
score(FunctionCallInfo fcinfo, hbs_function function, bool pinned, hbs_result *result)
{
	hbpg_call  *call;
	hbpg_scorer *scorer;

	if (PG_ARGISNULL(0))
		return NULL;
	call = hbpg_call_of(fcinfo, function, pinned, 1);
	scorer = hbpg_scorer_of(call, PG_GETARG_TEXT_PP(0));
	return hbpg_score(fcinfo, call, scorer, result) ? scorer : NULL;
}

/* ---- one value */

static void
class_of(const hbpg_scorer *scorer, const hbs_result *result, hbs_value *label)
{
	hbs_plan_class(scorer->plan->compiled, (size_t) result->label[0], label);
}

static Datum
predict(FunctionCallInfo fcinfo, bool pinned)
{
	hbs_result	result;
	hbpg_scorer *scorer = score(fcinfo, HBS_PREDICT, pinned, &result);
	hbs_value	label;

	if (!scorer)
		PG_RETURN_NULL();
	if (!(scorer->outputs & HBS_OUT_LABEL))
		PG_RETURN_FLOAT8(result.value[0]);
	class_of(scorer, &result, &label);
	PG_RETURN_FLOAT8(hbpg_label_float8(&label, scorer->shown));
}

static Datum
predict_label(FunctionCallInfo fcinfo, bool pinned)
{
	hbs_result	result;
	hbpg_scorer *scorer = score(fcinfo, HBS_PREDICT_LABEL, pinned, &result);
	hbs_value	label;

	if (!scorer)
		PG_RETURN_NULL();
	class_of(scorer, &result, &label);
	PG_RETURN_TEXT_P(hbpg_label_text(&label));
}

/* The place of the class; of one that is the same for all rows it is looked up once. */
static size_t
find_class(FunctionCallInfo fcinfo, hbpg_call *call, hbpg_scorer *scorer)
{
	hbs_value	label;
	hbs_error	error;
	size_t		found;

	if (scorer->class_index >= 0)
		return (size_t) scorer->class_index;
	hbpg_value(&call->label, PG_GETARG_DATUM(1), PG_ARGISNULL(1), &label, NULL, scorer->shown, 0);
	hbpg_check(hbs_run_class(scorer->run, &label, &found, &error), &error);
	if (get_fn_expr_arg_stable(fcinfo->flinfo, 1))
		scorer->class_index = (int) found;
	return found;
}

static Datum
predict_probability(FunctionCallInfo fcinfo, bool pinned)
{
	hbpg_call  *call;
	hbpg_scorer *scorer;
	hbs_result	result;
	size_t		class;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	call = hbpg_call_of(fcinfo, HBS_PREDICT_PROBABILITY, pinned, 2);
	scorer = hbpg_scorer_of(call, PG_GETARG_TEXT_PP(0));
	class = find_class(fcinfo, call, scorer);
	if (!hbpg_score(fcinfo, call, scorer, &result))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(result.probabilities[class]);
}

ENTRY(predict);
Datum
hbscore_predict(PG_FUNCTION_ARGS)
{
	return predict(fcinfo, false);
}

ENTRY(predict_version);
Datum
hbscore_predict_version(PG_FUNCTION_ARGS)
{
	return predict(fcinfo, true);
}

ENTRY(predict_label);
Datum
hbscore_predict_label(PG_FUNCTION_ARGS)
{
	return predict_label(fcinfo, false);
}

ENTRY(predict_label_version);
Datum
hbscore_predict_label_version(PG_FUNCTION_ARGS)
{
	return predict_label(fcinfo, true);
}

ENTRY(predict_probability);
Datum
hbscore_predict_probability(PG_FUNCTION_ARGS)
{
	return predict_probability(fcinfo, false);
}

ENTRY(predict_probability_version);
Datum
hbscore_predict_probability_version(PG_FUNCTION_ARGS)
{
	return predict_probability(fcinfo, true);
}

/* ---- several numbers */

/* `missing`: a NaN is a number that is missing. */
static Datum
array_of(const double *numbers, size_t n, bool missing)
{
	Datum	   *datums = palloc(sizeof(Datum) * Max(n, 1));
	bool	   *nulls = palloc0(sizeof(bool) * Max(n, 1));
	int			dims[1] = {(int) n};
	int			lower[1] = {1};

	for (size_t i = 0; i < n; i++)
	{
		datums[i] = Float8GetDatum(numbers[i]);
		nulls[i] = missing && numbers[i] != numbers[i];
	}
	return PointerGetDatum(construct_md_array(datums, nulls, 1, dims, lower, FLOAT8OID, sizeof(float8),
											  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

ENTRY(predict_proba);
Datum
hbscore_predict_proba(PG_FUNCTION_ARGS)
{
	hbs_result	result;
	hbpg_scorer *scorer = score(fcinfo, HBS_PREDICT_PROBA, false, &result);

	if (!scorer)
		PG_RETURN_NULL();
	return array_of(result.probabilities, scorer->plan->info.probabilities_width, false);
}

ENTRY(predict_values);
Datum
hbscore_predict_values(PG_FUNCTION_ARGS)
{
	hbs_result	result;
	hbpg_scorer *scorer = score(fcinfo, HBS_PREDICT_VALUES, false, &result);

	if (!scorer)
		PG_RETURN_NULL();
	return array_of(result.values, scorer->plan->info.values_width, false);
}

ENTRY(decision_function);
Datum
hbscore_decision_function(PG_FUNCTION_ARGS)
{
	hbs_result	result;
	hbpg_scorer *scorer = score(fcinfo, HBS_DECISION_FUNCTION, false, &result);

	if (!scorer)
		PG_RETURN_NULL();
	return array_of(result.raw, scorer->plan->info.raw_width, false);
}

ENTRY(transform);
Datum
hbscore_transform(PG_FUNCTION_ARGS)
{
	hbs_result	result;
	hbpg_scorer *scorer = score(fcinfo, HBS_TRANSFORM, false, &result);

	if (!scorer)
		PG_RETURN_NULL();
	return array_of(result.transform, scorer->plan->info.transform_width, true);
}

ENTRY(predict_json);
Datum
hbscore_predict_json(PG_FUNCTION_ARGS)
{
	hbs_result	result;
	hbpg_scorer *scorer = score(fcinfo, HBS_PREDICT_JSON, false, &result);
	size_t		size;
	char	   *json;

	if (!scorer)
		PG_RETURN_NULL();
	size = hbs_format_result(scorer->run, &result, 0, scorer->shown, NULL, 0);
	json = palloc(size + 1);
	hbs_format_result(scorer->run, &result, 0, scorer->shown, json, size + 1);
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(hbpg_result_to_server(json, size)));
}
