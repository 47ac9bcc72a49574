/* Start and end of PETSc and MPI in this process, and ranks (biela/ranks.h). Started at first use and ended when the process ends, since
 * MPI can be started only once in a process. */
#include "biela/ranks.h"

#include "base/library.h"
#include "linsol/petsc.h"

#include <stdlib.h>
#include <time.h>

#ifdef BIELA_PETSC

bool bl_ranks_supported(void) { return true; }

static const char *const names[] = {
#define USE(name) #name,
    BL_PETSC_SYMBOLS(USE)
#undef USE
        NULL};
static const bl_library library = {"PETSc", BIELA_PETSC_FILE, "scripts/bootstrap petsc installs it; or choose another linear solver",
                                   names};

/* at the end of the process, unless the host ended MPI itself */
static void end(void) {
    bl_petsc call;
    PetscBool ended = PETSC_TRUE;
    int finalized = 1;
    if (bl_library_load(NULL, &library, &call) != BL_OK)
        return;
    call.MPI_Finalized(&finalized);
    if (!finalized && !call.PetscFinalized(&ended) && !ended)
        call.PetscFinalize();
}

/* Options come from PETSC_OPTIONS alone, not from files in the present folder; signals are the host's. */
static bl_status start(bl_context *ctx, const bl_petsc *call) {
    static const char *const arguments[] = {"biela", "-skip_petscrc", "-no_signal_handler", NULL};
    int count = 3;
    char **argv = (char **)arguments;
    PetscErrorCode error = call->PetscInitialize(&count, &argv, NULL, NULL);
    if (error)
        return bl_fail(ctx, BL_E_ABILITY, NULL, "petsc: PETSc and MPI cannot be started (error %d)", (int)error);
    call->PetscPushErrorHandler(call->PetscReturnErrorHandler, NULL); /* prints nothing */
    if (atexit(end) != 0)
        return bl_fail(ctx, BL_E_MEMORY, NULL, "petsc: the end of MPI cannot be registered");
    return BL_OK;
}

bl_status bl_petsc_begin(bl_context *ctx, bl_petsc *call) {
    PetscBool started = PETSC_FALSE, ended = PETSC_FALSE;
    BL_TRY(bl_library_load(ctx, &library, call));
    call->PetscInitialized(&started);
    call->PetscFinalized(&ended);
    if (ended)
        return bl_fail(ctx, BL_E_ABILITY, NULL, "petsc: PETSc was already ended in this process and cannot be started again");
    return started ? BL_OK : start(ctx, call);
}

bl_status bl_ranks_begin(bl_context *ctx, bl_ranks *ranks) {
    bl_petsc call;
    *ranks = (bl_ranks){0, 1};
    BL_TRY(bl_petsc_begin(ctx, &call));
    call.MPI_Comm_rank(*call.PETSC_COMM_WORLD, &ranks->rank);
    call.MPI_Comm_size(*call.PETSC_COMM_WORLD, &ranks->count);
    return BL_OK;
}

bool bl_ranks_meet(int code, double seconds, bool *same) {
    enum { POLLS = 500 }; /* per second */
    bl_petsc call;
    MPI_Request request;
    int all = 0;
    *same = true;
    if (bl_petsc_begin(NULL, &call) != BL_OK)
        return true;
    MPI_Comm world = *call.PETSC_COMM_WORLD;
    call.MPI_Ibarrier(world, &request);
    for (double polls = 0; !all && (seconds < 0 || polls <= POLLS * seconds); polls++) {
        call.MPI_Test(&request, &all, MPI_STATUS_IGNORE);
        if (!all)
            nanosleep(&(struct timespec){.tv_nsec = 1000000000 / POLLS}, NULL); /* leaves the processor to other processes */
    }
    if (!all)
        return false;
    PetscInt mine[2] = {code, code}, bounds[2];
    call.PetscGlobalMinMaxInt(world, mine, bounds);
    *same = bounds[0] == bounds[1];
    return true;
}

void bl_ranks_abort(int code) {
    bl_petsc call;
    if (bl_petsc_begin(NULL, &call) == BL_OK)
        call.MPI_Abort(*call.PETSC_COMM_WORLD, code);
}

#else

bool bl_ranks_supported(void) { return false; }

bl_status bl_ranks_begin(bl_context *ctx, bl_ranks *ranks) {
    *ranks = (bl_ranks){0, 1};
    bl_fail(ctx, BL_E_ABILITY, NULL, "this build has no PETSc");
    bl_advise(ctx, "scripts/bootstrap petsc, then cmake -DBIELA_PETSC=ON");
    return BL_E_ABILITY;
}

bool bl_ranks_meet(int code, double seconds, bool *same) {
    (void)code, (void)seconds;
    *same = true;
    return true;
}

void bl_ranks_abort(int code) { (void)code; }

#endif
