/* Iterative solvers of PETSc over the processes of an MPI run (biela/ranks.h), in builds with -DBIELA_PETSC=ON. Every process has the
 * complete matrix and all right-hand sides, identical to the bit; of the rows for PETSc and its preconditioners it stores its own share,
 * and every process gets the complete solution. Unknowns are in blocks of nodes, in an order that keeps shares compact (symmetric.h); a
 * node with fewer unknowns is filled up with a diagonal. The rows of PETSc are the columns of the matrix: it solves the transposed system
 * if necessary. */
#include "linsol/petsc.h"

#include "base/hash.h"
#include "linsol/linsol.h"
#include "linsol/linsol_limits.h"
#include "linsol/symmetric.h"

enum { P_TOLERANCE, P_METHOD, P_PRECONDITIONER, P_MOST, P_BLOCK, P_ORDERING };

static const bl_param petsc_params[] = {
    [P_TOLERANCE] = {"tolerance", BL_P_NUMBER, BL_NOT_NEGATIVE, 1e-10, NULL, NULL,
                     "largest residual, as a share of the right-hand side in the norm of the preconditioner; 0: down to rounding"},
    [P_METHOD] = {"method", BL_P_CHOICE, 0, 0, "cg|minres|gmres|bicgstab", NULL,
                  "minres: symmetric matrices that are not definite; gmres, bicgstab: any"},
    [P_PRECONDITIONER] =
        {"preconditioner", BL_P_CHOICE, 0, 0, "auto|none|jacobi|pbjacobi|bjacobi|gamg", NULL,
         "as PETSc names them. bjacobi: incomplete factors of the share of a process; gamg: multigrid; pbjacobi: blocks of "
         "nodes; auto: bjacobi, for minres jacobi"},
    [P_MOST] = {"most", BL_P_INTEGER, BL_NOT_NEGATIVE, 0, NULL, NULL,
                "largest number of iterations of a solution; 0: 10 000, for small matrices 100 + 20 n"},
    [P_BLOCK] = {"block", BL_P_INTEGER, BL_NOT_NEGATIVE, 0, NULL, NULL, "unknowns of a node, 1 to 3; 0: found from the pattern"},
    [P_ORDERING] = {"ordering", BL_P_TEXT, 0, 0, NULL, NULL, "order of the nodes if the caller gives none; default rcm"},
    {0},
};

#ifdef BIELA_PETSC

#include <float.h>
#include <math.h>
#include <string.h>

enum { AUTO, NONE, JACOBI, PBJACOBI, BJACOBI, GAMG };
static const char *const preconditioner_types[] = {NULL, PCNONE, PCJACOBI, PCPBJACOBI, PCBJACOBI, PCGAMG};

/* ---- creation */

static void destroy(bl_linsol *solver) {
    bl_petsc_solver *s = solver->own;
    Vec *const vectors[] = {&s->b, &s->r, &s->x, &s->dx, &s->z, &s->size, &s->all};
    void *const blocks[] = {s->slot, s->unknown, s->col, s->row, s->scale};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (*vectors[i])
            s->call.VecDestroy(vectors[i]);
    if (s->gather)
        s->call.VecScatterDestroy(&s->gather);
    if (s->ksp)
        s->call.KSPDestroy(&s->ksp);
    if (s->A)
        s->call.MatDestroy(&s->A);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        bl_free(solver->ctx, blocks[i]);
    s->slot = s->next = s->empty = s->unknown = s->col = NULL;
    s->row = s->scale = NULL;
}

static bl_status create(bl_linsol *solver, const bl_value *values) {
    bl_petsc_solver *s = solver->own;
    if (values[P_BLOCK].number > 3)
        return bl_fail(solver->ctx, BL_E_ARG, NULL, "petsc: block must be at most 3 unknowns per node, found %g", values[P_BLOCK].number);
    s->tolerance = values[P_TOLERANCE].given ? values[P_TOLERANCE].number : NAN;
    s->method = (bl_petsc_method)values[P_METHOD].number;
    s->preconditioner = (int)values[P_PRECONDITIONER].number;
    s->preconditioner = s->preconditioner != AUTO ? s->preconditioner : s->method == BL_PETSC_MINRES ? JACOBI : BJACOBI;
    s->most = (long)values[P_MOST].number;
    s->block = (int)values[P_BLOCK].number;
    s->ordering = values[P_ORDERING].given ? values[P_ORDERING].text : "rcm";
    BL_TRY(bl_petsc_begin(solver->ctx, &s->call));
    s->world = *s->call.PETSC_COMM_WORLD;
    s->call.MPI_Comm_rank(s->world, &s->rank);
    s->call.MPI_Comm_size(s->world, &s->count);
    return BL_OK;
}

/* ---- analysis */

/* slots of all unknowns, and those of this process */
static bl_status share_out(bl_linsol *solver, const struct bl_ordering *ordering) {
    bl_petsc_solver *s = solver->own;
    bl_index n = s->pattern->ncol, nodes = n;
    bl_symmetric_input in = {.pattern = s->pattern,
                             .order = ordering ? ordering->col : NULL,
                             .ordering = s->ordering,
                             .block = s->block,
                             .bundle = solver->hints ? solver->hints->bundle : NULL};
    BL_TRY(BL_NEW(solver->ctx, s->slot, 3 * (size_t)n));
    s->next = s->slot + n;
    s->empty = s->next + n;
    bl_status status = bl_symmetric_slots(solver->ctx, &in, &s->d, &nodes, s->slot);
    if (status == BL_E_ABILITY && !bl_petsc_symmetric(s)) { /* no nodes: each unknown by itself */
        bl_context_clear_error(solver->ctx);
        status = BL_OK;
        s->d = 1;
        nodes = n;
        for (bl_index i = 0; i < n; i++)
            s->slot[i] = i;
    } else if (status == BL_E_ABILITY) {
        bl_advise(solver->ctx, "choose method=gmres, or the linear solver klu");
    }
    BL_TRY(status);
    s->first = s->d * (bl_index)((int64_t)nodes * s->rank / s->count);
    s->last = s->d * (bl_index)((int64_t)nodes * (s->rank + 1) / s->count);
    BL_TRY(BL_NEW(solver->ctx, s->unknown, s->last - s->first));
    for (bl_index i = s->first; i < s->last; i++)
        s->unknown[i - s->first] = -1;
    for (bl_index i = 0; i < n; i++)
        if (s->slot[i] >= s->first && s->slot[i] < s->last)
            s->unknown[s->slot[i] - s->first] = i;
    return BL_OK;
}

static bl_status reserve(bl_linsol *solver) {
    bl_petsc_solver *s = solver->own;
    const bl_pattern *p = s->pattern;
    s->longest = 1;
    for (bl_index j = 0; j < p->ncol; j++)
        s->longest = p->ptr[j + 1] - p->ptr[j] + 1 > s->longest ? p->ptr[j + 1] - p->ptr[j] + 1 : s->longest;
    BL_TRY(BL_NEW(solver->ctx, s->col, s->longest));
    BL_TRY(BL_NEW(solver->ctx, s->row, s->longest));
    return BL_NEW(solver->ctx, s->scale, p->ncol);
}

/* Entries of the own row k: its columns, and its numbers where values are given. There is always a diagonal; `fill`: that of unused slots.
 */
static bl_index take_row(const bl_petsc_solver *s, bl_index k, const double *values, double fill) {
    const bl_pattern *p = s->pattern;
    bl_index j = s->unknown[k], count = 0;
    bool diagonal = false;
    for (bl_index e = j < 0 ? 0 : p->ptr[j]; j >= 0 && e < p->ptr[j + 1]; e++) {
        diagonal = diagonal || p->idx[e] == j;
        s->row[count] = values ? values[e] : 0;
        s->col[count++] = s->slot[p->idx[e]];
    }
    if (!diagonal) {
        s->row[count] = j < 0 ? fill : 0;
        s->col[count++] = s->first + k;
    }
    return count;
}

/* preallocates the rows, inside and outside of the own columns */
static bl_status make_matrix(bl_linsol *solver) {
    bl_petsc_solver *s = solver->own;
    bl_index own = s->last - s->first, *inside, *outside;
    BL_PETSC(MatCreate, s->world, &s->A);
    BL_PETSC(MatSetSizes, s->A, own, own, PETSC_DETERMINE, PETSC_DETERMINE);
    BL_PETSC(MatSetBlockSize, s->A, s->d);
    BL_PETSC(MatSetType, s->A, MATAIJ);
    BL_TRY(BL_NEW(solver->ctx, inside, 2 * (size_t)own));
    outside = inside + own;
    for (bl_index k = 0; k < own; k++) {
        bl_index count = take_row(s, k, NULL, 1);
        for (bl_index e = 0; e < count; e++)
            inside[k] += s->col[e] >= s->first && s->col[e] < s->last;
        outside[k] = count - inside[k];
    }
    PetscErrorCode error = s->call.MatSeqAIJSetPreallocation(s->A, 0, inside);
    error = error ? error : s->call.MatMPIAIJSetPreallocation(s->A, 0, inside, 0, outside);
    bl_free(solver->ctx, inside);
    if (error)
        return bl_petsc_failed(solver, error);
    if (bl_petsc_symmetric(s))
        BL_PETSC(MatSetOption, s->A, s->method == BL_PETSC_CG ? MAT_SPD : MAT_SYMMETRIC, PETSC_TRUE);
    if (bl_petsc_symmetric(s))
        BL_PETSC(MatSetOption, s->A, s->method == BL_PETSC_CG ? MAT_SPD_ETERNAL : MAT_SYMMETRY_ETERNAL, PETSC_TRUE);
    return BL_OK;
}

static bl_status make_iteration(bl_linsol *solver) {
    bl_petsc_solver *s = solver->own;
    PC pc;
    BL_PETSC(KSPCreate, s->world, &s->ksp);
    BL_PETSC(KSPSetOptionsPrefix, s->ksp, "biela_");
    BL_PETSC(KSPSetType, s->ksp, bl_petsc_method_name(s));
    BL_PETSC(KSPSetNormType, s->ksp, s->method == BL_PETSC_CG ? KSP_NORM_NATURAL : KSP_NORM_PRECONDITIONED);
    BL_PETSC(KSPGetPC, s->ksp, &pc);
    BL_PETSC(PCSetType, pc, preconditioner_types[s->preconditioner]);
    if (s->preconditioner == JACOBI)
        BL_PETSC(PCJacobiSetUseAbs, pc, PETSC_TRUE);
    BL_PETSC(KSPSetFromOptions, s->ksp);
    BL_PETSC(KSPSetConvergenceTest, s->ksp, bl_petsc_converged, solver, NULL);
    BL_PETSC(MatCreateVecs, s->A, &s->x, &s->b);
    Vec *const others[] = {&s->r, &s->dx, &s->z, &s->size};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        BL_PETSC(VecDuplicate, s->x, others[i]);
    BL_PETSC(VecScatterCreateToAll, s->x, &s->gather, &s->all);
    return BL_OK;
}

static bl_status analyze(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                         double rank_tolerance) {
    bl_petsc_solver *s = solver->own;
    (void)deficient, (void)rank_tolerance;
    destroy(solver);
    s->pattern = pattern;
    bl_status status = share_out(solver, ordering);
    if (status == BL_OK)
        status = reserve(solver);
    BL_TRY(bl_petsc_agree(solver, status,
                          bl_hash_mix(bl_hash_mix(BL_HASH_START, (uint64_t)pattern->ncol), (uint64_t)pattern->ptr[pattern->ncol])));
    BL_TRY(make_matrix(solver));
    BL_TRY(make_iteration(solver));
    solver->stats.fill = pattern->ptr[pattern->ncol];
    return BL_OK;
}

/* ---- values */

static bl_status find_scale(bl_linsol *solver, const double *values) {
    bl_petsc_solver *s = solver->own;
    const bl_pattern *p = s->pattern;
    bl_index zeros = 0;
    double least = INFINITY, most = 0;
    BL_TRY(bl_check_finite(solver->ctx, "matrix", NAN, p->ptr[p->ncol], values));
    for (bl_index j = 0; j < p->ncol; j++) {
        double largest = 0, own = 0;
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++) {
            largest = fmax(largest, fabs(values[k]));
            own = p->idx[k] == j ? values[k] : own;
        }
        s->scale[j] = fabs(own) > linsol_own_scale * largest ? fabs(own) : largest;
        least = fmin(least, s->scale[j]);
        most = fmax(most, s->scale[j]);
        if (largest == 0) {
            s->empty[zeros++] = j;
        } else if (s->method == BL_PETSC_CG && !(own > 0)) {
            bl_fail(solver->ctx, BL_SINGULAR, NULL, "petsc: cg needs a positive definite matrix, but the diagonal of row %d is %g", j, own);
            bl_advise(solver->ctx, "choose method=minres, or the linear solver ldl");
            return BL_SINGULAR;
        }
    }
    solver->stats.worst_pivot = p->ncol ? least / most : 1;
    solver->stats.dependent = s->empty;
    solver->stats.ndependent = zeros;
    solver->stats.rank = p->ncol - zeros;
    if (zeros == 0)
        return BL_OK;
    return bl_fail(solver->ctx, BL_SINGULAR, NULL, "matrix of order %d has no entries in column %d%s", p->ncol, s->empty[0],
                   zeros > 1 ? ", and others" : "");
}

/* The pattern is symmetric and its columns ascend: entries (j, i) appear in the same order as entries (i, j) below the diagonal. */
static bl_status check_symmetric(bl_linsol *solver, const double *values) {
    bl_petsc_solver *s = solver->own;
    const bl_pattern *p = s->pattern;
    memcpy(s->next, p->ptr, (size_t)p->ncol * sizeof *s->next);
    for (bl_index j = 0; j < p->ncol; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++) {
            bl_index i = p->idx[k];
            if (i <= j)
                continue;
            double mirrored = values[s->next[i]++];
            if (values[k] == mirrored || fabs(values[k] - mirrored) <= linsol_alike * sqrt(s->scale[i]) * sqrt(s->scale[j]))
                continue;
            bl_fail(solver->ctx, BL_E_ABILITY, NULL,
                    "petsc: %s needs a symmetric matrix, but the entry at row %d, column %d differs from the mirrored one",
                    bl_petsc_method_name(s), i, j);
            bl_advise(solver->ctx, "choose method=gmres, or the linear solver klu");
            return BL_E_ABILITY;
        }
    return BL_OK;
}

static bl_status load(bl_linsol *solver, const double *values) {
    bl_petsc_solver *s = solver->own;
    double *size;
    BL_PETSC(VecGetArray, s->size, &size);
    for (bl_index k = 0; k < s->last - s->first; k++) {
        bl_index j = s->unknown[k], node = k - k % s->d;
        double fill = s->scale[s->unknown[node]]; /* the first slot of a node is always used */
        size[k] = j < 0 ? fill : s->scale[j];
        bl_index count = take_row(s, k, values, fill), row = s->first + k;
        BL_PETSC(MatSetValues, s->A, 1, &row, count, s->col, s->row, INSERT_VALUES);
    }
    BL_PETSC(VecRestoreArray, s->size, &size);
    BL_PETSC(MatAssemblyBegin, s->A, MAT_FINAL_ASSEMBLY);
    BL_PETSC(MatAssemblyEnd, s->A, MAT_FINAL_ASSEMBLY);
    return BL_OK;
}

/* incomplete factors of the share: Cholesky's of symmetric matrices, with the diagonal increased if a pivot breaks down */
static bl_status set_inner(bl_linsol *solver, PC pc) {
    bl_petsc_solver *s = solver->own;
    PCType type;
    KSP *inner;
    PetscInt count;
    PC part;
    BL_PETSC(PCGetType, pc, &type);
    if (s->preconditioner != BJACOBI || !type || strcmp(type, PCBJACOBI) != 0) /* the environment may have chosen another */
        return BL_OK;
    BL_PETSC(PCBJacobiGetSubKSP, pc, &count, NULL, &inner);
    for (PetscInt i = 0; i < count; i++) {
        BL_PETSC(KSPGetPC, inner[i], &part);
        BL_PETSC(PCSetType, part, bl_petsc_symmetric(s) ? PCICC : PCILU);
        BL_PETSC(PCFactorSetShiftType, part, bl_petsc_symmetric(s) ? MAT_SHIFT_POSITIVE_DEFINITE : MAT_SHIFT_NONZERO);
    }
    return BL_OK;
}

static bl_status take_values(bl_linsol *solver, const double *values, bool again) {
    bl_petsc_solver *s = solver->own;
    PC pc;
    bl_status status = find_scale(solver, values);
    if (status == BL_OK && bl_petsc_symmetric(s))
        status = check_symmetric(solver, values);
    bl_index entries = s->pattern->ptr[s->pattern->ncol];
    BL_TRY(bl_petsc_agree(solver, status, status == BL_OK && s->count > 1 ? bl_petsc_key(BL_HASH_START, entries, values) : 0));
    if (s->pattern->ncol == 0)
        return BL_OK;
    BL_TRY(load(solver, values));
    BL_PETSC(KSPGetPC, s->ksp, &pc);
    if (s->preconditioner == GAMG)
        BL_PETSC(PCGAMGSetReuseInterpolation, pc, again ? PETSC_TRUE : PETSC_FALSE);
    BL_PETSC(KSPSetOperators, s->ksp, s->A, s->A);
    BL_PETSC(KSPSetUp, s->ksp);
    BL_TRY(set_inner(solver, pc));
    BL_PETSC(KSPSetUpOnBlocks, s->ksp);
    return BL_OK;
}

static bl_status factor(bl_linsol *solver, const double *values) { return take_values(solver, values, false); }

static bl_status refactor(bl_linsol *solver, const double *values) {
    bl_status status = take_values(solver, values, true);
    return status == BL_E_ABILITY ? BL_SINGULAR : status; /* no longer symmetric */
}

#else

static bl_status create(bl_linsol *solver, const bl_value *values) {
    (void)values;
    bl_fail(solver->ctx, BL_E_ABILITY, NULL, "this build has no PETSc");
    bl_advise(solver->ctx, "scripts/bootstrap petsc, then build with cmake -DBIELA_PETSC=ON; or choose the linear solver cg");
    return BL_E_ABILITY;
}

#endif

const bl_linsol_kind bl_linsol_petsc = {
    .kind = {.name = "petsc",
             .help = "iterative solvers of PETSc over the processes of mpirun, in builds with -DBIELA_PETSC=ON",
             .params = petsc_params,
             .needs = BL_LINSOL_SYMMETRIC | BL_LINSOL_DEFINITE | BL_LINSOL_BY_DEFAULT | BL_LINSOL_MEMORY,
             .gives = BL_LINSOL_REFUSE | BL_LINSOL_TRANSPOSED | BL_LINSOL_ITERATIVE},
    .create = create,
#ifdef BIELA_PETSC
    .size = sizeof(bl_petsc_solver),
    .destroy = destroy,
    .analyze = analyze,
    .factor = factor,
    .refactor = refactor,
    .solve = bl_petsc_solve,
#endif
};
