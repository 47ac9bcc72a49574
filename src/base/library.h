/* library: functions of shared libraries that few runs need, loaded when one does. What a library costs at the start of a program (OpenBLAS
 * and what stands on it: 4 ms) is then paid by those who use it. */
#ifndef BL_BASE_LIBRARY_H
#define BL_BASE_LIBRARY_H

#include "base/base.h"

typedef struct bl_library {
    const char *name;            /* in messages */
    const char *file;            /* "libsuperlu.so.5": found as the linker of programs finds it */
    const char *advice;          /* what to do when it is missing */
    const char *const *function; /* names, NULL behind the last */
} bl_library;

/* table: a struct of function pointers, in the order of the names. BL_E_ABILITY when the library or one of them is missing. The library
 * stays loaded, as one that is linked would; loading it again costs nothing. */
bl_status bl_library_load(bl_context *ctx, const bl_library *library, void *table);

#endif
