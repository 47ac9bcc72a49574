#include "support/motor_drive.h"

#include "study/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double R = 1, L = 0.01, K = 0.1, FRICTION = 0.001, U = 12, TAU = 0.05;
enum { NZ = 2 };

typedef struct drive {
    motor_drive numbers;
    bl_system *inner;
    bl_col *col;
    bl_index *ptr_M, *ptr_C, *idx_C, *ptr_K, *idx_K;
    void *block;
} drive;

typedef struct work {
    bl_eval in;
    double u[1];
} work;

static const drive *own_of(const bl_system *sys) { return sys->own; }

/* ---- evaluation */

/* the mechanism at the same place, with the motor's force */
static bl_status go_to(const bl_system *sys, const bl_eval *e, bool forces) {
    const drive *own = own_of(sys);
    work *w = e->own;
    bl_eval *in = &w->in;
    in->t = e->t;
    in->q = e->q;
    in->v = e->v;
    in->a = e->a;
    in->lambda = e->lambda;
    in->load = e->load;
    in->history = e->history;
    in->u = w->u;
    in->unseen = e->unseen;
    in->have = in->constant;
    if (!forces)
        return BL_OK;
    BL_TRY(bl_system_eval(own->inner, in, BL_VARIABLES));
    double rate = in->variable_rate[0];
    w->u[0] = own->numbers.strength * K * e->z[0] - FRICTION * rate - own->numbers.filtered * e->z[1];
    in->have = in->constant;
    return BL_OK;
}

static bl_status drive_eval(const bl_system *sys, bl_eval *e, uint32_t want) {
    const drive *own = own_of(sys);
    const bl_system *inner = own->inner;
    work *w = e->own;
    bl_eval *in = &w->in;
    const uint32_t forces = BL_Q | BL_F | BL_FREE_ACC | BL_ENERGY | BL_LOADS;
    BL_TRY(go_to(sys, e, want & forces));
    uint32_t ask = (want & ~(uint32_t)(BL_F | BL_KC)) | (want & BL_F ? BL_VARIABLES : 0);
    BL_TRY(bl_system_eval(inner, in, ask));
    const struct {
        uint32_t of;
        bl_index n;
        const double *from;
        double *to;
    } part[] = {{BL_T, inner->pat_T.ptr ? inner->pat_T.ptr[inner->pat_T.ncol] : 0, in->T, e->T},
                {BL_M, inner->pat_M.ptr ? inner->pat_M.ptr[sys->nv] : 0, in->M, e->M},
                {BL_G, sys->np ? inner->pat_G.ptr[sys->nv] : 0, in->G, e->G},
                {BL_GV_X, sys->np ? inner->pat_G.ptr[sys->nv] : 0, in->Gv_x, e->Gv_x},
                {BL_W, inner->pat_W.ptr ? inner->pat_W.ptr[sys->np] : 0, in->W, e->W},
                {BL_Q, sys->nv, in->Q, e->Q},
                {BL_FREE_ACC, sys->nv, in->a_free, e->a_free},
                {BL_PHI, sys->np, in->phi, e->phi},
                {BL_B, sys->np, in->b, e->b},
                {BL_C, sys->np, in->c, e->c},
                {BL_LOADS, sys->nload, in->load_now, e->load_now},
                {BL_VARIABLES, sys->nvariable, in->variable, e->variable},
                {BL_VARIABLES, sys->nvariable, in->variable_rate, e->variable_rate}};
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        if ((want & part[k].of) && part[k].n)
            memcpy(part[k].to, part[k].from, (size_t)part[k].n * sizeof(double));
    if (want & (BL_Q | BL_FREE_ACC))
        e->power = in->power;
    if (want & BL_ENERGY) {
        e->kinetic = in->kinetic;
        e->potential = in->potential;
    }
    if (want & BL_F) {
        double rate = in->variable_rate[0];
        e->f[0] = (U - R * e->z[0] - own->numbers.strength * K * rate) / L;
        e->f[1] = own->numbers.broken > 0 && e->t > own->numbers.broken ? NAN : (rate - e->z[1]) / TAU;
    }
    return BL_OK;
}

static bl_status drive_apply(const bl_system *sys, bl_eval *e, bl_op op, bl_index nrhs, const double *x, double *y) {
    work *w = e->own;
    BL_TRY(go_to(sys, e, false));
    return bl_system_apply(own_of(sys)->inner, &w->in, op, nrhs, x, y);
}

static bl_status drive_retract(const bl_system *sys, const double *q, const double *x, double *q_new) {
    return bl_system_retract(own_of(sys)->inner, q, x, q_new);
}

static bl_status drive_local(const bl_system *sys, const double *q, const double *q_new, const double *near, double *x) {
    return bl_system_local_near(own_of(sys)->inner, q, q_new, near, x);
}

static bl_status drive_accept(const bl_system *sys, bl_eval *e, bl_state *state) {
    const bl_system *inner = own_of(sys)->inner;
    work *w = e->own;
    if (!inner->kind->accept)
        return BL_OK;
    BL_TRY(go_to(sys, e, false));
    return inner->kind->accept(inner, &w->in, state);
}

/* ---- workspace */

static bl_status drive_eval_create(const bl_system *sys, bl_eval *e) {
    work *w;
    BL_TRY(BL_NEW(sys->ctx, w, 1));
    e->own = w;
    return bl_eval_create(own_of(sys)->inner, BL_T | BL_M | BL_G | BL_SEEN, &w->in);
}

static void drive_eval_destroy(const bl_system *sys, bl_eval *e) {
    work *w = e->own;
    if (!w)
        return;
    bl_eval_destroy(own_of(sys)->inner, &w->in);
    bl_free(sys->ctx, w);
    e->own = NULL;
}

static void drive_row_name(const bl_system *sys, bl_index row, char *part, size_t npart, char *equation, size_t nequation) {
    bl_system_row_name(own_of(sys)->inner, row, part, npart, equation, nequation);
}

static void drive_load_name(const bl_system *sys, bl_index load, char *name, size_t nname) {
    bl_system_load_name(own_of(sys)->inner, load, name, nname);
}

static void drive_col_name(const bl_system *sys, bl_index col, char *name, size_t nname) {
    if (col < sys->nv)
        bl_system_col_name(own_of(sys)->inner, col, name, nname);
    else
        snprintf(name, nname, "%s", col == sys->nv ? "current" : "filter");
}

static void drive_destroy(bl_system *sys) {
    drive *own = sys->own;
    bl_system_destroy(own->inner);
    bl_free(sys->ctx, own->block);
}

static const bl_system_kind drive_kind = {.kind = {.name = "motor_drive"},
                                          .eval = drive_eval,
                                          .apply = drive_apply,
                                          .retract = drive_retract,
                                          .local = drive_local,
                                          .accept = drive_accept,
                                          .eval_create = drive_eval_create,
                                          .eval_destroy = drive_eval_destroy,
                                          .row_name = drive_row_name,
                                          .col_name = drive_col_name,
                                          .load_name = drive_load_name,
                                          .destroy = drive_destroy};

/* ---- construction */

/* M as it is; C full in the columns of velocities and A; K full */
static bl_status make_patterns(bl_system *sys, drive *own) {
    const bl_system *inner = own->inner;
    bl_index nv = inner->nv, n = nv + NZ;
    size_t wide = (size_t)n;
    BL_TRY(BL_NEW_ARRAYS(sys->ctx, own->block, BL_ARRAY(own->col, wide), BL_ARRAY(own->ptr_M, wide + 1), BL_ARRAY(own->ptr_C, wide + 1),
                         BL_ARRAY(own->idx_C, wide * wide), BL_ARRAY(own->ptr_K, wide + 1), BL_ARRAY(own->idx_K, wide * wide)));
    memcpy(own->col, inner->col, (size_t)nv * sizeof *own->col);
    for (bl_index i = 0; i < NZ; i++)
        own->col[nv + i] = (bl_col){.what = BL_COL_STATE, .order = 1, .owner = i, .scale = 1};
    for (bl_index j = 0; j <= n; j++) {
        own->ptr_M[j] = inner->pat_M.ptr[j < nv ? j : nv];
        own->ptr_K[j] = j * n;
        own->ptr_C[j] = j < nv ? j * n : nv * n + (j - nv);
        for (bl_index i = 0; i < n && j < n; i++)
            own->idx_K[j * n + i] = i;
        for (bl_index i = 0; i < n && j < nv; i++)
            own->idx_C[j * n + i] = i;
        if (j >= nv && j < n)
            own->idx_C[nv * n + (j - nv)] = j;
    }
    sys->pat_T = inner->pat_T;
    sys->pat_G = inner->pat_G;
    sys->pat_W = inner->pat_W;
    sys->pat_M = (bl_pattern){n, n, own->ptr_M, inner->pat_M.idx};
    sys->pat_C = (bl_pattern){n, n, own->ptr_C, own->idx_C};
    sys->pat_K = (bl_pattern){n, n, own->ptr_K, own->idx_K};
    return BL_OK;
}

static bl_status make(bl_system *sys, const bl_model *model, const char *coordinates, const motor_drive *numbers, bl_state *start) {
    drive *own = sys->own;
    const bl_held held = {.what = BL_HELD_VARIABLE, .ref = 0};
    own->numbers = *numbers;
    BL_TRY(bl_run_prepare_held(sys->ctx, model, coordinates, 0, &held, 1, &own->inner, start));
    bl_system *inner = own->inner;
    bl_eval all = {0}; /* all patterns exist from now on */
    BL_TRY(bl_eval_create(inner, BL_M | BL_G | BL_T | (inner->can & BL_CAN_MSOLVE && inner->np ? BL_W : 0), &all));
    bl_eval_destroy(inner, &all);
    sys->nq = inner->nq;
    sys->nv = inner->nv;
    sys->np = inner->np;
    sys->nz = NZ;
    sys->nvariable = inner->nvariable;
    sys->nload = inner->nload;
    sys->load_open = inner->load_open;
    sys->history_bytes = inner->history_bytes;
    sys->mass_above = inner->mass_above;
    sys->row = inner->row;
    sys->row_size = inner->row_size;
    sys->q_scale = inner->q_scale;
    sys->independent = inner->independent;
    sys->nindependent = inner->nindependent;
    sys->size = inner->size;
    sys->rounded = inner->rounded;
    sys->can = inner->can & (BL_CAN_MASS | BL_CAN_MSOLVE | BL_CAN_ENERGY | BL_CAN_LOCAL);
    sys->facts = (inner->facts & ~(uint32_t)(BL_IDENTITY | BL_CK_CONST | BL_K_SYMMETRIC | BL_POWER_OF_V)) | BL_A_IDENTITY | BL_Q_OF_V;
    BL_TRY(make_patterns(sys, own));
    sys->col = own->col;
    return BL_OK;
}

bl_status motor_drive_create(bl_context *ctx, const bl_model *model, const char *coordinates, const motor_drive *numbers, bl_system **out,
                             bl_state *state) {
    bl_state start = {0};
    bl_system *sys;
    *out = NULL;
    BL_TRY(bl_system_create(ctx, &drive_kind, sizeof(drive), &sys));
    bl_status status = make(sys, model, coordinates, numbers, &start);
    if (status == BL_OK)
        status = bl_state_create(sys, 0, state);
    if (status == BL_OK) {
        memcpy(state->q, start.q, (size_t)sys->nq * sizeof(double));
        memcpy(state->v, start.v, (size_t)sys->nv * sizeof(double));
        memcpy(state->history, start.history, sys->history_bytes);
    }
    const drive *own = sys->own;
    if (own->inner)
        bl_state_destroy(own->inner, &start);
    if (status != BL_OK)
        bl_system_destroy(sys);
    else
        *out = sys;
    return status;
}
