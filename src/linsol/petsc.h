/* petsc: the functions of PETSc and MPI that are used, loaded when a solver `petsc` is made or ranks begin (biela/ranks.h). Both keep their
 * state in their own libraries; biela has none. */
#ifndef BL_PETSC_H
#define BL_PETSC_H

#ifdef BIELA_PETSC

#include "base/base.h"

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

/* Loads the functions, and starts PETSc and MPI where nobody has. */
bl_status bl_petsc_begin(bl_context *ctx, bl_petsc *call);

#endif
#endif
