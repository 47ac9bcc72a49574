/* petsc: the functions of PETSc and MPI that are used, loaded when a solver `petsc` is created or ranks begin (biela/ranks.h). Both keep
 * their state in their own libraries; biela has none. */
#ifndef BL_PETSC_H
#define BL_PETSC_H

#ifdef BIELA_PETSC

#include "linsol/linsol.h"

#include <petscksp.h>

#if !defined(PETSC_USE_REAL_DOUBLE) || defined(PETSC_USE_COMPLEX) || defined(PETSC_USE_64BIT_INDICES)
#error "biela needs PETSc with real numbers in double precision and indices of 32 bits (Debian: libpetsc-real-dev)"
#endif

/* MPI comes with PETSc's library. PETSC_COMM_WORLD is a variable. */
#define BL_PETSC_SYMBOLS(USE)      \
    USE(PETSC_COMM_WORLD)          \
    USE(PetscInitialized)          \
    USE(PetscInitialize)           \
    USE(PetscFinalized)            \
    USE(PetscFinalize)             \
    USE(PetscPushErrorHandler)     \
    USE(PetscReturnErrorHandler)   \
    USE(PetscErrorMessage)         \
    USE(PetscGlobalMinMaxInt)      \
    USE(MPI_Finalized)             \
    USE(MPI_Comm_rank)             \
    USE(MPI_Comm_size)             \
    USE(MPI_Ibarrier)              \
    USE(MPI_Test)                  \
    USE(MPI_Abort)                 \
    USE(MatCreate)                 \
    USE(MatSetSizes)               \
    USE(MatSetBlockSize)           \
    USE(MatSetType)                \
    USE(MatSeqAIJSetPreallocation) \
    USE(MatMPIAIJSetPreallocation) \
    USE(MatSetOption)              \
    USE(MatSetValues)              \
    USE(MatAssemblyBegin)          \
    USE(MatAssemblyEnd)            \
    USE(MatCreateVecs)             \
    USE(MatMult)                   \
    USE(MatMultTranspose)          \
    USE(MatDestroy)                \
    USE(VecDuplicate)              \
    USE(VecSet)                    \
    USE(VecCopy)                   \
    USE(VecAXPY)                   \
    USE(VecAYPX)                   \
    USE(VecDot)                    \
    USE(VecNorm)                   \
    USE(VecPointwiseMult)          \
    USE(VecPointwiseDivide)        \
    USE(VecGetArray)               \
    USE(VecRestoreArray)           \
    USE(VecGetArrayRead)           \
    USE(VecRestoreArrayRead)       \
    USE(VecDestroy)                \
    USE(VecScatterCreateToAll)     \
    USE(VecScatterBegin)           \
    USE(VecScatterEnd)             \
    USE(VecScatterDestroy)         \
    USE(KSPCreate)                 \
    USE(KSPSetOptionsPrefix)       \
    USE(KSPSetType)                \
    USE(KSPSetNormType)            \
    USE(KSPSetConvergenceTest)     \
    USE(KSPSetFromOptions)         \
    USE(KSPSetOperators)           \
    USE(KSPSetTolerances)          \
    USE(KSPSetUp)                  \
    USE(KSPSetUpOnBlocks)          \
    USE(KSPSolve)                  \
    USE(KSPSolveTranspose)         \
    USE(KSPGetIterationNumber)     \
    USE(KSPGetConvergedReason)     \
    USE(KSPGetPC)                  \
    USE(KSPDestroy)                \
    USE(PCSetType)                 \
    USE(PCGetType)                 \
    USE(PCApply)                   \
    USE(PCApplyTranspose)          \
    USE(PCJacobiSetUseAbs)         \
    USE(PCBJacobiGetSubKSP)        \
    USE(PCFactorSetShiftType)      \
    USE(PCGAMGSetReuseInterpolation)

typedef struct bl_petsc {
#define USE(name) __typeof__(&name) name;
    BL_PETSC_SYMBOLS(USE)
#undef USE
} bl_petsc;

/* Loads the functions, and starts PETSc and MPI unless they are running. */
bl_status bl_petsc_begin(bl_context *ctx, bl_petsc *call);

/* ---- a solver: created and filled in petsc.c, solutions in petsc_solve.c */

typedef enum bl_petsc_method { BL_PETSC_CG, BL_PETSC_MINRES, BL_PETSC_GMRES, BL_PETSC_BICGSTAB } bl_petsc_method;

typedef struct bl_petsc_solver {
    bl_petsc call;
    MPI_Comm world;
    int rank, count;
    /* options */
    double tolerance; /* NAN: not given */
    bl_petsc_method method;
    int preconditioner; /* index in the list of choices */
    long most;
    int block;
    const char *ordering;
    /* of the pattern */
    const bl_pattern *pattern;
    int d;                  /* slots of a node */
    bl_index first, last;   /* own slots */
    bl_index *slot;         /* [n] of an unknown */
    bl_index *unknown;      /* [last - first] at an own slot, -1: none */
    bl_index *next, *empty; /* [n] scratch; rows without entries */
    bl_index longest;       /* entries of a column, with the diagonal */
    bl_index *col;          /* [longest] */
    double *row;            /* [longest] */
    /* of the values */
    double *scale; /* [n] |diagonal|, or the largest entry of the column if that is negligible */
    Mat A;
    KSP ksp;
    Vec b, r, x, dx, z, size, all; /* size: scale of the own slots; all: a copy of all slots */
    VecScatter gather;
    double target; /* of the present iteration */
    bool stopped;
} bl_petsc_solver;

static inline bool bl_petsc_symmetric(const bl_petsc_solver *s) { return s->method == BL_PETSC_CG || s->method == BL_PETSC_MINRES; }
const char *bl_petsc_method_name(const bl_petsc_solver *s); /* as PETSc calls it */

/* An error of PETSc as a message. BL_PETSC(function, arguments): returns it, in functions with `solver` and s, its own part. */
bl_status bl_petsc_failed(const bl_linsol *solver, PetscErrorCode error);
#define BL_PETSC(function, ...)                                      \
    do {                                                             \
        PetscErrorCode petsc_error_ = s->call.function(__VA_ARGS__); \
        if (petsc_error_)                                            \
            return bl_petsc_failed(solver, petsc_error_);            \
    } while (0)

/* Checks that all processes are at the same point with the same numbers, given by a hash key; otherwise all of them stop: PETSc would wait
 * forever or mix different matrices. A failure of this process is returned unchanged. */
bl_status bl_petsc_agree(bl_linsol *solver, bl_status status, uint64_t key);
uint64_t bl_petsc_key(uint64_t key, bl_index count, const double *numbers);

/* For KSPSetConvergenceTest: the iteration has reached s->target, or the user requests to stop. */
PetscErrorCode bl_petsc_converged(KSP ksp, PetscInt iteration, PetscReal size, KSPConvergedReason *reason, void *solver);
bl_status bl_petsc_solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x);

#endif
#endif
