/*
 * next.c - what the library of a next version has more, in the test of upgrades (test/tap/upgrade.sh): a function of its script.
 */
#include "postgres.h"

#include "fmgr.h"

extern PGDLLEXPORT Datum hbscore_one_more(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(hbscore_one_more);

Datum
hbscore_one_more(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(PG_GETARG_INT32(0) + 1);
}
