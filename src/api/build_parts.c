/* The version, and what was built in. */
#include "base/isa.h"
#include "biela/version.h"
#include "dense/dense.h"

#include <stdio.h>
#include <string.h>

#include <klu.h>
#ifdef BIELA_METIS
#include <metis.h>
#endif

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

#ifndef BIELA_MUMPS
#define BIELA_MUMPS_FILE NULL
#endif
#ifndef BIELA_ARPACK
#define BIELA_ARPACK_FILE NULL
#endif
#ifndef BIELA_PETSC
#define BIELA_PETSC_FILE NULL
#endif
#ifdef BIELA_METIS
#define METIS_TEXT TEXT(METIS_VER_MAJOR) "." TEXT(METIS_VER_MINOR) "." TEXT(METIS_VER_SUBMINOR)
#else
#define METIS_TEXT NULL
#endif

const char *bl_version(void) { return BIELA_VERSION; }

void bl_build_parts(void (*visit)(void *user, const char *name, const char *value), void *user) {
    char sets[64] = "", blas[1024];
    bl_context *ctx = NULL;
    visit(user, "compiler", COMPILER);
    for (bl_isa isa = BL_ISA_PLAIN; isa < (BL_ISA_WIDE ? BL_ISA_COUNT : 1); isa++)
        snprintf(sets + strlen(sets), sizeof sets - strlen(sets), "%s%s", isa ? ", " : "", bl_isa_name(isa));
    visit(user, "instruction_sets", sets);
    visit(user, "instruction_set", bl_context_create(NULL, &ctx) == BL_OK ? bl_isa_name(bl_context_isa(ctx)) : NULL);
    bl_context_destroy(ctx);
    visit(user, "blas", bl_dense_blas_file(blas, sizeof blas) ? blas : "linked in");
    visit(user, "klu", TEXT(KLU_MAIN_VERSION) "." TEXT(KLU_SUB_VERSION) "." TEXT(KLU_SUBSUB_VERSION));
    visit(user, "superlu", BIELA_SUPERLU_FILE);
    visit(user, "mumps", BIELA_MUMPS_FILE);
    visit(user, "arpack", BIELA_ARPACK_FILE);
    visit(user, "metis", METIS_TEXT);
    visit(user, "petsc", BIELA_PETSC_FILE);
    visit(user, "hdf5", BIELA_HDF5_FILE);
}
