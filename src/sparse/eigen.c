/* Lanczos iteration with implicit restarts for symmetric pencils: ARPACK, shift and invert. Lehoucq, Sorensen and Yang, ARPACK Users' Guide
 * (SIAM 1998), mode 3. The library is loaded at first use; builds without it refuse. */
#include "sparse/eigen.h"

#include "base/library.h"

#include <math.h>
#include <string.h>

double bl_eigen_scrambled(uint64_t seed, uint64_t k) {
    k = (k + 1 + 0x632BE59BD9B4E019u * seed) * 0x9E3779B97F4A7C15u;
    k = (k ^ (k >> 30)) * 0xBF58476D1CE4E5B9u;
    k = (k ^ (k >> 27)) * 0x94D049BB133111EBu;
    return (double)(int64_t)(k ^ (k >> 31)) * 0x1p-63;
}

#ifdef BIELA_ARPACK

#include <arpack/arpack.h>

_Static_assert(sizeof(a_int) == sizeof(bl_index), "numbers are handed to ARPACK as they are");

typedef struct functions {
    __typeof__(&dsaupd_c) dsaupd_c;
    __typeof__(&dseupd_c) dseupd_c;
} functions;
static const char *const function_names[] = {"dsaupd_c", "dseupd_c", NULL};
static const bl_library library = {"ARPACK", BIELA_ARPACK_FILE, "install libarpack2, or request modes by LAPACK", function_names};

enum { MOST_RESTARTS = 300 };
enum { ASK_FIRST = -1, ASK_SOLVE = 1, ASK_METRIC = 2, DONE = 99 }; /* next operation requested by ARPACK */

typedef struct lanczos {
    const bl_eigen *ask;
    functions call;
    a_int n, wanted, basis, nworkl, info, todo;
    a_int param[11], at[14];
    double *residual, *V, *workd, *workl;
    a_int *select;
    void *block;
} lanczos;

static bl_status make(lanczos *s) {
    bl_context *ctx = s->ask->ctx;
    size_t n = (size_t)s->n, m = (size_t)s->basis;
    s->nworkl = (a_int)(m * (m + 8));
    BL_TRY(BL_NEW_ARRAYS(ctx, s->block, BL_ARRAY(s->residual, n), BL_ARRAY(s->workd, 3 * n), BL_ARRAY(s->V, n * m),
                         BL_ARRAY(s->workl, s->nworkl), BL_ARRAY(s->select, m)));
    /* apply the inverse once to the start vector: removes components in the null space of B, and satisfies constraints */
    for (size_t j = 0; j < n; j++)
        s->workd[j] = bl_eigen_scrambled(s->ask->seed, j);
    BL_TRY(s->ask->metric(s->ask->user, s->workd, s->residual));
    return s->ask->solve(s->ask->user, s->residual);
}

static bl_status answer(lanczos *s) {
    const bl_eigen *ask = s->ask;
    size_t bytes = (size_t)s->n * sizeof(double);
    double *x = s->workd + s->at[0] - 1, *y = s->workd + s->at[1] - 1;
    switch (s->todo) {
    case ASK_FIRST: BL_TRY(ask->metric(ask->user, x, y)); return ask->solve(ask->user, y);
    case ASK_SOLVE: memcpy(y, s->workd + s->at[2] - 1, bytes); return ask->solve(ask->user, y);
    case ASK_METRIC: return ask->metric(ask->user, x, y);
    default: return bl_fail(ask->ctx, BL_E_ABILITY, NULL, "ARPACK requests unknown operation %d", (int)s->todo);
    }
}

static bl_status iterate(lanczos *s) {
    s->param[0] = 1; /* exact shifts */
    s->param[2] = MOST_RESTARTS;
    s->param[3] = 1;
    s->param[6] = 3; /* shift and invert */
    s->info = 1;     /* start from the given residual */
    for (;;) {
        s->call.dsaupd_c(&s->todo, "G", s->n, "LM", s->wanted, s->ask->tolerance, s->residual, s->basis, s->V, s->n, s->param, s->at,
                         s->workd, s->workl, s->nworkl, &s->info);
        if (s->todo == DONE)
            break;
        BL_TRY(bl_go_on(s->ask->ctx));
        BL_TRY(answer(s));
    }
    if (s->info < 0)
        return bl_fail(s->ask->ctx, BL_NO_CONVERGENCE, NULL, "ARPACK dsaupd ends with status %d", (int)s->info);
    return BL_OK;
}

static bl_status hand_out(lanczos *s, double *value, double *vector, bl_index *found) {
    *found = s->param[4];
    if (*found <= 0)
        return bl_fail(s->ask->ctx, BL_NO_CONVERGENCE, NULL, "none of %d eigenvalues converged in %d restarts of the Lanczos iteration",
                       (int)s->wanted, MOST_RESTARTS);
    s->call.dseupd_c(1, "A", s->select, value, vector, s->n, s->ask->sigma, "G", s->n, "LM", s->wanted, s->ask->tolerance, s->residual,
                     s->basis, s->V, s->n, s->param, s->at, s->workd, s->workl, s->nworkl, &s->info);
    if (s->info != 0)
        return bl_fail(s->ask->ctx, BL_NO_CONVERGENCE, NULL, "ARPACK dseupd ends with status %d", (int)s->info);
    *found = *found < s->wanted ? *found : s->wanted;
    return BL_OK;
}

bl_status bl_eigen_nearest(const bl_eigen *ask, double *value, double *vector, bl_index *found) {
    lanczos s = {.ask = ask, .n = ask->n, .wanted = ask->want};
    bl_index basis = 2 * ask->want + 1 > ask->want + 20 ? 2 * ask->want + 1 : ask->want + 20;
    *found = 0;
    if (ask->want < 1 || ask->want >= ask->n)
        return bl_fail(ask->ctx, BL_E_ARG, NULL,
                       "cannot find %d eigenvalues of a matrix of order %d by iteration: at least 1, fewer than the order", (int)ask->want,
                       (int)ask->n);
    s.basis = basis < ask->n ? basis : ask->n;
    BL_TRY(bl_library_load(ask->ctx, &library, &s.call));
    bl_status status = make(&s);
    if (status == BL_OK)
        status = iterate(&s);
    if (status == BL_OK)
        status = hand_out(&s, value, vector, found);
    bl_free(ask->ctx, s.block);
    return status;
}

#else

bl_status bl_eigen_nearest(const bl_eigen *ask, double *value, double *vector, bl_index *found) {
    (void)value, (void)vector;
    *found = 0;
    bl_fail(ask->ctx, BL_E_ABILITY, NULL, "this build has no ARPACK, which is needed for eigenvalues of large matrices");
    bl_advise(ask->ctx, "install libarpack2-dev and build again, or request modes by LAPACK");
    return BL_E_ABILITY;
}

#endif
