/* SUNDIALS on the initial value problems, each with the settings that are best for it: analytic Jacobians (differences only for the index
 * reduced forms and Andrews in IDA), LAPACK or KLU for the matrices, absolute tolerances per component, stop time so that the last step
 * ends at t_end. A problem that is not smooth at `split` is restarted there. */
#include "ivp.h"

#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <stdlib.h>
#include <string.h>

enum { CVODE_BDF, CVODE_ADAMS, ARK_ERK, ARK_DIRK, IDA };
enum { DENSE, SPARSE };
#define WHICH(kind, matrix, table) ((kind) + 8 * (matrix) + 16 * ((table) + 1))
static int kind_of(const ivp_method *m) { return m->which % 8; }
static int matrix_of(const ivp_method *m) { return m->which / 8 % 2; }
static int table_of(const ivp_method *m) { return m->which / 16 - 1; }

/* ---- LAPACK for dense matrices, like SUNLinSol_LapackDense, which the package of Debian does not include */

extern void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);
extern void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda, const int *pivot, double *b,
                    const int *ldb, int *info, size_t ntrans);

static SUNLinearSolver_Type lapack_type(SUNLinearSolver solver) {
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static int lapack_setup(SUNLinearSolver solver, SUNMatrix A) {
    int n = (int)SUNDenseMatrix_Rows(A), info = 0;
    dgetrf_(&n, &n, SUNDenseMatrix_Data(A), &n, solver->content, &info);
    return info ? 1 : 0;
}

static int lapack_solve(SUNLinearSolver solver, SUNMatrix A, N_Vector x, N_Vector b, realtype tolerance) {
    (void)tolerance;
    int n = (int)SUNDenseMatrix_Rows(A), one = 1, info = 0;
    memcpy(N_VGetArrayPointer(x), N_VGetArrayPointer(b), (size_t)n * sizeof(double));
    dgetrs_("N", &n, &one, SUNDenseMatrix_Data(A), &n, solver->content, N_VGetArrayPointer(x), &n, &info, 1);
    return info ? 1 : 0;
}

static int lapack_free(SUNLinearSolver solver) {
    free(solver->content);
    solver->content = NULL;
    SUNLinSolFreeEmpty(solver);
    return 0;
}

static SUNLinearSolver lapack_create(int n, SUNContext ctx) {
    SUNLinearSolver solver = SUNLinSolNewEmpty(ctx);
    solver->content = calloc((size_t)n, sizeof(int));
    solver->ops->gettype = lapack_type;
    solver->ops->setup = lapack_setup;
    solver->ops->solve = lapack_solve;
    solver->ops->free = lapack_free;
    return solver;
}

/* ---- data of the callbacks */

typedef struct kept {
    const ivp *p;
    int n;               /* unknowns */
    ivp_pattern pattern; /* of the Jacobian */
    ivp_pattern mass;    /* of diag(I, M), for ARKODE */
    long evaluations, jacobians;
} kept;

static void clear(SUNMatrix A, double **value) {
    SUNMatZero(A);
    *value = SUNMatGetID(A) == SUNMATRIX_SPARSE ? SUNSparseMatrix_Data(A) : SUNDenseMatrix_Data(A);
}

static void columns(SUNMatrix A, const ivp_pattern *pattern) { /* SUNMatZero resets them */
    if (SUNMatGetID(A) != SUNMATRIX_SPARSE)
        return;
    sunindextype *ptr = SUNSparseMatrix_IndexPointers(A), *idx = SUNSparseMatrix_IndexValues(A);
    for (int j = 0; j <= pattern->ncol; j++)
        ptr[j] = pattern->ptr[j];
    for (int k = 0; k < pattern->count; k++)
        idx[k] = pattern->idx[k];
}

static int rate(realtype t, N_Vector y, N_Vector yd, void *user) {
    kept *k = user;
    k->evaluations++;
    ivp_rate(k->p, t, N_VGetArrayPointer(y), N_VGetArrayPointer(yd));
    return 0;
}

/* with M on the left side: (v, Q) */
static int loads(realtype t, N_Vector y, N_Vector yd, void *user) {
    kept *k = user;
    const double *q = N_VGetArrayPointer(y), *v = q + k->p->nq;
    double *f = N_VGetArrayPointer(yd);
    k->evaluations++;
    memcpy(f, v, (size_t)k->p->nq * sizeof *f);
    k->p->force(t, q, v, v + k->p->nq, f + k->p->nq, f + 2 * k->p->nq);
    return 0;
}

static int jacobian(realtype t, N_Vector y, N_Vector f, SUNMatrix A, void *user, N_Vector a, N_Vector b, N_Vector c) {
    (void)f, (void)a, (void)b, (void)c;
    kept *k = user;
    ivp_matrix J = {.nrow = k->n, .ncol = k->n, .index = k->pattern.index};
    k->jacobians++;
    clear(A, &J.value);
    columns(A, &k->pattern);
    ivp_jacobian(k->p, t, N_VGetArrayPointer(y), &J);
    return 0;
}

static void mass_matrix(const ivp *p, ivp_matrix *M) {
    for (int i = 0; i < p->nq; i++)
        ivp_add(M, i, i, 1);
    M->row0 = M->col0 = p->nq;
    p->mass(NULL, M);
    M->row0 = M->col0 = 0;
}

static int mass(realtype t, SUNMatrix A, void *user, N_Vector a, N_Vector b, N_Vector c) {
    (void)t, (void)a, (void)b, (void)c;
    kept *k = user;
    ivp_matrix M = {.nrow = k->n, .ncol = k->n, .index = k->mass.index};
    clear(A, &M.value);
    columns(A, &k->mass);
    mass_matrix(k->p, &M);
    return 0;
}

static int residual(realtype t, N_Vector x, N_Vector xd, N_Vector r, void *user) {
    kept *k = user;
    k->evaluations++;
    k->p->residual(t, N_VGetArrayPointer(x), N_VGetArrayPointer(xd), N_VGetArrayPointer(r));
    return 0;
}

static int residual_jacobian(realtype t, realtype c, N_Vector x, N_Vector xd, N_Vector r, SUNMatrix A, void *user, N_Vector d, N_Vector e,
                             N_Vector f) {
    (void)r, (void)d, (void)e, (void)f;
    kept *k = user;
    ivp_matrix J = {.nrow = k->n, .ncol = k->n, .index = k->pattern.index};
    k->jacobians++;
    clear(A, &J.value);
    columns(A, &k->pattern);
    k->p->residual_jacobian(t, N_VGetArrayPointer(x), N_VGetArrayPointer(xd), c, &J);
    return 0;
}

static bool by_mass(const ivp *p, const ivp_method *m) { return kind_of(m) == ARK_DIRK && p->mass_constant && !p->np; }

static bool suits(const ivp *p, const ivp_method *m) {
    int n = ivp_length(p);
    switch (kind_of(m)) {
    case CVODE_BDF:
    case ARK_DIRK:
        if (by_mass(p, m))
            return matrix_of(m) == SPARSE;
        if (!ivp_has_jacobian(p) && (matrix_of(m) == SPARSE || n > 50)) /* by differences */
            return false;
        return matrix_of(m) == DENSE || (n >= 20 && !(p->nq == 40)); /* the beam's Jacobian is full */
    case IDA: return p->residual && (matrix_of(m) == SPARSE) == (p->nx > 50);
    default: return true;
    }
}

static void *open_problem(const ivp *p, const ivp_method *m) {
    kept *k = calloc(1, sizeof *k);
    unsigned char *seen = calloc(IVP_MOST * IVP_MOST, 1);
    if (!k || !seen)
        abort();
    k->p = p;
    k->n = kind_of(m) == IDA ? p->nx : ivp_length(p);
    double y[IVP_MOST] = {0}, yd[IVP_MOST] = {0};
    ivp_matrix J = {.nrow = k->n, .ncol = k->n, .seen = seen};
    if (matrix_of(m) == DENSE) {
        ivp_pattern_dense(&k->pattern, k->n, k->n);
    } else {
        if (kind_of(m) == IDA) {
            p->implicit_start(y, yd);
            p->residual_jacobian(0, y, yd, 1, &J);
        } else {
            p->start(y);
            ivp_jacobian(p, 0, y, &J);
            for (int i = 0; i < k->n; i++) /* of I - gamma J */
                seen[i * k->n + i] = 1;
            if (by_mass(p, m))
                mass_matrix(p, &J);
        }
        ivp_pattern_from(&k->pattern, k->n, k->n, seen);
    }
    if (by_mass(p, m)) {
        memset(seen, 0, IVP_MOST * IVP_MOST);
        mass_matrix(p, &J);
        ivp_pattern_from(&k->mass, k->n, k->n, seen);
    }
    free(seen);
    return k;
}

static void close_problem(void *memory) { free(memory); }

/* ---- the runs */

typedef struct solver {
    SUNContext ctx;
    N_Vector y, yd, atol, id;
    SUNMatrix A, M;
    SUNLinearSolver linear, mass;
    SUNNonlinearSolver fixed;
    void *memory;
} solver;

static void quiet(int code, const char *module, const char *function, char *message, void *user) {
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

static void make_matrix(solver *s, const ivp_method *m, const ivp_pattern *pattern, SUNMatrix *A, SUNLinearSolver *linear) {
    int n = pattern->ncol;
    if (matrix_of(m) == DENSE) {
        *A = SUNDenseMatrix(n, n, s->ctx);
        *linear = lapack_create(n, s->ctx);
    } else {
        *A = SUNSparseMatrix(n, n, pattern->count, CSC_MAT, s->ctx);
        columns(*A, pattern);
        *linear = SUNLinSol_KLU(s->y, *A, s->ctx);
    }
}

static bool run_cvode(solver *s, const ivp_method *m, kept *k, double tolerance, ivp_outcome *out) {
    const ivp *p = k->p;
    double t = 0;
    bool good = true;
    s->memory = CVodeCreate(kind_of(m) == CVODE_BDF ? CV_BDF : CV_ADAMS, s->ctx);
    CVodeSetErrHandlerFn(s->memory, quiet, NULL);
    good = good && CVodeInit(s->memory, rate, 0, s->y) == 0 && CVodeSVtolerances(s->memory, tolerance, s->atol) == 0;
    CVodeSetUserData(s->memory, k);
    CVodeSetMaxNumSteps(s->memory, 500000);
    if (kind_of(m) == CVODE_BDF) {
        make_matrix(s, m, &k->pattern, &s->A, &s->linear);
        good = good && CVodeSetLinearSolver(s->memory, s->linear, s->A) == 0;
        if (ivp_has_jacobian(p))
            CVodeSetJacFn(s->memory, jacobian);
    } else {
        s->fixed = SUNNonlinSol_FixedPoint(s->y, 0, s->ctx);
        good = good && CVodeSetNonlinearSolver(s->memory, s->fixed) == 0;
    }
    for (int piece = p->split > 0 ? 0 : 1; piece < 2 && good; piece++) {
        double end = piece == 0 ? p->split : p->t_end;
        long steps = 0, factors = 0, jacobians = 0;
        CVodeSetStopTime(s->memory, end);
        good = CVode(s->memory, end, s->y, &t, CV_NORMAL) >= 0 && t >= end;
        CVodeGetNumSteps(s->memory, &steps);
        CVodeGetNumLinSolvSetups(s->memory, &factors);
        if (kind_of(m) == CVODE_BDF)
            CVodeGetNumJacEvals(s->memory, &jacobians);
        out->steps += steps, out->factors += factors, out->jacobians += jacobians;
        if (piece == 0 && good)
            good = CVodeReInit(s->memory, end, s->y) == 0;
    }
    CVodeFree(&s->memory);
    return good;
}

static bool run_erk(solver *s, const ivp_method *m, kept *k, double tolerance, ivp_outcome *out) {
    const ivp *p = k->p;
    double t = 0;
    bool good = true;
    s->memory = ERKStepCreate(rate, 0, s->y, s->ctx);
    ERKStepSetErrHandlerFn(s->memory, quiet, NULL);
    ERKStepSetUserData(s->memory, k);
    good = ERKStepSetTableNum(s->memory, (ARKODE_ERKTableID)table_of(m)) == 0 && ERKStepSVtolerances(s->memory, tolerance, s->atol) == 0;
    ERKStepSetMaxNumSteps(s->memory, 500000);
    for (int piece = p->split > 0 ? 0 : 1; piece < 2 && good; piece++) {
        double end = piece == 0 ? p->split : p->t_end;
        long steps = 0;
        ERKStepSetStopTime(s->memory, end);
        good = ERKStepEvolve(s->memory, end, s->y, &t, ARK_NORMAL) >= 0 && t >= end;
        ERKStepGetNumSteps(s->memory, &steps);
        out->steps += steps;
        if (piece == 0 && good)
            good = ERKStepReInit(s->memory, rate, end, s->y) == 0;
    }
    ERKStepFree(&s->memory);
    return good;
}

static bool run_dirk(solver *s, const ivp_method *m, kept *k, double tolerance, ivp_outcome *out) {
    const ivp *p = k->p;
    double t = 0;
    bool good = true;
    ARKRhsFn f = by_mass(p, m) ? loads : rate;
    s->memory = ARKStepCreate(NULL, f, 0, s->y, s->ctx);
    ARKStepSetErrHandlerFn(s->memory, quiet, NULL);
    ARKStepSetUserData(s->memory, k);
    good = ARKStepSetTableNum(s->memory, (ARKODE_DIRKTableID)table_of(m), ARKODE_ERK_NONE) == 0 &&
           ARKStepSVtolerances(s->memory, tolerance, s->atol) == 0;
    make_matrix(s, m, &k->pattern, &s->A, &s->linear);
    good = good && ARKStepSetLinearSolver(s->memory, s->linear, s->A) == 0;
    if (ivp_has_jacobian(p) || by_mass(p, m))
        ARKStepSetJacFn(s->memory, jacobian);
    if (by_mass(p, m)) {
        make_matrix(s, m, &k->mass, &s->M, &s->mass);
        good = good && ARKStepSetMassLinearSolver(s->memory, s->mass, s->M, SUNFALSE) == 0 && ARKStepSetMassFn(s->memory, mass) == 0;
    }
    if (p->linear)
        ARKStepSetLinear(s->memory, 0);
    ARKStepSetDeduceImplicitRhs(s->memory, SUNTRUE);
    ARKStepSetMaxNumSteps(s->memory, 500000);
    for (int piece = p->split > 0 ? 0 : 1; piece < 2 && good; piece++) {
        double end = piece == 0 ? p->split : p->t_end;
        long steps = 0, factors = 0, jacobians = 0;
        ARKStepSetStopTime(s->memory, end);
        good = ARKStepEvolve(s->memory, end, s->y, &t, ARK_NORMAL) >= 0 && t >= end;
        ARKStepGetNumSteps(s->memory, &steps);
        ARKStepGetNumLinSolvSetups(s->memory, &factors);
        ARKStepGetNumJacEvals(s->memory, &jacobians);
        out->steps += steps, out->factors += factors, out->jacobians += jacobians;
        if (piece == 0 && good)
            good = ARKStepReInit(s->memory, NULL, f, end, s->y) == 0;
    }
    ARKStepFree(&s->memory);
    return good;
}

static bool run_ida(solver *s, const ivp_method *m, kept *k, double tolerance, ivp_outcome *out) {
    const ivp *p = k->p;
    double t = 0;
    bool good = true;
    s->memory = IDACreate(s->ctx);
    IDASetErrHandlerFn(s->memory, quiet, NULL);
    s->yd = N_VClone(s->y);
    s->id = N_VClone(s->y);
    p->implicit_start(N_VGetArrayPointer(s->y), N_VGetArrayPointer(s->yd));
    for (int i = 0; i < k->n; i++)
        N_VGetArrayPointer(s->id)[i] = i < k->n - p->nalgebraic;
    good = IDAInit(s->memory, residual, 0, s->y, s->yd) == 0 && IDASVtolerances(s->memory, tolerance, s->atol) == 0;
    IDASetUserData(s->memory, k);
    IDASetMaxNumSteps(s->memory, 500000);
    IDASetId(s->memory, s->id);
    IDASetSuppressAlg(s->memory, SUNTRUE);
    make_matrix(s, m, &k->pattern, &s->A, &s->linear);
    good = good && IDASetLinearSolver(s->memory, s->linear, s->A) == 0;
    if (p->residual_jacobian)
        IDASetJacFn(s->memory, residual_jacobian);
    for (int piece = p->split > 0 ? 0 : 1; piece < 2 && good; piece++) {
        double end = piece == 0 ? p->split : p->t_end;
        long steps = 0, factors = 0, jacobians = 0;
        IDASetStopTime(s->memory, end);
        good = IDASolve(s->memory, end, &t, s->y, s->yd, IDA_NORMAL) >= 0 && t >= end;
        IDAGetNumSteps(s->memory, &steps);
        IDAGetNumLinSolvSetups(s->memory, &factors);
        IDAGetNumJacEvals(s->memory, &jacobians);
        out->steps += steps, out->factors += factors, out->jacobians += jacobians;
        if (piece == 0 && good)
            good = IDAReInit(s->memory, end, s->y, s->yd) == 0;
    }
    IDAFree(&s->memory);
    return good;
}

static bool run(const ivp *p, const ivp_method *m, void *memory, double tolerance, double longest, ivp_outcome *out) {
    (void)longest; /* the number of steps is bounded */
    kept *k = memory;
    solver s = {0};
    if (SUNContext_Create(NULL, &s.ctx) != 0)
        return false;
    k->evaluations = k->jacobians = 0;
    s.y = N_VNew_Serial(k->n, s.ctx);
    s.atol = N_VClone(s.y);
    if (kind_of(m) != IDA)
        p->start(N_VGetArrayPointer(s.y));
    for (int i = 0; i < k->n; i++)
        N_VGetArrayPointer(s.atol)[i] = tolerance * (i < ivp_length(p) ? p->size[i] : 1);
    int kind = kind_of(m);
    bool good = kind == ARK_ERK    ? run_erk(&s, m, k, tolerance, out)
                : kind == ARK_DIRK ? run_dirk(&s, m, k, tolerance, out)
                : kind == IDA      ? run_ida(&s, m, k, tolerance, out)
                                   : run_cvode(&s, m, k, tolerance, out);
    memcpy(out->y, N_VGetArrayPointer(s.y), (size_t)ivp_length(p) * sizeof *out->y);
    out->evaluations = k->evaluations;
    SUNLinSolFree(s.linear);
    SUNLinSolFree(s.mass);
    SUNNonlinSolFree(s.fixed);
    SUNMatDestroy(s.A);
    SUNMatDestroy(s.M);
    N_VDestroy(s.y);
    N_VDestroy(s.yd);
    N_VDestroy(s.atol);
    N_VDestroy(s.id);
    SUNContext_Free(&s.ctx);
    return good;
}

#define METHOD(label, kind, matrix, table)                                                                            \
    {                                                                                                                 \
        .code = "sundials", .name = label, .which = WHICH(kind, matrix, table), .suits = suits, .open = open_problem, \
        .close = close_problem, .run = run                                                                            \
    }

const ivp_method ivp_sundials_methods[] = {METHOD("CVODE BDF", CVODE_BDF, DENSE, 0),
                                           METHOD("CVODE BDF klu", CVODE_BDF, SPARSE, 0),
                                           METHOD("CVODE Adams", CVODE_ADAMS, DENSE, 0),
                                           METHOD("IDA", IDA, DENSE, 0),
                                           METHOD("IDA klu", IDA, SPARSE, 0),
                                           METHOD("ERK DormandPrince5", ARK_ERK, DENSE, ARKODE_DORMAND_PRINCE_7_4_5),
                                           METHOD("ERK Verner6", ARK_ERK, DENSE, ARKODE_VERNER_8_5_6),
                                           METHOD("ERK Fehlberg8", ARK_ERK, DENSE, ARKODE_FEHLBERG_13_7_8),
                                           METHOD("DIRK ESDIRK436", ARK_DIRK, DENSE, ARKODE_ESDIRK436L2SA_6_3_4),
                                           METHOD("DIRK SDIRK534", ARK_DIRK, DENSE, ARKODE_SDIRK_5_3_4),
                                           METHOD("DIRK ESDIRK547", ARK_DIRK, DENSE, ARKODE_ESDIRK547L2SA_7_4_5),
                                           METHOD("DIRK ESDIRK547-2", ARK_DIRK, DENSE, ARKODE_ESDIRK547L2SA2_7_4_5),
                                           METHOD("DIRK ARK548", ARK_DIRK, DENSE, ARKODE_ARK548L2SA_DIRK_8_4_5),
                                           METHOD("DIRK Kvaerno745", ARK_DIRK, DENSE, ARKODE_KVAERNO_7_4_5),
                                           METHOD("DIRK ESDIRK436 klu", ARK_DIRK, SPARSE, ARKODE_ESDIRK436L2SA_6_3_4),
                                           METHOD("DIRK ESDIRK547 klu", ARK_DIRK, SPARSE, ARKODE_ESDIRK547L2SA_7_4_5),
                                           METHOD("DIRK ESDIRK547-2 klu", ARK_DIRK, SPARSE, ARKODE_ESDIRK547L2SA2_7_4_5),
                                           METHOD("DIRK ARK548 klu", ARK_DIRK, SPARSE, ARKODE_ARK548L2SA_DIRK_8_4_5),
                                           METHOD("DIRK Kvaerno745 klu", ARK_DIRK, SPARSE, ARKODE_KVAERNO_7_4_5),
                                           {0}};
