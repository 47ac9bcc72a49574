/* library: shared libraries that few runs need, loaded on demand: only runs that use one pay its start-up time (OpenBLAS and libraries
 * built on it: 4 ms). Libraries that only one thread may use at a time. */
#ifndef BL_BASE_LIBRARY_H
#define BL_BASE_LIBRARY_H

#include "base/base.h"

typedef struct bl_library {
    const char *name;            /* in messages */
    const char *file;            /* "libsuperlu.so.5": searched by the dynamic linker */
    const char *advice;          /* for the user, if it is missing */
    const char *const *function; /* names, NULL-terminated */
} bl_library;

/* table: a struct of function pointers, in the order of the names. BL_E_ABILITY if the library or a function is missing. The library
 * stays loaded; loading it again costs nothing. */
bl_status bl_library_load(bl_context *ctx, const bl_library *library, void *table);

/* Libraries with state of their own allow one caller at a time; other threads wait between enter and leave. METIS draws from the C
 * library's rand() and replaces signal handlers during a call; ARPACK keeps variables from one call of an iteration to the next; MUMPS has
 * module variables. */
typedef enum bl_sole { BL_SOLE_METIS, BL_SOLE_ARPACK, BL_SOLE_MUMPS, BL_SOLE_COUNT } bl_sole;
void bl_library_enter(bl_sole which);
void bl_library_leave(bl_sole which);

#endif
