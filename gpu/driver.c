/* driver.c - see driver.h. */
#include "gpu/driver.h"

#include <dlfcn.h>
#include <string.h>

/* POSIX has a function's address as that of an object. */
static int find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);

    memcpy(function, &address, sizeof(address));
    return address != NULL;
}

const char *hbg_driver_open(hbg_driver *driver)
{
    memset(driver, 0, sizeof(*driver));
    driver->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver->library)
        return "there is no libcuda.so.1, which NVIDIA's driver brings";
#define HBG_DRIVER_LINE(name, arguments)              \
    if (!find(driver->library, #name, &driver->name)) \
        return "libcuda.so.1 is too old: it has no " #name;
    HBG_DRIVER_FUNCTIONS
#undef HBG_DRIVER_LINE
    return NULL;
}
