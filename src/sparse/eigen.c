/* Lanczos iteration with implicit restarts for symmetric pencils: ARPACK, shift and invert. Lehoucq, Sorensen and Yang, ARPACK Users' Guide
 * (SIAM 1998), mode 3. The library is loaded at first use; builds without it refuse. */
#include "sparse/eigen.h"
#include "sparse/sparse_limits.h"

#include "base/library.h"

#include <math.h>
#include <string.h>

#ifdef BIELA_ARPACK

#include <arpack/arpack.h>

_Static_assert(sizeof(a_int) == sizeof(bl_index), "numbers are handed to ARPACK as they are");

typedef struct functions {
    __typeof__(&dsaupd_c) dsaupd_c;
    __typeof__(&dseupd_c) dseupd_c;
} functions;
static const char *const function_names[] = {"dsaupd_c", "dseupd_c", NULL};
static const bl_library library = {"ARPACK", BIELA_ARPACK_FILE, "install libarpack2, or request modes by LAPACK", function_names};

enum { REQUEST_FIRST = -1, REQUEST_SOLVE = 1, REQUEST_METRIC = 2, DONE = 99 }; /* next operation requested by ARPACK */

typedef struct lanczos {
    const bl_eigen *problem;
    functions call;
    a_int n, wanted, basis, nworkl, info, request;
    a_int param[11], at[14];
    double *residual, *V, *workd, *workl;
    a_int *select;
    void *block;
} lanczos;

/* numbers in [-1, 1), the same in every run (splitmix64) */
static double pseudo_random(uint64_t seed, uint64_t k) {
    k = (k + 1 + 0x632BE59BD9B4E019u * seed) * 0x9E3779B97F4A7C15u;
    k = (k ^ (k >> 30)) * 0xBF58476D1CE4E5B9u;
    k = (k ^ (k >> 27)) * 0x94D049BB133111EBu;
    return (double)(int64_t)(k ^ (k >> 31)) * 0x1p-63;
}

static bl_status set_up(lanczos *s) {
    bl_context *ctx = s->problem->ctx;
    size_t n = (size_t)s->n, m = (size_t)s->basis;
    s->nworkl = (a_int)(m * (m + 8));
    BL_TRY(BL_NEW_ARRAYS(ctx, s->block, BL_ARRAY(s->residual, n), BL_ARRAY(s->workd, 3 * n), BL_ARRAY(s->V, n * m),
                         BL_ARRAY(s->workl, s->nworkl), BL_ARRAY(s->select, m)));
    /* apply the inverse once to the start vector: removes components in the null space of B, and satisfies constraints */
    for (size_t j = 0; j < n; j++)
        s->workd[j] = pseudo_random(s->problem->seed, j);
    BL_TRY(s->problem->metric(s->problem->user, s->workd, s->residual));
    return s->problem->solve(s->problem->user, s->residual);
}

static bl_status perform(lanczos *s) {
    const bl_eigen *problem = s->problem;
    size_t bytes = (size_t)s->n * sizeof(double);
    double *x = s->workd + s->at[0] - 1, *y = s->workd + s->at[1] - 1;
    switch (s->request) {
    case REQUEST_FIRST: BL_TRY(problem->metric(problem->user, x, y)); return problem->solve(problem->user, y);
    case REQUEST_SOLVE: memcpy(y, s->workd + s->at[2] - 1, bytes); return problem->solve(problem->user, y);
    case REQUEST_METRIC: return problem->metric(problem->user, x, y);
    default: return bl_fail(problem->ctx, BL_E_ABILITY, NULL, "ARPACK requests unknown operation %d", (int)s->request);
    }
}

static bl_status iterate(lanczos *s) {
    s->param[0] = 1; /* exact shifts */
    s->param[2] = (int)sparse_restarts;
    s->param[3] = 1;
    s->param[6] = 3; /* shift and invert */
    s->info = 1;     /* start from the given residual */
    for (;;) {
        s->call.dsaupd_c(&s->request, "G", s->n, "LM", s->wanted, s->problem->tolerance, s->residual, s->basis, s->V, s->n, s->param, s->at,
                         s->workd, s->workl, s->nworkl, &s->info);
        if (s->request == DONE)
            break;
        BL_TRY(bl_go_on(s->problem->ctx));
        BL_TRY(perform(s));
    }
    if (s->info < 0)
        return bl_fail(s->problem->ctx, BL_NO_CONVERGENCE, NULL, "ARPACK dsaupd ends with status %d", (int)s->info);
    return BL_OK;
}

static bl_status take_results(lanczos *s, double *value, double *vector, bl_index *found) {
    *found = s->param[4];
    if (*found <= 0)
        return bl_fail(s->problem->ctx, BL_NO_CONVERGENCE, NULL,
                       "none of %d eigenvalues converged in %.0f restarts of the Lanczos iteration", (int)s->wanted, sparse_restarts);
    s->call.dseupd_c(1, "A", s->select, value, vector, s->n, s->problem->sigma, "G", s->n, "LM", s->wanted, s->problem->tolerance,
                     s->residual, s->basis, s->V, s->n, s->param, s->at, s->workd, s->workl, s->nworkl, &s->info);
    if (s->info != 0)
        return bl_fail(s->problem->ctx, BL_NO_CONVERGENCE, NULL, "ARPACK dseupd ends with status %d", (int)s->info);
    *found = *found < s->wanted ? *found : s->wanted;
    return BL_OK;
}

bl_status bl_eigen_nearest(const bl_eigen *problem, double *value, double *vector, bl_index *found) {
    lanczos s = {.problem = problem, .n = problem->n, .wanted = problem->wanted};
    bl_index basis = 2 * problem->wanted + 1 > problem->wanted + 20 ? 2 * problem->wanted + 1 : problem->wanted + 20;
    *found = 0;
    if (problem->wanted < 1 || problem->wanted >= problem->n)
        return bl_fail(problem->ctx, BL_E_ARG, NULL,
                       "cannot find %d eigenvalues of a matrix of order %d by iteration: at least 1, fewer than the order",
                       (int)problem->wanted, (int)problem->n);
    s.basis = basis < problem->n ? basis : problem->n;
    BL_TRY(bl_library_load(problem->ctx, &library, &s.call));
    bl_status status = set_up(&s);
    bl_library_enter(BL_SOLE_ARPACK); /* from the first call to the last */
    if (status == BL_OK)
        status = iterate(&s);
    if (status == BL_OK)
        status = take_results(&s, value, vector, found);
    bl_library_leave(BL_SOLE_ARPACK);
    bl_free(problem->ctx, s.block);
    return status;
}

#else

bl_status bl_eigen_nearest(const bl_eigen *problem, double *value, double *vector, bl_index *found) {
    (void)value, (void)vector;
    *found = 0;
    bl_fail(problem->ctx, BL_E_ABILITY, NULL, "this build has no ARPACK, which is needed for eigenvalues of large matrices");
    bl_advise(problem->ctx, "install libarpack2-dev and build again, or request modes by LAPACK");
    return BL_E_ABILITY;
}

#endif
