/* Ranks: several processes that compute one model together, started by mpirun, in a build with PETSc (cmake -DBIELA_PETSC=ON).
 *
 * Every rank reads the model and makes the same calls with the same options, so that all of them step alike; the linear solver `petsc`
 * shares the matrix out between them and gives all of them the same bits. Rank 0 alone should print and write. Sinks of the other ranks
 * have to want what those of rank 0 want (bl_sink.want), since that decides what is computed.
 *
 *     bl_ranks_begin(ctx, &ranks);                     first of all, in every rank
 *     bl_simulate(...);
 *     if (!bl_ranks_meet(code, 10, &same))             at the end: somebody did not come,
 *         bl_ranks_abort(code);                        he is still waiting inside a solution
 *
 * A program without ranks needs none of it: a solver `petsc` made there takes one process. */
#ifndef BIELA_RANKS_H
#define BIELA_RANKS_H

#include "biela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bl_ranks {
    int rank, count;
} bl_ranks;

/* Starts MPI and PETSc where nobody has started them; what was started here is ended when the process ends. BL_E_ABILITY: this build has no
 * PETSc, or its library cannot be loaded; *ranks is then rank 0 of 1. */
bl_status bl_ranks_begin(bl_context *ctx, bl_ranks *ranks);
bool bl_ranks_supported(void); /* by this build */
/* Waits for all other ranks to call it, for so many seconds at most (< 0: as long as it takes). false: they did not. *same: they came with
 * the same code. */
bool bl_ranks_meet(int code, double seconds, bool *same);
/* Ends the processes of all ranks at once, by MPI_Abort, with this exit code. */
void bl_ranks_abort(int code);

#ifdef __cplusplus
}
#endif

#endif
