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
#include "utils/lsyscache.h"

#define ENTRY(name) \
	extern PGDLLEXPORT Datum hbscore_##name(PG_FUNCTION_ARGS); \
	PG_FUNCTION_INFO_V1(hbscore_##name)

/* ---- one row's answer */

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

/* The row of a result to write as JSON, and the classes that predict_top has chosen. */
typedef struct answered
{
	const hbpg_scorer *scorer;
	const hbs_result *result;
	size_t		row;
	const uint32_t *best;
	size_t		n_best;
} answered;

/* As snprintf. */
typedef size_t (*writer) (const answered *a, char *buffer, size_t capacity);

static Datum
json_of(const answered *a, writer write)
{
	size_t		size = write(a, NULL, 0);
	char	   *json = palloc(size + 1);

	write(a, json, size + 1);
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(hbpg_result_to_server(json, size)));
}

static size_t
write_object(const answered *a, char *buffer, size_t capacity)
{
	return hbs_format_result(a->scorer->run, a->result, a->row, a->scorer->shown, buffer, capacity);
}

static size_t
write_probabilities(const answered *a, char *buffer, size_t capacity)
{
	return hbs_format_probabilities(a->scorer->run, a->result, a->row, buffer, capacity);
}

static size_t
write_best(const answered *a, char *buffer, size_t capacity)
{
	return hbs_format_classes(a->scorer->run, a->result, a->row, a->best, a->n_best, buffer, capacity);
}

static Datum
best_of(answered *a, size_t n)
{
	uint32_t   *classes = palloc(sizeof(uint32_t) * n);
	hbs_error	error;
	hbs_status	status;

	do
		status = hbs_best_classes(a->scorer->run, a->result, a->row, n, classes, &error);
	while (hbpg_again(status));
	hbpg_check(status, &error);
	a->best = classes;
	a->n_best = n;
	return json_of(a, write_best);
}

static hbs_value
label_of(const hbpg_scorer *scorer, const hbs_result *result, size_t row)
{
	hbs_value	label;

	hbs_plan_class(scorer->plan->compiled, (size_t) result->label[row], &label);
	return label;
}

static Datum
prediction_of(const hbpg_scorer *scorer, const hbs_result *result, size_t row)
{
	hbs_value	label;

	if (!(scorer->outputs & HBS_OUT_LABEL))
		return Float8GetDatum(result->value[row]);
	label = label_of(scorer, result, row);
	return Float8GetDatum(hbpg_label_float8(&label, scorer->shown));
}

Datum
hbpg_answer(hbs_function function, const hbpg_scorer *scorer, const hbs_result *result, size_t row, size_t choice)
{
	const hbs_plan_info *info = &scorer->plan->info;
	answered	a = {scorer, result, row, NULL, 0};
	hbs_value	label;

	switch (function)
	{
		case HBS_PREDICT:
			return prediction_of(scorer, result, row);
		case HBS_PREDICT_LABEL:
			label = label_of(scorer, result, row);
			return PointerGetDatum(hbpg_label_text(&label));
		case HBS_PREDICT_PROBABILITY:
			return Float8GetDatum(result->probabilities[row * info->probabilities_width + choice]);
		case HBS_PREDICT_PROBA:
			return array_of(result->probabilities + row * info->probabilities_width, info->probabilities_width, false);
		case HBS_PREDICT_VALUES:
			return array_of(result->values + row * info->values_width, info->values_width, false);
		case HBS_DECISION_FUNCTION:
			return array_of(result->raw + row * info->raw_width, info->raw_width, false);
		case HBS_TRANSFORM:
			return array_of(result->transform + row * info->transform_width, info->transform_width, true);
		case HBS_PREDICT_PROBABILITIES:
			return json_of(&a, write_probabilities);
		case HBS_PREDICT_TOP:
			return best_of(&a, choice);
		case HBS_PREDICT_JSON:
			break;
	}
	return json_of(&a, write_object);
}

/* ---- calls */

size_t
hbpg_find_choice(const hbpg_call *call, const hbpg_scorer *scorer, Datum datum, bool isnull)
{
	hbs_value	value;
	hbs_error	error;
	hbs_status	status;
	size_t		found;

	hbpg_value(&call->choice, datum, isnull, &value, NULL, scorer->shown, 0);
	if (call->function == HBS_PREDICT_TOP)
		status = hbs_run_top(scorer->run, &value, &found, &error);
	else
		status = hbs_run_class(scorer->run, &value, &found, &error);
	hbpg_check(status, &error);
	return found;
}

/*
 * One that is the same for all rows is looked up once. A parameter has one value in a statement. An expression of PL/pgSQL is no
 * statement: it keeps its scorers while its variables change.
 */
static bool
is_one_choice(FunctionCallInfo fcinfo, const hbpg_call *call)
{
	Node	   *node = fcinfo->flinfo->fn_expr;

	if (call->of_statement)
		return get_fn_expr_arg_stable(fcinfo->flinfo, 1);
	return node && IsA(node, FuncExpr) && IsA(lsecond(((FuncExpr *) node)->args), Const);
}

static size_t
choice_of(FunctionCallInfo fcinfo, hbpg_call *call, hbpg_scorer *scorer)
{
	size_t		found;

	if (call->leading < 2)
		return 0;
	if (scorer->choice >= 0)
		return (size_t) scorer->choice;
	found = hbpg_find_choice(call, scorer, PG_GETARG_DATUM(1), PG_ARGISNULL(1));
	if (is_one_choice(fcinfo, call))
		scorer->choice = (int) found;
	return found;
}

static Datum
answer_call(FunctionCallInfo fcinfo, hbs_function function, bool pinned, int leading)
{
	hbpg_call  *call;
	hbpg_scorer *scorer;
	hbs_result	result;
	size_t		choice;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	call = hbpg_call_of(fcinfo, function, pinned, leading);
	scorer = hbpg_scorer_of(call, PG_GETARG_TEXT_PP(0));
	choice = choice_of(fcinfo, call, scorer);
	if (!hbpg_score(fcinfo, call, scorer, &result))
		PG_RETURN_NULL();
	return hbpg_answer(function, scorer, &result, 0, choice);
}

#define SCORING_FUNCTION(name, function, pinned, leading) \
	ENTRY(name); \
	Datum \
	hbscore_##name(PG_FUNCTION_ARGS) \
	{ \
		return answer_call(fcinfo, function, pinned, leading); \
	}
#include "pg_functions.def"
#undef SCORING_FUNCTION

/* ---- which function it is */

static const hbpg_entry entries[] = {
#define SCORING_FUNCTION(name, function, pinned, leading) {hbscore_##name, function, pinned, leading},
#include "pg_functions.def"
#undef SCORING_FUNCTION
};

/* By the C functions behind it, since names and schemas can be anything. */
const hbpg_entry *
hbpg_entry_of(Oid function)
{
	Oid			support = get_func_support(function);
	FmgrInfo	info;

	if (!OidIsValid(support))
		return NULL;
	fmgr_info(support, &info);
	if (info.fn_addr != hbscore_support)
		return NULL;
	fmgr_info(function, &info);
	for (int i = 0; i < lengthof(entries); i++)
	{
		if (entries[i].address == info.fn_addr)
			return &entries[i];
	}
	return NULL;
}
