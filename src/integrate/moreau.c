/* Moreau's method, fixed step, for motions with impulses (Moreau 1988, Jean 1999): from (q_0, v_0)
 *
 *     q_m = q_0 + h/2 v_0,   M (v_1 - v_0) + G^T Lambda = h Q + W P at the mid point,   q_1 = q_m + h/2 v_1
 *
 * W P are impulses that the caller finds (bl_impulses); without them the order is 2: forces and states by the midpoint rule with velocities
 * of half a step. Impulses that last, as those of bodies at rest, count in them as they were: without that dampers would act on bodies
 * that do not move. Positions at the mid point and the end, velocities at the end are projected onto the constraints. */
#include "integrate/integrate.h"

#include <math.h>
#include <string.h>

typedef struct moreau {
    bl_state start, middle, end;
    bl_eval forces;
    double *rate, *y_old, *y_middle; /* [ny] */
    double *kick[3];                 /* [nv] accelerations that impulses are on average: of this step, the last one and that before */
} moreau;

static bl_status moreau_create(bl_integrator *integ) {
    const bl_system *sys = integ->form->sys;
    moreau *own;
    BL_TRY(BL_NEW(integ->ctx, own, 1));
    integ->own = own;
    BL_TRY(bl_state_create(sys, 0, &own->start));
    BL_TRY(bl_state_create(sys, 0, &own->middle));
    BL_TRY(bl_eval_create(sys, BL_Q, &own->forces));
    return bl_state_create(sys, 0, &own->end);
}

static void moreau_destroy(bl_integrator *integ) {
    moreau *own = integ->own;
    if (!own)
        return;
    bl_eval_destroy(integ->form->sys, &own->forces);
    bl_state_destroy(integ->form->sys, &own->start);
    bl_state_destroy(integ->form->sys, &own->middle);
    bl_state_destroy(integ->form->sys, &own->end);
}

static bl_status moreau_start(bl_integrator *integ) {
    moreau *own = integ->own;
    const bl_formulation *form = integ->form;
    BL_TRY(BL_INTEGRATOR_ARRAYS(integ, BL_ARRAY(own->rate, form->ny), BL_ARRAY(own->y_old, form->ny), BL_ARRAY(own->y_middle, form->ny),
                                BL_ARRAY(own->kick[0], form->sys->nv), BL_ARRAY(own->kick[1], form->sys->nv),
                                BL_ARRAY(own->kick[2], form->sys->nv)));
    for (int k = 0; k < 3; k++)
        memset(own->kick[k], 0, (size_t)form->sys->nv * sizeof *own->kick[k]);
    integ->h_next = integ->control.step;
    const bl_impulses *by = integ->control.impulses;
    return by ? by->begin(by->user) : BL_OK;
}

static void take_history(const bl_integrator *integ, bl_state *state) {
    memcpy(state->history, integ->form->history, integ->form->sys->history_bytes);
}

/* positions onto the constraints; velocities stay */
static bl_status project_positions(bl_integrator *integ, bl_state *state, double *kept) {
    bl_formulation *form = integ->form;
    size_t nv = (size_t)form->sys->nv;
    if (form->sys->np == 0 || !form->kind->project)
        return BL_OK;
    memcpy(kept, state->v, nv * sizeof *kept);
    BL_TRY(form->kind->project(form, state, integ->control.projection));
    memcpy(state->v, kept, nv * sizeof *kept);
    return BL_OK;
}

/* half a step of positions: to = from + h/2 v */
static bl_status move(const bl_system *sys, double half, const double *q, const double *v, double *x, double *to) {
    for (bl_index i = 0; i < sys->nv; i++)
        x[i] = half * v[i];
    return bl_system_retract(sys, q, x, to);
}

/* the acceleration by impulses that is to be expected: of those of two steps the smaller one, and none of single impacts */
static double lasting(const moreau *own, bl_index i) {
    double a = own->kick[1][i], b = own->kick[2][i];
    return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b;
}

/* the motion without impulses, to v_1 at the positions of the mid point, which `middle` has; end->v, z, work */
static bl_status free_motion(bl_integrator *integ, double h) {
    moreau *own = integ->own;
    bl_formulation *form = integ->form;
    const bl_system *sys = form->sys;
    bl_state *m = &own->middle, *end = &own->end;
    bl_index nq = sys->nq, nv = sys->nv, nz = sys->nz;
    const double *a = own->rate + nq, *zd = a + nv;
    for (int stage = 0; stage < 2; stage++) {
        double part = stage == 0 ? 0.5 * h : h;
        BL_TRY(bl_full_state_to_y(form, m, own->y_middle));
        BL_TRY(form->kind->rate(form, *m->t, own->y_middle, own->rate));
        for (bl_index i = 0; i < nv; i++)
            end->v[i] = own->start.v[i] + part * a[i];
        for (bl_index i = 0; i < nz; i++)
            end->z[i] = own->start.z[i] + part * zd[i];
        *end->work = *own->start.work + part * own->rate[nq + nv + nz];
        if (stage == 0) {
            for (bl_index i = 0; i < nv; i++)
                m->v[i] = end->v[i] + part * lasting(own, i);
            memcpy(m->z, end->z, (size_t)nz * sizeof *m->z);
        }
    }
    return BL_OK;
}

/* Forces without a potential work along the mean velocity of the step, with its impulses: what presses on a body at rest does no work. */
static bl_status correct_work(bl_integrator *integ, double h) {
    moreau *own = integ->own;
    const bl_system *sys = integ->form->sys;
    bl_state *m = &own->middle, *end = &own->end;
    bl_eval *e = &own->forces;
    bl_eval_at(e, m);
    e->load = integ->form->at_e.load;
    BL_TRY(bl_system_eval(sys, e, BL_Q));
    double without = e->power;
    if (without == 0) /* the work is that of drivers */
        return BL_OK;
    for (bl_index i = 0; i < sys->nv; i++)
        m->v[i] = 0.5 * (own->start.v[i] + end->v[i]);
    bl_eval_at(e, m);
    e->load = integ->form->at_e.load;
    BL_TRY(bl_system_eval(sys, e, BL_Q));
    *end->work += h * (e->power - without);
    return BL_OK;
}

static bl_status moreau_attempt(bl_integrator *integ, double h, double *error) {
    moreau *own = integ->own;
    bl_formulation *form = integ->form;
    const bl_system *sys = form->sys;
    const bl_impulses *by = integ->control.impulses;
    bl_state *start = &own->start, *m = &own->middle, *end = &own->end;
    double *x = own->rate, power = 0;
    *error = 0;
    integ->t_new = integ->t + h;
    take_history(integ, start);
    BL_TRY(bl_full_state_from_y(form, integ->t, integ->y, start));
    bl_state_copy(sys, end, start);
    *end->t = integ->t_new;
    if (by && by->alone) {
        BL_TRY(by->strike(by->user, h, start, NULL, NULL, end->work));
    } else {
        bl_state_copy(sys, m, start);
        *m->t = integ->t + 0.5 * h;
        BL_TRY(move(sys, 0.5 * h, start->q, start->v, x, m->q));
        BL_TRY(project_positions(integ, m, x));
        BL_TRY(free_motion(integ, h));
        power = own->rate[form->ny - 1];
        if (by)
            memcpy(own->kick[0], end->v, (size_t)sys->nv * sizeof *end->v);
        if (by)
            BL_TRY(by->strike(by->user, h, start, m, end->v, end->work));
        BL_TRY(move(sys, 0.5 * h, m->q, end->v, x, end->q));
    }
    if (by)
        BL_TRY(by->finish(by->user, h, end));
    if (by && power != 0)
        BL_TRY(correct_work(integ, h));
    for (bl_index i = 0; by && !by->alone && i < sys->nv; i++)
        own->kick[0][i] = (end->v[i] - own->kick[0][i]) / h;
    if (sys->np > 0 && form->kind->project)
        BL_TRY(form->kind->project(form, end, integ->control.projection));
    return bl_full_state_to_y(form, end, integ->y_new);
}

static bl_status moreau_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    (void)error;
    return bl_step_control_fixed(integ, accepted, failures, status, h);
}

static void moreau_accept(bl_integrator *integ) {
    moreau *own = integ->own;
    double *spare = own->kick[2];
    bl_integrator_advance(integ, own->y_old);
    own->kick[2] = own->kick[1];
    own->kick[1] = own->kick[0];
    own->kick[0] = spare;
}

/* positions by the parabola through both ends that begins with the velocity of the start and, where forces are constant, ends with that of
 * the end; velocities linear */
static bl_status moreau_dense(const bl_integrator *integ, double t, double *y) {
    const moreau *own = integ->own;
    const bl_system *sys = integ->form->sys;
    double h = integ->t - integ->t_old, s = h > 0 ? (t - integ->t_old) / h : 1;
    const double *y0 = own->y_old, *y1 = integ->y, *v0 = y0 + sys->nq, *v1 = y1 + sys->nq;
    if (s <= 0 || s >= 1) {
        memcpy(y, s <= 0 ? y0 : y1, (size_t)integ->ny * sizeof *y);
        return BL_OK;
    }
    for (bl_index i = 0; i < integ->ny; i++)
        y[i] = y0[i] + s * (y1[i] - y0[i]);
    if (sys->facts & BL_FLAT) /* q = line + s (1 - s) h/2 (v0 - v1) */
        for (bl_index i = 0; i < sys->nv; i++)
            y[i] += 0.5 * s * (1 - s) * h * (v0[i] - v1[i]);
    return BL_OK;
}

static const bl_param params[] = {{0}};

const bl_integrator_kind bl_integrator_moreau = {
    .kind = {.name = "moreau",
             .help = "Moreau's method, fixed step, order 2 without impulses: the one of `contact: stepping`",
             .params = params,
             .needs = BL_CAN_RATE | BL_FULL_STATE,
             .gives = BL_DENSE},
    .order = 2,
    .dense_order = 1,
    .create = moreau_create,
    .start = moreau_start,
    .attempt = moreau_attempt,
    .next_step = moreau_next_step,
    .accept = moreau_accept,
    .dense = moreau_dense,
    .destroy = moreau_destroy,
};
