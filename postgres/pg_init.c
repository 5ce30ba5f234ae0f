/*
 * pg_init.c - what happens when the library is loaded: by the first call of a function, or at the start of the server
 * or the session where it is preloaded. There is no difference.
 */
#include "pg_batch.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	hbpg_memory_init();
	host_device_place();
	hbpg_cache_init();
	hbpg_settings_init();
	hbpg_interface_init();
	hbpg_security_init();
	hbpg_plan_init();
}
