/* Solutions of the solver petsc (petsc.c): agreement of processes, the iteration, and termination by the true residual. */
#include "linsol/petsc.h"

#ifdef BIELA_PETSC

#include "base/hash.h"
#include "linsol/iterative.h"
#include "linsol/linsol_limits.h"

#include <float.h>
#include <math.h>

const char *bl_petsc_method_name(const bl_petsc_solver *s) {
    static const char *const names[] = {KSPCG, KSPMINRES, KSPGMRES, KSPBCGS};
    return names[s->method];
}

bl_status bl_petsc_failed(const bl_linsol *solver, PetscErrorCode error) {
    const bl_petsc_solver *s = solver->own;
    const char *text = NULL;
    s->call.PetscErrorMessage(error, &text, NULL);
    bl_status status = error == PETSC_ERR_MEM ? BL_E_MEMORY : error == PETSC_ERR_FP ? BL_NOT_FINITE : BL_E_ABILITY;
    return bl_fail(solver->ctx, status, NULL, "petsc: error %d, %s", (int)error, text ? text : "unknown");
}

/* ---- agreement */

uint64_t bl_petsc_key(uint64_t key, bl_index count, const double *numbers) {
    for (bl_index i = 0; i < count; i++)
        key = bl_hash_number(key, numbers[i]);
    return key;
}

bl_status bl_petsc_agree(bl_linsol *solver, bl_status status, uint64_t key) {
    const bl_petsc_solver *s = solver->own;
    PetscInt mine = status == BL_OK ? (PetscInt)(key >> 34) : -1, own[2] = {mine, mine}, bounds[2];
    BL_TRY(bl_go_on(solver->ctx)); /* a process that stops by itself ends the others */
    if (s->count == 1)
        return status;
    BL_PETSC(PetscGlobalMinMaxInt, s->world, own, bounds);
    if (status != BL_OK)
        return status;
    if (bounds[0] < 0)
        return bl_fail(solver->ctx, BL_E_NUMERIC, NULL, "petsc: another process of the run has failed");
    if (bounds[0] == bounds[1])
        return BL_OK;
    bl_fail(solver->ctx, BL_E_NUMERIC, NULL, "petsc: the %d processes of the run have different matrices or right-hand sides", s->count);
    bl_advise(solver->ctx, "all need the same model, program and instruction set; on different processors use mpirun -x BIELA_ISA=sse2");
    return BL_E_NUMERIC;
}

/* ---- solution */

PetscErrorCode bl_petsc_converged(KSP ksp, PetscInt iteration, PetscReal size, KSPConvergedReason *reason, void *own) {
    (void)ksp, (void)iteration;
    bl_linsol *solver = own;
    bl_petsc_solver *s = solver->own;
    s->stopped = bl_go_on(solver->ctx) != BL_OK;
    *reason = s->stopped          ? KSP_DIVERGED_BREAKDOWN
              : !isfinite(size)   ? KSP_DIVERGED_NANORINF
              : size <= s->target ? KSP_CONVERGED_RTOL
                                  : KSP_CONVERGED_ITERATING;
    return 0;
}

/* sqrt(r . M^-1 r); for unsymmetric matrices |M^-1 r| */
static bl_status find_size(bl_linsol *solver, bool transposed, Vec r, double *size) {
    bl_petsc_solver *s = solver->own;
    PC pc;
    BL_PETSC(KSPGetPC, s->ksp, &pc);
    if (transposed)
        BL_PETSC(PCApplyTranspose, pc, r, s->z);
    else
        BL_PETSC(PCApply, pc, r, s->z);
    if (!bl_petsc_symmetric(s)) {
        BL_PETSC(VecNorm, s->z, NORM_2, size);
        return BL_OK;
    }
    BL_PETSC(VecDot, r, s->z, size);
    *size = sqrt(fabs(*size));
    return BL_OK;
}

/* r = b - A x */
static bl_status find_residual(bl_linsol *solver, bool transposed, double *size) {
    bl_petsc_solver *s = solver->own;
    if (transposed)
        BL_PETSC(MatMultTranspose, s->A, s->x, s->r);
    else
        BL_PETSC(MatMult, s->A, s->x, s->r);
    BL_PETSC(VecAYPX, s->r, -1, s->b);
    return find_size(solver, transposed, s->r, size);
}

/* Rounding error of a product, as in iterative.c: no smaller residual can be reached. But if x grows without bound along motions without
 * stiffness, rounding errors are as large, and the residual does not decrease: `share` is its size relative to the right-hand side. */
static bl_status find_rounding(bl_linsol *solver, double share, bool *rounding) {
    bl_petsc_solver *s = solver->own;
    double left, size;
    *rounding = false;
    if (!bl_petsc_symmetric(s) || !(share <= linsol_petsc_rounding))
        return BL_OK;
    BL_PETSC(VecPointwiseDivide, s->z, s->r, s->size);
    BL_PETSC(VecDot, s->r, s->z, &left);
    BL_PETSC(VecPointwiseMult, s->z, s->x, s->size);
    BL_PETSC(VecDot, s->x, s->z, &size);
    *rounding = sqrt(left) <= linsol_product_rounding * s->longest * sqrt(size);
    return BL_OK;
}

static bl_status not_converged(bl_linsol *solver, KSPConvergedReason reason, double share, double tolerance, long spent) {
    const bl_petsc_solver *s = solver->own;
    bl_context *ctx = solver->ctx;
    if (s->stopped)
        return BL_STOPPED;
    if (reason == KSP_DIVERGED_INDEFINITE_MAT || reason == KSP_DIVERGED_INDEFINITE_PC) {
        bl_fail(ctx, BL_NO_CONVERGENCE, NULL, "petsc: %s of order %d is not positive definite",
                reason == KSP_DIVERGED_INDEFINITE_MAT ? "the matrix" : "the preconditioner of the matrix", solver->stats.n);
        bl_advise(ctx, "choose method=minres, preconditioner=jacobi, or the linear solver ldl");
    } else {
        bl_fail(ctx, BL_NO_CONVERGENCE, NULL,
                "petsc: no convergence: residual %.1e of the right-hand side after %ld iterations of %s, tolerance %.1e%s", share, spent,
                bl_petsc_method_name(s), tolerance, reason == KSP_DIVERGED_PC_FAILED ? " (the preconditioner failed)" : "");
        bl_advise(ctx, "%s", bl_iterative_advice);
    }
    return BL_NO_CONVERGENCE;
}

/* one iteration for the remaining residual: x += A^-1 r to the target, which may be smaller than reachable */
static bl_status iterate(bl_linsol *solver, bool transposed, double size, double target, long *left, KSPConvergedReason *reason) {
    bl_petsc_solver *s = solver->own;
    PetscInt spent = 0;
    s->target = fmax(target, linsol_petsc_reduction * size);
    s->stopped = false;
    BL_PETSC(KSPSetTolerances, s->ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, (PetscInt)*left);
    if (transposed)
        BL_PETSC(KSPSolveTranspose, s->ksp, s->r, s->dx);
    else
        BL_PETSC(KSPSolve, s->ksp, s->r, s->dx);
    BL_PETSC(KSPGetConvergedReason, s->ksp, reason);
    BL_PETSC(KSPGetIterationNumber, s->ksp, &spent);
    *left -= spent > 0 ? spent : 1;
    if (s->stopped)
        return BL_STOPPED;
    BL_PETSC(VecAXPY, s->x, 1, s->dx);
    return BL_OK;
}

/* As in iterative.c: the true residual decides, and if it is larger than the recursive one, the iteration is restarted. */
static bl_status solve_scaled(bl_linsol *solver, bool transposed, double tolerance) {
    bl_petsc_solver *s = solver->own;
    long most = bl_iterative_most(s->most, s->pattern->ncol), left = most;
    double initial, size, now;
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    bool rounding = false;
    BL_PETSC(VecSet, s->x, 0);
    BL_PETSC(VecCopy, s->b, s->r);
    BL_TRY(find_size(solver, transposed, s->r, &initial));
    bl_status status = BL_OK;
    for (size = initial; status == BL_OK && !(size <= tolerance * initial) && !rounding; size = now) {
        if (left <= 0) {
            status = not_converged(solver, reason, size / initial, tolerance, most - left);
            break;
        }
        BL_TRY(iterate(solver, transposed, size, tolerance * initial, &left, &reason));
        BL_TRY(find_residual(solver, transposed, &now));
        BL_TRY(find_rounding(solver, now / initial, &rounding));
        bool done = now <= tolerance * initial || rounding, gained = now <= size / 2;
        if (!done && (!gained || (reason < 0 && reason != KSP_DIVERGED_ITS)))
            status = not_converged(solver, reason, now / initial, tolerance, most - left);
    }
    solver->stats.iterations += most - left;
    solver->stats.residual = initial > 0 ? size / initial : 0;
    return status;
}

static bl_status set_right_hand_side(bl_linsol *solver, const double *b, double unit) {
    bl_petsc_solver *s = solver->own;
    double *own;
    BL_PETSC(VecGetArray, s->b, &own);
    for (bl_index k = 0; k < s->last - s->first; k++)
        own[k] = s->unknown[k] < 0 ? 0 : b[s->unknown[k]] / unit;
    BL_PETSC(VecRestoreArray, s->b, &own);
    return BL_OK;
}

/* identical to the bit in all processes */
static bl_status get_solution(bl_linsol *solver, double unit, double *x) {
    bl_petsc_solver *s = solver->own;
    const double *all;
    BL_PETSC(VecScatterBegin, s->gather, s->x, s->all, INSERT_VALUES, SCATTER_FORWARD);
    BL_PETSC(VecScatterEnd, s->gather, s->x, s->all, INSERT_VALUES, SCATTER_FORWARD);
    BL_PETSC(VecGetArrayRead, s->all, &all);
    for (bl_index i = 0; i < s->pattern->ncol; i++)
        x[i] = unit * all[s->slot[i]];
    BL_PETSC(VecRestoreArrayRead, s->all, &all);
    return BL_OK;
}

bl_status bl_petsc_solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    bl_petsc_solver *s = solver->own;
    bl_index n = s->pattern->ncol;
    double tolerance = bl_iterative_tolerance(solver, s->tolerance);
    for (bl_index c = 0; c < nrhs; c++, x += n) {
        bl_status status = bl_check_finite(solver->ctx, "right-hand side", NAN, n, x);
        BL_TRY(bl_petsc_agree(solver, status, s->count > 1 ? bl_petsc_key(BL_HASH_START + 1, n, x) : 0));
        double unit = bl_iterative_unit(n, x);
        if (unit == 0)
            continue;
        BL_TRY(set_right_hand_side(solver, x, unit));
        BL_TRY(solve_scaled(solver, !bl_petsc_symmetric(s) && !transposed, tolerance));
        BL_TRY(get_solution(solver, unit, x));
    }
    return BL_OK;
}

#endif
