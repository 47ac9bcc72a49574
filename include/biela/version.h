/* version: that of the headers and of the library, and what the library was built with. */
#ifndef BIELA_VERSION_H
#define BIELA_VERSION_H

#include "biela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BIELA_VERSION "0.1.0" /* of the headers */

BL_API const char *bl_version(void); /* of the library */

/* Calls visit for every part of the build, with a word as its name: compiler, instruction_sets, instruction_set (of new contexts), blas
 * (the file of the shared library, or "linked in"), klu, superlu, mumps, arpack, metis, petsc, hdf5. value is a version or the name of a
 * shared library, which is loaded when it is needed; NULL: not part of this build. Texts are valid during the call. */
BL_API void bl_build_parts(void (*visit)(void *user, const char *name, const char *value), void *user);

#ifdef __cplusplus
}
#endif
#endif
