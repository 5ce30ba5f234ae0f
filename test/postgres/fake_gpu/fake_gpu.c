/* fake_gpu.c - the fake driver of test/gpu/fake, as SQL sees and changes it in this session: fake_gpu('calls'), and
 * fake_gpu('fail_at', 40), which gives what was there before. */
#include "postgres.h"

#include <dlfcn.h>

#include "fmgr.h"
#include "utils/builtins.h"

#include "gpu/fake/libcuda.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(fake_gpu);
extern PGDLLEXPORT Datum fake_gpu(PG_FUNCTION_ARGS);

static fake_cuda *
driver(void)
{
	void	   *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	fake_cuda  *found = library ? dlsym(library, FAKE_CUDA_STATE) : NULL;

	if (!found)
		elog(ERROR, "this server has no fake driver");
	return found;
}

/* Reads the member, and writes it where there is a value. */
#define MEMBER(member) \
	do \
	{ \
		if (strcmp(name, #member) == 0) \
		{ \
			int64		before = (int64) fake->member; \
			if (PG_NARGS() > 1) \
				fake->member = PG_GETARG_INT64(1); \
			PG_RETURN_INT64(before); \
		} \
	} while (0)

Datum
fake_gpu(PG_FUNCTION_ARGS)
{
	const char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	fake_cuda  *fake = driver();

	MEMBER(version);
	MEMBER(devices);
	MEMBER(major);
	MEMBER(fail_at);
	MEMBER(fail_code);
	MEMBER(sticky);
	MEMBER(hangs);
	MEMBER(not_ready);
	MEMBER(calls);
	MEMBER(live);
	MEMBER(depth);
	MEMBER(made);
	MEMBER(flying);
	MEMBER(most_flying);
	elog(ERROR, "the fake driver has no \"%s\"", name);
}
