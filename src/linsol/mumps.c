/* Sparse solver: MUMPS, sequential (multifrontal; L D L^T with 1 x 1 and 2 x 2 pivots when the matrix is symmetric, LU otherwise).
 * Amestoy, Duff, L'Excellent and Koster, SIAM J. Matrix Anal. Appl. 23 (2001). For large systems with much fill. Above the size for
 * complete pivoting, null pivots found by MUMPS identify the dependent rows of a symmetric matrix. MUMPS cannot keep pivots: refactoring
 * keeps only the analysis. Builds without MUMPS refuse this solver. */
#include "base/library.h"
#include "linsol/direct_solver.h"
#include "linsol/linsol_limits.h"

static const bl_param mumps_params[] = {
    {"pivot", BL_P_NUMBER, BL_POSITIVE, 0.1, NULL, NULL,
     "a pivot must reach this fraction of the largest entry of its row; at most 0.5 for symmetric matrices"},
    {0},
};

#ifdef BIELA_MUMPS

#include <dmumps_c.h>
#include <math.h>
#include <string.h>

enum { JOB_INIT = -1, JOB_END = -2, JOB_ANALYZE = 1, JOB_FACTOR = 2, JOB_SOLVE = 3, JOB_ANALYZE_AND_FACTOR = 4 };
enum { COMM_WORLD = -987654 };

/* loaded when a solver is created: it depends on a BLAS, SCOTCH and the Fortran runtime */
typedef struct functions {
    __typeof__(&dmumps_c) dmumps_c;
} functions;
static const char *const function_names[] = {"dmumps_c", NULL};
static const bl_library library = {"MUMPS", BIELA_MUMPS_FILE, "install libmumps-seq, or choose the linear solver klu or superlu",
                                   function_names};

typedef struct mumps {
    bl_direct direct; /* must be first: the shell knows only this */
    functions call;
    double pivot;
    DMUMPS_STRUC_C id;
    bool live, symmetric; /* id is initialized; for symmetric matrices */
    bool analyzed;        /* by a forecast, not factored yet */
    bl_index *row, *col;  /* [nnz] counted from 1; the lower triangle of a symmetric matrix */
    bl_index *from;       /* [nnz] index in the values of the part */
    double *a;            /* [nnz] */
    bl_index *position;   /* [kept.n] positions of the columns in a given order, counted from 1 */
    bl_index *order;      /* [kept.n] */
    bl_index *null_row;   /* [kept.n] */
} mumps;

/* icntl(k) of the manual, counted from 1 */
static int *control(mumps *s, int k) { return &s->id.icntl[k - 1]; }

static void call(mumps *s, int job) {
    s->id.job = job;
    bl_library_enter(BL_SOLE_MUMPS);
    s->call.dmumps_c(&s->id);
    bl_library_leave(BL_SOLE_MUMPS);
}

static void end(mumps *s) {
    if (s->live)
        call(s, JOB_END);
    s->live = s->analyzed = false;
}

static void release(bl_linsol *solver) {
    mumps *s = solver->own;
    end(s);
}

static bl_status analyze(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                         double rank_tolerance) {
    mumps *s = solver->own;
    bl_index n = pattern->ncol, nnz = pattern->ptr[n];
    BL_TRY(bl_direct_analyze(solver, pattern, ordering, deficient, rank_tolerance));
    return BL_NEW_ARRAYS(solver->ctx, s->direct.own, BL_ARRAY(s->a, nnz), BL_ARRAY(s->row, nnz), BL_ARRAY(s->col, nnz),
                         BL_ARRAY(s->from, nnz), BL_ARRAY(s->position, n), BL_ARRAY(s->order, n), BL_ARRAY(s->null_row, n));
}

/* ---- the part */

static void begin(mumps *s) {
    end(s);
    memset(&s->id, 0, sizeof s->id);
    s->symmetric = s->direct.symmetric;
    s->id.sym = s->symmetric ? 2 : 0;
    s->id.par = 1;
    s->id.comm_fortran = COMM_WORLD;
    call(s, JOB_INIT);
    s->live = true;
    for (int k = 1; k <= 4; k++)
        *control(s, k) = 0; /* no output */
    *control(s, 7) = 2;     /* approximate minimum fill: METIS and SCOTCH, the defaults, order differently in every process */
    *control(s, 8) = 0;     /* values are already scaled */
    *control(s, 14) = 40;   /* percent more memory than predicted */
    *control(s, 24) = 1;    /* null pivots are counted, not fatal */
    s->id.cntl[0] = fmin(s->pivot, s->symmetric ? 0.5 : 1);
    s->id.cntl[2] = s->direct.tolerance > 0 ? -s->direct.tolerance : 0; /* negative: absolute, entries are of size one */
}

static void take_values(mumps *s) {
    for (MUMPS_INT8 k = 0; k < s->id.nnz; k++)
        s->a[k] = s->direct.values[s->from[k]];
}

/* triplets of the part */
static bl_status take_pattern(bl_linsol *solver) {
    mumps *s = solver->own;
    const bl_direct *p = &s->direct;
    bl_index n = p->n, used = 0;
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++) {
            if (s->symmetric && p->idx[k] < j)
                continue;
            s->row[used] = p->idx[k] + 1;
            s->col[used] = j + 1;
            s->from[used++] = k;
        }
    s->id.n = n;
    s->id.nnz = used;
    s->id.irn = s->row;
    s->id.jcn = s->col;
    s->id.a = s->a;
    if (!p->given)
        return BL_OK;
    BL_TRY(bl_direct_order(solver, NULL, s->order));
    for (bl_index k = 0; k < n; k++)
        s->position[s->order[k]] = k + 1;
    *control(s, 7) = 1; /* as given */
    *control(s, 6) = 0;
    s->id.perm_in = s->position;
    return BL_OK;
}

/* ratio 0: singular, by structure or by a null pivot */
static bl_status run(bl_linsol *solver, int job, double *ratio) {
    mumps *s = solver->own;
    *ratio = 0;
    for (int tries = 0; tries < linsol_mumps_tries; tries++) {
        call(s, job);
        int status = s->id.infog[0];
        if (status >= 0) {
            if (s->id.infog[27] == 0 && s->id.rinfog[18] > 0)
                *ratio = s->id.rinfog[18] / s->id.rinfog[20];
            return BL_OK;
        }
        switch (status) {
        case -6:
        case -10: return BL_OK;
        case -8:
        case -9:
        case -11:
        case -12:
        case -14:
        case -15:
        case -17:
        case -20:
            *control(s, 14) = 2 * *control(s, 14) + 40; /* more memory */
            break;
        case -5:
        case -7:
        case -13: return bl_fail(solver->ctx, BL_E_MEMORY, NULL, "mumps: no memory (status %d)", status);
        default: return bl_fail(solver->ctx, BL_E_ARG, NULL, "mumps: fails with status %d, %d", status, s->id.infog[1]);
        }
    }
    return bl_fail(solver->ctx, BL_E_MEMORY, NULL, "mumps: not enough memory for the factors");
}

/* negative counts are in millions */
static double count_of(int value) { return value < 0 ? -1e6 * value : value; }

static bl_status factor(bl_linsol *solver, const double *values, double *ratio) {
    mumps *s = solver->own;
    (void)values; /* scaled in direct.values */
    bool analyzed = s->analyzed && !s->direct.changed && s->symmetric == s->direct.symmetric;
    if (!analyzed) {
        begin(s);
        BL_TRY(take_pattern(solver));
    }
    s->analyzed = false;
    take_values(s);
    BL_TRY(run(solver, analyzed ? JOB_FACTOR : JOB_ANALYZE_AND_FACTOR, ratio));
    solver->stats.fill = (int64_t)count_of(s->id.infog[28]);
    return BL_OK;
}

static bl_status refactor(bl_linsol *solver, const double *values, double *ratio) {
    mumps *s = solver->own;
    BL_TRY(bl_direct_load(solver, values));
    take_values(s);
    return run(solver, JOB_FACTOR, ratio);
}

static bl_status solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    mumps *s = solver->own;
    *control(s, 9) = transposed ? 0 : 1;
    s->id.rhs = x;
    s->id.nrhs = nrhs;
    s->id.lrhs = s->direct.n;
    call(s, JOB_SOLVE);
    if (s->id.infog[0] < 0)
        return bl_fail(solver->ctx, s->id.infog[0] == -13 ? BL_E_MEMORY : BL_E_ARG, NULL, "mumps: a solution fails with status %d",
                       s->id.infog[0]);
    return BL_OK;
}

static const bl_index *null_rows(bl_linsol *solver, bl_index *count) {
    mumps *s = solver->own;
    *count = 0;
    if (!s->symmetric || s->id.infog[0] < 0)
        return NULL;
    *count = s->id.infog[27];
    for (bl_index k = 0; k < *count; k++)
        s->null_row[k] = s->id.pivnul_list[k] - 1;
    return s->null_row;
}

/* ---- cost */

/* nanoseconds of a refactorization and of solutions, from operations and entries of the factors; fitted to plates (bench/README.md) */
static double price(double n, double operations, double entries, bl_index nrhs) {
    return 1e5 + 1000 * n + 5 * entries + 0.1 * operations + nrhs * (300 * n + 0.9 * entries);
}

static double cost(const bl_linsol *solver, bl_index nrhs) {
    const mumps *s = solver->own;
    return price(s->direct.n, s->id.rinfog[2], count_of(s->id.infog[28]), nrhs);
}

static bl_status forecast(bl_linsol *solver, const double *values, bl_index nrhs, double *nanoseconds) {
    mumps *s = solver->own;
    bool ready;
    *nanoseconds = INFINITY;
    BL_TRY(bl_direct_begin(solver, values, &ready));
    if (!ready)
        return BL_OK;
    begin(s);
    BL_TRY(take_pattern(solver));
    take_values(s);
    double none;
    BL_TRY(run(solver, JOB_ANALYZE, &none));
    if (s->id.infog[0] < 0)
        return BL_OK;
    s->analyzed = true;
    *nanoseconds = price(s->direct.n, s->id.rinfog[0], count_of(s->id.infog[19]), nrhs);
    return BL_OK;
}

static const bl_direct_slots slots = {.wants = BL_DIRECT_TABLES | BL_DIRECT_MIRROR | BL_DIRECT_TRANSVERSAL,
                                      .factor = factor,
                                      .refactor = refactor,
                                      .solve = solve,
                                      .release = release,
                                      .null_rows = null_rows};

static bl_status create(bl_linsol *solver, const bl_value *values) {
    mumps *s = solver->own;
    s->pivot = values[0].number;
    return bl_library_load(solver->ctx, &library, &s->call);
}

static bl_index negative(const bl_linsol *solver) {
    const mumps *s = solver->own;
    return s->symmetric && s->direct.n == s->direct.kept.n ? s->id.infog[11] : -1;
}

#else

static bl_status create(bl_linsol *solver, const bl_value *values) {
    (void)values;
    bl_fail(solver->ctx, BL_E_ABILITY, NULL, "this build has no MUMPS");
    bl_advise(solver->ctx, "install libmumps-seq-dev and build again, or choose the linear solver klu or superlu");
    return BL_E_ABILITY;
}

#endif

const bl_linsol_kind bl_linsol_mumps = {
    .kind = {.name = "mumps",
             .help = "multifrontal L D L^T or LU by MUMPS, where it is installed; for large matrices with much fill",
             .params = mumps_params,
             .needs = BL_LINSOL_MEMORY,
             .gives = BL_LINSOL_REFUSE | BL_LINSOL_DROP | BL_LINSOL_TRANSPOSED},
    .create = create,
#ifdef BIELA_MUMPS
    .size = sizeof(mumps),
    .slots = &slots,
    .destroy = bl_direct_destroy,
    .analyze = analyze,
    .factor = bl_direct_factor,
    .refactor = bl_direct_refactor,
    .solve = bl_direct_solve,
    .cost = cost,
    .forecast = forecast,
    .negative = negative,
#endif
};
