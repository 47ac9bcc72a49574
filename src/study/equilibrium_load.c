/* The load along a path of equilibria: the time t in laws, a parameter in laws (a held input of the state), or a parameter of the model
 * itself, where every value has its own system (family.h). Internally the load always grows from options.from to options.until; a falling
 * parameter is negated (`sense`). */
#include "study/equilibrium_private.h"
#include "study/statics_limits.h"

#include <math.h>
#include <string.h>

double bl_statics_load(const bl_statics *s, const bl_state *state) { return s->family ? s->sense * state->u[0] : *state->t; }

double bl_statics_shown(const bl_statics *s, double load) { return s->family ? s->sense * load : load; }

void bl_statics_set_load(const bl_statics *s, bl_state *state, double load) {
    if (s->family)
        state->u[0] = s->sense * load;
    else
        *state->t = load;
}

static bl_status use(bl_statics *s, const bl_system *sys) {
    bl_eval fresh = {0};
    BL_TRY(bl_eval_create(sys, s->uses, &fresh));
    fresh.slow = true;
    bl_eval_destroy(s->sys, &s->eval);
    s->eval = fresh;
    s->sys = sys;
    s->kkt->sys = sys;
    if (s->full)
        s->full->sys = sys;
    s->factored = false;
    return BL_OK;
}

/* The system of a value. Iterations may try values beyond the path; if the model refuses one there, the step was too long. */
static bl_status make_member(const bl_statics *s, double value, bl_family_member *member) {
    bl_status status = bl_family_make(s->family, value, member);
    double load = s->sense * value;
    bool beyond = load > s->options.until || load < s->options.from;
    if (!beyond || status == BL_OK || status == BL_E_MEMORY)
        return status;
    bl_error why = *bl_context_error(s->ctx);
    bl_fail_again(s->ctx, BL_REJECTED, &why);
    return BL_REJECTED;
}

bl_status bl_statics_use_load(bl_statics *s, const bl_state *state) {
    if (!s->family || s->family->laws || state->u[0] == s->at)
        return BL_OK;
    bl_family_member fresh, old = s->member;
    BL_TRY(make_member(s, state->u[0], &fresh));
    bl_status status = use(s, fresh.sys);
    if (status != BL_OK) {
        bl_family_free(s->family, &fresh);
        return status;
    }
    s->member = fresh;
    s->at = fresh.value;
    bl_family_free(s->family, &old); /* after its evaluations */
    return BL_OK;
}

void bl_statics_release_member(bl_statics *s) {
    if (s->family)
        bl_family_free(s->family, &s->member);
}

/* ---- derivatives by the load */

/* adds `by` times unbalanced forces and constraint violations of a system at the state, with constant multipliers */
static bl_status add_side(bl_statics *s, const bl_system *sys, bl_eval *e, double by) {
    const bl_pattern *G = &sys->pat_G;
    bl_eval_at(e, &s->state);
    BL_TRY(bl_system_eval(sys, e, (sys->nv ? BL_Q : 0) | (sys->nz ? BL_F : 0) | (s->np ? BL_PHI | BL_G : 0)));
    for (bl_index j = 0; j < s->n; j++)
        s->load_rate[j] += by * (j < sys->nv ? e->Q[j] : e->f[j - sys->nv]);
    for (bl_index j = 0; s->np && j < sys->nv; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++)
            s->load_rate[j] -= by * e->G[k] * s->state.lambda[G->idx[k]];
    for (bl_index i = 0; i < s->np; i++)
        s->row_rate[i] -= by * e->phi[i];
    return BL_OK;
}

/* centered, except at the ends of the path, beyond which the model may have no meaning */
static bl_status by_neighbors(bl_statics *s) {
    double value = s->state.u[0], h = study_load_difference * fabs(s->options.until - s->options.from), at[2] = {value - h, value + h};
    double ends[2] = {s->sense * s->options.from, s->sense * s->options.until};
    double low = fmin(ends[0], ends[1]), high = fmax(ends[0], ends[1]);
    if (value >= low && value <= high) {
        at[0] = fmax(at[0], low);
        at[1] = fmin(at[1], high);
    }
    for (int side = 0; side < 2; side++) {
        bl_family_member m;
        bl_eval e = {0};
        BL_TRY(make_member(s, at[side], &m));
        bl_status status = bl_eval_create(m.sys, BL_G, &e);
        e.slow = true;
        s->state.u[0] = m.value;
        if (status == BL_OK)
            status = add_side(s, m.sys, &e, s->sense * (side ? 1 : -1) / (at[1] - at[0]));
        s->state.u[0] = value;
        bl_eval_destroy(m.sys, &e);
        bl_family_free(s->family, &m);
        BL_TRY(status);
    }
    bl_eval_at(&s->eval, &s->state);
    return BL_OK;
}

static bl_status by_time(bl_statics *s) {
    const bl_system *sys = s->sys;
    double t = *s->state.t, by = study_load_difference * (s->options.until - s->options.from);
    for (int side = -1; side <= 1; side += 2) {
        *s->state.t = t + side * by;
        bl_eval_at(&s->eval, &s->state);
        bl_status status = bl_system_eval(sys, &s->eval, (sys->nv ? BL_Q : 0) | (sys->nz ? BL_F : 0));
        *s->state.t = t;
        BL_TRY(status);
        for (bl_index j = 0; j < s->n; j++)
            s->load_rate[j] += side * (j < sys->nv ? s->eval.Q[j] : s->eval.f[j - sys->nv]) / (2 * by);
    }
    bl_eval_at(&s->eval, &s->state);
    BL_TRY(bl_system_eval(sys, &s->eval, s->np ? BL_B : 0));
    if (s->np)
        memcpy(s->row_rate, s->eval.b, (size_t)s->np * sizeof *s->row_rate);
    return BL_OK;
}

bl_status bl_statics_load_rate(bl_statics *s) {
    memset(s->load_rate, 0, (size_t)s->n * sizeof *s->load_rate);
    memset(s->row_rate, 0, (size_t)s->np * sizeof *s->row_rate);
    BL_TRY(bl_statics_use_load(s, &s->state));
    if (!s->family) {
        BL_TRY(by_time(s));
    } else if (!s->family->laws) {
        BL_TRY(by_neighbors(s));
    } else {
        bl_eval_at(&s->eval, &s->state);
        BL_TRY(bl_system_eval(s->sys, &s->eval, BL_U));
        for (bl_index j = 0; j < s->n; j++)
            s->load_rate[j] = s->sense * s->eval.Q_u[j];
    }
    return bl_system_eval(s->sys, &s->eval, s->np ? BL_G : 0);
}
