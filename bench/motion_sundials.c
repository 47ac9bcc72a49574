/* SUNDIALS on mechanisms. CVODE and ARKODE solve y' = f(t, y) of a formulation, as biela's explicit methods do, with the same tolerances
 * per component and the same review of the formulation after each step; IDA solves the stabilized form of Gear, Gupta and Leimkuhler
 *
 *     q' = v - G^T mu,   M v' = Q - G^T lambda,   phi = 0,   G v = b
 *
 * of systems without redundant rows. Jacobians by differences, full matrices. */
#include "motion.h"

#include "formulation/formulation.h"

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ADAMS = -1, BDF = -2, GGL = -3 }; /* else the table of an explicit Runge-Kutta method */

typedef struct solver {
    motion *m;
    bl_formulation *form;
    bl_state state;
    bl_eval eval;
    SUNContext ctx;
    N_Vector y, yd, atol, id;
    SUNMatrix A;
    SUNLinearSolver linear;
    SUNNonlinearSolver fixed;
    double tolerance;
    long evaluations;
} solver;

static void quiet(int code, const char *module, const char *function, char *message, void *user) {
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

static int rate(realtype t, N_Vector y, N_Vector yd, void *user) {
    solver *s = user;
    s->evaluations++;
    s->form->slack = 1e-3 * s->tolerance; /* as biela's methods: positions are solved no more accurately than useful */
    bl_status status = s->form->kind->rate(s->form, t, N_VGetArrayPointer(y), N_VGetArrayPointer(yd));
    s->form->slack = 0;
    return status < 0 ? -1 : status > 0;
}

/* the formulation reviews an accepted state; 1: it chose other coordinates, and y describes the same state in them */
static int review(solver *s, double t) {
    bl_formulation *form = s->form;
    if (form->kind->from_y(form, t, N_VGetArrayPointer(s->y), &s->state) != BL_OK)
        return -1;
    bl_status status = form->kind->review ? form->kind->review(form, &s->state) : BL_OK;
    if (status == BL_RESTART)
        return form->kind->to_y(form, &s->state, N_VGetArrayPointer(s->y)) == BL_OK ? 1 : -1;
    return status == BL_OK ? 0 : -1;
}

static void full_matrix(solver *s) {
    int n = (int)N_VGetLength(s->y);
    s->A = SUNDenseMatrix(n, n, s->ctx);
    s->linear = SUNLinSol_Dense(s->y, s->A, s->ctx);
}

static bool run_cvode(solver *s, const motion_method *method, double longest, motion_end *end) {
    double t = 0, begin = 0;
    void *memory = CVodeCreate(method->which == BDF ? CV_BDF : CV_ADAMS, s->ctx);
    CVodeSetErrHandlerFn(memory, quiet, NULL);
    bool good = CVodeInit(memory, rate, 0, s->y) == 0 && CVodeSVtolerances(memory, s->tolerance, s->atol) == 0;
    CVodeSetUserData(memory, s);
    CVodeSetStopTime(memory, s->m->until);
    if (method->which == BDF) {
        full_matrix(s);
        good = good && CVodeSetLinearSolver(memory, s->linear, s->A) == 0;
    } else {
        s->fixed = SUNNonlinSol_FixedPoint(s->y, 0, s->ctx);
        good = good && CVodeSetNonlinearSolver(memory, s->fixed) == 0;
    }
    begin = motion_now();
    for (end->steps = 0; good && t < s->m->until; end->steps++) {
        good = CVode(memory, s->m->until, s->y, &t, CV_ONE_STEP) >= 0;
        int changed = good ? review(s, t) : 0;
        good = good && changed >= 0 && (changed == 0 || CVodeReInit(memory, t, s->y) == 0);
        if (end->steps % 256 == 255)
            good = good && motion_now() - begin < longest;
    }
    end->seconds = motion_now() - begin;
    CVodeFree(&memory);
    return good;
}

static bool run_erk(solver *s, const motion_method *method, double longest, motion_end *end) {
    double t = 0, begin = 0;
    void *memory = ERKStepCreate(rate, 0, s->y, s->ctx);
    ERKStepSetErrHandlerFn(memory, quiet, NULL);
    ERKStepSetUserData(memory, s);
    ERKStepSetStopTime(memory, s->m->until);
    bool good =
        ERKStepSetTableNum(memory, (ARKODE_ERKTableID)method->which) == 0 && ERKStepSVtolerances(memory, s->tolerance, s->atol) == 0;
    begin = motion_now();
    for (end->steps = 0; good && t < s->m->until; end->steps++) {
        good = ERKStepEvolve(memory, s->m->until, s->y, &t, ARK_ONE_STEP) >= 0;
        int changed = good ? review(s, t) : 0;
        good = good && changed >= 0 && (changed == 0 || ERKStepReInit(memory, rate, t, s->y) == 0);
        if (end->steps % 256 == 255)
            good = good && motion_now() - begin < longest;
    }
    end->seconds = motion_now() - begin;
    ERKStepFree(&memory);
    return good;
}

static bool run_rate(motion *m, const motion_method *method, double tolerance, double longest, motion_end *end) {
    solver s = {.m = m, .tolerance = tolerance};
    bool good = SUNContext_Create(NULL, &s.ctx) == 0 && bl_state_create(m->sys, 0, &s.state) == BL_OK &&
                bl_formulation_create(m->sys, method->formulation, NULL, NULL, &s.form) == BL_OK;
    if (good)
        bl_state_copy(m->sys, &s.state, &m->start);
    good = good && s.form->kind->setup(s.form, &s.state) == BL_OK;
    if (good) {
        s.y = N_VNew_Serial(s.form->ny, s.ctx);
        s.atol = N_VClone(s.y);
        for (bl_index i = 0; i < s.form->ny; i++) { /* components of weight 0 do not count */
            double weight = s.form->weight[i];
            N_VGetArrayPointer(s.atol)[i] = weight > 0 ? tolerance * weight : 1e30;
        }
        good = s.form->kind->to_y(s.form, &s.state, N_VGetArrayPointer(s.y)) == BL_OK &&
               (method->which >= 0 ? run_erk(&s, method, longest, end) : run_cvode(&s, method, longest, end)) &&
               s.form->kind->from_y(s.form, m->until, N_VGetArrayPointer(s.y), &s.state) == BL_OK && motion_measure(m, &s.state, end);
        end->evaluations = s.evaluations;
    }
    SUNLinSolFree(s.linear);
    SUNNonlinSolFree(s.fixed);
    SUNMatDestroy(s.A);
    N_VDestroy(s.y);
    N_VDestroy(s.atol);
    bl_formulation_destroy(s.form);
    bl_state_destroy(m->sys, &s.state);
    SUNContext_Free(&s.ctx);
    return good;
}

/* x = (q, v, lambda, mu) */
static int residual(realtype t, N_Vector x, N_Vector xd, N_Vector r, void *user) {
    solver *s = user;
    const bl_system *sys = s->m->sys;
    bl_eval *e = &s->eval;
    bl_index nv = sys->nv, np = sys->np;
    const double *q = N_VGetArrayPointer(x), *v = q + nv, *lambda = v + nv, *mu = lambda + np, *qd = N_VGetArrayPointer(xd);
    double *kinematic = N_VGetArrayPointer(r), *dynamic = kinematic + nv, *position = dynamic + nv, *velocity = position + np;
    s->evaluations++;
    bl_eval_at(e, &s->state);
    e->t = t;
    e->q = q;
    e->v = v;
    if (bl_system_eval(sys, e, BL_M | BL_Q | BL_PHI | BL_G | BL_B) != BL_OK)
        return 1;
    for (bl_index i = 0; i < nv; i++) {
        kinematic[i] = qd[i] - v[i];
        dynamic[i] = -e->Q[i];
    }
    bl_csc_multiply_transposed(&sys->pat_G, e->G, mu, kinematic);
    bl_csc_multiply(&sys->pat_M, e->M, qd + nv, dynamic);
    bl_csc_multiply_transposed(&sys->pat_G, e->G, lambda, dynamic);
    for (bl_index i = 0; i < np; i++) {
        position[i] = e->phi[i];
        velocity[i] = -e->b[i];
    }
    bl_csc_multiply(&sys->pat_G, e->G, v, velocity);
    return 0;
}

static bool run_ida(motion *m, const motion_method *method, double tolerance, double longest, motion_end *end) {
    const bl_system *sys = m->sys;
    solver s = {.m = m, .tolerance = tolerance};
    size_t nv = (size_t)sys->nv, np = (size_t)sys->np;
    double t = 0, work = 0;
    bool good = sys->nz == 0 && sys->nq == sys->nv && SUNContext_Create(NULL, &s.ctx) == 0 && bl_state_create(sys, 0, &s.state) == BL_OK &&
                bl_eval_create(sys, BL_ALL, &s.eval) == BL_OK &&
                bl_formulation_create(sys, method->formulation, NULL, NULL, &s.form) == BL_OK;
    if (good) {
        bl_state_copy(sys, &s.state, &m->start);
        good = s.form->kind->setup(s.form, &s.state) == BL_OK;
    }
    if (good) {
        s.y = N_VNew_Serial((sunindextype)(2 * nv + 2 * np), s.ctx);
        s.yd = N_VClone(s.y), s.atol = N_VClone(s.y), s.id = N_VClone(s.y);
        N_VConst(0, s.y), N_VConst(0, s.yd);
        double *x = N_VGetArrayPointer(s.y), *xd = N_VGetArrayPointer(s.yd);
        memcpy(x, s.state.q, nv * sizeof *x);
        memcpy(x + nv, s.state.v, nv * sizeof *x);
        memcpy(xd, s.state.v, nv * sizeof *x);
        good = s.form->kind->accelerations(s.form, &s.state, xd + nv, x + 2 * nv) == BL_OK;
        for (size_t i = 0; i < 2 * nv + 2 * np; i++) {
            N_VGetArrayPointer(s.id)[i] = i < 2 * nv;
            N_VGetArrayPointer(s.atol)[i] = tolerance * (i < 2 * nv ? s.form->weight[i] : 1);
        }
        void *memory = IDACreate(s.ctx);
        IDASetErrHandlerFn(memory, quiet, NULL);
        good = good && IDAInit(memory, residual, 0, s.y, s.yd) == 0 && IDASVtolerances(memory, tolerance, s.atol) == 0;
        IDASetUserData(memory, &s);
        IDASetId(memory, s.id);
        IDASetSuppressAlg(memory, SUNTRUE);
        IDASetStopTime(memory, m->until);
        full_matrix(&s);
        good = good && IDASetLinearSolver(memory, s.linear, s.A) == 0;
        double begin = motion_now();
        for (end->steps = 0; good && t < m->until; end->steps++) {
            good = IDASolve(memory, m->until, &t, s.y, s.yd, IDA_ONE_STEP) >= 0;
            if (end->steps % 256 == 255)
                good = good && motion_now() - begin < longest;
        }
        end->seconds = motion_now() - begin;
        IDAFree(&memory);
        bl_state last = s.state;
        last.t = &t, last.q = x, last.v = x + nv, last.work = &work;
        good = good && motion_measure(m, &last, end);
        end->energy_error = NAN; /* work is not among the unknowns here */
        end->evaluations = s.evaluations;
    }
    SUNLinSolFree(s.linear);
    SUNMatDestroy(s.A);
    N_VDestroy(s.y);
    N_VDestroy(s.yd);
    N_VDestroy(s.atol);
    N_VDestroy(s.id);
    bl_formulation_destroy(s.form);
    bl_eval_destroy(sys, &s.eval);
    bl_state_destroy(sys, &s.state);
    SUNContext_Free(&s.ctx);
    return good;
}

/* All positions and velocities are unknowns: with independent ones only, the others are initial values of an iteration, which biela's
 * methods replace after each step and which would drift in the history of a multistep method. */
#define PARTITION(label, which) \
    { "sundials", "partition " label, "partition:state=full", NULL, which, run_rate }
#define LAGRANGE(label, which) \
    { "sundials", "lagrange " label, "lagrange", NULL, which, run_rate }
const motion_method motion_sundials_methods[] = {PARTITION("CVODE Adams", ADAMS),
                                                 LAGRANGE("CVODE Adams", ADAMS),
                                                 PARTITION("CVODE BDF", BDF),
                                                 LAGRANGE("CVODE BDF", BDF),
                                                 PARTITION("ERK DormandPrince5", ARKODE_DORMAND_PRINCE_7_4_5),
                                                 LAGRANGE("ERK DormandPrince5", ARKODE_DORMAND_PRINCE_7_4_5),
                                                 PARTITION("ERK Fehlberg8", ARKODE_FEHLBERG_13_7_8),
                                                 LAGRANGE("ERK Fehlberg8", ARKODE_FEHLBERG_13_7_8),
                                                 {"sundials", "ggl IDA", "lagrange", NULL, GGL, run_ida},
                                                 {0}};
