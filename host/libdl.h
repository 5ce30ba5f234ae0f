/* libdl.h - the functions that open libraries, where they may be missing.
 *
 * glibc 2.34 has these in the C library; before, the host has brought libdl, which it needs to open this file. By their
 * old names the extension can be loaded with both, also where they are missing. */
#ifndef HOST_LIBDL_H
#define HOST_LIBDL_H

#include <dlfcn.h>

#if defined(__x86_64__) && defined(__GLIBC__)
__asm__(".symver dlopen, dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
__asm__(".symver dlclose, dlclose@GLIBC_2.2.5");
__asm__(".symver dladdr, dladdr@GLIBC_2.2.5");
#endif
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlclose
#pragma weak dladdr

#endif
