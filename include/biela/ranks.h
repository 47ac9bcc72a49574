/* Ranks: several processes that compute one model together, started by mpirun, in a build with PETSc (cmake -DBIELA_PETSC=ON).
 *
 * Every rank reads the model and makes the same calls with the same options, so that all take the same steps; the linear solver `petsc`
 * distributes the matrix and returns identical bits on all ranks. Only rank 0 should print and write. Sinks of the other ranks must want
 * the same data as those of rank 0 (bl_sink.want), since this determines what is computed.
 *
 *     bl_ranks_begin(ctx, &ranks);                     first of all, in every rank
 *     bl_simulate(...);
 *     if (!bl_ranks_meet(code, 10, &same))             at the end: some rank did not arrive,
 *         bl_ranks_abort(code);                        it is still waiting inside a solver
 *
 * A program without ranks needs none of this: there the solver `petsc` uses one process. */
#ifndef BIELA_RANKS_H
#define BIELA_RANKS_H

#include "biela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bl_ranks {
    int rank, count;
} bl_ranks;

/* Starts MPI and PETSc unless the program has; if started here, they are finalized when the process ends. BL_E_ABILITY: this build has no
 * PETSc, or its library cannot be loaded; *ranks is then rank 0 of 1. */
BL_API bl_status bl_ranks_begin(bl_context *ctx, bl_ranks *ranks);
BL_API bool bl_ranks_supported(void); /* by this build */
/* Waits until all other ranks have called it, for at most the given seconds (< 0: no limit). false: they have not. *same: all have the same
 * code. */
BL_API bool bl_ranks_meet(int code, double seconds, bool *same);
/* Ends the processes of all ranks at once, by MPI_Abort, with this exit code. */
BL_API void bl_ranks_abort(int code);

#ifdef __cplusplus
}
#endif

#endif
